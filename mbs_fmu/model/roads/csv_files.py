"""Files of numbers between commas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display

REMEDY = "give as many numbers in each row, with decimal points and between commas"


@contextmanager
def named(path: Any) -> Iterator[None]:
    """Begin the messages of ModelErrors with the name of a file."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def read_csv(path: Any) -> np.ndarray:
    """Return the rows of a file of numbers, separated by commas, after an optional line of names."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, TypeError, UnicodeDecodeError) as error:
        raise ModelError(f"road file {display(path)} can't be read: {error}") from None
    rows = [(k, line.split(",")) for k, line in enumerate(lines, start=1) if line.strip()]
    if rows and not _is_number(rows[0][1][0]):
        rows = rows[1:]
    for k, row in rows:
        if len(row) != len(rows[0][1]) or not all(map(_is_number, row)):
            raise ModelError(f"{path}, line {k}: {','.join(row)!r}: {REMEDY}")
    if not rows:
        raise ModelError(f"{path} has no rows: {REMEDY}")
    return np.array([[float(word) for word in row] for _, row in rows])


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
