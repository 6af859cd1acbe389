"""`Model`: a mechanism or a controller in the user's words.

A model only records and checks what it is told; `mbs_fmu.compile` gives it meaning. Every change counts up
`Model.version`, so that a compiled model knows whether it is still good. Start values, parameters' defaults and how
loops are kept closed are no structure: they count up `Model.value_version` alone, and nothing is compiled anew.
"""

from __future__ import annotations

import keyword
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arguments import truth
from ..errors import ModelError
from ..expressions import Expression, is_literal, leaf
from ..messages import shown
from .checks import (
    check_range,
    checked_body,
    finite_number,
    signal_range,
    start_numbers,
    text,
)
from .drives import Drive, check_start, checked_drive
from .force_words import ForceWords
from .forces import Force, PointGravity
from .joints import Joint, Weld
from .loops import Closure, Equations, Loop, Stabilization, checked_equations, checked_link
from .measures import Twist, Wrench
from .names import NAME, OUTPUT_NAME, RESERVED
from .parts import WORLD, Body, Event, Input, Output, Parameter, Start, State, said
from .poses import Pose, placed
from .references import Signal
from .units import known_unit
from .vectors import Vector, inertia_matrix, is_list, number, numbers, traced


@dataclass
class Model(ForceWords):
    """A mechanism, a controller, or both.

    name: an identifier. gravity: acceleration in world axes, m/s², or `mbs.PointGravity`; assign `m.gravity` later
    to make it depend on parameters. description: one line for the FMU.
    """

    name: str
    gravity: Any = (0.0, 0.0, -9.81)
    description: str = ""
    bodies: dict[str, Body] = field(default_factory=dict, init=False)
    forces: dict[str, Force] = field(default_factory=dict, init=False)
    drives: dict[str, Drive] = field(default_factory=dict, init=False)
    loops: dict[str, Closure] = field(default_factory=dict, init=False)
    stabilization: Stabilization = field(default_factory=Stabilization, init=False)
    parameters: dict[str, Parameter] = field(default_factory=dict, init=False)
    inputs: dict[str, Input] = field(default_factory=dict, init=False)
    states: dict[str, State] = field(default_factory=dict, init=False)
    outputs: dict[str, Output] = field(default_factory=dict, init=False)
    events: dict[str, Event] = field(default_factory=dict, init=False)
    starts: dict[str, Start] = field(default_factory=dict, init=False)
    version: int = field(default=0, init=False)
    value_version: int = field(default=0, init=False)
    compiled: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.match(self.name) or keyword.iskeyword(self.name):
            raise ModelError(f"model name {shown(self.name)} must be an identifier: letters, digits and underscores")
        text(self.description, f"description of model {self.name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Gravity may be given later too, then as expressions of parameters."""
        if name == "gravity":
            if not isinstance(value, PointGravity):
                value = numbers(value, 3, f"gravity of model {self.name!r}", "m/s2")
            object.__setattr__(self, "version", getattr(self, "version", 0) + 1)
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles compile for themselves, or find the machine code in the cache."""
        return {**self.__dict__, "compiled": {}}

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
        *,
        physical: bool = True,
    ) -> Body:
        """Add a body, hung on `parent` by `joint`.

        mass: kg. com: centre of mass in body axes from the body's origin, m. inertia: about the centre of
        mass in body axes, kg m² (3 principal moments; 6 numbers xx, xy, xz, yy, yz, zz; or 3x3). at: the
        joint's place on the parent, a position (m, parent axes) or a `Pose`. The body frame lies in the joint
        when its coordinates are zero. Numbers may be expressions of parameters, the rotation excepted.
        physical: False takes an inertia that breaks the triangle inequality, as some published data do.

        Raises ModelError for a name that is taken, a value that is not finite or has the wrong shape, a
        negative mass, an inertia that no body can have.
        """
        self._new_name(name, "body")
        thing = f"body {name!r}"
        if joint is None:
            joint = Weld()
        if not isinstance(joint, Joint):
            raise ModelError(f"{thing}: joint must be a joint such as mbs.Revolute('z'), not {shown(joint)}")
        parent_name = parent.name if isinstance(parent, Body) else parent
        if not isinstance(parent_name, str):
            raise ModelError(f"{thing}: parent must be a body or its name, not {shown(parent)}")
        if isinstance(parent, Body) and self.bodies.get(parent.name) is not parent:
            raise ModelError(f"{thing}: parent {parent.name!r} belongs to another model")
        position, rotation = placed(at, f"at of {thing}")
        told = Body(
            name=name,
            parent=parent_name,
            joint=joint,
            mass=number(mass, f"mass of {thing}", "kg"),
            com=numbers(com, 3, f"com of {thing}", "m"),
            inertia=inertia_matrix(inertia, f"inertia of {thing}"),
            position=position,
            rotation=rotation,
            physical=truth(physical, f"physical of {thing}", ModelError),
        )
        body = self.bodies[name] = checked_body(told)
        self.version += 1
        return body

    def drive(self, name: str, on: str | Body, position: Any, rate: Any = None, coordinate: int | None = None) -> None:
        """Give the motion of a body's joint: of all its coordinates, or of one (`coordinate`, from 1).

        position, rate: an expression for each coordinate and each joint velocity, of time, parameters, inputs and
        states; of a ball joint a quaternion and the angular velocity in body axes, of a free one (position,
        quaternion) and (v, w) in body axes. A rate follows from a position that is a function of time, and must be
        given otherwise. No acceleration is needed. The coordinates are states no longer. `mbs.drive_force` tells what
        the drive takes.

        Raises ModelError for a coordinate that has a drive already, a missing or contradicting rate, start values
        of the driven coordinates.
        """
        self._new_name(name, "force")
        body = self.bodies[self.known_body(on, f"drive {name!r}")]
        self.drives[name] = checked_drive(self, name, body, coordinate, position, rate)
        self.version += 1

    # -- loops --------------------------------------------------------------------------------
    def close(
        self,
        name: str,
        a: str | Body,
        b: str | Body,
        joint: Any,
        *,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
    ) -> None:
        """Close a loop: a joint between two bodies of the tree.

        joint: any joint (with the motions it allows from a to b), `mbs.Distance`, `mbs.OnLine` or `mbs.OnPlane`.
        at_a, at_b: the joint's place on both bodies, positions (m, body axes) or `Pose`s; with all its coordinates
        zero both places coincide. Conditions that others imply already are found at the start, and left out.

        Raises ModelError for a name that is taken, an unknown body, a joint that closes nothing.
        """
        self._new_name(name, "loop")
        thing = f"loop {name!r}"
        ends = self._place(a, thing), self._place(b, thing)
        places = placed(at_a, f"at_a of {thing}"), placed(at_b, f"at_b of {thing}")
        loop = Loop(name, *ends, checked_link(joint, thing), *places[0], *places[1])
        if loop.a == loop.b:
            raise ModelError(f"{thing} joins {said(loop.a)} with itself: give two bodies")
        self.loops[name] = loop
        self.version += 1

    def constrain(self, name: str, equations: Any) -> None:
        """Expressions that stay zero: of coordinates, positions, orientations, parameters and time.

        equations: one expression or a list. They may not depend on rates or inputs: what moves a closed loop
        must be known with its rate, as a function of time.
        """
        self._new_name(name, "loop")
        found = checked_equations(equations, f"loop {name!r}")
        self._known_in(found, f"loop {name!r}")
        self.loops[name] = Equations(name, found)
        self.version += 1

    def stabilize(
        self,
        alpha: float | None = None,
        projection: bool = True,
        rebasing: bool = True,
        bound: float | None = None,
    ) -> None:
        """How closed loops are kept closed, see `Stabilization`; the defaults suit nearly all."""
        for value, what, least in ((alpha, "alpha", 0.0), (bound, "bound", 1e-300)):
            if value is not None and not finite_number(value, f"{what} of the stabilization") >= least:
                raise ModelError(f"{what} of the stabilization is {shown(value)}: it must be positive")
        projected = truth(projection, "projection of the stabilization", ModelError)
        rebased = truth(rebasing, "rebasing of the stabilization", ModelError)
        self.stabilization = Stabilization(alpha, projected, rebased, bound)
        self.value_version += 1

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
        unit = known_unit(unit, thing)
        value = finite_number(value, thing, unit)
        limits = signal_range(min, max, nominal, unit, thing)
        check_range(value, limits.low, limits.high, "parameter", name)
        told = text(description, f"description of {thing}")
        self.parameters[name] = Parameter(name, value, unit, told, limits)
        self.version += 1
        return leaf(Signal("parameter", name))

    def set_parameter(self, name: str, value: float) -> None:
        """Give a parameter another default."""
        if not isinstance(name, str) or name not in self.parameters:
            have = ", ".join(self.parameters) or "none"
            raise ModelError(f"unknown parameter {shown(name)}; parameters of model {self.name!r}: {have}")
        parameter = self.parameters[name]
        value = finite_number(value, f"parameter {name!r}", parameter.unit)
        check_range(value, parameter.range.low, parameter.range.high, "parameter", name)
        parameter.value = value
        self.value_version += 1

    def input(
        self,
        name: str,
        unit: str | None = None,
        start: float | None = None,
        description: str = "",
        *,
        min: float | None = None,
        max: float | None = None,
        nominal: float | None = None,
    ) -> Expression:
        """A signal from outside (min, max, nominal inform the importer). Returns its expression.

        start: what it is where a run gives it no value. Without it `simulate` asks for one, and an FMU starts at zero.
        """
        self._new_name(name, "input")
        thing = f"input {name!r}"
        unit = known_unit(unit, thing)
        limits = signal_range(min, max, nominal, unit, thing)
        value = 0.0 if start is None else finite_number(start, f"start of {thing}", unit)
        told = text(description, f"description of {thing}")
        self.inputs[name] = Input(name, unit, value, told, limits, start is not None)
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
            rate = traced(rate, f"rate of state {name!r}", leaf(Signal("state", name)))
        unit = known_unit(unit, f"state {name!r}")
        law = number(rate, f"rate of state {name!r}")
        self._known_in([law], f"rate of state {name!r}")
        self.states[name] = State(
            name,
            law,
            finite_number(start, f"start of state {name!r}", unit),
            unit,
            text(description, f"description of state {name!r}"),
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
        """A number or vector to publish; a vector's components are name[1], name[2], ...

        What has two parts becomes two outputs: a wrench name.f (N) and name.t (N.m), a twist name.v (m/s) and name.w
        (rad/s), a pose name.position (m) and name.orientation.
        """
        if isinstance(value, (Wrench, Twist, Pose)):
            for part, of_part, its_unit in _parts(value):
                self.output(f"{name}.{part}", of_part, its_unit, description, min=min, max=max, nominal=nominal)
            return
        if not isinstance(name, str) or not OUTPUT_NAME.match(name):
            raise ModelError(f"output name {shown(name)} must be an identifier, or identifiers joined by dots")
        if name in RESERVED:
            raise ModelError(f"output name {name!r} is reserved: choose another")
        self._not_taken(name, "output")
        vector = is_list(value)
        if vector and len(value) == 0:
            raise ModelError(f"output {name!r} has no numbers: give one, or several such as mbs.position(body)")
        items = (
            numbers(value, len(value), f"output {name!r}") if vector else Vector([number(value, f"output {name!r}")])
        )
        self._known_in(items, f"output {name!r}")
        unit = known_unit(unit, f"output {name!r}")
        limits = signal_range(min, max, nominal, unit, f"output {name!r}")
        told = text(description, f"description of output {name!r}")
        self.outputs[name] = Output(name, items, vector, unit, told, limits)
        self.version += 1

    def event(self, name: str, expression: Any, direction: int = 0, stop: bool = False) -> None:
        """A zero crossing to be found: `simulate` returns its times as `result.events[name]`.

        expression: a number of the motion, as for outputs. direction: +1 rising, -1 falling, 0 both.
        stop: end the run there. A zero from which the run starts is no event.
        """
        self._new_name(name, "event")
        if not isinstance(direction, (int, np.integer)) or direction not in (-1, 0, 1):
            raise ModelError(
                f"direction of event {name!r} is {shown(direction)}: use 1 (rising), -1 (falling) or 0 (both)"
            )
        ends = truth(stop, f"stop of event {name!r}", ModelError)
        value = number(expression, f"event {name!r}")
        self._known_in([value], f"event {name!r}")
        if is_literal(value):
            raise ModelError(f"event {name!r} is the constant {value.value:g}, which never changes sign")
        self.events[name] = Event(name, value, int(direction), ends)
        self.version += 1

    def start(self, body: str | Body, q: Any = None, u: Any = None, guess: bool = False) -> None:
        """Start values of a body's joint: coordinates `q` and joint velocities `u`; zero (or rest) otherwise.

        Ball joint: q a quaternion, w first, u the angular velocity in body axes. Free joint: q = (position,
        quaternion), u = (v, w) in body axes. Quaternions are normalised. `guess=True` marks the values as free
        for assembly.

        Raises ModelError for numbers that are not as many as the joint has, and for those that a drive gives.
        """
        name = self.known_body(body, "start value")
        joint = self.bodies[name].joint
        entry = replace(self.starts.get(name, Start()))
        if q is not None:
            entry.q = start_numbers(q, [unit for _, unit in joint.coordinates], f"start q of body {name!r}")
            for k in joint.quaternions:
                norm = math.sqrt(sum(x * x for x in entry.q[k : k + 4]))
                if norm < 1e-6:
                    raise ModelError(f"start q of body {name!r}: the quaternion {entry.q[k : k + 4]} has no direction")
                entry.q = tuple(x / norm if k <= i < k + 4 else x for i, x in enumerate(entry.q))
        if u is not None:
            entry.u = start_numbers(u, [unit for _, unit in joint.rates], f"start u of body {name!r}")
        entry.guess = guess
        for drive in self.drives.values():
            if drive.body == name:
                check_start(drive, joint, entry)
        self.starts[name] = entry
        self.value_version += 1


def _parts(value: Wrench | Twist | Pose) -> list[tuple[str, Any, str | None]]:
    """Names, values and units of what becomes several outputs."""
    if isinstance(value, Wrench):
        return [("f", value.f, "N"), ("t", value.t, "N.m")]
    if isinstance(value, Twist):
        return [("v", value.v, "m/s"), ("w", value.w, "rad/s")]
    return [("position", value.position, "m"), ("orientation", value.rotation, None)]
