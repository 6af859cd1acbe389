"""Conditions of plane curves on the frames of two bodies, for the dense oracle, evaluated at their nearest points."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mbs_fmu.model.closures import CurveOnCurve, OnCurve
from mbs_fmu.model.closures.plane_curves import Curve, Polar
from mbs_fmu.symbolic.expressions import Expression
from support.oracles.jets import ZERO, Array, Jet, apply, atan2, axis_of, dot, point, quotient
from support.oracles.plane_curves import along, normal, periodic, place, solved


def follows(pair: OnCurve, A: Jet, B: Jet, number: Callable[[Expression], Jet]) -> list[Jet]:
    """Conditions that the point of B, or the roller about it, is on the curve."""
    x, y = in_plane(pair.curve, A, point(B, ZERO) - point(A, ZERO))
    if isinstance(pair.curve, Polar) and not pair.contacts:
        angle = atan2(y, x)
        radius = [periodic(np.array(pair.curve.angles), np.array(pair.curve.radii))(angle.value, n) for n in range(3)]
        return [apply("sqrt", x * x + y * y) - angle.chain(*radius)]
    goal = x.value + 1j * y.value
    start = [seen_from(pair.curve, goal)]
    z = solved(lambda z: [along(place(pair.curve, z[0], 1), goal - place(pair.curve, z[0]))], start)
    near = refined(lambda z: [toward(pair.curve, z[0], x, y)[0]], z)[0]
    return [toward(pair.curve, near, x, y)[1] - number(pair.radius)]


def touch(pair: CurveOnCurve, A: Jet, B: Jet, number: Callable[[Expression], Jet]) -> list[Jet]:
    """Conditions that two curves touch at the point of the first one that is nearest to the second."""
    one, two = pair.one, pair.two
    axes = [in_plane(one, A, axis_of(B, direction)) for direction in two.directions]
    centre = in_plane(one, A, point(B, ZERO) - point(A, ZERO))

    def seen(x: Jet, y: Jet) -> tuple[Jet, Jet]:
        p, q = (axes[0][k] * x + axes[1][k] * y for k in range(2))
        return p, q

    def apart(z: list[Jet]) -> tuple[list[Jet], Jet]:
        p, q = seen(*on_plane(two, z[1], 0))
        tangency, gap = toward(one, z[0], centre[0] + p, centre[1] + q)
        n, m = outward(one, z[0])
        s, t = seen(*on_plane(two, z[1], 1))
        return [tangency, n * s + m * t], gap

    goal = complex(centre[0].value, centre[1].value)
    back = -complex(*(sum(g * a[k].value for k, g in enumerate((goal.real, goal.imag))) for a in axes))
    start = [seen_from(one, goal, True), seen_from(two, back, True)]
    z = solved(lambda z: [h.value for h in apart([Jet(x) for x in z])[0]], start)
    return [apart(refined(lambda z: apart(z)[0], z))[1]]


def in_plane(curve: Curve, A: Jet, vector: Jet) -> tuple[Jet, Jet]:
    """Components of a vector in the axes of a curve's plane."""
    x, y = (dot(axis_of(A, direction), vector) for direction in curve.directions)
    return x, y


def on_plane(curve: Curve, z: Jet, order: int) -> tuple[Jet, Jet]:
    """The point at z, or its derivative, in the axes of the plane."""
    f = [place(curve, z.value, order + k) for k in range(3)]
    return z.chain(*(x.real for x in f)), z.chain(*(x.imag for x in f))


def outward(curve: Curve, z: Jet) -> tuple[Jet, Jet]:
    s, t = on_plane(curve, z, 1)
    length = apply("sqrt", s * s + t * t)
    return quotient(t, length), quotient(s, length).map(lambda x: -x)


def toward(curve: Curve, z: Jet, x: Jet, y: Jet) -> tuple[Jet, Jet]:
    """Components of the vector from the point at z to (x, y) along the tangent and the normal."""
    (p, q), (s, t), (n, m) = on_plane(curve, z, 0), on_plane(curve, z, 1), outward(curve, z)
    return s * (x - p) + t * (y - q), n * (x - p) + m * (y - q)


def seen_from(curve: Curve, goal: complex, facing: bool = False) -> float:
    """A parameter near which the curve is seen in this direction, or faces it."""
    z = np.linspace(0.0, 2.0 * math.pi, 400)
    rays = [(normal if facing else place)(curve, x) for x in z]
    return float(z[np.argmin([abs(np.angle(ray / goal)) for ray in rays])])


def refined(h: Callable[[list[Jet]], list[Jet]], z: Array) -> list[Jet]:
    """Roots of h with their derivatives, from their values; each simplified Newton step adds one order."""
    step = 1e-6

    def values(z: Array) -> Array:
        return np.array([x.value for x in h([Jet(x) for x in z])])

    slopes = [(values(z + step * e) - values(z - step * e)) / (2 * step) for e in np.eye(len(z))]
    inverse, roots = np.linalg.inv(np.transpose(slopes)), [Jet(float(x)) for x in z]
    for _ in range(8):
        left = h(roots)
        moved = [sum((x.map(lambda a, w=w: w * a) for w, x in zip(row, left)), start=Jet(0.0)) for row in inverse]
        roots = [a - b for a, b in zip(roots, moved, strict=True)]
    return roots
