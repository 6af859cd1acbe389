"""Closures as laws: conditions, constraint rows, impulses and reactions (docs/equations_loops.md, L).

Conditions are functions of world vectors (points and directions of bodies), of joint coordinates and of time. Let
gamma_j be the gradient of a condition with respect to vector j. Its row K of a link is then the force sum(gamma_j) over
the link's points and the torque sum(r_j x gamma_j), where r_j is the vector in the link's own axes. The rates of the
gradients give (L3). A condition on rates is a linear function of the vectors' rates and of joint velocities: gamma_j is
then the gradient with respect to the rate of vector j, and everything else is the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.closures import Closure, Conditions, ContactParameter, Row, Side, Symbol, contact_names
from ...model.effects import NONE
from ...model.geometry.vectors import Vector
from ...model.references.leaves import ContactRate, FrameNumber, JointNumber, Signal
from ...record.blocks import LoopNumbers
from ...record.layout import Load
from ...symbolic.expressions import Expression, is_literal, leaf, where
from ...symbolic.graph import leaves, rebuild
from ..laws.law import Law
from ..laws.resolve import Handler, Resolver, load
from ..tree.coupled_joints import with_closing_links
from ..tree.links import WORLD_LINK
from ..tree.rotations import snapped
from .contacts import Contact, solved
from .cuts import Cuts, elimination_tables, row_addresses
from .kinematics import (
    ClosureKinematics,
    Coordinate,
    Resolved,
    Summed,
    TurnedFrame,
    WorldVector,
    at_rest,
    in_time,
    is_rate,
    rates_of,
)
from .prescribed import refuse_prescribed


class Closures:
    """The closures of a model, and the laws of their rows."""

    def __init__(self, resolve: Resolver, drives: bool):
        """`drives`: forces of drives are requested, so that conditions on driven coordinates contribute to them."""
        self.resolve, self.drives = resolve, drives
        links = resolve.tree.links
        rates = [link.rates for link in links]
        self.u_index = [0, *itertools.accumulate(rates)][:-1]  #: first joint velocity of each link
        self.link_of_rate = [i for i, count in enumerate(rates) for _ in range(count)]
        self.turned_frames = 0  #: number of closures that may engage while their directions differ
        self.resolved = [self._in_symbols(closure) for closure in resolve.model.loops.values()]
        parents = [link.parent for link in links]
        elastic = {i for i, link in enumerate(links) if link.elastic is not None}
        coupled = [link.coupled for link in links]
        cuts = [closure.cut(parents) for closure in self.resolved]
        cuts = [replace(x, ends=with_closing_links(x.ends, coupled, parents)) for x in cuts]
        self.cuts = Cuts(parents, rates, cuts, elastic)
        self.row_addresses = row_addresses(self.cuts)

    @property
    def handlers(self) -> dict[type, Handler]:
        """Handlers of references to rates of contact parameters."""
        return {ContactRate: self._contact_rate}

    def tables(self) -> dict[str, list[int]]:
        """Return the tables of rows for the kernels."""
        rows = [row for closure in self.resolved for row in closure.rows]
        return elimination_tables(self.row_addresses, self.cuts) | {
            "ROW_ANGULAR": [int(row.unit == "rad") for row in rows],
            "ROW_BINDS": [int(row.binds) for row in rows],
            "ROW_TURNED": [int(row.turn is not None) for row in rows],
        }

    @property
    def contacts(self) -> list[int]:
        """Numbers of the contact parameters among the signal states."""
        return [contact.z.offset for x in self.resolved for contact in x.contacts]

    def number(self, name: str, thing: str) -> int:
        """Return the number of a closure. Raises ModelError for an unknown name."""
        names = self._numbers
        if name not in names and name in self.resolve.model.forces:
            raise ModelError(f"{thing}: {name!r} is a force and no closure: use mbs.strength({name!r})")
        if name not in names:
            problem = f"{thing}: unknown loop {name!r}{did_you_mean(name, names)}"
            raise ModelError(f"{problem}; loops of the model: {', '.join(names) or 'none'}")
        return names[name]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {closure.name: number for number, closure in enumerate(self.resolved)}

    @property
    def bilateral(self) -> bool:
        """True if the multipliers of all engaged closures may have either sign: redundant rows can then share loads."""
        return all(closure.mode is None or closure.mode.bilateral for closure in self.resolve.model.loops.values())

    def described(self) -> list[dict[str, object]]:
        """Return names, row labels and units of the loops, for messages and reports."""
        return [
            {"name": x.name, "labels": [row.label for row in x.rows], "units": [row.unit for row in x.rows]}
            for x in self.resolved
        ]

    # -- references in conditions ---------------------------------------------------------------------
    def _in_symbols(self, closure: Closure) -> Resolved:
        thing = closure.thing
        conditions = closure.conditions(self._frame(closure))
        resolved = Resolved(closure.name, [], closure.mode is not None, conditions.facing, conditions.checks)
        resolved.vectors = self._attached(closure, conditions)
        if resolved.vectors and len({v.link for v in resolved.vectors}) == 1:
            joined = " and ".join(repr(side.body) for side in closure.sides)
            raise ModelError(f"{thing} joins {joined}, which are welded together: leave it out")
        rotates = closure.holds_apart and conditions.aligned
        rows = self._turned(closure, conditions, resolved) if rotates else conditions.rows
        if not _begins_closed(closure):
            rows = [replace(row, turn=None) for row in rows]
        resolved.rows = [self._row(row, resolved, closure) for row in rows]
        resolved.contacts = self._contacts(conditions, resolved, thing)
        if not resolved.rows:
            raise ModelError(f"{thing}: its joint leaves every motion free and closes nothing: leave the loop out")
        return resolved

    def _referred(self, expressions: Sequence[Expression], resolved: Resolved, thing: str) -> list[Expression]:
        """Return the expressions with all references resolved."""

        def referred(node: Expression) -> Expression | None:
            return self._reference(node.value, resolved, thing) if node.op == "leaf" else None

        return rebuild(expressions, referred)

    def _contacts(self, conditions: Conditions, resolved: Resolved, thing: str) -> list[Contact]:
        contacts = []
        for k, expressions in enumerate(conditions.contacts):
            z, tangency, guess = self._referred([leaf(ContactParameter(k)), *expressions], resolved, thing)
            contacts.append(Contact(z.value, tangency, guess))
        if contacts:
            values = self._referred([value for value, _ in resolved.checks], resolved, thing)
            resolved.checks = [(value, text) for value, (_, text) in zip(values, resolved.checks, strict=True)]
        return contacts

    def _row(self, row: Row, resolved: Resolved, closure: Closure) -> Row:
        """Return a condition with references resolved.

        Raises ModelError if no motion changes it, or if it is not linear in rates.
        """
        thing, given = closure.thing, row.condition
        condition, residual = self._referred([row.condition, row.residual], resolved, thing)
        row = replace(row, condition=condition, residual=residual)
        moving = [r for r in leaves([condition]) if isinstance(r, Symbol) or self._is_joint_number(r)]
        if not moving and resolved.driven:
            refuse_prescribed(self.resolve.model, closure, row.label, given)
        if not moving:
            raise ModelError(f"{thing}, {row.label}: it depends on no coordinate, position or orientation")
        if row.in_rates:
            self._check_linear(row, resolved, thing)
        return row

    def _check_linear(self, row: Row, resolved: Resolved, thing: str) -> None:
        summed = Summed.of(row)
        slopes = [x for j in range(len(resolved.vectors)) for x in summed.gradient(j)]
        slopes += [summed.slope(x) for x in resolved.coordinates]
        if any(is_rate(x) or x in [driven.u for driven in resolved.driven] for x in leaves(slopes)):
            raise ModelError(
                f"{thing}, {row.label}: it is not linear in rates: give a sum of rates times coefficients that depend "
                "on positions, parameters and time"
            )

    def _frame(self, closure: Closure) -> int | None:
        """Return the side whose axes a closure uses for translations, None for the world's axes (`Pair.conditions`)."""
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
        return 0 if paths and (closure.holds_apart or set.intersection(*paths) != {WORLD_LINK}) else None

    def _attached(self, closure: Closure, conditions: Conditions) -> list[WorldVector]:
        vectors = []
        for vector in conditions.vectors:
            side = closure.sides[vector.side]
            link, point = self.resolve.point_of(side.body, side.at, closure.thing)
            if vector.local is not None:
                _, axes = self._axes(side, closure.thing)
                point = Vector(snapped(axes @ np.array(vector.local)))
            if vector.spin:
                point = NONE
            is_point = vector.local is None and not vector.spin
            vectors.append(WorldVector(link, point, is_point, vector.side, vector.spin))
        return vectors

    def _turned(self, closure: Closure, conditions: Conditions, resolved: Resolved) -> list[Row]:
        """Return the rows with the directions of side 0 rotated as the record states for the frame on a."""
        link, axes = self._axes(closure.sides[0], closure.thing)
        place = TurnedFrame(self.turned_frames, link, axes, conditions.aligned)
        self.turned_frames += 1
        numbers: dict[int, int] = {}

        def turned(node: Expression) -> Expression | None:
            at = conditions.vectors[node.value.vector] if node.op == "leaf" and isinstance(node.value, Symbol) else None
            if at is None or at.side != 0 or at.local is None:
                return None
            if node.value.vector not in numbers:
                numbers[node.value.vector] = len(resolved.vectors)
                resolved.vectors.append(WorldVector(link, place.direction(at.local), False, 0))
            return leaf(replace(node.value, vector=numbers[node.value.vector]))

        resolved.turned = place
        return [row.rebuilt(lambda numbers: rebuild(numbers, turned)) if row.turned else row for row in conditions.rows]

    def aligned(self) -> list[Law]:
        """Return laws that write to `aligned` how each closure's frame on body a rotates if the closure engages now."""
        laws = []
        for x in self.resolved:
            if x.turned is not None:
                kinematics = ClosureKinematics(self.resolve, x)
                laws.append(Law(list(x.turned.assignments(kinematics)), f"frame of {x.name}"))
        return laws

    def _axes(self, side: Side, thing: str) -> tuple[int, np.ndarray]:
        """Return the link of a closure's frame, and the frame's axes as columns in link axes."""
        axes = self.resolve.axes(side.body, thing) @ self.resolve.turned(side.rotation, thing)
        return self.resolve.tree.frames[side.body].link, snapped(axes)

    def _reference(self, reference: object, resolved: Resolved, thing: str) -> Expression:
        """Resolve a reference in a condition: by the handlers of this module, otherwise as in any law."""
        handler = HANDLERS.get(type(reference))
        return (
            self.resolve.reference(reference, thing) if handler is None else handler(self, reference, resolved, thing)
        )

    def contact_parameter(self, reference: ContactParameter, resolved: Resolved, thing: str) -> Expression:
        name = contact_names(resolved.name, reference.k + 1)[-1]
        return self.resolve.reference(Signal("state", name), thing)

    def _contact_rate(self, reference: ContactRate, resolve: Resolver, thing: str) -> Expression:
        kinematics = ClosureKinematics(self.resolve, self.resolved[self.number(reference.loop, thing)])
        return kinematics.world(kinematics.contact_rates[reference.k])

    def frame_number(self, reference: FrameNumber, resolved: Resolved, thing: str) -> Expression:
        self.resolve.model.known_reference(reference, thing)
        frame = self.resolve.tree.frames[reference.body]
        if reference.quantity == "twist":
            return self._twist(reference, resolved, thing)
        if reference.quantity == "origin":
            link, local = self.resolve.point_of(reference.body, NONE, thing)
            return self._symbol(resolved, WorldVector(link, local, True, 1), reference.k)
        row, column = divmod(reference.k, 3)
        return self._symbol(
            resolved,
            WorldVector(frame.link, Vector(self.resolve.axes(reference.body, thing)[:, column]), False, 1),
            row,
        )

    def _twist(self, reference: FrameNumber, resolved: Resolved, thing: str) -> Expression:
        """Return a component of the body's twist: velocity of its origin or angular velocity, in body axes."""
        link = self.resolve.tree.frames[reference.body].link
        first = FrameNumber("rotation", reference.body, reference.k % 3)
        axis = Vector(self.frame_number(replace(first, k=first.k + 3 * i), resolved, thing) for i in range(3))
        if reference.k >= 3:
            spin = (self._symbol(resolved, WorldVector(link, NONE, False, 1, spin=True), k) for k in range(3))
            return axis.dot(rates_of(Vector(spin)))
        at = FrameNumber("origin", reference.body, 0)
        return axis.dot(rates_of(Vector(self.frame_number(replace(at, k=k), resolved, thing) for k in range(3))))

    def _symbol(self, resolved: Resolved, vector: WorldVector, k: int) -> Expression:
        world = WorldVector(WORLD_LINK, NONE, True, 0)
        if world not in resolved.vectors:
            resolved.vectors.append(world)  # the conditions are against the world
        for number, other in enumerate(resolved.vectors):
            if other.key == vector.key:
                return leaf(Symbol(number, k))
        resolved.vectors.append(vector)
        return leaf(Symbol(len(resolved.vectors) - 1, k))

    def joint_number(self, reference: JointNumber, resolved: Resolved, thing: str) -> Expression:
        address = self.resolve.reference(reference, thing)
        for follower in self.resolve.model.followers.on(reference.body):  # at most one
            ratio, offset = self.resolve.parameters_only([follower.ratio, follower.offset], thing)
            lead = ratio * self.joint_number(replace(reference, body=follower.leader, argument=None), resolved, thing)
            return lead + offset if reference.quantity == "coordinate" else lead
        body = self.resolve.model.bodies[reference.body]
        in_rates = reference.quantity == "rate"
        if not body.joint.scalar and not in_rates:
            raise ModelError(f"{thing}: coordinates of a ball or free joint ({body.name!r}) are not lengths or angles")
        place = self.resolve.tree.u[body.name][max(reference.k, 0)]
        q = self.resolve.tree.q[body.name][max(reference.k, 0)].load if body.joint.scalar else None
        link, own = (-1, 0) if place.driven else self._link_of(place.offset)
        coordinate, known = (
            Coordinate(q, place.load, link, own),
            resolved.driven if place.driven else resolved.coordinates,
        )
        if coordinate not in known:
            known.append(coordinate)
        return address

    def _link_of(self, u: int) -> tuple[int, int]:
        """Return the link of a joint velocity, and its index in that link."""
        link = self.link_of_rate[u]
        return link, u - self.u_index[link]

    def _is_joint_number(self, reference: object) -> bool:
        return isinstance(reference, Load) and reference.region in ("q", "u")

    # -- laws ------------------------------------------------------------------------------------------
    def facing(self) -> list[tuple[Expression, str]]:
        """Return numbers that must be positive in closed loops, with messages.

        Conditions on directions are also satisfied after half a turn about another axis, which is not a motion of the
        joint. These checks exclude such positions.
        """
        checks = []
        for closure in self.resolved:
            if not _begins_closed(self.resolve.model.loops[closure.name]):
                continue
            kinematics = ClosureKinematics(self.resolve, closure)
            message = (
                f"loop {closure.name!r} closes the other way round, half a turn away from what its joint allows: the "
                "start values that are held choose this branch; change them, or hold fewer (guess=True)"
            )
            chosen = load("loop_state", LoopNumbers.other_branch) > 0.0
            checks += [(where(chosen, kinematics.world(number), 1.0), message) for number in closure.facing]
            checks += [(kinematics.world(number), text) for number, text in closure.checks]
        return checks

    def turned_rows(self) -> list[Law]:
        """Return laws that replace conditions on directions by rotation vectors: their residuals and K.

        The rate of a residual is that of the relative rotation along one direction, so K consists of torques.
        """
        laws = []
        for c, closure in enumerate(self.resolved):
            kinematics, assignments = ClosureKinematics(self.resolve, closure), []
            ends = [self._axes(side, closure.name)[0] for side in self.resolve.model.loops[closure.name].sides]
            for r, row in enumerate(closure.rows):
                if row.turn is None:
                    continue
                number = self.row_addresses.row[c] + r
                assignments.append((Load("R", "residuals", number), kinematics.world(row.turn.angle)))
                about = Vector(map(kinematics.world, row.turn.about))
                for link, torque in zip(ends, (-about, about), strict=True):
                    if link != WORLD_LINK:
                        first = 6 * (self.row_addresses.entry[link, c] + r) + 3
                        numbers = self.resolve.to_link(link, torque)
                        assignments += [(Load("R", "row_y", first + k), x) for k, x in enumerate(numbers)]
            laws.append(Law(assignments, f"rotation of {closure.name}"))
        return [law for law in laws if law.assignments]

    def rows(self, at_rest: bool) -> list[Law]:
        """Return laws for g, gamma, K and W.

        If `at_rest`, of the closures whose rows are not evaluated while released; otherwise of all other closures.
        """
        modes = [closure.mode for closure in self.resolve.model.loops.values()]
        chosen = [c for c, mode in enumerate(modes) if (mode is not None and mode.rests) == at_rest]
        return [Law(list(self._row_assignments(c)), f"rows of {self.resolved[c].name}") for c in chosen]

    def _row_assignments(self, c: int) -> list[tuple[Load, Expression]]:
        closure, assignments = self.resolved[c], []
        kinematics = ClosureKinematics(self.resolve, closure)
        for r, row in enumerate(closure.rows):
            number = self.row_addresses.row[c] + r
            summed = Summed.of(row)
            gradients = [kinematics.in_link(j, summed.gradient(j)) for j in range(len(closure.vectors))]
            slopes = [summed.slope(x) for x in closure.coordinates]
            residual = row.residual if row.in_rates else row.condition
            drift = at_rest(row) if row.in_rates else in_time(row, closure.driven)
            assignments.append((Load("R", "residuals", number), kinematics.world(residual)))
            assignments.append((Load("R", "residual_rates", number), kinematics.world(drift)))
            for link in sorted({v.link for v in closure.vectors} - {WORLD_LINK}):
                first = 6 * (self.row_addresses.entry[link, c] + r)
                force, torque = kinematics.wrench(link, gradients)
                assignments += [(Load("R", "row_y", first + k), x) for k, x in enumerate([*force, *torque])]
            for coordinate, along in zip(closure.coordinates, slopes, strict=True):
                rates = self.cuts.rates[coordinate.link]
                place = self.row_addresses.projection[coordinate.link, c] + r * rates + coordinate.k
                assignments.append((Load("R", "row_w", place), kinematics.world(along)))
        return [(t, e) for t, e in assignments if not is_literal(e, 0.0)]

    def impulses(self, has_modes: bool) -> list[Law]:
        """Return laws for the contributions of impulses: of closures with constraint modes, or of all others.

        -Kᵀ Lambda goes to `impulse`, -(K̇ᵀ + Omega Kᵀ) Lambda to `wrench`, -Wᵀ Lambda to `momentum` and -Ẇᵀ Lambda to
        p_dot; for driven coordinates, the last two go to `drive_momenta` and `drive_rests`.
        """
        laws = []
        for c, closure in enumerate(self.resolved):
            if closure.has_modes != has_modes:
                continue
            kinematics = ClosureKinematics(self.resolve, closure)
            total = self.pull(c, self._accumulated)
            numbers = range(len(closure.vectors))
            symbolic = [total.gradient(j) for j in numbers]
            gradients = [kinematics.in_link(j, symbolic[j]) for j in numbers]
            rates = [kinematics.in_link(j, Vector(map(kinematics.rate, symbolic[j]))) for j in numbers]
            assignments: list[tuple[Load, Expression]] = []
            for link in sorted({v.link for v in closure.vectors} - {WORLD_LINK}):
                for region, (force, torque) in (
                    ("impulse", kinematics.wrench(link, gradients)),
                    ("wrench", kinematics.wrench_rate(link, gradients, rates)),
                ):
                    assignments += [(Load("R", region, 6 * link + k), -x) for k, x in enumerate([*force, *torque])]
            moved = [(x, "momentum", "p_dot") for x in closure.coordinates]
            moved += [(x, "drive_momenta", "drive_rests") for x in closure.driven if self.drives]
            for x, *regions in moved:
                slope = total.slope(x)
                for region, value in zip(regions, (slope, kinematics.rate(slope)), strict=True):
                    assignments.append((replace(x.u, region=region), -kinematics.world(value)))
            nonzero = [(t, e) for t, e in assignments if not is_literal(e, 0.0)]
            laws.append(Law(nonzero, f"impulses of {closure.name}", accumulate=True))
        return [law for law in laws if law.assignments]

    def contact_steps(self) -> list[Law]:
        """Return laws that write to z_dot Newton steps of the contact parameters, towards tangency."""
        laws = []
        for x in self.resolved:
            kinematics, steps = ClosureKinematics(self.resolve, x), solved(x.contacts, [c.tangency for c in x.contacts])
            pairs = zip(x.contacts, map(kinematics.world, steps), strict=True)
            laws.append(Law([(replace(c.z, region="z_dot"), step) for c, step in pairs], f"contact of {x.name}"))
        return [law for law in laws if law.assignments]

    def contact_guesses(self) -> list[Law]:
        """Return laws for the approximate contact parameters of each closure."""
        pairs = [(ClosureKinematics(self.resolve, closure), closure) for closure in self.resolved if closure.contacts]
        return [
            Law([(c.z, kinematics.world(c.guess)) for c in x.contacts], f"contact of {x.name}")
            for kinematics, x in pairs
        ]

    def _accumulated(self, row: int) -> Expression:
        """Return Lambda of a row."""
        return load("multipliers", row)

    def pull(self, c: int, multiplier: Callable[[int], Expression]) -> Summed:
        """Return the sum of a closure's conditions times multipliers."""
        first = self.row_addresses.row[c]
        rows = enumerate(self.resolved[c].rows, start=first)
        return sum((Summed.of(row, multiplier(number)) for number, row in rows), start=Summed())

    def reaction(self, c: int, multiplier: Callable[[int], Expression]) -> Vector:
        """Return the wrench of body a on body b about b's point, in world axes: force, then torque."""
        closure = self.resolved[c]
        kinematics, total = ClosureKinematics(self.resolve, closure), self.pull(c, multiplier)
        force, torque = NONE, NONE
        points = [j for j, v in enumerate(closure.vectors) if v.point and v.side == 1]
        for j, v in enumerate(closure.vectors):
            if v.side == 1:
                gradient = Vector(kinematics.world(x) for x in total.gradient(j))
                force = force + v.force_of(gradient)
                if v.spin:
                    torque = torque + gradient
                elif not v.point:
                    torque = torque + kinematics.vectors[j].cross(gradient)
                elif j != points[0]:
                    torque = torque + (kinematics.vectors[j] - kinematics.vectors[points[0]]).cross(gradient)
        return Vector([*force, *torque])


def _begins_closed(closure: Closure) -> bool:
    """True if a closure must be closed at the start."""
    return closure.mode is None or closure.mode.begins_held


HANDLERS: dict[type, Callable[[Closures, Any, Resolved, str], Expression]] = {
    Symbol: lambda loops, symbol, resolved, thing: leaf(symbol),
    FrameNumber: lambda loops, reference, resolved, thing: loops.frame_number(reference, resolved, thing),
    JointNumber: lambda loops, reference, resolved, thing: loops.joint_number(reference, resolved, thing),
    ContactParameter: lambda loops, reference, resolved, thing: loops.contact_parameter(reference, resolved, thing),
}
