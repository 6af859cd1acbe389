"""What the rest of the house knows of a method: its name, its sizes and its functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field

from ...lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A function of a generated module.

    body: its lines, indented; uses: names that are not its own; origin: the module that defines it, if it is one of a
    source file.
    """

    name: str
    arguments: tuple[str, ...]
    body: str
    uses: frozenset[str]
    origin: str = field(default="the method", compare=False)

    @property
    def call(self) -> str:
        """Its name with its arguments."""
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def head(self) -> str:
        """Its first line."""
        return f"def {self.call}:"


Functions = Mapping[str, Function]


@dataclass(frozen=True)
class Parts:
    """What a method adds to the drivers, or puts in the place of what they have.

    own: functions METHOD_... by these names, made for this method alone (stepping/hooks.py declares those that drivers
    call); shared: functions that serve all methods of the kind; numbers: values of METHOD_... that its functions read.
    """

    own: Functions
    shared: Functions = field(default_factory=dict)
    numbers: Mapping[str, int | float] = field(default_factory=dict)


class Method(ABC):
    """A way to step, which checks its own order when it is made. Kinds of methods are dataclasses derived from this."""

    name: str
    order: int  #: of the solution, at fixed steps
    source: str  #: where it is published

    @property
    @abstractmethod
    def slots(self) -> int:
        """State vectors that a step keeps."""

    @abstractmethod
    def parts(self, loops: bool) -> Parts:
        """Its functions. loops: for models with closed loops."""

    @property
    def adaptive(self) -> bool:
        """Whether it can control its error: its own functions have METHOD_error, its numbers ORDER and SAFETY."""
        return False

    @property
    def history(self) -> int:
        """State vectors kept from step to step; 0: each step begins anew."""
        return 0

    @property
    def needs_jacobian(self) -> bool:
        """Whether the record has room for a Jacobian and for tangents."""
        return False

    @property
    def most_states(self) -> int | None:
        """How many states a model may have; None: any number."""
        return None

    @property
    def fits_lanes(self) -> bool:
        """Whether METHOD_stages is all that a step of it does: then many members go side by side (lane_drivers.py)."""
        return False
