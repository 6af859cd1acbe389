"""How steps are made: one value from the arguments, which names the kernels, and equal refusals wherever it is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.experiment import Experiment, control_of
from mbs_fmu.infrastructure.errors import ArgumentError
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.step_control import StepControl
from support.cases import some_quick

pytestmark = pytest.mark.quick

FIXED: list[dict[str, Any]] = [{"step": 2.0**-7}, {"step": 0.1, "events": "steps"}]
CONTROLLED: list[dict[str, Any]] = [{}, {"rtol": 1e-4}, {"atol": 1e-9}, {"rtol": 1e-3, "atol": 2.0, "max_step": 0.5}]
WAYS = [
    (name, way) for name in METHODS for way in [*FIXED, *(CONTROLLED if method(name).adaptive else [])]
]  # fmt: skip


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum")
    m.body("rod", joint=mbs.Revolute("y"), mass=m.parameter("mass", 1.0), com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    return m


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_arguments_and_texts_return_the_same_value(name: str, way: dict[str, Any]) -> None:
    """Its arguments make it again; so do the texts that an FMU keeps, but for the longest step, which calls limit."""
    control = StepControl.of(name, **way)
    assert StepControl.of(**control.arguments) == control
    experiment = Experiment(1.0, 0.01, StepControl.of(name, **{k: x for k, x in way.items() if k != "max_step"}), 9)
    texts = {key: str(value) for key, value in experiment.attributes.items()}
    assert control_of(texts) == experiment.control


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("watched", some_quick([True, False], 1))
def test_named_kernels_exist(name: str, watched: bool) -> None:
    """A model's module has the kernels that the value names, with events and without."""
    m = pendulum()
    if watched:
        m.event("down", mbs.coordinate("rod"))
    program = compile_model(m, methods=(name,))
    kernels, named = load_plain(program.module), set()
    for way in [*FIXED, *(CONTROLLED if method(name).adaptive else [])]:
        control = StepControl.of(name, **way)
        named |= {control.advance, control.loop}
        assert control.bound == (control.step if "step" in way else control.rtol) > 0.0
        assert control.fixed == ("step" in way)
    assert all(hasattr(kernels, f"enter_{kernel}") for kernel in named)
    assert len(named) == (4 if method(name).adaptive else 2)


def test_records_get_what_kernels_read() -> None:
    """The longest step, and whether modes end at steps; a value for another run clears both."""
    R = np.zeros(HeadNumbers.size)
    StepControl.of("dopri5", max_step=0.25).at_most(0.5).write(R)
    assert R[HeadNumbers.most_step] == 0.25 and np.count_nonzero(R) == 1
    StepControl.of("rk4", 0.1, events="steps").write(R)
    assert R[HeadNumbers.at_steps] == 1.0 and np.count_nonzero(R) == 1
    StepControl.of("dopri5").at_most(0.5).write(R)
    assert R[HeadNumbers.most_step] == 0.5 and np.count_nonzero(R) == 1


def test_tolerances() -> None:
    """Those given, with the defaults of docs/methods.md; another relative tolerance keeps their ratio."""
    assert StepControl.of("dopri5").tolerances == (1e-6, 1e-8)
    assert StepControl.of("dopri5", default=2.0**-9).tolerances == (2.0**-9, 0.01 * 2.0**-9)
    assert StepControl.of("dopri5", rtol=1e-3, default=1e-4).tolerances == (1e-3, 0.01 * 1e-3)
    assert StepControl.of("dopri5", atol=1.0, default=1e-4).tolerances == (1e-4, 1.0)
    assert StepControl.of("dopri5", 0.1, default=1e-4).tolerances == (1e-6, 1e-8)  # they control no steps
    assert StepControl.of("dopri5", rtol=2.0**-10, atol=2.0**-12).with_rtol(2.0**-20).tolerances == (2.0**-20, 2.0**-22)


# -- refusals ------------------------------------------------------------------------------------------------


def _measured() -> dict[str, np.ndarray]:
    return {"time": np.linspace(0.0, 1.0, 5), "rod.phi": np.zeros(5)}


#: Calls by name with the arguments method, step, rtol, atol that they take.
CALLS: dict[str, Callable[..., Any]] = {
    "simulate": lambda folder, **how: mbs.simulate(pendulum(), 1.0, **how),
    "sweep": lambda folder, **how: mbs.sweep(pendulum(), 1.0, parameters={"mass": [1, 2]}, folder=folder, **how),
    "identify": lambda folder, **how: mbs.identify(pendulum(), _measured(), ["mass"], **how),
    "export": lambda folder, **how: mbs.export(pendulum(), folder / "pendulum.fmu", **how),
    "live": lambda folder, **how: mbs.live(pendulum(), folder / "pendulum.html", **how),
    "Stepper": lambda folder, **how: mbs.Stepper(pendulum(), 2, 0.1, **how),
    "export_c": lambda folder, **how: mbs.export_c(pendulum(), folder / "c", **how),
}
TAKES = {
    "simulate": {"method", "step", "rtol", "atol", "max_step", "events"},
    "identify": {"method", "step", "rtol", "atol"},
    "export": {"method", "step", "rtol", "atol", "events"},
    "live": {"method", "step", "rtol"},
    "Stepper": {"method", "step"},
    "export_c": {"method", "events"},
}
TAKES["sweep"] = TAKES["simulate"]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"method": "euler"}, "unknown method 'euler' (did you mean 'rk4'?): choose one of "),
    ({"method": 3}, "method must be a name such as 'dopri5', not 3"),
    ({"method": "gauss4", "step": None}, "method 'gauss4' has fixed steps: give step=, in s"),
    (
        {"method": "dopri5", "step": 0.1, "rtol": 1e-3},
        "method 'dopri5': give either step (fixed steps) or rtol and atol (error control)",
    ),
    (
        {"method": "rk4", "step": 0.1, "atol": 1e-3},
        "method 'rk4' has fixed steps and no error control: leave out rtol and atol",
    ),
    ({"method": "dopri5", "step": -0.1}, "step is -0.1: give a positive number"),
    ({"method": "tsit5", "rtol": 0.0}, "rtol is 0.0: give a positive number"),
    (
        {"method": "dopri5", "step": 0.1, "max_step": 0.2},
        "max_step is for steps with error control: with fixed steps give a smaller step",
    ),
    ({"method": "rk4", "step": None, "events": "steps"}, 'events="steps" is for fixed steps: give step=, in s'),
    ({"method": "rk4", "events": "never"}, "events is 'never': use 'located' or 'steps'"),
]
#: A stepper and firmware have steps in any case, so these arguments are not wrong there.
ALWAYS_FIXED = {"Stepper", "export_c"}
CASES = [
    (call, how, said) for how, said in REFUSED for call in CALLS
    if set(how) <= TAKES[call] and not (call in ALWAYS_FIXED and how.get("step", 0.0) is None)
]  # fmt: skip


@pytest.mark.parametrize(("call", "how", "said"), CASES)
def test_unusable_arguments_are_refused_alike(tmp_path: Path, call: str, how: dict[str, Any], said: str) -> None:
    """Whatever runs a model or exports it refuses them in the same words, before anything is written."""
    with pytest.raises(ArgumentError) as refused:
        CALLS[call](tmp_path, **how)
    assert str(refused.value).startswith(said)
    assert not list(tmp_path.iterdir())
