"""Items of a model by name that also finds those of one body without a search through all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")

ROLES = ("body", "leader")  #: attributes of items that name a body


class OnBodies(dict[str, T]):
    """Items by name, each of which names a body by its attributes in `ROLES`. They are only added."""

    def __init__(self, items: Mapping[str, T] | None = None) -> None:
        super().__init__()
        self._of: dict[tuple[str, str], list[T]] = {}
        for name, item in (items or {}).items():
            self[name] = item

    def __setitem__(self, name: str, item: T) -> None:
        super().__setitem__(name, item)
        for role in ROLES:
            if hasattr(item, role):
                self._of.setdefault((role, getattr(item, role)), []).append(item)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def on(self, body: str, role: str = "body") -> list[T]:
        """Return the items in which a body has a role, in the order in which they were added."""
        return self._of.get((role, body), [])
