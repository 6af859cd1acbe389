"""Export of a model as an FMU (`export`)."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.c.kernels import advance_cost
from ..infrastructure.arguments import Events, is_one_of, positive, truth, whole
from ..infrastructure.disk.files import file_path
from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import Bar, Shares, watched
from ..infrastructure.version import VERSION
from ..model.geometry.vectors import Vector
from ..model.items import Event, Output, Range
from ..model.model import Model
from ..model.observers import without_observers
from ..record.blocks import HeadNumbers
from ..record.program import Program
from ..run.errors import SimulationError
from ..run.kinds_report import unfit_notes
from ..run.plans import felt
from ..run.results.results import Result
from ..run.runtime import REFRESH, STEP_KINDS
from ..run.simulate import compiled, require_model, simulate
from ..run.single import LOOP_KINDS
from ..run.step_control import StepControl, steps_fit
from .about import UNSTATED, About, require_about
from .audience import Form, kind_of, tell
from .contents import Contents
from .description.choice import described_table, require_choice
from .description.description import checked_description
from .description.nominals import with_nominals
from .description.variables import published, variable_table
from .experiment import MOST_STEPS, Experiment, guid
from .limits import exceeded_limits
from .naming import Naming, require_naming
from .packing import pack
from .related import require_scalars, usable_sets

log = logging.getLogger("mbs_fmu")

POLL_INTERVAL = 0.2  #: s between updates of the progress bar while binaries are built in another thread
VERSIONS = {"python": ("2.0",), "native": ("2.0", "3.0")}  #: kinds of FMU with their FMI versions


@with_clear_errors
def export(
    model: Model, path: str | Path | None = None, kind: str = "python", *, fmi: str = "2.0", method: str = "dopri5",
    step: float | None = None, rtol: float | None = None, atol: float | None = None, stop_time: float = 10.0,
    communication_step: float | None = None, max_internal_steps: int | None = None, reference: bool = True,
    platforms: str | list[str] = "all", cpu: str = "baseline", arrays: bool = True, progress: bool | None = None,
    events: Events = "located", naming: Naming = "structured", about: About = UNSTATED,
    parameter_sets: Mapping[str, Any] | None = None, sources: bool = False, variables: str | Sequence[str] = "all",
) -> Path:  # fmt: skip
    """Write the model as an FMU and return its path.

    path: file name, ending in .fmu; by default <name of the model>.fmu in the working directory.
    kind: "python" for an FMI 2.0 co-simulation FMU that needs Python with mbs_fmu where it runs, or "native" for model
    exchange and co-simulation without Python.
    fmi: version of FMI, "2.0", or "3.0" for native FMUs.
    method, step, rtol, atol: integration inside a communication step, as in `simulate`.
    events: location of mode ends and event resets, "located" or "steps", as in `simulate`.
    stop_time, communication_step (s, by default stop_time / 1000): default experiment of the importer.
    max_internal_steps: largest number of internal steps in a communication step, by default 10 million; a longer
    communication step is discarded.
    reference: also write <name>_ref.csv beside the FMU: a run of `simulate` with the inputs at their start values.
    progress: show the progress of compilation and, for native FMUs, of objects and links; by default on terminals and
    in notebooks, after a second.
    naming: "structured" names of variables, such as arm.xi[1], or "flat" ones, such as arm_xi_1, for importers that
    make buses of dots or do not take brackets; see `importing.md`.
    about: author, version, copyright and licence of the model.
    parameter_sets: values of parameters, inputs and start values by the name of the set: mappings, or results of
    `trim`. The FMU contains each set as a file for importers, beside the outputs of the reference run; see `fmu.md`.
    variables: those that the description lists: "all"; "outputs" for parameters, inputs, outputs and states alone; or
    patterns of further names in the model, such as `arm.*`. Value references do not depend on the choice.

    For native FMUs only:
    platforms: "all", "host", or some of linux64, win64, darwin64 or of the FMI 3 names, such as aarch64-linux. With
    fmi="3.0" wasm32-wasip2 is a WebAssembly component, by a draft standard (experimental); "all" does not contain it.
    cpu: "baseline", or "x86-64-v3" for x86 processors since 2013.
    arrays: False for importers that cannot read the array variables of FMI 3.0; each component of a vector is then a
    scalar variable, as in FMI 2.0.
    sources: also include the model as C sources, which importers compile for their own processor. With platforms=[]
    the FMU has sources alone, and no compiler is needed here.

    Raises ModelError for a model or an argument that cannot be used, SimulationError if the reference run fails.
    """

    require_model(model)
    _check_kind(kind, fmi, platforms, cpu, arrays, sources)
    require_naming(naming)
    require_about(about)
    path = Path(f"{model.name}.fmu") if path is None else _path(path)
    experiment = _experiment(
        model, method, step, rtol, atol, stop_time, communication_step, max_internal_steps, events, naming,
        require_choice(variables),
    )  # fmt: skip
    with_reference = truth(reference, "reference")
    replaced = _kind_of(path)
    importable = for_importers(model)
    with watched(progress):
        program = _program(importable, model.events, experiment, arrays, ends=kind == "native")
        rows, described = variable_table(program), described_table(program, experiment)
        sets = usable_sets(parameter_sets or {}, model.elements, rows, described)
        require_scalars(sets, published(rows, arrays=fmi == "3.0"))
        token = guid(program, experiment, kind, fmi)
        description = checked_description(program, experiment, VERSION, kind, fmi, sources, about.attributes())
        _compile_reference(importable, experiment)
        cost = advance_cost(program, experiment.control.advance) if sources else ""
        contents = Contents(importable, program, experiment, kind, fmi, description, about, sets, cost)
        if kind == "native":
            from .native.sources import native_sources

            with ThreadPoolExecutor(1) as executor, Shares(program.name) as bar:  # binaries during the reference run
                texts = native_sources(program, experiment, fmi, token, cost) if sources else {}
                binaries = _native_binaries(executor, program, experiment, fmi, token, platforms, cpu)
                result = _reference(importable, experiment)
                files = contents.files(result)
                while not wait([binaries], POLL_INTERVAL).done:
                    bar.update()
                pack(path, {**files, **texts, **binaries.result()})
        else:
            result = _reference(importable, experiment)
            _write_python(path, program, token, contents.files(result))
    for limit in exceeded_limits(path, described_table(program, experiment)):
        log.warning(limit)
    for note in unfit_notes(program.typed_outputs, result.columns, result.data):
        log.warning("%s: %s", path, note)
    if replaced is not None and replaced != kind:
        log.warning("%s: an FMU of kind %r takes the place of one of kind %r", path, kind, replaced)
    if with_reference:
        contents.named(result).to_csv(path.with_name(f"{path.stem}_ref.csv"))
    tell(_form(kind, fmi, platforms, sources), path.name)
    return path


def _form(kind: str, fmi: str, platforms: str | list[str], sources: bool) -> Form:
    """Return what decides where the FMU can be loaded."""
    from .native.platforms import select_platforms

    native = kind == "native"
    names = [p.name for p in select_platforms(platforms)] if native and not _none(platforms, sources) else []
    return Form(kind, fmi, exchange=native, steps=True, platforms=names, sources=sources)


def _check_kind(kind: str, fmi: str, platforms: str | list[str], cpu: str, arrays: bool, sources: bool) -> None:
    """Raise ArgumentError, before anything is compiled, for a kind of FMU that cannot be exported."""
    if not is_one_of(kind, VERSIONS):
        raise ArgumentError(
            f'unknown kind of FMU {display(kind)}: use "python", or "native", which has model exchange too'
        )
    if not is_one_of(fmi, VERSIONS[kind]):
        versions = " or ".join(f'"{version}"' for version in VERSIONS[kind])
        remedy = '; kind="native" has others' if kind == "python" else ""
        raise ArgumentError(f'FMUs of kind "{kind}" have fmi={versions}: fmi is {display(fmi)}{remedy}')
    if kind == "python" and isinstance(platforms, (list, tuple)) and not platforms:
        missing = 'kind="native"' if sources else 'kind="native" and sources=True'
        raise ArgumentError(f"platforms=[] is for native FMUs with sources: give {missing} too, or leave it out")
    if kind == "python" and not (is_one_of(platforms, ("all",)) and is_one_of(cpu, ("baseline",))):
        raise ArgumentError('platforms and cpu are for native FMUs: give kind="native" too, or leave them out')
    if truth(sources, "sources") and kind == "python":
        raise ArgumentError('sources=True is for native FMUs: give kind="native" too, or leave it out')
    if not truth(arrays, "arrays") and fmi != "3.0":
        raise ArgumentError(f'arrays=False is for fmi="3.0": FMI {fmi} has no arrays, leave it out')
    if kind == "native":
        from ..codegen.ahead import require_zig
        from .native.platforms import CPUS, require_version, select_platforms

        if not _none(platforms, sources):
            require_version(select_platforms(platforms), fmi)
            require_zig("native FMUs")
        if not is_one_of(cpu, CPUS):
            raise ArgumentError(f"unknown cpu {display(cpu)}: use {' or '.join(map(repr, CPUS))}")


def _none(platforms: str | list[str], sources: bool) -> bool:
    """True for an FMU with sources alone."""
    return sources and isinstance(platforms, (list, tuple)) and len(platforms) == 0


def _path(path: Any) -> Path:
    """Return the path of the file. Raises ArgumentError unless it ends in .fmu."""
    file = file_path(path)
    if file.suffix != ".fmu":
        other = "; mbs.export_modelica and `mbs-fmu modelica` write Modelica" if file.suffix == ".mo" else ""
        raise ArgumentError(f"{str(file)!r} must end in .fmu{other}")
    return file


def _kind_of(path: Path) -> str | None:
    """Return the kind of an existing FMU of this package; None if the file is missing or something else."""
    try:
        with zipfile.ZipFile(path) as archive:
            return kind_of(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return None


def _experiment(
    model: Model, method: str, step: float | None, rtol: float | None, atol: float | None, stop_time: float,
    communication_step: float | None, max_internal_steps: int | None, events: Events, naming: Naming,
    variables: str | tuple[str, ...],
) -> Experiment:  # fmt: skip
    """Return the FMU's integration settings and default experiment. Raises ArgumentError for unusable arguments."""
    most = MOST_STEPS if max_internal_steps is None else whole(max_internal_steps, Argument("max_internal_steps"))
    control = StepControl.of(method, step, rtol, atol, events=events)
    steps_fit(model, control)
    stop_time = positive(stop_time, Argument("stop_time"))
    communication = stop_time / 1000
    if communication_step is not None:
        communication = felt(communication_step, "communication_step", 0.0, stop_time)
    return Experiment(stop_time, communication, control, most, naming, variables)


def _program(model: Model, events: Mapping[str, Event], experiment: Experiment, arrays: bool, ends: bool) -> Program:
    """Return the program of an FMU: one method, events as event indicators, nominal values, vectors only if `arrays`.

    `ends` is true if the distances to mode ends are event indicators too.
    """
    indicators = [{"name": e.name, "direction": e.direction, "stop": e.stop} for e in events.values()]
    control = experiment.control
    runtime = compiled(model, method=control.method.name, alone=True)
    if ends:
        indicators += [{"name": v.name, "direction": 0, "stop": False} for v in runtime.program.of_role("end")]
    variables = [v for v in runtime.program.variables if ends or v.role != "end"]
    module = runtime.kernels.source_with(*(["exchange_rates_d"] if runtime.program.loops else []))
    program = replace(runtime.program, module=module, indicators=indicators, variables=variables)
    program = with_nominals(program, runtime, *control.tolerances)
    R = program.new_record()
    control.write(R)
    program = program.with_record(R)
    return program if arrays else replace(program, vectors={})


def for_importers(model: Model) -> Model:
    """Return the model with the expressions of its events as outputs, whose zeros importers locate.

    Events with resets stay events, because in co-simulation the FMU itself locates them.
    """
    if not model.events:
        return model
    importable = copy(without_observers(model))
    expressions = {name: Vector([event.expression]) for name, event in model.events.items()}
    added = {
        name: Output(name, x, False, None, "an event where it is zero", Range()) for name, x in expressions.items()
    }
    importable.outputs = {**model.outputs, **added}
    return importable


def _compile_reference(model: Model, experiment: Experiment) -> None:
    """Compile all kernels of the reference run first: later, LLVM is busy with the native kernels."""
    control = experiment.control
    runtime = compiled(model, method=control.method.name, alone=True)
    run = control.loop, LOOP_KINDS
    by_communication_steps = [] if control.fixed else [(control.advance, STEP_KINDS), REFRESH]
    runtime.ready(*by_communication_steps, run)  # kernels of the FMU first: it loads them from the cache


def _reference(model: Model, experiment: Experiment) -> Result:
    """Return a run with inputs at their start values, as an importer makes it; it also checks the start."""
    control = experiment.control.at_most(experiment.communication_step)
    try:
        result = simulate(
            model, experiment.stop_time, inputs={name: i.start for name, i in model.inputs.items()},
            output_interval=experiment.communication_step, **control.arguments,
        )  # fmt: skip
    except SimulationError as error:
        error.args = (
            f"reference run of the FMU, inputs at their start values, to {experiment.stop_time:g} s: {error}; with a "
            "shorter stop_time= it may succeed",
        )
        raise
    return result if control.fixed else _by_communication_steps(model, experiment, result)


def _by_communication_steps(model: Model, experiment: Experiment, result: Result) -> Result:
    """Return the run with internal steps that end at every communication point; this changes adaptive steps."""
    control = experiment.control
    runtime = compiled(model, method=control.method.name, alone=True)
    program, R = runtime.program, runtime.program.new_record()
    slots = {v.name: v.slot for v in program.variables} | {"time": HeadNumbers.time}
    columns = [slots[name] for name in program.columns]
    runtime.initialize(R, *control.tolerances)
    advance = getattr(runtime.kernels, f"enter_{control.advance}")
    data = np.empty_like(result.data)
    with Bar(program.name, len(data), "row") as bar:
        for row, time in enumerate(result.time):
            status = advance(R, runtime.no_tables, time, control.bound, 0) if row else 0
            if status:
                raise SimulationError(runtime.fault(R, status), result)
            runtime.refresh(R)
            data[row] = R[columns]
            bar.update()
    return replace(result, data=data)


def _native_binaries(
    executor: Executor, program: Program, experiment: Experiment, fmi: str, token: str, platforms: str | list[str],
    cpu: str,
) -> Future[dict[str, bytes]]:  # fmt: skip
    """Start building the archive's binaries, by their paths there."""
    from .native.build import native_binaries
    from .native.platforms import select_platforms

    selected = select_platforms(platforms) if len(platforms) else []
    return executor.submit(copy_context().run, native_binaries, program, experiment, fmi, token, selected, cpu)


def _write_python(path: Path, program: Program, token: str, files: dict[str, bytes]) -> None:
    """Write an FMU that runs in Python with this package."""
    from .python_fmu import write_python

    write_python(path, program.name, f"{program.name}_{token[1:9]}", files)
