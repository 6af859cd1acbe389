"""Effects of forces: where a force pushes, the energy it stores, and which part of it stores, dissipates or is given.

A page writes it in references (anchors.py, measures.py), as users write laws. Laws of motion, energy and all measures
of forces follow from that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from ..lazy_dataclasses import dataclass
from ..symbolic.expressions import Expression
from ..symbolic.graph import leaves
from ..symbolic.vectors import ORIGIN, Vector
from .references.leaves import AxisNumber, PointNumber
from .references.naming import A_NAME

NONE = ORIGIN  #: no force, no torque
TINY = 1e-300  #: keeps a division by a vanishing length finite

Check = tuple[Expression, str]  #: a number that must be positive, and what is said otherwise


@dataclass(frozen=True)
class Push:
    """A force (N) at a point of a body (m, body axes) and a torque (N.m), both in world axes or in the body's."""

    body: str = field(metadata=A_NAME)
    at: Vector
    force: Vector
    torque: Vector
    in_world: bool = True


@dataclass(frozen=True)
class Along:
    """A number (N or N.m) along joint velocity k of a body, from 0."""

    body: str = field(metadata=A_NAME)
    k: int
    number: Expression


@dataclass(frozen=True)
class Action:
    """Pushes on bodies (the last one on b, or on the only body) and numbers along joint velocities."""

    pushes: tuple[Push, ...] = ()
    along: tuple[Along, ...] = ()

    def numbers(self) -> Iterator[Expression]:
        """All forces and torques, in their order."""
        for push in self.pushes:
            yield from push.force
            yield from push.torque
        for along in self.along:
            yield along.number


NOTHING = Action()


@dataclass(frozen=True)
class Effect:
    """All of what a force does, and the parts that it is made of.

    strength: the number that the force is, where it is one. stored: energy, J. dissipates: the part whose power is
    never positive; given: the part whose power is the user's. The rest is elastic: its power is minus the rate of the
    stored energy, as far as nothing but the mechanism moves.
    """

    does: Action
    strength: Expression | None = None
    stored: Expression | None = None
    dissipates: Action = NOTHING
    given: Action = NOTHING

    def places(self) -> list[Expression]:
        """The points (m, body axes) and frames where it acts and that it measures: they can't change in a run."""
        told = [x for x in (self.strength, self.stored) if x is not None]
        known = leaves([*self.does.numbers(), *told])
        measured = [r.at for r in known if isinstance(r, PointNumber)]
        axes = [Vector(r.frame) for r in known if isinstance(r, AxisNumber)]
        return [x for at in (*(p.at for p in self.does.pushes), *measured, *axes) for x in at]
