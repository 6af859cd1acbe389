"""The model of a live page: the bits of native kernels, failures that leave no trace, changes while it runs."""

from __future__ import annotations

import functools
import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.pages.additions import Additions
from mbs_fmu.pages.living import default_method, live
from mbs_fmu.run.simulate import compiled
from mbs_fmu.view.page import LIVE, Page
from support.cases import tiers
from support.hosts.node import data_of, in_node, needs_node
from support.models.changing_tables import OTHER, motor_curve
from support.paths import ROOT

pytest.importorskip("ziglang", reason="live pages need the package ziglang")
pytestmark = needs_node

STEP = 1e-3  #: s
#: Functions of models/ by name, and their files.
MODELS = {
    match[1]: file.stem
    for file in sorted((ROOT / "models").glob("*.py"))
    for match in re.finditer(r"^def (\w+)\(\) -> mbs.Model", file.read_text(), re.MULTILINE)
}
#: Functions of the C library, which may round otherwise in a browser.
FUNCTION = re.compile(r"(?<![\w.])(sin|cos|tan|asin|acos|atan|atan2|exp|log|pow|tanh)\(")
ROUNDED = (
    100 * 4000 * 2.2e-16
)  #: a rounding in each of the evaluations of a thousand steps, and what the motion makes of it
SMALL = ("double_pendulum", "bouncing_pendulum")  #: a tree, and one with impacts


def step_of(model: mbs.Model) -> float:
    """Vibration modes and stiff cams need short steps."""
    is_stiff = any(body.elastic is not None for body in model.bodies.values())
    return 2e-5 if is_stiff or any(force.feet() for force in model.forces.values()) else STEP


@functools.cache
def page_of(name: str) -> tuple[mbs.Model, Page]:
    """A model of models/ and its live page with fixed steps of the Runge-Kutta method of order four."""
    model = getattr(importlib.import_module(MODELS[name]), name)()
    page = live(model, method="rk4", step=step_of(model))
    assert isinstance(page, Page)
    return model, page


def pendulum(description: str = "a rod on a hinge") -> mbs.Model:
    """A rod on a hinge in a gravity of 9.81 m/s², with a length and a mass, and a torque."""
    m = mbs.Model("pendulum", description=description)
    length = m.parameter("length", 1.0, unit="m", min=0.0)
    mass = m.parameter("mass", 2.0, unit="kg")
    torque = m.input("torque", unit="N.m", start=0.0)
    inertia = mass * length * length / 12
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=mass, com=(length / 2, 0, 0), inertia=(0, inertia, inertia))
    m.force("motor", on=rod, torque=(0, torque, 0))
    m.output("angle", mbs.coordinate(rod))
    m.start(rod, q=0.3)
    return m


@functools.cache
def pendulum_page() -> Page:
    page = live(pendulum(), method="rk4", step=STEP)
    assert isinstance(page, Page)
    return page


@pytest.mark.slow
def test_the_module_imports_nothing(tmp_path: Path) -> None:
    """The module needs nothing from the page but its numbers."""
    code = "answer(WebAssembly.Module.imports(new WebAssembly.Module(bytes(DATA.wasm))));"
    assert in_node(pendulum_page(), code, tmp_path) == []


@pytest.mark.parametrize("name", tiers(sorted(MODELS, key=lambda name: (name not in SMALL, name)), usual=1))
def test_bits_of_native_kernels(name: str, tmp_path: Path) -> None:
    """After a thousand steps or more, every variable has the bits of the native kernels with the same ticks.

    Laws with functions of the C library agree to rounding.
    """
    model, page = page_of(name)
    check_bits(model, page, "rk4", step_of(model), tmp_path)


@pytest.mark.parametrize("name", tiers(["truss_boom", "flexible_slider_crank"], usual=1))
def test_bits_of_steps_that_are_implicit_in_modes(name: str, tmp_path: Path) -> None:
    """The same for pages of elastic bodies with the method that is their default, a tree and a closed loop."""
    model = getattr(importlib.import_module(MODELS[name]), name)()
    page = live(model, step=5e-4)
    assert isinstance(page, Page)
    check_bits(model, page, default_method(model), 5e-4, tmp_path)


@pytest.mark.slow
def test_bits_of_steps_with_a_jacobian(tmp_path: Path) -> None:
    """The same for the linearly implicit method, whose tangents are vectors of four numbers."""
    model = importlib.import_module(MODELS["double_pendulum"]).double_pendulum()
    page = live(model, method="rodas5p", step=STEP)
    assert isinstance(page, Page)
    check_bits(model, page, "rodas5p", STEP, tmp_path)


@pytest.mark.slow
def test_bits_of_tables_whose_values_change(tmp_path: Path) -> None:
    """The same for a page that begins with other values than those of the model."""
    given = {"torque_curve": OTHER}
    page = live(motor_curve(), method="rk4", step=STEP, parameters=given)
    assert isinstance(page, Page)
    check_bits(motor_curve(OTHER), page, "rk4", STEP, tmp_path)


def check_bits(model: mbs.Model, page: Page, method: str, step: float, tmp_path: Path) -> None:
    """Compare the record of a page after a run with that of native kernels."""
    data = data_of(page)
    count = round((1.0 if step == STEP else 0.1) / data["tick"])
    code = f"begin(given); while (ticks < {count}) if (tick() < 0) throw reason; answer([...R].map(String));"
    numbers = np.array([float(x.replace("Infinity", "inf")) for x in in_node(page, code, tmp_path)])
    runtime = compiled(Additions(model, pulls=True).model, method=method)
    R = runtime.program.new_record()
    runtime.initialize(R, data["tolerance"], 0.01 * data["tolerance"])
    runtime.refresh(R)
    advance = runtime.kernels.entry(f"{method}_fixed")
    for k in range(1, count + 1):
        assert advance(R, runtime.no_tables, k * data["tick"], step, 0) == 0
        runtime.refresh(R)
    tolerance = ROUNDED if FUNCTION.search(runtime.program.text) else 0.0
    for v in runtime.program.variables:
        far = abs(numbers[v.slot] - R[v.slot])
        assert far <= tolerance * max(1.0, abs(R[v.slot])), f"{v.name} at {R[0]} s is {far} from {R[v.slot]} natively"


@pytest.mark.slow
def test_a_failed_start_is_taken_back(tmp_path: Path) -> None:
    """A refused parameter leaves every number of the record, and the page says what Python says."""
    m = pendulum()
    slot = {v["name"]: v["slot"] for v in data_of(pendulum_page())["parameters"]}["mass"]
    code = f"""
    begin(given); tick();
    const before = [...R].map(String), mass = DATA.parameters.find(v => v.slot === {slot});
    const good = change([[mass, -1]]);
    answer([good, reason, before.every((x, k) => x === String(R[k])), given[{slot}], tick()]);
    """
    good, reason, same, mass, ticked = in_node(pendulum_page(), code, tmp_path)
    assert (good, same, mass, ticked) == (False, True, 2.0, 1)
    with pytest.raises(ModelError) as error:
        mbs.simulate(m, 0.1, parameters={"mass": -1.0})
    assert str(error.value) == reason


@pytest.mark.slow
def test_a_failed_step_is_taken_back(tmp_path: Path) -> None:
    """A state grows to infinity at 1 s: the record is then that of the tick before, and the words are Python's."""
    m = mbs.Model("growing")
    m.body("slider", joint=mbs.Prismatic("x"), mass=1.0)
    m.state("x", lambda x: x * x, start=1.0)
    page = live(m, method="rk4", step=STEP)
    assert isinstance(page, Page)
    code = """
    begin(given); let before, came;
    do { before = [...R]; came = tick(); } while (came > 0);
    const changing = DATA.record.changing.flatMap(([first, size]) => Array.from({ length: size }, (_, k) => first + k));
    const kept = changing.filter(k => !Object.is(before[k], R[k]));
    answer([came, reason, R[S.time], kept.length]);
    """
    came, reason, time, changed = in_node(page, code, tmp_path)
    with pytest.raises(mbs.SimulationError) as error:
        mbs.simulate(m, 2.0, method="rk4", step=STEP, output_interval=data_of(page)["tick"])
    assert came == -1 and str(error.value).startswith(f"growing: {reason}")
    assert 0.9 < time < 1.1 and changed == 0


@pytest.mark.slow
def test_a_changed_length_goes_on(tmp_path: Path) -> None:
    """A longer rod goes on with its angle and velocity; a tunable input acts at once."""
    data = data_of(pendulum_page())
    length = next(v for v in data["parameters"] if v["name"] == "length")
    assert length["fixed"] and length["low"] < 1.0 < length["high"]
    (first, size), (_, rates), _ = data["states"]
    code = f"""
    begin(given); for (let k = 0; k < 50; k++) tick();
    const before = [R[0], R[{first}], R[{data["states"][1][0]}]];
    const good = change([[DATA.parameters.find(v => v.name === 'length'), 1.5]]);
    const now = [R[0], R[{first}], R[{data["states"][1][0]}]];
    const started_again = tick();
    answer({{ good, before, now, started_again, time: R[0], moved: reshape().bodies.size }});
    """
    out = in_node(pendulum_page(), code, tmp_path)
    assert out["good"] and out["before"] == out["now"] and out["started_again"] == 1 and size == rates == 1
    assert out["time"] == pytest.approx(0.204, abs=1e-12) and out["moved"] == 2  # with the bracket


@pytest.mark.slow
def test_values_outside_their_bounds_are_refused_in_python_words(tmp_path: Path) -> None:
    """The page's refusal of a value is that of `simulate`."""
    code = """
    const length = DATA.parameters.find(v => v.name === 'length');
    answer([refusal(length, -0.25), refusal(length, NaN), refusal(length, 0.25)]);
    """
    below, none, fine = in_node(pendulum_page(), code, tmp_path)
    for value, said in ((-0.25, below), (float("nan"), none)):
        with pytest.raises(ModelError) as error:
            mbs.simulate(pendulum(), 0.1, parameters={"length": value})
        assert said == str(error.value) or not np.isfinite(value)
    assert "not" in none or "finite" in none
    assert fine == ""


@pytest.mark.slow
def test_numbers_are_written_as_python_writes_them(tmp_path: Path) -> None:
    """`digits` is Python's format .9g."""
    values = [0.0, 1.0, -2.5, 1e-5, 123456789.0, 1234567890.0, 1 / 3, 1e22, -1e-300, 0.0001, 99999999.95, 999999999.9]
    assert in_node(pendulum_page(), f"answer({values}.map(digits));", tmp_path) == [f"{x:.9g}" for x in values]


@pytest.mark.slow
def test_hostile_names_and_descriptions(tmp_path: Path) -> None:
    """Names of object members, ends of scripts and comments do no harm."""
    text = "</script><!-- <script> $name ${1} \u2028 & \"'"
    m = mbs.Model("constructor", description=text)
    mass, *_ = [m.parameter(name, 1.0, description=text) for name in ("toString", "hasOwnProperty", "__proto__")]
    rod = m.body("valueOf", joint=mbs.Revolute("y"), mass=mass, inertia=(1, 1, 1))
    m.output("constructor", mbs.coordinate(rod), description=text)
    page = live(m, method="rk4", step=STEP)
    assert isinstance(page, Page)
    assert page.text.count("</script") == 3 + len(
        LIVE.scripts
    )  # of the data, the language, the library and each script
    code = """
    begin(given);
    answer([DATA.parameters.map(v => [v.name, v.said]), change([[DATA.parameters[0], 2]])]);
    """
    listed, good = in_node(page, code, tmp_path)
    assert [name for name, _ in listed] == ["toString", "hasOwnProperty", "__proto__"] and good
    assert all(said == text for _, said in listed)


@pytest.mark.slow
def test_a_module_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second page of a model compiles nothing."""
    pendulum_page()

    def refuse(*_: Any) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr("mbs_fmu.codegen.wasm._linked", refuse)
    again = live(pendulum(), method="rk4", step=STEP)
    assert isinstance(again, Page) and again.text == pendulum_page().text


@pytest.mark.parametrize("name", tiers(["t", "rate"], usual=1))
def test_options_that_are_no_usable_number_are_named(name: str, tmp_path: Path) -> None:
    """The page does without a value behind # that is no number or out of range, and has a message about it."""
    code = f"answer([option('{name}', 0, 1e6, 2), unusable]);"
    for text, number in (
        ("", 2),
        ("abc", 2),
        ("NaN", 2),
        ("1e300", 2),
        ("-1", 2),
        ("Infinity", 2),
        ("%20", 2),
        ("0.5", 0.5),
    ):
        used, said = in_node(pendulum_page(), code, tmp_path, options=f"{name}={text}")
        assert used == number
        assert bool(said) == (text != "0.5") and all(
            f"{name}=" in line and "from 0 to 1000000" in line for line in said
        )
    assert in_node(pendulum_page(), code, tmp_path, options="play") == [2, []]
