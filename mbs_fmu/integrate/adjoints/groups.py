"""Groups of kernels that are called one after the other, with their adjoints."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...codegen.graphs import RECORD
from ...record.kernel_module import KernelModule, ModuleFunction
from ...record.layout import BASES, Load, Local, Region
from ...record.program import Program
from ...symbolic.graph import leaves
from .blocks import BlockAdjoint, Knowledge, tape_layout
from .needs import omit_unused
from .nodes import Block, Body, Branch, Call, Function, Loop, Node
from .places import Extent, Irreversible, Places
from .reading import Reader, function_of
from .writing import FunctionAdjoint


@dataclass
class Active:
    """Numbers of the record that have adjoints: some addresses, and all numbers of some regions."""

    addresses: frozenset[int]
    regions: set[str] = field(default_factory=set)
    partly: frozenset[str] = frozenset()  #: regions of the addresses

    def has(self, extent: Extent) -> bool:
        """True if a reference may mean such a number."""
        if not self.regions.isdisjoint(extent.regions):
            return True
        if extent.addresses is not None:
            return not self.addresses.isdisjoint(extent.addresses)
        return not self.partly.isdisjoint(extent.regions)


class Trees(Mapping[str, ast.FunctionDef]):
    """Syntax trees of the kernels of a module, each parsed at its first use; `texts` replace some of them."""

    def __init__(self, module: KernelModule, texts: Mapping[str, str]):
        self._texts = {name: f.text for name, f in module.contents.functions.items() if f.is_kernel} | dict(texts)
        self._made: dict[str, ast.FunctionDef] = {}

    def __getitem__(self, name: str) -> ast.FunctionDef:
        if name not in self._made:
            self._made[name] = function_of(self._texts[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


class AdjointGroup:
    """Adjoints of kernels of a program that are called one after the other.

    given: addresses of the numbers of which adjoints are wanted. suffix: ends the names of functions that several
    kernels call, and is another one for each group of a module.

    Raises Irreversible for kernels of another form.
    """

    def __init__(
        self, program: Program, module: KernelModule, kernels: Sequence[str], given: Sequence[int], suffix: str = ""
    ):
        self.kernels, self.suffix = kernels, suffix
        self.places = Places(program, module)
        self.layout = tape_layout({RECORD: Region(RECORD, 0, program.regions["end"][0])})
        self._trees = Trees(module, {"sines": _sines(program)})
        self._functions: dict[str, Function] = {}
        self._adjoints: dict[str, FunctionAdjoint] = {}
        self._times: dict[int, int] = {}  #: number of the statement of the group in which a block is first executed
        self._written: dict[str, set[int]] = {}  #: numbers of the statements that write to a region
        self._readers: dict[str, set[int]] = {}  #: numbers of the statements that read a region
        self._tested: set[str] = set()  #: regions of the numbers that decide branches
        self._count = 0
        self._owners: dict[int, Function] = {}  #: of blocks
        self._ends: list[int] = []  #: numbers of the last statements of the kernels
        for kernel in kernels:
            self._number(self._read(kernel).body)
            self._ends.append(self._count)
        if changed := self._tested & self._written.keys():
            raise Irreversible(f"branches by numbers of {', '.join(changed)}, which change")
        self.active = Active(frozenset(given), partly=frozenset(map(self.places.region, given)))
        self._activate()
        self._passed = self._passed_regions()

    @property
    def size(self) -> int:
        """Number of values that are kept."""
        return sum(self._adjoint(kernel).size for kernel in self.kernels)

    @property
    def operations(self) -> int:
        """Number of operations of all adjoints together."""
        kernels = map(self._adjoint, self.kernels)
        return sum(kernel.operations(kernel.function.body) for kernel in kernels)

    def functions(self) -> list[ModuleFunction]:
        """Return the functions `..._kept` and `..._b` of the kernels, and those that they call."""
        made, start = [], 0
        kernels = list(map(self._adjoint, self.kernels))
        omit_unused(kernels)
        for found in kernels:
            made += found.functions(start)
            start += found.size
        for name, found in self._adjoints.items():
            if name not in self.kernels:
                made += found.functions()[0 if found.differs else 1 :]
        return made

    # -- reading -----------------------------------------------------------------------------------------------
    def _read(self, name: str) -> Function:
        if name not in self._functions:
            function = Reader(self.places, self._trees).function(name)
            self._functions[name] = function
            for block in _blocks(function.body):
                self._owners[id(block)] = function
        return self._functions[name]

    def _number(self, body: Body) -> None:
        """Number the statements of a kernel, also those of kernels that it calls outside of loops."""
        for node in body.nodes:
            if isinstance(node, Call) and not node.carried:
                self._number(self._read(node.name).body)
            else:
                self._count += 1
                self._note(node)

    def _note(self, node: Node) -> None:
        """Note when the blocks of a statement are executed and to which regions they write."""
        match node:
            case Block(stores=stores):
                self._times.setdefault(id(node), self._count)
                for extent in node.reads.values():
                    for region in extent.regions:
                        self._readers.setdefault(region, set()).add(self._count)
                for store in stores:
                    for region in store.extent.regions:
                        self._written.setdefault(region, set()).add(self._count)
            case Loop(body=body):
                self._note_all(body)
            case Branch(body=body, otherwise=otherwise):
                if isinstance(node.test, str):
                    self._tested |= {region for extent in node.reads.values() for region in extent.regions}
                self._note_all(body)
                self._note_all(otherwise)
            case Call(name=name):
                self._note_all(self._read(name).body)

    def _note_all(self, body: Body) -> None:
        for node in body.nodes:
            self._note(node)

    def _activate(self) -> None:
        """Find all numbers that depend on the given ones."""
        blocks = [block for function in self._functions.values() for block in _blocks(function.body)]
        changed = True
        while changed:
            changed = False
            for block in blocks:
                for store in block.stores:
                    if not store.extent.regions <= self.active.regions and self._varies(block, leaves([store.value])):
                        self.active.regions |= store.extent.regions
                        changed = True

    def _varies(self, block: Block, references: list[Load | Local]) -> bool:
        return any(isinstance(x, Local) or self.active.has(block.reads[x]) for x in references)

    def _passed_regions(self) -> set[str]:
        """Return the regions that one pass over the links writes and another one of the kernel reads, each number once.

        The reading pass is always run backwards before the writing one, so its adjoints replace those before.
        """
        once = {r for r, times in self._written.items() if len(times) == 1 and len(self._readers.get(r, ())) == 1}
        once = {r for r in once - self.active.partly if self._follows(*self._written[r], *self._readers[r])}
        for function in self._functions.values():
            for block in _blocks(function.body):
                whole = any(node is block for node in function.body.nodes)
                for load, extent in block.reads.items():
                    if not whole or not _is_of_link(load, extent, function):
                        once -= extent.regions
                for store in block.stores:
                    if not whole or store.added or not _is_of_link(store.target, store.extent, function):
                        once -= store.extent.regions
        return once

    def _follows(self, first: int, second: int) -> bool:
        """True if the second of two statements follows the first in the same kernel."""
        return first < second and not any(first <= end < second for end in self._ends)

    # -- adjoints ----------------------------------------------------------------------------------------------
    def _adjoint(self, name: str) -> FunctionAdjoint:
        if name not in self._adjoints:
            function = self._read(name)
            root = name in self.kernels
            made = FunctionAdjoint(function, self._of_block, self._adjoint, self.layout, "" if root else self.suffix)
            self._adjoints[name] = made
        return self._adjoints[name]

    def _of_block(self, block: Block) -> BlockAdjoint:
        function, time = self._owners[id(block)], self._times[id(block)]
        extents = block.extents

        def lasting(load: Load) -> bool:
            return all(max(self._written.get(region, {0})) < time for region in extents[load].regions)

        def final(load: Load) -> bool:
            regions = extents[load].regions
            if any(self._written[region] != {time} for region in regions):
                return False
            if function.integers or function.carried:
                return _is_of_link(load, extents[load], function)
            return extents[load].unique

        def active(load: Load) -> bool:
            return self.active.has(extents[load])

        def passed(load: Load) -> bool:
            return extents[load].regions <= self._passed

        return BlockAdjoint(block, Knowledge(active, lasting, final, passed), self.layout)


def _is_of_link(load: Load, extent: Extent, function: Function) -> bool:
    """True for numbers in the block of a link, of which a function of one link uses no other."""
    return load.base in function.integers and all(BASES.get(region) == load.base for region in extent.regions)


def _blocks(body: Body) -> Iterator[Block]:
    """Return all blocks of a body."""
    for node in body.nodes:
        match node:
            case Block():
                yield node
            case Loop(body=inner):
                yield from _blocks(inner)
            case Branch(body=inner, otherwise=other):
                yield from _blocks(inner)
                yield from _blocks(other)


def _sines(program: Program) -> str:
    """Return a text of `sines` without operations on bits."""
    start = {name: first for name, (first, _) in program.regions.items()}
    size = {name: count for name, (_, count) in program.regions.items()}
    count = min(size["driven_sines"] + size["sines"], size["driven_q"] + size["q"])
    angle = f"R[{start['driven_q']} + k] + R[{start['driven_offsets']} + k]"
    return "\n".join(
        [
            "def sines(R):",
            f"    for k in range({count}):",
            f"        angle = {angle}",
            f"        R[{start['driven_sines']} + k] = sin(angle)",
            f"        R[{start['driven_cosines']} + k] = cos(angle)",
        ]
    )
