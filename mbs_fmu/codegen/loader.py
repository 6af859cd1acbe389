"""Generated text to running kernels: machine code from the cache, or compiled anew.

The name of a text's kernels is a hash of it and of what decides their machine code, so cached machine code is never
stale. Where all that is called lies in the cache, the text is not even read. Without a cache that can be used
everything works, only compiled anew in each process.

What is neither loaded nor kept is compiled as quick code. Where that has run for about as long as full code takes to
make, full code is made and takes its place. Both give the same bits.
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

from ..disk import cache
from ..disk.sources import digest
from ..errors import ModelError
from ..progress import others, say, waiting
from .collection import collection_paused
from .engine import Engine
from .entries import Entry, Kernel, Quick
from .machine import ArgumentKind, MachineCode, MachineFunction, Tier
from .modules import Makers, add_kernels, behind, kernels_module, late_functions
from .reach import reached
from .target import processor

TIER_VARIABLE = "MBS_FMU_TIER"  #: "full": no quick code, for who wants to wait at once
ENTER = "enter_"  #: what the name of a kernel begins with where Python calls it
MOST_LOADED = 32  #: modules that stay in memory after their last user has gone
COST, QUICK_COST = 1.2e-4, 2e-5  #: s, about what an instruction of the translated text costs in either tier
LONG_RUN = "long run, compiling faster code"  #: what is shown to who waits
AGAIN = 0.2  #: of its cost, what quick code may spend that was kept and is needed again

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


def first_tier() -> Tier:
    """The tier of code that is neither loaded nor kept; ModelError where MBS_FMU_TIER names none."""
    named = os.environ.get(TIER_VARIABLE) or "quick"
    if named not in ("quick", "full"):
        raise ModelError(f'{TIER_VARIABLE} is {named!r}: leave it out, or give "full", for full code at once')
    return "full" if named == "full" else "quick"


class Kernels:
    """The kernels of one text. `enter_NAME` is the kernel NAME for Python; all other names are those of the module.

    Machine code is found in the cache or compiled when it is first called, and freed with the last who has some of it.

    title: names the kernels to who waits for them. tier: of code that is neither loaded nor kept. makers: of the text
    that stands behind, when something needs it: models that have this text, and what makes the rest of each, or
    None if the model has changed since.
    """

    def __init__(self, name: str, text: str):
        self.name, self.text = name, text
        self.title = "kernels"
        self.tier: Tier = first_tier()
        self.makers: Makers = weakref.WeakKeyDictionary()
        self._entries: dict[str, Entry] = {}
        self._functions: dict[Wanted, MachineFunction] = {}
        self._costs: dict[str, float] = {}  #: of entries of the cache that are loaded: s, what full code would cost
        self._places: dict[str, str] = {}  #: of shared functions that are loaded: the entry of the cache that has each

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

    # -- the text -------------------------------------------------------------------------------------
    @functools.cached_property
    def module(self) -> types.ModuleType:
        """The text as a module, for who compiles it or looks into it."""
        module = kernels_module(self.name, self.text)
        module.__dict__["KERNELS"] = self
        if "behind" in self.__dict__:
            add_kernels(module, f"{self.full_name}_behind", self.behind)
        return module

    @functools.cached_property
    def behind(self) -> str:
        """The text that stands behind, which is in the module from now on."""
        text = behind(self.makers)
        if "module" in self.__dict__:
            add_kernels(self.module, f"{self._name_with(text)}_behind", text)
        return text

    def text_with(self, *names: str) -> str:
        """The text, and what stands behind it where one of these kernels or any of its own needs that."""
        needed = self.makers and (self._late or any(map(self._is_late, names)))
        return f"{self.text}\n\n{self.behind}" if needed else self.text

    @functools.cached_property
    def full_name(self) -> str:
        """The name of what needs the text that stands behind."""
        return self._name_with(self.behind)

    def _name_with(self, text: str) -> str:
        return "mbs_fmu_kernels_" + module_hash(self.text + text)

    @functools.cached_property
    def _late(self) -> frozenset[str]:
        return late_functions(self.text)

    def _is_late(self, name: str) -> bool:
        return bool(self.makers) and (name in self._late or f"def {name}(" not in self.text)

    # -- machine code ---------------------------------------------------------------------------------
    @functools.cached_property
    def engine(self) -> Engine:
        """Where quick code lies."""
        return Engine()

    def together(self, *wanted: Wanted) -> None:
        """Make several kernels ready. Those that are not kept are compiled at once: what they share only once.

        They are kept as the first of those: name what all need first.
        """
        with _lock:
            if all(one in self._functions for one in wanted):
                return
            if any(self._is_late(name) for name, _ in wanted):
                _ = self.behind
            missing = self._missing(wanted)
            if not missing:
                return
            with waiting(self.title), cache.lock(self._place(missing[0], self.tier), meanwhile=others):
                missing = self._missing(missing)  # another process may have made them meanwhile
                if missing:
                    self._compile(missing, self.tier)

    def function(self, name: str, kinds: Kinds) -> MachineFunction:
        """The machine code of a kernel; what it raises is what its translation does."""
        self.together((name, kinds))
        return self._functions[name, kinds]

    def _missing(self, wanted: Sequence[Wanted]) -> list[Wanted]:
        """Those that are neither loaded nor kept."""
        return [one for one in wanted if one not in self._functions and not self._kept(one)]

    def _place(self, wanted: Wanted, tier: Tier) -> str:
        """Where machine code of a kernel is kept."""
        name, kinds = wanted
        letters = "".join(kind[0] for kind in kinds)
        key = hashlib.sha256(str(processor()).encode()).hexdigest()[:16]
        own = self.full_name if self._is_late(name) else self.name
        return f"kernels/{own}.{name}.{letters}.{key}" + f".{tier}" * (tier == "quick")

    def _kept(self, wanted: Wanted) -> bool:
        """True if the function comes from the cache, with those that were compiled together with it."""
        tiers: tuple[Tier, ...] = ("full", "quick") if self.tier == "quick" else ("full",)
        return any(self._found(self._place(wanted, tier), tier) and wanted in self._functions for tier in tiers)

    def _found(self, place: str, tier: Tier) -> bool:
        """True if an entry of the cache is loaded now, behind those whose functions it calls."""
        data = cache.read(place)
        if data is None:
            return False
        try:
            code = MachineCode.from_bytes(data)
            for other, names in code.behind.items():
                there = other in self._costs or self._found(other, tier)
                if not there or not all(name in self._places for name in names):
                    return False  # it went, as unused ones do, or was made again without these
            if place not in self._costs:
                self._load(code, tier, place, AGAIN)
        except (OSError, RuntimeError, ValueError) as error:
            cache.discard(place, error)
            return False
        return True

    def _compile(self, wanted: Sequence[Wanted], tier: Tier) -> None:
        if int(getattr(self.module, "LANES", 1)) > 1:
            tier = "full"  # it is made for long runs
        place = self._place(wanted[0], tier)
        code = machine_code(self.module, wanted, tier, self._places, self._costs)
        self._load(code, tier, place, 1.0)
        cache.write(place, code.to_bytes())

    def _load(self, code: MachineCode, tier: Tier, place: str, patience: float) -> None:
        """Take in machine code. patience: how much of its cost may be spent in quick code.

        What is known of it comes last: Ctrl-C may come at any time, and then it is loaded again.
        """
        functions = (self.engine if tier == "quick" else Engine()).add(code)
        for signature, function in functions.items():
            wanted = signature.kernel, signature.arguments
            if tier == "quick":
                improve = functools.partial(self._improved, wanted, code.cost)
                self._functions.setdefault(wanted, Quick(function, patience * code.cost, improve))
            else:
                self._functions[wanted] = function
        self._places |= dict.fromkeys(code.offers, place)
        self._costs[place] = code.cost

    def _improved(self, wanted: Wanted, cost: float) -> MachineFunction | None:
        """The full code of a kernel that runs as quick code, for about so many seconds; None while others make it."""
        if not _lock.acquire(blocking=False):
            return None
        try:
            if isinstance(self._functions[wanted], Quick):
                place = self._place(wanted, "full")
                with cache.lock(place, patience=0.0) as held, waiting(self.title, LONG_RUN, cost):
                    if not held:
                        return None
                    if not self._found(place, "full"):
                        self._compile([wanted], "full")
            function = self._functions[wanted]
            self.entry(wanted[0]).renew(wanted[1], function)
            return function
        finally:
            _lock.release()


@collection_paused()
def machine_code(
    module: types.ModuleType,
    wanted: Sequence[Wanted],
    tier: Tier = "full",
    places: Mapping[str, str] | None = None,
    costs: Mapping[str, float] | None = None,
) -> MachineCode:
    """Compile kernels of a module. Raises NotImplementedError for what can't be translated.

    Of quick code: places of shared functions, the entry of the cache that has each, and what these entries cost.
    """
    from . import jit
    from .llvm import c_functions

    lines, lanes = jit.empty_module(), int(getattr(module, "LANES", 1))
    kernels = [(name, getattr(module, name).kernel_function, kinds) for name, kinds in wanted]
    shared = dict(places or {}) if tier == "quick" else None
    known = {name.split(".")[1] for name in shared or ()}
    say("translating", of=reached((kernel for _, kernel, _ in kernels), but=known))
    functions = c_functions.write_c_functions(lines, kernels, lanes, shared)
    c_functions.write_python_functions(lines, functions)
    say("machine code", seconds=(QUICK_COST if tier == "quick" else COST) * lines.size)
    code, needs = jit.object_code(lines, lanes, tier)
    if shared is None:
        return MachineCode(tuple(functions), tuple(needs), code)
    behind: dict[str, tuple[str, ...]] = {}
    for name in needs:
        if name in shared:
            behind[shared[name]] = (*behind.get(shared[name], ()), name)
    return MachineCode(
        functions=tuple(functions),
        needs=tuple(name for name in needs if name not in shared),
        code=code,
        offers=tuple(f.name for f in lines.functions if f.is_shared),
        behind=behind,
        cost=COST * lines.size + sum((costs or {}).get(place, 0.0) for place in behind),
    )


# -- by text ------------------------------------------------------------------------------------------------------


def module_hash(text: str) -> str:
    """Name of the kernels of this text: a hash of the text and of what makes machine code of it."""
    return hashlib.sha256(_makers() + text.encode()).hexdigest()[:24]


@functools.cache
def _makers() -> bytes:
    """The versions and a hash of the translator's text, which decide the machine code."""
    import llvmlite

    python = f"{sys.version_info[:3]} {sys.implementation.name}"
    return f"{python} llvmlite {llvmlite.__version__} {digest(Path(__file__).parent)}".encode()


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
