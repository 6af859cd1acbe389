"""Additions of a live page to a model: the pose of each body as an output, a spring from each body to the pointer."""

from __future__ import annotations

import copy
from typing import Any

from ..model.forces.wrenches import gate_force
from ..model.items import WORLD
from ..model.measures.measures import angular_velocity, position, rotation, to_world, velocity
from ..model.model import Model
from ..model.observers import without_observers
from ..record.program import Program
from ..symbolic.vectors import Vector

PREFIX = "live_"  #: of all names that a page adds; underscores are appended until no name of the model begins so
SWING = 12.0  #: rad/s: angular frequency at which the pointer's spring would swing the whole mass of the model


class Additions:
    """A copy of a model with a page's additions.

    Names of the additions have numbers instead of the bodies' names, because names of nodes contain dots. The spring's
    law is part of the model, so that every stage of a method evaluates it: a force that is constant during a frame
    would make stiff springs unstable. It costs time only while a body is pulled.
    """

    def __init__(self, model: Model, pulls: bool):
        """pulls: add the pointer's spring. Raises ModelError for an invalid model."""
        self.model, self.bodies, self.pulls = copy.copy(without_observers(model)), list(model.bodies), pulls
        self.movable = [_moves(model, name) for name in self.bodies] if pulls else [False] * len(self.bodies)
        tables = (model.inputs, model.outputs, model.parameters, model.states, model.forces, model.bodies, model.loops)
        self.prefix = PREFIX
        while any(name.startswith(self.prefix) for table in tables for name in table):
            self.prefix += "_"
        for k, name in enumerate(self.bodies):
            self.model.output(f"{self.prefix}pose_{k}", [*position(name), *rotation(name)])
        if any(self.movable):
            self._add_spring()

    def _add_spring(self) -> None:
        model, prefix = self.model, self.prefix
        to, on = (
            Vector(model.input(f"{prefix}{name}_{x}", unit="m", start=0.0) for x in "xyz") for name in ("to", "on")
        )
        stiffness = model.input(f"{prefix}stiffness", unit="N/m", start=0.0)
        damping = model.input(f"{prefix}damping", unit="N.s/m", start=0.0)
        pulling = model.input(f"{prefix}pulling", start=0.0)  # 1 while a body is pulled
        for k, name in enumerate(self.bodies):
            if self.movable[k]:
                pulled = model.input(f"{prefix}pulled_{k}", start=0.0)
                arm = to_world(name, on)
                speed = velocity(name) + angular_velocity(name).cross(arm)
                force = ((to - position(name) - arm) * stiffness - speed * damping) * (pulled * pulling)
                model.force(f"{prefix}spring_{k}", on=name, force=force, torque=arm.cross(force))
                gate_force(model, f"{prefix}spring_{k}", pulling)

    def is_own(self, name: str) -> bool:
        """True for a name that the page has added."""
        return name.startswith(self.prefix)

    def pose_slots(self, program: Program) -> list[int]:
        """Return where the 12 numbers of each body's pose begin, from the copy's program: position, then rotation."""
        return [program.by_name[f"{self.prefix}pose_{k}[1]"].slot for k in range(len(self.bodies))]

    def data(self, program: Program, mass: float) -> dict[str, Any]:
        """Return the slots of the additions, from the copy's program. mass: of all bodies, kg."""

        def slot(name: str) -> int:
            return program.by_name[self.prefix + name].slot

        poses = self.pose_slots(program)
        if not any(self.movable):
            return {"poses": poses, "grab": None}
        places = {name: slot(name) for name in ("stiffness", "damping", "pulling")}
        grab = {
            **places, "to": slot("to_x"), "on": slot("on_x"), "mass": mass, "swing": SWING,
            "bodies": [slot(f"pulled_{k}") if moves else None for k, moves in enumerate(self.movable)],
        }  # fmt: skip
        return {"poses": poses, "grab": grab}


def _moves(model: Model, name: str) -> bool:
    """True if a body is not welded to the world."""
    while name != WORLD:
        body = model.bodies[name]
        if body.joint.motions or body.attachment is not None:
            return True
        name = body.parent
    return False
