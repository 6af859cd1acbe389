"""A ball on a shaken plate: impacts, chattering and rest against an independent solution; long steps miss nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

import mbs_fmu as mbs

SPEED, GRAVITY = 20.0, 9.81  #: rad/s of the plate, m/s²


def shaken(amplitude: float, restitution: float) -> mbs.Model:
    """Return a ball on a plate that moves as a sine."""
    m = mbs.Model("shaken", gravity=(0, 0, -GRAVITY))
    m.body("plate", joint=mbs.Prismatic("z"), mass=1.0)
    m.drive("shaker", on="plate", position=amplitude * mbs.sin(SPEED * mbs.time))
    m.body("ball", joint=mbs.Prismatic("z"), mass=0.2)
    m.contact("touch", "plate", "ball", mbs.OnPlane("z"), restitution=restitution)
    return m


def impacts(amplitude: float, restitution: float, stop: float) -> list[float]:
    """Return times of impacts, up to the first flight of less than 10 ms: parabolas that meet a sine."""
    z: Callable[[float], float] = lambda t: amplitude * math.sin(SPEED * t)  # noqa: E731
    v: Callable[[float], float] = lambda t: amplitude * SPEED * math.cos(SPEED * t)  # noqa: E731
    times, at, up = [], 0.0, (1 + restitution) * v(0.0)  # the plate strikes the ball at the start
    while True:

        def gap(t: float, at: float = at, up: float = up) -> float:
            return z(at) + up * (t - at) - GRAVITY / 2 * (t - at) ** 2 - z(t)

        left = at + 5e-4
        while gap(left + 1e-4) > 0.0:
            left += 1e-4
        at_next = float(brentq(gap, left, left + 1e-4, xtol=1e-15))
        if at_next > stop or at_next - at < 0.01:
            return times
        down = up - GRAVITY * (at_next - at)
        at, up = at_next, v(at_next) + restitution * (v(at_next) - down)
        times.append(at)


@pytest.mark.parametrize(
    ("amplitude", "restitution"),
    [(0.05, 0.8), *(pytest.param(*x, marks=pytest.mark.slow) for x in ((0.05, 0.5), (0.1, 0.3)))],
)
def test_impacts_on_a_shaken_plate(amplitude: float, restitution: float) -> None:
    """Their times are those of an independent solution, although error control does not see the plate."""
    exact = impacts(amplitude, restitution, 2.7)
    result = mbs.simulate(shaken(amplitude, restitution), 3.0)
    assert len(exact) >= 5
    assert result.switches["time"][: len(exact)] == pytest.approx(exact, abs=1e-9)
    assert (result["ball.s"] - result["plate.s"]).min() > -1e-9


@pytest.mark.parametrize("method", [{}, {"method": "rodas5p"}, {"method": "rk4", "step": 1e-3}])
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
def test_chattering_on_a_shaken_plate_ends_at_rest(restitution: float, method: dict) -> None:
    """Impacts at places that rounding errors move by more than a flight does not begin again at the same instant."""
    result = mbs.simulate(shaken(0.03, restitution), 3.0, **method)
    rests = result.switches["after"] == 0.0
    leaves = result.switches["before"] == 0.0
    lifts = result.switches["time"][leaves]
    assert rests.sum() >= 3 and (result["ball.s"] - result["plate.s"]).min() > -1e-9
    deep = 0.03 * SPEED**2 * np.sin(SPEED * lifts)  # the plate falls faster than the ball from here on
    assert deep == pytest.approx(GRAVITY, abs=1e-6)


def test_no_event_between_two_rows_is_missed() -> None:
    """Nothing but the events changes fast, so that error control alone would make steps of any length."""
    m = mbs.Model("fast")
    n = m.state("n", 0.0)
    m.event("counted", mbs.sin(50 * mbs.time), direction=1, reset={"n": n + 1})
    m.event("seen", mbs.sin(50 * mbs.time), direction=-1)
    for method in ({}, {"method": "rodas5p"}, {"method": "dop853", "max_step": 1.0}):
        result = mbs.simulate(m, 10.0, **method)
        assert result["n"][-1] == math.floor(10 * 50 / (2 * math.pi)) == len(result.events["counted"])
        assert result.events["seen"] == pytest.approx((2 * np.arange(80) + 1) * math.pi / 50, abs=1e-9)
