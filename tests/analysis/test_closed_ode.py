"""`mbs.ode` of closed loops: rates, Jacobians and gradients of runs in minimal coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.linear.linearize import linear_model
from mbs_fmu.analysis.mechanism import Mechanism
from mbs_fmu.analysis.point import Point
from mbs_fmu.model.model import Model
from models.cam_follower import cam_follower
from models.four_bar import four_bar
from models.planetary_gear import planetary_gear
from models.slider_crank import slider_crank
from models.solar_array import solar_array
from models.stewart_platform import stewart_platform
from support.cases import Case, tiers
from support.comparisons import assert_close
from support.generators.loops import loops_of
from support.models.bundled import built
from support.models.fmu_models import bob, hoist
from support.oracles.complex_steps import close

PLAIN = pytest.mark.usefixtures("in_plain_python")
MODELS: dict[str, Callable[[], Model]] = {
    "four_bar": four_bar, "slider_crank": slider_crank, "planetary_gear": planetary_gear, "bob": bob,
    "hoist": hoist, "weld": lambda: loops_of(Case("weld", 1), 5), "cylinder": lambda: loops_of(Case("cylinder", 1), 5),
    "elastic": lambda: built("flexible_slider_crank"),
}  # fmt: skip
SLOW = {"slider_crank", "planetary_gear", "hoist", "weld", "cylinder", "elastic"}


def skater() -> Model:
    """A planar body on a knife edge: three positions and two velocities are free. A spring and a motor act on it."""
    m = Model("skater", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Planar(), mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.2))
    m.close("edge", "world", body, mbs.KnifeEdge())
    m.force("push", on=body, force=(m.input("push", start=1.0), 0.3, 0))
    m.output("place", mbs.position(body, (0.2, 0, 0)))
    m.start(body, q=(0.1, 0.2, 0.3), guess=True)
    return m


def shaken() -> Model:
    """A four-bar on a base that moves in time, with a spring by a table and a signal state."""
    m = Model("shaken", gravity=(0, -9.81, 0))
    base = m.body("base", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("shake", on=base, position=0.1 * mbs.sin(3.0 * mbs.time), rate=0.3 * mbs.cos(3.0 * mbs.time))
    crank = m.body("crank", base, mbs.Revolute("z"), **mbs.rod((1.0, 0, 0), mass=1.0))
    coupler = m.body("coupler", crank, mbs.Revolute("z"), at=(1.0, 0, 0), **mbs.rod((2.0, 0, 0), mass=2.0))
    rocker = m.body("rocker", coupler, mbs.Revolute("z"), at=(2.0, 0, 0), **mbs.rod((1.5, 0, 0), mass=1.5))
    m.close("pin", rocker, base, mbs.Revolute("z"), at_a=(1.5, 0, 0), at_b=(2, 0, 0))
    lag = m.state("lag", rate=m.input("torque", start=0.4) - mbs.rate(crank), start=0.2)
    m.spring("spring", on=crank, force=([-9, 2, 9], [-6, 0, 2]))
    m.motor("motor", on=crank, torque=3.0 * lag)
    m.output("reach", mbs.position(rocker, (0.5, 0, 0)))
    m.output("load", mbs.reaction(rocker).f)
    m.start(crank, q=2.0, u=1.0)
    m.start(coupler, q=-1.2, guess=True)
    m.start(rocker, q=-1.5, guess=True)
    return m


def named(name: str) -> object:
    return pytest.param(MODELS[name], id=name, marks=[pytest.mark.slow] if name in SLOW else [])


@PLAIN
@pytest.mark.parametrize(
    "make", [*map(named, MODELS), pytest.param(skater, id="skater"), pytest.param(shaken, id="shaken")]
)
def test_values_and_jacobians_are_those_of_the_linear_model(make: Callable[[], Model]) -> None:
    """At the start and at another state, rates, outputs and Jacobians are those of `linearize`, to rounding."""
    m = make()
    f = mbs.ode(m)
    mechanism = Mechanism(m)
    R = mechanism.record({}, dict(zip(f.inputs, map(float, f.u0), strict=True)), {}, 0.0)
    mechanism.begin(R)
    point = Point(mechanism, R)
    assert f.states == point.states
    step = 0.05 * np.sin(1.0 + np.arange(len(f.states)))
    for at in (0.0 * step, step):
        there = point.moved(at)
        expected = linear_model(there, {})
        d = f.jacobians(0.0, f.x0 + at)
        values = {name: there.R[v.slot] for name, v in mechanism.program.by_name.items()}
        pairs = {
            "rates": (d.f, expected.rates), "outputs": (d.y, np.array([values[name] for name in f.outputs])),
            "A": (d.f_x, expected.A), "B": (d.f_u, expected.B), "C": (d.y_x, expected.C), "D": (d.y_u, expected.D),
        }  # fmt: skip
        for what, (got, right) in pairs.items():
            bound = 1e-9 * max(1.0, float(np.abs(right).max(initial=0.0)))  # assemblies end at some 1e-12
            assert np.allclose(got, right, rtol=0, atol=bound), f"{what}: {got - right}"


@PLAIN
def test_a_far_state_stays_on_its_branch() -> None:
    """After turns of the crank, the rates are those of the same angle, also at the second call."""
    f = mbs.ode(four_bar())
    near = f(0.0, f.x0)
    turned = [f.x0[0] + 4.0 * np.pi, f.x0[1]]
    far = f(0.0, turned)
    # the angle's sine has an error of 1e-15
    assert_close(far, near, 1e-11 * np.abs(near), "rate after two turns", f.states)
    # it begins at another guess
    assert_close(f(0.0, turned), far, 1e-12 * np.abs(far), "rate at the second call", f.states)


@pytest.mark.quick
@PLAIN
def test_a_scotch_yoke_has_the_rates_of_its_closed_form() -> None:
    """With J the inertia of the crank and m r² that of the slide at its pin, u² (J + m r² sin² phi) is constant, also
    after turns. Jacobians equal complex steps of this form. States ten thousand radians away are refused.
    """
    m = Model("yoke", gravity=(0, 0, 0))
    crank = m.body("crank", joint=mbs.Revolute("z"), inertia=(0.2, 0.2, 0.3))
    slide = m.body("slide", joint=mbs.Prismatic("x"), mass=2.0)
    m.close("pin", slide, crank, mbs.OnPlane("x"), at_b=(0.5, 0, 0))
    m.start(crank, q=0.4, u=1.0)

    def rates(x: np.ndarray) -> np.ndarray:
        return np.array([x[1], -0.25 * np.sin(2.0 * x[0]) * x[1] ** 2 / (0.3 + 0.5 * np.sin(x[0]) ** 2)])

    f = mbs.ode(m)
    for x in (f.x0, np.array([1.1, 2.0]), np.array([14.0, -3.0])):
        d, expected = f.jacobians(0.0, x), rates(x)
        columns = [rates(x + 1e-30j * unit).imag / 1e-30 for unit in np.eye(2)]
        assert_close(d.f, expected, 1e-11 * np.abs(expected).max(), f"rate at {x}", f.states)
        assert np.abs(d.f_x - np.transpose(columns)).max() <= 1e-11 * np.abs(columns).max(), f"Jacobian at {x}"
    for change in (1.001e4, -1.001e4, np.inf):
        with pytest.raises(mbs.ModelError, match="loop 'pin' does not close"):
            f(0.0, [14.0 + change, -3.0])


@pytest.mark.slow
@PLAIN
def test_large_changes_stay_on_the_branch_of_small_ones() -> None:
    """After a change of the crank by up to two turns at once, the rates are those that changes by a tenth of a radian
    lead to. States ten thousand radians away are refused.
    """
    at_once, in_steps = mbs.ode(four_bar()), mbs.ode(four_bar())
    angle, speed = at_once.x0
    for change in np.random.default_rng(79).uniform(-12.0, 12.0, size=6):
        count = int(abs(change) / 0.1) + 1
        for k in range(1, count + 1):
            expected = in_steps(0.0, [angle + k * change / count, speed])
        angle += change
        found = at_once(0.0, [angle, speed])
        assert_close(found, expected, 1e-9 * np.abs(expected).max(), f"rate after {change:.3f} rad", at_once.states)
    with pytest.raises(mbs.ModelError, match="loop 'pin' does not close"):
        at_once(0.0, [angle + 1.1e4, speed])


@PLAIN
def test_tunable_parameters_are_arguments() -> None:
    """Jacobians by parameters of forces equal differences."""
    f = mbs.ode(slider_crank(), ["b", "gas_force_max"])
    x, h = np.array([f.x0[0] + 0.3, 20.0]), 1e-3
    J = f.jacobians(0.0, x)
    for k, unit in enumerate(np.eye(2)):
        sides = [f(0.0, x, p=f.p0 + sign * h * f.p0 * unit) for sign in (1.0, -1.0)]
        difference = (sides[0] - sides[1]) / (2.0 * h * f.p0[k])  # exact for forces that are linear in it
        bound = 1e-9 * (np.abs(difference) + np.abs(difference).max())
        assert_close(J.f_p[:, k], difference, bound, f"derivative by {f.parameters[k]!r}", f.states)


@pytest.mark.slow
def test_scipy_solves_a_closed_loop() -> None:
    """`solve_ivp` reaches the end of a run, and `independent=` selects the states."""
    scipy = pytest.importorskip("scipy.integrate")
    m = four_bar()
    for independent, stop in ((None, 1.0), (["rocker.w"], 0.1)):  # before the rocker turns back
        run = mbs.simulate(m, stop, rtol=1e-11, atol=1e-12)
        f = mbs.ode(m, independent=independent)
        assert independent is None or f.states == ["rocker.phi", "rocker.w"]
        s = scipy.solve_ivp(f, (0.0, stop), f.x0, method="DOP853", rtol=1e-10, atol=1e-12)
        end = [run[name][-1] for name in f.states]
        assert np.allclose(s.y[:, -1], end, rtol=0, atol=1e-7), s.y[:, -1]


def doubled(closed: bool) -> Model:
    """A pendulum of two parts, of which the second hangs on a hinge of its own and is welded to the first by a closure,
    or is welded to it as its child.
    """
    m = Model("doubled")
    first = m.body("first", joint=mbs.Revolute("y"), **mbs.rod((0, 0, -0.6), mass=1.0))
    second = {"mass": 0.8, "com": (0.1, 0, -0.3), "inertia": (0.1, 0.2, 0.1)}
    if closed:
        m.close("weld", first, m.body("second", joint=mbs.Revolute("y"), **second), mbs.Weld())
    else:
        m.body("second", first, mbs.Weld(), **second)
    m.spring("spring", on=first, stiffness=m.parameter("k", 2.0), damping=m.parameter("c", 0.3))
    m.motor("motor", on=first, torque=m.input("torque", start=0.5) + 0.2 * m.state("lag", rate=mbs.rate(first)))
    m.output("tip", mbs.position(first, (0, 0, -0.6)))
    m.start(first, q=0.4, u=0.3)
    return m


def check_close(got: mbs.Gradient, expected: mbs.Gradient, tolerance: float) -> None:
    """Compare gradients, to `tolerance` times the largest number of each part."""
    for name, a, b in zip(got._fields, got, expected, strict=True):
        close(a, b, tolerance, f"gradient by {name}")


@PLAIN
def test_gradients_of_closed_runs_equal_those_of_a_tree() -> None:
    """The same mechanism without loop has the same gradient of any weighted sum of its rows, up to the errors of steps:
    some 1e-3 h^4, with h = 1/128 s.
    """
    steps, rng = 6, np.random.default_rng(1)
    u = rng.normal(size=(steps, 1))
    options: dict[bool, Any] = {True: {"independent": ["first.w"]}, False: {}}
    loop, tree = (mbs.ode(doubled(closed), ["k", "c"], **options[closed]).rollout(1 / 128, steps) for closed in options)
    assert loop.states == tree.states and loop.outputs == tree.outputs
    (a, vjp_a), (b, vjp_b) = loop.vjp(u=u, x=[0.4, 0.3, 0.1]), tree.vjp(u=u, x=[0.4, 0.3, 0.1])
    assert np.allclose(a.x, b.x, rtol=0, atol=1e-11) and np.allclose(a.y, b.y, rtol=0, atol=1e-11)
    weights = rng.normal(size=a.x.shape), rng.normal(size=a.y.shape)
    check_close(vjp_a(*weights), vjp_b(*weights), 1e-9)


@PLAIN
@pytest.mark.parametrize("method", tiers(["rk4", "dopri5"], usual=1))
def test_gradients_of_closed_runs_equal_differences(method: str) -> None:
    """A four-bar on a shaken base, with a table and reactions: gradients by the start and by the inputs of each step.

    Central differences have an error of some e^2 and 1e-12 / e, since assemblies end at some 1e-12.
    """
    run, rng, e = mbs.ode(shaken()).rollout(0.02, 2, method), np.random.default_rng(2), 1e-4
    x0, u = run.x0 + 0.1, 0.4 + 0.1 * rng.normal(size=(2, 1))  # apart from the kink of the table
    trajectory, vjp = run.vjp(x=x0, u=u)
    weights = rng.normal(size=trajectory.x.shape), rng.normal(size=trajectory.y.shape)

    def value(x: np.ndarray, u: np.ndarray) -> float:
        rows = run(x=x, u=u)
        return float(np.sum(rows.x * weights[0]) + np.sum(rows.y * weights[1]))

    by_x = [(value(x0 + d, u) - value(x0 - d, u)) / (2 * e) for d in e * np.eye(len(x0))]
    by_u = np.array([[(value(x0, u + d) - value(x0, u - d)) / (2 * e)] for d in e * np.eye(2)[:, :, None]])
    check_close(vjp(*weights), mbs.Gradient(np.array(by_x), by_u, np.zeros(0)), 1e-6)


@PLAIN
def test_closed_runs_are_steps_of_the_equation() -> None:
    """The rows of a run are those of rk4 by calls of the equation, in time, with inputs of each step, to rounding."""
    f, h, steps = mbs.ode(shaken()), 0.02, 3
    u = 0.4 + 0.1 * np.random.default_rng(4).normal(size=(steps, 1))
    x, got = f.x0.copy(), f.rollout(h, steps)(0.3, u=u)
    for step in range(steps + 1):
        held, t = u[min(step, steps - 1)], 0.3 + step * h
        close(got.x[step], x, 1e-13, f"states of row {step}", f.states)
        close(got.y[step], f.outputs_at(t, x, held), 1e-11, f"outputs of row {step}", f.outputs)  # of forces
        a = f(t, x, held)
        b = f(t + h / 2, x + h / 2 * a, held)
        c = f(t + h / 2, x + h / 2 * b, held)
        d = f(t + h, x + h * c, held)
        x = x + h / 6 * (a + 2 * b + 2 * c + d)
    assert np.allclose(got.t, 0.3 + h * np.arange(steps + 1), rtol=1e-15)


@PLAIN
def test_closed_runs_do_not_depend_on_earlier_ones() -> None:
    """Runs begin with the loops of the start, so that they repeat their bits, and end where `simulate` does."""
    f = mbs.ode(four_bar())
    run = f.rollout(0.01, 5)
    first = run()
    run(x=[2.5, -4.0])
    for name, a, b in zip(first._fields, first, run(), strict=True):
        assert np.array_equal(a, b), name
    for name, a, b in zip(first._fields, first, run.vjp()[0], strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-12), name
    end = mbs.simulate(four_bar(), 0.05, method="rk4", step=0.01, output_interval=0.05)
    assert np.allclose(first.x[-1], [end[name][-1] for name in run.states], rtol=0, atol=1e-7)  # 0.05 h^4 |x^(5)|


@PLAIN
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mbs.ode(four_bar(), states="momenta"), "momenta depend on each other: leave out states="),
        (lambda: mbs.ode(four_bar(), independent=["crank.p"]), "'crank.p' is not a joint velocity"),
        (lambda: mbs.ode(four_bar()).step(0.1), "closed loops, whose steps are no map of minimal coordinates"),
        (lambda: mbs.ode(four_bar()).rollout(0.1, 2, "gauss4"), "'gauss4': step maps exist for 'rk4'"),
        (lambda: mbs.ode(four_bar())(0.0, [np.nan, 0.0]), "loop"),
        (lambda: mbs.ode(cam_follower()), "curves that touch, whose contact points are no states"),
        (lambda: mbs.ode(stewart_platform()), "name joint velocities of other joints by independent="),
        (lambda: mbs.ode(solar_array()), "closures with constraint modes jump: use simulate"),
    ],
)  # fmt: skip
def test_refusals_of_loops_name_the_remedy(call: Callable[[], object], message: str) -> None:
    """Loops without minimal coordinates, and calls that do not fit them, are refused in one sentence."""
    with pytest.raises(mbs.ModelError, match=message):
        call()
