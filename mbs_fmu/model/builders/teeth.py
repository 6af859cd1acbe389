"""Teeth of wheels: their numbers, the pitch point, and the direction of the force on their flanks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, leaf
from ..checks import finite_number
from ..closures.mesh import Mesh, Wheel
from ..data import ModelData
from ..forces.involutes import PHASE
from ..geometry.axes import PARALLEL, Axis, unit_axis
from ..geometry.vectors import Vector, is_list, numbers, traced
from .argument_types import Components, Quantity
from .wheels import COINCIDENT, common_carrier, value, values, wheel

RADIUS_TOLERANCE = 1e-3  #: relative difference of the argument `radii` from the pitch radii that follow from the axes
LARGEST_PRESSURE_ANGLE = np.radians(45.0)


@dataclass(frozen=True)
class Teeth:
    """Arguments of `gear` for wheels with teeth; counts: checked numbers of teeth of a and of b."""

    counts: tuple[int, int]
    radii: list[float] | None
    at: Components | None
    along: Axis | None
    flanks: Flanks | None


@dataclass(frozen=True)
class Flanks:
    """Directions of the flanks. pressure_angle: in the transverse plane, rad. helix: on the pitch circle, rad, positive
    if the first wheel is right-handed."""

    pressure_angle: float
    helix: float

    @property
    def base_slope(self) -> float:
        """Tangent of the helix angle on the base circle: tan beta_b = tan beta cos alpha_t."""
        return float(np.tan(self.helix) * np.cos(self.pressure_angle))

    def turned(self, mesh: Mesh, forwards: float, line: np.ndarray, outwards: Vector) -> Mesh:
        """Return a mesh whose tooth force has axial and radial parts; its multiplier is the force along the transverse
        line of action.

        forwards: 1 if `along` of the mesh turns the first wheel forwards, else -1. line: direction of the pitch
        cylinders or cones at the pitch point. outwards: direction in which the teeth push the second wheel away.
        """
        tangential, radial = np.cos(self.pressure_angle), np.sin(self.pressure_angle)
        along = (mesh.along - Vector(line.tolist()) * float(forwards * np.tan(self.helix))) * float(tangential)
        return replace(mesh, along=along, apart=outwards * float(radial))


def flanks(pressure_angle: Quantity | None, helix: Quantity | None, thing: str) -> Flanks | None:
    """Return the directions of flanks from the normal pressure angle and the helix angle, tan a_t = tan a_n / cos b.

    Raises ModelError for a helix without a pressure angle, and for angles that no teeth have.
    """
    if pressure_angle is None:
        if helix is not None:
            raise ModelError(f'{thing}: helix= needs pressure_angle= too, such as "20 deg"')
        return None
    normal = finite_number(pressure_angle, f"pressure_angle of {thing}", "rad")
    if not 0.0 < normal < LARGEST_PRESSURE_ANGLE:
        raise ModelError(
            f'{thing}: a pressure angle of {normal:.6g} rad is not between 0 and 45 deg: give one such as "20 deg"'
        )
    slope = 0.0 if helix is None else finite_number(helix, f"helix of {thing}", "rad")
    if not abs(slope) < 0.5 * np.pi:
        raise ModelError(
            f'{thing}: a helix angle of {slope:.6g} rad is not between -90 and 90 deg: give one such as "15 deg"'
        )
    return Flanks(float(np.arctan(np.tan(normal) / np.cos(slope))), slope)


def by_phase(law: Any, thing: str) -> Any:
    """Return a number or an expression as it is, and a function of the phase as an expression of its placeholder."""
    return traced(law, thing, leaf(PHASE)) if callable(law) else law


def tooth_arguments(
    teeth: Any, radii: Any, at: Components | None, along: Axis | None, turned: Flanks | None, thing: str
) -> Teeth:
    """Return the checked arguments of wheels with teeth."""
    if (at is None) != (along is None):
        raise ModelError(f"{thing}: give both at= and along=, or none of them")
    if turned is not None and along is not None:
        raise ModelError(
            f"{thing}: along= is the direction of the tooth force already: leave pressure_angle= and helix= out, or "
            "at= and along="
        )
    pitch_radii = None if radii is None else _radii(radii, thing)
    one, two = _tooth_numbers(teeth, thing)
    if at is None and one * two < 0 and max(-one, -two) < max(one, two):
        raise ModelError(
            f"{thing}: teeth is {display(teeth)}: an internal gear, whose number is negative, needs more teeth than "
            "the wheel inside it"
        )
    return Teeth((one, two), pitch_radii, at, along, turned)


def _tooth_numbers(teeth: Any, thing: str) -> tuple[int, int]:
    """Return the checked numbers of teeth."""
    counts = list(teeth) if is_list(teeth) else [teeth]
    if len(counts) != 2:
        raise ModelError(f"{thing}: teeth is {display(teeth)}: give two whole numbers, of a and of b")
    for count in counts:
        if not (is_whole(count) or (isinstance(count, float) and count.is_integer())) or count == 0:
            raise ModelError(
                f"{thing}: {display(count)} is not a number of teeth: give a whole number, or ratio= without teeth"
            )
    one, two = (int(count) for count in counts)
    if one < 0 and two < 0:
        raise ModelError(
            f"{thing}: teeth is {display(teeth)}: two wheels with inside teeth can't mesh: make one number positive"
        )
    return one, two


def fixed_mesh(model: ModelData, name: str, ends: tuple[str, str], teeth: Teeth, carrier: str | None) -> Mesh:
    """Return the mesh of two wheels with teeth that turn about fixed axes, with a checked pitch point."""
    thing = f"gear {name!r}"
    if carrier is None:
        carrier = common_carrier(model, ends, thing)
    one, two = (wheel(model, end, carrier, count, thing) for end, count in zip(ends, teeth.counts, strict=True))
    if teeth.at is None or teeth.along is None:
        mesh = _mesh_from_axes(model, name, (one, two), carrier, teeth)
    else:
        point = numbers(teeth.at, 3, f"at of {thing}", "m")
        mesh = Mesh(name, (one, two), carrier, point, Vector(unit_axis(teeth.along)))
    _check_speeds(model, mesh, teeth)
    return mesh


def _radii(radii: Any, thing: str) -> list[float]:
    """Return the checked pitch radii, m."""
    items = list(radii) if is_list(radii) else [radii]
    if len(items) != 2:
        raise ModelError(f"{thing}: radii is {display(radii)}: give the pitch radii of a and of b")
    return [finite_number(x, f"pitch radius {k} of {thing}", "m") for k, x in enumerate(items, start=1)]


def _mesh_from_axes(
    model: ModelData, name: str, wheels: tuple[Wheel, Wheel], carrier: str, teeth: Teeth
) -> Mesh:  # fmt: skip
    """Return the mesh of wheels whose axes are parallel or intersect. Raises ModelError for skew axes."""
    thing, (one, two) = f"gear {name!r}", wheels
    apart = two.centre - one.centre
    if np.linalg.norm(np.cross(one.axis, two.axis)) < PARALLEL:
        two = replace(two, axis=one.axis)
        aside = apart - Vector(one.axis) * apart.dot(one.axis)
        share = pitch_share(model, aside, (one.teeth, two.teeth), thing)
        middle, outwards = one.centre + (apart - aside) * 0.5, aside / aside.norm()
        mesh = Mesh(name, (one, two), carrier, middle + aside * share, Vector(one.axis).cross(aside) / aside.norm())
        if teeth.flanks is None:
            return mesh
        sign = float(np.sign(one.teeth + two.teeth))
        return teeth.flanks.turned(mesh, float(np.sign(share)), one.axis, outwards * sign)
    normal = np.cross(one.axis, two.axis)
    if abs(value(model, apart.dot(normal))) > COINCIDENT * max(1e-3, float(np.linalg.norm(values(model, apart)))):
        raise ModelError(
            f"{thing}: the axes are skew: give the pitch point, at=, and the direction of the force, along="
        )
    return _bevel(model, name, (one, two), carrier, teeth)


def pitch_share(model: ModelData, aside: Vector, counts: tuple[int, int], thing: str) -> float:
    """Return the position of the pitch point on the way from the first centre to the second one, as a share of it.

    Raises ModelError for wheels about one line, and for an internal gear with the teeth of the wheel in it.
    """
    if not value(model, aside.norm()) > 0.0 or sum(counts) == 0:
        raise ModelError(f"{thing}: the wheels turn about one line, and can't mesh: give carrier=")
    return counts[0] / sum(counts)


def _bevel(model: ModelData, name: str, wheels: tuple[Wheel, Wheel], carrier: str, teeth: Teeth) -> Mesh:
    """Return the mesh of wheels with intersecting axes.

    The pitch point lies on the common line of both pitch cones, in the plane of one of the wheels.
    """
    one, two = wheels
    apart, cosine = two.centre - one.centre, float(one.axis @ two.axis)
    along_one, along_two = apart.dot(one.axis), apart.dot(two.axis)
    ways = (cosine * along_two - along_one) / (1.0 - cosine**2), (along_two - cosine * along_one) / (1.0 - cosine**2)
    apex = one.centre - Vector(one.axis) * ways[0]
    small = COINCIDENT * max(1e-3, float(np.linalg.norm(values(model, apart))))
    signs = [-1.0 if value(model, way) < -small else 1.0 for way in ways]
    one, two = (replace(wheel, axis=sign * wheel.axis) for wheel, sign in zip((one, two), signs, strict=True))
    line = two.teeth * one.axis + one.teeth * two.axis
    line /= np.linalg.norm(line)
    if teeth.radii is not None:
        length: Expression | float = teeth.radii[0] / float(np.linalg.norm(np.cross(one.axis, line)))
    else:
        reach = [
            (way * sign) / float(wheel.axis @ line)
            for way, sign, wheel in zip(ways, signs, (one, two), strict=True)
            if abs(value(model, way)) > small and abs(wheel.axis @ line) > PARALLEL
        ]
        length = reach[0] if reach else 1.0 / float(np.linalg.norm(np.cross(one.axis, line)))
    normal = np.cross(one.axis, two.axis)
    mesh = Mesh(name, (one, two), carrier, apex + Vector(line) * length, Vector(normal / np.linalg.norm(normal)))
    if teeth.flanks is None:
        return mesh
    outer = float(np.sign(value(model, Vector([length])[0])))  # the line leads from the apex to the pitch point
    forwards = float(np.sign(value(model, mesh.radii[0])))
    return teeth.flanks.turned(mesh, forwards, outer * line, Vector(_outwards(mesh, outer * line).tolist()))


def _outwards(mesh: Mesh, line: np.ndarray) -> np.ndarray:
    """Return the direction in which the teeth of bevel wheels push the second one away: across the pitch cones.

    It leads from the face of the second wheel into it. At the line of contact, which leads away from the apex, that is
    the side of its axis, or the other one for an internal gear.
    """
    one, two = mesh.wheels
    pinion = one if two.teeth < 0 else two
    facing = float(np.sign(pinion.axis @ line)) if min(one.teeth, two.teeth) < 0 else 1.0
    across = two.axis - line * (two.axis @ line)
    return np.asarray(np.sign(two.teeth) * facing * across / np.linalg.norm(across))


def _check_speeds(model: ModelData, mesh: Mesh, teeth: Teeth) -> None:
    """Raise ModelError unless the numbers of teeth give both wheels the same velocity at the pitch point, and unless
    given radii are those of the pitch point."""
    thing = f"gear {mesh.name!r}"
    shrunk = 1.0 if teeth.flanks is None else float(np.cos(teeth.flanks.pressure_angle))
    one, two = (value(model, radius) / shrunk for radius in mesh.radii)
    first, second = (wheel.teeth for wheel in mesh.wheels)
    size = max(abs(one * second), abs(two * first))
    if not size > 0.0 or not abs(one * second + two * first) <= COINCIDENT * size:
        opposite = size > 0.0 and abs(one * second - two * first) <= COINCIDENT * size
        remedy = "but for the sense: give one of them the other sign" if opposite else "change at=, along= or teeth="
        raise ModelError(
            f"{thing}: at the pitch point the wheels' radii along the force are {one:.6g} and {two:.6g} m, which does "
            f"not suit their teeth, {first} and {second}{', ' if opposite else ': '}{remedy}"
        )
    check_radii(teeth.radii, (one, two), thing)


def check_radii(radii: list[float] | None, actual: tuple[float, float], thing: str) -> None:
    """Raise ModelError unless given pitch radii, m, are those that follow from the axes and the teeth."""
    if radii is not None and any(
        not abs(abs(radius) - abs(right)) <= RADIUS_TOLERANCE * abs(right)
        for radius, right in zip(radii, actual, strict=True)
    ):
        one, two = actual
        raise ModelError(
            f"{thing}: pitch radii {radii[0]:.6g} and {radii[1]:.6g} m are at odds with the axes and the teeth, which "
            f"make them {abs(one):.6g} and {abs(two):.6g} m: leave radii= out"
        )
