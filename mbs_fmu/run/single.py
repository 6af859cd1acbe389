"""One run of a model, from its first record to its result, and the settings of runs (`RunSettings`)."""

from __future__ import annotations

import logging
import math
import time as clock
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.loader import Kinds
from ..infrastructure.arguments import ParameterValues
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.progress import Bar
from ..record.blocks import HeadNumbers, Instants, LogEntry
from ..record.program import Program
from .errors import Interrupted, SimulationError
from .inputs import Table, set_values
from .kinds_report import unfit_notes
from .loops_report import assembly_notes, loop_statistics
from .memory import result_array
from .results.batches import BatchResult
from .results.log import Log
from .results.results import Result
from .runtime import Runtime
from .step_control import StepControl
from .stiffness import LONG_RUN, stiffness_notes, warn_of_stiffness

if TYPE_CHECKING:
    from ..integrate.methods.method import Method

logger = logging.getLogger("mbs_fmu")

LOOP_KINDS: Kinds = ("array", "array", "array", "int", "float", "int")  #: R, U, Y, row, bound of a step, budget
FIRST_BUDGET, MOST_BUDGET = 16, 1 << 40  #: steps between two updates of the progress bar
SAME_STEP_SHARE = 1e-9  #: share of a step by which steps of equal size may differ by rounding
#: Indices of numbers of a record that every run reads.
STEPS, REJECTED, EVALUATIONS = HeadNumbers.steps, HeadNumbers.rejected, HeadNumbers.evaluations
SLICE = 0.2  #: computing time between two updates, s; Ctrl-C takes effect at updates


def next_budget(budget: int, took: float) -> int:
    """Return the number of steps of a run's next slice, if the last slice of `budget` steps took `took` seconds."""
    if took < 0.4 * SLICE:
        return min(2 * budget, MOST_BUDGET)
    return max(1, budget // 2) if took > SLICE else budget


def default_interval(span: float, step: float) -> float:
    """Return the time between rows of a run, s, at most 500 of them: a 500th of its span if steps end there.

    Otherwise it is the next multiple of the step, so that no step is shortened. A step of 0 is one of error control.
    """
    interval = span / 500
    if step == 0.0:
        return interval
    steps = interval / step
    if round(steps) > 0 and abs(steps - round(steps)) <= SAME_STEP_SHARE * steps:
        return interval
    return min(span, step * math.ceil(steps))


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run or batch: how steps are made, the times of the rows, s, and notes on tolerances."""

    control: StepControl
    start: float
    stop: float
    interval: float
    rows: int
    bounded: tuple[str, ...] = ()

    @classmethod
    def of(cls, control: StepControl, start: float, stop: float, interval: float) -> RunSettings:
        """Return settings with a row at the start, after each interval (s), and at the stop."""
        rows = max(2, math.ceil((stop - start) / interval * (1 - 1e-12)) + 1)
        return cls(control, start, stop, interval, rows)

    @cached_property
    def notes(self) -> list[str]:
        """Notes on tolerances and fixed steps that are smaller than the given ones; the latter end at rows."""
        from ..integrate.stepping.drivers import equal_steps

        step = self.control.step
        if not self.control.fixed or step >= self.stop - self.start:
            return [*self.bounded]
        size = self.interval / equal_steps(self.start, self.start + self.interval, step)
        if abs(size - step) <= SAME_STEP_SHARE * step:
            return []
        return [
            f"the steps have {size:.6g} s instead of {step:.6g} s, since each output interval of {self.interval:.6g} s "
            f"is divided into equal steps: for other steps give an output_interval that is a multiple of the step"
        ]

    @property
    def times(self) -> np.ndarray:
        """Times of all rows, s."""
        times = self.start + self.interval * np.arange(self.rows)
        times[-1] = self.stop
        return times


@dataclass
class RunLog:
    """The log of a run up to now, arrays of `LogEntry` numbers, (entries, numbers), and the number of rows."""

    parts: list[np.ndarray]
    rows: int = 0


def first_record(
    program: Program, tables: Mapping[str, Table], parameters: ParameterValues, start: Mapping[str, float],
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
    runtime.ready((settings.control.loop, LOOP_KINDS))
    runtime.initialize(R, *settings.control.tolerances)
    notes = settings.notes + assembly_notes(program, R, start)
    for note in notes:
        logger.info("%s: %s", program.name, note)
    U = runtime.tables(tables, settings.start, settings.interval, settings.rows, settings.stop)
    Y = result_array(settings.rows, len(program.columns)).ravel()
    log = RunLog([])
    interrupted, status = False, 0
    try:
        status = _Loop(runtime, R, U, Y, settings, log).run()
    except KeyboardInterrupt:  # between two slices, because kernels run to the end of a slice
        if not log.rows:  # the time loop was being compiled
            raise
        interrupted = True
    result = _result(runtime, R, Y, log, settings.control.method)
    found = stiffness_notes(runtime, R, U, settings.control)
    found += unfit_notes(program.typed_outputs, result.columns, result.data)
    for note in found:
        logger.info("%s: %s", program.name, note)
    result.statistics["notes"] = notes + found
    if interrupted:
        raise Interrupted(f"{program.name}: {cut_short(result)}", result) from None
    if status:
        raise SimulationError(f"{runtime.fault(R, status)}; results up to then are in the error's .result", result)
    return result


def cut_short(result: Result | BatchResult) -> str:
    """Return the message of a run that Ctrl-C has ended."""
    kept = "kept as the exception's .result (in a shell: sys.last_value.result)"
    return f"interrupted; the result until then is {kept}: {result!r}"


class _Loop:
    """The time loop of a run, which is called slice by slice; adds to a log.

    R, U, Y: the record, the tables of inputs and the rows of the result.
    """

    def __init__(
        self, runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, settings: RunSettings, log: RunLog
    ):
        self.runtime, self.R, self.U, self.Y, self.settings, self.log = runtime, R, U, Y, settings, log
        self.kernel = getattr(runtime.kernels, f"enter_{settings.control.loop}")
        self.budget, self.warned = FIRST_BUDGET, False

    def run(self) -> int:
        """Compute all rows; return a status. The first slice is over before a progress bar would be drawn."""
        status = self.slice()
        if status is not None:
            return status
        with Bar(self.runtime.program.name, self.settings.rows, "row") as bar:
            bar.update(self.log.rows)
            while status is None:
                before = self.log.rows
                status = self.slice()
                bar.update(self.log.rows - before)
        return status

    def slice(self) -> int | None:
        """Compute the rows of a slice; return a status if it is the last one, otherwise None."""
        R, control, began = self.R, self.settings.control, clock.perf_counter()
        reached = int(self.kernel(R, self.U, self.Y, self.log.rows, control.bound, self.budget))
        ended = self.runtime.program.crossings and _take_log(self.runtime.program, R, self.log)
        if reached < 0:
            self.log.rows = int(R[HeadNumbers.done])
            return -1 - reached
        self.log.rows = reached
        if ended:
            return 0
        if not self.warned and R[STEPS] >= LONG_RUN:
            warn_of_stiffness(self.runtime, R, self.U, control)
            self.warned = True
        if reached >= self.settings.rows:
            return 0
        self.budget = next_budget(self.budget, clock.perf_counter() - began)
        return None


def _take_log(program: Program, R: np.ndarray, log: RunLog) -> bool:
    """Add the entries of the last call to the log; return True if one of them ends the run."""
    instants, start = program.regions["instants"][0], program.regions["log"][0]
    count = int(R[instants + Instants.logged])
    if count:
        log.parts.append(R[start : start + LogEntry.size * count].reshape(-1, LogEntry.size).copy())
    return bool(R[instants + Instants.stopped] > 0.0)


def _result(runtime: Runtime, R: np.ndarray, Y: np.ndarray, log: RunLog, chosen: Method) -> Result:
    program, rows = runtime.program, log.rows
    width = len(program.columns)
    return Result(
        name=program.name,
        columns=program.columns,
        data=Y[: rows * width].reshape(rows, width),
        units=program.units,
        vectors=program.vectors,
        statistics={
            "method": chosen.name,
            "steps": int(R[STEPS]),
            "rejected": int(R[REJECTED]),
            "evaluations": int(R[EVALUATIONS]),
            **({"jacobians": int(R[HeadNumbers.jacobians])} if chosen.needs_jacobian else {}),
            **loop_statistics(program, R),
        },
        entries=Log(log.parts, program.event_names, program.mode_names, program.sampled),
    )
