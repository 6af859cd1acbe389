"""Models in absolute coordinates: what every body free and every joint a closure gives must be what the tree gives."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, each, tiers
from loops import LOOP_JOINTS, random_loops
from mechanisms import JOINTS
from trees import add_forces, moving_tree

import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model

KNOWN = tuple(joint for joint in JOINTS if joint not in ("screw", "custom"))  #: that have an absolute form
STEP = 1e-4  #: s, one step of a method of order 4: what it errs by is rounding


def apart(model: mbs.Model, stop: float, **arguments: object) -> dict[str, float]:
    """How far both formulations are apart, by column: largest difference over the largest entry (over 1, if less)."""
    tree = mbs.simulate(model, stop, **arguments)
    free = mbs.simulate(model, stop, formulation="absolute", **arguments)
    assert free.columns == tree.columns and free.vectors == tree.vectors and free.units == tree.units
    assert np.array_equal(free.time, tree.time)
    return {
        name: float(np.max(np.abs(free[name] - tree[name]))) / max(1.0, float(np.max(np.abs(tree[name]))))
        for name in tree.columns
    }


def measure_all(m: mbs.Model) -> None:
    """Accelerations and reactions of all bodies, powers and strengths of all forces, energy."""
    for name, body in m.bodies.items():
        m.output(f"a_{name}", mbs.acceleration(name, (0.1, 0.2, 0.3)))
        m.output(f"w_{name}", mbs.angular_acceleration(name))
        if body.joint.motions:
            m.output(f"r_{name}", mbs.reaction(name))
    for name in m.forces:
        m.output(f"p_{name}", mbs.power(name))
    m.output("E", mbs.energy())


@each(KNOWN, 2, 4, 2)
def test_accelerations_and_reactions_of_random_trees(case: Case, in_plain_python: None) -> None:
    """With forces of all kinds, at the start and after a step: joint columns, accelerations, reactions, powers."""
    model = moving_tree(case, 4, KNOWN)
    add_forces(model, np.random.default_rng(case.seed))
    measure_all(model)
    found = apart(model, STEP, method="rk4", step=STEP, output_interval=STEP)
    worst = max(found, key=found.__getitem__)
    assert found[worst] < 1e-9, (worst, found[worst])


@each(LOOP_JOINTS, 2, 3, 1)
def test_accelerations_and_reactions_of_random_loops(case: Case, in_plain_python: None) -> None:
    """Of trees closed by all pairs, and by an equation between joint coordinates; reactions where they are unique."""
    model = random_loops(case.seed, case.largest(5), 1, must=(case.joint,))
    tie(model)
    model.output("r_loop", mbs.reaction("loop0"))
    measure_all(model)
    found = apart(model, STEP, method="rk4", step=STEP, output_interval=STEP)
    statistics = mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP).statistics
    if statistics["rank"] < statistics["conditions"]:
        found = {name: number for name, number in found.items() if not name.startswith("r_")}
    worst = max(found, key=found.__getitem__)
    assert found[worst] < 1e-9, (worst, found[worst])


def tie(m: mbs.Model) -> None:
    """An equation between the last two coordinates that are angles or lengths, closed at the start; and its force."""
    scalar = [body for body in m.bodies.values() if body.joint.scalar and body.joint.coordinates][-2:]
    if len(scalar) == 2:
        one, two = (mbs.coordinate(body, 1) for body in scalar)
        q, r = (m.starts[body.name].q[0] for body in scalar)
        m.constrain("tie", one - 0.3 * mbs.sin(two) - (q - 0.3 * np.sin(r)))
        m.output("r_tie", mbs.multiplier("tie"))


# -- the models of this repository -----------------------------------------------------------------------------
def rising(t: mbs.Expression) -> mbs.Expression:
    return 4.0 * mbs.sin(3.0 * t)


#: File, function, s, inputs.
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


@pytest.mark.parametrize(("file", "function", "stop", "inputs"), tiers({model[1]: model for model in MODELS}, 2))
def test_models(file: str, function: str, stop: float, inputs: dict) -> None:
    """All outputs of every model without drives, to 1e-6 of their size; switches at the same times."""
    model = bundled_model(file, function)
    model.outputs.pop("residual", None)  # of a tree's loops only; rounding in both
    arguments = {"inputs": inputs, "rtol": 1e-9}
    tree = mbs.simulate(model, stop, **arguments)
    free = mbs.simulate(model, stop, formulation="absolute", **arguments)
    assert free.columns == tree.columns
    for name, output in model.outputs.items():
        size = float(np.max(np.abs(tree[name]))) or 1.0
        difference = float(np.max(np.abs(free[name] - tree[name])))
        assert difference < 1e-6 * size, (name, difference, size)
    assert list(free.switches["name"]) == list(tree.switches["name"])
    assert free.switches["time"] == pytest.approx(tree.switches["time"], abs=1e-8)
