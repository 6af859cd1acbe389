"""Lines u and v of the grid of an OpenCRG file, by its header."""

from __future__ import annotations

import math

import numpy as np

from ....infrastructure.errors import ModelError
from .header import Header, LongSection

INCREMENT = 0.01  #: m, of u and v in files that state none
TOLERANCE = 1e-3  #: of places of long sections, m
MOST_ROWS = 130_000_000
FURTHEST = 1e9  #: m, of places and lengths
LEAST = 1e-6  #: m, of increments

START, END, STEP = "REFERENCE_LINE_START_U", "REFERENCE_LINE_END_U", "REFERENCE_LINE_INCREMENT"
RIGHT, LEFT, ACROSS = "LONG_SECTION_V_RIGHT", "LONG_SECTION_V_LEFT", "LONG_SECTION_V_INCREMENT"


class UAxis:
    """Rows along u. start, step: m; the step is NaN until the number of rows is known. rows: that the header states.

    Raises ModelError for an increment that is not positive, and an end before the start.
    """

    rows: int | None = None

    def __init__(self, header: Header):
        start, step = header.virtual or (0.0, math.nan)
        self.start, self.step = header.get(START, start), header.get(STEP, step)
        self.end = header.get(END, math.nan)
        where = self._where(header)
        if max(abs(self.start), abs(self.end), self.step) > FURTHEST:
            raise ModelError(
                f"{where}: u starts at {self.start:g} m with rows at {self.step:g} m: at most {FURTHEST:g} m"
            )
        if self.step < LEAST:
            raise ModelError(f"{where}: the increment of u is {self.step:g} m: give a positive distance of rows")
        if self.end <= self.start:
            raise ModelError(f"{where}: u ends at {self.end:g} m, but starts at {self.start:g} m: correct {END}")
        if math.isnan(self.step) and math.isnan(self.end):
            self.step = INCREMENT
            header.notes.append(f"the file has no {STEP}: {INCREMENT} m, the default of OpenCRG, applies")
        if not math.isnan(self.step + self.end):
            rows = (self.end - self.start) / self.step + 1.0
            if rows > MOST_ROWS:
                raise ModelError(f"{where}: u needs {rows:.3g} rows, at most {MOST_ROWS} are possible: correct {STEP}")
            self.rows = round(rows)
            if self.rows < 2:
                raise ModelError(
                    f"{where}: u from {self.start:g} to {self.end:g} m has 1 row: a road needs two or more"
                )

    def _where(self, header: Header) -> str:
        entries = [header.entry(key) for key in (STEP, END, START)]
        return next((entry.where for entry in entries if entry is not None), header.path)

    def complete(self, rows: int) -> int:
        """Take the number of rows of the file, and return that of the road."""
        if math.isnan(self.step):
            self.step = (self.end - self.start) / (rows - 1)
        return self.rows or rows

    def selected(self, band: tuple[float, float] | None, rows: int, scale: float) -> tuple[int, int]:
        """Return the first row and one beyond the last of a part of the road, whose length is multiplied by `scale`.

        Raises ModelError for a part that is not on the road.
        """
        if band is None:
            return 0, rows
        ends = np.asarray(band, dtype=object).ravel().tolist()
        try:
            low, high = map(float, ends)
        except (TypeError, ValueError):
            low, high = math.nan, math.nan
        step = self.step * scale
        first, last = (low - self.start) / step, (high - self.start) / step
        if not low < high or first < -0.5 or last > rows - 0.5:
            end = self.start + step * (rows - 1)
            raise ModelError(f"band= is {band}: give two numbers, increasing, between {self.start:g} and {end:g} m")
        begin = min(max(0, math.floor(first + 1e-6)), rows - 2)
        return begin, max(min(rows, math.ceil(last - 1e-6) + 1), begin + 2)


def v_axis(header: Header) -> tuple[np.ndarray, list[int]]:
    """Return the places of the long sections, m, and their columns.

    Raises ModelError for fewer than two sections, for places that do not increase, and numbers that are not 1, 2, ...
    """
    sections = header.sections
    if len(sections) < 2:
        raise ModelError(f"{header.path} has {len(sections)} long sections: give two or more channels 'long section'")
    columns = [section.column for section in sections]
    stated = [section.v for section in sections if section.v is not None]
    if stated and len(stated) < len(sections):
        raise ModelError(f"{sections[0].where}: some long sections have a place v, others a number: give places to all")
    v = np.array(stated) if stated else _numbered(header, sections)
    for k in np.flatnonzero(~(np.diff(v) > LEAST)):
        raise ModelError(
            f"{sections[k + 1].where}: v is {v[k + 1]:g} m after {v[k]:g} m: long sections increase from right to left"
        )
    for k in np.flatnonzero(np.abs(v) > FURTHEST):
        raise ModelError(f"{sections[k].where}: v is {v[k]:g} m: at most {FURTHEST:g} m are possible")
    for key, value in ((RIGHT, v[0]), (LEFT, v[-1])):
        entry = header.entry(key)
        if entry is not None and abs(entry.value - value) > TOLERANCE + 1e-6 * abs(value):
            if not stated:
                raise ModelError(
                    f"{entry.where}: {key} is {entry.value:g} m, the {len(v)} long sections give {value:g} m"
                )
            header.notes.append(f"{key} = {entry.value:g} has no effect: the long sections state {value:g} m")
    return v, columns


def _numbered(header: Header, sections: list[LongSection]) -> np.ndarray:
    """Return the places of sections that have numbers, by LONG_SECTION_V_RIGHT, _LEFT and _INCREMENT."""
    count = len(sections)
    for k, section in enumerate(sections):
        if section.number != k + 1:
            raise ModelError(
                f"{section.where}: long section {section.number} stands at place {k + 1}: number them 1, 2, ..."
            )
    right, left = header.entry(RIGHT), header.entry(LEFT)
    step, entry = INCREMENT, header.entry(ACROSS)
    if entry is not None:
        step = entry.value
        if step < LEAST:
            raise ModelError(f"{entry.where}: {ACROSS} is {step:g} m: give a positive distance")
    elif right is not None and left is not None:
        step = (left.value - right.value) / (count - 1)
        if step <= 0.0:
            raise ModelError(
                f"{left.where}: {LEFT} is {left.value:g} m, {RIGHT} {right.value:g} m: the left one must be greater"
            )
    else:
        header.notes.append(f"the file has no {ACROSS}: {INCREMENT} m, the default of OpenCRG, applies")
    if right is not None:
        first = right.value
    else:
        first = left.value - step * (count - 1) if left is not None else -step * (count - 1) / 2
    return first + step * np.arange(count)


def start_and_end(header: Header, name: str) -> tuple[float, float | None]:
    """Return START and END of a quantity of the reference line; the end is None if the file lacks it.

    Raises ModelError for values that no road has.
    """
    both = header.entry(f"REFERENCE_LINE_START_{name}"), header.entry(f"REFERENCE_LINE_END_{name}")
    for entry in both:
        if entry is not None and abs(entry.value) > FURTHEST:
            raise ModelError(f"{entry.where}: {name} of the reference line is {entry.value:g}: at most {FURTHEST:g}")
    return 0.0 if both[0] is None else both[0].value, None if both[1] is None else both[1].value
