"""Impacts of compliant contacts: how fast they are, for steps that must resolve them."""

from __future__ import annotations

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import as_expression
from .starts import Start

UNIT = as_expression(1.0)


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
    contacts = [start.contact(place) for place in range(len(start.points))]
    laws = {}
    for contact in contacts:
        if contact.name not in laws:
            normal = contact.normal
            laws[contact.name] = start.value(normal.elastic(UNIT)), start.value(normal.dissipation), normal
    found = []
    gravity = float(np.linalg.norm(start.gravity))
    for place, contact in enumerate(contacts):
        unit, dissipation, normal = laws[contact.name]
        mobility, speed = float(start.mobilities[place]), float(start.speeds[place])
        depth = max(float(start.depth[place]), _deepest(unit, normal.exponent, mobility, speed))
        square = mobility * start.value(normal.slope(as_expression(depth)))
        found.append(Impact(contact.thing, float(np.sqrt(square)), dissipation, speed, gravity))
    return found


def _deepest(unit: float, exponent: float, mobility: float, speed: float) -> float:
    """Return the depth at which an impact without dissipation ends, m. unit: elastic force at a depth of 1 m, N."""
    if unit <= 0.0 or mobility <= 0.0:
        return 0.0
    energy = 0.5 * speed * speed / mobility
    return float((energy * (exponent + 1.0) / unit) ** (1.0 / (exponent + 1.0)))
