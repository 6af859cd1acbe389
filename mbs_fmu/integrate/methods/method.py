"""The interface of integration methods: name, sizes and functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field

from ...lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A function of a generated module.

    body: its lines, indented; uses: the global names that it reads; origin: the module that defines it, if it stands in
    a source file.
    """

    name: str
    arguments: tuple[str, ...]
    body: str
    uses: frozenset[str]
    origin: str = field(default="the method", compare=False)

    @property
    def call(self) -> str:
        """Name and arguments."""
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def head(self) -> str:
        """First line."""
        return f"def {self.call}:"


Functions = Mapping[str, Function]


@dataclass(frozen=True)
class Parts:
    """Functions and numbers of a method.

    own: functions METHOD_... by these names, made for this method alone; those that are hooks replace the defaults
    (stepping/hooks.py). shared: functions that serve all methods of the kind. numbers: values of the constants
    METHOD_... that its functions read.
    """

    own: Functions
    shared: Functions = field(default_factory=dict)
    numbers: Mapping[str, int | float] = field(default_factory=dict)


class Method(ABC):
    """Base class of integration methods. Each kind is a dataclass, whose constructor checks the order."""

    name: str
    order: int  #: order of the solution at fixed steps
    source: str  #: publication

    @property
    @abstractmethod
    def slots(self) -> int:
        """Number of state vectors that a step stores from STAGES on."""

    @abstractmethod
    def parts(self, loops: bool) -> Parts:
        """Return its functions; `loops` is true for models with closed loops."""

    @property
    def adaptive(self) -> bool:
        """True if it controls its error; it then defines METHOD_error, METHOD_ORDER and METHOD_SAFETY."""
        return False

    @property
    def history(self) -> int:
        """Number of state vectors kept from step to step; 0 for one-step methods."""
        return 0

    @property
    def needs_jacobian(self) -> bool:
        """True if the record must contain a Jacobian and tangents."""
        return False

    @property
    def most_states(self) -> int | None:
        """Largest number of states of a model; None if unlimited."""
        return None

    @property
    def fits_lanes(self) -> bool:
        """True if METHOD_stages is the whole step, so that batches can run in lanes (lanes/drivers.py)."""
        return False
