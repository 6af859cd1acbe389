"""Robots from files whose joints are driven afterwards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("in_plain_python")

LINK = """<link name="{0}"><inertial><origin xyz="0.2 0.1 0"/><mass value="1.5"/>
  <inertia ixx="0.1" iyy="0.12" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="0.4 0 0.1"/>
  <axis xyz="{4}"/><limit lower="-0.1" upper="0.1" effort="5" velocity="3"/><dynamics damping="0.3" friction="0.4"/>
  {5}</joint>"""
URDF = "\n".join(
    [
        '<robot name="driven"><link name="base"/>',
        *(LINK.format(name) for name in ("upper", "lower", "finger", "thumb")),
        JOINT.format("shoulder", "revolute", "base", "upper", "0 1 0", ""),
        JOINT.format("elbow", "prismatic", "upper", "lower", "1 0 0", ""),
        JOINT.format("grasp", "revolute", "lower", "finger", "0 0 1", ""),
        JOINT.format(
            "thumb", "revolute", "lower", "thumb", "0 0 1", '<mimic joint="grasp" multiplier="-2" offset="0.1"/>'
        ),
        "</robot>",
    ]
)
MJCF = """<mujoco model="driven"><compiler angle="radian"/><worldbody><body name="upper">
  <joint name="shoulder" type="hinge" axis="0 1 0" range="-0.1 0.1" limited="true" damping="0.2" frictionloss="0.3"
   armature="0.05" stiffness="2"/>
  <geom type="box" size="0.1 0.1 0.1" mass="1" pos="0.2 0 0" contype="0" conaffinity="0"/>
  <body name="lower" pos="0.4 0 0">
    <joint name="elbow" type="slide" axis="1 0 0" range="-0.1 0.1" limited="true" damping="0.2" frictionloss="0.3"
     armature="0.05"/>
    <geom type="box" size="0.1 0.1 0.1" mass="1" pos="0.2 0 0" contype="0" conaffinity="0"/></body></body></worldbody>
  <actuator><motor joint="shoulder" gear="10"/><position joint="elbow" kp="20"/></actuator></mujoco>"""


def imported(path: Path, kind: str) -> mbs.Imported:
    """A robot of a file, with stops if the format can have them."""
    if kind == "mjcf":
        pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")
    path.write_text(URDF if kind == "urdf" else MJCF)
    return mbs.from_urdf(path, stops=(50.0, 2.0), efforts=True) if kind == "urdf" else mbs.from_mjcf(path)


@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
def test_drives_of_imported_joints_balance_all_that_the_file_gives_them(tmp_path: Path, kind: str) -> None:
    """The forces of drives on all joints are those of inverse dynamics of the robot without drives, with the damping,
    friction, stops, armature, actuators and mimic joints of the file."""
    robot, plain = imported(tmp_path / "robot.xml", kind), imported(tmp_path / "robot.xml", kind).model
    joints = [joint for joint in robot.joints.values() if joint.mimic is None]
    for k, joint in enumerate(joints):
        position = 0.3 * mbs.sin((2.0 + k) * mbs.time + 0.5)
        robot.model.drive(f"{joint.name}_drive", on=joint.body, position=position)
        robot.model.output(f"{joint.name}_force", mbs.drive_force(f"{joint.name}_drive"))
    r = mbs.simulate(robot.model, 1.0, method="rk4", step=0.125, output_interval=0.125)
    q, u, u_dot = {}, {}, {}
    for k, joint in enumerate(joints):
        phase, speed = (2.0 + k) * r.time + 0.5, 2.0 + k
        q[joint.body], u[joint.body] = 0.3 * np.sin(phase)[:, None], 0.3 * speed * np.cos(phase)[:, None]
        u_dot[joint.body] = -0.3 * speed**2 * np.sin(phase)[:, None]
    forces = mbs.inverse_dynamics(plain, q, u, u_dot, actuated=list(q))
    for joint in joints:
        expected = forces[joint.body][:, 0]
        size = np.abs(expected).max()
        assert size > 0.5
        assert_close(r[f"{joint.name}_force"], expected, 1e-11 * (1.0 + size), f"force of the drive of {joint.name}")


@pytest.mark.quick
def test_the_drive_of_a_mimic_joint_is_refused(tmp_path: Path) -> None:
    """Its leader gives its motion: the message says which joint to drive."""
    robot = imported(tmp_path / "robot.urdf", "urdf")
    message = (
        "follower 'thumb_mimic': drive 'd' and 'finger' would both give the motion of body 'thumb': drive 'finger'"
    )
    with pytest.raises(mbs.ModelError, match=message):
        robot.model.drive("d", on="thumb", position=mbs.time)
