"""Syntax trees of Python text, built by one thread at a time."""

from __future__ import annotations

import ast
import threading

from .forks import hold_at_forks

_ALONE = threading.Lock()
hold_at_forks(_ALONE)  # otherwise a child would wait forever for a thread of its parent


def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a module's text; only one thread at a time parses.

    CPython 3.11 counts the depth of the trees of all threads in one place, and raises SystemError if two are built at
    once (python/cpython#106905).
    """
    with _ALONE:
        return ast.parse(text)
