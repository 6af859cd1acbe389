"""Events with resets of any frequency, from the first instant of a run on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")

METHODS = ("dopri5", "rk4", "abm6", "gauss4", "rodas5p", "dop853", "tsit5", "gauss6", "gauss2")
ERROR_CONTROL = ("dopri5", "rodas5p", "dop853", "tsit5")


def saw_tooth(rate: float, first: float, fall: float, direction: int) -> mbs.Model:
    """A signal that changes at `rate`, first by `first` up to a level, from which it falls back by `fall` each time."""
    m = mbs.Model("saw")
    sign = 1.0 if rate > 0.0 else -1.0
    x = m.state("x", rate, start=2.0 - sign * first)
    n = m.state("n", 0.0)
    m.event("falls", x - 2.0, direction=direction, reset={"x": 2.0 - sign * fall, "n": n + 1.0})
    return m


def check(seed: int, method: str) -> None:
    """Assert that a random saw tooth has all its resets, at their times."""
    rng = np.random.default_rng([43, seed])
    first, fall = rng.uniform(0.1, 1.0, 2)
    frequency = 10.0 ** rng.uniform(1.0, 12.0)
    sign = rng.choice((-1.0, 1.0))
    rate = sign * frequency * fall
    stop = (first / fall + 7.5) / frequency
    options: dict[str, Any] = {"step": rng.uniform(0.2, 20.0) / frequency} if method not in ERROR_CONTROL else {}
    model = saw_tooth(rate, first, fall, int(rng.choice((0, sign))))
    result = mbs.simulate(model, stop, method=method, output_interval=stop / rng.integers(1, 4), **options)
    times = (first / fall + np.arange(8)) / frequency
    assert result["n"][-1] == result.events["falls"].size == 8
    # the tolerance of error control, or rounding: the signal is linear between resets
    assert np.abs(result.events["falls"] - times).max() < 1e-6 / frequency


@pytest.mark.parametrize("seed", tiers(range(25), usual=1, quick=1))
def test_a_saw_tooth_has_all_its_resets(seed: int) -> None:
    """Of any frequency from 10 to 1e12 /s, rising or falling, with steps shorter and longer than its period."""
    for method in METHODS:
        check(seed, method)


@pytest.mark.parametrize("method", tiers(METHODS[:5], usual=1))
@pytest.mark.parametrize("early", [1e-6, 1e-9, 3e-11, 1e-12, 1e-14])
def test_an_event_just_after_the_start_counts(early: float, method: str) -> None:
    """However early, once, and the later ones too; an event without a reset has the same times."""
    options: dict[str, Any] = {"step": 0.01} if method not in ERROR_CONTROL else {}
    for direction in (0, 1):
        m = mbs.Model("early")
        x = m.state("x", 1.0)
        n = m.state("n", 0.0)
        below = m.state("below", 0.0)
        m.event("counted", x - early - below, direction=direction, reset={"n": n + 1.0, "below": below + 0.05})
        m.event("seen", x - early, direction=direction)
        result = mbs.simulate(m, 0.12, output_interval=0.06, method=method, **options)
        assert result.events["counted"] == pytest.approx(early + 0.05 * np.arange(3), rel=1e-6, abs=1e-15)
        assert result.events["seen"] == pytest.approx([early], rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("method", tiers(METHODS[:4], usual=1))
def test_a_start_on_a_zero_up_to_rounding_is_no_event(method: str) -> None:
    """0.1 + 0.2 - 0.3 is rounding: a signal that leaves this zero does not cross it, in whatever direction."""
    options: dict[str, Any] = {"step": 0.01} if method not in ERROR_CONTROL else {}
    for rate in (-1.0, 1.0):
        for direction in (-1, 0, 1):
            m = mbs.Model("rounded")
            x = m.state("x", rate, start=0.1 + 0.2)
            n = m.state("n", 0.0)
            m.event("e", x - 0.3, direction=direction, reset={"n": n + 1.0})
            assert mbs.simulate(m, 0.1, output_interval=0.1, method=method, **options)["n"][-1] == 0.0
