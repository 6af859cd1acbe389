"""The body of a function in LLVM code (see translate.py)."""

from __future__ import annotations

import ast

from . import lines as ir
from .apart import mark, turns_of
from .kinds import WIDE, Kind, Kinds, Pack, is_truth, narrow
from .operations import Operand, Operations
from .reading import stored_names
from .subset import definition_of, known_value, statements_of, variables_of
from .values import Tables, Values
from .vectors import INTEGER, TRUTH

#: Instructions of a basic block from which on the next one begins: what the code generator does to a block, its
#: selection of instructions and its schedulers, takes time with the square of their number.
LONG = 1000


class Body:
    """Writes the body of one function."""

    def __init__(self, tables: Tables, known: Kinds, function: ir.Function):
        self.known, self.function = known, function
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        self.expressions = Values(known, tables, self.builder)
        self.operations = self.expressions.operations
        self.exits: list[tuple[ir.Block, ir.Block]] = []  #: where break and continue lead

    def write(self) -> None:
        definition = definition_of(self.known.function)
        start, top = self.builder.block, ir.IRBuilder(self.entry)
        values, memory = self.expressions.values, self.expressions.memory
        assigned = variables_of(self.known.function)
        for name, kind in self.known.names.items():
            if name in assigned and name not in self.known.once:
                memory[name] = top.alloca(self.operations.type(kind), name=name)
        first = Operations(top, self.operations.lanes, self.operations.name)
        arguments = map(Operand, self.function.args, self.known.given)
        for parameter, argument in zip(definition.args.args, arguments, strict=True):
            name = parameter.arg
            if name in memory:
                top.store(first.converted(argument, self.known.names[name]), memory[name])
            else:
                values[name] = argument
        top.branch(start)
        self.block(statements_of(self.known.function))
        if not self.builder.block.is_terminated:
            if self.known.result is None:
                self.builder.ret_void()
            else:
                self.builder.unreachable()

    def block(self, body: list[ast.stmt]) -> None:
        begun, last = 0, None
        for number, statement in enumerate(body):
            if self.builder.block.is_terminated:
                return
            self.statement(statement)
            if len(self.builder.block.instructions) + self.expressions.calls.inlined >= LONG:
                last = last or _last_reads(body)
                self.seam([x for x in stored_names(body[begun : number + 1]) if last.get(x, 0) > number])
                begun = number + 1

    def seam(self, needed: list[str]) -> None:
        """End a basic block so that LLVM neither joins it to the next one nor moves there what it computes.

        By a branch on what LLVM can't know. The way that is never gone reads the names that are needed later.
        """
        self.expressions.calls.inlined = 0
        array = next((name for name, kind in self.known.names.items() if kind in ("array", "rows")), None)
        if self.builder.block.is_terminated or array is None:
            return
        one = self.builder.opaque(INTEGER(1))
        never, onward = (self.function.append_basic_block() for _ in range(2))
        self.builder.cbranch(self.builder.trunc(one, TRUTH), onward, never)
        self.builder.position_at_end(never)
        values = [self.expressions.values[name] for name in dict.fromkeys(needed) if name in self.expressions.values]
        operations = self.operations
        for number, value in enumerate(value for value in values if narrow(value.kind) in WIDE):
            if is_truth(value.kind):
                value = operations.choice(value, operations.constant(1.0, "float"), operations.constant(0.0, "float"))
            place = operations.element(self.expressions.named(array), INTEGER(number))
            operations.store(value, self.known.names[array], place)
        if self.known.result is None:
            self.builder.ret_void()
        else:
            self.builder.ret(ir.Constant(self.function.result, ir.Undefined))
        self.builder.position_at_end(onward)

    def statement(self, s: ast.stmt) -> None:
        value = self.expressions.value
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=items)):
                for name, item in zip(names, [value(x) for x in items], strict=True):
                    self.store(name, item)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=pack):
                for name, item in zip(names, self.operations.unpacked(value(pack)), strict=True):
                    self.store(name, item)
            case ast.Assign(targets=targets, value=e):
                given = value(e)
                for target in targets:
                    self.store(target, given)
            case ast.AugAssign():
                self.changed(s)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(target=ast.Name() as target, body=body):
                counted, apart = turns_of(s)
                self.loop(target, counted.args, body, apart)
            case ast.While(test=test, body=body):
                self.repeat(test, body)
            case ast.Return(value=e):
                self.returned(e)
            case ast.Break():
                self.builder.branch(self.exits[-1][0])
            case ast.Continue():
                self.builder.branch(self.exits[-1][1])
            case ast.Expr(value=e):
                value(e)

    def store(self, target: ast.expr, given: Operand) -> None:
        match target:
            case ast.Subscript(value=ast.Name(id=array)):
                self.operations.store(given, self.known.names[array], self.expressions.address(target))
            case ast.Name(id=name):
                kind = self.known.names[name]
                value = self.operations.converted(given, kind)
                if name in self.expressions.memory:
                    self.builder.store(value, self.expressions.memory[name])
                else:
                    self.expressions.values[name] = Operand(value, kind)

    def changed(self, s: ast.AugAssign) -> None:
        """An assignment in place: where it goes to is known, and what is there read, before the value is computed."""
        match s.target:
            case ast.Subscript(value=ast.Name(id=name)) as target:
                array, place = self.known.names[name], self.expressions.address(target)
                before = self.operations.load(array, place)
                self.operations.store(self.expressions.arithmetic(before, s.op, s.value), array, place)
            case ast.Name(id=name) as target:
                self.store(target, self.expressions.arithmetic(self.expressions.named(name), s.op, s.value))

    def returned(self, e: ast.expr | None) -> None:
        kind: Kind = self.known.result
        if e is None:
            self.builder.ret_void()
        elif isinstance(e, ast.Tuple):
            assert isinstance(kind, Pack)
            self.builder.ret(self.operations.packed([self.expressions.value(x) for x in e.elts], kind).value)
        else:
            self.builder.ret(self.operations.converted(self.expressions.value(e), kind))

    def branch(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        condition = self.expressions.condition(test)
        then, after = (self.function.append_basic_block() for _ in range(2))
        other = self.function.append_basic_block() if orelse else after
        self.builder.cbranch(condition, then, other)
        for block, statements in ((then, body), (other, orelse)):
            if block is not after:
                self.builder.position_at_end(block)
                self.block(statements)
                if not self.builder.block.is_terminated:
                    self.builder.branch(after)
        self.builder.position_at_end(after)

    def loop(self, target: ast.Name, arguments: list[ast.expr], body: list[ast.stmt], apart: bool) -> None:
        """The counter is not the name, which the body may change."""
        bounds = [self.expressions.common(a) for a in arguments]
        first, stop = (bounds[0], bounds[1]) if len(bounds) > 1 else (ir.Constant(INTEGER, 0), bounds[0])
        step = known_value(arguments[2], {}) if len(arguments) > 2 else 1
        assert step is not None
        head, inside, onward, after = (self.function.append_basic_block() for _ in range(4))
        outside = len(self.function.blocks)
        before = self.builder.block
        self.builder.branch(head)
        self.builder.position_at_end(head)
        count = self.builder.phi(INTEGER)
        count.add_incoming(first, before)
        self.builder.cbranch(self.builder.icmp_signed("<" if step > 0 else ">", count, stop), inside, after)
        self.builder.position_at_end(inside)
        self.store(target, Operand(count, "int"))
        self.inner(body, after, onward)
        self.builder.position_at_end(onward)
        count.add_incoming(self.builder.add(count, ir.Constant(INTEGER, step)), onward)
        back = self.builder.branch(head)
        if apart:
            mark(self.builder.module, [inside, *self.function.blocks[outside:], onward], back)
        self.builder.position_at_end(after)

    def repeat(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, after = (self.function.append_basic_block() for _ in range(3))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.expressions.condition(test), inside, after)
        self.builder.position_at_end(inside)
        self.inner(body, after, head)
        self.builder.position_at_end(after)

    def inner(self, body: list[ast.stmt], after: ir.Block, onward: ir.Block) -> None:
        """The body of a loop, which goes on at `onward`."""
        self.exits.append((after, onward))
        self.block(body)
        self.exits.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(onward)


def _last_reads(body: list[ast.stmt]) -> dict[str, int]:
    """For each name the last statement that has it."""
    found: dict[str, int] = {}
    for number, statement in enumerate(body):
        waiting: list[ast.AST] = [statement]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name):
                found[node.id] = number
            elif isinstance(node, ast.BinOp):  # nearly always
                waiting += node.left, node.right
            elif isinstance(node, ast.Subscript):
                waiting += node.value, node.slice
            elif not isinstance(node, ast.Constant):
                waiting += ast.iter_child_nodes(node)
    return found
