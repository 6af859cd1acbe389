"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import platform
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to, renamed to `path` if the block succeeds.

    Whoever reads `path` finds the old file or the whole new one; a block that fails leaves the old one, and nothing
    else. Makes the folder, and removes from it what writers that were killed have left. What is no file (a pipe,
    /dev/stdout) is written as it is. Raises OSError, naming `path`.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not target.is_file():
        yield target
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    _clear(target.parent)
    mine = f"{_machine()}-{os.getpid()}-{os.urandom(8).hex()}"
    beside = target.with_name(f".{mine}.tmp{target.suffix}")  # many writers tell the form by the suffix
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


# -- what writers that were killed have left ----------------------------------------------------------------------

LEFT = re.compile(r"\.(?:[0-9a-f]{32}|(?P<machine>[0-9a-f]{16})-(?P<process>\d+)-[0-9a-f]{16})\.tmp(?:\..*)?")
STALE = 86400.0  #: s without a change, after which no file is still being written
SHARE = 0.01  #: of its time that a process looks for such files at most: folders may have very many

_next_look: dict[Path, float] = {}  #: by folder, in s of the monotonic clock


def _clear(folder: Path) -> None:
    """Remove unfinished files of processes of this machine that are over, and of others if they are a day old."""
    began = time.monotonic()
    if began < _next_look.get(folder, 0.0):
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = LEFT.fullmatch(entry.name)
            if match and entry.is_file(follow_symlinks=False) and _is_left(match, entry):
                with contextlib.suppress(OSError):  # another process has removed it
                    os.unlink(entry.path)
    _next_look[folder] = began + (time.monotonic() - began) / SHARE


def _is_left(match: re.Match[str], entry: os.DirEntry[str]) -> bool:
    if match["machine"] == _machine() and not _runs(int(match["process"])):
        return True
    with contextlib.suppress(OSError):
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE
    return False


def _runs(process: int) -> bool:
    """True if there is a process of this number, or the system doesn't say; not for one that has only to be reaped."""
    if os.name != "posix":
        return True  # signal 0 would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        pass
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return True
    return state[:1] != [b"Z"]


@functools.cache
def _machine() -> str:
    """Whose numbers of processes mean the same: this machine, or container on it."""
    identity = platform.node()
    with contextlib.suppress(OSError, AttributeError):
        identity += os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(identity.encode(errors="replace")).hexdigest()[:16]
