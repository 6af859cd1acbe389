"""A program with its kernels: initialization, checks and messages that `simulate` and the FMUs share."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.engines import EngineName, load_kernels
from ..codegen.loader import KernelKey, Kernels, Kinds
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import fields_of, message, refusal
from ..kernels.records import set_tolerances
from ..record.blocks import HeadNumbers, LoopNumbers
from ..record.codes import Status
from ..record.kernel_module import KernelModule
from ..record.layout import Load
from ..record.program import GIVEN, Program
from ..record.schema import CLOCK_SIZE

if TYPE_CHECKING:
    from ..integrate.methods.method import Method

LARGEST = sys.float_info.max  #: largest finite number

START: KernelKey = ("initialise", ("array",))
REFRESH: KernelKey = ("refresh", ("array", "array"))
FOLLOW: KernelKey = ("follow", ("array", "float", "float"))
STEP_KINDS: Kinds = ("array", "array", "float", "float", "int")  #: R, U, time, bound of a step, most steps

FAULT = Load("R", "head", HeadNumbers.fault)
#: Numbers of the record that failure messages contain.
NUMBERS = {
    "time": Load("R", "head", HeadNumbers.fault_time),
    "step": Load("R", "head", HeadNumbers.failed_step),
    "value": Load("R", "loop_state", LoopNumbers.last_good),
    "high": Load("R", "loop_state", LoopNumbers.residual_bound),
    "starts": Load("R", "loop_state", LoopNumbers.starts_tried),
    "length": Load("R", "loop_state", LoopNumbers.open_length),
    "angle": Load("R", "loop_state", LoopNumbers.open_angle),
}


@dataclass(frozen=True)
class FailureMessage:
    """Message of a failed start or step.

    `key` is its key in MESSAGES. `things` is the list of `names` that contains the failing item, and `which` is the
    number of the record that is its index in the list.
    """

    key: str
    things: str
    which: Load = FAULT


NOT_FOLLOWED = FailureMessage("not_followed", "given", Load("R", "loop_state", LoopNumbers.contradicting_drive))
GIMBAL_LOCK = FailureMessage("gimbal_lock", "owners")
TOO_LARGE = FailureMessage("too_large", "owners")
UNSETTLED = FailureMessage("unsettled", "modes")
UNENDING = FailureMessage("unending", "watched")
#: Messages by the status that a kernel returns for a start or a step. Native FMUs have these tables in C.
FAILED_START = {
    Status.no_direction: FailureMessage("no_direction", "quaternions"),
    Status.failed_check: FailureMessage("failed_check", "checks"),
    Status.failed_start_check: FailureMessage("failed_check", "start_checks"),
    Status.not_assembled: FailureMessage("not_assembled", "loops"),
    Status.not_movable: FailureMessage("not_movable", "loops"),
    Status.not_followed: NOT_FOLLOWED,
    Status.gimbal_lock: GIMBAL_LOCK,
    Status.too_large: TOO_LARGE,
    Status.penetrates: FailureMessage("penetrates", "modes"),
    Status.unsettled: UNSETTLED,
}
NO_INERTIA = FailureMessage("no_inertia", "owners")  #: message of any other failed start
FAILED_STEP = {
    Status.failed_start_check: FailureMessage("singular", "start_checks"),
    Status.not_followed: NOT_FOLLOWED,
    Status.open_loop: FailureMessage("open_loop", "loops"),
    Status.step_too_small: FailureMessage("step_too_small", "owners"),
    Status.singular_position: FailureMessage("singular_position", "loops"),
    Status.step_not_felt: FailureMessage("step_not_felt", "owners"),
    Status.period_not_felt: FailureMessage("period_not_felt", "owners"),
    Status.not_converged: FailureMessage("not_converged", "owners"),
    Status.gimbal_lock: GIMBAL_LOCK,
    Status.unsettled: UNSETTLED,
    Status.unending: UNENDING,
    Status.too_large: TOO_LARGE,
    Status.near_list_full: FailureMessage("near_list_full", "owners"),
}
NON_FINITE = FailureMessage("non_finite", "owners")  #: message of any other failed step


def names(program: Program) -> dict[str, list[str]]:
    """Return names for messages of failures, and the messages of the program's checks."""
    events = [f"event {name!r}" for name in program.event_names]
    return {
        "owners": program.owners, "checks": program.checks, "start_checks": program.start_checks,
        "quaternions": list(program.quaternions), "given": program.given,
        "loops": [str(loop["name"]) for loop in program.loops], "modes": program.mode_names,
        "watched": [*(f"mode of {name!r}" for name in program.mode_names), *events],
    }  # fmt: skip


class Runtime:
    """Runs a program on records that the caller owns."""

    def __init__(self, program: Program, kernels: Kernels | None = None, engine: EngineName | None = None):
        """Use the kernels of the program's module by an engine (`codegen.engines`), or `kernels` if they are loaded.

        Raises ArgumentError and ModelError for an unknown engine.
        """
        self.program = program
        self.kernels = kernels or load_kernels(program.module, engine)
        self.kernels.title = program.name
        self._in_lanes: dict[tuple[int, str], Kernels] = {}  #: by number of lanes and name of the method
        self.computed_alone = 0.0  #: work of batches without lanes: members times steps times numbers of a record
        self.no_tables = self.tables({}, 0.0, 0.0, 0, 0.0)
        self._given = program.of_role(*GIVEN)
        self._given_slots = np.array([v.slot for v in self._given], dtype=int)
        bounds = [v.range if v.role == "parameter" else (-math.inf, math.inf) for v in self._given]
        loop_state = program.regions.get("loop_state")
        self._project = -1 if loop_state is None else loop_state[0] + LoopNumbers.projection_residual
        self._checked = b""  #: numbers that are finite and within their bounds
        self._low, self._high = np.clip(np.array(bounds).reshape(-1, 2).T, -LARGEST, LARGEST)

    def loaded(self, module: KernelModule) -> Kernels:
        """Return the kernels of another module that is derived from the program's, by the same engine."""
        kernels = self.kernels.load(module)
        kernels.title = self.program.name
        return kernels

    def in_lanes(self, lanes: int, method: Method) -> Kernels:
        """Return the kernels for runs in lanes with fixed steps of a method (`runs_module`). Raises NoLanes."""
        from ..integrate.lanes.module import require_lanes, runs_module

        key = lanes, method.name
        if key not in self._in_lanes:
            require_lanes(self.kernels)
            self._in_lanes[key] = self.loaded(runs_module(self.program, lanes, method))
        return self._in_lanes[key]

    def tables(
        self, inputs: dict[str, tuple[np.ndarray, np.ndarray]], start: float, interval: float, rows: int, stop: float
    ) -> np.ndarray:
        """Return the kernels' array U: index and size of each input's table, the output clock, the tables."""
        first, count = self.program.regions["inputs"]
        position = 2 * count + CLOCK_SIZE
        head = [0.0] * (2 * count)
        head += start, interval, rows, stop
        parts = [np.empty(0)]
        for name, (times, values) in inputs.items():
            k, size = self.program.by_name[name].slot - first, times.size
            head[2 * k], head[2 * k + 1] = position, size
            parts += times, values
            position += 2 * size
        parts[0] = np.array(head)
        return np.concatenate(parts)

    def initialize(self, R: np.ndarray, tolerance: float, absolute: float) -> None:
        """Compute constants, momenta and tolerances of a record whose parameters and start values are set.

        Raises ModelError, naming the variable, for a value that is not finite, an unphysical mass or inertia, a motion
        without inertia, a spring without direction.
        """
        self.require_numbers(R)
        self.begin(R, tolerance, absolute)

    def begin(self, R: np.ndarray, tolerance: float, absolute: float) -> None:
        """Do the part of `initialize` after `require_numbers`. Raises ModelError if the model cannot start."""
        status = self.kernels.enter_initialise(R)
        if status != Status.ok:
            raise ModelError(self.start_fault(R, status))
        set_tolerances(R, self._project, tolerance, tolerance, absolute)

    def require_numbers(self, R: np.ndarray) -> None:
        """Raise ModelError unless all numbers that users can set are finite and within their bounds."""
        if not math.isfinite(R[HeadNumbers.time]):
            raise ModelError(message("not_finite", what="start", thing="time", value=R[HeadNumbers.time]))
        values = R[self._given_slots]
        if (numbers := values.tobytes()) == self._checked:  # those of the run before
            return
        if ((values >= self._low) & (values <= self._high)).all():
            self._checked = numbers
            return
        checked = list(zip(self._given, values, self._low, self._high, strict=True))
        outside = [(v, x) for v, x, low, high in checked if not low <= x <= high]
        v, value = min(outside, key=lambda pair: math.isfinite(pair[1]))
        reason = refusal(v.role, v.name, value, *v.range)
        assert reason is not None
        raise ModelError(reason)

    def _why(self, R: np.ndarray, failure: FailureMessage) -> str:
        """Return the message of a failure, with numbers from the record."""
        values: dict[str, object] = {}
        for field in fields_of(failure.key):
            if field in NUMBERS:
                values[field] = self._number(R, NUMBERS[field])
            else:
                things, which = ("loops", FAULT) if field == "loop" else (failure.things, failure.which)
                values[field] = names(self.program)[things][int(self._number(R, which))]
        return message(failure.key, **values)

    def _number(self, R: np.ndarray, load: Load) -> float:
        return float(R[self.program.regions[load.region][0] + load.offset])

    def ready(self, *wanted: KernelKey) -> None:
        """Compile these kernels together with those of a start, unless they are cached."""
        self.kernels.ensure_compiled(START, *wanted)

    def refresh(self, R: np.ndarray) -> None:
        """Compute rates and outputs at the present state and inputs."""
        self.kernels.enter_refresh(R, self.no_tables)

    def exchange(self, R: np.ndarray) -> None:
        """Compute the state derivatives for an importer's solver from the present rates; compiled at the first use."""
        if self.program.exchange_slice != self.program.rate_slice:
            self.kernels.enter_exchanged(R, np.empty_like(R))

    def start_fault(self, R: np.ndarray, status: int) -> str:
        """Return the message of a failed start."""
        return self._why(R, FAILED_START.get(status, NO_INERTIA))

    def fault(self, R: np.ndarray, status: int) -> str:
        """Return the message of a failure, after a kernel that makes steps returned a status other than ok."""
        return f"{self.program.name}: {self._why(R, FAILED_STEP.get(status, NON_FINITE))}"
