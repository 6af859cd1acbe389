"""The word of a model for ranges of joint coordinates, and what start values they leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from .checks import check_range, finite_number
from .forces.places import scalar_joint
from .parts import Body, Range
from .told import Told


def range(
    model: Told, on: str | Body, lower: Any = None, upper: Any = None, coordinate: int | None = None
) -> None:  # fmt: skip
    """Between which bounds a joint coordinate is meant to be (rad or m; one or both).

    A range informs, it pushes nothing: stops are `limit`. FMUs say it as min and max. Start values outside are refused,
    in runs too; a coordinate without one starts at the place in its range that is nearest to zero. The last range of a
    coordinate counts; without bounds there is none.

    Raises ModelError for an unknown body, ball and free joints, bounds that leave nothing, and a start value outside.
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
    start = model.starts.get(body)
    if start is not None and start.q is not None:
        check_within(ranges, [name], start.q[k : k + 1])
    model.ranges = ranges
    model.value_version += 1


def check_within(ranges: dict[str, Range], names: Sequence[str], numbers: Sequence[float]) -> None:
    """ModelError for a start value of a coordinate, by its name, outside of its range."""
    for name, value in zip(names, numbers, strict=True):
        own = ranges.get(name, Range())
        check_range(value, own.low, own.high, "start value", name)


def nearest(told: Range, value: float) -> float:
    """The number in a range that is nearest to a value."""
    least = value if told.low is None else max(told.low, value)
    return least if told.high is None else min(told.high, least)
