"""Laws as text: those of equal form share one loop over a table of addresses.

So neither the size of the generated text nor its compile time grows with the number of bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..record.layout import Directions, Layout, Load, bound
from ..symbolic.emit import Block, is_constant, shared, with_tangents
from ..symbolic.expressions import Expression, leaf
from ..symbolic.graph import rebuild, topological
from .law import Law

LOOP_FROM = 3  #: this many laws of one form are written as a loop


@dataclass
class Emitted:
    """Lines of code (unindented) and the address tables they use."""

    lines: list[str] = field(default_factory=list)
    tables: dict[str, list[int]] = field(default_factory=dict)


def emit_laws(laws: Sequence[Law], prefix: str, layout: Layout, along: Directions = ()) -> Emitted:
    """Code for the laws in order of first appearance, with tangents."""
    groups: dict[object, list[tuple[Law, list[Load]]]] = {}
    for law in laws:
        key, addresses = _form(law, bool(along))
        groups.setdefault(key, []).append((law, addresses))
    out = Emitted()
    for members in groups.values():
        if len(members) < LOOP_FROM:
            for law, _ in members:
                out.lines += [f"# {law.label}", *_block(law, law.assignments, layout, is_constant, along)]
        else:
            _emit_loop(members, f"{prefix}{len(out.tables)}", layout, along, out)
    return out


def _form(law: Law, tangents: bool) -> tuple[object, list[Load]]:
    """A key that laws of the same form share, and the law's addresses in the form's order.

    With tangents, only addresses that are constants in both are of the same form.
    """
    roots = shared([e for _, e in law.assignments])
    slots: dict[Load, int] = {}
    for target, _ in law.assignments:
        slots.setdefault(target, len(slots))
    number: dict[int, int] = {}
    form: list[object] = []
    for node in topological(roots):
        if node.op == "leaf":
            slot = slots.setdefault(node.value, len(slots))
            entry: object = (node.value.array, slot, tangents and is_constant(node.value))
        else:
            entry = (node.op, tuple(number[id(a)] for a in node.args), node.value)
        number[id(node)] = len(form)
        form.append(entry)
    targets = tuple(slots[t] for t, _ in law.assignments)
    return (tuple(form), targets, tuple(number[id(r)] for r in roots), law.accumulate), list(slots)


def _block(
    law: Law,
    assignments: list[tuple[Load, Expression]],
    layout: Layout,
    constant: Callable[[Load], bool],
    along: Directions,
) -> list[str]:
    pairs = with_tangents(assignments, along, constant, law.accumulate)
    accumulate = frozenset(t for t, _ in pairs) if law.accumulate else frozenset()
    return Block(pairs, layout, accumulate).parts()[0]


def _emit_loop(
    members: list[tuple[Law, list[Load]]], table: str, layout: Layout, along: Directions, out: Emitted
) -> None:
    """One loop for laws of one form: row k of the table holds the addresses of the k-th law."""
    law, addresses = members[0]
    width = len(addresses)
    fixed = {slot for slot in range(width) if is_constant(addresses[slot])}
    generic = {address: Load(address.array, "", 0, f"a{slot}") for slot, address in enumerate(addresses)}
    roots = rebuild([e for _, e in law.assignments], lambda n: leaf(generic[n.value]) if n.op == "leaf" else None)
    assignments = [(generic[t], root) for (t, _), root in zip(law.assignments, roots, strict=True)]
    body = _block(law, assignments, layout, lambda load: int(load.base[1:]) in fixed, along)
    out.tables[table] = [bound(address, layout) for _, row in members for address in row]
    out.lines += [f"# {law.label} and {len(members) - 1} more of the same form", f"for k in range({len(members)}):"]
    out.lines += [f"    a{slot} = {table}[{width} * k + {slot}]" for slot in range(width)]
    out.lines += ["    " + line for line in body]
