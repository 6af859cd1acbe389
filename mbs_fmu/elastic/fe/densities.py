"""Whether the mass of a body fits its size: wrong units give densities that no structure has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..reduction.structures import rigid_motions, scipy_modules
from ..shapes import Array, bilinear, vector

LIGHTEST, HEAVIEST = 10.0, 3e4  #: kg/m³: a truss in its convex hull, and more than tungsten
SPREAD = 1.0  #: kg/m³, of a structure in the ellipsoid with its moments of inertia, which is larger than the hull


def density_notes(mass: float, central: Array, points: Array) -> list[str]:
    """Return a note if the density implies wrong units.

    mass: kg. central: moments of inertia about the centre of mass, (3, 3), kg.m². points: (p, 3), m. The volume is that
    of the points' convex hull or, since a superelement has few points, of the ellipsoid with the same moments of
    inertia: one of them must fit.
    """
    volumes = (_hull(points), LIGHTEST), (_ellipsoid(mass, central), SPREAD)
    solid = [(volume, least) for volume, least in volumes if volume > 0.0]
    if not solid or any(least <= mass / volume <= HEAVIEST for volume, least in solid):
        return []
    volume = solid[0][0]
    return [
        f"a mass of {mass:.4g} kg in about {volume:.3g} m³ is {mass / volume:.3g} kg/m³: check the units of the file "
        "(units=)"
    ]


def model_notes(M: Any, places: Array, dofs: int) -> list[str]:
    """Return a note if mass and size of a model do not fit; M: mass matrix, (dofs N, dofs N), kg. places: (N, 3), m."""
    center = places.mean(0)
    G = rigid_motions(places, center, dofs)
    momenta = G.T @ (M @ G)
    mass = float(momenta[0, 0])
    if not mass > 0.0:
        return []
    lever = -vector(momenta[:3, 3:]) / mass  # from the centre of the places to that of mass
    return density_notes(mass, momenta[3:, 3:] - mass * bilinear(lever, lever), places)


def _hull(points: Array) -> float:
    """Return the volume of the convex hull of points, m³; 0 if they lie in a plane."""
    scipy_modules()
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 4:
        return 0.0
    try:
        return float(ConvexHull(points).volume)
    except QhullError:
        return 0.0


def _ellipsoid(mass: float, central: Array) -> float:
    """Return the volume of the uniform ellipsoid of this mass and inertia, m³."""
    squares = np.linalg.eigvalsh(0.5 * np.trace(central) * np.eye(3) - central) / mass
    return 4.0 / 3.0 * math.pi * math.sqrt(5.0**3 * float(np.prod(np.maximum(squares, 0.0))))
