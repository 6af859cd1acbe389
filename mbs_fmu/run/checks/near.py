"""Contacts of near pairs at a start: those that overlap, and each shape with the one that is nearest to it."""

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


def near_at(model: Model, frames: Mapping[str, Frames]) -> list[Contact]:
    """Return the contacts of near pairs of a model at the poses of its bodies in the first row.

    They have the names that contacts of all pairs would have.
    """
    forces = [force for force in model.forces.values() if isinstance(force, NearContacts)]
    return [contact for force in forces for contact in _contacts(force, frames)]


def _contacts(force: NearContacts, frames: Mapping[str, Frames]) -> Iterator[Contact]:
    for i, j in _pairs(force, frames):
        a, b = force.shapes_in_contact[i], force.shapes_in_contact[j]
        yield replace(force.between(a, b), name=f"{force.name}.{a.body}.{b.body}")


def _pairs(force: NearContacts, frames: Mapping[str, Frames]) -> list[tuple[int, int]]:
    """Return the pairs of shapes whose balls overlap, and of each shape and the nearest one that it can touch."""
    shapes = force.shapes_in_contact
    origins = np.array([[x.value for x in near.ball.origin] for near in shapes])
    radii = np.array([near.ball.radius.value for near in shapes])
    x, R = (np.array([getattr(frames[near.body], name)[0] for near in shapes]) for name in ("x", "R"))
    centers = x + np.einsum("kij,kj->ki", R, origins)
    fixed = np.array([near.body == WORLD for near in shapes])
    apart = np.array(force.apart, dtype=int).reshape(-1, 2)
    apart = np.concatenate([apart, apart[:, ::-1]])
    found: set[tuple[int, int]] = set()
    rows = max(1, AT_ONCE // len(shapes))
    for first in range(0, len(shapes), rows):
        own = np.arange(first, min(first + rows, len(shapes)))
        gaps = np.linalg.norm(centers[own, None] - centers[None], axis=2) - radii[own, None] - radii[None]
        gaps[own - first, own] = np.inf
        gaps[fixed[own][:, None] & fixed[None]] = np.inf
        of_rows = apart[(apart[:, 0] >= own[0]) & (apart[:, 0] <= own[-1])]
        gaps[of_rows[:, 0] - first, of_rows[:, 1]] = np.inf
        nearest = np.argmin(gaps, axis=1)
        close = np.argwhere(gaps < 0.0)
        chosen = np.isfinite(gaps[own - first, nearest])
        found |= {(min(i, j), max(i, j)) for i, j in zip(own[chosen].tolist(), nearest[chosen].tolist(), strict=True)}
        found |= {
            (min(i, j), max(i, j)) for i, j in zip((close[:, 0] + first).tolist(), close[:, 1].tolist(), strict=True)
        }
    return sorted(found)
