"""Mocap bodies of MJCF documents, which inputs move as MuJoCo's user does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")
pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

DOCUMENT = """
<mujoco>
  <worldbody>
    <body name="hand" mocap="true" pos="0.1 0.2 0.3" euler="10 20 30"><geom size="0.02"/>
      <body name="finger" pos="0 0.1 0" euler="0 0 40"><geom name="tip" size="0.01" pos="0.1 0 0"/></body>
    </body>
    <body name="tool" pos="0.1 0.2 0.3" euler="10 20 30"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" mass="1"/></body>
  </worldbody>
  <equality><weld body1="hand" body2="tool"/></equality>
  <keyframe><key name="away" mpos="1 2 3" mquat="0.6 0 0.8 0"/></keyframe>
</mujoco>
"""


def read(folder: Path, **options: str) -> tuple[mbs.Imported, Path]:
    path = folder / "mocap.xml"
    path.write_text(DOCUMENT)
    return mbs.from_mjcf(path, **options), path  # type: ignore[arg-type]


def test_inputs_move_a_mocap_body_and_what_is_welded_to_it(tmp_path: Path) -> None:
    """Places are those of MuJoCo with the same pose; the welded body has the velocity of the inputs."""
    robot, path = read(tmp_path, mocap="inputs")
    assert robot.notes[0] == "equalities are rigid here, soft in MuJoCo" and not any("mocap" in x for x in robot.notes)
    m, start = robot.model, mbs.from_mjcf(path).model
    assert not start.inputs
    place = (0.1, 0.0, 0.0)
    for name in ("hand", "finger", "tool"):
        m.output(f"{name}_place", mbs.position(name, place), unit="m")
    m.output("v", mbs.velocity("tool", (0, 0, 0)), unit="m/s")
    m.output("w", mbs.angular_velocity("tool"), unit="rad/s")
    q0 = np.array([m.inputs[f"hand_q{k}"].start for k in range(4)])
    speed, spin = np.array((0.3, -0.2, 0.1)), 0.3

    paths = {
        f"hand_{x}": lambda t, x=x, v=float(v): m.inputs[f"hand_{x}"].start + v * t
        for x, v in zip("xyz", speed, strict=True)
    }
    paths |= {  # twice as long as a unit quaternion
        f"hand_q{k}": lambda t, a=float(a), b=float(sign * b): (
            2.0 * (a * mbs.cos(0.5 * spin * t) + b * mbs.sin(0.5 * spin * t))
        )
        for k, (a, sign, b) in enumerate(zip(q0, (-1, -1, 1, 1), q0[[3, 2, 1, 0]], strict=True))
    }
    rates = {"hand_wz": spin} | {f"hand_v{x}": float(v) for x, v in zip("xyz", speed, strict=True)}
    result = mbs.simulate(m, 0.2, method="rk4", step=0.05, output_interval=0.1, inputs=paths | rates)
    assert result.statistics["freedoms"] == 0
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    for k in range(3):
        data.mocap_pos[0] = (0.1, 0.2, 0.3) + speed * result.time[k]
        turn = np.array((np.cos(0.5 * spin * result.time[k]), 0.0, 0.0, np.sin(0.5 * spin * result.time[k])))
        mujoco.mju_mulQuat(data.mocap_quat[0], turn, q0)
        mujoco.mj_kinematics(mj, data)
        for name, body in (("hand", "hand"), ("finger", "finger"), ("tool", "hand")):
            seen = data.body(body).xpos + data.body(body).xmat.reshape(3, 3) @ place
            assert_close(result[f"{name}_place"][k], seen, 1e-9, f"place of {name} at {result.time[k]:g} s")
    assert_close(result["v"][-1], speed, 1e-9, "velocity of the tool")
    assert_close(result["w"][-1], [0.0, 0.0, spin], 1e-9, "angular velocity of the tool")


def test_without_values_a_mocap_body_stays(tmp_path: Path) -> None:
    """Inputs start at its pose in the file; keyframes have other ones, without velocities."""
    robot, _ = read(tmp_path, mocap="inputs")
    robot.model.output("place", mbs.position("tool"), unit="m")
    result = mbs.simulate(robot.model, 0.1, method="rk4", step=0.1)
    assert_close(result["place"][-1], [0.1, 0.2, 0.3], 1e-12, "place of the tool")
    away = robot.keyframes["away"].inputs
    assert [away[f"hand_{x}"] for x in ("x", "y", "z", "q0", "q1", "q2", "q3")] == [1, 2, 3, 0.6, 0, 0.8, 0]
    assert {away[f"hand_{x}"] for x in ("vx", "vy", "vz", "wx", "wy", "wz")} == {0.0}


def test_by_default_a_mocap_body_is_fixed(tmp_path: Path) -> None:
    robot, path = read(tmp_path)
    assert "1 mocap bodies are fixed: mocap='inputs' moves them" in robot.notes
    assert not robot.model.inputs and not robot.model.loops
    with pytest.raises(mbs.ArgumentError, match="mocap is 'free': use 'fixed' or 'inputs'"):
        mbs.from_mjcf(path, mocap="free")
