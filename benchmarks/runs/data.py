"""Systems and settings as plain data, which processes of all programs read as JSON.

This module needs numpy alone, since it runs in the environments of all peers. Lengths are in m, masses in kg, angles in
rad, times in s. Vectors and matrices are nested lists. The world's z axis points up.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import Any

Vector = list[float]
Matrix = list[list[float]]

REVOLUTE, UNIVERSAL, PRISMATIC, FREE = "revolute", "universal", "prismatic", "free"  #: kinds of joints
UNIVERSAL_AXES = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])  #: the second one is fixed in the link
SMALL = 0.1  #: s; systems that stop before this have steps in proportion


class Unsupported(Exception):
    """A system that a peer has no elements for, with the reason."""


def zeros() -> Vector:
    return [0.0, 0.0, 0.0]


def identity() -> Matrix:
    return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


@dataclass
class Link:
    """A rigid body and the joint that connects it with its parent.

    The frame of the link is at its joint. `position` and `rotation` (columns: the link's axes) place it in the frame of
    the parent at zero coordinates. A revolute joint turns about `axis`, and a prismatic one slides along it. A
    universal joint turns about x and then about the link's own y. For a free joint, q is the position of the frame in
    the world, u the velocity of its origin and the angular velocity, and the axes at the start are those of the world.
    """

    parent: int  #: number of the parent; -1: the world
    joint: str  #: kind of joint
    mass: float
    com: Vector  #: centre of mass, in the link's frame
    inertia: Matrix  #: kg m2, about the centre of mass, in the link's axes
    q: Vector  #: coordinates at the start
    u: Vector  #: velocities at the start
    axis: Vector = field(default_factory=zeros)
    position: Vector = field(default_factory=zeros)
    rotation: Matrix = field(default_factory=identity)

    @property
    def axes(self) -> tuple[Vector, ...]:
        """Axes of the rotations in turn, without those of prismatic and free joints."""
        return UNIVERSAL_AXES if self.joint == UNIVERSAL else (self.axis,) if self.joint == REVOLUTE else ()


@dataclass
class Closure:
    """Points of two links that coincide; in a planar mechanism, within its plane."""

    a: int
    b: int
    at_a: Vector
    at_b: Vector


@dataclass
class JointSpring:
    """Torque k (rest - q) - d u on coordinate number `coordinate` of a link's joint; k in N m/rad, d in N m s/rad."""

    link: int
    coordinate: int
    k: float
    d: float
    rest: float


@dataclass
class PointSpring:
    """A spring of `length` and k, N/m, between a point of a link and a point of the world."""

    link: int
    point: Vector
    anchor: Vector
    k: float
    length: float


@dataclass
class Torque:
    """A torque value cos(2 pi frequency t + phase), N m, on the revolute joint of a link."""

    link: int
    value: float
    frequency: float = 0.0  #: Hz
    phase: float = 0.0


@dataclass
class Sphere:
    """A sphere on a link that touches the ground, the plane z = 0."""

    link: int
    centre: Vector
    radius: float


@dataclass
class Ground:
    """Numbers of the contact with the ground: a normal force k d (1 + dissipation d') at depth d, and dry friction."""

    k: float  #: N/m
    dissipation: float  #: s/m
    friction: float
    creep: float  #: m/s, of laws that regularise friction


@dataclass
class Strip:
    """A straight elastic beam of rectangular section along x, pinned at the origin about y, without other links."""

    length: float
    width: float  #: along y
    height: float  #: along z
    modulus: float  #: Pa
    density: float  #: kg/m3


@dataclass
class Rod(Strip):
    """An elastic beam without stress, whose ends are pinned to points of two links about the normal of the plane."""

    a: int
    b: int
    at_a: Vector
    at_b: Vector


@dataclass
class System:
    """A mechanism with its start; a run lasts `stop` seconds. Errors are those of the markers' places at the end."""

    name: str
    title: str
    stop: float
    levels: list[float]  #: m, errors at which programs are compared
    links: list[Link]
    markers: list[tuple[int, Vector]]  #: points of links; of a strip: its free end
    gravity: Vector = field(default_factory=lambda: [0.0, 0.0, -9.81])
    normal: str = "y"  #: axis that is normal to the plane of closures; empty: they are spatial
    closures: list[Closure] = field(default_factory=list)
    joint_springs: list[JointSpring] = field(default_factory=list)
    point_springs: list[PointSpring] = field(default_factory=list)
    torques: list[Torque] = field(default_factory=list)
    spheres: list[Sphere] = field(default_factory=list)
    ground: Ground | None = None
    strip: Strip | None = None
    rod: Rod | None = None
    stiff: bool = False  #: explicit methods are bound by stability
    branches: bool = False  #: passes through singular positions
    modelica: str = ""  #: name of the same mechanism in the Modelica Standard Library
    coordinates: list[str] = field(default_factory=list)  #: names there of all coordinates, in the order of the links

    @property
    def scale(self) -> float:
        """Factor of steps that are stated for runs of some seconds."""
        return self.stop / 2.0 if self.stop < SMALL else 1.0

    def steps(self, h: float, stop: float) -> int:
        """Number of steps of about h, scaled, until `stop`; at least one."""
        return max(1, round(stop / (h * self.scale)))

    def spring(self, link: int, coordinate: int) -> JointSpring:
        """The spring of a coordinate, of zero stiffness where there is none."""
        found = [s for s in self.joint_springs if (s.link, s.coordinate) == (link, coordinate)]
        return found[0] if found else JointSpring(link, coordinate, 0.0, 0.0, 0.0)

    @property
    def elastic(self) -> bool:
        """True if the system has an elastic body."""
        return self.strip is not None or self.rod is not None

    @functools.cached_property
    def moved(self) -> bool:
        """True if a torque varies with time."""
        return any(torque.frequency for torque in self.torques)

    def spring_energy(self) -> float:
        """Energy of the springs of joints at the start, J, for programs that count these as controllers."""
        return sum(0.5 * s.k * (s.rest - self.links[s.link].q[s.coordinate]) ** 2 for s in self.joint_springs)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> System:
        """Inverse of `to_json`."""
        parts = {
            "links": Link, "closures": Closure, "joint_springs": JointSpring, "point_springs": PointSpring,
            "torques": Torque, "spheres": Sphere,
        }  # fmt: skip
        numbers = {name: [part(**item) for item in data[name]] for name, part in parts.items()}
        kinds = {"ground": Ground, "strip": Strip, "rod": Rod}
        single = {name: kind(**data[name]) if data[name] else None for name, kind in kinds.items()}
        markers = [(link, place) for link, place in data["markers"]]
        return cls(**{**data, **numbers, **single, "markers": markers})


@dataclass
class Setting:
    """A method of a program with its step or tolerance.

    `law` names what the law of contact or the discretisation of an elastic body is: only equal laws have equal motions.
    """

    method: str  #: what a curve in the figure is named
    value: float  #: step in s, or relative tolerance
    options: dict[str, Any]  #: what the adapter's `run` needs
    build: dict[str, Any] = field(default_factory=dict)  #: what its `build` needs
    law: str = ""
    reference: bool = False  #: the finest run of this method can be a reference solution

    @property
    def name(self) -> str:
        return f"{self.method} {self.value:g}"

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def ladder(
    method: str, values: tuple[float, ...], law: str = "", /, reference: bool = False, **options: Any
) -> list[Setting]:
    """Settings of a method, coarse to fine, with `value` among the options."""
    return [Setting(method, value, {**options, "value": value}, law=law, reference=reference) for value in values]
