"""The equations of motion of the free body in matrix form.

All forms consist of two 6x6 matrices: D, which maps q_dot to the twist, and D_dot as it acts on q_dot. Forms with D^-1
are not evaluated in gimbal lock; (1.8), (2.8) and (2.10) do not contain it and hold there too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from .angles import axes_in_base, axes_in_base_rate, axes_in_body, check_lock, rotation
from .checks import checked, numeric, sized

TRIANGLE = 1e-9  #: tolerance of the triangle inequality, relative to the largest principal moment


def skew(x: Any) -> np.ndarray:
    """Return x~, (3, 3): skew(x) @ y is the cross product of x and y."""
    x = sized(x, (3,), "x", "give a vector of three numbers")
    zero = 0 * x[0]
    return np.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]])


def diagonal(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the block diagonal matrix (6, 6) of two matrices (3, 3)."""
    zero = np.zeros((3, 3))
    return np.block([[first, zero], [zero, second]])


# -- inertia, twist, momentum ------------------------------------------------------------------------


@checked
def inertia_matrix(mass: Any, inertia: Any, com: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Return Theta, (6, 6) (1.6): inertia about the body's origin, in body axes.

    mass: kg. inertia: about the centre of mass, kg m2, a matrix (3, 3) or three principal moments. com: centre of mass,
    m. Raises ModelError if a motion would have no inertia, since Theta must have an inverse, and for moments that no
    body can have.
    """
    mass = sized(mass, (), "mass", "give a number, kg")[()]
    J = numeric(inertia, "inertia", "give a 3x3 matrix or three principal moments")
    if J.shape not in ((3,), (3, 3)):
        raise ModelError(f"inertia has shape {J.shape}: give a 3x3 matrix or three principal moments")
    J = np.diag(J) if J.ndim == 1 else J
    r = skew(com)
    theta = np.block([[mass * np.eye(3), -mass * r], [mass * r, J - mass * r @ r]])
    if not np.all(np.isfinite(theta)):
        raise ModelError(f"mass {mass}, inertia {J.tolist()} or com {np.asarray(com).tolist()} is not finite")
    least, middle, largest = np.linalg.eigvalsh(np.real(J))
    if not (np.real(mass) > 0 and np.abs(J - J.T).max() <= 1e-12 * largest and least > 1e-12 * largest):
        raise ModelError(
            f"mass {mass} with inertia {J.tolist()} is not a rigid body that resists every motion: "
            "give a positive mass and a symmetric inertia with three positive principal moments"
        )
    if least + middle < (1 - TRIANGLE) * largest:
        raise ModelError(
            f"no body has the principal moments {least:.6g}, {middle:.6g}, {largest:.6g} kg m2: "
            "each must be at most the sum of the other two (is the inertia about the centre of mass?)"
        )
    return theta


@checked
def convective_matrix(V: Any) -> np.ndarray:
    """Return Phi, (6, 6) (1.9), for a twist V in body axes: [[omega~, 0], [v~, omega~]]. It is Omega of (P4)."""
    v, omega = skew(V[:3]), skew(V[3:])
    return np.block([[omega, np.zeros((3, 3))], [v, omega]])


@checked
def twist_matrix(q: Any, convention: str) -> np.ndarray:
    """Return D, (6, 6) (2.2): the twist in body axes is D q_dot. D = diag(C^T, M1), M1 = C^T M0."""
    return diagonal(rotation(q[3:], convention).T, axes_in_body(q[3:], convention))


@checked
def twist_matrix_rate(q: Any, q_dot: Any, convention: str) -> np.ndarray:
    """Return D K, (6, 6) (2.5): diag(-C^T omega~, C^T M0_dot), with omega in base axes.

    Its product with q_dot equals that of dD/dt; products with other vectors differ, since the term with omega~ omega is
    omitted.
    """
    C = rotation(q[3:], convention)
    omega = axes_in_base(q[3:], convention) @ q_dot[3:]
    return diagonal(-C.T @ skew(omega), C.T @ axes_in_base_rate(q[3:], q_dot[3:], convention))


@checked
def twist(q: Any, q_dot: Any, convention: str) -> np.ndarray:
    """Return V = (v; omega): velocity of the body's origin (m/s) and angular velocity (rad/s), in body axes."""
    V: np.ndarray = twist_matrix(q, convention) @ q_dot
    return V


@checked
def shift_matrix(q: Any, convention: str) -> np.ndarray:
    """Return L, (6, 6) (1.2): maps a wrench or momentum from the body (axes and origin) to the base (1.5)."""
    C = rotation(q[3:], convention)
    return np.block([[C, np.zeros((3, 3))], [skew(q[:3]) @ C, C]])


@checked
def sliding_vector_matrix(point: Any) -> np.ndarray:
    """Return S, (6, 6) (1.1): S (x; x) are the coordinates (x; point × x) of a sliding vector. S = diag(I, point~).

    A sliding vector is a vector x with the line along which it acts, such as a force (N, then N m about the origin).
    point: any point of the line, m, relative to the origin and in the axes in which x is given.
    """
    return diagonal(np.eye(3), skew(point))


@checked
def momentum(theta: Any, q: Any, q_dot: Any, convention: str) -> np.ndarray:
    """Return Z, 6 numbers (1.5): momentum and angular momentum about the base's origin, in base axes.

    It is constant if no forces act.
    """
    Z: np.ndarray = shift_matrix(q, convention) @ theta @ twist(q, q_dot, convention)
    return Z


@checked
def kinetic_energy(theta: Any, q: Any, q_dot: Any, convention: str) -> Any:
    """Return the kinetic energy T = V^T Theta V / 2, J."""
    V = twist(q, q_dot, convention)
    return V @ theta @ V / 2


@checked
def weight(theta: Any, q: Any, convention: str, gravity: Any = (0.0, 0.0, -9.81)) -> np.ndarray:
    """Return the wrench of gravity, 6 numbers (1.12), in body axes about the body's origin.

    gravity: acceleration in base axes, m/s2.
    """
    g = rotation(q[3:], convention).T @ gravity
    return np.concatenate([theta[:3, :3] @ g, theta[3:, :3] @ g])


@checked
def generalized_forces(q: Any, wrench: Any, convention: str) -> np.ndarray:
    """Return the generalized forces Q = D^T F along q, 6 numbers, for a wrench in body axes."""
    Q: np.ndarray = twist_matrix(q, convention).T @ wrench
    return Q


# -- the forms ---------------------------------------------------------------------------------------


@checked
def quasi_acceleration(theta: Any, V: Any, wrench: Any) -> np.ndarray:
    """Return V_dot from Theta V_dot + Phi Theta V = F (1.8), the equations of Newton and Euler about any point."""
    return np.linalg.solve(theta, wrench - convective_matrix(V) @ theta @ V)


@checked
def quasi_convective_matrix(theta: Any, V: Any) -> np.ndarray:
    """Return Phi_pi = Theta^-1 Phi Theta, (6, 6), of the form V_dot + Phi_pi V = Theta^-1 F (1.11)."""
    return np.linalg.solve(theta, convective_matrix(V) @ theta)


@checked
def implicit_form(theta: Any, q: Any, q_dot: Any, convention: str) -> tuple[np.ndarray, np.ndarray]:
    """Return A_1, B_1, (6, 6), of A_1 q_ddot + B_1 q_dot = F (2.8), with the wrench F in body axes.

    A_1 = Theta D, B_1 = Theta D K + Phi Theta D.
    """
    D = twist_matrix(q, convention)
    A_1 = theta @ D
    B_1 = theta @ twist_matrix_rate(q, q_dot, convention) + convective_matrix(D @ q_dot) @ A_1
    return A_1, B_1


@checked
def explicit_form(theta: Any, q: Any, q_dot: Any, convention: str) -> tuple[np.ndarray, np.ndarray]:
    """Return A_1, Phi_1, (6, 6), of q_ddot + Phi_1 q_dot = A_1^-1 F (2.7). Raises ModelError in gimbal lock.

    Phi_1 = K + A_1^-1 Phi A_1.
    """
    check_lock(q[3:], convention)
    A_1, B_1 = implicit_form(theta, q, q_dot, convention)
    return A_1, np.linalg.solve(A_1, B_1)


@checked
def lagrange_form(theta: Any, q: Any, q_dot: Any, convention: str) -> tuple[np.ndarray, np.ndarray]:
    """Return A, B, (6, 6), of A q_ddot + B q_dot = Q (2.10): Lagrange's equations of the second kind, Q = D^T F.

    A = D^T Theta D is the matrix of kinetic energy, T = q_dot^T A q_dot / 2, and B = A K + Phi^q A with
    Phi^q = D^T Phi D^-T (the paper prints D^T Phi D). B equals D^T B_1, which needs no inverse.
    """
    A_1, B_1 = implicit_form(theta, q, q_dot, convention)
    D = twist_matrix(q, convention)
    return D.T @ A_1, D.T @ B_1


@checked
def lagrange_explicit_form(theta: Any, q: Any, q_dot: Any, convention: str) -> tuple[np.ndarray, np.ndarray]:
    """Return A, Phi_q, (6, 6), of q_ddot + Phi_q q_dot = A^-1 Q (2.9). Raises ModelError in gimbal lock.

    Phi_q = K + A^-1 Phi^q A. Component s of Phi_q q_dot is the sum over i, j of Christoffel's symbols of the second
    kind {s, ij} with q_dot_i q_dot_j (2.12).
    """
    check_lock(q[3:], convention)
    A, B = lagrange_form(theta, q, q_dot, convention)
    return A, np.linalg.solve(A, B)


@checked
def rotation_acceleration(inertia: Any, alpha: Any, alpha_dot: Any, moment: Any, convention: str) -> np.ndarray:
    """Return alpha_ddot, rad/s2, of the rotation (2.13) about the centre of mass or a fixed point.

    inertia: (3, 3), about that point, kg m2. moment: about it, N m. Both are in body axes. Raises ModelError in gimbal
    lock.
    """
    inertia = sized(inertia, (3, 3), "inertia", "give a 3x3 matrix, about the centre of mass or the fixed point")
    check_lock(alpha, convention)
    M1 = axes_in_body(alpha, convention)
    omega = M1 @ alpha_dot
    drift = rotation(alpha, convention).T @ axes_in_base_rate(alpha, alpha_dot, convention) @ alpha_dot
    return np.linalg.solve(M1, np.linalg.solve(inertia, moment - np.cross(omega, inertia @ omega)) - drift)


@checked
def required_wrench(theta: Any, q: Any, q_dot: Any, q_ddot: Any, convention: str) -> np.ndarray:
    """Return the wrench F in body axes that a motion requires, 6 numbers, by (2.8). It exists in gimbal lock too."""
    A_1, B_1 = implicit_form(theta, q, q_dot, convention)
    F: np.ndarray = A_1 @ q_ddot + B_1 @ q_dot
    return F


@checked
def acceleration(
    theta: Any, q: Any, q_dot: Any, wrench: Any, convention: str, form: str = "quasi-velocities"
) -> np.ndarray:
    """Return q_ddot, 6 numbers, for a wrench in body axes.

    form: a name in FORMS; all forms give the same result. Raises ModelError in gimbal lock.
    """
    if form not in FORMS:
        raise ModelError(f"no form {form!r}: take one of {', '.join(FORMS)}")
    check_lock(q[3:], convention)
    return FORMS[form](theta, q, q_dot, wrench, convention)


def _by_quasi_velocities(theta: Any, q: Any, q_dot: Any, wrench: Any, convention: str) -> np.ndarray:
    """Return q_ddot by (1.8), then V_dot = D q_ddot + D_dot q_dot (2.4)."""
    D = twist_matrix(q, convention)
    V_dot = quasi_acceleration(theta, D @ q_dot, wrench)
    return np.linalg.solve(D, V_dot - twist_matrix_rate(q, q_dot, convention) @ q_dot)


def _by_explicit(theta: Any, q: Any, q_dot: Any, wrench: Any, convention: str) -> np.ndarray:
    A_1, Phi_1 = explicit_form(theta, q, q_dot, convention)
    out: np.ndarray = np.linalg.solve(A_1, wrench) - Phi_1 @ q_dot
    return out


def _by_implicit(theta: Any, q: Any, q_dot: Any, wrench: Any, convention: str) -> np.ndarray:
    A_1, B_1 = implicit_form(theta, q, q_dot, convention)
    return np.linalg.solve(A_1, wrench - B_1 @ q_dot)


def _by_lagrange_explicit(theta: Any, q: Any, q_dot: Any, wrench: Any, convention: str) -> np.ndarray:
    A, Phi_q = lagrange_explicit_form(theta, q, q_dot, convention)
    out: np.ndarray = np.linalg.solve(A, generalized_forces(q, wrench, convention)) - Phi_q @ q_dot
    return out


def _by_lagrange(theta: Any, q: Any, q_dot: Any, wrench: Any, convention: str) -> np.ndarray:
    A, B = lagrange_form(theta, q, q_dot, convention)
    return np.linalg.solve(A, generalized_forces(q, wrench, convention) - B @ q_dot)


FORMS: dict[str, Callable[..., np.ndarray]] = {
    "quasi-velocities": _by_quasi_velocities,  # (1.8), (2.4)
    "explicit": _by_explicit,  # (2.7)
    "implicit": _by_implicit,  # (2.8)
    "lagrange-explicit": _by_lagrange_explicit,  # (2.9)
    "lagrange": _by_lagrange,  # (2.10)
}  #: functions that return q_ddot by each form
