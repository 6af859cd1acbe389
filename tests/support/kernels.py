"""All kernels of the package, by module and name."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Sequence
from types import FunctionType

from mbs_fmu import integrate, kernels
from mbs_fmu.kernels.sources import Kernel, kernels_of
from mbs_fmu.record import schema


@functools.cache
def all_kernels() -> Sequence[FunctionType]:
    """Return the functions on a record in the modules of kernels and of methods."""
    files = [f for p in (kernels, integrate) for f in pkgutil.walk_packages(p.__path__, f"{p.__name__}.")]
    functions = (f for file in files for f in kernels_of(importlib.import_module(file.name)).values())
    return [function for function in functions if takes_record(function)]


def takes_record(function: FunctionType) -> bool:
    """True if the first argument of a function is a record with named numbers."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    is_record = first is not None and first.annotation in (schema.Record, "Record")
    return is_record and function.__globals__.get("Record") is schema.Record


def named(kernel: Kernel) -> str:
    """Return a kernel's name with that of its module, below the package."""
    return f"{kernel.__module__.removeprefix('mbs_fmu.')}.{kernel.__name__}"
