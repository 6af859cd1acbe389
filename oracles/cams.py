"""A cam and its follower in the cam's angle alone: the follower's by solving for the contact, Lagrange's equation."""

from __future__ import annotations

import cmath
import math
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from models import cam_follower as cam

from .solver import Rates, run

ROUNDS = 3  #: of the search for kinks, each along a run whose steps end at those of the last
GRAVITY = 9.81  #: m/s²
NEAR = (0.08, math.pi / 2)  #: rad: of the rocker, and where it touches the cam, at the start


@dataclass
class Place:
    """Where the rocker is at an angle of the cam: its angle psi with two derivatives by the cam's, and the normal.

    z: the angle on the cam where it is touched. normal: outwards there, in axes of the world.
    """

    psi: float
    slope: float
    bend: float
    z: float
    normal: complex


def offset(knots: list[float], pieces: list[list[float]], z: float) -> tuple[complex, complex, complex, complex]:
    """The curve at the roller's radius from the cam, its two derivatives, and the cam's normal; z counts from the lobe.

    With the tangent t = P'/s the normal is -i t.
    """
    z = z % math.tau
    k = min(int(z / math.tau * cam.POINTS), cam.POINTS - 1)
    h, (d, c, b, a) = z - knots[k], pieces[k]
    f = (a + h * (b + h * (c + h * d)), b + h * (2 * c + h * 3 * d), 2 * c + 6 * h * d, 6 * d)
    around = cmath.exp(1j * z)
    first = (f[1] + 1j * f[0]) * around
    second = (f[2] + 2j * f[1] - f[0]) * around
    third = (f[3] + 3j * f[2] - 3 * f[1] - 1j * f[0]) * around
    s = abs(first)
    s1 = (first.conjugate() * second).real / s
    s2 = (abs(second) ** 2 + (first.conjugate() * third).real - s1**2) / s
    t = first / s
    t1 = (second - t * s1) / s
    t2 = (third - 2 * t1 * s1 - t * s2) / s
    r = -1j * cam.ROLLER
    return f[0] * around + r * t, first + r * t1, second + r * t2, -1j * t


def solved(a: complex, b: complex, right: complex) -> tuple[float, float]:
    """Real x, y with a x + b y = right."""
    determinant = (a.conjugate() * b).imag
    return (right.conjugate() * b).imag / determinant, (a.conjugate() * right).imag / determinant


def follower() -> Callable[[float], Place]:
    """The rocker's place by the cam's angle, which begins at zero and goes on in small steps.

    Places in the plane are complex numbers. The roller's centre, PIVOT - ARM exp(i psi), is exp(i phi) G(z), G the
    curve of `offset`: two equations for psi and z by Newton's method, and two for each of their derivatives.
    """
    angles, radii = cam.profile()
    spline = CubicSpline([*angles, math.tau], [*radii, radii[0]], bc_type="periodic")
    knots, pieces = spline.x.tolist(), spline.c.T.tolist()
    pivot, last = complex(*cam.PIVOT), list(NEAR)

    def place(phi: float) -> Place:
        turn, (psi, z) = cmath.exp(-1j * phi), last
        for _ in range(50):
            arm = cam.ARM * cmath.exp(1j * psi)
            G, G1, G2, n = offset(knots, pieces, z)
            steps = solved(-1j * turn * arm, -G1, G - turn * (pivot - arm))
            psi, z = psi + steps[0], z + steps[1]
            if max(map(abs, steps)) < 1e-14:
                break
        arm = cam.ARM * cmath.exp(1j * psi)
        psi1, z1 = solved(-1j * turn * arm, -G1, 1j * turn * (pivot - arm))
        known = turn * (-(pivot - arm) - 2 * arm * psi1 + arm * psi1**2) - G2 * z1**2
        psi2, _ = solved(-1j * turn * arm, -G1, -known)
        last[:] = psi, z
        return Place(psi, psi1, psi2, z, n / turn)

    return place


def kinks(angle: Callable[[float], float], times: np.ndarray) -> list[float]:
    """When the follower passes a point of the spline, whose third derivative jumps there, for the cam's angle in time.

    No estimate of errors sees a kink well. Steps that end at them need not cross them.
    """
    place, pitch = follower(), math.tau / cam.POINTS
    grid = np.linspace(times[0], times[-1], 20 * len(times))
    touched = [place(angle(t)).z / pitch for t in grid]
    found, place = [], follower()
    for (begin, end), (a, b) in zip(pairwise(grid), pairwise(touched), strict=True):
        place(angle(begin))
        if math.floor(a) != math.floor(b):
            knot = max(math.floor(a), math.floor(b))
            found.append(float(brentq(lambda t, k=knot: place(angle(t)).z / pitch - k, begin, end, xtol=1e-15)))
    return found


def smooth(rates: Rates, start: Sequence[float], instants: list[float]) -> Callable[[float], float]:
    """The cam's angle over time, with steps that end at the instants: what is between them is as exact as the steps."""
    y, pieces = np.array(start), []
    for begin, end in pairwise(instants):
        piece = solve_ivp(rates, (begin, end), y, "DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
        pieces.append(piece.sol)
        y = piece.y[:, -1]
    return lambda t: float(pieces[min(max(bisect(instants, t) - 1, 0), len(pieces) - 1)](t)[0])


def cam_follower(times: np.ndarray) -> dict[str, np.ndarray]:
    """(I + J psi'²) w_dot + J psi' psi'' w² = torque + psi' Q, Q on the rocker by its spring and weight."""

    def load(at: Place, w: float) -> float:
        """On the rocker, about its pivot; its centre of mass is CENTRE away, towards the roller."""
        weight = cam.MASS * GRAVITY * cam.CENTRE * math.cos(at.psi)
        return weight - cam.STIFFNESS * (at.psi - cam.REST) - cam.DAMPING * at.slope * w

    def acceleration(at: Place, w: float) -> float:
        Q = cam.TORQUE - cam.LOSS * w + at.slope * load(at, w) - cam.ROCKER * at.slope * at.bend * w**2
        return float(Q / (cam.SHAFT + cam.ROCKER * at.slope**2))

    place, start = follower(), (0.0, cam.SPEED)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], acceleration(place(y[0]), y[1])])

    ends = [float(times[0]), float(times[-1])]
    found: list[float] = []
    for _ in range(ROUNDS):  # a kink that is missed by a time d moves what follows by some 20 d
        place = follower()
        found = kinks(smooth(rates, start, sorted([*ends, *found])), times)
    place = follower()
    instants, which = np.unique([*times, *found], return_index=True)
    y = run(rates, start, instants)[which < len(times)]
    place, rows = follower(), []
    for phi, w in y:
        at = place(phi)
        turning = at.slope * acceleration(at, w) + at.bend * w**2
        lever = (at.normal.conjugate() * -1j * cam.ARM * cmath.exp(1j * at.psi)).real
        kinetic = (cam.SHAFT + cam.ROCKER * at.slope**2) * w**2 / 2
        height = cam.PIVOT[1] - cam.CENTRE * math.sin(at.psi)
        stored = cam.STIFFNESS * (at.psi - cam.REST) ** 2 / 2 + cam.MASS * GRAVITY * height
        rows.append((at.psi, at.slope * w, (cam.ROCKER * turning - load(at, w)) / lever, kinetic + stored))
    swing, swing_rate, force, energy = np.array(rows).T
    return {
        "angle": y[:, 0], "speed": y[:, 1], "swing": swing, "swing_rate": swing_rate, "force": force, "energy": energy,
    }  # fmt: skip
