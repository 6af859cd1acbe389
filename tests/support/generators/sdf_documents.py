"""Random SDFormat documents, and the same mechanisms built by hand from joint frames."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import mbs_fmu as mbs
from support.generators.mechanisms import Plain, random_rotation

KINDS = ("revolute", "continuous", "prismatic", "universal", "revolute2", "ball", "fixed", "screw")
AXES = {"universal": 2, "revolute2": 2, "ball": 0, "fixed": 0}
BACKWARD = ("revolute", "continuous", "prismatic", "screw", "fixed", "universal", "revolute2")


def pose_matrix(r: np.ndarray, R: np.ndarray) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, r
    return X


def random_pose(rng: np.random.Generator, scale: float = 1.0) -> np.ndarray:
    return pose_matrix(scale * rng.normal(size=3), random_rotation(rng))


def quaternion(R: np.ndarray) -> np.ndarray:
    """x, y, z, w of a rotation matrix: the axis of the largest eigenvalue of a symmetric matrix (Bar-Itzhack)."""
    K = np.zeros((4, 4))
    K[:3, :3] = R + R.T - np.trace(R) * np.eye(3)
    K[:3, 3] = K[3, :3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K[3, 3] = np.trace(R)
    return np.linalg.eigh(K)[1][:, 3]


@dataclass
class Writer:
    """Writes poses of one scope in random forms. known: absolute poses of frames that may be referred to."""

    rng: np.random.Generator
    version: str = "1.9"
    known: dict[str, np.ndarray] = field(default_factory=dict)
    origin: np.ndarray = field(default_factory=lambda: np.eye(4))  #: of the model

    def pose(self, X: np.ndarray, default: np.ndarray | None, plain: bool = False) -> str:
        """The element of an absolute pose: relative to a random frame, or to `default` without a name of the frame."""
        outer, attributes = default, ""
        if not plain and self.known and self.rng.random() < 0.6:
            name = self.rng.choice([*self.known, "__model__"])
            outer, attributes = self.known.get(name, self.origin), f' relative_to="{name}"'
        assert outer is not None
        inner = np.linalg.inv(outer) @ X
        R = inner[:3, :3]
        form = self.rng.integers(3) if self.version >= "1.9" else 0
        if form == 1:
            return f'<pose rotation_format="quat_xyzw"{attributes}>{text([*inner[:3, 3], *quaternion(R)])}</pose>'
        angles = np.array([
            np.arctan2(R[2, 1], R[2, 2]), np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2])), np.arctan2(R[1, 0], R[0, 0])
        ])  # fmt: skip
        if form == 2:
            angles, attributes = np.degrees(angles), f'{attributes} degrees="true"'
        return f"<pose{attributes}>{text([*inner[:3, 3], *angles])}</pose>"

    def axis(self, tag: str, direction: np.ndarray, joint: np.ndarray, more: str = "") -> str:
        """The element of an axis with a direction in the outermost frame. joint: rotation of the joint frame."""
        outer, inside, attributes = joint, "", ""
        if self.version == "1.4":
            outer = self.origin[:3, :3]
        elif self.version == "1.6":
            if self.rng.random() < 0.5:
                outer, inside = self.origin[:3, :3], "<use_parent_model_frame>1</use_parent_model_frame>"
        elif self.known and self.rng.random() < 0.5:
            name = self.rng.choice([*self.known, "__model__"])
            outer = self.known.get(name, self.origin)[:3, :3]
            attributes = f' expressed_in="{name}"'
        length = self.rng.uniform(0.5, 2.0)
        return f"<{tag}><xyz{attributes}>{text(length * outer.T @ direction)}</xyz>{inside}{more}</{tag}>"


def text(numbers: object) -> str:
    return " ".join(repr(float(x)) for x in numbers)  # type: ignore[attr-defined]


def inertial(rng: np.random.Generator) -> tuple[str, float, np.ndarray, np.ndarray]:
    """The element of a random inertia, its mass, and its centre and tensor in axes of the link."""
    points = rng.normal(size=(5, 3)) * 0.2
    mass = rng.uniform(0.5, 3.0)
    tensor = mass / 5 * sum(float(p @ p) * np.eye(3) - np.outer(p, p) for p in points)
    X = random_pose(rng, 0.2)
    tags = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
    entries = "".join(f"<{tag}>{float(tensor[i, j])!r}</{tag}>" for tag, i, j in tags)
    pose = Writer(rng).pose(X, np.eye(4), plain=True)
    element = f"<inertial>{pose}<mass>{mass!r}</mass><inertia>{entries}</inertia></inertial>"
    return element, mass, X[:3, 3], X[:3, :3] @ tensor @ X[:3, :3].T


@dataclass
class Documented:
    """A random tree as text of an SDFormat file, and as a model in which each body has the axes of its joint.

    backward: joints that the file directs inward. kinds: by joint.
    """

    text: str
    model: mbs.Model
    kinds: dict[str, str]
    backward: set[str]


def random_document(
    rng: np.random.Generator, count: int = 6, version: str = "1.9", floating: bool = False
) -> Documented:
    """A random tree with joints of all kinds; each body j of the model has its joint j of the file."""
    frames = version >= "1.7"
    X_model = random_pose(rng)
    writer = Writer(rng, version, {}, X_model)
    m = mbs.Model("hand", (0, 0, -9.8))
    links, joints, kinds, backward = [], [], {}, set()
    X_links, X_bodies = {}, {"world": np.eye(4)}
    for k in range(count):
        link, X = f"link {k}", X_model @ random_pose(rng)
        element, mass, com, tensor = inertial(rng)
        pose = writer.pose(X, X_model, plain=not frames)
        links.append(f'<link name="{link}">{pose}{element}</link>')
        X_links[link] = X
        writer.known |= {link: X} if frames else {}
        if frames and rng.random() < 0.5:
            F = random_pose(rng)
            links.append(f'<frame name="frame{k}" attached_to="{link}">{writer.pose(F, X)}</frame>')
            writer.known[f"frame{k}"] = F
        parent = f"link {rng.integers(k)}" if k else "world"
        kind = "free" if not k and floating else str(rng.choice(KINDS))
        J = X if kind == "free" else X @ random_pose(rng, 0.5)
        inward = k > 0 and not floating and kind in BACKWARD and rng.random() < 0.3
        axes = list(rng.normal(size=(AXES.get(kind, 1), 3)))
        axes = [axis / np.linalg.norm(axis) for axis in axes]
        pitch = rng.uniform(0.1, 0.4)
        outer = "world" if parent == "world" else parent.replace("link ", "b")
        body = f"b{k}"
        at = np.eye(4) if kind == "free" else np.linalg.inv(X_bodies[outer]) @ J
        inner = np.linalg.inv(J) @ X
        tensor = inner[:3, :3] @ tensor @ inner[:3, :3].T
        joint = _joint(kind, [J[:3, :3].T @ axis for axis in axes], pitch)
        m.body(
            body, outer, joint, mass, inner[:3, 3] + inner[:3, :3] @ com, tensor, mbs.Pose(at[:3, 3], at[:3, :3])
        )  # fmt: skip
        X_bodies[body] = J
        if kind == "free":
            continue
        name = f"joint{k}"
        kinds[name] = kind
        ends = (parent, link)
        if inward:
            backward.add(name)
            ends, axes = (link, parent), [-axis for axis in reversed(axes)]
        child = X_links[ends[1]]
        where = writer.pose(J, child, plain=not frames)
        elements = "".join(
            writer.axis(tag, axis, J[:3, :3]) for tag, axis in zip(("axis", "axis2"), axes, strict=False)
        )
        if kind == "screw":
            old = f"<thread_pitch>{-1 / pitch!r}</thread_pitch>"
            elements += old if rng.random() < 0.5 else f"<screw_thread_pitch>{2 * np.pi * pitch!r}</screw_thread_pitch>"
        joints.append(
            f'<joint name="{name}" type="{kind}"><parent>{ends[0]}</parent><child>{ends[1]}</child>{where}{elements}'
            "</joint>"
        )
        writer.known |= {name: J} if frames else {}
    pose = Writer(rng, version).pose(X_model, np.eye(4), plain=True)
    content = "\n".join([pose, *links, *joints])
    return Documented(f'<sdf version="{version}"><model name="robot">\n{content}\n</model></sdf>', m, kinds, backward)


def _joint(kind: str, axes: list[np.ndarray], pitch: float) -> mbs.Joint:
    if kind in ("universal", "revolute2"):
        return mbs.Compound(*map(mbs.turn, axes))
    if kind == "screw":
        return mbs.Screw(axes[0], pitch)
    if kind in ("ball", "fixed", "free"):
        return {"ball": mbs.Spherical, "fixed": mbs.Weld, "free": mbs.Free}[kind]()
    return mbs.Prismatic(axes[0]) if kind == "prismatic" else mbs.Revolute(axes[0])


class State:
    """A tree in plain Python, in a state by bodies: mass matrix, accelerations and energy, over velocities in order."""

    def __init__(self, model: mbs.Model, bodies: list[str], q: list[np.ndarray], u: list[np.ndarray]):
        model.output("E", mbs.energy())
        plain = Plain(model)
        slots = {v.name: v.slot for v in plain.program.variables}
        order = []
        for body, coordinates, rates in zip(bodies, q, u, strict=True):
            for value, (suffix, _) in zip(coordinates, model.bodies[body].coordinates, strict=True):
                plain.R[slots[f"{body}.{suffix}"]] = value
            for value, (suffix, _) in zip(rates, model.bodies[body].rates, strict=True):
                plain.R[slots[f"{body}.{suffix}"]] = value
                order.append(slots[f"{body}.{suffix}"])
        where = np.array(order, dtype=int) - plain.slice("u").start
        n = len(where)
        self.M = np.array([plain.momenta(np.eye(n)[k]) for k in where])[:, where]
        plain.real.momenta(plain.R)
        D = np.zeros_like(plain.R)
        D[plain.program.state_slice] = plain.rates()
        plain.real.outputs(plain.R)
        plain.real.derive_d(plain.R, D)
        self.a, self.energy = D[order], plain.R[slots["E"]]


RING = ("revolute", "universal", "prismatic", "ball", "revolute", "continuous")


def random_ring(rng: np.random.Generator, kinds: tuple[str, ...] = RING) -> str:
    """A loop from the world through links and back, with springs and dampers in joints with one axis."""
    writer = Writer(rng)
    content = []
    X_links = {f"l{k}": random_pose(rng) for k in range(len(kinds) - 1)}
    for link, X in X_links.items():
        element = inertial(rng)[0]
        content.append(f'<link name="{link}">{writer.pose(X, np.eye(4))}{element}</link>')
        writer.known[link] = X
    for k, kind in enumerate(kinds):
        ends = ["world" if k == 0 else f"l{k - 1}", f"l{k}"]
        if k == len(kinds) - 1 or (k > 0 and rng.random() < 0.5):
            ends = ["world" if end == f"l{len(kinds) - 1}" else end for end in reversed(ends)]
        J = random_pose(rng)
        numbers = zip(("damping", "spring_stiffness", "spring_reference"), rng.uniform(0.2, 1.0, size=3), strict=True)
        dynamics = "".join(f"<{tag}>{float(x)!r}</{tag}>" for tag, x in numbers)
        more = f"<dynamics>{dynamics}</dynamics>" if AXES.get(kind, 1) == 1 else ""
        axes = "".join(
            writer.axis(tag, x / np.linalg.norm(x), J[:3, :3], more)
            for tag, x in zip(("axis", "axis2"), rng.normal(size=(AXES.get(kind, 1), 3)), strict=False)
        )
        place = writer.pose(J, X_links[ends[1]])
        content.append(
            f'<joint name="j{k}" type="{kind}"><parent>{ends[0]}</parent><child>{ends[1]}</child>{place}{axes}</joint>'
        )
    return f'<sdf version="1.9"><model name="ring">{"".join(content)}</model></sdf>'
