"""LLVM metadata of loops with independent iterations (`apart` in kernels/declarations.py).

All arrays are parts of one record, and LLVM cannot know that they do not overlap. Without metadata it would test this
before each loop, and the test takes longer than a loop over a dozen numbers. It would also unroll a loop of known
length before vectorising it. The metadata state that no iteration accesses what another one writes
(`llvm.loop.parallel_accesses`), and forbid unrolling and interleaving.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from . import lines as ir

NOT_UNROLLED = '!"llvm.loop.unroll.disable"'


def loop_range(loop: ast.For) -> tuple[Any, bool]:
    """Return the call of `range` over which a loop runs, and True if the loop is marked by `apart`."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="apart"), args=[counted], keywords=[]):
            return counted, True
    return loop.iter, False


def mark_independent(module: ir.Module, blocks: Iterable[ir.Block], back: ir.Block) -> None:
    """Add the metadata of one loop with independent iterations to its instructions.

    blocks: all blocks of the loop's body. back: the block whose last instruction jumps to the next iteration.
    """
    group = module.mark("distinct !{ }")
    for block in blocks:
        for k, line in enumerate(block.instructions):
            if isinstance(line, str) and (" = load " in line or line.startswith("  store ")):
                block.instructions[k] = f"{line}, !llvm.access.group {group}"
    nodes = (
        f'!{{ !"llvm.loop.parallel_accesses", {group} }}', f"!{{ {NOT_UNROLLED} }}",
        '!{ !"llvm.loop.interleave.count", i32 1 }',
    )  # fmt: skip
    marks = ", ".join(module.mark(node) for node in nodes)
    back.instructions[-1] = f"{back.instructions[-1]}, !llvm.loop {module.mark(f'distinct !{{ @, {marks} }}')}"
