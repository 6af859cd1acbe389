"""Shared loads of redundant constraints in reported multipliers: the shortest ones (L16)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.gears import JR, JS, MODULE, RING, SUN, planetary
from support.generators.loops import PlainLoops, random_loops, state
from support.models.linkages import coupled_loops, scissor
from support.oracles.complex_steps import STEP
from support.oracles.dense import Dense


def with_multipliers(m: Model) -> Model:
    """Return the model with all multipliers as outputs."""
    for name, loop in m.loops.items():
        for k in range(len(loop.conditions(None).rows)):
            m.output(f"{name}_{k}", mbs.multiplier(name, k + 1))
    return m


def closed_several_times(m: Model, times: int = 1) -> Model:
    """Return the model with every loop closed several times."""
    for name, loop in list(m.loops.items()):
        for k in range(times):
            m.loops[f"{name}_again{k}"] = replace(loop, name=f"{name}_again{k}")
    return m


def repeated_random_loops(seed: int) -> Model:
    """Return random loops, some of them twice and some of them three times."""
    return closed_several_times(random_loops(seed, 8, 1 + seed % 3), 1 + seed % 2)


def on_a_base() -> Model:
    """Return two four-bars, one on the other, on a floating base: rows end at moving links."""
    m = Model("base")
    J = (0.2, 0.2, 0.2)
    m.body("base", joint=mbs.Free(), mass=3.0, inertia=J)
    for level, ground in (("", "base"), ("2", "coupler")):
        for name, parent, at in (("crank", ground, 0), ("coupler", f"crank{level}", 1), ("rocker", ground, 2)):
            m.body(name + level, parent, mbs.Revolute("z"), 1.0, (0.5, 0, 0), J, (at, 0, 0))
        ends = {"at_a": (2, 0, 0), "at_b": (1.5, 0, 0)}
        m.close(f"pin{level}", f"coupler{level}", f"rocker{level}", mbs.Revolute("z"), **ends)
        m.start(f"crank{level}", q=1.0, u=1.0)
        m.start(f"coupler{level}", q=-0.5, guess=True)
        m.start(f"rocker{level}", q=0.5, guess=True)
    m.motor("drive", on="crank", torque=3.0)
    m.start("base", u=(0.1, 0.2, 0.3, 0.1, 0.2, 0.3))
    return m


def latched_later() -> Model:
    """Return redundant loops with a lock that does not hold."""
    m = closed_several_times(coupled_loops())
    m.lock("idle", on=next(iter(m.bodies)), when=mbs.time > 1.0)
    return m


CASES: dict[str, Callable[[], Model]] = {
    "planetary": planetary,
    "base": on_a_base,
    "coupled": coupled_loops,
    "scissor": lambda: scissor(4),
    "latched later": latched_later,
    "coupled again": lambda: closed_several_times(coupled_loops(), 2),
    "base again": lambda: closed_several_times(on_a_base()),
    **{f"random {seed}": lambda seed=seed: repeated_random_loops(seed) for seed in range(8)},  # type: ignore[misc]
}


@pytest.mark.parametrize("make", tiers(CASES, usual=1, quick=1))
def test_multipliers_are_the_shortest(make: Callable[[], Model]) -> None:
    """They are the shortest of all with the same forces, by singular values; scales are those of pivots."""
    plain = PlainLoops(with_multipliers(make()))
    R, real = plain.R, plain.real
    R[plain.slice("p")] += 0.3 * np.random.default_rng(1).normal(size=real.NV)
    R[real.ROW_SELECTION] = real.FREE_SELECTION
    plain.rates()
    D = np.zeros_like(R)
    real.set_motion_tangents(R, D)
    real.solve_d(R, D)
    by_pivots = plain.get(D, "multipliers")
    real.outputs(R)
    held = np.array([not real.is_excluded(R, row) for row in range(real.N_ROWS)])
    computed, scale = plain.get(R[real.TAIL :], "multipliers"), np.sqrt(R[plain.slice("scales")])
    J = (plain.jacobian(R) / scale[:, None])[held]
    expected = np.zeros_like(computed)
    expected[held] = np.linalg.pinv(J.T, rcond=1e-9) @ (J.T @ (scale * by_pivots)[held]) / scale[held]
    size = np.abs(expected).max()
    assert np.linalg.matrix_rank(J, 1e-9) < held.sum()
    assert np.abs(computed - expected).max() <= 1e-10 * size, (
        f"multipliers, computed minus expected: {computed - expected}"
    )
    assert_close(
        plain.jacobian(R).T @ (computed - by_pivots),
        0.0,
        1e-11 * np.abs(by_pivots).max(),
        "force of the shares along the rows",
    )
    assert np.linalg.norm(scale * computed) <= np.linalg.norm(scale * by_pivots) * (1.0 + 1e-12)
    assert np.array_equal(plain.get(R, "outputs")[: len(computed)], computed)


@pytest.mark.parametrize("name", tiers(["planetary", "base again", "random 1"], usual=1))
def test_tangents_of_shared_loads_equal_complex_steps(name: str) -> None:
    """Directions are states and time."""
    plain = PlainLoops(with_multipliers(CASES[name]()))
    R, real = plain.R, plain.real
    R[plain.slice("p")] += 0.3 * np.random.default_rng(1).normal(size=real.NV)
    E = np.zeros_like(R)
    E[plain.program.state_slice] = np.random.default_rng(2).normal(size=real.NX)
    E[0] = 1.0
    Z = R + 1j * STEP * E
    plain.complex.derive(Z)
    plain.complex.outputs(Z)
    exact = Z[plain.slice("outputs")].imag / STEP
    plain.rates()
    real.outputs(R)
    real.derive_d(R, E)
    real.outputs_d(R, E)
    assert_close(E[plain.slice("outputs")], exact, 1e-9 * (1.0 + np.abs(exact).max()), "tangent of output")


def test_reactions_include_shared_loads() -> None:
    """Reactions of joints and tooth forces belong to one set of multipliers, in the dense oracle."""
    m = with_multipliers(planetary())
    for body in m.bodies:
        m.output(f"of_{body}", mbs.reaction(body))
    m.output("tooth", mbs.reaction("inner1"))
    plain, dense = PlainLoops(m), Dense(m)
    plain.rates()
    plain.real.outputs(plain.R)
    slots = {v.name: plain.R[v.slot] for v in plain.program.of_role("output")}
    columns = {name: np.array([slots[part] for part in parts]) for name, parts in plain.program.vectors.items()}
    multipliers = np.array([slots[f"{name}_0"] for name in dense.rows])
    q, u = state(plain, dense)
    expected = dense.reactions(q, u, 0.0, multipliers)
    for name, body in (("tooth", "inner1"), *((f"of_{body}", body) for body in m.bodies)):
        wrench = np.concatenate([columns[f"{name}.f"], columns[f"{name}.t"]])
        assert np.abs(wrench - expected[body]).max() <= 1e-11 * np.abs(multipliers).max(), name


def test_planets_carry_equal_loads() -> None:
    """Three planets carry the same load under any torques."""
    plain, rng = PlainLoops(with_multipliers(planetary())), np.random.default_rng(3)
    for time in (0.0, 0.3, 0.7):
        plain.R[HeadNumbers.time] = time
        plain.R[plain.slice("p")] += 0.01 * rng.normal(size=plain.real.NV)
        plain.rates()
        plain.real.outputs(plain.R)
        forces = plain.get(plain.R, "outputs").reshape(3, 2)
        assert np.abs(forces).max() > 1.0
        assert np.ptp(forces, axis=0).max() < 1e-10 * np.abs(forces).max()


@pytest.mark.slow
def test_planets_carry_equal_loads_in_a_compiled_run() -> None:
    """Each planet carries a third of the balance of sun and ring: 5.8424 N and 0.1217 N after 2 s.

    Rows may be in any unit here: scales of equal planets are equal.
    """
    m = with_multipliers(planetary())
    for name in ("sun", "ring"):
        m.output(f"of_{name}", mbs.angular_acceleration(name))
    r = mbs.simulate(m, 2.0, rtol=1e-11, atol=1e-12, output_interval=0.05)
    t = r["time"]
    sun = JS * r["of_sun"][:, 2] - 3.0 * np.sin(5.0 * t) + 0.01 * r["sun.w"]
    ring = JR * r["of_ring"][:, 2] - 0.3 + 0.05 * r["ring.w"]
    for side, taken, figure in (("inner", sun / (1.5 * SUN), 5.8424), ("outer", ring / (1.5 * RING), 0.1217)):
        forces = np.array([r[f"{side}{k}_0"] for k in range(3)])
        assert_close(np.abs(forces), np.abs(taken / MODULE), 1e-9 * np.abs(forces).max(), "multiplier")
        assert np.abs(forces[:, -1]) == pytest.approx(figure, abs=6e-5)


@pytest.mark.slow
def test_loads_that_are_not_shared_stay_unchanged() -> None:
    """Loads are not shared without a request, for a single row, and beside one-sided or bounded multipliers."""
    assert compile_model(planetary()).regions["frontal"][1] == 0
    assert compile_model(with_multipliers(planetary())).regions["frontal"][1] > 0
    m = with_multipliers(planetary())
    m.friction("brake", on="ring", torque=1.0, stick=True)
    assert compile_model(m).regions["frontal"][1] == 0
    m = Model("rod")
    m.body("bob", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.close("rod", "world", "bob", mbs.Distance(1.0))
    m.start("bob", q=(0, 0, -1, 1, 0, 0, 0))
    assert compile_model(with_multipliers(m)).regions["frontal"][1] == 0
