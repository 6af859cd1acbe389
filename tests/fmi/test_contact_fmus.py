"""FMUs and batches of models with compliant contacts and tyres: the bits of `simulate`, also from a saved state."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.generators.contacts import cloud, dragged, gathering, heap, pile, rubble
from support.generators.near_pairs import swarm
from support.hosts.fmus import Host
from support.hosts.python_slaves import Slaves, everything, start
from support.models.cams import sticking_rocker
from support.models.curved_roads import in_bend

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = [pytest.param("python", marks=pytest.mark.slow), pytest.param("native", marks=[native, pytest.mark.slow])]
MODELS = [heap, swarm, dragged, cloud, sticking_rocker, in_bend]
IN_LANES = [heap, dragged, cloud, pile, rubble, gathering]
COMPILED = [*IN_LANES, swarm, sticking_rocker, in_bend]
TICK = 1 / 128  #: a communication step whose multiples are exact
STEP = TICK / 16  #: s, short enough for the contact of a pill and a tetrahedron, which settles fastest


@pytest.mark.parametrize("model", COMPILED)
@pytest.mark.parametrize("kind", KINDS)
def test_contact_fmus_have_the_bits_of_simulate(kind: str, model: Callable[[], mbs.Model], tmp_path: Path) -> None:
    """All states and outputs at every communication point, from flight over slipping to sticking."""
    m = model()
    path = mbs.export(
        m, tmp_path / "dragged.fmu", kind, method="rk4", step=STEP, stop_time=1.0, communication_step=TICK,
        platforms="host" if kind == "native" else "all",
    )  # fmt: skip
    result = mbs.simulate(m, 1.0, method="rk4", step=STEP, output_interval=TICK)
    names = [name for name in result.columns if name != "time"]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result["time"])):
            host.step(TICK)
            values = host.slave.getReal([host.references[name] for name in names])
            assert np.array_equal(values, [result[name][row] for name in names]), result["time"][row]


@pytest.mark.parametrize("model", tiers({model.__name__: model for model in MODELS}, usual=2))
def test_saved_states_in_the_midst_of_sticking(
    model: Callable[[], mbs.Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state that is saved while bristles are deflected gives the same bits when restored, in another instance too."""
    slaves = Slaves(tmp_path, monkeypatch)
    one, other = (slaves(model(), "rk4", step=STEP) for _ in range(2))
    for slave in (one, other):
        start(slave)
    for k in range(10):
        assert one.do_step(k * TICK, TICK)
    state = one._fmu_state_to_bytes(one._get_fmu_state())
    for k in range(10, 13):
        assert one.do_step(k * TICK, TICK)
    expected = everything(one)
    for slave in (one, other):
        slave._set_fmu_state(slave._fmu_state_from_bytes(state))
        for k in range(10, 13):
            assert slave.do_step(k * TICK, TICK)
        assert everything(slave) == expected


@pytest.mark.slow
@pytest.mark.parametrize("model", IN_LANES)
def test_lanes_have_the_bits_of_single_runs(model: Callable[[], mbs.Model], caplog: pytest.LogCaptureFixture) -> None:
    """Members of a batch touch, slip and stick at different times, in lanes, with the bits of their own runs."""
    m = model()
    settings = {"method": "rk4", "step": STEP, "output_interval": 0.05}
    frictions = [0.05, 0.2, 0.4, 0.8, 1.2]
    with caplog.at_level(logging.INFO, "mbs_fmu"):
        batch = mbs.simulate(m, 0.5, batch=mbs.Batch(parameters={"mu": frictions}), **settings)
    assert "member by member" not in caplog.text
    for k, friction in enumerate(frictions):
        single = mbs.simulate(m, 0.5, parameters={"mu": friction}, **settings)
        for name in single.columns:
            assert np.array_equal(batch[k][name], single[name]), (friction, name)
