"""Crossings just before and just behind the end of a fixed step count once, however the level is rounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS
from support.cases import tiers
from support.comparisons import assert_close

FIXED = ("rk4", "abm6", "gauss4", "gauss6")
OTHERS = tuple(name for name in METHODS if name not in FIXED)
H = 0.25  #: s: a step whose multiples are exact, so long that interpolants err by more than the smallest distances
STEPS = range(3, 9)  #: numbers of steps to the end that the level is near; abm6 has a history from the sixth on
FAR = 50.0  #: a level that is never reached
KINDS = ("reset", "report", "stop", "reset and report")


def oscillator(kind: str) -> mbs.Model:
    """x = cos t, which falls through a level; each crossing of it is counted, reported, or ends the run."""
    m = mbs.Model("oscillator", gravity=(0, 0, 0))
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=mass, stiffness=1.0)
    m.start(mass, q=1.0)
    above = mbs.coordinate(mass) - m.parameter("level", FAR)
    n = m.state("n", 0.0)
    if "reset" in kind:
        m.event("counted", above, reset={"n": n + 1.0})
    if "report" in kind:
        m.event("seen", above)
    if kind == "stop":
        m.event("ends", above, stop=True)
    return m


def distances(exponents: range) -> Iterator[float]:
    """Distances from the level, m, of both signs."""
    for exponent in exponents:
        yield from (10.0**-exponent, -(10.0**-exponent))


def run(m: mbs.Model, way: dict[str, Any], end: float, level: float) -> mbs.Result:
    return mbs.simulate(m, end, output_interval=end, parameters={"level": level}, **way)


def wrong(kind: str, way: dict[str, Any], exponents: range) -> list[str]:
    """Texts about runs whose crossing does not count once, near the time of the step's end.

    The speed at the ends is 0.6 m/s at least, so that a level 1e-5 m away is crossed within 2e-5 s, up to the error
    of a repeated step, which multistep methods make by another formula: 0.25 ** 6 of its error terms.
    """
    m, found = oscillator(kind), []
    for k in STEPS:
        end = k * H
        x = float(run(m, way, end, FAR)["mass.s"][-1])
        for distance in [0.0, *distances(exponents)]:
            try:
                result = run(m, way, end + 3.0 * H, x + distance)
            except mbs.SimulationError as error:
                found.append(f"{kind}, step {k}, {distance:g} m: {error}")
                continue
            apart = 2.0 * abs(distance) / 0.6 + 1e-4
            for name, times in result.events.items():
                if len(times) != 1 or abs(times[0] - end) > apart:
                    found.append(f"{kind}, step {k}, {distance:g} m: event {name!r} at {times.tolist()}, not {end:g} s")
            if "reset" in kind and result["n"][-1] != 1.0:
                found.append(f"{kind}, step {k}, {distance:g} m: counter {result['n'][-1]:g}")
            if kind == "stop" and abs(result.time[-1] - end) > apart:
                found.append(f"{kind}, step {k}, {distance:g} m: ends at {result.time[-1]!r}, not {end:g} s")
    return found


@pytest.mark.parametrize("method", tiers(FIXED, usual=1))
@pytest.mark.parametrize("kind", KINDS)
def test_each_crossing_counts_once(kind: str, method: str) -> None:
    """Levels 1e-13 to 1e-5 m from the state at the end of a step, below and above it, and on it."""
    found = wrong(kind, {"method": method, "step": H}, range(5, 14))
    assert not found, "\n".join(found)


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_reports_near_the_end_of_a_step_change_no_result() -> None:
    """The states have the bits of a run whose level is out of reach: the search leaves the end of a step as it is."""
    m, way = oscillator("report"), {"method": "rk4", "step": H, "output_interval": H}
    free = mbs.simulate(m, 3.0 * H, parameters={"level": FAR}, **way)
    for distance in [0.0, *distances(range(9, 13))]:
        result = mbs.simulate(m, 3.0 * H, parameters={"level": free["mass.s"][1] + distance}, **way)
        assert len(result.events["seen"]) == 1, f"events at a level {distance:g} m from the end of the first step"
        for name in ("mass.s", "mass.v"):
            assert_close(result[name], free[name], 0.0, f"{name}, level {distance:g} m away", times=free.time)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_crossing_counts_once_with_shorter_steps(kind: str, method: str) -> None:
    """The same for all methods, with rows at each step, at every third of a step, and half as long steps."""
    found = []
    for way in ({"step": 0.5 * H}, {"step": H / 3.0}, {"step": H}):
        found += wrong(kind, {"method": method, **way}, range(5, 16))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("method", tiers(FIXED, usual=2))
def test_the_next_step_begins_behind_the_crossing(method: str) -> None:
    """A level in both directions near a turning point: each way counts once, near ends of steps or not."""
    m = mbs.Model("turning", gravity=(0, 0, 0))
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(mass, q=1.0, u=-1.0)
    m.force("pull", mass, force=(2.0, 0.0, 0.0))  # x = 1 - t + t²: lowest at 0.5 s, 0.75 m
    above = mbs.coordinate(mass) - m.parameter("level", 0.75)
    for name, direction in (("falls", -1), ("rises", 1), ("both", 0)):
        n = m.state(f"n_{name}", 0.0)
        m.event(name, above, direction=direction, reset={f"n_{name}": n + 1.0})
    for exponent in range(2, 8):
        depth = 10.0**-exponent
        for shift in (0.0, 0.25, 0.5):  # of a step: places of the crossings among its ends
            step = depth**0.5 / (2.0 + shift)  # several steps between the crossings
            end = 0.5 + 8.0 * step
            result = run(m, {"method": method, "step": step}, end, 0.75 + depth)
            where = f"{depth:g} m, step {step:g} s"
            wanted = {"falls": [0.5 - depth**0.5], "rises": [0.5 + depth**0.5]}
            wanted["both"] = wanted["falls"] + wanted["rises"]
            for name, times in wanted.items():
                # x is exact to the rounding of its sum; the slope at the level is 2 sqrt(depth)
                assert result.events[name] == pytest.approx(times, abs=1e-12 / depth**0.5), f"{name}: {where}"
                assert result[f"n_{name}"][-1] == len(times), f"{name}: {where}"


# -- pendulum --------------------------------------------------------------------------------------------------------

STEP = 2.0**-5  #: s


def pendulum() -> mbs.Model:
    """A rod that swings with an amplitude of 1 rad, and counts its passages of a level."""
    m = mbs.Model("pendulum")
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.start(rod, q=1.0)
    n = m.state("n", 0.0)
    m.event("counted", mbs.coordinate(rod) - m.parameter("level", 0.3), reset={"n": n + 1.0})
    return m


def check_passages(way: dict[str, Any], levels: np.ndarray, bound: float) -> None:
    """Assert that a pendulum passes these levels at the times of an accurate run."""
    m = pendulum()
    for level in levels:
        wanted = run(m, {"method": "dop853", "rtol": 1e-12, "atol": 1e-14}, 4.0, level)
        result = run(m, way, 4.0, level)
        assert len(wanted.events["counted"]) == wanted["n"][-1] >= 4, level
        assert result["n"][-1] == len(result.events["counted"]) == wanted["n"][-1], f"passages of {level:g} rad"
        apart = np.abs(result.events["counted"] - wanted.events["counted"]).max()
        assert apart < bound, f"passages of {level:g} rad are {apart:g} s apart"


@pytest.mark.parametrize("method", ("abm6", "gauss4"))
def test_a_pendulum_counts_its_passages(method: str) -> None:
    """Levels of a pendulum, at each of which fixed steps end at other places of the swing."""
    # methods of order four at least, at most 4 rad/s: (4 h)^4 = 2.4e-4 rad, at least 2 rad/s at these levels
    check_passages({"method": method, "step": STEP}, np.linspace(-0.75, 0.75, 13), 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_counts_its_passages_of_many_levels(method: str) -> None:
    """37 levels, with two steps; the level that a release of the package has counted without end is among them."""
    levels = np.append(np.linspace(-0.9, 0.9, 37), 0.3)
    # the method of order two: (4 h)^2 = 2e-3 rad
    check_passages({"method": method, "step": STEP / 4.0 if method == "gauss2" else STEP}, levels, 1e-2)
