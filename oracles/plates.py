"""The satellite with plates in its plane of motion, by d'Alembert's principle: points of mass on plates that bend.

Places of the plane x, z are numbers z + i x, which a turn by the angle a about y multiplies by exp(i a). With the
place p along a plate from its hinge, q across it, and the deflection w of its shapes, a point stands in the axes of the
hinge at

    p + u - i w,    u = -½ ∫₀ᵖ <w'>² dp,    and the far edge turns by -w'

where <w'> is the mean across the plate: its stretch is stiff, and its edges are straight. The shapes are products of
polynomials, with edges that stay straight, in which Kirchhoff's plate vibrates while its hinge is held. Coordinates are
the hub's place and angle, those of the three hinges, and those of the shapes. The cables leave one angle of the hinges;
the latches leave none, and all others keep their momentum as the hinges stop.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.legendre import leggauss

from models import solar_array as array

from .events import Phase, no_end, run_phases
from .solver import Rates

KEPT = 7  #: shapes of each plate
ALONG, ACROSS = 8, 4  #: powers of p in all shapes, even powers of q beside 1
ACCURACY = 1e-8  #: of each step
HUB = 3  #: coordinates of the hub
HINGES = slice(HUB, HUB + 3)
SPREAD = np.array([1.0, -2.0, 2.0])  #: rates of the hinges by the yoke's
Array = np.ndarray


@dataclass(frozen=True)
class Plate:
    """Points of mass and the far edge, which comes last and has none; e: coordinates of shapes of unit mass."""

    masses: Array
    along: Array  #: p
    w: Array  #: (points, shapes)
    near: Array  #: -2 u = e near e, (points, shapes, shapes)
    slope: Array  #: w' at the far edge
    squares: Array  #: of the angular frequencies


@functools.cache
def plate() -> Plate:
    """Shapes p^(k+2), and p²(1 - p)² p^k q^(2j), of p and q over length and half the width, made vibrations."""
    length, half = array.WIDTH, 0.5 * array.LENGTH
    (p, wp), (q, wq) = leggauss(11), (part[4:] for part in leggauss(8))  # one half across: all are even
    p, wp = 0.5 * (p + 1.0), 0.5 * wp
    plain = [(Polynomial.basis(k + 2), Polynomial([1.0])) for k in range(ALONG)]
    bubble = Polynomial.basis(2) * Polynomial([1.0, -1.0]) ** 2
    bowed = [
        (bubble * Polynomial.basis(k), Polynomial.basis(2 * j)) for k in range(ALONG - 2) for j in range(1, ACROSS)
    ]

    def values(i: int, j: int) -> Array:
        rows = [np.outer(a.deriv(i)(p), b.deriv(j)(q)).ravel() for a, b in (*plain, *bowed)]
        return np.array(rows).T / (length**i * half**j)

    area = length * 2 * half * np.outer(wp, wq).ravel()
    masses = array.MASS * area / area.sum()
    D = array.E * array.THICKNESS**3 / 12 / (1 - array.NU**2)
    w, xx, yy, xy = (values(*order) for order in ((0, 0), (2, 0), (0, 2), (1, 1)))
    sheared = 2 * (1 - array.NU) * (xy.T * area) @ xy
    K = D * (((xx + yy).T * area) @ (xx + yy) + sheared - (1 - array.NU) * (_both(xx, area, yy)))
    inverse = np.linalg.inv(np.linalg.cholesky((w.T * masses) @ w))
    squares, V = np.linalg.eigh(inverse @ K @ inverse.T)
    V = (inverse.T @ V)[:, :KEPT]
    mean = [a.deriv() * (0.5 * float(b.integ()(1.0) - b.integ()(-1.0))) / length for a, b in (*plain, *bowed)]
    ends = np.array([V.T @ [[(s * t).integ()(x) * length for t in mean] for s in mean] @ V for x in (*p, 1.0)])
    far = np.array([a(1.0) * b(0.0) for a, b in (*plain, *bowed)]) @ V
    every = np.append(np.repeat(np.arange(len(p)), len(q)), len(p))
    return Plate(
        np.append(masses, 0.0), length * np.append(p, 1.0)[every], np.vstack([w @ V, far]), ends[every],
        np.array([s(1.0) for s in mean]) @ V, squares[:KEPT],
    )  # fmt: skip


def _both(a: Array, weights: Array, b: Array) -> Array:
    product = (a.T * weights) @ b
    return np.asarray(product + product.T)


@dataclass(frozen=True)
class Points:
    """Masses of points, their places z + i x, slopes by the coordinates, accelerations without second derivatives."""

    masses: Array
    r: Array
    J: Array
    bias: Array


class Satellite:
    """The equations of motion in all coordinates y, and in those that cables and latches leave."""

    def __init__(self) -> None:
        self.plate = plate()
        self.count = HUB + 3 + 3 * KEPT
        moving = [k for k in range(self.count) if not HUB <= k < HUB + 3]
        latched = np.eye(self.count)[:, moving]
        yoke = np.zeros((self.count, 1))
        yoke[HINGES, 0] = SPREAD
        self.latched, self.cabled = latched, np.hstack([latched, yoke])

    def points(self, y: Array, v: Array) -> tuple[Points, Points]:
        """All points of mass, and the hub's origin and the ends of the plates, which have none."""
        com = array.HUB_COM[2] + 1j * array.HUB_COM[0]
        frame = _Frame(y[0] + 1j * y[1], np.zeros(self.count, complex), 0j, y[2], np.eye(self.count)[2])
        frame.J[:2] = 1.0, 1j
        hub = frame.seen(np.array([com, 0j]), v)
        frame = frame.moved(array.HINGE[2] + 1j * array.HINGE[0], v)
        all_points, ends = [Points(np.array([array.HUB]), *(x[:1] for x in hub))], [tuple(x[1:] for x in hub)]
        for k in range(3):
            own = slice(HUB + 3 + k * KEPT, HUB + 3 + (k + 1) * KEPT)
            frame = frame.turned(y[HUB + k], np.eye(self.count)[HUB + k])
            e, e_dot, body = y[own], v[own], self.plate
            bent = body.near @ e
            places = body.along - 0.5 * bent @ e - 1j * body.w @ e
            by = np.zeros((len(places), self.count), complex)
            by[:, own] = -bent - 1j * body.w
            rest = -(body.near @ e_dot) @ e_dot
            seen = frame.seen(places, v, by, rest)
            all_points.append(Points(body.masses, *seen))
            ends.append(tuple(x[-1:] for x in seen))
            turned = np.zeros(self.count)
            turned[own] = -body.slope
            frame = _Frame(seen[0][-1], seen[1][-1], seen[2][-1], frame.angle, frame.by).turned(turned[own] @ e, turned)
        joined = [np.concatenate([getattr(p, name) for p in all_points]) for name in ("masses", "r", "J", "bias")]
        return Points(*joined), Points(np.zeros(4), *(np.concatenate(part) for part in zip(*ends, strict=True)))

    def mass(self, points: Points) -> Array:
        """The matrix of the kinetic energy."""
        half = np.sqrt(points.masses)[:, None] * points.J
        M = (half.conj().T @ half).real
        M[2, 2] += array.HUB_INERTIA[1]
        return np.asarray(M)

    def acceleration(self, y: Array, v: Array, free: Array) -> Array:
        """Second derivatives that the columns of `free` leave."""
        points, _ = self.points(y, v)
        f = -((points.masses * points.bias) @ points.J.conj()).real
        f[HINGES] += np.array(array.STIFFNESS) * (np.array(array.REST) - y[HINGES]) - array.DAMPING * v[HINGES]
        squares = np.tile(self.plate.squares, 3)
        bent = slice(HUB + 3, None)
        f[bent] -= squares * y[bent] + 2 * array.PLATE_DAMPING * np.sqrt(squares) * v[bent]
        return np.asarray(free @ np.linalg.solve(free.T @ self.mass(points) @ free, free.T @ f))

    def rates(self, free: Array) -> Rates:
        """Of y and its rates."""

        def rates(t: float, state: Array) -> Array:
            y, v = state.reshape(2, -1)
            return np.concatenate([v, self.acceleration(y, v, free)])

        return rates

    def latch(self, state: Array) -> Array:
        """The hinges stop; all other coordinates keep their momenta."""
        y, v = state.reshape(2, -1)
        M, free = self.mass(self.points(y, v)[0]), self.latched
        return np.concatenate([y, free @ np.linalg.solve(free.T @ M @ free, free.T @ M @ v)])


@dataclass(frozen=True)
class _Frame:
    """A place of the plane and a direction; slopes by the coordinates, the place's acceleration without second ones."""

    r: complex
    J: Array
    bias: complex
    angle: float
    by: Array

    def seen(
        self, s: Array, v: Array, by: Array | None = None, rest: Array | float = 0.0
    ) -> tuple[Array, Array, Array]:
        """Places, slopes and accelerations of points at s in this frame, which move in it by `by` and `rest`."""
        e, w = np.exp(1j * self.angle), self.by @ v
        own = np.zeros((len(s), len(v))) if by is None else by
        J = self.J + e * (own + 1j * s[:, None] * self.by)
        bias = self.bias + e * (rest + 2j * w * (own @ v) - s * w**2)
        return self.r + e * s, J, bias

    def moved(self, s: complex, v: Array) -> _Frame:
        """The frame at a place that is fixed in this one."""
        r, J, bias = self.seen(np.array([s]), v)
        return _Frame(r[0], J[0], bias[0], self.angle, self.by)

    def turned(self, angle: float, by: Array) -> _Frame:
        """The frame that is turned by an angle."""
        return _Frame(self.r, self.J, self.bias, self.angle + angle, self.by + by)


def flexible_solar_array(times: Array) -> dict[str, Array]:
    """All outputs."""
    system = Satellite()
    start = np.zeros((2, system.count))
    start[0, HINGES], start[1, 2] = array.FOLDED, array.PLATE_TURNING[1]
    last = Phase(system.rates(system.latched), no_end, lambda t, y: (last, y), ACCURACY)
    first = Phase(
        system.rates(system.cabled), lambda t, y: array.UNFOLDED[0] - y[HUB], lambda t, y: (last, system.latch(y)),
        ACCURACY,
    )  # fmt: skip
    states, phases, events = run_phases(first, start.ravel(), times)
    assert len(events) == 1
    rows = [outputs(system, *state.reshape(2, -1)) for state in states]
    mode = np.where([phase is last for phase in phases], 0.0, -1.0)
    return {name: np.array([row[name] for row in rows]).T for name in rows[0]} | {"latched": np.array([mode] * 3)}


def outputs(system: Satellite, y: Array, v: Array) -> dict[str, Array]:
    """All but the modes of the latches, at one state."""
    points, ends = system.points(y, v)
    velocities = points.J @ v
    p = points.masses @ velocities
    spin = (points.masses * (points.r.conj() * velocities)).sum().imag + array.HUB_INERTIA[1] * v[2]
    squares = np.tile(system.plate.squares, 3)
    bent = y[HUB + 3 :]
    half = y[2] / 2
    return {
        "place": np.array([y[1], 0.0, y[0]]), "attitude": np.array([np.cos(half), 0.0, np.sin(half), 0.0]),
        "turning": np.array([0.0, v[2], 0.0]), "angle": y[HINGES], "speed": v[HINGES],
        "tip": np.array([ends.r[-1].imag, 0.0, ends.r[-1].real]), "momentum": np.array([p.imag, 0.0, p.real]),
        "angular_momentum": np.array([0.0, spin, 0.0]),
        "energy": 0.5 * (v @ system.mass(points) @ v + squares @ bent**2),
        "bend": bent.reshape(3, -1) @ system.plate.w[-1],
    }  # fmt: skip
