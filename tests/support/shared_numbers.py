"""Names of the record that stand for the same numbers, such as `x` and `q`, `counters` and `rebasings`."""

from __future__ import annotations

import functools
from dataclasses import fields
from typing import Any

from mbs_fmu.record.regions import layout_of
from mbs_fmu.record.sizes import LoopSizes, NearSizes, Sizes
from support.views import Views


@functools.cache
def full_record() -> Views:
    """Return the places of all declarations in a record that has all of them."""
    return Views(layout_of(made(Sizes, loops=made(LoopSizes), near=made(NearSizes))))


def made(sizes: type, **given: Any) -> Any:
    """Return sizes of a model that has everything: two or more of each kind."""
    return sizes(**{f.name: True if f.type == "bool" else 2 + k for k, f in enumerate(fields(sizes))} | given)


def overlap(name: str, other: str) -> bool:
    """True if two names have numbers in common: attributes of the record, or members of their blocks.

    Raises KeyError if the second one is no attribute of the record.
    """
    (first, _, member), (second, _, another) = name.partition("."), other.partition(".")
    if first == second:
        return member.startswith(another) or another.startswith(member)
    numbers = full_record().numbers(second)
    own = full_record().numbers(first) if first.isidentifier() else range(0)
    return own.start < numbers.stop and numbers.start < own.stop
