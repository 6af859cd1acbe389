"""Traces: the paths of points of bodies, with more points than the page has frames where they turn fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display
from ..model.data import ModelData
from ..model.geometry.vectors import is_list, number_array
from ..model.items import Body
from .page import numbers
from .poses import Rows, poses
from .twists import coordinate_rates, twists

COLORS = ("#d6336c", "#1c7ed6", "#2b8a3e", "#e67700", "#7048e8")
TURN = np.radians(5.0)  #: angle by which a path turns between two of its points: 72 for a circle
MOST_POINTS = 10_000  #: of a trace, apart from those at the page's frames; a longer path has larger angles
MOST_ROWS = 20_000  #: of a result, from which a path is computed
STILL = 1e-6  #: steps below this, relative to the extent of the path, are rounding errors and have no direction

Traces = Sequence[tuple[str | Body, Any]]


def traced_points(model: ModelData, traces: Traces) -> list[dict[str, Any]]:
    """Return the points of bodies whose paths are drawn: body, point and color. Raises ModelError."""
    entries: list[dict[str, Any]] = []
    for k, trace in enumerate(traces):
        if not is_list(trace) or len(trace) != 2:
            raise ArgumentError(f'traces has {display(trace)}: give pairs of a body and a point, ("arm", (0, 0, -0.3))')
        body, point = trace
        name = model.known_body(body, f"trace {k + 1}")
        at = number_array(point, f"point of trace {k + 1}")
        if at.shape != (3,) or not np.isfinite(at).all():
            raise ArgumentError(f"point of trace {k + 1} is {display(point)}: give three numbers, m, in body axes")
        entries.append({"body": name, "point": at.tolist(), "color": COLORS[k % len(COLORS)]})
    return entries


def trace_paths(
    model: ModelData, rows: Rows, shown: np.ndarray, traced: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return times and points of each path, as the page's data. shown: indices of the rows that are frames."""
    paths = [path(model, rows, shown, trace["body"], np.array(trace["point"])) for trace in traced]
    return [
        {"color": trace["color"], "times": numbers(times, "<f8"), "points": numbers(points)}
        for trace, (times, points) in zip(traced, paths, strict=True)
    ]


def path(model: ModelData, rows: Rows, shown: np.ndarray, body: str, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times (n), s, and places (n, 3), m, in world axes, of a point of a body.

    rows: all rows of a result. shown: indices of rows that the path contains. at: the point, m, in body axes. Between
    these rows the path has those after which it has turned by TURN. Between two rows with a larger turn, coordinates
    are interpolated by cubic polynomials (Hermite) from their values and rates, if the result has the velocities.
    """
    spread = np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(int)
    chosen = np.union1d(shown, spread)
    rows, is_shown = rows[chosen], np.isin(chosen, shown)
    points = poses(model, rows, [body])[body].points(at)
    try:
        rates = coordinate_rates(model, rows)
    except KeyError:  # the result has no velocities
        turned = _turning(points)
        return _selected(rows.time, points, is_shown, turned, _angle(turned))
    spin = np.linalg.norm(twists(model, rows, [body])[body].w, axis=1)
    turned = np.fmax(_turning(points), np.diff(rows.time) * np.fmax(spin[1:], spin[:-1]))
    angle = _angle(turned)
    pieces = np.where(np.diff(rows.time) > 0.0, np.maximum(np.ceil(turned / angle), 1), 1).astype(int)
    between = _interpolated(rows, rates, pieces)
    times, places = _selected(rows.time, points, is_shown, turned, angle)
    times = np.concatenate([times, between.time])
    order = np.argsort(times, kind="stable")
    return times[order], np.concatenate([places, poses(model, between, [body])[body].points(at)])[order]


def _turning(points: np.ndarray) -> np.ndarray:
    """Return the angle by which a polyline (n, 3) turns on each of its steps, (n - 1), rad: half of it at each end."""
    steps = np.diff(points, axis=0)
    length = np.linalg.norm(steps, axis=1)
    moves = length > STILL * np.ptp(points, axis=0).max(initial=0.0)
    ways = steps[moves] / length[moves, None]
    bends = np.arctan2(
        np.linalg.norm(np.cross(ways[:-1], ways[1:]), axis=1), np.einsum("ij,ij->i", ways[:-1], ways[1:])
    )
    turned = np.zeros(len(steps))
    turned[moves] = 0.5 * (np.append(bends, 0.0) + np.append(0.0, bends)) if len(ways) else 0.0
    return turned


def _angle(turned: np.ndarray) -> float:
    """Return the angle between two points of a path, such that it has at most MOST_POINTS of them."""
    return max(float(TURN), float(turned.sum()) / MOST_POINTS)


def _selected(
    time: np.ndarray, points: np.ndarray, is_shown: np.ndarray, turned: np.ndarray, angle: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return times and points of the rows that are shown, and of those in which the path has turned by the angle."""
    count = np.floor(np.append(0.0, np.cumsum(turned)) / angle)
    kept = is_shown | (np.diff(count, prepend=0.0) > 0.0)
    return time[kept], points[kept]


def _interpolated(rows: Rows, rates: Mapping[str, np.ndarray], pieces: np.ndarray) -> Rows:
    """Return the rows within those steps of time that are divided into more than one of some equal pieces."""
    k = np.repeat(np.arange(len(pieces)), pieces - 1)
    first = np.cumsum(pieces - 1) - (pieces - 1)
    s = (np.arange(len(k)) - first[k] + 1.0) / pieces[k]
    span = np.diff(rows.time)[k]

    def between(column: np.ndarray, rate: np.ndarray) -> np.ndarray:
        values = (1.0 + 2.0 * s) * (1.0 - s) ** 2 * column[k] + s**2 * (3.0 - 2.0 * s) * column[k + 1]
        return np.asarray(values + span * s * (1.0 - s) * ((1.0 - s) * rate[k] - s * rate[k + 1]))

    return Rows({name: between(rows.columns[name], rate) for name, rate in rates.items()}, rows.parameters)
