"""Cache on disk, shared by a user's processes: checked when read, bounded in size, private.

An entry is some bytes under a name, which says all that decides them. A checksum over both stands before the bytes, so
that a damaged or misplaced file is never used. No fault of the cache is more than a loss of time: the entry is removed,
that is said once, and whoever asked makes it anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .files import replacing

if TYPE_CHECKING:
    from filelock import BaseFileLock

log = logging.getLogger("mbs_fmu")

CACHE_VARIABLE = "MBS_FMU_CACHE"  #: names another folder
SIZE_VARIABLE = "MBS_FMU_CACHE_SIZE"  #: gives another bound, in MB
BOUND = 1000  #: MB of entries; those that were not used for longest go first
KINDS = ("kernels", "objects", "programs")  #: folders of entries
OTHERS = ("zig", "locks")  #: folders of the C compiler, which are not bounded, and of what processes wait for
PATIENCE = 120.0  #: s to wait for another process that makes the same entry; then it is made twice
TURN = 0.2  #: s between two calls of `meanwhile`
CHECKSUM = hashlib.sha256().digest_size

_warned: set[str] = set()


class NotOurs(PermissionError):
    """A folder or file of the cache into which others may have put something."""


def cache_directory() -> Path:
    """Return the folder of the cache: $MBS_FMU_CACHE, or the user's cache directory."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("mbs_fmu"))


def folder(name: str) -> Path:
    """A folder of the cache that only its owner can enter, made where it is missing.

    Raises NotOurs where others own or can write it, and OSError where it can't be made.
    """
    for place in (cache_directory(), cache_directory() / name):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        require_own(place, place.stat())
        if os.name == "posix" and place.stat().st_mode & 0o077:
            place.chmod(0o700)
    return cache_directory() / name


def require_own(path: Path, status: os.stat_result) -> None:
    """NotOurs, with the remedy, for a file or folder that others own or can write."""
    if os.name != "posix":
        return  # the user's folders are his own there, and the bits say nothing
    remedy = f"delete it, or let {CACHE_VARIABLE} name a folder of your own"
    if status.st_uid != os.geteuid():
        raise NotOurs(f"{path} belongs to another user: {remedy}")
    if status.st_mode & 0o022:
        raise NotOurs(f"others can write {path}: {remedy}")


# -- entries --------------------------------------------------------------------------------------------------


def read(name: str) -> bytes | None:
    """The entry `name` ("kernels/..." or "objects/..."), or None where there is none that can be used."""
    path = _path(name)
    if path is None:
        return None
    try:
        with open(path, "rb") as file:
            require_own(path, os.fstat(file.fileno()))
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        discard(name, error)
        return None
    content = data[CHECKSUM:]
    if data[:CHECKSUM] != _checksum(name, content):
        discard(name, "it is damaged")
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # it was used
    return content


def write(name: str, content: bytes) -> None:
    """Keep an entry, if that can be; others of long ago go where there is too much."""
    path = _path(name)
    if path is None:
        return
    try:
        with replacing(path) as beside:
            beside.touch(mode=0o600)
            beside.write_bytes(_checksum(name, content) + content)
        _trim()
    except OSError as error:
        _warn("full", f"an entry of the cache can't be kept ({error}): it will be made anew by each process")


def usable() -> bool:
    """True if entries are kept, as far as this process knows."""
    path = None if "full" in _warned else _path(KINDS[0] + "/")
    return path is not None and os.access(path, os.W_OK)


def discard(name: str, reason: object) -> None:
    """Remove an entry that can't be used, and say so."""
    _warn("damaged", f"{cache_directory() / name} in the cache is of no use ({reason}): it is removed and made anew")
    with contextlib.suppress(OSError):
        (cache_directory() / name).unlink()


@contextlib.contextmanager
def lock(
    name: str, patience: float | None = None, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[bool]:  # fmt: skip
    """Held by one process at a time, so that others wait for an entry instead of making it too; False if it is not.

    meanwhile: called again and again while another process holds it. The system lets go of the locks of a process that
    has died. A process that has waited for `patience` seconds (PATIENCE if left out) goes on without, as one does that
    can write no lock.
    """
    from filelock import FileLock

    with contextlib.ExitStack() as stack:
        held = True
        try:
            stripe = hashlib.sha256(name.encode()).hexdigest()[:2]  # 256 files are enough, and need no clearing
            held = _acquired(
                FileLock(folder("locks") / stripe), PATIENCE if patience is None else patience, meanwhile, stack
            )
        except (OSError, NotImplementedError):
            pass
        yield held


def _acquired(lock: BaseFileLock, patience: float, meanwhile: Callable[[], None], stack: contextlib.ExitStack) -> bool:
    """True once the lock is held, which the stack then ends; False after so many seconds."""
    from filelock import Timeout

    end = time.monotonic() + patience
    while True:
        try:
            stack.enter_context(lock.acquire(timeout=max(0.0, min(TURN, end - time.monotonic()))))
            return True
        except Timeout:
            if time.monotonic() >= end:
                return False
            meanwhile()


def _path(name: str) -> Path | None:
    try:
        return folder(name.partition("/")[0]) / name.partition("/")[2]
    except NotOurs as error:
        _warn("folder", f"the kernel cache is not used: {error}")
    except OSError as error:
        _warn("folder", f"no writable kernel cache ({error}): kernels are compiled for this process only")
    return None


def _checksum(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + content).digest()


def _warn(fault: str, text: str) -> None:
    """A warning for the first fault of its sort; of the others only who wants to know reads."""
    log.log(logging.DEBUG if fault in _warned else logging.WARNING, "%s", text)
    _warned.add(fault)


# -- its size -------------------------------------------------------------------------------------------------


def bound() -> float:
    """Bytes of entries that are kept at most: $MBS_FMU_CACHE_SIZE in MB, or BOUND."""
    setting = os.environ.get(SIZE_VARIABLE) or str(BOUND)
    try:
        megabytes = float(setting)
        if not megabytes >= 0.0:
            raise ValueError
    except ValueError:
        _warn("bound", f"{SIZE_VARIABLE} is {setting!r}: it must be a number of megabytes; {BOUND} is taken")
        megabytes = float(BOUND)
    return 1e6 * megabytes


def sizes() -> dict[str, list[int]]:
    """Sizes in bytes of all files, by the folder of the cache."""
    return {name: [status.st_size for _, status in _files(name)] for name in (*KINDS, *OTHERS)}


def clear() -> None:
    """Remove all that the cache has made, nothing else that lies in its folder. Raises OSError."""
    import shutil

    top = cache_directory()
    for name in (*KINDS, *OTHERS):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(top / name)
    for earlier in [*top.glob("mbs_fmu_kernels_*.py"), *top.glob("__pycache__/mbs_fmu_kernels_*")]:
        earlier.unlink(missing_ok=True)  # of versions that kept modules there
    with contextlib.suppress(OSError):  # others may use it too
        (top / "__pycache__").rmdir()


def _trim() -> None:
    """Remove entries, those of the longest ago first, until the others are within the bound."""
    files = sorted((file for name in KINDS for file in _files(name)), key=lambda file: file[1].st_mtime_ns)
    excess = sum(status.st_size for _, status in files) - bound()
    for path, status in files:
        if excess <= 0:
            break
        with contextlib.suppress(OSError):  # another process may have removed it
            path.unlink()
        excess -= status.st_size


def _files(name: str) -> Iterator[tuple[Path, os.stat_result]]:
    for path in (cache_directory() / name).rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                yield path, path.stat()
