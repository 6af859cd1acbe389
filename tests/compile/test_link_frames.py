"""Link frames after Denavit and Hartenberg: bodies move as before, with fewer changes of frame between hinges."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.tree import tree
from mbs_fmu.compile.tree.classes import classify
from mbs_fmu.compile.tree.links import Tree
from mbs_fmu.compile.tree.rotations import elementary, planar_factors, quarters
from mbs_fmu.symbolic.expressions import is_literal
from support.generators.mechanisms import random_inertia, random_pose, random_rotation

pytestmark = pytest.mark.quick


def hinges(seed: int, count: int, chain: bool = False, parameters: bool = False) -> mbs.Model:
    """Return a tree of hinges and a few slides at generic places; places by parameters, if requested."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("hinges")
    names = ["world"]
    for k in range(count):
        pose = random_pose(rng) if not chain else mbs.Pose(rng.normal(size=3), random_rotation(rng))
        at = pose
        if parameters:
            p = [m.parameter(f"p{k}_{i}", float(x), unit="m") for i, x in enumerate(pose.position)]
            at = mbs.Pose(p, pose.rotation)
        aligned = not chain and rng.random() < 0.5
        axis = "xyz"[rng.integers(3)] if aligned else rng.normal(size=3)
        joint = mbs.Prismatic(axis) if not chain and rng.random() < 0.2 else mbs.Revolute(axis)
        m.body(
            f"b{k}", names[-1] if chain else names[rng.integers(len(names))], joint,
            mass=1 + rng.random(), com=rng.normal(size=3), inertia=random_inertia(rng), at=at,
        )  # fmt: skip
        names.append(f"b{k}")
    return m


def places(tree: Tree, offsets: list[float], q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return rotation and origin of every body in the world, from the links."""
    links: list[tuple[np.ndarray, np.ndarray]] = []
    for link, offset, x in zip(tree.links, offsets, q, strict=True):
        R, r = links[link.parent] if link.parent >= 0 else (np.eye(3), np.zeros(3))
        r = r + R @ [part.value for part in link.position]
        factors, absorbed = planar_factors(link.rotation, link.motions[0])
        for axis, angle in factors:
            R = R @ elementary(axis, angle)
        assert offset == pytest.approx(absorbed + link.offset)
        motion = link.motions[0]
        if motion.motion.spins:
            R = R @ elementary(motion.axis, x + offset)
        else:
            r = r + R[:, motion.axis] * x
        links.append((R, r))
    poses = {}
    for name, frame in tree.frames.items():
        if frame.link >= 0:
            R, r = links[frame.link]
            poses[name] = R @ frame.rotation, r + R @ [x.value for x in frame.origin]
    return poses


@pytest.mark.usual
def test_link_frames_change_no_motion_and_no_inertia(monkeypatch: pytest.MonkeyPatch) -> None:
    """For any link frames, every body keeps its place and its inertia at the same coordinates."""
    for seed in range(20):
        m = hinges(seed, 8)
        chosen = classify(m)
        with monkeypatch.context() as patch:
            patch.setattr(tree, "with_chosen_frames", lambda tree: tree)
            plain = classify(m)
        q = np.random.default_rng(seed).normal(size=8)
        ours, theirs = (places(c.tree, c.offsets, q) for c in (chosen, plain))
        for name, (R, r) in theirs.items():
            np.testing.assert_allclose(ours[name][0], R, atol=1e-13)
            np.testing.assert_allclose(ours[name][1], r, atol=1e-12)
        for a, b in zip(chosen.tree.links, plain.tree.links, strict=True):
            moments = [np.linalg.eigvalsh([[x.value for x in row] for row in _central(link)]) for link in (a, b)]
            np.testing.assert_allclose(*moments, atol=1e-11)


def _central(link: object) -> list:
    """Return the inertia about the centre of mass, which is independent of the frame."""
    m, c = link.mass, [x / link.mass for x in link.moment]
    square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
    return [[link.inertia[i][j] - m * (square * (i == j) - c[i] * c[j]) for j in range(3)] for i in range(3)]


def test_generic_chains_have_one_turn_and_two_shifts() -> None:
    """The law holds behind the first hinge, which keeps its place on the world, where no frame can be turned."""
    for seed in range(5):
        tree = classify(hinges(seed, 20, chain=True)).tree
        for link in tree.links[1:]:
            turns, _ = planar_factors(link.rotation, link.motions[0])
            assert sum(quarters(angle) is None for _, angle in turns) == 1
            assert sum(not is_literal(x, 0.0) for x in link.position) == 2


def test_places_by_parameters_have_the_same_link_frames() -> None:
    """Frames equal those with numbers: the shifts are formulas of the parameters."""
    for seed in range(5):
        fixed, free = (classify(hinges(seed, 8, chain=True, parameters=p)) for p in (False, True))
        assert fixed.of_link == free.of_link and fixed.classes == free.classes
        assert fixed.offsets == pytest.approx(free.offsets)


def test_aligned_chains_keep_the_frames_of_their_bodies() -> None:
    """A chain of hinges about x and y along z has no superfluous changes of frame: frames are those of the bodies, to
    the bit.
    """
    m = mbs.Model("aligned")
    for k in range(5):
        m.body(
            f"b{k}", f"b{k - 1}" if k else "world", mbs.Revolute("xy"[k % 2]), mass=1.0, com=(0, 0, -0.5),
            inertia=(0.1, 0.1, 0.01), at=(0, 0, -1.0 if k else 0.0),
        )  # fmt: skip
    classified = classify(m)
    assert classified.offsets == [0.0] * 5
    for link in classified.tree.links:
        assert np.array_equal(link.rotation, np.eye(3))
    for name, frame in classified.tree.frames.items():
        assert np.array_equal(frame.rotation, np.eye(3)) and all(is_literal(x, 0.0) for x in frame.origin), name


def test_nearly_parallel_axes_keep_frames_nearby() -> None:
    """A shift to the common normal, a thousand metres away, would cost digits."""
    m = mbs.Model("nearly_parallel")
    m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("b", "a", mbs.Revolute((1e-3, 0, 1)), mass=1.0, inertia=(1, 1, 1), at=(1, 1, 1))
    for frame in classify(m).tree.frames.values():
        assert max(abs(x.value) for x in frame.origin) < 2.0
