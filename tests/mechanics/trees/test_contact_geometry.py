"""Depth, normal and contact point of every pair of shapes follow from signed distances of the shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.forces.contact_gaps import GAPS
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.contacts import AREAS, CURVES, SHAPES, SOLIDS, placed_bodies
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import outputs
from support.oracles.signed_distances import normal, signed_distance

ROUNDING = 1e-7  #: m, of normals by central differences, times lengths of a metre
SMOOTH = (mbs.Sphere, mbs.Capsule, mbs.Ellipsoid, mbs.Ring)  #: shapes on b with a normal everywhere


@dataclass
class Touching:
    """One contact point of a pair: its shape on b, depth (m), and its position in the frames of both shapes (m).

    turned: rotation from the frame on a to that on b.
    """

    shape_b: Any
    depth: float
    in_a: np.ndarray
    in_b: np.ndarray
    turned: np.ndarray

    @property
    def reference(self) -> np.ndarray:
        """Point (m, frame of a) that determines the normal: the centre of a ball, the nearest place on the axis of a
        capsule, otherwise the contact point.

        A box has no unique normal inside; that of a deep ball belongs to the face nearest to its centre (G8).
        """
        if isinstance(self.shape_b, mbs.Sphere):
            centre = np.asarray(self.shape_b.at)
        elif isinstance(self.shape_b, mbs.Capsule):
            position, rotation = self.shape_b.place()
            middle, axis = np.array([x.value for x in position]), np.asarray(rotation)[:, 2]
            half = 0.5 * self.shape_b.length  # type: ignore[operator]
            centre = middle + axis * np.clip(axis @ (self.in_b - middle), -half, half)
        elif isinstance(self.shape_b, tuple):
            centre = np.asarray(self.shape_b)
        else:
            return self.in_a
        return self.in_a + self.turned.T @ (centre - self.in_b)


def touching(shapes: str, seed: int) -> list[Touching]:
    """Return the contact points of two bodies at which the shapes overlap."""
    m, at_a, at_b = placed_bodies(f"{shapes}, smooth", seed)
    shape_b = SHAPES[shapes][1]
    listed = shape_b if isinstance(shape_b, list) else [(0.0, 0.0, 0.0) if shape_b is None else shape_b]
    if isinstance(shape_b, mbs.Points):
        listed = [tuple(np.asarray(shape_b.at) + point) for point in shape_b.points]
    count = len(m.forces["x"].points)
    for k in range(1, count + 1):
        point = mbs.contact_point("x", k)
        m.output(f"depth{k}", mbs.penetration("x", k))
        m.output(
            f"in_a{k}", [(point - mbs.position("a", at_a.position)).dot(axis) for axis in axes("a", at_a.rotation)]
        )
        m.output(f"in_b{k}", [(point - mbs.position("b", at_b)).dot(axis) for axis in axes("b", np.eye(3))])
    m.output("turned", [x.dot(y) for x in axes("b", np.eye(3)) for y in axes("a", at_a.rotation)])
    now = outputs(Plain(m))
    turned = np.array(now["turned"]).reshape(3, 3)
    every = listed if len(listed) == count else listed * count
    points = [
        Touching(every[k - 1], float(now[f"depth{k}"]), now[f"in_a{k}"], now[f"in_b{k}"], turned)
        for k in range(1, count + 1)
    ]
    return [point for point in points if point.depth > 0.0]


def axes(body: str, rotation: Any) -> list[mbs.Vector]:
    """Return the axes of a frame on a body, in world axes; rotation: 3x3, frame to body coordinates."""
    return [mbs.position(body, axis) - mbs.position(body) for axis in np.asarray(rotation).T]


@pytest.mark.parametrize("shapes", tiers(list(SHAPES), usual=len(SHAPES), quick=len(SHAPES) // 3))
@pytest.mark.parametrize("seed", tiers(range(2), usual=1, quick=1))
def test_depth_and_contact_point_follow_from_signed_distances(shapes: str, seed: int) -> None:
    """The contact point lies half the depth inside a, and the same below the surface of b along a's normal (C2).

    Of a capsule this holds for the nearest point of its axis; end balls touch inside the other surface or on it.
    """
    points = touching(shapes, seed)
    assert points, f"{shapes}: no shapes overlap"
    deepest = max(points, key=lambda point: point.depth)
    shape_a = SHAPES[shapes][0]
    if not isinstance(shape_a, mbs.Plane) and isinstance(deepest.shape_b, mbs.Capsule):
        points = [deepest]
    for k, point in enumerate(points, start=1):
        ahead = normal(shape_a, point.reference)
        inside = signed_distance(shape_a, point.reference) - ahead @ (point.reference - point.in_a)
        assert_close(inside, -0.5 * point.depth, ROUNDING, f"{shapes}, point {k}: distance of the contact point from a")
        n = point.turned @ ahead
        foot = point.in_b - 0.5 * point.depth * n
        below = signed_distance(point.shape_b, foot)
        assert below < ROUNDING, f"{shapes}, point {k}: the point of b lies {below:g} m outside b"
        if point is deepest:
            assert_close(below, 0.0, ROUNDING, f"{shapes}, point {k}: distance of the deepest point from b")
            if isinstance(point.shape_b, SMOOTH):
                assert_close(normal(point.shape_b, foot), -n, 1e-4, f"{shapes}, point {k}: normal of b")


@pytest.mark.quick
def test_every_pair_of_surfaces_is_drawn() -> None:
    """The pairs of SHAPES, SOLIDS, AREAS and CURVES cover all functions that return gaps."""
    drawn = {
        (type(point.a), type(point.b))
        for shapes in (*SHAPES, *SOLIDS, *AREAS, *CURVES)
        for point in placed_bodies(f"{shapes}, smooth", 0)[0].forces["x"].points
    }
    missing = [(a.__name__, b.__name__) for a, b in GAPS.keys() - drawn]
    assert not missing, (
        f"no law is tested with {missing}: add a pair of shapes to SHAPES of support/generators/contacts.py"
    )
