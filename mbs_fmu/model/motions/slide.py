"""A translation along an axis."""

from __future__ import annotations

from ...lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression
from ...symbolic.spatial import FrameChange, Translation
from .motion import Axis, Freedom, Here, Inertia, Motion


@dataclass(frozen=True)
class Slide(Motion):
    """A translation along `axis` of the intermediate frame, in m."""

    axis: Axis
    name = "slide"
    glyph = "slide"
    units = ("m",)

    def frame(self, here: Here) -> list[FrameChange]:
        return [Translation(here.along(here.q[0]))]

    def columns(self, here: Here) -> list[Column]:
        return [here.linear(here.axis)]

    def resisting(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [mass]

    lacking = "mass"

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom(False, self.axis),)
