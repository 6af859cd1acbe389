"""Crossings that end a step or a run come before all failures in the rest of the step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")

H = 2.0**-5
WAYS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": H},
    "dopri5": {},
    "abm6": {"method": "abm6", "step": H},
    "gauss4": {"method": "gauss4", "step": H},
    "rodas5p": {"method": "rodas5p"},
    "gauss6": {"method": "gauss6", "step": H},
    "dop853": {"method": "dop853"},
    "tsit5": {"method": "tsit5"},
}
ways = pytest.mark.parametrize("way", tiers(WAYS, usual=1))


@ways
def test_a_run_that_stops_at_an_impact_has_the_state_before_it(way: dict[str, Any]) -> None:
    """The last row is finite and before the blow, also where the impact is at the end of a step: the law of a fall."""
    for height, g in ((1.0, 8.0), (0.7, 9.81)):
        m = mbs.Model("ball", gravity=(0, 0, -g))
        b = m.body("b", joint=mbs.Prismatic("z"), mass=2.0)
        m.start(b, q=height)
        m.contact("floor", "world", b, mbs.OnPlane("z"), restitution=0.5)
        m.event("hit", mbs.coordinate(b), direction=-1, stop=True)
        result = mbs.simulate(m, 2.0, output_interval=0.25, **way)
        # methods are exact for parabolas; the floor is found to the rounding of the residual over the speed
        assert result.time[-1] == pytest.approx((2.0 * height / g) ** 0.5, abs=1e-11)
        assert result["b.v"][-1] == pytest.approx(-((2.0 * height * g) ** 0.5), abs=1e-10)
        assert result["b.s"][-1] == pytest.approx(0.0, abs=1e-10)


@ways
def test_a_run_that_a_sample_or_reset_stops_has_its_last_row(way: dict[str, Any]) -> None:
    """A value that a sample or reset moves over zero ends the run there, on a row or between rows."""
    for at, interval in ((0.5, 0.25), (0.45, 0.2)):
        m = mbs.Model("set")
        x = m.state("x", 1.0)
        s = m.sampled("s", 1.0, x, offset=at)
        r = m.state("r", 0.0)
        m.event("sets", x - at, direction=1, reset={"r": 1.0})
        m.event("over", s + r - 0.25, stop=True)
        result = mbs.simulate(m, 2.0, output_interval=interval, **way)
        assert result.time[-1] == pytest.approx(at, abs=1e-9) and result["x"][-1] == pytest.approx(at, abs=1e-9)
        assert np.all(np.isfinite(result.data))


@pytest.mark.parametrize("kind", ["limit", "reset", "stop"])
@ways
def test_a_stop_before_a_gimbal_lock_ends_the_step(way: dict[str, Any], kind: str) -> None:
    """Three angles turn back, or a run ends, before the lock, although a trial step leads beyond it."""
    for speed in (0.4, 1.0):
        m = mbs.Model("turns", gravity=(0, 0, 0))
        b = m.body("b", joint=mbs.Compound(mbs.turn("x"), mbs.turn("y"), mbs.turn("z")), mass=1.0, inertia=(1, 1, 1))
        m.start(b, u=(0.0, speed, 0.0))
        if kind == "limit":
            m.limit("end", on=b, coordinate=2, upper=1.4, restitution=1.0)
        else:
            back: dict[str, Any] = {"reset": {"b.u[2]": -speed}} if kind == "reset" else {"stop": True}
            m.event("end", mbs.coordinate(b, 2) - 1.4, direction=1, **back)
        end = 2.0 / speed
        result = mbs.simulate(m, end, output_interval=end / 2, **way)
        wanted = 1.4 if kind == "stop" else 0.8
        assert result["b.q[2]"][-1] == pytest.approx(wanted, abs=1e-9)


def test_without_a_stop_the_gimbal_lock_ends_the_run() -> None:
    """An event behind the lock changes nothing."""
    m = mbs.Model("turns", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Compound(mbs.turn("x"), mbs.turn("y"), mbs.turn("z")), mass=1.0, inertia=(1, 1, 1))
    m.start(b, u=(0.0, 1.0, 0.0))
    m.event("end", mbs.coordinate(b, 2) - 1.7, direction=1, stop=True)
    for way in (WAYS["dopri5"], WAYS["rk4"]):
        with pytest.raises(mbs.SimulationError, match="gimbal lock"):
            mbs.simulate(m, 2.0, output_interval=1.0, **way)
