"""Closures of loops: pairs of bodies joined beside the tree, and whatever else must stay zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar, Self

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from ...symbolic.graph import leaves
from ..bodies.shapes import Link, Shape
from ..effects import Check
from ..geometry.vectors import Vector
from ..references.leaves import FrameNumber, JointNumber, Signal
from ..references.naming import A_NAME
from .conditions import Conditions
from .modes import Mode, OneSided


class Pair(ABC):
    """How two bodies may be joined: their frames, a's and b's, coincide where nothing has moved."""

    @property
    def contacts(self) -> int:
        """How many contact parameters its conditions have."""
        return 0

    @property
    def contact_units(self) -> Sequence[str]:
        """Their units."""
        return ("rad",) * self.contacts

    def checked(self, thing: str) -> Self:
        """The pair with its numbers as expressions. Raises ModelError for one that can't close `thing`, a loop."""
        return self

    @abstractmethod
    def conditions(self, frame: int | None, thing: str) -> Conditions:
        """The conditions g = 0 on points and directions of side 0 (a) and side 1 (b), each independent of the others.

        Conditions must not change when both bodies move as one, or else their rows would be open beyond the loop's
        root. `frame` is for pairs that may choose in whose axes they are written: the side's, or the world's where it
        is None and all three translations are shut. thing: the loop, in messages.
        """

    @property
    def is_rod(self) -> bool:
        """True if pictures show a rod from a's point to b's."""
        return False

    @property
    def shapes(self) -> Sequence[Shape]:
        """Shapes of b in pictures, at its place, where it has no others."""
        return ()

    def touching(self, frame: int | None, thing: str) -> Conditions:
        """Of two bodies that may touch: the condition that is positive while they are apart. ModelError where there is
        none."""
        found = self.conditions(frame, thing)
        if len(found.rows) != 1 or found.rows[0].in_rates:
            raise ModelError(
                f"{thing}: {type(self).__name__} is {len(found.rows)} conditions and no contact: give one such as "
                "mbs.OnPlane or mbs.Rolling"
            )
        return found

    def parameter_checks(self, thing: str) -> list[Check]:
        """Expressions of parameters that must be positive, with messages."""
        return []


@dataclass(frozen=True, eq=False)
class Side:
    """A place on a body: its point in body axes, m; `rotation` maps the place's axes to the body's."""

    body: str = field(metadata=A_NAME)
    at: Vector
    rotation: np.ndarray


@dataclass(frozen=True, eq=False)
class Closure(ABC):
    """A closure of a loop: its conditions, from which all the rest follows."""

    name: str = field(metadata=A_NAME)
    mode: Mode | None = field(default=None, kw_only=True)  #: None: it holds always
    has_wrench: ClassVar[bool] = False  #: of its first side on its second

    @property
    def thing(self) -> str:
        """How messages call it."""
        return f"loop {self.name!r}"

    @property
    def holds_apart(self) -> bool:
        """True if it may hold where its conditions are not zero."""
        return self.mode is not None and self.mode.holds_apart

    @property
    def sides(self) -> Sequence[Side]:
        """The places whose points and directions the conditions have, by number."""
        return ()

    @abstractmethod
    def conditions(self, frame: int | None) -> Conditions:
        """The conditions g = 0; for `frame` see `Pair.conditions`."""

    @property
    def link(self) -> Link | None:
        """The line between two bodies that pictures show; None where there is none."""
        return None

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        """Bodies, and their shapes in pictures where they have no others."""
        return ()

    def parameter_checks(self) -> list[Check]:
        """Expressions of parameters that must be positive, with messages."""
        return []

    def check_laws(self, bodies: object, parameters: object) -> None:
        """ModelError for what its mode can't depend on."""
        if self.mode is not None:
            self.mode.check(self.thing)


@dataclass(frozen=True, eq=False)
class PairClosure(Closure):
    """Two bodies joined at a place of each."""

    a: Side
    b: Side
    pair: Pair
    has_wrench: ClassVar[bool] = True

    @property
    def sides(self) -> Sequence[Side]:
        return self.a, self.b

    @property
    def link(self) -> Link | None:
        return Link("rod", self.a.body, self.a.at, self.b.body, self.b.at) if self.pair.is_rod else None

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        return [(self.b.body, shape.within(self.b.at, self.b.rotation)) for shape in self.pair.shapes]

    def conditions(self, frame: int | None) -> Conditions:
        """Raises ModelError for conditions that are not objective, even where the loop's root is the world: another
        tree would not have it there."""
        from .objective import require_objective

        of = self.pair.touching if isinstance(self.mode, OneSided) else self.pair.conditions
        found = of(frame, self.thing)
        if not isinstance(found, Conditions):
            raise ModelError(f"{self.thing}: the conditions of {type(self.pair).__name__} are {found!r}: return them")
        require_objective(of(0, self.thing) if frame is None else found, self.thing)
        return found

    def parameter_checks(self) -> list[Check]:
        return self.pair.parameter_checks(self.thing)


def contact_names(closure: str, count: int) -> list[str]:
    """Names of the states that are a closure's contact parameters."""
    return [f"{closure}.z{k + 1}" for k in range(count)]


def is_rate(reference: object) -> bool:
    """True if a leaf is a joint velocity or part of a body's twist."""
    of_body = isinstance(reference, FrameNumber) and reference.quantity == "twist"
    return of_body or (isinstance(reference, JointNumber) and reference.quantity == "rate")


def check_leaves(expressions: Sequence[Expression], thing: str, rates: bool = False) -> None:
    """ModelError for what the conditions of a loop can't depend on; `rates`: they may depend on velocities."""
    for reference in leaves(expressions):
        if is_rate(reference) and not rates:
            raise ModelError(f"{thing} depends on {reference}: give no velocities, only positions")
        place = isinstance(reference, (FrameNumber, JointNumber))
        if not place and not (isinstance(reference, Signal) and reference.role in ("parameter", "time")):
            raise ModelError(
                f"{thing} depends on {reference}: its conditions may depend on coordinates, positions, orientations, "
                f"{'rates, ' * rates}parameters and time only"
            )
