"""A program with its kernels: initialization, checks and messages shared by `simulate` and the FMUs."""

from __future__ import annotations

import math
import sys

import numpy as np

from ..codegen.loader import Kernels, Kinds, Wanted, load_kernels
from ..errors import ModelError
from ..kernels.records import set_tolerances
from ..lazy_dataclasses import dataclass
from ..messages.failures import fields_of, message, refusal
from ..record.layout import CLOCK_SIZE, Head, Load, LoopState, Status
from ..record.program import GIVEN, Program

LARGEST = sys.float_info.max  #: of finite numbers

START: Wanted = ("initialise", ("array",))
REFRESH: Wanted = ("refresh", ("array", "array"))
FOLLOW: Wanted = ("follow", ("array", "float", "float"))
STEP_KINDS: Kinds = ("array", "array", "float", "float", "int")  #: R, U, time, setting, most steps

FAULT = Load("R", "head", Head.fault)
#: Where a sentence about a failure finds its numbers.
NUMBERS = {
    "time": Load("R", "head", Head.fault_time),
    "step": Load("R", "head", Head.failed_step),
    "value": Load("R", "loop_state", LoopState.last_good),
    "high": Load("R", "loop_state", LoopState.bound),
}


@dataclass(frozen=True)
class Said:
    """The message of a failed start or step: one of MESSAGES, which of the program's `names` has its thing, and the
    number of the record that is the place there."""

    key: str
    things: str
    which: Load = FAULT


NOT_FOLLOWED = Said("not_followed", "given", Load("R", "loop_state", LoopState.blamed))
GIMBAL_LOCK = Said("gimbal_lock", "owners")
TOO_LARGE = Said("too_large", "owners")
UNSETTLED = Said("unsettled", "modes")
UNENDING = Said("unending", "event_names")
#: By the status that a kernel returns; of a start, and of a step. Native FMUs have these tables as C.
FAILED_START = {
    Status.no_direction: Said("no_direction", "quaternions"),
    Status.failed_check: Said("failed_check", "checks"),
    Status.failed_start_check: Said("failed_check", "start_checks"),
    Status.not_assembled: Said("not_assembled", "loops"),
    Status.not_movable: Said("not_movable", "loops"),
    Status.not_followed: NOT_FOLLOWED,
    Status.gimbal_lock: GIMBAL_LOCK,
    Status.too_large: TOO_LARGE,
    Status.penetrates: Said("penetrates", "modes"),
    Status.unsettled: UNSETTLED,
}
NO_INERTIA = Said("no_inertia", "owners")  #: of any other start
FAILED_STEP = {
    Status.failed_start_check: Said("singular", "start_checks"),
    Status.not_followed: NOT_FOLLOWED,
    Status.open_loop: Said("open_loop", "loops"),
    Status.step_too_small: Said("step_too_small", "owners"),
    Status.step_not_felt: Said("step_not_felt", "owners"),
    Status.not_converged: Said("not_converged", "owners"),
    Status.gimbal_lock: GIMBAL_LOCK,
    Status.unsettled: UNSETTLED,
    Status.unending: UNENDING,
    Status.too_large: TOO_LARGE,
}
NON_FINITE = Said("non_finite", "owners")  #: of any other step


def names(program: Program) -> dict[str, list[str]]:
    """Names for messages of failures: those of a program, and the sentences of its checks."""
    loops, modes = ([str(x["name"]) for x in found] for found in (program.loops, program.modes))
    return {
        "owners": program.owners, "checks": program.checks, "start_checks": program.start_checks,
        "quaternions": list(program.quaternions), "given": program.given, "loops": loops,
        "modes": modes, "event_names": [str(event["name"]) for event in program.events],
    }  # fmt: skip


class Runtime:
    """Runs one program on records that the caller owns."""

    def __init__(self, program: Program, kernels: Kernels | None = None):
        """`kernels`: those of the program's text, where they are loaded already."""
        self.program = program
        self.kernels = kernels or load_kernels(program.text)
        self.kernels.title = program.name
        self.no_tables = self.tables({}, 0.0, 0.0, 0, 0.0)
        self._given = program.of_role(*GIVEN)
        self._given_slots = np.array([v.slot for v in self._given], dtype=int)
        bounds = [v.range if v.role == "parameter" else (-math.inf, math.inf) for v in self._given]
        loop_state = program.regions.get("loop_state")
        self._project = -1 if loop_state is None else loop_state[0] + LoopState.project
        self._low, self._high = np.clip(np.array(bounds).reshape(-1, 2).T, -LARGEST, LARGEST)

    def tables(
        self, inputs: dict[str, tuple[np.ndarray, np.ndarray]], start: float, interval: float, rows: int, stop: float
    ) -> np.ndarray:
        """The array U of the kernels: for each input where its table lies, the clock of the results, the tables."""
        first, count = self.program.regions["inputs"]
        head = np.zeros(2 * count + CLOCK_SIZE)
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
        """The rest of `initialize`, once all numbers are known to be finite and within their bounds."""
        status = self.kernels.enter_initialise(R)
        if status != Status.ok:
            raise ModelError(self._why(R, FAILED_START.get(status, NO_INERTIA)))
        set_tolerances(R, self._project, tolerance, tolerance, absolute)

    def require_numbers(self, R: np.ndarray) -> None:
        """Everything that the user gives: finite, and within its bounds."""
        if not math.isfinite(R[Head.time]):
            raise ModelError(message("not_finite", what="start", thing="time", value=R[Head.time]))
        values = R[self._given_slots]
        if ((values >= self._low) & (values <= self._high)).all():
            return
        given = list(zip(self._given, values, self._low, self._high, strict=True))
        outside = [(v, x) for v, x, low, high in given if not low <= x <= high]
        v, value = min(outside, key=lambda found: math.isfinite(found[1]))
        reason = refusal(v.role, v.name, value, *v.range)
        assert reason is not None
        raise ModelError(reason)

    def _why(self, R: np.ndarray, said: Said) -> str:
        """The sentence about a failure, from the record."""
        values: dict[str, object] = {}
        for field in fields_of(said.key):
            if field in NUMBERS:
                values[field] = self._number(R, NUMBERS[field])
            else:
                things, which = ("loops", FAULT) if field == "loop" else (said.things, said.which)
                values[field] = names(self.program)[things][int(self._number(R, which))]
        return message(said.key, **values)

    def _number(self, R: np.ndarray, load: Load) -> float:
        return float(R[self.program.regions[load.region][0] + load.offset])

    def ready(self, *wanted: Wanted) -> None:
        """Compile what a start needs and these kernels, all at once, where they are not kept."""
        self.kernels.together(START, *wanted)

    def refresh(self, R: np.ndarray) -> None:
        """Rates and outputs of the present state and inputs."""
        self.kernels.enter_refresh(R, self.no_tables)

    def exchange(self, R: np.ndarray) -> None:
        """The derivatives of the states for an importer's solver, at present rates; compiled when first used."""
        if self.program.exchange_slice != self.program.rate_slice:
            self.kernels.enter_exchanged(R, np.empty_like(R))

    def fault(self, R: np.ndarray, status: int) -> str:
        """The message of a failure, after a kernel that makes steps returned a status other than ok."""
        return f"{self.program.name}: {self._why(R, FAILED_STEP.get(status, NON_FINITE))}"
