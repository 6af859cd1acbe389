"""Displays of one changing line: a terminal, a notebook, or on request a log."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import threading
import time
from typing import Any, Protocol

SHORTEST = 6  #: letters of a title that is made shorter
SELDOM = 10.0  #: s between two lines of a log that differ in numbers only

_child = False  #: this process is a fork


def _note_fork() -> None:
    global _child
    _child = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


class Screen(Protocol):
    """One line. What it writes to may fail in any way: who shows something looks after that."""

    def show(self, text: str, fresh: bool) -> None:
        """Replace the line; fresh: more than its numbers has changed."""

    def clear(self) -> None:
        """Remove the line, where who waited has no more use for it."""


def found() -> Screen | None:
    """The notebook or terminal of this process; None for logs, pipes, pools of processes and other threads.

    A notebook is an IPython kernel that has started this process: without one nothing of IPython is imported.
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
    except (AttributeError, OSError, ValueError):  # there is none, or it is closed
        return False


def _is_worker() -> bool:
    """True in a fork and in a process of multiprocessing's: several of them would write into one line."""
    processes = sys.modules.get("multiprocessing.process")
    return _child or (processes is not None and processes.parent_process() is not None)


def _kernel_shell() -> Any:
    """IPython's shell, if it is that of a kernel; None in IPython on a terminal, and without IPython."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = ask() if ask is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


class Terminal:
    """The last line of a terminal, on standard error."""

    def __init__(self) -> None:
        self._stream, self._length = sys.stderr, 0

    def show(self, text: str, fresh: bool) -> None:
        text = self._writable(fitting(text, self._width() - 1))  # a longer one would go on in the next line, and stay
        self._stream.write("\r" + text + " " * (self._length - len(text)))
        self._stream.flush()
        self._length = len(text)

    def clear(self) -> None:
        if self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()
        self._length = 0

    def _writable(self, text: str) -> str:
        """The same, with signs in the place of blocks that the terminal does not know."""
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
    """A line in so many columns: where it is too long its title, up to the colon, is made shorter if that does."""
    title, colon, words = text.partition(": ")
    left = len(title) - (len(text) - columns)
    if len(text) > columns and colon and left >= SHORTEST:
        title = title[: left - 3] + "..."
    return f"{title}{colon}{words}"[:columns]


class Notebook:
    """One text among the outputs of a cell. The last one stays."""

    _handle: Any = None  #: of the display in the cell that runs
    _cell: Any = None  #: and that cell

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
        """Nothing: it says what the wait was for."""


class Log:
    """Standard error where it is no terminal: a line for each change that is more than one of numbers."""

    def __init__(self) -> None:
        self._last, self._written = "", -SELDOM

    def show(self, text: str, fresh: bool) -> None:
        now = time.monotonic()
        if text != self._last and (fresh or now - self._written >= SELDOM):
            self._last, self._written = text, now
            sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def clear(self) -> None:
        """Nothing: lines of a log stay."""
