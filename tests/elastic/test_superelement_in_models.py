"""Superelements in models: a boom that spins, against the body of the full model."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

import mbs_fmu as mbs
from mbs_fmu.elastic.modes import Modes
from support.oracles.finite_elements import line
from support.oracles.superelements import Handed

Array = np.ndarray


def spun(modes: Modes, speed: float) -> Array:
    """Return how a boom on a hub bends that turns faster and faster, (steps, 3), m."""
    m = mbs.Model("arm", gravity=(0, 0, -9.81))
    hub = m.body("hub", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.drive("slew", hub, speed * (mbs.time - 0.05 * mbs.sin(mbs.time / 0.05)))
    arm = m.body("arm", hub, mbs.Weld(), elastic=modes, root="n0", damping=0.02)
    m.body("load", arm.node("n12"), mbs.Weld(), mass=1.0, inertia=(0.01,) * 3)
    m.output("bend", mbs.deformation(arm, "n12"))
    return np.asarray(mbs.simulate(m, 0.4, method="rodas5p", rtol=1e-6, atol=1e-9)["bend.d"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:model 'arm'")
def test_a_spinning_boom_moves_as_that_of_the_full_model() -> None:
    handed = Handed(line(12), [0, 12], 4)
    frames = {"n0": [0], "n12": [12]}
    whole = mbs.Modes.matrices(handed.full.nodes, handed.full.M, handed.full.K, frames, modes=4, dofs=6)
    expected, poor, fitted = (
        spun(b, 10.0) for b in (whole, handed.body(), handed.body(**handed.recovered([2, 4, 6, 8, 10])))
    )
    largest, lost, left = (np.abs(x).max() for x in (expected, poor - expected, fitted - expected))
    assert lost < 0.01 * largest  # a rotation of 10 rad/s, a third of the first frequency
    assert left < 0.2 * lost
