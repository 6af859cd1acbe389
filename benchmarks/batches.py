"""Throughput of batches: evaluations in lanes per state against the peer, and rk4 steps on one core and on all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import machine_code
from mbs_fmu.codegen.modules import load_uncached
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.lanes.module import lanes_module, machine_lanes, runs_module
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.record.program import Program
from mbs_fmu.run.batches.lanes import KINDS
from mbs_fmu.run.memory import aligned

from .cases import CASES
from .kernel_loops import state_loop
from .models import Mechanism, States, to_model
from .ours import Ours
from .peers import MUJOCO, PINOCCHIO, Mujoco, Peer, PinocchioCpp
from .report import Unavailable, number, progress, table
from .robots import FILES
from .timing import Effort, interleaved

NS = 1e9
ALONE = {PINOCCHIO: PinocchioCpp}
MEMBERS, LINK_STEPS = 256, 20_000  #: of the runs: members, and steps times bodies
EXPLANATION = """\
These evaluations process 4 or 8 states at once: `derive(R)` on records with a column for each state, called from a loop
in machine code. The 16 random states and the timing are those of the section "Evaluation". Times are the processor time
of one thread, the median over the rounds, divided by the number of states. Before the timing, a check confirms that
every lane is bit-identical to the single evaluation. "Single" is the kernel for single records in the same rounds,
"Pinocchio C++" its `aba`, which takes one state per call. The target is 20 times the speed of Pinocchio with 8 lanes.

Not only arithmetic but also memory limits the speed. A value in 8 lanes takes 64 bytes, so the intermediate values of
50 bodies (a hundred kilobytes) do not fit into the first-level cache and are in the second. Where links of several
classes or several branches meet, the 30 values that pass between links do not fit into the registers and pass through
memory. In a trial in which all members shared one copy of the constants, instead of one copy for each lane, evaluations
were 0 to 6 % faster."""
ROBOTS = """\
The same for robots of the package example-robot-data and for MuJoCo's smooth dynamics, ns per evaluation:"""
RUNS = """\
The next table has the time of runs of {members} members over the given number of steps, `mbs.simulate(model, ...,
method="rk4", step=1e-3, batch=...)`, from the call to its result, including the start of every member. It is given in
nanoseconds per member and step, and each step is four evaluations. Each figure is the smallest of {repeats} runs; the
runs of all cases alternate.

- "One core" and "single" (one thread with `lanes=1`): processor time.
- "All cores": wall time with a thread for each core. "Cores": the cores left by the machine's other load (processor
  time over wall time). "All cores, busy": the processor time of these runs, which includes the cost of threads.
- "Compile": the processor time to translate and compile the lanes' time loop at its first use."""


@dataclass
class CaseResult:
    """Medians in ns per state, and ratios within the rounds."""

    title: str
    ns: dict[str, float]
    ratios: dict[tuple[str, str], float]  #: (a, b): time of a over time of b
    notes: list[str] = field(default_factory=list)


def section(names: Sequence[str], effort: Effort, quick: bool) -> str:
    """Report section: run all named cases."""
    results, robots, runs, repeats = [], [], [], 3 if quick else 9
    for k, name in enumerate(names):
        progress(f"batches of {name} ({k + 1} of {len(names)})")
        if name in FILES:
            robots.append(run_case(name, effort, {PINOCCHIO: PinocchioCpp, MUJOCO: Mujoco}))
            continue
        results.append(run_case(name, effort))
        runs.append(run_times(name, repeats))
    notes = [f"- {note}" for result in (*results, *robots) for note in result.notes]
    parts = ["## Batches", EXPLANATION]
    if results:
        parts += ["Times of one evaluation per state, ns, and speed ratios (second time over first):"]
        parts += [_evaluations(results, [PINOCCHIO])]
    if robots:
        parts += [ROBOTS, _evaluations(robots, [PINOCCHIO, MUJOCO])]
    parts += ["\n".join(notes)]
    if runs:
        parts += [RUNS.format(members=MEMBERS, repeats=repeats), _runs(runs)]
    return "\n\n".join(part for part in parts if part)


# -- evaluations ---------------------------------------------------------------------------------------------------


class Lanes:
    """`derive` on a number of lanes, with the states of the single one."""

    def __init__(self, mechanism: Mechanism, single: Ours, lanes: int):
        program = compile_model(to_model(mechanism))
        text = lanes_module(program.module, lanes, program.angles).text
        R, first_x, X, first_tau, T = single.arguments
        self.lanes, self.R = lanes, aligned(R.size, lanes)
        self.R[:] = R[:, None]
        groups = [
            np.ascontiguousarray(a.reshape(-1, lanes, a.shape[1]).transpose(0, 2, 1)).reshape(-1, lanes * a.shape[1])
            for a in (X, T)
        ]
        self.arguments = self.R, first_x, groups[0], first_tau, groups[1]
        self.loop, self.copies = state_loop(text, "derive"), state_loop(text, None)
        self.check(single)

    def check(self, single: Ours) -> None:
        """Raise RuntimeError unless every lane has the bits of the single evaluation."""
        for group in range(len(self.arguments[2])):
            self.loop(*self.arguments, group + 1)  # ends with this group
            for lane in range(self.lanes):
                u, q_dot, p_dot = single._derive(group * self.lanes + lane)
                actual = self.R[[*single.u, *single.q_dot, *single.p_dot], lane]
                if not np.array_equal(actual, np.concatenate([u, q_dot, p_dot])):
                    raise RuntimeError(f"lane {lane} of {self.lanes} differs from a single evaluation")

    def run(self, repetitions: int) -> None:
        self.loop(*self.arguments, repetitions)

    def run_copy(self, repetitions: int) -> None:
        self.copies(*self.arguments, repetitions)


def run_case(name: str, effort: Effort, peers: Mapping[str, Callable[..., Peer]] = ALONE) -> CaseResult:
    """Check and time one case beside peers."""
    case = CASES[name]
    mechanism = case.build(case.count)
    states, notes = States.random(mechanism), []
    single = Ours(mechanism, states)
    wide = {count: Lanes(mechanism, single, count) for count in (4, 8)}
    runs = {"single": single.run, "single copy": single.run_copy}
    for count, lanes in wide.items():
        runs |= {f"{count} lanes": lanes.run, f"{count} lanes copy": lanes.run_copy}
    for peer, kind in peers.items():
        try:
            runs[peer] = kind(mechanism, states).run
        except (Unavailable, ImportError) as reason:
            notes.append(f"{peer} is left out of {mechanism.name}: {reason}")
    seconds = interleaved(runs, effort)
    for key, states_at_once in (("single", 1), *((f"{count} lanes", count) for count in wide)):
        seconds[key] = (seconds[key] - seconds.pop(f"{key} copy")) / states_at_once
    return CaseResult(
        title=case.title,
        ns={key: NS * float(np.median(values)) for key, values in seconds.items()},
        ratios={(a, b): float(np.median(seconds[a] / seconds[b])) for a in seconds for b in seconds if a != b},
        notes=notes,
    )


def _evaluations(results: Sequence[CaseResult], peers: Sequence[str]) -> str:
    columns = ["8 lanes", "4 lanes", "single", *peers]
    pairs = [(peer, ours) for peer in peers for ours in ("8 lanes", "4 lanes", "single")] + [("single", "8 lanes")]
    rows = [
        [r.title, *(number(r.ns.get(c), "{:.1f}" if "lanes" in c else "{:.0f}") for c in columns),
         *(number(r.ratios.get(pair), "{:.1f}") for pair in pairs)]
        for r in results
    ]  # fmt: skip
    return table(["case", *columns, *(f"{fast} to {slow}" for slow, fast in pairs)], rows)


# -- runs ----------------------------------------------------------------------------------------------------------


def run_times(name: str, repeats: int) -> list[str]:
    """A row of the table of runs: ns per member and step, and speeds relative to each other."""
    case = CASES[name]
    model = to_model(case.build(case.count), driven=False)
    program = compile_model(model)
    names = [v.name for v in program.of_role("rate")]
    speeds = np.random.default_rng(1).normal(0.0, 0.1, (len(names), MEMBERS))
    steps = LINK_STEPS // case.count
    start, stop = dict(zip(names, speeds, strict=True)), 1e-3 * steps
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ways = {"one": (machine_lanes(), 1), "all": (machine_lanes(), cores), "single": (1, 1)}

    def seconds(way: str) -> tuple[float, float]:
        """Wall and processor time."""
        lanes, threads = ways[way]
        batch = mbs.Batch(start=start, lanes=lanes, threads=threads)
        wall, busy = time.perf_counter(), time.process_time()
        mbs.simulate(model, stop, method="rk4", step=1e-3, output_interval=stop, batch=batch)
        return time.perf_counter() - wall, time.process_time() - busy

    for way in ways:
        seconds(way)
    times_of: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way in ways:
            times_of[way].append(seconds(way))
    per_step = NS / MEMBERS / steps
    one, single = (per_step * min(busy for _, busy in times_of[way]) for way in ("one", "single"))
    wall, busy = min(times_of["all"])
    times = [one, single, per_step * wall, per_step * busy]
    return [
        case.title, str(steps), *map(number, times), number(busy / wall, "{:.2f}"), number(single / one, "{:.1f}"),
        number(single / (per_step * wall), "{:.1f}"), number(compile_time(program), "{:.1f}"),
    ]  # fmt: skip


def compile_time(program: Program) -> float:
    """Seconds to translate and compile the time loop of rk4 in lanes, without any cache."""
    module = load_uncached(runs_module(program, machine_lanes(), method("rk4")))
    began = time.process_time()
    machine_code(module, [("rk4_run_lanes", KINDS)])
    return time.process_time() - began


def _runs(rows: Sequence[Sequence[str]]) -> str:
    times = ["one core", "single", "all cores", "all cores, busy", "cores"]
    return table(["case", "steps", *times, "one core to single", "all cores to single", "compile, s"], rows)
