"""Pendulums by Lagrange's equations, derived by hand from the energies that stand with them."""

from __future__ import annotations

import numpy as np

from models import double_pendulum as double
from models import pendulum_on_cart as on_cart
from models import spherical_pendulum as spherical

from .solver import run

G = 9.81


def double_pendulum(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ (m1/3 + m2) l1² a'² + m2 l1 l2/2 a' b' cos(a - b) + m2 l2²/6 b'², V = - (m1/2 + m2) g l1 cos a
    - m2 g l2/2 cos b, with the rods' angles a, b from the downward vertical."""
    (l1, l2), (m1, m2) = double.LENGTHS, double.MASSES
    A, B, C = (m1 / 3 + m2) * l1**2, m2 * l1 * l2 / 2, m2 * l2**2 / 3
    P, Q = (m1 / 2 + m2) * G * l1, m2 * G * l2 / 2

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        a, b, va, vb = y
        s, c = np.sin(a - b), np.cos(a - b)
        M = [[A, B * c], [B * c, C]]
        f = [-B * s * vb**2 - P * np.sin(a), B * s * va**2 - Q * np.sin(b)]
        return np.array([va, vb, *np.linalg.solve(M, f)])

    a, b, va, vb = run(rates, (*double.START, 0, 0), times).T
    energy = A * va**2 / 2 + B * va * vb * np.cos(a - b) + C * vb**2 / 2 - P * np.cos(a) - Q * np.cos(b)
    tip = -l1 * np.sin(a) - l2 * np.sin(b), 0 * a, -l1 * np.cos(a) - l2 * np.cos(b)
    return {"angle": (a, b), "speed": (va, vb), "tip": tip, "energy": energy}


def spherical_pendulum(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ A (a'² + sin² a f'²), V = - m g l cos a, with the inclination a and the azimuth f.

    A is the ball's inertia about the joint, across the rod. A sin² a f' stays. The rod does not turn about itself.
    """
    m, length = spherical.MASS, spherical.LENGTH
    A = m * length**2 + 0.4 * m * spherical.RADIUS**2
    moment = A * np.sin(spherical.INCLINATION) ** 2 * spherical.AZIMUTHAL_RATE

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        a, va, _ = y
        turning = moment / (A * np.sin(a) ** 2)
        return np.array([va, turning**2 * np.sin(a) * np.cos(a) - m * G * length / A * np.sin(a), turning])

    a, va, f = run(rates, (spherical.INCLINATION, 0, 0), times).T
    vf = moment / (A * np.sin(a) ** 2)
    s, c = np.sin(a), np.cos(a)
    place = length * np.array([s * np.cos(f), s * np.sin(f), -c])
    velocity = length * np.array([
        c * va * np.cos(f) - s * vf * np.sin(f), c * va * np.sin(f) + s * vf * np.cos(f), s * va
    ])  # fmt: skip
    energy = A * (va**2 + (s * vf) ** 2) / 2 - m * G * length * c
    return {"place": place, "velocity": velocity, "moment": m * (length * s) ** 2 * vf, "energy": energy}


PUSH = 1.0  #: N: the force on the cart; held, so that every FMU can be given it exactly


def push(times: np.ndarray) -> dict[str, np.ndarray]:
    """The input of the pendulum on the cart."""
    return {"force": np.full_like(times, PUSH)}


def pendulum_on_cart(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ (M + m) x'² + m l/2 x' a' cos a + m l²/6 a'², V = m g l/2 cos a, a from the upright position."""
    M, m, length = on_cart.CART, on_cart.ROD, on_cart.LENGTH
    h = length / 2

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        _, a, vx, va = y
        force = PUSH - on_cart.CART_FRICTION * vx
        mass = [[M + m, m * h * np.cos(a)], [m * h * np.cos(a), m * length**2 / 3]]
        f = [force + m * h * np.sin(a) * va**2, m * G * h * np.sin(a) - on_cart.HINGE_FRICTION * va]
        return np.array([vx, va, *np.linalg.solve(mass, f)])

    x, a, vx, va = run(rates, (0, on_cart.START, 0, 0), times).T
    energy = (M + m) * vx**2 / 2 + m * h * np.cos(a) * vx * va + m * (length * va) ** 2 / 6 + m * G * h * np.cos(a)
    tip = x + length * np.sin(a), 0 * a, length * np.cos(a)
    return {"position": x, "speed": vx, "angle": a, "angular_speed": va, "tip": tip, "energy": energy}
