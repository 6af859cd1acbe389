"""Expressions of one function in C (see module.py)."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from types import FunctionType
from typing import Protocol

import numpy as np

from ..llvm.kinds import FLOATING, TO_INTEGER, Kind, Kinds, is_table, name_of
from ..llvm.subset import Refused, refused
from .effects import Effects
from .text import AND, CHOICE, EQUAL, LESS, OR, PLUS, SHIFT, TIMES, UNARY, Lines, Text

ARITHMETIC = {ast.Add: ("+", PLUS), ast.Sub: ("-", PLUS), ast.Mult: ("*", TIMES), ast.Div: ("/", TIMES)}
BITS = {ast.BitAnd: "&", ast.BitOr: "|"}
ON_INTEGERS = {ast.FloorDiv: "quotient", ast.LShift: "shifted_left", ast.RShift: "shifted_right"}
COMPARISONS = {
    ast.Lt: ("<", LESS), ast.LtE: ("<=", LESS), ast.Gt: (">", LESS), ast.GtE: (">=", LESS), ast.Eq: ("==", EQUAL),
    ast.NotEq: ("!=", EQUAL),
}  # fmt: skip
#: Helper for the least and the greatest of values, by kind: C's fmin and fmax choose differently from Python.
EXTREMES = {
    ("min", "float"): "least", ("max", "float"): "largest", ("min", "int"): "least_integer",
    ("max", "int"): "largest_integer",
}  # fmt: skip
RECORDS = {"R", "D", "E", "F"}  #: names of arrays with the record's layout
NAME = re.compile(r"\w+")  #: a value that is computed already
HEAD_SIZE = 18  #: numbers of the record before its named regions; literal addresses below have names of their own
SHORT = 2**31  #: integers of C's type int are below


class File(Protocol):
    """The file to which functions are written (module.py)."""

    suffix: str

    def legal(self, name: str) -> str: ...
    def type(self, kind: Kind) -> str: ...
    def number(self, value: float) -> str: ...
    def helper(self, name: str) -> str: ...
    def constant(self, name: str, value: object) -> str: ...
    def table(self, name: str, values: np.ndarray) -> str: ...
    def address(self, place: int) -> Text: ...
    def slot(self, place: int) -> str: ...
    def kernel(self, function: FunctionType, kinds: tuple[Kind, ...]) -> str: ...


class Values:
    """Writer of the expressions of one function; `out` takes lines that precede the current statement."""

    def __init__(self, kinds: Kinds, file: File, effects: Effects, out: Lines):
        self.kinds, self.file, self.effects, self.out = kinds, file, effects, out
        self.constants = kinds.function.__globals__
        self._temporaries = 0

    def refuse(self, e: ast.AST, what: str, remedy: str) -> Refused:
        return refused(self.kinds.function, e, what, remedy)

    # -- order of evaluation ----------------------------------------------------------------------------
    def temporary(self, e: ast.expr, text: str) -> Text:
        """Compute a value before the current statement, and return the name that holds it."""
        name = self._new_name()
        self.out.emit(f"const {self.file.type(self.kinds.kind(e))} {name} = {text};")
        return Text(name)

    def _new_name(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}_"

    def ordered(self, parts: Sequence[ast.expr]) -> list[Text]:
        """Return several values, computed from left to right where that matters."""
        if not self.effects.order_matters(parts):
            return [self.value(part) for part in parts]
        return [self._kept(part) for part in parts]

    def _kept(self, part: ast.expr) -> Text:
        """Compute a value now, unless nothing can change it."""
        text = self.value(part)
        lasting = isinstance(part, (ast.Name, ast.Constant)) or self.kinds.kind(part) == "array"
        return text if lasting else self.temporary(part, text.text)

    def _computed(self, e: ast.expr, text: Text) -> Text:
        """Compute a value that changes arrays now, because the text around it may not compute it."""
        return self.temporary(e, text.text) if self.effects.changes(e) and not NAME.fullmatch(text.text) else text

    def choice(self, e: ast.IfExp) -> Text:
        """Write a conditional expression; as a statement if one of its values must be computed in steps."""
        test = self.value(e.test)
        with self.out.captured() as first:
            a = self.value(e.body)
        with self.out.captured() as second:
            b = self.value(e.orelse)
        if not first and not second:
            return _choice(test, a, b)
        name = self._new_name()
        self.out.emit(f"{self.file.type(self.kinds.kind(e))} {name};")
        self.out.emit(f"if ({test.text}) {{")
        self._store_within(name, first, a)
        self.out.emit("} else {")
        self._store_within(name, second, b)
        self.out.emit("}")
        return Text(name)

    def shortcut(self, conjunction: bool, values: list[ast.expr]) -> Text:
        """Write `and` or `or`; as a statement if a later part must be computed in steps."""
        result = self.value(values[0])
        for part in values[1:]:
            with self.out.captured() as lines:
                text = self.value(part)
            if not lines:
                result = _both(result, text) if conjunction else _either(result, text)
                continue
            name = self._new_name()
            self.out.emit(f"bool {name} = {result.text};")
            self.out.emit(f"if ({'' if conjunction else '!'}{name}) {{")
            self._store_within(name, lines, text)
            self.out.emit("}")
            result = Text(name)
        return result

    def _store_within(self, name: str, lines: list[str], text: Text) -> None:
        self.out.lines += lines
        with self.out.nested():
            self.out.emit(f"{name} = {text.text};")

    # -- expressions --------------------------------------------------------------------------------------
    def value(self, e: ast.expr) -> Text:
        match e:
            case ast.Name(id=name):
                local = name in self.kinds.names
                return Text(self.file.legal(name) if local else self.file.constant(name, self.constants[name]))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self.power(left, right)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self.ordered([left, right])
                if self._may_exceed_int(e):
                    a = Text(f"(integer){a.within(UNARY)}", UNARY)
                return self.arithmetic(a, op, b)
            case ast.Constant(value=value):
                return self.literal(value)
            case ast.Subscript():
                return Text(self.element(e))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                text = self.value(operand)
                return Text(f"-{f'({text.text})' if text.text.startswith('-') else text.within(UNARY)}", UNARY)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Text(f"!{self.value(operand).within(UNARY)}", UNARY)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.comparison(left, ops, others)
            case ast.BoolOp(op=op, values=values):
                return self.shortcut(isinstance(op, ast.And), values)
            case ast.IfExp():
                return self.choice(e)
            case ast.Attribute(attr=name):
                return Text(self.file.number(getattr(np, name)))
        assert isinstance(e, ast.Call)
        return self.call(e)

    def literal(self, value: object) -> Text:
        if isinstance(value, bool):
            return Text("true" if value else "false")
        if isinstance(value, float):
            return Text(self.file.number(value))
        assert isinstance(value, int)
        return Text(str(value) if value < SHORT else f"INT64_C({value})")

    def arithmetic(self, a: Text, op: ast.operator, b: Text) -> Text:
        if type(op) in ARITHMETIC:
            sign, level = ARITHMETIC[type(op)]
            return Text(f"{a.within(level)} {sign} {b.within(level + 1)}", level)
        if type(op) in BITS:  # their precedence surprises: operands and results get parentheses
            return Text(f"{a.within(UNARY)} {BITS[type(op)]} {b.within(UNARY)}", OR)
        return Text(f"{self.file.helper(ON_INTEGERS[type(op)])}({a.text}, {b.text})")

    def power(self, base: ast.expr, exponent: ast.expr) -> Text:
        if isinstance(exponent, ast.Constant) and exponent.value == 2:
            text = self.value(base)
            if isinstance(base, ast.Name):
                return Text(f"{text.text} * {text.text}", TIMES)
            return Text(f"{self.file.helper('square')}({text.text})")
        a, b = self.ordered([base, exponent])
        return Text(f"pow{self.file.suffix}({a.text}, {b.text})")

    def comparison(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> Text:
        """Write a comparison. The middle of a chain is written twice, so that its calls are computed before."""
        parts = self.ordered([left, *others])
        if not self.effects.order_matters([left, *others]):
            for k, e in enumerate(others[:-1], start=1):
                if any(isinstance(n, ast.Call) for n in ast.walk(e)):
                    parts[k] = self.temporary(e, parts[k].text)
        steps = []
        for op, a, b in zip(ops, parts, parts[1:], strict=False):
            sign, level = COMPARISONS[type(op)]
            steps.append(Text(f"{a.within(SHIFT)} {sign} {b.within(SHIFT)}", level))
        return steps[0] if len(steps) == 1 else Text(" && ".join(step.text for step in steps), AND)

    # -- arrays -------------------------------------------------------------------------------------------
    def element(self, place: ast.Subscript, lasting: bool = False) -> str:
        """Return the element of an array or of a table; literal addresses of a record are named by their region.

        If `lasting`, the text stays valid while arrays change.
        """
        assert isinstance(place.value, ast.Name)
        name = place.value.id
        if name not in self.kinds.names:
            return f"{self.file.table(name, self.constants[name])}[{self.value(place.slice).text}]"
        index = self._address(place.slice) if name in RECORDS else self.value(place.slice).text
        if lasting and self.effects.reads(place.slice):
            index = self.temporary(place.slice, index).text
        return f"{self.file.legal(name)}[{index}]"

    def _address(self, index: ast.expr) -> str:
        match index:
            case ast.Constant(value=int(n)) if n >= HEAD_SIZE:
                return self.file.address(n).text + self.file.slot(n)
            case ast.BinOp(left=ast.Name() as base, op=ast.Add(), right=ast.Constant(value=int(n))) if n >= HEAD_SIZE:
                return f"{self.value(base).text} + {self.file.address(n).text}"
            case ast.BinOp(left=ast.Constant(value=int(n)), op=ast.Add(), right=rest) if n >= HEAD_SIZE:
                return f"{self.file.address(n).text} + {self.value(rest).within(TIMES)}"
        return self.value(index).text

    # -- calls --------------------------------------------------------------------------------------------
    def call(self, e: ast.Call) -> Text:
        name, file = name_of(e), self.file
        if name == "view":  # np.float64(x).view(np.int64): the bits of a number
            assert isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Call)
            return Text(f"{file.helper('bits_of')}({self.value(e.func.value.args[0]).text})")
        given, kinds = self.ordered(e.args), tuple(self.kinds.kind(a) for a in e.args)
        arguments = ", ".join(text.text for text in given)
        if name in TO_INTEGER:
            return given[0] if kinds[0] == "int" else Text(f"(integer){given[0].within(UNARY)}", UNARY)
        if name in FLOATING:
            return Text(f"{'pow' if name == 'power' else name}{file.suffix}({arguments})")
        match name:
            case "lt" | "le":
                return Text(f"{given[0].within(SHIFT)} {'<' if name == 'lt' else '<='} {given[1].within(SHIFT)}", LESS)
            case "where":
                return _choice(given[0], *map(self._computed, e.args[1:], given[1:]))
            case "min" | "max":
                helper, (result, *others) = file.helper(EXTREMES[name, str(self.kinds.kind(e))]), given
                for other in others:
                    result = Text(f"{helper}({result.text}, {other.text})")
                return result
            case "abs":
                return Text(f"{f'fabs{file.suffix}' if kinds[0] == 'float' else file.helper('magnitude')}({arguments})")
            case "abreast":
                return Text("1")
            case "tail" | "rows":
                return Text(f"{given[0].text} + {given[1].within(TIMES)}", PLUS)
            case "common":
                return given[0]
            case "column" | "every":
                raise self.refuse(e, f"{name}, a function of lanes,", "write the kernel of one member")
        return Text(f"{file.kernel(self.kinds.callee(name), kinds)}({arguments})")

    # -- widths -------------------------------------------------------------------------------------------
    def _may_exceed_int(self, e: ast.BinOp) -> bool:
        """True for an operation that C would do with 32 bits, but whose result may need more."""
        if self.kinds.kind(e) != "int" or type(e.op) not in ARITHMETIC:
            return False
        size = self._size(e)
        return size is not None and size >= SHORT and all((self._size(x) or 0) < SHORT for x in (e.left, e.right))

    def _size(self, e: ast.expr) -> int | None:
        """Return a bound of an integer of C's type int; None for one of the type `integer`."""
        match e:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name not in self.kinds.names:
                return abs(int(self.constants[name]))
            case ast.Subscript(value=ast.Name(id=name)) if is_table(self.constants.get(name)):
                return int(max(map(abs, map(int, self.constants[name])), default=0))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._size(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                a, b = self._size(left), self._size(right)
                if a is None or b is None or max(a, b) >= SHORT:
                    return None
                return a * b if isinstance(op, ast.Mult) else a + b
        return None


def _choice(test: Text, a: Text, b: Text) -> Text:
    return Text(f"{test.within(OR)} ? {a.within(OR)} : {b.within(CHOICE)}", CHOICE)


def _both(a: Text, b: Text) -> Text:
    return Text(f"{a.within(AND)} && {b.within(AND)}", AND)


def _either(a: Text, b: Text) -> Text:
    """Write a disjunction; an `and` within it gets parentheses that C does not need, but its readers do."""
    parts = [f"({part.text})" if part.level == AND else part.within(OR) for part in (a, b)]
    return Text(" || ".join(parts), OR)
