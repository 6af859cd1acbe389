"""Calls in LLVM code: functions that are known by name, the C library's, and other kernels (see translate.py)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from llvmlite import ir

from . import vectors
from .kinds import FLOATING, LIBM, inferred, is_number, is_wide, joined, narrow
from .vectors import DOUBLE, INTEGER

if TYPE_CHECKING:
    from .translate import Body

ON_VECTORS = {"sqrt", "fabs", "ceil"}  #: functions that processors have for vectors; exact, so of the same bits


class Calls:
    """Writes the calls in the body of one function."""

    def __init__(self, body: Body):
        self.body, self.builder, self.lanes = body, body.builder, body.lanes

    def call(self, e: ast.Call) -> ir.Value | None:
        name = e.func.attr if isinstance(e.func, ast.Attribute) else e.func.id  # type: ignore[attr-defined]
        body, builder, arguments = self.body, self.builder, e.args
        match name:
            case "view":  # np.float64(x).view(np.int64): the bits of a double
                assert isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Call)
                kind = body.known.kind(e)
                return builder.bitcast(
                    body.as_kind(e.func.value.args[0], "lanes" if is_wide(kind) else "float"), body.module.type(kind)
                )
            case "int" | "integer" | "uintp" | "int64":
                return self.integer(arguments[0])
            case "lt" | "le":
                return body.compare(
                    arguments[0], ast.Lt() if name == "lt" else ast.LtE(), arguments[1], body.known.kind(e)
                )
            case "where":
                kind = joined([body.known.kind(e), "float"])
                return builder.select(body.truth(arguments[0]), *(body.as_kind(x, kind) for x in arguments[1:]))
            case "min" | "max":
                return self.extreme(e, "<" if name == "min" else ">")
            case "abs":
                return self.math("fabs", arguments)
            case "tail":
                kind = body.known.kind(arguments[0])
                return body.element(body.value(arguments[0]), kind, body.value(arguments[1]))
            case "column":
                return builder.gep(body.value(arguments[0]), [body.value(arguments[1])], inbounds=True)
            case "common":
                return vectors.one_lane(builder, body.value(arguments[0]), body.known.kind(arguments[0]), 0)
            case "every":
                return vectors.every(builder, body.as_truth(arguments[0], "mask"), self.lanes)
        if name in FLOATING:
            return self.math({"power": "pow"}.get(name, name), arguments)
        return self.kernel(name, arguments)

    def integer(self, e: ast.expr) -> ir.Value:
        kind, value = self.body.known.kind(e), self.body.value(e)
        if is_wide(kind):
            raise NotImplementedError(
                f"{self.body.known.function.__name__}: lanes differ in the integer {ast.unparse(e)}"
            )
        return self.builder.fptosi(value, INTEGER) if kind == "float" else value

    def kernel(self, name: str, arguments: list[ast.expr]) -> ir.Value | None:
        """Another kernel; lane by lane where it branches on what differs between lanes."""
        module, builder = self.body.module, self.builder
        kinds = tuple(self.body.known.kind(x) for x in arguments)
        known = inferred(self.body.known.called(name), kinds)
        values = [self.body.value(x) for x in arguments]
        if not known.parts:
            return builder.call(module.function(known.function, kinds), values)
        scalar = module.function(known.function, tuple(map(narrow, kinds)))
        if self.body.known.result_of(name, kinds) == "bits":
            raise NotImplementedError(f"{self.body.known.function.__name__}: lanes differ in the integer of {name}")
        given = list(zip(values, kinds, strict=True))
        return vectors.lane_by_lane(builder, lambda values: builder.call(scalar, values), given, self.lanes)

    def extreme(self, e: ast.Call, symbol: str) -> ir.Value:
        """Python's min and max: the first of equals, the first where one is NaN."""
        kind = self.body.known.kind(e)
        out, *others = (self.body.as_kind(x, kind) for x in e.args)
        for other in others:
            compare = self.builder.fcmp_ordered if is_number(kind) else self.builder.icmp_signed
            out = self.builder.select(compare(symbol, other, out), other, out)
        return out

    def math(self, name: str, arguments: list[ast.expr]) -> ir.Value:
        """LLVM's intrinsic function, or that of the C library."""
        kind = joined([*map(self.body.known.kind, arguments), "float"])
        values = [self.body.as_kind(x, kind) for x in arguments]
        if kind == "float":
            return self.builder.call(self.mathematics(name, DOUBLE), values)
        if name in ON_VECTORS:
            return self.builder.call(self.mathematics(name, self.body.module.type(kind)), values)
        scalar = self.mathematics(name, DOUBLE)
        given = [(value, kind) for value in values]
        return vectors.lane_by_lane(self.builder, lambda values: self.builder.call(scalar, values), given, self.lanes)

    def mathematics(self, name: str, kind: ir.Type) -> ir.Function:
        full = name if name in LIBM else f"llvm.{name}.{'f64' if kind == DOUBLE else f'v{self.lanes}f64'}"
        module = self.body.module.module
        if full not in module.globals:
            ir.Function(module, ir.FunctionType(kind, [kind] * (2 if name in ("pow", "atan2") else 1)), full)
        return module.globals[full]
