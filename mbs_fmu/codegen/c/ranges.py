"""Ranges of integers in kernels, as far as constants, tables and limits of the record determine them.

A range is the least and the greatest value that an integer can have; None stands for one that nothing limits. Numbers
of the record that are counts, indices or choices have ranges too, although kernels store them as floating-point
numbers.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Container, Iterable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from ..llvm.kinds import FLOATING, TO_INTEGER, is_table, name_of
from ..llvm.subset import KNOWN

Range = tuple[int, int]
Known = Mapping[str, Range]  #: ranges of local names
Limits = Mapping[int, Range]  #: ranges of numbers of the record, by their index
RECORD = "R"
MOST_PLACES = 1000  #: entries of a table or of the record whose ranges are taken together
SAME = {"common", "constant"}  #: functions that return their argument
BITWISE = ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr  #: operations that need two known integers
OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.LShift: lambda value, places: value << min(places, 63), ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
}  # fmt: skip


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
        if name == "abreast":
            return 1, 1
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
    """Return the range of the result of an operation: it grows or falls with each operand."""
    operation = OPERATIONS.get(type(op))
    if a is None or b is None or operation is None or isinstance(op, ast.FloorDiv) and b[0] <= 0:
        return None
    if isinstance(op, BITWISE) and (a[0] != a[1] or b[0] != b[1] or b[0] < 0):
        return None
    results = [operation(x, y) for x in a for y in b]
    return min(results), max(results)


def _compared(op: ast.cmpop, a: Range | None, b: Range | None) -> set[bool]:
    """Return the values that a comparison can have."""
    if a is None or b is None:
        return {True, False}
    match op:
        case ast.Lt():
            return {a[1] < b[0], a[0] < b[1]}
        case ast.LtE():
            return {a[1] <= b[0], a[0] <= b[1]}
        case ast.Gt() | ast.GtE():
            return _compared(ast.Lt() if isinstance(op, ast.Gt) else ast.LtE(), b, a)
    equal = {a[0] == a[1] == b[0] == b[1], a[0] <= b[1] and b[0] <= a[1]}
    return equal if isinstance(op, ast.Eq) else {not value for value in equal}
