"""Batches in SIMD lanes: one kernel computes as many members at once as a vector has lanes.

Where members would take other branches than the majority of their group, their lanes leave (codegen/llvm/agreement.py).
Their last steps are then repeated with the kernels of single runs. A member that leaves too often runs alone from there
on. The rows of every member are therefore, to the last bit, those of its single run.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ...codegen.loader import KernelKey, Kinds
from ...integrate.lanes.module import LANE_NUMBERS, compile_on_lanes, lane_rows, saved
from ...integrate.methods.method import Method
from ...record.blocks import HeadNumbers
from ...record.codes import Status
from ..inputs import Table
from ..memory import aligned
from ..runtime import Runtime
from ..single import RunSettings
from .batch import Members
from .members import MemberRuns

KINDS: Kinds = ("rows", "rows", "rows", "rows", "int", "float", "int", "int")  #: of the arguments of METHOD_run_lanes
MOST_CHUNK = 32  #: largest number of steps between two copies of the records, to which those of lanes that leave return
CHUNKS_BETWEEN = 8  #: wanted number of such copies between two moments at which lanes leave
#: A member that leaves so many times within so few steps is faster alone: each time costs about as much as 60 steps.
LEAVINGS, FEW_STEPS = 8, 500


def kernel_key(method: Method) -> KernelKey:
    """Return the kernel that runs a group with a method, with the kinds of its arguments."""
    return f"{method.name}_run_lanes", KINDS


class LaneRuns(MemberRuns):
    """Runs that compute as many members at once as there are lanes."""

    def __init__(
        self, runtime: Runtime, record: np.ndarray, members: Members, tables: Mapping[str, Table], settings:
        RunSettings, lanes: int,
    ):  # fmt: skip
        super().__init__(runtime, record, members, tables, settings, lanes)
        self.loop = self._in_lanes()
        self.saved = [slice(start, start + size) for start, size in saved(runtime.program)]
        self.free: list[LaneArrays] = []  #: arrays of groups that have ended, for the next ones

    def _in_lanes(self) -> Callable[..., int]:
        """Return the compiled kernel that runs a group. Raises NoLanes."""
        method = self.settings.control.method
        kernels, key = self.runtime.in_lanes(self.lanes, method), kernel_key(method)
        compile_on_lanes(lambda: kernels.ensure_compiled(key))
        self.result.statistics["lanes"] = self.lanes
        self.result.statistics |= {name: np.zeros(len(self.result), dtype=int) for name in ("repeated", "alone")}
        return kernels.entry(key[0])

    def groups(self) -> list[range]:
        assert self.members.size is not None
        return [range(k, min(k + self.lanes, self.members.size)) for k in range(0, self.members.size, self.lanes)]

    def run(self, group: range) -> None:
        records = {member: R for member in group if (R := self.started(member)) is not None}
        if not records:
            return
        try:
            arrays = self.free.pop()
        except IndexError:
            arrays = self._arrays()
        lanes = LaneGroup(self, records, arrays)
        lanes.finish(self.sliced(lanes.advance, len(records)))
        self.free.append(arrays)

    def _arrays(self) -> LaneArrays:
        """Return new arrays for a group."""
        record, results = lane_rows(self.runtime.program), self.settings.rows * len(self.result.columns)
        return LaneArrays(*(aligned(rows, self.lanes) for rows in (record, record, self.inputs(0).size, results)))


class LaneArrays(NamedTuple):
    """Arrays of a group, with a column for each lane: records, their copies, tables of inputs, and rows of results."""

    R: np.ndarray
    S: np.ndarray
    U: np.ndarray
    Y: np.ndarray


class Alone(NamedTuple):
    """A member that has left its group: its record, the rows reached, and the status of its failure or `ok`."""

    record: np.ndarray
    rows: int
    status: int


class LaneGroup:
    """The records of a group of members, one in each lane, and their results. Unused lanes repeat the last member."""

    def __init__(self, run: LaneRuns, records: dict[int, np.ndarray], arrays: LaneArrays):
        self.run, self.members = run, [*records]
        self.R, self.S, self.U, self.Y = arrays
        size, lanes = run.record.size, run.lanes
        self.tables = [run.inputs(member) for member in records]
        self.columns = len(run.result.columns)
        self.member_of = [min(lane, len(records) - 1) for lane in range(lanes)]  #: index of the member in each lane
        starts = [*records.values()]
        for lane, k in enumerate(self.member_of):
            self.R[:size, lane], self.U[:, lane] = starts[k], self.tables[k]
        self.R[size : size + len(LANE_NUMBERS)] = 0.0
        self.chunk = self.last = MOST_CHUNK  #: steps from the next copy of the records to that after it; from the last
        self.left_at = self.R[HeadNumbers.steps, 0]  #: steps when lanes have left last
        self.leavings: list[collections.deque[float]] = [collections.deque(maxlen=LEAVINGS) for _ in range(lanes)]
        self.repeated = np.zeros(lanes)  #: repeated steps of each lane
        self.row_memory = np.empty(len(self.Y))  #: rows of a lane that is repeated
        self.alone: dict[int, Alone] = {}  #: by lane

    # -- steps ----------------------------------------------------------------------------------------
    def advance(self, row: int) -> int:
        """Continue from a row; return the number of rows reached."""
        run = self.run
        self.last, bound = min(self.chunk, run.budget), run.settings.control.bound
        reached = int(run.loop(self.R, self.S, self.U, self.Y, row, bound, self.last, run.budget))
        active, failed = (self.R[run.record.size + LANE_NUMBERS[name]] > 0.5 for name in ("ACTIVE", "FAILED"))
        left = ~failed if reached < 0 else ~(active | failed)
        return self.repeat(np.flatnonzero(left).tolist(), reached) if left.any() else reached

    def repeat(self, left: list[int], reached: int) -> int:
        """Repeat the last chunk in some lanes; return the number of rows reached."""
        saved = int(self.R[self.run.record.size + LANE_NUMBERS["SAVED_ROW"], left[0]])
        others = [lane for lane in range(self.run.lanes) if lane not in left and lane not in self.alone]
        time = self.R[HeadNumbers.time, others[0]] if others else None
        for lane in left:
            rows, R = self.repeat_lane(lane, saved)
            if reached < 0 <= rows:
                reached, time = rows, R[HeadNumbers.time]
            if rows < 0 or (rows, R[HeadNumbers.time]) != (reached, time):
                self.leave_for_good(lane, R, rows)
        return self.go_on(left, reached)

    def repeat_lane(self, lane: int, saved: int) -> tuple[int, np.ndarray]:
        """Repeat the last chunk in one lane, from a row; return what the kernel returns, and the record."""
        run, size = self.run, self.run.record.size
        R, Y = self.R[:size, lane].copy(), self.row_memory
        for part in run.saved:
            R[part] = self.S[part, lane]
        before = R[HeadNumbers.steps]
        rows = int(run.single(R, self.tables[self.member_of[lane]], Y, saved, run.settings.control.bound, self.last))
        new = slice(saved * self.columns, max(rows, int(R[HeadNumbers.done]) if rows < 0 else 0) * self.columns)
        self.Y[new, lane] = Y[new]
        self.R[:size, lane] = R
        self.repeated[lane] += R[HeadNumbers.steps] - before
        return rows, R

    def go_on(self, left: list[int], reached: int) -> int:
        """Prepare the next steps after lanes have left; return the number of rows reached.

        Members that leave too often run alone, and so do all if few are left.
        """
        going = [lane for lane in range(self.run.lanes) if lane not in self.alone]
        if not going:
            return self.run.settings.rows
        steps = self.R[HeadNumbers.steps, going[0]]
        self.chunk = int(min(max(1.0, (steps - self.left_at) // CHUNKS_BETWEEN), MOST_CHUNK))
        self.left_at = steps
        for lane in left:
            self.leavings[lane].append(steps)
        often = [k for k in going if len(self.leavings[k]) == LEAVINGS and steps - self.leavings[k][0] < FEW_STEPS]
        for lane in going if 4 * (len(going) - len(often)) < self.run.lanes else often:
            self.leave_for_good(lane, self.R[: self.run.record.size, lane].copy(), reached)
        return self.run.settings.rows if len(self.alone) == self.run.lanes else reached

    def leave_for_good(self, lane: int, R: np.ndarray, rows: int) -> None:
        """Let a member run alone from here on, or end it if `rows` is -1 - status of a failure."""
        self.R[self.run.record.size + LANE_NUMBERS["FAILED"], lane] = 1.0
        failed = rows < 0
        self.alone[lane] = Alone(R, int(R[HeadNumbers.done]) if failed else rows, -1 - rows if failed else Status.ok)

    # -- results --------------------------------------------------------------------------------------
    def finish(self, rows: int) -> None:
        """Write the results of the members, of which the lanes have computed `rows` rows."""
        run = self.run
        data = self.Y.reshape(run.settings.rows, self.columns, run.lanes)
        for lane, member in enumerate(self.members):
            run.result.data[member] = data[:, :, lane]
            run.result.statistics["repeated"][member] = int(self.repeated[lane])
            if lane in self.alone:
                run.result.statistics["alone"][member] = 1
                self.finish_alone(member, self.tables[lane], self.alone[lane])
            else:
                run.reached(member, rows)
                run.note(member, self.R[: run.record.size, lane].copy())

    def finish_alone(self, member: int, U: np.ndarray, alone: Alone) -> None:
        """Run a member to its end, unless it has failed, and note how it ended."""
        if alone.status == Status.ok:
            self.run.run_member(member, alone.record, U, alone.rows)
        else:
            self.run.ended(member, alone.rows, self.run.runtime.fault(alone.record, alone.status))
            self.run.note(member, alone.record)
