"""Diagram of a system: blocks in columns along the direction of signals, and lines between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from ..order import Link, label
from .structure import Structure

WIDTH, HEIGHT, GAP_X, GAP_Y = 40.0, 20.0, 30.0, 12.0  #: of blocks and the gaps between them, mm
SCALE = 4.0  #: pixels per mm
MARGIN = 12.0  #: mm; lines that go back run there


class Block(NamedTuple):
    """A rectangle, mm: x to the right, y up."""

    left: float
    bottom: float
    right: float
    top: float


def blocks(structure: Structure) -> dict[str, Block]:
    """Return a block for each element: signals go from left to right, except where they close a circle."""
    columns = _columns(list(structure.elements), structure.links)
    rows: dict[int, int] = {}
    placed = {}
    for name in structure.elements:
        column = columns[name]
        row = rows[column] = rows.get(column, -1) + 1
        left, top = column * (WIDTH + GAP_X), -row * (HEIGHT + GAP_Y)
        placed[name] = Block(left, top - HEIGHT, left + WIDTH, top)
    return placed


def _columns(names: Sequence[str], links: Sequence[Link]) -> dict[str, int]:
    """Return a column for each element, by a search in depth that leaves out the links that close circles."""
    following = {name: sorted({x.target[0] for x in links if x.source[0] == name and x.target[0] != name})
                 for name in names}  # fmt: skip
    order: list[str] = []
    state = dict.fromkeys(names, "new")
    back: set[tuple[str, str]] = set()
    for first in names:
        stack = [(first, iter(following[first]))] if state[first] == "new" else []
        state[first] = "open" if stack else state[first]
        while stack:
            name, rest = stack[-1]
            other = next(rest, None)
            if other is None:
                state[name] = "done"
                order.append(name)
                stack.pop()
            elif state[other] == "open":
                back.add((name, other))
            elif state[other] == "new":
                state[other] = "open"
                stack.append((other, iter(following[other])))
    columns = dict.fromkeys(names, 0)
    for name in reversed(order):
        for other in following[name]:
            if (name, other) not in back:
                columns[other] = max(columns[other], columns[name] + 1)
    return columns


def svg(structure: Structure) -> str:
    """Return the diagram as SVG; the title of each line lists its connections."""
    placed = blocks(structure)
    files = structure.files()
    width = max(b.right for b in placed.values()) + 2 * MARGIN
    height = -min(b.bottom for b in placed.values()) + 2 * MARGIN
    pairs: dict[tuple[str, str], list[Link]] = {}
    for link in structure.links:
        pairs.setdefault((link.source[0], link.target[0]), []).append(link)
    lines = "\n".join(_line(placed, pair, links, k) for k, (pair, links) in enumerate(pairs.items()))
    shapes = "\n".join(_shape(b, name, files[name]) for name, b in placed.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-MARGIN} {-MARGIN} {width} {height}" '
        f'width="{width * SCALE:.0f}" style="max-width: 100%" font-family="sans-serif" text-anchor="middle">\n'
        '<defs><marker id="arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto">'
        f'<path d="M0 0 L6 3 L0 6 Z" fill="#445"/></marker></defs>\n{lines}\n{shapes}\n</svg>\n'
    )


def _shape(block: Block, name: str, file: str) -> str:
    middle, center = 0.5 * (block.left + block.right), -0.5 * (block.bottom + block.top)
    return (
        f'<rect x="{block.left}" y="{-block.top}" width="{WIDTH}" height="{HEIGHT}" rx="1.5" fill="#eef2f8" '
        f'stroke="#445" stroke-width="0.4"/>'
        f'<text x="{middle}" y="{center - 0.5}" font-size="{_size(name, 5.0)}">{escape(name)}</text>'
        f'<text x="{middle}" y="{center + 5}" font-size="{_size(file, 3.4)}" fill="#667">{escape(file)}</text>'
    )


def _size(text: str, most: float, width: float = WIDTH) -> float:
    """Return the height of letters with which a text fits into a width, mm; letters are about 0.6 of it wide."""
    return round(min(most, (width - 2.0) / (0.6 * max(1, len(text)))), 2)


def _line(placed: Mapping[str, Block], pair: tuple[str, str], links: Sequence[Link], number: int) -> str:
    """Return the line of all connections from one element to another."""
    a, b = (placed[name] for name in pair)
    title = "\n".join(f"{label(link.source)} to {label(link.target)}" for link in links)
    start, end = -0.5 * (a.bottom + a.top), -0.5 * (b.bottom + b.top)
    if b.left > a.right:
        middle = 0.5 * (a.right + b.left)
        path = f"M{a.right} {start} C{middle} {start} {middle} {end} {b.left} {end}"
        x, y = middle, 0.5 * (start + end)
    else:  # back, below the blocks
        low = max(-a.bottom, -b.bottom) + 4.0 + 1.5 * (number % 4)
        right, left = a.right + 6.0, b.left - 6.0
        path = f"M{a.right} {start + 4} C{right} {start + 4} {right} {low} {a.right - 6} {low} L{b.left + 6} {low} "
        path += f"C{left} {low} {left} {end + 4} {b.left} {end + 4}"
        x, y = 0.5 * (a.right + b.left), low
    names = ", ".join(dict.fromkeys(link.source[1].name for link in links[:3])) + (", ..." if len(links) > 3 else "")
    return (
        f'<g><title>{escape(title)}</title><path d="{path}" fill="none" stroke="#445" stroke-width="0.4" '
        f'marker-end="url(#arrow)"/><text x="{x}" y="{y - 1}" font-size="{_size(names, 3.2, GAP_X)}" '
        f'fill="#223">{escape(names)}</text></g>'
    )
