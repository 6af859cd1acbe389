"""The crane with an elastic boom, by d'Alembert's principle: points of mass whose places are functions of few numbers.

With the place x along the boom, its deflections v and w across and the turned axes of its foot, a point of a section at
(y, z) stands at

    (x + u - y v' - z w', y + v, z + w),    u = -½ ∫₀ˣ v'² + w'² dx

Four points a section have its mass and its moments of inertia. The boom's shapes are those in which it vibrates while
its foot is held, made of polynomials; each is damped as the model tells. A frame that goes along with the middle of the
boom drops other terms of third order: a model in such a frame moves alike as far as those go.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.legendre import leggauss

from models import boom_with_load as crane

from .solver import run

COUNT = 6  #: shapes in each plane
POINTS = 12  #: sections
FEW = 4  #: column, luffing, and two angles of the load's rod
GRAVITY = 9.81
TORQUES = (4000.0, 8000.0)  #: N m: on the column and at the boom's foot
Array = np.ndarray


@dataclass(frozen=True)
class Boom:
    """Its points of mass, and their places in the axes of the foot, s0 + S e + ½ e C e; e: deflections, across first.

    pins: the same of the places of the cylinder's pin and of the tip.
    """

    masses: Array
    places: tuple[Array, Array, Array]
    pins: tuple[Array, Array, Array]
    stiffness: Array  #: of each coordinate, of unit mass
    damping: Array


@functools.cache
def boom() -> Boom:
    """In shapes x²(x/L)^k, made those of vibrations with the foot held."""
    length = crane.LENGTH
    nodes, weights = leggauss(POINTS)
    x, weights = 0.5 * length * (nodes + 1.0), 0.5 * length * weights
    outer = 0.5 * np.array([crane.diameter(a) for a in x])
    inner = outer - crane.THICKNESS
    area, second = np.pi * (outer**2 - inner**2), np.pi / 4 * (outer**4 - inner**4)
    shapes = [Polynomial([0.0, 1.0 / length]) ** (k + 2) for k in range(COUNT)]
    slopes, curves = ([s.deriv(k) for s in shapes] for k in (1, 2))
    at = np.array([s(x) for s in shapes]), np.array([s(x) for s in slopes]), np.array([s(x) for s in curves])
    mass, turning = crane.DENSITY * area * weights, crane.DENSITY * second * weights
    inverse = np.linalg.inv(np.linalg.cholesky((at[0] * mass) @ at[0].T + (at[1] * turning) @ at[1].T))
    squares, V = np.linalg.eigh(inverse @ ((at[2] * crane.E * second * weights) @ at[2].T) @ inverse.T)
    V = inverse.T @ V

    def near(a: float) -> Array:
        """Minus second derivatives of u by the coordinates of one plane."""
        return V.T @ np.array([[(p * q).integ()(a) for q in slopes] for p in slopes]) @ V

    def fields(along: Array) -> tuple[Array, Array, Array]:
        """Of points (x, y, z)."""
        s0, S, C = along.copy(), np.zeros((len(along), 3, 2 * COUNT)), np.zeros((len(along), 2 * COUNT, 2 * COUNT))
        for i, (a, y, z) in enumerate(along):
            shape, slope = V.T @ [s(a) for s in shapes], V.T @ [s(a) for s in slopes]
            S[i, 1, :COUNT] = S[i, 2, COUNT:] = shape
            S[i, 0] = np.concatenate([-y * slope, -z * slope])
            C[i, :COUNT, :COUNT] = C[i, COUNT:, COUNT:] = -near(a)
        return s0, S, C

    ring = np.sqrt(2 * second / area)
    points = [[(a, r, 0.0), (a, -r, 0.0), (a, 0.0, r), (a, 0.0, -r)] for a, r in zip(x, ring, strict=True)]
    pins = np.array([[crane.MIDDLE, 0.0, 0.0], [length, 0.0, 0.0]])
    stiffness = np.tile(squares, 2)
    return Boom(
        np.repeat(mass / 4, 4), fields(np.array(points).reshape(-1, 3)), fields(pins), stiffness,
        2 * crane.DAMPING * np.sqrt(stiffness),
    )  # fmt: skip


def axes(slew: float, luff: float) -> tuple[Array, Array, Array]:
    """Of the foot, as columns; and the axes of the two angles."""
    c, s, a, b = np.cos(slew), np.sin(slew), np.cos(luff), np.sin(luff)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ np.array([[a, 0, -b], [0, 1, 0], [b, 0, a]])
    return R, np.array([0, 0, 1.0]), np.array([s, -c, 0.0])


def crossed(a: Array) -> Array:
    """A, of r @ A = a x r."""
    x, y, z = a
    return np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])


def moved(fields: tuple[Array, Array, Array], y: Array, rates: Array) -> tuple[Array, Array, Array]:
    """Places of points, their slopes by the coordinates, (n, 3, ...), and accelerations without second derivatives."""
    s0, S, C = fields
    e, e_dot = y[FEW:], rates[FEW:]
    R, up, across = axes(y[0], y[1])
    bent = C @ e
    s, slope = s0 + S @ e, S.copy()
    s[:, 0] += 0.5 * bent @ e
    slope[:, 0] += bent
    r, velocity = s @ R.T, (slope @ e_dot) @ R.T
    J = np.zeros((len(s), 3, len(y)))
    J[:, :, 0], J[:, :, 1], J[:, :, FEW:] = r @ crossed(up), r @ crossed(across), R @ slope
    omega = rates[0] * up + rates[1] * across
    spin, turned = crossed(omega), crossed(rates[0] * rates[1] * (across @ crossed(up)))  # the rate of omega
    second = np.zeros_like(s)
    second[:, 0] = (C @ e_dot) @ e_dot
    bias = second @ R.T + (2 * velocity + r @ spin) @ spin + r @ turned
    r[:, 2] += crane.FOOT
    return r, J, bias


def hanging(y: Array, rates: Array) -> tuple[Array, Array, Array]:
    """The direction of the load's rod, its slopes by its two angles, its second derivative without theirs."""
    (a, b), (p, q) = y[2:4], rates[2:4]
    ca, sa, cb, sb = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
    J = np.array([[ca, 0.0], [sb * sa, -cb * ca], [cb * sa, sb * ca]])
    own, both = p * p + q * q, 2 * p * q
    bias = np.array([-sa * p * p, sb * ca * own + cb * sa * both, cb * ca * own - sb * sa * both])
    return np.array([sa, -sb * ca, -cb * ca]), J, bias


def torques(times: Array) -> dict[str, Array]:
    """The inputs, held, so that every FMU can be given them exactly."""
    names = ("slew_torque", "luff_torque")
    return {name: np.full_like(times, torque) for name, torque in zip(names, TORQUES, strict=True)}


def system(y: Array, rates: Array) -> tuple[Array, Array, float, float]:
    """Mass matrix, what drives it, the cylinder's pull, energy."""
    body = boom()
    r, J, bias = moved(body.places, y, rates)
    (pin, tip), (J_pin, J_tip), (_, bias_tip) = moved(body.pins, y, rates)
    rod, J_rod, bias_rod = hanging(y, rates)
    J_load = J_tip.copy()
    J_load[:, 2:4] = crane.ROD * J_rod
    bias_load = bias_tip + crane.ROD * bias_rod
    flat = J.reshape(-1, len(y))
    M = flat.T @ (np.repeat(body.masses, 3)[:, None] * flat) + crane.LOAD * J_load.T @ J_load
    M[0, 0] += crane.COLUMN
    M[2:4, 2:4] += crane.LOAD_INERTIA * J_rod.T @ J_rod
    weight = np.array([0, 0, -GRAVITY])
    f = (body.masses[:, None] * (weight - bias)).ravel() @ flat + crane.LOAD * J_load.T @ (weight - bias_load)
    f[2:4] -= crane.LOAD_INERTIA * J_rod.T @ bias_rod
    foot = np.array([[np.cos(y[0]), -np.sin(y[0]), 0], [np.sin(y[0]), np.cos(y[0]), 0], [0, 0, 1]]) @ crane.PIN
    way, J_way = pin - foot, J_pin.copy()
    J_way[:, 0] -= [-foot[1], foot[0], 0]
    length = np.linalg.norm(way)
    by_length = way @ J_way / length
    pull = crane.STIFFNESS * (length - crane.FREE_LENGTH) + crane.OIL_DAMPING * by_length @ rates
    f -= pull * by_length
    f[:2] += TORQUES
    f[0] -= crane.SLEW_DAMPING * rates[0]
    f[FEW:] -= body.stiffness * y[FEW:] + body.damping * rates[FEW:]
    high = body.masses @ r[:, 2] + crane.LOAD * (tip + crane.ROD * rod)[2]
    energy = 0.5 * rates @ M @ rates + GRAVITY * high + 0.5 * body.stiffness @ y[FEW:] ** 2
    return M, f, float(pull), float(energy + 0.5 * crane.STIFFNESS * (length - crane.FREE_LENGTH) ** 2)


def boom_with_load(times: Array) -> dict[str, Array]:
    """All outputs."""
    n = FEW + 2 * COUNT

    def rates(t: float, y: Array) -> Array:
        M, f, *_ = system(y[:n], y[n:])
        return np.concatenate([y[n:], np.linalg.solve(M, f)])

    states = run(rates, [0.0, crane.LUFF, *[0.0] * (2 * n - 2)], times)
    body, columns = boom(), []
    for row in states:
        y = row[:n]
        _, _, pull, energy = system(y, row[n:])
        (_, tip), _, _ = moved(body.pins, y, row[n:])
        R, *_ = axes(y[0], y[1])
        straight = np.array([0, 0, crane.FOOT]) + R @ [crane.LENGTH, 0, 0]
        columns.append([y[0], y[1], *R.T @ (tip - straight), *tip + crane.ROD * hanging(y, row[n:])[0], pull, energy])
    slew, luff, *rest = np.array(columns).T
    return {
        "slew": slew, "luff": luff, "tip": np.array(rest[:3]), "place": np.array(rest[3:6]),
        "cylinder_force": rest[6], "energy": rest[7],
    }  # fmt: skip
