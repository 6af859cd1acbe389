"""Faults that can be planted in the package: small changes of one place in Python or C code, by kind."""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mbs_fmu"
AREAS = {  #: areas and the patterns of their files
    "kernels": "kernels/**/*.py",
    "mechanics": "mechanics/**/*.py",
    "integrate": "integrate/**/*.py",
    "compile": "compile/**/*.py",
    "C": "fmi/native/c/*.c",
}
KINDS = ("sign", "operands", "index", "comparison", "term", "constant", "minimum")
OPERATORS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")), ast.LtE: ("<=", ("<", ">=")), ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")), ast.Eq: ("==", ("!=",)), ast.NotEq: ("!=", ("==",)),
}  # fmt: skip
#: what C code is changed: kind, pattern of what is found, and what replaces it
C_CHANGES = (
    ("sign", r"(?<=\w) (\+|-) (?=\w)", {"+": "-", "-": "+"}),
    ("comparison", r" (==|!=|<=|>=|<|>) ", {"==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">="}),
    ("term", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("constant", r"(?<=[=<>(+\-*,] )(\d)(?=[;,) ])", {str(n): str(n + 1) for n in range(10)}),
    ("index", r"(?<=\w\[)(\d)(?=\])", {str(n): str(n + 1) for n in range(10)}),
)


@dataclass(frozen=True)
class Fault:
    """One change: `old` at a position in a file (line from 1, column from 0) becomes `new`."""

    area: str
    kind: str
    path: Path  #: relative to the project's folder
    line: int
    column: int
    old: str
    new: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    def lines(self, text: str) -> tuple[str, str]:
        """Return the line before and after."""
        before = text.splitlines()[self.line - 1]
        return before.strip(), self._changed(before).strip()

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        lines = text.splitlines(keepends=True)
        lines[self.line - 1] = self._changed(lines[self.line - 1])
        return "".join(lines)

    def _changed(self, line: str) -> str:
        assert line[self.column :].startswith(self.old), (self, line)
        return line[: self.column] + self.new + line[self.column + len(self.old) :]


def chosen(count: int, seed: int, kinds: Iterable[str] = KINDS) -> list[Fault]:
    """Return random faults, all kinds in turn. A larger count with the same seed begins with the same faults."""
    by_kind: dict[str, list[Fault]] = {kind: [] for kind in kinds}
    for area, pattern in AREAS.items():
        files = sorted(PACKAGE.glob(pattern))
        assert files, f"no file for {area}: its pattern in AREAS matches nothing"
        for fault in itertools.chain.from_iterable(faults(area, path) for path in files):
            if fault.kind in by_kind:
                by_kind[fault.kind].append(fault)
    draws = {kind: random.Random(f"{seed} {kind}") for kind in by_kind}
    for kind, candidates in by_kind.items():
        draws[kind].shuffle(candidates)
    turns = itertools.cycle(by_kind)
    return [by_kind[next(turns)].pop() for _ in range(count)]


def faults(area: str, path: Path) -> Iterator[Fault]:
    """Yield all changes of a file's code, without annotations, messages and bare strings."""
    text = path.read_text(encoding="utf-8")
    lines, relative = text.splitlines(), path.relative_to(ROOT)
    found = _of_c(lines) if path.suffix == ".c" else _of_python(text, lines)
    for kind, row, column, old, new in found:
        if lines[row - 1].isascii() and old != new:  # ast counts columns in bytes
            yield Fault(area, kind, relative, row, column, old, new)


Change = tuple[str, int, int, str, str]  #: kind, line, column, text and new text


def _of_c(lines: list[str]) -> Iterator[Change]:
    for row, line in enumerate(lines, start=1):
        if line.lstrip().startswith(("/*", "*", "//", "#")) or '"' in line:
            continue
        for kind, pattern, replacements in C_CHANGES:
            for match in re.finditer(pattern, line):
                yield kind, row, match.start(1), match[1], replacements[match[1]]


def _of_python(text: str, lines: list[str]) -> Iterator[Change]:
    for node in _code(ast.parse(text)):
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                yield from _operator(left, right, *OPERATORS[type(op)], lines)
                if isinstance(op, ast.Sub | ast.Div):
                    yield from _swapped(left, right, lines)
                if isinstance(op, ast.Add | ast.Sub) and (span := _span(node, lines)):
                    yield "term", *span, ast.unparse(left)
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in OPERATORS:
                yield from _operator(target, value, *OPERATORS[type(op)], lines)
            case ast.BoolOp(values=[first, _]) if span := _span(node, lines):
                yield "term", *span, ast.unparse(first)
            case ast.UnaryOp(op=ast.USub()):
                yield "sign", node.lineno, node.col_offset, "-", "+"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                old, others = COMPARISONS[type(op)]
                for _, *place, _ in _operator(left, right, old, old, lines):
                    yield from (("comparison", *place, new) for new in others)  # type: ignore[misc]
            case ast.Subscript(slice=ast.Constant(value=int() as index) as place):
                yield "index", place.lineno, place.col_offset, str(index), str(index + 1)
            case ast.Constant(value=bool() | int() | float() as value) if not isinstance(value, bool):
                if span := _span(node, lines):
                    yield "constant", *span, repr(2 * value or type(value)(1))
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, _, *_]):
                other = {"min": "max", "max": "min"}[name]
                yield "minimum", node.lineno, node.col_offset, name, other
            case ast.Call(func=ast.Name(), args=[first, second, *_]):
                yield from _swapped(first, second, lines)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a tree without nodes that have no effect on numbers."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(
            node, ast.Raise | ast.Assert | ast.JoinedStr
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _code(child)


def _span(node: ast.expr, lines: list[str]) -> tuple[int, int, str] | None:
    """Return line, column and text of an expression on one line."""
    if node.lineno != node.end_lineno:
        return None
    return node.lineno, node.col_offset, lines[node.lineno - 1][node.col_offset : node.end_col_offset]


def _operator(left: ast.expr, right: ast.expr, old: str, new: str, lines: list[str]) -> Iterator[Change]:
    """Yield the change of an operator between operands on one line."""
    assert left.end_lineno is not None and left.end_col_offset is not None
    if left.end_lineno == right.lineno:
        column = lines[right.lineno - 1].find(old, left.end_col_offset, right.col_offset)
        if column >= 0:
            yield "sign", right.lineno, column, old, new


def _swapped(first: ast.expr, second: ast.expr, lines: list[str]) -> Iterator[Change]:
    """Yield the exchange of two operands or arguments on one line."""
    a, b = _span(first, lines), _span(second, lines)
    if a and b and a[0] == b[0] and a[2] != b[2]:
        line, start, end = lines[a[0] - 1], a[1], b[1] + len(b[2])
        between = line[start + len(a[2]) : b[1]]
        yield "operands", a[0], start, line[start:end], f"{b[2]}{between}{a[2]}"
