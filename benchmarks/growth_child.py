"""Child process of the benchmark of growth: builds, compiles, runs and exports a model, and prints figures as JSON."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import Kernels, load_kernels
from mbs_fmu.infrastructure.disk.cache import CACHE_VARIABLE
from mbs_fmu.run.runtime import STEP_KINDS
from mbs_fmu.run.simulate import compiled

from .large_child import chain, tree

STEP = 1e-3  #: s
EVALUATED = 300_000  #: bodies times steps of a batch that is timed
BATCHES = 5  #: of steps, of which the fastest counts
RADIUS = 0.05  #: of balls, m
STIFFNESS = 1e4  #: of contacts, N/m


def universals(bodies: int) -> mbs.Model:
    """A chain of equal bodies on universal joints that are close to each other, for the reason given in `chain`."""
    model, parent = mbs.Model("universals"), "world"
    for k in range(bodies):
        parent = model.body(
            f"b{k}", parent, mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.0005), inertia=(0.1, 0.1, 0.1),
            at=(0, 0, -0.001 if k else 0.0),
        ).name  # fmt: skip
    return model


def loops(bodies: int) -> mbs.Model:
    """Four-bars of three bodies, each on the coupler of an earlier one that is chosen at random."""
    rng = np.random.default_rng(0)
    model, bases = mbs.Model("loops"), ["world"]
    for k in range(max(1, bodies // 3)):
        base = bases[int(rng.integers(len(bases)))]
        bases.append(_four_bar(model, k, base, base, (0, 0, 0), (1, 0, 0)))
    return model


def ladder(bodies: int) -> mbs.Model:
    """Four-bars in a row: each level rod joins the tops of two upright rods, so that neighbours share a rod."""
    model = mbs.Model("ladder")
    before = model.body("v", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0)).name
    for k in range(max(1, bodies // 2)):
        level = model.body(
            f"h{k}", before, mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12), at=(0, 0, 1)
        )
        before = model.body(
            f"v{k}", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0), at=(k + 1, 0, 0)
        ).name
        model.close(f"loop{k}", level, before, mbs.OnLine("y"), at_a=(1, 0, 0), at_b=(0, 0, 1))
    return model


def _four_bar(model: mbs.Model, k: int, base: str, ground: str, left: tuple, right: tuple) -> str:
    """Add a crank, a coupler and a rocker of 1 m; return the name of the coupler."""
    upright = {"mass": 1.0, "com": (0, 0, 0.5), "inertia": (0.1, 0.1, 0.1)}
    crank = model.body(f"crank{k}", base, mbs.Revolute("y"), at=left, **upright)
    coupler = model.body(
        f"coupler{k}", crank, mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), at=(0, 0, 1)
    )
    rocker = model.body(f"rocker{k}", ground, mbs.Revolute("y"), at=right, **upright)
    model.close(f"loop{k}", coupler, rocker, mbs.OnLine("y"), at_a=(1, 0, 0), at_b=(0, 0, 1))
    return coupler.name


def balls(bodies: int) -> mbs.Model:
    """Balls that roll and slide on a plane, each with one contact."""
    model, width = mbs.Model("balls"), int(np.ceil(np.sqrt(bodies)))
    for k in range(bodies):
        name = model.body(f"b{k}", joint=mbs.Free(), mass=1.0, inertia=(1e-3, 1e-3, 1e-3)).name
        model.start(name, q=(0.2 * (k % width), 0.2 * (k // width), RADIUS, 1, 0, 0, 0), u=(0.1, 0, 0, 0, 0, 0))
    shapes = {name: mbs.Sphere(RADIUS) for name in model.bodies}
    model.ground("ground", shapes, stiffness=STIFFNESS, friction=0.5)
    return model


MODELS: Mapping[str, Callable[[int], mbs.Model]] = {
    "chain": chain, "universals": universals, "tree": tree, "loops": loops, "ladder": ladder, "balls": balls,
}  # fmt: skip


def spent() -> float:
    """Processor time of this process and of those that it has waited for, s."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def peak() -> float:
    """Largest resident size of this process up to now, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(shape: str, bodies: int, exports: str, seconds: int, memory: int) -> None:
    """Print the figures of a model as JSON after each stage, so that those before a failure are kept.

    exports: folder of the cache for the export, which has the C library; empty: without an export. seconds: largest
    processor time of the process, s. memory: largest size of its address space, MB.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    figures: dict[str, float] = {}

    def note(**values: float) -> None:
        figures.update(values)
        print(json.dumps(figures), flush=True)

    began = spent()
    model = MODELS[shape](bodies)
    note(bodies=len(model.bodies), model=spent() - began)
    began = spent()
    mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP, progress=False)
    note(first=spent() - began, memory=peak())
    steps = Steps(model)
    note(step=steps.seconds(), record=steps.R.nbytes)
    if exports:
        os.environ[CACHE_VARIABLE] = exports
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "growth.fmu"
            export(chain(3), path)  # builds the C library, and imports
            began = spent()
            export(model, path)
            note(export=spent() - began, size=path.stat().st_size / 1e6)


def export(model: mbs.Model, path: Path) -> None:
    """Export a native FMU for this platform."""
    mbs.export(
        model, path, "native", method="rk4", step=STEP, stop_time=STEP, communication_step=STEP, reference=False,
        platforms="host", progress=False,
    )  # fmt: skip


class Steps:
    """Steps of rk4 of a model in full code."""

    def __init__(self, model: mbs.Model):
        self.runtime = compiled(model)
        program = self.runtime.program
        kernels = load_kernels(program.module)
        kernels = Kernels(kernels.name, program.module)  # which are compiled anew
        kernels.tier = "full"
        self.kernels = kernels
        self.function = kernels.function("rk4_fixed", STEP_KINDS)
        self.R = program.new_record()
        self.runtime.initialize(self.R, 1e-6, 1e-8)
        self.bodies, self.now = len(model.bodies), 0.0

    def seconds(self) -> float:
        """Least processor time of a step over some batches, s."""
        count, found = max(1, EVALUATED // self.bodies), []
        for _ in range(BATCHES):
            began = time.thread_time()
            self.run(self.R, self.now, count)
            found.append((time.thread_time() - began) / count)
            self.now += count * STEP
        return min(found)

    def run(self, R: np.ndarray, now: float, count: int) -> None:
        """Make steps. Raises RuntimeError if one fails."""
        status = self.function(R, self.runtime.no_tables, now + count * STEP, STEP, 0)
        if status:
            raise RuntimeError(self.runtime.fault(R, status))


def in_turn(shape: str, bodies: int, totals: Sequence[int]) -> None:
    """Print the seconds of an evaluation of a small model whose records are used in turn, as JSON.

    The records have each of the total sizes, bytes, at least one record. Every evaluation does the same operations, so
    that only the places of the numbers in the memory's hierarchy differ.
    """
    steps, found = Steps(MODELS[shape](bodies)), []
    evaluate = steps.kernels.function("derive", ("array",))
    evaluate(steps.R)
    for total in totals:
        records = [steps.R.copy() for _ in range(max(1, total // steps.R.nbytes))]
        rounds, least = max(1, EVALUATED // (bodies * len(records))), np.inf
        for _ in range(BATCHES):
            began = time.thread_time()
            for _ in range(rounds):
                for R in records:
                    evaluate(R)
            least = min(least, (time.thread_time() - began) / (rounds * len(records)))
        found.append(least)
    print(json.dumps(found))
