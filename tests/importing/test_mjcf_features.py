"""Random MJCF documents, each feature on or off: accelerations are MuJoCo's, and notes are exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.oracles.robot_peers import BesideMuJoCo

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")

#: Contacts of the file are not read; MuJoCo enforces constraints softly, so that a law without them is compared.
DOCUMENT = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="{gravity}" timestep="0.001"><flag contact="disable" {flags}/></option>
  <worldbody>
    <site name="wall" pos="0.3 0.2 0.4"/>
    <body name="base" pos="0 0 1">{free}<geom type="box" size="0.1 0.1 0.1"/><site name="hook" pos="0.1 0.1 0"/>
      <body name="upper" pos="0 0.2 0"><joint name="a" axis="0 1 0.1" ref="0.2" {limit_a} {torques}/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04"/><site name="eye" pos="0.05 0.05 -0.2" euler="0.3 0.2 0.1"/>
        <site name="eye2" pos="0.05 0 -0.4"/>
        <body name="lower" pos="0 0 -0.5"><joint name="b" type="slide" axis="1 0 0.3" damping="0.2" {limit_b}/>
          <geom type="capsule" fromto="0 0 -0.1 0 0 -0.4" size="0.04"/><site name="end" pos="0 0.1 -0.2"/>
          <body name="tip" pos="0 0 -0.4"><joint name="c" axis="0 0.3 1" pos="0.1 0 0"/>
            <geom type="box" size="0.05 0.06 0.03" pos="0 0 -0.05"/><site name="point" pos="0.1 0.1 -0.1"/></body>
        </body>
      </body>
    </body>
    <body name="post" pos="0.7 0 0.4"><geom type="sphere" name="ball" size="0.05"/><site name="top" pos="0 0.1 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="grip" {grip}><joint joint="a" coef="{x[0]}"/><joint joint="c" coef="{x[1]}"/></fixed>
    <fixed name="sole"><joint joint="b" coef="{x[2]}"/></fixed>
    <spatial name="rope" {rope}><site site="wall"/><site site="eye"/><site site="eye2"/><site site="end"/></spatial>
    <spatial name="tackle" {tackle}><site site="top"/><site site="point"/><pulley divisor="2"/><site site="end"/>
      <site site="hook"/><pulley divisor="4"/><site site="eye"/><site site="point"/></spatial>
    {wrapped}
  </tendon>
  <actuator>{actuators}</actuator>
</mujoco>
"""
WRAPPED = '<spatial name="around"><site site="wall"/><geom geom="ball"/><site site="end"/></spatial>'
#: Actuators of all kinds that are read; {t} is a joint or tendon.
ACTUATORS = {
    "motor": '<motor name="motor" {t} gear="3" ctrlrange="-0.4 0.3" ctrllimited="true"/>',
    "servo": '<position name="servo" {t} kp="9" kv="1" gear="-0.7" forcerange="-4 5" forcelimited="true"/>',
    "speed": '<velocity name="speed" {t} kv="2" ctrlrange="0.1 0.2" ctrllimited="true"/>',
    "integrating": '<intvelocity name="integrating" {t} kp="4" actrange="-0.5 0.5" gear="2"/>',
    "filtered": '<general name="filtered" {t} dyntype="filter" dynprm="0.1" gainprm="6"/>',
    "exact": '<general name="exact" {t} dyntype="filterexact" dynprm="0.2" biastype="affine" biasprm="1 2 3"/>',
    "cylinder": '<cylinder name="cylinder" {t} timeconst="0.3" area="2" bias="1 2 3"/>',
    "damper": '<damper name="damper" {t} kv="2" ctrlrange="0 1"/>',
    "affine": '<general name="affine" {t} gaintype="affine" gainprm="1 2 3"/>',
}
PIDS = {
    "pid": '<pid name="pid" {t} kp="3" kv="1" ki="2" imax="0.5" gear="1.5"/>',
    "pos": '<pid name="pos" {t} kp="3" kv="1" input="pos"/>',
    "three": '<pid name="three" {t} kp="3" kv="1" ki="2" input="pos vel ff"/>',
}
if hasattr(mujoco.MjModel, "nactuator"):  # MuJoCo 4
    ACTUATORS |= PIDS
TARGETS = ('joint="a"', 'joint="b"', 'jointinparent="c"', 'tendon="grip"', 'tendon="sole"')
SPATIAL = ('tendon="rope"', 'tendon="tackle"')
PASSIVE = 'stiffness="{0}" damping="{1}" springlength="{2} {3}" {4}'
CLAMPED = 'actuatorfrcrange="-2 1" actuatorfrclimited="true"'
FEATURES = ("gravity", "free", "clamped", "grip", "rope", "tackle", "wrapped", "clampctrl", "spring", "damper")
FLAGS = ("gravity", "clampctrl", "spring", "damper")


def document(path: Path, seed: int) -> set[str]:
    """Write a random document without limits; return its features."""
    rng = np.random.default_rng(seed)
    on = {feature for feature in FEATURES if rng.random() < 0.5}

    def passive(name: str) -> str:
        low, high = sorted(rng.uniform(0.0, 1.5, 2))
        sums = CLAMPED * bool(rng.random() < 0.5)
        text = PASSIVE.format(*rng.uniform(1, 9, 2), low, high if rng.random() < 0.5 else low, sums)
        return text if name in on else sums

    targets = TARGETS if "clamped" in on else TARGETS + SPATIAL
    chosen = rng.choice(list(ACTUATORS), 5, replace=False)
    actuators = [ACTUATORS[name].format(t=targets[rng.integers(len(targets))]) for name in chosen]
    text = DOCUMENT.format(
        gravity="0.3 0.2 -9", x=rng.uniform(-2, 2, 3), limit_a="", limit_b="", torques=CLAMPED * ("clamped" in on),
        flags=" ".join(f'{flag}="disable"' for flag in FLAGS if flag not in on), free="<freejoint/>" * ("free" in on),
        grip=passive("grip"), rope=passive("rope"), tackle=passive("tackle"), wrapped=WRAPPED * ("wrapped" in on),
        actuators="".join(actuators),
    )  # fmt: skip
    path.write_text(text)
    return on


@pytest.mark.parametrize("seed", tiers(range(40), usual=12))
def test_tendons_and_actuators_are_mujocos(seed: int, tmp_path: Path) -> None:
    """Accelerations and rates of activations, with controls beyond their ranges; notes name what differs."""
    path = tmp_path / "random.xml"
    on = document(path, seed)
    robot = mbs.from_mjcf(path)
    errors = BesideMuJoCo(path, robot, seed, whole=True, controls=2.0).errors()
    assert max(errors.values()) < 1e-11, (on, errors)
    expected = ["joint 'a' is at 0.2 in the reference pose, where it is 0 here"]
    assert robot.notes == expected + ["tendon 'around' is left out: it wraps around geometries"] * ("wrapped" in on)
