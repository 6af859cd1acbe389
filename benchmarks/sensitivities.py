"""Cost of sensitivities: runs with tangents against runs without."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.plans import prepared
from mbs_fmu.run.sensitivities import Tangents, tangents_of
from mbs_fmu.run.single import first_record
from models.four_bar import four_bar
from models.pendulum_on_cart import pendulum_on_cart

from .report import number, progress, table
from .timing import Effort, Run, calls, interleaved

STEP = 1e-3
MANY = 8  #: number of directions
LINKS = 4000  #: steps times bodies of a run

EXPLANATION = f"""\
The table lists the cost of one direction, relative to a run without tangents: the processor time of a run of rk4 with
tangents ({STEP:g} s a step), divided by that of the same run without tangents and by the number of directions. Times
are from the model's record to the result; figures are medians of ratios of interleaved repeats. "One" is a single
direction, "{MANY}" are as many at once, in lanes, where the processor has vectors for them. Directions are start values
and parameters of laws; with "geometry" they include lengths and masses, for which the constants need tangents too.
Models with loops take directions one by one. The target is 1.5 with {MANY} directions in lanes, otherwise 2.5. The last
column is the time of a step without tangents."""


def section(effort: Effort, quick: bool) -> str:
    """Report section."""
    rows = []
    for name, (make, plain, geometry) in _cases(quick).items():
        progress(f"sensitivities of {name}")
        rows.append([name, *_case(make(), plain, geometry, effort)])
    header = ["run", "one", "one, geometry", f"{MANY}", f"{MANY}, geometry", "us a step"]
    return "\n\n".join(["## Sensitivities", EXPLANATION, table(header, rows)])


def _cases(quick: bool) -> dict[str, tuple[Callable[[], mbs.Model], list[str], list[str]]]:
    """Models, names of start values and parameters of laws, and names of parameters of mass and geometry."""
    cart = ["c", "b", "rod.phi", "rod.w", "cart.s", "cart.v", "force"], ["length", "rod_mass", "cart_mass"]
    bar = ["b", "crank.phi", "crank.w"], ["ground"]
    cases = {"pendulum on a cart": (pendulum_on_cart, *cart)}
    for count in (7, 30) if quick else (7, 30, 100):
        starts = [f"b{k}.{kind}" for k in range(4) for kind in ("phi", "w")]
        cases[f"chain of {count} hinges"] = partial(chain, count), starts, ["size", "heavy"]
    cases["four-bar"] = (four_bar, *bar)
    return cases


def chain(count: int) -> mbs.Model:
    """A chain of hinged bodies, whose length and mass are parameters."""
    m = mbs.Model("chain")
    size, heavy = m.parameter("size", 0.4), m.parameter("heavy", 1.0)
    parent: mbs.Body | str = "world"
    J = heavy * size * size / 12
    for k in range(count):
        at = (0, 0, -size) if k else (0, 0, 0)
        axis = "xy"[k % 2]
        parent = m.body(f"b{k}", parent, mbs.Revolute(axis), heavy, (0, 0, -size / 2), (J, J, 0.1 * J), at)
        m.start(parent, q=0.1)
    return m


def _case(model: mbs.Model, plain: list[str], geometry: list[str], effort: Effort) -> list[str]:
    """Row: evaluations for each direction, and microseconds of a step."""
    steps = max(100, LINKS // len(model.bodies))
    stop = steps * STEP
    inputs = dict.fromkeys(model.inputs, 0.0)
    options = {"method": "rk4", "step": STEP, "output_interval": stop, "inputs": inputs}
    runtime, task = prepared(model, stop, **options)
    R = first_record(runtime.program, task.tables, {}, {}, task.settings)
    times = np.array([0.0, stop])

    def many(names: Sequence[str]) -> Tangents:
        """The names, repeated to fill the lanes: the cost does not depend on them."""
        more = [v.name for v in runtime.program.of_role("coordinate", "rate") if v.name not in names]
        return tangents_of(model, runtime, [*names, *more][:MANY], task.settings.control, {})

    ways = {"plain": [plain[0]], "geometry": [geometry[0]]}
    tangents = {
        f"one {way}": tangents_of(model, runtime, names, task.settings.control, {}) for way, names in ways.items()
    }
    if len(runtime.program.of_role("coordinate", "rate")) + len(plain) >= MANY and not model.loops:
        tangents |= {"many plain": many(plain), "many geometry": many([*geometry, *plain])}
    runs: dict[str, Run] = {"alone": calls(partial(mbs.simulate, model, stop, **options))}
    runs |= {way: calls(partial(x.run, R, task.tables, times)) for way, x in tangents.items()}
    seconds = interleaved(runs, effort)

    def cost(way: str) -> str:
        if way not in tangents:
            return number(None)
        ratio = float(np.median(seconds[way] / seconds["alone"]))
        return f"{ratio / len(tangents[way].names):.2f}"

    ratios = [cost(f"{count} {way}") for count in ("one", "many") for way in ("plain", "geometry")]
    return [*ratios, f"{1e6 * statistics.median(seconds['alone']) / steps:.2f}"]
