"""Cam, rocker and valve with compliant contacts that rub: Newton's equations, the foot point at each evaluation."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from models import valve_train as train

from .solver import run

GRAVITY = 9.81  #: m/s²
PIVOT = complex(train.LEFT, train.BASE + train.SHOE)
DOWN = -1j  #: the normal of the tip on the valve, from the tip


@dataclass
class Touch:
    """A contact on the rocker: gap, m; normal force, N; its place, m, and its force there on the rocker, N."""

    gap: float
    load: float
    place: complex
    force: complex


class Cam:
    """The cam's foot point, as seen by the shoe. Places in the plane are complex numbers."""

    def __init__(self) -> None:
        angles, radii = train.profile()
        spline = CubicSpline([*angles, math.tau], [*radii, radii[0]], bc_type="periodic")
        self.knots, self.pieces = spline.x.tolist(), spline.c.T.tolist()

    def curve(self, z: float) -> tuple[complex, complex, complex]:
        """The point at the polar angle z, and its derivatives."""
        z = z % math.tau
        k = min(int(z / math.tau * train.POINTS), train.POINTS - 1)
        h, (d, c, b, a) = z - self.knots[k], self.pieces[k]
        f, f1, f2 = a + h * (b + h * (c + h * d)), b + h * (2 * c + h * 3 * d), 2 * c + 6 * h * d
        around = cmath.exp(1j * z)
        return f * around, (f1 + 1j * f) * around, (f2 + 2j * f1 - f) * around

    def foot(self, center: complex) -> tuple[float, complex]:
        """Distance of the shoe's centre from the cam, and the outward normal there; all in axes of the cam."""
        z = cmath.phase(center)
        for _ in range(50):
            P, P1, P2 = self.curve(z)
            away = center - P
            slope = (P2.conjugate() * away).real - abs(P1) ** 2
            step = (P1.conjugate() * away).real / slope
            z -= step
            if abs(step) < 1e-15:
                break
        P, P1, _ = self.curve(z)
        normal = -1j * P1 / abs(P1)
        return ((center - P) * normal.conjugate()).real, normal


def rubbing(gap: float, normal: complex, place: complex, velocity: complex) -> Touch:
    """The contact at a place, with the normal to the rocker and the rocker's velocity against the other body."""
    opening = (velocity * normal.conjugate()).real
    load = train.STIFFNESS * max(-gap, 0.0) * max(1.0 - train.DISSIPATION * opening, 0.0)
    tangent = 1j * normal
    slip = (velocity * tangent.conjugate()).real
    friction = train.FRICTION * load * slip / math.hypot(slip, train.CREEP)
    return Touch(gap, load, place, load * normal - friction * tangent)


def touches(cam: Cam, t: float, y: np.ndarray) -> tuple[Touch, Touch]:
    """Both contacts at a time. y: angle of the rocker, place of the valve, and their rates."""
    swing, valve, swing_rate, valve_rate = y.tolist()
    arm, turn = cmath.exp(1j * swing), cmath.exp(1j * train.SPEED * t)
    shoe, tip = PIVOT - train.LEFT * arm, PIVOT + train.RIGHT * arm
    distance, normal = cam.foot(shoe / turn)
    gap, normal = distance - train.SHOE, normal * turn
    place = shoe - normal * (train.SHOE - 0.5 * max(-gap, 0.0))
    velocity = 1j * swing_rate * (place - PIVOT) - 1j * train.SPEED * place
    on_cam = rubbing(gap, normal, place, velocity)
    top = PIVOT.imag - train.TIP + valve
    gap = tip.imag - train.TIP - top
    place = tip + DOWN * (train.TIP - 0.5 * max(-gap, 0.0))
    on_valve = rubbing(gap, -DOWN, place, 1j * swing_rate * (place - PIVOT) - 1j * valve_rate)
    return on_cam, on_valve


def moment(touch: Touch, about: complex) -> float:
    """Of the force on the rocker about a point, N m."""
    return ((touch.place - about).conjugate() * touch.force).imag


def valve_train(times: np.ndarray) -> dict[str, np.ndarray]:
    """J psi'' and m s'' from the forces of both contacts, the spring and the weight; the torque about the shaft."""
    cam = Cam()

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        on_cam, on_valve = touches(cam, t, y)
        turning = (moment(on_cam, PIVOT) + moment(on_valve, PIVOT)) / train.ROCKER
        spring = train.PRELOAD - train.RATE * y[1] - train.DAMPING * y[3]
        rising = (spring - on_valve.force.imag) / train.VALVE - GRAVITY
        return np.array([y[2], y[3], turning, rising])

    y = run(rates, [*train.start(), 0.0, 0.0], times)
    found = [touches(cam, t, row) for t, row in zip(times.tolist(), y, strict=True)]
    return {
        "lift": -y[:, 1],
        "lift_rate": -y[:, 3],
        "swing": y[:, 0],
        "swing_rate": y[:, 2],
        "gap": np.array([on_cam.gap for on_cam, _ in found]),
        "shoe_force": np.array([on_cam.load for on_cam, _ in found]),
        "tip_force": np.array([on_valve.load for _, on_valve in found]),
        "torque": np.array([moment(on_cam, 0j) for on_cam, _ in found]),
    }
