"""Steps of mechanisms in contact with friction, with MuJoCo on the same bodies and pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy import median

import mbs_fmu as mbs

from .report import progress, table
from .timing import Effort, calls, interleaved

STEP, COUNT = 1e-3, 2000
STIFFNESS, FRICTION = 2e4, 0.8
HIPS = ((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))
ANGLES = (0.0, 0.6, -1.2)  #: rad, of hip, thigh and shank
GAIN, DAMPING = 60.0, 2.0
BOXES = 8

EXPLANATION = f"""\
Microseconds of a step of {STEP:g} s, in turns, medians of processor time over repeats of {COUNT} steps: a quadruped of
twelve hinges with servos that stands on four spherical feet, and {BOXES} boxes that lie on a plane with eight corners
each. This package uses rk4, which evaluates all forces four times; MuJoCo its default, Euler with one evaluation and a
solution of the contacts, and its RK4. The models are the same, the laws of contact are not: MuJoCo's contacts are soft
constraints. Separately: `MBS_FMU_TIER=full python -m benchmarks --sections contact`, with fully optimised code."""


def section(effort: Effort) -> str:
    """Report section. Raises ImportError without MuJoCo."""
    progress("contact")
    rows = []
    for name, ours, theirs in (("quadruped", quadruped, quadruped_xml), ("boxes", boxes, boxes_xml)):
        runs = {"mbs_fmu": calls(partial(_run, ours()))}
        for integrator in ("Euler", "RK4"):
            runs[f"MuJoCo {integrator}"] = calls(_mujoco(theirs(integrator)))
        micro = {key: 1e6 * seconds / COUNT for key, seconds in interleaved(runs, effort).items()}
        rows.append([name, *(f"{median(values):.1f}" for values in micro.values())])
    return "\n\n".join(
        ["## Contact", EXPLANATION, table(["us a step", "mbs_fmu rk4", "MuJoCo Euler", "MuJoCo RK4"], rows)]
    )


def _run(model: mbs.Model) -> mbs.Result:
    return mbs.simulate(model, COUNT * STEP, method="rk4", step=STEP, output_interval=COUNT * STEP)


def _mujoco(xml: str) -> Callable[[], None]:
    """Return a run of MuJoCo from the start of a model."""
    import mujoco

    model: Any = mujoco.MjModel.from_xml_string(xml)
    data: Any = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_resetData(model, data)
        for k in range(model.nu):
            data.ctrl[k] = ANGLES[k % 3]
            data.qpos[7 + k] = ANGLES[k % 3]
        mujoco.mj_step(model, data, nstep=COUNT)

    return run


def quadruped() -> mbs.Model:
    """Return a trunk on four legs of three hinges, each with a servo, on spherical feet."""
    m = mbs.Model("quadruped")
    m.body("trunk", joint=mbs.Free(), mass=8.0, inertia=(0.05, 0.1, 0.12))
    feet = {}
    for k, (x, y) in enumerate(HIPS):
        parent, places = "trunk", ((x, y, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, -0.2))
        for name, axis, place, angle in zip("abc", "xyy", places, ANGLES, strict=True):
            body = f"{name}{k}"
            m.body(body, parent, mbs.Revolute(axis), mass=0.4, com=(0, 0, -0.1), inertia=(2e-3, 2e-3, 5e-4), at=place)
            m.motor(f"servo_{body}", body, torque=GAIN * (angle - mbs.coordinate(body)) - DAMPING * mbs.rate(body))
            m.start(body, q=angle)
            parent = body
        feet[parent] = mbs.Sphere(0.02, at=(0, 0, -0.2))
    m.ground("floor", feet, stiffness=STIFFNESS, friction=FRICTION)
    m.start("trunk", q=(0, 0, 0.36, 1, 0, 0, 0))
    return m


def _option(integrator: str) -> str:
    return f'<option timestep="{STEP}" integrator="{integrator}"/>'


def quadruped_xml(integrator: str) -> str:
    """Return the same mechanism for MuJoCo."""
    legs, servos = "", ""
    inertia = '<inertial pos="0 0 -0.1" mass="0.4" diaginertia="2e-3 2e-3 5e-4"/>'
    for k, (x, y) in enumerate(HIPS):
        foot = f'<geom type="sphere" size="0.02" pos="0 0 -0.2" friction="{FRICTION}"/>'
        c = f'<body pos="0 0 -0.2"><joint name="c{k}" axis="0 1 0"/>{inertia}{foot}</body>'
        b = f'<body><joint name="b{k}" axis="0 1 0"/>{inertia}{c}</body>'
        legs += f'<body pos="{x} {y} 0"><joint name="a{k}" axis="1 0 0"/>{inertia}{b}</body>'
        servos += "".join(f'<position joint="{n}{k}" kp="{GAIN}" kv="{DAMPING}"/>' for n in "abc")
    trunk = (
        f'<body pos="0 0 0.36"><freejoint/><inertial pos="0 0 0" mass="8" diaginertia="0.05 0.1 0.12"/>{legs}</body>'
    )
    world = f'<worldbody><geom type="plane" size="5 5 1"/>{trunk}</worldbody>'
    return f"<mujoco>{_option(integrator)}{world}<actuator>{servos}</actuator></mujoco>"


def boxes() -> mbs.Model:
    """Return boxes that lie on a plane."""
    m = mbs.Model("boxes")
    for k in range(BOXES):
        m.body(f"box{k}", joint=mbs.Free(), mass=1.0, inertia=(0.004, 0.004, 0.006))
        m.start(f"box{k}", q=(0.5 * k, 0, 0.05, 1, 0, 0, 0))
    shapes = {f"box{k}": mbs.Box(0.2, 0.2, 0.1) for k in range(BOXES)}
    m.ground("floor", shapes, stiffness=STIFFNESS, friction=FRICTION)
    return m


def boxes_xml(integrator: str) -> str:
    """Return the same boxes for MuJoCo."""
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="0.004 0.004 0.006"/>'
    geom = f'<geom type="box" size="0.1 0.1 0.05" friction="{FRICTION}"/>'
    bodies = "".join(f'<body pos="{0.5 * k} 0 0.05"><freejoint/>{inertia}{geom}</body>' for k in range(BOXES))
    world = f'<worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody>'
    return f"<mujoco>{_option(integrator)}{world}</mujoco>"
