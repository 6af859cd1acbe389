"""Laws that depend on reactions: means over the last step are known, with an error of the order of the step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

G, HEIGHT, RATE, MASS, COEFFICIENT = 9.81, 0.1, 5.0, 2.0, 0.4


def block(normal: Callable[[], mbs.Expression]) -> mbs.Model:
    """Return a block that is pushed to and fro on a heaving floor; it sticks and slips according to
    the normal force.
    """
    m = mbs.Model("block", gravity=(0, 0, -G))
    block = m.body("block", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=MASS)
    m.constrain("floor", mbs.coordinate(block, 2) - HEIGHT * mbs.sin(RATE * mbs.time))
    m.motor("push", on=block, coordinate=1, force=4.0 + 6.0 * mbs.sin(2.0 * mbs.time))
    m.friction("rub", on=block, coordinate=1, force=COEFFICIENT * normal(), stick=True)
    return m


def exact_normal_force() -> mbs.Expression:
    """Return the normal force in closed form."""
    return MASS * (G - HEIGHT * RATE**2 * mbs.sin(RATE * mbs.time))


def mean_normal_force() -> mbs.Expression:
    """Return the floor's mean reaction over the last step."""
    return mbs.multiplier("floor", mean=True)


def run(normal: Callable[[], mbs.Expression], **how: object) -> mbs.Result:
    return mbs.simulate(block(normal), 4.0, output_interval=0.01, **how)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("method", tiers(["rk4", "gauss4"], usual=1))
def test_friction_by_the_mean_reaction_has_order_one(method: str) -> None:
    exact = run(exact_normal_force, rtol=1e-10)
    assert len(exact.switches) == 3
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        computed = run(mean_normal_force, method=method, step=step)
        assert [x["after"] for x in computed.switches] == [x["after"] for x in exact.switches]
        errors.append(float(np.abs(computed["block.q[1]"] - exact["block.q[1]"]).max()))
    assert errors[0] < 3e-3
    assert np.array(errors[:-1]) / errors[1:] == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.slow
def test_the_longest_step_bounds_the_error_with_error_control() -> None:
    exact = run(exact_normal_force, rtol=1e-10)
    errors = [
        float(np.abs(run(mean_normal_force, rtol=1e-8, max_step=h)["block.q[1]"] - exact["block.q[1]"]).max())
        for h in (4e-3, 1e-3)
    ]
    assert errors[1] < 2e-3 and errors[0] > 3.0 * errors[1]


@pytest.mark.quick
def test_a_start_uses_the_reaction_of_its_instant(in_plain_python: None) -> None:
    """A start has no last step: a weight stays in place, held by friction on the wall against which
    a force presses it.
    """
    m = mbs.Model("held")
    m.body("weight", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=1.0)
    m.constrain("wall", mbs.coordinate("weight", 1))
    m.motor("press", on="weight", coordinate=1, force=-30.0)
    m.friction("rub", on="weight", coordinate=2, force=0.5 * mbs.multiplier("wall", mean=True), stick=True)
    result = mbs.simulate(m, 0.1, method="rk4", step=0.01, output_interval=0.01)
    assert len(result.switches) == 0
    assert_close(result["weight.q[2]"], 0.0, 1e-12, "weight.q[2]", times=result.time)


@pytest.mark.parametrize("push", [2.0, 5.0])
def test_friction_with_the_reaction_of_its_contact_sticks_from_the_start(push: float, in_plain_python: None) -> None:
    """The friction depends on its contact's own reaction: the block sticks below its capacity, and slips above it."""
    m = mbs.Model("rests")
    m.body("block", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=1.0)
    m.contact("floor", "world", "block", mbs.OnPlane("z"))
    m.motor("push", on="block", coordinate=1, force=push)
    m.friction("rub", on="block", coordinate=1, force=0.4 * mbs.multiplier("floor", mean=True), stick=True)
    m.output("N", mbs.multiplier("floor"))
    m.output("mean", mbs.multiplier("floor", mean=True))
    for events in ("located", "steps"):
        result = mbs.simulate(m, 0.1, method="rk4", step=0.01, output_interval=0.01, events=events)  # type: ignore[arg-type]
        assert len(result.switches) == 0
        assert np.abs(result["N"] - 9.81).max() < 1e-12 and np.abs(result["mean"] - 9.81).max() < 1e-12
        assert result["block.u[1]"][-1] == pytest.approx(max(push - 0.4 * 9.81, 0.0) * 0.1, abs=1e-12)


@pytest.mark.quick
def test_error_control_alone_is_refused() -> None:
    """The error estimate does not contain the error of a mean."""
    with pytest.raises(mbs.ModelError, match=r"force 'rub' depends on a mean .* give max_step="):
        mbs.simulate(block(mean_normal_force), 1.0, rtol=1e-8)


@pytest.mark.parametrize("where", ["friction", "loop", "sampled signal"])
def test_instantaneous_reactions_are_refused_in_laws(where: str, in_plain_python: None) -> None:
    """Each message names the law; a mean is accepted."""

    def simulate_with(mean: bool) -> None:
        m = block(exact_normal_force)
        N = mbs.multiplier("floor", mean=mean)
        if where == "friction":
            m.friction("more", on="block", coordinate=1, force=N, stick=True)
        elif where == "loop":
            m.lock("stay", on="block", coordinate=1, when=N > 1.0)
        else:
            m.sampled("smoothed", 0.1, N)
        mbs.simulate(m, 0.01, method="rk4", step=0.005, output_interval=0.005)

    simulate_with(True)
    with pytest.raises(mbs.ModelError, match=where):
        simulate_with(False)
