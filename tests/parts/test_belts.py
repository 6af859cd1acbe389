"""Laws of belts and ropes: balances on random drives, closed forms of creep, slip and elastic vibration."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

import mbs_fmu as mbs
from support.batches import assert_same_in_lanes
from support.cases import some_quick, tiers
from support.formulations import assert_same_step, measure_all
from support.generators.belts import RandomBelt, random_belt
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import compare_tangents, output_rates, outputs

ROUNDING = 1e-12  #: share of the largest power or momentum; an evaluation takes some thousand operations
CREEPING: dict[str, Any] = {"stiffness": 4e3, "preload": 8.0, "friction": 0.4, "creep": 0.02}
TOOTHED: dict[str, Any] = {"stiffness": 4e3, "preload": 8.0}
KINDS = {"creeping": CREEPING, "toothed": TOOTHED}


def drawn(seed: int, floating: bool, **numbers: Any) -> RandomBelt:
    return random_belt(np.random.default_rng(seed), floating, back=seed % 2 == 1, **numbers)


def record(m: mbs.Model, seed: int) -> Plain:
    """Return the model as plain Python in a state with different tensions, N."""
    plain = Plain(m)
    states = plain.slice("z")
    plain.R[states] = np.random.default_rng(seed).uniform(12.0, 16.0, states.stop - states.start)
    return plain


# -- balances ------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", some_quick(range(12), quick=2, usual=6))
def test_energy_changes_by_the_losses(seed: int, kind: str) -> None:
    """dE/dt is minus what slip and creep take, with moving pulleys on a moving block; nothing without friction.

    Tangents agree with complex steps.
    """
    drive = drawn(seed, floating=seed % 3 > 0, **KINDS[kind])
    drive.model.output("E", mbs.energy())
    drive.model.output("loss", drive.belt.loss)
    drive.model.output("T", list(drive.belt.tensions))
    plain = record(drive.model, seed)
    rate, found = output_rates(plain)["E"], outputs(plain)
    size = 1.0 + found["loss"] + float(np.abs(plain.R[plain.program.state_slice] * plain.rates()).max())
    assert abs(rate + found["loss"]) < ROUNDING * size
    assert found["loss"] > 0.0 if kind == "creeping" else found["loss"] == 0.0
    assert kind == "toothed" or np.all(found["T"] > 0.0)
    compare_tangents(plain, seed, [plain.program.state_slice], "outputs")


@pytest.mark.quick
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", some_quick(range(8), quick=2, usual=4))
def test_a_belt_exerts_no_force_on_the_whole(seed: int, kind: str) -> None:
    """Momentum and angular momentum of a floating drive are constant."""
    m = drawn(seed, floating=True, **KINDS[kind]).model
    m.output("p", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    rates = output_rates(record(m, seed))
    assert np.abs(rates["p"]).max() < 1e-10 and np.abs(rates["L"]).max() < 1e-10  # of forces of some 50 N


@pytest.mark.quick
@pytest.mark.parametrize("seed", some_quick(range(6), quick=1, usual=3))
def test_the_unstretched_belt_is_conserved(seed: int) -> None:
    """The lengths of spans and arcs over 1 + strain have a constant sum, while pulleys move and the belt slips."""
    drive = drawn(seed, floating=False, **CREEPING)
    belt, radii, n = drive.belt, [p.radius for p in drive.over], len(drive.over)
    arcs = [0.5 * float(r) * w for r, w in zip(radii, belt.wraps, strict=True)]
    parts = [
        (belt.lengths[i] + arcs[i] + arcs[(i + 1) % n]) / (1.0 + mbs.signal(f"belt_tension{i + 1}") / 4e3)
        for i in range(n)
    ]
    drive.model.output("total", sum(parts[1:], start=parts[0]))
    assert abs(output_rates(record(drive.model, seed))["total"]) < ROUNDING


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_tensions_act_along_the_tangents(seed: int, kind: str) -> None:
    """The bearing of a fixed pulley holds the tensions along both spans, whose directions are tangents in space."""
    drive = drawn(seed, floating=False, **KINDS[kind])
    m, n = drive.model, len(drive.over)
    fixed = [
        k for k, p in enumerate(drive.over) if m.bodies[p.body.name].parent == "world" and p.body.joint.motions[0].spins
    ]
    for k, pulley in enumerate(drive.over):
        m.output(f"at{k}", mbs.position(pulley.body))
        m.output(f"f{k}", mbs.reaction(pulley.body).f)
    m.output("T", list(drive.belt.tensions))
    m.output("length", list(drive.belt.lengths))
    start = {f"belt_tension{i + 1}": 4.0 * (i + 1) for i in range(n)} if kind == "creeping" else {"p0.phi": 0.02}
    result = mbs.simulate(m, 1e-6, start=start, method="rk4", step=1e-6)
    found = {name: result[name][0] for name in result.vectors}
    along = []
    for i in range(n):
        a, b = drive.over[i], drive.over[(i + 1) % n]
        difference = b.radius * b.turn - a.radius * a.turn
        c = found[f"at{(i + 1) % n}"] - found[f"at{i}"]
        c = c - drive.normal * (drive.normal @ c)
        angle = -math.asin(difference / np.linalg.norm(c))  # from the line of centres to the span
        along.append((c * math.cos(angle) + np.cross(drive.normal, c) * math.sin(angle)) / np.linalg.norm(c))
        assert abs(found["length"][i] - math.sqrt(c @ c - difference**2)) < 1e-13
    assert fixed
    for k in fixed:
        expected = found["T"][k] * along[k] - found["T"][k - 1] * along[k - 1]
        np.testing.assert_allclose(-found[f"f{k}"], expected, rtol=0, atol=1e-10 if kind == "creeping" else 0.01)


# -- closed forms --------------------------------------------------------------------------------------


def two_pulleys(torque: Any, omega: float = 100.0, **numbers: Any) -> mbs.Model:
    """A driven pulley of 50 mm and one of 100 mm with a load (N.m), 400 mm apart; EA 80 kN, 400 N."""
    m = mbs.Model("drive", gravity=(0, 0, 0))
    a = m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    b = m.body("b", joint=mbs.Revolute("z"), mass=2.0, inertia=(1e-2, 1e-2, 2e-2), at=(0.4, 0, 0))
    m.drive("engine", on=a, position=omega * mbs.time)
    over = [mbs.Pulley(a, "50 mm"), mbs.Pulley(b, "100 mm")]
    belt = mbs.belt(m, "belt", over, **{"stiffness": 8e4, "preload": 400.0, "friction": 0.3, **numbers})
    m.motor("load", on=b, torque=-torque)
    m.start(b, u=omega / 2)
    for name, items in (("T", belt.tensions), ("slip", belt.slips), ("wrap", belt.wraps)):
        m.output(name, list(items))
    m.output("loss", belt.loss)
    return m


STIFF: dict[str, Any] = {"method": "rodas5p", "rtol": 1e-8}
WRAP = math.pi - 2 * math.asin(0.05 / 0.4)  #: of the small pulley


def test_creep_of_a_loaded_belt() -> None:
    """T1 - T2 = M/r; the speeds have the ratio (1 + e2)/(1 + e1) of both strains (Firbank 1970), but for the slip.

    The power of the difference of speeds is the loss.
    """
    result = mbs.simulate(two_pulleys(20.0, creep=1e-5), 3.0, output_interval=3.0, **STIFF)
    low, tight = sorted((result["T[1]"][-1], result["T[2]"][-1]))
    assert abs(tight - low - 200.0) < 1e-6
    loss = 1.0 - result["b.w"][-1] * 0.1 / 5.0
    creep = 1.0 - (1.0 + low / 8e4) / (1.0 + tight / 8e4)
    slip = (result["slip[1]"][-1] - result["slip[2]"][-1]) / 5.0
    assert abs(creep - 2.48447e-3) < 1e-8 and abs(loss - creep - slip) < 1e-8 and slip < 3e-6
    assert abs(result["loss"][-1] - 5.0 * loss * 200.0) < 1e-6
    assert abs(result["wrap[1]"][0] - WRAP) < 1e-14 and abs(result["wrap[2]"][0] - 2 * math.pi + WRAP) < 1e-14


@pytest.mark.parametrize("mass", [0.0, 0.5])
def test_a_belt_slips_at_the_ratio_of_euler_and_eytelwein(mass: float) -> None:
    """(T1 - m v²)/(T2 - m v²) comes up to exp(mu theta), along the slip law (M3)."""
    m = two_pulleys(40.0 * mbs.time, mass=mass, creep=1e-3)
    result = mbs.simulate(m, 2.2, method="rodas5p", rtol=1e-6, output_interval=0.005)
    flow = mass * 5.0**2
    slipping = np.argmax(result["slip[1]"] > 0.05)
    assert slipping > 0
    ratio = (result["T[2]"] - flow) / (result["T[1]"] - flow)
    assert abs(ratio[slipping] / math.exp(0.3 * WRAP) - 1.0) < 5e-4
    assert abs(math.exp(0.3 * WRAP) - 2.38043) < 1e-5
    s = result["slip[1]"][100:slipping]
    share = s / np.sqrt(s * s + 1e-6)
    slack = 1e-6 * 8e4  # N, what the law adds to both tensions
    with_slack = (result["T[2]"] - flow + slack) / (result["T[1]"] - flow + slack)
    np.testing.assert_allclose(np.log(with_slack[100:slipping]), 0.3 * WRAP * share, rtol=1e-9)


@pytest.mark.quick
@pytest.mark.parametrize("creep", [1e-3, 1e-5])
def test_gross_slip_keeps_the_ratio(creep: float, in_plain_python: None) -> None:
    """A belt that a pulley at 4 m/s drags over one at rest exceeds the ratio by its slip over 10 km/s, whatever the
    creep."""
    m = mbs.Model("gross", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 0.4)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 1e-3), at=(x, 0, 0))
        m.drive(f"turns_{name}", on=name, position=(80.0 if name == "a" else 0.0) * mbs.time)
    belt = mbs.belt(
        m,
        "belt",
        [mbs.Pulley("a", 0.05), mbs.Pulley("b", 0.05)],
        stiffness=8e4,
        preload=400.0,
        friction=0.3,
        creep=creep,
    )
    m.output("T", list(belt.tensions))
    m.output("s", belt.slips[0])
    result = mbs.simulate(m, 0.5, method="rodas5p", rtol=1e-7, output_interval=0.5)
    slack = 1e-6 * 8e4  # N, what the law adds to both tensions
    share = math.log((result["T[2]"][-1] + slack) / (result["T[1]"][-1] + slack)) / (0.3 * math.pi)
    slip, steep = result["s"][-1], (creep / 1e4) ** (2.0 / 3.0)
    assert 1.9 < slip < 2.1  # half of it on each pulley
    assert abs(share - 1.0 - slip / 1e4) < 2.0 * steep  # the smooth part of the law ends before 1


def test_flanks_of_a_groove_multiply_the_friction() -> None:
    """A V-belt of 38 degrees slips as a flat belt with friction over sin 19 degrees."""
    options: dict[str, Any] = {"method": "rodas5p", "rtol": 1e-8, "output_interval": 0.1}
    one = mbs.simulate(two_pulleys(10.0, friction=0.1, groove="38 deg"), 0.5, **options)
    other = mbs.simulate(two_pulleys(10.0, friction=0.1 / math.sin(math.radians(19.0))), 0.5, **options)
    np.testing.assert_allclose(one["T[1]"], other["T[1]"], rtol=1e-9)


def serpentine() -> mbs.Model:
    """A crank, an alternator with 8 N.m, and a tensioner on the back of the belt, with a spring of 20 N.m/rad."""
    m = mbs.Model("serpentine", gravity=(0, 0, 0))
    for name, at, inertia in (("crank", (0, 0, 0), 0.1), ("alternator", (-0.25, 0.2, 0), 4e-3)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(inertia,) * 3, at=at)
    arm = m.body("arm", joint=mbs.Revolute("z"), mass=0.4, inertia=(3e-4,) * 3, at=(-0.1056, -0.005, 0))
    m.body("idler", arm, mbs.Revolute("z"), mass=0.2, inertia=(1e-4,) * 3, at=(-0.0624, 0.05, 0))
    over = [mbs.Pulley("crank", 0.08), mbs.Pulley("alternator", 0.03), mbs.Pulley("idler", 0.035, turn=-1)]
    belt = mbs.belt(
        m,
        "belt",
        over,
        stiffness=m.parameter("EA", 1.2e5),
        preload=m.parameter("preload", 300.0),
        friction=0.5,
        creep=1e-5,
    )
    m.spring("tensioner", on=arm, stiffness=20.0, damping=2.0, length=-0.75)
    m.motor("load", on="alternator", torque=-8.0 * mbs.tanh(mbs.time / 0.05))
    m.drive("engine", on="crank", position=150.0 * mbs.time)
    m.start("alternator", u=150.0 * 0.08 / 0.03)
    m.start("idler", u=-150.0 * 0.08 / 0.035)
    m.output("T", list(belt.tensions))
    m.output("wrap", list(belt.wraps))
    return m


def serpentine_path(arm: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return centres, directions of the spans, and the lengths of spans with half arcs, by complex numbers."""
    z = np.array([0, -0.25 + 0.2j, -0.1056 - 0.005j + np.exp(1j * arm) * (-0.0624 + 0.05j)])
    r = np.array([0.08, 0.03, -0.035])
    c, d = np.roll(z, -1) - z, np.roll(r, -1) - r
    angles = np.angle(c) - np.arcsin(d / np.abs(c))
    arcs = np.abs(r) * ((np.sign(r) * (angles - np.roll(angles, 1))) % (2 * np.pi))
    return z, np.exp(1j * angles), np.sqrt(np.abs(c) ** 2 - d**2) + 0.5 * (arcs + np.roll(arcs, -1))


def test_a_tensioner_balances_the_belt() -> None:
    """Tensions and arm of the steady drive solve three equations: load, moment of the arm, length of the belt."""
    result = mbs.simulate(serpentine(), 3.0, output_interval=3.0, **STIFF)

    def out_of_balance(x: np.ndarray) -> list[float]:
        slack, arm = x
        tight = slack + 8.0 / 0.03  # the alternator brakes the belt, which the crank draws over the idler
        tensions = np.array([slack, tight, tight])
        z, along, lengths = serpentine_path(arm)
        pull = tensions[2] * along[2] - tensions[1] * along[1]  # on the idler
        moment = (np.conj(z[2] - (-0.1056 - 0.005j)) * pull).imag
        unstretched = serpentine_path(0.0)[2].sum() / (1.0 + 300.0 / 1.2e5)
        return [moment - 20.0 * (arm + 0.75), 1e3 * ((lengths / (1.0 + tensions / 1.2e5)).sum() - unstretched)]

    slack, arm = fsolve(out_of_balance, [300.0, 0.0], xtol=1e-14)
    assert abs(result["arm.phi"][-1] - arm) < 1e-9
    np.testing.assert_allclose(
        [result[f"T[{k}]"][-1] for k in (1, 2, 3)], slack + 8.0 / 0.03 * np.array([0, 1, 1]), atol=1e-4
    )


def atwood(**numbers: Any) -> mbs.Model:
    """Loads of 10 and 12 kg on a rope over a pulley of 0.1 m and 0.02 kg m²."""
    m = mbs.Model("atwood")
    p = m.body("pulley", joint=mbs.Revolute("y"), mass=1.0, inertia=(0.01, 0.02, 0.01))
    for name, x, mass in (("left", -0.1, 10.0), ("right", 0.1, 12.0)):
        m.body(name, joint=mbs.Prismatic("z"), mass=mass)
        m.body(f"{name}_hook", name, mbs.Weld(), at=(x, 0, -2.0))
    over = [("left_hook", (0, 0, 0)), mbs.Pulley(p, 0.1), ("right_hook", (0, 0, 0))]
    rope = mbs.belt(m, "rope", over, closed=False, **{"stiffness": 2e8, "preload": 107.0, **numbers})
    m.output("T", list(rope.tensions))
    m.output("slip", list(rope.slips))
    m.output("bearing", mbs.reaction(p).f)
    m.output("E", mbs.energy())
    return m


@pytest.mark.parametrize(
    "numbers", [{"damping": 2e6}, {"friction": 0.5, "creep": 1e-7, "preload": 107.1}], ids=["held", "creeping"]
)
def test_atwoods_machine_with_a_heavy_pulley(numbers: dict[str, Any]) -> None:
    """a = (m2 - m1) g/(m1 + m2 + J/r²); tensions 106.275 and 107.91 N; the bearing holds both and the pulley."""
    result = mbs.simulate(atwood(**numbers), 0.5, output_interval=0.5, **STIFF)
    a = 2.0 * 9.81 / 24.0
    exact = 1e-5 if "damping" in numbers else 2e-3  # creep of 1e-7 m/s damps little
    assert abs(result["left.v"][-1] - 0.408750) < exact and abs(result["right.v"][-1] + 0.5 * a) < exact
    if "damping" in numbers:
        assert abs(result["T[1]"][-1] - 106.2750) < 1e-3 and abs(result["T[2]"][-1] - 107.9100) < 1e-3
        hold = result["T[1]"][-1] + result["T[2]"][-1] + 9.81
        assert abs(result["bearing[3]"][-1] - hold) < 1e-3 * hold
    assert np.ptp(result["E"]) < 1e-2


def test_a_toothed_belt_vibrates_at_its_frequency() -> None:
    """w² = (k1 + k2)(r1²/J1 + r2²/J2) with k = EA over span and half arcs, when both pulleys turn freely."""
    m = mbs.Model("pair", gravity=(0, 0, 0))
    a = m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    b = m.body("b", joint=mbs.Revolute("-z"), mass=2.0, inertia=(1e-2, 1e-2, 2e-2), at=(0.4, 0, 0))
    belt = mbs.belt(m, "belt", [mbs.Pulley(a, 0.05), mbs.Pulley(b, 0.1)], stiffness=8e4, preload=400.0)
    m.output("T", list(belt.tensions))
    length = math.sqrt(0.4**2 - 0.05**2) + 0.5 * (0.05 * WRAP + 0.1 * (2 * math.pi - WRAP))
    expected = math.sqrt(2.0 * 8e4 / length * (0.05**2 / 2e-3 + 0.1**2 / 2e-2))
    found = np.abs(np.linalg.eigvals(mbs.linearize(m).A).imag).max()
    assert abs(found - expected) < 1e-6 * expected
    turned = {"a.phi": 2e3 * math.pi, "b.phi": -1e3 * math.pi}  # in step after a thousand turns: b turns the other way
    result = mbs.simulate(m, 1e-6, start=turned, method="rk4", step=1e-6)
    assert np.abs(result["T"][0] - 400.0).max() < 1e-5  # N; rounding of 300 m times EA


# -- starts, copies, formulations ----------------------------------------------------------------------


@pytest.mark.quick
def test_every_start_has_the_preload(in_plain_python: None) -> None:
    """Tensions begin with the preload, whatever parameters and start values of the joints are, also set later."""
    m = serpentine()
    m.start("arm", q=0.02)
    options: dict[str, Any] = {"method": "rk4", "step": 1e-5, "output_interval": 1e-5}
    changed = {"parameters": {"EA": 2e5, "preload": 150.0}, "start": {"arm.phi": -0.01}}
    for more, expected in (({}, 300.0), (changed, 150.0)):
        result = mbs.simulate(m, 1e-5, **options, **more)
        np.testing.assert_allclose(result["T"][0], expected, rtol=1e-12)


def test_a_slack_belt_has_no_tension() -> None:
    """Pulleys that approach slacken both spans; tensions stay zero and finite."""
    m = mbs.Model("slack", gravity=(0, 0, 0))
    for name, at in (("a", 0.0), ("b", 0.5)):
        m.body(name, joint=mbs.Compound(mbs.slide("x"), mbs.turn("z")), mass=1.0, inertia=(0.01,) * 3, at=(at, 0, 0))
    belt = mbs.belt(m, "belt", [mbs.Pulley("a", 0.1), mbs.Pulley("b", 0.1)], stiffness=1e4, preload=5.0, friction=0.3)
    m.output("T", list(belt.tensions))
    m.start("b", u=(-0.5, 3.0))
    result = mbs.simulate(m, 0.2, method="rodas5p", rtol=1e-6, output_interval=0.02)
    assert result["T"][0].min() > 0.0 and np.all(result["T"][1:] == 0.0)
    assert abs(result["b.u[1]"][-1] - result["b.u[1]"][2]) < 1e-12


def test_belts_in_included_models_and_pickles_are_equal() -> None:
    """Two copies of a drive in one model run as the drive alone; so does a pickled one."""
    options: dict[str, Any] = {"method": "rk4", "step": 2e-5, "output_interval": 1e-3}
    alone = mbs.simulate(serpentine(), 2e-3, **options)
    host = mbs.Model("host", gravity=(0, 0, 0))
    for name in ("one", "two"):
        host.include(serpentine(), name)
    both = mbs.simulate(host, 2e-3, parameters={"two.preload": 200.0}, **options)
    copied = mbs.simulate(pickle.loads(pickle.dumps(serpentine())), 2e-3, **options)
    for k in (1, 2, 3):
        np.testing.assert_allclose(both[f"one.T[{k}]"], alone[f"T[{k}]"], rtol=1e-12)
        assert np.array_equal(copied[f"T[{k}]"], alone[f"T[{k}]"]) and both[f"two.T[{k}]"][0] == pytest.approx(200.0)


def test_belts_run_in_lanes() -> None:
    """Batches in lanes have the bits of batches without lanes."""
    members = {"parameters": {"preload": np.array([250.0, 300.0, 350.0, 280.0])}}
    assert_same_in_lanes(serpentine(), 2e-3, members, [4], method="rk4", step=2e-5, output_interval=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("floating", [True, False])
def test_random_belts_in_absolute_coordinates(kind: str, floating: bool) -> None:
    """All measures agree with those in joint coordinates at the start and after a step."""
    m = drawn(1, floating, **KINDS[kind]).model
    measure_all(m)
    assert_same_step(m)


@pytest.mark.parametrize("numbers", tiers({"creeping": {"friction": 0.5}, "held": {"damping": 2e6}}, usual=1))
def test_ropes_in_absolute_coordinates(numbers: dict[str, float]) -> None:
    """All outputs agree with those in joint coordinates at the start and after a step."""
    assert_same_step(atwood(**numbers))
