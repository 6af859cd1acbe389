"""Cars on tyres: how much faster than real time they run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy import median

import mbs_fmu as mbs

from .named import in_folder
from .report import progress, table
from .timing import Effort, calls, interleaved

STEP, DURATION = 1e-3, 2.0  #: s
G = 9.81
A, B, TRACK, HEIGHT = 1.2, 1.5, 1.5, 0.5  #: m: centre of mass to axles, track, height of the centre of mass
MASS, INERTIA, CARRIER, WHEEL, SPIN = 1400.0, (500.0, 1800.0, 2000.0), 25.0, 15.0, 1.0  #: kg, kg m², kg, kg, kg m²
CORNERS = {"fl": (A, 1.0), "fr": (A, -1.0), "rl": (-B, 1.0), "rr": (-B, -1.0)}

EXPLANATION = f"""\
The table lists simulated time over processor time, on one core, of runs of {DURATION:g} s with rk4 and steps of
{STEP:g} s, as medians over the repeats. The cars drive straight ahead at 22 m/s on Magic Formula tyres with combined
slip and relaxation. The car on double wishbones is models/car.py; the wheels of the other one slide along the chassis.
To measure this section alone, run `MBS_FMU_TIER=full python -m benchmarks --sections vehicles`: long runs use fully
optimised code."""


def section(effort: Effort) -> str:
    """Report section."""
    progress("vehicles")
    wishbones = in_folder("car")
    tyre = mbs.Tyre(wishbones.__globals__["TYRE"])
    builders: dict[str, Callable[[], mbs.Model]] = {
        "four tyres, sliding suspensions": partial(sliding_car, tyre, 22.0),
        "four tyres, double wishbones": wishbones,
    }
    models = {name: build() for name, build in builders.items()}
    seconds = interleaved({name: calls(partial(_run, model)) for name, model in models.items()}, effort)
    rows = []
    for name, model in models.items():
        rows.append([name, str(len(model.bodies)), f"{DURATION / median(seconds[name]):.0f}"])
    return "\n\n".join(["## Vehicles", EXPLANATION, table(["car", "bodies", "real-time factor"], rows)])


def _run(model: mbs.Model) -> mbs.Result:
    inputs = dict.fromkeys(model.inputs, 0.0)
    return mbs.simulate(
        model, DURATION, method="rk4", step=STEP, output_interval=DURATION, inputs=inputs, progress=False
    )


def load(axle: str) -> float:
    """Return the static load of a wheel of an axle, "f" or "r", N."""
    return 0.5 * G * (MASS * (B if axle == "f" else A) / (A + B) + 2.0 * (CARRIER + WHEEL))


def sliding_car(
    tyre: mbs.Tyre,
    speed: float,
    steer: mbs.Expression | float = 0.0,
    gravity: tuple[float, float, float] = (0, 0, -G),
    brake: float = 0.0,
    stiffness: float = 3e5,
    road: Any = None,
) -> mbs.Model:
    """Return a car with wheels that slide along z of the chassis and are steered by an angle (rad), held at a speed.

    With a brake (N.m) all wheels are locked, and nothing drives. Outputs: yaw_rate, speed, place and the wheels.
    """
    m = mbs.Model("handling", gravity=gravity)
    m.body("chassis", joint=mbs.Free(), mass=MASS, inertia=INERTIA)
    forward = mbs.position("chassis", (1, 0, 0)) - mbs.position("chassis")
    along = mbs.velocity("chassis").dot(forward)
    for k, (x, side) in CORNERS.items():
        z = tyre.loaded_radius(load(k[0])) - HEIGHT
        m.body(f"u{k}", "chassis", mbs.Prismatic("z"), mass=CARRIER, inertia=(0.3,) * 3, at=(x, side * TRACK / 2, z))
        sprung = load(k[0]) - (CARRIER + WHEEL) * G
        m.spring(f"s{k}", on=f"u{k}", stiffness=stiffness, damping=1e4, length=-sprung / stiffness)
        m.body(f"k{k}", f"u{k}", mbs.Revolute("z"), inertia=(0.1,) * 3)
        m.drive(f"d{k}", on=f"k{k}", position=(steer if k[0] == "f" else 0.0) + 0.0 * mbs.time)
        m.body(f"w{k}", f"k{k}", mbs.Revolute("y"), mass=WHEEL, inertia=(SPIN / 2, SPIN, SPIN / 2))
        if brake:
            m.friction(f"b{k}", on=f"w{k}", torque=brake, stick=True)
        elif k[0] == "r":
            m.motor(f"t{k}", on=f"w{k}", torque=800.0 * (speed - along))
        m.tyre(f"tyre_{k}", f"w{k}", tyre, side="left" if side > 0 else "right", road=road)
        m.start(f"w{k}", u=speed / tyre.effective_radius(load(k[0])))
        m.output(f"wheel_{k}", mbs.wheel(f"tyre_{k}"))
    for axle in "fr":
        bar = 1e6 * (mbs.coordinate(f"u{axle}l") - mbs.coordinate(f"u{axle}r"))
        m.motor(f"bar_{axle}l", on=f"u{axle}l", force=-bar)
        m.motor(f"bar_{axle}r", on=f"u{axle}r", force=bar)
    m.start("chassis", q=(0, 0, HEIGHT, 1, 0, 0, 0), u=(speed, 0, 0, 0, 0, 0))
    m.output("yaw_rate", mbs.angular_velocity("chassis")[2], unit="rad/s")
    m.output("speed", along, unit="m/s")
    m.output("place", mbs.position("chassis"), unit="m")
    return m
