"""A controller in one FMU regulates the speed of the governor in another; `mbs.System` couples them.

The program compares three couplings, with the proportional regulator of this package, and plots how the error relative
to the single model decreases with the step. Held inputs are of order one; repeated steps are of order two; model
exchange, for which it exports native FMUs (the extra "native"), is of order four. A regulator written by hand, in an
FMU from another source, takes the place of the package's own. It writes two plots and a csv file.

Run: python co_sim_examples/governor_speed_regulation.py [folder]
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
from pathlib import Path

import numpy as np
from pythonfmu.builder import FmuBuilder

import mbs_fmu as mbs
from mbs_fmu.command_line.demo import couple, error, monolithic, plot
from mbs_fmu.cosimulation.coupling import Coupling
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.view.plots import new_figure

STEPS = (0.02, 0.01, 0.005, 0.0025)
#: Without the package that links native FMUs, the two that Python FMUs can do.
COUPLINGS: tuple[Coupling, ...] = ("hold", "iterate", *(("exchange",) if importlib.util.find_spec("ziglang") else ()))
SPAN = 2.0  #: s, duration of the runs that measure the order of convergence


def build(folder: Path) -> tuple[Path, Path, Path]:
    """Export the mechanism, the regulator of this package, and the regulator written by hand."""
    kind, platforms = ("native", "host") if "exchange" in COUPLINGS else ("python", "all")
    plant, regulator = (
        mbs.export(
            bundled_model(file, file), folder / f"{file}.fmu", kind, platforms=platforms, method="rk4", step=1e-3
        )
        for file in ("governor", "speed_regulator")
    )
    with contextlib.redirect_stdout(io.StringIO()):
        by_hand = FmuBuilder.build_FMU(
            Path(__file__).with_name("hand_written_regulator.py"), dest=folder, needsExecutionTool=False
        )
    return plant, regulator, Path(by_hand)


def errors(plant: Path, regulator: Path, coupling: Coupling) -> list[float]:
    """Return the largest error in speed relative to the single model, for each communication step."""
    return [error(couple(plant, regulator, h, coupling, stop=SPAN), monolithic(h, SPAN)) for h in STEPS]


def measured_order(values: list[float]) -> float:
    """Return the slope of log(error) over log(step)."""
    return float(np.polyfit(np.log(STEPS), np.log(values), 1)[0])


def plot_errors(values: dict[str, list[float]], path: Path) -> Path:
    """Plot the error over the communication step, for each coupling; return the path of the picture."""
    figure = new_figure(6, 4)
    axis = figure.subplots()
    for name, each in values.items():
        axis.loglog(STEPS, each, marker="o", label=f"{name}, order {measured_order(each):.2f}")
    axis.set_xlabel("step (s)")
    axis.set_ylabel("largest error of the speed (rad/s)")
    axis.grid(alpha=0.3, which="both")
    axis.legend()
    figure.savefig(path, dpi=120)
    return path


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    plant, regulator, by_hand = build(folder)
    figures: dict[str, float] = {}
    print("communication step (s):    " + "".join(f"{h:12g}" for h in STEPS))
    values = {coupling: errors(plant, regulator, coupling) for coupling in COUPLINGS}
    for coupling, each in values.items():
        figures[coupling] = measured_order(each)
        line = "".join(f"{e:12.2e}" for e in each)
        print(f"{coupling:>12} error (rad/s):{line}   order {figures[coupling]:.2f}")
    run, reference = couple(plant, regulator, 0.005, "hold"), monolithic(0.005)
    foreign = couple(plant, by_hand, 0.005, "hold", torque="moment")
    figures["by hand"] = float(np.max(np.abs(foreign["governor.speed"] - run["governor.speed"])))
    print(f"controller written by hand against ours: largest difference in speed {figures['by hand']:.1e} rad/s")
    print(f"wrote {run.to_csv(folder / 'governor_speed_regulation.csv')}")
    print(f"wrote {plot(run, reference, folder / 'governor_speed_regulation.png')}")
    print(f"wrote {plot_errors(values, folder / 'governor_coupling_errors.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
