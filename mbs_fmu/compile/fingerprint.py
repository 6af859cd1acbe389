"""Fingerprints: hashes of the content of objects of this package. Objects with equal hashes have the same content.

The content is determined by inspection, attribute by attribute, so a new class needs no extra code. Objects of other
packages have no fingerprint, except numbers, texts, arrays and plain containers of these. Functions have none either,
because their results may depend on anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any

import numpy as np

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.frozen_arrays import FrozenArray
from ..symbolic.expressions import Expression

PACKAGE = __name__.partition(".")[0]
CONTAINERS: tuple[Callable[[Any], Any], ...] = (
    tuple,
    list,
    dict,
    str,
    float,
    int,
)  #: base classes of which objects have content beyond their attributes


class Unknown(Exception):
    """An object has no fingerprint."""


def fingerprint(things: Collection[Any], omitted: Mapping[type, Collection[str]] | None = None) -> str:
    """Return one hash of several objects; `omitted`: attributes to ignore, by class.

    The hash includes the order of dictionaries and the order in which expressions were created, because generated code
    depends on both. Raises Unknown for an object without a fingerprint.
    """
    walk = _Walk(omitted or {})
    try:
        for thing in things:
            walk.add(thing)
    except RecursionError:
        raise Unknown("containers within each other without end") from None
    return hashlib.sha256("\n".join(walk.lines()).encode(errors="surrogatepass")).hexdigest()


class _Walk:
    """A walk through objects that visits each once and records its content."""

    def __init__(self, omitted: Mapping[type, Collection[str]]):
        self.omitted = omitted
        self.words: list[str] = []
        self.met: dict[int, tuple[int, Any]] = {}  #: number of each object by its id, and the object, to keep it alive
        self.expressions: list[Expression] = []

    def lines(self) -> list[str]:
        """Return the content as text, and the order in which the expressions were created."""
        order = sorted(range(len(self.expressions)), key=lambda k: self.expressions[k].order)
        return [*self.words, "order", *map(str, order)]

    def add(self, thing: Any) -> None:
        cls = type(thing)
        if thing is None or cls is bool or cls is int:
            self.words.append(f"{cls.__name__} {thing}")
        elif cls is float:
            self.words.append(thing.hex())
        elif cls is str:
            self.words.append(f"str {len(thing)} {thing}")
        elif isinstance(thing, Enum):
            self.words.append(f"{_name(cls)}.{thing.name}")
        elif isinstance(thing, np.generic | np.ndarray):
            self.array(np.asarray(thing))
        elif cls is FrozenArray:
            self.words.append(f"frozen {len(thing)} {thing.digest.hex()}")
        elif cls is tuple or cls is list:
            self.items(cls.__name__, thing)
        elif cls is range:
            self.words.append(f"range {thing.start} {thing.stop} {thing.step}")
        elif cls is dict:
            self.items("dict", [x for pair in thing.items() for x in pair])
        else:
            self.object(thing)

    def items(self, what: str, items: Collection[Any]) -> None:
        self.words.append(f"{what} {len(items)}")
        for item in items:
            self.add(item)

    def array(self, array: np.ndarray) -> None:
        if array.dtype.hasobject:
            self.items(f"array {array.shape}", array.ravel().tolist())
        else:
            self.words.append(f"array {array.shape} {array.dtype.str} {_hash(array)}")

    def object(self, thing: Any) -> None:
        """Record an object of one of the package's classes; when it occurs again, record its number only."""
        cls = type(thing)
        if cls.__module__.partition(".")[0] != PACKAGE:
            raise Unknown(f"a {cls.__module__}.{cls.__qualname__}")
        if isinstance(thing, Expression):
            self.formula(thing)
        if id(thing) in self.met:
            self.words.append(f"met {self.met[id(thing)][0]}")
            return
        self.meet(thing)
        self.words.append(_name(cls))
        for content in CONTAINERS:
            if isinstance(thing, content):  # type: ignore[arg-type]
                self.add(content(thing))
        without = {name for of, names in self.omitted.items() if isinstance(thing, of) for name in names}
        for name in sorted(_attributes(thing)):
            if name not in without:
                self.words.append(name)
                self.add(getattr(thing, name))

    def formula(self, top: Expression) -> None:
        """Record all new nodes of a formula, operands first; without recursion, because sums may be deeply nested."""
        pending = [(top, False)]
        while pending:
            node, ready = pending.pop()
            if id(node) in self.met:
                continue
            if ready:
                self.meet(node)
                self.expressions.append(node)
                self.items("node", (node.op, node.value, node.name, *(self.met[id(a)][0] for a in node.args)))
            else:
                pending += [(node, True), *((operand, False) for operand in node.args)]

    def meet(self, thing: Any) -> None:
        self.met[id(thing)] = len(self.met), thing


def _hash(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _attributes(thing: Any) -> set[str]:
    """Return the names of an object's attributes, without cached properties."""
    cls, own = type(thing), getattr(thing, "__dict__", {})
    computed = {name for name in own if isinstance(getattr(cls, name, None), cached_property)}
    return (set(own) - computed) | {name for name in _slots(cls) if hasattr(thing, name)}


def _slots(cls: type) -> list[str]:
    named = [of.__dict__.get("__slots__", ()) for of in cls.__mro__]
    names = [name for slots in named for name in ((slots,) if isinstance(slots, str) else slots)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]
