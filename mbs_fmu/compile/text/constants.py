"""The constants of a generated module: addresses in the record, sizes, tables of integers."""

from __future__ import annotations

from ...kernels import constants, tolerances
from ...kernels.declarations import fixed, of_model
from ...record import schema
from ...record.codes import Fresh
from ...record.flat_names import constants_of
from ...record.layout import bound
from . import loop_module
from .link_loops import Order, leader_table
from .writer import CodeWriter

#: Names of the constant tables.
TABLES = schema.TABLES.keys() | {own for table in schema.TABLES.values() for own in (table.separate or {}).values()}


def values(writer: CodeWriter) -> tuple[dict[str, float], dict[str, list[int]], tuple[int, ...]]:
    """Return numbers, tables and `zeros` of a module; its functions must have been written before.

    Raises LookupError for supplied numbers and tables that no module declares.
    """
    supplied, tables = _supplied(writer)
    nameless = (supplied.keys() - of_model(constants) - schema.DIMENSIONS.keys()) | (tables.keys() - TABLES)
    if nameless:
        raise LookupError(f"record/schema.py and kernels/constants.py do not declare {', '.join(sorted(nameless))}")
    numbers = fixed(constants) | fixed(tolerances) | constants_of(writer.layout) | supplied
    leaders = {leader_table(n): list(rates) for n, rates in enumerate(writer.structure.order.leaders)}
    return numbers, tables | leaders | writer.tables, zeros(writer)


def zeros(writer: CodeWriter) -> tuple[int, ...]:
    """Return the widths of the tuples of zeros with which loops over links begin."""
    return tuple(sorted(writer.link_loops.widths))


def _supplied(writer: CodeWriter) -> tuple[dict[str, float], dict[str, list[int]]]:
    """Return the numbers and tables that do not follow from the layout, by name."""
    numbers, tables = _numbers(writer), _tables(writer)
    if writer.row_addresses:
        numbers |= loop_module.numbers(writer)
        tables |= loop_module.tables(writer, writer.row_addresses)
    if writer.row_addresses or writer.gathered.feet:
        numbers |= {"N_CONTACTS": len(writer.gathered.contacts), "N_FEET": len(writer.gathered.feet)}
        tables |= {"CONTACT": writer.gathered.contacts}
    elastic, structure = writer.structure.elastic, writer.structure
    if elastic.links:
        numbers |= {"N_ELASTIC": len(elastic.links), "N_NODES": len(elastic.nodes) // 2}
        tables |= elastic.tables(structure.order.parent, structure.first["rates"]) | {
            "STATIC_MODES": structure.static_modes
        }
    return numbers, tables


def _numbers(writer: CodeWriter) -> dict[str, float]:
    """Return the numbers that do not follow from the layout, by name."""
    s = writer.structure
    return {
        "N_LINKS": len(s.order.names), "N_PACKED": len(_packing(writer)[0]), "N_COLUMNS": len(s.columns) + 1,
        "N_QUATERNIONS": len(s.quaternions), "N_LOCKS": len(s.locked), "N_KNOTS": len(writer.gathered.knots),
        "READY_STEPS": int(s.order.loops or writer.layout["drive_means"].size > 0),
        "FRESH_AT_END": float(
            Fresh.stale if writer.row_addresses else Fresh.derivatives if s.quaternions else Fresh.rates
        ),
        # After a rejected step, the step size may grow in closed loops only. A singular position may be ahead there:
        # small steps would end so close to it that velocities, which vary as 1 / distance, lose their digits.
        "REGROWTH": 5.0 if writer.row_addresses else 1.0,
    }  # fmt: skip


def _tables(writer: CodeWriter) -> dict[str, list[int]]:
    """Return the constant arrays of integers, by name."""
    s = writer.structure
    packed, unpacked = _packing(writer)
    return {
        "CLASS": list(s.order.of_link), "PARENT": list(s.order.parent), "CHILDREN": list(s.order.children),
        "SLOT": slots(s.order), "Q_INDEX": s.first["coordinates"], "U_INDEX": s.first["rates"],
        "DRIVEN_Q_INDEX": s.first["driven_coordinates"], "DRIVEN_U_INDEX": s.first["driven_rates"],
        "PACKED": packed, "UNPACKED": unpacked, "COLUMNS": [0, *s.columns],
        "QUATERNIONS": [bound(x, writer.layout) for x in s.quaternions],
        "LOCKED": [bound(x, writer.layout) for x in s.locked],
        "KNOTS": [n for first, size in writer.gathered.knots for n in (bound(first, writer.layout), size)],
        "EVENT_DIRECTIONS": [direction for direction, _ in s.events],
        "STOPS": [int(stop) for _, stop in s.events],
        **writer.gathered.samples.tables(writer.layout), **writer.gathered.near.tables,
    }  # fmt: skip


def _packing(writer: CodeWriter) -> tuple[list[int], list[int]]:
    """Return the addresses of the packed constants, and those of their sources."""
    bodies, constants = writer.layout["bodies"], writer.layout["constants"]
    packed, unpacked = [], []
    for i, link_class in enumerate(writer.structure.order.of_link):
        for which, offset in writer.steps.of_class[link_class].packing.items():
            packed.append(constants.start + i * constants.stride + offset)
            unpacked.append(bodies.start + i * bodies.stride + which)
    return packed, unpacked


def slots(order: Order) -> list[int]:
    """Return the branch slot of each link with several children; 0 for all others, which use none."""
    of_links, count = [], 0
    for children in order.children:
        of_links.append(count if children > 1 else 0)
        count += children > 1
    return of_links
