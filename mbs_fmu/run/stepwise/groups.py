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
from ...integrate.lanes.module import compile_on_lanes, require_lanes, stepwise_module
from ...integrate.stepping.drivers import equal_steps
from ...record.blocks import HeadNumbers
from ...record.codes import Fresh, Status
from ..batch import Members, aligned
from ..runtime import Runtime
from ..step_control import StepControl

SLICE = 1 << 20  #: steps of a single record between two moments at which Ctrl-C takes effect
ALIVE = -1.0  #: `HeadNumbers.done` of a member that has not failed


@dataclass(frozen=True)
class Interval:
    """The time between two calls of `advance`: its length, s, and the control of the fixed steps in it."""

    control: StepControl
    length: float

    @property
    def steps(self) -> int:
        """Number of equal steps in an interval."""
        return equal_steps(0.0, self.length, self.control.step)


class Groups(ABC):
    """Records of `size` members, `lanes` in each group.

    `base` is the record from which members start, before its start. `intervals` are the numbers of intervals since the
    start of each member, (groups, lanes). `member_of` is the member in each lane of each group, one after the other.
    """

    def __init__(self, runtime: Runtime, base: np.ndarray, size: int, lanes: int, interval: Interval):
        self.runtime, self.base, self.lanes, self.interval = runtime, base, lanes, interval
        base[HeadNumbers.done] = ALIVE
        self.count = -(-size // lanes)
        self.member_of = np.minimum(np.arange(self.count * lanes), size - 1)
        self._flat = aligned(self.count * base.size, lanes)
        self.records = self._flat.reshape(self.count, base.size, lanes)
        self.intervals = aligned(self.count, lanes)

    @abstractmethod
    def start(self, mask: np.ndarray, numbers: Members, whole: bool) -> None:
        """Restart the members of a mask with their numbers; `whole`: constants are computed from these numbers too.

        Raises ModelError, before any member starts, for a member that cannot start.
        """

    @abstractmethod
    def advance(self, first: int, last: int) -> None:
        """Advance the groups from `first` to `last`, exclusive, by one interval."""

    @abstractmethod
    def fault(self, member: int) -> str:
        """Return the message of a failed member."""

    def state(self) -> list[np.ndarray]:
        """Return the arrays that determine all further steps."""
        return [self.records, self.intervals]

    def restore(self, state: list[np.ndarray]) -> None:
        """Continue from a `state` of groups of the same model, members and lanes."""
        for own, given in zip(self.state(), state, strict=True):
            own[...] = given

    def begun(self, numbers: Members, member: int) -> np.ndarray:
        """Return the record of a member at its start, without rates and outputs. Raises ModelError."""
        R = self.base.copy()
        R[numbers.places] = numbers.columns[:, member]
        try:
            self.runtime.begin(R, *self.interval.control.tolerances)
        except ModelError as error:
            raise ModelError(f"member {member} of {self.runtime.program.name!r}: {error}") from None
        return R

    def place(self, member: int) -> tuple[int, int]:
        """Return group and lane of a member."""
        return divmod(member, self.lanes)


class LaneGroups(Groups):
    """Members in lanes: each call of a kernel advances all groups."""

    def __init__(self, runtime: Runtime, base: np.ndarray, size: int, lanes: int, interval: Interval):
        """Raises NoLanes for a model that cannot run in lanes."""
        super().__init__(runtime, base, size, lanes, interval)
        program, name = runtime.program, f"{interval.control.method.name}_groups"
        require_lanes(runtime.kernels)
        kernels = runtime.loaded(stepwise_module(program.module, lanes, program.angles, interval.control.method))
        keys: list[KernelKey] = [
            (name, ("rows", "rows", "rows", "int", "int", "int", "float", "int")),
            ("clear_lanes", ("rows", "rows", "rows", "rows", "int", "int")),
            ("begin_groups", ("rows", "rows", "rows", "int", "int", "int")),
        ]
        compile_on_lanes(lambda: kernels.ensure_compiled(*keys))
        self._advance, self._clear, self._begin = (kernels.entry(kernel) for kernel, _ in keys)
        self._U, self._first, self._marks = (aligned(n, lanes) for n in (runtime.no_tables.size, base.size, self.count))
        self._U[:] = runtime.no_tables[:, None]
        first = base.copy()
        runtime.begin(first, *self.interval.control.tolerances)
        quaternions = [(name, slot + k) for name, slot in program.quaternions.items() for k in range(4)]
        given = [slot for name, slot in quaternions if program.calculated_place(name) is None]
        first[given] = base[given]  # each start normalises them, once
        self._follow = len(given) < len(quaternions)  #: quaternions follow from parameters
        self._first[:] = first[:, None]
        self._steps = interval.steps

    def start(self, mask: np.ndarray, numbers: Members, whole: bool) -> None:
        whole = whole or self._follow
        cells = np.flatnonzero(mask[self.member_of])
        members, (groups, lanes) = self.member_of[cells], np.divmod(cells, self.lanes)
        begun = {k: self.begun(numbers, k) for k in np.flatnonzero(mask).tolist()} if whole else {}
        self._marks[:] = 0.0
        self._marks[groups, lanes] = 1.0
        self._clear(self._flat, self._first, self.intervals, self._marks, self.base.size, self.count)
        if whole:
            for cell, member in enumerate(members.tolist()):
                self.records[groups[cell], :, lanes[cell]] = begun[member]
        else:
            for place, values in zip(numbers.places, numbers.columns, strict=True):
                self.records[groups, place, lanes] = values[members]
        self._begin(self._flat, self._U, self._marks, self.base.size, self.count, int(not whole))

    def advance(self, first: int, last: int) -> None:
        size, length = self.base.size, self.interval.length
        self._advance(self._flat, self._U, self.intervals, size, first, last, length, self._steps)

    def fault(self, member: int) -> str:
        group, lane = self.place(member)
        return self.runtime.fault(self.records[group, :, lane].copy(), Status.non_finite)


class SingleRecords(Groups):
    """Members one by one, for models and methods that decide between steps: groups of one."""

    def __init__(self, runtime: Runtime, base: np.ndarray, size: int, interval: Interval):
        super().__init__(runtime, base, size, 1, interval)
        kernel = interval.control.advance
        runtime.ready((kernel, ("array", "array", "float", "float", "int")), ("refresh", ("array", "array")))
        self._fixed = getattr(runtime.kernels, f"enter_{kernel}")
        self._inputs = runtime.program.region("inputs")
        self._used = np.zeros((size, self.base[self._inputs].size))  #: inputs of the present rates
        self._statuses = np.zeros(size, dtype=int)

    def state(self) -> list[np.ndarray]:
        return [*super().state(), self._used, self._statuses]

    def start(self, mask: np.ndarray, numbers: Members, whole: bool) -> None:
        begun = {k: self.begun(numbers, k) for k in np.flatnonzero(mask).tolist()}
        for member, R in begun.items():
            self.runtime.refresh(R)
            self.records[member, :, 0] = R
            self._used[member] = R[self._inputs]
        self._statuses[mask] = Status.ok
        self.intervals[mask] = 0.0

    def advance(self, first: int, last: int) -> None:
        inputs = self.records[first:last, self._inputs, 0]
        changed = (inputs != self._used[first:last]).any(axis=1)
        self.records[first:last, HeadNumbers.fresh, 0][changed] = Fresh.stale
        self._used[first:last] = inputs
        self.intervals[first:last] += 1.0
        for member in (first + np.flatnonzero(self.records[first:last, HeadNumbers.done, 0] < 0.0)).tolist():
            self._advance_one(member)

    def _advance_one(self, member: int) -> None:
        R, stop = self.records[member, :, 0], self.intervals[member, 0] * self.interval.length
        status = int(Status.budget)
        while status == Status.budget:  # Ctrl-C takes effect between two calls
            status = int(self._fixed(R, self.runtime.no_tables, stop, self.interval.control.bound, SLICE))
        if status != Status.ok:
            R[HeadNumbers.done] = 0.0
            self._statuses[member] = status

    def fault(self, member: int) -> str:
        return self.runtime.fault(self.records[member, :, 0].copy(), int(self._statuses[member]))
