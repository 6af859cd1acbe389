"""Kernels of a module, a part of which is generated only when a kernel needs it (the later part)."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod

from ..record.kernel_module import KernelModule
from .modules import LaterParts


class ModuleKernels(ABC):
    """Kernels of a module. Its later part, such as second tangents, is generated only when a kernel needs it.

    `title` is the name of the kernels in progress notices. `later_parts` contains, for each model with this module, a
    function that returns the later part, or None if the model has changed since.
    """

    def __init__(self, name: str, source: KernelModule):
        self.name, self.source = name, source
        self.title = "kernels"
        self.later_parts: LaterParts = weakref.WeakKeyDictionary()

    @property
    @abstractmethod
    def later_part(self) -> KernelModule:
        """The later part of the module; accessing it makes its kernels available."""

    def source_with(self, *names: str) -> KernelModule:
        """Return the module, with the later part if one of these kernels or any kernel of the module needs it."""
        needed = self.later_parts and (self.source.unfinished or not all(map(self.source.defines, names)))
        return self.source.with_part(self.later_part) if needed else self.source

    def _needs_later_part(self, name: str) -> bool:
        return bool(self.later_parts) and (name in self.source.unfinished or not self.source.defines(name))
