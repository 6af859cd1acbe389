"""Batches: every member has the bits of its own run, in lanes and out of them; a failed member affects no other."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry, load_kernels
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.lanes.module import NoLanes, compile_on_lanes, lanes_module, machine_lanes
from mbs_fmu.mechanics.steps import Solver
from mbs_fmu.model.model import Model
from mbs_fmu.run.runtime import Runtime
from support.cases import Case, tiers
from support.generators.mechanisms import random_tree
from support.generators.trees import add_forces, moving_tree
from support.models.small_models import oscillator


def zoo(seed: int, count: int = 6) -> Model:
    """A branched mechanism with all joints, and springs, motors, forces, laws and tables of all kinds."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, count, ("chain", "star", "tree")[seed % 3])
    add_forces(m, rng)
    z = m.state("z", rate=mbs.table(mbs.sin(3 * mbs.time), (-0.9, 0.1, 0.5), (1.0, -3.0, 2.0)), start=0.1)
    body = next(b for b in m.bodies.values() if b.joint.motions)
    m.output("bent", mbs.table(mbs.coordinate(body, 1), (-1.0, -0.2, 0.3, 1.0), (1.0, 0.5, -0.5, 2.0)) * mbs.tanh(z))
    m.output("tip", mbs.position(body, (0.1, 0.2, 0.3)))
    m.output("sign", mbs.sign(z) + mbs.max(z, 0.3) + mbs.sqrt(mbs.abs(z)) ** 1.5 + mbs.atan2(z, 1.0 + z * z))
    m.output("E", mbs.energy())
    return m


def random_records(runtime: Runtime, count: int, seed: int = 0) -> np.ndarray:
    """Initialized records with random values, one per row."""
    program, rng = runtime.program, np.random.default_rng(seed)
    records = np.array([program.new_record() for _ in range(count)])
    for kind, spread in (("coordinate", 1.0), ("rate", 1.0), ("state", 1.0), ("input", 1.0), ("parameter", 0.1)):
        slots = [v.slot for v in program.of_role(kind)]
        records[:, slots] += spread * rng.normal(size=(count, len(slots)))
    for record in records:
        runtime.begin(record, 1e-6, 1e-8)
    return records


def lanes_are_single_records(model: Model, solver: Solver, lanes: int) -> None:
    """Assert that kernels on lanes give every number of each record the bits of single-record kernels."""
    runtime = Runtime(compile_model(model, solver))
    program = runtime.program
    records = random_records(runtime, lanes)
    R = np.ascontiguousarray(records.T)
    wide = load_kernels(lanes_module(program.module, lanes, program.angles))
    padding = [k for n in ("sines", "cosines") for k in range(*program.region(n).indices(R.shape[0]))]
    padding = [k for k in padding if not any(0 <= k - program.regions[n][0] < program.regions["q"][1] for n in SINES)]
    for name in ("momenta", "derive", "outputs"):
        entry(getattr(wide, name))(R)
        for record in records:
            entry(getattr(runtime.kernels, name))(record)
        same = R.T.view(np.int64) == records.view(np.int64)
        assert np.all(np.delete(same, padding, axis=1)), name


SINES = ("sines", "cosines")


@pytest.mark.parametrize(
    ("seed", "solver", "lanes"),
    [
        (0, "cholesky", 8),
        pytest.param(1, "sweep", 4, marks=pytest.mark.slow),
        pytest.param(2, "cholesky", 1, marks=pytest.mark.slow),
    ],
)
def test_lanes_have_the_bits_of_single_records(seed: int, solver: Solver, lanes: int) -> None:
    """All joints, all forces, tables, both solvers, with 1, 4 and 8 lanes."""
    lanes_are_single_records(zoo(seed, 4), solver, lanes)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("seed", range(3, 6))
def test_lanes_have_the_bits_of_single_records_on_more_trees(seed: int, solver: Solver, lanes: int) -> None:
    """The same for more and larger trees."""
    lanes_are_single_records(zoo(seed, 9), solver, lanes)


def test_kernels_that_branch_are_refused() -> None:
    """A kernel that lanes cannot run together is refused with a message."""
    program = compile_model(moving_tree(Case("universal", 0), 3))
    wide = load_kernels(lanes_module(program.module, 4, program.angles))
    with pytest.raises(NoLanes, match="lanes differ in"):
        compile_on_lanes(lambda: entry(wide.initialise)(np.zeros((program.regions["end"][0], 4))))


def test_models_without_lanes_run_member_by_member(plant: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose kernels have no lanes is run member by member."""

    def refuse(call: object) -> None:
        raise NoLanes("lanes differ in x > 0.0")

    options = {"method": "rk4", "step": 0.01, "inputs": {"force": 1.0}, "batch": mbs.Batch(start={"b.s": [0.1, 0.2]})}
    wide = mbs.simulate(plant, 0.1, **options)
    monkeypatch.setattr("mbs_fmu.run.batches.lanes.compile_on_lanes", refuse)
    single = mbs.simulate(plant, 0.1, **options)
    assert wide.statistics["lanes"] > 1 and single.statistics["lanes"] == 1
    assert np.array_equal(wide.data, single.data)


# -- simulate(..., batch=) ---------------------------------------------------------------------------------------

METHODS = ({"method": "rk4", "step": 0.01}, {"method": "dopri5", "step": 0.01}, {"method": "dopri5", "rtol": 1e-7})


@pytest.fixture(scope="module")
def plant() -> Model:
    return oscillator(drive=True)


@pytest.mark.parametrize("options", METHODS, ids=["rk4", "dopri5 fixed", "dopri5"])
def test_members_are_runs_of_their_own(plant: Model, options: dict) -> None:
    """Each member is bit for bit the run of `simulate` with its numbers, statistics included."""
    rng, n = np.random.default_rng(3), 11
    c, s, force = rng.uniform(4, 9, n), rng.normal(size=n), rng.normal(size=(n, 3))
    batch = mbs.Batch(parameters={"c": c}, start={"b.s": s}, inputs={"force": ([0.0, 0.4, 1.0], force)}, threads=2)
    many = mbs.simulate(plant, 1.0, output_interval=0.05, batch=batch, **options)
    assert many.data.shape == (n, 21, len(many.columns)) and len(many) == n and not many.faults
    assert many.statistics["lanes"] == (1 if "rtol" in options else machine_lanes())
    for k in range(n):
        plant.start("b", q=s[k], u=0.3)
        one = mbs.simulate(
            plant, 1.0, output_interval=0.05, parameters={"c": c[k]}, inputs={"force": ([0.0, 0.4, 1.0], force[k])},
            **options,
        )  # fmt: skip
        assert np.array_equal(one.data, many[k].data)
        assert {**many[k].statistics, **one.statistics} == many[k].statistics | {"notes": []}
    plant.start("b", q=0.5, u=0.3)


@pytest.mark.parametrize("lanes", [1, machine_lanes()])
def test_slices_change_no_bit(plant: Model, monkeypatch: pytest.MonkeyPatch, lanes: int) -> None:
    """Slices, between which Ctrl-C acts, leave all bits unchanged, also between rows and in lanes."""
    batch = mbs.Batch(start={"b.s": np.linspace(0.0, 1.0, 3)}, lanes=lanes)
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.5, "batch": batch, "inputs": {"force": 1.0}}
    whole = mbs.simulate(plant, 1.0, **options)
    budgets: list[int] = []
    members = "mbs_fmu.run.batches.members"
    monkeypatch.setattr(f"{members}.FIRST_BUDGET", 7)
    monkeypatch.setattr(f"{members}.next_budget", lambda budget, took: budgets.append(budget) or budget)
    sliced = mbs.simulate(plant, 1.0, **options)
    assert np.array_equal(sliced.data, whole.data)
    assert len(budgets) >= 100 // 7


@pytest.mark.slow
@pytest.mark.parametrize("lanes", tiers([8, 1, 2, 4], usual=1))
def test_whole_runs_of_a_zoo(lanes: int) -> None:
    """With all start values, inputs and parameters varied, rk4 agrees in lanes and out of them."""
    model, n = zoo(0, 4), 5
    program, rng = compile_model(model), np.random.default_rng(2)
    start = {v.name: v.start + 0.2 * rng.normal(size=n) for v in program.of_role("coordinate", "rate", "state")}
    batch = mbs.Batch(start=start, parameters={"gain": rng.uniform(1, 2, n)}, inputs={"level": rng.normal(size=n)},
                      lanes=lanes)  # fmt: skip
    many = mbs.simulate(model, 0.2, method="rk4", step=0.01, output_interval=0.02, batch=batch)
    assert many.statistics["lanes"] == lanes and not many.faults
    runtime = Runtime(program)
    U, Y = runtime.tables({}, 0.0, 0.02, 11, 0.2), np.zeros((n, 11, len(program.columns)))
    slots = {v.name: v.slot for v in program.variables}
    for k in range(n):
        R = program.new_record()
        for name, values in {**batch.start, **batch.parameters, **batch.inputs}.items():
            R[slots[name]] = values[k]
        runtime.initialize(R, 1e-6, 1e-8)
        assert runtime.kernels.enter_rk4_run_fixed(R, U, Y[k].reshape(-1), 0, 0.01, 0) == 11
    assert np.array_equal(many.data.view(np.int64), Y.view(np.int64))
    assert many["tip"].shape == (n, 11, 3) and np.array_equal(many["E"], many.data[:, :, many.columns.index("E")])


def blow_up() -> Model:
    """z = 1/(1/z0 - t), which ends at t = 1/z0."""
    m = Model("blow_up")
    m.state("z", rate=lambda z: z * z, start=0.1)
    m.output("twice", 2 * m.state("x", rate=1.0))
    return m


@pytest.mark.parametrize("options", METHODS, ids=["rk4", "dopri5 fixed", "dopri5"])
def test_failed_members_affect_no_others(options: dict, caplog: pytest.LogCaptureFixture) -> None:
    """Failed members end as in their own runs, with the same messages; the others go on."""
    start = np.array([0.1, 0.9, 0.2, 3.0, -1.0, 0.3, 2.0, 0.05, 0.4, 1.1])
    many = mbs.simulate(blow_up(), 2.0, output_interval=0.1, batch=mbs.Batch(start={"z": start}), **options)
    assert sorted(many.faults) == [1, 3, 6, 9] and "4 of 10 members ended early; member 1" in caplog.text
    for k, z in enumerate(start):
        model = Model("blow_up")
        model.state("z", rate=lambda z: z * z, start=z)
        model.output("twice", 2 * model.state("x", rate=1.0))
        try:
            one, message = mbs.simulate(model, 2.0, output_interval=0.1, **options), None
        except mbs.SimulationError as error:
            one, message = error.result, str(error).split("; results")[0]  # type: ignore[assignment]
        assert many.faults.get(k) == message
        assert np.array_equal(one.data, many[k].data) and many.rows[k] == len(one)
        assert np.all(np.isnan(many.data[k, len(one) :]))
        assert many[k].statistics["steps"] == one.statistics["steps"]


def test_members_that_cannot_start() -> None:
    """Members that fail to start have no rows and are named; the others run, even in the same group of lanes."""
    m = Model("pendulum")
    mass = m.parameter("m", 1.0)
    m.body("b", "world", mbs.Revolute("y"), mass=mass, com=(0, 0, -1), inertia=(0, 0, 0))
    masses = np.array([1.0, 0.0, 2.0, -1.0, 3.0])
    many = mbs.simulate(m, 0.1, method="rk4", step=0.01, batch=mbs.Batch(parameters={"m": masses}))
    assert list(many.rows) == [11, 0, 11, 0, 11]
    assert "the motion of body 'b'" in many.faults[1] and "moves no inertia" in many.faults[1]
    assert many.faults[3] == "pendulum: mass of body 'b' must not be negative: change parameter 'm'"
    assert np.all(np.isnan(many.data[1])) and np.all(np.isfinite(many.data[[0, 2, 4]]))
    assert np.array_equal(many[0].data, mbs.simulate(m, 0.1, method="rk4", step=0.01).data)


def linkage() -> Model:
    """A four-bar linkage whose rod and rocker start at guesses."""
    m = Model("four_bar")
    for name, parent, at in (
        ("crank", "world", (0, 0, 0)),
        ("rod", "crank", (1, 0, 0)),
        ("rocker", "world", (2, 0, 0)),
    ):
        m.body(name, parent, mbs.Revolute("y"), mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), at=at)
    m.close("pin", "rod", "rocker", mbs.Revolute("y"), at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.start("crank", q=-1.0)
    m.start("rod", q=0.8, guess=True)
    m.start("rocker", q=-1.2, guess=True)
    return m


def test_loops_run_in_lanes() -> None:
    """Models with closed loops run in lanes with the same results; notes are by member."""
    m, options = linkage(), {"method": "rk4", "step": 0.01}
    batch = mbs.Batch(start={"crank.phi": np.array([-1.0, -0.8, -1.1])}, lanes=machine_lanes())
    many = mbs.simulate(m, 0.2, batch=batch, **options)
    assert many.statistics["lanes"] == machine_lanes() and many.statistics["residual"].shape == (3,)
    assert np.array_equal(many[0].data, mbs.simulate(m, 0.2, **options).data)
    assert many["crank.phi"][1, 0] == -0.8 and "assembled" in " ".join(many[1].statistics["notes"])


def test_lanes_of_loops_are_compiled_when_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a model with loops run one by one until lanes are compiled, or until their compilation pays."""
    m, options = linkage(), {"method": "dopri5", "step": 0.01, "batch": mbs.Batch(size=3)}
    work = 3 * 20 * len(compile_model(m).new_record())
    monkeypatch.setattr("mbs_fmu.run.batches.running.MOST_ALONE", 1.5 * work)
    monkeypatch.setattr("mbs_fmu.run.batches.running.LEAST_ALONE", 0.5 * work)
    used = [mbs.simulate(m, 0.2, **options).statistics["lanes"] for _ in range(3)]
    assert used == [1, machine_lanes(), machine_lanes()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameters": {"d": [1.0]}}, "unknown parameter 'd'; parameters of 'oscillator': c"),
        ({"start": {"b.phi": [1.0]}}, "unknown start value 'b.phi'"),
        ({"inputs": {"torque": [1.0]}}, "unknown input 'torque'"),
        ({"parameters": {"c": [1.0, np.nan]}}, "parameter 'c' of the batch is nan for member 1"),
        ({"parameters": {"c": ["a"]}}, "must be numbers"),
        ({"parameters": {"c": [[1.0]]}}, "give one number for each member"),
        ({"parameters": {"c": [1.0, 2.0]}, "start": {"b.s": [1.0]}}, "has 1 numbers for 2 members"),
        ({"parameters": {"c": []}}, "has 0 numbers"),
        ({"parameters": {"c": 1.0}}, "a batch needs an array"),
        ({"size": 0}, "size of a batch is 0"),
        ({"size": 2, "lanes": 1.5}, "lanes of a batch is 1.5"),
        ({"inputs": {"force": ([0.0, 1.0], np.ones((2, 3)))}}, "one row of values for each member"),
        ({"inputs": {"force": ([1.0, 0.0], np.ones((2, 2)))}}, "strictly increasing"),
    ],
)
def test_invalid_batches_are_refused(plant: Model, arguments: dict, message: str) -> None:
    """Invalid names, shapes and numbers are refused before any run."""
    with pytest.raises(mbs.ModelError, match=message):
        options = {} if "inputs" in arguments else {"inputs": {"force": 0.0}}
        mbs.simulate(plant, 0.1, method="rk4", step=0.01, batch=mbs.Batch(**arguments), **options)


def test_duplicate_and_out_of_range_values_are_refused() -> None:
    """A value common to all members cannot be in the batch too; ranges hold for every member."""
    m = Model("lag")
    m.parameter("T", 1.0, min=0.5)
    m.input("x")
    m.state("y", rate=lambda y: (m.inputs["x"].name and -y) / 1.0)
    with pytest.raises(mbs.ModelError, match="parameter 'T' is given twice"):
        mbs.simulate(m, 1.0, parameters={"T": 1.0}, inputs={"x": 0.0}, batch=mbs.Batch(parameters={"T": [1.0, 2.0]}))
    with pytest.raises(mbs.ModelError, match="member 1: parameter 'T' is 0"):
        mbs.simulate(m, 1.0, inputs={"x": 0.0}, batch=mbs.Batch(parameters={"T": [1.0, 0.1]}))
    with pytest.raises(mbs.ModelError, match="input 'x' is given twice"):
        mbs.simulate(m, 1.0, inputs={"x": 0.0}, batch=mbs.Batch(inputs={"x": [1.0, 0.1]}))


def test_result_of_a_batch(plant: Model) -> None:
    """Names, members and times; `size` alone makes equal members; negative numbers count from the end."""
    many = mbs.simulate(plant, 0.1, method="rk4", step=0.01, inputs={"force": 1.0}, batch=mbs.Batch(size=3))
    assert "b.s" in many and len(list(many)) == 3
    assert np.array_equal(many[-1].time, many.time) and np.array_equal(many["b.s"][0], many["b.s"][2])
    assert np.array_equal(many[0].data, mbs.simulate(plant, 0.1, method="rk4", step=0.01, inputs={"force": 1.0}).data)
    with pytest.raises(KeyError, match="no result 'x'"):
        many["x"]
    with pytest.raises(IndexError):
        many[3]


def test_sampled_signals_run_member_by_member() -> None:
    """A controller samples in each member as in a run of its own."""
    m = Model("held", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.motor("hold", on=b, force=m.sampled("f", 0.05, -8.0 * mbs.coordinate(b)))
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.01}
    batch = mbs.simulate(m, 0.5, batch=mbs.Batch(start={"b.s": [0.1, 0.3]}), **options)
    for k, s in enumerate((0.1, 0.3)):
        assert np.array_equal(batch.data[k], mbs.simulate(m, 0.5, start={"b.s": s}, **options).data)
