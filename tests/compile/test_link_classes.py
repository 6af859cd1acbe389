"""Links and their classes: few links for the motions of a joint, and few classes for the links of a model."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.tree.classes import MOST_CLASSES, classify
from mbs_fmu.compile.tree.tree import build_tree
from support.generators.mechanisms import random_rotation

pytestmark = pytest.mark.quick
BALL = mbs.Spherical().motions
MOTIONS = [*(mbs.turn(axis) for axis in "xyz"), *(mbs.slide(axis) for axis in "xyz")]


JOINTS = {
    "one axis": (mbs.Revolute((1, 2, 3)), 1),
    "principal axes": (mbs.Compound(mbs.turn("x"), mbs.slide("z"), mbs.turn("y")), 1),
    "a ball on a slide": (mbs.Compound(mbs.slide("x"), *BALL), 1),
    "a tilted second axis": (mbs.Compound(mbs.turn("x"), mbs.turn((1, 2, 3))), 2),
    "a ball on a tilted slide": (mbs.Compound(mbs.slide((1, 2, 3)), *BALL), 2),
    "a ball on two slides": (mbs.Compound(mbs.slide("x"), mbs.slide((1, 2, 3)), *BALL), 3),
}


@pytest.mark.parametrize("name", JOINTS)
def test_motions_share_a_link_as_long_as_their_axes_do(name: str) -> None:
    """A link has one set of axes: a further motion needs a link of its own only if its axes are others."""
    joint, links = JOINTS[name]
    m = mbs.Model("joint")
    m.body("body", joint=joint, mass=1.0, inertia=(1, 1, 1))
    assert len(build_tree(m).links) == links


def chain(kinds: list[mbs.Joint], rotations: list[np.ndarray]) -> mbs.Model:
    """A chain of bodies with these joints in turn, in places with these rotations."""
    m, rng, parent = mbs.Model("chain"), np.random.default_rng(0), "world"
    for k, rotation in enumerate(rotations):
        at, com = mbs.Pose(rng.normal(size=3), rotation), rng.normal(size=3)
        parent = m.body(f"b{k}", parent, kinds[k % len(kinds)], 1.0, com, (1, 1, 1), at).name
    return m


def quarter_turns(rng: np.random.Generator) -> np.ndarray:
    """A random one of the 24 rotations that map principal axes to principal axes."""
    R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], size=3)
    return R * np.linalg.det(R)


def test_motions_of_many_kinds_of_joints_get_links_of_their_own() -> None:
    """Of 24 kinds, links with single motions have few classes."""
    rng = np.random.default_rng(0)
    kinds = [mbs.Compound(*(MOTIONS[i] for i in rng.permutation(6)[:3])) for _ in range(24)]
    classified = classify(chain(kinds, [random_rotation(rng) for _ in kinds]))
    assert len(classified.classes) <= MOST_CLASSES
    assert len(classified.tree.links) == 3 * len(kinds)


def test_joints_of_few_kinds_in_many_places_stay_whole() -> None:
    """Quarter turns between 30 bodies would make more than 16 classes; general turns have few, with a link a body."""
    rng = np.random.default_rng(0)
    kinds = [mbs.Compound(mbs.turn("x"), mbs.slide("y")), mbs.Compound(mbs.turn("z"), mbs.turn("x"))]
    classified = classify(chain(kinds, [quarter_turns(rng) for _ in range(30)]))
    assert len(classified.classes) <= MOST_CLASSES
    assert len(classified.tree.links) == 30


@pytest.mark.parametrize("axis", "xyz")
def test_classes_know_the_zeros_and_ones_of_places_turned_by_parameters(axis: str) -> None:
    """Of a rotation about a principal axis by a parameter, the entries that are 0 or 1 at every angle are literals."""
    m = mbs.Model("turned")
    place = mbs.Pose((1, 2, 3), mbs.axis_angle(axis, m.parameter("angle", 0.3)))
    m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1), at=place)
    entries = [float(x) if x in (0.0, 1.0) else None for x in mbs.axis_angle(axis, 0.3).ravel()]
    assert [tuple(entries)] == [c.matrix for c in classify(m).classes if c.matrix]
