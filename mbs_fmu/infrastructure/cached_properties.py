"""Properties that are computed once for each object, without locks.

Up to Python 3.11, `functools.cached_property` holds a lock while it computes. A process forked meanwhile would inherit
the lock without the thread that releases it, and would wait for ever. Later versions have no lock, as here: two threads
may both compute the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class CachedProperty:
        """Decorator like that of the standard library."""

        def __init__(self, compute: Callable[[Any], Any]):
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.name, self.compute(instance))

    cached_property = CachedProperty
