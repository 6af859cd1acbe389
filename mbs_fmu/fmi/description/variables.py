"""Table of all variables of an FMU, with value reference, causality and address in the record.

Model descriptions, slaves and tests all read this table. Value reference 0 is time; the others follow in the order of
the program's variables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.blocks import HeadNumbers
from ...record.kinds import REAL
from ...record.program import STARTED, Program
from ..naming import Naming, enumeration_names, published_names


@dataclass(frozen=True)
class FmiVariable:
    """One row of the table.

    `slot` is the address in the record. `settable` is "never", "start" (until the end of initialization) or "always".
    `reads` are the addresses of the numbers from which the variable is computed; None for any. `vector` is the name of
    the vector of which the variable is an element. `kind` is that of its values (`record.kinds`); `items` are the names
    of those of an enumeration, which begin at `low`, and `type` is the name of its type.
    """

    name: str
    role: str  #: role of the program's variable
    reference: int
    slot: int
    causality: str
    variability: str
    initial: str | None
    start: float | None
    unit: str | None
    description: str
    settable: str
    low: float | None = None
    high: float | None = None
    nominal: float | None = None
    reads: tuple[int, ...] | None = ()
    derivative_of: int | None = None  #: value reference of the state
    vector: str | None = None
    kind: str = REAL
    items: tuple[str, ...] = ()
    type: str | None = None

    @property
    def range(self) -> tuple[float, float]:
        """Lower and upper bound, infinite if there is none."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high

    @property
    def solved(self) -> bool:
        """True if the start computes the variable: in the assembly of loops, a static start, or from parameters."""
        return self.initial == "approx" or (self.role in STARTED and self.initial == "calculated")


@dataclass(frozen=True)
class Attributes:
    """FMI attributes of the program's variables of one role."""

    causality: str
    variability: str
    initial: str | None
    settable: str


ATTRIBUTES = {
    "input": Attributes("input", "continuous", None, "always"),
    "state": Attributes("local", "continuous", "exact", "start"),
    "coordinate": Attributes("local", "continuous", "exact", "start"),
    "rate": Attributes("local", "continuous", "exact", "start"),
    "driven": Attributes("local", "continuous", "calculated", "never"),
    "force": Attributes("local", "continuous", "calculated", "never"),
    "output": Attributes("output", "continuous", "calculated", "never"),
    "momentum": Attributes("local", "continuous", "calculated", "never"),
    "derivative": Attributes("local", "continuous", "calculated", "never"),
    "sampled": Attributes("local", "discrete", "exact", "start"),
    "mode": Attributes("local", "discrete", "calculated", "never"),
    "end": Attributes("local", "continuous", "calculated", "never"),
}
GUESS = Attributes("local", "continuous", "approx", "start")  #: of a coordinate or rate that the assembly may change
COMPUTED = Attributes("local", "continuous", "calculated", "never")  #: of states from a static start or parameters
FIXED = Attributes("parameter", "fixed", "exact", "start")
TUNABLE = Attributes("parameter", "tunable", "exact", "always")


def variable_table(program: Program, naming: Naming = "structured") -> list[FmiVariable]:
    """Return all rows, in the order of their value references, with names by a naming convention of FMI."""
    text = "simulation time"
    names = published_names(program, naming)
    vectors = {element: names[vector] for vector, elements in program.vectors.items() for element in elements}
    rows = [
        FmiVariable("time", "time", 0, HeadNumbers.time, "independent", "continuous", None, None, "s", text, "never")
    ]
    states = {v.slot: reference for reference, v in enumerate(program.variables, start=1)}
    shift = program.exchange_slice.start - program.state_slice.start
    guesses = guessed(program)
    types = enumeration_names(program, names.values())
    for reference, v in enumerate(program.variables, start=1):
        attributes = (FIXED if v.fixed else TUNABLE) if v.role == "parameter" else ATTRIBUTES[v.role]
        if v.name in guesses:
            attributes = GUESS
        if v.name in program.solved:
            attributes = COMPUTED
        if v.kind != REAL:
            attributes = replace(attributes, variability="discrete")
        has_start = attributes.initial in ("exact", "approx") or attributes.causality == "input"
        rows.append(
            FmiVariable(
                name=names[v.name],
                role=v.role,
                reference=reference,
                slot=v.slot,
                causality=attributes.causality,
                variability=attributes.variability,
                initial=attributes.initial,
                start=v.start if has_start else None,
                unit=v.unit,
                description=v.description,
                settable=attributes.settable,
                low=v.low,
                high=v.high,
                nominal=v.nominal,
                reads=v.reads,
                derivative_of=states[v.slot - shift] if v.role == "derivative" else None,
                vector=vectors.get(v.name),
                kind=v.kind,
                items=v.items,
                type=types.get((v.items, v.low)),
            )
        )
    return rows


@dataclass(frozen=True)
class Published:
    """A variable as an importer sees it: one row of the table, or the rows of a vector as one array."""

    name: str
    rows: tuple[FmiVariable, ...]  #: consecutive in the table and in the record
    array: bool = False

    @property
    def reference(self) -> int:
        """Value reference: that of the first element."""
        return self.rows[0].reference


def published(rows: Iterable[FmiVariable], arrays: bool) -> list[Published]:
    """Return the variables of an FMU in the order of their value references; vectors are arrays if `arrays`."""
    variables = []
    for vector, elements in groupby(rows, lambda row: row.vector if arrays else None):
        if vector is None:
            variables += [Published(row.name, (row,)) for row in elements]
        else:
            variables.append(Published(vector, tuple(elements), array=True))
    return variables


def indicator_rows(program: Program, rows: list[FmiVariable]) -> list[FmiVariable]:
    """Return the event indicators of model exchange: outputs of events, then distances to mode ends."""
    references = {v.name: reference for reference, v in enumerate(program.variables, start=1)}
    return [rows[references[event["name"]]] for event in program.indicators]


def guessed(program: Program) -> set[str]:
    """Return the names of variables whose start values the assembly may change, among them all contact parameters."""
    if not program.loops:
        return set()
    record, first = program.new_record(), program.regions["u"][0]
    free, free_rates = record[program.region("free")], record[program.region("free_rates")]
    rates = program.of_role("rate")
    first_rate: dict[str, int] = {}  # by body, because start values are held for whole bodies
    for v in rates:
        first_rate.setdefault(v.name.rpartition(".")[0], v.slot - first)  # of the joint; rates of modes follow
    joints = [v for v in program.of_role("coordinate") if v.name not in program.modal]
    coordinates = {v.name for v in joints if free[first_rate[v.name.rpartition(".")[0]]] > 0.0}
    loops = {loop["name"] for loop in program.loops}
    contacts = {v.name for v in program.of_role("state") if v.name.rpartition(".")[0] in loops}
    return coordinates | contacts | {v.name for v in rates if free_rates[v.slot - first] > 0.0}
