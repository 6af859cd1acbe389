"""Periodic times at which laws over time bend or jump, at which steps with error control end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...record.layout import SIDE, TIME
from ...symbolic.emit import shared
from ...symbolic.expressions import ZERO, Expression, abs, as_expression, is_condition, is_literal, leaf
from ...symbolic.graph import derivative, leaves, rebuild, topological
from .switches import jumping

#: The rest of a division by a period, as the variable of formulas.
REST = leaf("rest")
Beat = tuple[Expression, Expression, Expression]  #: period, one of the times, 1 if the law jumps, as in the record


def beats(expressions: Iterable[Expression]) -> list[Beat]:
    """Return the periodic times at which these expressions of the model bend or jump, as functions of parameters.

    These are the jumps of each `mod` over a time that is multiplied and shifted by numbers and parameters, the times at
    which conditions on it switch, and the points of tables over it. A formula of several different `mod` is left to
    error control.
    """
    given = list(expressions)
    if not any(x.op == "mod" for x in topological(given)):
        return []
    on_time = rebuild(given, lambda x: ZERO if x.op == "leaf" and x.value == SIDE else None)
    nodes = topological(shared(on_time))
    wraps = {x for x in jumping(nodes) if x.op == "mod"}
    found = [beat for x in wraps for beat in _times(x, [ZERO], True)]
    for x in nodes if wraps else ():
        if is_condition(x):
            found += _zeros(x.args[0], [x.args[1]], wraps, True)
        elif x.op in ("table", "slope"):
            found += _zeros(x.args[0], list(map(as_expression, x.value[0])), wraps, x.op == "slope")
    numbers = shared([number for beat in found for number in beat])
    return list(dict.fromkeys(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)))


def _zeros(x: Expression, levels: Sequence[Expression], wraps: set[Expression], jumps: bool) -> list[Beat]:
    """Return the periodic times at which x reaches each level, if the difference is linear in one `mod` of `wraps`."""
    inside = [node for node in topological([x, *levels]) if node in wraps]
    if len(inside) != 1:
        return []
    wrap = inside[0]
    gaps = rebuild([x - level for level in levels], lambda node: REST if node is wrap else None)
    slopes = derivative(gaps, lambda reference: as_expression(float(reference == REST.value)))
    starts = rebuild(gaps, lambda node: ZERO if node is REST else None)
    others = set(leaves(gaps)) - {REST.value}
    if any(load.region != "parameters" or load == TIME for load in others) or REST.value in leaves(slopes):
        return []
    rests = [-start / slope for start, slope in zip(starts, slopes, strict=True) if not is_literal(slope, 0.0)]
    return _times(wrap, rests, jumps)


def _times(wrap: Expression, rests: Sequence[Expression], jumps: bool) -> list[Beat]:
    """Return the periodic times at which a `mod` has these values, if its argument is linear in time."""
    x, period = wrap.args
    (rate,) = derivative([x], lambda reference: as_expression(float(reference == TIME)))
    (start,) = rebuild([x], lambda node: ZERO if node.op == "leaf" and node.value == TIME else None)
    bends = any(node.op in ("mod", "where", "table") for node in topological([x]))
    if bends or TIME in leaves([rate, period]) or is_literal(rate, 0.0):
        return []
    return [(abs(period / rate), (rest - start) / rate, as_expression(float(jumps))) for rest in rests]
