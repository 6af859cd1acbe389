"""Arrays of numbers that do not change, as values: equal if their contents are, and usable as keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

Numbers = Sequence[float] | np.ndarray


class FrozenArray(Sequence[float]):
    """Immutable sequence of numbers, `array` of shape (n,), equal to another one if all bits are equal.

    It replaces tuples of numbers where there may be millions of them: comparison and hash cost one pass over the
    numbers, once. Iteration and indices give Python's floats, slices give arrays.
    """

    __slots__ = ("array", "_digest")

    def __init__(self, numbers: Numbers):
        self._take(np.array(numbers, dtype=float).ravel())

    @classmethod
    def taking(cls, array: np.ndarray) -> FrozenArray:
        """Return the numbers of an array of floats, (n,), that nothing changes later, without a copy."""
        made = cls.__new__(cls)
        made._take(array.view())
        return made

    def _take(self, array: np.ndarray) -> None:
        array.flags.writeable = False
        self.array, self._digest = array, b""

    @property
    def digest(self) -> bytes:
        """A hash of all bits."""
        if not self._digest:
            self._digest = hashlib.blake2b(np.ascontiguousarray(self.array).data, digest_size=16).digest()
        return self._digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrozenArray):
            return NotImplemented
        return self is other or len(self) == len(other) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[float]:
        return iter(self.array.tolist())

    @overload  # type: ignore[override]
    def __getitem__(self, index: int) -> float: ...

    @overload
    def __getitem__(self, index: slice) -> np.ndarray: ...

    def __getitem__(self, index: int | slice) -> float | np.ndarray:
        found = self.array[index]
        return found if isinstance(index, slice) else float(found)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.array, dtype=dtype) if copy else np.asarray(self.array, dtype=dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenArray.taking, (self.array,)

    def __repr__(self) -> str:
        return f"FrozenArray({np.array2string(self.array, threshold=6)})"
