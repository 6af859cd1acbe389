"""LLVM code to machine code for this processor, by llvmlite alone: numba's import takes longer than many a model."""

from __future__ import annotations

import llvmlite.binding as llvm

from .llvm import lines as ir
from .llvm.optimising import optimise, prepare
from .machine import Tier
from .target import alone, machine, processor

#: Functions for which a processor may have no instruction, by LLVM's names for them.
INTRINSIC = {f"llvm.{name}.f64": name for name in ("sin", "cos", "exp", "log", "pow", "ceil")}

#: Levels of the code generator, by tier. Full: from 2 on it orders instructions a second time when registers are given,
#: which takes a third of its time and gains nothing here. Quick: one instruction after the other.
GENERATOR = {"full": 1, "quick": 0}


def object_code(module: ir.Module, lanes: int = 1, tier: Tier = "full") -> tuple[bytes, list[str]]:
    """Compile a module for this processor. Return the object file, and the functions that it leaves to be found.

    Kernels are straight lines and short loops: what LLVM does to them beyond the first level takes longer than all the
    rest and makes nothing faster, but lanes.
    """
    text = str(module)
    with alone:
        return _object_code(text, lanes, tier)  # whose names are gone, and what LLVM has of them, before others go on


def _object_code(text: str, lanes: int, tier: Tier) -> tuple[bytes, list[str]]:
    context = llvm.create_context()
    parsed = llvm.parse_assembly(text, context)
    generator = machine(GENERATOR[tier] if lanes == 1 else 3)
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
    """A module for functions of this processor."""
    module = ir.Module("kernels")
    module.triple = processor().triple
    return module
