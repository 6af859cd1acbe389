"""Cost of changed values between two runs, and of `simulate` before its first step."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import mbs_fmu as mbs
from mbs_fmu.run.simulate import compiled

from .named import MODELS
from .report import progress, table
from .timing import Effort, calls, interleaved

STEP = 1e-3  #: s
EXPLANATION = f"""\
The table lists the processor time of a run of one step (rk4, {STEP:g} s) in microseconds, as the median of interleaved
repeats. "Repeated call" changes nothing; the other columns change a value in the model (`m.start`, `m.set_parameter`),
or pass a value to `simulate` (`parameters=`, `start=`, a `Batch` of one member), a different one each time. The target
is below 1000. The last column is the part of a run before its first step: from the call of `simulate` to that of its
kernel, in wall time. To measure this section alone, run `python -m benchmarks --sections values`."""
CHOSEN = ("governor", "universal-10", "universal-50")
REPEATS = 2000  #: of the part before the first step


def section(effort: Effort) -> str:
    """Report section."""
    rows = []
    for name in CHOSEN:
        progress(f"changed values of {name}")
        model = MODELS[name]()()
        model.output("doubled", 2.0 * model.parameter("changed", 1.0))
        seconds = interleaved({key: calls(run) for key, run in _runs(model).items()}, effort)
        rows.append([name, *(f"{1e6 * statistics.median(x):.0f}" for x in seconds.values()), f"{_before(model):.1f}"])
    header = ["model", *seconds, "before the first step"]
    return "\n\n".join(["## Changed values", EXPLANATION, table(header, rows)])


def _simulate(model: mbs.Model, **settings: Any) -> Any:
    inputs = dict.fromkeys(model.inputs, 0.0)
    return mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP, inputs=inputs, **settings)


def _runs(model: mbs.Model) -> Mapping[str, Callable[[], Any]]:
    """Compared runs, by heading."""
    new = (1.0 + 1e-6 * k for k in itertools.count())
    body = next(body for body in model.bodies.values() if body.joint.rates)
    rate = f"{body.name}.{body.joint.rates[0][0]}"

    def start() -> None:
        model.start(body, u=[next(new)] * len(body.joint.rates))
        _simulate(model)

    def set_parameter() -> None:
        model.set_parameter("changed", next(new))
        _simulate(model)

    return {
        "repeated call": lambda: _simulate(model),
        "m.start": start,
        "m.set_parameter": set_parameter,
        "parameters=": lambda: _simulate(model, parameters={"changed": next(new)}),
        "start=": lambda: _simulate(model, start={rate: next(new)}),
        "Batch of one": lambda: _simulate(model, batch=mbs.Batch(parameters={"changed": [next(new)]})),
    }


def _before(model: mbs.Model) -> float:
    """Median time from the call of `simulate` to that of its kernel, microseconds."""
    runtime, entered = compiled(model, method="rk4"), [0.0]
    kernels, loop = runtime.kernels, runtime.kernels.enter_rk4_run_fixed

    def noted(*arguments: Any) -> int:
        entered.append(time.perf_counter())
        return int(loop(*arguments))

    noting = SimpleNamespace(enter_initialise=kernels.enter_initialise, enter_rk4_run_fixed=noted)
    runtime.kernels = noting  # type: ignore[assignment]
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        _simulate(model)
        seconds.append(entered.pop() - began)
    runtime.kernels = kernels
    return 1e6 * statistics.median(seconds)


if __name__ == "__main__":
    print(section(Effort.of(quick=False)))
