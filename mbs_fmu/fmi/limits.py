"""Limits of importers on the lengths of names and paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from .description.variables import FmiVariable

LONGEST_PARAMETER = 55  #: characters of a parameter's name in Simulink
LONGEST_PATH = 180  #: characters of an FMU's path: Windows allows 260, and importers append those of the unpacked files


def exceeded_limits(path: Path, rows: Iterable[FmiVariable]) -> Iterator[str]:
    """Yield a sentence for each limit that an FMU exceeds: thing, value and remedy."""
    long = [row.name for row in rows if row.causality == "parameter" and len(row.name) > LONGEST_PARAMETER]
    if long:
        more = f" and {len(long) - 1} more" if len(long) > 1 else ""
        yield (
            f"parameter {long[0]!r}{more}: the name has {len(long[0])} characters, and Simulink takes at most "
            f"{LONGEST_PARAMETER}: use shorter names if the FMU goes there"
        )
    length = len(str(path.resolve()))
    if length > LONGEST_PATH:
        yield (
            f"{path.name}: its path has {length} characters; importers on Windows may fail to unpack it beyond "
            f"{LONGEST_PATH}: use a shorter folder or name"
        )
