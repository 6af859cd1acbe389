"""Methods: error against evaluations and time, with scipy and Pinocchio; energy over a million steps."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.simulate import compiled
from mbs_fmu.view.plots import new_figure

from .models import Mechanism, States, revolute_chain, to_model, to_pinocchio, universal_chain
from .report import number, progress, table
from .timing import clock

DOCS = Path(__file__).parent.parent / "docs"
NAMES = {
    "universal-2": lambda: universal_chain(2),
    "revolute-10": lambda: revolute_chain(10),
    "universal-10": lambda: universal_chain(10),
}
SPAN = 1.0  #: s
STEPPED = {
    "rk4": 11,
    "abm6": 11,
    "gauss4": 9,
    "gauss6": 8,
}  #: methods with fixed steps, and the number of halvings of these
TOLERANCES = 10.0 ** -np.arange(3, 13)
LEVELS = (1e-4, 1e-8)

EXPLANATION = f"""\
Chains swing for {SPAN:g} s from random coordinates and velocities, for a sequence of steps or tolerances. The error is
the largest one of a coordinate at the end, relative to a run of scipy's DOP853 with Pinocchio's accelerations and a
tolerance of 1e-13. It is stated against the number of evaluations and the processor time (the smallest of three runs).

- "scipy": `solve_ivp` with this package's jitted evaluation (Radau with its own numerical Jacobian).
- "Pinocchio": the wheel's `aba` from Python, rk4 in a Python loop, DOP853 by `solve_ivp`.
- This package: times of `simulate`, with the model already compiled. One evaluation is one of all rates; the tangents
  of a Jacobian and the velocities of the errors, which take 0.4 of an evaluation, are not counted.

Interpolated between measured points:"""
ENERGY = """\
Energy of two rods on universal joints that start at rest 2.2 J above hanging (so that neither exceeds 60 degrees): a
million steps of gauss4 of 10 ms, and rk4 and dopri5 with as many evaluations. The trend is the change of a fitted line
over the run, the amplitude the largest distance from that line."""


@dataclass
class Curve:
    """Points of one method: errors, evaluations and seconds."""

    errors: list[float] = field(default_factory=list)
    evaluations: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def at(self, level: float, cost: list[float]) -> float | None:
        """Cost at an error, by interpolation in the logarithms; None beyond the points."""
        points = [(e, c) for e, c in zip(self.errors, cost, strict=True) if np.isfinite(e) and e > 0]
        for (e0, c0), (e1, c1) in pairwise(points):
            if e1 <= level <= e0:
                share = np.log(e0 / level) / np.log(e0 / e1)
                return float(np.exp(np.log(c0) + share * np.log(c1 / c0)))
        return None


def section(quick: bool) -> str:
    """Report section; draws docs/work_precision.png and docs/energy.png."""
    curves = {}
    for name in NAMES:
        progress(f"methods on {name}")
        curves[name] = measured(name, quick)
    draw(curves)
    header = ["method", *(f"{name}, error {level:g}" for name in NAMES for level in LEVELS)]
    rows = []
    for method in next(iter(curves.values())):
        cells = []
        for name in NAMES:
            curve = curves[name][method]
            for level in LEVELS:
                evaluations, seconds = curve.at(level, curve.evaluations), curve.at(level, curve.seconds)
                cells.append("-" if seconds is None else f"{number(evaluations)} / {1e3 * seconds:.3g} ms")
        rows.append([method, *cells])
    progress("energy over a million steps")
    picture = "![Error against evaluations and time](work_precision.png)"
    figure = "![Energy over a million steps](energy.png)"
    parts = ["## Methods", EXPLANATION, table(header, rows), picture, ENERGY, energy(quick), figure]
    return "\n\n".join(parts)


# -- work and precision ------------------------------------------------------------------------------------


def measured(name: str, quick: bool) -> dict[str, Curve]:
    """Curves by method of one mechanism."""
    mechanism = NAMES[name]()
    states = States.random(mechanism)
    q, u = 0.5 * states.q[0], 0.5 * states.u[0]
    peer = PinocchioMotion(mechanism)
    exact = peer.adaptive(q, u, 1e-13)[0]
    curves: dict[str, Curve] = {}
    cut = 2 if quick else 0
    model = to_model(mechanism, driven=False)
    first = 0
    for body in model.bodies.values():
        size = len(body.joint.rates)
        model.start(body, q=tuple(q[first : first + size]), u=tuple(u[first : first + size]))
        first += size

    def ours(method: str, **options: float) -> tuple[np.ndarray, float]:
        r = mbs.simulate(model, SPAN, method=method, output_interval=SPAN, progress=False, **options)
        names = [f"{body.name}.{suffix}" for body in model.bodies.values() for suffix, _ in body.joint.coordinates]
        return np.array([r[n][-1] for n in names]), float(r.statistics["evaluations"])

    for method, count in STEPPED.items():
        steps = [SPAN / (20 * 2**k) for k in range(count - cut)]
        curves[method] = curve([_once(ours, method, step=h) for h in steps], exact)
    for method in ("dopri5", "dop853", "rodas5p"):
        runs = [_once(ours, method, rtol=float(tol), atol=float(tol)) for tol in TOLERANCES[: len(TOLERANCES) - cut]]
        curves[method] = curve(runs, exact)
    scipy = ScipyMotion(model)
    for method in ("DOP853", "Radau"):
        tolerances = TOLERANCES[: len(TOLERANCES) - cut - (3 if method == "Radau" else 0)]
        curves[f"scipy {method}"] = curve([lambda t=t, m=method: scipy.run(m, float(t)) for t in tolerances], exact)
    steps = [SPAN / (20 * 2**k) for k in range(6 - cut)]
    curves["Pinocchio rk4"] = curve([lambda h=h: peer.rk4(q, u, h) for h in steps], exact)
    curves["Pinocchio DOP853"] = curve([lambda t=t: peer.adaptive(q, u, float(t)) for t in TOLERANCES[:-2]], exact)
    return curves


def _once(ours: Callable[..., tuple[np.ndarray, float]], method: str, **options: float) -> Callable[[], tuple]:
    return lambda: ours(method, **options)


def curve(runs: list[Callable[[], tuple[np.ndarray, float]]], exact: np.ndarray) -> Curve:
    """Each run is made three times, after one untimed run; failed runs are left out."""
    points = Curve()
    for run in runs:
        try:
            end, evaluations = run()
        except mbs.SimulationError:
            continue
        seconds = []
        for _ in range(3):
            began = clock()
            run()
            seconds.append(clock() - began)
        points.errors.append(float(np.max(np.abs(end - exact))))
        points.evaluations.append(evaluations)
        points.seconds.append(min(seconds))
    return points


class ScipyMotion:
    """The package's evaluation, called by scipy's solvers."""

    def __init__(self, model: mbs.Model):
        self.runtime = compiled(model)
        program = self.runtime.program
        self.R = program.new_record()
        self.runtime.initialize(self.R, 1e-9, 1e-11)
        self.x, self.f = program.state_slice, program.rate_slice
        self.start = self.R[self.x].copy()
        q = program.region("q")
        self.angles = slice(0, q.stop - q.start)

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        self.R[self.x] = x
        self.R[HeadNumbers.fresh] = 0.0
        self.runtime.refresh(self.R)
        return self.R[self.f].copy()

    def run(self, method: str, tolerance: float) -> tuple[np.ndarray, float]:
        from scipy.integrate import solve_ivp

        solution = solve_ivp(
            self.rates, (0.0, SPAN), self.start, method=method, rtol=max(tolerance, 3e-14), atol=tolerance
        )
        return solution.y[self.angles, -1], float(solution.nfev)


class PinocchioMotion:
    """Pinocchio's `aba` from Python, for joints whose velocities are the rates of their coordinates."""

    def __init__(self, mechanism: Mechanism):
        import pinocchio

        self.pin, self.model = pinocchio, to_pinocchio(mechanism)
        self.data, self.none = self.model.createData(), np.zeros(self.model.nv)

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        n = len(self.none)
        a = self.pin.aba(self.model, self.data, y[:n], y[n:], self.none, self.pin.Convention.LOCAL)
        return np.concatenate([y[n:], a])

    def adaptive(self, q: np.ndarray, u: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
        from scipy.integrate import solve_ivp

        start = np.concatenate([q, u])
        solution = solve_ivp(
            self.rates, (0.0, SPAN), start, method="DOP853", rtol=max(tolerance, 3e-14), atol=tolerance
        )
        return solution.y[: len(q), -1], float(solution.nfev)

    def rk4(self, q: np.ndarray, u: np.ndarray, h: float) -> tuple[np.ndarray, float]:
        y, count = np.concatenate([q, u]), round(SPAN / h)
        for _ in range(count):
            a = self.rates(0.0, y)
            b = self.rates(0.0, y + 0.5 * h * a)
            c = self.rates(0.0, y + 0.5 * h * b)
            d = self.rates(0.0, y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
        return y[: len(q)], 4.0 * count


def draw(curves: dict[str, dict[str, Curve]]) -> None:
    """One row of two pictures for each mechanism."""
    figure = new_figure(width=11, height=3.4 * len(curves))
    axes = figure.subplots(len(curves), 2, squeeze=False)
    for row, (name, methods) in zip(axes, curves.items(), strict=True):
        for axis, cost, label in zip(
            row, ("evaluations", "seconds"), ("evaluations", "processor time (s)"), strict=True
        ):
            for k, (method, points) in enumerate(methods.items()):
                style: dict[str, object] = {"linestyle": "--", "marker": "x"} if " " in method else {"marker": "o"}
                style |= {"label": method, "color": f"C{k % 10}", "markersize": 3}
                axis.loglog(getattr(points, cost), points.errors, **style)
            axis.set(xlabel=label, ylabel="error at the end (rad)", title=name, ylim=(1e-14, 1.0))
            axis.grid(alpha=0.3)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncol=6, fontsize=8)
    figure.savefig(DOCS / "work_precision.png", dpi=110)


# -- energy ------------------------------------------------------------------------------------------------


def two_rods() -> mbs.Model:
    """Two rods on universal joints, at rest 2.2 J above hanging."""
    m = mbs.Model("two_rods")
    parent: mbs.Body | str = "world"
    for k, start in enumerate(((0.4, -0.25), (0.1, 0.4))):
        inertia = (1 / 12, 1 / 12, 1e-3)
        place = (0, 0, -1.0 if k else 0.0)
        rod = m.body(f"rod{k + 1}", parent, mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.5), inertia=inertia, at=place)
        m.start(rod, q=start)
        parent = rod
    m.output("E", mbs.energy(), unit="J")
    return m


def energy(quick: bool) -> str:
    """The table of trends; draws the energies."""
    span, step = (1e3, 0.01) if quick else (1e4, 0.01)
    model = two_rods()
    interval = span / 5000
    runs = {"gauss4": mbs.simulate(model, span, method="gauss4", step=step, output_interval=interval, progress=False)}
    budget = runs["gauss4"].statistics["evaluations"]
    h = 4 * span / budget
    runs["rk4"] = mbs.simulate(model, span, method="rk4", step=h, output_interval=interval, progress=False)
    rtol = tolerance_for(model, budget / span)
    runs["dopri5"] = mbs.simulate(model, span, rtol=rtol, atol=rtol, output_interval=interval, progress=False)
    draw_energy(runs, step)
    rows = []
    for name, r in runs.items():
        change = r["E"] - r["E"][0]
        slope, level = np.polyfit(r.time, change, 1)
        rest = change - slope * r.time - level
        s = r.statistics
        figures = [f"{x:.1e}" for x in (slope * span, np.max(np.abs(rest)), np.max(np.abs(change)))]
        rows.append([name, number(s["steps"]), number(s["evaluations"]), *figures])
    return table(["method", "steps", "evaluations", "trend, J", "amplitude, J", "largest, J"], rows)


def draw_energy(runs: dict[str, mbs.Result], step: float) -> None:
    """Draw the change of the energy over time, a curve for each method; step: of gauss4, s, which sets the others'
    budget.
    """
    figure = new_figure(width=9, height=4)
    axis = figure.subplots()
    for name, r in runs.items():
        change = np.maximum(np.abs(r["E"][1:] - r["E"][0]), 1e-12)
        label = f"{name}: {1e3 * r.time[-1] / r.statistics['steps']:.2g} ms"
        axis.semilogy(r.time[1:], change, label=label, linewidth=0.6)
    steps = runs["gauss4"].statistics["steps"]
    count = "A million" if steps == 1_000_000 else f"{steps:,}"
    title = f"{count} steps of {1e3 * step:g} ms by gauss4, and as many evaluations by the others"
    axis.set(xlabel="time (s)", ylabel="|E - E(0)| (J)", title=title)
    axis.grid(alpha=0.3)
    legend = figure.legend(loc="outside right upper", title="mean step")
    for line in legend.get_lines():
        line.set_linewidth(2.0)
    figure.savefig(DOCS / "energy.png", dpi=110)


def tolerance_for(model: mbs.Model, rate: float) -> float:
    """Tolerance of dopri5 with this number of evaluations per second, by bisection over short runs."""
    low, high = -13.0, -3.0
    for _ in range(20):
        middle = 0.5 * (low + high)
        r = mbs.simulate(model, 50.0, rtol=10**middle, atol=10**middle, output_interval=50.0, progress=False)
        low, high = (middle, high) if r.statistics["evaluations"] / 50.0 > rate else (low, middle)
    return float(10 ** statistics.fmean((low, high)))
