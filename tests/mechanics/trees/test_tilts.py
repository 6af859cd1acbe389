"""Small tilts are preserved: of joint axes, of places on bodies, of joints that close loops."""

from __future__ import annotations

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.model.geometry.axes import SNAP
from mbs_fmu.model.geometry.poses import rotation_matrix
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops
from support.generators.mechanisms import Plain, random_inertia, random_joint
from support.oracles.dense import Dense

EPS = float(np.finfo(float).eps)
KINDS = ("revolute", "prismatic", "universal", "compound", "screw", "cylindrical", "planar", "spherical", "weld")


def random_tilt(rng: np.random.Generator) -> np.ndarray:
    """Return a rotation by 1e-15 to 1 rad about a random direction, or about a principal axis."""
    axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.3 else rng.normal(size=3)
    return Rotation.from_rotvec(10.0 ** rng.uniform(-15, 0) * axis / np.linalg.norm(axis)).as_matrix()


def tilted(rng: np.random.Generator, joint: mbs.Joint) -> mbs.Joint:
    """Return the joint with each of its axes slightly tilted."""
    motions = []
    for m in joint.motions:
        if m.axis is not None:
            x, y, z = random_tilt(rng) @ m.axis
            m = replace(m, axis=(float(x), float(y), float(z)))
        motions.append(m)
    return mbs.Joint(tuple(motions))


def tilted_chain(seed: int) -> mbs.Model:
    """Return a chain of five bodies whose axes and places are nearly along principal axes."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("tilted")
    parent: mbs.Body | str = "world"
    for k in range(5):
        joint = random_joint(rng, str(rng.choice(KINDS if k else KINDS[:-1])))
        quarters = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], size=3)
        place = mbs.Pose(rng.normal(size=3), quarters * np.linalg.det(quarters) @ random_tilt(rng))
        solid = {"mass": 1.0 + rng.random(), "com": rng.normal(size=3), "inertia": random_inertia(rng)}
        parent = m.body(f"b{k}", parent, tilted(rng, joint), **solid, at=place)  # type: ignore[arg-type]
        m.start(parent, q=rng.normal(size=len(joint.coordinates)))
        m.output(f"x{k}", mbs.position(parent))
    return m


@pytest.mark.parametrize("seed", tiers(range(40), usual=1, quick=1))
def test_tilts_of_any_size_count(seed: int) -> None:
    """Positions and mass matrix equal those of an oracle that takes every axis without rounding it
    to a principal one.
    """
    model = tilted_chain(seed)
    plain, dense = Plain(model), Dense(model)
    plain.rates()
    plain.real.outputs(plain.R)
    slots = {v.name: v.slot for v in plain.program.variables}
    q, _ = dense.read({name: plain.R[slot] for name, slot in slots.items()})
    own = [slots[name] - plain.slice("u").start for name in dense.rates]
    M = np.array([plain.momenta(column) for column in np.eye(dense.n)]).T[np.ix_(own, own)]
    poses = dense.poses(q)
    computed = plain.R[plain.slice("outputs")].reshape(-1, 3)
    size = 1.0 + sum(np.linalg.norm(b.position[k].value) for b in model.bodies.values() for k in range(3))
    size += np.abs(q).sum()
    # tilts below SNAP count as rounding, and may be dropped once at each axis and place of the chain
    bound = (SNAP + 10 * EPS) * 15 * size
    assert np.abs(computed - [poses[name][1] for name in model.bodies]).max() < bound, (
        f"positions of {list(model.bodies)}: {computed}"
    )
    assert np.abs(M - dense.mass_matrix(q)).max() < bound * np.abs(M).max(), "mass matrix"


@pytest.mark.parametrize("angle", [1e-3, 1e-7, 1e-10, 1e-13])
def test_a_slide_runs_along_its_axis(angle: float) -> None:
    """At s = 1 it is at x = sin(angle), up to the rounding of one metre, if axis, place or parent is tilted."""
    s, c = math.sin(angle), math.cos(angle)
    pose = mbs.Pose((0, 0, 0), [[c, 0, s], [0, 1, 0], [-s, 0, c]])
    for axis, at, on in (((s, 0, c), None, None), ("z", pose, None), ("z", None, pose), ("-z", pose, None)):
        m = mbs.Model("slide")
        base = m.body("base", at=on or (0, 0, 0))
        body = m.body("body", base, mbs.Prismatic(axis), mass=1.0, at=at or (0, 0, 0))
        m.start(body, q=1.0)
        m.output("x", mbs.position(body))
        plain = Plain(m)
        plain.rates()
        plain.real.outputs(plain.R)
        x = plain.R[plain.slice("outputs")]
        assert_close(x, np.array([s, 0, c]) * (-1 if axis == "-z" else 1), 4 * EPS, "x")


@pytest.mark.parametrize("seed", tiers(range(20), usual=3, quick=3))
def test_rounded_rotations_become_exact(seed: int) -> None:
    """A matrix of seven digits becomes the nearest rotation, the orthogonal factor of its polar form."""
    rng = np.random.default_rng(seed)
    rough = random_tilt(rng) + 1e-7 * rng.uniform(-1, 1, size=(3, 3))
    R = rotation_matrix(rough, "R")
    with mpmath.workdps(40):
        nearest = mpmath.matrix(rough.tolist())
        for _ in range(6):  # Newton's iteration for the polar factor, each step squares the error
            nearest = (nearest + (nearest**-1).T) / 2
    assert_close(R, np.array(nearest.tolist(), dtype=float), 2 * EPS, "rotation")  # the last step's own rounding


def test_rounded_rotations_keep_small_entries_and_zeros() -> None:
    """A tilt by 1e-6 with ones on the diagonal is a rotation; a constant axis has exact zeros; exact rotations are
    unchanged.
    """
    R = rotation_matrix([[1, 0, 1e-6], [0, 1, 0], [-1e-6, 0, 1]], "R")
    assert R[0, 2] == pytest.approx(math.sin(math.atan(1e-6)), rel=4 * EPS, abs=0)
    assert R[1].tolist() == [0, 1, 0] and R[:, 1].tolist() == [0, 1, 0]
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert rotation_matrix(quarter, "R").tolist() == quarter


@pytest.mark.parametrize("angle", [1e-5, 5e-10, 1e-12])
def test_a_loop_keeps_the_angle_between_its_axes(angle: float) -> None:
    """The axes of a universal joint that closes a loop keep their deviation from 90 degrees."""
    m = mbs.Model("loop")
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.close("closed", "world", body, mbs.Universal(("x", (math.sin(angle), math.cos(angle), 0))))
    m.start(body, q=(0, 0, 0, 1, 0, 0, 0))
    plain = PlainLoops(m)
    assert_close(plain.R[plain.slice("residuals")], 0.0, 4 * EPS, "residual")
