"""Random joints, bodies and trees, and programs that run as plain Python."""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model, second_tangents
from mbs_fmu.integrate.methods.table import STANDARD
from mbs_fmu.model.items import Start
from mbs_fmu.record.kernel_module import KernelModule
from mbs_fmu.record.program import Program

COMPANIONS = (
    "revolute", "tilted", "prismatic", "universal", "compound", "spherical", "free", "weld", "screw", "cylindrical",
    "planar", "angles", "custom",
)  # fmt: skip
"""Joints that keep company in random trees. It never grows, since every tree is drawn from it."""

JOINTS = (*COMPANIONS, "orders", "constant_velocity")  #: all joints; add a new one here

ORDERS: tuple[Any, ...] = tuple(
    first + second + third for first in "xyz" for second in "xyz" for third in "xyz" if second not in (first, third)
)
"""All orders of three axes about which a body may be turned to any attitude."""


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.linalg.det(Q)


def random_joint(rng: np.random.Generator, kind: str) -> mbs.Joint:
    axis = ("x", "y", "z", "-x", "-y", "-z")[rng.integers(6)]
    other = ("x", "y", "z")[("xyz".index(axis[-1]) + 1 + rng.integers(2)) % 3]
    if kind == "revolute":
        return mbs.Revolute(axis)
    if kind == "tilted":
        return mbs.Revolute(rng.normal(size=3))
    if kind == "prismatic":
        return mbs.Prismatic(axis if rng.random() < 0.5 else rng.normal(size=3))
    if kind == "universal":
        return mbs.Universal((axis, other))
    if kind == "compound":
        if rng.random() < 0.3:
            return mbs.Compound(mbs.turn(rng.normal(size=3)), mbs.slide(rng.normal(size=3)))
        return mbs.Compound(mbs.slide(other), mbs.turn(axis), mbs.turn(other))
    if kind == "screw":
        return mbs.Screw(axis if rng.random() < 0.5 else rng.normal(size=3), pitch=rng.normal())
    if kind == "constant_velocity":
        return mbs.ConstantVelocity(axis if rng.random() < 0.5 else rng.normal(size=3))
    if kind == "cylindrical":
        return mbs.Cylindrical(rng.normal(size=3))
    if kind == "planar":
        return mbs.Planar(axis if rng.random() < 0.5 else rng.normal(size=3))
    if kind == "angles":
        angles = ("euler", "ship", "aircraft")[rng.integers(3)]
        return mbs.Spherical(angles) if rng.random() < 0.5 else mbs.Free(angles)
    if kind == "orders":
        order = ORDERS[rng.integers(len(ORDERS))]
        return mbs.Spherical(order) if rng.random() < 0.5 else mbs.Free(order)
    if kind in ("custom", "timed"):
        return random_custom_joint(rng, kind == "timed")
    return {"spherical": mbs.Spherical, "free": mbs.Free, "weld": mbs.Weld}[kind]()


def random_custom_joint(rng: np.random.Generator, timed: bool = False) -> mbs.CustomJoint:
    """One or two coordinates that move origin and rotation along nonlinear curves, and in time if `timed`."""
    n = int(rng.integers(1, 3))
    c = rng.normal(size=(3, 3))
    w = 0.4 * rng.normal(size=(4, 2))

    def argument(q: list, t: object) -> object:
        return sum(w[k, 0] * q[k] for k in range(n)) + (0.7 * t if timed else 0.0)  # type: ignore[operator]

    def position(q: list, t: object) -> list:
        x = argument(q, t)
        return [c[k, 0] * mbs.sin(x) + c[k, 1] * q[-1] + c[k, 2] * x * x for k in range(3)]

    def rotation(q: list, t: object) -> list:
        x = argument(q, t)
        return [1.0, w[1, 1] * x + q[0], w[2, 1] * mbs.sin(q[-1]), w[3, 1] * x * q[0] + 0.5 * q[-1]]

    return mbs.CustomJoint(("rad", "m")[:n], position, rotation)


def add_drives(m: mbs.Model, rng: np.random.Generator, share: float = 0.5) -> list[str]:
    """Prescribe random motions in time; at least one joint with a single coordinate stays free."""
    moving = [b for b in m.bodies.values() if b.joint.motions]
    names, t = [], mbs.time
    for b in moving[1:]:
        if rng.random() > share:
            continue
        a, w, phase = rng.normal(size=3)
        law = a * mbs.sin(w * t + phase) + 0.3 * t
        name, n = f"d_{b.name}", len(b.joint.coordinates)
        if b.joint.scalar and b.joint.motions[0].name not in ("custom", "constant-velocity"):
            k = int(rng.integers(1, n + 1))
            forget_start(m, b.name, range(k - 1, k), range(k - 1, k))
            m.drive(name, on=b, coordinate=k, position=law)
        else:
            forget_start(m, b.name, range(n), range(len(b.joint.rates)))
            m.drive(name, on=b, position=[law * rng.normal() + rng.normal() for _ in range(n)])
        names.append(name)
    return names


def forget_start(m: mbs.Model, name: str, coordinates: range, rates: range) -> None:
    """Remove start values of coordinates that will be prescribed."""
    for what, places in (("q", coordinates), ("u", rates)):
        start = m.starts.get(name, Start())
        values = getattr(start, what)
        if values is not None:
            left = tuple(0.0 if k in places else x for k, x in enumerate(values))
            m.starts[name] = replace(start, **{what: None if len(places) == len(values) else left})


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Inertia of a random cloud of points about its centre of mass, hence physically consistent."""
    A = rng.normal(size=(3, 4))
    S = 0.05 * A @ A.T
    return np.trace(S) * np.eye(3) - S


def random_pose(rng: np.random.Generator) -> mbs.Pose:
    choice = rng.random()
    if choice < 0.3:
        return mbs.Pose(rng.normal(size=3) * 0.5)
    if choice < 0.6:
        quarter = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], size=3)
        return mbs.Pose((0, 0, rng.normal()), quarter * np.linalg.det(quarter))
    return mbs.Pose(rng.normal(size=3) * 0.5, random_rotation(rng))


def random_tree(
    rng: np.random.Generator, count: int, shape: str = "tree", joints: tuple[str, ...] = COMPANIONS, must: str = ""
) -> mbs.Model:
    """A tree, chain or star of `count` bodies with random joints, places, inertias and start values.

    Every third joint, and at least one, is `must` unless that is None.
    """
    gravity = rng.normal(size=3) * 5 if rng.random() < 0.5 else (0.0, 0.0, -9.81)
    m = mbs.Model("random_tree", gravity=gravity)
    names = ["world"]
    there = int(rng.integers(count)) if must else -1
    for k in range(count):
        parent = {"chain": names[-1], "star": names[min(1, k)], "tree": names[rng.integers(len(names))]}[shape]
        kind = must if must and (k == there or rng.random() < 1 / 3) else str(rng.choice(joints))
        joint = random_joint(rng, kind)
        body = m.body(
            f"b{k}", parent, joint, mass=0.5 + rng.random(), com=rng.normal(size=3) * 0.3,
            inertia=random_inertia(rng), at=random_pose(rng),
        )  # fmt: skip
        names.append(body.name)
        randomize_start(m, body, rng)
    return m


def randomize_start(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> None:
    q, u = rng.normal(size=len(body.joint.coordinates)), rng.normal(size=len(body.joint.rates))
    if [m.name for m in body.joint.motions[-3:]] == ["turn"] * 3:  # angles stay away from gimbal lock
        euler = body.joint.motions[-1].axis == body.joint.motions[-3].axis
        q[-2] = (np.pi / 2 if euler else 0.0) + np.clip(0.4 * q[-2], -1.0, 1.0)
    m.start(body, q=q, u=u)


# -- plain and complex evaluation -------------------------------------------------------------------


def _real(x: complex) -> float:
    return getattr(x, "real", x)


COMPLEX = {
    "integer": lambda x: int(_real(x)),
    "each": lambda x: int(_real(x)),
    "sincos": lambda x: (cmath.sin(x), cmath.cos(x)),
    "abs": lambda x: -x if _real(x) < 0.0 else x,
    "lt": lambda a, b: _real(a) < _real(b),
    "le": lambda a, b: _real(a) <= _real(b),
    **{name: getattr(cmath, name) for name in ("sqrt", "exp", "log", "tan", "asin", "acos", "atan", "tanh")},
    "atan2": lambda y, x: cmath.atan(y / x) + (math.copysign(math.pi, _real(y)) if _real(x) < 0 else 0.0),
    "mod": lambda x, period: x - period * math.floor(_real(x) / _real(period)),
    "segment": lambda A, start, n, x: max(0, min(n - 2, sum(_real(A[start + k]) <= _real(x) for k in range(n)) - 1)),
}


@lru_cache(maxsize=4)
def _complex_module(module: KernelModule) -> ModuleType:
    """Module for complex numbers, cached since some tests use it repeatedly."""
    return load_plain(module, COMPLEX)


class Plain:
    """A program run as plain Python, on real or complex numbers."""

    def __init__(self, model: mbs.Model | Program, solver: str = "cholesky"):
        self.program = model if isinstance(model, Program) else compile_model(model, solver)  # type: ignore[arg-type]
        self.real = load_plain(self.program.module)
        if not isinstance(model, Program):
            self.model = model  # the writers of further text refer to it weakly
            self.real.later_parts[model] = lambda m: second_tangents(m, solver, {}, STANDARD)
        self.R = self.program.new_record()
        assert self.real.prepare(self.R) == 0
        self.real.momenta(self.R)
        if self.program.feet:
            self.real.find_feet(self.R)

    @property
    def complex(self) -> ModuleType:
        """The module for complex numbers."""
        module = _complex_module(self.program.module)
        module.sines = self._complex_sines  # type: ignore[attr-defined]
        return module

    def _complex_sines(self, R: np.ndarray) -> None:
        """Equivalent of the generated `sines` for complex numbers."""
        where = self.slice("sines")
        first, last = self.slice("driven_sines").start, where.stop
        q, offsets = (R[self.slice(name).start :][: last - first] for name in ("driven_q", "driven_offsets"))
        R[first:last] = np.sin(q + offsets)
        R[self.slice("driven_cosines").start :][: last - first] = np.cos(q + offsets)

    def module(self, R: np.ndarray) -> ModuleType:
        return self.complex if np.iscomplexobj(R) else self.real

    def slice(self, name: str) -> slice:
        return self.program.region(name)

    def labels(self, region: str) -> list[str]:
        """Names, with their bodies, of the elements of a region, or of the "rates" of all states."""
        owners = self.program.owners
        if region == "rates":
            return owners
        if region in ("p", "p_dot"):
            return [owner for owner in owners if "momentum" in owner]
        names, where = {v.slot: v.name for v in self.program.variables}, self.slice(region)
        return [names.get(slot, "") for slot in range(where.start, where.stop)]

    def rates(self, R: np.ndarray | None = None) -> np.ndarray:
        R = self.R if R is None else R
        self.module(R).derive(R)
        return R[self.program.rate_slice].copy()

    def momenta(self, u: np.ndarray) -> np.ndarray:
        """Momenta of joint velocities u at the current coordinates."""
        R = self.R.copy()
        R[self.slice("u")] = u
        self.real.momenta(R)
        return R[self.slice("p")]

    def get(self, R: np.ndarray, name: str) -> np.ndarray:
        return R[self.slice(name)].copy()
