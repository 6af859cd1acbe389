"""FMUs of others beside a model: `Fmu`, and runs of `simulate` of such a model, by a `System`."""

from __future__ import annotations

import copy
import importlib.util
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..fmi.export import export
from ..infrastructure.arguments import positive
from ..infrastructure.disk.files import file_path
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.names import listed
from ..model.items import Range
from ..model.model import Model
from ..record.kinds import BOOLEAN, ENUMERATION, INTEGER
from ..run.errors import Interrupted, SimulationError
from ..run.inputs import laws_and_tables
from ..run.results.results import Result, vectors_of
from ..run.single import default_interval
from ..symbolic.units import unit_of
from .coupling import Coupling
from .description import REAL, Description, Variable
from .elements import NATIVE, Element, article
from .system import System

SOLVER = ("method", "step", "rtol")
KEPT = (*SOLVER, "start", "inputs", "parameters", "output_interval", "progress")  #: arguments of `simulate`
RTOL = 1e-6  #: of `simulate` too


@add_clear_errors
class Fmu:
    """An FMU of any origin, of FMI 2.0 or 3.0, that runs beside a model (`Model.fmu`).

    path: its file. values, start: start values of parameters, inputs and states by their names in the FMU, as in
    `System.add`.

    Raises ModelError for a file that is no FMU, is of FMI 1.0, or lacks a variable with a start value.
    """

    def __init__(self, path: str | Path, values: Mapping[str, Any] | None = None, /, **start: Any):
        self.path = file_path(path, "path")
        self.values = {**(values or {}), **start}
        element = Element(self.path.stem, self.path, self.values, Path, None)
        element.check()
        self.description: Description = element.description

    def __repr__(self) -> str:
        return f"FMU {self.path.name!r}"

    def signal_of(self, variable: str, causality: str) -> tuple[str | None, Range]:
        """Return the unit of a scalar input or output, None if the package does not know it, and its kind.

        Raises ModelError for another variable.
        """
        slots = self.description.slots(variable)
        own = slots[0].variable
        if own.causality != causality:
            raise ArgumentError(
                f"{variable!r} of {self.path.name} is {article(own.causality)}, not {article(causality)}"
            )
        if len(slots) > 1 or not own.is_number:
            raise ArgumentError(f"{variable!r} of {self.path.name} is no single number: name an element of it")
        if own.kind != REAL:
            return None, _range_of(own)
        return own.unit if own.unit is not None and unit_of(own.unit) else None, Range()

    def simulate(self, model: Model, stop_time: float, **settings: Any) -> Result:
        """Run a model and all FMUs beside it, with arguments of `mbs.simulate`. Raises the same errors."""
        return simulated(model, stop_time, settings)


def _range_of(variable: Variable) -> Range:
    """Return the kind of a variable that is no real number; that of values which models do not have is "integer"."""
    numbers = [number for _, number in variable.items]
    if numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        items = tuple(name for name, _ in variable.items)
        return Range(float(numbers[0]), float(numbers[-1]), kind=ENUMERATION, items=items)
    return Range(0.0, 1.0, kind=BOOLEAN) if variable.type == "Boolean" else Range(kind=INTEGER)


def simulated(model: Model, stop_time: float, settings: Mapping[str, Any]) -> Result:
    """Run a model with the FMUs beside it by a system, with arguments of `simulate`.

    Columns of the model have its names, those of an FMU "name.variable". Raises ModelError for arguments that such runs
    do not have.
    """
    refused = [name for name in settings if name not in KEPT]
    if refused:
        raise ArgumentError(
            f"{refused[0]}= is not for a model with FMUs beside it, here {listed(model.fmus)}: leave it out"
        )
    coupling = coupling_of([attached.partner.description for attached in model.fmus.values()])
    values = start_values(model, settings)
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder:
        solver = {name: settings[name] for name in SOLVER if settings.get(name) is not None}
        step, run_solver = steps_of(coupling, stop_time, settings, solver)
        s = System(model.name)
        plain, kind = without_fmus(model), "native" if has_native() else "python"
        options = {} if coupling == "exchange" else solver
        platforms = "host" if kind == "native" else "all"
        file = export(plain, Path(folder) / f"{model.name}.fmu", kind, platforms=platforms, reference=False, **options)
        s.add(model.name, file, values)
        for name, attached in model.fmus.items():
            s.add(name, attached.partner.path, attached.partner.values)
        for name, attached in model.fmus.items():
            for variable, own in attached.outputs.items():
                s.connect(f"{name}.{variable}", f"{model.name}.{own}")
            for variable, own in attached.inputs.items():
                s.connect(f"{model.name}.{own}", f"{name}.{variable}")
        names = columns(s, model.name)
        try:
            run = s.run(
                stop_time, step, coupling=coupling, watch=names, progress=settings.get("progress"), **run_solver
            )
        except (SimulationError, Interrupted) as error:
            if error.result is not None:
                error.result = renamed(error.result, names, plain)
            raise
        return renamed(run, names, plain)


def without_fmus(model: Model) -> Model:
    """Return the model alone, whose signals to and from its FMUs are inputs and outputs."""
    plain = copy.copy(model)
    plain.fmus = {}
    return plain


def has_native() -> bool:
    """True if native FMUs can be made, which have model exchange."""
    return importlib.util.find_spec(NATIVE) is not None


def coupling_of(descriptions: Sequence[Description]) -> Coupling:
    """Return the most accurate coupling that all FMUs and that of the model can do."""
    if has_native() and all(d.exchange is not None for d in descriptions):
        return "exchange"
    return "iterate" if all(d.saves for d in descriptions) else "hold"


def steps_of(
    coupling: Coupling, stop_time: float, settings: Mapping[str, Any], solver: Mapping[str, Any]
) -> tuple[float, dict[str, Any]]:
    """Return the step of the system, s, and the arguments of its method, which in model exchange is that of all states.

    In co-simulation the step is the output interval, and each FMU has its own method.
    """
    step, interval = settings.get("step"), settings.get("output_interval")
    if coupling != "exchange":
        return interval or default_interval(positive(stop_time, "stop_time"), step or 0.0), {}
    if step is not None and interval is not None and step != interval:
        raise ArgumentError("beside FMUs in model exchange each step is a row: leave step= or output_interval= out")
    method = solver.get("method", "dopri5")
    controlled = step is None and method == "dopri5"
    arguments = {"method": method, "rtol": solver.get("rtol", RTOL if controlled else None)}
    return step or interval or default_interval(positive(stop_time, "stop_time"), 0.0), arguments


def start_values(model: Model, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return start values of the model's FMU. Raises ArgumentError for inputs that are no constants."""
    inputs = settings.get("inputs") or {}
    laws, tables = laws_and_tables(model, inputs)
    varying = [*laws, *(name for name, (times, _) in tables.items() if len(times) > 1)]
    if varying:
        raise ArgumentError(f"input {varying[0]!r} beside FMUs must be a constant: write its law into the model")
    constants = {name: float(values[0]) for name, (_, values) in tables.items()}
    return {**(settings.get("parameters") or {}), **(settings.get("start") or {}), **constants}


def columns(system: System, model: str) -> dict[str, str]:
    """Return the columns of a run by "element.variable": the model's variables, and the outputs of the FMUs."""
    names = {}
    for element in system.elements.values():
        for v in element.description.variables.values():
            is_own = element.name == model and v.causality == "local" and not v.name.startswith("der(")
            for slot in (
                element.description.slots(v.name) if v.is_number and (v.causality == "output" or is_own) else ()
            ):
                names[f"{element.name}.{slot.name}"] = (
                    slot.name if element.name == model else f"{element.name}.{slot.name}"
                )
    return names


def renamed(run: Result, names: Mapping[str, str], model: Model) -> Result:
    """Return a result with other names of its columns, and the model for its pictures."""
    columns = ["time", *(names[name] for name in run.columns[1:])]
    units = {names.get(name, name): unit for name, unit in run.units.items()}
    held = frozenset(names[name] for name in run.held)
    parameters = {name.removeprefix(f"{model.name}."): value for name, value in run.parameters.items()}
    return replace(
        run, columns=columns, units=units, vectors=vectors_of(columns), held=held, parameters=parameters, model=model
    )
