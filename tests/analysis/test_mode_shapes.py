"""Animated eigenmodes: motions of the linear model, to first order, and of visible size."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.linear.mode_shapes import LARGEST_ROTATION, SWINGS, ModeShape
from mbs_fmu.view.page import Page
from mbs_fmu.view.poses import poses
from support.comparisons import assert_close

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def shape(lin: mbs.LinearModel, k: int) -> ModeShape:
    assert lin.model is not None
    values, vectors = lin.modes()
    return ModeShape(lin.model, lin.values, lin.parameters, lin.time, k, complex(values[k]), lin.shape(vectors[:, k]))


def test_eigenmodes_of_loops_keep_them_closed_to_first_order() -> None:
    """The gap of the loop is quadratic in the amplitude, which is that of the coordinate that moves most."""
    m = mbs.Model("links")
    for name, at in (("a", 0.0), ("b", 1.0)):
        m.body(name, joint=mbs.Revolute("y"), at=(at, 0, 0), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        m.start(name, q=0.1, guess=name == "b")
    m.close("rod", "a", "b", mbs.Distance(1.2), at_a=(0, 0, -1), at_b=(0, 0, -1))
    lin = mbs.linearize(m)
    gaps = []
    for amplitude in (1e-2, 1e-3):
        rows = shape(lin, 0).motion(amplitude).rows
        largest = max(np.abs(rows.columns[n] - lin.values[n]).max() for n in lin.coordinates)
        assert largest == pytest.approx(amplitude, rel=1e-9)
        a, b = (poses(m, rows)[name].points((0, 0, -1)) for name in "ab")
        gaps.append(np.abs(np.linalg.norm(a - b, axis=1) - 1.2).max())
    assert gaps[0] / gaps[1] == pytest.approx(100.0, rel=0.1) and 0.0 < gaps[1] < 1e-5


def flying() -> mbs.Model:
    """Return a box on springs, with a ball on a ball joint on it."""
    m = mbs.Model("flying", gravity=(0, 0, 0))
    box = m.body("box", joint=mbs.Free(), mass=2.0, inertia=(0.1, 0.2, 0.15))
    ball = m.body("ball", box, mbs.Spherical(), at=(0.5, 0, 0), mass=0.3, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.03))
    for k, at in enumerate(((0.3, 0, 0.1), (-0.3, 0.2, 0), (0, -0.3, -0.1))):
        m.bushing(f"b{k}", "world", box, at_a=at, at_b=at, stiffness=(100.0, 70.0 + 20 * k, 50.0))
    m.bushing("neck", box, ball, at_a=(0.5, 0, 0), stiffness=(0, 0, 0), rotational_stiffness=(3.0, 4.0, 5.0))
    m.start(box, q=(0, 0, 0, 0.8, 0, 0.6, 0))
    return m


@pytest.mark.usual
def test_eigenmodes_oscillate_at_their_frequency() -> None:
    """They show several periods, with at most 0.3 rad; quaternions keep length one."""
    lin = mbs.linearize(flying(), start={})
    for k, value in enumerate(lin.modes().values):
        rows = shape(lin, k).motion(None).rows
        for name, count in (("box", 4), ("ball", 1)):
            q = np.array([rows.columns[f"{name}.q[{i}]"] for i in range(count, count + 4)])
            length = np.linalg.norm(q, axis=0)
            assert_close(length, 1.0, 1e-14, f"length of the quaternion of body {name!r}, mode {k}", times=rows.time)
        if value.imag:
            assert rows.time[-1] == pytest.approx(SWINGS * 2 * np.pi / abs(value.imag))
        still, moved = (poses(lin.model, x) for x in (shape(lin, k).motion(0.0).rows, rows))  # type: ignore[arg-type]
        turns = [np.linalg.norm(f.R - still[name].R, axis=(1, 2)).max() for name, f in moved.items()]
        assert max(turns) / np.sqrt(2) < 1.01 * LARGEST_ROTATION


def test_eigenvalues_of_rounding_size_do_not_oscillate() -> None:
    """The two zeros of a free cart may become a pair of 1e-11 i: it is displayed without oscillation."""
    m = mbs.Model("carts")
    for name in ("held", "loose"):
        m.body(name, joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="held", stiffness=4.0)
    lin = mbs.linearize(m)
    A = lin.A.copy()
    A[lin.states.index("loose.v"), lin.states.index("loose.s")] = -1e-22
    rough = replace(lin, A=A)
    assert 0.0 < abs(rough.modes().values[0].imag) < 1e-10
    page = rough.animate(0)
    assert isinstance(page, Page) and "mode 0: eigenvalue 0 1/s" in page.text


def test_pages_of_eigenmodes_display_the_eigenvalue() -> None:
    """Modes that cannot be displayed are refused."""
    m = mbs.Model("cart")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", "world", cart, stiffness=4.0, at_a=(-1, 0, 0))
    m.state("slow", rate=lambda x: -0.1 * x)
    lin = mbs.linearize(m)
    page = lin.animate(1, plots=["cart.s"])
    assert isinstance(page, Page) and "mode 1: eigenvalue" in page.text and "cart.s" in page.text
    for number in (3, -1, True, 0.5):
        with pytest.raises(mbs.ModelError, match=r"mode is .*: give a number of modes\(\), from 0 to 2"):
            lin.animate(number)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match=re.escape("mode 0 of 'cart' moves no coordinate, only signal states")):
        lin.animate(0)
    with pytest.raises(mbs.ModelError, match="has no model"):
        replace(lin, model=None).animate(1)
