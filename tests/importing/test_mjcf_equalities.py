"""Equalities of MJCF documents: accelerations are those of MuJoCo's rows as rigid constraints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")
pytestmark = pytest.mark.usefixtures("in_plain_python")

DOCUMENT = """
<mujoco>
  <compiler angle="radian"/>
  <option jacobian="dense" gravity="1 2 -9"><flag contact="disable"/></option>
  <worldbody>
    <body name="one" pos="0 0 1"><joint name="a" axis="0 1 0.2" ref="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.04"/>
      <body name="two" pos="0.5 0 0"><joint name="b" axis="0.1 1 0"/><joint name="b2" axis="0 0.1 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/><site name="s" pos="0.1 0 -0.3" euler="0.3 0.1 0.2"/>
      </body>
    </body>
    <body name="three" pos="1 0 1" euler="0.2 0.3 0.4">
      <joint name="d" type="slide" axis="0 0.3 1"/><joint name="e" type="ball" damping="0.1"/>
      <geom type="box" size="0.2 0.1 0.1" pos="0.1 0 0"/>
      <body name="four" pos="0 0 -0.4"><joint name="f" axis="1 0.2 0.1"/>
        <geom type="box" size="0.1 0.2 0.1" pos="0.1 0 0"/>{site}</body>
    </body>
    <body name="hand" mocap="true"/><body name="post"><geom size="0.1"/></body>
  </worldbody>
  <tendon>
    <fixed name="t"><joint joint="a" coef="2"/><joint joint="f" coef="-1"/></fixed>
    <fixed name="u"><joint joint="d" coef="1.5"/><joint joint="b" coef="0.5"/></fixed>
    <spatial name="v"><site site="s"/><site site="r"/></spatial>
    <spatial name="w"><site site="s"/><geom geom="g"/><site site="r"/></spatial>
  </tendon>
  <equality>{equality}</equality>
</mujoco>
"""
#: Sites coincide with one another in the reference pose, unless a pose is given.
EQUALITIES = {
    "connect bodies": '<connect name="x" body1="two" body2="four" anchor="0.1 0.2 -0.3"/>',
    "connect sites": '<connect name="x" site1="s" site2="r"/>',
    "connect the world": '<connect name="x" body1="four" anchor="0.1 0.2 -0.3"/>',
    "weld bodies": '<weld name="x" body1="two" body2="four"/>',
    "weld bodies at a point": '<weld name="x" body1="four" body2="two" anchor="0.3 0.2 0.1"/>',
    "weld without torque": '<weld name="x" body1="two" body2="four" torquescale="0"/>',
    "weld sites": '<weld name="x" site1="s" site2="r"/>',
    "joint": '<joint name="x" joint1="a" joint2="b" polycoef="0 0.5 0.4 -0.3 0.2"/>',
    "constant joint": '<joint name="x" joint1="b" polycoef="0 0 0 0 0"/>',
    "tendons": '<tendon name="x" tendon1="t" tendon2="u" polycoef="0 0.7 0.4 -0.3 0.2"/>',
    "constant tendon": '<tendon name="x" tendon1="t" polycoef="0 1 0 0 0"/>',
    "spatial tendon": '<tendon name="x" tendon1="v" tendon2="t" polycoef="0 0.3 0.4 0 0"/>',
}
LEFT_OUT = {
    '<weld name="x" body1="two" body2="hand"/>': "is left out: mocap body 'hand' is fixed",
    '<connect name="x" body1="post" anchor="0 0 0"/>': "is left out: both of its bodies are fixed",
    '<weld name="x" body1="two" body2="four" active="false"/>': "is not active and left out",
    '<tendon name="x" tendon1="w"/>': "is left out, as its tendon",
}


def site_on_four(kind: str) -> str:
    """The second site: at the first one in the reference pose, except for tendons, whose length must not vanish."""
    if "tendon" in kind:
        return '<site name="r" pos="0.1 0.3 0.2"/><geom name="g" size="0.02" pos="0.3 0 0"/>'
    mj = mujoco.MjModel.from_xml_string(
        DOCUMENT.format(site='<site name="r"/><geom name="g" size="0.02"/>', equality="")
    )
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    R, four = data.site("s").xmat.reshape(3, 3), data.body("four")
    place, axes = four.xmat.reshape(3, 3).T @ (data.site("s").xpos - four.xpos), four.xmat.reshape(3, 3).T @ R
    numbers = (" ".join(map(repr, values.tolist())) for values in (place, axes.T[:2].ravel()))
    return '<site name="r" pos="{}" xyaxes="{}"/><geom name="g" size="0.02" pos="0.3 0 0"/>'.format(*numbers)


def accelerations(mj: object, data: object, names: list[str]) -> np.ndarray:
    """Accelerations of a point and angular accelerations of bodies at rest, with MuJoCo's rows as rigid constraints."""
    M, n = np.zeros((mj.nv, mj.nv)), mj.nv  # type: ignore[attr-defined]
    for j in range(n):
        mujoco.mj_mulM(mj, data, M[j], np.eye(n)[j])
    J = data.efc_J.reshape(-1, n)  # type: ignore[attr-defined]
    smooth = data.qacc_smooth  # type: ignore[attr-defined]
    force = np.linalg.lstsq(J @ np.linalg.solve(M, J.T), -J @ smooth, rcond=1e-10)[0]
    qacc = smooth + np.linalg.solve(M, J.T @ force)
    found = []
    for name in names:
        body = data.body(name)  # type: ignore[attr-defined]
        point = body.xpos + body.xmat.reshape(3, 3) @ (0.1, 0.2, 0.3)
        position, rotation = np.zeros((3, n)), np.zeros((3, n))
        mujoco.mj_jac(mj, data, position, rotation, point, body.id)
        found += [position @ qacc, rotation @ qacc]
    return np.array(found)


@pytest.mark.parametrize("kind", tiers(list(EQUALITIES), usual=6))
def test_equalities_are_mujocos(kind: str, tmp_path: Path) -> None:
    """Accelerations of all bodies from rest; polynomials of hinges and fixed tendons also away from zero."""
    path = tmp_path / "equal.xml"
    path.write_text(DOCUMENT.format(site=site_on_four(kind), equality=EQUALITIES[kind]))
    robot = mbs.from_mjcf(path)
    assert "equalities are rigid here, soft in MuJoCo" in robot.notes
    assert list(robot.model.loops) == ["x"]
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    for name, value in start_of(kind).items():
        joint = robot.joints[name]
        number = mj.joint(name).qposadr[0]
        data.qpos[number] = mj.qpos0[number] + value
        q = [0.0] * len(robot.model.bodies[joint.body].coordinates)
        q[joint.coordinate - 1] = value
        robot.model.start(joint.body, q=q)
    mujoco.mj_forward(mj, data)
    names = ["one", "two", "three", "four"]
    for name in names:
        robot.model.output(f"v_{name}", mbs.acceleration(robot.bodies[name], (0.1, 0.2, 0.3)))
        robot.model.output(f"w_{name}", mbs.angular_acceleration(robot.bodies[name]))
    result = mbs.simulate(robot.model, 1e-4, method="rk4", step=1e-4, output_interval=1e-4)
    seen = np.array([result[f"{letter}_{name}"][0] for name in names for letter in "vw"])
    expected = accelerations(mj, data, names)
    assert_close(seen, expected, 1e-9 * np.abs(expected).max(), f"accelerations with {kind}")


def start_of(kind: str) -> dict[str, float]:
    """Coordinates, relative to the reference pose, that fulfil a polynomial away from zero."""
    x = 0.6
    value = 0.4 * x**2 - 0.3 * x**3 + 0.2 * x**4
    if kind == "joint":
        return {"b": x, "a": 0.5 * x + value}
    return {"b": 2.0 * x, "a": 0.5 * (0.7 * x + value)} if kind == "tendons" else {}


@pytest.mark.quick
@pytest.mark.parametrize(("equality", "reason"), LEFT_OUT.items())
def test_left_out_equalities_state_their_reason(equality: str, reason: str, tmp_path: Path) -> None:
    """Those that hold a mocap body or fixed bodies, and those of tendons that are left out."""
    path = tmp_path / "equal.xml"
    path.write_text(DOCUMENT.format(site=site_on_four("tendon"), equality=equality))
    robot = mbs.from_mjcf(path)
    assert f"equality 'x' {reason}" in robot.notes
    assert not robot.model.loops
