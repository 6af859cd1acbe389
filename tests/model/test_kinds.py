"""Inputs and outputs that are Booleans, integers and enumerations: declarations, values, runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.constancy import Constancy
from mbs_fmu.run.simulate import compiled
from mbs_fmu.view.controls import Controls
from support.models.fmu_models import shuttle

NAMES = ("park", "neutral", "drive")
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "bool"}, r"kind of input 'x' is 'bool' \(did you mean 'boolean'\?\): give 'real', "),
    ({"kind": bool}, r"kind of input 'x' is 'bool' \(did you mean 'boolean'\?\): give 'real',"),
    ({"kind": "truth"}, "kind of input 'x' is 'truth': give 'real', 'boolean', 'integer', or the names of the values"),
    ({"kind": ("a", "a")}, r"input 'x' has a name of a value twice: \['a', 'a'\]"),
    ({"kind": ("a b",)}, "input 'x' has a value with the name 'a b': give identifiers"),
    ({"kind": "integer", "unit": "m"}, "input 'x' is of kind 'integer', which has no unit: leave it out"),
    ({"kind": "boolean", "max": 1}, "input 'x' is of kind 'boolean', which has no max: leave it out"),
    ({"kind": NAMES, "max": 3}, "input 'x' is of kind 'enumeration', which has no max: leave it out"),
    ({"kind": "integer", "nominal": 3}, "input 'x' is of kind 'integer', which has no nominal: leave it out"),
    ({"kind": "integer", "min": 0.5}, "min of input 'x' is 0.5: give a whole number"),
    ({"kind": "integer", "start": 1.5}, "start of input 'x' is 1.5: give a whole number of 32 bits"),
    ({"kind": "integer", "start": 2**31}, "start of input 'x' is 2.14748365e.09: give a whole number of 32 bits"),
    ({"kind": "boolean", "start": 2}, r"start of input 'x' is 2: it must lie within 0 \.\. 1"),
    ({"kind": NAMES, "start": "parked"}, r"start of input 'x' is 'parked': give one of 'park' \(1\), "),
    ({"kind": NAMES, "start": 4}, r"start of input 'x' is 4: it must lie within 1 \.\. 3"),
]


@pytest.mark.parametrize(("arguments", "text"), REFUSED)
def test_refused_declarations(arguments: dict[str, Any], text: str) -> None:
    """A declaration that has no meaning is refused, with the thing, the value and the remedy."""
    with pytest.raises(mbs.ModelError, match=text):
        mbs.Model("m").input("x", **arguments)


def test_enumerations_have_numbers() -> None:
    """The values are numbered from `min`, by default from 1; a start may be a name; the first value is the default."""
    m = mbs.Model("m")
    m.input("lever", kind=NAMES, start="drive")
    m.input("back", kind=NAMES, min=-1)
    rows = {v.name: v for v in compiled(m).program.variables}
    assert [(rows[x].low, rows[x].high, rows[x].start) for x in rows] == [(1.0, 3.0, 3.0), (-1.0, 1.0, -1.0)]
    assert all(rows[x].items == NAMES and rows[x].kind == "enumeration" for x in rows)


def of_kinds() -> tuple[mbs.Model, mbs.Expression]:
    """A model with one quantity of each kind, and the coordinate of its body."""
    m = mbs.Model("m")
    x = mbs.coordinate(m.body("cart", joint=mbs.Prismatic("x"), mass=1.0))
    m.lock("latch", on="cart", when=x > 1.0)
    m.input("whole", kind="integer", start=0)
    m.input("real", start=0.0)
    m.parameter("p", 2.0)
    m.state("z", 1.0)
    m.state("kept", 0.0)
    m.event("over", x - 0.5, reset={"kept": 1.0})
    m.sampled("held", 0.1, x)
    m.output("twice", 2 * mbs.signal("held"))
    return m, x


CONSTANT: dict[str, Callable[[mbs.Expression], Any]] = {
    "number": lambda x: mbs.where(x > 0.0, 1, 0),
    "sampled": lambda x: mbs.signal("held"),
    "another output": lambda x: mbs.signal("twice"),
    "reset": lambda x: mbs.signal("kept"),
    "parameter": lambda x: 3 * mbs.signal("p"),
    "input": lambda x: mbs.signal("whole") + 1,
    "mode": lambda x: mbs.constraint_mode("latch") + mbs.impulse("latch"),
    "sign": lambda x: mbs.sign(x),
}
VARYING: dict[str, Callable[[mbs.Expression], Any]] = {
    "coordinate": lambda x: x, "time": lambda x: 2 * mbs.time, "state": lambda x: mbs.signal("z"),
    "input": lambda x: mbs.signal("real"), "choice": lambda x: mbs.where(x > 0.0, x, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("case", CONSTANT)
def test_what_is_constant_between_events(case: str) -> None:
    """Comparisons, samples, modes, parameters, discrete inputs and states that only resets change are."""
    m, x = of_kinds()
    assert Constancy(m, {}).varying(CONSTANT[case](x)) is None


@pytest.mark.parametrize("case", VARYING)
def test_outputs_that_vary_are_refused(case: str) -> None:
    """An output that is no real number must be constant between events; the message names what it depends on."""
    m, x = of_kinds()
    m.output("gear", VARYING[case](x), kind="integer")
    with pytest.raises(mbs.ModelError, match=r"output 'gear' is not constant between events: it depends on .*; sample"):
        mbs.simulate(m, 0.1)


def test_included_models_are_checked_with_their_inputs() -> None:
    """A real number that takes the place of a discrete input makes the output of an included model vary."""
    part = mbs.Model("part")
    part.output("y", part.input("x", kind="integer") + 1, kind="integer")
    for given, refused in ((mbs.time, True), (mbs.where(mbs.time > 1.0, 2.0, 1.0), False)):
        m = mbs.Model("m")
        m.include(part, "a", inputs={"x": given})
        if refused:
            with pytest.raises(mbs.ModelError, match=r"output 'a\.y' is not constant between events"):
                mbs.simulate(m, 2.0)
        else:
            assert mbs.simulate(m, 2.0)["a.y"][[0, -1]].tolist() == [2.0, 3.0]


def test_runs_refuse_values_of_other_kinds() -> None:
    """Constants, tables, functions of time and members of batches are whole numbers within their bounds."""
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"gear": 1.5}, "input 'gear' is 1.5: give a whole number of 32 bits"),
        ({"brake": 0.5}, r"input 'brake' is 0.5: give 0 or 1 \(False, True\)"),
        ({"lever": 0.5}, "input 'lever' is 0.5: give the number of one of its values"),
        ({"gear": 6}, r"input 'gear' is 6: it must lie within 0 \.\. 5"),
        ({"gear": ([0, 1, 2], [1, 1.5, 2])}, "input 'gear' is 1.5: give a whole number of 32 bits"),
        ({"brake": 2}, r"input 'brake' is 2: it must lie within 0 \.\. 1"),
        ({"gear": lambda t: 1.5}, "input 'gear' is 1.5: give a whole number of 32 bits"),
        ({"lever": lambda t: t}, "input 'lever' is not constant between events: it depends on time"),
    ]
    for inputs, text in wrong:
        with pytest.raises(mbs.ModelError, match=text):
            mbs.simulate(shuttle(), 0.1, inputs=inputs)
    with pytest.raises(mbs.ModelError, match=r"member 1: input 'gear' is 0\.5: give a whole number of 32 bits"):
        mbs.simulate(shuttle(), 0.1, batch=mbs.Batch(inputs={"gear": np.array([1.0, 0.5])}))
    tables = ([0.0, 0.1], [[1.0, 2.0], [1.0, 6.0]])
    with pytest.raises(mbs.ModelError, match=r"member 1: input 'gear' is 6: it must lie within 0 \.\. 5"):
        mbs.simulate(shuttle(), 0.1, batch=mbs.Batch(inputs={"gear": tables}))
    with pytest.raises(mbs.ModelError, match=r"member 1: input 'brake' is 0\.5: give 0 or 1 \(False, True\)"):
        mbs.simulate(shuttle(), 0.1, batch=mbs.Batch(inputs={"brake": np.array([1.0, 0.5])}))


UNFIT: list[tuple[float, Any]] = [
    (3.0, "boolean"), (0.5, "boolean"), (1.5, "integer"), (2.0**31, "integer"), (0.0, NAMES), (4.0, NAMES),
    (1.5, NAMES),
]  # fmt: skip


@pytest.mark.parametrize(("value", "kind"), UNFIT)
def test_outputs_that_are_no_value_of_their_kind(value: float, kind: Any) -> None:
    """A constant is refused at once; another number is noted after a run, with the time of its first row."""
    m = mbs.Model("m")
    with pytest.raises(mbs.ModelError, match=r"output 'o\[2\]' is .*: (give|it must lie within) "):
        m.output("o", [1.0, value], kind=kind)
    m.output("o", m.state("kept", 0.0, start=1.0), kind=kind)
    m.event("late", mbs.time - 0.25, reset={"kept": value})
    (note,) = mbs.simulate(m, 1.0, output_interval=0.5).statistics["notes"]
    said = kind if isinstance(kind, str) else "enumeration"
    assert note.startswith(f"output 'o' of kind {said} was {value:.9g} at t = 0.5 s: it must be ")


def test_batches_note_outputs_that_are_no_value_of_their_kind() -> None:
    """Each member has its own notes, on lanes and without."""
    m = mbs.Model("m")
    p = m.parameter("p", 1.0)
    m.output("o", [p, 1 - p], kind="boolean")
    for lanes in (1, 2):
        run = mbs.simulate(m, 1.0, batch=mbs.Batch(parameters={"p": np.array([1.0, 3.0, 0.0])}, lanes=lanes))
        assert [len(notes) for notes in run.statistics["notes"]] == [0, 2, 0]
        assert "output 'o[2]' of kind boolean was -2 at t = 0 s" in run[1].statistics["notes"][1]


def selected() -> mbs.Model:
    """A model of a lever and a brake, and their values."""
    m = mbs.Model("selected")
    m.output("place", m.input("lever", kind=NAMES), kind=NAMES)
    m.output("braked", m.input("brake", kind="boolean", start=False), kind="boolean")
    return m


NAMED: dict[str, tuple[Any, Any]] = {
    "constant": ("drive", 3.0),
    "table": (([0.0, 0.25], ["neutral", "drive"]), ([0.0, 0.25], [2.0, 3.0])),
    "mixed table": (([0.0, 0.25], [2, "drive"]), ([0.0, 0.25], [2.0, 3.0])),
    "array": ((np.array([0.0, 0.25]), np.array(["neutral", "drive"])), ([0.0, 0.25], [2.0, 3.0])),
    "function": (lambda t: "drive", 3.0),
}


@pytest.mark.parametrize("case", NAMED)
def test_names_stand_for_their_numbers(case: str) -> None:
    """Names of an enumeration's values in `inputs=` give the run of their numbers."""
    runs = [mbs.simulate(selected(), 0.5, inputs={"lever": value}) for value in NAMED[case]]
    assert np.array_equal(runs[0]["place"], runs[1]["place"]) and set(runs[0]["place"]) <= {2.0, 3.0}


def test_names_in_batches_sweeps_and_operating_points(tmp_path: Path) -> None:
    """Members may have names, each one or a table of its own; so may what sets inputs once."""
    for given in (["park", "drive"], ([0.0, 1.0], [["park", "park"], ["drive", "drive"]])):
        given = tuple(given) if isinstance(given[0], list) else given
        batch = mbs.simulate(selected(), 1.0, batch=mbs.Batch(inputs={"lever": given}))
        assert batch["place"].tolist() == [[1.0] * batch.data.shape[1], [3.0] * batch.data.shape[1]]
    swept = mbs.sweep(selected(), 1.0, inputs={"lever": ["park", "drive"]}, folder=tmp_path)
    assert np.array_equal(np.asarray(swept["place"])[:, 0], [1.0, 3.0])
    assert np.all(mbs.Stepper(selected(), 1, 0.1, inputs={"lever": "drive"}).inputs[:, 0] == 3.0)
    with pytest.raises(mbs.ModelError, match=UNKNOWN):
        mbs.simulate(selected(), 1.0, batch=mbs.Batch(inputs={"lever": ["park", "reverse"]}))


UNKNOWN = r"input 'lever' is 'reverse': give one of 'park' \(1\), 'neutral' \(2\), 'drive' \(3\)"


@pytest.mark.parametrize("value", ["reverse", ([0.0, 1.0], ["park", "reverse"]), lambda t: "reverse"])
def test_unknown_names_are_refused(value: Any) -> None:
    """The message lists the names with their numbers."""
    with pytest.raises(mbs.ModelError, match=UNKNOWN):
        mbs.simulate(selected(), 1.0, inputs={"lever": value})


@pytest.mark.parametrize("law", [lambda t: True, lambda t: t > -1.0, lambda t: 1, lambda t: np.bool_(True)])
def test_functions_for_booleans(law: Callable[[mbs.Expression], Any]) -> None:
    """They return True or False, 1 or 0, or a condition; for a real number True remains an error."""
    result = mbs.simulate(selected(), 0.5, inputs={"lever": 1, "brake": law})
    assert np.all(result["braked"] == 1.0)
    real = mbs.Model("real")
    real.output("y", real.input("x"))
    with pytest.raises(mbs.ModelError, match="True, not a number"):
        mbs.simulate(real, 0.5, inputs={"x": lambda t: True})


def test_tables_are_held() -> None:
    """Between the times of a table the input keeps its value, in single runs and in batches, to the bit."""
    times, values = [0.0, 0.1, 0.2, 0.2, 0.3], [1.0, 3.0, 7.0, 2.0, 2.0]
    jumps = ([0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3], [1.0, 1.0, 3.0, 3.0, 2.0, 2.0, 2.0])
    m = mbs.Model("m", gravity=(0, 0, 0))
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    m.motor("engine", on=cart, force=1.0 * m.input("gear", kind="integer"))
    m.output("now", m.input("real", start=0.0) + mbs.signal("gear"))
    held = mbs.simulate(m, 0.4, inputs={"gear": (times, values)})
    assert held["cart.v"][-1] == pytest.approx(0.5 * (0.1 * 1.0 + 0.1 * 3.0 + 0.2 * 2.0), abs=1e-14)
    row = int(np.argmin(np.abs(held.time - 0.15)))
    assert held["now"][row] == held["gear"][row] == 3.0
    several = mbs.simulate(m, 0.4, batch=mbs.Batch(inputs={"gear": (np.array(times), np.array([values, values]))}))
    assert np.array_equal(several["cart.v"][1], several["cart.v"][0])
    assert np.allclose(several["cart.v"][0], held["cart.v"], rtol=0.0, atol=1e-14)
    real = mbs.Model("m", gravity=(0, 0, 0))
    real.motor("engine", on=real.body("cart", joint=mbs.Prismatic("x"), mass=2.0), force=1.0 * real.input("gear"))
    assert np.array_equal(mbs.simulate(real, 0.4, inputs={"gear": jumps})["cart.v"], held["cart.v"])


def test_modes_are_enumerations() -> None:
    """NAME.mode has the names of the modes, from -1, by the kind of the closure."""
    m = mbs.Model("m")
    for name in ("a", "b", "c", "d"):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.lock("latch", on="a", when=mbs.coordinate("a") > 1.0)
    m.limit("stop", on="b", upper=1.0, restitution=0.5)
    m.friction("rub", on="c", torque=1.0, stick=True)
    m.freewheel("clutch", on="d", against="a")
    items = {v.name: (v.low, v.items) for v in compiled(m).program.of_role("mode")}
    assert items == {
        "latch.mode": (-1.0, ("released", "engaged")),
        "stop.mode": (-1.0, ("open", "closed")),
        "clutch.mode": (-1.0, ("overrunning", "engaged")),
        "rub.mode": (-1.0, ("slipping_negative", "sticking", "slipping_positive")),
    }


def test_controls_of_live_pages() -> None:
    """Inputs of live pages have their kind, their bounds, and the names of their values in the text."""
    program = compiled(shuttle()).program
    data = Controls(program, (), program.new_record()).data(None, None)["inputs"]
    found = {c["name"]: (c["kind"], c["low"], c["high"], c["least"], c["most"], c["said"]) for c in data}
    assert found == {
        "brake": ("boolean", 0.0, 1.0, 0.0, 1.0, "latches the shuttle"),
        "gear": ("integer", 0.0, 5.0, 0.0, 5.0, ""),
        "lever": ("enumeration", -1.0, 1.0, -1.0, 1.0, "direction of the push: -1 back, 0 neutral, 1 forth"),
        "push": ("real", -6.0, 6.0, None, None, ""),
    }


@pytest.mark.parametrize(
    ("name", "pair", "message"),
    [
        ("brake", (0, 5), r"range of 'brake' is 5: it must lie within 0 \.\. 1"),
        ("gear", (-0.5, 2.5), r"range of 'gear' is -0\.5: give a whole number"),
        ("gear", (-1, 5), r"range of 'gear' is -1: it must lie within 0 \.\. 5"),
        ("lever", (-1, 9), r"range of 'lever' is 9: it must lie within -1 \.\. 1"),
    ],
)
def test_ranges_of_controls_are_values(name: str, pair: tuple[float, float], message: str) -> None:
    """The ends of a slider are values that the input can have; those of a real number are any numbers."""
    program = compiled(shuttle()).program
    controls = Controls(program, (), program.new_record())
    with pytest.raises(mbs.ArgumentError, match=message):
        controls.data({name: pair}, None)
    data = controls.data({"gear": (1, 3), "push": (-0.5, 2.5)}, None)["inputs"]
    assert {c["name"]: (c["low"], c["high"]) for c in data if c["name"] in ("gear", "push")} == {
        "gear": (1.0, 3.0), "push": (-0.5, 2.5),
    }  # fmt: skip
