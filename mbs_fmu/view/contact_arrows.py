"""Arrows of contact forces in all rows of a result, at the contact points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.data import ModelData
from ..model.forces.contacts import Contact, ContactPoint
from ..model.references.leaves import AxisNumber, PointNumber, Signal, SpinNumber
from ..symbolic.arrays import values_along
from ..symbolic.expressions import Expression
from .page import numbers
from .poses import Frames, Rows
from .touches import touches
from .twists import Twists, twists

SHARE = 0.12  #: usual length of the longest arrow in a row over the size of the scene


@dataclass(frozen=True)
class ContactForces:
    """Forces on body b at contact points, in all rows.

    names: of the contacts, one for each point. places, forces: (rows, points, 3), m and N, in world axes. slides:
    (rows, points), True where friction is at its limit.
    """

    names: list[str]
    places: np.ndarray
    forces: np.ndarray
    slides: np.ndarray


def contact_forces(model: ModelData, rows: Rows, frames: Mapping[str, Frames]) -> ContactForces:
    """Return the forces of all compliant contacts whose laws depend on columns, parameters and time.

    Other contacts, such as those whose friction is an input, are left out, and so are contacts that touch in no row,
    and all of them if rows have no velocities, as those of eigenmodes.
    """
    contacts = _touching(model, rows, frames)
    try:
        moving = _Moving(rows, frames, twists(model, rows) if contacts else {})
    except KeyError:
        none = np.zeros((len(rows), 0, 3))
        return ContactForces([], none, none, none[..., 0] > 0.0)
    names, parts = [], []
    for contact in contacts:
        for point in contact.points:
            try:
                parts.append(_values(contact, point, moving))
            except KeyError:
                continue
            names.append(contact.name)
    values = np.stack(parts, axis=1) if parts else np.zeros((len(rows), 0, 7))
    return ContactForces(names, values[..., :3], values[..., 3:6], values[..., 6] > 0.5)


def _touching(model: ModelData, rows: Rows, frames: Mapping[str, Frames]) -> list[Contact]:
    """Return the contacts that touch in some row; of many pairs of bodies these are few."""
    pairs = touches(model, rows, frames)
    deepest = pairs.depth.max(axis=0, initial=0.0)
    touching = (contact for (contact, _), depth in zip(pairs.points, deepest, strict=True) if depth > 0.0)
    return list({contact.name: contact for contact in touching}.values())


def _values(contact: Contact, point: ContactPoint, moving: _Moving) -> np.ndarray:
    """Return place, force and sliding of a contact point, (rows, 7). Raises KeyError for other references."""
    touch = contact.touch(point)
    place = point.b.center + touch.arm_b
    return values_along([*place, *touch.force, touch.slides], len(moving.rows), moving.number)


class _Moving:
    """Values of references in contact laws, in all rows."""

    def __init__(self, rows: Rows, frames: Mapping[str, Frames], moved: Mapping[str, Twists]):
        self.rows, self.frames, self.twists = rows, frames, moved
        self.known: dict[object, np.ndarray] = {}

    def number(self, reference: Any) -> Any:
        """Return the values of a reference. Raises KeyError for one that rows do not have."""
        if isinstance(reference, PointNumber):
            return self._point(reference.quantity, reference.body, reference.at)[:, reference.k]
        if isinstance(reference, AxisNumber):
            frame = np.array(reference.frame).reshape(3, 3)[:, reference.axis]
            return (self.frames[reference.body].R @ self._constants(frame))[:, reference.k]
        if isinstance(reference, SpinNumber):
            return self.twists[reference.body].w[:, reference.k]
        if isinstance(reference, Signal):
            column = self.rows.columns.get(reference.name)
            return column if reference.role == "state" and column is not None else self.rows.of(reference)
        raise KeyError(reference)

    def _point(self, quantity: str, body: str, at: tuple[Expression, ...]) -> np.ndarray:
        """Return the position, or the velocity, of a point of a body, (rows, 3)."""
        key = (quantity, body, *at)
        if key not in self.known:
            arm = (self.frames[body].R @ self._constants(at)[:, None])[..., 0]
            moved = self.twists[body]
            values = {"position": self.frames[body].x + arm, "velocity": moved.v + np.cross(moved.w, arm)}
            self.known |= {(name, body, *at): value for name, value in values.items()}
        return self.known[key]

    def _constants(self, values: Any) -> np.ndarray:
        return np.array([self.rows.constant(x) if isinstance(x, Expression) else float(x) for x in values])


def arrows(
    model: ModelData, rows: Rows, frames: Mapping[str, Frames], size: float, scale: float | None
) -> dict[str, Any]:
    """Return the arrows of a page: places and vectors, m, and which of them are at the limit of friction.

    size: of the scene, m. scale: length over force, m/N; by default the median over the rows of the largest force has
    the length of SHARE of the scene.
    """
    if scale == 0.0:
        return {"names": []}
    contacts = contact_forces(model, rows, frames)
    if scale is None:
        largest = np.linalg.norm(contacts.forces, axis=-1).max(axis=1, initial=0.0)
        usual = np.median(largest[largest > 0.0]) if largest.any() else np.inf
        scale = float(SHARE * size / usual)
    return {
        "names": contacts.names,
        "places": numbers(contacts.places),
        "vectors": numbers(scale * contacts.forces),
        "slides": numbers(contacts.slides),
    }
