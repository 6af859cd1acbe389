"""Compilation of a formula takes work in proportion to its length, for any depth."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import jit
from mbs_fmu.codegen.llvm.statements import MOST_BLOCK_INSTRUCTIONS
from mbs_fmu.codegen.loader import TIER_VARIABLE
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.layout import DIRECTIONS, Load
from mbs_fmu.symbolic.emit import AssignmentBlock, with_tangents
from mbs_fmu.symbolic.expressions import leaf
from support.cases import some_quick, tiers

POINTS, VALUES = (-10.0, 0.0, 10.0), (-1.0, 0.5, 1.0)
STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda e, x: x + 0.999 * e,
    "sine": lambda e, x: mbs.sin(e) + 0.1 * x,
    "quotient": lambda e, x: x / (1.1 + e),
    "power": lambda e, x: 0.5 * (e * e + 1.0) ** 1.5,
    "condition": lambda e, x: abs(e) - 0.5 * x,
    "condition on time": lambda e, x: 0.9 * mbs.max(e, mbs.time),
    "table": lambda e, x: 0.1 * x + mbs.table(e, POINTS, VALUES),
}


def chain(step: Callable[[Any, Any], Any], x: Any, length: int) -> Any:
    formula = x
    for _ in range(length):
        formula = step(formula, x)
    return formula


def of_a_state(step: Callable[[Any, Any], Any], length: int) -> mbs.Model:
    model = mbs.Model("long")
    model.state("x", chain(step, mbs.signal("x"), length) * 1e-3, start=0.4)
    return model


def of_a_force(step: Callable[[Any, Any], Any], length: int) -> mbs.Model:
    model = mbs.Model("long")
    body = model.body("arm", joint=mbs.Revolute("y"), mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.motor("motor", body, torque=chain(step, mbs.coordinate(body), length))
    return model


def of_a_condition(step: Callable[[Any, Any], Any], length: int) -> mbs.Model:
    model = mbs.Model("long")
    a, b = (model.body(x, joint=mbs.Prismatic("z"), mass=1.0, inertia=(1.0, 1.0, 1.0)) for x in "ab")
    model.constrain("rope", mbs.coordinate(b) - chain(step, mbs.coordinate(a), length))
    return model


def calls(work: Callable[[], object]) -> int:
    """Return the number of function calls, including Python's own: it is the same on every machine."""
    count = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.quick
@pytest.mark.parametrize("place", [of_a_state, of_a_force], ids=lambda f: f.__name__)
@pytest.mark.parametrize("step", some_quick(list(STEPS), 1, usual=3))
def test_compilation_work_is_proportional_to_the_formula(step: str, place: Callable[..., mbs.Model]) -> None:
    compile_model(place(STEPS[step], 2))  # imports are not counted
    models = [place(STEPS[step], n) for n in (2, 60, 120)]
    none, one, two = (calls(lambda model=model: compile_model(model)) for model in models)
    assert (two - none) / (one - none) < 2.1, "twice the length, twice the calls: 2.03 by (120 - 2) / (60 - 2)"


def test_compilation_work_of_loop_conditions_is_proportional_to_the_formula() -> None:
    compile_model(of_a_condition(STEPS["table"], 2))
    models = [of_a_condition(STEPS["table"], n) for n in (2, 40, 80)]
    none, one, two = (calls(lambda model=model: compile_model(model)) for model in models)
    assert (two - none) / (one - none) < 2.1


@pytest.mark.parametrize("step", tiers(["sine", "condition"], usual=1))
def test_long_formulas_become_short_basic_blocks(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No basic block grows with the formula, and none occurs several times; numbers are those of plain Python."""
    longest, total = [], []

    def optimise(module: llvm.ModuleRef, *rest: Any, **more: Any) -> None:
        of_passes(module, *rest, **more)
        sizes = [sum(1 for _ in block.instructions) for f in module.functions for block in f.blocks]
        longest.append(max(sizes))
        total.append(sum(sizes))

    of_passes = jit.optimise
    monkeypatch.setenv(TIER_VARIABLE, "full")
    monkeypatch.setattr(jit, "optimise", optimise)
    monkeypatch.setenv("MBS_FMU_CACHE", str(tmp_path))
    model = of_a_state(STEPS[step], 1500)
    result = mbs.simulate(model, 0.01, method="rk4", step=0.01)
    # beyond the limit at most by the instructions of one line, and by inlined short functions
    assert max(longest) < 2 * MOST_BLOCK_INSTRUCTIONS
    # in addition to some 3000 of the drivers, 4 instructions for each step of the formula in each of 2 functions
    assert max(total) < 4000 + 2 * 6 * 1500
    x = 0.4

    def rate(x: float) -> float:
        e = x
        for _ in range(1500):
            e = abs(e) - 0.5 * x if step == "condition" else math.sin(e) + 0.1 * x
        return e * 1e-3

    h, k1 = 0.01, rate(x)
    k2 = rate(x + h / 2 * k1)
    k3 = rate(x + h / 2 * k2)
    expected = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3))
    # the rates are 1e-3 of numbers below one, and a chain of contractions keeps few roundings of each: some eps
    assert abs(result["x"][-1] - expected) < 1e-15


@pytest.mark.quick
def test_tangents_follow_their_values_within_a_few_lines() -> None:
    """Values of a long formula are read a few lines later, for any length, also along two directions."""
    x, p = Load("R", "state", 0), Load("R", "parameters", 0)
    formula = chain(lambda e, x: mbs.sin(e) * leaf(p), leaf(x), 600)
    order = AssignmentBlock(with_tangents([(Load("R", "z_dot", 0), formula)], DIRECTIONS, lambda load: False), {}).order
    place = {id(node): k for k, node in enumerate(order)}
    spans = sorted(place[id(node)] - place[id(a)] for node in order for a in node.args if a.args)
    # a step of the chain is some twenty nodes; before, half of all spans were beyond a thousand
    assert len(order) > 5000 and spans[int(0.99 * len(spans))] < 100
