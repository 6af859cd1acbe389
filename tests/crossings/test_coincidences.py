"""All pairs and triples of kinds of crossings at one instant have one outcome, with every method and offset."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run import single
from support.comparisons import assert_close
from support.crossings.clock import AT, END, INTERVAL, KINDS, clock, demanded, instants, outcome, run
from support.crossings.outcomes import entries
from support.crossings.ways import STEP, Way, every_fixed_way, every_way

GROUPS = [group for size in (1, 2, 3) for group in itertools.combinations(KINDS, size)]
NEAR = (0.0, 1e-12, -1e-12)
NEARER = (*NEAR, 1e-15, -1e-15)

Times = dict[str, float]


def shifted(group: tuple[str, ...], offsets: Iterable[tuple[float, ...]]) -> Iterator[Times]:
    """The kinds at the instant, each shifted by its offset, s."""
    for shifts in offsets:
        yield {kind: AT + shift for kind, shift in zip(group, shifts, strict=True)}


def some(group: tuple[str, ...]) -> Iterator[Times]:
    """Few offsets: none, each order of the first two kinds, and for triples each order of the last two."""
    first = [(0.0, 0.0, 0.0), (0.0, 1e-12, -1e-12), (0.0, -1e-12, 1e-12), (1e-12, -1e-12, 0.0), (-1e-12, 1e-12, 0.0)]
    return shifted(group, dict.fromkeys(shifts[: len(group)] for shifts in first))


def few(group: tuple[str, ...]) -> list[Times]:
    """No offsets, and one order of the kinds."""
    return list(some(group))[:2]


def everything(group: tuple[str, ...]) -> Iterator[Times]:
    """All offsets of all kinds."""
    return shifted(group, itertools.product(NEARER, repeat=len(group)))


def named(times: Mapping[str, float]) -> str:
    """Name of a run in messages."""
    return " ".join(f"{kind}{time - AT:+.0e}" if time != AT else kind for kind, time in times.items())


def check_all(deviations: Iterable[str]) -> None:
    """Fail with the first deviations and their number."""
    __tracebackhide__ = True
    found = [deviation for deviation in deviations if deviation]
    assert not found, f"{len(found)} runs deviate:\n" + "\n".join(found[:6])


def deviation(times: Times, way: Way, end: float = END, backwards: bool = False) -> str:
    """What is wrong with the outcome of a run, or nothing."""
    try:
        differs = outcome(run(times, way, end, backwards=backwards)).differs(demanded(times, end=end))
    except (mbs.SimulationError, AssertionError) as error:
        differs = f"{type(error).__name__}: {error}"
    return differs and f"{named(times)}: {differs}"


@every_way
def test_one_outcome(way: Way) -> None:
    """Of each kind, pair and triple, at the instant and up to 2e-12 s apart."""
    check_all(deviation(times, way) for group in GROUPS for times in some(group))


@pytest.mark.slow
@every_way
@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
def test_one_outcome_at_all_offsets(way: Way, backwards: bool) -> None:
    """Also with 1e-15 s, every offset of every kind, and the reverse order of definition."""
    check_all(deviation(times, way, backwards=backwards) for group in GROUPS for times in everything(group))


@every_way
def test_the_end_of_a_run_is_a_left_limit(way: Way) -> None:
    """A run that ends at the instant logs what motion reaches, nothing acts, and its rows are those of a longer run."""
    check_all(deviation(times, way, end=AT) for group in GROUPS for times in few(group))
    for group in GROUPS:
        times = dict.fromkeys(group, AT)
        short, long = run(times, way, AT), run(times, way)
        bound = 0.0 if way.fixed else 1e-13  # error control may step beyond a row
        assert_close(short.data, long.data[: len(short)], bound, f"rows of {named(times)}", short.columns, short.time)
        assert entries(short) == [entry for entry in entries(long) if entry.n == 0], named(times)


@every_way
def test_the_outcome_depends_on_no_row(way: Way) -> None:
    """Without a row at the instant the outcome is the same; the time of the entries is one of the cluster's."""

    def deviations() -> Iterator[str]:
        for group in GROUPS:
            for times in few(group):
                result = run(times, way, interval=0.3)
                differs = outcome(result).differs(demanded(times))
                found = {entry.time for entry in entries(result)}
                ticks = [times[kind] for kind in ("tick", "jump") if kind in times]
                wanted = max(ticks) if ticks else min(times.values())
                if not differs and "stop" not in times and max(abs(time - wanted) for time in found) > 1e-13:
                    differs = f"times {found}, expected {wanted!r}"
                yield differs and f"{named(times)}: {differs}"

    check_all(deviations())


@every_way
def test_the_log_agrees_with_its_views(way: Way) -> None:
    """`events` and `switches` are views of the log; entries of one kind and round follow the order of definition."""
    times = dict.fromkeys(set(KINDS) - {"stop"}, AT)
    for backwards in (False, True):
        result = run(times, way, backwards=backwards)
        log = entries(result)
        for name in ("o", "stop", "r", "j"):
            assert list(result.events[name]) == [entry.time for entry in log if entry.name == name], name
        switches = [(float(row["time"]), str(row["name"]), float(row["lost"])) for row in result.switches]
        assert switches == [(entry.time, entry.name, entry.lost) for entry in log if entry.kind == "mode"]
        by_name = {str(row["name"]): row for row in result.log}
        assert (by_name["l"]["before"], by_name["l"]["after"]) == (-1.0, 0.0), "modes of the lock"
        assert by_name["s"]["before"] == 0.0 and by_name["s"]["after"] == result["s"][-1], "values of the sample"
        assert by_name["o"]["before"] == -1.0 and by_name["o"]["after"] in (0.0, 1.0), "sides of the report"


@every_fixed_way
def test_events_at_step_ends(way: Way) -> None:
    """With events="steps" the outcome at a step's end is the same; inside a step that of its end."""

    def deviations() -> Iterator[str]:
        for group in GROUPS:
            for times in few(group):
                result = run(times, way, events="steps")
                differs = outcome(result).differs(demanded(times))
                yield differs and f"{named(times)}: {differs}"
            if not {"tick", "jump"} & set(group):
                result = run(dict.fromkeys(group, AT + 0.3 * STEP), way, events="steps")
                differs = outcome(result).differs(demanded(group, AT + STEP))
                yield differs and f"{' '.join(group)} inside a step: {differs}"

    check_all(deviations())


@every_way
def test_slices_change_nothing(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in slices of one step each, as for Ctrl-C, has all bits and entries of the whole."""
    groups = [dict.fromkeys(group, AT) for group in GROUPS]
    whole = [run(times, way) for times in groups]
    monkeypatch.setattr(single, "FIRST_BUDGET", 1)
    monkeypatch.setattr(single, "next_budget", lambda budget, took: 1)
    for times, one in zip(groups, whole, strict=True):
        sliced = run(times, way)
        assert np.array_equal(sliced.data, one.data), f"rows of {named(times)}"
        assert entries(sliced) == entries(one), f"log of {named(times)}"
        assert sliced.statistics == one.statistics, f"statistics of {named(times)}"


def stepped(group: Iterable[str], way: Way, interval: float) -> list[float]:
    """y, s and x of a `Stepper` that pauses at each multiple of the interval up to 1 s, the instant included."""
    times = {f"at_{kind}": AT for kind in group if kind != "jump"}
    stepper = mbs.Stepper(clock(watched=False), 1, interval, STEP, method=way.method, parameters=times)
    for k in range(round(1.0 / interval)):
        stepper.inputs[:] = 1.0 if "jump" in group and k * interval >= AT else 0.0
        stepper.advance()
    return [float(number) for number in stepper.values(["b.v", "s", "x"])[0]]


@every_fixed_way
def test_calls_that_end_at_the_instant_change_no_bit(way: Way) -> None:
    """Calls of a stepper end at the left limit; the next one begins with what is due, as within one run."""
    acting = ("mode", "tick", "jump")
    for group in [group for size in (1, 2, 3) for group in itertools.combinations(acting, size)]:
        arguments = instants(dict.fromkeys(group, AT))
        for interval in (0.5, INTERVAL):
            whole = mbs.simulate(clock(watched=False), 1.0, output_interval=interval, **arguments, **way.options())
            numbers = [float(whole[name][-1]) for name in ("b.v", "s", "x")]
            assert stepped(group, way, interval) == numbers, f"{' '.join(group)} with calls of {interval} s: y, s, x"
            wanted = demanded(group)
            assert_close(numbers[:2], [wanted.y, wanted.s], 1e-9, f"y, s of {' '.join(group)}")
