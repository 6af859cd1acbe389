"""Absolute coordinates (every body free, every joint a closure) give the results of the tree."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.absolute.rewriting import absolute
from mbs_fmu.run.bundled import bundled_model
from support.cases import Case, each, tiers
from support.formulations import STEP, apart, assert_same_step, measure_all
from support.generators.loops import LOOP_JOINTS, random_loops
from support.generators.mechanisms import JOINTS
from support.generators.trees import add_forces, moving_tree

KNOWN = tuple(joint for joint in JOINTS if joint != "custom")  #: models with an absolute form


@pytest.mark.usual
@each(KNOWN, 1, 1, 1)
def test_accelerations_and_reactions_of_random_trees(case: Case, in_plain_python: None) -> None:
    """With forces of all kinds, joint columns, accelerations, reactions and powers agree at start and after a step."""
    model = moving_tree(case, 4, KNOWN)
    add_forces(model, np.random.default_rng(case.seed))
    measure_all(model)
    assert_same_step(model)


@each(LOOP_JOINTS, 1, 1)
def test_accelerations_and_reactions_of_random_loops(case: Case, in_plain_python: None) -> None:
    """The same for trees closed by all pairs and by an equation between joint coordinates; reactions where unique."""
    model = random_loops(case.seed, case.largest(5), 1, must=(case.joint,))
    tie(model)
    model.output("r_loop", mbs.reaction("loop0"))
    measure_all(model)
    assert_same_step(model)


def tie(m: mbs.Model) -> None:
    """Add an equation between the last two scalar coordinates, closed at the start, and its force."""
    scalar = [body for body in m.bodies.values() if body.joint.scalar and body.joint.coordinates][-2:]
    if len(scalar) == 2:
        one, two = (mbs.coordinate(body, 1) for body in scalar)
        q, r = (m.starts[body.name].q[0] for body in scalar)
        m.constrain("tie", one - 0.3 * mbs.sin(two) - (q - 0.3 * np.sin(r)))
        m.output("r_tie", mbs.multiplier("tie"))


# -- bundled models --------------------------------------------------------------------------------------------
def rising(t: mbs.Expression) -> mbs.Expression:
    return 4.0 * mbs.sin(3.0 * t)


#: File, function, duration (s), inputs.
MODELS: tuple[tuple[str, str, float, dict], ...] = (
    ("double_pendulum", "double_pendulum", 1.0, {}),
    ("spherical_pendulum", "spherical_pendulum", 1.0, {}),
    ("bouncing_pendulum", "bouncing_pendulum", 1.5, {}),
    ("clutch", "clutch", 1.5, {"press": 1.0}),
    ("differential", "differential", 1.0, {"torque": rising}),
    ("four_bar", "four_bar", 1.0, {}),
    ("free_top", "free_top", 1.0, {}),
    ("governor", "governor", 1.0, {"torque": rising}),
    ("governor", "governed", 1.0, {"set_point": 10.0}),
    ("gyroscope", "gyroscope", 0.5, {"torque": 0.01}),
    ("n_four_bar", "n_four_bar", 0.3, {}),
    ("pendulum_on_cart", "pendulum_on_cart", 1.0, {"force": rising}),
    ("planetary_gear", "planetary_gear", 1.0, {"sun_torque": rising, "carrier_torque": 0.5, "ring_torque": -0.1}),
    ("rack_steering", "rack_steering", 0.5, {"torque": 2.0}),
    ("rolling_disc", "rolling_disc", 0.5, {}),
    ("slider_crank", "slider_crank", 0.1, {"throttle": 0.3, "torque": -5.0}),
    ("slider_crank", "regulated_slider_crank", 0.1, {"torque": -5.0}),
    ("solar_array", "solar_array", 5.0, {}),
    ("solar_array", "solar_array_elastic", 5.0, {}),
    ("stewart_platform", "stewart_platform", 0.3, {"leg1": rising, **{f"leg{k}": 3.0 for k in range(2, 7)}}),
    ("universal_chain", "universal_chain", 0.5, {}),
)


@pytest.mark.slow
@pytest.mark.parametrize("case", tiers({model[1]: model for model in MODELS}, 1))
def test_models(case: tuple[str, str, float, dict]) -> None:
    """All outputs of every bundled model without drives agree to 1e-6 of their size, with equal switch times."""
    file, function, stop, inputs = case
    model = bundled_model(file, function)
    model.outputs.pop("residual", None)  # only a tree's loops; round-off in both
    arguments = {"inputs": inputs, "rtol": 1e-9}
    tree = mbs.simulate(model, stop, **arguments)
    free = mbs.simulate(model, stop, formulation="absolute", **arguments)
    assert free.columns == tree.columns
    for name in model.outputs:
        size = float(np.max(np.abs(tree[name]))) or 1.0
        difference = float(np.max(np.abs(free[name] - tree[name])))
        assert difference < 1e-6 * size, (name, difference, size)
    assert list(free.switches["name"]) == list(tree.switches["name"])
    assert free.switches["time"] == pytest.approx(tree.switches["time"], abs=1e-8)


def all_modes() -> mbs.Model:
    """An arm with rigid ends, a hand with a sticking hinge, a wheel whose ball joint locks at a time, a hook."""
    m = mbs.Model("all_modes")
    arm = m.body("arm", joint=mbs.Revolute("y"), **FULL)
    hand = m.body("hand", arm, mbs.Universal("xz"), **FULL, at=(0, 0, 1))
    wheel = m.body("wheel", joint=mbs.Spherical(), **FULL, at=(2, 0, 0))
    belt = m.body("belt", joint=mbs.Prismatic("x"), **FULL)
    m.limit("ends", on=arm, lower=-0.2, upper=0.6, restitution=0.5)
    m.friction("grip", on=hand, coordinate=2, torque=1.2, static=1.5, stick=True)
    m.gear("pulley", arm, belt, ratio=2.0, until=mbs.coordinate(arm) > 0.3)
    m.close(
        "hook", wheel, "world", mbs.Distance(2.0), at_a=(0, 0, 1), at_b=(0, 0, 1), when=mbs.coordinate(hand, 1) > 0.2
    )
    m.lock("lock", on=wheel, when=mbs.time > 0.5, until=mbs.coordinate(belt) > 0.1)
    m.start(arm, q=0.1, u=1.5)
    m.start(hand, q=(0.0, 0.4), u=(0.5, 0.0))
    m.start(wheel, u=(0.3, 0.2, 0.5))
    m.start(belt, q=0.05, u=0.75)
    m.output("E", mbs.energy())
    m.output("bears", mbs.multiplier("grip") + mbs.strength("grip"))
    m.output("blows", [mbs.impulse(name) for name in ("ends_upper", "hook")])
    return m


@pytest.mark.slow
def test_modes() -> None:
    """Rigid ends, stick friction, a coupling that opens, a hook and a lock have equal switches and impact impulses."""
    tree, free = (mbs.simulate(all_modes(), 1.0, rtol=1e-10, formulation=form) for form in ("tree", "absolute"))
    assert len(tree.switches) >= 5
    assert list(free.switches["name"]) == list(tree.switches["name"])
    for entry in ("time", "before", "after", "lost"):
        assert free.switches[entry] == pytest.approx(tree.switches[entry], abs=1e-7)
    for name in tree.columns:
        assert free[name] == pytest.approx(tree[name], abs=1e-6), name


# -- unsupported models ----------------------------------------------------------------------------------------
FULL = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.3, 0.4, 0.5)}


def one_body(joint: mbs.Joint, **body: object) -> mbs.Model:
    m = mbs.Model("one")
    m.body("link", joint=joint, **(FULL | body))
    return m


def two_bodies(first: dict, second: dict) -> mbs.Model:
    """Two bodies on hinges about y and z."""
    m = mbs.Model("two")
    m.body("first", joint=mbs.Revolute("y"), **first)
    m.body("second", "first", mbs.Revolute("z"), **(FULL | second))
    return m


def driven() -> mbs.Model:
    m = one_body(mbs.Revolute("y"))
    m.drive("crank", on="link", position=mbs.time)
    return m


def thrown_back() -> mbs.Model:
    m = one_body(mbs.Revolute("y"))
    m.event("stop", mbs.coordinate("link") - 1.0, reset={"link.w": -0.5 * mbs.rate("link")})
    return m


def kicked_base() -> mbs.Model:
    m = mbs.Model("kicked")
    m.body("base", joint=mbs.Free(), **FULL)
    m.body("rack", "base", **FULL)
    m.body("arm", "rack", mbs.Revolute("y"), **FULL)
    m.event("kick", mbs.time - 1.0, reset={"base.u[1]": 1.0})
    return m


turn, slide = mbs.turn, mbs.slide
REFUSED = {
    "drive 'crank' prescribes the motion of a joint": driven(),
    "event 'stop' resets 'link.w', a variable of a joint": thrown_back(),
    "event 'kick' resets 'base.u[1]', with which body 'arm' moves in joint coordinates": kicked_base(),
    "a screw beside other motions": one_body(mbs.Compound(*mbs.Screw("z", pitch=0.1).motions, slide("x"))),
    "body 'link': a custom joint can't be a closure": one_body(mbs.CustomJoint(["m"], lambda q, t: (q[0], 0, 0))),
    "ball or free joint among other motions": one_body(mbs.Compound(slide("x"), *mbs.Spherical().motions)),
    "rotations about one axis, one after the other,": one_body(mbs.Compound(turn("z"), slide("x"), turn("z"))),
    "the coordinates of 4 rotations": one_body(mbs.Compound(*map(turn, "xyzx"))),
    "three rotations the second of which is not normal": one_body(mbs.Compound(turn("x"), turn((1, 1, 0)), turn("z"))),
    "a translation among three rotations": one_body(mbs.Compound(turn("x"), slide("z"), turn("y"), turn("z"))),
    "body 'first' has no mass of its own": two_bodies({}, {}),
    "body 'second' has no inertia about an axis that it turns about": two_bodies(
        FULL, {"com": (0.1, 0, 0), "inertia": (0.0, 0.1, 0.1)}
    ),
    "body 'link' has no inertia about an axis": one_body(mbs.Revolute("y"), inertia=(0, 0, 0)),  # a point mass
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str) -> None:
    """An unsupported model gives one sentence that names the body and the remedy."""
    with pytest.raises(mbs.ModelError, match=re.escape(message)) as caught:
        absolute(REFUSED[message])
    assert 'formulation="absolute"' in str(caught.value)


@pytest.mark.quick
def test_arguments(in_plain_python: None) -> None:
    """`simulate` refuses unsupported arguments."""
    m = one_body(mbs.Revolute("y"))
    for wrong in ("relative", 1, None):
        with pytest.raises(mbs.ModelError, match=r"unknown formulation .*: use 'tree' or 'absolute'"):
            mbs.simulate(m, 1.0, formulation=wrong)
    with pytest.raises(mbs.ModelError, match="is for single runs: leave it or batch= out"):
        mbs.simulate(m, 1.0, formulation="absolute", batch=mbs.Batch(start={"link.phi": [0.0, 1.0]}))


@pytest.mark.slow
def test_multipliers_along_other_axes_are_refused(in_plain_python: None) -> None:
    """The multiplier of a rod is the same number; those of a ball joint refer to other axes."""
    m = mbs.Model("hung")
    for name in ("one", "two"):
        m.body(name, joint=mbs.Spherical(), **FULL)
    m.close("rod", "one", "two", mbs.Distance(1.0), at_b=(0, 0, 1))
    m.output("pull", mbs.multiplier("rod"))
    assert max(apart(m, STEP, method="rk4", step=STEP, output_interval=STEP).values()) < 1e-9
    m.body("three", "one", mbs.Spherical(), **FULL, at=(1, 0, 0))
    m.body("four", "one", mbs.Spherical(), **FULL, at=(0, 1, 0))
    m.close("ball", "three", "four", mbs.Spherical(), at_a=(0, 1, 0), at_b=(1, 0, 0))
    m.output("ball", mbs.multiplier("ball", 1))
    with pytest.raises(mbs.ModelError, match=r"multiplier\(ball, 1\).*along other axes.*measure mbs.reaction"):
        mbs.simulate(m, STEP, method="rk4", step=STEP, formulation="absolute")


# -- angles --------------------------------------------------------------------------------------------------
@pytest.mark.usual
@pytest.mark.quick
def test_turns_are_counted(in_plain_python: None) -> None:
    """A wheel is counted past half and whole turns; a start beyond a turn gives a note."""
    m = mbs.Model("wheel", gravity=(0, 0, 0))
    wheel = m.body("wheel", joint=mbs.Revolute((1, 2, 2)), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.spring("wound", on=wheel, stiffness=0.02)
    m.start(wheel, q=9.0, u=4.0)
    differences = apart(m, 3.0, method="rk4", step=0.05, output_interval=0.05)
    assert differences["wheel.phi"] < 1e-5 and differences["wheel.tau"] < 1e-5
    result = mbs.simulate(m, 3.0, method="rk4", step=0.05, output_interval=0.05, formulation="absolute")
    w = np.sqrt(0.02 / 0.1)
    assert result["wheel.phi"] == pytest.approx(
        9.0 * np.cos(w * result.time) + 4.0 / w * np.sin(w * result.time), abs=1e-4
    )


@pytest.mark.parametrize("angles", tiers(["euler", "ship", "aircraft"], 1))
@pytest.mark.parametrize("joint", [mbs.Spherical, mbs.Free])
def test_three_angles_keep_their_branch(joint: type, angles: str, in_plain_python: None) -> None:
    """On either side of gimbal lock angles stay on their branch, although two triples give one rotation."""
    for middle in (0.9, 2.2, -0.9, -2.2):
        m = one_body(joint(angles))
        q = [0.0] * (3 if joint is mbs.Free else 0) + [0.4, middle, -2.5]
        m.start("link", q=q, u=[0.3] * len(q))
        differences = apart(m, STEP, method="rk4", step=STEP, output_interval=STEP)
        assert max(differences.values()) < 1e-9


# -- settings of runs ------------------------------------------------------------------------------------------
def test_start_values_and_parameters_of_a_run(in_plain_python: None) -> None:
    """Lengths that move joints, start values by the tree's names, inputs and time act as in the tree."""
    model = bundled_model("pendulum_on_cart", "pendulum_on_cart")
    settings = {
        "parameters": {"length": 0.9, "cart_mass": 2.0}, "start": {"rod.phi": 7.0, "cart.v": 0.5}, "start_time": 0.5,
        "inputs": {"force": lambda t: 3.0 * t},
    }  # fmt: skip
    differences = apart(model, 0.5 + STEP, method="rk4", step=STEP, output_interval=STEP, **settings)
    assert max(differences.values()) < 1e-11
    model.start("rod", q=-2.0)
    model.set_parameter("rod_mass", 0.5)
    assert max(apart(model, 0.5 + STEP, method="rk4", step=STEP, output_interval=STEP, **settings).values()) < 1e-11


def test_samples_and_resets_are_those_of_the_tree(in_plain_python: None) -> None:
    """A digital controller of a joint, and an event that resets its integral, act as in the tree."""
    m = one_body(mbs.Revolute("y"))
    error = m.sampled("error", 0.02, 0.5 - mbs.coordinate("link"), offset=0.01, start=0.1)
    integral = m.state("integral", error)
    m.motor("servo", on="link", torque=3.0 * error + integral - 0.1 * mbs.rate("link"))
    m.event("above", mbs.coordinate("link") - 0.03, reset={"integral": -0.5 * integral, "error": 0.0})
    differences = apart(m, 0.2, method="rk4", step=0.005, output_interval=0.01)
    assert max(differences.values()) < 1e-8, differences
    assert len(mbs.simulate(m, 0.2, method="rk4", step=0.005).events["above"]) > 0


@pytest.mark.quick
def test_a_run_that_fails(in_plain_python: None) -> None:
    """The partial result has the tree's columns."""
    m = one_body(mbs.Revolute("y"))
    m.state("z", rate=lambda z: z * z, start=1.0)
    results = []
    for formulation in ("tree", "absolute"):
        with pytest.raises(mbs.SimulationError, match="state 'z'") as caught, np.errstate(all="ignore"):
            mbs.simulate(m, 2.0, method="rk4", step=0.05, output_interval=0.05, formulation=formulation)
        results.append(caught.value.result)
    assert results[1].columns == results[0].columns == ["time", "link.phi", "link.w", "z"]
    assert results[1]["link.phi"] == pytest.approx(results[0]["link.phi"], abs=1e-3)


@pytest.mark.quick
def test_events_are_those_of_the_tree(in_plain_python: None) -> None:
    """Events of joint coordinates have the tree's times; an event may end the run."""
    m = one_body(mbs.Revolute("y"))
    m.event("level", mbs.coordinate("link") - 1.0, stop=True)
    m.start("link", q=0.5)
    one, two = (mbs.simulate(m, 2.0, rtol=1e-9, formulation=form) for form in ("tree", "absolute"))
    assert one.events["level"].size == 1 and len(two) == len(one)
    assert two.events["level"] == pytest.approx(one.events["level"], abs=1e-8)
