"""`mbs.to_casadi`: graphs have the numbers and Jacobians of `mbs.ode`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from models.pendulum_on_cart import pendulum_on_cart
from support.cases import Case, each
from support.comparisons import first_difference
from support.generators.contacts import bodies_in_contact, dragged
from support.generators.coupled_joints import following_tree
from support.generators.elastic_mechanisms import bent_tree
from support.generators.mechanisms import JOINTS, add_drives
from support.generators.trees import add_forces, add_sensors, moving_tree, parametric_chain
from support.models.curved_roads import bend, cart
from support.models.uneven_lines import UnevenLines, banks

ca = pytest.importorskip("casadi", reason="graphs need the package casadi")
PLAIN = pytest.mark.usefixtures("in_plain_python", "one_lane")
BOTH = pytest.mark.parametrize("states", ["velocities", pytest.param("momenta", marks=pytest.mark.usual)])
H = 2.0**-10  #: step size, s, at which stiff springs of random trees remain stable


@pytest.fixture
def one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute directions one by one, as plain Python needs it."""
    monkeypatch.setattr("mbs_fmu.analysis.array_functions.machine_lanes", lambda: 1)


def check(m: Model, parameters: list[str], states: str = "velocities", x: np.ndarray | None = None) -> None:
    """Compare values, outputs and steps with those of `ode`, to 1e-13, and Jacobians of rates, to 1e-11."""
    f, g = mbs.ode(m, parameters, states=states), mbs.to_casadi(m, parameters, states=states)
    F, G = f.step(H, 2), mbs.to_casadi(m, parameters, states=states, step=H, steps=2)
    at = 0.3, f.x0 if x is None else x, f.u0, f.p0
    for own, graph in ((f, g), (F, G)):
        got = np.concatenate([np.array(part).ravel() for part in graph(*at)])
        expected = np.concatenate([own(*at), own.outputs_at(*at)])
        bound = 1e-13 * max(1.0, float(np.nanmax(np.abs(expected))))
        assert np.allclose(got, expected, rtol=0, atol=bound, equal_nan=True), first_difference(
            got, expected, bound, "value", [*own.states, *own.outputs]
        )
    symbols = [ca.MX.sym(name, np.size(number)) for name, number in zip("txup", at, strict=True)]
    J = ca.Function("J", symbols, [ca.jacobian(g(*symbols)[0], symbols[1])])
    expected = f.jacobian(*at)
    bound = 1e-11 * max(1.0, float(np.abs(expected).max()))  # round-off in another order, times the mass matrix
    assert np.allclose(np.array(J(*at)), expected, rtol=0, atol=bound), np.array(J(*at)) - expected


def bumps(rng: np.random.Generator, nx: int = 6, ny: int = 8) -> mbs.HeightField:
    """A height field with random heights of some 0.1 m."""
    x, y = np.linspace(-1.0, 1.5, nx), np.linspace(-0.8, 1.3, ny)
    return mbs.HeightField(x, y, 0.1 * rng.normal(size=(nx, ny)))


def on_bumps() -> Model:
    """A ball that slides on a height field, whose highest point below it three rounds of slopes find."""
    rng = np.random.default_rng(3)
    m = Model("terrain")
    ball = m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.contact("ground", "world", ball, shape_a=bumps(rng), shape_b=mbs.Sphere(0.4), stiffness=1e4, friction=0.3)
    m.start("ball", q=(0.13, 0.22, 0.35, 1, 0, 0, 0), u=(0.4, 0.1, 0.1, 0.1, 0.3, -0.2))
    m.output("load", mbs.contact_force("ground"))
    return m


def weighed() -> Model:
    """A mass on a spring, with its acceleration and the reaction of its joint."""
    m = Model("mass")
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on=b, stiffness=8.0, damping=1.0)
    m.output("a", mbs.acceleration(b))
    m.output("bearing", mbs.reaction(b).f)
    m.start(b, q=0.1, u=0.2)
    return m


@PLAIN
@BOTH
@each(JOINTS, rounds=1, usual=1, quick=1)
def test_graphs_of_trees_have_the_numbers_of_ode(case: Case, states: str) -> None:
    """Trees with forces of all kinds, outputs of all kinds and a signal state."""
    m = moving_tree(case, 3)
    add_forces(m, np.random.default_rng(case.seed))
    add_sensors(m, list(m.bodies.values())[-1])
    check(m, ["gain"], states)


@PLAIN
@each(JOINTS, rounds=1, usual=1)
def test_graphs_by_mass_and_geometry(case: Case) -> None:
    """Masses, inertias and places follow two symbolic parameters."""
    m = parametric_chain(case)
    add_forces(m, np.random.default_rng(case.seed))
    check(m, ["heavy", "size", "gain"])


@PLAIN
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: bent_tree(1, 2), marks=pytest.mark.slow, id="elastic"),
        pytest.param(lambda: following_tree(Case("spherical", 1)), marks=pytest.mark.slow, id="followers"),
        pytest.param(dragged, id="contacts"),
        pytest.param(on_bumps, id="height field"),
        pytest.param(lambda: bodies_in_contact("sphere on box, spinning", 5), marks=pytest.mark.slow, id="box"),
        pytest.param(lambda: bodies_in_contact("capsule on mesh, smooth", 5), marks=pytest.mark.slow, id="hull"),
        pytest.param(weighed, id="reactions"),
    ],
)
def test_graphs_of_other_models(make: Callable[[], Model]) -> None:
    """Modal coordinates, followers, contacts, reactions and accelerations."""
    check(make(), [])


@PLAIN
def test_graphs_with_prescribed_motions() -> None:
    """Drives in time move some joints."""
    m = moving_tree(Case("revolute", 0), 4)
    add_drives(m, np.random.default_rng(3))
    check(m, [])


@PLAIN
@pytest.mark.parametrize("s", [-3.0, -0.7, 0.0, 0.2, 1.5, 4.5])
def test_tables_and_splines_become_pieces(s: float) -> None:
    """Tables, their slopes and areas, periodic splines and conditions, inside and outside their points."""
    m = Model("laws", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    x = mbs.coordinate(b)
    m.spring("spring", on=b, force=([-1, 0, 1], [-6, 0, 2]))
    m.motor("motor", on=b, force=mbs.where(x > 0.1, mbs.sin(mbs.time), 0.3) - mbs.abs(x))
    points = [-1.0, 0.5, 2.0], [1.0, -1.0, 3.0]
    m.output("table", mbs.table(x, *points))
    m.output("slope", mbs.slope(x, *points))
    m.output("energy", mbs.energy())
    check(m, [], x=np.array([s, 0.4]))


def guided(heights: mbs.HeightField | UnevenLines) -> Model:
    """A mass in the plane, whose forces and outputs read a height field."""
    m = Model("terrain", gravity=(0, 0, 0))
    slide = m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    b = m.body("b", slide, mbs.Prismatic("y"), mass=2.0)
    height = heights.height(mbs.coordinate(slide), mbs.coordinate(b))
    m.motor("along", on=slide, force=-5.0 * height)
    m.motor("across", on=b, force=mbs.sin(3.0 * height) * mbs.rate(b))
    m.output("height", height)
    m.output("normal", heights.normal(mbs.coordinate(slide), mbs.coordinate(b)))
    return m


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize(
    "place", [(0.3, 0.4), (-1.0, -0.8), (1.5, 1.3), (-2.0, 0.1), (0.7, 2.0), (3.0, -3.0), (0.5, 0.1)]
)
def test_height_fields_become_b_splines(place: tuple[float, float]) -> None:
    """Height fields at places in cells, on lines and corners of the grid, and beyond its ends."""
    m = guided(bumps(np.random.default_rng(1)))
    check(m, [], x=np.array([*place, 0.4, -0.3]))


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("place", [(0.3, 0.4), (-1.0, -2.0), (1.5, 1.3), (-2.0, 0.1), (0.7, 3.0), (0.6, -0.9)])
def test_roads_over_unequal_lines_become_b_splines(place: tuple[float, float]) -> None:
    """Places in cells, on lines and corners, and beyond the ends."""
    check(guided(banks()), [], x=np.array([*place, 0.4, -0.3]))


@PLAIN
@pytest.mark.quick
def test_places_on_curved_roads_become_graphs() -> None:
    """Those of a wheel, by its state, and of a body, by a search; with Jacobians and steps."""
    check(cart(bend()), ["pull"])


@PLAIN
@pytest.mark.quick
def test_graphs_of_height_fields_have_exact_hessians() -> None:
    """The Hessian of a height equals differences of its gradient, and a surface costs the same for each grid."""
    rng = np.random.default_rng(2)
    g = mbs.to_casadi(guided(bumps(rng)))
    x = ca.SX.sym("x", 4)
    H, gradient = ca.hessian(ca.sumsqr(g(0.0, x, [], [])[1]), x)
    both = ca.Function("both", [x], [H, gradient])
    at, h = np.array([0.13, 0.37, 0.2, -0.4]), 1e-5
    differences = [(both(at + d)[1] - both(at - d)[1]).full().ravel() / (2 * h) for d in h * np.eye(4)]
    H = np.array(both(at)[0])
    assert np.allclose(H, differences, rtol=0, atol=1e-6 * np.abs(H).max())  # h^2 / (0.3 m)^2 and 1e-16 / h
    fine = mbs.to_casadi(guided(bumps(rng, 40, 50)))
    assert fine.n_instructions() == g.n_instructions()


@PLAIN
@pytest.mark.quick
def test_functions_have_names_and_exact_hessians() -> None:
    """Arguments have names, and the Hessian of the energy along the motion equals differences of its gradient."""
    m = pendulum_on_cart()
    g = mbs.to_casadi(m, ["rod_mass"])
    assert g.name_in() == ["t", "x", "u", "p"] and g.name_out() == ["xdot", "y"]
    assert mbs.to_casadi(m, step=0.01).name_out() == ["xf", "y"]
    x, rest = ca.SX.sym("x", 4), (0.5, 0.3)
    H, gradient = ca.hessian(ca.sumsqr(g(0.0, x, *rest)[0]), x)
    both = ca.Function("both", [x], [H, gradient])
    at, h = np.array([0.1, 0.3, 0.2, -0.4]), 1e-5
    differences = [(both(at + d)[1] - both(at - d)[1]).full().ravel() / (2 * h) for d in h * np.eye(4)]
    H = np.array(both(at)[0])
    assert np.allclose(H, differences, rtol=0, atol=1e-7 * np.abs(H).max())  # h^2 and 1e-16 / h


def open_four_bar() -> Model:
    """A four-bar with a motor in time, without outputs of reactions."""
    m = Model("bar", gravity=(0, -9.81, 0))
    crank = m.body("crank", joint=mbs.Revolute("z"), **mbs.rod((1.0, 0, 0), mass=m.parameter("mass", 1.0)))
    coupler = m.body("coupler", crank, mbs.Revolute("z"), at=(1.0, 0, 0), **mbs.rod((2.0, 0, 0), mass=2.0))
    rocker = m.body("rocker", coupler, mbs.Revolute("z"), at=(2.0, 0, 0), **mbs.rod((1.5, 0, 0), mass=1.5))
    m.close("pin", rocker, "world", mbs.Revolute("z"), at_a=(1.5, 0, 0), at_b=(2, 0, 0))
    m.motor("motor", on=crank, torque=m.input("torque", start=3.0, unit="N.m"))
    m.output("reach", mbs.position(rocker, (0.5, 0, 0)))
    m.start(crank, q=2.0, u=1.0)
    m.start(coupler, q=-1.2, guess=True)
    m.start(rocker, q=-1.5, guess=True)
    return m


@PLAIN
def test_multipliers_close_loops() -> None:
    """With multipliers for which the gap's second derivative is zero, accelerations are those of the closed model."""
    m = open_four_bar()
    f = mbs.to_casadi(m, ["mass"], loops="multipliers")
    assert f.states[:3] == ["crank.phi", "coupler.phi", "rocker.phi"] and len(f.rows) == 2
    x, force = ca.SX.sym("x", 6), ca.SX.sym("force", 2)
    rates, _, gap = f.function(0.0, x, f.u0, f.p0, force)
    second = ca.jtimes(ca.jtimes(gap, x, rates), x, rates)
    A = ca.jacobian(second, force)
    solved = ca.Function("solved", [x], [ca.solve(ca.substitute(A, force, 0), -ca.substitute(second, force, 0))])
    values = [np.array(v).ravel() for v in f.function(0.0, f.x0, f.u0, f.p0, solved(f.x0))]
    accelerations = list(mbs.forward_dynamics(m).values())
    assert np.allclose(values[0][3:], accelerations, rtol=1e-9)  # assemblies end at some 1e-12, times alpha^2
    assert np.allclose(values[2], 0.0, atol=1e-12)
    assert np.allclose(values[1], [mbs.simulate(m, 0.1)[name][0] for name in f.outputs], rtol=1e-12)


def sprung() -> Model:
    """A mass on a spring with a table, whose lanes would take different branches, and a force in time."""
    m = Model("sprung", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on="b", force=([-1, 0, 1], [-6, 0, 2]))
    m.motor("motor", on="b", force=mbs.sin(mbs.time))
    m.output("force", mbs.strength("spring"))
    return m


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "parameters", "step"),
    [(pendulum_on_cart, ["rod_mass"], None), (pendulum_on_cart, ["c"], H), (sprung, [], None)],
)
def test_libraries_have_the_bits_of_ode(
    make: Callable[[], Model], parameters: list[str], step: float | None, tmp_path: Path
) -> None:
    """Values and Jacobians are those of `ode` to the bit, on threads too; that by time equals differences."""
    pytest.importorskip("ziglang", reason="libraries need the package ziglang")
    m = make()
    g = mbs.to_casadi(m, parameters, step=step, kind="library", folder=tmp_path)
    f = mbs.ode(m, parameters)
    f = f if step is None else f.step(step)  # type: ignore[assignment]
    at = 0.4, f.x0 + 0.2, f.u0 + 1.0, f.p0
    d = f.jacobians(*at)
    for got, expected in zip(g(*at), (f(*at), f.outputs_at(*at)), strict=True):
        assert np.array_equal(np.array(got).ravel(), expected)
    blocks = g.jacobian()(*at, 0, 0)
    pairs = zip([*blocks[1:4], *blocks[5:]], (d.f_x, d.f_u, d.f_p, d.y_x, d.y_u, d.y_p), strict=True)
    assert all(np.array_equal(np.array(got), expected) for got, expected in pairs)
    h = 1e-5
    difference = (f(0.4 + h, *at[1:]) - f(0.4 - h, *at[1:])) / (2 * h)
    assert np.allclose(np.array(blocks[0]).ravel(), difference, rtol=0, atol=1e-9)  # h^2, and 1e-16 / h
    points = [np.tile(np.reshape(number, (-1, 1)), (1, 16)) for number in at]
    rates = np.array(g.map(16, "thread", 4)(*points)[0])
    assert np.array_equal(rates, np.tile(d.f[:, None], (1, 16)))


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mbs.to_casadi(pendulum_on_cart(), kind="callback"), 'use "graph" or "library"'),
        (lambda: mbs.to_casadi(sprung(), step=0.1, kind="library"), "read time, by which a library of steps has no"),
        (lambda: mbs.to_casadi(four_bar(), loops="multipliers"), "share loads, as some are redundant: leave it out"),
        (lambda: mbs.to_casadi(pendulum_on_cart(), loops="multipliers"), "has no closed loops: leave out loops="),
        (lambda: mbs.to_casadi(four_bar(), loops="minimal"), 'use "multipliers", or leave it out'),
        (lambda: mbs.to_casadi(four_bar()), "closed loops, whose kernels choose rows by their size"),
        (lambda: mbs.to_casadi(pendulum_on_cart(), ["rod_mas"]), "did you mean 'rod_mass'"),
        (lambda: mbs.to_casadi(pendulum_on_cart(), step=-1.0), "step is -1.0: give a positive number"),
        (lambda: mbs.to_casadi(pendulum_on_cart(), steps=3), "steps is 3 without a size of steps: give step= too"),
    ],
)  # fmt: skip
def test_refusals_name_the_remedy(call: Callable[[], object], message: str) -> None:
    """Models without a graph, and arguments that do not fit, are refused in one sentence."""
    with pytest.raises(mbs.ModelError, match=message):
        call()
