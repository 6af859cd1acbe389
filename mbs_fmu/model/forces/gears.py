"""Elastic gears: teeth and couplings with a stiffness, and with backlash, instead of a constraint.

They act along the constraint rows of rigid gears (L15): f = -k psi - clip(d psi_dot, -k |psi|, k |psi|), psi the part
of the residual g beyond half the backlash on either side. g is zero in the zero position of all joints. In couplings by
ratio without backlash the parts cannot separate, so the damper is not limited: f = -k g - d g_dot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression, is_literal
from ...symbolic.vectors import ORIGIN, Vector
from ..closures import Mesh, Side
from ..effects import Action, Effect, Push
from ..geometry.anchors import axes, point_position, point_velocity, spin
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.vectors import no_less_than_zero
from ..items import OnBodies
from ..places import FOLLOWED
from .characteristics import DAMPING, STIFFNESS, Ends, Shaft

ONE = as_expression(1.0)


@dataclass(frozen=True)
class Anchored:
    """Points and axes of a closure's sides as measures, from which a force is built; see `mesh.Seen`."""

    sides: Sequence[Side]

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        at = self.sides[side]
        if local is None:
            return point_position(at.body, at.at)
        axis = local if isinstance(local, str) else [float(x) for x in local]
        return axes(at.body, third_axis(unit_axis(axis)))[2]

    def velocity(self, side: int, point: Vector) -> Vector:
        at = self.sides[side]
        return point_velocity(at.body, at.at) + spin(at.body).cross(point - self.vector(side, None))


@dataclass(frozen=True, eq=False)
class ElasticMesh(OnBodies):
    """Elastic teeth of two wheels: a force at the pitch point, proportional to the phase error of `mesh`, m."""

    mesh: Mesh = field(metadata=FOLLOWED)
    ends: Ends

    @property
    def thing(self) -> str:
        return f"gear {self.name!r}"

    def effect(self) -> Effect:
        """Return the effect; the strength is the tooth force on the second wheel, the multiplier of a rigid gear."""
        seen = Anchored(self.mesh.sides)
        strength, dissipated, stored = self.ends.push(self.mesh.phase(seen), self.mesh.slip(seen))
        return Effect(self._tooth(seen, strength), strength, stored, dissipates=self._tooth(seen, dissipated))

    def _tooth(self, seen: Anchored, strength: Expression) -> Action:
        """Return the tooth force, moved from the pitch point, which neither wheel contains, to the wheels' origins."""
        force, point = self.mesh.direction(seen) * strength, self.mesh.pitch_point(seen)
        pushes = []
        for side, wheel in enumerate(self.mesh.wheels):
            pull = force if side else -force
            pushes.append(Push(wheel.body, ORIGIN, pull, (point - seen.vector(side, None)).cross(pull)))
        return Action(tuple(pushes))


def elastic_ends(backlash: Any, stiffness: Any, damping: Any, unit: str, thing: str) -> Ends | None:
    """Return the force of elastic teeth; None if they are rigid. unit: unit of their residual, "m" or "rad".

    Raises ModelError for a backlash or a damping without a stiffness, a negative number, and a stiffness of zero.
    """
    if stiffness is None:
        for argument, what in ((backlash, "backlash"), (damping, "damping")):
            if argument is not None:
                raise ModelError(
                    f"{thing}: {what}= is for elastic teeth: give stiffness= too ({STIFFNESS[unit]}), or leave it out"
                )
        return None
    spring = no_less_than_zero(stiffness, f"stiffness of {thing}", STIFFNESS[unit], positive=True)
    damper = no_less_than_zero(0.0 if damping is None else damping, f"damping of {thing}", DAMPING[unit])
    half = 0.5 * no_less_than_zero(0.0 if backlash is None else backlash, f"backlash of {thing}", unit)
    return Ends(-half, half, spring, damper)


def without_teeth(ends: Ends | None) -> Ends | Shaft | None:
    """Return the force of a coupling by ratio: one without backlash cannot separate, so its damper is not limited."""
    if ends is None or not is_literal(ends.upper, 0.0):
        return ends
    return Shaft(ends.stiffness, ends.damping)
