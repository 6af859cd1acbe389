"""Massless shafts against bodies with tiny inertia, and against springs in series."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs

TINY = 1e-8  #: kg m², of a shaft with mass; its natural frequency with 1e4 N.m/rad is far above all others


def train(between: Callable[[mbs.Model], object]) -> mbs.Model:
    """Two inertias with a shaft between them; the first gear has the ratio 3, the second 2."""
    m = mbs.Model("train", gravity=(0, 0, 0))
    for name, inertia in (("a", 1.0), ("b", 2.0)):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(inertia, inertia, inertia))
    m.motor("drive", on="a", torque=5.0 * mbs.sin(30.0 * mbs.time))
    between(m)
    m.output("energy", mbs.energy())
    return m


def with_body(m: mbs.Model) -> None:
    """A shaft with a tiny inertia between two elastic gears: a = 3 shaft, shaft = 2 b."""
    m.body("shaft", joint=mbs.Revolute("x"), mass=1.0, inertia=(TINY, TINY, TINY))
    m.gear("first", "a", "shaft", ratio=3.0, stiffness=1e4, damping=10.0)
    m.gear("second", "b", "shaft", ratio=0.5, stiffness=1e4, damping=10.0)


def test_massless_shaft_is_the_limit_of_a_light_one() -> None:
    """Coordinates agree to the share of the inertia that is left out."""
    light, massless = (
        mbs.simulate(train(between), 0.5, method="rodas5p", rtol=1e-9, atol=1e-11, output_interval=0.05)
        for between in (with_body, lambda m: m.shaft("shaft", [("a", 3.0, 1e4, 10.0), ("b", 0.5, 1e4, 10.0)]))
    )
    for name in ("a.phi", "b.phi", "a.w", "b.w"):
        size = np.abs(light[name]).max()
        assert np.abs(light[name] - massless[name]).max() < 1e-6 * size, name  # both runs hold 1e-9 a step


@pytest.mark.parametrize("damping", [0.0, 10.0])
def test_couplings_in_series_equal_one(damping: float) -> None:
    """Two springs at one ratio are one of half the stiffness; with dampers in proportion too."""
    one, two = (
        mbs.simulate(train(between), 0.5, rtol=1e-10, atol=1e-12, output_interval=0.05)
        for between in (
            lambda m: m.spring("shaft", on="a", against="b", stiffness=500.0, damping=damping / 2),
            lambda m: m.shaft("shaft", [("a", 1.0, 1000.0, damping), ("b", 1.0, 1000.0, damping)]),
        )
    )
    for name in ("a.phi", "b.phi", "energy"):
        assert np.abs(one[name] - two[name]).max() < 1e-8 * max(1.0, np.abs(one[name]).max()), name


@pytest.mark.quick
def test_messages_name_the_remedy() -> None:
    m = train(lambda m: None)
    m.body("ball", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    good = ("a", 1.0, 1.0, 1.0)
    for couplings, message in (
        ([good], "give two"),
        ([good, ("b", 1.0, 1.0)], "coupling 2 of shaft 'x' is"),
        ([good, ("b", 0.0, 1.0, 1.0)], "ratio of coupling 2 of shaft 'x' is 0"),
        ([good, ("b", 1.0, -1.0, 1.0)], "stiffness of coupling 2 of shaft 'x' is -1"),
        ([good, ("ball", 1.0, 1.0, 1.0)], "has a ball or free joint"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            m.shaft("x", couplings)
    assert list(m.forces) == ["drive"] and not m.states
