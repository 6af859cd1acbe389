"""Solids from meshes in models, beside beams of the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("skfem")
import skfem

import mbs_fmu as mbs


@pytest.mark.slow
def test_a_solid_swings_as_the_equivalent_beam() -> None:
    block = skfem.MeshTet.init_tensor(np.linspace(0, 1, 21), np.linspace(-0.02, 0.02, 3), np.linspace(-0.01, 0.01, 3))
    ends = {"root": lambda x, y, z: x < 1e-9, "tip": lambda x, y, z: x > 1 - 1e-9}
    solid = mbs.Modes.solid((block.p.T, block.t.T), E=2.1e11, nu=0.3, density=7800.0, frames=ends)
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=10)
    m = mbs.Model("pendulums", gravity=(0, 0, -9.81))
    for name, modes in (("solid", solid), ("beam", beam)):
        body = m.body(name, joint=mbs.Revolute("y"), elastic=modes.keep(count=3, held="root"), damping=0.02)
        m.output(f"{name}_tip", mbs.position(body.node("tip")), unit="m")
        m.output(f"{name}_bend", mbs.deformation(body, "tip"))
    result = mbs.simulate(m, 0.4, rtol=1e-7)
    np.testing.assert_allclose(result["solid_tip"], result["beam_tip"], atol=1e-4)
    bend = result["beam_bend.d"][:, 2]
    assert np.abs(bend).max() > 1e-5
    np.testing.assert_allclose(result["solid_bend.d"][:, 2], bend, atol=0.03 * np.abs(bend).max())
