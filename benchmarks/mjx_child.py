"""The tasks of contact_tasks.py in MuJoCo's MJX, in a process of its own: python -m benchmarks.mjx_child NAME...

It needs jax and mujoco-mjx, and writes its measurements as JSON. Bodies, starts and targets are those of
contact_numbers.py; contacts are MuJoCo's. Settings follow the section "Performance tuning" of MJX's documentation:
Newton solver, few iterations, explicit pairs, no `eulerdamp`. Numbers have 64 bits.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from mujoco import mjx
from scipy.optimize import least_squares

from .contact_numbers import (
    BALL,
    DURATIONS,
    FRICTION,
    GAINS,
    HEIGHTS,
    LOWER,
    MASSES,
    PAYLOAD,
    PLACE,
    RADIUS,
    RANGES,
    SIDES,
    STARTS,
    TARGETS,
    THICKNESS,
    UNKNOWN,
    WEIGHTS,
)
from .differences import central, extrapolated, trend

STEP = 0.002  #: s, the default of MuJoCo
FINER = 16  #: the step is divided by this for the derivative of the motion
ITERATIONS, LINE_SEARCH = 8, 8  #: of the solver, besides one, and of its line search
SOFTNESS = {"throw": 'solref="-5000 -8"'}  #: per kg, such that the ball bounces; the others have the defaults
Misses = Callable[[jax.Array], jax.Array]


def options(iterations: int) -> str:
    """Return the options of a model."""
    return (
        f'<option timestep="{STEP}" solver="Newton" iterations="{iterations}" ls_iterations="{LINE_SEARCH}">'
        '<flag eulerdamp="disable"/></option>'
    )


def shapes(name: str) -> list[str]:
    """Return the attributes of the shapes of a body: the puck slides on three small balls, whose mass is its own."""
    if name == "landing":
        return [f'type="box" size="{0.5 * SIDES[0]} {0.5 * SIDES[1]} {0.5 * SIDES[2]}"']
    if name == "throw":
        return [f'type="sphere" size="{BALL}"']
    small = 0.2 * THICKNESS
    angles = (2.0 * np.pi * k / 3.0 for k in range(3))
    feet = ((RADIUS * np.cos(a), RADIUS * np.sin(a), small - 0.5 * THICKNESS) for a in angles)
    return [f'type="sphere" size="{small}" pos="{x} {y} {z}"' for x, y, z in feet]


def inertia(name: str) -> str:
    """Return the element for the inertia of the puck, which is that of a cylinder; others have that of their shape."""
    if name != "puck":
        return ""
    mass = MASSES[name]
    across, along = mass * (3.0 * RADIUS**2 + THICKNESS**2) / 12.0, 0.5 * mass * RADIUS**2
    return f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{across} {across} {along}"/>'


def one_body(name: str, iterations: int, finer: int) -> tuple[Misses, np.ndarray]:
    """Return the misses of box, ball or puck as a function of the unknowns, and the first guess."""
    alone = 'contype="0" conaffinity="0"'
    geoms = [f'<geom name="{k}" {shape} mass="{MASSES[name]}" {alone}/>' for k, shape in enumerate(shapes(name))]
    law = f'friction="{FRICTION[name]} {FRICTION[name]} 0 0 0" {SOFTNESS.get(name, "")}'
    pairs = [f'<pair geom1="floor" geom2="{k}" {law}/>' for k in range(len(geoms))]
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco>{options(iterations)}<worldbody>
        <geom name="floor" type="plane" size="0 0 1" {alone}/>
        <body name="body" pos="0 0 {HEIGHTS.get(name, 0.5 * THICKNESS)}"><freejoint/>{inertia(name)}{"".join(geoms)}
        </body></worldbody><contact>{"".join(pairs)}</contact></mujoco>"""
    )
    m, d = mjx.put_model(model), mjx.make_data(model)
    start, places, target = jnp.array(STARTS[name]), jnp.array(UNKNOWN[name]), jnp.array(TARGETS[name])

    def misses(unknowns: jax.Array) -> jax.Array:
        first = d.replace(qvel=start.at[places].set(unknowns), qpos=jnp.asarray(model.qpos0))
        q = rollout(m, first, DURATIONS[name], finer).qpos
        miss = q[: len(target)] - target
        ahead = 2.0 * (q[4] * q[5] + q[3] * q[6])
        return miss if name == "throw" else jnp.append(miss, ahead)

    return misses, np.array([STARTS[name][k] for k in UNKNOWN[name]])


def rollout(m: Any, d: Any, duration: float, finer: int) -> Any:
    """Return the data after the steps."""
    m = m.tree_replace({"opt.timestep": m.opt.timestep / finer})
    step = lambda d, _: (mjx.step(m, d), None)  # noqa: E731
    return jax.lax.scan(step, d, None, length=round(duration * finer / STEP))[0]


def stance(iterations: int, finer: int) -> tuple[Misses, np.ndarray]:
    """Return the cost of the quadruped as a function of the gains of its servos and their angles, and the guess."""
    text = (Path(__file__).parent.parent / "models" / "quadruped.urdf").read_text(encoding="utf-8")
    floating = (
        '<link name="base"/><joint name="base" type="floating"><parent link="base"/><child link="trunk"/></joint>'
    )
    spec = mujoco.MjSpec.from_string(text.replace("</robot>", f"{floating}</robot>"))
    for geom in spec.geoms:
        geom.contype, geom.conaffinity, geom.friction = 0, 1, (0.8, 0.0, 0.0)
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[0.8, 0, 0])
    floor.contype, floor.conaffinity = 1, 0
    trunk = spec.body("trunk")
    trunk.add_body(pos=PLACE).add_geom(size=[0.01, 0, 0], mass=PAYLOAD, contype=0, conaffinity=0)
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.armature = 0.012
    option = spec.option
    option.timestep, option.iterations, option.ls_iterations = STEP, iterations, LINE_SEARCH
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    model = spec.compile()
    m, d = mjx.put_model(model), mjx.make_data(model)
    crouch = np.arccos(0.29 / 0.4)
    aims = np.tile([0.0, crouch, -2.0 * crouch], 4)
    first = jnp.concatenate([jnp.array([0, 0, 0.29 + 0.022, 1.0, 0, 0, 0]), jnp.array(aims)])
    names = [model.joint(k).name for k in range(1, model.njnt)]
    assert [name.rpartition("_")[2] for name in names] == ["abduction", "pitch", "knee"] * 4

    def misses(unknowns: jax.Array) -> jax.Array:
        k, c, wanted = unknowns[0], unknowns[1], unknowns[2:]
        finer_m = m.tree_replace({"opt.timestep": m.opt.timestep / finer})

        def step(state: tuple[Any, jax.Array], _: None) -> tuple[tuple[Any, jax.Array], None]:
            d, effort = state
            torque = k * (wanted - d.qpos[7:]) - c * d.qvel[6:]
            d = d.replace(qfrc_applied=d.qfrc_applied.at[6:].set(torque))
            return (mjx.step(finer_m, d), effort + STEP / finer * jnp.sum(torque**2)), None

        steps = round(DURATIONS["stance"] * finer / STEP)
        (end, effort), _ = jax.lax.scan(step, (d.replace(qpos=first), 0.0), None, length=steps)
        w, x, y, z = end.qpos[3:7]
        roll = jnp.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        pitch = jnp.arcsin(2 * (w * y - x * z))
        low = end.qpos[2] - LOWER
        return jnp.array([WEIGHTS[0] * (roll**2 + pitch**2) + WEIGHTS[1] * low**2 + WEIGHTS[2] * effort])

    return misses, np.array([*GAINS, *aims])


def made(name: str, iterations: int, finer: int = 1) -> tuple[Misses, np.ndarray]:
    """Return a task."""
    return stance(iterations, finer) if name == "stance" else one_body(name, iterations, finer)


def compiled(function: Callable[[jax.Array], jax.Array], at: np.ndarray) -> tuple[Callable[..., np.ndarray], dict]:
    """Return the function with numpy arrays, and seconds of compilation and of a call."""
    begin = time.perf_counter()
    ready = jax.jit(function).lower(at).compile()
    seconds = {"compile": time.perf_counter() - begin}
    calls = []
    for _ in range(5):
        begin = time.perf_counter()
        ready(at).block_until_ready()
        calls.append(time.perf_counter() - begin)
    return lambda x: np.asarray(ready(x)), seconds | {"call": float(np.median(calls))}


def measured(name: str, iterations: int) -> dict[str, Any]:
    """Return the measurements of a task with this number of iterations of the solver."""
    misses, at = made(name, iterations)
    run, report = compiled(misses, at)
    result: dict[str, Any] = {"iterations": iterations, "run": report, "misses": run(at).tolist()}
    begin = time.perf_counter()
    J, error = extrapolated(run, at)
    plain = central(run, at, 1e-6)
    size = float(np.abs(J).max())
    result |= {"differences": J.tolist(), "doubt": float(error.max()) / size, "seconds": time.perf_counter() - begin}
    result["trend"] = trend(run, at, RANGES[name]).tolist()
    result["plain"] = float(np.abs(plain - J).max()) / size
    for mode, transform in (("forward", jax.jacfwd), ("reverse", jax.jacrev)):
        print(f"{name}, {iterations} iterations, {mode} mode", file=sys.stderr, flush=True)
        try:
            gradient, report = compiled(transform(misses), at)
        except ValueError as reason:
            result[mode] = {"refused": str(reason).split(". ")[0]}
            continue
        value = gradient(at)
        finite = bool(np.isfinite(value).all())
        result[mode] = report | {"finite": finite, "value": value.tolist()}
        if finite:
            result[mode]["error"] = float(np.abs(value - J).max()) / size
        if mode == "forward" and name != "stance":
            result["solved"] = solved(run, gradient, at)
    return result


def solved(run: Callable[..., np.ndarray], gradient: Callable[..., np.ndarray], at: np.ndarray) -> dict[str, Any]:
    """Return what scipy's least_squares achieves with gradients, and with differences."""
    results = {}
    for way, jac in (("gradients", gradient), ("differences", "2-point")):
        count = [0]

        def counted(x: np.ndarray, count: list[int] = count) -> np.ndarray:
            count[0] += 1
            return run(x)

        try:
            end = least_squares(counted, at, jac=jac, max_nfev=100)
            results[way] = {"miss": float(np.abs(end.fun).max()), "runs": count[0], "gradients": int(end.njev)}
        except ValueError as reason:
            results[way] = {"refused": str(reason)}
    return results


def finer(name: str, iterations: int) -> list[list[float]]:
    """Return the Jacobian in forward mode with steps that are FINER times shorter."""
    misses, at = made(name, iterations, FINER)
    return np.asarray(jax.jit(jax.jacfwd(misses))(at)).tolist()


def main() -> None:
    """Measure the named tasks, with one iteration of the solver and with more, and write a line of JSON."""
    jax.config.update("jax_enable_x64", True)
    packages = ("jax", "mujoco-mjx", "mujoco", "numpy", "scipy")
    report: dict[str, Any] = {"versions": {name: importlib.metadata.version(name) for name in packages}}
    for name in sys.argv[1:]:
        report[name] = [measured(name, iterations) for iterations in (1, ITERATIONS)]
        print(f"{name}, short steps", file=sys.stderr, flush=True)
        report[name][-1]["finer"] = finer(name, ITERATIONS)
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
