"""What a leaf of a user's expression may refer to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Signal:
    """A named parameter, input, signal state, or time: kind "parameter", "input", "state" or "time"."""

    kind: str
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class JointNumber:
    """A body's k-th coordinate ("coordinate") or joint velocity ("rate"), k from 0."""

    kind: str
    body: str
    k: int

    def __str__(self) -> str:
        return f"{self.kind}({self.body}, {self.k + 1})"


@dataclass(frozen=True)
class FrameNumber:
    """A number of a body frame: entry k of its "rotation" (body to world, row by row), "origin" (world
    axes) or "twist" (v, w in body axes)."""

    kind: str
    body: str
    k: int

    def __str__(self) -> str:
        return f"{self.kind}({self.body})[{self.k}]"


@dataclass(frozen=True)
class MechanicalEnergy:
    """Kinetic energy, gravity's potential energy and the energy in springs."""

    def __str__(self) -> str:
        return "energy"
