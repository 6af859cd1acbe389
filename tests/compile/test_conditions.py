"""Which joints can't close a loop, and that this is said."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model

REFUSED = {
    "slides are not independent": ("slide x", "turn z", "slide x"),
    "slides are not independent of each other": ("slide x", "slide y", "slide x"),
    "a slide between two parallel turns": ("turn x", "slide y", "turn x"),
    "a slide among three turns": ("turn x", "slide z", "turn y", "turn z"),
}


@pytest.mark.quick
@pytest.mark.parametrize(("said", "motions"), REFUSED.items())
def test_joints_that_close_no_loop_say_so(said: str, motions: tuple[str, ...]) -> None:
    """The loop, what about its joint is in the way, and what to do."""
    m = mbs.Model("closed")
    for name in ("a", "b"):
        m.body(name, "world", mbs.Spherical(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    joint = mbs.Compound(*(getattr(mbs, word)(axis) for word, axis in map(str.split, motions)))
    m.close("ring", "a", "b", joint)
    with pytest.raises(mbs.ModelError, match=f"ring.*{said}.*hang a body on this joint in the tree"):
        compile_model(m)
