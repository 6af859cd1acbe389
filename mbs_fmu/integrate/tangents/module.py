"""The module of a model for sensitivities: the model's own, and steps with tangents along one or more directions.

Tangents of steps are derived from the functions of the steps (kernels/dual.py); the model's module contains those of
the rates.
"""

from __future__ import annotations

from ...kernels import sources
from ...kernels.dual import dual, with_tangents
from ...kernels.hook_table import HOOKS
from ...record.kernel_module import KernelModule, ModuleFunction
from ...record.layout import DIRECTIONS
from ..lanes.module import lanes_module
from ..methods.method import Function, Method
from ..methods.texts import combined, for_method, functions_of, kernel, split
from ..stepping import drivers
from ..write import method_kernel
from . import drivers as tangent_drivers
from . import hooks as tangent_hooks
from . import instants as tangent_instants
from . import loops as tangent_loops

CALLED = ("evaluate", "copy")  #: functions called by a step that have tangents


def tangents_module(model: KernelModule, method: Method, lanes: int, angles: int) -> KernelModule:
    """Return a model's module with steps of a method along `lanes` directions at once.

    `angles` is the number of angles with sines. METHOD_stages must be the method's whole step (`fits_lanes`), and
    nothing else may change the model's state.
    """
    common, own = split(functions_of(tangent_drivers))
    duals = [dual(function, (), DIRECTIONS[:1]) for function in (drivers.copy, drivers.normalise)]
    if all(model.defines(function.__name__) for function in tangent_loops.WITH_TANGENTS):
        common = combined(common, functions_of(tangent_loops))
        duals += [dual(function, tangent_loops.CALLED, DIRECTIONS[:1]) for function in tangent_loops.WITH_TANGENTS]
    if model.defines("make_round"):
        common = combined(common, functions_of(tangent_instants))
    absent = [
        function
        for name, function in functions_of(tangent_hooks).items()
        if not HOOKS[name].is_required and name not in common and not model.defines(name)
    ]
    functions = [kernel(function) for function in [*absent, *common.values()]]
    functions += [*map(sources.kernel, duals), _stages(method.parts(False).own["METHOD_stages"], method)]
    functions += [method_kernel(function, method) for function in own.values()]
    whole = model.with_functions(functions, {"LANES": 1})
    return whole if lanes == 1 else lanes_module(whole, lanes, angles)


def _stages(function: Function, method: Method) -> ModuleFunction:
    """Return METHOD_stages with tangents."""
    made = for_method(function, method.name)
    tree = sources.read_function(f"{made.head}\n{made.body}")
    return sources.kernel(with_tangents(tree, CALLED, DIRECTIONS[:1]))
