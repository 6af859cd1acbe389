"""Ranges of joint coordinates: they inform importers, and no value is refused because of them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.program_cache import program_of
from mbs_fmu.fmi.description.elements import number_attributes
from mbs_fmu.fmi.description.variables import variable_table
from support.oracles.robot_peers import OWN

pytestmark = pytest.mark.quick

RUN: dict[str, Any] = {"method": "rk4", "step": 0.01, "output_interval": 0.05}


def arm() -> mbs.Model:
    m = mbs.Model("arm")
    m.body("arm", joint=mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    return m


def attributes(m: mbs.Model, name: str) -> dict[str, str]:
    """Return the attributes of a variable in an FMU's description."""
    return number_attributes(next(row for row in variable_table(compile_model(m)) if row.name == name))


def test_fmus_declare_ranges_as_min_and_max() -> None:
    """FMUs declare existing bounds as min and max; the last range of a coordinate counts, and an
    empty one removes it.
    """
    m = arm()
    m.range("arm", "-30 deg", 1.5, coordinate=2)
    m.range("cart", upper=0.25)
    variable = attributes(m, "arm.q[2]")
    assert (float(variable["min"]), variable["max"]) == (-np.pi / 6, "1.5")
    assert attributes(m, "cart.s")["max"] == "0.25" and "min" not in attributes(m, "cart.s")
    assert "max" not in attributes(m, "arm.q[1]")
    m.range("cart", -1.0)
    assert attributes(m, "cart.s")["min"] == "-1.0" and "max" not in attributes(m, "cart.s")
    m.range("cart")
    assert "min" not in attributes(m, "cart.s")


def test_driven_coordinates_have_ranges() -> None:
    """The range only informs, since a driven coordinate has no start value of its own."""
    m = arm()
    m.drive("rail", on="cart", position=mbs.sin(mbs.time))
    m.range("cart", 0.5, 2.0)
    assert attributes(m, "cart.s")["max"] == "2.0"


def test_starts_outside_of_a_range_are_accepted(in_plain_python: None) -> None:
    """FMUs then omit the bounds, because FMI requires start values within them."""
    m = arm()
    m.range("cart", 0.5, 2.0)
    assert "min" not in attributes(m, "cart.s") and compile_model(m).by_name["cart.s"].start == 0.0
    m.start("cart", q=1.0)
    assert attributes(m, "cart.s")["min"] == "0.5"
    m.start("cart", q=3.0)
    assert "max" not in attributes(m, "cart.s")
    assert mbs.simulate(m, 0.1, start={"cart.s": -2.0}, **RUN)["cart.s"][0] == -2.0


def test_the_absolute_form_starts_as_the_tree_does(in_plain_python: None) -> None:
    """Ranges do not apply in absolute form, whose coordinates have the same names as others of the tree."""
    m = arm()
    m.range("arm", 0.5, 1.0, coordinate=1)
    m.start("arm", q=(0.5, 0.0))
    rows = [mbs.simulate(m, 0.02, formulation=form, **RUN)["arm.q[1]"][0] for form in ("tree", "absolute")]
    assert np.allclose(rows, 0.5, rtol=0, atol=1e-9)


def test_ranges_do_not_cause_compilation() -> None:
    """A cached program accepts a new range without compilation, also for the same version of a model."""
    m = arm()
    m.start("cart", q=1.0)
    before, version = program_of(m, "cholesky", {}, ("rk4",)), m.version
    m.range("cart", 0.5, 2.0)
    other = copy.copy(m)
    other.range("cart", 0.75, 2.0)
    after, third = (program_of(x, "cholesky", {}, ("rk4",)) for x in (m, other))
    assert m.version == version and before.text == after.text == third.text
    assert [x.by_name["cart.s"].low for x in (before, after, third)] == [None, 0.5, 0.75]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"on": "cart", "lower": 2.0, "upper": 1.0}, "range of 'cart.s': lower 2.0 lies above upper 1.0"),
        ({"on": "cart", "lower": "1 deg"}, "lower of range of 'cart.s'"),
        ({"on": "ball", "lower": 0.0}, "range: body 'ball' has a ball or free joint, whose coordinates allow no range"),
        ({"on": "arm", "lower": 0.0}, r"range: the joint of body 'arm' has 2 degrees of freedom: give coordinate=1..2"),
        ({"on": "leg", "lower": 0.0}, "range: unknown body 'leg'"),
    ],
)
def test_invalid_ranges_are_refused(arguments: dict[str, Any], message: str) -> None:
    m = arm()
    m.body("ball", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(mbs.ModelError, match=message):
        m.range(**arguments)


def test_limits_of_robot_files_become_ranges() -> None:
    """Limits are ranges."""
    ranges = mbs.from_urdf(OWN / "arm.urdf").model.ranges
    assert {name: (x.low, x.high) for name, x in ranges.items()} == {"upper.phi": (-1.5, 2.0), "hand.phi": (-3.0, 3.0)}


def test_a_robot_whose_ranges_exclude_zero_is_read(tmp_path: Any) -> None:
    path = tmp_path / "cart.urdf"
    path.write_text((OWN / "cart.urdf").read_text().replace('lower="-2"', 'lower="0.5"'))
    cart = mbs.from_urdf(path)
    assert "joint 'slide' starts at zero, outside its limits 0.5 .. 2 m" in cart.notes
    assert compile_model(cart.model).by_name[f"{cart.joints['slide'].body}.s"].start == 0.0
