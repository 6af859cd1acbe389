"""Fields of model data that hold names, and the traversal that renames model data.

A field that holds names of bodies, forces, loops or signals is marked, `body: str = field(metadata=A_NAME)`. A new
class of model data needs nothing else to be included in another model.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ...symbolic.expressions import Expression, leaf
from ...symbolic.graph import leaves, remake, topological

MARK = "a name in the model"
OF_THE_MODEL = ("parameter", "input", "time")  #: roles of signals that belong to no body
A_NAME: Mapping[str, bool] = {MARK: True}  #: metadata of a field; in a list, all strings are names


class Renamed:
    """Renames model data; objects without names to change stay the same objects.

    name: maps a name to the new one. replaced: for the reference of a leaf, returns the expression that replaces the
    leaf, or None to keep it.
    """

    def __init__(self, name: Callable[[str], str], replaced: Callable[[object], Expression | None]):
        self.name, self.replaced = name, replaced
        self.things: dict[int, Any] = {}  #: renamed objects by the original's id: an object used twice stays one object
        self.formulas: dict[int, Expression] = {}  #: renamed nodes of expressions by the original's id
        self.originals: list[object] = []  #: kept alive, so that their ids are not reused

    def __call__(self, item: Any, is_name: bool = False) -> Any:
        """Return the renamed item. is_name: a string is a name, and so are those in a list."""
        if isinstance(item, str):
            return self.name(item) if is_name else item
        if isinstance(item, Expression):
            return self._formula(item)
        if is_dataclass(item) and not isinstance(item, type):
            if id(item) not in self.things:
                self.originals.append(item)
                self.things[id(item)] = self._thing(item)
            return self.things[id(item)]
        if isinstance(item, tuple | list):
            items = [self(entry, is_name) for entry in item]
            return item if _same(items, item) else type(item)(items)
        if isinstance(item, np.ndarray) and item.dtype == object:
            return np.array([self(entry, is_name) for entry in item.flat], dtype=object).reshape(item.shape)
        if isinstance(item, Mapping):  # keys, such as names of nodes, are local names
            values = [self(entry, is_name) for entry in item.values()]
            return item if _same(values, item.values()) else dict(zip(item, values, strict=True))
        return item

    def _thing(self, item: Any) -> Any:
        """Return a renamed dataclass, made without its `__init__`: its data have been checked already."""
        old = [getattr(item, entry.name) for entry in fields(item)]
        new = [self(value, MARK in entry.metadata) for entry, value in zip(fields(item), old, strict=True)]
        if _same(new, old):
            return item
        renamed = object.__new__(type(item))
        for entry, value in zip(fields(item), new, strict=True):
            object.__setattr__(renamed, entry.name, value)
        return renamed

    def _formula(self, root: Expression) -> Expression:
        for node in topological([root]):
            if id(node) not in self.formulas:
                self.originals.append(node)
                args = [self.formulas[id(arg)] for arg in node.args]
                self.formulas[id(node)] = remake(node, args) if args else self._leaf(node)
        return self.formulas[id(root)]

    def _leaf(self, node: Expression) -> Expression:
        if node.op != "leaf":
            return node
        replacement = self.replaced(node.value)
        if replacement is not None:
            return replacement
        reference = self(node.value)
        if reference is node.value:
            return node
        renamed = leaf(reference, node.name)
        renamed.order = node.order  # the order of leaves decides the order of generated code
        return renamed


def equal_key(item: Any, law: Hashable = ()) -> Hashable:
    """Return a key that is equal for model data which differ in marked names only; None for data without such a key.

    Expressions count as equal if they are equal numbers, or the same expression of parameters, inputs and time. law: a
    further hashable that must be equal too, such as the key of the law that the data belong to.
    """
    keys = list(_keys(item))
    return None if any(key is None for key in keys) else (law, tuple(keys))


def _keys(item: Any) -> Iterator[Hashable]:
    """Yield the keys of all data in an item, None for an expression that may depend on anything else."""
    if isinstance(item, Expression):
        signals = all(getattr(x, "role", None) in OF_THE_MODEL for x in leaves([item]))
        yield ("number", item.value) if item.op == "const" else id(item) if signals else None
    elif is_dataclass(item) and not isinstance(item, type):
        yield type(item)
        for entry in fields(item):
            if MARK not in entry.metadata:
                yield from _keys(getattr(item, entry.name))
    elif isinstance(item, tuple | list | np.ndarray):
        yield len(item)
        for entry in item:
            yield from _keys(entry)
    else:
        yield "", item


def _same(new: Any, old: Any) -> bool:
    return all(x is y for x, y in zip(new, old, strict=True))
