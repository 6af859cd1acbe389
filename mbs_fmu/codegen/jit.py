"""Compilation of LLVM code for this processor, without numba, whose import takes longer than many models need."""

from __future__ import annotations

import llvmlite.binding as llvm

from .llvm import lines as ir
from .llvm.optimising import optimise, prepare
from .machine import Tier
from .target import llvm_lock, machine, processor

#: Functions that LLVM replaces by calls of the C library where the processor has no instruction, by LLVM's names.
INTRINSIC = {f"llvm.{name}.f64": name for name in ("sin", "cos", "exp", "log", "pow", "ceil")}

#: Levels of the code generator, by tier. From level 2 it schedules instructions a second time after the allocation of
#: registers, which takes a third of its time and gains nothing here.
GENERATOR = {"full": 1, "quick": 0}


def object_code(module: ir.Module, lanes: int = 1, tier: Tier = "full") -> tuple[bytes, list[str]]:
    """Compile a module for this processor. Return the object file and the names of its undefined functions.

    Kernels consist of straight-line code and short loops. Optimisation beyond level 1 takes longer than everything else
    and makes only code with lanes faster.
    """
    text = str(module)
    with llvm_lock:
        return _object_code(text, lanes, tier)  # frees its LLVM objects before the lock is released


def library_code(module: ir.Module, lanes: int) -> bytes:
    """Compile a module for a shared library on this processor. Return the object file, which has the bits of a JIT."""
    text = str(module)
    with llvm_lock:
        code, _ = _object_code(text, lanes, "full", library=True)
    return code


def _object_code(text: str, lanes: int, tier: Tier, library: bool = False) -> tuple[bytes, list[str]]:
    context = llvm.create_context()
    parsed = llvm.parse_assembly(text, context)
    generator = machine(GENERATOR[tier] if lanes == 1 else 3, library)
    if tier == "quick":
        prepare(parsed, generator)
    else:
        optimise(parsed, generator, 1 if lanes == 1 else 3, slp=False)
    parsed.verify()
    declared = {INTRINSIC.get(f.name, f.name) for f in parsed.functions if f.is_declaration}
    needs = sorted(name for name in declared if not name.startswith("llvm."))
    code: bytes = generator.emit_object(parsed)
    parsed.close()
    context.close()
    return code, needs


def empty_module() -> ir.Module:
    """Return an empty module for this processor."""
    module = ir.Module("kernels")
    module.triple = processor().triple
    return module
