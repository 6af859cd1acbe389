"""`ModelData`: the contents of a model, by name, and how often they have changed.

The words of `Model` are functions of it: each stands with what it is about, and none knows another.
"""

from __future__ import annotations

import keyword
from inspect import isfunction
from typing import TYPE_CHECKING, Any, Self

from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.calls import with_clear_errors
from ..messages.failures import display
from ..messages.names import listed
from ..messages.suggestions import did_you_mean
from ..symbolic.expressions import ZERO, Expression
from .bodies.shapes import Shape
from .checks import NAME, text
from .closures import Closure, Stabilization
from .drives import Drive
from .geometry.vectors import Vector
from .gravity import Gravity, PointGravity, checked_gravity
from .items import (
    WORLD,
    Body,
    Event,
    Follower,
    Force,
    Input,
    Output,
    Parameter,
    Range,
    Rotor,
    Sampled,
    Start,
    State,
)
from .references.leaves import BodyTotal, FrameNumber, JointNumber, ModalNumber, ReactionNumber, TwistRate


@dataclass(eq=False, repr=False, init=False)
class ModelData:
    """The contents of a model, by name; they may be read, and the words of `Model` change them.

    version counts the changes of structure, value_version those of values alone, which a compiled model takes in as
    it is: start values, ranges of coordinates, parameters' defaults, how loops are kept closed.
    """

    name: str
    _description: str
    bodies: dict[str, Body]
    forces: dict[str, Force]
    drives: dict[str, Drive]
    rotors: dict[str, Rotor]
    followers: dict[str, Follower]
    loops: dict[str, Closure]
    stabilization: Stabilization
    parameters: dict[str, Parameter]
    inputs: dict[str, Input]
    states: dict[str, State]
    sampled_signals: dict[str, Sampled]
    outputs: dict[str, Output]
    events: dict[str, Event]
    starts: dict[str, Start]  #: by body
    start_laws: dict[str, Expression]  #: start values that follow from parameters, by their names
    ranges: dict[str, Range]  #: of joint coordinates, by their names
    static_starts: dict[str, bool]  #: elastic bodies whose modes start in equilibrium
    shapes: dict[str, tuple[Shape, ...]]  #: by body, node or world: what they look like, which nothing depends on
    version: int
    value_version: int
    _gravity: Gravity

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -9.81), description: str = ""):
        if not isinstance(name, str) or not NAME.match(name) or keyword.iskeyword(name):
            raise ModelError(f"model name {display(name)} must be an identifier: letters, digits and underscores")
        self.name = name
        self.version = self.value_version = 0
        self.gravity = gravity
        self.description = description
        self.bodies, self.forces, self.drives, self.loops = {}, {}, {}, {}
        self.parameters, self.inputs, self.states, self.outputs, self.events = {}, {}, {}, {}, {}
        self.sampled_signals, self.starts, self.rotors, self.static_starts, self.shapes = {}, {}, {}, {}, {}
        self.start_laws, self.followers, self.ranges, self.stabilization = {}, {}, {}, Stabilization()

    def __init_subclass__(cls, **more: Any) -> None:
        """Words say clearly what they don't take."""
        super().__init_subclass__(**more)
        for name, word in list(vars(cls).items()):
            if isfunction(word) and not name.startswith("_"):
                setattr(cls, name, with_clear_errors(word, f"m.{name}", hidden=1))

    if not TYPE_CHECKING:  # or checkers would take any word for one

        def __getattr__(self, name: str) -> Any:
            words = [word for word in dir(type(self)) if not word.startswith("_")]
            raise AttributeError(f"a model has no {name!r}{'' if name.startswith('_') else did_you_mean(name, words)}")

    def __repr__(self) -> str:
        counts = (
            (len(self.bodies), "body", "bodies"),
            (sum(len(body.joint.coordinates) for body in self.bodies.values()), "coordinate", "coordinates"),
            (len(self.loops), "loop", "loops"),
            (len(self.inputs), "input", "inputs"),
            (len(self.outputs), "output", "outputs"),
        )
        return f"model {self.name!r}: " + ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts)

    def __copy__(self) -> Self:
        """Nothing changes what the rooms hold, so a copy needs rooms of its own only."""
        other = object.__new__(type(self))
        vars(other).update({name: dict(x) if isinstance(x, dict) else x for name, x in vars(self).items()})
        return other

    @property
    def description(self) -> str:
        """One line for FMUs."""
        return self._description

    @description.setter
    def description(self, value: str) -> None:
        self._description = text(value, f"description of model {self.name!r}")
        self.version += 1

    @property
    def gravity(self) -> Gravity:
        """Acceleration in world axes, m/s², or `mbs.PointGravity`; it may be assigned."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = checked_gravity(value, f"gravity of model {self.name!r}")
        self.version += 1

    @property
    def uniform_gravity(self) -> Vector:
        """The part of gravity that is the same everywhere, m/s²: none beside a `PointGravity`."""
        return Vector((ZERO, ZERO, ZERO)) if isinstance(self._gravity, PointGravity) else self._gravity

    @property
    def point_gravity(self) -> PointGravity | None:
        """Gravity, where it is one towards a point."""
        return self._gravity if isinstance(self._gravity, PointGravity) else None

    def known_body(self, body: Any, thing: str) -> str:
        """The name of one of the model's bodies, given as a `Body` or by name; ModelError for any other."""
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
                wrong = f"{name!r} is a sampled signal, whose start is told with it (m.sampled(..., start=))"
            raise ModelError(f"{thing}: {wrong}; bodies of model {self.name!r}: {have}")
        return str(name)

    def known_reference(self, reference: object, thing: str) -> None:
        """ModelError for a measure of what this model doesn't have, as far as it is known by now."""
        if isinstance(reference, (JointNumber, ModalNumber, FrameNumber, TwistRate, BodyTotal)):
            self.known_body(reference.argument or reference.body, thing)
        if isinstance(reference, ReactionNumber):
            self._known_owner(reference, thing)

    def _known_owner(self, reference: ReactionNumber, thing: str) -> None:
        """ModelError where a reaction is neither that of a body nor that of a loop which has one."""
        name = reference.owner
        if isinstance(reference.argument, Body) or name in self.bodies:
            self.known_body(reference.argument or name, thing)
        elif name in self.forces and name not in self.loops:
            raise ModelError(f"{thing}: {name!r} is a force and no closure: use mbs.strength or mbs.applied")
        elif name not in self.loops:
            bodies, loops = (listed(group) for group in (self.bodies, self.loops))
            said = f"unknown body or loop {name!r}{did_you_mean(name, [*self.bodies, *self.loops])}"
            raise ModelError(f"{thing}: {said}; bodies: {bodies}; loops of the model: {loops}")
        elif not self.loops[name].has_wrench:
            raise ModelError(f"{thing}: loop {name!r} is an equation and has no wrench: use mbs.multiplier")
