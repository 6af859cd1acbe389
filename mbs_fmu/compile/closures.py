"""Closures as laws: from the conditions of each to its rows, their impulses and its reactions (docs/equations.md, L).

The conditions are functions of world vectors (points and directions of bodies), of joint coordinates and of time.
With gamma_j the gradient by vector j, a row K of a link is the force sum(gamma_j) over its points and the torque
sum(r_j x gamma_j), r_j the vector in the link's own axes; the rates of the gradients give (L3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.closures import Closure, Conditions, Symbol
from ..model.effects import NONE
from ..model.references import FrameNumber, JointNumber
from ..model.vectors import Vector
from ..record.layout import TIME, Load
from ..symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf
from ..symbolic.graph import derivative, leaves, rebuild
from .cuts import WORLD_LINK, Cut, Cuts, places
from .law import Law
from .resolve import Resolver, load
from .tree import snapped

Seed = Callable[[object], Expression]


@dataclass(frozen=True)
class WorldVector:
    """A point or direction fixed in a link, in link axes; link -1 is the world."""

    link: int
    local: Vector
    point: bool
    side: int  #: 1: of body b

    def force_of(self, wrench: Vector) -> Vector:
        """What a gradient does to its link's force: directions take none."""
        return wrench if self.point else NONE


@dataclass(frozen=True)
class Coordinate:
    """A joint coordinate in a condition: where it and its rate stand, its link and its number there."""

    q: Load
    u: Load
    link: int
    k: int


@dataclass
class Resolved:
    """One closure: conditions in symbols and addresses, and what the symbols stand for."""

    name: str
    rows: list[Expression]
    labels: list[str]
    units: list[str]
    facing: list[Expression] = field(default_factory=list)
    vectors: list[WorldVector] = field(default_factory=list)
    coordinates: list[Coordinate] = field(default_factory=list)

    def cut(self, parents: Sequence[int]) -> Cut:
        ends = {v.link for v in self.vectors}
        for c in self.coordinates:
            ends |= {c.link, parents[c.link]}
        return Cut(self.name, len(self.rows), frozenset(ends))


class Closures:
    """The closures of a model, and the laws of their rows."""

    def __init__(self, resolve: Resolver):
        self.resolve = resolve
        links = resolve.tree.links
        rates = [link.rates for link in links]
        self.u_index = [sum(rates[:i]) for i in range(len(rates))]  #: first joint velocity of each link
        self.resolved = [self._in_symbols(closure) for closure in resolve.model.loops.values()]
        parents = [link.parent for link in links]
        self.cuts = Cuts(parents, rates, [closure.cut(parents) for closure in self.resolved])
        self.places = places(self.cuts)
        self.places.tables["ROW_ANGULAR"] = [int(unit == "rad") for closure in self.resolved for unit in closure.units]

    def number(self, name: str, thing: str) -> int:
        """The closure's number by its name, or ModelError."""
        names = [closure.name for closure in self.resolved]
        if name not in names:
            raise ModelError(f"{thing}: unknown loop {name!r}; loops of the model: {', '.join(names) or 'none'}")
        return names.index(name)

    def described(self) -> list[dict[str, object]]:
        """Names, row labels and units of the loops, for messages and reports."""
        return [{"name": x.name, "labels": list(x.labels), "units": list(x.units)} for x in self.resolved]

    # -- what conditions refer to ---------------------------------------------------------------------
    def _in_symbols(self, closure: Closure) -> Resolved:
        thing = closure.thing
        found = closure.conditions(self._frame(closure))
        out = Resolved(closure.name, found.rows, found.labels, found.units, found.facing)
        out.vectors = self._attached(closure, found)
        if out.vectors and len({v.link for v in out.vectors}) == 1:
            joined = " and ".join(repr(side.body) for side in closure.sides)
            raise ModelError(f"{thing} joins {joined}, which are welded together: leave it out")
        out.rows = rebuild(
            out.rows, lambda node: self._reference(node.value, out, thing) if node.op == "leaf" else None
        )
        if not out.rows:
            raise ModelError(f"{thing}: its joint leaves every motion free and closes nothing: leave the loop out")
        for row, label in zip(out.rows, out.labels, strict=True):
            if not any(isinstance(r, Symbol) or self._is_coordinate(r) for r in leaves([row])):
                raise ModelError(f"{thing}, {label}: it depends on no coordinate, position or orientation")
        return out

    def _frame(self, closure: Closure) -> int | None:
        """The side whose axes serve for translations, or None for the world's: see `Pair.conditions`."""
        links = [self.resolve.tree.frames[side.body].link for side in closure.sides]
        paths = []
        for end in links:
            link, path = end, {end}
            while link >= 0:
                link = self.resolve.tree.links[link].parent
                path.add(link)
            paths.append(path)
        if WORLD_LINK in links:
            return links.index(WORLD_LINK)
        return 0 if paths and set.intersection(*paths) != {WORLD_LINK} else None

    def _attached(self, closure: Closure, found: Conditions) -> list[WorldVector]:
        out = []
        for vector in found.vectors:
            side = closure.sides[vector.side]
            link, point = self.resolve.point_of(side.body, side.at, closure.thing)
            if vector.local is not None:
                axes = snapped(self.resolve.tree.frames[side.body].rotation @ side.rotation)
                point = Vector(snapped(axes @ np.array(vector.local)))
            out.append(WorldVector(link, point, vector.local is None, vector.side))
        return out

    def _reference(self, reference: object, out: Resolved, thing: str) -> Expression:
        """One reference in a condition: by this table, or else as in any law."""
        room = ROOMS.get(type(reference))
        return self.resolve.reference(reference, thing) if room is None else room(self, reference, out, thing)

    def frame_number(self, reference: FrameNumber, out: Resolved, thing: str) -> Expression:
        self.resolve.model.known_reference(reference, thing)
        frame = self.resolve.tree.frames[reference.body]
        if reference.quantity == "origin":
            link, local = self.resolve.point_of(reference.body, NONE, thing)
            return self._symbol(out, WorldVector(link, local, True, 1), reference.k)
        row, column = divmod(reference.k, 3)
        return self._symbol(out, WorldVector(frame.link, Vector(frame.rotation[:, column]), False, 1), row)

    def _symbol(self, out: Resolved, vector: WorldVector, k: int) -> Expression:
        world = WorldVector(WORLD_LINK, NONE, True, 0)
        if world not in out.vectors:
            out.vectors.append(world)  # the conditions are against the world
        key = (vector.link, vector.point, repr(vector.local))
        for number, other in enumerate(out.vectors):
            if (other.link, other.point, repr(other.local)) == key:
                return leaf(Symbol(number, k))
        out.vectors.append(vector)
        return leaf(Symbol(len(out.vectors) - 1, k))

    def joint_number(self, reference: JointNumber, out: Resolved, thing: str) -> Expression:
        address = self.resolve.reference(reference, thing)
        body = self.resolve.model.bodies[reference.body]
        if not body.joint.scalar:
            raise ModelError(f"{thing}: coordinates of a ball or free joint ({body.name!r}) are no lengths or angles")
        place = self.resolve.tree.u[body.name][max(reference.k, 0)]
        if place.driven:
            raise ModelError(
                f"{thing} depends on coordinate {max(reference.k, 0) + 1} of body {body.name!r}, which is driven: "
                "write the drive's own formula in its place"
            )
        u = place.offset
        link = max(i for i, first in enumerate(self.u_index) if first <= u and self.resolve.tree.links[i].rates)
        found = Coordinate(address.value, place.load, link, u - self.u_index[link])
        if found not in out.coordinates:
            out.coordinates.append(found)
        return address

    def _is_coordinate(self, reference: object) -> bool:
        return isinstance(reference, Load) and reference.region == "q"

    # -- laws ------------------------------------------------------------------------------------------
    def facing(self) -> list[tuple[Expression, str]]:
        """Numbers that must be positive where the loops are closed, with messages.

        Conditions on directions hold for half a turn about another axis too, which is not the joint's motion.
        """
        out = []
        for closure in self.resolved:
            stand = _Stand(self.resolve, closure)
            message = (
                f"loop {closure.name!r} closes the other way round, half a turn away from what its joint allows: "
                "start nearer to the position that is meant"
            )
            out += [(stand.world(number), message) for number in closure.facing]
        return out

    def rows(self) -> list[Law]:
        """g, gamma, K and W of every closure."""
        return [Law(list(self._row_assignments(c)), f"rows of {x.name}") for c, x in enumerate(self.resolved)]

    def _row_assignments(self, c: int) -> list[tuple[Load, Expression]]:
        closure, out = self.resolved[c], []
        stand = _Stand(self.resolve, closure)
        drift = derivative(closure.rows, lambda reference: as_expression(float(reference == TIME)))
        for r, row in enumerate(closure.rows):
            number = self.places.row[c] + r
            gradients = [stand.in_link(j, stand.gradient(row, j)) for j in range(len(closure.vectors))]
            slopes = [derivative([row], _unit(x.q))[0] for x in closure.coordinates]
            out.append((Load("R", "residuals", number), stand.world(row)))
            out.append((Load("R", "residual_rates", number), stand.world(drift[r])))
            for link in sorted({v.link for v in closure.vectors} - {WORLD_LINK}):
                first = 6 * (self.places.entry[link, c] + r)
                force, torque = stand.wrench(link, gradients)
                out += [(Load("R", "row_y", first + k), x) for k, x in enumerate([*force, *torque])]
            for coordinate, slope in zip(closure.coordinates, slopes, strict=True):
                rates = self.cuts.rates[coordinate.link]
                place = self.places.projection[coordinate.link, c] + r * rates + coordinate.k
                out.append((Load("R", "row_w", place), stand.world(slope)))
        return [(t, e) for t, e in out if not is_literal(e, 0.0)]

    def impulses(self) -> list[Law]:
        """What the impulses of every closure do: -Kᵀ Lambda into `impulse`, -(K̇ᵀ + Omega Kᵀ) Lambda into `wrench`,
        -Wᵀ Lambda into `momentum`, -Ẇᵀ Lambda into p_dot."""
        laws = []
        for c, closure in enumerate(self.resolved):
            stand = _Stand(self.resolve, closure)
            total = self.pull(c, self._accumulated)
            numbers = range(len(closure.vectors))
            symbolic = [stand.gradient(total, j) for j in numbers]
            gradients = [stand.in_link(j, symbolic[j]) for j in numbers]
            rates = [stand.in_link(j, Vector(map(stand.rate, symbolic[j]))) for j in numbers]
            assignments: list[tuple[Load, Expression]] = []
            for link in sorted({v.link for v in closure.vectors} - {WORLD_LINK}):
                for region, (force, torque) in (
                    ("impulse", stand.wrench(link, gradients)),
                    ("wrench", stand.wrench_rate(link, gradients, rates)),
                ):
                    assignments += [(Load("R", region, 6 * link + k), -x) for k, x in enumerate([*force, *torque])]
            for x in closure.coordinates:
                slope = derivative([total], _unit(x.q))[0]
                for region, value in (("momentum", slope), ("p_dot", stand.rate(slope))):
                    assignments.append((replace(x.u, region=region), -stand.world(value)))
            nonzero = [(t, e) for t, e in assignments if not is_literal(e, 0.0)]
            laws.append(Law(nonzero, f"impulses of {closure.name}", accumulate=True))
        return [law for law in laws if law.assignments]

    def _accumulated(self, row: int) -> Expression:
        """Lambda of a row."""
        return load("multipliers", row)

    def pull(self, c: int, multiplier: Callable[[int], Expression]) -> Expression:
        """Sum of a closure's conditions times multipliers."""
        return sum(
            (multiplier(self.places.row[c] + r) * row for r, row in enumerate(self.resolved[c].rows)),
            start=as_expression(0.0),
        )

    def reaction(self, c: int, multiplier: Callable[[int], Expression]) -> Vector:
        """Wrench of a on b about b's point, world axes: force, then torque."""
        closure = self.resolved[c]
        stand, total = _Stand(self.resolve, closure), self.pull(c, multiplier)
        force, torque = NONE, NONE
        points = [j for j, v in enumerate(closure.vectors) if v.point and v.side == 1]
        for j, v in enumerate(closure.vectors):
            if v.side == 1:
                gradient = Vector(stand.world(x) for x in stand.gradient(total, j))
                force = force + v.force_of(gradient)
                arm = stand.vectors[j] - stand.vectors[points[0]] if v.point else stand.vectors[j]
                torque = torque + (NONE if v.point and j == points[0] else arm.cross(gradient))
        return Vector([*force, *torque])


ROOMS: dict[type, Callable[[Closures, Any, Resolved, str], Expression]] = {
    Symbol: lambda loops, symbol, out, thing: leaf(symbol),
    FrameNumber: lambda loops, reference, out, thing: loops.frame_number(reference, out, thing),
    JointNumber: lambda loops, reference, out, thing: loops.joint_number(reference, out, thing),
}


class _Stand:
    """What the symbols of one closure stand for, in addresses."""

    def __init__(self, resolve: Resolver, closure: Resolved):
        self.resolve, self.closure = resolve, closure
        self.vectors = [self._place(v) for v in closure.vectors]

    def _place(self, v: WorldVector) -> Vector:
        if v.point:
            return self.resolve.world_point(v.link, v.local)
        return Vector(row.dot(v.local) for row in self.resolve.link_rotation(v.link))

    def world(self, expression: Expression) -> Expression:
        """Symbols replaced by what they stand for."""

        def stood_for(node: Expression) -> Expression | None:
            if node.op != "leaf" or not isinstance(node.value, Symbol):
                return None
            s = node.value
            return self._velocity(s.vector)[s.k] if s.rate else self.vectors[s.vector][s.k]

        return rebuild([expression], stood_for)[0]

    def gradient(self, expression: Expression, j: int) -> Vector:
        """By the components of vector j, in symbols."""
        return Vector(derivative([expression], _unit(Symbol(j, k)))[0] for k in range(3))

    def rate(self, expression: Expression) -> Expression:
        """Along the motion, multipliers held."""
        rates = {x.q: leaf(x.u) for x in self.closure.coordinates}

        def seed(reference: object) -> Expression:
            if isinstance(reference, Symbol):
                world = self.closure.vectors[reference.vector].link == WORLD_LINK
                return ZERO if world else leaf(Symbol(reference.vector, reference.k, rate=True))
            if reference == TIME:
                return as_expression(1.0)
            return rates.get(reference, ZERO) if isinstance(reference, Load) else ZERO

        return derivative([expression], seed)[0]

    def in_link(self, j: int, gradient: Vector) -> Vector:
        """A gradient by vector j, from symbols and world axes to addresses and the axes of the vector's link."""
        return self.resolve.to_link(self.closure.vectors[j].link, Vector(self.world(x) for x in gradient))

    def _local_velocity(self, v: WorldVector) -> Vector:
        linear, angular = self.resolve.link_twist(v.link)
        return (linear if v.point else NONE) + angular.cross(v.local)

    def _velocity(self, j: int) -> Vector:
        v = self.closure.vectors[j]
        local = self._local_velocity(v)
        return Vector(row.dot(local) for row in self.resolve.link_rotation(v.link))

    def wrench(self, link: int, gradients: Sequence[Vector]) -> tuple[Vector, Vector]:
        """Force and torque about the link's origin, link axes."""
        force, torque = NONE, NONE
        for v, gradient in zip(self.closure.vectors, gradients, strict=True):
            if v.link == link:
                force, torque = force + v.force_of(gradient), torque + v.local.cross(gradient)
        return force, torque

    def wrench_rate(self, link: int, gradients: Sequence[Vector], rates: Sequence[Vector]) -> tuple[Vector, Vector]:
        """Their rates of change seen from the world, for a reference point that stays where the origin is now."""
        force, torque = NONE, NONE
        for v, gradient, rate in zip(self.closure.vectors, gradients, rates, strict=True):
            if v.link == link:
                force = force + v.force_of(rate)
                torque = torque + v.local.cross(rate) + self._local_velocity(v).cross(gradient)
        return force, torque


def _unit(reference: object) -> Seed:
    """Tangent 1 along one leaf."""
    return lambda other: as_expression(float(other == reference))
