"""The free body in matrix form: all forms are one, and agree with what else is known of a free body."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from mechanisms import Plain, random_inertia
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu import free_body as fb

CONVENTIONS = tuple(fb.CONVENTIONS)
STEP = 1e-30  #: of complex steps
AXES = {"euler": "zxz", "ship": "zyx", "aircraft": "yzx"}


def random_angles(rng: np.random.Generator, convention: str) -> np.ndarray:
    """Angles of any size whose second stays half a radian away from gimbal lock."""
    alpha = rng.uniform(-3, 3, size=3)
    alpha[1] = rng.choice([-1, 1]) * rng.uniform(0.5, 2.6) if convention == "euler" else rng.uniform(-1.07, 1.07)
    return alpha


class State:
    """A random body with a random state and wrench."""

    def __init__(self, seed: int, convention: str):
        rng = np.random.default_rng(seed)
        self.mass, self.com, self.inertia = 0.5 + rng.random(), 0.3 * rng.normal(size=3), random_inertia(rng)
        self.theta = fb.inertia_matrix(self.mass, self.inertia, self.com)
        self.q = np.concatenate([rng.normal(size=3), random_angles(rng, convention)])
        self.q_dot, self.wrench = rng.normal(size=6), rng.normal(size=6)
        self.convention = convention


@pytest.fixture(params=[(seed, name) for seed in range(8) for name in CONVENTIONS], ids=lambda p: f"{p[1]}-{p[0]}")
def state(request: pytest.FixtureRequest) -> State:
    return State(*request.param)


def close(a: np.ndarray, b: np.ndarray, digits: float = 1e-12) -> None:
    """Equal to `digits` of the larger one's size."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    assert np.abs(a - b).max() <= digits * max(1.0, np.abs(b).max())


# -- angles ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_matrices_of_the_angles(convention: str) -> None:
    """M0 and M1 as written out by hand, and their determinants, which vanish in gimbal lock alone."""
    (sa, sb, sc), (ca, cb, cc) = np.sin([0.3, 0.8, -1.2]), np.cos([0.3, 0.8, -1.2])
    M0, M1, det = {
        "euler": (
            [[0, ca, sa * sb], [0, sa, -ca * sb], [1, 0, cb]],
            [[sb * sc, cc, 0], [sb * cc, -sc, 0], [cb, 0, 1]],
            -sb,
        ),
        "ship": (
            [[0, -sa, ca * cb], [0, ca, sa * cb], [1, 0, -sb]],
            [[-sb, 0, 1], [cb * sc, cc, 0], [cb * cc, -sc, 0]],
            -cb,
        ),
        "aircraft": (
            [[0, sa, ca * cb], [1, 0, sb], [0, ca, -sa * cb]],
            [[sb, 0, 1], [cb * cc, sc, 0], [-cb * sc, cc, 0]],
            cb,
        ),
    }[convention]
    alpha = (0.3, 0.8, -1.2)
    close(fb.axes_in_base(alpha, convention), M0, 1e-15)
    close(fb.axes_in_body(alpha, convention), M1, 1e-15)
    assert abs(np.linalg.det(M0)) == pytest.approx(abs(det))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_rotation_is_that_of_three_hinges(convention: str) -> None:
    """C and the angular velocities are those of a joint of three turns in a model."""
    rng = np.random.default_rng(5)
    alpha, rates = random_angles(rng, convention), rng.normal(size=3)
    m = mbs.Model("hinges", gravity=(0, 0, 0))
    joint = mbs.Compound(*(mbs.turn(axis) for axis in AXES[convention]))
    body = m.body("body", joint=joint, mass=1.0, inertia=(0.1, 0.2, 0.25))
    m.output("x", mbs.position(body, (1, 0, 0)))
    m.output("y", mbs.position(body, (0, 1, 0)))
    m.output("z", mbs.position(body, (0, 0, 1)))
    m.output("omega", mbs.angular_velocity(body))
    m.start(body, q=alpha, u=rates)
    plain = Plain(m)
    plain.real.derive(plain.R)
    plain.real.outputs(plain.R)
    outputs = plain.get(plain.R, "outputs")
    C = fb.rotation(alpha, convention)
    close(C, outputs[:9].reshape(3, 3).T, 1e-14)
    close(fb.axes_in_base(alpha, convention) @ rates, outputs[9:12], 1e-14)


def test_rates_of_the_axes(state: State) -> None:
    """dM0/dt and the angular velocity are the derivatives of M0 and C by a complex step along the motion."""
    alpha, rates = state.q[3:], state.q_dot[3:]
    moved = alpha + 1j * STEP * rates
    close(fb.axes_in_base_rate(alpha, rates, state.convention),
          np.imag(fb.axes_in_base(moved, state.convention)) / STEP, 1e-14)  # fmt: skip
    C, C_dot = fb.rotation(alpha, state.convention), np.imag(fb.rotation(moved, state.convention)) / STEP
    close(C_dot @ C.T, fb.skew(fb.axes_in_base(alpha, state.convention) @ rates), 1e-14)
    close(C.T @ C_dot, fb.skew(fb.axes_in_body(alpha, state.convention) @ rates), 1e-14)
    omega = fb.axes_in_body(alpha, state.convention) @ rates
    close(fb.angle_rates(alpha, omega, state.convention), rates, 1e-14)


def test_angles_of_a_rotation(state: State) -> None:
    """The angles found for a rotation give it back."""
    C = fb.rotation(state.q[3:], state.convention)
    close(fb.rotation(fb.angles_from(C, state.convention), state.convention), C, 1e-14)


def test_twist_matrix_rate(state: State) -> None:
    """D K equals dD/dt when it acts on q_dot, as (2.5) says."""
    moved = fb.twist_matrix(state.q + 1j * STEP * state.q_dot, state.convention)
    close(fb.twist_matrix_rate(state.q, state.q_dot, state.convention) @ state.q_dot,
          np.imag(moved) / STEP @ state.q_dot, 1e-13)  # fmt: skip


# -- forms -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", fb.FORMS)
def test_every_form_gives_the_same(state: State, form: str) -> None:
    """All forms give one acceleration: to 1e-12, some 20 roundings of the condition of A."""
    arguments = state.theta, state.q, state.q_dot, state.wrench, state.convention
    close(fb.acceleration(*arguments, form), fb.acceleration(*arguments), 1e-12)


def test_matrices_as_printed(state: State) -> None:
    """The coefficients are those of the paper, with Phi^q = D^T Phi D^-T; with the printed one they would not be."""
    theta, q, q_dot, name = state.theta, state.q, state.q_dot, state.convention
    D = fb.twist_matrix(q, name)
    K = np.linalg.solve(D, fb.twist_matrix_rate(q, q_dot, name))
    omega = fb.axes_in_base(q[3:], name) @ q_dot[3:]
    M0, M0_dot = fb.axes_in_base(q[3:], name), fb.axes_in_base_rate(q[3:], q_dot[3:], name)
    zero = np.zeros((3, 3))
    close(K, np.block([[-fb.skew(omega), zero], [zero, np.linalg.solve(M0, M0_dot)]]))
    V = fb.twist(q, q_dot, name)
    Phi = fb.convective_matrix(V)
    A_1, Phi_1 = fb.explicit_form(theta, q, q_dot, name)
    close(A_1, theta @ D)
    close(Phi_1, K + np.linalg.solve(A_1, Phi @ A_1))
    close(fb.implicit_form(theta, q, q_dot, name)[1], A_1 @ K + Phi @ A_1)
    close(fb.quasi_convective_matrix(theta, V) @ theta, np.linalg.solve(theta, Phi @ theta) @ theta)
    A, Phi_q = fb.lagrange_explicit_form(theta, q, q_dot, name)
    B = fb.lagrange_form(theta, q, q_dot, name)[1]
    Phi_0q = D.T @ Phi @ np.linalg.inv(D.T)
    close(A, D.T @ theta @ D)
    close(Phi_q, K + np.linalg.solve(A, Phi_0q @ A))
    close(B, A @ K + Phi_0q @ A)
    printed = A @ K + D.T @ Phi @ D @ A
    assert np.abs(printed @ q_dot - B @ q_dot).max() > 1e-3


def test_christoffel_symbols(state: State) -> None:
    """(2.12): Phi_q q_dot is the sum of Christoffel's symbols of the second kind, from complex steps of A."""
    theta, q, q_dot, name = state.theta, state.q, state.q_dot, state.convention
    A, Phi_q = fb.lagrange_explicit_form(theta, q, q_dot, name)
    by_q = np.array([
        np.imag(fb.lagrange_form(theta, q + 1j * STEP * e, q_dot, name)[0]) / STEP for e in np.eye(6)
    ])  # fmt: skip
    first_kind = (np.einsum("jik->ijk", by_q) + np.einsum("kij->ijk", by_q) - np.einsum("ijk->ijk", by_q)) / 2
    close(np.linalg.solve(A, np.einsum("ijk,j,k->i", first_kind, q_dot, q_dot)), Phi_q @ q_dot)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_lagrange_equations_by_sympy(convention: str) -> None:
    """(2.11): d/dt dT/dq_dot - dT/dq, derived by sympy from T and the rotation alone, is A q_ddot + B q_dot."""
    state = State(3, convention)
    rng = np.random.default_rng(9)
    q_ddot = rng.normal(size=6)
    q, v, a = (sp.symbols(f"{letter}:6") for letter in "qva")

    def turn(axis: str, angle: sp.Symbol) -> sp.Matrix:
        b, d = ("xyz".index(axis) + 1) % 3, ("xyz".index(axis) + 2) % 3
        C = sp.eye(3)
        C[b, b], C[b, d], C[d, b], C[d, d] = sp.cos(angle), -sp.sin(angle), sp.sin(angle), sp.cos(angle)
        return C

    C = sp.prod([turn(axis, angle) for axis, angle in zip(AXES[convention], q[3:])], start=sp.eye(3))
    C_dot = sum((C.diff(q[k]) * v[k] for k in range(3, 6)), sp.zeros(3))
    spin = C.T * C_dot
    omega = sp.Matrix([spin[2, 1], spin[0, 2], spin[1, 0]])
    velocity = sp.Matrix(v[:3]) + C_dot * sp.Matrix(state.com)
    T = (state.mass * velocity.dot(velocity) + omega.dot(sp.Matrix(state.inertia) * omega)) / 2
    equations = []
    for k in range(6):
        p = T.diff(v[k])
        equations.append(sum(p.diff(q[j]) * v[j] + p.diff(v[j]) * a[j] for j in range(6)) - T.diff(q[k]))
    forces = sp.lambdify((q, v, a), equations, "numpy", cse=True)(state.q, state.q_dot, q_ddot)
    A, B = fb.lagrange_form(state.theta, state.q, state.q_dot, convention)
    close(A @ q_ddot + B @ state.q_dot, np.array(forces, dtype=float))


def test_agrees_with_the_kernels(state: State) -> None:
    """The kernels' free body, in Poisson impulses and a quaternion, has the same acceleration of its twist (1.8)."""
    name = state.convention
    V = fb.twist(state.q, state.q_dot, name)
    m = mbs.Model("free", gravity=(1.0, 2.0, -9.0))
    body = m.body("body", joint=mbs.Free(), mass=state.mass, com=state.com, inertia=state.inertia)
    m.force("wrench", on=body, force=tuple(state.wrench[:3]), torque=tuple(state.wrench[3:]), resolve_in="body")
    C = fb.rotation(state.q[3:], name)
    m.start(body, q=(*state.q[:3], *quaternion(C)), u=V)
    plain = Plain(m)
    p_dot = plain.rates()[7:13]
    wrench = state.wrench + fb.weight(state.theta, state.q, name, (1.0, 2.0, -9.0))
    close(np.linalg.solve(state.theta, p_dot), fb.quasi_acceleration(state.theta, V, wrench))
    q_ddot = fb.acceleration(state.theta, state.q, state.q_dot, wrench, name)
    V_dot = fb.twist_matrix(state.q, name) @ q_ddot + fb.twist_matrix_rate(state.q, state.q_dot, name) @ state.q_dot
    close(np.linalg.solve(state.theta, p_dot), V_dot)


def test_agrees_with_the_joint_of_the_same_angles(state: State) -> None:
    """The kernels' free joint with these angles has the coordinates q: its momenta are A q_dot, and change like it."""
    name = state.convention
    m = mbs.Model("free", gravity=(1.0, 2.0, -9.0))
    body = m.body("body", joint=mbs.Free(name), mass=state.mass, com=state.com, inertia=state.inertia)
    m.force("wrench", on=body, force=tuple(state.wrench[:3]), torque=tuple(state.wrench[3:]), resolve_in="body")
    m.start(body, q=state.q, u=state.q_dot)
    plain = Plain(m)
    p_dot = plain.rates()[6:12]
    wrench = state.wrench + fb.weight(state.theta, state.q, name, (1.0, 2.0, -9.0))
    q_ddot = fb.acceleration(state.theta, state.q, state.q_dot, wrench, name)
    q, q_dot = state.q + 1j * STEP * state.q_dot, state.q_dot + 1j * STEP * q_ddot
    momenta = fb.lagrange_form(state.theta, q, q_dot, name)[0] @ q_dot
    close(plain.get(plain.R, "p"), np.real(momenta))
    close(p_dot, np.imag(momenta) / STEP)


def quaternion(C: np.ndarray) -> np.ndarray:
    """The quaternion, w first, of a rotation: the eigenvector that Bar-Itzhack's matrix has for its largest value."""
    K = np.array([
        [np.trace(C), C[2, 1] - C[1, 2], C[0, 2] - C[2, 0], C[1, 0] - C[0, 1]],
        [0, C[0, 0] - C[1, 1] - C[2, 2], C[0, 1] + C[1, 0], C[0, 2] + C[2, 0]],
        [0, 0, C[1, 1] - C[0, 0] - C[2, 2], C[1, 2] + C[2, 1]],
        [0, 0, 0, C[2, 2] - C[0, 0] - C[1, 1]],
    ])  # fmt: skip
    return np.linalg.eigh(K, UPLO="U")[1][:, -1]


def test_rotation_alone(state: State) -> None:
    """(2.13) is the lower half of (2.7) where the origin is the centre of mass."""
    theta = fb.inertia_matrix(state.mass, inertia=state.inertia)
    whole = fb.acceleration(theta, state.q, state.q_dot, state.wrench, state.convention)
    alone = fb.rotation_acceleration(state.inertia, state.q[3:], state.q_dot[3:], state.wrench[3:], state.convention)
    close(alone, whole[3:])


def test_required_wrench_and_power(state: State) -> None:
    """The wrench of an acceleration gives it back; its power is dT/dt, also as Q q_dot; momentum changes by it."""
    theta, q, q_dot, name = state.theta, state.q, state.q_dot, state.convention
    q_ddot = fb.acceleration(theta, q, q_dot, state.wrench, name)
    close(fb.required_wrench(theta, q, q_dot, q_ddot, name), state.wrench)
    moved = q + 1j * STEP * q_dot, q_dot + 1j * STEP * q_ddot
    T_dot = np.imag(fb.kinetic_energy(theta, *moved, name)) / STEP
    assert T_dot == pytest.approx(state.wrench @ fb.twist(q, q_dot, name), abs=1e-12)
    assert T_dot == pytest.approx(fb.generalized_forces(q, state.wrench, name) @ q_dot, abs=1e-12)
    Z_dot = np.imag(fb.momentum(theta, *moved, name)) / STEP
    close(Z_dot, fb.shift_matrix(q, name) @ state.wrench)


# -- gimbal lock -------------------------------------------------------------------------------------

LOCKED = {"euler": np.pi, "ship": -np.pi / 2, "aircraft": np.pi / 2}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_gimbal_lock(convention: str) -> None:
    """What needs the inverse of M0 says so; what does not holds: the wrench of a motion through the lock."""
    state = State(1, convention)
    q = np.array([0.1, 0.2, 0.3, 0.4, LOCKED[convention], 0.6])
    for form in fb.FORMS:
        with pytest.raises(mbs.ModelError, match=f"gimbal lock.*{convention}.* angles.*multiple of pi.*mbs.Free"
                           if convention != "euler" else "gimbal lock.*Euler angles \\(z-x-z\\) is 3.14"):  # fmt: skip
            fb.acceleration(state.theta, q, state.q_dot, state.wrench, convention, form)
    for call in (
        lambda: fb.explicit_form(state.theta, q, state.q_dot, convention),
        lambda: fb.lagrange_explicit_form(state.theta, q, state.q_dot, convention),
        lambda: fb.rotation_acceleration(state.inertia, q[3:], state.q_dot[3:], state.wrench[3:], convention),
        lambda: fb.angle_rates(q[3:], (0, 0, 1), convention),
        lambda: fb.angles_from(fb.rotation(q[3:], convention), convention),
        lambda: fb.StateForm(state.theta, convention).jacobian(np.concatenate([q, state.q_dot]), state.wrench),
    ):
        with pytest.raises(mbs.ModelError, match="gimbal lock"):
            call()
    beside = q + np.array([0, 0, 0, 0, 1e-6, 0])
    q_ddot = np.arange(6.0)
    close(fb.required_wrench(state.theta, q, state.q_dot, q_ddot, convention),
          fb.required_wrench(state.theta, beside, state.q_dot, q_ddot, convention), 1e-4)  # fmt: skip


def test_errors() -> None:
    """What is wrong is named."""
    theta = fb.inertia_matrix(1.0, inertia=(1, 1, 1))
    with pytest.raises(mbs.ModelError, match="no angle convention 'zyx': take one of euler, ship, aircraft"):
        fb.rotation((0, 0, 0), "zyx")
    with pytest.raises(mbs.ModelError, match="no form 'kane': take one of quasi-velocities, explicit"):
        fb.acceleration(theta, np.zeros(6), np.zeros(6), np.zeros(6), "ship", "kane")
    with pytest.raises(mbs.ModelError, match="no rigid body that resists every motion"):
        fb.inertia_matrix(1.0, inertia=(1, 1, 0))
    with pytest.raises(mbs.ModelError, match="inertia has shape"):
        fb.inertia_matrix(1.0, inertia=(1, 1))
    with pytest.raises(mbs.ModelError, match=r"wrench has shape \(0,\), not \(6,\).*controls u are the wrench"):
        fb.StateForm(theta, "ship").f(np.zeros(12))
    with pytest.raises(mbs.ModelError, match="make the 6x6 inertia with inertia_matrix"):
        fb.StateForm(np.eye(3), "ship")
    hard = fb.StateForm(theta, "ship", wrench=lambda x, u, t: np.array([float(x[0]), 0, 0, 0, 0, 0]))
    with pytest.raises(mbs.ModelError, match="does not take complex numbers"):
        hard.jacobian(np.zeros(12))


@pytest.mark.parametrize(("call", "message"), [
    (lambda theta: fb.rotation([1, 2], "ship"), r"alpha has shape \(2,\), not \(3,\): give three angles"),
    (lambda theta: fb.rotation(None, "ship"), r"alpha is None, not made of numbers: give three angles"),
    (lambda theta: fb.acceleration(np.eye(3), *np.zeros((3, 6)), "ship"),
     r"theta has shape \(3, 3\), not \(6, 6\): make the 6x6 inertia with inertia_matrix"),
    (lambda theta: fb.acceleration(theta, *np.zeros((2, 6)), [0, 0, 1], "ship"),
     r"wrench has shape \(3,\), not \(6,\): give the force, then the moment"),
    (lambda theta: fb.acceleration(theta, np.zeros(6), q_dot=[[1], [2, 3]], wrench=np.zeros(6), convention="ship"),
     r"q_dot is \[\[1\], \[2, 3\]\], not made of numbers"),
    (lambda theta: fb.StateForm(theta, "ship").f(np.zeros(5), np.zeros(6)), r"x has shape \(5,\), not \(12,\)"),
    (lambda theta: fb.StateForm(theta, "ship").jacobian(np.zeros(13), np.zeros(6)), r"x has shape \(13,\)"),
    (lambda theta: fb.StateForm(theta, "ship").f(np.zeros(12), np.zeros((6, 1))), r"u has shape \(6, 1\), not \(6,\)"),
    (lambda theta: fb.StateForm("theta", "ship"), r"theta is 'theta', not made of numbers"),
    (lambda theta: fb.inertia_matrix(mass="a", inertia=(1, 1, 1)), r"mass is 'a', not made of numbers: give a number"),
    (lambda theta: fb.inertia_matrix(mass=1, inertia="a"), r"inertia is 'a', not made of numbers"),
    (lambda theta: fb.inertia_matrix(mass=1, inertia=(1, 1, np.nan)), r"inertia .*nan.* is not finite"),
    (lambda theta: fb.inertia_matrix(mass=1, inertia=(1, 1, 1), com=(0, 1)), r"com has shape \(2,\), not \(3,\)"),
    (lambda theta: fb.inertia_matrix(mass=1, inertia=(1, 1, 5)), r"no body has the principal moments 1, 1, 5 kg m2"),
    (lambda theta: fb.angles_from(np.ones((3, 3)), "ship"), r"C is \[\[1.0, .*which is no rotation"),
    (lambda theta: fb.angles_from(-np.eye(3), "ship"), r"which is no rotation: .* right-handed"),
    (lambda theta: fb.angles_from((0, 0, 0), "ship"), r"C has shape \(3,\), not \(3, 3\): give a rotation matrix"),
    (lambda theta: fb.rotation_acceleration((1, 1, 1), *np.eye(3), "ship"), r"inertia has shape \(3,\), not \(3, 3\)"),
    (lambda theta: fb.skew((1, 2)), r"x has shape \(2,\), not \(3,\)"),
])  # fmt: skip
def test_wrong_arguments(call: Callable[[np.ndarray], object], message: str) -> None:
    """Arguments of a wrong shape or kind are named, with what to give."""
    with pytest.raises(mbs.ModelError, match=message):
        call(fb.inertia_matrix(1.0, inertia=(1, 1, 1)))


# -- state form --------------------------------------------------------------------------------------


def thrust(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
    """A wrench of state, two controls and time."""
    F = np.array([np.sin(x[0]) * u[0], x[7] * x[10], u[1] * t, x[3] * x[4], np.cos(x[11]) - u[0] * u[1], x[5] + t])
    return F * 0.5


def test_jacobian(state: State) -> None:
    """The closed form of df/dx and df/du is the complex step of f."""
    system = fb.StateForm(state.theta, state.convention, thrust)
    x, u, t = np.concatenate([state.q, state.q_dot]), np.array([0.7, -1.3]), 0.4
    f_x, f_u = system.jacobian(x, u, t)
    by_x = [np.imag(system.f(x + 1j * STEP * e, u, t)) / STEP for e in np.eye(12)]
    by_u = [np.imag(system.f(x, u + 1j * STEP * e, t)) / STEP for e in np.eye(2)]
    close(f_x, np.array(by_x).T)
    close(f_u, np.array(by_u).T)


def test_given_derivatives(state: State) -> None:
    """Derivatives of the wrench that are given take the place of complex steps."""
    theta, name = state.theta, state.convention
    rng = np.random.default_rng(1)
    G, H = rng.normal(size=(6, 12)), rng.normal(size=(6, 3))
    linear = {"wrench": lambda x, u, t: G @ x + H @ u}
    x, u = np.concatenate([state.q, state.q_dot]), rng.normal(size=3)
    given = fb.StateForm(theta, name, **linear, derivatives=lambda x, u, t: (G, H)).jacobian(x, u)
    for a, b in zip(given, fb.StateForm(theta, name, **linear).jacobian(x, u)):
        close(a, b, 1e-13)
    with pytest.raises(mbs.ModelError, match=r"\(6, 12\) and \(6, 3\) are needed"):
        fb.StateForm(theta, name, **linear, derivatives=lambda x, u, t: (H, G)).jacobian(x, u)


def norm_by_root(v: np.ndarray) -> np.ndarray:
    return np.sqrt(v @ v)


def quadratic_drag(convention: str, norm: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    """Quadratic drag of the velocity and of the rotation, beside a weight and a control."""

    def drag(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        v, w = np.split(fb.twist(x[:6], x[6:], convention), 2)
        return np.concatenate([-0.8 * norm(v) * v, -0.1 * norm(w) * w]) + u[0] * np.array([1e3, 0, 0, 0, 0, 0])

    return drag


def test_quadratic_drag(state: State) -> None:
    """Its derivatives are right with sqrt(v.v); with numpy's norm, which complex steps get wrong, an error says so."""
    name, u = state.convention, np.array([2.0])
    x = np.concatenate([state.q, state.q_dot])
    system = fb.StateForm(state.theta, name, quadratic_drag(name, norm_by_root))
    f_x = system.jacobian(x, u)[0]
    h = 1e-5  # h^2 of truncation, and eps/h times the thousands of the wrench
    by_x = [(system.f(x + h * e, u) - system.f(x - h * e, u)) / (2 * h) for e in np.eye(12)]
    close(f_x, np.array(by_x).T, 1e-6)
    system.jacobian(0 * x + np.array([0] * 4 + [1.0] + [0] * 7), u)  # at rest, where the norm has a kink
    for norm in (np.linalg.norm, lambda v: np.sqrt(np.sum(np.abs(v) ** 2)), lambda v: np.sqrt(np.vdot(v, v))):
        careless = fb.StateForm(state.theta, name, quadratic_drag(name, norm))
        assert np.allclose(careless.f(x, u), system.f(x, u), rtol=1e-14)
        with pytest.raises(mbs.ModelError, match=r"wrench 'drag'.* by x\[\d+\] is .* complex step.*`derivatives`"):
            careless.jacobian(x, u)

    def given(x: np.ndarray, u: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        return system._wrench_derivatives(x, u, t)

    careless = fb.StateForm(state.theta, name, quadratic_drag(name, np.linalg.norm), given)
    close(careless.jacobian(x, u)[0], f_x, 1e-14)


@pytest.mark.parametrize("law", [np.tanh, np.exp, np.arctan, lambda s: s**3, np.sin, np.cos, lambda s: np.sqrt(s + 2)])
@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_steep_and_flat_laws_are_no_errors(law: Callable[[np.ndarray], np.ndarray], scale: float) -> None:
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
    """A motion of place and angles away from gimbal lock in all conventions: q, q_dot, q_ddot."""
    rate = np.array([0.7, 1.1, 0.9, 0.5, 0.8, 1.2])
    size = np.array([0.5, 0.4, 0.6, 0.8, 0.3, 0.9])
    middle = np.array([0, 0, 0, 0.2, 0.8, -0.3])
    return (middle + size * np.sin(rate * t), size * rate * np.cos(rate * t), -size * rate**2 * np.sin(rate * t))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_programme_motion(convention: str) -> None:
    """Under the required wrench the body follows the programme, and a small deviation follows dx_dot = A dx + B du.

    Half the difference of two runs that start on either side has no second order. The third is 1e-8 of a deviation
    that grows to 1e-4, and the runs' tolerance of 1e-12 is as much.
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
    assert np.abs(linear - difference).max() < 1e-6 * np.abs(difference).max()


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_laws_over_a_run(convention: str) -> None:
    """Without forces energy and both momenta stay; under gravity the energy with that in gravity does.

    To 1e-10: the tolerance of the run, 1e-12, over some hundred steps.
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


def test_runs_like_simulate() -> None:
    """Half a second of a thrown body, by the state form in ship angles and by `simulate` with a quaternion."""
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
