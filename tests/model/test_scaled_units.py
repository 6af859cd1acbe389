"""Signals in units such as "mm": users see their values in these units, while formulas are in SI units."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fmpy import read_model_description

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.description import checked_description
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.run.step_control import StepControl
from mbs_fmu.symbolic.units import BASES, EVERY, SCALED, Unit, rate_unit, scale, unit_of
from support.cases import tiers
from support.hosts.python_slaves import Slaves, reference, start

#: Relative difference of both models: roundings of conversions, a few in each of 100 steps of a stable system.
SAME = 1e-12
SIGNALS = ("push", "z", "late", "held[1]", "held[2]", "seen", "pair[1]", "pair[2]", "one.y", "one.x", "two.y")


def coherent(unit: str) -> str:
    """Return the SI unit of the same kind."""
    return next(name for name, candidate in EVERY.items() if candidate == Unit(*EVERY[unit].exponents))


def plant(unit: str | None, convert: Callable[[float], float] = float) -> mbs.Model:
    """Return a slide with signals of all kinds in one unit; `convert` turns a number in SI units into one in this unit.

    Units are not checked against each other, so that every unit may stand everywhere.
    """
    lag = mbs.Model("lag")
    u = lag.input("u", unit=unit)
    x = lag.state("x", lambda x: mbs.signal("u") - x, start=convert(0.05), unit=unit)
    lag.output("y", u + 0.5 * x, unit=unit)
    m = mbs.Model("plant")
    block = m.body("block", joint=mbs.Prismatic("x"), mass=2.0)
    stiff = m.parameter("stiff", convert(30.0), unit=unit, min=convert(1.0), max=convert(100.0))
    push = m.input("push", unit=unit, start=convert(2.0), nominal=convert(3.0))
    z = m.state("z", lambda z: mbs.coordinate(block) - 0.1 * z, start=convert(0.3), unit=unit)
    m.state("late", mbs.signal("push") - mbs.signal("late") + mbs.signal("seen"), start=0.01 * stiff, unit=unit)
    held = m.sampled(
        "held", 0.1, lambda h: [0.5 * h[1] + z, push], start=[convert(0.1), convert(0.2)], unit=unit, offset=0.05
    )
    m.spring("spring", on=block, stiffness=stiff, damping=1.0)
    m.motor("drive", on=block, force=push + held[0])
    m.output("seen", mbs.coordinate(block) + held[1], unit=unit, min=convert(-9.0))
    m.output("pair", [z, mbs.signal("late")], unit=unit)
    m.output("si", z + mbs.signal("one.y") + mbs.signal("stiff"))
    m.event("up", z - 0.2, direction=-1, reset={"z": z + 0.2, "late": 0.2, "held[1]": mbs.signal("seen")})
    m.include(lag, "one", inputs={"u": z})
    m.include(lag, "two", inputs={"u": convert(0.7)})
    m.start(block, u=-1.0)
    return m


def in_units(unit: str) -> Callable[[float], float]:
    return lambda number: number / scale(unit)


def run(m: mbs.Model, convert: Callable[[float], float] = float) -> mbs.Result:
    return mbs.simulate(
        m, 1.0, parameters={"stiff": convert(25.0)}, start={"one.x": convert(0.1)}, method="rk4", step=0.01,
        inputs={"push": lambda t: convert(1.0) * mbs.sin(3.0 * t)}, output_interval=0.1,
    )  # fmt: skip


@pytest.mark.parametrize("unit", tiers(list(SCALED), usual=3, quick=3))
@pytest.mark.usefixtures("in_plain_python")
def test_runs_equal_those_in_si_units(unit: str) -> None:
    """Values of parameters, inputs, states, samples, outputs, resets and included models are those in SI units over the
    factor of the unit; quantities without a unit are unchanged.
    """
    convert, factor = in_units(unit), scale(unit)
    one, other = run(plant(None)), run(plant(unit, convert), convert)
    assert len(one.events["up"])
    assert np.allclose(one.events["up"], other.events["up"], rtol=SAME, atol=SAME)
    for name in ("block.s", "block.v", "si"):
        assert np.allclose(one[name], other[name], rtol=SAME, atol=SAME), name
    for name in SIGNALS:
        assert np.allclose(one[name], other[name] * factor, rtol=SAME, atol=SAME), name
        assert other.unit(name) == unit
    assert other.parameters["stiff"] * factor == pytest.approx(25.0, rel=SAME)


@pytest.mark.parametrize("unit", tiers(["mm", "rpm", "kN"], usual=1, quick=1))
@pytest.mark.usefixtures("in_plain_python")
def test_linear_models_are_in_the_units_of_their_signals(unit: str) -> None:
    """Rows and columns of A (states), B (inputs), C and D (outputs) scale with the units' factors."""
    convert, factor = in_units(unit), scale(unit)
    one = mbs.linearize(plant(None), inputs={"push": 2.0})
    other = mbs.linearize(plant(unit, convert), inputs={"push": convert(2.0)})

    def scales(names: list[str]) -> np.ndarray:
        return np.array([factor if name in (*SIGNALS, "two.x") else 1.0 for name in names])

    states, inputs, outputs = (scales(getattr(one, each)) for each in ("states", "inputs", "outputs"))
    for matrix, rows, columns in (
        ("A", states, states),
        ("B", states, inputs),
        ("C", outputs, states),
        ("D", outputs, inputs),
    ):
        expected, computed = getattr(one, matrix), getattr(other, matrix)
        assert np.allclose(computed * rows[:, None] / columns, expected, rtol=SAME, atol=SAME), matrix


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_trim_is_independent_of_signal_sizes() -> None:
    """Steps of Newton's method are bounded in the motion, not in signals: the equilibrium has a signal in mm beside a
    pressure.
    """
    results = []
    for unit in (None, "mm"):
        m = mbs.Model("trimmed")
        b = m.body("b", joint=mbs.Prismatic("z"), mass=1.0)
        m.spring("spring", on=b, stiffness=100.0, damping=1.0)
        m.state("z", lambda z: 3 * mbs.coordinate(b) - z + 1.0, unit=unit)
        m.state("p", lambda p: 1e5 * mbs.coordinate(b) - p + 3e4, unit="Pa")
        values = mbs.trim(m).values
        results.append([values["b.s"], values["z"] * (1e-3 if unit else 1.0), values["p"]])
    s = -9.81 / 100
    # the search ends at rates below 1e-11 of the largest derivative, 1e5: a force of 1e-6 N moves the spring by 1e-8 m
    assert np.allclose(results, [[s, 3 * s + 1.0, 1e5 * s + 3e4]] * 2, rtol=0, atol=[1e-8, 2e-6, 2e-3])


@pytest.mark.quick
@pytest.mark.parametrize("unit", ["mm", "kN/mm", "l/min", "g/cm3", "J/kg/K"])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_fmu_descriptions_define_units_with_factors(fmi: str, unit: str, tmp_path: Path) -> None:
    """A unit of FMI has the factor to its base unit; start values and bounds are in the unit, and fmpy accepts the
    description.
    """
    own = unit_of(unit)
    assert own is not None
    program = compile_model(plant(unit, in_units(unit)))
    experiment = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000)
    text = checked_description(program, experiment, "test", "native", fmi)
    (tmp_path / "modelDescription.xml").write_text(text, encoding="utf-8")
    read = read_model_description(str(tmp_path), validate=True)
    assert {v.name for v in read.modelVariables if v.unit == unit} >= {"stiff", "push", "z", "late", "seen", "one.x"}
    root = ET.fromstring(text.partition("?>")[2])
    bases = {element.get("name"): element.find("BaseUnit") for element in root.iter("Unit")}
    base = bases[unit]
    assert base is not None and float(base.get("factor", "1")) == own.factor
    assert tuple(int(base.get(name, "0")) for name in BASES) == own.exponents
    assert rate_unit(unit) in bases  # of derivatives
    variables = {v.get("name"): v if fmi == "3.0" else v.find("Real") for v in root.find("ModelVariables") or []}
    for name, key, value in (
        ("stiff", "start", 30.0),
        ("stiff", "max", 100.0),
        ("z", "start", 0.3),
        ("push", "nominal", 3.0),
    ):
        element = variables[name]
        assert element is not None and element.get("unit") == unit
        assert float(element.get(key, "nan")) == pytest.approx(value / own.factor, rel=SAME)


@pytest.mark.quick
def test_fmus_are_set_and_read_in_the_unit_of_the_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slave of each model, set and read in its unit, makes the same steps."""
    results = []
    for unit in (None, "km/h"):
        convert, folder = (in_units(unit) if unit else float), tmp_path / f"of_{len(results)}"
        folder.mkdir()
        one = Slaves(folder, monkeypatch)(plant(unit, convert), "rk4", step=0.01)
        start(one, {"stiff": convert(25.0), "z": convert(0.4), "push": convert(1.5)})
        rows = []
        for k in range(10):
            assert one.do_step(0.1 * k, 0.1)
            one.set_real([reference(one, "push")], [convert(math.sin(k))])
            rows.append(
                [x / convert(1.0) for x in one.get_real([reference(one, name) for name in ("z", "late", "seen")])]
            )
        results.append(rows)
    assert np.allclose(*results, rtol=SAME, atol=SAME)


@pytest.mark.quick
def test_texts_are_converted_to_the_unit_of_the_signal() -> None:
    """A text may be in any unit of the kind, a number is in the signal's own, and expressions are in SI units."""
    m = mbs.Model("texts")
    p = m.parameter("p", "0.5 cm", unit="mm", max="1 m")
    m.input("u", unit="deg", start="1 rev")
    m.state("x", 0.0, start=2 * p, unit="cm")
    m.state("y", 0.0, start="3 mm", unit="cm")
    m.set_parameter("p", "7 mm")
    starts = {v.name: v.start for v in compile_model(m).variables}
    assert (starts["p"], m.parameters["p"].range.high) == (7.0, 1000.0)
    assert starts["u"] == pytest.approx(360.0, rel=4e-16)
    assert starts["x"] == pytest.approx(1.4, rel=4e-16) and starts["y"] == pytest.approx(0.3, rel=4e-16)
