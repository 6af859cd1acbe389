"""One run of a model, from its first record to its result; how a run goes (`RunSettings`)."""

from __future__ import annotations

import logging
import math
import time as clock
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.loader import Kinds
from ..errors import Interrupted, SimulationError
from ..lazy_dataclasses import dataclass
from ..progress import Bar
from ..record.layout import Head, LoopState, Watch
from ..record.program import Program
from .inputs import Table, set_values
from .loops_report import assembly_notes, loop_statistics
from .memory import room
from .results.batches import BatchResult
from .results.results import SWITCHES, Result
from .runtime import Runtime

if TYPE_CHECKING:
    from ..integrate.methods.method import Method

log = logging.getLogger("mbs_fmu")

LOOP_KINDS: Kinds = ("array", "array", "array", "int", "float", "int")  #: R, U, Y, row, setting, budget
FIRST_BUDGET, MOST_BUDGET = 16, 1 << 40  #: steps between two signs of progress
SLICE = 0.2  #: seconds of computation between two signs of progress, at which Ctrl-C acts


def next_budget(budget: int, took: float) -> int:
    """How many steps the next slice of a run may make, where the last one, of `budget` steps, took so many seconds."""
    if took < 0.4 * SLICE:
        return min(2 * budget, MOST_BUDGET)
    return max(1, budget // 2) if took > SLICE else budget


@dataclass(frozen=True)
class RunSettings:
    """How a run or batch goes: `setting` is the step (s) where steps are fixed, else the relative tolerance.

    most_step: s, the longest step with error control; 0: any. at_steps: what ends steps is looked at between them only.
    """

    method: Method
    fixed: bool
    setting: float
    rtol: float
    atol: float
    start: float
    stop: float
    interval: float
    rows: int
    progress: bool
    most_step: float
    at_steps: bool

    @classmethod
    def of(
        cls, method: Method, step: float | None, rtol: float | None, atol: float | None, start: float, stop: float,
        interval: float, progress: bool, most_step: float | None, at_steps: bool,
    ) -> RunSettings:  # fmt: skip
        """The course with defaults in place of None: rtol 1e-6, atol rtol/100; steps of `step` (s) or, None, with
        error control where the method has it."""
        rtol = 1e-6 if rtol is None else float(rtol)
        atol = 0.01 * rtol if atol is None else float(atol)
        rows = max(2, math.ceil((stop - start) / interval * (1 - 1e-12)) + 1)
        fixed = not method.adaptive or step is not None
        setting = rtol if step is None else float(step)
        longest = most_step or 0.0
        return cls(method, fixed, setting, rtol, atol, start, stop, interval, rows, progress, longest, at_steps)

    @property
    def times(self) -> np.ndarray:
        """The times of all rows, s."""
        times = self.start + self.interval * np.arange(self.rows)
        times[-1] = self.stop
        return times

    def loop(self, program: Program) -> str:
        """The kernel that goes through all rows."""
        return loop_name(self.method.name, self.fixed, program)


def loop_name(method: str, fixed: bool, program: Program) -> str:
    """The kernel that goes through all rows of a run with a method, with fixed steps or error control."""
    return f"{method}_run_{'adaptive' if not fixed else 'watched' if program.events else 'fixed'}"


@dataclass
class Found:
    """Events of a run: times of events by their names, changes of modes as `results.SWITCHES`, rows so far."""

    events: dict[str, list[float]]
    switches: list[tuple[float, str, float, float, float]]
    rows: int = 0


def first_record(
    program: Program, tables: Mapping[str, Table], parameters: Mapping[str, float], start: Mapping[str, float],
    settings: RunSettings,
) -> np.ndarray:  # fmt: skip
    """The first record of a run: the program's, with what is given for this run."""
    R = program.new_record()
    set_values(program, R, "parameter", parameters)
    set_values(program, R, "start value", start)
    for name, (_, values) in tables.items():
        R[program.by_name[name].slot] = values[0]
    R[Head.time], R[Head.most_step] = settings.start, settings.most_step
    if settings.at_steps:
        R[Head.at_steps] = 1.0
    return R


def run_single(runtime: Runtime, R: np.ndarray, tables: dict[str, Table], settings: RunSettings) -> Result:
    """One run from this record. Raises SimulationError and Interrupted, with what there is as their `result`."""
    program = runtime.program
    given = R.copy() if program.loops else R
    runtime.ready((settings.loop(program), LOOP_KINDS))
    runtime.initialize(R, settings.rtol, settings.atol)
    notes = assembly_notes(program, R, given)
    for note in notes:
        log.info("%s: %s", program.name, note)
    U = runtime.tables(tables, settings.start, settings.interval, settings.rows, settings.stop)
    Y = room(settings.rows, len(program.columns)).ravel()
    found = Found({event["name"]: [] for event in program.events}, [])
    interrupted, status = False, 0
    try:
        status = _run(runtime, R, U, Y, settings, found)
    except KeyboardInterrupt:  # between two slices: kernels run to the end of theirs
        interrupted = True
    result = _result(runtime, R, Y, found.rows, settings.method)
    result.events = {name: np.array(times) for name, times in found.events.items()}
    result.switches = np.array(found.switches, SWITCHES)
    result.statistics["notes"] = notes
    if interrupted:
        raise Interrupted(f"{program.name}: {cut_short(result)}", result) from None
    if status:
        raise SimulationError(f"{runtime.fault(R, status)}; results up to then are in the error's .result", result)
    return result


def cut_short(result: Result | BatchResult) -> str:
    """The message of a run that Ctrl-C has ended."""
    kept = "kept as the exception's .result (in a shell: sys.last_value.result)"
    return f"interrupted; what there is until then is {kept}: {result!r}"


def _run(runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, settings: RunSettings, found: Found) -> int:
    """Call the time loop until all rows are there; returns a status. What happens is added to `found`."""
    with Bar(runtime.program.name, settings.rows, "row") as bar:
        return _rows(runtime, R, U, Y, settings, found, bar.update)


def _rows(
    runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, settings: RunSettings, found: Found,
    told: Callable[[int], object],
) -> int:  # fmt: skip
    """The rows of `_run`; `told` is called every few rows."""
    loop = getattr(runtime.kernels, f"enter_{settings.loop(runtime.program)}")
    row, budget = 0, FIRST_BUDGET
    while row < settings.rows:
        began = clock.perf_counter()
        reached = int(loop(R, U, Y, row, settings.setting, budget))
        if runtime.program.modes:
            found.switches.extend(_switches(runtime.program, R))
        ended = bool(found.events) and _crossings(runtime, R, found.events)
        if reached < 0:
            found.rows = int(R[Head.done])
            return -1 - reached
        told(reached - row)
        found.rows = row = reached
        if ended:
            break
        budget = next_budget(budget, clock.perf_counter() - began)
    return 0


def _switches(program: Program, R: np.ndarray) -> list[tuple[float, str, float, float, float]]:
    """The changes of modes in the last call."""
    place, start = program.regions["loop_state"][0] + LoopState.logged, program.regions["mode_log"][0]
    log = R[start : start + 5 * int(R[place])].reshape(-1, 5)
    return [(time, program.modes[int(g)]["name"], *rest) for time, g, *rest in log.tolist()]


def _crossings(runtime: Runtime, R: np.ndarray, events: dict[str, list[float]]) -> bool:
    """Add the events of the last step, and what is behind it; whether one of them ends the run."""
    start = runtime.program.regions["watch"][0]
    stop, began = R[start + Watch.stopped], float(R[start + Watch.began])
    first = start + Watch.size + 3 * len(events)
    crossings = R[first : first + 2 * len(events)].reshape(-1, 2)
    met = R[first + 2 * len(events) : first + 3 * len(events)]
    for times, count, inside in zip(events.values(), met, crossings.tolist(), strict=True):
        times += [began] * int(count) + [t for t in inside if t <= stop]
    R[start + Watch.crossed], crossings[:], met[:] = 0.0, np.nan, 0.0
    return bool(stop < math.inf)


def _result(runtime: Runtime, R: np.ndarray, Y: np.ndarray, rows: int, chosen: Method) -> Result:
    program = runtime.program
    width = len(program.columns)
    return Result(
        name=program.name,
        columns=program.columns,
        data=Y[: rows * width].reshape(rows, width),
        units=program.units,
        vectors=program.vectors,
        statistics={
            "method": chosen.name,
            "steps": int(R[Head.steps]),
            "rejected": int(R[Head.rejected]),
            "evaluations": int(R[Head.evaluations]),
            **({"jacobians": int(R[Head.jacobians])} if chosen.needs_jacobian else {}),
            **loop_statistics(program, R),
        },
    )
