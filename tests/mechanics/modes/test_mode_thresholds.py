"""Constraint modes where forces are zero, exactly or but for rounding."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from mbs_fmu.kernels.tolerances import ZERO_SHARE
from support.generators.mechanisms import Plain
from support.undecided import Undecided

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("largest", ["p_dot", "multiplier_rates"])
def test_a_pull_below_the_rounding_of_the_largest_force_releases_no_contact(largest: str) -> None:
    """Of two equal bodies on a floor, one pulls at the floor with about ZERO_SHARE times the largest force.

    The largest force may be a generalized one or that of the other contact. A pull of half this size counts as zero,
    one of twice this size releases the contact.
    """
    m = mbs.Model("pair")
    for name in ("left", "right"):
        m.body(name, joint=mbs.Prismatic("z"), mass=1.0)
        m.contact(f"{name}_floor", "world", name, mbs.OnPlane("z"))
    plain = Plain(m)
    size = 1e6
    for share, mode in ((0.5, 0.0), (2.0, -1.0)):
        R = plain.R.copy()
        assert plain.real.initialise(R) == 0
        R[plain.slice("modes")] = 0.0
        R[plain.slice("trial")] = 1.0
        R[plain.slice("due")] = 0.0
        R[plain.slice("p_dot")] = 1.0
        R[plain.slice("row_accelerations")] = size, 0.0
        R[plain.slice("multiplier_rates")] = 1.0, -share * ZERO_SHARE * size
        R[plain.slice(largest).start] = size
        assert plain.real.change_inadmissible(R, 0) == (mode != 0.0)
        assert R[plain.slice("modes")].tolist() == [0.0, mode]


@pytest.mark.parametrize(("restitution", "mode"), [(0.0, 0.0), (0.5, -1.0)])
def test_a_contact_without_restitution_holds_after_its_impact(restitution: float, mode: float) -> None:
    """Without any force no acceleration engages a contact again: the impact itself leaves it engaged, or released."""
    m = mbs.Model("ball", gravity=(0, 0, 0))
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=restitution)
    m.start("ball", u=-1.0)
    plain = Undecided(m)
    R = plain.decide()
    assert plain.get(R, "modes").tolist() == [mode]
    assert plain.get(R, "u") == pytest.approx([restitution], abs=1e-15)
