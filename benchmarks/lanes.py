"""Batches of machines in lanes: closed loops, elastic bodies and modes, against the same batch member by member."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.lanes.module import machine_lanes
from mbs_fmu.run.bundled import bundled_model

from . import excavator
from .batches import compile_time
from .report import number, progress, table
from .timing import Effort, calls, interleaved

MEMBERS = 64
EXPLANATION = """\
These batches of {members} members run with fixed steps of `rk4` on one thread, `mbs.simulate(model, ..., batch=)` from
the call to its result, including the start of every member; there are 11 result rows, or as stated. Times are processor
time per member and step, the medians of {rounds} rounds in which lanes and single members (`lanes=1`) take turns;
"faster" is the median of the ratios. Before the timing, a check confirms that all rows and statistics have the same
bits. "Repeated" is the share of steps that were repeated alone, because members would have taken other branches than
the majority of their group; "alone" counts the members that left it for good, since they left too often. "Compile" is
the processor time to translate and compile the lanes' time loop at its first use."""


@dataclass(frozen=True)
class Case:
    """A batch: its model, what its members differ in, time and step, s, and the number of rows."""

    title: str
    model: Callable[[], mbs.Model]
    numbers: Mapping[str, Any]
    stop: float
    step: float
    rows: int = 10


def spread(low: float, high: float) -> np.ndarray:
    """One number for each member."""
    return np.linspace(low, high, MEMBERS)


def varied(name: str, share: float) -> dict[str, np.ndarray]:
    """Parameters of a bundled model that differ between members by a share of their values, as far as bounds allow."""
    program, rng = compile_model(bundled_model(name, name)), np.random.default_rng(5)
    record, values = program.new_record(), {}
    for v in program.of_role("parameter"):
        if record[v.slot] != 0.0 and record[v.slot] not in v.range:
            values[v.name] = np.clip(record[v.slot] * (1.0 + share * rng.uniform(-1.0, 1.0, MEMBERS)), *v.range)
    return values


def cases() -> list[Case]:
    """Return all cases; those of event models have parameters that differ by 0.1 % and by 5 %."""
    bundled = {name: functools.partial(bundled_model, name, name) for name in (
        "four_bar", "excavator", "rolling_disc", "boom_with_load", "flexible_slider_crank", "rotating_blade",
        "cam_follower", "bouncing_pendulum", "clutch",
    )}  # fmt: skip
    phases = {"start": {"crank.phi": spread(0.0, 6.0), "crank.w": spread(0.5, 1.5)}}
    forces = {"F_boom": 6.5e4, "F_stick": spread(-1e4, 1e4), "F_bucket": 0.0}
    found = [
        Case("four-bar, any phase, 1 ms", bundled["four_bar"], phases, 1.0, 1e-3),
        Case("four-bar, any phase, 1 ms, rows every 10 steps", bundled["four_bar"], phases, 1.0, 1e-3, 100),
        Case("four-bar, any phase, 5 ms", bundled["four_bar"], phases, 5.0, 5e-3),
        Case("excavator without hydraulics, 1 ms", excavator.excavator,
             {"parameters": {"bucket_mass": spread(400.0, 800.0)}, "inputs": forces}, 0.5, 1e-3),
        Case("excavator, 0.1 ms", bundled["excavator"], {"start": {"boom.phi": spread(0.29, 0.3)}}, 0.1, 1e-4),
        Case("rolling disc, 1 ms", bundled["rolling_disc"], {"parameters": varied("rolling_disc", 0.01)}, 1.0, 1e-3),
        Case("elastic boom, 16 modes, 0.1 ms", bundled["boom_with_load"],
             {"parameters": {"load": spread(300.0, 600.0)}}, 0.05, 1e-4),
        Case("slider-crank with elastic rod, 20 us", bundled["flexible_slider_crank"], {"size": MEMBERS}, 0.02, 2e-5),
        Case("blade, 0.1 ms", bundled["rotating_blade"], {"size": MEMBERS}, 0.05, 1e-4),
    ]  # fmt: skip
    for name, stop in (("cam_follower", 0.5), ("bouncing_pendulum", 2.0), ("clutch", 2.0)):
        found += [
            Case(f"{name.replace('_', ' ')}, 1 ms, {100 * share:g} %", bundled[name],
                 {"parameters": varied(name, share)}, stop, 1e-3)
            for share in (1e-3, 5e-2)
        ]  # fmt: skip
    return found


def measured(case: Case, effort: Effort) -> list[str]:
    """Return a row of the table; raises AssertionError if a bit of the results differs."""
    model = case.model()
    run = functools.partial(
        mbs.simulate, model, case.stop, method="rk4", step=case.step, output_interval=case.stop / case.rows
    )
    ways = {lanes: mbs.Batch(**case.numbers, lanes=lanes, threads=1) for lanes in (1, machine_lanes())}
    single, wide = (run(batch=batch) for batch in ways.values())
    assert np.array_equal(single.data.view(np.int64), wide.data.view(np.int64)), case.title
    for name in ("steps", "evaluations"):
        assert np.array_equal(single.statistics[name], wide.statistics[name]), (case.title, name)
    seconds = interleaved({lanes: calls(functools.partial(run, batch=batch)) for lanes, batch in ways.items()}, effort)
    steps = int(single.statistics["steps"].sum())
    one, many = (1e9 * float(np.median(seconds[lanes])) / steps for lanes in ways)
    ratios = seconds[1] / seconds[machine_lanes()]
    repeated = 100.0 * float(wide.statistics["repeated"].sum()) / steps
    return [
        case.title, number(one), number(many), number(float(np.median(ratios)), "{:.1f}"), f"{repeated:.1f}",
        str(int(wide.statistics["alone"].sum())), number(compile_time(compile_model(model)), "{:.1f}"),
    ]  # fmt: skip


def section(effort: Effort) -> str:
    """Return the section of the page."""
    rows = []
    for case in cases():
        progress(case.title)
        rows.append(measured(case, effort))
    columns = ["case", "single, ns", f"{machine_lanes()} lanes, ns", "faster", "repeated, %", "alone", "compile, s"]
    explanation = EXPLANATION.format(members=MEMBERS, rounds=effort.rounds)
    return "\n\n".join(["## Batches of machines", explanation, table(columns, rows)])
