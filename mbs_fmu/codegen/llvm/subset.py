"""The part of Python that kernels are written in; what is not in it is refused before anything is translated.

Here is what can be told from the text of a function and the constants of its module; kinds.py adds what follows from
the kinds of its values. A kernel does what the same text does as Python, with numpy's numbers: division of numbers by
zero gives an infinity. Of powers and of the functions of the C library the last bit is that of the machine's library;
x ** 2 is x * x.

What no text can tell is left to who writes kernels. Indices lie within their arrays and are not negative. Integers fit
64 bits and are not divided by zero; unsigned ones are for addresses only. A number that becomes an integer is finite
and fits. Constants and tables of a module don't change. For lanes both values of a conditional expression are read.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import textwrap
from collections import Counter
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import numpy as np

from ...kernels import declarations, library
from ...kernels.sources import parsed
from .apart import turns_of
from .reading import TREE, kept_with_function, stored_names, text_of, without_docstring

LARGEST = 2**63  #: integers have 64 bits

#: Functions that are known by name, with the least and the greatest number of their arguments.
PYTHON = {"int": (1, 1), "abs": (1, 1), "min": (2, 255), "max": (2, 255)}
NUMPY = {
    "sqrt": (1, 1), "ceil": (1, 1), "cos": (1, 1), "sin": (1, 1), "tan": (1, 1), "exp": (1, 1), "log": (1, 1),
    "uintp": (1, 1), "int64": (1, 1),
}  # fmt: skip
MATH = {
    "sqrt": (1, 1), "cos": (1, 1), "sin": (1, 1), "tan": (1, 1), "exp": (1, 1), "log": (1, 1), "asin": (1, 1),
    "acos": (1, 1), "atan": (1, 1), "atan2": (2, 2), "tanh": (1, 1),
}  # fmt: skip
LIBRARY = {
    "integer": (1, 1),
    "lt": (2, 2),
    "le": (2, 2),
    "where": (3, 3),
    "power": (2, 2),
    "tail": (2, 2),
    "common": (1, 1),
}
LANES = {"column": (2, 2), "every": (1, 1)}
BODIES = {"column": "return R[:, lane]", "every": "return bool(np.all(condition))"}  #: of what a module has for lanes
KNOWN = {*PYTHON, *MATH, *LIBRARY, *LANES}

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
ON_INTEGERS = (ast.FloorDiv, ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)

REMEDIES: dict[type, tuple[str, str]] = {
    ast.Mod: ("%", "write a - (a // b) * b for integers"),
    ast.BitXor: ("^", "write (a | b) - (a & b)"),
    ast.MatMult: ("@", "write out the sum"),
    ast.Invert: ("~", "write -a - 1"),
    ast.UAdd: ("a plus sign", "leave it out"),
    ast.Is: ("`is`", "write =="),
    ast.IsNot: ("`is not`", "write !="),
    ast.In: ("`in`", "compare with each of them"),
    ast.NotIn: ("`not in`", "compare with each of them"),
    ast.NamedExpr: (":=", "assign in a statement of its own"),
    ast.Tuple: ("a tuple here", "take it apart at once, as in a, b = f(x)"),
    ast.List: ("a list", "use elements of an array"),
    ast.Lambda: ("a function within a function", "write another kernel"),
    ast.FunctionDef: ("a function within a function", "write another kernel"),
    ast.Slice: ("a slice", "write a loop, or tail(R, start)"),
    ast.AnnAssign: ("an annotation", "write name = value"),
    ast.Assert: ("an assertion", "return a status"),
    ast.Raise: ("an exception", "return a status"),
    ast.Try: ("an exception", "return a status"),
    ast.Global: ("`global`", "use an element of an array"),
    ast.Delete: ("`del`", "leave it out"),
    ast.Attribute: ("an attribute", "only np.nan, np.inf and the like are numbers"),
    ast.Starred: ("a star", "write every value"),
}


class Refused(NotImplementedError):
    """Code that a kernel can't have: where it is, what of it, and what to write instead."""


def refused(function: FunctionType, node: ast.AST, what: str, remedy: str) -> Refused:
    """The error for one piece of a function's text."""
    code = function.__code__
    line = getattr(node, "lineno", code.co_firstlineno)
    text = linecache.getline(code.co_filename, line).strip()
    return Refused(f"{function.__name__}, line {line}, `{text}`: {what} is not known to a kernel: {remedy}")


@kept_with_function
def definition_of(function: FunctionType) -> ast.FunctionDef:
    """The function's text as a tree that is in the subset. Raises Refused where it is not."""
    definition = tree_of(function)
    Checker(function, definition).check()
    return definition


def tree_of(function: FunctionType) -> ast.FunctionDef:
    """The function's text as a tree, with the line numbers of its file."""
    if isinstance(function.__dict__.get(TREE), ast.FunctionDef):
        return function.__dict__[TREE]  # type: ignore[no-any-return]
    definition = ast.increment_lineno(
        parsed(textwrap.dedent(text_of(function))).body[0], function.__code__.co_firstlineno - 1
    )
    if not isinstance(definition, ast.FunctionDef):
        raise refused(function, definition, "anything but a function", "write def")
    return definition


def statements_of(function: FunctionType) -> list[ast.stmt]:
    """The body behind the docstring, where there is one."""
    return without_docstring(definition_of(function))


def is_inlined(function: FunctionType) -> bool:
    """Whether a function is marked `inlined` (kernels/declarations.py)."""
    marks = definition_of(function).decorator_list
    return any(isinstance(mark, ast.Name) and mark.id == "inlined" for mark in marks)


@kept_with_function
def variables_of(function: FunctionType) -> Counter[str]:
    """How often a function's text gives each of its variables a value."""
    return Counter(stored_names(definition_of(function).body))


def known_value(e: ast.expr, constants: dict[str, Any], names: Iterable[str] = ()) -> int | None:
    """The value of an integer that the text and the module's constants give; `names` are not constants."""
    match e:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name not in names and isinstance(constants.get(name), (int, np.integer)):
            return int(constants[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = known_value(operand, constants, names)
            return None if positive is None else -positive
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            a, b = (known_value(part, constants, names) for part in (left, right))
            if a is not None and b is not None:
                return a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b
    return None


def is_harmless(function: FunctionType, e: ast.expr) -> bool:
    """Whether an expression may be computed where Python wouldn't: it changes nothing and always ends well."""
    constants, names = function.__globals__, function.__code__.co_varnames
    for node in ast.walk(e):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name not in KNOWN:
                return False
            case ast.Subscript(slice=index) if known_value(index, constants, names) is None:
                return False
            case ast.BinOp(op=ast.FloorDiv(), right=right) if not known_value(right, constants, names):
                return False
    return True


def may_change(function: FunctionType, e: ast.expr) -> bool:
    """Whether an expression can't be computed for lanes that don't need it."""
    constants, names = function.__globals__, function.__code__.co_varnames
    for node in ast.walk(e):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name not in KNOWN:
                if changes_arrays(constants[name].kernel_function):
                    return True
            case ast.BinOp(op=ast.FloorDiv(), right=right) if not known_value(right, constants, names):
                return True
    return False


@kept_with_function
def changes_arrays(function: FunctionType) -> bool:
    """Whether a kernel, or one that it calls, writes to an array."""
    definition = definition_of(function)
    writes = any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in ast.walk(definition))
    return writes or any(may_change(function, e) for e in ast.walk(definition) if isinstance(e, ast.Call))


Bound = set[str] | None  #: the names that surely have a value; None where the text is never reached


def both(one: Bound, other: Bound) -> Bound:
    """What is bound where two ways meet."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


class Checker:
    """Walks through the text of one function as it runs, and knows which names have a value."""

    def __init__(self, function: FunctionType, definition: ast.FunctionDef):
        self.function, self.definition = function, definition
        self.constants = function.__globals__
        self.parameters = [a.arg for a in definition.args.args]
        self.locals = {*self.parameters, *stored_names(definition.body)}
        self.exits: list[Bound] = []  #: of each loop around, what is bound where `break` leaves it
        self.returns: set[bool] = set()  #: whether with a value

    def refuse(self, node: ast.AST, what: str, remedy: str) -> Refused:
        return refused(self.function, node, what, remedy)

    def unknown(self, node: ast.AST, at: ast.AST | None = None) -> Refused:
        """What has no rule below."""
        what, remedy = REMEDIES.get(type(node), (f"this ({type(node).__name__})", "see mbs_fmu/kernels/subset.py"))
        return self.refuse(at or node, what, remedy)

    def check(self) -> None:
        given = self.definition.args
        if given.defaults or given.kw_defaults or given.posonlyargs or given.vararg or given.kwarg:
            raise self.refuse(self.definition, "a default or special parameter", "give plain parameters by position")
        for decorator in self.definition.decorator_list:
            name = ast.unparse(decorator).split(".")[-1]
            if name == "inlined":
                self.meant(decorator, name, declarations.inlined)
            elif name != "kernel":
                raise self.refuse(decorator, "another decorator", "leave it out")
        if self.function.__code__.co_freevars:
            name = self.function.__code__.co_freevars[0]
            raise self.refuse(self.definition, f"{name} of an outer function", "pass it as an argument")
        end = self.block(without_docstring(self.definition), set(self.parameters))
        if True in self.returns and (False in self.returns or end is not None):
            raise self.refuse(self.definition, "a way to the end without a result", "return a value on each")

    # -- statements -----------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt], bound: Bound) -> Bound:
        bound = None if bound is None else set(bound)  # which the statements add to
        for statement in body:
            if bound is None:
                raise self.refuse(statement, "text that is never reached", "leave it out")
            bound = self.statement(statement, bound)
        return bound

    def statement(self, s: ast.stmt, bound: set[str]) -> Bound:
        """What is bound behind a statement."""
        match s:
            case ast.Assign():
                return self.assignment(s, bound)
            case ast.AugAssign(target=target, op=op, value=value):
                self.operator(op, s)
                if isinstance(target, ast.Name):
                    self.name(target, bound)
                self.value(value, bound)
                return self.target(target, bound)
            case ast.If(test=test, body=body, orelse=orelse):
                self.value(test, bound)
                return both(self.block(body, bound), self.block(orelse, bound))
            case ast.For():
                return self.loop(s, bound)
            case ast.While(test=test, body=body, orelse=orelse):
                self.no_else(s, orelse)
                self.value(test, bound)
                self.exits.append(None)
                self.block(body, bound)
                left = self.exits.pop()
                return left if isinstance(test, ast.Constant) and test.value is True else bound
            case ast.Return(value=value):
                self.returned(value, bound)
                return None
            case ast.Break():
                self.exits[-1] = both(self.exits[-1], bound)
                return None
            case ast.Continue():
                return None
            case ast.Expr(value=ast.Call() as call):
                self.value(call, bound)
                return bound
            case ast.Pass():
                return bound
        raise self.unknown(s)

    def assignment(self, s: ast.Assign, bound: set[str]) -> set[str]:
        match s.targets, s.value:
            case [ast.Tuple(elts=names)], ast.Tuple(elts=items):
                if len(names) != len(items):
                    raise self.refuse(s, f"{len(items)} values for {len(names)} names", "give each a value")
                for item in items:
                    self.value(item, bound)
                targets = names
            case [ast.Tuple(elts=names)], value:
                self.value(value, bound)
                targets = names
            case targets, value:
                self.value(value, bound)
        for target in targets:
            bound = self.target(target, bound)
        return bound

    def target(self, target: ast.expr, bound: set[str]) -> set[str]:
        match target:
            case ast.Name(id=name):
                bound.add(name)
                return bound
            case ast.Subscript(value=ast.Name(id=name)):
                if name not in self.locals:
                    raise self.refuse(target, "a change of a module's table", "write to an array that is a parameter")
                self.value(target, bound)
                return bound
        raise self.unknown(target)

    def loop(self, s: ast.For, bound: set[str]) -> Bound:
        counted, apart = turns_of(s)
        match s.target, counted:
            case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]) if (
                1 <= len(arguments) <= 3 and "range" not in self.locals
            ):
                pass
            case _:
                raise self.refuse(s, "a loop over anything but range(...)", "write for k in range(first, stop, step)")
        self.meant(counted, "range", builtins.range)
        if apart:
            self.meant(s.iter, "apart", declarations.apart)
        self.no_else(s, s.orelse)
        for argument in arguments:
            self.value(argument, bound)
        if len(arguments) == 3 and not known_value(arguments[2], {}):
            raise self.refuse(s, "a step that is zero or not a plain integer", "write it as a number, or use while")
        self.exits.append(None)
        self.block(s.body, bound | {name})
        self.exits.pop()
        return bound

    def no_else(self, s: ast.stmt, orelse: list[ast.stmt]) -> None:
        if orelse:
            raise self.refuse(s, "`else` of a loop", "set a truth before `break` and ask for it behind the loop")

    def returned(self, value: ast.expr | None, bound: set[str]) -> None:
        self.returns.add(value is not None)
        if isinstance(value, ast.Tuple) and value.elts:
            for item in value.elts:
                self.value(item, bound)
        elif value is not None:
            self.value(value, bound)

    # -- expressions ----------------------------------------------------------------------------------
    def value(self, e: ast.expr, bound: set[str]) -> None:
        match e:
            case ast.Name():
                self.name(e, bound)
            case ast.BinOp(left=left, op=op, right=right):
                self.operator(op, e)
                self.value(left, bound)
                self.value(right, bound)
            case ast.Constant(value=value):
                self.constant(e, value)
            case ast.Subscript(value=ast.Name() as array, slice=index):
                self.name(array, bound)
                self.value(index, bound)
                self.index(e, index)
            case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
                self.value(operand, bound)
            case ast.UnaryOp(op=op):
                raise self.unknown(op, e)
            case ast.Compare():
                self.comparison(e, bound)
            case ast.BoolOp(values=values):
                for part in values:
                    self.value(part, bound)
            case ast.IfExp(test=test, body=a, orelse=b):
                for part in (test, a, b):
                    self.value(part, bound)
            case ast.Attribute(value=ast.Name(id="np"), attr=name) if isinstance(getattr(np, name, None), float):
                self.meant(e, "np", np)
            case ast.Call():
                self.call(e, bound)
            case _:
                raise self.unknown(e)

    def constant(self, e: ast.expr, value: object) -> None:
        if isinstance(value, int):
            if value >= LARGEST:
                raise self.refuse(e, "an integer beyond 64 bits", "write it as a number, with a point")
        elif not isinstance(value, float):
            raise self.refuse(e, f"a {type(value).__name__}", "there are numbers, integers, True and False")

    def name(self, e: ast.Name, bound: set[str]) -> None:
        if e.id in bound:
            return
        if e.id in self.locals:
            raise self.refuse(e, f"{e.id}, which may have no value yet,", "give it one on every way that leads here")
        if e.id not in self.constants:
            raise self.refuse(e, f"{e.id}, which the module doesn't define,", "define it there")

    def index(self, place: ast.expr, index: ast.expr) -> None:
        value = known_value(index, self.constants, self.locals)
        if (value is not None and value < 0) or (value is None and isinstance(index, ast.UnaryOp)):
            raise self.refuse(place, "an index from the end", "count from the front")

    def operator(self, op: ast.operator, e: ast.AST) -> None:
        if not isinstance(op, (*ARITHMETIC, *ON_INTEGERS, ast.Pow)):
            raise self.unknown(op, e)

    def comparison(self, e: ast.Compare, bound: set[str]) -> None:
        for op in e.ops:
            if not isinstance(op, COMPARISONS):
                raise self.unknown(op, e)
        for part in (e.left, *e.comparators):
            self.value(part, bound)
        for part in e.comparators[1:]:  # which Python may not look at
            if not is_harmless(self.function, part):
                raise self.refuse(e, "a third part that is more than arithmetic", "write a < b and b < c")

    # -- calls ----------------------------------------------------------------------------------------
    def call(self, e: ast.Call, bound: set[str]) -> None:
        if e.keywords:
            raise self.refuse(e, "an argument by name", "give it by its position")
        match e:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Attribute(attr="float64") as number, args=[x]), attr="view"),
                args=[ast.Attribute(attr="int64") as bits],
            ):
                for part in (number, bits):
                    self.numpys(part)
                self.value(x, bound)
                return
            case ast.Call(func=ast.Attribute(attr=name) as func) if name in NUMPY:
                self.numpys(func)
                least, most = NUMPY[name]
            case ast.Call(func=ast.Name(id=name)):
                least, most = self.called(e, name)
            case _:
                raise self.refuse(e, "this function", "call another kernel, or what subset.py lists")
        if not least <= len(e.args) <= most:
            raise self.refuse(e, f"a call of {name} with {len(e.args)} arguments", f"give it {least}")
        for argument in e.args:
            self.value(argument, bound)

    def called(self, e: ast.Call, name: str) -> tuple[int, int]:
        """How many arguments a function takes that is called by a plain name."""
        if name in self.locals:
            raise self.refuse(e, "a function that is a local name", "call functions of the module")
        for numbers, home in ((PYTHON, builtins), (MATH, math), (LIBRARY, library), (LANES, None)):
            if name in numbers:
                self.meant(e, name, getattr(home, name, None))
                return numbers[name]
        kernel = getattr(self.constants.get(name), "kernel_function", None)
        if kernel is None:
            raise self.refuse(e, f"the function {name}", "call another kernel, or what subset.py lists")
        return (kernel.__code__.co_argcount,) * 2

    def numpys(self, e: ast.Attribute) -> None:
        if not (isinstance(e.value, ast.Name) and e.value.id == "np"):
            raise self.refuse(e, "a method", "call functions of numpy, as np.sqrt(x)")
        self.meant(e, "np", np)

    def meant(self, e: ast.AST, name: str, expected: object) -> None:
        """What is translated by its name must be what that name stands for."""
        found = self.constants.get(name, getattr(builtins, name, None))
        if name in self.locals or not is_same(found, expected, name):
            raise self.refuse(e, f"a {name} of one's own", "give it another name")


def is_same(found: Any, expected: Any, name: str) -> bool:
    """Whether a function is the one expected, or has its text; numpy's of that name are as good as those of math."""
    if found is expected or (name in MATH and found is not None and found is getattr(np, name, None)):
        return True
    found = getattr(found, "kernel_function", found)
    if not inspect.isfunction(found):
        return False
    if name in BODIES:
        return meaning_of(found)[1] == BODIES[name]
    return inspect.isfunction(expected) and meaning_of(found) == meaning_of(expected)


@kept_with_function
def meaning_of(function: FunctionType) -> tuple[list[str], str]:
    """A function's parameters and body without what doesn't matter: docstring, decorators and types."""
    definition = tree_of(function)
    lines = []
    for s in without_docstring(definition):
        if isinstance(s, ast.AnnAssign) and s.value is not None:
            lines.append(f"{ast.unparse(s.target)} = {ast.unparse(s.value)}")
        else:
            lines.append(ast.unparse(s))
    return [a.arg for a in definition.args.args], "\n".join(lines)
