"""Measured roads of OpenCRG files (ASAM OpenCRG 1.2), as heights above a grid along their reference line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ....infrastructure.errors import ModelError
from ....infrastructure.lazy_dataclasses import dataclass
from .axes import UAxis, v_axis
from .header import Header, read_header
from .line import read_line
from .modifiers import HIGHEST, KEEP, Modifiers, note_options, smoothed
from .records import Records, read_records

MOST_HEIGHTS = 20_000_000  #: without band
BLOCK = 1 << 18  #: heights that are treated at once


@dataclass(frozen=True, eq=False)
class CrgRoad:
    """Contents of an OpenCRG file with its modifiers and options applied.

    path: of the file with the data. form: LRFI, LDFI, KRBI or KDBI. u: m, (n), equal distances. v: m, (k), increasing
    to the left. heights: m, (n, k), finite, with slope and banking. x, y: m, (n), of the reference line. phi: rad,
    (n - 1), headings of its segments. holes: number of heights that the file lacks. notes: data without effect, and
    holes that were filled although the file keeps them.
    """

    path: str
    form: str
    u: np.ndarray
    v: np.ndarray
    heights: np.ndarray
    x: np.ndarray
    y: np.ndarray
    phi: np.ndarray
    holes: int
    notes: list[str]


def read_crg(path: str | Path, band: tuple[float, float] | None = None, follow: bool = True) -> CrgRoad:
    """Return the road of an OpenCRG file.

    band: first and last u, m, of a part of the road, with its length as scaled by the file; other rows of heights are
    not kept in memory. follow: whether the file may refer, in section $ROAD_CRG_FILE, to a file in its folder or below.

    Raises ModelError, with file and line or byte, for a file that cannot be read, is truncated or damaged, for values
    out of range, a reference that is not followed, a band that is not on the road, and roads of more than 2e7 heights
    without `band`.
    """
    header = read_header(path, follow)
    axis = UAxis(header)
    v, columns = v_axis(header)
    modifiers = Modifiers(header)
    note_options(header)
    records = _open(header, axis.rows)
    rows = axis.complete(records.count)
    if records.count > rows:
        header.notes.append(f"{records.count - rows} rows of data beyond the end of u have no effect")
    first, last = axis.selected(band, rows, modifiers.length)
    if band is None and rows * len(v) > MOST_HEIGHTS:
        raise ModelError(
            f"{header.path} has {rows} x {len(v)} heights, more than {MOST_HEIGHTS:g}: read a part by band=(u0, u1)"
        )
    line = modifiers.scaled(read_line(header, records, axis.start + axis.step * np.arange(rows), axis.step))
    v = modifiers.width * v
    read = _grid(records, columns, v, modifiers, axis)
    holes, heights = read(first, last)
    line = modifiers.placed(line, v, lambda begin, end: read(begin, end)[1])
    part = line.rows(first, last)
    for rows_of in _blocks(heights):
        heights[rows_of] += part.z[rows_of, None] + part.banking[rows_of, None] * v
        heights[rows_of] = smoothed(header, line, part.u[rows_of], heights[rows_of])
    if holes and modifiers.mode == KEEP:
        header.notes.append(
            f"{holes} holes, which the file keeps, have heights of their row: the last, or interpolated ones"
        )
    return CrgRoad(header.path, header.form, part.u, v, heights, part.x, part.y, part.phi, holes, header.notes)


def _open(header: Header, needed: int | None) -> Records:
    try:
        return read_records(header, needed)
    except OSError as error:
        raise ModelError(f"road file {header.path} can't be read: {error}") from None


def _grid(
    records: Records, columns: Sequence[int], v: np.ndarray, modifiers: Modifiers, axis: UAxis
) -> Callable[[int, int], tuple[int, np.ndarray]]:
    """Return the function that returns the number of holes and the scaled heights, m, of some rows."""

    def read(first: int, last: int) -> tuple[int, np.ndarray]:
        heights = records.rows(first, last, columns)
        holes = 0
        for rows in _blocks(heights):
            begin, part = first + rows.start, heights[rows]
            for row, k in np.argwhere(np.abs(part) > HIGHEST)[:1]:
                where = records.where(begin + int(row), columns[k])
                raise ModelError(f"{where}: a height of {part[row, k]:g} m: is the file damaged? At most {HIGHEST:g} m")
            part *= modifiers.z
            holes += modifiers.filled(part, v, partial(text, begin))
        return holes, heights

    def text(begin: int, row: int) -> str:
        u = axis.start + axis.step * modifiers.length * (begin + row)
        return f"{records.where(begin + row, columns[0])}: the row at u = {u:g} m"

    return read


def _blocks(heights: np.ndarray) -> Iterator[slice]:
    """Return parts of the rows of a table of heights, which are small beside it."""
    step = max(1, BLOCK // heights.shape[1])
    return (slice(begin, begin + step) for begin in range(0, len(heights), step))
