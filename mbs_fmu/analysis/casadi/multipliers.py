"""Graphs of models with closed loops: the open tree, with constraint forces as inputs and gaps as outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...infrastructure.arguments import ParameterValues
from ...integrate.methods.table import method as method_of
from ...model.model import Model
from ..array_functions import Kernels
from ..formulas import OpenTree, require_outputs, require_rows
from ..mechanism import Mechanism
from ..ode import names_of, require_equation
from ..rows import chosen_rows
from .graph import REMEDY, Graph

Numbers = Mapping[str, float]


class OpenLoops(NamedTuple):
    """A model with closed loops as a tree with constraint forces.

    function: the `casadi.Function` (t, x, u, p, multipliers) -> (xdot, y, gap). x contains all coordinates, joint
    velocities and signal states. The multipliers are the forces (N) and torques (N m) of the constraint rows, as
    `mbs.multiplier` measures them, and gap their residuals (m, rad), which are zero where the loops are closed.
    states, inputs, parameters, outputs, rows: names of the numbers in x, u, p, y, and in multipliers and gap.
    x0, u0, p0: the start with closed loops, the inputs and the parameters.
    """

    function: Any
    states: list[str]
    inputs: list[str]
    parameters: list[str]
    outputs: list[str]
    rows: list[str]
    x0: np.ndarray
    u0: np.ndarray
    p0: np.ndarray


def open_loops(
    ca: Any, model: Model, free: Sequence[str], numbers: tuple[Numbers, Numbers, ParameterValues], name: str
) -> OpenLoops:
    """Return a model with closed loops as a tree with constraint forces. Raises ModelError."""
    mechanism = Mechanism(model, "rk4")
    require_equation(mechanism, "velocities")
    require_rows(mechanism)
    R = mechanism.record(*numbers, time=0.0)
    mechanism.begin(R)
    program = mechanism.program
    kernels = Kernels(mechanism, method_of("rk4"), names_of(program, free, "velocities"), R)
    rows = chosen_rows(program, mechanism.runtime.kernels, R)
    require_outputs(mechanism, rows)
    names = kernels.names
    sizes = np.cumsum([1, len(names.states), len(names.inputs), len(names.parameters)]).tolist()
    _, x0, u0, p0, _ = np.split(R[kernels.given], sizes)
    labels = [f"{loop['name']}: {label}" for loop in program.loops for label in loop["labels"]]
    function = _function(Graph(ca, kernels), OpenTree(kernels, rows, REMEDY), name)
    own = [labels[row] for row in rows]
    return OpenLoops(function, names.states, names.inputs, names.parameters, names.outputs, own, x0, u0, p0)


def _function(graph: Graph, tree: OpenTree, name: str) -> Any:
    """Return the `casadi.Function` of an open tree."""
    names, made = tree.kernels.names, tree.equation()
    multipliers = [f"multiplier_{row}" for row in tree.rows]
    columns = [graph.column(part) for part in (["t"], names.states, names.inputs, names.parameters, multipliers)]
    results = graph.vectors(made.rates, made.outputs, made.gaps)
    return graph.ca.Function(name, columns, results, ["t", "x", "u", "p", "multipliers"], ["xdot", "y", "gap"])
