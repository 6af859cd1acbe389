"""A quick selection of native FMUs: a tree by FMI 2.0 and a closed loop by FMI 3.0, for this platform."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.fmi.native import build
from support.hosts.call_walks import Walk
from support.hosts.fmus import Builder, Host
from support.hosts.native_instances import TICK, guest
from support.hosts.plain_importer import Binary
from support.models.fmu_models import INPUTS, METHODS, MODELS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")


def test_a_tree_has_the_bits_of_simulate(fmu: Builder) -> None:
    """Every result column after fixed steps, also from a restored state, bit for bit; the description is valid."""
    inputs, path = INPUTS["governor"], fmu("governor", kind="native")
    assert validate_fmu(str(path)) == []
    result = mbs.simulate(MODELS["governor"](), 20 * TICK, inputs=inputs, output_interval=TICK, **METHODS["rk4"])
    with Host(path) as host:
        host.start(inputs).run(10, TICK)
        state = host.slave.getFMUstate()
        rows = host.run(10, TICK)
        host.restore(state)
        assert np.array_equal(host.run(10, TICK), rows)
        names = list(host.references)
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name][11:]), name
        host.slave.freeFMUstate(state)


def test_every_variable_can_be_read_in_every_phase(fmu: Builder) -> None:
    """Variables have the numbers of a run's first row before and while the FMU starts, those of its other rows at
    communication points, the last ones after the end, and the first ones again after a reset.
    """
    inputs, path = INPUTS["governor"], fmu("governor", kind="native")
    result = mbs.simulate(MODELS["governor"](), 2 * TICK, inputs=inputs, output_interval=TICK, **METHODS["rk4"])
    with Host(path) as host:
        names = list(host.references)
        columns = [name for name in result.columns if name in names]
        places = [names.index(name) for name in columns]
        rows = result.data[:, [result.columns.index(name) for name in columns]]

        def assert_row(row: int, phase: str) -> None:
            values = host.all()
            assert np.array_equal(values[places], rows[row]), (
                f"{phase}: {columns} are {values[places]}, not {rows[row]}"
            )
            assert np.all(np.isfinite(values)), phase

        for attempt in ("first", "after a reset"):
            host.slave.setupExperiment(startTime=0.0)
            host.set(inputs)
            assert_row(0, f"{attempt}: before the start")
            host.slave.enterInitializationMode()
            assert_row(0, f"{attempt}: in initialization mode")
            host.slave.exitInitializationMode()
            host.time = 0.0
            assert_row(0, f"{attempt}: at the start")
            for row in (1, 2):
                host.step(TICK)
                assert_row(row, f"{attempt}: after step {row}")
            host.slave.terminate()
            assert_row(2, f"{attempt}: after the end")
            host.slave.reset()
        host.set(inputs)
        assert_row(0, "after the last reset")
        for name, number in zip(names, host.all(), strict=True):  # the first one that is read starts the model
            host.slave.reset()
            host.set(inputs)
            assert host.get(name) == [number], name


@pytest.mark.slow
def test_a_closed_loop_has_the_bits_of_simulate(fmu: Builder) -> None:
    """Every result column of a four-bar in co-simulation, bit for bit."""
    path = fmu("four_bar", kind="native", fmi="3.0")
    assert validate_fmu(str(path)) == []
    result = mbs.simulate(MODELS["four_bar"](), 10 * TICK, output_interval=TICK, **METHODS["rk4"])
    with guest(path) as host:
        host.start()
        for k in range(1, 11):
            host.step()
            for name in host.references:
                if name in result:
                    assert np.array_equal(host.get(name), np.atleast_1d(result[name][k])), name


#: Characters of the program's text, and processor time in s of the first export of an FMI 2.0 FMU for this platform,
#: which builds the C library too, and of the first one with the library cached.
MEASURED = {"governor": (94929, 1.51, 1.11), "excavator": (681726, 6.51, 5.7)}


@pytest.mark.quick
@pytest.mark.parametrize("model", MEASURED)
def test_expected_times_are_those_of_exports(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The predicted times of exports are within 30 % of measured ones."""
    size, first, again = MEASURED[model]
    expected: list[float] = []
    monkeypatch.setattr(build, "expect", lambda sort, seconds, ahead=False: expected.append(seconds))
    build._expect(size, objects=4)
    whole = sum(expected) + build.LINK
    assert whole == pytest.approx(again, rel=0.3) and whole + build.LIBRARY == pytest.approx(first, rel=0.3)


@pytest.mark.parametrize(("model", "fmi"), [("governor", "2.0"), ("four_bar", "3.0")])
@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "cosimulation"])
def test_calls_in_the_standards_orders_and_in_others(
    fmu: Builder, tmp_path: Path, model: str, fmi: str, exchange: bool
) -> None:
    """FMI's allowed calls are never refused; other calls are refused, or tolerated, and change nothing."""
    binary = Binary(fmu(model, kind="native", fmi=fmi), tmp_path)
    marks = sum((Walk(binary, exchange, seed).walk(150) for seed in range(3)), Counter[str]())
    assert marks["x"] > 100 and marks["."] > 50
