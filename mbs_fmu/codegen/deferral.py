"""Kernels of a text, parts of which are generated only when a kernel needs them (the deferred text)."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod

from ..infrastructure.cached_properties import cached_property
from .modules import TextMakers, deferred_functions


class TextKernels(ABC):
    """Kernels of a text. The deferred text, such as second tangents, is generated only when a kernel needs it.

    `title` is the name of the kernels in progress notices. `text_makers` contains, for each model with this text, a
    function that returns the deferred text, or None if the model has changed since.
    """

    def __init__(self, name: str, text: str):
        self.name, self.text = name, text
        self.title = "kernels"
        self.text_makers: TextMakers = weakref.WeakKeyDictionary()

    @property
    @abstractmethod
    def deferred_text(self) -> str:
        """The deferred text; accessing it makes its kernels available."""

    def text_with(self, *names: str) -> str:
        """Return the text, with the deferred text if one of these kernels or any kernel of the text needs it."""
        needed = self.text_makers and (self._deferred or any(map(self._is_deferred, names)))
        return f"{self.text}\n\n{self.deferred_text}" if needed else self.text

    @cached_property
    def _deferred(self) -> frozenset[str]:
        return deferred_functions(self.text)

    def _is_deferred(self, name: str) -> bool:
        return bool(self.text_makers) and (name in self._deferred or f"def {name}(" not in self.text)
