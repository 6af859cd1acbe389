"""Rollouts across impacts, locks, friction, resets and samples, and their gradients."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.run.differences import derivative
from models.pendulum_on_cart import pendulum_on_cart
from support.cases import tiers
from support.comparisons import assert_close
from support.models.with_instants import arm_with_limit, arm_with_lock, ball, block_with_friction, regulated_arm


def pushed(make: Callable[[], Model], body: str) -> Model:
    """Return a model with an input, a torque on a body, and an output that contains it."""
    m = make()
    torque = m.input("extra_torque", start=0.0)
    m.motor("extra", on=body, torque=torque)
    m.output("power", torque * mbs.rate(body))
    return m


CASES: dict[str, tuple[Callable[[], Model], list[str], float, int]] = {
    "bounce": (lambda: ball(reset=False), ["e"], 1 / 61, 56),
    "impacts": (lambda: pushed(arm_with_limit, "lower"), ["e", "length"], 0.004, 200),
    "lock": (lambda: pushed(arm_with_lock, "upper"), ["at", "mass"], 0.004, 200),
    "samples": (lambda: pushed(regulated_arm, "upper"), ["gain", "period"], 0.0043, 186),
    "friction": (block_with_friction, ["force", "begins"], 0.05, 126),
}


@pytest.mark.parametrize("case", tiers(CASES.keys(), usual=1))
def test_gradients_equal_differences(case: str) -> None:
    """Of a random sum of all rows, along a random change of the start, all inputs and parameters, to 1e-8."""
    make, names, h, steps = CASES[case]
    run = mbs.rollout(make(), h, steps, names, method="dopri5")
    rng = np.random.default_rng(len(case))
    u = 0.3 * rng.normal(size=(steps, len(run.inputs)))
    at = run.x0, u, run.p0
    along = [rng.normal(size=part.shape) for part in at]
    trajectory, vjp = run.vjp(0.0, *at)
    weights = rng.normal(size=trajectory.x.shape), rng.normal(size=trajectory.y.shape)
    gradient = vjp(*weights)

    def total(size: float) -> np.ndarray:
        found = run(0.0, *(part + size * change for part, change in zip(at, along, strict=True)))
        return np.array([np.sum(weights[0] * found.x) + np.sum(weights[1] * found.y)])

    wanted = derivative(total, 1e-3)
    assert wanted is not None
    terms = [np.sum(part * change) for part, change in zip(gradient, along, strict=True)]
    assert_close(sum(terms), wanted[0][0], 1e-8 * np.abs(terms).max(), f"derivative of {case}")


def test_rows_are_those_of_simulate() -> None:
    """To the rounding of steps: in each row the state before what takes effect."""
    m = pushed(regulated_arm, "upper")
    run = mbs.rollout(m, 0.0123, 64)
    u = np.sin(np.arange(64.0))
    found = run(u=u[:, None])
    times = np.repeat(found.t, 2)[1:-1], np.repeat(u, 2)
    r = mbs.simulate(m, found.t[-1], method="rk4", step=0.0123, output_interval=0.0123, inputs={"extra_torque": times})
    for k, name in enumerate(run.states):
        assert_close(found.x[:, k], r[name], 1e-10, name)


def test_models_without_instants_have_the_rollout_of_their_equation() -> None:
    m = pendulum_on_cart()
    ours, other = mbs.rollout(m, 0.01, 20, ["length"]), mbs.ode(m, ["length"]).rollout(0.01, 20)
    assert np.array_equal(ours(u=[1.0]).x, other(u=[1.0]).x)


def test_copies_and_errors() -> None:
    run = mbs.rollout(ball(reset=True), 0.015625, 56, ["e"])
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(run().x, again().x)
    m = ball(reset=True)
    m.motor("extra", on="ball", force=m.input("push", start=0.0))
    strikes = mbs.rollout(m, 0.25, 3)
    strikes(u=[[0.0], [0.0], [1.0]])
    with pytest.raises(mbs.SimulationError, match=r"to 'ball.s' behind t = 0\.5 s, where event 'floor' coincides"):
        strikes.vjp(u=[[0.0], [0.0], [1.0]])
    height = run.gradient("ball.s")[1].p[0]  # at 0.875 s: 4 (0.875 - 0.5)
    assert abs(height - 1.5) < 1e-9
    with pytest.raises(mbs.ArgumentError, match="step maps exist for"):
        mbs.rollout(ball(reset=True), 0.01, 10, method="gauss4")
    with pytest.raises(mbs.ModelError, match="'e'"):
        run(p=[np.nan])
