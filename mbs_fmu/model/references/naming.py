"""Fields of a model's parts that are names, and the one walk that gives things other names.

A field that holds names of a model's bodies, forces, loops or signals is marked, `body: str = field(metadata=A_NAME)`.
Nothing else has to be done for a new word to be included in another model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ...symbolic.expressions import Expression, leaf
from ...symbolic.graph import remake, topological

MARK = "a name in the model"
A_NAME: Mapping[str, bool] = {MARK: True}  #: metadata of a field; all texts in it are names, if it is a list


class Renamed:
    """Gives parts of a model other names; whatever has none stays the same object.

    name: from a name to the new one. replaced: gives the expression that takes the place of a leaf with that
    reference, or None.
    """

    def __init__(self, name: Callable[[str], str], replaced: Callable[[object], Expression | None]):
        self.name, self.replaced = name, replaced
        self.things: dict[int, Any] = {}  #: by what they were made of: what is told twice stays one thing
        self.formulas: dict[int, Expression] = {}  #: the same of the nodes of expressions
        self.kept: list[object] = []  #: that itself, or another thing might come to lie there

    def __call__(self, told: Any, is_name: bool = False) -> Any:
        """The thing with other names. is_name: a text is a name, and so are those in a list."""
        if isinstance(told, str):
            return self.name(told) if is_name else told
        if isinstance(told, Expression):
            return self._formula(told)
        if is_dataclass(told) and not isinstance(told, type):
            if id(told) not in self.things:
                self.kept.append(told)
                self.things[id(told)] = self._thing(told)
            return self.things[id(told)]
        if isinstance(told, tuple | list):
            items = [self(entry, is_name) for entry in told]
            return told if _same(items, told) else type(told)(items)
        if isinstance(told, np.ndarray) and told.dtype == object:
            return np.array([self(entry, is_name) for entry in told.flat], dtype=object).reshape(told.shape)
        if isinstance(told, Mapping):  # by names of its own, such as those of nodes
            values = [self(entry, is_name) for entry in told.values()]
            return told if _same(values, told.values()) else dict(zip(told, values, strict=True))
        return told

    def _thing(self, told: Any) -> Any:
        """A dataclass, made without its `__init__`: what was checked once has only other names."""
        old = [getattr(told, entry.name) for entry in fields(told)]
        new = [self(value, MARK in entry.metadata) for entry, value in zip(fields(told), old, strict=True)]
        if _same(new, old):
            return told
        made = object.__new__(type(told))
        for entry, value in zip(fields(told), new, strict=True):
            object.__setattr__(made, entry.name, value)
        return made

    def _formula(self, root: Expression) -> Expression:
        for node in topological([root]):
            if id(node) not in self.formulas:
                self.kept.append(node)
                args = [self.formulas[id(arg)] for arg in node.args]
                self.formulas[id(node)] = remake(node, args) if args else self._leaf(node)
        return self.formulas[id(root)]

    def _leaf(self, node: Expression) -> Expression:
        if node.op != "leaf":
            return node
        given = self.replaced(node.value)
        if given is not None:
            return given
        reference = self(node.value)
        if reference is node.value:
            return node
        made = leaf(reference, node.name)
        made.order = node.order  # generated code follows it
        return made


def _same(new: Any, old: Any) -> bool:
    return all(x is y for x, y in zip(new, old, strict=True))
