"""Forks of a process whose other threads compute: the child inherits no lock of theirs and no half-imported module.

Modules are imported at their first use, by any thread. A child that inherits such a module while it is being imported
waits for ever for the thread that imports it, and which the child does not have.
"""

from __future__ import annotations

import _imp
import os
import sys
import time
from contextlib import suppress
from typing import Any, Protocol

LONGEST = 10.0  #: s that a fork waits for imports, in case one of them waits for the forking thread
_PACKAGE = __name__.partition(".")[0] + "."


class Lock(Protocol):
    def acquire(self) -> Any: ...
    def release(self) -> Any: ...


_locks: list[Lock] = []


def hold_at_forks(lock: Lock) -> None:
    """Hold a lock while this process is forked, so that the child inherits it free."""
    _locks.append(lock)


def _hold() -> None:
    """Acquire all locks and that of imports at a time at which no other thread imports a module of the package."""
    end = time.monotonic() + (0.0 if _imports_itself() else LONGEST)
    while True:
        for lock in _locks:
            lock.acquire()
        _imp.acquire_lock()  # last, because threads that hold the others import modules; no import begins from now on
        if not _is_importing() or time.monotonic() >= end:
            return
        _release()
        time.sleep(1e-3)


def _release() -> None:
    with suppress(RuntimeError):  # a child may have a new lock of imports
        _imp.release_lock()
    for lock in reversed(_locks):
        lock.release()


def _is_importing() -> bool:
    """True if a thread imports a module of the package."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(_PACKAGE)]
    return any(getattr(getattr(module, "__spec__", None), "_initializing", False) for module in modules)


def _imports_itself() -> bool:
    """True if the forking thread is inside an import, for which it must not wait."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_release)
