"""LLVM metadata of loops with independent iterations (`apart` in kernels/declarations.py).

All arrays are parts of one record, and LLVM cannot know that they do not overlap. Without metadata, it checks this
before each loop, which takes longer than a dozen numbers, and unrolls a loop of known length before vectorising it. The
metadata state that no iteration accesses what another one writes (`llvm.loop.parallel_accesses`), and forbid unrolling
and interleaving.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from . import lines as ir


def loop_range(loop: ast.For) -> tuple[Any, bool]:
    """Return the range of a loop, and True if its iterations are independent."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="apart"), args=[counted], keywords=[]):
            return counted, True
    return loop.iter, False


def mark_independent(module: ir.Module, blocks: Iterable[ir.Block], back: ir.Block) -> None:
    """Mark a loop of these blocks as independent; `back` ends with the jump to the next iteration."""
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
