"""The mechanisms of the benchmarks as plain data, and their models for each peer.

Conventions of the plain data are those of mbs_fmu: a free link has q = (position, quaternion w first) and u = (v, w) in
body axes; a universal joint turns about x, then about the new y; parents come first, and each branch is contiguous,
so that all peers keep the order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs

from .report import Unavailable

Axis = tuple[float, float, float]
AXES: dict[str, Axis] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
COORDINATES = {"revolute": 1, "prismatic": 1, "universal": 2, "free": 7}
RATES = {"revolute": 1, "prismatic": 1, "universal": 2, "free": 6}


@dataclass(frozen=True)
class Link:
    """One body and its joint; `axis` is that of a revolute or prismatic joint, `inertia` about the centre of mass."""

    parent: int
    joint: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    axis: Axis = (0.0, 0.0, 0.0)
    position: Axis | np.ndarray = (0.0, 0.0, 0.0)
    rotation: np.ndarray | None = None  #: link to parent coordinates; None for the identity
    physical: bool = True  #: the inertia satisfies the triangle inequality

    @property
    def matrix(self) -> np.ndarray:
        return np.eye(3) if self.rotation is None else self.rotation


@dataclass(frozen=True)
class Closure:
    """Points of two links, in the links' axes, that coincide."""

    a: int
    b: int
    at_a: Axis
    at_b: Axis


@dataclass(frozen=True)
class Mechanism:
    """A tree of links, and its closures; link -1 is the world."""

    name: str
    links: tuple[Link, ...]
    closures: tuple[Closure, ...] = ()

    @property
    def coordinates(self) -> int:
        return sum(COORDINATES[link.joint] for link in self.links)

    @property
    def rates(self) -> int:
        return sum(RATES[link.joint] for link in self.links)

    def free(self) -> list[tuple[int, int]]:
        """First coordinate and first rate of each free link."""
        places, q, u = [], 0, 0
        for link in self.links:
            if link.joint == "free":
                places.append((q, u))
            q, u = q + COORDINATES[link.joint], u + RATES[link.joint]
        return places


@dataclass(frozen=True)
class States:
    """Rows of coordinates, joint velocities and joint torques."""

    q: np.ndarray
    u: np.ndarray
    tau: np.ndarray

    @classmethod
    def random(cls, mechanism: Mechanism, count: int = 16) -> States:
        rng = np.random.default_rng(1)
        q = rng.uniform(-1.2, 1.2, (count, mechanism.coordinates))
        u, tau = rng.normal(size=(2, count, mechanism.rates))
        for first, _ in mechanism.free():
            quaternion = q[:, first + 3 : first + 7]
            quaternion /= np.linalg.norm(quaternion, axis=1)[:, None]
        return cls(q, u, tau)


# -- the cases ---------------------------------------------------------------------------------------------


def universal_chain(count: int) -> Mechanism:
    """Equal rods, each attached to the end of the previous one by a universal joint."""
    return Mechanism(f"universal-{count}", tuple(_rod(i, "universal") for i in range(count)))


def revolute_chain(count: int) -> Mechanism:
    """Equal rods on hinges about x and y in turn."""
    return Mechanism(f"revolute-{count}", tuple(_rod(i, "revolute", axis=AXES["xy"[i % 2]]) for i in range(count)))


def placed_chain(count: int) -> Mechanism:
    """Hinges about z at generic places and rotations, generic bodies."""
    rng = np.random.default_rng(0)
    links = (_generic(rng, i - 1, AXES["z"], rng.normal(size=3), _rotation(rng)) for i in range(count))
    return Mechanism(f"placed-{count}", tuple(links))


def tilted_chain(count: int) -> Mechanism:
    """The same with a generic axis in each body."""
    rng = np.random.default_rng(0)
    links = (_generic(rng, i - 1, _axis(rng), rng.normal(size=3), _rotation(rng)) for i in range(count))
    return Mechanism(f"tilted-{count}", tuple(links))


def free_tree(count: int) -> Mechanism:
    """A free base with branches of hinges about x, y or z, generic bodies."""
    rng = np.random.default_rng(0)
    links = [Link(-1, "free", *_body(rng))]
    for i in range(1, count):
        parent = i - 1
        for _ in range(int(rng.integers(0, 6)) if rng.random() < 0.35 else 0):
            parent = max(links[parent].parent, 0)
        position = np.array([0.0, 0.0, -0.4]) if rng.random() < 0.6 else 0.3 * rng.normal(size=3)
        links.append(_generic(rng, parent, AXES["xyz"[rng.integers(3)]], position, None))
    return Mechanism(f"tree-{count}", tuple(links))


@dataclass(frozen=True)
class Case:
    """A mechanism, built on demand."""

    title: str
    build: Callable[[int], Mechanism]
    count: int


def _rod(i: int, joint: str, axis: Axis = (0.0, 0.0, 0.0)) -> Link:
    inertia = np.diag([1 / 12 + 0.01, 1 / 12 + 0.01, 0.02])
    return Link(i - 1, joint, 1.0, np.array([0.0, 0.0, -0.5]), inertia, axis, (0.0, 0.0, -1.0 if i else 0.0))


def _generic(
    rng: np.random.Generator, parent: int, axis: Axis, position: np.ndarray, rotation: np.ndarray | None
) -> Link:
    return Link(parent, "revolute", *_body(rng), axis, position, rotation)


def _body(rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    A = rng.normal(size=(3, 3))
    S = 0.02 * A @ A.T + 0.01 * np.eye(3)
    return 1.0 + rng.random(), 0.3 * rng.normal(size=3), np.trace(S) * np.eye(3) - S


def _rotation(rng: np.random.Generator) -> np.ndarray:
    return Rotation.random(rng=rng).as_matrix()


def _axis(rng: np.random.Generator) -> Axis:
    axis = rng.normal(size=3)
    x, y, z = axis / np.linalg.norm(axis)
    return float(x), float(y), float(z)


# -- the same mechanism for each --------------------------------------------------------------------------


def to_model(mechanism: Mechanism, driven: bool = True, closure: mbs.Joint | mbs.OnLine | None = None) -> mbs.Model:
    """The mbs_fmu model; if driven, each joint velocity has a torque or force input, as tau of the peers.

    closure: the joint of the closures, by default a ball.
    """
    m = mbs.Model(mechanism.name.replace("-", "_"))
    for i, link in enumerate(mechanism.links):
        joint = _joint(link)
        m.body(
            f"b{i}", f"b{link.parent}" if link.parent >= 0 else "world", joint,
            mass=link.mass, com=link.com, inertia=link.inertia, at=mbs.Pose(link.position, link.matrix),
            physical=link.physical,
        )  # fmt: skip
        for k, (_, unit) in enumerate(joint.forces if driven else []):
            law = {"torque" if unit == "N.m" else "force": m.input(f"tau{i}_{k}", unit=unit)}
            m.motor(f"motor{i}_{k}", f"b{i}", coordinate=k + 1, **law)
    for k, c in enumerate(mechanism.closures):
        m.close(f"loop{k}", f"b{c.a}", f"b{c.b}", closure or mbs.Spherical(), at_a=c.at_a, at_b=c.at_b)
    return m


def _joint(link: Link) -> mbs.Joint:
    if link.joint == "free":
        return mbs.Free()
    if link.joint == "universal":
        return mbs.Compound(mbs.turn("x"), mbs.turn("y"))
    return mbs.Revolute(link.axis) if link.joint == "revolute" else mbs.Prismatic(link.axis)


def to_pinocchio(mechanism: Mechanism) -> Any:
    """The `pinocchio.Model`."""
    import pinocchio as pin

    model = pin.Model()
    aligned = {AXES["x"]: pin.JointModelRX, AXES["y"]: pin.JointModelRY, AXES["z"]: pin.JointModelRZ}
    for i, link in enumerate(mechanism.links):
        if link.joint == "free":
            joint = pin.JointModelFreeFlyer()
        elif link.joint == "universal":
            joint = pin.JointModelUniversal(np.array(AXES["x"]), np.array(AXES["y"]))
        elif link.joint == "prismatic":
            joint = pin.JointModelPrismaticUnaligned(np.array(link.axis))
        elif link.axis in aligned:
            joint = aligned[link.axis]()
        else:
            joint = pin.JointModelRevoluteUnaligned(np.array(link.axis))
        index = model.addJoint(link.parent + 1, joint, pin.SE3(link.matrix, np.array(link.position)), f"j{i}")
        model.appendBodyToJoint(index, pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
    return model


def to_arrays(mechanism: Mechanism) -> dict[str, np.ndarray]:
    """The mechanism as arrays for the C interface: see pinocchio_peer.cpp."""
    codes = {AXES["x"]: 0, AXES["y"]: 1, AXES["z"]: 2}
    links = mechanism.links
    joints = [{"universal": 4, "free": 5, "prismatic": 6}.get(link.joint, codes.get(link.axis, 3)) for link in links]
    upper = np.triu_indices(3)
    return {
        "parent": np.array([link.parent for link in links], dtype=np.int32),
        "joint": np.array(joints, dtype=np.int32),
        "axis": np.array([link.axis for link in links]),
        "place": np.array([[*link.matrix.ravel(), *link.position] for link in links]),
        "inertia": np.array([[link.mass, *link.com, *link.inertia[upper]] for link in links]),
    }


def to_closure_arrays(mechanism: Mechanism) -> dict[str, np.ndarray]:
    """The closures as arrays for the C interface: see pinocchio_loops_peer.cpp."""
    return {
        "pairs": np.array([(c.a, c.b) for c in mechanism.closures], dtype=np.int32),
        "points": np.array([[*c.at_a, *c.at_b] for c in mechanism.closures]),
    }


def to_mujoco(mechanism: Mechanism) -> Any:
    """The `mujoco.MjModel`, without contacts and constraints. Raises Unavailable if MuJoCo refuses it."""
    import mujoco

    spec, _ = mujoco_spec(mechanism)
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    try:
        return spec.compile()
    except ValueError as refused:
        raise Unavailable(str(refused).splitlines()[0]) from None


def mujoco_spec(mechanism: Mechanism) -> tuple[Any, list[Any]]:
    """The `mujoco.MjSpec` of the tree of links, and the body of each link."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = (0.0, 0.0, -9.81)
    bodies: list[Any] = []
    for i, link in enumerate(mechanism.links):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        body = (bodies[link.parent] if link.parent >= 0 else spec.worldbody).add_body(
            name=f"b{i}", pos=link.position, quat=Rotation.from_matrix(link.matrix).as_quat(scalar_first=True),
            mass=link.mass, ipos=link.com, fullinertia=[xx, yy, zz, xy, xz, yz], explicitinertial=True,
        )  # fmt: skip
        if link.joint == "free":
            body.add_freejoint()
        elif link.joint == "prismatic":
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=link.axis)
        for axis in {"revolute": [link.axis], "universal": [AXES["x"], AXES["y"]]}.get(link.joint, []):
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        bodies.append(body)
    return spec, bodies
