"""Kernels as external functions of an LLVM module: C functions for native FMUs, and functions for Python.

A native FMU calls `kernel_NAME`. Python calls `python_NAME`, which has the calling convention of built-in methods
(METH_FASTCALL): with ctypes, the conversion of each argument would take as long as a whole call. Arrays are accessed by
the buffer protocol and must contain contiguous, writable doubles. The global interpreter lock is released during the
call of the kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import FunctionType

from ...record.sizes import ABREAST
from ..machine import PLAIN, PYTHON, ArgumentKind, ResultKind, Signature
from . import lines as ir
from .kinds import inferred
from .translate import Module
from .vectors import DOUBLE, INTEGER

EntryPoint = tuple[str, FunctionType, tuple[ArgumentKind, ...]]  #: name, kernel, kinds of the arguments

BYTE, INT, VOID = ir.IntType(8), ir.IntType(32), ir.VoidType()
OBJECT = BYTE.as_pointer()
#: Functions of Python's C API, with the types of their results and arguments.
API: dict[str, tuple[ir.Type, list[ir.Type]]] = {
    "PyObject_GetBuffer": (INT, [OBJECT, OBJECT, INT]), "PyBuffer_Release": (VOID, [OBJECT]),
    "PyFloat_AsDouble": (DOUBLE, [OBJECT]), "PyLong_AsLongLong": (INTEGER, [OBJECT]),
    "PyFloat_FromDouble": (OBJECT, [DOUBLE]), "PyLong_FromLongLong": (OBJECT, [INTEGER]),
    "PyErr_BadArgument": (INT, []), "PyErr_Occurred": (OBJECT, []),
    "PyEval_SaveThread": (OBJECT, []), "PyEval_RestoreThread": (VOID, [OBJECT]),
}  # fmt: skip
WRITABLE_FORMATTED = 0x1 | 0x4 | 0x8  #: PyBUF_WRITABLE, PyBUF_FORMAT, and PyBUF_ND: contiguous, in C order
#: Size of a Py_buffer on 64-bit machines, and offsets of its fields itemsize, ndim and format, bytes.
BUFFER, ITEM_SIZE, DIMENSIONS, FORMAT = 80, 24, 36, 40


def write_c_functions(
    module: ir.Module, entry_points: Iterable[EntryPoint], lanes: int, shared: Collection[str] | None = None
) -> list[Signature]:
    """Add the C functions of some kernels, with everything that they call, and return their signatures.

    C functions of kernels without a result return zero. lanes: number of doubles in place of each number, 1 for scalar
    code. shared: names of functions that are already compiled (`translate.Module`). Raises NotImplementedError for a
    kernel that cannot be translated, or whose result is not a C scalar.
    """
    writer, written = Module(module, lanes if lanes > 1 else ABREAST, shared), []
    for name, function, kinds in entry_points:
        inner, result = writer.function(function, kinds), inferred(function, kinds).result
        returned = _returned(name, result)
        signature = ir.FunctionType(writer.type(returned), [writer.type(kind) for kind in kinds])
        function_in_c = ir.Function(module, signature, PLAIN + name)
        builder = ir.IRBuilder(function_in_c.append_basic_block())
        value = builder.call(inner, function_in_c.args)
        if result is None:
            value = INTEGER(0)
        builder.ret(builder.zext(value, INTEGER) if result == "bool" else value)
        written.append(Signature(name, kinds, returned))
    return written


def _returned(name: str, result: object) -> ResultKind:
    """Return the kind of a C function's result. Raises NotImplementedError if C has none for it."""
    match result:
        case "bool" | "int" | None:
            return "int"
        case "float":
            return "float"
    raise NotImplementedError(f"{name}: its result differs between lanes, or it has several results")


# -- for Python ---------------------------------------------------------------------------------------------------


def write_python_functions(module: ir.Module, written: Iterable[Signature]) -> None:
    """Add a function for Python for each C function of the module; the C functions become internal."""
    for signature in written:
        inner = module.globals[PLAIN + signature.kernel]
        inner.linkage = "internal"
        _PythonFunction(module, signature).write(inner)


class _PythonFunction:
    """Writer of one function for Python, with the arguments of METH_FASTCALL: self, an array of objects, its length.

    The block `refused` sets the error of a bad argument; the block `raised` returns to Python after any error.
    """

    def __init__(self, module: ir.Module, signature: Signature):
        self.module, self.signature = module, signature
        kind = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), INTEGER])
        self.function = ir.Function(module, kind, PYTHON + signature.kernel)
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.refused, self.raised = (self.function.append_basic_block() for _ in range(2))
        refusal = ir.IRBuilder(self.refused)
        refusal.call(self.api("PyErr_BadArgument"), [])
        refusal.branch(self.raised)
        ir.IRBuilder(self.raised).ret(OBJECT(None))

    def write(self, inner: ir.Function) -> None:
        """Write the body: convert the arguments, call the C function `inner`, convert its result."""
        b, arguments, count = self.builder, self.function.args[1], self.function.args[2]
        self.require(b.icmp_signed("==", count, INTEGER(len(self.signature.arguments))), self.refused)
        objects = [b.load(b.gep(arguments, [INTEGER(k)])) for k in range(len(self.signature.arguments))]
        values = [self.argument(x, kind) for x, kind in zip(objects, self.signature.arguments, strict=True)]
        thread_state = b.call(self.api("PyEval_SaveThread"), [])
        result = b.call(inner, values)
        b.call(self.api("PyEval_RestoreThread"), [thread_state])
        if self.signature.result == "float":
            b.ret(b.call(self.api("PyFloat_FromDouble"), [result]))
        else:
            b.ret(b.call(self.api("PyLong_FromLongLong"), [result]))

    def argument(self, argument: ir.Value, kind: ArgumentKind) -> ir.Value:
        """Convert a Python object to an argument of the kernel."""
        if kind in ("array", "rows"):
            return self.array(argument, 1 if kind == "array" else 2)
        b, is_float = self.builder, kind == "float"
        value = b.call(self.api("PyFloat_AsDouble" if is_float else "PyLong_AsLongLong"), [argument])
        fine, suspect = (self.function.append_basic_block() for _ in range(2))
        is_minus_one = b.fcmp_ordered("==", value, DOUBLE(-1)) if is_float else b.icmp_signed("==", value, INTEGER(-1))
        b.cbranch(is_minus_one, suspect, fine)  # -1 is a number, or the conversion has failed
        b.position_at_end(suspect)
        b.cbranch(b.icmp_unsigned("==", b.call(self.api("PyErr_Occurred"), []), OBJECT(None)), fine, self.raised)
        b.position_at_end(fine)
        return value

    def array(self, argument: ir.Value, dimensions: int) -> ir.Value:
        """Return the address of an array's numbers, and require doubles and this number of dimensions.

        The buffer is released at once, because the caller keeps the array alive during the call.
        """
        b = self.builder
        with b.goto_entry_block():
            memory = b.alloca(ir.ArrayType(INTEGER, BUFFER // 8))
        buffer = b.bitcast(memory, OBJECT)
        failure = b.call(self.api("PyObject_GetBuffer"), [argument, buffer, INT(WRITABLE_FORMATTED)])
        self.require(b.icmp_signed("==", failure, INT(0)), self.raised)
        numbers = b.load(b.bitcast(buffer, DOUBLE.as_pointer().as_pointer()))
        size, rank = self.field(buffer, ITEM_SIZE, INTEGER), self.field(buffer, DIMENSIONS, INT)
        format_code = b.load(self.field(buffer, FORMAT, OBJECT))
        b.call(self.api("PyBuffer_Release"), [buffer])
        self.require(b.icmp_signed("==", size, INTEGER(8)), self.refused)
        self.require(b.icmp_signed("==", rank, INT(dimensions)), self.refused)
        self.require(b.icmp_signed("==", format_code, BYTE(ord("d"))), self.refused)
        return numbers

    def field(self, buffer: ir.Value, offset: int, kind: ir.Type) -> ir.Value:
        """Return a field of a Py_buffer; offset: bytes."""
        place = self.builder.gep(buffer, [INTEGER(offset)])
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def require(self, condition: ir.Value, otherwise: ir.Block) -> None:
        """Go on in a new block if the condition holds, else jump to the block `otherwise`."""
        onward = self.function.append_basic_block()
        self.builder.cbranch(condition, onward, otherwise)
        self.builder.position_at_end(onward)

    def api(self, name: str) -> ir.Function:
        """Return a function of Python's C API, declared at its first use."""
        known: ir.Function | None = self.module.globals.get(name)
        return known or ir.Function(self.module, ir.FunctionType(*API[name]), name)
