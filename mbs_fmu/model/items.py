"""Items of a model: bodies, base classes of forces, signals, events, start values."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.suggestions import did_you_mean
from ..record.kinds import REAL
from ..symbolic.expressions import Expression, as_expression
from .bodies.shapes import ConnectingLine, Shape
from .effects import Check, Effect, Foot, Part
from .elastic_parts import ElasticPart
from .geometry.poses import Pose
from .geometry.vectors import Vector
from .joints import Joint
from .places import FOLLOWED, Place, is_followed
from .references.naming import A_NAME

WORLD = "world"  #: name of the inertial frame


def body_label(name: str) -> str:
    """Name of a body, or of the world, in messages."""
    return repr(WORLD) if name == WORLD else f"body {name!r}"


@dataclass(frozen=True, eq=False, repr=False)
class Body:
    """A body and the joint to its parent.

    mass: kg. com: centre of mass, m, body axes. inertia: about the centre of mass, kg m², body axes. position (m) and
    rotation (3x3, child to parent coordinates): joint frame on the parent. physical: True if the inertia must
    obey the triangle inequality. elastic: elastic part, which then also defines mass and inertia; its `nodes` are
    massless bodies, by name. attachment: the node of the parent on which such a massless body lies.
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
    elastic: ElasticPart | None = None
    nodes: Mapping[str, Body] = field(default_factory=dict)
    attachment: str | None = None

    def __repr__(self) -> str:
        return f"body {self.name!r}"

    def node(self, name: str) -> Body:
        """Return the frame on a node of an elastic body, which can be used like a body.

        Raises ModelError for a rigid body and for an unknown node.
        """
        if self.elastic is None:
            raise ModelError(self.no_modes("nodes"))
        if isinstance(name, str) and name == self.elastic.root:
            return self
        if not isinstance(name, str) or name not in self.nodes:
            have = ", ".join(self.elastic.modes.nodes) or "none"
            unknown = f"unknown node {display(name)} of body {self.name!r}"
            raise ModelError(f"{unknown}{did_you_mean(name, self.elastic.modes.nodes)}; it has {have}")
        return self.nodes[name]

    def no_modes(self, what: str) -> str:
        """Message that explains why a body that is not elastic has none of `what`."""
        if self.attachment is None:
            return f"body {self.name!r} is rigid and has no {what}: m.body(..., elastic=) gives it some"
        return f"{self.name!r} is a node of body {self.parent!r} and has no {what} of its own"

    @property
    def rest_inertia(self) -> tuple[Expression, Vector, list[list[Expression]]]:
        """Mass, kg, centre of mass, m, and inertia about it, kg m², in the body's frame; if elastic, undeformed."""
        if self.elastic is None:
            return self.mass, self.com, self.inertia
        mass, com, inertia = self.elastic.rest_inertia
        return as_expression(mass), Vector(com.tolist()), [[as_expression(x) for x in row] for row in inertia.tolist()]

    @property
    def coordinates(self) -> list[tuple[str, str]]:
        """(suffix of the name, unit) of each coordinate: those of the joint, then those of the vibration modes."""
        return self.joint.coordinates + ([] if self.elastic is None else self.elastic.named("xi", "m"))

    @property
    def rates(self) -> list[tuple[str, str]]:
        """(suffix, unit) of each velocity: those of the joint, then those of the vibration modes."""
        return self.joint.rates + ([] if self.elastic is None else self.elastic.named("xi_dot", "m/s"))

    @property
    def momenta(self) -> list[tuple[str, str]]:
        """(suffix, unit) of the momentum conjugate to each velocity."""
        return self.joint.momenta + ([] if self.elastic is None else self.elastic.named("p_xi", "N.s"))

    def __deepcopy__(self, memo: Any) -> Body:
        """Return the body itself: bodies are immutable, and a copied model shares them."""
        return self


BodyOrName = Body | str  #: body of a model, or its name


@dataclass(frozen=True, eq=False)
class Rotor:
    """Inertia that moves with joint velocity k, from 0, of a body only: kg m², or kg for a translation."""

    name: str = field(metadata=A_NAME)
    body: str = field(metadata=A_NAME)
    k: int
    inertia: Expression

    @property
    def thing(self) -> str:
        """Name of the rotor in messages."""
        return f"rotor {self.name!r}"


@dataclass(frozen=True, eq=False)
class Follower:
    """A body whose joint coordinate equals ratio times that of its leader, plus offset."""

    name: str = field(metadata=A_NAME)
    body: str = field(metadata=A_NAME)
    leader: str = field(metadata=A_NAME)
    ratio: Expression
    offset: Expression

    @property
    def thing(self) -> str:
        """Name of the follower in messages."""
        return f"follower {self.name!r}"


@dataclass(frozen=True, eq=False)
class Force(ABC):
    """Base class of forces; each kind is a module of `forces`."""

    name: str = field(metadata=A_NAME)

    @property
    def thing(self) -> str:
        """Name of the force in messages."""
        return f"force {self.name!r}"

    @abstractmethod
    def effect(self) -> Effect:
        """Return the effect, in references to bodies, joints and signals."""

    def parts(self) -> Sequence[Part]:
        """Return parts whose effects add up to the effect. Each becomes a law, and laws of one form share a loop."""
        return (Part(self.effect),)

    def with_laws(self, changed: Callable[[Any], Any]) -> Force:
        """Return the force with `changed` data; those marked `FOLLOWED` stay as they are."""
        old = {entry.name: getattr(self, entry.name) for entry in fields(self) if not is_followed(entry)}
        new = {name: changed(value) for name, value in old.items()}
        return self if all(new[name] is old[name] for name in old) else replace(self, **new)

    @property
    def contact_points(self) -> int:
        """Number of contact points, each of which is one of `parts`; 0 for a force that is no contact."""
        return 0

    def totals(self, points: Sequence[Mapping[str, Vector]]) -> Mapping[str, Vector | None]:
        """Return the measures of the force, None without a meaning, from those of all its contact points."""
        return {}

    @property
    def longest_step(self) -> float:
        """Longest fixed step, s, with which explicit methods keep the states of the force stable."""
        return math.inf

    @property
    def is_measured(self) -> bool:
        """True if measures of the force exist; not so if it is known while the model moves only."""
        return True

    @property
    def gated_by(self) -> Expression | None:
        """A signal of which the force is a multiple; its law is evaluated only while some gate is not zero."""
        return None

    @property
    def connecting_lines(self) -> Sequence[ConnectingLine]:
        """Lines that pictures draw between bodies."""
        return ()

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        """Bodies with the shapes that pictures draw if a body has none of its own."""
        return ()

    @property
    def grounds(self) -> Sequence[tuple[str, Pose, Any]]:
        """Bodies with frames on them and the roads there, which pictures draw as `shapes`."""
        return ()

    def start_checks(self) -> Sequence[Check]:
        """Return expressions that must be positive at every start and after a failed step, with messages."""
        return ()

    def feet(self) -> Sequence[Foot]:
        """Return the contact parameters, among the signal states, which a start computes from the positions."""
        return ()


@dataclass(frozen=True, eq=False)
class AlongPlace(Force):
    """A force along a place: a joint coordinate, whose reaction acts on the parent, a difference, or an equation."""

    place: Place = field(metadata=FOLLOWED)


@dataclass(frozen=True, eq=False)
class OnBodies(Force):
    """A force that exerts wrenches on bodies."""


@dataclass(frozen=True)
class Range:
    """Declared values of a signal: lower and upper bound, nominal value, and kind (`record.kinds`).

    items: names of the values of an enumeration, which begin at `low`.
    """

    low: float | None = None
    high: float | None = None
    nominal: float | None = None
    kind: str = REAL
    items: tuple[str, ...] = ()

    def nearest(self, value: float) -> float:
        """Return the value within the bounds that is nearest to a value."""
        above = value if self.low is None else max(value, self.low)
        return above if self.high is None else min(above, self.high)


@dataclass(frozen=True)
class Parameter:
    """Number that may change between runs; `value` is its default."""

    name: str = field(metadata=A_NAME)
    value: float
    unit: str | None
    description: str
    range: Range


@dataclass(frozen=True)
class ParameterArray:
    """Array of parameters with consecutive addresses; `names` are those of its elements."""

    name: str = field(metadata=A_NAME)
    names: list[str] = field(metadata=A_NAME)

    @classmethod
    def of(cls, name: str, count: int) -> ParameterArray:
        return cls(name, component_names(name, count, True))


@dataclass(frozen=True)
class Input:
    """Input signal; `start` is its value if no signal is connected."""

    name: str = field(metadata=A_NAME)
    unit: str | None
    start: float
    description: str
    range: Range
    has_start: bool  #: True if the model states the start value


@dataclass(frozen=True)
class Member:
    """Member of a terminal: a variable, its name in the terminal, and "signal" or "inflow" (see `terminal`)."""

    variable: str = field(metadata=A_NAME)
    name: str
    kind: str


@dataclass(frozen=True)
class Terminal:
    """Variables that importers connect together; `kind` is the type of the connector, `rule` how members match."""

    name: str = field(metadata=A_NAME)
    members: tuple[Member, ...]
    kind: str
    rule: str


@runtime_checkable
class Partner(Protocol):
    """An FMU of others that runs beside a model, as `mbs.Fmu`."""

    def signal_of(self, variable: str, causality: str) -> tuple[str | None, Range]:
        """Return the unit, None without one, and the kind of an "input" or "output".

        Raises ModelError if the FMU has no such one.
        """

    def simulate(self, model: Any, stop_time: float, **settings: Any) -> Any:
        """Run a model and all FMUs beside it, with arguments of `simulate`."""


@dataclass(frozen=True)
class ForeignFmu:
    """FMU beside a model. inputs, outputs: signals of the model by the FMU's variables that they give, and take."""

    name: str = field(metadata=A_NAME)
    partner: Any
    inputs: Mapping[str, str] = field(metadata=A_NAME)
    outputs: Mapping[str, str] = field(metadata=A_NAME)


@dataclass(frozen=True)
class State:
    """Signal state: its derivative is `rate`, its initial value `start`. energy: energy that it stores, J, or None."""

    name: str = field(metadata=A_NAME)
    rate: Expression
    start: float
    unit: str | None
    description: str
    energy: Expression | None = None


@dataclass(frozen=True)
class Sampled:
    """Sampled signal: it becomes `update` at `offset`, `offset` + `period`, ... (s), and is constant in between."""

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
        """Names of the components."""
        return component_names(self.name, len(self.update), self.vector)


def component_names(name: str, count: int, vector: bool) -> list[str]:
    """Return name[1], name[2], ... for the components of a vector, or the name of a scalar."""
    return [f"{name}[{k + 1}]" for k in range(count)] if vector else [name]


@dataclass(frozen=True)
class Output:
    """Output signal: a scalar, or a `vector` of components with one unit."""

    name: str = field(metadata=A_NAME)
    expressions: Vector
    vector: bool
    unit: str | None
    description: str
    range: Range

    @property
    def names(self) -> list[str]:
        """Names of the components."""
        return component_names(self.name, len(self.expressions), self.vector)


@dataclass(frozen=True)
class Event:
    """Zero crossing of an expression.

    direction: +1 from below, -1 from above, 0 both. stop: True if it ends the run. reset: names of states, as in start
    values, with their values after the event, which are expressions of the values before it.
    """

    name: str = field(metadata=A_NAME)
    expression: Expression
    direction: int
    stop: bool
    reset: tuple[tuple[str, Expression], ...] = field(default=(), metadata=A_NAME)


@dataclass(frozen=True)
class Start:
    """Start values of a joint (q, u) and of vibration modes (xi, xi_dot), or None.

    guess: True if the assembly of loops may change q and u.
    """

    q: tuple[float, ...] | None = None
    u: tuple[float, ...] | None = None
    guess: bool = False
    xi: tuple[float, ...] | None = None
    xi_dot: tuple[float, ...] | None = None
