"""Bounds of contacts: one number for all points of two shapes, which tells that they are apart.

Each shape lies in a ball, a half-space is its own bound. While these are apart, so are all points of the shapes, and
none of them needs to be evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...symbolic.expressions import Expression, as_expression, is_literal
from ..geometry.vectors import Vector
from .contact_gaps import touch_on_area
from .contact_surfaces import Ball, HalfSpace, Hull, Surface

#: Shares of its radius and m, by which a ball is larger than its shape, so that round-off never hides a point.
MARGIN, LEAST = 1e-6, 1e-8
Pair = tuple[Surface, Surface]


def bounds_of(pairs: Sequence[Pair]) -> list[Pair | None]:
    """Return for each pair of surfaces the bounds of the shapes to which they belong.

    None for a pair that is cheaper to evaluate than its bound, and for surfaces without one.
    """
    groups = _groups(pairs)
    bounds = {key: _bounds(group) for key, group in {id(group): group for group in groups}.items()}
    return [bounds[id(group)] for group in groups]


def _groups(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return for each pair the list of all pairs of the same shapes: those connected by surfaces that they share."""
    of_surface: dict[int, list[Pair]] = {}
    groups: list[list[Pair]] = []
    for pair in pairs:
        joined = {id(of_surface[id(x)]): of_surface[id(x)] for x in pair if id(x) in of_surface}
        group = [*(known for other in joined.values() for known in other), pair]
        for surfaces in group:
            of_surface |= dict.fromkeys(map(id, surfaces), group)
    for a, _ in pairs:
        groups.append(of_surface[id(a)])
    return groups


def _bounds(group: Sequence[Pair]) -> Pair | None:
    if len(group) == 1 and not (touch_on_area(*group[0]) or any(isinstance(x, Hull) for x in group[0])):
        return None
    a, b = (_bound(list({id(pair[side]): pair[side] for pair in group}.values())) for side in (0, 1))
    return None if a is None or b is None else (a, b)


def _bound(surfaces: Sequence[Surface]) -> Surface | None:
    """Return a half-space or a ball that contains surfaces of one body; None if their sizes depend on parameters."""
    is_plane = len(surfaces) == 1 and isinstance(surfaces[0], HalfSpace)
    return surfaces[0] if is_plane else ball_around(surfaces)


def ball_around(surfaces: Sequence[Surface]) -> Ball | None:
    """Return a ball that contains surfaces of one body; None if they have none, or if it depends on parameters."""
    reaches = [surface.reach for surface in surfaces]
    numbers = [x for surface, reach in zip(surfaces, reaches, strict=True) for x in (*surface.origin, reach)]
    if not all(x is not None and is_literal(x) for x in numbers):
        return None
    table = np.array([_value(x) for x in numbers]).reshape(-1, 4)
    places, radii = table[:, :3], table[:, 3]
    low, high = (places - radii[:, None]).min(axis=0), (places + radii[:, None]).max(axis=0)
    center = 0.5 * (low + high)
    radius = float((np.linalg.norm(places - center, axis=1) + radii).max()) * (1.0 + MARGIN) + LEAST
    if not math.isfinite(radius):
        return None
    return Ball(surfaces[0].body, Vector(center.tolist()), np.eye(3), as_expression(radius))


def _value(x: Expression | None) -> float:
    assert x is not None
    return float(x.value)
