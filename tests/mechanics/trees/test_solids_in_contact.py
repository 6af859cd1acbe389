"""Gaps of solids, (G15) to (G18) of docs/contact.md, against distances that are found by minimization and by MuJoCo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.view.poses import Rows, poses
from mbs_fmu.view.touches import touches
from support.comparisons import assert_close
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
        q = np.hstack([self.x, Rotation.from_matrix(self.R).as_quat(scalar_first=True)])
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
    for _ in range(60):
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
SOLIDS: dict[str, Any] = {"box": mbs.Box(0.2, 0.3, 0.1), "cylinder": mbs.Cylinder(0.1, 0.12)}


def axis_distance(shape: Any, placed: Placed, row: int) -> float:
    """Distance of the axis of CAPSULE from a shape."""
    axis = placed.R[row, :, 2]
    return least(lambda t: signed_distance(shape, placed.x[row] + t * axis), 0.1)


# -- depths --------------------------------------------------------------------------------------------------
@quick
@pytest.mark.parametrize("solid", SOLIDS)
def test_capsules_are_as_deep_as_the_nearest_place_of_their_axis(solid: str) -> None:
    """While the axis is outside, to the rounding of lengths below a metre; else the depth exceeds the radius."""
    placed = random_places(1, 600)
    depth = placed.gaps(SOLIDS[solid], CAPSULE).depth.max(axis=1)
    outside = 0
    for row in np.flatnonzero(depth > -0.1):
        expected = axis_distance(SOLIDS[solid], placed, row)
        if expected > 0.0:
            assert_close(depth[row], 0.03 - expected, 1e-14, f"depth in row {row}")
            outside += 1
        else:
            assert depth[row] >= 0.03 - 1e-14, f"row {row}"
    assert outside > 100


@quick
@pytest.mark.parametrize("solid", SOLIDS)
def test_balls_are_as_deep_as_their_centre(solid: str) -> None:
    placed = random_places(2, 400)
    depth = placed.gaps(SOLIDS[solid], BALL).depth[:, 0]
    expected = [0.03 - signed_distance(SOLIDS[solid], x) for x in placed.x]
    assert_close(depth, expected, 1e-15, "depth")


# -- MuJoCo --------------------------------------------------------------------------------------------------
def geom(shape: Any) -> str:
    """Return the attributes of a geom of MuJoCo."""
    kind, size = shape.kind, [x.value for x in shape.size]
    halves = {"box": [0.5, 0.5, 0.5], "sphere": [1.0], "cylinder": [1.0, 0.5], "capsule": [1.0, 0.5]}[kind]
    return f'type="{kind}" size="{" ".join(repr(f * x) for f, x in zip(halves, size, strict=True))}"'


def in_mujoco(shape_a: Any, shape_b: Any, placed: Placed) -> tuple[np.ndarray, np.ndarray]:
    """Return the depths of two shapes in MuJoCo, (rows), m, and their normals from a to b, (rows, 3)."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_tolerance="1e-14" ccd_iterations="500"/><worldbody><geom {geom(shape_a)}/>
        <body><freejoint/><geom {geom(shape_b)} mass="1"/></body></worldbody></mujoco>"""
    )
    data, depths, normals = mujoco.MjData(model), [], []
    for x, R in zip(placed.x, placed.R, strict=True):
        data.qpos[:3], data.qpos[3:] = x, Rotation.from_matrix(R).as_quat(scalar_first=True)
        mujoco.mj_kinematics(model, data)
        ends = np.zeros(6)
        depths.append(-mujoco.mj_geomDistance(model, data, 0, 1, 0.1, ends))
        line = ends[3:] - ends[:3]
        normals.append(-line / max(np.linalg.norm(line), 1e-300) * np.sign(depths[-1]))
    return np.array(depths), np.array(normals)


#: Pairs, and the errors of MuJoCo's depths (m) and normals: rounding, or those at which its iterations end.
IN_MUJOCO = {
    "capsule on box": (SOLIDS["box"], CAPSULE, 1e-12, 1e-8),
    "sphere on cylinder": (SOLIDS["cylinder"], BALL, 1e-12, 1e-8),
    "capsule on cylinder": (SOLIDS["cylinder"], CAPSULE, 1e-10, 1e-5),
}


@pytest.mark.parametrize("kind", IN_MUJOCO)
def test_depths_and_normals_are_those_of_mujoco(kind: str) -> None:
    """Where the centre of the ball or the axis is outside: MuJoCo's depths beyond the radius are no depths."""
    a, b, of_depth, of_normal = IN_MUJOCO[kind]
    placed = random_places(3, 4000, 0.25)
    depth, normal = in_mujoco(a, b, placed)
    chosen = np.flatnonzero((depth > 1e-4) & (depth < 0.028))[:300]
    if b is CAPSULE:
        chosen = np.array([row for row in chosen if axis_distance(a, placed, row) > 0.0])
    assert len(chosen) > 100
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
}


@quick
@pytest.mark.parametrize("kind", GRADIENTS)
def test_power_of_the_normal_force_is_the_rate_of_the_depth(kind: str) -> None:
    """A motion of b changes each depth by minus the normal times the displacement of the contact point, so that the
    elastic force has a potential. Central differences of 1e-6 m err by curvatures times 1e-12 m, at most 1e-9, and
    round off by 1e-10; distances of convex solids have a continuous gradient outside of them."""
    a, b = GRADIENTS[kind]
    placed = random_places(4, 400)
    found = placed.gaps(a, b)
    outside = (found.depth > -0.2) & (found.depth.max(axis=1) < 0.029)[:, None]
    assert outside.sum() > 150
    point = found.place + found.normal * found.depth[:, :, None]  # on the normal, as the contact point
    for k, motion in enumerate(STEP * np.eye(6)):
        ahead, back = (moved(placed, side * motion).gaps(a, b).depth for side in (1.0, -1.0))
        velocity = np.eye(6)[k, :3] + np.cross(np.eye(6)[k, 3:], point)
        expected = -np.einsum("rpi,rpi->rp", found.normal, velocity)
        assert_close(
            ((ahead - back) / (2.0 * STEP))[outside], expected[outside], 1e-8, f"rate of the depth, motion {k}"
        )


# -- vertices of each other ----------------------------------------------------------------------------------
def rim_places(cylinder: mbs.Cylinder, upward: np.ndarray) -> np.ndarray:
    """Return the places of a rim, at its centre 0, that are lowest along a normal and at 120° from it, (3, 3), m.

    The axis is z. The second and the third place are in no order.
    """
    lowest = -np.array([*upward[:2], 0.0]) / np.linalg.norm(upward[:2])
    turns = (Rotation.from_rotvec([0, 0, angle]) for angle in np.radians([0.0, 120.0, -120.0]))
    return np.array([cylinder.r * turn.apply(lowest) for turn in turns])


@quick
def test_cylinders_touch_boxes_with_rims_and_are_touched_by_corners() -> None:
    """Eight corners of the box in the cylinder, and six places of rims in the box, in each pose."""
    box, cylinder = mbs.Box(0.2, 0.3, 0.1), SOLIDS["cylinder"]
    placed = random_places(5, 60, 0.2)
    found = placed.gaps(box, cylinder)
    corners = np.array([0.2, 0.3, 0.1]) * (np.array(list(np.ndindex(2, 2, 2))) - 0.5)
    for row, (x, R) in enumerate(zip(placed.x, placed.R, strict=True)):
        of_corners = [-signed_distance(cylinder, R.T @ (corner - x)) for corner in corners]
        rims = []
        for end in (-0.06, 0.06):
            center = x + end * R[:, 2]
            places = center + rim_places(cylinder, R.T @ normal(box, center)) @ R.T
            rims += [-signed_distance(box, place) for place in places]
        depths = found.depth[row]
        assert_close(np.sort(depths[:8]), np.sort(of_corners), 1e-12, f"depths of corners, row {row}")
        assert_close(np.sort(depths[8:]), np.sort(rims), 1e-6, f"depths of rims, row {row}")  # numerical normals
