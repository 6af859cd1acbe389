"""Names in a model: which are possible, which are taken, what they stand for."""

from __future__ import annotations

import re
from typing import Any

from ..errors import ModelError
from .parts import WORLD, Body

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
            raise ModelError(f"{kind} name {name!r} must be an identifier: letters, digits and underscores")
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

    def _known_body(self, body: str | Body, thing: str) -> str:
        name = body.name if isinstance(body, Body) else body
        known = self.bodies.get(name) if isinstance(name, str) else None
        if known is None or isinstance(body, Body) and known is not body:
            have = ", ".join(self.bodies) or "none yet"
            raise ModelError(f"{thing}: unknown body {name!r}; bodies of model {self.name!r}: {have}")
        return name

    def _place(self, body: str | Body, thing: str) -> str:
        return WORLD if body == WORLD else self._known_body(body, thing)
