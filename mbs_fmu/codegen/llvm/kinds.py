"""Inference of the kind of every expression of a kernel: number, integer, boolean, array, or pack of numbers.

The kinds in a function follow from those of its arguments; a function can be used with several sets of kinds. The
arguments may be rows: two-dimensional arrays with one column for each member of a batch. Numbers then become lanes,
which hold one number for each member. Comparisons of lanes are masks, and the bits of lanes are integers in lanes. All
other integers, and booleans derived from them, are the same for all members. translate.py gives an overview.

A name, a result, and both branches of a conditional expression must have one kind. A name that is an integer in one
place and a number in another is refused, and so is arithmetic on booleans.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from dataclasses import field
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from .independent_loops import loop_range
from .reading import cached_on_function
from .subset import (
    ARITHMETIC,
    LARGEST,
    MATH,
    NUMPY,
    ON_INTEGERS,
    Refused,
    definition_of,
    is_harmless,
    known_value,
    may_change,
    refused,
    statements_of,
    variables_of,
)


class Pack(NamedTuple):
    """A fixed number of numbers, as a function with several results returns."""

    size: int
    of: str | tuple[str, ...]  #: kind of all numbers, "float" or "lanes"; or the kind of each if they differ

    @property
    def items(self) -> tuple[str, ...]:
        """Kind of each number."""
        return (self.of,) * self.size if isinstance(self.of, str) else self.of


#: "array", "rows" or "column" (of rows), "float", "int", "bool", "lanes", "bits", "mask", a pack, or None.
Kind = str | Pack | None
WIDE = {"float": "lanes", "int": "bits", "bool": "mask"}  #: kinds of values that differ between lanes
NARROW = {"rows": "column", **{wide: kind for kind, wide in WIDE.items()}}  #: kind of one lane of a wide value
ELEMENTS = {"array": "float", "column": "float", "rows": "lanes"}  #: kinds of the elements of arrays
#: Functions that return a part of an array, with the kinds of arrays of which they do.
PARTS = {"tail": ELEMENTS.keys(), "column": {"rows"}, "rows": {"array"}}
TO_INTEGER = {"int", "integer", "uintp", "int64"}
FLOATING = {*MATH, *NUMPY, "power"} - TO_INTEGER
UNKNOWN: Kind = "unknown"  #: not yet inferred
DESCRIPTIONS = {"float": "a number", "int": "an integer", "bool": "a boolean", None: "nothing"}


@functools.cache
def wide(kind: Kind) -> Kind:
    """Return the kind of one such value for each lane."""
    if isinstance(kind, Pack):
        return Pack(kind.size, "lanes")
    return WIDE.get(kind, kind) if isinstance(kind, str) else kind


@functools.cache
def narrow(kind: Kind) -> Kind:
    """Return the kind of one lane of a value."""
    if isinstance(kind, Pack):
        return Pack(kind.size, "float")
    return NARROW.get(kind, kind) if isinstance(kind, str) else kind


@functools.cache
def is_wide(kind: Kind) -> bool:
    """True for values that differ between lanes."""
    return kind in NARROW if isinstance(kind, str) else kind is not None and kind.of != "float"


def votes(function: FunctionType, arguments: tuple[Kind, ...]) -> bool:
    """True for a function of a record in lanes whose branches lanes agree on (agreement.py)."""
    names = function.__code__.co_varnames
    return "ACTIVE" in function.__globals__ and arguments[:1] == ("rows",) and names[0] == "R"


def is_number(kind: Kind) -> bool:
    return kind in ("float", "lanes")


def is_truth(kind: Kind) -> bool:
    return kind in ("bool", "mask")


def description(kind: Kind) -> str:
    """Return a kind as text for messages."""
    kind = narrow(kind)
    return f"{kind.size} numbers" if isinstance(kind, Pack) else DESCRIPTIONS.get(kind, "an array")


def joined(kinds: Iterable[Kind]) -> Kind:
    """Return the common kind of the operands of an operation: integers become numbers, numbers become lanes."""
    common: Kind = None
    for kind in kinds:
        if kind == common:
            continue
        if common is None:
            common = kind
            continue
        if isinstance(common, Pack) and isinstance(kind, Pack):
            common = pack_of(joined(pair) for pair in zip(common.items, kind.items, strict=True))
            continue
        scalar, other = narrow(common), narrow(kind)
        either = other if scalar == "int" else scalar
        common = wide(either) if is_wide(common) or is_wide(kind) else either
    return common


def pack_of(kinds: Iterable[Kind]) -> Pack:
    """Return the kind of several numbers of these kinds."""
    items = tuple("lanes" if is_wide(kind) else "float" for kind in kinds)
    return Pack(len(items), items[0] if len(set(items)) == 1 else items)


@dataclass
class Kinds:
    """Kinds of the names and expressions of one function, for one sequence of kinds of its arguments."""

    function: FunctionType
    arguments: tuple[Kind, ...]  #: kinds of the arguments
    scalar: bool = False  #: True for code without SIMD lanes, in which `rows` have one number each
    names: dict[str, Kind] = field(init=False)
    result: Kind = None
    assigned_once: set[str] = field(default_factory=set)  #: names that are assigned only once, in straight-line code
    branches_on_lanes: bool = False  #: True if the function branches on wide values, and is called lane by lane
    votes: bool = field(init=False)  #: True if lanes agree on branches (agreement.py); it is never called lane by lane
    expressions: dict[ast.expr, Kind] = field(default_factory=dict)  #: kinds of expressions

    def infer(self) -> Kinds:
        """Infer all kinds, and return self. Raises Refused."""
        body, definition = statements_of(self.function), definition_of(self.function)
        self.votes = votes(self.function, self.arguments)
        self.names = dict(zip((a.arg for a in definition.args.args), self.arguments, strict=True))
        stored = variables_of(self.function)
        arguments = set(self.names)
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                        if isinstance(name, ast.Name) and stored[name.id] == 1 and name.id not in arguments:
                            self.assigned_once.add(name.id)
        again = True
        while again:  # a name that was read before can become lanes later
            before = dict(self.names), self.result, self.branches_on_lanes
            self.expressions.clear()
            self.block(body)
            again = before != (self.names, self.result, self.branches_on_lanes) and any(
                map(is_wide, self.names.values())
            )
        return self

    def refuse(self, node: ast.AST, what: str, remedy: str) -> Refused:
        return refused(self.function, node, what, remedy)

    # -- statements -----------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt]) -> None:
        for s in body:
            match s:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=items)):
                    for name, kind in zip(names, [self.kind(item) for item in items], strict=True):
                        self.assign(name, kind)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    pack = self.kind(value)
                    if not isinstance(pack, Pack) or pack.size != len(names):
                        raise self.refuse(s, f"{description(pack)} for {len(names)} names", "give each a value")
                    for name, item in zip(names, pack.items, strict=True):
                        self.assign(name, item)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.assign(target, self.kind(value))
                case ast.AugAssign(target=target, op=op, value=value):
                    kind = self.names[target.id] if isinstance(target, ast.Name) else self.kind(target)
                    self.assign(target, self.arithmetic(s, kind, op, self.kind(value)))
                case ast.For(target=target, body=inner):
                    for argument in loop_range(s)[0].args:
                        if narrow(self.kind(argument)) != "int":
                            raise self.refuse(
                                s, f"a range of {description(self.kind(argument))}", "count with integers"
                            )
                    self.assign(target, "int")
                    self.block(inner)
                case ast.If(test=test, body=inner, orelse=other):
                    self.condition(test)
                    self.block(inner)
                    self.block(other)
                case ast.While(test=test, body=inner):
                    self.condition(test)
                    self.block(inner)
                case ast.Return(value=value) if value is not None:
                    self.add_result(s, value)
                case ast.Expr(value=value):
                    self.kind(value)

    def condition(self, test: ast.expr) -> None:
        self.note_branch(self.as_truth(test))

    def note_branch(self, kind: Kind) -> None:
        """Note that control flow depends on a value of a kind."""
        self.branches_on_lanes = self.branches_on_lanes or (is_wide(kind) and not self.votes)

    def assign(self, target: ast.expr, kind: Kind) -> None:
        if isinstance(target, ast.Name):
            before = self.names.get(target.id, kind)
            if kind is None:
                raise self.refuse(target, "nothing as a value", "let the function return one")
            if kind in ELEMENTS and kind == before:
                self.names[target.id] = kind
                return
            if narrow(before) != narrow(kind) or kind in ELEMENTS:
                kinds = f"{description(before)} in one place and {description(kind)} in another"
                raise self.refuse(target, f"{target.id} as {kinds}", "write 0.0 instead of 0, or take two names")
            self.names[target.id] = joined([before, kind])
        elif narrow(self.kind(target)) != "float" or narrow(kind) not in ("float", "int"):
            raise self.refuse(target, f"{description(kind)} as an element of an array", "arrays have numbers only")

    def add_result(self, s: ast.stmt, value: ast.expr) -> None:
        kind = self.pack(s, value.elts) if isinstance(value, ast.Tuple) else self.kind(value)
        if kind is None or kind in ELEMENTS:
            raise self.refuse(s, f"{description(kind)} as a result", "return numbers, integers or booleans")
        if self.result is not None and narrow(kind) != narrow(self.result):
            kinds = f"{description(self.result)} in one place and {description(kind)} in another"
            raise self.refuse(s, f"a result that is {kinds}", "write 0.0 instead of 0")
        self.result = joined([self.result, kind])

    def pack(self, s: ast.stmt, items: list[ast.expr]) -> Pack:
        """Return the kind of several results."""
        kinds = [self.kind(item) for item in items]
        for kind in kinds:
            if not is_number(kind):
                raise self.refuse(s, f"{description(kind)} among several results", "return numbers")
        return pack_of(kinds)

    # -- expressions ----------------------------------------------------------------------------------
    def kind(self, e: ast.expr) -> Kind:
        kind = self.expressions.get(e, UNKNOWN)
        if kind is UNKNOWN:
            kind = self.expressions[e] = self.infer_kind(e)
        return kind

    def infer_kind(self, e: ast.expr) -> Kind:
        match e:
            case ast.Name(id=name):
                return self.names[name] if name in self.names else self.constant(e, self.function.__globals__[name])
            case ast.BinOp(left=a, op=op, right=b):
                return self.arithmetic(e, self.kind(a), op, self.kind(b))
            case ast.Constant(value=bool()):
                return "bool"
            case ast.Constant(value=value):
                return "float" if isinstance(value, float) else "int"
            case ast.Subscript():
                return self.element(e)
            case ast.Compare(left=left, comparators=others):
                for part in (left, *others):
                    if narrow(self.kind(part)) not in ("float", "int"):
                        raise self.refuse(
                            e,
                            f"comparing {description(self.kind(part))}",
                            "compare numbers; combine booleans",
                        )
                return self.truth([left, *others])
            case ast.BoolOp(values=values):
                ordered = self.is_ordered(values)
                for part in values:
                    if not is_truth(self.kind(part)):
                        raise self.refuse(
                            part, f"{description(self.kind(part))} in `and` or `or`", "compare it: x != 0"
                        )
                return "bool" if ordered else self.truth(values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.as_truth(operand)
            case ast.UnaryOp(operand=operand):
                if narrow(self.kind(operand)) not in ("float", "int"):
                    raise self.refuse(e, f"minus {description(self.kind(operand))}", "use numbers or integers")
                return self.kind(operand)
            case ast.IfExp(test=test, body=a, orelse=b):
                return self.choice(e, "bool" if self.is_agreed(e) else self.as_truth(test), a, b)
            case ast.Attribute():
                return "float"  # np.nan, np.inf
        assert isinstance(e, ast.Call)
        return self.call(e)

    def is_ordered(self, parts: list[ast.expr]) -> bool:
        """True for `and` or `or` of which lanes agree on each part before the next one is computed."""
        if not self.votes:
            return False
        some_common = any(self.kind(part) != "mask" for part in parts)
        guarded = some_common and not all(is_harmless(self.function, part) for part in parts[1:])
        return guarded or any(may_change(self.function, part) for part in parts[1:])

    def is_agreed(self, e: ast.IfExp) -> bool:
        """True for a conditional expression on whose condition lanes agree, because its values have effects."""
        return self.votes and any(may_change(self.function, part) for part in (e.body, e.orelse))

    def element(self, e: ast.Subscript) -> Kind:
        """Return the kind of an element of an array or of a table of integers."""
        assert isinstance(e.value, ast.Name)
        if narrow(self.kind(e.slice)) != "int":
            raise self.refuse(e, f"{description(self.kind(e.slice))} as an index", "use an integer, as int(x)")
        if e.value.id in self.names:
            kind = ELEMENTS.get(self.names[e.value.id])  # type: ignore[arg-type]
            if kind is None:
                raise self.refuse(e, f"an element of {description(self.names[e.value.id])}", "take it apart: a, b = x")
            return kind
        table = self.function.__globals__[e.value.id]
        if not is_table(table):
            raise self.refuse(e, "a table of anything but integers in one row", "use an array of numpy")
        index = known_value(e.slice, self.function.__globals__, self.names)
        if index is not None and index >= len(table):
            raise self.refuse(e, f"an index beyond {len(table)} entries", "count from 0")
        return "int"

    def constant(self, e: ast.expr, value: Any) -> Kind:
        kind = constant_kind(value)
        if kind is None:
            raise self.refuse(e, f"a {type(value).__name__} as a value", "constants are numbers, integers and booleans")
        return kind

    def arithmetic(self, e: ast.AST, a: Kind, op: ast.operator, b: Kind) -> Kind:
        if a == b == "float" and isinstance(op, ARITHMETIC):  # nearly always
            return a
        for kind in (a, b):
            if narrow(kind) not in ("float", "int"):
                raise self.refuse(e, f"arithmetic on {description(kind)}", "use numbers, as in 1.0 if x else 0.0")
        if isinstance(op, ON_INTEGERS) and (is_number(a) or is_number(b)):
            raise self.refuse(e, "an operation on integers, on a number", "make it an integer first: int(x)")
        if isinstance(op, ast.Pow) and not is_number(a):
            raise self.refuse(e, "a power of an integer", "multiply, or take the power of a number")
        if isinstance(op, ast.Div) and not (is_number(a) or is_number(b)):
            raise self.refuse(e, "a quotient of integers", "write a // b, or 1.0 * a / b")
        return joined([a, b])

    def choice(self, e: ast.expr, truth: Kind, a: ast.expr, b: ast.expr) -> Kind:
        """Return the kind of a conditional expression."""
        kinds = [self.kind(a), self.kind(b)]
        self.same(e, kinds)
        kind = joined(kinds)
        return wide(kind) if is_wide(truth) else kind

    def same(self, e: ast.expr, kinds: list[Kind]) -> None:
        """Refuse a choice between values of different kinds."""
        first, *others = map(narrow, kinds)
        for other in others:
            if other != first or first not in WIDE:
                raise self.refuse(e, f"{description(first)} or {description(other)}", "write 0.0 instead of 0")

    def truth(self, parts: list[ast.expr]) -> Kind:
        return "mask" if any(is_wide(self.kind(part)) for part in parts) else "bool"

    def as_truth(self, e: ast.expr) -> Kind:
        """Return the kind of an expression as a condition; a number is true if it is not zero."""
        if narrow(self.kind(e)) not in WIDE:
            raise self.refuse(e, f"{description(self.kind(e))} as a condition", "compare numbers")
        return "mask" if is_wide(self.kind(e)) else "bool"

    # -- calls ----------------------------------------------------------------------------------------
    def call(self, e: ast.Call) -> Kind:
        name, arguments = name_of(e), e.args
        if name == "view":
            assert isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Call)
            return "bits" if is_wide(self.kind_in(e.func.value, ("float",))[0]) else "int"
        if name in TO_INTEGER:
            (kind,) = self.kind_in(e, ("float", "int"))
            self.note_branch(kind)
            return "int"
        if name == "each":
            return "bits" if is_wide(self.kind_in(e, ("float", "int"))[0]) else "int"
        if name in ("lt", "le"):
            return "mask" if any(map(is_wide, self.kind_in(e, ("float", "int")))) else "bool"
        if name in PARTS:
            array, index = map(self.kind, arguments)
            if array not in PARTS[name] or index != "int":
                raise self.refuse(
                    e, f"{name} of {description(array)} from {description(index)}", "give array and integer"
                )
            if name == "rows":
                return "array" if self.scalar else "rows"
            return array if name == "tail" else "column"
        if name == "abreast":
            return "int"
        if name == "every":
            self.kind_in(e, ("bool",))
            return "bool"
        if name == "common":
            return narrow(self.kind_in(e, ("float", "int", "bool"))[0])
        if name in FLOATING:
            kinds = self.kind_in(e, ("float", "int"))
            if name == "power" and not is_number(kinds[0]):
                raise self.refuse(e, "a power of an integer", "multiply, or take the power of a number")
            return wide("float") if any(map(is_wide, kinds)) else "float"
        if name == "where":
            return self.choice(e, self.as_truth(arguments[0]), arguments[1], arguments[2])
        if name in ("min", "max", "abs"):
            kinds = self.kind_in(e, ("float", "int"))
            self.same(e, kinds)
            return joined(kinds)
        return self.result_of(name, tuple(self.kind(a) for a in arguments))

    def kind_in(self, e: ast.Call, allowed: tuple[str, ...]) -> list[Kind]:
        """Return the kinds of a call's arguments; refuse kinds that are not allowed."""
        kinds = [self.kind(a) for a in e.args]
        for kind in kinds:
            if narrow(kind) not in allowed:
                remedy = " or ".join(DESCRIPTIONS[a] for a in allowed)
                raise self.refuse(e, f"{description(kind)} as an argument of this function", f"give it {remedy}")
        return kinds

    def result_of(self, name: str, kinds: tuple[Kind, ...]) -> Kind:
        """Return the kind of another kernel's result."""
        callee = inferred(self.callee(name), kinds, self.scalar)
        if not callee.branches_on_lanes:
            return callee.result
        return wide(inferred(callee.function, tuple(map(narrow, kinds))).result)

    def callee(self, name: str) -> FunctionType:
        """Return the function of another kernel."""
        function: FunctionType = self.function.__globals__[name].kernel_function
        return function


def name_of(e: ast.Call) -> str:
    """Return the name of a called function."""
    assert isinstance(e.func, (ast.Attribute, ast.Name))
    return e.func.attr if isinstance(e.func, ast.Attribute) else e.func.id


def is_table(value: Any) -> bool:
    """True if a constant of a module is a one-dimensional array of integers."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        return False
    return bool(value.dtype == np.int64 or (value.dtype == np.uint64 and np.all(value < LARGEST)))


def constant_kind(value: Any) -> Kind:
    """Return the kind of a constant of a module; None if kernels cannot use it."""
    if isinstance(value, tuple):
        return Pack(len(value), "float") if all(constant_kind(x) == "float" for x in value) else None
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, int) or (isinstance(value, np.integer) and value.itemsize == 8):
        return "int" if -LARGEST <= int(value) < LARGEST else None
    return "float" if isinstance(value, float) else None


@cached_on_function
def inferred(function: FunctionType, kinds: tuple[Kind, ...], scalar: bool = False) -> Kinds:
    """Return the kinds in a function for these kinds of arguments; `scalar` as in `Kinds`. Raises Refused."""
    if kinds in being_inferred(function):
        raise refused(function, definition_of(function), "a function that calls itself", "write a loop")
    being_inferred(function).add(kinds)
    try:
        return Kinds(function, kinds, scalar).infer()
    finally:
        being_inferred(function).discard(kinds)


@cached_on_function
def being_inferred(function: FunctionType) -> set[tuple[Kind, ...]]:
    """Return the kinds of arguments for which the inference of a function is in progress."""
    return set()
