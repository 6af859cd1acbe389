"""Robots that rest on the contacts of their files: depths, loads and friction are those of MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers

mujoco = pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo")

FLOOR = '<geom name="floor" type="plane" size="1 1 1"/>'
#: Shapes of a body that rests on the floor, with the height of its centre.
RESTING = {
    "sphere": ('type="sphere" size="0.1"', 0.1),
    "box": ('type="box" size="0.2 0.1 0.05"', 0.05),
    "capsule": ('type="capsule" size="0.05 0.2" euler="90 0 0"', 0.05),
    "cylinder": ('type="cylinder" size="0.1 0.04"', 0.04),
}
#: Attributes of contact.
SOFT = {
    "default": "",
    "stiff": 'solref="0.01 0.7" solimp="0.95 0.99 0.002 0.5 2"',
    "direct": 'solref="-20000 -300" solimp="0.8 0.9 0.003 0.3 3"',
    "margin": 'margin="0.004" condim="1"',
    "torsional": 'condim="4" friction="1.4 0.02 0.001"',
}

CONES = ("pyramidal", "elliptic")
#: All combinations, the first ones with every shape and every kind of softness.
CASES = {
    case: case
    for k in range(len(SOFT))
    for i, shape in enumerate(RESTING)
    for j, cone in enumerate(CONES)
    for case in [f"{shape} {list(SOFT)[(k + 2 * i + j) % len(SOFT)]} {cone}"]
}


def written(folder: Path, body: str, options: str = "") -> Path:
    path = folder / "robot.xml"
    path.write_text(f"<mujoco>{options}<worldbody>{FLOOR}{body}</worldbody></mujoco>", encoding="utf-8")
    return path


def rest_of_mujoco(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the depths, m, and the normal forces, N, of all contacts at rest."""
    mj = mujoco.MjModel.from_xml_path(str(path))
    mj.opt.timestep, mj.opt.tolerance = 5e-4, 1e-14
    data = mujoco.MjData(mj)
    for _ in range(10000):
        mujoco.mj_step(mj, data)
    force, found = np.zeros(6), []
    for k, contact in enumerate(data.contact):
        mujoco.mj_contactForce(mj, data, k, force)
        found.append((contact.includemargin - contact.dist, force[0]))
    depths, loads = np.array(found).T
    return depths, loads


@pytest.mark.parametrize("case", tiers(CASES, usual=3))
def test_a_body_rests_at_the_depth_of_mujoco(tmp_path: Path, case: str) -> None:
    shape, soft, cone = case.split()
    geometry, height = RESTING[shape]
    body = f'<body name="b" pos="0 0 {height}"><freejoint/><geom name="g" {geometry} mass="1.5" {SOFT[soft]}/></body>'
    path = written(tmp_path, body, f'<option cone="{cone}" impratio="2"/>')
    depths, loads = rest_of_mujoco(path)
    robot = mbs.from_mjcf(path, contacts=True)
    (name,) = robot.contacts
    count = robot.model.forces[name].contact_points
    robot.model.output("load", mbs.contact_force(name)[2], unit="N")
    robot.model.output("depth", mbs.penetration(name), unit="m")
    result = mbs.simulate(robot.model, 4.0, rtol=1e-8, atol=1e-10)
    assert result["load"][-1] == pytest.approx(1.5 * 9.81, rel=1e-6)
    assert loads.sum() == pytest.approx(1.5 * 9.81, rel=1e-3)
    assert result["depth"][-1] == pytest.approx(depths.max(), rel=0.01), count


@pytest.mark.parametrize("turn", tiers({"aligned": 0, "turned": 20}, usual=0))
def test_a_box_rests_on_a_box_at_the_depth_of_mujoco(tmp_path: Path, turn: int) -> None:
    """The area has the stiffness of MuJoCo's four corners, to the depths at its rim, a hundredth of the edges."""
    body = '<body name="b" pos="0 0 0.05" euler="0 0 {}"><freejoint/>{}</body>'
    geometry = '<geom name="g" type="box" size="0.1 0.08 0.05" mass="1.5"/>'
    path = written(tmp_path, body.format(turn, geometry))
    text = path.read_text(encoding="utf-8")
    table = '<geom name="floor" type="box" size="1 1 0.1" pos="0 0 -0.1"/>'
    path.write_text(text.replace(FLOOR, table), encoding="utf-8")
    depths, loads = rest_of_mujoco(path)
    assert len(depths) == 4 and loads.sum() == pytest.approx(1.5 * 9.81, rel=1e-3)
    robot = mbs.from_mjcf(path, contacts=True)
    (name,) = robot.contacts
    robot.model.output("load", mbs.contact_force(name)[2], unit="N")
    robot.model.output("depth", 0.05 - mbs.position("b")[2], unit="m")
    result = mbs.simulate(robot.model, 3.0, rtol=1e-8, atol=1e-10)
    assert result["load"][-1] == pytest.approx(1.5 * 9.81, rel=1e-6)
    assert result["depth"][-1] == pytest.approx(depths.max(), rel=0.01)


@pytest.mark.quick
def test_time_constants_are_at_least_two_steps_of_mujoco(tmp_path: Path) -> None:
    """At the time step of the file, unless its flag `refsafe` is off."""
    ball = '<body pos="0 0 0.1"><freejoint/><geom name="g" size="0.1" mass="1" priority="1" solref="0.004 1"/></body>'
    option = '<option timestep="0.005" cone="elliptic"><flag refsafe="{}"/></option>'
    path = written(tmp_path, ball, option.format("enable"))
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    mujoco.mj_step(mj, data, 400)
    (contact,) = mbs.from_mjcf(path, contacts=True).contacts.values()
    impedance = contact.arguments["stiffness"]
    assert impedance.solref == (0.01, 1.0)
    assert impedance.depth_under(9.81) == pytest.approx(-float(data.contact.dist[0]), rel=1e-6)
    (contact,) = mbs.from_mjcf(written(tmp_path, ball, option.format("disable")), contacts=True).contacts.values()
    assert contact.arguments["stiffness"].solref == (0.004, 1.0)


@pytest.mark.quick
def test_stiffness_is_limited_for_steps(tmp_path: Path) -> None:
    """Of 1 ms, the step of a file with shorter ones, or that of the options; a note states by how much balls rest
    deeper if this is more than 10 um."""
    geometry = '<geom name="g" size="0.1" mass="1" priority="1" solref="{} 1" condim="1"/>'
    ball = f'<body pos="0 0 0.1"><freejoint/>{geometry}</body>'
    option = '<option timestep="{}"><flag refsafe="disable"/></option>'

    def read(solref: float, timestep: float, **options: Any) -> tuple[mbs.ImportedContact, str]:
        path = written(tmp_path, ball.format(solref), option.format(timestep))
        robot = mbs.from_mjcf(path, contacts=mbs.FileContacts(**options))
        (contact,) = robot.contacts.values()
        return contact, "; ".join(note for note in robot.notes if "limited" in note)

    contact, note = read(0.001, 0.002)
    assert contact.is_limited and contact.arguments["stiffness"] == pytest.approx(1500.0**2) and not note
    contact, note = read(0.001, 1e-4)
    assert not contact.is_limited and not note
    contact, note = read(0.001, 0.002, step=1e-4)
    assert not contact.is_limited and not note
    contact, note = read(0.001, 0.002, step=4e-3)
    assert contact.is_limited and "1 pairs is limited for steps of 4 ms" in note and "up to 0.069 mm" in note


GRIPPER = """
<mujoco><default><geom friction="0.5 0.005 0.0001" condim="4"/></default><worldbody>
  <body name="palm" pos="0 0 0.1">
    <joint name="lift" type="slide" axis="0 0 1" damping="20"/>
    <geom type="box" size="0.05 0.02 0.01" mass="0.2" contype="0" conaffinity="0"/>
    <body name="left" pos="-0.04 0 -0.06"><joint name="l" type="slide" axis="1 0 0" damping="1"/>
      <geom name="left" type="box" size="0.005 0.01 0.03" mass="0.05"/></body>
    <body name="right" pos="0.04 0 -0.06"><joint name="r" type="slide" axis="-1 0 0" damping="1"/>
      <geom name="right" type="box" size="0.005 0.01 0.03" mass="0.05"/></body>
  </body>
  <body name="box" pos="0 0 0.04"><freejoint/><geom name="object" type="box" size="0.02 0.02 0.02" mass="0.1"/></body>
  <body name="table" pos="0 0 0.01"><geom name="table" type="box" size="0.1 0.1 0.01"/></body>
</worldbody><actuator>
  <motor name="l" joint="l"/><motor name="r" joint="r"/><position name="up" joint="lift" kp="500"/>
</actuator></mujoco>
"""


@pytest.mark.slow
@pytest.mark.parametrize(("share", "holds"), [(1.02, True), (0.98, False)])
def test_a_gripper_holds_what_its_friction_can_carry(tmp_path: Path, share: float, holds: bool) -> None:
    """Two fingers press on a box of 0.1 kg with a force F and lift it; 2 mu F is the share of its weight."""
    path = tmp_path / "gripper.xml"
    path.write_text(GRIPPER, encoding="utf-8")
    robot = mbs.from_mjcf(path, contacts=True)
    robot.model.output("height", mbs.position("box")[2], unit="m")
    force = share * 0.1 * 9.81 / (2.0 * 0.5)
    carried = 0.3 * 9.81 / 500.0
    inputs = {"l": force, "r": force, "up": lambda t: carried + 0.1 * mbs.clip(t - 1.0, 0.0, 1.0)}
    result = mbs.simulate(robot.model, 4.0, method="rk4", step=5e-4, inputs=inputs, output_interval=0.01)
    risen = result["height"] - result["height"][0]
    if holds:
        last = result["time"] >= 3.0
        assert risen[-1] > 0.05 and np.ptp(risen[last]) < 1e-6
    else:
        assert risen[-1] < 0.02


LEG = """
<body name="{0}_thigh" pos="{1} {2} 0"><joint name="{0}_hip" axis="0 1 0" range="-90 90" limited="true"/>
  <geom name="{0}_thigh" type="capsule" fromto="0 0 0 -0.1 0 -0.17" size="0.02" mass="0.6"/>
  <body name="{0}_shank" pos="-0.1 0 -0.17"><joint name="{0}_knee" axis="0 1 0" range="-150 150" limited="true"/>
    <geom name="{0}_shank" type="capsule" fromto="0 0 0 0.1 0 -0.17" size="0.015" mass="0.3"/>
    <geom name="{0}_foot" type="sphere" pos="0.1 0 -0.17" size="0.022" mass="0.05" friction="0.8"/></body>
</body>
"""


def quadruped(folder: Path) -> Path:
    legs = [("lf", 0.2, 0.12), ("rf", 0.2, -0.12), ("lh", -0.2, 0.12), ("rh", -0.2, -0.12)]
    trunk = (
        '<body name="trunk" pos="0 0 0.3625"><freejoint/><geom name="trunk" type="box" size="0.25 0.1 0.05" mass="8"/>'
    )
    servos = "".join(
        f'<position name="{leg}_{joint}" joint="{leg}_{joint}" kp="300" kv="4"/>'
        for leg, *_ in legs
        for joint in ("hip", "knee")
    )
    path = written(folder, trunk + "".join(LEG.format(*leg) for leg in legs) + "</body>")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</mujoco>", f"<actuator>{servos}</actuator></mujoco>"), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_quadruped_stands_as_in_mujoco(tmp_path: Path) -> None:
    """Loads of the feet sum to the weight, the depths are those of MuJoCo, and nothing creeps."""
    path = quadruped(tmp_path)
    depths, _ = rest_of_mujoco(path)
    robot = mbs.from_mjcf(path, contacts=True)
    feet = [name for name, contact in robot.contacts.items() if contact.kind == "plane-sphere"]
    robot.model.output("load", mbs.contact_force(robot.contact_names("ground")), unit="N")
    robot.model.output("place", mbs.position("trunk"), unit="m")
    for k, name in enumerate(feet):
        robot.model.output(f"depth{k}", mbs.penetration(name), unit="m")
    result = mbs.simulate(robot.model, 10.0, method="rk4", step=5e-4, output_interval=0.1)
    weight = sum(body.mass.value for body in robot.model.bodies.values()) * 9.81
    assert np.abs(result["load"][-1] / weight - (0.0, 0.0, 1.0)).max() < 1e-6
    ours = sorted(float(result[f"depth{k}"][-1]) for k in range(len(feet)))
    assert ours == pytest.approx(sorted(depths), rel=0.01)
    late = result["time"] >= 5.0
    assert np.ptp(result["place"][late], axis=0).max() < 1e-5
