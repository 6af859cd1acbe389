"""Models from SDFormat: random documents beside models built by hand, loops cut anywhere, frames, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.generators.loops import PlainLoops, outputs
from support.generators.sdf_documents import RING, Documented, State, random_document, random_ring

pytestmark = pytest.mark.quick


def read(tmp_path: Path, text: str, **more: object) -> mbs.Imported:
    path = tmp_path / "robot.sdf"
    path.write_text(text)
    return mbs.from_sdf(path, **more)


# -- trees --------------------------------------------------------------------------------------------


def states(robot: mbs.Imported, document: Documented, rng: np.random.Generator, floating: bool) -> tuple[State, State]:
    """Both models in one random state."""
    pairs = [("b0", robot.bodies["link 0"])] if floating else []
    moving = [name for name, kind in document.kinds.items() if kind != "fixed"]
    pairs += [(name.replace("joint", "b"), robot.joints[name].body) for name in moving]
    q, u = [], []
    for own, _ in pairs:
        body = document.model.bodies[own]
        x = rng.normal(size=len(body.coordinates))
        for k in body.joint.quaternions:
            x[k : k + 4] /= np.linalg.norm(x[k : k + 4])
        q.append(x)
        u.append(rng.normal(size=len(body.rates)))
    hand = State(document.model, [own for own, _ in pairs], q, u)
    return hand, State(robot.model, [body for _, body in pairs], q, u)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("version", tiers(["1.12", "1.4", "1.6", "1.7", "1.9"], usual=2))
@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_random_trees_are_those_built_by_hand(seed: int, version: str, floating: bool, tmp_path: Path) -> None:
    """Mass matrix, accelerations and energy, for all kinds of joints, directions and forms of poses and axes."""
    rng = np.random.default_rng([seed, int(version[2:]), floating])
    document = random_document(rng, version=version, floating=floating)
    robot = read(tmp_path, document.text)
    assert robot.notes == [] and not robot.model.loops
    hand, read_ = states(robot, document, rng, floating)
    assert np.abs(read_.M - hand.M).max() < 1e-12 * np.abs(hand.M).max()
    assert abs(read_.energy - hand.energy) < 1e-11 * (1.0 + abs(hand.energy))
    condition = np.linalg.cond(hand.M)
    assert (
        np.abs(read_.a - hand.a).max() < 1e-14 * condition * (1.0 + np.abs(hand.a).max()) + 1e-11 * np.abs(hand.a).max()
    )


# -- loops --------------------------------------------------------------------------------------------


def accelerations(robot: mbs.Imported) -> np.ndarray:
    """Accelerations of all links at rest in the poses of the file."""
    for link, body in robot.bodies.items():
        if body != "world":
            robot.model.output(f"a_{link}", mbs.acceleration(body))
            robot.model.output(f"w_{link}", mbs.angular_acceleration(body))
    found = outputs(PlainLoops(robot.model))
    return np.concatenate([found[name] for name in sorted(found)])


@pytest.mark.usual
@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_a_loop_may_be_cut_anywhere(seed: int, tmp_path: Path) -> None:
    """Accelerations are the same whichever joint is cut, with springs and dampers of the joint that is cut."""
    text = random_ring(np.random.default_rng(seed))
    usual = read(tmp_path, text)
    assert list(usual.model.loops) == ["j3"], "the ball is cut first"
    assert usual.joints["j3"].coordinate is None and usual.joints["j0"].coordinate == 1
    expected = accelerations(usual)
    for k in range(len(RING)):
        robot = read(tmp_path, text, cut=[f"j{k}"])
        assert list(robot.model.loops) == [f"j{k}"] and robot.notes == []
        found = accelerations(robot)
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max(), k


@pytest.mark.slow
def test_a_cut_loop_moves_as_the_uncut_one(tmp_path: Path) -> None:
    """Energy and positions of a run, cut at a hinge, a slide and a ball."""
    text = random_ring(np.random.default_rng(5))
    runs = []
    for cut in ("j0", "j2", "j3"):
        robot = read(tmp_path, text, cut=[cut])
        robot.model.output("energy", mbs.energy())
        robot.model.output("tip", mbs.position(robot.bodies["l3"], (0.1, 0.2, 0.3)))
        runs.append(mbs.simulate(robot.model, 0.5, rtol=1e-10, output_interval=0.1))
    for run in runs[1:]:
        assert np.abs(run["energy"] - runs[0]["energy"]).max() < 1e-6 * np.ptp(runs[0]["energy"])
        assert np.abs(run["tip"] - runs[0]["tip"]).max() < 1e-6


def test_which_joint_is_cut(tmp_path: Path) -> None:
    """Balls, then universals, then fixed joints, then the joint to a link that another joint leads to."""
    for kinds, cut in {
        ("revolute", "universal", "ball", "fixed", "revolute", "revolute", "revolute"): "j2",
        ("revolute", "universal", "prismatic", "fixed", "revolute", "revolute", "revolute"): "j1",
        ("revolute", "revolute", "prismatic", "fixed", "revolute", "revolute", "revolute", "revolute"): "j3",
    }.items():
        assert list(read(tmp_path, random_ring(np.random.default_rng(1), kinds)).model.loops) == [cut]
