"""Gaps of contacts (docs/contact.md) against independent distances, and shapes whose vertices touch."""

from __future__ import annotations

import itertools
import logging
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.bodies.mesh_files import hull_vertices
from mbs_fmu.model.forces.contacts import Contact
from mbs_fmu.view.poses import Rows, poses
from mbs_fmu.view.touches import Touches, touches
from support.generators.mechanisms import random_rotation

pytestmark = pytest.mark.quick
G = 9.81


def pair(rng: np.random.Generator, shape_a: Any, shape_b: Any) -> tuple[Touches, tuple[np.ndarray, ...]]:
    """Return the gaps of two shapes on free bodies at a random pose, and origins and rotations of both bodies."""
    m = mbs.Model("pair")
    places, columns = [], {"time": np.zeros(1)}
    for name in "ab":
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
        q = np.concatenate([0.3 * rng.normal(size=3), rng.normal(size=4)])
        q[3:] /= np.linalg.norm(q[3:])
        columns |= {f"{name}.q[{k + 1}]": np.array([x]) for k, x in enumerate(q)}
    m.contact("x", "a", "b", shape_a=shape_a, shape_b=shape_b, stiffness=1.0)
    rows = Rows(columns, {})
    frames = poses(m, rows)
    for name in "ab":
        places += [frames[name].x[0], frames[name].R[0]]
    return touches(m, rows, frames), tuple(places)


def segment_distance(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> float:
    """Return the distance of segments pq and rs: of their lines if the nearest points are inside, or of an end."""

    def to_segment(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
        t = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        return float(np.linalg.norm(x - a - t * (b - a)))

    ends = [to_segment(x, r, s) for x in (p, q)] + [to_segment(x, p, q) for x in (r, s)]
    A = np.column_stack([q - p, r - s])
    inside, *_ = np.linalg.lstsq(A, r - p, rcond=None)
    if ((inside >= 0) & (inside <= 1)).all():
        ends.append(float(np.linalg.norm(A @ inside - (r - p))))
    return min(ends)


@pytest.mark.parametrize("seed", range(40))
def test_capsules_are_as_far_apart_as_their_segments(seed: int) -> None:
    """Every fourth pair is parallel: one in the other's axes, displaced."""
    rng = np.random.default_rng(seed)
    a, b = mbs.Capsule(0.05, 0.6), mbs.Capsule(0.03, 0.4)
    at, (xa, Ra, xb, Rb) = pair(rng, a, b)
    ends = [xa + 0.3 * s * Ra[:, 2] for s in (-1, 1)] + [xb + 0.2 * s * Rb[:, 2] for s in (-1, 1)]
    assert at.depth[0].max() == pytest.approx(0.08 - segment_distance(*ends), abs=1e-13)
    assert at.depth[0, 0] == pytest.approx(at.depth[0].max(), abs=1e-13)


def test_parallel_capsules_touch_at_their_ends() -> None:
    """A capsule lies on a longer one: its two ends carry it, first the one to which its axis is directed."""
    m = mbs.Model("logs")
    m.body("log", joint=mbs.Free(), mass=1.0, inertia=(1e-3, 1e-2, 1e-2))
    m.contact("x", "world", "log", shape_a=mbs.Capsule(0.1, 2.0, "x"), shape_b=mbs.Capsule(0.05, 0.4, "x"), stiffness=1)
    q = [0.2, 0.0, 0.149, 1.0, 0.0, 0.0, 0.0]
    rows = Rows({"time": np.zeros(1)} | {f"log.q[{k + 1}]": np.array([x]) for k, x in enumerate(q)}, {})
    frames = poses(m, rows)
    at = touches(m, rows, frames)
    own = [frames[pair.b.body].x[0] + at.arm[0, k] for k, pair in enumerate(_contact(m).points)]
    assert np.allclose(at.depth, 1e-3) and np.allclose(at.normal[0], [0, 0, 1])
    assert np.allclose(own, [[0.4, 0, 0.099], [0.0, 0, 0.099]])


def _contact(m: mbs.Model) -> Contact:
    (force,) = m.forces.values()
    assert isinstance(force, Contact)
    return force


@pytest.mark.parametrize("seed", range(5))
def test_ellipsoid_reaches_as_deep_as_its_deepest_point(seed: int) -> None:
    """Of many points on it; the deepest one of them misses at most 1e-3 of its size, and the arm leads to it."""
    rng = np.random.default_rng(seed)
    half = np.array([0.1, 0.2, 0.35])
    at, (xa, Ra, xb, Rb) = pair(rng, mbs.Plane(), mbs.Ellipsoid(*half))
    balls = rng.normal(size=(200_000, 3))
    surface = xb + (half * balls / np.linalg.norm(balls, axis=1)[:, None]) @ Rb.T
    deepest = -((surface - xa) @ Ra[:, 2]).min()
    assert deepest <= at.depth[0, 0] <= deepest + 1e-3
    point = at.arm[0, 0] @ Rb / half  # on the unit ball
    assert np.linalg.norm(point) == pytest.approx(1.0, abs=1e-14)
    assert (xb + at.arm[0, 0] - xa) @ Ra[:, 2] == pytest.approx(-at.depth[0, 0], abs=1e-14)


PAIRS = {
    "capsule on ball": (mbs.Sphere(0.2), mbs.Capsule(0.1, 0.5)),
    "capsules": (mbs.Capsule(0.2, 0.4), mbs.Capsule(0.1, 0.6, "x")),
    "ellipsoid": (mbs.Plane("x"), mbs.Ellipsoid(0.1, 0.2, 0.3)),
    "ball in box": (mbs.Box(1.0, 1.2, 1.4), mbs.Sphere(0.1)),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_normal_is_the_gradient_of_the_gap(kind: str) -> None:
    """A displacement of b along x, y or z changes each depth by minus the normal's component: forces have potentials.

    Central differences of 1e-6 m err by curvatures times 1e-12 m², and round off by 1e-10.
    """
    rng = np.random.default_rng(7)
    m = mbs.Model("gradient")
    for name in "ab":
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.contact("x", "a", "b", shape_a=PAIRS[kind][0], shape_b=PAIRS[kind][1], stiffness=1.0)
    q = {name: np.concatenate([0.2 * rng.normal(size=3), rng.normal(size=4)]) for name in "ab"}
    shifts = np.vstack([np.zeros(3), 1e-6 * np.eye(3), -1e-6 * np.eye(3)])
    columns = {"time": np.zeros(7)}
    for name in "ab":
        for k, x in enumerate(q[name] / np.linalg.norm(q[name][3:]) ** (np.arange(7) > 2)):
            columns[f"{name}.q[{k + 1}]"] = x + (shifts[:, k] if name == "b" and k < 3 else np.zeros(7))
    rows = Rows(columns, {})
    at = touches(m, rows, poses(m, rows))
    slopes = (at.depth[1:4] - at.depth[4:]) / 2e-6
    assert np.allclose(slopes.T, -at.normal[0], atol=1e-8)


# -- vertices ------------------------------------------------------------------------------------------------
def stl(path: Path, points: np.ndarray, faces: np.ndarray) -> Path:
    lines = ["solid x"]
    for face in faces:
        corners = "".join(f"vertex {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points[face])
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    path.write_text("\n".join([*lines, "endsolid x"]))
    return path


CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
FACES = np.array([(0, 1, 2), (3, 1, 2), (4, 5, 6), (7, 5, 6), (0, 1, 4), (5, 1, 4), (2, 3, 6), (7, 3, 6)])


def test_mesh_stands_on_its_vertices_as_a_box_does(tmp_path: Path) -> None:
    """A cube in mm, scaled, with a point inside: eight vertices of its hull, in the places of those of `mbs.Box`."""
    points = np.vstack([50.0 * CUBE, [[1.0, 2.0, 3.0]]])
    file = stl(tmp_path / "cube.stl", points, np.vstack([FACES, [(0, 1, 8)]]))
    m = mbs.Model("cube")
    m.body("cube", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    for k, shape in enumerate((mbs.Mesh(file, scale=1e-3), mbs.Box(0.1, 0.1, 0.1), mbs.Points(0.05 * CUBE))):
        at = mbs.Pose((0, 0, 0.1), random_rotation(np.random.default_rng(1)))
        m.contact(f"c{k}", "world", "cube", shape_b=shape, at_b=at, stiffness=1e4)
    mesh, box, dots = (
        sorted(tuple(x.value for x in point.b.origin) for point in force.points)
        for force in m.forces.values()
        if isinstance(force, Contact)
    )
    assert len(mesh) == 8
    assert np.allclose(mesh, box, atol=1e-9) and np.allclose(dots, box, atol=1e-15)


def test_many_vertices_are_thinned_with_a_note(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """64 of the vertices of a ball remain, with the farthest ones, and the note has what the hull loses."""
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(600, 3))
    ball = 0.2 * ball / np.linalg.norm(ball, axis=1)[:, None] + [0.0, 0.0, 0.1]
    file = stl(tmp_path / "ball.stl", ball, np.arange(600).reshape(-1, 3))
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    with caplog.at_level(logging.INFO, "mbs_fmu"):
        m.contact("floor", "world", "ball", shape_b=mbs.Mesh(file), stiffness=1e4)
    assert len(_contact(m).points) == 64
    assert re.search(r"mesh ball.stl: contacts use 64 of 5\d\d vertices of its convex hull", caplog.text)
    assert "mesh ball.stl" in caplog.text and " m outside of the others" in caplog.text


def test_hull_vertices() -> None:
    """Points inside of the hull are never chosen, and what is lost is the distance of a vertex that is left out."""
    rng = np.random.default_rng(3)
    inside = 0.9 * rng.uniform(-1, 1, size=(500, 3))
    vertices, count, lost = hull_vertices(np.vstack([inside, CUBE]), 64)
    assert count == 8 and lost == 0.0 and sorted(map(tuple, vertices)) == sorted(map(tuple, CUBE))
    tip = np.vstack([CUBE, [[0.0, 0.0, 1.5]]])
    vertices, count, lost = hull_vertices(tip, 8)
    assert count == 9 and len(vertices) == 8 and 0.1 < lost <= math.sqrt(3)


# -- at rest -------------------------------------------------------------------------------------------------
@pytest.mark.usual
def test_ellipsoid_and_capsules_rest() -> None:
    """An egg lies on its flattest point, and a capsule on two others; each load is a weight."""
    m = mbs.Model("rest")
    m.body("egg", joint=mbs.Free(), mass=2.0, inertia=(0.01,) * 3)
    m.contact("floor", "world", "egg", shape_b=mbs.Ellipsoid(0.2, 0.15, 0.1), stiffness=1e4, friction=0.5, pad=0.01)
    m.start("egg", q=(0, 0, 0.1 - 2 * G / 1e4, 1, 0, 0, 0))
    m.body("log", joint=mbs.Free(), mass=1.0, inertia=(1e-3, 1e-2, 1e-2))
    m.start("log", q=(2.0, 0, 0.15, 1, 0, 0, 0))
    for k, x in enumerate((1.8, 2.2)):
        m.contact(
            f"c{k}", "world", "log", shape_a=mbs.Capsule(0.1, 1.0, "y", at=(x, 0, 0)),
            shape_b=mbs.Capsule(0.05, 0.8, "x"), stiffness=1e4, friction=0.5,
        )  # fmt: skip
        m.output(f"load{k}", mbs.strength(f"c{k}"))
    m.output("load", mbs.strength("floor"))
    m.output("height", mbs.position("egg")[2])
    result = mbs.simulate(m, 3.0, method="rk4", step=1e-3)
    assert result["load"][-1] == pytest.approx(2 * G, rel=1e-6)
    assert result["height"][-1] == pytest.approx(0.1 - 2 * G / 1e4, abs=1e-9)
    late = [result[f"load{k}"][-100:].mean() for k in range(2)]
    assert late == pytest.approx([0.5 * G, 0.5 * G], rel=1e-2)
