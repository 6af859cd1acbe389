"""`Result.plot`: columns of a result over time, or over another column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.messages.failures import display
from ...view.plots import axes_for, begin, draw, panels
from .named import Named

FLAT, HIGH = 1.6, 4.4  #: heights of a plot over time and of one over a column, inches


def plot(
    result: Named, names: Sequence[str | Sequence[str]], x: str, y: str | Sequence[str] | None, ax: Any
) -> Any:  # fmt: skip
    """Draw groups of columns below each other over column `x`, and return the figure. See `Result.plot`."""
    groups = _groups(result, names, x, y)
    across, own = _across(result, x), ax is None
    path = x != "time"
    axes = panels(len(groups), result.name, HIGH if path else FLAT) if own else axes_for(ax, len(groups))
    common = len(groups) > 1 and axes[0] is axes[-1]
    for axis, group in zip(axes, groups, strict=True):
        for name in group:
            shared, parts = common or len(group) > 1, result.parts(name)
            values, held = result.named(name), not path and all(part in result.held for part in parts)
            draw(axis, across, values, [_title(result, name)] if parts == [name] else parts, held)
            if path:
                begin(axis, across, values)
            if shared or len(parts) > 1:
                axis.legend()
            if not shared:
                axis.set_ylabel(_title(result, name).replace(" (", "\n("))
            axis.grid(alpha=0.3)
    if own and path and len(groups) == 1 and {result.unit(name) for name in [x, *groups[0]]} == {"m"}:
        axes[0].set_aspect("equal", adjustable="datalim")  # a path in space keeps its shape
    axes[-1].set_xlabel(_title(result, x))
    return axes[0].figure


def _groups(
    result: Named, names: Sequence[str | Sequence[str]], x: str, y: str | Sequence[str] | None
) -> list[list[str]]:
    """Return the columns of each pair of axes; without names, all outputs except x, else all columns except x."""
    if y is not None:
        if names:
            raise ArgumentError(f"plot has the names {display(list(names))} and y={display(y)}: give one of them")
        names = (y,)
    columns = [name for name in result.columns if name not in ("time", x)]
    names = names or [name for name in columns if "." not in name] or columns
    if not names:
        raise ModelError(f"result of {result.name!r} has no columns but {x}: give the model outputs")
    for name in names:
        if not isinstance(name, str | list | tuple):
            raise ArgumentError(f"plot of {display(name)}: give names of columns, and lists of those to draw together")
    groups = [[name] if isinstance(name, str) else list(name) for name in names]
    for group in groups:
        if not group:
            raise ArgumentError("plot of an empty list: give names of columns")
    return groups


def _across(result: Named, x: str) -> np.ndarray:
    """Return the column on the horizontal axis. Raises ArgumentError for a vector, KeyError for an unknown name."""
    parts = result.parts(x)
    if parts != [x]:
        raise ArgumentError(f"x is the vector {display(x)}: give one of its components, such as {parts[0]!r}")
    return result.named(x)


def _title(result: Named, name: str) -> str:
    unit = result.unit(name) or ("s" if name == "time" else "")
    return f"{name} ({unit})" if unit else name
