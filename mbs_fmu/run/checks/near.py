"""Contacts of near pairs at a start: the deepest ones with all others of their shapes, the nearest and the smallest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ...model.forces.contacts import Contact
from ...model.forces.near_contacts import NearContacts
from ...model.items import WORLD
from ...model.model import Model
from ...view.poses import Frames

AT_ONCE = 1 << 22  #: distances that are computed at once, which bounds the memory
DEEPEST, MOST = 4, 60  #: pairs whose shapes are checked with all their pairs; pairs of least gap, and of least size


def near_at(model: Model, frames: Mapping[str, Frames]) -> list[Contact]:
    """Return contacts of near pairs of a model at the poses of its bodies in the first row.

    They have the names that contacts of all pairs would have. Of many pairs these are the ones that decide on steps:
    those with the least gaps, the smallest shapes, and all pairs of the shapes that overlap most.
    """
    forces = [force for force in model.forces.values() if isinstance(force, NearContacts)]
    return [contact for force in forces for contact in _contacts(force, frames)]


def _contacts(force: NearContacts, frames: Mapping[str, Frames]) -> Iterator[Contact]:
    radii = np.array([near.ball.radius.value for near in force.shapes_in_contact])
    pairs, gaps = _pairs(force, frames, radii)
    by_gap = np.argsort(gaps, kind="stable")
    by_size = np.argsort(radii[pairs].min(axis=1, initial=np.inf), kind="stable")
    shapes = pairs[by_gap[:DEEPEST]]
    chosen: np.ndarray = np.any(np.isin(pairs, shapes), axis=1)
    chosen[by_gap[:MOST]] = chosen[by_size[:MOST]] = True
    for i, j in pairs[chosen].tolist():
        a, b = force.shapes_in_contact[i], force.shapes_in_contact[j]
        yield replace(force.between(a, b), name=f"{force.name}.{a.body}.{b.body}")


def _pairs(force: NearContacts, frames: Mapping[str, Frames], radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of shapes whose balls overlap, and of each shape and the nearest one that it can touch, (pairs,
    2), with the gaps between their balls, m."""
    shapes = force.shapes_in_contact
    origins = np.array([[x.value for x in near.ball.origin] for near in shapes])
    x, R = (np.array([getattr(frames[near.body], name)[0] for near in shapes]) for name in ("x", "R"))
    centers = x + np.einsum("kij,kj->ki", R, origins)
    fixed = np.array([near.body == WORLD for near in shapes])
    apart = np.array(force.apart, dtype=int).reshape(-1, 2)
    apart = np.concatenate([apart, apart[:, ::-1]])
    found: dict[tuple[int, int], float] = {}
    rows = max(1, AT_ONCE // len(shapes))
    for first in range(0, len(shapes), rows):
        own = np.arange(first, min(first + rows, len(shapes)))
        gaps = np.linalg.norm(centers[own, None] - centers[None], axis=2) - radii[own, None] - radii[None]
        gaps[own - first, own] = np.inf
        gaps[fixed[own][:, None] & fixed[None]] = np.inf
        of_rows = apart[(apart[:, 0] >= own[0]) & (apart[:, 0] <= own[-1])]
        gaps[of_rows[:, 0] - first, of_rows[:, 1]] = np.inf
        near = gaps < 0.0
        near[own - first, np.argmin(gaps, axis=1)] = True
        for i, j in np.argwhere(near & np.isfinite(gaps)).tolist():
            found[min(first + i, j), max(first + i, j)] = float(gaps[i, j])
    ordered = sorted(found)
    return np.array(ordered, dtype=int).reshape(-1, 2), np.array([found[pair] for pair in ordered])
