"""Files that are there as a whole or not at all; the package's own."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

LOADED = time.time()  #: s; when this process loaded the package


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Where to write what shall become the file `path`: beside it, and renamed once the block has ended well.

    Whoever reads `path` finds the old file or the whole new one; a block that fails leaves the old one, and nothing
    else. Makes the folder. What is no file (a pipe, /dev/stdout) is written as it is. Raises OSError, naming `path`.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not target.is_file():
        yield target
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    beside = target.with_name(f".{os.urandom(16).hex()}.tmp{target.suffix}")  # many writers tell the form by the suffix
    try:
        yield beside
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = str(path)
        raise


def sources(folder: Path) -> bytes:
    """The texts of all modules in a folder, which say what they make. Empty for an archive; raises OSError.

    Where one was written after this process had loaded the package, another text runs than stands there: then with
    something behind them that no other process has.
    """
    paths = sorted(folder.rglob("*.py"))
    written = max((path.stat().st_mtime for path in paths), default=0.0)
    running = b"" if not LOADED < written <= time.time() else os.urandom(16)
    return b"\0".join(path.read_bytes() for path in paths) + running
