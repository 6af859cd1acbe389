"""Which kind every expression of a kernel has: a number, an integer, a truth, an array, or a pack of numbers.

See translate.py. Kinds follow from those of the arguments; a function may be used with several. Called with rows
(two-dimensional arrays: one column for each member of a batch), its numbers are lanes, one number for each member,
side by side; their comparisons are masks and their bits integers in lanes. Integers, and the truths made of them,
are the same for all members.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Pack(NamedTuple):
    """Numbers that travel together."""

    size: int
    of: str  #: "float" or "lanes"


#: "array", "rows" or "column" (of rows), "float", "int", "bool", "lanes", "bits", "mask", a pack, or nothing.
Kind = str | Pack | None
WIDE = {"float": "lanes", "int": "bits", "bool": "mask"}  #: what differs between lanes
NARROW = {"rows": "column", **{wide: kind for kind, wide in WIDE.items()}}  #: one lane of it


def kept_with_function(make: Callable) -> Callable:
    """Remember the results by the arguments, the first of which is a function, for as long as that function lives."""

    @functools.wraps(make)
    def known(function: Callable, *arguments: object) -> Any:
        results = function.__dict__.setdefault(f"_{make.__name__}", {})
        if arguments not in results:
            results[arguments] = make(function, *arguments)
        return results[arguments]

    return known


@kept_with_function
def definition_of(function: Callable) -> ast.FunctionDef:
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


def statements_of(function: Callable) -> list[ast.stmt]:
    """The body behind the docstring, where there is one."""
    body = definition_of(function).body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return body[1:] if documented else body


MATH = {"sqrt", "ceil", "cos", "sin", "exp", "log", "power"}  #: LLVM's own, by name
LIBM = {"tan", "asin", "acos", "atan", "atan2", "tanh"}
FLOATING = MATH | LIBM


def wide(kind: Kind) -> Kind:
    """The kind of as many values as there are lanes."""
    if isinstance(kind, Pack):
        return Pack(kind.size, "lanes")
    return WIDE.get(kind, kind) if isinstance(kind, str) else kind


def narrow(kind: Kind) -> Kind:
    """The kind of what one lane has of it."""
    if isinstance(kind, Pack):
        return Pack(kind.size, "float")
    return NARROW.get(kind, kind) if isinstance(kind, str) else kind


def is_wide(kind: Kind) -> bool:
    return narrow(kind) != kind


def is_number(kind: Kind) -> bool:
    return kind in ("float", "lanes")


def joined(kinds: Iterable[Kind]) -> Kind:
    """What a name is that has all of these kinds: an integer becomes a number, a number lanes."""
    out: Kind = None
    for kind in kinds:
        scalar, given = narrow(out), narrow(kind)
        either = given if scalar in (None, "int") else scalar
        out = wide(either) if is_wide(out) or is_wide(kind) else either
    return out


@dataclass
class Kinds:
    """Kinds of the names of one function for given kinds of its arguments."""

    function: Callable
    names: dict[str, Kind] = field(default_factory=dict)
    result: Kind = None
    once: set[str] = field(default_factory=set)  #: names assigned once, in straight-line code: no memory needed
    parts: bool = False  #: whether it branches on what differs between lanes: then it is called lane by lane

    def learn(self) -> Kinds:
        body = statements_of(self.function)
        count: dict[str, int] = {}
        for node in ast.walk(definition_of(self.function)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                count[node.id] = count.get(node.id, 0) + 1
        arguments = set(self.names)
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                        if isinstance(name, ast.Name) and count[name.id] == 1 and name.id not in arguments:
                            self.once.add(name.id)
        again = any(is_wide(kind) for kind in self.names.values())
        self.block(body)
        while again:  # a name may become lanes behind where it was read
            before = dict(self.names), self.result, self.parts
            self.block(body)
            again = before != (self.names, self.result, self.parts)
        return self

    def block(self, body: list[ast.stmt]) -> None:
        for s in body:
            match s:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=items)):
                    for name, kind in zip(names, [self.kind(item) for item in items], strict=True):
                        self.assigned(name, kind)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    pack = self.kind(value)
                    assert isinstance(pack, Pack)
                    for name in names:
                        self.assigned(name, pack.of)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.assigned(target, self.kind(value))
                case ast.AugAssign(target=ast.Name() as target, value=value):
                    self.assigned(target, joined([self.names[target.id], self.kind(value)]))
                case ast.For(target=ast.Name(id=name), body=inner):
                    self.names[name] = "int"
                    self.block(inner)
                case ast.If(test=test, body=inner, orelse=other):
                    self.parts = self.parts or is_wide(self.kind(test))
                    self.block(inner)
                    self.block(other)
                case ast.While(test=test, body=inner):
                    self.parts = self.parts or is_wide(self.kind(test))
                    self.block(inner)
                case ast.Return(value=ast.Tuple(elts=items)):
                    kinds = [self.kind(item) for item in items]
                    self.result = Pack(len(items), "lanes" if any(map(is_wide, kinds)) else "float")
                case ast.Return(value=value) if value is not None:
                    self.result = joined([self.result, self.kind(value)])

    def assigned(self, target: ast.expr, kind: Kind) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = joined([self.names.get(target.id), kind])

    def kind(self, e: ast.expr) -> Kind:
        match e:
            case ast.Constant(value=bool()):
                return "bool"
            case ast.Constant(value=value):
                return "float" if isinstance(value, float) else "int"
            case ast.Name(id=name):
                return self.names[name] if name in self.names else constant_kind(self.function.__globals__[name])
            case ast.Subscript(value=ast.Name(id=name)):
                return {"array": "float", "column": "float", "rows": "lanes"}.get(self.names.get(name), "int")  # type: ignore[arg-type]
            case ast.Compare(left=left, comparators=others):
                return self.truth([left, *others])
            case ast.BoolOp(values=values):
                return self.truth(values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.truth([operand])
            case ast.UnaryOp(operand=operand):
                return self.kind(operand)
            case ast.BinOp(left=a, op=op, right=b):
                kinds = [self.kind(a), self.kind(b)]
                return joined([*kinds, "float"] if isinstance(op, ast.Div) else kinds)
            case ast.IfExp(test=test, body=a, orelse=b):
                kind = joined([self.kind(a), self.kind(b)])
                return wide(kind) if is_wide(self.kind(test)) else kind
            case ast.Attribute():
                return "float"  # np.nan, np.inf
            case ast.Call(func=func, args=arguments):
                return self.call(func, arguments)
        raise NotImplementedError(f"not known to a kernel: {ast.unparse(e)}")

    def truth(self, parts: list[ast.expr]) -> Kind:
        return "mask" if any(is_wide(self.kind(part)) for part in parts) else "bool"

    def call(self, func: ast.expr, arguments: list[ast.expr]) -> Kind:
        name = func.attr if isinstance(func, ast.Attribute) else func.id  # type: ignore[attr-defined]
        if name == "view":
            assert isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call)
            return "bits" if is_wide(self.kind(func.value.args[0])) else "int"
        if name in ("int", "integer", "uintp", "int64"):
            self.parts = self.parts or is_wide(self.kind(arguments[0]))
            return "int"
        if name in ("lt", "le"):
            return self.truth(arguments)
        if name in ("tail", "column", "every"):
            return {"tail": self.kind(arguments[0]), "column": "column", "every": "bool"}[name]
        kinds = [self.kind(a) for a in arguments]
        if name == "common":
            return narrow(kinds[0])
        if name in FLOATING:
            return wide("float") if any(map(is_wide, kinds)) else "float"
        if name in ("min", "max", "abs", "where"):
            kind = joined(kinds[name == "where" :])
            return wide(kind) if is_wide(kinds[0]) else kind
        return self.result_of(name, tuple(kinds))

    def result_of(self, name: str, kinds: tuple[Kind, ...]) -> Kind:
        """What another kernel returns."""
        known = inferred(self.called(name), kinds)
        if not known.parts:
            return known.result
        return wide(inferred(known.function, tuple(map(narrow, kinds))).result)

    def called(self, name: str) -> Callable:
        """Another kernel, by name."""
        found: Callable | None = getattr(self.function.__globals__.get(name), "kernel_function", None)
        if found is None:
            raise NotImplementedError(f"not known to a kernel: the function {name}")
        return found


def constant_kind(value: Any) -> Kind:
    if isinstance(value, tuple):
        return Pack(len(value), "float")
    return "float" if isinstance(value, (float, np.floating)) else "int"


@kept_with_function
def inferred(function: Callable, kinds: tuple[Kind, ...]) -> Kinds:
    names = inspect.signature(function).parameters
    return Kinds(function, dict(zip(names, kinds, strict=True))).learn()
