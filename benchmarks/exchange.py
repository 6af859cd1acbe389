"""Closed loops in model exchange: two choices of the momenta's derivatives, by an importer's solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from fmpy.sundials import CVodeSolver

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry
from mbs_fmu.codegen.machine import ArgumentKind
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.run.simulate import compiled
from models.four_bar import four_bar
from models.n_four_bar import n_four_bar
from models.slider_crank import slider_crank
from models.stewart_platform import stewart_platform

from .kernel_loops import kernel_loop
from .report import progress, table
from .timing import Effort, interleaved

TOLERANCES = (1e-5, 1e-7, 1e-9)
INTERVALS = 100  #: number of states requested from the solver, with a possible event at each
MOST_DRIFT = 10.0  #: of states without impulses, relative to the momenta
OWN, FULL = "own", "full"
EXPLANATION = f"""\
Here fmpy's CVode integrates the rates that the kernels compute, at tolerances from {TOLERANCES[0]:g} to
{TOLERANCES[-1]:g}, with two choices of derivatives for the momenta of models with closed loops:

- "own": those that the kernels' steps integrate, in which the loops' impulses accumulate. If the
  impulses at the end of an interval exceed {MOST_DRIFT:g} times the momenta, the momenta are re-based and the solver
  restarts.
- "full" (L9): those that include the constraint forces, as in the FMUs.

Errors are the largest ones of coordinates at {INTERVALS} times, against `simulate` with a tolerance of 1e-12.
Evaluations include those that the solver requests for its difference quotients of Jacobians. Events are restarts of the
solver; with "full" it restarts where the number of independent constraint rows has increased. `n_four_bar`
passes through the position in which all rods are collinear. Times are processor time of one evaluation by the kernels,
in µs."""


@dataclass(frozen=True)
class Case:
    """A closed model, the duration of its run, and its inputs."""

    build: Callable[[], mbs.Model]
    span: float  #: s
    inputs: Mapping[str, float] = field(default_factory=dict)


CASES = {
    "four_bar": Case(four_bar, 5.0),
    "slider_crank": Case(slider_crank, 2.0, {"throttle": 0.2, "torque": -5.0}),
    "n_four_bar, 5 loops": Case(lambda: n_four_bar(5), 1.0),
    "stewart_platform": Case(stewart_platform, 1.0, {"leg1": 100.0, **{f"leg{k}": 0.0 for k in range(2, 7)}}),
}


class Exchange:
    """A model for an importer's solver, with one of the two derivatives."""

    def __init__(self, case: Case, derivatives: str):
        self.runtime = compiled(case.build())
        program = self.runtime.program
        self.R = program.new_record()
        for v in program.of_role("input"):
            self.R[v.slot] = case.inputs[v.name]
        loop_state = program.regions["loop_state"][0]
        self.R[loop_state + LoopNumbers.most_alpha], self.R[loop_state + LoopNumbers.projection_residual] = 10.0, -1.0
        self.runtime.initialize(self.R, 1e-9, 1e-9)
        self.R[loop_state + LoopNumbers.controlled] = 1.0
        self.room = np.zeros_like(self.R)
        self.x, self.p, self.q = program.state_slice, program.region("p"), program.region("q")
        self.dx = program.rate_slice if derivatives == OWN else program.exchange_slice
        self.rates = entry(self.runtime.kernels.rates)
        self.exchanged = entry(self.runtime.kernels.exchanged) if derivatives == FULL else None
        self.begin = entry(self.runtime.kernels.begin)
        self.chosen, self.ranks = program.region("ranks"), self.R[program.region("ranks")].copy()
        self.evaluations = self.events = 0

    def evaluate(self) -> None:
        self.R[HeadNumbers.fresh] = 0.0
        self.R[self.chosen] = self.ranks
        self.rates(self.R, self.runtime.no_tables)
        if self.exchanged:
            self.exchanged(self.R, self.room)

    def run(self, span: float, tolerance: float) -> np.ndarray:
        """Coordinates at the ends of all intervals."""
        size = self.x.stop - self.x.start
        view = np.ctypeslib.as_array

        def set_x(x: Any, count: int) -> None:
            self.R[self.x] = view(x, (size,))

        def get_dx(dx: Any, count: int) -> None:
            self.evaluate()
            self.evaluations += 1
            view(dx, (size,))[:] = self.R[self.dx]

        def get_x(x: Any, count: int) -> None:
            view(x, (size,))[:] = self.R[self.x]

        def nominals(x: Any, count: int) -> None:
            view(x, (size,))[:] = 1.0

        def set_time(t: float) -> None:
            self.R[HeadNumbers.time] = t

        solver = CVodeSolver(
            size, 0, get_x, set_x, get_dx, lambda z, count: None, nominals, set_time, _NoInputs(), 0.0,
            relativeTolerance=tolerance,
        )  # fmt: skip
        rows = []
        for time in np.linspace(0.0, span, INTERVALS + 1)[1:]:
            solver.step(time, time)
            self.R[HeadNumbers.time] = time
            rows.append(self.R[self.q].copy())
            if self.begun_anew():
                self.events += 1
                solver.reset(time)
        return np.array(rows)

    def begun_anew(self) -> bool:
        """True if more rows are independent than chosen, or the states are no longer momenta.

        Then rows are chosen again, and momenta are re-based.
        """
        self.evaluate()
        new = self.R.copy()
        new[HeadNumbers.fresh] = 0.0
        self.begin(new, self.runtime.no_tables, 0.0)  # a step size of zero
        due = sum(new[self.chosen]) > sum(self.ranks)
        if not self.exchanged:
            drift = np.max(np.abs(self.R[self.p] - new[self.p]))
            due = due or drift > MOST_DRIFT * np.max(np.abs(new[self.p]))
        if due:
            self.R[:] = new
            self.ranks = new[self.chosen].copy()
        return bool(due)


class _NoInputs:
    """The inputs that CVodeSolver expects."""

    def apply(self, time: float) -> None:
        pass


def section(effort: Effort) -> str:
    """Report section."""
    rows = []
    for name, case in CASES.items():
        progress(f"model exchange of {name}")
        tight = mbs.simulate(
            case.build(), case.span, inputs=case.inputs, output_interval=case.span / INTERVALS, rtol=1e-12, atol=1e-13
        )
        exact = np.array([tight[v.name] for v in compiled(case.build()).program.of_role("coordinate")]).T[1:]
        times = _times(case, effort)
        for tolerance in TOLERANCES:
            cells = {way: _measured(case, way, tolerance, exact) for way in (OWN, FULL)}
            rows.append([f"{name}, {tolerance:.0e}", *(cells[way][k] for k in range(2) for way in (OWN, FULL))])
            rows[-1] += [*(cells[way][2] for way in (OWN, FULL)), *(f"{1e6 * times[way]:.2f}" for way in (OWN, FULL))]
    what = ("error", "evaluations", "events", "µs")
    header = ["model, tolerance", *(f"{quantity}{name}" for quantity in what for name in (f", {OWN}", f", {FULL}"))]
    return "\n\n".join(["## Model exchange", EXPLANATION, table(header, rows)])


def _measured(case: Case, way: str, tolerance: float, exact: np.ndarray) -> tuple[str, str, str]:
    """Error, evaluations and events of one run; only evaluations if the solver gives up."""
    run = Exchange(case, way)
    try:
        coordinates = run.run(case.span, tolerance)
    except RuntimeError:
        return "fails", str(run.evaluations), str(run.events)
    return f"{np.max(np.abs(coordinates - exact)):.0e}", str(run.evaluations), str(run.events)


def _times(case: Case, effort: Effort) -> dict[str, float]:
    """Seconds of one evaluation of each."""
    run = Exchange(case, FULL)
    text, arrays = run.runtime.program.text, (run.R, run.runtime.no_tables, run.room)
    own = f"R[{HeadNumbers.fresh}] = 0.0\nrates(R, U)"
    bodies = {OWN: own, FULL: f"{own}\nexchanged(R, D)"}
    kinds: tuple[ArgumentKind, ...] = ("array", "array", "array")
    loops = {way: partial(kernel_loop(text, "R, U, D", body, *kinds), *arrays) for way, body in bodies.items()}
    return {way: float(np.median(seconds)) for way, seconds in interleaved(loops, effort).items()}
