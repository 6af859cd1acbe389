"""Chains of followers: the first stage of compilation ends them, and later stages cannot tell that there were any."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.followers import by_outermost_leaders
from mbs_fmu.model.model import Model
from mbs_fmu.symbolic.graph import evaluate
from support.cases import Case, each, tiers
from support.generators.coupled_joints import SINGLE, following_tree, ratios
from support.generators.trees import add_forces, add_rotors

BODIES = 7
Relation = tuple[int, float, float]  #: leader, ratio, offset


@each(SINGLE, rounds=4, usual=4, quick=4)
def test_followers_by_outermost_leaders_equal_substitution(case: Case) -> None:
    """Leaders follow nothing; ratio and offset are those of the chain, for any parameters. Names, order and the given
    followers stay as they are.
    """
    model = following_tree(case, 12)
    given = dict(model.followers)
    resolved = by_outermost_leaders(model.followers)
    assert dict(model.followers) == given
    assert list(resolved) == list(given)
    assert [(x.name, x.body) for x in resolved.values()] == [(x.name, x.body) for x in given.values()]
    assert not {x.leader for x in resolved.values()} & {x.body for x in given.values()}
    for value in (0.7, -1.3):
        expected = ratios(model, {"ratio": value})
        for x in resolved.values():
            leader, *numbers = expected[x.body]
            assert x.leader == leader, f"leader of {x.name}"
            computed = [evaluate(number, lambda signal, value=value: value) for number in (x.ratio, x.offset)]
            # as many roundings as the chain has members
            assert np.allclose(computed, numbers, rtol=1e-14, atol=1e-14), f"ratio and offset of {x.name}"


def random_chains(rng: np.random.Generator) -> dict[int, Relation]:
    """Return followers in random order, each of a joint with a smaller number; joints 0 and 1 follow none.

    Ratios are powers of two and offsets small fractions of two, so that products and sums of them are exact.
    """
    relations = {}
    for k in rng.permutation(np.arange(2, BODIES)):
        relations[int(k)] = int(rng.integers(k)), float(2.0 ** rng.integers(-1, 2)), float(rng.integers(-8, 9) / 8)
    return relations


def substituted(chains: dict[int, Relation]) -> dict[int, Relation]:
    """Return the relations with the outermost leaders, by substitution of one relation after the other."""
    direct = dict(chains)
    for k in sorted(direct):  # a leader has a smaller number than its followers
        leader, ratio, offset = direct[k]
        if leader in direct:
            outer, outer_ratio, outer_offset = direct[leader]
            direct[k] = (outer, ratio * outer_ratio, ratio * outer_offset + offset)
    return {k: direct[k] for k in chains}


def mechanism(relations: dict[int, Relation], seed: int, driven: bool) -> Model:
    """Return a random tree with followers, and with forces, rotors, a condition and outputs of followers."""
    rng = np.random.default_rng(seed)
    model = mbs.Model("chains")
    for k in range(BODIES):
        joint = (mbs.Revolute, mbs.Prismatic)[rng.integers(2)](rng.normal(size=3))
        parent = ["world", *model.bodies][rng.integers(k + 1)]
        com = rng.normal(size=3) * 0.1
        model.body(f"b{k}", parent, joint, mass=1.0, com=com, inertia=(0.1, 0.2, 0.25), at=rng.normal(size=3))
    for k, (leader, ratio, offset) in relations.items():
        model.follow(f"f{k}", on=f"b{k}", leader=f"b{leader}", ratio=ratio, offset=offset)
    model.start("b1", q=0.3 * rng.normal(), u=rng.normal())
    if driven:
        model.drive("d", on="b0", position=0.2 * mbs.time)
        model.output("torque", mbs.drive_force("d"))
    add_forces(model, rng)
    add_rotors(model)
    last = f"b{BODIES - 1}"
    model.output("q", mbs.coordinate(last))
    model.output("u", mbs.rate(last))
    model.constrain("bound", mbs.coordinate(last) - 0.5 * mbs.coordinate("b1") - 0.1)
    return model


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("seed", tiers(range(2), usual=1))
def test_chains_compile_to_the_program_of_direct_followers(seed: int, driven: bool) -> None:
    """A model with chains and one whose followers name the outermost leaders have the same program and start values."""
    chains = random_chains(np.random.default_rng(seed))
    assert chains != substituted(chains)
    chained, direct = (mechanism(relations, seed, driven) for relations in (chains, substituted(chains)))
    computed, expected = compile_model(chained), compile_model(direct)
    assert computed.text == expected.text
    assert computed.variables == expected.variables
    assert computed.record == expected.record
    assert computed == expected
