"""A rotation about an axis."""

from __future__ import annotations

from ...lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression
from ...symbolic.spatial import FrameChange
from .motion import Axis, Freedom, Here, Inertia, Motion


@dataclass(frozen=True)
class Turn(Motion):
    """A rotation about `axis` of the intermediate frame, in rad."""

    axis: Axis
    name = "turn"
    sines = True
    spins = True
    glyph = "hinge"
    units = ("rad",)

    def frame(self, here: Here) -> list[FrameChange]:
        return [here.turn]

    def columns(self, here: Here) -> list[Column]:
        return [here.angular(here.axis)]

    def resisting(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [inertia[axis][axis]]

    lacking = "inertia about its joint's axis"

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom(True, self.axis),)
