"""Gaps of solids, (G15) to (G18) of docs/contact.md, against distances that are found by minimization and by MuJoCo."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import mbs_fmu as mbs
from mbs_fmu.model.forces.contact_shapes import misses_crossed_edges
from mbs_fmu.symbolic.rotations import quaternion
from mbs_fmu.view.poses import Rows, poses
from mbs_fmu.view.touches import touches
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.generators.contacts import ROCK
from support.oracles.signed_distances import normal, signed_distance

quick = pytest.mark.quick
STEP = 1e-6  #: m and rad, of central differences
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


@dataclass
class Placed:
    """Poses of body b in the frame of body a: x, (rows, 3), m; R, (rows, 3, 3), from axes of b to those of a."""

    x: np.ndarray
    R: np.ndarray

    def __getitem__(self, rows: Any) -> Placed:
        return Placed(self.x[rows], self.R[rows])

    def gaps(self, shape_a: Any, shape_b: Any) -> Gaps:
        """Return the gaps of two shapes, placed at the origins of both bodies."""
        m = mbs.Model("pair")
        m.body("b", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
        m.contact("x", "world", "b", shape_a=shape_a, shape_b=shape_b, stiffness=1.0)
        q = np.hstack([self.x, [quaternion(R) for R in self.R]])
        rows = Rows({"time": np.zeros(len(q))} | {f"b.q[{k + 1}]": q[:, k] for k in range(7)}, {})
        frames = poses(m, rows)
        found = touches(m, rows, frames)
        points = next(force for force, _ in found.points).points
        origins = np.stack([np.array([x.value for x in point.b.origin]) for point in points])
        centers = self.x[:, None] + np.einsum("rij,pj->rpi", self.R, origins)
        return Gaps(found.depth, found.normal, centers + found.arm)


@dataclass
class Gaps:
    """depth: (rows, points), m. normal: (rows, points, 3). place: of the point of b, (rows, points, 3), m."""

    depth: np.ndarray
    normal: np.ndarray
    place: np.ndarray


def random_places(seed: int, count: int, reach: float = 0.35) -> Placed:
    rng = np.random.default_rng(seed)
    return Placed(rng.uniform(-reach, reach, (count, 3)), Rotation.random(count, rng).as_matrix())


def least(function: Any, half: float) -> float:
    """Return the least value of a convex function of t from -half to half, by golden sections."""
    low, high = -half, half
    x, y = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_x, at_y = function(x), function(y)
    for _ in range(42):
        if at_x < at_y:
            high, y, at_y = y, x, at_x
            x = high - GOLDEN * (high - low)
            at_x = function(x)
        else:
            low, x, at_x = x, y, at_y
            y = low + GOLDEN * (high - low)
            at_y = function(y)
    return min(at_x, at_y, function(-half), function(half))


CAPSULE = mbs.Capsule(0.03, 0.2)
BALL = mbs.Sphere(0.03)
SOLIDS: dict[str, Any] = {"mesh": mbs.Mesh(ROCK), "box": mbs.Box(0.2, 0.3, 0.1), "cylinder": mbs.Cylinder(0.1, 0.12)}


def axis_distance(shape: Any, placed: Placed, row: int) -> float:
    """Distance of the axis of CAPSULE from a shape."""
    axis = placed.R[row, :, 2]
    return least(lambda t: signed_distance(shape, placed.x[row] + t * axis), 0.1)


# -- depths --------------------------------------------------------------------------------------------------
@quick
@pytest.mark.parametrize("solid", SOLIDS)
def test_capsules_are_as_deep_as_the_nearest_place_of_their_axis(solid: str) -> None:
    """While the axis is outside, to the rounding of lengths below a metre; else the depth exceeds the radius."""
    placed = random_places(1, 250, 0.25)
    depth = placed.gaps(SOLIDS[solid], CAPSULE).depth.max(axis=1)
    outside = 0
    for row in np.flatnonzero(depth > -0.1):
        expected = axis_distance(SOLIDS[solid], placed, row)
        if expected > 0.0:
            assert_close(depth[row], 0.03 - expected, 1e-14, f"depth in row {row}")
            outside += 1
        else:
            assert depth[row] >= 0.03 - 1e-14, f"row {row}"
    assert outside > 60


@quick
@pytest.mark.parametrize("solid", SOLIDS)
def test_far_ends_are_as_deep_as_balls(solid: str) -> None:
    """The second point of a capsule is the end that is not near the first one."""
    placed = random_places(6, 40, 0.25)
    found = placed.gaps(SOLIDS[solid], CAPSULE)
    for row, (x, R) in enumerate(zip(placed.x, placed.R, strict=True)):
        center = found.place[row, 0] + 0.03 * found.normal[row, 0]
        far = x - np.sign((center - x) @ R[:, 2]) * 0.1 * R[:, 2]
        expected = 0.03 - signed_distance(SOLIDS[solid], far)
        assert_close(found.depth[row, 1], expected, 1e-14, f"depth of the far end in row {row}")


@quick
@pytest.mark.parametrize("solid", SOLIDS)
def test_balls_are_as_deep_as_their_centre(solid: str) -> None:
    placed = random_places(2, 200)
    depth = placed.gaps(SOLIDS[solid], BALL).depth[:, 0]
    expected = [0.03 - signed_distance(SOLIDS[solid], x) for x in placed.x]
    assert_close(depth, expected, 1e-15, "depth")


# -- MuJoCo --------------------------------------------------------------------------------------------------
def geom(shape: Any) -> str:
    """Return the attributes of a geom of MuJoCo."""
    if isinstance(shape, mbs.Mesh):
        return 'type="mesh" mesh="rock"'
    kind, size = shape.kind, [x.value for x in shape.size]
    halves = {"box": [0.5, 0.5, 0.5], "sphere": [1.0], "cylinder": [1.0, 0.5], "capsule": [1.0, 0.5]}[kind]
    return f'type="{kind}" size="{" ".join(repr(f * x) for f, x in zip(halves, size, strict=True))}"'


def in_mujoco(shape_a: Any, shape_b: Any, placed: Placed) -> tuple[np.ndarray, np.ndarray]:
    """Return the depths of two shapes in MuJoCo, (rows), m, and their normals from a to b, (rows, 3)."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_tolerance="1e-14" ccd_iterations="500"/>
        <asset><mesh name="rock" file="{ROCK}"/></asset><worldbody><geom {geom(shape_a)}/>
        <body><freejoint/><geom {geom(shape_b)} mass="1"/></body></worldbody></mujoco>"""
    )
    data, depths, normals = mujoco.MjData(model), [], []
    for x, R in zip(placed.x, placed.R, strict=True):
        data.qpos[:3], data.qpos[3:] = x, quaternion(R)
        mujoco.mj_kinematics(model, data)
        ends = np.zeros(6)
        depths.append(-mujoco.mj_geomDistance(model, data, 0, 1, 0.1, ends))
        line = ends[3:] - ends[:3]
        normals.append(-line / max(np.linalg.norm(line), 1e-300) * np.sign(depths[-1]))
    return np.array(depths), np.array(normals)


#: Pairs, and the errors of MuJoCo's depths (m) and normals: rounding, those at which its iterations end,
#: and those of its vertices, which have seven digits.
IN_MUJOCO = {
    "capsule on box": (SOLIDS["box"], CAPSULE, 1e-12, 1e-8),
    "sphere on cylinder": (SOLIDS["cylinder"], BALL, 1e-12, 1e-8),
    "capsule on cylinder": (SOLIDS["cylinder"], CAPSULE, 1e-10, 1e-5),
    "sphere on mesh": (SOLIDS["mesh"], BALL, 2e-8, 1e-5),
    "capsule on mesh": (SOLIDS["mesh"], CAPSULE, 2e-8, 1e-5),
}


@pytest.mark.parametrize("kind", IN_MUJOCO)
def test_depths_and_normals_are_those_of_mujoco(kind: str) -> None:
    """Where the centre of the ball or the axis is outside: MuJoCo's depths beyond the radius are no depths."""
    a, b, of_depth, of_normal = IN_MUJOCO[kind]
    placed = random_places(3, 3000, 0.25)
    depth, normal = in_mujoco(a, b, placed)
    chosen = np.flatnonzero((depth > 1e-4) & (depth < 0.028))[:200]
    if b is CAPSULE:
        chosen = np.array([row for row in chosen if axis_distance(a, placed, row) > 0.0])
    assert len(chosen) > 40
    found = placed[chosen].gaps(a, b)
    deepest = found.depth.argmax(axis=1)
    rows = np.arange(len(chosen))
    assert_close(found.depth[rows, deepest], depth[chosen], of_depth, "depth")
    assert_close(found.normal[rows, deepest], normal[chosen], of_normal, "normal")


# -- gradients -----------------------------------------------------------------------------------------------
def moved(placed: Placed, motion: np.ndarray) -> Placed:
    """Return the poses after a displacement of b and a rotation about the origin of a; motion: (6,), m and rad."""
    turn = Rotation.from_rotvec(motion[3:]).as_matrix()
    return Placed(placed.x @ turn.T + motion[:3], turn @ placed.R)


#: Pairs on a whose points move with b along the gradient of the depth, while spheres and axes are outside of a.
GRADIENTS = {
    "capsule on box": (SOLIDS["box"], CAPSULE),
    "sphere on cylinder": (SOLIDS["cylinder"], BALL),
    "capsule on cylinder": (SOLIDS["cylinder"], CAPSULE),
    "box on capsule": (CAPSULE, SOLIDS["box"]),
    "sphere on mesh": (SOLIDS["mesh"], BALL),
    "capsule on mesh": (SOLIDS["mesh"], CAPSULE),
}


@quick
@pytest.mark.parametrize("kind", GRADIENTS)
def test_power_of_the_normal_force_is_the_rate_of_the_depth(kind: str) -> None:
    """A motion of b changes each depth by minus the normal times the displacement of the contact point, so that the
    elastic force has a potential. Central differences of 1e-6 m err by curvatures times 1e-12 m, at most 1e-9, and
    round off by 1e-10; distances of convex solids have a continuous gradient outside of them."""
    a, b = GRADIENTS[kind]
    placed = random_places(4, 200)
    found = placed.gaps(a, b)
    outside = (found.depth > -0.2) & (found.depth.max(axis=1) < 0.029)[:, None]
    assert outside.sum() > 50
    point = found.place + found.normal * found.depth[:, :, None]  # on the normal, as the contact point
    for k, motion in enumerate(STEP * np.eye(6)):
        ahead, back = (moved(placed, side * motion).gaps(a, b).depth for side in (1.0, -1.0))
        velocity = np.eye(6)[k, :3] + np.cross(np.eye(6)[k, 3:], point)
        expected = -np.einsum("rpi,rpi->rp", found.normal, velocity)
        assert_close(
            ((ahead - back) / (2.0 * STEP))[outside], expected[outside], 1e-8, f"rate of the depth, motion {k}"
        )


# -- vertices of each other ----------------------------------------------------------------------------------
def vertices(shape: Any) -> np.ndarray:
    """Return the vertices of a box or of the mesh in a file, (n, 3), m."""
    if isinstance(shape, mbs.Mesh):
        lines = shape.file.read_text(encoding="utf-8").splitlines()
        return np.array([line.split()[1:] for line in lines if line.startswith("v ")], dtype=float)
    return np.array([shape.x, shape.y, shape.z]) * (np.array(list(np.ndindex(2, 2, 2))) - 0.5)


def bearing(shape: Any, place: np.ndarray) -> np.ndarray:
    """Return the direction along which the lowest place of a rim is sought; place: its centre, (3,), m.

    The normal at the centre; in a box or cylinder the mean normal of the faces, by the inverse fourth powers of their
    distances.
    """
    if isinstance(shape, mbs.Mesh) or signed_distance(shape, place) >= 0.0:
        return normal(shape, place)
    if isinstance(shape, mbs.Box):
        half = 0.5 * np.array([shape.x, shape.y, shape.z])
        return place / half * (half - np.abs(place)) ** -4.0
    side, base = shape.r - np.hypot(*place[:2]), 0.5 * shape.length - abs(place[2])
    return np.array([*(place[:2] / shape.r * side**-4.0), 2.0 * place[2] / shape.length * base**-4.0])


def rims(shape: mbs.Cylinder, x: np.ndarray, R: np.ndarray, other: Any) -> np.ndarray:
    """Return the places of both rims of a cylinder that touch another solid, in its frame, (6, 3), m.

    They are the lowest ones along the bearing of the centre of the rim, and those at 120° from these. x, R: place of
    the cylinder in the frame of the other.
    """
    places = []
    for end in (-0.5, 0.5):
        center = x + end * shape.length * R[:, 2]
        upward = R.T @ bearing(other, center)
        lowest = -np.array([*upward[:2], 0.0]) / np.linalg.norm(upward[:2])
        turns = (Rotation.from_rotvec([0.0, 0.0, angle]) for angle in np.radians([0.0, 120.0, -120.0]))
        places += [center + R @ (shape.r * turn.apply(lowest)) for turn in turns]
    return np.array(places)


def touching_places(shape: Any, x: np.ndarray, R: np.ndarray, other: Any) -> np.ndarray:
    """Return the vertices or places of rims of a shape in the frame of another one, (n, 3), m."""
    return rims(shape, x, R, other) if isinstance(shape, mbs.Cylinder) else x + vertices(shape) @ R.T


PAIRS = [pair for pair in itertools.product(SOLIDS, repeat=2) if pair != ("box", "box")]


@quick
@pytest.mark.parametrize("pair", some_quick(PAIRS, 3))
def test_solids_touch_with_the_vertices_of_each_other(pair: tuple[str, str]) -> None:
    """The depths are the distances of the vertices of b in a, then those of a in b, to the error of normals of rims."""
    a, b = (SOLIDS[kind] for kind in pair)
    placed = random_places(5, 20, 0.2)
    found = placed.gaps(a, b)
    for row, (x, R) in enumerate(zip(placed.x, placed.R, strict=True)):
        of_b = [-signed_distance(a, place) for place in touching_places(b, x, R, a)]
        of_a = [-signed_distance(b, place) for place in touching_places(a, -R.T @ x, R.T, b)]
        for name, depths, own in (
            ("b", found.depth[row, : len(of_b)], of_b),
            ("a", found.depth[row, len(of_b) :], of_a),
        ):
            assert_close(np.sort(depths), np.sort(own), 1e-7, f"depths of vertices of {name}, row {row}")


def path(seed: int, share: np.ndarray) -> Placed:
    """Return places on a path through a solid at the origin; share: of the path, from 0 to 1."""
    rng = np.random.default_rng(seed)
    ends, turns = rng.uniform(-0.15, 0.15, (2, 3)), Slerp([0.0, 1.0], Rotation.random(2, rng))
    return Placed(ends[0] + share[:, None] * (ends[1] - ends[0]), turns(share).as_matrix())


@quick
@pytest.mark.parametrize("solid", ["box", "cylinder"])
@pytest.mark.parametrize("seed", some_quick(range(8), 1, usual=2))
def test_depths_of_rims_do_not_jump(seed: int, solid: str) -> None:
    """However deep a cylinder is in another solid, so that its energy is a function of its place: within the largest of
    1000 steps on a path, those of a hundredth change the depths by much less."""
    share = np.linspace(0.0, 1.0, 1001)

    def changes(share: np.ndarray) -> np.ndarray:
        depth = np.maximum(path(seed, share).gaps(SOLIDS[solid], SOLIDS["cylinder"]).depth, 0.0)
        return np.abs(np.diff(depth, axis=0)).max(axis=1)

    coarse = changes(share)
    assert coarse.max() > 1e-5
    worst = coarse.argmax()
    assert changes(np.linspace(share[worst], share[worst + 1], 101)).max() < 0.1 * coarse.max()


@quick
def test_contacts_know_that_they_miss_crossed_edges() -> None:
    """Pairs with vertices only do, and those with areas, axes and balls do not."""
    shapes = [*SOLIDS.values(), BALL, CAPSULE, mbs.Plane()]
    missing = {(type(a), type(b)) for a, b in itertools.product(shapes, repeat=2) if misses_crossed_edges(a, b)}
    assert missing == {(type(SOLIDS[a]), type(SOLIDS[b])) for a, b in PAIRS}


@quick
def test_flat_meshes_have_no_inside(tmp_path: Path) -> None:
    """A flat mesh lies on a plane with its vertices, and is refused under a ball."""
    file = tmp_path / "sheet.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n", encoding="utf-8")
    m = mbs.Model("flat")
    m.body("b", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.contact("floor", "world", "b", shape_b=mbs.Mesh(file), stiffness=1.0)
    with pytest.raises(mbs.ModelError, match=r"mesh sheet.obj is flat, so that nothing can be inside of it: give it a"):
        m.contact("ball", "world", "b", shape_a=mbs.Mesh(file), shape_b=BALL, stiffness=1.0)


@pytest.mark.parametrize("solid", ["box", "cylinder"])
def test_lying_capsules_are_still(solid: str) -> None:
    """A capsule that is dropped on a flat face in a tilted pose lies on both ends, with half its weight on each.

    Its points exchange their places as it rocks: it comes to rest all the same, to the rounding of the rates.
    """
    m = mbs.Model("lying")
    m.body("b", joint=mbs.Free(), mass=1.0, inertia=(4e-4, 4e-3, 4e-3))
    table = {"box": mbs.Box(2.0, 2.0, 0.2, at=(0, 0, -0.1)), "cylinder": mbs.Cylinder(1.0, 0.2, at=(0, 0, -0.1))}[solid]
    rod = mbs.Capsule(0.03, 0.2, "x")
    m.contact("c", "world", "b", shape_a=table, shape_b=rod, stiffness=5e3, friction=0.5, dissipation=20.0)
    m.start("b", q=(0, 0, 0.03, 1, 0, 0.01, 0))
    m.output("loads", [mbs.strength("c", 1), mbs.strength("c", 2)])
    result = mbs.simulate(m, 3.0, method="rk4", step=1e-3)
    assert_close(result["loads"][-100:], 0.5 * 9.81, 1e-6, "loads")
    speeds = np.array([result[f"b.u[{k}]"][-100:] for k in range(1, 7)])
    assert_close(speeds, 0.0, 1e-9, "velocities")


@pytest.mark.parametrize("solid", tiers(sorted(SOLIDS, reverse=True), usual=1))
def test_solids_stand_on_others(solid: str) -> None:
    """A body of 1 kg on a wide box rests with its weight, and its energy does not grow."""
    m, center = mbs.Model("standing"), (0.02, -0.01, 0.03) if solid == "mesh" else (0, 0, 0)
    m.body("b", joint=mbs.Free(), mass=1.0, com=center, inertia=(0.01,) * 3)
    table = mbs.Box(2.0, 2.0, 0.2, at=(0, 0, -0.1))
    m.contact("c", "world", "b", shape_a=table, shape_b=SOLIDS[solid], stiffness=5e3, friction=0.5, dissipation=20.0)
    m.start("b", q=(0, 0, 0.08, 1, 0.01, 0.02, 0))
    m.output("load", mbs.contact_force("c"))
    m.output("E", mbs.energy())
    result = mbs.simulate(m, 3.0, method="rk4", step=5e-4)
    assert_close(result["load"][-1], [0.0, 0.0, 9.81], 0.02, "load")
    assert (np.diff(result["E"]) < 1e-6).all()
