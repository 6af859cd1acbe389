"""Models from URDF against Pinocchio: the project's files, and those of installed packages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops
from support.oracles.robot_peers import OWN, Beside, installed

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is not installed")

BOUNDS = {"M": 1e-12, "E": 1e-12, "M a + h": 1e-11}
#: Files that Pinocchio reads.
COMPARED = ("arm", "cart", "gripper", "planar", "floating", "tree", "unphysical", "names")
#: Robots of example-robot-data, pybullet and drake: arms, hands, quadrupeds, humanoids; unphysical inertias.
PUBLISHED = (
    "so101.urdf", "panda.urdf", "anymal.urdf", "talos_reduced.urdf", "tiago_no_hand.urdf", "allegro_left_hand.urdf",
    "laikago.urdf", "xarm6_robot.urdf", "g1_29dof_rev_1_0.urdf", "pr2.urdf",
)  # fmt: skip


def check(path: Path, free: bool = False, seed: int = 0) -> None:
    """Assert that M, energy and M a + h are Pinocchio's."""
    base = mbs.Free() if free else mbs.Weld()
    errors = Beside(path, mbs.from_urdf(path, base=base, unphysical="keep"), free, seed).errors()
    assert all(errors[what] < bound for what, bound in BOUNDS.items()), errors


@pytest.mark.quick
@pytest.mark.parametrize("name", COMPARED)
def test_dynamics_are_pinocchios(name: str) -> None:
    """On a fixed base M, energy and accelerations are Pinocchio's."""
    check(OWN / f"{name}.urdf", seed=1)


@pytest.mark.quick
@pytest.mark.parametrize("name", ["names", "tree"])
def test_flying_robots_are_pinocchios(name: str) -> None:
    """The same on a floating base."""
    check(OWN / f"{name}.urdf", free=True)


@pytest.mark.parametrize("name", tiers(PUBLISHED, usual=1))
def test_published_robots_are_pinocchios(name: str) -> None:
    """The same for robots of installed packages, on a fixed base."""
    path = next((path for path in installed(".urdf") if path.name == name), None)
    if path is None:
        pytest.skip(f"{name} is not installed (pip install example-robot-data, pybullet, drake)")
    check(path)


def test_mimic_joints_follow() -> None:
    """Accelerations are those of Gᵀ(M G w' + h) = 0 with Pinocchio's M and h, G from the multipliers in the file."""
    path = OWN / "gripper.urdf"
    beside = Beside(path, mbs.from_urdf(path))
    robot = mbs.from_urdf(path)
    robot.model.start("left", q=0.4, u=1.3)
    robot.model.output("a", mbs.angular_acceleration("left"))
    plain = PlainLoops(robot.model)
    slots = {v.name: v.slot for v in plain.program.variables}
    plain.real.refresh(plain.R, np.zeros(8))
    q, G = np.zeros(3), np.zeros(3)
    for name, value, slope in (("turn", 0.4, 1.0), ("other", 0.01 - 0.05 * 0.4, -0.05), ("tip", 4 * -0.01, -0.2)):
        joint = beside.peer.joints[beside.peer.getJointId(name)]
        q[joint.idx_q], G[joint.idx_v] = value, slope
    assert_close(plain.R[slots["right.s"]], 0.01 - 0.05 * 0.4, 1e-15, "right.s")
    beside.q = q
    h = pin.nonLinearEffects(beside.peer, beside.peer.createData(), q, G * 1.3)
    expected = -(G @ h) / (G @ beside.mass_matrix() @ G)
    assert_close(plain.R[slots["a[1]"]], expected, 1e-12 * abs(expected), "angular acceleration of body 'left'")


@pytest.mark.slow
def test_jacobians_are_pinocchios() -> None:
    """Accelerations of a UR5 and their Jacobians by angles, velocities and torques are those of Pinocchio, to 1e-12."""
    path = next((path for path in installed(".urdf") if path.name == "ur5_robot.urdf"), None)
    if path is None:
        pytest.skip("the UR5 is not installed (pip install example-robot-data)")
    model = mbs.from_urdf(path, unphysical="keep", massless="weld").model
    for body in [body for body in model.bodies.values() if body.rates]:
        model.motor(f"motor_{body.name}", on=body, torque=model.input(f"torque_{body.name}", unit="N.m"))
    rng = np.random.default_rng(1)
    q, v, torque = rng.normal(size=(3, 6))
    peer = pin.buildModelFromUrdf(str(path))
    data = peer.createData()
    rates = pin.aba(peer, data, q, v, torque)
    pin.computeABADerivatives(peer, data, q, v, torque)
    d = mbs.ode(model).jacobians(0.0, [*q, *v], torque)
    pairs = {
        "accelerations": (d.f[6:], rates), "by angles": (d.f_x[6:, :6], data.ddq_dq),
        "by velocities": (d.f_x[6:, 6:], data.ddq_dv), "by torques": (d.f_u[6:], data.Minv),
    }  # fmt: skip
    for what, (own, right) in pairs.items():
        assert np.abs(own - right).max() < 1e-12 * np.abs(right).max(), what  # round-off times the mass matrix
