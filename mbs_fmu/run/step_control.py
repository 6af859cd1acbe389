"""How steps are made: by a method, with fixed steps or error control (`StepControl`), and whether that fits a model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..infrastructure.arguments import EVENTS, Events, is_one_of, positive
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import warn
from ..infrastructure.messages.failures import display
from ..model.model import Model
from ..record.blocks import HeadNumbers

if TYPE_CHECKING:
    import numpy as np

    from ..integrate.methods.method import Method

RTOL = 1e-6  #: default of the relative tolerance
ATOL_RATIO = 0.01  #: default of the absolute tolerance, over the relative one
MOST_ALPHA_STEP = 0.3  #: limit of alpha times the step size; above it, the stabilization of loops costs accuracy


@dataclass(frozen=True)
class StepControl:
    """How steps are made: by a method, with fixed steps or with error control.

    Whatever runs a model or exports it makes this value once from its arguments; nothing else looks at these.

    `step` is the size of fixed steps, s, or 0 with error control. `rtol` and `atol` are the tolerances of error
    control; with fixed steps they only decide when closed loops are projected. `longest` is the longest step with error
    control, s; 0: unlimited. `at_steps`: mode ends and events with resets take effect at ends of steps only.
    """

    method: Method
    step: float
    rtol: float
    atol: float
    longest: float = 0.0
    at_steps: bool = False

    @classmethod
    def of(
        cls, method: str, step: float | None = None, rtol: float | None = None, atol: float | None = None,
        max_step: float | None = None, events: Events = "located", default: float = RTOL,
    ) -> StepControl:  # fmt: skip
        """Return the value for these arguments of `simulate`; raises ArgumentError for unusable ones.

        `default` is the relative tolerance of error control if none is given.
        """
        at_steps = _at_steps(events, step)
        chosen = _method(method)
        _check_choice(chosen, step, rtol, atol, max_step)
        for value, what in ((step, "step"), (rtol, "rtol"), (atol, "atol"), (max_step, "max_step")):
            if value is not None:
                positive(value, Argument(what))
        if step is not None:
            return cls(chosen, float(step), RTOL, ATOL_RATIO * RTOL, 0.0, at_steps)
        relative = default if rtol is None else float(rtol)
        absolute = ATOL_RATIO * relative if atol is None else float(atol)
        return cls(chosen, 0.0, relative, absolute, float(max_step or 0.0))

    @property
    def fixed(self) -> bool:
        """True for fixed steps, false with error control."""
        return self.step > 0.0

    @cached_property  # Python FMUs read it in each call
    def bound(self) -> float:
        """Size of fixed steps, s, or relative tolerance of error control: the argument by which kernels bound steps."""
        return self.step if self.fixed else self.rtol

    @property
    def tolerances(self) -> tuple[float, float]:
        """Relative and absolute tolerance."""
        return self.rtol, self.atol

    @property
    def advance(self) -> str:
        """Name of the kernel that makes steps up to a time."""
        return f"{self.method.name}_{'fixed' if self.fixed else 'adaptive'}"

    @cached_property
    def loop(self) -> str:
        """Name of the kernel that computes all rows of a result."""
        return f"{self.method.name}_run_{'fixed' if self.fixed else 'adaptive'}"

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `simulate` that make such steps."""
        if self.fixed:
            return {"method": self.method.name, "step": self.step, "events": self.events}
        limit = {"max_step": self.longest} if self.longest else {}
        return {"method": self.method.name, "rtol": self.rtol, "atol": self.atol, **limit}

    @property
    def events(self) -> Events:
        """When mode ends and events with resets take effect, as the argument of `simulate`."""
        return "steps" if self.at_steps else "located"

    def at_most(self, longest: float) -> StepControl:
        """Return the same with steps of error control of at most a size, s."""
        return replace(self, longest=min(self.longest or math.inf, longest))

    def with_rtol(self, rtol: float) -> StepControl:
        """Return the same with another relative tolerance, and the absolute one in proportion."""
        return replace(self, rtol=rtol, atol=self.atol * (rtol / self.rtol))

    def write(self, R: np.ndarray) -> None:
        """Write into a record what the kernels read there: the longest step, and whether modes end at steps."""
        R[HeadNumbers.most_step], R[HeadNumbers.at_steps] = self.longest, float(self.at_steps)


def _at_steps(events: Any, step: Any) -> bool:
    """True if mode ends and events take effect at ends of steps only; ArgumentError for an unusable `events`."""
    if not is_one_of(events, EVENTS):
        raise ArgumentError(Argument("events"), f" is {display(events)}: use {' or '.join(map(repr, EVENTS))}")
    if events == "steps" and step is None:
        steps = Argument("events", 'events="steps"', "steps")
        raise ArgumentError(steps, " is for fixed steps: give ", Argument("step", "step="), ", in s")
    return bool(events == "steps")


def _method(name: Any) -> Method:
    """Return the named method. Raises ArgumentError for an unknown one."""
    from ..integrate.methods.table import method

    if not isinstance(name, str):
        raise ArgumentError(f"method must be a name such as 'dopri5', not {display(name)}")
    try:
        return method(name)
    except ValueError as error:
        raise ArgumentError(str(error)) from None


def _check_choice(method: Method, step: Any, rtol: Any, atol: Any, max_step: Any) -> None:
    """Raise ArgumentError unless the arguments are those of fixed steps, or of error control, and the method has it."""
    has_tolerance = rtol is not None or atol is not None
    if method.adaptive:
        if step is not None and has_tolerance:
            raise ArgumentError(
                f"method {method.name!r}: give either step (fixed steps) or rtol and atol (error control)"
            )
    else:
        if step is None:
            raise ArgumentError(f"method {method.name!r} has fixed steps: give ", Argument("step", "step="), ", in s")
        if has_tolerance:
            tolerances = Argument("rtol", "rtol and atol")
            raise ArgumentError(f"method {method.name!r} has fixed steps and no error control: leave out ", tolerances)
    if max_step is not None and (step is not None or not method.adaptive):
        raise ArgumentError("max_step is for steps with error control: with fixed steps give a smaller step")


# -- models ----------------------------------------------------------------------------------------------


def steps_fit(model: Model, control: StepControl) -> None:
    """Raise ArgumentError for fixed steps with which the states of a force would explode in an explicit method."""
    if control.method.needs_jacobian:
        return
    for force in model.forces.values():
        longest = force.longest_step
        if control.step > longest:
            raise ArgumentError(
                Argument("step"),
                f" is {display(control.step)} s, and with fixed steps of method {control.method.name!r} the bristles "
                f"of {force.thing} explode beyond {longest:.3g} s, 2.5 times its settling=: give a smaller step or a "
                "longer settling",
            )


def require_continuous(model: Model, control: StepControl) -> None:
    """Raise ArgumentError if the motion depends on means over steps whose length only error control determines."""
    from ..compile.requests import lagging

    if not (control.fixed or control.longest) and (thing := lagging(model)) is not None:
        raise ArgumentError(
            f"{thing} depends on a mean over the last step, an error of its order that rtol does not control: give "
            'max_step=, or a fixed step (method="rk4", step=)'
        )


def check_alpha(model: Model, control: StepControl) -> None:
    """Warn if residuals would decay faster than fixed steps can follow."""
    alpha = model.stabilization.alpha
    if model.loops and alpha is not None and alpha * control.step > MOST_ALPHA_STEP:
        warn(
            f"model {model.name!r}: alpha = {alpha:g}/s of its stabilization is too large for steps of "
            f"{control.step:g} s and costs accuracy: give at most {MOST_ALPHA_STEP / control.step:g}/s, or leave it out"
        )
