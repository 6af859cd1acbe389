"""An excavator in two FMUs: cylinders and valves in one, boom, stick and bucket in the other (models/excavator.py).

The hydraulics get the lengths and speeds of the cylinders, the mechanism gets their forces. The oil is a stiff spring
between the FMUs. The program shows how the error relative to the single model decreases with the communication step,
for held inputs and for repeated steps, and writes a plot and a csv file. It also writes the system as an SSP
package for other programs (excavator.ssp), reads it back, and runs it in libcosim if that is installed.

Run: python co_sim_examples/excavator.py [folder]
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.cosimulation.coupling import Coupling
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.view.plots import new_figure

STOP, STEP = 6.0, 1e-3  #: s
#: Steps, s, of the runs that measure the order of convergence, by coupling.
STEPS: dict[Coupling, tuple[float, ...]] = {"hold": (2e-3, 1e-3, 5e-4), "iterate": (4e-3, 2e-3, 1e-3)}
SPAN = 1.5  #: s, their duration
INNER = 5e-4  #: s, step of both FMUs
CYLINDERS = ("boom", "stick", "bucket")
WATCHED = [f"angle[{k}]" for k in (1, 2, 3)] + ["tip[1]", "tip[2]", "digging_force[1]"]
COLUMNS = [f"mechanism.{name}" for name in WATCHED] + [f"hydraulics.{name}_pressure[1]" for name in CYLINDERS]


def build(folder: Path) -> dict[str, Path]:
    """Export both FMUs."""
    models = {name: bundled_model("excavator", f"excavator_{name}") for name in ("hydraulics", "mechanism")}
    return {
        name: mbs.export(model, folder / f"{model.name}.fmu", method="rk4", step=INNER)
        for name, model in models.items()
    }


def coupled(fmus: dict[str, Path]) -> mbs.System:
    """Connect both FMUs."""
    system = mbs.System("excavator")
    for name, path in fmus.items():
        system.add(name, path)
    for name in CYLINDERS:
        system.connect(f"hydraulics.{name}_force", f"mechanism.{name}_force")
        for what in ("length", "speed"):
            system.connect(f"mechanism.{name}_{what}", f"hydraulics.{name}_{what}")
    return system


def run(system: mbs.System, step: float, stop: float = STOP, coupling: Coupling = "hold") -> mbs.Result:
    """Run a system of both FMUs."""
    return system.run(stop, step, coupling=coupling, watch=COLUMNS)


def package(system: mbs.System, path: Path) -> float:
    """Write the system as an SSP package, and compare runs of what it contains with that of the system.

    Return the largest difference of the tip between the system and the package, m.
    """
    system.export(path, stop_time=SPAN, step=STEP)
    print(f"wrote {path}, for FMPy, libcosim, Ecos and OMSimulator")
    held, read = run(system, STEP, SPAN), mbs.System.read(path).run(watch=COLUMNS)
    if importlib.util.find_spec("libcosimpy"):
        theirs = system.run(SPAN, STEP, engine="libcosim", watch=COLUMNS)
        late = "which passes the friction of pistons, that follows their speed without a delay, one step later"
        print(f"libcosim, {late}: tip {difference(theirs, held):.1e} m from held inputs here")
    return difference(read, held)


def difference(a: mbs.Result, b: mbs.Result) -> float:
    """Return the largest difference of the tip between two runs, m."""
    return float(max(np.max(np.abs(a[name] - b[name])) for name in COLUMNS[3:5]))


def monolithic(step: float, stop: float = STOP) -> mbs.Result:
    """Run the reference: the single model, with tight error control."""
    return mbs.simulate(bundled_model("excavator", "excavator"), stop, rtol=1e-9, output_interval=step)


def error(run: mbs.Result, reference: mbs.Result) -> float:
    """Return the largest distance of the bucket's tip from that of the reference, m."""
    return float(max(np.max(np.abs(run[f"mechanism.tip[{k + 1}]"] - reference["tip"][:, k])) for k in range(2)))


def plot(run: mbs.Result, reference: mbs.Result, path: Path) -> Path:
    """Plot the path of the tip and the pressures at the pistons; return the path of the picture."""
    figure = new_figure(8, 7)
    way, pressures = figure.subplots(2, 1)
    way.plot(reference["tip"][:, 0], reference["tip"][:, 1], color="0.6", linewidth=3, label="one-piece model")
    way.plot(run["mechanism.tip[1]"], run["mechanism.tip[2]"], color="C0", linewidth=1, label="co-simulation")
    way.axhline(0.0, color="saddlebrown", linewidth=0.8)
    way.set_xlabel("tip of the bucket, forward (m)")
    way.set_ylabel("upward (m)")
    way.legend()
    for k, name in enumerate(CYLINDERS):
        pressures.plot(reference.time, reference[f"{name}_pressure"][:, 0], color="0.7", linewidth=3)
        pressures.plot(run.time, run[f"hydraulics.{name}_pressure[1]"], color=f"C{k}", linewidth=1, label=name)
    pressures.set_xlabel("time (s)")
    pressures.set_ylabel("pressure at the piston (bar)")
    pressures.legend()
    for axis in (way, pressures):
        axis.grid(alpha=0.3)
    figure.suptitle("Excavator: hydraulics and mechanism in two FMUs")
    figure.savefig(path, dpi=120)
    return path


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    folder.mkdir(parents=True, exist_ok=True)
    system = coupled(build(folder))
    figures: dict[str, float] = {}
    for coupling, steps in STEPS.items():
        errors = [error(run(system, step, SPAN, coupling), monolithic(step, SPAN)) for step in steps]
        figures[coupling] = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
        print(f"{coupling}: communication step (s):" + "".join(f"{h:12g}" for h in steps))
        line = "".join(f"{e:12.2e}" for e in errors)
        print(f"{coupling}: error of the tip (m):  {line}   order {figures[coupling]:.2f}")
    whole, reference = run(system, STEP), monolithic(STEP)
    figures["error"] = error(whole, reference)
    figures["deepest"] = -float(whole["mechanism.tip[2]"].min())
    figures["force"] = float(np.abs(whole["mechanism.digging_force[1]"]).max())
    print(f"the bucket digs {figures['deepest']:.3f} m deep, against {figures['force']:.0f} N")
    print(f"largest distance of its tip from that of the one-piece model {figures['error']:.2e} m")
    figures["package"] = package(system, folder / "excavator.ssp")
    print(f"wrote {whole.to_csv(folder / 'excavator.csv')}")
    print(f"wrote {plot(whole, reference, folder / 'excavator.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
