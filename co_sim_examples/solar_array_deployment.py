"""A satellite unfolds its solar array while a digital controller in another FMU controls its attitude.

The array (models/solar_array.py) is a mechanism with closed loops and with latches, which engage within a communication
step. The controller samples attitude and angular velocity ten times per second; the torque of the reaction wheels is
constant in between. Importer and controller use the same period, so the torque acts one sample late. A single model
with the controller inside gives the same results. The program writes a plot and a csv file.

With `--flexible` yoke and panels are elastic plates, which swing after the latches have engaged: the hub turns to and
fro with them, and the controller damps both.

Run: python co_sim_examples/solar_array_deployment.py [--flexible] [folder]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.view.plots import new_figure

STOP, PERIOD = 60.0, 0.1
NAMES = ("yoke", "inner", "outer")
OUTPUTS = (
    *(f"attitude[{k}]" for k in (1, 2, 3, 4)), *(f"turning[{k}]" for k in (1, 2, 3)),
    *(f"angle[{k}]" for k in (1, 2, 3)), *(f"latched[{k}]" for k in (1, 2, 3)),
)  # fmt: skip


class Satellite(NamedTuple):
    """The functions of models/solar_array.py: of the array alone, and with the controller; and the step, s."""

    array: str
    whole: str
    step: float


RIGID = Satellite("steered_solar_array", "controlled_solar_array", 5e-3)
FLEXIBLE = Satellite("steered_flexible_array", "controlled_flexible_array", 2.5e-4)  # vibrations of up to 500 Hz


def build(folder: Path, satellite: Satellite = RIGID) -> dict[str, Path]:
    """Export the two FMUs."""
    models = {name: bundled_model("solar_array", name) for name in ("attitude_controller", satellite.array)}
    paths = [mbs.export(m, folder / f"{n}.fmu", method="rk4", step=satellite.step) for n, m in models.items()]
    return dict(zip(("attitude_controller", "array"), paths, strict=True))


def couple(fmus: dict[str, Path], stop: float = STOP) -> mbs.Result:
    """Run both FMUs, which exchange attitude, angular velocity and torque once per period."""
    system = mbs.System("solar_array")
    for name, path in fmus.items():
        system.add(name, path)
    for k in range(4):
        system.connect(f"array.attitude[{k + 1}]", f"attitude_controller.q{k}")
    for k, axis in enumerate("xyz", start=1):
        system.connect(f"array.turning[{k}]", f"attitude_controller.w_{axis}")
        system.connect(f"attitude_controller.torque_{axis}", f"array.torque_{axis}")
    watched = [f"array.{name}" for name in OUTPUTS] + [f"attitude_controller.torque_{axis}" for axis in "xyz"]
    return system.run(stop, PERIOD, watch=watched)


def one_piece(satellite: Satellite = RIGID, stop: float = STOP) -> mbs.Result:
    """Run the single model with the controller inside, with the same steps."""
    model = bundled_model("solar_array", satellite.whole)
    return mbs.simulate(model, stop, output_interval=PERIOD, method="rk4", step=satellite.step)


def attitude_error(run: mbs.Result) -> np.ndarray:
    """Return the angle between the hub's attitude and zero attitude, deg."""
    q = np.column_stack([run[f"array.attitude[{k}]"] for k in (2, 3, 4)])
    return np.degrees(2.0 * np.arcsin(np.linalg.norm(q, axis=1)))


def table(run: mbs.Result) -> list[str]:
    """Return the lines of a table with hinge angles, latches, attitude and torque."""
    lines = ["", "   time      yoke     inner     outer   latched   attitude off   torque about y"]
    lines.append("      s       deg       deg       deg                       deg              N.m")
    for t in (t for t in (0.0, 1.0, 2.0, 3.0, 4.0, 4.8, 4.9, 6.0, 10.0, 20.0, 40.0, STOP) if t <= run.time[-1]):
        k = round(t / PERIOD)
        angles = [np.degrees(run[f"array.angle[{i}]"][k]) for i in (1, 2, 3)]
        latched = sum(run[f"array.latched[{i}]"][k] == 0.0 for i in (1, 2, 3))
        torque, error = run["attitude_controller.torque_y"][k], attitude_error(run)[k]
        lines.append(
            f"{t:7.1f} " + " ".join(f"{x:9.3f}" for x in angles) + f" {latched:9d} {error:14.4f} {torque:16.4f}"
        )
    return [*lines, ""]


def plot(run: mbs.Result, path: Path) -> Path:
    """Plot hinge angles, attitude and torque over time; return the path of the picture."""
    figure = new_figure(8, 7)
    hinges, attitude, torque = figure.subplots(3, 1, sharex=True)
    for k, name in enumerate(NAMES, start=1):
        hinges.plot(run.time, np.degrees(run[f"array.angle[{k}]"]), label=name)
    hinges.set_ylabel("hinges (deg)")
    hinges.legend(loc="center right")
    attitude.plot(run.time, attitude_error(run), color="C3")
    attitude.set_ylabel("attitude off (deg)")
    for axis in "xyz":
        torque.step(run.time, run[f"attitude_controller.torque_{axis}"], where="post", label=axis)
    torque.set_ylabel("torque of the wheels (N.m)")
    torque.legend(loc="upper right")
    torque.set_xlabel("time (s)")
    for each in (hinges, attitude, torque):
        each.grid(alpha=0.3)
    figure.suptitle("Solar array and attitude controller: two FMUs, coupled by mbs.System")
    figure.savefig(path, dpi=120)
    return path


def main(folder: Path, satellite: Satellite = RIGID, stop: float = STOP) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    run, whole = couple(build(folder, satellite), stop), one_piece(satellite, stop)
    print("\n".join(table(run)))
    closed = run["array.latched[3]"] == 0.0
    figures = {
        "latched": float(run.time[closed][0]),
        "most": float(attitude_error(run).max()),
        "left": float(attitude_error(run)[-1]),
        "difference": max(float(np.abs(run[f"array.{x}"] - whole[x]).max()) for x in OUTPUTS),
    }
    print(f"all latches have taken hold at t = {figures['latched']:g} s")
    print(f"the satellite turns away by {figures['most']:.3f} deg, {figures['left']:.1e} deg are left at the end")
    print(f"largest difference from the one-piece model {figures['difference']:.1e}")
    print(f"wrote {run.to_csv(folder / 'solar_array_deployment.csv')}")
    print(f"wrote {plot(run, folder / 'solar_array_deployment.png')}")
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="demo", type=Path)
    parser.add_argument("--flexible", action="store_true", help="yoke and panels are elastic plates")
    options = parser.parse_args()
    main(options.folder, FLEXIBLE if options.flexible else RIGID)
