"""Results of passes that a model needs, by what its laws read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_with_stages
from mbs_fmu.compile.gather import Gathered
from mbs_fmu.compile.laws.needs import Needs
from mbs_fmu.integrate.methods.table import STANDARD

pytestmark = pytest.mark.quick

MEASURES: dict[str, tuple[Callable[[mbs.Body], object], Needs]] = {
    "coordinate": (mbs.coordinate, Needs()),
    "position": (mbs.position, Needs(pose=True)),
    "velocity": (mbs.velocity, Needs(pose=True, twist=True)),
    "energy": (lambda rod: mbs.energy(), Needs(pose=True, energy=True)),
    "momentum": (lambda rod: mbs.momentum(), Needs(pose=True, twist=True, totals=True)),
    "acceleration": (mbs.acceleration, Needs(pose=True, twist=True, instantaneous=True)),
}


def pendulum() -> tuple[mbs.Model, mbs.Body]:
    m = mbs.Model("pendulum")
    return m, m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))


def gathered(model: mbs.Model) -> Gathered:
    return compile_with_stages(model, "cholesky", {}, STANDARD)[1].gathered


@pytest.mark.parametrize("name", MEASURES)
def test_outputs_decide_what_they_need(name: str) -> None:
    """The needs are those of the measure; the rates need nothing."""
    measure, expected = MEASURES[name]
    m, rod = pendulum()
    m.output("x", measure(rod))  # type: ignore[arg-type]
    assert gathered(m).needs == expected and gathered(m).in_rates == Needs()


def test_rates_need_what_forces_read() -> None:
    """A torque that reads a position needs poses; one that multiplies it by zero does not."""
    for gain, expected in ((2.0, Needs(pose=True)), (0.0, Needs())):
        m, rod = pendulum()
        m.motor("drive", on=rod, torque=1.0 + gain * mbs.position(rod)[0])
        assert gathered(m).in_rates == gathered(m).needs == expected
