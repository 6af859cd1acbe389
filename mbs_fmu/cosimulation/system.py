"""Systems of FMUs: `System` describes elements and connections, checks them by name, and runs them."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from ..infrastructure.arguments import finite, is_one_of, positive
from ..infrastructure.disk.files import file_path
from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..infrastructure.progress import watched
from ..model.model import Model
from ..run.results.results import Result
from .coupling import Coupling, check_coupling, check_method
from .description import REAL, TEXT, Description, Slot, conversion, described, lacking, remedy
from .elements import Element, Kind, article
from .flanges import Flange, FlangeKind, flange, is_flange, spring_damper
from .order import Link, label, planned
from .packages.engines import Engine, check_engine, outputs_read, run_in
from .packages.ssp_reading import read_ssp
from .packages.structure import Structure
from .packages.writing import write
from .running import Task, run

STOP_TIME, STEP = 10.0, 0.01  #: s; of the experiment of a file


@add_clear_errors
class System:
    """FMUs of any origin, and models, that exchange values at communication points.

    name: of its results. kind: kind of FMU that models become, "native" or "python", by default native if the extra
    "native" is installed.

    Models that are all made with this package belong into one model (`Model.include`), which has no coupling error.
    """

    def __init__(self, name: str = "system", *, kind: Kind | None = None):
        if kind is not None and not is_one_of(kind, get_args(Kind)):
            raise ArgumentError(f"kind is {kind!r}: use {' or '.join(map(repr, get_args(Kind)))}")
        self.name = name
        self.elements: dict[str, Element] = {}
        self.links: dict[str, Link] = {}  #: by "element.input"
        self.flanges: dict[str, list[tuple[str, str]]] = {}  #: inputs of efforts and velocities by pair of flanges
        self.stop_time: float | None = None  #: s; default of `run` and `export`, from the file that was read
        self.step: float | None = None  #: s; the same
        self.notes: list[str] = []  #: on what was left out of the file that was read
        self._kind: Kind | None = kind
        self._folder: Path | None = None  #: of FMUs of models

    def __repr__(self) -> str:
        return f"system {self.name!r} of {listed(self.elements)}"

    # -- description ------------------------------------------------------------------------------------
    def add(self, name: str, fmu: str | Path | Model, values: Mapping[str, Any] | None = None, /, **start: Any) -> None:
        """Add an element.

        name: unique in the system. fmu: the file of an FMU of FMI 2.0 or 3.0, or a model, which is exported when its
        variables are first needed.
        values, start: start values of parameters, inputs and states by their names in the FMU: those that are no Python
        names as a mapping. They are numbers in the variable's unit, texts of a number and a unit, or sequences for
        arrays.

        Raises ModelError for a name that is taken, and for a file that is no FMU, is of FMI 1.0, or lacks a variable
        with a start value.
        """
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"name of an element is {name!r}: give a text")
        if name in self.elements:
            raise ArgumentError(f"element {name!r} is there already: give each element a name of its own")
        given = fmu if isinstance(fmu, Model) else file_path(fmu, "fmu")
        element = Element(name, given, {**(values or {}), **start}, self._exported_file, self._kind)
        if not isinstance(fmu, Model):
            element.check()
        self.elements[name] = element

    def set(self, name: str, value: Any) -> None:
        """Set the start value of a parameter, input or state, as "element.variable", as `add` takes it.

        Raises ModelError for unknown names, and values that the variable cannot take.
        """
        element, variable = self._named(name)
        values = {**element.values, variable: value}
        changed = Element(element.name, element.given, values, self._exported_file, self._kind)
        changed.check()
        self.elements[element.name] = changed

    def connect(self, source: str, target: str, *, factor: float | None = None, offset: float | None = None) -> None:
        """Connect an output to an input, both as "element.variable".

        Arrays are connected as a whole, or by element, as in "arm.place[2]"; a vector of scalars place[1], place[2],
        ... counts as an array. Values are converted if the units differ in size: mm to m, deg to rad.
        factor, offset: the input gets factor x + offset, whatever the units.

        Raises ModelError for unknown elements and variables, a source that is no output, a target that is no input or
        connected already, types or sizes that differ, an enumeration with values that the input lacks, and units of
        different dimensions.
        """
        outputs, inputs = self._ends(source), self._ends(target)
        self._require(outputs, "output", f"connection from {source!r}")
        self._require(inputs, "input", f"connection to {target!r}")
        if len(outputs) != len(inputs):
            raise ArgumentError(
                f"sizes differ: {source!r} has {len(outputs)} elements, {target!r} has {len(inputs)}; connect single "
                "elements by name[number]"
            )
        links = [self._link(a, b, factor, offset) for a, b in zip(outputs, inputs, strict=True)]
        self.links |= {label(link.target): link for link in links}

    def couple(
        self, first: str, second: str, *, stiffness: float, damping: float = 0.0, name: str | None = None
    ) -> None:
        """Couple two flanges, as "element.flange", by a spring with a damper.

        A flange consists of outputs and an input of an FMU, as `Model.flange` makes them: NAME.phi (rad), NAME.w
        (rad/s) and NAME.tau (N.m), or NAME.s (m), NAME.v (m/s) and NAME.f (N). If the FMU has a terminal NAME, its
        members with these names count. The spring and damper, an element without bodies, take the motions of both
        flanges and give both the opposite efforts.

        stiffness: N.m/rad or N/m. damping: N.m.s/rad or N.s/m. name: of the element, by default FIRST_SECOND with
        underscores in place of points.

        Raises ModelError for unknown elements, what is no flange, and flanges of which one turns and one slides.
        """
        pair = f"{first} - {second}"
        if first == second or pair in self.flanges or f"{second} - {first}" in self.flanges:
            again = "a flange cannot be coupled with itself" if first == second else "they are coupled already"
            raise ArgumentError(f"flanges {first!r} and {second!r}: {again}")
        ends = [self._named(end) for end in (first, second)]
        flanges = [flange(element.description, rest, element.name) for element, rest in ends]
        kind = flanges[0].kind
        if kind is not flanges[1].kind:
            moves = f"{first!r} {kind.moves} and {second!r} {flanges[1].kind.moves}"
            raise ArgumentError(f"{moves}: couple flanges of one kind")
        own = name or f"{first}_{second}".replace(".", "_")
        model = spring_damper(own, kind, positive(stiffness, "stiffness"), finite(damping, "damping"))
        before = dict(self.elements), dict(self.links)
        try:
            self.flanges[pair] = self._attach(own, model, kind, ends, flanges)
        except ModelError:
            self.elements, self.links = before
            raise

    def _attach(
        self, own: str, model: Model, kind: FlangeKind, ends: Sequence[tuple[Element, str]], flanges: Sequence[Flange]
    ) -> list[tuple[str, str]]:
        """Add the element between two flanges; return the inputs of the effort at each and of the velocity from it."""
        self.add(own, model)
        sides = []
        for (element, _), (_, variables), side in zip(ends, flanges, ("first", "second"), strict=True):
            for variable in (kind.position, kind.velocity):
                self.connect(f"{element.name}.{variables[variable]}", f"{own}.{side}_{variable}")
            effort = f"{element.name}.{variables[kind.effort]}"
            self.connect(f"{own}.{side}_{kind.effort}", effort)
            sides.append((effort, f"{own}.{side}_{kind.velocity}"))
        return sides

    # -- files ------------------------------------------------------------------------------------------
    @classmethod
    def read(cls, path: str | Path) -> System:
        """Return the system of an SSP package (.ssp), of any tool, or of a description with its files beside it (.ssd).

        Elements of nested systems have dots in their names. Values of parameters are start values; stop time and step
        of the file are the defaults of `run`. `notes` contains what is left out, which results repeat.

        Raises ModelError, which names the thing, for files that are missing or unreadable, components that are neither
        FMUs nor systems, parameter mappings, signal dictionaries, and what `add` and `connect` refuse.
        """
        package = read_ssp(file_path(path))
        system = cls(package.name)
        system.stop_time, system.step, system.notes = package.stop_time, package.step, package.notes
        files = package.unpacked(system._files())
        for name, source in package.sources.items():
            description = described(files[source])
            values, unknown = package.start(name, description)
            system.notes += unknown
            system.add(name, files[source], values)
        for (element, connector), ((origin, output), change) in package.links.items():
            target = f"{element}.{connector}"
            given = change.numbers if change.is_raw else {}
            system.connect(f"{origin}.{output}", target, **given)
            if not change.is_raw:
                system._change(target, change.factor, change.offset)
        linked = system.links.keys()
        system.flanges = {
            name: sides for name, sides in package.flanges.items() if all(x in linked for side in sides for x in side)
        }
        return system

    def export(
        self, path: str | Path, *, stop_time: float | None = None, step: float | None = None,
        version: str | None = None, outputs: Iterable[str] | None = None, progress: bool | None = None,
    ) -> Path:  # fmt: skip
        """Write the system with its FMUs for other programs, and return the path of the file.

        path: NAME.ssp is a package of System Structure and Parameterization, which FMPy, libcosim, Ecos, OMSimulator
        and fmucontainer read; equal systems give equal bytes. FOLDER/OspSystemStructure.xml is a structure of the Open
        Simulation Platform, with the FMUs beside it; coupled flanges are power bonds. NAME.fmu is one FMU that contains
        all others, which needs the extra "importers".
        stop_time, step: of the experiment, s; by default those of the file that was read, else 10 s and 0.01 s.
        version: of SSP, "1.0" (default) or "2.0"; or of FMI for one FMU, "2.0" (default) or "3.0".
        outputs: of one FMU, as "element.variable"; by default all outputs of all elements.
        progress: show the progress; by default on terminals and in notebooks, after a second.

        What some of these programs do not read is logged as a warning. They hold inputs over steps, and outputs with
        direct feedthrough arrive one step later than in `run`.

        Raises ModelError for systems that the programs cannot read: conversions of units, arrays, FMUs without
        co-simulation, names of elements that are no identifiers. Raises OSError if a file cannot be written.
        """
        target = file_path(path)
        with watched(progress):
            write(self._structure(stop_time, step, outputs), target, version)
        return target

    def _structure(self, stop_time: float | None, step: float | None, outputs: Iterable[str] | None) -> Structure:
        """Return what a file of the system contains."""
        structure = Structure(
            self.name, {name: element.description for name, element in self.elements.items()},
            {name: element.start for name, element in self.elements.items()},
            [self.links[target] for target in sorted(self.links)], self._flange_links(), self._watched(outputs),
            positive(stop_time or self.stop_time or STOP_TIME, "stop_time"),
            positive(step or self.step or STEP, "step"),
        )  # fmt: skip
        return structure.without_dots()

    def _change(self, target: str, factor: float, offset: float) -> None:
        """Add a linear transformation to the connection of an input, after the conversion of its unit."""
        if (factor, offset) == (1.0, 0.0):
            return
        for end in self._ends(target):
            link = self.links[label(end)]
            changed = factor * link.factor, factor * link.offset + offset
            self.links[label(end)] = Link(link.source, link.target, *changed)

    # -- runs -------------------------------------------------------------------------------------------
    def run(
        self, stop_time: float | None = None, step: float | None = None, *, coupling: Coupling = "hold",
        method: str = "rk4", rtol: float | None = None, watch: Iterable[str] | None = None,
        engine: Engine | None = None, progress: bool | None = None,
    ) -> Result:  # fmt: skip
        """Run from 0 to `stop_time` with communication steps of `step`, both in s.

        They can be left out for a system that was read from a file with both.

        coupling: "hold" keeps inputs constant in a step (order one); "extrapolate" continues them linearly (order two;
        FMUs that take slopes of inputs); "iterate" repeats steps until the values at their ends agree (order two, and
        stable for stiff couplings; FMUs that save their state); "exchange" integrates the states of all elements
        together, with events located (FMUs for model exchange).
        method: in model exchange, "rk4" (order four) or "dopri5" (order five), with steps of `step`.
        rtol: relative tolerance of "dopri5", with which steps are shorter than `step` where the error requires it.
        watch: columns of the result, as "element.variable"; by default all outputs of all elements, or of
        these those that the engine reads.
        engine: program that runs the system, in a process of its own: "libcosim" or "ecos", of the extra "importers".
        They hold inputs, read all outputs before they set any input, and take no arrays.
        progress: show a progress bar; by default on terminals and in notebooks, after two seconds.

        Returns a `Result` whose `statistics` contain the coupling, the number of steps, those of all FMUs (in model
        exchange the numbers of evaluations and events), the energy (J) that the coupling created at each pair of
        coupled flanges, and in "notes" the inputs that are not connected. The order in which elements were added does
        not affect the values.

        Raises ModelError for arguments that cannot be used, SimulationError if an element fails, values do not agree,
        or the coupling is unstable; `Interrupted` after Ctrl-C.
        """
        if engine is not None:
            check_engine(engine, coupling)
        size = positive(self._given(step, self.step, "step"), "step")
        span = positive(self._given(stop_time, self.stop_time, "stop_time"), "stop_time")
        count = round(span / size)
        if not count or abs(count * size - span) > 1e-6 * size:
            raise ArgumentError(f"stop_time {span!r} is not a whole number of steps of {size!r} s")
        if not self.elements:
            raise ArgumentError(f"system {self.name!r} has no elements: add FMUs")
        with watched(progress):
            descriptions = {name: element.description for name, element in self.elements.items()}
            links = [self.links[target] for target in sorted(self.links)]
            check_method(coupling, method, rtol)
            check_coupling(coupling, descriptions, links)
            require_instances(descriptions)
            watched_ends, notes = self._watched(watch), list(self.notes)
            if engine is not None and watch is None:
                watched_ends, unread = outputs_read(engine, watched_ends)
                notes += unread
            task = Task(
                self.name, descriptions, {name: element.start for name, element in self.elements.items()}, links,
                planned(links, descriptions), self._flange_links(), watched_ends, size, count, coupling, method,
                rtol, tuple(notes),
            )  # fmt: skip
            return run(task) if engine is None else run_in(engine, task, self._structure(span, size, watch))

    def _given(self, value: float | None, read: float | None, name: str) -> float:
        if value is None and read is None:
            raise ArgumentError(f"system {self.name!r} has no {name} of a file: give ", Argument(name, f"{name}= in s"))
        return read if value is None else value  # type: ignore[return-value]

    def _files(self) -> Path:
        """Return a folder that exists as long as the system."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="mbs_fmu_system_"))
            weakref.finalize(self, shutil.rmtree, self._folder, True)
        return self._folder

    def _exported_file(self, name: str) -> Path:
        """Return the file for the FMU of a model."""
        return self._files() / f"{name}.fmu"

    # -- names ------------------------------------------------------------------------------------------
    def _named(self, text: str) -> tuple[Element, str]:
        """Return the element and the rest of "element.rest". Raises ArgumentError for an unknown element."""
        fitting = [name for name in self.elements if str(text).startswith(f"{name}.")]
        if fitting:
            name = max(fitting, key=len)
            return self.elements[name], text[len(name) + 1 :]
        name = str(text).partition(".")[0]
        if name in self.elements:
            raise ArgumentError(f"{text!r} names no variable: write '{name}.variable'")
        hint = did_you_mean(name, self.elements)
        raise ArgumentError(f"{text!r}: no element {name!r}{hint}; elements are {listed(self.elements)}")

    def _ends(self, text: str) -> list[tuple[str, Slot]]:
        element, name = self._named(text)
        try:
            return [(element.name, slot) for slot in element.description.slots(name)]
        except ModelError as error:
            if is_flange(element.description, name):
                raise ArgumentError(f"{text!r} is a flange: join it to another one by couple()") from None
            raise ArgumentError(f"{text!r}: {error}") from None

    def _require(self, ends: list[tuple[str, Slot]], causality: str, thing: str) -> None:
        """Raise ArgumentError for an end of a connection that is not of the causality."""
        for _, slot in ends:
            if slot.variable.causality != causality:
                raise ArgumentError(
                    f"{thing}: it is {article(slot.variable.causality)}, not {article(causality)}; connections go from "
                    "an output to an input"
                )

    def _link(self, a: tuple[str, Slot], b: tuple[str, Slot], factor: float | None, offset: float | None) -> Link:
        """Return a link of scalars. Raises ArgumentError for ends that do not fit."""
        source, target = a[1].variable, b[1].variable
        if label(b) in self.links:
            first = label(self.links[label(b)].source)
            raise ArgumentError(f"input {label(b)!r} is connected already, to {first!r}: an input has one source")
        if source.kind != target.kind or not (source.is_number or source.kind == TEXT):
            raise ArgumentError(
                f"types differ or cannot be passed: {label(a)!r} is of type {source.kind}, {label(b)!r} of type "
                f"{target.kind}{remedy(source, target)}"
            )
        if missing := lacking(source, target):
            raise ArgumentError(
                f"values differ: enumeration {label(b)!r} has no values {listed(missing)} of {label(a)!r}: give both "
                "the same values"
            )
        if factor is not None or offset is not None:
            if source.kind != REAL:
                raise ArgumentError(f"factor and offset are for real numbers; {label(a)!r} is of type {source.kind}")
            return Link(a, b, finite(1.0 if factor is None else factor, "factor"), finite(offset or 0.0, "offset"))
        converted = conversion(source, target)
        if converted is None:
            raise ArgumentError(
                f"units differ: {label(a)!r} is in {source.unit}, {label(b)!r} in {target.unit}; give factor= if its "
                "number is meant nevertheless"
            )
        return Link(a, b, *converted)

    def _flange_links(self) -> dict[str, list[tuple[Link, Link]]]:
        """Return the links that bring the effort to each flange and take its velocity, by pair of flanges."""
        return {
            pair: [(self.links[effort], self.links[velocity]) for effort, velocity in sides]
            for pair, sides in self.flanges.items()
        }

    def _watched(self, watch: Iterable[str] | None) -> list[tuple[str, Slot]]:
        """Return the ends whose values become columns."""
        if watch is None:
            return [
                (name, slot)
                for name, element in self.elements.items()
                for v in element.description.variables.values()
                if v.causality == "output" and v.is_number
                for slot in element.description.slots(v.name)
            ]
        names = [watch] if isinstance(watch, str) else watch
        if not isinstance(names, Iterable):
            raise ArgumentError(f"watch is {display(watch)}: give names of variables, each as 'element.variable'")
        ends = [end for name in names for end in self._ends(name)]
        for name, slot in ends:
            if not slot.variable.is_number:
                raise ArgumentError(f"watched variable '{name}.{slot.name}' is no number: it has no column")
        return list(dict.fromkeys(ends))


def require_instances(descriptions: Mapping[str, Description]) -> None:
    """Raise ArgumentError for two instances of an FMU that a process can have only one of."""
    owners: dict[str, str] = {}
    for name, description in descriptions.items():
        if description.single and owners.setdefault(description.token, name) != name:
            raise ArgumentError(
                f"{description.path.name} can be instantiated only once in a process, and "
                f"{owners[description.token]!r} and {name!r} use it: leave one out"
            )
