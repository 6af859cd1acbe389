"""Which kind every expression of a kernel has: a number, an integer, a truth, an array, or a tuple of numbers.

See translate.py. Kinds follow from those of the arguments; a function may be used with several.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Kind = str | int | None  #: "array", "float", "int", "bool", a number of doubles that travel together, or nothing


@functools.cache
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


@dataclass
class Kinds:
    """Kinds of the names of one function for given kinds of its arguments."""

    function: Callable
    names: dict[str, Kind] = field(default_factory=dict)
    result: Kind = None
    once: set[str] = field(default_factory=set)  #: names assigned once, in straight-line code: no memory needed

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
        self.block(body)
        return self

    def block(self, body: list[ast.stmt]) -> None:
        for s in body:
            match s:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    items = value.elts if isinstance(value, ast.Tuple) else [None] * len(names)
                    for name, item in zip(names, items, strict=True):
                        self.names[name.id] = "float" if item is None else self.kind(item)  # type: ignore[attr-defined]
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if isinstance(target, ast.Name) and self.names.get(target.id) in (None, "int"):
                            self.names[target.id] = self.kind(value)
                case ast.For(target=ast.Name(id=name), body=inner):
                    self.names[name] = "int"
                    self.block(inner)
                case ast.If(body=inner, orelse=other):
                    self.block(inner)
                    self.block(other)
                case ast.While(body=inner):
                    self.block(inner)
                case ast.Return(value=ast.Tuple(elts=items)):
                    self.result = len(items)
                case ast.Return(value=value) if value is not None and self.result in (None, "int"):
                    self.result = self.kind(value)

    def kind(self, e: ast.expr) -> Kind:
        match e:
            case ast.Constant(value=bool()):
                return "bool"
            case ast.Constant(value=value):
                return "float" if isinstance(value, float) else "int"
            case ast.Name(id=name):
                return self.names[name] if name in self.names else constant_kind(self.function.__globals__[name])
            case ast.Subscript(value=ast.Name(id=name)):
                return "float" if self.names.get(name) == "array" else "int"
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return "bool"
            case ast.UnaryOp(operand=operand):
                return self.kind(operand)
            case ast.BinOp(op=ast.Div()):
                return "float"
            case ast.BinOp(left=a, right=b):
                return "float" if "float" in (self.kind(a), self.kind(b)) else "int"
            case ast.IfExp(body=a, orelse=b):
                return "float" if "float" in (self.kind(a), self.kind(b)) else self.kind(a)
            case ast.Attribute():
                return "float"  # np.nan, np.inf
            case ast.Call(func=func, args=arguments):
                return self.call(func, arguments)
        raise NotImplementedError(f"not known to a kernel: {ast.unparse(e)}")

    def call(self, func: ast.expr, arguments: list[ast.expr]) -> Kind:
        name = func.attr if isinstance(func, ast.Attribute) else func.id  # type: ignore[attr-defined]
        if name in ("int", "integer", "uintp", "int64", "view"):
            return "int"
        if name in ("lt", "le"):
            return "bool"
        if name in FLOATING:
            return "float"
        if name == "tail":
            return "array"
        if name in ("min", "max", "abs", "where"):
            kinds = [self.kind(a) for a in arguments[name == "where" :]]
            return "float" if "float" in kinds else "int"
        return inferred(self.called(name), tuple(self.kind(a) for a in arguments)).result

    def called(self, name: str) -> Callable:
        """Another kernel, by name."""
        found: Callable | None = getattr(self.function.__globals__.get(name), "kernel_function", None)
        if found is None:
            raise NotImplementedError(f"not known to a kernel: the function {name}")
        return found


def constant_kind(value: Any) -> Kind:
    if isinstance(value, tuple):
        return len(value)
    return "float" if isinstance(value, (float, np.floating)) else "int"


@functools.cache
def inferred(function: Callable, kinds: tuple[Kind, ...]) -> Kinds:
    names = inspect.signature(function).parameters
    return Kinds(function, dict(zip(names, kinds, strict=True))).learn()
