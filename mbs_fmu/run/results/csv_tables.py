"""Tables of numbers in csv files: results, and values of inputs over time."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...errors import ArgumentError, ModelError
from ...messages.names import listed

TIMES = ("t", "time", "times", "time (s)", "time [s]", "t [s]", "t (s)", "seconds", "s")  #: names of times elsewhere


def read_table(path: str | Path, column: str, exact: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return times and values of an input from a csv file, with or without names in its first line.

    Times are the column "time", or the first one; values are the column of this name, or the only other one unless
    `exact`. Raises ArgumentError if the column is ambiguous, or cells are no numbers.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
        names = [] if not rows or _are_numbers(rows[0]) else [name.strip() for name in rows.pop(0)]
        data = [[float(x) for x in row] for row in rows]
    except (ValueError, csv.Error) as error:
        raise ArgumentError(f"{path} is no table of numbers between commas ({error})") from None
    width = len(data[0]) if data else 0
    if width < 2 or any(len(row) != width for row in [*data, names or data[0]]):
        raise ArgumentError(f"{path}: give columns of times and values, all of one length, with or without names")
    times = names.index("time") if "time" in names else 0
    others = [k for k in range(width) if k != times]
    have = listed(names)
    if column not in names and exact:
        raise ArgumentError(f"{path} has no column {column!r} (names: {have})")
    if column not in names and len(others) > 1:
        raise ArgumentError(
            f"{path} has several columns: name one of them {column!r} in the first line (names: {have}), or give "
            "FILE.csv:NAME on the command line"
        )
    columns = np.array(data).T
    return columns[times], columns[names.index(column) if column in names else others[0]]


def _are_numbers(cells: list[str]) -> bool:
    try:
        return bool([float(cell) for cell in cells])
    except ValueError:
        return False


def read_csv(path: str | Path) -> Mapping[str, np.ndarray]:
    """Return the columns of a csv file written by `Result.to_csv`; ModelError for any other file.

    It needs a column "time" that increases, and at least two rows.
    """
    columns = csv_columns(path)
    times = columns["time"]
    if len(times) < 2 or not np.all(np.diff(times) > 0):
        raise ModelError(f"{path}: the column 'time' must increase over two rows at least: export it again")
    return columns


def csv_columns(path: str | Path, time: str = "time") -> Mapping[str, np.ndarray]:
    """Return columns by the names in the first line, times as "time"; ModelError for a file without them.

    time: the name of the column of times in the file.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader(file, skipinitialspace=True), [])
            rows = file.readlines()
        data = np.empty((0, len(names)))
        if any(row.strip() for row in rows):
            data = np.loadtxt(rows, delimiter=",", comments=None, quotechar='"', ndmin=2)
        columns = dict(zip((name.strip() for name in names), data.T, strict=True))
    except (ValueError, csv.Error, UnicodeDecodeError) as error:
        raise ModelError(f"{path} is no table of results ({type(error).__name__}: {error}): export it again") from None
    if not columns:
        raise ModelError(f"{path} is no table of results (it is empty): export it again")
    if time not in columns:
        remedy = f"rename {_likely(names)} to 'time'" if time == "time" else f"it has {listed(columns)}"
        raise ModelError(f"{path} has no column {time!r}: {remedy}")
    return {"time": columns.pop(time), **columns}


def _likely(names: list[str]) -> str:
    """Return the column that has the times by its name, or else the first one."""
    return repr(next((name for name in names if name.strip().lower() in TIMES), names[0]))
