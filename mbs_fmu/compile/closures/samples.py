"""Values that change discontinuously: signals sampled by clocks, and states reset by events."""

from __future__ import annotations

import bisect
import itertools
from dataclasses import field

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.effects import Check
from ...model.items import Event, Sampled
from ...record.layout import Layout, Load, bound
from ...symbolic.expressions import Expression, is_literal
from ...symbolic.graph import leaves
from ..laws.law import Law
from ..laws.resolve import Resolver
from ..laws.starts import start_addresses
from ..requests import is_instantaneous
from .closures import Closures

MOVING = ("q", "u")  #: regions of coordinates and joint velocities


@dataclass(frozen=True)
class NewValue:
    """A value to assign to `target`; `owner` is the number of its clock, or of its event, counted after all clocks."""

    owner: int
    target: Load


@dataclass
class Samples:
    """Clocks, events with resets and all new values of a model, in the order in which the record has them.

    Raises ModelError for a reset of a coordinate that a drive or a closed loop determines, and for new values that
    depend on instantaneous references.
    """

    resolve: Resolver
    closures: Closures | None
    clocks: list[tuple[Expression, Expression]] = field(default_factory=list)  #: period and offset
    values: list[NewValue] = field(default_factory=list)
    laws: list[Law] = field(default_factory=list)  #: laws of the new values

    def __post_init__(self) -> None:
        model = self.resolve.model
        self._addresses = start_addresses(model, self.resolve.tree)  #: addresses of everything that can be reset
        self._clock_numbers: dict[tuple[Expression, Expression], int] = {}
        ticking = [self._clock(signal) for signal in model.sampled_signals.values()]
        self.sampled: list[str] = []  #: names of sampled signals, and of the components of vectors
        for clock, signal in zip(ticking, model.sampled_signals.values(), strict=True):
            self.sampled += signal.names
            self._add(clock, list(zip(signal.names, signal.update, strict=True)), f"sampled signal {signal.name!r}")
        for number, event in enumerate(model.events.values(), start=len(self.clocks)):
            if event.reset:
                self._add_reset(number, event)

    def _clock(self, signal: Sampled) -> int:
        """Return the number of a signal's clock; signals with the same period and offset share a clock."""
        thing = f"period of sampled signal {signal.name!r}"
        period, offset = self.resolve.parameters_only([signal.period, signal.offset], thing)
        number = self._clock_numbers.setdefault((period, offset), len(self.clocks))
        if number == len(self.clocks):
            self.clocks.append((period, offset))
        return number

    def _add_reset(self, number: int, event: Event) -> None:
        for name, _ in event.reset:
            self._check_target(name, f"reset of event {event.name!r}")
        self._add(number, list(event.reset), f"reset of event {event.name!r}")

    def _add(self, owner: int, updates: list[tuple[str, Expression]], thing: str) -> None:
        """Add new values of the named variables."""
        if any(is_instantaneous(r) for r in leaves([value for _, value in updates])):
            raise ModelError(
                f"{thing}: reactions, accelerations, multipliers and drives' forces are for outputs only: give "
                "positions, rates, signals, time or means over the last step (mean=True)"
            )
        first = len(self.values)
        self.values += [NewValue(owner, self._addresses[name]) for name, _ in updates]
        targets = [Load("R", "new_values", first + k) for k in range(len(updates))]
        values = self.resolve([value for _, value in updates], thing)
        self.laws.append(Law(list(zip(targets, values, strict=True)), thing))

    def _check_target(self, name: str, thing: str) -> None:
        """Raise ModelError for a coordinate that a drive or a closed loop determines."""
        address = self._addresses[name]
        if address.region.startswith("driven"):
            raise ModelError(f"{thing}: a drive or a leader gives {name!r}: leave it out")
        if address.region != "q" or self.closures is None:
            return
        ends = list(itertools.accumulate(link.coordinates for link in self.resolve.tree.links))
        link = bisect.bisect_right(ends, address.offset)
        if any(at == link for at, _ in self.closures.row_addresses.entry):
            raise ModelError(
                f"{thing}: {name!r} is a coordinate in a closed loop, which would stand open: reset its rate, or what "
                "drives it"
            )

    # -- for the kernels -----------------------------------------------------------------------------------
    def clock_laws(self) -> list[Law]:
        """Return laws for the period and offset of each clock."""
        return [
            Law([(Load("R", "clocks", 2 * k + n), x) for n, x in enumerate(clock)], f"clock {k + 1}")
            for k, clock in enumerate(self.clocks)
        ]

    def checks(self) -> list[Check]:
        """Return the periods that depend on parameters, which must be positive, with messages."""
        return [
            (
                self.resolve.one(signal.period, signal.name),
                f"the period of sampled signal {signal.name!r} must be positive: change its parameters",
            )
            for signal in self.resolve.model.sampled_signals.values()
            if not is_literal(signal.period)
        ]

    def tables(self, layout: Layout) -> dict[str, list[int]]:
        """Return the constant arrays of integers, by name."""
        return {
            "RESETS": [int(bool(event.reset)) for event in self.resolve.model.events.values()],
            "NEW_OWNER": [x.owner for x in self.values],
            "NEW_TARGET": [bound(x.target, layout) for x in self.values],
            "NEW_MOVES": [int(x.target.region in MOVING) for x in self.values],
        }
