"""The program cache, which stores compiled models, so that none is traced again in this or another process."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..infrastructure.arguments import Solver
from ..infrastructure.disk import cache
from ..infrastructure.disk.sources import sources_and_versions
from ..infrastructure.progress import progress_notice, set_stage
from ..model.items import Parameter
from ..model.model import Model
from ..record.kernel_module import KernelModule, Outline, outline_of_data, printed_module
from ..record.program import Program, as_data
from ..symbolic.expressions import Expression
from .fingerprint import Unknown, fingerprint

if TYPE_CHECKING:
    from .build import Stages

#: Attributes whose changes `Model.value_version` counts: values, not structure; `with_values` writes them.
VALUES: Mapping[type, Collection[str]] = {Model: ("starts", "ranges", "stabilization"), Parameter: ("value",)}
PLAIN = {entry.name for entry in fields(Program)} - {"module"}  #: attributes of a program other than its module
#: Attributes of a model that do not affect its program: version counters and shapes of pictures.
OWN: Mapping[type, Collection[str]] = {Model: ("version", "value_version", "shapes")}


def program_of(model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]) -> Program:
    """Return the result of `compile_model`, from the cache if the same sources have compiled the same model.

    Raises ModelError for an invalid model.
    """
    return program_with_stages(model, solver, replaced, methods)[0]


def program_with_stages(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> tuple[Program, Stages | None]:
    """Return the program as `program_of` does, and the stages of its compilation, None if it comes from the cache."""
    try:
        name, values = names(model, solver, replaced, methods)
    except (OSError, Unknown):
        return _compiled(model, solver, replaced, methods)
    cached = _cached(name, values, model)
    if cached is not None:
        return cached, None
    program, stages = _compiled(model, solver, replaced, methods)
    rest = {key: value for key, value in vars(program).items() if key in PLAIN}
    cache.write(name, json.dumps([values, rest, *_data(program.module)], default=as_data).encode())
    return program, stages


def second_tangents_of(
    model: Model,
    solver: Solver,
    replaced: Mapping[str, Expression],
    methods: tuple[str, ...],
    stages: Stages | None = None,
) -> KernelModule:
    """Return the second tangents of a program (`build.second_tangents`), from the cache if possible."""
    try:
        name = names(model, solver, replaced, methods)[0] + ".second"
    except (OSError, Unknown):
        name = ""
    data = cache.read(name) if name else None
    if data is not None:
        try:
            return _module(*json.loads(data))
        except (TypeError, ValueError) as error:
            cache.discard(name, repr(error))
    from .build import second_tangents

    module = second_tangents(model, solver, replaced, methods, stages)
    if name:
        cache.write(name, json.dumps(_data(module)).encode())
    return module


def _data(module: KernelModule) -> tuple[str, Outline]:
    """Return a module as data for JSON."""
    return module.text, module.outline


def _module(text: str, outline: list[Any]) -> KernelModule:
    """Return a module from `_data`. Raises TypeError and ValueError for other data."""
    return printed_module(text, outline_of_data(outline))


def names(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> tuple[str, str]:
    """Return the name of a program's entry, which encodes its whole structure, and a hash of the model's values.

    Raises Unknown for a model that contains objects without a fingerprint, such as functions.
    """
    omitted = {of: (*VALUES.get(of, ()), *OWN.get(of, ())) for of in {**VALUES, **OWN}}
    structure = fingerprint([sources_and_versions(), model, solver, dict(replaced), methods], omitted)
    values = fingerprint([model.parameters, *(getattr(model, name) for name in VALUES[Model])])
    return f"programs/{structure[:32]}", values


def _compiled(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> tuple[Program, Stages]:
    from .build import compile_with_stages  # a large import, needed for compilation only

    with progress_notice(model.name):
        set_stage("tracing")
        return compile_with_stages(model, solver, replaced, methods)


def _cached(name: str, values: str, model: Model) -> Program | None:
    data = cache.read(name)
    if data is None:
        return None
    try:
        before, plain, *module = json.loads(data)
        program = Program.from_data(plain, _module(*module))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        cache.discard(name, repr(error))
        return None
    if before == values:
        return program
    from .values import with_values

    return with_values(program, model)
