"""Reference line of an OpenCRG file: integrated from headings and slopes, with the check of its end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ....infrastructure.errors import ModelError
from ....infrastructure.lazy_dataclasses import dataclass
from .axes import FURTHEST, start_and_end
from .header import Header
from .keys import OPTIONS
from .records import Records

GAP = 0.01  #: largest distance of the stated end from the integrated one, relative to the length
STEEPEST = 1.0  #: slope and banking, as in OpenCRG's own checks
LARGEST_ANGLE = 1e4  #: rad


@dataclass(frozen=True, eq=False)
class Line:
    """Reference line.

    step: distance of the rows along u, m. u, x, y, z: m; banking: slope across, each (n). phi: rad, heading of the
    segments, (n - 1).
    """

    step: float
    u: np.ndarray
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    banking: np.ndarray
    phi: np.ndarray

    def rows(self, first: int, last: int) -> Line:
        """Return the part of rows first to last - 1."""
        part = slice(first, last)
        cut = {name: getattr(self, name)[part] for name in ("u", "x", "y", "z", "banking")}
        return replace(self, **cut, phi=self.phi[first : last - 1])

    def moved(self, turn: float, centre: tuple[float, float], shift: tuple[float, float, float]) -> Line:
        """Return the line turned about a point of the plane, then moved."""
        c, s = math.cos(turn), math.sin(turn)
        dx, dy = self.x - centre[0], self.y - centre[1]
        x, y = centre[0] + c * dx - s * dy + shift[0], centre[1] + s * dx + c * dy + shift[1]
        return replace(self, x=x, y=y, z=self.z + shift[2], phi=self.phi + turn)


def integrated(start: float, steps: np.ndarray) -> np.ndarray:
    """Return the sums of steps that begin at a value."""
    return start + np.concatenate([[0.0], np.cumsum(steps)])


def read_line(header: Header, records: Records, u: np.ndarray, step: float) -> Line:
    """Return the reference line of a file. u: m, of its rows; step: their distance, m.

    phi and slope are those of the segment that ends at a row; their first values are unused. The line is integrated
    from its start. If the file states the end, the gap to it is spread evenly over the line, which is the change of
    the segments with the least squares.

    Raises ModelError for channels with holes, values out of range, and gaps beyond 1 % of the length.
    """
    names = list(header.columns)
    found = records.rows(0, len(u), [header.columns[name] for name in names])
    channels = dict(zip(names, found.T, strict=True))
    for name, values in channels.items():
        _check(header, records, name, values)
    x, y, phi = _plane(header, channels, len(u), step)
    slope = channels["slope"][1:] if "slope" in channels else np.full(len(u) - 1, _constant(header, "S", "slope"))
    z0, z1 = start_and_end(header, "Z")
    z = integrated(z0, step * slope)
    if z1 is not None:
        _note_gap(header, abs(z1 - z[-1]), "Z", step * (len(u) - 1))
        z = z + np.linspace(0.0, z1 - z[-1], len(u)) if "slope" in channels else z
    banking = channels.get("banking", np.full(len(u), _constant(header, "B", "banking")))
    return Line(step, u, x, y, z, banking, phi)


def _check(header: Header, records: Records, name: str, values: np.ndarray) -> None:
    """Raise ModelError for a channel of the reference line with holes or values out of range."""
    used = slice(1, None) if name in ("phi", "slope") else slice(None)
    most = {"phi": LARGEST_ANGLE, "x": FURTHEST, "y": FURTHEST}.get(name, STEEPEST)
    for row in np.flatnonzero(~(np.abs(values[used]) <= most))[:1] + (used.start or 0):
        where = records.where(int(row), header.columns[name])
        given = "missing" if math.isnan(values[row]) else f"{values[row]:g}"
        raise ModelError(
            f"{where}: {name} of row {row + 1} is {given}: give numbers within -{most:g} and {most:g} in all rows"
        )


def _plane(
    header: Header, channels: dict[str, np.ndarray], count: int, step: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x and y of the line, m, and the headings of its segments, rad."""
    if ("x" in channels) != ("y" in channels):
        raise ModelError(f"{header.path} has one of the channels 'reference line x' and 'y': give both or none")
    if "x" in channels and "phi" not in channels:
        x, y = channels["x"], channels["y"]
        return x, y, np.unwrap(np.arctan2(np.diff(y), np.diff(x)))
    if "x" in channels:
        header.notes.append("channels x and y of the reference line have no effect: phi gives the line")
    phi = channels["phi"][1:] if "phi" in channels else np.full(count - 1, _constant(header, "PHI", "phi"))
    (x0, x1), (y0, y1) = start_and_end(header, "X"), start_and_end(header, "Y")
    x, y = integrated(x0, step * np.cos(phi)), integrated(y0, step * np.sin(phi))
    if x1 is not None and y1 is not None:
        _note_gap(header, math.hypot(x1 - x[-1], y1 - y[-1]), "X", step * (count - 1))
        if "phi" in channels:
            x, y = x + np.linspace(0.0, x1 - x[-1], count), y + np.linspace(0.0, y1 - y[-1], count)
    return x, y, phi


def _constant(header: Header, name: str, channel: str) -> float:
    """Return the start value of a quantity without a channel."""
    start, end = start_and_end(header, name)
    if end is not None and abs(end - start) > 1e-6:
        header.notes.append(
            f"the file has no channel {channel}: its end value {end:g} has no effect, {start:g} applies"
        )
    entry = header.entry(f"REFERENCE_LINE_START_{name}")
    if entry is not None and abs(start) > (LARGEST_ANGLE if name == "PHI" else STEEPEST):
        raise ModelError(f"{entry.where}: {channel} of the reference line is {start:g}: correct it")
    return start


def _note_gap(header: Header, gap: float, name: str, length: float) -> None:
    """Note a gap beyond the file's tolerance. Raises ModelError for a gap beyond 1 % of the length."""
    most = max(header.get("CHECK_EPS", 1e-6, OPTIONS) * length, header.get("CHECK_TOL", 1e-4, OPTIONS))
    entry = header.entry(f"REFERENCE_LINE_END_{name}")
    text = f"the integrated reference line ends {gap:.3g} m beside the end that REFERENCE_LINE_END_{name} states"
    if not gap <= max(GAP * length, most) and entry is not None:
        raise ModelError(f"{entry.where}: {text}: correct or remove it")
    if gap > most:
        header.notes.append(text)
