"""Warnings about fast rotation of elastic bodies without foreshortening."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
import mbs_fmu as mbs
from mbs_fmu.elastic.shapes import invariants
from mbs_fmu.model.model import Model
from support.oracles.elastic_pieces import random_pieces
from support.oracles.finite_elements import line

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

ROD = line(6).modes(modes=1).keep(count=2, held="root")  #: of finite elements
BEAM = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="z")


def spinning(modes: mbs.Modes, share: float, on: mbs.Joint | None = None) -> Model:
    """A blade on a hub that turns at a fraction of the blade's first frequency when held."""
    m = Model("rotor", gravity=(0, 0, 0))
    hub = m.body("hub", joint=on or mbs.Revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("blade", hub, elastic=modes, at=(0.1, 0, 0))
    m.start(hub, u=(0,) * (len(m.bodies["hub"].rates) - 1) + (2 * math.pi * share * modes.held("root")[0],))
    return m


def warned(call: Callable[[], object]) -> list[str]:
    """Warnings of a call, which must point to this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(w.category is UserWarning and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


def run(model: Model) -> Callable[[], object]:
    return lambda: mbs.simulate(model, 1e-4, method="rk4", step=1e-4, output_interval=1e-4)


@pytest.mark.usual
def test_finite_elements_that_turn_fast_are_warned_of() -> None:
    """Above a tenth of the first held frequency, in runs and linear models; not below, and not for beams."""
    fast = spinning(ROD, 0.02**0.5)
    for call in (run(fast), lambda: mbs.linearize(fast)):
        (warning,) = warned(call)
        assert "body 'blade' turns at up to" in warning and "no foreshortening (geometric stiffness)" in warning
    assert warned(run(spinning(ROD, 0.005**0.5))) == []
    assert warned(run(spinning(BEAM, 0.5))) == []


@pytest.mark.usual
def test_turns_of_a_free_body_count() -> None:
    """The angular velocity of the body itself counts, whatever its joints."""
    assert len(warned(run(spinning(ROD, 0.15, mbs.Free())))) == 1
    still = spinning(ROD, 0.15)
    still.body("counter", "hub", mbs.Revolute("z"), elastic=ROD)
    still.start("counter", u=-still.starts["hub"].u[0])
    assert [x.split("'")[3] for x in warned(run(still))] == ["blade"]


def test_a_run_that_fails_is_warned_of_too() -> None:
    """Failed runs are checked up to their end, since rotation may be the cause."""
    m = spinning(ROD, 0.15)
    m.state("endless", 1e200 * mbs.signal("endless"), start=1e200)
    with np.errstate(all="ignore"), pytest.warns(UserWarning, match="no foresh"), pytest.raises(mbs.SimulationError):
        mbs.simulate(m, 4e-4, method="rk4", step=1e-4, output_interval=1e-4)


def test_data_that_have_foreshortening_are_known(tmp_path: Path) -> None:
    """Second-order parts of the invariants suppress the warning, also in other coordinates and from files."""
    pieces = random_pieces(np.random.default_rng(1))
    straight = replace(pieces, second=0.0 * pieces.second)
    for own, has in ((pieces, True), (straight, False)):
        body = mbs.Modes(invariants(own), np.eye(3))
        body.save(tmp_path / "body.npz")
        others = (
            body.normal(),
            body.keep(count=2),
            body.combined(np.eye(3)[:, 1:]),
            mbs.Modes.load(tmp_path / "body.npz"),
        )
        assert [x.foreshortening for x in (body, *others)] == [has] * 5
    assert BEAM.foreshortening and BEAM.keep(count=1).foreshortening
    assert mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="t").foreshortening
    assert not ROD.foreshortening and not replace(BEAM, foreshortening=False).normal().foreshortening
