"""Differences of two results, column by column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed

LEAST_RANGE = 1e-5  #: least range: deviations of a column that varies less, such as a residual, are relative to this
STAYS = 1e-6  #: deviations of a column that varies by less than this share, such as an energy, are relative to its size


@dataclass(frozen=True)
class Deviation:
    """The worst deviation of one column, its time (s), and its ratio to the column's range."""

    name: str
    unit: str | None
    worst: float
    time: float
    range: float
    relative: float


@add_clear_errors
@dataclass(frozen=True, repr=False)
class Comparison:
    """Deviations, the worst one first; it prints as a table.

    here, there: names of the columns that only this result has, and of those that only the other has.
    """

    deviations: tuple[Deviation, ...]
    here: tuple[str, ...] = ()
    there: tuple[str, ...] = ()

    @property
    def worst(self) -> float:
        """Largest deviation of all columns, relative to the column's range."""
        return self.deviations[0].relative

    def __getitem__(self, name: str) -> Deviation:
        for deviation in self.deviations:
            if deviation.name == name:
                return deviation
        raise KeyError(f"no column {name!r} was compared; there are {listed(x.name for x in self.deviations)}")

    def __iter__(self) -> Iterator[Deviation]:
        return iter(self.deviations)

    def __len__(self) -> int:
        return len(self.deviations)

    def __repr__(self) -> str:
        rows = [("column", "deviation", "unit", "of its range", "at time, s")]
        rows += [
            (x.name, f"{x.worst:.3g}", x.unit or "", f"{x.relative:.3g}", f"{x.time:.6g}") for x in self.deviations
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        for names, where in ((self.here, "this result"), (self.there, "the other")):
            lines += [f"only in {where}: {listed(names)}"] if names else []
        return "\n".join(lines)


def scale(values: np.ndarray) -> float:
    """Return the number to which a column's deviations are relative: its range, or its size if nearly constant."""
    span, size = float(np.ptp(values)), float(np.max(np.abs(values)))
    return max(size if span < STAYS * size else span, LEAST_RANGE)


def compared(
    ours: Mapping[str, np.ndarray], other: Any, names: Collection[str] | None, held: Collection[str],
    units: Mapping[str, str | None],
) -> Comparison:  # fmt: skip
    """Compare columns by name with those of another result, a mapping with "time", or a structured array.

    `names` are the columns to compare; None: all common ones. `held` are the names of columns that change in steps.
    Raises ArgumentError if there is nothing to compare.
    """
    theirs = columns_of(other)
    common = [name for name in ours if name in theirs and name != "time"] if names is None else list(names)
    for name in common:
        for columns, where in ((ours, "this result"), (theirs, "the other")):
            if name not in columns:
                raise ArgumentError(f"{where} has no column {name!r}; there are {listed(columns)}")
    if not common:
        raise ArgumentError(f"no column to compare: this result has {listed(ours)}; the other has {listed(theirs)}")
    times = _common_times(ours["time"], theirs["time"])
    deviations = [_deviation(name, units.get(name), times, ours, theirs, name in held) for name in common]
    deviations.sort(key=lambda x: (-x.relative, x.name))
    here, there = (
        tuple(name for name in a if name not in b) if names is None else ()
        for a, b in ((ours, theirs), (theirs, ours))
    )  # fmt: skip
    return Comparison(tuple(deviations), here, there)


def columns_of(other: Any) -> dict[str, np.ndarray]:
    """Return columns by name, also of a structured array or a DataFrame. Raises ArgumentError if there are none."""
    if isinstance(other, np.ndarray) and other.dtype.names:
        columns: Mapping[str, Any] = {name: other[name] for name in other.dtype.names}
    elif hasattr(other, "to_numpy") and hasattr(other, "columns"):  # a DataFrame
        columns = {"time": other.index.to_numpy(), **{name: other[name].to_numpy() for name in other.columns}}
    elif hasattr(other, "keys"):
        columns = {name: other[name] for name in other.keys()}  # noqa: SIM118 (a Result iterates over its names too)
    else:
        columns = {}
    if "time" not in columns:
        raise ArgumentError(
            f"{display(other)} can't be compared: give a result, a file of one, a structured array or a dictionary of "
            "arrays, with times as 'time'"
        )
    scalars: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        array = np.asarray(values, dtype=float)
        rows = array.reshape(len(array), -1)
        scalars |= {name: rows[:, 0]} if array.ndim == 1 else {f"{name}[{k + 1}]": x for k, x in enumerate(rows.T)}
    return scalars


def _common_times(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return the times (s) of the result that has fewer, within the common span."""
    if not len(ours) or not len(theirs) or max(ours[0], theirs[0]) > min(ours[-1], theirs[-1]):
        spans = [f"{t[0]:g} to {t[-1]:g} s" if len(t) else "nothing" for t in (ours, theirs)]
        raise ArgumentError(f"no time to compare at: this result has {spans[0]}, the other {spans[1]}")
    low, high = max(ours[0], theirs[0]), min(ours[-1], theirs[-1])
    within = [np.unique(t[(t >= low) & (t <= high)]) for t in (ours, theirs)]
    fewest = min((t for t in within if len(t)), key=len, default=np.array([low]))
    return np.union1d(fewest, [low, high])


def _deviation(
    name: str, unit: str | None, times: np.ndarray, ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray],
    held: bool,
) -> Deviation:  # fmt: skip
    a, b = (at_times(times, columns["time"], columns[name], held) for columns in (ours, theirs))
    apart = np.where(a == b, 0.0, np.abs(a - b))  # infinities may be equal
    apart = np.where(np.isnan(apart), np.where(np.isnan(a) & np.isnan(b), 0.0, np.inf), apart)
    k, finite = int(np.argmax(apart)), b[np.isfinite(b)]
    measure = scale(finite) if finite.size else LEAST_RANGE
    return Deviation(name, unit, float(apart[k]), float(times[k]), measure, float(apart[k]) / measure)


def at_times(times: np.ndarray, known: np.ndarray, values: np.ndarray, held: bool) -> np.ndarray:
    """Return a column at other times: interpolated linearly, or the last value if it is held."""
    if not held:
        return np.asarray(np.interp(times, known, values))
    last = np.searchsorted(known, times, side="right") - 1
    return np.asarray(values[np.clip(last, 0, None)])
