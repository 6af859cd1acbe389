"""Kernels compiled by numba: a second compiler for the same text, and a check of the package's own translator.

The results have the same bits as those of the own translator, but for the last bit of powers and functions of the C
library. Compilation takes 11 to 44 times as long. The kernels are numba's functions, so users' loops that numba
compiles can call them.

numba keeps machine code beside the file of its text. Texts are therefore written to a folder of the cache, or to a
temporary folder if the cache cannot be written.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import inspect
import os
import sys
import tempfile
import types
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.disk import cache
from ..infrastructure.disk.files import replacing
from ..infrastructure.progress import count, progress_notice, set_stage
from ..infrastructure.syntax import parsed
from ..record.kernel_module import ENTRY_PREFIX, KernelModule
from ..record.module_reading import module_of
from .deferral import ModuleKernels
from .entries import Kernel, argument_kind
from .loader import KernelKey, Kinds, kernels_lock, module_hash
from .machine import NoLanes
from .modules import later_part
from .reach import kernel_count

TYPES = {"array": numba.float64[::1], "rows": numba.float64[:, ::1], "float": numba.float64, "int": numba.int64}
SECONDS = 0.17  #: usual duration of the compilation of a function, s
WRITTEN = 946684800  #: time stamp of all files, s: numba keeps machine code only while the file's time is the same

#: Kernels are called by other kernels only. Wrappers for Python would take as long to compile as many of them.
_inner = numba.njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)
_loaded: weakref.WeakValueDictionary[str, NumbaKernels] = weakref.WeakValueDictionary()


def kernel(function: types.FunctionType) -> Any:
    """Decorate a kernel of a generated text."""
    compiled = _inner(function)
    compiled.kernel_function = function
    return compiled


class NumbaKernels(ModuleKernels):
    """Kernels of one module, with the interface of `loader.Kernels`. Attributes other than `enter_NAME` are numba's."""

    tier, has_lanes = "numba", False

    def __init__(self, name: str, source: KernelModule):
        super().__init__(name, source)
        self._entries: dict[str, NumbaEntry] = {}
        self._read = hashlib.sha256(name.encode())  #: of the texts that the module has read

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name.startswith(ENTRY_PREFIX):
            return self.entry(name.removeprefix(ENTRY_PREFIX))
        if not hasattr(self.module, name) and self.later_parts:
            _ = self.later_part
        return getattr(self.module, name)

    def load(self, source: KernelModule | str) -> NumbaKernels:
        """Return the kernels of another module, compiled by numba too."""
        return load_kernels(source)

    def entry(self, name: str) -> NumbaEntry:
        """Return any kernel as a Python function."""
        with kernels_lock():
            return self._entries.setdefault(name, NumbaEntry(self, name))

    @cached_property
    def module(self) -> types.ModuleType:
        """The text as a module, whose kernels numba compiles at their first calls.

        Raises NoLanes for a text that computes on lanes.
        """
        module = sys.modules[self.name] = types.ModuleType(self.name)  # numba imports it with code from the cache
        weakref.finalize(self, sys.modules.pop, self.name, None)
        self._add(self.source.text, module)
        if int(getattr(module, "LANES", 1)) > 1:
            raise NoLanes("numba compiles no lanes")
        return module

    @cached_property
    def later_part(self) -> KernelModule:
        """The later part, such as second tangents; accessing it adds its kernels to the module."""
        part = later_part(self.later_parts)
        self._add(part.text, self.module)
        return part

    def ensure_compiled(self, *keys: KernelKey) -> None:
        """Load or compile several kernels."""
        for name, kinds in keys:
            self.entry(name).compiled(kinds)

    def dispatcher(self, name: str) -> Any:
        """Return the function of numba through which Python calls a kernel."""
        if self._needs_later_part(name):
            _ = self.later_part
        entered = ENTRY_PREFIX + name
        if not hasattr(self.module, entered):
            arguments = ", ".join(inspect.signature(getattr(self.module, name).kernel_function).parameters)
            self._add(f"@jit\ndef {entered}({arguments}):\n    return {name}({arguments})\n", self.module)
        return getattr(self.module, entered)

    def _add(self, text: str, module: types.ModuleType) -> None:
        """Read a text into the module. Its file is named after all texts up to this one, on which its code depends."""
        self._read.update(text.encode())
        path = _folder() / f"{self._read.hexdigest()[:24]}.py"
        if not path.exists():
            with replacing(path) as beside:
                beside.write_text(text, encoding="utf-8")
                os.utime(beside, (WRITTEN, WRITTEN))
        names, tree = module.__dict__, parsed(text)
        names["kernel"] = kernel  # in the place of the one that the head of the text imports
        tree.body = [n for n in tree.body if not (isinstance(n, ast.ImportFrom) and n.module == Kernel.__module__)]
        exec(compile(tree, path, "exec"), names)
        if isinstance(names.get("apart"), types.FunctionType):  # a mark of loops, which kernels call
            names["apart"] = _inner(names["apart"])


class NumbaEntry:
    """A kernel as a function for Python. numba compiles or loads it at the first call with new kinds of arguments."""

    def __init__(self, kernels: NumbaKernels, name: str):
        self._kernels, self.__name__ = kernels, name
        self._compiled: dict[Kinds, Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(tuple(map(argument_kind, arguments)))(*arguments)

    def compiled(self, kinds: Kinds) -> Any:
        """Return the function of numba, compiled for these kinds of arguments."""
        if kinds not in self._compiled:
            with kernels_lock(), progress_notice(self._kernels.title):
                function = self._kernels.dispatcher(self.__name__)
                with _counted(function):
                    function.compile(tuple(TYPES[kind] for kind in kinds))
                self._compiled[kinds] = function
        return self._compiled[kinds]


def load_kernels(source: KernelModule | str) -> NumbaKernels:
    """Return the kernels of a module, given as such or by its text; equal modules share them while they are in use."""
    source = module_of(source)
    name = "mbs_fmu_numba_" + module_hash(f"numba {numba.__version__}\n{source.text}")
    with kernels_lock():
        kernels = _loaded.get(name)
        if kernels is None:
            _loaded[name] = kernels = NumbaKernels(name, source)
        return kernels


class _Counter(event.Listener):  # type: ignore[misc, unused-ignore]  # numba has no types
    """Counts the functions that numba has compiled, for the progress line."""

    def on_start(self, event: object) -> None:
        """Called before a function is compiled."""

    def on_end(self, event: object) -> None:
        """Called after a function has been compiled."""
        count()


@contextlib.contextmanager
def _counted(function: Any) -> Iterator[None]:
    """Show how many of the functions that a function calls numba has compiled."""
    of = kernel_count(f.kernel_function for f in _called(function.py_func))
    set_stage("numba", of=of, seconds=SECONDS * of)
    with event.install_listener("numba:compile", _Counter()):
        yield


def _called(function: types.FunctionType) -> Sequence[Any]:
    names = (function.__globals__.get(name) for name in function.__code__.co_names)
    return [called for called in names if hasattr(called, "kernel_function")]


def _folder() -> Path:
    """Return the folder of the texts, which only this user can write."""
    try:
        folder = cache.folder("numba")
    except OSError:
        return _temporary_folder()
    return folder if os.access(folder, os.W_OK) else _temporary_folder()


@functools.cache
def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="mbs_fmu_numba_"))
