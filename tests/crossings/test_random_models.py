"""Laws of the log over random models: it does not depend on steps, counters agree with it, losses add up."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.eventful_models import Eventful, stirred

STOP = 0.8  #: s
#: One method of each family, with steps or longest steps far shorter than the motions, which have at most 8 rad/s.
WAYS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": 1 / 256},
    "abm6": {"method": "abm6", "step": 1 / 256},
    "gauss4": {"method": "gauss4", "step": 1 / 256},
    "dopri5": {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11, "max_step": 1 / 256},
    "rodas5p": {"method": "rodas5p", "rtol": 1e-9, "atol": 1e-11, "max_step": 1 / 128},
}
SHORTER = 100.0  #: the steps of the run that logs are compared with are shorter by this
#: Error of a time, s: (8 h)^4 = 1e-6 with h = 1/256 for methods of order four, times ten, since functions may cross
#: zero a tenth as fast as the motions.
TIMES = 1e-5
TOGETHER = 1e-7  #: s: entries nearer than this are one instant of the model, in all runs


def simulate(made: Eventful, drawn: dict[str, Any], way: dict[str, Any], shorter: float = 1.0) -> mbs.Result:
    """A run of a random model with steps that are shorter by a factor."""
    key = "max_step" if "max_step" in way else "step"
    return mbs.simulate(made.model, STOP, output_interval=0.2, **{**way, key: way[key] / shorter}, **drawn)


def check_order(log: np.ndarray) -> None:
    """Assert that the entries are in superdense order."""
    for before, after in itertools.pairwise(log):
        assert (before["time"], before["n"]) <= (after["time"], after["n"]), (before, after)


def check_views(result: mbs.Result, counted: list[str]) -> None:
    """Assert that events, switches and the states that resets count are those of the log."""
    log = result.log
    for name, times in result.events.items():
        entries = log[(log["name"] == name) & np.isin(log["kind"], ("event", "stop", "reset"))]
        assert np.array_equal(entries["time"], times), f"times of event {name!r}"
    modes = log[log["kind"] == "mode"]
    for field in ("time", "name", "before", "after", "lost"):
        assert np.array_equal(modes[field], result.switches[field]), f"{field} of switches"
    for name in counted:
        resets = log[(log["name"] == name) & (log["kind"] == "reset")]
        assert result[f"n_{name}"][-1] == len(resets), f"counter of event {name!r}"
        assert np.all(resets["n"] >= 1), f"rounds of event {name!r}"


def clear(log: np.ndarray, h: float, end: float) -> float:
    """Time up to which entries of one name lie three steps apart, and different instants more than errors of times.

    A function that crosses zero twice in a step is seen by shorter steps only, and a contact comes to rest by its step.
    """
    close = [end, *log["time"][1:][(np.diff(log["time"]) > TOGETHER) & (np.diff(log["time"]) < 20.0 * TIMES)]]
    for name in np.unique(log["name"]):
        times = log["time"][log["name"] == name]
        close += list(times[1:][np.diff(times) < 3.0 * h])
    return min(close) - 3.0 * h


def text(entry: np.void) -> str:
    """An entry without its time; sides of events differ by rounding, numbers of modes do not."""
    modes = f" {entry['before']:g} to {entry['after']:g}" if entry["kind"] == "mode" else ""
    return f"{entry['name']}.{entry['n']} {entry['kind']}{modes}"


def check_steps(coarse: mbs.Result, fine: mbs.Result, h: float) -> int:
    """Assert that two logs agree up to the first entries that are not clear; return the number of entries compared."""
    samples, others = ([log[(log["kind"] == "sample") == x] for log in (coarse.log, fine.log)] for x in (True, False))
    end = clear(others[1], h, fine.time[-1])
    ours, wanted = (log[log["time"] < end] for log in others)
    texts = [[text(x) for x in log] for log in (ours, wanted)]
    assert texts[0] == texts[1], f"entries before {end} s"
    if len(ours):
        assert_close(ours["time"], wanted["time"], TIMES, "time of entry", texts[1])
    ticks, wanted = (log[log["time"] < end] for log in samples)
    assert ticks["name"].tolist() == wanted["name"].tolist(), f"samples before {end} s"
    # a tick has the time of what coincides with it, within 1e-11 of the rows' interval
    assert len(ticks) == 0 or np.abs(ticks["time"] - wanted["time"]).max() < 1e-11, f"samples before {end} s"
    return len(ours)


def check(seed: int, draw: int, way: dict[str, Any]) -> int:
    """Check all laws of a random model's log; return the number of entries that were compared."""
    made = stirred(seed)
    drawn = made.draw(np.random.default_rng([seed, draw]))
    results = [simulate(made, drawn, way, shorter) for shorter in (1.0, SHORTER)]
    for result in results:
        check_order(result.log)
        check_views(result, made.counted)
    return check_steps(*results, way.get("step", way.get("max_step", 0.0)))


@pytest.mark.parametrize("seed", tiers(range(12), usual=2))
def test_the_log_is_that_of_hundredths_of_the_steps(seed: int) -> None:
    """Contacts, stops, locks, friction, samples, resets, events, jumps of an input, and a stop that ends some runs."""
    check(seed, 0, WAYS[list(WAYS)[seed % len(WAYS)]])


@pytest.mark.slow
@pytest.mark.apart
@pytest.mark.parametrize("seed", range(50))
def test_logs_of_500_draws_are_those_of_hundredths_of_their_steps(seed: int) -> None:
    """The same for ten draws of each of fifty models, of which most entries can be compared."""
    assert sum(check(seed, draw, WAYS[list(WAYS)[seed % len(WAYS)]]) for draw in range(1, 11)) > 40


@pytest.mark.slow
@pytest.mark.apart
@pytest.mark.parametrize("seed", range(12))
def test_the_log_does_not_depend_on_the_method(seed: int) -> None:
    """Methods of all families log the same entries."""
    made = stirred(seed)
    drawn = made.draw(np.random.default_rng([seed, 0]))
    wanted = simulate(made, drawn, WAYS["dopri5"], 10.0)
    for way in WAYS.values():
        check_steps(simulate(made, drawn, way), wanted, 1 / 128)


# -- losses ----------------------------------------------------------------------------------------------------------


def sliders(seed: int) -> Eventful:
    """Masses that slide between stops without any force, of which two move alike, and one slides on another.

    A lock holds c from some time on and an event changes the velocity of e, with odd seeds at the same time; with every
    fourth seed the lock holds e, at that time.
    """
    m = mbs.Model("sliders", gravity=(0, 0, 0))
    made = Eventful(m)
    upper = {name: made.number(f"upper_{name}", 0.2, 0.5) for name in ("a", "c", "d", "e")}
    upper["b"] = upper["a"]
    for name, parent in {"a": "world", "b": "world", "c": "world", "d": "c", "e": "world"}.items():
        axis = (0.6, 0.8, 0.0) if name == "d" else "x"
        m.body(name, parent, mbs.Prismatic(axis), mass=made.number(f"mass_{name}", 0.5, 3.0))
        restitution = made.number(f"e_{name}", 0.2, 0.9)
        m.limit(f"stop_{name}", on=name, upper=upper[name], lower=-0.3, restitution=restitution)
        made.starts[f"{name}.v"] = (1.0, 1.0) if name in "ab" else (-2.0, 2.0)
    at = made.number("locked_at", 0.1, 0.9)
    m.lock("lock", on="e" if seed % 4 == 3 else "c", when=mbs.time >= at)
    kick_at = at if seed % 2 else made.number("kick_at", 0.1, 0.9)
    kicked = -0.5 * mbs.rate("e") + made.number("kick_by", -1.0, 1.0)
    m.event("kick", mbs.time - kick_at, direction=1, reset={"e.v": kicked})
    m.output("T", mbs.energy())
    return made


def check_losses(seed: int, way: dict[str, Any]) -> None:
    """Assert that the energy between two rows decreases by the sum of what the entries between them have lost.

    The masses move uniformly, which every method integrates exactly. A row shows the state before its own instant.
    """
    made = sliders(seed)
    drawn = made.draw(np.random.default_rng([seed, 1]))
    result = mbs.simulate(made.model, 1.5, output_interval=1 / 128, **way, **drawn)
    log, T = result.log, result["T"]
    assert np.count_nonzero(log["kind"] == "mode") > 3 and np.all(log["lost"][log["kind"] == "sample"] == 0.0)
    interval = np.searchsorted(result.time, log["time"], side="right") - 1
    assert np.all(interval < len(T) - 1)  # at the end of a run nothing acts
    lost = np.bincount(interval, log["lost"], len(T) - 1)
    assert_close(-np.diff(T), lost, 1e-9 * T[:-1], "energy lost", times=result.time[:-1])
    check_equal_strikes(log, drawn["parameters"])


def check_equal_strikes(log: np.ndarray, parameters: dict[str, float]) -> None:
    """Assert that a and b, which strike their stops at one instant with 1 m/s, lose what their own masses do there."""
    one, other = (log[log["name"] == f"stop_{name}_upper"][0] for name in "ab")
    assert (one["time"], one["n"]) == (other["time"], other["n"])
    assert_close(one["time"], parameters["upper_a"], 1e-12, "time of the strike")
    for entry, name in ((one, "a"), (other, "b")):
        lost = 0.5 * parameters[f"mass_{name}"] * (1.0 - parameters[f"e_{name}"] ** 2)
        assert_close(entry["lost"], lost, 1e-9 * lost, f"loss of {name}")


@pytest.mark.parametrize("seed", tiers(range(30), usual=1))
def test_losses_are_the_energy_lost(seed: int) -> None:
    """Impacts on stops of single, coupled and equal bodies, a lock, and a reset beside it."""
    check_losses(seed, WAYS[list(WAYS)[seed % len(WAYS)]])
