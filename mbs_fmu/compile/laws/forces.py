"""Effects of forces on links and along joint velocities, and measures of forces, in numbers of the record.

Each force defines its effect in its own file in `model/forces`; this module refers to no particular force.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import field, replace

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.effects import CENTER, NONE, STRENGTH, Along, Balls, Check, Effect, Part
from ...model.geometry.vectors import Vector
from ...model.items import Body, Force
from ...model.references.leaves import ContactNumber, ForceNumber
from ...record.layout import Load
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf
from ..tree.rotations import rotate
from .contact_measures import ContactMeasures, contact_measures
from .gradients import NO_GRADIENT, Gradient, Gradients, held
from .law import Law, Move, MovedLaw
from .part_kinds import Block, Blocks, KnownPart, PartKinds, with_block
from .resolve import Handler, Resolver


@dataclass(frozen=True)
class LinkPush:
    """A force at a point of a link (in link axes) and a torque; both are in world axes or both in link axes."""

    link: int
    point: Vector
    force: Vector
    torque: Vector
    in_world: bool


@dataclass(frozen=True)
class LinkEffect:
    """An `Effect` in numbers of the record; `points`: its points that are constant in a run, as model expressions.

    gradient: the elastic action that follows from numbers of the law, in addition to `pushes` and `along`. measures: of
    a contact point, those that have places in the record. bound: address of a number, see `Unless`.
    """

    pushes: list[LinkPush]
    along: list[Along]
    strength: Expression | None
    stored: Expression | None
    rates: list[tuple[Load, Expression]]
    points: list[Expression]
    depth: Expression | None = None
    gradient: Gradient = NO_GRADIENT
    measures: Mapping[str, Vector] = field(default_factory=dict)
    bound: Load | None = None

    @property
    def all_pushes(self) -> list[LinkPush]:
        """All forces and torques on links."""
        of_laws = [LinkPush(link, NONE, *wrench, True) for link, wrench in self.gradient.wrenches.items()]
        return [*self.pushes, *of_laws]

    @property
    def all_along(self) -> list[Along]:
        """All generalized forces along joint velocities."""
        return [*self.along, *self.gradient.along]

    @property
    def roots(self) -> list[Expression]:
        """All formulas, without those of the gradient."""
        pushes = [x for push in self.pushes for x in (*push.point, *push.force, *push.torque)]
        scalars = [x for x in (self.strength, self.stored, self.depth) if x is not None]
        measures = [x for vector in self.measures.values() for x in vector]
        return [*pushes, *(x.number for x in self.along), *scalars, *(x for _, x in self.rates), *measures]

    def with_roots(self, roots: Iterable[Expression]) -> LinkEffect:
        """Return the effect with other formulas, in the order of `roots`."""
        rest = iter(roots)
        pushes = [
            replace(push, point=_next_vector(rest), force=_next_vector(rest), torque=_next_vector(rest))
            for push in self.pushes
        ]
        along = [replace(x, number=next(rest)) for x in self.along]
        known = (self.strength, self.stored, self.depth)
        strength, stored, depth = (None if x is None else next(rest) for x in known)
        rates = [(target, next(rest)) for target, _ in self.rates]
        measures = {name: Vector(next(rest) for _ in vector) for name, vector in self.measures.items()}
        return replace(
            self, pushes=pushes, along=along, strength=strength, stored=stored, rates=rates, measures=measures,
            depth=depth,
        )  # fmt: skip


@dataclass(frozen=True)
class TracedPart:
    """A part of a force whose trace others share. block: formulas of the numbers in which they differ."""

    known: KnownPart
    effect: LinkEffect
    block: Block


@dataclass(frozen=True)
class LinkPart:
    """A part of a force. move: where it acts, if its effect is that of another part."""

    effect: LinkEffect
    move: Move | None = None


class Forces:
    """The effects of all forces of a model, and measures of them."""

    def __init__(self, resolve: Resolver):
        self.resolve = resolve
        self.model = resolve.model
        self.known_parts: dict[str, list[LinkPart] | None] = {}
        self.traced: dict[Hashable, TracedPart] = {}  #: by `KnownPart.traced_as`
        self.blocks = Blocks()
        self.bounds: dict[int, tuple[int, Part | Balls]] = {}  #: numbers of bounds, by their ids
        self.totals: dict[tuple[str, int], LinkEffect] = {}  #: by force and contact point
        self.measured: dict[str, Effect] = {}
        self.tabled: dict[str, Mapping[str, Vector | None]] = {}  #: measures of whole contacts, from the record
        self.gradients = Gradients(resolve)

    def ungated(self) -> list[Force]:
        """Return the forces whose laws are always evaluated."""
        return [force for force in self.model.forces.values() if force.gated_by is None]

    @property
    def handlers(self) -> dict[type, Handler]:
        """Handlers of references to forces."""
        return {ForceNumber: self._number, ContactNumber: self._contact_number}

    @property
    def handlers_of_outputs(self) -> dict[type, Handler]:
        """Handlers of references to forces in outputs and events, which read measures from the record."""
        return {ForceNumber: self._number_or_load, ContactNumber: self._contact_load}

    @cached_property
    def table(self) -> ContactMeasures:
        """The measures of contacts that have places in the record."""
        return contact_measures(self.model)

    def measure_laws(self) -> list[Law]:
        """Return the laws of the measures that have places in the record."""
        parts = [
            (part, self.table.start(name, point))
            for name in self.table.first
            for point, part in enumerate(self.parts(name))
        ]
        return _in_blocks("measures", parts, "measures of a contact", self._measures)

    def _measures(self, effect: LinkEffect) -> list[tuple[Load, Expression]]:
        pairs = ((self.table.loads(quantity, 0), own) for quantity, own in effect.measures.items())
        return [pair for loads, own in pairs for pair in zip(loads, own, strict=True)]

    def parts(self, name: str) -> list[LinkPart]:
        """Return parts whose effects add up to that of a force. Raises ModelError if its law depends on its own power
        or strength."""
        if name not in self.known_parts:
            self.known_parts[name] = None
            force = self.model.forces[name]
            like, parts, known = held(force), self.kinds.parts[name], self.kinds.known(name)
            alike = [None] * len(parts) if like is None else [part.effect for part in like.parts()]
            self.known_parts[name] = [self._part(*x, force.thing) for x in zip(parts, known, alike, strict=True)]
        done = self.known_parts[name]
        if done is None:
            raise ModelError(f"force {name!r} depends on its own power or strength: leave that out of its law")
        return done

    def _part(self, part: Part, known: KnownPart | None, like: Callable[[], Effect] | None, thing: str) -> LinkPart:
        """Return a part of a force: as one that has been traced already, if there is one with which it shares a trace.

        like: the effect of the same part with `held` laws, if they depend on the motion.
        """
        if known is None:
            done = self._traced(part.effect(), like, thing)
            return LinkPart(done if part.bound is None else replace(done, bound=self._bound(part.bound)))
        first = self.traced.get(known.traced_as)
        if first is None:
            effect, block = self._general(known, thing)
            self.traced[known.traced_as] = TracedPart(known, effect, block)
            return LinkPart(effect)
        frames, slots = self.resolve.tree.frames, self.state_slots
        old, new = first.known.part, part
        numbers = {("link", frames[x].link): frames[y].link for x, y in zip(old.bodies, new.bodies, strict=True)}
        numbers |= {("state", slots[x]): slots[y] for x, y in zip(old.states, new.states, strict=True)}
        start, own = (self.blocks.place(first.block.values(x.numbers)) for x in (first.known, known))
        numbers["part_numbers", 0] = own - start
        if old.bound is not None and new.bound is not None:
            numbers["bounds", 0] = self._bound(new.bound).offset - self._bound(old.bound).offset
        return LinkPart(first.effect, Move(numbers))

    def _bound(self, bound: Part | Balls) -> Load:
        """Return the address of a bound."""
        return Load("R", "bounds", self.bounds.setdefault(id(bound), (len(self.bounds), bound))[0])

    def bound_laws(self) -> tuple[list[Law], list[Law]]:
        """Return the laws of the centres of balls around shapes, and those of the bounds of parts of forces.

        Balls are compared by the squares of their distance and of the sum of their radii.
        """
        places: dict[Hashable, tuple[int, Part]] = {}
        parts, laws = [], []
        for k, bound in self.bounds.values():
            if isinstance(bound, Part):
                parts.append((self._of_bound(bound), k))
                continue
            slots = [places.setdefault((x.bodies, x.numbers), (len(places), x))[0] for x in bound.centers]
            a, b = (Vector(leaf(Load("R", "centers", 3 * slot + n)) for n in range(3)) for slot in slots)
            overlap = bound.reach * bound.reach - (b - a).dot(b - a)
            laws.append(Law([(Load("R", "bounds", k), overlap)], "bound of a contact"))
        centers = ((self._of_bound(part), 3 * slot) for slot, part in places.values())
        return (
            _in_blocks("centers", centers, "centre of a shape", _center),
            _in_blocks("bounds", parts, "bound of a contact", _bound) + laws,
        )

    def _of_bound(self, part: Part) -> LinkPart:
        return self._part(part, self.kinds.known_bound(part), None, "bound of a contact")

    def _general(self, known: KnownPart, thing: str) -> tuple[LinkEffect, Block]:
        """Return the effect of all parts that share a trace, with the numbers of one of them, and their formulas."""
        shared = known.kind.is_shared
        effect, places = known.general() if shared else (known.part.effect(), {})
        resolve = self.resolve.with_places(places) if shared else self.resolve
        done = on_links(effect, resolve, thing, self.table.offsets)
        if known.part.bound is not None:
            done = replace(done, bound=self._bound(known.part.bound))
        if not shared:
            return done, Block([])
        roots, block = with_block(done.roots, lambda block: self.blocks.place(block.values(known.numbers)))
        return done.with_roots(roots), block

    def _traced(self, effect: Effect, like: Callable[[], Effect] | None, thing: str) -> LinkEffect:
        """Return an effect on links, with the gradient of the energy of a `like` effect of held laws."""
        done = on_links(effect, self.resolve, thing, self.table.offsets)
        stored = None if like is None or effect.stored is None else like().stored
        return done if stored is None else replace(done, gradient=self.gradients(stored, thing))

    @cached_property
    def kinds(self) -> PartKinds:
        """The parts of all forces by their kinds."""
        return PartKinds(self.model.forces.values(), self.resolve.tree)

    @cached_property
    def state_slots(self) -> dict[str, int]:
        """Number of each state of the model, by name."""
        return {name: k for k, name in enumerate(self.model.states)}

    def laws(self, forces: Iterable[Force], made: Callable[[Force, LinkEffect], Law | None]) -> list[Law]:
        """Return laws of all parts of some forces; `made` returns that of a traced effect."""
        laws: list[Law] = []
        known: dict[int, Law | None] = {}
        for force in forces:
            for part in self.parts(force.name):
                if part.move is None:
                    known[id(part.effect)] = law = made(force, part.effect)
                else:
                    like = known[id(part.effect)]
                    law = None if like is None else MovedLaw(like, part.move)
                laws += [] if law is None else [law]
        return laws

    def effect(self, name: str, point: int = 0) -> LinkEffect:
        """Return the effect of a force, or of one of its contact points, from 1, for measures of it.

        Raises ModelError as `parts`.
        """
        parts = self.parts(name)
        if len(parts) == 1 and parts[0].move is None:
            return parts[0].effect
        if (name, point) not in self.totals:
            force = self.model.forces[name]
            effect, like = (
                None if x is None else x.parts()[point - 1].effect if point else x.effect for x in (force, held(force))
            )
            assert effect is not None
            self.totals[name, point] = self._traced(effect(), like, force.thing)
        return self.totals[name, point]

    @cached_property
    def pulls(self) -> list[tuple[str, LinkEffect]]:
        """Return the effect of point gravity on every movable body with mass, with the body's name."""
        gravity, effects = self.model.point_gravity, []
        for body in attracted(self.resolve):
            assert gravity is not None
            for constant, thing in gravity.constants(body):
                self.resolve.parameters_only([constant], thing)
            effects.append((body.name, on_links(gravity.effect(body), self.resolve, f"com of body {body.name!r}")))
        return effects

    def points(self) -> list[Expression]:
        """Return the points of all forces as expressions of the model; they are constant in a run."""
        own = (part for name in self.model.forces for part in self.parts(name) if part.move is None)
        return [x for part in own for x in part.effect.points]

    def _number(self, ref: ForceNumber, resolve: Resolver, thing: str) -> Expression:
        if ref.force in self.model.drives:
            rate = f"mbs.rate({self.model.drives[ref.force].body!r})"
            raise ModelError(
                f"{thing}: {ref.force!r} is a drive, not a force: ask for mbs.drive_force({ref.force!r}), and for its "
                f"power multiply that by {rate}"
            )
        force = self._known(ref.force, thing)
        if ref.point:
            _check_point(ref, force, force.contact_points, thing)
        done = self.effect(ref.force, ref.point)
        return power(done, resolve) if ref.quantity == "power" else self._measured(ref, done, thing)

    def _number_or_load(self, ref: ForceNumber, resolve: Resolver, thing: str) -> Expression:
        is_tabled = ref.quantity == STRENGTH and ref.force in self.table.first
        return self._load(ref, thing) if is_tabled else self._number(ref, resolve, thing)

    def _contact_load(self, ref: ContactNumber, resolve: Resolver, thing: str) -> Expression:
        is_tabled = ref.quantity in self.table.offsets and ref.force in self.table.first
        return self._load(ref, thing) if is_tabled else self._contact_number(ref, resolve, thing)

    def _load(self, ref: ForceNumber | ContactNumber, thing: str) -> Expression:
        """Return a measure whose numbers for the contact points have places in the record."""
        force = self.model.forces[ref.force]
        count = force.contact_points
        _check_point(ref, force, count, thing)
        if ref.point:
            return self.table.of_point(ref.force, ref.point - 1)[ref.quantity][ref.k]
        if ref.force not in self.tabled:
            self.tabled[ref.force] = force.totals([self.table.of_point(ref.force, k) for k in range(count)])
        return self._component(self.tabled[ref.force][ref.quantity], ref, count, thing)

    def _known(self, name: str, thing: str) -> Force:
        """Return a force. Raises ModelError if the model has none of this name."""
        if name not in self.model.forces:
            known = ", ".join(self.model.forces) or "none"
            problem = f"{thing}: unknown force {name!r}{did_you_mean(name, self.model.forces)}"
            raise ModelError(f"{problem}; forces of model {self.model.name!r}: {known}")
        if not self.model.forces[name].is_measured:
            raise ModelError(
                f"{thing}: the near pairs of {self.model.forces[name].thing} have no measures, since they change while "
                "the model moves: use mbs.energy() and the contacts with walls, or leave near= out"
            )
        return self.model.forces[name]

    def _contact_number(self, ref: ContactNumber, resolve: Resolver, thing: str) -> Expression:
        force = self._known(ref.force, thing)
        self.parts(ref.force)  # refuses a law that depends on itself
        if ref.force not in self.measured:
            self.measured[ref.force] = force.effect()
        measures = self.measured[ref.force].measures
        if ref.quantity not in measures:
            owners = "tyres (m.tyre)" if ref.quantity in ("wheel", "along") else "compliant contacts (m.contact)"
            raise ModelError(f"{thing}: {force.thing} has no mbs.{ref.quantity}, {owners} have one")
        points = measures[ref.quantity]
        _check_point(ref, force, len(points) - 1, thing)
        return resolve.one(self._component(points[ref.point], ref, len(points) - 1, thing), thing)

    def _component(self, vector: Vector | None, ref: ForceNumber | ContactNumber, count: int, thing: str) -> Expression:
        """Return a component of a measure. Raises ModelError for a measure that only single points have."""
        if vector is None:
            raise ModelError(
                f"{thing}: {self.model.forces[ref.force].thing} has {count} points: say which, "
                f"mbs.{ref.quantity}({ref.force!r}, 1) to {count}"
            )
        return vector[ref.k]

    def _measured(self, ref: ForceNumber, done: LinkEffect, thing: str) -> Expression:
        """Return the strength of a force, or a component of its wrench. Raises ModelError if it has none."""
        force = self.model.forces[ref.force]
        if ref.quantity == STRENGTH:
            if done.strength is None:
                raise ModelError(f"{thing}: {force.thing} has no single strength: use mbs.applied({force.name!r})")
            return done.strength
        if not done.pushes:
            raise ModelError(
                f"{thing}: {force.thing} acts along a joint: use mbs.strength({force.name!r}), or mbs.reaction for all "
                "that the joint transmits"
            )
        push = done.pushes[-1]
        vector = push.force if ref.quantity == "force" else push.torque
        return vector[ref.k] if push.in_world else self.resolve.link_rotation(push.link)[ref.k].dot(vector)


def _bound(effect: LinkEffect) -> list[tuple[Load, Expression]]:
    """Return the assignment of a bound."""
    assert effect.strength is not None
    return [(Load("R", "bounds", 0), effect.strength)]


def _center(effect: LinkEffect) -> list[tuple[Load, Expression]]:
    """Return the assignments of the position of a centre."""
    return [(Load("R", "centers", k), x) for k, x in enumerate(effect.measures[CENTER])]


def _in_blocks(
    region: str,
    parts: Iterable[tuple[LinkPart, int]],
    label: str,
    assignments: Callable[[LinkEffect], list[tuple[Load, Expression]]],
) -> list[Law]:
    """Return laws that assign numbers of parts to their blocks of a region; those of one trace share formulas.

    parts: with the offsets of their blocks. assignments: those of an effect to the block at the region's start.
    """
    laws: list[Law] = []
    patterns: dict[int, Law] = {}
    for part, start in parts:
        if id(part.effect) not in patterns:
            patterns[id(part.effect)] = Law(assignments(part.effect), label)
        numbers = {} if part.move is None else part.move.numbers
        laws.append(MovedLaw(patterns[id(part.effect)], Move({**numbers, (region, 0): start})))
    return laws


def _check_point(ref: ForceNumber | ContactNumber, force: Force, count: int, thing: str) -> None:
    """Raise ModelError unless a force has the contact point of a measure; count: of its points."""
    if ref.point and count == 0:
        raise ModelError(f"{thing}: {force.thing} has no contact points: leave the number {ref.point} out")
    if ref.point > count:
        raise ModelError(f"{thing}: point {ref.point} of {force.thing} does not exist: use 1 to {count}")


def on_links(effect: Effect, resolve: Resolver, thing: str, measured: Iterable[str] = ()) -> LinkEffect:
    """Return an effect in numbers of the record. Raises ModelError if it acts on immovable bodies only.

    measured: measures to include, besides that of a centre.
    """
    pushes, bodies = effect.action.pushes, {push.body for push in effect.action.pushes}
    if len(bodies) == 1 and resolve.tree.frames[pushes[0].body].link < 0:
        raise ModelError(f"{thing} acts on body {pushes[0].body!r}, which is welded to the world: remove it")
    depth = [] if effect.depth is None else [effect.depth]
    vectors = {name: effect.measures[name][0] for name in (*measured, CENTER) if name in effect.measures}
    wanted = {name: vector for name, vector in vectors.items() if vector is not None}
    of_point = [x for vector in wanted.values() for x in vector]
    numbers = iter(resolve([*effect.action.numbers(), *effect.scalars, *of_point, *depth], thing))
    on_links = []
    for push in pushes:
        link, point = resolve.point_of(push.body, push.at, f"the point of {thing} on body {push.body!r}")
        wrench = [_next_vector(numbers), _next_vector(numbers)]
        if not push.in_world:
            wrench = [rotate(resolve.axes(push.body, thing), vector) for vector in wrench]
        on_links.append(LinkPush(link, point, wrench[0], wrench[1], push.in_world))
    along = [Along(x.body, resolve.velocity_index(x), next(numbers)) for x in effect.action.along]
    strength = None if effect.strength is None else next(numbers)
    stored = None if effect.stored is None else next(numbers)
    slots = {name: k for k, name in enumerate(resolve.model.states)}
    rates = [(Load("R", "z_dot", slots[name]), next(numbers)) for name, _ in effect.rates]
    measures = {name: Vector(next(numbers) for _ in vector) for name, vector in wanted.items()}
    return LinkEffect(on_links, along, strength, stored, rates, effect.points(), next(numbers, None), measures=measures)


def _next_vector(numbers: Iterator[Expression]) -> Vector:
    """Return a vector of the next three numbers."""
    return Vector(next(numbers) for _ in range(3))


def power(done: LinkEffect, resolve: Resolver) -> Expression:
    """Return the power that a force supplies to the mechanism, W."""
    total = ZERO
    for along in done.all_along:
        total = total + along.number * resolve.rate(along.body, along.k)
    for push in done.all_pushes:
        if push.link >= 0:
            if push.in_world:
                v, w = resolve.world_velocity(push.link, push.point), resolve.world_spin(push.link)
            else:
                v, w = resolve.link_twist(push.link)
                v = v + w.cross(push.point)
            total = total + push.force.dot(v) + push.torque.dot(w)
    return total


def attracted(resolve: Resolver) -> list[Body]:
    """Return the bodies on which point gravity acts: all movable ones with mass. Raises ModelError for elastic ones."""
    if resolve.model.point_gravity is None:
        return []
    if resolve.tree.mean:
        name = next(iter(resolve.tree.mean))
        raise ModelError(
            f"body {name!r} is elastic, and mbs.PointGravity pulls rigid bodies only: give the model a uniform gravity"
        )
    frames = resolve.tree.frames
    return [body for body in resolve.tree.order if frames[body.name].link >= 0 and not is_literal(body.mass, 0.0)]


def start_checks(resolve: Resolver) -> list[Check]:
    """Return the requirements of forces on a start."""
    checks_of = ((force.thing, force.start_checks()) for force in resolve.model.forces.values())
    return [(resolve.one(value, thing), message) for thing, checks in checks_of for value, message in checks]


def gravity_checks(resolve: Resolver) -> list[Check]:
    """Return the requirements of point gravity on a start."""
    gravity = resolve.model.point_gravity
    checks = [] if gravity is None else [c for body in attracted(resolve) for c in gravity.start_checks(body)]
    return [(resolve.one(value, "the point gravity"), message) for value, message in checks]
