"""Elastic gears: teeth and couplings with a stiffness, and with backlash, instead of a constraint.

They act along the constraint rows of rigid gears (L15): f = -k psi - clip(d psi_dot, -k |psi|, k |psi|), psi the part
of the residual g beyond half the backlash on either side. g is zero in the zero position of all joints. In couplings by
ratio without backlash the parts cannot separate, so the damper is not limited: f = -k g - d g_dot.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import is_literal
from ..closures import Mesh
from ..closures.mesh import Anchored
from ..effects import Effect
from ..geometry.vectors import no_less_than_zero
from ..items import OnBodies
from ..places import FOLLOWED
from .characteristics import DAMPING, STIFFNESS, Ends, Shaft


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
        total = self.mesh.wrenches(self.mesh.tooth_force(strength, seen), seen)
        lost = self.mesh.wrenches(self.mesh.direction(seen) * dissipated, seen)
        return Effect(total, strength, stored, dissipates=lost)


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
