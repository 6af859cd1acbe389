"""A single-cylinder engine in one FMU, its speed controller in another, and a brake in a third.

The engine is a slider-crank, a mechanism with a closed loop, with a flywheel and a gas force in every second revolution
(models/slider_crank.py). The controller moves the throttle; the torque of the brake increases at half time. The program
shows how the error relative to the single model with controller and brake decreases with the communication step, and
that the loop stays closed. It writes a plot and a csv file.

Run: python co_sim_examples/slider_crank_engine.py [folder]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.cosimulation.coupling import Coupling
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.view.plots import new_figure

STOP, STEP, SET_POINT = 6.0, 2e-3, 150.0
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
SPAN = 1.0  #: s, duration of the runs that measure the order of convergence
WATCHED = ("speed", "throttle", "torque", "gas_force", "residual")


def load(t: mbs.Expression) -> mbs.Expression:
    """Return the torque of the brake on the crank, N.m: -3 until 3 s, -8 from 3.2 s on."""
    return -3.0 - 25.0 * mbs.clip(t - 3.0, 0.0, 0.2)


def brake() -> mbs.Model:
    """Return the brake, a model without bodies."""
    m = mbs.Model("brake", description="Brake whose torque depends on time")
    m.output("torque", load(mbs.time), unit="N.m", description="torque on the crank")
    return m


def build(folder: Path) -> dict[str, Path]:
    """Export the three FMUs."""
    models = {
        "regulator": bundled_model("slider_crank", "throttle_regulator"),
        "brake": brake(),
        "engine": bundled_model("slider_crank", "slider_crank"),
    }
    return {
        name: mbs.export(model, folder / f"{model.name}.fmu", method="rk4", step=2.5e-4)
        for name, model in models.items()
    }


def couple(fmus: dict[str, Path], step: float, coupling: Coupling, stop: float = STOP) -> mbs.Result:
    """Run the three FMUs: speed goes to the regulator, throttle and torque to the engine."""
    system = mbs.System("engine")
    system.add("regulator", fmus["regulator"], set_point=SET_POINT)
    system.add("brake", fmus["brake"])
    system.add("engine", fmus["engine"])
    system.connect("engine.speed", "regulator.speed")
    system.connect("regulator.throttle", "engine.throttle")
    system.connect("brake.torque", "engine.torque")
    return system.run(stop, step, coupling=coupling, watch=[f"engine.{name}" for name in WATCHED])


def monolithic(step: float, stop: float = STOP) -> mbs.Result:
    """Run the reference: the single model with regulator and brake, with tight error control."""
    model = bundled_model("slider_crank", "regulated_slider_crank")
    inputs = {"set_point": SET_POINT, "torque": load}
    return mbs.simulate(model, stop, inputs=inputs, rtol=1e-9, output_interval=step)


def error(run: mbs.Result, reference: mbs.Result) -> float:
    """Return the largest difference in speed at the communication points, rad/s."""
    return float(np.max(np.abs(run["engine.speed"] - reference["speed"])))


def measured_order(values: list[float]) -> float:
    """Return the slope of log(error) over log(step)."""
    return float(np.polyfit(np.log(STEPS), np.log(values), 1)[0])


def mean_speed(run: mbs.Result, start: float, stop: float) -> float:
    """Return the mean speed in an interval of time, rad/s."""
    inside = (run.time >= start) & (run.time <= stop)
    return float(np.mean(run["engine.speed"][inside]))


def table(run: mbs.Result, reference: mbs.Result) -> list[str]:
    """Return the lines of a table with coupled and reference speed, throttle and load."""
    lines = ["", "   time     speed    one piece   throttle     load    residual"]
    lines.append("      s     rad/s        rad/s                 N.m           m")
    for t in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 3.2, 3.5, 4.0, 5.0, STOP):
        k = round(t / STEP)
        speed, throttle, torque, residual = (
            run[f"engine.{name}"][k] for name in ("speed", "throttle", "torque", "residual")
        )
        lines.append(
            f"{t:7.1f} {speed:9.3f} {reference['speed'][k]:12.3f} {throttle:10.4f} {torque:8.2f} {residual:11.1e}"
        )
    return [*lines, ""]


def plot(run: mbs.Result, reference: mbs.Result, path: Path) -> Path:
    """Plot speed, throttle and load over time; return the path of the picture."""
    panels = (("speed", "speed (rad/s)"), ("throttle", "throttle"), ("torque", "load (N.m)"))
    figure = new_figure(8, 7)
    axes = figure.subplots(len(panels), 1, sharex=True)
    for (name, title), axis in zip(panels, axes, strict=True):
        if name in reference:
            axis.plot(reference.time, reference[name], color="0.6", linewidth=3, label="one-piece model")
        axis.plot(run.time, run[f"engine.{name}"], color="C0", linewidth=1, label="co-simulation")
        axis.set_ylabel(title)
        axis.grid(alpha=0.3)
    axes[0].axhline(SET_POINT, color="C3", linewidth=0.8, linestyle="--", label="set point")
    axes[0].legend(loc="lower right")
    axes[-1].set_xlabel("time (s)")
    figure.suptitle("Engine, regulator and brake: three FMUs, coupled by mbs.System")
    figure.savefig(path, dpi=120)
    return path


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    fmus = build(folder)
    figures: dict[str, float] = {}
    print("communication step (s):    " + "".join(f"{h:12g}" for h in STEPS))
    couplings: tuple[Coupling, ...] = ("hold", "iterate")
    for coupling in couplings:
        values = [error(couple(fmus, h, coupling, SPAN), monolithic(h, SPAN)) for h in STEPS]
        figures[coupling] = measured_order(values)
        line = "".join(f"{e:12.2e}" for e in values)
        print(f"{coupling:>12} error (rad/s):{line}   order {figures[coupling]:.2f}")
    run, reference = couple(fmus, STEP, "hold"), monolithic(STEP)
    print("\n".join(table(run, reference)))
    figures["error"] = error(run, reference)
    figures["before"], figures["after"] = mean_speed(run, 2.5, 3.0), mean_speed(run, STOP - 0.5, STOP)
    figures["residual"] = float(np.max(run["engine.residual"]))
    print(f"largest difference in speed from the one-piece model {figures['error']:.2e} rad/s")
    print(f"mean speed before and after the brake takes hold {figures['before']:.2f}, {figures['after']:.2f} rad/s")
    print(f"the loop stands open by {figures['residual']:.1e} m at most")
    print(f"wrote {run.to_csv(folder / 'slider_crank_engine.csv')}")
    print(f"wrote {plot(run, reference, folder / 'slider_crank_engine.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
