"""Events that never occur change no bit of a run with fixed steps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case
from support.generators.contacts import heap, thrown
from support.generators.coupled_joints import TREES, following_tree
from support.generators.elastic_mechanisms import bent_loops, bent_tree
from support.generators.eventful_models import eventful
from support.generators.linkages_with_friction import Linkage
from support.generators.loops import LOOP_JOINTS, loops_of
from support.generators.mechanisms import JOINTS, add_drives
from support.generators.trees import add_forces, moving_tree

pytestmark = pytest.mark.usefixtures("plain_by_default")

#: All that make fixed steps differently, with their share of a step; `abm6` is less stable.
METHODS = {"rk4": 1.0, "gauss4": 1.0, "abm6": 0.25, "gauss2": 1.0, "rodas5p": 1.0, "dopri5": 1.0, "ros34pw2": 1.0}
KINDS = ("report", "reset", "stop", "time")


def forced(number: int) -> Model:
    """A random tree with forces of all kinds."""
    case = Case(JOINTS[number % len(JOINTS)], number // len(JOINTS))
    m = moving_tree(case, 4)
    add_forces(m, np.random.default_rng(case.seed))
    return m


def driven(number: int) -> Model:
    """A random tree with drives, whose forces are requested."""
    case = Case(JOINTS[number % len(JOINTS)], number // len(JOINTS))
    m = moving_tree(case, 4)
    for k, name in enumerate(add_drives(m, np.random.default_rng(case.seed))):
        m.output(f"force{k}", mbs.drive_force(name))
    return m


MODELS: dict[str, Callable[[int], Model]] = {
    "forced": forced,
    "loops": lambda k: loops_of(Case(LOOP_JOINTS[k % len(LOOP_JOINTS)], k // len(LOOP_JOINTS)), 3),
    "heap": heap,
    "bent loops": lambda k: bent_loops(k, 3),
    "eventful": lambda k: eventful(k).model,
    "bent tree": lambda k: bent_tree(k, 3),
    "thrown": thrown,
    "friction": lambda k: Linkage(k).model,
    "following": lambda k: following_tree(Case(TREES[k % len(TREES)], 0), 4),
    "driven": driven,
}


def add_event(m: Model, kind: str) -> None:
    """Add an event that never occurs, of an expression of the first body's motion or of time."""
    body = next(iter(m.bodies))
    far = mbs.position(body)[0] + 0.3 * mbs.velocity(body)[1] + 1e7
    if kind == "reset":
        n = m.state("count", 0.0)
        m.event("unmet", far, reset={"count": n + 1.0})
    else:
        m.event("unmet", mbs.time - 1e6 if kind == "time" else far, stop=kind == "stop")


def columns(m: Model, method: str, h: float, steps: int) -> dict[str, np.ndarray]:
    """Columns of a run with an output interval of three steps, up to its end or a failure."""
    inputs = {name: 0.3 for name, x in m.inputs.items() if not x.has_start}
    try:
        result = mbs.simulate(m, steps * h, inputs=inputs, method=method, step=h, output_interval=3.0 * h)
    except mbs.SimulationError as error:
        result = error.result
    return {name: result[name] for name in result.columns}


def check(name: str, number: int, method: str, kind: str, steps: int = 7) -> None:
    """Assert that a run has the same bits with an event that never occurs; all its numbers are compared."""
    h = 0.004 * METHODS[method]
    runs = []
    for added in (None, kind):
        m = MODELS[name](number)
        if added is not None:
            add_event(m, added)
        runs.append(columns(m, method, h, steps))
    for column, values in runs[0].items():
        other: Any = runs[1][column]
        assert np.array_equal(values, other, equal_nan=True), f"{column} of {name} {number}, {method}, {kind}"


def drawn(case: int) -> tuple[str, int, str, str]:
    """The model, its number, method and kind of event of a case."""
    rng = np.random.default_rng([9, case])
    name = list(MODELS)[case % len(MODELS)]
    return name, case // len(MODELS), str(rng.choice(list(METHODS))), str(rng.choice(KINDS))


@pytest.mark.filterwarnings("ignore:model")  # impacts too short for the steps
@pytest.mark.parametrize(("name", "method", "kind"), [
    ("forced", "rk4", "report"), ("forced", "gauss2", "report"), ("loops", "abm6", "reset"), ("heap", "rk4", "time"),
])  # fmt: skip
def test_unmet_events_change_nothing(name: str, method: str, kind: str) -> None:
    """Methods and models for which this was false: quaternions, predictors, re-basing, contacts."""
    check(name, 6 if name == "forced" else 0, method, kind)


@pytest.mark.slow
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.filterwarnings("ignore:model")
@pytest.mark.parametrize("part", range(3))
def test_60_models_with_unmet_events(part: int) -> None:
    """The same for 60 random models, methods and kinds of events."""
    compared = 0
    for case in range(20 * part, 20 * part + 20):
        with contextlib.suppress(mbs.ModelError, OverflowError):  # refused starts; plain Python's exp of large numbers
            check(*drawn(case))
            compared += 1
    assert compared >= 17
