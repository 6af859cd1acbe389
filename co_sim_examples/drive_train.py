"""A drive train that turns a supplier's fan: the flange of a model is coupled with that of an FMU from another source.

The drive train is a model of this package: a motor, whose torque falls with its speed, and a gear. The fan is a plain
pythonfmu slave (hand_written_fan.py), which saves no state, so the torque of the shaft between them is held in each
step. The program prints, for three steps, the energy that this creates and the error relative to the single model.

Run: python co_sim_examples/drive_train.py [folder] [--plot]
"""

from __future__ import annotations

import argparse
import contextlib
import io
from pathlib import Path

import numpy as np
from pythonfmu.builder import FmuBuilder

import mbs_fmu as mbs
from mbs_fmu.view.plots import new_figure

STEPS = (4e-3, 2e-3, 1e-3)  #: s, of communication
STOP = 1.0  #: s
STIFFNESS, DAMPING = 60.0, 0.3  #: of the shaft, N.m/rad and N.m.s/rad
STALL, IDLE = 12.0, 150.0  #: torque of the motor at rest, N.m, and its speed without load, rad/s
FAN = {"inertia": 0.3, "drag": 0.02}  #: kg.m2, N.m.s2/rad2


def drive_train(name: str = "drive_train") -> mbs.Model:
    """Return motor and gear with a flange on the gear's hub."""
    m = mbs.Model(name, description="Motor with a gear and a flange")
    rotor = m.body("rotor", joint=mbs.Revolute("z"), mass=2.0, inertia=(0.01, 0.01, 0.002))
    hub = m.body("hub", joint=mbs.Revolute("z"), mass=3.0, inertia=(0.02, 0.02, 0.02))
    m.gear("gear", rotor, hub, ratio=4.0)
    m.motor("motor", on=rotor, torque=STALL * (1.0 - mbs.rate(rotor) / IDLE))
    m.flange("shaft", on=hub)
    return m


def whole() -> mbs.Model:
    """Return the single model of drive train, shaft and fan."""
    m = drive_train("whole")
    fan = m.body("fan", joint=mbs.Revolute("z"), mass=10.0, inertia=(0.2, 0.2, FAN["inertia"]))
    twist, speed = mbs.coordinate("fan") - mbs.coordinate("hub"), mbs.rate(fan)
    torque = STIFFNESS * twist + DAMPING * (speed - mbs.rate("hub"))
    m.motor("on_hub", on="hub", torque=torque)
    m.motor("on_fan", on=fan, torque=-torque - FAN["drag"] * speed * abs(speed))
    m.output("fan_speed", speed, unit="rad/s")
    m.output("torque", -torque, unit="N.m")
    return m


def build(folder: Path) -> tuple[Path, Path]:
    """Export the drive train, and the fan with the builder of pythonfmu."""
    drive = mbs.export(drive_train(), folder / "drive_train.fmu", method="rk4", step=2e-4)
    with contextlib.redirect_stdout(io.StringIO()):
        source = Path(__file__).with_name("hand_written_fan.py")
        fan = FmuBuilder.build_FMU(source, dest=folder, needsExecutionTool=False)
    return drive, Path(fan)


def couple(drive: Path, fan: Path, step: float) -> mbs.Result:
    """Run both FMUs, with a shaft between their flanges."""
    s = mbs.System("drive_train")
    s.add("drive", drive)
    s.add("fan", fan, FAN)
    s.couple("drive.shaft", "fan.shaft", stiffness=STIFFNESS, damping=DAMPING, name="shaft")
    return s.run(STOP, step)


def plot(runs: dict[float, mbs.Result], references: dict[float, mbs.Result], path: Path) -> Path:
    """Plot the speeds at both ends of the shaft, and the error of the fan's speed for each step; return the path."""
    figure = new_figure(8, 7)
    speeds, errors = figure.subplots(2, 1, sharex=True)
    finest = min(runs)
    run, reference = runs[finest], references[finest]
    speeds.plot(reference.time, reference["shaft.w"], color="0.6", linewidth=3, label="one-piece model")
    speeds.plot(reference.time, reference["fan_speed"], color="0.6", linewidth=3)
    speeds.plot(run.time, run["drive.shaft.w"], color="C0", linewidth=1, label="hub of the gear")
    speeds.plot(run.time, run["fan.shaft.w"], color="C1", linewidth=1, label="fan")
    speeds.set_ylabel("speed (rad/s)")
    for step, each in runs.items():
        difference = each["fan.shaft.w"] - references[step]["fan_speed"]
        created = each.statistics["coupling_energy"]["drive.shaft - fan.shaft"]
        errors.plot(each.time, difference, linewidth=1, label=f"{1e3 * step:g} ms, created {created:.2g} J")
    errors.set_ylabel("error of the fan's speed (rad/s)")
    errors.set_xlabel("time (s)")
    for axis in (speeds, errors):
        axis.grid(alpha=0.3)
        axis.legend(loc="lower right" if axis is speeds else "upper right")
    figure.suptitle("Drive train and a supplier's fan, coupled at a flange")
    figure.savefig(path, dpi=120)
    return path


def main(folder: Path, shows_plot: bool = False) -> dict[str, list[float]]:
    """Run everything and print a report; return errors (rad/s) and created energies (J) by step."""
    folder.mkdir(parents=True, exist_ok=True)
    drive, fan = build(folder)
    runs = {step: couple(drive, fan, step) for step in STEPS}
    references = {step: mbs.simulate(whole(), STOP, rtol=1e-10, output_interval=step) for step in STEPS}
    figures: dict[str, list[float]] = {"error": [], "energy": []}
    for step, run in runs.items():
        figures["error"].append(float(np.max(np.abs(run["fan.shaft.w"] - references[step]["fan_speed"]))))
        figures["energy"].append(float(run.statistics["coupling_energy"]["drive.shaft - fan.shaft"]))
        line = f"largest error of the fan's speed {figures['error'][-1]:.1e} rad/s"
        print(f"step {1e3 * step:g} ms: {line}, energy that the coupling created {figures['energy'][-1]:.1e} J")
    if shows_plot:
        print(f"wrote {plot(runs, references, folder / 'drive_train.png')}")
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("demo"))
    parser.add_argument("--plot", action="store_true", help="write a plot")
    given = parser.parse_args()
    main(given.folder, given.plot)
