"""Random cases depend on their own names only: lists may grow, and every existing tree stays the same."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from support.cases import Case, each, tiers
from support.generators import loops, mechanisms
from support.generators.loops import LOOP_COMPANIONS, LOOP_JOINTS, loops_of
from support.generators.mechanisms import COMPANIONS, JOINTS
from support.generators.trees import moving_tree

pytestmark = pytest.mark.quick


def cases_of(joints: tuple[str, ...]) -> set[Case]:
    """All cases of a law over these joints, in all tiers."""

    @each(joints, rounds=2, usual=5, quick=1)
    def law(case: Case) -> None: ...

    (mark,) = law.pytestmark  # type: ignore[attr-defined]
    return {parameter.values[0] for parameter in mark.args[1]}


def description_of(m: mbs.Model) -> str:
    """Structure and start values of a mechanism; start values are the last numbers drawn for each body."""
    return repr(([(name, body.parent) for name, body in m.bodies.items()], m.starts, list(m.loops)))


def test_a_new_joint_brings_its_cases_only() -> None:
    """Every previous case remains."""
    assert cases_of((*JOINTS, "new")) - cases_of(JOINTS) == {Case("new", 0), Case("new", 1)}
    assert cases_of(JOINTS) <= cases_of((*JOINTS, "new"))


def test_a_new_joint_leaves_every_tree_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees and mechanisms with loops of all other cases stay the same."""
    cases = [Case(joint, number) for joint in COMPANIONS for number in range(2)]
    closed = [Case(joint, 0) for joint in LOOP_COMPANIONS[:1]]

    def drawn() -> list[str]:
        return [description_of(moving_tree(case)) for case in cases] + [
            description_of(loops_of(case)) for case in closed
        ]

    before = drawn()
    assert len(set(before)) == len(before)
    monkeypatch.setattr(mechanisms, "JOINTS", ("new", *JOINTS))
    monkeypatch.setattr(loops, "LOOP_JOINTS", ("new", *LOOP_JOINTS))
    assert drawn() == before


@pytest.mark.parametrize("joint", JOINTS)
def test_a_case_has_its_joint(joint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one body of its tree has the case's joint."""
    drawn: list[str] = []
    usual = mechanisms.random_joint
    monkeypatch.setattr(mechanisms, "random_joint", lambda rng, kind: (drawn.append(kind), usual(rng, kind))[1])
    moving_tree(Case(joint, 0))
    assert joint in drawn


def test_tiers_follow_the_order_of_values() -> None:
    """The first values are quick, the next ones default, the others slow."""
    marks = [[mark.name for mark in value.marks] for value in tiers(range(4), usual=3, quick=1)]
    assert marks == [["quick"], [], [], ["slow"]]
