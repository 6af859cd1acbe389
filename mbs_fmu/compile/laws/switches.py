"""Times at which conditions on time switch, at which steps with error control end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...record.layout import SIDE, TIME, Load
from ...symbolic.emit import shared
from ...symbolic.expressions import ZERO, Expression, abs, as_expression, is_condition, is_literal, leaf, where
from ...symbolic.graph import derivative, rebuild, remake, topological


def switch_times(expressions: Iterable[Expression]) -> list[Expression]:
    """Return the times at which conditions in these expressions switch, as expressions of parameters, once each.

    These are zeros of conditions that are linear in time and otherwise depend on numbers and parameters only, and the
    points of tables whose slope over time is used. beats.py has the periodic times of `mod`. Other conditions, such as
    those on a sine and on the state, are left to error control. An infinite or undefined time is ignored.
    """
    nodes = topological(expressions)
    jumps = [x for x in jumping(nodes) if is_condition(x)]
    wrapped = _below_operation(nodes, "mod") if jumps else {}
    conditions = [x for x in jumps if not wrapped[id(x)]]
    times = _roots([x.args[0] - x.args[1] for x in conditions])
    for points, _ in dict.fromkeys(x.value for x in nodes if x.op == "slope" and _is_time(x.args[0])):
        times += map(as_expression, points)
    return list({id(x): x for x in shared(times)}.values())


def on_side(expressions: Sequence[Expression]) -> list[Expression]:
    """Return the expressions with limits from the side that R[SIDE] states where they jump at given times.

    Conditions that depend on time, numbers and parameters only, and slopes of tables over time, read the time that is
    R[SIDE] later than the present one. Such a `mod` is the one of two neighbouring periods that is right there.
    """
    nodes = topological(expressions)
    jumps = jumping(nodes)
    moved = _below(nodes, SIDE.__eq__) if jumps else {}
    sided = {x for x in jumps if not moved[id(x)]}
    later = leaf(TIME) + leaf(SIDE)

    def make(node: Expression, args: list[Expression]) -> Expression:
        if node not in sided:
            return remake(node, args)
        moved_args = rebuild(node.args, lambda x: later if x.op == "leaf" and x.value == TIME else None)
        if node.op == "mod":
            return _near(remake(node, args), remake(node, moved_args), node.args[1])
        return remake(node, moved_args)

    return rebuild(expressions, lambda x: None, make) if sided else list(expressions)


def _near(rest: Expression, other: Expression, period: Expression) -> Expression:
    """Return `rest`, or a period more or less if it then is near the rest at a neighbouring time."""
    size = abs(period)
    ahead = other - rest
    return where(0.5 * size < ahead, rest + size, where(ahead < -0.5 * size, rest - size, rest))


def jumping(nodes: Iterable[Expression]) -> list[Expression]:
    """Return conditions, slopes and `mod` that depend on time, and otherwise on numbers and parameters only."""
    nodes = list(nodes)
    able = [x for x in nodes if is_condition(x) or x.op in ("slope", "mod")]
    if not able:
        return []
    timed = _below(nodes, TIME.__eq__)
    moving = _below(nodes, _moves)
    return [x for x in able if timed[id(x)] and not moving[id(x)]]


def _moves(load: object) -> bool:
    """Return whether a leaf is neither time nor a number; shared parts of forces have numbers that are no loads."""
    return isinstance(load, Load) and load.region != "parameters" and load not in (TIME, SIDE)


def _below(nodes: Iterable[Expression], holds: Callable[[object], bool]) -> dict[int, bool]:
    """Return for each node, by its id, whether `holds` is true for a leaf below it; operands precede nodes."""
    flags: dict[int, bool] = {}
    for x in nodes:
        flags[id(x)] = holds(x.value) if x.op == "leaf" else any(flags[id(a)] for a in x.args)
    return flags


def _below_operation(nodes: Iterable[Expression], op: str) -> dict[int, bool]:
    """Return for each node, by its id, whether it or a node below it is this operation; operands precede nodes."""
    flags: dict[int, bool] = {}
    for x in nodes:
        flags[id(x)] = x.op == op or any(flags[id(a)] for a in x.args)
    return flags


def _roots(differences: Sequence[Expression]) -> list[Expression]:
    """Return the zeros of those differences that are linear in time, as functions of parameters.

    All differences are processed in one walk, because they may share parts or contain each other.
    """
    slopes = derivative(differences, lambda x: as_expression(float(x == TIME)))
    timed = _below(topological(slopes), TIME.__eq__)
    starts = rebuild(differences, lambda x: ZERO if x.op == "leaf" and x.value in (TIME, SIDE) else None)
    pairs = zip(starts, slopes, strict=True)
    return [-start / slope for start, slope in pairs if not is_literal(slope, 0.0) and not timed[id(slope)]]


def knots(expressions: Iterable[Expression]) -> list[tuple[Load, int]]:
    """Return the first number and the number of points of each table over time; their data are in the record."""
    tables = [x.value for x in topological(expressions) if x.op in ("table", "area") and _is_time(x.args[0])]
    return list(dict.fromkeys(tables))


def _is_time(expression: Expression) -> bool:
    first, *side = expression.args if expression.op == "add" else (expression,)
    return first.op == "leaf" and first.value == TIME and all(x.op == "leaf" and x.value == SIDE for x in side)
