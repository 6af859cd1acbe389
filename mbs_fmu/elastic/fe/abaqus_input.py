"""Input files of Abaqus, .inp: nodes, sets of nodes, and the nodes of solid elements.

Nodes may lie in a part, in an instance that is not moved, or outside of both. Numbers must be unique in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..shapes import Array
from .text_tables import Line, lines_of, numbers_of, whole_numbers

SOLID = re.compile(r"C3D(4|8|10|20)[A-Z]*")  #: elements, and their number of nodes
REFUSED = {
    "TRANSFORM": "gives nodes axes of their own",
    "NGEN": "generates nodes",
    "NFILL": "generates nodes",
    "NCOPY": "generates nodes",
    "INCLUDE": "reads another file",
    "SYSTEM": "gives nodes axes of their own",
}
REMEDY = "write one file with all nodes in global axes (Abaqus/CAE: a flattened input file)"


class Block(NamedTuple):
    """A keyword line: its keyword, parameters in capitals, line number, and the lines of data below it."""

    keyword: str
    parameters: dict[str, str]
    line: int
    data: list[Line]


class Input(NamedTuple):
    """numbers: of nodes, ascending, (N). places: (N, 3). sets, elements: indices of nodes by name and by type."""

    numbers: Array
    places: Array
    sets: dict[str, Array]
    elements: dict[str, Array]


def read_input(path: str | Path) -> Input:
    """Read nodes, sets and solid elements. Raises ModelError."""
    nodes: dict[int, tuple[float, float, float]] = {}
    sets: dict[str, list[Block]] = {}
    elements: dict[str, list[list[int]]] = {}
    for block in _blocks(lines_of(path)):
        if block.keyword in REFUSED:
            raise ModelError(f"{path}, line {block.line}: *{block.keyword} {REFUSED[block.keyword]}; {REMEDY}")
        if block.keyword == "INSTANCE" and block.data:
            raise ModelError(f"{path}, line {block.line}: the instance is moved; {REMEDY}")
        if block.keyword == "NODE":
            _add_nodes(path, block, nodes)
        elif block.keyword == "ELEMENT":
            _add_elements(path, block, elements)
        if block.keyword in ("NODE", "NSET") and block.parameters.get("NSET"):
            sets.setdefault(block.parameters["NSET"], []).append(block)
    if not nodes:
        raise ModelError(f"{path} has no *NODE: give the input file of the model")
    numbers = np.array(sorted(nodes), dtype=np.int64)
    places = np.array([nodes[number] for number in numbers.tolist()])
    cells = {kind: _indices(path, numbers, np.array(rows)) for kind, rows in elements.items()}
    return Input(numbers, places, _sets(path, numbers, sets), cells)


def _blocks(lines: list[str]) -> Iterator[Block]:
    """Yield keyword lines with their data; a keyword line that ends with a comma continues."""
    block: Block | None = None
    head = ""
    for number, text in enumerate(lines, 1):
        if text.startswith("**") or not text.strip():
            continue
        if text.startswith("*") or head:
            head += text.strip()
            if head.endswith(",") and len(head) < 1000:
                continue
            if block is not None:
                yield block
            words = [word.strip() for word in head[1:].split(",")]
            pairs = [word.partition("=") for word in words[1:]]
            parameters = {key.strip().upper(): value.strip().strip('"') for key, _, value in pairs}
            block, head = Block(" ".join(words[0].upper().split()), parameters, number, []), ""
        elif block is not None:
            block.data.append((number, text))
    if block is not None:
        yield block


def _add_nodes(path: str | Path, block: Block, nodes: dict[int, tuple[float, float, float]]) -> None:
    if "INPUT" in block.parameters or block.parameters.get("SYSTEM", "R").upper() not in ("R", ""):
        raise ModelError(f"{path}, line {block.line}: *NODE has INPUT or SYSTEM; {REMEDY}")
    for line in block.data:
        values = numbers_of(path, line)
        number = values[0] if values else 0.0
        if not 2 <= len(values) <= 7 or number != int(number) or not 1 <= number < 2**31:
            raise ModelError(f"{path}, line {line[0]}: {display(line[1].strip()[:60])} is no node: number, x, y, z")
        x, y, z = (*values[1:4], 0.0, 0.0)[:3]
        if nodes.setdefault(int(number), (x, y, z)) != (x, y, z):
            raise ModelError(f"{path}, line {line[0]}: node {int(number)} occurs twice, at two places; {REMEDY}")


def _add_elements(path: str | Path, block: Block, elements: dict[str, list[list[int]]]) -> None:
    """Add the nodes of solid elements; an element may continue on further lines."""
    kind = block.parameters.get("TYPE", "").upper()
    solid = SOLID.fullmatch(kind)
    if solid is None:
        return
    count, found = int(solid[1]), elements.setdefault(kind, [])
    current: list[int] = []
    for line in block.data:
        current += whole_numbers(path, line)
        if len(current) > count + 1:
            raise ModelError(f"{path}, line {line[0]}: an element {kind} has {count} nodes, not {len(current) - 1}")
        if len(current) == count + 1:
            found.append(current[1:])
            current = []
    if current:
        raise ModelError(
            f"{path}, line {block.data[-1][0]}: an element {kind} has {count} nodes, not {len(current) - 1}"
        )
    if not found:
        del elements[kind]


def _indices(path: str | Path, numbers: Array, wanted: Array) -> Array:
    """Return indices of nodes by their numbers. Raises ModelError for nodes that do not exist."""
    k = np.searchsorted(numbers, wanted).clip(0, len(numbers) - 1)
    unknown = wanted[numbers[k] != wanted]
    if unknown.size:
        raise ModelError(f"{path} has no node {unknown[0]}, which an element has")
    return np.asarray(k)


def _sets(path: str | Path, numbers: Array, blocks: dict[str, list[Block]]) -> dict[str, Array]:
    """Return indices of nodes by the name of a set; a set may contain others. Raises ModelError for unknown members."""
    known = set(numbers.tolist())
    members: dict[str, Array] = {}
    folded: dict[str, Array] = {}
    for name, parts in blocks.items():
        found = np.zeros(len(numbers), dtype=bool)
        for block in parts:
            found |= _members(path, block, numbers, known, folded)
        folded[name.upper()] = found
        if found.any():
            members[name] = found
    return {name: np.flatnonzero(found) for name, found in members.items()}


def _members(path: str | Path, block: Block, numbers: Array, known: set[int], sets: dict[str, Array]) -> Array:
    """Return which nodes a block puts into a set; sets: those before it, by their names in capitals.

    Ranges (GENERATE) may have gaps. Raises ModelError for other numbers without a node.
    """
    found = np.zeros(len(numbers), dtype=bool)
    if block.keyword == "NODE":
        return np.isin(numbers, [int(numbers_of(path, line)[0]) for line in block.data])
    if "GENERATE" in block.parameters:
        for line in block.data:
            found |= _generated(path, line, numbers)
        return found
    if "ELSET" in block.parameters:  # the nodes of elements, which are not looked for
        return found
    own = list[int]()
    for line in block.data:
        for word in filter(None, map(str.strip, line[1].split(","))):
            label = word.strip('"').upper()
            label = label if label in sets else label.rpartition(".")[2]  # a name of an instance before it
            if label in sets:
                found |= sets[label]
            elif label.isdecimal() and len(label) < 12 and int(label) in known:
                own.append(int(label))
            else:
                raise ModelError(
                    f"{path}, line {line[0]}: the set {display(block.parameters['NSET'])} has {display(word)}, which "
                    "is no node of the file, and no set above it: give the input file of the whole model"
                )
    return found | np.isin(numbers, own)


def _generated(path: str | Path, line: Line, numbers: Array) -> Array:
    """Return which nodes lie in a range: first, last, step."""
    first, last, step = (*whole_numbers(path, line), 1, 1, 1)[:3]
    if step < 1:
        raise ModelError(f"{path}, line {line[0]}: the step of a set is {step}: give first, last, step")
    return np.asarray((numbers >= first) & (numbers <= last) & ((numbers - first) % step == 0))
