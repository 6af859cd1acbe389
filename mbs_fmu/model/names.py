"""Names in a model: which are possible, which are taken, what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..errors import ModelError
from ..expressions import Expression
from ..graph import topological
from ..messages import shown
from .loops import Equations
from .parts import WORLD, Body
from .references import BodyTotal, FrameNumber, JointNumber, ReactionNumber, TwistRate

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
OUTPUT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
RESERVED = (WORLD, "time")


class Names:
    """The named things of a model, and the checks of names that all its words share."""

    name: str
    bodies: dict[str, Body]
    forces: dict[str, Any]
    drives: dict[str, Any]
    loops: dict[str, Any]
    parameters: dict[str, Any]
    inputs: dict[str, Any]
    states: dict[str, Any]
    outputs: dict[str, Any]
    events: dict[str, Any]
    version: int

    def _new_name(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not NAME.match(name):
            raise ModelError(f"{kind} name {shown(name)} must be an identifier: letters, digits and underscores")
        if name in RESERVED:
            raise ModelError(f"{kind} name {name!r} is reserved: choose another")
        self._not_taken(name, kind)

    def _not_taken(self, name: str, kind: str) -> None:
        signals = {"parameter": self.parameters, "input": self.inputs, "state": self.states, "output": self.outputs}
        signals["event"] = self.events
        mechanical = {"body": self.bodies, "loop": self.loops}
        groups: dict[str, Any] = {
            "body": mechanical,
            "loop": mechanical,
            "force": {"force": self.forces, "drive": self.drives},
        }
        for other, group in groups.get(kind, signals).items():
            if name in group:
                article = "an" if other[0] in "aeiou" else "a"
                raise ModelError(
                    f"{kind} name {name!r} is taken by {article} {other} of model {self.name!r}: choose another"
                )

    def known_body(self, body: Any, thing: str) -> str:
        """The name of one of the model's bodies, told by itself or by name; ModelError for any other."""
        name = body.name if isinstance(body, Body) else body
        known = self.bodies.get(name) if isinstance(name, str) else None
        if isinstance(body, Body) and known is not body:
            raise ModelError(f"{thing}: body {name!r} belongs to another model: give one of model {self.name!r}")
        if known is None:
            have = ", ".join(self.bodies) or "none yet"
            wrong = (
                f"{WORLD!r} does not move" if isinstance(name, str) and name == WORLD else f"unknown body {shown(name)}"
            )
            raise ModelError(f"{thing}: {wrong}; bodies of model {self.name!r}: {have}")
        return str(name)

    def known_reference(self, reference: object, thing: str) -> None:
        """ModelError for a measure of what this model doesn't have, as far as it is known by now."""
        if isinstance(reference, (JointNumber, FrameNumber, TwistRate, BodyTotal)):
            self.known_body(reference.told or reference.body, thing)
        if isinstance(reference, ReactionNumber):
            self._known_owner(reference, thing)

    def _known_owner(self, reference: ReactionNumber, thing: str) -> None:
        name = reference.owner
        if isinstance(reference.told, Body) or name in self.bodies:
            self.known_body(reference.told or name, thing)
        elif name not in self.loops:
            bodies, loops = (", ".join(group) or "none" for group in (self.bodies, self.loops))
            raise ModelError(f"{thing}: unknown body or loop {name!r}; bodies: {bodies}; loops of the model: {loops}")
        elif isinstance(self.loops[name], Equations):
            raise ModelError(f"{thing}: loop {name!r} is an equation and has no wrench: use mbs.multiplier")

    def _known_in(self, expressions: Iterable[Expression], thing: str) -> None:
        """ModelError for a measure of what this model doesn't have.

        A controller may come before its mechanism: while there are no bodies, compiling looks the names up.
        """
        if not self.bodies:
            return
        for node in topological(expressions):
            if node.op == "leaf":
                self.known_reference(node.value, thing)

    def _place(self, body: str | Body, thing: str) -> str:
        return WORLD if isinstance(body, str) and body == WORLD else self.known_body(body, thing)
