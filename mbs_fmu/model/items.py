"""Parts of a model: bodies, what all forces have, signals, start values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

import numpy as np

from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from ..messages.suggestions import did_you_mean
from ..symbolic.expressions import Expression, leaf
from .bodies.shapes import Link
from .effects import Action, Along, Check, Effect
from .elastic_parts import Elastic
from .geometry.vectors import Vector
from .joints import Joint
from .references.leaves import JointNumber
from .references.naming import A_NAME

WORLD = "world"  #: the name of what does not move


def said(name: str) -> str:
    """A body, or the world, in messages."""
    return repr(WORLD) if name == WORLD else f"body {name!r}"


@dataclass(frozen=True, eq=False, repr=False)
class Body:
    """One body and its joint.

    `rotation` is a 3x3 array, child to parent coordinates. `physical`: the inertia obeys the triangle inequality.
    elastic: its modes, of a body that bends; then mass and inertia are theirs, and `nodes` are frames on it, each a
    body without mass. seat: of such a frame, the node that it sits on.
    """

    name: str = field(metadata=A_NAME)
    parent: str = field(metadata=A_NAME)
    joint: Joint
    mass: Expression
    com: Vector
    inertia: list[list[Expression]]
    position: Vector
    rotation: np.ndarray
    physical: bool = True
    elastic: Elastic | None = None
    nodes: Mapping[str, Body] = field(default_factory=dict)
    attachment: str | None = None

    def __repr__(self) -> str:
        return f"body {self.name!r}"

    def node(self, name: str) -> Body:
        """The frame on a node of an elastic body: it is taken wherever a body is. Raises ModelError."""
        if self.elastic is None:
            raise ModelError(self.no_modes("nodes"))
        if isinstance(name, str) and name == self.elastic.root:
            return self
        if not isinstance(name, str) or name not in self.nodes:
            have = ", ".join(self.elastic.modes.nodes) or "none"
            said = f"unknown node {display(name)} of body {self.name!r}{did_you_mean(name, self.elastic.modes.nodes)}"
            raise ModelError(f"{said}; it has {have}")
        return self.nodes[name]

    def no_modes(self, what: str) -> str:
        """Why a body that is not elastic has none of something, for messages."""
        if self.attachment is None:
            return f"body {self.name!r} is rigid and has no {what}: m.body(..., elastic=) gives it some"
        return f"{self.name!r} is a node of body {self.parent!r} and has no {what} of its own"

    @property
    def coordinates(self) -> list[tuple[str, str]]:
        """(suffix of the name, unit) of each coordinate: its joint's, then its modes'."""
        return self.joint.coordinates + ([] if self.elastic is None else self.elastic.named("xi", "m"))

    @property
    def rates(self) -> list[tuple[str, str]]:
        """(suffix, unit) of each velocity: its joint's, then its modes'."""
        return self.joint.rates + ([] if self.elastic is None else self.elastic.named("xi_dot", "m/s"))

    @property
    def momenta(self) -> list[tuple[str, str]]:
        """(suffix, unit) of the momentum that goes with each of its velocities."""
        return self.joint.momenta + ([] if self.elastic is None else self.elastic.named("p_xi", "N.s"))

    def __deepcopy__(self, memo: Any) -> Body:
        """Nothing changes a body: the copy of a model knows the same ones."""
        return self


@dataclass(frozen=True, eq=False)
class Rotor:
    """Inertia that moves with joint velocity k of a body alone (from 0): kg m², or kg where that slides."""

    name: str = field(metadata=A_NAME)
    body: str = field(metadata=A_NAME)
    k: int
    inertia: Expression

    @property
    def thing(self) -> str:
        """The rotor, in messages."""
        return f"rotor {self.name!r}"


@dataclass(frozen=True, eq=False)
class Follower:
    """A body whose joint's coordinate is ratio times that of the leader's, plus offset."""

    name: str = field(metadata=A_NAME)
    body: str = field(metadata=A_NAME)
    leader: str = field(metadata=A_NAME)
    ratio: Expression
    offset: Expression

    @property
    def thing(self) -> str:
        """The follower, in messages."""
        return f"follower {self.name!r}"


@dataclass(frozen=True, eq=False)
class Force(ABC):
    """A force. Each kind has a page in `forces`, with its effect."""

    name: str = field(metadata=A_NAME)

    @property
    def thing(self) -> str:
        """The force, in messages."""
        return f"force {self.name!r}"

    @abstractmethod
    def effect(self) -> Effect:
        """Its effect, in references to bodies, joints and signals."""

    @property
    def link(self) -> Link | None:
        """The line between two bodies that pictures show; None where there is none."""
        return None

    def start_checks(self) -> Sequence[Check]:
        """Expressions that must be positive at any start, and after a failed step, with messages."""
        return ()


@dataclass(frozen=True, eq=False)
class OnJoint(Force):
    """A force along joint velocity k of a body, from 0; the parent takes the reaction."""

    body: str = field(metadata=A_NAME)
    k: int

    @property
    def coordinate(self) -> Expression:
        """The coordinate that goes with the joint velocity, rad or m."""
        return leaf(JointNumber("coordinate", self.body, self.k))

    @property
    def rate(self) -> Expression:
        """The joint velocity, rad/s or m/s."""
        return leaf(JointNumber("rate", self.body, self.k))

    def along(self, number: Expression) -> Action:
        """The action of a number (N or N.m) along the joint velocity."""
        return Action(along=(Along(self.body, self.k, number),))


@dataclass(frozen=True, eq=False)
class BetweenJoints(OnJoint):
    """A force along a joint velocity, or along its difference from that of another joint.

    against: body and joint velocity, from 0, of the other side, which bears the opposite force; None where the parent
    does.
    """

    against: tuple[str, int] | None = field(metadata=A_NAME)

    @property
    def coordinate(self) -> Expression:
        """The coordinate, or its difference from the other side's, rad or m."""
        return self._difference("coordinate")

    @property
    def rate(self) -> Expression:
        """The joint velocity, or its difference from the other side's, rad/s or m/s."""
        return self._difference("rate")

    def along(self, number: Expression) -> Action:
        """The action of a number (N or N.m) along the joint velocity, and of its opposite on the other side."""
        own = Along(self.body, self.k, number)
        return Action(along=(own,) if self.against is None else (own, Along(*self.against, -number)))

    def _difference(self, quantity: Literal["coordinate", "rate"]) -> Expression:
        own = leaf(JointNumber(quantity, self.body, self.k))
        return own if self.against is None else own - leaf(JointNumber(quantity, *self.against))


@dataclass(frozen=True, eq=False)
class OnBodies(Force):
    """A force that puts wrenches on bodies."""


@dataclass(frozen=True)
class Range:
    """Known limits of a signal's values: bounds and typical magnitude."""

    low: float | None = None
    high: float | None = None
    nominal: float | None = None


@dataclass(frozen=True)
class Parameter:
    """A number that may change between runs; `value` is its default."""

    name: str = field(metadata=A_NAME)
    value: float
    unit: str | None
    description: str
    range: Range


@dataclass(frozen=True)
class Input:
    """A signal from outside; `start` is what it is where nothing is given."""

    name: str = field(metadata=A_NAME)
    unit: str | None
    start: float
    description: str
    range: Range
    given: bool  #: whether its start value was


@dataclass(frozen=True)
class State:
    """A signal with a given derivative, which starts at `start`."""

    name: str = field(metadata=A_NAME)
    rate: Expression
    start: float
    unit: str | None
    description: str


@dataclass(frozen=True)
class Sampled:
    """Numbers that keep their values but at `offset`, `offset` + `period`, ... (s), where they become `update`."""

    name: str = field(metadata=A_NAME)
    update: Vector
    vector: bool
    period: Expression
    offset: Expression
    start: tuple[float, ...]
    unit: str | None
    description: str

    @property
    def names(self) -> list[str]:
        """Of each number."""
        return component_names(self.name, len(self.update), self.vector)


def component_names(name: str, count: int, vector: bool) -> list[str]:
    """name[1], name[2], ... of a vector's numbers, or the name of a single one."""
    return [f"{name}[{k + 1}]" for k in range(count)] if vector else [name]


@dataclass(frozen=True)
class Output:
    """A number to publish, or several of one unit as a `vector`."""

    name: str = field(metadata=A_NAME)
    expressions: Vector
    vector: bool
    unit: str | None
    description: str
    range: Range

    @property
    def names(self) -> list[str]:
        """Of each number."""
        return component_names(self.name, len(self.expressions), self.vector)


@dataclass(frozen=True)
class Event:
    """A zero crossing of an expression: `direction` +1 from below, -1 from above, 0 both; `stop` ends a run.

    reset: what has which value behind it, from the values before: start values by their names.
    """

    name: str = field(metadata=A_NAME)
    expression: Expression
    direction: int
    stop: bool
    reset: tuple[tuple[str, Expression], ...] = field(default=(), metadata=A_NAME)


@dataclass(frozen=True)
class Start:
    """Start values of a joint and of modes, None where there are none; `guess`: the assembly of loops may change those
    of the joint."""

    q: tuple[float, ...] | None = None
    u: tuple[float, ...] | None = None
    guess: bool = False
    xi: tuple[float, ...] | None = None
    xi_dot: tuple[float, ...] | None = None
