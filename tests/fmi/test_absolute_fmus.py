"""FMUs, of both kinds, of elastic bodies in absolute coordinates: free bodies, and closures between their nodes."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import mbs_fmu as mbs
from support.hosts.fmus import Builder, Host
from support.models.elastic_models import two_rods
from support.models.fmu_models import METHODS

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
TICK = 1 / 128  #: a communication step whose multiples are exact
INPUTS = {"torque": 5.0}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", pytest.param("native", marks=native)])
def test_fmus_have_the_numbers_of_simulate(fmu: Builder, kind: str) -> None:
    """Fixed steps: bit for bit those of the same model, and within 1e-7 those of the tree in absolute coordinates."""
    run = {"inputs": INPUTS, "output_interval": TICK}
    same = mbs.simulate(two_rods(free=True), 16 * TICK, **run, **METHODS["fine"])
    exact = mbs.simulate(two_rods(), 4 * TICK, **run, rtol=1e-11, formulation="absolute")
    with Host(fmu("two_rods", "fine", kind)) as host:
        host.start(INPUTS)
        names = list(host.references)
        rows = np.vstack([host.all(), host.run(16, TICK)])
    for name in same.columns[1:]:
        assert np.array_equal(rows[:, names.index(name)], same[name]), name
    with Host(fmu("two_rods", "tight", kind)) as host:
        rows = np.vstack([host.start(INPUTS).all(), host.run(4, TICK)])
    for name in ("place[1]", "place[3]", "bend[1]", "bend[3]", "energy", "elbow.force[1]", "elbow.force[3]"):
        difference = np.abs(rows[:, names.index(name)] - exact[name]).max()
        assert difference <= 1e-7 * max(1.0, np.abs(exact[name]).max()), name
