"""Flanges of FMUs, and the spring with a damper that couples two of them."""

from __future__ import annotations

from typing import NamedTuple

from ..infrastructure.errors import ArgumentError
from ..model.model import Model
from .description import Description


class FlangeKind(NamedTuple):
    """Variables of a flange, after its name and a point, and units. moves: verb for messages."""

    position: str
    velocity: str
    effort: str
    moves: str
    position_unit: str
    velocity_unit: str
    effort_unit: str
    stiffness_unit: str
    damping_unit: str

    @property
    def causalities(self) -> dict[str, str]:
        """Causality of each variable."""
        return {self.position: "output", self.velocity: "output", self.effort: "input"}


KINDS = (
    FlangeKind("phi", "w", "tau", "turns", "rad", "rad/s", "N.m", "N.m/rad", "N.m.s/rad"),
    FlangeKind("s", "v", "f", "slides", "m", "m/s", "N", "N/m", "N.s/m"),
)


def flange(description: Description, name: str, element: str) -> FlangeKind:
    """Return the kind of a flange of an FMU. Raises ArgumentError if there is no such flange."""
    for kind in KINDS:
        found = {v: description.variables.get(f"{name}.{v}") for v in kind.causalities}
        if all(x is not None and x.causality == kind.causalities[v] for v, x in found.items()):
            return kind
    wanted = " or ".join(f"outputs {name}.{k.position}, {name}.{k.velocity} and input {name}.{k.effort}" for k in KINDS)
    raise ArgumentError(f"{element!r} ({description.path.name}) has no flange {name!r}: that takes {wanted}")


def spring_damper(name: str, kind: FlangeKind, stiffness: float, damping: float) -> Model:
    """Return the model of a spring with a damper between two flanges, without bodies.

    Inputs are the positions and velocities of both flanges, outputs the efforts on both, positive along the velocity.
    """
    m = Model(name, description="Spring and damper between two flanges")
    x, v = (
        [m.input(f"{side}_{variable}", unit=unit) for side in ("first", "second")]
        for variable, unit in ((kind.position, kind.position_unit), (kind.velocity, kind.velocity_unit))
    )
    c = m.parameter("stiffness", stiffness, unit=kind.stiffness_unit)
    d = m.parameter("damping", damping, unit=kind.damping_unit)
    effort = c * (x[1] - x[0]) + d * (v[1] - v[0])
    m.output(f"first_{kind.effort}", effort, unit=kind.effort_unit, description="on the first flange")
    m.output(f"second_{kind.effort}", -effort, unit=kind.effort_unit, description="on the second flange")
    return m
