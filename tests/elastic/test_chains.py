"""Chains of elastic bodies against links of rigid rods, elastic rods in space, and published figures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
from scipy.integrate import solve_ivp
from scipy.optimize import root

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

Array = np.ndarray
SOFT = {"E": 1e8, "density": 1000.0}  # a strip of rubber, 1 m long
STRIP = mbs.Rectangle(0.02, 0.01)


def strip(count: int, modes: int = 3, along: str = "z") -> mbs.Modes:
    """Return a piece of the strip of rubber."""
    return mbs.beam(1.0 / count, STRIP, **SOFT, modes=modes, along=along)


def hanging(count: int, **options: Any) -> mbs.Model:
    """Return the strip, clamped at its start, as a chain."""
    m = mbs.Model("hanging", gravity=(0, 0, 0))
    m.chain("strip", "world", strip(count), count, **options)
    return m


# -- structure ---------------------------------------------------------------------------------------------------
@pytest.mark.quick
def test_a_chain_is_bodies_welded_end_to_end() -> None:
    """Names, parents, joints; the second piece hangs on the farthest node, not on the last one of the list."""
    nodes = {"root": 0.0, "tip": 0.25, "middle": 0.1}
    piece = mbs.beam(0.25, STRIP, **SOFT, modes=5, nodes=nodes, along="z")
    m = mbs.Model("whip")
    hub = m.body("hub", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    bodies = m.chain("whip", hub, piece, 3, mbs.Revolute("y"), (0.1, 0, 0))
    assert [body.name for body in bodies] == ["whip1", "whip2", "whip3"]
    assert [body.parent for body in bodies] == ["hub", "whip1.tip", "whip2.tip"]
    assert [body.joint for body in bodies] == [mbs.Revolute("y"), mbs.Weld(), mbs.Weld()]
    assert [x.value for x in bodies[0].position] == [0.1, 0.0, 0.0]
    assert bodies[2].node("middle") is m.bodies["whip3.middle"]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a section": ({"beam": STRIP}, "chain 'cable': beam must be modes of one piece, such as mbs.beam(...), not "),
    "one node": (
        {"beam": mbs.beam(1.0, STRIP, **SOFT, modes=3, nodes={"root": 0.0})},
        "chain 'cable': its beam has fewer than two nodes: give it a root and one for the next piece",
    ),
    "half a piece": ({"count": 2.5}, "chain 'cable': count is 2.5: give a whole number of pieces, 1 to 100"),
    "no piece": ({"count": 0}, "chain 'cable': count is 0: give a whole number of pieces, 1 to 100"),
    "too many": ({"count": 101}, "chain 'cable': count is 101: give a whole number of pieces, 1 to 100"),
    "negative damping": ({"damping": -0.1}, "damping of chain 'cable' is -0.1: it must not be negative"),
    "damping as a word": ({"damping": "low"}, "damping of chain 'cable' is 'low': give a number in 1"),
    "a name that is taken": ({"count": 3}, "body name 'cable3' is taken by a body of model 'rope': choose another"),
}


@pytest.mark.quick
@pytest.mark.parametrize("mistake", REFUSED)
def test_mistakes_leave_no_part_of_a_chain(mistake: str) -> None:
    arguments, message = REFUSED[mistake]
    m = mbs.Model("rope")
    m.body("cable3", mass=1.0)
    with pytest.raises(mbs.ModelError, match="^" + re.escape(message)):
        m.chain("cable", "world", **{"beam": strip(2), "count": 2, **arguments})
    assert list(m.bodies) == ["cable3"]


# -- small motions -----------------------------------------------------------------------------------------------
def vibrations(m: mbs.Model) -> tuple[Array, Array]:
    """Return angular frequencies and damping ratios of a model at rest, by rising frequency."""
    values = np.linalg.eigvals(mbs.linearize(m).A)
    values = values[values.imag > 0.0]
    values = values[np.argsort(np.abs(values))]
    return np.abs(values), -values.real / np.abs(values)


@pytest.mark.parametrize("count", tiers([1, 2, 4], usual=1))
def test_a_chain_has_the_frequencies_of_a_clamped_beam(count: int) -> None:
    """3.5160, 22.034, 61.70 √(EI/ρAL⁴); the pieces' static shapes alone are cubic elements of a beam."""
    frequencies, _ = vibrations(hanging(count, damping=0.0))
    cut = STRIP.at(0.0)
    unit = np.sqrt(1e8 * cut.Iy / (1000.0 * cut.A))
    exact = np.array([3.5160, 22.0345, 61.697])
    kept = 2 if count == 1 else 3
    assert_close(frequencies[:kept] / unit / exact[:kept], 1.0, 0.01, "ratio of frequencies to those of the beam")
    assert frequencies[0] / unit == pytest.approx(3.5160, rel=1e-3)


@pytest.mark.parametrize("count", tiers([1, 4], usual=1))
def test_damping_is_that_of_the_first_vibration_of_the_whole(count: int) -> None:
    """And rises in proportion to the frequency. The modes' own damping, 0.01, is tiny in the whole."""
    frequencies, ratios = vibrations(hanging(count, damping=0.02))
    assert ratios[0] == pytest.approx(0.02, rel=1e-6)
    below = frequencies < 20.0 * frequencies[0]
    assert ratios[below] == pytest.approx(0.02 * frequencies[below] / frequencies[0], rel=1e-6)
    if count > 1:
        assert vibrations(hanging(count))[1][0] < 2e-4


# -- bent far ----------------------------------------------------------------------------------------------------
def links(count: int, times: Array) -> Array:
    """Return the places (x, z) of the tip of a pinned strip that falls from the level, m, (times, 2).

    The strip is a row of rigid rods with springs in their hinges, which converges to a beam without stretch as the
    square of the rods' length. The coordinates are the rods' angles to the level.
    """
    cut, rod = STRIP.at(0.0), 1.0 / count
    mass, stiffness = 1000.0 * cut.A * rod, 1e8 * cut.Iy / rod
    turning = mass * rod**2 / 12 + 1000.0 * cut.Iy * rod
    # by rod j, the middles of the rods behind it move by its length, and its own by half of it
    lever = np.tril(np.full((count, count), rod), -1) + 0.5 * rod * np.eye(count)
    products, weight = mass * lever.T @ lever, mass * 9.81 * lever.sum(axis=0)
    bent = np.diff(np.eye(count), axis=0)
    springs = stiffness * bent.T @ bent

    def rates(_: float, y: Array) -> Array:
        q, w = np.split(y, 2)
        between = q[:, None] - q[None, :]
        M = products * np.cos(between) + turning * np.eye(count)
        f = weight * np.cos(q) - springs @ q - (products * np.sin(between)) @ (w * w)
        return np.concatenate([w, np.linalg.solve(M, f)])

    run = solve_ivp(rates, (0.0, times[-1]), np.zeros(2 * count), method="DOP853", rtol=1e-8, atol=1e-9, t_eval=times)
    q = run.y[:count]
    return rod * np.stack([np.cos(q).sum(axis=0), -np.sin(q).sum(axis=0)], axis=1)


def pendulum(count: int, modes: int) -> Array:
    """Return the tip of the strip, pinned and falling from the level, every 10 ms for 1 s, m, (101, 2)."""
    m = mbs.Model("pendulum")
    end = m.chain("strip", "world", strip(count, modes), count, mbs.Revolute("y"), damping=0.0)[-1].node("tip")
    m.output("tip", mbs.position(end))
    result = mbs.simulate(m, 1.0, rtol=1e-6, method="rodas5p", output_interval=0.01)
    return np.asarray(result["tip"])[:, [0, 2]]


@pytest.mark.slow
def test_a_falling_strip_moves_as_a_row_of_many_rods() -> None:
    """Errors of the tip: 4.5e-3 m as one body, 2.7e-4 as four, 1.6e-4 as eight."""
    times = np.linspace(0.0, 1.0, 101)
    coarse, fine = links(8, times), links(16, times)
    exact = fine + (fine - coarse) / 3.0
    assert np.abs(fine - exact).max() < 2e-3, "the rods do not converge"
    errors = [np.abs(pendulum(count, modes) - exact).max() for count, modes in ((1, 3), (4, 3), (8, 2))]
    assert errors[0] < 9e-3 and errors[1] < 4.4e-4 and errors[2] < 2.2e-4, errors
    assert errors[1] < 0.2 * errors[0]


B, H, LENGTH, E, G = 3.2024e-3, 12.77e-3, 0.508, 7.17e10, 2.7e10  # of the Princeton beam, SI units
PRINCETON = mbs.Section(A=B * H, Iy=B * H**3 / 12, Iz=H * B**3 / 12, It=H * B**3 / 3 * (1 - 0.63 * B / H))


def elastic_rod(force: Array) -> Array:
    """Return the tip of a clamped Princeton beam under a force, m: a rod without stretch and shear, by shooting.

    Along the rod r' = R e_x, R' = R κ~ and m' = -r' × F, with the curvature κ by the moment in the section's axes.
    """
    cut = PRINCETON.at(0.0)
    softness = 1.0 / np.array([G * cut.It, E * cut.Iy, E * cut.Iz])

    def rates(_: float, y: Array) -> Array:
        R, moment = y[3:12].reshape(3, 3), y[12:]
        x, y_, z = softness * (R.T @ moment)
        turn = np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]])
        return np.concatenate([R[:, 0], (R @ turn).ravel(), -np.cross(R[:, 0], force)])

    def states(moment: Array) -> Array:
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        return np.asarray(solve_ivp(rates, (0.0, LENGTH), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1])

    found = root(lambda moment: states(moment)[12:], np.cross([LENGTH, 0.0, 0.0], force), tol=1e-11)
    assert found.success
    return states(found.x)[:3]


def princeton(count: int, force: Array) -> Array:
    """Return the tip of the clamped Princeton beam in equilibrium, as a chain, m."""
    m = mbs.Model("princeton", gravity=(0, 0, 0))
    piece = mbs.beam(LENGTH / count, PRINCETON, E, 2700.0, modes=5, G=G)
    bodies = m.chain("beam", "world", piece, count, damping=1.0)
    for body in bodies:
        m.start(body, xi="static")
    end = bodies[-1].node("tip")
    m.force("load", on=end, force=list(force))
    m.output("tip", mbs.position(end))
    return np.asarray(mbs.simulate(m, 1e-5, method="rodas5p", rtol=1e-4)["tip"])[0]


@pytest.mark.slow
def test_the_princeton_beam_bends_in_both_planes() -> None:
    """8.896 N at 45 degrees (Dowell and Traybar 1975): 105.95 and 8.13 mm; 103.36 and 7.27 mm as one body."""
    force = 8.896 * np.array([0.0, 1.0, -1.0]) / np.sqrt(2.0)
    exact = elastic_rod(force)
    assert 1e3 * np.abs(exact[1:]) == pytest.approx([105.95, 8.13], abs=0.05)
    one, four = (princeton(count, force) for count in (1, 4))
    assert 1e3 * np.abs(one[1:]) == pytest.approx([103.36, 7.27], abs=0.02)
    assert 1e3 * np.abs(four[1:]) == pytest.approx([105.74, 8.04], abs=0.02)
    assert_close(four, exact, 0.15 * np.abs(one - exact).max(), "place of the tip, four bodies", "xyz")


def spin_up(count: int, modes: int) -> float:
    """Return the largest lag of the tip of Simo and Vu-Quoc's beam, which spins up to 6 rad/s in 15 s, m."""
    m = mbs.Model("spin_up", gravity=(0, 0, 0))
    piece = mbs.beam(
        10.0 / count, mbs.Section(A=1.0, Iy=5e-4, Iz=5e-4, It=5e-4), E=2.8e7, density=1.2, modes=modes, along="y"
    )
    bodies = m.chain("beam", "world", piece, count, mbs.Revolute("z"), damping=0.0)
    t, ramp = mbs.time, 15.0
    angle = 6.0 / ramp * (t * t / 2 + (ramp / (2 * np.pi)) ** 2 * (mbs.cos(2 * np.pi * t / ramp) - 1))
    m.drive("hub", on=bodies[0], position=angle)
    m.output("tip", mbs.relative_position(bodies[0], bodies[-1].node("tip")))
    result = mbs.simulate(m, 7.2, rtol=1e-6, method="rodas5p", output_interval=0.01)
    y = np.asarray(result["tip"])[:, 1]
    k = int(np.argmin(y))
    c = np.polyfit([-1.0, 0.0, 1.0], y[k - 1 : k + 2], 2)
    return float(c[2] - c[1] ** 2 / (4 * c[0]))


@pytest.mark.slow
def test_a_beam_that_spins_up_lags_as_an_exact_one() -> None:
    """-0.57377 m without shear and stretch; 1, 2 and 4 bodies are 0.20, 0.06 and 0.02 % short of it."""
    lags = [spin_up(count, modes) for count, modes in ((1, 8), (2, 4), (4, 3))]
    assert lags == pytest.approx([-0.57264, -0.57344, -0.57368], abs=1e-5)
    shortfalls = np.abs(np.array(lags) + 0.57377)
    assert np.all(np.diff(shortfalls) < 0.0), f"lags fall short by {shortfalls} m"
