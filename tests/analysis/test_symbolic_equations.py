"""`mbs.equations`: M, h, Q, G and Hamilton's form have the numbers of the kernels, and known closed forms."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.mechanism import Mechanism
from mbs_fmu.infrastructure.errors import ArgumentError, ModelError
from mbs_fmu.model.model import Model
from models.cam_follower import cam_follower
from models.four_bar import four_bar
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, close_between, poses_of_tree
from support.generators.mechanisms import random_inertia, random_joint, random_pose, randomize_start

sp = pytest.importorskip("sympy", reason="symbolic equations need the package sympy")
PLAIN = pytest.mark.usefixtures("in_plain_python")

EPS = float(np.finfo(float).eps)
TIME = 0.3


def numbers(eq: mbs.Equations, values: dict[str, float], *formulas: Any) -> list[np.ndarray]:
    """Return the values of matrices of formulas."""
    names = list(eq.symbols)
    function = sp.lambdify([eq.symbols[name] for name in names], formulas, [dict(eq.functions), "numpy"], cse=True)
    return [np.array(x, dtype=float) for x in function(*(values[name] for name in names))]


def check(m: Model, limit: int = 5, loss: float = 1e4) -> mbs.Equations:
    """Compare all terms with those of the kernels at the start. loss: of digits, as formulas are sums of many terms."""
    eq, s, f, mechanism = mbs.equations(m, limit=limit), mbs.extended_system(m, time=TIME), mbs.ode(m), Mechanism(m)
    R = mechanism.record({}, {}, {}, TIME)
    mechanism.begin(R)
    values = {v.name: float(R[v.slot]) for v in mechanism.program.variables} | {"time": TIME}
    form = eq.hamilton()
    M, h, Q, p, p_dot, q_dot = numbers(eq, values, eq.M, eq.h, eq.Q, form.p, form.p_dot, eq.q_dot)
    rates = dict(zip(f.states, f(TIME, [values[name] for name in f.states], f.u0), strict=True))
    u_dot = np.array([rates[name] for name in s.velocities])
    kernel = mechanism.mass_matrix(R)
    size = loss * EPS * max(1.0, float(np.abs(s.Q).max()), float(np.abs(p_dot).max()), float(np.abs(h).max()))
    assert_close(M, kernel, loss * EPS * float(np.abs(kernel).max()), "M")
    assert_close(Q[:, 0], s.Q, size, "Q", s.velocities)
    assert_close(p[:, 0], s.p, loss * EPS * max(1.0, float(np.abs(s.p).max())), "p", s.velocities)
    assert_close(p_dot[:, 0], s.p_dot, size, "p_dot", s.velocities)
    assert_close(M @ u_dot, (Q - h)[:, 0], size * np.linalg.cond(M), "M u_dot")
    rates_of_q = mechanism.coordinate_rates(R, R[mechanism.u])
    assert_close(q_dot[:, 0], rates_of_q, loss * EPS * (1.0 + float(np.abs(q_dot).max())), "q_dot")
    return eq


BY_COST = (
    "prismatic", "revolute", "screw", "weld", "tilted", "spherical", "universal", "cylindrical", "planar", "compound",
)  # fmt: skip
"""Joints of random trees; equations of random custom joints are too long to be derived in a test."""


def hinge_and(joint: str, seed: int = 5) -> Model:
    """A random joint on a hinge; masses depend on parameters."""
    rng = np.random.default_rng(seed)
    m = Model("tree", gravity=(0.0, 0.5, -9.81))
    mass = m.parameter("heavy", 1.3)
    base = m.body("base", joint=mbs.Revolute("y"), mass=mass, com=(0.1, 0, 0.2), inertia=(1, 2 * mass, 2))
    m.start(base, q=0.4, u=-0.7)
    tip = m.body("tip", base, random_joint(rng, joint), 0.7, (0.2, 0, -0.1), random_inertia(rng), random_pose(rng))
    randomize_start(m, tip, rng)
    return m


@PLAIN
@pytest.mark.parametrize("joint", tiers(BY_COST, usual=5))
def test_equations_of_each_joint_are_those_of_the_kernels(joint: str) -> None:
    check(hinge_and(joint))


@PLAIN
def test_custom_joints_may_move_in_time() -> None:
    def rotation(q: list, t: Any) -> list:
        c, s = mbs.cos(q[0] + 0.5 * t), mbs.sin(q[0] + 0.5 * t)
        return [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]

    m = Model("custom")
    joint = mbs.CustomJoint(1, lambda q, t: [0.3 * mbs.cos(q[0]), 0.1 * t * q[0], 0.2 * q[0] ** 2], rotation)
    a = m.body("a", joint=joint, mass=m.parameter("heavy", 1.3), com=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.15))
    b = m.body("b", a, mbs.Revolute("y"), 0.7, (0.2, 0, 0), inertia=(0.02, 0.03, 0.03), at=(0.3, 0, 0))
    m.start(a, q=0.4, u=-0.7)
    m.start(b, q=0.2, u=0.9)
    check(m)


def two_hinges() -> tuple[Model, mbs.Body, mbs.Body]:
    m = Model("two")
    a = m.body("a", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
    b = m.body("b", a, mbs.Revolute("x"), 0.7, (0.1, 0, -0.2), inertia=(0.02, 0.02, 0.01), at=(0, 0, -0.5))
    m.start(a, q=0.4, u=-0.7)
    m.start(b, q=-0.3, u=1.1)
    return m, a, b


Adder = Callable[[Model, mbs.Body, mbs.Body], object]
SUM = 0.2 * mbs.sin(mbs.time) + 1.0
FORCES: dict[str, Adder] = {
    "spring": lambda m, a, b: m.spring("f", "world", b, at_a=(1, 0, 0), at_b=(0, 0, -0.4), stiffness=3.0, damping=0.2),
    "friction": lambda m, a, b: m.friction("f", on=b, torque=0.5, static=0.7, viscous=0.1),
    "table": lambda m, a, b: m.spring("f", on=b, force=([-2, -0.5, 0.2, 3], [-4, -0.5, 0.5, 2])),
    "limit": lambda m, a, b: m.limit("f", on=b, lower=-0.1, upper=0.1, stiffness=50.0, damping=1.0),
    "drag": lambda m, a, b: m.drag("f", on=b, at=(0, 0, -0.3), linear=0.3, quadratic=0.5, velocity=(SUM, 0, 0)),
    "force": lambda m, a, b: m.force(
        "f", on=b, at=(0, 0, -0.3), force=(1, 2, SUM), torque=(0.1, 0, 0), resolve_in="body", reaction_on=a
    ),
    "law": lambda m, a, b: m.motor("f", on=b, torque=m.input("in", start=0.7) * mbs.position(b, (0, 0, 1))[2]),
    "held": lambda m, a, b: m.spring("f", on=b, stiffness=2.0 + mbs.sin(mbs.coordinate(a)), length=0.2),
    "state": lambda m, a, b: m.motor("f", on=a, torque=m.state("z", rate=mbs.rate(b), start=0.4)),
    "rotational spring": lambda m, a, b: m.rotational_spring("f", "world", b, axis="z", stiffness=2.0, angle=0.3),
    "bushing": lambda m, a, b: m.bushing(
        "f", "world", b, at_a=(0, 0, -0.6), stiffness=(20, 30, 40), damping=2.0, rotational_stiffness=3.0,
        rotational_damping=0.1,
    ),
    "rope": lambda m, a, b: m.rope(
        "f", [("world", (1, 0, 0)), ("a", (0, 0, -0.3)), ("b", (0, 0.1, -0.4))], length=0.5, stiffness=30.0, damping=1.0
    ),
    "contact": lambda m, a, b: m.contact(
        "f", "world", b, at_a=(0, 0, -0.9), shape_b=mbs.Sphere(0.3, at=(0, 0, -0.4)), stiffness=100.0, creep=0.1,
        friction=0.5,
    ),
}  # fmt: skip


@PLAIN
@pytest.mark.parametrize("add", tiers(FORCES, usual=9))
def test_each_force_enters_by_its_effect(add: Adder) -> None:
    m, a, b = two_hinges()
    add(m, a, b)
    check(m)


@PLAIN
def test_point_gravity_is_a_potential() -> None:
    m, _, _ = two_hinges()
    m.gravity = mbs.PointGravity(m.parameter("mu", 2.0), (0.3, 0.1, 2.0))
    check(m)


@PLAIN
def test_prescribed_motions_are_functions_of_time() -> None:
    m = Model("driven")
    cart = m.body("cart", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=2.0)
    rod = m.body("rod", cart, mbs.Universal("yx"), 0.7, (0.1, 0, -0.4), inertia=(0.03, 0.02, 0.01), at=(0, 0, 0.3))
    m.drive("along", on=cart, coordinate=1, position=0.3 * mbs.sin(2.0 * mbs.time))
    m.drive("turned", on=rod, coordinate=1, position=mbs.table(mbs.time, [0.0, 0.2, 1.0], [0.0, 0.1, 0.9]))
    m.rotor("motor", on=rod, coordinate=2, inertia=0.05)
    m.rotor("driven", on=cart, coordinate=1, inertia=0.7)
    m.start(cart, q=(0.0, 0.2), u=(0.0, -0.5))
    m.start(rod, q=(0.0, 0.5), u=(0.0, 1.5))
    eq = check(m)
    assert len(eq.u) == 2 and set(eq.functions) == {"table_1", "slope_1"}


@PLAIN
def test_followers_move_with_their_leaders() -> None:
    m = Model("following")
    a = m.body("a", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
    b = m.body("b", a, mbs.Revolute("x"), 0.7, (0.1, 0, -0.2), inertia=(0.02, 0.02, 0.01), at=(0, 0, -0.5))
    c = m.body("c", b, mbs.Prismatic("z"), 0.3, (0.1, 0, -0.2), at=(0, 0, -0.5))
    m.follow("geared", b, a, ratio=m.parameter("ratio", -0.6), offset=0.2)
    m.rotor("fast", on=b, inertia=0.04)
    m.motor("turn", on=b, torque=0.3)
    m.start(a, q=0.4, u=-0.7)
    m.start(c, q=0.1, u=0.9)
    eq = check(m)
    assert [str(x) for x in eq.u] == ["phidot_a", "sdot_c"]


def closed(kind: str, seed: int) -> Model:
    """Two bodies with three velocities that a random closure ties to the world."""
    rng = np.random.default_rng(seed)
    m = Model("closed")
    a = m.body("a", joint=mbs.Revolute("y"), mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.2, 0.2))
    slider = mbs.Compound(mbs.slide("x"), mbs.turn("z"))
    b = m.body("b", a, slider, 0.5, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0.1))
    m.start(a, q=0.4, guess=True)
    m.start(b, q=(0.2, -0.3), guess=True)
    close_between(m, rng, "loop", kind, "world", "b", poses_of_tree(m), length_rate=0.1)
    return m


@PLAIN
@pytest.mark.parametrize(
    "kind", tiers(("knife_edge", "plane", "line", "distance", "universal", "rolling", "spherical", "screw"), usual=2)
)
def test_rows_of_closures_are_those_of_the_kernels(kind: str) -> None:
    m = closed(kind, 3)
    eq, plain = mbs.equations(m), PlainLoops(m)
    plain.R[plain.slice("u")] = [0.3, -0.4, 0.8]
    plain.real.momenta(plain.R)
    J = plain.jacobian(plain.R)
    values = {v.name: float(plain.R[v.slot]) for v in plain.program.variables} | {"time": 0.0}
    G, g = numbers(eq, values, eq.G, eq.g)
    assert_close(G, J, 1e4 * EPS * max(1.0, float(np.abs(J).max())), "G", eq.rows)
    rates = G @ plain.get(plain.R, "u")
    for row, condition in enumerate(eq.g):
        expected = rates[row] if condition.has(*eq.u) else 0.0  # rolling constrains positions and rates
        assert abs(g[row, 0] - expected) <= 1e-9, eq.rows[row]
    assert len(eq.rows) == len(eq.multipliers) == len(J) and eq.rows[0].startswith("loop: ")
    assert str(eq.multipliers[0]) in str(eq.hamilton().p_dot) and eq.latex().count("0 &=") == len(J)


def test_double_pendulum_has_its_closed_form() -> None:
    """Two rods with angles relative to each other: Spong, Hutchinson, Vidyasagar, Robot Modeling and Control, 7.4."""
    m = Model("elbow")
    names = ("m1", "m2", "l1", "c1", "c2", "I1", "I2", "g")
    m1, m2, l1, c1, c2, I1, I2, g = (m.parameter(name, 0.5 + 0.1 * k) for k, name in enumerate(names))
    m.gravity = mbs.Vector((0, 0, -g))
    a = m.body("a", joint=mbs.Revolute("-y"), mass=m1, com=(c1, 0, 0), inertia=(I1, I1, I1))
    m.body("b", a, mbs.Revolute("-y"), m2, (c2, 0, 0), inertia=(I2, I2, I2), at=(l1, 0, 0))
    eq = mbs.equations(m)
    (qa, qb), (ua, ub) = eq.q, eq.u
    m1, m2, l1, c1, c2, I1, I2, g = (eq.symbols[name] for name in names)
    d12 = m2 * (c2**2 + l1 * c2 * sp.cos(qb)) + I2
    d11 = m1 * c1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * sp.cos(qb)) + I1 + I2
    h = -m2 * l1 * c2 * sp.sin(qb)
    terms = sp.Matrix([h * (2 * ua * ub + ub**2), -h * ua**2])
    weight = sp.Matrix(
        [(m1 * c1 + m2 * l1) * g * sp.cos(qa) + m2 * c2 * g * sp.cos(qa + qb), m2 * c2 * g * sp.cos(qa + qb)]
    )
    expected = sp.Matrix([[d11, d12], [d12, m2 * c2**2 + I2]]), terms, -weight
    for formula, known in zip((eq.M, eq.h, eq.Q), expected, strict=True):
        assert sp.expand(formula - known) == sp.zeros(*known.shape)
    assert eq.h[0] == known_factors(h, ua, ub)


def known_factors(h: Any, ua: Any, ub: Any) -> Any:
    """Return the first velocity term as a person would write it."""
    return h * ub * (2 * ua + ub)


def top(joint: mbs.Joint) -> Model:
    m = Model("top", gravity=(0, 0, 0))
    m.body("b", joint=joint, mass=2.0, inertia=[m.parameter(name, 1.0 + k / 10) for k, name in enumerate("ABC")])
    return m


def test_bodies_with_quaternions_have_equations_of_euler() -> None:
    eq = mbs.equations(top(mbs.Spherical()))
    A, B, C = (eq.symbols[name] for name in "ABC")
    x, y, z = eq.u
    assert sp.diag(A, B, C) == eq.M and eq.V == 0
    assert sp.expand(eq.h - sp.Matrix([(C - B) * y * z, (A - C) * z * x, (B - A) * x * y])) == sp.zeros(3, 1)
    assert sum(x * rate for x, rate in zip(eq.q, eq.q_dot, strict=True)).expand() == 0  # the length stays


@PLAIN
def test_free_bodies_with_quaternions_agree_with_the_kernels() -> None:
    m = top(mbs.Free())
    m.start("b", q=(0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5), u=(0.3, -0.4, 0.5, 0.6, 0.7, -0.8))
    m.gravity = mbs.Vector((0, 0, -9.81))
    check(m, limit=6)


def pendulum() -> Model:
    m = Model("pendulum")
    m.body("rod", joint=mbs.Revolute("y"), mass=m.parameter("m", 2.0), com=(0, 0, -m.parameter("l", 0.5)))
    return m


@pytest.mark.quick
def test_numbers_are_shown_as_they_were_given() -> None:
    from mbs_fmu.analysis.symbolic_equations.convert import exact, shown

    given = {
        2.0: "2",
        9.81: "9.81",
        0.5: "1/2",
        1 / 3: "1/3",
        0.1 * 3: "0.3",
        0.0: "0",
        1e-300: "0",
        -1.5e-5: "-1.5e-5",
    }
    for number, text in given.items():
        assert sp.sstr(shown(exact(number)), full_prec=False) == text, number
    assert exact(np.pi / 6) == sp.pi / 6 and exact(np.sqrt(0.5)) == sp.sqrt(2) / 2 and exact(-np.pi) == -sp.pi
    for number in np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-15, 35):
        assert float(exact(number)) == number, "other numbers lose no digit"


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(5))
def test_simplified_formulas_have_the_same_values(seed: int) -> None:
    """Sums and products of polynomials, roots, quotients and maxima of each other."""
    from mbs_fmu.analysis.symbolic_equations.simplify import shortened, simplified

    rng = np.random.default_rng(seed)
    x, y, z = symbols = sp.symbols("x y z", real=True)
    known = [sp.sin(x), sp.cos(x), sp.sin(y), sp.cos(y), sp.sin(x + y), sp.cos(2 * x - y), z, sp.Rational(3, 7)]
    for k in range(18):
        a, b = (known[i] for i in rng.choice(len(known), size=2))
        made = (a * b, a + b, a - 2 * b, sp.sqrt(a**2 + b**2 + 1), a / (b**2 + 2), sp.Max(a, b, evaluate=False))
        known.append(made[int(rng.integers(2 if k < 8 else 6))])
    values = dict(zip(symbols, rng.normal(size=3), strict=True))
    for formula in known[8:]:
        expected = float(formula.subs(values))
        for changed in (simplified(formula), shortened(formula)):
            assert abs(float(changed.subs(values)) - expected) <= 1e4 * EPS * (1.0 + abs(expected)), formula
    assert simplified(sp.cos(x) ** 2 + sp.sin(x) ** 2 * sp.cos(y) ** 2 + sp.sin(x) ** 2 * sp.sin(y) ** 2) == 1


def test_latex_is_aligned_and_hamilton_has_the_momenta() -> None:
    eq = mbs.equations(pendulum())
    weight = r"- 9.81 l m \sin{\left(\phi_{rod} \right)}"
    assert eq.latex() == rf"\begin{{aligned}} l^{{2}} m \ddot{{\phi}}_{{rod}} &= {weight} \end{{aligned}}"
    momentum = r"p_{rod} &= l^{2} m \dot{\phi}_{rod}"
    text = rf"\begin{{aligned}} {momentum} \\ \dot{{p}}_{{rod}} &= {weight} \end{{aligned}}"
    assert eq.hamilton().latex() == text
    assert eq._repr_latex_() == f"$\\displaystyle {eq.latex()}$" and text in eq.hamilton()._repr_latex_()
    assert eq.values == {eq.symbols["m"]: 2, eq.symbols["l"]: sp.Rational(1, 2)}


def test_symbols_of_equal_names_are_different() -> None:
    m = pendulum()
    clash = m.parameter("phi_rod", 3.0), m.parameter("t", 2.0)
    m.motor("push", on="rod", torque=clash[0] * mbs.coordinate("rod") + clash[1] * mbs.time)
    eq = mbs.equations(m)
    used = {str(x) for x in eq.Q.free_symbols}
    assert used == {"phi_rod", "phi_rod'", "t", "time", "m", "l"}


def elastic() -> Model:
    m = Model("beam")
    m.body("arm", joint=mbs.Revolute("z"), elastic=mbs.beam(1.0, mbs.Rectangle(0.01, 0.02), E=7e10, density=2700.0))
    return m


def held_by(signal: str) -> Model:
    m = pendulum()
    value = m.input("x", start=0.1) if signal == "input" else m.state("x", rate=0.2)
    m.body("tip", "rod", mbs.Prismatic("x"), mass=1.0)
    m.drive("by", on="tip", position=value, rate=0.0)
    return m


def on_contact() -> Model:
    m = pendulum()
    m.contact("stop", "world", "rod", mbs.OnPlane("z"), at_a=(0, 0, -2.0))
    return m


def by_mean() -> Model:
    m = pendulum()
    m.close("string", "world", "rod", mbs.Distance(0.3), at_a=(0, 0.3, 0))
    m.motor("f", on="rod", torque=0.1 * mbs.multiplier("string", mean=True))
    return m


def chain(count: int) -> Model:
    m, parent = Model("chain"), "world"
    for k in range(count):
        parent = m.body(f"b{k}", parent, mbs.Prismatic("x"), mass=1.0).name
    return m


REFUSED: dict[str, tuple[Callable[[], Model], str]] = {
    "elastic": (elastic, "body 'arm' is elastic, and symbolic equations are for rigid bodies: leave elastic= out"),
    "mode": (on_contact, "'stop' can engage and release, and symbolic equations are for closures that always hold"),
    "curve": (cam_follower, "has contact parameters, which symbolic equations do not have: use a compliant contact"),
    "input": (lambda: held_by("input"), "drive 'by' depends on x, whose rates symbolic equations do not have"),
    "state": (lambda: held_by("state"), "give its position as a function of time and parameters"),
    "mean": (by_mean, "force 'f' depends on a mean over the last step, of which there is no formula: leave it out"),
    "size": (lambda: chain(6), "has 6 degrees of freedom, and equations of more than 5 can hardly be read"),
    "none": (lambda: chain(0), "model 'chain' has no degrees of freedom: give a body a joint that moves freely"),
}


@pytest.mark.parametrize(("make", "text"), REFUSED.values(), ids=REFUSED)
def test_models_without_readable_equations_are_refused(make: Callable[[], Model], text: str) -> None:
    with pytest.raises(ModelError) as error:
        mbs.equations(make())
    assert text in str(error.value) and "\n" not in str(error.value)


def test_limit_is_a_whole_number_that_allows_more() -> None:
    assert len(mbs.equations(chain(6), limit=6).u) == 6
    for limit in (0, 2.5, "x"):
        with pytest.raises(ArgumentError, match="limit"):
            mbs.equations(pendulum(), limit=limit)  # type: ignore[arg-type]


def test_a_missing_sympy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ModelError, match=r"mbs.equations needs SymPy: pip install 'mbs-fmu\[sympy\]'"):
        mbs.equations(pendulum())


def test_redundant_closures_have_rows_too() -> None:
    eq = mbs.equations(four_bar())
    assert len(eq.u) == 3 and len(eq.rows) == eq.G.shape[0] == len(eq.g) > 2
