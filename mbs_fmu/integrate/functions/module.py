"""The modules of a model as functions of arrays: the model's own, with the functions of values.py, jacobians.py, ..."""

from __future__ import annotations

from collections.abc import Iterable

from ...record.kernel_module import KernelModule, ModuleFunction
from ..methods.method import Functions, Method
from ..methods.texts import functions_of, kernel
from ..tangents import hooks
from ..tangents.module import tangents_module
from ..write import functions_for
from . import closed, closed_rollouts, jacobians, rollouts, values


def values_module(model: KernelModule, method: Method) -> KernelModule:
    """Return a model's module with the functions of values.py, for steps of a method."""
    return _with(model, functions_of(values), method)


def jacobians_module(model: KernelModule, method: Method, lanes: int, angles: int) -> KernelModule:
    """Return a model's module with the functions of jacobians.py, along `lanes` directions at once.

    `angles` is the number of angles whose sine and cosine the model needs; `method` is as in `tangents_module`. The
    model's module must contain second tangents if `velocity_jacobian` is called.
    """
    return _with(tangents_module(model, method, lanes, angles), functions_of(jacobians), method)


def rollouts_module(model: KernelModule, adjoints: Iterable[ModuleFunction], method: Method) -> KernelModule:
    """Return a model's module with the functions of rollouts.py; `adjoints` are the model's own."""
    return _with(model.with_functions(adjoints), functions_of(values, rollouts), method)


def closed_module(model: KernelModule) -> KernelModule:
    """Return the module of a model with closed loops with the functions of closed.py, closed_rollouts.py.

    The model's module must contain second tangents if `closed_jacobian` or a function that calls it is called.
    """
    absent = [] if model.defines("prepare_d") else [functions_of(hooks)["prepare_d"]]
    return model.with_functions(map(kernel, [*absent, *functions_of(closed, closed_rollouts).values()]))


def _with(model: KernelModule, functions: Functions, method: Method) -> KernelModule:
    return model.with_functions(functions_for(functions, method))
