"""Elastic gears with stiffness and backlash, against rigid ones, minimal coordinates and the dense oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.gears import KINDS, geared
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import close
from support.oracles.dense import Dense

ONE, TWO = 0.02, 0.05  # inertias, kg m²


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("kind", KINDS)
def test_accelerations_and_energy_equal_dense_ones(kind: str, solver: str) -> None:
    """Carriers move freely, with teeth on either side of the backlash and within it."""
    m = geared(kind, 1, stiffness=700.0, damping=30.0, backlash=1e-3)
    m.output("E", mbs.energy())
    plain, dense, pushed = Plain(m, solver), Dense(m), set()
    slots = {v.name: v.slot for v in plain.program.variables}
    for turned in (0.05, 0.0, -0.04):
        plain.R[slots["one.phi"]] = turned
        D = np.zeros_like(plain.R)
        D[plain.program.state_slice], D[0] = plain.rates(), 1.0
        plain.real.derive_d(plain.R, D)
        plain.real.outputs(plain.R)
        q, u = dense.read({name: plain.R[slot] for name, slot in slots.items()})
        close(
            np.array([D[slots[name]] for name in dense.rates]),
            dense.accelerations(q, u)[0],
            1e-11,
            "acceleration",
            dense.rates,
        )
        assert_close(plain.R[slots["E"]], dense.energy(q, u), 1e-12 * abs(dense.energy(q, u)), "energy")
        pushed.add(int(np.sign(dense.penetration(m.forces["mesh"], dense.scene(q, u)))))  # type: ignore[arg-type]
    assert pushed == {-1, 0, 1}


@pytest.mark.parametrize("kind", tiers(KINDS, usual=1))
def test_stiff_gears_converge_to_rigid_ones(kind: str) -> None:
    """Coordinates converge as 1 / stiffness, and the force approaches the multiplier."""
    rigid = geared(kind, 2)
    rigid.output("force", mbs.multiplier("mesh"))
    run: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "output_interval": 0.05}
    expected = mbs.simulate(rigid, 0.25, **run)
    dense = Dense(rigid)
    q, u = dense.read({name: expected[name][0] for name in (*dense.coordinates, *dense.rates)})
    G = dense.jacobian(q)
    mass = 1.0 / (G @ np.linalg.solve(dense.mass_matrix(q), G.T))[0, 0]  # along the row
    errors = []
    for frequency in (200.0, 400.0, 800.0):
        m = geared(kind, 2, stiffness=mass * frequency**2, damping=mass * frequency)
        for name in m.bodies:
            m.start(name, q=q[dense.slots[name][0]], u=u[dense.slots[name][1]])
        m.output("force", mbs.strength("mesh"))
        computed = mbs.simulate(m, 0.25, **run)
        error = {x: np.abs(computed[x][2:] - expected[x][2:]).max() for x in (*dense.coordinates, "force")}
        errors.append(max(error[x] for x in dense.coordinates))
    assert error["force"] < 0.01 * np.abs(expected["force"]).max()
    assert_close(np.array(errors[:-1]) / errors[1:], 4.0, 0.2, "ratio of errors")


def shafts(kind: str, **gives: Any) -> tuple[Model, np.ndarray]:
    """Return two shafts, or a shaft and a rack, with a load; and the factors of both coordinates in the residual."""
    m = Model("shafts", gravity=(0, 0, 0))
    m.body("one", joint=mbs.Revolute("z"), mass=1.0, inertia=(ONE, ONE, ONE))
    if kind == "rack":
        m.body("two", joint=mbs.Prismatic("x"), mass=TWO, inertia=(ONE, ONE, ONE))
        m.rack("mesh", "one", "two", radius=0.08, **gives)
        takes = np.array([0.08, 1.0])
    else:
        m.body("two", joint=mbs.Revolute("z"), mass=1.0, inertia=(TWO, TWO, TWO), at=(0.12, 0, 0))
        m.gear("mesh", "one", "two", **({"teeth": (20, 40)} if kind == "teeth" else {"ratio": -2.5}), **gives)
        takes = np.array([-0.04, -0.08]) if kind == "teeth" else np.array([1.0, 2.5])
    m.motor("drive", on="one", torque=0.4 * mbs.sin(9.0 * mbs.time))
    m.friction("load", on="two", **{"force" if kind == "rack" else "torque": 0.0}, viscous=0.02)
    m.output("force", mbs.strength("mesh"))
    m.start("one", q=0.0, u=1.0)
    return m, takes


@pytest.mark.parametrize("kind", tiers(["ratio", "teeth", "rack"], usual=1))
def test_two_shafts_with_backlash_equal_minimal_coordinates(kind: str) -> None:
    """Teeth that part and meet again on both sides follow the equations of two coordinates.

    The comparison is at ends of runs, since dense output inside a step does not represent kinks, and by the method of
    lower order, whose error estimate detects them sooner.
    """
    scale = 0.02 if kind == "ratio" else 1.0
    stiffness, damping, backlash = 1e4 * scale, 20.0 * scale, 3e-3
    m, takes = shafts(kind, stiffness=stiffness, damping=damping, backlash=backlash)
    M, sides = np.array([ONE, TWO]), set()

    def force(y: np.ndarray) -> float:
        g, rate = takes @ y[:2], takes @ y[2:]
        psi = g - np.clip(g, -0.5 * backlash, 0.5 * backlash)
        sides.add(np.sign(psi))
        return -stiffness * psi - float(np.clip(damping * rate, -stiffness * abs(psi), stiffness * abs(psi)))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        load = np.array([0.4 * np.sin(9.0 * t), -0.02 * y[3]])
        return np.concatenate([y[2:], (load + takes * force(y)) / M])

    names = ("one.phi", "two.s", "one.w", "two.v") if kind == "rack" else ("one.phi", "two.phi", "one.w", "two.w")
    for end in (0.1, 0.3, 0.6, 1.0):
        r = mbs.simulate(m, end, method="dopri5", rtol=1e-12, atol=1e-15, output_interval=end)
        y = solve_ivp(rates, (0.0, end), [0, 0, 1, 0], "DOP853", rtol=1e-13, atol=1e-14, max_step=1e-3).y[:, -1]
        assert np.abs(np.array([r[name][-1] for name in names]) - y).max() < 1e-8, (
            f"{names} at the end: {[r[name][-1] for name in names]}, not {y}"
        )
        assert_close(r["force"][-1], force(y), 1e-8 * stiffness, f"force of the teeth at {end:g} s")
    assert sides == {-1.0, 0.0, 1.0}


@pytest.mark.quick
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_an_elastic_ratio_without_backlash_is_linear(damping: float) -> None:
    """f = -k g - d g', also if g is zero; its power is the loss of its energy."""
    m, takes = shafts("ratio", stiffness=30.0, damping=damping)
    for name, measure in (("lost", mbs.power("mesh")), ("E", mbs.energy())):
        m.output(name, measure)
    plain = Plain(m)
    slots = {v.name: v.slot for v in plain.program.variables}
    for one, two, w, v in ((0.0, 0.0, 1.0, 0.0), (0.3, -0.1, -2.0, 0.5)):
        for name, x in (("one.phi", one), ("two.phi", two), ("one.w", w), ("two.w", v)):
            plain.R[slots[name]] = x
        plain.real.momenta(plain.R)
        plain.rates()
        plain.real.outputs(plain.R)
        g, rate = takes @ (one, two), takes @ (w, v)
        assert np.isclose(plain.R[slots["force"]], -30.0 * g - damping * rate, rtol=1e-15, atol=1e-15)
        assert np.isclose(plain.R[slots["lost"]], (-30.0 * g - damping * rate) * rate, rtol=1e-14)
        energy = 0.5 * (ONE * w * w + TWO * v * v + 30.0 * g * g)
        assert np.isclose(plain.R[slots["E"]], energy, rtol=1e-14)
    teeth = shafts("teeth", stiffness=30.0, damping=0.5)[0]
    other = Plain(teeth)
    other.rates()
    other.real.outputs(other.R)
    assert (
        other.R[{v.name: v.slot for v in other.program.variables}["force"]] == 0.0
    )  # bounded while no flank is loaded


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["ratio", "coordinates"])
def test_elastic_ratios_on_free_carriers_equal_dense_algebra(kind: str) -> None:
    """Accelerations and energy agree."""
    m = geared(kind, 1, stiffness=700.0, damping=30.0)
    m.output("E", mbs.energy())
    plain, dense = Plain(m), Dense(m)
    slots = {v.name: v.slot for v in plain.program.variables}
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice], D[0] = plain.rates(), 1.0
    plain.real.derive_d(plain.R, D)
    plain.real.outputs(plain.R)
    q, u = dense.read({name: plain.R[slot] for name, slot in slots.items()})
    close(
        np.array([D[slots[name]] for name in dense.rates]),
        dense.accelerations(q, u)[0],
        1e-11,
        "acceleration",
        dense.rates,
    )
    assert_close(plain.R[slots["E"]], dense.energy(q, u), 1e-12 * abs(dense.energy(q, u)), "energy")


def test_backlash_is_exact_after_a_thousand_turns() -> None:
    """The force is that of coordinates that count all turns."""
    m, takes = shafts("teeth", stiffness=1e5, backlash=1e-3)
    m.start("one", q=0.0, u=2.0 * np.pi * 500.0)
    m.start("two", q=0.0, u=-np.pi * 500.0)
    r = mbs.simulate(m, 3.0, rtol=1e-9)
    assert r["one.phi"][-1] > 1000.0 * 2.0 * np.pi
    apart = takes[0] * r["one.phi"] + takes[1] * r["two.phi"]
    expected = 1e5 * (apart - np.clip(apart, -0.5e-3, 0.5e-3))
    assert np.abs(expected).max() > 100.0
    assert_close(r["force"], -expected, 1e5 * 10 * np.finfo(float).eps * 24.0 * 7540.0 * 0.002, "force", times=r.time)


# -- refused arguments ------------------------------------------------------------------------------------------
def rigid_gear(**gives: Any) -> Model:
    m = shafts("teeth", stiffness=1.0)[0]
    m.gear("g", "one", "two", **({"teeth": (20, 40)} | gives))
    return m


def with_output(measure: mbs.Expression) -> object:
    m = shafts("teeth", stiffness=1.0)[0]
    m.output("asked", measure)
    return compile_model(m)


REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "rigid backlash": (
        r"gear 'g': backlash= is for elastic teeth: give stiffness= too \(N/m\), or leave it out",
        lambda: rigid_gear(backlash=1e-3),
    ),
    "rigid damping": (
        r"gear 'g': damping= is for elastic teeth: give stiffness= too \(N.m/rad\)",
        lambda: rigid_gear(teeth=None, ratio=2.0, damping=1.0),
    ),
    "a rigid rack": (
        r"rack 'r': backlash= is for elastic teeth: give stiffness= too \(N/m\)",
        lambda: shafts("rack", stiffness=1.0)[0].rack("r", "one", "two", radius=0.1, backlash=1e-3),
    ),
    "at times": (
        r"gear 'g': when= and until= are for rigid gears: leave stiffness= out",
        lambda: rigid_gear(stiffness=1e4, when=mbs.time > 1.0),
    ),
    "a ratio at times": (
        r"gear 'g': when= and until= are for rigid gears",
        lambda: rigid_gear(teeth=None, ratio=2.0, stiffness=1e4, until=mbs.time > 1.0),
    ),
    "no stiffness": (r"stiffness of gear 'g' is 0.0: it must be positive", lambda: rigid_gear(stiffness=0.0)),
    "backlash below zero": (
        r"backlash of gear 'g' is -0.001: it must not be negative",
        lambda: rigid_gear(stiffness=1.0, backlash=-1e-3),
    ),
    "damping below zero": (
        r"damping of gear 'g' is -2.0: it must not be negative",
        lambda: rigid_gear(stiffness=1.0, damping=-2.0),
    ),
    "too much backlash": (
        r"gear 'g': a backlash of 0.02 m is too much for teeth that are 0.0125664 m apart on the pitch circle",
        lambda: rigid_gear(stiffness=1.0, backlash=0.02),
    ),
    "a ratio of rates": (
        r"gear 'g' depends on rate\(one, 1\): give no velocities",
        lambda: rigid_gear(teeth=None, ratio=mbs.rate("one", 1), stiffness=1.0),
    ),
    "a ratio of places": (
        r"gear .g. depends on .*one.*: an elastic gear by ratio couples coordinates only",
        lambda: rigid_gear(teeth=None, ratio=mbs.position("one")[0], stiffness=1.0),
    ),
    "a taken name": (r"force name 'mesh' is taken", lambda: shafts("ratio", stiffness=1.0)[0].motor("mesh", on="one")),
    "a multiplier": (
        r"'mesh' is a force and no closure: use mbs.strength\('mesh'\)",
        lambda: with_output(mbs.multiplier("mesh")),
    ),
    "a reaction": (
        r"'mesh' is a force and no closure: use mbs.strength or mbs.applied",
        lambda: with_output(mbs.reaction("mesh").f[0]),
    ),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", REFUSED)
def test_invalid_elastic_gears_are_refused(what: str) -> None:
    message, build = REFUSED[what]
    with pytest.raises(mbs.ModelError, match=message):
        build()


def test_units_of_stiffness_follow_the_residual() -> None:
    """Stiffness is in N/m for teeth and racks and in N.m/rad for ratios; texts are converted accordingly."""
    m = shafts("teeth", stiffness="10 N/mm", backlash="0.1 mm", damping="5 N.s/m")[0]
    assert m.forces["mesh"].ends.stiffness.value == pytest.approx(1e4)  # type: ignore[attr-defined]
    assert m.forces["mesh"].ends.upper.value == pytest.approx(5e-5)  # type: ignore[attr-defined]
    with pytest.raises(mbs.ModelError, match=r"stiffness of gear 'mesh' is '10 N/mm': .* N.m/rad"):
        shafts("ratio", stiffness="10 N/mm")
