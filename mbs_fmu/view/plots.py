"""Plots of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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


def panels(count: int, title: str) -> list[Any]:
    """Return axes below each other on a new figure."""
    figure = new_figure(width=8, height=1.2 + 1.6 * count)
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


def draw(axis: Any, time: np.ndarray, values: np.ndarray, labels: Sequence[str], held: bool) -> None:
    """Draw one or several columns in one plot; in steps if they are `held` between two instants."""
    for label, column in zip(labels, values.reshape(len(time), -1).T, strict=True):
        axis.plot(time, column, drawstyle="steps-post" if held else "default", label=label)
