"""Displays of progress: a terminal and a notebook, drawn by rich, and a log.

rich is imported when something is shown.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, Protocol

SELDOM = 10.0  #: s between two lines of a log that differ in numbers only
COLUMNS = 100  #: characters of a line in a notebook
PROCESS = os.getpid()


class Shown(Protocol):
    """Work that is displayed."""

    title: str
    total: float

    def amount(self) -> float: ...
    def words(self) -> str: ...


class Screen(Protocol):
    """A display. Its methods can raise any exception, which callers must handle."""

    def show(self, parts: Sequence[Shown], fresh: bool) -> None:
        """Show the work, outermost first; `fresh` is True if more than numbers has changed."""

    def end(self, text: str) -> None:
        """End the display of a call; `text` is its duration in words."""


def in_main_thread() -> bool:
    """True in the main thread."""
    return threading.get_ident() == threading.main_thread().ident


def kind(is_requested: bool | None) -> type[Screen] | None:
    """Return the kind of this process's display; None in other threads, and in pools of processes unless requested.

    A process is a notebook if an IPython kernel runs in it. IPython is not imported otherwise. Without a terminal,
    requested progress is a log.
    """
    if not in_main_thread():
        return None
    log = Log if is_requested else None
    multiprocessing = sys.modules.get("multiprocessing")  # which every child process imports
    if os.getpid() != PROCESS or (multiprocessing is not None and multiprocessing.parent_process() is not None):
        return log  # several processes would write to one display
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return Notebook
    try:
        return Terminal if sys.stderr.isatty() else log
    except (AttributeError, OSError, ValueError):  # no stream, or a closed one
        return log


def _bars(parts: Sequence[Shown]) -> Any:
    """Return the work as a table of rich: title, bar, words."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=28)
    table.add_column()
    table.add_column(no_wrap=True)
    for part in parts:
        amount = part.amount()
        bar = ProgressBar(part.total, amount, width=20) if part.total else ""
        table.add_row(Text(part.title), bar, Text(part.words()))
    return table


def _raise() -> None:
    """Raise the present exception again."""
    raise


class Terminal:
    """The last lines of a terminal, on standard error; removed at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=sys.stderr)
        console.on_broken_pipe = _raise  # type: ignore[method-assign, attr-defined] # rich's own ends the process
        # standard output may be a file
        self._live = Live(
            console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._live.start()

    def show(self, parts: Sequence[Shown], fresh: bool) -> None:
        self._live.update(_bars(parts), refresh=True)

    def end(self, text: str) -> None:
        self._live.stop()


class Notebook:
    """Output of a notebook cell. The last text stays."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._text = ""

    def show(self, parts: Sequence[Shown], fresh: bool) -> None:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=COLUMNS, force_jupyter=False, color_system=None)
        console.print(_bars(parts))
        self._put(console.file.getvalue())  # type: ignore[attr-defined]

    def end(self, text: str) -> None:
        self._put(text)

    def _put(self, text: str) -> None:
        data = {"text/plain": text}
        if self._handle is None:
            self._handle = importlib.import_module("IPython.display").display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


class Log:
    """Log on standard error: a line for each change other than of numbers, and for numbers now and then."""

    def __init__(self) -> None:
        self._last, self._written = "", -SELDOM

    def show(self, parts: Sequence[Shown], fresh: bool) -> None:
        now = time.monotonic()
        text = "; ".join(f"{part.title}: {part.words()}" for part in parts)
        if text != self._last and (fresh or now - self._written >= SELDOM):
            self._last, self._written = text, now
            self._write(text)

    def end(self, text: str) -> None:
        self._write(text)

    def _write(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
