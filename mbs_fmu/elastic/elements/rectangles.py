"""Rectangular plate elements of four nodes: bending of Adini, Clough and Melosh, membrane with incompatible modes.

- Bending (ACM): w is a polynomial of twelve terms, with w, ∂w/∂y = θ_x and -∂w/∂x = θ_y at the corners.
- Membrane: bilinear, with the incompatible modes 1 - ξ² and 1 - η² of both displacements, which let it bend in its
  plane (Wilson et al. 1973); they are eliminated within the element.
- Rotation about the normal: G h ∫(θ_z - ½(∂v/∂x - ∂u/∂y))² at the centre (Hughes and Brezzi 1989), and 1e-4 of it
  against the three patterns of θ_z that the centre does not see. A node that is a frame of its own is tied to the
  rotation of the elements around it (`spin_tie`), since these patterns hardly hold it.

Sources: Adini and Clough (1961); Melosh (1963); Wilson, Taylor, Doherty and Ghaboussi (1973); Hughes and Brezzi (1989).
"""

from __future__ import annotations

import numpy as np

from ..meshes.selections import Material
from ..shapes import Array
from .plate_elements import DOFS, PlateElements, plane_stress

POWERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3))  #: of w
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])  #: in units of half the sides
PATTERNS = ((1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))  #: of θ_z whose mean vanishes
WEAK = 1e-4  #: stiffness of these patterns, relative to that of the mean
COUNT = 4 * DOFS
SpinTie = tuple[Array, Array, float]  #: dofs, factors whose sum with them stays small, and the stiffness, N.m/rad
MOVES = [[DOFS * c + i for c in range(4)] for i in range(DOFS)]  #: dofs of all corners, by direction
BENDING = [DOFS * c + i for c in range(4) for i in (2, 3, 4)]
_GAUSS, _WEIGHTS = np.polynomial.legendre.leggauss(4)
POINTS = np.stack(np.meshgrid(_GAUSS, _GAUSS, indexing="ij"), -1).reshape(-1, 2)
AREAS = np.outer(_WEIGHTS, _WEIGHTS).ravel() / 4.0  #: relative to the element's


def rectangles(nodes: Array, sides: tuple[float, float], thickness: float, material: Material) -> PlateElements:
    """Return equal rectangular elements in the plane of x and y.

    nodes: (n, 4), counterclockwise from the corner of least x and y. sides: along x and y, m. thickness: m.
    """
    half = 0.5 * np.array(sides)
    areas = AREAS * sides[0] * sides[1]
    w, dw, ddw = _bending(half)
    q, dq = _bilinear(half, POINTS)
    bent = -np.stack([ddw[:, 0, 0], ddw[:, 1, 1], 2.0 * ddw[:, 0, 1]], axis=1)
    D = thickness * plane_stress(material.E, material.nu)
    strains = _condensed(_strains(dq), half, areas, D)
    K = _work(areas, bent, D * thickness**2 / 12.0) + _work(areas, strains, D)
    K += material.shear_modulus * thickness * sides[0] * sides[1] * _drilling(half)
    m = material.density * thickness
    M = m * (_work(areas, w[:, None], np.eye(1)) + _work(areas, dw, np.eye(2)) * thickness**2 / 12.0)
    slopes = np.zeros((len(areas), 2, 3, COUNT))
    slopes[:, :, 2] = dw
    for i in (0, 1):
        M[np.ix_(MOVES[i], MOVES[i])] += m * np.einsum("p,pa,pb->ab", areas, q, q)
        slopes[:, :, i, MOVES[i]] = dq
    parts = np.eye(3), K, M, areas, np.einsum("st,ptd->psd", D, strains), slopes
    return PlateElements(nodes, *(part[None] for part in parts))


def _work(areas: Array, strains: Array, moduli: Array) -> Array:
    """Return ∫ strainsᵀ moduli strains, (24, 24), of strains (points, s, 24)."""
    return np.asarray(np.einsum("p,psd,st,pte->de", areas, strains, moduli, strains, optimize=True))


def _bending(half: Array) -> tuple[Array, Array, Array]:
    """Return w and its first and second derivatives at the points, per dof: (p, 24), (p, 2, 24), (p, 2, 2, 24)."""
    corners, points = CORNERS * half, POINTS * half
    at = [_monomials(corners), _monomials(corners, 0, 1), -_monomials(corners, 1, 0)]
    coefficients = np.linalg.inv(np.stack(at, axis=1).reshape(12, 12))

    def by_dofs(i: int, j: int) -> Array:
        values = np.zeros((len(points), COUNT))
        values[:, BENDING] = _monomials(points, i, j) @ coefficients
        return values

    first = np.stack([by_dofs(1, 0), by_dofs(0, 1)], axis=1)
    mixed = by_dofs(1, 1)
    second = np.stack([np.stack([by_dofs(2, 0), mixed], 1), np.stack([mixed, by_dofs(0, 2)], 1)], axis=1)
    return by_dofs(0, 0), first, second


def _monomials(at: Array, i: int = 0, j: int = 0) -> Array:
    """Return ∂x^i ∂y^j of the monomials of w at the points (p, 2): (p, 12)."""
    return np.stack([_power(at[:, 0], a, i) * _power(at[:, 1], b, j) for a, b in POWERS], axis=1)


def _power(x: Array, exponent: int, derivative: int) -> Array:
    factor = np.prod(np.arange(exponent, exponent - derivative, -1)) if derivative else 1
    return np.asarray(factor * x ** max(exponent - derivative, 0))


def _bilinear(half: Array, points: Array) -> tuple[Array, Array]:
    """Return bilinear shape functions and their derivatives at points (p, 2) of the unit square: (p, 4), (p, 2, 4)."""
    along = 1.0 + points[:, None] * CORNERS  # (p, 4, 2)
    slopes = np.stack([CORNERS[:, 0] * along[:, :, 1] / half[0], CORNERS[:, 1] * along[:, :, 0] / half[1]], axis=1)
    return 0.25 * along[:, :, 0] * along[:, :, 1], 0.25 * slopes


def _strains(dq: Array) -> Array:
    """Return the membrane strains xx, yy, xy per dof, (p, 3, 24)."""
    strains = np.zeros((len(dq), 3, COUNT))
    strains[:, 0, MOVES[0]] = strains[:, 2, MOVES[1]] = dq[:, 0]
    strains[:, 1, MOVES[1]] = strains[:, 2, MOVES[0]] = dq[:, 1]
    return strains


def _condensed(strains: Array, half: Array, areas: Array, D: Array) -> Array:
    """Return the membrane strains per dof after elimination of the incompatible modes, (p, 3, 24)."""
    inner = np.zeros((len(strains), 3, 4))
    along = -2.0 * POINTS / half  # ∂(1 - ξ²)/∂x, ∂(1 - η²)/∂y
    inner[:, 0, 0] = inner[:, 2, 1] = along[:, 0]
    inner[:, 1, 3] = inner[:, 2, 2] = along[:, 1]
    stiffness = np.einsum("p,psa,st,ptb->ab", areas, inner, D, inner)
    coupling = np.einsum("p,psa,st,ptd->ad", areas, inner, D, strains)
    return np.asarray(strains - inner @ np.linalg.solve(stiffness, coupling))


def spin_tie(nodes: Array, sides: tuple[float, float], thickness: float, material: Material, node: int) -> SpinTie:
    """Return the stiffness that ties the rotation of one node about the normal to that of the elements around it.

    The elements alone leave it almost free: θ_z of the neighbours follows it. Arguments as in `rectangles`.
    """
    around = nodes[np.any(nodes == node, axis=1)]
    slope = _bilinear(0.5 * np.array(sides), np.zeros((1, 2)))[1][0]
    share = 0.5 / len(around)
    dofs, row = [DOFS * node + 5], [1.0]
    for corners in around:
        dofs += [*(DOFS * corners + 1), *(DOFS * corners)]
        row += [*(-share * slope[0]), *(share * slope[1])]
    stiffness = material.shear_modulus * thickness * sides[0] * sides[1] * len(around)
    return np.array(dofs), np.array(row), stiffness


def _drilling(half: Array) -> Array:
    """Return the stiffness of rotations about the normal for G h = 1 on a unit of area, (24, 24)."""
    slope = _bilinear(half, np.zeros((1, 2)))[1][0]
    mean = np.zeros(COUNT)
    mean[MOVES[5]], mean[MOVES[1]], mean[MOVES[0]] = 0.25, -0.5 * slope[0], 0.5 * slope[1]
    patterns = np.zeros((3, COUNT))
    patterns[:, MOVES[5]] = 0.25 * np.array(PATTERNS)
    return np.asarray(np.outer(mean, mean) + WEAK * patterns.T @ patterns)
