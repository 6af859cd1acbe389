"""Numbers of contact in SDFormat: the element <surface>, and Drake's proximity properties."""

from __future__ import annotations

import math

from .contacts.links import least
from .document import Document, Element
from .imported import Surface

RIGID = 1e11  #: N/m; SDFormat's default stiffness is 1e12
DRAKE = "drake:proximity_properties"


def surface_of(document: Document, collision: Element) -> Surface:
    """Return the numbers of a collision. Raises ModelError for texts that are no numbers."""
    surface = document.one(collision, "surface")
    friction, contact = (None if surface is None else document.one(surface, tag) for tag in ("friction", "contact"))
    sliding, spring = (None if x is None else document.one(x, "ode") for x in (friction, contact))
    torsional = None if friction is None else document.one(friction, "torsional")
    drake = document.one(collision, DRAKE)

    def value(parent: Element | None, tag: str) -> float | None:
        number = document.value(parent, tag, math.nan)
        return None if math.isnan(number) else number

    stiffness = value(spring, "kp")
    stiffness = None if stiffness is None or stiffness > RIGID else stiffness
    spin = value(torsional, "coefficient")
    radius = value(torsional, "surface_radius") or value(torsional, "patch_radius")
    return Surface(
        least([value(sliding, "mu"), value(sliding, "mu2"), value(drake, "drake:mu_dynamic")]),
        spin * radius if spin is not None and radius is not None else None,
        None,
        value(drake, "drake:point_contact_stiffness") or stiffness,
        value(spring, "kd"),
        value(drake, "drake:hunt_crossley_dissipation"),
    )
