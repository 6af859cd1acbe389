"""Gears in the coordinates that are left: the wheels' speeds by the numbers of their teeth, Lagrange's equations."""

from __future__ import annotations

import numpy as np

from models import differential as axle
from models import planetary_gear as planetary

from .solver import run

TORQUES = (6.0, -1.0, 0.5)  #: N m: on sun, carrier and ring; held, so that every FMU can be given them exactly


def torques(times: np.ndarray) -> dict[str, np.ndarray]:
    """The inputs of the planetary gear."""
    names = ("sun_torque", "carrier_torque", "ring_torque")
    return {name: np.full_like(times, torque) for name, torque in zip(names, TORQUES, strict=True)}


def planetary_gear(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ w·J w over sun, carrier, ring and planets on the carrier, J with the planets' masses; w = U (sun, carrier).

    Willis: on the carrier the ring turns back by 24/60, a planet by 24/18 of what the sun turns. A planet's own turning
    against the world is that of the carrier and that on it.
    """
    z_sun, z_planet, z_ring = planetary.SUN_TEETH, planetary.PLANET_TEETH, planetary.RING_TEETH
    back, own = z_sun / z_ring, z_sun / z_planet
    U = np.array([[1, 0], [0, 1], [-back, 1 + back], [-own, own]])
    arm = planetary.MODULE * (z_sun + z_planet) / 2
    count, J = planetary.PLANETS, planetary.PLANET
    inertia = np.diag([planetary.SUN, planetary.CARRIER, planetary.RING, count * J])
    inertia[1, 1] += count * (J + planetary.PLANET_MASS * arm**2)
    inertia[1, 3] = inertia[3, 1] = count * J
    M = U.T @ inertia @ U
    friction = np.array(planetary.FRICTION) * (1, 1, 1, count)

    def brake(t: np.ndarray) -> np.ndarray:
        return planetary.BRAKE * (1 + np.tanh((t - planetary.CLOSING) / planetary.CLOSING_TIME)) / 2

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        w = U @ y[2:]
        f = np.array([*TORQUES, 0]) - friction * w
        f[1] -= planetary.FAN * w[1] * abs(w[1]) / planetary.FAN_SPEED**2
        f[2] -= brake(t) * w[2]
        return np.array([*y[2:], *np.linalg.solve(M, U.T @ f)])

    y = run(rates, (0, 0, 0, 0), times)
    turned, w = U @ y[:, :2].T, U @ y[:, 2:].T
    return {
        "angle": turned[:3], "speed": w[:3], "planet_speed": w[3], "braking": brake(times) * w[2] ** 2,
        "energy": np.einsum("it,ij,jt->t", w, inertia, w) / 2,
    }  # fmt: skip


ENGINE = 30.0  #: N m: on the shaft of the differential; held


def engine(times: np.ndarray) -> dict[str, np.ndarray]:
    """The input of the differential."""
    return {"torque": np.full_like(times, ENGINE)}


def differential(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ w·J w over shaft, cage, left and right wheel and both pinions on their pin; w = U (left, right).

    The cage turns with the mean of the wheels, the shaft 41/11 times as fast; on its pin a pinion turns 16/10 times as
    fast as the left wheel does on the cage, the other one the other way round. The shaft's balance gives the force
    between its teeth and those of the ring gear, which lie on the side of -y: downwards it drives the cage forward.
    """
    up, own = axle.RING_TEETH / axle.SHAFT_TEETH, axle.SIDE_TEETH / axle.PINION_TEETH
    U = np.array([[up / 2, up / 2], [1 / 2, 1 / 2], [1, 0], [0, 1], [own / 2, -own / 2]])
    side = axle.MODULE * axle.SIDE_TEETH / 2
    cage = axle.CAGE + 2 * (axle.PINION_ACROSS + axle.PINION_MASS * side**2)
    J = np.array([axle.SHAFT, cage, *axle.WHEELS, 2 * axle.PINION])
    M = U.T @ (J[:, None] * U)

    def accelerations(v: np.ndarray) -> np.ndarray:
        w = U @ v
        f = np.array([ENGINE, 0, 0, 0, -2 * axle.PIN_FRICTION * w[4]])
        f[2:4] = -axle.ROLLING * w[2:4] - np.array(axle.HOLD) * np.tanh(w[2:4] / axle.SLIP_SPEED)
        f[1:3] += axle.LOCK * (w[2] - w[1]) * np.array([1, -1])
        return np.linalg.solve(M, U.T @ f)

    y = run(lambda t, y: np.array([*y[2:], *accelerations(y[2:])]), (0, 0, 0, 0), times)
    turned, w = U @ y[:, :2].T, U @ y[:, 2:].T
    braked = ENGINE - axle.SHAFT * (U @ np.array([accelerations(v) for v in y[:, 2:]]).T)[0]
    return {
        "angle": turned[1:4], "speed": w[1:4], "shaft_speed": w[0], "pinion_speed": w[4],
        "tooth_force": (0 * times, 0 * times, -braked * up / axle.RING_RADIUS), "energy": J @ w**2 / 2,
    }  # fmt: skip
