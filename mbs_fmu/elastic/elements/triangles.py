"""Flat triangular shell elements of three nodes: discrete Kirchhoff bending, and a membrane with rotations.

- Bending (DKT): the slopes ∇w = (-θ_y, θ_x) at the corners, with the barycentric coordinates L_c and the edges (i, j)
  of length l along t, give the field

      ∇w = Σ L_c ∇w_c + Σ 4 L_i L_j t (3/2 (w_j - w_i)/l - 3/4 t·(∇w_i + ∇w_j)),

  for which w is a cubic along each edge, and the slope across an edge is linear. Its gradient is the curvature.
- Membrane (the optimal triangle): a mean strain, which rotations of the corners about the normal enter (α_b = 3/2), and
  strains at the middles of the edges by the rotations relative to the mean one. Rectangles of two such triangles bend
  in their plane nearly as beams do, whatever their sides.
- Mass: displacements in the plane are linear, and w is the cubic along each edge, continued so that it contains all
  quadratics (Bazeley et al. 1965). Rotary inertia is that of ∇w. The mass is exact for rigid motions.

Bending and membrane reproduce constant curvatures and strains in any mesh of a plane. The stress stiffness takes ∇w
from the field above, displacements in the plane as linear, and membrane forces from the mean strain and those at the
middles of the edges, whose mean vanishes.

Sources: Batoz, Bathe and Ho (1980) for bending; Bazeley, Cheung, Irons and Zienkiewicz (1965) for w; Felippa (2003), "A
study of optimal membrane triangles with drilling freedoms", for the membrane.
"""

from __future__ import annotations

import numpy as np

from ..meshes.selections import Material
from ..shapes import Array
from .plate_elements import DOFS, PlateElements, plane_stress

EDGES = ((0, 1), (1, 2), (2, 0))
COUNT = 3 * DOFS
ALPHA_B = 1.5  #: share of the rotations about the normal in the mean strain
#: β_1 to β_9 of Felippa: strains along the three edges, at the first corner, by the corners' rotations
BETA = np.array([[1.0, 2.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -2.0]])
LEAST_BETA = 0.01  #: of the stiffness against relative rotations, for Poisson's ratios near 0.5
MOVES = [[DOFS * c + i for c in range(3)] for i in range(DOFS)]  #: dofs of all corners, by direction
A1, A2 = (6.0 - 15.0**0.5) / 21.0, (6.0 + 15.0**0.5) / 21.0
LL = np.array([[1 / 3] * 3, *(np.roll([1 - 2 * x, x, x], k) for x in (A1, A2) for k in range(3))])  #: points, (7, 3)
WEIGHTS = np.array([9 / 40, *np.repeat([(155.0 - 15.0**0.5) / 1200.0, (155.0 + 15.0**0.5) / 1200.0], 3)])  #: degree 5


def triangles(nodes: Array, places: Array, thickness: float, material: Material) -> PlateElements:
    """Return triangular elements.

    nodes: (n, 3), indices of places. places: (N, 3), m. thickness: m.
    """
    axes, corners = _plane(places[nodes])
    edges = corners[:, [1, 2, 0]] - corners
    area = 0.5 * (edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    opposite = edges[:, [1, 2, 0]]  # the edge opposite to each corner
    gradients = np.stack([-opposite[:, :, 1], opposite[:, :, 0]], axis=2) / (2.0 * area)[:, None, None]  # of L_c
    areas = area[:, None] * WEIGHTS

    tilts, curvatures = _slopes(edges, gradients)
    moves = _displacements(gradients)
    mean = _mean_strains(edges, area)
    D = thickness * plane_stress(material.E, material.nu)
    K = _work(areas, curvatures, D * thickness**2 / 12.0) + _work(area[:, None], mean[:, None], D)
    beta = max(0.5 * (1.0 - 4.0 * material.nu**2), LEAST_BETA)
    at_middles = 1.5 * np.sqrt(beta) * _edge_strains(edges, area, moves)
    K += _work(np.repeat(area[:, None] / 3.0, 3, axis=1), at_middles, D)
    w = _deflections(edges)[:, :, None]
    M = _work(areas, w, np.eye(1)) + _work(areas, tilts, np.eye(2)) * thickness**2 / 12.0
    M = material.density * thickness * (M + area[:, None, None] * _linear_mass())
    linear = np.stack([1.0 - 2.0 * LL[:, 3 - i - j] for i, j in EDGES], axis=1)  # by values at middles of edges
    forces = D @ (mean[:, None] + np.einsum("pm,nmsd->npsd", linear, at_middles))
    spread = np.broadcast_to(moves[:, None], (*areas.shape, 2, 2, COUNT))
    return PlateElements(nodes, axes, K, M, areas, forces, np.concatenate([spread, tilts[:, :, :, None]], axis=3))


def _plane(at: Array) -> tuple[Array, Array]:
    """Return the axes of triangles (n, 3, 3), as columns, and their corners in these axes from the first, (n, 3, 2)."""
    sides = at[:, 1:] - at[:, :1]
    x = sides[:, 0] / np.linalg.norm(sides[:, 0], axis=1)[:, None]
    z = np.cross(sides[:, 0], sides[:, 1])
    z /= np.linalg.norm(z, axis=1)[:, None]
    axes = np.stack([x, np.cross(z, x), z], axis=2)
    return axes, np.einsum("ncj,nji->nci", at - at[:, :1], axes[:, :, :2])


def _work(areas: Array, strains: Array, moduli: Array) -> Array:
    """Return ∫ strainsᵀ moduli strains, (n, 18, 18), of strains (n, points, s, 18)."""
    return np.asarray(np.einsum("np,npsd,st,npte->nde", areas, strains, moduli, strains, optimize=True))


# -- bending -----------------------------------------------------------------------------------------------------
def _slopes(edges: Array, gradients: Array) -> tuple[Array, Array]:
    """Return, per dof, the slopes ∇w at the points, (n, p, 2, 18), and w,xx, w,yy, 2 w,xy, (n, p, 3, 18).

    edges: (n, 3, 2), m. gradients: of L_c, (n, 3, 2), 1/m.
    """
    corners = np.zeros((3, 2, COUNT))
    corners[range(3), 0, MOVES[4]], corners[range(3), 1, MOVES[3]] = -1.0, 1.0
    first, second = (list(end) for end in zip(*EDGES, strict=True))
    lengths = np.linalg.norm(edges, axis=2)
    along = edges / lengths[:, :, None]
    across = np.zeros((*lengths.shape, COUNT))
    for k, (i, j) in enumerate(EDGES):
        across[:, k, MOVES[2][i]] -= 1.5 / lengths[:, k]
        across[:, k, MOVES[2][j]] += 1.5 / lengths[:, k]
        across[:, k] -= 0.75 * np.einsum("nx,xd->nd", along[:, k], corners[i] + corners[j])
    departures = along[:, :, :, None] * across[:, :, None]
    bubbles = 4.0 * LL[:, first] * LL[:, second]
    changes = 4.0 * (LL[:, first, None] * gradients[:, None, second] + LL[:, second, None] * gradients[:, None, first])
    values = np.einsum("pc,ckd->pkd", LL, corners) + np.einsum("pe,nekd->npkd", bubbles, departures)
    second_derivatives = np.einsum("nci,ckd->nikd", gradients, corners)[:, None] + np.einsum(
        "npei,nekd->npikd", changes, departures, optimize=True
    )
    return np.asarray(values), _strains(second_derivatives)


def _deflections(edges: Array) -> Array:
    """Return w at the points per dof, (n, p, 18)."""
    w = np.zeros((len(edges), len(LL), COUNT))
    w[:, :, MOVES[2]] = LL
    for k, (i, j) in enumerate(EDGES):
        third = 0.5 * LL[:, 3 - i - j]
        start, end = (sign * LL[:, i] * LL[:, j] * (LL[:, c] + third) for sign, c in ((1.0, i), (-1.0, j)))
        for c, share in ((i, start), (j, end)):  # of the slope along the edge at this corner, beside that of the line
            w[:, :, MOVES[4][c]] -= np.outer(edges[:, k, 0], share)
            w[:, :, MOVES[3][c]] += np.outer(edges[:, k, 1], share)
        w[:, :, MOVES[2][i]] += start + end
        w[:, :, MOVES[2][j]] -= start + end
    return w


def _strains(derivatives: Array) -> Array:
    """Return strains xx, yy, xy (..., 3, 18) of derivatives along an axis (first) of components (second)."""
    shear = derivatives[..., 0, 1, :] + derivatives[..., 1, 0, :]
    return np.stack([derivatives[..., 0, 0, :], derivatives[..., 1, 1, :], shear], axis=-2)


# -- membrane ----------------------------------------------------------------------------------------------------
def _displacements(gradients: Array) -> Array:
    """Return derivatives along both axes of linear displacements in the plane, per dof, (n, 2, 2, 18)."""
    moves = np.zeros((len(gradients), 2, 2, COUNT))
    for k in (0, 1):
        moves[:, :, k, MOVES[k]] = gradients.swapaxes(1, 2)
    return moves


def _mean_strains(edges: Array, area: Array) -> Array:
    """Return the mean membrane strains per dof, (n, 3, 18)."""
    strains = np.zeros((len(edges), 3, COUNT))
    for c in range(3):
        (ax, ay), (bx, by), (ox, oy) = (edges[:, k % 3].T for k in (c, c + 2, c + 1))  # from it, to it, opposite
        strains[:, 0, MOVES[0][c]] = strains[:, 2, MOVES[1][c]] = -0.5 * oy
        strains[:, 1, MOVES[1][c]] = strains[:, 2, MOVES[0][c]] = 0.5 * ox
        turned = np.stack([oy * (ay - by), ox * (ax - bx), 2.0 * (ax * ay - bx * by)], axis=1)
        strains[:, :, MOVES[5][c]] = ALPHA_B / 12.0 * turned
    return np.asarray(strains / area[:, None, None])


def _edge_strains(edges: Array, area: Array, moves: Array) -> Array:
    """Return, per dof, membrane strains at the midpoints of the edges due to corner rotations minus their mean.

    Shape (n, 3, 3, 18).

    moves: derivatives of linear displacements, (n, 2, 2, 18).
    """
    relative = np.repeat(-0.5 * (moves[:, 0, 1] - moves[:, 1, 0])[:, None], 3, axis=1)
    for c in range(3):
        relative[:, c, MOVES[5][c]] += 1.0
    x, y = edges[:, :, 0], edges[:, :, 1]
    along = np.stack([x * x, y * y, x * y], axis=2)  # from strains to those along the edges, times their squared length
    strains = np.linalg.inv(along) * (2.0 / 3.0 * area)[:, None, None]  # of strains along the edges, times that
    corners = [np.roll(BETA, (c, c), (0, 1)) for c in range(3)]
    middles = np.stack([0.5 * (corners[i] + corners[j]) for i, j in EDGES])
    return np.asarray(np.einsum("nse,mec,ncd->nmsd", strains, middles, relative, optimize=True))


# -- mass --------------------------------------------------------------------------------------------------------
def _linear_mass() -> Array:
    """Return the mass matrix of linear displacements in the plane, for a unit of mass, (18, 18)."""
    M = np.zeros((COUNT, COUNT))
    for i in (0, 1):
        M[np.ix_(MOVES[i], MOVES[i])] = (np.ones((3, 3)) + np.eye(3)) / 12.0
    return M
