"""The two solvers as printed by Ivanov (2017): 6x6 matrices over small arrays, for a chain on universal joints.

The package's solvers use blocks instead of matrices and share work, so their ratio may differ from that of the printed
ones. The printed sweep loses the symmetry of its inertias, which is restored here for the timing. This module computes
what the paper compares: kinematics (C, A and the wrench of gravity of every body), then one of the solutions of
(P1)-(P5). Rates are checked against the kernels'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from .models import Mechanism

jit = njit(error_model="numpy", boundscheck=False)


@jit
def multiply(a: np.ndarray, i: int, b: np.ndarray, j: int, out: np.ndarray, k: int) -> None:
    """out[k] = a[i] b[j], 6x6. Six sums at a time, so that the compiler vectorises them.

    Here and below whole arrays are passed with the index of the matrix: numba counts references to slices.
    """
    for m in range(6):
        t0 = t1 = t2 = t3 = t4 = t5 = 0.0
        for n in range(6):
            x = a[i, m, n]
            t0 += x * b[j, n, 0]
            t1 += x * b[j, n, 1]
            t2 += x * b[j, n, 2]
            t3 += x * b[j, n, 3]
            t4 += x * b[j, n, 4]
            t5 += x * b[j, n, 5]
        out[k, m, 0], out[k, m, 1], out[k, m, 2] = t0, t1, t2
        out[k, m, 3], out[k, m, 4], out[k, m, 5] = t3, t4, t5


@jit
def add_transposed(a: np.ndarray, i: int, b: np.ndarray, j: int, out: np.ndarray, k: int) -> None:
    """out[k] += a[i]ᵀ b[j], 6x6."""
    for m in range(6):
        t0, t1, t2 = out[k, m, 0], out[k, m, 1], out[k, m, 2]
        t3, t4, t5 = out[k, m, 3], out[k, m, 4], out[k, m, 5]
        for n in range(6):
            x = a[i, n, m]
            t0 += x * b[j, n, 0]
            t1 += x * b[j, n, 1]
            t2 += x * b[j, n, 2]
            t3 += x * b[j, n, 3]
            t4 += x * b[j, n, 4]
            t5 += x * b[j, n, 5]
        out[k, m, 0], out[k, m, 1], out[k, m, 2] = t0, t1, t2
        out[k, m, 3], out[k, m, 4], out[k, m, 5] = t3, t4, t5


@jit
def symmetrise(M: np.ndarray, i: int) -> None:
    """Replace M[i], 6x6, by its symmetric part."""
    for a in range(6):
        for b in range(a):
            M[i, a, b] = M[i, b, a] = 0.5 * (M[i, a, b] + M[i, b, a])


@jit
def columns(i: int, M: np.ndarray, A: np.ndarray, MA: np.ndarray) -> tuple[float, float, float]:
    """MA = M* A (6x2), and the entries of the symmetric AᵀM*A (2x2), of body i."""
    a = b = c = 0.0
    for m in range(6):
        first = second = 0.0
        for n in range(6):
            first += M[i, m, n] * A[i, n, 0]
            second += M[i, m, n] * A[i, n, 1]
        MA[m, 0], MA[m, 1] = first, second
        a += A[i, m, 0] * first
        b += A[i, m, 0] * second
        c += A[i, m, 1] * second
    return a, b, c


@jit
def kinematics(q, place, mass, com, C, A, turned, F) -> None:
    """C_i, A_i, and the wrench of gravity F_i in the axes of each body; turned[0] is gravity in the base's axes."""
    for i in range(len(mass)):
        sa, ca = np.sin(q[i, 0]), np.cos(q[i, 0])
        sb, cb = np.sin(q[i, 1]), np.cos(q[i, 1])
        g = ((cb, sa * sb, -ca * sb), (0.0, ca, sa), (sb, -sa * cb, ca * cb))
        x, y, z = place[i, 0], place[i, 1], place[i, 2]
        for k in range(3):
            g0, g1, g2 = g[k]
            C[i, k, 0] = C[i, 3 + k, 3] = g0
            C[i, k, 1] = C[i, 3 + k, 4] = g1
            C[i, k, 2] = C[i, 3 + k, 5] = g2
            C[i, k, 3], C[i, k, 4], C[i, k, 5] = g2 * y - g1 * z, g0 * z - g2 * x, g1 * x - g0 * y
            turned[i + 1, k] = g0 * turned[i, 0] + g1 * turned[i, 1] + g2 * turned[i, 2]
        A[i, 3, 0], A[i, 5, 0], A[i, 4, 1] = cb, sb, 1.0
        fx, fy, fz = mass[i] * turned[i + 1, 0], mass[i] * turned[i + 1, 1], mass[i] * turned[i + 1, 2]
        F[i, 0], F[i, 1], F[i, 2] = fx, fy, fz
        F[i, 3] = com[i, 1] * fz - com[i, 2] * fy
        F[i, 4] = com[i, 2] * fx - com[i, 0] * fz
        F[i, 5] = com[i, 0] * fy - com[i, 1] * fx


@jit
def begin(i, M, F, Ms, phi, Fs) -> None:
    """Initialise body i with its own inertia and wrench, before its children's."""
    for a in range(6):
        phi[i, a] = 0.0
        Fs[i, a] = F[i, a]
        for b in range(6):
            Ms[i, a, b] = M[i, a, b]


@jit
def carry_wrench(i, C, Fs) -> None:
    """F_k += Cᵀ F (P5)."""
    for a in range(6):
        for b in range(6):
            Fs[i - 1, a] += C[i, b, a] * Fs[i, b]


@jit
def finish(i, u, v, C, A, Ms, phi, Fs, mu, p_dot) -> None:
    """Twist (in row i + 1) and momentum of body i, and (P4)."""
    for a in range(6):
        total = 0.0
        for b in range(6):
            total += C[i, a, b] * v[i, b]
        v[i + 1, a] = total + A[i, a, 0] * u[i, 0] + A[i, a, 1] * u[i, 1]
    for a in range(6):
        total = phi[i, a]
        for b in range(6):
            total += Ms[i, a, b] * v[i + 1, b]
        mu[a] = total
    vx, vy, vz = v[i + 1, 0], v[i + 1, 1], v[i + 1, 2]
    wx, wy, wz = v[i + 1, 3], v[i + 1, 4], v[i + 1, 5]
    f0, f1, f2, n0, n1, n2 = mu[0], mu[1], mu[2], mu[3], mu[4], mu[5]
    rates = (
        Fs[i, 0] - wy * f2 + wz * f1, Fs[i, 1] - wz * f0 + wx * f2, Fs[i, 2] - wx * f1 + wy * f0,
        Fs[i, 3] - vy * f2 + vz * f1 - wy * n2 + wz * n1, Fs[i, 4] - vz * f0 + vx * f2 - wz * n0 + wx * n2,
        Fs[i, 5] - vx * f1 + vy * f0 - wx * n1 + wy * n0,
    )  # fmt: skip
    for j in range(2):
        total = 0.0
        for a in range(6):
            total += A[i, a, j] * rates[a]
        p_dot[i, j] = total
    p_dot[i, 0] += u[i, 1] * (A[i, 3, 0] * n2 - A[i, 5, 0] * n0)  # the rate of the first column: u2 (- sin, 0, cos)


@jit
def sweep(p, M, F, C, A, Ms, phi, Fs, D, u, v, p_dot, MA, H, HM, HMC, six, symmetric) -> None:
    """Section 3 of the paper, with D of the same body in H; the inertias of branches stay symmetric if `symmetric`.

    Without that, rounding makes them asymmetric. D and H read them from one side only, so that the error grows from
    body to body.
    """
    n = len(p)
    for i in range(n):
        begin(i, M, F, Ms, phi, Fs)
    for i in range(n - 1, -1, -1):
        a, b, c = columns(i, Ms, A, MA)
        det = a * c - b * b
        D[i, 0, 0], D[i, 0, 1], D[i, 1, 1] = c / det, -b / det, a / det
        if i == 0:
            break
        for k in range(6):
            k0 = MA[k, 0] * D[i, 0, 0] + MA[k, 1] * D[i, 0, 1]
            k1 = MA[k, 0] * D[i, 0, 1] + MA[k, 1] * D[i, 1, 1]
            total = k0 * p[i, 0] + k1 * p[i, 1]
            for j in range(6):
                H[0, k, j] = (1.0 if k == j else 0.0) - k0 * A[i, j, 0] - k1 * A[i, j, 1]
                total += H[0, k, j] * phi[i, j]
            six[k] = total
        for k in range(6):
            for j in range(6):
                phi[i - 1, j] += C[i, k, j] * six[k]
        multiply(H, 0, Ms, i, HM, 0)
        multiply(HM, 0, C, i, HMC, 0)
        add_transposed(C, i, HMC, 0, Ms, i - 1)
        if symmetric:
            symmetrise(Ms, i - 1)
        carry_wrench(i, C, Fs)
    for i in range(n):
        for a in range(6):
            total = 0.0
            for b in range(6):
                total += C[i, a, b] * v[i, b]
            six[a] = total
        e0, e1 = p[i, 0], p[i, 1]
        for a in range(6):
            total = phi[i, a]
            for b in range(6):
                total += Ms[i, a, b] * six[b]
            e0 -= A[i, a, 0] * total
            e1 -= A[i, a, 1] * total
        u[i, 0], u[i, 1] = D[i, 0, 0] * e0 + D[i, 0, 1] * e1, D[i, 0, 1] * e0 + D[i, 1, 1] * e1
        finish(i, u, v, C, A, Ms, phi, Fs, six, p_dot)


@jit
def cholesky(p, M, F, C, A, Ms, phi, Fs, L, V, x, u, v, p_dot, MA, MC, six) -> None:
    """Section 4 of the paper."""
    n = len(p)
    for i in range(n):
        begin(i, M, F, Ms, phi, Fs)
    for i in range(n - 1, -1, -1):
        a, b, c = columns(i, Ms, A, MA)
        L[i, 0, 0] = np.sqrt(a)
        L[i, 1, 0] = b / L[i, 0, 0]
        L[i, 1, 1] = np.sqrt(c - L[i, 1, 0] * L[i, 1, 0])
        e0, e1 = p[i, 0], p[i, 1]
        for k in range(6):
            e0 -= A[i, k, 0] * phi[i, k]
            e1 -= A[i, k, 1] * phi[i, k]
        x[i, 0] = e0 / L[i, 0, 0]
        x[i, 1] = (e1 - L[i, 1, 0] * x[i, 0]) / L[i, 1, 1]
        if i == 0:
            break
        multiply(Ms, i, C, i, MC, 0)
        for j in range(6):
            r0 = r1 = 0.0
            for k in range(6):
                r0 += A[i, k, 0] * MC[0, k, j]
                r1 += A[i, k, 1] * MC[0, k, j]
            V[i, 0, j] = r0 / L[i, 0, 0]
            V[i, 1, j] = (r1 - L[i, 1, 0] * V[i, 0, j]) / L[i, 1, 1]
        add_transposed(C, i, MC, 0, Ms, i - 1)
        for k in range(6):
            for j in range(6):
                Ms[i - 1, k, j] -= V[i, 0, k] * V[i, 0, j] + V[i, 1, k] * V[i, 1, j]
                phi[i - 1, j] += C[i, k, j] * phi[i, k]
        for k in range(6):
            phi[i - 1, k] += V[i, 0, k] * x[i, 0] + V[i, 1, k] * x[i, 1]
        carry_wrench(i, C, Fs)
    for i in range(n):
        e0, e1 = x[i, 0], x[i, 1]
        for k in range(6):
            e0 -= V[i, 0, k] * v[i, k]
            e1 -= V[i, 1, k] * v[i, k]
        u[i, 1] = e1 / L[i, 1, 1]
        u[i, 0] = (e0 - L[i, 1, 0] * u[i, 1]) / L[i, 0, 0]
        finish(i, u, v, C, A, Ms, phi, Fs, six, p_dot)


@jit
def repeat_kinematics(repetitions, arguments) -> None:
    for _ in range(repetitions):
        kinematics(*arguments)


@jit
def repeat_sweep(repetitions, arguments) -> None:
    for _ in range(repetitions):
        sweep(*arguments)


@jit
def repeat_cholesky(repetitions, arguments) -> None:
    for _ in range(repetitions):
        cholesky(*arguments)


@dataclass
class Printed:
    """A chain on universal joints at one state (q, p), with the arrays that the printed algorithms fill."""

    mechanism: Mechanism
    q: np.ndarray
    p: np.ndarray
    arrays: dict[str, np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        links = self.mechanism.links
        n = len(links)
        mass = np.array([link.mass for link in links])
        com = np.array([link.com for link in links])
        M = np.array([inertia(link.mass, link.com, link.inertia) for link in links])
        place = np.array([link.position for link in links], dtype=float)
        shapes = {
            "C": (n, 6, 6), "A": (n, 6, 2), "turned": (n + 1, 3), "F": (n, 6), "Ms": (n, 6, 6), "phi": (n, 6),
            "Fs": (n, 6), "D": (n, 2, 2), "L": (n, 2, 2), "V": (n, 2, 6), "x": (n, 2), "u": (n, 2), "v": (n + 1, 6),
            "p_dot": (n, 2), "MA": (6, 2), "MC": (1, 6, 6), "H": (1, 6, 6), "HM": (1, 6, 6), "HMC": (1, 6, 6),
            "six": (6,),
        }  # fmt: skip
        self.arrays = {
            "q": np.array(self.q).reshape(n, 2), "p": np.array(self.p).reshape(n, 2), "mass": mass, "com": com,
            "place": place, "M": M, **{name: np.zeros(shape) for name, shape in shapes.items()},
        }  # fmt: skip
        self.arrays["turned"][0] = 0.0, 0.0, -9.81

    def pick(self, names: str) -> tuple[np.ndarray, ...]:
        """Return arrays by their names."""
        return tuple(self.arrays[name] for name in names.split())

    def runs(self, symmetric: bool = True) -> dict[str, Callable[[int], None]]:
        """Repetitions of the kinematics, and of each solution after it; without `symmetric`, the sweep is as printed.

        Timed is the symmetric sweep, because the other one has no accuracy left on long chains.
        """
        arrays = {
            "kinematics": self.pick("q place mass com C A turned F"),
            "sweep": (*self.pick("p M F C A Ms phi Fs D u v p_dot MA H HM HMC six"), symmetric),
            "cholesky": self.pick("p M F C A Ms phi Fs L V x u v p_dot MA MC six"),
        }
        return {
            "kinematics": lambda count: repeat_kinematics(count, arrays["kinematics"]),
            "sweep": lambda count: repeat_sweep(count, arrays["sweep"]),
            "cholesky": lambda count: repeat_cholesky(count, arrays["cholesky"]),
        }

    def rates(self, solver: str, symmetric: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """u and p_dot by one of the solutions, as arrays of their own."""
        runs = self.runs(symmetric)
        runs["kinematics"](1)
        runs[solver](1)
        return self.arrays["u"].ravel().copy(), self.arrays["p_dot"].ravel().copy()


def inertia(mass: float, com: np.ndarray, about_centre: np.ndarray) -> np.ndarray:
    """6x6 inertia about a body's origin."""
    x, y, z = com
    r = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[mass * np.eye(3), -mass * r], [mass * r, about_centre - mass * r @ r]])
