"""Two capsules touch at two points, (G9) of docs/contact.md: at the nearest points, and at one far from these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.oracles.signed_distances import signed_distance

from .test_solids_in_contact import Gaps, Placed, in_mujoco, random_places

quick = pytest.mark.quick
A, B = mbs.Capsule(0.05, 0.3), mbs.Capsule(0.03, 0.2)
WIDTH = 0.08  #: m, sum of the radii


def lying(tilt: Any, turn: Any, x: float = 0.12, depth: float = 0.002) -> Placed:
    """Return poses of B on A whose axes overlap by 0.13 m at x = 0.12 m, tilted and turned, rad."""
    tilts, turns = np.broadcast_arrays(np.atleast_1d(tilt), turn)
    R = Rotation.from_euler("zy", np.column_stack([turns, tilts])).as_matrix()
    quarter = Rotation.from_euler("y", 90, degrees=True).as_matrix()  # the axis of A becomes x
    places = np.tile([x, 0.0, WIDTH - depth], (len(R), 1))
    return Placed(places @ quarter, quarter.T @ R @ quarter)


def end_depths(placed: Placed) -> np.ndarray:
    """Return the depths at both ends of the overlap of the axes, (rows, 2), m: those of the deepest end balls."""
    found = []
    for x, R in zip(placed.x, placed.R, strict=True):
        axis = R[:, 2] * np.sign(R[2, 2])
        pairs = []
        for side in (-1.0, 1.0):
            of_b = 0.03 - signed_distance(A, x + side * 0.1 * axis)
            of_a = 0.05 - signed_distance(B, R.T @ (np.array([0.0, 0.0, 0.15 * side]) - x))
            pairs.append(max(of_a, of_b))
        found.append(sorted(pairs, reverse=True))
    return np.array(found)


@quick
def test_parallel_capsules_touch_at_both_ends_of_their_overlap() -> None:
    """In one plane, at any small angle, one depth is that at the one end, and one that at the other."""
    placed = lying(np.array([0.0, 1e-9, -1e-7, 1e-5, -1e-3, 0.02]), 0.0)
    depth = placed.gaps(A, B).depth
    sines = placed.R[:, 0, 2] ** 2 + placed.R[:, 1, 2] ** 2
    expected = end_depths(placed) - np.column_stack([0.0 * sines, WIDTH * sines**2])
    assert_close(np.sort(depth)[:, ::-1], expected, 1e-13, "depths")
    assert (depth[:5] > 0.0).all()


@quick
def test_second_depth_completes_the_sum_of_both_ends() -> None:
    """For any pose: both depths add up to those of the ends, less what keeps apart what is not parallel."""
    placed = random_places(9, 60, 0.15)
    depth = placed.gaps(A, B).depth
    sines = 1.0 - placed.R[:, 2, 2] ** 2
    assert_close(depth.sum(axis=1), end_depths(placed).sum(axis=1) - WIDTH * sines**2, 1e-13, "sums of depths")
    assert (depth[:, 0] >= depth[:, 1]).all()


@quick
def test_crossed_capsules_touch_at_one_point() -> None:
    """From 45° on, with depths below a quarter of the sum of the radii, only the nearest points touch."""
    placed = random_places(10, 400, 0.1)
    depth = placed.gaps(A, B).depth
    crossed = (placed.R[:, 2, 2] ** 2 < 0.5) & (depth[:, 0] < 0.25 * WIDTH)
    assert crossed.sum() > 40 and (depth[crossed, 0] > 0.0).sum() > 10
    assert (depth[crossed, 1] < 0.0).all()


@quick
def test_first_depth_is_that_of_mujoco() -> None:
    placed = random_places(11, 200, 0.15)
    depth, normal = in_mujoco(A, B, placed)
    near = depth > -0.05
    found = placed[near].gaps(A, B)
    assert near.sum() > 40
    assert_close(found.depth[:, 0], depth[near], 1e-12, "depth")
    apart = np.abs(depth[near]) > 1e-4  # MuJoCo's normals are differences of places
    assert_close(found.normal[apart, 0], normal[near][apart], 1e-8, "normal")


def springs(found: Gaps) -> np.ndarray:
    """Return the sum of the forces of springs of 1 N/m at both points, (rows, 3), N."""
    return (np.maximum(found.depth, 0.0)[:, :, None] * found.normal).sum(axis=1)


@quick
@pytest.mark.parametrize("turn", [0.0, 1e-3, 0.05])
def test_force_and_moment_are_continuous_in_the_tilt(turn: float) -> None:
    """As a capsule tilts, the nearest points pass along the overlap, and the resultant changes with its angle only.

    The moment is that about the middle of the overlap. Between poses 1e-6 rad apart, depths change by 1e-7 m; at the
    smallest angles the nearest points jump by the overlap of 0.13 m, whose moment would be 1e-4 N.m.
    """
    found = lying(np.linspace(-2e-5, 2e-5, 41), turn).gaps(A, B)
    force = springs(found)
    middle = found.place.mean(axis=1, keepdims=True).mean(axis=0, keepdims=True)
    each = np.maximum(found.depth, 0.0)[:, :, None] * found.normal
    moment = np.cross(found.place - middle, each).sum(axis=1)
    assert np.abs(np.diff(force, axis=0)).max() < 3e-7
    assert np.abs(np.diff(moment, axis=0)).max() < 3e-7


@pytest.mark.parametrize(("tilt", "turn"), [(0.0, 0.0), (1e-3, 1e-3), (0.05, 0.05), (0.1, 0.02)])
def test_energy_of_a_bounce_is_that_before_it(tilt: float, turn: float) -> None:
    """Without friction and dissipation, to the error of rk4 at the beginning and end of a contact."""
    m = mbs.Model("logs")
    m.body("log", joint=mbs.Free(), mass=1.0, inertia=(1e-3, 1e-2, 1e-2))
    shapes = {"shape_a": mbs.Capsule(0.1, 2.0, "x"), "shape_b": mbs.Capsule(0.05, 0.4, "x")}
    m.contact("c", "world", "log", **shapes, stiffness=1e4, dissipation=0.0)
    x, y, z, w = Rotation.from_euler("yz", [tilt, turn]).as_quat()
    m.start("log", q=(0.03, 0.0, 0.175, w, x, y, z), u=(0, 0, -0.5, 0, 0, 0))
    m.output("E", mbs.energy())
    m.output("depths", [mbs.penetration("c", 1), mbs.penetration("c", 2)])
    result = mbs.simulate(m, 0.15, method="rk4", step=1.25e-4)
    assert (result["depths"].max(axis=0) > 1e-4).all()
    assert result["depths"][-1].max() == 0.0
    assert_close(result["E"], result["E"][0], 1e-4, "energy")


def test_capsules_in_a_cradle_are_still() -> None:
    """A capsule that is dropped askew between two others comes to rest on two points of each."""
    m = mbs.Model("cradle")
    m.body("log", joint=mbs.Free(), mass=1.0, inertia=(4e-4, 4e-3, 4e-3))
    for k, y in enumerate((-0.06, 0.06)):
        shapes = {"shape_a": mbs.Capsule(0.05, 0.6, "x", at=(0, y, 0)), "shape_b": mbs.Capsule(0.03, 0.2, "x")}
        m.contact(f"c{k}", "world", "log", **shapes, stiffness=5e3, friction=0.5, dissipation=20.0)
        m.output(f"loads{k}", [mbs.strength(f"c{k}", n) for n in (1, 2)])
    x, y, z, w = Rotation.from_euler("xyz", [0.3, 0.05, 0.02]).as_quat()
    m.start("log", q=(0.05, 0.0, 0.055, w, x, y, z))
    m.output("force", mbs.contact_force(["c0", "c1"]))
    m.output("E", mbs.energy())
    result = mbs.simulate(m, 3.0, method="rk4", step=1e-3)
    assert_close(result["force"][-1], [0.0, 0.0, 9.81], 1e-6, "force")
    for k in range(2):
        assert (result[f"loads{k}"][-1] > 1.0).all(), f"loads of contact {k}"
    speeds = np.array([result[f"log.u[{k}]"][-100:] for k in range(1, 7)])
    assert_close(speeds, 0.0, 1e-9, "velocities")
    assert np.diff(result["E"]).max() < 1e-6
