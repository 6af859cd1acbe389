"""The records of all members of a `Stepper`: their starts and steps, in lanes or record by record.

`records` has the shape (groups, numbers, lanes). If the last group has more lanes than members are left, these lanes
repeat the last member.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...codegen.loader import KernelKey
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...integrate.lanes.module import LANE_NUMBERS, compile_on_lanes, lane_rows, saved
from ...record.blocks import HeadNumbers
from ...record.codes import Fresh, Status
from ..batches.batch import Members
from ..memory import aligned
from ..runtime import Runtime
from ..step_control import StepControl

SLICE = 1 << 20  #: steps of a single record between two moments at which Ctrl-C takes effect
ALIVE = -1.0  #: `HeadNumbers.done` of a member that has not failed


@dataclass(frozen=True)
class Interval:
    """The time between two calls of `advance`: its length, s, and the control of the fixed steps in it."""

    control: StepControl
    length: float


class Groups(ABC):
    """Records of `size` members, `lanes` in each group.

    `base` is the record from which members start, before its start. `intervals` are the numbers of intervals since the
    start of each member, (groups, lanes). `member_of` is the member in each lane of each group, one after the other.
    `messages` are the reasons of failures, one for each lane of each group, "" without failure. Behind each record are
    `more` further numbers.
    """

    def __init__(self, runtime: Runtime, base: np.ndarray, size: int, lanes: int, interval: Interval, more: int = 0):
        self.runtime, self.base, self.lanes, self.interval = runtime, base, lanes, interval
        base[HeadNumbers.done] = ALIVE
        self.count, self.rows = -(-size // lanes), base.size + more
        self.member_of = np.minimum(np.arange(self.count * lanes), size - 1)
        self._flat = aligned(self.count * self.rows, lanes)
        self.records = self._flat.reshape(self.count, self.rows, lanes)
        self.intervals = aligned(self.count, lanes)
        self.messages = np.full((self.count, lanes), "", dtype=object)
        kernel = interval.control.advance
        runtime.ready((kernel, ("array", "array", "float", "float", "int")), ("refresh", ("array", "array")))
        self._fixed = getattr(runtime.kernels, f"enter_{kernel}")
        self._inputs = runtime.program.region("inputs")
        self._used = np.zeros((self.count, base[self._inputs].size, lanes))  #: inputs of the present rates

    @abstractmethod
    def start(self, mask: np.ndarray, numbers: Members, whole: bool) -> None:
        """Restart the members of a mask with their numbers; `whole`: constants are computed from these numbers too.

        Raises ModelError, before any member starts, for a member that cannot start.
        """

    def advance(self, first: int, last: int) -> None:
        """Advance the groups from `first` to `last`, exclusive, by one interval."""
        inputs = self.records[first:last, self._inputs]
        self._make_stale(first, last, (inputs != self._used[first:last]).any(axis=1))
        self._used[first:last] = inputs
        self._advance(first, last)

    @abstractmethod
    def _make_stale(self, first: int, last: int, changed: np.ndarray) -> None:
        """Mark rates as stale where inputs have changed, (groups, lanes)."""

    @abstractmethod
    def _advance(self, first: int, last: int) -> None:
        """Do the part of `advance` after the inputs."""

    def fault(self, member: int) -> str:
        """Return the message of a failed member."""
        return str(self.messages[self.place(member)])

    def state(self) -> list[np.ndarray]:
        """Return the arrays that determine all further steps."""
        return [self.records, self.intervals, self._used, self.messages]

    def restore(self, state: list[np.ndarray]) -> None:
        """Continue from a `state` of groups of the same model, members and lanes."""
        for own, given in zip(self.state(), state, strict=True):
            own[...] = given

    def place(self, member: int) -> tuple[int, int]:
        """Return group and lane of a member."""
        return divmod(member, self.lanes)

    # -- single members -------------------------------------------------------------------------------
    def _begin(self, numbers: Members, mask: np.ndarray) -> dict[int, np.ndarray]:
        """Return the records of members at their start, with rates and outputs. Raises ModelError."""
        begun = {}
        for member in np.flatnonzero(mask).tolist():
            R = self.base.copy()
            R[numbers.places] = numbers.columns[:, member]
            try:
                self.runtime.begin(R, *self.interval.control.tolerances)
            except ModelError as error:
                raise ModelError(f"member {member} of {self.runtime.program.name!r}: {error}") from None
            begun[member] = R
        for R in begun.values():
            self.runtime.refresh(R)
        return begun

    def _put(self, begun: dict[int, np.ndarray], mask: np.ndarray) -> None:
        """Write records of members that start into all lanes that contain these members."""
        cells = np.flatnonzero(mask[self.member_of])
        groups, lanes = np.divmod(cells, self.lanes)
        for group, lane, member in zip(groups, lanes, self.member_of[cells].tolist(), strict=True):
            self.records[group, : self.base.size, lane] = begun[member]
        self._began(groups, lanes)

    def _began(self, groups: np.ndarray, lanes: np.ndarray) -> None:
        """Note that the members in some lanes have started."""
        self.intervals[groups, lanes] = 0.0
        self.messages[groups, lanes] = ""
        self._used[groups, :, lanes] = self.records[groups, self._inputs, lanes]

    def _advance_one(self, R: np.ndarray, group: int, lane: int) -> bool:
        """Advance one record to the end of its present interval; return False after a failure."""
        stop = self.intervals[group, lane] * self.interval.length
        status = int(Status.budget)
        while status == Status.budget:  # Ctrl-C takes effect between two calls
            status = int(self._fixed(R, self.runtime.no_tables, stop, self.interval.control.bound, SLICE))
        if status == Status.ok:
            return True
        R[HeadNumbers.done] = 0.0
        self.messages[group, lane] = self.runtime.fault(R, status)
        return False


class LaneGroups(Groups):
    """Members in lanes: each call of a kernel advances all groups.

    Lanes that leave, because their members take other branches than the majority of their group, are repeated alone.
    """

    def __init__(self, runtime: Runtime, base: np.ndarray, size: int, lanes: int, interval: Interval):
        """Raises NoLanes for a model that cannot run in lanes."""
        super().__init__(runtime, base, size, lanes, interval, lane_rows(runtime.program) - base.size)
        program, name = runtime.program, f"{interval.control.method.name}_groups"
        kernels = runtime.in_lanes(lanes, interval.control.method)
        keys: list[KernelKey] = [
            (name, ("rows", "rows", "rows", "rows", "int", "int", "int", "float", "float")),
            ("clear_lanes", ("rows", "rows", "rows", "rows", "int", "int")),
            ("begin_groups", ("rows", "rows", "rows", "int", "int", "int")),
        ]
        self._is_straight = program.is_straight
        compile_on_lanes(lambda: kernels.ensure_compiled(*(keys if self._is_straight else keys[:1])))
        self._groups, self._clear, self._begin_groups = (kernels.entry(kernel) for kernel, _ in keys)
        self._saved: dict[int, np.ndarray] = {}  #: what `save` copies, by the first of the groups that use it in turn
        self._written = np.concatenate([np.arange(a, a + n) for a, n in saved(program)])
        self._U = aligned(runtime.no_tables.size, lanes)
        self._U[:] = runtime.no_tables[:, None]
        if self._is_straight:
            self._prepare_starts()

    def _prepare_starts(self) -> None:
        """Compute the record from which members start in lanes."""
        program, base = self.runtime.program, self.base
        self._first, self._marks = aligned(self.rows, self.lanes), aligned(self.count, self.lanes)
        first = base.copy()
        self.runtime.begin(first, *self.interval.control.tolerances)
        quaternions = [(name, slot + k) for name, slot in program.quaternions.items() for k in range(4)]
        given = [slot for name, slot in quaternions if program.calculated_place(name) is None]
        first[given] = base[given]  # each start normalises them, once
        self._follow = len(given) < len(quaternions)  #: quaternions follow from parameters
        self._first[: base.size] = first[:, None]

    def start(self, mask: np.ndarray, numbers: Members, whole: bool) -> None:
        if whole or not self._is_straight or self._follow:
            self._start_alone(mask, numbers)
            return
        cells = np.flatnonzero(mask[self.member_of])
        members, (groups, lanes) = self.member_of[cells], np.divmod(cells, self.lanes)
        self._marks[:] = 0.0
        self._marks[groups, lanes] = 1.0
        self._clear(self._flat, self._first, self.intervals, self._marks, self.rows, self.count)
        for place, values in zip(numbers.places, numbers.columns, strict=True):
            self.records[groups, place, lanes] = values[members]
        if self._begin_groups(self._flat, self._U, self._marks, self.rows, self.count, 1):
            self._start_alone(mask, numbers)
        self._began(groups, lanes)

    def _start_alone(self, mask: np.ndarray, numbers: Members) -> None:
        """Start members one by one."""
        self._put(self._begin(numbers, mask), mask)
        groups, lanes = np.divmod(np.flatnonzero(mask[self.member_of]), self.lanes)
        self.records[groups, self.base.size + LANE_NUMBERS["FAILED"], lanes] = 0.0

    def _make_stale(self, first: int, last: int, changed: np.ndarray) -> None:
        fresh = self.records[first:last, HeadNumbers.fresh]
        if self._is_straight:  # another evaluation changes no bit, and lanes need not leave
            fresh[changed.any(axis=1)] = Fresh.stale
        else:
            fresh[changed] = Fresh.stale

    def _advance(self, first: int, last: int) -> None:
        length, bound = self.interval.length, self.interval.control.bound
        if first not in self._saved:  # slices of groups may advance at the same time
            self._saved[first] = aligned(self.rows, self.lanes)
        S, group = self._saved[first], first
        while True:
            group = self._groups(self._flat, S, self._U, self.intervals, self.rows, group, last, length, bound)
            if group == last:
                return
            active, failed = (
                self.records[group, self.base.size + LANE_NUMBERS[name]] > 0.5 for name in ("ACTIVE", "FAILED")
            )
            for lane in np.flatnonzero(~(active | failed)).tolist():
                self._repeat(group, lane, S)
            group += 1

    def _repeat(self, group: int, lane: int, S: np.ndarray) -> None:
        """Repeat the last interval of a lane that has left, from what `save` has copied."""
        R = self.records[group, : self.base.size, lane].copy()
        R[self._written] = S[self._written, lane]
        if not self._advance_one(R, group, lane):
            self.records[group, self.base.size + LANE_NUMBERS["FAILED"], lane] = 1.0
        self.records[group, : self.base.size, lane] = R


class SingleRecords(Groups):
    """Members one by one: groups of one."""

    def __init__(self, runtime: Runtime, base: np.ndarray, size: int, interval: Interval):
        super().__init__(runtime, base, size, 1, interval)

    def start(self, mask: np.ndarray, numbers: Members, whole: bool) -> None:
        self._put(self._begin(numbers, mask), mask)

    def _make_stale(self, first: int, last: int, changed: np.ndarray) -> None:
        self.records[first:last, HeadNumbers.fresh][changed] = Fresh.stale

    def _advance(self, first: int, last: int) -> None:
        self.intervals[first:last] += 1.0
        for member in (first + np.flatnonzero(self.records[first:last, HeadNumbers.done, 0] < 0.0)).tolist():
            self._advance_one(self.records[member, :, 0], member, 0)
