"""Attitude of a body by three angles, in three conventions: rotation, axes, rates, gimbal lock."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from .checks import checked

ROTATION = 1e-6  #: largest deviation of C^T C from the unit matrix for a rotation, as for poses of models
LOCK = 1e-8  #: |det M0| below which angles count as locked: half of the digits of their rates would be lost


@dataclass(frozen=True)
class Convention:
    """Indices of the axes of three rotations, each about an axis of the frame that results from the previous ones."""

    name: str
    first: int
    second: int
    third: int

    @property
    def axes(self) -> tuple[int, int, int]:
        return self.first, self.second, self.third

    @property
    def text(self) -> str:
        return f"{self.name} angles ({'-'.join('xyz'[a] for a in self.axes)})"

    @property
    def locks_at(self) -> str:
        """Values of the second angle at which the first and third axes coincide, in words."""
        return "a multiple of pi" if self.first == self.third else "pi/2 plus a multiple of pi"


CONVENTIONS = {
    "euler": Convention("Euler", 2, 0, 2),
    "ship": Convention("ship", 2, 1, 0),
    "aircraft": Convention("aircraft", 1, 2, 0),
}  #: by the names that functions accept


def convention_of(name: str) -> Convention:
    """Return the convention of a name. Raises ModelError for an unknown name."""
    try:
        return CONVENTIONS[name]
    except (KeyError, TypeError):
        raise ModelError(f"no angle convention {name!r}: take one of {', '.join(CONVENTIONS)}") from None


def elementary_rotation(axis: int, angle: Any) -> np.ndarray:
    """Return C_i(a), (3, 3): the rotation by an angle (rad) about axis 0, 1 or 2."""
    s, c = np.sin(angle), np.cos(angle)
    b, d = (axis + 1) % 3, (axis + 2) % 3
    C = np.eye(3, dtype=np.result_type(s, float))
    C[b, b], C[b, d], C[d, b], C[d, d] = c, -s, s, c
    return C


@checked
def rotation(alpha: Any, convention: str) -> np.ndarray:
    """Return C, (3, 3): body to base coordinates, the product of three rotations (section 4 of the paper).

    alpha: angles, rad. convention: a name in CONVENTIONS. Raises ModelError for an unknown convention.
    """
    first, second, third = map(elementary_rotation, convention_of(convention).axes, alpha)
    C: np.ndarray = first @ second @ third
    return C


@checked
def axes_in_base(alpha: Any, convention: str) -> np.ndarray:
    """Return M0, (3, 3): its columns are the axes of the three rotations in base coordinates (2.3).

    The angular velocity in base axes is M0 alpha_dot. Each rotation moves the axes of those after it.
    """
    axes = convention_of(convention).axes
    first, second, _ = map(elementary_rotation, axes, alpha)
    unit = np.eye(3, dtype=first.dtype)
    return np.column_stack([unit[axes[0]], first[:, axes[1]], (first @ second)[:, axes[2]]])


@checked
def axes_in_body(alpha: Any, convention: str) -> np.ndarray:
    """Return M1 = C^T M0, (3, 3): the same axes in body coordinates.

    The angular velocity in body axes is M1 alpha_dot.
    """
    M1: np.ndarray = rotation(alpha, convention).T @ axes_in_base(alpha, convention)
    return M1


@checked
def axes_in_base_rate(alpha: Any, alpha_dot: Any, convention: str) -> np.ndarray:
    """Return dM0/dt, (3, 3) (2.5): each axis moves with the angular velocity of the rotations before it."""
    axes = axes_in_base(alpha, convention)
    moving = axes * np.asarray(alpha_dot)
    before = np.column_stack([0 * moving[:, 0], moving[:, 0], moving[:, 0] + moving[:, 1]])
    return np.cross(before, axes, axis=0)


@checked
def angle_rates(alpha: Any, omega: Any, convention: str) -> np.ndarray:
    """Return alpha_dot = M1^-1 omega, rad/s, for an angular velocity in body axes. Raises ModelError in gimbal lock."""
    check_lock(alpha, convention)
    return np.linalg.solve(axes_in_body(alpha, convention), omega)


def check_lock(alpha: Any, convention: str) -> None:
    """Raise ModelError if the first and third axes are (nearly) parallel, so that M0 and M1 have no inverse."""
    chosen = convention_of(convention)
    second = float(np.real(alpha[1]))
    if not abs(math.sin(second) if chosen.first == chosen.third else math.cos(second)) > LOCK:
        others = " or ".join(f'"{name}"' for name in CONVENTIONS if name != convention)
        raise ModelError(
            f"gimbal lock: the second of the {chosen.text} is {second!r} rad, and at {chosen.locks_at} the rates of "
            f"the angles do not follow from the motion: take another convention here, {others}, or a quaternion "
            "(mbs.Free)"
        )


@checked
def angles_from(C: Any, convention: str) -> np.ndarray:
    """Return the angles (rad) of a rotation matrix, body to base coordinates.

    The second angle is within 0..pi for Euler angles and within -pi/2..pi/2 for the others. Raises ModelError in gimbal
    lock, and if C is not a rotation.
    """
    chosen, C = convention_of(convention), np.real(C)
    if not (np.abs(C.T @ C - np.eye(3)).max() <= ROTATION and np.linalg.det(C) > 0):
        raise ModelError(
            f"C is {C.tolist()}, which is not a rotation: its columns must be orthonormal and right-handed"
        )
    i, j, k = chosen.axes
    if i == k:
        rest = 3 - i - j
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        alpha = [
            math.atan2(C[j, i], -sign * C[rest, i]),
            math.atan2(math.hypot(C[j, i], C[rest, i]), C[i, i]),
            math.atan2(C[i, j], sign * C[i, rest]),
        ]
    else:
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        alpha = [
            math.atan2(-sign * C[j, k], C[k, k]),
            math.atan2(sign * C[i, k], math.hypot(C[i, i], C[i, j])),
            math.atan2(-sign * C[i, j], C[i, i]),
        ]
    check_lock(alpha, convention)
    return np.array(alpha)
