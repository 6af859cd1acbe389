"""When a closure holds: always, or in modes that change in a run.

A closure with modes holds (mode 0), or does not: then it is free, or pushes with a force that is known. Which it does
stands in the record; nothing is compiled anew. What ends a mode is a number that is positive while it lasts.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...record.layout import TINY, ModeRole
from ...symbolic.expressions import Expression, as_expression, is_condition, is_literal
from ...symbolic.graph import leaves
from ..geometry.vectors import number
from ..references.leaves import DriveForce, Multiplier, ReactionNumber, TwistRate

OF_THE_INSTANT = (DriveForce, Multiplier, ReactionNumber, TwistRate)  #: what modes decide about

HOLDS, FREE = 0.0, -1.0  #: modes; 1.0 beside them of what pushes either way


@dataclass(frozen=True)
class Mode:
    """Decides when a closure holds. `role`: how the kernels treat it; `numbers`: the numbers that they look at.

    bilateral: while it holds its multipliers may be any. rests: while it doesn't, nothing depends on its conditions.
    """

    role: ClassVar[int]
    bilateral: ClassVar[bool] = False
    rests: ClassVar[bool] = False

    @property
    def numbers(self) -> tuple[Expression, Expression]:
        """Two expressions; which ones stands with the role (`layout.ModeRole`)."""
        raise NotImplementedError

    @property
    def begins_held(self) -> bool:
        """True if it holds at any start."""
        return False

    @property
    def holds_apart(self) -> bool:
        """True if it may hold where its conditions are not zero, so that its places don't coincide."""
        return False

    def check(self, thing: str) -> None:
        """ModelError for numbers that it can't depend on."""


@dataclass(frozen=True)
class Armed(Mode):
    """It holds from when `when` becomes true until `until` does; both are how far a condition is met.

    when: None: from the start. until: None: for ever. here: it holds at the place where it finds itself at the start,
    as it does wherever it takes hold later.
    """

    when: Expression | None
    until: Expression | None
    here: bool = False
    role: ClassVar[int] = ModeRole.armed
    bilateral: ClassVar[bool] = True
    rests: ClassVar[bool] = True

    @property
    def numbers(self) -> tuple[Expression, Expression]:
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
    """It pushes only, while its one condition is zero; below zero that never is. Impacts give back `restitution`."""

    restitution: Expression
    role: ClassVar[int] = ModeRole.one_sided

    @property
    def numbers(self) -> tuple[Expression, Expression]:
        return self.restitution, as_expression(0.0)


@dataclass(frozen=True)
class Sticking(Mode):
    """It holds as long as that takes no more than `static`, and slips under the force `capacity` else."""

    capacity: Expression
    static: Expression
    role: ClassVar[int] = ModeRole.sticking

    def check(self, thing: str) -> None:
        """It may not depend on what follows from whether it sticks."""
        if any(isinstance(x, OF_THE_INSTANT) and not getattr(x, "mean", False) for x in leaves(self.numbers)):
            raise ModelError(
                f"{thing}: it depends on a reaction of the same instant, which depends on whether it sticks: give a "
                "force that is known, make the normal force a spring's, or take the reaction's mean over the last step "
                "(mean=True)"
            )

    @property
    def numbers(self) -> tuple[Expression, Expression]:
        return self.static, self.capacity


def armed(when: Any, until: Any, thing: str, here: bool = False) -> Armed | None:
    """The mode that conditions make; None without any. ModelError for what is no condition."""
    if when is None and until is None:
        return None
    first, last = (
        None if told is None else _met(told, f"{what} of {thing}") for told, what in ((when, "when"), (until, "until"))
    )
    return Armed(first, last, here)


def _met(condition: Any, thing: str) -> Expression:
    """A number that is not negative where a condition is met: with < and > it is so at equality."""
    if not isinstance(condition, Expression) or not is_condition(condition):
        raise ModelError(
            f"{thing} is {display(condition)}: give a condition such as mbs.coordinate('panel') >= 1.57 (by <, <=, > "
            "or >=; of several, mbs.min of their numbers > 0)"
        )
    less, more = condition.args
    return more - less if condition.op == "le" else more - less - TINY


def checked_restitution(value: Any, thing: str) -> Expression:
    """A coefficient of restitution: 0 to 1, a number or an expression of parameters."""
    e = number(value, f"restitution of {thing}")
    if is_literal(e) and not 0.0 <= e.value <= 1.0:
        raise ModelError(f"restitution of {thing} is {e.value!r}: it must lie within 0 .. 1")
    return e
