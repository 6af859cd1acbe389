"""The law of public calls: a wrong argument is refused by one line that names it, its value and the remedy."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import MOST_CHARACTERS
from mbs_fmu.symbolic.expressions import Expression
from support.cases import tiers
from support.generators.public_calls import Call, hostile_values, pendulum, public_calls

NAMES = (
    "assemble", "Stepper.reset", "Result.compare", "Ode()", "Rollout.gradient", "Tyre.loaded_radius", "trim",
    "inverse_dynamics", "forward_dynamics", "ode", "Stepper.columns", "Stepper.read", "Result[]", "SweepRuns[]",
    "mass_matrix", "inverse_kinematics", "jacobian", "poisson_impulses", "equations", "extended_system", "linearize",
    "linearize at",
    "simulate", "Batch", "Measured", "Result", "Result.column", "Result.named", "Result.plot", "Result.read",
    "Result.recorded", "Result.sensitivity", "Result.to_csv", "Result.to_npz", "Result.to_gltf", "Result.animate",
    "show", "show at start", "BatchResult[]", "BatchResult.column", "BatchResult.table", "BatchResult.read",
    "SweepRuns.column", "SweepRuns.table", "SweepRuns.array", "SweepRuns.which", "SweepResult[]", "SweepResult.array",
    "SweepResult.which", "read_sweep", "Ode.jacobian", "Ode.jacobians", "Ode.outputs_at", "StepMap()",
    "StepMap.jacobian", "StepMap.jacobians", "StepMap.outputs_at", "Ode.step", "Ode.rollout", "Rollout()",
    "Rollout.vjp", "pullback", "Stepper", "Stepper.advance", "Stepper.values", "Stepper.fault", "LinearModel.shape",
    "LinearModel.save", "LinearModel.animate", "Tyre.forces", "Tyre.effective_radius", "Tyre.on", "Tyre.from_tir",
    "Cams", "Profile.enveloped",
    "Profile.height", "Profile.normal", "Profile.from_csv", "HeightField.height", "HeightField.normal",
    "HeightField.refined", "HeightField.from_csv", "Profile.from_rdf", "Profile.rough", "HeightField.rough",
    "CurvedGrid.from_crg", "CurvedGrid.height", "CurvedGrid.normal", "CurvedGrid.xy", "Solid[]", "Modes.node",
    "Modes.keep", "Modes.compliance",
    "Modes.effective_mass", "Modes.held", "Modes.damping_ratios", "Modes.with_damping", "Modes.combined", "Modes.save",
    "Modes.load", "Modes.sid", "beam", "plate", "Rectangle", "Tube", "Section", "About", "fe.nastran",
    "from_urdf", "identify", "from_sdf", "Result.plot y", "LinearModel.bode", "LinearModel.frequency_response",
    "campbell",
    "Campbell.critical", "Campbell.plot",
)  # fmt: skip


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Call]]:
    """The calls of `public_calls`, in plain Python, in a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
        patch.setattr("mbs_fmu.analysis.array_functions.machine_lanes", lambda: 1)
        patch.setattr("mbs_fmu.run.stepwise.stepper.usual_lanes", lambda program: 1)
        patch.chdir(tmp_path_factory.mktemp("calls"))
        yield public_calls(Path.cwd())
        plt.close("all")


@pytest.mark.parametrize("name", tiers(NAMES, usual=6, quick=2))
def test_hostile_arguments_are_accepted_or_refused_in_one_line(calls: dict[str, Call], name: str) -> None:
    """Every argument is replaced by every hostile value: the call works, or raises an error of the package.

    Errors about files may be those of the operating system.
    """
    assert set(NAMES) == set(calls), "name each call here, in the order of its tier"
    call = calls[name]
    for argument in call.arguments:
        for kind, value in hostile_values(pendulum()).items():
            if kind not in call.skip:
                tried(call, f"{name}({argument}={kind})", {**call.arguments, argument: value})


def tried(call: Call, what: str, arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call.function(**arguments)
        except mbs.ModelError as error:
            text = str(error)
            assert "\n" not in text and "np." not in text and "array(" not in text, (what, text)
            assert len(text) <= MOST_CHARACTERS, (what, text)
        except (OSError, mbs.SimulationError):
            pass
        except Exception as error:
            raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error


def public_methods() -> Iterator[tuple[str, Callable[..., Any], int]]:
    """Yield name, function and number of leading arguments of all public functions and methods."""
    for name in mbs.__all__:
        thing = getattr(mbs, name)
        if inspect.isfunction(thing):
            yield name, thing, 0
        if not inspect.isclass(thing) or issubclass(thing, (BaseException, Expression)):
            continue
        for key, _ in inspect.getmembers(thing):
            owner = next((c for c in thing.__mro__ if key in vars(c)), object)
            if not owner.__module__.startswith("mbs_fmu") or (key.startswith("_") and key != "__call__"):
                continue
            method = vars(owner)[key]
            if inspect.isfunction(method):
                yield f"{name}.{key}", method, 1
            elif isinstance(method, classmethod | staticmethod):
                yield f"{name}.{key}", getattr(thing, key), 0


@pytest.mark.quick
def test_every_public_function_and_method_names_an_unknown_argument() -> None:
    """Unknown arguments and missing ones are CallErrors, also of methods that a class inherits."""
    count = 0
    for _, function, hidden in public_methods():
        if not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()):
            with pytest.raises(mbs.CallError, match="takes no argument 'no_such_argument'"):
                function(*[None] * hidden, no_such_argument=1)
            count += 1
        needed = [
            p for p in list(inspect.signature(function).parameters.values())[hidden:]
            if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]  # fmt: skip
        if needed:
            with pytest.raises(mbs.CallError, match=f" needs .*{needed[0].name}"):
                function(*[None] * hidden)
    assert count > 300
