"""A process in which pythonfmu's wrapper library ran a slave comes to its end without a fault.

The wrapper (pythonfmu 0.6.4 to 0.7.0) keeps its interpreter in a static shared pointer, which is released twice at the
end of a process: by the pointer's own destructor, which is an exit handler, and when the dynamic linker then finishes
the library. The second release writes into memory that the first one freed, and the process may abort. Both find
nothing where the wrapper's own `finalizePythonInterpreter` ran before; the exit handler registered last is the first to
run. It must be one of the C library: Python's are lost in hosts that don't finalize Python, and a call at once waits
for ever in hosts that are no Python.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

MARK = "resources/slavemodule.txt"  #: in every FMU of pythonfmu
_seen: set[Path] = set()  #: unpacked FMUs whose wrapper is seen to


def release_wrapper_at_exit(unpacked: Path) -> None:
    """Have the wrapper of an unpacked FMU, of pythonfmu if it is one, release its interpreter before all else at exit.

    To be called when an instance is made: exit handlers of all that it uses are registered then. Does nothing the
    second time, and on systems other than Linux.
    """
    unpacked = unpacked.resolve()
    if not sys.platform.startswith("linux") or unpacked in _seen or not (unpacked / MARK).is_file():
        return
    _seen.add(unpacked)
    for library in unpacked.glob("binaries/*/*.so"):
        with contextlib.suppress(OSError, AttributeError):  # not loaded in this process; another wrapper
            wrapper = ctypes.CDLL(str(library), mode=os.RTLD_NOLOAD)  # and stays loaded, as its handler must
            ctypes.CDLL(None)["__cxa_atexit"](wrapper["finalizePythonInterpreter"], None, None)
