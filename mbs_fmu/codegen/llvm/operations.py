"""Arithmetic, comparisons and choices in LLVM code, on values with kinds (see translate.py)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from . import lines as ir
from . import vectors
from .kinds import ELEMENTS, Kind, Pack, is_number, is_truth, is_wide, joined, narrow, wide
from .vectors import INTEGER

BITS = 64  #: bits of an integer


class Operand(NamedTuple):
    """A value in LLVM code and its kind."""

    value: ir.Value
    kind: Kind


class Operations:
    """Writer of operations at the position of a builder; `name` is the name of the function, for messages."""

    def __init__(self, builder: ir.IRBuilder, lanes: int, name: str):
        self.builder, self.lanes, self.name = builder, lanes, name

    def type(self, kind: Kind) -> ir.Type:
        return vectors.llvm_type(kind, self.lanes)

    def constant(self, value: float | tuple[float, ...], kind: Kind) -> Operand:
        return Operand(ir.Constant(self.type(kind), list(value) if isinstance(value, tuple) else value), kind)

    # -- conversions ----------------------------------------------------------------------------------
    def converted(self, operand: Operand, target: Kind) -> ir.Value:
        """Convert a value to another kind: an integer to a number, or one value to all lanes."""
        value, kind = operand
        if kind == target:
            return value
        if (kind, target) in (("int", "float"), ("bits", "lanes")):
            return self.builder.sitofp(value, self.type(target))
        if isinstance(kind, Pack) and isinstance(target, Pack):
            return self.packed(self.unpacked(operand), target).value
        if is_wide(target) and not is_wide(kind):
            return vectors.spread(self.builder, self.converted(operand, narrow(target)), self.lanes)
        raise NotImplementedError(f"{self.name}: a value of kind {kind} where {target} is wanted")

    def truth(self, operand: Operand) -> Operand:
        """Return a truth unchanged; for a number or an integer, return whether it is not zero."""
        if is_truth(operand.kind):
            return operand
        return self.compare(ast.NotEq(), operand, self.constant(0, "int"))

    # -- arithmetic -----------------------------------------------------------------------------------
    FLOATS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
    INTEGERS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and_", ast.BitOr: "or_"}

    def arithmetic(self, a: Operand, op: ast.operator, b: Operand) -> Operand:
        if a.kind == b.kind == "float" and type(op) in self.FLOATS:  # nearly always
            return Operand(getattr(self.builder, self.FLOATS[type(op)])(a.value, b.value), "float")
        kind = joined([a.kind, b.kind])
        left, right = self.converted(a, kind), self.converted(b, kind)
        match op:
            case ast.FloorDiv():
                return Operand(self.floor_divide(left, right), kind)
            case ast.LShift() | ast.RShift():
                return Operand(self.shift(left, op, right), kind)
        names = self.FLOATS if is_number(kind) else self.INTEGERS
        return Operand(getattr(self.builder, names[type(op)])(left, right), kind)

    def floor_divide(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Return the quotient of integers, rounded down as in Python; the processor rounds towards zero."""
        builder = self.builder
        if isinstance(b, ir.Constant) and b.type == INTEGER and b.constant > 0 and b.constant & (b.constant - 1) == 0:
            return builder.ashr(a, INTEGER(b.constant.bit_length() - 1))
        quotient, rest, zero = builder.sdiv(a, b), builder.srem(a, b), ir.Constant(a.type, None)
        inexact = builder.icmp_signed("!=", rest, zero)
        below = builder.and_(inexact, builder.icmp_signed("<", builder.xor(rest, b), zero))
        return builder.sub(quotient, builder.zext(below, a.type))

    def shift(self, a: ir.Value, op: ast.operator, by: ir.Value) -> ir.Value:
        """Shift as in Python; the processor defines shifts by less than the number of bits only."""
        builder, left = self.builder, isinstance(op, ast.LShift)
        if isinstance(by, ir.Constant) and by.type == INTEGER and 0 <= by.constant < BITS:
            return builder.shl(a, by) if left else builder.ashr(a, by)
        most = self.converted(self.constant(BITS - 1, "int"), "int" if by.type == INTEGER else "bits")
        fits = builder.icmp_signed("<=", by, most)
        if left:
            return builder.select(fits, builder.shl(a, by), ir.Constant(a.type, None))
        return builder.ashr(a, builder.select(fits, by, most))

    def minus(self, a: Operand) -> Operand:
        return Operand(self.builder.fneg(a.value) if is_number(a.kind) else self.builder.neg(a.value), a.kind)

    def magnitude(self, a: Operand) -> Operand:
        """Return the absolute value of an integer."""
        negative = self.compare(ast.Lt(), a, self.constant(0, "int"))
        return Operand(self.builder.select(negative.value, self.builder.neg(a.value), a.value), a.kind)

    # -- comparisons and choices ----------------------------------------------------------------------
    SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}

    def compare(self, op: ast.cmpop, a: Operand, b: Operand) -> Operand:
        symbol, kind = self.SYMBOLS[type(op)], joined([a.kind, b.kind])
        left, right = self.converted(a, kind), self.converted(b, kind)
        if is_number(kind):
            result = (self.builder.fcmp_unordered if symbol == "!=" else self.builder.fcmp_ordered)(symbol, left, right)
        else:
            result = self.builder.icmp_signed(symbol, left, right)
        return Operand(result, "mask" if is_wide(kind) else "bool")

    def all_or_any(self, conjunction: bool, parts: Sequence[Operand]) -> Operand:
        """Return the conjunction or disjunction of truths, all of which are computed."""
        kind = "mask" if any(is_wide(part.kind) for part in parts) else "bool"
        result, *others = (self.converted(part, kind) for part in parts)
        for other in others:
            result = self.builder.and_(result, other) if conjunction else self.builder.or_(result, other)
        return Operand(result, kind)

    def choice(self, test: Operand, a: Operand, b: Operand) -> Operand:
        """Select one of two values, both of which are computed."""
        kind = joined([a.kind, b.kind])
        kind = wide(kind) if is_wide(test.kind) else kind
        return Operand(self.builder.select(test.value, self.converted(a, kind), self.converted(b, kind)), kind)

    def extreme(self, op: ast.cmpop, values: Sequence[Operand]) -> Operand:
        """Return the minimum or maximum as in Python: the first of equals, and the first of two if either is NaN."""
        kind = joined(value.kind for value in values)
        result, *others = (Operand(self.converted(value, kind), kind) for value in values)
        for other in others:
            result = self.choice(self.compare(op, other, result), other, result)
        return result

    # -- arrays ---------------------------------------------------------------------------------------
    def element(self, array: Operand, index: ir.Value) -> ir.Value:
        """Return the address of an element of an array or a column, or of a row of rows."""
        if array.kind != "array":
            index = self.builder.mul(index, INTEGER(self.lanes))
        return self.builder.gep(array.value, [index], inbounds=True)

    def load(self, array: Kind, place: ir.Value) -> Operand:
        kind = ELEMENTS[array]  # type: ignore[index]
        wide_value = kind == "lanes"
        value = vectors.load_lanes(self.builder, place, self.lanes) if wide_value else self.builder.load(place)
        return Operand(value, kind)

    def gathered(self, rows: Operand, index: Operand) -> Operand:
        """Return the elements of rows at an index of each lane."""
        lanes = self.converted(Operand(INTEGER(self.lanes), "int"), "bits")
        own = ir.Constant(self.type("bits"), list(range(self.lanes)))
        places = self.builder.add(self.builder.mul(index.value, lanes), own)
        return Operand(vectors.gathered(self.builder, rows.value, places, self.lanes), "lanes")

    def store(self, value: Operand, array: Kind, place: ir.Value) -> None:
        if array == "rows":
            vectors.store_lanes(self.builder, self.converted(value, "lanes"), place, self.lanes)
        else:
            self.builder.store(self.converted(value, "float"), place)

    # -- packs ----------------------------------------------------------------------------------------
    def packed(self, items: Sequence[Operand], kind: Pack) -> Operand:
        pack: ir.Value = ir.Constant(self.type(kind), ir.Undefined)
        for k, item in enumerate(items):
            pack = self.builder.insert_value(pack, self.converted(item, kind.items[k]), k)
        return Operand(pack, kind)

    def unpacked(self, pack: Operand) -> list[Operand]:
        assert isinstance(pack.kind, Pack)
        return [Operand(self.builder.extract_value(pack.value, k), kind) for k, kind in enumerate(pack.kind.items)]

    def bits(self, x: Operand) -> Operand:
        """Return the bits of a number as an integer."""
        kind = "bits" if is_wide(x.kind) else "int"
        return Operand(self.builder.bitcast(x.value, self.type(kind)), kind)

    def integer(self, x: Operand) -> Operand:
        """Return numbers rounded towards zero, as integers."""
        if not is_number(x.kind):
            return x
        kind = "bits" if is_wide(x.kind) else "int"
        return Operand(self.builder.fptosi(x.value, self.type(kind)), kind)
