"""`Program`: a compiled model as plain data and text, without its `Model`.

It contains everything that a run needs. `simulate` runs a program, and an FMU contains one in its resources.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any

import numpy as np

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError
from ..infrastructure.frozen_arrays import FrozenArray
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from .blocks import HeadNumbers
from .kernel_module import KernelModule
from .kinds import REAL
from .layout import Region
from .module_reading import read_module
from .regions import changing, evaluated, stepped

STARTED = ("coordinate", "rate", "state", "sampled")  #: roles of variables with start values
GIVEN = ("parameter", "input", *STARTED)  #: roles of variables with values from the user
CALLED = {
    "parameter": ("parameter",),
    "input": ("input",),
    "start value": STARTED,
}  #: roles of variables, by the word for them in messages
FORMAT = 13  #: format of the data in an FMU; increment it if another mbs_fmu cannot run the data

LARGE = 20_000  #: numbers of a record that is not written as text


@dataclass(frozen=True)
class Variable:
    """One named number of the record, at index `slot`.

    `role` is "parameter", "input", "state", "coordinate", "rate", "driven", "force", "output", "momentum",
    "derivative", "sampled", "mode" (of a closure) or "end" (the distance from the end of that mode).

    `fixed` is true for a parameter on which masses or geometry depend: it takes effect at initialization. `reads` are
    the slots on which a computed variable depends: parameters, inputs, states, coordinates, rates and time; None means
    all of them. `low`, `high` and `nominal` are range and magnitude, if known. `kind` is that of its values
    (`record.kinds`); `items` are the names of those of an enumeration, which begin at `low`.
    """

    name: str
    role: str
    slot: int
    unit: str | None = None
    start: float = 0.0
    description: str = ""
    fixed: bool = False
    reads: tuple[int, ...] | None = ()
    low: float | None = None
    high: float | None = None
    nominal: float | None = None
    kind: str = REAL
    items: tuple[str, ...] = ()

    @property
    def range(self) -> tuple[float, float]:
        """Lower and upper bound; infinite if there is none."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high


@dataclass
class Program:
    """A compiled model: its variables, layout, generated module and first record."""

    name: str
    description: str
    solver: str
    module: KernelModule  #: the generated module
    regions: dict[str, tuple[int, int]]
    variables: list[Variable]
    vectors: dict[str, list[str]]  #: vector outputs and their components
    columns: list[str]  #: names of the result columns, time first
    owners: list[str]  #: description of each state component, then of each output, for messages
    checks: list[str]  #: messages of the checks of `prepare`
    start_checks: list[str]
    quaternions: dict[str, int]  #: name and slot of the first component of each quaternion
    record: FrozenArray = field(default_factory=lambda: FrozenArray(()))  #: the first record without trailing zeros
    loops: list[dict[str, Any]] = field(default_factory=list)  #: name, row labels and units of each loop
    modes: list[dict[str, Any]] = field(default_factory=list)  #: name, role, first row, rows of each closure with modes
    elastic: list[dict[str, Any]] = field(
        default_factory=list
    )  #: elastic bodies: name, root node, frequencies (Hz) of the modes; static: modes start in equilibrium
    calculated: list[str] = field(default_factory=list)  #: start values that follow from parameters
    feet: list[str] = field(default_factory=list)  #: contact parameters of forces, which the start computes
    given: list[str] = field(default_factory=list)  #: names of prescribed motions, for models with loops
    events: list[dict[str, Any]] = field(default_factory=list)  #: name, direction and stop of each event
    sampled: list[str] = field(default_factory=list)  #: names of sampled signals, and of the components of vectors
    indicators: list[dict[str, Any]] = field(default_factory=list)  #: event indicators of an FMU, like `events`
    hints: list[str] = field(default_factory=list)  #: suggestions for a cheaper model
    notes: list[str] = field(default_factory=list)  #: unusual properties that the user has allowed
    format: int = FORMAT  #: format in which the data and kernels were written

    @property
    def text(self) -> str:
        """The text of the generated module."""
        return self.module.text

    def new_record(self) -> np.ndarray:
        """Return a new record with all defaults."""
        R = np.zeros(self.regions["end"][0])
        R[: len(self.record)] = self.record.array
        return R

    def with_record(self, R: np.ndarray, **changes: Any) -> Program:
        """Return the program with another first record, which nothing changes later, and other changes."""
        size = len(R) - int(np.argmax(R[::-1] != 0.0)) if R.any() else 0
        return replace(self, record=FrozenArray.taking(R[:size]), **changes)

    @property
    def is_large(self) -> bool:
        """True if the first record has so many numbers, of tables, that native FMUs contain it once, in binaries."""
        return len(self.record) > LARGE

    def region(self, name: str) -> slice:
        start, size = self.regions[name]
        return slice(start, start + size)

    @property
    def state_slice(self) -> slice:
        return slice(self.regions["q"][0], sum(self.regions["drive_impulses"]))

    @property
    def rate_slice(self) -> slice:
        return slice(self.regions["q_dot"][0], sum(self.regions["drive_rests"]))

    @property
    def exchange_slice(self) -> slice:
        """The derivatives for an importer's solver, in the same order."""
        return self.region("exchange_rates") if self.regions["exchange_rates"][1] else self.rate_slice

    @cached_property
    def changing(self) -> list[tuple[int, int]]:
        """Start and size of the parts of a record that a failed step restores."""
        return changing(self.regions)

    @cached_property
    def stepped(self) -> list[tuple[int, int]]:
        """Start and size of the parts of a record from which the next step follows."""
        return stepped(self.regions)

    @cached_property
    def evaluated(self) -> list[tuple[int, int]]:
        """Start and size of the other parts of a record that steps write."""
        return evaluated(self.regions)

    @property
    def jumps(self) -> bool:
        """True if the model has sampled signals or resets."""
        return self.regions.get("new_values", (0, 0))[1] > 0

    @property
    def crossings(self) -> bool:
        """True if the model has constraint modes, events or sampled signals."""
        return self.regions.get("instants", (0, 0))[1] > 0

    @property
    def is_straight(self) -> bool:
        """True if a start needs no search, and rates follow from state, time and inputs without decisions."""
        with_decisions = {"loop_state", "elastic"} & self.regions.keys()
        return not (with_decisions or self.crossings or self.feet or self.regions["locks"][1])

    @property
    def has_near_pairs(self) -> bool:
        """True if contacts of the model have a list of near pairs."""
        return self.regions.get("near_list", (0, 0))[1] > 0

    @property
    def looked_after(self) -> bool:
        """True if something must be checked or updated after each step of an importer's solver.

        This holds for loops, large deformations, means, gimbal locks, and events that end a run.
        """
        own = bool(self.loops or self.elastic) or self.regions["drive_means"][1] > 0 or self.regions["locks"][1] > 0
        return own or any(event["stop"] for event in self.indicators)

    @property
    def angles(self) -> int:
        """Number of coordinates whose sines the kernels compute."""
        return self.regions["driven_q"][1] + self.regions["q"][1]

    @cached_property
    def _by_role(self) -> dict[str, list[Variable]]:
        by_role: dict[str, list[Variable]] = {}
        for v in self.variables:
            by_role.setdefault(v.role, []).append(v)
        return by_role

    def of_role(self, *roles: str) -> list[Variable]:
        """Return the variables of these roles, in the order of the arguments."""
        return [v for role in roles for v in self._by_role.get(role, ())]

    @cached_property
    def start_places(self) -> np.ndarray:
        """The indices of all numbers of a record from which a start follows, except for those of the structure."""
        slots = [HeadNumbers.time, *(v.slot for v in self.variables if v.role != "output")]
        regions = [np.r_[self.region(name)] for name in ("calculated", "loop_state") if name in self.regions]
        return np.concatenate([np.array(slots, dtype=int), *regions])

    @cached_property
    def assembled(self) -> np.ndarray:
        """The indices of all numbers that notes on the assembly of loops state: coordinates, rates, chosen rows."""
        regions = [np.r_[self.region(name)] for name in ("loop_state", "ranks", "pivots", "modes")]
        slots = np.array([v.slot for v in self.of_role("coordinate", "rate")], dtype=int)
        return np.concatenate([slots, *regions])

    @cached_property
    def last_notes(self) -> tuple[bytes, list[str]]:
        """Notes on the last assembly of loops, and the numbers from which they follow."""
        return b"", []

    @cached_property
    def notes_of_rows(self) -> dict[bytes, list[str]]:
        """Notes on rows that were left out, by the ranks, pivots and modes from which they follow; few are kept."""
        return {}

    @cached_property
    def event_names(self) -> list[str]:
        return [str(event["name"]) for event in self.events]

    @cached_property
    def mode_names(self) -> list[str]:
        return [str(mode["name"]) for mode in self.modes]

    @cached_property
    def typed_outputs(self) -> list[Variable]:
        """The outputs that are no real numbers."""
        return [v for v in self.of_role("output") if v.kind != REAL]

    def places(self, role: str) -> tuple[list[str], np.ndarray]:
        """Return the names of the variables of a role, and their indices in the record."""
        if role not in self._places:
            found = self.of_role(role)
            self._places[role] = [v.name for v in found], np.array([v.slot for v in found], dtype=int)
        return self._places[role]

    @cached_property
    def _places(self) -> dict[str, tuple[list[str], np.ndarray]]:
        return {}

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        return {v.name: v for v in self.variables}

    def variable(self, what: str, name: str) -> Variable:
        """Return the variable of a "parameter", "input" or "start value". Raises ArgumentError for an unknown name."""
        v = self.by_name.get(name)
        if what == "start value" and name in self.static_starts:
            raise ArgumentError(f"start value {name!r} would be ignored, the body starts in equilibrium: leave it out")
        if v is not None and v.role in CALLED[what]:
            return v
        if v is not None and v.role == "driven" and what == "start value":
            raise ArgumentError(f"start value {name!r} would be ignored, a drive or a leader gives it: leave it out")
        owner = {element: array for array, elements in self.vectors.items() for element in elements}
        names = (v.name for v in self.of_role(*CALLED[what]) if v.name not in self.static_starts)
        known = list(dict.fromkeys(owner.get(x, x) for x in names))
        raise ArgumentError(
            f"unknown {what} {name!r}{did_you_mean(name, known)}; {what}s of {self.name!r}: {listed(known)}"
        )

    @cached_property
    def modal(self) -> frozenset[str]:
        """Names of the coordinates and rates of vibration modes."""
        modes = [(body["name"], k + 1) for body in self.elastic for k in range(len(body["frequencies"]))]
        return frozenset(f"{body}.{kind}[{k}]" for body, k in modes for kind in ("xi", "xi_dot"))

    @cached_property
    def static_starts(self) -> frozenset[str]:
        """Names of the coordinates of vibration modes that start in equilibrium."""
        bodies = [body for body in self.elastic if body.get("static")]
        return frozenset(f"{body['name']}.xi[{k + 1}]" for body in bodies for k in range(len(body["frequencies"])))

    @cached_property
    def solved(self) -> frozenset[str]:
        """Names of the start values that the start computes.

        These are those of vibration modes in equilibrium, of contact parameters of forces, and those that follow from
        parameters.
        """
        return self.static_starts.union(self.feet, self.calculated)

    def calculated_place(self, name: str) -> int | None:
        """Return the index of the flag by which the next start computes this start value (1) or keeps it (0).

        Returns None for a start value that does not follow from parameters.
        """
        k = self._calculated_index.get(name)
        return None if k is None else self.regions["calculated"][0] + k

    @cached_property
    def _calculated_index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.calculated)}

    @cached_property
    def units(self) -> dict[str, str | None]:
        return {"time": "s", **{v.name: v.unit for v in self.variables}}

    def to_json(self) -> str:
        """Return the program without its module, as JSON; it is deterministic and keeps all digits."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "module"}
        return json.dumps(data, indent=1, sort_keys=True, default=as_data)

    @classmethod
    def from_json(cls, data: str, text: str) -> Program:
        """Return the program from `to_json` and its text. Raises ValueError for data that need another mbs_fmu."""
        return cls.from_data(json.loads(data), read_module(text))

    @classmethod
    def from_data(cls, raw: dict[str, Any], module: KernelModule) -> Program:
        """Return a program from its module and the parsed JSON of `to_json`.

        Raises ValueError for another format.
        """
        if raw.get("format") != FORMAT:
            raise ValueError(
                f"the compiled model has format {raw.get('format')!r}, this mbs_fmu reads format {FORMAT}: "
                "export the FMU again or install the mbs_fmu that made it"
            )
        raw = dict(raw)
        raw["variables"] = [Variable(**_tuples(v)) for v in raw["variables"]]
        raw["record"] = _record_of(raw["record"])
        raw["regions"] = {name: (start, size) for name, (start, size) in raw["regions"].items()}
        return cls(module=module, **raw)


def as_data(thing: Any) -> Any:
    """Return an object of a program as data for JSON. The record, which may have millions of numbers, becomes text."""
    if isinstance(thing, FrozenArray):
        return base64.b64encode(thing.array.astype("<f8", copy=False).data).decode()
    return vars(thing)


def _record_of(text: str) -> FrozenArray:
    """Return the record from its text. Raises ValueError for other text."""
    return FrozenArray.taking(np.frombuffer(base64.b64decode(text, validate=True), "<f8"))


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def plain_regions(layout: Mapping[str, Region]) -> dict[str, tuple[int, int]]:
    """Return start and size of each region."""
    return {name: (region.start, region.size) for name, region in layout.items()}
