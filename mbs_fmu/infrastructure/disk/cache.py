"""Cache on disk, shared by a user's processes: verified, bounded in size, private.

An entry consists of bytes under a name that identifies everything on which they depend. A checksum of name and bytes
precedes the bytes, so that a damaged or misplaced file is never used. A fault of the cache costs time only: the entry
is removed, a warning is logged once, and the caller computes the entry again.
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

CACHE_VARIABLE = "MBS_FMU_CACHE"  #: environment variable that names another folder
SIZE_VARIABLE = "MBS_FMU_CACHE_SIZE"  #: environment variable that sets another bound, MB
BOUND = 1000  #: default bound of all entries, MB; the least recently used ones are removed first
KINDS = ("kernels", "objects", "programs", "numba")  #: folders of entries; numba's has texts and numba's own files
OTHERS = ("zig", "locks")  #: folders of the C compiler, without bound, and of locks
PATIENCE = 120.0  #: longest wait for another process that computes the same entry, s
POLL_INTERVAL = 0.2  #: s between two calls of `meanwhile`
CHECKSUM = hashlib.sha256().digest_size

_warned: set[str] = set()


class NotOurs(PermissionError):
    """Error for a folder or file of the cache that other users own or can write."""


def cache_directory() -> Path:
    """Return the folder of the cache: $MBS_FMU_CACHE, or the user's cache directory."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("mbs_fmu"))


def folder(name: str) -> Path:
    """Return a folder of the cache, private to the user, and create it if it is missing.

    Raises NotOurs if other users own or can write it, OSError if it cannot be created.
    """
    for path in (cache_directory(), cache_directory() / name):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        require_own(path, path.stat())
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o700)
    return cache_directory() / name


def require_own(path: Path, status: os.stat_result) -> None:
    """Raise NotOurs, with the remedy, for a file or folder that other users own or can write."""
    if os.name != "posix":
        return  # elsewhere folders of users are private, and mode bits have no meaning
    remedy = f"delete it, or let {CACHE_VARIABLE} name a folder of your own"
    if status.st_uid != os.geteuid():
        raise NotOurs(f"{path} belongs to another user: {remedy}")
    if status.st_mode & 0o022:
        raise NotOurs(f"others can write {path}: {remedy}")


# -- entries --------------------------------------------------------------------------------------------------


def read(name: str) -> bytes | None:
    """Return the entry `name` ("kernels/..." or "objects/..."); None if there is no usable one."""
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
        os.utime(path)  # note the use
    return content


def write(name: str, content: bytes) -> None:
    """Write an entry, if possible, and remove the least recently used ones beyond the bound."""
    path = _path(name)
    if path is None:
        return
    try:
        with replacing(path) as beside:
            beside.touch(mode=0o600)
            beside.write_bytes(_checksum(name, content) + content)
        _trim()
    except OSError as error:
        _warn("full", f"an entry of the cache can't be kept ({error}): each process will create it again")


def usable() -> bool:
    """True if the cache can be written, as far as this process knows."""
    path = None if "full" in _warned else _path(KINDS[0] + "/")
    return path is not None and os.access(path, os.W_OK)


def discard(name: str, reason: object) -> None:
    """Remove an unusable entry and log a warning."""
    _warn("damaged", f"{cache_directory() / name} in the cache is unusable ({reason}): it is removed and created again")
    with contextlib.suppress(OSError):
        (cache_directory() / name).unlink()


@contextlib.contextmanager
def lock(
    name: str, patience: float | None = None, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[bool]:  # fmt: skip
    """Lock an entry, so that other processes wait for it instead of computing it too; yield True if the lock is held.

    patience: longest wait, s, by default PATIENCE. meanwhile: called repeatedly while another process holds the lock.
    The context also runs, with False, after the longest wait, and with True if locks cannot be written. The system
    releases the locks of a process that has died.
    """
    from filelock import FileLock

    with contextlib.ExitStack() as stack:
        held = True
        try:
            stripe = hashlib.sha256(name.encode()).hexdigest()[:2]  # entries share 256 files, which can stay
            held = _acquire(
                FileLock(folder("locks") / stripe), PATIENCE if patience is None else patience, meanwhile, stack
            )
        except (OSError, NotImplementedError):
            pass
        yield held


def _acquire(lock: BaseFileLock, patience: float, meanwhile: Callable[[], None], stack: contextlib.ExitStack) -> bool:
    """Acquire the lock, which the stack releases; return False after `patience` seconds."""
    from filelock import Timeout

    end = time.monotonic() + patience
    while True:
        try:
            stack.enter_context(lock.acquire(timeout=max(0.0, min(POLL_INTERVAL, end - time.monotonic()))))
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
    """Log a warning for the first fault of its kind, debug messages for later ones."""
    log.log(logging.DEBUG if fault in _warned else logging.WARNING, "%s", text)
    _warned.add(fault)


# -- its size -------------------------------------------------------------------------------------------------


def bound() -> float:
    """Return the bound on the size of all entries, bytes: $MBS_FMU_CACHE_SIZE in MB, or BOUND."""
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
    """Return the sizes of all files, bytes, by folder of the cache."""
    return {name: [status.st_size for _, status in _files(name)] for name in (*KINDS, *OTHERS)}


def clear() -> None:
    """Remove all files of the cache, and no others in its folder. Raises OSError."""
    import shutil

    top = cache_directory()
    for name in (*KINDS, *OTHERS):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(top / name)
    for earlier in [*top.glob("mbs_fmu_kernels_*.py"), *top.glob("__pycache__/mbs_fmu_kernels_*")]:
        earlier.unlink(missing_ok=True)  # modules that earlier versions wrote
    with contextlib.suppress(OSError):  # the folder may contain other files
        (top / "__pycache__").rmdir()


def _trim() -> None:
    """Remove the least recently used entries until the others are within the bound."""
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
