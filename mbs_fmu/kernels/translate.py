"""Kernels to LLVM code: the functions of generated modules, translated for numba's code generator.

Typing and lowering take numba milliseconds a line, and it optimises every function again in each of its callers. The
functions of a generated module need only a small part of Python, all on doubles and integers. Here they are
translated directly: an entry and everything that it calls become functions of one LLVM module, each optimised once.
The functions stay ordinary Python, and run as they stand where numba is not wanted.

What they may have: assignments to names and to elements of arrays of doubles (also in place), `if`, `for ... in
range(...)`, `while`, `break`, `continue`, `return`, arithmetic, comparisons, conditional expressions, tables of
integers and numbers of the module, calls of each other and of the functions in calls.py. Anything else raises
NotImplementedError.

Called with rows (a two-dimensional array for R, one column for each of the module's LANES members), the same text
computes all members at once: every number is a vector of LANES doubles, a comparison of numbers a mask, a conditional
expression a choice lane by lane. Integers and control flow are common to the lanes; a function that branches on
numbers is called lane by lane, and so is the C library. So every lane has the bits that it would have alone.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from llvmlite import ir

from . import vectors
from .calls import Calls
from .entries import Kernel as Kernel
from .entries import kernel as kernel
from .kinds import (
    Kind,
    Kinds,
    Pack,
    constant_kind,
    definition_of,
    inferred,
    is_number,
    is_wide,
    joined,
    narrow,
    statements_of,
)
from .vectors import DOUBLE, INTEGER, TRUTH

# -- emission ------------------------------------------------------------------------------------------------


@dataclass
class Module:
    """Functions and tables of one LLVM module."""

    module: ir.Module
    lanes: int

    def type(self, kind: Kind) -> ir.Type:
        return vectors.llvm_type(kind, self.lanes)

    def function(self, function: Callable, kinds: tuple[Kind, ...]) -> ir.Function:
        """The function for these kinds of arguments; written when first asked for."""
        given = "".join("p" + k.of[0] if isinstance(k, Pack) else str(k)[:2] for k in kinds)
        name = f"mbs_fmu.{function.__name__}.{given}{self.lanes}"
        if name in self.module.globals:
            return self.module.globals[name]
        known = inferred(function, kinds)
        signature = ir.FunctionType(self.type(known.result), [self.type(k) for k in kinds])
        out = ir.Function(self.module, signature, name)
        out.linkage = "internal"
        out.attributes.add("nounwind")
        if _is_straight(function):
            out.attributes.add("alwaysinline")
        elif any(map(is_wide, kinds)):  # or vectors on the stack would lie across cache lines
            out.attributes.add("noinline")
            out.attributes.alignstack = 8 * self.lanes
        Body(self, known, out).write()
        return out

    def table(self, name: str, values: np.ndarray) -> ir.GlobalVariable:
        """A constant array of integers."""
        name = "mbs_fmu." + name
        if name not in self.module.globals:
            kind = ir.ArrayType(INTEGER, len(values))
            variable = ir.GlobalVariable(self.module, kind, name)
            variable.linkage, variable.global_constant = "internal", True
            variable.initializer = ir.Constant(kind, [int(v) for v in values])
        return self.module.globals[name]


def _is_straight(function: Callable) -> bool:
    """Whether a function has neither loops nor branches."""
    return not any(isinstance(s, (ast.For, ast.While, ast.If)) for s in statements_of(function))


class Body:
    """Writes the body of one function."""

    def __init__(self, module: Module, known: Kinds, function: ir.Function):
        self.module, self.known, self.function, self.lanes = module, known, function, module.lanes
        self.constants = known.function.__globals__
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        self.values: dict[str, ir.Value] = {}  #: of names that are never assigned again
        self.memory: dict[str, ir.Value] = {}
        self.exits: list[tuple[ir.Block, ir.Block]] = []  #: where break and continue lead
        self.calls = Calls(self)

    def write(self) -> None:
        definition = definition_of(self.known.function)
        start = self.builder.block
        assigned = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        top = ir.IRBuilder(self.entry)
        for name, kind in self.known.names.items():
            if name in assigned and name not in self.known.once:
                self.memory[name] = top.alloca(self.module.type(kind), name=name)
        for argument, value in zip(definition.args.args, self.function.args, strict=True):
            if argument.arg in self.memory:
                top.store(value, self.memory[argument.arg])
            else:
                self.values[argument.arg] = value
        top.branch(start)
        self.block(statements_of(self.known.function))
        if not self.builder.block.is_terminated:
            if self.known.result is None:
                self.builder.ret_void()
            else:
                self.builder.unreachable()

    # -- statements -----------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.builder.block.is_terminated:
                return
            self.statement(statement)

    def statement(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=items)):
                values = [(self.value(x), self.known.kind(x)) for x in items]
                for name, (number, kind) in zip(names, values, strict=True):
                    self.store(name, number, kind)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                pack, of = self.value(value), self.known.kind(value).of  # type: ignore[union-attr]
                for k, name in enumerate(names):
                    self.store(name, self.builder.extract_value(pack, k), of)
            case ast.Assign(targets=targets, value=value):
                number, kind = self.value(value), self.known.kind(value)
                for target in targets:
                    self.store(target, number, kind)
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.parse(ast.unparse(target), mode="eval").body
                self.statement(ast.Assign([target], ast.BinOp(load, op, value)))
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=arguments), body=body):
                self.loop(name, arguments, body)
            case ast.While(test=test, body=body):
                self.repeat(test, body)
            case ast.Return(value=value):
                self.returned(value)
            case ast.Break():
                self.builder.branch(self.exits[-1][0])
            case ast.Continue():
                self.builder.branch(self.exits[-1][1])
            case ast.Expr(value=ast.Call() as call):
                self.value(call)
            case ast.Pass():
                pass
            case _:
                raise NotImplementedError(f"not known to a kernel: {ast.unparse(s)}")

    def store(self, target: ast.expr, value: ir.Value, kind: Kind) -> None:
        if isinstance(target, ast.Subscript):
            if self.known.kind(target) == "lanes":
                vectors.store_lanes(
                    self.builder, self.converted(value, kind, "lanes"), self.address(target), self.lanes
                )
            else:
                self.builder.store(self.converted(value, kind, "float"), self.address(target))
            return
        assert isinstance(target, ast.Name)
        value = self.converted(value, kind, self.known.names[target.id])
        if target.id in self.memory:
            self.builder.store(value, self.memory[target.id])
        else:
            self.values[target.id] = value

    def returned(self, value: ast.expr | None) -> None:
        if value is None:
            self.builder.ret_void()
        elif isinstance(value, ast.Tuple):
            kind = self.known.result
            assert isinstance(kind, Pack)
            pack: ir.Value = ir.Constant(self.module.type(kind), ir.Undefined)
            for k, item in enumerate(value.elts):
                pack = self.builder.insert_value(pack, self.as_kind(item, kind.of), k)
            self.builder.ret(pack)
        else:
            self.builder.ret(self.converted(self.value(value), self.known.kind(value), self.known.result))

    def branch(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, after = (self.function.append_basic_block() for _ in range(2))
        other = self.function.append_basic_block() if orelse else after
        self.builder.cbranch(self.condition(test), then, other)
        for block, statements in ((then, body), (other, orelse)):
            if block is not after:
                self.builder.position_at_end(block)
                self.block(statements)
                if not self.builder.block.is_terminated:
                    self.builder.branch(after)
        self.builder.position_at_end(after)

    def loop(self, name: str, arguments: list[ast.expr], body: list[ast.stmt]) -> None:
        bounds = [self.value(a) for a in arguments]
        first, stop = (bounds[0], bounds[1]) if len(bounds) > 1 else (ir.Constant(INTEGER, 0), bounds[0])
        step = ast.literal_eval(arguments[2]) if len(arguments) > 2 else 1
        head, inside, onward, after = (self.function.append_basic_block() for _ in range(4))
        before = self.builder.block
        self.builder.branch(head)
        self.builder.position_at_end(head)
        count = self.builder.phi(INTEGER)
        count.add_incoming(first, before)
        self.builder.cbranch(self.builder.icmp_signed("<" if step > 0 else ">", count, stop), inside, after)
        self.builder.position_at_end(inside)
        self.builder.store(count, self.memory[name])
        self.exits.append((after, onward))
        self.block(body)
        self.exits.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(onward)
        self.builder.position_at_end(onward)
        count.add_incoming(self.builder.add(count, ir.Constant(INTEGER, step)), onward)
        self.builder.branch(head)
        self.builder.position_at_end(after)

    def repeat(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, after = (self.function.append_basic_block() for _ in range(3))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.condition(test), inside, after)
        self.builder.position_at_end(inside)
        self.exits.append((after, head))
        self.block(body)
        self.exits.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(head)
        self.builder.position_at_end(after)

    # -- expressions ----------------------------------------------------------------------------------
    def value(self, e: ast.expr) -> ir.Value:
        match e:
            case ast.Constant(value=value):
                return ir.Constant(self.module.type(self.known.kind(e)), value)
            case ast.Name(id=name):
                return self.named(name)
            case ast.Subscript():
                if self.known.kind(e) == "lanes":
                    return vectors.load_lanes(self.builder, self.address(e), self.lanes)
                return self.builder.load(self.address(e))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self.value(operand)
                return self.builder.fneg(value) if is_number(self.known.kind(operand)) else self.builder.neg(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.builder.not_(self.truth(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(left, op, right)
            case ast.Compare() | ast.BoolOp():
                return self.truth(e)
            case ast.IfExp(test=test, body=a, orelse=b):
                kind = self.known.kind(e)
                return self.builder.select(self.truth(test), self.as_kind(a, kind), self.as_kind(b, kind))
            case ast.Attribute(attr=name):
                return ir.Constant(DOUBLE, getattr(np, name))
            case ast.Call():
                return self.calls.call(e)
        raise NotImplementedError(f"not known to a kernel: {ast.unparse(e)}")

    def named(self, name: str) -> ir.Value:
        if name in self.memory:
            return self.builder.load(self.memory[name])
        if name in self.values:
            return self.values[name]
        value = self.constants[name]
        kind = constant_kind(value)
        if isinstance(kind, Pack):
            return ir.Constant(self.module.type(kind), [float(x) for x in value])
        return ir.Constant(self.module.type(kind), float(value) if kind == "float" else int(value))

    def address(self, place: ast.Subscript) -> ir.Value:
        assert isinstance(place.value, ast.Name)
        index = self.value(place.slice)
        array = self.known.names.get(place.value.id)
        if array is not None:
            return self.element(self.named(place.value.id), array, index)
        table = self.module.table(place.value.id, self.constants[place.value.id])
        return self.builder.gep(table, [ir.Constant(INTEGER, 0), index], inbounds=True)

    def element(self, array: ir.Value, kind: Kind, index: ir.Value) -> ir.Value:
        """Where an element of an array lies, a row of rows, an element of a column."""
        if kind != "array":
            index = self.builder.mul(index, INTEGER(self.lanes))
        return self.builder.gep(array, [index], inbounds=True)

    FLOATS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
    INTEGERS = {
        ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv", ast.BitAnd: "and_", ast.BitOr: "or_",
        ast.RShift: "ashr", ast.LShift: "shl",
    }  # fmt: skip

    def binary(self, left: ast.expr, op: ast.operator, right: ast.expr) -> ir.Value:
        if isinstance(op, ast.Pow):
            return self.power(left, right)
        kind = joined([self.known.kind(left), self.known.kind(right), *(["float"] * isinstance(op, ast.Div))])
        a, b = self.as_kind(left, kind), self.as_kind(right, kind)
        return getattr(self.builder, (self.FLOATS if is_number(kind) else self.INTEGERS)[type(op)])(a, b)

    def power(self, base: ast.expr, exponent: ast.expr) -> ir.Value:
        if isinstance(exponent, ast.Constant) and exponent.value == 2:
            value = self.as_kind(base, joined([self.known.kind(base), "float"]))
            return self.builder.fmul(value, value)
        return self.calls.math("pow", [base, exponent])

    def condition(self, e: ast.expr) -> ir.Value:
        """What decides on the way to go, for all lanes."""
        if is_wide(self.known.kind(e)):
            raise NotImplementedError(f"{self.known.function.__name__}: lanes differ in {ast.unparse(e)}")
        return self.truth(e)

    def truth(self, e: ast.expr) -> ir.Value:
        match e:
            case ast.BoolOp(op=op, values=values) if self.known.kind(e) == "mask":
                first, *others = (self.as_truth(x, "mask") for x in values)
                return functools.reduce(
                    self.builder.and_ if isinstance(op, ast.And) else self.builder.or_, others, first
                )
            case ast.BoolOp(op=op, values=values):
                return self.shortcut(isinstance(op, ast.And), values)
            case ast.Compare(left=left, ops=ops, comparators=others):
                kind = self.known.kind(e)
                out = self.compare(left, ops[0], others[0], kind)
                for a, following, b in zip(others, ops[1:], others[1:], strict=False):
                    out = self.builder.and_(out, self.compare(a, following, b, kind))
                return out
        value = self.value(e)
        kind = self.known.kind(e)
        if kind in ("bool", "mask"):
            return value
        return self.builder.icmp_signed("!=", value, ir.Constant(self.module.type(kind), None if kind == "bits" else 0))

    def as_truth(self, e: ast.expr, kind: Kind) -> ir.Value:
        return self.converted(self.truth(e), "mask" if is_wide(self.known.kind(e)) else "bool", kind)

    def shortcut(self, conjunction: bool, values: list[ast.expr]) -> ir.Value:
        """`and` and `or`: what need not be known is not computed."""
        after = self.function.append_basic_block()
        incoming = []
        for number, e in enumerate(values):
            value = self.truth(e)
            incoming.append((value, self.builder.block))
            if number < len(values) - 1:
                onward = self.function.append_basic_block()
                self.builder.cbranch(value, *((onward, after) if conjunction else (after, onward)))
                self.builder.position_at_end(onward)
            else:
                self.builder.branch(after)
        self.builder.position_at_end(after)
        out = self.builder.phi(TRUTH)
        for value, block in incoming:
            out.add_incoming(value, block)
        return out

    COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}

    def compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr, wanted: Kind) -> ir.Value:
        """A comparison, as a mask where one is wanted."""
        symbol, kind = self.COMPARISONS[type(op)], joined([self.known.kind(left), self.known.kind(right)])
        a, b = self.as_kind(left, kind), self.as_kind(right, kind)
        if is_number(kind):
            out = (self.builder.fcmp_unordered if symbol == "!=" else self.builder.fcmp_ordered)(symbol, a, b)
        else:
            out = self.builder.icmp_signed(symbol, a, b)
        return self.converted(out, "mask" if is_wide(kind) else "bool", wanted)

    def as_kind(self, e: ast.expr, kind: Kind) -> ir.Value:
        return self.converted(self.value(e), self.known.kind(e), kind)

    def converted(self, value: ir.Value, kind: Kind, wanted: Kind) -> ir.Value:
        if kind == wanted:
            return value
        if (kind, wanted) == ("int", "float"):
            return self.builder.sitofp(value, DOUBLE)
        if is_wide(wanted) and not is_wide(kind):
            return vectors.spread(self.builder, self.converted(value, kind, narrow(wanted)), self.lanes)
        raise NotImplementedError(f"{self.known.function.__name__}: a value of kind {kind} where {wanted} is wanted")
