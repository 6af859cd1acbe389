"""Entries of sparse matrices, collected while a file is read: memory grows with the file, not with rows x columns."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ..reduction.structures import scipy_modules
from ..shapes import Array

MOST_ROWS = 130_000_000  #: of a matrix, and columns


@dataclass(frozen=True)
class Entries:
    """The entries of a matrix of a file.

    name: in capital letters. source: file, for messages. form: of Nastran, 6 for symmetric. parts: numbers per entry, 2
    of a complex matrix. i, j: rows and columns (from 0), (k). values: (k), or (2 k) of a complex matrix.
    """

    name: str
    source: str
    rows: int
    columns: int
    form: int
    parts: int
    i: Array
    j: Array
    values: Array

    @property
    def is_null(self) -> bool:
        """True if all entries are zero: programs write such a matrix in place of one that does not exist."""
        return not self.values.any()

    def matrix(self) -> Any:
        """Return the sparse matrix, (rows, columns). Raises ModelError for complex numbers and those that are none."""
        what = f"{self.source}: matrix {self.name}"
        if self.parts != 1:
            raise ModelError(f"{what} is complex: write the real matrices of stiffness, mass and viscous damping")
        if not np.isfinite(self.values).all():
            raise ModelError(f"{what} has numbers that are not finite: write the file again")
        return scipy_modules().sparse.coo_array((self.values, (self.i, self.j)), shape=(self.rows, self.columns))


class Strings:
    """The entries of a matrix in strings: numbers in successive rows of one column; kind: of numbers in bytes."""

    def __init__(self, kind: np.dtype[Any]):
        self.kind = kind
        self.starts = array("q")  # first row and column (from 0) and number of rows of each string
        self.data = bytearray()

    def add(self, row: int, column: int, count: int, data: bytes) -> None:
        """Add a string; row, column: of its first number, from 0; count: of rows; data: its numbers."""
        self.starts.extend((row, column, count))
        self.data += data

    def finished(self) -> tuple[Array, Array, Array]:
        """Return rows, columns and values of all entries."""
        first, column, count = np.array(self.starts, dtype=np.int64).reshape(-1, 3).T
        before = np.cumsum(count) - count
        i = np.arange(count.sum()) + np.repeat(first - before, count)
        values = np.frombuffer(self.data, self.kind).astype(float)
        return i.astype(np.int32), np.repeat(column, count).astype(np.int32), values
