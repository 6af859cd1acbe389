"""Models from MJCF against MuJoCo: the project's file, and those of installed packages."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops
from support.oracles.robot_peers import OWN, BesideMuJoCo, installed

LEG = OWN / "leg.xml"
PUBLISHED = (
    "ant.xml", "humanoid.xml", "half_cheetah.xml", "hopper.xml", "humanoidstandup.xml", "inverted_double_pendulum.xml",
    "inverted_pendulum.xml", "point.xml", "pusher.xml", "pusher_v5.xml", "reacher.xml", "swimmer.xml", "walker2d.xml",
    "walker2d_v5.xml",
)  # fmt: skip


def test_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the package to install."""
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(mbs.ModelError, match=r"pip install 'mbs-fmu\[mjcf\]'"):
        mbs.from_mjcf(LEG)


mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")


@pytest.mark.quick
def test_bodies_joints_and_actuators_are_imported() -> None:
    """Bodies in their own axes, joints by name, inputs of actuators; notes name unsupported elements."""
    leg = mbs.from_mjcf(LEG)
    assert leg.bodies == {"world": "world", "trunk": "trunk", "thigh": "thigh", "foot": "foot", "pad": "pad"}
    assert [(j.kind, j.body, j.coordinate, j.input) for j in leg.joints.values()] == [
        ("free", "trunk", 1, None),
        ("hinge", "thigh_joint", 1, "lift"),
        ("hinge", "thigh_joint", 2, "turn"),
        ("slide", "thigh_joint_", 1, "servo"),
        ("ball", "foot_joint", 1, None),
    ]
    limits = leg.joints["abduct"].limits
    assert_close([limits.lower, limits.upper], np.radians((-30, 40)), 1e-15, "limit of joint 'abduct'")
    assert {rotor.inertia.value for rotor in leg.model.rotors.values()} == {0.05, 0.4}
    assert leg.notes == [
        "friction of joints is smooth near rest, where it differs from MuJoCo's and makes the model stiff: use rodas5p",
        "joint 'extend' is at 0.1 in the reference pose, where it is 0 here",
        "limits of 1 joints are ranges only: give stops=",
        "equality 'held' is not active and left out",
        "equalities are rigid here, soft in MuJoCo",
        "left out: contacts between geometries: contacts=True adds them",
        "1 mocap bodies are fixed: mocap='inputs' moves them",
    ]
    box, foot = leg.shapes["trunk"][0], leg.shapes["foot"][0]
    assert (box.kind, box.size, box.color) == ("box", (0.2, 0.3, 0.1), (1.0, 0.0, 0.0, 1.0))
    assert (foot.kind, foot.role) == ("ellipsoid", "collision")
    assert mbs.from_mjcf(LEG, inputs=False).model.inputs == {}


@pytest.mark.quick
def test_geometries_that_collide_are_for_the_ground() -> None:
    """Those of moving bodies, whatever their group; not the floor, and not what the masks leave out."""
    leg = mbs.from_mjcf(LEG)
    found = leg.collisions()
    assert {body: [shape.kind for shape in shapes] for body, shapes in found.items()} == {
        "trunk": ["box"], "thigh": ["capsule"], "foot": ["ellipsoid"],
    }  # fmt: skip
    (foot,) = found["foot"]
    assert isinstance(foot, mbs.Ellipsoid) and (foot.a, foot.b, foot.c) == pytest.approx((0.1, 0.04, 0.02))
    names = leg.model.ground("floor", found, stiffness=1e4, friction=0.5)
    assert names == ["floor.trunk", "floor.thigh", "floor.foot"]


@pytest.mark.quick
@pytest.mark.parametrize("seed", some_quick(range(3), 1))
def test_dynamics_are_mujocos(seed: int) -> None:
    """M, and smooth accelerations with servos, springs, damping and armature."""
    errors = BesideMuJoCo(LEG, mbs.from_mjcf(LEG), seed).errors()
    assert max(errors.values()) < 1e-12, errors


@pytest.mark.quick
def test_the_reference_pose() -> None:
    """Start poses are MuJoCo's, and equalities hold there."""
    leg = mbs.from_mjcf(LEG)
    for name in ("thigh", "foot", "trunk"):
        leg.model.output(name, mbs.position(name, (0.1, 0.2, 0.3)))
    plain = PlainLoops(leg.model)
    plain.real.refresh(plain.R, np.zeros(16))
    mj = mujoco.MjModel.from_xml_path(str(LEG))
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    slots = {v.name: v.slot for v in plain.program.variables}
    for name in ("thigh", "foot", "trunk"):
        seen = data.body(name).xpos + data.body(name).xmat.reshape(3, 3) @ (0.1, 0.2, 0.3)
        position = [plain.R[slots[f"{name}[{k}]"]] for k in (1, 2, 3)]
        assert_close(position, seen, 1e-14, f"position of a point of body '{name}'", "xyz")


@pytest.mark.parametrize("name", tiers(PUBLISHED, usual=1))
def test_published_models_are_mujocos(name: str) -> None:
    """All models of gymnasium, without contacts and tendons."""
    paths = installed(".xml", ("gymnasium/envs/mujoco/assets",))
    path = next((path for path in paths if path.name == name), None)
    if path is None:
        pytest.skip("gymnasium (pip install gymnasium) is not installed")
    errors = BesideMuJoCo(path, mbs.from_mjcf(path)).errors()
    assert max(errors.values()) < 1e-9, errors


@pytest.mark.quick
def test_errors_of_mujoco_are_reported(tmp_path: Path) -> None:
    """MuJoCo's message in one line."""
    path = tmp_path / "wrong.xml"
    path.write_text("<mujoco><worldbody><body><geom/></body></worldbody></mujoco>")
    with pytest.raises(mbs.ModelError, match=r"wrong.xml: MuJoCo refuses it: .*size") as caught:
        mbs.from_mjcf(path)
    assert "\n" not in str(caught.value)


@pytest.mark.quick
def test_meshes_stand_where_mujoco_draws_them(tmp_path: Path) -> None:
    """Vertices of the file, scaled and placed, are those that MuJoCo has moved to the mesh's centre."""
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)])
    faces = ("1 3 2", "1 2 4", "1 4 3", "2 3 4")
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "corner.obj").write_text("\n".join(lines))
    path = tmp_path / "mesh.xml"
    path.write_text(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh name="m" file="corner.obj" scale="0.1 0.2 0.1"/></asset>'
        '<worldbody><body name="b" pos="0 0 1"><freejoint/><geom type="mesh" mesh="m" pos="0.3 0 0" euler="30 40 50"/>'
        "</body></worldbody></mujoco>"
    )
    (shape,) = mbs.from_mjcf(path).shapes["b"]
    assert shape.file == tmp_path / "meshes" / "corner.obj"
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    seen = data.geom_xpos[0] + mj.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    placed = np.array(shape.at.position) + (corners * shape.scale) @ np.array(shape.at.rotation).T + (0, 0, 1)
    # MuJoCo's vertices have single precision
    assert_close(np.sort(placed, axis=0), np.sort(seen, axis=0), 1e-6, "place of vertex", "xyz")


SWITCHED = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.3 0.2 -9" {option}><flag {flags}/></option>
  <worldbody>
    <body name="upper"><joint name="a" axis="0 1 0" stiffness="9" springref="0.3" damping="0.4" frictionloss="2"
        range="-0.01 0.01" limited="true" actuatorfrcrange="-3 2" actuatorfrclimited="true"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04" contype="1"/>
      <body name="lower" pos="0 0 -0.5"><joint name="b" axis="1 0 0" stiffness="2" damping="0.2"/>
        <geom type="capsule" fromto="0 0 -0.1 0 0 -0.4" size="0.04"/>
        <body name="tip" pos="0 0 -0.4"><joint name="c" type="ball" damping="0.1"/>
          <geom type="box" size="0.05 0.06 0.03" pos="0 0 -0.05"/></body>
      </body>
    </body>
    <geom type="box" size="0.3 0.3 0.3"/>
  </worldbody>
  <equality><joint joint1="a" joint2="b" polycoef="0.1 0.5 0 0 0"/></equality>
  <actuator>
    <motor name="strong" joint="a" gear="20" ctrlrange="-1 1" ctrllimited="true"/>
    <position name="servo" joint="a" kp="30" kv="2" group="1" forcerange="-9 8" forcelimited="true"/>
    <velocity name="damped" jointinparent="b" kv="3" group="2" ctrlrange="-0.2 0.5" ctrllimited="true"/>
    <motor name="free" joint="b" group="3"/>
  </actuator>
  <keyframe><key name="home" qpos="0 0 1 0 0 0"/></keyframe>
</mujoco>
"""
ACTUATORS = ("strong", "servo", "damped", "free")  #: by their groups
UNCONSTRAINED = ("constraint", "frictionloss equality limit contact")  #: two ways to disable all constraints
SWITCHES = ("", "gravity", "clampctrl", "spring damper", "spring", "damper", "actuation", "gravity clampctrl damper")


def left_out(flags: str, groups: str) -> list[tuple[str, str]]:
    """Actuators of `SWITCHED` that flags and disabled groups leave out, and why."""
    if "actuation" in flags:
        return [(name, "the file disables actuation") for name in ACTUATORS]
    numbers = map(int, groups.split())
    return [(ACTUATORS[number], f"the file disables its group {number}") for number in numbers]


@pytest.mark.parametrize("flags", tiers(SWITCHES, usual=1, quick=1))
def test_flags_and_clamps_are_mujocos(flags: str, tmp_path: Path) -> None:
    """Accelerations are those of MuJoCo, whatever the flags disable, with controls and forces beyond their ranges."""
    path = tmp_path / "switched.xml"
    for number, more in enumerate(UNCONSTRAINED):
        disabled = " ".join(f'{flag}="disable"' for flag in f"{flags} {more}".split())
        for groups in ("", "1", "2 3", "0 1 2 3"):
            path.write_text(SWITCHED.format(flags=disabled, option=f'actuatorgroupdisable="{groups}"' * bool(groups)))
            robot = mbs.from_mjcf(path)
            errors = BesideMuJoCo(path, robot, number, whole=True, controls=3.0).errors()
            assert max(errors.values()) < 1e-12, (more, groups, errors)
            assert not robot.model.loops and not robot.collisions() and not robot.model.ranges
            assert robot.notes == [f"actuator {name!r} is left out: {why}" for name, why in left_out(flags, groups)]


@pytest.mark.quick
def test_left_out_actuators_state_their_reason(tmp_path: Path) -> None:
    """Notes name actuators that flags and groups disable."""
    path = tmp_path / "switched.xml"
    path.write_text(SWITCHED.format(flags='gravity="disable"', option='actuatorgroupdisable="1 3"'))
    notes = mbs.from_mjcf(path).notes
    assert "actuator 'servo' is left out: the file disables its group 1" in notes
    assert "actuator 'free' is left out: the file disables its group 3" in notes
    path.write_text(SWITCHED.format(flags='actuation="disable"', option=""))
    robot = mbs.from_mjcf(path)
    assert "actuator 'strong' is left out: the file disables actuation" in robot.notes and not robot.model.inputs
    path.write_text(path.read_text().replace('jointinparent="b"', 'jointinparent="c"'))
    assert mbs.from_mjcf(path).joints["c"].input is None
