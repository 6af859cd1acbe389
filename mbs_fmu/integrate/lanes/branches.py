"""Branches that a module for lanes takes if one of its lanes takes them.

Both sides of such a branch give the same bits where it is not taken; the other side is only cheaper.
"""

from __future__ import annotations

import re

UNLESS = "if not le({}, 0.0):  # touches"  #: the dearer side; a number that is NaN takes it


def in_lanes(text: str) -> str:
    """Return the text of a module with its branches for all lanes together."""
    return re.sub(r"if not (le\(.*, 0\.0\)):  # touches", r"if not every(\1):", text)
