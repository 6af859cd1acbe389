"""Closures with constraint modes: their rows, the numbers that determine their modes, and measures of them."""

from __future__ import annotations

from typing import Any

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.closures import Armed, Mode
from ...model.references.leaves import ImpulseNumber, ModeNumber
from ...record.codes import MODE_NUMBERS, ModeRole
from ...record.layout import Load
from ...symbolic.expressions import Expression, leaf
from ...symbolic.graph import leaves
from ..laws.law import Law
from ..laws.resolve import Handler, Resolver, load
from ..requests import is_instantaneous
from .closures import Closures


@dataclass(frozen=True)
class Switched:
    """A closure with constraint modes: its name, its mode, its first row and its number of rows."""

    name: str
    mode: Mode
    first: int
    rows: int


class ConstraintModes:
    """The closures with constraint modes of a model, by number."""

    def __init__(self, resolve: Resolver, closures: Closures):
        self.resolve, self.closures = resolve, closures
        modes = [closure.mode for closure in resolve.model.loops.values()]
        places = zip(closures.resolved, modes, closures.row_addresses.row, strict=True)
        self.switched = [Switched(x.name, mode, row, len(x.rows)) for x, mode, row in places if mode is not None]

    @property
    def handlers(self) -> dict[type, Handler]:
        """Handlers of references to constraint modes and to impulses of impacts."""
        return {ModeNumber: self._mode, ImpulseNumber: self._impact_impulse}

    def tables(self) -> dict[str, list[int]]:
        """Return the tables of closures with constraint modes for the kernels."""
        row_mode = [0] * self.closures.row_addresses.rows
        for number, x in enumerate(self.switched, start=1):
            row_mode[x.first : x.first + x.rows] = [number] * x.rows
        numbers = {x.name: number for number, x in enumerate(self.switched, start=1)}
        turned = {x.name: 0 if x.turned is None else x.turned.number + 1 for x in self.closures.resolved}
        return {
            "ROW_MODE": row_mode,
            "LOOP_MODE": [numbers.get(x.name, 0) for x in self.closures.resolved],
            "MODE_ROLE": [ModeRole.contact if x.mode.rated else x.mode.role for x in self.switched],
            "MODE_RATED": [int(x.mode.rated) for x in self.switched],
            "MODE_FIRST": [x.first for x in self.switched],
            "MODE_ROWS": [x.rows for x in self.switched],
            "MODE_HELD": [int(x.mode.begins_held) for x in self.switched],
            "MODE_TURNED": [turned[x.name] for x in self.switched],  # frames that rotate when closures engage, from 1
            "MODE_HERE": [int(isinstance(x.mode, Armed) and x.mode.here) for x in self.switched],
            "MODE_EQUAL": [int(isinstance(x.mode, Armed) and x.mode.equal) for x in self.switched],
        }

    def described(self) -> list[dict[str, Any]]:
        """Return name, role, first row and number of rows of each, for messages and reports."""
        return [{"name": x.name, "role": x.mode.role, "first": x.first, "rows": x.rows} for x in self.switched]

    def laws(self) -> list[Law]:
        """Return laws for the numbers that determine modes. Raises ModelError if these depend on the modes."""
        laws = []
        for number, x in enumerate(self.switched):
            thing = self.resolve.model.loops[x.name].thing
            if any(is_instantaneous(r) for r in leaves(x.mode.numbers)):
                raise ModelError(
                    f"{thing}: whether it holds depends on a reaction or acceleration, which depends on that: give "
                    "positions, rates, signals, time or means over the last step (mean=True)"
                )
            numbers = self.resolve(x.mode.numbers, thing)
            targets = (Load("R", "mode_numbers", MODE_NUMBERS * number + k) for k in range(len(numbers)))
            laws.append(Law(list(zip(targets, numbers, strict=True)), f"modes of {x.name}"))
        return laws

    # -- measures --------------------------------------------------------------------------------------
    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {x.name: number for number, x in enumerate(self.switched)}

    def _number(self, name: str, thing: str) -> int:
        names = self._numbers
        if name not in names:
            raise ModelError(f"{thing}: {name!r} has no modes; closures with modes: {', '.join(names) or 'none'}")
        return names[name]

    def _mode(self, reference: ModeNumber, resolve: Resolver, thing: str) -> Expression:
        return load("modes", self._number(reference.loop, thing))

    def _impact_impulse(self, reference: ImpulseNumber, resolve: Resolver, thing: str) -> Expression:
        closure = self.switched[self._number(reference.loop, thing)]
        if reference.k < 0 and closure.rows > 1:
            raise ModelError(f"{thing}: {closure.name!r} has {closure.rows} conditions: say which, 1 to {closure.rows}")
        if reference.k >= closure.rows:
            raise ModelError(f"{thing}: condition {reference.k + 1} of {closure.name!r} does not exist")
        return load("impact_impulses", closure.first + max(reference.k, 0))


def relative_residuals(laws: list[Law], switched: list[Switched]) -> list[Law]:
    """Return laws of rows with residuals relative to those at the last engagement."""
    counted = {row for x in switched if isinstance(x.mode, Armed) for row in range(x.first, x.first + x.rows)}
    return [Law([_counted(*a, counted) for a in law.assignments], law.label, law.accumulate) for law in laws]


def _counted(target: Load, value: Expression, counted: set[int]) -> tuple[Load, Expression]:
    if target.region != "residuals" or target.offset not in counted:
        return target, value
    return target, value - leaf(Load("R", "zeros", target.offset))
