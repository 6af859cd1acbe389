"""Formulas of the equation of a model: of its rates and outputs, and for closed loops of the open tree and its gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..codegen.graphs import FormulaRecord, Formulas
from ..infrastructure.errors import Argument, ModelError
from ..integrate.functions.module import values_module
from ..model.references.leaves import DriveForce, Multiplier, ReactionNumber, Residual
from ..record.branches import in_lanes
from ..record.tables import Open, rows_of
from ..symbolic.expressions import Expression, as_expression, leaf
from ..symbolic.graph import leaves
from .array_functions import KernelCall, Kernels
from .mechanism import Mechanism

LEAVE_OUT = ("leave it out",)  #: remedy for outputs


class EquationFormulas(NamedTuple):
    """Formulas whose leaves are numbers of symbols: time (0), then states, inputs, parameters, and multipliers.

    rates, outputs: of the states and of the outputs, in the order of the names. gaps: residuals of constraint rows,
    empty for trees.
    """

    rates: list[Expression]
    outputs: list[Expression]
    gaps: list[Expression]


def formulas_of(kernels: Kernels, remedy: str) -> Formulas:
    """Return the kernels of rates and outputs as formulas; remedy: ends messages about kernels without formulas."""
    module = values_module(kernels.mechanism.runtime.kernels.source_with(), kernels.method)
    return Formulas(kernels.mechanism.program, in_lanes(module), remedy)


def equation_of(kernels: Kernels, call: KernelCall, remedy: str) -> EquationFormulas:
    """Return the formulas of a tree; call: that of the kernel of rates. Raises ModelError as `results_of`."""
    made = formulas_of(kernels, remedy)
    keep_velocities(made, kernels)
    return results_of(made, call, symbols(len(kernels.given)), len(kernels.names.states))


def keep_velocities(formulas: Formulas, kernels: Kernels) -> None:
    """Let `derive` keep joint velocities that are states, and the rates of coordinates that follow from them.

    The kernel computes both from the momenta, so that formulas of coordinate rates would contain masses.
    """
    if not kernels.names.by_velocities:
        return
    module, program = formulas.module, kernels.mechanism.program
    derive = module.derive
    kept = [k for name in ("u", "q_dot") for k in range(program.region(name).start, program.region(name).stop)]

    def derived(R: FormulaRecord) -> None:
        before = [R[k] for k in kept]
        derive(R)
        for k, x in zip(kept, before, strict=True):
            R[k] = x

    vars(module)["derive"] = derived


def symbols(count: int) -> FormulaRecord:
    """Return an array of leaves, whose references are 0, 1, ..., count - 1."""
    return FormulaRecord(map(leaf, range(count)))


def of_numbers(argument: Any) -> Any:
    """Return an argument of a kernel, an array as a list for formulas."""
    return FormulaRecord(argument.tolist()) if isinstance(argument, np.ndarray) else argument


def zeros(count: int) -> FormulaRecord:
    """Return an array of zeros."""
    return FormulaRecord([0.0] * count)


def results_of(formulas: Formulas, call: KernelCall, X: FormulaRecord, nx: int) -> EquationFormulas:
    """Return the formulas of the results of a kernel for the symbols X; nx: number of states.

    Raises ModelError if the kernel branches on symbols.
    """
    Y = zeros(call.Y.size)
    replaced = {id(call.X): X, id(call.Y): Y}
    formulas.call(call.kernel, *(replaced.get(id(x), of_numbers(x)) for x in call.arguments))
    made = list(map(as_expression, Y))
    return EquationFormulas(made[:nx], made[nx:], [])


def require_rows(mechanism: Mechanism) -> None:
    """Raise ModelError for rate constraints and contact points, whose rows are no gaps of positions."""
    name, kernels = mechanism.program.name, mechanism.runtime.kernels
    if kernels.N_UNBOUND or kernels.N_CONTACTS > kernels.N_FEET:
        raise ModelError(
            f"model {name!r} has closures with rate constraints or touching curves, which multipliers of gaps do not "
            "describe: use mbs.ode, or export a native FMU"
        )


def require_outputs(mechanism: Mechanism, rows: list[int], remedy: Sequence[str | Argument] = LEAVE_OUT) -> None:
    """Raise ModelError for outputs that the open tree does not have.

    These are reactions in its joints, forces of drives and the residual; with redundant rows, which share loads, also
    multipliers and reactions of loops. rows: those with multipliers. remedy: parts of the end of the message.
    """
    model, is_redundant = mechanism.model, len(rows) < mechanism.runtime.kernels.N_ROWS
    for output in model.outputs.values():
        for r in leaves(list(output.expressions)):
            of_loop = isinstance(r, Multiplier) or (isinstance(r, ReactionNumber) and r.owner not in model.bodies)
            reason = "whose rows share loads, as some are redundant" if of_loop else "which its open tree does not have"
            if is_redundant if of_loop else isinstance(r, (ReactionNumber, DriveForce, Residual)):
                raise ModelError(
                    f"output {output.name!r} of model {model.name!r} reads {r}, {reason}: ",
                    *(remedy or ("leave it out",)),
                )


class OpenTree:
    """The tree of a model with closed loops, whose kernels handle no rows, and beside it those of the rows.

    rows: numbers of the rows with multipliers. formulas: the kernels of the tree. remedy: as of `formulas_of`.
    """

    def __init__(self, kernels: Kernels, rows: list[int], remedy: str):
        self.kernels, self.rows = kernels, rows
        self.formulas = formulas_of(kernels, remedy)
        self._of_rows = formulas_of(kernels, remedy).module
        keep_velocities(self.formulas, kernels)
        module: Any = self.formulas.module
        none = {
            x: np.zeros(len(getattr(module, x)), dtype=int)
            for x in ("OPEN_FIRST", "OPEN_PERMANENT_END", "ROOTED_FIRST")
        }
        self._derive, self._instant = module.derive, getattr(module, "instant", None)
        self._set_motion_tangents = getattr(module, "set_motion_tangents", None)
        vars(module).update(
            none, N_ROWS=0, N_LOOPS=0, derive=self._with_multipliers, instant=self._at_instant,
            set_motion_tangents=self._set_tangents,
        )  # fmt: skip
        self._forces: dict[int, Any] = {}
        self._gaps: list[Any] = []

    def equation(self) -> EquationFormulas:
        """Return the formulas. Raises ModelError if a kernel branches on symbols."""
        kernels, rows = self.kernels, self.rows
        X, Y = symbols(len(kernels.given) + len(rows)), zeros(kernels.width)
        self._forces = dict(zip(rows, X[len(kernels.given) :], strict=True))
        R, G = of_numbers(kernels.R), of_numbers(kernels.G)
        self.formulas.call("rates_and_outputs", R, zeros(len(R)), G, X, Y)
        nx, made = len(kernels.names.states), list(map(as_expression, Y))
        return EquationFormulas(made[:nx], made[nx:], list(map(as_expression, self._gaps)))

    def _with_multipliers(self, R: FormulaRecord) -> None:
        """Compute the rates of the tree, and add the forces of rows to those of the momenta: J^T lambda."""
        self._derive(R)
        rows, S = self._of_rows, FormulaRecord(R)
        rows.conditions(S)
        rows.plain_inboard(S)
        self._gaps = [S[rows.RESIDUALS + row] for row in self.rows]
        opened = rows_of(Open, rows.OPEN)
        for i in range(len(rows.OPEN_FIRST) - 1):
            for own in opened[rows.OPEN_FIRST[i] : rows.OPEN_FIRST[i + 1]]:
                first = rows.ROW_B + own.projection
                for k in range(rows.RATES_OF[i] if own.row in self._forces else 0):
                    place = rows.P_DOT + rows.RATE_INDEX[i] + k
                    R[place] = R[place] + self._forces[own.row] * S[first + k]

    def _at_instant(self, R: FormulaRecord, D: FormulaRecord) -> None:
        """Compute reactions and accelerations. The kernel computes rates again, without multipliers: these are kept."""
        assert self._instant is not None
        rates = self.kernels.mechanism.f
        before = R[rates]
        self._instant(R, D)
        R[rates] = before

    def _set_tangents(self, R: FormulaRecord, D: FormulaRecord) -> None:
        """Set tangents along the motion; multipliers are rates of the rows' impulses."""
        assert self._set_motion_tangents is not None
        self._set_motion_tangents(R, D)
        for row, force in self._forces.items():
            D[self._of_rows.MULTIPLIERS + row] = force
