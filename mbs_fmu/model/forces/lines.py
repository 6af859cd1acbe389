"""Forces along the line between points of two bodies: what springs, pulls and ropes share."""

from __future__ import annotations

from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression, max
from ...symbolic.vectors import Vector
from ..effects import NONE, TINY, Action, Check, Push
from ..geometry.anchors import point_position, point_velocity
from ..items import OnBodies
from ..references.naming import A_NAME


@dataclass(frozen=True, eq=False)
class Span:
    """The straight line from a point of body a to one of body b (m, body axes), in world axes.

    line: the vector, m. distance: its length. safe: the length, and a tiny one in place of zero. speed: rate of the
    length, m/s.
    """

    a: str
    at_a: Vector
    b: str
    at_b: Vector
    line: Vector
    distance: Expression
    safe: Expression
    speed: Expression

    def pull(self, per_metre: Expression) -> tuple[Push, Push]:
        """Return the forces that draw both points together: `per_metre` (N/m) times the line."""
        force = self.line * per_metre
        return Push(self.a, self.at_a, force, NONE), Push(self.b, self.at_b, -force, NONE)


def span(a: str, at_a: Vector, b: str, at_b: Vector) -> Span:
    """Return the line between two points."""
    line = point_position(b, at_b) - point_position(a, at_a)
    distance = line.norm()
    safe = max(distance, as_expression(TINY))
    speed = line.dot(point_velocity(b, at_b) - point_velocity(a, at_a)) / safe
    return Span(a, at_a, b, at_b, line, distance, safe, speed)


@dataclass(frozen=True, eq=False)
class AlongLine(OnBodies):
    """A force along the line between point `at_a` of body a and point `at_b` of body b (m, body axes)."""

    a: str = field(metadata=A_NAME)
    at_a: Vector
    b: str = field(metadata=A_NAME)
    at_b: Vector

    def span(self) -> Span:
        """Return the line from a's point to b's."""
        return span(self.a, self.at_a, self.b, self.at_b)

    @staticmethod
    def drawn(span: Span, tension: Expression) -> Action:
        """Return the action of a tension (N), which draws the ends together."""
        return Action(span.pull(tension / span.safe))

    def ends_apart(self, remedy: str) -> Check:
        """Return the check that the points differ, without which the force has no direction."""
        message = f"{self.thing}: its ends coincide, so it has no direction; {remedy}"
        return self.span().distance, message
