"""Curves over time as inline SVG, drawn in milliseconds without a plotting package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

WIDTH, HEIGHT = 560, 130  #: size of the area of one plot, pixels
LEFT, TOP, STEP = 90, 24, 190  #: margins for tick labels and for the title, distance between plots, pixels
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2")


def svg(time: np.ndarray, axes: Sequence[tuple[str, Mapping[str, np.ndarray]]]) -> str:
    """Return an SVG picture of plots below each other.

    `time` has the shape (n,), s. `axes` contains for each plot its title and its curves by name, each of shape (n,).
    """
    parts = [_axes(number, time, title, curves) for number, (title, curves) in enumerate(axes)]
    size = f'width="{LEFT + WIDTH + 130}" height="{STEP * len(parts)}"'
    return f'<svg {size} font-family="sans-serif" font-size="11">{"".join(parts)}</svg>'


def _axes(number: int, time: np.ndarray, title: str, curves: Mapping[str, np.ndarray]) -> str:
    """Return the SVG group of one plot: frame, ends of both scales, curves, and their names if there are several."""
    good = np.concatenate([values[np.isfinite(values)] for values in curves.values()])
    low, high = (float(np.min(good)), float(np.max(good))) if len(good) else (0.0, 0.0)
    texts = [
        _text(0, -8, title), _text(-6, 10, f"{high:.6g}", "end"), _text(-6, HEIGHT, f"{low:.6g}", "end"),
        _text(0, HEIGHT + 14, f"{time[0]:g}"), _text(WIDTH, HEIGHT + 14, f"{time[-1]:g} s", "end"),
    ]  # fmt: skip
    lines = []
    for k, (name, values) in enumerate(curves.items()):
        color = COLORS[k % len(COLORS)]
        lines.append(f'<polyline points="{_points(values, low, high)}" fill="none" stroke="{color}"/>')
        if len(curves) > 1:
            texts.append(_text(WIDTH + 8, 12 + 14 * k, name, color=color))
    frame = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>'
    inside = "".join([frame, *lines, *texts])
    return f'<g id="axes_{number + 1}" transform="translate({LEFT},{TOP + STEP * number})">{inside}</g>'


def _text(x: float, y: float, text: str, anchor: str = "start", color: str = "#000") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{escape(text)}</text>'


def _points(values: np.ndarray, low: float, high: float) -> str:
    """Return the least and the largest finite value within each pixel's interval of time."""
    good = np.flatnonzero(np.isfinite(values))
    if not len(good):
        return ""
    firsts = np.unique(np.linspace(0, len(good), min(WIDTH, len(good)), endpoint=False).astype(int))
    ends = [choose.reduceat(values[good], firsts) for choose in (np.minimum, np.maximum)]
    with np.errstate(over="ignore", invalid="ignore"):  # differences of the largest doubles overflow
        heights = [np.nan_to_num((end - low) / (high - low)) if high > low else np.full(len(end), 0.5) for end in ends]
    x = WIDTH * good[firsts] / max(len(values) - 1, 1)
    falling = np.append(values[good][firsts][1:] < values[good][firsts][:-1], False)
    pairs = np.where(falling, heights[::-1], heights).T
    points = [(a, HEIGHT * (1.0 - b)) for a, pair in zip(x, pairs, strict=True) for b in pair]
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in dict.fromkeys(points))
