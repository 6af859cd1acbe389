"""The equations of a model for its text in Modelica: rates of states, outputs, and conditions of closed loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from ..analysis.array_functions import Kernels, Names
from ..analysis.formulas import OpenTree, equation_of, require_outputs, require_rows
from ..analysis.linear.linearize import check_drives
from ..analysis.mechanism import TOLERANCES, Mechanism
from ..analysis.ode import names_of
from ..analysis.pieces import with_weights
from ..analysis.rows import chosen_rows
from ..compile.requests import mean_of
from ..infrastructure.arguments import is_one_of
from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..integrate.methods.table import method as method_of
from ..model.builders.terminals import FLANGES, INFLOW
from ..model.forces import expressions as expressions_of
from ..model.model import Model
from ..model.observers import without_observers
from ..record.program import Program
from ..symbolic.expressions import ZERO, Expression, as_expression, leaf
from ..symbolic.graph import derivative, distinct, topological
from ..symbolic.surfaces import SURFACES

REMEDY = "export an FMU"
STABILIZATION = 10.0  #: rate at which gaps of closed loops decrease, 1/s
MOST = 20_000  #: operations of a text that compilers of Modelica still read
#: Names of position and effort of a flange, by the class of the connector.
FLANGE_MEMBERS = {kind: (position, effort) for position, effort, _, _, _, kind in FLANGES.values()}
#: Operations on many numbers that have no short formula, by what has them.
SEARCHES = {
    **dict.fromkeys(SURFACES, "a height field"), "feature": "a mesh", "edge": "a mesh", "entry": "a mesh",
    "nearest": "a curved road",
}  # fmt: skip


@dataclass(frozen=True)
class Equations:
    """Formulas of the numbers of symbols: time (0), states, inputs, parameters and multipliers, in this order.

    rates: of the states. outputs: of the outputs. conditions: formulas that are zero where the multipliers are right.
    rows: names of the constraint rows of the multipliers. start: numbers of the symbols without multipliers, at the
    start. R: the record, with the numbers of tables.
    """

    model: Model
    program: Program
    names: Names
    rates: list[Expression]
    outputs: list[Expression]
    conditions: list[Expression]
    rows: list[str]
    start: np.ndarray
    R: np.ndarray


def equations_of(model: Model, parameters: Sequence[str] | None, outputs: Sequence[str] | None) -> Equations:
    """Return the equations of a model; parameters, outputs: names of those that they contain, all by default.

    Raises ArgumentError for unknown names. Raises ModelError for models that have no equations of this form, naming the
    thing that has none.
    """
    acting = with_outputs(without_observers(model), outputs)
    _require_smooth(acting)
    mechanism = Mechanism(acting, "rk4")
    program = mechanism.program
    free = [v.name for v in program.of_role("parameter")] if parameters is None else parameters
    names = names_of(program, free, "velocities", "parameters")
    _require_rates(mechanism)
    R = mechanism.record({}, {}, {}, time=0.0)
    made = (_closed if program.loops else _tree)(mechanism, names, R)
    formulas = with_weights([*made.rates, *made.outputs, *made.conditions], R)
    of_each = iter(formulas)
    rates, rows, conditions = ([next(of_each) for _ in part] for part in (made.rates, made.outputs, made.conditions))
    made = replace(made, rates=rates, outputs=rows, conditions=conditions)
    _require_formulas(acting, formulas)
    count = distinct(formulas)
    if count > MOST:
        raise ModelError(
            f"{_large(program)} has {count} operations, and Modelica text at most {MOST}: {REMEDY}, or name fewer "
            "parameters and outputs"
        )
    return made


def with_outputs(model: Model, names: Sequence[str] | None) -> Model:
    """Return the model with these outputs alone, and those of its flanges. Raises ArgumentError for unknown names."""
    if names is None:
        return model
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ArgumentError(f"outputs is {display(names)}: name outputs in a list")
    for name in names:
        if not is_one_of(name, model.outputs):
            hint = did_you_mean(name, model.outputs) if isinstance(name, str) else ""
            raise ArgumentError(
                f"unknown output {display(name)}{hint}; outputs of {model.name!r}: {listed(model.outputs)}"
            )
    kept = {*names, *(position for _, position, _ in flanges(model).values())}
    other = copy(model)
    other.outputs = {name: output for name, output in model.outputs.items() if name in kept}
    return other


def flanges(model: Model) -> dict[str, tuple[str, str, str]]:
    """Return the terminals that are flanges: class of the connector, output of the position, input of the effort.

    One whose variables are no input and output of the model is left out: a model that includes another one may have
    connected it.
    """
    found = {}
    for name, terminal in model.terminals.items():
        position, effort = FLANGE_MEMBERS.get(terminal.kind, ("", ""))
        members = {m.name: m for m in terminal.members}
        if {*members} != {position, effort} or members[effort].kind != INFLOW:
            continue
        variables = members[position].variable, members[effort].variable
        if variables[0] in model.outputs and variables[1] in model.inputs:
            found[name] = (terminal.kind, *variables)
    return found


def _require_smooth(model: Model) -> None:
    """Raise ModelError for a model whose states jump, or whose laws search in many numbers."""
    sampled, resetting = list(model.sampled_signals), [e.name for e in model.events.values() if e.reset]
    switching = [closure.thing for closure in model.loops.values() if closure.mode is not None]
    no_events = f"Modelica text has no events: {REMEDY}"
    if switching:
        raise ModelError(f"{switching[0]} switches modes: {no_events}")
    if sampled:
        raise ModelError(f"signal {sampled[0]!r} is sampled: {no_events}")
    if resetting:
        raise ModelError(f"event {resetting[0]!r} resets states: {no_events}")


def _require_formulas(model: Model, formulas: list[Expression]) -> None:
    """Raise ModelError for formulas that search in the numbers of a surface, naming what has it."""
    searching = next((node.op for node in topological(formulas) if node.op in SEARCHES), None)
    if searching is None:
        return
    things = (
        force.thing
        for force in model.forces.values()
        for part in force.parts()
        if any(node.op == searching for node in topological(list(expressions_of(part.effect()))))
    )
    thing = next(things, f"model {model.name!r}")
    raise ModelError(f"{thing} searches in {SEARCHES[searching]}, which has no formula in Modelica: {REMEDY}")


def _require_rates(mechanism: Mechanism) -> None:
    """Raise ModelError for means over steps, and for drives that inputs move."""
    mean = mean_of(mechanism.model)
    if mean is not None:
        raise ModelError(f"{mean} is a mean over steps, and Modelica has no steps: take the value at an instant")
    check_drives(mechanism, "Modelica text")


def _large(program: Program) -> str:
    """Return what makes a model large."""
    body = max(program.elastic, key=lambda body: len(body["frequencies"]), default=None)
    if body is None:
        return f"model {program.name!r}"
    return f"model {program.name!r} with {len(body['frequencies'])} modes of elastic body {body['name']!r}"


def _tree(mechanism: Mechanism, names: Names, R: np.ndarray) -> Equations:
    """Return the equations of a tree."""
    mechanism.runtime.initialize(R, *TOLERANCES)
    kernels = Kernels(mechanism, method_of("rk4"), names, R)
    X = R[kernels.given]
    call = kernels.rates_call(R, X, np.zeros(kernels.width))
    made = equation_of(kernels, call, REMEDY)
    rates = _with_unit_quaternions(mechanism.program, names, made.rates)
    return Equations(mechanism.model, mechanism.program, names, rates, made.outputs, [], [], X, R)


def _closed(mechanism: Mechanism, names: Names, R: np.ndarray) -> Equations:
    """Return the equations of a model with closed loops: of its tree with multipliers, and the conditions of these."""
    require_rows(mechanism)
    mechanism.begin(R)
    program = mechanism.program
    kernels = Kernels(mechanism, method_of("rk4"), names, R)
    rows = chosen_rows(program, mechanism.runtime.kernels, R)
    require_outputs(mechanism, rows, ("name others in ", Argument("outputs", "outputs="), ", or leave it out"))
    made = OpenTree(kernels, rows, REMEDY).equation()
    labels = [f"{loop['name']}: {label}" for loop in program.loops for label in loop["labels"]]
    rates = _with_unit_quaternions(program, names, made.rates)
    conditions = _stabilized(made.gaps, made.rates)
    return Equations(
        mechanism.model,
        program,
        names,
        rates,
        made.outputs,
        conditions,
        [labels[row] for row in rows],
        R[kernels.given],
        R,
    )


def _stabilized(gaps: list[Expression], rates: list[Expression]) -> list[Expression]:
    """Return accelerations of the gaps of loops, with Baumgarte's terms, by which gaps and their rates decrease."""
    seeds: Mapping[int, Expression] = {0: as_expression(1.0), **dict(enumerate(rates, start=1))}

    def seed(symbol: int) -> Expression:
        return seeds.get(symbol, ZERO)

    speeds = derivative(gaps, seed)
    accelerations = derivative(speeds, seed)
    return [
        a + 2.0 * STABILIZATION * v + STABILIZATION**2 * g
        for a, v, g in zip(accelerations, speeds, gaps, strict=True)
    ]  # fmt: skip


def _with_unit_quaternions(program: Program, names: Names, rates: list[Expression]) -> list[Expression]:
    """Return the rates of states, which bring the lengths of quaternions back to one, as solvers let these drift."""
    made, places = list(rates), {name: k for k, name in enumerate(names.states)}
    slots = {v.slot: v.name for v in program.of_role("coordinate")}
    for first in program.quaternions.values():
        own = [places[slots[first + k]] for k in range(4)]
        components = [leaf(1 + place) for place in own]
        excess = 1.0 - sum((x * x for x in components), ZERO)
        for place, x in zip(own, components, strict=True):
            made[place] = made[place] + excess * x
    return made
