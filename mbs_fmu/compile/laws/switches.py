"""When conditions on time switch: what steps with error control must know before they come there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...record.layout import TIME, Load
from ...symbolic.emit import shared
from ...symbolic.expressions import ZERO, Expression, as_expression, is_condition, is_literal
from ...symbolic.graph import derivative, rebuild, topological


def switch_times(expressions: Iterable[Expression]) -> list[Expression]:
    """Times at which conditions in these expressions switch, as expressions of parameters, once each.

    Conditions that compare time, linear in it, with numbers and parameters, and points of a table whose slope over time
    is taken; other conditions (periodic ones, those of the state) are found by error control alone. An infinite or
    undefined time is none.
    """
    nodes = topological(expressions)
    timed, fixed = _below(nodes, TIME.__eq__), _below(nodes, lambda load: load.region != "parameters" and load != TIME)
    conditions = [x for x in nodes if is_condition(x) and timed[id(x)] and not fixed[id(x)]]
    found = _roots([x.args[0] - x.args[1] for x in conditions])
    for points, _ in dict.fromkeys(x.value for x in nodes if x.op == "slope" and _is_time(x.args[0])):
        found += map(as_expression, points)
    return list({id(x): x for x in shared(found)}.values())


def _below(nodes: Iterable[Expression], holds: Callable[[Load], bool]) -> dict[int, bool]:
    """For each node, by its id, True if `holds` is true of a leaf below it; operands come first."""
    out: dict[int, bool] = {}
    for x in nodes:
        out[id(x)] = holds(x.value) if x.op == "leaf" else any(out[id(a)] for a in x.args)
    return out


def _roots(differences: Sequence[Expression]) -> list[Expression]:
    """Where differences of time and parameters are zero, of those that are linear in time.

    All of them in one walk: they may have parts in common, or contain each other.
    """
    slopes = derivative(differences, lambda x: as_expression(float(x == TIME)))
    timed = _below(topological(slopes), TIME.__eq__)
    starts = rebuild(differences, lambda x: ZERO if x.op == "leaf" and x.value == TIME else None)
    pairs = zip(starts, slopes, strict=True)
    return [-start / slope for start, slope in pairs if not is_literal(slope, 0.0) and not timed[id(slope)]]


def knots(expressions: Iterable[Expression]) -> list[tuple[Load, int]]:
    """First number and number of points of each table over time, its numbers being in the record."""
    tables = [x.value for x in topological(expressions) if x.op in ("table", "area") and _is_time(x.args[0])]
    return list(dict.fromkeys(tables))


def _is_time(expression: Expression) -> bool:
    return expression.op == "leaf" and expression.value == TIME
