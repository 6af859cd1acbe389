"""A planetary gear whose members float on elastic bearings, against strings between base circles in world coordinates.

The sun drives the carrier; a torsion spring holds the ring. One planet has a softer bearing than the others, and the
teeth of the sun have a transmission error. Sun, ring, carrier and planets can move in a plane.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.comparisons import assert_close

MODULE, PRESSURE_ANGLE = 4e-3, math.radians(20)  #: m, rad
SUN_TEETH, PLANET_TEETH, RING_TEETH, PLANETS = 24, 18, 60, 3
ARM = MODULE * (SUN_TEETH + PLANET_TEETH) / 2  #: m, from the axis to a planet
MEMBERS = {"sun": (1.5, 2e-3), "carrier": (4.0, 2e-2), "ring": (3.0, 3e-2)}  #: kg, kg m2 about the axis
PLANET = (0.6, 5e-4)  #: the same of a planet
BEARING, BEARING_DAMPING = 1e8, 500.0  #: N/m, N s/m: of sun, carrier and ring, in each direction
PINS, TEETH = (1e8, 1e8, 7e7), 1e8  #: N/m: of the bearings of the planets, of which one is worn, and of a mesh
ERROR = 3e-6  #: m, amplitude of the transmission error of the sun
HOLD, HOLD_DAMPING = 5e5, 50.0  #: N m/rad, N m s/rad: of the ring
LOAD, SPEED = 2.0, 300.0  #: N m s/rad, on the carrier; rad/s, of the sun at the start
RISE = 2e-4  #: s, in which the torque on the sun builds up
TORQUE = 100.0  #: N m, on the sun
BASE = MODULE * np.cos(PRESSURE_ANGLE) / 2  #: m, of the base circles per tooth
PLACES = 2 * np.pi * np.arange(PLANETS) / PLANETS  #: rad, of the planets


def gearbox() -> Model:
    """Return the gearbox: a torque on the sun builds up while all members turn, without load at the start."""
    m = Model("planetary_gearbox", gravity=(0, 0, 0))
    planar = mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z"))
    speeds = {"sun": SPEED, "carrier": SPEED / (1 + RING_TEETH / SUN_TEETH), "ring": 0.0}
    for name, (mass, J) in MEMBERS.items():
        m.body(name, joint=planar, mass=mass, inertia=(J / 2, J / 2, J))
        m.start(name, u=(0.0, 0.0, speeds[name]))
        for k, axis in enumerate("xy", start=1):
            m.spring(f"{name}_{axis}", on=name, coordinate=k, stiffness=BEARING, damping=BEARING_DAMPING)
    m.motor("drive", on="sun", coordinate=3, torque=TORQUE * (1.0 - mbs.exp(-((mbs.time / RISE) ** 2))))
    m.spring("load", on="carrier", coordinate=3, damping=LOAD)
    m.spring("hold", on="ring", coordinate=3, stiffness=HOLD, damping=HOLD_DAMPING)
    mass, J = PLANET
    own = -SUN_TEETH / PLANET_TEETH * (speeds["sun"] - speeds["carrier"])  # rad/s, on the carrier
    for k in range(1, PLANETS + 1):
        angle, name = math.tau * (k - 1) / PLANETS, f"planet{k}"
        x, y = ARM * math.cos(angle), ARM * math.sin(angle)
        m.body(name, "carrier", planar, mass=mass, inertia=(J / 2, J / 2, J), at=(x, y, 0))
        m.start(name, u=(0.0, 0.0, own))
        for i, axis in enumerate("xy", start=1):
            m.spring(f"{name}_{axis}", on=name, coordinate=i, stiffness=PINS[k - 1])
        teeth = {"pressure_angle": PRESSURE_ANGLE, "stiffness": TEETH}
        error = lambda phase: ERROR * mbs.sin(phase)  # noqa: E731
        m.gear(f"sun_{name}", "sun", name, teeth=(SUN_TEETH, PLANET_TEETH), error=error, **teeth)
        m.gear(f"ring_{name}", "ring", name, teeth=(-RING_TEETH, PLANET_TEETH), **teeth)
    places = [mbs.coordinate("sun", 1), mbs.coordinate("sun", 2)]
    m.output("sun_center", places)
    m.output("speed", [mbs.rate(name, 3) for name in MEMBERS])
    forces = [mbs.strength(f"{wheel}_planet1") for wheel in ("sun", "ring")]
    m.output("tooth_force", forces)
    m.output("energy", mbs.energy())
    return m


def by_strings(times: np.ndarray) -> dict[str, np.ndarray]:
    """M q'' = f - dV/dq in places (m) and angles of sun, carrier, ring and planets against the world, V' by a complex
    step.

    A flank is a string between the base circles, crossed for outer wheels: its length is l + (r_a - r_b) b - r_a t_a +
    r_b t_b, with the common tangent's length l and direction b and the angles t of the wheels. The teeth are deflected
    by what it is shorter than at the start, and the sun's by what its error adds.
    """
    M = np.array([x for mass, J in (*MEMBERS.values(), *[PLANET] * PLANETS) for x in (mass, mass, J)])
    damping = np.zeros(len(M))
    damping[[0, 1, 3, 4, 6, 7]], damping[5], damping[8] = BEARING_DAMPING, LOAD, HOLD_DAMPING

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, u = y[: len(M)], y[len(M) :]
        f = -_potential(q[:, None] + 1e-30j * np.eye(len(M))).imag / 1e-30 - damping * u
        f[2] += TORQUE * (1 - np.exp(-((t / RISE) ** 2)))
        return np.concatenate([u, f / M])

    w = SPEED / (1 + RING_TEETH / SUN_TEETH)
    own = w - SUN_TEETH / PLANET_TEETH * (SPEED - w)
    q, u = np.zeros(len(M)), np.zeros(len(M))
    u[2], u[5] = SPEED, w
    for n, place in enumerate(PLACES):
        q[9 + 3 * n : 11 + 3 * n] = ARM * np.cos(place), ARM * np.sin(place)
        u[9 + 3 * n : 12 + 3 * n] = -w * q[10 + 3 * n], w * q[9 + 3 * n], own
    y = solve_ivp(rates, (0.0, times[-1]), [*q, *u], "DOP853", times, rtol=1e-10, atol=1e-13).y.T
    q, u = y[:, : len(M)].T, y[:, len(M) :].T
    flanks = [[_deflections(x, 0, wheel, teeth) for x in q.T] for wheel, teeth in ((0, SUN_TEETH), (2, -RING_TEETH))]
    return {
        "sun_center": q[:2], "speed": u[[2, 5, 8]], "tooth_force": -TEETH * np.diff(flanks)[..., 0],
        "energy": (M @ u**2) / 2 + _potential(q),
    }  # fmt: skip


def _turned_back(vector: np.ndarray, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the components of a vector in axes turned by an angle."""
    x, y = vector
    return x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)


def _string(wheel: np.ndarray, planet: np.ndarray, radii: tuple[float, float], near: np.ndarray) -> np.ndarray:
    """Return the length of the string between two circles with signed radii; near: angle near that of their centres."""
    (x, y), apart = _turned_back(planet[:2] - wheel[:2], near), radii[1] - radii[0]
    length = np.sqrt(x**2 + y**2 - apart**2)
    direction = near + np.arctan((y * length - x * apart) / (x * length + y * apart))
    return length - apart * direction - radii[0] * wheel[2] + radii[1] * planet[2]


def _deflections(q: np.ndarray, n: int, wheel: int, teeth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the deflections of both flanks between a wheel (member 0: sun, 2: ring) and planet n, m; not negative."""
    own, planet, near = q[3 * wheel : 3 * wheel + 3], q[9 + 3 * n : 12 + 3 * n], PLACES[n] + q[5].real
    start = np.array([ARM * np.cos(PLACES[n]), ARM * np.sin(PLACES[n]), 0.0])
    x, y = _turned_back(planet[:2] - own[:2], near)
    phase = teeth * (own[2] - q[5].real - np.arctan(y / x))
    error, found = (ERROR * np.sin(phase) if wheel == 0 else 0.0), []
    for sense in (1, -1):
        radii = sense * BASE * teeth, -sense * BASE * PLANET_TEETH
        shorter = _string(np.zeros(3), start, radii, PLACES[n]) - _string(own, planet, radii, near)
        deep = np.sign(teeth) * shorter - sense * error
        found.append(np.where(deep.real > 0, deep, 0))
    return found[0], found[1]


def _potential(q: np.ndarray) -> np.ndarray:
    """Energy of all springs and teeth, J."""
    V = HOLD * q[8] ** 2 / 2 + BEARING * sum(q[k] ** 2 for k in (0, 1, 3, 4, 6, 7)) / 2
    for n, place in enumerate(PLACES):
        arm = ARM * np.array([np.cos(place + q[5]), np.sin(place + q[5])])
        V = V + PINS[n] * ((q[9 + 3 * n : 11 + 3 * n] - q[3:5] - arm) ** 2).sum(axis=0) / 2
        for wheel, teeth in ((0, SUN_TEETH), (2, -RING_TEETH)):
            V = V + TEETH * sum(x**2 for x in _deflections(q, n, wheel, teeth)) / 2
    return V


@pytest.mark.slow
def test_a_planetary_gear_on_bearings_moves_as_its_strings_pull() -> None:
    """Places, speeds, tooth forces and energy agree while flanks part and meet, and the members turn."""
    r = mbs.simulate(gearbox(), 5e-4, method="dop853", rtol=1e-10, atol=1e-15, output_interval=5e-5)
    expected = by_strings(r.time)
    for name, values in expected.items():
        computed = np.moveaxis(r[name], 0, -1)
        assert_close(computed, values, 1e-5 * np.abs(values).max(), name)
    assert expected["tooth_force"].max() > 100.0 and np.abs(expected["sun_center"]).max() > 1e-7
