"""Addresses in the text of kernels: which numbers of the record an index may mean."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...codegen.graphs import RECORD
from ...record.kernel_module import KernelModule
from ...record.layout import Load
from ...record.program import Program

MOST_VALUES = 100_000  #: most values of an index that are enumerated


class Irreversible(NotImplementedError):
    """Error for text without an adjoint of this kind; the message has the reason."""


class Extent(NamedTuple):
    """Numbers of the record that a reference may mean: regions, and all addresses if these are known.

    unique: each iteration of the loops around the reference means another number.
    """

    regions: frozenset[str]
    addresses: frozenset[int] | None = None
    unique: bool = False

    def meets(self, other: Extent) -> bool:
        """True if two references may mean the same number."""
        if self.addresses is not None and other.addresses is not None:
            return not self.addresses.isdisjoint(other.addresses)
        return not self.regions.isdisjoint(other.regions)


class Scope(NamedTuple):
    """Integers that are known at a place in the text.

    integers: definitions of local variables, in terms of loop variables and arguments. loops: values of loop variables.
    """

    integers: dict[str, ast.expr]
    loops: dict[str, range]

    def inner(self) -> Scope:
        """Return a scope for the statements of a block within this one."""
        return Scope(dict(self.integers), dict(self.loops))


class Places:
    """Addresses in the kernels of a program's module."""

    def __init__(self, program: Program, module: KernelModule):
        self.numbers, self.tables = module.contents.numbers, module.contents.tables
        spans = [(start, size, name) for name, (start, size) in program.regions.items() if size]
        self.starts = [start for start, _, _ in spans]
        self.names = [name for _, _, name in spans]
        self.head, self.size = program.region("head").stop, program.regions["end"][0]
        self._arrays = {name: np.array(table or [0]) for name, table in self.tables.items()}
        self._extents: dict[tuple[str, int, int], Extent] = {}

    def region(self, address: int) -> str:
        """Return the name of the region of an address."""
        if not 0 <= address < self.size:
            raise Irreversible(f"address {address} outside of the record")
        return self.names[bisect_right(self.starts, address) - 1]

    def known(self, e: ast.expr) -> int | None:
        """Return the value of an integer expression of constants, None for others."""
        match e:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name in self.numbers:
                number = self.numbers[name]
                return None if isinstance(number, float) else int(number)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.known(operand)
                return None if inner is None else -inner
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() as op, right=right):
                a, b = self.known(left), self.known(right)
                return None if a is None or b is None else int(_OPERATIONS[type(op)](a, b))
        return None

    def load(self, array: str, index: ast.expr) -> Load:
        """Return the reference of a number: its address, or the text of the part that varies as base."""
        offset, terms = 0, []
        for sign, term in _terms(index):
            value = self.known(term)
            if value is None:
                terms.append((sign, ast.unparse(term)))
            else:
                offset += sign * value
        terms.sort(key=lambda pair: -pair[0])
        if terms and (terms[0][0] < 0 or offset < 0):
            raise Irreversible(f"index {ast.unparse(index)}")
        base = "".join(f" {'+' if sign > 0 else '-'} {text}" for sign, text in terms)[3:]
        return Load(array, RECORD, offset, base)

    def extent(self, load: Load, scope: Scope) -> Extent:
        """Return the numbers of the record that a reference may mean."""
        if not load.base:
            return Extent(frozenset([self.region(load.offset)]), frozenset([load.offset]))
        index = self.resolved(ast.parse(load.base, mode="eval").body, scope)
        free = {n.id for n in ast.walk(index) if isinstance(n, ast.Name)} - self.tables.keys() - self.numbers.keys()
        ranges = {name: scope.loops[name] for name in sorted(free) if name in scope.loops}
        count = np.prod([len(values) for values in ranges.values()], dtype=float)
        if free <= ranges.keys() and count <= MOST_VALUES:
            return self._enumerated(index, load.offset, ranges)
        whole = self.load(load.array, index)
        start = whole.offset + load.offset
        if start < self.head:
            raise Irreversible(f"an address in the record that follows from {load.base}")
        return Extent(frozenset([self.region(start)]))

    def _enumerated(self, index: ast.expr, offset: int, ranges: Mapping[str, range]) -> Extent:
        """Return the extent of an index whose values are those for all values of loop variables."""
        grid = np.meshgrid(*(np.array(values) for values in ranges.values()), indexing="ij")
        names: dict[str, Any] = {**self._arrays, **self.numbers, **dict(zip(ranges, grid, strict=True))}
        if any(not len(values) for values in ranges.values()):
            return Extent(frozenset(), frozenset(), True)
        values = np.atleast_1d(eval(compile(ast.Expression(index), "<index>", "eval"), {}, names)) + offset
        addresses = frozenset(map(int, values.ravel()))
        regions = frozenset(self.region(address) for address in addresses)
        whole = np.prod([len(values) for values in ranges.values()], dtype=int)
        return Extent(regions, addresses, len(addresses) == whole)

    def resolved(self, e: ast.expr, scope: Scope) -> ast.expr:
        """Return an integer expression in terms of loop variables and arguments."""
        tree: ast.expr = _Replaced(scope.integers).visit(_copy(e))
        return ast.fix_missing_locations(tree)


def _terms(e: ast.expr, sign: int = 1) -> Iterable[tuple[int, ast.expr]]:
    """Return the terms of a sum with their signs."""
    match e:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign if isinstance(op, ast.Add) else -sign)
        case _:
            yield sign, e


def _copy(e: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(e), mode="eval").body


_OPERATIONS: Mapping[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}


class _Replaced(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, values: Mapping[str, ast.expr]):
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.values.get(node.id, node)
        return ast.Name(value.id, node.ctx) if isinstance(value, ast.Name) else value


def replaced(tree: ast.AST, values: Mapping[str, ast.expr]) -> Any:
    """Return a syntax tree in which names are replaced by expressions; the tree is changed."""
    return ast.fix_missing_locations(_Replaced(values).visit(tree))
