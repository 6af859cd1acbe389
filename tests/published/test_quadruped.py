"""The quadruped of models/: it stands as statics and MuJoCo say, walks on a plane, and does not fall on bumps."""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.bundled import models_folder
from mbs_fmu.symbolic.expressions import as_expression
from mbs_fmu.symbolic.graph import evaluate
from support.hosts.fmus import Host
from support.paths import ROOT

URDF = ROOT / "models" / "quadruped.urdf"
RK4 = {"method": "rk4", "step": 1e-3}
SERVO, DAMPING = 70.0, 1.6  #: N m/rad, N m s/rad, of servos that hold the joints
NATIVE = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
FALLEN = 0.2  #: m, height of the trunk, which is 0.31 m when the robot stands


@cache
def quadruped() -> ModuleType:
    """The module of the model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(models_folder()))
        return importlib.import_module("quadruped")


def test_angles_put_the_foot_where_it_is_wanted() -> None:
    """The inverse kinematics of a leg against its rotations, one after the other."""
    module, random = quadruped(), np.random.default_rng(3)
    for k in range(40):
        side = 1 - 2 * (k % 2)
        x, y, z = random.uniform((-0.12, -0.1, -0.34), (0.12, 0.1, -0.18))
        wanted = (x, y + side * module.OFFSET, z)
        abduction, pitch, knee = (evaluate(e, {}) for e in module.leg_angles(*map(as_expression, wanted), side))
        in_plane = _turn_y(pitch) @ (np.array([0, 0, -module.THIGH]) + _turn_y(knee) @ [0, 0, -module.SHANK])
        place = _turn_x(abduction) @ (np.array([0, side * module.OFFSET, 0]) + in_plane)
        np.testing.assert_allclose(place, wanted, atol=1e-12)
        assert knee < 0.0


def _turn_x(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _turn_y(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def test_the_file_says_what_the_model_says() -> None:
    """Its weight and lengths are those of the controller, and the reader has nothing to note but bent knees."""
    module, tree = quadruped(), ElementTree.parse(URDF)
    masses = [float(mass.get("value", "")) for mass in tree.iter("mass")]
    assert sum(masses) * 9.81 == pytest.approx(module.WEIGHT, rel=1e-12)
    places = {joint.get("name"): joint.find("origin").get("xyz") for joint in tree.iter("joint")}  # type: ignore[union-attr]
    places = {name: [float(x) for x in text.split()] for name, text in places.items()}
    for leg, (end, side) in module.LEGS.items():
        assert places[f"{leg}_abduction"] == [end * module.ALONG, side * module.ACROSS, 0.0]
        assert places[f"{leg}_pitch"] == [0.0, side * module.OFFSET, 0.0]
        assert places[f"{leg}_knee"] == [0.0, 0.0, -module.THIGH] and places[f"{leg}_sole"] == [0.0, 0.0, -module.SHANK]
    assert {float(s.get("radius", "")) for s in tree.iter("sphere")} == {module.FOOT}
    notes = module.standing_robot("robot", mbs.Plane("z"), "").notes
    assert len(notes) == 4 and all("knee" in note for note in notes)


# -- standing --------------------------------------------------------------------------------------------
def held(surface: Any = None) -> mbs.Model:
    """The robot with servos that hold the joints of a standing robot."""
    module = quadruped()
    robot = module.standing_robot("held", surface or mbs.Plane("z"), "Quadruped with servos")
    angles = zip(module.JOINTS, module.STANDING * 4, strict=True)
    torques = [
        SERVO * (angle - mbs.coordinate(robot.joints[joint].body)) - DAMPING * mbs.rate(robot.joints[joint].body)
        for joint, angle in angles
    ]
    module.add_motors(robot, torques)
    robot.model.output("force", mbs.contact_force([f"ground.{leg}_foot" for leg in module.LEGS]), unit="N")
    return robot.model


@cache
def stood() -> mbs.Result:
    """A run in which it comes to rest."""
    return mbs.simulate(held(), 10.0, output_interval=0.05, **RK4)  # type: ignore[arg-type]


def test_feet_carry_the_weight() -> None:
    """At rest the forces on the feet are the weight, nothing moves, and both sides are equal."""
    result = stood()
    np.testing.assert_allclose(result["force"][-1], [0, 0, quadruped().WEIGHT], atol=1e-4)
    assert np.abs(result["rate"][-1]).max() < 1e-5
    left, right = result["load"][-1, ::2], result["load"][-1, 1::2]
    np.testing.assert_allclose(left, right, rtol=1e-9)


@pytest.mark.slow
def test_it_stands_as_in_mujoco() -> None:
    """Servos, inertias and places are the same; only the contacts are not, whose depths are taken off.

    Friction holds the feet where they have come down, which is not at the same place in both. Hence abductions differ
    by 1.5 mrad, and the height by that times the distance of the leg's plane from its abduction.
    """
    played = 2e-3  # rad
    mujoco = pytest.importorskip("mujoco")
    result, module = stood(), quadruped()
    depth = module.WEIGHT / 4 / module.STIFFNESS
    model, data = _in_mujoco(mujoco)
    for _ in range(5_000):
        mujoco.mj_step(model, data)
    depths = [-data.contact[k].dist for k in range(data.ncon)]
    assert len(depths) == 4
    height = data.qpos[2] + float(np.mean(depths))
    assert result["position"][-1, 2] + depth == pytest.approx(height, abs=played * module.OFFSET)
    for k, joint in enumerate(module.JOINTS):
        angle = data.qpos[model.jnt_qposadr[model.joint(joint).id]]
        assert result["angle"][-1, k] == pytest.approx(angle, abs=played), joint


def _in_mujoco(mujoco: Any) -> tuple[Any, Any]:
    """The robot in MuJoCo, on stiff contacts."""
    module = quadruped()
    text = re.sub(r"<visual>.*?</visual>", "", URDF.read_text(encoding="utf-8"), flags=re.DOTALL)
    compiler = '<mujoco><compiler fusestatic="false" strippath="false"/></mujoco>'
    spec = mujoco.MjSpec.from_string(text.replace('<robot name="quadruped">', f'<robot name="quadruped">{compiler}', 1))
    spec.option.timestep = 1e-3
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.noslip_iterations = 10  # else its feet creep
    spec.worldbody.first_body().add_freejoint()
    for joint in spec.joints:
        if joint.name in module.JOINTS:
            joint.armature = module.ROTOR
            servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_position(kp=SERVO, kv=DAMPING)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    for geom in spec.geoms:
        geom.solref, geom.friction, geom.condim = (0.004, 1.0), [module.FRICTION, 0, 0], 3
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2] = module.HEIGHT + module.FOOT
    for joint, angle in zip(module.JOINTS, module.STANDING * 4, strict=True):
        data.qpos[model.jnt_qposadr[model.joint(joint).id]] = angle
        data.ctrl[model.actuator(joint).id] = angle
    return model, data


# -- walking ---------------------------------------------------------------------------------------------
def walk(name: str, stop: float) -> mbs.Result:
    """A run of robot and controller, from a start in which it settles."""
    return mbs.simulate(getattr(quadruped(), name)(), stop, output_interval=0.01, **RK4)  # type: ignore[arg-type]


def assert_upright(result: mbs.Result) -> None:
    """The trunk stays above the ground and level, and the robot on its line."""
    assert result["position"][:, 2].min() > FALLEN
    assert np.abs(result["attitude"][:, :2]).max() < 0.35  # rad
    assert np.abs(result["position"][:, 1]).max() < 0.5


def test_it_trots_on_a_plane() -> None:
    """After a second in which it stands, it trots in a straight line at about the wanted speed, on pairs of feet."""
    result = walk("trotting_quadruped", 5.0)
    assert_upright(result)
    walks = result.time > 3.0
    assert result["velocity"][walks, 0].mean() == pytest.approx(0.4, abs=0.08)
    assert result["load"][walks].sum(axis=1).mean() == pytest.approx(quadruped().WEIGHT, rel=0.1)
    down = result["load"][walks] > 0.0
    assert np.mean(down[:, 0] == down[:, 3]) > 0.7 and np.mean(down[:, 0] == down[:, 1]) < 0.4


@pytest.mark.slow
@pytest.mark.parametrize("stop", [10.0, 60.0])
def test_it_does_not_fall_on_bumps(stop: float) -> None:
    """Bumps of 3 cm: in a minute it walks 23 m, and reaches three quarters of the wanted way in any case."""
    result = walk("trotting_on_bumps", stop)
    assert_upright(result)
    assert result["position"][-1, 0] > 0.75 * 0.4 * (stop - 2.0)


KINDS = [pytest.param("python", marks=pytest.mark.slow), pytest.param("native", marks=[NATIVE, pytest.mark.slow])]


@pytest.mark.parametrize("kind", KINDS)
def test_fmus_walk_with_the_bits_of_simulate(kind: str, tmp_path: Path) -> None:
    """Robot and controller in one FMU of each kind, on bumps; samples lie within communication steps."""
    model = quadruped().trotting_on_bumps()
    tick = 1 / 128  # s, whose multiples are exact
    settings: dict[str, Any] = {"method": "rk4", "step": tick / 8}
    platforms = "host" if kind == "native" else "all"
    path = mbs.export(model, tmp_path / "walk.fmu", kind, reference=False, platforms=platforms, **settings)
    result = mbs.simulate(model, 4.0, output_interval=tick, **settings)
    names = [*(f"position[{k}]" for k in (1, 2, 3)), *(f"load[{k}]" for k in (1, 2, 3, 4))]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result.time)):
            host.step(tick)
            assert np.array_equal(host.get(*names), [result[name][row] for name in names]), result.time[row]
