"""Runs of the members of a batch, one by one: their starts, rows, faults and statistics."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...record.blocks import HeadNumbers
from ..inputs import Table
from ..kinds_report import unfit_notes
from ..loops_report import loop_statistics
from ..memory import result_array
from ..results.batches import BatchResult
from ..runtime import Runtime
from ..single import FIRST_BUDGET, LOOP_KINDS, RunSettings, next_budget
from .batch import Members
from .notes import MemberNotes, later_notes

INTERRUPTED = "interrupted"  #: fault of members that Ctrl-C has ended


class MemberRuns:
    """The runs of all members in groups, each group in one thread; this class computes member by member."""

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
        self.single = self._single()

    def _single(self) -> Callable[..., int]:
        """Return the compiled kernel that runs one member."""
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
            if R is not None:
                self.run_member(member, R, self.inputs(member))

    def run_member(self, member: int, R: np.ndarray, U: np.ndarray, row: int = 0) -> None:
        """Run one member from its record and a row to its end."""
        Y = self.result.data[member].reshape(-1)
        reached = self.sliced(lambda row: self.single(R, U, Y, row, self.settings.control.bound, self.budget), 1, row)
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
            self.result.statistics["notes"].write_later(member, later_notes(self.runtime.program, R, before))
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
    def sliced(self, call: Callable[[int], int], members: int, row: int = 0) -> int:
        """Call a kernel that continues from a row, until all rows are done, it returns a failure, or Ctrl-C."""
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
            statistics["notes"] = MemberNotes([[*c.bounded] for _ in range(size)])
        for name, value in loop_statistics(program, self.record).items():
            statistics[name] = np.zeros(size, dtype=type(value))
        return BatchResult(
            program.name, program.columns, data, c.times, np.zeros(size, dtype=int), {}, program.units, program.vectors,
            statistics,
        )  # fmt: skip
