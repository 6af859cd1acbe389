"""The module of a model for sensitivities: the model's text, then steps with tangents along one or more directions.

Tangents of steps are derived from the functions of the steps (kernels/dual.py); the model's text contains those of the
rates.
"""

from __future__ import annotations

import ast

from ...infrastructure.syntax import parsed
from ...kernels.dual import dual, with_tangents
from ...kernels.hook_table import HOOKS
from ...kernels.sources import kernel_text
from ...record.layout import DIRECTIONS
from ..lanes.module import lanes_source
from ..methods.method import Function, Method
from ..methods.texts import combined, for_method, functions_of, joined, kernel, split
from ..stepping import drivers
from ..write import method_text
from . import (
    drivers as tangent_drivers,
)
from . import (
    hooks as tangent_hooks,
)
from . import (
    loops as tangent_loops,
)

CALLED = ("evaluate", "copy")  #: functions called by a step that have tangents


def tangents_source(text: str, method: Method, lanes: int, angles: int) -> str:
    """Return the text of a model's module with steps of a method along `lanes` directions at once.

    `angles` is the number of coordinates. METHOD_stages must be the method's whole step (`fits_lanes`), and nothing
    else may change the model's state.
    """
    common, own = split(functions_of(tangent_drivers))
    duals = [dual(function, (), DIRECTIONS[:1]) for function in (drivers.copy, drivers.normalise)]
    if "def rebase(" in text:
        common = combined(common, functions_of(tangent_loops))
        duals += [dual(function, tangent_loops.CALLED, DIRECTIONS[:1]) for function in tangent_loops.CARRIED]
    absent = {
        name: function
        for name, function in functions_of(tangent_hooks).items()
        if not HOOKS[name].is_required and name not in common and f"def {name}(" not in text
    }
    parts = [text.rstrip(), "LANES = np.int64(1)"]
    parts += [kernel(function) for function in [*absent.values(), *common.values()]]
    parts += [kernel_text(tree) for tree in duals]
    parts += [_stages(method.parts(False).own["METHOD_stages"], method)]
    parts += [method_text(function, method) for function in own.values()]
    whole = joined(parts) + "\n"
    return whole if lanes == 1 else lanes_source(whole, lanes, angles)


def _stages(function: Function, method: Method) -> str:
    """Return the text of METHOD_stages with tangents."""
    made = for_method(function, method.name)
    (tree,) = parsed(f"{made.head}\n{made.body}").body
    assert isinstance(tree, ast.FunctionDef)
    return kernel_text(with_tangents(tree, CALLED, DIRECTIONS[:1]))
