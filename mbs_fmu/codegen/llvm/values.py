"""Expressions in LLVM code (see translate.py)."""

from __future__ import annotations

import ast
from typing import Protocol

import numpy as np

from . import lines as ir
from .agreement import Agreement
from .calls import Calls, Functions
from .kinds import TO_INTEGER, Kind, Kinds, Pack, constant_kind, is_wide, name_of
from .operations import Operand, Operations
from .subset import is_harmless, may_change
from .vectors import INTEGER, TRUTH


class Tables(Functions, Protocol):
    """Provider of functions and of constant arrays of integers."""

    lanes: int

    def table(self, name: str, values: np.ndarray) -> ir.GlobalVariable: ...


class Values:
    """Writer of the expressions in the body of one function."""

    def __init__(self, kinds: Kinds, tables: Tables, builder: ir.IRBuilder):
        self.kinds, self.tables, self.builder = kinds, tables, builder
        self.constants = kinds.function.__globals__
        self.operations = Operations(builder, tables.lanes, kinds.function.__name__)
        self.calls = Calls(kinds, self.operations, tables)
        self.values: dict[str, Operand] = {}  #: values of names that are assigned once
        self.memory: dict[str, ir.Value] = {}  #: addresses of the other names

    def value(self, e: ast.expr) -> Operand:
        operations = self.operations
        match e:
            case ast.Name(id=name):
                return self.named(name)
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(self.value(left), op, right)
            case ast.Constant(value=bool() | int() | float() as value):
                return operations.constant(value, self.kinds.kind(e))
            case ast.Subscript(value=ast.Name(id=name)):
                if name not in self.kinds.names:
                    return Operand(self.builder.load(self.address(e)), "int")
                if is_wide(self.kinds.kind(e.slice)) and self.kinds.names[name] == "rows":
                    return operations.gathered(self.named(name), self.value(e.slice))
                return operations.load(self.kinds.names[name], self.address(e))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return operations.minus(self.value(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                test = self.truth(operand)
                return Operand(self.builder.not_(test.value), test.kind)
            case ast.Compare():
                return self.comparison(e)
            case ast.BoolOp(op=op, values=values):
                return self.shortcut(e, isinstance(op, ast.And), values)
            case ast.IfExp(test=test, body=a, orelse=b):
                return self.choice(e, self.truth(test), a, b)
            case ast.Attribute(attr=name):
                return operations.constant(getattr(np, name), "float")
        assert isinstance(e, ast.Call)
        return self.call(e)

    def named(self, name: str) -> Operand:
        if name in self.memory:
            return Operand(self.builder.load(self.memory[name]), self.kinds.names[name])
        if name in self.values:
            return self.values[name]
        value = self.constants[name]
        kind = constant_kind(value)
        if isinstance(kind, Pack):
            return self.operations.constant(tuple(map(float, value)), kind)
        return self.operations.constant(float(value) if kind == "float" else int(value), kind)

    def call(self, e: ast.Call) -> Operand:
        name = name_of(e)
        if name == "view":  # np.float64(x).view(np.int64): the bits of a number
            assert isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Call)
            x = self.value(e.func.value.args[0])
            return self.calls.call(name, e, [x])
        arguments = [self.value(x) for x in e.args]
        if self.kinds.votes and arguments and is_wide(arguments[0].kind):
            if name in TO_INTEGER:
                return Operand(self.agreement.integer(arguments[0]), "int")
            if name == "common":
                return Operand(self.agreement.first(arguments[0]), self.kinds.kind(e))
        return self.calls.call(name, e, arguments)

    @property
    def agreement(self) -> Agreement:
        """Writer of votes at the present position."""
        return Agreement(self.operations, self.named("R"), self.constants)

    def address(self, place: ast.Subscript) -> ir.Value:
        """Return the address of an element of an array or of a table."""
        assert isinstance(place.value, ast.Name)
        if is_wide(self.kinds.kind(place.slice)) and place.value.id in self.kinds.names:
            raise self.differ(place)
        index = self.common(place.slice)
        if place.value.id in self.kinds.names:
            return self.operations.element(self.named(place.value.id), index)
        table = self.tables.table(place.value.id, self.constants[place.value.id])
        return self.builder.gep(table, [ir.Constant(INTEGER, 0), index], inbounds=True)

    def arithmetic(self, a: Operand, op: ast.operator, right: ast.expr) -> Operand:
        """Write an operation whose left operand is already computed."""
        if not isinstance(op, ast.Pow):
            return self.operations.arithmetic(a, op, self.value(right))
        if isinstance(right, ast.Constant) and right.value == 2:
            return self.operations.arithmetic(a, ast.Mult(), a)
        return self.calls.math("pow", [a, self.value(right)])

    def common(self, e: ast.expr) -> ir.Value:
        """Return an integer on which lanes agree; raises NotImplementedError if they can differ."""
        operand = self.value(e)
        if not is_wide(operand.kind):
            return operand.value
        if self.kinds.votes:
            return self.agreement.integer(operand)
        raise self.differ(e)

    def differ(self, e: ast.expr) -> NotImplementedError:
        """Return the error for an expression that must be the same in all lanes."""
        return NotImplementedError(f"{self.kinds.function.__name__}: lanes differ in {ast.unparse(e)}")

    # -- truths and choices ---------------------------------------------------------------------------
    def condition(self, e: ast.expr) -> ir.Value:
        """Return the condition of a branch, on which lanes agree; raises NotImplementedError if they can differ."""
        test = self.truth(e)
        if not is_wide(test.kind):
            return test.value
        if self.kinds.votes:
            return self.agreement.condition(test.value)
        raise self.differ(e)

    def truth(self, e: ast.expr) -> Operand:
        return self.operations.truth(self.value(e))

    def comparison(self, e: ast.Compare) -> Operand:
        """Write a comparison. All parts of a chain are computed, each once: later parts have no side effects."""
        parts = [self.value(part) for part in (e.left, *e.comparators)]
        steps = zip(parts, e.ops, parts[1:], strict=False)
        return self.operations.all_or_any(True, [self.operations.compare(op, a, b) for a, op, b in steps])

    def shortcut(self, e: ast.BoolOp, conjunction: bool, values: list[ast.expr]) -> Operand:
        """Write `and` or `or` with short-circuit evaluation; with lanes, all parts are computed."""
        if is_wide(self.kinds.kind(e)):
            self.same_for_lanes(values[1:])
            return self.operations.all_or_any(conjunction, [self.value(x) for x in values])
        after = self.builder.append_basic_block()
        incoming = []
        for number, part in enumerate(values):
            value = self.condition(part)
            incoming.append((value, self.builder.block))
            if number < len(values) - 1:
                onward = self.builder.append_basic_block()
                self.builder.cbranch(value, *((onward, after) if conjunction else (after, onward)))
                self.builder.position_at_end(onward)
            else:
                self.builder.branch(after)
        self.builder.position_at_end(after)
        result = self.builder.phi(TRUTH)
        for value, block in incoming:
            result.add_incoming(value, block)
        return Operand(result, "bool")

    def choice(self, e: ast.expr, test: Operand, a: ast.expr, b: ast.expr) -> Operand:
        """Write a conditional expression. It computes both values if that is harmless, otherwise the chosen one."""
        if is_wide(test.kind) and isinstance(e, ast.IfExp) and self.kinds.is_agreed(e):
            return self.only_chosen(self.agreement.condition(test.value), a, b, self.kinds.kind(e))
        if is_wide(test.kind):
            self.same_for_lanes([a, b])
        elif not all(is_harmless(self.kinds.function, part) for part in (a, b)):
            return self.only_chosen(test.value, a, b, self.kinds.kind(e))
        return self.operations.choice(test, self.value(a), self.value(b))

    def only_chosen(self, test: ir.Value, a: ast.expr, b: ast.expr, kind: Kind) -> Operand:
        after = self.builder.append_basic_block()
        blocks = [self.builder.append_basic_block() for _ in range(2)]
        self.builder.cbranch(test, *blocks)
        incoming = []
        for block, e in zip(blocks, (a, b), strict=True):
            self.builder.position_at_end(block)
            incoming.append((self.operations.converted(self.value(e), kind), self.builder.block))
            self.builder.branch(after)
        self.builder.position_at_end(after)
        result = self.builder.phi(self.operations.type(kind))
        for value, block in incoming:
            result.add_incoming(value, block)
        return Operand(result, kind)

    def same_for_lanes(self, parts: list[ast.expr]) -> None:
        """Refuse parts with side effects, because parts that some lanes need are computed for all lanes."""
        for part in parts:
            if may_change(self.kinds.function, part):
                raise self.differ(part)
