"""The comparison of Ivanov (2017): sweep against block Cholesky on a chain with universal joints, part by part."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from mbs_fmu.codegen.loader import entry
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.view.plots import new_figure

from .kernel_loops import state_loop
from .models import Mechanism, States, to_model, universal_chain
from .ours import relative
from .printed import Printed
from .report import progress, table
from .timing import Effort, interleaved

SOLVERS = ("sweep", "cholesky")
METHOD, STEP = "abm6", 1e-4  #: s; at 1e-3 s a chain of 50 bodies is beyond the method's stability
SIZES = tuple(range(5, 51, 5))
FOLDER = Path(__file__).parent.parent / "docs"
US = 1e6
TOLERANCE = 1e-9
TITLES = {"sweep": "Sweep", "cholesky": "Block Cholesky"}
PARTS = ("solution", "kinematics", "integrator")  #: from the bottom, as in the paper's figures
EVALUATED = {"derive": "derive", "sines": "sines", "copy": None}  #: kernels that are timed in loops; None: no kernel
COLOURS = {"solution": "0.75", "kinematics": "C0", "integrator": "0.25"}
EXPLANATION = """\
This section repeats a comparison of the paper I17 ([sources](equations.md)): the time of one fixed step for a chain of
bodies on universal joints, against the number of bodies. The method is a multistep method of order six with one
evaluation per step (`abm6`; the paper uses [Störmer's](equations.md#störmers-method)). Three parts are timed
separately, in loops that call nothing else and run alternately: the whole step, one evaluation `derive`, and, as a part
of it, `sines`, which computes the sine and cosine of all angles. Times are medians of processor time.

| part         | time                          |
| ------------ | ----------------------------- |
| integrator   | the step minus the evaluation |
| kinematics   | `sines`                       |
| solution     | the evaluation minus `sines`  |

The paper divides the work differently. The passes of this package transform inertias through the joints and form no
rotation matrices, so almost all kinematics belongs to the solution. The second table therefore has both solvers as the
paper prints them, with 6x6 matrices in small arrays (`benchmarks/printed.py`, numba) and separate kinematics. Before
the timing, all rates are compared with those of the kernels.

The sweep cannot be used exactly as printed. Its products of full matrices lose the symmetry of M*, and the error grows
by a constant factor from body to body. The timed sweep replaces each M* by its symmetric part. The paper's Cholesky
subtracts VᵀV, which is symmetric, and needs no correction; both solvers of this package store one half of M* only."""
ERRORS = """Largest relative error of momenta and their rates, compared with this package's Cholesky:"""


@dataclass
class Row:
    """Medians in µs for one number of bodies, by solver and part; ratios of sweep to Cholesky within rounds."""

    bodies: int
    ours: dict[str, dict[str, float]]
    printed: dict[str, float]
    ratios: dict[str, float]
    errors: dict[str, float]  #: of all solutions, relative to our Cholesky


def section(effort: Effort, quick: bool) -> str:
    """Report section; its figures are drawn into docs/ unless `quick`."""
    rows = []
    for n in (5, 20, 50) if quick else SIZES:
        progress(f"solvers on {n} bodies")
        rows.append(measured(n, effort))
    if not quick:
        draw(rows)
    return "\n\n".join([
        "## Sweep against block Cholesky", EXPLANATION,
        "This package's kernels, µs a step:", ours_table(rows),
        "In the printed form, µs an evaluation:", printed_table(rows),
        ERRORS, error_table(rows),
        verdict(rows),
        *(f"![{alt}]({name})" for name, alt in FIGURES.items()),
    ])  # fmt: skip


# -- measuring ---------------------------------------------------------------------------------------


class Kernels:
    """The generated kernels of one solver, on their own record."""

    def __init__(self, mechanism: Mechanism, states: States, solver: str):
        program = compile_model(to_model(mechanism, driven=False), solver, methods=(METHOD,))  # type: ignore[arg-type]
        self.runtime = Runtime(program)
        self.program, kernels = program, self.runtime.kernels
        self.R = program.new_record()
        self.R[program.region("q")], self.R[program.region("u")] = states.q[0], states.u[0]
        self.runtime.initialize(self.R, 1e-6, 1e-8)
        entry(kernels.derive)(self.R)
        self.u, self.p_dot = self.R[program.region("u")].copy(), self.R[program.region("p_dot")].copy()
        self.p = self.R[program.region("p")].copy()
        self.stepper = getattr(kernels, f"enter_{METHOD}_fixed")
        self.loops = {part: state_loop(program.text, kernel) for part, kernel in EVALUATED.items()}

    def momenta(self, u: np.ndarray) -> np.ndarray:
        """p of joint velocities at the start."""
        R = self.program.new_record()
        R[:] = self.R
        R[self.program.region("u")] = u
        entry(self.runtime.kernels.momenta)(R)
        return R[self.program.region("p")]

    def runs(self) -> dict[str, Callable[[int], object]]:
        """Repetitions of a step and of its parts.

        The parts run on a copy, so that the method keeps its history. Before each repetition one of two states is
        copied into it, or the compiler would detect that nothing changes; the time of copying is subtracted.
        """
        state = self.program.state_slice
        X = np.array([self.R[state], self.R[state] * (1 + 1e-6)])
        arguments = self.R.copy(), state.start, X, 0, np.zeros((2, 0))
        return {"step": self.steps} | {part: partial(loop, *arguments) for part, loop in self.loops.items()}

    def steps(self, count: int) -> None:
        """Make `count` steps from the record's state."""
        stop = self.R[HeadNumbers.time] + count * STEP
        if self.stepper(self.R, self.runtime.no_tables, stop, STEP, 0) != Status.ok:
            raise RuntimeError(f"{self.program.name}: the run broke down at {self.R[HeadNumbers.time]} s")


def measured(n: int, effort: Effort) -> Row:
    """Check and time one chain. Raises RuntimeError if the solvers disagree."""
    mechanism = universal_chain(n)
    states = calm(mechanism)
    kernels = {solver: Kernels(mechanism, states, solver) for solver in SOLVERS}
    printed = Printed(mechanism, states.q[0], kernels["cholesky"].p)
    found = errors(kernels, printed)
    check(found)
    runs: dict[tuple[str, str], Callable[[int], object]] = {}
    for solver, contender in kernels.items():
        runs |= {(solver, part): run for part, run in contender.runs().items()}
    runs |= {("printed", part): run for part, run in printed.runs().items()}
    seconds = interleaved(runs, effort)
    return summary(n, seconds, found)


def calm(mechanism: Mechanism) -> States:
    """Small random angles and rates, with which the chain can swing for any time."""
    rng = np.random.default_rng(1)
    q, u = 0.02 * rng.normal(size=(2, 1, mechanism.rates))
    return States(q, u, np.zeros_like(u))


UNSYMMETRIC = "the sweep as printed"  #: the only solution that is not checked, because its error has no bound


def errors(kernels: dict[str, Kernels], printed: Printed) -> dict[str, float]:
    """Return the relative errors of all solutions; of velocities as momenta, since round-off grows along chains."""
    right = kernels["cholesky"]
    rates = {
        "our sweep": (kernels["sweep"].u, kernels["sweep"].p_dot),
        "the printed cholesky": printed.rates("cholesky"),
        "the printed sweep, symmetric": printed.rates("sweep"),
        UNSYMMETRIC: printed.rates("sweep", symmetric=False),
    }
    return {
        name: max(relative(right.momenta(u), right.p), relative(p_dot, right.p_dot))
        for name, (u, p_dot) in rates.items()
    }


def check(found: dict[str, float]) -> None:
    """Raise RuntimeError unless all solutions that are timed agree."""
    for name, error in found.items():
        if name != UNSYMMETRIC and not error < TOLERANCE:
            raise RuntimeError(f"rates of {name} deviate by {error:.1e}")


def summary(n: int, seconds: dict[tuple[str, str], np.ndarray], found: dict[str, float]) -> Row:
    """Parts as differences within each round, then medians."""

    def us(values: np.ndarray) -> float:
        return US * float(np.median(values))

    parts = {}
    for solver in SOLVERS:
        copy, step = seconds[solver, "copy"], seconds[solver, "step"]
        derive, sines = seconds[solver, "derive"] - copy, seconds[solver, "sines"] - copy
        parts[solver] = {"solution": derive - sines, "kinematics": sines, "integrator": step - derive, "step": step}
    return Row(
        bodies=n,
        ours={solver: {part: us(values) for part, values in parts[solver].items()} for solver in SOLVERS},
        printed={part: us(values) for (who, part), values in seconds.items() if who == "printed"},
        ratios={
            "step": float(np.median(parts["sweep"]["step"] / parts["cholesky"]["step"])),
            "solution": float(np.median(parts["sweep"]["solution"] / parts["cholesky"]["solution"])),
            "printed": float(np.median(seconds["printed", "sweep"] / seconds["printed", "cholesky"])),
        },
        errors=found,
    )


# -- reporting ---------------------------------------------------------------------------------------


def ours_table(rows: Sequence[Row]) -> str:
    header = ["bodies"]
    for solver in SOLVERS:
        header += [f"{solver}: {part}" for part in ("step", *PARTS)]
    lines = []
    for row in rows:
        cells = [f"{row.ours[solver][part]:.2f}" for solver in SOLVERS for part in ("step", *PARTS)]
        lines.append([str(row.bodies), *cells, f"{row.ratios['step']:.2f}", f"{row.ratios['solution']:.2f}"])
    return table([*header, "step ratio", "solution ratio"], lines)


def printed_table(rows: Sequence[Row]) -> str:
    header = ["bodies", "kinematics", "sweep", "block cholesky", "ratio", "our evaluation"]
    lines = []
    for row in rows:
        ours = row.ours["cholesky"]
        cells = [row.printed["kinematics"], row.printed["sweep"], row.printed["cholesky"], row.ratios["printed"]]
        lines.append([str(row.bodies), *(f"{c:.2f}" for c in cells), f"{ours['solution'] + ours['kinematics']:.2f}"])
    return table(header, lines)


def error_table(rows: Sequence[Row]) -> str:
    names = list(rows[0].errors)
    lines = [[str(row.bodies), *(f"{row.errors[name]:.0e}" for name in names)] for row in rows]
    return table(["bodies", *names], lines)


def verdict(rows: Sequence[Row]) -> str:
    """Figures to compare with the paper's."""

    def span(values: list[float]) -> str:
        return f"{min(values):.2f} to {max(values):.2f}"

    share = [row.ours["cholesky"]["solution"] / row.ours["cholesky"]["step"] for row in rows]
    text = (
        "In the paper the sweep is 1.3 to 1.4 times slower than Cholesky in the solution, the time is linear in the "
        "number of bodies, and the solution takes most of it. In the printed form, the sweep is "
        f"{span([r.ratios['printed'] for r in rows])} times slower. In this package's kernels it is "
        f"{span([r.ratios['solution'] for r in rows])} times slower in the solution, and "
        f"{span([r.ratios['step'] for r in rows])} times in the step. The solution takes {span(share)} of the time of "
        "the step. [The source papers](papers.md#i17-the-comparison-of-the-solvers) explains on what the ratio depends."
    )
    return textwrap.fill(text, 118)


FIGURES = {
    "solvers_sweep.png": "Time of a step against the number of bodies: sweep",
    "solvers_cholesky.png": "Time of a step against the number of bodies: block Cholesky",
    "solvers_ratio.png": "Time of the sweep over that of block Cholesky",
}


def draw(rows: Sequence[Row]) -> None:
    """Draw the paper's three figures with these results."""
    top = 1.1 * max(row.ours[solver]["step"] for row in rows for solver in SOLVERS)
    for solver, name in zip(SOLVERS, FIGURES, strict=False):
        draw_parts(rows, solver, top, FOLDER / name)
    draw_ratios(rows, FOLDER / list(FIGURES)[2])


def draw_parts(rows: Sequence[Row], solver: str, top: float, path: Path) -> None:
    """Figures 1 and 2: a step's parts on top of each other."""
    figure = new_figure(6, 4)
    axis = figure.subplots()
    bodies = np.array([row.bodies for row in rows])
    below = np.zeros(len(rows))
    for part in PARTS:
        heights = np.array([row.ours[solver][part] for row in rows])
        axis.bar(bodies, heights, 3.0, below, label=part, color=COLOURS[part])
        below += heights
    axis.set(title=f"{TITLES[solver]}: parts of a step", xlabel="bodies", ylabel="time of a step (µs)", ylim=(0, top))
    axis.set_xticks(bodies)
    handles, labels = axis.get_legend_handles_labels()
    axis.legend(handles[::-1], labels[::-1], loc="upper left")
    axis.grid(axis="y", alpha=0.3)
    axis.set_axisbelow(True)
    figure.savefig(path, dpi=100)


def draw_ratios(rows: Sequence[Row], path: Path) -> None:
    """Figure 3: the ratio in the solution, with straight lines of trend."""
    figure = new_figure(6, 4)
    axis = figure.subplots()
    bodies = np.array([row.bodies for row in rows])
    for key, label, colour in (("printed", "as printed", "C3"), ("solution", "our kernels", "C0")):
        ratios = np.array([row.ratios[key] for row in rows])
        axis.plot(bodies, ratios, "o", color=colour, label=label)
        axis.plot(bodies, np.polyval(np.polyfit(bodies, ratios, 1), bodies), color=colour)
    axis.axhspan(1.3, 1.4, color="0.85", label="the paper: 1.3 to 1.4", zorder=0)
    axis.set(
        title="Solution: time of the sweep over that of block Cholesky", xlabel="bodies", ylabel="ratio", ylim=(1, None)
    )
    axis.set_xticks(bodies)
    axis.legend(loc="center right", bbox_to_anchor=(1.0, 0.62))
    axis.grid(alpha=0.3)
    figure.savefig(path, dpi=100)
