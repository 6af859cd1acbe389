"""Machine code of the kernels of a generated module, loaded from the cache or compiled.

The name of a module's kernels is a hash of its text and of everything that determines the machine code, so cached
machine code is never stale. If the cache contains all called kernels, the text is not even parsed. Without a usable
cache each process compiles them again.

Kernels that are neither loaded nor cached are compiled as quick code. Once this has run for about as long as full code
takes to compile, full code replaces it. The results of both are bitwise identical.
"""

from __future__ import annotations

import collections
import functools
import hashlib
import os
import sys
import threading
import types
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.collection import collection_paused
from ..infrastructure.disk import cache
from ..infrastructure.disk.sources import digest
from ..infrastructure.errors import ModelError
from ..infrastructure.progress import note_other_process, progress_notice, set_stage
from ..record.kernel_module import ENTRY_PREFIX, KernelModule
from ..record.module_reading import module_of
from .deferral import ModuleKernels
from .engine import Engine
from .entries import Entry, Kernel, QuickCode
from .machine import ArgumentKind, MachineCode, MachineFunction, Tier
from .modules import add_kernels, forget_functions, kernels_module, later_part
from .reach import kernel_count
from .target import processor

TIER_VARIABLE = "MBS_FMU_TIER"  #: environment variable; "full" disables quick code
MOST_LOADED = 32  #: recently used modules that stay in memory when nothing refers to them
COST, QUICK_COST = 1.2e-4, 2e-5  #: approximate cost of compiling one LLVM instruction in the two tiers, s
LONG_RUN = "long run, compiling faster code"  #: notice during the compilation of full code
CACHED_PATIENCE = 0.2  #: `patience` of `Kernels._load` with cached quick code, which gets full code sooner

Kinds = tuple[ArgumentKind, ...]  #: kinds of a kernel's arguments
KernelKey = tuple[str, Kinds]  #: a kernel's name and the kinds of its arguments

_loaded: weakref.WeakValueDictionary[str, Kernels] = weakref.WeakValueDictionary()
_recent: collections.OrderedDict[str, Kernels] = collections.OrderedDict()
_lock = threading.RLock()


def _replace_lock() -> None:
    """Replace the lock in a forked child, because a thread of the parent may have held it.

    The data that it protects are consistent at all times.
    """
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_lock)


def kernels_lock() -> threading.RLock:
    """Return the lock that a thread holds while it loads or compiles kernels."""
    return _lock


def first_tier() -> Tier:
    """Return the tier of newly compiled code. Raises ModelError if MBS_FMU_TIER names no tier."""
    named = os.environ.get(TIER_VARIABLE) or "quick"
    if named not in ("quick", "full"):
        raise ModelError(f'{TIER_VARIABLE} is {named!r}: leave it out, or give "full" to compile full code at once')
    return "full" if named == "full" else "quick"


class Kernels(ModuleKernels):
    """Kernels of one module. `enter_NAME` is kernel NAME as a Python function; others are attributes of the module.

    Machine code is loaded from the cache or compiled at its first call, and freed when nothing refers to it.

    `tier` is that of newly compiled code.
    """

    has_lanes = True  #: modules for several members at once can be compiled

    def __init__(self, name: str, source: KernelModule):
        super().__init__(name, source)
        self.tier: Tier = first_tier()
        self._entries: dict[str, Entry] = {}
        self._functions: dict[KernelKey, MachineFunction] = {}
        self._costs: dict[str, float] = {}  #: cost of full code, s, by loaded cache entry
        self._defined_in: dict[str, str] = {}  #: cache entry that defines each loaded shared function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        entered = name.startswith(ENTRY_PREFIX)
        value = self.entry(name.removeprefix(ENTRY_PREFIX)) if entered else getattr(self.module, name)
        self.__dict__[name] = value  # later accesses find it at once
        return value

    def load(self, source: KernelModule | str) -> Kernels:
        """Return the kernels of another module, by the same engine."""
        return load_kernels(source)

    def entry(self, name: str) -> Entry:
        """Return any kernel as a Python function."""
        known = self._entries.get(name)
        if known is not None:
            return known
        with _lock:
            return self._entries.setdefault(name, Entry(self, name))

    # -- the module -----------------------------------------------------------------------------------
    @cached_property
    def module(self) -> types.ModuleType:
        """The module of Python, for compilation and inspection."""
        module = kernels_module(self.name, self.source)
        module.__dict__["KERNELS"] = self
        if "later_part" in self.__dict__:
            add_kernels(module, f"{self.full_name}_later", self.later_part)
        return module

    @cached_property
    def later_part(self) -> KernelModule:
        """The later part; accessing it adds its kernels to the module."""
        part = later_part(self.later_parts)
        if "module" in self.__dict__:
            add_kernels(self.module, f"{self._name_with(part)}_later", part)
        return part

    @cached_property
    def full_name(self) -> str:
        """Name of the kernels of the module together with the later part."""
        return self._name_with(self.later_part)

    def _name_with(self, part: KernelModule) -> str:
        return "mbs_fmu_kernels_" + module_hash(self.source.text + part.text)

    # -- machine code ---------------------------------------------------------------------------------
    @cached_property
    def engine(self) -> Engine:
        """Engine that owns the quick code."""
        return Engine()

    def ensure_compiled(self, *keys: KernelKey) -> None:
        """Load or compile several kernels. Those not in the cache are compiled together, shared functions only once.

        The name of the first kernel becomes that of the cache entry, so begin with a kernel that every call needs.
        """
        functions = self._functions
        for key in keys:
            if key not in functions:
                break
        else:
            return
        with _lock:
            if any(self._needs_later_part(name) for name, _ in keys):
                _ = self.later_part
            missing = self._missing(keys)
            if not missing:
                return
            with (
                progress_notice(self.title),
                cache.lock(self._cache_entry(missing[0], self.tier), meanwhile=note_other_process),
            ):
                missing = self._missing(missing)  # another process may have compiled some in the meantime
                if missing:
                    self._compile(missing, self.tier)

    def is_compiled(self, *keys: KernelKey) -> bool:
        """True if kernels are loaded or in the cache."""
        with _lock:
            return not self._missing(keys)

    def function(self, name: str, kinds: Kinds) -> MachineFunction:
        """Return the machine code of a kernel. Raises the errors of its translation, as `machine_code` does."""
        self.ensure_compiled((name, kinds))
        return self._functions[name, kinds]

    def _missing(self, keys: Sequence[KernelKey]) -> list[KernelKey]:
        """Return the kernels that are neither loaded nor in the cache."""
        return [key for key in keys if key not in self._functions and not self._load_cached(key)]

    def _cache_entry(self, kernel: KernelKey, tier: Tier) -> str:
        """Return the name of a kernel's entry in the cache."""
        name, kinds = kernel
        letters = "".join(kind[0] for kind in kinds)
        key = hashlib.sha256(str(processor()).encode()).hexdigest()[:16]
        own = self.full_name if self._needs_later_part(name) else self.name
        return f"kernels/{own}.{name}.{letters}.{key}" + f".{tier}" * (tier == "quick")

    def _load_cached(self, kernel: KernelKey) -> bool:
        """Load a kernel from the cache, with those that were compiled together with it; True on success."""
        tiers: tuple[Tier, ...] = ("full", "quick") if self.tier == "quick" else ("full",)
        return any(
            self._load_entry(self._cache_entry(kernel, tier), tier) and kernel in self._functions for tier in tiers
        )

    def _load_entry(self, entry_name: str, tier: Tier) -> bool:
        """Load a cache entry, and before it the entries whose functions it calls; True on success."""
        data = cache.read(entry_name)
        if data is None:
            return False
        try:
            code = MachineCode.from_bytes(data)
            for other, names in code.dependencies.items():
                is_loaded = other in self._costs or self._load_entry(other, tier)
                if not is_loaded or not all(name in self._defined_in for name in names):
                    return False  # the other entry was deleted as unused, or compiled again without these functions
            if entry_name not in self._costs:
                self._load(code, tier, entry_name, CACHED_PATIENCE)
        except (OSError, RuntimeError, ValueError) as error:
            cache.discard(entry_name, error)
            return False
        return True

    def _compile(self, keys: Sequence[KernelKey], tier: Tier) -> None:
        if int(getattr(self.module, "LANES", 1)) > 1:
            tier = "full"  # lanes are for long runs
        entry_name = self._cache_entry(keys[0], tier)
        code = machine_code(self.module, keys, tier, self._defined_in, self._costs)
        _keep_functions(self.module)
        self._load(code, tier, entry_name, 1.0)
        cache.write(entry_name, code.to_bytes())

    def _load(self, code: MachineCode, tier: Tier, entry_name: str, patience: float) -> None:
        """Load machine code.

        `patience` is the running time of quick code before its replacement, relative to the cost of full code. The
        tables are updated last, so that the code is loaded again later if Ctrl-C interrupts at any moment.
        """
        functions = (self.engine if tier == "quick" else Engine()).add(code)
        for signature, function in functions.items():
            key = signature.kernel, signature.arguments
            if tier == "quick":
                make_full = functools.partial(self._full_code, key, code.cost)
                self._functions.setdefault(key, QuickCode(function, patience * code.cost, make_full))
            else:
                self._functions[key] = function
        self._defined_in |= dict.fromkeys(code.offers, entry_name)
        self._costs[entry_name] = code.cost

    def _full_code(self, key: KernelKey, cost: float) -> MachineFunction | None:
        """Compile and return the full code of a kernel, which takes about `cost` seconds.

        Returns None while another thread or process compiles.
        """
        if not _lock.acquire(blocking=False):
            return None
        try:
            if isinstance(self._functions[key], QuickCode):
                entry_name = self._cache_entry(key, "full")
                with cache.lock(entry_name, patience=0.0) as held, progress_notice(self.title, LONG_RUN, cost):
                    if not held:
                        return None
                    if not self._load_entry(entry_name, "full"):
                        self._compile([key], "full")
            function = self._functions[key]
            self.entry(key[0]).replace(key[1], function)
            return function
        finally:
            _lock.release()


@collection_paused()
def machine_code(
    module: types.ModuleType,
    keys: Sequence[KernelKey],
    tier: Tier = "full",
    defined_in: Mapping[str, str] | None = None,
    costs: Mapping[str, float] | None = None,
) -> MachineCode:
    """Compile kernels of a module. Raises NotImplementedError for text that cannot be translated.

    For quick code, `defined_in` gives the cache entry that defines each shared function, and `costs` the cost of full
    code by entry, s.
    """
    from . import jit
    from .llvm import c_functions

    lines, lanes = jit.empty_module(), int(getattr(module, "LANES", 1))
    kernels = [(name, getattr(module, name).kernel_function, kinds) for name, kinds in keys]
    shared = dict(defined_in or {}) if tier == "quick" else None
    known = {name.split(".")[1] for name in shared or ()}
    set_stage("translating", of=kernel_count((kernel for _, kernel, _ in kernels), known=known))
    functions = c_functions.write_c_functions(lines, kernels, lanes, shared)
    c_functions.write_python_functions(lines, functions)
    set_stage("machine code", seconds=(QUICK_COST if tier == "quick" else COST) * lines.size)
    code, needs = jit.object_code(lines, lanes, tier)
    if shared is None:
        return MachineCode(tuple(functions), tuple(needs), code)
    dependencies: dict[str, tuple[str, ...]] = {}
    for name in needs:
        if name in shared:
            dependencies[shared[name]] = (*dependencies.get(shared[name], ()), name)
    return MachineCode(
        functions=tuple(functions),
        needs=tuple(name for name in needs if name not in shared),
        code=code,
        offers=tuple(f.name for f in lines.functions if f.is_shared),
        dependencies=dependencies,
        cost=COST * lines.size + sum((costs or {}).get(entry_name, 0.0) for entry_name in dependencies),
    )


#: The module translated last: its further kernels need its functions.
_translated: weakref.WeakSet[types.ModuleType] = weakref.WeakSet()


def _keep_functions(module: types.ModuleType) -> None:
    """Keep the functions of the module that has been translated, and discard those of the one before."""
    for before in _translated - {module}:
        forget_functions(before)
    _translated.clear()
    _translated.add(module)


# -- kernels by module ----------------------------------------------------------------------------------------------


def module_hash(text: str) -> str:
    """Return the name of the kernels of a text: a hash of the text and of the translator's version."""
    return hashlib.sha256(_translator_version() + text.encode()).hexdigest()[:24]


@functools.cache
def _translator_version() -> bytes:
    """Return the versions of Python and llvmlite and a hash of the translator's text, which determine machine code."""
    import llvmlite

    python = f"{sys.version_info[:3]} {sys.implementation.name}"
    return f"{python} llvmlite {llvmlite.__version__} {digest(Path(__file__).parent)}".encode()


def load_kernels(source: KernelModule | str) -> Kernels:
    """Return the kernels of a module, given as such or by its text; equal modules share them while they are in use."""
    source = module_of(source)
    name = "mbs_fmu_kernels_" + module_hash(source.text)
    with _lock:
        kernels = _loaded.get(name)
        if kernels is None:
            _loaded[name] = kernels = Kernels(name, source)
        _recent[name] = kernels
        _recent.move_to_end(name)
        while len(_recent) > MOST_LOADED:
            _recent.popitem(last=False)
        return kernels


def entry(kernel: Kernel) -> Entry:
    """Return, as a Python function, a kernel that usually only other kernels call."""
    kernels: Kernels = kernel.kernel_function.__globals__["KERNELS"]
    return kernels.entry(kernel.kernel_function.__name__)
