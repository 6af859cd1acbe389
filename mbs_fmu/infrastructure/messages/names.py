"""Lists of names in messages."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 10  #: names that a message lists


def listed(names: Iterable[object], empty: str = "none") -> str:
    """Return names separated by commas; after ten of them the number of the others: "a, b, ... and 23 more"."""
    texts = list(map(str, names))
    more = len(texts) - MOST
    first = ", ".join(texts[:MOST]) or empty
    return f"{first}, ... and {more} more" if more > 0 else first
