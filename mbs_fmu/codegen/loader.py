"""Generated text to running kernels: machine code from the cache or compiled anew, or plain Python.

The name of a text's kernels is a hash of it and of what decides their machine code, so cached machine code is never
stale. Where all that is called lies in the cache, the text is not even read. Without a cache that can be used
everything works, only compiled anew in each process.
"""

from __future__ import annotations

import collections
import functools
import hashlib
import importlib.util
import linecache
import os
import sys
import threading
import types
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..disk import cache
from ..disk.files import sources
from ..waiting import waiting
from .collection import collection_paused
from .engine import Engine, MachineFunction, processor
from .entries import Entry, Kernel
from .machine import ArgumentKind, MachineCode

ENTER = "enter_"  #: what the name of a kernel begins with where Python calls it
MOST_LOADED = 32  #: modules that stay in memory after their last user has gone
#: Of numba's settings those that decide what machine code it makes.
DECIDING = (
    "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX", "NUMBA_LOOP_VECTORIZE",
    "NUMBA_SLP_VECTORIZE", "NUMBA_DISABLE_INTEL_SVML",
)  # fmt: skip

Kinds = tuple[ArgumentKind, ...]  #: of a kernel's arguments
Wanted = tuple[str, Kinds]  #: a kernel

_loaded: weakref.WeakValueDictionary[str, Kernels] = weakref.WeakValueDictionary()
_recent: collections.OrderedDict[str, Kernels] = collections.OrderedDict()
_lock = threading.RLock()


def _renew_lock() -> None:
    """In the child of a fork, which lacks the thread that may hold it; what it guards is never half done."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class Kernels:
    """The kernels of one text. `enter_NAME` is the kernel NAME for Python; all other names are those of the module.

    Machine code is found in the cache or compiled when it is first called, and freed with the last who has some of it.
    """

    def __init__(self, name: str, text: str):
        self.name, self.text = name, text
        self.title = "kernels"  #: what is told to who waits for them
        self._entries: dict[str, Entry] = {}
        self._functions: dict[Wanted, MachineFunction] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        entered = name.startswith(ENTER) and f"def {name}(" in self.text
        found = self.entry(name.removeprefix(ENTER)) if entered else getattr(self.module, name)
        self.__dict__[name] = found  # next time it is an attribute
        return found

    def entry(self, name: str) -> Entry:
        """A kernel as a function that Python can call, also one that else only other kernels call."""
        with _lock:
            return self._entries.setdefault(name, Entry(self, name))

    @functools.cached_property
    def module(self) -> types.ModuleType:
        """The text as a module, for who compiles it or looks into it."""
        module = _execute(self.name, self.text.replace("from numba import njit\n", OUR_NJIT))
        module.__dict__["KERNELS"] = self
        weakref.finalize(module, linecache.cache.pop, f"<{self.name}>", None)
        return module

    @functools.cached_property
    def engine(self) -> Engine:
        """Where the machine code lies."""
        return Engine()

    def together(self, *wanted: Wanted) -> None:
        """Make several kernels ready. Those that are not kept are compiled at once: what they share only once.

        They are kept as the first of those: name what all need first.
        """
        with _lock:
            missing = self._missing(wanted)
            if not missing:
                return
            text = f"compiling {self.title}, the first time; kept in {cache.cache_directory()}"
            with waiting(self.title, text), cache.lock(self._place(missing[0])):
                missing = self._missing(missing)  # another process may have made them meanwhile
                if missing:
                    self._compile(missing)

    def function(self, name: str, kinds: Kinds) -> MachineFunction:
        """The machine code of a kernel; what it raises is what its translation does."""
        self.together((name, kinds))
        return self._functions[name, kinds]

    def _missing(self, wanted: Sequence[Wanted]) -> list[Wanted]:
        """Those that are neither loaded nor kept."""
        return [one for one in wanted if one not in self._functions and not self._kept(one)]

    def _place(self, wanted: Wanted) -> str:
        """Where machine code of a kernel is kept."""
        name, kinds = wanted
        letters = "".join(kind[0] for kind in kinds)
        key = hashlib.sha256(processor().encode()).hexdigest()[:16]
        return f"kernels/{self.name}.{name}.{letters}.{key}"

    def _kept(self, wanted: Wanted) -> bool:
        """Whether the function comes from the cache, with those that were compiled together with it."""
        data = cache.read(self._place(wanted))
        if data is None:
            return False
        try:
            self._load(MachineCode.from_bytes(data))
            if wanted not in self._functions:
                raise ValueError(f"no kernel {wanted[0]} for {wanted[1]}")
        except (OSError, RuntimeError, ValueError) as error:
            cache.discard(self._place(wanted), error)
            return False
        return True

    def _compile(self, wanted: Sequence[Wanted]) -> None:
        code = machine_code(self.module, wanted)
        self._load(code)
        cache.write(self._place(wanted[0]), code.to_bytes())

    def _load(self, code: MachineCode) -> None:
        for signature, function in self.engine.add(code).items():
            self._functions.setdefault((signature.kernel, signature.arguments), function)


OUR_NJIT = "from mbs_fmu.codegen.entries import njit\n"


@collection_paused()
def machine_code(module: types.ModuleType, wanted: Sequence[Wanted]) -> MachineCode:
    """Kernels of a module, compiled. Raises NotImplementedError for what can't be translated."""
    from . import c_functions, jit

    lines, lanes = jit.empty_module(), int(getattr(module, "LANES", 1))
    kernels = [(name, getattr(module, name).kernel_function, kinds) for name, kinds in wanted]
    functions = c_functions.write_c_functions(lines, kernels, lanes)
    c_functions.write_python_functions(lines, functions)
    code, needs = jit.object_code(lines, lanes)
    return MachineCode(tuple(functions), tuple(needs), code)


# -- by text ------------------------------------------------------------------------------------------------------


def module_hash(text: str) -> str:
    """Name of the kernels of this text: a hash of the text and of what makes machine code of it."""
    return hashlib.sha256(_makers() + text.encode()).hexdigest()[:24]


@functools.cache
def _makers() -> bytes:
    """What makes machine code: versions, the translator's text, numba's settings. numba itself is not imported."""
    import llvmlite

    found = importlib.util.find_spec("numba")
    assert found is not None and found.origin is not None
    numba = (Path(found.origin).parent / "_version.py").read_bytes()
    python = f"{sys.version_info[:3]} {sys.implementation.name}"
    settings = " ".join(f"{name}={os.environ[name]}" for name in DECIDING if name in os.environ)
    translator = sources(Path(__file__).parent)
    return f"{python} llvmlite {llvmlite.__version__} {settings}".encode() + numba + translator


def load_kernels(text: str) -> Kernels:
    """The kernels of a text; the same ones as long as somebody uses them."""
    name = "mbs_fmu_kernels_" + module_hash(text)
    with _lock:
        kernels = _loaded.get(name)
        if kernels is None:
            _loaded[name] = kernels = Kernels(name, text)
        _recent[name] = kernels
        _recent.move_to_end(name)
        while len(_recent) > MOST_LOADED:
            _recent.popitem(last=False)
        return kernels


def entry(kernel: Kernel) -> Entry:
    """A kernel that only other kernels call, as a function that Python can call."""
    kernels: Kernels = kernel.kernel_function.__globals__["KERNELS"]
    return kernels.entry(kernel.kernel_function.__name__)


def load_uncached(text: str) -> types.ModuleType:
    """The module for who compiles it ahead of time."""
    return _execute("mbs_fmu_ahead", text.replace("from numba import njit\n", OUR_NJIT))


def load_plain(text: str, overrides: dict[str, object] | None = None) -> types.ModuleType:
    """The same module as plain Python, not jitted; `overrides` replace functions of its library."""
    plain = text.replace("from numba import njit\n", "def njit(**options):\n    return lambda function: function\n")
    plain = plain.replace("@kernel\n", "")
    module = _execute("mbs_fmu_plain", plain)
    module.__dict__.update(overrides or {})
    # as `Kernels` has them
    module.__dict__.update(entry=functools.partial(getattr, module), together=lambda *wanted: None)
    return module


def _execute(name: str, text: str) -> types.ModuleType:
    """A module from text alone; inspect and tracebacks find the text."""
    module, filename = types.ModuleType(name), f"<{name}>"
    module.__dict__["MODULE"] = module  # who has a function of it has all of it
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), module.__dict__)
    return module
