"""Displays of the progress line: a terminal, a notebook, or a log."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import threading
import time
from typing import Any, Protocol

SHORTEST = 6  #: characters that a shortened title keeps
SELDOM = 10.0  #: s between two lines of a log that differ in numbers only

_child = False  #: True in the child of a fork


def _note_fork() -> None:
    global _child
    _child = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


class Screen(Protocol):
    """Display of one line. Its methods can raise any exception, which callers must handle."""

    def show(self, text: str, fresh: bool) -> None:
        """Replace the line; `fresh` is True if more than numbers has changed."""

    def clear(self) -> None:
        """Remove the line, if that suits the display."""


def current_screen() -> Screen | None:
    """Return the notebook or terminal of this process; None for logs, pipes, pools of processes and other threads.

    A process is a notebook if an IPython kernel runs in it. IPython is not imported otherwise.
    """
    if threading.get_ident() != threading.main_thread().ident or _is_worker():
        return None
    shell = _kernel_shell()
    if shell is not None:
        return Notebook(shell)
    return Terminal() if _is_terminal(sys.stderr) else None


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, OSError, ValueError):  # no stream, or a closed one
        return False


def _is_worker() -> bool:
    """True in the child of a fork and in a process of multiprocessing; several of them would write to one line."""
    processes = sys.modules.get("multiprocessing.process")
    return _child or (processes is not None and processes.parent_process() is not None)


def _kernel_shell() -> Any:
    """Return the shell of an IPython kernel; None in IPython on a terminal, and without IPython."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


class Terminal:
    """Last line of a terminal, on standard error."""

    def __init__(self) -> None:
        self._stream, self._length = sys.stderr, 0

    def show(self, text: str, fresh: bool) -> None:
        text = self._writable(fitting(text, self._width() - 1))  # a longer one would wrap and stay
        self._stream.write("\r" + text + " " * (self._length - len(text)))
        self._stream.flush()
        self._length = len(text)

    def clear(self) -> None:
        if self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()
        self._length = 0

    def _writable(self, text: str) -> str:
        """Return the text with # for characters that the terminal's encoding lacks."""
        try:
            text.encode(getattr(self._stream, "encoding", None) or "utf-8")
        except UnicodeEncodeError:
            return "".join(c if c.isascii() else "#" for c in text)
        return text

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (AttributeError, OSError, ValueError):
            return shutil.get_terminal_size().columns


def fitting(text: str, columns: int) -> str:
    """Return a text with at most `columns` characters; the title before the colon is shortened first."""
    title, colon, words = text.partition(": ")
    left = len(title) - (len(text) - columns)
    if len(text) > columns and colon and left >= SHORTEST:
        title = title[: left - 3] + "..."
    return f"{title}{colon}{words}"[:columns]


class Notebook:
    """Output of a notebook cell. The last text stays."""

    _handle: Any = None  #: handle of the display in the running cell
    _cell: Any = None  #: number of that cell

    def __init__(self, shell: Any):
        self._shell = shell

    def show(self, text: str, fresh: bool) -> None:
        cell = self._shell.execution_count
        data = {"text/plain": text}
        if Notebook._handle is None or Notebook._cell != cell:
            display = importlib.import_module("IPython.display").display
            Notebook._handle, Notebook._cell = display(data, raw=True, display_id=True), cell
        else:
            Notebook._handle.update(data, raw=True)

    def clear(self) -> None:
        """Do nothing: the last text states what the time was spent on."""


class Log:
    """Log on standard error: a line for each change other than of numbers."""

    def __init__(self) -> None:
        self._last, self._written = "", -SELDOM

    def show(self, text: str, fresh: bool) -> None:
        now = time.monotonic()
        if text != self._last and (fresh or now - self._written >= SELDOM):
            self._last, self._written = text, now
            sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def clear(self) -> None:
        """Do nothing: lines of a log stay."""
