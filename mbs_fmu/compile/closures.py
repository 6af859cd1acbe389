"""Closures as laws: from the conditions of each to its rows, their impulses and its reactions (docs/equations.md, L).

The conditions are functions of world vectors (points and directions of bodies), of joint coordinates and of time.
With gamma_j the gradient by vector j, a row K of a link is the force sum(gamma_j) over its points and the torque
sum(r_j x gamma_j), r_j the vector in the link's own axes; the rates of the gradients give (L3). Conditions in rates are
linear functions of the vectors' rates and of joint velocities: gamma_j is their gradient by those, and all else follows
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.closures import Closure, Conditions, ContactParameter, Row, Symbol, contact_names
from ..model.effects import NONE, Check
from ..model.references import ContactRate, FrameNumber, JointNumber, Signal
from ..model.vectors import Vector
from ..record.layout import TIME, Load, LoopState
from ..symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf
from ..symbolic.graph import derivative, leaves, rebuild
from .contacts import Contact, slope, solved
from .cuts import WORLD_LINK, Cut, Cuts, places
from .law import Law
from .resolve import Resolver, load
from .tree import snapped


@dataclass(frozen=True)
class WorldVector:
    """A point or direction fixed in a link, in link axes; link -1 is the world.

    spin: its rate is the link's angular velocity, and there is nothing else of it.
    """

    link: int
    local: Vector
    point: bool
    side: int  #: 1: of body b
    spin: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for what is the same vector."""
        return self.link, self.point, self.spin, repr(self.local)

    def torque_of(self, gradient: Vector) -> Vector:
        """The torque that goes with a gradient, about the link's origin; link axes."""
        return gradient if self.spin else self.local.cross(gradient)

    def force_of(self, wrench: Vector) -> Vector:
        """What a gradient does to its link's force: directions take none."""
        return wrench if self.point else NONE


@dataclass(frozen=True)
class Coordinate:
    """A joint coordinate in a condition: where it and its rate stand, its link and its number there.

    q: None of joints whose coordinates are no numbers of their own, as a ball's; conditions have their velocities only.
    """

    q: Load | None
    u: Load
    link: int
    k: int


@dataclass(frozen=True)
class Summed:
    """A sum of conditions, times multipliers: those on positions, and those in rates."""

    positions: Expression = ZERO
    rates: Expression = ZERO

    @classmethod
    def of(cls, row: Row, factor: Expression | None = None) -> Summed:
        """One condition, or that times a factor."""
        condition = row.condition if factor is None else factor * row.condition
        return cls(rates=condition) if row.in_rates else cls(condition)

    def __add__(self, other: Summed) -> Summed:
        return Summed(self.positions + other.positions, self.rates + other.rates)

    def gradient(self, j: int) -> Vector:
        """By the components of vector j, or of its rate, in symbols."""
        return Vector(
            slope(self.positions, Symbol(j, k)) + slope(self.rates, Symbol(j, k, rate=True)) for k in range(3)
        )

    def slope(self, x: Coordinate) -> Expression:
        """By a coordinate, or its rate."""
        by_position = ZERO if x.q is None else slope(self.positions, x.q)
        return by_position + slope(self.rates, x.u)


@dataclass
class Resolved:
    """One closure: conditions in symbols and addresses, and what the symbols stand for."""

    name: str
    rows: list[Row]
    facing: list[Expression] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    vectors: list[WorldVector] = field(default_factory=list)
    coordinates: list[Coordinate] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)

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
        rows = [row for closure in self.resolved for row in closure.rows]
        self.places.tables["ROW_ANGULAR"] = [int(row.unit == "rad") for row in rows]
        self.places.tables["ROW_BINDS"] = [int(row.binds) for row in rows]
        self.places.tables["CONTACT"] = [contact.z.offset for x in self.resolved for contact in x.contacts]
        resolve.rooms |= {ContactRate: self._contact_rate}

    def number(self, name: str, thing: str) -> int:
        """The closure's number by its name, or ModelError."""
        names = [closure.name for closure in self.resolved]
        if name not in names:
            raise ModelError(f"{thing}: unknown loop {name!r}; loops of the model: {', '.join(names) or 'none'}")
        return names.index(name)

    def described(self) -> list[dict[str, object]]:
        """Names, row labels and units of the loops, for messages and reports."""
        return [
            {"name": x.name, "labels": [row.label for row in x.rows], "units": [row.unit for row in x.rows]}
            for x in self.resolved
        ]

    # -- what conditions refer to ---------------------------------------------------------------------
    def _in_symbols(self, closure: Closure) -> Resolved:
        thing = closure.thing
        found = closure.conditions(self._frame(closure))
        out = Resolved(closure.name, [], found.facing, found.checks)
        out.vectors = self._attached(closure, found)
        if out.vectors and len({v.link for v in out.vectors}) == 1:
            joined = " and ".join(repr(side.body) for side in closure.sides)
            raise ModelError(f"{thing} joins {joined}, which are welded together: leave it out")
        out.rows = [self._row(row, out, thing) for row in found.rows]
        out.contacts = self._contacts(found, out, thing)
        if not out.rows:
            raise ModelError(f"{thing}: its joint leaves every motion free and closes nothing: leave the loop out")
        return out

    def _referred(self, expressions: Sequence[Expression], out: Resolved, thing: str) -> list[Expression]:
        """The same with references resolved."""

        def referred(node: Expression) -> Expression | None:
            return self._reference(node.value, out, thing) if node.op == "leaf" else None

        return rebuild(expressions, referred)

    def _contacts(self, found: Conditions, out: Resolved, thing: str) -> list[Contact]:
        contacts = []
        for k, told in enumerate(found.contacts):
            z, tangency, guess = self._referred([leaf(ContactParameter(k)), *told], out, thing)
            contacts.append(Contact(z.value, tangency, guess))
        if contacts:
            values = self._referred([value for value, _ in out.checks], out, thing)
            out.checks = [(value, said) for value, (_, said) in zip(values, out.checks, strict=True)]
        return contacts

    def _row(self, row: Row, out: Resolved, thing: str) -> Row:
        """A condition with references resolved. ModelError where it binds nothing, or its rates in no linear way."""
        condition, residual = self._referred([row.condition, row.residual], out, thing)
        row = replace(row, condition=condition, residual=residual)
        moving = [r for r in leaves([condition]) if isinstance(r, Symbol) or self._is_joint_number(r)]
        if not moving:
            raise ModelError(f"{thing}, {row.label}: it depends on no coordinate, position or orientation")
        if row.in_rates:
            self._check_linear(row, out, thing)
        return row

    def _check_linear(self, row: Row, out: Resolved, thing: str) -> None:
        summed = Summed.of(row)
        slopes = [x for j in range(len(out.vectors)) for x in summed.gradient(j)]
        slopes += [summed.slope(x) for x in out.coordinates]
        if any(_is_rate(reference) for reference in leaves(slopes)):
            raise ModelError(
                f"{thing}, {row.label}: it is not linear in rates: give a sum of rates times coefficients that depend "
                "on positions, parameters and time"
            )

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
            if vector.spin:
                point = NONE
            out.append(WorldVector(link, point, vector.local is None and not vector.spin, vector.side, vector.spin))
        return out

    def _reference(self, reference: object, out: Resolved, thing: str) -> Expression:
        """One reference in a condition: by this table, or else as in any law."""
        room = ROOMS.get(type(reference))
        return self.resolve.reference(reference, thing) if room is None else room(self, reference, out, thing)

    def contact_parameter(self, reference: ContactParameter, out: Resolved, thing: str) -> Expression:
        name = contact_names(out.name, reference.k + 1)[-1]
        return self.resolve.reference(Signal("state", name), thing)

    def _contact_rate(self, reference: ContactRate, resolve: Resolver, thing: str) -> Expression:
        stand = _Stand(self.resolve, self.resolved[self.number(reference.loop, thing)])
        return stand.world(stand.contact_rates[reference.k])

    def frame_number(self, reference: FrameNumber, out: Resolved, thing: str) -> Expression:
        self.resolve.model.known_reference(reference, thing)
        frame = self.resolve.tree.frames[reference.body]
        if reference.quantity == "twist":
            return self._twist(reference, out, thing)
        if reference.quantity == "origin":
            link, local = self.resolve.point_of(reference.body, NONE, thing)
            return self._symbol(out, WorldVector(link, local, True, 1), reference.k)
        row, column = divmod(reference.k, 3)
        return self._symbol(out, WorldVector(frame.link, Vector(frame.rotation[:, column]), False, 1), row)

    def _twist(self, reference: FrameNumber, out: Resolved, thing: str) -> Expression:
        """A component of (v, w) in body axes, in the rate of the body's origin and its angular velocity."""
        link = self.resolve.tree.frames[reference.body].link
        first = FrameNumber("rotation", reference.body, reference.k % 3)
        axis = Vector(self.frame_number(replace(first, k=first.k + 3 * i), out, thing) for i in range(3))
        if reference.k >= 3:
            spin = (self._symbol(out, WorldVector(link, NONE, False, 1, spin=True), k) for k in range(3))
            return axis.dot(_rates_of(Vector(spin)))
        at = FrameNumber("origin", reference.body, 0)
        return axis.dot(_rates_of(Vector(self.frame_number(replace(at, k=k), out, thing) for k in range(3))))

    def _symbol(self, out: Resolved, vector: WorldVector, k: int) -> Expression:
        world = WorldVector(WORLD_LINK, NONE, True, 0)
        if world not in out.vectors:
            out.vectors.append(world)  # the conditions are against the world
        for number, other in enumerate(out.vectors):
            if other.key == vector.key:
                return leaf(Symbol(number, k))
        out.vectors.append(vector)
        return leaf(Symbol(len(out.vectors) - 1, k))

    def joint_number(self, reference: JointNumber, out: Resolved, thing: str) -> Expression:
        address = self.resolve.reference(reference, thing)
        body = self.resolve.model.bodies[reference.body]
        in_rates = reference.quantity == "rate"
        if not body.joint.scalar and not in_rates:
            raise ModelError(f"{thing}: coordinates of a ball or free joint ({body.name!r}) are no lengths or angles")
        place = self.resolve.tree.u[body.name][max(reference.k, 0)]
        if place.driven:
            raise ModelError(
                f"{thing} depends on {reference.quantity} {max(reference.k, 0) + 1} of body {body.name!r}, which is "
                "driven: write the drive's own formula in its place"
            )
        u = place.offset
        link = max(i for i, first in enumerate(self.u_index) if first <= u and self.resolve.tree.links[i].rates)
        q = self.resolve.tree.q[body.name][max(reference.k, 0)].load if body.joint.scalar else None
        found = Coordinate(q, place.load, link, u - self.u_index[link])
        if found not in out.coordinates:
            out.coordinates.append(found)
        return address

    def _is_joint_number(self, reference: object) -> bool:
        return isinstance(reference, Load) and reference.region in ("q", "u")

    # -- laws ------------------------------------------------------------------------------------------
    def facing(self) -> list[tuple[Expression, str]]:
        """Numbers that must be positive where the loops are closed, with messages.

        Conditions on directions hold for half a turn about another axis too, which is not the joint's motion.
        """
        out = []
        for closure in self.resolved:
            mode = self.resolve.model.loops[closure.name].mode
            if mode is not None and not mode.begins_held:  # it may be as open as it likes
                continue
            stand = _Stand(self.resolve, closure)
            message = (
                f"loop {closure.name!r} closes the other way round, half a turn away from what its joint allows: "
                "start nearer to the position that is meant"
            )
            out += [(stand.world(number), message) for number in closure.facing]
            out += [(stand.world(number), said) for number, said in closure.checks]
        return out

    def rows(self) -> list[Law]:
        """g, gamma, K and W of every closure."""
        return [Law(list(self._row_assignments(c)), f"rows of {x.name}") for c, x in enumerate(self.resolved)]

    def _row_assignments(self, c: int) -> list[tuple[Load, Expression]]:
        closure, out = self.resolved[c], []
        stand = _Stand(self.resolve, closure)
        for r, row in enumerate(closure.rows):
            number = self.places.row[c] + r
            summed = Summed.of(row)
            gradients = [stand.in_link(j, summed.gradient(j)) for j in range(len(closure.vectors))]
            slopes = [summed.slope(x) for x in closure.coordinates]
            residual, drift = (row.residual, _at_rest(row)) if row.in_rates else (row.condition, _in_time(row))
            out.append((Load("R", "residuals", number), stand.world(residual)))
            out.append((Load("R", "residual_rates", number), stand.world(drift)))
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
            symbolic = [total.gradient(j) for j in numbers]
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
                slope = total.slope(x)
                for region, value in (("momentum", slope), ("p_dot", stand.rate(slope))):
                    assignments.append((replace(x.u, region=region), -stand.world(value)))
            nonzero = [(t, e) for t, e in assignments if not is_literal(e, 0.0)]
            laws.append(Law(nonzero, f"impulses of {closure.name}", accumulate=True))
        return [law for law in laws if law.assignments]

    def contact_steps(self) -> list[Law]:
        """By Newton's method towards zero tangencies, of every closure with contact parameters, into z_dot."""
        laws = []
        for closure in self.resolved:
            stand, steps = (
                _Stand(self.resolve, closure),
                solved(closure.contacts, [c.tangency for c in closure.contacts]),
            )
            pairs = zip(closure.contacts, steps, strict=True)
            laws.append(
                Law([(replace(c.z, region="z_dot"), stand.world(x)) for c, x in pairs], f"contact of {closure.name}")
            )
        return [law for law in laws if law.assignments]

    def contact_guesses(self) -> list[Law]:
        """About where the curves of each closure touch."""
        stands = [(_Stand(self.resolve, closure), closure) for closure in self.resolved if closure.contacts]
        return [Law([(c.z, stand.world(c.guess)) for c in x.contacts], f"contact of {x.name}") for stand, x in stands]

    def _accumulated(self, row: int) -> Expression:
        """Lambda of a row."""
        return load("multipliers", row)

    def pull(self, c: int, multiplier: Callable[[int], Expression]) -> Summed:
        """Sum of a closure's conditions times multipliers."""
        first = self.places.row[c]
        rows = enumerate(self.resolved[c].rows, start=first)
        return sum((Summed.of(row, multiplier(number)) for number, row in rows), start=Summed())

    def reaction(self, c: int, multiplier: Callable[[int], Expression]) -> Vector:
        """Wrench of a on b about b's point, world axes: force, then torque."""
        closure = self.resolved[c]
        stand, total = _Stand(self.resolve, closure), self.pull(c, multiplier)
        force, torque = NONE, NONE
        points = [j for j, v in enumerate(closure.vectors) if v.point and v.side == 1]
        for j, v in enumerate(closure.vectors):
            if v.side == 1:
                gradient = Vector(stand.world(x) for x in total.gradient(j))
                force = force + v.force_of(gradient)
                if v.spin:
                    torque = torque + gradient
                elif not v.point:
                    torque = torque + stand.vectors[j].cross(gradient)
                elif j != points[0]:
                    torque = torque + (stand.vectors[j] - stand.vectors[points[0]]).cross(gradient)
        return Vector([*force, *torque])


ROOMS: dict[type, Callable[[Closures, Any, Resolved, str], Expression]] = {
    Symbol: lambda loops, symbol, out, thing: leaf(symbol),
    FrameNumber: lambda loops, reference, out, thing: loops.frame_number(reference, out, thing),
    JointNumber: lambda loops, reference, out, thing: loops.joint_number(reference, out, thing),
    ContactParameter: lambda loops, reference, out, thing: loops.contact_parameter(reference, out, thing),
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

    @cached_property
    def contact_rates(self) -> list[Expression]:
        """(L16) of each contact parameter, in symbols: tangencies decay as residuals do."""
        alpha, contacts = load("loop_state", LoopState.alpha), self.closure.contacts
        return solved(contacts, [self._rate(c.tangency, {}) + alpha * c.tangency for c in contacts])

    def rate(self, expression: Expression) -> Expression:
        """Along the motion, multipliers held."""
        return self._rate(expression, {c.z: x for c, x in zip(self.closure.contacts, self.contact_rates, strict=True)})

    def _rate(self, expression: Expression, contact_rates: Mapping[Load, Expression]) -> Expression:
        rates = {x.q: leaf(x.u) for x in self.closure.coordinates if x.q is not None} | dict(contact_rates)

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
        if v.spin:
            return angular
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
                force, torque = force + v.force_of(gradient), torque + v.torque_of(gradient)
        return force, torque

    def wrench_rate(self, link: int, gradients: Sequence[Vector], rates: Sequence[Vector]) -> tuple[Vector, Vector]:
        """Their rates of change seen from the world, for a reference point that stays where the origin is now."""
        force, torque = NONE, NONE
        for v, gradient, rate in zip(self.closure.vectors, gradients, rates, strict=True):
            if v.link == link:
                force = force + v.force_of(rate)
                torque = torque + v.torque_of(rate)
                if not v.spin:
                    torque = torque + self._local_velocity(v).cross(gradient)
        return force, torque


def _in_time(row: Row) -> Expression:
    """The rate of a condition on positions, while nothing moves."""
    return slope(row.condition, TIME)


def _at_rest(row: Row) -> Expression:
    """A condition in rates where all rates are zero."""
    return rebuild([row.condition], lambda node: ZERO if node.op == "leaf" and _is_rate(node.value) else None)[0]


def _is_rate(reference: object) -> bool:
    """Whether it is the rate of a vector, or a joint velocity."""
    return reference.rate if isinstance(reference, Symbol) else isinstance(reference, Load) and reference.region == "u"


def _rates_of(vector: Vector) -> Vector:
    """The rates of a vector of symbols."""
    return Vector(leaf(replace(x.value, rate=True)) for x in vector)
