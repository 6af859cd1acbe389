"""Parts of arrays that expressions of kernels stand for: numbers and views (lowering.py), each with its address.

`R.reduced_rows[k, h]` is a number, `R.reduced_rows[k]`, `R.reduced_rows[:, h]` and `R.row_bias[first:]` are views. All
expressions are syntax trees (ast.expr), as are the addresses, which are sums.
"""

from __future__ import annotations

import ast
import functools
from typing import Literal, NamedTuple

from ..record import schema
from ..record.fields import Declaration, Struct, is_array
from ..record.flat_names import name_of, size_name
from .addresses import difference, extent, named, product, terms_of, total

TRIANGLE = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  #: order of the numbers of a symmetric matrix
#: Arrays with named numbers, by the annotation of an argument.
ARRAYS: dict[str, type] = {
    name: value for name, value in vars(schema).items() if isinstance(value, type) and is_array(value)
}
BLOCKS: dict[str, type[Struct]] = schema.BLOCKS
#: Methods of the record that return a block of an elastic body or of a node, from an index in region `elastic`.
BLOCKS_AT = {"elastic_block": schema.ElasticBlock, "node_block": schema.NodeBlock}

PARTS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)  #: expressions that may stand for a part of an array

Kind = Literal["number", "vector", "matrix", "blocks", "block", "symmetric"]


class LoweringError(NotImplementedError):
    """Error for a kernel that cannot be lowered; the message states function, line, expression and reason."""


class Place(NamedTuple):
    """A part of an array.

    array: name of the array.
    terms: index of its first number in the array, as the terms of a sum.
    kind: "block" is one block of named numbers, "blocks" are several, one after the other; "symmetric" is the upper
    triangle of a 3 x 3 matrix.
    columns: length of a matrix's rows, None if unknown; distance of a vector's numbers, None if they are contiguous.
    block: class of a block, or of several.
    length: length of a vector, None if unknown.
    region: region of the array, or `<name>` for a part of the argument `name`.
    """

    array: str
    terms: tuple[ast.expr, ...]
    kind: Kind
    columns: ast.expr | None = None
    block: type[Struct] | None = None
    length: ast.expr | None = None
    region: str = ""

    @property
    def address(self) -> ast.expr:
        """The address of its first number."""
        return total(self.terms)

    def after(self, *terms: ast.expr) -> Place:
        """Return the part of the same kind that begins `terms` numbers further on; its length is unknown."""
        return self._replace(terms=(*self.terms, *terms), length=None)

    def as_vector(self, *terms: ast.expr, length: ast.expr | None = None) -> Place:
        """Return the vector of contiguous numbers that begins `terms` numbers further on."""
        return Place(self.array, (*self.terms, *terms), "vector", length=length, region=self.region)

    def number(self, *terms: ast.expr) -> Place:
        """Return the number that is `terms` numbers further on."""
        return Place(self.array, (*self.terms, *terms), "number", region=self.region)


class Places:
    """The parts of arrays that the expressions of a function stand for; a subclass lowers the indices with `value`."""

    def __init__(self, tree: ast.FunctionDef):
        self.tree = tree
        self.arrays: dict[str, type] = {}  #: names of arrays, with the classes that declare their numbers
        self.views: dict[str, Place] = {}  #: names of views

    def value(self, e: ast.expr) -> ast.expr:
        """Return the flat expression of a number, or of the address of a view."""
        raise NotImplementedError

    def refused(self, node: ast.AST, reason: str) -> LoweringError:
        """Return the error for a part of the function."""
        line = getattr(node, "lineno", "?")
        return LoweringError(f"{self.tree.name}, line {line}, `{ast.unparse(node)}`: {reason}")

    def place(self, e: ast.expr) -> Place | None:
        """Return the part of an array that an expression stands for; None if it is something else."""
        if not isinstance(e, PARTS):
            return None
        match e:
            case ast.Name(id=name):
                return self.views.get(name)
            case ast.Attribute(value=ast.Name(id=array), attr=attribute) if array in self.arrays:
                return declared_place(array, self.arrays[array], attribute)
            case ast.Attribute(value=inner, attr=attribute) if of := self.place(inner):
                return self.member(of, attribute)
            case ast.Subscript(value=inner, slice=index) if of := self.place(inner):
                return self.indexed(e, of, index)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=array), attr=method), args=[at]) if array in self.arrays:
                return self.part_of_array(array, method, at)
            case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[at, *more]) if of := self.place(inner):
                return self.part_of_view(of, method, at, more)
        return None

    def member(self, of: Place, attribute: str) -> Place | None:
        """Return a member of a block, or all numbers of a matrix or of blocks."""
        if (attribute == "flat" and of.kind in ("matrix", "blocks")) or (
            attribute == "packed" and of.kind == "symmetric"
        ):
            return of.as_vector()
        if of.kind != "block" or of.block is None or not isinstance(d := vars(of.block).get(attribute), Declaration):
            return None
        return declared(of.number(named(name_of(d))), d)

    def part_of_array(self, array: str, method: str, at: ast.expr) -> Place | None:
        """Return the part of an array that a method of the array returns."""
        if method == "like" and (view := self.place(at)):
            return view._replace(array=array)
        if method == "at":
            return Place(array, tuple(terms_of(self.value(at))), "vector", region="<at>")
        if block := BLOCKS_AT.get(method):
            address = (named("ELASTIC"), *terms_of(self.value(at)))
            return Place(array, address, "block", block=block, region="elastic")
        return None

    def part_of_view(self, of: Place, method: str, at: ast.expr, more: list[ast.expr]) -> Place | None:
        """Return the part of a view that a method of the view returns."""
        terms = terms_of(self.value(at))
        match method, more:
            case "matrix", [columns]:
                return of.as_vector(*terms)._replace(kind="matrix", columns=self.value(columns))
            case "part", []:
                return of.as_vector(*terms)
            case "node_block", []:
                return of.as_vector(*terms)._replace(kind="block", block=schema.NodeBlock)
        return None

    def indexed(self, e: ast.Subscript, of: Place, index: ast.expr) -> Place:
        """Return the part of a view that an index selects."""
        match of.kind, index:
            case "vector", ast.Slice():
                return self.sliced(e, of, index)
            case "vector", ast.expr() if not isinstance(index, ast.Tuple):
                k = self.value(index)
                return of.number(*(terms_of(k) if of.columns is None else product(k, of.columns)))
            case "matrix", _:
                return self.part_of_matrix(e, of, index)
            case "blocks", ast.expr() if of.block and not isinstance(index, ast.Tuple | ast.Slice):
                return of.after(*product(self.value(index), named(size_name(of.block))))._replace(kind="block")
            case "symmetric", ast.Tuple(elts=[ast.Constant(value=i), ast.Constant(value=j)]) if (i, j) in TRIANGLE:
                return of.number(ast.Constant(TRIANGLE.index((i, j))))
        raise self.refused(e, f"a {of.kind} has no such part")

    def sliced(self, e: ast.Subscript, of: Place, index: ast.Slice) -> Place:
        """Return a slice of a vector."""
        if of.columns is not None:
            raise self.refused(e, "the numbers of a column are apart: index them")
        start = self.value(index.lower) if index.lower else ast.Constant(0)
        end = self.value(index.upper) if index.upper else of.length
        match end, of.length:
            case ast.Constant(value=int(last)), ast.Constant(value=int(length)) if last > length:
                raise self.refused(e, f"the vector has {length} numbers")
        return of.as_vector(*terms_of(start), length=difference(end, start) if end else None)

    def part_of_matrix(self, e: ast.Subscript, of: Place, index: ast.expr) -> Place:
        """Return a number, row, column or lower right part of a matrix."""
        if of.columns is None:
            raise self.refused(e, 'the length of a row is not known: annotate the argument, Annotated[Matrix, "..."]')
        i, j = index.elts if isinstance(index, ast.Tuple) and len(index.elts) == 2 else (index, None)
        match i, j:
            case ast.Tuple(), None:
                raise self.refused(e, "a matrix has two indices")
            case ast.Slice(upper=ast.expr()), _:
                raise self.refused(e, "a matrix ends with its array: give no upper bound of rows")
            case ast.Slice(lower=lower), None | ast.Slice(upper=None):
                column = j.lower if isinstance(j, ast.Slice) else None
                return of.after(*self.shift(lower, of.columns), *self.shift(column))
            case ast.Slice(lower=None), ast.expr() if not isinstance(j, ast.Slice):
                return of.after(*terms_of(self.value(j)))._replace(kind="vector")
            case ast.expr(), None | ast.Slice() if not isinstance(i, ast.Slice):
                row = of.as_vector(*self.shift(i, of.columns), length=of.columns)
                return row if j is None else self.sliced(e, row, j)
            case ast.expr(), ast.expr() if not isinstance(i, ast.Slice):
                return of.number(*self.shift(i, of.columns), *terms_of(self.value(j)))
        raise self.refused(e, "a matrix has no such part")

    def shift(self, index: ast.expr | None, columns: ast.expr | None = None) -> list[ast.expr]:
        """Return the terms of an address by which an index moves it, in rows of `columns` numbers if given."""
        if index is None:
            return []
        return terms_of(self.value(index)) if columns is None else product(self.value(index), columns)


@functools.cache
def declared_place(array: str, owner: type, attribute: str) -> Place | None:
    """Return the number or region of an array that has this name, None if there is none; `owner` declares the array."""
    d = declared_in(owner, attribute)
    if d is None:
        return None
    first = declared_in(owner, d.overlay) if d.overlay else d
    return declared(Place(array, (named(name_of(d)),), "number", region=region_of(first or d)), d)


def declared(at: Place, d: Declaration) -> Place:
    """Return what a declaration declares, at a place."""
    if d.block is not None:
        return at._replace(kind="blocks" if d.shape else "block", block=d.block)
    if not d.shape:
        return at
    if d.packed:
        return at._replace(kind="symmetric")
    if len(d.shape) == 1:
        return at._replace(kind="vector", length=extent(d.shape[0]))
    return at._replace(kind="matrix", columns=extent(d.shape[1]))


def declared_in(owner: type, attribute: str) -> Declaration | None:
    """Return the declaration of a region or number of an array, None if the array has none of this name."""
    found = next((vars(c)[attribute] for c in owner.__mro__ if attribute in vars(c)), None)
    return found if isinstance(found, Declaration) else None


def region_of(d: Declaration) -> str:
    """Return the name of the region that contains declared numbers."""
    if is_array(d.owner):
        return d.region
    return "loop_state" if d.owner is schema.LoopNumbers else "head"
