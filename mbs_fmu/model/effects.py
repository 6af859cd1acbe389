"""Effects of forces: forces and torques on bodies and joints, stored energy, and the dissipative and prescribed parts.

Each module in `forces` writes its effect in references (geometry/anchors.py, measures.py), as users write laws. The
equations of motion, the energy and all measures of forces follow from the effect.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field

from ..infrastructure.lazy_dataclasses import dataclass
from ..symbolic.expressions import Expression
from ..symbolic.graph import leaves
from ..symbolic.vectors import ORIGIN, Vector
from .references.leaves import AxisNumber, PointNumber
from .references.naming import A_NAME

NONE = ORIGIN  #: no force or no torque
STRENGTH = "strength"  #: name of the load among the measures of a contact
CENTER = "center"  #: name of the position of a ball among the measures of its part, m, world axes
TINY = 1e-300  #: keeps a division by a vanishing length finite

Check = tuple[Expression, str]  #: a number that must be positive, and the message otherwise


@dataclass(frozen=True)
class Push:
    """Force (N) at a point of a body (m, body axes) and torque (N.m), both in world axes or both in body axes."""

    body: str = field(metadata=A_NAME)
    at: Vector
    force: Vector
    torque: Vector
    in_world: bool = True


@dataclass(frozen=True)
class Along:
    """Generalized force (N or N.m) along joint velocity k, from 0, of a body; modal: along vibration mode k."""

    body: str = field(metadata=A_NAME)
    k: int
    number: Expression
    modal: bool = False


@dataclass(frozen=True)
class Action:
    """Forces and torques on bodies, the last one on b or on the only body, and generalized forces along joints."""

    pushes: tuple[Push, ...] = ()
    along: tuple[Along, ...] = ()

    def numbers(self) -> Iterator[Expression]:
        """Yield all forces and torques, in their order."""
        for push in self.pushes:
            yield from push.force
            yield from push.torque
        for along in self.along:
            yield along.number


NOTHING = Action()


@dataclass(frozen=True)
class Effect:
    """Total action of a force, and its parts.

    action: all forces and torques. strength: the force, if it is a single number. stored: stored energy, J.
    dissipates: the part whose power is never positive. prescribed: the part whose power the user supplies. The rest is
    elastic: its power is minus the rate of the stored energy, and minus `lost`, if parameters and inputs are constant.
    rates: rates of signal states that belong to the force, by name; the states' own rates are zero, or those while
    surfaces are apart. lost: power that such states lose, W, never negative. measures: vectors of a contact by
    quantity, see `ContactNumber`; the first of each is the total, if there is one, and the others belong to its points.
    depth: m; while it is not positive, surfaces are apart: the action vanishes, and the states have their own rates, to
    the last bit; None if there is no such number.
    """

    action: Action
    strength: Expression | None = None
    stored: Expression | None = None
    dissipates: Action = NOTHING
    prescribed: Action = NOTHING
    rates: tuple[tuple[str, Expression], ...] = ()
    lost: Expression | None = None
    measures: Mapping[str, tuple[Vector | None, ...]] = field(default_factory=dict)
    depth: Expression | None = None

    @property
    def scalars(self) -> list[Expression]:
        """All numbers other than forces and torques that laws of the model contain."""
        numbers = [x for x in (self.strength, self.stored) if x is not None]
        return [*numbers, *(rate for _, rate in self.rates)]

    def points(self) -> list[Expression]:
        """Points (m, body axes) and frames at which it acts or that it measures; they are constant during a run."""
        references = leaves([*self.action.numbers(), *self.scalars])
        measured = [r.at for r in references if isinstance(r, PointNumber)]
        axes = [Vector(r.frame) for r in references if isinstance(r, AxisNumber)]
        return [x for at in (*(p.at for p in self.action.pushes), *measured, *axes) for x in at]


@dataclass(frozen=True, eq=False)
class Foot:
    """A contact parameter of a force, which locates a foot point on a curve (docs/equations_loops.md, L18).

    state: name of the signal state. guess: an approximate value, which follows from positions. step: the change that
    Newton's method makes, which vanishes at the foot point.
    """

    state: str = field(metadata=A_NAME)
    guess: Expression
    step: Expression


@dataclass(frozen=True)
class Part:
    """A part of a force, which becomes a law of its own; the effects of all parts add up to that of the force.

    effect: returns its effect. key: parts with equal keys have equal effects except for their bodies, their states and
    their `numbers`, so that one of them is traced; None: only this part. Equal effects need equal frames of the bodies
    in their links. with_numbers: returns the effect with expressions in place of the numbers. bound: common to several
    parts: two balls, or a part whose effect has a `strength` only; while these are apart, or this is not positive,
    surfaces are apart (`Effect.depth`).
    """

    effect: Callable[[], Effect]
    key: Hashable = None
    bodies: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()
    with_numbers: Callable[[Sequence[Expression]], Effect] | None = None
    bound: Part | Balls | None = None


@dataclass(frozen=True, eq=False)
class Balls:
    """Two balls around the surfaces of several parts. Bounds of one shape with several others share its centre.

    centers: parts whose effects have the measure CENTER only, m, world axes. reach: sum of the radii, m.
    """

    centers: tuple[Part, Part]
    reach: float
