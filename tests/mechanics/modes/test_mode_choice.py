"""Choice of constraint modes: impulses and forces of random mechanisms against all choices, tried one by one.

The oracle has mass matrix, Jacobian and forces as arrays, and takes the choice with the right signs (w and l complement
each other); the motion is unique for every such choice.
"""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.record.codes import ModeRole
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.linkages_with_friction import Linkage
from support.generators.loops import LOOP_COMPANIONS, PlainLoops, poses_of_tree, random_loops
from support.generators.mechanisms import Plain, random_rotation
from support.models.linkages import quadrilateral
from support.undecided import Undecided

G = 9.81


@dataclass(frozen=True)
class Choice:
    """Result of the oracle: change of velocities or accelerations, and multipliers of all rows."""

    change: np.ndarray
    multipliers: np.ndarray


def all_choices(
    M: np.ndarray, K: np.ndarray, force: np.ndarray, bias: np.ndarray, held: list[int], bounds: dict[int, float]
) -> Choice:
    """Solve M x = force + Kᵀ l, w = K x + bias, with w = 0 of `held` rows and one of three states for each other row.

    bounds: of rows: inf for a row that only pushes, otherwise its capacity in both directions.
    """
    best, least = None, math.inf
    states = [(0, -1) if math.isinf(bound) else (0, -1, 1) for bound in bounds.values()]
    for chosen in itertools.product(*states):
        choices = list(zip(bounds, bounds.values(), chosen, strict=True))
        active = [*held, *(row for row, _, state in choices if state == 0)]
        push = force + sum(
            (state * c * K[row] for row, c, state in choices if state and not math.isinf(c)), start=np.zeros(len(force))
        )
        x, pushes = solved(M, K[active], push, bias[active])
        multipliers = np.zeros(len(K))
        multipliers[active] = pushes
        w = K @ x + bias
        wrong = float(np.abs(w[active]).max(initial=0.0))
        for row, c, state in choices:
            if math.isinf(c):
                wrong = max(wrong, -multipliers[row], -w[row])
            else:
                if state:
                    multipliers[row] = state * c
                wrong = max(wrong, abs(multipliers[row]) - c, state * w[row])
        if wrong < least:
            best, least = Choice(x, multipliers), wrong
    assert best is not None and least < 1e-9 * (1.0 + np.abs(best.multipliers).max(initial=0.0) + np.abs(force).max())
    return best


def solved(M: np.ndarray, K: np.ndarray, force: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x and the shortest l of M x = force + Kᵀ l, K x = -bias, also for dependent rows."""
    free = np.linalg.solve(M, force)
    S = K @ np.linalg.solve(M, K.T)
    pushes = np.linalg.lstsq(S, -bias - K @ free, rcond=1e-11)[0] if len(K) else np.zeros(0)
    return free + np.linalg.solve(M, K.T @ pushes), pushes


# -- random mechanisms ---------------------------------------------------------------------------------------


def at_rest(m: Model) -> None:
    for name, start in m.starts.items():
        m.start(name, q=start.q, u=None if start.u is None else [0.0] * len(start.u), guess=start.guess)


def touching(m: Model, rng: np.random.Generator, count: int, e: float, approach: bool) -> None:
    """Add contacts between random bodies in random places, in touch at the start; approach: on approaching sides."""
    poses = poses_of_tree(m)
    moving = [name for name in poses if name == "world" or m.bodies[name].joint.motions]
    contacts = []
    for k in range(count):
        a, b = (str(x) for x in rng.choice(moving, size=2, replace=False))
        (Ra, xa), (Rb, xb) = poses[a], poses[b]
        ra, normal = rng.normal(size=3) * 0.3, random_rotation(rng)[0]
        rb = Rb.T @ (xa + Ra @ ra - xb)
        contacts.append((f"touch{k}", a, b, ra, rb, normal))
        m.output(f"v{k}", mbs.relative_velocity(a, b, mbs.Pose(ra), rb))
    if approach:
        probe = outputs_at_start(m)
        turned = [normal * -np.sign(normal @ probe[f"v{k}"]) for k, (*_, normal) in enumerate(contacts)]
        contacts = [(*rest, normal) for (*rest, _), normal in zip(contacts, turned, strict=True)]  # type: ignore[misc]
    for name, a, b, ra, rb, normal in contacts:
        m.contact(name, a, b, mbs.OnPlane(normal), at_a=ra, at_b=rb, restitution=e)


def outputs_at_start(m: Model) -> dict[str, np.ndarray]:
    plain = Undecided(m) if m.loops else Plain(m)
    plain.rates()
    plain.real.outputs(plain.R)
    slots = {v.name: v.slot for v in plain.program.of_role("output")}
    return {name: plain.R[[slots[part] for part in parts]] for name, parts in plain.program.vectors.items()}


CONTACTS = each(LOOP_COMPANIONS, rounds=1, usual=1, quick=1)


def struck(case: Case, e: float, approach: bool) -> Undecided:
    plain = copy.copy(_struck(case, e, approach))
    plain.R = plain.R.copy()
    return plain


@cache
def _struck(case: Case, e: float, approach: bool) -> Undecided:
    rng = np.random.default_rng(case.seed)
    m = random_loops(case.seed, case.largest(6), case.number % 2, must=(case.joint,) * (case.number % 2))
    touching(m, rng, int(rng.integers(1, 5)), e, approach)
    return Undecided(m)


# -- impacts -------------------------------------------------------------------------------------------------


@pytest.mark.usual
@pytest.mark.parametrize("e", tiers([0.6, 0.0, 1.0], usual=1))
@CONTACTS
def test_impact_impulses_are_the_unique_solution(case: Case, e: float) -> None:
    """l >= 0, K v + e K v- >= 0, l (K v + e K v-) = 0; momenta change by Kᵀ l.

    With S = K M⁻¹ Kᵀ of (L13) the lost energy is ½ (1 - e)/(1 + e) lᵀ S l, and ½ (1 - e²) rᵀ S⁺ r if all rows act.
    """
    plain = struck(case, e, approach=True)
    M, K, u = plain.mass_matrix(plain.R), plain.jacobian(plain.R), plain.get(plain.R, "u")
    contacts, r = plain.rows(ModeRole.contact), K @ u
    assert np.all(r[contacts] < 0.0)
    bias = r.copy()
    bias[contacts] *= 1.0 + e
    bias[plain.permanent] = 0.0
    expected = all_choices(M, K, np.zeros(len(u)), bias, plain.permanent, dict.fromkeys(contacts, math.inf))
    R = plain.decide()
    after, impact_impulses = plain.get(R, "u"), plain.get(R, "impact_impulses")
    size = np.abs(u).max()
    assert np.abs(after - u - expected.change).max() < 1e-9 * size, (
        f"changes of joint velocities {after - u}, not {expected.change}"
    )
    assert_close(M @ (after - u), K.T @ impact_impulses, 1e-9 * np.abs(M @ u).max(), "impulse")
    w = (K @ after + e * r)[contacts]
    assert impact_impulses[contacts].min() >= -1e-9 * np.abs(impact_impulses).max() and w.min() > -1e-9 * size
    assert_close(
        impact_impulses[contacts] * w,
        0.0,
        1e-9 * size * np.abs(impact_impulses).max(),
        "impulse times rate after the impact",
    )
    lost = 0.5 * u @ M @ u - 0.5 * after @ M @ after
    scale = 0.5 * u @ M @ u
    assert plain.get(R, "losses").sum() == pytest.approx(lost, abs=1e-12 * scale)
    assert lost >= -1e-12 * scale
    assert lost == pytest.approx(
        0.5 * (1 - e) / (1 + e) * impact_impulses @ K @ np.linalg.solve(M, K.T) @ impact_impulses, abs=1e-9 * scale
    )
    if np.all(impact_impulses[contacts] > 0.0):  # all rows act
        S = K @ np.linalg.solve(M, K.T)
        gone = r * np.isin(np.arange(len(r)), contacts)
        assert lost == pytest.approx(0.5 * (1 - e * e) * gone @ np.linalg.pinv(S, rcond=1e-11) @ gone, abs=1e-8 * scale)


@pytest.mark.usual
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@CONTACTS
def test_impacts_beside_parting_contacts_create_no_energy(case: Case, e: float) -> None:
    """With a common e no energy is created in any set of contacts, and no body penetrates another
    one after an impact.
    """
    plain = struck(case, e, approach=False)
    M, K, u = plain.mass_matrix(plain.R), plain.jacobian(plain.R), plain.get(plain.R, "u")
    contacts, size = plain.rows(ModeRole.contact), np.abs(u).max()
    R = plain.decide()
    after = plain.get(R, "u")
    assert np.all((K @ after)[contacts] > -1e-9 * size)
    assert np.abs((K @ after)[plain.permanent]).max(initial=0.0) < 1e-9 * size
    assert 0.5 * after @ M @ after <= 0.5 * u @ M @ u * (1 + 1e-12)
    if np.all((K @ u)[contacts] > 1e-6):
        assert np.array_equal(after, u) and np.all(plain.get(R, "losses") == 0.0)


@each(LOOP_COMPANIONS, rounds=1, usual=1)
def test_energy_falls_by_the_losses_in_the_log(case: Case) -> None:
    """The law holds in a run with located impacts, without penetration."""
    rng = np.random.default_rng(case.seed)
    m = random_loops(case.seed, case.largest(5), case.number % 2, must=(case.joint,) * (case.number % 2))
    touching(m, rng, int(rng.integers(1, 4)), 0.6, True)
    m.output("E", mbs.energy())
    result = mbs.simulate(m, 0.5, rtol=1e-10, output_interval=0.01)
    E = result["E"]
    scale = np.abs(E - E[0]).max() + 1.0
    lost = np.array([result.switches["lost"][result.switches["time"] < t].sum() for t in result.time])
    assert_close(E[0] - E, lost, 1e-6 * scale, "energy lost")
    assert np.all(result.switches["lost"] > -1e-10 * scale)


# -- forces --------------------------------------------------------------------------------------------------


@cache
def _loaded(case: Case, contacts: int, frictions: int) -> Undecided:
    """Return a mechanism at rest under random forces, with contacts in touch and frictions on random joints, some of
    them strong enough.
    """
    rng = np.random.default_rng(case.seed)
    m = random_loops(case.seed, case.largest(6), case.number % 2, must=(case.joint,) * (case.number % 2))
    at_rest(m)
    touching(m, rng, contacts, 0.5, False)
    moving = [body for body in m.bodies.values() if body.joint.motions]
    for k, body in enumerate(moving):
        m.force(f"f{k}", on=body, at=rng.normal(size=3) * 0.3, force=10 * rng.normal(size=3), torque=rng.normal(size=3))
    for k in range(frictions):
        body = moving[rng.integers(len(moving))]
        n = int(rng.integers(len(body.joint.rates)))
        which = "torque" if body.joint.rates[n][1] == "rad/s" else "force"
        m.friction(f"rub{k}", on=body, coordinate=n + 1, **{which: 10 * float(rng.random())}, stick=True)
    return Undecided(m)


@pytest.mark.parametrize(("contacts", "frictions"), [(3, 0), (0, 3), (2, 2)])
@CONTACTS
def test_contact_and_friction_forces_are_the_unique_solution(case: Case, contacts: int, frictions: int) -> None:
    """At rest, accelerations and multipliers are those of the convex problem, within their bounds."""
    plain = copy.copy(_loaded(case, contacts, frictions))
    plain.R = plain.R.copy()
    M, K = plain.mass_matrix(plain.R), plain.jacobian(plain.R)
    assert_close(
        plain.get(plain.R, "u"), 0.0, 1e-14, "joint velocity"
    )  # stabilization of rounding residuals of the loops
    touches, rubs = plain.rows(ModeRole.contact), plain.rows(ModeRole.friction)
    numbers = plain.get(plain.R, "mode_numbers").reshape(-1, 4)
    capacity = [c for (_, c, *_), mode in zip(numbers, plain.program.modes, strict=True) if mode["first"] in rubs]
    pushed = plain.modes(plain.R, ModeRole.friction) * capacity if rubs else np.zeros(0)
    plain.rates()
    f = plain.get(plain.R, "p_dot") - K[rubs].T @ pushed
    bounds = dict.fromkeys(touches, math.inf) | dict(zip(rubs, capacity, strict=True))
    expected = all_choices(M, K, f, np.zeros(len(K)), plain.permanent, bounds)
    R = plain.decide()
    plain.real.find_row_accelerations(R)
    tail = R[plain.program.region("tail").start :]
    computed = tail[plain.slice("u")]
    size = 1.0 + np.abs(expected.change).max()
    assert np.abs(computed - expected.change).max() < 1e-9 * size, f"accelerations {computed}, not {expected.change}"
    multiplier_rates, row_accelerations = plain.get(R, "multiplier_rates"), plain.get(R, "row_accelerations")
    most = 1.0 + np.abs(multiplier_rates).max() + np.abs(f).max()
    assert_close(row_accelerations, K @ expected.change, 1e-9 * size, "row acceleration")
    modes = plain.modes(R, ModeRole.friction)
    for mode, row, c in zip(modes, rubs, capacity, strict=True):
        assert abs(multiplier_rates[row]) <= c + 1e-9 * most
        assert mode * row_accelerations[row] <= 1e-9 * size
        assert mode != 0.0 or abs(row_accelerations[row]) < 1e-9 * size
        multiplier_rates[row] += mode * c
    assert np.all(multiplier_rates[touches] > -1e-9 * most) and np.all(row_accelerations[touches] > -1e-9 * size)
    assert np.abs(multiplier_rates * row_accelerations)[touches].max(initial=0.0) < 1e-9 * most * size
    assert_close(M @ computed - f, K.T @ multiplier_rates, 1e-9 * most, "force of the rows")


LINKAGES = {f"{seed}, {share}": (seed, share) for share in (1.0, 1.0 + 1e-6, 1.0 - 1e-6) for seed in range(10)}


@pytest.mark.parametrize("case", tiers(LINKAGES, usual=1, quick=1))
def test_frictions_of_a_linkage_hold_the_sum_of_their_capacities(case: tuple[int, float]) -> None:
    """A four-bar at rest under a torque that all frictions together just hold, or a millionth more or less.

    Accelerations are those of the convex problem, and the choice ends, although many choices solve it at the limit.
    """
    seed, share = case
    linkage = Linkage(5 * seed)
    plain = Undecided(linkage.model)
    K, rubs = plain.jacobian(plain.R), plain.rows(ModeRole.friction)
    n = np.linalg.svd(K[plain.permanent])[2][-1]  # the only motion that the loop permits
    n /= n[0]
    capacity = 1.0 + 0.5 * np.arange(len(rubs))
    plain.rates()
    friction = K[rubs].T @ plain.modes(plain.R, ModeRole.friction)  # with capacities of one
    pulled = (plain.get(plain.R, "p_dot") - friction) @ n
    torque = share * (np.abs(K[rubs] @ n) @ capacity) - pulled
    numbers = {"t0": torque, "p0": math.pi / 2} | {f"{x}{k}": c for k, c in enumerate(capacity) for x in "cs"}
    for variable in plain.program.of_role("parameter"):
        plain.R[variable.slot] = numbers.get(variable.name, 0.0 if variable.name == "t1" else plain.R[variable.slot])
    assert plain.real.initialise(plain.R) == 0
    plain.rates()
    f = plain.get(plain.R, "p_dot") - K[rubs].T @ (plain.modes(plain.R, ModeRole.friction) * capacity)
    bounds = dict(zip(rubs, capacity.tolist(), strict=True))
    expected = all_choices(plain.mass_matrix(plain.R), K, f, np.zeros(len(K)), plain.permanent, bounds)
    R = plain.decide()
    plain.real.find_row_accelerations(R)
    computed = R[plain.program.region("tail").start :][plain.slice("u")]
    size = 1.0 + np.abs(np.linalg.solve(plain.mass_matrix(plain.R), f)).max()
    assert np.abs(computed - expected.change).max() < 1e-9 * size, f"accelerations {computed}, not {expected.change}"
    assert (np.abs(computed).max() > 1e-9 * size) == (share > 1.0)


def table(x: float, y: float, legs: int = 4) -> Model:
    """Return a table with a mass at (x, y) on it, on legs in a circle of 1 m."""
    m = Model("table")
    m.body("table", joint=mbs.Free(), mass=8.0, inertia=(1, 1, 2))
    m.body("mass", "table", mbs.Weld(), mass=3.0, at=(x, y, 0.1))
    for k in range(legs):
        c, s = math.cos(2 * math.pi * k / legs), math.sin(2 * math.pi * k / legs)
        m.contact(f"leg{k}", "world", "table", mbs.OnPlane("z"), at_a=(0, 0, -0.7), at_b=(c, s, -0.7))
        m.output(f"leg{k}", mbs.multiplier(f"leg{k}"))
    m.output("up", mbs.acceleration("table")[2])
    return m


@pytest.mark.usual
@pytest.mark.parametrize("legs", tiers([4, 6, 3, 5], usual=1, quick=1))
def test_a_table_stands_on_its_legs(legs: int) -> None:
    """Forces balance and no leg pulls, also if the conditions of the legs depend on each other."""
    angles = 2 * math.pi * np.arange(legs) / legs
    places = np.array([np.cos(angles), np.sin(angles)])
    rng = np.random.default_rng(legs)
    for _ in range(5):
        x, y = rng.normal(size=2)
        plain = Undecided(table(x, y, legs))
        plain.R = plain.decide()
        plain.real.find_row_accelerations(plain.R)
        legs_bear = plain.get(plain.R, "multiplier_rates")
        up = plain.R[plain.program.region("tail").start :][plain.slice("u")]
        assert legs_bear.min() > -1e-9
        if np.abs(up).max() < 1e-9:  # it stands
            assert legs_bear.sum() == pytest.approx(11 * G, abs=1e-9)
            assert places @ legs_bear == pytest.approx(3 * G * np.array([x, y]), abs=1e-9)
        else:
            between = angles + math.pi / legs  # outward, across the sides of the polygon
            overhang = 3 * (x * np.cos(between) + y * np.sin(between)).max() / 11
            assert overhang > math.cos(math.pi / legs)


@pytest.mark.slow
@pytest.mark.parametrize("how", tiers({"rk4": {"method": "rk4", "step": 0.01}, "dopri5": {"rtol": 1e-9}}, usual=1))
def test_a_table_stays_in_place_under_a_moving_load(how: dict[str, object]) -> None:
    """The load moves round and round over four legs: the table stays in place, and no leg pulls."""
    m = table(0.0, 0.0)
    m.body("walker", "table", mbs.Compound(mbs.slide("x"), mbs.slide("y")), mass=5.0, at=(0, 0, 0.1))
    t = mbs.time
    m.drive("walks", on="walker", position=(0.6 * mbs.cos(t), 0.6 * mbs.sin(t)))
    m.start("table", u=(0, -5.0 * 0.6 / 16, 0, 0, 0, 0))
    result = mbs.simulate(m, 10.0, **how)  # type: ignore[arg-type]
    bear = np.array([result[f"leg{k}"] for k in range(4)])
    assert bear.min() > -1e-9
    assert_close(bear.sum(axis=0), 16 * G, 1e-6, "force on the floor")
    height = next(name for name in result.columns if name.startswith("table.q[3]"))
    assert_close(result[height], 0.0, 1e-9, height)


# -- released rows -----------------------------------------------------------------------------------


def four_bar(**ends: object) -> Model:
    m = quadrilateral(1, 2, 1.5, 2, 1.0, 2.0)
    if ends:
        old = m.loops.pop("pin")
        m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0), **ends)  # type: ignore[arg-type]
        assert old.name == "pin"
    return m


COORDINATES = [f"{name}.{what}" for name in ("crank", "coupler", "rocker") for what in ("phi", "w")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", tiers({"rk4": {"method": "rk4", "step": 0.001}, "dopri5": {"rtol": 1e-12, "atol": 1e-12}}, usual=1)
)
def test_an_opened_loop_moves_as_the_open_chain(how: dict[str, object]) -> None:
    """It does from the state in which it opened; before, it moves as if it never opened."""
    opened = mbs.simulate(four_bar(until=mbs.time >= 0.5), 1.5, **how, output_interval=0.1)  # type: ignore[arg-type]
    closed = mbs.simulate(four_bar(), 1.5, **how, output_interval=0.1)  # type: ignore[arg-type]
    (switch,) = opened.switches
    assert switch["time"] == pytest.approx(0.5, abs=1e-12) and switch["lost"] == 0.0
    chain = four_bar()
    chain.loops.clear()
    del chain.outputs["g"]
    for name in ("crank", "coupler", "rocker"):
        chain.start(name, q=closed[f"{name}.phi"][5], u=closed[f"{name}.w"][5])
    free = mbs.simulate(chain, 1.0, **how, output_interval=0.1)  # type: ignore[arg-type]
    for name in COORDINATES:
        assert np.abs(opened[name][:5] - closed[name][:5]).max() < 1e-9, name
        assert np.abs(opened[name][5:] - free[name]).max() < 1e-9, name


def with_rows_that_never_hold(m: Model) -> None:
    never = mbs.time >= 1e9
    m.close("never", "coupler", "world", mbs.Weld(), at_a=(2, 0, 0), when=never)
    m.lock("no_lock", on="rocker", when=never)
    m.contact("far", "world", "coupler", mbs.OnPlane("y"), at_a=(0, -100, 0), restitution=0.5)


@pytest.mark.usefixtures("plain_by_default")
@pytest.mark.parametrize("closed", tiers({"loop": True, "chain": False}, usual=1))
def test_rows_that_never_hold_change_nothing(closed: bool) -> None:
    """The steps are the same, within rounding."""
    results = []
    for extra in (False, True):
        m = four_bar()
        if not closed:
            m.loops.clear()
            del m.outputs["g"]
        if extra:
            with_rows_that_never_hold(m)
        results.append(mbs.simulate(m, 1.0, method="rk4", step=0.005))
    for name in (*COORDINATES, "E"):
        assert np.abs(results[0][name] - results[1][name]).max() < 2e-13 * max(1.0, np.abs(results[0][name]).max()), (
            name
        )


@pytest.mark.quick
def test_rows_of_released_closures_are_not_written() -> None:
    """Rows are not written while no conditional closure holds, and are restored when one engages."""
    m = quadrilateral(1.0, 2.0, 1.5, 2.0, 1.2, 1.0)
    for name in ("early", "late"):
        m.lock(name, on=next(iter(m.bodies)), when=mbs.time >= 1.0)
    plain = PlainLoops(m)
    rows = [plain.slice("residuals").start + mode["first"] for mode in plain.program.modes]
    modes = plain.slice("modes").start
    free = plain.rates()
    plain.R[rows] = 5.0
    assert np.array_equal(plain.rates(), free) and np.all(plain.R[rows] == 5.0)
    plain.R[modes] = 0.0  # the first of them holds
    assert np.abs(plain.rates() - free).max() > 0.1 and np.all(plain.R[rows] != 5.0)
    plain.R[modes] = -1.0
    assert np.array_equal(plain.rates(), free)


RATIOS = {f"{small}, {e}": (small, e) for small in (1e-14, 1e-10, 1e-12) for e in (0.5, 0.0, 1.0)}


@pytest.mark.usefixtures("plain_by_default")
@pytest.mark.parametrize("case", tiers(RATIOS, usual=1))
@pytest.mark.parametrize("struck", ["light", pytest.param("heavy", marks=pytest.mark.slow)])
def test_impacts_of_very_different_masses_follow_the_closed_form(case: tuple[float, float], struck: str) -> None:
    """One kilogram strikes an almost massless body or is struck by it, beside an idle brake."""
    small, e = case
    ends = {"light": (1.0, small), "heavy": (small, 1.0)}[struck]
    m = mbs.Model("unequal", gravity=(0, 0, 0))
    for name, mass in zip("ab", ends, strict=True):
        m.body(name, joint=mbs.Prismatic("x"), mass=mass)
    m.contact("hit", "a", "b", mbs.OnPlane("x"), restitution=e)
    m.friction("idle", on="b", force=0.0, stick=True)
    m.start("a", q=-0.1, u=1.0)
    result = mbs.simulate(m, 0.2, method="rk4", step=0.05)
    assert set(result.switches["name"]) == {"hit"}
    expected = (ends[0] - e * ends[1]) / sum(ends), (1.0 + e) * ends[0] / sum(ends)
    error = 1e-15 * max(ends) / min(ends) + 1e-12  # of the heavy body's momentum, by the light body's mass
    assert [result["a.v"][-1], result["b.v"][-1]] == pytest.approx(expected, abs=error)
