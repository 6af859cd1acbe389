"""Runs of fixed steps as functions of start, inputs and parameters, with gradients in reverse mode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..infrastructure.arguments import is_one_of
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..infrastructure.progress import progress_notice
from ..integrate.functions.adjoints import AdjointWriter
from ..integrate.functions.module import rollouts_module
from ..integrate.methods.explicit import Tableau
from ..model.geometry.vectors import number_array
from .array_functions import FunctionOfArrays, Kernels, Numbers


@add_clear_errors
class Trajectory(NamedTuple):
    """States and outputs of a run. t: times, (steps + 1,), s. x: states, (steps + 1, nx). y: outputs, (steps + 1, ny),
    each with the inputs of the step that begins, and the last with those of the last step.
    """

    t: np.ndarray
    x: np.ndarray
    y: np.ndarray


@add_clear_errors
class Gradient(NamedTuple):
    """Gradient of a number that depends on a trajectory, with respect to the arguments of the run.

    x: states at the start, (nx,). u: inputs of each step, (steps, nu). p: parameters, (np,).
    """

    x: np.ndarray
    u: np.ndarray
    p: np.ndarray


Pullback = Callable[..., Gradient]
Adjoint = Callable[[np.ndarray], Gradient]  #: from weights of all rows, (steps + 1, nx + ny)


@add_clear_errors
class Rollout(FunctionOfArrays, ABC):
    """A run of `steps` steps of size `step` (s) with inputs that are constant in each step; `Ode.rollout` makes it.

    `run(t, x, u, p)` returns the `Trajectory` from the states x at time t; `run.vjp(t, x, u, p)` also returns a
    function for gradients.
    """

    def __init__(self, kernels: Kernels, method: Tableau, step: float, steps: int):
        super().__init__(kernels)
        self.step, self.steps, self.method = step, steps, method.name
        self._tableau = method

    def __repr__(self) -> str:
        return f"rollout of {self.steps} steps of {self.method!r} of {self.step:g} s of {self.name!r}"

    def __call__(
        self, t: float = 0.0, x: Numbers | None = None, u: Any = None, p: Numbers | None = None
    ) -> Trajectory:  # fmt: skip
        """Return the trajectory.

        t: time at the start, s. x: states at the start, (nx,). u: inputs, (nu,), or those of each step, (steps, nu). p:
        parameters, (np,). Omitted arguments have their defaults. The steps of trees are those of `simulate`; with
        closed loops they are steps of the equation in minimal coordinates.

        Raises ArgumentError for arrays of another shape, ModelError for impossible parameters such as a negative mass,
        where loops do not close, and for models without gradients, as `vjp`.
        """
        return self._run(t, x, u, p)

    def vjp(
        self, t: float = 0.0, x: Numbers | None = None, u: Any = None, p: Numbers | None = None
    ) -> tuple[Trajectory, Pullback]:  # fmt: skip
        """Return the trajectory and a function for products of vectors with its Jacobian, as `jax.vjp` does.

        The function takes `x=`, (steps + 1, nx), and `y=`, (steps + 1, ny): the derivatives of a number, such as a
        cost, with respect to the states and outputs of the trajectory; omitted ones are zero. It returns the `Gradient`
        of that number. In trees its cost, for any number of inputs and parameters, is that of a few runs.

        Arguments and errors as for a call; raises ModelError also for elastic bodies with very many modes.
        """
        trajectory, adjoint = self._differentiated(t, x, u, p)

        def pullback(x: Any = None, y: Any = None) -> Gradient:
            shape = self.steps + 1
            weights = [
                _weights(given, name, (shape, len(names)))
                for given, name, names in ((x, "x", self.states), (y, "y", self.outputs))
            ]
            return adjoint(np.hstack(weights))

        return trajectory, pullback

    def gradient(
        self, of: str, t: float = 0.0, x: Numbers | None = None, u: Any = None, p: Numbers | None = None
    ) -> tuple[float, Gradient]:  # fmt: skip
        """Return the last value of an output or state, by its name, and its `Gradient`.

        A state whose rate is a running cost (`Model.state`) makes an integral such a number. Arguments and errors as
        for `vjp`; raises ArgumentError for an unknown name.
        """
        names = [*self.states, *self.outputs]
        if not is_one_of(of, names):
            given = listed([*self.outputs, *self.states])  # a cost is an output more often
            raise ArgumentError(
                f"unknown output or state {display(of)}: give one of {given}, or add an output by m.output"
                f"{did_you_mean(of, names)}"
            )
        trajectory, vjp = self.vjp(t, x, u, p)
        values = np.hstack([trajectory.x, trajectory.y])
        weights = np.zeros_like(values)
        weights[-1, names.index(of)] = 1.0
        split = len(self.states)
        return float(values[-1, names.index(of)]), vjp(x=weights[:, :split], y=weights[:, split:])

    @abstractmethod
    def _run(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> Trajectory:
        """Return the trajectory; arguments and errors as for a call."""

    @abstractmethod
    def _differentiated(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> tuple[Trajectory, Adjoint]:
        """Return the trajectory and its adjoint; arguments and errors as for `vjp`."""

    def _begin(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the arguments as X and as inputs of each step, (steps, nu)."""
        inputs = self._inputs(u)
        self._take(t, self.x0 if x is None else x, inputs[0], p)
        return self._X.copy(), inputs

    @cached_property
    def _K(self) -> np.ndarray:
        """The tableau for the kernels: number of stages, c, b and the rows of a."""
        method = self._tableau
        s = method.stages
        a = np.zeros((s, s))
        for row, numbers in enumerate(method.a):
            a[row, : len(numbers)] = [float(number) for number in numbers]
        return np.array([float(s), *map(float, method.c), *map(float, method.b), *a.ravel()])

    def _trajectory(self, time: float, Y: np.ndarray) -> Trajectory:
        """Return rows of states and outputs, (steps + 1, nx + ny), from a time on, as a trajectory."""
        split = len(self.states)
        return Trajectory(time + self.step * np.arange(self.steps + 1), Y[:, :split], Y[:, split:])

    def _inputs(self, u: Any) -> np.ndarray:
        """Return the inputs of each step, (steps, nu)."""
        given = self.u0 if u is None else number_array(u, f"u of {self.name!r}")
        shape = self.steps, len(self.inputs)
        if given.shape not in (shape, shape[1:]):
            raise ArgumentError(
                f"u of {self.name!r} is {display(u)}: give an array of shape {shape[1:]}, or {shape} for each step"
            )
        return np.array(np.broadcast_to(given, shape))


class TreeRollout(Rollout):
    """A run of a tree, by the kernels of integrate/functions/rollouts.py."""

    def _run(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> Trajectory:
        return self._forward(t, x, u, p, 0)[0]

    def _differentiated(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> tuple[Trajectory, Adjoint]:
        trajectory, run = self._forward(t, x, u, p, self._tableau.stages)
        return trajectory, lambda W: self._gradient(run, W)

    def _forward(
        self, t: float, x: Numbers | None, u: Any, p: Numbers | None, stages: int
    ) -> tuple[Trajectory, _Run]:  # fmt: skip
        """Return the trajectory, and the run with the rates of some stages of each step."""
        (X, inputs), program, rows = self._begin(t, x, u, p), self._kernels.mechanism.program, self.steps + 1
        state = program.state_slice
        nx = state.stop - state.start
        T, S, Y = np.empty(rows * nx), np.empty(self.steps * stages * nx), np.empty((rows, self._kernels.width))
        entry = self._loaded.entry(f"{self.method}_rollout")
        tables, step = self._kernels.mechanism.runtime.no_tables, (self.step, self.steps, stages)
        status = entry(self._R, tables, self._kernels.G, X, inputs.ravel(), T, S, Y.ravel(), *step)
        self._check(status)
        return self._trajectory(X[0], Y), _Run(X, inputs, T, S)

    def _gradient(self, run: _Run, W: np.ndarray) -> Gradient:
        X, inputs, T, S = run
        nx, nu, count = len(self.states), inputs.size, len(self.parameters)
        V, B = np.zeros(nx + nu + count), np.zeros_like(self._R)
        A, L = np.zeros(self._writer.size), np.zeros((self._tableau.stages + 1) * (T.size // (self.steps + 1)))
        entry = self._loaded.entry("rollout_b")
        given = self._kernels.G, X, inputs.ravel(), T, W.ravel()
        entry(self._R, A, B, self._K, L, S, *given, V, self.step, self.steps)
        return Gradient(V[:nx], V[nx : nx + nu].reshape(inputs.shape), V[nx + nu :])

    @cached_property
    def _writer(self) -> AdjointWriter:
        """Writer of the adjoints of the model's kernels."""
        kernels = self._kernels
        addresses = kernels.given[kernels.given.size - len(self.parameters) :].tolist()
        return AdjointWriter(kernels.mechanism.runtime.program, kernels.R, addresses, kernels.varies)

    @cached_property
    def _loaded(self) -> Any:
        """Kernels of integrate/functions/rollouts.py, compiled at the first use."""
        kernels = self._kernels
        with progress_notice(self.name, "differentiating"):
            adjoints = self._writer.functions
        return kernels.loaded(
            rollouts_module(kernels.mechanism.runtime.kernels.source_with(), adjoints, kernels.method)
        )


class _Run(NamedTuple):
    """A run of a tree. X: arguments. inputs: of each step. T, S: states and rates of stages, as in rollouts.py."""

    X: np.ndarray
    inputs: np.ndarray
    T: np.ndarray
    S: np.ndarray


def _weights(given: Any, name: str, shape: tuple[int, int]) -> np.ndarray:
    """Return weights of a trajectory as an array. Raises ArgumentError for another shape."""
    if given is None:
        return np.zeros(shape)
    array = number_array(given, name)
    if array.shape != shape:
        raise ArgumentError(f"{name} is {display(given)}: give weights of shape {shape}, a row for each time")
    return array
