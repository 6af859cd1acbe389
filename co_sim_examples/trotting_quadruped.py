"""A four-legged robot in one FMU trots over bumps of 3 cm, under a digital controller in another (models/quadruped.py).

The robot has twelve joints and stands on four feet, which stick and slip on a height field. The controller samples
attitude, velocity and joints 200 times per second; the torques of the motors are constant in between. Importer and
controller use the same period, so the torques act one sample late. A single model with the controller inside gives the
same results until rounding errors, which each touch of a foot amplifies, have grown. The program writes a plot and a
csv file.

Run: python co_sim_examples/trotting_quadruped.py [folder]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.view.plots import new_figure

STOP, PERIOD = 15.0, 0.005  #: s
SETTINGS = {"method": "rk4", "step": 1e-3}
LEGS = ("front left", "front right", "rear left", "rear right")
JOINTS = tuple(f"{leg.replace(' ', '_')}_{joint}" for leg in LEGS for joint in ("abduction", "pitch", "knee"))
SHOWN = 2.0  #: s at the end, whose loads are plotted
SAME = 1.5  #: s, during which both runs must agree
WATCHED = (
    *(f"position[{k}]" for k in (1, 2, 3)), *(f"attitude[{k}]" for k in (1, 2, 3)), "velocity[1]",
    *(f"load[{k}]" for k in (1, 2, 3, 4)),
)  # fmt: skip


def build(folder: Path) -> dict[str, Path]:
    """Export the two FMUs."""
    models = {"robot": "quadruped_on_bumps", "controller": "trot_controller"}
    return {
        name: mbs.export(bundled_model("quadruped", function), folder / f"{function}.fmu", **SETTINGS)  # type: ignore[arg-type]
        for name, function in models.items()
    }


def couple(fmus: dict[str, Path], stop: float = STOP) -> mbs.Result:
    """Run both FMUs, which exchange their signals once per period."""
    wires = {f"attitude[{k}]": name for k, name in enumerate(("roll", "pitch", "yaw"), start=1)}
    wires |= {f"turning[{k}]": f"turning_{axis}" for k, axis in enumerate("xyz", start=1)}
    wires |= {"velocity[1]": "forward", "velocity[2]": "leftward", "position[2]": "offset"}
    for k, joint in enumerate(JOINTS, start=1):
        wires |= {f"angle[{k}]": f"{joint}_angle", f"rate[{k}]": f"{joint}_rate"}
    system = mbs.System("trotting_quadruped")
    for name, path in fmus.items():
        system.add(name, path)
    for output, name in wires.items():
        system.connect(f"robot.{output}", f"controller.{name}")
    for k, joint in enumerate(JOINTS, start=1):
        system.connect(f"controller.torque[{k}]", f"robot.{joint}_torque")
    watched = [f"robot.{name}" for name in WATCHED] + [f"controller.torque[{k}]" for k in (1, 2, 3)]
    return system.run(stop, PERIOD, watch=watched)


def one_piece(stop: float = STOP) -> mbs.Result:
    """Run the single model with the controller inside, with the same steps."""
    return mbs.simulate(bundled_model("quadruped", "trotting_on_bumps"), stop, output_interval=PERIOD, **SETTINGS)  # type: ignore[arg-type]


def steps(loads: np.ndarray) -> int:
    """Return how often a foot came down, from the loads of the feet, (rows, feet), N."""
    down = loads > 0.0
    return int(np.count_nonzero(down[1:] & ~down[:-1]))


def plot(run: mbs.Result, path: Path) -> Path:
    """Plot height, speed and loads of the feet over time; return the path of the picture."""
    figure = new_figure(8, 7)
    height, speed, load = figure.subplots(3, 1)
    late = run.time >= run.time[-1] - SHOWN
    height.plot(run.time, run["robot.position[3]"], linewidth=0.8)
    height.set_ylabel("height of the trunk (m)")
    height.set_ylim(0.0, 0.4)
    speed.plot(run.time, run["robot.velocity[1]"], linewidth=0.6)
    speed.set_ylabel("speed (m/s)")
    for k, leg in enumerate(LEGS, start=1):
        load.plot(run.time[late], run[f"robot.load[{k}]"][late], label=leg, linewidth=0.9)
    load.set_ylabel("load of the feet (N)")
    load.set_ylim(0.0, 200.0)
    load.set_xlabel("time (s)")
    load.legend(loc="upper left", ncols=4, fontsize="small")
    for each in (height, speed, load):
        each.grid(alpha=0.3)
    figure.suptitle("A quadruped trots over bumps of 3 cm: robot and controller in two FMUs")
    figure.savefig(path, dpi=110)
    return path


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    folder.mkdir(parents=True, exist_ok=True)
    run, whole = couple(build(folder)), one_piece(SAME)
    loads = np.column_stack([run[f"robot.load[{k}]"] for k in (1, 2, 3, 4)])
    early, walks = len(whole.time), run.time > 3.0
    figures = {
        "way": float(run["robot.position[1]"][-1]),
        "speed": float(np.mean(run["robot.velocity[1]"][walks])),
        "lowest": float(np.min(run["robot.position[3]"])),
        "tilt": float(np.degrees(max(np.abs(run[f"robot.attitude[{k}]"]).max() for k in (1, 2)))),
        "steps": float(steps(loads)),
        "difference": float(np.abs(run["robot.position[3]"][:early] - whole["position"][:, 2]).max()),
    }
    print(f"way {figures['way']:.2f} m at {figures['speed']:.2f} m/s, {figures['steps']:.0f} steps of single feet")
    print(f"lowest place of the trunk {figures['lowest']:.3f} m, largest tilt {figures['tilt']:.1f} deg")
    print(f"largest difference of heights from the one-piece model in {SAME:g} s: {figures['difference']:.1e} m")
    print(f"wrote {run.to_csv(folder / 'trotting_quadruped.csv')}")
    print(f"wrote {plot(run, folder / 'trotting_quadruped.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
