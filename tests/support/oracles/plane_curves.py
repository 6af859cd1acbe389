"""Plane curves by numpy and scipy: an oracle, and random curves through prescribed points.

A curve's place at its parameter z is a complex number, x + iy in the axes of its plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import root

import mbs_fmu as mbs
from mbs_fmu.symbolic.graph import evaluate

Array = np.ndarray
TURN = 2.0 * math.pi


def periodic(knots: Array, values: Array) -> Callable[[float, int], Any]:
    """scipy's periodic spline and its derivatives, for any parameter."""
    spline = CubicSpline(np.r_[knots, knots[0] + TURN], np.r_[values, values[:1]], bc_type="periodic")
    return lambda z, n: spline(knots[0] + (z - knots[0]) % TURN, n)


def place(curve: mbs.Curve, z: float, order: int = 0) -> complex:
    """The point at z, or its derivative of this order."""
    if isinstance(curve, mbs.Circle):
        return float(evaluate(curve.radius, {})) * 1j**order * np.exp(1j * z)
    if isinstance(curve, mbs.Ellipse):
        a, b = (float(evaluate(x, {})) for x in (curve.a, curve.b))
        return a * math.cos(z + order * math.pi / 2) + 1j * b * math.sin(z + order * math.pi / 2)
    if isinstance(curve, mbs.Polar):
        radius = periodic(np.array(curve.angles), np.array(curve.radii))
        terms = (math.comb(order, k) * radius(z, k) * 1j ** (order - k) for k in range(order + 1))
        return complex(sum(terms) * np.exp(1j * z))
    points = np.array(curve.points) @ [1.0, 1j]
    chords = np.abs(np.roll(points, -1) - points)
    return complex(periodic(np.cumsum(np.r_[0.0, chords[:-1]]) * (TURN / chords.sum()), points)(z, order))


def normal(curve: mbs.Curve, z: float) -> complex:
    """Outward unit normal."""
    tangent = place(curve, z, 1)
    return -1j * tangent / abs(tangent)


def solved(f: Callable[[Array], list[float]], start: Sequence[float]) -> Array:
    """Root near the start, to the last digits."""
    return root(f, start, tol=1e-15).x


def along(a: complex, b: complex) -> float:
    """Scalar product of two vectors."""
    return (a.conjugate() * b).real


def touching(one: mbs.Curve, two: mbs.Curve, start: Array, pose: Callable[[complex], complex], turn: complex) -> Array:
    """Parameters where two curves are nearest to each other, by iteration from a start.

    pose: maps points of the second curve to the axes of the first; turn: does the same with directions.
    """

    def apart(z: Array) -> list[float]:
        gap = pose(place(two, z[1])) - place(one, z[0])
        return [along(place(one, z[0], 1), gap), along(normal(one, z[0]), turn * place(two, z[1], 1))]

    return solved(apart, start)


# -- random curves through prescribed points ----------------------------------------------------------------
def shape(rng: np.random.Generator, kind: str, size: float = 1.0) -> mbs.Curve:
    """A random curve of about this size; the axis is random too, but the shape by itself scales with the size."""
    angles = np.sort((np.arange(9) + 0.3 * rng.random(9)) * (TURN / 9))
    radii, axis, ratio = 1.0 + 0.1 * rng.random(9), rng.normal(size=3), 0.6 + 0.3 * rng.random()
    kinds: dict[str, Callable[[], mbs.Curve]] = {
        "circle": lambda: mbs.Circle(size, axis),
        "ellipse": lambda: mbs.Ellipse(size, ratio * size, axis),
        "polar": lambda: mbs.Polar(angles, size * radii, axis),
        "spline": lambda: mbs.Spline(size * np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]), axis),
    }
    return kinds[kind]()


def seen(curve: mbs.Curve, vector: Array) -> complex:
    """A vector in the axes of a curve's plane."""
    x, y = (float(vector @ direction) for direction in curve.directions)
    return x + 1j * y


def through(seed: int, kind: str, gap: Array, roller: float = 0.0) -> mbs.OnCurve:
    """A closure whose point, `gap` from the curve's origin, is on the curve; roller: its radius over the curve's."""

    def made(size: float) -> mbs.Curve:
        return shape(np.random.default_rng(seed), kind, size)

    curve, goal = made(1.0), seen(made(1.0), gap)

    def reached(z: float) -> complex:
        return place(curve, z) + roller * normal(curve, z)

    z = solved(lambda z: [np.angle(reached(z[0]) / goal)], [np.angle(goal)])[0]
    size = abs(goal) / abs(reached(z))
    return mbs.OnCurve(made(size), roller * size)


def touched(seed: int, kinds: tuple[str, str], gap: Array) -> mbs.CurveOnCurve:
    """Two curves in parallel planes that touch while their origins are `gap` apart."""

    def made(size: float) -> tuple[mbs.Curve, mbs.Curve]:
        rng = np.random.default_rng(seed)
        one, two = (shape(rng, kind, size) for kind in kinds)
        return one, type(two)(**{**vars(two), "axis": one.axis})

    one, two = made(1.0)
    goal = seen(one, gap)

    def apart(x: Array) -> list[float]:
        step = goal / x[2] + place(two, x[1]) - place(one, x[0])
        return [step.real, step.imag, along(normal(one, x[0]), place(two, x[1], 1))]

    size = solved(apart, [np.angle(goal), np.angle(-goal), 0.5 * abs(goal)])[2]
    return mbs.CurveOnCurve(*made(size))
