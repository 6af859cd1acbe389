"""Adjoint of a block of assignments: the values that it needs, and its lines.

Arrays: R is the record, A contains the values that the run forwards keeps, B adjoints.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ...infrastructure.cached_properties import cached_property
from ...record.layout import Layout, Load, Local, Region
from ...symbolic.emit import Assignment, AssignmentBlock, address, shared
from ...symbolic.expressions import ZERO, Expression, is_condition, is_literal, leaf
from ...symbolic.graph import leaves, rebuild, topological
from ...symbolic.reverse import adjoints
from .nodes import Block

TAPE = "tape"  #: region of kept values
CHEAP = 1.0  #: largest cost of a value that is computed again
COSTS = {"add": 1.0, "sub": 1.0, "mul": 1.0, "neg": 0.5, "where": 1.0, "div": 5.0, "sqrt": 8.0}  #: of operations
FUNCTION = 20.0  #: cost of any other operation


@dataclass
class Knowledge:
    """Properties of the numbers of the record where a function is called.

    active: True if adjoints of a number are needed. lasting: True if a number that a block reads does not change until
    the end. final: True if a number that a block writes does not change until the end. passed: True if only one block
    writes a number and only one reads it.
    """

    active: Callable[[Load], bool]
    lasting: Callable[[Load], bool]
    final: Callable[[Load], bool]
    passed: Callable[[Load], bool]


def weight(place: int | str) -> Local:
    """Return the local with the adjoint of a result."""
    return Local(f"b_{place}")


class BlockAdjoint:
    """Adjoint of a block of a kernel. The adjoints of results are locals (`weight`)."""

    def __init__(self, block: Block, knows: Knowledge, layout: Layout):
        self.block, self.knows, self.layout = block, knows, layout
        roots = [*(store.value for store in block.stores), *block.results]
        shares = self._shares(shared(roots))
        merged = shared([*roots, *shares.values()])
        self.values = merged[: len(roots)]
        self.shares = dict(zip(shares, merged[len(roots) :], strict=True))
        self.kept = self._kept()
        self.places = {key: k for k, key in enumerate(self.kept)}
        self.omitted: set[int] = set()  #: stores that a run forwards leaves out

    @property
    def size(self) -> int:
        """Number of values that are kept."""
        return len(self.kept)

    def _shares(self, roots: list[Expression]) -> dict[Load | Local, Expression]:
        """Return the adjoints of what the block reads, from weights of what it writes."""
        stores = self.block.stores
        weights = [leaf(weight(k)) if self.knows.active(s.target) else ZERO for k, s in enumerate(stores)]
        weights += [leaf(weight(f"r{k}")) for k in range(len(self.block.results))]
        pairs = [(r, w) for r, w in zip(roots, weights, strict=True) if w is not ZERO]
        found = adjoints([r for r, _ in pairs], [w for _, w in pairs])
        return {
            read: share
            for read, share in found.items()
            if (isinstance(read, Local) or self.knows.active(read)) and not is_literal(share, 0.0)
        }

    @property
    def operations(self) -> int:
        """Number of operations on numbers, forwards and backwards."""
        return sum(1 for node in topological([*self.values, *self.shares.values()]) if node.args)

    # -- values ------------------------------------------------------------------------------------------------
    @cached_property
    def _needed(self) -> list[Expression]:
        """Values of the block that its adjoint uses, operands first."""
        own = {id(node): node for node in topological(self.values)}
        found: dict[int, Expression] = {}
        seen: set[int] = set()
        waiting = [*self.shares.values()]
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if id(node) in own and not is_condition(node):
                found[id(node)] = node
            else:
                waiting += node.args
        return [node for node in own.values() if id(node) in found and node.op != "const"]

    @cached_property
    def _stored(self) -> dict[int, Load]:
        """Addresses in the record of values that the block leaves there for good."""
        stores = zip(self.block.stores, self.values, strict=False)
        return {id(v): s.target for s, v in stores if not s.added and self.knows.final(s.target)}

    def _kept(self) -> dict[int, Expression]:
        """Return the values to be kept; others are read from the record, or cheap to compute again."""
        kept: dict[int, Expression] = {}
        costs: dict[int, float] = {}
        needed = {id(node) for node in self._needed}
        for node in topological(self._needed):
            if node.op == "const" or id(node) in self._stored:
                costs[id(node)] = 0.0
            elif node.op == "leaf":
                readable = isinstance(node.value, Load) and self.knows.lasting(node.value)
                costs[id(node)] = 0.0 if readable else 2.0 * CHEAP
            else:
                costs[id(node)] = COSTS.get(node.op, FUNCTION) + sum(costs[id(a)] for a in node.args)
            if id(node) in needed and costs[id(node)] > CHEAP:
                kept[id(node)] = node
                costs[id(node)] = 0.0
        return kept

    # -- needs -------------------------------------------------------------------------------------------------
    @cached_property
    def read_backwards(self) -> frozenset[str]:
        """Regions of the record that the adjoint reads."""
        roots = rebuild(list(self.shares.values()), lambda node: self._found(node, "", 0))
        return self._regions(roots)

    def read_forwards(self, needed: Collection[str]) -> frozenset[str]:
        """Return the regions that a run forwards reads if it computes the numbers of some regions."""
        stores = self.block.stores
        used = [v for s, v in zip(stores, self.values, strict=False) if not s.extent.regions.isdisjoint(needed)]
        return self._regions([*used, *self.values[len(stores) :], *self.kept.values()])

    def is_useful(self, needed: Collection[str]) -> bool:
        """True if a run forwards keeps values of the block, or it writes to regions that are needed."""
        return bool(self.kept) or any(not s.extent.regions.isdisjoint(needed) for s in self.block.stores)

    def omit(self, needed: Collection[str]) -> None:
        """Leave out the numbers of other regions in a run forwards."""
        stores = enumerate(self.block.stores)
        self.omitted = {k for k, store in stores if store.extent.regions.isdisjoint(needed)}

    def _regions(self, formulas: list[Expression]) -> frozenset[str]:
        """Return the regions of the record that formulas read."""
        extents = self.block.extents
        loads = (x for x in leaves(formulas) if x in extents)  # others are points of tables, which never change
        return frozenset(region for load in loads for region in extents[load].regions)

    # -- text --------------------------------------------------------------------------------------------------
    def forwards(self, tape: str, offset: int) -> tuple[list[str], list[str]]:
        """Return the lines that compute the block and keep its values, and the texts of its results."""
        stores, results = self.block.stores, [Local(f"result_{k}") for k in range(len(self.block.results))]
        n = len(stores)
        pairs = enumerate(zip(stores, self.values, strict=False))
        kept = enumerate(self.kept.values())
        assignments: list[Assignment] = [(Load("A", TAPE, offset + k, tape), v) for k, v in kept]  # before they change
        assignments += [(s.target, v) for k, (s, v) in pairs if k not in self.omitted]
        assignments += list(zip(results, self.values[n:], strict=True))
        added = frozenset(s.target for s in stores if s.added)
        lines, texts = AssignmentBlock(assignments, self.layout, added).parts()
        return lines, [texts[r.name] for r in results]

    def backwards(self, tape: str, offset: int) -> tuple[list[str], dict[str, str]]:
        """Return the lines of the adjoint, and the texts of the shares of given locals."""
        lines = []
        for k in range(len(self.block.stores) - 1, -1, -1):
            store = self.block.stores[k]
            if self.knows.active(store.target):
                place = address(_adjoint(store.target), self.layout)
                lines.append(f"{weight(k)} = {place}")
                if not store.added and not self.knows.passed(store.target):
                    lines.append(f"{place} = 0.0")
        roots = rebuild(list(self.shares.values()), lambda node: self._found(node, tape, offset))
        assignments: list[Assignment] = []
        for read, root in zip(self.shares, roots, strict=True):
            assignments.append((read if isinstance(read, Local) else _adjoint(read), root))
        added = frozenset(
            target
            for read, (target, _) in zip(self.shares, assignments, strict=True)
            if isinstance(read, Load) and not self.knows.passed(read)
        )
        more, texts = AssignmentBlock(assignments, self.layout, added).parts()
        return lines + more, texts

    def _found(self, node: Expression, tape: str, offset: int) -> Expression | None:
        """Return where the adjoint finds a value that is kept or stored, None for other values."""
        if id(node) in self.places:
            return leaf(Load("A", TAPE, offset + self.places[id(node)], tape), node.name)
        stored = self._stored.get(id(node))
        return None if stored is None else leaf(stored)


def tape_layout(layout: Layout) -> Layout:
    """Return a layout with a region of kept values."""
    return {**layout, TAPE: Region(TAPE, 0, 2**31)}


def _adjoint(load: Load) -> Load:
    """Return the address of a number's adjoint."""
    return Load("B", load.region, load.offset, load.base)
