"""Rotors: inertia that moves with one joint velocity alone, against dense matrices, gears and closed forms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case, each
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, loops_of, outputs, state
from support.generators.mechanisms import COMPANIONS, Plain, add_drives
from support.generators.trees import add_forces, add_rotors, moving_tree
from support.oracles.complex_steps import close, compare_tangents
from support.oracles.dense import Dense

SCALAR = ("revolute", "tilted", "prismatic", "universal", "compound", "screw", "cylindrical", "planar", "custom")


def rotating(case: Case, largest: int) -> Model:
    """Return a random tree with forces and rotors, its energy as output."""
    model = moving_tree(case, largest, COMPANIONS)
    add_forces(model, np.random.default_rng(case.seed))
    add_rotors(model)
    model.output("E", mbs.energy())
    return model


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(SCALAR, rounds=1, usual=1, quick=1)
def test_rotors_add_to_the_diagonal_of_the_mass_matrix(case: Case, solver: str) -> None:
    """M, u_dot and the energy are those of the dense matrix with J on its diagonal."""
    model = rotating(case, 8)
    plain, dense = Plain(model, solver), Dense(model, {"geared": 1.7})
    slots = {v.name: v.slot for v in plain.program.variables}
    plain.R[slots["geared"]] = 1.7
    assert plain.real.initialise(plain.R) == 0
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice] = plain.rates()
    plain.real.derive_d(plain.R, D)
    plain.real.outputs(plain.R)
    q, u = dense.read({name: plain.R[slot] for name, slot in slots.items()})
    own = [slots[name] - plain.slice("u").start for name in dense.rates]
    M = np.array([plain.momenta(column) for column in np.eye(dense.n)]).T[np.ix_(own, own)]
    close(M, dense.mass_matrix(q), 1e-13, "mass matrix", dense.rates)
    expected = dense.accelerations(q, u)[0]
    bound = 100 * np.finfo(float).eps * np.linalg.cond(M)
    computed = np.array([D[slots[name]] for name in dense.rates])
    assert np.linalg.norm(computed - expected) <= bound * np.linalg.norm(expected), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, computed - expected))}"
    )
    E = plain.R[slots["E"]]
    assert_close(dense.energy(q, u), E, 1e-12 * (1 + abs(E)), "energy")


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(SCALAR, rounds=1, usual=1, quick=1)
def test_tangents_of_rotors_equal_complex_steps(case: Case, solver: str, driven: bool) -> None:
    """Tangents of rates, energy and outputs agree, also with prescribed motions, and both solvers
    have the same rates.
    """
    model = rotating(case, 6)
    if driven:
        model.forces.clear()
        add_drives(model, np.random.default_rng(case.seed))
    plain = Plain(model, solver)
    compare_tangents(plain, case.seed, [plain.program.state_slice], "u", "outputs")
    if solver == "sweep":
        close(plain.rates(), Plain(model).rates(), 1e-10, "rate", plain.labels("rates"))


@pytest.mark.usual
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(("revolute", "spherical", "plane"), rounds=2, usual=1, quick=1)
def test_rotors_in_closed_loops_obey_dense_equations(case: Case, solver: str) -> None:
    """Accelerations of bodies and reactions of joints, as far as they are unique, are those of the dense equations."""
    model = loops_of(case, 7)
    add_rotors(model)
    for name, body in model.bodies.items():
        model.output(f"{name}.a", mbs.acceleration(name))
        if body.joint.motions:
            model.output(f"{name}.w", mbs.reaction(name))
    plain, dense = PlainLoops(model, solver), Dense(model)
    computed = outputs(plain)
    q, u = state(plain, dense)
    exact, unknown = dense.reactions(q, u, 0.0), dense.undetermined(q, u, 0.0)
    scale = max(np.abs(x).max() for x in exact.values())
    for name, wrench in exact.items():
        if f"{name}.w.f" in computed:
            off = np.concatenate([computed[f"{name}.w.f"], computed[f"{name}.w.t"]]) - wrench
            open_ways = unknown[name]
            off -= open_ways @ (open_ways.T @ off)
            assert np.max(np.abs(off)) <= 1e-8 * scale, name
    R = plain.R.copy()
    R[plain.slice("p")] += np.random.default_rng(case.seed).normal(size=plain.real.NV)
    plain.rates(R)
    J, impulses = plain.jacobian(R), R[plain.slice("multipliers")].copy()
    p, v = R[plain.slice("p")].copy(), R[plain.slice("u")].copy()
    close(plain.mass_matrix(R) @ v, p + J.T @ impulses, 1e-10, "M u", plain.labels("p"))
    plain.real.transfer_impulses(R)
    close(R[plain.slice("p")], p + J.T @ impulses, 1e-10, "momentum after re-basing", plain.labels("p"))


def arm(rotor: bool) -> Model:
    """Return a pendulum with a motor: by its rotor, or by a wheel that turns 30 times for each of its turns."""
    m = mbs.Model("arm")
    m.body("arm", joint=mbs.Revolute("y"), mass=2.0, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.01))
    m.start("arm", q=1.0, u=0.3)
    ratio, J = 30.0, m.parameter("J", 4e-4)
    if rotor:
        m.rotor("motor", on="arm", inertia=ratio**2 * J)
    else:
        m.body("wheel", joint=mbs.Revolute("y"), mass=0.1, inertia=(J, J, J))
        m.start("wheel", q=ratio * 1.0, u=ratio * 0.3)
        m.constrain("gear", mbs.coordinate("wheel") - ratio * mbs.coordinate("arm"))
    return m


def test_a_rotor_equals_a_geared_wheel(in_plain_python: None) -> None:
    """With fixed axes, a rotor moves as a wheel behind a gear; its inertia may be a parameter."""
    for J in (None, 1e-3):
        parameters = {} if J is None else {"J": J}
        one, other = (
            mbs.simulate(arm(rotor), 0.2, parameters=parameters, method="rk4", step=0.01, output_interval=0.01)
            for rotor in (True, False)
        )
        assert np.max(np.abs(one["arm.phi"] - other["arm.phi"])) < 1e-7, (
            "arm.phi"
        )  # error of rk4 with a loop that is kept closed
    with pytest.raises(mbs.ModelError, match="inertia of rotor 'motor' must not be negative"):
        mbs.simulate(arm(True), 0.1, parameters={"J": -1.0})


@pytest.mark.quick
def test_a_rotor_adds_its_torque_to_the_drive_only() -> None:
    """The torque of the drive is (I + J) phi''; the energy contains the rotor, and the angular momentum does not."""

    def record(add: Callable[[Model], None]) -> np.ndarray:
        m = mbs.Model("driven")
        m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.2, 0.2, 0.3))
        m.drive("turning", on="wheel", position=mbs.sin(2 * mbs.time + 0.7))
        m.output("torque", mbs.drive_force("turning"))
        m.output("L", mbs.angular_momentum())
        m.output("E", mbs.energy())
        add(m)
        plain = PlainLoops(m)
        plain.real.refresh(plain.R, np.zeros(8))
        return plain.get(plain.R, "outputs")

    def geared(m: Model) -> None:
        m.rotor("motor", on="wheel", inertia=0.5)

    bare, whole = record(lambda m: None), record(geared)
    assert whole[0] - bare[0] == pytest.approx(-0.5 * 4 * np.sin(0.7), rel=1e-13)
    assert np.array_equal(whole[1:4], bare[1:4])
    assert whole[4] - bare[4] == pytest.approx(0.25 * 4 * np.cos(0.7) ** 2, rel=1e-13)


@pytest.mark.quick
def test_a_massless_end_may_have_a_rotor() -> None:
    """A motion with a rotor has inertia; along a slide the rotor is a mass."""
    m = mbs.Model("light")
    m.body("slide", joint=mbs.Prismatic("z"))
    m.rotor("drive", on="slide", inertia="500 g")
    m.motor("push", on="slide", force=2.0)
    assert Plain(m).momenta(np.ones(1))[0] == 0.5


@pytest.mark.quick
def test_invalid_rotors_are_refused() -> None:
    """Joints with quaternions, negative inertia, taken names and the absolute form are refused."""
    m = mbs.Model("wrong")
    m.body("ball", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    m.body("arm", joint=mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(mbs.ModelError, match="ball or free joint, whose coordinates allow no rotor"):
        m.rotor("r", on="ball", coordinate=1, inertia=1.0)
    with pytest.raises(mbs.ModelError, match=r"inertia of rotor 'r' is -1\.0: it must not be negative"):
        m.rotor("r", on="arm", inertia=-1.0)
    m.rotor("r", on="arm", inertia=1.0)
    with pytest.raises(mbs.ModelError, match="force name 'r' is taken by a rotor"):
        m.motor("r", on="arm", torque=1.0)
    with pytest.raises(mbs.ModelError, match='leave the rotor or formulation="absolute" out'):
        mbs.simulate(m, 0.1, formulation="absolute")


@pytest.mark.slow
def test_rotors_in_batches_and_native_fmus_equal_single_runs(tmp_path: Path) -> None:
    """A member of a batch and a native FMU have the bits of a single run; J is a parameter of both."""
    inertias = np.linspace(1e-4, 1e-3, 9)
    fixed = {"method": "rk4", "step": 0.01, "output_interval": 0.1}
    batch = mbs.simulate(arm(True), 1.0, batch=mbs.Batch(parameters={"J": inertias}), **fixed)
    single = [mbs.simulate(arm(True), 1.0, parameters={"J": float(J)}, **fixed) for J in inertias]
    assert np.all(batch.statistics["lanes"] > 1)
    assert np.array_equal(batch["arm.phi"], [run["arm.phi"] for run in single])
    mbs.export(arm(True), tmp_path / "arm.fmu", "native", method="rk4", step=0.01, platforms="host")
    run = simulate_fmu(
        str(tmp_path / "arm.fmu"),
        stop_time=1.0,
        step_size=0.1,
        output_interval=0.1,
        start_values={"J": inertias[4]},
        output=["arm.phi"],
    )
    assert np.array_equal(run["arm.phi"], single[4]["arm.phi"])


@pytest.mark.quick
@pytest.mark.parametrize("axis", "xyz")
def test_a_rotor_removed_from_its_carrier_equals_rotor1d_of_modelica(axis: str, in_plain_python: None) -> None:
    """The row of docs/coming_from.md about Modelica's Rotor1D (exact) holds in rates at 2300 rad/s.

    Rotor1D has J about an axis n and the speed w relative to a carrier whose inertia A includes the rotor at rest: J
    (w' + n·omega') = tau, and A omega + n J w is the angular momentum. Here the rotor is a body with J, which is
    subtracted from A: otherwise it would count twice.
    """
    J, torque, speed = 0.02, 3.0, 2300.0
    A, omega, n = np.diag([0.3, 0.4, 0.5]), np.array([0.7, -1.1, 2.0]), np.eye(3)["xyz".index(axis)]
    own = 0.5 * J * (np.eye(3) + np.outer(n, n))
    m = Model("rotor", gravity=(0, 0, 0))
    carrier = m.body("carrier", joint=mbs.Spherical(), mass=1.0, inertia=np.diag(A - own))
    rotor = m.body("rotor", carrier, mbs.Revolute(axis), mass=0.0, inertia=np.diag(own))
    m.motor("drive", on=rotor, torque=torque)
    m.start(carrier, u=omega)
    m.start(rotor, u=speed)
    M = np.block([[A, J * n[:, None]], [J * n[None], np.array([[J]])]])
    rates = np.linalg.solve(M, np.append(-np.cross(omega, A @ omega + n * J * speed), torque))
    computed = mbs.forward_dynamics(m)
    assert np.allclose([*(computed[f"carrier.u[{k}]"] for k in (1, 2, 3)), computed["rotor.w"]], rates, rtol=1e-12)
