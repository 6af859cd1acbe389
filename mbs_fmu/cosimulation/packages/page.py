"""HTML page inside a package: diagram of the system, elements with start values, and connections."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ...fmi.documentation import HEAD
from ..order import Link, label
from .diagram import svg
from .structure import Structure

PAGE = (
    HEAD
    + """<h1>{name}</h1>
<p>{experiment}</p>
{diagram}
<h2>Elements</h2>
<table><tr><th>name</th><th>FMU</th><th>start values</th></tr>
{elements}
</table>
<h2>Connections</h2>
<table><tr><th>from</th><th>to</th><th>unit</th></tr>
{connections}
</table>
</body></html>
"""
)


def page(structure: Structure) -> str:
    """Return the page."""
    files = structure.files()
    return PAGE.format(
        name=escape(structure.name),
        experiment=f"Runs from 0 to {structure.stop_time:g} s with communication steps of {structure.step:g} s.",
        diagram=svg(structure),
        elements="\n".join(_row((name, files[name], _start(structure, name))) for name in structure.elements),
        connections="\n".join(_row((label(x.source), _target(x), x.target[1].variable.unit or "")) for x in
                              structure.links),
    )  # fmt: skip


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _start(structure: Structure, name: str) -> str:
    pairs = structure.start.get(name, ())
    return ", ".join(f"{slot.name} = {value} {slot.variable.unit or ''}".rstrip() for slot, value in pairs)


def _target(link: Link) -> str:
    """Return the input of a connection, with what it gets if that is not the output itself."""
    if (link.factor, link.offset) == (1.0, 0.0):
        return label(link.target)
    return f"{label(link.target)} = {link.factor:g} x + {link.offset:g}"
