"""A command that runs whenever a file changes, each time in a process of its own, so that imports are read again."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

EVERY = 0.5  #: s between two looks at the file


def run_on_changes(file: Path, command: Sequence[str], again: Sequence[str]) -> None:
    """Run a command now, and another one after each change of the file, until Ctrl-C.

    A command that fails has printed its error; the next change runs it again. While an editor replaces the file, it may
    be missing for a moment.
    """
    try:
        seen = _changed(file)
        subprocess.run(command)
        while True:
            time.sleep(EVERY)
            now = _changed(file)
            if now is not None and now != seen:
                seen = now
                subprocess.run(again)
    except KeyboardInterrupt:
        return


def _changed(file: Path) -> tuple[int, int] | None:
    """Return time and size of the file's last change; None if there is no file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
