"""Laws of contacts with a list of near pairs: the list changes no bit, and its results are those of all pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.blocks import NearList
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.contacts import RUBBLE
from support.generators.mechanisms import Plain
from support.generators.near_pairs import ROUGH, SMOOTH, shards, swarm
from support.oracles.complex_steps import compare_tangents, named, output_rates

DENSE = 0.115  #: m, spacing of balls that overlap at the start
MARGINS = (True, 1e-3, 0.3)  #: of lists: the default, one that is short-lived, one that contains almost all pairs


def moved(plain: Plain, rng: np.random.Generator, size: float) -> np.ndarray:
    """Return a record at a random state near the start of a model, without a list of near pairs."""
    R = plain.R.copy()
    R[plain.slice("q")] += size * rng.normal(size=plain.R[plain.slice("q")].size)
    R[plain.slice("p")] += 0.01 * rng.normal(size=plain.R[plain.slice("p")].size)
    R[plain.slice("near_list")] = 0.0
    return R


def list_of(plain: Plain, R: np.ndarray) -> dict[str, float]:
    """Return the numbers of the list of near pairs by name."""
    numbers = R[plain.slice("near_list")]
    return {name: float(numbers[getattr(NearList, name)]) for name in ("count", "share", "overflows", "lists")}


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """True if all numbers of two arrays have the same bits, also the signs of zeros."""
    return np.array_equal(np.ascontiguousarray(one).view(np.int64), np.ascontiguousarray(other).view(np.int64))


# -- the list ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", tiers(range(12), usual=3, quick=1))
def test_rates_are_those_of_all_pairs_bit_by_bit(seed: int) -> None:
    """Rates and energy of a swarm of balls at random states, with lists of every margin; they resist rolling."""
    plain = [Plain(swarm(14, seed, near, DENSE, roll=2e-3)) for near in (False, *MARGINS)]
    rng = np.random.default_rng(seed)
    loads = []
    for size in (0.0, 0.01, 0.03, 0.1):
        state = rng.normal(size=plain[0].R[plain[0].program.state_slice].size)
        found = []
        for one in plain:
            R = one.R.copy()
            R[one.program.state_slice] += size * state
            found.append(np.append(one.rates(R), (one.real.outputs(R), one.get(R, "energy"))[1]))
        for margin, rates in zip(MARGINS, found[1:], strict=True):
            assert same_bits(rates, found[0]), (margin, size)
        loads.append(np.abs(found[0]).max())
    assert max(loads) > 10.0


@pytest.mark.parametrize("seed", tiers(range(4), usual=1))
def test_solids_have_the_rates_of_all_pairs(seed: int) -> None:
    """Capsules and balls; the order of sums differs, and so does the last bit."""
    require_rates_of_all_pairs(seed)


@pytest.mark.slow
def test_solids_of_all_kinds_have_the_rates_of_all_pairs() -> None:
    """Boxes, hulls and cylinders too, which touch each other on areas and with many points."""
    require_rates_of_all_pairs(0, RUBBLE)


def require_rates_of_all_pairs(seed: int, kinds: Collection[str] = ("pill", "ball")) -> None:
    """Require that solids have the same rates and energy with a list of near pairs, and with all pairs."""
    near, every = Plain(shards(True, seed, kinds)), Plain(shards(False, seed, kinds))
    expected = every.rates()
    bound = 1e-13 * np.abs(expected).max()
    assert_close(near.rates(), expected, bound, "rate", near.labels("rates"))
    assert np.abs(expected).max() > 10.0
    for plain in (near, every):
        plain.real.outputs(plain.R)
    assert_close(named(near, near.R)["E"], named(every, every.R)["E"], 1e-13 * abs(named(every, every.R)["E"]), "E")


@pytest.mark.quick
def test_rates_do_not_depend_on_earlier_evaluations() -> None:
    """A record that was evaluated at many states before has the bits of one that was not: small and large moves, back
    and forth."""
    plain, rng = Plain(swarm(10, 3, spacing=DENSE)), np.random.default_rng(5)
    R, lists = moved(plain, rng, 0.0), set()
    for k in range(60):
        new = moved(plain, rng, (1e-4, 3e-3, 0.05)[k % 3])
        R[plain.program.state_slice] = new[plain.program.state_slice]
        assert same_bits(plain.rates(R), plain.rates(new)), k
        lists.add(list_of(plain, R)["lists"])
    assert 5 < len(lists) < 60  # some moves need a new list, others do not


@pytest.mark.quick
def test_a_list_lasts_until_a_ball_has_moved_by_half_the_margin() -> None:
    """Moves of all balls by less than half the margin keep the list; a single ball that moves farther ends it."""
    plain = Plain(swarm(8, 0, 0.02))
    plain.rates()
    places = [plain.program.by_name[f"ball{k}.q[1]"].slot for k in range(8)]
    plain.R[places] += 0.0099
    plain.rates()
    assert list_of(plain, plain.R)["lists"] == 1.0
    plain.R[places[5]] += 0.0002
    plain.rates()
    assert list_of(plain, plain.R)["lists"] == 2.0


@pytest.mark.quick
def test_lists_contain_all_pairs_within_the_margin() -> None:
    """The list of balls of many sizes, far apart and near, large ones too, is that of a comparison of all pairs."""
    rng = np.random.default_rng(2)
    m = mbs.Model("sizes", gravity=(0, 0, 0))
    radii = np.where(rng.random(40) < 0.1, 1.0, 0.1 * (0.5 + rng.random(40)))
    places = np.where(rng.random((40, 1)) < 0.1, 1e9, 0.4) * rng.normal(size=(40, 3))
    for k, place in enumerate(places):
        m.body(f"b{k}", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
        m.start(f"b{k}", q=(*place, 1, 0, 0, 0))
    m.mutual_contact("x", {f"b{k}": mbs.Sphere(r) for k, r in enumerate(radii)}, stiffness=1.0, near=0.1)
    plain = Plain(m)
    plain.rates()
    shapes = plain.get(plain.R, "near_shapes").reshape(-1, 5)
    assert 0 < plain.real.N_NEAR_LARGE < 10
    at = plain.get(plain.R, "near_centers").reshape(-1, 3)
    assert np.allclose(np.sort(shapes[:, 3]), np.sort(radii), rtol=1e-5)
    distances = np.linalg.norm(at[:, None] - at[None], axis=2)
    reach = shapes[:, None, 3] + shapes[None, :, 3] + 0.1
    expected = [(i, j) for i in range(40) for j in range(i + 1, 40) if distances[i, j] < reach[i, j]]
    count = int(list_of(plain, plain.R)["count"])
    assert [tuple(pair) for pair in plain.get(plain.R, "near_pairs").reshape(-1, 2)[:count]] == expected
    assert len(expected) > 20


@pytest.mark.quick
def test_states_that_are_not_finite_end_an_evaluation() -> None:
    """Infinite and undefined coordinates make rates that are not finite; the next finite state has its usual bits."""
    plain = Plain(swarm(6))
    expected = plain.rates(plain.R.copy())
    q = plain.slice("q")
    for value in (np.inf, -np.inf, np.nan, 1e300):
        R = plain.R.copy()
        R[q.start : q.start + 3] = value
        with np.errstate(all="ignore"):
            plain.rates(R)
            R[q] = plain.R[q]
            assert same_bits(plain.rates(R), expected), value


# -- a full list ---------------------------------------------------------------------------------------------
@pytest.mark.quick
def test_short_lists_have_smaller_margins_and_the_same_bits() -> None:
    """While the pairs that overlap have places, a list that is too short for its margin is made with a smaller one."""
    plain = Plain(swarm(12, 1, 0.2, DENSE))
    expected = plain.rates()
    touching = Plain(swarm(12, 1, 1e-9, DENSE))
    assert same_bits(touching.rates(), expected)
    least = int(list_of(touching, touching.R)["count"])
    assert least < list_of(plain, plain.R)["count"]
    short = Plain(swarm(12, 1, 0.2, DENSE, most=least))
    assert same_bits(short.rates(), expected)
    assert list_of(short, short.R)["share"] < 1.0 and list_of(short, short.R)["overflows"] == 0.0
    full = Plain(swarm(12, 1, 0.2, DENSE, most=least - 1))
    assert not np.isfinite(full.rates()).all()


@pytest.mark.quick
def test_a_full_list_is_an_error_with_the_remedy(in_plain_python: None) -> None:
    """A run in which more pairs overlap than the list has places fails, and names the argument to change."""
    for options in ({"method": "rk4", "step": 1e-3}, {"method": "dopri5"}):
        with pytest.raises(mbs.SimulationError, match="larger most="):
            mbs.simulate(swarm(20, 1, most=1), 0.1, output_interval=0.01, **options)  # type: ignore[arg-type]


# -- laws ----------------------------------------------------------------------------------------------------
def cluster() -> mbs.Model:
    """Return 27 free balls of which all neighbours overlap; outputs P, L and E."""
    m = mbs.Model("cluster", gravity=(0, 0, 0))
    rng = np.random.default_rng(4)
    shapes = {f"b{k}": mbs.Sphere(0.05) for k in range(27)}
    for k, name in enumerate(shapes):
        place = 0.098 * np.array([k % 3, k // 3 % 3, k // 9])
        m.body(name, joint=mbs.Free(), mass=0.1, inertia=(1e-4,) * 3)
        m.start(name, q=(*place, *rng.normal(size=4)), u=(*(3.0 * (0.1 - place)), *rng.normal(size=3)))
    m.mutual_contact("x", shapes, stiffness=5e3, near=True, **ROUGH)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("E", mbs.energy())
    return m


@pytest.mark.quick
def test_tangents_equal_complex_steps() -> None:
    """Tangents of rates and outputs along states and parameters."""
    plain = Plain(swarm(7, 2, spacing=DENSE))
    plain.rates()
    compare_tangents(plain, 1, [plain.program.state_slice, plain.slice("parameters")], "outputs")


@pytest.mark.quick
@pytest.mark.parametrize("model", [cluster, shards])
def test_momenta_have_no_rates(model: Callable[[], mbs.Model]) -> None:
    """While many bodies overlap, the sums of all momenta and angular momenta have no rates, to the round-off."""
    plain = Plain(model())
    load = np.abs(plain.rates()).max()
    rates = output_rates(plain)
    assert load > 10.0
    assert np.abs(np.concatenate([rates["P"], rates["L"]])).max() < 1e-13 * load


def test_momenta_of_a_cluster_stay() -> None:
    """After the impacts of 27 balls, momentum and angular momentum are those of the start, and the energy fell.

    They err by the tolerance: forces and momenta are integrated in the axes of balls that rotate.
    """
    result = mbs.simulate(cluster(), 0.2, rtol=1e-11, atol=1e-13)
    for name in "PL":
        start = np.broadcast_to(result[name][0], result[name].shape)
        assert_close(result[name], start, 1e-10, name, times=result.time)
    assert result["E"][-1] < 0.95 * result["E"][0]


def test_energy_of_smooth_balls_stays() -> None:
    """Elastic balls without friction in a box exchange their energy; the error of its sum is that of the method."""
    errors = []
    for rtol in (1e-8, 1e-10):
        result = mbs.simulate(boxed(27, SMOOTH), 0.3, rtol=rtol, atol=1e-3 * rtol)
        errors.append(np.abs(result["E"] - result["E"][0]).max() / result["E"][0])
        kinetic = 0.5 * 0.1 * sum(result[f"ball{k}.u[{n}]"] ** 2 for k in range(27) for n in (1, 2, 3))
        assert kinetic.min() < 0.97 * result["E"][0]  # some energy is in contacts
    assert errors[0] < 1e-5 and errors[1] < 0.1 * errors[0], errors


def boxed(count: int, law: dict[str, Any], near: Any = True, gravity: float = 0.0) -> mbs.Model:
    """Return balls in a closed box; output E."""
    m, edge = mbs.Model("boxed", gravity=(0, 0, -gravity)), round(count ** (1 / 3) + 0.4)
    rng = np.random.default_rng(7)
    size = 0.11 * edge
    walls = [mbs.Plane(axis) for axis in "xyz"]
    walls += [mbs.Plane(f"-{axis}", at=tuple(size * np.eye(3)[k])) for k, axis in enumerate("xyz")]
    shapes = {f"ball{k}": mbs.Sphere(0.05) for k in range(count)}
    for k, name in enumerate(shapes):
        place = 0.055 + 0.11 * np.array([k % edge, k // edge % edge, k // edge**2])
        m.body(name, joint=mbs.Free(), mass=0.1, inertia=(1e-4,) * 3)
        m.start(name, q=(*place, 1, 0, 0, 0), u=(*rng.normal(size=3), 0, 0, 0))
    m.mutual_contact("touch", {"world": walls, **shapes}, stiffness=5e3, near=near, **law)
    m.output("E", mbs.energy())
    return m


# -- runs ----------------------------------------------------------------------------------------------------
RUNS: dict[str, dict[str, Any]] = {
    "dopri5": {"rtol": 1e-6, "atol": 1e-9},
    "rk4": {"step": 5e-4},
    "rodas5p": {"rtol": 1e-5, "atol": 1e-8},
    "dop853": {"rtol": 1e-8, "atol": 1e-10},
    "abm6": {"step": 1e-4},
}


@pytest.mark.parametrize("method", tiers(list(RUNS), usual=2))
def test_runs_have_the_bits_of_all_pairs(method: str) -> None:
    """All columns of runs with rejected steps, dense output and friction, with lists of every margin."""
    results = [
        mbs.simulate(boxed(8, ROUGH, near, 9.81), 0.25, method=method, output_interval=0.01, **RUNS[method])
        for near in (False, *MARGINS)
    ]
    for margin, result in zip(MARGINS, results[1:], strict=True):
        for name in results[0].columns:
            assert same_bits(result[name], results[0][name]), (margin, name)


@pytest.mark.slow
def test_stops_at_events_have_the_bits_of_all_pairs() -> None:
    """A run with an event that is located within steps, and with resets."""
    results = []
    for near in (False, *MARGINS):
        m = boxed(8, ROUGH, near, 9.81)
        m.event("low", mbs.position("ball0")[2] - 0.0525, direction=-1, reset={"ball0.u[1]": -mbs.rate("ball0", 1)})
        results.append(mbs.simulate(m, 0.25, output_interval=0.01))
    for result in results[1:]:
        assert len(result.events["low"]) > 0
        for name in result.columns:
            assert same_bits(result[name], results[0][name]), name


@pytest.mark.slow
def test_members_of_a_batch_have_the_bits_of_single_runs() -> None:
    """Batches run member by member, since the lists of members differ."""
    m = swarm(8)
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "output_interval": 0.05}
    frictions = [0.1, 0.4, 0.8]
    batch = mbs.simulate(m, 0.2, batch=mbs.Batch(parameters={"mu": frictions}), **settings)
    for k, friction in enumerate(frictions):
        single = mbs.simulate(m, 0.2, parameters={"mu": friction}, **settings)
        for name in single.columns:
            assert same_bits(batch[k][name], single[name]), (friction, name)


# -- sizes and messages --------------------------------------------------------------------------------------
@pytest.mark.quick
def test_sizes_grow_with_the_number_of_shapes_only() -> None:
    """The code of 96 and 120 balls is the same but for addresses, and the record of 120 is longer by a quarter.

    Addresses of both have equally many digits: expressions of longer text are divided.
    """
    texts, sizes = [], []
    for count in (96, 120):
        program = compile_model(boxed(count, ROUGH))
        code = program.text[program.text.index("@kernel") :]
        texts.append([re.sub(r"\d+", "0", line) for line in code.splitlines()])
        sizes.append(program.regions["end"][0])
    assert texts[0] == texts[1]
    assert sizes[1] < 1.26 * sizes[0]


@pytest.mark.quick
def test_names_and_messages() -> None:
    """The names of contacts with walls; what a list of near pairs cannot have is refused, with the remedy."""

    def pair(shape: Any = None, **law: Any) -> list[str]:
        m = mbs.Model("pair")
        r = m.parameter("r", 0.1)
        for name in "ab":
            m.body(name, joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
        shapes = {"world": [mbs.Plane(), mbs.Sphere(0.2)], "a": mbs.Sphere(0.1), "b": shape or mbs.Sphere(0.1)}
        if law.pop("tunable", False):
            shapes["b"] = mbs.Sphere(r)
        return m.mutual_contact("x", shapes, **({"stiffness": 1e3, "near": True} | law))

    assert pair() == pair(near="5 mm", most=3, friction=0.5, creep=0.01) == ["x", "x.world.a", "x.world.b"]
    assert pair(mbs.Points([(0.1, 0, 0), (0, 0.1, 0)])) == ["x", "x.world.a", "x.world.b"]
    for law, text in (
        ({"friction": 0.5}, "give creep= for friction without states"),
        ({"near": -1.0}, "must be positive"),
        ({"near": mbs.time}, "give a number"),
        ({"most": 0}, "give the number of places"),
        ({"most": 3, "near": False}, "most= has no effect without near="),
        ({"tunable": True}, "depends on parameters: give numbers"),
        ({"shape": mbs.Ellipsoid(0.1, 0.1, 0.2)}, "can't meet"),
        ({"stiffness": 1e3 + mbs.coordinate("a", 1)}, "parameters, inputs and time only"),
    ):
        with pytest.raises(mbs.ModelError, match=text):
            pair(**law)


def test_checks_of_starts_know_near_pairs(in_plain_python: None) -> None:
    """A ball that starts deep inside of another is refused, and so are steps that are too long for two balls; both
    messages are those of all pairs."""

    def pair(near: bool, distance: float, step: float) -> str:
        m = mbs.Model("pair", gravity=(0, 0, 0))
        for k, name in enumerate("abcd"):
            m.body(name, joint=mbs.Free(), mass=0.1, inertia=(1e-4,) * 3)
            m.start(name, q=(distance * k + (0.1 if k > 1 else 0.0), 0, 0, 1, 0, 0, 0), u=(0.1 * k, 0, 0, 0, 0, 0))
        m.mutual_contact("x", {name: mbs.Sphere(0.05) for name in "abcd"}, stiffness=1e4, near=near)
        with pytest.raises((mbs.ModelError, mbs.ArgumentError)) as caught:
            mbs.simulate(m, 0.01, method="rk4", step=step, output_interval=0.01)
        return str(caught.value)

    for distance, step, text in ((0.08, 1e-4, "inside of"), (0.099, 1e-2, "explode")):
        assert text in pair(True, distance, step)
        assert pair(True, distance, step) == pair(False, distance, step)


@pytest.mark.quick
@pytest.mark.parametrize("measure", [mbs.power, mbs.strength, mbs.penetration, mbs.contact_force, mbs.applied])
def test_measures_of_near_pairs_are_refused(measure: Callable[[str], Any]) -> None:
    """Near pairs have no measures, of single pairs or in total."""
    m = swarm(3)
    m.output("measure", measure("hit"))
    with pytest.raises(mbs.ModelError, match="have no measures"):
        compile_model(m)


@pytest.mark.quick
def test_functions_of_formulas_refuse_near_pairs() -> None:
    """Formulas cannot follow a list: they are refused with a remedy."""
    with pytest.raises(mbs.ModelError, match=r"list of near pairs.*: leave near= out.*or export an FMU"):
        mbs.export_modelica(swarm(3), "swarm.mo")
