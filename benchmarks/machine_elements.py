"""Machine elements: the time of a step of small models with one of them each, their first runs, and their events."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy import median

import mbs_fmu as mbs

from .ours import rk4_steps
from .report import progress, table
from .timing import Effort, Run, calls, interleaved

STEP, COUNT = 1e-6, 1000  #: s, of rk4, short enough for the stiffest; steps of a measured run
SHORT = 0.05  #: s, of runs of rodas5p
CORNERS = ((0.3, 0.0, 0.0), (-0.15, 0.26, 0.0), (-0.15, -0.26, 0.0))
SIX = (mbs.slide("x"), mbs.slide("y"), mbs.slide("z"), mbs.turn("x"), mbs.turn("y"), mbs.turn("z"))
ANGLES = np.linspace(0.0, 2.0 * np.pi, 360, endpoint=False)
EXPLANATION = f"""\
Each row is a whole model with one kind of machine element. The table lists the processor time of a step of rk4, of
{STEP:g} s, in microseconds, as the median over rounds of {COUNT} steps, in which the models run alternately, and over
that of three springs between points; the processor time of the first run without cached code, in seconds; and the
steps of `rodas5p` with rtol = 1e-6, and the events and changes of modes, in each second of the motion. None of these
models asks for modes, so nothing happens at instants. To measure this section alone, run `MBS_FMU_TIER=full python -m
benchmarks --sections machine-elements`."""


def section(effort: Effort, quick: bool) -> str:
    """Report section."""
    progress("machine-elements")
    models = {name: make() for name, make in MODELS.items()}
    first = {name: _first_run(model) for name, model in models.items()}
    runs: dict[str, Run] = {name: calls(rk4_steps(model, STEP, COUNT)) for name, model in models.items()}
    few = replace(effort, rounds=min(effort.rounds, 5)) if quick else effort
    micro = {name: 1e6 * float(median(values)) / COUNT for name, values in interleaved(runs, few).items()}
    base = micro["three springs between points"]
    rows = []
    for name, model in models.items():
        result = mbs.simulate(model, SHORT, method="rodas5p", rtol=1e-6, output_interval=SHORT)
        happened = (len(result.log) + len(result.switches)) / SHORT
        steps = result.statistics["steps"] / SHORT
        numbers = f"{micro[name]:.2f}", f"{micro[name] / base:.1f}", f"{first[name]:.2f}"
        rows.append([name, *numbers, f"{steps:.0f}", f"{happened:.0f}"])
    header = ["model", "µs per step", "ratio", "first run, s", "steps of rodas5p per s", "events per s"]
    return "\n\n".join(["## Machine elements", EXPLANATION, table(header, rows)])


def _first_run(model: mbs.Model) -> float:
    """Return the processor time of the first run of a model that is in no cache."""
    model.name = f"{model.name}_{time.time_ns()}"
    begin = time.process_time()
    mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP)
    return time.process_time() - begin


# -- models --------------------------------------------------------------------------------------------------
def hung(along: bool) -> mbs.Model:
    """A plate on three springs, between points or along equations of their lengths."""
    m = mbs.Model("hung")
    plate = m.body("plate", joint=mbs.Free(), mass=2.0, inertia=(0.02, 0.03, 0.04))
    for k, corner in enumerate(CORNERS):
        hook = (*corner[:2], 1.0)
        law: dict[str, Any] = {"stiffness": 200.0, "damping": 3.0}
        if along:
            m.spring(f"s{k}", along=(mbs.position(plate, corner) - hook).norm() - 0.9, **law)
        else:
            m.spring(f"s{k}", "world", plate, at_a=hook, at_b=corner, length=0.9, **law)
    return m


def wheels(mesh: dict[str, Any] | None, bearings: bool = False) -> mbs.Model:
    """Two wheels with 20 and 40 teeth of 3 mm module, or a free pair; in bearings they can move across their axes."""
    m = mbs.Model("wheels", gravity=(0, 0, 0))
    joint = mbs.Planar("z") if bearings else mbs.Revolute("z")
    for name, x, inertia in (("a", 0.0, 1e-3), ("b", 0.09, 8e-3)):
        body = m.body(name, joint=joint, mass=1.0, inertia=(inertia,) * 3, at=(x, 0, 0))
        for k in (1, 2) if bearings else ():
            m.spring(f"{name}{k}", on=body, coordinate=k, stiffness=1e8, damping=1e3)
    k = 3 if bearings else None
    m.motor("drive", on="a", torque=20.0, coordinate=k)
    m.spring("brake", on="b", damping=0.5, coordinate=k)
    if mesh is not None:
        m.gear("mesh", "a", "b", teeth=(20, 40), stiffness=4e8, damping=1e3, **mesh)
    return m


def chained() -> mbs.Model:
    """A chain over wheels with 17 and 38 teeth."""
    m = mbs.Model("chained", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 0.4)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-2, 1e-2, 2e-2), at=(x, 0, 0))
    over = [mbs.Sprocket("a", 17), mbs.Sprocket("b", 38)]
    mbs.chain(m, "chain", over, pitch="12.7 mm", stiffness=1e6, damping=100.0)
    m.motor("drive", on="a", torque=5.0)
    m.spring("brake", on="b", damping=0.5)
    return m


def serpentine() -> mbs.Model:
    """A belt with friction over crank, alternator and an idler on its back, on a sprung arm."""
    m = mbs.Model("serpentine", gravity=(0, 0, 0))
    for name, at, inertia in (("crank", (0, 0, 0), 0.1), ("alternator", (-0.25, 0.2, 0), 4e-3)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(inertia,) * 3, at=at)
    arm = m.body("arm", joint=mbs.Revolute("z"), mass=0.4, inertia=(3e-4,) * 3, at=(-0.1056, -0.005, 0))
    m.body("idler", arm, mbs.Revolute("z"), mass=0.2, inertia=(1e-4,) * 3, at=(-0.0624, 0.05, 0))
    over = [mbs.Pulley("crank", 0.08), mbs.Pulley("alternator", 0.03), mbs.Pulley("idler", 0.035, turn=-1)]
    mbs.belt(m, "belt", over, stiffness=1.2e5, preload=300.0, friction=0.5)
    m.spring("tensioner", on=arm, stiffness=20.0, damping=2.0, length=-0.75)
    m.motor("load", on="alternator", torque=-8.0 * mbs.tanh(mbs.time / 0.05))
    m.drive("engine", on="crank", position=150.0 * mbs.time)
    m.start("alternator", u=150.0 * 0.08 / 0.03)
    m.start("idler", u=-150.0 * 0.08 / 0.035)
    return m


def journal() -> mbs.Model:
    """A rotor in the oil film of a journal bearing."""
    m = mbs.Model("journal", gravity=(0, -9.81, 0))
    m.body("rotor", joint=mbs.Planar("z"), mass=500 / 9.81, inertia=(1, 1, 1))
    size = {"radius": "25 mm", "length": "20 mm", "clearance": "50 um", "viscosity": 0.02}
    mbs.journal_bearing(m, "film", "rotor", "world", stop=False, **size)
    m.start("rotor", q=(15e-6, -20e-6, 0.0), u=(0, 0, 300.0))
    return m


def rolling(elements: mbs.Balls | mbs.Rollers, thrust: float) -> mbs.Model:
    """A shaft with six coordinates in a rolling bearing, under a radial and an axial load."""
    m = mbs.Model("rolling", gravity=(0, 0, 0))
    m.body("shaft", joint=mbs.Compound(*SIX), mass=5.0, inertia=(0.02, 0.02, 0.01))
    mbs.rolling_bearing(m, "bearing", "shaft", "world", elements, damping=2e3)
    m.force("load", on="shaft", force=(0, -1000.0, thrust))
    for k in (4, 5):
        m.spring(f"tilt{k}", on="shaft", coordinate=k, stiffness=1e5, damping=10.0)
    m.spring("axial", on="shaft", coordinate=3, stiffness=1e6, damping=100.0)
    m.start("shaft", u=(0, 0, 0, 0, 0, 100.0))
    return m


def cam() -> mbs.Model:
    """A cam with three lobes under a shoe on a sprung valve, in compliant contact with friction."""
    m = mbs.Model("cam", gravity=(0, -9.81, 0))
    m.body("cam", joint=mbs.Revolute("z"), mass=1.0, inertia=(2e-4, 2e-4, 4e-4))
    m.body("valve", joint=mbs.Prismatic("y"), mass=0.1)
    m.drive("turning", on="cam", position=60.0 * mbs.time)
    m.spring("spring", on="valve", stiffness=4e4, length=0.03)
    curve = mbs.Polar(ANGLES, 0.03 + 0.004 * np.cos(3.0 * ANGLES))
    pair = mbs.OnCurve(curve, radius=0.01)
    m.contact("face", "cam", "valve", pair, stiffness=1e8, dissipation=0.1, friction=0.1, creep=1e-3)
    m.start("valve", q=0.044)
    return m


BALLS = {"diameter": "22.23 mm", "pitch": "125.26 mm", "conformity": 0.5232, "angle": "40 deg"}
FLANKS: dict[str, Any] = {"pressure_angle": "20 deg", "backlash": 1e-4}
MODELS: dict[str, Callable[[], mbs.Model]] = {
    "three springs between points": lambda: hung(along=False),
    "the same along equations": lambda: hung(along=True),
    "two wheels, no gear": lambda: wheels(None),
    "elastic gear": lambda: wheels({}),
    "involute gear on bearings": lambda: wheels(FLANKS, bearings=True),
    "chain, two wheels": chained,
    "belt with friction, three pulleys": serpentine,
    "journal bearing": journal,
    "ball bearing, 16 balls": lambda: rolling(mbs.Balls(16, **BALLS), 2000.0),
    "roller bearing, 14 rollers in 5 slices": lambda: rolling(
        mbs.Rollers(14, diameter="12 mm", pitch="65 mm", length="14 mm"), 0.0
    ),
    "cam with friction": cam,
}
