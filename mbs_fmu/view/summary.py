"""A result in a notebook: a table of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

MOST = 60  #: largest number of columns in the table; further ones are omitted
HEAD = ("column", "unit", "first", "last", "min", "max", "over time")
WIDTH, HEIGHT = 120, 20  #: of a column's picture, in pixels


def html_table(title: str, columns: Mapping[str, np.ndarray], units: Mapping[str, str | None]) -> str:
    """Return a table of columns with unit, first and last value, smallest and largest, and a small picture."""
    head = "".join(f"<th>{name}</th>" for name in HEAD)
    shown = list(columns.items())[:MOST]
    rows = "".join(f"<tr>{_cells(name, units.get(name), values)}</tr>" for name, values in shown)
    left = len(columns) - len(shown)
    more = f"<p>and {left} more</p>" if left else ""
    return f"<div><p>{escape(title)}</p><table><tr>{head}</tr>{rows}</table>{more}</div>"


def html_notes(notes: Sequence[str]) -> str:
    """Return a paragraph for each note of a run."""
    return "".join(f"<p>note: {escape(note)}</p>" for note in notes)


def _cells(name: str, unit: str | None, values: np.ndarray) -> str:
    numbers = [values[0], values[-1], np.min(values), np.max(values)] if len(values) else []
    texts = [f"{x:.6g}" for x in numbers] or ["", "", "", ""]
    left = f'<td style="text-align:left">{escape(name)}</td><td style="text-align:left">{escape(unit or "")}</td>'
    return left + "".join(f"<td>{text}</td>" for text in texts) + f"<td>{_picture(values)}</td>"


def _picture(values: np.ndarray) -> str:
    """Return a picture of a column: its smallest and largest value in each of WIDTH parts of the time."""
    good = values[np.isfinite(values)]
    if not len(good):
        return ""
    starts = np.unique(np.linspace(0, len(good), min(WIDTH, len(good)), endpoint=False).astype(int))
    ends = np.minimum.reduceat(good, starts), np.maximum.reduceat(good, starts)
    low, high = np.min(good), np.max(good)
    with np.errstate(over="ignore", invalid="ignore"):  # for the largest numbers
        heights = (np.stack(ends, axis=-1) - low) / (high - low) if high > low else np.full((len(starts), 2), 0.5)
    heights = 1.0 + (HEIGHT - 2.0) * (1.0 - np.nan_to_num(heights))
    x = np.linspace(0.0, WIDTH, len(starts))
    points = " ".join(f"{a:.1f},{b:.1f}" for a, pair in zip(x, heights, strict=True) for b in pair)
    line = f'<polyline points="{points}" fill="none" stroke="currentColor"/>'
    return f'<svg width="{WIDTH}" height="{HEIGHT}">{line}</svg>'
