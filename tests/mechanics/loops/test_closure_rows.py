"""The velocities that each closure forbids are those of its definition, by the dense oracle."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import LOOP_JOINTS, PlainLoops, close_between, poses_of_tree, state
from support.generators.mechanisms import random_inertia
from support.oracles.dense import Dense

CURVES = ("spline", "roller", "ellipses", "cams")  #: with contact parameters, which take seconds to trace
KINDS = [*(kind for kind in LOOP_JOINTS if kind not in CURVES), *CURVES]


def pair(kind: str) -> Model:
    """Return two free bodies that a closure of this kind joins."""
    rng = np.random.default_rng(3)
    m = mbs.Model("pair")
    for name in ("one", "two"):
        m.body(name, joint=mbs.Free(), mass=1.0, com=0.2 * rng.normal(size=3), inertia=random_inertia(rng))
        m.start(name, q=(*(0.3 * rng.normal(size=3)), 1, *(0.4 * rng.normal(size=3))))
    close_between(m, rng, "loop", kind, "one", "two", poses_of_tree(m))
    return m


def projection(rows: np.ndarray) -> np.ndarray:
    """Return the orthogonal projection onto the span of rows, which does not depend on their scale and combination."""
    return np.linalg.pinv(rows, rcond=1e-9) @ rows


@pytest.mark.parametrize("kind", tiers(KINDS, usual=len(KINDS) - len(CURVES) + 1, quick=6))
def test_rows_of_every_closure_forbid_the_velocities_of_its_definition(kind: str) -> None:
    """Rows of the kernels and of the dense oracle span the same space, also those that bind velocities only."""
    plain, dense = PlainLoops(pair(kind)), Dense(pair(kind))
    q, _ = state(plain, dense)
    slots = {v.name: v.slot - plain.slice("u").start for v in plain.program.of_role("rate")}
    rows = plain.jacobian(plain.R)[:, [slots[name] for name in dense.rates]]
    assert np.linalg.matrix_rank(rows, tol=1e-9) == dense.n - dense.degrees_of_freedom(q)
    assert_close(projection(rows), projection(dense.jacobian(q)), 1e-9, f"{kind}: forbidden velocities", dense.rates)
