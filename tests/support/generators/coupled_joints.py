"""Random trees with followers, and the velocities that they leave free."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.symbolic.graph import evaluate
from support.cases import Case
from support.generators.loops import close_randomly, world_poses
from support.generators.mechanisms import COMPANIONS, forget_start, random_tree
from support.generators.trees import moving_tree

SINGLE = ("revolute", "tilted", "prismatic", "screw")  #: joints with one coordinate
TREES = ("revolute", "tilted", "prismatic", "universal", "compound", "spherical", "free")  #: joints of trees with loops


def following_tree(case: Case, largest: int = 10) -> Model:
    """A random tree with followers; every third joint, and at least one, is the case's."""
    model = moving_tree(case, largest, COMPANIONS)
    rng = np.random.default_rng(case.seed)
    if len(single(model)) < 2:
        for name in ("extra", "more"):
            parent = list(model.bodies)[rng.integers(len(model.bodies))]
            axis, com = rng.normal(size=3), rng.normal(size=3) * 0.2
            model.body(name, parent, mbs.Revolute(axis), 1.0, com, (0.1, 0.2, 0.25), at=(0.1, 0.3, 0))
            model.start(name, q=float(rng.normal()), u=float(rng.normal()))
    add_followers(model, rng)
    return model


def single(model: Model) -> list[str]:
    """Names of bodies whose joints have one coordinate."""
    return [b.name for b in model.bodies.values() if len(b.joint.coordinates) == len(b.joint.rates) == 1]


def add_followers(model: Model, rng: np.random.Generator) -> None:
    """Make up to three of four single-coordinate joints followers, one of them by a parameter, some of followers."""
    ratio = model.parameter("ratio", 0.7)
    names = [single(model)[k] for k in rng.permutation(len(single(model)))]
    leaders = max(1, len(names) // 4)
    for k, name in enumerate(names[leaders:]):
        k_ratio = ratio if k == 0 else float(rng.normal())
        forget_start(model, name, range(1), range(1))
        leader = names[rng.integers(k + leaders if k % 3 == 2 else leaders)]
        model.follow(f"train{k}", on=name, leader=leader, ratio=k_ratio, offset=0.3 * float(rng.normal()))


def ratios(model: Model, parameters: dict[str, float]) -> dict[str, tuple[str, float, float]]:
    """For each follower the leader at the end of its chain, with ratio and offset, accumulated link by link."""
    followers = {f.body: f for f in model.followers.values()}
    leaders = {}
    for name in followers:
        body, q = name, np.array([1.0, 0.0])  # coordinate of `body` in terms of the chain so far
        while body in followers:
            f = followers[body]
            r, x = (_number(e, parameters) for e in (f.ratio, f.offset))
            body, q = f.leader, np.array([q[0] * r, q[0] * x + q[1]])
        leaders[name] = (body, q[0], q[1])
    return leaders


def _number(expression: mbs.Expression, parameters: dict[str, float]) -> float:
    return evaluate(expression, lambda signal: parameters[signal.name])


def left_free(model: Model, rates: list[str], parameters: dict[str, float]) -> tuple[np.ndarray, list[str]]:
    """G of u = G w, for joint velocities by name, and the names of the free velocities w."""
    names = [b.name + "." + s for b in model.bodies.values() for s, _ in b.rates]
    followed = ratios(model, parameters)
    free = [name for name in rates if name.rsplit(".", 1)[0] not in followed]
    assert sorted(names) == sorted(rates)
    G = np.zeros((len(rates), len(free)))
    for i, name in enumerate(rates):
        body = name.rsplit(".", 1)[0]
        if body not in followed:
            G[i, free.index(name)] = 1.0
            continue
        leader, ratio, _ = followed[body]
        G[i, free.index(f"{leader}.{model.bodies[leader].joint.rates[0][0]}")] = ratio
    return G, free


def following_loops(case: Case, loops: int = 1, coupled: bool = False) -> Model:
    """A random tree with followers and closed loops; the case's joint closes the first loop.

    coupled: adds one equation between coordinates of followers and leaders.
    """
    rng = np.random.default_rng(case.seed)
    while True:
        model = random_tree(rng, 7, ("chain", "tree", "star")[case.seed % 3], TREES)
        if len(single(model)) < 3:
            continue
        add_followers(model, rng)
        close_randomly(model, rng, [case.joint, *("distance", "plane")[: loops - 1]], world_poses(model))
        followers = list(model.followers.values())
        rates = sum(len(b.joint.rates) for b in model.bodies.values()) - len(followers)
        if rates > 6 * loops:
            break
    if coupled:
        other = next(b for b in model.bodies.values() if len(b.joint.rates) > 1 or b.name not in followers[0].body)
        rate = mbs.rate(other, 1)
        model.constrain(
            "coupling", mbs.rate(followers[0].body) * (1.0 + mbs.coordinate(followers[0].body) ** 2) - 0.7 * rate
        )
    for name, start in model.starts.items():
        if name not in {follower.body for follower in followers}:
            model.start(name, q=start.q, u=start.u, guess=True)
    return model
