"""Laws: assignments of expressions to numbers of the record. Their literal numbers are moved to the record too."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from typing import ClassVar

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.frozen_arrays import FrozenArray, Numbers
from ...infrastructure.lazy_dataclasses import dataclass
from ...record.layout import Layout, Load, bound
from ...symbolic.emit import TABLES, shared
from ...symbolic.expressions import Expression, leaf
from ...symbolic.graph import rebuild, remake, topological
from ...symbolic.polyhedra import OPERATIONS
from ...symbolic.surfaces import basis_of_cells
from ...symbolic.tables import areas

KEPT_LITERALS = (0.0, 1.0, -1.0, 0.5, 2.0)  #: literals that stay in the text; any other becomes a number of the record


@dataclass(frozen=True)
class Form:
    """The form of a law: its formulas with placeholders for the addresses.

    `key` is equal for laws of the same form. `addresses` are listed in the order in which the form uses them; `read`
    are the indices of those that formulas read.
    """

    key: Hashable
    addresses: list[Load]
    read: list[int]


LINKED = {"pose": 12, "twist": 6, "wrench": 6}  #: numbers of a link in regions that laws of forces use
OF_STATES = ("z", "z_dot")
OF_PARTS = ("part_numbers", "measures", "bounds", "centers")  #: regions with a block for each part of a force
Carrier = tuple[str, int]  #: a "link" or a "state" with its number, or a region of OF_PARTS with zero


def carrier_of(address: Load) -> tuple[Carrier, int]:
    """Return the link or state to which an address belongs, and the distance to that of the next one; 0 if to none.

    All blocks of parts in a region have one carrier, whose number is the distance to the block of the law.
    """
    if address.region in LINKED:
        stride = LINKED[address.region]
        return ("link", address.offset // stride), stride
    if address.region in OF_PARTS:
        return (address.region, 0), 1
    return ("state", address.offset), int(address.region in OF_STATES)


@dataclass(frozen=True)
class Move:
    """New links and states of a law, by those of the law with its formulas."""

    numbers: Mapping[Carrier, int]

    def __call__(self, address: Load) -> Load:
        """Return the address that takes the place of another one."""
        carrier, stride = carrier_of(address)
        further = stride * (self.numbers.get(carrier, carrier[1]) - carrier[1])
        return replace(address, offset=address.offset + further) if further else address


STAY = Move({})  #: the move of a law with formulas of its own


@dataclass(frozen=True)
class Unless:
    """A number while which is not positive a law changes nothing; NaN counts as positive.

    bound: a number of the record, or None; while it is not positive, neither is the number.
    """

    number: Expression
    bound: Expression | None = None


@dataclass(frozen=True)
class Law:
    """Assignments that belong together.

    accumulate: values are added to the numbers at their addresses, except for the last ones, as many as `replacing`.
    """

    assignments: list[tuple[Load, Expression]]
    label: str
    accumulate: bool = False
    unless: Unless | None = None
    replacing: int = 0

    move: ClassVar[Move] = STAY  #: from the addresses of `pattern` to those of the law

    @property
    def pattern(self) -> Law:
        """The law that contains the formulas: the law itself, unless these are the formulas of another one."""
        return self

    @property
    def own(self) -> Law:
        """The law with formulas at its own addresses."""
        return self

    @property
    def formulas(self) -> list[Expression]:
        """Formulas of the law, without those that another law contains at other addresses."""
        return [e for _, e in self.assignments]

    @property
    def reads(self) -> set[Load]:
        """Addresses that the law reads."""
        return {self.form.addresses[k] for k in self.form.read}

    def lifted(self, values: Values, done: Mapping[int, Law]) -> Law:
        """Return the law with its literal numbers in the record; done: laws that have been lifted before, by id."""
        return self.with_roots(values.lift_all(self.roots))

    @property
    def roots(self) -> list[Expression]:
        """All right-hand sides, and then the number and the bound of `unless`."""
        numbers = [] if self.unless is None else [self.unless.number, self.unless.bound]
        return [*(e for _, e in self.assignments), *(x for x in numbers if x is not None)]

    @property
    def targets(self) -> list[Load]:
        """Addresses that the law sets."""
        return [target for target, _ in self.assignments]

    @cached_property
    def carried(self) -> dict[Carrier, tuple[np.ndarray, np.ndarray]]:
        """Addresses of the form by what they belong to: their numbers, and the distances to those of the next one."""
        columns: dict[Carrier, list[tuple[int, int]]] = {}
        for slot, address in enumerate(self.form.addresses):
            carrier, stride = carrier_of(address)
            if stride:
                columns.setdefault(carrier, []).append((slot, stride))
        return {carrier: tuple(np.array(slots).T) for carrier, slots in columns.items()}  # type: ignore[misc]

    def with_roots(self, roots: Sequence[Expression], move: Callable[[Load], Load] = lambda load: load) -> Law:
        """Return the law with other right-hand sides, in the order of `roots`, and moved targets."""
        pairs = [(move(target), root) for target, root in zip(self.targets, roots, strict=False)]
        numbers = roots[len(pairs) :]
        return replace(self.pattern, assignments=pairs, unless=Unless(*numbers) if numbers else None)

    @cached_property
    def form(self) -> Form:
        """The form of the law, computed once for all functions that contain it."""
        roots = shared(self.roots)
        slots: dict[Load, int] = {}
        targets = tuple(slots.setdefault(target, len(slots)) for target in self.targets)
        number: dict[Expression, int] = {}
        read: list[int] = []
        nodes: list[Hashable] = []
        for node in topological(roots):
            if node.op == "leaf":
                read.append(slots.setdefault(node.value, len(slots)))
                nodes.append((node.value.array, read[-1]))
            else:
                nodes.append((node.op, tuple(number[a] for a in node.args), node.value))
            number[node] = len(number)
        key = (tuple(nodes), targets, tuple(number[r] for r in roots), self.accumulate, self.replacing)
        return Form(key, list(slots), read)


class MovedLaw(Law):
    """A law with the formulas of another one, at other addresses; nothing is traced for it."""

    def __init__(self, like: Law, move: Move):
        object.__setattr__(self, "like", like)
        object.__setattr__(self, "move", move)
        object.__setattr__(self, "label", like.label)
        object.__setattr__(self, "accumulate", like.accumulate)
        object.__setattr__(self, "unless", like.unless)
        object.__setattr__(self, "replacing", like.replacing)

    like: Law
    move: Move  # type: ignore[misc]

    @property
    def pattern(self) -> Law:
        return self.like

    @cached_property
    def own(self) -> Law:  # type: ignore[override]
        roots = rebuild(self.like.roots, lambda n: leaf(self.move(n.value)) if n.op == "leaf" else None)
        return self.like.with_roots(roots, self.move)

    @property
    def assignments(self) -> list[tuple[Load, Expression]]:  # type: ignore[override]
        return self.own.assignments

    @property
    def formulas(self) -> list[Expression]:
        return []

    @cached_property
    def form(self) -> Form:
        form = self.like.form
        return Form(form.key, [self.move(address) for address in form.addresses], form.read)

    def lifted(self, values: Values, done: Mapping[int, Law]) -> Law:
        return MovedLaw(done[id(self.like)], self.move)


def indices(laws: Sequence[Law], layout: Layout) -> np.ndarray:
    """Return the indices in the record of the addresses of laws of one form, (laws, addresses)."""
    patterns: dict[int, np.ndarray] = {}
    table = np.empty((len(laws), len(laws[0].pattern.form.addresses)), dtype=np.int64)
    for row, law in zip(table, laws, strict=True):
        pattern = law.pattern
        if id(pattern) not in patterns:
            patterns[id(pattern)] = np.array([bound(address, layout) for address in pattern.form.addresses])
        row[:] = patterns[id(pattern)]
        for carrier, new in law.move.numbers.items():
            if carrier in pattern.carried:
                slots, strides = pattern.carried[carrier]
                row[slots] += strides * (new - carrier[1])
    return table


@dataclass
class Values:
    """Region `values`: literal numbers of laws and data of their tables, moved from the text into the record.

    parts: numbers that follow each other. A table may have millions, which stay in the arrays that contain them.
    """

    parts: list[Numbers] = field(default_factory=list)
    size: int = 0
    known: dict[object, Load] = field(default_factory=dict)

    def place(self, key: object, *parts: Numbers) -> Load:
        """Return the address of the first of these numbers; they are added unless the key is known."""
        if key not in self.known:
            self.known[key] = Load("R", "values", self.size)
            self.parts += parts
            self.size += sum(map(len, parts))
        return self.known[key]

    def write(self, R: np.ndarray) -> None:
        """Write all numbers to an array, (size,)."""
        start = 0
        for part in self.parts:
            R[start : start + len(part)] = part.array if isinstance(part, FrozenArray) else part
            start += len(part)

    def lift(self, laws: list[Law]) -> list[Law]:
        """Return the laws with their literal numbers replaced by addresses."""
        lifted: dict[int, Law] = {}
        for law in laws:
            for one in (law.pattern, law):  # other laws may have the formulas of one that is not among them
                if id(one) not in lifted:
                    lifted[id(one)] = one.lifted(self, lifted)
        return [lifted[id(law)] for law in laws]

    def lift_tables(self, expressions: Sequence[Expression]) -> list[Expression]:
        """Return formulas with the data of their tables in the record; literal numbers stay in the text."""
        return rebuild(expressions, lambda node: None, self._with_data)

    def lift_all(self, expressions: Sequence[Expression]) -> list[Expression]:
        return rebuild(expressions, self._number, self._with_data)

    def _number(self, node: Expression) -> Expression | None:
        if node.op == "const" and node.value not in KEPT_LITERALS:
            return leaf(self.place(node.value, [node.value]))
        return None

    def _with_data(self, node: Expression, args: list[Expression]) -> Expression:
        """Return the node with new operands and, for a table, with its data in the record."""
        if node.op not in TABLES or isinstance(node.value[0], Load):
            return remake(node, args)
        if node.op == "spline":
            knots, coefficients, order = node.value
            start = self.place((node.op, knots, coefficients), knots, coefficients)
            return Expression(node.op, tuple(args), (start, len(knots) - 1, order))
        if node.op == "surface":
            (x, dx, nx), (y, dy, ny), coefficients, *orders = node.value
            start = self.place((node.op, *node.value[:3]), [x, dx, y, dy], coefficients)
            return Expression(node.op, tuple(args), (start, nx, ny, *orders))
        if node.op == "uneven_surface":
            (x, dx, nx), knots, coefficients, *orders = node.value
            parts = [x, dx], knots, basis_of_cells(knots).ravel(), coefficients
            start = self.place((node.op, *node.value[:3]), *parts)
            return Expression(node.op, tuple(args), (start, nx, len(knots), *orders))
        if node.op in (*OPERATIONS, "nearest"):
            numbers, *counts = node.value
            return Expression(node.op, tuple(args), (self.place(("numbers", numbers), numbers), *counts))
        points, values = node.value
        if values is None:  # they are numbers of the record already
            start = self.place((points, None), points)
        elif node.op == "area":
            start = self.place(("area", node.value), points, values, areas(points, values))
        else:
            start = self.place(node.value, points, values)
        return Expression(node.op, tuple(args), (start, len(points)))
