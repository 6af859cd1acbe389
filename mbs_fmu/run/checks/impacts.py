"""Impacts of compliant contacts: how fast they are, for steps that must resolve them."""

from __future__ import annotations

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import as_expression
from .starts import Start


@dataclass(frozen=True)
class Impact:
    """An impact of a contact point on its spring.

    thing: the contact. frequency: of the effective mass on the stiffness, rad/s. dissipation: s/m. speed: of the
    impact, m/s. gravity: m/s².
    """

    thing: str
    frequency: float
    dissipation: float
    speed: float
    gravity: float

    @property
    def hardness(self) -> float:
        """Force of the damper over that of the spring, at the first touch."""
        return self.dissipation * self.speed

    @property
    def lands(self) -> bool:
        """False if the point rests on the other surface, or does not meet it: the load is at most that of rest."""
        return self.speed * self.frequency > self.gravity


def impacts(start: Start) -> list[Impact]:
    """Return the impacts of all contact points, at the speeds that their start lets expect."""
    found = []
    gravity = float(np.linalg.norm(start.gravity))
    for place in range(len(start.points)):
        contact = start.contact(place)
        normal = contact.normal
        mobility, speed = float(start.mobilities[place]), float(start.speeds[place])
        energy = 0.5 * speed * speed / mobility if mobility > 0.0 else 0.0
        depth = max(float(start.depth[place]), normal.depth_with(energy, start.value))
        square = max(mobility * start.value(normal.slope(as_expression(depth))), 0.0)
        found.append(Impact(contact.thing, float(np.sqrt(square)), start.value(normal.dissipation), speed, gravity))
    return found
