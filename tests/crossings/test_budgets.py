"""Calls that end inside of a run or fail: an interrupted run has the same bits, endless crossings are refused, and a
failed call leaves the record as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run import single
from mbs_fmu.run.batches import members as batches
from support.cases import tiers
from support.generators.eventful_models import stirred
from support.hosts.fmus import Host
from support.hosts.python_slaves import Slaves, everything, messages, start

H = 2.0**-5
WAYS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": H / 4},
    "abm6": {"method": "abm6", "step": H / 4},
    "dopri5": {"method": "dopri5"},
    "gauss4": {"method": "gauss4", "step": H / 4},
    "rodas5p": {"method": "rodas5p"},
    **{f"{name} with fixed steps": {"method": name, "step": H / 4} for name in METHODS if method(name).adaptive},
    **{name: {"method": name} for name in METHODS if method(name).adaptive and name not in ("dopri5", "rodas5p")},
    **{name: {"method": name, "step": H / 4} for name in ("gauss2", "gauss6")},
    "rk4 with events at steps": {"method": "rk4", "step": H / 4, "events": "steps"},
}
ways = pytest.mark.parametrize("way", tiers(WAYS, usual=1))


# -- interrupted runs ------------------------------------------------------------------------------------------------


def same(one: mbs.Result, other: mbs.Result, where: str) -> None:
    """Assert that two results have the same bits."""
    assert np.array_equal(one.data, other.data, equal_nan=True), f"{where}: rows"
    assert {name: times.tolist() for name, times in one.events.items()} == {
        name: times.tolist() for name, times in other.events.items()
    }, f"{where}: events"
    assert np.array_equal(one.switches, other.switches), f"{where}: switches"
    assert one.log.tolist() == other.log.tolist(), f"{where}: log"
    assert one.statistics == other.statistics, f"{where}: statistics"


@pytest.fixture
def sliced(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Function that gives the loops of all later runs this budget in each call."""

    def patch(budget: int) -> None:
        for module in (single, batches):
            monkeypatch.setattr(module, "FIRST_BUDGET", budget)
            monkeypatch.setattr(module, "next_budget", lambda _budget, _took: budget)

    return patch


@ways
def test_interrupted_runs_have_the_same_bits(sliced: Callable[[int], None], way: dict[str, Any]) -> None:
    """Random models with events of all kinds, whose runs are interrupted after each part, trial and round."""
    cases = []
    for seed in range(2):
        made = stirred(seed)
        drawn = made.draw(np.random.default_rng([46, seed]))
        cases.append((f"model {seed}", made.model, {"stop_time": 0.8, "output_interval": 0.085, **way, **drawn}))
    cases.append(("chain", chain(40), {"stop_time": 1.0, "output_interval": 0.3, **way}))
    whole = [mbs.simulate(model, **options) for _, model, options in cases]
    for budget in (1, 2, 7):
        sliced(budget)
        for (name, model, options), wanted in zip(cases, whole, strict=True):
            same(mbs.simulate(model, **options), wanted, f"{name}, budget {budget}")


def bouncing() -> mbs.Model:
    """Two balls over floors, one of which a sampled force and an input push: crossings without events, for batches."""
    m = mbs.Model("bouncing")
    for name, restitution in (("a", 0.8), ("b", 0.5)):
        ball = m.body(name, joint=mbs.Prismatic("z"), mass=1.0)
        m.contact(f"floor_{name}", "world", ball, mbs.OnPlane("z"), restitution=restitution)
        m.start(ball, q=0.3)
    m.motor("jet", on="a", force=m.input("push") + m.sampled("force", 0.03, -0.3 * mbs.rate("a")))
    return m


@ways
def test_interrupted_batches_have_the_same_bits(sliced: Callable[[int], None], way: dict[str, Any]) -> None:
    """Members of a batch with impacts, samples and jumps of an input."""
    steps = ([0.0, 0.21, 0.21, 1.0], [0.5, 0.5, -1.0, -1.0])
    options: dict[str, Any] = {"stop_time": 0.7, "output_interval": 0.085, "inputs": {"push": steps}, **way}
    options["batch"] = mbs.Batch(start={"a.s": np.linspace(0.2, 0.6, 5)}, lanes=1, threads=1)
    whole = mbs.simulate(bouncing(), **options)
    for budget in (1, 3):
        sliced(budget)
        other = mbs.simulate(bouncing(), **options)
        assert np.array_equal(other.data, whole.data, equal_nan=True), f"budget {budget}"
        assert np.array_equal(other.rows, whole.rows) and not other.faults


# -- chains of rounds and endless crossings --------------------------------------------------------------------------


def chain(number: int) -> mbs.Model:
    """x' = 1; at 0.5 s a reset sets k to 1, and two others then raise it in turn up to a number, a round for each."""
    m = mbs.Model("chain")
    x, k = m.state("x", 1.0), m.state("k", 0.0)
    last = m.parameter("last", float(number))
    odd = -mbs.cos(np.pi * k)  # 1 for odd k, -1 for even
    goes = mbs.where(k < 0.5, 0.0, mbs.where(k > last - 0.5, 0.0, 1.0))
    m.event("go", x - 0.5, direction=1, reset={"k": 1.0})
    m.event("odd", goes * (1.0 + odd) - 1.0, direction=1, reset={"k": k + 1.0})
    m.event("even", goes * (1.0 - odd) - 1.0, direction=1, reset={"k": k + 1.0})
    return m


def relay() -> mbs.Model:
    """x' = -s from 0.25 on; resets give s the sign of x: an endless change at 0.25 s."""
    m = mbs.Model("relay")
    s = m.state("s", 0.0, start=1.0)
    x = m.state("x", -s, start=0.25)
    m.event("down", x, direction=-1, reset={"s": -1.0})
    m.event("up", x, direction=1, reset={"s": 1.0})
    return m


def hopping() -> mbs.Model:
    """A ball that a reset throws back at 0.5, 1, 1.25, ... s: endless at 1.5 s."""
    m = mbs.Model("hopping", gravity=(0, 0, -8.0))
    body = m.body("body", joint=mbs.Prismatic("z"), mass=1.0)
    m.start(body, q=1.0)
    m.event("hit", mbs.coordinate(body), direction=-1, reset={"body.v": -0.5 * mbs.rate(body)})
    return m


def saw(rate: float) -> mbs.Model:
    """x' = rate, that a reset takes from 1 to 0."""
    m = mbs.Model("saw")
    x, n = m.state("x", m.parameter("rate", rate)), m.state("n", 0.0)
    m.event("tooth", x - 1.0, direction=1, reset={"x": 0.0, "n": n + 1.0})
    return m


#: Models, the events of which one is named, and the time of the failure, s.
ENDLESS: dict[str, tuple[Callable[[], mbs.Model], str, float]] = {
    "chain": (lambda: chain(10**6), "odd|even", 0.5), "relay": (relay, "down|up", 0.25),
    "hopping": (hopping, "hit", 1.5),
}  # fmt: skip


@ways
@pytest.mark.parametrize("number", tiers([199, 1, 2, 150], usual=1))
def test_chains_of_rounds_end(way: dict[str, Any], number: int) -> None:
    """Up to 199 rounds at one instant, each an entry of the log."""
    result = mbs.simulate(chain(10), 1.0, output_interval=0.3, parameters={"last": number}, **way)
    assert result["k"][-1] == number
    log = result.log[result.log["kind"] == "reset"]
    assert log["n"].tolist() == list(range(1, number + 1))
    assert log["name"].tolist() == ["go", *(("odd", "even")[k % 2] for k in range(number - 1))]
    assert len(set(log["time"])) == 1
    late = WAYS["rk4"]["step"] if "events" in way else 1e-12
    assert 0.5 - 1e-12 <= log["time"][0] <= 0.5 + late


@ways
def test_longer_chains_are_refused(way: dict[str, Any]) -> None:
    """201 rounds at one instant are no end; the rows before it are in the error's result."""
    with pytest.raises(mbs.SimulationError, match=r"'(odd|even)' acts without end at t = 0\.5") as caught:
        mbs.simulate(chain(201), 1.0, output_interval=0.3, **way)
    assert caught.value.result["k"].tolist() == [0.0, 0.0]


@ways
@pytest.mark.parametrize("name", ENDLESS)
def test_endless_crossings_are_refused(way: dict[str, Any], name: str) -> None:
    """The message names an event, the time and a remedy."""
    if "events" in way:
        pytest.skip("events at steps act once in each step")
    make, events, time = ENDLESS[name]
    with pytest.raises(mbs.SimulationError) as caught:
        mbs.simulate(make(), 2.0, output_interval=0.25, **way)
    number = r"([\d.e+-]+)"
    pattern = rf"'({events})' acts without end at t = {number} s: \w"
    found = re.search(pattern, str(caught.value))
    assert found, caught.value
    # gaps shrink to 1e-5 of the first, or a thousand parts of a step are shorter than 1e-6 of it
    assert float(found[2]) == pytest.approx(time, abs=1e-3)
    assert caught.value.result.time[-1] <= time


@ways
def test_many_events_in_a_step_are_no_endless_chain(way: dict[str, Any]) -> None:
    """2000 resets in two fixed steps of 1/32 s."""
    if "events" in way:
        pytest.skip("events at steps act once in each step")
    longer = {**way, **({"step": H} if "step" in way else {})}
    result = mbs.simulate(saw(32000.0), 2000.5 / 32000.0, output_interval=1.0, **longer)
    assert result["n"][-1] == len(result.events["tooth"]) == 2000
    # the sum of 2000 parts, each rounded by the time at most
    assert np.abs(result.events["tooth"] * 32000.0 - np.arange(1.0, 2001.0)).max() < 1e-6


# -- failed calls ----------------------------------------------------------------------------------------------------


def late() -> mbs.Model:
    """A law that has no number behind 0.4 s, and crossings of other kinds before."""
    m = chain(20)
    m.name = "late"
    b = m.body("b", joint=mbs.Prismatic("z"), mass=1.0)
    m.start(b, q=0.1)
    m.contact("floor", "world", b, mbs.OnPlane("z"), restitution=0.8)
    m.sampled("ticks", 0.07, lambda ticks: ticks + 1.0)
    m.state("huge", 1e300 * mbs.max(mbs.time - 0.4, 0.0) * 1e300)
    return m


FAILING = {"late": late, **{name: make for name, (make, _, _) in ENDLESS.items()}}


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("integration", tiers(("abm6", "dopri5", "gauss4", "rk4", "rodas5p"), usual=1))
def test_a_failed_call_leaves_the_record_as_it_was(
    integration: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step of a Python FMU over an endless instant; the record before the workspace and all later values."""
    slaves = Slaves(tmp_path, monkeypatch)
    settings: dict[str, Any] = {} if method(integration).adaptive else {"step": 1 / 64}
    one, other = (slaves(FAILING[name](), integration, **settings) for _ in range(2))
    (program,) = slaves.programs.values()
    for slave in (one, other):
        start(slave)
        assert slave.do_step(0.0, 0.1)  # a multistep method has a history then
    before = one._record.copy()
    for _ in range(2):
        assert not one.do_step(0.1, 1.9)
    found = one._record.copy()
    found[HeadNumbers.fresh] = before[HeadNumbers.fresh]  # outputs are computed again
    changed = [k for first, size in program.changing for k in range(first, first + size) if found[k] != before[k]]
    assert not [k for k in changed if not np.isnan(before[k])], f"numbers {changed}"
    expected = "no longer finite|step size became too small" if name == "late" else "acts without end"
    assert re.search(expected, messages(one))
    for time in (0.1, 0.15):
        assert one.do_step(time, 0.05) and other.do_step(time, 0.05)
        assert np.array_equal(everything(one), everything(other), equal_nan=True), f"values behind {time} s"


@pytest.mark.slow
@pytest.mark.parametrize("integration", ["abm6", "dopri5"])
def test_a_failed_call_of_a_native_fmu_has_no_effect(integration: str, tmp_path: Path) -> None:
    """Native FMUs: all values before and behind later steps."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path, step = tmp_path / "chain.fmu", {} if method(integration).adaptive else {"step": 1 / 64}
    mbs.export(
        chain(10**6), path, "native", stop_time=0.4, platforms="host", method=integration, reference=False, **step
    )
    with Host(path) as one, Host(path, name="other", beside=one) as two:
        for host in (one, two):
            host.start()
            host.step(0.3)
        for _ in range(2):
            with pytest.raises(FMICallException):
                one.step(0.4)
            assert np.array_equal(one.all(), two.all(), equal_nan=True)
        assert "acts without end" in one.messages
        for _ in range(2):
            one.step(0.05)
            two.step(0.05)
            assert np.array_equal(one.all(), two.all(), equal_nan=True), f"values at {one.time} s"


@pytest.mark.parametrize("integration", tiers(("rk4", "abm6", "dopri5", "gauss4", "rodas5p"), usual=1))
def test_a_step_that_takes_too_many_internal_steps_is_taken_back(
    integration: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds count as internal steps: a chain of 150 rounds exceeds 100 internal steps, and shorter steps go on.

    The bound is checked between internal steps, so there must be some behind the chain.
    """
    slaves = Slaves(tmp_path, monkeypatch)
    settings: dict[str, Any] = {} if method(integration).adaptive else {"step": 1 / 64}
    m = chain(150)
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)  # it needs several steps behind the chain
    m.spring("spring", on=mass, stiffness=400.0)
    m.start(mass, q=1.0)
    slave = slaves(m, integration, max_internal_steps=100, **settings)
    start(slave)
    assert slave.do_step(0.0, 0.45)
    before = everything(slave)
    assert not slave.do_step(0.45, 0.1) and "internal steps" in messages(slave)
    assert np.array_equal(everything(slave), before, equal_nan=True)
    assert slave.do_step(0.45, 0.04)
