"""The free body under applied forces: user-defined or complex-step derivatives, and laws over a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.analysis import free_body as fb
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.free_bodies import CONVENTIONS, State, close, quaternion
from support.oracles.complex_steps import STEP


def thrust(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
    """Return a wrench that depends on state, two controls and time."""
    F = np.array([np.sin(x[0]) * u[0], x[7] * x[10], u[1] * t, x[3] * x[4], np.cos(x[11]) - u[0] * u[1], x[5] + t])
    return F * 0.5


@pytest.mark.quick
def test_the_jacobian_equals_complex_steps(state: State) -> None:
    """The closed form of df/dx and df/du is the complex step of f."""
    system = fb.StateForm(state.theta, state.convention, thrust)
    x, u, t = np.concatenate([state.q, state.q_dot]), np.array([0.7, -1.3]), 0.4
    f_x, f_u = system.jacobian(x, u, t)
    by_x = [np.imag(system.f(x + 1j * STEP * e, u, t)) / STEP for e in np.eye(12)]
    by_u = [np.imag(system.f(x, u + 1j * STEP * e, t)) / STEP for e in np.eye(2)]
    close(f_x, np.array(by_x).T)
    close(f_u, np.array(by_u).T)


def test_user_defined_derivatives_replace_complex_steps(state: State) -> None:
    """Derivatives of the wrench enter the Jacobian as they are."""
    theta, name = state.theta, state.convention
    rng = np.random.default_rng(1)
    G, H = rng.normal(size=(6, 12)), rng.normal(size=(6, 3))
    linear = {"wrench": lambda x, u, t: G @ x + H @ u}
    x, u = np.concatenate([state.q, state.q_dot]), rng.normal(size=3)
    computed = fb.StateForm(theta, name, **linear, derivatives=lambda x, u, t: (G, H)).jacobian(x, u)
    for a, b in zip(computed, fb.StateForm(theta, name, **linear).jacobian(x, u)):
        close(a, b, 1e-13)
    with pytest.raises(mbs.ModelError, match=r"\(6, 12\) and \(6, 3\) are needed"):
        fb.StateForm(theta, name, **linear, derivatives=lambda x, u, t: (H, G)).jacobian(x, u)


def norm_by_root(v: np.ndarray) -> np.ndarray:
    return np.sqrt(v @ v)


def quadratic_drag(convention: str, norm: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    """Return quadratic drag of the velocity and of the rotation, beside a weight and a control."""

    def drag(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        v, w = np.split(fb.twist(x[:6], x[6:], convention), 2)
        return np.concatenate([-0.8 * norm(v) * v, -0.1 * norm(w) * w]) + u[0] * np.array([1e3, 0, 0, 0, 0, 0])

    return drag


def test_quadratic_drag_needs_an_analytic_norm(state: State) -> None:
    """Its derivatives are right with sqrt(v.v); with numpy's norm, which complex steps differentiate wrongly, an error
    reports it.
    """
    name, u = state.convention, np.array([2.0])
    x = np.concatenate([state.q, state.q_dot])
    system = fb.StateForm(state.theta, name, quadratic_drag(name, norm_by_root))
    f_x = system.jacobian(x, u)[0]
    h = 1e-5  # h^2 of truncation, and eps/h times the thousands of the wrench
    by_x = [(system.f(x + h * e, u) - system.f(x - h * e, u)) / (2 * h) for e in np.eye(12)]
    close(f_x, np.array(by_x).T, 1e-6)
    system.jacobian(0 * x + np.array([0] * 4 + [1.0] + [0] * 7), u)  # at rest, where the norm is not differentiable
    for norm in (np.linalg.norm, lambda v: np.sqrt(np.sum(np.abs(v) ** 2)), lambda v: np.sqrt(np.vdot(v, v))):
        careless = fb.StateForm(state.theta, name, quadratic_drag(name, norm))
        close(careless.f(x, u), system.f(x, u), 1e-14)
        message = r"wrench 'drag'.* with respect to x\[\d+\] is .* complex step.*`derivatives`"
        with pytest.raises(mbs.ModelError, match=message):
            careless.jacobian(x, u)

    def exact_derivatives(x: np.ndarray, u: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        return system._wrench_derivatives(x, u, t)

    careless = fb.StateForm(state.theta, name, quadratic_drag(name, np.linalg.norm), exact_derivatives)
    close(careless.jacobian(x, u)[0], f_x, 1e-14)


@pytest.mark.parametrize("law", [np.tanh, np.exp, np.arctan, lambda s: s**3, np.sin, np.cos, lambda s: np.sqrt(s + 2)])
@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_steep_and_flat_laws_pass_the_check_of_derivatives(
    law: Callable[[np.ndarray], np.ndarray], scale: float
) -> None:
    """Smooth laws of any size and steepness pass the comparison with differences, beside a large constant too."""
    theta = fb.inertia_matrix(1.0, inertia=(1, 1, 1))
    unit, large = np.eye(6)[0], 1e4 * np.eye(6)[1]
    for value in (0.0, 1e-9, 1e-4, 0.3, 1.7):
        x = np.zeros(12)
        x[6] = value * scale
        body = fb.StateForm(theta, "ship", lambda x, u, t: law(x[6] / scale) * unit + large)
        slope = np.imag(law(value + 1j * STEP)) / STEP / scale
        assert body.jacobian(x)[0][6, 6] == pytest.approx(slope, rel=1e-12, abs=1e-12)


def programme(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a motion of place and angles away from gimbal lock in all conventions: q, q_dot, q_ddot."""
    rate = np.array([0.7, 1.1, 0.9, 0.5, 0.8, 1.2])
    size = np.array([0.5, 0.4, 0.6, 0.8, 0.3, 0.9])
    middle = np.array([0, 0, 0, 0.2, 0.8, -0.3])
    return (middle + size * np.sin(rate * t), size * rate * np.cos(rate * t), -size * rate**2 * np.sin(rate * t))


@pytest.mark.parametrize("convention", tiers(CONVENTIONS, usual=1))
def test_a_body_under_the_required_wrench_follows_its_programme(convention: str) -> None:
    """A small deviation follows dx_dot = A dx + B du.

    Half the difference of two runs that start on either side has no second order. The third is 1e-8 of a deviation that
    grows to 1e-4, and the runs' tolerance of 1e-12 is as much.
    """
    state = State(2, convention)
    system = fb.StateForm(state.theta, convention)

    def motion(t: float) -> np.ndarray:
        return np.concatenate(programme(t)[:2])

    def control(t: float) -> np.ndarray:
        return fb.required_wrench(state.theta, *programme(t), convention)

    times = np.linspace(0, 1, 5)
    for t in times:
        close(system.f(motion(t), control(t), t), np.concatenate(programme(t)[1:]))
    A, B = system.linearise(times, motion, control)
    assert A.shape == (5, 12, 12) and B.shape == (5, 12, 6)
    close(A[2], system.jacobian(motion(times[2]), control(times[2]))[0])
    rng = np.random.default_rng(4)
    start, push = 1e-5 * rng.normal(size=12), 1e-5 * rng.normal(size=6)

    def deviation(t: float, dx: np.ndarray) -> np.ndarray:
        A, B = system.linearise([t], motion, control)
        return A[0] @ dx + B[0] @ push

    def moved(sign: float) -> np.ndarray:
        def rates(t: float, x: np.ndarray) -> np.ndarray:
            return system.f(x, control(t) + sign * push, t)

        return solve_ivp(rates, (0, 1), motion(0) + sign * start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    linear = solve_ivp(deviation, (0, 1), start, method="DOP853", rtol=1e-8, atol=1e-14).y[:, -1]
    difference = (moved(1.0) - moved(-1.0)) / 2
    assert np.abs(difference).max() > 1e-5
    assert_close(linear, difference, 1e-6 * np.abs(difference).max(), "deviation at 1 s")


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_energy_and_momenta_are_conserved_over_a_run(convention: str) -> None:
    """Without forces, energy and both momenta are constant; under gravity, the total energy is.

    The bound of 1e-10 is the tolerance of the run, 1e-12, over some hundred steps.
    """
    state = State(6, convention)
    accuracy = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    x = np.concatenate(programme(0.0)[:2])

    def laws(x: np.ndarray) -> tuple[np.ndarray, float]:
        q, q_dot = np.split(x, 2)
        return fb.momentum(state.theta, q, q_dot, convention), fb.kinetic_energy(state.theta, q, q_dot, convention)

    for gravity in ((0.0, 0.0, 0.0), (1.0, 0.0, -9.81)):

        def wrench(x: np.ndarray, u: np.ndarray, t: float, gravity: tuple = gravity) -> np.ndarray:
            return fb.weight(state.theta, x[:6], convention, gravity)

        system = fb.StateForm(state.theta, convention, wrench)
        end = solve_ivp(lambda t, x: system.f(x, (), t), (0, 1.0), x, **accuracy).y[:, -1]
        height = [np.dot(gravity, y[:3] + fb.rotation(y[3:6], convention) @ state.com) * state.mass for y in (x, end)]
        assert laws(end)[1] - laws(x)[1] == pytest.approx(height[1] - height[0], abs=1e-10)
        if gravity[2] == 0.0:
            close(laws(end)[0], laws(x)[0], 1e-10)


def test_runs_agree_with_simulate() -> None:
    """Half a second of a thrown body agrees between the state form in ship angles and `simulate` with a quaternion."""
    state = State(4, "ship")
    q = np.array([0.0, 0.0, 0.0, 0.3, 0.1, -0.2])
    q_dot = np.array([1.0, 2.0, 3.0, 0.5, 0.4, 2.0])
    system = fb.StateForm(state.theta, "ship", lambda x, u, t: fb.weight(state.theta, x[:6], "ship"))
    run = solve_ivp(lambda t, x: system.f(x, (), t), (0, 0.5), [*q, *q_dot], method="DOP853", rtol=1e-12, atol=1e-13)
    m = mbs.Model("thrown")
    body = m.body("body", joint=mbs.Free(), mass=state.mass, com=state.com, inertia=state.inertia)
    m.output("place", mbs.position(body))
    m.output("x_axis", mbs.position(body, (1, 0, 0)) - mbs.position(body))
    m.start(body, q=(*q[:3], *quaternion(fb.rotation(q[3:], "ship"))), u=fb.twist(q, q_dot, "ship"))
    result = mbs.simulate(m, 0.5, rtol=1e-11)
    close(result["place"][-1], run.y[:3, -1], 1e-9)  # rtol of both runs over some hundred steps
    close(result["x_axis"][-1], fb.rotation(run.y[3:6, -1], "ship")[:, 0], 1e-9)
