"""Kernels as machine code that no cache keeps."""

from __future__ import annotations

import types
from typing import Any

from mbs_fmu.codegen.engine import Engine
from mbs_fmu.codegen.entries import Entry, Kernel
from mbs_fmu.codegen.loader import Kinds, machine_code
from mbs_fmu.codegen.machine import MachineFunction


def in_machine_code(kernel: Kernel) -> Entry:
    """Return a kernel as a function for Python, compiled as full code at the first call with new kinds of arguments."""
    return Entry(_Compiler(kernel), kernel.__name__)


class _Compiler:
    """Source of the machine code of one kernel."""

    def __init__(self, kernel: Kernel):
        names: dict[str, Any] = kernel.kernel_function.__globals__
        self.module = types.ModuleType("kernels")
        self.module.__dict__.update({kernel.__name__: kernel, "LANES": names.get("LANES", 1)})

    def function(self, name: str, kinds: Kinds) -> MachineFunction:
        """Return the machine code for these kinds of arguments."""
        (function,) = Engine().add(machine_code(self.module, [(name, kinds)])).values()
        return function
