"""Batches in lanes equal batches without lanes in every bit, of all models and all members.

Members take other branches than most of their group when they stick, land, project or fail. Their rows, faults and
statistics are then those of their own runs, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.batches.lanes import LaneGroup
from mbs_fmu.run.errors import Interrupted
from support.batches import assert_equal_batches, assert_same_in_lanes, let_lanes_leave
from support.cases import tiers
from support.generators.mechanisms_in_steps import KINDS, Mechanism, linkage, mechanisms
from support.generators.varied_members import varied
from support.models.bundled import built, by_cost
from support.models.linkages import quadrilateral

pytestmark = pytest.mark.filterwarnings("ignore:.* inside of .*:UserWarning")  # starts are random

LANES = (8, 4, 16, 2)
METHODS = ("rk4", "tsit5", "rk4", "dopri5", "dop853")
VOTING = [kind for kind in KINDS if kind not in ("legged robot", "bodies in contact")]  #: with branches in each step
ROW = 7  #: steps between two rows


def options(step: float, method: str = "rk4") -> dict[str, Any]:
    return {"method": method, "step": step, "output_interval": ROW * step}


def assert_same(mechanism: Mechanism, size: int) -> mbs.BatchResult:
    """Check members of a random mechanism that differ in all numbers; return the batch in lanes."""
    kind, number, model = KINDS[mechanism.kind], mechanism.number, mechanism.model()
    stop = kind.count * kind.step
    members = varied(model, size, number, stop) | {"size": size}
    lanes, method = LANES[number % len(LANES)], METHODS[number % len(METHODS)]
    _, wide = assert_same_in_lanes(model, stop, members, [lanes], **options(kind.step, method))
    return wide


@pytest.mark.parametrize("mechanism", tiers(mechanisms(9), usual=2))
def test_random_mechanisms(mechanism: Mechanism) -> None:
    """Groups of all sizes, in all numbers of lanes, with members that differ in all numbers."""
    assert_same(mechanism, 2 + (7 * mechanism.number + 13) % 16)


@pytest.mark.parametrize("mechanism", tiers(mechanisms(4, VOTING), usual=1))
def test_lanes_that_leave_at_random(mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane that leaves anywhere in a step is restored, and repeats its steps with the same bits."""
    let_lanes_leave(monkeypatch)
    assert assert_same(mechanism, 11).statistics["repeated"].sum() > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", range(1, 18))
def test_all_sizes(size: int) -> None:
    """The last group has fewer members than lanes; single members run without lanes."""
    model, kind = linkage(2), KINDS["linkage with friction"]
    stop = 30 * kind.step
    members = varied(model, size, size, stop)
    lanes = [] if size == 1 else LANES
    (_, *wide) = assert_same_in_lanes(model, stop, members, lanes, **options(kind.step))
    assert all(np.any(x.statistics["repeated"]) for x in wide)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["equal members", "different members", "lanes that leave"])
@pytest.mark.parametrize("name", by_cost())
def test_bundled_models(name: str, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members are equal, or differ in all numbers, and lanes may leave at random."""
    if case == "lanes that leave":
        let_lanes_leave(monkeypatch)
    model, step = built(name), 5e-4
    model.events.clear()
    stop, size = 80 * step, 11
    members = varied(model, size, 1, stop, 0.0 if case == "equal members" else 0.2) | {"size": size}
    assert_same_in_lanes(model, stop, members, [8], **options(step))


@pytest.mark.slow
@pytest.mark.parametrize("lanes", LANES)
def test_a_parallelogram_through_its_folded_position(lanes: int) -> None:
    """Members pass it at different times, and have one more degree of freedom there."""
    model, size = quadrilateral(1, 2, 1, 2, 0.3, -2.0), 13
    members = {"start": {"crank.w": -np.linspace(1.0, 4.0, size)}}
    one, _ = assert_same_in_lanes(model, 1.0, members, [lanes], **options(5e-3))
    assert np.all(one["crank.phi"][:, -1] < 0.0)


# -- members that end early -------------------------------------------------------------------------------------


def with_growth() -> mbs.Model:
    """A linkage with friction beside a state that grows without bound, z = 1 / (1 / z0 - t)."""
    model = linkage(2)
    model.state("z", rate=lambda z: z * z)
    return model


STEP, STOP = 5e-3, 0.25


def growing(size: int, ends: dict[int, float]) -> dict[str, Any]:
    """Return numbers of members, of which some end early, at given times, s."""
    numbers = varied(with_growth(), size, 5, STOP)
    z = np.full(size, 0.1)
    for member, end in ends.items():
        z[member] = 1.0 / end
    return numbers | {"start": {**numbers["start"], "z": z}}


@pytest.mark.parametrize(
    "ends",
    tiers(
        {
            "some": {1: 0.07, 2: 0.02, 7: 0.2, 9: 0.07},
            "all of a group": {k: 0.03 + 0.02 * (k % 5) for k in range(8)},
            "all at once": dict.fromkeys(range(11), 0.1),
            "all but one": {k: 0.05 * (1 + k % 4) for k in range(10)},
        },
        usual=1,
    ),
)
def test_members_that_fail(ends: dict[int, float]) -> None:
    """They end with the same rows, messages and statistics; the others go on."""
    one, _ = assert_same_in_lanes(with_growth(), STOP, growing(11, ends), [8], **options(STEP))
    assert sorted(one.faults) == sorted(ends) and len(set(one.rows)) > (ends.keys() != set(range(11)))


@pytest.mark.slow
@pytest.mark.parametrize("lanes", LANES)
def test_members_that_cannot_start(lanes: int) -> None:
    """They have no rows; the others share lanes as if these were not there."""
    kind = KINDS["switching"]
    model, stop = kind.make(0), 40 * kind.step
    one, _ = assert_same_in_lanes(model, stop, varied(model, 17, 3, stop), [lanes], **options(kind.step))
    assert np.any(one.rows == 0) and np.any(one.rows > 0)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 5, 40])
def test_slices(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of the run, between which Ctrl-C takes effect, change no bit."""
    members = growing(11, {1: 0.07, 3: 0.2})
    whole = mbs.simulate(with_growth(), STOP, batch=mbs.Batch(**members, lanes=8), **options(STEP))
    monkeypatch.setattr("mbs_fmu.run.batches.members.FIRST_BUDGET", budget)
    monkeypatch.setattr("mbs_fmu.run.batches.members.next_budget", lambda budget, took: budget)
    sliced = mbs.simulate(with_growth(), STOP, batch=mbs.Batch(**members, lanes=8), **options(STEP))
    assert_equal_batches(sliced, whole)


@pytest.mark.slow
def test_interrupted_batches_keep_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows before Ctrl-C have the bits of a whole run, also of members whose lanes have left."""
    members, size = varied(linkage(2), 11, 5, STOP), 11
    whole = mbs.simulate(linkage(2), STOP, batch=mbs.Batch(**members, lanes=4, threads=1), **options(STEP))
    calls = 0

    def interrupt(advance: Callable[[LaneGroup, int], int]) -> Callable[[LaneGroup, int], int]:
        def wrapped(group: LaneGroup, row: int) -> int:
            nonlocal calls
            calls += 1
            if calls == 12:
                raise KeyboardInterrupt
            return advance(group, row)

        return wrapped

    monkeypatch.setattr(LaneGroup, "advance", interrupt(LaneGroup.advance))
    with pytest.raises(Interrupted) as error:
        mbs.simulate(linkage(2), STOP, batch=mbs.Batch(**members, lanes=4, threads=1), **options(STEP))
    result = error.value.result
    assert isinstance(result, mbs.BatchResult) and 0 < result.rows.sum() < whole.rows.sum()
    for member in range(size):
        rows = result.rows[member]
        assert np.array_equal(result.data[member, :rows].view(np.int64), whole.data[member, :rows].view(np.int64))
        assert np.all(np.isnan(result.data[member, rows:]))
