"""`to_jax`: values and derivatives in JAX are those of `mbs.ode`, in all its transformations."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.jax_functions.calls import HostFunction
from mbs_fmu.analysis.ode import Ode
from support.comparisons import assert_close

jax = pytest.importorskip("jax", reason="the package jax is not installed")
jnp = jax.numpy
jax.config.update("jax_enable_x64", True)


def cart_pole() -> mbs.Model:
    m = mbs.Model("cart_pole")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    pole = m.body("pole", cart, mbs.Revolute("y"), mass=m.parameter("m_pole", 0.2, unit="kg"), com=(0, 0, -0.3))
    m.motor("motor", on=cart, force=m.input("push", unit="N"))
    m.motor("wave", on=cart, force=mbs.sin(mbs.time))
    m.spring("friction", on=cart, damping=m.parameter("d", 0.5))
    m.output("tip", mbs.position(pole, (0, 0, -0.6)), unit="m")
    return m


T, X, U, P = 0.4, np.array([0.1, 0.3, 0.2, 1.0]), np.array([1.5]), np.array([0.7, 0.3])


@pytest.fixture(scope="module", params=["velocities", pytest.param("momenta", marks=pytest.mark.slow)])
def equation(request: pytest.FixtureRequest) -> Ode:
    return mbs.ode(cart_pole(), ["d", "m_pole"], states=request.param)


@pytest.fixture(scope="module")
def one() -> Ode:
    return mbs.ode(cart_pole(), ["d", "m_pole"])


@pytest.mark.parametrize("map_of_steps", [False, True])
def test_values_and_jacobians_have_the_bits_of_the_ode(equation: Ode, map_of_steps: bool) -> None:
    """In plain calls, `jit`, forward and reverse mode."""
    own = equation.step(0.02, 2) if map_of_steps else equation
    f, d = mbs.to_jax(own), own.jacobians(T, X, U, P)
    assert (f.states, f.inputs, f.parameters, f.outputs) == (own.states, own.inputs, own.parameters, own.outputs)
    assert np.array_equal(f(T, X, U, P), own(T, X, U, P)) and np.array_equal(f(T, X), own(T, X))
    assert np.array_equal(jax.jit(f)(T, X, U, P), own(T, X, U, P))
    assert np.array_equal(jax.jit(f.outputs_at)(T, X, U, P), own.outputs_at(T, X, U, P))
    for mode in (jax.jacfwd, jax.jacrev):
        for expected, values in (((d.f_x, d.f_u, d.f_p), f), ((d.y_x, d.y_u, d.y_p), f.outputs_at)):
            for k, J in enumerate(jax.jit(mode(values, argnums=(1, 2, 3)))(T, X, U, P)):
                assert np.array_equal(J, expected[k]), ("x", "u", "p")[k]


def test_many_points_at_once(one: Ode) -> None:
    """`vmap` over times, states and parameters, of values and gradients."""
    f, rng = mbs.to_jax(one), np.random.default_rng(0)
    times, points, parameters = rng.random(5), rng.normal(size=(5, 4)), 0.1 + rng.random((5, 2))
    values = jax.jit(jax.vmap(f, (0, 0, None, 0)))(times, points, U, parameters)
    assert np.array_equal(values, [one(t, x, U, p) for t, x, p in zip(times, points, parameters, strict=True)])
    gradients = jax.vmap(jax.grad(lambda x, p: f(T, x, U, p)[3]), (0, None))(points, P)
    assert np.array_equal(gradients, [one.jacobians(T, x, U, P).f_x[3] for x in points])


def test_gradient_through_many_steps(one: Ode) -> None:
    """The gradient of a loss through `lax.scan` is that of chained Jacobians of steps; time is carried along.

    100 products of matrices of four rows: each costs some ten roundings.
    """
    step = one.step(0.02)
    F = mbs.to_jax(step)
    pushes = np.sin(np.arange(100.0))

    def loss(pushes: jax.Array, p: jax.Array) -> jax.Array:
        def body(carry: tuple, push: jax.Array) -> tuple:
            t, x = carry
            return (t + 0.02, F(t, x, push[None], p)), None

        (_, x), _ = jax.lax.scan(body, (0.0, jnp.asarray(X)), pushes)
        return jnp.sum(x**2)

    by_pushes, by_parameters = jax.jit(jax.grad(loss, argnums=(0, 1)))(pushes, P)
    t, x, columns = 0.0, X, np.zeros((4, 102))
    for k, push in enumerate(pushes):
        d = step.jacobians(t, x, [push], P)
        columns = d.f_x @ columns
        columns[:, k] += d.f_u[:, 0]
        columns[:, 100:] += d.f_p
        t, x = t + 0.02, d.f
    expected = 2 * x @ columns
    scale = 1000 * np.finfo(float).eps * np.abs(expected).max()
    names = [*(f"push {k}" for k in range(100)), *(f"parameter {k}" for k in range(2))]
    assert_close(np.r_[by_pushes, by_parameters], expected, scale, "derivative of the loss", names)


def test_limits(one: Ode) -> None:
    """Derivatives by time, second derivatives, other shapes and types are refused in a sentence."""
    f = mbs.to_jax(one)
    with pytest.raises(mbs.ArgumentError, match="no derivatives by t"):
        jax.grad(lambda t: f(t, X)[2])(0.0)
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.hessian(lambda x: f(T, x)[2])(jnp.asarray(X))
    with pytest.raises(mbs.ArgumentError, match=r"x of 'cart_pole' has the shape \(2, 4\): give \(4,\), and use vmap"):
        f(T, np.zeros((2, 4)))
    with pytest.raises(mbs.ArgumentError, match="takes a model, an Ode, a StepMap or a Rollout, not 3"):
        mbs.to_jax(3)
    with pytest.raises(Exception, match=r"ModelError: .*mass of .*pole"):
        f(T, X, U, np.array([0.7, -1.0]))
    assert np.array_equal(mbs.to_jax(cart_pole())(T, X, U), mbs.ode(cart_pole())(T, X, U))
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(mbs.ArgumentError, match="needs double precision"):
            mbs.to_jax(one)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_calls_by_frames_and_by_callbacks_are_the_same() -> None:
    """Both ways give the results of the function, at one point and at many, also at none; a deleted one is refused."""
    function = HostFunction(lambda t, v: t * np.outer(v, v), (3, 3))
    times, points = np.arange(4.0), np.random.default_rng(0).normal(size=(4, 3))
    expected = [t * np.outer(v, v) for t, v in zip(times, points, strict=True)]
    for call in (function.by_frame, function.by_callback):
        assert np.array_equal(call(jnp.asarray(2.0), jnp.asarray(points[2])), expected[2])
        assert np.array_equal(jax.jit(jax.vmap(call))(times, points), expected)
        assert jax.vmap(call)(times[:0], points[:0]).shape == (0, 3, 3)
    other = HostFunction(lambda t, v: t * v, (3,))
    compiled = jax.jit(other.by_frame).lower(jnp.asarray(2.0), jnp.asarray(points[2])).compile()
    del other
    jax.clear_caches()
    gc.collect()
    with pytest.raises(Exception, match="called after it was deleted"):
        jax.block_until_ready(compiled(jnp.asarray(2.0), jnp.asarray(points[2])))


@pytest.mark.slow
def test_rollouts(one: Ode) -> None:
    """Whole runs and their gradients have the bits of the rollout, alone and many at once."""
    run, P = one.rollout(0.02, 10), np.array([0.7, 0.2])
    f, u = mbs.to_jax(run), np.sin(np.arange(10.0))[:, None]
    trajectory, vjp = run.vjp(T, X, u, P)
    assert all(map(np.array_equal, jax.jit(lambda u, x, p: f(T, x, u, p))(u, X, P), trajectory[1:]))
    assert all(map(np.array_equal, f(u=u), run(u=u)[1:]))

    def loss(u: jax.Array, x: jax.Array, p: jax.Array) -> jax.Array:
        x, y = f(T, x, u, p)
        return jnp.sum(x**2) + jnp.sum(y[:, 1])

    of_y = np.zeros_like(trajectory.y)
    of_y[:, 1] = 1.0
    expected = vjp(x=2 * trajectory.x, y=of_y)
    found = jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(u, X, P)
    assert all(map(np.array_equal, found, (expected.u, expected.x, expected.p)))
    many = jax.vmap(jax.grad(loss), (0, None, None))(np.array([u, -u]), X, P)
    assert np.array_equal(many[0], expected.u) and many.shape == (2, 10, 1)
    for call, message in (
        (lambda: f(u=np.zeros(3)), r"u has the shape \(3,\): give \(1,\) or \(10, 1\)"),
        (lambda: f(x=np.zeros(3)), r"x of 'cart_pole' has the shape \(3,\)"),
        (lambda: jax.grad(lambda t: f(t, X, u, P)[0][-1, 0])(0.0), "t is"),
    ):
        with pytest.raises(mbs.ArgumentError, match=message):
            call()
