"""`Model`: a mechanism or a controller in the user's words.

A model only records and checks what it is told; `mbs_fmu.compile` gives it meaning. Every change counts up
`Model.version`, so that a compiled model knows whether it is still good.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ModelError
from ..expressions import Expression, is_literal, leaf
from .forces import BodyForce, CoordinateSpring, Force, Motor, PointSpring
from .joints import Joint, Weld
from .references import Signal
from .units import known_unit
from .vectors import Vector, inertia_matrix, number, numbers

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
OUTPUT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
WORLD = "world"


@dataclass(frozen=True)
class Pose:
    """A place on a parent: `position` (m, parent axes) and `rotation`, child to parent coordinates.

    `rotation` is a 3x3 matrix (its columns are the child's axes in parent coordinates) or a quaternion,
    w first.
    """

    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Body:
    """One body and its joint, as told. `rotation` is a 3x3 array, child to parent coordinates."""

    name: str
    parent: str
    joint: Joint
    mass: Expression
    com: Vector
    inertia: list[list[Expression]]
    position: Vector
    rotation: np.ndarray


@dataclass
class Range:
    """What is known of a signal's values: bounds and typical magnitude."""

    low: float | None = None
    high: float | None = None
    nominal: float | None = None


@dataclass
class Parameter:
    name: str
    value: float
    unit: str | None
    description: str
    range: Range


@dataclass
class Input:
    name: str
    unit: str | None
    start: float
    description: str
    range: Range


@dataclass
class State:
    name: str
    rate: Expression
    start: float
    unit: str | None
    description: str


@dataclass
class Output:
    name: str
    expressions: Vector
    vector: bool
    unit: str | None
    description: str
    range: Range


@dataclass
class Start:
    q: tuple[float, ...] | None = None
    u: tuple[float, ...] | None = None
    guess: bool = False


@dataclass
class Model:
    """A mechanism, a controller, or both.

    name: an identifier. gravity: acceleration in world axes, m/s². description: one line for the FMU.
    """

    name: str
    gravity: Any = (0.0, 0.0, -9.81)
    description: str = ""
    bodies: dict[str, Body] = field(default_factory=dict, init=False)
    forces: dict[str, Force] = field(default_factory=dict, init=False)
    parameters: dict[str, Parameter] = field(default_factory=dict, init=False)
    inputs: dict[str, Input] = field(default_factory=dict, init=False)
    states: dict[str, State] = field(default_factory=dict, init=False)
    outputs: dict[str, Output] = field(default_factory=dict, init=False)
    starts: dict[str, Start] = field(default_factory=dict, init=False)
    version: int = field(default=0, init=False)
    compiled: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.match(self.name):
            raise ModelError(f"model name {self.name!r} must be an identifier: letters, digits and underscores")
        self.gravity = numbers(self.gravity, 3, f"gravity of model {self.name!r}")

    # -- bodies -------------------------------------------------------------------------------
    def body(
        self,
        name: str,
        parent: str | Body = WORLD,
        joint: Joint | None = None,
        mass: Any = 0.0,
        com: Any = (0.0, 0.0, 0.0),
        inertia: Any = (0.0, 0.0, 0.0),
        at: Any = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body, hung on `parent` by `joint`.

        mass: kg. com: centre of mass in body axes from the body's origin, m. inertia: about the centre of
        mass in body axes, kg m² (3 principal moments; 6 numbers xx, xy, xz, yy, yz, zz; or 3x3). at: the
        joint's place on the parent, a position (m, parent axes) or a `Pose`. The body frame lies in the joint
        when its coordinates are zero. Numbers may be expressions of parameters, the rotation excepted.

        Raises ModelError for a name that is taken, a value that is not finite or has the wrong shape, a
        negative mass, an inertia that no body can have.
        """
        self._new_name(name, "body")
        thing = f"body {name!r}"
        if joint is None:
            joint = Weld()
        if not isinstance(joint, Joint):
            raise ModelError(f"{thing}: joint must be a joint such as mbs.Revolute('z'), not {joint!r}")
        parent_name = parent.name if isinstance(parent, Body) else parent
        if not isinstance(parent_name, str):
            raise ModelError(f"{thing}: parent must be a body or its name, not {parent!r}")
        if isinstance(parent, Body) and self.bodies.get(parent.name) is not parent:
            raise ModelError(f"{thing}: parent {parent.name!r} belongs to another model")
        pose = at if isinstance(at, Pose) else Pose(at)
        body = Body(
            name=name,
            parent=parent_name,
            joint=joint,
            mass=number(mass, f"mass of {thing}"),
            com=numbers(com, 3, f"com of {thing}"),
            inertia=inertia_matrix(inertia, f"inertia of {thing}"),
            position=numbers(pose.position, 3, f"position of {thing}"),
            rotation=rotation_matrix(pose.rotation, f"rotation of {thing}"),
        )
        _check_mass(body)
        self.bodies[name] = body
        self.version += 1
        return body

    # -- forces -------------------------------------------------------------------------------
    def spring(
        self,
        name: str,
        a: str | Body | None = None,
        b: str | Body | None = None,
        *,
        on: str | Body | None = None,
        coordinate: int | None = None,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        length: Any = 0.0,
    ) -> None:
        """A linear spring and damper, between two points or on a joint coordinate.

        Between points `at_a` of body `a` and `at_b` of body `b` (m, body axes): a pull of
        stiffness (distance - length) + damping d(distance)/dt along the line.
        On a joint coordinate (`on`, and `coordinate` from 1 where the joint has several): a force or torque of
        -stiffness (q - length) - damping u. stiffness: N/m or N.m/rad; damping: N.s/m or N.m.s/rad;
        length: m or rad. All may be expressions.
        """
        self._new_name(name, "force")
        thing = f"spring {name!r}"
        law = {
            "stiffness": number(stiffness, f"stiffness of {thing}"),
            "damping": number(damping, f"damping of {thing}"),
            "length": number(length, f"length of {thing}"),
        }
        if on is not None:
            if a is not None or b is not None:
                raise ModelError(f"{thing}: give either two bodies or on=, not both")
            body, k = self._joint_force(on, coordinate, thing)
            if not self.bodies[body].joint.scalar:
                raise ModelError(f"{thing}: body {body!r} has a ball or free joint, whose coordinates bear no spring")
            force: Force = CoordinateSpring(name, body, k, **law)
        else:
            if a is None or b is None:
                raise ModelError(f"{thing}: give two bodies, or on= with a joint coordinate")
            force = PointSpring(
                name,
                self._place(a, thing),
                numbers(at_a, 3, f"at_a of {thing}"),
                self._place(b, thing),
                numbers(at_b, 3, f"at_b of {thing}"),
                **law,
            )
        self._add_force(force)

    def motor(
        self,
        name: str,
        on: str | Body,
        torque: Any = None,
        force: Any = None,
        coordinate: int | None = None,
    ) -> None:
        """A torque (N.m) or force (N) along a joint velocity; the parent takes the reaction.

        `coordinate` from 1 says which joint velocity, where the joint has several.
        """
        self._new_name(name, "force")
        thing = f"motor {name!r}"
        if (torque is None) == (force is None):
            raise ModelError(f"{thing}: give either torque= or force=")
        body, k = self._joint_force(on, coordinate, thing)
        unit = self.bodies[body].joint.forces[k][1]
        given = "N.m" if force is None else "N"
        if unit != given:
            kind, other = ("turns", "torque") if unit == "N.m" else ("slides", "force")
            raise ModelError(f"{thing}: this freedom of body {body!r} {kind}: give {other}=")
        law = number(torque if force is None else force, f"law of {thing}")
        self._add_force(Motor(name, body, k, law))

    def force(
        self,
        name: str,
        on: str | Body,
        at: Any = (0.0, 0.0, 0.0),
        force: Any = None,
        torque: Any = None,
        resolve_in: str = "world",
    ) -> None:
        """A force (N) at a point (m, body axes) and a torque (N.m) on a body, in "world" or "body" axes."""
        self._new_name(name, "force")
        thing = f"force {name!r}"
        if force is None and torque is None:
            raise ModelError(f"{thing}: give force=, torque= or both")
        if resolve_in not in ("world", "body"):
            raise ModelError(f'{thing}: resolve_in is {resolve_in!r}; use "world" or "body"')
        zero = (0.0, 0.0, 0.0)
        self._add_force(
            BodyForce(
                name,
                self._known_body(on, thing),
                numbers(at, 3, f"at of {thing}"),
                numbers(zero if force is None else force, 3, f"force of {thing}"),
                numbers(zero if torque is None else torque, 3, f"torque of {thing}"),
                resolve_in == "world",
            )
        )

    # -- signals ------------------------------------------------------------------------------
    def parameter(
        self,
        name: str,
        value: float,
        unit: str | None = None,
        description: str = "",
        *,
        min: float | None = None,
        max: float | None = None,
        nominal: float | None = None,
    ) -> Expression:
        """A number that can be changed without compiling anew; values outside min..max are refused.

        Returns its expression.
        """
        self._new_name(name, "parameter")
        thing = f"parameter {name!r}"
        value = _finite(value, thing)
        limits = _range(min, max, nominal, thing)
        check_range(value, limits.low, limits.high, thing)
        self.parameters[name] = Parameter(name, value, known_unit(unit, thing), description, limits)
        self.version += 1
        return leaf(Signal("parameter", name))

    def set_parameter(self, name: str, value: float) -> None:
        """Give a parameter another default."""
        if name not in self.parameters:
            have = ", ".join(self.parameters) or "none"
            raise ModelError(f"unknown parameter {name!r}; parameters of model {self.name!r}: {have}")
        parameter = self.parameters[name]
        value = _finite(value, f"parameter {name!r}")
        check_range(value, parameter.range.low, parameter.range.high, f"parameter {name!r}")
        parameter.value = value
        self.version += 1

    def input(
        self,
        name: str,
        unit: str | None = None,
        start: float = 0.0,
        description: str = "",
        *,
        min: float | None = None,
        max: float | None = None,
        nominal: float | None = None,
    ) -> Expression:
        """A signal from outside (min, max, nominal inform the importer). Returns its expression."""
        self._new_name(name, "input")
        thing = f"input {name!r}"
        limits = _range(min, max, nominal, thing)
        self.inputs[name] = Input(
            name, known_unit(unit, thing), _finite(start, f"start of {thing}"), description, limits
        )
        self.version += 1
        return leaf(Signal("input", name))

    def state(
        self, name: str, rate: Any, start: float = 0.0, unit: str | None = None, description: str = ""
    ) -> Expression:
        """A signal with a given derivative, such as a controller's integral. Returns its expression.

        rate: an expression, or a function of the state's own expression that returns one.
        """
        self._new_name(name, "state")
        if callable(rate):
            rate = rate(leaf(Signal("state", name)))
        self.states[name] = State(
            name,
            number(rate, f"rate of state {name!r}"),
            _finite(start, f"start of state {name!r}"),
            known_unit(unit, f"state {name!r}"),
            description,
        )
        self.version += 1
        return leaf(Signal("state", name))

    def output(
        self,
        name: str,
        value: Any,
        unit: str | None = None,
        description: str = "",
        *,
        min: float | None = None,
        max: float | None = None,
        nominal: float | None = None,
    ) -> None:
        """A number or vector to publish; a vector's components are name[1], name[2], ..."""
        if not isinstance(name, str) or not OUTPUT_NAME.match(name):
            raise ModelError(f"output name {name!r} must be an identifier, or identifiers joined by dots")
        self._not_taken(name, "output")
        vector = isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
        items = (
            numbers(value, len(value), f"output {name!r}") if vector else Vector([number(value, f"output {name!r}")])
        )
        limits = _range(min, max, nominal, f"output {name!r}")
        self.outputs[name] = Output(name, items, vector, known_unit(unit, f"output {name!r}"), description, limits)
        self.version += 1

    def start(self, body: str | Body, q: Any = None, u: Any = None, guess: bool = False) -> None:
        """Start values of a body's joint: coordinates `q` and joint velocities `u`; zero (or rest) otherwise.

        Ball joint: q a quaternion, w first, u the angular velocity in body axes. Free joint: q = (position,
        quaternion), u = (v, w) in body axes. Quaternions are normalised. `guess=True` marks the values as free
        for assembly.
        """
        name = self._known_body(body, "start value")
        joint = self.bodies[name].joint
        entry = self.starts.setdefault(name, Start())
        if q is not None:
            entry.q = _start_numbers(q, len(joint.coordinates), f"start q of body {name!r}")
            for k in joint.quaternions:
                norm = math.sqrt(sum(x * x for x in entry.q[k : k + 4]))
                if norm < 1e-6:
                    raise ModelError(f"start q of body {name!r}: the quaternion {entry.q[k : k + 4]} has no direction")
                entry.q = tuple(x / norm if k <= i < k + 4 else x for i, x in enumerate(entry.q))
        if u is not None:
            entry.u = _start_numbers(u, len(joint.rates), f"start u of body {name!r}")
        entry.guess = guess
        self.version += 1

    # -- helpers ------------------------------------------------------------------------------
    def _new_name(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not NAME.match(name):
            raise ModelError(f"{kind} name {name!r} must be an identifier: letters, digits and underscores")
        if name in (WORLD, "time"):
            raise ModelError(f"{kind} name {name!r} is reserved: choose another")
        self._not_taken(name, kind)

    def _not_taken(self, name: str, kind: str) -> None:
        signals = {"parameter": self.parameters, "input": self.inputs, "state": self.states, "output": self.outputs}
        groups: dict[str, Any] = {"body": {"body": self.bodies}, "force": {"force": self.forces}}
        for other, group in groups.get(kind, signals).items():
            if name in group:
                raise ModelError(f"{kind} name {name!r} is taken by a {other} of model {self.name!r}: choose another")

    def _known_body(self, body: str | Body, thing: str) -> str:
        name = body.name if isinstance(body, Body) else body
        known = self.bodies.get(name) if isinstance(name, str) else None
        if known is None or isinstance(body, Body) and known is not body:
            have = ", ".join(self.bodies) or "none yet"
            raise ModelError(f"{thing}: unknown body {name!r}; bodies of model {self.name!r}: {have}")
        return name

    def _place(self, body: str | Body, thing: str) -> str:
        return WORLD if body == WORLD else self._known_body(body, thing)

    def _joint_force(self, body: str | Body, coordinate: int | None, thing: str) -> tuple[str, int]:
        name = self._known_body(body, thing)
        count = len(self.bodies[name].joint.rates)
        if count == 0:
            raise ModelError(f"{thing}: body {name!r} is welded, nothing can drive its joint")
        if coordinate is None:
            if count > 1:
                raise ModelError(
                    f"{thing}: the joint of body {name!r} has {count} freedoms: give coordinate=1..{count}"
                )
            return name, 0
        if not isinstance(coordinate, int) or not 1 <= coordinate <= count:
            raise ModelError(f"{thing}: coordinate {coordinate!r} of body {name!r} does not exist: use 1 to {count}")
        return name, coordinate - 1

    def _add_force(self, force: Force) -> None:
        self.forces[force.name] = force
        self.version += 1


def _finite(value: Any, thing: str) -> float:
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be a number, not {value!r}") from None
    if not math.isfinite(value):
        raise ModelError(f"{thing} is {value!r}: give a finite number")
    return value


def _range(low: float | None, high: float | None, nominal: float | None, thing: str) -> Range:
    for value, what in ((low, "min"), (high, "max"), (nominal, "nominal")):
        if value is not None:
            _finite(value, f"{what} of {thing}")
    if low is not None and high is not None and low > high:
        raise ModelError(f"{thing}: min {low!r} lies above max {high!r}")
    return Range(low, high, nominal)


def check_range(value: float, low: float | None, high: float | None, thing: str) -> None:
    """ModelError when the value is outside its bounds."""
    if low is not None and value < low or high is not None and value > high:
        raise ModelError(f"{thing} is {value!r}: it must lie within {low} .. {high}")


def _start_numbers(value: Any, count: int, thing: str) -> tuple[float, ...]:
    items = [value] if np.ndim(value) == 0 else list(value)
    if len(items) != count:
        raise ModelError(f"{thing}: its joint has {count} of them, {len(items)} given")
    return tuple(_finite(x, thing) for x in items)


def rotation_matrix(value: Any, thing: str) -> np.ndarray:
    """A 3x3 rotation from a matrix or a quaternion (w first), child to parent coordinates."""
    try:
        R = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be numbers: a 3x3 matrix or a quaternion, w first") from None
    if R.shape == (4,):
        norm = float(np.linalg.norm(R))
        if not 1e-6 < norm < math.inf:
            raise ModelError(f"{thing}: the quaternion {value!r} has no direction")
        w, x, y, z = R / norm
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    if R.shape != (3, 3):
        raise ModelError(f"{thing} has shape {R.shape}: give a 3x3 matrix or a quaternion, w first")
    if not np.all(np.isfinite(R)):
        raise ModelError(f"{thing} has an entry that is not finite")
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise ModelError(f"{thing} is not a rotation: its columns must be orthonormal and right-handed")
    return R


def _check_mass(body: Body) -> None:
    if is_literal(body.mass) and body.mass.value < 0:
        raise ModelError(f"mass of body {body.name!r} is {body.mass.value!r}: it must not be negative")
    entries = [x for row in body.inertia for x in row]
    if all(is_literal(x) for x in entries):
        moments = np.linalg.eigvalsh(np.array([x.value for x in entries]).reshape(3, 3))
        slack = 1e-9 * max(abs(moments))
        if moments[0] < -slack:
            raise ModelError(f"inertia of body {body.name!r} has the negative principal moment {moments[0]:.6g}")
        if moments[0] + moments[1] < moments[2] - slack:
            shown = ", ".join(f"{x:.6g}" for x in moments)
            raise ModelError(
                f"inertia of body {body.name!r} breaks the triangle inequality: principal moments {shown}; "
                "each must be at most the sum of the other two (is it about the centre of mass?)"
            )
