"""Base classes of closures: constraints between two bodies beside the tree, and equations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import ClassVar, Self

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from ...symbolic.graph import leaves
from ..bodies.shapes import ConnectingLine, Shape
from ..effects import NOTHING, Action, Check
from ..geometry.vectors import Vector
from ..references.leaves import FrameNumber, JointNumber, Signal
from ..references.naming import A_NAME
from .conditions import Conditions
from .modes import Mode, OneSided


class Pair(ABC):
    """Constraint between a frame of body a and a frame of body b; the frames coincide in the zero position."""

    @property
    def contacts(self) -> int:
        """Number of contact parameters."""
        return 0

    @property
    def contact_units(self) -> Sequence[str]:
        """Units of the contact parameters."""
        return ("rad",) * self.contacts

    def checked(self, thing: str) -> Self:
        """Return the pair with its numbers as expressions. Raises ModelError if it cannot close `thing`, a loop."""
        return self

    @abstractmethod
    def conditions(self, frame: int | None, thing: str) -> Conditions:
        """Return the independent conditions g = 0 on points and directions of side 0 (a) and side 1 (b).

        The conditions must not change when both bodies move together as one rigid body; otherwise rows beyond the root
        of the loop would be needed. frame: the side in whose axes a pair with a choice writes its conditions; None
        selects the world axes, if all three translations are constrained. thing: name of the loop in messages.
        """

    @property
    def is_rod(self) -> bool:
        """True if pictures show a rod from a's point to b's."""
        return False

    @property
    def shapes(self) -> Sequence[Shape]:
        """Shapes that pictures draw at the frame on b if b has no shapes of its own."""
        return ()

    def touching(self, frame: int | None, thing: str) -> Conditions:
        """Return the single condition of a contact, positive while the bodies are apart. Raises ModelError if there is
        none."""
        conditions = self.conditions(frame, thing)
        if len(conditions.rows) != 1 or conditions.rows[0].in_rates:
            raise ModelError(
                f"{thing}: {type(self).__name__} is {len(conditions.rows)} conditions and cannot be a contact: "
                "give one such as mbs.OnPlane or mbs.Rolling"
            )
        return conditions

    def parameter_checks(self, thing: str) -> list[Check]:
        """Expressions of parameters that must be positive, with messages."""
        return []


@dataclass(frozen=True, eq=False)
class Side:
    """Frame fixed on a body: its origin in body axes, m; `rotation` maps its axes to those of the body."""

    body: str = field(metadata=A_NAME)
    at: Vector
    rotation: np.ndarray


@dataclass(frozen=True, eq=False)
class Closure(ABC):
    """A closure, defined by its conditions; every other formula about it follows from them."""

    name: str = field(metadata=A_NAME)
    mode: Mode | None = field(default=None, kw_only=True)  #: None: always engaged
    has_wrench: ClassVar[bool] = False  #: True if the first side exerts a wrench on the second

    @property
    def thing(self) -> str:
        """Name of the closure in messages."""
        return f"loop {self.name!r}"

    @property
    def holds_apart(self) -> bool:
        """True if the closure can be engaged where its conditions are not zero."""
        return self.mode is not None and self.mode.holds_apart

    @property
    def sides(self) -> Sequence[Side]:
        """Frames, by number, whose origins and directions appear in the conditions."""
        return ()

    @abstractmethod
    def conditions(self, frame: int | None) -> Conditions:
        """Return the conditions g = 0; for `frame` see `Pair.conditions`."""

    def workless(self, multiplier: Callable[[int], Expression]) -> Action:
        """Return wrenches beside those along the conditions, the last one on b, which load joints but never do work.

        They add up to zero, and each acts on a body that can only move across it. multiplier: by number of a condition.
        """
        return NOTHING

    @property
    def connecting_lines(self) -> Sequence[ConnectingLine]:
        """Lines that pictures draw between bodies."""
        return ()

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        """Bodies with the shapes that pictures draw if a body has none of its own."""
        return ()

    def parameter_checks(self) -> list[Check]:
        """Expressions of parameters that must be positive, with messages."""
        return []

    def check_laws(self, bodies: object, parameters: object) -> None:
        """Raise ModelError if the mode depends on quantities that are not available to it."""
        if self.mode is not None:
            self.mode.check(self.thing)


@dataclass(frozen=True, eq=False)
class PairClosure(Closure):
    """Constraint between a frame on body a and a frame on body b."""

    a: Side
    b: Side
    pair: Pair
    has_wrench: ClassVar[bool] = True

    @property
    def sides(self) -> Sequence[Side]:
        return self.a, self.b

    @property
    def connecting_lines(self) -> Sequence[ConnectingLine]:
        return [ConnectingLine("rod", self.a.body, self.a.at, self.b.body, self.b.at)] if self.pair.is_rod else ()

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        return [(self.b.body, shape.within(self.b.at, self.b.rotation)) for shape in self.pair.shapes]

    def conditions(self, frame: int | None) -> Conditions:
        """Return the conditions. Raises ModelError unless they are objective, even if the root of the loop is the
        world: in another tree it would not be."""
        from .objective import require_objective

        build = self.pair.touching if isinstance(self.mode, OneSided) else self.pair.conditions
        conditions = build(frame, self.thing)
        if not isinstance(conditions, Conditions):
            raise ModelError(
                f"{self.thing}: the conditions of {type(self.pair).__name__} are {conditions!r}: return them"
            )
        require_objective(build(0, self.thing) if frame is None else conditions, self.thing)
        return conditions

    def parameter_checks(self) -> list[Check]:
        return self.pair.parameter_checks(self.thing)


def contact_names(closure: str, count: int) -> list[str]:
    """Return the names of a closure's contact parameters, which are states."""
    return [f"{closure}.z{k + 1}" for k in range(count)]


def is_rate(reference: object) -> bool:
    """True if a leaf is a joint velocity or a component of a body's twist."""
    of_body = isinstance(reference, FrameNumber) and reference.quantity == "twist"
    return of_body or (isinstance(reference, JointNumber) and reference.quantity == "rate")


def check_leaves(expressions: Sequence[Expression], thing: str, rates: bool = False) -> None:
    """Raise ModelError if conditions depend on quantities that are not allowed; rates: velocities are allowed."""
    for reference in leaves(expressions):
        if is_rate(reference) and not rates:
            raise ModelError(f"{thing} depends on {reference}: give no velocities, only positions")
        is_position = isinstance(reference, (FrameNumber, JointNumber))
        if not is_position and not (isinstance(reference, Signal) and reference.role in ("parameter", "time")):
            raise ModelError(
                f"{thing} depends on {reference}: its conditions may depend on coordinates, positions, orientations, "
                f"{'rates, ' * rates}parameters and time only"
            )
