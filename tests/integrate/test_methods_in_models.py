"""Methods in closed loops, with drives and in both kinds of FMU."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, STANDARD, method
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.hosts.fmus import Host, assert_discards
from support.models.fmu_models import INPUTS, MODELS
from support.models.small_models import hard


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_methods_run_closed_loops(name: str) -> None:
    """A four-bar with every method and fixed steps: the same motion, within each method's error, and closed."""
    m = MODELS["four_bar"]()
    fine = mbs.simulate(m, 0.5, rtol=1e-11, output_interval=0.05)
    r = mbs.simulate(m, 0.5, method=name, step=5e-4, output_interval=0.05)
    names = [c for c in r.columns if c.endswith((".phi", ".w"))]
    assert len(names) > 1
    off = max(float(np.max(np.abs(r[c] - fine[c]))) for c in names)
    assert off <= (1e-4 if method(name).order == 2 else 2e-7)
    assert r.statistics["residual"] <= 1e-10  # a hundredth of the absolute tolerance


@pytest.mark.parametrize("name", tiers(["abm6", "gauss4", "rodas5p"], usual=1))
def test_forces_of_drives(name: str) -> None:
    """A cart on a prescribed path under a rod: means over the last step are those of rk4, motions agree."""
    m = Model("crane")
    cart = m.body("cart", "world", mbs.Prismatic("x"), mass=5.0)
    m.drive("winch", on=cart, position=0.3 * mbs.sin(2 * mbs.time))
    rod = m.body("rod", cart, mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.start(rod, q=(0.3, 0.2))
    m.output("mean", mbs.drive_force("winch", mean=True))
    m.output("now", mbs.drive_force("winch"))
    options = {"step": 0.005, "output_interval": 0.1}
    r, other = (mbs.simulate(m, 2.0, method=n, **options) for n in (name, "rk4"))
    for column in ("mean", "now", "rod.q[1]", "rod.q[2]"):
        assert_close(r[column], other[column], 1e-6, column, times=r.time)


@pytest.mark.parametrize("name", tiers(["abm6", "gauss4", "rodas5p"], usual=1))
def test_locked_angles_end_a_run(name: str) -> None:
    """Methods that evaluate only inside their steps check for gimbal lock too."""
    m = Model("swing")
    body = m.body("top", "world", mbs.Spherical("ship"), mass=1.0, com=(0.0, 0, -0.2), inertia=(0.3, 0.2, 0.1))
    m.start(body, u=(0.0, 6.0, 0.0))
    with pytest.raises(mbs.SimulationError, match="lock") as caught:
        mbs.simulate(m, 5.0, method=name, step=0.001)
    result = caught.value.result
    assert isinstance(result, mbs.Result) and result.time[-1] > 0.1


@pytest.mark.slow
def test_multistep_rebases_rarely() -> None:
    """abm6 re-bases impulses only where they have grown, not at each step: its history survives in between."""
    m = MODELS["four_bar"]()
    r = mbs.simulate(m, 5.0, method="abm6", step=1e-3, output_interval=0.5)
    fine = mbs.simulate(m, 5.0, rtol=1e-11, output_interval=0.5)
    for column in (c for c in r.columns if c.endswith(".phi")):
        assert_close(r[column], fine[column], 1e-6, column, times=r.time)
    assert r.statistics["rebasings"] < 0.02 * r.statistics["steps"]
    assert r.statistics["evaluations"] < 2.5 * r.statistics["steps"]


@pytest.mark.parametrize("kind", ["python", pytest.param("native", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    tiers(sorted((n for n in METHODS if n not in STANDARD), key=lambda name: name != "gauss4"), usual=1),
)
def test_fmus_run_the_method_and_restore_its_state(name: str, kind: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """An FMU makes the steps of simulate; a state restored in the middle has the same future, bit for bit."""
    options = {"method": name, "step": 0.004}
    platforms = "host" if kind == "native" else "all"
    path = mbs.export(
        MODELS["gyro"](), tmp_path / "gyro.fmu", kind, stop_time=0.2, communication_step=0.01, platforms=platforms,
        **options,
    )  # fmt: skip
    r = mbs.simulate(MODELS["gyro"](), 0.3, inputs=INPUTS["gyro"], output_interval=0.01, **options)
    with Host(path) as host:
        host.start(INPUTS["gyro"])
        first = host.run(15)
        saved = host.slave.getFMUState()
        one = host.run(15)
        host.slave.setFMUState(saved)
        host.time = 0.15
        assert np.array_equal(host.run(15), one)
        host.slave.setFMUState(saved)
        host.time = 0.15
        host.set({"push": 1.0})
        other = host.run(15)
        host.slave.setFMUState(saved)
        host.time = 0.15
        host.set({"push": 1.0})
        assert np.array_equal(host.run(15), other) and not np.array_equal(one, other)
        order = list(host.references)
    for column in r.columns:
        if column in order:
            got = np.concatenate([first, one])[:, order.index(column)]
            assert_close(got, r[column][1:], 1e-12 * (1 + np.max(np.abs(r[column]))), column, times=r.time[1:])


@pytest.mark.parametrize("kind", ["python", pytest.param("native", marks=pytest.mark.slow)])
def test_fmus_name_stages_that_do_not_converge(kind: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A step that is too long is discarded with the reason; a shorter one succeeds."""
    options = {"stop_time": 1e-4, "communication_step": 1e-5, "platforms": "host" if kind == "native" else "all"}
    path = mbs.export(hard(), tmp_path / "hard.fmu", kind, method="gauss4", step=0.01, **options)
    with Host(path) as host:
        host.start()
        assert_discards(host, 0.01)
        assert "do not converge" in host.messages and "body 'weight'" in host.messages
        host.run(3, 1e-5)
        assert host.get("weight.s")[0] == pytest.approx(0.1 * np.cos(1e4 * 3e-5), abs=1e-5)


@pytest.mark.parametrize("name", ["abm6", "gauss4"])
def test_a_failed_step_leaves_no_history(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """After a discarded step the method restarts, since its history is not that of the state."""
    path = mbs.export(MODELS["gyro"](), tmp_path / "gyro.fmu", method=name, step=0.002, stop_time=0.1)
    r = mbs.simulate(MODELS["gyro"](), 0.1, inputs=INPUTS["gyro"], rtol=1e-12, output_interval=0.01)
    with Host(path) as host:
        host.start(INPUTS["gyro"])
        host.run(3)
        for bad in (np.nan, 1e200):
            host.set({"push": bad})
            assert_discards(host)
            host.set(INPUTS["gyro"])
            assert host.time == pytest.approx(0.03)
        after = host.run(7)
        order = list(host.references)
    for column in (c for c in r.columns if c in order):
        assert_close(after[:, order.index(column)], r[column][4:], 1e-7, column, times=r.time[4:])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["abm6", "gauss4"])
def test_changed_inputs_restart_the_history(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The step after an input change is that of an instance without history."""
    path = mbs.export(MODELS["gyro"](), tmp_path / "gyro.fmu", method=name, step=0.002, stop_time=0.1)
    with Host(path) as host:
        host.start(INPUTS["gyro"])
        host.run(3)
        state = dict(zip(host.references, host.all(), strict=True))
        host.set({"push": 2.0})
        after = host.run(2)
    m = MODELS["gyro"]()
    r = mbs.simulate(m, 0.05, inputs={"push": ([0.0, 0.03, 0.03 + 1e-12, 1.0], [0.3, 0.3, 2.0, 2.0])}, rtol=1e-12,
                     output_interval=0.01)  # fmt: skip
    assert state["time"] == pytest.approx(0.03)
    names = [c for c in r.columns if c in state and c != "time"]
    for k, row in enumerate(after):
        now = dict(zip(host.references, row, strict=True))
        expected = [r[c][4 + k] for c in names]
        assert_close([now[c] for c in names], expected, 1e-7, f"value at {r.time[4 + k]:g} s", names)
