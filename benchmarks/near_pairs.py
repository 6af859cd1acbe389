"""Many balls in a box by a list of near pairs: growth of a step's time with their number, laws, and MuJoCo beside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy import median

import mbs_fmu as mbs
from mbs_fmu.run.simulate import compiled

from .ours import rk4_steps
from .report import progress, table
from .timing import Effort, Run, calls, interleaved

ROUNDS = 5  #: most rounds, since each takes seconds
SIZES, QUICK = (10, 30, 100, 300, 1000), (10, 100)
MOST_OF_ALL_PAIRS = 100  #: balls, of models with a contact for each pair
STEP, COUNT = 1e-3, 20
RADIUS, DISTANCE, MASS, INERTIA = 0.05, 0.104, 0.1, 1e-4
STIFFNESS, FRICTION, CREEP = 5e3, 0.3, 0.3
SETTLED = 1.0  #: s, after which the balls lie in the box
LAWS = 100  #: balls whose energy and momenta are compared
STOP = 0.5  #: s, of these runs
EXPLANATION = f"""\
Balls of radius {RADIUS} m in a cubic box, in which they lie on each other after {SETTLED:g} s of falling. The table
lists the processor time of a step of {STEP:g} s in microseconds, as the median over rounds of {COUNT} steps from there,
in which the programs run alternately; the number of pairs that touch then; the time of the first run, without cached
code; and the length of the record, in numbers. This package uses rk4, which evaluates all forces four times, with
`m.mutual_contact(..., near=True)` and friction without states (`creep=`), and up to {MOST_OF_ALL_PAIRS} balls also with
a contact for each pair. MuJoCo uses its default, Euler with one evaluation and one solution of the contacts, on the
same bodies at the same places, also without a warm start at first; its contacts are soft constraints.

The second table has laws: changes of the energy of {LAWS} balls without friction and gravity in a closed box, over the
energy at the start, and of momentum and angular momentum of {LAWS} free balls that fly into each other, over the sums
of their magnitudes, in {STOP:g} s. Contacts are elastic: the dissipation is zero here, and so is the damping in
MuJoCo's `solref`. The energy in MuJoCo is the largest kinetic energy of the last 50 steps. To measure this section
alone, run `MBS_FMU_TIER=full python -m benchmarks --sections near-pairs`."""


def section(effort: Effort, quick: bool) -> str:
    """Report section. Raises ImportError without MuJoCo."""
    import mujoco  # noqa: F401

    progress("near-pairs")
    rows, effort = [], replace(effort, rounds=min(effort.rounds, ROUNDS))
    for count in QUICK if quick else SIZES:
        progress(f"{count} balls")
        rows.append(_growth(count, effort))
    header = ["balls", "pairs that touch", "near", "all pairs", "MuJoCo Euler", "first run, s", "numbers"]
    return "\n\n".join(
        [
            "## Near pairs", EXPLANATION, table(header, rows),
            table(["change", "rk4, 1 ms", "rk4, 0.1 ms", "dopri5, rtol 1e-9", "MuJoCo RK4, 1 ms"], _laws()),
        ]
    )  # fmt: skip


# -- time of a step ------------------------------------------------------------------------------------------
def _growth(count: int, effort: Effort) -> list[str]:
    """Return a row of the first table."""
    model = box(count, True)
    model.name = f"balls_{time.time_ns()}"  # programs of this name are in no cache
    begin = time.process_time()
    mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP)
    first = time.process_time() - begin
    settled = mbs.simulate(model, SETTLED, method="rk4", step=STEP, output_interval=SETTLED)
    places = np.array([[settled[f"ball{k}.q[{n}]"][-1] for n in range(1, 8)] for k in range(count)])
    runs: dict[str, Run] = {"near": calls(_steps(model, places)), "mujoco": calls(_mujoco_steps(count, places))}
    if count <= MOST_OF_ALL_PAIRS:
        runs["all"] = calls(_steps(box(count, False), places))
    micro = {key: 1e6 * float(median(values)) / COUNT for key, values in interleaved(runs, effort).items()}
    distances = np.linalg.norm(places[:, None, :3] - places[None, :, :3], axis=2)
    touching = int((distances < 2 * RADIUS).sum() - count) // 2
    every = f"{micro['all']:.1f}" if "all" in micro else ""
    size = compiled(model).program.regions["end"][0]
    return [
        str(count), str(touching), f"{micro['near']:.1f}", every, f"{micro['mujoco']:.1f}", f"{first:.1f}", str(size),
    ]  # fmt: skip


def _steps(model: mbs.Model, places: np.ndarray) -> Callable[[], None]:
    """Return a run of some steps from the given coordinates of the balls, at rest."""
    for k, place in enumerate(places):
        model.start(f"ball{k}", q=place)
    return rk4_steps(model, STEP, COUNT)


def _mujoco_steps(count: int, places: np.ndarray) -> Callable[[], None]:
    import mujoco

    model: Any = mujoco.MjModel.from_xml_string(box_xml(count, "Euler", ""))
    data: Any = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = places.ravel()
        mujoco.mj_step(model, data, nstep=COUNT)

    return run


# -- laws ----------------------------------------------------------------------------------------------------
def _laws() -> list[list[str]]:
    """Return the rows of the second table."""
    settings: tuple[Mapping[str, Any], ...] = (
        {"method": "rk4", "step": 1e-3}, {"method": "rk4", "step": 1e-4},
        {"method": "dopri5", "rtol": 1e-9, "atol": 1e-12},
    )  # fmt: skip
    energy, momentum, angular = [], [], []
    for setting in settings:
        E = mbs.simulate(flying(True), STOP, output_interval=STOP / 50, **setting)["E"]
        energy.append(np.abs(E - E[0]).max() / E[0])
        result = mbs.simulate(flying(False), STOP, output_interval=STOP / 50, **setting)
        momentum.append(_change(result["P"], result["size"][0, 0]))
        angular.append(_change(result["L"], result["size"][0, 1]))
    peer = _mujoco_laws()
    rows = [("energy", energy, peer[0]), ("momentum", momentum, peer[1]), ("angular momentum", angular, peer[2])]
    return [[name, *(f"{x:.1e}" for x in (*own, theirs))] for name, own, theirs in rows]


def _change(values: np.ndarray, size: float) -> float:
    return float(np.abs(values - values[0]).max() / size)


def _mujoco_laws() -> tuple[float, float, float]:
    """Return the same changes in MuJoCo."""
    closed, free = _mujoco_flight(True), _mujoco_flight(False)
    return closed[0], free[1], free[2]


def _mujoco_flight(closed: bool) -> tuple[float, float, float]:
    import mujoco

    model: Any = mujoco.MjModel.from_xml_string(box_xml(LAWS, "RK4", f'solref="-{STIFFNESS} 0"', closed, 0.0))
    data: Any = mujoco.MjData(model)
    places, speeds = _flight(closed)
    data.qpos[:] = np.column_stack([places, np.ones(LAWS), np.zeros((LAWS, 3))]).ravel()
    data.qvel[:] = np.column_stack([speeds, np.zeros((LAWS, 3))]).ravel()
    found = []
    for _ in range(round(STOP / STEP)):
        v = data.qvel.reshape(-1, 6)
        x, w = data.qpos.reshape(-1, 7)[:, :3], v[:, 3:]  # of balls, whose inertia has no direction
        energy = 0.5 * MASS * (v[:, :3] ** 2).sum() + 0.5 * INERTIA * (w**2).sum()
        turned = np.array([_rotated(q, own) for q, own in zip(data.qpos.reshape(-1, 7)[:, 3:], w, strict=True)])
        found.append(
            [energy, *(MASS * v[:, :3].sum(axis=0)), *(MASS * np.cross(x, v[:, :3]) + INERTIA * turned).sum(axis=0)]
        )
        mujoco.mj_step(model, data)
    values = np.array(found)
    sizes = _sizes(places, speeds)
    energies = values[:, 0]
    return (
        float(abs(energies[-50:].max() - energies[0]) / energies[0]),
        _change(values[:, 1:4], sizes[0]), _change(values[:, 4:], sizes[1]),
    )  # fmt: skip


def _rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return a vector in world axes that is given in the axes of a body with the quaternion q."""
    t = 2.0 * np.cross(q[1:], v)
    return np.asarray(v + q[0] * t + np.cross(q[1:], t))


def _sizes(places: np.ndarray, speeds: np.ndarray) -> tuple[float, float]:
    """Return the sums of the magnitudes of the momenta and the angular momenta of balls."""
    momenta = np.linalg.norm(speeds, axis=1), np.linalg.norm(np.cross(places, speeds), axis=1)
    return MASS * float(momenta[0].sum()), MASS * float(momenta[1].sum())


# -- models --------------------------------------------------------------------------------------------------
def _edge(count: int) -> int:
    return int(np.ceil(count ** (1 / 3) - 1e-9))


def _grid(count: int) -> np.ndarray:
    """Return the first places of the balls, whose layers are displaced, m."""
    edge = _edge(count)
    cells = np.array([(k % edge, k // edge % edge, k // edge**2) for k in range(count)])
    return np.asarray(DISTANCE * (cells + 0.5) + 0.004 * np.array([1.0, 0.7, 0.0]) * (cells[:, 2:] % 2))


def _size(count: int) -> float:
    return DISTANCE * _edge(count) + 0.008


def _walls(count: int) -> dict[str, tuple[float, ...]]:
    """Return the normals of the box's walls, with a point of each, m."""
    points = _size(count) * np.eye(3)
    return dict.fromkeys("xyz", (0.0, 0.0, 0.0)) | {f"-{axis}": tuple(points[k]) for k, axis in enumerate("xyz")}


def _balls(m: mbs.Model, places: np.ndarray, speeds: np.ndarray) -> dict[str, Any]:
    """Add balls to a model, and return their shapes."""
    shapes: dict[str, Any] = {f"ball{k}": mbs.Sphere(RADIUS) for k in range(len(places))}
    for name, place, speed in zip(shapes, places, speeds, strict=True):
        m.body(name, joint=mbs.Free(), mass=MASS, inertia=(INERTIA,) * 3)
        m.start(name, q=(*place, 1, 0, 0, 0), u=(*speed, 0, 0, 0))
    return shapes


def box(count: int, near: bool) -> mbs.Model:
    """Return balls that fall in a box, with a list of near pairs or all pairs."""
    m = mbs.Model("balls")
    shapes = _balls(m, _grid(count), np.zeros((count, 3)))
    walls = [mbs.Plane(normal, at=at) for normal, at in _walls(count).items()]
    m.mutual_contact(
        "touch", {"world": walls, **shapes}, stiffness=STIFFNESS, friction=FRICTION, creep=CREEP, near=near
    )
    return m


def _flight(closed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return places (m) and velocities (m/s) of balls that fly in a box, or into each other."""
    places = _grid(LAWS)
    random = np.random.default_rng(0).normal(size=places.shape)
    return places, random if closed else 3.0 * (places.mean(axis=0) - places) + 0.3 * random


def flying(closed: bool) -> mbs.Model:
    """Return elastic balls without friction and gravity; outputs E, P, L, and the sums of magnitudes."""
    m = mbs.Model("flying", gravity=(0, 0, 0))
    places, speeds = _flight(closed)
    shapes = _balls(m, places, speeds)
    world = {"world": [mbs.Plane(normal, at=at) for normal, at in _walls(LAWS).items()]} if closed else {}
    m.mutual_contact("touch", {**world, **shapes}, stiffness=STIFFNESS, dissipation=0.0, near=True)
    m.output("E", mbs.energy())
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("size", _sizes(places, speeds))
    return m


def box_xml(count: int, integrator: str, solref: str, closed: bool = True, gravity: float = 9.81) -> str:
    """Return the same balls for MuJoCo."""
    axes = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1", "-x": "-1 0 0", "-y": "0 -1 0", "-z": "0 0 -1"}
    friction = "" if solref == "" else 'condim="1"'
    walls = "".join(
        f'<geom type="plane" size="9 9 1" pos="{x} {y} {z}" zaxis="{axes[normal]}" {solref} {friction}/>'
        for normal, (x, y, z) in (_walls(count).items() if closed else ())
    )
    inertia = f'<inertial pos="0 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>'
    geom = f'<geom type="sphere" size="{RADIUS}" friction="{FRICTION}" {solref} {friction}/>'
    bodies = "".join(f'<body pos="{x} {y} {z}"><freejoint/>{inertia}{geom}</body>' for x, y, z in _grid(count))
    option = f'<option timestep="{STEP}" integrator="{integrator}" gravity="0 0 {-gravity}"/>'
    return f'<mujoco>{option}<size memory="500M"/><worldbody>{walls}{bodies}</worldbody></mujoco>'
