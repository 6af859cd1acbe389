"""Columns by name, which the results of one run and of many have in common."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from ...infrastructure.errors import MissingError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean


class Named:
    """Base class of the results of one run and of many: columns by name, vectors, inputs."""

    name: str
    columns: list[str]
    time: np.ndarray
    units: dict[str, str | None]
    vectors: dict[str, list[str]]
    inputs: dict[str, tuple[np.ndarray, np.ndarray]]
    held: Collection[str]
    _known: tuple[list[str] | None, int, dict[str, int]] = (None, 0, {})  #: columns, their number, their places

    def keys(self) -> list[str]:
        """Return the names of all columns, time first, then of inputs; names of vectors are not among them."""
        return [*self.columns, *(name for name in self.inputs if self._place(name) is None)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.vectors or name in self.inputs or self._place(name) is not None)

    def _place(self, name: str) -> int | None:
        """Return the number of the first column of this name, or None.

        All columns of large models are read one by one, so a table of places is kept until the columns change.
        """
        if name not in (places := self._places()) or self.columns[places[name]] != name:
            return self.columns.index(name) if name in self.columns else None  # renamed in place
        return places[name]

    def _places(self) -> dict[str, int]:
        columns, count, places = self._known
        if columns is not self.columns or count != len(columns):
            places = {name: k for k, name in reversed(list(enumerate(self.columns)))}
            self._known = self.columns, len(self.columns), places
        return places

    def named(self, name: str) -> np.ndarray:
        """Return a column or input, whose last axis is time, or a vector, whose last axis is its components.

        Raises KeyError for an unknown name.
        """
        if name in self.vectors:
            return np.stack([self.named(component) for component in self.vectors[name]], axis=-1)
        place = self._place(name)
        if place is not None:
            return self.column(place)
        if name in self.inputs:
            return self._input(*self.inputs[name])
        known = self.keys()
        raise MissingError(
            f"no result {display(name)}{did_you_mean(name, [*known, *self.vectors])}; there are {listed(known)}"
        )

    def column(self, k: int) -> np.ndarray:
        """Return column k of the data."""
        raise NotImplementedError

    def _input(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return an input at the rows; at a jump the value after it."""
        rows = np.atleast_2d(values)
        values_at_rows = np.array([np.interp(self.time, times, row) for row in rows])
        return values_at_rows if values.ndim > 1 else values_at_rows[0]

    def parts(self, name: str) -> list[str]:
        """Return the names of a vector's components; for a single column, its name."""
        return self.vectors.get(name, [name])

    def unit(self, name: str) -> str | None:
        """Return the unit of a column, vector or input; None if it has none."""
        return self.units.get(name) or self.units.get(self.parts(name)[0])

    # -- files ------------------------------------------------------------------------------------------
    def to_csv(self, path: str | Path) -> Path:
        """Write all columns with full precision, in the form that fmpy writes and reads.

        The members of many runs follow one below the other, with a first column "member". An existing file is replaced
        after everything is written. Raises ArgumentError for the suffix of another kind of file, such as .xlsx, and
        OSError.
        """
        return self._write(path, ".csv")

    def to_npz(self, path: str | Path) -> Path:
        """Write columns and attributes in numpy's format. Raises ArgumentError as `to_csv`, and OSError."""
        return self._write(path, ".npz")

    def to_parquet(self, path: str | Path) -> Path:
        """Write columns and attributes as a table like that of `to_csv`, with units in the columns' metadata.

        Raises ArgumentError as `to_csv`, and ModelError without pyarrow.
        """
        return self._write(path, ".parquet")

    def to_hdf5(self, path: str | Path) -> Path:
        """Write columns and attributes, a dataset with its unit for each column; of many runs (members, times).

        Raises ArgumentError as `to_csv`, and ModelError without h5py.
        """
        return self._write(path, ".hdf5")

    def _write(self, path: str | Path, form: str) -> Path:
        """Write all columns and attributes in the format of a suffix."""
        raise NotImplementedError
