"""Places on roads, for outputs and laws: those of wheels and of other bodies."""

from __future__ import annotations

from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, leaf
from ..geometry.poses import Placement, Pose, placed
from ..geometry.vectors import Vector
from ..items import WORLD, BodyOrName
from ..references.leaves import ContactNumber
from .measures import relative_position

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Along:
    """A place on a road (`mbs.along`).

    u, v: along the reference line of the road and to its left, m; x and y on a road without one. heading: angle of the
    wheel or body relative to that line, rad, positive to the left.
    """

    u: Expression
    v: Expression
    heading: Expression


def along(road: Any, body: BodyOrName | None = None, on: BodyOrName = WORLD, at: Placement = ORIGIN) -> Along:
    """Return the place of a wheel on the road of its tyre, or that of a body on a road, for drivers.

    road: the name of a tyre, or a road with a body. The heading is that of the wheel, or of the body's x axis. on, at:
    body of the road, and its position there (m, body axes) or a `Pose`, as those of `m.tyre`; for bodies only. The
    place of a body, its origin, on a curved reference line is the nearest one at every instant: where a course crosses
    itself, it may jump from one branch to another; that of a wheel follows its branch. An output of it becomes name.u,
    name.v (m) and name.heading (rad).

    Raises ModelError for anything but a name or a road; the model that uses it checks names.
    """
    if body is None:
        if not isinstance(road, str):
            raise ModelError(f"{display(road)} is not the name of a tyre: give one, or a road and a body")
        return Along(*(leaf(ContactNumber("along", road, 0, k)) for k in range(3)))
    if not all(callable(getattr(road, needed, None)) for needed in ("place", "chart")):
        raise ModelError(
            f"{display(road)} is not a road: give mbs.CurvedGrid, mbs.HeightField, mbs.Profile or mbs.Plane"
        )
    position, rotation = placed(at, "at of a road")
    inner, turned = road.place()
    frame = Pose(position + Vector(Vector(row).dot(inner) for row in rotation), rotation @ turned)
    x, y, _ = relative_position(on, body, frame)
    ahead_x, ahead_y, _ = relative_position(on, body, frame, (1.0, 0.0, 0.0))
    chart = road.chart(x, y)
    return Along(chart.a, chart.b, chart.heading(ahead_x - x, ahead_y - y))


__all__ = ["along"]
