"""Programs that are kept: a model that was compiled before, here or in another process, is not traced again."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np

from ..arguments import Solver
from ..disk import cache
from ..disk.sources import digest
from ..model.items import Parameter
from ..model.model import Model
from ..progress import progress_notice, set_stage
from ..record.program import Program
from ..symbolic.expressions import Expression
from .fingerprint import Unknown, fingerprint

#: What `Model.value_version` counts is no structure: `with_values` takes it in.
VALUES: Mapping[type, Collection[str]] = {Model: ("starts", "ranges", "stabilization"), Parameter: ("value",)}
PLAIN = {entry.name for entry in fields(Program)} - {"text"}  #: what a program holds beside its text
#: What a model keeps for itself, or for pictures.
OWN: Mapping[type, Collection[str]] = {Model: ("version", "value_version", "shapes")}


def program_of(model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]) -> Program:
    """What `compile_model` gives, from the cache where the same model was compiled by the same sources.

    Raises ModelError for anything in the model that has no meaning.
    """
    try:
        name, values = names(model, solver, replaced, methods)
    except (OSError, Unknown):
        return _compiled(model, solver, replaced, methods)
    found = _kept(name, values, model)
    if found is None:
        found = _compiled(model, solver, replaced, methods)
        rest = {key: value for key, value in vars(found).items() if key in PLAIN}
        cache.write(name, json.dumps([values, rest, found.text], default=asdict).encode())
    return found


def second_text_of(model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]) -> str:
    """The second tangents of a program (`build.text_of_second_tangents`), from the cache where they are kept."""
    try:
        name = names(model, solver, replaced, methods)[0] + ".second"
    except (OSError, Unknown):
        name = ""
    data = cache.read(name) if name else None
    if data is not None:
        return data.decode()
    from .build import text_of_second_tangents

    text = text_of_second_tangents(model, solver, replaced, methods)
    if name:
        cache.write(name, text.encode())
    return text


def names(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> tuple[str, str]:
    """The entry of a program, which says all of its structure, and a hash of the model's values.

    Raises Unknown for a model that holds something of which nobody can know what it does.
    """
    rest = {of: (*VALUES.get(of, ()), *OWN.get(of, ())) for of in {**VALUES, **OWN}}
    structure = fingerprint([_makers(), model, solver, dict(replaced), methods], rest)
    values = fingerprint([model.parameters, *(getattr(model, name) for name in VALUES[Model])])
    return f"programs/{structure[:32]}", values


def _compiled(model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]) -> Program:
    from .build import compile_model  # only who compiles needs so much

    with progress_notice(model.name):
        set_stage("tracing")
        return compile_model(model, solver, replaced, methods)


def _kept(name: str, values: str, model: Model) -> Program | None:
    data = cache.read(name)
    if data is None:
        return None
    try:
        before, program, text = json.loads(data)
        found = Program.from_data(program, text)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        cache.discard(name, repr(error))
        return None
    if before == values:
        return found
    from .values import with_values

    return with_values(found, model)


@functools.cache
def _makers() -> str:
    """What makes programs: the package's sources, and what computes their numbers."""
    folder = Path(__file__).parents[1]
    text = digest(folder)
    if not text:
        raise FileNotFoundError(folder)  # they are in an archive, which may change
    return f"{text} {sys.version_info[:3]} {sys.implementation.name} {sys.platform} numpy {np.__version__}"
