"""A compiled model for analyses: its kernels by name, and records at given states."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..infrastructure.arguments import ParameterValues, finite
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.geometry.vectors import number_array
from ..model.items import Body
from ..model.model import Model
from ..record.blocks import HeadNumbers
from ..record.program import STARTED
from ..run.inputs import set_inputs, set_values
from ..run.results.results import Result
from ..run.simulate import compiled, require_model

TOLERANCES = 1e-10, 1e-12  #: relative and absolute tolerance of starts
Numbers = Mapping[str, float]

_PROBES: weakref.WeakKeyDictionary[Model, dict[Any, Model]] = weakref.WeakKeyDictionary()


class Mechanism:
    """A compiled model, with the regions of its state in a record.

    `q`, `p`, `z` and `u` are the regions of coordinates, momenta, signal states and joint velocities; `x` contains all
    states, `f` their rates. The runtime has the integration method `method`.
    """

    def __init__(self, model: Model, method: str = "dopri5"):
        require_model(model)
        self.model, self.runtime = model, compiled(model, method=method)
        self.program = program = self.runtime.program
        self.q, self.p, self.z, self.u = (program.region(name) for name in ("q", "p", "z", "u"))
        self.x, self.f = program.state_slice, program.rate_slice
        self.nq, self.nv, self.nz = (s.stop - s.start for s in (self.q, self.u, self.z))

    def call(self, kernel: str, *arrays: np.ndarray) -> Any:
        """Call a kernel of the module, also one that usually only other kernels call."""
        return self.runtime.kernels.entry(kernel)(*arrays)

    def record(self, start: Numbers, inputs: Numbers, parameters: ParameterValues, time: float) -> np.ndarray:
        """Return a record with these numbers, not yet started; others have defaults, inputs without one are 0.

        Raises ArgumentError for anything but dictionaries, unknown names and invalid numbers.
        """
        for numbers, what in ((start, "start"), (inputs, "inputs"), (parameters, "parameters")):
            if not isinstance(numbers, Mapping):
                raise ArgumentError(f"{what} must be a dictionary by name, not {display(numbers)}")
        R = self.program.new_record()
        R[HeadNumbers.time] = finite(time, "time")
        set_values(self.program, R, "parameter", parameters)
        set_inputs(self.program, R, self.model, inputs)
        set_values(self.program, R, "start value", start)
        return R

    def begin(self, R: np.ndarray) -> None:
        """Start a record: assemble loops, compute rates and outputs. Raises ModelError."""
        self.runtime.initialize(R, *TOLERANCES)
        self.runtime.refresh(R)

    def started(self, R: np.ndarray) -> dict[str, float]:
        """Return all quantities with start values, by name."""
        return {v.name: float(R[v.slot]) for v in self.program.of_role(*STARTED)}

    @cached_property
    def rate_names(self) -> list[str]:
        """Names of the joint velocities, in the order of u."""
        return [v.name for v in sorted(self.program.of_role("rate"), key=lambda v: v.slot)]

    @cached_property
    def rate_units(self) -> list[str]:
        """SI units of the joint velocities."""
        return [v.unit or "1" for v in sorted(self.program.of_role("rate"), key=lambda v: v.slot)]

    def momenta_tangent(self, R: np.ndarray, dq: np.ndarray | float, du: np.ndarray | float) -> np.ndarray:
        """Return tangents of momenta and of q' = E u with respect to coordinates and joint velocities, as a record."""
        D = np.zeros_like(R)
        D[self.q], D[self.u] = dq, du
        self.call("momenta_d", R.copy(), D)
        return D

    def mass_matrix(self, R: np.ndarray) -> np.ndarray:
        """Return the mass matrix M of the tree without closures: p = M u + the part of prescribed motions."""
        M = np.array([self.momenta_tangent(R, 0.0, unit)[self.p] for unit in np.eye(self.nv)]).reshape(2 * (self.nv,))
        return np.asarray(0.5 * (M + M.T))

    def coordinate_rates(self, R: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return E u, for any joint velocities."""
        moved = R.copy()
        moved[self.u] = u
        self.call("momenta", moved)
        return np.asarray(moved[self.f][: self.nq])


def probe(model: Model, kind: Hashable, make: Callable[[Model], Model]) -> Model:
    """Return `make(model)`. It is computed once for each kind, and again after the model has changed."""
    versions = model.version, model.value_version
    held = _PROBES.setdefault(model, {})
    if (versions, kind) not in held:
        for old in [key for key in held if key[0] != versions]:
            del held[old]
        held[versions, kind] = make(model)
    return held[versions, kind]


def known_body(model: Model, body: str | Body) -> str:
    """Return the name of a body of the model. Raises ArgumentError."""
    require_model(model)
    name = body.name if isinstance(body, Body) else body
    if name not in model.bodies:
        have = listed(model.bodies)
        raise ArgumentError(
            f"unknown body {display(name)}{did_you_mean(name, model.bodies)}; bodies of model {model.name!r}: {have}"
        )
    return name


def three_numbers(value: Any, thing: str) -> np.ndarray:
    """Return a point, m. Raises ArgumentError."""
    numbers = number_array(value, thing)
    if numbers.shape != (3,) or not np.all(np.isfinite(numbers)):
        raise ArgumentError(f"{thing} must be three finite numbers, not {display(value)}")
    return numbers


class PointNumbers(NamedTuple):
    """Numbers of a row of a result, by name; time: s."""

    numbers: dict[str, float]
    inputs: dict[str, float]
    parameters: dict[str, float]
    time: float


def at_row(model: Model, result: Result, row: int) -> PointNumbers:
    """Return a row of a result, with inputs and parameters if it has them. Raises ArgumentError."""
    if not isinstance(result, Result):
        raise ArgumentError(f"at must be a result of simulate, not {display(result)}")
    if not -len(result) <= row < len(result):
        raise ArgumentError(f"there is no row {row}: the result has {len(result)} rows")
    numbers = dict(zip(result.columns, map(float, result.data[row]), strict=True))
    inputs = {name: float(result[name][row]) for name in model.inputs if name in result}
    return PointNumbers(numbers, inputs, dict(getattr(result, "parameters", {})), numbers.pop("time"))
