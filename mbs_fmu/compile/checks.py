"""What must hold for any parameters, and at any start: numbers that must be positive, with what is said otherwise."""

from __future__ import annotations

from ..expressions import Expression, as_expression, is_literal, leaf, sqrt, where
from ..graph import leaves
from ..layout import INERTIA, Head
from ..model.checks import ROUNDING, SLACK
from ..model.forces import PointSpring
from ..model.loops import Distance, Loop
from ..model.parts import Body
from ..model.references import Signal
from .forces import attracted, line, thing_of
from .resolve import Resolver, load

Check = tuple[Expression, str]
STEPS_BEFORE = 30.0  #: a pull that changes within so many steps is what they failed at
LEAST_TIME = 1e-11  #: part of the time by which steps can go on, with as many of them as error control makes


# -- of parameters -------------------------------------------------------------------------------------


def body_checks(resolve: Resolver, body: Body) -> list[Check]:
    """Numbers that must be positive for any parameters, with messages (literals are checked when given)."""
    checks = []
    thing = f"body {body.name!r}"
    if not is_literal(body.mass):
        mass = resolve.parameters_only([body.mass], f"mass of {thing}")[0]
        checks.append((_not_negative(mass), f"mass of {thing} must not be negative: change {_named(body.mass)}"))
    entries = [body.inertia[a][b] for a, b in INERTIA]
    if not all(is_literal(x) for x in entries):
        xx, xy, xz, yy, yz, zz = resolve.parameters_only(entries, f"inertia of {thing}")
        half = 0.5 * (xx + yy + zz)
        size = half + ROUNDING
        slack = SLACK * half + ROUNDING
        if body.physical:  # the second moments of mass, in the place of the inertia's: positive semidefinite too
            xx, yy, zz, xy, xz, yz = half - xx, half - yy, half - zz, -xy, -xz, -yz
        law = "negative, or against the triangle inequality" if body.physical else "a principal moment is negative"
        message = (
            f"inertia of {thing} is not that of a real body ({law}): "
            f"change {', '.join(sorted({_named(x) for x in entries if not is_literal(x)}))}"
        )
        minors = [x + slack for x in (xx, yy, zz)]
        minors += [x + slack * size for x in (xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz)]
        determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
        minors.append(determinant + slack * size * size)
        checks += [(_not_negative(minor), message) for minor in minors if not is_literal(minor)]
    return checks


def _not_negative(value: Expression) -> Expression:
    return where(value >= 0.0, 1.0, 0.0)


def _named(expression: Expression) -> str:
    names = [r.name for r in leaves([expression]) if isinstance(r, Signal)]
    return "parameter " + " or ".join(repr(name) for name in names)


def rod_lengths(resolve: Resolver) -> list[Check]:
    """Lengths of rods that parameters decide, which must be positive, with messages."""
    checks = []
    for loop in resolve.model.loops.values():
        if isinstance(loop, Loop) and isinstance(loop.joint, Distance) and not is_literal(loop.joint.length):
            parameters = leaves([loop.joint.length])
            if all(isinstance(r, Signal) and r.kind == "parameter" for r in parameters):
                names = ", ".join(repr(r.name) for r in parameters)
                message = f"length of loop {loop.name!r} must be positive: change parameter {names}"
                checks.append((resolve.one(loop.joint.length, f"length of loop {loop.name!r}"), message))
    return checks


# -- of a start ------------------------------------------------------------------------------------------


def start_checks(resolve: Resolver) -> list[Check]:
    return _coincident_ends(resolve) + _drive_directions(resolve) + _at_center(resolve)


def _drive_directions(resolve: Resolver) -> list[Check]:
    """For each quaternion that a drive gives: a number that is positive where it has a direction."""
    checks = []
    for drive in resolve.model.drives.values():
        joint = resolve.model.bodies[drive.body].joint
        for k in joint.quaternions if len(drive.coordinates) == len(joint.coordinates) else ():
            places = resolve.tree.q[drive.body][k : k + 4]
            square = sum((leaf(p.load) ** 2 for p in places), start=as_expression(0.0))
            message = (
                f"drive {drive.name!r}: its quaternion has no direction, all its numbers are zero: give "
                "its inputs start values such as 1, 0, 0, 0"
            )
            checks.append((square, message))
    return checks


def _at_center(resolve: Resolver) -> list[Check]:
    """For each body in point gravity: a number that is positive away from the centre.

    After a failed step also where the pull changes, in times of about sqrt(r³/mu), within some of such steps or so fast
    that times can't tell.
    """
    checks = []
    step, time = (load("head", slot) for slot in (Head.failed_step, Head.time))
    near = where(step > 0.0, STEPS_BEFORE * step + LEAST_TIME * abs(time), 0.0)
    for body in attracted(resolve):
        square = body.r.dot(body.r)
        message = (
            f"body {body.name!r}: its centre of mass is at the centre of the point gravity, where the pull has no "
            "bound: start it elsewhere, or stop it before"
        )
        checks.append((square * sqrt(square) - abs(body.mu) * near * near, message))
    return checks


def _coincident_ends(resolve: Resolver) -> list[Check]:
    """For each point spring of non-zero length: a number that is positive where it has a direction."""
    checks = []
    for force in resolve.model.forces.values():
        if isinstance(force, PointSpring) and not is_literal(force.elastic.length, 0.0):
            length = resolve.one(force.elastic.length, thing_of(force))
            distance = line(force, resolve)[0].norm()
            slack = where(length * length <= 0.0, as_expression(1.0), distance - 1e-12 * sqrt(length * length))
            message = (
                f"spring {force.name!r}: its ends coincide, so it has no direction; "
                "move an attachment point or a start value, or give it length=0"
            )
            checks.append((slack, message))
    return checks
