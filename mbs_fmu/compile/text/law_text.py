"""Text of laws. Laws of the same form share one loop over a table of addresses.

Neither the size of the generated text nor its compile time therefore grows with the number of bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass
from ...integrate.lanes.branches import UNLESS
from ...record.layout import Directions, Layout, Load, Local, bound
from ...symbolic.emit import AssignmentBlock, is_constant, with_tangents
from ...symbolic.expressions import Expression, leaf
from ...symbolic.graph import rebuild
from ..laws.law import Law, MovedLaw

LOOP_FROM = 3  #: least number of laws of one form that are written as a loop
TANGENTS_FROM = 2  #: the same for the tangents of large laws, whose text is long
LARGE = 24  #: a law with more addresses is large


@dataclass
class Emitted:
    """Lines of code, unindented, and the address tables that they use."""

    lines: list[str] = field(default_factory=list)
    tables: dict[str, list[int]] = field(default_factory=dict)


def emit_laws(
    laws: Sequence[Law],
    prefix: str,
    layout: Layout,
    along: Directions = (),
    constant: Callable[[Load], bool] = is_constant,
) -> Emitted:
    """Return code for the laws, in the order in which their forms first occur, with tangents along directions.

    With tangents, laws have the same form only if the same addresses in them are constant according to `constant`.
    """
    groups: dict[object, list[Law]] = {}
    for law in laws:
        form = law.form
        constants = tuple(constant(form.addresses[slot]) for slot in form.read) if along else ()
        groups.setdefault((form.key, constants), []).append(law)
    emitted = Emitted()
    for members in groups.values():
        large = bool(along) and len(members[0].form.addresses) > LARGE
        if len(members) < (TANGENTS_FROM if large else LOOP_FROM):
            for law in members:
                whole = law.own if isinstance(law, MovedLaw) else law
                emitted.lines += [f"# {law.label}", *_block(whole, layout, constant, along)]
        else:
            _emit_loop(members, f"{prefix}{len(emitted.tables)}", layout, along, constant, emitted)
    return emitted


def _block(law: Law, layout: Layout, constant: Callable[[Load], bool], along: Directions) -> list[str]:
    """Return the lines of a law, with a branch if it has a shorter form.

    With tangents, which are rarely evaluated, the shorter form is not used.
    """
    if law.otherwise is None or along:
        return _lines(law, law.assignments, layout, constant, along)
    number = Local("number")
    block = AssignmentBlock([(number, law.otherwise.number)], layout)
    lines, texts = block.parts()
    return [
        *lines,
        UNLESS.format(texts[number.name]),
        *("    " + line for line in _lines(law, law.assignments, layout, constant, along)),
        "else:",
        *("    " + line for line in _lines(law, law.otherwise.assignments, layout, constant, along) or ["pass"]),
    ]


def _lines(
    law: Law,
    assignments: list[tuple[Load, Expression]],
    layout: Layout,
    constant: Callable[[Load], bool],
    along: Directions,
) -> list[str]:
    pairs = with_tangents(assignments, along, constant, law.accumulate)
    accumulate = frozenset(t for t, _ in pairs) if law.accumulate else frozenset()
    return AssignmentBlock(pairs, layout, accumulate).parts()[0]


def _emit_loop(
    members: Sequence[Law],
    table: str,
    layout: Layout,
    along: Directions,
    constant: Callable[[Load], bool],
    emitted: Emitted,
) -> None:
    """Write one loop for laws of one form; row k of the table contains the addresses of the k-th law."""
    law, addresses = members[0], members[0].form.addresses
    width = len(addresses)
    fixed = {slot for slot in range(width) if constant(addresses[slot])}
    generic = {address: Load(address.array, "", 0, f"a{slot}") for slot, address in enumerate(addresses)}
    whole = law.own if isinstance(law, MovedLaw) else law
    roots = rebuild(whole.roots, lambda n: leaf(generic[n.value]) if n.op == "leaf" else None)
    general = whole.with_roots(roots, generic.__getitem__)
    body = _block(general, layout, lambda load: int(load.base[1:]) in fixed, along)
    emitted.tables[table] = [bound(address, layout) for member in members for address in member.form.addresses]
    emitted.lines += [f"# {law.label} and {len(members) - 1} more of the same form", f"for k in range({len(members)}):"]
    emitted.lines += [f"    a{slot} = {table}[{width} * k + {slot}]" for slot in range(width)]
    emitted.lines += ["    " + line for line in body]
