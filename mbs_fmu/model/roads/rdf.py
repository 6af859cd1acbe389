"""Road data files (.rdf) of Adams, MotionView and others: roads whose height varies along one axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..property_files import PropertyFile, PropertyFormat, read_property_file
from .polygons import MOST, STEP, refined, separated

TABLE = "XZ_DATA"  #: sub-block of x and the heights of the left and the right track
LENGTHS = (
    "OFFSET", "HEIGHT", "DEPTH", "START", "END", "LENGTH", "BEVEL_EDGE_LENGTH",
    *(f"{name}{place}" for name in ("AMPLITUDE", "WAVE_LENGTH") for place in ("", "_AT_START", "_AT_END")),
)  # fmt: skip
ANGLES = ("DIRECTION", "ROTATION_ANGLE_XY_PLANE")
RDF = PropertyFormat(
    "road",
    dimensions={**{key: {"LENGTH": 1} for key in LENGTHS}, **{key: {"ANGLE": 1} for key in ANGLES}},
    tables={TABLE: ("x", "height of the left track", "height of the right track")},
    sections=("MDI_HEADER", "UNITS", "MODEL", "PARAMETERS"),
)
COLUMNS = {"left": 1, "right": 2}  #: columns of XZ_DATA
HEADER = ("FILE_TYPE", "FILE_VERSION", "FILE_FORMAT", "PROPERTY_FILE_FORMAT", "FUNCTION_NAME", "METHOD", "ROAD_TYPE")
LARGEST, LEAST = 1e7, 1e-6  #: largest number, smallest length, m
PAD = 10.0  #: m of plane road on both sides of an obstacle, and the most of straight ends
WAVES = 1000  #: waves of a sine without LENGTH
PER_WAVE = 32  #: points of a wave, between which a spline deviates by 2e-6 of the amplitude
ARC = 16  #: segments of a rounded edge

Line = tuple[np.ndarray, np.ndarray]  #: x and heights of points, m


class RoadData(NamedTuple):
    """Points of a profile, m, the factor of friction, and what of the file has no effect."""

    x: np.ndarray
    heights: np.ndarray
    mu: float
    notes: list[str]


def read_rdf(path: str | Path, side: str) -> RoadData:
    """Return the road of a file, in SI units.

    side: "left" or "right", the column of XZ_DATA. Raises ModelError for a file that cannot be read, a road of another
    type, numbers that are missing or impossible, and an oblique obstacle, whose height varies across the road too.
    """
    if not isinstance(side, str) or side.lower() not in COLUMNS:
        raise ModelError(f"side of a road data file is {display(side)}: give 'left' or 'right'")
    file = read_property_file(path, RDF)
    parameters = _Parameters(file)
    name = file.texts.get("ROAD_TYPE")
    known = f"the types that are read are {', '.join(TYPES)}"
    if name is None:
        raise ModelError(f"{file.path} has no ROAD_TYPE, as three-dimensional roads have none: {known}")
    method = file.texts.get("METHOD", "2D")
    if "3D" in method.upper():
        raise ModelError(
            f"{file.at('METHOD')}: METHOD is {method!r}, of a three-dimensional road: {known}, all of '2D'"
        )
    shape = TYPES.get(ALIASES.get(name.lower(), name.lower()))
    if shape is None:
        more = ", and mbs.Profile.rough gives rough roads" if "stochastic" in name.lower() else ""
        raise ModelError(f"{file.at('ROAD_TYPE')}: ROAD_TYPE is {name!r}: {known}{more}")
    x, heights = shape(parameters, side.lower())
    mu = parameters.number("MU", 1.0)
    if mu < 0.0:
        raise ModelError(f"{file.at('MU')}: MU is {mu:g}: give the factor of friction, 0 or more")
    return RoadData(x, heights + parameters.number("OFFSET", 0.0), mu, parameters.notes())


class _Parameters:
    """Numbers of a file by key; those that are read have an effect."""

    def __init__(self, file: PropertyFile):
        self.file = file
        self.used = set(HEADER)
        self.cut: list[str] = []  # notes on numbers of which a part has an effect

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number, by default that given. Raises ModelError if the file has none and there is no default."""
        self.used.add(key)
        if key in self.file.texts:
            raise ModelError(f"{self.file.at(key)}: {key} is {self.file.texts[key]!r}: give a number")
        found = self.file.numbers.get(key, default)
        if found is None:
            kind = self.file.texts["ROAD_TYPE"]
            raise ModelError(f"{self.file.path} has no {key}, which a road of ROAD_TYPE {kind!r} needs: add it")
        if abs(found) > LARGEST:
            raise self.wrong(key, f"give a number up to {LARGEST:g}, or other [UNITS]")
        return found

    def positive(self, key: str) -> float:
        """Return a length of at least LEAST. Raises ModelError for a shorter one."""
        found = self.number(key)
        if found < LEAST:
            raise self.wrong(key, f"give a positive length, at least {LEAST:g} m")
        return found

    def wrong(self, key: str, remedy: str) -> ModelError:
        """Return the error about a number of the file."""
        return ModelError(f"{self.file.at(key)}: {key} is {self.file.numbers[key]:g} in SI units: {remedy}")

    def notes(self) -> list[str]:
        """Return a note for each key without effect."""
        turned = self.file.numbers.get("ROTATION_ANGLE_XY_PLANE", 0.0)
        self.used.add("ROTATION_ANGLE_XY_PLANE")
        notes = [*self.file.notes, *self.cut]
        notes += [f"{key} has no effect" for key in sorted({*self.file.numbers, *self.file.texts} - self.used)]
        if turned:
            notes.append(
                f"ROTATION_ANGLE_XY_PLANE, {math.degrees(turned):g} degrees, has no effect: at= places the road"
            )
        return notes


def _flat(p: _Parameters, side: str) -> Line:
    return np.array([0.0, PAD]), np.zeros(2)


def _poly_line(p: _Parameters, side: str) -> Line:
    rows = np.array(p.file.tables.get(TABLE, ()))
    if len(rows) < 2:
        raise ModelError(f"{p.file.path}: ({TABLE}) has {len(rows)} rows: give two or more, x, left and right height")
    x, heights = rows[:, 0] * p.file.units["LENGTH"], rows[:, COLUMNS[side]] * p.file.units["LENGTH"]
    if not (np.abs(np.append(x, heights)) <= LARGEST).all():
        raise ModelError(f"{p.file.path}: a number of ({TABLE}) exceeds {LARGEST:g} m: correct it, or [UNITS]")
    keep = np.append(True, (np.diff(x) != 0.0) | (np.diff(heights) != 0.0))
    x, heights = x[keep], heights[keep]
    steps = np.diff(x)
    bad = np.flatnonzero((steps < 0.0) | np.append(False, (steps[1:] == 0.0) & (steps[:-1] == 0.0)))
    if len(bad) or len(x) < 2:
        k = int(np.flatnonzero(keep)[bad[0] + 1]) if len(bad) else len(rows) - 1
        raise ModelError(
            f"{p.file.path}: x of row {k + 1} of ({TABLE}) is {rows[k, 0]:g} after {rows[k - 1, 0]:g}: x must "
            "increase; of a vertical face, give the heights of its foot and of its top"
        )
    return _polygon(separated(x), heights)


def _plank(p: _Parameters, side: str) -> Line:
    height, bevel = p.number("HEIGHT"), p.number("BEVEL_EDGE_LENGTH", 0.0)
    rounded = p.number("EDGE_ROUNDED", 0.0) != 0.0 or bevel < 0.0
    start, length = _crosswise(p)
    if abs(bevel) > abs(height):
        p.cut.append(f"BEVEL_EDGE_LENGTH is {abs(bevel):g} m, more than HEIGHT: edges of {abs(height):g} m apply")
    edge = _rounded(abs(height), abs(bevel)) if rounded else _bevelled(abs(height), bevel)
    if edge[-1][0] > 0.5 * length:
        raise p.wrong("BEVEL_EDGE_LENGTH" if bevel else "LENGTH", "give edges that fit into LENGTH twice")
    return _obstacle(start, length, edge, math.copysign(1.0, height))


def _pot_hole(p: _Parameters, side: str) -> Line:
    depth = p.number("DEPTH")
    start, length = _crosswise(p)
    return _obstacle(start, length, _bevelled(abs(depth), 0.0, length), math.copysign(1.0, -depth))


def _roof(p: _Parameters, side: str) -> Line:
    height = p.number("HEIGHT")
    start, length = _crosswise(p)
    x = np.array([start - PAD, start, start + 0.5 * length, start + length, start + length + PAD])
    return _polygon(x, np.array([0.0, 0.0, height, 0.0, 0.0]))


def _ramp(p: _Parameters, side: str) -> Line:
    height, start, slope = p.number("HEIGHT"), p.number("START"), p.number("SLOPE")
    if slope == 0.0 or slope < 0.0 < height:
        raise p.wrong(
            "SLOPE", "give the slope, 1 for 45 degrees, with the sign of HEIGHT, negative for a ramp that falls"
        )
    end = start + abs(height / slope)
    if not start < end < math.inf:
        raise p.wrong("HEIGHT", "give the height of the ramp, negative for one that falls")
    return _polygon(np.array([start - PAD, start, end, end + PAD]), np.array([0.0, 0.0, height, height]))


def _sine(p: _Parameters, side: str) -> Line:
    amplitude, wave, start = p.number("AMPLITUDE"), p.positive("WAVE_LENGTH"), p.number("START")
    p.used.add("LENGTH")
    length = p.positive("LENGTH") if "LENGTH" in p.file.numbers else WAVES * wave
    if length / wave * PER_WAVE > MOST:
        raise p.wrong("LENGTH", f"it has {length / wave:.3g} waves, give at most {MOST // PER_WAVE}")
    return _wave(start, length, wave, lambda s: amplitude * np.sin(2.0 * math.pi / wave * s))


def _sine_sweep(p: _Parameters, side: str) -> Line:
    start, end, kind = p.number("START"), p.number("END"), p.number("SWEEP_TYPE", 0.0)
    length, (first, last) = end - start, (p.positive(f"WAVE_LENGTH_AT_{place}") for place in ("START", "END"))
    low, high = (p.number(f"AMPLITUDE_AT_{place}") for place in ("START", "END"))
    if length < LEAST:
        raise p.wrong("END", f"give a place behind START, {start:g} m")
    if last > first:
        raise p.wrong("WAVE_LENGTH_AT_END", "the waves must become shorter, not longer")
    if kind not in (0.0, 1.0):
        raise p.wrong("SWEEP_TYPE", "give 0 for a linear frequency, or 1 for a linear wave length")
    if length / last * PER_WAVE > MOST:
        raise p.wrong("WAVE_LENGTH_AT_END", f"END comes after more than {MOST // PER_WAVE} waves, give a longer wave")

    def height(s: np.ndarray) -> np.ndarray:
        share = s / length
        if kind == 0.0 or first == last:
            waves = s / first + (1.0 / last - 1.0 / first) * 0.5 * s * share
        else:  # waves of the length first + (last - first) share
            waves = -length / (first - last) * np.log1p((last / first - 1.0) * share)
        return np.asarray((low + (high - low) * share) * np.sin(2.0 * math.pi * waves))

    return _wave(start, length, last, height)


def _wave(start: float, length: float, shortest: float, law: Callable[[np.ndarray], np.ndarray]) -> Line:
    """Return points of a smooth curve between plane roads; law: height, m, by the distance from its start, m."""
    step, end = shortest / PER_WAVE, start + length
    inside = start + np.arange(1, math.ceil(length / step - 0.5)) * step
    x = np.array([start - PAD, start, *inside, end, end + PAD])

    def height(x: np.ndarray) -> np.ndarray:
        return np.where((x > start) & (x < end), law(np.clip(x - start, 0.0, length)), 0.0)

    points, _ = refined(x, height(x), np.isin(x, (start, end)))
    return points, height(points)


#: by ROAD_TYPE in lower case
TYPES: dict[str, Callable[[_Parameters, str], Line]] = {
    "flat": _flat, "poly_line": _poly_line, "plank": _plank, "pot_hole": _pot_hole, "ramp": _ramp, "roof": _roof,
    "sine": _sine, "sine_sweep": _sine_sweep,
}  # fmt: skip
ALIASES = {"polyline": "poly_line", "pothole": "pot_hole", "cleat": "plank", "sweep": "sine_sweep"}


def _crosswise(p: _Parameters) -> tuple[float, float]:
    """Return start and length of an obstacle across the road. Raises ModelError for an oblique one."""
    if p.number("DIRECTION", 0.0) != 0.0:
        raise p.wrong(
            "DIRECTION", "the height of a profile varies along its x axis only, give 0 and turn the road by at="
        )
    return p.number("START"), p.positive("LENGTH")


def _bevelled(height: float, bevel: float, length: float = math.inf) -> list[tuple[float, float]]:
    """Return x and height of the vertices of an edge, from its foot on: a vertical face, then 45 degrees.

    length: of the obstacle, of which a vertical face takes at most a quarter.
    """
    bevel, face = min(bevel, height), min(STEP, 0.25 * length)
    if bevel <= face:
        return [(0.0, 0.0), (face, height)]
    return [(0.0, 0.0), (face, height - bevel + face), (bevel, height)]


def _rounded(height: float, radius: float) -> list[tuple[float, float]]:
    """Return x and height of the vertices of an edge, from its foot on: a vertical face, then a quarter of a circle."""
    radius = min(radius, height)
    if radius <= STEP:
        return _bevelled(height, 0.0)
    angles = np.linspace(math.acos(1.0 - STEP / radius), 0.5 * math.pi, ARC + 1)
    arc = zip((radius * (1.0 - np.cos(angles))).tolist(), (height - radius * (1.0 - np.sin(angles))).tolist())
    return [(0.0, 0.0), *arc]


def _obstacle(start: float, length: float, edge: list[tuple[float, float]], sign: float) -> Line:
    """Return a symmetric obstacle of two edges, sign: 1 above the road, -1 below it."""
    rising = [(start + x, z) for x, z in edge]
    falling = [(start + length - x, z) for x, z in reversed(edge)]
    vertices = np.array([(start - PAD, 0.0), *rising, *falling, (start + length + PAD, 0.0)])
    return _polygon(vertices[:, 0], sign * vertices[:, 1])


def _polygon(x: np.ndarray, heights: np.ndarray) -> Line:
    """Return points of a polygon, whose first and last segment are shortened, since profiles continue straight."""
    keep = np.append(True, np.diff(x) > 0.0)  # edges that meet in the middle of an obstacle
    x, heights = x[keep], heights[keep]
    ends = max(x[0], x[1] - PAD), min(x[-1], x[-2] + PAD)
    slopes = (heights[1] - heights[0]) / (x[1] - x[0]), (heights[-1] - heights[-2]) / (x[-1] - x[-2])
    heights[0], heights[-1] = heights[1] + slopes[0] * (ends[0] - x[1]), heights[-2] + slopes[1] * (ends[1] - x[-2])
    x[0], x[-1] = ends
    return refined(x, heights, np.ones(len(x), bool))
