"""`ModelData`: the contents of a model by name, and counters of their changes.

The builder methods of `Model` are functions of it, in modules by subject that do not depend on each other.
"""

from __future__ import annotations

import keyword
from inspect import isfunction
from typing import TYPE_CHECKING, Any, Self

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import FACE, FUNCTION, did_you_mean
from ..symbolic.expressions import ZERO, Expression
from .bodies.shapes import Shape
from .checks import NAME, text
from .closures import Closure, Stabilization
from .drives import Drive
from .geometry.vectors import Vector
from .gravity import Gravity, GravityValue, PointGravity, checked_gravity
from .items import (
    WORLD,
    Body,
    Event,
    Follower,
    Force,
    ForeignFmu,
    Input,
    Output,
    Parameter,
    ParameterArray,
    Range,
    Rotor,
    Sampled,
    Start,
    State,
    Terminal,
)
from .on_bodies import OnBodies
from .references.leaves import BodyTotal, FrameNumber, JointNumber, ModalNumber, ReactionNumber, TwistRate
from .tree_text import model_text

PACKAGE = __name__.partition(".")[0] + "."
ON_BODIES = ("drives", "rotors", "followers")  #: tables of items, each of which acts on one body


@dataclass(eq=False, repr=False, init=False)
class ModelData:
    """The contents of a model, by name; they may be read, and the builder methods of `Model` change them.

    version counts changes of structure. value_version counts changes of values, which need no new compilation: start
    values, ranges of coordinates, defaults of parameters, stabilization.
    """

    name: str
    _description: str
    bodies: dict[str, Body]
    forces: dict[str, Force]
    drives: OnBodies[Drive]
    rotors: OnBodies[Rotor]
    followers: OnBodies[Follower]
    loops: dict[str, Closure]
    stabilization: Stabilization
    parameters: dict[str, Parameter]  #: also the elements of arrays
    arrays: dict[str, ParameterArray]
    inputs: dict[str, Input]
    states: dict[str, State]
    sampled_signals: dict[str, Sampled]
    outputs: dict[str, Output]
    events: dict[str, Event]
    terminals: dict[str, Terminal]
    fmus: dict[str, ForeignFmu]  #: that run beside the model
    starts: dict[str, Start]  #: by body
    start_laws: dict[str, Expression]  #: start values that depend on parameters, by name
    ranges: dict[str, Range]  #: of joint coordinates, by name
    static_starts: dict[str, bool]  #: elastic bodies whose modes start in equilibrium
    shapes: dict[str, tuple[Shape, ...]]  #: for pictures only, by body, node or world
    version: int
    value_version: int
    _gravity: Gravity

    def __init__(self, name: str, gravity: GravityValue = (0.0, 0.0, -9.81), description: str = ""):
        if not isinstance(name, str) or not NAME.match(name) or keyword.iskeyword(name):
            raise ModelError(f"model name {display(name)} must be an identifier: letters, digits and underscores")
        self.name = name
        self.version = self.value_version = 0
        self.gravity = gravity
        self.description = description
        self.drives, self.rotors, self.followers = OnBodies(), OnBodies(), OnBodies()
        self.bodies, self.forces, self.loops = {}, {}, {}
        self.parameters, self.inputs, self.states, self.outputs, self.events = {}, {}, {}, {}, {}
        self.arrays, self.sampled_signals, self.starts, self.static_starts, self.shapes = {}, {}, {}, {}, {}
        self.start_laws, self.ranges, self.stabilization = {}, {}, Stabilization()
        self.terminals, self.fmus = {}, {}

    def __init_subclass__(cls, **more: Any) -> None:
        """Give the builder methods clear messages for wrong arguments."""
        super().__init_subclass__(**more)
        for name, method in list(vars(cls).items()):
            if isfunction(method) and not name.startswith("_"):
                setattr(cls, name, with_clear_errors(method, f"m.{name}", hidden=1))

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __setattr__(self, name: str, value: Any) -> None:
            """Assign an attribute; tables of items on bodies find those of a body, whichever dictionary is given.

            Raises AttributeError for one that models do not have, which would have no effect. Classes that users derive
            may have attributes of their own.
            """
            is_known = name in ModelData.__dataclass_fields__ or hasattr(type(self), name)
            if not is_known and type(self).__module__.startswith(PACKAGE):
                getattr(self, name)
            object.__setattr__(self, name, OnBodies(value) if name in ON_BODIES and type(value) is dict else value)

        def __getattr__(self, name: str) -> Any:
            own = [known for known in dir(type(self)) if not known.startswith("_")]
            hint = "" if name.startswith("_") else did_you_mean(name, own, {FUNCTION: FACE[FUNCTION]})
            raise AttributeError(f"a model has no {name!r}{hint}")

    def __repr__(self) -> str:
        """Return the model's counts and its tree of bodies and closures; long lists end after ten."""
        return model_text(self)

    def __copy__(self) -> Self:
        """Return a copy with dictionaries of its own; their values are immutable and shared."""
        other = object.__new__(type(self))
        own = vars(other)
        own |= vars(self)
        for name, x in own.items():
            if isinstance(x, dict):
                own[name] = x.copy() if type(x) is dict else type(x)(x)
        return other

    @property
    def description(self) -> str:
        """One line of text for FMUs."""
        return self._description

    @description.setter
    def description(self, value: str) -> None:
        self._description = text(value, f"description of model {self.name!r}")
        self.version += 1

    @property
    def gravity(self) -> Gravity:
        """Gravitational acceleration in world axes, m/s², or a `PointGravity`; it may be assigned."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: GravityValue) -> None:
        self._gravity = checked_gravity(value, f"gravity of model {self.name!r}")
        self.version += 1

    @property
    def elements(self) -> dict[str, list[str]]:
        """Names of the elements of all array parameters, by the names of the arrays."""
        return {array.name: array.names for array in self.arrays.values()}

    @property
    def uniform_gravity(self) -> Vector:
        """Uniform part of gravity, m/s²; zero with a `PointGravity`."""
        return Vector((ZERO, ZERO, ZERO)) if isinstance(self._gravity, PointGravity) else self._gravity

    @property
    def point_gravity(self) -> PointGravity | None:
        """Gravity towards a point, or None if gravity is uniform."""
        return self._gravity if isinstance(self._gravity, PointGravity) else None

    def known_body(self, body: Any, thing: str) -> str:
        """Return the name of one of the model's bodies, passed as a `Body` or by name. Raises ModelError for others."""
        name = body.name if isinstance(body, Body) else body
        known = self.bodies.get(name) if isinstance(name, str) else None
        if isinstance(body, Body) and known is not body:
            raise ModelError(f"{thing}: body {name!r} belongs to another model: give one of model {self.name!r}")
        if known is None:
            have = listed(self.bodies, "none yet")
            wrong = f"unknown body {display(name)}{did_you_mean(name, self.bodies)}"
            if isinstance(name, str) and name == WORLD:
                wrong = f"{WORLD!r} does not move"
            elif isinstance(name, str) and name in self.sampled_signals:
                wrong = f"{name!r} is a sampled signal, whose start value is an argument: m.sampled(..., start=)"
            raise ModelError(f"{thing}: {wrong}; bodies of model {self.name!r}: {have}")
        return str(name)

    def known_reference(self, reference: object, thing: str) -> None:
        """Raise ModelError if a reference is to a body, loop or force that the model does not have."""
        if isinstance(reference, (JointNumber, ModalNumber, FrameNumber, TwistRate, BodyTotal)):
            self.known_body(reference.argument or reference.body, thing)
        if isinstance(reference, ReactionNumber):
            self._known_owner(reference, thing)

    def _known_owner(self, reference: ReactionNumber, thing: str) -> None:
        """Raise ModelError unless a reaction is that of a body, or of a loop that has a wrench."""
        name = reference.owner
        if isinstance(reference.argument, Body) or name in self.bodies:
            self.known_body(reference.argument or name, thing)
        elif name in self.forces and name not in self.loops:
            raise ModelError(f"{thing}: {name!r} is a force and no closure: use mbs.strength or mbs.applied")
        elif name not in self.loops:
            bodies, loops = (listed(group) for group in (self.bodies, self.loops))
            unknown = f"unknown body or loop {name!r}{did_you_mean(name, [*self.bodies, *self.loops])}"
            raise ModelError(f"{thing}: {unknown}; bodies: {bodies}; loops of the model: {loops}")
        elif not self.loops[name].has_wrench:
            raise ModelError(f"{thing}: loop {name!r} is an equation and has no wrench: use mbs.multiplier")
