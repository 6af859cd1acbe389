"""Writer of adjoints of kernels: functions that run forwards and keep values, and functions that run backwards.

For a kernel f, `f_kept(R, A)` computes what f does and keeps values in A; `f_b(R, A, B)` then turns adjoints of the
results into those of the arguments, with the loops of f in reverse order. Each function has a fixed place in A for each
iteration of its loops, from index `tape` on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from ...record.kernel_module import ModuleFunction
from ...record.layout import Layout, Load
from ...symbolic.emit import AssignmentBlock
from ...symbolic.expressions import as_expression, where
from .blocks import TAPE, BlockAdjoint, weight
from .nodes import Block, Body, Branch, Call, Function, Loop, Node, Zero
from .places import Irreversible

Find = Callable[[str], "FunctionAdjoint"]


class FunctionAdjoint:
    """Adjoint of one function of a group.

    adjoint_of: of each block. find: returns the adjoint of a called function. suffix: ends the names of its functions.
    """

    def __init__(
        self, function: Function, adjoint_of: Callable[[Block], BlockAdjoint], find: Find, layout: Layout, suffix: str
    ):
        self.function, self.find, self.layout, self.suffix = function, find, layout, suffix
        self.width = len(function.carried)
        self._blocks: dict[int, BlockAdjoint] = {}
        self.omitted: set[int] = set()  #: statements that a run forwards leaves out
        self._add_blocks(function.body, adjoint_of)
        self.size = self._size(function.body)

    def _add_blocks(self, body: Body, adjoint_of: Callable[[Block], BlockAdjoint]) -> None:
        for node in body.nodes:
            match node:
                case Block():
                    self._blocks[id(node)] = adjoint_of(node)
                    self.width = max(self.width, len(node.results))
                case Loop():
                    self._add_blocks(node.body, adjoint_of)
                case Branch():
                    self._add_blocks(node.body, adjoint_of)
                    self._add_blocks(node.otherwise, adjoint_of)

    def blocks(self, node: Node) -> Iterator[BlockAdjoint]:
        """Return the adjoints of all blocks that a statement executes."""
        match node:
            case Block():
                yield self._blocks[id(node)]
            case Loop(body=body):
                yield from self._blocks_of(body)
            case Branch(body=body, otherwise=otherwise):
                yield from self._blocks_of(body)
                yield from self._blocks_of(otherwise)
            case Call(name=name):
                yield from self.find(name)._blocks_of(self.find(name).function.body)

    def _blocks_of(self, body: Body) -> Iterator[BlockAdjoint]:
        for node in body.nodes:
            yield from self.blocks(node)

    def tested(self, node: Node) -> Iterator[str]:
        """Return the regions of the numbers that decide branches in a statement."""
        match node:
            case Branch(reads=reads, body=body, otherwise=otherwise):
                yield from (region for extent in reads.values() for region in extent.regions)
                yield from (region for inner in [*body.nodes, *otherwise.nodes] for region in self.tested(inner))
            case Loop(body=body):
                yield from (region for inner in body.nodes for region in self.tested(inner))
            case Call(name=name):
                called = self.find(name)
                yield from (region for inner in called.function.body.nodes for region in called.tested(inner))

    def operations(self, body: Body) -> int:
        """Return the number of operations of the adjoint of a body."""
        return sum(map(self._operations_of, body.nodes))

    def _operations_of(self, node: Node) -> int:
        match node:
            case Block():
                return self._blocks[id(node)].operations
            case Loop(values=values, body=body):
                return len(values) * self.operations(body)
            case Branch(body=body, otherwise=otherwise):
                return max(self.operations(body), self.operations(otherwise))
            case Call(name=name):
                return self.find(name).operations(self.find(name).function.body)
        return 0

    # -- sizes -------------------------------------------------------------------------------------------------
    def _size(self, body: Body) -> int:
        """Return the number of values that a body keeps."""
        return sum(map(self._size_of, body.nodes))

    def _size_of(self, node: Node) -> int:
        match node:
            case Block():
                return self._blocks[id(node)].size
            case Loop(values=values, body=body):
                return len(values) * self._size(body)
            case Branch(test=test, body=body, otherwise=otherwise):
                return max(self._size(body), self._size(otherwise)) + (not isinstance(test, str))
            case Call(name=name):
                return self.find(name).size
        return 0

    # -- text --------------------------------------------------------------------------------------------------
    def functions(self, start: int | None = None) -> list[ModuleFunction]:
        """Return both functions. start: place in A at which the values of a kernel begin, if it is its own."""
        own = self.function.name
        first, again = self._kept_name(own), self._back_name(own)
        arguments = [*(["tape"] if start is None else []), *self.function.integers]
        begin = [] if start is None else [f"tape = {start}"]
        if self.width:
            arguments.append("carried")
        forwards, backwards = self._forwards(self.function.body, "tape", 0), self._whole_backwards()
        return [
            _kernel(first, ["R", "A", *arguments], "With the values that the adjoint needs.", begin + forwards),
            _kernel(again, ["R", "A", "B", *arguments], "The adjoint.", begin + backwards),
        ]

    @property
    def differs(self) -> bool:
        """True if the function forwards is another one than the kernel itself."""
        return bool(self.size or self.omitted or any(block.omitted for block in self._blocks.values()))

    def _kept_name(self, name: str) -> str:
        return f"{name}_kept{self.suffix}"

    def _back_name(self, name: str) -> str:
        return f"{name}_b{self.suffix}"

    def _forwards(self, body: Body, tape: str, offset: int) -> list[str]:
        """Return the lines that run a body and keep values from A[tape + offset] on."""
        lines = [f"{name} = {text}" for name, text in body.integers]
        for node in body.nodes:
            match node:
                case _ if id(node) in self.omitted:
                    continue
                case Block():
                    more, results = self._blocks[id(node)].forwards(tape, offset)
                    if self.function.carried and body is self.function.body:
                        lines.insert(0, f"{_packed(self.function.carried)} = carried")
                    lines += more
                    if results:
                        lines.append(f"return {_packed(results)}")
                case Zero(carried=carried, text=text):
                    lines.append(f"{carried} = {text}")
                case Call():
                    lines.append(self._call(node, tape, offset))
                case Loop(variable=variable, values=values, body=inner):
                    lines += self._looped(variable, values, values, inner, tape, offset, self._forwards)
                case Branch():
                    lines += self._branched(node, tape, offset, self._forwards, True)
            offset += self._size_of(node)
        return lines

    def _whole_backwards(self) -> list[str]:
        """Return the lines of the adjoint of the function."""
        lines = [f"{name} = {text}" for name, text in self._zeros(self.function.body).items()]
        if not self.width:
            return lines + self._backwards(self.function.body, "tape", 0)
        results = [str(weight(f"r{k}")) for k in range(self.width)]
        lines += [f"{name} = {text}" for name, text in self.function.body.integers]
        lines.append(f"{_packed(results)} = carried")
        blocks = [node for node in self.function.body.nodes if isinstance(node, Block)]
        if len(blocks) != len(self.function.body.nodes):
            raise Irreversible(f"statements of {self.function.name}")
        texts: dict[str, str] = {}
        for node in reversed(blocks):
            more, shares = self._blocks[id(node)].backwards("tape", self._before(node))
            lines += more
            if texts and shares:
                raise Irreversible(f"locals in two blocks of {self.function.name}")
            texts |= shares
        only_reads = not any(node.results for node in blocks)
        values = [texts.get(name, "0.0") for name in self.function.carried] or ["0.0"] * self.width
        if only_reads:
            values = [f"{result} + {value}" for result, value in zip(results, values, strict=True)]
        return [*lines, f"return {_packed(values)}"]

    def _before(self, node: Block) -> int:
        """Return the number of values that the statements before a block of the function's body keep."""
        nodes = self.function.body.nodes
        return sum(map(self._size_of, nodes[: next(k for k, other in enumerate(nodes) if other is node)]))

    def _zeros(self, body: Body) -> dict[str, str]:
        """Return the carried tuples that a body uses, with the text of zeros."""
        found: dict[str, str] = {}
        for node in body.nodes:
            match node:
                case Zero(carried=carried, text=text):
                    found[carried] = text
                case Loop(body=inner):
                    found |= self._zeros(inner)
                case Branch(body=inner, otherwise=other):
                    found |= self._zeros(inner) | self._zeros(other)
        return found

    def _backwards(self, body: Body, tape: str, offset: int) -> list[str]:
        """Return the lines that run a body backwards, with the values from A[tape + offset] on."""
        lines: list[str] = []
        offset += self._size(body)
        for node in reversed(body.nodes):
            offset -= self._size_of(node)
            match node:
                case Block():
                    more, shares = self._blocks[id(node)].backwards(tape, offset)
                    if shares:
                        raise Irreversible(f"locals in {self.function.name}")
                    lines += more
                case Zero(carried=carried, text=text):
                    lines.append(f"{carried} = {text}")
                case Call():
                    lines.append(self._back_call(node, tape, offset))
                case Loop(variable=variable, values=values, body=inner):
                    lines += self._looped(variable, values, values[::-1], inner, tape, offset, self._backwards)
                case Branch():
                    lines += self._branched(node, tape, offset, self._backwards, False)
        return [*(f"{name} = {text}" for name, text in body.integers), *lines] if lines else []

    def _looped(
        self, variable: str, values: range, order: range, body: Body, tape: str, offset: int,
        lines_of: Callable[[Body, str, int], list[str]],
    ) -> list[str]:  # fmt: skip
        """Return the lines of a loop over values in some order."""
        size, lowest = self._size(body), min(values)
        inner = f"{tape}_i" if size else tape
        lines = lines_of(body, inner, 0)
        if not lines:
            return []
        if size:
            index = variable if lowest == 0 else f"({variable} - {lowest})"
            lines = [f"{inner} = {_plus(tape, offset)} + {size} * {index}", *lines]
        step = f", {order.step}" if order.step != 1 else ""
        return [f"for {variable} in range({order.start}, {order.stop}{step}):", *_indented(lines)]

    def _branched(
        self, node: Branch, tape: str, offset: int, lines_of: Callable[[Body, str, int], list[str]], forwards: bool
    ) -> list[str]:
        """Return the lines of a branch."""
        test, before = node.test, []
        if not isinstance(test, str):
            flag = Load("A", TAPE, offset, tape)
            if forwards:
                chosen = where(test, as_expression(1.0), as_expression(0.0))
                before = AssignmentBlock([(flag, chosen)], self.layout).parts()[0]
            test, offset = f"A[{_plus(tape, offset)}] > 0.0", offset + 1
        body, otherwise = (lines_of(b, tape, offset) for b in (node.body, node.otherwise))
        if not body and not otherwise:
            return before
        lines = [*before, f"if {test}:", *_indented(body or ["pass"])]
        return lines + (["else:", *_indented(otherwise)] if otherwise else [])

    def _call(self, node: Call, tape: str, offset: int) -> str:
        """Return the call of a function that keeps values, or of the function itself if it has nothing to keep."""
        called = self.find(node.name)
        more = [*node.integers, *([node.carried] if node.carried else [])]
        if called.differs:
            text = f"{called._kept_name(node.name)}({', '.join(['R', 'A', _plus(tape, offset), *more])})"
        else:
            text = f"{node.name}({', '.join(['R', *more])})"
        return f"{node.carried} = {text}" if node.assigned else text

    def _back_call(self, node: Call, tape: str, offset: int) -> str:
        """Return the call of the adjoint of a function."""
        name = self.find(node.name)._back_name(node.name)
        more = [*node.integers, *([node.carried] if node.carried else [])]
        text = f"{name}({', '.join(['R', 'A', 'B', _plus(tape, offset), *more])})"
        return f"{node.carried} = {text}" if node.carried else text


def _kernel(name: str, arguments: Sequence[str], doc: str, lines: Sequence[str]) -> ModuleFunction:
    """Return a kernel with these lines."""
    body = "\n".join([f'"""{doc}"""', *lines]).splitlines()
    text = "\n".join(["@kernel", f"def {name}({', '.join(arguments)}):", *_indented(body)])
    return ModuleFunction(name, text)


def _plus(base: str, offset: int) -> str:
    return f"{base} + {offset}" if offset else base


def _indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line for text in lines for line in text.splitlines()]


def _packed(items: Sequence[str]) -> str:
    """Return the text of a tuple, wrapped."""
    lines = textwrap.wrap(", ".join(items), 110, break_long_words=False, break_on_hyphens=False)
    return "\n".join(["(", *("    " + line for line in lines), ",)"])
