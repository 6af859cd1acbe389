"""Lists of names for messages and for `repr`, cut after ten."""

from __future__ import annotations

from collections.abc import Iterable

MOST_NAMES = 10


def listed(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """Return names separated by commas; of a long list the first ones and the number of the others."""
    names = list(names)
    return ", ".join([*names[:most], *([f"... ({len(names) - most} more)"] if len(names) > most else [])])
