"""Which kind every expression of a kernel has: a number, an integer, a truth, an array, or a pack of numbers.

See translate.py. Kinds follow from those of the arguments; a function may be used with several. Called with rows
(two-dimensional arrays: one column for each member of a batch), its numbers are lanes, one number for each member,
side by side; their comparisons are masks and their bits integers in lanes. Integers, and the truths made of them,
are the same for all members.

A name, a result and both choices of a condition have one kind: where Python would carry an integer on in one run and a
number in another, that is refused, as is all arithmetic on truths.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from .apart import turns_of
from .reading import kept_with_function
from .subset import (
    ARITHMETIC,
    LARGEST,
    MATH,
    NUMPY,
    ON_INTEGERS,
    Refused,
    definition_of,
    known_value,
    refused,
    statements_of,
    variables_of,
)


class Pack(NamedTuple):
    """Numbers that travel together."""

    size: int
    of: str  #: "float" or "lanes"


#: "array", "rows" or "column" (of rows), "float", "int", "bool", "lanes", "bits", "mask", a pack, or nothing.
Kind = str | Pack | None
WIDE = {"float": "lanes", "int": "bits", "bool": "mask"}  #: what differs between lanes
NARROW = {"rows": "column", **{wide: kind for kind, wide in WIDE.items()}}  #: one lane of it
ELEMENTS = {"array": "float", "column": "float", "rows": "lanes"}  #: of arrays
TO_INTEGER = {"int", "integer", "uintp", "int64"}
FLOATING = {*MATH, *NUMPY, "power"} - TO_INTEGER
UNKNOWN: Kind = "unknown"  #: yet
WORDS = {"float": "a number", "int": "an integer", "bool": "a truth", None: "nothing"}


@functools.cache
def wide(kind: Kind) -> Kind:
    """The kind of as many values as there are lanes."""
    if isinstance(kind, Pack):
        return Pack(kind.size, "lanes")
    return WIDE.get(kind, kind) if isinstance(kind, str) else kind


@functools.cache
def narrow(kind: Kind) -> Kind:
    """The kind of what one lane has of it."""
    if isinstance(kind, Pack):
        return Pack(kind.size, "float")
    return NARROW.get(kind, kind) if isinstance(kind, str) else kind


@functools.cache
def is_wide(kind: Kind) -> bool:
    return kind in NARROW if isinstance(kind, str) else kind is not None and kind.of == "lanes"


def is_number(kind: Kind) -> bool:
    return kind in ("float", "lanes")


def is_truth(kind: Kind) -> bool:
    return kind in ("bool", "mask")


def in_words(kind: Kind) -> str:
    """A kind as messages name it."""
    kind = narrow(kind)
    return f"{kind.size} numbers" if isinstance(kind, Pack) else WORDS.get(kind, "an array")


def joined(kinds: Iterable[Kind]) -> Kind:
    """What becomes of numbers and integers in one operation: an integer becomes a number, a number lanes."""
    out: Kind = None
    for kind in kinds:
        if kind == out:
            continue
        scalar, given = narrow(out), narrow(kind)
        either = given if scalar in (None, "int") else scalar
        out = wide(either) if is_wide(out) or is_wide(kind) else either
    return out


@dataclass
class Kinds:
    """Kinds of the names of one function for given kinds of its arguments."""

    function: FunctionType
    given: tuple[Kind, ...]  #: of the arguments as they come
    names: dict[str, Kind] = field(init=False)
    result: Kind = None
    once: set[str] = field(default_factory=set)  #: names assigned once, in straight-line code: no memory needed
    parts: bool = False  #: whether it branches on what differs between lanes: then it is called lane by lane
    known: dict[ast.expr, Kind] = field(default_factory=dict)  #: of the expressions

    def learn(self) -> Kinds:
        body, definition = statements_of(self.function), definition_of(self.function)
        self.names = dict(zip((a.arg for a in definition.args.args), self.given, strict=True))
        stored = variables_of(self.function)
        arguments = set(self.names)
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                        if isinstance(name, ast.Name) and stored[name.id] == 1 and name.id not in arguments:
                            self.once.add(name.id)
        again = True
        while again:  # a name may become lanes behind where it was read
            before = dict(self.names), self.result, self.parts
            self.known.clear()
            self.block(body)
            again = before != (self.names, self.result, self.parts) and any(map(is_wide, self.names.values()))
        return self

    def refuse(self, node: ast.AST, what: str, remedy: str) -> Refused:
        return refused(self.function, node, what, remedy)

    # -- statements -----------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt]) -> None:
        for s in body:
            match s:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=items)):
                    for name, kind in zip(names, [self.kind(item) for item in items], strict=True):
                        self.assigned(name, kind)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    pack = self.kind(value)
                    if not isinstance(pack, Pack) or pack.size != len(names):
                        raise self.refuse(s, f"{in_words(pack)} for {len(names)} names", "give each a value")
                    for name in names:
                        self.assigned(name, pack.of)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.assigned(target, self.kind(value))
                case ast.AugAssign(target=target, op=op, value=value):
                    kind = self.names[target.id] if isinstance(target, ast.Name) else self.kind(target)
                    self.assigned(target, self.arithmetic(s, kind, op, self.kind(value)))
                case ast.For(target=target, body=inner):
                    for argument in turns_of(s)[0].args:
                        if narrow(self.kind(argument)) != "int":
                            raise self.refuse(s, f"a range of {in_words(self.kind(argument))}", "count with integers")
                    self.assigned(target, "int")
                    self.block(inner)
                case ast.If(test=test, body=inner, orelse=other):
                    self.condition(test)
                    self.block(inner)
                    self.block(other)
                case ast.While(test=test, body=inner):
                    self.condition(test)
                    self.block(inner)
                case ast.Return(value=value) if value is not None:
                    self.returned(s, value)
                case ast.Expr(value=value):
                    self.kind(value)

    def condition(self, test: ast.expr) -> None:
        self.parts = is_wide(self.as_truth(test)) or self.parts

    def assigned(self, target: ast.expr, kind: Kind) -> None:
        if isinstance(target, ast.Name):
            before = self.names.get(target.id, kind)
            if kind is None:
                raise self.refuse(target, "nothing as a value", "let the function return one")
            if kind in ELEMENTS and kind == before:
                self.names[target.id] = kind
                return
            if narrow(before) != narrow(kind) or kind in ELEMENTS:
                kinds = f"{in_words(before)} in one place and {in_words(kind)} in another"
                raise self.refuse(target, f"{target.id} as {kinds}", "write 0.0 instead of 0, or take two names")
            self.names[target.id] = joined([before, kind])
        elif narrow(self.kind(target)) != "float" or narrow(kind) not in ("float", "int"):
            raise self.refuse(target, f"{in_words(kind)} as an element of an array", "arrays have numbers only")

    def returned(self, s: ast.stmt, value: ast.expr) -> None:
        kind = self.pack(s, value.elts) if isinstance(value, ast.Tuple) else self.kind(value)
        if kind is None or kind in ELEMENTS:
            raise self.refuse(s, f"{in_words(kind)} as a result", "return numbers, integers or truths")
        if self.result is not None and narrow(kind) != narrow(self.result):
            kinds = f"{in_words(self.result)} in one place and {in_words(kind)} in another"
            raise self.refuse(s, f"a result that is {kinds}", "write 0.0 instead of 0")
        self.result = wide(kind) if is_wide(self.result) else kind

    def pack(self, s: ast.stmt, items: list[ast.expr]) -> Pack:
        """Of several results."""
        kinds = [self.kind(item) for item in items]
        for kind in kinds:
            if not is_number(kind):
                raise self.refuse(s, f"{in_words(kind)} among several results", "return numbers")
        return Pack(len(kinds), "lanes" if any(map(is_wide, kinds)) else "float")

    # -- expressions ----------------------------------------------------------------------------------
    def kind(self, e: ast.expr) -> Kind:
        kind = self.known.get(e, UNKNOWN)
        if kind is UNKNOWN:
            kind = self.known[e] = self.learned(e)
        return kind

    def learned(self, e: ast.expr) -> Kind:
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
                        raise self.refuse(e, f"comparing {in_words(self.kind(part))}", "compare numbers; join truths")
                return self.truth([left, *others])
            case ast.BoolOp(values=values):
                for part in values:
                    if not is_truth(self.kind(part)):
                        raise self.refuse(part, f"{in_words(self.kind(part))} in `and` or `or`", "compare it: x != 0")
                return self.truth(values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.as_truth(operand)
            case ast.UnaryOp(operand=operand):
                if narrow(self.kind(operand)) not in ("float", "int"):
                    raise self.refuse(e, f"minus {in_words(self.kind(operand))}", "use numbers or integers")
                return self.kind(operand)
            case ast.IfExp(test=test, body=a, orelse=b):
                return self.choice(e, self.as_truth(test), a, b)
            case ast.Attribute():
                return "float"  # np.nan, np.inf
        assert isinstance(e, ast.Call)
        return self.call(e)

    def element(self, e: ast.Subscript) -> Kind:
        """Of an array or of a table of integers."""
        assert isinstance(e.value, ast.Name)
        if narrow(self.kind(e.slice)) != "int":
            raise self.refuse(e, f"{in_words(self.kind(e.slice))} as an index", "use an integer, as int(x)")
        if e.value.id in self.names:
            kind = ELEMENTS.get(self.names[e.value.id])  # type: ignore[arg-type]
            if kind is None:
                raise self.refuse(e, f"an element of {in_words(self.names[e.value.id])}", "take it apart: a, b = x")
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
            raise self.refuse(e, f"a {type(value).__name__} as a value", "constants are numbers, integers and truths")
        return kind

    def arithmetic(self, e: ast.AST, a: Kind, op: ast.operator, b: Kind) -> Kind:
        if a == b == "float" and isinstance(op, ARITHMETIC):  # nearly always
            return a
        for kind in (a, b):
            if narrow(kind) not in ("float", "int"):
                raise self.refuse(e, f"arithmetic on {in_words(kind)}", "use numbers, as in 1.0 if x else 0.0")
        if isinstance(op, ON_INTEGERS) and (is_number(a) or is_number(b)):
            raise self.refuse(e, "an operation on integers, on a number", "make it an integer first: int(x)")
        if isinstance(op, ast.Pow) and not is_number(a):
            raise self.refuse(e, "a power of an integer", "multiply, or take the power of a number")
        if isinstance(op, ast.Div) and not (is_number(a) or is_number(b)):
            raise self.refuse(e, "a quotient of integers", "write a // b, or 1.0 * a / b")
        return joined([a, b])

    def choice(self, e: ast.expr, truth: Kind, a: ast.expr, b: ast.expr) -> Kind:
        """Of one of two values."""
        kinds = [self.kind(a), self.kind(b)]
        self.same(e, kinds)
        kind = joined(kinds)
        return wide(kind) if is_wide(truth) else kind

    def same(self, e: ast.expr, kinds: list[Kind]) -> None:
        """Refuse a choice between values of several kinds."""
        first, *others = map(narrow, kinds)
        for other in others:
            if other != first or first not in WIDE:
                raise self.refuse(e, f"{in_words(first)} or {in_words(other)}", "write 0.0 instead of 0")

    def truth(self, parts: list[ast.expr]) -> Kind:
        return "mask" if any(is_wide(self.kind(part)) for part in parts) else "bool"

    def as_truth(self, e: ast.expr) -> Kind:
        """Of what decides: a number is true where it isn't zero."""
        if narrow(self.kind(e)) not in WIDE:
            raise self.refuse(e, f"{in_words(self.kind(e))} as a condition", "compare numbers")
        return "mask" if is_wide(self.kind(e)) else "bool"

    # -- calls ----------------------------------------------------------------------------------------
    def call(self, e: ast.Call) -> Kind:
        name, arguments = name_of(e), e.args
        if name == "view":
            assert isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Call)
            return "bits" if is_wide(self.kind_in(e.func.value, ("float",))[0]) else "int"
        if name in TO_INTEGER:
            (kind,) = self.kind_in(e, ("float", "int"))
            self.parts = self.parts or is_wide(kind)
            return "int"
        if name in ("lt", "le"):
            return "mask" if any(map(is_wide, self.kind_in(e, ("float", "int")))) else "bool"
        if name in ("tail", "column"):
            array, index = map(self.kind, arguments)
            if array not in (ELEMENTS if name == "tail" else ("rows",)) or index != "int":
                raise self.refuse(e, f"{name} of {in_words(array)} from {in_words(index)}", "give array and integer")
            return array if name == "tail" else "column"
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
        """The kinds of a call's arguments."""
        kinds = [self.kind(a) for a in e.args]
        for kind in kinds:
            if narrow(kind) not in allowed:
                remedy = " or ".join(WORDS[a] for a in allowed)
                raise self.refuse(e, f"{in_words(kind)} as an argument of this function", f"give it {remedy}")
        return kinds

    def result_of(self, name: str, kinds: tuple[Kind, ...]) -> Kind:
        """What another kernel returns."""
        known = inferred(self.called(name), kinds)
        if not known.parts:
            return known.result
        return wide(inferred(known.function, tuple(map(narrow, kinds))).result)

    def called(self, name: str) -> FunctionType:
        """Another kernel, by name."""
        found: FunctionType = self.function.__globals__[name].kernel_function
        return found


def name_of(e: ast.Call) -> str:
    """The name by which a function is called."""
    assert isinstance(e.func, (ast.Attribute, ast.Name))
    return e.func.attr if isinstance(e.func, ast.Attribute) else e.func.id


def is_table(value: Any) -> bool:
    """Whether a constant of a module is a row of integers."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        return False
    return bool(value.dtype == np.int64 or (value.dtype == np.uint64 and np.all(value < LARGEST)))


def constant_kind(value: Any) -> Kind:
    """The kind of a constant of a module; None where it has none."""
    if isinstance(value, tuple):
        return Pack(len(value), "float") if all(constant_kind(x) == "float" for x in value) else None
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, int) or (isinstance(value, np.integer) and value.itemsize == 8):
        return "int" if -LARGEST <= int(value) < LARGEST else None
    return "float" if isinstance(value, float) else None


@kept_with_function
def inferred(function: FunctionType, kinds: tuple[Kind, ...]) -> Kinds:
    """Kinds in a function called with such arguments. Raises Refused."""
    if kinds in being_inferred(function):
        raise refused(function, definition_of(function), "a function that calls itself", "write a loop")
    being_inferred(function).add(kinds)
    try:
        return Kinds(function, kinds).learn()
    finally:
        being_inferred(function).discard(kinds)


@kept_with_function
def being_inferred(function: FunctionType) -> set[tuple[Kind, ...]]:
    """Kinds of arguments for which a function's kinds are being sought."""
    return set()
