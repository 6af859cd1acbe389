"""From a model to the same in absolute coordinates (docs/loops.md): bodies hang on the world by free joints, each joint
is a closure, what acts along joints puts wrenches on bodies, and what refers to joint coordinates measures bodies."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import ZERO, Expression, leaf
from ...symbolic.graph import leaves, rebuild
from ...symbolic.vectors import ORIGIN, Vector
from ..builders.followers import as_conditions
from ..closures import Equations, PairClosure, Side
from ..data import ModelData
from ..effects import Action, Check, Effect, Push
from ..forces.places import expressions
from ..items import WORLD, Body, Event, Force, Output, Range, Start, State, said
from ..joints import Free
from ..measures.measures import to_world
from ..model import Model
from ..references.leaves import JointNumber, Multiplier, ReactionNumber
from .masses import with_inertia
from .measured import Measured, measured, slope


@dataclass(frozen=True, eq=False)
class Carried(Force):
    """The effect of a force of the tree, with wrenches on bodies in place of what acts along joints."""

    does: Effect
    checks: tuple[Check, ...]
    called: str

    @property
    def thing(self) -> str:
        return self.called

    def effect(self) -> Effect:
        return self.does

    def start_checks(self) -> Sequence[Check]:
        return self.checks


def absolute(model: Model) -> Model:
    """The model in absolute coordinates; without start values, which the run gives.

    Raises ModelError for joints whose coordinates can't be told from where bodies are, for bodies that can't be free or
    are elastic, for drives and rotors.
    """
    if model.drives:
        raise ModelError(
            f"drive {next(iter(model.drives))!r} gives the motion of a joint, and absolute form has none: leave the "
            'drive or formulation="absolute" out'
        )
    if model.rotors:
        raise ModelError(
            f"rotor {next(iter(model.rotors))!r} moves with a joint velocity, and absolute form has none: leave the "
            'rotor or formulation="absolute" out'
        )
    for body in model.bodies.values():
        if body.elastic is not None:
            raise ModelError(
                f"{said(body.name)} is elastic, and absolute form has rigid bodies only: leave its elastic or "
                'formulation="absolute" out'
            )
    free = as_conditions(model)
    return _Rewriting(free).of(free)


def joint_loop(body: str) -> str:
    """The closure that a body's joint becomes; its name is none that a user may give."""
    return f"joint of {body}"


def joint_column(name: str) -> str:
    """The output that stands for a joint's column of results."""
    return f"joint column {name}"


def is_freed(body: Body) -> bool:
    """True if another joint takes the place of the body's: not of welded ones, nor of those that fly freely."""
    flies = body.parent == WORLD and len(body.joint.motions) == 1 and len(body.joint.rates) == 6
    return bool(body.joint.motions) and not flies


class _Rewriting:
    """The joints of a model as measures, and what becomes of all that refers to them."""

    def __init__(self, model: ModelData):
        self.model = model
        for body in model.bodies.values():
            for motion in body.joint.motions:
                if motion.degrees_of_freedom is None:
                    raise ModelError(
                        f"{said(body.name)}: a {motion.name} joint can't be a closure, so that it has no absolute "
                        'form: leave formulation="absolute" out'
                    )
        self.joints: dict[str, Measured] = {b.name: measured(b) for b in model.bodies.values() if is_freed(b)}

    def of(self, model: Model) -> Model:
        """The model with every room rewritten."""
        out = copy.copy(model)
        freed = [model.bodies[name] for name in self.joints]
        out.bodies = {body.name: self._body(body) for body in model.bodies.values()}
        out.start_laws, out.ranges = {}, {}  # starts are those of the tree, coordinates others
        out.starts = {body.name: Start(guess=True) for body in model.bodies.values() if body.joint.motions}
        closed = [_closure(body) for body in freed if len(body.joint.rates) < 6]
        out.loops = {loop.name: loop for loop in closed}
        out.loops |= {name: self.told(loop) for name, loop in model.loops.items()}
        out.forces = {name: self._carried(force) for name, force in model.forces.items()}
        out.states = {name: self.told(state) for name, state in model.states.items()}
        for joint in self.joints.values():
            out.states |= {name: State(name, rate, 0.0, None, "") for name, rate in joint.counted.items()}
        out.sampled_signals = {name: self.told(signal) for name, signal in model.sampled_signals.items()}
        out.events = {name: self._event(event) for name, event in model.events.items()}
        columns = {joint_column(name): x for body in freed for name, x in self._columns(body).items()}
        out.outputs = {name: self.told(output) for name, output in model.outputs.items()}
        out.outputs |= {name: Output(name, Vector([x]), False, None, "", Range()) for name, x in columns.items()}
        return out

    def _body(self, body: Body) -> Body:
        if not body.joint.motions:
            return body
        if body.name not in self.joints:
            return with_inertia(self.model, body)
        hung = replace(body, parent=WORLD, joint=Free(), position=ORIGIN, rotation=np.eye(3))
        return replace(hung, inertia=with_inertia(self.model, body).inertia)

    def _event(self, event: Event) -> Event:
        for name, _ in event.reset:
            if name.rpartition(".")[0] in self.joints:
                raise ModelError(
                    f"event {event.name!r} resets {name!r}, a number of a joint: in absolute form it has none, leave "
                    'that or formulation="absolute" out'
                )
        told: Event = self.told(event)
        return told

    # -- references ------------------------------------------------------------------------------------
    def told(self, thing: Any) -> Any:
        """The same with all references to joints replaced: of an expression, or of whatever has some."""
        if not any(hasattr(reference, "argument") for reference in leaves(expressions(thing))):
            return thing
        if isinstance(thing, Expression):
            return rebuild([thing], self._replaced)[0]
        if is_dataclass(thing) and not isinstance(thing, type):
            return replace(thing, **{entry.name: self.told(getattr(thing, entry.name)) for entry in fields(thing)})
        return type(thing)([self.told(entry) for entry in thing])

    def _replaced(self, node: Expression) -> Expression | None:
        reference = node.value
        if isinstance(reference, JointNumber) and reference.body in self.joints:
            return self._number(reference)
        if isinstance(reference, ReactionNumber) and reference.owner in self.joints:
            return self._reactions[reference.owner][reference.k]
        if hasattr(reference, "argument"):  # of a body, which may be the tree's
            return leaf(replace(reference, argument=None), node.name)
        return None

    def _number(self, reference: JointNumber) -> Expression:
        joint = self.joints[reference.body]
        return (joint.coordinates if reference.quantity == "coordinate" else joint.rates)[max(reference.k, 0)]

    # -- forces ----------------------------------------------------------------------------------------
    def _carried(self, force: Force) -> Carried:
        effect = force.effect()
        strength, stored = (None if x is None else self.told(x) for x in (effect.strength, effect.stored))
        does, dissipates, given = (self._action(x) for x in (effect.does, effect.dissipates, effect.given))
        checks = tuple((self.told(number), said_then) for number, said_then in force.start_checks())
        return Carried(force.name, Effect(does, strength, stored, dissipates, given), checks, force.thing)

    def _action(self, action: Action) -> Action:
        pushes = [self.told(push) for push in action.pushes]
        for along in action.along:
            if along.body in self.joints:
                pushes += self._pushes(along.body, along.k, self.told(along.number))
        kept = tuple(self.told(along) for along in action.along if along.body not in self.joints)
        return Action(tuple(pushes), kept)

    def _pushes(self, name: str, k: int, number: Expression) -> list[Push]:
        """A number along a joint velocity as wrenches on both bodies, b's last."""
        ends = [end for end in (self.model.bodies[name].parent, name) if end != WORLD]
        units = [(end, self.joints[name].unit_force(k, end)) for end in ends]
        return [Push(end, ORIGIN, force * number, torque * number, in_world=False) for end, (force, torque) in units]

    # -- what joints transmit ----------------------------------------------------------------------------
    @cached_property
    def _along(self) -> dict[tuple[str, int], list[Expression]]:
        """All that acts along each joint velocity of the tree, N or N.m, by body and number: forces and closures."""
        out: dict[tuple[str, int], list[Expression]] = {}
        for force in self.model.forces.values():
            for along in force.effect().does.along:
                out.setdefault((along.body, along.k), []).append(self.told(along.number))
        return out

    @cached_property
    def _along_closures(self) -> dict[tuple[str, int], list[Expression]]:
        out: dict[tuple[str, int], list[Expression]] = {}
        for loop in self.model.loops.values():
            for row, condition in enumerate(loop.expressions if isinstance(loop, Equations) else ()):
                multiplier = leaf(Multiplier(loop.name, row, False))
                for reference in leaves([condition]):
                    if isinstance(reference, JointNumber):
                        key = (reference.body, max(reference.k, 0))
                        out.setdefault(key, []).append(multiplier * self.told(slope(condition, reference)))
        return out

    @cached_property
    def _reactions(self) -> dict[str, Vector]:
        """Force and torque of the parent on each body about its origin, world axes, as the tree's joints have them."""
        return {name: self._reaction(self.model.bodies[name]) for name in self.joints}

    def _reaction(self, body: Body) -> Vector:
        """That of the closure, and what acts along the joint beside it."""
        closed = len(body.joint.rates) < 6
        total = [leaf(ReactionNumber(joint_loop(body.name), k, False)) if closed else ZERO for k in range(6)]
        for k in range(len(body.joint.rates)):
            key = body.name, k
            number = sum((*self._along.get(key, ()), *self._along_closures.get(key, ())), start=ZERO)
            force, torque = self.joints[body.name].unit_force(k, body.name)
            unit = [*to_world(body.name, force), *to_world(body.name, torque)]
            total = [x + y * number for x, y in zip(total, unit, strict=True)]
        return Vector(total)

    # -- columns -----------------------------------------------------------------------------------------
    def _columns(self, body: Body) -> dict[str, Expression]:
        """Coordinates, joint velocities and forces of a joint, by the names that they have in results."""
        joint, told = self.joints[body.name], body.joint
        out: dict[str, Expression] = {}
        for named, numbers in ((told.coordinates, joint.coordinates), (told.rates, joint.rates)):
            out |= {f"{body.name}.{suffix}": x for (suffix, _), x in zip(named, numbers, strict=True)}
        for k, (suffix, _) in enumerate(told.forces):
            if (body.name, k) in self._along:
                out[f"{body.name}.{suffix}"] = sum(self._along[body.name, k], start=ZERO)
        return out


def _closure(body: Body) -> PairClosure:
    """The body's joint, from its place on the parent to the body's origin. ModelError where it is no loop's joint."""
    thing = f"joint of {said(body.name)}"
    a, b = Side(body.parent, body.position, body.rotation), Side(body.name, ORIGIN, np.eye(3))
    joint = body.joint.checked(thing)
    joint.conditions(0, thing)
    return PairClosure(joint_loop(body.name), a, b, joint)
