"""Whether what a motion says of itself agrees: its frame, columns and velocities, at some numbers.

A motion is checked once for each structure, when a model is first compiled that has it. What would otherwise be a
mechanism that gains energy is then an error with the motion's name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ...record.layout import LinkConstants, Load
from ...symbolic.columns import unit
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.graph import derivative, evaluate, leaves
from ...symbolic.vectors import ORIGIN, UNIT, Vector
from .motion import Here, Motion

ROUNDING = 1e-9  #: of numbers around one, after some dozen operations
_known: set[Hashable] = set()


def check(motion: Motion) -> None:
    """Compare frame, columns and velocities. Raises TypeError that names the motion and what disagrees."""
    if motion.structure in _known or motion.expressions:  # formulas are differentiated, and checked when they are told
        return
    if len(motion.constants) > len(LinkConstants.own):
        raise TypeError(f"motion {motion.name} has {len(motion.constants)} constants: at most {len(LinkConstants.own)}")
    axes = range(3) if motion.axis is not None else (0,)
    numbers = [_Numbers(motion, axis) for axis in axes]
    for at in numbers:
        _columns_follow(motion, at)
        _velocities_follow(motion, at)
        if motion.spins:
            _only_spins(motion, at)
    for at in numbers[1:]:
        if not np.allclose(_turned(numbers[0].frame, at.axis), at.frame, atol=ROUNDING):
            raise TypeError(f"motion {motion.name}: its frame does not go with its axis: use here.axis and here.along")
    _known.add(motion.structure)


class _Numbers:
    """A motion's formulas at random coordinates, velocities and constants."""

    def __init__(self, motion: Motion, axis: int):
        self.axis = axis
        self.here = Here(motion, axis, False, 0, 0, lambda k: leaf(Load("R", "constants", k, "c")))
        rng = np.random.default_rng(1)
        self.q = rng.normal(size=len(motion.units))
        self.u = rng.normal(size=len(motion.rate_units))
        if motion.quaternion is not None:
            k = motion.quaternion
            self.q[k : k + 4] /= np.linalg.norm(self.q[k : k + 4])
        speeds = Vector(self.u)
        self.q_dot = [self.value(x) for x in motion.coordinate_rates(self.here.q, speeds)]
        self.entries = _entries(motion, self.here)
        self.frame = np.array([self.value(x) for x in self.entries])

    def value(self, expression: Expression) -> float:
        return evaluate(expression, self._number)

    def _number(self, reference: object) -> float:
        assert isinstance(reference, Load)
        if reference.region == "sines":
            return float(np.sin(self.q[0]))
        if reference.region == "cosines":
            return float(np.cos(self.q[0]))
        return float(self.q[reference.offset]) if reference.region == "q" else 0.3 + 0.1 * reference.offset

    def rates(self, expressions: Sequence[Expression]) -> np.ndarray:
        """Their rates of change along the motion."""
        return np.array([self.value(x) for x in derivative(expressions, self._rate)])

    def _rate(self, reference: object) -> Expression:
        assert isinstance(reference, Load)
        if reference.region == "q":
            return as_expression(self.q_dot[reference.offset])
        if reference.region == "sines":
            return self.here.cosine * self.q_dot[0]
        return -self.here.sine * self.q_dot[0] if reference.region == "cosines" else as_expression(0.0)


def _entries(motion: Motion, here: Here) -> list[Expression]:
    """Rotation, row by row, and origin of the frame behind the motion."""
    rotation, origin = UNIT, ORIGIN
    for change in motion.frame(here):
        rotation, origin = change.pose(rotation, origin)
    entries = [*(x for row in rotation.rows for x in row), *origin]
    for x in leaves(entries):
        if x.region in ("sines", "cosines") and not motion.sines:
            raise TypeError(f"motion {motion.name} must say sines = True to use the sine of its coordinate")
    return entries


def _columns_follow(motion: Motion, at: _Numbers) -> None:
    """The twist of the frame is that of the columns, and their rates are those that they say."""
    columns = motion.columns(at.here)
    if len(columns) != len(motion.rate_units):
        raise TypeError(f"motion {motion.name} has {len(columns)} columns for {len(motion.rate_units)} velocities")
    R, rates = at.frame[:9].reshape(3, 3), at.rates(at.entries)
    turning = R.T @ rates[:9].reshape(3, 3)
    twist = [*(R.T @ rates[9:]), turning[2, 1], turning[0, 2], turning[1, 0]]
    units = [unit(column) for column in columns]
    said = sum(u * np.array([at.value(x) for x in a.entries]) for u, a in zip(at.u, units, strict=True))
    if not np.allclose(said, twist, atol=ROUNDING):
        raise TypeError(f"motion {motion.name}: its columns are not the twist of its frame: {said} for {twist}")
    speeds = [as_expression(float(u)) for u in at.u]
    for k, (column, a) in enumerate(zip(columns, units, strict=True)):
        told = column.rate(speeds) if column.rate is not None else None
        rate = np.zeros(6) if told is None else np.array([at.value(x) for x in told.entries])
        if not np.allclose(rate, at.rates(a.entries), atol=ROUNDING):
            raise TypeError(f"motion {motion.name}: column {k + 1} changes in the frame behind it: give its rate")


def _velocities_follow(motion: Motion, at: _Numbers) -> None:
    """u of q_dot of u is u."""
    back = [at.value(x) for x in motion.velocities(at.here.q, Vector(at.q_dot))]
    if not np.allclose(back, at.u, atol=ROUNDING):
        raise TypeError(f"motion {motion.name}: velocities() is not the inverse of coordinate_rates()")


def _only_spins(motion: Motion, at: _Numbers) -> None:
    """It turns about its axis by its coordinate and moves nothing else: rotations may go into that."""
    s, c = np.sin(at.q[0]), np.cos(at.q[0])
    turn = np.array([1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c, 0.0, 0.0, 0.0])
    if not np.allclose(_turned(turn, at.axis), at.frame, atol=ROUNDING):
        raise TypeError(f"motion {motion.name} says spins = True, but its frame is no turn about its axis")


def _turned(frame: np.ndarray, axis: int) -> np.ndarray:
    """A frame about axis x as it stands about another axis."""
    R, x = frame[:9].reshape(3, 3), frame[9:]
    return np.concatenate([np.roll(R, (axis, axis), (0, 1)).ravel(), np.roll(x, axis)])
