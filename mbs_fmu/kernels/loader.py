"""Generated text to a running module: jitted and cached on disk, or as plain Python.

The module's file name is a hash of its text and of the versions that decide its machine code, so a
cached kernel is never stale. The file is written beside and renamed, so that processes that compile the
same model at once do not disturb each other. Without a writable cache directory everything works,
only compiled anew in each process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import linecache
import logging
import os
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from pathlib import Path

import platformdirs

log = logging.getLogger("mbs_fmu")

_loaded: dict[str, types.ModuleType] = {}
_lock = threading.Lock()
CACHE_VARIABLE = "MBS_FMU_CACHE"


def cache_directory() -> Path:
    """Where modules and their machine code are kept: $MBS_FMU_CACHE, or the user's cache directory."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("mbs_fmu"))


def module_hash(text: str) -> str:
    """Name of the module with this text: a hash of the text and of what makes machine code of it."""
    import llvmlite
    import numba

    versions = (
        f"{sys.version_info[:3]} {sys.implementation.name} numba {numba.__version__} llvmlite {llvmlite.__version__}"
    )
    here = Path(__file__).parent
    translator = b"".join((here / f"{name}.py").read_bytes() for name in ("translate", "calls", "kinds", "vectors"))
    return hashlib.sha256(versions.encode() + translator + text.encode()).hexdigest()[:24]


def load(text: str) -> types.ModuleType:
    """The module with its kernels jitted on first use."""
    name = "mbs_fmu_kernels_" + module_hash(text)
    with _lock:
        if name not in _loaded:
            try:
                path = _written(name, text)
            except OSError as error:
                log.warning("no writable kernel cache (%s): kernels are compiled for this process only", error)
                _loaded[name] = _execute(name, text.replace("njit(cache=True, ", "njit("))
            else:
                _loaded[name] = _imported(name, path)
        return _loaded[name]


@functools.cache
def entry(kernel: Callable, arrays: int = 1) -> Callable:
    """A kernel that only other kernels call, as a function that Python can call; compiled at its first call."""
    import numba

    if arrays == 2:
        return numba.njit(error_model="numpy")(lambda R, D: kernel(R, D))
    return numba.njit(error_model="numpy")(lambda R: kernel(R))


def is_cached(text: str) -> bool:
    """Whether some of the module's machine code lies in the cache."""
    return any((cache_directory() / "__pycache__").glob(f"mbs_fmu_kernels_{module_hash(text)}.*.nbi"))


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


def _written(name: str, text: str) -> Path:
    directory = cache_directory()
    directory.mkdir(parents=True, exist_ok=True)
    _probe(directory / "__pycache__")
    path = directory / f"{name}.py"
    with contextlib.suppress(OSError):
        if path.read_text(encoding="utf-8") == text:
            return path
    handle, temporary = tempfile.mkstemp(suffix=".tmp", dir=directory)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def _probe(directory: Path) -> None:
    """OSError unless files can be made in the directory."""
    directory.mkdir(exist_ok=True)
    handle, name = tempfile.mkstemp(dir=directory)
    os.close(handle)
    os.unlink(name)


def _imported(name: str, path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _execute(name: str, text: str) -> types.ModuleType:
    """A module from text alone; inspect and tracebacks find the text."""
    module, filename = types.ModuleType(name), f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), module.__dict__)
    return module
