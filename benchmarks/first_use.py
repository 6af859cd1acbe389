"""Time to the first result of a model, in a first and a second process, and of a repeated call.

Run as a module with a model's name it is one of those processes: it prints its times as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numba  # noqa: F401  (imported before the clock starts)

import mbs_fmu as mbs
from mbs_fmu.disk.cache import CACHE_VARIABLE

from .cases import CASES
from .models import to_model
from .report import number, progress, table

EXPLANATION = """\
Wall time from building the `Model` to the first result of `mbs.simulate` (rk4, one step) in a process with an empty
kernel cache (and how much of it is processor time, which other load doesn't change), the same in a second process
that finds the kernels in the cache, and the median of repeated calls of `simulate` in the second. Imports (ours,
numba's) are not counted. Medians over processes. The aims are 5 s, 0.5 s and 1 ms, and 2 s for the
first use of the elastic boom."""
STEP = 1e-3


def governor() -> mbs.Model:
    """The model of models/governor.py."""
    namespace: dict[str, Callable[[], mbs.Model]] = {}
    path = Path(__file__).parent.parent / "models" / "governor.py"
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), namespace)
    return namespace["governor"]()


def chain(name: str) -> Callable[[], mbs.Model]:
    """A case of the evaluation benchmark, without inputs."""
    case = CASES[name]
    return lambda: to_model(case.build(case.count), driven=False)


def boom(modes: int = 8) -> mbs.Model:
    """An elastic beam on a hinge."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=modes)
    m = mbs.Model("boom")
    body = m.body("boom", joint=mbs.Revolute("y"), elastic=rod, root="root")
    m.output("sag", mbs.deformation(body, "tip"))
    return m


MODELS: Mapping[str, Callable[[], mbs.Model]] = {
    "governor": governor,
    **{name: chain(name) for name in ("universal-10", "universal-50", "tree-30", "universal-1000")},
    "elastic boom, 8 modes": boom,
}


def section(repeats: int) -> str:
    """The section of the report."""
    rows = []
    for name in MODELS:
        progress(f"first use of {name}")
        pairs = [_two_processes(name) for _ in range(repeats)]
        first = statistics.median(one["first"] for one, _ in pairs)
        second = statistics.median(two["first"] for _, two in pairs)
        again = statistics.median(two["again"] for _, two in pairs)
        computing = statistics.median(one["computing"] for one, _ in pairs)
        rows.append([name, *(number(x, "{:.2f}") for x in (first, computing, second)), number(1e3 * again, "{:.3f}")])
    header = ["model", "first process, s", "of it computing, s", "second process, s", "repeated call, ms"]
    return "\n\n".join(["## First use", EXPLANATION, table(header, rows)])


def _two_processes(name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Times of a process with an empty kernel cache and of the next."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, CACHE_VARIABLE: cache, "PYTHONDONTWRITEBYTECODE": ""}
        one, two = (
            subprocess.run(
                [sys.executable, "-m", "benchmarks.first_use", name],
                env=environment, cwd=Path(__file__).parent.parent,
                stdout=subprocess.PIPE, text=True, check=True,
            )
            for _ in range(2)
        )  # fmt: skip
    return json.loads(one.stdout), json.loads(two.stdout)


def _simulate(model: mbs.Model) -> mbs.Result:
    inputs = dict.fromkeys(model.inputs, 0.0)
    return mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP, inputs=inputs)


def _measure(build: Callable[[], mbs.Model], repeats: int = 200) -> dict[str, float]:
    """Seconds to the first result, processor seconds of it, and seconds of a repeated call."""
    start, start_computing = time.perf_counter(), time.process_time()
    model = build()
    _simulate(model)
    first, computing = time.perf_counter() - start, time.process_time() - start_computing
    again = []
    for _ in range(repeats):
        start = time.perf_counter()
        _simulate(model)
        again.append(time.perf_counter() - start)
    return {"first": first, "computing": computing, "again": statistics.median(again)}


if __name__ == "__main__":
    print(json.dumps(_measure(MODELS[sys.argv[1]])))
