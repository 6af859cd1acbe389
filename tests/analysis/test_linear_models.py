"""Linear models, against differences of the dense reference and closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.mechanism import Mechanism
from mbs_fmu.analysis.point import Point
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from models.governor import governor
from models.pendulum_on_cart import CART, CART_FRICTION, HINGE_FRICTION, LENGTH, ROD, pendulum_on_cart
from support.cases import Case, each
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import bent_loops
from support.generators.loops import LOOP_JOINTS, loops_of
from support.generators.mechanisms import JOINTS, random_tree
from support.generators.trees import add_forces, moving_tree
from support.oracles.dense import Dense

FREE = ["arm.q[1]", "arm.q[2]", "arm.q[3]", "torque"]
STEP = 2e-4  #: of fourth-order differences, along a direction of length one
FOURTH = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))

pytestmark = pytest.mark.usefixtures("in_plain_python")


def difference(f: Callable[[float], np.ndarray], h: float = STEP) -> np.ndarray:
    """Return the derivative at zero, of fourth order."""
    return sum(weight * f(k * h) for k, weight in FOURTH) / (12 * h)


class Deviating:
    """A model near the point of a linear model, by the dense reference; loops stay closed."""

    def __init__(self, m: Model, lin: mbs.LinearModel):
        self.lin, self.dense, self.closed = lin, Dense(m), bool(m.loops)
        names = [name for name in lin.states if name in self.dense.rates]
        self.own = [self.dense.rates.index(name) for name in names]
        self.rows = slice(first := lin.states.index(names[0]) if names else 0, first + len(names))
        self.q, self.u = self.dense.read(lin.values)
        self.shapes = np.array([lin.shapes[lin.coordinates.index(name)] for name in self.dense.coordinates])

    def state(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities if the states deviate by v."""
        q, u = self.q + self.shapes @ v, self.u.copy()
        u[self.own] += v[self.rows]
        held = [self.dense.rates[k] for k in self.own]
        return self.dense.consistent(q, u, self.lin.time, held) if self.closed else (q, u)

    def accelerations(self, v: np.ndarray) -> np.ndarray:
        """Return the accelerations of the independent joint velocities."""
        return self.dense.accelerations(*self.state(v), self.lin.time)[0][self.own]


def check_rows_of_accelerations(m: Model, seed: int) -> None:
    """Compare the rows with differences, whose errors of h^4 and eps/h are at most 1e-10 of the largest number."""
    lin = mbs.linearize(m)
    near, v = Deviating(m, lin), np.random.default_rng(seed).normal(size=len(lin.states))
    v /= np.linalg.norm(v)
    computed = difference(lambda s: near.accelerations(s * v))
    assert np.allclose(lin.A[near.rows] @ v, computed, rtol=0, atol=1e-9 * np.abs(lin.A).max(initial=1.0)), (
        f"rates of velocities {lin.A[near.rows] @ v}, not {computed}"
    )


@each(JOINTS, rounds=2, usual=1, quick=1)
def test_linear_models_of_trees_equal_differences(case: Case) -> None:
    """Rates of velocities of a moving tree are differentiated by all coordinates and velocities."""
    m = random_tree(np.random.default_rng(case.seed), case.largest(4), must=case.joint)
    check_rows_of_accelerations(m, case.seed)


@each(LOOP_JOINTS, rounds=1, usual=1)
def test_linear_models_of_loops_equal_differences(case: Case) -> None:
    """Directions are motions that keep the loops closed."""
    check_rows_of_accelerations(loops_of(case, 5), case.seed)


@pytest.mark.slow
def test_linear_models_of_elastic_bodies_equal_differences() -> None:
    """The reference is the package's own exact accelerations; modes are coordinates like others."""
    m = bent_loops(3, 3)
    lin = mbs.linearize(m)
    v = np.random.default_rng(0).normal(size=len(lin.states))
    v /= np.linalg.norm(v)
    mechanism = Mechanism(m)
    R = mechanism.record({}, {}, {}, 0.0)
    mechanism.begin(R)
    point = Point(mechanism, R)
    rows = slice(point.counts[0], sum(point.counts[:2]))
    computed = difference(lambda s: point.moved(s * v).rates[rows])
    assert any(".xi[1]" in name for name in lin.states)
    assert np.allclose((lin.A @ v)[rows], computed, rtol=0, atol=1e-9 * np.abs(lin.A).max()), (
        f"rates {(lin.A @ v)[rows]}, not {computed}"
    )


@each(JOINTS, rounds=1, usual=1)
def test_linear_models_with_forces_equal_differences(case: Case) -> None:
    """Springs, friction and other forces act along joints and between bodies."""
    m = moving_tree(case, 4)
    add_forces(m, np.random.default_rng(case.seed))
    check_rows_of_accelerations(m, case.seed)


def test_a_pendulum_on_a_cart_has_the_exact_linear_model() -> None:
    """A = [[0, 1], [M⁻¹K, -M⁻¹C]] upright and B = M⁻¹ of the force on the cart, to rounding."""
    lin = mbs.linearize(pendulum_on_cart(), start={"rod.phi": 0.0})
    half = LENGTH / 2
    M = np.array([[CART + ROD, ROD * half], [ROD * half, ROD * LENGTH**2 / 3]])
    K, C = np.diag([0.0, ROD * 9.81 * half]), np.diag([CART_FRICTION, HINGE_FRICTION])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    assert lin.states == ["cart.s", "rod.phi", "cart.v", "rod.w"] and lin.residual == 0.0 and lin.frozen == []
    assert_close(lin.A, A, 1e-13, "A", lin.states)
    assert_close(lin.B[:, 0], [0, 0, *np.linalg.solve(M, [1.0, 0.0])], 1e-14, "B", lin.states)
    assert_close(lin.C[lin.outputs.index("tip[1]")], [1.0, LENGTH, 0, 0], 1e-15, "row tip[1] of C", lin.states)
    assert not lin.D.any()
    head, *lists = repr(lin).splitlines()[:4]
    matrices = repr(lin).splitlines()[4:]
    assert lists[:2] == ["states: cart.s, rod.phi, cart.v, rod.w", f"inputs: {lin.inputs[0]}"]
    assert lists[2].startswith("outputs: ")
    assert head == f"linear model of {lin.name!r}: 4 states, 1 input, {len(lin.outputs)} outputs, residual 0"
    assert matrices[0].startswith("A (4, 4): [[") and sum(line.startswith("B (4, 1): [[") for line in matrices) == 1


@pytest.mark.quick
@pytest.mark.parametrize(
    ("at", "k", "d"), [(-0.3, 50.0, 4.0), (-0.2, 50.0, 4.0), (0.0, 0.0, 0.0), (0.2, 50.0, 4.0), (0.3, 50.0, 4.0)]
)
def test_stops_have_stiffness_from_the_point_of_touch(at: float, k: float, d: float) -> None:
    """At rest, neither spring nor damper acts between the ends, and one of each beyond them and at
    the point of touch.
    """
    m = Model("slide", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.limit("stops", on="b", lower=-0.2, upper=0.2, stiffness=50.0, damping=4.0)
    assert np.array_equal(mbs.linearize(m, start={"b.s": at}).A, [[0, 1], [-k, -d]])


@pytest.mark.quick
def test_overlapping_ends_of_a_stop_both_act() -> None:
    """Bounds that cross, by parameters, give two springs and two dampers, from -k (q - lower) - k (q - upper)."""
    m = Model("squeezed", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.limit("ends", on="b", lower=m.parameter("low", 0.2), upper=m.parameter("high", -0.2), stiffness=50.0, damping=4.0)
    lin = mbs.linearize(m, start={"b.s": 0.05})
    assert_close(lin.A, [[0, 1], [-100, -8]], 1e-12, "A", lin.states)
    assert_close(mbs.forward_dynamics(m, start={"b.s": 0.05})["b.v"], -5.0, 5e-14, "acceleration of body 'b'")


@pytest.mark.parametrize("at", [-1e-4, 0.0, 1e-4])
@pytest.mark.parametrize("backlash", [None, 0.0, "none", "wide"])
def test_elastic_teeth_act_with_one_flank(at: float, backlash: object) -> None:
    """A rack on elastic teeth is one spring and damper, also if both flanks touch, and nothing within backlash."""
    m = Model("rack", gravity=(0, 0, 0))
    pinion = m.body("pinion", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.005, 0.005, 0.005))
    slide = m.body("slide", joint=mbs.Prismatic("x"), mass=3.0)
    play = m.parameter("play", 0.0 if backlash == "none" else 1e-3) if isinstance(backlash, str) else backlash
    m.rack("teeth", pinion, slide, radius=0.04, stiffness=1e5, damping=20.0, backlash=play)
    row, masses = np.array([0.04, 1.0]), np.array([0.005, 3.0])
    lin = mbs.linearize(m, start={"pinion.phi": at})
    push = 0.0 if backlash == "wide" else -np.outer(row / masses, row)
    expected = np.hstack([1e5 * push * np.ones((2, 2)), 20.0 * push * np.ones((2, 2))])
    assert_close(lin.A[2:], expected, 1e-13 * np.abs(expected).max(), "lower rows of A", lin.states)


def spinning(joint: mbs.Joint) -> Model:
    m = Model("spinning", gravity=(0, 0, 0))
    m.body("b", joint=joint, mass=2.0, inertia=(1.0, 2.0, 2.5))
    return m


@pytest.mark.quick
@pytest.mark.parametrize("axis", range(3))
def test_a_spinning_body_has_eulers_eigenvalues(axis: int) -> None:
    """Perturbations of the spin w about axis a have lambda² = -w² (J_a - J_b)(J_a - J_c)/(J_b J_c), by Euler's
    equations.
    """
    J, spin = np.array([1.0, 2.0, 2.5]), 3.0
    others = [k for k in range(3) if k != axis]
    expected = -(spin**2) * np.prod(J[axis] - J[others]) / np.prod(J[others])
    start = {"b.q[1]": 0.3, "b.q[2]": 0.2, "b.q[3]": -0.5, "b.q[4]": 0.7, f"b.u[{axis + 1}]": spin}
    lin = mbs.linearize(spinning(mbs.Spherical()), start=start)
    computed = np.linalg.eigvals(lin.A[np.ix_(*2 * ([3 + k for k in others],))])
    assert lin.residual < 1e-15
    assert_close(computed**2, expected, 1e-13 * abs(expected), "squared eigenvalue")


@pytest.mark.quick
def test_position_deviations_of_a_free_body_are_in_body_axes() -> None:
    """A small displacement and rotation (s, r) have s' = dv - w x s + r x v, r' = dw - w x r."""
    lin = mbs.linearize(spinning(mbs.Free()), start={f"b.u[{k + 1}]": 0.5 * k - 1.0 for k in range(6)})
    v, w = lin.rates[:3], lin.rates[3:6]
    cross = lambda x: np.cross(x, np.eye(3)).T  # noqa: E731
    exact = np.block([[-cross(w), -cross(v), np.eye(6)[:3]], [np.zeros((3, 3)), -cross(w), np.eye(6)[3:]]])
    assert lin.states[:6] == [
        f"b.{kind}" for kind in ("shift[1]", "shift[2]", "shift[3]", "turn[4]", "turn[5]", "turn[6]")
    ]
    assert_close(lin.A[:6], exact, 1e-14, "upper rows of A", lin.states)


def skate(a: float) -> Model:
    m = Model("skate", gravity=(0, 0, 0))
    body = m.body("b", joint=mbs.Planar("z"), mass=2.0, com=(a, 0, 0), inertia=(0.3, 0.3, 0.5))
    m.close("edge", "world", body, mbs.KnifeEdge((0, 1, 0)))
    return m


@pytest.mark.parametrize("speed", [1.5, -1.5])
def test_a_skate_is_stable_forwards_only(speed: float) -> None:
    """With the centre of mass ahead of its edge by a, (J + m a²) w' = -m a v w: steering decays only forwards."""
    a, m, J = 0.3, 2.0, 0.5
    lin = mbs.linearize(skate(a), start={"b.u[1]": speed})
    values = np.sort(lin.modes().values.real)
    assert len(lin.states) == 5  # three positions, two velocities
    expected = np.sort([0, 0, 0, 0, -m * a * speed / (J + m * a * a)])
    assert_close(values, expected, 1e-12, "eigenvalue")


def four_bar_in_motion() -> Model:
    m = four_bar()
    m.set_parameter("b", 0.5)
    return m


def test_a_moving_four_bar_has_the_linear_model_of_its_geometry() -> None:
    """Differences of an independent geometry agree to all their digits; the pin's force is that of
    the dense reference.
    """
    m = four_bar_in_motion()
    lin = mbs.linearize(m)
    assert_close(lin.A, [[0, 1], [9.17927302, -0.12074096]], 5e-9, "A", lin.states)
    near = Deviating(m, lin)
    for j in range(2):
        v = np.eye(2)[j]
        force = difference(lambda s, v=v: near.dense.reactions(*near.state(s * v))["pin"][:3])
        computed = [lin.C[lin.outputs.index(f"force[{k}]"), j] for k in (1, 2)]
        assert_close(computed, force[:2], 1e-9 * np.abs(force).max(), f"force of the pin by {lin.states[j]}", "xy")
    assert lin.shape(np.array([1.0, 0.0]))["crank.phi"] == 1.0
    mechanism = Mechanism(m)
    R = mechanism.record({}, {}, {}, 0.0)
    mechanism.begin(R)
    point, v = Point(mechanism, R), np.array([0.6, 0.8])
    slots = [x.slot for x in mechanism.program.of_role("output")]
    expected = difference(lambda s: point.moved(s * v).R[slots])
    assert_close(lin.C @ v, expected, 1e-9, "derivative of output", lin.outputs)
    other = mbs.linearize(m, independent=["rocker.w"])
    assert other.states == ["rocker.phi", "rocker.w"]


@pytest.mark.parametrize("steady", [True, False])
def test_the_governor_has_the_linear_model_of_differences(steady: bool) -> None:
    """It is linearised in its steady motion and in a general one, with its torque as input: B is M⁻¹ of the dense
    reference.
    """
    m = governor()
    turning = {"shaft.w": 8.0, "arm.q[1]": 0.27, "arm.q[2]": 0.4, "arm.q[3]": -0.3, "arm.u[2]": -1.0, "arm.u[3]": 2.0}
    lin = mbs.trim(m, start={"shaft.w": 10.0}, free=FREE) if steady else mbs.linearize(m, start=turning)
    near, v = Deviating(m, lin), np.random.default_rng(1).normal(size=8)
    near.dense.signals["torque"] = lin.values["torque"]
    v /= np.linalg.norm(v)
    computed = difference(lambda s: near.accelerations(s * v))
    assert_close(lin.A[4:] @ v, computed, 1e-10 * np.abs(lin.A).max(), "rate", lin.states[4:])
    inverse = np.linalg.inv(near.dense.mass_matrix(near.q))
    expected = inverse[near.own, near.dense.rates.index("shaft.w")]
    assert_close(lin.B[4:, 0], expected, 1e-12 * np.abs(expected).max(), "B", lin.states[4:])


@pytest.mark.quick
def test_linear_models_include_signals_and_rows_of_results() -> None:
    """A first-order actuator is a state; a row of a result is a valid point; frozen signals are named."""
    m = Model("servo")
    body = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    command = m.input("command", start=0.5)
    force = m.state("force", rate=lambda f: (command - f) / 0.1)
    m.motor("push", on=body, force=force)
    m.event("far", mbs.coordinate(body) - 10.0)
    result = mbs.simulate(m, 1.0, method="rk4", step=0.1)
    lin = mbs.linearize(m, at=result, row=3)
    assert lin.states == ["b.s", "b.v", "force"] and lin.frozen == ["events do not act: far"]
    assert lin.values["b.s"] == result["b.s"][3] and lin.time == result.time[3]
    assert_close(lin.A, [[0, 1, 0], [0, 0, 0.5], [0, 0, -10.0]], 1e-14, "A", lin.states)
    assert_close(lin.B, [[0], [0], [10.0]], 1e-14, "B", lin.inputs)


@pytest.mark.quick
def test_sticking_clutches_stick_in_linear_models() -> None:
    """Closures keep their constraint modes: two shafts that stick turn as one, under any force."""
    m = Model("clutch", gravity=(0, 0, 0))
    a, b = (m.body(x, joint=mbs.Revolute("x"), mass=1.0, inertia=(J, J, J)) for x, J in (("a", 0.5), ("b", 1.5)))
    m.motor("drive", on=a, torque=m.input("torque"))
    m.friction("clutch", on=a, against=b, torque=12.0, stick=True)
    lin = mbs.linearize(m)
    assert lin.frozen == ["closures stay in their modes: clutch.mode = 0"]
    assert [name for name in lin.states if name.endswith(".w")] == lin.states[-1:]
    assert lin.B[-1, 0] == pytest.approx(0.5)
    slipping = mbs.linearize(m, start={"a.w": 1.0})
    assert_close(sorted(slipping.B[-2:, 0]), [0.0, 2.0], 1e-14, "B of the slipping clutch")


@pytest.mark.quick
def test_models_without_a_linear_model_are_refused() -> None:
    m = Model("driven")
    body = m.body("b", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    angle, rate = m.input("angle"), m.input("rate")
    m.drive("servo", on=body, position=angle, rate=rate)
    with pytest.raises(
        mbs.ModelError, match="drive 'servo' follows input 'angle': a linear model would need its rates"
    ):
        mbs.linearize(m)
    with pytest.raises(mbs.ModelError, match=r"can't be crank.w, rocker.w: .* can, or leave it out"):
        mbs.linearize(four_bar(), independent=["crank.w", "rocker.w"])
    with pytest.raises(mbs.ModelError, match="independent: 'x' is not a joint velocity"):
        mbs.linearize(four_bar(), independent=["x"])


def test_damping_is_a_number_for_every_mode() -> None:
    """A drifting mode has eigenvalue zero and neither decays nor grows: its ratio is 0, and no NaN is printed."""
    m = mbs.Model("free", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    computed = mbs.linearize(m).damping()
    assert computed["damping"].tolist() == [0.0, 0.0] and "nan" not in repr(computed)


@pytest.mark.quick
def test_state_spaces_of_python_control_need_inputs_and_outputs() -> None:
    """It has no systems without them: the message names the remedy."""
    m = mbs.Model("rod")
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.output("angle", mbs.coordinate(rod), unit="rad")
    with pytest.raises(mbs.ModelError, match=r"rod has no input: python-control needs one, add it by m\.input"):
        mbs.linearize(m).to_control()


def test_linear_models_become_state_spaces_of_python_control() -> None:
    """Matrices and names are the same."""
    pytest.importorskip("control")
    linear = mbs.linearize(pendulum_on_cart())
    system = linear.to_control()
    assert np.array_equal(system.A, linear.A) and np.array_equal(system.D, linear.D)
    assert system.input_labels == linear.inputs and system.output_labels == linear.outputs


def test_a_law_without_a_derivative_is_named() -> None:
    """Rates without a derivative are refused, since a matrix of NaN serves nobody; drag at rest has one."""
    m = mbs.Model("drifting", gravity=(0, 0, 0))
    hull = m.body("hull", joint=mbs.Planar("z"), mass=2.0, inertia=(1, 1, 1))
    v = mbs.velocity(hull)
    m.force("water", on=hull, force=-3.0 * v.norm() * v)
    assert not mbs.linearize(m).A[3:].any()
    m.output("drift", mbs.atan2(v[1], v[0]))
    with np.errstate(invalid="ignore"):
        with pytest.warns(UserWarning, match=r"derivative of drift by hull\.q\[1\] is nan.*linearize beside it"):
            mbs.linearize(m)
        m.force("keel", on=hull, torque=(0, 0, -mbs.atan2(v[1], v[0])))
        with pytest.raises(mbs.ModelError, match=r"derivative of the rate of hull\.u\[3\] by hull\.q\[1\] is nan"):
            mbs.linearize(m)
