"""The free body in matrix form: all forms are equivalent, and agree with independent results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import mbs_fmu as mbs
from mbs_fmu.analysis import free_body as fb
from support.cases import tiers
from support.generators.free_bodies import CONVENTIONS, State, close, quaternion, random_angles
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import STEP

AXES = {"euler": "zxz", "ship": "zyx", "aircraft": "yzx"}


# -- angles ------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_matrices_of_the_angles_are_those_by_hand(convention: str) -> None:
    """M0 and M1 are written out by hand; their determinants vanish in gimbal lock alone."""
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


@pytest.mark.quick
def test_rates_of_the_axes_equal_complex_steps(state: State) -> None:
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


@pytest.mark.quick
def test_angles_of_a_rotation_reproduce_it(state: State) -> None:
    """The angles found for a rotation give it back."""
    C = fb.rotation(state.q[3:], state.convention)
    close(fb.rotation(fb.angles_from(C, state.convention), state.convention), C, 1e-14)


@pytest.mark.quick
def test_the_rate_of_the_twist_matrix_equals_d_times_k(state: State) -> None:
    """D K equals dD/dt applied to q_dot (2.5)."""
    moved = fb.twist_matrix(state.q + 1j * STEP * state.q_dot, state.convention)
    close(fb.twist_matrix_rate(state.q, state.q_dot, state.convention) @ state.q_dot,
          np.imag(moved) / STEP @ state.q_dot, 1e-13)  # fmt: skip


# -- sliding vectors ---------------------------------------------------------------------------------


@pytest.mark.quick
def test_a_sliding_vector_has_one_pair_of_coordinates(state: State) -> None:
    """S (x; x) (1.1) is x and its moment, is the same for all points of the line, and L maps it to the base (1.2)."""
    rng = np.random.default_rng(7)
    x, point = rng.normal(size=3), rng.normal(size=3)
    both = np.concatenate([x, x])
    coordinates = fb.sliding_vector_matrix(point) @ both
    close(coordinates, np.concatenate([x, np.cross(point, x)]), 1e-15)
    close(fb.sliding_vector_matrix(point - 1.7 * x) @ both, coordinates, 1e-14)
    assert (
        np.abs(fb.sliding_vector_matrix(point + np.array([0, 0, 1])) @ both - coordinates).max() > 0.1
    )  # another line
    C = fb.rotation(state.q[3:], state.convention)
    moved = fb.sliding_vector_matrix(state.q[:3] + C @ point) @ np.concatenate([C @ x, C @ x])
    close(fb.shift_matrix(state.q, state.convention) @ coordinates, moved, 1e-14)


@pytest.mark.quick
def test_weight_is_a_sliding_vector_through_the_centre_of_mass(state: State) -> None:
    """(1.12) with the transpose of C; the printed C gives another wrench."""
    C, gravity = fb.rotation(state.q[3:], state.convention), np.array([1.0, 2.0, -9.0])
    S = fb.sliding_vector_matrix(state.com)
    weight = fb.weight(state.theta, state.q, state.convention, gravity)
    close(S @ np.tile(C.T @ gravity, 2) * state.mass, weight, 1e-14)
    assert np.abs(S @ np.tile(C @ gravity, 2) * state.mass - weight).max() > 1e-3


@pytest.mark.quick
@pytest.mark.parametrize("point", [(1.0, 2.0), "abc", np.eye(3)])
def test_points_of_lines_are_checked(point: object) -> None:
    with pytest.raises(mbs.ModelError, match=r"^point .*: give a point of the line"):
        fb.sliding_vector_matrix(point)


# -- forms -------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("form", fb.FORMS)
def test_all_forms_give_the_same_acceleration(state: State, form: str) -> None:
    """They agree to 1e-12, some 20 roundings times the condition of A."""
    arguments = state.theta, state.q, state.q_dot, state.wrench, state.convention
    close(fb.acceleration(*arguments, form), fb.acceleration(*arguments), 1e-12)


def test_coefficients_are_those_of_the_paper(state: State) -> None:
    """They hold with Phi^q = D^T Phi D^-T, and would not with the printed formula."""
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


def test_phi_q_is_the_sum_of_christoffel_symbols(state: State) -> None:
    """(2.12): Phi_q q_dot is the sum of Christoffel's symbols of the second kind, from complex steps of A."""
    theta, q, q_dot, name = state.theta, state.q, state.q_dot, state.convention
    A, Phi_q = fb.lagrange_explicit_form(theta, q, q_dot, name)
    by_q = np.array([
        np.imag(fb.lagrange_form(theta, q + 1j * STEP * e, q_dot, name)[0]) / STEP for e in np.eye(6)
    ])  # fmt: skip
    first_kind = (np.einsum("jik->ijk", by_q) + np.einsum("kij->ijk", by_q) - np.einsum("ijk->ijk", by_q)) / 2
    close(np.linalg.solve(A, np.einsum("ijk,j,k->i", first_kind, q_dot, q_dot)), Phi_q @ q_dot)


@pytest.mark.parametrize("convention", tiers(CONVENTIONS, usual=1))
def test_equations_equal_lagrange_equations_by_sympy(convention: str) -> None:
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


def test_accelerations_agree_with_the_kernels(state: State) -> None:
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


def test_momenta_agree_with_the_joint_of_the_same_angles(state: State) -> None:
    """The kernels' free joint with these angles has the coordinates q: its momenta are A q_dot, and have the same
    rates.
    """
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


def test_rotational_equations_are_the_lower_half(state: State) -> None:
    """(2.13) is the lower half of (2.7) if the origin is the centre of mass."""
    theta = fb.inertia_matrix(state.mass, inertia=state.inertia)
    whole = fb.acceleration(theta, state.q, state.q_dot, state.wrench, state.convention)
    alone = fb.rotation_acceleration(state.inertia, state.q[3:], state.q_dot[3:], state.wrench[3:], state.convention)
    close(alone, whole[3:])


def test_required_wrench_and_power(state: State) -> None:
    """The wrench of an acceleration reproduces it; its power is dT/dt, also as Q q_dot; it is the
    rate of the momentum.
    """
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
def test_only_forms_with_the_inverse_of_m0_fail_in_gimbal_lock(convention: str) -> None:
    """Forms that need the inverse of M0 raise an error; the wrench of a motion through gimbal lock is correct."""
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


def test_invalid_bodies_and_states_are_refused() -> None:
    """Messages name the mistake."""
    theta = fb.inertia_matrix(1.0, inertia=(1, 1, 1))
    with pytest.raises(mbs.ModelError, match="no angle convention 'zyx': take one of euler, ship, aircraft"):
        fb.rotation((0, 0, 0), "zyx")
    with pytest.raises(mbs.ModelError, match="no form 'kane': take one of quasi-velocities, explicit"):
        fb.acceleration(theta, np.zeros(6), np.zeros(6), np.zeros(6), "ship", "kane")
    with pytest.raises(mbs.ModelError, match="not a rigid body that resists every motion"):
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
    (lambda theta: fb.angles_from(np.ones((3, 3)), "ship"), r"C is \[\[1.0, .*which is not a rotation"),
    (lambda theta: fb.angles_from(-np.eye(3), "ship"), r"which is not a rotation: .* right-handed"),
    (lambda theta: fb.angles_from((0, 0, 0), "ship"), r"C has shape \(3,\), not \(3, 3\): give a rotation matrix"),
    (lambda theta: fb.rotation_acceleration((1, 1, 1), *np.eye(3), "ship"), r"inertia has shape \(3,\), not \(3, 3\)"),
    (lambda theta: fb.skew((1, 2)), r"x has shape \(2,\), not \(3,\)"),
])  # fmt: skip
def test_arguments_of_wrong_shape_or_kind_are_refused(call: Callable[[np.ndarray], object], message: str) -> None:
    """Messages name the argument and the remedy."""
    with pytest.raises(mbs.ModelError, match=message):
        call(fb.inertia_matrix(1.0, inertia=(1, 1, 1)))


# -- state form --------------------------------------------------------------------------------------
