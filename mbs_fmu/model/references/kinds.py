"""Kinds of model data: data of one kind differ in marked names and in literal numbers only.

A formula of one kind can therefore be traced once, with variables in place of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import field, fields, is_dataclass
from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression
from ...symbolic.graph import leaves, rebuild, topological
from ...symbolic.vectors import Vector
from .naming import MARK, OF_THE_MODEL

NUMBER = "a number of the kind"
#: Metadata of a field with a number or an array of numbers that formulas only calculate with. Other numbers that are no
#: expressions, such as an exponent, may select formulas: data of one kind have the same ones.
A_NUMBER = {NUMBER: True}
CALCULATING = ("add", "sub", "mul", "div", "neg")  #: operations of any numbers; others may depend on a literal's value


@dataclass(frozen=True)
class Kind:
    """Model data as data of a kind.

    key: equal for data of one kind; None for data that depend on the motion. numbers: the literal numbers of the data.
    """

    item: Any
    key: Hashable
    numbers: tuple[float, ...] = field(default=())

    def with_numbers(self, numbers: Iterable[Any]) -> Any:
        """Return the data with other numbers, or expressions in their places."""
        rest = iter(numbers)
        return _Traversal(lambda _: as_expression(next(rest)), lambda _: None).data(self.item)


def kind_of(item: Any) -> Kind:
    """Return model data as data of a kind.

    Literal expressions are numbers of the kind. Zeros are so in vectors only: elsewhere a zero may select formulas.
    Other expressions may depend on parameters, inputs and time.
    """
    keys: list[Hashable] = []
    numbers: list[float] = []

    def number(x: Expression) -> Expression:
        numbers.append(x.value)
        return x

    _Traversal(number, keys.append).data(item)
    return Kind(item, None if any(key is None for key in keys) else tuple(keys), tuple(numbers))


def common_key(of: Hashable, kinds: Iterable[Kind]) -> Hashable:
    """Return the key of data that consist of several kinds, and of what is made of them; None if one has no key."""
    keys = [kind.key for kind in kinds]
    return None if None in keys else (of, *keys)


def numbers_of(kinds: Iterable[Kind]) -> tuple[float, ...]:
    """Return the numbers of several kinds, one after the other."""
    return tuple(number for kind in kinds for number in kind.numbers)


def with_all_numbers(kinds: Iterable[Kind], numbers: Iterable[Any]) -> list[Any]:
    """Return the data of several kinds with other numbers, in the order of `numbers_of`."""
    rest = iter(numbers)
    return [kind.with_numbers(rest) for kind in kinds]


class _Traversal:
    """Calls `number` with each literal number of data, which it replaces by the result, and `key` with all else."""

    def __init__(self, number: Callable[[Expression], Expression], key: Callable[[Hashable], None]):
        self.number, self.key = number, key

    def data(self, item: Any, is_number: bool = False) -> Any:
        """Return the data with replaced numbers; is_number: the item, or each of its entries, is a number."""
        if isinstance(item, Expression):
            return self._expression(item, is_number)
        if is_dataclass(item) and not isinstance(item, type):
            return self._thing(item)
        if isinstance(item, np.ndarray):
            return self._array(item, is_number)
        if isinstance(item, tuple | list):
            self.key(len(item))
            return type(item)(self.data(entry, is_number or isinstance(item, Vector)) for entry in item)
        if is_number and item is not None:
            return self.number(as_expression(item))
        self.key(("", item))
        return item

    def _thing(self, item: Any) -> Any:
        """Return a changed dataclass, made without its `__init__`: its data have been checked already."""
        self.key(("type", type(item)))
        changed = object.__new__(type(item))
        for entry in fields(item):
            value = getattr(item, entry.name)
            if MARK not in entry.metadata:
                value = self.data(value, NUMBER in entry.metadata)
            object.__setattr__(changed, entry.name, value)
        return changed

    def _array(self, item: np.ndarray, is_number: bool) -> np.ndarray:
        self.key(item.shape)
        if not is_number and item.dtype != object:
            self.key(item.tobytes())
            return item
        entries = [self.data(entry, is_number) for entry in item.ravel().tolist()]
        if all(isinstance(x, Expression) and x.op == "const" for x in entries):
            return np.array([x.value for x in entries]).reshape(item.shape)
        return np.array(entries, dtype=object).reshape(item.shape)

    def _expression(self, item: Expression, is_number: bool) -> Expression:
        if item.op == "const":
            if is_number or item.value != 0.0:
                return self.number(item)
            self.key(("zero",))
            return item
        of_model = all(getattr(x, "role", None) in OF_THE_MODEL for x in leaves([item]))
        free = _free(item)
        self.key(("formula", *_nodes(item, free)) if of_model else None)
        changed = {id(node): self.number(node) for node in free}
        return rebuild([item], lambda node: changed.get(id(node)))[0]


def _free(formula: Expression) -> list[Expression]:
    """Return the literals of a formula that may be any number."""
    nodes = topological([formula])
    bound = {id(arg) for node in nodes if node.op not in CALCULATING for arg in node.args}
    return [node for node in nodes if node.op == "const" and id(node) not in bound]


def _nodes(formula: Expression, free: list[Expression]) -> Iterator[Hashable]:
    """Yield the nodes of a formula, without the values of some literals."""
    number: dict[Expression, int] = {}
    skipped = {id(node) for node in free}
    for node in topological([formula]):
        number[node] = len(number)
        yield node.op, tuple(number[arg] for arg in node.args), None if id(node) in skipped else node.value
