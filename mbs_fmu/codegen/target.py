"""Target processor of machine code, LLVM's code generator for it, and a lock around LLVM."""

from __future__ import annotations

import functools
import os
import sys
import threading
from typing import NamedTuple

import llvmlite.binding as llvm

from ..infrastructure.errors import ModelError
from ..infrastructure.forks import hold_at_forks

PROCESSOR_VARIABLE = "MBS_FMU_PROCESSOR"  #: environment variable that names one of LEVELS


class Level(NamedTuple):
    """A level of x86 processors: the features that it requires, and the number of doubles in a SIMD register."""

    needs: tuple[str, ...]
    lanes: int


#: Levels of https://gitlab.com/x86-psABIs/x86-64-ABI, with LLVM's names of the features.
LEVELS = {
    "x86-64": Level((), 2),
    "x86-64-v2": Level(("sse4.2", "ssse3", "popcnt"), 2),
    "x86-64-v3": Level(("avx2", "bmi", "bmi2", "fma", "f16c", "lzcnt", "movbe"), 4),
    "x86-64-v4": Level(("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"), 8),
}

#: Every caller of LLVM holds this lock, and a fork waits for it. Otherwise a thread could hold llvmlite's own lock in a
#: fork, and the child, which cannot replace that lock, would wait forever.
llvm_lock = threading.RLock()

hold_at_forks(llvm_lock)


class Processor(NamedTuple):
    """A processor by its LLVM names, and the number of doubles in a SIMD register."""

    triple: str
    name: str
    features: str
    lanes: int


@functools.cache
def processor() -> Processor:
    """Return this machine's processor, or the level that MBS_FMU_PROCESSOR names.

    Raises ModelError for a level that is unknown or that this machine does not support.
    """
    named, triple, features = (
        os.environ.get(PROCESSOR_VARIABLE),
        llvm.get_process_triple(),
        llvm.get_host_cpu_features(),
    )
    if named:
        level = LEVELS.get(named) if triple.startswith("x86_64") else None
        if level is None or not all(features.get(need) for need in level.needs):
            raise ModelError(
                f"{PROCESSOR_VARIABLE} is {named!r}, which this machine's processor is not: leave it out, or give one"
                f" of {', '.join(LEVELS)} that is not beyond it"
            )
        return Processor(triple, named, "", level.lanes)
    lanes = 4 if features.get("avx") else 2
    if features.get("avx512f") and sys.platform != "win32":
        lanes = 8  # not on Windows, where the larger stack frames need a symbol that JIT-compiled code cannot find
    return Processor(triple, llvm.get_host_cpu_name(), features.flatten(), lanes)


def machine(level: int, library: bool = False) -> llvm.TargetMachine:
    """Return LLVM's code generator for this processor: for a shared library, or with the code model of a JIT."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple, name, features, _ = processor()
    target = llvm.Target.from_triple(triple)
    if library:
        return target.create_target_machine(cpu=name, features=features, opt=level, reloc="pic", codemodel="default")
    return target.create_target_machine(
        cpu=name, features=features, opt=level, reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault", jit=True,
    )  # fmt: skip
