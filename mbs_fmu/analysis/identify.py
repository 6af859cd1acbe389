"""`identify`: parameters and start values that fit measured data, by least squares with exact sensitivities.

scipy's trust-region method solves the problem; docs/identification.md explains the resulting numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ..infrastructure.arguments import (
    SOLVERS,
    ParameterValues,
    Solver,
    elements_of,
    finite,
    is_one_of,
    positive,
    spread,
    whole,
)
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import Bar, watched
from ..model.model import Model
from ..run.errors import Interrupted, SimulationError
from ..run.extras import extra
from ..run.inputs import InputValue
from ..run.simulate import require_model
from ..run.step_control import StepControl, steps_fit
from .fit import Fit, fit_of
from .measured import Measured, MeasuredRun, runs_of

RTOL = 1e-8  #: default tolerance of error control: step errors are then far below differences between runs
Bounds = Mapping[str, tuple[float | None, float | None]]


@with_clear_errors
def identify(
    model: Model, data: Any, free: Sequence[str], *, bounds: Bounds | None = None,
    guess: Mapping[str, float] | None = None, columns: Sequence[str] | Mapping[str, str] | None = None,
    weights: Mapping[str, Any] | None = None, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputValue] | None = None, parameters: ParameterValues | None = None,
    method: str = "dopri5", step: float | None = None, rtol: float | None = None, atol: float | None = None,
    solver: Solver = "cholesky",
    tolerance: float = 1e-10, evaluations: int = 100, progress: bool | None = None,
) -> Fit:  # fmt: skip
    """Fit parameters and start values to measured columns by weighted least squares.

    data: the measurements of one run, or a list of those of several runs. They are a file of a result (csv, npz,
    parquet, hdf5), a Result, a DataFrame or a dictionary of arrays, with times (s) as "time"; or an `mbs.Measured` with
    individual start values, inputs and more. Missing numbers are NaN. Columns with names of inputs become these inputs.
    All other columns of the model are fitted; unknown columns are ignored.
    free: names of the unknown parameters and start values that all runs have in common.
    bounds: (low, high) by name, None for an open end, in addition to the parameters' own ranges.
    guess: start of the search, by name; by default the values of parameters= and start=, or those of the model.
    columns: names of columns to fit; or, for data with other names, a dictionary {name in the model: name in the data},
    which may contain "time" and inputs.
    weights: by column, factors of the deviations, usually the inverse standard deviation of their noise: one number, or
    an array with one for each time; by default the inverse standard deviation of the column.
    inputs, parameters, start, method, step, rtol, atol, solver: as in `simulate`; steps end at every measured time.
    tolerance: relative tolerance for the sum of squares, the values and the gradient.
    evaluations: largest number of evaluations.
    progress: show a bar; by default on terminals and in notebooks, after a second.

    Returns the values with their standard deviations; printed, ± is one standard deviation.

    Raises ArgumentError for unusable arguments, ModelError if the start at the guess fails or scipy is missing, and
    SimulationError if a run fails at the guess. Ctrl-C raises Interrupted with the best fit found as its `result`.
    """
    optimize = extra("scipy.optimize", "scipy", "identify", "identify")
    require_model(model)
    if not is_one_of(solver, SOLVERS):
        raise ArgumentError(f"unknown solver {display(solver)}: use {' or '.join(map(repr, SOLVERS))}")
    control = StepControl.of(method, step, rtol, atol, default=RTOL)
    steps_fit(model, control)
    free = elements_of(model.elements, _names(free))
    guess = spread(model.elements, guess or {})
    bounds = {x: ends for name, ends in (bounds or {}).items() for x in elements_of(model.elements, [name])}
    common = Measured(None, start or {}, inputs or {}, parameters or {}, weights or {})
    with watched(progress):
        runs = runs_of(model, data, common, free, columns, (control, solver))
        search = _Search(runs, _unknowns(runs, guess, bounds))
        most, least = whole(evaluations, "evaluations"), positive(tolerance, "tolerance")
        search.first()
    try:
        with watched(progress), search.bar(most):
            solution = optimize.least_squares(
                search.residuals, [x.guess for x in search.unknowns], search.jacobian,
                bounds=([x.low for x in search.unknowns], [x.high for x in search.unknowns]),
                x_scale="jac", ftol=least, xtol=least, gtol=least, max_nfev=most,
            )  # fmt: skip
    except KeyboardInterrupt:
        fit = search.fit(search.best.values, (), "interrupted", False)
        raise Interrupted(f"interrupted; the best fit so far is the exception's .result: {fit!r}", fit) from None
    return search.fit(solution.x, np.flatnonzero(solution.active_mask), str(solution.message), bool(solution.success))


@dataclass(frozen=True)
class Unknown:
    """An unknown number: name, number of its run (None: common to all), bounds and guess."""

    name: str
    run: int | None
    low: float
    high: float
    guess: float
    unit: str | None
    role: str


@dataclass
class Iterate:
    """Values of the unknowns with the weighted deviations there, and their derivatives."""

    values: np.ndarray
    residuals: np.ndarray
    jacobian: np.ndarray

    @property
    def cost(self) -> float:
        return 0.5 * float(self.residuals @ self.residuals)


@dataclass
class _Search:
    """Residuals and their derivatives, which one run with tangents provides together."""

    runs: list[MeasuredRun]
    unknowns: list[Unknown]
    count: int = 0
    best: Iterate = field(init=False)
    last: Iterate = field(init=False)
    progress_bar: Bar | None = None

    def first(self) -> None:
        """Evaluate the guess; raises the errors of the run."""
        self.best = self.last = self._at(np.array([x.guess for x in self.unknowns]))

    def residuals(self, values: np.ndarray) -> np.ndarray:
        """Return weighted deviations; they are infinite if the run fails, so that the search shortens its step."""
        try:
            return self._point(values).residuals
        except (ModelError, SimulationError):
            return np.full(self.best.residuals.shape, np.inf)

    def jacobian(self, values: np.ndarray) -> np.ndarray:
        return self._point(values).jacobian

    def _point(self, values: np.ndarray) -> Iterate:
        if not np.array_equal(self.last.values, values):
            self.last = self._at(values.copy())
            if self.last.cost < self.best.cost:
                self.best = self.last
            if self.progress_bar is not None:
                self.progress_bar.note = f", sum of squares {2.0 * self.best.cost:.3g}"
                self.progress_bar.update()
        return self.last

    def _at(self, values: np.ndarray) -> Iterate:
        self.count += 1
        residuals, blocks = [], []
        for k, run in enumerate(self.runs):
            own = [j for j, x in enumerate(self.unknowns) if x.run in (None, k)]
            deviations, slopes = run.deviations({self.unknowns[j].name: float(values[j]) for j in own})
            block = np.zeros((deviations.size, len(self.unknowns)))
            block[:, own] = slopes
            residuals.append(deviations)
            blocks.append(block)
        return Iterate(values, np.concatenate(residuals), np.vstack(blocks))

    def bar(self, most: int) -> Bar:
        self.progress_bar = Bar("identify", most, "run")
        return self.progress_bar

    def fit(self, values: np.ndarray, bound: Sequence[int] | np.ndarray, message: str, success: bool) -> Fit:
        """Return the fit at these values; `bound` contains the indices of unknowns at their bounds."""
        point = self._point(values)
        parts = np.split(point.residuals, np.cumsum([run.size for run in self.runs])[:-1])
        own = [(x.name, x.run, x.unit, x.role) for x in self.unknowns]
        notes = [f"{self.unknowns[k].name} is at its bound, {values[k]:g}" for k in bound]
        return fit_of(own, self.runs, point.values, parts, point.jacobian, self.count, message, success, notes)


# -- arguments ------------------------------------------------------------------------------------------------


def _unknowns(runs: Sequence[MeasuredRun], guess: Mapping[str, float], bounds: Bounds) -> list[Unknown]:
    """Return the unknowns common to all runs, then those of each run."""
    unknowns: list[Unknown] = []
    for k, run in enumerate(runs):
        for name in run.names:
            own = name in run.own
            if own or k == 0:
                unknowns.append(_unknown(run, name, k if own else None, guess, bounds))
    known = {x.name for x in unknowns}
    for numbers, what in ((guess, "guess"), (bounds, "bounds")):
        for name in numbers:
            if name not in known:
                raise ArgumentError(f"{what}: {name!r} is no unknown: name it in free=, or leave it out")
    return unknowns


def _unknown(
    run: MeasuredRun, name: str, which: int | None, guess: Mapping[str, float], bounds: Bounds
) -> Unknown:  # fmt: skip
    v = run.program.by_name[name]
    low, high = v.range if v.role == "parameter" else (-np.inf, np.inf)
    try:
        least, most = bounds.get(name, (None, None))
        low = max(low, -np.inf if least is None else float(least))
        high = min(high, np.inf if most is None else float(most))
    except (TypeError, ValueError):
        raise ArgumentError(
            f"bounds of {name!r} are {display(bounds[name])}: give (low, high), None for none"
        ) from None
    first = finite(guess.get(name, run.initial_value(name)), f"guess of {name!r}")
    if not low < high or not low <= first <= high:
        raise ArgumentError(f"guess of {name!r} is {first:g}: it must lie within its bounds, {low:g} .. {high:g}")
    return Unknown(name, which, low, high, first, v.unit, v.role)


def _names(free: Any) -> list[str]:
    if isinstance(free, str) or not isinstance(free, Sequence) or not all(isinstance(x, str) for x in free):
        raise ArgumentError(f"free is {display(free)}: name parameters and start values in a list")
    return list(dict.fromkeys(free))
