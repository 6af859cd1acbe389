"""Measures of forces, of compliant contacts and of tyres, by the names of these, for laws and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, leaf
from ...symbolic.vectors import ORIGIN
from ..geometry.vectors import Vector, is_list
from ..references.leaves import ContactNumber, ForceNumber
from .measures import Wrench


def power(force: str, point: int | None = None) -> Expression:
    """Return the power (W) of a force, by its name, on the mechanism; negative if the force extracts energy.

    point: number of a contact point of a compliant contact, from 1; default: all of the force. Raises ModelError for a
    name that is no text, and an invalid number; the model that uses it checks whether they exist.
    """
    return leaf(ForceNumber("power", _force(force), 0, _point("power", force, point)))


def strength(force: str, point: int | None = None) -> Expression:
    """Return the scalar value of a force of the model, by its name.

    Spring between points: its tension (N). Rotational spring: its torque (N.m), positive if it resists a positive
    angle. Motor, friction, limit or spring on a joint: force or torque along the coordinate. Elastic gear or rack:
    tooth force (N; N.m without teeth), with the sign of the multiplier of a rigid one. Compliant contact: the normal
    force (N), the sum of those of all its points, or that of one `point`.

    Raises ModelError as `power` does.
    """
    return leaf(ForceNumber("strength", _force(force), 0, _point("strength", force, point)))


def applied(force: str, point: int | None = None) -> Wrench:
    """Return the wrench of a force of the model, by its name, on its body, or on b if it acts between two bodies.

    The wrench is about the point of the force on that body, in world axes; for a compliant contact of one point that is
    the centre of the shape, for others the point at_b. point: number of a contact point, whose wrench is about the
    centre of its ball, its corner or the like. The opposite wrench acts on a. Raises ModelError as `power` does.
    """
    name, number = _force(force), _point("applied", force, point)
    f, t = (Vector(leaf(ForceNumber(part, name, k, number)) for k in range(3)) for part in ("force", "torque"))
    return Wrench(f, t)


def penetration(contact: str, point: int | None = None) -> Expression:
    """Return the depth (m) of a compliant contact, by its name: the overlap of both shapes, zero while they are apart.

    point: number of a contact point, from 1; default: the largest depth of all.
    """
    return _contact("penetration", contact, point, 1)[0]


def gap(contact: str, point: int | None = None) -> Expression:
    """Return the distance (m) of both shapes of a compliant contact, by its name, negative where they overlap.

    point: number of a contact point, from 1; default: the least distance of all. It passes through zero where the
    shapes touch and separate, for events there. Of two boxes that are apart it is the largest distance along the
    normals of their faces, at most that of the boxes.
    """
    return _contact("gap", contact, point, 1)[0]


def slip(contact: str, point: int | None = None) -> Vector:
    """Return the sliding velocity (m/s, world axes) of b relative to a at a compliant contact; its norm is the speed.

    point: number of a contact point, from 1, required if there are several. Shapes that are apart have one too.
    """
    return _contact("slip", contact, point, 3)


def contact_point(contact: str, point: int | None = None) -> Vector:
    """Return the world position (m) of the contact point, in the middle of the overlap.

    point: number of a contact point, from 1; default: the centre of pressure of all.
    """
    return _contact("contact_point", contact, point, 3)


def contact_force(contact: str | Sequence[str], point: int | None = None) -> Vector:
    """Return the force (N, world axes) on b of a compliant contact: normal force and friction.

    contact: its name, or a list of names, as `Model.ground` returns it, for the sum. point: number of a contact point,
    from 1; default: the sum of all.
    """
    names: Sequence[Any] = contact if is_list(contact) else [contact]
    return sum((_contact("contact_force", name, point, 3) for name in names), start=ORIGIN)


@dataclass(frozen=True)
class WheelContact:
    """Slips, load, forces and geometry of a tyre (`mbs.wheel`); forces in the axes of the contact, as of the road.

    kappa: longitudinal slip, after relaxation. alpha: slip angle, rad. gamma: inclination angle, rad. fz: load, N. fx,
    fy: forces along and across, N. mx, my, mz: moments on the tyre at the contact point, N.m. loaded_radius,
    effective_radius: m. spin: of the contact, 1/m, and mz_spin: the part of mz due to it, N.m, zero without turn slip.
    effective_height: of the road below the wheel's centre, m, in the road's axes, and effective_slope: along the
    wheel's heading; with cams (`envelope=` of `m.tyre`) those of the effective plane. point: contact point, m, world
    axes.
    """

    kappa: Expression
    alpha: Expression
    gamma: Expression
    fz: Expression
    fx: Expression
    fy: Expression
    mx: Expression
    my: Expression
    mz: Expression
    loaded_radius: Expression
    effective_radius: Expression
    spin: Expression
    mz_spin: Expression
    effective_height: Expression
    effective_slope: Expression
    point: Vector


def wheel(tyre: str) -> WheelContact:
    """Return slips, load, forces and geometry of a tyre of the model, by its name.

    The axes of the contact are x forward, y to the left, z along the normal of the road. An output of it becomes
    name.kappa, name.alpha (rad), name.fz (N) and so on.
    """
    names = [entry.name for entry in fields(WheelContact) if entry.name != "point"]
    numbers = _contact("wheel", tyre, None, len(names) + 3)
    return WheelContact(**dict(zip(names, numbers, strict=False)), point=Vector(numbers[-3:]))


def _contact(quantity: str, name: Any, point: int | None, count: int) -> Vector:
    """Return the components of a measure of a contact. Raises ModelError for a point that is not a number from 1 on."""
    number = _point(quantity, name, point)
    return Vector(leaf(ContactNumber(quantity, _force(name), number, k)) for k in range(count))


def _point(quantity: str, name: Any, point: int | None) -> int:
    """Return the number of a contact point, 0 for None. Raises ModelError unless it is a number from 1 on."""
    if point is not None and (not is_whole(point) or point < 1):
        raise ModelError(f"{quantity} of contact {display(name)}: point {display(point)}: give a number from 1 on")
    return 0 if point is None else int(point)


def _force(name: str) -> str:
    if not isinstance(name, str):
        raise ModelError(f"{display(name)} is not the name of a force")
    return name


__all__ = [
    "applied", "contact_force", "contact_point", "gap", "penetration", "power", "slip", "strength", "wheel",
]  # fmt: skip
