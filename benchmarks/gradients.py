"""Cost and error of gradients in reverse mode: runs with the gradient of a cost against runs without."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.analysis.rollout import Rollout
from models.boom_with_load import boom_with_load
from models.four_bar import four_bar
from models.governor import governor
from models.pendulum_on_cart import pendulum_on_cart

from .report import number, progress, table
from .sensitivities import chain
from .timing import Effort, calls, clock, interleaved

STEP, STEPS = 1e-3, 500
BODIES = (5, 10, 20, 50, 100, 200)  #: of chains
WIDE = 1e-3  #: largest step of the differences, relative to the numbers
FINE = {"boom with 16 modes": 2e-4}  #: steps of stiff models
TUNABLE = {"four-bar": ["b"]}  #: by case, parameters with gradients, unless all have them

EXPLANATION = f"""\
The ratio is the processor time of the value and the gradient of a weighted sum of all states and outputs of a run
(`Ode.rollout`, rk4, {STEPS} steps, a row for each step), divided by that of the same run without the gradient, as the
median over interleaved repeats. The gradient is taken with respect to the start, all parameters of the model and the
inputs of each step. Both times include the call from Python. The four-bar makes its steps in minimal coordinates, in
which the cost of a gradient grows with the number of states, inputs and parameters. The target is 4 for trees of rigid
bodies, for any number of bodies, inputs and parameters. Compilation is the processor time of the first run and
gradient, with an empty cache. The error is that of the derivative in a random direction against central differences of
runs, extrapolated from four steps, relative to the sum of the sizes of all products; the differences are good to about
1e-11. Steps are {STEP:g} s, those of the boom {FINE["boom with 16 modes"]:g} s."""


def section(effort: Effort, quick: bool) -> str:
    """Report section."""
    cases: dict[str, Callable[[], mbs.Model]] = {"pendulum on a cart": pendulum_on_cart, "governor": governor}
    cases |= {f"chain of {count} bodies": partial(chain, count) for count in (BODIES[::2] if quick else BODIES)}
    cases |= {"boom with 16 modes": boom_with_load, "four-bar": four_bar, "four-bar, lengths and masses": four_bar}
    rows = []
    for name, make in cases.items():
        progress(f"gradients of {name}")
        model = make()
        rows.append([name, *_case(model, TUNABLE.get(name, list(model.parameters)), FINE.get(name, STEP), effort)])
    header = ["run", "numbers", "ratio", "us a step of the run", "compilation, s", "error"]
    return "\n\n".join(["## Gradients of runs", EXPLANATION, table(header, rows)])


def _case(model: mbs.Model, parameters: list[str], step: float, effort: Effort) -> list[str]:
    """Row: size of the gradient, ratio, microseconds of a step without it, seconds of compilation, and error."""
    f = mbs.ode(model, parameters)
    run = f.rollout(step, STEPS)
    u = np.zeros((STEPS, len(f.inputs)))
    shape = STEPS + 1
    weights = np.ones((shape, len(f.states))), np.ones((shape, len(f.outputs)))

    def value_and_gradient() -> mbs.Gradient:
        return run.vjp(u=u)[1](*weights)

    start = clock()
    value_and_gradient()
    seconds = clock() - start
    times = interleaved({"run": calls(lambda: run(u=u)), "both": calls(value_and_gradient)}, effort)
    count = len(f.x0) + u.size + len(f.p0)
    ratio = float(np.median(times["both"] / times["run"]))
    microseconds = 1e6 * statistics.median(times["run"]) / STEPS
    figures = [str(count), f"{ratio:.2f}", number(microseconds, "{:.2f}"), number(seconds, "{:.1f}")]
    return [*figures, f"{_error(run, u, weights):.0e}"]


def _error(run: Rollout, u: np.ndarray, weights: tuple[np.ndarray, np.ndarray]) -> float:
    """Relative difference of the derivative in a random direction and of extrapolated central differences."""
    rng, base = np.random.default_rng(1), (run.x0, u, run.p0)
    gradient = run.vjp(u=u)[1](*weights)
    moves = [rng.normal(size=x.shape) * (1.0 if name == "u" else x) for name, x in zip("xup", base, strict=True)]

    def total(e: float) -> float:
        x, inputs, p = (a + e * move for a, move in zip(base, moves, strict=True))
        trajectory = run(x=x, u=inputs, p=p)
        return float(np.sum(weights[0] * trajectory.x) + np.sum(weights[1] * trajectory.y))

    slopes = [(total(e) - total(-e)) / (2 * e) for e in (WIDE / 2**k for k in range(4))]
    for k in range(1, len(slopes)):
        slopes = [(4**k * b - a) / (4**k - 1) for a, b in itertools.pairwise(slopes)]
    products = [part * move for part, move in zip(gradient, moves, strict=True)]
    size = sum(float(np.abs(product).sum()) for product in products)
    return abs(sum(float(product.sum()) for product in products) - slopes[0]) / size
