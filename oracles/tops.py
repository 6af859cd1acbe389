"""Tops: the gyroscope by Lagrange's equations, the free top in Jacobi's elliptic functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.special import ellipj, ellipkinc

from models import free_top as top
from models import gyroscope as gyro

from .solver import run

G = 9.81


def gyroscope(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ [K f'² + A a'² + B f'² sin² a + D f'² cos² a + C (s' + f' cos a)²], V = w cos a.

    f, a, s: precession, inclination, turn of the rotor in its gimbal. K is the outer gimbal's moment about the
    vertical, A, B, D those of inner gimbal, weight and (A, B) rotor about the inner gimbal's x, y, z; C is the rotor's
    about its axis. The momenta of f and s stay.
    """
    ring_o, ring_i = gyro.OUTER_MASS * gyro.OUTER_RADIUS**2 / 2, gyro.INNER_MASS * gyro.INNER_RADIUS**2 / 2
    C = gyro.ROTOR_MASS * gyro.ROTOR_RADIUS**2 / 2
    across = C / 2 + gyro.ROTOR_MASS * gyro.ROTOR_WIDTH**2 / 12 + gyro.WEIGHT * gyro.ARM**2
    K, A, B, D = ring_o, 2 * ring_i + across, ring_i + across, ring_i
    w = gyro.WEIGHT * G * gyro.ARM
    p_s = C * gyro.SPIN
    p_f = p_s * np.cos(gyro.INCLINATION)

    def precession(a: np.ndarray) -> np.ndarray:
        return (p_f - p_s * np.cos(a)) / (K + B * np.sin(a) ** 2 + D * np.cos(a) ** 2)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        _, a, va = y
        vf = precession(a)
        s, c = np.sin(a), np.cos(a)
        return np.array([vf, va, ((B - D) * vf**2 * s * c - p_s * vf * s + w * s) / A])

    f, a, va = run(rates, (0, gyro.INCLINATION, 0), times).T
    vf = precession(a)
    s, c = np.sin(a), np.cos(a)
    energy = (K * vf**2 + A * va**2 + B * (vf * s) ** 2 + D * (vf * c) ** 2 + p_s**2 / C) / 2 + w * c
    return {
        "precession": f, "inclination": a, "precession_rate": vf, "nutation_rate": va, "spin": p_s / C - vf * c,
        "energy": energy,
    }  # fmt: skip


def free_top(times: np.ndarray) -> dict[str, np.ndarray]:
    """Euler's top: the spin in elliptic functions, the attitude by one quadrature; the centre flies straight on."""
    J, w0 = np.array(top.moments()), np.array(top.SPIN)
    spin = spin_of(J, w0)
    turned = np.concatenate([[0.0], np.cumsum([
        quadrature(lambda t: precession_rate(J, spin(t)), a, b) for a, b in pairwise(times)
    ])])  # fmt: skip
    w = spin(times)
    first = attitude(J, w[:, 0], 0.0)
    axis = np.array([(first.T @ attitude(J, w[:, k], turned[k]))[:, 1] for k in range(len(times))]).T
    v = np.array(top.VELOCITY)[:, None]
    place = v * times
    energy = 0 * times + (top.MASS * np.sum(v**2) + J @ w0**2) / 2
    return {"place": place, "axis": axis, "spin": w, "energy": energy}


def spin_of(J: np.ndarray, w0: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The angular velocity in body axes as a function of time (Landau and Lifshitz, Mechanics, section 37).

    For J1 < J2 < J3 and L² > 2 E J2: (a cn, b sn, c dn) of lambda t plus a phase; with L² < 2 E J2 the axes 1 and 3
    change places.
    """
    E2, L2 = J @ w0**2, J**2 @ w0**2
    order = np.array([0, 1, 2]) if E2 * J[1] < L2 else np.array([2, 1, 0])
    J1, J2, J3 = J[order]
    a = np.sqrt((E2 * J3 - L2) / (J1 * (J3 - J1)))
    b = np.sqrt((E2 * J3 - L2) / (J2 * (J3 - J2)))
    c = np.sqrt((L2 - E2 * J1) / (J3 * (J3 - J1)))
    rate = np.sqrt((J3 - J2) * (L2 - E2 * J1) / (J1 * J2 * J3))
    m = (J2 - J1) * (E2 * J3 - L2) / ((J3 - J2) * (L2 - E2 * J1))
    sign = np.sign(w0[order[2]])  # of dn, which has no zero; half a turn of the body about axis 2 changes it and cn's
    w1, w2, _ = w0[order]
    phase = ellipkinc(np.arctan2(w2 / b, sign * w1 / a), m)

    def spin(t: np.ndarray) -> np.ndarray:
        sn, cn, dn, _ = ellipj(rate * np.asarray(t) + phase, m)
        out = np.empty((3, *np.shape(t)))
        out[order] = np.array([sign * a * cn, b * sn, sign * c * dn])
        return out

    return spin


def precession_rate(J: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Rate of Euler's first angle about the angular momentum: L (J1 w1² + J2 w2²)/(J1² w1² + J2² w2²)."""
    L = np.sqrt(np.sum((J[:, None] * w) ** 2, axis=0))
    return L * (J[0] * w[0] ** 2 + J[1] * w[1] ** 2) / ((J[0] * w[0]) ** 2 + (J[1] * w[1]) ** 2)


def attitude(J: np.ndarray, w: np.ndarray, turned: float) -> np.ndarray:
    """Body to axes whose z is the angular momentum: turns about z, x and z again."""
    e = J * w / np.linalg.norm(J * w)
    nod, own = np.arctan2(np.hypot(e[0], e[1]), e[2]), np.arctan2(e[0], e[1])
    (s1, s2, s3), (c1, c2, c3) = np.sin([turned, nod, own]), np.cos([turned, nod, own])
    first = np.array([[c1, -s1, 0], [s1, c1, 0], [0, 0, 1]])
    second = np.array([[1, 0, 0], [0, c2, -s2], [0, s2, c2]])
    return first @ second @ np.array([[c3, -s3, 0], [s3, c3, 0], [0, 0, 1]])


def quadrature(f: Callable[[np.ndarray], np.ndarray], a: float, b: float, parts: int = 4) -> float:
    """Integral by Gauss's rule of 20 points on each part."""
    x, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(a, b, parts + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, (b - a) / (2 * parts)
    points = middle[:, None] + half * x
    return float(half * np.sum(weights * f(points.ravel()).reshape(points.shape)))
