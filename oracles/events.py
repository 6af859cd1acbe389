"""Motions in phases that end at events: a clutch that slips or locks, blows of a wall, latches.

Within a phase equations are smooth, derived by hand; `run_phases` finds where it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from models import bouncing_pendulum as bouncing
from models import clutch as coupled
from models import solar_array as array

from .hinges import skew, turn
from .solver import Rates

G = 9.81
NEAR = 1e-5  #: s, within which an event is looked for again where the interpolation of a step has it


@dataclass(frozen=True)
class Phase:
    """The rates of the state until `left` (a number of time and state) has fallen to zero; then what comes next.

    follows: from the time and the state at the end to the next phase and the state in it. accuracy: of each step.
    """

    rates: Rates
    left: Callable[[float, np.ndarray], float]
    follows: Callable[[float, np.ndarray], tuple[Phase, np.ndarray]]
    accuracy: float = 1e-12


def run_phases(phase: Phase, start: Sequence[float], times: np.ndarray) -> tuple[np.ndarray, list[Phase], list[float]]:
    """The states at the times, a row each; the phase of each row; the times of events.

    DOP853, each row and each event the end of a step. What is left is looked at where steps end.
    """
    t, y = float(times[0]), np.array(start, dtype=float)
    rows, phases, events = [y], [phase], []
    for end in times[1:]:
        while t < end:
            t, y, over = _advance(phase, t, y, end)
            if over:
                phase, y = phase.follows(t, y)
                events.append(t)
        rows.append(y)
        phases.append(phase)
    return np.array(rows), phases, events


def _advance(phase: Phase, t: float, y: np.ndarray, end: float) -> tuple[float, np.ndarray, bool]:
    """Time and state at the end of the phase or, if that comes first, of the interval; whether the phase is over."""

    def left(t: float, y: np.ndarray) -> float:
        return phase.left(t, y)

    def state(at: float) -> np.ndarray:
        return _solution(phase, t, y, at).y[:, -1]

    left.terminal, left.direction = True, -1  # type: ignore[attr-defined]
    seen = _solution(phase, t, y, end, left)
    if not seen.t_events[0].size:
        return end, seen.y[:, -1], False
    about = float(seen.t_events[0][0])
    before, behind = max(about - NEAR, (t + about) / 2), about + NEAR
    found = brentq(lambda at: phase.left(at, state(at)), before, behind, xtol=1e-15, rtol=1e-15)
    return found, state(found), True


def _solution(phase: Phase, t: float, y: np.ndarray, end: float, event: Rates | None = None) -> Any:
    """Return scipy's solution over an interval."""
    accuracy = phase.accuracy
    solution = solve_ivp(phase.rates, (t, end), y, "DOP853", rtol=accuracy, atol=0.1 * accuracy, events=event)
    if not solution.success:
        raise RuntimeError(f"no solution beyond {solution.t[-1]} s: {solution.message}")
    return solution


def no_end(t: float, y: np.ndarray) -> float:
    """Return the remaining part of a phase that does not end."""
    return 1.0


PRESS = 0.9  #: of the full force; held, so that every FMU can be given it exactly


def pressed(times: np.ndarray) -> dict[str, np.ndarray]:
    """The input of the clutch."""
    return {"press": np.full_like(times, PRESS)}


def clutch(times: np.ndarray) -> dict[str, np.ndarray]:
    """Slipping, E e' = T(t) - b e - C(t) and L w' = C(t) - F w |w|, E and L the inertias, e and w the speeds; locked,
    (E + L) w' = T(t) - b w - F w |w|, and what the clutch bears is L w' + F w |w|.

    The engine is the faster one wherever it slips. The angles of both grow apart by what it slips.
    """
    E, L, b = coupled.ENGINE, coupled.LOAD, coupled.BEARING

    def engine(t: float, e: float) -> float:
        return coupled.TORQUE + coupled.RISE * t - b * e

    def fan(w: float) -> float:
        return coupled.FAN * w * abs(w) / coupled.FAN_SPEED**2

    def capacity(t: float) -> float:
        grip = 1 + np.tanh((t - coupled.PRESSING) / coupled.PRESSING_TIME)
        return coupled.CAPACITY * PRESS * grip / 2

    def borne(t: float, w: float) -> float:
        return L * (engine(t, w) - fan(w)) / (E + L) + fan(w)

    def slip_rates(t: float, y: np.ndarray) -> np.ndarray:
        e, w = y[2:]
        return np.array([e, w, (engine(t, e) - capacity(t)) / E, (capacity(t) - fan(w)) / L])

    def lock_rates(t: float, y: np.ndarray) -> np.ndarray:
        w = y[3]
        together = (engine(t, w) - fan(w)) / (E + L)
        return np.array([w, w, together, together])

    def lock(t: float, y: np.ndarray) -> tuple[Phase, np.ndarray]:
        assert abs(borne(t, y[3])) < coupled.STATIC * capacity(t)
        return locked, np.array([y[0], y[1], y[3], y[3]])

    slips_on = Phase(slip_rates, no_end, lock)
    slipping = Phase(slip_rates, lambda t, y: y[2] - y[3], lock)
    locked = Phase(
        lock_rates, lambda t, y: coupled.STATIC * capacity(t) - borne(t, y[3]), lambda t, y: (slips_on, y)
    )  # fmt: skip
    y, phases, events = run_phases(slipping, (0, 0, coupled.SPEED, 0), times)
    assert len(events) == 2
    e, w = y[:, 2:].T
    assert np.all(e >= w)
    slips = np.array([phase is not locked for phase in phases])
    C = capacity(times)
    return {
        "angle": y[:, :2].T, "speed": (e, w),
        "torque_on_load": np.where(slips, C, [borne(t, speed) for t, speed in zip(times, w, strict=True)]),
        "heating": np.where(slips, C * (e - w), 0.0), "mode": np.where(slips, 1.0, 0.0),
        "energy": (E * e**2 + L * w**2) / 2,
    }  # fmt: skip


def bouncing_pendulum(times: np.ndarray) -> dict[str, np.ndarray]:
    """T = ½ (m1/3 + m2) l1² a'² + m2 l1 l2/2 a' b' cos(a - b) + m2 l2²/6 b'², V = - (m1/2 + m2) g l1 cos a
    - m2 g l2/2 cos b, with the rods' angles a, b from the downward vertical, and M(a - b) of T = ½ v·M v.

    The end stands at x = l1 sin a + l2 sin b, with x' = J v. The wall's blow P along x changes v by M⁻¹ Jᵀ P, and x' to
    -0.8 of what it was: P = -1.8 J v / (J M⁻¹ Jᵀ).
    """
    (l1, l2), (m1, m2) = bouncing.LENGTHS, bouncing.MASSES
    A, B, C = (m1 / 3 + m2) * l1**2, m2 * l1 * l2 / 2, m2 * l2**2 / 3
    P, Q = (m1 / 2 + m2) * G * l1, m2 * G * l2 / 2

    def mass(y: np.ndarray) -> np.ndarray:
        c = np.cos(y[0] - y[1])
        return np.array([[A, B * c], [B * c, C]])

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        a, b, va, vb, _ = y
        s = np.sin(a - b)
        f = [-B * s * vb**2 - P * np.sin(a), B * s * va**2 - Q * np.sin(b)]
        return np.array([va, vb, *np.linalg.solve(mass(y), f), 0.0])

    def apart(t: float, y: np.ndarray) -> float:
        return l1 * np.sin(y[0]) + l2 * np.sin(y[1])

    def strike(t: float, y: np.ndarray) -> tuple[Phase, np.ndarray]:
        J = np.array([l1 * np.cos(y[0]), l2 * np.cos(y[1])])
        along = np.linalg.solve(mass(y), J)
        v = y[2:4]
        assert J @ v < -0.1  # it does not graze
        blow = -(1 + bouncing.RESTITUTION) * (J @ v) / (J @ along)
        return flight, np.array([y[0], y[1], *(v + along * blow), blow])

    flight = Phase(rates, apart, strike)
    y, _, _ = run_phases(flight, (*bouncing.START, 0, 0, 0), times)
    a, b, va, vb, blow = y.T
    energy = A * va**2 / 2 + B * va * vb * np.cos(a - b) + C * vb**2 / 2 - P * np.cos(a) - Q * np.cos(b)
    end = l1 * np.sin(a) + l2 * np.sin(b), -l1 * np.cos(a) - l2 * np.cos(b)
    return {"angle": (a, b), "speed": (va, vb), "end": end, "blow": blow, "energy": energy}


class Unfolding:
    """Hub and array by Newton and Euler in world axes, for the velocities (V, W, s') of the hub's origin, of the hub's
    turning and of the yoke's hinge.

    The cables leave one angle: those of the hinges are s, pi - 2s and 2s - pi, so that the bodies stand at s, pi - s
    and s against the hub, about its y. The centre of mass of a body then has the velocity V + W x r + (∂r/∂s) s', and
    it turns with W + h y s', h = 1, -1, 1. Both balances are projected on the seven velocities, and the torques of the
    spring motors on s' with the rates of the hinges by it.

    States: place of the hub's origin, its quaternion and s; then V, W and s'. All are in world axes.
    """

    spread = np.array([1.0, -2.0, 2.0])  #: rates of the hinges by s'
    turned = np.array([1.0, -1.0, 1.0])  #: turning of the bodies by s'
    masses = np.array([array.HUB, *(array.MASS,) * 3])
    start = (0, 0, 0, 1, 0, 0, 0, array.FOLDED[0], 0, 0, 0, *array.TURNING, 0)

    def __init__(self) -> None:
        w2, l2 = array.WIDTH**2 / 12, array.LENGTH**2 / 12
        panel = array.MASS * np.diag([w2 + l2, w2, l2])
        self.inertias = [np.diag(array.HUB_INERTIA), panel, panel, panel]

    def hinges(self, s: np.ndarray) -> np.ndarray:
        """Angles of the hinges."""
        return np.array([s, np.pi - 2 * s, 2 * s - np.pi])

    def arms(self, s: float) -> np.ndarray:
        """In the hub's axes: centres of mass and the end of the array, and their first and second derivatives by s."""
        found = np.zeros((3, 5, 3))
        found[0, 0] = array.HUB_COM
        joint = np.zeros((3, 3))
        joint[0] = array.HINGE
        for k, angle in enumerate((s, np.pi - s, s), start=1):
            out, across = np.array([np.sin(angle), 0, np.cos(angle)]), np.array([np.cos(angle), 0, -np.sin(angle)])
            way = array.WIDTH * np.array([out, self.turned[k - 1] * across, -out])
            found[:, k] = joint + way / 2
            joint = joint + way
        found[:, 4] = joint
        return found

    def bodies(self, y: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of each body: Jacobians of its centre's velocity and of its turning, and what is left of both accelerations
        for constant velocities; its inertia in world axes."""
        R, s, W, s_dot = attitude(y[3:7]), y[7], y[11:14], y[14]
        r, r1, r2 = self.arms(s) @ R.T
        axis = R[:, 1]
        moving, turning, rests, turning_rests, inertias = [], [], [], [], []
        for k, J in enumerate(self.inertias):
            moving.append(np.column_stack([np.eye(3), -skew(r[k]), r1[k]]))
            h = self.turned[k - 1] if k else 0.0
            turning.append(np.column_stack([np.zeros((3, 3)), np.eye(3), h * axis]))
            rest = np.cross(W, np.cross(W, r[k])) + 2 * np.cross(W, r1[k]) * s_dot + r2[k] * s_dot**2
            rests.append(rest)
            turning_rests.append(h * np.cross(W, axis) * s_dot)
            S = R @ turn(np.array([0.0, 1.0, 0.0]), (0.0, s, np.pi - s, s)[k])
            inertias.append(S @ J @ S.T)
        return tuple(np.array(x) for x in (moving, turning, rests, turning_rests, inertias))

    def mass(self, y: np.ndarray) -> np.ndarray:
        """The matrix of the kinetic energy in (V, W, s')."""
        moving, turning, _, _, J = self.bodies(y)
        M = np.einsum("k,kia,kib->ab", self.masses, moving, moving)
        return M + np.einsum("kia,kij,kjb->ab", turning, J, turning)

    def rates(self, free: int) -> Rates:
        """With the first `free` of the velocities; the others stay as they are (latched: zero)."""

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            e, W, s, s_dot = y[3:7], y[11:14], y[7], y[14]
            moving, turning, rest, turning_rest, J = self.bodies(y)
            f = -np.einsum("k,kia,ki->a", self.masses, moving, rest)
            w = turning @ y[8:15]
            spin = np.einsum("kij,kj->ki", J, w)
            f -= np.einsum("kia,ki->a", turning, np.einsum("kij,kj->ki", J, turning_rest) + np.cross(w, spin))
            torque = np.array(array.STIFFNESS) * (np.array(array.REST) - self.hinges(s))
            f[6] += self.spread @ (torque - array.DAMPING * self.spread * s_dot)
            acceleration = np.zeros(7)
            acceleration[:free] = np.linalg.solve(self.mass(y)[:free, :free], f[:free])
            e_dot = np.array([-(W @ e[1:]), *(e[0] * W + np.cross(W, e[1:]))]) / 2
            return np.array([*y[8:11], *e_dot, s_dot, *acceleration])

        return rates

    def latch(self, y: np.ndarray) -> np.ndarray:
        """The hinges stop, and what the velocities V, W and s' have of momentum those of one rigid body have."""
        M = self.mass(y)
        rigid = np.linalg.solve(M[:6, :6], M[:6] @ y[8:15])
        return np.array([*y[:8], *rigid, 0.0])

    def momenta(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Momentum, that about the world's origin, and kinetic energy."""
        u = y[8:15]
        p = self.mass(y) @ u
        return p[:3], p[3:6] + np.cross(y[:3], p[:3]), u @ p / 2


def attitude(e: np.ndarray) -> np.ndarray:
    """The rotation of a quaternion, w first."""
    S = skew(e[1:])
    return np.eye(3) + 2 / (e @ e) * (e[0] * S + S @ S)


def solar_array(times: np.ndarray) -> dict[str, np.ndarray]:
    """Hub and array with cables that give no way; when s is pi/2 all latches take hold."""
    system = Unfolding()
    last = Phase(system.rates(6), no_end, lambda t, y: (last, y))
    first = Phase(
        system.rates(7), lambda t, y: array.UNFOLDED[0] - y[7], lambda t, y: (last, system.latch(y))
    )  # fmt: skip
    states, phases, events = run_phases(first, system.start, times)
    assert len(events) == 1
    y = states.T
    e = y[3:7] / np.linalg.norm(y[3:7], axis=0)
    tips = [x[:3] + attitude(x[3:7]) @ system.arms(x[7])[0, 4] for x in states]
    p, spin, energy = (np.array(x).T for x in zip(*(system.momenta(x) for x in states), strict=True))
    mode = np.where([phase is last for phase in phases], 0.0, -1.0)
    return {
        "place": y[:3], "attitude": e * np.sign(e[0]), "turning": y[11:14], "angle": system.hinges(y[7]),
        "speed": np.outer(system.spread, y[14]), "tip": np.array(tips).T, "momentum": p, "angular_momentum": spin,
        "kinetic_energy": energy, "latched": np.array([mode] * 3),
    }  # fmt: skip
