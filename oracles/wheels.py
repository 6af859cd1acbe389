"""Wheels that roll or are steered: the disc by Newton's and Euler's equations in axes that lean with it, without its
spin; the rack steering by Lagrange's equation of the only coordinate that it has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models import rack_steering as steering
from models import rolling_disc as rolling

from .solver import run

G = 9.81


def rolling_disc(times: np.ndarray) -> dict[str, np.ndarray]:
    """Axes i along the way, j along the disc's axis, k up in the disc; f is the direction of i, a the lean about i.

    They turn with (p, r tan a, r), p = a', r = f' cos a; the disc with (p, n, r). Its centre stands R k over the
    contact, and so has the velocity R (n, -p, 0). F is the force of the floor, A and C the moments of inertia across
    and about j:

    m R (n' + p r) = F·i, m R (-p' + n r) = F·j - m g sin a, and about the centre
    A (p' + r² tan a) - C n r = R F·j, C n' = - R F·i, A (r' - p r tan a) + C n p = 0.
    """
    m, R = rolling.MASS, rolling.RADIUS
    A, C = m * R**2 / 4, m * R**2 / 2

    def turning(y: np.ndarray) -> tuple[np.ndarray, ...]:
        """p', n', r' of states (a row of numbers or of columns)."""
        a, p, n, r = y[1], y[2], y[3], y[4]
        p_dot = ((C + m * R**2) * n * r - A * r**2 * np.tan(a) + m * G * R * np.sin(a)) / (A + m * R**2)
        return p_dot, -m * R**2 * p * r / (C + m * R**2), p * r * np.tan(a) - C * n * p / A

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        f, a, p, n, r, _, _ = y
        i, j, _ = axes(f, a)
        return np.array([r / np.cos(a), p, *turning(y), *(R * (n * i - p * j))[:2]])

    y = run(rates, (0, rolling.LEAN, *rolling.RATES, 0, 0), times).T
    f, a, p, n, r, x, z = y
    p_dot, n_dot, _ = turning(y)
    i, j, k = axes(f, a)
    along, across = m * R * (n_dot + p * r), m * R * (n * r - p_dot) + m * G * np.sin(a)
    up = m * (G * np.cos(a) - R * (p**2 + n * r * np.tan(a)))
    energy = ((A + m * R**2) * p**2 + (C + m * R**2) * n**2 + A * r**2) / 2 + m * G * R * np.cos(a)
    return {
        "centre": (x, z, R * np.cos(a)), "axis": j, "lean": a, "spin": n, "force": along * i + across * j + up * k,
        "energy": energy,
    }  # fmt: skip


def axes(f: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """i, j, k in world axes."""
    (sf, cf), (sa, ca) = (np.sin(f), np.cos(f)), (np.sin(a), np.cos(a))
    return np.array([cf, sf, 0 * f]), np.array([-sf * ca, cf * ca, sa]), np.array([sf * sa, -cf * sa, ca])


HELD = 2.0  #: N m: on the steering wheel; held


def held(times: np.ndarray) -> dict[str, np.ndarray]:
    """The input of the rack steering."""
    return {"torque": np.full_like(times, HELD)}


@dataclass(frozen=True)
class Side:
    """A knuckle and its tie rod, as the rack's way sets them, in the plane.

    d: the knuckle's angle. rod: from its end Q on the rack to its end P on the knuckle; its length stays. arm: from the
    kingpin to P. `slopes` and `bends` hold first and second derivatives by the rack's way: of d, of the rod's angle and
    (two numbers) of the rod's middle.
    """

    d: float
    rod: np.ndarray
    arm: np.ndarray
    slopes: tuple[float, float, np.ndarray]
    bends: tuple[float, float, np.ndarray]

    @classmethod
    def at(cls, way: float, sign: float) -> Side:
        """sign: 1 for the left one, -1 for the right one."""
        kingpin, arm = (np.array([x, sign * y]) for x, y, _ in (steering.KINGPIN, steering.ARM))
        end, across = np.array([steering.RACK_X, sign * steering.RACK_END]), np.array([0.0, 1.0])
        straight = kingpin + arm - end
        q = end + way * across - kingpin
        # P stays on a circle about Q: a cos d + b sin d = c
        a, b = arm @ q, quarter(arm) @ q
        c = (arm @ arm + q @ q - straight @ straight) / 2
        found = np.arctan2(b, a) + np.array([1, -1]) * np.arccos(c / np.hypot(a, b))
        found = (found + np.pi) % (2 * np.pi) - np.pi
        d = found[np.argmin(np.abs(found))]  # the other one has the knuckle turned about
        turned = np.cos(d) * arm + np.sin(d) * quarter(arm)
        rod = turned - q
        # rod·(P' - Q') = 0, and once more
        lever = rod @ quarter(turned)
        slope = rod @ across / lever
        apart = slope * quarter(turned) - across
        bend = (slope**2 * (rod @ turned) - apart @ apart) / lever
        P_bend = bend * quarter(turned) - slope**2 * turned
        length2 = rod @ rod
        turning = quarter(rod) @ apart / length2, quarter(rod) @ P_bend / length2
        return cls(d, rod, turned, (slope, turning[0], across + apart / 2), (bend, turning[1], P_bend / 2))


def quarter(x: np.ndarray) -> np.ndarray:
    """Turned by a quarter to the left."""
    return np.array([-x[1], x[0]])


#: Inertia of a knuckle about its kingpin, with the wheel's mass, kg m2.
KNUCKLE = steering.KNUCKLE + steering.KNUCKLE_MASS * steering.KNUCKLE_COM[1] ** 2


def aligning(side: Side, largest: float, v: float) -> float:
    """The torque of a tyre about its kingpin, at a speed v of the rack."""
    x = side.d / steering.PEAK
    torque = -2 * largest * x / (1 + x**2) - steering.STIFFNESS * side.d
    return torque - steering.DAMPING * side.slopes[0] * v


def inertia(side: Side) -> tuple[float, float]:
    """Parts of M and of ½ M' of a knuckle and its rod."""
    (turn, swing, middle), (bend, swing_bend, middle_bend) = side.slopes, side.bends
    rod = steering.ROD_MASS * (side.rod @ side.rod) / 12
    return (
        KNUCKLE * turn**2 + rod * swing**2 + steering.ROD_MASS * middle @ middle,
        KNUCKLE * turn * bend + rod * swing * swing_bend + steering.ROD_MASS * middle @ middle_bend,
    )


def rack_steering(times: np.ndarray) -> dict[str, np.ndarray]:
    """Lagrange's equation of the rack's way s: M(s) s'' + ½ M'(s) s'² = Q, M s'² being twice the kinetic energy.

    A body of mass m, whose centre moves by x' and which turns by o' per way, adds m x'·x' + I o'² to M and
    m x'·x'' + I o' o'' to ½ M'. The pinion turns by -1/radius. A knuckle's and its rod's balance of moments, about the
    kingpin and about the rack's end, give the force between both; the wheel's gives that between pinion and rack.
    """

    def driver(t: np.ndarray) -> np.ndarray:
        return HELD + steering.WEAVE * np.sin(2 * np.pi * steering.FREQUENCY * t)

    def sides(s: float) -> list[Side]:
        return [Side.at(s, sign) for sign in (1, -1)]

    def mass(both: list[Side]) -> tuple[float, float]:
        M, half = np.sum([inertia(side) for side in both], axis=0)
        return M + steering.RACK_MASS + steering.STEERING_WHEEL / steering.PINION_RADIUS**2, half

    def acceleration(t: float, s: float, v: float, both: list[Side]) -> float:
        M, half = mass(both)
        Q = -driver(t) / steering.PINION_RADIUS - steering.VISCOUS * v
        Q -= steering.RACK_FRICTION * np.tanh(v / steering.FRICTION_SPEED)
        Q += sum(aligning(a, largest, v) * a.slopes[0] for a, largest in zip(both, steering.ALIGNING, strict=True))
        return (Q - half * v**2) / M

    def joint_force(side: Side, largest: float, v: float, v_dot: float) -> np.ndarray:
        """Of the rod on the knuckle."""
        turn, swing, middle = (x * v_dot + y * v**2 for x, y in zip(side.slopes, side.bends, strict=True))
        rod = (
            steering.ROD_MASS * (side.rod @ side.rod) / 12 * swing + steering.ROD_MASS * quarter(side.rod / 2) @ middle
        )
        return np.linalg.solve(
            [quarter(side.arm), quarter(side.rod)], [KNUCKLE * turn - aligning(side, largest, v), -rod]
        )

    y = run(lambda t, y: np.array([y[1], acceleration(t, *y, sides(y[0]))]), (0, 0), times)
    rows: dict[str, list] = {name: [] for name in ("angle", "speed", "mesh_force", "left", "right", "energy")}
    for t, (s, v) in zip(times, y, strict=True):
        both = sides(s)
        v_dot = acceleration(t, s, v, both)
        forces = [joint_force(a, largest, v, v_dot) for a, largest in zip(both, steering.ALIGNING, strict=True)]
        wheel = -steering.STEERING_WHEEL * v_dot / steering.PINION_RADIUS
        rows["angle"].append([side.d for side in both])
        rows["speed"].append([side.slopes[0] * v for side in both])
        rows["mesh_force"].append((wheel - driver(t)) / steering.PINION_RADIUS)
        rows["left"].append(forces[0])
        rows["right"].append(forces[1])
        rows["energy"].append(mass(both)[0] * v**2 / 2 + steering.STIFFNESS / 2 * sum(side.d**2 for side in both))
    found = {name: np.array(values).T for name, values in rows.items()}
    return {
        "wheel_angle": -y[:, 0] / steering.PINION_RADIUS, "way": y[:, 0], "rack_speed": y[:, 1],
        "angle": found["angle"], "speed": found["speed"], "mesh_force": found["mesh_force"],
        "left_force": found["left"], "right_force": found["right"], "energy": found["energy"],
    }  # fmt: skip
