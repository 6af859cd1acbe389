"""Pictures of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ModelError
from ...messages.extras import install


def new_figure(width: float, height: float) -> Any:
    """A matplotlib figure of its own, whatever backend is in use; ModelError without matplotlib."""
    try:
        from .picture import Picture
    except ImportError:
        raise ModelError(f"pictures need matplotlib: {install('plot')}") from None
    return Picture(figsize=(width, height), layout="constrained")


def panels(count: int, title: str) -> list[Any]:
    """Axes below each other, on a figure of their own."""
    figure = new_figure(width=8, height=1.2 + 1.6 * count)
    figure.suptitle(title)
    return list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])


def axes_for(ax: Any, count: int) -> list[Any]:
    """One of the axes that the user gives for each of so many columns; ModelError where they are too few."""
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) == 1:
        return given * count
    if len(given) < count:
        raise ModelError(f"ax has {len(given)} axes for {count} columns: give one for all, or one for each")
    return given[:count]


def draw(axis: Any, time: np.ndarray, values: np.ndarray, labels: Sequence[str], held: bool) -> None:
    """A column, or several side by side, with steps where they are `held` between two instants."""
    for label, column in zip(labels, values.reshape(len(time), -1).T, strict=True):
        axis.plot(time, column, drawstyle="steps-post" if held else "default", label=label)
