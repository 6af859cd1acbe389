"""Items of a model by name that also finds those of one body without a search through all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")

ROLES = ("body", "leader")  #: attributes of items that name a body


class OnBodies(dict[str, T]):
    """Items by name, each of which names a body by its attributes in `ROLES`.

    The table of bodies grows with the items. Any other change discards it, and the next question makes it again.
    """

    def __init__(self, items: Mapping[str, T] | None = None) -> None:
        super().__init__(items or {})
        self._of: dict[tuple[str, str], list[T]] | None = None

    def __setitem__(self, name: str, item: T) -> None:
        if name in self:
            self._of = None
        super().__setitem__(name, item)
        if self._of is not None:
            _enter(self._of, item)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def on(self, body: str, role: str = "body") -> list[T]:
        """Return the items in which a body has a role, in the order in which they were added."""
        if self._of is None:
            self._of = {}
            for item in self.values():
                _enter(self._of, item)
        return self._of.get((role, body), [])


def _enter(table: dict[tuple[str, str], list[T]], item: T) -> None:
    for role in ROLES:
        if hasattr(item, role):
            table.setdefault((role, getattr(item, role)), []).append(item)


def _discarding(name: str) -> Any:
    """Return a method of `dict` that changes items, and discards the table of bodies."""
    method = getattr(dict, name)

    def changed(self: OnBodies[Any], *arguments: Any, **named: Any) -> Any:
        self._of = None
        return method(self, *arguments, **named)

    return changed


for _name in ("__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(OnBodies, _name, _discarding(_name))
