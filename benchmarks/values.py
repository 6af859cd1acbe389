"""Cost of changed values between two runs."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import mbs_fmu as mbs

from .named import MODELS
from .report import progress, table
from .timing import Effort, calls, interleaved

STEP = 1e-3  #: s
EXPLANATION = f"""\
The table lists the processor time of a run of one step (rk4, {STEP:g} s) in microseconds, as the median of interleaved
repeats. "Repeated call" changes nothing; the other columns change a value in the model (`m.start`, `m.set_parameter`),
or pass a value to `simulate` (`parameters=`, `start=`, a `Batch` of one member), a different one each time. The target
is below 1000. To measure this section alone, run `python -m benchmarks --sections values`."""
CHOSEN = ("governor", "universal-10", "universal-50")


def section(effort: Effort) -> str:
    """Report section."""
    rows = []
    for name in CHOSEN:
        progress(f"changed values of {name}")
        model = MODELS[name]()()
        model.output("doubled", 2.0 * model.parameter("changed", 1.0))
        seconds = interleaved({key: calls(run) for key, run in _runs(model).items()}, effort)
        rows.append([name, *(f"{1e6 * statistics.median(x):.0f}" for x in seconds.values())])
    header = ["model", *seconds]
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


if __name__ == "__main__":
    print(section(Effort.of(quick=False)))
