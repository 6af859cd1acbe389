"""The state form x_dot = f(x, u, t), its exact Jacobian, and its linearisation about a nominal motion."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from .angles import axes_in_body, convention_of, rotation
from .checks import numeric, sized
from .forms import acceleration, convective_matrix, diagonal, skew, twist_matrix

Wrench = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
Derivatives = Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray]]
STEP = 1e-30  #: complex step; it can be arbitrarily small, since no nearly equal numbers are subtracted
REAL_STEP = float(np.cbrt(np.finfo(float).eps))  #: step of differences for arguments of size one, least total error
RESOLVED = 0.01  #: largest relative error of a difference that counts
MARGIN = 10.0  #: largest deviation of a complex step from the difference, in errors of the difference
LOST = 1e4  #: loss of accuracy by cancellation in a wrench's formulas, in unit round-offs


def control_is_wrench(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
    """Return the controls as the wrench, for a body whose six controls are the wrench itself."""
    return u


@dataclass(frozen=True)
class StateForm:
    """State form x_dot = f(x, u, t) (3.2) of a free body, x = (q; q_dot), 12 numbers.

    theta: inertia (6, 6), see `inertia_matrix`. convention: of the angles in q. wrench: function (x, u, t) that returns
    the wrench on the body, in body axes about its origin, 6 numbers; by default the controls u are the wrench.
    derivatives: function (x, u, t) that returns the derivatives of the wrench with respect to x, (6, 12), and to u, (6,
    m). By default they come from complex steps, for which `wrench` must accept complex arrays and be analytic: without
    abs, sign, norm or conj of quantities that depend on x and u, without float() and comparisons. Write np.sqrt(v @ v)
    for the norm of v. `jacobian` compares complex steps with differences of the wrench for real numbers at each state,
    and raises ModelError if they contradict each other.

    All methods raise ModelError in gimbal lock.
    """

    theta: np.ndarray
    convention: str
    wrench: Wrench = control_is_wrench
    derivatives: Derivatives | None = None

    def __post_init__(self) -> None:
        convention_of(self.convention)
        sized(self.theta, (6, 6), "theta", "make the 6x6 inertia with inertia_matrix")

    def f(self, x: Any, u: Any = (), t: float = 0.0) -> np.ndarray:
        """Return x_dot = (q_dot; q_ddot), 12 numbers, with q_ddot by (2.7)."""
        x, u = _state(x), _controls(u)
        q, q_dot = x[:6], x[6:]
        wrench = self._wrench(x, u, t)
        return np.concatenate([q_dot, acceleration(self.theta, q, q_dot, wrench, self.convention)])

    def jacobian(self, x: Any, u: Any = (), t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return df/dx (12, 12) and df/du (12, m), in closed form.

        They follow from D q_ddot + D_dot q_dot = V_dot(V, F), differentiated with respect to each coordinate and each
        rate.
        """
        x, u = np.real(_state(x)), np.real(_controls(u))
        q, q_dot = x[:6], x[6:]
        q_ddot = self.f(x, u, t)[6:]
        D = twist_matrix(q, self.convention)
        V = D @ q_dot
        V_dot_by_V = np.linalg.solve(self.theta, -_convective_derivative(self.theta, V))
        right = np.zeros((6, 12))
        right[:, 6:] = V_dot_by_V @ D - _drift_by_rates(q, q_dot, self.convention)
        by_angles = _twist_matrix_by_angles(q, self.convention)
        drift_by_angles = _drift_by_angles(q, q_dot, self.convention)
        for k in range(3):
            right[:, 3 + k] = V_dot_by_V @ by_angles[k] @ q_dot - by_angles[k] @ q_ddot - drift_by_angles[:, k]
        F_x, F_u = self._wrench_derivatives(x, u, t)
        upper = np.hstack([np.zeros((6, 6)), np.eye(6)])
        f_x = np.vstack([upper, np.linalg.solve(D, right + np.linalg.solve(self.theta, F_x))])
        f_u = np.vstack([np.zeros((6, F_u.shape[1])), np.linalg.solve(D, np.linalg.solve(self.theta, F_u))])
        return f_x, f_u

    def linearise(
        self, times: Any, motion: Callable[[float], Any], control: Callable[[float], Any] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return A(t), B(t) of dx_dot = A dx + B du about a nominal motion x = motion(t), u = control(t), at the times.

        The shapes are (times, 12, 12) and (times, 12, m). The motion and the control must be consistent: motion'(t) =
        f(motion(t), control(t), t); `required_wrench` returns the wrench for a motion.
        """
        pairs = [self.jacobian(motion(t), () if control is None else control(t), t) for t in times]
        return np.array([A for A, _ in pairs]), np.array([B for _, B in pairs])

    def _wrench(self, x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        wrench = np.asarray(self.wrench(x, u, t))
        if wrench.shape != (6,):
            hint = "; without `wrench` the six controls u are the wrench" if self.wrench is control_is_wrench else ""
            raise ModelError(f"{self._name} has shape {wrench.shape}, not (6,): force, then moment{hint}")
        return wrench

    def _wrench_derivatives(self, x: np.ndarray, u: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        if self.derivatives is not None:
            F_x, F_u = map(np.asarray, self.derivatives(x, u, t))
            if F_x.shape != (6, 12) or F_u.shape != (6, len(u)):
                raise ModelError(f"derivatives of the wrench have shapes {F_x.shape}, {F_u.shape}: "
                                 f"(6, 12) and (6, {len(u)}) are needed")  # fmt: skip
            return F_x, F_u
        columns = [self._derivative(x, u, t, k) for k in range(12 + len(u))]
        return np.array(columns[:12]).T, np.array(columns[12:]).reshape(len(u), 6).T

    def _derivative(self, x: np.ndarray, u: np.ndarray, t: float, k: int) -> np.ndarray:
        """Return the derivative of the wrench with respect to component k of (x; u), (6,).

        Raises ModelError if differences contradict it.
        """
        unit = np.eye(12 + len(u))[k]
        dx, du = unit[:12], unit[12:]
        exact = self._complex_step(x + 1j * STEP * dx, u + 1j * STEP * du, t)
        if self.wrench is control_is_wrench:
            return exact
        h = REAL_STEP * max(1.0, abs(np.concatenate([x, u])[k]))
        with np.errstate(all="ignore"):  # nan beyond the wrench's domain contradicts nothing
            near, far = (
                [self._wrench(x + sign * step * dx, u + sign * step * du, t) for sign in (1, -1)] for step in (h, 2 * h)
            )
            rounding = LOST * np.finfo(float).eps * np.abs([*near, *far]).max() / h
            difference, coarse = (near[0] - near[1]) / (2 * h), (far[0] - far[1]) / (4 * h)
            own = np.abs(difference - coarse)
            resolved = own <= RESOLVED * np.abs(difference) + rounding
            wrong = resolved & (np.abs(exact - difference) > MARGIN * (own + rounding))
        if wrong.any():
            i = int(np.argmax(wrong))
            variable = f"x[{k}]" if k < 12 else f"u[{k - 12}]"
            raise ModelError(
                f"{self._name}: the derivative of its component {i} with respect to {variable} is {exact[i]:.6g} by a "
                f"complex step, but {difference[i]:.6g} by differences of real numbers: write it without abs, sign, "
                "norm, conj, .real (np.sqrt(v @ v) is the norm of v), or, as where it has a kink, give its "
                "`derivatives`"
            )
        return exact

    @property
    def _name(self) -> str:
        named = "" if self.wrench is control_is_wrench else f" {getattr(self.wrench, '__name__', self.wrench)!r}"
        return f"the wrench{named}"

    def _complex_step(self, x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                return np.imag(self._wrench(x, u, t)) / STEP
        except (TypeError, np.exceptions.ComplexWarning) as error:
            raise ModelError(
                f"{self._name} does not take complex numbers ({error}): write it with numpy's functions, "
                "or pass `derivatives=`"
            ) from None


def _state(x: Any) -> np.ndarray:
    return sized(x, (12,), "x", "give the state (q; q_dot): position, three angles, and the rates of both")


def _controls(u: Any) -> np.ndarray:
    remedy = "give the controls as a row of numbers"
    u = numeric(u, "u", remedy)
    return sized(u, (u.size,), "u", remedy)


def _convective_derivative(theta: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Derivative of Phi(V) Theta V with respect to V, (6, 6)."""
    f, n = np.split(theta @ V, 2)
    crossed = np.block([[np.zeros((3, 3)), skew(f)], [skew(f), skew(n)]])
    out: np.ndarray = convective_matrix(V) @ theta - crossed
    return out


def _twist_matrix_by_angles(q: np.ndarray, convention: str) -> list[np.ndarray]:
    """Derivatives of D with respect to the three angles, (6, 6) each.

    A rotation about the body's axis n_k changes the body components of base vectors by - n_k x. In the base, it does
    not move its own axis and those of the rotations before it; it moves the axes of those after it.
    """
    Ct, n = rotation(q[3:], convention).T, axes_in_body(q[3:], convention)
    return [
        diagonal(-skew(n[:, k]) @ Ct, np.column_stack([np.cross(n[:, j], n[:, k]) * (j < k) for j in range(3)]))
        for k in range(3)
    ]


def _drift_by_rates(q: np.ndarray, q_dot: np.ndarray, convention: str) -> np.ndarray:
    """Derivative of D_dot q_dot with respect to q_dot, (6, 6): D_dot q_dot = sum of (dD/da_k) q_dot a_dot_k."""
    by_angles = _twist_matrix_by_angles(q, convention)
    out: np.ndarray = np.einsum("k,kij->ij", q_dot[3:], by_angles)
    for k in range(3):
        out[:, 3 + k] += by_angles[k] @ q_dot
    return out


def _drift_by_angles(q: np.ndarray, q_dot: np.ndarray, convention: str) -> np.ndarray:
    """Derivative of D_dot q_dot = (- omega x v; sum over j < k of a_dot_j a_dot_k n_j x n_k) by the angles, (6, 3)."""
    n = axes_in_body(q[3:], convention)
    by_angles = _twist_matrix_by_angles(q, convention)
    v, omega = np.split(twist_matrix(q, convention) @ q_dot, 2)
    columns = []
    for matrix in by_angles:
        v_k, omega_k = np.split(matrix @ q_dot, 2)
        m = matrix[3:, 3:]
        turned = sum(
            q_dot[3 + i] * q_dot[3 + j] * (np.cross(m[:, i], n[:, j]) + np.cross(n[:, i], m[:, j]))
            for i in range(3)
            for j in range(i + 1, 3)
        )
        columns.append(np.concatenate([-np.cross(omega_k, v) - np.cross(omega, v_k), turned]))
    return np.column_stack(columns)
