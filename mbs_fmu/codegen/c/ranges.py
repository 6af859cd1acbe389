"""Ranges of integers in kernels, as far as constants, tables and limits of the record determine them.

A range is the least and the greatest value that an integer can have; None stands for one that nothing limits. Numbers
of the record that are counts, indices or choices have ranges too, although kernels store them as floating-point
numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from ..llvm.kinds import FLOATING, TO_INTEGER, is_table, name_of
from ..llvm.reading import cached_on_function
from ..llvm.subset import KNOWN, definition_of, statements_of

Range = tuple[int, int]
Known = Mapping[str, Range]  #: ranges of local names
Limits = Mapping[int, Range]  #: ranges of numbers of the record, by their index
RECORD = "R"
MOST_PLACES = 1000  #: entries of a table or of the record whose ranges are taken together
SAME = {"common", "constant"}  #: functions that return their argument


class Ranges:
    """Ranges of the expressions of one function; `of_call` gives that of a called kernel's result."""

    def __init__(
        self, function: FunctionType, names: Container[str], limits: Limits,
        of_call: Callable[[str, list[ast.expr], Known], Range | None],
    ):  # fmt: skip
        self.constants, self.names = function.__globals__, names
        self.limits, self.of_call = limits, of_call

    def of(self, e: ast.expr, known: Known) -> Range | None:
        """Return the range of an expression whose value is an integer; None if it is unknown, or no integer."""
        match e:
            case ast.Constant(value=bool() | int() | float() as value):
                return _exact(value)
            case ast.Name(id=name):
                return known.get(name) or _exact(self._constant(name))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.of(operand, known)
                return inner and (-inner[1], -inner[0])
            case ast.BinOp(left=left, op=op, right=right):
                return _combined(op, self.of(left, known), self.of(right, known))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                truths = self.truths(test, known)
                return joined(
                    [self.of(part, known) for part, value in ((body, True), (orelse, False)) if value in truths]
                )
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self._element(name, self.of(index, known))
            case ast.Call(args=arguments):
                return self._call(name_of(e), arguments, known)
        return None

    def _constant(self, name: str) -> Any:
        return None if name in self.names else self.constants.get(name)

    def _element(self, name: str, places: Range | None) -> Range | None:
        """Return the range of an element of a table or of the record."""
        if places is None or not 0 <= places[1] - places[0] < MOST_PLACES:
            return None
        if name == RECORD:
            return joined([self.limits.get(place) for place in range(places[0], places[1] + 1)])
        table = self._constant(name)
        if not is_table(table) or not 0 <= places[0] <= places[1] < len(table):
            return None
        entries = table[places[0] : places[1] + 1]
        return int(entries.min()), int(entries.max())

    def _call(self, name: str, arguments: list[ast.expr], known: Known) -> Range | None:
        if name in TO_INTEGER or name in SAME:
            return self.of(arguments[0], known) if len(arguments) == 1 else None
        if name in ("min", "max"):
            parts = [self.of(a, known) for a in arguments]
            if all(part is not None for part in parts):
                choose = min if name == "min" else max
                return choose(p[0] for p in parts if p), choose(p[1] for p in parts if p)
        return None if is_function(name) else self.of_call(name, arguments, known)

    def truths(self, test: ast.expr, known: Known) -> set[bool]:
        """Return the values that a condition can have."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _compared(op, self.of(left, known), self.of(right, known))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return {not value for value in self.truths(operand, known)}
            case ast.BoolOp(op=op, values=values):
                ends = isinstance(op, ast.Or)  # the value of one part that decides
                parts = [self.truths(value, known) for value in values]
                if {ends} in parts:
                    return {ends}
                return {not ends} if all(part == {not ends} for part in parts) else {True, False}
        value = self.of(test, known)
        return {True, False} if value is None or value[0] <= 0 <= value[1] and value != (0, 0) else {value != (0, 0)}


def joined(ranges: Iterable[Range | None]) -> Range | None:
    """Return the range of a value that is in one of several ranges."""
    found = list(ranges)
    if not found or None in found:
        return None
    return min(r[0] for r in found if r), max(r[1] for r in found if r)


def is_function(name: str) -> bool:
    """True for functions that are not kernels."""
    return name in KNOWN or name in FLOATING or name in TO_INTEGER or name == "view"


def _exact(value: Any) -> Range | None:
    """Return the range of a number; None unless it is whole."""
    if not isinstance(value, (int, float, np.integer)) or value != value or abs(value) == np.inf or value != int(value):
        return None
    return int(value), int(value)


def _combined(op: ast.operator, a: Range | None, b: Range | None) -> Range | None:
    """Return the range of the result of an operation."""
    if a is None or b is None:
        return None
    match op:
        case ast.Add():
            return a[0] + b[0], a[1] + b[1]
        case ast.Sub():
            return a[0] - b[1], a[1] - b[0]
        case ast.Mult():
            products = [x * y for x in a for y in b]
            return min(products), max(products)
        case ast.FloorDiv() if b[0] > 0:
            quotients = [x // y for x in a for y in b]
            return min(quotients), max(quotients)
        case ast.LShift() | ast.RShift() | ast.BitAnd() | ast.BitOr() if a[0] == a[1] and b[0] == b[1]:
            return _exact(_bits(op, a[0], b[0]))
    return None


def _bits(op: ast.operator, a: int, b: int) -> int:
    if isinstance(op, (ast.LShift, ast.RShift)):
        return (a << min(b, 63) if isinstance(op, ast.LShift) else a >> min(b, 63)) if b >= 0 else 0
    return a & b if isinstance(op, ast.BitAnd) else a | b


def _compared(op: ast.cmpop, a: Range | None, b: Range | None) -> set[bool]:
    """Return the values that a comparison can have."""
    if a is None or b is None:
        return {True, False}
    match op:
        case ast.Lt() | ast.GtE():
            outcomes = {True} if a[1] < b[0] else {False} if a[0] >= b[1] else {True, False}
        case ast.LtE() | ast.Gt():
            outcomes = {True} if a[1] <= b[0] else {False} if a[0] > b[1] else {True, False}
        case _:
            apart = a[1] < b[0] or b[1] < a[0]
            outcomes = {False} if apart else {True} if a[0] == a[1] == b[0] == b[1] else {True, False}
    return {not value for value in outcomes} if isinstance(op, (ast.GtE, ast.Gt, ast.NotEq)) else outcomes


@cached_on_function
def deciding_names(function: FunctionType) -> frozenset[str]:
    """Return the local names whose integers can decide branches, the number of iterations, or the result."""
    names: set[str] = set()
    assigned: list[tuple[str, set[str]]] = []
    for node in (n for s in statements_of(function) for n in ast.walk(s)):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                names |= _names(test)
            case ast.For(iter=head):
                names |= _names(head)
            case ast.Return(value=value) if value is not None:
                names |= _names(value)
            case ast.Call(args=arguments) if not is_function(name_of(node)) and name_of(node) in function.__globals__:
                names |= _passed(function, node, arguments)
            case ast.Assign(targets=targets, value=value):
                assigned += [(t.id, _names(value)) for t in targets if isinstance(t, ast.Name)]
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                assigned.append((name, _names(value)))
    before = -1
    while before < len(names):
        before = len(names)
        names.update(*(used for name, used in assigned if name in names))
    return frozenset(names)


def _passed(function: FunctionType, call: ast.Call, arguments: list[ast.expr]) -> set[str]:
    """Return the names in the arguments of a kernel's call that decide something in that kernel."""
    called: FunctionType | None = getattr(function.__globals__[name_of(call)], "kernel_function", None)
    if called is None:
        return set()
    deciding, parameters = deciding_names(called), definition_of(called).args.args
    return set().union(*(_names(a) for a, p in zip(arguments, parameters, strict=False) if p.arg in deciding))


def _names(e: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(e) if isinstance(node, ast.Name)}
