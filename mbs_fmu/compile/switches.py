"""When conditions on time switch: what steps with error control must know before they come there."""

from __future__ import annotations

from collections.abc import Iterable

from ..record.layout import TIME, Load
from ..symbolic.emit import shared
from ..symbolic.expressions import ZERO, Expression, as_expression, is_condition, is_literal
from ..symbolic.graph import derivative, leaves, rebuild, topological


def switch_times(expressions: Iterable[Expression]) -> list[Expression]:
    """Times at which conditions in these expressions switch, as expressions of parameters, once each.

    Conditions that compare time, linear in it, with numbers and parameters; others (periodic ones, those of the state)
    are found by error control alone. An infinite or undefined time is none.
    """
    found = []
    for node in topological(expressions):
        if is_condition(node):
            time = _root(node.args[0] - node.args[1])
            found += [] if time is None else [time]
    return list({id(x): x for x in shared(found)}.values())


def _root(difference: Expression) -> Expression | None:
    """Where a difference is zero, if it is linear in time and otherwise of parameters."""
    references = leaves([difference])
    if TIME not in references or not all(x == TIME or x.region == "parameters" for x in references):
        return None
    slope = derivative([difference], lambda x: as_expression(float(x == TIME)))[0]
    if is_literal(slope, 0.0) or TIME in leaves([slope]):
        return None
    start = rebuild([difference], lambda x: ZERO if x.op == "leaf" and x.value == TIME else None)[0]
    return -start / slope


def knots(expressions: Iterable[Expression]) -> list[tuple[Load, int]]:
    """First number and number of points of each table over time, its numbers being in the record."""
    tables = [x.value for x in topological(expressions) if x.op in ("table", "area") and _is_time(x.args[0])]
    return list(dict.fromkeys(tables))


def _is_time(expression: Expression) -> bool:
    return expression.op == "leaf" and expression.value == TIME
