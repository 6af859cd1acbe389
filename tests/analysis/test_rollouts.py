"""Runs as functions, with gradients in reverse mode, against runs of `simulate` and Jacobians of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.rollout import Rollout
from mbs_fmu.model.model import Model
from mbs_fmu.symbolic.expressions import leaf, where
from mbs_fmu.symbolic.graph import derivative, evaluate_all
from mbs_fmu.symbolic.reverse import adjoints
from models.pendulum_on_cart import pendulum_on_cart
from models.universal_chain import universal_chain
from support.cases import Case, each, some_quick
from support.comparisons import first_difference
from support.generators.elastic_mechanisms import bent_tree
from support.generators.mechanisms import JOINTS, add_drives
from support.generators.trees import add_forces, add_sensors, moving_tree, parametric_chain
from support.models.uneven_lines import banks
from support.oracles.complex_steps import close

H, STEPS = 1 / 1024, 3  #: s, a step size whose multiples are exact; number of steps
BOTH = pytest.mark.parametrize("states", ["velocities", pytest.param("momenta", marks=pytest.mark.usual)])
#: States, and whether adjoints of small models have loops; by default they have none.
FORMS = pytest.mark.parametrize(
    ("states", "loops"),
    [
        ("velocities", True),
        pytest.param("momenta", True, marks=pytest.mark.usual),
        pytest.param("momenta", False, marks=pytest.mark.usual),
    ],
)
PLAIN = pytest.mark.usefixtures("in_plain_python", "one_lane")


@pytest.fixture
def one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute directions of Jacobians one by one, as plain Python needs it."""
    monkeypatch.setattr("mbs_fmu.analysis.array_functions.machine_lanes", lambda: 1)


@pytest.fixture
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adjoints of `derive` with loops, if the parameter is true or missing, also of small models."""
    if getattr(request, "param", True):
        monkeypatch.setattr("mbs_fmu.integrate.functions.adjoints.FEW_OPERATIONS", 0)


def forced(case: Case) -> Model:
    """A random tree with forces and outputs of all kinds, an input and a signal state."""
    m = moving_tree(case, 4)
    add_forces(m, np.random.default_rng(case.seed))
    add_sensors(m, list(m.bodies.values())[-1])
    return m


def unit_quaternions(f: mbs.Ode) -> np.ndarray:
    """The Jacobian of the first row of a trajectory: quaternions are normalised there."""
    P, program = np.eye(len(f.x0)), f._kernels.mechanism.program
    for slot in program.quaternions.values():
        q = slice(slot - program.state_slice.start, slot - program.state_slice.start + 4)
        P[q, q] -= np.outer(f.x0[q], f.x0[q])
    return P


def chained(f: mbs.Ode, run: Rollout, u: np.ndarray, weights: tuple[np.ndarray, np.ndarray]) -> mbs.Gradient:
    """The gradient of a weighted sum of a trajectory by products of the Jacobians of its steps and rows."""
    F, x = f.step(run.step, method=run.method), run.x0
    nx, nu = len(x), u.shape[1]
    S = np.hstack([unit_quaternions(f), np.zeros((nx, u.size + len(f.p0)))])  # derivatives of x by all arguments
    total = np.zeros(S.shape[1])
    for row in range(run.steps + 1):
        held, time = min(row, run.steps - 1), row * run.step
        own = slice(nx + held * nu, nx + (held + 1) * nu)
        at = f.jacobians(time, x, u[held])
        y_S = at.y_x @ S
        y_S[:, own] += at.y_u
        y_S[:, nx + u.size :] += at.y_p
        total += weights[0][row] @ S + weights[1][row] @ y_S
        if row < run.steps:
            step = F.jacobians(time, x, u[row])
            S = step.f_x @ S
            S[:, own] += step.f_u
            S[:, nx + u.size :] += step.f_p
            x = step.f
    return mbs.Gradient(total[:nx], total[nx : nx + u.size].reshape(u.shape), total[nx + u.size :])


def check_gradient(f: mbs.Ode, method: str, seed: int) -> None:
    """Compare the gradient of a random weighted sum of a trajectory with random inputs to the chain rule.

    The tolerance belongs to sums of a few hundred products of numbers of the gradients' size.
    """
    run, rng = f.rollout(H, STEPS, method), np.random.default_rng(seed)
    u = f.u0 + rng.normal(size=(STEPS, len(f.u0)))
    trajectory, vjp = run.vjp(u=u)
    weights = rng.normal(size=trajectory.x.shape), rng.normal(size=trajectory.y.shape)
    got, expected = vjp(*weights), chained(f, run, u, weights)
    close(got.x, expected.x, 1e-11, "gradient by the start", f.states)
    close(got.u, expected.u, 1e-11, "gradient by the inputs of steps", f.inputs)
    close(got.p, expected.p, 1e-11, "gradient by parameters", f.parameters)


@PLAIN
@FORMS
@each(JOINTS, rounds=2, usual=1, quick=1)
def test_gradients_of_trees_equal_products_of_jacobians(case: Case, states: str, loops: None) -> None:
    """Trees of all joints with forces and measures; quaternions are normalised after each step."""
    check_gradient(mbs.ode(forced(case), ["gain"], states=states), "rk4", case.seed)


@PLAIN
@FORMS
@each(JOINTS, rounds=1, usual=1, quick=1)
def test_gradients_by_mass_and_geometry_equal_products_of_jacobians(case: Case, states: str, loops: None) -> None:
    """Masses, inertias and places follow two parameters."""
    m = parametric_chain(case)
    add_forces(m, np.random.default_rng(case.seed))
    check_gradient(mbs.ode(m, ["heavy", "size", "gain"], states=states), "rk4", case.seed)


@PLAIN
@each(JOINTS, rounds=1, usual=1)
def test_gradients_with_prescribed_motions_equal_products_of_jacobians(case: Case, loops: None) -> None:
    """Drives in time move some joints."""
    m = moving_tree(case, 4)
    add_drives(m, np.random.default_rng(case.seed))
    check_gradient(mbs.ode(m, states="momenta"), "rk4", case.seed)


@PLAIN
@pytest.mark.parametrize("method", ["dopri5", "tsit5", "dop853"])
def test_gradients_of_all_explicit_methods(method: str) -> None:
    """The adjoint of a step follows from the tableau of the method."""
    check_gradient(mbs.ode(pendulum_on_cart(), ["rod_mass"]), method, 1)


@PLAIN
@pytest.mark.parametrize("method", some_quick(["rk4", "dopri5"], 1))
@each(JOINTS, rounds=1, usual=1, quick=1)
def test_trajectories_equal_runs(case: Case, method: str) -> None:
    """States and outputs in all rows are those of `simulate` with constant inputs, bit for bit."""
    m = forced(case)
    G = mbs.ode(m).rollout(H, STEPS, method)
    trajectory = G()
    run = mbs.simulate(m, STEPS * H, method=method, step=H, output_interval=H)
    assert np.array_equal(trajectory.t, run["time"])
    for names, rows in ((G.states, trajectory.x), (G.outputs, trajectory.y)):
        expected = np.array([run[name] for name in names]).T
        assert np.array_equal(rows, expected), first_difference(rows, expected, 0.0, "row", names)


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("loops", [True, False], indirect=True)
def test_tables_have_gradients(loops: None) -> None:
    """Laws by tables and conditions, on either side of their kinks."""
    m = Model("laws", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("table", on=b, force=([-1, 0, 1], [-6, 0, 2]))
    m.motor("one_sided", on=b, force=-3.0 * mbs.max(mbs.coordinate(b), 0.0) ** 2)
    for s in (-0.3, 0.4):
        check_gradient(mbs.ode(m, start={"b.s": s, "b.v": 0.2}), "rk4", 2)


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("loops", [True, False], indirect=True)
def test_roads_have_gradients(loops: None) -> None:
    """A force that follows the height of a road over lines at unequal distances."""
    m = Model("banks", gravity=(0, 0, 0))
    a = m.body("a", joint=mbs.Prismatic("x"), mass=2.0)
    b = m.body("b", a, mbs.Prismatic("y"), mass=1.0)
    m.motor("force", on=b, force=-50.0 * banks().height(mbs.coordinate(a), mbs.coordinate(b)))
    for y in (-0.5, 0.4):
        check_gradient(mbs.ode(m, start={"a.s": 0.3, "b.s": y, "b.v": 0.2}), "rk4", 2)


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("loops", [True, False], indirect=True)
def test_sliding_contacts_have_gradients(loops: None) -> None:
    """A ball that slides on the ground, whose bristles are states."""
    m = Model("ball")
    ball = m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.contact("ground", "world", ball, shape_b=mbs.Sphere(0.1), stiffness=1e4, friction=0.3)
    start = {"ball.q[3]": 0.0995, "ball.u[1]": 0.4}
    check_gradient(mbs.ode(m, start=start, states="momenta"), "rk4", 3)


@PLAIN
@pytest.mark.slow
@BOTH
def test_gradients_of_elastic_trees_equal_products_of_jacobians(states: str) -> None:
    """A tree with bent bodies, whose modal coordinates are states."""
    check_gradient(mbs.ode(bent_tree(1, 2), states=states), "rk4", 5)


@PLAIN
@pytest.mark.quick
def test_adjoints_are_transposed_tangents() -> None:
    """For random formulas f: w . (J v) = (J' w) . v, up to rounding of some hundred terms."""
    rng = np.random.default_rng(4)
    x = [leaf(k) for k in range(5)]
    nodes = list(x)
    makers: list[Callable[..., mbs.Expression]] = [
        lambda a, b: a * b, lambda a, b: a - b, lambda a, b: a / (2.0 + b * b), lambda a, b: mbs.sin(a) + b,
        lambda a, b: mbs.atan2(a, 2.0 + b * b), lambda a, b: mbs.exp(-a * a) * b, lambda a, b: where(a < b, a, 3.0 * b),
        lambda a, b: mbs.sqrt(1.0 + a * a) - b, lambda a, b: (1.5 + mbs.tanh(a)) ** 2.5 + b,
    ]  # fmt: skip
    for k in range(60):
        a, b = rng.integers(len(nodes), size=2)
        nodes.append(makers[k % len(makers)](nodes[a], nodes[b]))
    roots = nodes[-4:]
    w, v, point = rng.normal(size=4), rng.normal(size=5), rng.normal(size=5)
    tangents = derivative(roots, lambda k: leaf(f"v{k}"))
    backward = adjoints(roots, [leaf(f"w{k}") for k in range(4)])
    values = {k: point[k] for k in range(5)} | {f"v{k}": v[k] for k in range(5)} | {f"w{k}": w[k] for k in range(4)}
    J_v = np.array(evaluate_all(tangents, values.__getitem__))
    references = list(backward)
    J_w = dict(zip(references, evaluate_all(list(backward.values()), values.__getitem__), strict=True))
    left, right = w @ J_v, sum(J_w[k] * v[k] for k in references)
    size = np.abs(w) @ np.abs(J_v) + sum(abs(J_w[k] * v[k]) for k in references)
    assert abs(left - right) < 1e-12 * size, f"{left} forwards, {right} in reverse"


def test_a_compiled_gradient_descends() -> None:
    """With compiled kernels: the gradient of a cost, an output, equals differences, and descends along itself."""
    m = pendulum_on_cart()
    G = mbs.ode(m, ["length"]).rollout(0.01, 100)
    u = np.zeros((100, 1))
    value, gradient = G.gradient("energy", u=u)
    e = 1e-6
    base = {"x": G.x0, "u": u, "p": G.p0}
    places: dict[str, Any] = {"x": 1, "u": (40, 0), "p": 0}
    for name, place in places.items():
        ends = []
        for change in (-e, e):
            moved = base[name].copy()
            moved[place] += change
            ends.append(G.gradient("energy", **base | {name: moved})[0])
        difference, part = (ends[1] - ends[0]) / (2 * e), getattr(gradient, name)[place]
        assert abs(part - difference) < 1e-6 * max(1.0, abs(difference)), f"{name}: {part}, differences {difference}"
    assert G.gradient("energy", u=u - 1e-3 * gradient.u)[0] < value


def test_a_compiled_gradient_with_loops_equals_differences() -> None:
    """The derivative of a weighted sum of a trajectory along a random direction of the start.

    Central differences with two steps e and e / 2, extrapolated: an error of the order e^4 and of rounding / e.
    """
    G, rng, e = mbs.ode(universal_chain()).rollout(1e-3, 30), np.random.default_rng(2), 1e-4
    trajectory, vjp = G.vjp()
    weights, move = rng.normal(size=trajectory.x.shape), rng.normal(size=len(G.x0))
    gradient = vjp(x=weights).x

    def slope(step: float) -> float:
        ends = [np.sum(weights * G(x=G.x0 + change * move).x) for change in (step, -step)]
        return float((ends[0] - ends[1]) / (2 * step))

    difference = (4 * slope(e / 2) - slope(e)) / 3
    size = np.abs(gradient) @ np.abs(move)
    assert abs(gradient @ move - difference) < 1e-8 * size, f"{gradient @ move}, by differences {difference}"


@PLAIN
@pytest.mark.quick
def test_gradients_do_not_depend_on_later_runs() -> None:
    """A pullback belongs to its own trajectory, and may be called again."""
    G = mbs.ode(pendulum_on_cart(), ["length"]).rollout(0.01, 4)
    trajectory, vjp = G.vjp(u=[0.3])
    weights = np.ones_like(trajectory.x)
    first = vjp(x=weights)
    G(u=[5.0], p=[2.0])
    for name, a, b in zip(first._fields, first, vjp(x=weights), strict=True):
        assert np.array_equal(a, b), name
    for name, a in zip(first._fields, vjp(), strict=True):
        assert not a.any(), name


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 0), "steps is 0: give a whole number"),
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 2, "gauss4"), "'gauss4': step maps exist for 'rk4'"),
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 2)(u=np.zeros((3, 1))), r"\(1,\), or \(2, 1\) for each"),
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 2)(x=[1.0]), r"shape \(4,\): cart.s"),
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 2).vjp()[1](x=np.zeros(4)), r"weights of shape \(3, 4\)"),
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 2).gradient("enrgy"), "did you mean 'energy'"),
        (lambda: mbs.ode(pendulum_on_cart()).rollout(0.1, 2).gradient("cost"), "give one of position, speed"),
        (lambda: mbs.ode(pendulum_on_cart(), ["rod_mass"]).rollout(0.1, 2)(p=[-1.0]), "rod"),
    ],
)  # fmt: skip
def test_refusals_of_runs_name_the_remedy(call: Callable[[], object], message: str) -> None:
    """Models without gradients of runs, and arguments that do not fit, are refused in one sentence."""
    with pytest.raises(mbs.ModelError, match=message):
        call()


@PLAIN
@pytest.mark.quick
def test_large_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adjoints without loops that would take long to compile are refused, with the remedy."""
    monkeypatch.setattr("mbs_fmu.integrate.functions.adjoints.MOST_NODES", 30)
    with pytest.raises(mbs.ModelError, match="too large for gradients of runs: "):
        mbs.ode(bent_tree(1, 1)).rollout(0.1, 2)()
