"""THE table: every variable of an FMU with its value reference, causality and slot in the record.

Descriptions, slaves and tests read this table and nothing else, so names and value references are the
same everywhere. Value reference 0 is time, the others follow in the order of the program's variables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..record.layout import Head
from ..record.program import Program


@dataclass(frozen=True)
class FmiVariable:
    """One row. `settable` says until when a value may be set: "never", "start" (until the end of
    initialization) or "always"."""

    name: str
    kind: str  #: of the program's variable
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
    derivative_of: int | None = None  #: value reference

    @property
    def range(self) -> tuple[float, float]:
        """Lower and upper bound, infinite where there is none."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high

    @property
    def index(self) -> int:
        """Position in ModelVariables, from 1."""
        return self.reference + 1


@dataclass(frozen=True)
class Kind:
    """What a kind of program variable is in an FMU."""

    causality: str
    variability: str
    initial: str | None
    settable: str


KINDS = {
    "input": Kind("input", "continuous", None, "always"),
    "state": Kind("local", "continuous", "exact", "start"),
    "coordinate": Kind("local", "continuous", "exact", "start"),
    "rate": Kind("local", "continuous", "exact", "start"),
    "driven": Kind("local", "continuous", "calculated", "never"),
    "force": Kind("local", "continuous", "calculated", "never"),
    "output": Kind("output", "continuous", "calculated", "never"),
    "momentum": Kind("local", "continuous", "calculated", "never"),
    "derivative": Kind("local", "continuous", "calculated", "never"),
}
GUESS = Kind("local", "continuous", "approx", "start")  #: of a coordinate or rate that the assembly finds
FIXED = Kind("parameter", "fixed", "exact", "start")
TUNABLE = Kind("parameter", "tunable", "exact", "always")


def variable_table(program: Program) -> list[FmiVariable]:
    """All rows, in the order of their value references."""
    text = "simulation time"
    rows = [FmiVariable("time", "time", 0, Head.time, "independent", "continuous", None, None, "s", text, "never")]
    states = {v.slot: reference for reference, v in enumerate(program.variables, start=1)}
    shift = program.exchange_slice.start - program.state_slice.start
    guesses = guessed(program)
    for reference, v in enumerate(program.variables, start=1):
        kind = (FIXED if v.fixed else TUNABLE) if v.kind == "parameter" else KINDS[v.kind]
        if v.name in guesses:
            kind = GUESS
        has_start = kind.initial in ("exact", "approx") or kind.causality == "input"
        rows.append(
            FmiVariable(
                name=v.name,
                kind=v.kind,
                reference=reference,
                slot=v.slot,
                causality=kind.causality,
                variability=kind.variability,
                initial=kind.initial,
                start=v.start if has_start else None,
                unit=v.unit,
                description=v.description,
                settable=kind.settable,
                low=v.low,
                high=v.high,
                nominal=v.nominal,
                reads=v.reads,
                derivative_of=states[v.slot - shift] if v.kind == "derivative" else None,
            )
        )
    return rows


def indicator_rows(program: Program, rows: list[FmiVariable]) -> list[FmiVariable]:
    """The outputs whose signs an importer watches in model exchange, in the order of the model's events."""
    by_name = {row.name: row for row in rows}
    return [by_name[event["name"]] for event in program.indicators]


def guessed(program: Program) -> set[str]:
    """Names of the coordinates and rates whose start values the assembly of closed loops may change."""
    if not program.loops:
        return set()
    record, first = program.new_record(), program.regions["u"][0]
    free, free_rates = record[program.region("free")], record[program.region("free_rates")]
    rates = program.of_kind("rate")
    places = {v.name.rpartition(".")[0]: v.slot - first for v in rates}  # start values are held body by body
    coordinates = {v.name for v in program.of_kind("coordinate") if free[places[v.name.rpartition(".")[0]]] > 0.0}
    return coordinates | {v.name for v in rates if free_rates[v.slot - first] > 0.0}
