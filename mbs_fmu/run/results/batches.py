"""Results of many runs of one model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from . import files as result_files
from .frames import data_frame, data_set
from .named import Named
from .results import Result, attributes, counted, extent, place_of, vectors_of

if TYPE_CHECKING:
    from ...model.model import Model


class ManyRuns(Named):
    """Base class for results of many runs, with columns in memory or on disk."""

    rows: np.ndarray
    faults: dict[int, str]
    statistics: dict[str, Any]
    parameters: dict[str, Any]
    model: Model | None

    def table(self, member: int) -> np.ndarray:
        """Return the columns of one member, (times, columns)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        runs = counted(len(self), "run") + (f" ({len(self.faults)} ended early)" if self.faults else "")
        return f"results of {self.name!r}: {runs}, {extent(self.time, self.columns)}"

    @overload
    def __getitem__(self, which: str) -> np.ndarray: ...

    @overload
    def __getitem__(self, which: int) -> Result: ...

    def __getitem__(self, which: str | int) -> np.ndarray | Result:
        """Return a column by name, (members, times) or (members, times, n) for a vector; by number a `Result`."""
        if isinstance(which, str):
            return self.named(which)
        member = place_of(which, len(self), "run", self)
        statistics = dict(self.statistics)
        for name, value in statistics.items():
            if isinstance(value, np.ndarray | list):
                statistics[name] = value[member].item() if isinstance(value, np.ndarray) else value[member]
        data = self.table(member)[: self.rows[member]]
        result = Result(self.name, self.columns, data, self.units, self.vectors, statistics, held=self.held)
        result.parameters = {name: float(x[member] if np.ndim(x) else x) for name, x in self.parameters.items()}
        result.inputs = {name: (t, x[member] if x.ndim > 1 else x) for name, (t, x) in self.inputs.items()}
        result.model = self.model
        return result

    def _input(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        values_at_rows = super()._input(times, values)
        return values_at_rows if values.ndim > 1 else np.tile(values_at_rows, (len(self), 1))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Result]:
        return (self[member] for member in range(len(self)))

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of columns and inputs, by (member, time). Raises ModelError without pandas."""
        columns = {name: self.named(name) for name in self.keys() if name != "time"}
        common = {name: value for name, value in self.parameters.items() if not np.ndim(value)}
        return data_frame(columns, self.time, attributes(self, columns, common))

    def to_xarray(self) -> Any:
        """Return an xarray Dataset along "member" and "time", with parameters as coordinates.

        Raises ModelError without xarray.
        """
        columns = {name: self.named(name) for name in self.keys() if name != "time"}
        return data_set(self.name, columns, self.vectors, self.time, self.units, self.parameters)

    # -- files ------------------------------------------------------------------------------------------
    def _write(self, path: str | Path, form: str) -> Path:
        columns = {name: self.named(name) for name in self.columns}
        columns["time"] = np.tile(self.time, (len(self), 1))  # a run that ended early has all times too
        return result_files.write(path, form, columns, self.about())

    def about(self) -> dict[str, Any]:
        """Return the attributes without the columns, by name; numbers may be arrays."""
        return {
            "name": self.name,
            "units": self.units,
            "vectors": self.vectors,
            "rows": self.rows,
            "faults": {str(member): reason for member, reason in self.faults.items()},
            "statistics": {name: [*x] if isinstance(x, list) else x for name, x in self.statistics.items()},
            "parameters": self.parameters,
            "inputs": {name: list(table) for name, table in self.inputs.items()},
            "held": sorted(self.held),
        }


def attributes_from(about: Mapping[str, Any]) -> dict[str, Any]:
    """Convert attributes from `ManyRuns.about`, whose arrays may have become lists in a file."""
    tables = about["inputs"].items()
    return {
        **about,
        "rows": np.asarray(about["rows"], dtype=int),
        "faults": {int(member): value for member, value in about["faults"].items()},
        "statistics": {name: _array(value) for name, value in about["statistics"].items()},
        "parameters": {name: _array(value) for name, value in about["parameters"].items()},
        "inputs": {name: (np.asarray(t, dtype=float), np.asarray(x, dtype=float)) for name, (t, x) in tables},
        "held": frozenset(about["held"]),
    }


def _array(value: Any) -> Any:
    """Return numbers of all members as an array; notes stay a list."""
    return np.array(value) if isinstance(value, list) and not any(isinstance(x, list) for x in value) else value


@add_clear_errors
@dataclass(repr=False)
class BatchResult(ManyRuns):
    """Results of many runs of one model, at the same times.

    data: (members, times, columns) array, with the columns of a `Result`.
    time: s.
    rows: number of valid rows of each member; later rows are NaN.
    faults: reasons why runs ended early, by the member's number.
    statistics: method; lanes, the number of members that one core computes at once (1: one by one); threads; and arrays
    with a number for each member: steps, rejected steps and evaluations.
    parameters, inputs: as in `Result`. If members differ, parameters are arrays, and the values of inputs have a row
    for each member.
    model: as in `Result`.
    """

    name: str
    columns: list[str]
    data: np.ndarray
    time: np.ndarray
    rows: np.ndarray
    faults: dict[int, str] = field(default_factory=dict)
    units: dict[str, str | None] = field(default_factory=dict)
    vectors: dict[str, list[str]] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    held: Collection[str] = frozenset()
    model: Model | None = None

    def column(self, k: int) -> np.ndarray:
        return self.data[:, :, place_of(k, len(self.columns), "column", self)]

    def table(self, member: int) -> np.ndarray:
        member_columns: np.ndarray = self.data[place_of(member, len(self), "run", self)]
        return member_columns

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read results from a file that one of the `to_...` has written: csv, npz, parquet, hdf5 or h5, by its suffix.

        A csv file has columns only, with members by its column "member". Raises ModelError for a file without such
        columns or if a package is missing, OSError.
        """
        columns, about = result_files.many_runs(path)
        names, time = list(columns), columns["time"][0]
        data = np.stack(list(columns.values()), axis=-1)
        if about:
            known = attributes_from(about)
        else:
            rows = np.sum(~np.all(np.isnan(data[:, :, 1:]), axis=2), axis=1) if len(names) > 1 else len(time)
            known = {"name": Path(path).stem, "rows": np.broadcast_to(rows, len(data)).copy()}
            known |= {"units": {"time": "s"}, "vectors": vectors_of(names)}
        for member, rows in enumerate(known["rows"]):
            data[member, rows:] = np.nan
        return cls(columns=names, data=data, time=time.copy(), **known)
