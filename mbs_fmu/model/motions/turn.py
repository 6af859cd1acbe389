"""Rotation about an axis."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression
from ...symbolic.spatial import FrameChange
from .motion import Axis, DegreeOfFreedom, Inertia, Motion, MotionContext


@dataclass(frozen=True)
class Turn(Motion):
    """A rotation about `axis` of the intermediate frame, in rad."""

    axis: Axis
    name = "turn"
    sines = True
    spins = True
    glyph = "hinge"
    units = ("rad",)

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [context.turn]

    def columns(self, context: MotionContext) -> list[Column]:
        return [context.angular(context.axis)]

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [inertia[axis][axis]]

    missing_inertia = "inertia about its joint's axis"

    @property
    def degrees_of_freedom(self) -> tuple[DegreeOfFreedom, ...]:
        return (DegreeOfFreedom(True, self.axis),)
