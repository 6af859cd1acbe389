"""An elastic body as a sum of small rigid pieces that move along shapes, and its inertia to second order.

The coordinates xi of n modes move a piece to r = s + phi xi + ½ xiᵀ h xi and rotate it by the Cayley vector psi xi, in
the axes of the body's frame. With V = (v; omega; xi_dot), where (v; omega) is the twist of that frame, T = ½ Vᵀ M(xi) V
and

    M(xi) = [[m E, -mc~, Ct], [mc~, J, Cr], [Ctᵀ, Crᵀ, Me]]                                      (F2)
    mc = S0 + S1 xi + ½ xiᵀ S2 xi,   J = J0 + J1 xi + ½ xiᵀ J2 xi,   Ct = S1 + S2 xi,   Cr = C0 + C1 xi

which contains all terms of T to second order in (xi, xi_dot) together. The first axes of arrays are directions in
space, the last ones modes. C1[:, a, b] multiplies the rate of mode a and the coordinate of mode b.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass

Array = np.ndarray

LEVI_CIVITA = np.array(
    [[[0, 0, 0], [0, 0, 1], [0, -1, 0]], [[0, 0, -1], [0, 0, 0], [1, 0, 0]], [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]], float
)


@dataclass(frozen=True)
class Pieces:
    """The k rigid pieces of a body with n shapes."""

    mass: Array  #: (k), kg
    place: Array  #: s, (k, 3), m
    shapes: Array  #: phi, (k, 3, n)
    second: Array  #: h, (k, 3, n, n), symmetric: displacements of second order, such as foreshortening
    inertia: Array  #: Theta, (k, 3, 3), kg.m², about the piece's own place
    rotations: Array  #: psi, (k, 3, n), rad


@dataclass(frozen=True)
class Inertia:
    """The invariants of (F2)."""

    mass: float  #: kg
    S0: Array  #: (3), kg.m
    S1: Array  #: (3, n)
    S2: Array  #: (3, n, n)
    J0: Array  #: (3, 3), kg.m², about the frame's origin
    J1: Array  #: (3, 3, n)
    J2: Array  #: (3, 3, n, n)
    C0: Array  #: (3, n)
    C1: Array  #: (3, n, n)
    Me: Array  #: (n, n)

    @property
    def center(self) -> Array:
        """The undeformed body's centre of mass, (3), m."""
        return self.S0 / self.mass

    @property
    def central(self) -> Array:
        """The undeformed body's inertia about its centre of mass, (3, 3), kg.m²."""
        return self.J0 - self.mass * bilinear(self.center, self.center)

    def matrix(self, xi: Array) -> Array:
        """Mass matrix M(xi) of (F2), (6 + n, 6 + n)."""
        mc = self.S0 + self.S1 @ xi + 0.5 * self.S2 @ xi @ xi
        J = self.J0 + self.J1 @ xi + 0.5 * self.J2 @ xi @ xi
        coupling = np.concatenate([self.S1 + self.S2 @ xi, self.C0 + self.C1 @ xi])
        rigid = np.block([[self.mass * np.eye(3), -skew(mc)], [skew(mc), J]])
        return np.block([[rigid, coupling], [coupling.T, self.Me]])

    def combined(self, V: Array) -> Inertia:
        """The same body in coordinates eta, xi = V eta."""
        S2, J2, Me = (symmetric(twice_combined(x, V)) for x in (self.S2, self.J2, self.Me))
        C1 = twice_combined(self.C1, V)
        return replace(self, S1=self.S1 @ V, S2=S2, J1=self.J1 @ V, J2=J2, C0=self.C0 @ V, C1=C1, Me=Me)


def invariants(pieces: Pieces) -> Inertia:
    """Return the invariants of a body, sums over its pieces (F1)."""
    m, s, phi, h = pieces.mass, pieces.place[:, :, None], pieces.shapes, pieces.second
    J2 = 2 * _moments(m, phi, phi) + 2 * _moments(m, s, h.reshape(*h.shape[:2], -1)).reshape(3, 3, *h.shape[2:])
    points = Inertia(
        mass=float(m.sum()),
        S0=np.einsum("k,kia->i", m, s),
        S1=np.einsum("k,kia->ia", m, phi),
        S2=np.einsum("k,kiab->iab", m, h),
        J0=_moments(m, s, s)[:, :, 0, 0],
        J1=2 * _moments(m, s, phi)[:, :, 0],
        J2=symmetric(J2),
        C0=np.einsum("ijl,k,kj,kla->ia", LEVI_CIVITA, m, pieces.place, phi, optimize=True),
        C1=np.einsum("ijl,k,kjb,kla->iab", LEVI_CIVITA, m, phi, phi, optimize=True)
        + np.einsum("ijl,k,kj,klab->iab", LEVI_CIVITA, m, pieces.place, h, optimize=True),
        Me=np.einsum("k,kia,kib->ab", m, phi, phi, optimize=True),
    )
    return _with_rotary_inertia(points, pieces) if pieces.inertia.any() else points


def _moments(m: Array, x: Array, y: Array) -> Array:
    """Sum of m Q(x_a, y_b) over the pieces, (3, 3, a, b), for arrays (k, 3, a) and (k, 3, b); Q: see `bilinear`."""
    products = np.einsum("k,kia,kjb->ijab", m, x, y, optimize=True)
    traces = np.einsum("iiab->ab", products)
    return np.asarray(np.eye(3)[:, :, None, None] * traces - 0.5 * (products + products.swapaxes(0, 1)))


def _with_rotary_inertia(points: Inertia, pieces: Pieces) -> Inertia:
    """Return the invariants with the terms of (F1) in Theta added."""
    T, psi = pieces.inertia, pieces.rotations
    W = np.moveaxis(skew(psi.swapaxes(0, 1)), 2, 0)  # (k, 3, 3, a)
    WT = np.einsum("kija,kjl->kila", W, T)
    first = WT + WT.swapaxes(1, 2)  # W_a T - T W_a
    WWT = np.einsum("kija,kjlb->ilab", W, np.einsum("kija,kjl->kila", W, T), optimize=True)
    anticommutator = WWT + WWT.swapaxes(0, 1)
    WTW = np.einsum("kija,kjlb->ilab", WT, W, optimize=True)
    C1 = np.einsum("kijb,kja->iab", first, psi) + 0.5 * np.einsum("kij,kjlb,kla->iab", T, W, psi, optimize=True)
    return replace(
        points,
        J0=points.J0 + T.sum(0),
        J1=points.J1 + first.sum(0),
        J2=points.J2 + symmetric(anticommutator - 2 * WTW),
        C0=points.C0 + np.einsum("kij,kja->ia", T, psi),
        C1=points.C1 + C1,
        Me=points.Me + np.einsum("kia,kij,kjb->ab", psi, T, psi, optimize=True),
    )


def symmetric(A: Array) -> Array:
    """Symmetric part of an array in its last two axes."""
    return np.asarray(0.5 * (A + A.swapaxes(-1, -2)))


def twice_combined(A: Array, V: Array) -> Array:
    """Vᵀ A V on the last two axes."""
    return np.asarray(np.einsum("...ab,ac,bd->...cd", A, V, V, optimize=True))


def skew(a: Array) -> Array:
    """Cross product matrix a~, a~ b = a x b; for an array (3, ...) an array (3, 3, ...)."""
    return np.asarray(-np.einsum("ijk,k...->ij...", LEVI_CIVITA, a))


def vector(A: Array) -> Array:
    """Vector a whose cross product matrix a~ is A; the inverse of `skew`."""
    return np.asarray(-0.5 * np.einsum("ijk,ij...->k...", LEVI_CIVITA, A))


def bilinear(a: Array, b: Array) -> Array:
    """Q(a, b) = (a·b) E - ½ (a bᵀ + b aᵀ): the inertia of a unit mass at r is Q(r, r)."""
    return np.asarray((a @ b) * np.eye(3) - 0.5 * (np.outer(a, b) + np.outer(b, a)))
