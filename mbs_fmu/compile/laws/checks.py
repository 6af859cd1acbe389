"""Checks of parameters and of the start: expressions that must be positive, each with a message."""

from __future__ import annotations

import numpy as np

from ...model.checks import ROUNDING, SLACK
from ...model.effects import Check
from ...model.elastic_parts import ElasticPart
from ...model.items import Body
from ...model.references.leaves import Signal
from ...record.layout import INERTIA
from ...symbolic.expressions import Expression, as_expression, is_literal, leaf, where
from ...symbolic.graph import leaves
from ...symbolic.rotations import NEAR, by_parameters, determinant, deviation, entries_of, is_always_one
from . import forces
from .resolve import Resolver

# -- of parameters -------------------------------------------------------------------------------------


def body_checks(resolve: Resolver, body: Body) -> list[Check]:
    """Return numbers that must be positive for all parameters, with messages; `Model` has checked literals already."""
    thing = f"body {body.name!r}"
    checks = _rotation_checks(resolve, body.rotation, thing)
    if not is_literal(body.mass):
        mass = resolve.parameters_only([body.mass], f"mass of {thing}")[0]
        checks.append((_not_negative(mass), f"mass of {thing} must not be negative: change {_named(body.mass)}"))
    entries = [body.inertia[a][b] for a, b in INERTIA]
    if body.physical and not all(is_literal(x) for x in entries):
        xx, xy, xz, yy, yz, zz = resolve.parameters_only(entries, f"inertia of {thing}")
        half = 0.5 * (xx + yy + zz)
        size = half + ROUNDING
        slack = SLACK * half + ROUNDING
        # from here on, second moments of mass replace moments of inertia: they must be positive semidefinite
        xx, yy, zz, xy, xz, yz = half - xx, half - yy, half - zz, -xy, -xz, -yz
        message = (
            f"inertia of {thing} is not that of a real body (negative, or in violation of the triangle inequality): "
            f"change {', '.join(sorted({_named(x) for x in entries if not is_literal(x)}))}"
        )
        minors = [x + slack for x in (xx, yy, zz)]
        minors += [x + slack * size for x in (xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz)]
        determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
        minors.append(determinant + slack * size * size)
        checks += [(_not_negative(minor), message) for minor in minors if not is_literal(minor)]
    return checks + ([] if body.elastic is None else _modal_checks(resolve, body.elastic, thing))


def _rotation_checks(resolve: Resolver, rotation: np.ndarray, thing: str) -> list[Check]:
    """Return checks that the columns of a rotation are orthonormal and right-handed, unless its formulas ensure it."""
    if not by_parameters(rotation) or is_always_one(rotation):
        return []
    R = resolve.turned(rotation, f"rotation of {thing}")
    message = (
        f"rotation of {thing} is not a rotation matrix: its columns must be orthonormal and right-handed: change "
        f"{_named(*entries_of(rotation))}, or write it by mbs.rpy or mbs.axis_angle"
    )
    return [(NEAR * NEAR - deviation(R), message), (determinant(R), message)]


def _modal_checks(resolve: Resolver, elastic: ElasticPart, thing: str) -> list[Check]:
    """Return checks of the stiffness and damping factors of an elastic body."""
    checks = []
    if not is_literal(elastic.stiffness):
        factor = resolve.parameters_only([elastic.stiffness], f"stiffness of {thing}")[0]
        checks.append((factor, f"stiffness of {thing} must be positive: change {_named(elastic.stiffness)}"))
    if not is_literal(elastic.damping):
        factor = resolve.parameters_only([elastic.damping], f"damping of {thing}")[0]
        message = f"damping of {thing} must not be negative: change {_named(elastic.damping)}"
        checks.append((_not_negative(factor), message))
    return checks


def _not_negative(value: Expression) -> Expression:
    return where(value >= 0.0, 1.0, 0.0)


def _named(*expressions: Expression) -> str:
    names = [r.name for r in leaves(expressions) if isinstance(r, Signal)]
    return "parameter " + " or ".join(repr(name) for name in names)


def closure_checks(resolve: Resolver) -> list[Check]:
    """Return requirements of closures on parameters: numbers that must be positive, with messages."""
    loops = resolve.model.loops.values()
    return [(resolve.one(x, loop.thing), message) for loop in loops for x, message in loop.parameter_checks()]


# -- of a start ------------------------------------------------------------------------------------------


def start_checks(resolve: Resolver) -> list[Check]:
    """Return requirements of forces, drives and gravity on a start: numbers that must be positive, with messages."""
    return forces.start_checks(resolve) + _drive_directions(resolve) + forces.gravity_checks(resolve)


def _drive_directions(resolve: Resolver) -> list[Check]:
    """Return the squared norm of each quaternion that a drive prescribes; it must be positive."""
    checks = []
    for drive in resolve.model.drives.values():
        joint = resolve.model.bodies[drive.body].joint
        for k in joint.quaternions if len(drive.coordinates) == len(joint.coordinates) else ():
            addresses = resolve.tree.q[drive.body][k : k + 4]
            square = sum((leaf(p.load) ** 2 for p in addresses), start=as_expression(0.0))
            message = (
                f"drive {drive.name!r}: its quaternion is zero, so it defines no rotation: give "
                "its inputs start values such as 1, 0, 0, 0"
            )
            checks.append((square, message))
    return checks
