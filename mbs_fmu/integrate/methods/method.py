"""The interface of integration methods: name, sizes and functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A function of a generated module.

    `body` contains its lines, indented, and `uses` the global names that it reads. `origin` is the module that defines
    the function, if it comes from a source file.
    """

    name: str
    arguments: tuple[str, ...]
    body: str
    uses: frozenset[str]
    origin: str = field(default="the method", compare=False)

    @property
    def call(self) -> str:
        """The name with the arguments."""
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def head(self) -> str:
        """The line of the definition."""
        return f"def {self.call}:"


Functions = Mapping[str, Function]


@dataclass(frozen=True)
class Parts:
    """Functions and numbers of a method.

    `own` contains functions METHOD_..., by name, for this method alone; those that are hooks replace the defaults
    (stepping/hooks.py). `shared` contains functions that all methods of this kind use. `numbers` contains the values of
    the constants METHOD_... that the functions read.
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
        """Number of state vectors that a step stores, in `R.stages`."""

    @abstractmethod
    def parts(self, loops: bool) -> Parts:
        """Return the functions of the method; `loops` is true for models with closed loops."""

    @property
    def adaptive(self) -> bool:
        """True if the method controls its error; it then defines METHOD_error, METHOD_ORDER and METHOD_SAFETY."""
        return False

    @property
    def history(self) -> int:
        """Number of state vectors kept from step to step, in `R.past`; 0 for most one-step methods, not for Gauss."""
        return 0

    @property
    def landings(self) -> int:
        """Number of times that a step is repeated up to a crossing; 1 if dense output locates it accurately enough."""
        return 1

    @property
    def needs_jacobian(self) -> bool:
        """True if the record must contain a Jacobian and tangents."""
        return False

    @property
    def implicit_modes(self) -> bool:
        """True if a step treats the modes of elastic bodies implicitly; the record then needs a second one."""
        return False

    @property
    def most_states(self) -> int | None:
        """Largest number of states of a model; None if unlimited."""
        return None

    @property
    def tangents(self) -> Functions | None:
        """Functions of steps with tangents, for sensitivities; None if the method has no such steps.

        METHOD_stages with tangents is derived from METHOD_stages. The functions are counterparts f_d of functions f
        that it calls beside `evaluate` and `copy`, and hooks of tangents/hooks.py.
        """
        return {} if self.fits_lanes else None

    @property
    def fits_lanes(self) -> bool:
        """True if METHOD_stages is the whole step, so that batches can run in lanes (lanes/drivers.py)."""
        return False
