"""FMUs of a robot file with a closed loop, tendons, servos and contacts: the bits of `simulate`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.hosts.fmus import Host

pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo")

#: A gripper hangs over a table: a four-bar finger, whose loop a weld of two sites closes, and a finger on a tendon.
GRIPPER = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="table" type="plane" size="1 1 0.1" friction="0.6"/>
    <body name="palm" pos="0 0 0.4"><joint name="lift" type="slide" axis="0 0 1" damping="40"/>
      <geom type="box" size="0.06 0.03 0.02" mass="0.8" contype="0" conaffinity="0"/>
      <body name="crank" pos="-0.06 0 0"><joint name="crank" axis="0 1 0" damping="0.05"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.08" size="0.006" mass="0.05" contype="0" conaffinity="0"/>
        <body name="pad" pos="0 0 -0.08"><joint name="pad" axis="0 1 0" damping="0.02"/>
          <geom name="pad" type="box" size="0.005 0.02 0.03" pos="0 0 -0.03" mass="0.06" condim="4"/>
          <site name="tip" pos="0.02 0 0"/></body>
      </body>
      <body name="rocker" pos="-0.04 0 0"><joint name="rocker" axis="0 1 0" damping="0.05"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.08" size="0.006" mass="0.05" contype="0" conaffinity="0"/>
        <site name="end" pos="0 0 -0.08"/></body>
      <body name="finger" pos="0.05 0 -0.08"><joint name="finger" type="slide" axis="-1 0 0" damping="2"/>
        <geom name="finger" type="box" size="0.005 0.02 0.03" pos="0 0 -0.03" mass="0.06" condim="4"/></body>
    </body>
    <body name="ball" pos="0 0 0.03"><freejoint name="ball"/>
      <geom name="ball" size="0.03" mass="0.1" condim="6"/></body>
  </worldbody>
  <tendon>
    <fixed name="grip" stiffness="3" damping="0.5"><joint joint="crank" coef="-0.04"/><joint joint="finger" coef="0.5"/>
    </fixed>
  </tendon>
  <equality><connect site1="tip" site2="end"/></equality>
  <actuator>
    <position name="grip" tendon="grip" kp="200" ctrlrange="-0.02 0.02"/>
    <position name="lift" joint="lift" kp="400" kv="20"/>
  </actuator>
</mujoco>
"""


TICK = 1 / 128  #: s, a communication step whose multiples are exact


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", "native"])
def test_a_gripper_has_the_bits_of_simulate(tmp_path: Path, kind: str) -> None:
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = tmp_path / "gripper.xml"
    path.write_text(GRIPPER, encoding="utf-8")
    robot = mbs.from_mjcf(path, contacts=True)
    assert len(robot.model.loops) == 1 and len(robot.contacts) >= 3
    inputs = {"grip": 0.01, "lift": -0.25}
    robot.model.output("load", mbs.contact_force(robot.contact_names()), unit="N")
    options = {"method": "rk4", "step": TICK / 32}
    result = mbs.simulate(robot.model, 24 * TICK, inputs=inputs, output_interval=TICK, **options)  # type: ignore[arg-type]
    assert np.abs(result["load"]).max() > 0.5
    platforms = "host" if kind == "native" else "all"
    built = mbs.export(
        robot.model, tmp_path / "gripper.fmu", kind, platforms=platforms, communication_step=TICK, **options
    )  # type: ignore[arg-type]
    with Host(built) as host:
        host.start(inputs)
        rows = host.run(24, TICK)
        names = list(host.references)
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name][1:]), name
