"""The word of a model for ranges of joint coordinates."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from ..checks import finite_number
from ..data import ModelData
from ..forces.places import scalar_joint
from ..items import Body, Range


def range(
    model: ModelData, on: str | Body, lower: Any = None, upper: Any = None, coordinate: int | None = None
) -> None:  # fmt: skip
    """Between which bounds a joint coordinate is meant to be (rad or m; one or both).

    A range informs, it pushes nothing and refuses no start: stops are `limit`. In FMUs it is the variable's min and
    max, unless the coordinate starts outside, which FMI does not allow. The last range of a coordinate counts; without
    bounds there is none.

    Raises ModelError for an unknown body, ball and free joints, and bounds that leave nothing.
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
