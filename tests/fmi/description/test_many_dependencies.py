"""Lists of dependencies of large models: variables that depend on all joint velocities share them."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description import dependencies
from mbs_fmu.fmi.description.dependencies import Dependencies, Unknown, bounded
from mbs_fmu.fmi.description.variables import variable_table


def chain(bodies: int, driven: bool) -> mbs.Model:
    m, parent = mbs.Model("chain"), "world"
    for k in range(bodies):
        parent = m.body(f"b{k}", parent, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), at=(0, 0, -1)).name
        if driven:
            m.output(f"power{k}", m.input(f"torque{k}") * mbs.rate(parent))
    return m


def lists(bodies: int, driven: bool) -> dict[str, list[Unknown]]:
    made = Dependencies(variable_table(compile_model(chain(bodies, driven))), exchange=True, parameters=False)
    return {"Derivatives": made.derivatives(), "Outputs": made.outputs()}


def test_the_lists_of_all_joint_velocities_are_one() -> None:
    """n derivatives of coordinates depend on the 2 n states: they refer to one list, so the work is linear."""
    found = {id(unknown.dependencies) for unknown in lists(6, False)["Derivatives"][:6]}
    assert len(found) == 1


def test_omitted_lists_are_those_of_complete_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists that are too long are left out, whether or not what else they contain has been found."""
    complete = lists(6, True)
    assert [len(u.dependencies or ()) for u in complete["Outputs"]] == [13] * 6  # 12 states and the input
    monkeypatch.setattr(dependencies, "LONG", 5)
    monkeypatch.setattr(dependencies, "MOST", 20)
    expected = bounded(complete)
    short = lists(6, True)
    assert len({id(unknown.dependencies) for unknown in short["Outputs"]}) == 1
    for name, unknowns in bounded(short).items():
        assert [u.dependencies for u in unknowns] == [u.dependencies for u in expected[name]]
