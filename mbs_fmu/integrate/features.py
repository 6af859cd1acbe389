"""Features of a model that determine the stepping functions of its module, and these functions as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from ..infrastructure.lazy_dataclasses import dataclass
from ..kernels.hook_table import Condition
from ..record.kernel_module import ModuleFunction
from .methods.method import Method


@dataclass(frozen=True)
class Features:
    """Features of a model that determine the stepping functions of its module."""

    loops: bool  #: closed loops
    events: bool
    modes: bool = False  #: constraint modes
    samples: bool = False  #: sampled signals, or events with resets
    elastic: bool = False  #: elastic bodies
    static_starts: bool = False  #: vibration modes that start in static equilibrium

    near: bool = False  #: contacts with a list of near pairs
    feet: bool = False  #: compliant contacts of curves

    @property
    def crossings(self) -> bool:
        """True if something may happen at instants within steps: a change of modes, an event or a sample."""
        return self.modes or self.samples or self.events

    def conditions(self, methods: Sequence[Method]) -> frozenset[Condition]:
        """Return the conditions (kernels/hook_table.py) that hold for a module of such a model with these methods."""
        holds = {
            Condition.ALWAYS: True,
            Condition.ADAPTIVE: any(method.adaptive for method in methods),
            Condition.HISTORY: any(method.history for method in methods),
            Condition.LOOPS: self.loops,
            Condition.MODES: self.modes,
            Condition.SAMPLES: self.samples,
            Condition.HELD: self.events and self.modes,
            Condition.CROSSINGS: self.crossings,
            Condition.ELASTIC: self.elastic,
            Condition.IMPLICIT_MODES: self.elastic and any(method.implicit_modes for method in methods),
            Condition.STATIC_STARTS: self.static_starts,
            Condition.NEAR: self.near,
            Condition.CONTACTS: self.loops or self.feet,
        }
        return frozenset(condition for condition, value in holds.items() if value)


@dataclass(frozen=True)
class Stepping:
    """Stepping functions of a module: those for all methods, then those of each method, and the methods' numbers.

    `uses` contains the global names that each function reads, `numbers` the values of constants such as rk4_ORDER.
    """

    functions: tuple[ModuleFunction, ...]
    uses: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float] = field(default_factory=dict)

    def callers(self, names: Iterable[str]) -> frozenset[str]:
        """Return these names of functions, and the names of functions that call them, directly or indirectly."""
        found: set[str] = set()
        new = set(names)
        while new:
            found |= new
            new = {name for name, used in self.uses.items() if name not in found and not new.isdisjoint(used)}
        return frozenset(found)
