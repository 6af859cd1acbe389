"""Calls in LLVM code: built-in functions, functions of the C library, and other kernels (see translate.py)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Protocol

from . import lines as ir
from . import vectors
from .kinds import FLOATING, TO_INTEGER, Kind, Kinds, inferred, is_number, is_wide, joined, narrow
from .operations import Operand, Operations
from .vectors import DOUBLE

#: Functions of the C library; the others are LLVM intrinsics.
LIBM = {"tan", "asin", "acos", "atan", "atan2", "tanh", "fmod"}
ON_VECTORS = {"sqrt", "fabs", "ceil"}  #: exact vector instructions, with the same bits as scalar ones

#: Largest number of calls that LLVM may inline in one function, and the instructions of a typical callee. A sine has a
#: hundred instructions; inlined a thousand times, it takes longer to compile and to run than a thousand calls.
MOST_INLINED_CALLS, CALL_SIZE = 64, 100


class Functions(Protocol):
    """Provider of the functions of an LLVM module, each written at its first use."""

    module: ir.Module

    def function(self, function: FunctionType, kinds: tuple[Kind, ...]) -> ir.Function: ...


class Calls:
    """Writer of the calls in the body of one function."""

    def __init__(self, kinds: Kinds, operations: Operations, functions: Functions):
        self.kinds, self.operations, self.functions = kinds, operations, functions
        self.builder, self.lanes = operations.builder, operations.lanes
        self.count = 0  #: number of calls written up to now
        self.inlined_size = 0  #: estimate of the instructions that inlining adds

    def call(self, name: str, e: ast.Call, arguments: Sequence[Operand]) -> Operand:
        """Write a call and return its result."""
        operations = self.operations
        if name == "each":
            return operations.integer(arguments[0])
        if name in TO_INTEGER:
            return self.integer(e, arguments[0])
        if name in FLOATING:
            return self.math({"power": "pow"}.get(name, name), arguments)
        match name:
            case "view":
                return operations.bits(arguments[0])
            case "lt" | "le":
                return operations.compare(ast.Lt() if name == "lt" else ast.LtE(), *arguments)
            case "where":
                return operations.choice(operations.truth(arguments[0]), *arguments[1:])
            case "min" | "max":
                return operations.extreme(ast.Lt() if name == "min" else ast.Gt(), arguments)
            case "abs":
                return (
                    self.math("fabs", arguments) if is_number(arguments[0].kind) else operations.magnitude(arguments[0])
                )
            case "tail":
                return Operand(operations.element(arguments[0], arguments[1].value), arguments[0].kind)
            case "rows":
                return Operand(operations.element(arguments[0], arguments[1].value), "rows")
            case "abreast":
                return operations.constant(self.lanes, "int")
            case "column":
                return Operand(self.builder.gep(arguments[0].value, [arguments[1].value], inbounds=True), "column")
            case "common":
                return Operand(vectors.one_lane(self.builder, *arguments[0], 0), narrow(arguments[0].kind))
            case "every":
                mask = operations.converted(arguments[0], "mask")
                return Operand(vectors.every(self.builder, mask, self.lanes), "bool")
        return self.kernel(name, arguments)

    def integer(self, e: ast.Call, operand: Operand) -> Operand:
        if is_wide(operand.kind):
            text = ast.unparse(e.args[0])
            raise NotImplementedError(f"{self.kinds.function.__name__}: lanes differ in the integer {text}")
        return self.operations.integer(operand)

    def kernel(self, name: str, arguments: Sequence[Operand]) -> Operand:
        """Call another kernel; lane by lane if it branches on values that differ between lanes."""
        kinds, values = tuple(x.kind for x in arguments), [x.value for x in arguments]
        callee = inferred(self.kinds.callee(name), kinds)
        result = self.kinds.result_of(name, kinds)
        if not callee.branches_on_lanes:
            self.count += 1
            if set(kinds) != {"int"}:  # functions of integers only compute addresses and become constants
                self.inlined_size += CALL_SIZE * (self.count <= MOST_INLINED_CALLS)
            attributes = () if self.count <= MOST_INLINED_CALLS else ("noinline",)
            function = self.functions.function(callee.function, kinds)
            return Operand(self.builder.call(function, values, attrs=attributes), result)
        scalar = self.functions.function(callee.function, tuple(map(narrow, kinds)))
        if result == "bits" and not self.kinds.votes:
            raise NotImplementedError(f"{self.kinds.function.__name__}: lanes differ in the integer of {name}")
        return Operand(self.lane_by_lane(scalar, arguments), result)

    def math(self, name: str, arguments: Sequence[Operand]) -> Operand:
        """Call an LLVM intrinsic or a function of the C library."""
        kind = joined([*(x.kind for x in arguments), "float"])
        operands = [Operand(self.operations.converted(x, kind), kind) for x in arguments]
        if kind == "lanes" and name not in ON_VECTORS:
            return Operand(self.lane_by_lane(self.math_function(name, DOUBLE), operands), kind)
        function = self.math_function(name, self.operations.type(kind))
        return Operand(self.builder.call(function, [x.value for x in operands]), kind)

    def lane_by_lane(self, scalar: ir.Function, arguments: Sequence[Operand]) -> ir.Value:
        return vectors.lane_by_lane(
            self.builder, lambda values: self.builder.call(scalar, values), arguments, self.lanes
        )

    def math_function(self, name: str, kind: ir.Type) -> ir.Function:
        full = name if name in LIBM else f"llvm.{name}.{'f64' if kind == DOUBLE else f'v{self.lanes}f64'}"
        module = self.functions.module
        known: ir.Function | None = module.globals.get(full)
        return known or ir.Function(
            module, ir.FunctionType(kind, [kind] * (2 if name in ("pow", "atan2", "fmod") else 1)), full
        )
