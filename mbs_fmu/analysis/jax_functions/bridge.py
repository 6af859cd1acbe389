"""`to_jax`: functions of a model as functions of JAX, with the exact Jacobians of `mbs.ode`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from ...infrastructure.errors import ArgumentError
from ...infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ...infrastructure.messages.failures import display
from ...model.model import Model
from ...run.extras import extra
from ..array_functions import ArrayFunction, Derivatives
from ..ode import ode
from ..rollout import Rollout
from .calls import HostFunction
from .rollouts import JaxRollout

Host = Callable[[float, np.ndarray], np.ndarray]  #: numbers at a time and at (x, u, p), without JAX


@overload
def to_jax(function: Rollout) -> JaxRollout: ...


@overload
def to_jax(function: Model | ArrayFunction) -> JaxFunction: ...


@with_clear_errors
def to_jax(function: Model | ArrayFunction | Rollout) -> JaxFunction | JaxRollout:
    """Return a function of `mbs.ode`, a map of its steps, or a rollout as a function of JAX.

    function: an `Ode`, a `StepMap`, a `Rollout`, or a model, for which it is `mbs.ode(model)`.

    `f = mbs.to_jax(mbs.ode(model))` is called as `f(t, x, u, p)`, as the `Ode`. It may be used in `jit`, `vmap` and
    `lax.scan`; `grad`, `jacfwd`, `jacrev` and `jvp` use the exact Jacobian with respect to x, u and p. Values and
    Jacobians are computed by the same kernels as those of the `Ode`, on the processor, in calls from XLA to Python that
    take some 20 us. There are no second derivatives. A rollout makes all steps in one call, and `grad` uses its
    adjoint.

    Raises ModelError without the package jax, and as `mbs.ode`; ArgumentError for anything other than a function, and
    if JAX does not use double precision: `jax.config.update("jax_enable_x64", True)`.
    """
    _jax()
    if isinstance(function, Model):
        function = ode(function)
    if isinstance(function, Rollout):
        return JaxRollout(function)
    if not isinstance(function, ArrayFunction):
        raise ArgumentError(f"to_jax takes a model, an Ode, a StepMap or a Rollout, not {display(function)}")
    return JaxFunction(function)


@add_clear_errors
class JaxFunction:
    """A function x' = f(t, x, u, p), or a map of steps, for JAX; `to_jax` makes it.

    `states`, `inputs`, `parameters`, `outputs`, `x0`, `u0` and `p0` are those of the `Ode`.
    """

    def __init__(self, function: ArrayFunction):
        self.name, self.states, self.inputs = function.name, function.states, function.inputs
        self.parameters, self.outputs = function.parameters, function.outputs
        self.x0, self.u0, self.p0 = function.x0, function.u0, function.p0
        cuts = np.cumsum([len(self.states), len(self.inputs)])
        lock = threading.Lock()  # XLA may call from several threads, and the function has one working memory

        def at(call: Callable[..., np.ndarray], t: float, v: np.ndarray) -> np.ndarray:
            with lock:
                return call(t, *np.split(v, cuts))

        def jacobian(parts: Callable[[Derivatives], tuple[np.ndarray, ...]]) -> Host:
            return lambda t, v: at(lambda *xup: np.hstack(parts(function.jacobians(*xup))), t, v)

        nx, ny, size = len(self.states), len(self.outputs), cuts[-1] + len(self.parameters)
        of_values = jacobian(lambda d: (d.f_x, d.f_u, d.f_p))
        of_outputs = jacobian(lambda d: (d.y_x, d.y_u, d.y_p))
        self._values = _bridge(lambda t, v: at(function, t, v), of_values, nx, size)
        self._outputs = _bridge(lambda t, v: at(function.outputs_at, t, v), of_outputs, ny, size)

    def __call__(self, t: Any, x: Any, u: Any = None, p: Any = None) -> Any:
        """Return the values, (nx,), as a JAX array. t: s. x: (nx,). u: (nu,). p: (np,).

        Derivatives with respect to t raise ArgumentError. Raises ArgumentError for arrays of another shape.
        """
        return self._values(t, self._joined(x, u, p))

    def outputs_at(self, t: Any, x: Any, u: Any = None, p: Any = None) -> Any:
        """Return the outputs y, (ny,), as a JAX array; arguments and errors as for a call."""
        return self._outputs(t, self._joined(x, u, p))

    def __repr__(self) -> str:
        return f"function of JAX of {self.name!r}: {len(self.states)} states"

    def _joined(self, x: Any, u: Any, p: Any) -> Any:
        """Return (x, u, p) as one array."""
        jnp = _jax().numpy
        parts = []
        for value, default, what, names in (
            (x, self.x0, "x", self.states), (u, self.u0, "u", self.inputs), (p, self.p0, "p", self.parameters),
        ):  # fmt: skip
            part = jnp.asarray(default if value is None else value, dtype=float)
            if part.shape != (len(names),):
                raise ArgumentError(
                    f"{what} of {self.name!r} has the shape {part.shape}: give ({len(names)},), and use vmap for many"
                )
            parts.append(part)
        return jnp.concatenate(parts)


def _jax() -> Any:
    """Return the package. Raises ModelError without it, ArgumentError if it computes with single precision."""
    jax = extra("jax", "jax", "jax", "to_jax")
    if not jax.config.jax_enable_x64:
        raise ArgumentError(
            'to_jax needs double precision: call jax.config.update("jax_enable_x64", True) before the first use of JAX'
        )
    return jax


def _bridge(value: Host, jacobian: Host, rows: int, size: int) -> Callable[[Any, Any], Any]:
    """Return a function of JAX from a function of time and (x, u, p) and from its Jacobian with respect to (x, u, p).

    The tangent is the Jacobian times a vector, which JAX transposes for reverse mode.
    """
    jax = _jax()
    jnp = jax.numpy

    at, derivative = HostFunction(value, (rows,)), HostFunction(jacobian, (rows, size))

    @jax.custom_jvp
    def f(t: Any, v: Any) -> Any:
        return at(t, v)

    def rule(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
        (t, v), (dt, dv) = primals, tangents
        if not isinstance(dt, jax.custom_derivatives.SymbolicZero):
            raise ArgumentError("there are no derivatives by t: use a state with the rate 1 as time in the laws")
        if isinstance(dv, jax.custom_derivatives.SymbolicZero):
            return f(t, v), jnp.zeros(rows)
        return f(t, v), derivative(t, v) @ dv

    f.defjvp(rule, symbolic_zeros=True)
    bridged: Callable[[Any, Any], Any] = lambda t, v: f(jnp.asarray(t, dtype=float), v)  # noqa: E731
    return bridged
