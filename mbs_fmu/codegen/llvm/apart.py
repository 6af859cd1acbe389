"""Marks of loops whose turns are apart (kernels/declarations.py), for LLVM.

Arrays lie in one record, and LLVM can't know that they don't overlap: it would ask before each loop, which takes longer
than a dozen numbers do, and would write out a loop of known length before it looks for vectors. These marks say that no
turn touches what another one writes (`llvm.loop.parallel_accesses`), and that several turns are one vector at most.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from . import lines as ir


def turns_of(loop: ast.For) -> tuple[Any, bool]:
    """What a loop goes over, and whether its turns are apart."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="apart"), args=[counted], keywords=[]):
            return counted, True
    return loop.iter, False


def mark(module: ir.Module, blocks: Iterable[ir.Block], back: ir.Block) -> None:
    """Marks a loop of these blocks, whose turns end with the jump at the end of `back`."""
    group = module.mark("distinct !{ }")
    for block in blocks:
        for k, line in enumerate(block.instructions):
            if isinstance(line, str) and (" = load " in line or line.startswith("  store ")):
                block.instructions[k] = f"{line}, !llvm.access.group {group}"
    nodes = (
        f'!{{ !"llvm.loop.parallel_accesses", {group} }}', '!{ !"llvm.loop.unroll.disable" }',
        '!{ !"llvm.loop.interleave.count", i32 1 }',
    )  # fmt: skip
    marks = ", ".join(module.mark(node) for node in nodes)
    back.instructions[-1] = f"{back.instructions[-1]}, !llvm.loop {module.mark(f'distinct !{{ @, {marks} }}')}"
