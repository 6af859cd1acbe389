"""Steps of mechanisms in contact with friction, with MuJoCo on the same bodies and pairs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

from numpy import median
from numpy.random import default_rng

import mbs_fmu as mbs

from .report import progress, table
from .timing import Effort, calls, interleaved

STEP, COUNT = 1e-3, 2000
STIFFNESS, FRICTION = 2e4, 0.8
HIPS = ((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))
ANGLES = (0.0, 0.6, -1.2)  #: rad, of hip, thigh and shank
GAIN, DAMPING = 60.0, 2.0
Cells = tuple[int, int, int]
BOXES = 8
DIFFERENT = 63, 60  #: pairs of boxes and other pairs of a robot, all with their own numbers
STACKED = 10
FEW, MANY = (3, 3, 3), (5, 5, 4)  #: numbers of balls along the edges of a box
GAP, RADIUS = 0.11, 0.05  #: distance and radius of balls, m


def _pairs(box: Cells) -> int:
    """Return the number of pairs of balls with each other and with walls."""
    return prod(box) * (prod(box) - 1) // 2 + 5 * prod(box)


EXPLANATION = f"""\
The table lists the processor time of a step of {STEP:g} s in microseconds, as the median over rounds of {COUNT} steps,
in which the programs run alternately. The models are a quadruped of twelve hinges with servos that stands on four
spherical feet, {BOXES} boxes that lie on a plane with eight corners each, a stack of {STACKED} equal boxes, each
exactly on the one below, and {prod(FEW)} and {prod(MANY)} balls that fall into a box, each of which can touch every
other ball and five walls ({_pairs(FEW)} and {_pairs(MANY)} pairs), and the same quadruped with {DIFFERENT[0]} pairs of
boxes and {DIFFERENT[1]} other pairs of shapes on its parts, each pair with its own numbers. This package uses rk4,
which evaluates all forces four times. MuJoCo uses its default, Euler with one evaluation and one solution of the
contacts, and its RK4. The bodies are the same in both programs, the contact models are not: MuJoCo's contacts are soft
constraints. MuJoCo has a broad phase, which finds the balls that touch; these models compute all gaps, with three
states of friction for each pair ([near pairs](#near-pairs) have a broad phase). With fully optimised code, this section
alone: `MBS_FMU_TIER=full python -m benchmarks --sections contact`."""


def section(effort: Effort) -> str:
    """Report section. Raises ImportError without MuJoCo."""
    progress("contact")
    rows = []
    cases = (
        ("quadruped", quadruped, quadruped_xml), ("boxes", boxes, boxes_xml), ("stack", stack, stack_xml),
        (f"{prod(FEW)} balls", partial(balls, FEW), partial(balls_xml, FEW)),
        (f"{prod(MANY)} balls", partial(balls, MANY), partial(balls_xml, MANY)),
    )  # fmt: skip
    for name, ours, theirs in cases:
        runs = {"mbs_fmu": calls(partial(_run, ours()))}
        for integrator in ("Euler", "RK4"):
            runs[f"MuJoCo {integrator}"] = calls(_mujoco(theirs(integrator)))
        micro = {key: 1e6 * seconds / COUNT for key, seconds in interleaved(runs, effort).items()}
        rows.append([name, *(f"{median(values):.1f}" for values in micro.values())])
    first, step = _many()
    rows.append([f"{sum(DIFFERENT)} different pairs", f"{step:.1f}", "", ""])
    return "\n\n".join(
        [
            "## Contact",
            EXPLANATION,
            table(["us a step", "mbs_fmu rk4", "MuJoCo Euler", "MuJoCo RK4"], rows),
            f"The first run of the quadruped with {sum(DIFFERENT)} different pairs takes {first:.1f} s.",
        ]
    )


def _many() -> tuple[float, float]:
    """Return the processor time of the first run with many pairs, s, without cached code, and of a step, us."""
    model, _ = many_pairs()
    model.name = f"pairs {time.time_ns()}"  # programs of this name are in no cache
    begin = time.process_time()
    mbs.simulate(model, STEP, method="rk4", step=STEP)
    first = time.process_time() - begin
    begin = time.process_time()
    _run(model)
    return first, 1e6 * (time.process_time() - begin) / COUNT


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


def many_pairs() -> tuple[mbs.Model, list[str]]:
    """Return the quadruped with many contacts of its parts, each with its own numbers, and their names."""
    rng = default_rng(0)
    m = quadruped()
    bodies = list(m.bodies)
    pairs = rng.permutation(list(itertools.combinations(bodies, 2)))

    def size(count: int = 1) -> list[float]:
        return rng.uniform(0.005, 0.015, count).tolist()

    shapes: list[Callable[[], tuple[Any, Any]]] = [
        lambda: (mbs.Box(*size(3)), mbs.Box(*size(3))),
        lambda: (mbs.Plane(), mbs.Box(*size(3))),
        lambda: (mbs.Capsule(*size(2)), mbs.Capsule(*size(2))),
        lambda: (mbs.Plane(), mbs.Capsule(*size(2))),
        lambda: (mbs.Sphere(*size()), mbs.Capsule(*size(2))),
        lambda: (mbs.Box(*size(3)), mbs.Sphere(*size())),
    ]
    boxes, others = DIFFERENT
    names = []
    for k in range(boxes + others):
        shape_a, shape_b = shapes[0 if k < boxes else 1 + k % 5]()
        a, b = map(str, pairs[k % len(pairs)])
        places = [mbs.Pose(0.01 * rng.normal(size=3), rng.normal(size=4)) for _ in range(2)]
        if isinstance(shape_a, mbs.Plane):
            a, places[0] = "world", mbs.Pose()
        law = {"stiffness": rng.uniform(1e4, 5e4), "grip": rng.uniform(1e4, 5e4), "settling": rng.uniform(2e-3, 4e-3)}
        names.append(f"own{k}")
        m.contact(
            names[-1], a, b, at_a=places[0], at_b=places[1], shape_a=shape_a, shape_b=shape_b, friction=FRICTION, **law
        )
    return m, names


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


def stack() -> mbs.Model:
    """Return boxes of equal size exactly on each other."""
    m, below = mbs.Model("stack"), "world"
    for k in range(STACKED):
        name = f"box{k}"
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.004, 0.004, 0.006))
        m.start(name, q=(0, 0, 0.05 + 0.1 * k, 1, 0, 0, 0))
        box = mbs.Box(0.2, 0.2, 0.1)
        surface, stiffness = (mbs.Plane(), STIFFNESS) if k == 0 else (box, 4.0 * STIFFNESS)  # of a vertex, of a face
        m.contact(f"on{k}", below, name, shape_a=surface, shape_b=box, stiffness=stiffness, friction=FRICTION)
        below = name
    return m


def stack_xml(integrator: str) -> str:
    """Return the same stack for MuJoCo."""
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="0.004 0.004 0.006"/>'
    geom = f'<geom type="box" size="0.1 0.1 0.05" friction="{FRICTION}"/>'
    bodies = "".join(f'<body pos="0 0 {0.05 + 0.1 * k}"><freejoint/>{inertia}{geom}</body>' for k in range(STACKED))
    world = f'<worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody>'
    return f"<mujoco>{_option(integrator)}{world}</mujoco>"


def _places(box: Cells) -> list[tuple[float, float, float]]:
    """Return the first places of the balls, whose layers are displaced, m."""
    cells = itertools.product(*map(range, box))
    return [(GAP * (x + 0.55) + 0.01 * z, GAP * (y + 0.55) + 0.007 * z, GAP * (z + 0.55)) for x, y, z in cells]


def _walls(box: Cells) -> dict[str, tuple[float, float, float]]:
    """Return the normals of the box's floor and walls, with a point of each, m."""
    x, y = (GAP * (count + 0.4) for count in box[:2])
    return {"z": (0, 0, 0), "x": (0, 0, 0), "-x": (x, 0, 0), "y": (0, 0, 0), "-y": (0, y, 0)}


def balls(box: Cells) -> mbs.Model:
    """Return balls in a box, with all their pairs."""
    m = mbs.Model("balls")
    shapes: dict[str, Any] = {f"ball{k}": mbs.Sphere(RADIUS) for k in range(prod(box))}
    for name, place in zip(shapes, _places(box), strict=True):
        m.body(name, joint=mbs.Free(), mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
        m.start(name, q=(*place, 1, 0, 0, 0))
    walls = [mbs.Plane(normal, at=at) for normal, at in _walls(box).items()]
    m.mutual_contact("touch", {"world": walls, **shapes}, stiffness=0.1 * STIFFNESS, friction=FRICTION)
    return m


def balls_xml(box: Cells, integrator: str) -> str:
    """Return the same balls for MuJoCo."""
    axes = {"z": "0 0 1", "x": "1 0 0", "-x": "-1 0 0", "y": "0 1 0", "-y": "0 -1 0"}
    walls = "".join(
        f'<geom type="plane" size="9 9 1" pos="{x} {y} {z}" zaxis="{axes[normal]}"/>'
        for normal, (x, y, z) in _walls(box).items()
    )
    inertia = '<inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>'
    geom = f'<geom type="sphere" size="{RADIUS}" friction="{FRICTION}"/>'
    bodies = "".join(f'<body pos="{x} {y} {z}"><freejoint/>{inertia}{geom}</body>' for x, y, z in _places(box))
    return f"<mujoco>{_option(integrator)}<worldbody>{walls}{bodies}</worldbody></mujoco>"
