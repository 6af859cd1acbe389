"""Ropes through eyes of bodies: one tension in all spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, max, min
from ...symbolic.vectors import Vector
from ..bodies.shapes import ConnectingLine
from ..data import ModelData
from ..effects import Action, Check, Effect
from ..geometry.vectors import is_list, no_less_than_zero, number, numbers
from ..items import OnBodies
from ..names import new_name, place
from ..references.naming import A_NAME
from .lines import Span, span
from .places import add_force

ENTRY = 1e-3  #: m, extension up to which the damper of a rope grows


@dataclass(frozen=True, eq=False)
class Eye:
    """A point of a body (m, body axes) through which a rope runs without friction, or at which it is fixed."""

    body: str = field(metadata=A_NAME)
    at: Vector


@dataclass(frozen=True, eq=False)
class Rope(OnBodies):
    """Elastic rope through eyes, which can only pull: T = max(0, k x + c x' min(x / 1 mm, 1)) for x > 0.

    x: sum of all spans minus `length`; x' includes `length_rate`. Spans on one body have a constant length and do no
    work.
    """

    eyes: tuple[Eye, ...]
    length: Expression
    length_rate: Expression
    stiffness: Expression
    damping: Expression

    @property
    def thing(self) -> str:
        return f"rope {self.name!r}"

    @property
    def connecting_lines(self) -> list[ConnectingLine]:
        return [ConnectingLine("rod", a.body, a.at, b.body, b.at) for a, b in self._pairs()]

    def effect(self) -> Effect:
        """Return the tension in every span, the energy of the extension, and the share of the damper."""
        spans, fixed = self._spans(), self._fixed_length()
        x = max(sum((s.distance for s in spans), start=fixed) - self.length, ZERO)
        rate = sum((s.speed for s in spans), start=ZERO) - self.length_rate
        spring = self.stiffness * x
        total = max(spring + self.damping * rate * min(x / ENTRY, 1.0), ZERO)
        return Effect(
            self._drawn(spans, total),
            total,
            0.5 * spring * x,
            dissipates=self._drawn(spans, total - spring),
        )

    def start_checks(self) -> list[Check]:
        """Return the checks that no span has length zero, at which it has no direction."""
        remedy = "move an eye or a start value"
        return [
            (
                s.distance,
                f"{self.thing}: its eyes on {s.a!r} and {s.b!r} coincide, so the span has no direction; {remedy}",
            )
            for s in self._spans()
        ]

    def _spans(self) -> list[Span]:
        """Return the spans between different bodies."""
        return [span(a.body, a.at, b.body, b.at) for a, b in self._pairs()]

    def _pairs(self) -> list[tuple[Eye, Eye]]:
        """Return the ends of each span between different bodies."""
        return [(a, b) for a, b in pairwise(self.eyes) if a.body != b.body]

    def _fixed_length(self) -> Expression:
        """Return the length of all spans on one body, m."""
        return sum(((b.at - a.at).norm() for a, b in pairwise(self.eyes) if a.body == b.body), start=ZERO)

    @staticmethod
    def _drawn(spans: Sequence[Span], tension: Expression) -> Action:
        return Action(tuple(push for s in spans for push in s.pull(tension / s.safe)))


def rope(
    model: ModelData,
    name: str,
    through: Sequence[Any],
    *,
    length: Quantity,
    stiffness: Quantity,
    damping: Quantity = 0.0,
    length_rate: Quantity = 0.0,
) -> None:
    """Add an elastic rope that runs through eyes of bodies, without mass and friction.

    through: two or more pairs (body, point), in their order along the rope; the points in m, body axes; a body may be
    "world", and may occur several times. The rope is fixed at the first and the last point and slides through the
    others, so the tension is the same everywhere; `mbs.strength(name)` is that tension, N.

    length: without tension, m. stiffness: N/m, of the whole rope; damping: N.s/m. With the extension x, the sum of all
    spans minus the length, the tension is stiffness x + damping dx/dt while x > 0, and zero otherwise: it never
    pushes. The damper grows over the first millimetre, so that the tension is continuous. A winch changes the length:
    an expression, with its rate in `length_rate` (m/s); the winch then supplies the power -length_rate times tension.

    Raises ModelError for a name in use, fewer than two points, unknown bodies, a rope all of whose points lie on one
    body, and numbers out of range.
    """
    new_name(model, name, "force")
    thing = f"rope {name!r}"
    if not is_list(through) or len(through) < 2:
        raise ModelError(f'{thing}: through is {display(through)}: give two or more pairs such as ("world", (0, 0, 1))')
    eyes = tuple(_eye(model, point, k, thing) for k, point in enumerate(through, start=1))
    if all(a.body == b.body for a, b in pairwise(eyes)):
        raise ModelError(f"{thing}: all its points lie on {eyes[0].body!r}, so it pulls nothing: give two bodies")
    law = Rope(
        name,
        eyes,
        number(length, f"length of {thing}", "m"),
        number(length_rate, f"length_rate of {thing}", "m/s"),
        no_less_than_zero(stiffness, f"stiffness of {thing}", "N/m", positive=True),
        no_less_than_zero(damping, f"damping of {thing}", "N.s/m"),
    )
    add_force(model, law, thing)


def _eye(model: ModelData, point: Any, k: int, thing: str) -> Eye:
    """Return a checked point of a rope; k counts from 1."""
    if not isinstance(point, (tuple, list)) or len(point) != 2:
        raise ModelError(f"{thing}: point {k} is {display(point)}: give a pair (body, point in m, body axes)")
    return Eye(place(model, point[0], thing), numbers(point[1], 3, f"point {k} of {thing}", "m"))
