"""Expressions to source text: common subexpressions once, readable temporaries, tangents on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from ..lazy_dataclasses import dataclass
from ..record.layout import BASES, Direction, Directions, Layout, Load, Local, bound
from .expressions import ZERO, Expression, is_literal, leaf
from .graph import by_creation, derivative, rebuild, topological

Target = Load | Local
Assignment = tuple[Target, Expression]

INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}
TABLES = {"table": "interpolate", "slope": "interpolated_slope", "area": "interpolated_area", "spline": "spline"}
#: What a number of a region is called in the text, where it is not as the region.
SHORT = {
    "sines": "sin", "cosines": "cos", "driven_sines": "sin", "driven_cosines": "cos", "constants": "k",
    "parameters": "parameter", "inputs": "input", "values": "number", "": "x", "bodies": "k",
}  # fmt: skip
WIDTH = 96  #: a nested formula longer than this gets a temporary of its own


def shared(roots: Sequence[Expression]) -> list[Expression]:
    """The same formulas with equal subexpressions made one node; what it is given stays as it is."""
    table: dict[object, Expression] = {}
    merged: dict[int, Expression] = {}
    for node in topological(roots):
        args = tuple(merged[id(a)] for a in node.args)
        ids = [id(a) for a in args]
        if node.op in ("add", "mul"):
            ids.sort()
        key = (node.op, tuple(ids), node.value)
        found = table.get(key)
        if found is None:
            found = table[key] = _like(node, args)
        found.name = found.name or node.name
        found.order = min(found.order, node.order)
        merged[id(node)] = found
    return [merged[id(root)] for root in roots]


def _like(node: Expression, args: tuple[Expression, ...]) -> Expression:
    new = Expression(node.op, args, node.value, node.name)
    new.order = node.order
    return new


def is_constant(load: Load) -> bool:
    """Whether a number is one that no state, input or tunable parameter changes."""
    return load.region in ("constants", "gravity", "values", "rotors", "driven_rotors")


def tangents(
    assignments: Sequence[Assignment], constant: Callable[[Load], bool], direction: Direction
) -> list[Assignment]:
    """The assignments' forward tangents along one direction.

    `constant(address)` tells the addresses whose tangent is zero.
    """

    def seed(reference: object) -> Expression:
        assert isinstance(reference, (Load, Local))
        if isinstance(reference, Load) and constant(reference):
            return ZERO
        return leaf(direction.of(reference))

    derivatives = derivative([e for _, e in assignments], seed)
    return [(direction.of(target), d) for (target, _), d in zip(assignments, derivatives, strict=True)]


def saved(x: Expression) -> Expression:
    """Mark a value of the first pass as one that the second pass starts from (see `split_passes`)."""
    return x if x.op == "const" else Expression("saved", (x,))


def split_passes(
    first: list[Assignment], second: list[Assignment], late: Callable[[object], bool]
) -> tuple[list[Assignment], list[Assignment], int]:
    """Make the second pass use saved values of the first.

    `late(reference)` tells leaves that only the second pass knows; what is marked by `saved` counts
    as late as well. Every largest subexpression of the second pass without a late part is computed
    in the first one and saved in region `saved`; addresses are loaded again.
    Returns both passes and the number of doubles saved.
    """
    roots = shared([e for _, e in first] + [e for _, e in second])
    first = [(t, e) for (t, _), e in zip(first, roots, strict=False)]
    second = [(t, e) for (t, _), e in zip(second, roots[len(first) :], strict=True)]
    is_late: dict[int, bool] = {}
    for node in topological(roots):
        if node.op == "leaf":
            is_late[id(node)] = late(node.value)
        else:
            is_late[id(node)] = node.op == "saved" or any(is_late[id(a)] for a in node.args)
    places: dict[int, tuple[Expression, Load]] = {}

    def keep(node: Expression) -> None:
        again = node.op == "const" or node.op == "leaf" and isinstance(node.value, Load)
        if not again and id(node) not in places:
            places[id(node)] = (node, Load("R", "saved", len(places), BASES["saved"]))

    outputs = [e for _, e in second]
    for node in topological(outputs):
        if is_late[id(node)]:
            for a in node.args:
                if not is_late[id(a)]:
                    keep(a)
    for node in outputs:
        if not is_late[id(node)]:
            keep(node)
    loads = {key: leaf(address, node.name) for key, (node, address) in places.items()}
    loads |= {id(n): loads.get(id(n.args[0]), n.args[0]) for n in topological(roots) if n.op == "saved"}
    outputs = rebuild(outputs, lambda node: loads.get(id(node)))
    first = [*((address, node) for node, address in places.values()), *first]
    return first, [(t, e) for (t, _), e in zip(second, outputs, strict=True)], len(places)


@dataclass
class Block:
    """Straight-line code for a list of assignments; all right sides see the values from before it.

    Here names become addresses, of this layout.
    """

    assignments: Sequence[Assignment]
    layout: Layout
    accumulate: frozenset[Target] = frozenset()

    @cached_property
    def roots(self) -> list[Expression]:
        """The right sides, with equal subexpressions made one."""
        return shared([e for _, e in self.assignments])

    @cached_property
    def order(self) -> list[Expression]:
        """All formulas in them."""
        return by_creation(self.roots)

    def bases(self) -> frozenset[str]:
        """The index variables that the code uses."""
        used = [*(node.value for node in self.order if node.op == "leaf"), *(target for target, _ in self.assignments)]
        return frozenset(place.base for place in used if isinstance(place, Load))

    def parts(self) -> tuple[list[str], dict[str, str]]:
        """The lines that set addresses, and behind them the value of each local that is assigned."""
        writer = _Writer(self.order, self.roots, [t for t, _ in self.assignments], self.layout)
        for node in self.order:
            writer.visit(node)
        memory, local = [], {}
        for (target, _), root in zip(self.assignments, self.roots, strict=True):
            text = writer.text(root)
            if isinstance(target, Local):
                local[target.name] = text
                continue
            place = address(target, self.layout)
            if text != place:
                memory.append(f"{place} {'+=' if target in self.accumulate else '='} {text}")
        return writer.out + memory, local


class _Writer:
    """Turns nodes into text; a node used once is written where it is used."""

    def __init__(self, order: list[Expression], roots: Iterable[Expression], targets: Sequence[Target], layout: Layout):
        self.layout = layout
        self.targets = frozenset(targets)
        self.out: list[str] = []
        self.written: dict[int, tuple[str, int]] = {}
        self.names: set[str] = {str(n.value.name) for n in order if n.op == "leaf" and isinstance(n.value, Local)}
        self.count = 0
        self.uses: dict[int, int] = {}
        for node in order:
            for a in node.args:
                self.uses[id(a)] = self.uses.get(id(a), 0) + 1
        for root in roots:
            self.uses[id(root)] = self.uses.get(id(root), 0) + 1

    def fresh(self, hint: str | None) -> str:
        while True:
            self.count += 1
            name = f"{hint or 't'}_{self.count}"
            if name not in self.names:
                self.names.add(name)
                return name

    def text(self, node: Expression, level: int = 0) -> str:
        text, precedence = self.written[id(node)]
        return f"({text})" if precedence < level else text

    def visit(self, node: Expression) -> None:
        if node.op == "const":
            text = repr(node.value)
            self.written[id(node)] = (text, 9 if node.value >= 0 else 0)
        elif node.op == "leaf":
            self._leaf(node)
        elif node.op in ("sin", "cos"):
            self._sincos(node)
        else:
            text, precedence = self._formula(node)
            if self.uses[id(node)] > 1 or len(text) > WIDTH:
                hint = "is" if node.op in ("lt", "le") else node.name  # a name of its own: it is no number
                text, precedence = self._assign(hint, text), 9
            self.written[id(node)] = (text, precedence)

    def _assign(self, hint: str | None, text: str) -> str:
        name = self.fresh(hint)
        self.out.append(f"{name} = {text}")
        return name

    def _leaf(self, node: Expression) -> None:
        text = address(node.value, self.layout)
        if isinstance(node.value, Load) and (self.uses[id(node)] > 1 or node.value in self.targets):
            text = self._assign(node.name or SHORT.get(node.value.region, node.value.region), text)
        self.written[id(node)] = (text, 9)

    def _sincos(self, node: Expression) -> None:
        angle = node.args[0]
        key = -id(angle)
        if key not in self.written:
            sine, cosine = self.fresh("s"), self.fresh("c")
            self.out.append(f"{sine}, {cosine} = sincos({self.text(angle)})")
            self.written[key] = (f"{sine} {cosine}", 9)
        self.written[id(node)] = (self.written[key][0].split()[node.op == "cos"], 9)

    def _formula(self, node: Expression) -> tuple[str, int]:
        if node.op in INFIX:
            symbol, level = INFIX[node.op]
            left, right = node.args
            return f"{self.text(left, level)} {symbol} {self.text(right, level + 1)}", level
        if node.op == "neg":
            return f"-{self.text(node.args[0], 2)}", 1
        if node.op in TABLES:
            start, *whole = node.value  # how many points; of a spline the order too
            given = ", ".join([str(bound(start, self.layout)), *map(str, whole), self.text(node.args[0])])
            return f"{TABLES[node.op]}(R, {given})", 9
        function = "power" if node.op == "pow" else node.op
        return f"{function}({', '.join(self.text(a) for a in node.args)})", 9


def address(target: Target, layout: Layout) -> str:
    """An address as the generated source writes it."""
    if isinstance(target, Local):
        return target.name
    place = bound(target, layout) if target.region else 0
    if not target.base:
        return f"{target.array}[{place}]"
    return f"{target.array}[{target.base} + {place}]" if place else f"{target.array}[{target.base}]"


def with_tangents(
    assignments: Sequence[Assignment],
    along: Directions,
    constant: Callable[[Load], bool] = is_constant,
    accumulate: bool = False,
) -> list[Assignment]:
    """The assignments and their tangents, in one block; zeros need not be accumulated."""
    out = list(assignments)
    for direction in along:
        dual = tangents(out, constant, direction)
        out += [(t, d) for t, d in dual if not (accumulate and is_literal(d, 0.0))]
    return out
