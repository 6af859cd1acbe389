"""Marks of loops whose turns are apart (kernels/declarations.py), for LLVM.

Arrays lie in one record, and LLVM can't know that they don't overlap: it would ask before each loop, which takes longer
than a dozen numbers do, and would write out a loop of known length before it looks for vectors. These marks say that no
turn touches what another one writes (`llvm.loop.parallel_accesses`), and that several turns are one vector at most.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from llvmlite import ir


def turns_of(loop: ast.For) -> tuple[Any, bool]:
    """What a loop goes over, and whether its turns are apart."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="apart"), args=[counted], keywords=[]):
            return counted, True
    return loop.iter, False


class _Distinct(ir.MDValue):
    """A node of its own, whatever others have the same; `named`: it is its own first operand, as those of loops are."""

    operands: tuple[ir.Value, ...]

    def __init__(self, module: ir.Module, operands: Iterable[ir.Value] = (), named: bool = False):
        super().__init__(module, operands, name=str(len(module.metadata)))
        if named:
            self.operands = (self, *self.operands)

    def descr(self, buf: list[str]) -> None:
        buf += ("distinct !{ ", ", ".join(operand.get_reference() for operand in self.operands), " }\n")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


def mark(module: ir.Module, blocks: Iterable[ir.Block], back: ir.Instruction) -> None:
    """Marks a loop of these blocks, whose turns end with the jump `back`."""
    group = _Distinct(module)
    for block in blocks:
        for instruction in block.instructions:
            if isinstance(instruction, (ir.LoadInstr, ir.StoreInstr)):
                instruction.set_metadata("llvm.access.group", group)
    one = ir.Constant(ir.IntType(32), 1)
    marks = ("llvm.loop.parallel_accesses", group), ("llvm.loop.unroll.disable",), ("llvm.loop.interleave.count", one)
    back.set_metadata("llvm.loop", _Distinct(module, [module.add_metadata(m) for m in marks], named=True))
