"""Involute teeth of wheels whose centres move: laws, the crossed string, closed forms and published vibrations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.mechanism import Mechanism
from mbs_fmu.analysis.point import Point
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.gears import TEETH, on_bearings
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import output_rates, outputs

BEARING = mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.slide("z"), mbs.turn("z"))
PLANAR = mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z"))
PHASED: dict[str, Any] = {
    "stiffness": lambda phase: 2e5 * (1.0 + 0.3 * mbs.cos(phase) + 0.1 * mbs.sin(2.0 * phase)),
    "error": lambda phase: 1e-5 * mbs.sin(phase),
}


# -- laws ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", tiers(list(TEETH), usual=3, quick=1))
@pytest.mark.parametrize("flank", [-1, 1, 0])
def test_teeth_on_either_flank_conserve_energy_and_balance(kind: str, flank: int) -> None:
    """Energy stays, whatever the stiffness and the error do along the phase, and the wheels feel opposite wrenches."""
    m = on_bearings(kind, 1, flank, backlash=1e-4, **PHASED)
    m.output("E", mbs.energy())
    m.output("tooth", mbs.strength("mesh"))
    m.output("power", mbs.power("mesh"))
    m.output("stored", m.forces["mesh"].effect().stored)
    plain = Plain(m)
    rates, now = output_rates(plain), outputs(plain)
    scale = 1.0 + abs(now["power"]) + np.abs(plain.R[plain.slice("tau")]).sum()
    assert (now["tooth"] != 0.0) == (flank != 0)
    assert abs(now["power"] + rates["stored"]) < 1e-12 * scale  # some thousand operations
    assert abs(rates["E"]) < 1e-12 * scale


@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
def test_free_wheels_keep_their_momentum(seed: int) -> None:
    """Two wheels in flight exchange momentum and angular momentum only, and dampers take energy only."""
    rng = np.random.default_rng(seed)
    m = Model("flight", gravity=(0, 0, 0))
    joint = mbs.Compound(*(mbs.slide(x) for x in "xyz"), mbs.turn("x"), mbs.turn("y"), mbs.turn("z"))
    for name, x in (("one", 0.0), ("two", 0.1)):
        m.body(name, joint=joint, mass=1.0, com=0.02 * rng.normal(size=3), inertia=(0.01, 0.02, 0.02), at=(x, 0, 0))
        m.start(name, q=(*(1e-5 * rng.normal(size=5)), 0.01), u=0.1 * rng.normal(size=6))
    m.gear("mesh", "one", "two", teeth=(20, 30), pressure_angle=0.3, helix=-0.2, stiffness=1e5, damping=20.0)
    for name, measure in (("p", mbs.momentum()), ("L", mbs.angular_momentum()), ("lost", mbs.power("mesh"))):
        m.output(name, measure)
    m.output("stored", m.forces["mesh"].effect().stored)
    plain = Plain(m)
    rates, now = output_rates(plain), outputs(plain)
    force = np.abs(plain.get(plain.R, "p_dot")).max()
    assert force > 1.0
    assert np.abs(rates["p"]).max() < 1e-13 * force and np.abs(rates["L"]).max() < 1e-13 * force
    assert now["lost"] + rates["stored"] < 0.0


@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("kind", tiers(list(TEETH), usual=1))
def test_linear_models_equal_differences(kind: str) -> None:
    """All terms of the teeth have exact derivatives, also those of the geometry under load."""
    m = on_bearings(kind, 2, 1, damping=3.0, **PHASED)
    lin = mbs.linearize(m)
    v = np.random.default_rng(0).normal(size=len(lin.states))
    v /= np.linalg.norm(v)
    mechanism = Mechanism(m)
    R = mechanism.record({}, {}, {}, 0.0)
    mechanism.begin(R)
    point, h = Point(mechanism, R), 1e-6
    rates = [point.moved(s * h * v).rates for s in (-2.0, -1.0, 1.0, 2.0)]
    computed = (8.0 * (rates[2] - rates[1]) - (rates[3] - rates[0])) / (12.0 * h)
    rows = slice(point.counts[0], sum(point.counts[:2]))
    assert_close((lin.A @ v)[rows], computed[rows], 1e-8 * np.abs(lin.A).max(), "rates of velocities")


@pytest.mark.parametrize("kind", tiers(list(TEETH), usual=3, quick=1))
def test_forces_are_those_of_a_crossed_string(kind: str) -> None:
    """Each flank is a string between the base circles: its length by the tangent of two circles with signed radii."""
    (z1, z2), k, play, alpha, d0 = TEETH[kind], 3e6, 2e-4, np.radians(22.0), 0.1
    radii = np.array([z1, z2]) * d0 * np.cos(alpha) / abs(z1 + z2)

    def string(q: np.ndarray, sense: float) -> Any:
        """Length of the string on one flank, at coordinates x, y, angle of both wheels."""
        one, two = sense * radii[0], -sense * radii[1]
        c, delta = np.array([d0 + q[3] - q[0], q[4] - q[1]]), two - one
        free = np.sqrt(c[0] * c[0] + c[1] * c[1] - delta * delta)
        beta = np.arctan((c[1] * free - c[0] * delta) / (c[0] * free + c[1] * delta))
        return free + (one - two) * beta - one * q[2] + two * q[5]

    def energy(q: np.ndarray) -> Any:
        outside = np.sign(z1 + z2)  # the string of an internal gear loosens as the flank lifts
        slack = [outside * (string(0.0 * q, s) - string(q, s)) - 0.5 * play * np.cos(alpha) for s in (1.0, -1.0)]
        return 0.5 * k * sum(x * x for x in slack if x.real > 0.0)

    for seed, flank in enumerate((-1.0, 1.0, -1.0, 1.0)):
        rng = np.random.default_rng(seed)
        q = 1e-4 * rng.normal(size=6)
        q[5] += flank * 4e-3 / abs(radii[1]) * 0.5
        m = Model("pair", gravity=(0, 0, 0))
        for name, x, part in (("one", 0.0, q[:3]), ("two", d0, q[3:])):
            m.body(name, joint=PLANAR, mass=2.0, inertia=(3.0, 3.0, 3.0), at=(x, 0, 0))
            m.start(name, q=part)
        m.gear("mesh", "one", "two", teeth=(z1, z2), pressure_angle=alpha, stiffness=k, backlash=play)
        got = np.array(list(mbs.forward_dynamics(m).values())) * [2, 2, 3, 2, 2, 3]
        slopes = np.array([energy(q + 1e-30j * np.eye(6)[i]).imag / 1e-30 for i in range(6)])
        assert np.abs(slopes).max() > 100.0
        assert_close(got, -slopes, 1e-9 * np.abs(slopes).max(), "forces")


@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.quick
def test_the_order_of_the_wheels_is_free() -> None:
    """The same wheels in the other order, with the other hand, exert the same forces."""
    accelerations = []
    for ends, teeth, helix in ((("one", "two"), (20, 33), 0.3), (("two", "one"), (33, 20), -0.3)):
        m = Model("pair", gravity=(0, 0, 0))
        for name, x, q in (("one", 0.0, (1e-5, 2e-5, -3e-5, 0.31)), ("two", 0.1, (-2e-5, 1e-5, 4e-5, -0.15))):
            m.body(name, joint=BEARING, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
            m.start(name, q=q, u=(0.1, 0.2, -0.3, 0.4))
        m.gear("mesh", *ends, teeth=teeth, pressure_angle=0.35, helix=helix, stiffness=1e6, damping=40.0)
        accelerations.append(mbs.forward_dynamics(m))
    for name, expected in accelerations[0].items():
        assert accelerations[1][name] == pytest.approx(expected, rel=1e-9), name
    assert max(map(abs, accelerations[0].values())) > 1.0


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("carrier", [None, "arm"])
def test_a_ring_in_the_world_turns_about_the_axis_of_the_carrier(carrier: str | None) -> None:
    """It meshes as a ring of its own that a drive holds."""
    rates = []
    for own in (True, False):
        m = Model("set", gravity=(0, 0, 0))
        arm = m.body("arm", joint=PLANAR, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.2, 0.3, 0.0))
        planet = m.body("planet", arm, PLANAR, 0.5, inertia=(0.01, 0.01, 0.01), at=(0.05, 0.02, 0.01))
        m.start(arm, q=(1e-5, -2e-5, 0.7), u=(0.1, 0.0, 1.0))
        m.start(planet, q=(3e-5, 1e-5, -0.7 * 60 / 18 + 1e-3), u=(0.0, 0.2, -3.0))
        if own:
            m.body("ring", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1), at=(0.2, 0.3, 0.0))
            m.drive("hold", on="ring", position=0.0, rate=0.0)
        flanks: dict[str, Any] = {"pressure_angle": 0.35, "helix": 0.1, "stiffness": 1e6, "damping": 10.0}
        words = {} if own or carrier is None else {"carrier": carrier}
        m.gear("mesh", "ring" if own else "world", planet, teeth=(-60, 18), **flanks, **words)
        plain = Plain(m)
        found = plain.rates()
        rates.append(found[[k for k, label in enumerate(plain.labels("rates")) if "momentum" in label]])
    assert_close(rates[0], rates[1], 1e-9 * np.abs(rates[0]).max(), "rates of momenta")
    assert np.abs(rates[0]).max() > 1.0


# -- closed forms ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_bearings_of_a_helical_pair_carry_the_tooth_force(sense: float) -> None:
    """Tangential T/r, radial Ft tan a_t, which separates the wheels for either torque, and axial Ft tan b."""
    slope, normal, T = np.radians(15.0), np.radians(20.0), sense * 100.0
    transverse = np.arctan(np.tan(normal) / np.cos(slope))
    radii = [0.004 * z / np.cos(slope) / 2.0 for z in (20, 40)]
    m = Model("pair", gravity=(0, 0, 0))
    for k, name in enumerate("ab"):
        J = 1e-3 + 7e-3 * k
        m.body(name, joint=BEARING, mass=1.0 + 3.0 * k, inertia=(J, J, 2.0 * J), at=(k * sum(radii), 0, 0))
        for i in (1, 2, 3):
            m.spring(f"{name}{i}", on=name, coordinate=i, stiffness=1e9, damping=1e4)
            m.output(f"f_{name}{i}", mbs.strength(f"{name}{i}"))
    m.motor("drive", on="a", coordinate=4, torque=T * mbs.tanh(mbs.time / 5e-3))
    m.spring("brake", on="b", coordinate=4, stiffness=1e6, damping=1e2)
    m.gear(
        "mesh", "a", "b", teeth=(20, 40), pressure_angle="20 deg", helix="15 deg", stiffness=4e8, damping=4e3,
        backlash="0.1 mm",
    )  # fmt: skip
    m.output("tooth", mbs.strength("mesh"))
    r = mbs.simulate(m, 0.05, method="rodas5p", rtol=1e-8, output_interval=0.05)
    tangential = T / radii[0]
    expected = [abs(tangential) * np.tan(transverse), tangential, -tangential * np.tan(slope)]  # right-handed a
    bound = 2e-8 * abs(tangential)  # the wheels move by micrometres
    assert_close([r[f"f_a{i}"][-1] for i in (1, 2, 3)], expected, bound, "bearing of a")
    assert_close([r[f"f_b{i}"][-1] for i in (1, 2, 3)], -np.array(expected), bound, "bearing of b")
    assert_close(r["tooth"][-1], tangential / np.cos(transverse), bound, "tooth force")
    assert np.allclose(np.abs(expected), [909.926, 2414.815, 647.048], atol=5e-4)


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_fixed_centres_make_it_the_mesh_of_hinges(damping: float) -> None:
    """On hinges, without a change of the distance, the motion is that of teeth on the pitch circle."""
    k, alpha, runs = 1e6, np.radians(20.0), []
    for flanks in (True, False):
        m = Model("pair", gravity=(0, 0, 0))
        for name, x, J in (("one", 0.0, 1e-3), ("two", 0.1, 3e-3)):
            m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(J, J, J), at=(x, 0, 0))
        m.start("one", q=0.0, u=3.0)
        law = {"stiffness": k, "damping": damping} if flanks else {}
        law = law or {"stiffness": k * np.cos(alpha) ** 2, "damping": damping * np.cos(alpha) ** 2}
        words = {"pressure_angle": alpha} if flanks else {}
        m.gear("mesh", "one", "two", teeth=(20, 30), backlash=1e-4, **law, **words)
        m.output("tooth", mbs.strength("mesh") * (np.cos(alpha) if flanks else 1.0))
        runs.append(mbs.simulate(m, 0.01, method="dop853", rtol=1e-11, atol=1e-13, output_interval=1e-3))
    for column in ("one.phi", "two.phi", "tooth"):
        scale = np.abs(runs[1][column]).max()
        assert_close(runs[0][column], runs[1][column], 1e-6 * scale, column, times=runs[0].time)
    assert np.abs(runs[1]["tooth"]).max() > 10.0


@pytest.mark.quick
@pytest.mark.parametrize("teeth", [(20, 30), (-50, 20)])
def test_the_distance_of_the_centres_changes_the_backlash(teeth: tuple[int, int]) -> None:
    """Turning play on the base circles: j cos a_0 + 2 (rho_1 + rho_2)(inv a - inv a_0); less for an internal gear."""
    alpha, distance, moved, backlash = np.radians(20.0), 0.1, 4e-4, 3e-3
    radius = distance * np.cos(alpha)
    working = np.arccos(radius / (distance + moved))
    opened = np.sign(sum(teeth)) * radius * (np.tan(working) - working - np.tan(alpha) + alpha)
    free = 0.5 * backlash * np.cos(alpha) + opened
    m = Model("pair", gravity=(0, 0, 0))
    m.body("one", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("two", joint=PLANAR, mass=1.0, inertia=(1, 1, 1), at=(distance, 0, 0))
    m.gear("mesh", "one", "two", teeth=teeth, pressure_angle=alpha, stiffness=1e8, backlash=backlash)
    m.output("tooth", mbs.strength("mesh"))
    base = radius * teeth[0] / abs(sum(teeth))
    for sense in (1.0, -1.0):
        for beyond in (-1e-6, 1e-6):
            m.start("one", q=sense * (free + beyond) / base)
            m.start("two", q=(moved, 0.0, 0.0))
            force = mbs.simulate(m, 1e-9)["tooth"][0]
            assert force == pytest.approx(np.sign(sum(teeth)) * sense * 1e8 * max(beyond, 0.0), abs=1e-4)


@pytest.mark.parametrize("eps", [0.05, 0.1])
def test_a_stiffness_by_the_phase_is_mathieus_equation(eps: float) -> None:
    """At mesh frequency 2 w the vibration grows as exp(eps/2 w t) if the stiffness is k (1 + 2 eps cos phase)."""
    z, r, J, k = 20, 0.05, 2e-3, 1e8
    w, m = np.sqrt(2.0 * k * r * r / J), Model("pair", gravity=(0, 0, 0))
    alpha = np.radians(20.0)
    for name, x, sense in (("a", 0.0, 1.0), ("b", 2.0 * r, -1.0)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(J, J, J), at=(x, 0, 0))
        m.start(name, q=1e-8 * (sense > 0.0), u=2.0 * w / z * sense)
    k /= np.cos(alpha) ** 2
    m.gear("mesh", "a", "b", teeth=(z, z), pressure_angle=alpha, stiffness=lambda p: k * (1 + 2 * eps * mbs.cos(p)))
    m.output("d", r * (mbs.coordinate("a") + mbs.coordinate("b")))
    T = 16.0 / (eps * w)
    result = mbs.simulate(m, T, method="dop853", rtol=1e-10, atol=1e-16, output_interval=T / 4000)
    peaks = np.abs(result["d"]).reshape(-1)[1:].reshape(8, 500).max(axis=1)
    growth = np.polyfit(np.arange(4, 8) * T / 8.0, np.log(peaks[4:]), 1)[0]
    assert growth / w == pytest.approx(0.5 * eps, rel=0.05)  # to the order of eps


@pytest.mark.quick
def test_the_error_is_the_lag_of_the_second_wheel() -> None:
    """A wheel driven slowly follows its driver less the error, which repeats once per tooth of the first wheel."""
    z, deviation, alpha = (17, 34), 1e-4, 0.35
    base = 0.1 * np.cos(alpha) / sum(z)
    m = Model("pair", gravity=(0, 0, 0))
    m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("b", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-6, 1e-6, 1e-6), at=(0.1, 0, 0))
    m.drive("turn", on="a", position=0.1 * mbs.time, rate=0.1)
    m.motor("load", on="b", torque=1e-3)  # keeps one flank pressed
    error = {"error": lambda phase: deviation * mbs.cos(phase)}
    m.gear("mesh", "a", "b", teeth=z, pressure_angle=alpha, stiffness=1e6, damping=10.0, **error)
    m.start("b", q=0.0)
    r = mbs.simulate(m, 3.0, method="rodas5p", output_interval=0.1)
    lag = base * (z[0] * r["a.phi"] + z[1] * r["b.phi"])
    expected = deviation * np.cos(z[0] * r["a.phi"])
    assert_close(lag[3:], expected[3:], 1e-7, "lag", times=r.time[3:])  # 1e-3 N.m and 1e6 N/m deflect it by 5e-9 m


def by_lin_and_parker(planets: int) -> np.ndarray:
    """Frequencies, Hz, of a planetary set with n equal planets, by the deflections of its springs along x, y and the
    arc u of each member (Lin, Parker, J. Vib. Acoust. 121 (1999) 316)."""
    alpha, places = np.radians(24.6), 2.0 * np.pi * np.arange(planets) / planets
    masses = [(5.43, 6.29), (2.35, 3.0), (0.4, 0.39)] + [(0.66, 0.61)] * planets  # carrier, ring, sun, planets
    M = np.diag([x for m, arc in masses for x in (m, m, arc)])
    springs: list[tuple[float, dict[int, float]]] = [(1e8, {3 * k + i: 1.0}) for k in range(3) for i in range(2)]
    springs.append((1e9, {5: 1.0}))
    for n, psi in enumerate(places):
        own, sun, ring = 9 + 3 * n, psi - alpha, psi + alpha
        toward, across = np.sin(alpha), np.cos(alpha)
        springs += [
            (1e8, {0: np.cos(psi), 1: np.sin(psi), own: -1.0}),
            (1e8, {0: -np.sin(psi), 1: np.cos(psi), 2: 1.0, own + 1: -1.0}),
            (5e8, {6: -np.sin(sun), 7: np.cos(sun), 8: 1.0, own: -toward, own + 1: -across, own + 2: 1.0}),
            (5e8, {3: -np.sin(ring), 4: np.cos(ring), 5: 1.0, own: toward, own + 1: -across, own + 2: -1.0}),
        ]
    K = np.zeros_like(M)
    for stiffness, row in springs:
        v = np.zeros(len(M))
        v[list(row)] = list(row.values())
        K += stiffness * np.outer(v, v)
    return np.sort(np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(M, K)).real))) / (2.0 * np.pi)


@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("planets", tiers([3, 4, 5], usual=1))
def test_a_planetary_set_on_bearings_vibrates_as_lin_and_parker_state(planets: int) -> None:
    """Sun, ring, carrier and planets on bearings, with the flanks pressed that a torque on the sun loads."""
    arm, alpha = 0.0884, np.radians(24.6)
    base = arm * np.cos(alpha) * np.array([0.5, 0.5, 1.5])  # 40, 40 and 120 teeth; the frequencies depend on J/r² only
    m = Model("set", gravity=(0, 0, 0))
    for name, mass, arc, radius in (
        ("sun", 0.4, 0.39, base[0]), ("ring", 2.35, 3.0, base[2]), ("carrier", 5.43, 6.29, arm),
    ):  # fmt: skip
        J = arc * radius**2
        m.body(name, joint=PLANAR, mass=mass, inertia=(J, J, J), physical=False)
        for k in (1, 2):
            m.spring(f"{name}{k}", on=name, coordinate=k, stiffness=1e8)
    m.spring("hold", on="ring", coordinate=3, stiffness=1e9 * base[2] ** 2)
    for p in range(planets):
        angle = 2.0 * np.pi * p / planets
        at = mbs.Pose((arm * np.cos(angle), arm * np.sin(angle), 0), mbs.rpy(0, 0, angle))
        J, name = 0.61 * base[1] ** 2, f"planet{p}"
        m.body(name, "carrier", PLANAR, 0.66, inertia=(J, J, J), physical=False, at=at)
        for k in (1, 2):
            m.spring(f"{name}{k}", on=name, coordinate=k, stiffness=1e8)
        flanks: dict[str, Any] = {"pressure_angle": alpha, "stiffness": 5e8}
        m.gear(f"s{p}", "sun", name, teeth=(40, 40), **flanks)
        m.gear(f"r{p}", "ring", name, teeth=(-120, 40), **flanks)
    pressed = 1e-10  # m: the sun drives the planets, which push against the ring
    m.start("sun", q=(0.0, 0.0, pressed / base[0]))
    m.start("ring", q=(0.0, 0.0, pressed / base[2]))
    found = np.sort(np.abs(np.linalg.eigvals(mbs.linearize(m).A).imag))[::2] / (2.0 * np.pi)
    expected = by_lin_and_parker(planets)
    assert_close(found[2:], expected[2:], 1e-5 * expected[-1], "frequency, Hz")
    assert expected[0] < 1e-3 * expected[1]  # the set turns freely


@pytest.mark.usefixtures("in_plain_python")
def test_absolute_coordinates_give_the_same_motion() -> None:
    """Wheels on bearings move alike in the tree and in absolute coordinates."""
    m = Model("pair", gravity=(0, 0, 0))
    for name, x, u in (("one", 0.0, 30.0), ("two", 0.1, 0.0)):
        m.body(name, joint=PLANAR, mass=1.0, com=(1e-3, 0, 0), inertia=(1e-3, 1e-3, 2e-3), at=(x, 0, 0))
        m.start(name, q=(0.0, 0.0, 0.0), u=(0.0, 0.0, u))
        for k in (1, 2):
            m.spring(f"{name}{k}", on=name, coordinate=k, stiffness=1e5)
    m.gear("mesh", "one", "two", teeth=(20, 30), pressure_angle="20 deg", damping=10.0, backlash=1e-4, **PHASED)
    tree, absolute = (
        mbs.simulate(m, 2e-3, method="rk4", step=5e-5, output_interval=1e-3, formulation=formulation)
        for formulation in ("tree", "absolute")
    )
    assert np.ptp(tree["two.q[3]"]) > 1e-3
    for column in ("one.q[1]", "two.q[2]", "two.q[3]"):
        assert_close(tree[column], absolute[column], 1e-6 * np.abs(tree[column]).max(), column)


# -- refused arguments ------------------------------------------------------------------------------------------
def wheels(*joints: mbs.Joint, axis: object = "z") -> Model:
    m = Model("wheels")
    first, second = joints or (BEARING, BEARING)
    m.body("one", joint=first, mass=1.0, inertia=(1, 1, 1))
    m.body("two", joint=second, mass=1.0, inertia=(1, 1, 1), at=(0.1, 0, 0))
    m.body("tilted", joint=mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1), at=(0.1, 0, 0.1))
    return m


def refused(*joints: mbs.Joint, b: str = "two", **gives: Any) -> Callable[[], object]:
    words = {"teeth": (20, 30), "pressure_angle": "20 deg", "stiffness": 1e6} | gives
    given = {what: value for what, value in words.items() if value is not None}
    return lambda: wheels(*joints).gear("g", "one", b, **given)


REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "rigid teeth on bearings": (r"gear 'g': .* is not a hinge", refused(stiffness=None)),
    "bearings without a pressure angle": (r"gear 'g': .* is not a hinge", refused(pressure_angle=None)),
    "a helix alone": (r"gear 'g': helix= needs pressure_angle= too", refused(pressure_angle=None, helix=0.2)),
    "degrees as radians": (
        r"gear 'g': a pressure angle of 20 rad is not between 0 and 45 deg",
        refused(pressure_angle=20),
    ),
    "no pressure angle": (r"a pressure angle of 0 rad is not between", refused(pressure_angle=0.0)),
    "too much helix": (r"gear 'g': a helix angle of 15 rad is not between -90 and 90 deg", refused(helix=15)),
    "a direction too": (
        r"gear 'g': along= is the direction of the tooth force already: leave pressure_angle=",
        refused(at=(0.04, 0, 0), along="y"),
    ),
    "another module": (r"pitch radii 0.05 and 0.06 m are at odds with the axes", refused(radii=(0.05, 0.06))),
    "a free wheel": (
        r"gear 'g': body 'one' does not turn about the axis of the wheel: give a joint with one turn",
        refused(mbs.Free(), mbs.Prismatic("z")),
    ),
    "a carrier without use": (
        r"gear 'g': both wheels turn about axes of their own, carrier=",
        refused(carrier="world"),
    ),
    "one line": (r"gear 'g': the wheels turn about one line", refused(teeth=(-30, 30))),
    "too much backlash": (
        r"gear 'g': a backlash of 0.02 m is too much for teeth that are 0.0125664",
        refused(backlash=0.02),
    ),
    "an error of rigid teeth": (
        r"gear 'g': error= is for elastic teeth of wheels with parallel axes",
        refused(mbs.Revolute("z"), mbs.Revolute("z"), stiffness=None, error=1e-6),
    ),
    "an error without flanks": (
        r"gear 'g': error= is for elastic teeth",
        refused(mbs.Revolute("z"), mbs.Revolute("z"), pressure_angle=None, error=1e-6),
    ),
    "an error of bevel wheels": (
        r"gear 'g': error= is for elastic teeth of wheels with parallel axes",
        refused(mbs.Revolute("z"), mbs.Revolute("z"), b="tilted", error=1e-6),
    ),
    "an error of a ratio": (
        r"gear 'g': error= is for wheels with teeth=",
        refused(teeth=None, ratio=2, pressure_angle=None, error=1e-6),
    ),
    "a pressure angle of a ratio": (
        r"gear 'g': pressure_angle= is for wheels with teeth=",
        refused(teeth=None, ratio=2),
    ),
    "a phase of a ratio": (
        r"gear 'g': a stiffness by the phase is for wheels with teeth=",
        refused(teeth=None, ratio=2, pressure_angle=None, stiffness=lambda p: 1e6),
    ),
    "a function of two phases": (
        r"stiffness of gear 'g' must be a function of 1 argument",
        refused(stiffness=lambda p, q: p),
    ),
    "a stiffness of zero": (r"stiffness of gear 'g' is 0.0: it must be positive", refused(stiffness=lambda p: 0.0)),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", REFUSED)
def test_invalid_teeth_are_refused(what: str) -> None:
    message, build = REFUSED[what]
    with pytest.raises(mbs.ModelError, match=message):
        build()


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_wheels_too_close_for_their_base_circles_are_refused_at_the_start() -> None:
    m = wheels()
    m.gear("g", "one", "two", teeth=(20, 30), pressure_angle="20 deg", stiffness=1e6)
    m.start("two", q=(-0.007, 0.0, 0.0, 0.0))  # 0.1 m times 1 - cos 20 deg is 6 mm
    with pytest.raises(mbs.ModelError, match=r"gear 'g': the centres of the wheels are too close"):
        mbs.simulate(m, 0.1)
