"""Cams with followers in compliant contact, and their closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

import mbs_fmu as mbs

G = 9.81
RADIUS, OFFSET, RATE, MASS, REST = 0.02, 0.005, 5e3, 0.1, 0.01  #: of a disc with a flat follower and its spring
BASE, LIFT, ROLLER, SPRING = 0.03, 0.004, 0.01, 4e4  #: of a cam with three lobes, its roller and its spring
ANGLES = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)


def turning(name: str, speed: float) -> mbs.Model:
    """Return a cam that turns at a speed (rad/s), and a valve above it; output torque is that of the drive."""
    m = mbs.Model(name, gravity=(0, -G, 0))
    cam = m.body("cam", joint=mbs.Revolute("z"), mass=1.0, inertia=(2e-4, 2e-4, 4e-4))
    m.body("valve", joint=mbs.Prismatic("y"), mass=MASS)
    m.drive("turning", on=cam, position=speed * mbs.time)
    m.output("torque", mbs.drive_force("turning"), unit="N.m")
    return m


def flat_cam(speed: float, stiffness: float, friction: float, **law: Any) -> mbs.Model:
    """Return an eccentric disc under a flat follower, which starts under its load."""
    m = turning("flat", speed)
    m.spring("spring", on="valve", stiffness=RATE, length=REST)
    pair = mbs.CurveOnCurve(mbs.Circle(RADIUS), mbs.Flat())
    m.contact("face", "cam", "valve", pair, at_a=(OFFSET, 0, 0), stiffness=stiffness, friction=friction, **law)
    m.output("load", mbs.strength("face"), unit="N")
    load, _ = flat_forces(np.zeros(1), speed, friction)
    m.start("valve", q=RADIUS - load[0] / stiffness, u=OFFSET * speed)
    return m


def flat_forces(time: np.ndarray, speed: float, friction: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the load (N) and the torque of the drive (N.m) with a rigid face: N e cos φ + μ N (R + e sin φ)."""
    angle = speed * time
    height = RADIUS + OFFSET * np.sin(angle)
    load = MASS * (G - OFFSET * speed**2 * np.sin(angle)) + RATE * (height - REST)
    return load, load * OFFSET * np.cos(angle) + friction * load * height


def lobes() -> mbs.OnCurve:
    """Return a cam with three lobes, and a roller on it that does not turn: a shoe."""
    return mbs.OnCurve(mbs.Polar(ANGLES, BASE + LIFT * np.cos(3.0 * ANGLES)), radius=ROLLER)


def lobed_cam(speed: float, stiffness: float, friction: float, **law: Any) -> mbs.Model:
    """Return a cam with three lobes under a shoe, which starts under its load."""
    m = turning("lobed", speed)
    m.spring("spring", on="valve", stiffness=SPRING, length=BASE)
    m.contact("face", "cam", "valve", lobes(), stiffness=stiffness, friction=friction, **law)
    m.output("load", mbs.strength("face"), unit="N")
    height = float(lobed_forces(np.zeros(1), friction)[2][0])
    m.start("valve", q=height - SPRING * (height - BASE) / stiffness)
    return m


def lobed_forces(angles: np.ndarray, friction: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return load (N), torque (N.m) and height (m) of the shoe of a cam that turns slowly, by the pressure angle.

    The cam turns counterclockwise, so that friction pushes the shoe along the tangent.
    """
    return tuple(np.array([_lobed_force(angle, friction) for angle in angles]).T)  # type: ignore[return-value]


def _lobed_force(angle: float, friction: float) -> tuple[float, float, float]:
    def place(z: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        radius, slope = BASE + LIFT * np.cos(3 * z), -3 * LIFT * np.sin(3 * z)
        ahead = np.array([np.cos(z + angle), np.sin(z + angle)])
        tangent = slope * ahead + radius * np.array([-ahead[1], ahead[0]])
        tangent /= np.hypot(*tangent)
        return radius * ahead, tangent, np.array([tangent[1], -tangent[0]])

    def beside(z: float) -> float:
        point, _, normal = place(z)
        return float(point[0] + ROLLER * normal[0])

    top = 0.5 * np.pi - angle
    point, tangent, normal = place(brentq(beside, top - 0.5, top + 0.5, xtol=1e-15))
    height = point[1] + ROLLER * normal[1]
    load = (MASS * G + SPRING * (height - BASE)) / (normal[1] + friction * tangent[1])
    force = load * (normal + friction * tangent)
    return load, point[0] * force[1] - point[1] * force[0], height


def rocker(**law: Any) -> mbs.Model:
    """Return a driven cam, out of round, under a rocker with a spring."""
    m = mbs.Model("rocker", gravity=(0, -G, 0))
    stiffness, friction = m.parameter("k", 1e5), m.parameter("mu", 0.2)
    base = m.parameter("base", 0.034, unit="m")
    cam = m.body("cam", joint=mbs.Revolute("z"), mass=0.5, inertia=(2e-4, 2e-4, 4e-4))
    at = (-0.1, 0.05, 0)
    arm = m.body("arm", joint=mbs.Revolute("z"), mass=0.3, com=(0.1, 0, 0), inertia=(1e-4, 3e-4, 3e-4), at=at)
    pair = mbs.OnCurve(mbs.Ellipse(base, 0.03), radius=0.01)
    own = law or {"creep": 1e-2}
    m.contact("face", cam, arm, pair, at_b=(0.1, 0, 0), stiffness=stiffness, friction=friction, **own)
    m.spring("spring", on=arm, stiffness=20.0, damping=0.02, length=-1.0)
    torque = m.input("torque", start=0.3, unit="N.m")
    m.motor("motor", on=cam, torque=torque - 0.01 * mbs.rate(cam))
    m.start(cam, q=-0.3, u=20.0)
    m.start(arm, q=-0.093)
    m.output("load", mbs.strength("face"))
    m.output("gap", mbs.gap("face"))
    m.output("E", mbs.energy())
    return m


def sticking_rocker() -> mbs.Model:
    """Return the rocker with friction that sticks."""
    return rocker(static=0.3, speed=0.05)
