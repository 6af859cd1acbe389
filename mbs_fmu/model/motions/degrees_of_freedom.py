"""Check that a motion's frame is made of the turns, slides and screws that it leaves free."""

from __future__ import annotations

import numpy as np

from ...symbolic.expressions import ZERO
from .motion import DegreeOfFreedom, Motion, MotionError
from .trial import Trial, at_quaternion, own_numbers, told

GENTLE = (1.0, 0.3, -0.2, 0.4)  #: a quaternion from which angles are found by Newton's method
MOST_STEPS = 20


def freedoms_fit(motion: Motion, rounding: float) -> None:
    """There are angles and lengths at which its freedoms, one after the other, give its frame. Raises MotionError."""
    degrees_of_freedom = motion.degrees_of_freedom
    if degrees_of_freedom is None:
        return
    if len(degrees_of_freedom) != len(motion.rate_units):
        raise MotionError(
            f"motion {motion.name} has {len(degrees_of_freedom)} freedoms for {len(motion.rate_units)} velocities"
        )
    told_pitches = [ZERO if freedom.pitch is None else freedom.pitch for freedom in degrees_of_freedom]
    constants, pitches = own_numbers(motion, told_pitches)
    generators = [_generator(freedom, pitch) for freedom, pitch in zip(degrees_of_freedom, pitches, strict=True)]
    at = Trial(motion, 2 if motion.axis is not None else 0, constants)
    q = at_quaternion(motion, at.q.copy(), GENTLE)
    wanted = _standing(motion, at.values(at.entries, q))
    free = q if len(q) == len(degrees_of_freedom) else np.zeros(len(degrees_of_freedom))
    for _ in range(MOST_STEPS):
        missing, J = _missing(generators, free, wanted)
        if np.abs(missing - np.eye(4)).max() < rounding * (1.0 + np.abs(wanted[:3, 3]).max()):
            return
        turning = 0.5 * (missing - missing.T)
        error = [*missing[:3, 3], turning[2, 1], turning[0, 2], turning[1, 0]]
        free = free + np.linalg.lstsq(J, error, rcond=None)[0]
    raise MotionError(
        f"motion {motion.name}: its freedoms, in this order, can't give its frame at q = {told(q)}: say the turns and "
        "slides that it is made of, or leave `freedoms` out where it isn't"
    )


def _standing(motion: Motion, frame: np.ndarray) -> np.ndarray:
    """The pose of a frame about axis z as it stands about the motion's own axis."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = frame[:9].reshape(3, 3), frame[9:]
    if motion.axis is None:
        return out
    z = np.array(motion.axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    Q = np.eye(4)
    Q[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return Q @ out @ Q.T


def _missing(generators: list[np.ndarray], free: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The change from the frame that the freedoms give to the one that is wanted, and its twist by each of them."""
    behind, columns = np.eye(4), []
    for K, x in zip(generators[::-1], free[::-1], strict=True):
        moved = np.linalg.solve(behind, K @ behind)
        columns.append([*moved[:3, 3], moved[2, 1], moved[0, 2], moved[1, 0]])
        turning, advancing = K.copy(), np.zeros((4, 4))
        turning[:3, 3], advancing[:3, 3] = 0.0, K[:3, 3]
        behind = (np.eye(4) + np.sin(x) * turning + (1.0 - np.cos(x)) * turning @ turning + x * advancing) @ behind
    return np.linalg.solve(behind, wanted), np.array(columns[::-1]).T


def _generator(freedom: DegreeOfFreedom, pitch: float) -> np.ndarray:
    """Of a turn, which may advance along its axis, or of a slide, as a 4x4 matrix."""
    K = np.zeros((4, 4))
    x, y, z = freedom.axis
    if freedom.angular:
        K[:3, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    K[:3, 3] = np.array(freedom.axis) * (pitch if freedom.angular else 1.0)
    return K
