"""LLVM code as lines of text: types, values, blocks and a builder, with the interface of `llvmlite.ir`.

Creating the mutable objects of llvmlite would take more time than everything else in the compilation of quick code. In
this module an instruction is a line of text from the start. Methods with names of `llvmlite.ir` do the same as there.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator, Sequence
from typing import Any

# -- types -------------------------------------------------------------------------------------------------------


class Type:
    """A type, identified by its text. A call of a type, such as `DOUBLE(-1)`, returns a constant of it."""

    def __init__(self, text: str):
        self.text = text

    def __call__(self, value: Any) -> Constant:
        return Constant(self, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def as_pointer(self) -> PointerType:
        return PointerType(self)

    def constant(self, value: Any) -> str:
        """Return the text of a constant of this type; None is zero."""
        return "null" if value is None else str(value)


class VoidType(Type):
    def __init__(self) -> None:
        super().__init__("void")


class DoubleType(Type):
    def __init__(self) -> None:
        super().__init__("double")

    def constant(self, value: Any) -> str:
        return f"0x{struct.unpack('<Q', struct.pack('<d', value or 0.0))[0]:016x}"


class IntType(Type):
    def __init__(self, width: int):
        super().__init__(f"i{width}")
        self.width = width

    def constant(self, value: Any) -> str:
        return ("true" if value else "false") if self.width == 1 else str(int(value or 0))


class PointerType(Type):
    """A pointer. LLVM's text does not state the type of the pointee, but builders need it."""

    def __init__(self, pointee: Type):
        super().__init__("ptr")
        self.pointee = pointee


class _Sequence(Type):
    """Base class of arrays and vectors: a fixed number of values of one type."""

    def __init__(self, element: Type, count: int, brackets: str):
        super().__init__(f"{brackets[0]}{count} x {element}{brackets[1]}")
        self.element, self.count, self.brackets = element, count, brackets

    def item(self, k: int) -> Type:
        return self.element

    def constant(self, value: Any) -> str:
        if value is None:
            return "zeroinitializer"
        parts = value if isinstance(value, (list, tuple)) else [value] * self.count
        inside = ", ".join(f"{self.element} {self.element.constant(part)}" for part in parts)
        return f"{self.brackets[0]}{inside}{self.brackets[1]}"


class ArrayType(_Sequence):
    def __init__(self, element: Type, count: int):
        super().__init__(element, count, "[]")


class VectorType(_Sequence):
    def __init__(self, element: Type, count: int):
        super().__init__(element, count, "<>")


class StructType(Type):
    """A fixed number of values of several types."""

    def __init__(self, items: Sequence[Type]):
        super().__init__(f"{{ {', '.join(map(str, items))} }}")
        self.items = list(items)

    def item(self, k: int) -> Type:
        return self.items[k]


class FunctionType(Type):
    def __init__(self, result: Type, arguments: Sequence[Type]):
        super().__init__(f"{result} ({', '.join(map(str, arguments))})")
        self.result, self.arguments = result, list(arguments)


# -- values ------------------------------------------------------------------------------------------------------


class Value:
    """An operand of instructions: its type and its reference in the text."""

    __slots__ = ("reference", "type")

    def __init__(self, type: Any, reference: str):
        self.type, self.reference = type, reference

    def __str__(self) -> str:
        return f"{self.type.text} {self.reference}"


class _Undefined:
    """Marker of a constant whose value LLVM may choose."""


Undefined = _Undefined()


class Constant(Value):
    __slots__ = ("constant",)

    def __init__(self, type: Type, value: Any):
        super().__init__(type, "undef" if value is Undefined else type.constant(value))
        self.constant = value


class Phi(Value):
    """A value that depends on the preceding block; its line is written after all incoming values are known."""

    __slots__ = ("incoming",)

    def __init__(self, type: Type, reference: str):
        super().__init__(type, reference)
        self.incoming: list[str] = []

    def add_incoming(self, value: Value, block: Block) -> None:
        self.incoming.append(f"[ {value.reference}, %{block.name} ]")

    def __str__(self) -> str:
        return f"{self.type} {self.reference}"

    def line(self) -> str:
        return f"  {self.reference} = phi {self.type} {', '.join(self.incoming)}"


class Block:
    """A basic block: instructions of which only the last one jumps or returns."""

    def __init__(self, function: Function, name: str):
        self.function, self.name = function, name
        self.instructions: list[str | Phi] = []
        self.is_terminated = False


# -- modules -----------------------------------------------------------------------------------------------------


class Module:
    """Functions, global variables and metadata, by name and in the order of their creation."""

    def __init__(self, name: str):
        self.name, self.triple = name, ""
        self.globals: dict[str, Any] = {}
        self.metadata: list[str] = []

    @property
    def functions(self) -> list[Function]:
        return [x for x in self.globals.values() if isinstance(x, Function)]

    @property
    def size(self) -> int:
        """Number of instructions."""
        return sum(function.size for function in self.functions)

    def mark(self, text: str) -> str:
        """Add a node of metadata and return its reference; in `text`, @ stands for this reference."""
        reference = f"!{len(self.metadata)}"
        self.metadata.append(text.replace("@", reference))
        return reference

    def __str__(self) -> str:
        lines = [f'; ModuleID = "{self.name}"', f'target triple = "{self.triple}"' if self.triple else "", ""]
        for x in self.globals.values():
            lines += x.lines()
        lines += [f"!{k} = {text}" for k, text in enumerate(self.metadata)]
        return "\n".join(lines) + "\n"


class GlobalVariable(Value):
    """A global variable, or a constant if `global_constant` is set."""

    def __init__(self, module: Module, type: Type, name: str):
        super().__init__(PointerType(type), f'@"{name}"')
        self.value_type, self.name = type, name
        self.linkage, self.global_constant = "", False
        self.initializer: Constant | None = None
        module.globals[name] = self

    def lines(self) -> list[str]:
        kind = "constant" if self.global_constant else "global"
        return [f"{self.reference} = {self.linkage} {kind} {self.initializer}"]


class Function(Value):
    """A function; it is only declared while it has no blocks."""

    def __init__(self, module: Module, type: FunctionType, name: str):
        super().__init__(type, f'@"{name}"')
        self.module, self.name, self.result = module, name, type.result
        self.args = [Value(kind, f"%a{k}") for k, kind in enumerate(type.arguments)]
        self.attributes: set[str] = set()
        self.linkage = ""
        self.blocks: list[Block] = []
        self.count = 0
        module.globals[name] = self

    @property
    def is_shared(self) -> bool:
        """True if other modules may call the function: defined here, not internal, and not made for Python or C."""
        return bool(self.blocks) and self.name.startswith("mbs_fmu.") and self.linkage != "internal"

    @property
    def size(self) -> int:
        """Number of instructions."""
        return sum(len(block.instructions) for block in self.blocks)

    def append_basic_block(self, name: str = "") -> Block:
        self.blocks.append(Block(self, f"b{len(self.blocks)}"))
        return self.blocks[-1]

    def fresh(self) -> str:
        """Return a new name for a value of the function."""
        self.count += 1
        return f"%t{self.count}"

    def declaration(self) -> str:
        """Return the declaration of the function, for modules that do not define it."""
        kinds = ", ".join(arg.type.text for arg in self.args)
        return f"declare {self.result} {self.reference}({kinds}) {' '.join(sorted(self.attributes))}"

    def lines(self) -> list[str]:
        if not self.blocks:
            return [self.declaration()]
        attributes = " ".join(sorted(self.attributes))
        linkage = self.linkage + " " * bool(self.linkage)
        lines = [f"define {linkage}{self.result} {self.reference}({', '.join(map(str, self.args))}) {attributes} {{"]
        for block in self.blocks:
            lines.append(f"{block.name}:")
            lines += [x if isinstance(x, str) else x.line() for x in block.instructions]
        return [*lines, "}"]


# -- the builder -------------------------------------------------------------------------------------------------

SIGNED = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
UNSIGNED = {"==": "eq", "!=": "ne"}
ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "one"}
UNORDERED = {"!=": "une"}


class IRBuilder:
    """Writer of instructions at the end of a block."""

    def __init__(self, block: Block):
        self.block = block
        self.function = block.function

    @property
    def module(self) -> Module:
        return self.function.module

    def position_at_end(self, block: Block) -> None:
        self.block = block

    def append_basic_block(self, name: str = "") -> Block:
        return self.function.append_basic_block(name)

    @contextlib.contextmanager
    def goto_entry_block(self) -> Iterator[None]:
        """Context in which instructions are inserted before the end of the function's first block."""
        before, self.block = self.block, self.function.blocks[0]
        end = self.block.instructions.pop() if self.block.is_terminated else None
        yield
        if end is not None:
            self.block.instructions.append(end)
        self.block = before

    def _value(self, type: Type, text: str) -> Value:
        function = self.function
        function.count += 1
        reference = f"%t{function.count}"
        self.block.instructions.append(f"  {reference} = {text}")
        return Value(type, reference)

    def _terminated(self, text: str) -> Block:
        self.block.instructions.append(text)
        self.block.is_terminated = True
        return self.block

    # -- arithmetic -----------------------------------------------------------------------------------
    def _binary(self, name: str, a: Value, b: Value) -> Value:
        return self._value(a.type, f"{name} {a.type.text} {a.reference}, {b.reference}")

    def fadd(self, a: Value, b: Value) -> Value:
        return self._binary("fadd", a, b)

    def fsub(self, a: Value, b: Value) -> Value:
        return self._binary("fsub", a, b)

    def fmul(self, a: Value, b: Value) -> Value:
        return self._binary("fmul", a, b)

    def fdiv(self, a: Value, b: Value) -> Value:
        return self._binary("fdiv", a, b)

    def add(self, a: Value, b: Value) -> Value:
        return self._binary("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return self._binary("sub", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self._binary("mul", a, b)

    def sdiv(self, a: Value, b: Value) -> Value:
        return self._binary("sdiv", a, b)

    def srem(self, a: Value, b: Value) -> Value:
        return self._binary("srem", a, b)

    def and_(self, a: Value, b: Value) -> Value:
        return self._binary("and", a, b)

    def or_(self, a: Value, b: Value) -> Value:
        return self._binary("or", a, b)

    def xor(self, a: Value, b: Value) -> Value:
        return self._binary("xor", a, b)

    def shl(self, a: Value, b: Value) -> Value:
        return self._binary("shl", a, b)

    def ashr(self, a: Value, b: Value) -> Value:
        return self._binary("ashr", a, b)

    def neg(self, a: Value) -> Value:
        return self.sub(Constant(a.type, 0), a)

    def not_(self, a: Value) -> Value:
        return self.xor(a, Constant(a.type, -1))

    def fneg(self, a: Value) -> Value:
        return self._value(a.type, f"fneg {a}")

    # -- comparisons and choices ----------------------------------------------------------------------
    def _compared(self, text: str, a: Value, b: Value) -> Value:
        kind = VectorType(IntType(1), a.type.count) if isinstance(a.type, VectorType) else IntType(1)
        return self._value(kind, f"{text} {a}, {b.reference}")

    def icmp_signed(self, op: str, a: Value, b: Value) -> Value:
        return self._compared(f"icmp {SIGNED[op]}", a, b)

    def icmp_unsigned(self, op: str, a: Value, b: Value) -> Value:
        return self._compared(f"icmp {UNSIGNED[op]}", a, b)

    def fcmp_ordered(self, op: str, a: Value, b: Value) -> Value:
        return self._compared(f"fcmp {ORDERED[op]}", a, b)

    def fcmp_unordered(self, op: str, a: Value, b: Value) -> Value:
        return self._compared(f"fcmp {UNORDERED[op]}", a, b)

    def select(self, test: Value, a: Value, b: Value) -> Value:
        return self._value(a.type, f"select {test}, {a}, {b}")

    def phi(self, type: Type) -> Phi:
        value = Phi(type, self.function.fresh())
        self.block.instructions.append(value)
        return value

    # -- conversions ----------------------------------------------------------------------------------
    def _converted(self, name: str, value: Value, type: Type) -> Value:
        return self._value(type, f"{name} {value} to {type}")

    def bitcast(self, value: Value, type: Type) -> Value:
        if isinstance(type, PointerType):
            return Value(type, value.reference)
        return self._converted("bitcast", value, type)

    def sitofp(self, value: Value, type: Type) -> Value:
        return self._converted("sitofp", value, type)

    def fptosi(self, value: Value, type: Type) -> Value:
        return self._converted("fptosi", value, type)

    def zext(self, value: Value, type: Type) -> Value:
        return self._converted("zext", value, type)

    def trunc(self, value: Value, type: Type) -> Value:
        return self._converted("trunc", value, type)

    # -- memory and aggregates ------------------------------------------------------------------------
    def alloca(self, type: Type, name: str = "") -> Value:
        return self._value(PointerType(type), f"alloca {type}")

    def load(self, place: Value, align: int = 0) -> Value:
        kind = place.type.pointee
        return self._value(kind, f"load {kind.text}, ptr {place.reference}" + f", align {align}" * bool(align))

    def store(self, value: Value, place: Value, align: int = 0) -> None:
        end = f", align {align}" if align else ""
        self.block.instructions.append(f"  store {value}, ptr {place.reference}{end}")

    def gep(self, place: Value, indices: Sequence[Value], inbounds: bool = False) -> Value:
        kind = inner = place.type.pointee
        for _ in indices[1:]:
            inner = inner.element
        bounds = "inbounds " if inbounds else ""
        listed = ", ".join(map(str, indices))
        return self._value(PointerType(inner), f"getelementptr {bounds}{kind.text}, ptr {place.reference}, {listed}")

    def gep_lanes(self, place: Value, indices: Value) -> Value:
        """Return the addresses of the elements at a vector of indices."""
        kind = Type(f"<{indices.type.count} x ptr>")
        return self._value(kind, f"getelementptr {place.type.pointee.text}, ptr {place.reference}, {indices}")

    def insert_value(self, pack: Value, value: Value, k: int) -> Value:
        return self._value(pack.type, f"insertvalue {pack}, {value}, {k}")

    def extract_value(self, pack: Value, k: int) -> Value:
        return self._value(pack.type.item(k), f"extractvalue {pack}, {k}")

    def insert_element(self, vector: Value, value: Value, k: Value) -> Value:
        return self._value(vector.type, f"insertelement {vector}, {value}, {k}")

    def extract_element(self, vector: Value, k: Value) -> Value:
        return self._value(vector.type.element, f"extractelement {vector}, {k}")

    def shuffle_vector(self, a: Value, b: Value, mask: Value) -> Value:
        return self._value(VectorType(a.type.element, mask.type.count), f"shufflevector {a}, {b}, {mask}")

    def opaque(self, value: Value) -> Value:
        """Return the same value through inline assembly, so that LLVM cannot infer it."""
        return self._value(value.type, f'call {value.type.text} asm sideeffect "", "=r,0"({value})')

    # -- control flow ---------------------------------------------------------------------------------
    def call(self, function: Function, arguments: Sequence[Value], attrs: Sequence[str] = ()) -> Value:
        text = f"call {function.result.text} {function.reference}({', '.join(map(str, arguments))})"
        text = " ".join((text, *attrs))
        if isinstance(function.result, VoidType):
            self.block.instructions.append(f"  {text}")
            return Value(function.result, "")
        return self._value(function.result, text)

    def branch(self, to: Block) -> Block:
        return self._terminated(f"  br label %{to.name}")

    def cbranch(self, test: Value, then: Block, other: Block) -> Block:
        return self._terminated(f"  br {test}, label %{then.name}, label %{other.name}")

    def ret(self, value: Value) -> Block:
        return self._terminated(f"  ret {value}")

    def ret_void(self) -> Block:
        return self._terminated("  ret void")

    def unreachable(self) -> Block:
        return self._terminated("  unreachable")
