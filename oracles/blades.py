"""The blade on a shaft that spins up: a cantilever in a turning frame, by Galerkin's method with polynomials.

With the place x along the blade, its deflection v in the plane of rotation, mass m and rotary inertia r per length,
dots for rates and dashes for slopes, and the shaft's speed W, to second order in v:

    2 T = ∫ m [v.² + 2 W x v. + W² (x² + v² + 2 x u)] + r (v.' + W)² dx,    u = -½ ∫₀ˣ v'² dx

Lagrange's equations of that are linear, with W and its rate in them. A frame that goes along with the middle of the
blade drops other terms of third order: a model in such a frame moves alike as far as those go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from models import rotating_blade as blade

from .solver import run

COUNT = 6  #: shapes
Array = np.ndarray


@dataclass(frozen=True)
class Galerkin:
    """Matrices in shapes of unit mass, and integrals of the shapes."""

    bending: Array  #: diagonal: squares of the angular frequencies at rest
    square: Array  #: ∫ m v²
    tension: Array  #: -2 ∫ m x u: by each square of the speed
    near: Array  #: -2 u at the tip
    lever: Array  #: ∫ m x v + r v', kg m
    tip: Array  #: deflection there


def galerkin() -> Galerkin:
    """In the cantilever's vibrations at rest, made of (x/L)^(k+2)."""
    length, m = blade.LENGTH, blade.DENSITY * blade.AREA
    r, EI = blade.DENSITY * blade.SECOND_MOMENT, blade.E * blade.SECOND_MOMENT
    x = Polynomial([0.0, length])  # of x/L, as all of them
    shapes = [Polynomial.basis(k + 2) for k in range(COUNT)]
    slopes = [shape.deriv() / length for shape in shapes]
    curved = [slope.deriv() / length for slope in slopes]

    def products(a: list[Polynomial], weight: Polynomial) -> Array:
        return np.array([[_integral(weight * one * other) for other in a] for one in a])

    square, turned = products(shapes, Polynomial([m])), products(slopes, Polynomial([r]))
    inverse = np.linalg.inv(np.linalg.cholesky(square + turned))
    squares, V = np.linalg.eigh(inverse @ products(curved, Polynomial([EI])) @ inverse.T)
    V = inverse.T @ V
    lever = np.array([_integral(m * x * one + r * slope) for one, slope in zip(shapes, slopes, strict=True)])
    matrices = (square, products(slopes, 0.5 * m * (length**2 - x * x)), products(slopes, Polynomial([1.0])))
    return Galerkin(
        np.diag(squares), *(V.T @ A @ V for A in matrices), lever @ V, np.array([s(1.0) for s in shapes]) @ V
    )


def _integral(p: Polynomial) -> float:
    """Along the blade."""
    whole = p.integ()
    return float(blade.LENGTH * (whole(1.0) - whole(0.0)))


def speed(t: float) -> tuple[float, float]:
    """Of the shaft, and its rate."""
    if t >= blade.RAMP:
        return blade.SPEED, 0.0
    part, rate = 2 * np.pi * t / blade.RAMP, blade.SPEED / blade.RAMP
    return rate * (t - blade.RAMP / (2 * np.pi) * np.sin(part)), rate * (1 - np.cos(part))


def acceleration(g: Galerkin, t: float, v: Array) -> Array:
    """Of the coordinates."""
    W, rate = speed(t)
    return -g.bending @ v - W**2 * (g.tension - g.square) @ v - rate * g.lever


def rotating_blade(times: Array) -> dict[str, Array]:
    """All outputs; the torque is the rate of the spin."""
    g = galerkin()
    states = run(lambda t, y: np.concatenate([y[COUNT:], acceleration(g, t, y[:COUNT])]), np.zeros(2 * COUNT), times)
    length, m = blade.LENGTH, blade.DENSITY * blade.AREA
    whole, bent = m * length**3 / 3 + blade.DENSITY * blade.SECOND_MOMENT * length, g.square - g.tension
    turning, tip, torque, energy = [], [], [], []
    for t, y in zip(times, states, strict=True):
        (v, v_dot), (W, rate) = np.split(y, 2), speed(t)
        inertia = whole + v @ bent @ v
        turning.append(W)
        tip.append([-0.5 * v @ g.near @ v, g.tip @ v, 0.0])
        torque.append(rate * inertia + 2 * W * v @ bent @ v_dot + g.lever @ acceleration(g, t, v))
        energy.append(0.5 * (v_dot @ v_dot + 2 * W * g.lever @ v_dot + W**2 * inertia + v @ g.bending @ v))
    return {
        "turning": np.array(turning),
        "tip": np.array(tip).T,
        "torque": np.array(torque),
        "energy": np.array(energy),
    }
