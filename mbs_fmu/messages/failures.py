"""What is said of a failed start or step, in one place for every kind of run and FMU.

Fields in braces are texts or numbers; `FIELDS` tells which. The native FMU gets these sentences as C.
"""

from __future__ import annotations

import math
import reprlib
from typing import Any

import numpy as np

FIELDS = {
    "model": str, "thing": str, "what": str, "loop": str, "value": float, "low": float, "high": float, "time": float,
    "step": float, "steps": float, "rank": float, "rows": float,
}  # fmt: skip

MESSAGES = {
    "not_finite": "{what} '{thing}' is {value}: give a finite number",
    "out_of_range": "{what} '{thing}' is {value}: it must lie within {low} .. {high}",
    "failed_check": "{thing}",
    "no_direction": "the quaternion from '{thing}' on has no direction: its numbers are all close to zero",
    "no_inertia": (
        "the motion of {thing} moves no inertia at the start: give its body (or what it carries) a mass and inertia "
        "along that motion, weld it, or leave out one of two motions that do the same"
    ),
    "assembled": (
        "assembled in {steps} steps, residual {value} (m or rad); {rank} of {rows} closing conditions are independent"
    ),
    "not_assembled": (
        "loop '{thing}' does not close: from the start values it stays open by {value} (m or rad); start nearer to a "
        "closed position, hold fewer start values (guess=True), or look at its points, lengths and given motions"
    ),
    "not_movable": (
        "the start velocities that are held do not agree with loop '{thing}': they miss it by {value} (m/s or rad/s); "
        "hold fewer (guess=True), or make them agree"
    ),
    "not_followed": (
        "{thing} can't be followed at t = {time} s: whatever the free joints do, loop '{loop}' opens by {value} (m/s "
        "or rad/s); give motions that agree there, or leave one of them free"
    ),
    "penetrates": (
        "contact '{thing}' starts {value} (m or rad) inside of what it may touch: start the bodies apart, or in touch"
    ),
    "unsettled": (
        "modes don't settle at t = {time} s, that of '{thing}' among them: they change without an end; look for a "
        "capacity, input or condition that jumps whenever they do"
    ),
    "unending": (
        "event '{thing}' and its reset follow each other without an end at t = {time} s: reset something that leads "
        "away from it, or let contacts bounce by m.contact, which come to rest"
    ),
    "open_loop": (
        "loop '{thing}' stands open by {value} (m or rad) at t = {time} s, beyond the bound {high}: use a smaller step "
        "or tolerance, or a larger bound, unless it can't reach what lengths, curves, equations and drives ask for then"
    ),
    "non_finite": (
        "{thing} is no longer finite at t = {time} s with step size {step} s: use a smaller step or an adaptive "
        "method, or look for a law that grows without bound"
    ),
    "too_large": (
        "{thing}, is bent beyond small deformations at t = {time} s: divide it into several bodies, or look for a load "
        "that is too large"
    ),
    "gimbal_lock": (
        "{thing} stands where the three angles of its joint lock, at t = {time} s: give the joint other angles, or a "
        "quaternion, which never locks (mbs.Spherical(), mbs.Free())"
    ),
    "not_converged": (
        "the stages of the implicit step do not converge, first of all those of {thing}, at t = {time} s with step "
        "size {step} s: use a smaller step"
    ),
    "singular": "{thing} (at t = {time} s, with step size {step} s)",
    "other_time": (
        "a step from t = {time} s is asked for, {step} s from t = {value} s where the FMU stands: give it the time at "
        "which the last step ended"
    ),
    "too_many_steps": (
        "a communication step of {step} s takes more than {steps} internal steps: give a shorter one, or export the "
        "FMU with a larger step or tolerance, or with a larger max_internal_steps"
    ),
    "step_not_felt": (
        "a step of {step} s at t = {time} s is lost in the rounding of that time: give longer steps, "
        "or times nearer to zero"
    ),
    "step_too_small": (
        "the step size became too small for {thing} at t = {time} s with step size {step} s: the motion is stiff or "
        "singular there, or a law is discontinuous; give a shorter max_step (to an FMU "
        "shorter communication steps), or method='rodas5p' where the motion is stiff"
    ),
}


def fields_of(key: str) -> list[str]:
    """The fields of one of MESSAGES, in the order in which they stand there."""
    from string import Formatter

    return [name for _, name, _, _ in Formatter().parse(MESSAGES[key]) if name is not None]


def message(key: str, **fields: object) -> str:
    """One of MESSAGES, filled in."""
    display = {name: f"{value:.9g}" if FIELDS[name] is float else value for name, value in fields.items()}
    return MESSAGES[key].format(**display)


def refusal(what: str, thing: str, value: float, low: float, high: float, unit: str | None = None) -> str | None:
    """What is said of a value that is not finite, or not within its bounds; None of one that may be set."""
    if not math.isfinite(value):
        return with_unit(message("not_finite", what=what, thing=thing, value=value), unit)
    if not low <= value <= high:
        return with_unit(message("out_of_range", what=what, thing=thing, value=value, low=low, high=high), unit)
    return None


def with_unit(said: str, unit: str | None) -> str:
    """What is said of a number, with the number's unit behind it, where it has one."""
    return said if unit in (None, "1") else f"{said}; its unit is {unit}"


MOST_SHOWN = 160  #: letters


class _Shown(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxtuple = self.maxlist = self.maxset = 9
        self.maxlong, self.maxstring, self.maxother = 30, 60, 80

    def repr1(self, x: Any, level: int) -> str:
        plain = x.tolist() if isinstance(x, (np.ndarray, np.generic)) else x
        try:
            return " ".join(super().repr1(plain, level).split())
        except ValueError:  # Python prints no number of some thousand digits
            return f"a number of type {type(x).__name__}"


def display(value: Any) -> str:
    """How a value that a user gave stands in a message: short, on one line, numbers of numpy as those of Python."""
    text = _Shown().repr(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."
