"""Text of laws. Laws of the same form share one loop over a table of addresses.

Neither the size of the generated text nor its compile time therefore grows with the number of bodies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.branches import UNLESS
from ...record.layout import Directions, Layout, Load, Local
from ...symbolic.emit import AssignmentBlock, address, is_constant, with_tangents
from ...symbolic.expressions import leaf
from ...symbolic.graph import rebuild
from ..laws.law import Law, indices

LOOP_FROM = 3  #: least number of laws of one form that are written as a loop
TANGENTS_FROM = 2  #: the same for the tangents of large laws, whose text is long
LARGE = 24  #: a law with more addresses is large
BRANCH = UNLESS.partition("{")[0]  #: beginning of a branch that only saves time
ADDRESS = re.compile(r"\ba\d+\b")  #: name of an address in a loop


@dataclass
class Emitted:
    """Lines of code, unindented, and the address tables that they use."""

    lines: list[str] = field(default_factory=list)
    tables: dict[str, list[int]] = field(default_factory=dict)
    branches: bool = False  #: some lines are branches that only save time (record/branches.py)


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
    emitted = Emitted(branches=not along and any(law.pattern.unless is not None for law in laws))
    for members in _of_one_form(laws, constant if along else lambda address: True):
        large = bool(along) and len(members[0].pattern.form.addresses) > LARGE
        if len(members) < (TANGENTS_FROM if large else LOOP_FROM):
            for law in members:
                emitted.lines += [f"# {law.label}", *law_lines(law.own, layout, constant, along)]
        else:
            _emit_loop(members, f"{prefix}{len(emitted.tables)}", layout, along, constant, emitted)
    return emitted


def _of_one_form(laws: Sequence[Law], constant: Callable[[Load], bool]) -> Iterable[list[Law]]:
    """Return the laws in groups of one form, in which the same addresses are constant."""
    groups: dict[object, list[Law]] = {}
    of_pattern: dict[int, list[Law]] = {}
    for law in laws:
        pattern = law.pattern
        if id(pattern) not in of_pattern:
            form = pattern.form
            key = form.key, tuple(constant(form.addresses[slot]) for slot in form.read)
            of_pattern[id(pattern)] = groups.setdefault(key, [])
        of_pattern[id(pattern)].append(law)
    return groups.values()


def law_lines(law: Law, layout: Layout, constant: Callable[[Load], bool], along: Directions) -> list[str]:
    """Return the lines of a law, in a branch if it often changes nothing, within one for its bound.

    With tangents, which are rarely evaluated, there is no branch.
    """
    whole = _lines(law, layout, constant, along)
    if law.unless is None or along:
        return whole
    number, bound = Local("number"), law.unless.bound
    lines, texts = AssignmentBlock([(number, law.unless.number)], layout).parts()
    lines += [UNLESS.format(texts[number.name]), *_indented(whole)]
    return lines if bound is None else [UNLESS.format(address(bound.value, layout)), *_indented(lines)]


def _indented(lines: Iterable[str]) -> list[str]:
    return ["    " + line for line in lines]


def _lines(law: Law, layout: Layout, constant: Callable[[Load], bool], along: Directions) -> list[str]:
    count = len(law.assignments) - law.replacing if law.accumulate else 0
    added = with_tangents(law.assignments[:count], along, constant, True)
    replaced = with_tangents(law.assignments[count:], along, constant)
    return AssignmentBlock([*added, *replaced], layout, frozenset(t for t, _ in added)).parts()[0]


def _emit_loop(
    members: Sequence[Law],
    table: str,
    layout: Layout,
    along: Directions,
    constant: Callable[[Load], bool],
    emitted: Emitted,
) -> None:
    """Write one loop for laws of one form; row k of the table contains the addresses of the k-th law.

    The table omits addresses that increase by a constant from row to row, and those at a constant distance from
    another.
    """
    whole, addresses = members[0].own, members[0].form.addresses
    fixed = {slot for slot, address in enumerate(addresses) if constant(address)}
    generic = {address: Load(address.array, "", 0, f"a{slot}") for slot, address in enumerate(addresses)}
    roots = rebuild(whole.roots, lambda n: leaf(generic[n.value]) if n.op == "leaf" else None)
    general = whole.with_roots(roots, generic.__getitem__)
    body = law_lines(general, layout, lambda load: int(load.base[1:]) in fixed, along)
    values, columns = _columns(indices(members, layout))
    if columns:
        emitted.tables[table] = np.column_stack(columns).ravel().tolist()
    emitted.lines += [f"# {whole.label} and {len(members) - 1} more of the same form"]
    emitted.lines += [f"for k in range({len(members)}):"]
    texts = [value.format(table=table, width=len(columns)) for value in values]
    emitted.lines += _indented(_with_addresses(texts, body))


def _with_addresses(values: Sequence[str], body: Sequence[str]) -> list[str]:
    """Return the body of a loop, after the lines that set its addresses; in a branch for a bound, after this branch.

    values: texts of the addresses, by slots.
    """
    first = body[:1] if body[0].startswith(BRANCH) else body
    outside = _read(values, first)
    inside = [pair for pair in _read(values, body) if pair not in outside]
    lines, rest = [[f"a{slot} = {value}" for slot, value in part] for part in (outside, inside)], body[len(first) :]
    return [*lines[0], *first, *_indented(lines[1]), *rest]


def _read(values: Sequence[str], body: Sequence[str]) -> list[tuple[int, str]]:
    """Return the slots of addresses that the body of a loop reads, also by those of others, with their values.

    Tangents do not read the numbers of shorter forms.
    """
    read = set(ADDRESS.findall("\n".join(body)))
    found = []
    for slot in reversed(range(len(values))):  # a value may depend on a slot before it
        if f"a{slot}" in read:
            read |= set(ADDRESS.findall(values[slot]))
            found.append((slot, values[slot]))
    return found[::-1]


def _columns(rows: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    """Return the text of each address in row k, with {table} and {width}, and the columns of the table.

    rows: addresses of each law, (laws, addresses).
    """
    values: list[str] = []
    columns: list[np.ndarray] = []
    known: dict[bytes, int] = {}
    for slot, column in enumerate(rows.T):
        start, steps = int(column[0]), np.diff(column)
        first = known.setdefault(steps.tobytes(), slot)
        if (steps == steps[0]).all():
            values.append(_plus(start, int(steps[0]), " * k") if steps[0] else str(start))
        elif first < slot:
            values.append(_plus(f"a{first}", start - int(rows[0, first])))
        else:
            values.append(f"{{table}}[{{width}} * k + {len(columns)}]")
            columns.append(column)
    return values, columns


def _plus(term: int | str, number: int, factor: str = "") -> str:
    """Return the text of a sum with a number, times a factor."""
    return f"{term} {'-' if number < 0 else '+'} {abs(number)}{factor}"
