"""Consistency of a motion: numerical comparison of its frame, columns and velocities.

A motion is checked when a model that contains it is first compiled. An inconsistent motion would make a mechanism gain
energy; the check reports it by name instead. The laws are tested once for each `structure`, since motions of equal
structure share the text of their formulas.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ...infrastructure.messages.failures import display
from ...record.blocks import LinkConstants
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression, leaf
from .degrees_of_freedom import check_degrees_of_freedom
from .motion import Motion, MotionContext, MotionError, check_units
from .trial import GENERIC, Trial, about, listed, own_constants, value_of

ROUNDING = 1e-9  #: relative to the largest number or one, after some dozen operations
GENERIC_ANGLE = 0.7  #: rad, no simple fraction of a turn
OTHER_AXIS = (0.48, 0.6, -0.64)  #: a second axis: formulas must not depend on its direction
MAX_CHECKED = 10_000  #: motions that are remembered
_checked: set[Hashable] = set()
_texts: dict[Hashable, Hashable] = {}  #: text of the formulas, by structure
_lawful: set[Hashable] = set()  #: structures whose laws hold for any constants


def check(motion: Motion) -> None:
    """Check that all formulas of a motion are consistent.

    Raises MotionError, which names the motion, the contradiction and the remedy.
    """
    if motion.expressions:  # columns of a user's formulas are their derivatives; CustomJoint has checked the formulas
        return
    key = value_of(motion)
    if key in _checked:
        return
    check_units(motion)
    _check_constants(motion)
    text = Trial(motion, 0).text()
    other = about(motion, OTHER_AXIS)
    if other is not motion and Trial(other, 0).text() != text:
        raise MotionError(
            f"motion {motion.name}: its formulas depend on its axis: use context.axis and context.along instead"
        )
    if _texts.setdefault(motion.structure, text) != text:
        raise MotionError(
            f"motion {motion.name}: its formulas differ from those of another motion of equal `structure`: put numbers "
            "that they read into `constants`, other fields on which they depend into `structure`"
        )
    if motion.structure not in _lawful:
        _check_laws(motion)
    for each in {motion, other}:
        check_degrees_of_freedom(each, ROUNDING)
    if len(_checked) >= MAX_CHECKED:
        for memory in (_checked, _texts, _lawful):
            memory.clear()
    _checked.add(key)


def _check_laws(motion: Motion) -> None:
    """Check the laws for generic constants; if they fail, for the motion's own, which may depend on each other as the
    components of a direction do."""
    _check_column_numbers(motion)
    try:
        _check_laws_at(motion, GENERIC)
    except MotionError:
        if not motion.constants:
            raise
        _check_laws_at(motion, own_constants(motion))
    else:
        _lawful.add(motion.structure)


def _check_laws_at(motion: Motion, constants: Sequence[float]) -> None:
    trials = [Trial(motion, axis, constants) for axis in (range(3) if motion.axis is not None else (0,))]
    for trial in trials:
        _check_columns(motion, trial)
        _check_column_rates(motion, trial)
        _check_rate_units(motion, trial)
        _check_velocities(motion, trial)
        _check_zero_position(motion, trial)
        if motion.spins:
            _check_spins(motion, trial)
        if motion.quaternion is not None:
            _check_quaternion_length(motion, trial, motion.quaternion)
    for trial in trials[1:]:
        _check_other_axis(motion, trials[0], trial)
    if motion.axis is not None:
        _check_symmetry(motion, trials[0])


# -- constants and columns ---------------------------------------------------------------------------------


def _check_constants(motion: Motion) -> None:
    most = len(LinkConstants.indices("own"))
    if len(motion.constants) > most:
        raise MotionError(f"motion {motion.name} has {len(motion.constants)} constants: at most {most}")
    for k, x in enumerate(motion.constants):
        if not isinstance(x, Expression):
            raise MotionError(f"motion {motion.name}: constant {k} is {display(x)}: write as_expression(x)")


def _check_column_numbers(motion: Motion) -> None:
    """Check that each column has the number of its velocity, and the prescribed velocity if there is one."""
    for driven in (False, True):
        context = MotionContext(motion, 0, driven, 0, 2, leaf)
        for place, column in enumerate(motion.columns(context)):
            if not isinstance(column, Column) or (column.prescribed is not None) != driven:
                raise MotionError(
                    f"motion {motion.name}: column {place + 1} must be made by context.linear, context.angular or "
                    "context.column"
                )
            if column.k != context.first_rate + place:
                raise MotionError(
                    f"motion {motion.name}: column {place + 1} has j = {column.k - context.first_rate}: columns are "
                    f"listed in the order of velocities, and j counts them from 0: give j = {place}"
                )
            if column.rate is not None and not motion.alone:
                raise MotionError(f"motion {motion.name} must set alone = True, since column {place + 1} has a rate")
            unit = "rad/s" if column.angular else "m/s"
            if motion.rate_units[place] != unit:
                raise MotionError(
                    f"motion {motion.name}: column {place + 1} is that of a velocity in {unit}, but rate_units has "
                    f'"{motion.rate_units[place]}"'
                )


# -- numerical laws ------------------------------------------------------------------------------------------


def _check_columns(motion: Motion, trial: Trial) -> None:
    """Check that the columns give the twist of the frame."""
    R, rates = trial.frame[:9].reshape(3, 3), trial.rates(trial.entries)
    turning = R.T @ rates[:9].reshape(3, 3)
    twist = [*(R.T @ rates[9:]), turning[2, 1], turning[0, 2], turning[1, 0]]
    by_columns = sum(u * trial.values(a.entries) for u, a in zip(trial.u, trial.twists, strict=True))
    if not _equal(by_columns, twist):
        raise MotionError(
            f"motion {motion.name}: its columns are not the twist of its frame: with velocities {listed(trial.u)} they "
            f"give (v, w) = {listed(by_columns)}, the frame has {listed(twist)}"
        )


def _check_column_rates(motion: Motion, trial: Trial) -> None:
    """Check that the rate of each column is its time derivative."""
    for k, (column, a) in enumerate(zip(trial.columns, trial.twists, strict=True)):
        rate = trial.values(trial.column_rate(column, trial.u))
        derivative = trial.rates(a.entries)
        if _equal(rate, derivative):
            continue
        if column.rate is None:
            raise MotionError(f"motion {motion.name}: column {k + 1} changes in the frame behind it: give its rate")
        raise MotionError(
            f"motion {motion.name}: the rate of column {k + 1} is not its time derivative: {listed(rate)} instead of "
            f"{listed(derivative)}"
        )


def _check_rate_units(motion: Motion, trial: Trial) -> None:
    """Check that a velocity that is the rate of a coordinate has that coordinate's unit per second."""
    if type(motion).coordinate_rates is Motion.coordinate_rates:
        return
    E = np.array([trial.values(trial.coordinate_rates(e)) for e in np.eye(len(trial.u))]).T
    for i, row in enumerate(E):
        j = int(np.argmax(row))
        rate = f"{motion.units[i]}/s"
        if np.array_equal(row, np.eye(len(trial.u))[j]) and motion.rate_units[j] != rate:
            raise MotionError(
                f'motion {motion.name}: velocity {j + 1} is the rate of coordinate {i + 1}: its unit is "{rate}", '
                f'not "{motion.rate_units[j]}"'
            )


def _check_velocities(motion: Motion, trial: Trial) -> None:
    """Check that `velocities` is the inverse of `coordinate_rates`, for quaternions of any length."""
    for length in (1.0, 2.0) if motion.quaternion is not None else (1.0,):
        scale = np.ones(len(trial.q))
        if motion.quaternion is not None:
            scale[motion.quaternion : motion.quaternion + 4] = length
        back = trial.values(trial.velocities(trial.q_dot * scale), trial.q * scale)
        if not _equal(back, trial.u):
            raise MotionError(
                f"motion {motion.name}: velocities() is not the inverse of coordinate_rates() at q = "
                f"{listed(trial.q * scale)}: {listed(back)} instead of {listed(trial.u)}"
            )


def _check_zero_position(motion: Motion, trial: Trial) -> None:
    """Check that both frames coincide at zero coordinates, with quaternions at (1, 0, 0, 0)."""
    zero = np.zeros(len(trial.q))
    if motion.quaternion is not None:
        zero[motion.quaternion] = 1.0
    frame = trial.values(trial.entries, zero)
    if not _equal(frame, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]):
        raise MotionError(
            f"motion {motion.name}: its frame must coincide with the one before it at zero coordinates (quaternions "
            f"(1, 0, 0, 0)), but its origin is {listed(frame[9:])} and its rotation, by rows, {listed(frame[:9])}"
        )


def _check_quaternion_length(motion: Motion, trial: Trial, first: int) -> None:
    """Check that the frame does not depend on the length of the quaternion."""
    longer = trial.q.copy()
    longer[first : first + 4] *= 2.0
    if not _equal(trial.values(trial.entries, longer), trial.frame):
        raise MotionError(
            f"motion {motion.name}: its frame must not depend on the length of its quaternion: use Rotation.quaternion"
        )


def _check_spins(motion: Motion, trial: Trial) -> None:
    """Check that the motion is a rotation about its axis only; constant rotations can then be merged with it."""
    if not _equal(_turn(trial.axis, trial.q[0]), trial.frame):
        raise MotionError(f"motion {motion.name} sets spins = True, but its frame is not a rotation about its axis")


def _check_other_axis(motion: Motion, first: Trial, trial: Trial) -> None:
    """Check that the motion is the same about another principal axis."""
    R, x = first.frame[:9].reshape(3, 3), first.frame[9:]
    turned = [*np.roll(R, (trial.axis, trial.axis), (0, 1)).ravel(), *np.roll(x, trial.axis)]
    if not _equal(turned, trial.frame):
        raise MotionError(
            f"motion {motion.name}: its frame does not follow its axis: use context.axis and context.along"
        )


def _check_symmetry(motion: Motion, trial: Trial) -> None:
    """Check that the motion is invariant under rotations about its axis, since links choose the axes across it."""
    T, R = _turn(trial.axis, GENERIC_ANGLE)[:9].reshape(3, 3), trial.frame[:9].reshape(3, 3)
    turned = [*(T @ R @ T.T).ravel(), *(T @ trial.frame[9:])]
    if not _equal(turned, trial.frame):
        raise MotionError(
            f"motion {motion.name}: its frame is not invariant under rotations about its axis: set axis = None, and "
            "keep its directions in `constants`"
        )


def _equal(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> bool:
    """True if numbers are equal up to rounding; a NaN equals nothing."""
    return bool(np.all(np.abs(np.asarray(a) - b) < ROUNDING * (1.0 + np.abs(b).max())))


def _turn(axis: int, angle: float) -> np.ndarray:
    """Return rotation, row by row, and origin (zero) of a rotation about a principal axis."""
    s, c = np.sin(angle), np.cos(angle)
    R = np.roll(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), (axis, axis), (0, 1))
    return np.concatenate([R.ravel(), np.zeros(3)])
