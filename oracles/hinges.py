"""Trees of bodies on hinges, by Newton and Euler in world axes, projected on the hinges: dense and plain.

For the hinge k with the axis e_k through the point p_k, bodies behind it have the velocity e_k x (x - p_k) per unit of
its rate; that, and its rate of change, is all there is to it. The base may move as it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Torque = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Link:
    """A body on hinges about `axes`, one after the other, at `place` on its parent (-1: the base).

    Axes, place and centre of mass are in the frame's own axes, m; inertia (3x3, kg m2) about the centre of mass.
    """

    parent: int
    place: tuple[float, float, float]
    axes: tuple[tuple[float, float, float], ...]
    mass: float
    com: tuple[float, float, float]
    inertia: np.ndarray


@dataclass(frozen=True)
class Frame:
    """A frame in motion, in world axes: rotation, place, their rates, and those of the rates for fixed hinge rates."""

    R: np.ndarray
    x: np.ndarray
    w: np.ndarray
    v: np.ndarray
    w_dot: np.ndarray
    v_dot: np.ndarray

    def point(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration of a point, given in the frame's axes."""
        r = self.R @ r
        v = cross(self.w, r)
        return self.x + r, self.v + v, self.v_dot + cross(self.w_dot, r) + cross(self.w, v)


REST = Frame(np.eye(3), *np.zeros((5, 3)))


class Hinges:
    """Equations of motion of a tree of links on a base."""

    def __init__(self, links: Sequence[Link], torque: Torque | None = None,
                 base: Callable[[float], Frame] = lambda t: REST, gravity: float = 9.81):  # fmt: skip
        self.links, self.torque, self.base = links, torque, base
        self.g = np.array([0.0, 0.0, -gravity])
        self.count = sum(len(link.axes) for link in links)

    def frames(self, t: float, q: np.ndarray, u: np.ndarray) -> tuple[list[Frame], list[np.ndarray], list[np.ndarray]]:
        """Each link's frame, its Jacobian of angular velocity and of the origin's velocity (3 x count each)."""
        frames, turning, moving = [], [], []
        k = 0
        for link in self.links:
            parent = self.base(t) if link.parent < 0 else frames[link.parent]
            Jw = np.zeros((3, self.count)) if link.parent < 0 else turning[link.parent].copy()
            Jv = np.zeros((3, self.count)) if link.parent < 0 else moving[link.parent]
            r = parent.R @ np.array(link.place)
            Jv = Jv - skew(r) @ Jw
            x, v, v_dot = parent.point(np.array(link.place))
            R, w, w_dot = parent.R, parent.w, parent.w_dot
            for axis in link.axes:
                e = R @ np.array(axis)
                w_dot = w_dot + cross(w, e) * u[k]
                w = w + e * u[k]
                Jw[:, k] = e
                R = R @ turn(np.array(axis), q[k])
                k += 1
            frames.append(Frame(R, x, w, v, w_dot, v_dot))
            turning.append(Jw)
            moving.append(Jv)
        return frames, turning, moving

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """The rates of (q; u)."""
        q, u = np.split(y, 2)
        frames, turning, moving = self.frames(t, q, u)
        M = np.zeros((self.count, self.count))
        f = np.zeros(self.count) if self.torque is None else self.torque(t, q, u)
        for link, frame, Jw, Jv in zip(self.links, frames, turning, moving, strict=True):
            c = np.array(link.com)
            Jc = Jv - skew(frame.R @ c) @ Jw
            J = frame.R @ link.inertia @ frame.R.T
            M += link.mass * Jc.T @ Jc + Jw.T @ J @ Jw
            f = f + link.mass * Jc.T @ (self.g - frame.point(c)[2])
            f -= Jw.T @ (J @ frame.w_dot + cross(frame.w, J @ frame.w))
        return np.concatenate([u, np.linalg.solve(M, f)])

    def energy(self, t: float, y: np.ndarray) -> float:
        """Kinetic energy and energy in gravity of the links, J."""
        total = 0.0
        for link, frame in zip(self.links, self.frames(t, *np.split(y, 2))[0], strict=True):
            x, v, _ = frame.point(np.array(link.com))
            w = frame.R.T @ frame.w
            total += link.mass * (v @ v / 2 - self.g @ x) + w @ link.inertia @ w / 2
        return float(total)


def skew(x: np.ndarray) -> np.ndarray:
    """The matrix of x crossed with another vector."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cross product of two vectors; numpy's takes ten times as long."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation about a unit axis, by Rodrigues' formula."""
    S = skew(axis)
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S
