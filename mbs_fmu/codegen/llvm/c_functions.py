"""Kernels as functions of an LLVM module that others than kernels call: C functions for native FMUs, and for Python.

A native FMU calls `kernel_NAME`. Python calls `python_NAME`, which takes its arguments as methods of built-in types do
(METH_FASTCALL): by ctypes, each argument would cost as much as a whole call. Arrays are asked for their buffer, so
nothing but writable contiguous doubles passes, and other threads run meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import FunctionType

from ..machine import PLAIN, PYTHON, ArgumentKind, ResultKind, Signature
from . import lines as ir
from .kinds import inferred
from .translate import Module
from .vectors import DOUBLE, INTEGER

Wanted = tuple[str, FunctionType, tuple[ArgumentKind, ...]]  #: name, kernel and kinds of arguments of a function

BYTE, INT, VOID = ir.IntType(8), ir.IntType(32), ir.VoidType()
OBJECT = BYTE.as_pointer()
#: Functions of Python's: what they return and take.
API: dict[str, tuple[ir.Type, list[ir.Type]]] = {
    "PyObject_GetBuffer": (INT, [OBJECT, OBJECT, INT]), "PyBuffer_Release": (VOID, [OBJECT]),
    "PyFloat_AsDouble": (DOUBLE, [OBJECT]), "PyLong_AsLongLong": (INTEGER, [OBJECT]),
    "PyFloat_FromDouble": (OBJECT, [DOUBLE]), "PyLong_FromLongLong": (OBJECT, [INTEGER]),
    "PyErr_BadArgument": (INT, []), "PyErr_Occurred": (OBJECT, []),
    "PyEval_SaveThread": (OBJECT, []), "PyEval_RestoreThread": (VOID, [OBJECT]),
}  # fmt: skip
WRITABLE_FORMATTED = 0x1 | 0x4 | 0x8  #: PyBUF_WRITABLE, PyBUF_FORMAT, PyBUF_ND: all of it, in C's order
#: Of a Py_buffer: its size, and where its fields lie, in bytes, on machines of 64 bits.
BUFFER, ITEM_SIZE, DIMENSIONS, LETTER = 80, 24, 36, 40


def write_c_functions(
    module: ir.Module, wanted: Iterable[Wanted], lanes: int, shared: Collection[str] | None = None
) -> list[Signature]:
    """Add the C functions of some kernels, with all that they call; a kernel that returns nothing gives zero.

    shared: functions that are compiled already (`translate.Module`).
    Raises NotImplementedError for a kernel that can't be translated, or whose result C can't have.
    """
    writer, written = Module(module, lanes, shared), []
    for name, function, kinds in wanted:
        inner, result = writer.function(function, kinds), inferred(function, kinds).result
        returned = _returned(name, result)
        signature = ir.FunctionType(writer.type(returned), [writer.type(kind) for kind in kinds])
        out = ir.Function(module, signature, PLAIN + name)
        builder = ir.IRBuilder(out.append_basic_block())
        value = builder.call(inner, out.args)
        if result is None:
            value = INTEGER(0)
        builder.ret(builder.zext(value, INTEGER) if result == "bool" else value)
        written.append(Signature(name, kinds, returned))
    return written


def _returned(name: str, result: object) -> ResultKind:
    match result:
        case "bool" | "int" | None:
            return "int"
        case "float":
            return "float"
    raise NotImplementedError(f"{name}: lanes differ in its result, or it has several")


# -- for Python ---------------------------------------------------------------------------------------------------


def write_python_functions(module: ir.Module, written: Iterable[Signature]) -> None:
    """Add for C functions of the module those that Python calls; the C functions are theirs alone afterwards."""
    for signature in written:
        inner = module.globals[PLAIN + signature.kernel]
        inner.linkage = "internal"
        _Python(module, signature).write(inner)


class _Python:
    """Writes one function for Python: (self, arguments, number of arguments) to a result, or to an exception."""

    def __init__(self, module: ir.Module, signature: Signature):
        self.module, self.signature = module, signature
        kind = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), INTEGER])
        self.function = ir.Function(module, kind, PYTHON + signature.kernel)
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.refused, self.raised = (self.function.append_basic_block() for _ in range(2))
        others = ir.IRBuilder(self.refused)
        others.call(self.api("PyErr_BadArgument"), [])
        others.branch(self.raised)
        ir.IRBuilder(self.raised).ret(OBJECT(None))

    def write(self, inner: ir.Function) -> None:
        b, arguments, count = self.builder, self.function.args[1], self.function.args[2]
        self.require(b.icmp_signed("==", count, INTEGER(len(self.signature.arguments))), self.refused)
        given = [b.load(b.gep(arguments, [INTEGER(k)])) for k in range(len(self.signature.arguments))]
        values = [self.argument(x, kind) for x, kind in zip(given, self.signature.arguments, strict=True)]
        thread = b.call(self.api("PyEval_SaveThread"), [])
        result = b.call(inner, values)
        b.call(self.api("PyEval_RestoreThread"), [thread])
        if self.signature.result == "float":
            b.ret(b.call(self.api("PyFloat_FromDouble"), [result]))
        else:
            b.ret(b.call(self.api("PyLong_FromLongLong"), [result]))

    def argument(self, given: ir.Value, kind: ArgumentKind) -> ir.Value:
        """What a kernel gets for an argument."""
        if kind in ("array", "rows"):
            return self.array(given, 1 if kind == "array" else 2)
        b = self.builder
        value = b.call(self.api("PyFloat_AsDouble" if kind == "float" else "PyLong_AsLongLong"), [given])
        fine, doubtful = (self.function.append_basic_block() for _ in range(2))
        failed = b.fcmp_ordered("==", value, DOUBLE(-1)) if kind == "float" else b.icmp_signed("==", value, INTEGER(-1))
        b.cbranch(failed, doubtful, fine)
        b.position_at_end(doubtful)
        b.cbranch(b.icmp_unsigned("==", b.call(self.api("PyErr_Occurred"), []), OBJECT(None)), fine, self.raised)
        b.position_at_end(fine)
        return value

    def array(self, given: ir.Value, dimensions: int) -> ir.Value:
        """Where an array's numbers lie. Whoever calls holds the array, so its buffer need not be held."""
        b = self.builder
        with b.goto_entry_block():
            room = b.alloca(ir.ArrayType(INTEGER, BUFFER // 8))
        buffer = b.bitcast(room, OBJECT)
        got = b.call(self.api("PyObject_GetBuffer"), [given, buffer, INT(WRITABLE_FORMATTED)])
        self.require(b.icmp_signed("==", got, INT(0)), self.raised)
        numbers = b.load(b.bitcast(buffer, DOUBLE.as_pointer().as_pointer()))
        size, rank = self.field(buffer, ITEM_SIZE, INTEGER), self.field(buffer, DIMENSIONS, INT)
        letter = b.load(self.field(buffer, LETTER, OBJECT))
        b.call(self.api("PyBuffer_Release"), [buffer])
        self.require(b.icmp_signed("==", size, INTEGER(8)), self.refused)
        self.require(b.icmp_signed("==", rank, INT(dimensions)), self.refused)
        self.require(b.icmp_signed("==", letter, BYTE(ord("d"))), self.refused)
        return numbers

    def field(self, buffer: ir.Value, offset: int, kind: ir.Type) -> ir.Value:
        place = self.builder.gep(buffer, [INTEGER(offset)])
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def require(self, condition: ir.Value, otherwise: ir.Block) -> None:
        onward = self.function.append_basic_block()
        self.builder.cbranch(condition, onward, otherwise)
        self.builder.position_at_end(onward)

    def api(self, name: str) -> ir.Function:
        """A function of Python's."""
        known: ir.Function | None = self.module.globals.get(name)
        return known or ir.Function(self.module, ir.FunctionType(*API[name]), name)
