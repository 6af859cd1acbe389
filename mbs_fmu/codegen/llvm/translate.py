"""Translation of the functions of generated modules to LLVM code.

numba takes milliseconds for each line of typing and lowering, and optimises every function again in each of its
callers. The functions of a generated module use only a small part of Python, on doubles and integers. This package
translates them directly: an entry and everything that it calls become functions of one LLVM module, each optimised
once. The functions remain ordinary Python and also run without compilation.

They can contain assignments to names and to elements of arrays of doubles (also in place), `if`, `for ... in
range(...)`, `while`, `break`, `continue`, `return`, arithmetic, comparisons, conditional expressions, tables of
integers and numbers of the module, calls of each other and of the functions that subset.py lists. All of these have the
same meaning as in Python. Anything else raises `subset.Refused` before translation.

subset.py and kinds.py check a function and infer the kind of each value. operations.py, calls.py, values.py and
statements.py write the code. This file contains the module to which they write.

If R is a two-dimensional array with one column for each of the module's LANES members (rows), the same text computes
all members at once. Every number is then a vector of LANES doubles, a comparison of numbers is a mask, and a
conditional expression chooses lane by lane. Integers and control flow are common to all lanes. Where they would differ,
the lanes of functions of a record agree by vote if the module provides for it (agreement.py); other functions that
branch on numbers are called lane by lane, and so are functions of the C library. Every lane is therefore bit-identical
to a separate run.

Arrays and rows may occur together. In a function with tangents R can be an array and D rows, with the tangents along
several directions (`rows` in kernels/library.py): values are then numbers, and only tangents are lanes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from types import FunctionType
from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.progress import count
from . import lines as ir
from . import vectors
from .kinds import Kind, Pack, inferred, is_wide
from .statements import Body
from .subset import definition_of, is_inlined, statements_of
from .vectors import INTEGER

#: Statements of the longest function without loops and branches that is always inlined.
MOST_INLINED_STATEMENTS = 500
#: Statements of the longest function on lanes that is always inlined although lanes agree on its branches.
MOST_VOTING_STATEMENTS = 12

# -- emission ------------------------------------------------------------------------------------------------


@dataclass
class Module:
    """Functions and tables of one LLVM module."""

    module: ir.Module
    lanes: int  #: of members of a batch, or of `rows` in other modules
    #: names of functions that are already compiled and only declared here; None: all functions are internal
    shared: Collection[str] | None = None

    def type(self, kind: Kind) -> ir.Type:
        return vectors.llvm_type(kind, self.lanes)

    def function(self, function: FunctionType, kinds: tuple[Kind, ...]) -> ir.Function:
        """Return the function for these kinds of arguments, written at its first use."""
        suffix = "".join(map(_letters, kinds))
        name, written = self._find(f"{function.__name__}.{suffix}{self.lanes}", (function, kinds))
        if isinstance(written, Function):
            return written
        inferred_kinds = inferred(function, kinds)
        signature = ir.FunctionType(self.type(inferred_kinds.result), [self.type(k) for k in kinds])
        result = Function(self.module, signature, name)
        result.made_from = function, kinds
        result.attributes.add("nounwind")
        always_inlined = _is_straight(function) or (inferred_kinds.votes and _size(function) <= MOST_VOTING_STATEMENTS)
        inlined = always_inlined or (not any(map(is_wide, kinds)) and is_inlined(function))
        if self.shared is None or inlined:
            result.linkage = "internal"
        elif name in self.shared:
            return result
        if always_inlined:
            result.attributes.add("alwaysinline")
        elif any(map(is_wide, kinds)):  # aligned stack, so that vectors do not cross cache lines
            result.attributes.add("noinline")
            result.attributes.add(f"alignstack({8 * self.lanes})")
        elif is_inlined(function):
            result.attributes.add("alwaysinline")
        Body(self, inferred_kinds, result).write()
        count()
        return result

    def table(self, name: str, values: np.ndarray) -> ir.GlobalVariable:
        """Return a constant array of integers, written at its first use."""
        numbers = tuple(map(int, values))
        name, written = self._find(name, numbers)
        if isinstance(written, Table):
            return written
        kind = ir.ArrayType(INTEGER, len(numbers))
        result = Table(self.module, kind, name)
        result.made_from = numbers
        result.linkage, result.global_constant = "internal", True
        result.initializer = ir.Constant(kind, list(numbers))
        return result

    def _find(self, name: str, made_from: tuple[Any, ...]) -> tuple[str, Any]:
        """Return a free name, and None; or the name of what was already written from this source, and that.

        A number is appended to the name if something else has it already.
        """
        name, number = "mbs_fmu." + name, 0
        while True:
            full = f"{name}.{number}" if number else name
            written = self.module.globals.get(full)
            if written is None or written.made_from == made_from:
                return full, written
            number += 1


class Function(ir.Function):
    """A function of an LLVM module, with its kernel and the kinds of its arguments."""

    made_from: tuple[FunctionType, tuple[Kind, ...]]


class Table(ir.GlobalVariable):
    """A constant array of an LLVM module, with its integers."""

    made_from: tuple[int, ...]


def _letters(kind: Kind) -> str:
    """Return letters for a kind, in names of functions."""
    if not isinstance(kind, Pack):
        return str(kind)[:2]
    return f"p{kind.size}{kind.of[0]}" if isinstance(kind.of, str) else f"p{''.join(item[0] for item in kind.of)}"


def _is_straight(function: FunctionType) -> bool:
    """True if a function has neither loops nor branches, and is short enough to be always inlined."""
    body = statements_of(function)
    return len(body) <= MOST_INLINED_STATEMENTS and not any(isinstance(s, (ast.For, ast.While, ast.If)) for s in body)


def _size(function: FunctionType) -> int:
    """Return the number of statements of a function, with those inside of others."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(definition_of(function))) - 1
