"""A motion's formulas, and their numbers at random coordinates, velocities and constants."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from ...messages.failures import display
from ...record.layout import LinkConstants, Load
from ...symbolic.columns import Column, unit
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.graph import derivative, evaluate, evaluate_all, leaves, topological
from ...symbolic.vectors import ORIGIN, UNIT, Vector
from .motion import Axis, Motion, MotionContext, MotionError

GENERIC = tuple(0.3 + 0.1 * k for k in range(len(LinkConstants.own)))  #: constants that no formula is made for
READ = ("q", "sines", "cosines", "constants")  #: regions that formulas may read


def told(numbers: Iterable[float]) -> str:
    """Numbers in a message."""
    return f"({', '.join(f'{x:.3g}' for x in numbers)})"


def made(motion: Motion, part: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The value of a function of the motion. Raises MotionError where it fails."""
    try:
        return function(*arguments)
    except MotionError:
        raise
    except Exception as error:  # whatever a formula of somebody else's may raise
        raise MotionError(f"motion {motion.name}: its {part} can't be made: {error!r}") from error


class Trial:
    """The formulas of a motion about principal axis `axis`, and their numbers.

    constants: the numbers that stand for those of the motion. MotionError for formulas that can't be made, or have
    other leaves or entries than they may.
    """

    def __init__(self, motion: Motion, axis: int, constants: Sequence[float] = GENERIC):
        self.motion, self.axis, self._constants = motion, axis, constants
        self.here = MotionContext(motion, axis, False, 0, 0, lambda k: leaf(Load("R", "constants", k)))
        drawn = random.Random(2)  # numpy's numbers at random take longer to import than all checks
        self.q = at_quaternion(motion, uniform(drawn, 0.5, len(motion.units)), uniform(drawn, 1.0, 4))
        self.u = uniform(drawn, 1.0, len(motion.rate_units))
        self.entries = self._read("frame", made(motion, "frame", self._entries))
        self.columns: list[Column] = made(motion, "columns", lambda: list(motion.columns(self.here)))
        self._count("columns", self.columns)
        self.twists = [made(motion, "columns", unit, column) for column in self.columns]
        self._read("columns", [x for twist in self.twists for x in twist.entries])

    @cached_property
    def q_dot(self) -> np.ndarray:
        return self.values(self.coordinate_rates(self.u))

    @cached_property
    def frame(self) -> np.ndarray:
        """Its numbers at the coordinates."""
        return self.values(self.entries)

    def _entries(self) -> list[Expression]:
        """Rotation, row by row, and origin of the frame behind the motion."""
        rotation, origin = UNIT, ORIGIN
        for change in self.motion.frame(self.here):
            rotation, origin = change.pose(rotation, origin)
        return [*(x for row in rotation.rows for x in row), *origin]

    # -- what may be asked of it -------------------------------------------------------------------------
    def coordinate_rates(self, u: Iterable[Any]) -> list[Expression]:
        """E(q) u."""
        found = made(self.motion, "coordinate_rates", self.motion.coordinate_rates, self.here.q, Vector(u))
        self._count("coordinate_rates", found)
        return self._read("coordinate_rates", found)

    def velocities(self, q_dot: Iterable[Any]) -> list[Expression]:
        """u of q_dot."""
        found = made(self.motion, "velocities", self.motion.velocities, self.here.q, Vector(q_dot))
        self._count("velocities", found)
        return self._read("velocities", found)

    def column_rate(self, column: Column, u: Iterable[Any]) -> list[Expression]:
        """The rate of its numbers by its own formula."""
        rate = column.rate
        if rate is None:
            return [as_expression(0.0)] * 6
        found = made(self.motion, "rate of a column", lambda: rate([as_expression(x) for x in u]).entries)
        return self._read("rate of a column", found)

    def _count(self, part: str, found: Sequence[object]) -> None:
        """As many entries as there are velocities or coordinates."""
        coordinates = part == "coordinate_rates"
        wanted = len(self.motion.units if coordinates else self.motion.rate_units)
        if len(found) != wanted:
            what = "coordinates" if coordinates else "velocities"
            raise MotionError(f"motion {self.motion.name}: {len(found)} entries in its {part} for {wanted} {what}")

    def _read(self, part: str, expressions: Sequence[Expression]) -> list[Expression]:
        """The same, if they read only what belongs to the motion."""
        for x in leaves(expressions):
            if not (isinstance(x, Load) and x.region in READ):
                raise MotionError(
                    f"motion {self.motion.name}: its {part} reads {x}, but may read here.q, here.sine, here.cosine and "
                    "here.constant(k) only: numbers by parameters go into `constants`; by time go drives, CustomJoint"
                )
        return list(expressions)

    # -- numbers -----------------------------------------------------------------------------------------
    def values(self, expressions: Sequence[Expression], q: np.ndarray | None = None) -> np.ndarray:
        """At the coordinates `q`, or else its own."""
        at = self.q if q is None else q

        def number(reference: Load) -> float:
            if reference.region == "constants":
                return self._constants[LinkConstants.own.index(reference.offset)]
            if reference.region == "q":
                return float(at[reference.offset])
            return float(np.sin(at[0]) if reference.region == "sines" else np.cos(at[0]))

        try:
            return np.array(evaluate_all(expressions, number))
        except (ArithmeticError, ValueError) as error:
            raise MotionError(
                f"motion {self.motion.name}: a formula has no number at q = {told(at)}: {error}"
            ) from error

    def rates(self, expressions: Sequence[Expression]) -> np.ndarray:
        """Their rates of change along the motion."""
        return self.values(derivative(expressions, self._rate))

    def _rate(self, reference: Load) -> Expression:
        if reference.region == "q":
            return as_expression(self.q_dot[reference.offset])
        first = as_expression(self.q_dot[0])
        if reference.region == "sines":
            return self.here.cosine * first
        return -self.here.sine * first if reference.region == "cosines" else as_expression(0.0)

    # -- what is shared ------------------------------------------------------------------------------------
    def text(self) -> Hashable:
        """All that the text of its steps is made of: of motions that share code, the same."""
        motion = self.motion
        roots = [*self.entries, *self.coordinate_rates(self.u), *self.velocities(self.q)]
        for twist, column in zip(self.twists, self.columns, strict=True):
            roots += [*twist.entries, *self.column_rate(column, self.u)]
        columns = [(c.angular, c.axis, c.k, c.twist is None, c.rate is None) for c in self.columns]
        return tuple(motion.units), tuple(motion.rate_units), tuple(columns), _nodes(roots)


def uniform(drawn: random.Random, most: float, count: int) -> np.ndarray:
    """Numbers between -most and most."""
    return np.array([drawn.uniform(-most, most) for _ in range(count)])


def at_quaternion(motion: Motion, q: np.ndarray, quaternion: Iterable[float]) -> np.ndarray:
    """The coordinates with this quaternion, made of length one, where they have any."""
    if motion.quaternion is not None:
        numbers = np.array(quaternion)
        q[motion.quaternion : motion.quaternion + 4] = numbers / np.linalg.norm(numbers)
    return q


def own_constants(motion: Motion) -> tuple[float, ...]:
    """The motion's constants, at some values of the parameters that they go by."""
    return own_numbers(motion, ())[0]


def own_numbers(motion: Motion, others: Iterable[Expression]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The motion's constants and other expressions, at some values of the parameters that they go by."""
    parameters: dict[object, float] = {}

    def values(expressions: Iterable[Expression]) -> tuple[float, ...]:
        return tuple(evaluate(x, lambda p: parameters.setdefault(p, 0.5 + 0.1 * len(parameters))) for x in expressions)

    try:
        return values(motion.constants), values(others)
    except (ArithmeticError, ValueError):  # not all parameters go together
        return GENERIC, tuple(GENERIC[0] for _ in others)


def _nodes(roots: Sequence[Expression]) -> Hashable:
    """A graph as plain tuples: equal where operations, numbers and leaves are."""
    nodes = topological(roots)
    places = {id(node): k for k, node in enumerate(nodes)}
    listed = tuple((node.op, tuple(places[id(a)] for a in node.args), node.value) for node in nodes)
    return listed, tuple(places[id(root)] for root in roots)


def about(motion: Motion, axis: Axis) -> Motion:
    """The motion about another axis, if it has a field for one."""
    return cast(Motion, replace(cast(Any, motion), axis=axis)) if _has_any_axis(motion) else motion


def _has_any_axis(motion: Motion) -> bool:
    return motion.axis is not None and any(f.name == "axis" and f.init for f in fields(cast(Any, motion)))


def value_of(motion: Motion) -> Hashable:
    """All that a motion is made of, but an axis that may be any. MotionError for what can't be compared."""
    try:
        said = dict(vars(motion), axis=None) if _has_any_axis(motion) else vars(motion)
        key = type(motion), motion.structure, tuple((name, _value(said[name])) for name in sorted(said))
        hash((motion, key))
    except TypeError:
        raise MotionError(
            f"motion {motion.name}: its structure or a field of {display(motion)} can't be hashed: a motion is a "
            "frozen dataclass, with tuples in place of lists and arrays"
        ) from None
    return key


def _value(x: Any) -> Any:
    if isinstance(x, Expression) and x.op == "const":
        return x.value
    return tuple(map(_value, x)) if isinstance(x, tuple) else x
