"""Elastic bodies in mechanisms, against Lagrange's equations of their energy (docs/equations.md, F)."""

from __future__ import annotations

import numpy as np
import pytest
from bent import bent_loops, bent_tree
from cases import tiers
from dense_elastic import DenseElastic
from loops import PlainLoops, outputs, state
from probes import STEP, close

import mbs_fmu as mbs
from mbs_fmu.model.model import Model

SOLVERS = ("cholesky", "sweep")


def accelerations(plain: PlainLoops, dense: DenseElastic) -> np.ndarray:
    """The rates of the joint velocities along the motion."""
    slots = {v.name: v.slot for v in plain.program.of_role("rate")}
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice] = plain.rates()
    plain.real.derive_d(plain.R, D)
    return np.array([D[slots[name]] for name in dense.rates])


@pytest.mark.parametrize("seed", tiers(range(24), usual=10, quick=4))
def test_trees_move_as_by_lagrange(seed: int) -> None:
    """M, u, the accelerations and the energy."""
    m = bent_tree(seed, 1 + seed % 6, modes=1 + seed % 4)
    m.output("E", mbs.energy())
    plain, dense = PlainLoops(m, SOLVERS[seed % 2]), DenseElastic(m)
    q, u = state(plain, dense)
    slots = {v.name: v.slot for v in plain.program.of_role("rate")}
    own = [slots[name] - plain.slice("u").start for name in dense.rates]
    M = plain.mass_matrix(plain.R)[np.ix_(own, own)]
    close(M, dense.mass_matrix(q), 1e-13)
    plain.rates()
    close(state(plain, dense)[1], u, 1e-15 * np.linalg.cond(M))
    bound = 200 * np.finfo(float).eps * np.linalg.cond(M)
    exact = dense.accelerations(q, u)[0]
    assert np.linalg.norm(accelerations(plain, dense) - exact) <= bound * np.linalg.norm(exact)
    plain.real.outputs(plain.R)
    assert plain.R[plain.slice("outputs")][0] == pytest.approx(dense.energy(q, u), rel=1e-12, abs=1e-12)
