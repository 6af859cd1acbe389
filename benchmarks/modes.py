"""Cost of closures with constraint modes that do not hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from numpy import median

import mbs_fmu as mbs

from .report import progress, table
from .timing import Effort, calls, interleaved

BARS = 40
STEP, COUNT = 1e-3, 5000  # so many that the start is negligible

EXPLANATION = f"""\
The model has {BARS} planar four-bars, each with a closure that may be engaged: a lock of its crank's hinge, whose row
ends at the world, or a latch between its coupler and the world, with six rows along the branch. The table lists the
processor time of an rk4 step of {STEP:g} s in microseconds, as the median over rounds of {COUNT} steps, in which all
models run alternately. The ratio to the four-bars without this closure is the median of the ratios within each round.
To measure this section alone, run `python -m benchmarks --sections modes`."""


def section(effort: Effort) -> str:
    """Report section."""
    progress("closures that do not hold")
    models = {name: make() for name, make in _models().items()}
    runs = {name: calls(partial(_run, model)) for name, model in models.items()}
    microseconds = {name: 1e6 * seconds / COUNT for name, seconds in interleaved(runs, effort).items()}
    alone = next(iter(microseconds.values()))
    rows = [[name, f"{median(micro):.1f}", f"{median(micro / alone):.2f}"] for name, micro in microseconds.items()]
    return "\n\n".join(["## Released closures", EXPLANATION, table(["four-bars", "us", "ratio"], rows)])


def _models() -> dict[str, Callable[[], mbs.Model]]:
    return {
        "alone": partial(four_bars, None),
        "with open locks": partial(four_bars, partial(_lock, held=False)),
        "with open latches": partial(four_bars, _latch),
        "with locks that hold": partial(four_bars, partial(_lock, held=True)),
    }


def _run(model: mbs.Model) -> mbs.Result:
    return mbs.simulate(model, COUNT * STEP, method="rk4", step=STEP, output_interval=COUNT * STEP)


def four_bars(more: Callable[[mbs.Model, int], None] | None) -> mbs.Model:
    """Four-bars side by side; `more` adds something to each."""
    m = mbs.Model("bars", gravity=(0, -9.81, 0))
    for k in range(BARS):
        m.body(
            f"crank{k}", joint=mbs.Revolute("z"), mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12), at=(0, 0, k)
        )
        m.body(f"coupler{k}", f"crank{k}", mbs.Revolute("z"), 2.0, (1, 0, 0), inertia=(0, 2 / 3, 2 / 3), at=(1, 0, 0))
        m.body(f"rocker{k}", f"coupler{k}", mbs.Revolute("z"), 1.5, (0.75, 0, 0), inertia=(0, 0.28, 0.28), at=(2, 0, 0))
        m.close(f"pin{k}", f"rocker{k}", "world", mbs.OnLine("z"), at_a=(1.5, 0, 0), at_b=(2, 0, k))
        m.start(f"crank{k}", q=2.0, u=1.0)
        m.start(f"coupler{k}", q=-1.2, guess=True)
        m.start(f"rocker{k}", q=-1.5, guess=True)
        if more is not None:
            more(m, k)
    return m


def _lock(m: mbs.Model, k: int, held: bool) -> None:
    m.lock(f"lock{k}", on=f"crank{k}", when=mbs.time >= (STEP if held else 1e9))


def _latch(m: mbs.Model, k: int) -> None:
    m.close(f"latch{k}", f"coupler{k}", "world", mbs.Weld(), at_b=(0, 0, k), when=mbs.time >= 1e9)
