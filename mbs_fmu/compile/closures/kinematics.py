"""Kinematics of a closure's conditions: vectors fixed in links, joint coordinates, contact parameters.

The module computes gradients of the conditions, rates of the gradients along the motion, and the corresponding
wrenches (docs/equations_loops.md, L). *Symbols* are the variables of the conditions as the closure states them;
*addresses* are the numbers of the record that replace them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.closures import Row, Symbol
from ...model.closures.tangency import slope
from ...model.effects import NONE, Check
from ...model.geometry.vectors import Vector
from ...record.blocks import LoopNumbers
from ...record.layout import TIME, Load
from ...symbolic.expressions import ZERO, Expression, as_expression, leaf
from ...symbolic.graph import derivative, rebuild, structure
from ..laws.resolve import Resolver, load
from ..tree.links import WORLD_LINK
from .contacts import Contact, solved
from .cuts import Cut


@dataclass(frozen=True)
class WorldVector:
    """A point or direction fixed in a link, in link axes; link -1 is the world.

    With `spin`, the vector has only a rate: the link's angular velocity.
    """

    link: int
    local: Vector
    point: bool
    side: int  #: index of the closure's side; 1: body b
    spin: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is the same for equal vectors."""
        return self.link, self.point, self.spin, structure(self.local)

    def torque_of(self, gradient: Vector) -> Vector:
        """Return the torque of a gradient about the link's origin, in link axes."""
        return gradient if self.spin else self.local.cross(gradient)

    def force_of(self, wrench: Vector) -> Vector:
        """Return the force of a gradient; zero for directions."""
        return wrench if self.point else NONE


@dataclass(frozen=True)
class TurnedFrame:
    """The frame on body a of a closure that may engage in another orientation; its axes are rotated when it engages.

    `number` counts such frames. `axes` are the frame's axes as columns, in link axes. `aligned` are the axes after an
    engagement at the present position, in symbols and world axes. The record stores the difference of the rotated axes
    from `axes`, which is zero before the first engagement.
    """

    number: int
    link: int
    axes: np.ndarray
    aligned: Sequence[Vector]

    def direction(self, local: Sequence[float]) -> Vector:
        """Return in link axes a direction that is given in the axes of the frame."""
        added = (load("turned", self._offset(i, k)) for i in range(3) for k in range(3))
        A = self.axes + np.array(list(added)).reshape(3, 3)
        return Vector(A @ np.array(local))

    def assignments(self, kinematics: ClosureKinematics) -> Iterator[tuple[Load, Expression]]:
        """Yield assignments to region `aligned`: the change of the axes if the closure engages now."""
        for k, axis in enumerate(self.aligned):
            aim = self.resolved(kinematics, axis)
            for i in range(3):
                yield Load("R", "aligned", self._offset(i, k)), aim[i] - self.axes[i, k]

    def resolved(self, kinematics: ClosureKinematics, axis: Vector) -> Vector:
        """Return a vector of symbols as one of addresses, in link axes."""
        return kinematics.resolve.to_link(self.link, Vector(map(kinematics.world, axis)))

    def _offset(self, i: int, k: int) -> int:
        return 9 * self.number + 3 * i + k


@dataclass(frozen=True)
class Coordinate:
    """A joint coordinate in a condition: the addresses of it and of its rate, its link, and its index there.

    `q` is None for joints such as balls, for which conditions may contain velocities only.
    """

    q: Load | None
    u: Load
    link: int
    k: int


@dataclass(frozen=True)
class Summed:
    """Sums of conditions times multipliers: one of conditions on positions, one of conditions on rates."""

    positions: Expression = ZERO
    rates: Expression = ZERO

    @classmethod
    def of(cls, row: Row, factor: Expression | None = None) -> Summed:
        """Return the sum that consists of one condition, times a factor if there is one."""
        condition = row.condition if factor is None else factor * row.condition
        return cls(rates=condition) if row.in_rates else cls(condition)

    def __add__(self, other: Summed) -> Summed:
        return Summed(self.positions + other.positions, self.rates + other.rates)

    def gradient(self, j: int) -> Vector:
        """Return the gradient with respect to the components of vector j, or of its rate, in symbols."""
        return Vector(
            slope(self.positions, Symbol(j, k)) + slope(self.rates, Symbol(j, k, rate=True)) for k in range(3)
        )

    def slope(self, x: Coordinate) -> Expression:
        """Return the derivative with respect to a coordinate, or to its rate."""
        by_position = ZERO if x.q is None else slope(self.positions, x.q)
        return by_position + slope(self.rates, x.u)


@dataclass
class Resolved:
    """One closure: its conditions in symbols and addresses, and the vectors that the symbols stand for."""

    name: str
    rows: list[Row]
    has_modes: bool
    facing: list[Expression] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    vectors: list[WorldVector] = field(default_factory=list)
    coordinates: list[Coordinate] = field(default_factory=list)
    driven: list[Coordinate] = field(default_factory=list)  #: coordinates with prescribed motion
    contacts: list[Contact] = field(default_factory=list)
    turned: TurnedFrame | None = None

    def cut(self, parents: Sequence[int]) -> Cut:
        ends = {v.link for v in self.vectors}
        for c in self.coordinates:
            ends |= {c.link, parents[c.link]}
        return Cut(self.name, len(self.rows), frozenset(ends), self.has_modes)


class ClosureKinematics:
    """The vectors of one closure in addresses, and operations on its conditions."""

    def __init__(self, resolve: Resolver, closure: Resolved):
        self.resolve, self.closure = resolve, closure
        self.vectors = [self._place(v) for v in closure.vectors]

    def _place(self, v: WorldVector) -> Vector:
        if v.point:
            return self.resolve.world_point(v.link, v.local)
        return Vector(row.dot(v.local) for row in self.resolve.link_rotation(v.link))

    def world(self, expression: Expression) -> Expression:
        """Return an expression with its symbols replaced by addresses."""

        def replacement(node: Expression) -> Expression | None:
            if node.op != "leaf" or not isinstance(node.value, Symbol):
                return None
            s = node.value
            return self._velocity(s.vector)[s.k] if s.rate else self.vectors[s.vector][s.k]

        return rebuild([expression], replacement)[0]

    @cached_property
    def contact_rates(self) -> list[Expression]:
        """Return the rate of each contact parameter (L18), in symbols: tangency errors decay as residuals do."""
        alpha, contacts = load("loop_state", LoopNumbers.alpha), self.closure.contacts
        return solved(contacts, [self._rate(c.tangency, {}) + alpha * c.tangency for c in contacts])

    def rate(self, expression: Expression) -> Expression:
        """Return the rate of an expression along the motion, for constant multipliers."""
        return self._rate(expression, {c.z: x for c, x in zip(self.closure.contacts, self.contact_rates, strict=True)})

    def _rate(self, expression: Expression, contact_rates: Mapping[Load, Expression]) -> Expression:
        moving = [*self.closure.coordinates, *self.closure.driven]
        rates = {x.q: leaf(x.u) for x in moving if x.q is not None} | dict(contact_rates)

        def seed(reference: object) -> Expression:
            if isinstance(reference, Symbol):
                world = self.closure.vectors[reference.vector].link == WORLD_LINK
                return ZERO if world else leaf(Symbol(reference.vector, reference.k, rate=True))
            if reference == TIME:
                return as_expression(1.0)
            return rates.get(reference, ZERO) if isinstance(reference, Load) else ZERO

        return derivative([expression], seed)[0]

    def in_link(self, j: int, gradient: Vector) -> Vector:
        """Convert a gradient for vector j: symbols to addresses, world axes to the axes of the vector's link."""
        return self.resolve.to_link(self.closure.vectors[j].link, Vector(self.world(x) for x in gradient))

    def _local_velocity(self, v: WorldVector) -> Vector:
        linear, angular = self.resolve.link_twist(v.link)
        if v.spin:
            return angular
        return (linear if v.point else NONE) + angular.cross(v.local)

    def _velocity(self, j: int) -> Vector:
        v = self.closure.vectors[j]
        local = self._local_velocity(v)
        return Vector(row.dot(local) for row in self.resolve.link_rotation(v.link))

    def wrench(self, link: int, gradients: Sequence[Vector]) -> tuple[Vector, Vector]:
        """Return force and torque of gradients, about the link's origin, in link axes."""
        force, torque = NONE, NONE
        for v, gradient in zip(self.closure.vectors, gradients, strict=True):
            if v.link == link:
                force, torque = force + v.force_of(gradient), torque + v.torque_of(gradient)
        return force, torque

    def wrench_rate(self, link: int, gradients: Sequence[Vector], rates: Sequence[Vector]) -> tuple[Vector, Vector]:
        """Return the rates of force and torque in the world frame, about the present position of the link's origin."""
        force, torque = NONE, NONE
        for v, gradient, rate in zip(self.closure.vectors, gradients, rates, strict=True):
            if v.link == link:
                force = force + v.force_of(rate)
                torque = torque + v.torque_of(rate)
                if not v.spin:
                    torque = torque + self._local_velocity(v).cross(gradient)
        return force, torque


def in_time(row: Row, driven: Sequence[Coordinate]) -> Expression:
    """Return the rate of a condition on positions if only prescribed motions move."""
    moved = (slope(row.condition, x.q) * leaf(x.u) for x in driven if x.q is not None)
    return sum(moved, start=slope(row.condition, TIME))


def at_rest(row: Row) -> Expression:
    """Return a condition on rates with all rates zero except prescribed ones."""
    return rebuild([row.condition], lambda node: ZERO if node.op == "leaf" and is_rate(node.value) else None)[0]


def is_rate(reference: object) -> bool:
    """True if a reference is the rate of a vector or a joint velocity."""
    return reference.rate if isinstance(reference, Symbol) else isinstance(reference, Load) and reference.region == "u"


def rates_of(vector: Vector) -> Vector:
    """Return the rates of a vector of symbols."""
    return Vector(leaf(replace(x.value, rate=True)) for x in vector)
