"""A rotor in journal bearings: Newton and Euler in the plane, with the pressure of the films integrated numerically."""

from __future__ import annotations

import math

import numpy as np

from models import journal_rotor as rotor

from .solver import run

GRAVITY = 9.81  #: m/s²
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)  #: of half a circle; the pressure is smooth there


def film(x: float, y: float, vx: float, vy: float, w: float) -> tuple[float, float, float]:
    """Force (N) of the oil on a journal, and torque (N.m) about its centre.

    x, y: the journal's centre, m; vx, vy: its velocity; w: its angular velocity. With the thickness h = c - x cos θ - y
    sin θ, Reynolds' equation of a short bearing leaves the pressure 3 µ g (z² - L²/4)/h³, g = w dh/dθ + 2 dh/dt, where
    g is negative: on half of the circumference. Oil is sheared all around, and the pressure pushes it along.
    """
    c, mu = rotor.CLEARANCE, rotor.VISCOSITY
    a, b = -w * y - 2.0 * vx, w * x - 2.0 * vy  # g = a cos θ + b sin θ
    theta = math.atan2(b, a) + math.pi + 0.5 * math.pi * NODES
    cos, sin = np.cos(theta), np.sin(theta)
    h = c - x * cos - y * sin
    line = -mu * rotor.LENGTH**3 / 2.0 * (a * cos + b * sin) / h**3 * WEIGHTS * (0.5 * math.pi)  # N/m, times dθ
    fx, fy = -rotor.RADIUS * float(line @ cos), -rotor.RADIUS * float(line @ sin)
    pressed = 0.5 * rotor.RADIUS * float(line @ (x * sin - y * cos))
    sheared = 2.0 * math.pi * mu * rotor.RADIUS**3 * rotor.LENGTH * w / math.sqrt(c * c - x * x - y * y)
    return fx, fy, pressed - sheared


def journal_rotor(times: np.ndarray) -> dict[str, np.ndarray]:
    """Outputs of models/journal_rotor.py at the times."""
    m, e = rotor.MASS, rotor.IMBALANCE
    J = rotor.INERTIA + m * e * e  # about the centre of the shaft

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        x, y, phi, vx, vy, w = state
        fx, fy, torque = film(x, y, vx, vy, w)
        s, c = e * math.sin(phi), e * math.cos(phi)
        M = m * np.array([[1.0, 0.0, -s], [0.0, 1.0, c], [-s, c, J / m]])
        f = [
            2.0 * fx + m * w * w * c,
            2.0 * fy + m * w * w * s - m * GRAVITY,
            rotor.TORQUE + 2.0 * torque - m * GRAVITY * c,
        ]
        return np.array([vx, vy, w, *np.linalg.solve(M, f)])

    # micrometres beside radians: the tolerances of the run need numbers of one size
    scale = np.array([1e-6, 1e-6, 1.0, 1e-6, 1e-6, 1.0])
    start = np.array([*rotor.START, 0.0, 0.0, 0.0, rotor.SPEED])
    states = run(lambda t, q: rates(t, q * scale) / scale, start / scale, times) * scale
    x, y, phi, vx, vy, w = states.T
    forces = np.array([film(*row) for row in np.column_stack([x, y, vx, vy, w])])
    cx, cy = vx - e * w * np.sin(phi), vy + e * w * np.cos(phi)
    kinetic = 0.5 * m * (cx**2 + cy**2) + 0.5 * rotor.INERTIA * w**2
    return {
        "x": x * 1e6,
        "y": y * 1e6,
        "speed": w,
        "eccentricity": np.hypot(x, y) / rotor.CLEARANCE,
        "load": np.hypot(forces[:, 0], forces[:, 1]),
        "energy": kinetic + m * GRAVITY * (y + e * np.sin(phi)),
    }
