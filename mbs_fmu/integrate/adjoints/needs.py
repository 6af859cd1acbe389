"""Search for the assignments that an adjoint needs; a run forwards leaves out others, such as linear forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .blocks import BlockAdjoint
from .nodes import Branch, Call, Loop, Node, Zero
from .writing import FunctionAdjoint

Statement = tuple[FunctionAdjoint, Node]  #: a statement with its function
Unit = list[Statement]  #: statements that pass a carried tuple to each other, or a single one


def omit_unused(kernels: Sequence[FunctionAdjoint]) -> None:
    """Mark what the functions forwards of kernels leave out: numbers and statements that no adjoint depends on."""
    units = [unit for kernel in kernels for unit in _units(list(_statements(kernel)))]
    needed = {region for unit in units for block in _blocks(unit) for region in block.read_backwards}
    used: list[Unit] = []
    count = -1
    while count < len(needed) + len(used):
        count = len(needed) + len(used)
        used = [unit for unit in units if any(block.is_useful(needed) for block in _blocks(unit))]
        for unit in used:
            needed |= {region for function, node in unit for region in function.tested(node)}
            needed |= {region for block in _blocks(unit) for region in block.read_forwards(needed)}
    for unit in units:
        for block in _blocks(unit):
            block.omit(needed)
        if unit not in used:
            for function, node in unit:
                function.omitted.add(id(node))


def _statements(function: FunctionAdjoint) -> Iterator[Statement]:
    """Return the statements of a kernel and of those that it calls outside of loops."""
    for node in function.function.body.nodes:
        if isinstance(node, Call) and not node.carried:
            yield from _statements(function.find(node.name))
        else:
            yield function, node


def _units(statements: Sequence[Statement]) -> list[Unit]:
    """Return statements in units. The statements of a pass over the links are one, from the zeros at its beginning."""
    units: list[Unit] = []
    passes: dict[str, Unit] = {}
    for function, node in statements:
        if isinstance(node, Zero):
            passes[node.carried] = []
            units.append(passes[node.carried])
            continue
        names = sorted(set(_carried(node)))
        if len(names) == 1 and names[0] in passes:
            passes[names[0]].append((function, node))
        else:
            units.append([(function, node)])
    return units


def _carried(node: Node) -> Iterator[str]:
    """Return the carried tuples that a statement uses."""
    match node:
        case Call(carried=carried) if carried:
            yield carried
        case Loop(body=body):
            yield from (name for inner in body.nodes for name in _carried(inner))
        case Branch(body=body, otherwise=otherwise):
            yield from (name for inner in [*body.nodes, *otherwise.nodes] for name in _carried(inner))


def _blocks(unit: Unit) -> Iterator[BlockAdjoint]:
    """Return the adjoints of all blocks that a unit executes."""
    for function, node in unit:
        yield from function.blocks(node)
