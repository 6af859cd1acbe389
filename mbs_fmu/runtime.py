"""A program with its kernels: initialization, checks and messages shared by `simulate` and the FMUs."""

from __future__ import annotations

import math
import sys
from types import ModuleType

import numpy as np

from .compile.program import GIVEN, Program
from .errors import ModelError
from .kernels.loader import load
from .layout import Closing, Head, Status
from .messages import message

LARGEST = sys.float_info.max  #: of finite numbers

#: What is said of failed steps.
FAULTS = {
    Status.step_too_small: "step_too_small", Status.not_converged: "not_converged", Status.gimbal_lock: "gimbal_lock",
}  # fmt: skip


class Runtime:
    """Runs one program on records that the caller owns."""

    def __init__(self, program: Program, kernels: ModuleType | None = None):
        """`kernels`: the module of the program's text, where it is loaded already."""
        self.program = program
        self.kernels = kernels or load(program.text)
        self.no_tables = self.tables({}, 0.0, 0.0, 0, 0.0)
        self._given = program.of_kind(*GIVEN)
        self._given_slots = np.array([v.slot for v in self._given], dtype=int)
        bounds = [v.range if v.kind == "parameter" else (-math.inf, math.inf) for v in self._given]
        self._low, self._high = np.clip(np.array(bounds).reshape(-1, 2).T, -LARGEST, LARGEST)

    def tables(
        self, inputs: dict[str, tuple[np.ndarray, np.ndarray]], start: float, interval: float, rows: int, stop: float
    ) -> np.ndarray:
        """The array U of the kernels: for each input where its table lies, the clock of the results, the tables."""
        first, count = self.program.regions["inputs"]
        head = np.zeros(2 * count + 4)
        head[2 * count :] = start, interval, rows, stop
        parts, position = [head], head.size
        for name, (times, values) in inputs.items():
            k = self.program.by_name[name].slot - first
            head[2 * k], head[2 * k + 1] = position, times.size
            parts += [times, values]
            position += 2 * times.size
        return np.concatenate(parts)

    def initialize(self, R: np.ndarray, tolerance: float, absolute: float) -> None:
        """Constants, momenta and tolerances of a record whose parameters and start values are set.

        Raises ModelError, naming the variable, for a value that is not finite, a mass or inertia that no
        body can have, a motion without inertia, a spring without direction.
        """
        self.require_numbers(R)
        self.begin(R, tolerance, absolute)

    def begin(self, R: np.ndarray, tolerance: float, absolute: float) -> None:
        """What `initialize` does once all numbers are known to be finite and within their bounds."""
        status = self.kernels.enter_initialise(R)
        if status != Status.ok:
            raise ModelError(self._wrong_start(R, status))
        R[Head.absolute] = absolute / tolerance
        self._set_projection(R, absolute)

    def require_numbers(self, R: np.ndarray) -> None:
        """Everything that the user gives: finite, and within its bounds."""
        values = R[self._given_slots]
        if ((values >= self._low) & (values <= self._high)).all():
            return
        for v, value in zip(self._given, values, strict=True):
            if not math.isfinite(value):
                raise ModelError(message("not_finite", what=v.kind, thing=v.name, value=value))
        v, value = next((v, x) for v, x, a, b in zip(self._given, values, self._low, self._high) if not a <= x <= b)
        low, high = v.range
        raise ModelError(message("out_of_range", what=v.kind, thing=v.name, value=value, low=low, high=high))

    def _wrong_start(self, R: np.ndarray, status: int) -> str:
        fault = int(R[Head.fault])
        if status == Status.no_direction:
            return message("no_direction", thing=list(self.program.quaternions)[fault])
        if status == Status.failed_check:
            return self.program.checks[fault]
        if status == Status.failed_start_check:
            return self.program.start_checks[fault]
        if status in (Status.not_assembled, Status.not_movable):
            key = "not_assembled" if status == Status.not_assembled else "not_movable"
            return message(key, thing=self._loop_name(fault), value=self.closing(R)[Closing.last_good])
        if status == Status.not_followed:
            return self._not_followed(R)
        if status == Status.gimbal_lock:
            return message("gimbal_lock", thing=self.program.owners[fault], time=R[Head.fault_time])
        return message("no_inertia", thing=self.program.owners[fault])

    def _not_followed(self, R: np.ndarray) -> str:
        closing = self.closing(R)
        values = {"value": closing[Closing.last_good], "time": R[Head.fault_time]}
        thing = self.program.given[int(closing[Closing.blamed])]
        return message("not_followed", thing=thing, loop=self._loop_name(int(R[Head.fault])), **values)

    def _loop_name(self, number: int) -> str:
        return str(self.program.loops[number]["name"])

    def closing(self, R: np.ndarray) -> np.ndarray:
        """The numbers of `layout.Closing`; empty without closed loops."""
        return R[self.program.region("closing")] if "closing" in self.program.regions else np.zeros(0)

    def _set_projection(self, R: np.ndarray, absolute: float) -> None:
        """States are projected back where a loop stands open by more than a hundredth of the absolute tolerance."""
        closing = self.closing(R)
        if closing.size and closing[Closing.project] >= 0.0:
            closing[Closing.project] = 0.01 * absolute

    def refresh(self, R: np.ndarray) -> None:
        """Rates and outputs of the present state and inputs."""
        self.kernels.enter_refresh(R, self.no_tables)

    def exchange(self, R: np.ndarray) -> None:
        """The derivatives of the states for an importer's solver, at present rates; compiled when first asked for."""
        if self.program.exchange_slice != self.program.rate_slice:
            self.kernels.enter_exchanged(R, np.empty_like(R))

    def fault(self, R: np.ndarray, status: int) -> str:
        """What went wrong, after a kernel returned a status other than ok."""
        if status == Status.not_followed:
            return f"{self.program.name}: {self._not_followed(R)}"
        if status == Status.open_loop:
            closing = self.closing(R)
            values = {"value": closing[Closing.last_good], "time": R[Head.fault_time], "high": closing[Closing.bound]}
            said = message("open_loop", thing=self._loop_name(int(R[Head.fault])), **values)
            return f"{self.program.name}: {said}"
        values = {"time": R[Head.fault_time], "step": R[Head.failed_step]}
        if status == Status.failed_start_check:
            cause = self.program.start_checks[int(R[Head.fault])]
            return f"{self.program.name}: {message('singular', thing=cause, **values)}"
        owner = self.program.owners[int(R[Head.fault])]
        return f"{self.program.name}: {message(FAULTS.get(status, 'non_finite'), thing=owner, **values)}"
