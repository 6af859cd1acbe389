"""Names of the schema's numbers in flat text, and their values: addresses, sizes, indices in blocks.

Flat text has one scope, and every name in it is an integer constant of the module: `R.reduced_rows[k, h]` is
`R[REDUCED_ROWS + 6 * k + h]`, `reset.last` is `R[reset + RESET_LAST]`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from math import prod

from . import schema
from .fields import Declaration, Struct, is_array, members
from .layout import RecordLayout
from .regions import shape_of

ARRAYS = tuple(value for value in vars(schema).values() if isinstance(value, type) and is_array(value))
RECORD_BLOCKS = (schema.HeadNumbers, schema.LoopNumbers)  #: blocks whose numbers are attributes of the record itself


def name_of(d: Declaration) -> str:
    """Return the name of an address, such as `REDUCED_ROWS`, or of an index in a block, such as `RESET_LAST`.

    One letter is the name of an array in kernels, so the address of a region of one letter ends with 0: `Q0`.
    """
    if d.owner in RECORD_BLOCKS:
        return d.name.upper()
    if d.owner is schema.Record:
        return d.flat.upper() if len(d.flat) > 1 else f"{d.flat.upper()}0"
    return f"{snake(d.owner)}_{d.name}".upper()


def size_name(block: type[Struct]) -> str:
    """Return the name of the size of a block: `RESET_SIZE`."""
    return f"{snake(block)}_SIZE".upper()


def snake(owner: type) -> str:
    """Return the name of a class in snake case."""
    return _snake(owner.__name__)


@functools.cache
def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def flat_names() -> list[str]:
    """Return all names in flat text: of sizes, tables and their columns, regions and numbers. None occurs twice."""
    names = [*schema.DIMENSIONS, *(name for name, table in schema.TABLES.items() if table.separate is None)]
    names += [name for table in schema.TABLES.values() for name in (table.separate or {}).values()]
    for owner in (*ARRAYS, *schema.BLOCKS.values()):
        names += [name_of(d) for d in members(owner).values() if not d.repeats]  # TAIL is a dimension
    return names + [size_name(block) for block in schema.BLOCKS.values()]


# -- values ----------------------------------------------------------------------------------------------------


def constants_of(layout: RecordLayout) -> dict[str, int]:
    """Return the constants that the schema and the sizes of a model determine, by their names in flat text."""
    values = {name: n.size(layout.sizes) for name, n in schema.DIMENSIONS.items() if n.size is not None}
    for owner in ARRAYS:
        values |= _addresses(owner, layout)
    for block in schema.BLOCKS.values():
        values[size_name(block)] = block.size
        if block not in RECORD_BLOCKS:
            values |= {name_of(d): d.offset for d in members(block).values()}
    return values


def _addresses(owner: type, layout: RecordLayout) -> dict[str, int]:
    """Return the addresses of the regions and numbers of an array, without those that a model does not have."""
    places: dict[str, int] = {}
    for d, start in _starts(owner, layout):
        places[d.name] = start
        if d.block in RECORD_BLOCKS:
            places |= {name: start + member.offset for name, member in members(d.block).items()}
    for d in members(owner).values():
        if d.overlay in places:
            places[d.name] = places[d.overlay]
    declared = {name: d for c in reversed(owner.__mro__) for name, d in members(c).items()}
    return {name_of(declared[name]): place for name, place in places.items()}


def _starts(owner: type, layout: RecordLayout) -> Iterator[tuple[Declaration, int]]:
    """Yield the regions of an array that a model has, each with its address."""
    place, regions = 0, set[str]()
    for d in members(owner).values():
        if d.repeats:  # without a second record, its place is the end of the record
            yield d, layout.get(d.region, layout["end"]).start
            continue
        if d.overlay or (d.only is not None and not d.only(layout.sizes)):
            continue
        if owner is schema.Record and d.region not in regions:
            place = layout[d.region].start
        regions.add(d.region)
        yield d, place
        place += prod(shape_of(d, layout.sizes))
