"""Lowering of kernels: names of numbers in the record become indices of flat arrays, as generated modules need them.

The notation of kernels is numpy's basic indexing. The expressions below become:

- a number, `R.reduced_rows[k, h]`: an entry, `R[REDUCED_ROWS + 6 * k + h]`;
- a view, such as `R.reduced_rows[k]`, `R.reduced_rows[:, h]` or `R.row_bias[first:]`: its address, `ROW_BIAS + first`.
  A view may have a name (`L = R.delassus_factors.matrix(rooted.factor, m)`) and be an argument;
- a copy, `R.p[:] = R.momentum`: a call of the kernel `copy`;
- a column of a table's row, `rooted.factor` after `rooted = ROOTED[k]`: an entry, `ROOTED[6 * k + 4]`. The assignment
  itself leaves no text.

Arguments that are views have annotations: `Vector`; `Annotated[Vector, "stride"]` for numbers that are `stride`
entries apart, which become two arguments; `Annotated[Matrix, "m"]` for rows of m numbers; or the class of a block. Such
a view is part of the first array among the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..infrastructure.cached_properties import cached_property
from ..record.flat_names import size_name
from ..record.schema import TABLES
from .addresses import named, product, total
from .places import ARRAYS, BLOCKS, PARTS, LoweringError, Place, Places

__all__ = ["Lowering", "LoweringError", "annotation", "lowered"]

Known = Callable[[str], ast.FunctionDef | None]


def lowered(tree: ast.FunctionDef, known: Known = lambda name: None) -> ast.FunctionDef:
    """Return the flat function of a kernel, without type annotations; `tree` does not change.

    `known` returns the tree of a called kernel from its name, None for other functions. Raises LoweringError.
    """
    return Lowering(tree, known).function()


class Lowering(Places):
    """The lowering of one function; flat text has neither names of numbers nor views."""

    def __init__(self, tree: ast.FunctionDef, known: Known = lambda name: None):
        super().__init__(tree)
        self.known = known
        self.rows: dict[str, tuple[str, ast.expr]] = {}  #: names of rows of tables: table and index
        self.accesses: set[tuple[str, str, str]] = set()  #: "reads" or "writes", array, region
        self.given: set[tuple[str, str, str]] = set()  #: views that are arguments: function, its argument, region
        self.numbers = {a.arg for a in tree.args.args}  #: arguments, and locals assigned up to here, that are numbers

    @cached_property
    def with_attributes(self) -> set[str]:
        """Names whose attributes the function uses. If assigned from a table, these are rows, others integers."""
        nodes = (n.value for n in ast.walk(self.tree) if isinstance(n, ast.Attribute))
        return {n.id for n in nodes if isinstance(n, ast.Name)}

    # -- the function ------------------------------------------------------------------------------------------

    def function(self) -> ast.FunctionDef:
        """Return the flat function."""
        parameters = [b for a in self.tree.args.args for b in self.parameter(a)]
        arguments = ast.arguments([], parameters, None, [], [], None, [])
        changed = {"args": arguments, "body": self.block(self.tree.body), "returns": None}
        return ast.copy_location(ast.FunctionDef(**dict(ast.iter_fields(self.tree)) | changed), self.tree)

    def parameter(self, a: ast.arg) -> list[ast.arg]:
        """Note what an argument is, and return the arguments of the flat function in its place."""
        kind, more = annotation(a)
        if kind in ARRAYS:
            self.arrays[a.arg] = ARRAYS[kind]
        elif kind in ("Vector", "Matrix") or kind in BLOCKS:
            of = Place(next(iter(self.arrays), "R"), (named(a.arg),), "vector", region=f"<{a.arg}>")
            columns = ast.parse(more, mode="eval").body if more else None
            if kind in BLOCKS:
                self.views[a.arg] = Place(of.array, of.terms, "block", block=BLOCKS[kind], region=of.region)
            else:
                self.views[a.arg] = Place(
                    of.array, of.terms, "vector" if kind == "Vector" else "matrix", columns, region=of.region
                )
            if kind == "Vector" and more:
                return [ast.arg(a.arg), ast.arg(more)]
        return [ast.arg(a.arg)]

    # -- statements --------------------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the flat statements of a block; names of rows that it introduces end with it."""
        rows = dict(self.rows)
        result = [new for k, s in enumerate(body) for new in self.statement(s, body[k + 1 :])]
        self.rows = rows
        return result

    def statement(self, s: ast.stmt, rest: list[ast.stmt]) -> list[ast.stmt]:
        """Return the flat statements of one statement, which `rest` follows in its block."""
        match s:
            case ast.Expr(value=ast.Constant()):
                return [s]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.statement(ast.copy_location(ast.Assign([target], value), s), rest)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if (new := self.assigned(s, name, value, rest)) is not None:
                    return new
            case ast.Assign(targets=[ast.Subscript() as target], value=value) if place := self.place(target):
                if place.kind != "number":
                    return [self.copied(s, place, self.place(value))]
            case ast.AugAssign(target=target) if place := self.place(target):
                self.note("reads", place)
        return [self.copied_statement(s)]

    def copied_statement(self, s: ast.stmt) -> ast.stmt:
        """Return a statement with flat expressions and blocks."""
        fields: list[object] = []
        for _, value in ast.iter_fields(s):
            if isinstance(value, ast.expr):
                fields.append(self.value(value))
            elif isinstance(value, list) and value:
                fields.append(self.block(value) if isinstance(value[0], ast.stmt) else [self.value(v) for v in value])
            else:
                fields.append(value)
        return ast.copy_location(type(s)(*fields), s)

    def assigned(self, s: ast.Assign, name: str, value: ast.expr, rest: list[ast.stmt]) -> list[ast.stmt] | None:
        """Note what a name stands for; return flat statements if it is a row or view, None to copy the statement."""
        match value:
            case ast.Subscript(value=ast.Name(id=table), slice=index) if (
                table in TABLES and TABLES[table].row and name in self.with_attributes
            ):
                self.name_row(s, name, table, index, rest)
                return []
            case ast.Attribute(value=ast.Name(id=array), attr="second" | "tangents") if array in self.arrays:
                self.arrays[name] = self.arrays[array]
                return None
        place = self.place(value)
        if place is not None and place.kind != "number":
            return [self.name_view(s, name, place, rest)]
        if name in self.views:
            raise self.refused(s, f"{name} is the name of a view: give the number another name")
        self.numbers.add(name)
        return None

    def name_row(self, s: ast.stmt, name: str, table: str, index: ast.expr, rest: list[ast.stmt]) -> None:
        """Note the name of a table's row. Each use repeats the index, which therefore must not change."""
        if name in self.arrays or name in self.views or name in self.numbers:
            raise self.refused(s, f"{name} already has another meaning: give the row another name")
        self.refuse_changes(s, name, index, rest)
        if self.changes(name, rest):
            raise self.refused(s, f"{name} is assigned again: give the second row another name")
        self.rows[name] = table, self.value(index)

    def name_view(self, s: ast.Assign, name: str, place: Place, rest: list[ast.stmt]) -> ast.stmt:
        """Give a view a name: an integer in the flat text."""
        before = self.views.get(name)
        if name in self.arrays or (before and (before.kind, before.block) != (place.kind, place.block)):
            raise self.refused(s, f"{name} already has another meaning: give the view another name")
        if name in self.numbers and before is None:
            raise self.refused(s, f"{name} is the name of a number: give the view another name")
        if place.kind == "vector" and place.columns is not None:
            raise self.refused(s, "a column of a matrix has two numbers, address and distance: use it as an argument")
        if place.columns is not None:
            self.refuse_changes(s, name, place.columns, rest)
        self.views[name] = Place(
            place.array, (named(name),), place.kind, place.columns, place.block, None, place.region
        )
        first = place.terms[0]
        if isinstance(first, ast.Name) and first.id == name:
            return ast.copy_location(ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), total(place.terms[1:])), s)
        return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], place.address), s)

    def refuse_changes(self, s: ast.stmt, name: str, of: ast.expr, rest: list[ast.stmt]) -> None:
        """Refuse a name for a row or view if a number on which it depends changes in the statements behind it."""
        for n in (n.id for n in ast.walk(of) if isinstance(n, ast.Name) and self.changes(n.id, rest)):
            raise self.refused(s, f"{n} changes while {name} is in use: assign {name} after the change")

    def changes(self, name: str, rest: list[ast.stmt]) -> bool:
        """Return whether statements assign to a name."""
        return any(rest[0].lineno <= line <= (rest[-1].end_lineno or 0) for line in self.stores.get(name, ()) if rest)

    @cached_property
    def stores(self) -> dict[str, list[int]]:
        """Lines of the function in which its names are assigned."""
        lines: dict[str, list[int]] = {}
        for n in ast.walk(self.tree):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                lines.setdefault(n.id, []).append(n.lineno)
        return lines

    def copied(self, s: ast.stmt, target: Place, source: Place | None) -> ast.stmt:
        """Return a copy of numbers: a call of `copy`, or of `copy_across` between two arrays."""
        if source is None or {target.kind, source.kind} != {"vector"} or target.columns or source.columns:
            raise self.refused(s, "only vectors of contiguous numbers are copied: write a loop")
        lengths = [length for length in (target.length, source.length) if length is not None]
        if not lengths:
            raise self.refused(s, "no length is known: give the end of a slice")
        self.note("reads", source)
        self.note("writes", target)
        shortest = min(lengths, key=lambda e: sum(1 for _ in ast.walk(e)))
        arguments = [named(source.array), source.address, target.address, shortest]
        if source.array != target.array:
            arguments.insert(2, named(target.array))
        called = "copy" if source.array == target.array else "copy_across"
        return ast.copy_location(ast.Expr(ast.Call(named(called), arguments, [])), s)

    # -- expressions -------------------------------------------------------------------------------------------

    def value(self, e: ast.expr) -> ast.expr:
        """Return the flat expression of a number, or of the address of a view."""
        if isinstance(e, PARTS):
            if (place := self.place(e)) is not None:
                return self.flat(e, place)
            match e:
                case ast.Name():
                    return e
                case ast.Attribute():
                    return self.attribute(e)
                case ast.Call(func=ast.Name(id=called)):
                    return ast.Call(e.func, self.arguments(called, e.args), e.keywords)
        return e if isinstance(e, ast.Constant) else type(e)(*(self.field(getattr(e, name)) for name in e._fields))

    def field(self, value: Any) -> Any:
        """Return the flat form of a field of an expression: of an expression or several; others stay."""
        if isinstance(value, ast.expr):
            return self.value(value)
        return [self.field(v) for v in value] if isinstance(value, list) else value

    def flat(self, e: ast.expr, place: Place) -> ast.expr:
        """Return the number at a place, or the address of a view."""
        if place.kind != "number":
            return place.address
        context = getattr(e, "ctx", ast.Load())
        self.note("writes" if isinstance(context, ast.Store) else "reads", place)
        return ast.Subscript(named(place.array), place.address, context)

    def attribute(self, e: ast.Attribute) -> ast.expr:
        """Return the flat expression of an attribute that is not part of an array."""
        match e.value, e.attr:
            case ast.Subscript(value=ast.Name(id=table), slice=index), column if table in TABLES:
                return self.entry(e, table, self.value(index), column)
            case ast.Name(id=row), column if row in self.rows:
                return self.entry(e, *self.rows[row], column)
            case ast.Name(id=block), "size" if block in BLOCKS:
                return named(size_name(BLOCKS[block]))
            case ast.Name(id=array), "second" | "tangents" as part if array in self.arrays:
                return ast.Call(named("tail" if part == "second" else "rows"), [named(array), named("TAIL")], [])
            case inner, "address" if view := self.place(inner):
                return view.address
            case ast.Name(id=array), name if array in self.arrays:
                raise self.refused(e, f"{self.arrays[array].__name__} has no {name}: declare it in record/schema.py")
            case inner, name if view := self.place(inner):
                raise self.refused(e, f"a {view.block.__name__ if view.block else view.kind} has no {name}")
        return e

    def entry(self, e: ast.expr, table: str, index: ast.expr, column: str) -> ast.expr:
        """Return an entry of a table."""
        declared = TABLES[table]
        if column not in declared.columns:
            raise self.refused(e, f"{table} has no column {column}: it has {', '.join(declared.columns)}")
        if declared.separate:
            return ast.Subscript(named(declared.separate[column]), index, ast.Load())
        row = product(index, ast.Constant(len(declared.columns)))
        return ast.Subscript(named(table), total([*row, ast.Constant(declared.columns.index(column))]), ast.Load())

    def arguments(self, called: str, given: list[ast.expr]) -> list[ast.expr]:
        """Return the flat arguments of a call; a column of a matrix becomes two."""
        tree = self.known(called)
        if tree is None:
            return [self.value(a) for a in given]
        if len(given) != len(tree.args.args):
            raise self.refused(given[0], f"{called} takes {len(tree.args.args)} arguments, it is given {len(given)}")
        result = []
        for a, parameter in zip(given, tree.args.args, strict=True):
            kind, more = annotation(parameter)
            place = self.place(a)
            result.append(self.value(a))
            if place is not None and place.kind != "number":
                self.given.add((called, parameter.arg, place.region))
            distance = place.columns if place is not None and place.kind == "vector" else None
            if kind == "Vector" and more:
                result.append(distance or ast.Constant(1))
            elif distance is not None:
                raise self.refused(
                    a, f"{called} takes contiguous numbers, those of a column are apart: copy it, or annotate"
                )
            if kind == "Vector" and place is not None and place.kind == "matrix":
                raise self.refused(a, f"{called} takes a vector, this is a matrix: add .flat, or a row")
        return result

    def note(self, access: str, place: Place) -> None:
        """Note that the function reads or writes a part of an array."""
        self.accesses.add((access, place.array, place.region))


def annotation(a: ast.arg) -> tuple[str, str]:
    """Return the class in an argument's annotation, and the text that `Annotated` adds: length of a row or distance."""
    match a.annotation:
        case ast.Name(id=kind):
            return kind, ""
        case ast.Subscript(
            value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[ast.Name(id=kind), ast.Constant(value=str(more))])
        ):
            return kind, more
    return "", ""
