"""The constants of a generated module: where numbers lie in the record, how many there are, tables of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernels import closed_names, names
from ..kernels.declarations import bound
from ..kernels.loops import Order
from . import closed_module

if TYPE_CHECKING:
    from .module import ModuleWriter


def text(writer: ModuleWriter) -> str:
    """All constants of a module whose functions are written."""
    s = writer.structure
    numbers, tables = bound(names, writer.layout, _numbers(writer), _tables(writer))
    if s.places:
        given = closed_module.numbers(writer, s.places), closed_module.tables(writer, s.places)
        more_numbers, more_tables = bound(closed_names, writer.layout, *given)
        numbers, tables = numbers | more_numbers, tables | more_tables
    lines = [f"{name} = {_shown(value)}" for name, value in numbers.items()]
    for name, values in (tables | writer.tables).items():
        lines += array(name, values)
    return "\n".join([*lines, *(f"ZEROS_{k} = (0.0,) * {k}" for k in sorted(writer.loops.widths))])


def _shown(value: float) -> str:
    """A number as text; numba specialises on plain integers."""
    return repr(value) if isinstance(value, float) else f"np.int64({value})"


def _numbers(writer: ModuleWriter) -> dict[str, float]:
    """What does not follow from the layout."""
    s = writer.structure
    return {
        "N_LINKS": len(s.names), "N_PACKED": len(_packing(writer)[0]), "N_COLUMNS": len(s.columns) + 1,
        "N_QUATERNIONS": len(s.quaternions), "N_LOCKS": len(s.locked), "N_KNOTS": len(s.knots) // 2,
        "READY_STEPS": int(s.order.loops or writer.layout["drive_means"].size > 0),
        "FRESH_AT_END": 0.0 if s.places else 2.0 if s.quaternions else 3.0,
        # Behind a rejected step none grows, but in closed loops: there a rejection may tell of a singular position
        # ahead, and steps that creep up on it end so near to it that velocities, by 1 / distance, lose their digits.
        "REGROWTH": 5.0 if s.places else 1.0,
    }  # fmt: skip


def _tables(writer: ModuleWriter) -> dict[str, list[int]]:
    """Integers by name."""
    s = writer.structure
    packed, unpacked = _packing(writer)
    return {
        "CLASS": list(s.order.of_link), "PARENT": list(s.order.parent), "CHILDREN": list(s.order.children),
        "SLOT": slots(s.order), "Q_INDEX": s.first["coordinates"], "U_INDEX": s.first["rates"],
        "DRIVEN_Q_INDEX": s.first["driven_coordinates"], "DRIVEN_U_INDEX": s.first["driven_rates"],
        "PACKED": packed, "UNPACKED": unpacked, "QUATERNIONS": s.quaternions, "COLUMNS": [0, *s.columns],
        "LOCKED": s.locked, "KNOTS": s.knots, "EVENT_DIRECTIONS": [direction for direction, _ in s.events],
        "STOPS": [int(stop) for _, stop in s.events],
    }  # fmt: skip


def _packing(writer: ModuleWriter) -> tuple[list[int], list[int]]:
    """Addresses of the packed constants, and of where each comes from."""
    bodies, constants = writer.layout["bodies"], writer.layout["constants"]
    packed, unpacked = [], []
    for i, kind in enumerate(writer.structure.order.of_link):
        for which, place in writer.steps[kind].packing.items():
            packed.append(constants.start + i * constants.stride + place)
            unpacked.append(bodies.start + i * bodies.stride + which)
    return packed, unpacked


def slots(order: Order) -> list[int]:
    """The branch slot of each link with several children; 0 where it is never used."""
    out, count = [], 0
    for children in order.children:
        out.append(count if children > 1 else 0)
        count += children > 1
    return out


def array(name: str, values: list[int]) -> list[str]:
    """A constant array; one entry at least, since an empty one has no type to compile."""
    shown = values or [0]
    rows = [", ".join(map(str, shown[i : i + 24])) for i in range(0, len(shown), 24)]
    if len(rows) == 1:
        return [f"{name} = np.array([{rows[0]}], dtype=np.int64)"]
    return [
        f"{name} = np.array(",
        "    [",
        *(f"        {row}," for row in rows),
        "    ],",
        "    dtype=np.int64,",
        ")",
    ]
