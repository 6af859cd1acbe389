"""Messages of failed starts and steps, for all kinds of runs and FMUs.

Fields in braces are texts or numbers, as `FIELDS` states. Native FMUs contain these messages as C functions.
"""

from __future__ import annotations

import math
import reprlib
from pathlib import PurePath
from typing import Any

import numpy as np

FIELDS = {
    "model": str, "thing": str, "what": str, "loop": str, "wanted": str, "value": float, "low": float, "high": float,
    "time": float, "step": float, "steps": float, "rank": float, "rows": float,
    "starts": float, "length": float, "angle": float,
}  # fmt: skip

MESSAGES = {
    "not_finite": "{what} '{thing}' is {value}: give a finite number",
    "out_of_range": "{what} '{thing}' is {value}: it must lie within {low} .. {high}",
    "not_whole": "{what} '{thing}' is {value}: give {wanted}",
    "failed_check": "{thing}",
    "no_direction": "the quaternion from '{thing}' on has no direction: its numbers are all close to zero",
    "no_inertia": (
        "the motion of {thing} moves no inertia at the start: give its body (or what it carries) a mass and inertia "
        "along that motion, weld it, or leave out one of two motions that do the same"
    ),
    "assembled": (
        "assembled in {steps} steps, residual {value} (m or rad); {rank} of {rows} constraint rows are independent"
    ),
    "not_assembled": (
        "loop '{thing}' does not close: it stays open by {length} (m, or as its equations state) and {angle} rad, the "
        "least of {starts} start(s); start nearer to a closed position, hold fewer start values (guess=True), or check "
        "its points, lengths and prescribed motions"
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
        "contact '{thing}' starts with a penetration of {value} (m or rad): start the bodies apart or just touching"
    ),
    "unsettled": (
        "constraint modes, among them that of '{thing}', change endlessly at t = {time} s: look for a capacity, "
        "input or condition that jumps whenever they change"
    ),
    "unending": (
        "{thing} acts without end at t = {time} s: reset a value that leads away from the event, give conditions of "
        "modes that do not hold at once, or model bouncing bodies by m.contact, which lets them come to rest"
    ),
    "open_loop": (
        "loop '{thing}' stands open by {value} (m or rad) at t = {time} s, beyond the bound {high}: use a smaller step "
        "or tolerance, or a larger bound, unless it can't reach what lengths, curves, equations and drives require then"
    ),
    "non_finite": (
        "{thing} is no longer finite at t = {time} s with step size {step} s: use a smaller step or an adaptive "
        "method, or check for a law that grows without bound"
    ),
    "too_large": (
        "{thing}, is bent beyond small deformations at t = {time} s: divide it into several bodies, or reduce the load"
    ),
    "near_list_full": (
        "more pairs of shapes overlap at t = {time} s than the list of near pairs has places: give m.mutual_contact a "
        "larger most=, or keep the shapes from penetrating each other, by a larger stiffness= or a smaller step"
    ),
    "gimbal_lock": (
        "{thing} is at the gimbal lock of the three angles of its joint at t = {time} s: give the joint other angles, "
        "or a quaternion, which never locks (mbs.Spherical(), mbs.Free())"
    ),
    "singular_position": (
        "the step size became too small at t = {time} s with step size {step} s: loop '{thing}' is in a singular "
        "position, where its conditions depend on each other and rounding decides the motion; keep away from that "
        "position, or give the loop the freedom that its joints lack there"
    ),
    "not_converged": (
        "the stages of the implicit step do not converge, in particular those of {thing}, at t = {time} s with step "
        "size {step} s: use a smaller step"
    ),
    "singular": "{thing} (at t = {time} s, with step size {step} s)",
    "other_time": (
        "a step from t = {time} s is requested, {step} s away from the FMU's time t = {value} s: pass the time at "
        "which the last step ended"
    ),
    "too_many_steps": (
        "a communication step of {step} s takes more than {steps} internal steps: give a shorter one, or export the "
        "FMU with a larger step or tolerance, or with a larger max_internal_steps; if the model is stiff, with "
        "method='rodas5p'"
    ),
    "step_not_felt": (
        "a step of {step} s at t = {time} s is lost in the rounding of that time: give longer steps, "
        "or times nearer to zero"
    ),
    "period_not_felt": (
        "a sampling period of {step} s is lost in the rounding of the times at t = {time} s or at the end of the run: "
        "give the sampled signal a longer period, or times nearer to zero"
    ),
    "step_too_small": (
        "the step size became too small for {thing} at t = {time} s with step size {step} s: the motion is stiff or "
        "singular there, or a law is discontinuous; give a shorter max_step (for an FMU "
        "shorter communication steps), or method='rodas5p' if the motion is stiff"
    ),
}


def fields_of(key: str) -> list[str]:
    """Return the fields of one of MESSAGES, in the order of the text."""
    from string import Formatter

    return [name for _, name, _, _ in Formatter().parse(MESSAGES[key]) if name is not None]


def message(key: str, **fields: object) -> str:
    """Return one of MESSAGES with values of its fields."""
    display = {name: f"{value:.9g}" if FIELDS[name] is float else value for name, value in fields.items()}
    return MESSAGES[key].format(**display)


def refusal(
    what: str, thing: str, value: float, low: float, high: float, unit: str | None = None, wanted: str | None = None
) -> str | None:
    """Return the message for a value that is not finite or not within its bounds; None for a valid one.

    wanted: what the message demands of a number that is not whole, or has more than 32 bits; None if it may be any.
    """
    if not math.isfinite(value):
        return with_unit(message("not_finite", what=what, thing=thing, value=value), unit)
    if wanted is not None and not (value == math.floor(value) and -(2.0**31) <= value < 2.0**31):
        return message("not_whole", what=what, thing=thing, value=value, wanted=wanted)
    if not low <= value <= high:
        return with_unit(message("out_of_range", what=what, thing=thing, value=value, low=low, high=high), unit)
    return None


def with_unit(text: str, unit: str | None) -> str:
    """Return a message about a number, followed by the number's unit if it has one."""
    return text if unit in (None, "1") else f"{text}; its unit is {unit}"


MOST_CHARACTERS = 160  #: of a value in a message


class _Display(reprlib.Repr):
    """Short representation of values."""

    def __init__(self) -> None:
        super().__init__()
        self.maxtuple = self.maxlist = self.maxset = 9
        self.maxlong, self.maxstring, self.maxother = 30, 60, 80

    def repr1(self, x: Any, level: int) -> str:
        plain = x.tolist() if isinstance(x, (np.ndarray, np.generic)) else str(x) if isinstance(x, PurePath) else x
        try:
            return " ".join(super().repr1(plain, level).split())
        except ValueError:  # Python does not convert integers of some thousand digits
            return f"a number of type {type(x).__name__}"


def display(value: Any) -> str:
    """Return a user's value as text for messages: short, on one line, with numbers of numpy as those of Python."""
    if isinstance(value, type):
        return f"the class {value.__name__} without arguments in parentheses"
    text = _Display().repr(value)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."
