"""Geometry of compliant contacts in all rows of a result: depths and normals of all contact points."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.closures.curves import CurvePair
from ..model.data import ModelData
from ..model.forces.contact_curves import Curved
from ..model.forces.contact_gaps import gap_between
from ..model.forces.contact_surfaces import Surface
from ..model.forces.contacts import Contact, ContactPoint
from ..model.references.leaves import AxisNumber, PointNumber, Signal
from ..model.references.naming import MARK
from ..model.roads import Uneven
from ..symbolic.arrays import values_along
from ..symbolic.expressions import Expression, as_expression, leaf
from ..symbolic.polyhedra import Polyhedron
from ..symbolic.rotations import entries_of
from ..symbolic.vectors import ORIGIN
from .poses import Frames, Rows

SIDES = ("a", "b")
MOST_AT_ONCE = 1 << 18  #: gaps that are computed at once, which bounds the memory
DATA = (Uneven, Polyhedron, CurvePair)  #: data of surfaces that are no lengths
PLACE = tuple(entry.name for entry in fields(Surface))  #: fields of a surface that are no lengths


@dataclass(frozen=True)
class Touches:
    """Contact points of a model in all rows.

    points: contact and number of the point, from 0. depth: (rows, points), m, negative while apart. normal: (rows,
    points, 3), unit vectors from a to b, world axes. arm: (rows, points, 3), from the origin of surface b to its
    nearest or deepest point, m, world axes.
    """

    points: list[tuple[Contact, int]]
    depth: np.ndarray
    normal: np.ndarray
    arm: np.ndarray


def touches(model: ModelData, rows: Rows, frames: Mapping[str, Frames], more: Sequence[Contact] = ()) -> Touches:
    """Return all contact points in all rows; frames: of the bodies in these rows. Gaps of one kind are traced once.

    more: contacts beside those of the model.
    """
    contacts = [*(force for force in model.forces.values() if isinstance(force, Contact)), *more]
    points = [(contact, k) for contact in contacts for k in range(len(contact.points))]
    values = np.empty((len(rows), len(points), 7))
    kinds: dict[Hashable, list[int]] = {}
    for place, (contact, k) in enumerate(points):
        kinds.setdefault(_kind(contact.points[k]), []).append(place)
    size = max(1, MOST_AT_ONCE // len(rows))
    chunks = [places[k : k + size] for places in kinds.values() for k in range(0, len(places), size)]
    for places in chunks:
        values[:, places] = _gaps([points[p][0].points[points[p][1]] for p in places], rows, frames)
    return Touches(points, values[:, :, 0], values[:, :, 1:4], values[:, :, 4:])


def _kind(point: ContactPoint) -> Hashable:
    """Return a key of the classes of both surfaces, of data that are no lengths, and of states."""
    data = [value for side in SIDES for value in vars(getattr(point, side)).values() if isinstance(value, DATA)]
    states = point.a.states if isinstance(point.a, Curved) else ()
    return type(point.a), type(point.b), *map(id, data), *states


def _gaps(points: list[ContactPoint], rows: Rows, frames: Mapping[str, Frames]) -> np.ndarray:
    """Return depth, normal and arm of points with surfaces of the same classes, (rows, points, 7)."""
    a, b = (_placeholder(getattr(points[0], side), side) for side in SIDES)
    gap = gap_between(a, b)
    surfaces = {side: [getattr(point, side) for point in points] for side in SIDES}
    centers, axes = _places(surfaces, rows, frames)
    size = len(points) * len(rows)

    def number(reference: Any) -> np.ndarray:
        if isinstance(reference, PointNumber):
            return centers[reference.body][:, reference.k]
        if isinstance(reference, AxisNumber):
            return axes[reference.body][:, reference.k, reference.axis]
        if isinstance(reference, Signal):  # of a contact of curves, which is the only one of its kind
            return np.asarray(rows.of(reference))
        side, k = reference
        return rows.values([_lengths(surface)[k] for surface in surfaces[side]]).reshape(size)

    found = values_along([gap.depth, *gap.normal, *gap.arm], size, number)
    return found.reshape(len(rows), len(points), 7)


def _places(
    surfaces: Mapping[str, list[Surface]], rows: Rows, frames: Mapping[str, Frames]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the origins, (rows points, 3), and the axes, (rows points, 3, 3), of the surfaces on each side."""
    distinct = {id(s): s for own in surfaces.values() for s in own}
    placed = {key: frames[s.body].then(_frame(s, rows)) for key, s in distinct.items()}
    centers = {side: np.stack([placed[id(s)].x for s in own], axis=1).reshape(-1, 3) for side, own in surfaces.items()}
    axes = {side: np.stack([placed[id(s)].R for s in own], axis=1).reshape(-1, 3, 3) for side, own in surfaces.items()}
    return centers, axes


def _frame(surface: Surface, rows: Rows) -> Frames:
    """Return the frame of a surface in its body."""
    entries = rows.values([*surface.origin, *entries_of(surface.rotation)])
    return Frames(entries[:, :3], entries[:, 3:].reshape(-1, 3, 3))


def _placeholder(surface: Surface, side: str) -> Surface:
    """Return a surface of the same class on a body with the name of the side, with lengths that are leaves."""
    numbers = iter([leaf((side, k)) for k in range(len(_lengths(surface)))])
    lengths = {
        name: tuple(next(numbers) for _ in value) if isinstance(value, tuple) else next(numbers)
        for name, value in _own(surface)
    }
    return replace(surface, body=side, origin=ORIGIN, rotation=np.eye(3), **lengths)


def _lengths(surface: Surface) -> list[Expression]:
    """Return all numbers of a surface beside its place."""
    return [as_expression(x) for _, value in _own(surface) for x in (value if isinstance(value, tuple) else (value,))]


def _own(surface: Surface) -> Iterator[tuple[str, Any]]:
    """Yield name and value of the lengths of a surface that its class adds."""
    for entry in fields(surface):
        value = getattr(surface, entry.name)
        if entry.name not in PLACE and MARK not in entry.metadata and value is not None and not isinstance(value, DATA):
            yield entry.name, value
