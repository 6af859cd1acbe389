"""Pairs of bodies that may collide, and pairs of their shapes, in the order that contacts require."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..data import ModelData
from ..forces.contact_shapes import MEETINGS, listed_shapes
from ..geometry.vectors import is_list
from ..items import WORLD
from ..names import place

ShapePair = tuple[Any, Any]  #: a shape for side a of a contact and one for side b


def colliding(
    model: ModelData, shapes: Mapping[Any, Any], exclude: Any, thing: str
) -> Iterator[tuple[str, str, list[ShapePair]]]:
    """Yield the bodies a and b of each contact between several bodies, with the pairs of their shapes.

    shapes, exclude: as of `Model.contacts`. Raises ModelError for unknown bodies, and if no pair of bodies is left.
    """
    own = {place(model, body, thing): listed_shapes(given, thing) for body, given in shapes.items()}
    left_out = excluded(model, own, exclude, thing)
    pairs = [
        (a, b)
        for a, b in itertools.combinations(own, 2)
        if not ({a, b} in left_out or are_joined(model, a, b))
    ]  # fmt: skip
    if not pairs:
        raise ModelError(f"{thing}: no two of these bodies can collide: give shapes of two that no joint connects")
    for a, b in pairs:
        forward, backward = _in_order(own[a], own[b])
        if forward:
            yield a, b, forward
        if backward:
            yield b, a, backward


def are_joined(model: ModelData, a: str, b: str) -> bool:
    """True if one body is the parent of the other; their shapes may overlap at the joint. Not so for the world."""
    parents = [None if name == WORLD else model.bodies[name].parent for name in (a, b)]
    return WORLD not in (a, b) and (parents[0] == b or parents[1] == a)


def excluded(model: ModelData, own: Mapping[str, Any], exclude: Any, thing: str) -> list[set[str]]:
    """Return the pairs of bodies to leave out. Raises ModelError for anything but pairs of bodies with shapes."""
    left_out = []
    for pair in exclude if is_list(exclude) else [exclude]:
        if not is_list(pair) or len(pair) != 2:
            raise ModelError(f"{thing}: exclude has {display(pair)}: give pairs of bodies, such as [('hand', 'table')]")
        names = [place(model, body, thing) for body in pair]
        for name in names:
            if name not in own:
                raise ModelError(f"{thing}: exclude has body {name!r}, which has no shape in this call: leave it out")
        left_out.append(set(names))
    return left_out


def _in_order(a: Sequence[Any], b: Sequence[Any]) -> tuple[list[ShapePair], list[ShapePair]]:
    """Return the pairs of the shapes of two bodies, and those that can only meet with the shape of b on side a.

    Pairs that cannot meet at all are among the first, and the contact refuses them.
    """
    forward, backward = [], []
    for x, y in itertools.product(a, b):
        if type(y) in MEETINGS.get(type(x), {}) or type(x) not in MEETINGS.get(type(y), {}):
            forward.append((x, y))
        else:
            backward.append((y, x))
    return forward, backward
