"""Mesh files that end early: errors in place of endless waits.

Many of meshio's readers look for the end of a section line by line and never ask for the end of the file. They get
files here that refuse to be read behind their end again and again.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

MOST_EMPTY = 1000  #: reads behind the end; readers that notice it need one or two
ENDS_EARLY = "it ends early: copy or export it again"
LAST = 200  #: bytes at the end of a file, more than its last line of a gmsh file


class _Ending:
    """Reader that raises EOFError when it is read endlessly behind the end of the file."""

    _empty = 0

    def read(self, *size: Any) -> Any:
        return self._counted(super().read(*size))  # type: ignore[misc]

    def readline(self, *size: Any) -> Any:
        return self._counted(super().readline(*size))  # type: ignore[misc]

    def _counted(self, content: Any) -> Any:
        self._empty = 0 if content else self._empty + 1
        if self._empty > MOST_EMPTY:
            raise EOFError(ENDS_EARLY)
        return content


class _Bytes(_Ending, io.BufferedReader):
    """Binary file."""


class _Text(_Ending, io.TextIOWrapper):
    """Text file."""


def open_ending(file: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
    """The function `open`; files opened for reading raise EOFError when they are read endlessly behind their end."""
    if rest or options or mode not in ("r", "rt", "rb"):
        return open(file, mode, *rest, **options)
    return _Bytes(io.FileIO(file)) if mode == "rb" else _Text(io.BufferedReader(io.FileIO(file)))


def guard_meshio() -> None:
    """Make all readers of meshio open files by `open_ending`; no other module is affected."""
    for name, module in list(sys.modules.items()):
        if name.startswith("meshio.") and "open" not in vars(module):
            vars(module)["open"] = open_ending


def require_end(file: Path) -> None:
    """Raise EOFError for a file of gmsh whose last line ends no section. Other formats have no such mark."""
    with file.open("rb") as data:
        if data.read(5) != b"$Mesh":
            return
        data.seek(0, io.SEEK_END)
        data.seek(max(0, data.tell() - LAST))
        lines = data.read().split()
    if not lines[-1].startswith(b"$End"):
        raise EOFError(ENDS_EARLY)
