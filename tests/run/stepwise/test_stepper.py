"""Steppers: every member has the bits of a run of its own, whatever happens to the others."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.lanes.module import runs_module, usual_lanes
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.model.model import Model
from mbs_fmu.run.stepwise.groups import LaneGroups
from support.batches import let_lanes_leave
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import bent_loops
from support.generators.mechanisms import random_tree
from support.generators.mechanisms_in_steps import linkage, switching
from support.generators.trees import add_forces
from support.models.calculated_starts import swing
from support.models.elastic_models import plank
from support.models.linkages import slider_crank
from support.models.small_models import oscillator

INTERVAL, STEP = 0.02, 0.008  # three steps in each interval


def pushed() -> Model:
    """A driven mass on a spring whose force and output read time."""
    m = oscillator(drive=True)
    m.motor("wave", on="b", force=mbs.sin(3 * mbs.time))
    m.output("clock", mbs.time)
    return m


def joints() -> Model:
    """A tree of many joints, also with quaternions, with forces, tables and states."""
    rng = np.random.default_rng(3)
    m = random_tree(rng, 4, "tree", ("revolute", "spherical", "compound", "universal"))
    add_forces(m, rng)
    z = m.state("z", rate=mbs.table(mbs.sin(3 * mbs.time), (-0.9, 0.1, 0.5), (1.0, -3.0, 2.0)), start=0.1)
    m.output("bent", mbs.tanh(z))
    m.output("E", mbs.energy())
    return m


def angles() -> Model:
    """A body on a joint with three angles, which is checked for gimbal lock."""
    m = Model("gimbals")
    m.body("ball", joint=mbs.Spherical("xyz"), mass=1.0, com=(0.1, 0, -0.3), inertia=(0.1, 0.2, 0.3))
    m.output("E", mbs.energy())
    return m


def sampled() -> Model:
    """A mass that a sampled controller holds."""
    m = Model("held", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.motor("hold", on=b, force=m.sampled("f", 0.05, -8.0 * mbs.coordinate(b)))
    m.start(b, q=0.3)
    return m


def bar() -> Model:
    """A pendulum with a mass and a stiffness as parameters."""
    m = Model("bar")
    mass = m.parameter("mass", 1.0, unit="kg", min=0.01)
    b = m.body("b", joint=mbs.Revolute("y"), mass=mass, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.spring("s", on=b, stiffness=m.parameter("c", 3.0))
    m.start(b, q=0.4)
    return m


def held_loop() -> Model:
    """A slider-crank that a sampled controller and a motor turn, with a friction that sticks."""
    m = slider_crank()
    m.motor("hold", on="crank", torque=m.sampled("f", 0.05, -8.0 * mbs.rate("crank")) + m.input("push"))
    m.friction("rub", on="slider", force=m.parameter("grip", 2.0), stick=True)
    return m


def growing() -> Model:
    """A slider-crank beside a state that grows beyond all bounds in the ninth interval."""
    m = slider_crank()
    m.state("z", rate=lambda z: z * z, start=6.0)  # z = 1 / (1 / 6 - t)
    return m


MODELS: dict[str, Callable[[], Model]] = {
    "time": pushed, "angles": angles, "sampled": sampled, "loop": slider_crank, "elastic": plank, "joints": joints,
    "held loop": held_loop, "friction": lambda: linkage(0), "impacts": lambda: switching(2),
    "elastic loop": lambda: bent_loops(3, 4), "growth": growing,
}  # fmt: skip


def numbers(model: Model, size: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Joint velocities of all members, of those that are no guesses of loops."""
    names = [name for name in mbs.Stepper(model, 1, INTERVAL).names["u"] if "xi" not in name]
    return {name: 0.3 * rng.normal(size=size) for name in (names[:1] if model.loops else names)}


@pytest.mark.parametrize("name", tiers(list(MODELS), usual=2))
def test_members_are_runs_of_their_own(name: str) -> None:
    """All numbers of all members are those of `simulate` with the same steps, bit for bit."""
    model, size, count = MODELS[name](), 5, 6
    rng = np.random.default_rng(1)
    start = numbers(model, size, rng)
    inputs = dict.fromkeys(model.inputs, 1.0)
    stepper = mbs.Stepper(model, size, INTERVAL, STEP, inputs=inputs)
    assert stepper.lanes == usual_lanes(compile_model(model))
    stepper.reset(start=start)
    for _ in range(count):
        stepper.advance()
    for k in (0, size - 1):
        run = mbs.simulate(
            model, count * INTERVAL, method="rk4", step=STEP, output_interval=INTERVAL, inputs=inputs,
            start={n: float(x[k]) for n, x in start.items()},
        )  # fmt: skip
        columns = run.columns[1:]
        mine, theirs = stepper.values(columns)[k], run.data[-1, 1:]
        assert dict(zip(columns, mine)) == dict(zip(columns, theirs)), f"member {k}"
    assert np.array_equal(stepper.time, np.full(size, count * INTERVAL)) and not stepper.failed.any()


@pytest.mark.parametrize("name", tiers(["time", "loop", "joints"], usual=2))
def test_resets_leave_other_members_alone(name: str) -> None:
    """Members keep their bits when others start anew; those that start anew have those of a first start."""
    model, size = MODELS[name](), 11
    rng = np.random.default_rng(2)
    start = numbers(model, size, rng)
    actions = rng.normal(size=(2, size, len(model.inputs)))
    one, other, new = (mbs.Stepper(model, size, INTERVAL, STEP) for _ in range(3))
    mask = rng.random(size) < 0.5
    columns = [*one.names["q"], *one.names["u"], *one.names["outputs"]]
    for stepper in (one, other):
        stepper.reset(start=start)
        stepper.advance(actions[0])
    other.reset(mask, start)
    new.reset(start=start)
    for _ in range(2):
        expected = np.where(mask[:, None], new.values(columns), one.values(columns))
        assert np.array_equal(other.values(columns), expected)
        assert np.array_equal(other.time, np.where(mask, new.time, one.time))
        for stepper in (one, other, new):
            stepper.advance(actions[1])


@pytest.mark.parametrize("lanes", [None, 1])
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_inputs_act_from_the_beginning_of_an_interval(lanes: int | None, method: str) -> None:
    """Members follow the map of steps of `mbs.ode`, whose inputs change from call to call.

    The map starts from velocities, a stepper from momenta: each conversion costs a few roundings, which the motion of
    a second amplifies by less than a thousand.
    """
    m = Model("cart")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    rod = m.body("rod", cart, mbs.Revolute("y"), mass=0.2, com=(0, 0, -0.3), inertia=(0.01, 0.01, 0.001))
    m.motor("motor", on=cart, force=m.input("push", unit="N"))
    m.start(rod, q=0.3)
    size = 3
    forces = np.random.default_rng(4).normal(size=(50, size, 1))
    stepper = mbs.Stepper(m, size, 0.02, 0.01, method=method, lanes=lanes)
    step = mbs.ode(m).step(0.01, 2, method)
    x = np.tile(step.x0, (size, 1))
    for k, push in enumerate(forces):
        stepper.advance(push)
        x = np.array([step(0.02 * k, x[j], push[j]) for j in range(size)])
    bound = 50 * 1000 * np.finfo(float).eps * 8
    assert_close(stepper.values(step.states), x, bound, "state of the members after 50 intervals", step.states)


def test_parameters_of_some_members() -> None:
    """New parameters, also of masses, act in the members of the mask until their next reset."""
    model, size = bar(), 9
    rng = np.random.default_rng(5)
    mass, c = rng.uniform(0.5, 2.0, size), rng.uniform(1.0, 9.0, size)
    mask = np.arange(size) % 2 == 0
    stepper = mbs.Stepper(model, size, INTERVAL, STEP, parameters={"c": 5.0})
    stepper.reset(mask, {"b.w": 0.2}, {"mass": mass, "c": c})
    stepper.advance()
    for k in (0, 1, 8):
        own = {"mass": mass[k], "c": c[k]} if mask[k] else {"c": 5.0}
        run = mbs.simulate(
            model, INTERVAL, method="rk4", step=STEP, output_interval=INTERVAL, parameters=own,
            start={"b.w": 0.2 if mask[k] else 0.0},
        )  # fmt: skip
        assert np.array_equal(stepper.values(run.columns[1:])[k], run.data[-1, 1:])
    stepper.reset()
    fresh = mbs.Stepper(model, size, INTERVAL, STEP, parameters={"c": 5.0})
    assert np.array_equal(stepper.q, fresh.q) and np.array_equal(stepper.u, fresh.u)


@pytest.mark.parametrize("loop", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_start_values_that_follow_from_parameters(loop: bool) -> None:
    """They follow from those of each member; a given start value replaces them."""
    model = swing(loop=loop)
    stepper = mbs.Stepper(model, 3, INTERVAL, STEP)
    stepper.reset(np.array([True, False, True]), {"filter": 0.7}, {"angle": [0.1, 0.2, 0.4]})
    stepper.advance()
    for k, given in enumerate(({"angle": 0.1}, {}, {"angle": 0.4})):
        run = mbs.simulate(
            model, INTERVAL, method="rk4", step=STEP, output_interval=INTERVAL, parameters=given,
            start={"filter": 0.7} if given else {},
        )  # fmt: skip
        assert np.array_equal(stepper.values(run.columns[1:])[k], run.data[-1, 1:])


@pytest.mark.parametrize("lanes", [None, 1])
def test_failed_members_are_marked(lanes: int | None) -> None:
    """A state that grows without bound marks its member alone, until its reset; threads do not change that."""
    m = Model("growing")
    m.state("z", rate=lambda z: z * z)  # z = 1 / (1 / z0 - t)
    stepper = mbs.Stepper(m, 20, 0.1, 0.001, threads=2, lanes=lanes)
    start = {"z": np.where(np.arange(20) == 7, 5.0, 0.2)}
    stepper.reset(start=start)
    for _ in range(4):
        stepper.advance()
    assert np.flatnonzero(stepper.failed).tolist() == [7]
    assert "growing: state 'z' is no longer finite at t = 0.2" in stepper.fault(7) and stepper.fault(6) == ""
    # ten digits: rk4 with 400 steps of 1 ms on a slow motion
    z = np.delete(stepper.values(["z"])[:, 0], 7)
    assert_close(z, 1 / (1 / 0.2 - 0.4), 1e-10, "state 'z' of the other members")
    stepper.reset(stepper.failed, {"z": 0.2})
    stepper.advance()
    assert not stepper.failed.any() and stepper.time[7] == 0.1


def test_views_and_copies() -> None:
    """Views contain all members, with the names that `names` gives them; a vector has several numbers."""
    m = pushed()
    m.output("place", mbs.position("b"))
    stepper = mbs.Stepper(m, 5, INTERVAL, lanes=2)
    s = np.arange(5.0)
    stepper.reset(start={"b.s": s})
    assert stepper.q.shape == (3, 1, 2) and np.array_equal(stepper.read(stepper.q)[:, 0], s)
    out = np.empty((5, 1))
    assert stepper.read(stepper.q, out) is out and np.array_equal(out[:, 0], s)
    few = mbs.Stepper(m, 1, INTERVAL, lanes=2)
    assert np.array_equal(few.read(few.q, np.empty((1, 1))), few.read(few.q))
    assert stepper.columns(["b.s", "place"]) == ["b.s", "place[1]", "place[2]", "place[3]"]
    assert np.array_equal(stepper.values(["place", "b.s"]), np.c_[s, np.zeros((5, 2)), s])
    assert stepper.names["inputs"] == ["force"] and len(stepper) == 5
    assert stepper.values([]).shape == (5, 0)
    stepper.inputs[:] = 3.0
    stepper.advance()
    assert np.array_equal(stepper.values(["force"]), np.full((5, 1), 3.0))


def test_refusals() -> None:
    """Wrong arguments raise one sentence, and no member changes."""
    m = pushed()
    stepper = mbs.Stepper(m, 3, INTERVAL)
    before = stepper.read(stepper.q)
    for call, message in (
        (lambda: stepper.advance(np.zeros((3, 2))), r"shape \(3, 2\): give one of \(3, 1\), .* the inputs force"),
        (lambda: stepper.advance([[0.0], [np.nan], [1.0]]), "input 'force' of member 1 is nan"),
        (lambda: stepper.advance(np.array([["a"], ["b"], ["c"]])), "actions must be numbers"),
        (lambda: stepper.read(stepper.q, np.empty((2, 1))), r"out has the shape \(2, 1\)"),
        (lambda: stepper.reset([1, 0, 1]), "True or False for each of the 3 members"),
        (lambda: stepper.reset(start={"b.x": 1.0}), "unknown start value 'b.x'"),
        (lambda: stepper.reset(start={"b.s": [1.0, 2.0]}), "has 2 numbers for 3 members"),
        (lambda: stepper.values(["b.t"]), "unknown variable 'b.t'"),
        (lambda: stepper.fault(3), "from 0 to 2"),
        (lambda: mbs.Stepper(m, 0, 0.1), "size is 0"),
        (lambda: mbs.Stepper(m, 3, -0.1), "interval is -0.1"),
        (lambda: mbs.Stepper(m, 3, 0.1, lanes=3), "lanes is 3"),
        (lambda: mbs.Stepper(m, 3, 0.1, method="rk5"), "rk5"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            call()
    assert np.array_equal(stepper.read(stepper.q), before)
    with pytest.raises(mbs.ModelError, match="member 1: parameter 'mass' is -1"):
        mbs.Stepper(bar(), 2, 0.1).reset(None, {}, {"mass": [1.0, -1.0]})
    free = mbs.Stepper(bar(), 2, 0.1)
    free.advance(np.empty((2, 0)))  # no inputs
    m.event("up", mbs.coordinate("b"))
    with pytest.raises(mbs.ModelError, match="events such as 'up' are for single runs"):
        mbs.Stepper(m, 3, INTERVAL)


# -- lanes and single records ------------------------------------------------------------------------------------


def restart(stepper: mbs.Stepper, mask: np.ndarray, **given: dict[str, np.ndarray]) -> str:
    """Restart members; return the message of a refusal, after which no member has started."""
    try:
        stepper.reset(mask, **given)
    except mbs.ModelError as error:
        return str(error)
    return ""


def play(model: Model, lanes: int, seed: int, count: int = 14) -> tuple[np.ndarray, list[str]]:
    """Advance eleven members, restart some, change inputs of some, and copy the stepper, in a random order.

    Returns all numbers of the members after each action, (count, size, columns), and all messages.
    """
    rng, size, program = np.random.default_rng([6, seed]), 11, compile_model(model)
    stepper, history = mbs.Stepper(model, size, INTERVAL, STEP, lanes=lanes), []
    start, parameters = numbers(model, size, rng), program.of_role("parameter")
    actions = stepper.read(stepper.inputs)
    messages = [restart(stepper, np.full(size, True), start=start)]
    for _ in range(count):
        some, kind = rng.random(size) < 0.4, int(rng.integers(6))
        start = {name: rng.permutation(x) for name, x in start.items()}
        own = {v.name: np.clip(v.start * rng.uniform(0.95, 1.05, size), *v.range) for v in parameters}
        actions[some] += 0.3 * rng.normal(size=actions[some].shape)
        if kind == 0:
            messages.append(restart(stepper, some, start=start))
        elif kind == 1:
            messages.append(restart(stepper, some, start=start, parameters=own))
        elif kind == 2:
            stepper = pickle.loads(pickle.dumps(stepper))
        stepper.advance(actions if kind > 3 else None)
        messages += [stepper.fault(k) for k in range(size)]
        values = np.where(stepper.failed[:, None], np.nan, stepper.values(program.columns[1:]))
        history.append(np.c_[stepper.time, values])
    return np.array(history), messages


def lanes_play_as_single_records(model: Model, lanes: int) -> None:
    """Check that members in lanes have the bits and messages of members without lanes, in three scripts."""
    columns = compile_model(model).columns
    for seed in range(3):
        (one, messages), (other, expected) = (play(model, n, seed) for n in (lanes, 1))
        assert messages == expected
        differing = np.argwhere(one.view(np.int64) != other.view(np.int64))
        for action, member, column in differing[:1].tolist():
            pytest.fail(f"{columns[column]!r} of member {member} differs after action {action} of script {seed}")


LANES = {"friction": 4, "impacts": 16, "held loop": 2}
WITHOUT_VOTES = ("angles",)  #: models whose steps have no branches for votes


@pytest.mark.parametrize("name", tiers(["loop", *sorted(MODELS.keys() - {"loop"})], usual=1))
def test_lanes_equal_single_records(name: str) -> None:
    """Members restart at different times, with parameters of their own; actions change for some of them only."""
    lanes_play_as_single_records(MODELS[name](), LANES.get(name, 8))


@pytest.mark.parametrize("name", tiers(["loop", *sorted(MODELS.keys() - {"loop"})], usual=1))
def test_lanes_that_leave_at_random(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane that leaves anywhere in an interval is restored, and repeats the interval with the same bits."""
    let_lanes_leave(monkeypatch)
    repeated = []
    repeat = LaneGroups._repeat
    monkeypatch.setattr(LaneGroups, "_repeat", lambda groups, *place: (repeated.append(place), repeat(groups, *place)))
    lanes_play_as_single_records(MODELS[name](), LANES.get(name, 8))
    assert repeated or name in WITHOUT_VOTES


# -- kernels ------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_only_marked_members_start_again() -> None:
    """Marked members get the first record and the time zero, all others keep theirs, also within one group of lanes."""
    groups, size, lanes = 3, 5, 4
    program = compile_model(oscillator())
    kernels = load_plain(runs_module(program, lanes, method("rk4")), {"where": np.where})
    rng = np.random.default_rng(8)
    records, intervals = rng.normal(size=(groups, size, lanes)), rng.integers(1, 9, size=(groups, lanes)).astype(float)
    marks = np.array([[0.0, 1.0, 1.0, 0.0], [0.0] * lanes, [1.0] * lanes])
    first = np.repeat(rng.normal(size=(size, 1)), lanes, axis=1)
    after, begun = records.reshape(groups * size, lanes).copy(), intervals.copy()
    kernels.clear_lanes(after, first, begun, marks, size, groups)
    assert np.array_equal(begun, np.where(marks == 1.0, 0.0, intervals))
    assert np.array_equal(after.reshape(records.shape), np.where(marks[:, None] == 1.0, first, records))
