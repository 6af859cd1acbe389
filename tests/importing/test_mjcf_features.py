"""Random MJCF documents, each feature on or off: accelerations are MuJoCo's, and notes are exact."""

from __future__ import annotations

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
  <option gravity="{gravity}" timestep="0.001" {fluid}><flag contact="disable" {flags}/></option>
  <worldbody>
    <site name="wall" pos="0.3 0.2 0.4"/>
    <body name="base" pos="0 0 1">{free}<geom type="box" size="0.1 0.1 0.1"/><site name="hook" pos="0.1 0.1 0"/>
      <body name="upper" pos="0 0.2 0" gravcomp="0.6"><joint name="a" axis="0 1 0.1" ref="0.2" {torques}/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04"/>
        <site name="eye" pos="0.05 0.05 -0.2" euler="0.3 0.2 0.1"/>
        <site name="eye2" pos="0.05 0 -0.4"/>
        <body name="lower" pos="0 0 -0.5"><joint name="b" type="slide" axis="1 0 0.3" damping="0.2"/>
          <geom type="capsule" fromto="0 0 -0.1 0 0 -0.4" size="0.04"/><site name="end" pos="0 0.1 -0.2"/>
          <body name="tip" pos="0 0 -0.4" gravcomp="1.2"><joint name="c" axis="0 0.3 1" pos="0.1 0 0"/>
            <geom type="box" size="0.05 0.06 0.03" pos="0 0 -0.05"/><site name="point" pos="0.1 0.1 -0.1"/></body>
        </body>
      </body>
    </body>
    <body name="post" pos="0.7 0 0.4"><geom type="sphere" name="ball" size="0.05"/>
      <site name="top" pos="0 0.1 0"/></body>
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
FEATURES = ("gravity", "free", "clamped", "grip", "rope", "tackle", "wrapped", "clampctrl", "spring", "damper", "fluid")
FLUID = 'density="900" viscosity="0.4" wind="0.3 -0.2 0.1"'
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
        gravity="0.3 0.2 -9", x=rng.uniform(-2, 2, 3), torques=CLAMPED * ("clamped" in on),
        flags=" ".join(f'{flag}="disable"' for flag in FLAGS if flag not in on), free="<freejoint/>" * ("free" in on),
        grip=passive("grip"), rope=passive("rope"), tackle=passive("tackle"), wrapped=WRAPPED * ("wrapped" in on),
        actuators="".join(actuators), fluid=FLUID * ("fluid" in on),
    )  # fmt: skip
    path.write_text(text)
    return on


@pytest.mark.parametrize("seed", tiers(range(40), usual=3))
def test_tendons_and_actuators_are_mujocos(seed: int, tmp_path: Path) -> None:
    """Accelerations and rates of activations, with controls beyond their ranges; notes name what differs."""
    path = tmp_path / "random.xml"
    on = document(path, seed)
    robot = mbs.from_mjcf(path)
    errors = BesideMuJoCo(path, robot, seed, whole=True, controls=2.0).errors()
    assert max(errors.values()) < 1e-11, (on, errors)
    expected = ["joint 'a' is at 0.2 in the reference pose, where it is 0 here"]
    assert robot.notes == expected + ["tendon 'around' is left out: it wraps around geometries"] * ("wrapped" in on)


ARM = """
<mujoco><compiler angle="radian"/><option timestep="{step}" solver="Newton" iterations="100" tolerance="0">
    <flag contact="disable"/></option>
  <worldbody><body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0" {joint}/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/><site name="s" pos="0.2 0.3 0"/></body>
    <site name="o" pos="0 0 0.1"/></worldbody>
  <tendon><fixed name="t" {tendon}><joint joint="j" coef="-1.5"/></fixed>
    <spatial name="r" {rope}><site site="o"/><site site="s"/></spatial></tendon>
  <actuator>{actuator}</actuator>
</mujoco>
"""


def arm(path: Path, **parts: str) -> Path:
    """Write a document of one hinge and two tendons; parts: attributes of its elements, or its actuators."""
    path.write_text(ARM.format(**{"step": "0.001", "joint": "", "tendon": "", "rope": "", "actuator": ""} | parts))
    return path


SATURATING = {
    "integrator": ('<intvelocity name="u" joint="j" kp="4" actrange="-0.3 0.4"/>', "u_activation"),
    "filter": (
        '<general name="u" joint="j" dyntype="filter" dynprm="0.1" gainprm="3" actlimited="true" actrange="-0.3 0.4"/>',
        "u_activation",
    ),
}
if hasattr(mujoco.MjModel, "nactuator"):
    SATURATING["integral"] = ('<pid name="u" joint="j" kp="3" kv="1" ki="2" imax="0.2" input="pos"/>', "u_integral")


@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("kind", SATURATING)
def test_activations_stay_in_their_range_as_mujocos(kind: str, tmp_path: Path) -> None:
    """Motion and activation over time, into the range's ends and back: MuJoCo's Euler steps converge to the model's."""
    actuator, state = SATURATING[kind]

    def control(t: float) -> float:
        return 2.0 if t < 0.5 else -3.0

    robot = mbs.from_mjcf(arm(tmp_path / "arm.xml", actuator=actuator, joint='damping="2"'))
    times, values = [0.0, 0.5, 0.5, 1.2], [2.0, 2.0, -3.0, -3.0]
    result = mbs.simulate(robot.model, 1.2, inputs={"u": (times, values)}, output_interval=0.1, rtol=1e-8)
    errors = []
    for step in (4e-3, 5e-4):
        mj = mujoco.MjModel.from_xml_path(
            str(arm(tmp_path / "arm.xml", actuator=actuator, joint='damping="2"', step=step))
        )
        data, found = mujoco.MjData(mj), []
        for k in range(round(1.2 / step)):
            data.ctrl[0] = control((k + 0.5) * step)
            mujoco.mj_step(mj, data)
            found += [[data.act[0], data.qpos[0]]] if (k + 1) % round(0.1 / step) == 0 else []
        errors.append(np.abs(np.array([result[state], result["arm.phi"]]).T[1:] - found).max())
    assert errors[1] < 2e-3 and errors[1] < 0.5 * errors[0], errors
    assert np.abs(result[state]).max() > 0.19  # it has reached an end of its range


@pytest.mark.quick
@pytest.mark.parametrize("seed", some_quick(range(4), 2))
def test_friction_that_slips_is_mujocos(seed: int, tmp_path: Path) -> None:
    """Smooth friction of a joint and of tendons is MuJoCo's bound at speeds above the range of its law."""
    loss = {part: f'frictionloss="{value}"' for part, value in (("joint", 0.7), ("tendon", 0.4), ("rope", 0.5))}
    path = arm(tmp_path / "arm.xml", **loss)
    robot = mbs.from_mjcf(path)
    errors = BesideMuJoCo(path, robot, seed, whole=True).errors()
    assert errors["a"] < 1e-9, errors
    text = "friction of {} is smooth near rest, where it differs from MuJoCo's and makes the model stiff: use rodas5p"
    assert robot.notes == [text.format("joints"), text.format("tendons")]


@pytest.mark.quick
def test_friction_that_sticks_is_a_mode(tmp_path: Path) -> None:
    """friction="sticks" makes the friction of joints stick; that of tendons stays smooth. Other options are refused."""
    path = arm(tmp_path / "arm.xml", joint='frictionloss="9"')
    robot = mbs.from_mjcf(path, friction="sticks")
    assert list(robot.model.loops) == ["j_friction"]
    assert robot.notes == ["friction of joints sticks at rest; MuJoCo's creeps"]
    with pytest.raises(mbs.ArgumentError, match="friction is 'sticky': use 'smooth' or 'sticks'"):
        mbs.from_mjcf(path, friction="sticky")
    with pytest.raises(mbs.ArgumentError, match="stops is 3: give two numbers, stiffness and damping"):
        mbs.from_mjcf(path, stops=3)  # type: ignore[arg-type]


@pytest.mark.usefixtures("in_plain_python")
def test_stops_are_at_the_limits_of_joints_and_tendons(tmp_path: Path) -> None:
    """The arm rests on the spring of whichever limit it meets first; without stops notes say so."""
    limits = {
        "joint": 'ref="0.1" range="-9 0.4" limited="true"',
        "tendon": 'range="-0.3 9" limited="true"',
        "rope": 'range="0.85 9" limited="true"',
    }
    stopped = "springs and dampers, soft constraints in MuJoCo"
    for part, text in limits.items():
        path = arm(tmp_path / "arm.xml", **{part: text})
        kind = "joints" if part == "joint" else "tendons"
        ranges = "ranges only: give stops=" if part == "joint" else "left out: give stops="
        assert f"limits of 1 {kind} are {ranges}" in mbs.from_mjcf(path).notes
        robot = mbs.from_mjcf(path, stops=(2e3, 60.0))
        assert f"limits of 1 {kind} are {stopped}" in robot.notes
        (stop,) = (name for name in robot.model.forces if name.endswith("_stops"))
        robot.model.output("push", mbs.strength(stop))
        robot.model.spring("brake", on="arm", damping=5.0)
        end = mbs.simulate(robot.model, 4.0, method="rk4", step=2e-3)
        mj = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(mj)
        data.qpos[0] = mj.qpos0[0] + end["arm.phi"][-1]
        mujoco.mj_forward(mj, data)
        length = {"joint": data.qpos[0], "tendon": data.ten_length[0], "rope": data.ten_length[1]}[part]
        low, high = float(text.split('"')[-4].split()[0]), float(text.split('"')[-4].split()[1])
        beyond = max(low - length, length - high)
        assert abs(end["push"][-1]) > 1.0
        assert_close(2e3 * beyond, abs(end["push"][-1]), 1e-6, f"force of the stop of the {part}")


@pytest.mark.usefixtures("in_plain_python")
def test_springs_of_tendons_store_energy(tmp_path: Path) -> None:
    """Without dampers the energy is constant, with springs that act on either side of their dead band."""
    text = ARM.format(
        step="0.001", joint="", actuator="", tendon='stiffness="30" springlength="-0.2 0.1"',
        rope='stiffness="60" springlength="0.6 1.0"',
    )  # fmt: skip
    path = tmp_path / "arm.xml"
    path.write_text(text)
    robot = mbs.from_mjcf(path)
    robot.model.output("energy", mbs.energy())
    robot.model.start("arm", u=4.0)
    result = mbs.simulate(robot.model, 1.0, method="rk4", step=1e-3)
    assert np.ptp(result["arm.phi"]) > 0.5
    assert np.ptp(result["energy"]) < 1e-5 * np.abs(result["energy"]).max()


KEYED = """
<mujoco><worldbody>
  <body name="box" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/>
    <body name="arm"><joint name="j" axis="0 1 0" ref="20"/><joint name="s" type="slide"/><geom size="0.1"/>
      <body name="hand" pos="0.3 0 0"><joint name="ball" type="ball"/><geom type="box" size="0.1 0.1 0.2"/></body>
  </body></body></worldbody>
  <actuator><motor name="m" joint="s" ctrlrange="-1 1"/>
    <general name="f" joint="j" dyntype="filter" dynprm="0.1"/></actuator>
  <keyframe><key name="home" time="0.5" qpos="1 2 3 0.5 0.5 0.5 0.5 0.7 0.2 0 0.6 0.8 0" ctrl="3 0.2" act="0.4"
    qvel="1 2 3 4 5 6 7 8 9 10 11"/><key/></keyframe>
</mujoco>
"""


@pytest.mark.usefixtures("in_plain_python")
def test_keyframes_are_starts(tmp_path: Path) -> None:
    """Runs start with a keyframe: bodies have the places and velocities of MuJoCo, controls and activations as well."""
    path = tmp_path / "keyed.xml"
    path.write_text(KEYED)
    robot = mbs.from_mjcf(path)
    assert list(robot.keyframes) == ["home", "1"] and robot.keyframes["home"].time == 0.5
    key = robot.keyframes["home"]
    assert key.inputs == {"m": 1.0, "f": 0.2} and key.start["f_activation"] == 0.4  # the control in its range
    assert mbs.from_mjcf(path, inputs=False).keyframes["home"].inputs == {}
    names = ("box", "arm", "hand")
    for name in names:
        robot.model.output(f"x_{name}", mbs.position(robot.bodies[name], (0.1, 0.2, 0.3)))
        robot.model.output(f"v_{name}", mbs.velocity(robot.bodies[name], (0.1, 0.2, 0.3)))
        robot.model.output(f"w_{name}", mbs.angular_velocity(robot.bodies[name]))
    result = mbs.simulate(robot.model, 1e-3, start=key.start, inputs=key.inputs, method="rk4", step=1e-3)
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    mujoco.mj_resetDataKeyframe(mj, data, 0)
    mujoco.mj_forward(mj, data)
    for name in names:
        body = data.body(name)
        point = body.xpos + body.xmat.reshape(3, 3) @ (0.1, 0.2, 0.3)
        position, rotation = np.zeros((3, mj.nv)), np.zeros((3, mj.nv))
        mujoco.mj_jac(mj, data, position, rotation, point, body.id)
        expected = {"x": point, "v": position @ data.qvel, "w": rotation @ data.qvel}
        for letter, value in expected.items():
            assert_close(result[f"{letter}_{name}"][0], value, 1e-13 * 40, f"{letter} of {name}")


MUSCLE = "0.75 1.05 -1 200 0.5 1.6 1.5 1.3 1.2"
REASONS = {
    '<muscle name="u" joint="j" lengthrange="0 1"/>': "its dyntype is muscle",
    f'<general name="u" joint="j" gaintype="muscle" gainprm="{MUSCLE}" lengthrange="0 1"/>': "its gaintype is muscle",
    f'<general name="u" joint="j" biastype="muscle" biasprm="{MUSCLE}" lengthrange="0 1"/>': "its biastype is muscle",
    '<general name="u" joint="j" dyntype="user"/>': "its dyntype is user",
    '<motor name="u" site="s"/>': "it acts on no hinge, slide or tendon",
}
if hasattr(mujoco.MjModel, "nactuator"):
    REASONS |= {
        '<dcmotor name="u" joint="j" resistance="1" motorconst="1"/>': "its dyntype is dcmotor",
        '<pid name="u" joint="j" kp="1" slewmax="2"/>': "the slope of its setpoint is limited",
    }


@pytest.mark.quick
@pytest.mark.parametrize(("actuator", "reason"), REASONS.items())
def test_actuators_that_are_left_out(actuator: str, reason: str, tmp_path: Path) -> None:
    """The note states which part of the actuator is not supported; others keep their own controls."""
    other = '<motor name="v" joint="j" ctrlrange="-3 2" ctrllimited="true"/>'
    robot = mbs.from_mjcf(arm(tmp_path / "arm.xml", actuator=actuator + other))
    assert robot.notes == [f"actuator 'u' is left out: {reason}"]
    assert {name: (x.range.low, x.range.high) for name, x in robot.model.inputs.items()} == {"v": (-3.0, 2.0)}


@pytest.mark.quick
def test_notes_on_what_mujoco_does_otherwise(tmp_path: Path) -> None:
    """Early activations, and clamps of joints that a rope crosses, differ from MuJoCo."""
    early = '<general name="u" joint="j" dyntype="integrator" actearly="true"/>'
    notes = mbs.from_mjcf(arm(tmp_path / "arm.xml", actuator=early)).notes
    assert notes == ["actuator 'u' uses its present activation, in MuJoCo that of the next step"]
    clamped = arm(tmp_path / "arm.xml", actuator='<motor name="u" tendon="r"/>', joint=CLAMPED)
    assert mbs.from_mjcf(clamped).notes == ["actuatorfrcrange of joints does not limit actuators of tendon 'r'"]


@pytest.mark.quick
@pytest.mark.skipif(not hasattr(mujoco.MjModel, "tendon_armature"), reason="this MuJoCo has no inertia of tendons")
def test_inertia_of_tendons_is_noted(tmp_path: Path) -> None:
    assert mbs.from_mjcf(arm(tmp_path / "arm.xml", tendon='armature="0.3"')).notes == [
        "armature of tendon 't' is left out"
    ]


ARMATURE = """
<mujoco><option gravity="1 2 -9"><flag contact="disable"/></option><worldbody>
  <body name="free" pos="0 0 1"><joint type="free" armature="0.3" damping="0.2"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0" mass="2"/>
    <body pos="0.3 0 0"><joint axis="0 1 0.2" pos="0.1 0 0" armature="0.1"/>
      <geom type="box" size="0.1 0.2 0.3" mass="1"/></body></body>
  <body pos="2 0 1"><joint type="ball" armature="0.4" pos="0.1 0.1 0"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0" mass="2"/>{}</body>
</worldbody></mujoco>
"""


@pytest.mark.quick
@pytest.mark.parametrize("seed", some_quick(range(3), 1))
def test_armature_of_free_and_ball_joints_is_mujocos(seed: int, tmp_path: Path) -> None:
    """Of those on the world; gravity does not act on it. That of a ball on a moving body is left out."""
    path = tmp_path / "armature.xml"
    path.write_text(ARMATURE.format(""))
    robot = mbs.from_mjcf(path)
    assert robot.notes == []
    errors = BesideMuJoCo(path, robot, seed).errors()
    assert max(errors.values()) < 1e-13, errors
    path.write_text(ARMATURE.format('<body><joint name="b" type="ball" armature="0.1"/><geom size="0.1"/></body>'))
    assert mbs.from_mjcf(path).notes == ["armature of ball joint 'b' is left out"]


@pytest.mark.quick
def test_drag_by_the_shapes_of_bodies_is_noted(tmp_path: Path) -> None:
    """Only for bodies with MuJoCo's second model of a fluid; the others have the first one."""
    geom = '<body><freejoint/><geom size="0.1"{}/></body>'
    bodies = geom.format(' fluidshape="ellipsoid"') + geom.format("")
    path = tmp_path / "swims.xml"
    path.write_text(f'<mujoco><option density="1000"/><worldbody>{bodies}</worldbody></mujoco>')
    robot = mbs.from_mjcf(path)
    assert "left out: the drag of a fluid on bodies with fluidshape='ellipsoid'" in robot.notes
    assert list(robot.model.forces) == ["body2_fluid"]


RUBBING = """
<mujoco><option gravity="0 0 -9"><flag contact="disable"/></option><worldbody>
  <body name="a" pos="0 0 1"><joint name="f" type="free" frictionloss="0.3"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0" mass="2"/>
    <body name="b" pos="0 0 0.5"><joint name="b" type="ball" frictionloss="0.1"/>
      <geom type="box" size="0.1 0.2 0.3" mass="1" pos="0.1 0 0.2"/></body></body>
</worldbody></mujoco>
"""


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_friction_of_free_and_ball_joints_is_mujocos_while_it_slips(tmp_path: Path) -> None:
    """Along world axes for the velocity of a free body, along its own axes for angular velocities."""
    path = tmp_path / "rubs.xml"
    path.write_text(RUBBING)
    robot = mbs.from_mjcf(path)
    assert [note.split(" near")[0] for note in robot.notes] == ["friction of joints is smooth"]
    rng, m = np.random.default_rng(0), robot.model
    quaternions = [q / np.linalg.norm(q) for q in rng.normal(size=(2, 4))]
    u, u_b = rng.normal(size=6), rng.normal(size=3)
    m.start("a", q=[0.0, 0.0, 1.0, *quaternions[0]], u=list(u))
    m.start("b", q=list(quaternions[1]), u=list(u_b))
    m.output("a", mbs.acceleration("a"))
    m.output("alpha", mbs.angular_acceleration("a"))
    result = mbs.simulate(m, 1e-4, method="rk4", step=1e-4)
    mj = mujoco.MjModel.from_xml_path(str(path))
    data, R = mujoco.MjData(mj), np.zeros(9)
    mujoco.mju_quat2Mat(R, quaternions[0])
    R = R.reshape(3, 3)
    data.qpos[:] = [0.0, 0.0, 1.0, *quaternions[0], *quaternions[1]]
    data.qvel[:] = [*(R @ u[:3]), *u[3:], *u_b]
    mujoco.mj_forward(mj, data)
    M = np.zeros((9, 9))
    for j in range(9):
        mujoco.mj_mulM(mj, data, M[j], np.eye(9)[j])
    losses = np.array([0.3] * 6 + [0.1] * 3)
    expected = np.linalg.solve(M, data.qfrc_smooth - losses * np.sign(data.qvel))  # tanh(10 u/speed) is 1
    assert_close(result["a"][0], expected[:3], 1e-10, "acceleration")
    assert_close(result["alpha"][0], R @ expected[3:6], 1e-10, "angular acceleration")
