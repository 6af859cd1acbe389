"""Inputs of a run: pulses, jumps, time conditions, longest steps, start values, tables with an index."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.simulate import compiled
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("plain_by_default")

ADAPTIVE = [name for name in METHODS if method(name).adaptive]
PULSE = ([0, 5, 5, 8, 8, 10], [0, 0, 1, 1, 0, 0])  #: 1 N from 5 s to 8 s


def pushed(force: Any = None, stiffness: float = 0.0) -> Model:
    """A mass of 2 kg at rest on a slide, pushed by an input or by `force`."""
    m = Model("pushed", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=2.0)
    first, width = m.parameter("first", 5.0), m.parameter("width", 3.0)
    m.motor("push", on=b, force=m.input("force") if force is None else force(mbs.time, first, width))
    if stiffness:
        m.spring("spring", on=b, stiffness=stiffness)
    return m


#: the same pulse by every form of condition, tables, nested ones, a clock that runs twice as fast
FORMS = {
    "after": lambda t, first, width: mbs.where(t < first, 0.0, mbs.where(t < first + width, 1.0, 0.0)),
    "until": lambda t, first, width: mbs.where(t <= first, 0.0, mbs.where(t - first <= width, 1.0, 0.0)),
    "greater": lambda t, first, width: mbs.where(t > first, 1.0, 0.0) - mbs.where(first + width - t <= 0.0, 1.0, 0.0),
    "scaled": lambda t, first, width: mbs.where(2 * t - 2 * first < 0, 0.0, 1.0) * mbs.where(t / width < 8 / 3, 1.0, 0),
}


def check_pulse(r: mbs.Result) -> None:
    """Assert the velocity (1 N / 2 kg) 3 s and the position after the pulse, up to rounding of some hundred steps and
    rows.
    """
    assert r["b.v"][-1] == pytest.approx(1.5, abs=1e-12)
    assert r["b.s"][-1] == pytest.approx(5.25, abs=1e-11)


@pytest.fixture(scope="module")
def plant() -> Model:
    return pushed()


@pytest.mark.parametrize("name", ADAPTIVE)
def test_no_pulse_is_stepped_over(plant: Model, name: str) -> None:
    """A table with jumps moves the mass exactly, with few steps."""
    r = mbs.simulate(plant, 10.0, method=name, inputs={"force": PULSE})
    check_pulse(r)
    assert r.statistics["steps"] < 50 and r.statistics["rejected"] == 0


@pytest.mark.parametrize("form", FORMS)
def test_conditions_on_time_end_steps(form: str) -> None:
    """Steps end where a condition compares time with numbers and parameters; other parameters move the switches."""
    m = pushed(FORMS[form])
    r = mbs.simulate(m, 10.0)
    check_pulse(r)
    assert r.statistics["rejected"] == 0
    if form != "scaled":
        late = mbs.simulate(m, 10.0, parameters={"first": 7.0, "width": 0.25})
        assert late["b.v"][-1] == pytest.approx(0.125, abs=1e-12)


def test_laws_over_time_end_steps(plant: Model) -> None:
    """Tables over time in a law and functions of time as inputs end steps too."""
    table = pushed(lambda t, *_: mbs.table(t, (5, 5.5, 6), (0, 2, 0)))
    assert mbs.simulate(table, 10.0)["b.v"][-1] == pytest.approx(0.5, abs=1e-12)
    r = mbs.simulate(plant, 10.0, inputs={"force": lambda t: mbs.where(t < 5, 0, mbs.where(t < 8, 1, 0))})
    check_pulse(r)


def test_a_communication_step_over_a_pulse() -> None:
    """For the kernel of doStep, one step from 0 to 10 s equals steps that end on the switches."""
    runtime = compiled(pushed(FORMS["until"]))
    ends = []
    for stops in ([10.0], [2.0, 5.0, 6.0, 8.0, 10.0]):
        R = runtime.program.new_record()
        runtime.initialize(R, 1e-6, 1e-8)
        for stop in stops:
            assert runtime.kernels.enter_dopri5_adaptive(R, runtime.no_tables, stop, 1e-6, 0) == 0
        assert R[HeadNumbers.time] == 10.0 and R[HeadNumbers.rejected] == 0
        ends.append(R[runtime.program.region("q")][0])
    assert ends == pytest.approx([5.25, 5.25], abs=1e-11)


@pytest.mark.parametrize("name", ADAPTIVE)
@pytest.mark.parametrize("rtol", [1e-4, 1e-8])
def test_the_method_restarts_after_a_jump(name: str, rtol: float) -> None:
    """The response of a mass on a spring to jumps is that of the closed form, as accurate as without jumps."""
    m = pushed(stiffness=8.0)  # omega = 2
    r = mbs.simulate(m, 10.0, method=name, rtol=rtol, atol=rtol, inputs={"force": PULSE}, output_interval=0.25)
    exact = (1 - np.cos(2 * np.maximum(r.time - 5, 0)) - 1 + np.cos(2 * np.maximum(r.time - 8, 0))) / 8
    assert_close(r["b.s"], exact, 20 * rtol, "b.s", times=r.time)
    assert r.statistics["rejected"] <= 0.1 * r.statistics["steps"] + 2


@pytest.mark.usefixtures("jitted")
def test_both_sides_of_a_jump() -> None:
    """At a jump the result has the value after it; interpolation before it leads to the value before."""
    m = Model("gain")
    m.output("y", m.input("u") + 0.0)
    z = m.state("z", rate=0.0)
    m.output("z_out", z)
    ramp = ([0, 1, 1, 2], [0, 1, 5, 6])
    for options in ({}, {"method": "rk4", "step": 0.05}):
        r = mbs.simulate(m, 2.0, inputs={"u": ramp}, output_interval=0.25, **options)
        assert r["y"] == pytest.approx([0, 0.25, 0.5, 0.75, 5, 5.25, 5.5, 5.75, 6], abs=1e-14)


def test_steps_end_at_the_times_of_a_table(plant: Model) -> None:
    """A triangle between two knots of 0.1 s, long after the start, acts on the mass."""
    r = mbs.simulate(plant, 100.0, inputs={"force": ([0, 70, 70.05, 70.1, 100], [0, 0, 4, 0, 0])})
    assert r["b.v"][-1] == pytest.approx(0.1, abs=1e-12)


def test_longest_steps(plant: Model) -> None:
    """max_step bounds steps, so that inputs without switching times act; with fixed steps it is refused."""
    r = mbs.simulate(plant, 10.0, inputs={"force": 0.0}, max_step=0.05)
    assert 200 <= r.statistics["steps"] < 250
    hidden = pushed(lambda t, *_: mbs.where(mbs.sin(0.3 * t) > 0.999, 1.0, 0.0))
    width = 2 * np.arccos(0.999) / 0.3
    r = mbs.simulate(hidden, 10.0, max_step=0.1, rtol=1e-7)
    assert r["b.v"][-1] == pytest.approx(width / 2, abs=1e-5)
    with pytest.raises(mbs.ModelError, match="max_step is for steps with error control"):
        mbs.simulate(plant, 1.0, inputs={"force": 0.0}, max_step=0.1, step=0.1)
    with pytest.raises(mbs.ModelError, match="max_step is -1"):
        mbs.simulate(plant, 1.0, inputs={"force": 0.0}, max_step=-1)


def test_pulses_of_a_batch(plant: Model) -> None:
    """Each member has its own jumps; longest steps hold for all."""
    times, on = PULSE[0], np.array(PULSE[1], dtype=float)
    batch = mbs.Batch(inputs={"force": (times, np.outer([1.0, 2.0, -3.0], on))})
    r = mbs.simulate(plant, 10.0, batch=batch)
    assert r["b.v"][:, -1] == pytest.approx([1.5, 3.0, -4.5], abs=1e-11)
    short = mbs.simulate(plant, 10.0, batch=batch, max_step=0.1)
    assert np.all(short.statistics["steps"] >= 100)


def test_inputs_default_to_their_start_values() -> None:
    """An input with a start value needs no other; without one simulate and simulate_batch require a value."""
    m = Model("two")
    m.output("y", m.input("given", start=0.2) + 10 * m.input("open"))
    assert np.all(mbs.simulate(m, 1.0, inputs={"open": 1.0})["y"] == pytest.approx(10.2))
    assert np.all(mbs.simulate(m, 1.0, inputs={"open": 0.0, "given": 3.0})["y"] == 3.0)
    many = mbs.simulate(m, 1.0, batch=mbs.Batch(inputs={"open": [0.0, 1.0]}))
    assert many["y"][:, -1] == pytest.approx([0.2, 10.2])
    with pytest.raises(mbs.ModelError, match=r"input 'open'.*has no value.*or declare it with start="):
        mbs.simulate(m, 1.0)


class Series:
    """The attributes of a pandas Series or DataFrame that the package reads."""

    def __init__(self, values: Any, index: Any):
        self.values, self.index = np.array(values), Index(index)
        self.ndim, self.shape = self.values.ndim, self.values.shape

    def __iter__(self) -> Any:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def to_numpy(self) -> np.ndarray:
        return self.values


class Index:
    def __init__(self, times: Any):
        self.times = np.array(times)

    def to_numpy(self) -> np.ndarray:
        return self.times


def test_tables_with_an_index(plant: Model) -> None:
    """A series, or a frame of one column, is read by its index, never as its first two numbers."""
    options = {"output_interval": 1.0}
    right = mbs.simulate(plant, 2.0, inputs={"force": ([0.0, 2.0], [3.0, 7.0])}, **options)
    for table in (Series([3.0, 7.0], [0.0, 2.0]), Series([[3.0], [7.0]], [0.0, 2.0])):
        assert np.array_equal(mbs.simulate(plant, 2.0, inputs={"force": table}, **options).data, right.data)


def test_the_same_from_pandas(plant: Model) -> None:
    """pandas objects are read like the stand-ins above."""
    pandas = pytest.importorskip("pandas")
    right = mbs.simulate(plant, 2.0, inputs={"force": ([0.0, 2.0], [3.0, 7.0])})
    series = pandas.Series([3.0, 7.0], index=[0.0, 2.0])
    for table in (series, series.to_frame("force")):
        assert np.array_equal(mbs.simulate(plant, 2.0, inputs={"force": table}).data, right.data)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([3.0, 7.0], r"input 'force' must be a number, \(times, values\) or a function of time, not \[3.0, 7.0\]"),
        (np.array([3.0, 7.0]), "must be a number"),
        ("ab", "must be a number"),
        (Series([[3.0, 1.0], [7.0, 1.0]], [0.0, 2.0]), "a table of 2 columns: give one of them"),
        (Series([3.0, 7.0], np.array(["2020-01-01", "2020-01-02"], "M8[ns]")), "dates or spans of time: give seconds"),
        (([0, 1, 1, 1], [0, 1, 2, 3]), "strictly increasing; give a time twice where the input jumps"),
        (([0, 2, 1], [0, 1, 2]), "strictly increasing"),
        (([0, np.nan], [0, 1]), "give finite numbers"),
        (([0, 1], [0, 1, 2]), "must have one length, not 2 and 3"),
    ],
)
def test_invalid_inputs_are_refused(plant: Model, value: Any, message: str) -> None:
    """Each refusal states what an input may be."""
    with pytest.raises(mbs.ModelError, match=message):
        mbs.simulate(plant, 1.0, inputs={"force": value})


class Wave:
    """A law with a number that may change; equal to all others, and without a hash."""

    def __init__(self, amplitude: float):
        self.amplitude = amplitude

    def __call__(self, t: Any) -> Any:
        return self.amplitude * mbs.sin(t)

    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.quick
@pytest.mark.parametrize("form", ["closure", "object", "method"])
def test_laws_are_traced_anew_after_changes(form: str) -> None:
    """A function of time whose data have changed gives the program of the new law."""
    m, wave = pushed(), Wave(1.0)
    law = {"closure": lambda t: wave(t), "object": wave, "method": wave.__call__}[form]
    first = compiled(m, laws={"force": law})
    assert compiled(m, laws={"force": law}) is first is compiled(m, laws={"force": lambda t: 1.0 * mbs.sin(t)})
    wave.amplitude = 2.0
    second = compiled(m, laws={"force": law}).program
    assert second != first.program and second == compiled(pushed(), laws={"force": lambda t: 2.0 * mbs.sin(t)}).program


def gap(m: mbs.Model) -> mbs.Model:
    """A slide with a parameter, an input and a state with units, and one of each without."""
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("drive", on=block, force=m.input("push", unit="kN") + m.input("plain", start=0.0))
    m.parameter("gap", 5.0, unit="mm", min=1.0)
    m.parameter("ratio", 1.0, min=0.0)
    m.state("heat", 0.0, unit="degC")
    return m


#: arguments, the part of the message before the unit, and the unit
UNUSABLE: list[tuple[dict[str, Any], str, str]] = [
    ({"parameters": {"gap": 0.5}}, "parameter 'gap' is 0.5: it must lie within 1 .. inf", "mm"),
    ({"parameters": {"gap": "8 mm"}}, "parameter 'gap' must be a number, not the text '8 mm'", "mm"),
    ({"parameters": {"ratio": -1}}, "parameter 'ratio' is -1: it must lie within 0 .. inf", ""),
    ({"start": {"block.v": np.nan}}, "start value 'block.v' is nan: give a finite number", "m/s"),
    ({"start": {"heat": "20 degC"}}, "start value 'heat' must be a number, not the text '20 degC'", "degC"),
    ({"inputs": {"push": "much"}}, "a function of time, not 'much'", "kN"),
    ({"inputs": {"push": ([0, 1], [0, np.inf])}}, "value 2 of 2 is inf: give finite numbers", "kN"),
    ({"inputs": {"push": ([0, np.inf], [0, 1])}}, "time 2 of 2 is inf: give finite numbers", "s"),
    ({"inputs": {"push": 0, "plain": "much"}}, "a function of time, not 'much'", ""),
    ({"inputs": {}}, "or declare it with start=", "kN"),
    ({"batch": mbs.Batch(parameters={"gap": [2, 0.5]})}, "'gap' is 0.5: it must lie within 1 .. inf", "mm"),
    ({"batch": mbs.Batch(start={"block.v": [0, np.nan]})}, "is nan for member 1: give finite numbers", "m/s"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("arguments", "message", "unit"), UNUSABLE, ids=[f"{said}, {u}" for _, said, u in UNUSABLE])
@pytest.mark.usefixtures("in_plain_python")
def test_messages_name_the_unit(arguments: dict[str, Any], message: str, unit: str) -> None:
    """Messages about invalid parameters, start values and inputs end with the unit of the variable."""
    behind = f"; its unit is {unit}" if unit else ""
    with pytest.raises(mbs.ModelError, match=f"{re.escape(message + behind)}$"):
        mbs.simulate(gap(mbs.Model("slide")), 1.0, **{"inputs": {"push": 0.0}, **arguments})


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_unknown_names_come_with_suggestions() -> None:
    """Unknown names of arguments and of variables come with similar names as suggestions."""
    m = gap(mbs.Model("slide"))
    for call, message in (
        (lambda: mbs.simulate(m, 1.0, inputs={"pusch": 0.0}), r"unknown input 'pusch' \(did you mean 'push'"),
        (lambda: m.set_parameter("gab", 1.0), r"unknown parameter 'gab' \(did you mean 'gap'"),
        (
            lambda: mbs.trim(m, inputs={"push": 0.0}, free=["block.x"]),
            "'block.x' cannot be an unknown .did you mean 'block.s'",
        ),
        (lambda: mbs.trim(m, inputs={"push": 0.0}, free="block.s"), r"free is 'block.s': give a list .*\['block.s'\]"),
        (
            lambda: mbs.linearize(m, inputs={"push": 0.0}, independent=["block.w"]),
            "independent: 'block.w' is not a joint velocity .did you mean 'block.v'",
        ),
        (lambda: m.motor("other", on="blok", force=1.0), r"unknown body 'blok' \(did you mean 'block'"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            call()
