"""Consistency of a motion: its frame, columns and velocities are compared at some numbers.

A motion is checked when a model is first compiled that has it. What would otherwise be a mechanism that gains energy
is then an error with the motion's name. Laws are tried once for each structure, since equal ones have the same text.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ...messages.failures import display
from ...record.layout import LinkConstants
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression, leaf
from .degrees_of_freedom import freedoms_fit
from .motion import Motion, MotionContext, MotionError, check_units
from .trial import GENERIC, Trial, about, own_constants, told, value_of

ROUNDING = 1e-9  #: relative to the largest number or one, after some dozen operations
ODD = 0.7  #: an angle, rad, that is no part of a turn
OTHER_AXIS = (0.48, 0.6, -0.64)  #: no formula may go by the direction of the axis
MOST_MET = 10_000  #: motions that are remembered
_met: set[Hashable] = set()
_texts: dict[Hashable, Hashable] = {}  #: of structures
_lawful: set[Hashable] = set()  #: structures that hold for any constants


def check(motion: Motion) -> None:
    """Compare all its formulas. Raises MotionError that names the motion, what disagrees, and what to do."""
    if motion.expressions:  # formulas are differentiated, and checked when they are told
        return
    key = value_of(motion)
    if key in _met:
        return
    check_units(motion)
    _constants_fit(motion)
    text = Trial(motion, 0).text()
    other = about(motion, OTHER_AXIS)
    if other is not motion and Trial(other, 0).text() != text:
        raise MotionError(f"motion {motion.name}: its formulas go by its axis: let them go by here.axis and here.along")
    if _texts.setdefault(motion.structure, text) != text:
        raise MotionError(
            f"motion {motion.name}: its formulas are not those of another motion of equal `structure`: numbers that "
            "they read go into `constants`, what else they go by into `structure`"
        )
    if motion.structure not in _lawful:
        _laws(motion)
    for each in {motion, other}:
        freedoms_fit(each, ROUNDING)
    if len(_met) >= MOST_MET:
        for known in (_met, _texts, _lawful):
            known.clear()
    _met.add(key)


def _laws(motion: Motion) -> None:
    """At any constants, or else at its own, which may have to go together as the numbers of a direction do."""
    _columns_are_numbered(motion)
    try:
        _hold(motion, GENERIC)
    except MotionError:
        if not motion.constants:
            raise
        _hold(motion, own_constants(motion))
    else:
        _lawful.add(motion.structure)


def _hold(motion: Motion, constants: Sequence[float]) -> None:
    trials = [Trial(motion, axis, constants) for axis in (range(3) if motion.axis is not None else (0,))]
    for at in trials:
        _columns_follow(motion, at)
        _column_rates_follow(motion, at)
        _rates_have_units(motion, at)
        _velocities_follow(motion, at)
        _begins_at_rest(motion, at)
        if motion.spins:
            _only_spins(motion, at)
        if motion.quaternion is not None:
            _goes_by_direction(motion, at, motion.quaternion)
    for at in trials[1:]:
        _goes_with_axis(motion, trials[0], at)
    if motion.axis is not None:
        _same_all_around(motion, trials[0])


# -- what is said of the list ------------------------------------------------------------------------------


def _constants_fit(motion: Motion) -> None:
    room = len(LinkConstants.own)
    if len(motion.constants) > room:
        raise MotionError(f"motion {motion.name} has {len(motion.constants)} constants: at most {room}")
    for k, x in enumerate(motion.constants):
        if not isinstance(x, Expression):
            raise MotionError(f"motion {motion.name}: constant {k} is {display(x)}: write as_expression(x)")


def _columns_are_numbered(motion: Motion) -> None:
    """Each column has the number of its velocity, and knows where that is given."""
    for driven in (False, True):
        here = MotionContext(motion, 0, driven, 0, 2, leaf)
        for place, column in enumerate(motion.columns(here)):
            if not isinstance(column, Column) or (column.given is not None) != driven:
                raise MotionError(
                    f"motion {motion.name}: column {place + 1} must be made by here.linear, here.angular or here.column"
                )
            if column.k != here.first_rate + place:
                raise MotionError(
                    f"motion {motion.name}: column {place + 1} has j = {column.k - here.first_rate}: columns are "
                    f"listed in the order of velocities, and j counts them from 0: give j = {place}"
                )
            if column.rate is not None and not motion.alone:
                raise MotionError(f"motion {motion.name} must say alone = True, since column {place + 1} has a rate")
            unit = "rad/s" if column.angular else "m/s"
            if motion.rate_units[place] != unit:
                raise MotionError(
                    f"motion {motion.name}: column {place + 1} is that of a velocity in {unit}, but rate_units say "
                    f'"{motion.rate_units[place]}"'
                )


# -- laws at numbers -----------------------------------------------------------------------------------------


def _columns_follow(motion: Motion, at: Trial) -> None:
    """The twist of the frame is that of the columns."""
    R, rates = at.frame[:9].reshape(3, 3), at.rates(at.entries)
    turning = R.T @ rates[:9].reshape(3, 3)
    twist = [*(R.T @ rates[9:]), turning[2, 1], turning[0, 2], turning[1, 0]]
    said = sum(u * at.values(a.entries) for u, a in zip(at.u, at.twists, strict=True))
    if not _equal(said, twist):
        raise MotionError(
            f"motion {motion.name}: its columns are not the twist of its frame: with velocities {told(at.u)} they give "
            f"(v, w) = {told(said)}, the frame has {told(twist)}"
        )


def _column_rates_follow(motion: Motion, at: Trial) -> None:
    for k, (column, a) in enumerate(zip(at.columns, at.twists, strict=True)):
        rate = at.values(at.column_rate(column, at.u))
        found = at.rates(a.entries)
        if _equal(rate, found):
            continue
        if column.rate is None:
            raise MotionError(f"motion {motion.name}: column {k + 1} changes in the frame behind it: give its rate")
        raise MotionError(
            f"motion {motion.name}: the rate of column {k + 1} is not how it changes: {told(rate)} for {told(found)}"
        )


def _rates_have_units(motion: Motion, at: Trial) -> None:
    """A velocity that is the rate of a coordinate is in that unit per second."""
    if type(motion).coordinate_rates is Motion.coordinate_rates:
        return
    E = np.array([at.values(at.coordinate_rates(e)) for e in np.eye(len(at.u))]).T
    for i, row in enumerate(E):
        j = int(np.argmax(row))
        rate = f"{motion.units[i]}/s"
        if np.array_equal(row, np.eye(len(at.u))[j]) and motion.rate_units[j] != rate:
            raise MotionError(
                f'motion {motion.name}: velocity {j + 1} is the rate of coordinate {i + 1}: its unit is "{rate}", '
                f'not "{motion.rate_units[j]}"'
            )


def _velocities_follow(motion: Motion, at: Trial) -> None:
    """u of q_dot of u is u, whatever length a quaternion has."""
    for length in (1.0, 2.0) if motion.quaternion is not None else (1.0,):
        scale = np.ones(len(at.q))
        if motion.quaternion is not None:
            scale[motion.quaternion : motion.quaternion + 4] = length
        back = at.values(at.velocities(at.q_dot * scale), at.q * scale)
        if not _equal(back, at.u):
            raise MotionError(
                f"motion {motion.name}: velocities() is not the inverse of coordinate_rates() at q = "
                f"{told(at.q * scale)}: {told(back)} for {told(at.u)}"
            )


def _begins_at_rest(motion: Motion, at: Trial) -> None:
    """At zero coordinates, quaternions at (1, 0, 0, 0), both frames coincide."""
    zero = np.zeros(len(at.q))
    if motion.quaternion is not None:
        zero[motion.quaternion] = 1.0
    frame = at.values(at.entries, zero)
    if not _equal(frame, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]):
        raise MotionError(
            f"motion {motion.name}: its frame must be the one before it where coordinates are zero (quaternions "
            f"(1, 0, 0, 0)), but stands at {told(frame[9:])}, rotated by the rows {told(frame[:9])}"
        )


def _goes_by_direction(motion: Motion, at: Trial, first: int) -> None:
    """A quaternion of any length is one rotation."""
    longer = at.q.copy()
    longer[first : first + 4] *= 2.0
    if not _equal(at.values(at.entries, longer), at.frame):
        raise MotionError(
            f"motion {motion.name}: its frame must not go by the length of its quaternion: use Rotation.quaternion"
        )


def _only_spins(motion: Motion, at: Trial) -> None:
    """It turns about its axis by its coordinate and moves nothing else: rotations may go into that."""
    if not _equal(_turn(at.axis, at.q[0]), at.frame):
        raise MotionError(f"motion {motion.name} says spins = True, but its frame is no turn about its axis")


def _goes_with_axis(motion: Motion, first: Trial, at: Trial) -> None:
    """About another principal axis it is the same motion."""
    R, x = first.frame[:9].reshape(3, 3), first.frame[9:]
    turned = [*np.roll(R, (at.axis, at.axis), (0, 1)).ravel(), *np.roll(x, at.axis)]
    if not _equal(turned, at.frame):
        raise MotionError(f"motion {motion.name}: its frame does not go with its axis: use here.axis and here.along")


def _same_all_around(motion: Motion, at: Trial) -> None:
    """However all is turned about the axis, it is the same motion: links choose the axes across it."""
    T, R = _turn(at.axis, ODD)[:9].reshape(3, 3), at.frame[:9].reshape(3, 3)
    turned = [*(T @ R @ T.T).ravel(), *(T @ at.frame[9:])]
    if not _equal(turned, at.frame):
        raise MotionError(
            f"motion {motion.name}: its frame is not the same however it is turned about its axis: give axis = None, "
            "and keep its directions in `constants`"
        )


def _equal(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> bool:
    """Up to rounding; what is no number equals none."""
    return bool(np.all(np.abs(np.asarray(a) - b) < ROUNDING * (1.0 + np.abs(b).max())))


def _turn(axis: int, angle: float) -> np.ndarray:
    """Rows and origin of a rotation about a principal axis."""
    s, c = np.sin(angle), np.cos(angle)
    R = np.roll(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), (axis, axis), (0, 1))
    return np.concatenate([R.ravel(), np.zeros(3)])
