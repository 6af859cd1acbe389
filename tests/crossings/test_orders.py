"""Methods keep their order across samples, resets and mode ends, and error control its tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, method
from support.cases import tiers
from support.comparisons import assert_close

STOP = 6.0  #: s
LEVELS = (0.5, 0.45, 0.4)  #: m; the largest error of some levels does not depend on where in a step a crossing lies
PERIOD = 0.7  #: s: no multiple of a step
JUMPS, FORCES = (1.03, 2.9), (0.0, 0.5, -0.3)  #: times of an input's jumps, s, and its values between, N
STAIRS = ([0.0, *np.repeat(JUMPS, 2), STOP], np.repeat(FORCES, 2))


# -- systems with closed forms ---------------------------------------------------------------------------------------


def oscillator() -> tuple[mbs.Model, mbs.Body]:
    """x'' = -x + force, x(0) = 1, x'(0) = 0."""
    m = mbs.Model("oscillator", gravity=(0, 0, 0))
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=mass, stiffness=1.0)
    m.start(mass, q=1.0)
    return m, mass


def undisturbed() -> mbs.Model:
    """x = cos t."""
    return oscillator()[0]


def turned() -> mbs.Model:
    """A reset turns the velocity round where x falls to a level: x = cos t until then, and again from x = 1."""
    m, mass = oscillator()
    level = m.parameter("level", 0.5)
    m.event("turned", mbs.coordinate(mass) - level, direction=-1, reset={"mass.v": -mbs.rate(mass)})
    return m


def limited() -> mbs.Model:
    """The same by a stop without losses."""
    m, mass = oscillator()
    m.limit("turned", on=mass, lower=m.parameter("level", 0.5), restitution=1.0)
    return m


def counted() -> mbs.Model:
    """x = cos t; a reset that changes another state, and a sample and a lock that change nothing of x."""
    m, mass = oscillator()
    n = m.state("n", 0.0)
    m.event("passes", mbs.coordinate(mass) - m.parameter("level", 0.5), reset={"n": n + 1.0})
    m.sampled("ticks", PERIOD, lambda ticks: ticks + 1.0)
    other = m.body("other", joint=mbs.Prismatic("y"), mass=1.0)
    m.start(other, u=1.0)
    m.lock("held", on=other, when=mbs.time >= 0.71, until=mbs.time >= 2.3)
    return m


def governed() -> mbs.Model:
    """The force is the sampled velocity with the opposite sign."""
    m, mass = oscillator()
    m.motor("damper", on=mass, force=m.sampled("force", PERIOD, -0.5 * mbs.rate(mass)))
    return m


def pushed() -> mbs.Model:
    """The force is an input that jumps inside of steps, which end there in models with events."""
    m, mass = oscillator()
    m.motor("motor", on=mass, force=m.input("push"))
    m.event("passed", mbs.coordinate(mass))
    return m


def exact_turned(level: float) -> tuple[float, float]:
    """x, v at the end, turned at t1 = arccos level, 3 t1, 5 t1, ..."""
    t1 = np.arccos(level)
    t = (STOP + t1) % (2.0 * t1) - t1
    return float(np.cos(t)), float(-np.sin(t))


def exact_plain(level: float) -> tuple[float, float]:
    return float(np.cos(STOP)), float(-np.sin(STOP))


def swung(x: float, v: float, force: float, dt: float) -> tuple[float, float]:
    """x, v after a time with a constant force: turned about the place where the force and the spring balance."""
    c, s = np.cos(dt), np.sin(dt)
    return float(force + (x - force) * c + v * s), float(v * c - (x - force) * s)


def exact_governed(level: float) -> tuple[float, float]:
    x, v, t = 1.0, 0.0, 0.0
    while t < STOP:
        dt = min(PERIOD, STOP - t)
        x, v = swung(x, v, -0.5 * v, dt)
        t += dt
    return x, v


def exact_pushed(level: float) -> tuple[float, float]:
    x, v = 1.0, 0.0
    for begin, end, force in zip((0.0, *JUMPS), (*JUMPS, STOP), FORCES, strict=True):
        x, v = swung(x, v, force, end - begin)
    return x, v


Exact = Callable[[float], tuple[float, float]]
SYSTEMS: dict[str, tuple[Callable[[], mbs.Model], Exact]] = {
    "undisturbed": (undisturbed, exact_plain),
    "turned": (turned, exact_turned),
    "limited": (limited, exact_turned),
    "counted": (counted, exact_plain),
    "governed": (governed, exact_governed),
    "pushed": (pushed, exact_pushed),
}


def error(name: str, **way: Any) -> float:
    """Largest error of x and v at the end, and of the times of turns, for all levels."""
    make, exact = SYSTEMS[name]
    m, errors, interval = make(), [], way.get("step", 0.1)
    inputs = {"push": STAIRS} if name == "pushed" else {}
    for level in LEVELS if "level" in m.parameters else LEVELS[:1]:
        values = {"level": level} if "level" in m.parameters else {}
        result = mbs.simulate(m, STOP, output_interval=interval, parameters=values, inputs=inputs, **way)
        errors += [
            abs(result[key][-1] - wanted) for key, wanted in zip(("mass.s", "mass.v"), exact(level), strict=True)
        ]
        if name in ("turned", "limited"):
            times = result.events["turned"] if name == "turned" else result.switches["time"]
            wanted = np.arange(np.arccos(level), STOP, 2.0 * np.arccos(level))
            assert len(times) == len(wanted), f"turns at {times}, expected {wanted}"
            errors += list(np.abs(times - wanted))
    return float(max(errors))


# -- fixed steps -----------------------------------------------------------------------------------------------------

#: One of each kind first: the usual ones; each is compiled for each model.
ORDERED = ("rk4", "abm6", "gauss6", "dopri5", *(x for x in METHODS if x not in ("rk4", "abm6", "gauss6", "dopri5")))
STEPS = dict.fromkeys(METHODS, (1 / 8, 1 / 16, 1 / 32)) | {
    "abm6": (1 / 16, 1 / 32, 1 / 64), "dop853": (1 / 2, 1 / 4), "gauss6": (1 / 4, 1 / 8, 1 / 16)}  # fmt: skip
#: By how much a measured order may be less: higher terms and the places of crossings in steps, in the mean of halvings;
#: abm6 begins again behind each crossing by steps of a method of order five, dop853 has two steps only.
SLACK = dict.fromkeys(METHODS, 0.6) | {"abm6": 1.0, "dop853": 1.0}


def rounded(step: float) -> float:
    """Error of some hundred sums of numbers of size one, and for each of six crossings the window of one instant."""
    return 2e-14 + 6.0 * 1e-11 * step


def measured(steps: tuple[float, ...], errors: list[float]) -> float:
    """Order by the errors of steps that are halved again and again; those that are rounding are left out."""
    used = [found for step, found in zip(steps, errors, strict=True) if found > rounded(step)]
    return float(np.log2(used[0] / used[-1]) / (len(used) - 1)) if len(used) > 1 else np.inf


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in SYSTEMS])
@pytest.mark.parametrize("integration", tiers(ORDERED, usual=1))
def test_fixed_steps_keep_their_order(name: str, integration: str) -> None:
    """Across resets, stops, samples that act or not, locks, and jumps of inputs inside of steps."""
    errors = [error(name, method=integration, step=step) for step in STEPS[integration]]
    wanted = method(integration).order - SLACK[integration]
    assert measured(STEPS[integration], errors) > wanted, errors


@pytest.mark.parametrize("integration", tiers(ORDERED, usual=1))
def test_crossings_cost_no_accuracy(integration: str) -> None:
    """With the shortest step, runs with crossings have errors of the size of that without, not of a lower order."""
    step = STEPS[integration][-1]
    alone = error("undisturbed", method=integration, step=step)
    if integration in ("abm6", "rodas5p"):  # whose error constants are smaller than those of starts and interpolants
        alone = max(alone, error("undisturbed", method="dopri5", step=step))
    for name in SYSTEMS:
        # parts of steps and interpolants have other constants of the same order
        assert error(name, method=integration, step=step) < 10.0 * alone + rounded(step), name


# -- error control ---------------------------------------------------------------------------------------------------

CONTROLLED = [name for name in ORDERED if method(name).adaptive]


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in SYSTEMS])
@pytest.mark.parametrize("integration", tiers(CONTROLLED, usual=1))
def test_errors_are_proportional_to_tolerances(name: str, integration: str) -> None:
    """The sum of errors of all steps is at most ten tolerances, from 1e-5 to 1e-11."""
    for rtol in (1e-5, 1e-7, 1e-9, 1e-11):
        found = error(name, method=integration, rtol=rtol, atol=1e-2 * rtol)
        assert found < 10.0 * rtol, f"tolerance {rtol:g}: error {found:g}"


# -- what a constraint has carried -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", tiers([1 / 64, 3.0], usual=1))
@pytest.mark.parametrize("integration", tiers(ORDERED, usual=1))
def test_sticking_friction_releases_without_a_blow(integration: str, rows: float) -> None:
    """A force t slips at 1.5 s through sticking friction of 1.5 N, with 1 N from then on: v(3) = 1.875 m/s."""
    m = mbs.Model("clutch", gravity=(0, 0, 0))
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on=mass, force=mbs.time)
    m.friction("rub", on=mass, force=1.0, static=1.5, stick=True)
    result = mbs.simulate(m, 3.0, output_interval=rows, method=integration, step=1 / 64)
    assert_close(result.switches["time"], [1.5], 1e-9, "time of slipping")
    # all methods integrate a force that is linear in time exactly, a position of third degree from order four on
    assert_close(result["mass.v"][-1], 1.875, 1e-8, "velocity")
    if method(integration).order > 3:
        assert_close(result["mass.s"][-1], 1.125, 1e-8, "position")
