"""Laws of the equations of motion on random trees, run as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case, each, some_quick
from support.generators.mechanisms import JOINTS, Plain
from support.generators.trees import add_forces, add_sensors, joint_order, moving_tree
from support.oracles.complex_steps import STEP, close, compare_tangents

SIMPLE = ("revolute", "tilted", "prismatic", "universal", "compound")  #: joints with one motor for each coordinate


def energy_of(plain: Plain, R: np.ndarray) -> complex:
    plain.rates(R)
    plain.module(R).outputs(R)
    return R[plain.slice("outputs")][0]


def gradient(plain: Plain, region: str) -> np.ndarray:
    """Return dH/dx by complex step."""
    where = plain.slice(region)
    derivatives = np.zeros(where.stop - where.start)
    for k in range(derivatives.size):
        R = plain.R.astype(complex)
        R[where.start + k] += 1j * STEP
        derivatives[k] = energy_of(plain, R).imag / STEP
    return derivatives


def hamilton(plain: Plain, model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the sides of u = dH/dp and p_dot = -Eᵀ dH/dq + b, with b of ball and free joints (docs/equations.md)."""
    dq, u = gradient(plain, "q"), gradient(plain, "p")
    p_dot, i, k = [], 0, 0
    q, p = plain.get(plain.R, "q"), plain.get(plain.R, "p")
    for body in joint_order(plain.program, model):
        for e in model.bodies[body].joint.motions:
            if e.quaternion is None:
                count = len(e.units)
                p_dot += list(-dq[i : i + count])
                i, k = i + count, k + count
                continue
            E = quasi_velocity_matrix(e.name, q[i:])
            value = -E.T @ dq[i : i + E.shape[0]]
            w = u[k + E.shape[1] - 3 : k + E.shape[1]]
            if e.name == "ball":
                value += np.cross(p[k : k + 3], w)
            else:
                v, pv, pw = u[k : k + 3], p[k : k + 3], p[k + 3 : k + 6]
                value += np.concatenate([np.cross(pv, w), np.cross(pw, w) + np.cross(pv, v)])
            p_dot += list(value)
            i, k = i + E.shape[0], k + E.shape[1]
    return u, np.array(p_dot)


def quasi_velocity_matrix(kind: str, q: np.ndarray) -> np.ndarray:
    """Return E of q_dot = E u for a ball or free joint, from the definition of the quaternion product."""
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


@each(JOINTS, rounds=3, usual=6, quick=6)
def test_rates_satisfy_hamiltons_equations(case: Case) -> None:
    """u = dH/dp and p_dot = -Eᵀ dH/dq + b hold with H by the kernels and derivatives by complex step."""
    model = moving_tree(case)
    model.output("H", mbs.energy())
    plain = Plain(model)
    plain.rates()
    u, p_dot = hamilton(plain, model)
    close(plain.get(plain.R, "u"), u, 1e-10, "joint velocity", plain.labels("u"))
    close(plain.get(plain.R, "p_dot"), p_dot, 1e-10, "rate of momentum", plain.labels("p_dot"))


@each(JOINTS, rounds=2, usual=1, quick=1)
@pytest.mark.parametrize("forces", [False, True])
def test_sweep_and_cholesky_give_the_same_rates(case: Case, forces: bool) -> None:
    """Both solvers agree on trees of up to 30 bodies."""
    model = moving_tree(case, 30)
    if forces:
        add_forces(model, np.random.default_rng(case.seed))
    plain = Plain(model)
    close(Plain(model, "sweep").rates(), plain.rates(), 1e-10, "rate", plain.labels("rates"))


@each(JOINTS, rounds=2, usual=2, quick=2)
def test_velocities_solve_the_dense_system(case: Case) -> None:
    """M u = p holds with the dense mass matrix of (P1)-(P3), and velocities return from their momenta."""
    model = moving_tree(case, 20)
    plain = Plain(model)
    n = plain.get(plain.R, "p").size
    start = plain.get(plain.R, "u")
    M = np.array([plain.momenta(column) for column in np.eye(n)]).T
    close(M, M.T, 1e-13, "mass matrix", plain.labels("u"))
    p = plain.get(plain.R, "p")
    close(p, M @ start, 1e-13, "momentum", plain.labels("p"))
    bound = 100 * np.finfo(float).eps * np.linalg.cond(M)
    plain.rates()
    u = plain.get(plain.R, "u")
    assert np.linalg.norm(u - np.linalg.solve(M, p)) <= bound * np.linalg.norm(u), f"M u = p fails by {M @ u - p}"
    assert np.linalg.norm(u - start) <= bound * np.linalg.norm(u), (
        f"joint velocities differ from those of the start by {u - start}"
    )


@each(JOINTS, rounds=2, usual=1, quick=1)
@pytest.mark.parametrize("solver", some_quick(["cholesky", "sweep"], 1))
def test_tangents_equal_complex_step(case: Case, solver: str) -> None:
    """derive_d and outputs_d agree along a random direction of states, inputs and parameters."""
    model = moving_tree(case, 6)
    add_forces(model, np.random.default_rng(case.seed))
    if case.seed % 3 == 0:
        model.gravity = mbs.PointGravity(mu=model.parameter("mu", 4.0), center=(0, 5, 0))
    body = list(model.bodies.values())[-1]
    model.output("tip", mbs.position(body, (0.1, 0.2, 0.3)))
    model.output("spin", mbs.angular_velocity(body))
    model.output("attitude", mbs.orientation(body))
    model.output("E", mbs.energy())
    add_sensors(model, body)
    plain = Plain(model, solver)
    along = plain.program.state_slice, plain.slice("inputs"), plain.slice("parameters")
    compare_tangents(plain, case.seed + 100, along, "u", "tau", "outputs")


@each(JOINTS, rounds=2, usual=1, quick=1)
def test_nothing_stale_is_read(case: Case) -> None:
    """Rates and outputs do not change if everything that must be computed is NaN before."""
    model = moving_tree(case, 10)
    add_forces(model, np.random.default_rng(case.seed))
    model.output("E", mbs.energy())
    add_sensors(model, next(b for b in model.bodies.values() if b.joint.motions))
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


@each(SIMPLE, rounds=2, usual=1, quick=1)
def test_power_is_the_rate_of_energy(case: Case) -> None:
    """Without other forces, dH/dt along the motion equals the power u.tau of the motors."""
    rng = np.random.default_rng(case.seed)
    model = moving_tree(case, 6, SIMPLE)
    for k, body in enumerate(b for b in model.bodies.values() if b.joint.motions):
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
    assert abs(rate - power) <= 1e-10 * max(1.0, abs(power), np.abs(f).max()), (
        f"rate of energy {rate} W, power {power} W"
    )


def test_welded_parts_move_as_one_body() -> None:
    """A body welded from parts moves as one body with the total inertia."""

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

    close(pendulum(True).rates(), pendulum(False).rates(), 1e-13, "rate", pendulum(True).labels("rates"))


def test_parameters_enter_mass_and_geometry() -> None:
    """A model with parameters moves as one with the same numbers, before and after they change."""

    def arm(mass: object, length: object) -> Model:
        m = Model("arm")
        k = m.parameter("mass", 2.0) if mass is None else mass
        x = m.parameter("length", 0.5) if length is None else length
        a = m.body("a", "world", mbs.Universal("xy"), mass=k, com=(0, 0, -x / 2), inertia=(0.15, 0.1 * k, 0.2))
        m.body("b", a, mbs.Revolute((0, 1, 1)), mass=1, com=(0.1, 0, -x), inertia=(0.1, 0.1, 0.1), at=(0, 0, -x))
        m.start("a", q=(0.3, 0.4), u=(1, 2))
        return m

    symbolic = Plain(arm(None, None))
    close(symbolic.rates(), Plain(arm(2.0, 0.5)).rates(), 1e-14, "rate", symbolic.labels("rates"))
    slots = {v.name: v.slot for v in symbolic.program.variables}
    symbolic.R[slots["mass"]], symbolic.R[slots["length"]] = 3.0, 0.8
    assert symbolic.real.prepare(symbolic.R) == 0
    for name, value in zip(("a.u[1]", "a.u[2]", "b.w"), (1.0, 2.0, 0.0), strict=True):
        symbolic.R[slots[name]] = value
    symbolic.real.momenta(symbolic.R)
    close(symbolic.rates(), Plain(arm(3.0, 0.8)).rates(), 1e-14, "rate", symbolic.labels("rates"))
