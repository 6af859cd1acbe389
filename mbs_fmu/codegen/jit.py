"""numba's insides: its code generator, which compiles kernels, and the door by which jitted loops come to them.

All that the package touches of numba is in this file.
"""

from __future__ import annotations

import functools
import inspect
import os
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.templates import make_intrinsic_template

from .kinds import Kind, Pack, inferred, is_wide
from .optimising import optimise
from .subset import Refused
from .translate import Module
from .vectors import DOUBLE, INTEGER

# -- the code generator ------------------------------------------------------------------------------------------

#: Functions for which a processor may have no instruction, by LLVM's names for them.
INTRINSIC = {f"llvm.{name}.f64": name for name in ("sin", "cos", "exp", "log", "pow", "ceil")}

if hasattr(os, "register_at_fork"):
    # A fork waits for threads that compile: its child would not have them, and wait for numba's lock for ever.
    release = global_compiler_lock.release
    os.register_at_fork(before=global_compiler_lock.acquire, after_in_parent=release, after_in_child=release)

_generator = functools.cache(lambda: JITCPUCodegen("mbs_fmu"))


@global_compiler_lock
def object_code(module: ir.Module, lanes: int = 1) -> tuple[bytes, list[str]]:
    """A module compiled by numba's code generator for this processor; and what it needs of the C library.

    Its own passes are replaced: kernels are straight lines and short loops, and what numba does to them beyond the
    first level takes longer than all the rest and makes nothing faster, but lanes.
    """
    library = _generator().create_library(module.name)
    final = library._final_module
    parsed = llvm.parse_assembly(str(module))
    parsed.data_layout = final.data_layout
    final.link_in(parsed)
    machine = library.codegen._tm
    optimise(final, machine, 1 if lanes == 1 else 3, slp=False)
    final.verify()
    declared = {INTRINSIC.get(f.name, f.name) for f in final.functions if f.is_declaration}
    needs = sorted(name for name in declared if not name.startswith("llvm."))
    return machine.emit_object(final), needs


def empty_module() -> ir.Module:
    """A module for functions of this processor."""
    module = ir.Module("kernels")
    module.triple = llvm.get_process_triple()
    return module


# -- the door ----------------------------------------------------------------------------------------------------


class HasFunction(Protocol):
    """A kernel, of which only its function is needed here (`entries.Kernel`)."""

    kernel_function: FunctionType


def numba_type(kernel: HasFunction) -> types.Function:
    """A kernel as numba sees it: what it compiles may call it, and gets it as ready LLVM code.

    numba keeps what it was once told of a function for as long as the process lives. So it never holds the function
    itself: its module would stay in memory too.
    """
    held, name = weakref.ref(kernel), kernel.kernel_function.__name__

    def typed(context: object, *arguments: types.Type) -> tuple[Any, Callable[..., Any]]:
        kinds = tuple(_kind(a, name) for a in arguments)
        result = inferred(_living(held).kernel_function, kinds).result

        def lower(context: Any, builder: ir.IRBuilder, signature: Any, values: list[ir.Value]) -> ir.Value:
            value = _called(_living(held).kernel_function, kinds, context, builder, signature, values)
            return context.get_dummy_value() if result is None else value

        if is_wide(result):
            raise NotImplementedError(f"{name}: lanes differ in its result")
        return _numba_type(result)(*arguments), lower

    parameters = [inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += inspect.signature(kernel.kernel_function).parameters.values()
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed.__name__ = name
    return types.Function(make_intrinsic_template(object(), typed, name))


def _living(kernel: weakref.ref[HasFunction]) -> HasFunction:
    found = kernel()
    assert found is not None  # who compiles a call of it has it
    return found


def _called(
    function: FunctionType,
    kinds: tuple[Kind, ...],
    context: Any,
    builder: ir.IRBuilder,
    signature: Any,
    values: list[Any],
) -> ir.Value:
    """The call of a kernel with what numba has for its arguments."""
    given = []
    for kind, value in zip(signature.args, values, strict=True):
        if isinstance(kind, types.Array):
            value = context.make_array(kind)(context, builder, value=value).data
        elif isinstance(kind, types.Float):
            value = builder.fpext(value, DOUBLE) if value.type != DOUBLE else value
        elif isinstance(kind, types.Integer) and value.type != INTEGER:
            value = builder.sext(value, INTEGER) if kind.signed else builder.zext(value, INTEGER)
        given.append(value)
    lanes = int(function.__globals__.get("LANES", 1))
    return builder.call(Module(builder.module, lanes).function(function, kinds), given)


def _kind(given: types.Type, name: str) -> Kind:
    """The kind of an argument that numba has. Raises Refused for what no kernel takes."""
    match given:
        case types.Array(dtype=types.float64, layout="C", ndim=1 | 2):
            return "rows" if given.ndim == 2 else "array"
        case types.UniTuple(dtype=types.float64):
            return Pack(int(given.count), "float")
        case types.Float():
            return "float"
        case types.Integer():
            return "int"
    raise Refused(f"{name} is called with {given}: give numbers, integers and contiguous arrays of doubles")


def _numba_type(kind: Kind) -> types.Type:
    if isinstance(kind, Pack):
        return types.UniTuple(types.float64, kind.size)
    return {"float": types.float64, "int": types.int64, "bool": types.boolean, None: types.none}[kind]
