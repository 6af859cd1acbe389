"""The compared systems, one physical model for all programs.

Masses and places of the squeezer are those of the test set for IVP solvers (Mazzia and Magherini), those of the UR5 are
in ur5.json, from the package example-robot-data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from .data import (
    FREE,
    PRISMATIC,
    REVOLUTE,
    UNIVERSAL,
    Closure,
    Ground,
    JointSpring,
    Link,
    PointSpring,
    Rod,
    Sphere,
    Strip,
    System,
    Torque,
    Vector,
    zeros,
)

THIN = 1e-3  #: kg m2, moment of inertia of a rod about its axis


def link(
    parent: int, mass: float, com: Sequence[float], moments: Sequence[float], q: Sequence[float] = (0.0,),
    u: Sequence[float] = (0.0,), axis: Sequence[float] = (0, 0, 0), joint: str = REVOLUTE,
    position: Sequence[float] = (0, 0, 0),
) -> Link:  # fmt: skip
    """A link whose axes are the principal axes of its inertia, parallel to those of its parent at zero coordinates."""
    inertia = np.diag(np.array(moments, float)).tolist()
    return Link(parent, joint, mass, floats(com), inertia, floats(q), floats(u), floats(axis), floats(position))


def floats(values: Iterable[float]) -> Vector:
    return [float(value) for value in values]


# -- trees ------------------------------------------------------------------------------------------------------


def chain(n: int = 10) -> System:
    """Rods of 1 m and 1 kg on universal joints, with a start so moderate that 2 s are not chaotic."""
    random = np.random.default_rng(1)
    q, u = random.uniform(-0.5, 0.5, (n, 2)), 0.5 * random.normal(size=(n, 2))
    moments = (1 / 12 + 0.01, 1 / 12 + 0.01, 0.02)
    links = [
        link(i - 1, 1.0, (0, 0, -0.5), moments, q[i], u[i], joint=UNIVERSAL, position=(0, 0, -1.0 if i else 0.0))
        for i in range(n)
    ]
    markers = [(i, [0.0, 0.0, -1.0]) for i in range(n)]
    return System("chain", f"chain of {n} on universal joints", 2.0, [1e-4, 1e-8], links, markers)


def ur5() -> System:
    """The robot UR5 at rest, whose PD controllers, as springs and dampers of the joints, lead it to a goal."""
    links = [Link(**numbers) for numbers in json.loads((Path(__file__).parent / "ur5.json").read_text("utf-8"))]
    goal = (0.5, -1.2, 1.0, -0.5, 0.8, 0.3)
    gains, rates = (400.0, 400.0, 300.0, 60.0, 60.0, 40.0), (6.0, 6.0, 4.0, 0.6, 0.6, 0.3)
    springs = [JointSpring(i, 0, k, d, rest) for i, (k, d, rest) in enumerate(zip(gains, rates, goal, strict=True))]
    markers = [(i, [0.1, 0.2, 0.3]) for i in range(6)]
    return System("ur5", "UR5 under PD", 2.0, [1e-4, 1e-8], links, markers, joint_springs=springs)


def gyroscope() -> System:
    """A gimballed gyroscope of 60 rad/s whose frames are out of balance."""
    links = [
        link(-1, 0.5, (0, 0, 0), (0.01, 0.012, 0.015), [0.3], axis=(0, 0, 1)),
        link(0, 0.3, (0.2, 0, 0), (0.004, 0.005, 0.006), [0.2], axis=(0, 1, 0)),
        link(1, 1.0, (0.1, 0, 0), (0.02, 0.011, 0.011), [0.0], [60.0], axis=(1, 0, 0)),
    ]
    markers = [(1, [1.0, 0.0, 0.0]), (2, [0.0, 1.0, 0.0]), (0, [1.0, 0.0, 0.0])]
    return System("gyroscope", "gimballed gyroscope", 5.0, [1e-4, 1e-8], links, markers)


def stiff_chain(n: int = 6) -> System:
    """A chain of hinges, every second of which is held by a spring of 1e7 N m/rad and a damper."""
    links = [
        link(i - 1, 1.0, (0, 0, -0.5), (1 / 12, 1 / 12, 0.02), [0.0 if i % 2 else 0.5], axis=(0, 1, 0),
             position=(0, 0, -1.0 if i else 0.0))
        for i in range(n)
    ]  # fmt: skip
    springs = [JointSpring(i, 0, 1e7, 1e4, 0.0) for i in range(1, n, 2)]
    markers = [(i, [0.0, 0.0, -1.0]) for i in range(n)]
    return System(
        "stiff",
        "chain with springs of 1e7 N m/rad",
        2.0,
        [1e-4, 1e-6],
        links,
        markers,
        joint_springs=springs,
        stiff=True,
    )


# -- loops ------------------------------------------------------------------------------------------------------


def four_bar() -> System:
    """Uniform rods of 1, 2 and 1.5 m in the x-z plane, on hinges 2 m apart; the crank at 2 rad turns at 1 rad/s.

    Angles are about -y, from x towards z.
    """
    crank, coupler, rocker, ground = 1.0, 2.0, 1.5, 2.0
    angle, rate = 2.0, 1.0
    pin = crank * np.array([np.cos(angle), np.sin(angle)])
    to_hinge = np.array([ground, 0.0]) - pin
    distance = float(np.hypot(*to_hinge))
    alpha = np.arctan2(to_hinge[1], to_hinge[0]) + np.arccos(
        (coupler**2 + distance**2 - rocker**2) / (2.0 * coupler * distance)
    )
    end = pin + coupler * np.array([np.cos(alpha), np.sin(alpha)])
    beta = np.arctan2(end[1], end[0] - ground)
    a, b, c = (np.array([-np.sin(x), np.cos(x)]) for x in (angle, alpha, beta))  # directions of the tips' velocities
    alpha_rate, beta_rate = np.linalg.solve(np.array([coupler * b, -rocker * c]).T, -crank * rate * a)

    def rod(parent: int, length: float, q: float, u: float, x: float) -> Link:
        moment = length**3 / 12  # 1 kg/m
        moments = (THIN, moment, moment)
        return link(parent, length, (length / 2, 0, 0), moments, [q], [u], axis=(0, -1, 0), position=(x, 0, 0))

    links = [
        rod(-1, crank, angle, rate, 0.0),
        rod(0, coupler, alpha - angle, alpha_rate - rate, crank),
        rod(-1, rocker, beta, beta_rate, ground),
    ]
    markers = [(i, [length, 0.0, 0.0]) for i, length in enumerate((crank, coupler, rocker))]
    closures = [Closure(1, 2, [coupler, 0.0, 0.0], [rocker, 0.0, 0.0])]
    return System("four_bar", "four-bar", 5.0, [1e-4, 1e-6], links, markers, closures=closures)


def _four_bars(name: str, title: str, stop: float, levels: list[float], angle: float, rate: float) -> System:
    """Ten four-bars of rods of 1 m and 1 kg in a row; angle: of the upright rods, from z towards x."""
    thick = (1 / 12, 1 / 12, THIN)

    def upright(x: int) -> Link:
        return link(-1, 1.0, (0, 0, 0.5), thick, [angle], [rate], axis=(0, 1, 0), position=(x, 0, 0))

    links, closures, before = [upright(0)], [], 0
    for x in range(1, 11):
        level = link(before, 1.0, (0.5, 0, 0), thick[::-1], [-angle], [-rate], axis=(0, 1, 0), position=(0, 0, 1))
        links += [level, upright(x)]
        before = len(links) - 1
        closures.append(Closure(before - 1, before, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))
    markers = [(i, [0.0, 0.0, 1.0]) for i in range(0, len(links), 2)]
    return System(name, title, stop, levels, links, markers, closures=closures)


def hanging() -> System:
    """Ten four-bars that hang and swing by one radian about their rest, without singular positions."""
    return _four_bars("hanging", "ten four-bars, hanging", 5.0, [1e-4, 1e-6], np.pi - 1.0, 0.0)


def a02() -> System:
    """Problem A02 of the IFToMM library with ten four-bars, which pass through singular positions."""
    made = _four_bars("a02", "ten four-bars through singular positions", 10.0, [1e-2, 1e-3], 0.0, 1.0)
    made.branches = True
    return made


def squeezer() -> System:
    """Seven links and a spring, driven by a motor.

    Markers lie 1 m from the hinges, so that errors in m are those of angles in rad.
    """
    start = {
        "k1": -0.0617138900142764496, "k2": 0.0, "k3": 0.455279819163070380, "k4": 0.222668390165885885,
        "k5": 0.487364979543842550, "k6": -0.222668390165885885, "k7": 1.23054744454982120,
    }  # fmt: skip

    def flat(parent: int, name: str, mass: float, com: Sequence[float], moment: float, x: float, y: float) -> Link:
        moments = (moment / 2, moment / 2, moment)
        return link(parent, mass, (*com, 0.0), moments, [start[name]], axis=(0, 0, 1), position=(x, y, 0.0))

    short = 2e-2 - 1421e-5  # m, from the hinges of K4 and K6 to their centres of mass
    links = [
        flat(-1, "k1", 0.04325, (92e-5, 0.0), 2.194e-6, 0.0, 0.0),
        flat(0, "k2", 0.00365, (-115e-4, 0.0), 4.410e-7, 7e-3, 0.0),
        flat(-1, "k3", 0.02373, (1874e-5, 1043e-5), 5.255e-6, -0.03635, 0.03273),
        flat(-1, "k5", 0.07050, (2308e-5, 916e-5), 1.169e-5, -0.06934, -0.00227),
        flat(3, "k4", 0.00706, (0.0, -short), 5.667e-7, 4e-2, 0.0),
        flat(-1, "k7", 0.05498, (1228e-5, 449e-5), 1.912e-5, -0.06934, -0.00227),
        flat(5, "k6", 0.00706, (short, 0.0), 5.667e-7, 0.0, -4e-2),
    ]
    ends = ((2, [0.0, -35e-3, 0.0]), (4, [0.0, -2e-2, 0.0]), (6, [2e-2, 0.0, 0.0]))
    return System(
        "squeezer", "Andrews' squeezer", 0.03, [1e-4, 1e-6], links, [(i, [1.0, 0.0, 0.0]) for i in range(7)],
        gravity=zeros(), normal="z", closures=[Closure(1, other, [-28e-3, 0.0, 0.0], end) for other, end in ends],
        point_springs=[PointSpring(2, [2e-2, -18e-3, 0.0], [0.014, 0.072, 0.0], 4530.0, 7785e-5)],
        torques=[Torque(0, 0.033)],
    )  # fmt: skip


def fourbar1(stop: float = 5.0) -> System:
    """Fourbar1 of the Modelica Standard Library: a crank about x, a rod on a ball and a post that slides along x.

    The loop is cut at the ball. All parts are solid cylinders of 50 mm.
    """
    crank, post, rod = (np.array(numbers) for numbers in ((0.0, 0.5, 0.1), (0.0, 0.2, 0.0), (-1.0, 0.3, 0.1)))
    axes = np.roll(np.eye(3), 1, axis=0)  # columns: y, z and x of the world, for a universal joint about y and z
    rate = np.radians(300.0)
    tip = rate * np.cross([1.0, 0.0, 0.0], crank)
    turns = [np.cross(axis, rod) for axis in ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])]
    slide, *rates = np.linalg.solve(np.array([[1.0, 0.0, 0.0], *turns]).T, tip)

    def cylinder(parent: int, joint: str, r: np.ndarray, q: Vector, u: Vector, position: Vector) -> Link:
        length, radius = float(np.linalg.norm(r)), 0.025
        mass = 7700.0 * np.pi * radius**2 * length
        along = np.outer(r, r) / length**2
        inertia = mass * (0.5 * radius**2 * along + (length**2 / 12 + radius**2 / 4) * (np.eye(3) - along))
        x = [1.0, 0.0, 0.0]
        return Link(parent, joint, mass, (0.5 * r).tolist(), inertia.tolist(), q, u, x, position)

    links = [
        cylinder(-1, REVOLUTE, crank, [0.0], [rate], zeros()),
        cylinder(-1, PRISMATIC, post, [-0.2], [slide], [1.2, 0.0, 0.0]),
        cylinder(1, UNIVERSAL, axes.T @ rod, [0.0, 0.0], floats(rates), floats(post)),
    ]
    links[2].rotation = axes.tolist()
    end = floats(axes.T @ rod)
    example = "Modelica.Mechanics.MultiBody.Examples.Loops.Fourbar1"
    markers = [(0, floats(crank)), (1, floats(post)), (2, end)]
    return System(
        "fourbar1", "Fourbar1 of Modelica", stop, [1e-4, 1e-6], links, markers,
        gravity=[0.0, -9.80665, 0.0], normal="", closures=[Closure(0, 2, floats(crank), end)], modelica=example,
        coordinates=["j1.phi", "j2.s", "rev.phi", "rev1.phi"],
    )  # fmt: skip


# -- contact ----------------------------------------------------------------------------------------------------


def free(mass: float, moments: Sequence[float], place: Sequence[float], velocities: Sequence[float]) -> Link:
    return link(-1, mass, (0, 0, 0), moments, place, velocities, joint=FREE)


def corners(body: int) -> list[tuple[int, Vector]]:
    """Markers at the origin of a body and at 1 m from it, which see its rotation."""
    return [(body, place) for place in ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])]


def ball() -> System:
    """A spinning ball of 1 kg falls 0.3 m, bounces and slides."""
    links = [free(1.0, (0.004,) * 3, (0, 0, 0.4), (1.0, 0, 0, 0, 0, 5.0))]
    ground = Ground(k=2e4, dissipation=0.5, friction=0.3, creep=1e-3)
    return System(
        "ball", "bouncing, sliding ball", 1.0, [1e-2, 1e-4], links, corners(0), spheres=[Sphere(0, zeros(), 0.1)],
        ground=ground,
    )  # fmt: skip


def box() -> System:
    """A tumbling box of 0.3 x 0.2 x 0.1 m lands on eight small spheres at its corners."""
    links = [free(2.0, (0.01, 0.02, 0.025), (0, 0, 0.4), (0.5, 0, 0, 1.0, 2.0, 0.5))]
    places = [[x, y, z] for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.05, 0.05)]
    ground = Ground(k=2e4, dissipation=0.5, friction=0.5, creep=1e-3)
    spheres = [Sphere(0, place, 0.01) for place in places]
    return System("box", "tumbling box lands", 0.6, [1e-2, 1e-4], links, corners(0), spheres=spheres, ground=ground)


def quadruped() -> System:
    """A quadruped of twelve hinges under PD lands on four spherical feet."""
    links = [free(8.0, (0.05, 0.1, 0.12), (0, 0, 0.36), (0.3, 0.1, -0.5, 0, 0, 0))]
    springs, spheres = [], []
    for hip in ((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)):
        parent = 0
        places = ((*hip, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, -0.2))
        for axis, place, angle in zip(((1, 0, 0), (0, 1, 0), (0, 1, 0)), places, (0.0, 0.6, -1.2), strict=True):
            springs.append(JointSpring(len(links), 0, 60.0, 2.0, angle))
            links.append(link(parent, 0.4, (0, 0, -0.1), (2e-3, 2e-3, 5e-4), [angle], axis=axis, position=place))
            parent = len(links) - 1
        spheres.append(Sphere(parent, [0.0, 0.0, -0.2], 0.02))
    return System(
        "quadruped", "quadruped lands", 0.5, [1e-2, 1e-4], links, corners(0), joint_springs=springs, spheres=spheres,
        ground=Ground(k=2e4, dissipation=0.5, friction=0.8, creep=1e-3),
    )  # fmt: skip


def trot() -> System:
    """The quadruped from its stand: its servos swing two legs of a diagonal while it stands on those of the other."""
    made = quadruped()
    made.name, made.title, made.stop = "trot", "quadruped trots", 0.5
    made.links[0].q, made.links[0].u = [0.0, 0.0, 0.3502], [0.0] * 6
    servos = [made.joint_springs[3 * leg + part] for leg in range(4) for part in (1, 2)]
    for k, servo in enumerate(servos):
        side = 1.0 if k // 2 in (0, 3) else -1.0  # the legs of a diagonal swing alike
        swing, phase = ((0.25, 0.0), (0.4, np.pi / 2))[k % 2]  # rad, of thigh and shank
        made.torques.append(Torque(servo.link, side * swing * servo.k, 2.0, phase))
    return made


# -- elastic bodies ---------------------------------------------------------------------------------------------


def strip() -> System:
    """A strip of rubber of 1 m that falls from the horizontal about a pin at one end."""
    beam = Strip(length=1.0, width=0.02, height=0.01, modulus=1e8, density=1000.0)
    return System("strip", "falling rubber strip", 1.0, [1e-3, 1e-4], [], [(0, zeros())], strip=beam)


def flexible_crank() -> System:
    """A slider-crank with a slender rod of plastic; a constant torque turns the crank from rest, in the x-z plane."""
    short, long, angle = 0.15, 0.3, 1.0
    tip = short * np.array([np.cos(angle), np.sin(angle)])
    links = [
        link(-1, 0.36, (0.075, 0, 0), (1e-4, 1e-3, 1e-3), [angle], axis=(0, -1, 0)),
        link(-1, 0.1, (0, 0, 0), (1e-4,) * 3, [float(tip[0] + np.sqrt(long**2 - tip[1] ** 2))], axis=(1, 0, 0),
             joint=PRISMATIC),
    ]  # fmt: skip
    rod = Rod(
        length=long, width=0.008, height=0.008, modulus=5e9, density=1400.0, a=0, b=1, at_a=[short, 0.0, 0.0],
        at_b=zeros(),
    )  # fmt: skip
    markers = [(0, [1.0, 0.0, 0.0]), (1, zeros())]
    return System(
        "flexible_crank", "slider-crank with a flexible rod", 0.5, [1e-3, 1e-4], links, markers,
        torques=[Torque(0, 0.3)], rod=rod,
    )  # fmt: skip


SYSTEMS: dict[str, Callable[[], System]] = {
    "chain": chain, "ur5": ur5, "gyroscope": gyroscope, "stiff": stiff_chain, "four_bar": four_bar,
    "hanging": hanging, "a02": a02, "squeezer": squeezer, "fourbar1": fourbar1, "strip": strip,
    "flexible_crank": flexible_crank, "ball": ball, "box": box, "quadruped": quadruped, "trot": trot,
}  # fmt: skip
