"""Cross-sections of tyres: where an inclined wheel touches its road, (T7), (T8) and (T20) of docs/vehicles.md."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ONE, ZERO, Expression
from ...symbolic.vectors import Vector


class Touch(NamedTuple):
    """Contact of a wheel with the plane of its road.

    arm: from the wheel's centre to the contact point, m. loaded: loaded radius of the upright wheel with the same
    deflection, m. lean: cosine of the angle between the spring and the normal. drop: by which inclination decreases the
    rolling radius, m.
    """

    arm: Vector
    loaded: Expression
    lean: Expression
    drop: Expression


class CrossSection(ABC):
    """The outline of a tyre across. flat: True if the tread has edges, which touch the road first if it is inclined."""

    flat = False

    @abstractmethod
    def touch(self, down: Vector, normal: Vector, height: Expression, cosine: Expression) -> Touch:
        """Return the contact of a wheel.

        down: unit vector in the wheel's plane towards the road. normal: of the road. height: of the wheel's centre
        above the road along the normal, m. cosine: of the inclination angle.
        """


@dataclass(frozen=True)
class Disc(CrossSection):
    """A thin disc, whose spring acts along the radius."""

    flat = True

    def touch(self, down: Vector, normal: Vector, height: Expression, cosine: Expression) -> Touch:
        loaded = height / cosine
        return Touch(down * loaded, loaded, cosine, ZERO)


@dataclass(frozen=True)
class Crown(CrossSection):
    """A round crown, on which the contact moves sideways; its spring acts along the normal of the road.

    core: radius of the circle of the crown's centre, m. radius: of the crown, m.
    """

    core: Expression
    radius: Expression

    def touch(self, down: Vector, normal: Vector, height: Expression, cosine: Expression) -> Touch:
        arm = down * self.core - normal * (height - self.core * cosine)
        return Touch(arm, height + self.core * (1.0 - cosine), ONE, self.radius * (1.0 - cosine))
