"""Laws of forces along random equations, on random trees that have no other forces."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case, each
from support.comparisons import assert_close
from support.formulations import assert_same_step
from support.generators.equations import add_along
from support.generators.mechanisms import JOINTS, Plain
from support.generators.trees import moving_tree
from support.oracles.complex_steps import compare_tangents
from support.oracles.dense import Dense

pytestmark = pytest.mark.usefixtures("plain_by_default")
FREED = tuple(joint for joint in JOINTS if joint != "custom")  #: joints that have an absolute form


def tree_along(case: Case, most: int = 4) -> Model:
    """A random tree with a parameter, an input and forces along random equations."""
    m, rng = moving_tree(case, most), np.random.default_rng(case.seed)
    add_along(m, rng, (m.parameter("gain", 1.3), m.input("level", start=0.7)))
    m.output("E", mbs.energy())
    return m


@each(JOINTS, rounds=14, usual=6, quick=2)
def test_accelerations_and_energy_equal_those_of_the_dense_oracle(case: Case) -> None:
    """The oracle differentiates the equations by Leibniz' rule along the velocities; it knows no transposed rates."""
    m = tree_along(case)
    plain, dense = Plain(m), Dense(m)
    slots = {v.name: v.slot for v in plain.program.variables}
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice], D[0] = plain.rates(), 1.0
    plain.real.derive_d(plain.R, D)
    plain.real.outputs(plain.R)
    q, u = dense.read({name: plain.R[slot] for name, slot in slots.items()})
    expected = dense.accelerations(q, u)[0]
    bound = 200 * np.finfo(float).eps * np.linalg.cond(dense.mass_matrix(q))
    for name, value in zip(dense.rates, expected, strict=True):
        assert_close(D[slots[name]], value, bound * (1.0 + np.abs(expected).max()), f"acceleration {name}")
    energy = dense.energy(q, u)
    assert_close(plain.R[slots["E"]], energy, 1e-12 * (1.0 + abs(energy)), "energy")


@each(FREED, rounds=3, usual=1)
def test_the_absolute_form_is_the_same(case: Case) -> None:
    """Coordinates in equations become measures of bodies, and forces along them wrenches."""
    assert_same_step(tree_along(case, 2))


@each(JOINTS, rounds=3, usual=3, quick=1)
def test_jacobians_equal_complex_steps(case: Case) -> None:
    """The tangents of rates, which linear models, gradients and sensitivities use, are exact."""
    plain = Plain(tree_along(case))
    compare_tangents(plain, case.seed, [plain.program.state_slice, plain.slice("inputs")], "outputs")
