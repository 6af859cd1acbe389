"""`to_casadi`: a model as a CasADi function."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...compile.requests import laws_read_time
from ...infrastructure.arguments import ParameterValues, is_one_of
from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.failures import display
from ...model.model import Model
from ...record.blocks import HeadNumbers
from ...record.module_reading import literal_addresses
from ...run.extras import extra
from ...run.simulate import require_model
from ..ode import Ode, ode
from .graph import Graph
from .library import library
from .multipliers import OpenLoops, open_loops

KINDS = ("graph", "library")


@with_clear_errors
def to_casadi(
    model: Model, free: Sequence[str] = (), *, states: str = "velocities", step: float | None = None,
    steps: int = 1, method: str = "rk4", kind: str = "graph", folder: str | Path | None = None,
    loops: str | None = None,
    start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None,
) -> Any:  # fmt: skip
    """Return a tree as a `casadi.Function` (t, x, u, p) -> (xdot, y), or as the map of a step, (t, x, u, p) -> (xf, y).

    free, states, start, inputs, parameters: as in `ode`. x, u, p and y have the numbers of `ode`, in its order.
    step: size of steps, s; the function is then the map of `steps` steps of the method `method`, as `Ode.step` returns
    it.

    kind: "graph" for a graph of CasADi's SX, without calls of this package: it has exact sparse Jacobians, Hessians and
    adjoints, and CasADi writes C code of it. The graph contains no checks of parameters, and its values agree with
    those of `ode` to rounding. "library" for the machine code of the kernels in a shared library, bit-identical to
    `ode`, with exact dense Jacobians and no Hessians; it needs the extra `native`, and runs only on the kind of
    processor for which it was built.
    folder: of the library; by default it is in the cache.
    loops: "multipliers" for a model with closed loops. The constraint forces become inputs and the gaps of the loops
    outputs, and the optimizer closes the loops. The result is then an `OpenLoops`, which contains the function and
    names.

    Needs the extra `casadi`. Raises ModelError for the models that `ode` refuses, for closed loops, for graphs of laws
    that branch on numbers other than by `mbs.where`, for libraries of steps with laws that depend on time, and if a
    library cannot be built.
    """
    if not is_one_of(kind, KINDS):
        raise ArgumentError(f'kind is {display(kind)}: use "graph" or "library"')
    if step is None and steps != 1:
        raise ArgumentError(f"steps is {display(steps)} without a size of steps: give step= too, s")
    ca = extra("casadi", "CasADi", "casadi", "to_casadi")
    if loops is not None:
        return _open(ca, model, free, loops, kind, step, states, (start or {}, inputs or {}, parameters or {}))
    f = ode(model, free, states=states, start=start, inputs=inputs, parameters=parameters)
    if f._kernels.mechanism.program.loops:
        raise ModelError(
            f"model {f.name!r} has closed loops, whose kernels choose rows by their size, so it is no CasADi function: "
            'use loops="multipliers", or export a native FMU for DaeBuilder'
        )
    if kind == "library" and step is not None and reads_time(f):
        raise ModelError(
            f"laws of model {f.name!r} read time, by which a library of steps has no derivative: use a graph, or leave "
            "out step="
        )
    function = f if step is None else f.step(step, steps, method)
    names = function_name(f.name), "xdot" if step is None else "xf"
    if kind == "library":
        return ca.external(names[0], str(library(function, *names, folder).resolve()))
    return Graph(ca, function._kernels).function(function, function._value_call(), names)


def _open(
    ca: Any, model: Model, free: Sequence[str], loops: str, kind: str, step: float | None, states: str,
    numbers: tuple[Mapping[str, float], Mapping[str, float], ParameterValues],
) -> OpenLoops:  # fmt: skip
    """Return a model with closed loops as a tree with constraint forces. Raises ArgumentError and ModelError."""
    if loops != "multipliers":
        raise ArgumentError(f'loops is {display(loops)}: use "multipliers", or leave it out')
    if kind != "graph" or step is not None or states != "velocities":
        raise ArgumentError('loops="multipliers" returns a graph of rates: leave out kind, step and states')
    require_model(model)
    if not model.loops:
        raise ModelError(f"model {model.name!r} has no closed loops: leave out loops=")
    return open_loops(ca, model, free, numbers, function_name(model.name))


def reads_time(f: Ode) -> bool:
    """True if time may enter the rates or outputs: by laws, or in the kernels by motions of joints."""
    mechanism = f._kernels.mechanism
    return laws_read_time(mechanism.model) or int(HeadNumbers.time) in literal_addresses(mechanism.program.module)


def function_name(name: str) -> str:
    """Return a name that CasADi allows: letters, digits and single underscores."""
    return re.sub(r"_+", "_", re.sub(r"\W", "_", name, flags=re.ASCII)).strip("_") or "model"
