"""Calls in LLVM code: functions that are known by name, the C library's, and other kernels (see translate.py)."""

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

LIBM = {"tan", "asin", "acos", "atan", "atan2", "tanh"}  #: the C library's; LLVM has the others by name
ON_VECTORS = {"sqrt", "fabs", "ceil"}  #: functions that processors have for vectors; exact, so of the same bits

#: Calls of other kernels in one function that may be written out where they stand, and roughly their instructions.
#: A sine is a hundred: written out a thousand times, they take longer to compile and to run than a thousand calls.
FEW, OF_A_CALL = 64, 100


class Functions(Protocol):
    """Where the functions of an LLVM module are found, written when first asked for."""

    module: ir.Module

    def function(self, function: FunctionType, kinds: tuple[Kind, ...]) -> ir.Function: ...


class Calls:
    """Writes the calls in the body of one function."""

    def __init__(self, known: Kinds, operations: Operations, functions: Functions):
        self.known, self.operations, self.functions = known, operations, functions
        self.builder, self.lanes = operations.builder, operations.lanes
        self.count = 0  #: of calls so far
        self.inlined = 0  #: instructions that they may become, as a guess

    def call(self, name: str, e: ast.Call, given: Sequence[Operand]) -> Operand:
        """What a function returns for these arguments."""
        operations = self.operations
        if name in TO_INTEGER:
            return self.integer(e, given[0])
        if name in FLOATING:
            return self.math({"power": "pow"}.get(name, name), given)
        match name:
            case "view":
                return operations.bits(given[0])
            case "lt" | "le":
                return operations.compare(ast.Lt() if name == "lt" else ast.LtE(), *given)
            case "where":
                return operations.choice(operations.truth(given[0]), *given[1:])
            case "min" | "max":
                return operations.extreme(ast.Lt() if name == "min" else ast.Gt(), given)
            case "abs":
                return self.math("fabs", given) if is_number(given[0].kind) else operations.magnitude(given[0])
            case "tail":
                return Operand(operations.element(given[0], given[1].value), given[0].kind)
            case "column":
                return Operand(self.builder.gep(given[0].value, [given[1].value], inbounds=True), "column")
            case "common":
                return Operand(vectors.one_lane(self.builder, *given[0], 0), narrow(given[0].kind))
            case "every":
                mask = operations.converted(given[0], "mask")
                return Operand(vectors.every(self.builder, mask, self.lanes), "bool")
        return self.kernel(name, given)

    def integer(self, e: ast.Call, given: Operand) -> Operand:
        if is_wide(given.kind):
            text = ast.unparse(e.args[0])
            raise NotImplementedError(f"{self.known.function.__name__}: lanes differ in the integer {text}")
        return self.operations.integer(given)

    def kernel(self, name: str, given: Sequence[Operand]) -> Operand:
        """Another kernel; lane by lane where it branches on what differs between lanes."""
        kinds, values = tuple(x.kind for x in given), [x.value for x in given]
        known = inferred(self.known.called(name), kinds)
        result = self.known.result_of(name, kinds)
        if not known.parts:
            self.count += 1
            if set(kinds) != {"int"}:  # places of whole numbers become a constant or two
                self.inlined += OF_A_CALL * (self.count <= FEW)
            attributes = () if self.count <= FEW else ("noinline",)
            function = self.functions.function(known.function, kinds)
            return Operand(self.builder.call(function, values, attrs=attributes), result)
        scalar = self.functions.function(known.function, tuple(map(narrow, kinds)))
        if result == "bits":
            raise NotImplementedError(f"{self.known.function.__name__}: lanes differ in the integer of {name}")
        return Operand(self.lane_by_lane(scalar, given), result)

    def math(self, name: str, given: Sequence[Operand]) -> Operand:
        """LLVM's intrinsic function, or that of the C library."""
        kind = joined([*(x.kind for x in given), "float"])
        operands = [Operand(self.operations.converted(x, kind), kind) for x in given]
        if kind == "lanes" and name not in ON_VECTORS:
            return Operand(self.lane_by_lane(self.mathematics(name, DOUBLE), operands), kind)
        function = self.mathematics(name, self.operations.type(kind))
        return Operand(self.builder.call(function, [x.value for x in operands]), kind)

    def lane_by_lane(self, scalar: ir.Function, given: Sequence[Operand]) -> ir.Value:
        return vectors.lane_by_lane(self.builder, lambda values: self.builder.call(scalar, values), given, self.lanes)

    def mathematics(self, name: str, kind: ir.Type) -> ir.Function:
        full = name if name in LIBM else f"llvm.{name}.{'f64' if kind == DOUBLE else f'v{self.lanes}f64'}"
        module = self.functions.module
        known: ir.Function | None = module.globals.get(full)
        return known or ir.Function(
            module, ir.FunctionType(kind, [kind] * (2 if name in ("pow", "atan2") else 1)), full
        )
