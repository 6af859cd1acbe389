"""Stops of joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ...symbolic.expressions import ZERO, Expression, clip, is_literal, max
from ..characteristics import DAMPING, STIFFNESS
from ..checks import no_less_than_zero
from ..effects import Effect
from ..names import new_name
from ..parts import Body, OnJoint
from ..told import Told
from ..vectors import number
from .places import add_force, scalar_joint, unit_along


@dataclass(frozen=True, eq=False)
class Limit(OnJoint):
    """One-sided springs and dampers below `lower` and above `upper` of coordinate k."""

    lower: Expression | None
    upper: Expression | None
    stiffness: Expression
    damping: Expression

    def effect(self) -> Effect:
        """Beyond a limit k x, and a damper whose force is at most that: the sum never pulls, and starts from zero."""
        strength, dissipated, stored = ZERO, ZERO, ZERO
        for bound, sign in ((self.lower, -1.0), (self.upper, 1.0)):
            if bound is not None:
                x = max(sign * (self.coordinate - bound), ZERO)
                spring = self.stiffness * x
                damper = (
                    ZERO if is_literal(self.damping, 0.0) else clip(sign * self.damping * self.rate, -spring, spring)
                )
                strength = strength - sign * (spring + damper)
                dissipated = dissipated - sign * damper
                stored = stored + 0.5 * self.stiffness * x * x
        return Effect(self.along(strength), strength, stored, dissipates=self.along(dissipated))


def limit(
    model: Told,
    name: str,
    on: str | Body,
    lower: Any = None,
    upper: Any = None,
    coordinate: int | None = None,
    *,
    stiffness: Any,
    damping: Any = 0.0,
) -> None:
    """Stops of a joint coordinate: springs below `lower` and above `upper` (rad or m; at least one of them).

    stiffness: N.m/rad or N/m; damping: N.m.s/rad or N.s/m. A stop pushes only, and its force begins at zero: the
    damper's part is never larger than the spring's. All may be expressions.
    """
    new_name(model, name, "force")
    thing = f"limit {name!r}"
    body, k = scalar_joint(model, on, coordinate, thing, "limit")
    unit = unit_along(model, body, k)
    if lower is None and upper is None:
        raise ModelError(f"{thing}: give lower=, upper= or both")
    low, high = (
        None if value is None else number(value, f"{what} of {thing}", unit)
        for value, what in ((lower, "lower"), (upper, "upper"))
    )
    if low is not None and high is not None and is_literal(low) and is_literal(high) and low.value > high.value:
        raise ModelError(f"{thing}: lower {low.value!r} lies above upper {high.value!r}")
    spring = no_less_than_zero(stiffness, f"stiffness of {thing}", STIFFNESS[unit], positive=True)
    damper = no_less_than_zero(damping, f"damping of {thing}", DAMPING[unit])
    add_force(model, Limit(name, body, k, low, high, spring, damper), thing)
