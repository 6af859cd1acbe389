"""Cost of a call besides its kernels: of `simulate` for one step, and of other functions that run a model often."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.plans import prepared
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.run.single import first_record

from .named import in_folder
from .report import progress, table
from .timing import clock

CALLS, WARM = 1000, 50  #: measured calls, and calls before them
STEP = 1e-3  #: s
METHODS: Mapping[str, Mapping[str, Any]] = {"dopri5": {}, "rk4": {"step": STEP}}
EXPLANATION = f"""\
Processor time of a call of `simulate` over one step of {STEP:g} s with the same model and arguments as before, in
microseconds, as the median of {CALLS} calls one by one. "Kernels" is the part in machine code: the start (with closed
loops their assembly) and the step. "Python" is the rest; the target is below 100. Of this, "arguments" is the check of
the arguments, up to the settings of the run, and "record" the first record with the values of this run. The models are
a pendulum with one input, the four-bar of models/four_bar.py and an arm of six hinges with six inputs, each of which is
given as a number. The shortest calls of [whole runs](#whole-runs) take longer: there programs take turns, and a few
calls follow a pause. To measure this section alone, run `MBS_FMU_TIER=full python -m benchmarks --sections floor`."""
OF_OTHERS = """\
The same for other calls, each with the same arguments every time, apart from the values that the column names. A batch
has one member. "identify" has two unknown start values, and its measured rows are a run of 20 steps; of the four-bar
these rows determine no start values."""


def pendulum() -> mbs.Model:
    """A pendulum with a spring and a motor."""
    m = mbs.Model("pendulum")
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    m.spring("hinge", on=rod, stiffness=m.parameter("c", 2.0), damping=0.1)
    m.motor("drive", on=rod, torque=m.input("torque"))
    m.output("tip", mbs.position(rod, (0, 0, -1)))
    m.start(rod, q=0.5)
    return m


def arm() -> mbs.Model:
    """An arm of six hinges with motors, with the axes of a UR5."""
    m = mbs.Model("arm")
    parent: str | mbs.Body = "world"
    damping = m.parameter("c", 0.1)
    for k, axis in enumerate("zyyyzy"):
        parent = m.body(
            f"link{k}", parent, mbs.Revolute(axis), mass=2.0, com=(0, 0, 0.1), inertia=(0.02, 0.02, 0.01),
            at=(0, 0, 0.2) if k else (0, 0, 0),
        )  # fmt: skip
        m.motor(f"motor{k}", on=parent, torque=m.input(f"torque{k}"))
        m.spring(f"bearing{k}", on=parent, damping=damping)
        m.start(parent, q=0.1 * k)
    m.output("tip", mbs.position(parent, (0, 0, 0.1)))
    return m


MODELS: Mapping[str, Callable[[], mbs.Model]] = {
    "pendulum": pendulum, "four-bar": lambda: in_folder("four_bar")(), "arm": arm,
}  # fmt: skip


def section() -> str:
    """Report section."""
    rows, others = [], []
    for name, make in MODELS.items():
        progress(f"floor of a call with {name}")
        model = make()
        rows += [[name, method, *map(_cell, _parts(model, method, how))] for method, how in METHODS.items()]
        calls = _others(model)
        others.append([name, *("-" if call is None else _cell(_median(call)) for call in calls.values())])
    parts = table(["model", "method", "call", "kernels", "Python", "arguments", "record"], rows)
    return "\n\n".join(["## Floor of a call", EXPLANATION, parts, OF_OTHERS, table(["model", *calls], others)])


def _cell(seconds: float) -> str:
    return f"{1e6 * seconds:.1f}"


def _parts(model: mbs.Model, method: str, how: Mapping[str, Any]) -> tuple[float, ...]:
    """Median times of a call: all of it, kernels, the rest; of the latter arguments and the first record."""
    settings = {"inputs": dict.fromkeys(model.inputs, 0.1), "method": method, "output_interval": STEP, **how}
    whole = _median(lambda: mbs.simulate(model, STEP, **settings))
    runtime, spec = prepared(model, STEP, **settings)
    with _timed(runtime, ("enter_initialise", f"enter_{spec.settings.control.loop}")) as spent:
        for _ in range(CALLS):
            mbs.simulate(model, STEP, **settings)
    kernels = sum(statistics.median(seconds) for seconds in spent.values())
    arguments = _median(lambda: prepared(model, STEP, **settings))
    values = spec.tables, spec.parameters, spec.start, spec.settings
    return whole, kernels, whole - kernels, arguments, _median(lambda: first_record(runtime.program, *values))


@contextmanager
def _timed(runtime: Runtime, names: tuple[str, ...]) -> Iterator[dict[str, list[float]]]:
    """Note the times of some entries of a runtime's kernels."""
    entries = {name: getattr(runtime.kernels, name) for name in names}
    spent: dict[str, list[float]] = {name: [] for name in names}

    def timed(name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            began = clock()
            status = entries[name](*arguments)
            spent[name].append(clock() - began)
            return status

        return call

    vars(runtime.kernels).update({name: timed(name) for name in names})
    try:
        yield spent
    finally:
        vars(runtime.kernels).update(entries)


def _others(model: mbs.Model) -> dict[str, Callable[[], object] | None]:
    """Other calls by name; None if the model has none."""
    inputs = dict.fromkeys(model.inputs, 0.1)
    step: dict[str, Any] = {"method": "rk4", "step": STEP, "output_interval": STEP, "inputs": inputs}
    values = iter(np.linspace(0.1, 0.2, 4 * (CALLS + WARM)).tolist())
    parameter = next(iter(model.parameters))
    body = next(iter(model.bodies))
    names = [f"{body}.phi", f"{body}.w"]
    measured = mbs.simulate(model, 20 * STEP, **step)

    def of_another_model() -> None:
        model.set_parameter(parameter, next(values))
        mbs.simulate(model, STEP, **step)

    return {
        "new parameters=": lambda: mbs.simulate(model, STEP, parameters={parameter: next(values)}, **step),
        "new start=": lambda: mbs.simulate(model, STEP, start={names[0]: next(values)}, **step),
        "new m.set_parameter": of_another_model,
        "table of inputs": lambda: mbs.simulate(
            model, STEP, **{**step, "inputs": {name: ([0.0, STEP], [0.1, 0.2]) for name in inputs}}
        ),
        "batch": lambda: mbs.simulate(model, STEP, batch=mbs.Batch(start={names[0]: [0.3]}), **step),
        "linearize": lambda: mbs.linearize(model, inputs=inputs),
        "identify": None if model.loops else partial(
            mbs.identify, model, measured, free=names, method="rk4", step=STEP, progress=False
        ),
    }  # fmt: skip


def _median(call: Callable[[], object]) -> float:
    """Median processor time of calls, s; fewer calls of slow functions."""
    began = clock()
    call()
    count = CALLS if clock() - began < 5e-3 else CALLS // 20
    for _ in range(WARM):
        call()
    seconds = []
    for _ in range(count):
        began = clock()
        call()
        seconds.append(clock() - began)
    return statistics.median(seconds)


if __name__ == "__main__":
    print(section())
