"""Kernels to LLVM code: the functions of generated modules, translated for numba's code generator.

Typing and lowering take numba milliseconds a line, and it optimises every function again in each of its callers. The
functions of a generated module need only a small part of Python, all on doubles and integers. Here they are
translated directly: an entry and everything that it calls become functions of one LLVM module, each optimised once.
The functions stay ordinary Python, and run as they stand where numba is not wanted.

What they may have: assignments to names and to elements of arrays of doubles (also in place), `if`, `for ... in
range(...)`, `while`, `break`, `continue`, `return`, arithmetic, comparisons, conditional expressions, tables of
integers and numbers of the module, calls of each other and of the functions that subset.py lists. All this means what
it means in Python; anything else raises `subset.Refused` before it is translated.

From below: subset.py and kinds.py say what a function may have and of which kind each value is; operations.py,
calls.py, values.py and statements.py write it; here is the module that they write to.

Called with rows (a two-dimensional array for R, one column for each of the module's LANES members), the same text
computes all members at once: every number is a vector of LANES doubles, a comparison of numbers a mask, a conditional
expression a choice lane by lane. Integers and control flow are common to the lanes; a function that branches on
numbers is called lane by lane, and so is the C library. So every lane has the bits that it would have alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from ...progress import count
from . import lines as ir
from . import vectors
from .kinds import Kind, Pack, inferred, is_wide
from .statements import Body
from .subset import is_inlined, statements_of
from .vectors import INTEGER

#: Statements of the longest straight function that is written out wherever it is called.
COPIED = 500

# -- emission ------------------------------------------------------------------------------------------------


@dataclass
class Module:
    """Functions and tables of one LLVM module."""

    module: ir.Module
    lanes: int
    #: names of functions that were compiled before and are only declared; None: nothing is shared with other modules
    shared: Collection[str] | None = None

    def type(self, kind: Kind) -> ir.Type:
        return vectors.llvm_type(kind, self.lanes)

    def function(self, function: FunctionType, kinds: tuple[Kind, ...]) -> ir.Function:
        """The function for these kinds of arguments; written when first asked for."""
        given = "".join(f"p{k.size}{k.of[0]}" if isinstance(k, Pack) else str(k)[:2] for k in kinds)
        name, written = self._find(f"{function.__name__}.{given}{self.lanes}", (function, kinds))
        if isinstance(written, Function):
            return written
        known = inferred(function, kinds)
        signature = ir.FunctionType(self.type(known.result), [self.type(k) for k in kinds])
        out = Function(self.module, signature, name)
        out.made_from = function, kinds
        out.attributes.add("nounwind")
        inlined = _is_straight(function) or (not any(map(is_wide, kinds)) and is_inlined(function))
        if self.shared is None or inlined:
            out.linkage = "internal"
        elif name in self.shared:
            return out
        if _is_straight(function):
            out.attributes.add("alwaysinline")
        elif any(map(is_wide, kinds)):  # or vectors on the stack would lie across cache lines
            out.attributes.add("noinline")
            out.attributes.add(f"alignstack({8 * self.lanes})")
        elif is_inlined(function):
            out.attributes.add("alwaysinline")
        Body(self, known, out).write()
        count()
        return out

    def table(self, name: str, values: np.ndarray) -> ir.GlobalVariable:
        """A constant array of integers."""
        numbers = tuple(map(int, values))
        name, written = self._find(name, numbers)
        if isinstance(written, Table):
            return written
        kind = ir.ArrayType(INTEGER, len(numbers))
        out = Table(self.module, kind, name)
        out.made_from = numbers
        out.linkage, out.global_constant = "internal", True
        out.initializer = ir.Constant(kind, list(numbers))
        return out

    def _find(self, name: str, made_from: tuple[Any, ...]) -> tuple[str, Any]:
        """What was written from this, or None and a name for it: modules of two models have functions alike."""
        name, number = "mbs_fmu." + name, 0
        while True:
            full = f"{name}.{number}" if number else name
            written = self.module.globals.get(full)
            if written is None or written.made_from == made_from:
                return full, written
            number += 1


class Function(ir.Function):
    """A function of an LLVM module, and which kernel it is for which kinds of arguments."""

    made_from: tuple[FunctionType, tuple[Kind, ...]]


class Table(ir.GlobalVariable):
    """A constant of an LLVM module, and its integers."""

    made_from: tuple[int, ...]


def _is_straight(function: FunctionType) -> bool:
    """True if a function has neither loops nor branches, and is no longer than its copies may be."""
    body = statements_of(function)
    return len(body) <= COPIED and not any(isinstance(s, (ast.For, ast.While, ast.If)) for s in body)
