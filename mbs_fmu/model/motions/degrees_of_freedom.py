"""Check that the degrees of freedom of a motion reproduce its frame."""

from __future__ import annotations

import numpy as np

from ...symbolic.expressions import ZERO
from .motion import DegreeOfFreedom, Motion, MotionError
from .trial import Trial, at_quaternion, listed, own_numbers

GENTLE = (1.0, 0.3, -0.2, 0.4)  #: a quaternion whose angles Newton's method finds from zero
MOST_STEPS = 20


def check_degrees_of_freedom(motion: Motion, rounding: float) -> None:
    """Raise MotionError unless, for some angles and lengths, the motion's degrees of freedom, one after the other,
    give its frame."""
    degrees_of_freedom = motion.degrees_of_freedom
    if degrees_of_freedom is None:
        return
    if len(degrees_of_freedom) != len(motion.rate_units):
        raise MotionError(
            f"motion {motion.name} has {len(degrees_of_freedom)} degrees_of_freedom for {len(motion.rate_units)} "
            "velocities: give one for each"
        )
    pitch_expressions = [ZERO if freedom.pitch is None else freedom.pitch for freedom in degrees_of_freedom]
    constants, pitches = own_numbers(motion, pitch_expressions)
    generators = [_generator(freedom, pitch) for freedom, pitch in zip(degrees_of_freedom, pitches, strict=True)]
    trial = Trial(motion, 2 if motion.axis is not None else 0, constants)
    q = at_quaternion(motion, trial.q.copy(), GENTLE)
    target = _pose_about_axis(motion, trial.values(trial.entries, q))
    if any(freedom.joined for freedom in degrees_of_freedom):
        _check_joined(motion, degrees_of_freedom, target, rounding)
        return
    free = q if len(q) == len(degrees_of_freedom) else np.zeros(len(degrees_of_freedom))
    for _ in range(MOST_STEPS):
        missing, J = _missing(generators, free, target)
        if np.abs(missing - np.eye(4)).max() < rounding * (1.0 + np.abs(target[:3, 3]).max()):
            return
        turning = 0.5 * (missing - missing.T)
        error = [*missing[:3, 3], turning[2, 1], turning[0, 2], turning[1, 0]]
        free = free + np.linalg.lstsq(J, error, rcond=None)[0]
    raise MotionError(
        f"motion {motion.name}: its degrees_of_freedom, in this order, can't give its frame at q = {listed(q)}: list "
        "the rotations and translations of which it consists, or omit degrees_of_freedom"
    )


def _check_joined(
    motion: Motion, degrees_of_freedom: tuple[DegreeOfFreedom, ...], target: np.ndarray, rounding: float
) -> None:
    """Raise MotionError unless two rotations are one about an axis in their plane, without a displacement."""
    R = target[:3, :3]
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    one, other = (np.array(freedom.axis) for freedom in (degrees_of_freedom[0], degrees_of_freedom[-1]))
    error = abs(np.cross(one, other) @ turn) + np.abs(target[:3, 3]).max()
    if len(degrees_of_freedom) != 2 or not all(f.joined and f.angular for f in degrees_of_freedom) or error > rounding:
        raise MotionError(
            f"motion {motion.name}: its degrees_of_freedom are joined, but its frame is not that of one rotation about "
            "an axis in the plane of two: omit joined"
        )


def _pose_about_axis(motion: Motion, frame: np.ndarray) -> np.ndarray:
    """Return the 4x4 pose of the frame, computed about axis z, for the motion's own axis."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = frame[:9].reshape(3, 3), frame[9:]
    if motion.axis is None:
        return pose
    z = np.array(motion.axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    Q = np.eye(4)
    Q[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return Q @ pose @ Q.T


def _missing(generators: list[np.ndarray], free: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the 4x4 change from the frame that the degrees of freedom give to the target, and its twist by each."""
    behind, columns = np.eye(4), []
    for K, x in zip(generators[::-1], free[::-1], strict=True):
        moved = np.linalg.solve(behind, K @ behind)
        columns.append([*moved[:3, 3], moved[2, 1], moved[0, 2], moved[1, 0]])
        turning, advancing = K.copy(), np.zeros((4, 4))
        turning[:3, 3], advancing[:3, 3] = 0.0, K[:3, 3]
        behind = (np.eye(4) + np.sin(x) * turning + (1.0 - np.cos(x)) * turning @ turning + x * advancing) @ behind
    return np.linalg.solve(behind, target), np.array(columns[::-1]).T


def _generator(freedom: DegreeOfFreedom, pitch: float) -> np.ndarray:
    """Return the 4x4 generator of a rotation, with its advance along the axis, or of a translation."""
    K = np.zeros((4, 4))
    x, y, z = freedom.axis
    if freedom.angular:
        K[:3, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    K[:3, 3] = np.array(freedom.axis) * (pitch if freedom.angular else 1.0)
    return K
