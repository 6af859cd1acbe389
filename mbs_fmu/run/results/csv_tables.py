"""Tables of numbers in CSV files: results, and time series of inputs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed

#: Names of the time column in files of other programs.
TIME_NAMES = ("t", "time", "times", "time (s)", "time [s]", "t [s]", "t (s)", "seconds", "s")


def read_table(path: str | Path, column: str, exact: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return times and values of an input from a CSV file, with or without names in its first line.

    Times are the column "time", or else the first column. Values are the column named `column`. If `exact` is false and
    there is only one column besides the times, it may have any name. Raises ArgumentError if the choice is ambiguous,
    or if a cell is not a number, ModelError for two columns of one name and for times that decrease or are not finite.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
        names = [] if not rows or _are_numbers(rows[0]) else [name.strip() for name in rows.pop(0)]
        data = [[float(x) for x in row] for row in rows]
    except (ValueError, csv.Error) as error:
        raise ArgumentError(f"{path} is not a table of comma-separated numbers ({error})") from None
    width = len(data[0]) if data else 0
    if width < 2 or any(len(row) != width for row in [*data, names or data[0]]):
        raise ArgumentError(f"{path}: give columns of times and values, with the same number of cells in each row")
    _check_names(names, path)
    times = names.index("time") if "time" in names else 0
    others = [k for k in range(width) if k != times]
    found = listed(names)
    if column not in names and exact:
        raise ArgumentError(f"{path} has no column {column!r} (names: {found})")
    if column not in names and len(others) > 1:
        raise ArgumentError(
            f"{path} has several columns: name one of them {column!r} in the first line (names: {found}), or give "
            "FILE.csv:NAME on the command line"
        )
    columns = np.array(data).T
    check_times(columns[times], path)
    return columns[times], columns[names.index(column) if column in names else others[0]]


def _check_names(names: list[str], path: str | Path) -> None:
    """Raise ModelError for two columns of one name."""
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise ModelError(f"{path} has two columns {display(twice)}: rename one of them, or leave it out")


def check_times(times: np.ndarray, path: str | Path) -> None:
    """Raise ModelError for times of a file that are not finite or decrease along the last axis."""
    rows = times.reshape(-1, max(times.shape[-1], 1))
    back = np.diff(rows, axis=1, prepend=rows[:, :1]) < 0.0
    for wrong, what in ((~np.isfinite(rows), "is"), (back, "goes back to")):
        for member, row in np.argwhere(wrong)[:1].tolist():
            raise ModelError(
                f"{path}: time {row + 1} {what} {rows[member, row]:g}: sort its rows, leave out those without a time"
            )


def _are_numbers(cells: list[str]) -> bool:
    try:
        return bool([float(cell) for cell in cells])
    except ValueError:
        return False


def read_csv(path: str | Path) -> Mapping[str, np.ndarray]:
    """Return the columns of a CSV file written by `Result.to_csv`. Raises ModelError for any other file.

    The file needs a column "time" that increases strictly, and at least two rows.
    """
    columns = csv_columns(path)
    times = columns["time"]
    if len(times) < 2 or not np.all(np.diff(times) > 0):
        raise ModelError(f"{path}: the column 'time' must increase and have at least two rows: export it again")
    return columns


def csv_columns(path: str | Path, time: str = "time") -> Mapping[str, np.ndarray]:
    """Return the columns by their names in the first line; the time column becomes "time".

    `time` is the name of the time column in the file. Raises ModelError for a file without such columns, and for two
    columns of one name.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader(file, skipinitialspace=True), [])
            rows = file.readlines()
        data = np.empty((0, len(names)))
        if any(row.strip() for row in rows):
            data = np.loadtxt(rows, delimiter=",", comments=None, quotechar='"', ndmin=2)
        names = [name.strip() for name in names]
        _check_names(names, path)
        columns = dict(zip(names, data.T, strict=True))
    except ModelError:
        raise
    except (ValueError, csv.Error, UnicodeDecodeError) as error:
        raise ModelError(
            f"{path} is not a table of results ({type(error).__name__}: {error}): export it again"
        ) from None
    if not columns:
        raise ModelError(f"{path} is not a table of results (it is empty): export it again")
    if time not in columns:
        remedy = f"rename {_likely_time_column(names)} to 'time'" if time == "time" else f"it has {listed(columns)}"
        raise ModelError(f"{path} has no column {time!r}: {remedy}")
    return {"time": columns.pop(time), **columns}


def _likely_time_column(names: list[str]) -> str:
    """Return the quoted name of the column that has the times according to its name; else of the first column."""
    return display(next((name for name in names if name.strip().lower() in TIME_NAMES), names[0]))
