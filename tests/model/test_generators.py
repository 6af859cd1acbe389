"""The generators of random mechanisms draw every public joint and every public closure, so that all laws cover them."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.closures import Pair
from mbs_fmu.symbolic.expressions import ZERO
from support.generators.loops import APART, LOOP_JOINTS, loop_joint
from support.generators.mechanisms import JOINTS, random_joint

pytestmark = pytest.mark.quick

BASES = {"Joint"}  #: public classes that only serve as bases


def public(base: type) -> set[str]:
    """Return the public classes derived from `base` that users construct."""
    things = {name: getattr(mbs, name) for name in mbs.__all__}
    return {name for name, thing in things.items() if inspect.isclass(thing) and issubclass(thing, base)} - BASES


def test_every_joint_is_drawn_for_trees() -> None:
    drawn = {type(random_joint(np.random.default_rng(seed), kind)).__name__ for kind in JOINTS for seed in range(9)}
    composed = {"KnuckleCurves"}  # a CustomJoint of splines, with laws of its own in test_knuckle_curves.py
    missing = public(mbs.Joint) - drawn - composed
    assert not missing, (
        f"no law is tested with {sorted(missing)}: add each to JOINTS of support/generators/mechanisms.py and a branch "
        "to random_joint"
    )


def test_every_closure_is_drawn_for_loops() -> None:
    rng, gap = np.random.default_rng(0), np.array([0.3, -0.4, 0.5])
    drawn = {
        type(APART[kind](rng, gap, ZERO) if kind in APART else loop_joint(rng, kind)).__name__ for kind in LOOP_JOINTS
    }
    missing = public(Pair) - public(mbs.Joint) - drawn
    assert not missing, (
        f"no law is tested with {sorted(missing)}: add each to LOOP_JOINTS of support/generators/loops.py, and to "
        "loop_joint or APART"
    )
