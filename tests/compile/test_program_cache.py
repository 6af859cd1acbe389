"""Cached programs equal compiled ones and belong to the same model only."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile import (
    build,
)
from mbs_fmu.compile import (
    program_cache as program_cache,
)
from mbs_fmu.compile.build import Stages, compile_model, compile_with_stages
from mbs_fmu.compile.fingerprint import Unknown, fingerprint
from mbs_fmu.integrate.methods.table import STANDARD
from mbs_fmu.record.program import Program
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.symbolic.expressions import Expression
from support.cases import Case, tiers
from support.generators.loops import random_loops
from support.generators.mechanisms import random_tree
from support.generators.trees import moving_tree
from support.hosts.fmus import python
from support.models.small_models import rich_model

MODELS: dict[str, Callable[[], mbs.Model]] = {
    "governor": lambda: bundled_model("governor", "governor"),
    "four_bar": lambda: bundled_model("four_bar", "four_bar"),
    "rich": rich_model,
    "moving": lambda: moving_tree(Case("universal", 0), 4),
    "custom": lambda: random_tree(np.random.default_rng(2), 3, "chain", ("custom", "spherical", "angles")),
}


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Set an empty cache, and return the names of the models that are compiled."""
    monkeypatch.setenv("MBS_FMU_CACHE", str(tmp_path))
    names: list[str] = []

    def noted(model: mbs.Model, *rest: Any) -> tuple[Program, Stages]:
        names.append(model.name)
        return compile_with_stages(model, *rest)

    monkeypatch.setattr(build, "compile_with_stages", noted)
    return names


def program(model: mbs.Model, **replaced: Expression) -> Program:
    return program_cache.program_of(model, "cholesky", replaced, STANDARD)


@pytest.mark.parametrize("name", tiers(list(MODELS), usual=2))
def test_cached_programs_equal_compiled_ones(compilations: list[str], name: str) -> None:
    """The cache has the program of a model that is built again; it equals the compiled one in every part, with its
    types.
    """
    first, second = program(MODELS[name]()), program(MODELS[name]())
    assert len(compilations) == 1
    assert first == second == compile_model(MODELS[name]())
    assert repr(first) == repr(second)


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.body("rod", "world", mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    m.spring("hinge", on=rod, stiffness=m.parameter("c", 2.0, unit="N.m/rad"), damping=0.1)
    m.motor("drive", on=rod, torque=m.input("torque", unit="N.m"))
    m.output("energy", mbs.energy())
    m.start(rod, q=0.5)
    return m


def test_cached_programs_take_the_values_of_their_model(compilations: list[str]) -> None:
    """Start values and defaults of parameters need no compilation."""
    program(pendulum())
    other = pendulum()
    other.start("rod", q=-0.25, u=2.0)
    other.set_parameter("c", 7.0)
    cached = program(other)
    assert len(compilations) == 1 and cached == compile_model(other)


def with_drive(m: mbs.Model, position: Expression) -> None:
    m.body("driven", "rod", mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    m.drive("given", on="driven", position=position)


CHANGES: dict[str, Callable[[mbs.Model], object]] = {
    "gravity": lambda m: setattr(m, "gravity", (0, 0, -9.8)),
    "gravity by place": lambda m: setattr(m, "gravity", mbs.PointGravity(1.0)),
    "body": lambda m: m.body("more", "rod", mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1)),
    "output": lambda m: m.output("t", mbs.time),
    "unit": lambda m: m.output("t", mbs.time, unit="s"),
    "formula": lambda m: m.state("z", rate=mbs.sin(mbs.time)),
    "another formula": lambda m: m.state("z", rate=mbs.cos(mbs.time)),
    "order": lambda m: m.state("z", rate=mbs.time * 2.0 + mbs.sin(mbs.time)),
    "table": lambda m: m.state("z", rate=mbs.table(mbs.time, (0.0, 1.0), (1.0, 2.0))),
    "another table": lambda m: m.state("z", rate=mbs.table(mbs.time, (0.0, 1.0), (1.0, np.nextafter(2.0, 3.0)))),
    "range": lambda m: m.parameter("k", 1.0, min=0.0),
    "another range": lambda m: m.parameter("k", 1.0, min=-0.0),
    "input": lambda m: m.input("more"),
    "event": lambda m: m.event("zero", mbs.coordinate("rod")),
    "drive": lambda m: with_drive(m, mbs.sin(mbs.time)),
    "another drive": lambda m: with_drive(m, mbs.cos(mbs.time)),
    "loop": lambda m: m.close("wall", "world", "rod", mbs.Distance(1.0), at_a=(1.0, 0.0, 0.0)),
    "condition": lambda m: m.constrain("still", mbs.coordinate("rod")),
    "spring": lambda m: m.spring("soft", on="rod", stiffness=1.0),
    "another spring": lambda m: m.spring("soft", on="rod", stiffness=2.0),
    "bushing": lambda m: m.bushing("soft", "world", "rod", stiffness=1.0),
}


def test_every_change_of_structure_has_its_own_fingerprint(compilations: list[str]) -> None:
    """Models that differ in one thing, and solvers, methods and laws of inputs, have different names in the cache."""
    fingerprints = []
    for change in (lambda m: None, *CHANGES.values()):
        m = pendulum()
        change(m)
        fingerprints.append(program_cache.names(m, "cholesky", {}, STANDARD)[0])
    plain = pendulum()
    fingerprints += [
        program_cache.names(plain, "sweep", {}, STANDARD)[0], program_cache.names(plain, "cholesky", {}, ("rk4",))[0],
        program_cache.names(plain, "cholesky", {"torque": mbs.sin(mbs.time)}, STANDARD)[0],
        program_cache.names(plain, "cholesky", {"torque": mbs.cos(mbs.time)}, STANDARD)[0],
    ]  # fmt: skip
    assert len(set(fingerprints)) == len(fingerprints)


def test_every_attribute_changes_the_fingerprint() -> None:
    """Any other value of any attribute gives another hash."""
    body = next(iter(pendulum().bodies.values()))
    for entry in dataclasses.fields(body):
        changed = copy.copy(body)
        object.__setattr__(changed, entry.name, ("something", "else"))
        assert fingerprint([changed]) != fingerprint([body])


def test_the_order_of_expressions_changes_the_fingerprint() -> None:
    """The order in which two operands are created determines the generated text."""

    def product(first: str) -> Expression:
        made = {name: mbs.sin(mbs.time * k) for k, name in ((2.0, "a"), (3.0, "b"))} if first == "a" else None
        made = made or {name: mbs.sin(mbs.time * k) for k, name in ((3.0, "b"), (2.0, "a"))}
        return made["a"] * made["b"]

    assert fingerprint([product("a")]) == fingerprint([product("a")]) != fingerprint([product("b")])


def test_long_sums_have_fingerprints() -> None:
    """The formula is deeper than Python's call stack."""

    def total(last: float) -> Expression:
        total_sum = mbs.time
        for k in range(3000):
            total_sum = total_sum + mbs.sin(k * mbs.time)
        return total_sum + last * mbs.time

    assert fingerprint([total(1.5)]) == fingerprint([total(1.5)]) != fingerprint([total(2.5)])


@pytest.mark.parametrize("thing", [lambda: 1.0, object(), {1.0}, Path("a"), type("Own", (mbs.Revolute,), {})("x"), 1j])
def test_unknown_objects_have_no_fingerprint(thing: object) -> None:
    with pytest.raises(Unknown):
        fingerprint([(1.0, [thing])])


def test_a_model_without_a_fingerprint_is_compiled(compilations: list[str]) -> None:
    """A joint of a user's class works, and its program is not cached."""
    own = type("Own", (mbs.Revolute,), {})
    for _ in range(2):
        m = mbs.Model("own")
        m.body("rod", "world", own("y"), mass=1.0, inertia=(1, 1, 1))
        program(m)
    assert len(compilations) == 2 and not list(Path(os.environ["MBS_FMU_CACHE"]).glob("programs/*"))


TRACED = """
import sys
import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model
r = mbs.simulate(bundled_model("four_bar", "four_bar"), 0.05, method="rk4", step=0.01)
heavy = ("mbs_fmu.compile.build", "mbs_fmu.mechanics.steps", "numba")
print(r.data.tobytes().hex(), *(name in sys.modules for name in heavy))
"""


@pytest.mark.slow
def test_another_process_uses_the_cached_program(tmp_path: Path) -> None:
    """Seeds of hashes differ between processes, and names of programs do not."""
    first, second = (
        python(TRACED, MBS_FMU_CACHE=str(tmp_path), PYTHONHASHSEED=seed).stdout.split() for seed in ("1", "2")
    )
    assert first[0] == second[0] and second[1:] == ["False", "False", "False"]


@pytest.mark.parametrize("seed", range(4))
def test_compilation_does_not_change_the_fingerprint(seed: int) -> None:
    """Expressions are unchanged too: the cache has the program for a copy of a model that has run."""
    model = random_tree(np.random.default_rng(seed), 5) if seed % 2 else random_loops(seed, 5, 1)
    model.output("speed", mbs.velocity("b4", (0.1, 0.2, 0.3)))
    before = program_cache.names(model, "cholesky", {}, STANDARD)
    compile_model(model)
    assert program_cache.names(model, "cholesky", {}, STANDARD) == before


@pytest.mark.quick
def test_all_models_of_the_package_have_fingerprints() -> None:
    for name in ("four_bar", "governor", "spacecraft_with_panels", "stewart_platform"):
        assert program_cache.names(bundled_model(name, name), "cholesky", {}, STANDARD)
