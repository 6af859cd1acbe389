"""Inertia to second order of a structure of nodes, computed from its mass matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from .shapes import LEVI_CIVITA, Array, Inertia, skew, symmetric, vector


def inertia(places: Array, M: Any, shapes: Array) -> Inertia:
    """Return the invariants (F2) of a structure whose nodes move along shapes.

    places: (N, 3), m. M: (dofs N, dofs N), dofs 3 or 6. shapes: (dofs N, n). The energy is ½ wᵀMw with the velocities
    v + omega x (s + phi xi) + phi xi_dot of the nodes and their angular velocities in their own axes, R^T omega +
    T^T psi xi_dot with the Cayley vector psi xi (see `frames.moved`), to second order in (xi, xi_dot). The result is
    exact for the matrices of solids and of lumped masses with rotary inertia. Where elements couple displacements and
    rotations, terms of first order and above are those of straight elements; the error is proportional to the square of
    the element size. Foreshortening is not included.
    """
    N, n = len(places), shapes.shape[1]
    G = rigid_motions(places, np.zeros(3), len(shapes) // N)
    MG, MPhi = M @ G, M @ shapes
    rigid, coupling = G.T @ MG, G.T @ MPhi
    G1 = -skew(np.moveaxis(shapes.reshape(-1, 3, n), 1, 0))  # omega x phi, and -psi~ omega: both (3, 3, blocks, n)
    G1 = np.moveaxis(G1, 2, 0).reshape(len(shapes), 3 * n)
    first = (MG[:, 3:].T @ G1).reshape(3, 3, n)
    second = (G1.T @ (M @ G1)).reshape(3, n, 3, n).transpose(0, 2, 1, 3)
    C1 = (G1.T @ MPhi).reshape(3, n, n).swapaxes(1, 2)
    J2_rotary, C1_rotary = _rotary_terms(MG[:, 3:].reshape(N, -1, 3)[:, 3:], shapes.reshape(N, -1, n)[:, 3:])
    J2 = second + J2_rotary
    return Inertia(
        mass=float(np.trace(rigid[:3, :3])) / 3.0,
        S0=-vector(rigid[:3, 3:]),
        S1=coupling[:3],
        S2=np.zeros((3, n, n)),
        J0=rigid[3:, 3:],
        J1=first + first.swapaxes(0, 1),
        J2=symmetric(J2 + J2.swapaxes(0, 1)),
        C0=coupling[3:],
        C1=C1 + C1_rotary,
        Me=shapes.T @ MPhi,
    )


def _rotary_terms(L: Array, psi: Array) -> tuple[Array, Array]:
    """Terms of J2 and C1 due to the nodes' angular velocities of second order.

    L: angular momenta of the nodes per unit angular velocity of the body, (N, 3, 3). psi: (N, 3, n), or without rows if
    nodes have no rotations.
    """
    if psi.shape[1] == 0:
        return np.zeros(()), np.zeros(())
    products = np.einsum("kiw,kia,kjb->wjab", L, psi, psi, optimize=True)
    lengths = np.einsum("kjw,kia,kib->wjab", L, psi, psi, optimize=True)
    C1 = -0.5 * np.einsum("kiw,ijl,kjb,kla->wab", L, LEVI_CIVITA, psi, psi, optimize=True)
    return symmetric(products - lengths), C1


def rigid_motions(places: Array, at: Array, dofs: int) -> Array:
    """Rigid motions of nodes, (dofs N, 6): by displacement and rotation of the point `at` of the rigid body."""
    G = np.zeros((len(places), dofs, 6))
    G[:, :3, :3] = np.eye(3)
    G[:, :3, 3:] = -np.moveaxis(skew((places - at).T), 2, 0)
    G[:, 3:, 3:] = np.eye(3)[: dofs - 3]
    return G.reshape(-1, 6)
