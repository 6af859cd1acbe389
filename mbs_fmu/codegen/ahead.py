"""A program's kernels ahead of time: their entries in C, their LLVM code for any machine, and zig, which links them.

`ALLOWED` lists the symbols that objects may leave undefined.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import logging
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..infrastructure.disk import cache
from ..infrastructure.errors import ModelError
from ..infrastructure.messages.extras import install
from ..kernels import records, sources
from ..record.kernel_module import KernelModule
from ..record.program import Program
from .entries import Kernel
from .llvm import lines
from .llvm.c_functions import write_c_functions
from .machine import PLAIN, ArgumentKind
from .parts import SHARED_NAMES, texts_of_parts

if TYPE_CHECKING:
    import llvmlite.binding as llvm

log = logging.getLogger("mbs_fmu")

#: Undefined symbols that objects may have: mathematics and memory functions of the C library, none of Python or numba.
ALLOWED = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "sqrt", "tanh", "ceil", "fmod",
    "memset", "memcpy", "memmove",
}  # fmt: skip
#: Entries of the objects: for each its arrays, and its scalars (d: double, i: integer). All return a status, or zero.
ENTRIES: dict[str, tuple[str, str]] = {
    "initialise": ("R", ""), "prepare": ("R", ""), "rates": ("RU", ""), "refresh": ("RU", ""), "advance": ("RU", "ddi"),
    "tangent": ("RD", ""), "start_tangent": ("RD", ""), "completed": ("RU", ""), "begin": ("RU", "d"),
    "follow": ("R", "dd"), "exchanged": ("RD", ""), "exchange_rates_d": ("RDEF", ""),
    "open_loop_status": ("R", "d"), "crosses": ("", "ddi"), "set_tolerances": ("R", "iddd"), "fits": ("RT", ""),
    "mode_ends": ("RU", ""), "advance_to_event": ("RU", "ddii"), "is_due": ("RU", ""), "apply_due": ("RU", "i"),
    "act": ("RU", ""),
}  # fmt: skip
#: Entries of models with closed loops only, with constraint modes only, with constraint modes, samples or resets, and
#: without any of these.
WITH_LOOPS = {"begin", "exchanged", "exchange_rates_d", "open_loop_status"}
WITH_MODES = {"mode_ends"}
WITH_EVENTS = {"advance_to_event", "is_due", "apply_due", "act"}
WITHOUT_EVENTS = {"advance"}
#: Ends of the names of the kernels of entries that make steps; they begin with the method and its step size control.
STEPS = {"advance": "", "advance_to_event": "_to_event"}
#: Entries of derivatives, and entries that a run calls once or rarely; all others make steps. Each part is a text of
#: its own.
TANGENTS = {"tangent", "exchange_rates_d"}
STARTS = {"initialise", "prepare", "start_tangent", "set_tolerances", "fits"}
COLD = TANGENTS | STARTS

Part = Literal["steps", "tangents", "starts"]


def entries(program: Program) -> list[str]:
    """Return the names of a model's entries, those of steps first."""
    absent = (set() if program.loops else WITH_LOOPS) | (set() if program.modes else WITH_MODES)
    absent |= WITHOUT_EVENTS if program.modes or program.jumps else WITH_EVENTS
    present = [name for name in ENTRIES if name not in absent]
    return sorted(present, key=lambda name: name in COLD)


def kernel_names(entries: Iterable[str], advance: str) -> dict[str, str]:
    """Return the kernel of each entry; `advance` is the kernel that makes the steps, such as "dopri5_adaptive"."""
    return {entry: advance + STEPS[entry] if entry in STEPS else entry for entry in entries}


def module_ahead(program: Program) -> KernelModule:
    """Return a module without Python: the program's, with the kernels that replace code in Python."""
    return program.module.with_functions(sources.kernels(records))


def lowered(kernels: Mapping[str, Kernel]) -> dict[Part, str]:
    """Return the LLVM text of each part, with entries int64 kernel_NAME(double *, ..., scalars).

    Raises RuntimeError for a kernel that returns a number instead of a status.
    """
    module = _translated(kernels)
    firsts: dict[Part, list[str]] = {"steps": [], "tangents": [], "starts": []}
    for name in kernels:
        firsts["tangents" if name in TANGENTS else "starts" if name in STARTS else "steps"].append(PLAIN + name)
    return dict(zip(firsts, texts_of_parts(module, list(firsts.values())), strict=True))


def lowered_whole(kernels: Mapping[str, Kernel]) -> str:
    """Return the LLVM text of all entries in one part. Raises as `lowered`."""
    (text,) = texts_of_parts(_translated(kernels), [[PLAIN + name for name in kernels]])
    return text


def _translated(kernels: Mapping[str, Kernel]) -> lines.Module:
    module = lines.Module("kernels")
    entry_points = [(name, kernel.kernel_function, kinds_of(name)) for name, kernel in kernels.items()]
    for signature in write_c_functions(module, entry_points, lanes=1):
        if signature.result != "int":
            raise RuntimeError(f"{signature.kernel} returns a number instead of a status")
    return module


def kinds_of(entry: str) -> tuple[ArgumentKind, ...]:
    """Return the kinds of an entry's arguments."""
    arrays, scalars = ENTRIES[entry]
    kinds: list[ArgumentKind] = ["array"] * len(arrays)
    kinds += ["float" if scalar == "d" else "int" for scalar in scalars]
    return tuple(kinds)


def require_allowed(module: llvm.ModuleRef) -> None:
    """Raise RuntimeError if the module calls a function that is neither of another part nor in ALLOWED."""
    declared = {f.name for f in module.functions if f.is_declaration}
    undefined = {name for name in declared if not name.startswith(("llvm.", SHARED_NAMES))}
    for name in sorted(undefined - ALLOWED):
        users = [f.name for f in module.functions if not f.is_declaration and f"@{name}(" in str(f)]
        raise RuntimeError(f"{' and '.join(users) or 'a kernel'} calls {name}, which no object may need")


# -- zig -----------------------------------------------------------------------------------------------------
def require_zig(what: str) -> None:
    """Raise ModelError if the ziglang package, which `what` need, is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        raise ModelError(f"{what} need the package ziglang: {install('native')}")


def zig_environment(folder: Path) -> dict[str, str]:
    """Return the environment of zig, which builds each system's C library once and keeps it in the cache.

    Without a writable cache the library goes to `folder`.
    """
    try:  # otherwise zig would try forever
        libraries = cache.folder("zig")
        tempfile.TemporaryFile(dir=libraries).close()
    except OSError as error:
        log.warning("no writable cache (%s): the C library is built anew each time", error)
        libraries = folder / "zig"
    local = folder / "zig-local"  # no other model can use these objects
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(libraries), "ZIG_LOCAL_CACHE_DIR": str(local)}


def first_time(name: str, target: str) -> bool:
    """True if zig must first build the C library of a target, which takes up to a minute."""
    return not _mark(name, target).exists()


def note_built(name: str, target: str) -> None:
    """Record that the target's C library is in the cache."""
    with contextlib.suppress(OSError):
        _mark(name, target).touch()


def _mark(name: str, target: str) -> Path:
    key = hashlib.sha256(target.encode()).hexdigest()[:8]
    return cache.cache_directory() / "zig" / f"built_{name}_{key}"
