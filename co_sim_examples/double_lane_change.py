"""A driver in one FMU steers the car in another through the gates of a double lane change.

The car is that of `models/car.py`, with double wishbones and Magic Formula tyres. The driver looks ahead along the
middle of the lanes, turns the steering wheel in proportion to the distance of the point ahead from it, and holds the
speed. The gates have the lengths and widths of ISO 3888-1; the middles of the lanes are 3.5 m apart. Both FMUs exchange
their signals every 10 ms. A single model with the driver inside gives the same path within centimetres, since its
signals are not late.

The program writes a plot of the path between the gates and a csv file.

Run: python co_sim_examples/double_lane_change.py [folder]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.view.plots import new_figure

STOP, PERIOD = 7.0, 0.01  #: s
SETTINGS = {"method": "rk4", "step": 1e-3}
WIDTH, LENGTH = 1.75, 4.2  #: m, of the car
BEGIN, OFFSET = 15.0, 3.5  #: m: place of the first gate, distance of the lanes from middle to middle
SECTIONS = (15.0, 30.0, 25.0, 25.0, 15.0, 15.0)  #: m: lengths, without gates in the second and the fourth
GATES = ((0, 0.0, 1.1), (2, OFFSET, 1.2), (4, 0.0, 1.3), (5, 0.0, 1.3))  #: section, middle (m), width of 1 car
SPARE = 0.25  #: m, that gates are wider
SPEED, AHEAD, GAIN, HOLD = 22.0, 0.57, 1.7, 2000.0  #: m/s; s; rad/m; N.m per m/s
LAG = 0.05  #: s, of the arms
SIGNALS = ("position[1]", "position[2]", "yaw", "speed")
WATCHED = ("position[1]", "position[2]", "yaw", "roll", "speed", "load[1]", "load[2]", "load[3]", "load[4]")


def gates() -> list[tuple[float, float, float, float]]:
    """Return the lanes: from x, to x, middle and width, m."""
    ends = np.concatenate([[BEGIN], BEGIN + np.cumsum(SECTIONS)])
    return [(ends[k], ends[k + 1], middle, cars * WIDTH + SPARE) for k, middle, cars in GATES]


def middle_line() -> tuple[list[float], list[float]]:
    """Return points of the middle of the course, m."""
    ends = np.concatenate([[BEGIN], BEGIN + np.cumsum(SECTIONS)])
    x = np.arange(0.0, ends[-1] + 100.0, 2.5)
    out, back = (np.clip((x - ends[k]) / SECTIONS[k], 0.0, 1.0) for k in (1, 3))
    smooth = [s * s * (3.0 - 2.0 * s) for s in (out, back)]
    return x.tolist(), (OFFSET * (smooth[0] - smooth[1])).tolist()


def driver() -> mbs.Model:
    """Return the driver; inputs: place, direction and speed of the car; outputs: steering wheel and torque."""
    m = mbs.Model("driver", description="Driver of a double lane change")
    x, y = (m.input(name, start=0.0, unit="m", description=f"{name} of the car") for name in ("x", "y"))
    yaw = m.input("yaw", start=0.0, unit="rad", description="direction of the car")
    speed = m.input("speed", start=SPEED, unit="m/s", description="of the car")
    _drive(m, x, y, yaw, speed)
    return m


def _drive(m: mbs.Model, x: mbs.Expression, y: mbs.Expression, yaw: mbs.Expression, speed: mbs.Expression) -> None:
    """Add the law of the driver, with the outputs steering and torque."""
    gain = m.parameter("gain", GAIN, unit="rad/m", min=0.0, description="steering by the distance from the line ahead")
    ahead = m.parameter("ahead", AHEAD, unit="s", min=0.1, description="time for which the driver looks ahead")
    way = ahead * speed
    missed = mbs.curve(x + way * mbs.cos(yaw), *middle_line()) - (y + way * mbs.sin(yaw))
    wheel = m.state("hands", lambda angle: (gain * missed - angle) / LAG, unit="rad", description="steering wheel")
    m.output("steering", wheel, unit="rad", description="angle of the steering wheel, positive to the left")
    m.output("torque", HOLD * (SPEED - speed), unit="N.m", description="of the rear wheels together")


def build(folder: Path) -> dict[str, Path]:
    """Export the two FMUs."""
    models = {"driver": driver(), "car": bundled_model("car", "car")}
    return {name: mbs.export(m, folder / f"{name}.fmu", stop_time=STOP, **SETTINGS) for name, m in models.items()}  # type: ignore[arg-type]


def couple(fmus: dict[str, Path]) -> mbs.Result:
    """Run both FMUs, which exchange their signals once per period."""
    system = mbs.System("double_lane_change")
    for name, path in fmus.items():
        system.add(name, path)
    for name, wanted in zip(SIGNALS, ("x", "y", "yaw", "speed"), strict=True):
        system.connect(f"car.{name}", f"driver.{wanted}")
    for name in ("steering", "torque"):
        system.connect(f"driver.{name}", f"car.{name}")
    watched = [f"car.{name}" for name in WATCHED] + ["driver.steering", "driver.torque"]
    return system.run(STOP, PERIOD, watch=watched)


def whole() -> mbs.Result:
    """Run the car and the driver as one model, without delays."""
    m = bundled_model("car", "car")
    both = mbs.Model("driven_car", gravity=m.gravity)  # type: ignore[arg-type]
    both.include(m, "car", inputs={name: mbs.signal(f"driver.{name}") for name in ("steering", "torque")})
    values = (mbs.signal(f"car.{name}") for name in SIGNALS)
    both.include(driver(), "driver", inputs=dict(zip(("x", "y", "yaw", "speed"), values, strict=True)))
    return mbs.simulate(both, STOP, output_interval=PERIOD, **SETTINGS)  # type: ignore[arg-type]


def margins(run: mbs.Result) -> list[float]:
    """Return how far the car's corners stay within each gate, m; negative where one hits it."""
    x, y, yaw = (np.asarray(run[f"car.{name}"]) for name in SIGNALS[:3])
    room = []
    for begin, end, middle, width in gates():
        least = np.inf
        for along in (-LENGTH / 2, LENGTH / 2):
            for across in (-WIDTH / 2, WIDTH / 2):
                px, py = x + along * np.cos(yaw) - across * np.sin(yaw), y + along * np.sin(yaw) + across * np.cos(yaw)
                inside = (px >= begin) & (px <= end)
                least = min(least, width / 2 - float(np.abs(py[inside] - middle).max()))
        room.append(least)
    return room


def plot(run: mbs.Result, path: Path) -> Path:
    """Draw the gates, the path of the car with its outline every half second, steering and wheel loads."""
    figure = new_figure(9.0, 7.5)
    above, middle, below = figure.subplots(3, 1)
    x, y, yaw = (np.asarray(run[f"car.{name}"]) for name in SIGNALS[:3])
    for begin, end, center, width in gates():
        for side in (-0.5, 0.5):
            above.plot([begin, end], [center + side * width] * 2, "o-", color="tab:orange", markersize=3)
    above.plot(*middle_line(), ":", color="gray", linewidth=0.8)
    above.plot(x, y, color="tab:blue")
    corners = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)]) * (LENGTH / 2, WIDTH / 2)
    for k in range(0, len(x), 50):
        c, s = np.cos(yaw[k]), np.sin(yaw[k])
        outline = corners @ np.array([(c, s), (-s, c)]) + (x[k], y[k])
        above.plot(outline[:, 0], outline[:, 1], color="tab:blue", linewidth=0.8)
    above.set(xlim=(0, BEGIN + sum(SECTIONS) + 10), ylim=(-3, 6.5), xlabel="x in m", ylabel="y in m")
    middle.plot(run.time, np.degrees(run["driver.steering"]))
    middle.set(ylabel="steering wheel in °")
    for k, name in enumerate(("front left", "front right", "rear left", "rear right"), start=1):
        below.plot(run.time, np.asarray(run[f"car.load[{k}]"]) / 1e3, label=name)
    below.set(xlabel="time in s", ylabel="load in kN", ylim=(1, 7.5))
    below.legend(ncols=4, fontsize="small", loc="upper left")
    figure.savefig(path, dpi=110)
    return path


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    run, one = couple(build(folder)), whole()
    room = margins(run)
    figures = {
        "margin": min(room),
        "speed": float(np.min(run["car.speed"])),
        "least load": float(min(np.min(run[f"car.load[{k}]"]) for k in range(1, 5))),
        "difference": float(np.max(np.abs(np.asarray(run["car.position[2]"]) - one["car.position"][:, 1]))),
    }
    print("room in the gates: " + ", ".join(f"{value:.2f} m" for value in room))
    print(f"least speed {figures['speed']:.1f} m/s, least wheel load {figures['least load']:.0f} N")
    print(f"coupled FMUs against one model: {figures['difference'] * 1e3:.1f} mm across")
    print(f"wrote {run.to_csv(folder / 'double_lane_change.csv')}")
    print(f"wrote {plot(run, folder / 'double_lane_change.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
