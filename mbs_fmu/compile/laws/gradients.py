"""Forces by which laws depend on the configuration, such as a stiffness that varies with an angle.

The elastic action of a force is minus the gradient of its stored energy along the motion that it resists. If numbers c
of its law depend on coordinates, positions or orientations x too, -dE/dc dc/dx is the rest of the gradient, a force on
all to which x belongs. Whatever depends on velocities counts as held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.effects import Along
from ...model.forces.places import expressions
from ...model.geometry.vectors import Vector
from ...model.items import Body, Force
from ...model.references.leaves import (
    AxisNumber,
    BodyTotal,
    ContactNumber,
    ForceNumber,
    FrameNumber,
    Held,
    JointNumber,
    ModalNumber,
    PointNumber,
    Signal,
)
from ...model.references.naming import Renamed
from ...record.layout import Load
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf
from ...symbolic.graph import derivative, leaves, only, rebuild
from ...symbolic.vectors import ORIGIN
from .resolve import Resolver

IN_MOTION = (JointNumber, ModalNumber, FrameNumber, PointNumber, AxisNumber, ForceNumber, ContactNumber, BodyTotal)
VELOCITIES = ("u", "driven_u", "twist")  #: regions of the record
COORDINATES = ("q", "driven_q")


def held(force: Force) -> Force | None:
    """Return a force with `Held` numbers in its laws; None if no number of its laws depends on the motion."""
    if not any(map(_moves, leaves(expressions(force)))):
        return None
    numbers: dict[object, Expression] = {}

    def hold(reference: object) -> Expression | None:
        return numbers.setdefault(reference, leaf(Held(leaf(reference)))) if _moves(reference) else None

    changed = force.with_laws(Renamed(lambda name: name, hold))
    return None if changed is force else changed


def held_slopes(stored: Expression) -> list[tuple[Held, Expression]]:
    """Return the `Held` numbers of an energy, and its slopes by them, in which no number is held any more."""
    numbers = [x for x in leaves([stored]) if isinstance(x, Held)]
    slopes = [(x, derivative([stored], only(x))[0]) for x in numbers]
    return [(x, rebuild([slope], _released)[0]) for x, slope in slopes if not is_literal(slope, 0.0)]


def _moves(reference: object) -> bool:
    """True for references to quantities that move; an output of the model may be one."""
    return isinstance(reference, IN_MOTION) or (isinstance(reference, Signal) and reference.role == "signal")


@dataclass(frozen=True)
class Gradient:
    """Minus the gradient of an energy. wrenches: force, N, and torque, N.m, on links by their numbers, about the link's
    origin, world axes. along: generalized forces along joint velocities and rates of vibration modes."""

    wrenches: Mapping[int, tuple[Vector, Vector]] = field(default_factory=dict)
    along: tuple[Along, ...] = ()


NO_GRADIENT = Gradient()


class Gradients:
    """Minus the gradients of stored energies by the numbers of laws."""

    def __init__(self, resolve: Resolver):
        self.resolve = resolve

    def __call__(self, stored: Expression, thing: str) -> Gradient:
        """Return minus the gradient of an energy over the `Held` references."""
        slopes = self._slopes(stored, thing)
        links = dict.fromkeys(x.offset // 12 for x in slopes if x.region == "pose")
        wrenches = {link: self._wrench(link, slopes) for link in links}
        bodies = dict.fromkeys(self._owners[x][0].name for x in slopes if x.region in COORDINATES)
        return Gradient(wrenches, tuple(x for name in bodies for x in self._along(name, slopes)))

    def _slopes(self, stored: Expression, thing: str) -> dict[Load, Expression]:
        """Return the slopes of an energy by numbers of the record: by entries of poses, and by coordinates."""
        slopes: dict[Load, Expression] = {}
        for number, slope in held_slopes(stored):
            value = self.resolve.one(number.number, thing)
            loads = [x for x in leaves([value]) if isinstance(x, Load)]
            if any(x.region in VELOCITIES for x in loads):
                continue
            released = self.resolve.one(slope, thing)
            for load in loads:
                if load.region == "pose" or load.region in COORDINATES:
                    by = derivative([value], only(load))[0]
                    slopes[load] = slopes.get(load, ZERO) + released * by
        return slopes

    def _wrench(self, link: int, slopes: Mapping[Load, Expression]) -> tuple[Vector, Vector]:
        """Return force and torque on a link: a small rotation theta turns each axis r of the link by theta x r."""

        def entries(numbers: list[int]) -> Vector:
            return Vector(slopes.get(Load("R", "pose", 12 * link + k), ZERO) for k in numbers)

        rows, torque = self.resolve.link_rotation(link), ORIGIN
        for axis in range(3):
            torque = torque - Vector(row[axis] for row in rows).cross(entries([axis, axis + 3, axis + 6]))
        return -entries([9, 10, 11]), torque

    @cached_property
    def _owners(self) -> dict[Load, tuple[Body, int]]:
        """The body and the number, from 0, of each coordinate, by its address."""
        tree = self.resolve.tree
        return {x.load: (body, k) for body in tree.order for k, x in enumerate(tree.q[body.name])}

    def _along(self, name: str, slopes: Mapping[Load, Expression]) -> Iterator[Along]:
        """Yield the generalized forces -E(q)ᵀ dE/dq of a body, with q_dot = E(q) u."""
        coordinates = [leaf(x.load) for x in self.resolve.tree.q[name]]
        own = [slopes.get(x.value, ZERO) for x in coordinates]
        joint = self.resolve.model.bodies[name].joint
        of_joint = joint.velocity_slopes(coordinates, own)
        for k, number in enumerate([*of_joint, *own[len(joint.coordinates) :]]):
            if not is_literal(number, 0.0):
                yield Along(name, k, -number)


def _released(node: Expression) -> Expression | None:
    return node.value.number if node.op == "leaf" and isinstance(node.value, Held) else None
