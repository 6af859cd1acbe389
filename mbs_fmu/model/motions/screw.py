"""Rotation about an axis with an advance along it."""

from __future__ import annotations

from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import ZERO, Expression, is_literal
from ...symbolic.spatial import FrameChange, Translation
from .motion import Axis, DegreeOfFreedom, Inertia, Motion, MotionContext


@dataclass(frozen=True)
class Screw(Motion):
    """A rotation about `axis` of the intermediate frame, in rad, that advances by `pitch` (m/rad) along it."""

    axis: Axis
    pitch: Expression = field(compare=False)
    name = "screw"
    sines = True
    alone = True
    glyph = "hinge"
    units = ("rad",)

    @property
    def constants(self) -> tuple[Expression, ...]:
        return (self.pitch,)

    def frame(self, context: MotionContext) -> list[FrameChange]:
        pitch = context.constant(0)
        return [context.turn, Translation(context.along(pitch * context.q[0]))]

    def columns(self, context: MotionContext) -> list[Column]:
        return [context.column(context.along(context.constant(0)), context.along(ZERO + 1.0), rate=None)]

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [mass, inertia[axis][axis]]

    missing_inertia = "inertia about its joint's axis"

    @property
    def degrees_of_freedom(self) -> tuple[DegreeOfFreedom, ...]:
        return (DegreeOfFreedom(True, self.axis, None if is_literal(self.pitch, 0.0) else self.pitch),)
