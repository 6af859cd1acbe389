"""Export of a model as C for firmware and other programs (`export_c`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..codegen.ahead import module_ahead
from ..codegen.c.kernels import c_module, cost_of
from ..codegen.c.module import Module
from ..codegen.c.text import identifier
from ..codegen.modules import load_uncached
from ..infrastructure.arguments import Events, is_one_of, truth
from ..infrastructure.disk.files import file_path, replacing
from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import progress_notice, watched
from ..integrate.write import one_step_functions
from ..model.model import Model
from ..model.observers import without_observers
from ..pages.additions import Additions
from ..record.blocks import LoopNumbers
from ..record.program import Program, Variable
from ..run.simulate import compiled, require_model
from ..run.step_control import StepControl
from .interface import Interface

REALS, INTEGERS = ("double", "float"), ("int64_t", "int32_t")
ANY_STEP = 1.0  #: s; NAME_step is given the size of each step
LARGEST_RECORD = 2**31


@with_clear_errors
def export_c(
    model: Model, folder: str | Path, *, method: str = "rk4", real: str = "double", index: str = "int64_t",
    events: Events = "located", poses: bool = False, progress: bool | None = None,
) -> Path:  # fmt: skip
    """Write the model as C99 without FMI, for firmware or another program with a time loop of its own.

    The folder gets NAME.c and NAME.h, where NAME is the model's name. A program includes the header, compiles the other
    file and calls NAME_step once in each period. Numbers equal those of `simulate` with a row for each fixed step, up
    to the rounding of times.

    folder: an existing folder, or one to be made.
    method: integration method, as in `simulate`; its steps have the size that NAME_step is given.
    real: type of all numbers, "double", or "float" for trees of rigid bodies on processors with single precision.
    index: type of integers, "int64_t", or "int32_t" for processors with 32 bits.
    events: models with constraint modes, sampled signals or resets need "steps": changes then take effect at the
    beginning of a step, because the search for their times within a step has no bounded cost.
    poses: add NAME_pose, which gives the pose of a body for a display; steps then compute the poses of all bodies.
    progress: show the progress; by default on terminals and in notebooks, after a second.

    Returns the path of the header. Raises ArgumentError for arguments that do not fit the model, ModelError for a model
    that has no form in C, OSError if the files cannot be written.
    """
    require_model(model)
    _check_choices(real, index)
    target = file_path(folder, "folder")
    if target.is_file():
        raise ArgumentError(Argument("folder"), f" is {display(str(target))}, a file: give a folder")
    added = Additions(model, pulls=False) if truth(poses, "poses") else None
    acting = added.model if added else without_observers(model)
    control = StepControl.of(method, ANY_STEP, events=events)
    with watched(progress), progress_notice(model.name, "writing C"):
        program = compiled(acting, method=control.method.name, alone=True).program
        _check_model(program, real, index, control)
        if program.modes or program.jumps:
            record = program.new_record()
            control.write(record)
            program = program.with_record(record)
        shown, bodies = _with_poses(program, added) if added else (program, ())
        text, header = _texts(shown, bodies, control, real, index)
    return _write(target, identifier(program.name), text, header)


def _check_choices(real: Any, index: Any) -> None:
    for value, what, choices in ((real, "real", REALS), (index, "index", INTEGERS)):
        if not is_one_of(value, choices):
            raise ArgumentError(Argument(what), f" is {display(value)}: use {' or '.join(map(repr, choices))}")


def _check_model(program: Program, real: str, index: str, control: StepControl) -> None:
    """Raise ArgumentError for a model for which these arguments cannot be used."""
    if (program.modes or program.jumps) and not control.at_steps:
        steps = Argument("events", 'events="steps"', "steps")
        raise ArgumentError(
            f"{program.name} has modes, samples or resets, whose search has no bounded cost: give ", steps
        )
    if real == "float" and (program.loops or program.modes or program.jumps or program.elastic):
        double = Argument("real", 'real="double"', "double")
        raise ArgumentError(
            f"{program.name} is not a tree of rigid bodies without modes and samples: it needs ", double
        )
    if index == "int32_t" and program.regions["end"][0] >= LARGEST_RECORD:
        wide = Argument("index", 'index="int64_t"', "int64_t")
        raise ArgumentError(f"{program.name} has a record of 2^31 numbers or more: give ", wide)


def _with_poses(program: Program, added: Additions) -> tuple[Program, tuple[Variable, ...]]:
    """Return the program without the added outputs among its variables, and where the pose of each body begins."""
    places = zip(added.bodies, added.pose_slots(program), strict=True)
    bodies = tuple(Variable(name, "output", slot, description="pose") for name, slot in places)
    return replace(program, variables=[v for v in program.variables if not added.is_own(v.name)]), bodies


def _texts(
    program: Program, bodies: tuple[Variable, ...], control: StepControl, real: str, index: str
) -> tuple[str, str]:  # fmt: skip
    """Return the two files; `bodies` are those with a pose. Raises ModelError if a kernel has no form in C."""
    method = control.method
    module = load_uncached(module_ahead(program).with_functions(one_step_functions(method, program.crossings)))
    file = c_module(program, real=real, integer=index)
    try:
        init = file.kernel(module.initialise.kernel_function, ("array",))
        tolerances = _tolerances(program, file, module, control)
        refresh = file.kernel(module.refresh.kernel_function, ("array", "array"))
        one_step, kinds = getattr(module, f"{method.name}_single").kernel_function, ("array", "array", "float", "float")
        interface = Interface(program, file, method.name, cost_of(program, one_step, kinds), bodies)
        step = file.kernel(one_step, kinds)
        functions = interface.functions(init, tolerances, refresh, step)
    except NotImplementedError as error:
        raise ModelError(f"{program.name}: its kernels can't be written in C: {error}") from error
    title = f"{program.name}: {program.description}".rstrip(": ")
    return f"{file.text(title)}\n{functions}", interface.header()


def _tolerances(program: Program, file: Module, module: Any, control: StepControl) -> str:
    """Return the statement that sets the tolerances of a run, as `simulate` does."""
    project = (
        program.regions["loop_state"][0] + LoopNumbers.projection_residual if "loop_state" in program.regions else -1
    )
    kernel = file.kernel(module.set_tolerances.kernel_function, ("array", "int", "float", "float", "float"))
    rtol, atol = map(file.number, control.tolerances)
    return f"{kernel}(m->R, {project}, {rtol}, {rtol}, {atol});"


def _write(folder: Path, name: str, text: str, header: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, content in ((".c", text), (".h", header)):
        with replacing(folder / f"{name}{suffix}") as beside:
            Path(beside).write_text(content, encoding="utf-8")
    return folder / f"{name}.h"
