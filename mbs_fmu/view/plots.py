"""Plots of results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.disk.files import file_path
from ..infrastructure.errors import ModelError
from ..infrastructure.messages.extras import install
from ..infrastructure.messages.failures import display


def new_figure(width: float, height: float) -> Any:
    """Return a matplotlib figure that is independent of the backend. Raises ModelError without matplotlib."""
    try:
        from .picture import Picture
    except ImportError:
        raise ModelError(f"pictures need matplotlib: {install('plot')}") from None
    return Picture(figsize=(width, height), layout="constrained")


def written(figure: Any, path: str | Path | None) -> Any:
    """Return the figure, after it is written to the path if one is given. Raises OSError."""
    if path is not None:
        file_path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    return figure


def panels(count: int, title: str, height: float) -> list[Any]:
    """Return axes below each other on a new figure. height: of each one, inches."""
    figure = new_figure(width=8, height=1.2 + height * count)
    figure.suptitle(title)
    return list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])


def axes_for(ax: Any, count: int) -> list[Any]:
    """Return one of the user's axes for each of `count` plots. Raises ModelError if there are too few."""
    axes = list(np.ravel(np.asarray(ax, dtype=object)))
    if not all(hasattr(x, "plot") and hasattr(x, "figure") for x in axes):
        raise ModelError(f"ax is {display(ax)}: give axes of matplotlib, such as those of plt.subplots()")
    if len(axes) == 1:
        return axes * count
    if len(axes) < count:
        raise ModelError(f"ax has {len(axes)} axes for {count} columns: give one for all, or one for each")
    return axes[:count]


def draw(axis: Any, across: np.ndarray, values: np.ndarray, labels: Sequence[str], held: bool) -> None:
    """Draw one or several columns in one plot; in steps if they are `held` between two instants."""
    for label, column in zip(labels, values.reshape(len(across), -1).T, strict=True):
        axis.plot(across, column, drawstyle="steps-post" if held else "default", label=label)


def begin(axis: Any, across: np.ndarray, values: np.ndarray) -> None:
    """Mark the first row of each of the lines that `draw` has just added."""
    columns = values.reshape(len(across), -1).T
    for line, column in zip(axis.lines[-len(columns) :], columns, strict=True):
        axis.plot(across[:1], column[:1], "o", color=line.get_color(), markersize=5)
