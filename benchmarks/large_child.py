"""Child process of the benchmark of large models."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave

import mbs_fmu as mbs

STEP = 1e-3  #: s
STEPS = 10  #: of the reference run, and at least of the run that is timed
EVALUATED = 1_000_000  #: bodies times steps of the run that is timed


def measure(shape: str, bodies: int) -> None:
    """Print the figures of a model as JSON."""
    lap = laps()
    next(lap)
    model = {"chain": chain, "tree": tree}[shape](bodies)
    figures = {"model": next(lap)}
    _run(model, 1)
    figures["first result"] = next(lap)
    _run(model, 1)
    once = next(lap)
    steps = max(STEPS, EVALUATED // bodies)
    _run(model, 1 + steps)
    figures["step"] = 1e3 * (next(lap) - once) / steps
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.fmu"
        next(lap)
        mbs.export(
            model, path, method="rk4", step=STEP, stop_time=STEPS * STEP, communication_step=STEP, reference=False,
            progress=False,
        )  # fmt: skip
        figures["export"] = next(lap)
        unpacked = Path(fmpy.extract(path, Path(folder) / "unpacked"))
        _load(unpacked)
        figures["load"] = next(lap)
        figures["XML"] = (unpacked / "modelDescription.xml").stat().st_size / 1e6
    print(json.dumps(figures))


def laps() -> Iterator[float]:
    """Yield the processor time since the previous value, s."""
    last = time.process_time()
    while True:
        now = time.process_time()
        yield now - last
        last = now


def _run(model: mbs.Model, steps: int) -> None:
    end = steps * STEP
    mbs.simulate(model, end, method="rk4", step=STEP, output_interval=end, progress=False)


def _load(unpacked: Path) -> None:
    """Create and initialize an instance."""
    description = fmpy.read_model_description(str(unpacked), validate=False)
    slave = FMU2Slave(
        guid=description.guid, unzipDirectory=str(unpacked), instanceName="large",
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()


def chain(bodies: int) -> mbs.Model:
    """A chain of equal bodies on hinges that are close to each other.

    The condition of the mass matrix grows with the cube of the number of bodies and the square of their distance: with
    1 m, momenta of 40 000 bodies would not determine the velocities to three digits.
    """
    model, parent = mbs.Model("chain"), "world"
    for k in range(bodies):
        parent = model.body(
            f"b{k}", parent, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.0005), inertia=(0.1, 0.1, 0.1),
            at=(0, 0, -0.001 if k else 0.0),
        ).name  # fmt: skip
    return model


def tree(bodies: int) -> mbs.Model:
    """A tree of unlike bodies with joints of six kinds, each on one of the twenty bodies before it."""
    rng = np.random.default_rng(0)
    model, names = mbs.Model("tree"), ["world"]
    joints = [
        mbs.Revolute("x"), mbs.Revolute((0.1, 0.2, 0.3)), mbs.Prismatic("y"), mbs.Universal("xy"),
        mbs.Spherical(), mbs.Cylindrical("z"),
    ]  # fmt: skip
    for k in range(bodies):
        body = model.body(
            f"b{k}", names[-1 - int(rng.integers(min(20, len(names))))], joints[int(rng.integers(len(joints)))],
            mass=rng.uniform(1.0, 2.0), com=rng.uniform(-1.0, 1.0, 3), inertia=rng.uniform(1.0, 1.5, 3),
            at=rng.uniform(-1.0, 1.0, 3),
        )  # fmt: skip
        names.append(body.name)
    return model
