"""Array parameters and tables of models: what they return, what they refuse, and their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.graph import evaluate

pytestmark = pytest.mark.quick


def test_arrays_are_vectors_of_their_elements() -> None:
    """Elements are parameters with the unit of the array, and expressions in SI units."""
    m = mbs.Model("arrays")
    com = m.parameter("com", (0.0, "2 cm", 30.0), unit="mm", description="centre of mass")
    assert isinstance(com, mbs.Vector) and len(com) == 3
    assert {name: p.value for name, p in m.parameters.items()} == {"com[1]": 0.0, "com[2]": 20.0, "com[3]": 30.0}
    assert m.elements == {"com": ["com[1]", "com[2]", "com[3]"]}
    assert evaluate(com[2], lambda reference: m.parameters[reference.name].value) == pytest.approx(0.03, rel=1e-15)
    m.set_parameter("com", np.array([1.0, 2.0, 3.0]))
    m.set_parameter("com[2]", "7 mm")
    assert [p.value for p in m.parameters.values()] == [1.0, 7.0, 3.0]


@pytest.mark.parametrize("covered", [1.0, 1.5], ids=["gap", "whole"])
def test_periodic_tables_give_the_bits_of_constant_ones(covered: float) -> None:
    """Also between the last point and the first one of the next period, and where a whole period ends with a jump."""
    m, points, values = mbs.Model("periodic"), [0.0, 0.3, covered], [1.0, 2.0, 4.0]
    curve = m.table("curve", points, values, unit="kN", period=1.5)
    defaults: Callable[[Any], float] = lambda reference: m.parameters[reference.name].value  # noqa: E731
    for x in [*np.random.default_rng(3).uniform(-4.0, 4.0, size=20), *points, 1.5]:
        place = mbs.time * 0.0 + x
        number: Callable[[Any], float] = lambda r: 0.0 if r.role == "time" else defaults(r)  # noqa: E731
        pairs = ((curve(place), mbs.table), (curve.slope(place), mbs.slope))
        for found, constant in pairs:
            assert evaluate(found, number) == 1000.0 * evaluate(constant(x, points, values, period=1.5), {})
    with pytest.raises(mbs.ModelError, match="table 'curve' is periodic and has no area"):
        curve.area(0.5)


REFUSED: dict[str, tuple[Callable[[mbs.Model], Any], str]] = {
    "too few values": (lambda m: m.table("t", [0, 1, 2], [1, 2]), "table 't' needs two or more points and as many"),
    "equal points": (lambda m: m.table("t", [0, 1, 1], [1, 2, 3]), "point 3 of table 't' is 1 after 1"),
    "no number": (lambda m: m.table("t", [0, 1], [1, np.nan]), "value 2 of table 't' is nan: give a finite number"),
    "infinite point": (lambda m: m.table("t", [0, np.inf], [1, 2]), "point 2 of table 't' is inf: give a finite"),
    "changing point": (
        lambda m: m.table("t", [0, m.parameter("p", 1.0)], [1, 2]),
        "point 2 of table 't' is an expression: give a number, only the values of a table may change",
    ),
    "formula as a value": (lambda m: m.table("t", [0, 1], [1, mbs.time]), "value 2 of table 't' is an expression"),
    "out of range": (lambda m: m.table("t", [0, 1], [1, 9], max=5), r"parameter 't\[2\]' is 9: it must lie within"),
    "short period": (lambda m: m.table("t", [0, 2], [1, 2], period=1), "the points of table 't' cover 2, more than"),
    "one value": (lambda m: m.table("t", [0, 1], 7), "the values of table 't' are 7: give a list of numbers"),
    "no elements": (lambda m: m.parameter("v", ()), "parameter 'v' has no numbers: give one, or several"),
    "text": (lambda m: m.parameter("v", (1, "a")), r"parameter 'v\[2\]' must be a number, not the text 'a'"),
    "matrix": (lambda m: m.parameter("v", [[1, 2], [3, 4]]), r"parameter 'v\[1\]' must be a number"),
    "taken": (lambda m: (m.table("t", [0, 1], [1, 2]), m.input("t")), "'t' is taken by an array parameter"),
    "longer": (lambda m: m.set_parameter("k", [1, 2, 3]), "'k' has 2 elements and gets 3 values: give 2"),
    "number for an array": (lambda m: m.set_parameter("k", 1.0), "'k' is 1.0: give 2 numbers, one for each element"),
    "terminal of an element": (
        lambda m: m.terminal("t", {"k": "k[1]"}),
        r"terminal 't': no input, output or parameter 'k\[1\]'; there are k",
    ),
    "inflow": (lambda m: m.terminal("t", {"k": "k"}, inflows=["k"]), "inflow 'k' of terminal 't' is the vector 'k'"),
    "misspelt": (
        lambda m: (m.parameter("curve", (1.0, 2.0)), m.set_parameter("curv", [1, 2])),
        r"unknown parameter 'curv' \(did you mean 'curve'\?\); parameters of model 'refusals': k, curve",
    ),
    "points of a run": (lambda m: m.set_parameter("k.points", [1]), "unknown parameter 'k.points'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_name_thing_value_and_remedy(case: str) -> None:
    """The model then has the parameters that it had before."""
    act, message = REFUSED[case]
    m = mbs.Model("refusals")
    m.parameter("k", (1.0, 2.0))
    before = {name: p.value for name, p in m.parameters.items()}
    with pytest.raises(mbs.ModelError, match=message):
        act(m)
    assert {name: p.value for name, p in m.parameters.items() if name in before} == before
    assert "v" not in m.arrays


def test_runs_and_batches_name_arrays() -> None:
    """Misspelt names are compared with those of arrays, not of their elements; ragged rows get the shape to give."""
    m = mbs.Model("named")
    m.output("y", m.parameter("torque_curve", (1.0, 2.0, 3.0)))
    ragged = mbs.Batch(parameters={"torque_curve": [[1, 2, 3], [1, 2]]})
    with pytest.raises(mbs.ArgumentError, match="give one row of 3 numbers for each member"):
        mbs.simulate(m, 1.0, batch=ragged)
    with pytest.raises(mbs.ArgumentError, match=r"\(did you mean 'torque_curve'\?\); .*: torque_curve$"):
        mbs.simulate(m, 1.0, parameters={"torque_curv": 3})
