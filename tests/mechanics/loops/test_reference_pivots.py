"""Reference pivots of rows: the sizes with which eliminated rows are compared."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.generators.loops import PlainLoops
from support.generators.mechanisms import random_rotation

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("seed", range(4))
def test_the_pivot_of_a_point_on_a_plane(seed: int) -> None:
    """It is the mobility of the free body along the normal n, with the mean inertia J, half the trace of that about the
    centre of mass c: 1/m + |(r - c) × n|²/J, whatever the axes.
    """
    rng = np.random.default_rng([71, seed])
    R, (x, y, z) = random_rotation(rng), rng.uniform(0.1, 1.0, size=3)
    com, point, normal = rng.normal(size=(3, 3))
    normal /= np.linalg.norm(normal)
    m = mbs.Model("held", gravity=(0, 0, 0))
    body = m.body(
        "body", joint=mbs.Free(), mass=2.0, com=com, inertia=R @ np.diag([y + z, z + x, x + y]) @ R.T,
    )  # fmt: skip
    m.close("plane", "world", body, mbs.OnPlane(normal), at_a=point, at_b=point)
    plain = PlainLoops(m)
    arm = np.cross(point - com, normal)
    assert plain.get(plain.R, "scales") == pytest.approx([0.5 + arm @ arm / (x + y + z)], rel=1e-12)
