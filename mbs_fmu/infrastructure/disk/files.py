"""Names of files, and atomic replacement of files."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import ArgumentError
from ..messages.failures import display


def file_path(path: object, what: str = "path") -> Path:
    """Return a path from text or a `Path`. Raises ArgumentError for anything else, naming the argument `what`."""
    try:
        checked = Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(f"{what} is {display(path)}: give the name of a file, a text or a Path") from None
    if "\0" in str(checked):
        raise ArgumentError(f"{what} is {display(str(checked))}: names of files have no null character")
    return checked


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` to write to, and rename it to `path` if the block succeeds.

    Readers of `path` see the old file or the complete new one; if the block fails, the old one stays. Creates the
    folder, and removes temporary files of killed processes from it. Pipes and devices such as /dev/stdout are written
    directly. Raises ArgumentError for a path that is none, OSError with the name `path`.
    """
    path = file_path(path)
    target = Path(os.path.realpath(path))  # symbolic links stay
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not target.is_file():
        yield target
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    _clear(target.parent)
    unique = f"{_machine()}-{os.getpid()}-{os.urandom(8).hex()}"
    beside = target.with_name(f".{unique}.tmp{target.suffix}")  # many writers infer the format from the suffix
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


# -- temporary files of killed processes --------------------------------------------------------------------------

TEMPORARY = re.compile(r"\.(?:[0-9a-f]{32}|(?P<machine>[0-9a-f]{16})-(?P<process>\d+)-[0-9a-f]{16})\.tmp(?:\..*)?")
STALE = 86400.0  #: s without a change, after which a file is certainly no longer written
SHARE = 0.01  #: largest share of a process's time for the search, since folders can contain very many files

_next_search: dict[Path, float] = {}  #: time of the next search by folder, s of the monotonic clock


def _clear(folder: Path) -> None:
    """Remove temporary files of ended processes of this machine, and of other machines if they are a day old."""
    began = time.monotonic()
    if began < _next_search.get(folder, 0.0):
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = TEMPORARY.fullmatch(entry.name)
            if match and entry.is_file(follow_symlinks=False) and _is_abandoned(match, entry):
                with contextlib.suppress(OSError):  # another process has removed it
                    os.unlink(entry.path)
    _next_search[folder] = began + (time.monotonic() - began) / SHARE


def _is_abandoned(match: re.Match[str], entry: os.DirEntry[str]) -> bool:
    if match["machine"] == _machine() and not _runs(int(match["process"])):
        return True
    with contextlib.suppress(OSError):
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE
    return False


def _runs(process: int) -> bool:
    """True if a process with this number runs, or if that is unknown; False for zombies."""
    if os.name != "posix":
        return True  # signal 0 would end the process there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # a process of another user
        pass
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return True
    return state[:1] != [b"Z"]


@functools.cache
def _machine() -> str:
    """Return an identifier of this machine, or of the container, in which process numbers are unique."""
    import platform  # for files that are written only

    identity = platform.node()
    with contextlib.suppress(OSError, AttributeError):
        identity += os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(identity.encode(errors="replace")).hexdigest()[:16]
