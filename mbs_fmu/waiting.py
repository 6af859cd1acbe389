"""A sign of life where no part of the work can be counted: who waits for two seconds is told what for."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar

DELAY = 2.0  #: seconds before anything is shown

_wanted: ContextVar[bool | None] = ContextVar("wanted", default=None)
_spent: dict[str, float] = {}  #: s, by what was waited for
_told: set[str] = set()


@contextlib.contextmanager
def shown(wanted: bool | None) -> Iterator[None]:
    """Within it signs are shown or not; None: on a terminal, as everywhere else."""
    before = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(before)


@contextlib.contextmanager
def waiting(title: str, text: str) -> Iterator[None]:
    """A line on standard error if all that is done under this title takes long; once for each title."""
    wanted = _wanted.get()
    if title in _told or not (sys.stderr.isatty() if wanted is None else wanted):
        yield
        return
    began = time.perf_counter()
    timer = threading.Timer(max(DELAY - _spent.get(title, 0.0), 0.0), _tell, [title, text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _spent[title] = _spent.get(title, 0.0) + time.perf_counter() - began


def _tell(title: str, text: str) -> None:
    from tqdm import tqdm

    if title not in _told:
        _told.add(title)
        tqdm.write(text, file=sys.stderr)
