"""Lanes in LLVM code: vectors of one value for each member of a batch (see translate.py)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from . import lines as ir
from .kinds import WIDE, Kind, Pack, narrow

DOUBLE, INTEGER, TRUTH = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
INDEX = ir.IntType(32)
ARRAYS = {"array", "rows", "column"}


@functools.cache
def llvm_type(kind: Kind, lanes: int) -> ir.Type:
    if isinstance(kind, Pack):
        return ir.ArrayType(llvm_type(kind.of, lanes), kind.size)
    if kind in WIDE.values():
        return ir.VectorType(llvm_type(narrow(kind), lanes), lanes)
    if kind in ARRAYS:
        return DOUBLE.as_pointer()
    return {"float": DOUBLE, "int": INTEGER, "bool": TRUTH, None: ir.VoidType()}[kind]


def spread(builder: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """The same value in all lanes; a pack becomes a pack of lanes."""
    if isinstance(value.type, ir.ArrayType):
        out: ir.Value = ir.Constant(ir.ArrayType(ir.VectorType(DOUBLE, lanes), value.type.count), ir.Undefined)
        for k in range(value.type.count):
            out = builder.insert_value(out, spread(builder, builder.extract_value(value, k), lanes), k)
        return out
    kind = ir.VectorType(value.type, lanes)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, INDEX(0))
    return builder.shuffle_vector(
        first, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(INDEX, lanes), None)
    )


def one_lane(builder: ir.IRBuilder, value: ir.Value, kind: Kind, lane: int) -> ir.Value:
    """What one lane has of a value; one column of rows; anything else as it is."""
    if kind == "rows":
        return builder.gep(value, [INTEGER(lane)], inbounds=True)
    if isinstance(kind, Pack) and kind.of == "lanes":
        out: ir.Value = ir.Constant(ir.ArrayType(DOUBLE, kind.size), ir.Undefined)
        for k in range(kind.size):
            out = builder.insert_value(out, builder.extract_element(builder.extract_value(value, k), INDEX(lane)), k)
        return out
    return builder.extract_element(value, INDEX(lane)) if kind in WIDE.values() else value


def gathered(builder: ir.IRBuilder, values: Sequence[ir.Value]) -> ir.Value:
    """One value from each lane, side by side."""
    lanes, first = len(values), values[0]
    if isinstance(first.type, ir.ArrayType):
        out: ir.Value = ir.Constant(ir.ArrayType(ir.VectorType(DOUBLE, lanes), first.type.count), ir.Undefined)
        for k in range(first.type.count):
            out = builder.insert_value(out, gathered(builder, [builder.extract_value(v, k) for v in values]), k)
        return out
    out = ir.Constant(ir.VectorType(first.type, lanes), ir.Undefined)
    for lane, value in enumerate(values):
        out = builder.insert_element(out, value, INDEX(lane))
    return out


def lane_by_lane(
    builder: ir.IRBuilder, call: Callable[[list[ir.Value]], ir.Value], given: Sequence[tuple[ir.Value, Kind]],
    lanes: int,
) -> ir.Value:  # fmt: skip
    """A scalar call once in each lane; what it returns, in lanes."""
    results = [call([one_lane(builder, value, kind, lane) for value, kind in given]) for lane in range(lanes)]
    return results[0] if isinstance(results[0].type, ir.VoidType) else gathered(builder, results)


def every(builder: ir.IRBuilder, mask: ir.Value, lanes: int) -> ir.Value:
    """Whether a mask holds in all lanes."""
    bits = ir.IntType(lanes)
    return builder.icmp_signed("==", builder.bitcast(mask, bits), ir.Constant(bits, -1))


def load_lanes(builder: ir.IRBuilder, place: ir.Value, lanes: int) -> ir.Value:
    """One row. Rows lie at multiples of eight bytes at least: arrays of numpy, or of an FMU."""
    pointer = builder.bitcast(place, ir.VectorType(DOUBLE, lanes).as_pointer())
    return builder.load(pointer, align=8)


def store_lanes(builder: ir.IRBuilder, value: ir.Value, place: ir.Value, lanes: int) -> None:
    builder.store(value, builder.bitcast(place, ir.VectorType(DOUBLE, lanes).as_pointer()), align=8)
