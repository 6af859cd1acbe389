"""Many runs of one model at once: the numbers in which they differ (`Batch`), and their execution.

Trees with fixed steps run in SIMD lanes: the same instructions compute as many members at once as a vector of the
processor contains doubles (integrate/lanes/module.py). All other models run member by member. Both use all threads,
because kernels do not hold Python's lock.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import threading
import time as clock
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from ..infrastructure.arguments import whole
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display, refusal, with_unit
from ..infrastructure.progress import Bar
from ..model.geometry.vectors import number_array
from ..record.blocks import HeadNumbers
from ..record.codes import Status
from ..record.kinds import DEMANDED, REAL
from ..record.program import Program, Variable
from .errors import Interrupted
from .inputs import RANGED, Table, check_times, held
from .kinds_report import fit, unfit_notes
from .loops_report import assembly_notes, loop_statistics
from .memory import result_array
from .results.batches import BatchResult
from .runtime import Runtime
from .single import FIRST_BUDGET, LOOP_KINDS, SLICE, RunSettings, cut_short, next_budget

log = logging.getLogger("mbs_fmu")

VARIED = ("start", "inputs", "parameters")  #: fields of a batch with numbers that differ between members, by name
LANES = (1, 2, 4, 8, 16)  #: doubles that fit into SIMD registers, or into pairs of them
INTERRUPTED = "interrupted"  #: fault of members that Ctrl-C has ended
LINE = 8  #: doubles in a cache line; rows of lanes begin at the start of one


@add_clear_errors
@dataclass(frozen=True, kw_only=True)
class Batch:
    """Numbers in which the members of a batch differ.

    parameters, start: arrays with one number for each member, by name. Start values have the names of coordinates,
    joint velocities and signal states in a `Result` ("arm.phi", "arm.q[1]"). The assembly of loops may change those
    that `Model.start` marks as guesses.
    inputs: for each input an array of constants, or (times, values) with one row of values for each member.
    size: number of members, needed only if no array has one number for each member.
    lanes: number of members that one core computes at once: 2, 4, 8 or 16, or 1 for no lanes; by default as many as fit
    into the processor's registers.
    threads: number of threads; by default as many as there are processor cores.
    """

    size: int | None = None
    start: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    lanes: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("size", "lanes", "threads"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), f"{name} of a batch")
        if self.lanes is not None and self.lanes not in LANES:
            raise ModelError(
                f"lanes of a batch is {self.lanes!r}: give {', '.join(map(str, LANES[:-1]))} or {LANES[-1]}"
            )
        for name in VARIED:
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise ModelError(f"{name} of a batch must be a dictionary by name, not {display(value)}")

    def part(self, first: int, last: int) -> Batch:
        """Return the members from `first` to `last`, exclusive."""
        start, inputs, parameters = (
            {name: _part(x, first, last) for name, x in getattr(self, kind).items()} for kind in VARIED
        )
        return replace(self, size=last - first, start=start, inputs=inputs, parameters=parameters)

    def numbers(self, size: int) -> dict[str, np.ndarray]:
        """Return all values that consist of one number per member, by name, each of shape (size,)."""
        values = {name: x for kind in VARIED for name, x in getattr(self, kind).items() if not is_table(x)}
        return {name: np.broadcast_to(np.asarray(x, dtype=float), size).copy() for name, x in values.items()}


def _part(value: Any, first: int, last: int) -> Any:
    """Return the numbers of some members."""
    if is_table(value):
        return value[0], value[1][first:last]
    return value[first:last] if np.ndim(value) else value


def is_table(value: Any) -> bool:
    """True if an input consists of times and a row of values for each member."""
    return isinstance(value, tuple) and len(value) == 2 and np.ndim(value[1]) > 1


class Members:
    """The numbers of all members: values for addresses of the record, and tables of inputs."""

    def __init__(self, runtime: Runtime, batch: Batch):
        self.size = batch.size
        self.slots: list[int] = []
        self.values: list[np.ndarray] = []
        self.tables: dict[str, Table] = {}
        for called, values_by_name in (
            ("parameter", batch.parameters),
            ("start value", batch.start),
            ("input", batch.inputs),
        ):
            for name, value in values_by_name.items():
                variable, what = runtime.program.variable(called, name), f"{called} {name!r} of the batch"
                if called == "input" and is_table(value):
                    self._add_table(variable, value, what)
                else:
                    self._add(variable, _numbers(value, what, variable.unit), what)
                    if called == "start value":
                        self._add_given(runtime.program, name)
        if self.size is None:
            raise ModelError("a batch needs an array of parameters, start values or inputs, or its size")
        self.places = np.array(self.slots, dtype=int)
        self.columns = np.empty((len(self.values), self.size))  #: values at these addresses, one column for each member
        for row, values in zip(self.columns, self.values, strict=True):
            row[:] = values

    def _add(self, variable: Variable, values: np.ndarray, what: str) -> None:
        if values.ndim > 1:
            raise ModelError(f"{what} has the shape {values.shape}: give one number for each member")
        self._sized(values, what)
        _require_suitable(variable, values)
        self.slots.append(variable.slot)
        self.values.append(values)

    def _add_given(self, program: Program, name: str) -> None:
        """Clear the flag by which a start value is calculated from parameters, so that the given value is kept."""
        place = program.calculated_place(name)
        if place is not None:
            self.slots.append(place)
            self.values.append(np.zeros(()))

    def _add_table(self, variable: Variable, value: tuple[Any, Any], what: str) -> None:
        times, values = (_numbers(part, what, unit) for part, unit in zip(value, ("s", variable.unit), strict=True))
        if times.ndim != 1 or values.ndim != 2 or values.shape[1] != times.size or times.size == 0:
            raise ModelError(
                f"{what}: times and values have the shapes {times.shape} and {values.shape}: give one row of values "
                "for each member, one number for each time"
            )
        check_times(times, what)
        self._sized(values[:, 0], what)
        _require_suitable(variable, values)
        self.tables[variable.name] = (times, values) if variable.kind == REAL else held(times, values)
        self.slots.append(variable.slot)
        self.values.append(values[:, 0])

    def _sized(self, values: np.ndarray, what: str) -> None:
        """Raise ModelError unless all arrays have one number per member."""
        if values.ndim == 0:
            return
        if self.size is None:
            self.size = len(values)
        if len(values) != self.size or not len(values):
            raise ModelError(f"{what} has {len(values)} numbers for {self.size} members: give one for each")

    def tables_of(self, member: int) -> dict[str, Table]:
        return {name: (times, values[member]) for name, (times, values) in self.tables.items()}


def _require_suitable(variable: Variable, values: np.ndarray) -> None:
    """Raise ModelError for values, (members, ...) or one for all, that are out of bounds or not of their kind."""
    low, high = variable.range if variable.role in RANGED else (-math.inf, math.inf)
    unsuitable = np.atleast_1d(~((values >= low) & (values <= high) & fit(variable, values)))
    for place in np.argwhere(unsuitable)[:1]:
        value = float(np.atleast_1d(values)[tuple(place)])
        reason = refusal(variable.role, variable.name, value, low, high, variable.unit, DEMANDED.get(variable.kind))
        raise ModelError(f"member {place[0]}: {reason}")


def _numbers(value: Any, what: str, unit: str | None) -> np.ndarray:
    values = number_array(value, what)
    bad = ~np.isfinite(values)
    if np.any(bad):
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        member = f" for member {where[0]}" if where else ""
        raise ModelError(with_unit(f"{what} is {values[where]}{member}: give finite numbers", unit))
    return values


# -- running ---------------------------------------------------------------------------------------------------


def run_batch(
    runtime: Runtime, record: np.ndarray, batch: Batch, tables: Mapping[str, Table], settings: RunSettings
) -> BatchResult:
    """Run all members from a common record and common tables of inputs. Raises ModelError.

    A member that cannot start, or fails, ends there; `faults` of the result names it. Raises Interrupted, with the
    members and rows that were computed before.
    """
    from ..integrate.lanes.module import NoLanes, fits_lanes, machine_lanes

    members = Members(runtime, batch)
    runtime.require_numbers(record)
    assert members.size is not None
    threads = min(batch.threads or _cores(), members.size)
    lanes = batch.lanes or machine_lanes()
    fits = fits_lanes(settings.control.method, is_straight(runtime.program), settings.control.fixed)
    try:
        run_class = LaneRun if fits and lanes > 1 and members.size > 1 else Run
        run = run_class(runtime, record, members, tables, settings, lanes)
    except NoLanes as reason:
        log.info("%s runs member by member: %s", runtime.program.name, reason)
        run = Run(runtime, record, members, tables, settings, 1)
    _run_all(run, threads)
    result = run.result
    result.statistics["threads"] = min(threads, len(run.groups()))
    if run.interrupted:
        run.end_unbegun()
        raise Interrupted(f"{runtime.program.name}: {cut_short(result)}", result)
    return result


def is_straight(program: Program) -> bool:
    """True if, between steps, only failures are checked."""
    with_decisions = {"loop_state", "elastic"} & program.regions.keys()
    return not (with_decisions or program.jumps or program.regions["locks"][1])


def warn_of_faults(faults: Mapping[int, str], size: int, which: Callable[[int], str] = str) -> None:
    """Log a warning if some of `size` members have ended early; `which` gives the name of a member."""
    if faults:
        first, reason = min(faults.items())
        log.warning("%d of %d members ended early; member %s: %s", len(faults), size, which(first), reason)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Run:
    """A run of members in groups, each group in one thread; this class computes member by member."""

    def __init__(
        self, runtime: Runtime, record: np.ndarray, members: Members, tables: Mapping[str, Table], settings:
        RunSettings, lanes: int,
    ):  # fmt: skip
        self.runtime, self.record, self.members, self.settings = runtime, record, members, settings
        self.lanes = lanes
        self.tables = {name: table for name, table in tables.items() if table[0].size > 1}
        self.stop = threading.Event()
        self.interrupted = False  #: True after Ctrl-C
        self.rows_done = 0  #: rows of all members, for the progress bar
        self.budget = FIRST_BUDGET
        self.typed = runtime.program.typed_outputs
        self.result = self._empty_result()
        self.no_tables = self._inputs(0) if not members.tables else None
        self.loop = self.entry()

    def entry(self) -> Callable[..., int]:
        """Return the compiled kernel that runs a group."""
        name = self.settings.control.loop
        self.runtime.ready((name, LOOP_KINDS))
        kernel: Callable[..., int] = getattr(self.runtime.kernels, f"enter_{name}")
        return kernel

    def groups(self) -> list[range]:
        assert self.members.size is not None
        return [range(k, k + 1) for k in range(self.members.size)]

    def run(self, group: range) -> None:
        """Run one group, from start values to its part of the result."""
        for member in group:
            R = self.started(member)
            if R is None:
                continue
            Y = self.result.data[member].reshape(-1)
            U = self.inputs(member)
            reached = self.sliced(lambda row: self.loop(R, U, Y, row, self.settings.control.bound, self.budget), 1)  # noqa: B023
            if reached < 0:
                self.ended(member, int(R[HeadNumbers.done]), self.runtime.fault(R, -1 - reached))
            else:
                self.reached(member, reached)
            self.note(member, R)

    # -- of one member --------------------------------------------------------------------------------
    def started(self, member: int) -> np.ndarray | None:
        """Return a member's initialized record; None if the member cannot start."""
        R = self.record.copy()
        R[self.members.places] = self.members.columns[:, member]
        before = R.copy() if self.runtime.program.loops else R
        try:
            self.runtime.begin(R, *self.settings.control.tolerances)
        except ModelError as error:
            self.ended(member, 0, f"{self.result.name}: {error}")
            return None
        if self.runtime.program.loops:
            notes = assembly_notes(self.runtime.program, R, before)
            self.result.statistics["notes"][member] = [*self.settings.bounded, *notes]
        return R

    def inputs(self, member: int) -> np.ndarray:
        return self._inputs(member) if self.no_tables is None else self.no_tables

    def _inputs(self, member: int) -> np.ndarray:
        """Return the tables of inputs; constant inputs are in the record."""
        c = self.settings
        tables = {**self.tables, **self.members.tables_of(member)}
        return self.runtime.tables(tables, c.start, c.interval, c.rows, c.stop)

    def reached(self, member: int, rows: int) -> None:
        """Note a member that did not fail: it has all rows, unless the batch was interrupted."""
        self.result.rows[member] = rows
        if rows < self.settings.rows:
            self.ended(member, rows, INTERRUPTED)

    def end_unbegun(self) -> None:
        """Mark members that were not run as interrupted."""
        for member in np.flatnonzero(self.result.rows == 0).tolist():
            if member not in self.result.faults:
                self.ended(member, 0, INTERRUPTED)

    def ended(self, member: int, rows: int, reason: str) -> None:
        self.result.rows[member] = rows
        self.result.data[member, rows:] = np.nan
        self.result.faults[member] = reason

    def note(self, member: int, R: np.ndarray) -> None:
        """Note a member's statistics, from its record."""
        statistics = self.result.statistics
        for name, place in (
            ("steps", HeadNumbers.steps),
            ("rejected", HeadNumbers.rejected),
            ("evaluations", HeadNumbers.evaluations),
        ):
            statistics[name][member] = R[place]
        for name, value in loop_statistics(self.runtime.program, R).items():
            statistics[name][member] = value
        if self.typed:
            rows = self.result.data[member, : self.result.rows[member]]
            statistics["notes"][member] += unfit_notes(self.typed, self.result.columns, rows)

    # -- of a group -----------------------------------------------------------------------------------
    def sliced(self, call: Callable[[int], int], members: int) -> int:
        """Call a kernel that continues from a row, until all rows are done, it returns a failure, or Ctrl-C."""
        row = 0
        while row < self.settings.rows and not self.stop.is_set():
            began = clock.perf_counter()
            try:
                reached = int(call(row))
            except KeyboardInterrupt:  # raised in the main thread only
                self.interrupt()
                break
            if reached < 0:
                return reached
            self.rows_done += members * (reached - row)
            row = reached
            self.budget = next_budget(self.budget, clock.perf_counter() - began)
        return row

    def interrupt(self) -> None:
        """Ask all groups to end."""
        self.interrupted = True
        self.stop.set()

    def _empty_result(self) -> BatchResult:
        program, c, size = self.runtime.program, self.settings, self.members.size
        assert size is not None
        data = result_array(size, c.rows, len(program.columns), members=size)
        statistics: dict[str, Any] = {"method": c.control.method.name, "lanes": 1, "threads": 1}
        statistics |= {name: np.zeros(size, dtype=int) for name in ("steps", "rejected", "evaluations")}
        if program.loops or self.typed or c.bounded:
            statistics["notes"] = [[*c.bounded] for _ in range(size)]
        for name, value in loop_statistics(program, self.record).items():
            statistics[name] = np.zeros(size, dtype=type(value))
        return BatchResult(
            program.name, program.columns, data, c.times, np.zeros(size, dtype=int), {}, program.units, program.vectors,
            statistics,
        )  # fmt: skip


class LaneRun(Run):
    """A run that computes as many members at once as there are lanes."""

    def entry(self) -> Callable[..., int]:
        from ..integrate.lanes.module import compile_on_lanes, lane_kernels

        program = self.runtime.program
        kernels = self.runtime.kernels
        module = lane_kernels(kernels, program.module, self.lanes, program.angles, self.settings.control.method)
        module.title = program.name
        loop: Callable[..., int] = getattr(module, f"enter_{self.settings.control.method.name}_run_lanes")
        R, U = (aligned(size, self.lanes) for size in (self.record.size, self.inputs(0).size))
        U[:] = self.inputs(0)[:, None]
        # no step is made
        compile_on_lanes(lambda: loop(R, U, np.zeros(1), 0, self.settings.rows, self.settings.control.bound, 0))
        self.result.statistics["lanes"] = self.lanes
        return loop

    def groups(self) -> list[range]:
        assert self.members.size is not None
        return [range(k, min(k + self.lanes, self.members.size)) for k in range(0, self.members.size, self.lanes)]

    def run(self, group: range) -> None:
        records = {member: R for member in group if (R := self.started(member)) is not None}
        if not records:
            return
        whole, count = len(records) == len(group), len(records)
        data = self.result.data[group.start : group.stop]
        Y = (data if whole else np.empty((count, *data.shape[1:]))).reshape(-1)
        R, U = aligned(self.record.size, self.lanes), aligned(self.inputs(group.start).size, self.lanes)
        for lane, member in enumerate([*records, *[max(records)] * (self.lanes - count)]):
            R[:, lane], U[:, lane] = records[member], self.inputs(member)
        R[HeadNumbers.done] = -1.0
        rows = self.sliced(lambda row: self.loop(R, U, Y, count, row, self.settings.control.bound, self.budget), count)
        for lane, member in enumerate(records):
            if not whole:
                self.result.data[member] = Y.reshape(count, *data.shape[1:])[lane]
            if R[HeadNumbers.done, lane] >= 0.0:
                self.ended(member, int(R[HeadNumbers.done, lane]), self.runtime.fault(R[:, lane], Status.non_finite))
            else:
                self.reached(member, rows)
            self.note(member, R[:, lane])


def aligned(rows: int, lanes: int) -> np.ndarray:
    """Return zeros of shape (rows, lanes); each row lies in as few cache lines as possible."""
    flat = np.zeros(rows * lanes + LINE)
    first = (-flat.ctypes.data // flat.itemsize) % LINE
    return flat[first : first + rows * lanes].reshape(rows, lanes)


def _run_all(run: Run, threads: int) -> None:
    """Run all groups in the threads; an error or Ctrl-C ends all groups."""
    with Bar(run.result.name, run.settings.rows * len(run.result), "row") as bar:
        try:
            with contextlib.closing(_in_this_thread(run) if threads == 1 else _in_threads(run, threads)) as going:
                for _ in going:
                    bar.update(run.rows_done - bar.n)
        except KeyboardInterrupt:
            run.interrupt()
        finally:
            run.stop.set()


def _in_this_thread(run: Run) -> Generator[None, None, None]:
    for group in run.groups():
        if run.stop.is_set():
            return
        run.run(group)
        yield


def _in_threads(run: Run, threads: int) -> Generator[None, None, None]:
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    def work(groups: Iterator[range], lock: threading.Lock) -> None:
        while not run.stop.is_set():
            with lock:
                group = next(groups, None)
            if group is None:
                return
            run.run(group)

    with ThreadPoolExecutor(threads) as pool:
        groups, lock = iter(run.groups()), threading.Lock()
        left = {pool.submit(work, groups, lock) for _ in range(threads)}
        try:
            while left:
                done, left = wait(left, timeout=SLICE, return_when=FIRST_COMPLETED)
                for spec in done:
                    spec.result()
                yield
        finally:
            run.stop.set()
