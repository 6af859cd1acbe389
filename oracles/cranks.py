"""The slider-crank with an elastic rod, by Lagrange's equations in the published coordinates and the published frame.

The rod's energy is that of the problem, to second order in q and q_dot, seen from the frame of its hinge. Another frame
drops other terms of third order: a model that sees the rod from its mean frame moves alike as far as those go.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models import flexible_slider_crank as crank

from .solver import run

STEP = 1e-30  #: of complex steps
Array = np.ndarray


def local_mass(q: Array) -> Array:
    """Of the rod, by the hinge's velocity along and across it, its turning, and q_dot."""
    m, length = crank.MASS, crank.LENGTH
    M, _, B = crank.rod_matrices()
    volume, pi = crank.WIDTH * crank.HEIGHT * length, crank.PI
    along, across = np.array([0, 0, 2 / 3, 1 / 6]), np.array([2 / pi, 0, 0, 0])
    stretch, lever = np.array([0, 0, 1 / 3, 1 / 6]), np.array([1 / pi, -0.5 / pi, 0, 0])
    c1, c2, c12, c21 = (crank.DENSITY * volume * c for c in (along, across, length * stretch, length * lever))
    out = np.zeros((7, 7), dtype=q.dtype)
    out[0, 0] = out[1, 1] = m
    out[0, 2] = out[2, 0] = -c2 @ q
    out[1, 2] = out[2, 1] = 0.5 * m * length + c1 @ q
    out[2, 2] = crank.INERTIA + 2 * c12 @ q + q @ M @ q
    out[0, 3:] = out[3:, 0] = c1
    out[1, 3:] = out[3:, 1] = c2
    out[2, 3:] = out[3:, 2] = c21 + crank.DENSITY * q @ B
    out[3:, 3:] = M
    return out


def mass(z: Array) -> Array:
    """Of the mechanism, by the rates of (phi1, phi2, q)."""
    phi1, phi2, q = z[0], z[1], z[2:]
    radius = crank.CRANK_LENGTH
    A = np.zeros((7, 6), dtype=z.dtype)
    A[:2, 0] = radius * np.array([np.sin(phi2 - phi1), np.cos(phi2 - phi1)])
    A[2:, 1:] = np.eye(5)
    slider = np.zeros(6, dtype=z.dtype)
    slider[0], slider[1] = -radius * np.sin(phi1), -(crank.LENGTH + q[3]) * np.sin(phi2)
    slider[5] = np.cos(phi2)
    out = A.T @ local_mass(q) @ A + crank.SLIDER_MASS * np.outer(slider, slider)
    out[0, 0] += crank.CRANK_INERTIA
    return out


def height(z: Array) -> Array:
    """Of the slider above its line, m."""
    return crank.CRANK_LENGTH * np.sin(z[0]) + (crank.LENGTH + z[5]) * np.sin(z[1])


def slopes(function: Callable[[Array], Array], z: Array) -> Array:
    """Derivatives by z, in the first axis, by complex steps."""
    return np.array([function(z + 1j * STEP * one).imag / STEP for one in np.eye(len(z))])


def solved(t: float, y: Array) -> tuple[Array, Array, float, float]:
    """(phi1, phi2, q), their second derivatives, the motor's torque, the guide's force."""
    z, rates = np.concatenate([[crank.SPEED * t], y[:5]]), np.concatenate([[crank.SPEED], y[5:]])
    dM, G = slopes(mass, z), slopes(height, z)
    f = -np.einsum("k,kij,j->i", rates, dM, rates) + 0.5 * np.einsum("i,kij,j->k", rates, dM, rates)
    f[2:] -= crank.rod_matrices()[1] @ z[2:]
    system = np.zeros((8, 8))
    system[:6, :6], system[:6, 6], system[6, :6] = mass(z), -G, G
    system[0, 7], system[7, 0] = -1.0, 1.0
    x = np.linalg.solve(system, np.concatenate([f, [-_second(z, rates), 0.0]]))
    return z, x[:6], float(x[7]), float(x[6])


def _second(z: Array, rates: Array) -> float:
    """The height's second derivative in time without accelerations, m/s2."""
    radius, reach = crank.CRANK_LENGTH, crank.LENGTH + z[5]
    turning = 2 * rates[5] * rates[1] * np.cos(z[1])
    return float(turning - radius * rates[0] ** 2 * np.sin(z[0]) - reach * rates[1] ** 2 * np.sin(z[1]))


def flexible_slider_crank(times: Array) -> dict[str, Array]:
    """All outputs."""
    turning = -crank.CRANK_LENGTH * crank.SPEED / (crank.LENGTH + crank.START[3])
    y = run(lambda t, y: np.concatenate([y[5:], solved(t, y)[1][1:]]),
            [0.0, *crank.START, turning, *crank.START_RATE], times)  # fmt: skip
    found = [solved(t, row) for t, row in zip(times, y, strict=True)]
    z = np.array([x[0] for x in found])
    stiffness = crank.rod_matrices()[1]
    energy = [
        0.5 * rates @ mass(x) @ rates + 0.5 * x[2:] @ stiffness @ x[2:]
        for x, rates in zip(z, np.column_stack([np.full(len(times), crank.SPEED), y[:, 5:]]), strict=True)
    ]
    return {
        "phi1": z[:, 0],
        "phi2": z[:, 1],
        "x3": crank.CRANK_LENGTH * np.cos(z[:, 0]) + (crank.LENGTH + z[:, 5]) * np.cos(z[:, 1]),
        "q": z[:, 2:].T,
        "torque": np.array([x[2] for x in found]),
        "guide_force": np.array([x[3] for x in found]),
        "energy": np.array(energy),
    }
