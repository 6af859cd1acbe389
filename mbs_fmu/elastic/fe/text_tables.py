"""Numbers of text files, with the line of the first one that is none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..shapes import Array

Line = tuple[int, str]  #: number (from 1) and text of a line


def lines_of(path: str | Path) -> list[str]:
    """Return the lines of a text file. Raises ModelError if the file can't be read or is no text."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror or error}") from None
    if b"\0" in raw[:100_000]:
        raise ModelError(f"{path} is no text file: write the matrices as text")
    return raw.decode("latin-1").splitlines()


def table(path: str | Path, lines: Sequence[Line], columns: int) -> Array:
    """Return rows of numbers that commas or blanks separate, (n, columns). Raises ModelError."""
    texts = [text.replace(",", " ").replace("D", "E").replace("d", "e") for _, text in lines]
    if not texts:
        return np.zeros((0, columns))
    try:
        values = np.loadtxt(texts, ndmin=2, comments=None)
    except (ValueError, OverflowError):
        values = np.zeros((0, 0))
    if values.shape != (len(texts), columns) or not np.isfinite(values).all():
        number, text = next((line for line in lines if not _is_row(line[1], columns)), lines[-1])
        raise ModelError(f"{path}, line {number}: {display(text.strip()[:60])} is no row of {columns} finite numbers")
    return np.asarray(values)


def numbers_of(path: str | Path, line: Line) -> list[float]:
    """Return the numbers of a line, which commas or blanks separate; a line may end with a comma. Raises ModelError."""
    try:
        values = [_number(word) for word in line[1].replace(",", " ").split()]
    except ValueError:
        values = [np.nan]
    if not np.isfinite(values).all():
        raise ModelError(f"{path}, line {line[0]}: {display(line[1].strip()[:60])} has text where numbers belong")
    return values


def whole_numbers(path: str | Path, line: Line) -> list[int]:
    """Return the whole numbers of a line. Raises ModelError."""
    values = numbers_of(path, line)
    if any(value != int(value) or abs(value) > 2**31 for value in values):
        raise ModelError(f"{path}, line {line[0]}: {display(line[1].strip()[:60])} has other than whole numbers")
    return [int(value) for value in values]


def _number(word: str) -> float:
    return float(word.replace("D", "E").replace("d", "e"))


def _is_row(text: str, columns: int) -> bool:
    words = text.replace(",", " ").split()
    try:
        return len(words) == columns and bool(np.isfinite([_number(word) for word in words]).all())
    except ValueError:
        return False
