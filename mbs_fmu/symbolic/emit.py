"""Source text of expressions: common subexpressions once, readable temporaries, tangents on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.lazy_dataclasses import dataclass
from ..record.layout import BASES, DIRECTIONS, Direction, Directions, Layout, Load, Local, bound
from .expressions import ZERO, Expression, is_condition, is_literal, leaf
from .graph import by_creation, derivative, rebuild, topological

Target = Load | Local
Assignment = tuple[Target, Expression]

INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}
TABLES = {
    "table": "interpolate", "slope": "interpolated_slope", "area": "interpolated_area", "spline": "spline",
    "surface": "surface", "uneven_surface": "uneven_surface", "feature": "nearest_feature", "edge": "nearest_edge",
    "entry": "feature_entry", "nearest": "nearest_on_line",
}  # fmt: skip
#: Functions of tables whose values may change, see `tables`.
ARRAYS = {"table": "interpolate_among", "slope": "slope_among", "area": "area_among"}
#: Number of the variables of tables of several variables.
VARIABLES = {"surface": 2, "uneven_surface": 2, "feature": 3, "edge": 6, "nearest": 2}
#: Names of temporaries for numbers of a region, if these differ from the region's name.
SHORT = {
    "sines": "sin", "cosines": "cos", "driven_sines": "sin", "driven_cosines": "cos", "constants": "k",
    "parameters": "parameter", "inputs": "input", "values": "number", "part_numbers": "own", "": "x", "bodies": "k",
}  # fmt: skip
WIDTH = 96  #: a nested formula longer than this gets a temporary of its own


def shared(roots: Sequence[Expression]) -> list[Expression]:
    """Return the formulas with equal subexpressions merged into one node; the arguments do not change."""
    table: dict[object, Expression] = {}
    merged: dict[Expression, Expression] = {}
    for node in topological(roots):
        args = tuple([merged[a] for a in node.args])
        turned = node.op in ("add", "mul") and id(args[0]) > id(args[1])  # a + b and b + a have one key
        key = (node.op, node.value, *(args[::-1] if turned else args))
        common = table.get(key)
        if common is None:
            common = table[key] = _like(node, args)
        else:
            common.name = common.name or node.name
            if node.order < common.order:
                common.order = node.order
        merged[node] = common
    return [merged[root] for root in roots]


def _like(node: Expression, args: tuple[Expression, ...]) -> Expression:
    new = Expression(node.op, args, node.value, node.name)
    new.order = node.order
    return new


def array_of(node: Expression) -> tuple[Expression, ...]:
    """Return the operands of a node that are an array in the record: the values of a table that may change."""
    return node.args[VARIABLES.get(node.op, 1) :] if node.op in TABLES else ()


def is_constant(load: Load) -> bool:
    """True if no state, input or tunable parameter changes a number."""
    return load.region in ("constants", "gravity", "values", "part_numbers", "near_numbers", "rotors", "driven_rotors")


def tangents(
    assignments: Sequence[Assignment], constant: Callable[[Load], bool], direction: Direction
) -> list[Assignment]:
    """Return the assignments' forward tangents along one direction.

    constant: True for addresses whose tangent is zero.
    """

    def seed(reference: object) -> Expression:
        assert isinstance(reference, (Load, Local))
        if isinstance(reference, Load) and constant(reference):
            return ZERO
        return leaf(direction.of(reference))

    derivatives = derivative([e for _, e in assignments], seed)
    return [(direction.of(target), d) for (target, _), d in zip(assignments, derivatives, strict=True)]


def saved(x: Expression) -> Expression:
    """Mark a value of the first pass as an input of the second pass (see `split_passes`)."""
    return x if x.op == "const" else Expression("saved", (x,))


def split_passes(
    first: list[Assignment], second: list[Assignment], late: Callable[[object], bool]
) -> tuple[list[Assignment], list[Assignment], int]:
    """Make the second pass use saved values of the first.

    late: True for references of leaves that are available in the second pass only; nodes marked by `saved` count as
    late as well. Every largest subexpression of the second pass without a late part is computed in the first one and
    stored in region `saved`; addresses are loaded again. Returns both passes and the number of stored doubles.
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
        if is_condition(node):  # it is no number: the second pass compares saved numbers again
            for a in node.args:
                keep(a)
            return
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
class AssignmentBlock:
    """Straight-line code for a list of assignments; all right-hand sides use the values before it.

    References become addresses of the layout.
    """

    assignments: Sequence[Assignment]
    layout: Layout
    accumulate: frozenset[Target] = frozenset()

    @cached_property
    def roots(self) -> list[Expression]:
        """Right-hand sides with equal subexpressions merged."""
        return shared([e for _, e in self.assignments])

    @cached_property
    def order(self) -> list[Expression]:
        """All nodes of the right-hand sides in the order of the code."""
        return by_creation(self.roots)

    def bases(self) -> frozenset[str]:
        """Index variables that the code uses."""
        used = [*(node.value for node in self.order if node.op == "leaf"), *(target for target, _ in self.assignments)]
        return frozenset(place.base for place in used if isinstance(place, Load))

    def parts(self) -> tuple[list[str], dict[str, str]]:
        """Return the lines that set addresses, and the text of the value of each assigned local."""
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


class FormulaWriter(ABC):
    """Writer of nodes as text; a node that is used once becomes part of the text that uses it.

    Subclasses know a language: its leaves, its functions, and its assignments. `out` are the assignments of temporaries
    so far.
    """

    def __init__(self, order: list[Expression], roots: Iterable[Expression], names: Iterable[str]):
        """order: all nodes below the roots, operands first. names: identifiers that temporaries must not have."""
        self.out: list[str] = []
        self.written: dict[int, tuple[str, int]] = {}
        self.names: set[str] = set(names)
        self.count = 0
        self.uses: dict[int, int] = {}
        for node in order:
            for a in node.args[: len(node.args) - len(array_of(node))]:
                self.uses[id(a)] = self.uses.get(id(a), 0) + 1
        for root in roots:
            self.uses[id(root)] = self.uses.get(id(root), 0) + 1

    @abstractmethod
    def leaf(self, node: Expression) -> str:
        """Return the text of a leaf."""

    @abstractmethod
    def call(self, node: Expression) -> tuple[str, int]:
        """Return the text and the precedence of an operation without a sign of its own in `INFIX`."""

    @abstractmethod
    def assignment(self, name: str, text: str, node: Expression) -> str:
        """Return the assignment of a node's text to a temporary."""

    def number(self, value: float) -> str:
        """Return the text of a number."""
        return repr(value)

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
            self.written[id(node)] = (self.number(node.value), 9 if node.value >= 0 else 0)
        elif node.op == "leaf":
            self.written[id(node)] = (self.leaf(node), 9)
        else:
            text, precedence = self._formula(node)
            if self.uses[id(node)] > 1 or len(text) > WIDTH:
                hint = "is" if is_condition(node) else node.name  # conditions are not numbers
                text, precedence = self.assigned(hint, text, node), 9
            self.written[id(node)] = (text, precedence)

    def assigned(self, hint: str | None, text: str, node: Expression) -> str:
        """Assign a node's text to a new temporary and return its name."""
        name = self.fresh(hint)
        self.out.append(self.assignment(name, text, node))
        return name

    def _formula(self, node: Expression) -> tuple[str, int]:
        if node.op in INFIX:
            symbol, level = INFIX[node.op]
            left, right = node.args
            return f"{self.text(left, level)} {symbol} {self.text(right, level + 1)}", level
        if node.op == "neg":
            return f"-{self.text(node.args[0], 2)}", 1
        return self.call(node)


class _Writer(FormulaWriter):
    """Writer of the Python text of kernels.

    Names of temporaries that depend on tangents begin with d. A name thus is either that of a value or that of a
    tangent in a whole function, and tangents may be computed in SIMD lanes while values are not.
    """

    def __init__(self, order: list[Expression], roots: Iterable[Expression], targets: Sequence[Target], layout: Layout):
        super().__init__(
            order, roots, (str(n.value.name) for n in order if n.op == "leaf" and isinstance(n.value, Local))
        )
        self.layout = layout
        self.targets = frozenset(targets)
        self.tangents: set[int] = set()  #: nodes that depend on tangents

    def visit(self, node: Expression) -> None:
        if is_tangent(node.value) if node.op == "leaf" else any(id(a) in self.tangents for a in node.args):
            self.tangents.add(id(node))
        if node.op in ("sin", "cos"):
            self._sincos(node)
        else:
            super().visit(node)

    def leaf(self, node: Expression) -> str:
        text, uses = address(node.value, self.layout), self.uses.get(id(node), 0)
        if isinstance(node.value, Load) and (uses > 1 or uses and node.value in self.targets):
            text = self.assigned(node.name or SHORT.get(node.value.region, node.value.region), text, node)
        return text

    def assigned(self, hint: str | None, text: str, node: Expression) -> str:
        return super().assigned(f"d{hint or ''}" if id(node) in self.tangents else hint, text, node)

    def assignment(self, name: str, text: str, node: Expression) -> str:
        return f"{name} = {text}"

    def _sincos(self, node: Expression) -> None:
        angle = node.args[0]
        key = -id(angle)
        if key not in self.written:
            sine, cosine = self.fresh("s"), self.fresh("c")
            self.out.append(f"{sine}, {cosine} = sincos({self.text(angle)})")
            self.written[key] = (f"{sine} {cosine}", 9)
        self.written[id(node)] = (self.written[key][0].split()[node.op == "cos"], 9)

    def call(self, node: Expression) -> tuple[str, int]:
        if node.op in TABLES:
            start, *numbers = node.value  # the numbers of points; for splines and surfaces also the orders
            array = array_of(node)
            values = [array[0].value.array, index(array[0].value, self.layout)] if array else []
            operands = map(self.text, node.args[: len(node.args) - len(array)])
            arguments = ", ".join([str(bound(start, self.layout)), *map(str, numbers), *values, *operands])
            return f"{(ARRAYS if array else TABLES)[node.op]}(R, {arguments})", 9
        function = "power" if node.op == "pow" else node.op
        return f"{function}({', '.join(self.text(a) for a in node.args)})", 9


def address(target: Target, layout: Layout) -> str:
    """Text of an address in the generated source."""
    return target.name if isinstance(target, Local) else f"{target.array}[{index(target, layout)}]"


def index(load: Load, layout: Layout) -> str:
    """Text of the index of a number in its array."""
    place = bound(load, layout) if load.region else 0
    if not load.base:
        return str(place)
    return f"{load.base} + {place}" if place else load.base


def is_tangent(place: object) -> bool:
    """True for the address of a tangent."""
    if isinstance(place, Load):
        return any(place.array in direction.arrays.values() for direction in DIRECTIONS)
    return isinstance(place, Local) and place.name.startswith(tuple(direction.prefix for direction in DIRECTIONS))


def with_tangents(
    assignments: Sequence[Assignment],
    along: Directions,
    constant: Callable[[Load], bool] = is_constant,
    accumulate: bool = False,
) -> list[Assignment]:
    """Return the assignments and their tangents for one block; zeros need not be accumulated."""
    out = list(assignments)
    for direction in along:
        dual = tangents(out, constant, direction)
        out += [(t, d) for t, d in dual if not (accumulate and is_literal(d, 0.0))]
    return out
