"""One run of a model, from its first record to its result, and the settings of runs (`RunSettings`)."""

from __future__ import annotations

import logging
import math
import time as clock
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.loader import Kinds
from ..infrastructure.errors import Interrupted, SimulationError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.progress import Bar
from ..record.blocks import EventSearch, HeadNumbers, LoopNumbers
from ..record.program import Program
from .inputs import Table, set_values
from .loops_report import assembly_notes, loop_statistics
from .memory import result_array
from .results.batches import BatchResult
from .results.results import SWITCHES, Result
from .runtime import Runtime
from .step_control import StepControl

if TYPE_CHECKING:
    from ..integrate.methods.method import Method

log = logging.getLogger("mbs_fmu")

LOOP_KINDS: Kinds = ("array", "array", "array", "int", "float", "int")  #: R, U, Y, row, bound of a step, budget
FIRST_BUDGET, MOST_BUDGET = 16, 1 << 40  #: steps between two updates of the progress bar
SLICE = 0.2  #: computing time between two updates, s; Ctrl-C takes effect at updates


def next_budget(budget: int, took: float) -> int:
    """Return the number of steps of a run's next slice, if the last slice of `budget` steps took `took` seconds."""
    if took < 0.4 * SLICE:
        return min(2 * budget, MOST_BUDGET)
    return max(1, budget // 2) if took > SLICE else budget


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run or batch: how steps are made; the times of the rows, s; whether to show the progress."""

    control: StepControl
    start: float
    stop: float
    interval: float
    rows: int
    progress: bool

    @classmethod
    def of(cls, control: StepControl, start: float, stop: float, interval: float, progress: bool) -> RunSettings:
        """Return settings with a row at the start, after each interval (s), and at the stop."""
        rows = max(2, math.ceil((stop - start) / interval * (1 - 1e-12)) + 1)
        return cls(control, start, stop, interval, rows, progress)

    @property
    def times(self) -> np.ndarray:
        """Times of all rows, s."""
        times = self.start + self.interval * np.arange(self.rows)
        times[-1] = self.stop
        return times


@dataclass
class RunEvents:
    """Events of a run: times of events by name, changes of modes (`results.SWITCHES`), number of rows up to now."""

    events: dict[str, list[float]]
    switches: list[tuple[float, str, float, float, float]]
    rows: int = 0


def first_record(
    program: Program, tables: Mapping[str, Table], parameters: Mapping[str, float], start: Mapping[str, float],
    settings: RunSettings,
) -> np.ndarray:  # fmt: skip
    """Return the first record of a run: that of the program, with the values given for this run."""
    R = program.new_record()
    set_values(program, R, "parameter", parameters)
    set_values(program, R, "start value", start)
    for name, (_, values) in tables.items():
        R[program.by_name[name].slot] = values[0]
    R[HeadNumbers.time] = settings.start
    settings.control.write(R)
    return R


def run_single(runtime: Runtime, R: np.ndarray, tables: dict[str, Table], settings: RunSettings) -> Result:
    """Run from a record.

    Raises SimulationError and Interrupted, with the rows before that as their `result`, and a plain KeyboardInterrupt
    before the first row.
    """
    program = runtime.program
    start = R.copy() if program.loops else R
    runtime.ready((settings.control.loop(program), LOOP_KINDS))
    runtime.initialize(R, *settings.control.tolerances)
    notes = assembly_notes(program, R, start)
    for note in notes:
        log.info("%s: %s", program.name, note)
    U = runtime.tables(tables, settings.start, settings.interval, settings.rows, settings.stop)
    Y = result_array(settings.rows, len(program.columns)).ravel()
    events = RunEvents({event["name"]: [] for event in program.events}, [])
    interrupted, status = False, 0
    try:
        status = _run(runtime, R, U, Y, settings, events)
    except KeyboardInterrupt:  # between two slices, because kernels run to the end of a slice
        if not events.rows:  # the time loop was being compiled
            raise
        interrupted = True
    result = _result(runtime, R, Y, events.rows, settings.control.method)
    result.events = {name: np.array(times) for name, times in events.events.items()}
    result.switches = np.array(events.switches, SWITCHES)
    result.statistics["notes"] = notes
    if interrupted:
        raise Interrupted(f"{program.name}: {cut_short(result)}", result) from None
    if status:
        raise SimulationError(f"{runtime.fault(R, status)}; results up to then are in the error's .result", result)
    return result


def cut_short(result: Result | BatchResult) -> str:
    """Return the message of a run that Ctrl-C has ended."""
    kept = "kept as the exception's .result (in a shell: sys.last_value.result)"
    return f"interrupted; the result until then is {kept}: {result!r}"


def _run(
    runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, settings: RunSettings, events: RunEvents
) -> int:
    """Call the time loop until all rows are done; return a status. Adds to `events`."""
    with Bar(runtime.program.name, settings.rows, "row") as bar:
        return _rows(runtime, R, U, Y, settings, events, bar.update)


def _rows(
    runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, settings: RunSettings, events: RunEvents,
    report: Callable[[int], object],
) -> int:  # fmt: skip
    """Compute the rows of `_run`; call `report` with the number of new rows every few rows."""
    loop = getattr(runtime.kernels, f"enter_{settings.control.loop(runtime.program)}")
    row, budget = 0, FIRST_BUDGET
    while row < settings.rows:
        began = clock.perf_counter()
        reached = int(loop(R, U, Y, row, settings.control.bound, budget))
        if runtime.program.modes:
            events.switches.extend(_switches(runtime.program, R))
        ended = bool(events.events) and _crossings(runtime, R, events.events)
        if reached < 0:
            events.rows = int(R[HeadNumbers.done])
            return -1 - reached
        report(reached - row)
        events.rows = row = reached
        if ended:
            break
        budget = next_budget(budget, clock.perf_counter() - began)
    return 0


def _switches(program: Program, R: np.ndarray) -> list[tuple[float, str, float, float, float]]:
    """Return the changes of modes in the last call, in the form of `results.SWITCHES`."""
    place, start = program.regions["loop_state"][0] + LoopNumbers.logged, program.regions["mode_log"][0]
    log = R[start : start + 5 * int(R[place])].reshape(-1, 5)
    return [(time, program.modes[int(g)]["name"], *rest) for time, g, *rest in log.tolist()]


def _crossings(runtime: Runtime, R: np.ndarray, events: dict[str, list[float]]) -> bool:
    """Add the events of the last step; return True if one of them ends the run."""
    start = runtime.program.regions["watch"][0]
    stop, began = R[start + EventSearch.stopped], float(R[start + EventSearch.began])
    first = start + EventSearch.size + 3 * len(events)
    crossings = R[first : first + 2 * len(events)].reshape(-1, 2)
    met = R[first + 2 * len(events) : first + 3 * len(events)]
    for times, count, inside in zip(events.values(), met, crossings.tolist(), strict=True):
        times += [began] * int(count) + [t for t in inside if t <= stop]
    R[start + EventSearch.crossed], crossings[:], met[:] = 0.0, np.nan, 0.0
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
            "steps": int(R[HeadNumbers.steps]),
            "rejected": int(R[HeadNumbers.rejected]),
            "evaluations": int(R[HeadNumbers.evaluations]),
            **({"jacobians": int(R[HeadNumbers.jacobians])} if chosen.needs_jacobian else {}),
            **loop_statistics(program, R),
        },
    )
