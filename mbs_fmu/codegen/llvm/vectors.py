"""Lanes in LLVM code: vectors with one value for each member of a batch (see translate.py)."""

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
        if isinstance(kind.of, str):
            return ir.ArrayType(llvm_type(kind.of, lanes), kind.size)
        return ir.StructType([llvm_type(item, lanes) for item in kind.items])
    if kind in WIDE.values():
        return ir.VectorType(llvm_type(narrow(kind), lanes), lanes)
    if kind in ARRAYS:
        return DOUBLE.as_pointer()
    return {"float": DOUBLE, "int": INTEGER, "bool": TRUTH, None: ir.VoidType()}[kind]


def spread(builder: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """Return a vector with the same value in all lanes."""
    kind = ir.VectorType(value.type, lanes)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, INDEX(0))
    return builder.shuffle_vector(
        first, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(INDEX, lanes), None)
    )


def one_lane(builder: ir.IRBuilder, value: ir.Value, kind: Kind, lane: int) -> ir.Value:
    """Return one lane of a wide value, or one column of rows; other values unchanged."""
    if kind == "rows":
        return builder.gep(value, [INTEGER(lane)], inbounds=True)
    if isinstance(kind, Pack) and kind.of != "float":
        result: ir.Value = ir.Constant(ir.ArrayType(DOUBLE, kind.size), ir.Undefined)
        for k, item in enumerate(kind.items):
            result = builder.insert_value(result, one_lane(builder, builder.extract_value(value, k), item, lane), k)
        return result
    return builder.extract_element(value, INDEX(lane)) if kind in WIDE.values() else value


def gather(builder: ir.IRBuilder, values: Sequence[ir.Value]) -> ir.Value:
    """Return a vector of one value for each lane."""
    lanes, first = len(values), values[0]
    if isinstance(first.type, ir.ArrayType):
        result: ir.Value = ir.Constant(ir.ArrayType(ir.VectorType(DOUBLE, lanes), first.type.count), ir.Undefined)
        for k in range(first.type.count):
            result = builder.insert_value(result, gather(builder, [builder.extract_value(v, k) for v in values]), k)
        return result
    result = ir.Constant(ir.VectorType(first.type, lanes), ir.Undefined)
    for lane, value in enumerate(values):
        result = builder.insert_element(result, value, INDEX(lane))
    return result


def lane_by_lane(
    builder: ir.IRBuilder, call: Callable[[list[ir.Value]], ir.Value], arguments: Sequence[tuple[ir.Value, Kind]],
    lanes: int,
) -> ir.Value:  # fmt: skip
    """Make a scalar call for each lane and return the results as lanes."""
    results = [call([one_lane(builder, value, kind, lane) for value, kind in arguments]) for lane in range(lanes)]
    return results[0] if isinstance(results[0].type, ir.VoidType) else gather(builder, results)


def every(builder: ir.IRBuilder, mask: ir.Value, lanes: int) -> ir.Value:
    """Return whether a mask is true in all lanes."""
    bits = ir.IntType(lanes)
    return builder.icmp_signed("==", builder.bitcast(mask, bits), ir.Constant(bits, -1))


def load_lanes(builder: ir.IRBuilder, place: ir.Value, lanes: int) -> ir.Value:
    """Load one row. Rows are aligned to eight bytes at least, in arrays of numpy and of FMUs."""
    pointer = builder.bitcast(place, ir.VectorType(DOUBLE, lanes).as_pointer())
    return builder.load(pointer, align=8)


def store_lanes(builder: ir.IRBuilder, value: ir.Value, place: ir.Value, lanes: int) -> None:
    builder.store(value, builder.bitcast(place, ir.VectorType(DOUBLE, lanes).as_pointer()), align=8)


def gathered(builder: ir.IRBuilder, array: ir.Value, indices: ir.Value, lanes: int) -> ir.Value:
    """Load the element of an array at the index of each lane."""
    kind, mask, places = ir.VectorType(DOUBLE, lanes), ir.VectorType(TRUTH, lanes), builder.gep_lanes(array, indices)
    name = f"llvm.masked.gather.v{lanes}f64.v{lanes}p0"
    function = intrinsic(builder.module, name, kind, [places.type, INDEX, mask, kind])
    return builder.call(function, [places, INDEX(8), ir.Constant(mask, [1] * lanes), ir.Constant(kind, ir.Undefined)])


def truncated(builder: ir.IRBuilder, x: ir.Value, lanes: int) -> ir.Value:
    """Round numbers towards zero."""
    kind = ir.VectorType(DOUBLE, lanes)
    return builder.call(intrinsic(builder.module, f"llvm.trunc.v{lanes}f64", kind, [kind]), [x])


def intrinsic(module: ir.Module, name: str, result: ir.Type, arguments: Sequence[ir.Type]) -> ir.Function:
    """Return a function of LLVM, declared at its first use."""
    known: ir.Function | None = module.globals.get(name)
    return known or ir.Function(module, ir.FunctionType(result, arguments), name)
