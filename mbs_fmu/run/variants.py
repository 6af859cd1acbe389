"""Compiled variants of models in memory: for solvers, engines, methods and inputs that are functions of time."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

from ..codegen.engines import EngineName, engine_name
from ..compile.fingerprint import fingerprint
from ..infrastructure.arguments import SOLVERS, Solver, is_one_of
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display
from ..integrate.methods.table import methods_with
from ..model.model import Model
from ..record.kernel_module import KernelModule
from ..symbolic.expressions import Expression
from .inputs import InputValue, Table, laws_and_tables, traced_laws
from .runtime import Runtime

if TYPE_CHECKING:
    from ..compile.build import Stages

Variant = tuple[int, Solver, str, str, tuple[str, ...]]  #: version, solver, hash of the laws, engine, methods
_RUNTIMES: weakref.WeakKeyDictionary[Model, dict[Variant, tuple[int, Runtime]]] = weakref.WeakKeyDictionary()
#: Stages of the last compilation: second tangents of the same model often follow.
_STAGES: weakref.WeakKeyDictionary[Model, Stages] = weakref.WeakKeyDictionary()
MOST_HELD = 16  #: compiled variants of a model (solvers, inputs as functions) that stay in memory


def compiled_variant(
    model: Model, solver: Solver, laws: dict[str, Expression], method: str, alone: bool, engine: EngineName | None
) -> Runtime:
    """Return the runtime as `compiled` does, for inputs as expressions of time. Raises ModelError."""
    if not is_one_of(solver, SOLVERS):
        raise ArgumentError(f"unknown solver {display(solver)}: use {' or '.join(map(repr, SOLVERS))}")
    held = runtimes(model)
    key = _variant(held, (model.version, solver, laws_hash(laws), engine_name(engine)), method, alone)
    if key not in held:
        for old in [k for k in held if k[0] != model.version]:
            del held[old]
        held[key] = model.value_version, _made(model, solver, laws, key[-1], cast("EngineName", key[-2]))
        while len(held) > MOST_HELD:
            del held[next(iter(held))]
    values, runtime = held[key]
    if values != model.value_version:
        runtime = _with_its_values(runtime, model)
        held[key] = model.value_version, runtime
    return runtime


def _variant(held: Collection[Variant], same: tuple[int, Solver, str, str], method: str, alone: bool) -> Variant:
    """Return the key of a compiled variant: of one of those in memory that will do, or of the one to compile."""
    key: Variant = (*same, (method,) if alone else methods_with(method))
    if alone or key in held:
        return key
    return next((k for k in held if k[:-1] == same and method in k[-1]), key)  # one with more methods


def _made(
    model: Model, solver: Solver, laws: dict[str, Expression], methods: tuple[str, ...], engine: EngineName
) -> Runtime:
    """Return a runtime of a program that is compiled or comes from the cache."""
    from ..compile.program_cache import program_with_stages, second_tangents_of

    program, stages = program_with_stages(model, solver, laws, methods)
    runtime = Runtime(program, engine=engine)
    version, stages_of = model.version, _kept(model, stages)

    def make(living: Model) -> KernelModule | None:
        if living.version != version:
            return None
        own = stages_of()
        _STAGES.pop(living, None)
        return second_tangents_of(living, solver, laws, methods, own)

    runtime.kernels.later_parts[model] = make
    return runtime


def _kept(model: Model, stages: Stages | None) -> Callable[[], Stages | None]:
    """Keep stages until the model is freed or any other is compiled; return a function that returns them until then."""
    if stages is None:
        return lambda: None
    _STAGES.clear()
    _STAGES[model] = stages
    return weakref.ref(stages)


def _with_its_values(runtime: Runtime, model: Model) -> Runtime:
    """Return a runtime with the same code and the model's present values."""
    from ..compile.values import with_values

    return Runtime(with_values(runtime.program, model), runtime.kernels)


def laws_hash(laws: Mapping[str, Expression]) -> str:
    """Return a hash of inputs that are functions of time; an empty text if there are none."""
    return fingerprint([laws]) if laws else ""


def runtimes(model: Model) -> dict[Variant, tuple[int, Runtime]]:
    """Return the compiled variants of a model in memory, each with its `Model.value_version`.

    They are freed with the model. The model does not refer to them, so that copies and pickles do not contain them.
    """
    return _RUNTIMES.setdefault(model, {})


def with_inputs(
    model: Model, solver: Solver, inputs: Mapping[str, InputValue], method: str, engine: EngineName | None = None
) -> tuple[Runtime, dict[str, Table], dict[str, Callable[..., Any]]]:
    """Return a runtime that contains the inputs given as functions, tables of the other inputs, and the functions."""
    laws, tables = laws_and_tables(model, inputs)
    return compiled_variant(model, solver, traced_laws(laws), method, False, engine), tables, laws
