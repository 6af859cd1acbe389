"""Conditions of closures that are no joints, from the definitions, for the dense oracle (dense.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbs_fmu.model.closures import CurveOnCurve, Distance, KnifeEdge, OnCurve, OnLine, OnPlane, Rolling
from mbs_fmu.model.geometry.axes import normals, unit_axis
from mbs_fmu.symbolic.expressions import Expression
from support.oracles.dense_curves import follows, touch
from support.oracles.jets import ZERO, Array, Jet, apply, atan2, axis_of, cross, dot, form, lifted, point, twists


def rod(pair: Distance, A: Jet, B: Jet, number: Callable[[Expression], Jet]) -> list[Jet]:
    """The squared distance of two points less that of the rod."""
    gap = point(B, ZERO) - point(A, ZERO)
    return [apply("sqrt", dot(gap, gap)) - number(pair.length)]


def led(A: Jet, B: Jet, axes: Array) -> list[Jet]:
    """Condition that the point of B does not move along these axes of A."""
    gap = point(B, ZERO) - point(A, ZERO)
    return [dot(axis_of(A, n), gap) for n in axes]


def across(axis: Any) -> Array:
    """Two unit vectors orthogonal to an axis and to each other."""
    return np.linalg.svd([axis])[2][1:]


def carries(T: Jet, p: Jet, along: Jet) -> Jet:
    """Velocity along a direction of the matter of a frame that is at a moving point."""
    turning = twists(T).map(lambda x: x[..., 3:])
    return form(along, point(T, ZERO)) + form(cross(p - point(T, ZERO), along), turning)


def slips(A: Jet, B: Jet, p: Jet, along: Jet) -> Jet:
    """Velocity along a direction of B's matter relative to A's at a point."""
    return carries(B, p, along) - carries(A, p, along)


def rolls(pair: Rolling, A: Jet, B: Jet, number: Callable[[Expression], Jet]) -> list[Jet]:
    """Conditions that the lowest point of the rim, less its rounding, is in the plane and does not slip."""
    normal = unit_axis(pair.normal)
    k, lowest = axis_of(A, normal), point(B, ZERO)
    if pair.axis is None:
        lowest = lowest - k * lifted(number(pair.radius))
    else:
        e, f = (axis_of(B, n) for n in across(unit_axis(pair.axis)))
        turned = atan2(dot(f, k), dot(e, k))
        outward = e * lifted(apply("cos", turned)) + f * lifted(apply("sin", turned))
        lowest = lowest - outward * lifted(number(pair.radius)) - k * lifted(number(pair.crown))
    height = dot(k, lowest - point(A, ZERO))
    return [height, *(slips(A, B, lowest, axis_of(A, n)) for n in normals(np.array(normal)))]


def cuts(pair: KnifeEdge, A: Jet, B: Jet, number: Callable[[Expression], Jet]) -> list[Jet]:
    return [slips(A, B, point(B, ZERO), axis_of(B, unit_axis(pair.axis)))]


Conditions = Callable[[Any, Jet, Jet, Callable[[Expression], Jet]], list[Jet]]

#: Number of rate conditions of a closure, the last of its conditions.
IN_RATES: dict[type, int] = {Rolling: 2, KnifeEdge: 1}

#: Conditions of closures that are no joints on the frames A and B: their number, and the function that returns them.
PAIRS: dict[type, tuple[int, Conditions]] = {
    Distance: (1, rod),
    OnLine: (2, lambda pair, A, B, number: led(A, B, across(unit_axis(pair.axis)))),
    OnPlane: (1, lambda pair, A, B, number: led(A, B, np.array([unit_axis(pair.normal)]))),
    Rolling: (3, rolls),
    KnifeEdge: (1, cuts),
    OnCurve: (1, follows),
    CurveOnCurve: (1, touch),
}
