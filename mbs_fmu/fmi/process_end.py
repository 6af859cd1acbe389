"""Workaround for a double release in pythonfmu's wrapper library, which can abort a process at its exit.

The wrapper (pythonfmu 0.6.4 to 0.7.0) keeps its interpreter in a static shared pointer, which is released twice when a
process ends: by the pointer's destructor, which is an exit handler, and again when the dynamic linker unloads the
library. The second release writes to freed memory.

Neither release does anything if the wrapper's `finalizePythonInterpreter` has run before. So this module registers that
function as an exit handler; the handler registered last runs first. It must be a handler of the C library, because
hosts that do not finalize Python never run Python's handlers. The function cannot be called immediately: it blocks
forever in hosts other than Python.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

MARK = "resources/slavemodule.txt"  #: file in every FMU of pythonfmu
_registered: set[Path] = set()  #: unpacked FMUs whose handler is registered


def release_wrapper_at_exit(unpacked: Path) -> None:
    """Register an exit handler that lets the wrapper of an unpacked pythonfmu FMU release its interpreter first.

    Call it when an instance is created: the handlers of all libraries that it uses are registered by then. Does nothing
    for other FMUs, on the second call, and on systems other than Linux.
    """
    unpacked = unpacked.resolve()
    if not sys.platform.startswith("linux") or unpacked in _registered or not (unpacked / MARK).is_file():
        return
    _registered.add(unpacked)
    for library in unpacked.glob("binaries/*/*.so"):
        with contextlib.suppress(OSError, AttributeError):  # the library is not loaded, or not such a wrapper
            wrapper = ctypes.CDLL(str(library), mode=os.RTLD_NOLOAD)  # keeps the library loaded for the handler
            ctypes.CDLL(None)["__cxa_atexit"](wrapper["finalizePythonInterpreter"], None, None)
