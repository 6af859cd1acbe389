"""Loops with prescribed motion: start velocities that agree with it, and motions that cannot be followed."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.run.runtime import Runtime
from support.cases import tiers
from support.generators.loops import LOOP_COMPANIONS, LOOP_JOINTS, close_between, world_poses
from support.generators.mechanisms import (
    Plain,
    random_custom_joint,
    random_inertia,
    random_joint,
    random_pose,
    randomize_start,
)
from support.oracles.complex_steps import STEP
from support.oracles.dense_constraints import IN_RATES, PAIRS
from support.oracles.jets import Jet, evaluate, frame

EPS = np.finfo(float).eps
GIVEN = ("turn", "ball", "base", "timed", "input", "state")
CLOSURES = (*LOOP_COMPANIONS, "moving rod", "equations", *(x for x in LOOP_JOINTS if x not in LOOP_COMPANIONS))
FREE = ("tilted", "universal", "compound", "spherical", "revolute", "prismatic")


def law(rng: np.random.Generator) -> mbs.Expression:
    a, w, phase = rng.normal(size=3)
    return a * mbs.sin(w * mbs.time + phase) + 0.4 * mbs.time


def prescribed_body(m: Model, rng: np.random.Generator, kind: str, parent: str, k: int) -> str:
    """Add a body whose joint has a prescribed motion of the kind, or is free; return its name."""
    joint = {
        "turn": mbs.Compound(mbs.slide(rng.normal(size=3)), mbs.turn("y"), mbs.turn("x")),
        "ball": mbs.Spherical(),
        "base": mbs.Free(),
        "timed": random_custom_joint(rng, timed=True),
        "input": mbs.Prismatic(rng.normal(size=3)),
        "state": mbs.Revolute(rng.normal(size=3)),
        "free": random_joint(rng, FREE[k % len(FREE)]),
    }[kind]
    body = m.body(
        f"b{k}", parent, joint, 0.5 + rng.random(), rng.normal(size=3) * 0.3, random_inertia(rng), random_pose(rng)
    )
    if kind == "turn":
        m.drive(f"d{k}", on=body, coordinate=2, position=law(rng))
        m.start(body, q=(*rng.normal(size=1), 0, *rng.normal(size=1)))
    elif kind in ("ball", "base"):
        m.drive(f"d{k}", on=body, position=[law(rng) for _ in joint.coordinates])
    elif kind == "input":
        x, v = m.input("x", unit="m", start=0.3), m.input("v", unit="m/s", start=-0.7)
        m.drive(f"d{k}", on=body, position=x, rate=v)
    elif kind == "state":
        spin = m.parameter("spin", 0.9)
        m.drive(f"d{k}", on=body, position=m.state("angle", rate=spin, start=0.2), rate=spin)
    else:
        randomize_start(m, body, rng)
    return body.name


def chain(seed: int, closure: str, kinds: list[str]) -> Model:
    """Return a chain of bodies from the world, its end closed with the world (or, behind a moving base, with the
    first).
    """
    rng = np.random.default_rng(seed)
    m = Model("chain", gravity=rng.normal(size=3))
    parent = "world"
    for k, kind in enumerate(kinds):
        parent = prescribed_body(m, rng, kind, parent, k)
    poses = world_poses(m)
    if closure == "equations":
        x, y, z = mbs.position(parent, (0.1, 0, 0))
        (R, origin) = poses[parent]
        point = origin + 0.1 * R[:, 0]
        m.constrain("loop", [x * y - point[0] * point[1] - 0.3 * mbs.time, z - point[2]])
    else:
        rate = 0.5 if closure == "moving rod" else 0.0
        close_between(m, rng, "loop", "distance" if closure == "moving rod" else closure, "world", parent, poses, rate)
        if closure in LOOP_JOINTS and type(m.loops["loop"].pair) in IN_RATES:
            add_ends(m)
    return m


def add_ends(m: Model) -> None:
    """Add outputs of the places of the loop: a point and three more, along its axes."""
    for k, side in enumerate(m.loops["loop"].sides):
        for j, arm in enumerate(np.vstack([np.zeros(3), side.rotation.T])):
            m.output(f"end{k}{j}", mbs.position(side.body, side.at + mbs.Vector(arm)))


def rate_conditions(plain: Plain, m: Model, Z: np.ndarray) -> list[float]:
    """Return the conditions on rates from the complex-step motion of the loop's places, by the oracle's definition."""
    loop = m.loops.get("loop")
    count = IN_RATES.get(type(getattr(loop, "pair", None)), 0)
    if not count:
        return []
    plain.complex.outputs(Z)
    ends = []
    for rows in Z[plain.slice("outputs")].reshape(2, 4, 3):
        T = frame((rows[1:] - rows[0]).real.T, rows[0].real)
        moving = np.zeros((4, 4))
        moving[:3, :3], moving[:3, 3] = (rows[1:] - rows[0]).imag.T / STEP, rows[0].imag / STEP
        ends.append(Jet(T, np.zeros((0, 4, 4)), moving, np.zeros((4, 4))))
    rows_of_pair = PAIRS[type(loop.pair)][1](loop.pair, *ends, lambda e: evaluate(e, Jet))
    return [float(row.first) for row in rows_of_pair[-count:]]


def rates_of_residuals(plain: Plain, m: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return A and b of A u + b, the rates of the conditions along the motion, by complex steps of
    the positions alone.
    """
    R, n, real = plain.R, plain.real.NV, plain.real

    def rate(u: np.ndarray) -> np.ndarray:
        one = R.copy()
        one[plain.slice("u")] = u
        real.momenta(one)
        Z = R.astype(complex)
        Z[plain.slice("q")] += 1j * STEP * one[plain.program.rate_slice][: real.NQ]
        Z[HeadNumbers.time] += 1j * STEP
        for v in plain.program.of_role("input"):
            if v.name == "x":
                Z[v.slot] += 1j * STEP * next(w.start for w in plain.program.of_role("input") if w.name == "v")
        for v in plain.program.of_role("state"):
            Z[v.slot] += 1j * STEP * 0.9
        plain.complex.conditions(Z)
        moving = Z[plain.slice("residuals")].imag / STEP
        slips = rate_conditions(plain, m, Z)
        moving[moving.size - len(slips) :] = slips
        return moving

    b = rate(np.zeros(n))
    return np.column_stack([rate(column) - b for column in np.eye(n)]), b


def started(plain: Plain, u: np.ndarray, free: np.ndarray | float = 0.0) -> tuple[np.ndarray, int]:
    """Return the record after a start from these joint velocities, all held unless `free` is set, and its status."""
    R = plain.R.copy()
    R[plain.slice("u")], R[plain.slice("free")], R[plain.slice("free_rates")] = u, 0.0, free
    return R, int(plain.real.initialise(R))


def loop_state(plain: Plain, R: np.ndarray) -> np.ndarray:
    return R[plain.slice("loop_state")]


def fault_message(plain: Plain, R: np.ndarray, status: int) -> str:
    """Return the message to users for the status of a start or of a step."""
    runtime = object.__new__(Runtime)
    runtime.program = plain.program
    return runtime.fault(R, status)


def condition_of_momenta(plain: Plain) -> float:
    M = np.column_stack([plain.momenta(column) for column in np.eye(plain.real.NV)])
    return float(np.linalg.cond(M - plain.momenta(np.zeros(plain.real.NV))[:, None]))


CASES = [(closure, GIVEN[k % len(GIVEN)]) for k, closure in enumerate(CLOSURES)]
CASES += [("spherical", kind) for kind in GIVEN if ("spherical", kind) not in CASES]


@pytest.mark.parametrize("case", tiers({f"{closure} {kind}": (closure, kind) for closure, kind in CASES}, usual=1))
def test_held_velocities_stay_if_they_agree_with_prescribed_motion(case: tuple[str, str]) -> None:
    """If K u + gamma + the prescribed part is zero, held velocities stay to the last bit; otherwise the start is
    refused with the residual.

    Velocities that are not held are solved.
    """
    closure, kind = case
    at = 0 if kind == "base" else 2
    kinds = ["free"] * 4
    kinds.insert(at, kind)
    m = chain(CLOSURES.index(closure), closure, kinds)
    plain = Plain(m)
    plain.real.prepare_assembly(plain.R)  # the start solves for contact points of curves
    A, b = rates_of_residuals(plain, m)
    assert np.linalg.matrix_rank(A) == b.size and np.abs(b).max() > 0.01  # with prescribed motion
    rng = np.random.default_rng(1)
    u = rng.normal(size=plain.real.NV)
    u -= np.linalg.pinv(A) @ (A @ u + b)
    rounding = 100 * EPS * condition_of_momenta(plain) * (1 + np.abs(u).max())

    R, status = started(plain, u)
    assert status == Status.ok and loop_state(plain, R)[LoopNumbers.changed_starts] == 0.0
    assert np.abs(R[plain.slice("u")] - u).max() <= rounding  # recovered from the momenta
    R[plain.slice("u")] = u
    assert plain.real.assemble(R, 1) == Status.ok
    assert np.array_equal(R[plain.slice("u")], u)

    wrong = u + 0.1 * rng.normal(size=u.size)
    R, status = started(plain, wrong)
    assert status == Status.not_movable
    missed = np.abs(A @ wrong + b)
    angular = [unit == "rad" for loop in plain.program.loops for unit in loop["units"]]
    worst = np.argmax(missed * np.where(angular, loop_state(plain, R)[LoopNumbers.characteristic_length], 1.0))
    assert loop_state(plain, R)[LoopNumbers.last_good] == pytest.approx(missed[worst], rel=1e-9)

    R, status = started(plain, wrong, free=1.0)
    assert status == Status.ok
    assert np.abs(A @ R[plain.slice("u")] + b).max() <= np.abs(A).sum(1).max() * rounding


def test_start_velocities_account_for_a_rising_stage() -> None:
    """On a stage that rises at 1 m/s, a plane holds a body at its height: -1 m/s is accepted, 0 misses it by 1 m/s."""
    m = Model("rising", gravity=(0, 0, 0))
    m.body("stage", joint=mbs.Prismatic("z"), mass=1.0)
    m.drive("lift", on="stage", position=mbs.time)
    m.body("body", "stage", mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=1.0)
    m.close("plane", "world", "body", mbs.OnPlane("z"))
    plain = Plain(m)
    R, status = started(plain, np.array([0.3, -1.0]))
    assert status == Status.ok and np.array_equal(R[plain.slice("u")], [0.3, -1.0])
    R, status = started(plain, np.array([0.3, 0.0]))
    assert status == Status.not_movable and loop_state(plain, R)[LoopNumbers.last_good] == 1.0
    R, status = started(plain, np.zeros(2), free=np.array([0.0, 1.0]))
    assert status == Status.ok and np.array_equal(R[plain.slice("u")], [0.0, -1.0])


# -- motions that contradict each other --------------------------------------------------------------------------


@pytest.mark.parametrize("closure", tiers(("spherical", "weld", "universal", "cylinder", "revolute", "planar"), 2))
def test_prescribed_motions_without_a_solution_are_refused(closure: str) -> None:
    """Two prescribed joints and a free one are closed: the start is refused, with a drive that takes part, if no
    velocity of the free joint fits; with both at rest it succeeds.
    """
    m = chain(3, closure, ["free", "state", "input"])
    plain = Plain(m)
    slots = {v.name: v.slot for v in plain.program.variables}
    A, b = rates_of_residuals(plain, m)
    missed = np.abs(b - A @ np.linalg.pinv(A) @ b).max()
    assert missed > 0.1
    R, status = started(plain, np.zeros(plain.real.NV), free=1.0)
    assert status == Status.not_followed and loop_state(plain, R)[LoopNumbers.last_good] >= 0.5 * missed
    assert "drive 'd" in fault_message(plain, R, status)
    plain.R[slots["v"]] = 0.0
    assert "drive 'd1' can't be followed at t = 0 s" in fault_message(
        plain, *started(plain, np.zeros(plain.real.NV), free=1.0)
    )
    plain.R[slots["spin"]] = 0.0
    assert started(plain, np.zeros(plain.real.NV), free=1.0)[1] == Status.ok


def two_slides(first: object, second: object, time: float = 0.0) -> Plain:
    """Return two driven slides in line, joined by a rod that hangs from one and turns on the other."""
    m = Model("slides")
    m.body("a", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("first", on="a", position=first)
    m.drive("second", on="b", position=second)
    m.body("rod", "a", mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.close("pin", "rod", "b", mbs.Revolute("y"))
    plain = Plain(m)
    plain.R[HeadNumbers.time] = time
    return plain


def run(plain: Plain, stop: float, method: str, setting: float) -> tuple[np.ndarray, int]:
    """Run as plain Python and return the record and the status."""
    R = plain.R.copy()
    assert plain.real.initialise(R) == Status.ok
    R[HeadNumbers.absolute] = 1e-2
    return R, int(getattr(plain.real, method)(R, np.zeros(4), stop, setting, 0))


METHODS = [("rk4_fixed", 0.01), ("dopri5_adaptive", 1e-6)]


@pytest.mark.parametrize(("method", "setting"), METHODS)
def test_diverging_drives_are_named_with_the_time(method: str, setting: float) -> None:
    """sin t and t differ at first by t³/6: their rates differ by a thousandth at 0.045 s, the slides by 1 % of the rod
    only at 0.3 s.

    The run ends at the next step.
    """
    t = mbs.time
    R, status = run(two_slides(mbs.sin(t), t), 1.0, method, setting)
    assert status == Status.not_followed
    assert 0.044 < R[HeadNumbers.fault_time] < 0.2
    text = fault_message(two_slides(mbs.sin(t), t), R, status)
    assert text.startswith("slides: drive 'second' can't be followed at t = 0.0")
    assert "loop 'pin' opens by" in text and "step" not in text


@pytest.mark.parametrize(("method", "setting"), METHODS)
def test_drives_with_equal_motions_are_followed(method: str, setting: float) -> None:
    """The same motion by two formulas makes rows redundant, which are omitted without harm."""
    t = mbs.time
    plain = two_slides(mbs.sin(2 * t), 2 * mbs.sin(t) * mbs.cos(t))
    R, status = run(plain, 1.0, method, setting)
    assert status == Status.ok and loop_state(plain, R)[LoopNumbers.largest_residual_of_run] < 1e-14
    assert R[HeadNumbers.time] == 1.0


def test_drives_that_differ_at_the_start_are_refused() -> None:
    """They differ by 1 m/s; the message names the moving drive, with the time of the start."""
    plain = two_slides(mbs.sin(mbs.time), mbs.sin(2 * mbs.time), time=2 * np.pi)
    R = plain.R.copy()
    status = int(plain.real.initialise(R))
    assert status == Status.not_followed
    assert loop_state(plain, R)[LoopNumbers.last_good] == pytest.approx(1.0, abs=1e-14)
    assert fault_message(plain, R, status).startswith("slides: drive 'second' can't be followed at t = 6.28318531 s: ")


@pytest.mark.parametrize("loops", [1, 2])
def test_equal_conditions_in_time_are_redundant(loops: int) -> None:
    """The same motion of a free slide is required twice, by one loop or by two: one condition implies the other."""
    m = Model("twice")
    x = mbs.coordinate(m.body("slide", joint=mbs.Prismatic("x"), mass=1.0))
    equations = [x - mbs.sin(mbs.time), 3 * x - 3 * mbs.sin(mbs.time)]
    for k in range(loops):
        m.constrain(f"loop{k}", equations if loops == 1 else equations[k])
    plain = Plain(m)
    R, status = run(plain, 1.0, "rk4_fixed", 0.05)
    assert status == Status.ok and loop_state(plain, R)[LoopNumbers.rank] == 1
    R, status = started(plain, np.array([1.0]))
    assert status == Status.ok and R[plain.slice("u")][0] == 1.0


def test_slowly_diverging_drives_stop_the_run_at_the_bound() -> None:
    """A difference of half a thousandth is tolerated until the loop is open beyond its bound of 5 mm, after 10 s; the
    message then names the drives, not the steps.
    """
    plain = two_slides(mbs.time, 1.0005 * mbs.time)
    R, status = run(plain, 20.0, "rk4_fixed", 0.1)
    assert status == Status.not_followed and 9.9 < R[HeadNumbers.fault_time] < 10.3
    assert "slides: drive 'second' can't be followed at t = 10" in fault_message(plain, R, status)


def test_diverging_conditions_in_time_are_named() -> None:
    """Two rods of one slide have diverging lengths: the message names the functions of time and no drive."""
    m = Model("rods")
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.close("one", "world", "slide", mbs.Distance(1.0 + 0.1 * mbs.time), at_a=(-1, 0, 0))
    m.close("two", "world", "slide", mbs.Distance(2.0 + 0.1 * mbs.sin(mbs.time)), at_a=(-2, 0, 0))
    plain = Plain(m)
    R, status = run(plain, 3.0, "rk4_fixed", 0.01)
    assert status == Status.not_followed and 0.0 < R[HeadNumbers.fault_time] < 0.1
    assert "rods: the motion given in time can't be followed at t = " in fault_message(plain, R, status)


def driven_four_bar(rocker: float) -> Plain:
    """Return a four-bar, or a parallelogram for a rocker of 1 m, whose crank turns at 2 rad/s."""
    m = Model("four_bar", gravity=(0, -9.81, 0))
    for name, parent, place, length in (
        ("crank", "world", 0, 1.0), ("coupler", "crank", 1, 2.0), ("rocker", "world", 2, rocker),
    ):  # fmt: skip
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), (0.001, J, J), (place, 0, 0))
    m.drive("turning", on="crank", position=1.0 + 2.0 * mbs.time)
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(rocker, 0, 0))
    m.start("coupler", q=-1.0, guess=True)
    m.start("rocker", q=1.0, guess=True)
    return Plain(m)


@pytest.mark.slow
@pytest.mark.parametrize("rocker", [1.0, 1.5])
def test_a_driven_crank_passes_flat_positions(rocker: float) -> None:
    """A parallelogram whose crank drives it through its flat positions, and a four-bar, have no contradiction.

    The check at every step changes no bit.
    """
    plain = driven_four_bar(rocker)
    R, status = run(plain, 3.3, "rk4_fixed", 0.02)
    assert status == Status.ok and loop_state(plain, R)[LoopNumbers.rank] == 2
    plain.real.may_contradict = lambda R: True  # type: ignore[attr-defined]
    again, status = run(plain, 3.3, "rk4_fixed", 0.02)
    assert status == Status.ok
    for name in ("q", "p", "u", "q_dot", "p_dot", "scales", "multipliers", "means", "pivots", "ranks", "loop_state"):
        assert np.array_equal(again[plain.slice(name)], R[plain.slice(name)]), name


def test_diverging_slides_are_detected_beside_a_small_fast_hub() -> None:
    """A hub of 1 mm turns at 5000 rad/s beside slides that diverge at 0.5 m/s.

    Angles are scaled by the size of the mechanism, so the slides are detected.
    """
    m = Model("small")
    for name, motion in {"hub": 5000 * mbs.time, "a": mbs.time, "b": 1.5 * mbs.time}.items():
        joint = mbs.Revolute("y") if name == "hub" else mbs.Prismatic("x")
        m.body(name, joint=joint, mass=1e-6, inertia=(1e-12, 1e-12, 1e-12))
        m.drive(f"d_{name}", on=name, position=motion)
    m.body("pinion", "hub", mbs.Revolute("y"), 1e-6, (5e-4, 0, 0), (1e-12, 1e-12, 1e-12), at=(0, 0, 1e-3))
    m.close("upright", "world", "pinion", mbs.Compound(mbs.slide("x"), mbs.slide("z")), at_a=(0, 0, 1e-3))
    m.body("rod", "a", mbs.Revolute("y"), 1e-6, (0, 0, -5e-4), (1e-12, 1e-12, 1e-12))
    m.close("pin", "rod", "b", mbs.Revolute("y"))
    plain = Plain(m)
    R, status = started(plain, np.zeros(2), free=1.0)
    assert status == Status.not_followed and loop_state(plain, R)[LoopNumbers.last_good] == pytest.approx(0.5, rel=1e-9)
    assert "small: drive 'd_b' can't be followed at t = 0 s: " in fault_message(plain, R, status)
