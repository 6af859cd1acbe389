"""Graphs of models with closed loops: the open tree, with constraint forces as inputs and gaps as outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...codegen.graphs import FormulaRecord
from ...compile.requests import OF_BALANCE
from ...infrastructure.errors import ModelError
from ...integrate.methods.table import method as method_of
from ...model.model import Model
from ...model.references.leaves import Residual
from ...record.tables import Open, rows_of
from ...symbolic.graph import leaves
from ..array_functions import Kernels
from ..mechanism import Mechanism
from ..ode import names_of, require_equation
from ..rows import chosen_rows
from .graph import Graph, of_numbers, zeros

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
    ca: Any, model: Model, free: Sequence[str], numbers: tuple[Numbers, Numbers, Numbers], name: str
) -> OpenLoops:
    """Return a model with closed loops as a tree with constraint forces. Raises ModelError."""
    mechanism = Mechanism(model, "rk4")
    require_equation(mechanism, "velocities")
    _require_rows(mechanism)
    R = mechanism.record(*numbers, time=0.0)
    mechanism.begin(R)
    program = mechanism.program
    kernels = Kernels(mechanism, method_of("rk4"), names_of(program, free, "velocities"), R)
    rows = chosen_rows(program, mechanism.runtime.kernels, R)
    names = kernels.names
    sizes = np.cumsum([1, len(names.states), len(names.inputs), len(names.parameters)]).tolist()
    _, x0, u0, p0, _ = np.split(R[kernels.given], sizes)
    labels = [f"{loop['name']}: {label}" for loop in program.loops for label in loop["labels"]]
    function = _Tree(ca, kernels, rows).function(name)
    own = [labels[row] for row in rows]
    return OpenLoops(function, names.states, names.inputs, names.parameters, names.outputs, own, x0, u0, p0)


def _require_rows(mechanism: Mechanism) -> None:
    """Raise ModelError for rate constraints, contact points, and outputs that the balance of momenta evaluates."""
    name, kernels = mechanism.program.name, mechanism.runtime.kernels
    if kernels.N_UNBOUND or kernels.N_CONTACTS:
        raise ModelError(
            f"model {name!r} has closures with rate constraints or touching curves, which multipliers of gaps do not "
            "describe: use mbs.ode, or export a native FMU for CasADi's DaeBuilder"
        )
    for output in mechanism.model.outputs.values():
        if any(isinstance(r, (*OF_BALANCE, Residual)) for r in leaves(list(output.expressions))):
            raise ModelError(
                f"output {output.name!r} of model {name!r} is a reaction, an acceleration or a residual, which the "
                "multipliers determine: leave it out"
            )


class _Tree:
    """The graph of a model's tree, whose kernels handle no rows, and beside it those of the rows."""

    def __init__(self, ca: Any, kernels: Kernels, rows: list[int]):
        self.ca, self.kernels, self.rows = ca, kernels, rows
        self.graph = Graph(ca, kernels)
        self.of_rows = Graph(ca, kernels).formulas.module
        module: Any = self.graph.formulas.module
        none = {
            x: np.zeros(len(getattr(module, x)), dtype=int)
            for x in ("OPEN_FIRST", "OPEN_PERMANENT_END", "ROOTED_FIRST")
        }
        self._derive = module.derive
        vars(module).update(none, N_ROWS=0, N_LOOPS=0, derive=self._with_multipliers)
        self._forces: dict[int, Any] = {}
        self._gap: list[Any] = []

    def function(self, name: str) -> Any:
        """Return the `casadi.Function`."""
        graph, names, kernels, rows = self.graph, self.kernels.names, self.kernels, self.rows
        columns = [
            graph.column(part) for part in (["t"], names.states, names.inputs, names.parameters, self._multipliers)
        ]
        X, Y = graph.leaves(), zeros(kernels.width)
        self._forces = dict(zip(rows, X[len(X) - len(rows) :], strict=True))
        R, G = of_numbers(kernels.R), of_numbers(kernels.G)
        graph.formulas.call("rates_and_outputs", R, zeros(len(R)), G, X, Y)
        results = graph.vectors(Y[: len(names.states)], Y[len(names.states) :], self._gap)
        return self.ca.Function(
            name, columns, results, ["t", "x", "u", "p", "multipliers"], ["xdot", "y", "gap"],
        )  # fmt: skip

    @property
    def _multipliers(self) -> list[str]:
        """Names of the multipliers' symbols."""
        return [f"multiplier_{row}" for row in self.rows]

    def _with_multipliers(self, R: FormulaRecord) -> None:
        """Compute the rates of the tree, and add the forces of rows to those of the momenta: J^T lambda."""
        self._derive(R)
        rows, S = self.of_rows, FormulaRecord(R)
        rows.conditions(S)
        rows.plain_inboard(S)
        self._gap = [S[rows.RESIDUALS + row] for row in self.rows]
        opened = rows_of(Open, rows.OPEN)
        for i in range(len(rows.OPEN_FIRST) - 1):
            for own in opened[rows.OPEN_FIRST[i] : rows.OPEN_FIRST[i + 1]]:
                first = rows.ROW_B + own.projection
                for k in range(rows.RATES_OF[i] if own.row in self._forces else 0):
                    place = rows.P_DOT + rows.RATE_INDEX[i] + k
                    R[place] = R[place] + self._forces[own.row] * S[first + k]
