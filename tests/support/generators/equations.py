"""Random equations of coordinates, positions and orientations, random rates, and forces along them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model

Signals = Sequence[mbs.Expression]  #: parameters and inputs on which equations may depend


def random_equation(m: Model, rng: np.random.Generator, signals: Signals = ()) -> mbs.Expression:
    """A smooth expression in which some body or joint moves."""
    bodies = [body for body in m.bodies.values() if body.joint.motions]
    terms = [_term(bodies[rng.integers(len(bodies))], bodies, rng) for _ in range(rng.integers(1, 4))]
    total = sum(terms[1:], start=terms[0])
    for signal in signals:
        if rng.random() < 0.4:
            total = total * (1.0 + 0.2 * signal)
    return total


def random_rate(m: Model, rng: np.random.Generator) -> mbs.Expression:
    """A rate that is linear in velocities, with coefficients that depend on positions; it need not be integrable."""
    bodies = [body for body in m.bodies.values() if body.joint.motions]
    rates = []
    for _ in range(rng.integers(1, 4)):
        body, other = (bodies[rng.integers(len(bodies))] for _ in range(2))
        k = int(rng.integers(3))
        velocity = (
            mbs.rate(body, int(rng.integers(len(body.joint.rates))) + 1),
            mbs.velocity(body, rng.normal(size=3))[k],
            mbs.angular_velocity(body)[k],
        )[rng.integers(3)]
        rates.append((rng.normal() + 0.3 * mbs.sin(mbs.position(other)[0])) * velocity)
    return sum(rates[1:], start=rates[0])


def _term(body: mbs.Body, bodies: list[mbs.Body], rng: np.random.Generator) -> mbs.Expression:
    kind, other = rng.integers(4), bodies[rng.integers(len(bodies))]
    if kind == 0:
        q = mbs.coordinate(body, int(rng.integers(len(body.joint.coordinates))) + 1)
        return q * rng.normal() + 0.3 * mbs.sin(2.0 * q)
    if kind == 1:
        apart = mbs.position(body, rng.normal(size=3)) - rng.normal(size=3)
        return mbs.sqrt(apart.dot(apart) + 0.1)
    if kind == 2:
        return (mbs.position(body, rng.normal(size=3)) - mbs.position(body)).dot(rng.normal(size=3))
    return mbs.position(body, rng.normal(size=3)).dot(mbs.position(other, rng.normal(size=3))) * 0.2


def add_along(m: Model, rng: np.random.Generator, signals: Signals = ()) -> None:
    """Add springs, a potential, stops, motors and friction along random equations and rates."""
    g = random_equation(m, rng, signals)
    m.spring("along", along=g, stiffness=4.0, damping=0.3, length=0.2)
    m.spring("along_table", along=g * g, unit="rad", force=([-1, 0.5, 4], [-3, 1, 2]))
    m.spring("along_potential", along=random_equation(m, rng, signals), energy=lambda V: 2.0 * V)
    m.limit("along_limit", along=random_equation(m, rng, signals), lower=0.1, upper=0.4, stiffness=5.0, damping=0.2)
    m.motor("along_motor", along=random_equation(m, rng, signals), force=0.4 * mbs.cos(mbs.time))
    m.motor("along_rate", along=random_rate(m, rng), torque=0.7)
    m.friction("along_friction", along=random_rate(m, rng), force=0.6, static=0.8, viscous=0.2, speed=0.5)
