"""The excavator by Lagrange's equations in its three angles, with the equations of oil in six chambers.

A point in the plane of motion is a complex number, forward plus i times upward. Each quantity has its value, its slopes
J by the angles, and the part b of its second derivative that remains without angular accelerations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from models import excavator as digger

from .solver import run

GRAVITY = 9.81
Array = np.ndarray


class Moving(NamedTuple):
    """A point (complex), a length or an angle: value, slopes by the angles, rate, and the rest of the second rate."""

    value: complex
    J: Array
    rate: complex
    rest: complex


class Mass(NamedTuple):
    """A body: mass, inertia about its centre, and the motion of its centre and of its angle."""

    mass: float
    inertia: float
    center: Moving
    angle: Moving


def plane(point: tuple[float, float, float]) -> complex:
    return complex(point[0], point[2])


def fixed(point: complex) -> Moving:
    return Moving(point, np.zeros(3, complex), 0j, 0j)


class Body(NamedTuple):
    """The origin of a body and its angle."""

    origin: Moving
    angle: Moving

    def point(self, local: complex) -> Moving:
        """Return the motion of a point given in the body's axes."""
        arm = np.exp(1j * self.angle.value.real) * local
        turning = self.angle.rate.real
        return Moving(
            self.origin.value + arm,
            self.origin.J + 1j * arm * self.angle.J,
            self.origin.rate + 1j * arm * turning,
            self.origin.rest + arm * (1j * self.angle.rest.real - turning**2),
        )


def line(a: Moving, b: Moving) -> tuple[Moving, Moving]:
    """Return length and angle of the line from a to b."""
    d = b.value - a.value
    length = abs(d)
    along = np.conj(d) / length
    J, rate, rest = along * (b.J - a.J), along * (b.rate - a.rate), along * (b.rest - a.rest)
    turning = rate.imag / length
    return (
        Moving(length, J.real, rate.real, rest.real + length * turning**2),
        Moving(math.atan2(d.imag, d.real), J.imag / length, turning, (rest.imag - 2 * rate.real * turning) / length),
    )


class Scene(NamedTuple):
    masses: list[Mass]
    lengths: dict[str, Moving]
    tip: Moving


def scene(q: Array, u: Array) -> Scene:
    """Return all bodies, the cylinders' lengths, and the tip of the bucket."""
    bodies, masses = {"world": Body(fixed(0j), fixed(0j))}, []
    chain = (
        ("boom", "world", digger.FOOT, digger.BOOM),
        ("stick", "boom", digger.STICK, digger.STICK_BODY),
        ("bucket", "stick", digger.BUCKET, digger.BUCKET_BODY),
    )
    for k, (name, parent, at, (mass, center, inertia)) in enumerate(chain):
        slopes = (np.arange(3) <= k).astype(float)
        angle = Moving(q[: k + 1].sum(), slopes, u[: k + 1].sum(), 0.0)
        bodies[name] = Body(bodies[parent].point(plane(at)), angle)
        masses.append(Mass(mass, inertia, bodies[name].point(plane(center)), angle))
    lengths = {}
    for name, (base, foot, moved, pin) in digger.PINS.items():
        a, b = bodies[base].point(plane(foot)), bodies[moved].point(plane(pin))
        lengths[name], angle = line(a, b)
        for end, (mass, center, inertia) in ((a, digger.HOUSING), (b, digger.ROD)):
            masses.append(Mass(mass, inertia, Body(end, angle).point(plane(center)), angle))
    return Scene(masses, lengths, bodies["bucket"].point(plane(digger.TIP)))


def soil(tip: Moving) -> complex:
    """Return the force of the ground on the bucket, N."""
    depth = max(-tip.value.imag, 0.0)
    return -digger.SOIL * depth * tip.rate / math.sqrt(abs(tip.rate) ** 2 + digger.SLOW**2)


class Chambers(NamedTuple):
    """Of a cylinder: rates of both pressures, force, flow from the supply, power of the oil, energy stored in it."""

    rates: tuple[float, float]
    force: float
    supply: float
    power: float
    energy: float


def root(x: float) -> float:
    """Return the root of a pressure difference, with its sign; its slope is finite at zero."""
    return x / (x * x + 1e8) ** 0.25


def chambers(name: str, t: float, length: Moving, pressures: Array) -> Chambers:
    bore, rod, stroke, closed = digger.SIZES[name]
    full, ring = math.pi / 4 * bore**2, math.pi / 4 * (bore**2 - rod**2)
    amplitude, period, begin = digger.WAVES[name]
    y = amplitude * math.sin(2 * math.pi / period * max(t - begin, 0.0))
    out, speed = length.value.real - closed, length.rate.real
    pa, pb = pressures
    volumes = full * (out + 0.1 * stroke), ring * (stroke - out + 0.1 * stroke)
    if y >= 0.0:
        from_supply = digger.FLOW * y * root(digger.SUPPLY - pa)
        qa, qb = from_supply, -digger.FLOW * y * root(pb - digger.TANK)
    else:
        from_supply = -digger.FLOW * y * root(digger.SUPPLY - pb)
        qa, qb = digger.FLOW * y * root(pa - digger.TANK), from_supply
    beta = digger.MODULUS
    brought = [beta * math.expm1(p / beta) for p in (pa, pb)]
    stored = sum(V * (h - p) for V, h, p in zip(volumes, brought, (pa, pb), strict=True))
    return Chambers(
        (beta / volumes[0] * (qa - full * speed), beta / volumes[1] * (qb + ring * speed)),
        pa * full - pb * ring - digger.VISCOUS * speed,
        from_supply,
        brought[0] * qa + brought[1] * qb,
        stored,
    )


def rates(t: float, y: Array) -> Array:
    """Rates of three angles, three speeds, and six pressures in units of 1 MPa."""
    u = y[3:6]
    now = scene(y[:3], u)
    pressures = 1e6 * y[6:].reshape(3, 2)
    oil = {name: chambers(name, t, now.lengths[name], pair) for name, pair in zip(digger.PINS, pressures, strict=True)}
    matrix, force = np.zeros((3, 3)), np.zeros(3)
    for mass, inertia, center, angle in now.masses:
        J = center.J
        matrix += mass * (np.outer(np.conj(J), J)).real + inertia * np.outer(angle.J, angle.J)
        force -= mass * (np.conj(J) * (center.rest + 1j * GRAVITY)).real + inertia * angle.J * angle.rest
    for name, made in oil.items():
        force += made.force * now.lengths[name].J
    force += (np.conj(now.tip.J) * soil(now.tip)).real
    pressed = [1e-6 * rate for made in oil.values() for rate in made.rates]
    return np.concatenate([u, np.linalg.solve(matrix, force), pressed])


def excavator(times: Array) -> dict[str, Array]:
    """The outputs of models/excavator.py with closed inputs."""
    start = [*digger.ANGLES.values(), 0.0, 0.0, 0.0, *(1e-6 * p for pair in digger.PRESSURES.values() for p in pair)]
    rows = run(rates, start, times)
    columns: dict[str, list] = {}
    for t, y in zip(times, rows, strict=True):
        for name, value in _outputs(t, y).items():
            columns.setdefault(name, []).append(value)
    return {name: np.array(values).T for name, values in columns.items()}


def _outputs(t: float, y: Array) -> dict[str, object]:
    now, row = scene(y[:3], y[3:6]), {}
    supply = power = energy = 0.0
    for k, name in enumerate(digger.PINS):
        pressures = 1e6 * y[6 + 2 * k : 8 + 2 * k]
        made = chambers(name, t, now.lengths[name], pressures)
        row[f"{name}_pressure"] = pressures / 1e5
        row[f"{name}_force"] = made.force
        supply, power, energy = supply + made.supply, power + made.power, energy + made.energy
    for mass, inertia, center, angle in now.masses:
        energy += 0.5 * mass * abs(center.rate) ** 2 + 0.5 * inertia * angle.rate.real**2
        energy += mass * GRAVITY * center.value.imag
    force = soil(now.tip)
    return row | {
        "angle": y[:3],
        "speed": y[3:6],
        "tip": (now.tip.value.real, now.tip.value.imag),
        "digging_force": (force.real, force.imag),
        "supply": supply,
        "inflow_power": power,
        "energy": energy,
    }
