"""Measures of many contact points: laws of their own compute them, and outputs and events read them from the record.

The measures of points of one kind then share one formula, as their forces do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.effects import STRENGTH
from ...model.items import Force
from ...model.model import Model
from ...model.references.leaves import ContactNumber, ForceNumber
from ...record.layout import Load
from ...symbolic.expressions import leaf
from ...symbolic.graph import leaves
from ...symbolic.vectors import Vector

TABLED_FROM = 3  #: least number of contact points whose measures have places in the record
#: Numbers of each measure.
SIZES = {"gap": 1, "penetration": 1, "slip": 3, "contact_point": 3, "contact_force": 3, STRENGTH: 1}
NEEDED = {"contact_point": (STRENGTH,)}  #: further measures of the points that a total needs


@dataclass
class ContactMeasures:
    """Region `measures`: a block of numbers for each point of the contacts that outputs and events measure.

    first: number of the first block of each of these contacts. offsets: of each measure in a block.
    """

    first: Mapping[str, int] = field(default_factory=dict)
    offsets: Mapping[str, int] = field(default_factory=dict)
    points: int = 0

    @property
    def width(self) -> int:
        """Numbers of a block."""
        return sum(SIZES[quantity] for quantity in self.offsets)

    @property
    def size(self) -> int:
        """Numbers of the region."""
        return self.points * self.width

    def start(self, force: str, point: int) -> int:
        """Return the offset of the block of a point, from 0."""
        return (self.first[force] + point) * self.width

    def loads(self, quantity: str, start: int) -> list[Load]:
        """Return the addresses of a measure in a block."""
        return [Load("R", "measures", start + self.offsets[quantity] + k) for k in range(SIZES[quantity])]

    def of_point(self, force: str, point: int) -> dict[str, Vector]:
        """Return the measures of a point, from 0, as numbers of the record; zeros in place of those without a place."""
        start = self.start(force, point)
        return {
            quantity: Vector(map(leaf, self.loads(quantity, start)) if quantity in self.offsets else [0.0] * size)
            for quantity, size in SIZES.items()
        }


def contact_measures(model: Model) -> ContactMeasures:
    """Return the places of measures that outputs and events of a model use; none if these are few."""
    formulas = [x for output in model.outputs.values() for x in output.expressions]
    formulas += [event.expression for event in model.events.values()]
    measured = list(_measured(model, leaves(formulas)))
    counts = {force.name: force.contact_points for force, _ in measured}
    if sum(counts.values()) < TABLED_FROM:
        return ContactMeasures()
    wanted = {x for _, quantity in measured for x in (quantity, *NEEDED.get(quantity, ()))}
    offsets, first, place, points = {}, {}, 0, 0
    for quantity in (x for x in SIZES if x in wanted):
        offsets[quantity] = place
        place += SIZES[quantity]
    for name, count in counts.items():
        first[name] = points
        points += count
    return ContactMeasures(first, offsets, points)


def _measured(model: Model, references: list[object]) -> Iterator[tuple[Force, str]]:
    """Yield the forces with contact points that references measure, and the measures."""
    for reference in references:
        strength = isinstance(reference, ForceNumber) and reference.quantity == STRENGTH
        if (strength or isinstance(reference, ContactNumber)) and reference.quantity in SIZES:  # type: ignore[attr-defined]
            force = model.forces.get(reference.force)  # type: ignore[attr-defined]
            if force is not None and force.contact_points:
                yield force, reference.quantity  # type: ignore[attr-defined]
