"""Rows of runs as starts: a state of a run closes all loops, also at rest, where velocities are rounding."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.loops import LOOP_COMPANIONS, closed

pytestmark = pytest.mark.usefixtures("in_plain_python")

OK = 0


@each(LOOP_COMPANIONS, rounds=17, usual=4, quick=1)
def test_held_velocities_of_any_size_may_miss_the_loops_by_rounding(case: Case) -> None:
    """A start with all velocities held is valid if they close the loops up to the rounding of a state at rest.

    The size of the velocities is that of a motion, a slow motion, or of rounding itself.
    """
    plain = closed(case)
    rng = np.random.default_rng(case.seed)
    u, held = plain.slice("u"), plain.slice("free_rates")
    speeds = plain.R[u].copy()
    for scale in (1.0, 1e-8, 1e-14, 0.0):
        R = plain.program.new_record()
        for name in ("q", "u", "z"):
            R[plain.slice(name)] = plain.R[plain.slice(name)]
        R[u] = scale * speeds + 1e-16 * rng.normal(size=speeds.size) * (1.0 if scale < 1.0 else np.abs(speeds).max())
        wanted = R[u].copy()
        R[plain.slice("free")] = R[held] = 0.0
        assert plain.real.initialise(R) == OK, (scale, plain._failure(plain.real.initialise(R)))
        # momenta carry velocities, and the part that opens the loops, with errors times the condition of M
        bound = np.linalg.cond(plain.mass_matrix(R)) * (1e-14 * np.abs(wanted).max() + 1e-15)
        assert_close(R[u], wanted, bound, "start velocity")


def damped(seed: int) -> Model:
    """A four-bar linkage with random lengths and dampers, which fall to rest."""
    rng = np.random.default_rng([16, seed])
    m = Model("damped", gravity=(0, -9.81, 0))
    above, hinge, last = "world", mbs.Revolute("z"), 0.0
    for k, (length, angle) in enumerate(zip(rng.uniform(0.8, 1.2, 3), (1.2, -1.2, -1.3), strict=True)):
        m.body(f"b{k}", above, hinge, mass=1.0, com=(0.5 * length, 0, 0), inertia=(0.1, 0.1, 0.1), at=(last, 0, 0))
        m.spring(f"d{k}", on=f"b{k}", damping=float(rng.uniform(4.0, 6.0)))
        m.start(f"b{k}", q=angle, guess=k > 0)
        above, last = f"b{k}", float(length)
    m.close("pin", above, "world", hinge, at_a=(last, 0, 0), at_b=(1.2, 0, 0))
    return m


@pytest.mark.parametrize("seed", tiers(range(10), usual=1))
def test_each_row_of_a_linkage_that_comes_to_rest_is_a_start(seed: int) -> None:
    """Rates decay to rounding, 1e-16, and the start keeps the position."""
    m = damped(seed)
    run = mbs.simulate(m, 60.0, method="rk4", step=0.05, output_interval=6.0)
    names = [name for name in run.columns if name.split(".")[-1] in ("phi", "w")]
    for row in range(len(run)):
        start = {name: float(run[name][row]) for name in names}
        again = mbs.simulate(m, 1e-3, start=start, method="rk4", step=1e-3, output_interval=1e-3)
        assert abs(again["b0.phi"][0] - run["b0.phi"][row]) < 1e-6
