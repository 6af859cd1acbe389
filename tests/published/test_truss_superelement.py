"""The truss boom from a superelement against its full matrices."""

from __future__ import annotations

import numpy as np
import truss_boom as boom

import mbs_fmu as mbs


def test_boom_from_a_superelement_moves_as_that_from_full_matrices() -> None:
    """Both hold their ends rigid. The superelement lacks terms of second order in rotations, and has fewer modes."""
    full = mbs.Modes.matrices(*boom.matrices(), modes=12, couple="rigid")
    m = mbs.Model("full", gravity=(0, 0, 0))
    boom.add_boom(m, full, boom.SLOW)
    models = boom.truss_boom_superelement(), m
    runs = [mbs.simulate(model, 0.3, rtol=1e-8, output_interval=0.01) for model in models]
    for name in ("root", "tip"):
        for k in (1, 2, 3):
            found, want = (run[f"{name}[{k}]"] for run in runs)
            np.testing.assert_allclose(found, want, atol=1e-4, err_msg=f"{name}[{k}], m")
    bent = [run["tip[3]"] - run["root[3]"] for run in runs]
    assert np.abs(bent[1]).max() > 0.2  # of which the effects above are a thousandth
