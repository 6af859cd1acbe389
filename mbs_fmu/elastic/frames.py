"""Change of an elastic body's frame (F3), and the frame that the kernels require: the mean frame.

The frame of the shapes is a choice: in a frame that moves with one of the body's nodes, shapes differ by a rigid motion
that depends on xi. Inertia and nodes in the new frame follow from those in the old one, to the orders of (F2).
"""

from __future__ import annotations

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors
from .shapes import LEVI_CIVITA, Array, Inertia, skew, symmetric, vector


@add_clear_errors
@dataclass(frozen=True)
class Node:
    """A point of an elastic body to which frames can attach: y = (d; theta) = Y1 xi + ½ xiᵀ Y2 xi, in the body's axes.

    d is the displacement, m, and theta the Cayley vector of the rotation, rad: R = Cayley(theta) axes.
    """

    position: Array  #: s, (3), m
    axes: Array  #: rotation from the node's axes to the body's, undeformed, (3, 3)
    Y1: Array  #: (6, n)
    Y2: Array  #: (6, n, n), symmetric

    def combined(self, V: Array) -> Node:
        """Return the node in coordinates eta, xi = V eta."""
        return Node(self.position, self.axes, self.Y1 @ V, np.einsum("iab,ac,bd->icd", self.Y2, V, V, optimize=True))

    def pose(self, xi: Array) -> tuple[Array, Array]:
        """Return position, (..., 3), m, and rotation, (..., 3, 3), from the node's axes to the body's (F4).

        xi: coordinates of the modes, (..., n).
        """
        y = xi @ self.Y1.T + 0.5 * np.einsum("iab,...a,...b->...i", self.Y2, xi, xi, optimize=True)
        return self.position + y[..., :3], cayley(y[..., 3:]) @ self.axes

    def twist(self, xi: Array, xi_dot: Array) -> tuple[Array, Array]:
        """Return velocity, m/s, and angular velocity, rad/s, relative to the body's frame and in its axes, each (3).

        xi, xi_dot: coordinates and rates of the modes, (n).
        """
        theta = self.Y1[3:] @ xi + 0.5 * self.Y2[3:] @ xi @ xi
        rates = self.Y1 @ xi_dot + self.Y2 @ xi @ xi_dot
        spin = (rates[3:] + 0.5 * np.cross(theta, rates[3:])) / (1.0 + 0.25 * theta @ theta)
        return rates[:3], spin

    def seen_from(self, frame: Node) -> Node:
        """Return the node relative to the frame that moves with another node (F3)."""
        (d, theta), (d2, theta2) = _halves(frame.Y1), _halves(frame.Y2)
        (phi, psi), (phi2, psi2) = _halves(self.Y1), _halves(self.Y2)
        x = self.position - frame.position
        W = skew(theta)
        WW = np.einsum("ija,jkb->ikab", W, W)
        lever = np.einsum("ija,jb->iab", W, phi - d)
        second = (
            phi2
            - d2
            - np.einsum("ijab,j->iab", skew(theta2), x)
            + symmetric(np.einsum("ikab,k->iab", WW, x) - 2 * lever)
        )
        product = np.einsum("ija,jb->iab", W, psi)  # second-order term of the composition of two Cayley vectors
        first = np.concatenate([phi - d - np.einsum("ija,j->ia", W, x), psi - theta])
        return Node(self.position, self.axes, first, np.concatenate([second, psi2 - theta2 - symmetric(product)]))


def cayley(theta: Array) -> Array:
    """Return the rotation matrices (..., 3, 3) of Cayley vectors (..., 3)."""
    W = -np.einsum("ijk,...k->...ij", LEVI_CIVITA, theta)
    scale = 1.0 / (1.0 + 0.25 * np.sum(theta * theta, axis=-1))
    return np.asarray(np.eye(3) + scale[..., None, None] * (W + 0.5 * W @ W))


def _halves(y: Array) -> tuple[Array, Array]:
    """Displacement and rotation parts of an array (6, ...)."""
    return y[:3], y[3:]


@dataclass(frozen=True)
class Series:
    """A matrix to second order in xi: c0 + c1 xi + ½ xiᵀ c2 xi. The last axes are modes."""

    c0: Array
    c1: Array
    c2: Array

    def __matmul__(self, other: Series) -> Series:
        cross = np.einsum("ija,jkb->ikab", self.c1, other.c1, optimize=True)
        return Series(
            self.c0 @ other.c0,
            np.einsum("ija,jk->ika", self.c1, other.c0) + np.einsum("ij,jka->ika", self.c0, other.c1),
            np.einsum("ijab,jk->ikab", self.c2, other.c0)
            + np.einsum("ij,jkab->ikab", self.c0, other.c2)
            + 2 * symmetric(cross),
        )

    def __add__(self, other: Series) -> Series:
        return Series(self.c0 + other.c0, self.c1 + other.c1, self.c2 + other.c2)

    def __neg__(self) -> Series:
        return Series(-self.c0, -self.c1, -self.c2)

    @property
    def T(self) -> Series:
        return Series(*(c.swapaxes(0, 1) for c in (self.c0, self.c1, self.c2)))


def _stacked(*rows: list[Series]) -> Series:
    """Assemble one matrix from rows of blocks."""
    parts = ("c0", "c1", "c2")
    return Series(
        *(np.concatenate([np.concatenate([getattr(x, c) for x in row], 1) for row in rows], 0) for c in parts)
    )


def _skew(v: Series) -> Series:
    return Series(skew(v.c0), skew(v.c1), skew(v.c2))


def moved(body: Inertia, frame: Node) -> Inertia:
    """Return the body's inertia in the frame that moves with a node and coincides with the body's frame at xi = 0.

    The old frame's twist is v = R v' + rho~ R w' - N_d xi_dot - (c + d)~ T N_t xi_dot and w = R w' - T N_t xi_dot, with
    the node's position c and rates (d_dot; theta_dot) = (N_d; N_t) xi_dot, rho = c + d - R c: M' = Qᵀ M Q.
    """
    n = body.Me.shape[0]
    E, zero = _constant(np.eye(3), n), _constant(np.zeros((3, 3)), n)
    (d, theta), (d2, theta2) = _halves(frame.Y1), _halves(frame.Y2)
    W = _skew(Series(np.zeros(3), theta, theta2))
    half = Series(0.5 * W.c0, 0.5 * W.c1, 0.5 * W.c2)
    R, T = E + W + half @ W, E + half
    position = Series(frame.position, d, d2)
    rotated = R @ _constant(frame.position[:, None], n)
    rho = _skew(position + -Series(rotated.c0[:, 0], rotated.c1[:, 0], rotated.c2[:, 0]))
    N_d, omega = _rates(d, d2), T @ _rates(theta, theta2)
    Q = _stacked([R, rho @ R], [zero, R])
    Q_e = -_stacked([_skew(position) @ omega + N_d], [omega])

    mc, J = _skew(Series(body.S0, body.S1, body.S2)), Series(body.J0, body.J1, body.J2)
    M = _stacked([_constant(body.mass * np.eye(3), n), -mc], [mc, J])
    M_e = _stacked([_rates(body.S1, body.S2)], [_rates(body.C0, body.C1)])
    rigid, coupling = Q.T @ M @ Q, Q.T @ (M @ Q_e + M_e)
    Me = Q_e.c0.T @ M.c0 @ Q_e.c0 + Q_e.c0.T @ M_e.c0 + M_e.c0.T @ Q_e.c0 + body.Me
    S0, S1, S2 = (vector(c[3:, :3]) for c in (rigid.c0, rigid.c1, rigid.c2))
    J0, J1, J2 = (0.5 * (c + c.swapaxes(0, 1))[3:, 3:] for c in (rigid.c0, rigid.c1, rigid.c2))
    C0, C1 = coupling.c0[3:], coupling.c1[3:]
    return Inertia(body.mass, S0, S1, symmetric(S2), J0, J1, symmetric(J2), C0, C1, symmetric(Me))


def _constant(A: Array, n: int) -> Series:
    return Series(A, np.zeros((*A.shape, n)), np.zeros((*A.shape, n, n)))


def _rates(first: Array, second: Array) -> Series:
    """Matrix N of the rate N xi_dot of a vector, from the vector's terms of first and second order."""
    return Series(first, second, np.zeros((*second.shape, second.shape[-1])))


def in_mean_frame(body: Inertia, nodes: dict[str, Node]) -> tuple[Inertia, dict[str, Node]]:
    """Return inertia and nodes in the mean frame, where xi_dot has no momentum: S1 = S2 = 0, C0 = 0, C1 antisymmetric.

    If the undeformed body has no inertia about an axis, rotations about that axis remain.
    """
    for mean_frame in (first_mean_frame, _second_order):
        frame = mean_frame(body)
        body, nodes = moved(body, frame), {name: node.seen_from(frame) for name, node in nodes.items()}
    return body, nodes


def first_mean_frame(body: Inertia) -> Node:
    """Motion of the mean frame to first order in xi, as a node at the centre of mass."""
    n = body.Me.shape[0]
    theta = _mobility(body) @ (body.C0 - skew(body.center) @ body.S1)
    return Node(body.center, np.eye(3), np.concatenate([body.S1 / body.mass, theta]), np.zeros((6, n, n)))


def _second_order(body: Inertia) -> Node:
    """Motion of the mean frame of second order in xi, as a node at the centre of mass."""
    n = body.Me.shape[0]
    momenta = symmetric(body.C1) - np.einsum("ij,jab->iab", skew(body.center), body.S2)
    theta = np.einsum("ij,jab->iab", _mobility(body), momenta)
    return Node(body.center, np.eye(3), np.zeros((6, n)), np.concatenate([body.S2 / body.mass, theta]))


def _mobility(body: Inertia) -> Array:
    """Pseudoinverse of the inertia about the centre of mass: zero about axes without inertia."""
    return np.linalg.pinv(body.central, rcond=1e-13, hermitian=True)
