"""Runs of models with tables whose values may change, beside the same models with constant tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic import tables
from support.cases import tiers
from support.comparisons import assert_close

POINTS = [-0.8, -0.1, 0.02, 0.3, 0.9]
ROD: dict[str, Any] = {"mass": 2.0, "com": (0.0, 0.0, -0.4), "inertia": (0.2, 0.2, 0.01)}


@dataclass(frozen=True)
class Constant:
    """A table that cannot change, with the methods of `mbs.Table`."""

    values: list[float]

    def __call__(self, x: Any) -> mbs.Expression:
        return tables.table(x, POINTS, self.values)

    def slope(self, x: Any) -> mbs.Expression:
        return tables.slope(x, POINTS, self.values)

    def area(self, x: Any) -> mbs.Expression:
        return tables.area(x, POINTS, self.values)


Maker = Callable[[str], Constant | mbs.Table]  #: makes a table by its name
Law = Callable[[mbs.Model, Maker], None]


def pendulum(m: mbs.Model, name: str = "arm", **more: Any) -> mbs.Body:
    body = m.body(name, joint=mbs.Revolute("y"), **{**ROD, **more})
    m.start(body, q=0.25, u=-0.6)
    return body


def motors(m: mbs.Model, made: Maker) -> None:
    """Laws of one form, with tables that differ in values only."""
    for k in range(4):
        body = pendulum(m, f"arm{k}")
        m.motor(f"motor{k}", on=body, torque=made(f"curve{k}")(mbs.coordinate(body)))


def spring(m: mbs.Model, made: Maker) -> None:
    body = pendulum(m)
    m.spring("spring", "world", body, at_a=(0.5, 0, 0.2), at_b=(0, 0, -0.4), force=made("curve"))


def over_time(m: mbs.Model, made: Maker) -> None:
    """A law that bends at the points, at which steps end."""
    m.motor("motor", on=pendulum(m), torque=5.0 * made("curve")(mbs.time - 0.1))


def area(m: mbs.Model, made: Maker) -> None:
    """A table, its slope and its area in rates of states and in outputs."""
    curve = made("curve")
    cart = m.body("cart", joint=mbs.Prismatic("x"), **ROD)
    m.state("speed", rate=curve(mbs.time))
    m.motor("push", on=cart, force=curve(mbs.signal("speed")) - curve.area(mbs.coordinate(cart)))
    m.output("slope", curve.slope(mbs.signal("speed")))
    pendulum(m, parent=cart)


def mass(m: mbs.Model, made: Maker) -> None:
    """A fixed parameter: masses, and a start value, follow from the table at the start of a run."""
    curve = made("curve")
    body = pendulum(m, mass=3.0 + 0.1 * curve(0.1))
    m.start(body, q=0.05 * curve(-0.3))


def sampled(m: mbs.Model, made: Maker) -> None:
    body = pendulum(m)
    held = m.sampled("held", 0.05, made("curve")(mbs.coordinate(body)))
    m.motor("motor", on=body, torque=held)


PLACES: dict[str, Law] = {f.__name__: f for f in (spring, over_time, area, motors, mass, sampled)}


def values_of(name: str, seed: int) -> list[float]:
    return np.random.default_rng([seed, *name.encode()]).normal(size=len(POINTS)).tolist()


def changing(place: str, seed: int) -> mbs.Model:
    m = mbs.Model("changing")
    PLACES[place](m, lambda name: m.table(name, POINTS, values_of(name, seed)))
    return m


def constant(place: str, seed: int) -> mbs.Model:
    m = mbs.Model("changing")
    PLACES[place](m, lambda name: Constant(values_of(name, seed)))
    return m


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels run as plain Python; nothing is compiled."""
    monkeypatch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")


METHODS: dict[str, dict[str, Any]] = {"rk4": {"step": 0.02}, "dopri5": {"rtol": 1e-4}}
RUNS = ["spring rk4", "over_time dopri5", "area rk4", *(f"{x} {method}" for x in PLACES for method in METHODS)]


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("case", tiers(list(dict.fromkeys(RUNS)), usual=3, quick=1))
def test_values_of_a_run_give_the_bits_of_constant_tables(case: str) -> None:
    """Wherever a table stands, also at its kinks in time, in steps with error control and in starts."""
    place, method = case.split()
    other, how = changing(place, 1), {"method": method, **METHODS[method]}
    given = {name: values_of(name, 2) for name in other.arrays}
    expected = mbs.simulate(constant(place, 2), 0.14, **how)
    again = mbs.simulate(changing(place, 2), 0.14, **how)
    for result in (again, mbs.simulate(other, 0.14, parameters=given, **how)):
        assert result.columns == expected.columns and np.array_equal(result.data, expected.data)
    for name in given:
        other.set_parameter(name, [0.0] * len(POINTS))
    assert not np.array_equal(mbs.simulate(other, 0.14, **how).data, expected.data)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("place", tiers(["spring", "area", "motors", "mass"], usual=1))
def test_sensitivities_to_values_are_those_of_differences(place: str) -> None:
    """For every value; those of values that a run does not reach are zero."""
    m, how = changing(place, 1), {"method": "rk4", "step": 0.02}
    name = next(iter(m.arrays))
    values, h = np.array(values_of(name, 1)), 1e-4
    found = mbs.simulate(m, 0.1, sensitivities=[name], **how)
    assert list(found.sensitivities) == m.elements[name]
    smooth = [k for k, column in enumerate(found.columns) if column != "slope"]
    for k, element in enumerate(m.elements[name]):
        ends = [mbs.simulate(m, 0.1, parameters={name: values + s * h * (np.arange(5) == k)}, **how) for s in (1, -1)]
        differences = (ends[0].data - ends[1].data)[:, smooth] / (2.0 * h)
        largest = max(np.abs(x).max() for x in found.sensitivities.values())
        assert_close(found.sensitivities[element][:, smooth], differences, 1e-6 * max(1.0, largest), element)


@pytest.mark.slow
def test_batches_and_gradients_of_values() -> None:
    """Members of a batch give the bits of single runs; gradients of rollouts are those of differences, and functions of
    CasADi have the values of `mbs.ode`.
    """
    m, rng, how = changing("spring", 1), np.random.default_rng(8), {"method": "rk4", "step": 0.02}
    rows = rng.normal(size=(11, len(POINTS)))
    batch = mbs.simulate(m, 0.2, batch=mbs.Batch(parameters={"curve": rows}), **how)
    for k, row in enumerate(rows):
        assert np.array_equal(batch[k].data, mbs.simulate(m, 0.2, parameters={"curve": row}, **how).data)
    rollout = mbs.rollout(m, 0.02, 10, ["curve"])
    run, pullback = rollout.vjp(0.0, rollout.x0, p=rollout.p0)
    weights = rng.normal(size=run.x.shape)
    exact = pullback(x=weights).p
    for k in range(len(POINTS)):
        ends = [rollout(0.0, rollout.x0, p=rollout.p0 + s * 1e-5 * (np.arange(5) == k)).x for s in (1, -1)]
        difference = (weights * (ends[0] - ends[1])).sum() / 2e-5
        assert_close(exact[k], difference, 1e-8 * np.abs(weights).sum(), f"gradient by value {k + 1}")
    pytest.importorskip("casadi")
    function, graph = mbs.ode(m, ["curve"]), mbs.to_casadi(m, ["curve"])
    for place in (*POINTS, -2.0, 0.15, 3.0):
        x = np.array([place, 0.4])
        rates = np.array(graph(0.0, x, [], rows[0])[0]).ravel()
        expected = function(0.0, x, p=rows[0])
        assert_close(rates, expected, 1e-13 * (1.0 + np.abs(expected).max()), f"rates at {place}")
