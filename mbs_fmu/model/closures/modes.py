"""Constraint modes of closures: permanent, or changing in a run.

A closure with modes is engaged (mode 0) or not; if not, it is free or exerts a given force. The record stores the mode,
so that a change needs no new compilation. Each mode lasts as long as a number is positive.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...record.codes import TINY, ModeRole
from ...symbolic.expressions import Expression, as_expression, is_condition, is_literal
from ...symbolic.graph import leaves
from ..geometry.vectors import number
from ..references.leaves import DriveForce, Multiplier, ReactionNumber, TwistRate

OF_THE_INSTANT = (DriveForce, Multiplier, ReactionNumber, TwistRate)  #: depend on the modes

HOLDS, FREE = 0.0, -1.0  #: modes; 1.0 as well for closures that push in both directions


@dataclass(frozen=True)
class Mode:
    """Constraint mode of a closure. `role`: how the kernels treat it; `numbers`: the numbers that they evaluate.

    rated: the kernels watch the rate of its row in place of its residual while it is released.
    if_prescribed: remedy if its condition depends on prescribed motions only.
    bilateral: multipliers may have either sign while it is engaged. rests: nothing depends on its conditions while it
    is released.
    """

    role: ClassVar[int]
    rated: ClassVar[bool] = False
    bilateral: ClassVar[bool] = False
    rests: ClassVar[bool] = False
    if_prescribed: ClassVar[str] = "leave it or a drive out"

    @property
    def numbers(self) -> tuple[Expression, ...]:
        """Up to four expressions; their meaning depends on the role (`codes.ModeRole`)."""
        raise NotImplementedError

    @property
    def begins_held(self) -> bool:
        """True if it is engaged at every start."""
        return False

    @property
    def holds_apart(self) -> bool:
        """True if it can be engaged where its conditions are not zero, so that its frames do not coincide."""
        return False

    def check(self, thing: str) -> None:
        """Raise ModelError for numbers that depend on unavailable quantities."""


@dataclass(frozen=True)
class Armed(Mode):
    """Mode that engages when `when` becomes true and releases when `until` does; both are margins of conditions.

    when: None: from the start. until: None: for ever. here: it engages at the start in the current configuration, as it
    does at every later engagement. equal: `until` is true at equality.
    """

    when: Expression | None
    until: Expression | None
    here: bool = False
    equal: bool = False
    role: ClassVar[int] = ModeRole.latch
    bilateral: ClassVar[bool] = True
    rests: ClassVar[bool] = True
    if_prescribed: ClassVar[str] = "leave it out, and let the drive stand where it should hold"

    @property
    def numbers(self) -> tuple[Expression, ...]:
        never = as_expression(-1.0)
        return never if self.when is None else self.when, never if self.until is None else self.until

    @property
    def begins_held(self) -> bool:
        return self.when is None

    @property
    def holds_apart(self) -> bool:
        return self.here or self.when is not None


@dataclass(frozen=True)
class OneSided(Mode):
    """Mode of a contact: one condition, never negative, that pushes only, while it is zero; impacts follow
    `restitution`."""

    restitution: Expression
    role: ClassVar[int] = ModeRole.contact
    if_prescribed: ClassVar[str] = (
        "give stiffness= in place of restitution=, since nothing rigid can stop them, or leave it out"
    )

    @property
    def numbers(self) -> tuple[Expression, ...]:
        return (self.restitution,)


@dataclass(frozen=True)
class Overrunning(Mode):
    """Mode of a freewheel: a joint velocity, never negative, with a force that only pushes, while it is zero."""

    role: ClassVar[int] = ModeRole.freewheel
    rated: ClassVar[bool] = True

    @property
    def numbers(self) -> tuple[Expression, ...]:
        return (as_expression(0.0),)


@dataclass(frozen=True)
class Sticking(Mode):
    """Mode of dry friction: it sticks while its force lies between -lower[0] and upper[0], and slips otherwise, under
    the force upper[1] or -lower[1]."""

    upper: tuple[Expression, Expression]
    lower: tuple[Expression, Expression]
    role: ClassVar[int] = ModeRole.friction

    def check(self, thing: str) -> None:
        """Raise ModelError if a number depends on a reaction of the same instant, which depends on whether it
        sticks."""
        if any(isinstance(x, OF_THE_INSTANT) and not getattr(x, "mean", False) for x in leaves(self.numbers)):
            raise ModelError(
                f"{thing} depends on a reaction of the same instant, which depends on whether it sticks: give a "
                "force that is known, make the normal force a spring's, or take the reaction's mean over the last step "
                "(mean=True)"
            )

    @property
    def numbers(self) -> tuple[Expression, ...]:
        return *self.upper, *self.lower


def armed(when: Any, until: Any, thing: str, here: bool = False) -> Armed | None:
    """Return the mode that conditions define, or None without any. Raises ModelError for an invalid condition."""
    if when is None and until is None:
        return None
    first, last = (
        None if condition is None else _met(condition, f"{what} of {thing}")
        for condition, what in ((when, "when"), (until, "until"))
    )
    return Armed(first, last, here, equal=until is not None and until.op == "le")


def _met(condition: Any, thing: str) -> Expression:
    """Return a number that is not negative while a condition is met; for < and > equality does not count."""
    if not isinstance(condition, Expression) or not is_condition(condition):
        raise ModelError(
            f"{thing} is {display(condition)}: give a condition such as mbs.coordinate('panel') >= 1.57 (by <, <=, > "
            "or >=; combine several as mbs.min of their numbers > 0)"
        )
    less, more = condition.args
    return more - less if condition.op == "le" else more - less - TINY


def checked_restitution(value: Any, thing: str) -> Expression:
    """Return a coefficient of restitution, a number or an expression of parameters. Raises ModelError unless 0 to 1."""
    e = number(value, f"restitution of {thing}")
    if is_literal(e) and not 0.0 <= e.value <= 1.0:
        raise ModelError(f"restitution of {thing} is {e.value!r}: it must lie within 0 .. 1")
    return e
