"""`mbs-fmu demo`: build, validate and couple the FMUs of a governor and its regulator, against a single model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from fmpy.validation import validate_fmu

from ..cosimulation.coupling import Coupling
from ..cosimulation.system import System
from ..fmi.export import export
from ..infrastructure.errors import ModelError
from ..run.bundled import bundled_model
from ..run.errors import SimulationError
from ..run.results.results import Result
from ..run.simulate import simulate
from ..view.plots import new_figure

PLANT, REGULATOR = "governor", "speed_regulator"
STOP, STEP, SET_POINT = 10.0, 0.01, 10.0
OUTPUTS = ("speed", "slide", "alpha", "beta")
COUPLINGS: tuple[Coupling, ...] = ("hold", "iterate")


def run_demo(folder: Path, say: Callable[[str], None], kind: str = "python") -> dict[str, Path]:
    """Build, validate, co-simulate and compare the FMUs; return the paths of the files by name.

    folder: of the files. say: called with each line of the report. kind: of the FMUs; native ones are built for this
    platform only.
    """
    platforms = "host" if kind == "native" else "all"
    say("1. Building two FMUs (their kernels are compiled once, then cached)")
    plant, regulator = (
        export(bundled_model(file, name), folder / f"{name}.fmu", kind, method="rk4", step=1e-3, platforms=platforms)
        for file, name in ((PLANT, PLANT), ("speed_regulator", REGULATOR))
    )
    say("2. Validating them with fmpy")
    for path in (plant, regulator):
        problems = validate_fmu(str(path))
        if problems:
            raise SimulationError(f"{path.name}: " + "; ".join(problems))
        say(f"   {path.name}: no problems")
    say(f"3. Co-simulating {STOP:g} s in steps of {STEP:g} s, with held inputs and with repeated steps")
    runs = {coupling: couple(plant, regulator, STEP, coupling) for coupling in COUPLINGS}
    reference = monolithic(STEP)
    for line in table(runs["iterate"], reference):
        say(line)
    for coupling, run in runs.items():
        say(f"   largest difference in speed from the one-piece model, {coupling}: {error(run, reference):.2e} rad/s")
    files = {"plant": plant, "regulator": regulator}
    files["csv"] = runs["iterate"].to_csv(folder / "governor_speed_regulation.csv")
    try:
        files["plot"] = plot(runs["iterate"], reference, folder / "governor_speed_regulation.png")
    except ModelError as reason:
        say(f"   no plot: {reason}")
    return files


def couple(
    plant: Path, regulator: Path, step: float, coupling: Coupling, torque: str = "torque", stop: float = STOP
) -> Result:
    """Simulate the governor FMU coupled with a regulator FMU with inputs speed, set_point and an output `torque`."""
    system = System("governed")
    system.add("governor", plant)
    system.add("regulator", regulator, set_point=SET_POINT)
    system.connect("governor.speed", "regulator.speed")
    system.connect(f"regulator.{torque}", "governor.torque")
    return system.run(stop, step, coupling=coupling)


def monolithic(step: float, stop: float = STOP) -> Result:
    """Simulate the model that contains the regulator, with tight error control, as the reference."""
    model = bundled_model("governor", "governed")
    return simulate(model, stop, inputs={"set_point": SET_POINT}, rtol=1e-10, output_interval=step)


def error(run: Result, reference: Result, name: str = "speed") -> float:
    """Return the largest difference of an output at the communication points."""
    return float(np.max(np.abs(run[f"governor.{name}"] - reference[name])))


def table(run: Result, reference: Result) -> list[str]:
    """Return a table of the coupled run and of the reference's speed at some times, line by line."""
    lines = ["", "   time    speed    one piece    slide    alpha     beta    torque"]
    lines.append("      s    rad/s        rad/s        m      rad      rad       N.m")
    for t in (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, STOP):
        k = round(t / STEP)
        values = [run[f"governor.{name}"][k] for name in OUTPUTS]
        torque = run["regulator.torque"][k]
        lines.append(
            f"{t:7.1f} {values[0]:8.4f} {reference['speed'][k]:12.4f} {values[1]:8.4f} {values[2]:8.4f} "
            f"{values[3]:8.4f} {torque:9.4f}"
        )
    return [*lines, ""]


def plot(run: Result, reference: Result, path: Path) -> Path:
    """Plot speed, slide and both angles of the coupled run and of the reference."""
    panels = (("speed", "speed (rad/s)"), ("slide", "slide (m)"), ("alpha", "alpha (rad)"), ("beta", "beta (rad)"))
    figure = new_figure(8, 8)
    axes = figure.subplots(len(panels), 1, sharex=True)
    for (name, title), axis in zip(panels, axes, strict=True):
        axis.plot(reference.time, reference[name], color="0.6", linewidth=3, label="one-piece model")
        axis.plot(run.time, run[f"governor.{name}"], color="C0", linewidth=1, label="co-simulation")
        axis.set_ylabel(title)
        axis.grid(alpha=0.3)
    axes[0].axhline(SET_POINT, color="C3", linewidth=0.8, linestyle="--", label="set point")
    axes[0].legend(loc="lower right")
    axes[-1].set_xlabel("time (s)")
    figure.suptitle("Governor FMU and speed regulator FMU, coupled by mbs.System")
    figure.savefig(path, dpi=120)
    return path
