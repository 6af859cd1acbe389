"""A failed step of an FMU has no effect: outputs, states and all later steps are those of an instance without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from mbs_fmu.fmi.python_slave import ModelSlave
from support.cases import tiers
from support.generators.pushed_models import KINDS, pushed
from support.hosts.fmus import Host
from support.hosts.python_slaves import Slaves, set_values, start

pytestmark = pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero):RuntimeWarning")

METHODS: dict[str, dict[str, float]] = {
    "rk4": {"step": 1e-3}, "abm6": {"step": 1e-3}, "gauss4": {"step": 1e-3}, "dopri5": {"rtol": 1e-5, "atol": 1e-7},
}  # fmt: skip
SIZE, LAST = 1e-3, 0.03  #: communication step, s; time after which the model has no derivatives, s
#: Random models and their methods; bent loops take long in plain Python.
CASES = [
    f"{kind} 0 {method}" for method in ("abm6", "gauss4", "dopri5", "rk4") for kind in KINDS if kind != "bent loops"
]


def ending(kind: str, seed: int) -> tuple[mbs.Model, dict[str, float]]:
    """A random model with contacts, modes, samples or loops that cannot be computed after the time `LAST`."""
    m, numbers = pushed(kind, seed)
    m.state("late", 1e300 * mbs.max(mbs.time - LAST, 0.0) * 1e300)
    m.output("energy", mbs.energy())
    return m, numbers


class Twin:
    """An instance of an FMU, by its three calls: set inputs, read all values, step from a time; False if discarded."""

    def __init__(self, put: Callable[..., None], read: Callable[[], list[float]], step: Callable[..., bool]):
        self.put, self.read, self.step = put, read, step


def compare(one: Twin, two: Twin) -> None:
    """Make steps with both, and impossible ones with the first; all values are the same, bit for bit."""
    for k in range(20):
        for twin in (one, two):
            twin.put({"push": 0.1 * (k // 10)})
        if k % 10 in (0, 7, 8, 9):  # multistep methods have a history then
            assert not one.step(k * SIZE, 1.5 * LAST)
        if k % 10 == 8:
            assert_same(one, two)
            assert not one.step(k * SIZE, 1.5 * LAST)
        assert one.step(k * SIZE, SIZE) and two.step(k * SIZE, SIZE)
        if k % 3 == 0:
            assert_same(one, two)
    assert_same(one, two)


def assert_same(one: Twin, two: Twin) -> None:
    first, second = np.array(one.read()), np.array(two.read())
    assert np.array_equal(first, second, equal_nan=True), np.flatnonzero(first != second)


def values(slave: ModelSlave) -> list[float]:
    """All values but the distances from mode ends, which no Python FMU shows."""
    return list(slave.get_real([row.reference for row in slave._table if row.role != "end"]))


def made(case: str) -> tuple[mbs.Model, dict[str, float], str]:
    """A model, values of its parameters and start values, and a method."""
    kind, seed, method = case.rsplit(" ", 2)
    return *ending(kind, int(seed)), method


@pytest.mark.parametrize("case", tiers(CASES, 1))
def test_a_failed_step_has_no_effect(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python FMUs with steps that are too long, before and after values are read and an input changes."""
    model, numbers, method = made(case)
    slaves = Slaves(tmp_path, monkeypatch)
    twins = []
    for _ in range(2):
        slave = slaves(model, method, **METHODS[method])
        start(slave, numbers)
        twins.append(Twin(partial(set_values, slave), partial(values, slave), slave.do_step))
    compare(*twins)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["tree 1 abm6", "eventful 1 dopri5", "loops 1 gauss4", "bent loops 0 rk4"])
def test_a_failed_step_of_a_native_fmu_has_no_effect(case: str, tmp_path: Path) -> None:
    """Native FMUs: the same."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    model, numbers, method = made(case)
    path = tmp_path / "model.fmu"
    mbs.export(
        model, path, "native", stop_time=LAST, platforms="host", method=method, reference=False,
        **METHODS[method],
    )  # fmt: skip

    def step(host: Host, time: float, size: float) -> bool:
        try:
            host.slave.doStep(time, size)
        except FMICallException:
            return False
        return True

    with Host(path) as one, Host(path, name="other", beside=one) as two:
        for host in (one, two):
            host.start(numbers)
        compare(*(Twin(host.set, lambda host=host: list(host.all()), partial(step, host)) for host in (one, two)))
