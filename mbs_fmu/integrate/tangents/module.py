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
from ..methods.method import Functions, Method
from ..methods.texts import combined, for_method, functions_of, split
from ..stepping import drivers
from ..write import functions_for
from . import drivers as tangent_drivers
from . import hooks as tangent_hooks
from . import instants as tangent_instants
from . import loops as tangent_loops

CALLED = ("evaluate", "copy")  #: functions that have tangents and that steps of all methods may call


def tangents_module(model: KernelModule, method: Method, lanes: int, angles: int) -> KernelModule:
    """Return a model's module with steps of a method along `lanes` directions at once.

    `angles` is the number of angles with sines. The method must have tangents, and nothing else may change the model's
    state. The model's module must contain second tangents if `needs_second`.
    """
    assert method.tangents is not None
    common, own = split(combined(functions_of(tangent_drivers), method.tangents))
    duals = [dual(function, (), DIRECTIONS[:1]) for function in (drivers.copy, drivers.normalise)]
    if all(model.defines(function.__name__) for function in tangent_loops.WITH_TANGENTS):
        common = combined(common, functions_of(tangent_loops))
        duals += [dual(function, tangent_loops.CALLED, DIRECTIONS[:1]) for function in tangent_loops.WITH_TANGENTS]
    if model.defines("make_round"):
        common = combined(common, functions_of(tangent_instants))
    absent = {
        name: function
        for name, function in functions_of(tangent_hooks).items()
        if not HOOKS[name].is_required and name not in {**common, **own} and not model.defines(name)
    }
    functions = [*map(sources.kernel, duals), _stages(method, method.tangents)]
    functions += functions_for({**absent, **common, **own}, method)
    whole = model.with_functions(functions, {"LANES": 1})
    return whole if lanes == 1 else lanes_module(whole, lanes, angles)


def needs_second(method: Method) -> bool:
    """True if steps of a method with tangents need second tangents of the rates."""
    return any("derive_dd" in function.uses for function in (method.tangents or {}).values())


def _stages(method: Method, counterparts: Functions) -> ModuleFunction:
    """Return METHOD_stages with tangents; `counterparts` contains functions f_d of functions f that it calls."""
    made = for_method(method.parts(False).own["METHOD_stages"], method.name)
    tree = sources.read_function(f"{made.head}\n{made.body}")
    called = [*CALLED, *(name.removesuffix("_d") for name in counterparts if name.endswith("_d"))]
    return sources.kernel(with_tangents(tree, called, DIRECTIONS[:1]))
