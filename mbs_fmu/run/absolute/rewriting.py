"""Rewriting of a model in absolute coordinates (docs/loops.md).

All bodies are attached to the world by free joints and all joints become closures. Forces along joints become wrenches
on bodies, and references to joint coordinates become measures of bodies. Elastic bodies are free at their roots, and
closures join their nodes: the form of Gorobtsov (2005), (3), (15), (16) and (21) to (23), whose misprints are listed in
docs/equations_elastic.md.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ...compile.followers import as_conditions
from ...compile.laws.gradients import held, held_slopes
from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.closures import Equations, PairClosure, Side
from ...model.data import ModelData
from ...model.effects import Action, Along, Check, Effect, Foot, Part, Push
from ...model.forces.places import expressions
from ...model.items import WORLD, Body, Event, Force, Output, Range, Start, State, body_label
from ...model.joints import Free
from ...model.measures.measures import to_world
from ...model.model import Model
from ...model.references.leaves import Held, JointNumber, Multiplier, ReactionNumber
from ...model.workless import workless_load
from ...symbolic.expressions import ZERO, Expression, leaf
from ...symbolic.graph import leaves, rebuild
from ...symbolic.vectors import ORIGIN, Vector
from .masses import with_inertia
from .measured import MeasuredJoint, measured, slope


@dataclass(frozen=True, eq=False)
class RewrittenForce(Force):
    """Force with rewritten effects: wrenches on bodies in place of generalized forces along joints.

    original: the force. whole: its effect. rewritten: its parts. again: rewrites another force.
    """

    original: Force
    whole: Effect
    rewritten: tuple[Part, ...]
    checks: tuple[Check, ...]
    again: Callable[[Force], RewrittenForce]

    @property
    def thing(self) -> str:
        return self.original.thing

    @property
    def contact_points(self) -> int:
        return self.original.contact_points

    def totals(self, points: Sequence[Mapping[str, Vector]]) -> Mapping[str, Vector | None]:
        return self.original.totals(points)

    def effect(self) -> Effect:
        return self.whole

    def with_laws(self, changed: Callable[[Any], Any]) -> RewrittenForce:
        other = self.original.with_laws(changed)
        return self if other is self.original else self.again(other)

    def parts(self) -> Sequence[Part]:
        return self.rewritten

    def start_checks(self) -> Sequence[Check]:
        return self.checks

    def feet(self) -> Sequence[Foot]:
        return self.original.feet()  # of positions of bodies only


def absolute(model: Model) -> Model:
    """Return the model in absolute coordinates, without start values, which the run sets.

    Raises ModelError for joints whose coordinates do not follow from the positions of bodies, for bodies that cannot be
    free, for drives and rotors.
    """
    if model.drives:
        raise ModelError(
            f"drive {next(iter(model.drives))!r} prescribes the motion of a joint, and absolute form has no joint "
            'coordinates: leave the drive or formulation="absolute" out'
        )
    if model.rotors:
        raise ModelError(
            f"rotor {next(iter(model.rotors))!r} moves with a joint velocity, and absolute form has no joint "
            'velocities: leave the rotor or formulation="absolute" out'
        )
    free = as_conditions(model)
    return _Rewriting(free).rewrite(free)


def joint_loop(body: str) -> str:
    """Return the name of the closure that replaces a body's joint; users cannot choose such a name."""
    return f"joint of {body}"


def joint_column(name: str) -> str:
    """Return the name of the output that replaces a joint's column of results."""
    return f"joint column {name}"


def is_freed(body: Body) -> bool:
    """True if a free joint replaces the body's joint, unless this joint is a weld or already free in the world."""
    is_free = body.parent == WORLD and len(body.joint.motions) == 1 and len(body.joint.rates) == 6
    return bool(body.joint.motions) and not is_free


class _Rewriting:
    """The joints of a model as measures of bodies, and the rewriting of everything that refers to joints."""

    def __init__(self, model: ModelData):
        self.model = model
        for body in model.bodies.values():
            for motion in body.joint.motions:
                if motion.degrees_of_freedom is None:
                    raise ModelError(
                        f"{body_label(body.name)}: a {motion.name} joint can't be a closure, so it has no absolute "
                        'form: leave formulation="absolute" out'
                    )
        self.joints: dict[str, MeasuredJoint] = {b.name: measured(b) for b in model.bodies.values() if is_freed(b)}

    def rewrite(self, model: Model) -> Model:
        """Return a copy of the model with all its items rewritten."""
        copied = copy.copy(model)
        freed = [model.bodies[name] for name in self.joints]
        copied.bodies = {body.name: self._body(body) for body in model.bodies.values()}
        copied.start_laws, copied.ranges = {}, {}  # they belong to the coordinates of the tree
        copied.static_starts = {}  # the start of the tree contains the static deformations of elastic bodies
        copied.starts = {body.name: Start(guess=True) for body in model.bodies.values() if body.joint.motions}
        closures = [_closure(body) for body in freed if len(body.joint.rates) < 6]
        copied.loops = {loop.name: loop for loop in closures}
        copied.loops |= {name: self.rewritten(loop) for name, loop in model.loops.items()}
        copied.forces = {name: self._force(force) for name, force in model.forces.items()}
        copied.states = {name: self.rewritten(state) for name, state in model.states.items()}
        for joint in self.joints.values():
            copied.states |= {name: State(name, rate, 0.0, None, "") for name, rate in joint.counter_rates.items()}
        copied.sampled_signals = {name: self.rewritten(signal) for name, signal in model.sampled_signals.items()}
        copied.events = {name: self._event(event) for name, event in model.events.items()}
        columns = {joint_column(name): x for body in freed for name, x in self._columns(body).items()}
        copied.outputs = {name: self.rewritten(output) for name, output in model.outputs.items()}
        copied.outputs |= {name: Output(name, Vector([x]), False, None, "", Range()) for name, x in columns.items()}
        return copied

    def _body(self, body: Body) -> Body:
        if not body.joint.motions:
            return body
        if body.name not in self.joints:
            return with_inertia(self.model, body)
        free = replace(body, parent=WORLD, joint=Free(), position=ORIGIN, rotation=np.eye(3))
        return replace(free, inertia=with_inertia(self.model, body).inertia)

    def _event(self, event: Event) -> Event:
        for name, _ in event.reset:
            owner, _, suffix = name.rpartition(".")
            if owner in self.joints and suffix in self._joint_variables(owner):
                raise ModelError(
                    f"event {event.name!r} resets {name!r}, a variable of a joint, which absolute form does not have: "
                    'leave that or formulation="absolute" out'
                )
            for carried in self.joints:
                if owner in self._welded_inboard(self.model.bodies[carried].parent):
                    raise ModelError(
                        f"event {event.name!r} resets {name!r}, with which {body_label(carried)} moves in joint "
                        'coordinates, but not in absolute form: leave that or formulation="absolute" out'
                    )
        rewritten: Event = self.rewritten(event)
        return rewritten

    def _joint_variables(self, body: str) -> set[str]:
        joint = self.model.bodies[body].joint
        return {suffix for suffix, _ in (*joint.coordinates, *joint.rates)}

    def _welded_inboard(self, name: str) -> list[str]:
        """Return a body or node, and the bodies to which it is welded, up to the first that moves in its joint."""
        names = [name]
        while name != WORLD and not self.model.bodies[name].joint.motions:
            name = self.model.bodies[name].parent
            names.append(name)
        return names

    # -- references ------------------------------------------------------------------------------------
    def rewritten(self, item: Any) -> Any:
        """Return an expression, or a container of expressions, with all references to joints replaced."""
        if not any(isinstance(x, Held) or hasattr(x, "argument") for x in leaves(expressions(item))):
            return item
        if isinstance(item, Expression):
            return rebuild([item], self._replaced)[0]
        if is_dataclass(item) and not isinstance(item, type):
            return replace(item, **{entry.name: self.rewritten(getattr(item, entry.name)) for entry in fields(item)})
        return type(item)([self.rewritten(entry) for entry in item])

    def _replaced(self, node: Expression) -> Expression | None:
        reference = node.value
        if isinstance(reference, JointNumber) and reference.body in self.joints:
            return self._number(reference)
        if isinstance(reference, ReactionNumber) and reference.owner in self.joints:
            return self._reactions[reference.owner][reference.k]
        if isinstance(reference, Held):
            return leaf(Held(self.rewritten(reference.number)))
        if hasattr(reference, "argument"):  # it may hold a body of the original model
            return leaf(replace(reference, argument=None), node.name)
        return None

    def _number(self, reference: JointNumber) -> Expression:
        joint = self.joints[reference.body]
        return (joint.coordinates if reference.quantity == "coordinate" else joint.rates)[max(reference.k, 0)]

    # -- forces ----------------------------------------------------------------------------------------
    def _force(self, force: Force) -> RewrittenForce:
        whole, parts = self._effect(force.effect()), tuple(_part(self._effect(part.effect())) for part in force.parts())
        checks = tuple((self.rewritten(number), message) for number, message in force.start_checks())
        return RewrittenForce(force.name, force, whole, parts, checks, self._force)

    def _effect(self, effect: Effect) -> Effect:
        numbers = (effect.strength, effect.stored, effect.lost)
        strength, stored, lost = (None if x is None else self.rewritten(x) for x in numbers)
        actions = (effect.action, effect.dissipates, effect.prescribed)
        action, dissipates, prescribed = (self._action(part) for part in actions)
        rates = tuple((name, self.rewritten(rate)) for name, rate in effect.rates)
        measures = {
            quantity: tuple(None if x is None else self.rewritten(x) for x in vectors)
            for quantity, vectors in effect.measures.items()
        }
        return Effect(action, strength, stored, dissipates, prescribed, rates, lost, measures)

    def _action(self, action: Action) -> Action:
        """Return an action with wrenches in place of generalized forces along replaced joints."""
        pushes = [self.rewritten(push) for push in action.pushes]
        for along in filter(self._is_replaced, action.along):
            pushes += self._pushes(along.body, along.k, self.rewritten(along.number))
        remaining = tuple(self.rewritten(along) for along in action.along if not self._is_replaced(along))
        return Action(tuple(pushes), remaining)

    def _is_replaced(self, along: Along) -> bool:
        """True for a generalized force along the velocity of a joint that is replaced."""
        return along.body in self.joints and not along.modal

    def _pushes(self, name: str, k: int, number: Expression) -> list[Push]:
        """Return a generalized force along a joint velocity as wrenches on both bodies, that on b last."""
        ends = [end for end in (self.model.bodies[name].parent, name) if end != WORLD]
        units = [(end, self.joints[name].unit_force(k, end)) for end in ends]
        return [Push(end, ORIGIN, force * number, torque * number, in_world=False) for end, (force, torque) in units]

    # -- reactions of joints -----------------------------------------------------------------------------
    @cached_property
    def _along(self) -> dict[tuple[str, int], list[Expression]]:
        """Generalized forces that the model's force elements exert along the joint velocities of the tree, N or N.m.

        By body and index of the velocity.
        """
        along_joints: dict[tuple[str, int], list[Expression]] = {}
        for force in self.model.forces.values():
            for along in (*force.effect().action.along, *_along_of_laws(force)):
                if not along.modal:
                    along_joints.setdefault((along.body, along.k), []).append(self.rewritten(along.number))
        return along_joints

    @cached_property
    def _along_closures(self) -> dict[tuple[str, int], list[Expression]]:
        """Generalized forces that closures defined by equations exert along the joint velocities of the tree, N or N.m.

        By body and index of the velocity.
        """
        along_joints: dict[tuple[str, int], list[Expression]] = {}
        for loop in self.model.loops.values():
            for row, condition in enumerate(loop.expressions if isinstance(loop, Equations) else ()):
                multiplier = leaf(Multiplier(loop.name, row, False))
                for reference in leaves([condition]):
                    if isinstance(reference, JointNumber):
                        key = (reference.body, max(reference.k, 0))
                        force = multiplier * self.rewritten(slope(condition, reference))
                        along_joints.setdefault(key, []).append(force)
        return along_joints

    @cached_property
    def _reactions(self) -> dict[str, Vector]:
        """Force and torque of the parent on each body, about its origin and in world axes, as in the tree."""
        return {name: self._reaction(self.model.bodies[name]) for name in self.joints}

    def _reaction(self, body: Body) -> Vector:
        """Return the reaction of the closure plus the generalized forces along the joint."""
        closed = len(body.joint.rates) < 6
        total = [leaf(ReactionNumber(joint_loop(body.name), k, False)) if closed else ZERO for k in range(6)]
        for k in range(len(body.joint.rates)):
            key = body.name, k
            number = sum((*self._along.get(key, ()), *self._along_closures.get(key, ())), start=ZERO)
            force, torque = self.joints[body.name].unit_force(k, body.name)
            unit = [*to_world(body.name, force), *to_world(body.name, torque)]
            total = [x + y * number for x, y in zip(total, unit, strict=True)]
        force, torque = workless_load(self.model, body.name)
        return Vector(x - y for x, y in zip(total, (*force, *torque), strict=True))

    # -- columns -----------------------------------------------------------------------------------------
    def _columns(self, body: Body) -> dict[str, Expression]:
        """Return coordinates, joint velocities and generalized forces of a joint, by their names in results."""
        measures, joint = self.joints[body.name], body.joint
        columns: dict[str, Expression] = {}
        for names, values in ((joint.coordinates, measures.coordinates), (joint.rates, measures.rates)):
            columns |= {f"{body.name}.{suffix}": x for (suffix, _), x in zip(names, values, strict=True)}
        for k, (suffix, _) in enumerate(joint.forces):
            if (body.name, k) in self._along:
                columns[f"{body.name}.{suffix}"] = sum(self._along[body.name, k], start=ZERO)
        return columns


def _along_of_laws(force: Force) -> Iterator[Along]:
    """Yield the forces along joints that follow from joint coordinates in the laws of a force."""
    like = held(force)
    stored = None if like is None else like.effect().stored
    for number, slope_by in [] if stored is None else held_slopes(stored):
        reference = number.number.value
        if isinstance(reference, JointNumber) and reference.quantity == "coordinate":
            yield Along(reference.body, max(reference.k, 0), -slope_by)


def _part(effect: Effect) -> Part:
    return Part(lambda: effect)


def _closure(body: Body) -> PairClosure:
    """Return the body's joint as a closure between the joint frame on the parent and the body's origin.

    Raises ModelError if the joint cannot close a loop.
    """
    thing = f"joint of {body_label(body.name)}"
    a, b = Side(body.parent, body.position, body.rotation), Side(body.name, ORIGIN, np.eye(3))
    joint = body.joint.checked(thing)
    joint.conditions(0, thing)
    return PairClosure(joint_loop(body.name), a, b, joint)
