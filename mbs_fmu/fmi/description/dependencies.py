"""Dependencies of each calculated variable, for the ModelStructure of a model description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from .variables import FmiVariable

LONG = 1000  #: longer lists of dependencies are omitted if a description would have too many entries
MOST = 1_000_000  #: greatest number of entries of all lists together, some megabytes of text


@dataclass(frozen=True)
class Unknown:
    """A calculated variable and the variables that it depends on, in the order of their references.

    `dependencies` is None for an omitted list. By the FMI standard, the variable then depends on all knowns.
    """

    row: FmiVariable
    dependencies: tuple[FmiVariable, ...] | None


class Dependencies:
    """The unknowns of one variable table and their dependencies.

    During a run the knowns are the inputs and time, in model exchange (`exchange`) also the state (q, p, z), and in FMI
    3 (`parameters`) also the parameters. A variable that depends on a joint velocity u = u(q, p) depends on all
    coordinates and momenta, and on all fixed parameters (masses and dimensions).

    At the start, the joint velocities and the parameters are knowns. If closed loops are assembled, or elastic bodies
    start in equilibrium, every unknown depends on all knowns: inputs, time, parameters and exact start values.
    """

    def __init__(self, rows: Sequence[FmiVariable], exchange: bool, parameters: bool):
        self.rows = rows
        self.by_slot = {row.slot: row for row in rows}
        states = {row.derivative_of for row in rows if exchange and row.derivative_of is not None}
        known = [r for r in rows if r.reference in states or r.causality in ("input", "independent")]
        self.known = {r.reference for r in known} | {r.reference for r in rows if parameters and r.role == "parameter"}
        self.all_running = tuple(r for r in rows if r.reference in self.known)
        known_at_start = ("input", "independent", "parameter")
        self.all_initial = tuple(r for r in rows if r.causality in known_at_start or r.initial == "exact")
        behind = [r for r in rows if r.role in ("coordinate", "momentum") or r.variability == "fixed"]
        self.behind_rates = in_order(r for r in behind if r.reference in self.known)
        self.references_behind = {r.reference for r in self.behind_rates}

    def outputs(self) -> list[Unknown]:
        """Return the outputs with their dependencies during a run."""
        return self.running(row for row in self.rows if row.causality == "output")

    def derivatives(self) -> list[Unknown]:
        """Return the derivatives of the states with their dependencies during a run."""
        return self.running(row for row in self.rows if row.role == "derivative")

    def initial(self) -> list[Unknown]:
        """Return outputs, calculated states and derivatives, with their dependencies at the start."""
        solved = any(r.solved for r in self.rows)
        roles = ("momentum", "derivative")
        unknowns = [r for r in self.rows if r.causality == "output" or r.role in roles or self._solved_state(r)]
        if solved:
            return [Unknown(row, self.all_initial) for row in unknowns]
        return [Unknown(row, self.all_initial if row.reads is None else in_order(self._read(row))) for row in unknowns]

    def running(self, rows: Iterable[FmiVariable]) -> list[Unknown]:
        """Return these variables with their dependencies during a run."""
        unknowns = list(rows)
        moved = [row for row in unknowns if any(source.role == "rate" for source in self._read(row))]
        behind = len(self.behind_rates)
        omitted = (
            behind > LONG and behind * len(moved) > MOST
        )  # `bounded` omits their lists: others need no place there
        behind_rates = {row.reference for row in moved}
        return [Unknown(row, self._knowns(row, row.reference in behind_rates, others=not omitted)) for row in unknowns]

    def _knowns(self, row: FmiVariable, moved: bool, others: bool) -> tuple[FmiVariable, ...]:
        """Return the knowns on which a variable depends during a run.

        `moved`: it depends on joint velocities. Such variables share one list unless they depend on `others` too.
        """
        if row.reads is None:
            return self.all_running
        direct = [r for r in self._read(row) if r.role != "rate" and r.reference in self.known]
        if moved:
            direct = [r for r in direct if others and r.reference not in self.references_behind]
        knowns = {r.reference: r for r in direct}
        if not moved:
            return in_order(knowns.values())
        return in_order((*self.behind_rates, *knowns.values())) if knowns else self.behind_rates

    def _solved_state(self, row: FmiVariable) -> bool:
        return row.solved and row.reference in self.known

    def _read(self, row: FmiVariable) -> list[FmiVariable]:
        return [self.by_slot[slot] for slot in row.reads or ()]


def in_order(rows: Iterable[FmiVariable]) -> tuple[FmiVariable, ...]:
    """Return rows in the order of their references."""
    return tuple(sorted(rows, key=lambda r: r.reference))


def bounded(lists: Mapping[str, list[Unknown]]) -> dict[str, list[Unknown]]:
    """Return the lists of a ModelStructure, without those longer than LONG if there are more than MOST entries."""
    entries = sum(len(u.dependencies or ()) for unknowns in lists.values() for u in unknowns)
    if entries <= MOST:
        return dict(lists)
    return {
        name: [Unknown(u.row, None) if len(u.dependencies or ()) > LONG else u for u in unknowns]
        for name, unknowns in lists.items()
    }
