"""A user's expressions to expressions of record addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..expressions import Expression, as_expression, is_condition, leaf
from ..formula import Own
from ..graph import leaves, rebuild, topological
from ..layout import Closing, Head, Load, Region, Totals
from ..model.measures import momenta_of, position
from ..model.model import Model
from ..model.references import (
    BodyTotal,
    DriveForce,
    ForceNumber,
    FrameNumber,
    JointNumber,
    MechanicalEnergy,
    Multiplier,
    ReactionNumber,
    Residual,
    Signal,
    Total,
    TwistRate,
)
from ..model.vectors import Vector
from .forces import Effect, effect, measured
from .tree import Tree

if TYPE_CHECKING:
    from .closures import Closures


@dataclass
class Needs:
    """What the expressions seen so far ask of the passes."""

    pose: bool = False
    twist: bool = False
    energy: bool = False
    instant: bool = False
    totals: bool = False


@dataclass
class Resolver:
    """Replaces references by addresses; `replaced` inputs are given as expressions of time."""

    model: Model
    tree: Tree
    layout: Mapping[str, Region]
    replaced: Mapping[str, Expression] = field(default_factory=dict)
    needs: Needs = field(default_factory=Needs)
    closures: Closures | None = None
    effects: dict[str, Effect | None] = field(default_factory=dict)

    def __call__(self, expressions: Sequence[Expression], thing: str) -> list[Expression]:
        def replace(node: Expression) -> Expression | None:
            return self.reference(node.value, thing) if node.op == "leaf" else None

        for node in topological(expressions):
            if any(is_condition(arg) for arg in (node.args[1:] if node.op == "where" else node.args)):
                raise ModelError(f"{thing} reckons with a condition: make a number of it, mbs.where(condition, 1, 0)")
        return rebuild(expressions, replace)

    @property
    def moves_by_itself(self) -> bool:
        """Whether a joint's motion is given, by a drive or by formulas of time."""
        formulas = [e.formula for link in self.tree.links for e in link.elements if e.formula is not None]
        timed = any(Signal("time", "time") in leaves(formula.expressions) for formula in formulas)
        return bool(self.model.drives) or timed

    def one(self, expression: Expression, thing: str) -> Expression:
        return self([expression], thing)[0]

    def parameters_only(self, expressions: Sequence[Expression], thing: str) -> list[Expression]:
        """Like calling, for numbers that must not change in a run."""
        for reference in leaves(expressions):
            if not (isinstance(reference, Signal) and reference.kind == "parameter"):
                raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
        return self(expressions, thing)

    def joint_formulas(self, expressions: Sequence[Expression]) -> list[Expression]:
        """A custom joint's formulas, in which its own coordinates stay as they are."""

        def replace(node: Expression) -> Expression | None:
            own = node.op != "leaf" or isinstance(node.value, Own)
            return None if own else self.reference(node.value, "a custom joint")

        return rebuild(expressions, replace)

    def reference(self, reference: object, thing: str) -> Expression:
        if isinstance(reference, Signal):
            return self._signal(reference, thing)
        if isinstance(reference, JointNumber):
            return self._joint_number(reference, thing)
        if isinstance(reference, FrameNumber):
            return self._frame_number(reference, thing)
        if isinstance(reference, ForceNumber):
            return self._force_number(reference, thing)
        if isinstance(reference, Total):
            return self._total(reference, thing)
        if isinstance(reference, BodyTotal):
            return self._body_total(reference, thing)
        if isinstance(reference, MechanicalEnergy):
            self.needs.energy = self.needs.pose = True
            return self._load("energy", 0)
        if isinstance(reference, DriveForce):
            return self._drive_force(reference, thing)
        if isinstance(reference, (Residual, Multiplier, ReactionNumber, TwistRate)):
            return self._of_balance(reference, thing)
        raise ModelError(f"{thing} refers to {reference!r}, which no model defines")

    # -- forces, and sums over bodies ---------------------------------------------------------------------
    def effect(self, name: str) -> Effect:
        """What a force of the model does."""
        if name not in self.effects:
            self.effects[name] = None
            self.effects[name] = effect(self.model.forces[name], self)
        done = self.effects[name]
        if done is None:
            raise ModelError(f"force {name!r} depends on its own power or strength: leave that out of its law")
        return done

    def _force_number(self, ref: ForceNumber, thing: str) -> Expression:
        if ref.force in self.model.drives:
            rate = f"mbs.rate({self.model.drives[ref.force].body!r})"
            raise ModelError(
                f"{thing}: {ref.force!r} is a drive, not a force: ask for mbs.drive_force({ref.force!r}), and for its "
                f"power multiply that by {rate}"
            )
        if ref.force not in self.model.forces:
            have = ", ".join(self.model.forces) or "none"
            raise ModelError(f"{thing}: unknown force {ref.force!r}; forces of model {self.model.name!r}: {have}")
        force = self.model.forces[ref.force]
        return measured(ref.kind, force, self.effect(ref.force), ref.k, self, thing)

    def _total(self, ref: Total, thing: str) -> Expression:
        if not self.tree.links:
            raise ModelError(f"{thing}: model {self.model.name!r} has no body that can move, so no {ref.kind}")
        self.needs.totals = self.needs.pose = self.needs.twist = True
        return self._load("totals", getattr(Totals, ref.kind) + ref.k)

    def _body_total(self, ref: BodyTotal, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        body = self.model.bodies[ref.body]
        if ref.kind == "center":
            return self.one(position(body, body.com)[ref.k], thing)
        momentum, angular = momenta_of(body)
        return self.one((momentum if ref.kind == "momentum" else angular)[ref.k], thing)

    # -- what the balance of momenta tells -------------------------------------------------------------
    def _of_balance(self, reference: Residual | Multiplier | ReactionNumber | TwistRate, thing: str) -> Expression:
        self.needs.instant = True
        if isinstance(reference, Residual):
            return self._load("closing", Closing.residual)
        if isinstance(reference, TwistRate) or not reference.mean:
            self._accelerations_known(thing)
        if isinstance(reference, TwistRate):
            return self._twist_rate(reference, thing)
        if isinstance(reference, ReactionNumber) and reference.owner in self.model.bodies:
            return self._joint_reaction(reference, thing)
        assert self.closures is not None
        name = reference.loop if isinstance(reference, Multiplier) else reference.owner
        c = self.closures.number(name, thing)
        region = "means" if reference.mean else "multipliers"

        def multiplier(row: int) -> Expression:
            return leaf(Load("R" if reference.mean else "D", "", self.layout[region].start + row))

        if isinstance(reference, ReactionNumber):
            return self.closures.reaction(c, multiplier)[reference.k]
        count = len(self.closures.loops[c].rows)
        if reference.k < 0 and count > 1:
            raise ModelError(f"{thing}: loop {name!r} has {count} conditions: say which, 1 to {count}")
        if reference.k >= count:
            raise ModelError(f"{thing}: condition {reference.k + 1} of loop {name!r} does not exist, it has {count}")
        return multiplier(self.closures.places.row[c] + max(reference.k, 0))

    def _drive_force(self, ref: DriveForce, thing: str) -> Expression:
        """What (P4) lacks along a given motion: the rate of its momentum less all that is known of it."""
        if ref.drive not in self.model.drives:
            have = ", ".join(self.model.drives) or "none"
            raise ModelError(f"{thing}: unknown drive {ref.drive!r}; drives of model {self.model.name!r}: {have}")
        drive = self.model.drives[ref.drive]
        if ref.k < 0 and len(drive.rates) > 1:
            raise ModelError(f"{thing}: drive {ref.drive!r} gives {len(drive.rates)} rates: say which")
        if ref.k >= len(drive.rates):
            raise ModelError(
                f"{thing}: rate {ref.k + 1} of drive {ref.drive!r} does not exist, it has {len(drive.rates)}"
            )
        place = self.tree.u[drive.body][drive.rates[max(ref.k, 0)]]
        self.needs.instant = True
        if ref.mean:
            return self._load("drive_means", place.offset)
        self._accelerations_known(thing)
        rate = leaf(Load("D", "", self.layout["drive_momenta"].start + place.offset))
        return rate - self._load("drive_rests", place.offset)

    def _accelerations_known(self, thing: str) -> None:
        """ModelError where a given motion follows an input: its acceleration is not known, and so no other is."""
        for drive in self.model.drives.values():
            signals = leaves([*drive.position, *drive.rate])
            followed = [s.name for s in signals if s.kind == "input" and s.name not in self.replaced]
            if followed:
                raise ModelError(
                    f"{thing}: drive {drive.name!r} follows input {followed[0]!r}, so accelerations, reactions and "
                    "forces of drives are not known at an instant: give its motion as a function of time or of states, "
                    "or ask for means (mean=True)"
                )

    def _twist_rate(self, ref: TwistRate, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        frame = self.tree.frames[ref.body]
        if frame.link < 0:
            return as_expression(0.0)
        start = self.layout["twist"].start + 6 * frame.link
        v, w = (Vector(leaf(Load("D", "", start + 3 * part + k)) for k in range(3)) for part in range(2))
        part = v + w.cross(self._numbers(frame.origin, thing)) if ref.k < 3 else w
        return part.dot(frame.rotation[:, ref.k % 3])

    def _joint_reaction(self, ref: ReactionNumber, thing: str) -> Expression:
        """mu_dot + Omega mu - F^ of the branch: what the parent does to it."""
        body = self.model.bodies[ref.owner]
        if ref.mean:
            raise ModelError(f"{thing}: the mean reaction is known for loops only, not for body {body.name!r}")
        if not body.joint.elements:
            raise ModelError(
                f"{thing}: body {body.name!r} is welded and one with its parent: give it a joint that a stiff spring "
                "holds, or ask for the reaction of the joint that it hangs on with others"
            )
        frame = self.tree.frames[body.name]
        start = self.layout["balance"].start + 12 * frame.link

        def vector(array: str, part: int) -> Vector:
            return Vector(leaf(Load(array, "", start + 3 * part + k)) for k in range(3))

        f, n, force, torque = (vector("R", part) for part in range(4))
        v, w = self.link_twist(frame.link)
        pull = vector("D", 0) + w.cross(f) - force
        twist = vector("D", 1) + v.cross(f) + w.cross(n) - torque
        twist = twist - self._numbers(frame.origin, thing).cross(pull)
        local = pull if ref.k < 3 else twist
        return self.link_rotation(frame.link)[ref.k % 3].dot(local)

    def _load(self, region: str, offset: int) -> Expression:
        return leaf(Load("R", "", self.layout[region].start + offset))

    def _signal(self, s: Signal, thing: str) -> Expression:
        if s.kind == "time":
            return leaf(Load("R", "", Head.time))
        if s.kind == "input" and s.name in self.replaced:
            return self.one(self.replaced[s.name], f"input {s.name!r}")
        groups: dict[str, tuple[Mapping[str, object], str]] = {
            "parameter": (self.model.parameters, "parameters"),
            "input": (self.model.inputs, "inputs"),
            "state": (self.model.states, "z"),
        }
        group, region = groups[s.kind]
        if s.name not in group:
            raise ModelError(f"{thing} refers to the {s.kind} {s.name!r} of another model: define it in this one")
        return self._load(region, list(group).index(s.name))

    def _joint_number(self, ref: JointNumber, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        joint = self.model.bodies[ref.body].joint
        count = len(joint.coordinates if ref.kind == "coordinate" else joint.rates)
        if ref.k < 0 and count > 1:
            raise ModelError(
                f"{thing}: the joint of body {ref.body!r} has {count} {ref.kind}s: say which, 1 to {count}"
            )
        if max(ref.k, 0) >= count:
            raise ModelError(f"{thing}: {ref.kind} {ref.k + 1} of body {ref.body!r} does not exist, it has {count}")
        k = max(ref.k, 0)
        return self.coordinate(ref.body, k) if ref.kind == "coordinate" else self.rate(ref.body, k)

    def _frame_number(self, ref: FrameNumber, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        frame = self.tree.frames[ref.body]
        if ref.kind == "rotation":
            i, j = divmod(ref.k, 3)
            return Vector(self.link_rotation(frame.link)[i]).dot(frame.rotation[:, j])
        if ref.kind == "origin":
            return self.world_point(frame.link, self._numbers(frame.origin, thing))[ref.k]
        v, w = self.link_twist(frame.link)
        d = self._numbers(frame.origin, thing)
        part = v + w.cross(d) if ref.k < 3 else w
        return part.dot(frame.rotation[:, ref.k % 3])

    def _numbers(self, vector: Vector, thing: str) -> Vector:
        return Vector(self.parameters_only(vector, thing))

    # -- kinematics of links, as addresses -------------------------------------------------------
    def link_rotation(self, link: int) -> list[Vector]:
        """Rows of the link's rotation, link to world."""
        if link < 0:
            return [Vector(as_expression(float(i == j)) for j in range(3)) for i in range(3)]
        self.needs.pose = True
        return [Vector(self._load("pose", 12 * link + 3 * i + j) for j in range(3)) for i in range(3)]

    def world_point(self, link: int, point: Vector) -> Vector:
        """World position of a point given in link axes."""
        if link < 0:
            return point
        origin = Vector(self._load("pose", 12 * link + 9 + k) for k in range(3))
        return origin + self.to_world(link, point)

    def link_twist(self, link: int) -> tuple[Vector, Vector]:
        """Twist of the link in its own axes."""
        if link < 0:
            return Vector((0.0, 0.0, 0.0)), Vector((0.0, 0.0, 0.0))
        self.needs.twist = True
        v, w = (Vector(self._load("twist", 6 * link + 3 * i + k) for k in range(3)) for i in range(2))
        return v, w

    def to_world(self, link: int, vector: Vector) -> Vector:
        """Link components to world components."""
        return Vector(row.dot(vector) for row in self.link_rotation(link))

    def world_velocity(self, link: int, point: Vector) -> Vector:
        """Velocity of a point given in link axes, in world axes."""
        v, w = self.link_twist(link)
        return self.to_world(link, v + w.cross(point))

    def world_spin(self, link: int) -> Vector:
        """Angular velocity of a link in world axes."""
        return self.to_world(link, self.link_twist(link)[1])

    def coordinate(self, body: str, k: int) -> Expression:
        """Coordinate k of a body's joint, from 0."""
        return leaf(Load("R", "", self.tree.q[body][k].slot(self.layout)))

    def rate(self, body: str, k: int) -> Expression:
        """Joint velocity k of a body, from 0."""
        return leaf(Load("R", "", self.tree.u[body][k].slot(self.layout)))

    def to_link(self, link: int, vector: Vector) -> Vector:
        """World components to link components."""
        R = self.link_rotation(link)
        return Vector(Vector(R[k][j] for k in range(3)).dot(vector) for j in range(3))
