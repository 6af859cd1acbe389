"""Work of pictures, pages and checks of starts as the number of bodies grows: none of it grows with the square."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import CodeType

import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi.description import dependencies
from mbs_fmu.fmi.description.description import checked_description
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.pages.showing import at_start
from mbs_fmu.run.checks.impacts import impacts
from mbs_fmu.run.checks.rests import fastest_rest
from mbs_fmu.run.checks.starts import Start
from mbs_fmu.run.simulate import compiled
from mbs_fmu.run.step_control import StepControl
from mbs_fmu.view.animation import animation
from support.spies.counted_calls import counted_lines, grown

COUNT = 24  #: bodies of the smaller model


def chain(count: int) -> mbs.Model:
    """A chain with a spring and a closure on each body."""
    m, parent = mbs.Model("chain"), "world"
    for k in range(count):
        m.body(f"b{k}", parent, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 1), at=(0, 0, -1))
        m.spring(f"s{k}", parent, f"b{k}", at_a=(1, 0, 0), stiffness=1.0)
        parent = f"b{k}"
    return m


def balls(count: int) -> mbs.Model:
    m = mbs.Model("balls")
    for k in range(count):
        m.body(f"b{k}", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.start(f"b{k}", q=(0.3 * k, 0, 0.1, 1, 0, 0, 0), u=(0.1, 0, 0, 0, 0, 0))
    m.ground("ground", {f"b{k}": mbs.Sphere(0.1) for k in range(count)}, stiffness=1e4, friction=0.5)
    return m


def lines_of_page(count: int) -> Counter[CodeType]:
    """Return the executed lines that write a page of a model in its start."""
    model = chain(count)
    result = at_start(model).recorded(model)
    with counted_lines() as lines:
        animation(result)
    return lines


def lines_of_check(count: int) -> Counter[CodeType]:
    """Return the executed lines of the check of contacts at a start."""
    model = balls(count)
    runtime = compiled(model)
    R = runtime.program.new_record()
    runtime.initialize(R, 1e-6, 1e-8)
    with counted_lines() as lines:
        start = Start(model, runtime, R)
        impacts(start)
        fastest_rest(start)
    return lines


def lines_of_description(count: int) -> Counter[CodeType]:
    """Return the executed lines that write and check the description of a native FMU."""
    program = compiled(chain(count)).program
    experiment = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000)
    with counted_lines() as lines:
        checked_description(program, experiment, "0", "native", "2.0")
    return lines


@pytest.mark.parametrize("lines", [lines_of_page, lines_of_check, lines_of_description])
def test_lines_grow_with_the_number_of_bodies(
    lines: Callable[[int], Counter[CodeType]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice as many bodies execute at most twice as many lines of each function, up to constants.

    Long lists of dependencies are omitted in both models, as in the description of a model of thousands of bodies.
    """
    monkeypatch.setattr(dependencies, "LONG", 10)
    monkeypatch.setattr(dependencies, "MOST", 100)
    lines(4)  # imports
    assert not grown(lines(COUNT), lines(2 * COUNT))
