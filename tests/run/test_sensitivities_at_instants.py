"""Sensitivities across impacts, locks, friction, resets, samples and conditions on time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.run.differences import FOURTH_AHEAD, derivative
from mbs_fmu.run.simulate import compiled
from support.cases import tiers
from support.comparisons import assert_close
from support.models.with_instants import (
    arm_with_limit,
    arm_with_lock,
    ball,
    block_with_friction,
    regulated_arm,
)

ACCURATE = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-12}


@pytest.mark.parametrize("reset", tiers([True, False], usual=1))
def test_a_bounce_has_the_closed_form(reset: bool) -> None:
    """Behind the impact at T = sqrt(2 q / g): v = e g T - g (t - T), z = e g T (t - T) - g (t - T)^2 / 2."""
    g, e, q, u = 8.0, 0.5, 1.0, 0.0
    r = mbs.simulate(ball(reset), 0.875, output_interval=0.125, sensitivities=["e", "ball.s", "ball.v"], **ACCURATE)
    root = np.sqrt(u**2 + 2 * g * q)
    strikes, speed = (u + root) / g, root  # at the impact
    to_q, to_u = (1 / root, 1 / g), (g / root, 0.0)  # time and speed
    for name, (later, faster), before in (
        ("ball.s", (to_q[0], to_u[0]), lambda t: (np.ones_like(t), 0 * t)),
        ("ball.v", (to_q[1], to_u[1]), lambda t: (t, np.ones_like(t))),
        ("e", (0.0, 0.0), lambda t: (0 * t, 0 * t)),
    ):
        t = r.time - strikes
        rebound = e * faster + (speed if name == "e" else 0.0)
        flies = t < 0.0
        z, v = before(r.time)
        expected = {
            "ball.v": np.where(flies, v, rebound + g * later),
            "ball.s": np.where(flies, z, rebound * t - e * speed * later + g * t * later),
        }
        for column, values in expected.items():
            assert np.abs(r.sensitivity(column, name) - values)[r.time != 0.5].max() < 1e-9, (column, name)


CASES: dict[str, tuple[Callable[[], Model], float]] = {
    "impacts": (arm_with_limit, 0.8),
    "lock": (arm_with_lock, 0.8),
    "samples": (regulated_arm, 0.8),
    "friction": (block_with_friction, 6.3),
}


def values_of(m: Model) -> dict[str, float]:
    """Return the values of all parameters and of the start values that move the model."""
    held = compiled(m).program.of_role("parameter", "coordinate", "rate")
    return {v.name: v.start for v in held}


def moved(m: Model, values: dict[str, float], weights: np.ndarray, size: float) -> dict[str, dict[str, float]]:
    """Return arguments of `simulate` that change all values along a direction."""
    at = {name: value + size * weight for (name, value), weight in zip(values.items(), weights)}
    return {
        "parameters": {name: x for name, x in at.items() if name in m.parameters},
        "start": {name: x for name, x in at.items() if name not in m.parameters},
    }


@pytest.mark.parametrize("case", tiers(CASES.keys(), usual=1))
def test_all_directions_equal_differences(case: str) -> None:
    """To 1e-8 of the largest change of the unit."""
    make, stop = CASES[case]
    compare(make(), stop, {"method": "dopri5", "step": 2e-3}, 1e-8)


@pytest.mark.parametrize(
    ("case", "options", "tolerance"),
    [
        pytest.param("friction", {"method": "rk4", "step": 2e-3}, 1e-6, marks=pytest.mark.slow),  # by a cubic
        ("impacts", ACCURATE, 1e-7),  # differences between runs with other steps
        ("impacts", {"method": "rodas5p", "step": 2e-3}, 1e-8),
        *(
            pytest.param(name, {"method": "rodas5p", "step": 2e-3}, 1e-8, marks=pytest.mark.slow)
            for name in ("lock", "samples", "friction")
        ),
    ],
)
def test_other_steps(case: str, options: dict[str, Any], tolerance: float) -> None:
    make, stop = CASES[case]
    compare(make(), stop, options, tolerance)


def compare(m: Model, stop: float, options: dict[str, Any], tolerance: float) -> None:
    """Assert the derivatives of all columns along a random direction, relative to the largest value of their unit."""
    values = values_of(m)
    weights = np.random.default_rng(len(m.name)).uniform(0.5, 1.0, len(values))
    options = {**options, "output_interval": stop / 7}
    r = mbs.simulate(m, stop, sensitivities=list(values), **options)
    assert len(r.log) >= 2
    found = sum(weight * r.sensitivities[name] for name, weight in zip(values, weights))
    curve = derivative(lambda size: mbs.simulate(m, stop, **moved(m, values, weights, size), **options).data, 1e-3)
    assert curve is not None
    expected, _ = curve
    for unit in {r.unit(name) for name in r.columns[1:]}:
        own = [k for k, name in enumerate(r.columns) if k and r.unit(name) == unit]
        size = np.abs(expected[:, own]).max(initial=1e-3)
        labels = [r.columns[k] for k in own]
        assert_close(found[:, own], expected[:, own], tolerance * size, f"derivative in {unit}", labels, r.time)


def test_one_sided_differences_stay_on_their_side() -> None:
    def curve(size: float) -> np.ndarray | None:
        return np.array([np.exp(size), size**4]) if size >= 0.0 else None

    found = derivative(curve, 0.1, FOURTH_AHEAD)
    assert found is not None and np.abs(found[0] - (1.0, 0.0)).max() < 1e-9
    assert derivative(curve, 0.1) is None


# -- what has no derivative --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_a_small_change_separates_is_refused() -> None:
    """A sample at the very instant of an impact, which comes before or after it with another start."""
    m = ball(reset=False)
    m.sampled("speed", 0.5, mbs.rate("ball"))
    with pytest.raises(mbs.SimulationError, match=r"to 'ball.s' behind t = 0\.5 s.*coincides"):
        mbs.simulate(m, 0.75, sensitivities=["e", "ball.s"], **ACCURATE)
    r = mbs.simulate(m, 0.75, sensitivities=["e"], **ACCURATE)  # restitution moves no impact
    assert abs(r.sensitivity("ball.v", "e")[-1] - 4.0) < 1e-9


def test_a_graze_is_refused() -> None:
    m = mbs.Model("graze", gravity=(0, 0, 0))
    n = m.state("n", 0.0)
    x = m.state("x", 1.0)
    m.event("touch", (x - 0.5) ** 3, direction=1, reset={"n": n + 1})
    with pytest.raises(mbs.SimulationError, match="'touch' touches zero without a slope"):
        mbs.simulate(m, 1.0, sensitivities=["x"], method="rk4", step=0.1)


def test_events_at_steps_are_refused() -> None:
    with pytest.raises(mbs.ArgumentError, match='use events="located"'):
        mbs.simulate(ball(True), 1.0, sensitivities=["e"], method="rk4", step=0.01, events="steps")


def test_moving_conditions_on_time_without_instants_are_refused() -> None:
    """Their derivative would be zero where the true one is not."""
    m = mbs.Model("pushed", gravity=(0, 0, 0))
    begins, force = m.parameter("begins", 0.3), m.parameter("force", 1.0)
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on=block, force=mbs.where(mbs.time >= begins, force, 0.0))
    with pytest.raises(mbs.ArgumentError, match="'begins', which moves the time of a condition on time"):
        mbs.simulate(m, 1.0, sensitivities=["begins"], method="rk4", step=0.01)
    r = mbs.simulate(m, 1.0, sensitivities=["force"], method="rk4", step=0.01)
    assert abs(r.sensitivity("block.v", "force")[-1] - 0.7) < 1e-9
