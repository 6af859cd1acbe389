"""All kernels of the package, by module and name."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from types import FunctionType
from unittest import mock

from mbs_fmu import integrate, kernels
from mbs_fmu.integrate.methods import texts
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.kernels.lowering import lowered
from mbs_fmu.kernels.sources import Kernel, kernels_of
from mbs_fmu.record import fields, schema


@functools.cache
def all_kernels() -> Sequence[FunctionType]:
    """Return the functions on a record in the modules of kernels and of methods."""
    files = [f for p in (kernels, integrate) for f in pkgutil.walk_packages(p.__path__, f"{p.__name__}.")]
    functions = (f for file in files for f in kernels_of(importlib.import_module(file.name)).values())
    return [function for function in functions if isinstance(function, FunctionType) and takes_record(function)]


@functools.cache
def kernels_written_by(name: str) -> Mapping[FunctionType, ast.FunctionDef]:
    """Return the functions METHOD_... that a method writes as text, as they are written, with their flat trees."""
    trees: list[tuple[ast.FunctionDef, ast.FunctionDef]] = []

    def noting(tree: ast.FunctionDef) -> ast.FunctionDef:
        trees.append((tree, lowered(tree)))
        return trees[-1][1]

    with mock.patch.object(texts, "lowered", noting):
        for loops in (False, True):
            method(name).parts(loops)
    scope = {**vars(fields), **vars(schema), "__name__": f"mbs_fmu.integrate.methods.{name}"}
    kernels = {}
    for tree, flat in trees:
        module = ast.Module([*ast.parse("from __future__ import annotations").body, tree], [])
        exec(compile(ast.fix_missing_locations(module), f"<{name}>", "exec"), scope)
        kernels[scope[tree.name]] = flat
    return kernels


def takes_record(function: FunctionType) -> bool:
    """True if the first argument of a function is a record with named numbers."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    is_record = first is not None and first.annotation in (schema.Record, "Record")
    return is_record and function.__globals__.get("Record") is schema.Record


def named(kernel: Kernel) -> str:
    """Return a kernel's name with that of its module, below the package."""
    return f"{kernel.__module__.removeprefix('mbs_fmu.')}.{kernel.__name__}"
