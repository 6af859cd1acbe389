"""Laws of the equations of motion on random trees, run as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import JOINTS, Plain, random_pose, random_rotation, random_tree

import mbs_fmu as mbs
from mbs_fmu.compile.program import Program
from mbs_fmu.model.model import Model

STEP = 1e-30
SHAPES = ("chain", "star", "tree")


def moving_tree(seed: int, largest: int = 8, joints: tuple[str, ...] = JOINTS) -> Model:
    """A random tree that has at least one freedom."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, largest + 1))
    while True:
        model = random_tree(rng, count, SHAPES[seed % 3], joints)
        if any(body.joint.elements for body in model.bodies.values()):
            return model


def add_forces(m: Model, rng: np.random.Generator) -> None:
    """Motors, joint springs, point springs and wrenches with nonlinear laws."""
    bodies = [b for b in m.bodies.values() if b.joint.elements]
    gain = m.parameter("gain", 1.3)
    level = m.input("level", start=0.7)
    for k, b in enumerate(bodies):
        if b.joint.scalar:
            c = 1 if len(b.joint.rates) > 1 else None
            m.spring(f"js{k}", on=b, coordinate=c, stiffness=3.0, damping=0.4, length=0.1)
            law = gain * mbs.sin(mbs.coordinate(b, 1)) - level * mbs.rate(b, 1) ** 2 / (1 + mbs.abs(mbs.rate(b, 1)))
            m.motor(f"jm{k}", on=b, coordinate=c, **{"torque" if b.joint.rates[0][1] == "rad/s" else "force": law})
    for k in range(2):
        a, b = bodies[rng.integers(len(bodies))], bodies[rng.integers(len(bodies))]
        if a is not b:
            m.spring(
                f"ps{k}", a, b, at_a=rng.normal(size=3), at_b=rng.normal(size=3), stiffness=5, damping=0.6, length=0.3
            )
    m.spring("ground", "world", bodies[-1], at_a=(0.1, 0.2, 3.0), at_b=(0.1, 0, 0), stiffness=gain * 4, damping=0.2)
    world = mbs.clip(mbs.velocity(bodies[0], (0.1, 0, 0))[0], -0.5, 0.5)
    m.force("fw", on=bodies[0], at=(0.3, 0, 0.1), force=(world, level, mbs.tanh(mbs.time)), torque=(0, gain, 0))
    m.force(
        "fb", on=bodies[-1], force=(0, 0.3 * mbs.exp(-(mbs.position(bodies[-1])[2] ** 2) / 20), 1), resolve_in="body"
    )
    add_joint_laws(m, bodies, gain)
    add_body_laws(m, bodies, gain, rng)


def add_joint_laws(m: Model, bodies: list[mbs.Body], gain: mbs.Expression) -> None:
    """Friction, limits, springs by table and by formula along joints."""
    for k, b in enumerate(bodies):
        rates = len(b.joint.rates)
        c = rates if rates > 1 else None
        which = "torque" if b.joint.rates[-1][1] == "rad/s" else "force"
        m.friction(f"jf{k}", on=b, coordinate=c, **{which: 0.4 * gain}, static=0.9, viscous=0.1, speed=0.5 * gain)
        if b.joint.scalar:
            on = {"on": b, "coordinate": c}
            m.limit(f"jl{k}", **on, lower=-0.4, upper=0.3 * gain, stiffness=9.0, damping=1.5)
            m.limit(f"ju{k}", **on, lower=0.1, stiffness=gain)
            m.spring(f"jt{k}", **on, force=([-2, -0.5, 0.2, 3], [-4, -0.5, 0.5, 2]), length=0.2)
            m.spring(f"jp{k}", **on, force=lambda x, v: gain * x**3 + (0.2 + x * x) * v)


def add_body_laws(m: Model, bodies: list[mbs.Body], gain: mbs.Expression, rng: np.random.Generator) -> None:
    """Springs by table and energy between points, rotational springs, bushings, drag."""
    a, b = bodies[rng.integers(len(bodies))], bodies[-1]
    ends = {"at_a": rng.normal(size=3), "at_b": rng.normal(size=3)}
    poses = {"at_a": random_pose(rng), "at_b": mbs.Pose((gain, 0.1, 0.2), random_rotation(rng))}
    m.spring("table", "world", b, **ends, length=0.3, force=([0, 0.5, 2, 9], [0, 3, 4, 2]), damping=gain)
    m.spring("potential", "world", b, **ends, length=0.1 * gain, energy=lambda x: gain * mbs.log(mbs.exp(x) + 1))
    m.rotational_spring("twisted", "world", b, axis="-y", at_b=poses["at_b"], stiffness=gain, damping=0.3)
    m.drag("air", on=b, at=(0.1, 0.2, gain), linear=0.2, quadratic=gain, velocity=(1, mbs.sin(mbs.time), gain))
    m.bushing("ground_mount", "world", b, **poses, stiffness=5.0, damping=(0, gain, 0.1))
    if a is not b:
        m.rotational_spring(
            "wound", a, b, **poses, axis=(1, 2, 3), angle=gain, force=lambda x, v: x**3 + v, stiffness=2.0
        )
        m.bushing(
            "mount", a, b, **poses, stiffness=(3, gain, 5), damping=(0.1, 0.2, 0.3),
            rotational_stiffness=(1, 0.5, gain), rotational_damping=(0.3, gain, 0.2),
        )  # fmt: skip


def energy_of(plain: Plain, R: np.ndarray) -> complex:
    plain.rates(R)
    plain.module(R).outputs(R)
    return R[plain.slice("outputs")][0]


def gradient(plain: Plain, region: str) -> np.ndarray:
    """dH/dx by complex step."""
    where = plain.slice(region)
    out = np.zeros(where.stop - where.start)
    for k in range(out.size):
        R = plain.R.astype(complex)
        R[where.start + k] += 1j * STEP
        out[k] = energy_of(plain, R).imag / STEP
    return out


def hamilton(plain: Plain, model: Model) -> tuple[np.ndarray, np.ndarray]:
    """u = dH/dp and p_dot = -Eᵀ dH/dq + b, b the terms of ball and free joints (docs/equations.md)."""
    dq, u = gradient(plain, "q"), gradient(plain, "p")
    p_dot, i, k = [], 0, 0
    q, p = plain.get(plain.R, "q"), plain.get(plain.R, "p")
    for body in joint_order(plain.program, model):
        for e in model.bodies[body].joint.elements:
            if e.quaternion is None:
                count = len(e.coordinate_units)
                p_dot += list(-dq[i : i + count])
                i, k = i + count, k + count
                continue
            E = quasi_velocity_matrix(e.kind, q[i:])
            value = -E.T @ dq[i : i + E.shape[0]]
            w = u[k + E.shape[1] - 3 : k + E.shape[1]]
            if e.kind == "ball":
                value += np.cross(p[k : k + 3], w)
            else:
                v, pv, pw = u[k : k + 3], p[k : k + 3], p[k + 3 : k + 6]
                value += np.concatenate([np.cross(pv, w), np.cross(pw, w) + np.cross(pv, v)])
            p_dot += list(value)
            i, k = i + E.shape[0], k + E.shape[1]
    return u, np.array(p_dot)


def joint_order(program: Program, model: Model) -> list[str]:
    """Bodies in the order of their coordinates."""
    names = [v.name.split(".")[0] for v in program.variables if v.kind == "coordinate"]
    return list(dict.fromkeys(names))


def quasi_velocity_matrix(kind: str, q: np.ndarray) -> np.ndarray:
    """E of q_dot = E u for a ball or free joint, from the definition of the quaternion product."""
    w, x, y, z = q[:4] if kind == "ball" else q[3:7]
    turn = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
    if kind == "ball":
        return turn
    n = w * w + x * x + y * y + z * z
    R = np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    return np.block([[R / n, np.zeros((3, 3))], [np.zeros((4, 3)), turn]])


def close(a: np.ndarray, b: np.ndarray, tolerance: float) -> None:
    scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
    assert np.max(np.abs(a - b), initial=0.0) <= tolerance * scale


@pytest.mark.parametrize("seed", range(45))
def test_hamiltons_equations(seed: int) -> None:
    """u = dH/dp and p_dot = -Eᵀ dH/dq + b, with H by the kernels and derivatives by complex step."""
    model = moving_tree(seed)
    model.output("H", mbs.energy())
    plain = Plain(model)
    plain.rates()
    u, p_dot = hamilton(plain, model)
    close(plain.get(plain.R, "u"), u, 1e-10)
    close(plain.get(plain.R, "p_dot"), p_dot, 1e-10)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("forces", [False, True])
def test_sweep_equals_cholesky(seed: int, forces: bool) -> None:
    """Both solvers give the same rates, up to 30 bodies."""
    model = moving_tree(seed, 30)
    if forces:
        add_forces(model, np.random.default_rng(seed))
    close(Plain(model, "sweep").rates(), Plain(model).rates(), 1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_velocities_solve_the_dense_system(seed: int) -> None:
    """M u = p with the dense mass matrix of (P1)-(P3), and the start rates come back."""
    model = moving_tree(seed, 20)
    plain = Plain(model)
    n = plain.get(plain.R, "p").size
    start = plain.get(plain.R, "u")
    M = np.array([plain.momenta(column) for column in np.eye(n)]).T
    close(M, M.T, 1e-13)
    p = plain.get(plain.R, "p")
    close(p, M @ start, 1e-13)
    bound = 100 * np.finfo(float).eps * np.linalg.cond(M)
    plain.rates()
    u = plain.get(plain.R, "u")
    assert np.linalg.norm(u - np.linalg.solve(M, p)) <= bound * np.linalg.norm(u)
    assert np.linalg.norm(u - start) <= bound * np.linalg.norm(u)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
def test_tangents_equal_complex_step(seed: int, solver: str) -> None:
    """derive_d and outputs_d along a random direction of states, inputs and parameters."""
    model = moving_tree(seed, 6)
    add_forces(model, np.random.default_rng(seed))
    if seed % 3 == 0:
        model.gravity = mbs.PointGravity(mu=model.parameter("mu", 4.0), center=(0, 5, 0))
    body = list(model.bodies.values())[-1]
    model.output("tip", mbs.position(body, (0.1, 0.2, 0.3)))
    model.output("spin", mbs.angular_velocity(body))
    model.output("attitude", mbs.orientation(body))
    model.output("E", mbs.energy())
    add_sensors(model, body)
    plain = Plain(model, solver)
    rng = np.random.default_rng(seed + 100)
    D = np.zeros_like(plain.R)
    for where in (plain.program.state_slice, plain.slice("inputs"), plain.slice("parameters")):
        D[where] = rng.normal(size=where.stop - where.start)
    C = plain.R + 1j * STEP * D
    plain.complex.derive(C)
    plain.complex.outputs(C)
    plain.real.derive_d(plain.R, D)
    plain.real.outputs_d(plain.R, D)
    for where in (plain.program.rate_slice, plain.slice("u"), plain.slice("tau"), plain.slice("outputs")):
        expected = C[where].imag / STEP
        assert np.max(np.abs(D[where] - expected), initial=0.0) <= 1e-12 * max(1.0, np.max(np.abs(C.imag / STEP)))


def add_sensors(m: Model, body: mbs.Body) -> None:
    """What can be measured of a moving tree with forces, in outputs and in the rate of a state."""
    place = mbs.Pose((0.1, 0.2, 0.3), (1, 2, 3, 4))
    m.output("pose", mbs.pose(body, (1, 2, 3)))
    m.output("twist", mbs.twist(body, (1, 2, 3)))
    m.output("rp", mbs.relative_position(body, "world", place))
    m.output("ro", mbs.relative_orientation("world", body, place, place))
    m.output("rv", mbs.relative_velocity(body, "world", place, (1, 2, 3)))
    m.output("rw", mbs.relative_angular_velocity(body, "world", place))
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum(about=mbs.center_of_mass(body)))
    m.output("Lb", mbs.angular_momentum(body))
    m.output("com", mbs.center_of_mass())
    for name in list(m.forces):
        m.output(f"power_{name}", mbs.power(name))
    m.state("work", rate=mbs.power("air") + mbs.momentum()[0] + mbs.center_of_mass()[2] + mbs.strength("ground"))
    m.output("air", mbs.applied("air"))
    m.output("fb", mbs.applied("fb"))


@pytest.mark.parametrize("seed", range(12))
def test_nothing_stale_is_read(seed: int) -> None:
    """Rates and outputs do not change when everything that must be computed is poisoned with NaN."""
    model = moving_tree(seed, 10)
    add_forces(model, np.random.default_rng(seed))
    model.output("E", mbs.energy())
    add_sensors(model, next(b for b in model.bodies.values() if b.joint.elements))
    plain = Plain(model)
    clean = np.concatenate([plain.rates(), plain.R[plain.slice("outputs")]])
    for name in (
        "q_dot",
        "p_dot",
        "z_dot",
        "u",
        "tau",
        "outputs",
        "energy",
        "totals",
        "pose",
        "twist",
        "wrench",
        "saved",
    ):
        if name in plain.program.regions:
            plain.R[plain.slice(name)] = np.nan
    again = plain.rates()
    plain.real.outputs(plain.R)
    plain.real.derive(plain.R)
    assert np.array_equal(again, clean[: again.size])
    assert np.all(np.isfinite(plain.R[plain.slice("outputs")]))


@pytest.mark.parametrize("seed", range(12))
def test_power_is_the_rate_of_energy(seed: int) -> None:
    """dH/dt along the motion equals the power u.tau of the motors (no other forces)."""
    rng = np.random.default_rng(seed)
    model = moving_tree(seed, 6, ("revolute", "tilted", "prismatic", "universal", "compound"))
    for k, body in enumerate(b for b in model.bodies.values() if b.joint.elements):
        for c, (_, unit) in enumerate(body.joint.forces):
            model.motor(
                f"m{k}_{c}", on=body, coordinate=c + 1, **{"torque" if unit == "N.m" else "force": rng.normal()}
            )
    model.output("H", mbs.energy())
    plain = Plain(model)
    f = plain.rates()
    power = plain.get(plain.R, "u") @ plain.get(plain.R, "tau")
    C = plain.R.astype(complex)
    C[plain.program.state_slice] += 1j * STEP * f
    rate = energy_of(plain, C).imag / STEP
    assert abs(rate - power) <= 1e-10 * max(1.0, abs(power), np.abs(f).max())


def test_welds_make_one_body() -> None:
    """A body welded from parts moves as the same body given whole."""

    def pendulum(parts: bool) -> Plain:
        m = Model("pendulum")
        whole = mbs.Pose((0.1, 0.2, 0.3), np.eye(3)[[1, 2, 0]])
        if parts:
            hub = m.body("hub", "world", mbs.Revolute((1, 2, 3)), at=whole)
            for k in range(3):
                m.body(f"part{k}", hub, mbs.Weld(), mass=1.0, com=(k, 0.5, 0), inertia=(0.1, 0.1, 0.1), at=(0, k, 1))
        else:
            points = np.array([[k, k + 0.5, 1.0] for k in range(3)])
            com = points.mean(axis=0)
            J = sum(0.1 * np.eye(3) + (r @ r) * np.eye(3) - np.outer(r, r) for r in points - com)
            hub = m.body("hub", "world", mbs.Revolute((1, 2, 3)), mass=3.0, com=com, inertia=J, at=whole)
        m.start("hub", q=0.4, u=1.5)
        return Plain(m)

    close(pendulum(True).rates(), pendulum(False).rates(), 1e-13)


def test_parameters_enter_mass_and_geometry() -> None:
    """A model with parameters moves as one with the same numbers, before and after they change."""

    def arm(mass: object, length: object) -> Model:
        m = Model("arm")
        k = m.parameter("mass", 2.0) if mass is None else mass
        x = m.parameter("length", 0.5) if length is None else length
        a = m.body("a", "world", mbs.Universal("x", "y"), mass=k, com=(0, 0, -x / 2), inertia=(0.15, 0.1 * k, 0.2))
        m.body("b", a, mbs.Revolute((0, 1, 1)), mass=1, com=(0.1, 0, -x), inertia=(0.1, 0.1, 0.1), at=(0, 0, -x))
        m.start("a", q=(0.3, 0.4), u=(1, 2))
        return m

    symbolic = Plain(arm(None, None))
    close(symbolic.rates(), Plain(arm(2.0, 0.5)).rates(), 1e-14)
    slots = {v.name: v.slot for v in symbolic.program.variables}
    symbolic.R[slots["mass"]], symbolic.R[slots["length"]] = 3.0, 0.8
    assert symbolic.real.prepare(symbolic.R) == 0
    for name, value in zip(("a.u[1]", "a.u[2]", "b.w"), (1.0, 2.0, 0.0), strict=True):
        symbolic.R[slots[name]] = value
    symbolic.real.momenta(symbolic.R)
    close(symbolic.rates(), Plain(arm(3.0, 0.8)).rates(), 1e-14)
