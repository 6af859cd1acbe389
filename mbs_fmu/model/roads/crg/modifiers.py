"""Modifiers and options of OpenCRG files: scales, holes, places of the road, smoothing at its ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ....infrastructure.errors import ModelError
from .axes import FURTHEST
from .header import Header
from .keys import MODIFIERS, OFFSETS, OPTIONS, OTHER_PROGRAMS, REFERENCE_POINT
from .line import Line, integrated

KEEP, ZERO, LAST = 0, 1, 2  #: GRID_NAN_MODE
MODES = {0: "none", 1: "zero", 2: "keep", 3: "repeat", 4: "reflect"}  #: of borders
KEPT = 2  #: that of `CurvedGrid`
HIGHEST = 1e5  #: m, of heights
LARGEST_SCALE = 1e6


class Modifiers:
    """Modifiers of a file, checked. Raises ModelError for values out of range."""

    def __init__(self, header: Header):
        self.header = header
        self.z, self.slope, self.banking, self.length, self.width, self.curvature = map(
            self._scale, ("Z_GRID", "SLOPE", "BANKING", "LENGTH", "WIDTH", "CURVATURE")
        )
        self.mode = int(self._choice("GRID_NAN_MODE", (KEEP, ZERO, LAST), LAST, MODIFIERS))
        if MODIFIERS in header.values and header.entry("GRID_NAN_MODE", MODIFIERS) is None:
            self.mode = LAST if header.entry("GRID_NAN_OFFSET", MODIFIERS) is not None else KEEP
        self.offset = self.get("GRID_NAN_OFFSET", 0.0)
        if self.offset and self.mode == KEEP:
            header.notes.append("GRID_NAN_OFFSET has no effect with GRID_NAN_MODE = 0")
            self.offset = 0.0

    def get(self, key: str, default: float) -> float:
        """Return a modifier. Raises ModelError for values that no road has."""
        entry = self.header.entry(key, MODIFIERS)
        if entry is not None and abs(entry.value) > FURTHEST:
            raise ModelError(f"{entry.where}: {key} is {entry.value:g}: give a value below {FURTHEST:g}")
        return self.header.get(key, default, MODIFIERS)

    def has(self, keys: frozenset[str]) -> bool:
        """Return True if the file has one of the modifiers."""
        return bool(keys & set(self.header.values.get(MODIFIERS, {})))

    def _scale(self, name: str) -> float:
        key = f"SCALE_{name}"
        value, entry = self.get(key, 1.0), self.header.entry(key, MODIFIERS)
        positive = name in ("LENGTH", "WIDTH")
        if entry is not None and (abs(value) > LARGEST_SCALE or (positive and not value > 1.0 / LARGEST_SCALE)):
            raise ModelError(
                f"{entry.where}: {key} is {value:g}: give a {'positive ' if positive else ''}factor, such as 0.5"
            )
        return value

    def _choice(self, key: str, allowed: tuple[int, ...], default: int, section: str) -> float:
        return _choice(self.header, key, allowed, default, section)

    def scaled(self, line: Line) -> Line:
        """Return the line with scaled slope, banking, length and curvature, in this order."""
        x0, y0, z0, u0 = (a[0] for a in (line.x, line.y, line.z, line.u))
        length = self.length
        x, y = x0 + length * (line.x - x0), y0 + length * (line.y - y0)
        z = z0 + self.slope * length * (line.z - z0)
        u = u0 + length * (line.u - u0)
        line = replace(line, step=length * line.step, u=u, x=x, y=y, z=z, banking=self.banking * line.banking)
        if self.curvature == 1.0:
            return line
        phi = np.unwrap(line.phi)
        phi = phi[0] + self.curvature * (phi - phi[0])
        x, y = integrated(x0, line.step * np.cos(phi)), integrated(y0, line.step * np.sin(phi))
        return replace(line, x=x, y=y, phi=phi)

    def filled(self, heights: np.ndarray, v: np.ndarray, row: Callable[[int], str]) -> int:
        """Replace the holes of scaled heights, (rows, v), m, in place, and return their number.

        Holes at a border take the last height of the row, those between heights are interpolated. row: text of a row
        for messages. Raises ModelError for a row without heights.
        """
        holes = np.isnan(heights)
        count = int(holes.sum())
        if self.mode == ZERO:
            heights[holes] = self.offset
            return count
        for k in np.flatnonzero(holes.any(axis=1)):
            bad = holes[k]
            good = np.flatnonzero(~bad)
            if not len(good):
                raise ModelError(
                    f"{row(int(k))} has no height: give some, or GRID_NAN_MODE = 1 in $ROAD_CRG_MODS for 0"
                )
            heights[k, bad] = np.interp(v[bad], v[good], heights[k, good])
            heights[k, : good[0]] += self.offset
            heights[k, good[-1] + 1 :] += self.offset
        return count

    def placed(self, line: Line, v: np.ndarray, rows: Callable[[int, int], np.ndarray]) -> Line:
        """Return the line at the place that the modifiers state. rows: function that returns heights of the grid, m."""
        if self.has(REFERENCE_POINT):
            if self.has(OFFSETS):
                self.header.notes.append("REFLINE_OFFSET_* have no effect beside REFPOINT_*")
            return self._at_point(line, v, rows)
        if not self.has(OFFSETS):
            return line
        centre = self.get("REFLINE_ROTCENTER_X", float(line.x[0])), self.get("REFLINE_ROTCENTER_Y", float(line.y[0]))
        turn, *shift = (self.get(f"REFLINE_OFFSET_{axis}", 0.0) for axis in ("PHI", "X", "Y", "Z"))
        return line.moved(turn, centre, (shift[0], shift[1], shift[2]))

    def _at_point(self, line: Line, v: np.ndarray, rows: Callable[[int, int], np.ndarray]) -> Line:
        """Return the line with the reference point at its target."""
        u1 = self._coordinate("U", float(line.u[0]), float(line.u[-1]), float(line.u[0]))
        v1 = self._coordinate("V", float(v[0]), float(v[-1]), 0.0)
        place = (u1 - line.u[0]) / line.step
        k = int(min(max(math.floor(place), 0), len(line.u) - 2))
        part = place - k
        x, y = _offset_point(line, k, part, v1)
        inside = min(max(part, 0.0), 1.0)
        weights = np.array([1.0 - inside, inside])
        vc = min(max(v1, float(v[0])), float(v[-1]))
        pair = rows(k, k + 2) + line.z[k : k + 2, None] + np.outer(line.banking[k : k + 2], v)
        z = float(weights @ [np.interp(vc, v, row) for row in pair])
        z = float(smoothed(self.header, line, np.array([u1]), np.array([[z]]))[0, 0])
        turn = self.get("REFPOINT_PHI", 0.0) - float(line.phi[k])
        c, s = math.cos(turn), math.sin(turn)
        target = self.get("REFPOINT_X", 0.0) - (c * x - s * y), self.get("REFPOINT_Y", 0.0) - (s * x + c * y)
        return line.moved(turn, (0.0, 0.0), (*target, self.get("REFPOINT_Z", 0.0) - z))

    def _coordinate(self, name: str, first: float, last: float, default: float) -> float:
        """Return u or v of the reference point, m."""
        whole, part = f"REFPOINT_{name}", f"REFPOINT_{name}_FRACTION"
        both = self.header.entry(whole, MODIFIERS), self.header.entry(part, MODIFIERS)
        if both[0] is not None and both[1] is not None:
            raise ModelError(f"{both[0].where}: the file has both {whole} and {part}: keep one")
        if both[1] is not None:
            default = first + both[1].value * (last - first)
        value = self.get(whole, default) + self.get(f"{whole}_OFFSET", 0.0)
        if abs(value) > FURTHEST:
            raise ModelError(f"{self.header.path}: {whole} is {value:g} m: give a place on the road")
        return value


def _offset_point(line: Line, k: int, part: float, v: float) -> tuple[float, float]:
    """Return the point at distance v from the line in segment k: on the line between the bisectors of its ends."""
    last = len(line.u) - 1

    def direction(i: int, j: int) -> np.ndarray:
        along = np.array([line.x[j] - line.x[i], line.y[j] - line.y[i]])
        return np.asarray(along / np.linalg.norm(along))

    own = direction(k, k + 1)

    def corner(i: int) -> np.ndarray:
        along = direction(max(i - 1, 0), min(i + 1, last)) if 0.0 <= part <= 1.0 else own
        normal = np.array([-along[1], along[0]]) / (along @ own)
        return np.asarray(np.array([line.x[i], line.y[i]]) + v * normal)

    x, y = (1.0 - part) * corner(k) + part * corner(k + 1)
    return float(x), float(y)


def smoothed(header: Header, line: Line, u: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Return heights, (rows, v), m, that leave the reference line's start and end linearly within BORDER_SMOOTH_*."""
    for key, end, z in (("UBEG", 0, line.z[0]), ("UEND", -1, line.z[-1])):
        entry = header.entry(f"BORDER_SMOOTH_{key}", OPTIONS)
        if entry is not None and entry.value < 0.0:
            raise ModelError(f"{entry.where}: BORDER_SMOOTH_{key} is {entry.value:g} m: give a length of 0 or more")
        if entry is not None and entry.value > 0.0:
            factor = np.clip(np.abs(u - line.u[end]) / entry.value, 0.0, 1.0)
            heights = z + factor[:, None] * (heights - z)
    return heights


def _choice(header: Header, key: str, allowed: tuple[int, ...], default: int, section: str) -> int:
    value, entry = header.get(key, default, section), header.entry(key, section)
    if value not in allowed and entry is not None:
        raise ModelError(f"{entry.where}: {key} is {value:g}: use {', '.join(map(str, allowed))}")
    return int(value)


def note_options(header: Header) -> None:
    """Note the options that have no effect on a road. Raises ModelError for values that OpenCRG does not have."""
    given = header.values.get(OPTIONS, {})
    for axis, borders in (("U", "ends"), ("V", "sides")):
        mode = _choice(header, f"BORDER_MODE_{axis}", tuple(MODES), 2, OPTIONS)
        values = {f"BORDER_MODE_{axis} = {mode} ({MODES[mode]})": f"BORDER_MODE_{axis}" in given and mode != KEPT}
        values[f"BORDER_OFFSET_{axis}"] = header.get(f"BORDER_OFFSET_{axis}", 0.0, OPTIONS) != 0.0
        for text in (text for text, stated in values.items() if stated):
            header.notes.append(f"{text} has no effect: beyond its {borders} a road keeps its height")
    if _choice(header, "REFLINE_CONTINUATION", (0, 1), 0, OPTIONS):
        header.notes.append("REFLINE_CONTINUATION = 1 (closed track) has no effect: the road ends at its last row")
    others = [key for key in given if key in OTHER_PROGRAMS]
    if others:
        header.notes.append(f"{', '.join(others)}: options of other programs without effect")
