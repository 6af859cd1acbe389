"""`mbs.ode` of closed loops: Jacobians, and gradients of runs, by parameters of mass and geometry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from models.slider_crank import slider_crank
from support.cases import tiers
from support.oracles.complex_steps import close

PLAIN = pytest.mark.usefixtures("in_plain_python")
FOURTH = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))  #: (step, 12 times weight) of fourth-order differences
SHARE = 1e-3  #: step of these differences: their errors are some h^4 and, as assemblies end at 1e-12, 1e-12 / h
LIMIT = 1e-7  #: of differences, relative to the largest number

BARS = ["crank_length", "coupler_length", "rocker_length", "ground", "crank_mass", "coupler_mass", "rocker_mass", "b"]


def bars(seed: int) -> tuple[Model, list[str], dict[str, float]]:
    """A four-bar with random lengths and masses, near those of a crank-rocker."""
    rng = np.random.default_rng(seed)
    m = four_bar()
    usual = {name: mbs.ode(m, [name]).p0[0] for name in BARS}
    return (
        m,
        BARS,
        {name: float(value * rng.uniform(0.95, 1.05) + (name == "b") * 0.3) for name, value in usual.items()},
    )


def engine(seed: int) -> tuple[Model, list[str], dict[str, float]]:
    """A slider-crank with a random radius, rod and flywheel."""
    rng = np.random.default_rng(seed)
    m, names = slider_crank(), ["crank_radius", "rod_length", "flywheel", "b"]
    usual = mbs.ode(m, names).p0
    return m, names, dict(zip(names, map(float, usual * rng.uniform(0.8, 1.2, size=4)), strict=True))


def skater(seed: int) -> tuple[Model, list[str], dict[str, float]]:
    """A planar body on a knife edge, with its centre of mass, its edge and its mass as parameters."""
    m = Model("skater", gravity=(0, 0, 0))
    com, edge, heavy = m.parameter("com", 0.1), m.parameter("edge", -0.2), m.parameter("heavy", 2.0)
    body = m.body("body", joint=mbs.Planar(), mass=heavy, com=(com, 0, 0), inertia=(0.1, 0.1, 0.2))
    m.close("edge_contact", "world", body, mbs.KnifeEdge(), at_b=(edge, 0.05, 0))
    m.force("push", on=body, force=(m.input("push", start=1.0), 0.3, 0))
    m.output("place", mbs.position(body, (0.2, 0, 0)))
    m.output("grip", mbs.multiplier("edge_contact"))
    m.start(body, q=(0.1, 0.2, 0.3), guess=True)
    return m, ["com", "edge", "heavy"], {"com": 0.12}


def crank_in_space(seed: int) -> tuple[Model, list[str], dict[str, float]]:
    """A crank, a rod on a ball joint, whose coordinates are a quaternion, and a slider across the crank's plane."""
    m = Model("space", gravity=(0, -9.81, 0))
    radius, rod, heavy = m.parameter("radius", 0.3), m.parameter("rod", 1.1), m.parameter("heavy", 0.7)
    crank = m.body("crank", joint=mbs.Revolute("z"), mass=1.0, com=(0.5 * radius, 0, 0), inertia=(0.01, 0.02, 0.03))
    bar = m.body(
        "bar", crank, mbs.Spherical(), at=(radius, 0, 0), mass=heavy, com=(0, 0, 0.5 * rod), inertia=(0.08, 0.09, 0.01)
    )
    slider = m.body("slider", joint=mbs.Prismatic("z"), mass=2.0, at=(0.1, 0.2, 0))
    m.close("fork", slider, bar, mbs.Universal("xy"), at_b=(0, 0, rod))
    m.spring("spring", on=slider, stiffness=30.0, length=0.9)
    m.output("place", mbs.coordinate(slider))
    m.output("load", mbs.reaction("fork").f)
    m.start(crank, q=0.4, u=1.0)
    m.start(slider, q=1.0, guess=True)
    return m, ["radius", "rod", "heavy"], {"rod": 1.15}


MAKERS: dict[str, Callable[[int], tuple[Model, list[str], dict[str, float]]]] = {
    "four_bar": bars, "slider_crank": engine, "skater": skater, "space": crank_in_space,
}  # fmt: skip
NAMED = [pytest.param(name, marks=[pytest.mark.slow] if name in ("slider_crank", "space") else []) for name in MAKERS]
INDEPENDENT = {"space": ["crank.w"]}  #: the turn of the rod, which the start could choose, is no coordinate


@pytest.mark.parametrize("seed", tiers([1, 2], usual=1))
@pytest.mark.parametrize("name", NAMED)
def test_jacobians_by_mass_and_geometry_equal_differences(name: str, seed: int) -> None:
    """Rates and outputs at one state, with loops closed for each parameter."""
    m, names, values = MAKERS[name](seed)
    f = mbs.ode(m, names, parameters=values, independent=INDEPENDENT.get(name))
    x = f.x0 + 0.1 * np.random.default_rng(seed).normal(size=len(f.x0))
    d = f.jacobians(0.0, x)
    J, expected = np.vstack([d.f_p, d.y_p]), np.zeros((len(d.f) + len(d.y), len(names)))
    for k in range(len(names)):
        h = SHARE * abs(f.p0[k])
        for step, weight in FOURTH:
            p = f.p0.copy()
            p[k] += step * h
            expected[:, k] += weight / (12.0 * h) * np.concatenate([f(0.0, x, p=p), f.outputs_at(0.0, x, p=p)])
    for k, parameter in enumerate(names):
        close(J[:, k], expected[:, k], LIMIT, f"derivative by {parameter!r}", [*f.states, *f.outputs])


@pytest.mark.parametrize("seed", tiers([3, 4], usual=1))
@pytest.mark.parametrize("name", NAMED)
def test_gradients_of_runs_equal_differences_of_runs_with_other_starts(name: str, seed: int) -> None:
    """Differences take a new equation for each value of a parameter, which assembles its own start."""
    m, names, values = MAKERS[name](seed)
    f, rng = mbs.ode(m, names, parameters=values, independent=INDEPENDENT.get(name)), np.random.default_rng(seed)
    run = f.rollout(0.02, 5)
    x = run.x0 + 0.05 * rng.normal(size=len(run.x0))
    trajectory, vjp = run.vjp(x=x)
    weights = rng.normal(size=trajectory.x.shape), rng.normal(size=trajectory.y.shape)
    got, independent = vjp(*weights).p, [name for name in run.states if name in run._kernels.mechanism.rate_names]

    def value(parameter: str, number: float) -> float:
        other = mbs.ode(m, parameters=values | {parameter: number}, independent=independent)
        rows = other.rollout(0.02, 5)(x=x)
        return float(np.sum(rows.x * weights[0]) + np.sum(rows.y * weights[1]))

    expected = np.zeros(len(names))
    for k, parameter in enumerate(names):
        h = SHARE * abs(run.p0[k])
        for step, weight in FOURTH:
            expected[k] += weight / (12.0 * h) * value(parameter, float(run.p0[k] + step * h))
    close(got, expected, LIMIT, "gradient by parameters", names)


def bob(closed: bool) -> Model:
    """A pendulum: a mass on two slides at a distance from the world's origin, or on a rod without mass."""
    m = Model("bob")
    length, heavy = m.parameter("length", 1.2), m.parameter("heavy", 1.5)
    if closed:
        carriage = m.body("carriage", joint=mbs.Prismatic("x"), mass=0.0)
        mass = m.body("mass", carriage, mbs.Prismatic("z"), mass=heavy)
        m.close("string", "world", mass, mbs.Distance(length))
        m.start(carriage, q=0.6, u=0.3)
        m.start(mass, q=-1.0, guess=True)
        place = mbs.position(mass)
    else:
        rod = m.body("rod", joint=mbs.Revolute("y"), mass=heavy, com=(0, 0, -length))
        place = mbs.position(rod, (0, 0, -length))
    m.output("place", place)
    m.output("energy", mbs.energy())
    return m


@PLAIN
def test_gradients_by_the_length_of_a_string_equal_those_of_a_pendulum() -> None:
    """The tree's start follows from that of the slides: sin(phi) = -x / length, and x' = -length cos(phi) phi'.

    Both runs have errors of steps: some 1e-3 h^4, with h = 1/256 s.
    """
    steps, names, rng = 6, ["length", "heavy"], np.random.default_rng(5)
    loop = mbs.ode(bob(True), names, independent=["carriage.v"]).rollout(1 / 256, steps)
    tree = mbs.ode(bob(False), names).rollout(1 / 256, steps)
    x, v, length = *loop.x0, loop.p0[0]
    cosine = np.sqrt(1.0 - (x / length) ** 2)
    start = np.array([-np.arcsin(x / length), -v / (length * cosine)])
    (a, vjp_a), (b, vjp_b) = loop.vjp(), tree.vjp(x=start)
    assert np.allclose(a.y, b.y, rtol=0, atol=1e-10)
    weights = rng.normal(size=a.y.shape)
    by_loop, by_tree = vjp_a(y=weights), vjp_b(y=weights)
    angle_by_length = x / (length**2 * cosine)
    rate_by_length = v / (length * cosine) ** 2 * (cosine + x**2 / (length**2 * cosine))
    expected = by_tree.p.copy()
    expected[0] += by_tree.x @ [angle_by_length, rate_by_length]
    close(by_loop.p, expected, 1e-8, "gradient by parameters", names)


@PLAIN
def test_gradients_by_masses_of_welded_bodies_equal_those_of_a_tree() -> None:
    """Two parts of a pendulum, the second on a hinge of its own and welded by a closure, or a child of the first."""

    def doubled(closed: bool) -> Model:
        m = Model("doubled")
        heavy, far = m.parameter("heavy", 0.8), m.parameter("far", 0.3)
        first = m.body("first", joint=mbs.Revolute("y"), at=(far, 0, 0), **mbs.rod((0, 0, -0.6), mass=1.0))
        own = {"mass": heavy, "com": (far, 0, -0.3), "inertia": (0.1, 0.2, 0.1)}
        if closed:
            m.close("weld", first, m.body("second", joint=mbs.Revolute("y"), at=(far, 0, 0), **own), mbs.Weld())
        else:
            m.body("second", first, mbs.Weld(), **own)
        m.output("tip", mbs.position(first, (far, 0, -0.6)))
        m.output("energy", mbs.energy())
        m.start(first, q=0.4, u=0.3)
        return m

    names, rng = ["heavy", "far"], np.random.default_rng(6)
    loop = mbs.ode(doubled(True), names, independent=["first.w"]).rollout(1 / 128, 6)
    tree = mbs.ode(doubled(False), names).rollout(1 / 128, 6)
    (a, vjp_a), (_, vjp_b) = loop.vjp(), tree.vjp()
    weights = rng.normal(size=a.x.shape), rng.normal(size=a.y.shape)
    close(vjp_a(*weights).p, vjp_b(*weights).p, 1e-9, "gradient by parameters", names)


@PLAIN
@pytest.mark.parametrize(
    ("values", "message"), [({"crank_mass": -1.0}, "crank"), ({"ground": 9.0}, "loop 'pin'")]
)  # fmt: skip
def test_impossible_parameters_are_named(values: dict[str, float], message: str) -> None:
    """A negative mass, and a ground that the bars do not span; the next call has the numbers of the first one."""
    f = mbs.ode(four_bar(), list(values))
    first = f(0.0, f.x0)
    with pytest.raises(mbs.ModelError, match=message):
        f(0.0, f.x0, p=list(values.values()))
    assert np.allclose(f(0.0, f.x0), first, rtol=1e-11, atol=0)
