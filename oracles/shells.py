"""The turbine blade as a thin shell without elements: Ritz's method with polynomials in the turning frame.

The middle surface goes from X(p, q) to x = X + u(p, q), however far it moves. With the covariant metric a and the
curvature b of x, A and B of X, and Hooke's law of plane stress in the metric A (Koiter's energy of Kirchhoff's shell),

    2 V = ∫ h e:C:e + h³/12 k:C:k dA,    e = ½ (a - A),    k = b - B

In the rotor's axes, with the speed W about z, mass per area m, gas pressure f along z, and δu any displacement,

    ∫ m δu·(u.. + 2 W z × u. + W. z × x - W² (x - z z·x)) dA + δV = ∫ f δu_z dA

u has the products of p, .., p^I and 1, .., q^J in x, y and z that leave the edge p = 0 at rest and its normal upright.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp

from models import turbine_blade as blade

ALONG, ACROSS = 8, 4  #: I and J
POINTS = 14, 9  #: of Gauss, along and across
RTOL, ATOL = 1e-6, 1e-8  #: of the coordinates, kg½ m, and their speeds
BENT = blade.THICKNESS**2 / 12  #: m2, from h C to the stiffness of bending
TIP = np.array([1.0]), np.array([0.0])
CURVED = ((3, 1.0), (5, 1.0), (4, 2.0))  #: second derivatives, and how often each counts
Array = np.ndarray
SPIN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # z × ...


def reference(p: Array, q: Array) -> Array:
    """X and its derivatives by p, q, pp, pq, qq: (6, points, 3), m."""
    half = 0.5 * (blade.CHORDS[0] + (blade.CHORDS[1] - blade.CHORDS[0]) * p)
    taper, turn = 0.5 * (blade.CHORDS[1] - blade.CHORDS[0]), blade.STAGGERS[1] - blade.STAGGERS[0]
    angle, none = blade.STAGGERS[0] + turn * p, np.zeros_like(p)
    c = np.stack([none, np.cos(angle), np.sin(angle)], axis=1)
    n = np.stack([none, -np.sin(angle), np.cos(angle)], axis=1)
    x = np.stack([np.ones_like(p), none, none], axis=1)
    h, s = half[:, None], q[:, None]
    place = (blade.RADIUS + blade.LENGTH * p[:, None]) * x + h * s * c
    by_p = blade.LENGTH * x + s * (taper * c + turn * h * n)
    by_pp = s * (2 * taper * turn * n - turn**2 * h * c)
    return np.array([place, by_p, h * c, by_pp, taper * c + turn * h * n, 0 * c])


def products(p: Array, q: Array) -> Array:
    """The polynomials and their derivatives as in `reference`: (6, points, count)."""
    one = [_powers(2 * p - 1, ALONG - 1, k, 2.0**k) for k in range(3)]
    first = [p[:, None] * one[k] + (k * one[k - 1] if k else 0.0) for k in range(3)]
    second = [_powers(q, ACROSS, k, 1.0) for k in range(3)]
    orders = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    return np.array([(first[i][:, :, None] * second[j][:, None, :]).reshape(len(p), -1) for i, j in orders])


def _powers(x: Array, degree: int, order: int, factor: float) -> Array:
    """Legendre's polynomials up to a degree, or their derivatives."""
    eye = np.eye(degree + 1)
    return factor * np.stack([legendre.legval(x, legendre.legder(row, order)) for row in eye], axis=1)


def clamped() -> Array:
    """The combinations of the products in x, y, z, (3 count, n), whose slope at the root lies in the surface there."""
    q = np.cos(np.pi * (np.arange(ACROSS + 2) + 0.5) / (ACROSS + 2))
    X, P = reference(np.zeros_like(q), q), products(np.zeros_like(q), q)
    normal = np.cross(X[1], X[2])
    rows = (P[1][:, :, None] * normal[:, None, :] / np.linalg.norm(normal)).reshape(len(q), -1)
    return np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :].T


def fields(p: Array, q: Array, V: Array) -> Array:
    """u by the coordinates, and its derivatives: (6, points, 3, n)."""
    return np.einsum("kpc,cdn->kpdn", products(p, q), V.reshape(-1, 3, V.shape[1]))


@dataclass(frozen=True)
class Shell:
    """The blade in coordinates y of unit mass."""

    X: Array  #: (6, points, 3)
    B: Array  #: (6, points, 3, n)
    at_tip: Array  #: (6, 1, 3, n)
    C: Array  #: Hooke's law times the weights, by 11, 22 and twice 12: (points, 3, 3), N
    e0: Array  #: half the metric, (points, 3)
    k0: Array  #: curvature, (points, 3)
    mass: Array  #: of the points, kg
    area: Array  #: of the points, m²

    def places(self, y: Array) -> Array:
        """x and its derivatives, (6, points, 3)."""
        return np.asarray(self.X + self.B @ y)

    def energy(self, y: Array) -> float:
        """Strain energy, J."""
        x = self.places(y)
        e, k = metric(x) - self.e0, curvature(x) - self.k0
        return float(0.5 * (_work(e, self.C, e) + BENT * _work(k, self.C, k)))

    def stresses(self, x: Array) -> tuple[Array, Array]:
        """Membrane forces and moments times the weights, by 11, 22 and twice 12, (points, 3)."""
        e, k = metric(x) - self.e0, curvature(x) - self.k0
        return _times(self.C, e), BENT * _times(self.C, k)

    def forces(self, y: Array) -> Array:
        """Derivative of the strain energy: of the metric, and of curvatures b = n·w by w and, by (A), by n."""
        x = self.places(y)
        N, M = self.stresses(x)
        by = np.zeros_like(x)
        by[1], by[2] = N[:, :1] * x[1] + N[:, 2:] * x[2], N[:, 1:2] * x[2] + N[:, 2:] * x[1]
        n, turned = normals(x)
        for (i, factor), moment in zip(CURVED, M.T, strict=True):
            weight = factor * moment[:, None]
            one, two = turned(x[i])
            by[i] += weight * n
            by[1] += weight * one
            by[2] += weight * two
        return np.tensordot(by, self.B, 3)

    def stiffness(self, y: Array) -> Array:
        """Second derivative without the change of curvatures of second order: for Newton's method."""
        x, (_, one, two, *_) = self.places(y), self.B
        N, _ = self.stresses(x)
        n, turned = normals(x)
        de = np.stack([_by(x[1], one), _by(x[2], two), _by(x[1], two) + _by(x[2], one)], axis=1)
        dk = [f * (_by(n, self.B[i]) + sum(map(_by, turned(x[i]), (one, two)))) for i, f in CURVED]
        K = _joined(de, self.C @ de) + BENT * _joined(np.stack(dk, axis=1), self.C @ np.stack(dk, axis=1))
        N11, N22, N12 = N.T[:, :, None, None]
        mixed = _joined(one, N12 * two)
        return np.asarray(K + _joined(one, N11 * one) + _joined(two, N22 * two) + mixed + mixed.T)


def normals(x: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
    """The unit normals n of a surface, and the function from w to the derivatives of n·w, at fixed w, by a1 and a2.

    δn = (E - n nᵀ) (δa1 × a2 + a1 × δa2) / |a1 × a2|                                                      (A)
    """
    normal = np.cross(x[1], x[2])
    length = np.linalg.norm(normal, axis=1)[:, None]
    n = normal / length

    def turned(w: Array) -> tuple[Array, Array]:
        across = (w - _dot(w, n)[:, None] * n) / length
        return np.cross(x[2], across), np.cross(across, x[1])

    return n, turned


def metric(x: Array) -> Array:
    """Half of a11 and a22, and a12, (points, 3)."""
    return np.stack([0.5 * _dot(x[1], x[1]), 0.5 * _dot(x[2], x[2]), _dot(x[1], x[2])], axis=1)


def curvature(x: Array) -> Array:
    """b11, b22 and twice b12, (points, 3)."""
    n, _ = normals(x)
    return np.stack([factor * _dot(n, x[i]) for i, factor in CURVED], axis=1)


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("pd,pd->p", a, b)


def _by(a: Array, B: Array) -> Array:
    return np.asarray((a[:, None, :] @ B)[:, 0])


def _times(C: Array, e: Array) -> Array:
    return np.asarray((C @ e[:, :, None])[:, :, 0])


def _joined(a: Array, b: Array) -> Array:
    return np.asarray(a.reshape(-1, a.shape[-1]).T @ b.reshape(-1, b.shape[-1]))


def _work(a: Array, C: Array, b: Array) -> float:
    return float(np.einsum("pi,pij,pj->", a, C, b))


def shell() -> Shell:
    """The blade, with coordinates in which its mass matrix is the unit matrix."""
    (p, wp), (q, wq) = (legendre.leggauss(count) for count in POINTS)
    p, q = (part.ravel() for part in np.meshgrid(0.5 * (p + 1), q, indexing="ij"))
    X = reference(p, q)
    metrics = np.array([[_dot(X[i], X[j]) for j in (1, 2)] for i in (1, 2)]).transpose(2, 0, 1)
    area = np.outer(0.5 * wp, wq).ravel() * np.sqrt(np.linalg.det(metrics))
    mass = blade.DENSITY * blade.THICKNESS * area
    V = clamped()
    b = fields(p, q, V)[0] * np.sqrt(mass)[:, None, None]
    V = np.linalg.solve(np.linalg.cholesky(_joined(b, b)), V.T).T
    B, at_tip = fields(p, q, V), fields(*TIP, V)
    return Shell(X, B, at_tip, hooke(metrics) * area[:, None, None], metric(X), curvature(X), mass, area)


def hooke(metrics: Array) -> Array:
    """h E/(1-ν²) (ν a^ij a^kl + ½ (1-ν) (a^ik a^jl + a^il a^jk)) by 11, 22 and 12, (points, 3, 3), N/m."""
    a, nu = np.linalg.inv(metrics), blade.NU
    pairs = ((0, 0), (1, 1), (0, 1))
    C = np.array([
        [nu * a[:, i, j] * a[:, k, m] + 0.5 * (1 - nu) * (a[:, i, k] * a[:, j, m] + a[:, i, m] * a[:, j, k])
         for k, m in pairs] for i, j in pairs
    ])  # fmt: skip
    return np.asarray(blade.THICKNESS * blade.E / (1 - nu**2) * C.transpose(2, 0, 1))


# -- motion ----------------------------------------------------------------------------------------------------------
def speed(t: float) -> tuple[float, float]:
    """Of the shaft, and its rate."""
    if t >= blade.RAMP:
        return blade.SPEED, 0.0
    part, rate = 2 * np.pi * t / blade.RAMP, blade.SPEED / blade.RAMP
    return rate * (t - blade.RAMP / (2 * np.pi) * np.sin(part)), rate * (1 - np.cos(part))


def pressure(t: float) -> float:
    """Of the gas, Pa."""
    s = min(max((t - blade.BEGIN) / blade.RISE, 0.0), 1.0)
    return float(blade.PRESSURE * s**3 * (10 - 15 * s + 6 * s**2))


class Motion:
    """Rates of the coordinates y and their speeds."""

    def __init__(self) -> None:
        self.shell = shell()
        m, X, B = self.shell.mass[:, None], self.shell.X[0], self.shell.B[0]
        mB = m[:, :, None] * B
        self.turned = _joined(mB, np.einsum("ij,pjn->pin", SPIN, B))
        self.pulled = _joined(mB, np.einsum("ij,pjn->pin", -SPIN @ SPIN, B))
        self.turned0, self.pulled0 = (np.tensordot(X @ A.T, mB, 2) for A in (SPIN, -SPIN @ SPIN))
        self.gas = self.shell.area @ B[:, 2]

    def acceleration(self, t: float, y: Array, v: Array) -> Array:
        """Of the coordinates."""
        W, rate = speed(t)
        inertia = -2 * W * self.turned @ v - rate * (self.turned0 + self.turned @ y)
        return np.asarray(
            inertia + W**2 * (self.pulled0 + self.pulled @ y) + pressure(t) * self.gas - self.shell.forces(y)
        )

    def rates(self, t: float, state: Array) -> Array:
        """Of y and v."""
        y, v = state.reshape(2, -1)
        return np.concatenate([v, self.acceleration(t, y, v)])

    def tangent(self, t: float, state: Array) -> Array:
        """Derivative of the rates, nearly."""
        y, _ = state.reshape(2, -1)
        W, rate = speed(t)
        none, one = np.zeros((len(y), len(y))), np.eye(len(y))
        K = W**2 * self.pulled - rate * self.turned - self.shell.stiffness(y)
        return np.block([[none, one], [K, -2 * W * self.turned]])

    def outputs(self, t: float, state: Array) -> dict[str, Array]:
        """All outputs of the model at one state."""
        y, v = state.reshape(2, -1)
        W, rate = speed(t)
        m, x, B = self.shell.mass, self.shell.places(y)[0], self.shell.B[0]
        moving = B @ v + W * x @ SPIN.T
        rising = B @ self.acceleration(t, y, v) + (2 * W * B @ v + rate * x) @ SPIN.T + W**2 * x @ SPIN.T @ SPIN.T
        energy = 0.5 * (m @ (moving**2).sum(axis=1) + blade.ROTOR * W**2) + self.shell.energy(y)
        torque = blade.ROTOR * rate + m @ ((x @ SPIN.T) * rising).sum(axis=1)
        d, untwist = self.tip(y)
        return {"turning": np.array(W), "tip": d, "untwist": untwist, "torque": torque, "energy": np.array(energy)}

    def tip(self, y: Array) -> tuple[Array, Array]:
        """Displacement of the middle of the tip along y and z, and x of its turn's Cayley vector."""
        X = reference(*TIP)
        x = X + self.shell.at_tip @ y
        before, after = (np.column_stack([s[1, 0], s[2, 0], _unit(np.cross(s[1, 0], s[2, 0]))]) for s in (X, x))
        U, _, Vt = np.linalg.svd(after @ np.linalg.inv(before))
        R = U @ Vt
        return x[0, 0, 1:] - X[0, 0, 1:], 2.0 * (R[2, 1] - R[1, 2]) / (1.0 + np.trace(R))


def _unit(a: Array) -> Array:
    return np.asarray(a / np.linalg.norm(a))


def turbine_blade(times: Array) -> dict[str, Array]:
    """All outputs."""
    motion = Motion()
    start = np.zeros(2 * motion.shell.B.shape[3])
    solution = solve_ivp(
        motion.rates, (times[0], times[-1]), start, "Radau", times, jac=motion.tangent, rtol=RTOL, atol=ATOL
    )
    if not solution.success:
        raise RuntimeError(f"no solution beyond {solution.t[-1]} s: {solution.message}")
    rows = [motion.outputs(t, state) for t, state in zip(times, solution.y.T, strict=True)]
    return {name: np.array([row[name] for row in rows]).T for name in rows[0]}
