"""The layout of a record: its regions, computed from the schema and the sizes of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from .dimensions import N_LINKS
from .fields import Declaration, Role, members, size_of
from .layout import Layout, RecordLayout, Region
from .schema import Record
from .sizes import Sizes


def layout_of(sizes: Sizes) -> RecordLayout:
    """Return the layout of a record: the regions in the order of the schema, each behind the one before."""
    regions: dict[str, Region] = {}
    place = 0
    for d in members(Record).values():
        if d.overlay or (d.only is not None and not d.only(sizes)):
            continue
        shape = shape_of(d, sizes)
        size = place * size_of(d.repeats, sizes) if d.repeats else prod(shape)
        stride = shape[1] if len(shape) == 2 and d.shape[0] is N_LINKS else 0  # type: ignore[comparison-overlap]
        before = regions.get(d.region, Region(d.region, place, 0, stride))
        regions[d.region] = Region(d.region, before.start, before.size + size, before.stride)
        place += size
    return RecordLayout(sizes, regions | {"end": Region("end", place, 0)})


def shape_of(d: Declaration, sizes: Sizes) -> tuple[int, ...]:
    """Return the shape of a declaration's numbers in a model; for blocks, the last length is the size of one."""
    if d.when is not None and not d.when(sizes):
        return (0,)
    return (*(size_of(n, sizes) for n in d.shape), *((d.block.size,) if d.block else ()))


ROLES = {d.region: d.role for d in members(Record).values() if d.role}  #: roles of regions that have one


def changing(regions: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts of a record that steps change and later steps read: start and size of each, in their order.

    `regions` contains start and size of each region. With these parts restored, a failed step has had no effect.
    """
    return _parts(regions, lambda name: _is_changing(regions, name))


def stepped(regions: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts of `changing` that not every evaluation of the rates computes anew."""
    return _parts(regions, lambda name: _is_stepped(regions, name))


def evaluated(regions: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the other parts of a record that steps write: results of evaluations, and workspace.

    The log and a second record are left out, because nobody reads them after a step.
    """

    def is_evaluated(name: str) -> bool:
        constant = ROLES.get(name) is Role.CONSTANT or name in ("tail", "log")
        return not constant and not _is_stepped(regions, name)

    return _parts(regions, is_evaluated)


def _is_changing(regions: Mapping[str, tuple[int, int]], name: str) -> bool:
    role, is_workspace = ROLES.get(name), regions[name][0] >= regions["scratch"][0]
    return role is Role.REMEMBERED if is_workspace else role is not Role.CONSTANT


def _is_stepped(regions: Mapping[str, tuple[int, int]], name: str) -> bool:
    return ROLES.get(name) is not Role.EVALUATED and _is_changing(regions, name)


def _parts(regions: Mapping[str, tuple[int, int]], chosen: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Return start and size of the parts of a record that consist of chosen regions."""
    parts = [(0, 0)]
    for name, (start, size) in sorted(regions.items(), key=lambda region: region[1]):
        if not size or not chosen(name):
            continue
        first, length = parts[-1]
        if first + length == start:
            parts[-1] = (first, length + size)
        else:
            parts.append((start, size))
    return parts


def state_region(layout: Layout) -> Region:
    """Return q, p, signal states and impulses of drives as one region: the state that methods integrate."""
    start = layout["q"].start
    return Region("x", start, layout["drive_impulses"].stop - start)


def rate_region(layout: Layout) -> Region:
    """Return the derivatives of `state_region`, in the same order."""
    start = layout["q_dot"].start
    return Region("f", start, layout["drive_rests"].stop - start)


def exchange_region(layout: Layout) -> Region:
    """Return the derivatives for an importer's solver, in the order of `state_region`.

    With closed loops they have a region of their own, because the solver integrates momenta without impulses Lambda
    (docs/equations_loops.md, L9).
    """
    own = layout["exchange_rates"]
    return own if own.size else rate_region(layout)
