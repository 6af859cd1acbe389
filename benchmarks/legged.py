"""Two robots with closed loops in their legs, as plain data: a hopper on a rail and a quadruped, on a plane.

In each leg a crank at the hip moves the shank through a rod: hip, crank, rod, shank and thigh form a four-bar linkage.
Thigh, crank and, in the quadruped, abduction have servos. Feet are balls. Lengths are in m, x is forward, z upward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import mbs_fmu as mbs

from .models import AXES, Axis, Closure, Link, Mechanism, mujoco_spec, to_model

THIGH, SHANK, FOOT = 0.2, 0.2, 0.022  #: m: lengths to knee and foot; radius of a foot
PIVOT, CRANK, LEVER = (0.01, 0.0, -0.01), 0.045, 0.04  #: m: axis of the crank from the hip; lengths at hip and knee
PITCH, KNEE = 0.75, -1.5  #: rad: standing legs
ROTOR, SERVO, DAMPING = 0.012, 70.0, 1.6  #: kg m², N m/rad, N m s/rad: of each servo
FRICTION = 0.8
GROUND = {"stiffness": 2e4, "dissipation": 2.0, "friction": FRICTION, "settling": 2e-3}  #: as of models/quadruped.py
SHANK_ANGLE = PITCH + KNEE  #: rad, from the vertical
PIN, HINGE = mbs.OnLine("y"), mbs.Revolute("y")  #: two constraint rows, which a planar loop needs; five rows


@dataclass(frozen=True)
class Robot:
    """A mechanism with servos, which hold the standing angles of some links, and feet.

    angles: rad, of all hinges by link. height: m, of the first link above the ground. feet: middles of the balls by
    link.
    """

    mechanism: Mechanism
    angles: dict[int, float]
    servos: tuple[int, ...]
    feet: dict[int, Axis]
    height: float

    @property
    def base_is_free(self) -> bool:
        return self.mechanism.links[0].joint == "free"


def hopper() -> Robot:
    """A leg below a trunk of 3 kg on a vertical rail."""
    trunk = Link(-1, "prismatic", 3.0, np.zeros(3), np.diag((0.01, 0.01, 0.01)), AXES["z"])
    return _robot("hopper", [trunk], [(0, (0.0, 0.0, 0.0), False)])


def quadruped() -> Robot:
    """Four legs below a free trunk of 6 kg; each hip turns about x before its leg."""
    trunk = Link(-1, "free", 6.0, np.zeros(3), np.diag((0.02, 0.07, 0.08)))
    places: list[Axis] = [(x, y, 0.0) for x in (0.19, -0.19) for y in (0.12, -0.12)]
    return _robot("quadruped", [trunk], [(0, place, True) for place in places])


def _robot(name: str, links: list[Link], legs: list[tuple[int, Axis, bool]]) -> Robot:
    """Add legs to links: the link, the hip's place, and whether the hip turns about x too."""
    closures, angles, servos, feet = [], {}, [], {}
    for base, place, turns in legs:
        parent = base
        if turns:
            parent, place = len(links), (0.0, 0.0, 0.0)
            links.append(Link(base, "revolute", 0.5, np.zeros(3), 5e-4 * np.eye(3), AXES["x"], legs[len(feet)][1]))
            angles[parent] = 0.0
            servos.append(parent)
        thigh, shank, crank, rod = range(len(links), len(links) + 4)
        pivot = tuple(a + b for a, b in zip(place, PIVOT, strict=True))
        length, angle = _rod()
        links += [
            _bar(parent, 0.6, -THIGH, place), _bar(thigh, 0.15, -SHANK, (0.0, 0.0, -THIGH)),
            _bar(parent, 0.05, CRANK, pivot), _bar(crank, 0.06, -length, (0.0, 0.0, CRANK)),
        ]  # fmt: skip
        closures.append(Closure(rod, shank, (0.0, 0.0, -length), (0.0, 0.0, LEVER)))
        angles |= {thigh: PITCH, shank: KNEE, crank: SHANK_ANGLE, rod: angle - SHANK_ANGLE}
        servos += [thigh, crank]
        feet[shank] = (0.0, 0.0, -SHANK)
    height = THIGH * math.cos(PITCH) + SHANK * math.cos(SHANK_ANGLE) + FOOT
    return Robot(Mechanism(name, tuple(links), tuple(closures)), angles, tuple(servos), feet, height)


def _rod() -> tuple[float, float]:
    """Length of the rod, m, and its angle from the vertical, rad, between crank and lever of a standing leg."""
    lever = np.array([-math.sin(PITCH), -math.cos(PITCH)]) * THIGH + LEVER * _up(SHANK_ANGLE)
    along = lever - np.array([PIVOT[0], PIVOT[2]]) - CRANK * _up(SHANK_ANGLE)
    return float(np.linalg.norm(along)), math.atan2(-along[0], -along[1])


def _up(angle: float) -> np.ndarray:
    """x and z of the z axis of a link turned about y."""
    return np.array([math.sin(angle), math.cos(angle)])


def _bar(parent: int, mass: float, length: float, position: Axis) -> Link:
    """A uniform rod along its z axis, hinged about y at its start; it is 1 cm thick."""
    across = mass * (length**2 / 12.0 + 0.005**2 / 4.0)
    inertia = np.diag((across, across, 0.5 * mass * 0.005**2))
    return Link(parent, "revolute", mass, np.array((0.0, 0.0, 0.5 * length)), inertia, AXES["y"], position)


def to_legged_model(robot: Robot, closure: mbs.Joint | mbs.OnLine = PIN) -> mbs.Model:
    """The mbs_fmu model; its inputs are the wanted angles of the servos, relative to the standing angles, rad."""
    m = to_model(robot.mechanism, driven=False, closure=closure)
    for i in robot.servos:
        body = m.bodies[f"b{i}"]
        wanted = robot.angles[i] + m.input(f"turn{i}", unit="rad")
        m.rotor(f"rotor{i}", on=body, inertia=ROTOR)
        torque = SERVO * (wanted - mbs.coordinate(body)) - DAMPING * mbs.rate(body)
        m.motor(f"servo{i}", on=body, torque=torque)
    m.ground("ground", {f"b{i}": mbs.Sphere(FOOT, at=at) for i, at in robot.feet.items()}, **GROUND)
    for i, angle in robot.angles.items():
        m.start(f"b{i}", q=angle, guess=i not in robot.servos)
    m.start("b0", q=(0.0, 0.0, robot.height, 1.0, 0.0, 0.0, 0.0) if robot.base_is_free else robot.height)
    m.output("open", mbs.residual(), unit="m")
    m.output("height", mbs.position("b0")[2], unit="m")
    return m


def to_legged_mujoco(robot: Robot) -> Any:
    """The `mujoco.MjModel`: its loops are `connect` equalities with the default softness, its feet touch a plane."""
    import mujoco

    spec, bodies = mujoco_spec(robot.mechanism)
    sphere, plane = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_PLANE
    friction = (FRICTION, 0.005, 0.0001)
    spec.worldbody.add_geom(type=plane, size=(0.0, 0.0, 1.0), friction=friction)
    for i, at in robot.feet.items():
        bodies[i].add_geom(
            type=sphere, size=(FOOT, 0.0, 0.0), pos=at, friction=friction, mass=0.0, contype=0, conaffinity=1
        )
    for k, c in enumerate(robot.mechanism.closures):
        spec.add_equality(
            name=f"loop{k}", type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=_site(bodies[c.a], f"a{k}", c.at_a), name2=_site(bodies[c.b], f"b{k}", c.at_b),
        )  # fmt: skip
    for i in robot.servos:
        joint = bodies[i].joints[0]
        joint.name, joint.armature = f"servo{i}", ROTOR
        gain, bias = np.zeros(10), np.zeros(10)
        gain[0], bias[:3] = SERVO, (SERVO * robot.angles[i], -SERVO, -DAMPING)
        spec.add_actuator(
            name=f"servo{i}", target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT, gainprm=gain,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE, biasprm=bias,
        )  # fmt: skip
    return spec.compile()


def _site(body: Any, name: str, at: Axis) -> str:
    """Add a site to a body; return its name."""
    body.add_site(name=name, pos=at)
    return name
