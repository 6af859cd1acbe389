"""A driver in one FMU keeps the car in another on a course of bends, whose road is read from an OpenCRG file.

The program writes the file of a road: bends of different radius between clothoids, one of them banked, with a surface
of class B by ISO 8608 under both sides of the car. `mbs.CurvedGrid.from_crg` reads it. The car is that of
`models/car.py`; cams of its tyres sense the short waves. Its FMU tells the place of the rear left wheel along the road:
u, v and the heading, as `mbs.along` states them. The driver knows the curvature over u. It steers by the curvature just
ahead and by the distance from the middle to which the heading leads, and brakes in time for every bend. Both FMUs
exchange their signals every 10 ms.

The program writes a plot of the course, the deviation from the middle, the speed and the wheel loads, and a csv file.

Run: python co_sim_examples/course.py [folder] [--native]
"""

from __future__ import annotations

import sys
from pathlib import Path
from runpy import run_path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.bundled import models_folder
from mbs_fmu.view.plots import new_figure

STOP, PERIOD = 35.0, 0.01  #: s
SETTINGS = {"method": "rk4", "step": 1e-3}
# bends in order: radius (m, positive to the left), angle (°), straight piece behind them (m)
BENDS = ((60.0, 90.0, 30.0), (-35.0, 130.0, 40.0), (25.0, 180.0, 80.0))
FIRST, CLOTHOID = 50.0, 18.0  #: m: straight piece before the first bend, length in which the curvature grows
BANKED, BANK = 1, 0.08  #: bend, slope across
BEGIN, ROW, EVEN = -10.0, 0.1, 10.0  #: m: u of the first row, distance of rows, u at which the roughness begins
TRACK = 1.5  #: m, of the car
COLUMNS = (-4.0, -2.5, -0.75, 0.75, 2.5, 4.0)  #: m: v of the long sections
FASTEST, SIDEWAYS, FASTER, SLOWER = 20.0, 4.0, 2.0, 3.0  #: m/s; m/s²: in bends, along the course, braking
BASE, TURNS = 2.7, 15.0  #: m; rad of the steering wheel for 1 rad of the wheels
UNDERSTEER, NOSE = 5e-3, 8e-3  #: rad s²/m: steering and heading towards the inside, by the acceleration sideways
SOON, AHEAD = 0.25, 0.9  #: s: delay of the car behind the steering, time for which the driver looks ahead
GAIN, HOLD, LAG = 0.5, 2500.0, 0.05  #: rad/m; N.m per m/s; s, of the arms
KNOWN = 2.0  #: m, distance of the places at which the driver knows the course
SIGNALS = ("place.u", "place.v", "place.heading", "speed")
INPUTS = ("u", "v", "heading", "speed")  #: of the driver
WATCHED = (*SIGNALS, "position[1]", "position[2]", "roll", "load[1]", "load[2]", "load[3]", "load[4]")


# -- the road ------------------------------------------------------------------------------------------------
def corners() -> tuple[np.ndarray, np.ndarray, float]:
    """Return places u and curvatures between which the curvature is straight, m and 1/m, and the length, m."""
    u, curvature = [0.0], [0.0]
    end = FIRST
    for radius, angle, straight in BENDS:
        arc = abs(radius) * np.radians(angle) - CLOTHOID  # clothoids turn by half of what an arc of their length does
        u += [end, end + CLOTHOID, end + CLOTHOID + arc, end + 2.0 * CLOTHOID + arc]
        curvature += [0.0, 1.0 / radius, 1.0 / radius, 0.0]
        end = u[-1] + straight
    return np.array(u), np.array(curvature), end


def write_road(path: Path) -> Path:
    """Write the OpenCRG file of the course."""
    places, curvature, end = corners()
    count = round((end - BEGIN) / ROW) + 1
    u = BEGIN + ROW * np.arange(count)
    phi = np.append(0.0, np.cumsum(ROW * np.interp(u[:-1], places, curvature)))  # in the middle before each row
    begin, last = places[1 + 4 * BANKED], places[4 + 4 * BANKED]
    sign = -np.sign(BENDS[BANKED][0])  # the outer side is higher
    bank = BANK * sign * np.clip(np.minimum(u - begin, last - u) / CLOTHOID, 0.0, 1.0)
    tracks = mbs.HeightField.rough("B", length=ROW * (count - 1), track=TRACK, seed=7, band=(0.8, 50.0), spacing=ROW)
    grown = np.clip((u - EVEN) / EVEN, 0.0, 1.0)
    right, left = (grown * side for side in np.asarray(tracks.heights).T)
    sections = [right if v < 0.0 else left for v in COLUMNS]
    header = [
        "$ROAD_CRG",
        f"REFERENCE_LINE_START_U = {BEGIN}",
        f"REFERENCE_LINE_END_U = {u[-1]:.1f}",
        f"REFERENCE_LINE_INCREMENT = {ROW}",
        f"REFERENCE_LINE_START_X = {BEGIN}",
        "$",
        "$KD_DEFINITION",
        "#:LRFI",
        f"U:reference line u,m,{BEGIN},{ROW}",
        "D:reference line phi,rad",
        "D:reference line banking,m/m",
        *(f"D:long section at v = {v},m" for v in COLUMNS),
        "$",
        "$" * 72,
    ]
    rows = ("".join(f"{number:10.6f}" for number in row) for row in np.column_stack([phi, bank, *sections]))
    path.write_text("\n".join([*header, *rows]) + "\n", encoding="ascii")
    return path


# -- driver and car ------------------------------------------------------------------------------------------
def known() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return u, m, curvatures, 1/m, and speeds, m/s, that the driver knows.

    Speeds are those of bends at a given acceleration sideways, and grow and fall between them at given rates.
    """
    places, curvature, end = corners()
    u = np.arange(0.0, end + KNOWN, KNOWN)
    bends = np.interp(u, places, curvature)
    square = np.minimum(FASTEST**2, SIDEWAYS / np.maximum(np.abs(bends), 1e-9))
    for k in range(1, len(u)):
        square[k] = min(square[k], square[k - 1] + 2.0 * FASTER * KNOWN)
    for k in range(len(u) - 2, -1, -1):
        square[k] = min(square[k], square[k + 1] + 2.0 * SLOWER * KNOWN)
    return u, bends, np.sqrt(square)


def driver() -> mbs.Model:
    """Return the driver; inputs: place and speed of the car; outputs: steering wheel and torque."""
    m = mbs.Model("driver", description="Driver who knows the curvature of a course")
    u, v = (m.input(name, start=0.0, unit="m", description=f"{name} of the rear axle's left wheel") for name in "uv")
    heading = m.input("heading", start=0.0, unit="rad", description="of the car, relative to the course")
    speed = m.input("speed", start=FASTEST, unit="m/s", description="of the car")
    ahead = m.parameter("ahead", AHEAD, unit="s", min=0.1, description="time for which the driver looks ahead")
    gain = m.parameter("gain", GAIN, unit="rad/m", min=0.0, description="steering by the distance from the line ahead")
    places, curvature, speeds = (numbers.tolist() for numbers in known())
    soon = u + SOON * speed
    near = mbs.curve(soon + BASE / 2.0, places, curvature)
    sideways = speed * speed * near
    bend = TURNS * (BASE * near + UNDERSTEER * sideways)
    missed = v - TRACK / 2.0 + ahead * speed * (heading - NOSE * sideways)
    wanted = bend - gain * missed
    wheel = m.state("hands", lambda angle: (wanted - angle) / LAG, unit="rad", description="steering wheel")
    m.output("steering", wheel, unit="rad", description="angle of the steering wheel, positive to the left")
    least = mbs.min(*(mbs.curve(point, places, speeds) for point in (soon, u + ahead * speed)))  # brakes before bends
    m.output("torque", HOLD * (least - speed), unit="N.m", description="of the rear wheels together")
    return m


def car(road: mbs.CurvedGrid) -> mbs.Model:
    """Return the car on a road; inputs: steering wheel and torque."""
    parts = run_path(str(models_folder() / "car.py"))
    m = mbs.Model("car", gravity=(0, 0, -parts["G"]), description="Car on a course")
    steering = m.input("steering", unit="rad", description="angle of the steering wheel, positive to the left")
    torque = m.input("torque", unit="N.m", description="of the rear wheels together; negative: braking")
    tyre = mbs.Tyre(parts["TYRE"]).cams()
    cams = mbs.Cams(tyre.length, tyre.height, tyre.order, tyre.distance)  # without a width: the road is even across
    parts["add_car"](m, steering, torque, FASTEST, road=road, envelope=cams)
    m.output("place", mbs.along("tyre_rear_left"))
    return m


def build(road: mbs.CurvedGrid, folder: Path, kind: str = "python") -> dict[str, Path]:
    """Export the two FMUs of a kind, "python" or "native" for this platform."""
    models, platforms = {"driver": driver(), "car": car(road)}, "host" if kind == "native" else "all"
    options = {"stop_time": STOP, "reference": False, "platforms": platforms, **SETTINGS}
    return {name: mbs.export(m, folder / f"{name}.fmu", kind, **options) for name, m in models.items()}  # type: ignore[arg-type]


def couple(fmus: dict[str, Path]) -> mbs.Result:
    """Run both FMUs, which exchange their signals once per period."""
    system = mbs.System("course")
    for name, path in fmus.items():
        system.add(name, path)
    for name, wanted in zip(SIGNALS, INPUTS, strict=True):
        system.connect(f"car.{name}", f"driver.{wanted}")
    for name in ("steering", "torque"):
        system.connect(f"driver.{name}", f"car.{name}")
    watched = [f"car.{name}" for name in WATCHED] + ["driver.steering", "driver.torque"]
    return system.run(STOP, PERIOD, watch=watched)


def whole(road: mbs.CurvedGrid) -> mbs.Result:
    """Run the car and the driver as one model, without delays."""
    m = car(road)
    both = mbs.Model("driven_car", gravity=m.gravity)  # type: ignore[arg-type]
    both.include(m, "car", inputs={name: mbs.signal(f"driver.{name}") for name in ("steering", "torque")})
    values = (mbs.signal(f"car.{name}") for name in SIGNALS)
    both.include(driver(), "driver", inputs=dict(zip(INPUTS, values, strict=True)))
    return mbs.simulate(both, STOP, output_interval=PERIOD, **SETTINGS)  # type: ignore[arg-type]


def deviation(run: mbs.Result) -> np.ndarray:
    """Return the distance of the middle of the rear axle from the line, m, positive to the left."""
    return np.asarray(run["car.place.v"]) - TRACK / 2.0 * np.cos(run["car.place.heading"])


def plot(run: mbs.Result, road: mbs.CurvedGrid, path: Path) -> Path:
    """Draw the course with the car's path, and over u the deviation from the middle, the speed and the wheel loads."""
    figure = new_figure(11.0, 6.5)
    cells = figure.add_gridspec(3, 2, width_ratios=(1, 1.3))
    left, (above, middle, below) = figure.add_subplot(cells[:, 0]), (figure.add_subplot(cells[k, 1]) for k in range(3))
    u = np.linspace(road.u[0], road.u[-1], 1000)
    for side in (road.v[0], road.v[-1]):
        left.plot(*road.xy(u, side), color="gray", linewidth=0.8)
    banked = np.linspace(*corners()[0][[1 + 4 * BANKED, 4 + 4 * BANKED]], 100)
    left.plot(*road.xy(banked), color="tab:orange", linewidth=7, alpha=0.3, label="banked")
    left.plot(run["car.position[1]"], run["car.position[2]"], color="tab:blue", label="car")
    for place in range(0, int(road.u[-1]), 50):
        left.annotate(f"{place}", np.ravel(road.xy(float(place), road.v[0] - 6.0)), ha="center", fontsize="x-small")
    left.set(aspect="equal", xlabel="x in m", ylabel="y in m")
    left.legend(fontsize="small")
    way = np.asarray(run["car.place.u"])
    above.plot(way, deviation(run))
    above.set(ylabel="deviation in m", ylim=(-1, 1))
    places, _, speeds = known()
    middle.plot(places, speeds, ":", color="gray", label="known to the driver")
    middle.plot(way, run["car.speed"], label="car")
    middle.set(ylabel="speed in m/s")
    middle.legend(fontsize="small")
    for k, name in enumerate(("front left", "front right", "rear left", "rear right"), start=1):
        below.plot(way, np.asarray(run[f"car.load[{k}]"]) / 1e3, label=name, linewidth=0.7)
    below.set(xlabel="u in m", ylabel="load in kN", ylim=(0, 9))
    below.legend(ncols=4, fontsize="small", loc="upper left")
    figure.savefig(path, dpi=110)
    return path


def main(folder: Path, kind: str = "python") -> dict[str, float]:
    """Run everything with FMUs of a kind and print a report; return the figures of the report."""
    folder.mkdir(parents=True, exist_ok=True)
    road = mbs.CurvedGrid.from_crg(write_road(folder / "course.crg"))
    run, one = couple(build(road, folder, kind)), whole(road)
    way, speed = np.asarray(run["car.place.u"]), np.asarray(run["car.speed"])
    figures = {
        "way": float(way[-1]),
        "deviation": float(np.abs(deviation(run)).max()),
        "slowest": float(speed.min()),
        "fastest": float(speed.max()),
        "least load": float(min(np.min(run[f"car.load[{k}]"]) for k in range(1, 5))),
        "difference": float(np.max(np.abs(deviation(run) - deviation(one)))),
    }
    print(f"{road}")
    print(f"{way[-1]:.0f} m in {STOP:g} s, at {figures['slowest']:.1f} to {figures['fastest']:.1f} m/s")
    print(f"at most {figures['deviation']:.2f} m beside the middle, least wheel load {figures['least load']:.0f} N")
    print(f"coupled FMUs against one model: {figures['difference'] * 1e3:.1f} mm across")
    print(f"wrote {run.to_csv(folder / 'course.csv')}")
    print(f"wrote {plot(run, road, folder / 'course.png')}")
    return figures


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--native"]
    main(Path(words[0] if words else "demo"), "native" if "--native" in sys.argv else "python")
