"""Gradients through contact: accuracy, time and use in four tasks, and in MJX: tables of docs/contact_gradients.md.

python -m benchmarks.contact_gradients [--python PATH] [--picture PATH]

PATH is a Python with the packages jax and mujoco-mjx. Compilation makes MJX's part take about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares, minimize

import mbs_fmu as mbs
from mbs_fmu.view.plots import new_figure

from .contact_numbers import BOUNCE_DROP, BOUNCE_DURATION, RANGES, TARGETS
from .contact_tasks import TASKS, Shooting, Task, bouncing, height_after, throw
from .differences import central, extrapolated, trend
from .report import Unavailable, machine, number, progress, table
from .timing import Effort, calls, clock, interleaved

ROOT = Path(__file__).parent.parent
STEPS = (1e-3, 5e-4, 2.5e-4)  #: s
TOLERANCES = (1e-8, 1e-10)  #: of runs with error control
EXACT = 1e-12  #: tolerance of the runs whose sensitivities count as those of the motion
SIZE = 1e-6  #: of plain central differences, relative
ITERATIONS = 60  #: of L-BFGS


class Solved(NamedTuple):
    """Result of an optimization: unknowns, largest miss after each run, number of gradients, seconds."""

    unknowns: np.ndarray
    history: list[float]
    gradients: int
    seconds: float


def accuracy(tasks: Sequence[str], effort: Effort) -> str:
    """Table: errors and times of gradients and differences."""
    rows = []
    for name in tasks:
        progress(f"gradients of {name}")
        begin = clock()
        shooting = Shooting(TASKS[name]())
        at = shooting.guess
        J = shooting.jacobian(at)
        first = clock() - begin
        size = np.abs(J).max()
        best, doubt = extrapolated(shooting.misses, at)
        plain = central(shooting.misses, at, SIZE)
        seconds = interleaved(
            {
                "run": calls(partial(shooting.misses, at)),
                "gradient": calls(partial(shooting.jacobian, at)),
                "differences": calls(partial(central, shooting.misses, at, SIZE)),
            },
            effort,
        )
        times = [f"{1e3 * np.median(seconds[way]):.1f}" for way in ("run", "gradient", "differences")]
        errors = [np.abs(x).max() / size for x in (J - best, doubt, plain - best)]
        counts = [shooting.task.steps, at.size, len(shooting.task.misses)]
        rows.append([name, *map(str, counts), *times, *(f"{x:.0e}" for x in errors), f"{first:.1f}"])
    header = [
        "task", "steps", "unknowns", "misses", "run, ms", "all gradients, ms", "central differences, ms",
        "error of the gradient", "of extrapolated differences", "of central differences", "first gradient, s",
    ]  # fmt: skip
    return table(header, rows)


def tangents(task: Task, **options: Any) -> np.ndarray:
    """Return the Jacobian of a run of `simulate` with these options by its sensitivities, (misses, unknowns)."""
    duration, unknowns = task.step * task.steps, list(task.unknowns)
    run = mbs.simulate(task.model, duration, output_interval=duration, sensitivities=unknowns, **options)
    return np.array([[run.sensitivity(miss, unknown)[-1] for unknown in unknowns] for miss in task.misses])


def of_tolerance(rtol: float) -> dict[str, float]:
    """Return the tolerances of a run with error control."""
    return {"rtol": rtol, "atol": 1e-2 * rtol}


def motions(tasks: Sequence[str]) -> str:
    """Table: gradients of runs against the derivatives of the motion, and the time of a run with error control."""
    makers: dict[str, Callable[[], Task]] = {name: TASKS[name] for name in tasks}
    if "throw" in tasks:
        makers["throw, `exponent=1`"] = partial(throw, exponent=1.0)
    rows = []
    for name, make in makers.items():
        progress(f"derivatives of the motion of {name}")
        task = make()
        J = tangents(task, **of_tolerance(EXACT))
        ways: list[dict[str, Any]] = [{"method": "rk4", "step": step} for step in STEPS]
        ways += [of_tolerance(tolerance) for tolerance in TOLERANCES]
        size = np.abs(J).max()
        cells = [f"{np.abs(tangents(task, **way) - J).max() / size:.0e}" for way in ways]
        begin = clock()
        tangents(task, **of_tolerance(TOLERANCES[-1]))
        cells.append(f"{1e3 * (clock() - begin):.0f}")
        shooting = Shooting(task)
        slopes = trend(shooting.misses, shooting.guess, RANGES[task.model.name])
        rows.append([name, *cells, f"{np.abs(slopes - J).max() / size:.0e}"])
    ways_named = [f"rk4, {1e3 * step:g} ms" for step in STEPS] + [f"rtol={tolerance:g}" for tolerance in TOLERANCES]
    return table(["task", *ways_named, "time of the last, ms", "trend"], rows)


def bounces() -> str:
    """Table: relative errors of the derivative of a bounce by its drop, which is known in closed form."""
    wanted = height_after(BOUNCE_DROP + 1e-20j).imag / 1e-20
    ways: dict[str, dict[str, Any]] = {f"rk4, {1e3 * STEPS[0]:g} ms": {"method": "rk4", "step": STEPS[0]}}
    ways |= {f"rtol={tolerance:g}": of_tolerance(tolerance) for tolerance in TOLERANCES}
    rows = []
    for name, way in ways.items():
        cells = []
        for located in (False, True):
            run = mbs.simulate(
                bouncing(located), BOUNCE_DURATION, output_interval=BOUNCE_DURATION, sensitivities=["ball.s"], **way
            )
            cells.append(f"{abs(run.sensitivity('height', 'ball.s')[-1] / wanted - 1.0):.0e}")
        rows.append([name, *cells])
    return table(["run", "error of the derivative", "touch located"], rows)


def solved(name: str, with_gradients: bool) -> Solved:
    """Solve a task from its guess, with the gradients of runs or with scipy's differences."""
    shooting = Shooting(TASKS[name]())
    history: list[float] = []

    def run(unknowns: np.ndarray) -> np.ndarray:
        value = shooting.misses(unknowns)
        history.append(float(np.abs(value).max()))
        return value

    begin = clock()
    if name == "stance":
        jac = (lambda x: shooting.jacobian(x)[0]) if with_gradients else None
        options = {"maxiter": ITERATIONS, "maxfun": 10**5}
        end = minimize(lambda x: run(x)[0], shooting.guess, jac=jac, method="L-BFGS-B", options=options)
    else:
        end = least_squares(run, shooting.guess, jac=shooting.jacobian if with_gradients else "2-point", max_nfev=100)
    gradients = int(end.njev) if with_gradients else 0
    return Solved(end.x, history, gradients, clock() - begin)


def solutions(tasks: Sequence[str]) -> tuple[str, dict[tuple[str, bool], Solved]]:
    """Table of what optimizers achieve, and the solutions by task, with gradients and without."""
    found, rows = {}, []
    for name in tasks:
        cells = []
        for with_gradients in (True, False):
            progress(f"{name} by {'gradients' if with_gradients else 'differences'}")
            solved(name, with_gradients)  # the first time compiles
            end = found[name, with_gradients] = solved(name, with_gradients)
            cells += [f"{min(end.history):.0e}", str(len(end.history))]
            cells += [str(end.gradients)] if with_gradients else []
            cells += [f"{end.seconds:.2f}"]
        rows.append([name, f"{end.history[0]:.2g}", *cells])
    header = [
        "task", "at the guess", "with gradients", "runs", "gradients", "time, s", "with differences", "runs",
        "time, s",
    ]  # fmt: skip
    return table(header, rows), found


def of_mjx(python: str, tasks: Sequence[str]) -> dict[str, Any]:
    """Return what mjx_child.py measures with another Python. Raises Unavailable if it fails."""
    progress(f"MJX of {python}, which compiles for minutes")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    command = [python, "-m", "benchmarks.mjx_child", *tasks]
    try:
        child = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    except OSError as reason:
        raise Unavailable(f"{python} does not start: {reason}") from None
    if child.returncode:
        raise Unavailable(f"{' '.join(command)} ended with status {child.returncode}")
    report: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return report


def mjx_tables(report: dict[str, Any]) -> str:
    """Tables of the measurements of MJX: gradients, then solutions."""
    rows, solutions_found = [], []
    for name, ways in report.items():
        if name == "versions":
            continue
        for way in ways:
            cells = [name, str(way["iterations"])]
            for mode in ("run", "forward", "reverse"):
                seen = way[mode]
                refused = "refused" in seen
                cells += ["refused"] * 2 if refused else [f"{seen['compile']:.0f}", f"{1e3 * seen['call']:.0f}"]
            forward, J = way["forward"], np.array(way["forward"]["value"])
            size = np.abs(np.array(way["differences"])).max()
            slopes = np.array(way["trend"])
            cells += [f"{forward['error']:.0e}" if forward["finite"] else "NaN", f"{way['doubt']:.0e}"]
            cells.append(f"{np.abs(J - slopes).max() / np.abs(slopes).max():.0e}")
            cells.append(f"{np.abs(J - np.array(way['finer'])).max() / size:.0e}" if "finer" in way else number(None))
            rows.append(cells)
            if "solved" in way:
                ends = way["solved"]
                cells = [name, str(way["iterations"]), f"{np.abs(way['misses']).max():.2g}"]
                for kind in ("gradients", "differences"):
                    end = ends[kind]
                    cells += ["refused"] * 2 if "refused" in end else [f"{end['miss']:.0e}", str(end["runs"])]
                solutions_found.append(cells)
    header = [
        "task", "iterations", "run: compile, s", "call, ms", "forward: compile, s", "call, ms", "reverse: compile, s",
        "call, ms", "error of the gradient", "of differences", "from the trend", "from steps / 16",
    ]  # fmt: skip
    ends = ["task", "iterations", "at the guess", "with gradients", "runs", "with differences", "runs"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    return "\n\n".join([f"Versions: {versions}.", table(header, rows), table(ends, solutions_found)])


def draw(path: Path, found: dict[tuple[str, bool], Solved]) -> None:
    """Draw the ball and the box before and after, and the largest miss against the number of runs."""
    figure = new_figure(width=10, height=3.2)
    axes = figure.subplots(1, 3)
    for axis, name, rows in ((axes[0], "throw", (0, 2)), (axes[1], "landing", (0, 1))):
        shooting = Shooting(TASKS[name]())
        columns = [shooting.rollout.outputs.index(f"place[{k + 1}]") for k in rows]
        for unknowns, label, style in (
            (shooting.guess, "guess", {"color": "tab:gray", "linestyle": "--"}),
            (found[name, True].unknowns, "solved", {"color": "tab:blue"}),
        ):
            place = shooting.trajectory(unknowns).y[:, columns]
            axis.plot(*place.T, label=label, **style)
            axis.plot(*place[-1], marker="o", color=style["color"])
        target = TARGETS[name]
        cross = {"marker": "x", "markersize": 9, "color": "tab:red", "linestyle": ""}
        axis.plot(target[rows[0]], target[rows[1]], label="target", **cross)
        title = {"throw": "ball, from the side", "landing": "box, from above"}[name]
        axis.set(xlabel="x (m)", ylabel=f"{'xyz'[rows[1]]} (m)", title=title)
        axis.legend(fontsize=8)
    for name, color in (("throw", "tab:blue"), ("landing", "tab:orange"), ("puck", "tab:green")):
        for with_gradients, style in ((True, "-"), (False, "--")):
            history = np.minimum.accumulate(found[name, with_gradients].history)
            label = f"{name}, {'gradients' if with_gradients else 'differences'}"
            axes[2].semilogy(np.arange(1, history.size + 1), history, style, color=color, label=label)
    axes[2].set(xlabel="runs", title="smallest of the largest misses", xlim=(0, 60), ylim=(1e-9, 3))
    axes[2].legend(fontsize=7)
    figure.savefig(path, dpi=90)


def arguments() -> argparse.Namespace:
    about = "Gradients through contact, in mbs_fmu and MJX."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contact_gradients", description=about)
    parser.add_argument("--python", help="a Python with jax and mujoco-mjx; without it, MJX is left out")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="few repeats")
    parser.add_argument("--picture", type=Path, help="draw throw and landing to this PNG")
    return parser.parse_args()


def main() -> None:
    """Print all tables."""
    options = arguments()
    print(machine(None), flush=True)
    print(f"\n## Accuracy and time\n\n{accuracy(options.tasks, Effort.of(options.quick))}", flush=True)
    print(f"\n## Gradient of the run and derivative of the motion\n\n{motions(options.tasks)}", flush=True)
    print(f"\n## A bounce in closed form\n\n{bounces()}", flush=True)
    text, found = solutions(options.tasks)
    print(f"\n## Optimisation\n\n{text}", flush=True)
    if options.picture:
        draw(options.picture, found)
    try:
        if not options.python:
            raise Unavailable("give --python PATH, a Python with the packages jax and mujoco-mjx")
        print(f"\n## MJX\n\n{mjx_tables(of_mjx(options.python, options.tasks))}", flush=True)
    except Unavailable as reason:
        print(f"\nMJX is left out: {reason}")


if __name__ == "__main__":
    main()
