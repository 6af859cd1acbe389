"""Functions of time, states, inputs and parameters of a model, from arrays to arrays, with exact Jacobians.

X contains the arguments (t, x, u, p), Y the results; integrate/functions describes the arrays of the kernels.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..infrastructure.arguments import is_whole
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..integrate.functions.module import jacobians_module, values_module
from ..integrate.lanes.module import NoLanes, compile_on_lanes, machine_lanes
from ..integrate.methods.method import Method
from ..model.geometry.vectors import number_array
from ..record.blocks import HeadNumbers
from ..record.kernel_module import KernelModule
from ..run.memory import aligned
from ..run.sensitivities import varying_module
from ..run.variants import runtimes
from .mechanism import Mechanism

Numbers = Sequence[float] | np.ndarray  #: one dimension
#: From X to values, (width,), and their Jacobian, (width, count).
JacobianOfNumbers = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Derivatives(NamedTuple):
    """Values of a function at one point, and their exact Jacobians, in the units of the variables.

    f: rates of the states, or the states after a step, (nx,). y: outputs, (ny,). f_x, f_u, f_p: Jacobians of f with
    respect to states, (nx, nx), inputs, (nx, nu), and parameters, (nx, np). y_x, y_u, y_p: those of y, (ny, nx), (ny,
    nu) and (ny, np).
    """

    f: np.ndarray
    y: np.ndarray
    f_x: np.ndarray
    f_u: np.ndarray
    f_p: np.ndarray
    y_x: np.ndarray
    y_u: np.ndarray
    y_p: np.ndarray


@dataclass(frozen=True)
class Names:
    """Names of states, inputs, parameters and outputs, in the order of the arrays.

    by_velocities: the states are (q, u, z), with joint velocities u; otherwise they are (q, p, z), with momenta p.
    """

    states: list[str]
    inputs: list[str]
    parameters: list[str]
    outputs: list[str]
    by_velocities: bool


class Kernels:
    """Kernels of the functions of a model, with the arrays that they need.

    R: a record after `Mechanism.begin`. given: addresses in it of the numbers in X. varies: some parameters determine
    masses or geometry. G: description of X for the kernels. width: length of Y.
    """

    def __init__(self, mechanism: Mechanism, method: Method, names: Names, R: np.ndarray):
        self.mechanism, self.method, self.names, self.R = mechanism, method, names, R
        program, held = mechanism.program, runtimes(mechanism.model)
        self.variant = next(key for key, (_, runtime) in held.items() if runtime is mechanism.runtime)
        slots = [program.by_name[x].slot for x in (*names.states, *names.inputs, *names.parameters)]
        self.given = np.array([int(HeadNumbers.time), *slots])
        self.varies = any(program.by_name[x].fixed for x in names.parameters)
        head = len(self.given), len(names.states), float(self.varies), float(names.by_velocities)
        self.G = np.array([*head, *self.given], dtype=float)
        self.width = len(names.states) + len(names.outputs)

    def rates(self, R: np.ndarray, X: np.ndarray, Y: np.ndarray) -> Callable[[], int]:
        """Return the call that computes rates and outputs at X into Y, in a record R; it returns a status."""
        call = self.rates_call(R, X, Y)
        return partial(self.values.entry(call.kernel), *call.arguments)

    def rates_call(self, R: np.ndarray, X: np.ndarray, Y: np.ndarray) -> KernelCall:
        """Return the call of the kernel of rates and outputs."""
        return KernelCall(self.values_source, "rates_and_outputs", (R, np.zeros_like(R), self.G, X, Y), X, Y)

    def rates_jacobian(self, directions: range) -> JacobianOfNumbers:
        """Return the call that computes rates, outputs and their Jacobian; directions: indices of numbers of X."""
        if not self.names.by_velocities:
            return JacobianCall(self, "momentum_jacobian", 1, False, directions, ())
        return JacobianCall(self, "velocity_jacobian", 3, False, directions, (np.zeros(self.mechanism.nv**2),))

    @cached_property
    def values(self) -> Any:
        """Kernels of integrate/functions/values.py, compiled at the first use."""
        return self.loaded(self.values_source)

    @property
    def values_source(self) -> KernelModule:
        """The module of `values`."""
        return values_module(self.mechanism.runtime.kernels.source_with(), self.method)

    @cached_property
    def lanes(self) -> int:
        """Number of directions that a kernel computes at once, one if lanes could take different branches."""
        fits = "loop_state" not in self.mechanism.program.regions and self.mechanism.runtime.kernels.has_lanes
        return machine_lanes() if fits and len(self.given) > 2 else 1

    @cached_property
    def jacobians(self) -> Any:
        """Kernels of integrate/functions/jacobians.py, compiled at the first use. Raises ModelError if the model has
        changed."""
        return self.loaded(self.jacobians_source)

    @property
    def jacobians_source(self) -> KernelModule:
        """The module of `jacobians`. Raises ModelError if the model has changed."""
        return jacobians_module(self._differentiable, self.method, self.lanes, self.mechanism.program.angles)

    @cached_property
    def _differentiable(self) -> KernelModule:
        """The model's module, with the tangents that Jacobians need.

        Raises ModelError if the model has changed.
        """
        m, second = self.mechanism, self.names.by_velocities  # velocities need second tangents
        if m.model.version != self.variant[0]:
            raise ModelError(f"model {m.model.name!r} has changed since mbs.ode: call mbs.ode again")
        if self.varies:
            return varying_module(m.model, self.variant, {}, second)
        module: KernelModule = m.runtime.kernels.source_with(*["momenta_dd"] * second)
        return module

    def loaded(self, module: KernelModule) -> Any:
        """Return the compiled kernels of a module."""
        return self.mechanism.runtime.loaded(module)

    def without_lanes(self) -> None:
        """Compute Jacobians one direction at a time from now on."""
        self.lanes = 1
        self.__dict__.pop("jacobians", None)

    def rows(self, count: int) -> np.ndarray:
        """Return an array of zeros with a column for each lane, (count, lanes), or (count,) if there is one lane."""
        return aligned(count, self.lanes) if self.lanes > 1 else np.zeros(count)


class KernelCall(NamedTuple):
    """A call of a kernel: its module, its name, its arguments, and the arrays X and Y among them."""

    module: KernelModule
    kernel: str
    arguments: tuple[Any, ...]
    X: np.ndarray
    Y: np.ndarray


class JacobianCall:
    """Call of a kernel of integrate/functions/jacobians.py, with the arrays that it needs.

    Each direction is the unit vector of one entry of X. Consecutive directions form groups, with one direction in each
    lane.
    """

    def __init__(
        self, kernels: Kernels, kernel: str, records: int, tables: bool, directions: range, settings: tuple[Any, ...]
    ):
        """kernel: its name. records: number of records for tangents that it takes. tables: it also takes U, the tables
        of inputs. directions: indices in X. settings: further arguments of the kernel.
        """
        self.kernels, self.kernel, count = kernels, kernel, len(directions)
        self.count, self.width, lanes = count, kernels.width, kernels.lanes
        self.groups, size = -(-count // lanes), len(kernels.given)
        R = kernels.rows(kernels.R.size)
        R[:] = kernels.R[:, None] if lanes > 1 else kernels.R
        U = kernels.rows(kernels.mechanism.runtime.no_tables.size)
        nv = kernels.mechanism.nv
        self.S = kernels.rows(self.groups * size + -(-nv // lanes) * nv)
        self.Y = kernels.rows((1 + self.groups) * self.width)
        seeds = self.S.reshape(-1, lanes)
        for k in range(count):
            seeds[k // lanes * size + directions[k], k % lanes] = 1.0
        for k in range(nv):  # unit momenta
            seeds[self.groups * size + k // lanes * nv + k, k % lanes] = 1.0
        self._before = [R, *(kernels.rows(R.shape[0]) for _ in range(records)), *[U] * tables, kernels.G]
        self._after = [self.S, self.Y, *settings, self.groups]

    @cached_property
    def _entry(self) -> Any:
        return self.kernels.jacobians.entry(self.kernel)

    @property
    def kernel_call(self) -> KernelCall:
        """The call, with an X of its own."""
        X = self.kernels.R[self.kernels.given]
        return KernelCall(self.kernels.jacobians_source, self.kernel, (*self._before, X, *self._after), X, self.Y)

    def __call__(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return values at X, (width,), and their Jacobian, (width, count); both are new arrays."""
        self._entry(*self._before, X, *self._after)
        Y = self.Y.reshape(1 + self.groups, self.width, -1)
        J = Y[1:].transpose(1, 0, 2).reshape(self.width, self.groups * Y.shape[2])
        return Y[0, :, 0].copy(), J[:, : self.count].copy()


class Origin(NamedTuple):
    """How a function was made, by which copies and pickles make it again: a method of an object, with arguments."""

    maker: Any
    method: str
    arguments: tuple[Any, ...]

    def again(self) -> Any:
        """Return the function, made again."""
        return getattr(self.maker, self.method)(*self.arguments)


class FunctionOfArrays:
    """Base class of functions of time t (s), states x, inputs u and parameters p of a model.

    `states`, `inputs`, `parameters` and `outputs` are the names of the numbers in x, u, p and y, which are in the units
    of these variables. `x0`, `u0` and `p0` are defaults. Calls return new arrays. They share working memory: use one
    object for each thread, such as a copy. Numbers that are not finite give results that are not finite.

    Copies and pickles contain the model; they are compiled again, or loaded from the cache, where they are made.
    """

    origin: Origin

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin.again, (self.origin,)

    def __init__(self, kernels: Kernels):
        self._kernels = kernels
        self.name = kernels.mechanism.program.name
        names = kernels.names
        self.states, self.inputs = list(names.states), list(names.inputs)
        self.parameters, self.outputs = list(names.parameters), list(names.outputs)
        self._X = kernels.R[kernels.given]
        ends = np.cumsum([1, *map(len, (self.states, self.inputs, self.parameters))]).tolist()
        self._x, self._u, self._p = (slice(a, b) for a, b in itertools.pairwise(ends))
        self.x0, self.u0, self.p0 = (self._X[part].copy() for part in (self._x, self._u, self._p))
        self._R = kernels.R.copy()

    def _check(self, status: int) -> None:
        """Raise ModelError for the failed check of parameters that a status names."""
        if status:
            raise ModelError(self._kernels.mechanism.program.checks[status - 1])

    def _take(self, t: float, x: Numbers, u: Numbers | None, p: Numbers | None) -> None:
        """Write the arguments to X. Raises ArgumentError for arrays of another shape and for complex numbers."""
        X = self._X
        X[0] = t if type(t) is float else _real(t)
        X[self._x] = self._numbers(x, "x", self.states)
        X[self._u] = self.u0 if u is None else self._numbers(u, "u", self.inputs)
        X[self._p] = self.p0 if p is None else self._numbers(p, "p", self.parameters)

    def _numbers(self, values: Numbers, what: str, names: list[str]) -> np.ndarray:
        """Return an argument as an array of numbers with these names; what: its letter in messages."""
        given = values
        if type(given) is not np.ndarray or given.dtype != np.float64:
            if np.iscomplexobj(given):
                raise ArgumentError(f"{what} of {self.name!r} is complex: use jacobians() for derivatives")
            given = number_array(given, f"{what} of {self.name!r}")
        if given.shape != (len(names),):
            wanted = f": {', '.join(names[:8])}{', ...' * (len(names) > 8)}" if names else ""
            raise ArgumentError(
                f"{what} of {self.name!r} is {display(values)}: give an array of shape ({len(names)},){wanted}"
            )
        return given


def _real(t: Any) -> float:
    """Return a time, finite or not. Raises ArgumentError for anything but a real number."""
    if isinstance(t, float | np.floating) or (is_whole(t) and abs(t) <= 2**53):
        return float(t)
    raise ArgumentError(f"t is {display(t)}: give a time, in s")


class ArrayFunction(FunctionOfArrays, ABC):
    """Base class of functions f(t, x, u, p) from arrays to arrays, with exact Jacobians; calls without u or p use the
    defaults.
    """

    def __init__(self, kernels: Kernels):
        super().__init__(kernels)
        self._Y = np.zeros(kernels.width)
        self._calls: dict[int, JacobianOfNumbers] = {}

    def __call__(self, t: float, x: Numbers, u: Numbers | None = None, p: Numbers | None = None) -> np.ndarray:
        """Return the values, (nx,). t: s. x: (nx,). u: (nu,). p: (np,).

        Raises ArgumentError for arrays of another shape and for complex numbers, ModelError for impossible parameters
        such as a negative mass.
        """
        return self._values(t, x, u, p)[: len(self.states)].copy()

    def outputs_at(self, t: float, x: Numbers, u: Numbers | None = None, p: Numbers | None = None) -> np.ndarray:
        """Return the outputs y, (ny,); arguments as in a call."""
        return self._values(t, x, u, p)[len(self.states) :].copy()

    def jacobian(self, t: float, x: Numbers, u: Numbers | None = None, p: Numbers | None = None) -> np.ndarray:
        """Return the exact Jacobian of the values with respect to the states, (nx, nx).

        Arguments and errors as for a call; raises ModelError also if the model was changed before its first Jacobian.
        """
        return self._derivatives(len(self.states), t, x, u, p)[1][: len(self.states)]

    def jacobians(self, t: float, x: Numbers, u: Numbers | None = None, p: Numbers | None = None) -> Derivatives:
        """Return values and outputs, and their exact Jacobians with respect to states, inputs and parameters.

        Arguments and errors as for `jacobian`.
        """
        nx, nu = len(self.states), len(self.inputs)
        values, J = self._derivatives(self._X.size - 1, t, x, u, p)
        parts = [J[rows, columns] for rows in (slice(nx), slice(nx, None))
                 for columns in (slice(nx), slice(nx, nx + nu), slice(nx + nu, None))]  # fmt: skip
        return Derivatives(values[:nx], values[nx:], *parts)

    # -- calls of kernels -----------------------------------------------------------------------------------
    @cached_property
    @abstractmethod
    def _value(self) -> Callable[[], int]:
        """A function that computes values and outputs at X, writes them to Y, and returns the status of the kernel."""

    @abstractmethod
    def _value_call(self) -> KernelCall:
        """Return the call of the kernel of values and outputs at X; it writes to Y."""

    @abstractmethod
    def _jacobian_call(self, directions: range) -> JacobianOfNumbers:
        """Return the call that computes Jacobians with respect to numbers of X, given by their indices."""

    def _values(self, t: float, x: Numbers, u: Numbers | None, p: Numbers | None) -> np.ndarray:
        """Return Y, values and then outputs, (width,): working memory."""
        self._take(t, x, u, p)
        self._check(self._value())
        return self._Y

    def _derivatives(
        self, count: int, t: float, x: Numbers, u: Numbers | None, p: Numbers | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return values and outputs, and their Jacobian with respect to the first `count` numbers of (x, u, p)."""
        self._take(t, x, u, p)
        if self._kernels.varies:  # kernels of Jacobians do not check parameters
            self._check(self._value())
        call = self._calls.get(count) or self._first_call(count)
        return call(self._X)

    def _first_call(self, count: int) -> JacobianOfNumbers:
        """Return the compiled call for `count` directions, without lanes if they would take different branches."""
        directions = range(1, 1 + count)
        call = self._jacobian_call(directions)
        try:
            compile_on_lanes(lambda: call(self._X))
        except NoLanes:
            self._kernels.without_lanes()
            call = self._jacobian_call(directions)
        self._calls[count] = call
        return call
