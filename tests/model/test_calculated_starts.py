"""Start values that follow from parameters: runs equal those with the numbers, for all parameter values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.variables import variable_table
from mbs_fmu.run.simulate import compiled
from support.generators.mechanisms import Plain
from support.hosts.python_slaves import Slaves, reference, set_values, start
from support.models.calculated_starts import PARAMETERS, ROD, swing

pytestmark = pytest.mark.quick


def started(m: mbs.Model, parameters: dict[str, float] | None = None, calculated: bool = True) -> dict[str, float]:
    """Return all numbers of a start and the rates there."""
    plain = Plain(m)
    for name, value in (parameters or {}).items():
        plain.R[plain.program.by_name[name].slot] = value
    assert plain.real.initialise(plain.R) == 0
    plain.rates()
    plain.real.outputs(plain.R)
    assert bool(plain.program.calculated) == calculated
    return {v.name: float(plain.R[v.slot]) for v in plain.program.variables if v.role not in ("mode", "end")}


@pytest.mark.usual
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("parameters", [{}, {"angle": -0.7, "speed": 0.5}], ids=["defaults", "others"])
def test_a_calculated_start_equals_a_numeric_one(parameters: dict[str, float], loop: bool) -> None:
    """A start by expressions equals the start by their numbers: for default and other parameters, in a tree and before
    the assembly of a loop.
    """
    computed = started(swing(loop=loop), parameters)
    expected = started(swing({**PARAMETERS, **parameters}, loop), parameters, calculated=False)
    assert computed.keys() == expected.keys()
    for name, value in expected.items():
        assert abs(computed[name] - value) <= 1e-13 * max(1.0, abs(value)), name


def test_start_values_of_a_run_override_calculated_ones(in_plain_python: None) -> None:
    """Values in `start=` are used as they are, and the others follow from the parameters; the same holds for members of
    batches.
    """
    m = swing()
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.05}
    result = mbs.simulate(m, 0.05, parameters={"angle": 0.5}, start={"arm.w": 7.0}, **options)  # type: ignore[arg-type]
    first = {name: result[name][0] for name in ("arm.phi", "arm.w", "filter", "bob.u[3]")}
    assert first == {"arm.phi": 0.5, "arm.w": 7.0, "filter": 0.75, "bob.u[3]": 6.0}
    assert np.isclose(result["bob.q[3]"][0], np.sin(0.25))
    batch = mbs.Batch(parameters={"angle": np.array([0.1, 0.2])}, start={"filter": np.array([5.0, 6.0])}, threads=1)
    results = mbs.simulate(m, 0.05, batch=batch, **options)  # type: ignore[arg-type]
    assert [results[k]["arm.phi"][0] for k in range(2)] == [0.1, 0.2]
    assert [results[k]["filter"][0] for k in range(2)] == [5.0, 6.0]


@pytest.mark.usual
def test_linear_models_are_taken_at_the_calculated_start(in_plain_python: None) -> None:
    """The operating point follows from the parameters or is an argument, and small changes about it take effect."""
    m = swing()
    about = {p: mbs.linearize(m, parameters={"angle": p}).A for p in (0.3, 0.5)}
    matrices = {p: mbs.linearize(swing({**PARAMETERS, "angle": p})).A for p in (0.3, 0.5)}
    for p, A in about.items():
        assert np.allclose(A, matrices[p], rtol=0, atol=1e-12 * np.abs(A).max())
    same = mbs.linearize(m, start={"arm.phi": 0.5}).A
    assert not np.allclose(same, about[0.3])


@pytest.mark.usual
def test_fmus_calculate_dependent_start_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An FMU calculates these start values: they cannot be set, and follow the parameters until initialization ends.

    Value references stay the same.
    """
    rows, plain = (variable_table(compile_model(m)) for m in (swing(), swing(PARAMETERS)))
    assert [(row.name, row.reference) for row in rows] == [(row.name, row.reference) for row in plain]
    calculated = {"arm.phi", "arm.w", "bob.q[1]", "bob.q[3]", "bob.u[3]", "filter"}
    for row, other in zip(rows, plain, strict=True):
        if row.name in calculated:
            assert (row.initial, row.start, row.settable, row.solved) == ("calculated", None, "never", True)
        elif row.name in ("angle", "speed", "level"):
            assert row.variability == "fixed"
        else:
            assert row.initial == other.initial and row.settable == other.settable
    slave = Slaves(tmp_path, monkeypatch)(swing(), "rk4", step=0.01)
    start(slave, {"angle": 0.5})
    names = ["arm.phi", "filter", "arm.w"]
    assert np.allclose(slave.get_real([reference(slave, name) for name in names]), [0.5, 0.75, 1.0], rtol=1e-14)
    set_values(slave, {"arm.phi": 0.0})
    assert "it is computed" in "".join(str(entry.msg) for entry in slave.log_queue)
    assert slave.do_step(0.0, 0.02)


def test_sensitivities_include_the_start(in_plain_python: None) -> None:
    """Sensitivities agree with differences of runs, and are exact for the start itself."""
    m = swing()
    options: dict[str, Any] = {"method": "rk4", "step": 0.01, "output_interval": 0.05}
    result = mbs.simulate(m, 0.1, sensitivities=["angle"], **options)
    h = 1e-5
    runs = [mbs.simulate(m, 0.1, parameters={"angle": 0.3 + k * h}, **options) for k in (-1, 1)]
    k = result.columns.index("arm.phi")
    by_differences = (runs[1]["arm.phi"] - runs[0]["arm.phi"]) / (2 * h)
    computed = result.sensitivities["angle"][:, k]
    assert np.isclose(computed[0], 1.0, rtol=1e-10) and np.allclose(computed, by_differences, rtol=1e-7, atol=1e-7)
    with pytest.raises(mbs.ModelError, match=r"no sensitivity to 'arm.phi'"):
        mbs.simulate(m, 0.1, sensitivities=["arm.phi"], **options)


@pytest.mark.usual
def test_calculated_starts_survive_inclusion_copies_and_absolute_form(in_plain_python: None) -> None:
    """Calculated starts hold in included models, in copies, after another start is set, and in absolute form."""
    host = mbs.Model("host")
    host.include(swing(), "sub")
    computed, expected = started(host, {"sub.angle": 0.5}), started(swing(), {"angle": 0.5})
    assert all(computed[f"sub.{name}"] == value for name, value in expected.items() if "(" not in name)
    m = swing()
    version = m.version
    m.set_parameter("angle", 0.9)
    assert m.version == version and compile_model(m).by_name["arm.phi"].start == 0.9
    m.start("arm", u=5.0)
    assert list(m.start_laws) == ["arm.phi", "bob.q[1]", "bob.q[3]", "bob.u[3]", "filter"] and m.version > version
    m.start("arm", q=0.0)
    assert "arm.phi" not in m.start_laws and compiled(m).program.by_name["arm.phi"].start == 0.0
    options: dict[str, Any] = {"method": "rk4", "step": 0.01, "output_interval": 0.02, "parameters": {"angle": 0.5}}
    free = mbs.simulate(swing(), 0.02, formulation="absolute", **options)
    assert np.isclose(free["arm.phi"][0], 0.5) and np.isclose(free["bob.u[3]"][0], 6.0)


def test_invalid_calculated_starts_are_refused() -> None:
    m = swing()
    foreign = mbs.Model("foreign").parameter("c", 1.0)
    push = m.input("push")
    tries: list[tuple[str, Callable[[], object]]] = [
        ("start q of body 'arm' depends on time: it may depend on parameters", lambda: m.start("arm", q=mbs.time)),
        ("start q of body 'arm' depends on push: it may", lambda: m.start("arm", q=push)),
        ("start u of body 'arm' depends on c, which is not a parameter of model", lambda: m.start("arm", u=foreign)),
        ("start q of body 'arm' is nan at the defaults", lambda: m.start("arm", q=mbs.sqrt(-m.parameter("n", 1.0)))),
        ("start of state 'x' depends on time", lambda: m.state("x", 0.0, start=mbs.time)),
    ]
    for message, call in tries:
        with pytest.raises(mbs.ModelError, match=message):
            call()
    driven = mbs.Model("driven")
    driven.body("cart", joint=mbs.Cylindrical("x"), **ROD)
    driven.drive("rail", on="cart", coordinate=1, position=mbs.time)
    driven.start("cart", q=(driven.parameter("zero", 0.0), 0.1))
    with pytest.raises(mbs.ModelError, match=r"start value 'cart.q\[1\]' would be ignored, a drive gives it"):
        compile_model(driven)
