"""ModelStructure of an FMU is complete: the list of each unknown has every known that changes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.description import description_xml
from mbs_fmu.fmi.description.variables import FmiVariable, variable_table
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.fmi.export import for_importers
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.record.program import Program
from mbs_fmu.run.simulate import compiled
from mbs_fmu.run.step_control import StepControl
from support.cases import tiers
from support.generators.contacts import bodies_in_contact, dragged
from support.generators.mechanisms import add_drives, random_tree
from support.hosts.fmus import Builder, Host, description
from support.models.bundled import built, by_cost
from support.models.fmu_models import INPUTS, MODELS, inputs_of_loops

VERSIONS = (("python", "2.0"), ("native", "2.0"), ("native", "3.0"))
SECTIONS = {  # of ModelStructure, in FMI 2 and 3
    "Outputs": "running", "Derivatives": "running", "InitialUnknowns": "start",
    "Output": "running", "ContinuousStateDerivative": "running", "EventIndicator": "running", "InitialUnknown": "start",
}  # fmt: skip
NOISE = 1e-11  #: relative to a number: round-off of cancelling terms; true dependencies change far more
SLOPE = 1e-8  #: relative to a number over that of the known: round-off, 1e-15, over the FMU's own steps of 1e-6


# -- dependencies in the description -----------------------------------------------------------------


def listed(root: ET.Element, program: Program) -> dict[tuple[str, str], set[int]]:
    """For each phase and unknown the value references of its dependencies."""
    two = root.get("fmiVersion") == "2.0"
    vectors = {} if two else {v[0]: v for v in program.vectors.values()}
    names = [row.name for row in variable_table(program)]
    whole = {k: {names.index(x) for x in vectors.get(name, [name])} for k, name in enumerate(names)}  # vectors of FMI 3
    dependencies: dict[tuple[str, str], set[int]] = {}
    for element in root.iter():
        phase = SECTIONS.get(element.tag)
        for unknown in (element.findall("Unknown") if two else [element]) if phase else ():
            name = names[int(unknown.get("index", 0)) - 1 if two else int(unknown.get("valueReference", 0))]
            known = set().union(*(whole[int(k) - two] for k in unknown.attrib["dependencies"].split()))
            dependencies |= {(str(phase), part): known for part in vectors.get(name, [name])}
    return dependencies


def described(program: Program, kind: str, fmi: str) -> ET.Element:
    return description_xml(program, Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000), "test", kind, fmi)


# -- dependencies of the numbers -----------------------------------------------------------------------


class Plain:
    """A program's kernels as plain Python, at a start and at random states after it, which differ by about `spread`."""

    def __init__(self, program: Program, rng: np.random.Generator, spread: float):
        self.program, self.rng, self.spread = program, rng, spread
        self.kernels = load_plain(program.module)
        self.rows = variable_table(program)
        self.U = np.zeros(6 * program.regions["inputs"][1] + 4)
        self.slots = [row.slot for row in self.rows]
        self.given = program.new_record()
        for row in self.rows:
            if row.role in ("input", "time"):
                self.given[row.slot] += 0.1 * rng.normal()  # lengths of cylinders stay within their strokes

    def start(self, values: np.ndarray) -> np.ndarray:
        R = values.copy()
        assert self.kernels.initialise(R) == Status.ok
        return self.refreshed(R)

    def refreshed(self, R: np.ndarray) -> np.ndarray:
        R[HeadNumbers.fresh] = 0.0
        self.kernels.refresh(R, self.U)
        return R

    def running(self) -> np.ndarray:
        """A record after the start, with states that no start has."""
        R = self.start(self.given)
        states = self.program.state_slice
        R[states] += self.spread * self.rng.normal(size=states.stop - states.start)
        return self.refreshed(R)

    def moved(self, R: np.ndarray, row: FmiVariable, phase: str) -> np.ndarray:
        """Record with one known slightly changed: prepared anew, at the start initialised anew."""
        changed = R.copy()
        changed[row.slot] += (1e-3 if row.role == "parameter" else 3e-3) * (abs(changed[row.slot]) or 1.0)
        if phase == "start":
            return self.start(changed)
        if row.role == "parameter":
            assert self.kernels.prepare(changed) == 0
        return self.refreshed(changed)

    def possible(self, phase: str) -> list[FmiVariable]:
        """All possible knowns of a phase."""
        states = {row.derivative_of for row in self.rows if row.derivative_of is not None}
        return [
            row
            for row in self.rows
            if row.causality in ("input", "independent", "parameter")
            or (row.initial == "exact" if phase == "start" else row.reference in states)
        ]

    def movers(self, phase: str) -> Iterator[tuple[FmiVariable, np.ndarray]]:
        """Changes of all possible knowns of a phase, each with its variables."""
        base = self.given if phase == "start" else self.running()
        before = (self.start(base) if phase == "start" else base)[self.slots]
        for row in self.possible(phase):
            after = self.moved(base, row, phase)[self.slots]
            yield row, np.abs(after - before) > NOISE * (1.0 + np.abs(before))


def knowable(row: FmiVariable, phase: str, kind: str, fmi: str) -> bool:
    """True if the standard counts a variable as a known of a phase: parameters in FMI 3 only, states only with
    derivatives.
    """
    if phase == "start":
        return True
    return fmi == "3.0" or row.role != "parameter" and (kind == "native" or row.causality != "local")


def assert_lists_are_complete(model: mbs.Model, rng: np.random.Generator, spread: float = 0.02) -> None:
    program = replace(
        compile_model(for_importers(model)),
        indicators=[{"name": e.name, "direction": e.direction, "stop": e.stop} for e in model.events.values()],
    )
    plain = Plain(program, rng, spread)
    references = {row.name: row.reference for row in plain.rows}
    lists = {(kind, fmi): listed(described(program, kind, fmi), program) for kind, fmi in VERSIONS}
    for phase in ("start", "running"):
        knowns = [
            (*key, name, known)
            for key, unknowns in lists.items()
            for (p, name), known in unknowns.items()
            if p == phase
        ]
        possible = plain.possible(phase)
        if all(
            known >= {row.reference for row in possible if knowable(row, phase, kind, fmi)}
            for kind, fmi, _, known in knowns
        ):
            continue  # no list can lack anything
        movers = list(plain.movers(phase))
        for kind, fmi, name, known in knowns:
            moving = [row for row, moves in movers if moves[references[name]] and knowable(row, phase, kind, fmi)]
            missing = [row.name for row in moving if row.reference not in known]
            assert not missing, f"{kind} {fmi}, {phase}: {name} depends on {', '.join(missing)}"


# -- laws ----------------------------------------------------------------------------------------------

#: A driven tree, loops, vibration modes and general forces first.
EVERY_FEATURE = ("driven", "linkage", "boom", "gyro", "pushed", "top", "swing", "bob", "hoist", "slider_crank")


@pytest.mark.parametrize("function", tiers(by_cost(), usual=1))
def test_dependencies_of_bundled_models(function: str) -> None:
    """No list lacks a known that changes its unknown, at the start and after it, in both versions."""
    spread = 1e-3 if function == "planetary_gearbox" else 0.02  # m: the base circles of its wheels stay apart
    assert_lists_are_complete(built(function), np.random.default_rng(5), spread)


@pytest.mark.parametrize("name", tiers(EVERY_FEATURE, usual=2, quick=1))
def test_dependencies_of_models_with_every_feature(name: str) -> None:
    """The same with motion prescribed by inputs, states and time, parameters in mass and loops, and reactions."""
    assert_lists_are_complete(MODELS[name](), np.random.default_rng(6))


@pytest.mark.parametrize("name", ["dragged", "cylinder on plane, Hertz", "sphere on box, spinning"])
def test_dependencies_of_contacts(name: str) -> None:
    """The same for rates of bristles, which the laws of forces compute."""
    m = dragged() if name == "dragged" else bodies_in_contact(name, 5)
    assert_lists_are_complete(m, np.random.default_rng(7))


@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_dependencies_of_random_mechanisms(seed: int) -> None:
    """The same for random trees with prescribed and custom joints in time; outputs of every kind of number."""
    rng = np.random.default_rng(seed)
    joints = ("revolute", "universal", "spherical", "custom", "timed", "screw", "planar")
    m = random_tree(rng, 4, joints=joints)
    if seed % 2:
        add_drives(m, rng)
    c, push = m.parameter("c", 3.0), m.input("push", start=0.5)
    z = m.state("z", rate=push - mbs.time * mbs.position("b0")[0], start=0.2)
    m.spring("spring", "world", "b3", stiffness=c * (1.0 + mbs.sin(mbs.time)), damping=0.1)
    m.output("place", mbs.position("b2", (0.1, 0.2, 0.3)))
    m.output("spin", mbs.angular_velocity("b1"))
    m.output("energy", mbs.energy())
    m.output("power", mbs.power("spring"))
    m.output("momentum", mbs.momentum())
    m.output("mixed", z * c + mbs.where(mbs.time < 1.0, push, 0.0))
    m.output("clock", mbs.time)
    for body in m.bodies.values():
        for k in range(1, len(body.joint.coordinates) + 1):
            m.output(f"q_{body.name}_{k}", mbs.coordinate(body, k))
        for k in range(1, len(body.joint.rates) + 1):
            m.output(f"u_{body.name}_{k}", mbs.rate(body, k))
    assert_lists_are_complete(m, rng)


@pytest.mark.parametrize("name", ["linkage", "hoist", "gyro"])
def test_every_entry_has_a_list(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dependencies are written for each entry, also of reactions; only descriptions with too many omit long ones."""
    program = compiled(MODELS[name](), method="rk4", alone=True).program

    def lists() -> list[str | None]:
        roots = [described(program, kind, fmi) for kind, fmi in VERSIONS]
        unknowns = [e for root in roots for e in root.iter() if e.tag in (*SECTIONS, "Unknown")]
        return [e.get("dependencies") for e in unknowns if e.keys()]

    entries = lists()
    assert entries and None not in entries
    monkeypatch.setattr("mbs_fmu.fmi.description.dependencies.MOST", 0)
    monkeypatch.setattr("mbs_fmu.fmi.description.dependencies.LONG", 2)
    assert lists() == [None if len(str(entry).split()) > 2 else entry for entry in entries]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["governor", "pi_speed_regulator", "gyro", "top", "four_bar", "linkage"])
def test_derivatives_of_native_fmus(fmu: Builder, model: str) -> None:
    """Derivatives by every known, including mass and geometry, at the start and after steps, are zero outside the
    lists.

    At the start they equal central differences of the values read, to 1e-6. The length of a quaternion has no
    derivative.
    """
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = fmu(model, kind="native")
    program = compiled(MODELS[model](), method="rk4", alone=True).program
    rows, lists = variable_table(program), {fmi: described(program, "native", fmi) for fmi in ("2.0", "3.0")}
    known_of = {fmi: listed(root, program) for fmi, root in lists.items()}
    assert known_of["2.0"] == listed(description(path), program)
    states = {row.derivative_of for row in rows if row.derivative_of is not None}
    with Host(path) as host:
        host.begin(inputs_of_loops(model) or INPUTS.get(model, {}))
        for phase in ("start", "running"):
            unknowns = [row for row in rows if row.role in ("output", "derivative")]
            references = [row.reference for row in unknowns]
            for row in rows:
                exact = row.initial == "exact" if phase == "start" else row.reference in states
                if not (exact or row.causality in ("input", "independent", "parameter")):
                    continue
                if row.low is not None and phase == "start" and host.get(row.name)[0] == row.low:
                    host.set({row.name: row.low + 0.1})  # away from its bound
                slopes = np.array(host.slave.getDirectionalDerivative(references, [row.reference], [1.0]))
                size = abs(host.get(row.name)[0]) or 1.0
                for unknown, slope, value in zip(unknowns, slopes, host.slave.getReal(references), strict=True):
                    for fmi in ("2.0", "3.0"):
                        known = known_of[fmi][phase, unknown.name]
                        free = not knowable(row, phase, "native", fmi) or row.reference in known
                        small = abs(slope) * size <= SLOPE * (1.0 + abs(value))
                        assert free or small, f"{fmi}, {phase}: {unknown.name} depends on {row.name}"
                if phase == "start" and row.causality != "independent":
                    assert slopes == pytest.approx(differences(host, row, references), rel=1e-6, abs=1e-6), row.name
            if phase == "start":
                host.slave.exitInitializationMode()
                host.run(5)


def differences(host: Host, row: FmiVariable, references: list[int]) -> np.ndarray:
    """Central differences of an FMU's values in initialization mode."""
    value = host.get(row.name)[0]
    h = 1e-5 * max(1.0, abs(value))
    sides = []
    for sign in (1.0, -1.0):
        host.set({row.name: value + sign * h})
        sides.append(np.array(host.slave.getReal(references)))
    host.set({row.name: value})
    return (sides[0] - sides[1]) / (2.0 * h)
