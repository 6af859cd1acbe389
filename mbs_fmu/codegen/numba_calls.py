"""Calls of kernels in functions that numba compiles. No other module of the package uses numba."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core.typing.templates import make_intrinsic_template

from .llvm import lines
from .llvm.kinds import Kind, Pack, inferred, is_wide
from .llvm.subset import Refused
from .llvm.translate import Module

DOUBLE, INTEGER = ir.DoubleType(), ir.IntType(64)


class HasFunction(Protocol):
    """The part of a kernel (`entries.Kernel`) that this module uses: its function."""

    kernel_function: FunctionType


def numba_type(kernel: HasFunction) -> types.Function:
    """Return the type of a kernel for numba, which links calls of the kernel to its LLVM code.

    numba keeps types for the lifetime of the process, so the type refers to the kernel weakly; otherwise the kernel's
    module would stay in memory too.
    """
    reference, name = weakref.ref(kernel), kernel.kernel_function.__name__

    def typed(context: object, *arguments: types.Type) -> tuple[Any, Callable[..., Any]]:
        kinds = tuple(_kind(a, name) for a in arguments)
        result = inferred(_kernel_of(reference).kernel_function, kinds).result

        def lower(context: Any, builder: ir.IRBuilder, signature: Any, values: list[ir.Value]) -> ir.Value:
            value = _emit_call(_kernel_of(reference).kernel_function, kinds, context, builder, signature, values)
            return context.get_dummy_value() if result is None else value

        if is_wide(result):
            raise NotImplementedError(f"{name}: its result differs between lanes")
        return _numba_type(result)(*arguments), lower

    parameters = [inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += inspect.signature(kernel.kernel_function).parameters.values()
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed.__name__ = name
    return types.Function(make_intrinsic_template(object(), typed, name))


def _kernel_of(kernel: weakref.ref[HasFunction]) -> HasFunction:
    living = kernel()
    assert living is not None  # the function that contains the call refers to it
    return living


def _emit_call(
    function: FunctionType,
    kinds: tuple[Kind, ...],
    context: Any,
    builder: ir.IRBuilder,
    signature: Any,
    values: list[Any],
) -> ir.Value:
    """Write the call of a kernel with numba's values of its arguments."""
    arguments = []
    for kind, value in zip(signature.args, values, strict=True):
        if isinstance(kind, types.Array):
            value = context.make_array(kind)(context, builder, value=value).data
        elif isinstance(kind, types.Float):
            value = builder.fpext(value, DOUBLE) if value.type != DOUBLE else value
        elif isinstance(kind, types.Integer) and value.type != INTEGER:
            value = builder.sext(value, INTEGER) if kind.signed else builder.zext(value, INTEGER)
        arguments.append(value)
    module, lanes = lines.Module("kernels"), int(function.__globals__.get("LANES", 1))
    own = Module(module, lanes).function(function, kinds)
    # unique in all of numba's modules, because it contains the name of the kernel's module
    name = f"mbs_fmu.{function.__globals__['__name__']}.{own.name}"
    own.linkage, own.reference = "", f'@"{name}"'
    kind = ir.FunctionType(_type(inferred(function, kinds).result), [value.type for value in arguments])
    if name not in builder.module.globals:
        library = context.codegen().create_library(name)
        library.add_llvm_module(llvm.parse_assembly(str(module)))
        library.finalize()
        context.active_code_library.add_linking_library(library)
        ir.Function(builder.module, kind, name)
    return builder.call(builder.module.globals[name], arguments)


def _type(kind: Kind) -> ir.Type:
    """Return llvmlite's type of a result."""
    if isinstance(kind, Pack):
        return ir.ArrayType(DOUBLE, kind.size)
    return {"float": DOUBLE, "int": INTEGER, "bool": ir.IntType(1), None: ir.VoidType()}[kind]


def _kind(argument: types.Type, name: str) -> Kind:
    """Return the kind of an argument from its numba type. Raises Refused for types that kernels do not accept."""
    match argument:
        case types.Array(dtype=types.float64, layout="C", ndim=1 | 2):
            return "rows" if argument.ndim == 2 else "array"
        case types.UniTuple(dtype=types.float64):
            return Pack(int(argument.count), "float")
        case types.Float():
            return "float"
        case types.Integer():
            return "int"
    raise Refused(f"{name} is called with {argument}: give numbers, integers and contiguous arrays of doubles")


def _numba_type(kind: Kind) -> types.Type:
    if isinstance(kind, Pack):
        return types.UniTuple(types.float64, kind.size)
    return {"float": types.float64, "int": types.int64, "bool": types.boolean, None: types.none}[kind]
