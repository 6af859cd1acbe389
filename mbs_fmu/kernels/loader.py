"""Generated text to a running module: jitted, with machine code from the cache, or as plain Python.

The module's name is a hash of its text and of the versions that decide its machine code, so cached machine code is
never stale. Modules are made of the text in memory; from disk comes machine code only. Without a cache that can be
used everything works, only compiled anew in each process.
"""

from __future__ import annotations

import collections
import hashlib
import linecache
import sys
import threading
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..cache import cache_directory

if TYPE_CHECKING:
    from .translate import Kernel

#: The files that turn text into LLVM code.
TRANSLATOR = ("subset", "kinds", "vectors", "operations", "calls", "values", "statements", "translate")
KEPT = 32  #: modules that stay in memory after their last user has gone

_loaded: weakref.WeakValueDictionary[str, types.ModuleType] = weakref.WeakValueDictionary()
_recent: collections.OrderedDict[str, types.ModuleType] = collections.OrderedDict()
_lock = threading.Lock()


def module_hash(text: str) -> str:
    """Name of the module with this text: a hash of the text and of what makes machine code of it."""
    import llvmlite
    import numba

    versions = (
        f"{sys.version_info[:3]} {sys.implementation.name} numba {numba.__version__} llvmlite {llvmlite.__version__}"
    )
    here = Path(__file__).parent
    translator = b"".join((here / f"{name}.py").read_bytes() for name in TRANSLATOR)
    return hashlib.sha256(versions.encode() + translator + text.encode()).hexdigest()[:24]


def load(text: str) -> types.ModuleType:
    """The module with its kernels jitted on first use; the same one as long as somebody uses it."""
    name = "mbs_fmu_kernels_" + module_hash(text)
    with _lock:
        module = _loaded.get(name)
        if module is None:
            jitted = text.replace("from numba import njit\n", "from mbs_fmu.kernels.entries import njit\n")
            _loaded[name] = module = _execute(name, jitted)
            weakref.finalize(module, linecache.cache.pop, f"<{name}>", None)
        _recent[name] = module
        _recent.move_to_end(name)
        while len(_recent) > KEPT:
            _recent.popitem(last=False)
        return module


def entry(kernel: Kernel, arrays: int = 1) -> Callable:
    """A kernel that only other kernels call, as a function that Python can call; compiled at its first call."""
    import numba

    if arrays not in kernel.entries:
        jit = numba.njit(error_model="numpy")
        kernel.entries[arrays] = jit(lambda R, D: kernel(R, D)) if arrays == 2 else jit(lambda R: kernel(R))
    return kernel.entries[arrays]


def is_cached(text: str) -> bool:
    """Whether some of the module's machine code lies in the cache."""
    return any((cache_directory() / "kernels").glob(f"mbs_fmu_kernels_{module_hash(text)}.*"))


def load_uncached(text: str) -> types.ModuleType:
    """The module for ahead-of-time compilation: nothing is written, nothing can be called from Python."""
    return _execute("mbs_fmu_ahead", text.replace("njit(cache=True, ", "njit(no_cpython_wrapper=True, "))


def load_plain(text: str, overrides: dict[str, object] | None = None) -> types.ModuleType:
    """The same module as plain Python, not jitted; `overrides` replace functions of its library."""
    plain = text.replace("from numba import njit\n", "def njit(**options):\n    return lambda function: function\n")
    plain = plain.replace("@kernel\n", "")
    module = _execute("mbs_fmu_plain", plain)
    module.__dict__.update(overrides or {})
    return module


def _execute(name: str, text: str) -> types.ModuleType:
    """A module from text alone; inspect and tracebacks find the text."""
    module, filename = types.ModuleType(name), f"<{name}>"
    module.__dict__["MODULE"] = module  # who has a function of it has all of it
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), module.__dict__)
    return module
