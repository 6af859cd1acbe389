"""Laws of all bearings, on shafts and housings in flight: balance of momentum and energy, tangents, composition."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.expressions import ZERO
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.bearings import BALLS, BEARINGS, ELASTIC, shaft_in_flight
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import compare_tangents, output_rates, outputs

EACH = pytest.mark.parametrize("kind", tiers(list(BEARINGS), usual=7, quick=1))
SEEDS = pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
RUN = {"method": "rk4", "step": 1e-3, "output_interval": 5e-3}
STOP = 0.02


@EACH
@SEEDS
def test_bearings_conserve_momentum_and_their_energy(kind: str, seed: int) -> None:
    """The rolling elements together act as the whole force: dE/dt is what it does not store, and momenta stay."""
    m = shaft_in_flight(kind, seed)
    stored = m.forces["x"].effect().stored
    m.output("E", mbs.energy())
    m.output("stored", ZERO if stored is None else stored)
    m.output("power", mbs.power("x"))
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("wrench", mbs.applied("x"))
    plain = Plain(m)
    rates, now = output_rates(plain), outputs(plain)
    force, torque = np.abs(now["wrench.f"]).max(), np.abs(now["wrench.t"]).max()
    assert force > 1e-3
    if kind in ELASTIC:
        assert_close(now["power"], -rates["stored"], 1e-12 * (1.0 + abs(now["power"])), "elastic power")
    bound = 1e-12 * (1.0 + force + torque) * (1.0 + np.abs(plain.get(plain.R, "u")).max())
    assert_close(rates["E"], now["power"] + rates["stored"], bound, "rate of energy")
    assert_close(rates["P"], 0.0, bound, "rate of momentum")
    assert_close(rates["L"], 0.0, bound, "rate of angular momentum")


@EACH
@SEEDS
def test_tangents_of_bearings_equal_complex_steps(kind: str, seed: int) -> None:
    """The derivatives behind `linearize` and gradients are exact."""
    m = shaft_in_flight(kind, seed)
    m.output("power", mbs.power("x"))
    plain = Plain(m)
    plain.rates()
    compare_tangents(plain, seed, [plain.program.state_slice], "outputs")


@EACH
def test_bearings_survive_pickle_and_inclusion(kind: str) -> None:
    """A pickled model and one that contains the model under a prefix move to the last bit as the original."""
    m = shaft_in_flight(kind, 5)
    whole = mbs.Model("whole", gravity=(0, 0, 0))
    whole.include(m, "sub")
    one, two, three = (mbs.simulate(x, STOP, **RUN) for x in (m, pickle.loads(pickle.dumps(m)), whole))
    states = [name for name in one.columns if name.startswith(("shaft.", "housing.", "x."))]
    assert ("x.cage" in states) == (kind in ("deep grooves", "angular contact", "rollers"))
    for name in states:
        assert np.array_equal(one[name], two[name]) and np.array_equal(one[name], three[f"sub.{name}"]), name


@EACH
def test_bearings_move_alike_in_lanes_and_absolute_coordinates(kind: str) -> None:
    """Members of a batch equal single runs; absolute coordinates agree to the accuracy of both."""
    m = shaft_in_flight(kind, 6)
    single = mbs.simulate(m, STOP, **RUN)
    many = mbs.simulate(m, STOP, batch=mbs.Batch(start={"shaft.q[1]": np.full(3, single["shaft.q[1]"][0])}), **RUN)
    free = mbs.simulate(m, STOP, formulation="absolute", **RUN)
    for name in ("shaft.q[1]", "shaft.q[4]", "housing.q[2]"):
        assert np.abs(many[name] - single[name]).max() < 1e-12, name
        assert np.abs(free[name] - single[name]).max() < 1e-9, name


@pytest.mark.quick
def test_a_cage_on_a_coordinate_conserves_energy() -> None:
    """If the phase of the cage depends on the motion, its share of the gradient acts on that motion."""
    m = mbs.Model("geared_cage", gravity=(0, 0, 0))
    m.body("shaft", joint=mbs.Cylindrical("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("arm", "shaft", mbs.Prismatic("x"), mass=1.0, inertia=(1, 1, 1))
    m.start("shaft", q=(0.01, 0.2), u=(0.3, 2.0))
    m.start("arm", q=0.03, u=0.4)
    phase = 0.4 * mbs.coordinate("shaft", 2)
    mbs.rolling_bearing(m, "x", "arm", "world", mbs.Balls(5, clearance=-0.02, **BALLS), cage=phase)
    m.output("E", mbs.energy())
    m.output("power", mbs.power("x"))
    plain = Plain(m)
    now, rates = outputs(plain), output_rates(plain)
    assert abs(now["power"]) > 1e-3
    assert_close(rates["E"], 0.0, 1e-13 * (1.0 + abs(now["E"])), "rate of energy")
