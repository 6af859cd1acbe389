"""Laws that are undefined beyond a stop, a reset or a limit: what acts before comes first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, method
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = [
    pytest.mark.usefixtures("plain_by_default"),
    pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value"),
]

WAYS: dict[str, dict[str, Any]] = {
    "gauss4": {"method": "gauss4", "step": 0.125},
    "rk4": {"method": "rk4", "step": 0.125},
    "abm6": {"method": "abm6", "step": 0.0625},
    **{name: {"method": name, "step": 0.125} for name in METHODS if name not in ("gauss4", "rk4", "abm6")},
    **{f"{name} with error control": {"method": name} for name in METHODS if method(name).adaptive},
}
ways = pytest.mark.parametrize("way", tiers(WAYS, usual=1))
kinds = pytest.mark.parametrize("undefined", ["not a number", "infinite"])


def beyond(x: Any, kind: str) -> Any:
    """Return an expression that is zero where x > 0, and undefined elsewhere."""
    huge = 1e200 * (2.0 - x) * 1e200
    return mbs.where(x > 0.0, 0.0, huge - 1e200 * (3.0 - x) * 1e200 if kind == "not a number" else huge)


def draws() -> list[tuple[float, float]]:
    """Return speeds of an approach, and distances from the end to where the law is undefined."""
    random = np.random.default_rng(4)
    return [(1.0, 1e-4), (random.uniform(0.3, 3.0), 10.0 ** random.uniform(-7, -1))]


@ways
@kinds
def test_a_stop_before_the_law_is_undefined_ends_the_run(way: dict[str, Any], undefined: str) -> None:
    """The level is reached after its distance over the speed, which every method integrates exactly."""
    for speed, margin in draws():
        m = mbs.Model("stops")
        x = m.state("x", lambda x, c=speed, d=margin: beyond(x + d, undefined) - c, start=1.0)
        m.event("low", x, direction=-1, stop=True)
        m.event("half", x - 0.01, direction=-1)
        result = mbs.simulate(m, 2.0 / speed, output_interval=0.5, **way)
        # an event is located to the rounding of time, the state to that of its sum
        assert result.time[-1] == pytest.approx(1.0 / speed, abs=1e-12)
        assert result.events["half"] == pytest.approx([0.99 / speed], abs=1e-12)
        assert result["x"][-1] == pytest.approx(0.0, abs=1e-11)


@ways
@kinds
def test_a_reset_before_the_law_is_undefined_acts(way: dict[str, Any], undefined: str) -> None:
    """A saw tooth, and a sample beside it."""
    for speed, margin in draws():
        m = mbs.Model("resets")
        x = m.state("x", lambda x, c=speed, d=margin: beyond(x + d, undefined) - c, start=1.0)
        m.event("low", x, direction=-1, reset={"x": 1.0})
        m.sampled("n", 0.7, lambda n: n + 1)
        result = mbs.simulate(m, 2.6 / speed, output_interval=0.5, **way)
        assert result.events["low"] == pytest.approx([1.0 / speed, 2.0 / speed], abs=1e-11)
        assert result["x"][-1] == pytest.approx(0.4, abs=1e-11)


@ways
@kinds
def test_a_limit_before_the_force_is_undefined_acts(way: dict[str, Any], undefined: str) -> None:
    """A body turns back at its limit without losing speed, where a force beyond is undefined."""
    for speed, margin in draws():
        m = mbs.Model("limits", gravity=(0, 0, 0))
        b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
        m.start(b, u=speed)
        m.force("f", b, force=(beyond(1.0 + margin - mbs.coordinate(b), undefined), 0.0, 0.0))
        m.limit("end", on=b, upper=1.0, restitution=1.0)
        result = mbs.simulate(m, 1.6 / speed, output_interval=0.5, **way)
        # the methods advance exactly; their sums round
        assert result["b.s"][-1] == pytest.approx(0.4, abs=1e-10)
        assert result["b.v"][-1] == pytest.approx(-speed, abs=1e-10)


@pytest.mark.parametrize("way", tiers({name: way for name, way in WAYS.items() if "step" in way}, usual=1))
def test_a_monitored_quantity_may_be_undefined_behind_its_zero(way: dict[str, Any]) -> None:
    """A stop and a reset whose expressions have no value where a fixed step would end."""
    m = mbs.Model("levels")
    x = m.state("x", -1.0, start=1.0)
    m.event("low", x - 1e-3 + beyond(x, "not a number"), direction=-1, stop=True)
    assert mbs.simulate(m, 2.0, output_interval=0.5, **way).time[-1] == pytest.approx(0.999, abs=1e-12)
    m = mbs.Model("levels")
    x = m.state("x", -1.0, start=1.0)
    m.event("low", x - 1e-3 + beyond(x, "not a number"), direction=-1, reset={"x": 1.0})
    result = mbs.simulate(m, 1.5, output_interval=0.5, **way)
    assert result["x"][-1] == pytest.approx(0.499, abs=1e-11)


@pytest.mark.parametrize("way", tiers({name: way for name, way in WAYS.items() if "step" in way}, usual=1))
def test_a_law_that_is_undefined_before_anything_acts_ends_the_run(way: dict[str, Any]) -> None:
    """The failure is that of the same model without anything that acts: the same step, time and remedy."""

    def message(add: Callable[[mbs.Model, Any], Any]) -> str:
        m = mbs.Model("fails")
        x = m.state("x", lambda x: beyond(x + 1e-4, "not a number") - 1.0, start=1.0)
        add(m, x)
        with pytest.raises(mbs.SimulationError, match="no longer finite") as caught:
            mbs.simulate(m, 2.0, output_interval=0.5, **way)
        return re.sub(r"\d\.\d+e-1\d", "0", str(caught.value))

    plain = message(lambda m, x: None)
    assert message(lambda m, x: m.event("low", x + 2e-4, direction=-1, stop=True)) == plain
    assert message(lambda m, x: m.event("low", x + 2e-4, direction=-1, reset={"x": 1.0})) == plain


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_parts_of_a_step_may_grow_again() -> None:
    """Trials of a second and of half of it meet gaps of a law, a quarter succeeds; the next trial, of half a second,
    meets none, and a reset within the rest of the step ends the last gap. Polynomials of time remain exact.
    """
    m = mbs.Model("gaps")
    clock, is_on = m.state("clock", 1.0), m.state("is_on", 0.0)
    m.event("switch", clock - 0.77, direction=1, reset={"is_on": 1.0})
    gaps = (clock - 0.42) * (clock - 0.6) * (0.78 - clock)  # negative from 0.42 to 0.6 and beyond 0.78
    m.state("square", rate=2.0 * clock + mbs.where(is_on > 0.5, 0.0, beyond(gaps, "not a number")))
    result = mbs.simulate(m, 2.0, method="dopri5", step=1.0, output_interval=1.0)
    assert_close(result["clock"], [0.0, 1.0, 2.0], 1e-14, "clock")
    assert_close(result["square"], [0.0, 1.0, 4.0], 1e-13, "square")


def test_a_method_that_does_not_converge_keeps_its_message() -> None:
    """Shorter parts of a step converge; without an event in them the step has failed."""

    def message(stop: bool) -> str:
        m = mbs.Model("stiff")
        x = m.state("x", lambda x: -1e3 * x, start=1.0)
        m.event("low", x + 1.0, direction=-1, stop=stop)
        with pytest.raises(mbs.SimulationError) as caught:
            mbs.simulate(m, 1.0, output_interval=0.5, method="gauss4", step=0.125)
        return str(caught.value)

    assert message(True) == message(False)
