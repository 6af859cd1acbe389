"""Resolution of references: expressions of the user become expressions of numbers in the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.effects import Along
from ...model.geometry.vectors import Vector
from ...model.model import Model
from ...model.names import joint_index
from ...model.references.leaves import (
    AxisNumber,
    FailedStep,
    FrameNumber,
    JointNumber,
    ModalNumber,
    PartNumber,
    PointNumber,
    Signal,
    SpinNumber,
)
from ...record.blocks import HeadNumbers
from ...record.layout import TIME, Load
from ...symbolic.expressions import Expression, as_expression, is_condition, leaf
from ...symbolic.formula import Own
from ...symbolic.graph import leaves, rebuild
from ...symbolic.rotations import rebuilt
from ...symbolic.units import to_si
from ..tree.elastic_bodies import ElasticAddresses, elastic_addresses
from ..tree.links import Frame, Tree
from ..tree.rotations import rotate
from .switches import on_side

Handler = Callable[
    [Any, "Resolver", str], Expression
]  #: resolves a reference; the text names the item that contains it, for messages

#: Regions of the record with the signals, by their role.
REGIONS = {"parameter": "parameters", "input": "inputs", "state": "z", "sampled": "sampled"}


@dataclass
class Resolver:
    """Replaces references by numbers of the record; `replaced` contains inputs that are given as expressions of time.

    This class resolves references to bodies and signals. `handlers` resolve the other classes of references. They need
    a resolver themselves, so its maker completes this table (`gather`).
    """

    model: Model
    tree: Tree
    replaced: Mapping[str, Expression]
    handlers: Mapping[type, Handler]
    _vectors: dict[object, Vector] = field(default_factory=dict, init=False)  #: of points and axes, by first component
    _rotations: dict[str, np.ndarray] = field(default_factory=dict, init=False)  #: of bodies in their links
    _within: list[str] = field(default_factory=list, init=False)  #: outputs that are being resolved, nested
    _knows_time: bool = field(default=False, init=False)  #: before, no expression can switch at a time

    def __call__(self, expressions: Sequence[Expression], thing: str) -> list[Expression]:
        def number(node: Expression) -> Expression | None:
            if node.op == "leaf":
                return self.reference(node.value, thing)
            if any(is_condition(arg) for arg in (node.args[1:] if node.op == "where" else node.args)):
                raise ModelError(f"{thing} uses a condition as a number: convert it by mbs.where(condition, 1, 0)")
            return None

        resolved = rebuild(expressions, number)
        return on_side(resolved) if self._knows_time else resolved

    @cached_property
    def elastic(self) -> ElasticAddresses:
        """Addresses of elastic bodies."""
        return elastic_addresses(self.tree)

    @property
    def moves_by_itself(self) -> bool:
        """True if some joint has a prescribed motion, by a drive or by formulas of time."""
        formulas = [x for link in self.tree.links for m in link.motions for x in m.motion.expressions]
        timed = Signal("time", "time") in leaves(formulas)
        return bool(self.model.drives) or timed

    def with_places(self, places: Mapping[str, tuple[Vector, np.ndarray]]) -> Resolver:
        """Return a resolver for which some bodies have another origin and rotation in their links."""
        frames = {body: Frame(self.tree.frames[body].link, R, origin) for body, (origin, R) in places.items()}
        return self._like(tree=replace(self.tree, frames=self.tree.frames | frames))

    def with_handlers(self, handlers: Mapping[type, Handler]) -> Resolver:
        """Return a resolver with other handlers of some classes of references."""
        return self._like(handlers={**self.handlers, **handlers})

    def _like(self, **changes: Any) -> Resolver:
        other = replace(self, **changes)
        other._knows_time = self._knows_time
        return other

    def one(self, expression: Expression, thing: str) -> Expression:
        return self([expression], thing)[0]

    def parameters_only(self, expressions: Sequence[Expression], thing: str) -> list[Expression]:
        """Resolve expressions of parameters only; raises ModelError for any that depend on other things."""
        for reference in leaves(expressions):
            of_parameter = isinstance(reference, Signal) and reference.role == "parameter"
            if not of_parameter and not isinstance(reference, PartNumber):
                raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
        return self(expressions, thing)

    def joint_formulas(self, expressions: Sequence[Expression]) -> list[Expression]:
        """Resolve the formulas of a custom joint, except references to the joint's own coordinates."""

        def number(node: Expression) -> Expression | None:
            own = node.op != "leaf" or isinstance(node.value, Own)
            return None if own else self.reference(node.value, "a custom joint")

        return rebuild(expressions, number)

    def reference(self, reference: object, thing: str) -> Expression:
        """Resolve a reference by the handler of its class. Raises ModelError if there is no handler."""
        handler = HANDLERS.get(type(reference)) or self.handlers.get(type(reference))
        if handler is None:
            raise ModelError(f"{thing} refers to {reference}, which this model does not have")
        return handler(reference, self, thing)

    # -- signals and joints -----------------------------------------------------------------------------
    def signal(self, s: Signal, thing: str) -> Expression:
        if s.role == "time":
            self._knows_time = True
            return leaf(TIME)
        if s.role == "input" and s.name in self.replaced:
            return self.one(self.replaced[s.name], f"input {s.name!r}")
        if s.role == "signal":
            return self._named(s.name, thing)
        group = self._signals[s.role]
        if s.name not in group:
            raise ModelError(f"{thing} refers to the {s.role} {s.name!r} of another model: define it in this one")
        return load(REGIONS[s.role], group[s.name][0])

    @cached_property
    def _signals(self) -> dict[str, dict[str, tuple[int, str | None]]]:
        """Index and unit of every signal, by role and name."""
        units: dict[str, dict[str, str | None]] = {
            "parameter": {name: x.unit for name, x in self.model.parameters.items()},
            "input": {name: x.unit for name, x in self.model.inputs.items()},
            "state": {name: x.unit for name, x in self.model.states.items()},
            "sampled": {name: x.unit for x in self.model.sampled_signals.values() for name in x.names},
        }
        return {role: {name: (k, own[name]) for k, name in enumerate(own)} for role, own in units.items()}

    @cached_property
    def _outputs(self) -> dict[str, tuple[Expression, str | None]]:
        """Expression and unit of every output, by the names of the components."""
        outputs = self.model.outputs.values()
        return {name: (x, o.unit) for o in outputs for name, x in zip(o.names, o.expressions, strict=True)}

    def _named(self, name: str, thing: str) -> Expression:
        """Return a signal of any kind in SI units, which all formulas use."""
        for role, group in self._signals.items():
            if name in group:
                return to_si(self.signal(Signal(role, name), thing), group[name][1])
        if name in self._outputs:
            expression, unit = self._outputs[name]
            return to_si(self._published(name, expression, thing), unit)
        known = [*(known for group in self._signals.values() for known in group), *self._outputs]
        problem = f"{thing}: unknown signal {name!r}{did_you_mean(name, known)}"
        raise ModelError(f"{problem}; signals of model {self.model.name!r}: {', '.join(known) or 'none'}")

    def _published(self, name: str, expression: Expression, thing: str) -> Expression:
        """Return a component of an output. Raises ModelError if it depends on itself."""
        if name in self._within:
            chain = " -> ".join([*self._within[self._within.index(name) :], name])
            raise ModelError(f"{thing}: output {name!r} depends on itself, {chain}: put a state between")
        self._within.append(name)
        try:
            return self.one(expression, thing)
        finally:
            self._within.pop()

    def joint_number(self, ref: JointNumber, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        k = joint_index(self.model, ref, thing)
        return self.coordinate(ref.body, k) if ref.quantity == "coordinate" else self.rate(ref.body, k)

    def modal_number(self, ref: ModalNumber, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        body = self.model.bodies[ref.body]
        if body.elastic is None:
            raise ModelError(f"{thing}: {body.no_modes('modes')}")
        count = body.elastic.modes.count
        if ref.k >= count:
            raise ModelError(f"{thing}: mode {ref.k + 1} of body {ref.body!r} does not exist, it has {count}")
        addresses = (self.tree.q if ref.quantity == "coordinate" else self.tree.u)[ref.body]
        return leaf(addresses[len(addresses) - count + ref.k].load)

    def velocity_index(self, along: Along) -> int:
        """Return the number, from 0, of the velocity of a body along which a generalized force acts."""
        return along.k + len(self.model.bodies[along.body].joint.rates) * along.modal

    def frame_number(self, ref: FrameNumber, thing: str) -> Expression:
        self.model.known_reference(ref, thing)
        frame = self.tree.frames[ref.body]
        if ref.quantity == "rotation":
            i, j = divmod(ref.k, 3)
            return Vector(self.link_rotation(frame.link)[i]).dot(self.axes(ref.body, thing)[:, j])
        if ref.quantity == "origin":
            return self.world_point(frame.link, self.numbers(frame.origin, thing))[ref.k]
        v, w = self.link_twist(frame.link)
        d = self.numbers(frame.origin, thing)
        part = v + w.cross(d) if ref.k < 3 else w
        return part.dot(self.axes(ref.body, thing)[:, ref.k % 3])

    # -- points and axes on bodies ------------------------------------------------------------
    def point_number(self, ref: PointNumber, thing: str) -> Expression:
        def vector() -> Vector:
            link, point = self.point_of(ref.body, Vector(ref.at), thing)
            return (self.world_point if ref.quantity == "position" else self.world_velocity)(link, point)

        return self._anchored(replace(ref, k=0), vector)[ref.k]

    def axis_number(self, ref: AxisNumber, thing: str) -> Expression:
        def vector() -> Vector:
            frame = self.turned(np.array(ref.frame).reshape(3, 3), thing)
            axis = (self.axes(ref.body, thing) @ frame)[:, ref.axis]
            return self.to_world(self.tree.frames[ref.body].link, Vector(axis))

        return self._anchored(replace(ref, k=0), vector)[ref.k]

    def spin_number(self, ref: SpinNumber) -> Expression:
        return self._anchored(replace(ref, k=0), lambda: self.world_spin(self.tree.frames[ref.body].link))[ref.k]

    def _anchored(self, first: object, vector: Callable[[], Vector]) -> Vector:
        """Return a vector, which is created once and shared by all references to its components."""
        if first not in self._vectors:
            self._vectors[first] = vector()
        return self._vectors[first]

    def point_of(self, body: str, point: Vector, thing: str) -> tuple[int, Vector]:
        """Return the link of a body's point and the point in link axes. Raises ModelError if it may change in a run."""
        frame = self.tree.frames[body]
        return frame.link, self.numbers(frame.origin + rotate(frame.rotation, point), thing)

    def numbers(self, vector: Vector, thing: str) -> Vector:
        return Vector(self.parameters_only(vector, thing))

    def axes(self, body: str, thing: str) -> np.ndarray:
        """Return the rotation of a body's frame in its link: from body to link coordinates."""
        if body not in self._rotations:
            self._rotations[body] = self.turned(self.tree.frames[body].rotation, thing)
        return self._rotations[body]

    def turned(self, R: np.ndarray, thing: str) -> np.ndarray:
        """Return a rotation given in the model; its entries are numbers of the record if they depend on parameters."""
        return rebuilt(R, lambda entries: self.numbers(entries, thing))

    # -- kinematics of links, as addresses -------------------------------------------------------
    def link_rotation(self, link: int) -> list[Vector]:
        """Return the rows of the rotation from link to world axes."""
        if link < 0:
            return [Vector(as_expression(float(i == j)) for j in range(3)) for i in range(3)]
        return [Vector(load("pose", 12 * link + 3 * i + j) for j in range(3)) for i in range(3)]

    def world_point(self, link: int, point: Vector) -> Vector:
        """Return the world position of a point given in link axes."""
        if link < 0:
            return point
        origin = Vector(load("pose", 12 * link + 9 + k) for k in range(3))
        return origin + self.to_world(link, point)

    def link_twist(self, link: int) -> tuple[Vector, Vector]:
        """Return the twist of the link in its own axes."""
        if link < 0:
            return Vector((0.0, 0.0, 0.0)), Vector((0.0, 0.0, 0.0))
        v, w = (Vector(load("twist", 6 * link + 3 * i + k) for k in range(3)) for i in range(2))
        return v, w

    def to_world(self, link: int, vector: Vector) -> Vector:
        """Return the world components of a vector given in link components."""
        return Vector(row.dot(vector) for row in self.link_rotation(link))

    def world_velocity(self, link: int, point: Vector) -> Vector:
        """Return the velocity, in world axes, of a point given in link axes."""
        v, w = self.link_twist(link)
        return self.to_world(link, v + w.cross(point))

    def world_spin(self, link: int) -> Vector:
        """Return the angular velocity of a link in world axes."""
        return self.to_world(link, self.link_twist(link)[1])

    def coordinate(self, body: str, k: int) -> Expression:
        """Return coordinate k, from 0, of a body's joint."""
        return leaf(self.tree.q[body][k].load)

    def rate(self, body: str, k: int) -> Expression:
        """Return joint velocity k, from 0, of a body."""
        return leaf(self.tree.u[body][k].load)

    def to_link(self, link: int, vector: Vector) -> Vector:
        """Return the link components of a vector given in world components."""
        R = self.link_rotation(link)
        return Vector(Vector(R[k][j] for k in range(3)).dot(vector) for j in range(3))


def load(region: str, offset: int, array: str = "R") -> Expression:
    """Return the number of a region at an offset from the region's start."""
    return leaf(Load(array, region, offset))


HANDLERS: dict[type, Handler] = {
    Signal: lambda reference, resolve, thing: resolve.signal(reference, thing),
    JointNumber: lambda reference, resolve, thing: resolve.joint_number(reference, thing),
    ModalNumber: lambda reference, resolve, thing: resolve.modal_number(reference, thing),
    FrameNumber: lambda reference, resolve, thing: resolve.frame_number(reference, thing),
    PointNumber: lambda reference, resolve, thing: resolve.point_number(reference, thing),
    AxisNumber: lambda reference, resolve, thing: resolve.axis_number(reference, thing),
    SpinNumber: lambda reference, resolve, thing: resolve.spin_number(reference),
    FailedStep: lambda reference, resolve, thing: load("head", HeadNumbers.failed_step),
    PartNumber: lambda reference, resolve, thing: leaf(reference),
}
