"""Random mechanisms with elastic bodies."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.shapes import invariants
from mbs_fmu.model.model import Model
from support.generators.loops import close_between, close_randomly, world_poses
from support.generators.mechanisms import COMPANIONS, random_inertia, random_joint, random_pose, randomize_start
from support.oracles.elastic_pieces import random_node, random_pieces

ELASTIC_BLOCK = 0.15  #: m: size of the initial modal deformations


def random_modes(rng: np.random.Generator, n: int = 3, nodes: tuple[str, ...] = ("root", "a", "b")) -> Modes:
    """Vibration modes of random pieces with every property of pieces, not in normal coordinates."""
    size = 0.3
    pieces = random_pieces(rng, 6, n)
    pieces.shapes[:] *= size
    pieces.rotations[:] *= size
    pieces.second[:] *= size / 3
    made = {name: random_node(rng, n) for name in nodes}
    for node in made.values():
        node.Y1[:] *= size
        node.Y2[:] *= size / 3
    factors = rng.normal(size=(2, n, n))
    K, D = factors @ factors.swapaxes(1, 2) + np.eye(n)
    return Modes(invariants(pieces), K, 0.1 * D, made)


def bent_tree(seed: int, count: int = 5, joints: tuple[str, ...] = COMPANIONS, modes: int = 3) -> Model:
    """A tree of elastic and rigid bodies attached to bodies and to nodes; the first body is elastic."""
    rng = np.random.default_rng(seed)
    m = Model("bent_tree", gravity=rng.normal(size=3) * 5)
    places = ["world"]
    for k in range(count):
        kind, parent = str(rng.choice(joints)), places[rng.integers(len(places))]
        joint, at = random_joint(rng, kind), random_pose(rng)
        if k == 0 or rng.random() < 0.5:
            floats = joint == mbs.Free() and rng.random() < 0.5
            stiffness = None if rng.random() < 0.5 else m.parameter(f"stiffness{k}", 0.7)
            elastic = random_modes(rng, modes)
            root = None if floats else str(rng.choice(["root", "a"]))
            body = m.body(f"b{k}", parent, joint, at=at, elastic=elastic, root=root, stiffness=stiffness)
            xi, rates = rng.normal(size=(2, modes))
            m.start(body, xi=ELASTIC_BLOCK * xi, xi_dot=rates)
            places += [node.name for node in body.nodes.values()]
        else:
            mass, com = 0.5 + rng.random(), rng.normal(size=3) * 0.3
            body = m.body(f"b{k}", parent, joint, mass=mass, com=com, inertia=random_inertia(rng), at=at)
        places.append(body.name)
        randomize_start(m, body, rng)
    return m


def bearing_body() -> Model:
    """An elastic body afloat with an arm on a hinge at a node; a force and a torque act on the arm."""
    rng = np.random.default_rng(5)
    m = Model("bearing_body", gravity=rng.normal(size=3) * 5)
    body = m.body("body", joint=mbs.Free(), elastic=random_modes(rng, 2, ("a",)))
    arm = m.body(
        "arm", body.node("a"), mbs.Revolute("y"), 1.0, rng.normal(size=3), random_inertia(rng), at=rng.normal(size=3)
    )
    m.start(body, xi=ELASTIC_BLOCK * rng.normal(size=2), xi_dot=rng.normal(size=2))
    for one in (body, arm):
        randomize_start(m, one, rng)
    m.force("push", on=arm, force=rng.normal(size=3), torque=rng.normal(size=3), resolve_in="body")
    return m


def bent_loops(seed: int, count: int = 5, loops: int = 1) -> Model:
    """An elastic tree with loops that leave it mobile; the first loop joins a node of an elastic body to the world."""
    kinds = ("revolute", "prismatic", "universal", "spherical", "distance", "line", "plane", "weld")
    joints = ("revolute", "tilted", "universal", "spherical", "free")
    rng = np.random.default_rng(seed)
    for number in range(seed, seed + 100000, 1000):
        m = bent_tree(number, count, joints)
        _, *more = (str(k) for k in rng.choice(kinds, size=loops))
        held = ("distance", "plane")[number % 2]  # assembly moves one joint only: starts do not deform bodies
        poses = world_poses(m)
        close_between(m, rng, "node", held, "world", "b0.b", poses)
        close_randomly(m, rng, more, poses)
        if sum(len(b.joint.rates) for b in m.bodies.values()) > 6 * loops:
            break
    for name, start in m.starts.items():
        m.start(name, q=start.q, u=start.u, guess=True)
    return m


def stayed_beam() -> Model:
    """A beam on a hinge whose tip is held by a rod; an input acts on the tip."""
    m = Model("stayed_beam")
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="z")
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=beam)
    m.body("load", boom.node("tip"), mass=1.0)
    m.close("stay", "world", boom.node("tip"), mbs.Distance(1.5), at_a=(0.5, 0, 1.5))
    m.start(boom, q=-0.4, guess=True)
    level = m.input("level", start=0.1)
    m.force("pull", on=boom.node("tip"), force=(level, 0.1, 0.2))
    m.output("sag", mbs.deformation(boom, "tip"))
    m.output("stay.force", mbs.reaction("stay"))
    m.output("E", mbs.energy())
    return m


def many_modes() -> Model:
    """A beam on a hinge with so many vibration modes that their slopes lie in several groups."""
    m = Model("many_modes")
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=12)
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=beam)
    m.start(boom, u=1.0, xi=(0.01, 0.02), xi_dot=(0.1,))
    return m


def sagging_beam(length: float = 1.0) -> Model:
    """A clamped upright beam that starts in equilibrium; at 30 m it buckles under its weight."""
    m = Model("sagging_beam")
    beam = mbs.beam(length, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="z")
    boom = m.body("boom", elastic=beam)
    m.start(boom, xi="static")
    return m
