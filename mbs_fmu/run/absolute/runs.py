"""Runs of a model in absolute coordinates; they begin at the start of the tree, and their results have its columns."""

from __future__ import annotations

import weakref
from dataclasses import replace

import numpy as np

from ...infrastructure.errors import ModelError
from ...model.forces import expressions
from ...model.joints import Free
from ...model.model import Model
from ...model.references.leaves import ImpulseNumber, Multiplier
from ...record.program import Program
from ...symbolic.graph import leaves
from ...symbolic.rotations import quaternion
from ..errors import Interrupted, SimulationError
from ..results.results import Result
from ..runtime import Runtime
from ..single import first_record, run_single
from ..spec import RunSpec
from ..standing import standings
from .measured import counter
from .rewriting import absolute, is_freed, joint_column

FREE = Free()  #: the joint of every body in absolute form

#: Absolute forms of models, with the versions of the models from which they were made.
_HELD: weakref.WeakKeyDictionary[Model, tuple[tuple[int, int], Model]] = weakref.WeakKeyDictionary()


def in_absolute_form(model: Model) -> Model:
    """Return the model with every body free and every joint a closure; it is rewritten only if the model has changed.

    Raises the ModelErrors of `absolute`.
    """
    versions = model.version, model.value_version
    held = _HELD.get(model)
    if held is None or held[0] != versions:
        held = _HELD[model] = versions, absolute(model)
    return held[1]


def run_absolute(model: Model, tree: Runtime, R: np.ndarray, free: Runtime, spec: RunSpec) -> Result:
    """Run a model in its absolute form and return the result with the columns of the tree.

    tree, free: the compiled model, and its compiled absolute form. R: record of the tree with the given start values;
    its loops are assembled in place. spec: settings, tables of inputs and values of parameters.

    Raises ModelError for multipliers that the absolute form does not have, SimulationError if the run fails and
    Interrupted if the user stops it; their `result` has the rows up to then.
    """
    _check_rows(model, tree.program, free.program)
    free = Runtime(replace(free.program, hints=[]), free.kernels)  # hints name better cuts, and here every joint is cut
    tree.initialize(R, *spec.settings.control.tolerances)
    start = _start(model, tree.program, R, free.program)
    first = first_record(free.program, spec.tables, spec.parameters, start, spec.settings)
    try:
        return _in_columns(run_single(free, first, spec.tables, spec.settings), tree.program)
    except (SimulationError, Interrupted) as error:
        if isinstance(error.result, Result):
            error.result = _in_columns(error.result, tree.program)
        raise


def _check_rows(model: Model, tree: Program, free: Program) -> None:
    """Raise ModelError if the model uses multipliers of a loop whose conditions have other axes in absolute form."""
    labels = [{str(loop["name"]): loop["labels"] for loop in program.loops} for program in (tree, free)]
    tables = (model.outputs, model.states, model.sampled_signals, model.events, model.forces, model.loops)
    laws = [x for table in tables for x in expressions(list(table.values()))]
    for reference in leaves(laws):
        if isinstance(reference, Multiplier | ImpulseNumber):
            in_tree, in_absolute = (of_loop.get(reference.loop) for of_loop in labels)
            if in_tree != in_absolute:
                raise ModelError(
                    f"{reference}: the conditions of loop {reference.loop!r} are along other axes in absolute form: "
                    'measure mbs.reaction, or leave formulation="absolute" out'
                )


def _in_columns(result: Result, tree: Program) -> Result:
    """Return the result with the columns of the tree; outputs of the absolute form contain the values of joints."""
    index = {name: k for k, name in enumerate(result.columns)}
    chosen = [index[joint_column(name) if joint_column(name) in index else name] for name in tree.columns]
    data = np.ascontiguousarray(result.data[:, chosen])
    return replace(result, columns=tree.columns, data=data, units=tree.units, vectors=tree.vectors)


def _start(model: Model, tree: Program, R: np.ndarray, free: Program) -> dict[str, float]:
    """Return the start values of the absolute form by name.

    They are the poses and twists of bodies, the states of their modes, counted turns of joints, and signals.
    """
    numbers = {v.name: float(R[v.slot]) for v in tree.variables}
    start = {v.name: numbers[v.name] for v in tree.of_role("state", "sampled")}
    for name, at in standings(model, numbers).items():
        body = model.bodies[name]
        coordinates, rates = len(body.joint.coordinates), len(body.joint.rates)
        # the states of vibration modes follow those of the joint, and are the same in both forms
        kept = [*body.coordinates[coordinates:], *body.rates[rates:]]
        if is_freed(body):
            values = [*at.x, *quaternion(at.R)], [*at.R.T @ at.v, *at.R.T @ at.w]
            for named, numbers_of_part in zip((FREE.coordinates, FREE.rates), values, strict=True):
                start |= {f"{name}.{suffix}": float(x) for (suffix, _), x in zip(named, numbers_of_part, strict=True)}
        else:
            kept += [*body.joint.coordinates, *body.joint.rates]
        start |= {f"{name}.{suffix}": numbers[f"{name}.{suffix}"] for suffix, _ in kept}
        for k, (suffix, _) in enumerate(body.joint.coordinates):
            counted = counter(body, k)
            if counted in free.by_name:
                start[counted] = numbers[f"{name}.{suffix}"]
    return start
