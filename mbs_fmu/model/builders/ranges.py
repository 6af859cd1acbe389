"""Method of `Model` for ranges of joint coordinates."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ..checks import finite_number
from ..data import ModelData
from ..forces.places import scalar_joint
from ..items import Range
from .argument_types import BodyOrName


def range(
    model: ModelData,
    on: BodyOrName,
    lower: float | str | None = None,
    upper: float | str | None = None,
    coordinate: int | None = None,
) -> None:
    """Declare the intended range of a joint coordinate: lower and upper bound, rad or m, one or both.

    coordinate: number of the coordinate, from 1, if the joint has several. A range is information only: it exerts no
    force and rejects no start value; stops are `limit`. In FMUs it becomes the variable's min and max, unless the start
    value is outside, which FMI does not allow. A new range replaces the last one; without bounds it is removed.

    Raises ModelError for an unknown body, ball and free joints, and a lower bound above the upper one.
    """
    body, k = scalar_joint(model, on, coordinate, "range", "range")
    suffix, unit = model.bodies[body].joint.coordinates[k]
    name = f"{body}.{suffix}"
    low, high = (
        None if value is None else finite_number(value, f"{what} of range of {name!r}", unit)
        for value, what in ((lower, "lower"), (upper, "upper"))
    )
    if low is not None and high is not None and low > high:
        raise ModelError(f"range of {name!r}: lower {low!r} lies above upper {high!r}")
    ranges = {**model.ranges, name: Range(low, high)}
    if low is None and high is None:
        del ranges[name]
    model.ranges = ranges
    model.value_version += 1
