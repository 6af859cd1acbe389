"""The subset of Python in which kernels are written, and the check that a function belongs to it.

This module checks the text of a function and the constants of its module; kinds.py adds the checks that depend on the
kinds of values. A kernel computes the same bits as its text does in Python with numpy's numbers: division of a number
by zero gives an infinity. The last bit of powers and of functions of the C library depends on the machine's library;
x ** 2 is x * x.

Authors of kernels must observe these rules, which no check of the text can verify:

- Indices are not negative and lie within their arrays.
- Integers fit 64 bits and are not divided by zero; unsigned ones are for addresses only.
- A number that is converted to an integer is finite and fits.
- Constants and tables of a module do not change.
- With lanes, both values of a conditional expression are computed.
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

from ...infrastructure.syntax import parsed
from ...kernels import declarations, library
from .independent_loops import loop_range
from .reading import TREE, cached_on_function, line_of, stored_names, text_of, without_docstring

LARGEST = 2**63  #: integers from -LARGEST to LARGEST - 1 fit 64 bits

#: Built-in functions, with the least and the greatest number of their arguments.
PYTHON = {"int": (1, 1), "abs": (1, 1), "min": (2, 255), "max": (2, 255)}
NUMPY = {
    "sqrt": (1, 1), "ceil": (1, 1), "cos": (1, 1), "sin": (1, 1), "tan": (1, 1), "exp": (1, 1), "log": (1, 1),
    "fmod": (2, 2), "uintp": (1, 1), "int64": (1, 1),
}  # fmt: skip
MATH = {
    "sqrt": (1, 1), "cos": (1, 1), "sin": (1, 1), "tan": (1, 1), "exp": (1, 1), "log": (1, 1), "asin": (1, 1),
    "acos": (1, 1), "atan": (1, 1), "atan2": (2, 2), "tanh": (1, 1),
}  # fmt: skip
LIBRARY = {
    "integer": (1, 1),
    "each": (1, 1),
    "lt": (2, 2),
    "le": (2, 2),
    "where": (3, 3),
    "power": (2, 2),
    "tail": (2, 2),
    "common": (1, 1),
    "abreast": (0, 0),
    "rows": (2, 2),
}
LANES = {"column": (2, 2), "every": (1, 1)}
#: Bodies of functions that modules with lanes define.
BODIES = {"column": "return R[:, lane]", "every": "return bool(np.all(condition))"}
KNOWN = {*PYTHON, *MATH, *LIBRARY, *LANES}
LOOPS = {"range", "apart"}  #: functions of loops, which are called nowhere else

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
ON_INTEGERS = (ast.FloorDiv, ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift)
OPERATORS = (*ARITHMETIC, *ON_INTEGERS, ast.Pow)
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
    """Error for code that kernels cannot contain; the message states the line, the reason and the remedy."""


def refused(function: FunctionType, node: ast.AST, what: str, remedy: str) -> Refused:
    """Return the error for one node of a function's text."""
    line = line_of(function, node)
    text = linecache.getline(function.__code__.co_filename, line).strip()
    return Refused(f"{function.__name__}, line {line}, `{text}`: {what} is not known to a kernel: {remedy}")


@cached_on_function
def definition_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function. Raises Refused if it does not belong to the subset."""
    definition = tree_of(function)
    Checker(function, definition).check()
    return definition


def tree_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function; its lines are those of the function's text. Raises Refused for a lambda."""
    if isinstance(function.__dict__.get(TREE), ast.FunctionDef):
        return function.__dict__[TREE]  # type: ignore[no-any-return]
    definition = parsed(textwrap.dedent(text_of(function))).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise refused(function, definition, "anything but a function", "write def")
    return definition


def statements_of(function: FunctionType) -> list[ast.stmt]:
    """Return the statements of a function after its docstring."""
    return without_docstring(definition_of(function))


def is_inlined(function: FunctionType) -> bool:
    """True if a function is marked `inlined` (kernels/declarations.py)."""
    marks = definition_of(function).decorator_list
    return any(isinstance(mark, ast.Name) and mark.id == "inlined" for mark in marks)


@cached_on_function
def variables_of(function: FunctionType) -> Counter[str]:
    """Return the number of assignments to each variable in a function's text."""
    return Counter(stored_names(definition_of(function).body))


def known_value(e: ast.expr, constants: dict[str, Any], names: Iterable[str] = ()) -> int | None:
    """Return the value of an integer expression of constants; None otherwise. `names` are local variables."""
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
    """True if an expression may be computed where Python would not: it has no side effects and cannot fail."""
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
    """True if an expression must not be computed for lanes that do not need it."""
    constants, names = function.__globals__, function.__code__.co_varnames
    for node in ast.walk(e):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name not in KNOWN and name not in LOOPS:
                if changes_arrays(constants[name].kernel_function):
                    return True
            case ast.BinOp(op=ast.FloorDiv(), right=right) if not known_value(right, constants, names):
                return True
    return False


@cached_on_function
def changes_arrays(function: FunctionType) -> bool:
    """True if a kernel, or one that it calls, writes to an array."""
    definition = definition_of(function)
    writes = any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in ast.walk(definition))
    return writes or any(may_change(function, e) for e in ast.walk(definition) if isinstance(e, ast.Call))


Bound = set[str] | None  #: names that certainly have a value; None for unreachable text


def merged(one: Bound, other: Bound) -> Bound:
    """Return the bound names at the junction of two branches."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


class Checker:
    """Checks the text of one function in the order of its execution, and tracks the names that have values."""

    def __init__(self, function: FunctionType, definition: ast.FunctionDef):
        self.function, self.definition = function, definition
        self.constants = function.__globals__
        self.parameters = [a.arg for a in definition.args.args]
        self.locals = {*self.parameters, *stored_names(definition.body)}
        self.exits: list[Bound] = []  #: for each enclosing loop, the names that have values where `break` leaves it
        self.returns: set[bool] = set()  #: True for a return with a value, False for one without

    def refuse(self, node: ast.AST, what: str, remedy: str) -> Refused:
        return refused(self.function, node, what, remedy)

    def unknown(self, node: ast.AST, at: ast.AST | None = None) -> Refused:
        """Return the error for a node without a rule."""
        what, remedy = REMEDIES.get(type(node), (f"this ({type(node).__name__})", "see mbs_fmu/codegen/llvm/subset.py"))
        return self.refuse(at or node, what, remedy)

    def check(self) -> None:
        parameters = self.definition.args
        special = parameters.defaults, parameters.kw_defaults, parameters.posonlyargs
        if any(special) or parameters.vararg or parameters.kwarg:
            raise self.refuse(self.definition, "a default or special parameter", "give plain parameters by position")
        for decorator in self.definition.decorator_list:
            name = ast.unparse(decorator).split(".")[-1]
            if name == "inlined":
                self.require_definition(decorator, name, declarations.inlined)
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
        bound = None if bound is None else set(bound)  # a copy, because the statements add names
        for statement in body:
            if bound is None:
                raise self.refuse(statement, "text that is never reached", "leave it out")
            bound = self.statement(statement, bound)
        return bound

    def statement(self, s: ast.stmt, bound: set[str]) -> Bound:
        """Check a statement and return the bound names after it."""
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
                return merged(self.block(body, bound), self.block(orelse, bound))
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
                self.exits[-1] = merged(self.exits[-1], bound)
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
        counted, apart = loop_range(s)
        match s.target, counted:
            case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]) if (
                1 <= len(arguments) <= 3 and "range" not in self.locals
            ):
                pass
            case _:
                raise self.refuse(s, "a loop over anything but range(...)", "write for k in range(first, stop, step)")
        self.require_definition(counted, "range", builtins.range)
        if apart:
            self.require_definition(s.iter, "apart", declarations.apart)
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
                self.require_definition(e, "np", np)
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
        if not isinstance(op, OPERATORS):
            raise self.unknown(op, e)

    def comparison(self, e: ast.Compare, bound: set[str]) -> None:
        for op in e.ops:
            if not isinstance(op, COMPARISONS):
                raise self.unknown(op, e)
        for part in (e.left, *e.comparators):
            self.value(part, bound)
        for part in e.comparators[1:]:  # Python may skip these
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
                    self.require_numpy(part)
                self.value(x, bound)
                return
            case ast.Call(func=ast.Attribute(attr=name) as func) if name in NUMPY:
                self.require_numpy(func)
                least, most = NUMPY[name]
            case ast.Call(func=ast.Name(id=name)):
                least, most = self.argument_range(e, name)
            case _:
                raise self.refuse(e, "this function", "call another kernel, or what subset.py lists")
        if not least <= len(e.args) <= most:
            raise self.refuse(e, f"a call of {name} with {len(e.args)} arguments", f"give it {least}")
        for argument in e.args:
            self.value(argument, bound)

    def argument_range(self, e: ast.Call, name: str) -> tuple[int, int]:
        """Return the least and the greatest number of arguments of a function that is called by a plain name."""
        if name in self.locals:
            raise self.refuse(e, "a function that is a local name", "call functions of the module")
        for numbers, home in ((PYTHON, builtins), (MATH, math), (LIBRARY, library), (LANES, None)):
            if name in numbers:
                self.require_definition(e, name, getattr(home, name, None))
                return numbers[name]
        kernel = getattr(self.constants.get(name), "kernel_function", None)
        if kernel is None:
            raise self.refuse(e, f"the function {name}", "call another kernel, or what subset.py lists")
        return (kernel.__code__.co_argcount,) * 2

    def require_numpy(self, e: ast.Attribute) -> None:
        if not (isinstance(e.value, ast.Name) and e.value.id == "np"):
            raise self.refuse(e, "a method", "call functions of numpy, as np.sqrt(x)")
        self.require_definition(e, "np", np)

    def require_definition(self, e: ast.AST, name: str, expected: object) -> None:
        """Refuse a name with built-in meaning that the module defines differently."""
        definition = self.constants.get(name, getattr(builtins, name, None))
        if name in self.locals or not is_same(definition, expected, name):
            raise self.refuse(e, f"a {name} of one's own", "give it another name")


def is_same(definition: Any, expected: Any, name: str) -> bool:
    """True for the expected function, one with the same text, or numpy's counterpart of a function of `math`."""
    if definition is expected or (name in MATH and definition is not None and definition is getattr(np, name, None)):
        return True
    definition = getattr(definition, "kernel_function", definition)
    if not inspect.isfunction(definition):
        return False
    if name in BODIES:
        return normalized_text(definition)[1] == BODIES[name]
    return inspect.isfunction(expected) and normalized_text(definition) == normalized_text(expected)


@cached_on_function
def normalized_text(function: FunctionType) -> tuple[list[str], str]:
    """Return a function's parameters and its body without docstring, decorators and types, for comparisons."""
    definition = tree_of(function)
    lines = []
    for s in without_docstring(definition):
        if isinstance(s, ast.AnnAssign) and s.value is not None:
            lines.append(f"{ast.unparse(s.target)} = {ast.unparse(s.value)}")
        else:
            lines.append(ast.unparse(s))
    return [a.arg for a in definition.args.args], "\n".join(lines)
