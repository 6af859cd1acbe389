"""A crane with an elastic boom hoists and luffs a load, while a controller in another FMU damps its vibrations.

The boom is a steel tube with three vibration modes (`mbs.beam`). It sags by a quarter of a metre under its load and
vibrates when the winch starts and stops, and the load swings when the boom is luffed. The controller samples levers and
sag fifty times per second. It has two functions. It damps the boom: the winch pays out rope while the sag exceeds its
mean of the last seconds. And it splits each luffing command into two halves, half a period of the load's swing apart,
so that the second half stops the swing that the first has started (input shaping). Importer and controller use the same
period, so commands act one sample late. A single model with the controller inside gives the same results.

The program writes a plot and a csv file.

Run: python co_sim_examples/crane.py [folder]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.view.plots import new_figure

STOP, PERIOD = 24.0, 0.02  #: s
SETTINGS = {"method": "rk4", "step": 2e-3}
LENGTH, TUBE, STEEL, DENSITY = 10.0, mbs.Tube(0.3, 0.008), 2.1e11, 7850.0  #: of the boom: m, m, Pa, kg/m³
PIVOT, RAISED, DAMPING = (0, 0, 3), math.radians(40.0), 0.005  #: m; rad at the start; damping ratio of the modes
LOAD, INERTIA, ROPE = 1500.0, (60, 60, 60), 6.0  #: kg, kg m², m of rope at the start
LAG = 0.15  #: s, time constant of winch and luffing gear
HOIST, HOISTED = -0.4, (1.0, 4.0)  #: m/s of rope; s: interval in which the load is hoisted
LUFF, LUFFED = -math.radians(2.0), (8.0, 14.5)  #: rad/s; s: interval in which the boom is lowered
GAIN, FORGOTTEN = 4.0, 3.0  #: m/s of rope per metre of sag; s, time constant of the mean sag
SWING = 2.0 * math.pi * math.sqrt((ROPE + HOIST * (HOISTED[1] - HOISTED[0])) / 9.81)  #: s, period after hoisting
OUTPUTS = ("sag", "swing", "height", "reach")
CASES = {"plain": {"gain": 0.0, "shaping": 0.0}, "controlled": {"gain": GAIN, "shaping": 1.0}}


def crane() -> mbs.Model:
    """Return boom, rope and load; inputs are the commanded speeds of winch and luffing gear."""
    m = mbs.Model("crane", description="Crane with an elastic boom")
    hoist = m.input("hoist", start=0.0, unit="m/s", description="wanted speed of the rope, out")
    luff = m.input("luff", start=0.0, unit="rad/s", description="wanted speed of the boom, up")
    _mechanism(m, hoist, luff)
    return m


def controller() -> mbs.Model:
    """Return the digital controller; input: the boom's sag; outputs: commands to winch and luffing gear."""
    m = mbs.Model("controller", description="Digital controller of a crane")
    hoist, luff = _commands(m, m.input("sag", unit="m", description="of the boom's tip, down"))
    m.output("hoist", hoist, unit="m/s", description="wanted speed of the rope, out")
    m.output("luff", luff, unit="rad/s", description="wanted speed of the boom, up")
    return m


def controlled_crane() -> mbs.Model:
    """Return the crane with its controller, whose commands act one sample late, as they do between two FMUs."""
    m = mbs.Model("controlled_crane", description="Crane with an elastic boom and its controller")
    sag = _mechanism(m, mbs.signal("late[1]"), mbs.signal("late[2]"))
    m.sampled("late", PERIOD, _commands(m, sag), start=(0.0, 0.0), description="speeds of rope and boom that act")
    return m


def _mechanism(m: mbs.Model, hoist: mbs.Expression, luff: mbs.Expression) -> mbs.Expression:
    """Add boom, rope, load and drives; return the sag of the tip."""
    damping = m.parameter("damping", DAMPING, min=0.0, description="damping ratio of the boom's modes")
    air = m.parameter("air", 0.0, unit="N.m.s/rad", min=0.0, description="damping of the rope's swing")
    turning = m.state("turning", lambda w: (luff - w) / LAG, unit="rad/s", description="speed of the boom, up")
    angle = m.state("angle", turning, start=RAISED, unit="rad", description="of the boom, up")
    winding = m.state("winding", lambda v: (hoist - v) / LAG, unit="m/s", description="speed of the rope, out")
    length = m.state("length", winding, start=ROPE, unit="m", description="of the rope")

    up = mbs.Revolute((0, -1, 0))
    tube = mbs.beam(LENGTH, TUBE, STEEL, DENSITY, modes=3, along="z")
    boom = m.body("boom", joint=up, at=PIVOT, elastic=tube, damping=damping)
    m.drive("gear", on=boom, position=angle, rate=turning)
    tip = boom.node("tip")
    rope = m.body("rope", tip, up)
    m.start(rope, q=-RAISED)
    m.spring("air", on=rope, damping=air)
    load = m.body("load", rope, mbs.Prismatic((0, 0, -1)), mass=LOAD, inertia=INERTIA)
    m.drive("winch", on=load, position=length, rate=winding)

    sag, place = -mbs.deformation(boom, "tip").d[2], mbs.position(load)
    m.output("sag", sag, unit="m", description="of the boom's tip, down")
    m.output("swing", place[0] - mbs.position(tip)[0], unit="m", description="of the load, out from under the tip")
    m.output("height", place[2], unit="m", description="of the load")
    m.output("reach", place[0], unit="m", description="of the load from the boom's pivot")
    return sag


def _commands(m: mbs.Model, sag: mbs.Expression) -> list[mbs.Expression]:
    """Return the sampled commands: winch speed with active damping of the boom, and luffing speed in two halves."""
    gain = m.parameter("gain", GAIN, unit="1/s", min=0.0, description="rope paid out against the boom's bounce")
    shaping = m.parameter("shaping", 1.0, min=0.0, max=1.0, description="1: luffing in two halves; 0: at once")
    steady = m.sampled("steady", PERIOD, lambda s: s + PERIOD / FORGOTTEN * (sag - s), unit="m", description="mean sag")
    hoist = HOIST * _held(HOISTED) + gain * (sag - steady)
    luff = LUFF * ((1.0 - 0.5 * shaping) * _held(LUFFED) + 0.5 * shaping * _held(LUFFED, SWING / 2))
    wanted = m.sampled("wanted", PERIOD, (hoist, luff), start=(0.0, 0.0), description="speeds of rope and boom")
    return list(wanted)


def _held(span: tuple[float, float], late: float = 0.0) -> mbs.Expression:
    """Return 1 while a lever is held, else 0; the limits of the interval are between samples."""
    start, stop = (mbs.where(mbs.time >= t + late - PERIOD / 2, 1.0, 0.0) for t in span)
    return start - stop


def build(folder: Path) -> dict[str, Path]:
    """Export the two FMUs."""
    models = {"controller": controller(), "crane": crane()}
    return {
        name: mbs.export(model, folder / f"{name}.fmu", stop_time=1.0, **SETTINGS) for name, model in models.items()
    }  # type: ignore[arg-type]


def rest() -> dict[str, float]:
    """Return start values of the crane at rest, computed by a run with high damping."""
    settings = {"parameters": {"damping": 1.0, "air": 5e4}, "output_interval": 1.0, **SETTINGS}
    settled = mbs.simulate(crane(), 100.0, **settings)  # type: ignore[arg-type]
    names = [name for name in settled.columns if name.startswith("boom.xi[")]
    return {name: float(settled[name][-1]) for name in (*names, "rope.phi", "sag")}


def couple(fmus: dict[str, Path], start: dict[str, float], case: dict[str, float]) -> mbs.Result:
    """Run both FMUs, which exchange sag and commands once per period."""
    system = mbs.System("crane")
    system.add("crane", fmus["crane"], {name: x for name, x in start.items() if name != "sag"})
    system.add("controller", fmus["controller"], {**case, "steady": start["sag"]})
    system.connect("crane.sag", "controller.sag")
    for name in ("hoist", "luff"):
        system.connect(f"controller.{name}", f"crane.{name}")
    watched = [f"crane.{name}" for name in OUTPUTS] + ["controller.hoist", "controller.luff"]
    return system.run(STOP, PERIOD, watch=watched)


def one_piece(start: dict[str, float], case: dict[str, float]) -> mbs.Result:
    """Run the single model with the controller inside, with the same steps."""
    values = {"steady" if name == "sag" else name: x for name, x in start.items()}
    return mbs.simulate(
        controlled_crane(),
        STOP,
        start=values,
        parameters=case,
        output_interval=PERIOD,
        **SETTINGS,  # type: ignore[arg-type]
    )


def peak_to_peak(run: mbs.Result, name: str, start: float, stop: float) -> float:
    """Return the peak-to-peak value of an output in an interval of time, m."""
    inside = (run.time >= start) & (run.time <= stop)
    return float(np.ptp(run[f"crane.{name}"][inside]))


def table(runs: dict[str, mbs.Result]) -> list[str]:
    """Return the lines of a table with sag and swing of both runs."""
    lines = ["", "   time    height     reach           sag, m                 swing, m"]
    lines.append("      s         m         m     plain  controlled      plain  controlled")
    for t in (0.0, 1.5, 2.0, 4.0, 4.5, 5.0, 6.0, 8.0, 10.0, 12.0, 14.0, 17.0, 20.0, STOP):
        k = round(t / PERIOD)
        place = [runs["controlled"][f"crane.{name}"][k] for name in ("height", "reach")]
        sag, swing = ([run[f"crane.{name}"][k] for run in runs.values()] for name in ("sag", "swing"))
        lines.append(
            f"{t:7.1f} {place[0]:9.3f} {place[1]:9.3f} {sag[0]:9.4f} {sag[1]:11.4f} {swing[0]:10.4f} {swing[1]:11.4f}"
        )
    return [*lines, ""]


def plot(runs: dict[str, mbs.Result], path: Path) -> Path:
    """Plot sag, swing and commands over time; return the path of the picture."""
    figure = new_figure(8, 8)
    panels = figure.subplots(4, 1, sharex=True)
    plotted = (
        ("crane.sag", "sag of the tip (m)"), ("crane.swing", "swing of the load (m)"),
        ("controller.hoist", "rope out (m/s)"), ("controller.luff", "boom up (rad/s)"),
    )  # fmt: skip
    for panel, (name, title) in zip(panels, plotted, strict=True):
        for (case, run), color in zip(runs.items(), ("0.6", "C0"), strict=True):
            panel.plot(run.time, run[name], color=color, label=case)
        panel.set_ylabel(title)
        panel.grid(alpha=0.3)
    panels[0].invert_yaxis()
    panels[1].legend(loc="upper left")
    panels[-1].set_xlabel("time (s)")
    figure.suptitle("Crane with an elastic boom and its controller: two FMUs, coupled by mbs.System")
    figure.savefig(path, dpi=120)
    return path


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    fmus, start = build(folder), rest()
    runs = {name: couple(fmus, start, case) for name, case in CASES.items()}
    print("\n".join(table(runs)))
    figures = {"sag": start["sag"]}
    for name, run in runs.items():
        whole = one_piece(start, CASES[name])
        figures |= {
            f"{name} bounce": peak_to_peak(run, "sag", HOISTED[1] + 2.0, LUFFED[0]),
            f"{name} swing": peak_to_peak(run, "swing", STOP - SWING, STOP),
            f"{name} difference": max(float(np.abs(run[f"crane.{x}"] - whole[x]).max()) for x in OUTPUTS),
        }
        bounce, swing, difference = (figures[f"{name} {what}"] for what in ("bounce", "swing", "difference"))
        print(
            f"{name}: from 2 s after hoisting on the tip bounces by {bounce:.4f} m, at the end the load "
            f"swings by {swing:.4f} m; difference from the one-piece model {difference:.1e} m"
        )
    print(f"wrote {runs['controlled'].to_csv(folder / 'crane.csv')}")
    print(f"wrote {plot(runs, folder / 'crane.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
