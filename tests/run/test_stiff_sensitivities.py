"""Sensitivities with rodas5p: derivatives of its steps, against closed forms and differences on the same steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.rosenbrock import Rosenbrock
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.model.model import Model
from mbs_fmu.run.simulate import compiled
from models.four_bar import four_bar
from models.governor import governor
from models.pendulum_on_cart import pendulum_on_cart
from models.planetary_gear import planetary_gear
from models.rolling_disc import rolling_disc
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.mechanisms import JOINTS
from support.generators.trees import add_forces, parametric_chain
from support.sensitivities import check

PLAIN = pytest.mark.usefixtures("in_plain_python")
STEPS = {"method": "rodas5p", "step": 0.01, "output_interval": 0.02}


def stability(z: complex) -> complex:
    """Return R(z) of rodas5p: a step of size h multiplies the solution of x' = a x by R(a h)."""
    rosenbrock = method("rodas5p")
    assert isinstance(rosenbrock, Rosenbrock)
    alpha, coupling = (np.array(rows, dtype=float) for rows in rosenbrock._classical())
    ones = np.ones(len(alpha))
    slopes = np.linalg.solve(np.eye(len(alpha)) - z * (alpha + coupling), ones)
    return complex(1.0 + z * (np.array(rosenbrock.m) @ coupling) @ slopes)


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("rate", [1.0, 40.0, 1e3, 1e6])
def test_linear_decay_has_the_derivative_of_the_stability_function(rate: float) -> None:
    """x' = -k x: behind n steps x = x0 R(z)^n with z = -k h, so k dx/dk = x0 n R^(n - 1) R'(z) z."""
    m = Model("decay")
    k = m.parameter("k", rate)
    m.state("x", lambda x: -k * x, start=2.0)
    h = 0.05
    r = mbs.simulate(m, 4 * h, method="rodas5p", step=h, output_interval=h, sensitivities=["k", "x"])
    R = stability(-rate * h)
    slope = stability(-rate * h * (1.0 + 1e-30j)).imag / 1e-30  # R' z
    n = np.arange(5)
    powers = np.real(R) ** np.maximum(n - 1, 0)
    assert_close(r.sensitivity("x", "x"), np.real(R) ** n, 1e-12, "derivative by the start", times=r.time)
    assert_close(rate * r.sensitivity("x", "k"), 2.0 * n * powers * slope, 1e-12, "k times that by k", times=r.time)


# -- against differences -----------------------------------------------------------------------------------------


@PLAIN
@each(JOINTS, rounds=1, usual=2, quick=1)
def test_mass_and_geometry(case: Case) -> None:
    """Every joint with mass, inertia and placement by parameters, and nonlinear forces with an input."""
    m = parametric_chain(case)
    add_forces(m, np.random.default_rng(case.seed))
    program = compiled(m).program
    starts = [v.name for v in program.of_role("coordinate", "rate", "state")]
    names = dict.fromkeys([*m.parameters, *starts[:2], *starts[-2:], "level"])
    check(m, list(names), case.seed, stop=0.01, **{**STEPS, "output_interval": 0.01})


@PLAIN
@pytest.mark.quick
def test_inputs_of_time() -> None:
    """The derivatives of the rates by time have tangents: inputs with slopes and jumps, laws, functions of time."""
    m = pendulum_on_cart()
    m.output("pin", mbs.reaction("rod").f)
    m.output("a", mbs.acceleration("rod"))
    m.motor("kick", on="cart", force=mbs.where(mbs.time < 0.02, 1.0, -1.0) * mbs.sin(90 * mbs.time) * mbs.rate("cart"))
    names = ["length", "rod_mass", "rod.phi", "cart.v"]
    check(m, names, inputs={"force": ([0.0, 0.013, 0.02, 0.02, 1.0], [0.0, 90.0, 20.0, -1.0, 2.0])}, **STEPS)
    check(m, names, inputs={"force": lambda t: mbs.sin(90 * t)}, **STEPS)


@PLAIN
@pytest.mark.quick
def test_a_tangent_of_an_input_shifts_its_table() -> None:
    """x'' = u(t): a constant of 1 N, added to the table, moves 2 kg by t^2 / 4, whatever the slopes."""
    m = Model("pushed", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.motor("push", on="b", force=m.input("force"))
    r = mbs.simulate(m, 0.1, inputs={"force": ([0.0, 0.05, 1.0], [0.0, 50.0, -3.0])}, sensitivities=["force"], **STEPS)
    assert_close(r.sensitivity("b.s", "force"), r.time**2 / 4, 1e-15, "derivative of b.s by the input", times=r.time)


def slow_and_fast() -> Model:
    """Return a body with LuGre friction and fast signal states, whose rates depend on parameters."""
    m = Model("slow_and_fast")
    fast, coulomb = m.parameter("fast", 1e5), m.parameter("coulomb", 1.0)
    m.body("block", joint=mbs.Prismatic("x"), mass=m.parameter("mass", 1.0))
    m.lugre_friction(
        "rail", "block", coulomb=coulomb, static=1.5, speed=1e-3, stiffness=1e5, damping=316.0, viscous=0.4
    )
    lag = m.state("lag", lambda z: fast * (mbs.coordinate("block") - z + 0.1 * z**3), start=0.3)
    m.motor("pull", on="block", force=m.state("later", lambda z: 1e3 * (3 * lag - z)))
    m.start("block", u=1e-2)
    return m


def pressed_ball() -> Model:
    """Return a ball that is pressed on a stiff floor, slides and begins to roll."""
    m = Model("pressed_ball")
    stiffness, grip = m.parameter("stiffness", 1e6), m.parameter("grip", 0.4)
    ball = m.body("ball", joint=mbs.Free(), mass=m.parameter("mass", 2.0), inertia=(8e-3, 8e-3, 8e-3))
    m.contact("floor", "world", ball, shape_b=mbs.Sphere(0.1), stiffness=stiffness, friction=grip, static=0.6)
    m.start(ball, q=(0, 0, 0.099, 1, 0, 0, 0), u=(0.3, 0.2, 1.0, 0.5, 0, -0.1))
    return m


def belt_drive() -> Model:
    """Return a driven pulley, a belt that creeps on it, and a pulley with a load."""
    m = Model("belt_drive", gravity=(0, 0, 0))
    friction, stiffness = m.parameter("friction", 0.3), m.parameter("stiffness", 8e4)
    a = m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    b = m.body("b", joint=mbs.Revolute("z"), mass=2.0, inertia=(1e-2, 1e-2, 2e-2), at=(0.4, 0, 0))
    m.drive("engine", on=a, position=m.parameter("speed", 100.0) * mbs.time)
    pulleys = [mbs.Pulley(a, "50 mm"), mbs.Pulley(b, "100 mm")]
    mbs.belt(m, "belt", pulleys, stiffness=stiffness, preload=400.0, friction=friction, creep=1e-3)
    m.motor("load", on=b, torque=-m.input("load"))
    m.start(b, u=50.0)
    return m


STIFF: dict[str, tuple[Callable[[], Model], list[str], dict[str, Any]]] = {
    "friction": (slow_and_fast, ["fast", "coulomb", "mass", "block.v", "lag", "later"], {"size": 1e-7, "step": 1e-3}),
    "belt": (
        belt_drive,
        ["friction", "stiffness", "speed", "load", "b.w", "belt_tension1"],
        {"size": 1e-7, "step": 2e-4, "stop": 2e-3, "output_interval": 1e-3, "inputs": {"load": 20.0}},
    ),
    "contact": (
        pressed_ball,
        ["stiffness", "grip", "mass", "ball.u[1]", "ball.u[6]"],
        {"size": 1e-7, "step": 1e-3, "stop": 0.01},
    ),
}


@PLAIN
@pytest.mark.parametrize("case", tiers(STIFF, usual=3))
def test_stiff_elements(case: tuple[Callable[[], Model], list[str], dict[str, Any]]) -> None:
    """Friction, fast signals, belts and contacts, with parameters of their laws."""
    make, names, options = case
    check(make(), names, **{**STEPS, "output_interval": 5e-3, **options})


LOOPS: dict[str, tuple[Callable[[], Model], list[str]]] = {
    "four_bar": (four_bar, ["ground", "b", "crank.phi", "crank.w"]),
    "rolling_disc": (rolling_disc, []),
    "governor": (governor, []),
    "planetary_gear": (planetary_gear, []),
}


@PLAIN
@pytest.mark.parametrize("case", tiers(LOOPS, usual=1))
def test_loops(case: tuple[Callable[[], Model], list[str]]) -> None:
    """Projections, re-basing and assembly included; names by default: parameters, and starts that are held."""
    m, names = case[0](), case[1]
    starts = [v.name for v in compiled(m).program.of_role("coordinate", "rate")]
    check(m, names or [*list(m.parameters)[:4], *starts[-2:]], stop=0.02, **STEPS)


# -- against other methods ---------------------------------------------------------------------------------------


def forced_oscillator() -> Model:
    """Return Van der Pol's oscillator with a force of time, whose amplitude and frequency are parameters."""
    m = Model("oscillator")
    a, b, damping = m.parameter("a", 1.2), m.parameter("b", 3.0), m.parameter("damping", 0.7)
    x = m.state("x", mbs.signal("y"), start=1.0)
    m.state("y", lambda y: damping * (1 - x**2) * y - x + a * mbs.sin(b * mbs.time), start=0.5)
    return m


NAMES = ["a", "b", "damping", "x", "y"]


def at_the_end(method: str, **options: Any) -> np.ndarray:
    """Return the sensitivities of the last row, (directions, columns)."""
    r = mbs.simulate(forced_oscillator(), 1.0, method=method, output_interval=1.0, sensitivities=NAMES, **options)
    return np.array([r.sensitivities[name][-1] for name in NAMES])


@PLAIN
def test_sensitivities_have_the_order_of_the_method() -> None:
    """Halved steps divide the error by 2^5."""
    exact = at_the_end("dop853", step=0.01)
    errors = [np.linalg.norm(at_the_end("rodas5p", step=h) - exact) for h in (0.1, 0.05, 0.025)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (np.abs(orders - 5.0) < 0.5).all(), (errors, orders)


@PLAIN
def test_error_control_agrees_with_an_explicit_method() -> None:
    """Both are exact to some ten times their tolerance."""
    one, two = (at_the_end(name, rtol=1e-9, atol=1e-10) for name in ("rodas5p", "dopri5"))
    assert_close(one, two, 1e-7, "derivatives at the end", NAMES)


@PLAIN
def test_a_stiff_model_is_identified() -> None:
    """Data of a run with other parameters give these back."""
    m = Model("lagging", gravity=(0, 0, 0))
    stiff, fast = m.parameter("stiff", 40.0, min=0.0), 1e6
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("pull", on="b", force=m.state("lag", lambda z: fast * (-stiff * mbs.coordinate("b") - z)))
    m.start("b", q=1.0)
    options: dict[str, Any] = {"method": "rodas5p", "step": 0.02}
    shown = mbs.simulate(m, 0.4, parameters={"stiff": 46.0}, output_interval=0.1, **options)
    fit = mbs.identify(m, {"time": shown.time, "b.s": shown["b.s"]}, free=["stiff"], progress=False, **options)
    assert fit.values["stiff"] == pytest.approx(46.0, rel=1e-8)
