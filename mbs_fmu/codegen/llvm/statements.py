"""Statements of a function in LLVM IR (see translate.py)."""

from __future__ import annotations

import ast

from . import lines as ir
from .independent_loops import loop_range, mark_independent
from .kinds import WIDE, Kind, Kinds, Pack, is_truth, narrow
from .operations import Operand, Operations
from .reading import stored_names
from .subset import definition_of, known_value, statements_of, variables_of
from .values import Tables, Values
from .vectors import INTEGER, TRUTH

#: Number of instructions after which a basic block is split: the time of instruction selection and scheduling is
#: proportional to the square of a block's length.
MOST_BLOCK_INSTRUCTIONS = 1000


class Body:
    """Writer of the body of one function."""

    def __init__(self, tables: Tables, kinds: Kinds, function: ir.Function):
        self.kinds, self.function = kinds, function
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        self.expressions = Values(kinds, tables, self.builder)
        self.operations = self.expressions.operations
        self.exits: list[tuple[ir.Block, ir.Block]] = []  #: targets of break and continue, of each enclosing loop

    def write(self) -> None:
        definition = definition_of(self.kinds.function)
        start, at_entry = self.builder.block, ir.IRBuilder(self.entry)
        values, memory = self.expressions.values, self.expressions.memory
        assigned = variables_of(self.kinds.function)
        for name, kind in self.kinds.names.items():
            if name in assigned and name not in self.kinds.assigned_once:
                memory[name] = at_entry.alloca(self.operations.type(kind), name=name)
        entry_operations = Operations(at_entry, self.operations.lanes, self.operations.name)
        arguments = map(Operand, self.function.args, self.kinds.arguments)
        for parameter, argument in zip(definition.args.args, arguments, strict=True):
            name = parameter.arg
            if name in memory:
                at_entry.store(entry_operations.converted(argument, self.kinds.names[name]), memory[name])
            else:
                values[name] = argument
        at_entry.branch(start)
        self.block(statements_of(self.kinds.function))
        if not self.builder.block.is_terminated:
            if self.kinds.result is None:
                self.builder.ret_void()
            else:
                self.builder.unreachable()

    def block(self, body: list[ast.stmt]) -> None:
        block_start, last_reads = 0, None
        for number, statement in enumerate(body):
            if self.builder.block.is_terminated:
                return
            self.statement(statement)
            if len(self.builder.block.instructions) + self.expressions.calls.inlined_size >= MOST_BLOCK_INSTRUCTIONS:
                last_reads = last_reads or _last_reads(body)
                stored = stored_names(body[block_start : number + 1])
                self.split_block([x for x in stored if last_reads.get(x, 0) > number])
                block_start = number + 1

    def split_block(self, needed: list[str]) -> None:
        """End a basic block with a branch whose condition LLVM cannot evaluate.

        LLVM then neither merges the block with the next one nor moves computations there, because the branch, which is
        never taken, stores the variables that are needed later.
        """
        self.expressions.calls.inlined_size = 0
        arrays = {kind: name for name, kind in self.kinds.names.items() if kind in ("array", "rows")}
        array = arrays.get("rows", arrays.get("array"))  # rows have places for all kinds of numbers
        if self.builder.block.is_terminated or array is None:
            return
        one = self.builder.opaque(INTEGER(1))
        never_taken, following = (self.function.append_basic_block() for _ in range(2))
        self.builder.cbranch(self.builder.trunc(one, TRUTH), following, never_taken)
        self.builder.position_at_end(never_taken)
        values = [self.expressions.values[name] for name in dict.fromkeys(needed) if name in self.expressions.values]
        operations = self.operations
        for number, value in enumerate(value for value in values if narrow(value.kind) in WIDE):
            if is_truth(value.kind):
                value = operations.choice(value, operations.constant(1.0, "float"), operations.constant(0.0, "float"))
            place = operations.element(self.expressions.named(array), INTEGER(number))
            operations.store(value, self.kinds.names[array], place)
        if self.kinds.result is None:
            self.builder.ret_void()
        else:
            self.builder.ret(ir.Constant(self.function.result, ir.Undefined))
        self.builder.position_at_end(following)

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
                operand = value(e)
                for target in targets:
                    self.store(target, operand)
            case ast.AugAssign():
                self.augmented_assignment(s)
            case ast.If(test=test, body=body, orelse=orelse):
                self.if_statement(test, body, orelse)
            case ast.For(target=ast.Name() as target, body=body):
                call, independent = loop_range(s)
                self.for_loop(target, call.args, body, independent)
            case ast.While(test=test, body=body):
                self.while_loop(test, body)
            case ast.Return(value=e):
                self.return_statement(e)
            case ast.Break():
                self.builder.branch(self.exits[-1][0])
            case ast.Continue():
                self.builder.branch(self.exits[-1][1])
            case ast.Expr(value=e):
                value(e)

    def store(self, target: ast.expr, operand: Operand) -> None:
        match target:
            case ast.Subscript(value=ast.Name(id=array)):
                self.operations.store(operand, self.kinds.names[array], self.expressions.address(target))
            case ast.Name(id=name):
                kind = self.kinds.names[name]
                value = self.operations.converted(operand, kind)
                if name in self.expressions.memory:
                    self.builder.store(value, self.expressions.memory[name])
                else:
                    self.expressions.values[name] = Operand(value, kind)

    def augmented_assignment(self, s: ast.AugAssign) -> None:
        """Assign in place, as in Python: compute the target and read it before computing the value."""
        match s.target:
            case ast.Subscript(value=ast.Name(id=name)) as target:
                array, place = self.kinds.names[name], self.expressions.address(target)
                before = self.operations.load(array, place)
                self.operations.store(self.expressions.arithmetic(before, s.op, s.value), array, place)
            case ast.Name(id=name) as target:
                self.store(target, self.expressions.arithmetic(self.expressions.named(name), s.op, s.value))

    def return_statement(self, e: ast.expr | None) -> None:
        kind: Kind = self.kinds.result
        if e is None:
            self.builder.ret_void()
        elif isinstance(e, ast.Tuple):
            assert isinstance(kind, Pack)
            self.builder.ret(self.operations.packed([self.expressions.value(x) for x in e.elts], kind).value)
        else:
            self.builder.ret(self.operations.converted(self.expressions.value(e), kind))

    def if_statement(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
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

    def for_loop(self, target: ast.Name, arguments: list[ast.expr], body: list[ast.stmt], independent: bool) -> None:
        """Write a loop. Its counter is separate from the target variable, which the body may assign."""
        bounds = [self.expressions.common(a) for a in arguments]
        first, stop = (bounds[0], bounds[1]) if len(bounds) > 1 else (ir.Constant(INTEGER, 0), bounds[0])
        step = known_value(arguments[2], {}) if len(arguments) > 2 else 1
        assert step is not None
        header, inside, latch, after = (self.function.append_basic_block() for _ in range(4))
        outside = len(self.function.blocks)
        before = self.builder.block
        self.builder.branch(header)
        self.builder.position_at_end(header)
        counter = self.builder.phi(INTEGER)
        counter.add_incoming(first, before)
        self.builder.cbranch(self.builder.icmp_signed("<" if step > 0 else ">", counter, stop), inside, after)
        self.builder.position_at_end(inside)
        self.store(target, Operand(counter, "int"))
        self.loop_body(body, after, latch)
        self.builder.position_at_end(latch)
        counter.add_incoming(self.builder.add(counter, ir.Constant(INTEGER, step)), latch)
        back = self.builder.branch(header)
        if independent:
            mark_independent(self.builder.module, [inside, *self.function.blocks[outside:], latch], back)
        self.builder.position_at_end(after)

    def while_loop(self, test: ast.expr, body: list[ast.stmt]) -> None:
        header, inside, after = (self.function.append_basic_block() for _ in range(3))
        self.builder.branch(header)
        self.builder.position_at_end(header)
        self.builder.cbranch(self.expressions.condition(test), inside, after)
        self.builder.position_at_end(inside)
        self.loop_body(body, after, header)
        self.builder.position_at_end(after)

    def loop_body(self, body: list[ast.stmt], after: ir.Block, repeat: ir.Block) -> None:
        """Write the body of a loop; `repeat` is the target of continue, `after` that of break."""
        self.exits.append((after, repeat))
        self.block(body)
        self.exits.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(repeat)


def _last_reads(body: list[ast.stmt]) -> dict[str, int]:
    """Return the index of the last statement that contains each name."""
    last: dict[str, int] = {}
    for number, statement in enumerate(body):
        waiting: list[ast.AST] = [statement]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name):
                last[node.id] = number
            elif isinstance(node, ast.BinOp):  # the most frequent nodes; this is faster than `iter_child_nodes`
                waiting += node.left, node.right
            elif isinstance(node, ast.Subscript):
                waiting += node.value, node.slice
            elif not isinstance(node, ast.Constant):
                waiting += ast.iter_child_nodes(node)
    return last
