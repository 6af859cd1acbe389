"""Models as functions of arrays, against complex steps of plain kernels, forward dynamics and runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.array_functions import ArrayFunction, Kernels
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.integrate.functions.module import values_module
from mbs_fmu.model.model import Model
from models.pendulum_on_cart import pendulum_on_cart
from support.cases import Case, each
from support.comparisons import assert_close, first_difference
from support.generators.coupled_joints import following_tree
from support.generators.elastic_mechanisms import bent_tree
from support.generators.mechanisms import COMPLEX, JOINTS, add_drives
from support.generators.trees import add_forces, add_sensors, moving_tree, parametric_chain
from support.oracles.complex_steps import STEP, close

H = 1 / 1024  #: s, a step size whose multiples are exact; some random trees are stiff
BOTH = pytest.mark.parametrize("states", ["velocities", pytest.param("momenta", marks=pytest.mark.usual)])
PLAIN = pytest.mark.usefixtures("in_plain_python", "one_lane")


@pytest.fixture
def one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute directions one by one, as plain Python needs it."""
    monkeypatch.setattr("mbs_fmu.analysis.array_functions.machine_lanes", lambda: 1)


def forced(case: Case, largest: int = 4) -> Model:
    """A random tree with forces, outputs of all kinds and a signal state."""
    m = moving_tree(case, largest)
    add_forces(m, np.random.default_rng(case.seed))
    add_sensors(m, list(m.bodies.values())[-1])
    return m


class ComplexValues:
    """Values and outputs of a function at complex arguments, by its kernels as plain Python."""

    def __init__(self, function: ArrayFunction, kernel: str, *settings: float):
        self.kernels: Kernels = function._kernels
        self.program = self.kernels.mechanism.program
        module = self.kernels.mechanism.runtime.kernels.source_with()
        self.module = load_plain(values_module(module, self.kernels.method), COMPLEX)
        self.module.sines = self.sines  # type: ignore[attr-defined]
        self.kernel, self.settings = getattr(self.module, kernel), settings

    def sines(self, R: np.ndarray) -> None:
        """Equivalent of the generated `sines` for complex numbers."""
        region = self.program.region
        first, last = region("driven_sines").start, region("sines").stop
        q, offsets = (R[region(name).start :][: last - first] for name in ("driven_q", "driven_offsets"))
        R[first:last] = np.sin(q + offsets)
        R[region("driven_cosines").start :][: last - first] = np.cos(q + offsets)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        R, Y = self.kernels.R.astype(complex), np.zeros(self.kernels.width, dtype=complex)
        second = np.zeros_like(R) if not self.settings else self.kernels.mechanism.runtime.no_tables
        assert self.kernel(R, second, self.kernels.G, X, Y, *self.settings) == 0
        return Y


def check_jacobians(function: ArrayFunction, values: ComplexValues, seed: int) -> None:
    """Compare all Jacobians with complex steps along a random direction in each of x, u and p, to 1e-10."""
    X = np.array([0.3, *function.x0, *function.u0, *function.p0])
    nx, nu = len(function.x0), len(function.u0)
    got = function.jacobians(X[0], X[1 : 1 + nx], X[1 + nx :][:nu], X[1 + nx + nu :])
    J = {
        "x": (np.vstack([got.f_x, got.y_x]), 1), "u": (np.vstack([got.f_u, got.y_u]), 1 + nx),
        "p": (np.vstack([got.f_p, got.y_p]), 1 + nx + nu),
    }  # fmt: skip
    labels = [*function.states, *function.outputs]
    close(np.array([*got.f, *got.y]), values(X.astype(complex)).real, 1e-13, "value", labels)
    for what, (matrix, first) in J.items():
        if matrix.shape[1]:
            v = np.random.default_rng(seed).normal(size=matrix.shape[1])
            moved = X.astype(complex)
            moved[first : first + v.size] += 1j * STEP * v
            close(matrix @ v, values(moved).imag / STEP, 1e-10, f"derivative by {what}", labels)


@PLAIN
@BOTH
@each(JOINTS, rounds=2, usual=1, quick=1)
def test_jacobians_of_trees_equal_complex_steps(case: Case, states: str) -> None:
    """Rates and outputs of trees with forces of all kinds are differentiated by states, inputs and parameters."""
    f = mbs.ode(forced(case), ["gain"], states=states)
    check_jacobians(f, ComplexValues(f, "rates_and_outputs"), case.seed)


@PLAIN
@BOTH
@each(JOINTS, rounds=1, usual=1, quick=1)
def test_jacobians_by_mass_and_geometry_equal_complex_steps(case: Case, states: str) -> None:
    """Masses, inertias and places follow two parameters."""
    m = parametric_chain(case)
    add_forces(m, np.random.default_rng(case.seed))
    f = mbs.ode(m, ["heavy", "size", "gain"], states=states)
    check_jacobians(f, ComplexValues(f, "rates_and_outputs"), case.seed)


@PLAIN
@BOTH
@each(JOINTS, rounds=1, usual=1)
def test_jacobians_with_prescribed_motions_equal_complex_steps(case: Case, states: str) -> None:
    """Drives in time move some joints."""
    m = moving_tree(case, 4)
    add_drives(m, np.random.default_rng(case.seed))
    f = mbs.ode(m, states=states)
    check_jacobians(f, ComplexValues(f, "rates_and_outputs"), case.seed)


@PLAIN
@BOTH
@each(JOINTS, rounds=1, usual=1)
def test_jacobians_of_steps_equal_complex_steps(case: Case, states: str) -> None:
    """Maps of two steps, with normalised quaternions, also by parameters of mass and geometry."""
    m = parametric_chain(case)
    F = mbs.ode(m, ["heavy", "size"], states=states).step(H, 2)
    check_jacobians(F, ComplexValues(F, "rk4_map", H, 2), case.seed)


@PLAIN
@BOTH
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: bent_tree(1, 3), marks=pytest.mark.slow, id="elastic"),
        pytest.param(lambda: following_tree(Case("spherical", 1)), id="followers"),
    ],
)
def test_elastic_bodies_and_followers(make: Callable[[], Model], states: str) -> None:
    """Modal coordinates are states, coordinates of followers are not; Jacobians equal complex steps, also of steps,
    and steps equal runs bit for bit.
    """
    m = make()
    f = mbs.ode(m, states=states)
    F = f.step(H, 2)
    check_jacobians(f, ComplexValues(f, "rates_and_outputs"), 1)
    check_jacobians(F, ComplexValues(F, "rk4_map", H, 2), 1)
    run = mbs.simulate(m, 2 * H, method="rk4", step=H, output_interval=2 * H, momenta=states == "momenta")
    end = np.array([run[name][-1] for name in F.states])
    exact = 0.0 if states == "velocities" else 1e-12  # momenta of a run's rows are computed from their velocities
    assert np.allclose(F(0.0, F.x0), end, rtol=exact, atol=exact), first_difference(
        F(0.0, F.x0), end, exact, "end", F.states
    )


@PLAIN
@each(JOINTS, rounds=1, usual=2, quick=2)
def test_rates_equal_forward_dynamics(case: Case) -> None:
    """Rates of joint velocities are the accelerations of `forward_dynamics`, and rates of coordinates those of a
    run, bit for bit.
    """
    m = forced(case)
    f = mbs.ode(m)
    x_dot = dict(zip(f.states, f(0.0, f.x0), strict=True))
    inputs = dict(zip(f.inputs, map(float, f.u0), strict=True))
    for name, value in mbs.forward_dynamics(m, inputs=inputs).items():
        assert x_dot[name] == value, f"rate of {name}: {x_dot[name]}, not {value}"
    runtime, R = f._kernels.mechanism.runtime, f._kernels.R.copy()
    runtime.refresh(R)
    g = mbs.ode(m, states="momenta")
    rates = R[g._kernels.mechanism.f][: len(g.states)]
    assert np.array_equal(g(0.0, g.x0), rates), first_difference(g(0.0, g.x0), rates, 0.0, "rates", g.states)


@PLAIN
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@each(JOINTS, rounds=1, usual=1, quick=1)
def test_steps_equal_runs(case: Case, method: str) -> None:
    """States and outputs after some steps are those of `simulate`, bit for bit."""
    m = forced(case)
    F = mbs.ode(m).step(H, 3, method)
    run = mbs.simulate(m, 3 * H, method=method, step=H, output_interval=3 * H)
    for names, values in ((F.states, F(0.0, F.x0)), (F.outputs, F.outputs_at(0.0, F.x0))):
        expected = np.array([run[name][-1] for name in names])
        assert np.array_equal(values, expected), first_difference(values, expected, 0.0, "end", names)


def test_lanes_have_the_numbers_of_single_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled lanes give the values of calls without Jacobians, and the Jacobians of single directions. Of three joint
    velocities, the last one is in a group of its own.
    """
    m = pendulum_on_cart()
    m.body("lower", "rod", mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), at=(0, 0, -0.5))
    jacobians = {}
    for lanes in (2, 1):
        monkeypatch.setattr("mbs_fmu.analysis.array_functions.machine_lanes", lambda lanes=lanes: lanes)
        f = mbs.ode(m, ["c"])
        x = f.x0 + 0.1
        for name, own in (("rates", f), ("map", f.step(H, 2))):
            jacobians[name, lanes] = d = own.jacobians(0.0, x)
            assert own._kernels.lanes == lanes
            assert np.array_equal(d.f, own(0.0, x)) and np.array_equal(d.y, own.outputs_at(0.0, x))
            assert np.array_equal(own.jacobian(0.0, x), d.f_x)
    for name in ("rates", "map"):
        a, b = jacobians[name, 2], jacobians[name, 1]
        for field, left, right in zip(a._fields, a, b, strict=True):
            assert np.allclose(left, right, rtol=1e-12, atol=1e-12), f"{field} of {name}: {left - right}"


def test_tables_are_differentiated_without_lanes() -> None:
    """Where directions take different branches, as in a table, they are computed one by one."""
    m = Model("sprung", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on="b", force=([-1, 0, 1], [-6, 0, 2]))
    f = mbs.ode(m)
    for place, slope in ((0.5, -1), (-0.5, -3)):
        J = f.jacobian(0.0, [place, 0.0])
        assert_close(J, [[0, 1], [slope, 0]], 1e-14, f"derivative at {place} m", f.states)


def test_scipy_solves_the_equation() -> None:
    """`solve_ivp` with the Jacobian reaches the end of a run."""
    scipy = pytest.importorskip("scipy.integrate")
    m = pendulum_on_cart()
    f = mbs.ode(m, inputs={"force": 0.3})
    s = scipy.solve_ivp(f, (0.0, 1.0), f.x0, method="Radau", jac=f.jacobian, rtol=1e-8, atol=1e-10)
    run = mbs.simulate(m, 1.0, inputs={"force": 0.3}, rtol=1e-10, atol=1e-12)
    assert np.allclose(s.y[:, -1], [run[name][-1] for name in f.states], rtol=0, atol=1e-6), s.y[:, -1]


@PLAIN
@pytest.mark.quick
def test_accelerations_are_outputs() -> None:
    """A mass on a spring reports its acceleration, whose Jacobian is (-k/m, -d/m)."""
    m = Model("mass", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on=b, stiffness=8.0, damping=1.0)
    m.output("a", mbs.acceleration(b)[0])
    d = mbs.ode(m).jacobians(0.0, [0.5, 1.0])
    assert_close(d.f, [1.0, -2.5], 1e-14, "rate", ("b.s", "b.v"))
    assert_close(d.y, [-2.5], 1e-14, "acceleration of body 'b'")
    assert_close(d.f_x, [[0, 1], [-4, -0.5]], 1e-14, "derivative of the rates", ("b.s", "b.v"))
    assert_close(d.y_x, [[-4, -0.5]], 1e-14, "derivative of the acceleration", ("b.s", "b.v"))


@PLAIN
@pytest.mark.quick
def test_defaults_and_names() -> None:
    """Start values, inputs and parameters by name become the defaults, in the order of the names."""
    m = pendulum_on_cart()
    f = mbs.ode(m, ["rod_mass"], start={"rod.phi": 0.2}, inputs={"force": 1.5}, parameters={"rod_mass": 0.7})
    assert f.states == ["cart.s", "rod.phi", "cart.v", "rod.w"] and f.x0[1] == 0.2
    assert f.inputs == ["force"] and np.array_equal(f.u0, [1.5]) and np.array_equal(f.p0, [0.7])
    assert np.array_equal(f(0.0, f.x0), f(0, list(f.x0), [1.5], [0.7]))
    assert repr(f) == f"ode of {m.name!r}: 4 states, 1 input, 1 parameter, {len(f.outputs)} outputs"
    assert repr(f.step(0.01)) == f"map of one step of 'rk4' of 0.01 s of {m.name!r}: 4 states"
    assert mbs.ode(m, states="momenta").states[2:] == ["cart.p", "rod.p"]


@PLAIN
@pytest.mark.quick
def test_a_changed_model_needs_a_new_function() -> None:
    """Functions are those of the model at their making; Jacobians that are not compiled yet are refused afterwards."""
    m = pendulum_on_cart()
    f = mbs.ode(m)
    before = f(0.0, f.x0)
    m.body("late", "rod", mbs.Revolute("y"), mass=1.0, com=(0, 0, -1))
    assert np.array_equal(f(0.0, f.x0), before)
    with pytest.raises(mbs.ModelError, match=r"has changed since mbs\.ode: call mbs\.ode again"):
        f.jacobian(0.0, f.x0)


def sampled() -> Model:
    m = pendulum_on_cart()
    m.sampled("held", period=0.1, start=0.0, update=mbs.time)
    return m


def moved_by_an_input() -> Model:
    m = Model("lift")
    m.body("b", joint=mbs.Prismatic("z"), mass=1.0)
    m.drive("hoist", on="b", position=m.input("height", unit="m"), rate=m.input("climb", unit="m/s"))
    m.body("c", "b", mbs.Revolute("x"), mass=1.0, com=(0, 0, -1))
    return m


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mbs.ode(pendulum_on_cart(), independent=["cart.v"]), "independent is for closed loops"),
        (lambda: mbs.ode(sampled()), "sampled signals and events with resets jump"),
        (lambda: mbs.ode(moved_by_an_input()), 'follows input .height.: the acceleration .use states="momenta"'),
        (lambda: mbs.ode(pendulum_on_cart(), ["c", "c"]), "'c' stands twice"),
        (lambda: mbs.ode(pendulum_on_cart(), ["rod_mas"]), r"unknown parameter 'rod_mas' \(did you mean 'rod_mass'"),
        (lambda: mbs.ode(pendulum_on_cart(), "c"), "name parameters in a list"),
        (lambda: mbs.ode(pendulum_on_cart(), states="impulses"), 'use "velocities" or "momenta"'),
        (lambda: mbs.ode(pendulum_on_cart()).step(-0.1), "step is -0.1: give a positive number"),
        (lambda: mbs.ode(pendulum_on_cart()).step(0.1, 0), "steps is 0: give a whole number"),
        (lambda: mbs.ode(pendulum_on_cart()).step(0.1, method="gauss4"), "'gauss4': step maps exist for 'rk4'"),
        (lambda: mbs.ode(pendulum_on_cart())(0.0, [1.0]), r"shape \(4,\): cart.s, rod.phi, cart.v, rod.w"),
        (lambda: mbs.ode(pendulum_on_cart())(0.0, [1j] * 4), "x of .* is complex: use jacobians"),
        (lambda: mbs.ode(pendulum_on_cart())(0.0, np.zeros(4), u=np.zeros(2)), r"shape \(1,\): force"),
        (lambda: mbs.ode(pendulum_on_cart(), ["rod_mass"])(0.0, np.zeros(4), p=[-1.0]), "rod"),
    ],
)  # fmt: skip
def test_refusals_name_the_remedy(call: Callable[[], object], message: str) -> None:
    """Models that are no such equation, and arguments that do not fit, are refused in one sentence."""
    with pytest.raises(mbs.ModelError, match=message):
        call()
