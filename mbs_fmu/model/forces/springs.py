"""Springs between two points or on a joint coordinate: linear, tables or formulas, with a damper each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..characteristics import Elastic, elastic, require_law
from ..names import new_name
from ..parts import Body, OnBodies, OnJoint
from ..told import Told
from ..vectors import Vector, numbers
from .places import add_force, scalar_joint, two_bodies, unit_along


@dataclass(frozen=True, eq=False)
class PointSpring(OnBodies):
    """A pull along the line between two points, x their distance beyond the free length."""

    a: str
    at_a: Vector
    b: str
    at_b: Vector
    elastic: Elastic


@dataclass(frozen=True, eq=False)
class CoordinateSpring(OnJoint):
    """A spring on coordinate k."""

    elastic: Elastic


def spring(
    model: Told,
    name: str,
    a: str | Body | None = None,
    b: str | Body | None = None,
    *,
    on: str | Body | None = None,
    coordinate: int | None = None,
    at_a: Any = (0.0, 0.0, 0.0),
    at_b: Any = (0.0, 0.0, 0.0),
    stiffness: Any = 0.0,
    damping: Any = 0.0,
    length: Any = 0.0,
    force: Any = None,
    energy: Any = None,
) -> None:
    """A spring and damper, between two points or on a joint coordinate.

    Between points `at_a` of body `a` and `at_b` of body `b` (m, body axes): a pull of
    stiffness x + damping dx/dt along the line, with the extension x = distance - length.
    On a joint coordinate (`on`, and `coordinate` from 1 where the joint has several): a force or torque of
    -stiffness x - damping u, with x = q - length. stiffness: N/m or N.m/rad; damping: N.s/m or N.m.s/rad;
    length: m or rad. All may be expressions.

    force adds to that: a table (extensions, forces), interpolated linearly and constant beyond its ends, or a
    function of x, or of x and dx/dt, that returns an expression. energy, instead: a function of x, whose
    derivative is the force.
    """
    new_name(model, name, "force")
    thing = f"spring {name!r}"
    if on is None:
        law = elastic(stiffness, damping, length, force, energy, "m", thing)
        ends = two_bodies(model, a, b, thing, "two bodies, or on= with a joint coordinate")
        places = numbers(at_a, 3, f"at_a of {thing}", "m"), numbers(at_b, 3, f"at_b of {thing}", "m")
        require_law(law, thing)
        add_force(model, PointSpring(name, ends[0], places[0], ends[1], places[1], law), thing)
        return
    if a is not None or b is not None:
        raise ModelError(f"{thing}: give either two bodies or on=, not both")
    body, k = scalar_joint(model, on, coordinate, thing, "spring")
    law = elastic(stiffness, damping, length, force, energy, unit_along(model, body, k), thing)
    require_law(law, thing)
    add_force(model, CoordinateSpring(name, body, k, law), thing)
