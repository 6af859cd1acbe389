"""Multipliers of periodic motions against closed forms and linear models."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import mathieu_a, mathieu_b

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")


def mathieu(a: float, q: float) -> Model:
    """x'' + (a - 2 q cos 2 t) x = 0."""
    m = Model("mathieu", gravity=(0, 0, 0))
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("spring", on=mass, force=-(a - 2.0 * q * mbs.cos(2.0 * mbs.time)) * mbs.coordinate(mass))
    return m


@pytest.mark.parametrize(
    ("characteristic", "order", "multiplier"),
    [(mathieu_a, 0, 1.0), (mathieu_b, 1, -1.0), (mathieu_a, 1, -1.0), (mathieu_b, 2, 1.0)],
)
def test_mathieu_functions_have_the_period(characteristic, order: int, multiplier: float) -> None:  # type: ignore[no-untyped-def]
    """At a characteristic value a solution has the period pi or 2 pi; the product of multipliers is 1 (Liouville)."""
    found = mbs.floquet(mathieu(float(characteristic(order, 0.7)), 0.7), math.pi)
    # both multipliers coincide there, so that they follow with the root of the error: the trace is compared
    assert abs(np.trace(found.monodromy) - 2.0 * multiplier) < 1e-7
    assert abs(np.prod(found.multipliers) - 1.0) < 1e-7
    assert found.states == ["mass.s", "mass.v"] and np.array_equal(found.change, [0.0, 0.0])


def chain(number: int) -> Model:
    """A random damped chain about its straight position, without gravity, with a signal state."""
    rng = np.random.default_rng([44, number])
    m = Model("chain", gravity=(0, 0, 0))
    parent = "world"
    for k in range(1, 1 + int(rng.integers(1, 4))):
        joint = mbs.Revolute("xyz"[rng.integers(3)]) if rng.random() < 0.7 else mbs.Prismatic("xyz"[rng.integers(3)])
        body = m.body(
            f"b{k}",
            parent,
            joint,
            mass=rng.uniform(0.5, 2.0),
            com=rng.normal(size=3),
            inertia=rng.uniform(1.0, 1.5, 3),
            at=rng.normal(size=3),
        )
        m.spring(f"s{k}", on=body, stiffness=rng.uniform(5.0, 20.0), damping=rng.uniform(0.1, 1.0))
        parent = body
    m.state("z", rate=-0.5 * mbs.signal("z") + mbs.rate("b1"))
    return m


@pytest.mark.parametrize("number", tiers(range(20), usual=1))
def test_multipliers_of_a_rest_are_exponentials_of_eigenvalues(number: int) -> None:
    """At an equilibrium every period is one: the monodromy matrix is that of the linear model over this time."""
    from scipy.linalg import expm

    model, period = chain(number), 0.2
    found, linear = mbs.floquet(model, period, steps=200), mbs.linearize(model)
    order = [found.states.index(name) for name in linear.states]
    exact = expm(linear.A * period)
    # a step of h = 1 ms has the error (h lambda)^6 / 6!, and eigenvalues are below 60 1/s: 2e-11 in all steps
    assert np.max(np.abs(found.monodromy[np.ix_(order, order)] - exact)) < 1e-9 * np.max(np.abs(exact))
    assert (np.abs(found.multipliers) < 1.0).all()


def test_a_shaken_pendulum_stands_beyond_the_critical_speed() -> None:
    """(a w)² > 2 g J/(m s), to the order of the averaged equation (P. L. Kapitza, 1951), for the amplitude a."""
    m = Model("inverted")
    a, w = m.parameter("a", 0.05), m.parameter("w", 100.0)
    pivot = m.body("pivot", joint=mbs.Prismatic("z"), mass=1.0)
    m.drive("shaker", on=pivot, position=a * mbs.sin(w * mbs.time))
    m.body("rod", pivot, mbs.Revolute("y"), mass=1.0, com=(0, 0, 0.5))
    for share, stands in ((0.9, False), (1.1, True)):
        speed = math.sqrt(2.0 * 9.81 * 0.5) * share / 0.02
        found = mbs.floquet(m, 2.0 * math.pi / speed, parameters={"a": 0.02, "w": speed}, steps=300)
        assert (np.max(np.abs(found.multipliers)) < 1.0 + 1e-7) == stands


def test_a_ball_that_is_struck_at_each_bounce() -> None:
    """The speed v behind a bounce becomes e v + c: its multiplier is e, and 1 for the beginning of the period."""
    m = Model("struck", gravity=(0, 0, -8.0))
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.event("floor", mbs.coordinate(ball), direction=-1, reset={"ball.v": 2.0 - 0.5 * mbs.rate(ball)})
    m.start(ball, q=1.0)  # it strikes with 4 m/s, and rebounds with 4 m/s
    found = mbs.floquet(m, 1.0, steps=101)
    assert np.abs(found.change).max() < 1e-9
    assert np.abs(np.sort(found.multipliers) - (0.5, 1.0)).max() < 1e-8


def test_models_without_free_start_values_are_refused() -> None:
    m = Model("ball")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(mbs.ModelError, match=r"floquet of model .ball.: ball.q\[4\] is part of a quaternion: use"):
        mbs.floquet(m, 1.0)
    with pytest.raises(mbs.ArgumentError, match="period is 0"):
        mbs.floquet(m, 0)
    m = Model("regulated")
    m.state("x", -m.sampled("s", 0.1, mbs.signal("x")))
    with pytest.raises(mbs.ModelError, match="the sampled signal 's' is a state too"):
        mbs.floquet(m, 1.0)
    with pytest.raises(mbs.ModelError, match="it has no states"):
        mbs.floquet(Model("empty"), 1.0)
