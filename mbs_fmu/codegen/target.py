"""The processor that machine code is made for, LLVM's code generator for it, and one lock around LLVM."""

from __future__ import annotations

import functools
import os
import sys
import threading
from typing import NamedTuple

import llvmlite.binding as llvm

from ..errors import ModelError

PROCESSOR_VARIABLE = "MBS_FMU_PROCESSOR"  #: names one of LEVELS


class Level(NamedTuple):
    """A level of x86 processors: features of this machine that it needs, and how many doubles it computes at once."""

    needs: tuple[str, ...]
    lanes: int


#: https://gitlab.com/x86-psABIs/x86-64-ABI, by LLVM's names.
LEVELS = {
    "x86-64": Level((), 2),
    "x86-64-v2": Level(("sse4.2", "ssse3", "popcnt"), 2),
    "x86-64-v3": Level(("avx2", "bmi", "bmi2", "fma", "f16c", "lzcnt", "movbe"), 4),
    "x86-64-v4": Level(("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"), 8),
}

#: Held by whoever calls LLVM. llvmlite's own lock can't be renewed: the child of a fork would wait for a thread that it
#: doesn't have, for ever. So a fork waits for this one.
alone = threading.RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=alone.acquire, after_in_parent=alone.release, after_in_child=alone.release)


class Processor(NamedTuple):
    """A processor in LLVM's words, and how many doubles it computes at once."""

    triple: str
    name: str
    features: str
    lanes: int


@functools.cache
def processor() -> Processor:
    """This machine's processor, or the level of it that MBS_FMU_PROCESSOR names.

    Raises ModelError for a level that is unknown, or beyond this machine.
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
        lanes = 8  # in Windows, functions with so much on the stack need a symbol that jitted code doesn't find
    return Processor(triple, llvm.get_host_cpu_name(), features.flatten(), lanes)


def machine(level: int) -> llvm.TargetMachine:
    """LLVM's code generator for this process; its code may lie anywhere (the large model of a JIT)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple, name, features, _ = processor()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(
        cpu=name, features=features, opt=level, reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault", jit=True,
    )  # fmt: skip
