"""Rollouts in JAX: whole runs, whose gradients are computed by adjoints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ...infrastructure.arguments import finite
from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ArgumentError
from ...infrastructure.messages.calls import add_clear_errors
from ..rollout import Pullback, Rollout, Trajectory
from .calls import HostFunction


@add_clear_errors
class JaxRollout:
    """A `Rollout` for JAX; `to_jax` makes it. `states`, `inputs`, `parameters` and `outputs` are those of the rollout.

    It works in `jit` and `vmap`, and `grad` and `jacrev` use adjoints. There is no forward mode.
    """

    def __init__(self, rollout: Rollout):
        self.name, self.states, self.inputs = rollout.name, rollout.states, rollout.inputs
        self.parameters, self.outputs = rollout.parameters, rollout.outputs
        self._rollout, self._lock = rollout, threading.Lock()  # XLA may call from several threads

    def __call__(self, t: float = 0.0, x: Any = None, u: Any = None, p: Any = None) -> tuple[Any, Any]:
        """Return the states, (steps + 1, nx), and outputs, (steps + 1, ny), of a trajectory as JAX arrays.

        The arguments are those of a `Rollout`. t: time at the start, s, a Python number. x: states at the start, (nx,).
        u: inputs, (nu,), or those of each step, (steps, nu). p: parameters, (np,). Omitted arguments have their
        defaults. Raises ArgumentError for other shapes, and for derivatives with respect to t.
        """
        from jax import numpy as jnp

        run = self._rollout
        inputs = jnp.asarray(run.u0 if u is None else u, dtype=float)
        shape = run.steps, len(run.inputs)
        if inputs.shape not in (shape, shape[1:]):
            raise ArgumentError(f"u has the shape {inputs.shape}: give {shape[1:]} or {shape}, and use vmap for many")
        parts = []
        for value, default, what in ((x, run.x0, "x"), (p, run.p0, "p")):
            part = jnp.asarray(default if value is None else value, dtype=float)
            if part.shape != default.shape:
                raise ArgumentError(f"{what} of {self.name!r} has the shape {part.shape}: give {default.shape}")
            parts.append(part)
        results = self._run(finite(t, "t"), jnp.concatenate([*parts, jnp.broadcast_to(inputs, shape).reshape(-1)]))
        split = (run.steps + 1) * len(run.states)
        return tuple(part.reshape(run.steps + 1, -1) for part in (results[:split], results[split:]))

    def __repr__(self) -> str:
        return f"rollout in JAX of {self.name!r}: {self._rollout.steps} steps, {len(self.states)} states"

    @cached_property
    def _run(self) -> Callable[[float, Any], Any]:
        """A function of JAX, from the time and (x, p, u) to states and outputs."""
        import jax
        from jax import numpy as jnp

        run = self._rollout
        nx, np_, ny, rows = len(run.states), len(run.parameters), len(run.outputs), run.steps + 1
        size = nx + np_ + run.steps * len(run.inputs)

        def trajectory(t: float, v: np.ndarray) -> tuple[Trajectory, Pullback]:
            return run.vjp(t, v[:nx], v[nx + np_ : size].reshape(run.steps, -1), v[nx : nx + np_])

        def forward(t: float, v: np.ndarray) -> np.ndarray:
            with self._lock:
                return np.concatenate([part.reshape(-1) for part in trajectory(t, v)[0][1:]])

        def backward(t: float, v: np.ndarray) -> np.ndarray:
            weights = v[size:]
            with self._lock:
                _, vjp = trajectory(t, v)
                of = vjp(x=weights[: rows * nx].reshape(rows, nx), y=weights[rows * nx :].reshape(rows, ny))
            return np.concatenate([of.x, of.p, of.u.reshape(-1)])

        results, gradient = HostFunction(forward, (rows * (nx + ny),)), HostFunction(backward, (size,))

        def f(time: float, v: Any) -> Any:
            return results(jnp.asarray(time), v)

        made = jax.custom_vjp(f, nondiff_argnums=(0,))
        made.defvjp(
            lambda time, v: (f(time, v), v),
            lambda time, v, w: (gradient(jnp.asarray(time), jnp.concatenate([v, w])),),
        )
        function: Callable[[float, Any], Any] = made
        return function
