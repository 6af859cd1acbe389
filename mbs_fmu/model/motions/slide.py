"""Translation along an axis."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression
from ...symbolic.spatial import FrameChange, Translation
from .motion import Axis, DegreeOfFreedom, Inertia, Motion, MotionContext


@dataclass(frozen=True)
class Slide(Motion):
    """A translation along `axis` of the intermediate frame, in m."""

    axis: Axis
    name = "slide"
    glyph = "slide"
    units = ("m",)

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [Translation(context.along(context.q[0]))]

    def columns(self, context: MotionContext) -> list[Column]:
        return [context.linear(context.axis)]

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [mass]

    missing_inertia = "mass"

    @property
    def degrees_of_freedom(self) -> tuple[DegreeOfFreedom, ...]:
        return (DegreeOfFreedom(False, self.axis),)
