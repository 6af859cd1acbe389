"""Loops closed at velocity level against Baumgarte's stabilization at acceleration level, on four-bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from models.four_bar import four_bar

from .closure_forms import Steps, acceleration_rates, mass_and_conditions, runner, velocity_rates
from .report import cpu_name, progress, table
from .timing import Effort, interleaved
from .timing import Run as Repeated

COUNT, SEED, SPAN, INTERVAL = 20, 1, 2.0, 0.2  #: four-bars; s
STEPS = (0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125)
ALPHAS = (1.0, 10.0, 100.0)  #: 1/s
LEVELS = (1e-2, 1e-4, 1e-6)
VELOCITY, ACCELERATION = "velocity", "acceleration"
SAME = 1e-8  #: largest difference between the package's angles and those of the same equations, at the shortest step
NS = 1e9

EXPLANATION = f"""\
[I17](equations.md) argues that constraints at velocity level, with a residual that decays at first order, allow
larger steps than constraints that are differentiated twice and stabilized by Baumgarte's method. {COUNT} crank-rockers
of uniform rods (a kilogram for each metre, random lengths of 0.3 to 2.5 m, the crank at a random angle with 1 to 6
rad/s, under gravity) move for {SPAN:g} s by rk4 with fixed steps. `benchmarks/closure_forms.py` has both forms for
numba, with the same coordinates, functions and elimination of five unknowns:

- velocity level: (q, pi), M u - JᵀΛ = pi and J u = -alpha g, impulses added to the momenta at each step, as in this
  package. The package's own runs without projection give the same angles within {SAME:g} rad at the shortest step;
- acceleration level: (q, u), the equations of index one with J u' = -J' u - 2 alpha J u - alpha² g.

The error is the largest one of all angles over the run, sampled every {INTERVAL:g} s. The reference solution integrates
the crank angle alone (DOP853, tolerance 1e-13); the other angles follow from it by trigonometry. Figures are geometric
means over the linkages. "mbs_fmu" is the package with its defaults: alpha = min(1/s, 0.1/h), and projection after steps
that leave a residual. Beyond alpha h = 2.8 rk4 is unstable in both forms."""
READ = """\
The argument is thus confirmed for the residual of the loop, but for step sizes only if the stabilization is strong.
With alpha of 1/s the gap of the pin is a sixteenth to a twenty-sixth of that at acceleration level. Baumgarte's
stabilization with 1 to 10/s allows longer steps than the velocity level if the error may be large, and steps of about
the same length if it must be small; with 100/s, as is common for stiff loops, it needs steps half as long as those at
velocity level with 1/s. At equal alpha the errors of both forms have the same magnitude. Projection, which is cheap at
velocity level, closes the loop completely. [A figure](papers.md#i17-the-comparison-of-the-solvers) shows the decay of
an open pin in both forms."""


Run = tuple[np.ndarray, float]  #: angles every INTERVAL, (times, 3), and the largest residual there, m


@dataclass(frozen=True)
class Measured:
    """Errors of angles, rad, and residuals, m: (linkages, steps)."""

    errors: np.ndarray
    gaps: np.ndarray

    @classmethod
    def of(cls, runs: Sequence[Sequence[Run]], exact: Sequence[np.ndarray]) -> Measured:
        errors = [[error(angles, true) for angles, _ in row] for row, true in zip(runs, exact, strict=True)]
        return cls(np.array(errors), np.array([[gap for _, gap in row] for row in runs]))


@dataclass(frozen=True)
class FourBar:
    """Lengths (crank, coupler, rocker, ground; m), angles (rad) and speed of the crank (rad/s) at the start."""

    lengths: np.ndarray
    q: np.ndarray
    speed: float

    @property
    def u(self) -> np.ndarray:
        return velocities(self.lengths, self.q, self.speed)

    def start(self, form: str) -> np.ndarray:
        """(q, pi) or (q, u)."""
        if form == ACCELERATION:
            return np.concatenate([self.q, self.u])
        A = np.zeros((5, 5))
        mass_and_conditions(self.lengths, self.q, A, np.zeros(2))
        return np.concatenate([self.q, A[:3, :3] @ self.u])


def section(effort: Effort, quick: bool) -> str:
    """The section of the report."""
    progress("closure: references")
    linkages = four_bars(4 if quick else COUNT)
    exact = [reference(linkage) for linkage in linkages]
    forms: dict[str, Steps] = {VELOCITY: runner(velocity_rates), ACCELERATION: runner(acceleration_rates)}
    check(forms[VELOCITY], linkages)
    results: dict[str, Measured] = {}
    for form, steps in forms.items():
        for alpha in ALPHAS:
            progress(f"closure: {form} level, alpha {alpha:g}/s")
            runs = [[form_run(steps, form, one, alpha, h) for h in STEPS] for one in linkages]
            results[f"{form}, {alpha:g}/s"] = Measured.of(runs, exact)
    progress("closure: the package")
    results["mbs_fmu"] = Measured.of([[own_run(one, h, projection=True) for h in STEPS] for one in linkages], exact)
    parts = ["## Closure at velocity level", EXPLANATION]
    parts += ["Errors, rad, by step and alpha:", _means({name: one.errors for name, one in results.items()})]
    parts += ["Gap of the pin, m:", _means({name: one.gaps for name, one in results.items()})]
    parts += [_steps({name: one.errors for name, one in results.items()}), _cost(forms, linkages[0], effort)]
    parts += [READ]
    return "\n\n".join(parts)


# -- the linkages ------------------------------------------------------------------------------------------


def four_bars(count: int) -> list[FourBar]:
    """Crank-rockers: the crank turns fully (Grashof), a tenth of a metre away from the limit."""
    rng = np.random.default_rng(SEED)
    linkages: list[FourBar] = []
    while len(linkages) < count:
        lengths, angle, speed = rng.uniform(0.3, 2.5, size=4), rng.uniform(0, 2 * math.pi), rng.uniform(1.0, 6.0)
        if lengths[0] == lengths.min() and lengths[0] + lengths.max() < 0.5 * lengths.sum() - 0.05:
            linkages.append(FourBar(lengths, closed(lengths, angle), speed))
    return linkages


def closed(lengths: np.ndarray, crank: float) -> np.ndarray:
    """All angles for that of the crank: the coupler to the left of the line from the crank's end to the ground's."""
    a, b, c, ground = lengths
    x, z = ground - a * math.cos(crank), -a * math.sin(crank)
    d = math.hypot(x, z)
    coupler = math.atan2(z, x) + math.acos((b * b + d * d - c * c) / (2 * b * d))
    rocker = math.atan2(b * math.sin(coupler) - z, b * math.cos(coupler) - x)
    return np.array([crank, coupler, rocker])


def velocities(lengths: np.ndarray, q: np.ndarray, speed: float) -> np.ndarray:
    A = np.zeros((5, 5))
    mass_and_conditions(lengths, q, A, np.zeros(2))
    return np.array([speed, *np.linalg.solve(A[3:, 1:3], -speed * A[3:, 0])])


def reference(linkage: FourBar) -> np.ndarray:
    """Angles every INTERVAL, (times, 3)."""
    out, work = np.zeros(6), np.zeros(50)

    def rates(t: float, y: np.ndarray) -> list[float]:
        q = closed(linkage.lengths, y[0])
        x = np.concatenate([q, velocities(linkage.lengths, q, y[1])])
        acceleration_rates(linkage.lengths, x, 0.0, out, work, False)
        return [y[1], out[3]]

    start = [linkage.q[0], linkage.speed]
    run = solve_ivp(rates, (0.0, SPAN), start, method="DOP853", rtol=1e-13, atol=1e-13, t_eval=times())
    return np.array([closed(linkage.lengths, angle) for angle in run.y[0]])


def times() -> np.ndarray:
    return np.linspace(0.0, SPAN, round(SPAN / INTERVAL) + 1)


# -- runs --------------------------------------------------------------------------------------------------


def form_run(steps: Steps, form: str, linkage: FourBar, alpha: float, h: float) -> Run:
    """Run of the explicit equations."""
    rows = np.zeros((len(times()), 6))
    gaps = np.zeros(len(rows))
    steps(linkage.lengths, linkage.start(form), alpha, h, round(INTERVAL / h), rows, gaps)
    return rows[:, :3], float(gaps.max())


def own_run(linkage: FourBar, h: float, projection: bool) -> Run:
    """Run of the package; NaN if it ends because residuals exceed their bound."""
    m = four_bar()
    m.stabilize(projection=projection)
    names = ("crank_length", "coupler_length", "rocker_length", "ground")
    numbers = dict(zip(names, linkage.lengths.tolist(), strict=True))
    numbers |= {name.replace("length", "mass"): numbers[name] for name in names[:3]}
    first, second, third = linkage.q.tolist()
    m.start("crank", q=first, u=linkage.speed)
    m.start("coupler", q=second - first, guess=True)
    m.start("rocker", q=third, guess=True)
    options = {"method": "rk4", "step": h, "output_interval": INTERVAL, "progress": False}
    try:
        run = mbs.simulate(m, SPAN, parameters=numbers, **options)  # type: ignore[arg-type]
    except mbs.SimulationError:
        return np.full((len(times()), 3), np.nan), math.nan
    angles = np.column_stack([run["crank.phi"], run["crank.phi"] + run["coupler.phi"], run["rocker.phi"]])
    return angles, float(run["residual"].max())


def check(steps: Steps, linkages: Sequence[FourBar]) -> None:
    """Raise RuntimeError if the package's angles are not those of its equations."""
    for linkage in linkages[:3]:
        worst = error(own_run(linkage, STEPS[-1], False)[0], form_run(steps, VELOCITY, linkage, 1.0, STEPS[-1])[0])
        if not worst < SAME:
            raise RuntimeError(f"the package and the velocity level written out differ by {worst:.1e} rad")


def error(actual: np.ndarray, exact: np.ndarray) -> float:
    """Largest difference of angles modulo a turn; half a turn for failed runs."""
    apart = np.abs(np.remainder(actual - exact + math.pi, 2 * math.pi) - math.pi)
    return float(np.nan_to_num(apart, nan=math.pi).max())


# -- tables ------------------------------------------------------------------------------------------------


def _means(measured: dict[str, np.ndarray]) -> str:
    """Geometric means over the linkages, by step; a dash for failed runs."""
    means = {name: np.exp(np.log(errors).mean(axis=0)) for name, errors in measured.items()}
    rows = [[f"{h:g}", *(_cell(mean[k]) for mean in means.values())] for k, h in enumerate(STEPS)]
    return table(["step, s", *means], rows)


def _cell(value: float) -> str:
    return f"{value:.1e}" if math.isfinite(value) else "-"


def _steps(errors: dict[str, np.ndarray]) -> str:
    """Ratio of step sizes that give the same error."""
    names = [name for name in errors if name.startswith(ACCELERATION)]
    caption = "Step sizes that reach an error, velocity level (alpha of 1/s) over acceleration level: mean, range."
    rows = []
    for level in LEVELS:
        cells = []
        for name in names:
            own, other = ([step_at(each, level) for each in errors[key]] for key in (f"{VELOCITY}, 1/s", name))
            ratios = [a / b for a, b in zip(own, other, strict=True) if a is not None and b is not None]
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
            cells.append("-" if mean is None else f"{mean:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
        rows.append([f"{level:g}", *cells])
    return f"{caption}\n\n{table(['error, rad', *names], rows)}"


def step_at(errors: Sequence[float], level: float) -> float | None:
    """Shortest step with that error, by interpolation between two of STEPS in the logarithms; None beyond them."""
    points = list(zip(errors, STEPS, strict=True))
    for (e0, h0), (e1, h1) in pairwise(points[::-1]):
        if e0 <= level < e1:
            share = math.log(level / e0) / math.log(e1 / e0)
            return h0 * (h1 / h0) ** share
    return None


def _cost(forms: dict[str, Steps], linkage: FourBar, effort: Effort) -> str:
    """Time of a step, that is of four evaluations."""
    rows, gaps = np.zeros((2, 6)), np.zeros(2)

    def steps_of(form: str) -> Repeated:
        start, steps = linkage.start(form), forms[form]
        return lambda count: steps(linkage.lengths, start.copy(), 1.0, 1e-4, count, rows, gaps)

    seconds = interleaved({form: steps_of(form) for form in forms}, effort)
    ns = {form: NS * float(np.median(times)) for form, times in seconds.items()}
    ratio = float(np.median(seconds[VELOCITY] / seconds[ACCELERATION]))
    return (
        f"A step of four evaluations takes {ns[VELOCITY]:.0f} ns at velocity level and {ns[ACCELERATION]:.0f} ns at\n"
        f"acceleration level, {ratio:.2f} times as long, both as written for this comparison ({cpu_name()})."
    )
