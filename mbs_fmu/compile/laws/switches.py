"""Times at which conditions on time switch: steps with error control end there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...record.layout import TIME, Load
from ...symbolic.emit import shared
from ...symbolic.expressions import ZERO, Expression, as_expression, is_condition, is_literal
from ...symbolic.graph import derivative, rebuild, topological


def switch_times(expressions: Iterable[Expression]) -> list[Expression]:
    """Times at which conditions in these expressions switch, as expressions of parameters, once each.

    These are zeros of conditions that are linear in time and depend on numbers and parameters otherwise, and points of
    a table whose slope over time is used. Other conditions (periodic ones, those of the state) are left to error
    control. An infinite or undefined time is ignored.
    """
    nodes = topological(expressions)
    timed, fixed = _below(nodes, TIME.__eq__), _below(nodes, lambda load: load.region != "parameters" and load != TIME)
    conditions = [x for x in nodes if is_condition(x) and timed[id(x)] and not fixed[id(x)]]
    times = _roots([x.args[0] - x.args[1] for x in conditions])
    for points, _ in dict.fromkeys(x.value for x in nodes if x.op == "slope" and _is_time(x.args[0])):
        times += map(as_expression, points)
    return list({id(x): x for x in shared(times)}.values())


def _below(nodes: Iterable[Expression], holds: Callable[[Load], bool]) -> dict[int, bool]:
    """For each node, by its id, True if `holds` is true of a leaf below it; operands come first."""
    flags: dict[int, bool] = {}
    for x in nodes:
        flags[id(x)] = holds(x.value) if x.op == "leaf" else any(flags[id(a)] for a in x.args)
    return flags


def _roots(differences: Sequence[Expression]) -> list[Expression]:
    """Zeros of the differences of time and parameters that are linear in time.

    All are processed in one walk, since they may share parts or contain each other.
    """
    slopes = derivative(differences, lambda x: as_expression(float(x == TIME)))
    timed = _below(topological(slopes), TIME.__eq__)
    starts = rebuild(differences, lambda x: ZERO if x.op == "leaf" and x.value == TIME else None)
    pairs = zip(starts, slopes, strict=True)
    return [-start / slope for start, slope in pairs if not is_literal(slope, 0.0) and not timed[id(slope)]]


def knots(expressions: Iterable[Expression]) -> list[tuple[Load, int]]:
    """First number and number of points of each table over time, whose data are in the record."""
    tables = [x.value for x in topological(expressions) if x.op in ("table", "area") and _is_time(x.args[0])]
    return list(dict.fromkeys(tables))


def _is_time(expression: Expression) -> bool:
    return expression.op == "leaf" and expression.value == TIME
