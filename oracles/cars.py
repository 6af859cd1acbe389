"""The car on double wishbones: Newton's and Euler's equations of all 18 bodies, and dense multipliers of all joints.

All bodies have positions and quaternions of their own; the 93 conditions of the joints hold by their second
derivatives. The tyres are those of the independent evaluation of the Magic Formula among the tests, which knows the
left side only: the right one is its mirror image.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from models import car as numbers
from tests.support.oracles.magic_formula import Slip, version_6_1

CORNERS = [(axle, side) for axle in ("front", "rear") for side in ("left", "right")]
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])  #: of y at the corners
G, T = numbers.G, numbers.TYRE
R0, CZ, CD, F0 = (T[k] for k in ("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "FNOMIN"))
X, Y, Z = np.eye(3)
STOP, ROWS = 3.0, 151  #: s, rows of the table
STEER, TORQUE = 0.6, 400.0  #: rad, N.m
CHASSIS, RACK_BODY = 0, 1
LOWER, UPPER, UPRIGHT, WHEEL = range(4)


def index(corner: int, part: int) -> int:
    """Number of a body of a corner."""
    return 2 + 4 * corner + part


def static_load(axle: str) -> float:
    """Load of a wheel at rest, N, by the levers of the axles."""
    corner = numbers.LOWER + numbers.UPPER + numbers.UPRIGHT + numbers.WHEEL
    other, base = (-numbers.REAR if axle == "front" else numbers.FRONT), numbers.FRONT - numbers.REAR
    return G * ((numbers.CHASSIS + numbers.RACK) * other / base + 2 * corner) / 2


def effective_radius(load: np.ndarray) -> np.ndarray:
    """Speed of free rolling over angular velocity, m."""
    return R0 - F0 / CZ * (T["FREFF"] * load / F0 + T["DREFF"] * np.arctan(T["BREFF"] * load / F0))


def steering(times: np.ndarray) -> dict[str, np.ndarray]:
    """The inputs: the driver turns the steering wheel at once, and accelerates."""
    return {"steering": np.full_like(times, STEER), "torque": np.full_like(times, TORQUE)}


Direction = tuple[int, np.ndarray]  #: a body, and a direction fixed on it in world axes


class Car:
    """Masses, places and joints of the car, and its equations."""

    def __init__(self) -> None:
        n = numbers
        self.place = np.zeros((18, 3))  # of the centres of mass at the start, chassis axes
        self.mass, self.inertia = np.zeros(18), np.zeros((18, 3))
        self.mass[:2], self.inertia[:2] = (n.CHASSIS, n.RACK), (n.CHASSIS_INERTIA, (0.1, 0.01, 0.1))
        self.wheel_height = {axle: R0 - static_load(axle) / CZ - n.HEIGHT for axle in ("front", "rear")}
        self.place[RACK_BODY] = (n.FRONT + n.TIE_X, 0.0, self.wheel_height["front"])
        #: joints: bodies a and b, place in chassis axes at the start, and for hinges the axis
        self.points: list[tuple[int, int, np.ndarray]] = []
        self.hinges: list[tuple[int, int, np.ndarray]] = []
        self.ties: list[tuple[int, int, np.ndarray, np.ndarray]] = []
        self.springs: list[tuple[int, np.ndarray, np.ndarray, float]] = []
        for k, (axle, side) in enumerate(CORNERS):
            self._corner(k, axle, 1.0 if side == "left" else -1.0)

    def _corner(self, k: int, axle: str, y: float) -> None:
        n, z = numbers, self.wheel_height[axle]
        x = n.FRONT if axle == "front" else n.REAR
        middle = (n.INNER + n.BALL) / 2 * y
        places = ((x, middle, z - n.BELOW), (x, middle, z + n.ABOVE), (x, n.BALL * y, z), (x, n.TRACK / 2 * y, z))
        masses = (n.LOWER, n.UPPER, n.UPRIGHT, n.WHEEL)
        inertias = (n.ARM_INERTIA, n.ARM_INERTIA, n.UPRIGHT_INERTIA, n.WHEEL_INERTIA)
        for part, (place, mass, inertia) in enumerate(zip(places, masses, inertias, strict=True)):
            b = index(k, part)
            self.place[b], self.mass[b], self.inertia[b] = place, mass, inertia
        lower, upper, upright, wheel = (index(k, part) for part in range(4))
        for arm, height in ((lower, z - n.BELOW), (upper, z + n.ABOVE)):
            self.points += [(CHASSIS, arm, np.array((x, n.INNER * y, height)))]
            self.points += [(arm, upright, np.array((x, n.BALL * y, height)))]
            self.hinges += [(CHASSIS, arm, X)]
        self.points += [(upright, wheel, self.place[wheel])]
        self.hinges += [(upright, wheel, Y)]
        ends = [np.array((x + n.TIE_X, (n.TIE_Y - length) * y, z)) for length in (n.TIE, 0.0)]
        self.ties += [(RACK_BODY if axle == "front" else CHASSIS, upright, ends[0], ends[1])]
        force = (static_load(axle) - sum(masses) * G) * (n.BALL - n.INNER) / (n.SPRING_Y - n.INNER)
        length = n.SPRING_TOP + n.BELOW + force / n.SPRING
        seats = [np.array((x, n.SPRING_Y * y, z + height)) for height in (n.SPRING_TOP, -n.BELOW)]
        self.springs += [(lower, seats[0], seats[1], length)]

    def start(self) -> np.ndarray:
        """State: places and quaternions of the bodies, their velocities, the slips."""
        pose, twist = np.zeros((18, 7)), np.zeros((18, 6))
        pose[:, :3], pose[:, 3] = self.place + numbers.HEIGHT * Z, 1.0
        twist[:, 0] = numbers.SPEED
        for k, (axle, _) in enumerate(CORNERS):
            twist[index(k, WHEEL), 4] = numbers.SPEED / effective_radius(np.array(static_load(axle)))
        return np.concatenate([pose.ravel(), twist.ravel(), np.zeros(8)])

    def rates(self, angle: float, drive: float, time: float, state: np.ndarray) -> np.ndarray:
        """The rates of the state; angle: of the steering wheel, rad; drive: torque of the rear wheels, N.m."""
        now = Motion(self, state)
        force, torque = np.zeros((18, 3)), np.zeros((18, 3))
        force[:, 2] = -G * self.mass
        self._springs(now, force, torque)
        self._steer_and_drive(now, angle, drive, force, torque)
        wheels = tyres(now)
        for k in range(4):
            b = index(k, WHEEL)
            force[b] += wheels["force"][k]
            torque[b] += cross(wheels["arm"][k], wheels["force"][k]) + wheels["moment"][k]
        acceleration = self._accelerations(now, force, torque)
        spin = np.zeros((18, 4))
        spin[:, 0] = -0.5 * np.einsum("bi,bi->b", now.w, now.quaternion[:, 1:])
        spin[:, 1:] = 0.5 * (now.w * now.quaternion[:, :1] + cross(now.w, now.quaternion[:, 1:]))
        poses = np.column_stack([now.v, spin])
        return np.concatenate([poses.ravel(), acceleration, wheels["rates"]])

    def _springs(self, now: Motion, force: np.ndarray, torque: np.ndarray) -> None:
        n = numbers
        for k, (arm, top, seat, length) in enumerate(self.springs):
            ends = [now.point(b, place) for b, place in ((CHASSIS, top), (arm, seat))]
            way = ends[1][0] - ends[0][0]
            size = np.linalg.norm(way)
            along = way / size
            pull = n.SPRING * (size - length) + n.DAMPER * along @ (ends[1][1] - ends[0][1])
            for b, (_, _, r), f in zip((CHASSIS, arm), ends, (pull * along, -pull * along), strict=True):
                force[b] += f
                torque[b] += cross(r, f)
            if k % 2 == 0:  # the bar of the axle
                arms = [self.springs[j][0] for j in (k, k + 1)]
                twist = n.BAR["front" if k == 0 else "rear"] * sum(now.angle(b) for b in arms)
                axis = now.axes[CHASSIS][:, 0]
                for b in arms:
                    torque[b] -= twist * axis
                    torque[CHASSIS] += twist * axis

    def _steer_and_drive(self, now: Motion, angle: float, drive: float, force: np.ndarray, torque: np.ndarray) -> None:
        n, (place, speed, r) = numbers, now.point(CHASSIS, self.place[RACK_BODY])
        axis = now.axes[CHASSIS][:, 1]
        way = now.x[RACK_BODY] - place
        moved = axis @ way
        rate = axis @ (now.v[RACK_BODY] - speed) + way @ cross(now.w[CHASSIS], axis)
        push = (n.SERVO * (n.RATIO * angle - moved) - n.SERVO_DAMPING * rate) * axis
        force[RACK_BODY] += push
        force[CHASSIS] -= push
        torque[CHASSIS] -= cross(r + way, push)
        for k in (2, 3):
            axle = now.axes[index(k, UPRIGHT)][:, 1]
            torque[index(k, WHEEL)] += 0.5 * drive * axle
            torque[index(k, UPRIGHT)] -= 0.5 * drive * axle

    def _accelerations(self, now: Motion, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
        """Accelerations of all bodies from the equations with multipliers of the joints."""
        inertia = np.einsum("bij,bj,bkj->bik", now.axes, self.inertia, now.axes)
        right = np.column_stack([force, torque - cross(now.w, np.einsum("bij,bj->bi", inertia, now.w))])
        weights = np.zeros((18, 6, 6))
        weights[:, range(3), range(3)] = 1.0 / self.mass[:, None]
        weights[:, 3:, 3:] = np.linalg.inv(inertia)
        rows, bias = self._conditions(now)
        free = np.einsum("bij,bj->bi", weights, right)
        turned = np.einsum("cbi,bij->cbj", rows, weights)
        flat = rows.reshape(len(rows), -1)
        multipliers = np.linalg.solve(turned.reshape(len(rows), -1) @ flat.T, -bias - flat @ free.ravel())
        return free.ravel() + (multipliers @ turned.reshape(len(rows), -1))

    def _conditions(self, now: Motion) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian (conditions, bodies, 6) and the part of the second derivatives that has no accelerations."""
        rows, bias, k = np.zeros((93, 18, 6)), np.zeros(93), 0
        for a, b, place in self.points:
            (_, _, r), (_, _, s) = now.point(a, place), now.point(b, place)
            rows[k : k + 3, a, :3], rows[k : k + 3, b, :3] = np.eye(3), -np.eye(3)
            rows[k : k + 3, a, 3:], rows[k : k + 3, b, 3:] = -skew(r), skew(s)
            bias[k : k + 3] = now.centripetal(a, r) - now.centripetal(b, s)
            k += 3
        for a, b, axis in self.hinges:
            for other in (e for e in (X, Y, Z) if e @ axis == 0.0):
                k = self._perpendicular(now, (a, now.axes[a] @ axis), (b, now.axes[b] @ other), rows, bias, k)
        for one, other in ((X, Y), (Y, Z), (Z, X)):
            pair = (CHASSIS, now.axes[CHASSIS] @ one), (RACK_BODY, now.axes[RACK_BODY] @ other)
            k = self._perpendicular(now, *pair, rows, bias, k)
        k = self._rack(now, rows, bias, k)
        for a, b, inner, outer in self.ties:
            (p, u, r), (q, v, s) = now.point(a, inner), now.point(b, outer)
            way, rate = p - q, u - v
            rows[k, a], rows[k, b] = np.concatenate([way, cross(r, way)]), np.concatenate([-way, -cross(s, way)])
            bias[k] = rate @ rate + way @ (now.centripetal(a, r) - now.centripetal(b, s))
            k += 1
        assert k == 93
        return rows, bias

    @staticmethod
    def _perpendicular(
        now: Motion,
        one: Direction,
        two: Direction,
        rows: np.ndarray,
        bias: np.ndarray,
        k: int,
    ) -> int:
        """Add the condition that two directions, each fixed on a body, are perpendicular; return the next row."""
        (a, e), (b, f) = one, two
        normal, w, u = cross(e, f), now.w[a], now.w[b]
        rows[k, a, 3:], rows[k, b, 3:] = normal, -normal
        bias[k] = (w - u) @ (cross(cross(w, e), f) + cross(e, cross(u, f)))
        return k + 1

    def _rack(self, now: Motion, rows: np.ndarray, bias: np.ndarray, k: int) -> int:
        """Add the conditions that the rack stays on a line along y of the chassis."""
        p, u, r = now.point(CHASSIS, self.place[RACK_BODY])
        w, way, rate = now.w[CHASSIS], now.x[RACK_BODY] - p, now.v[RACK_BODY] - u
        for axis in (0, 2):
            e = now.axes[CHASSIS][:, axis]
            turned = cross(w, e)
            rows[k, RACK_BODY, :3], rows[k, CHASSIS, :3], rows[k, CHASSIS, 3:] = e, -e, cross(e, way + r)
            bias[k] = -now.centripetal(CHASSIS, r) @ e + 2.0 * rate @ turned + way @ cross(w, turned)
            k += 1
        return k


class Motion:
    """Places and velocities of all bodies."""

    def __init__(self, car: Car, state: np.ndarray):
        pose, twist = state[:126].reshape(18, 7), state[126:234].reshape(18, 6)
        self.start, self.slips = car.place, state[234:].reshape(2, 4)
        self.x, self.quaternion = pose[:, :3], pose[:, 3:]
        self.v, self.w = twist[:, :3], twist[:, 3:]
        q = self.quaternion / np.linalg.norm(self.quaternion, axis=1)[:, None]
        s, u = q[:, 0], q[:, 1:]
        self.axes = 2.0 * u[:, :, None] * u[:, None, :] + (2.0 * s * s - 1.0)[:, None, None] * np.eye(3)
        for b in range(18):
            self.axes[b] += 2.0 * s[b] * skew(u[b])

    def point(self, b: int, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and arm from the centre of mass of a body's point, which starts there in chassis axes."""
        r = self.axes[b] @ (place - self.start[b])
        return self.x[b] + r, self.v[b] + cross(self.w[b], r), r

    def centripetal(self, b: int, r: np.ndarray) -> np.ndarray:
        """Acceleration of a point of a body without those of the body."""
        return cross(self.w[b], cross(self.w[b], r))

    def angle(self, arm: int) -> float:
        """Angle of an arm about x of the chassis."""
        y = self.axes[CHASSIS].T @ self.axes[arm][:, 1]
        return float(np.arctan2(y[2], y[1]))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product of vectors, or of rows; that of numpy takes several times as long."""
    (a0, a1, a2), (b0, b1, b2) = a.T, b.T
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0)).T


def skew(r: np.ndarray) -> np.ndarray:
    """Matrix of the product r x."""
    return np.array([(0.0, -r[2], r[1]), (r[2], 0.0, -r[0]), (-r[1], r[0], 0.0)])


def tyres(now: Motion) -> dict[str, np.ndarray]:
    """Forces and moments on the wheels, world axes, arms of the contact points, rates of the slips, measures."""
    wheels, carriers = ([index(k, part) for k in range(4)] for part in (WHEEL, UPRIGHT))
    s = now.axes[carriers][:, :, 1]
    forward = cross(s, np.tile(Z, (4, 1)))
    cosine = np.linalg.norm(forward, axis=1)[:, None]
    along = forward / cosine
    across, loaded = cross(np.tile(Z, (4, 1)), along), now.x[wheels][:, 2:] / cosine
    arm = cross(s, along) * loaded
    v = now.v[wheels] + cross(now.w[carriers], arm)
    deflection = np.maximum(R0 - loaded[:, 0], 0.0)
    fz = CZ * deflection - CD * np.clip(v[:, 2], -1.0, 1.0) * np.minimum(deflection / 5e-3, 1.0)
    vx, vy = np.einsum("bi,bi->b", v, along), np.einsum("bi,bi->b", v, across)
    omega = np.einsum("bi,bi->b", now.w[wheels] - now.w[carriers], s)
    vsx = vx - omega * effective_radius(fz)
    kappa, tangent = now.slips
    df = (fz - F0) / F0
    kx = fz * (T["PKX1"] + T["PKX2"] * df) * np.exp(T["PKX3"] * df)
    ky = -T["PKY1"] * F0 * np.sin(T["PKY4"] * np.arctan(fz / (T["PKY2"] * F0)))
    # relaxation lengths decrease as the slope of a force that is linear to half the limit of friction, then parabolic
    normalised = np.hypot(
        kx * kappa / (fz * (T["PDX1"] + T["PDX2"] * df)), ky * tangent / (fz * (T["PDY1"] + T["PDY2"] * df))
    )
    decay = np.maximum(np.abs(vx), np.hypot(vsx, vy) / 1.5)
    shortest = np.maximum(R0 / 10, 2e-3 * decay)
    whole = [kx / T["LONGITUDINAL_STIFFNESS"], ky / T["LATERAL_STIFFNESS"]]
    slope = np.interp(normalised, (0.5, 1.5), (1.0, 0.0))
    lengths = [np.maximum(length * slope, np.minimum(length, shortest)) for length in whole]
    rates = np.concatenate([(-vsx - decay * kappa) / lengths[0], (vy - decay * tangent) / lengths[1]])
    alpha, gamma = np.arctan(tangent), np.arcsin(s[:, 2])
    f = version_6_1(T, Slip(fz, kappa, SIGNS * alpha, SIGNS * gamma, vx))
    force = along * f.fx[:, None] + across * (SIGNS * f.fy)[:, None] + Z * fz[:, None]
    moment = along * (SIGNS * f.mx)[:, None] + across * f.my[:, None] + Z * (SIGNS * f.mz)[:, None]
    return {
        "force": force, "moment": moment, "arm": arm, "rates": rates, "load": fz, "side_force": SIGNS * f.fy,
        "slip_angle": alpha,
    }  # fmt: skip


def car(times: np.ndarray) -> dict[str, np.ndarray]:
    """The outputs of the car at the times."""
    vehicle = Car()
    rows = [vehicle.start()]
    rates, step = partial(vehicle.rates, STEER, TORQUE), None
    for begin, end in pairwise(times):
        run = solve_ivp(rates, (begin, end), rows[-1], "DOP853", rtol=1e-10, atol=1e-11, first_step=step)
        step = min(end - begin, float(np.diff(run.t).max()))
        rows.append(run.y[:, -1])
    motions = [Motion(vehicle, row) for row in rows]
    wheels = [tyres(now) for now in motions]
    axes = np.array([now.axes[CHASSIS] for now in motions])
    ends = [now.point(CHASSIS, vehicle.place[RACK_BODY])[0] for now in motions]
    rack = [now.axes[CHASSIS][:, 1] @ (now.x[RACK_BODY] - end) for now, end in zip(motions, ends, strict=True)]
    return {
        "position": np.array([now.x[CHASSIS] for now in motions]).T,
        "yaw": np.arctan2(axes[:, 1, 0], axes[:, 0, 0]),
        "roll": np.arcsin(axes[:, 2, 1]),
        "yaw_rate": np.array([now.w[CHASSIS][2] for now in motions]),
        "speed": np.array([now.v[CHASSIS] @ now.axes[CHASSIS][:, 0] for now in motions]),
        "rack": np.array(rack),
        **{name: np.array([w[name] for w in wheels]).T for name in ("load", "side_force", "slip_angle")},
    }
