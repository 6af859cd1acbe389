"""Parts of a generated module for contacts with a list of near pairs: their laws, and the selection of a pair's law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ...kernels import near_forces
from ...kernels.dual import dual
from ...kernels.sources import kernel, kernels_of
from ...record.kernel_module import ModuleFunction
from ...record.layout import Directions, arrays
from ..laws.law import LINKED, Law
from ..laws.near import NUMBERS, OF_LINK, SIDES
from . import link_loops
from .common import common_functions
from .law_text import law_lines
from .link_loops import indent, suffix
from .writer import CodeWriter

FORCES = kernels_of(near_forces)
OF_PAIR = ("add_wrenches_of_pair", "add_energy_of_pair")  #: functions that select the law of a pair
#: Index variables of a side with their values: a is the shape, m the number of the law.
INDICES = {
    **{base: f"NEAR_LINK[{{shape}}] * {LINKED[region]}" for region, base in OF_LINK.items()},
    NUMBERS: "NEAR_NUMBER[(2 * {meeting} + {side}) * N_NEAR + {shape}]",
}
ARGUMENTS = [base + side for side in SIDES for base in INDICES]


def functions(writer: CodeWriter, along: Directions) -> list[ModuleFunction]:
    """Return the laws of near pairs, and the kernels that add them; or their tangents."""
    if writer.gathered.near.sizes is None:
        return []
    groups = {"wrenches": writer.laws.near_wrenches, "energy": writer.laws.near_energies}
    own = [f for what, laws in groups.items() if laws for f in _of_pair(writer, what, laws, along)]
    names = [name for name in FORCES if writer.laws.near_energies or "energies" not in name]
    return [*own, *common_functions(f"near pairs {along} {names}", lambda: _kernels(names, along))]


def _kernels(names: Sequence[str], along: Directions) -> list[ModuleFunction]:
    return [kernel(dual(FORCES[name], OF_PAIR, along)) for name in names]


def _of_pair(writer: CodeWriter, what: str, laws: Sequence[Law], along: Directions) -> Iterator[ModuleFunction]:
    """Yield a function for the law of each meeting, and the one that selects the law of a pair."""
    rest, d = iter(laws), suffix(along)
    records = ", ".join(arrays(along))
    lines = ["a = i", "b = j", "law = law_of(i, j)", "if law == 0:", "    a = j", "    b = i", "    law = law_of(j, i)"]
    for meeting, count in enumerate(writer.gathered.near.points):
        body = [line for law in islice(rest, count) for line in law_lines(law, writer.layout, writer.constant, along)]
        name = f"near_{what}_{meeting}{d}"
        doc = '"""The contact of two shapes: their poses, twists and numbers are at the given indices."""'
        yield link_loops.kernel(name, f"{records}, {', '.join(ARGUMENTS)}", [doc, *body], branches=not along)
        values = [
            text.format(shape=side, meeting=meeting, side=n)
            for n, side in enumerate(SIDES)
            for text in INDICES.values()
        ]
        lines += [f"if law == {meeting + 1}:", *indent([f"{name}({records},", *indent([f"{x}," for x in values]), ")"])]
    doc = f'"""Add the {what} of the contact of two shapes."""'
    yield link_loops.kernel(f"add_{what}_of_pair{d}", f"{records}, i, j", [doc, *lines])
