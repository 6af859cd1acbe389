"""Reader of kernels: from their text to blocks of assignments, loops, branches and calls."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...codegen.graphs import FUNCTIONS, FormulaRecord, place
from ...infrastructure.syntax import parsed
from ...record.layout import Load, Local
from ...symbolic import expressions as symbolic
from ...symbolic.expressions import Expression, is_condition, leaf
from ...symbolic.graph import leaves
from .nodes import Block, Body, Branch, Call, Function, Loop, Node, Store, Zero
from .places import Extent, Irreversible, Places, Scope, replaced

MOST_UNROLLED = 12  #: most iterations of a loop that is written out if its statements use numbers of each other


class Value(NamedTuple):
    """Formula of a local, with the numbers of assignments before it and of loops around it."""

    formula: Expression
    since: int = 0
    depth: int = 0


class Reader:
    """Reader of one kernel of a module. functions: the syntax trees of all kernels.

    Raises Irreversible for text that it does not know.
    """

    def __init__(self, places: Places, functions: Mapping[str, ast.FunctionDef]):
        self.places, self.functions = places, functions
        self.block: Block | None = None
        self.nodes: list[Node] = []
        self.written: list[Extent] = []  #: of all assignments up to here
        self.values: dict[str, Value | None] = {}  #: locals
        self.outer: list[Extent] = []  #: numbers behind locals that are older than the loop that uses them
        self.given: list[str] = []  #: locals from the function's argument
        self.inlined = 0  #: calls that have been read in their place
        self.has_checks = False  #: the kernel returns the number of the first failed check

    def function(self, name: str) -> Function:
        """Read a kernel."""
        tree = self.functions[name]
        arguments = [a.arg for a in tree.args.args]
        if not arguments or arguments[0] != "R" or len(arguments) > 1 and arguments[-1] != "carried":
            raise Irreversible(f"arguments of {name}")
        self.has_checks = name == "prepare"
        last = tree.body[-1]
        ends = isinstance(last, ast.Return) and (last.value is None or isinstance(last.value, ast.Constant))
        body = self.body(tree.body[:-1] if ends else tree.body, Scope({}, {}))
        return Function(name, arguments[1:-1], self.given, body)

    # -- statements --------------------------------------------------------------------------------------------
    def body(self, statements: Sequence[ast.stmt], scope: Scope) -> Body:
        """Read statements of one level."""
        outer, self.nodes, self.block = self.nodes, [], None
        made = Body(nodes=self.nodes)
        self.statements(statements, scope, made)
        self.nodes, self.block = outer, None
        return made

    def statements(self, statements: Sequence[ast.stmt], scope: Scope, made: Body) -> None:
        for statement in statements:
            self.statement(statement, scope, made)

    def statement(self, s: ast.stmt, scope: Scope, made: Body) -> None:
        match s:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[ast.Name(id="R"), *more])):
                self.call(name, more, scope, made)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id="carried")):
                self.given = [n.id for n in names if isinstance(n, ast.Name)]
                for name in self.given:
                    self.values[name] = Value(leaf(Local(name)))
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=a), ast.Name(id=b)])], value=ast.Call() as value):
                self.pair((a, b), value, scope)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.assign(name, value, scope, made)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id="R"), slice=index)], value=value):
                self.store(index, self.number(value, scope), False, scope)
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(id="R"), slice=index), op=ast.Add() | ast.Sub() as op, value=value
            ):
                change = self.number(value, scope)
                self.store(index, change if isinstance(op, ast.Add) else -change, True, scope)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                self.assign(name, whole, scope, made)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds) as header):
                self.loop(name, self.range_of(header, bounds), s.body, scope, made)
            case ast.If():
                self.branch(s, scope)
            case ast.Return(value=ast.Tuple(elts=elements)):
                self.returned([self.number(e, scope) for e in elements], scope)
            case _:
                raise Irreversible(ast.unparse(s))

    def assign(self, name: str, value: ast.expr, scope: Scope, made: Body) -> None:
        """Read an assignment to a local: an integer, a carried tuple or a number."""
        match value:
            case ast.Name(id=zeros) if zeros.startswith("ZEROS_"):
                self.add(Zero(name, zeros))
                return
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id="R"), *more, ast.Name(id=carried)]) if (
                carried == name and called in self.functions and name.startswith("carried")
            ):
                self.add(Call(called, [ast.unparse(e) for e in more], name, True))
                return
        if self.is_integer(value, scope):
            if name in scope.integers or name in self.values:
                raise Irreversible(f"{name} is assigned again")
            scope.integers[name] = self.places.resolved(value, scope)
            made.integers.append((name, ast.unparse(value)))
            return
        if name in scope.integers:
            raise Irreversible(f"{name} is assigned again")
        self.values[name] = Value(self.number(value, scope), len(self.written), len(scope.loops))

    def pair(self, names: tuple[str, str], value: ast.Call, scope: Scope) -> None:
        """Read sine and cosine of an angle."""
        match value:
            case ast.Call(func=ast.Name(id="sincos"), args=[angle]):
                x = self.number(angle, scope)
                for name, made in zip(names, (symbolic.sin(x), symbolic.cos(x)), strict=True):
                    self.values[name] = Value(made, len(self.written), len(scope.loops))
            case _:
                raise Irreversible(ast.unparse(value))

    def call(self, name: str, more: list[ast.expr], scope: Scope, made: Body) -> None:
        """Read a call without result. A function with integers among its arguments is read in its place."""
        if name not in self.functions:
            raise Irreversible(f"call of {name}")
        match more:
            case []:
                self.add(Call(name, []))
            case [*integers, ast.Name(id=carried)] if carried.startswith("carried"):
                self.add(Call(name, [ast.unparse(e) for e in integers], carried))
            case _:
                tree = self.functions[name]
                self.inlined += 1
                names: dict[str, ast.expr] = {a.arg: e for a, e in zip(tree.args.args[1:], more, strict=True)}
                own = _stored(tree.body)
                if not own.isdisjoint(names):
                    raise Irreversible(f"{name} changes its arguments")
                names |= {n: ast.Name(f"{n}_{name}_{self.inlined}") for n in own}
                self.statements(_copied(tree.body, names), scope, made)

    def range_of(self, header: ast.Call, bounds: list[ast.expr]) -> range:
        """Return the values of the variable of a loop."""
        match header.func, bounds:
            case ast.Name(id="apart"), [ast.Call(args=inner)]:
                bounds = inner
        values = [self.places.known(e) for e in bounds]
        if None in values:
            raise Irreversible(f"bounds of {ast.unparse(header)}")
        made = range(*(v for v in values if v is not None))
        if abs(made.step) != 1:
            raise Irreversible(f"steps of {ast.unparse(header)}")
        return made

    def loop(self, name: str, values: range, statements: list[ast.stmt], scope: Scope, made: Body) -> None:
        """Read a loop; a short one whose iterations use each other's locals is written out."""
        if not len(values):
            return
        before, block, nodes, count = self.values, self.block, self.nodes, len(self.nodes)
        written, uses = len(self.written), len(self.outer)
        try:
            self.whole_loop(name, values, statements, scope)
        except Irreversible:
            if len(values) > MOST_UNROLLED:
                raise
            self.values, self.block, self.nodes = before, block, nodes
            del nodes[count:], self.written[written:], self.outer[uses:]
            for value in values:
                self.statements(_copied(statements, {name: ast.Constant(value)}), scope, made)

    def whole_loop(self, name: str, values: range, statements: list[ast.stmt], scope: Scope) -> None:
        """Read a loop whose iterations use only numbers of the record of each other."""
        inner = scope.inner()
        inner.loops[name] = values
        self.close()
        before, changed = self.values, _stored(statements)
        self.values = {n: None if n in changed else value for n, value in before.items()}
        first, uses = len(self.written), len(self.outer)
        body = self.body(statements, inner)
        if any(use.meets(other) for use in self.outer[uses:] for other in self.written[first:]):
            raise Irreversible(f"locals that a loop over {name} changes")
        self.values = {n: before[n] if n in before and n not in changed else None for n in self.values}
        self.nodes.append(Loop(name, values, body))

    def branch(self, s: ast.If, scope: Scope) -> None:
        """Read a branch. One that only returns the number of a failed check is left out."""
        self.close()
        match s:
            case ast.If(body=[ast.Return(value=ast.Constant())], orelse=[]) if self.has_checks:
                return
        test: str | Expression
        swapped, condition = False, s.test
        reads: dict[Load, Extent] = {}
        if self.is_integer(condition, scope):
            test = ast.unparse(condition)
        elif self.is_state(condition, scope):
            test, reads = ast.unparse(condition), self.tested(condition, scope)
        else:
            while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
                swapped, condition = not swapped, condition.operand
            test = self.number(condition, scope)
            if not is_condition(test):
                raise Irreversible(ast.unparse(s.test))
            reads = self.reads([test], scope)
        before, names, changed = self.values, set(self.values), _stored([s])
        bodies = []
        for statements in (s.body, s.orelse):
            self.values = dict(before)
            bodies.append(self.body(statements, scope.inner()))
            names |= self.values.keys()
        self.values = {n: None if n in changed else before[n] for n in names}
        if swapped:
            bodies.reverse()
        self.nodes.append(Branch(test, bodies[0], bodies[1], reads))

    # -- blocks ------------------------------------------------------------------------------------------------
    def opened(self) -> Block:
        """Return the block to which the next assignment belongs."""
        if self.block is None:
            self.block = Block(len(self.written))
            self.nodes.append(self.block)
        return self.block

    def close(self) -> None:
        """End the present block."""
        self.block = None

    def add(self, node: Node) -> None:
        self.close()
        self.nodes.append(node)

    def store(self, index: ast.expr, value: Expression, added: bool, scope: Scope) -> None:
        """Read an assignment to the record."""
        target = self.places.load("R", index)
        extent = self.places.extent(target, scope)
        block = self.opened()
        reads = self.reads([value], scope)
        for earlier in block.stores:
            for load, read in reads.items():
                if load != earlier.target and _meets(load, read, earlier):
                    raise Irreversible(f"{load} may be {earlier.target}")
        block.reads |= reads
        self.written.append(extent)
        for earlier in block.stores:
            if earlier.target == target:
                earlier.value = earlier.value + value if added else value
                earlier.added = earlier.added and added
                return
        block.stores.append(Store(target, value, added, extent))

    def reads(self, formulas: list[Expression], scope: Scope) -> dict[Load, Extent]:
        """Return the numbers of the record that formulas read."""
        return {load: self.places.extent(load, scope) for load in leaves(formulas) if isinstance(load, Load)}

    def returned(self, values: list[Expression], scope: Scope) -> None:
        """Read the results of the function."""
        block, reads = self.opened(), self.reads(values, scope)
        for store in block.stores:
            for load, extent in reads.items():
                if load != store.target and _meets(load, extent, store):
                    raise Irreversible(f"{load} may be {store.target}")
        block.results = values
        block.reads |= reads

    def read(self, index: ast.expr, scope: Scope) -> Expression:
        """Return a number of the record."""
        load = self.places.load("R", index)
        extent = self.places.extent(load, scope)
        if self.block is not None:
            for store in self.block.stores:
                if store.target == load and not store.added:
                    return store.value
                if _meets(load, extent, store):
                    self.close()
                    break
        return leaf(load)

    # -- expressions -------------------------------------------------------------------------------------------
    def is_integer(self, e: ast.expr, scope: Scope) -> bool:
        """True for expressions of integers only."""
        match e:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.Name(id=name):
                return name in scope.integers or name in scope.loops or self.is_known(name)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return name in self.places.tables and self.is_integer(index, scope)
            case ast.BinOp(left=a, right=b):
                return not isinstance(e.op, ast.Div) and self.is_integer(a, scope) and self.is_integer(b, scope)
            case ast.UnaryOp(operand=a):
                return self.is_integer(a, scope)
            case ast.Compare(left=a, comparators=others):
                return all(self.is_integer(x, scope) for x in (a, *others))
            case ast.BoolOp(values=values):
                return all(self.is_integer(x, scope) for x in values)
        return False

    def is_known(self, name: str) -> bool:
        """True for constants of the module and integers among the arguments."""
        if name in self.values:
            return False
        return not isinstance(self.places.numbers.get(name, 0), float)

    def is_state(self, e: ast.expr, scope: Scope) -> bool:
        """True for a comparison of a number of the record with a constant, by which kernels distinguish cases."""
        match e:
            case ast.Compare(
                left=ast.Subscript(value=ast.Name(id="R")),
                ops=[ast.Eq() | ast.NotEq()],
                comparators=[ast.Constant() | ast.Name() as other],
            ):
                return isinstance(other, ast.Constant) or other.id in self.places.numbers
        return False

    def tested(self, e: ast.expr, scope: Scope) -> dict[Load, Extent]:
        """Return the numbers of the record that a condition compares."""
        indices = [n.slice for n in ast.walk(e) if isinstance(n, ast.Subscript) and ast.unparse(n.value) == "R"]
        return {load: self.places.extent(load, scope) for load in (self.places.load("R", i) for i in indices)}

    def number(self, e: ast.expr, scope: Scope) -> Expression:
        """Return the formula of a number."""
        match e:
            case ast.Constant(value=int() | float() as value):
                return symbolic.as_expression(float(value))
            case ast.Name(id=name):
                return self.local(name, scope)
            case ast.Attribute(value=ast.Name(id="np"), attr="nan" | "inf" as name):
                return symbolic.as_expression(float(name))
            case ast.Subscript(value=ast.Name(id="R"), slice=index):
                return self.read(index, scope)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(operand, scope)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                return ARITHMETIC[type(op)](self.number(left, scope), self.number(right, scope))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return COMPARISONS[type(op)](self.number(left, scope), self.number(right, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return symbolic.where(*(self.number(x, scope) for x in (test, body, orelse)))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments):
                return self.applied(name, arguments, scope)
        raise Irreversible(ast.unparse(e))

    def local(self, name: str, scope: Scope) -> Expression:
        """Return the value of a local, or of a constant of the module."""
        if name in self.values:
            value = self.values[name]
            if value is None:
                raise Irreversible(f"{name} comes from another iteration or branch")
            self.check_age(name, value, scope)
            return value.formula
        number = self.places.numbers.get(name)
        if number is None:
            raise Irreversible(f"the number {name}")
        return symbolic.as_expression(float(number))

    def argument(self, e: ast.expr, scope: Scope) -> Any:
        """Return an argument of a function of tables: an integer, the record or a formula."""
        if isinstance(e, ast.Name) and e.id == "R":
            return _Entries()
        number = self.places.known(e)
        return self.number(e, scope) if number is None else number

    def check_age(self, name: str, value: Value, scope: Scope) -> None:
        """Raise Irreversible if numbers from which a local follows have changed, or note them for a loop."""
        since = self.written[value.since : len(self.written) if self.block is None else self.block.begin]
        if not since and value.depth == len(scope.loops):
            return
        uses = self.reads([value.formula], scope).values()
        if any(use.meets(other) for use in uses for other in since):
            raise Irreversible(f"numbers change before {name} is used")
        if value.depth < len(scope.loops):
            self.outer += uses

    def applied(self, name: str, arguments: list[ast.expr], scope: Scope) -> Expression:
        """Return the formula of a call."""
        function = CALLS.get(name)
        if function is None:
            raise Irreversible(f"call of {name}")
        match arguments:
            case [ast.Name(id="R"), *others]:
                return function(FormulaRecord(), *(self.argument(e, scope) for e in others))
        return function(*(self.number(e, scope) for e in arguments))


class _Entries(FormulaRecord):
    """The record, of which tables with values that may change read some numbers."""

    def formulas(self, addresses: Iterable[int]) -> list[Expression]:
        """Return the numbers at some addresses."""
        return [leaf(place(address)) for address in addresses]


def _meets(load: Load, extent: Extent, store: Store) -> bool:
    """True if a number that is read may be that of a store before."""
    if load.base == store.target.base and load.offset != store.target.offset:
        return False
    return extent.meets(store.extent)


def _stored(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names to which statements assign, without carried tuples."""
    nodes = [node for s in statements for node in ast.walk(s)]
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {name for name in names if not name.startswith("carried")}


def _copied(statements: Sequence[ast.stmt], names: Mapping[str, ast.expr]) -> list[ast.stmt]:
    """Return copies of statements in which names are replaced by expressions."""
    copies = (replaced(ast.parse(ast.unparse(s)), names) for s in statements)
    return [s for copy in copies for s in copy.body]


def function_of(text: str) -> ast.FunctionDef:
    """Return the syntax tree of a kernel."""
    tree = parsed(text[text.index("def ") :]).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


Operation = Callable[..., Expression]
ARITHMETIC: Mapping[type[ast.operator], Operation] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], Operation] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
#: Functions of numbers, which kernels call.
CALLS: Mapping[str, Operation] = {
    **{name: function for name, function in FUNCTIONS.items() if name not in ("every", "sincos")},
    "abs": symbolic.abs, "min": symbolic.min, "max": symbolic.max, "lt": operator.lt, "le": operator.le,
    "power": operator.pow,
}  # fmt: skip
