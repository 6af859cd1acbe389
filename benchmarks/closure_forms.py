"""A four-bar closed at velocity level and at acceleration level, in explicit equations for numba.

The linkage is that of models/four_bar.py without friction, with lengths of crank, coupler, rocker and ground (m);
each rod has one kilogram per metre. Coordinates are the angles of crank, coupler and rocker from the x axis, which are
linear in the joints' angles, so that Runge-Kutta methods give the same motion in both. With M(q), the weight's moments
and J of the two conditions that the pin closes,

    velocity level:      M u - Jᵀ Λ = pi,  J u = -alpha g;           pi_dot = ∂(T - V)/∂q - J_dotᵀ Λ
    acceleration level:  M u_dot - Jᵀ λ = f,  J u_dot = -J_dot u - 2 alpha J u - alpha² g    (Baumgarte, critical)

Both solve five linear equations once by the same elimination, and share all other functions. At velocity level steps
end with pi = M u, Λ = 0 (docs/equations_loops.md), which is part of the first evaluation of the next step.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

GRAVITY = 9.81

Rates = Callable[[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray, bool], None]
Steps = Callable[[np.ndarray, np.ndarray, float, float, int, np.ndarray, np.ndarray], None]

jit = numba.njit(error_model="numpy")


@jit
def mass_and_conditions(lengths: np.ndarray, q: np.ndarray, A: np.ndarray, g: np.ndarray) -> None:
    """M and the rows of J into the matrix [[M, -Jᵀ], [J, 0]], and the residual g, m."""
    a, b, c, ground = lengths
    A[:] = 0.0
    A[0, 0] = a**3 / 3 + b * a**2
    A[1, 1], A[2, 2] = b**3 / 3, c**3 / 3
    A[0, 1] = A[1, 0] = 0.5 * a * b**2 * np.cos(q[1] - q[0])
    g[0] = -ground
    g[1] = 0.0
    for k in range(3):
        x = -lengths[k] if k == 2 else lengths[k]
        A[3, k], A[4, k] = -x * np.sin(q[k]), x * np.cos(q[k])
        A[k, 3], A[k, 4] = -A[3, k], -A[4, k]
        g[0] += A[4, k]
        g[1] -= A[3, k]


@jit
def slopes(lengths: np.ndarray, q: np.ndarray, u: np.ndarray, f: np.ndarray) -> None:
    """∂(T - V)/∂q at the joint velocities u."""
    a, b, c, _ = lengths
    turning = 0.5 * a * b**2 * np.sin(q[1] - q[0]) * u[0] * u[1]
    f[0] = turning - GRAVITY * (0.5 * a**2 + a * b) * np.cos(q[0])
    f[1] = -turning - GRAVITY * 0.5 * b**2 * np.cos(q[1])
    f[2] = -GRAVITY * 0.5 * c**2 * np.cos(q[2])


@jit
def solve(A: np.ndarray, b: np.ndarray) -> None:
    """Overwrite b by the solution of A x = b, with elimination of five unknowns in their order: M is positive."""
    for k in range(5):
        for i in range(k + 1, 5):
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, 5):
                A[i, j] -= factor * A[k, j]
            b[i] -= factor * b[k]
    for k in range(4, -1, -1):
        for j in range(k + 1, 5):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]


@jit
def velocity_rates(
    lengths: np.ndarray, x: np.ndarray, alpha: float, out: np.ndarray, work: np.ndarray, rebase: bool
) -> None:
    """Rates of (q, pi); `rebase`: set pi to M u, the momenta, first."""
    A, b, g = work[:25].reshape(5, 5), work[25:30], work[30:32]
    mass_and_conditions(lengths, x[:3], A, g)
    K = work[35:50].reshape(5, 3)
    K[:] = A[:, :3]
    b[:3] = x[3:]
    b[3], b[4] = -alpha * g[0], -alpha * g[1]
    solve(A, b)
    u = b[:3]
    out[:3] = u
    slopes(lengths, x[:3], u, out[3:])
    if rebase:
        for k in range(3):
            x[3 + k] += K[3, k] * b[3] + K[4, k] * b[4]
    else:
        for k in range(3):  # J_dot: each row's entry turns with its own angle
            out[3 + k] -= u[k] * (-K[4, k] * b[3] + K[3, k] * b[4])


def acceleration_level(ratio: float) -> Rates:
    """Rates of (q, u) with Baumgarte's stabilization, J u_dot = -J_dot u - 2 alpha J u - (ratio alpha)² g."""

    @jit
    def rates(
        lengths: np.ndarray, x: np.ndarray, alpha: float, out: np.ndarray, work: np.ndarray, rebase: bool
    ) -> None:
        A, b, g = work[:25].reshape(5, 5), work[25:30], work[30:32]
        q, u = x[:3], x[3:]
        mass_and_conditions(lengths, q, A, g)
        slopes(lengths, q, u, b)
        rate = (
            -0.5 * lengths[0] * lengths[1] ** 2 * np.sin(q[1] - q[0]) * (u[1] - u[0])
        )  # of M_12: f = ∂(T - V)/∂q - M_dot u
        b[0] -= rate * u[1]
        b[1] -= rate * u[0]
        b[3], b[4] = -ratio * ratio * alpha * alpha * g[0], -ratio * ratio * alpha * alpha * g[1]
        for k in range(3):
            b[3] += u[k] * (u[k] * A[4, k] - 2.0 * alpha * A[3, k])
            b[4] -= u[k] * (u[k] * A[3, k] + 2.0 * alpha * A[4, k])
        solve(A, b)
        out[:3] = u
        out[3:] = b[:3]

    return rates  # type: ignore[no-any-return, unused-ignore]


acceleration_rates = acceleration_level(1.0)  #: with critical damping


def runner(rates: Rates) -> Steps:
    """Steps of rk4 by these rates, from x on: fills rows of (q, pi or u) and of |g|, one every `stride` steps."""

    @numba.njit(error_model="numpy")  # type: ignore[misc, untyped-decorator, unused-ignore]
    def run(
        lengths: np.ndarray, x: np.ndarray, alpha: float, h: float, stride: int, rows: np.ndarray, open_by: np.ndarray
    ) -> None:
        k, at, work = np.zeros((4, 6)), np.zeros(6), np.zeros(50)
        A, g = np.zeros((5, 5)), np.zeros(2)
        for row in range(rows.shape[0]):
            if row > 0:
                for _ in range(stride):
                    rates(lengths, x, alpha, k[0], work, True)
                    for stage in range(1, 4):
                        at[:] = x + (h if stage == 3 else 0.5 * h) * k[stage - 1]
                        rates(lengths, at, alpha, k[stage], work, False)
                    x += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3])
            rows[row] = x
            mass_and_conditions(lengths, x[:3], A, g)
            open_by[row] = np.hypot(g[0], g[1])

    return run  # type: ignore[no-any-return, unused-ignore]
