"""Start of closed loops: held values stay, others are solved, and impossible starts are refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import LoopNumbers
from mbs_fmu.run.results.results import Result
from mbs_fmu.run.simulate import compiled
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops
from support.models.linkages import KINDS, bricard, quadrilateral, rod
from support.oracles.dense import Dense

pytestmark = pytest.mark.usefixtures("plain_by_default")

MOVED = "the start coordinates left the loops slightly open: the smallest change that closes them was made"
SPED = "the start velocities left the loops slightly open: the smallest change that closes them was made"


def started(model: Model) -> Result:
    return mbs.simulate(model, 1e-3, method="rk4", step=1e-3, output_interval=1e-3)


def four_bar() -> Model:
    return quadrilateral(1, 2, 1.5, 2, 2.0, 1.0)


def two_arms() -> Model:
    m = Model("two_arms")
    for name in "ab":
        m.body(name, "world", mbs.Revolute("y"), **rod(1.0, 1.0))
    return m


PERTURBED = {"bricard": bricard, **{k: KINDS[k] for k in ("four_bar", "stewart", "RSCR", "driven")}}


@pytest.mark.parametrize("kind", tiers(list(PERTURBED), usual=1))
def test_assembly_closes_loops_from_perturbed_positions(kind: str) -> None:
    """From 0.1 rad (and m) away every loop closes, and held values stay to the last bit."""
    model = PERTURBED[kind]()
    runtime = compiled(model)
    program = runtime.program
    closed = program.new_record()
    runtime.initialize(closed, 1e-8, 1e-10)
    held = [name for name, start in model.starts.items() if start.q is not None and not start.guess]
    slots = {v.name: v.slot for v in program.of_role("coordinate")}
    fixed = [slot for name, slot in slots.items() if name.split(".")[0] in held]
    moving = [slot for slot in slots.values() if slot not in fixed]
    rng = np.random.default_rng(1)
    for _ in range(30):
        R = program.new_record()
        R[moving] = closed[moving] + 0.1 * rng.normal(size=len(moving))
        before = R.copy()
        runtime.initialize(R, 1e-8, 1e-10)
        assert_close(R[program.region("residuals")], 0.0, 1e-12, "residual after assembly")
        assert np.array_equal(R[fixed], before[fixed])


def test_held_coordinates_and_velocities_stay() -> None:
    """The crank's angle and speed are held; the others solve the loop, in position and velocity."""
    r = started(four_bar())
    assert r["crank.phi"][0] == 2.0
    assert r["crank.w"][0] == pytest.approx(1.0, abs=1e-15)
    phi, theta, psi = r["crank.phi"][0], r["crank.phi"][0] + r["coupler.phi"][0], r["rocker.phi"][0]
    ends = np.exp(1j * phi) + 2 * np.exp(1j * theta) - 2 - 1.5 * np.exp(1j * psi)
    w, turn, swing = r["crank.w"][0], r["crank.w"][0] + r["coupler.w"][0], r["rocker.w"][0]
    rates = w * np.exp(1j * phi) + 2 * turn * np.exp(1j * theta) - 1.5 * swing * np.exp(1j * psi)
    assert abs(ends) < 1e-14 and abs(rates) < 1e-14


def rounded(digits: int) -> Model:
    """Return the model with all coordinates held and rounded."""
    m = four_bar()
    for name in ("coupler", "rocker"):
        (q,) = m.starts[name].q
        m.start(name, q=round(q, digits), guess=False)
    return m


def test_rounded_values_change_by_the_shortest_correction() -> None:
    """Too many coordinates are held, to four digits: the shortest change of all closes the loop, and is reported."""
    m = rounded(4)
    rounded_values = np.array([m.starts[name].q[0] for name in m.bodies])
    r = started(m)
    computed = np.array([r[f"{name}.phi"][0] for name in m.bodies])
    assert MOVED in r.statistics["notes"]
    assert 0.0 < np.linalg.norm(computed - rounded_values) < 1e-4
    phi, theta, psi = computed[0], computed[0] + computed[1], computed[2]
    along = np.array(
        [1j * np.exp(1j * phi) + 2j * np.exp(1j * theta), 2j * np.exp(1j * theta), -1.5j * np.exp(1j * psi)]
    )
    rows = np.array([along.real, along.imag])
    free = np.linalg.svd(rows)[2][2]
    assert abs(free @ (computed - rounded_values)) < 1e-3 * np.linalg.norm(
        computed - rounded_values
    )  # none of it along the motion


def test_values_of_two_digits_are_refused() -> None:
    """They leave the loop open by 4 mm in a mechanism of 2 m; the message names the loop."""
    with pytest.raises(ModelError, match=r"loop 'pin' does not close: it stays open by 0\.00400\d* "):
        started(rounded(2))


def test_a_loop_that_cannot_close_is_refused() -> None:
    """The links are too short: the error names the loop and its smallest residual."""
    m = quadrilateral(1, 1, 1, 3.2, 0.5, 0.0)
    m.start("crank", q=0.5, guess=True)
    with pytest.raises(ModelError, match=r"loop 'pin' does not close: it stays open by 0\.200\d* \(m.*\) and 0 rad"):
        started(m)


def test_contradictory_equations_are_refused() -> None:
    """q - 1 = 0 and q - 2 = 0 contradict each other as two loops or in one, and so may velocities."""
    a = mbs.coordinate("a")
    m = two_arms()
    m.constrain("one", a - 1)
    m.constrain("two", a - 2)
    with pytest.raises(ModelError, match=r"loop '(one|two)' does not close"):
        started(m)
    m = two_arms()
    m.constrain("both", [a - 1, a - 2])
    with pytest.raises(ModelError, match="loop 'both' does not close"):
        started(m)
    m = two_arms()
    m.constrain("one", a - 1)
    m.constrain("two", a - 1 - 0.01 * mbs.time)
    with pytest.raises(ModelError, match=r"can't be followed at t = 0 s: .* loop '(one|two)' opens by 0\.01 "):
        started(m)


def test_held_velocities_stay_and_others_are_solved() -> None:
    """Contradictory velocities are refused, and rounded ones are changed slightly."""
    r = started(four_bar())
    speeds = {name: r[f"{name}.w"][0] for name in ("coupler", "rocker")}
    m = four_bar()
    m.start("crank", u=7.0, guess=True)
    m.start("crank", q=2.0)
    m.start("rocker", u=speeds["rocker"])
    m.starts["crank"] = replace(m.starts["crank"], u=None)
    other = started(m)
    assert other["rocker.w"][0] == pytest.approx(speeds["rocker"], abs=1e-15)
    assert other["crank.w"][0] == pytest.approx(1.0, abs=1e-13)
    m = four_bar()
    m.start("rocker", u=5.0)
    with pytest.raises(
        ModelError, match=r"velocities that are held do not agree with loop 'pin': they miss it by 6\.7"
    ):
        started(m)
    m = four_bar()
    for name, speed in speeds.items():
        m.start(name, u=round(float(speed), 4))
    near = started(m)
    assert SPED in near.statistics["notes"]
    assert 0.0 < abs(near["crank.w"][0] - 1.0) < 1e-4


def test_redundant_conditions_are_reported_in_one_sentence() -> None:
    """A planar four-bar closed by a hinge in space has three redundant conditions."""
    implied = "translation along z of the world and rotations about x, y are already implied"
    expected = f"loop 'pin': {implied}; reactions along them are not unique"
    assert expected in started(four_bar()).statistics["notes"]
    m = two_arms()
    m.constrain("one", mbs.coordinate("a") - 1)
    m.constrain("two", 2 * mbs.coordinate("a") - 2)
    expected = "loop 'two': equation 1 is already implied; reactions along it are not unique"
    assert expected in started(m).statistics["notes"]


@pytest.mark.parametrize(
    "joint", tiers([mbs.Universal(("x", (1, 1, 0))), mbs.Revolute("z"), mbs.Weld(), mbs.Prismatic("x")], usual=1)
)
def test_joints_do_not_close_upside_down(joint: mbs.Joint) -> None:
    """A joint leads from a to b: half a turn about another axis leaves it open, although the axes are parallel.

    From a nearby position the body must turn to where the joint allows it to be.
    """
    m = Model("upside_down")
    m.body("b", "world", mbs.Free(), 1.0, inertia=(0.1, 0.2, 0.25))
    m.close("loop", "world", "b", joint)
    m.start("b", q=(0.1, 0.2, 0.3, 0.05, 0.6, 1.0, 0.1), guess=True)
    r = started(m)
    dense = Dense(m)
    q, _ = dense.read({name: r[name][0] for name in dense.coordinates + dense.rates})
    assert_close(dense.residual(q), 0.0, 1e-10, "residual after assembly")


def test_length_by_a_parameter_must_be_positive() -> None:
    """The message names the rod whose length is negative, with the parameter."""
    m = Model("rod")
    m.body("beam", "world", mbs.Revolute("y"), 1.0, com=(1, 0, 0), inertia=(0.1, 1, 1))
    m.close("ram", "world", "beam", mbs.Distance(m.parameter("L", 1.2)), at_a=(1, 0, -1), at_b=(1, 0, 0))
    with pytest.raises(ModelError, match="length of loop 'ram' must be positive: change parameter 'L'"):
        mbs.simulate(m, 0.1, parameters={"L": -1.2})


@pytest.mark.parametrize("hinges", tiers([5, 1, 2], usual=1))
def test_a_door_on_many_hinges_keeps_its_start_velocity(hinges: int) -> None:
    """There are many more conditions than coordinates: all are implied, and the start velocity is unchanged."""
    m = Model("door")
    m.body("leaf", "world", mbs.Revolute("z"), 10.0, com=(0.4, 0, 0), inertia=(1, 1, 1))
    for k in range(hinges):
        m.close(f"hinge{k}", "world", "leaf", mbs.Revolute("z"), at_a=(0, 0, k), at_b=(0, 0, k))
    m.start("leaf", q=0.3, u=1.5)
    r = mbs.simulate(m, 1.0, rtol=1e-8)
    assert r.statistics["conditions"] == 5 * hinges and r.statistics["rank"] == 0
    assert r["leaf.w"] == pytest.approx(1.5, abs=1e-12) and r["leaf.phi"][-1] == pytest.approx(1.8, abs=1e-9)


def test_nothing_is_written_beyond_the_record() -> None:
    """The start and a step of a door on five hinges do not change memory behind their record."""
    m = Model("door")
    m.body("leaf", "world", mbs.Revolute("z"), 10.0, com=(0.4, 0, 0), inertia=(1, 1, 1))
    for k in range(5):
        m.close(f"hinge{k}", "world", "leaf", mbs.Revolute("z"), at_a=(0, 0, k), at_b=(0, 0, k))
    runtime = compiled(m)
    first = runtime.program.new_record()
    R = np.concatenate([first, np.full(100, 7.0)])
    runtime.kernels.enter_initialise(R)
    runtime.kernels.enter_rk4_fixed(R, runtime.no_tables, 0.1, 0.01, 0)
    assert np.all(R[first.size :] == 7.0)


def test_too_many_equations_in_one_loop_are_refused() -> None:
    m = Model("many")
    b = m.body("b", "world", mbs.Prismatic("x"), 1.0)
    with pytest.raises(ModelError, match="61 equations: give at most 60"):
        m.constrain("all", [mbs.coordinate(b)] * 61)


@pytest.mark.parametrize("k", range(3))
@pytest.mark.parametrize("what", ["centre", "arm", "extent"])
def test_the_size_of_a_mechanism_is_that_of_its_parts(what: str, k: int) -> None:
    """Along each axis the size includes distances of centres of mass, lengths of arms, and distances between bodies."""
    far = 5.0 * np.eye(3)[k]
    m = mbs.Model("size")
    com = far if what == "centre" else 0.1 * np.ones(3)
    inner = m.body("inner", "world", mbs.Spherical(), mass=1.0, com=com, inertia=(1.0, 1.0, 1.0))
    joint = mbs.Compound(*map(mbs.slide, "xyz")) if what == "extent" else mbs.Spherical()
    m.body("outer", inner, joint, mass=1.0, inertia=(1.0, 1.0, 1.0), at=tuple(far if what == "arm" else 0.2 * far))
    if what == "extent":
        m.start("outer", q=0.8 * far)
    m.close("plane", "world", "outer", mbs.OnPlane("z"), at_a=(0.0, 0.0, far[2] if what != "centre" else 0.2 * far[2]))
    plain = PlainLoops(m)
    assert plain.R[plain.slice("loop_state")][LoopNumbers.characteristic_length] == pytest.approx(5.0, rel=1e-12)
