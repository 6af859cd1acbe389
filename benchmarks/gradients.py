"""Cost of gradients in reverse mode: runs with the gradient of a cost against runs without."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

import numpy as np

import mbs_fmu as mbs
from models.boom_with_load import boom_with_load
from models.four_bar import four_bar
from models.governor import governor
from models.pendulum_on_cart import pendulum_on_cart

from .report import number, progress, table
from .sensitivities import chain
from .timing import Effort, calls, clock, interleaved

STEP, STEPS = 1e-3, 500
TUNABLE = {"four-bar": ["b"]}  #: by case, parameters with gradients, unless all have them

EXPLANATION = f"""\
The ratio is the processor time of the value and the gradient of a weighted sum of all states and outputs of a run
(`Ode.rollout`, rk4, {STEPS} steps of {STEP:g} s, a row for each step), divided by that of the same run without the
gradient, as the median over interleaved repeats. The gradient is taken with respect to the start, all parameters of the
model and the inputs of each step. Both times include the call from Python. The four-bar makes its steps in minimal
coordinates, in which the cost of a gradient grows with the number of states, inputs and parameters. The target is 4 for
any number of inputs and parameters. Compilation is the processor time of the first run and gradient, with an empty
cache."""


def section(effort: Effort, quick: bool) -> str:
    """Report section."""
    cases: dict[str, Callable[[], mbs.Model]] = {"pendulum on a cart": pendulum_on_cart, "governor": governor}
    cases |= {f"chain of {count} hinges": partial(chain, count) for count in ((7,) if quick else (7, 30, 100))}
    cases |= {"boom with 16 modes": boom_with_load, "four-bar": four_bar, "four-bar, lengths and masses": four_bar}
    rows = []
    for name, make in cases.items():
        progress(f"gradients of {name}")
        model = make()
        rows.append([name, *_case(model, TUNABLE.get(name, list(model.parameters)), effort)])
    header = ["run", "numbers", "ratio", "us a step of the run", "compilation, s"]
    return "\n\n".join(["## Gradients of runs", EXPLANATION, table(header, rows)])


def _case(model: mbs.Model, parameters: list[str], effort: Effort) -> list[str]:
    """Row: size of the gradient, ratio, microseconds of a step without it, and seconds of compilation."""
    f = mbs.ode(model, parameters)
    run = f.rollout(STEP, STEPS)
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
    step = statistics.median(times["run"]) / STEPS
    return [str(count), f"{ratio:.2f}", number(1e6 * step, "{:.2f}"), number(seconds, "{:.1f}")]
