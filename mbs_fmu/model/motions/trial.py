"""Formulas of a motion, and their values at random coordinates, velocities and constants."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, cast

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.messages.failures import display
from ...record.blocks import LinkConstants
from ...record.layout import Load
from ...symbolic.columns import Column, unit
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.graph import derivative, evaluate, evaluate_all, leaves, topological
from ...symbolic.vectors import ORIGIN, UNIT, Vector
from .motion import Axis, Motion, MotionContext, MotionError

GENERIC = tuple(0.3 + 0.1 * k for k in range(len(LinkConstants.indices("own"))))  #: constants without special values
READABLE = ("q", "sines", "cosines", "constants")  #: regions that formulas may read


def listed(numbers: Iterable[float]) -> str:
    """Return numbers as text for a message."""
    return f"({', '.join(f'{x:.3g}' for x in numbers)})"


def evaluated(motion: Motion, part: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the value of a function of the motion. Raises MotionError if the function raises anything."""
    try:
        return function(*arguments)
    except MotionError:
        raise
    except Exception as error:  # formulas of users may raise anything
        raise MotionError(f"motion {motion.name}: its {part} can't be evaluated: {error!r}") from error


class Trial:
    """Formulas of a motion about principal axis `axis`, and their values at random coordinates and velocities.

    constants: values for the constants of the motion. Raises MotionError if formulas raise an error, read more than
    they may, or have a wrong number of entries.
    """

    def __init__(self, motion: Motion, axis: int, constants: Sequence[float] = GENERIC):
        self.motion, self.axis, self._constants = motion, axis, constants
        self.context = MotionContext(motion, axis, False, 0, 0, lambda k: leaf(Load("R", "constants", k)))
        generator = random.Random(2)  # importing numpy.random takes longer than all checks
        self.q = at_quaternion(motion, uniform(generator, 0.5, len(motion.units)), uniform(generator, 1.0, 4))
        self.u = uniform(generator, 1.0, len(motion.rate_units))
        self.entries = self._readable("frame", evaluated(motion, "frame", self._entries))
        self.columns: list[Column] = evaluated(motion, "columns", lambda: list(motion.columns(self.context)))
        self._check_count("columns", self.columns)
        self.twists = [evaluated(motion, "columns", unit, column) for column in self.columns]
        self._readable("columns", [x for twist in self.twists for x in twist.entries])

    @cached_property
    def q_dot(self) -> np.ndarray:
        """Rates of the coordinates."""
        return self.values(self.coordinate_rates(self.u))

    @cached_property
    def frame(self) -> np.ndarray:
        """Values of the entries of the frame."""
        return self.values(self.entries)

    def _entries(self) -> list[Expression]:
        """Return rotation, row by row, and origin of the frame behind the motion."""
        rotation, origin = UNIT, ORIGIN
        for change in self.motion.frame(self.context):
            rotation, origin = change.pose(rotation, origin)
        return [*(x for row in rotation.rows for x in row), *origin]

    # -- formulas ----------------------------------------------------------------------------------------
    def coordinate_rates(self, u: Iterable[Any]) -> list[Expression]:
        """Return q_dot = E(q) u."""
        rates = evaluated(self.motion, "coordinate_rates", self.motion.coordinate_rates, self.context.q, Vector(u))
        self._check_count("coordinate_rates", rates)
        return self._readable("coordinate_rates", rates)

    def velocities(self, q_dot: Iterable[Any]) -> list[Expression]:
        """Return u as a function of q_dot."""
        velocities = evaluated(self.motion, "velocities", self.motion.velocities, self.context.q, Vector(q_dot))
        self._check_count("velocities", velocities)
        return self._readable("velocities", velocities)

    def column_rate(self, column: Column, u: Iterable[Any]) -> list[Expression]:
        """Return the time derivative of a column by the formula of the motion."""
        rate = column.rate
        if rate is None:
            return [as_expression(0.0)] * 6
        entries = evaluated(self.motion, "rate of a column", lambda: rate([as_expression(x) for x in u]).entries)
        return self._readable("rate of a column", entries)

    def _check_count(self, part: str, entries: Sequence[object]) -> None:
        """Raise MotionError unless there is one entry for each velocity or coordinate."""
        coordinates = part == "coordinate_rates"
        count = len(self.motion.units if coordinates else self.motion.rate_units)
        if len(entries) != count:
            what = "coordinates" if coordinates else "velocities"
            raise MotionError(f"motion {self.motion.name}: {len(entries)} entries in its {part} for {count} {what}")

    def _readable(self, part: str, expressions: Sequence[Expression]) -> list[Expression]:
        """Return the expressions. Raises MotionError if they read quantities that do not belong to the motion."""
        for x in leaves(expressions):
            if not (isinstance(x, Load) and x.region in READABLE):
                raise MotionError(
                    f"motion {self.motion.name}: its {part} reads {x}, but may read context.q, context.sine, "
                    "context.cosine and context.constant(k) only: put expressions of parameters into `constants`; for "
                    "a motion in time, use a drive or CustomJoint"
                )
        return list(expressions)

    # -- values ------------------------------------------------------------------------------------------
    def values(self, expressions: Sequence[Expression], q: np.ndarray | None = None) -> np.ndarray:
        """Return the values of expressions at the coordinates `q`; default: those of the trial.

        Raises MotionError if a formula has no value there.
        """
        coordinates = self.q if q is None else q

        def number(reference: Load) -> float:
            if reference.region == "constants":
                return self._constants[LinkConstants.indices("own").index(reference.offset)]
            if reference.region == "q":
                return float(coordinates[reference.offset])
            return float(np.sin(coordinates[0]) if reference.region == "sines" else np.cos(coordinates[0]))

        try:
            return np.array(evaluate_all(expressions, number))
        except (ArithmeticError, ValueError) as error:
            raise MotionError(
                f"motion {self.motion.name}: a formula has no value at q = {listed(coordinates)}: {error}"
            ) from error

    def rates(self, expressions: Sequence[Expression]) -> np.ndarray:
        """Return the values of the time derivatives of expressions."""
        return self.values(derivative(expressions, self._rate))

    def _rate(self, reference: Load) -> Expression:
        if reference.region == "q":
            return as_expression(self.q_dot[reference.offset])
        first = as_expression(self.q_dot[0])
        if reference.region == "sines":
            return self.context.cosine * first
        return -self.context.sine * first if reference.region == "cosines" else as_expression(0.0)

    # -- shared code ---------------------------------------------------------------------------------------
    def text(self) -> Hashable:
        """Return a key of everything that determines the generated text; motions that share code have equal keys."""
        motion = self.motion
        roots = [*self.entries, *self.coordinate_rates(self.u), *self.velocities(self.q)]
        for twist, column in zip(self.twists, self.columns, strict=True):
            roots += [*twist.entries, *self.column_rate(column, self.u)]
        columns = [(c.angular, c.axis, c.k, c.twist is None, c.rate is None) for c in self.columns]
        return tuple(motion.units), tuple(motion.rate_units), tuple(columns), _nodes(roots)


def uniform(generator: random.Random, most: float, count: int) -> np.ndarray:
    """Return random numbers between -most and most."""
    return np.array([generator.uniform(-most, most) for _ in range(count)])


def at_quaternion(motion: Motion, q: np.ndarray, quaternion: Iterable[float]) -> np.ndarray:
    """Return the coordinates with this quaternion, normalised; unchanged if the motion has no quaternion."""
    if motion.quaternion is not None:
        numbers = np.array(quaternion)
        q[motion.quaternion : motion.quaternion + 4] = numbers / np.linalg.norm(numbers)
    return q


def own_constants(motion: Motion) -> tuple[float, ...]:
    """Return the motion's constants at arbitrary values of the parameters on which they depend."""
    return own_numbers(motion, ())[0]


def own_numbers(motion: Motion, others: Iterable[Expression]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the motion's constants and other expressions at the same arbitrary values of the parameters."""
    parameters: dict[object, float] = {}

    def values(expressions: Iterable[Expression]) -> tuple[float, ...]:
        return tuple(evaluate(x, lambda p: parameters.setdefault(p, 0.5 + 0.1 * len(parameters))) for x in expressions)

    try:
        return values(motion.constants), values(others)
    except (ArithmeticError, ValueError):  # these values of the parameters are invalid together
        return GENERIC, tuple(GENERIC[0] for _ in others)


def _nodes(roots: Sequence[Expression]) -> Hashable:
    """Return a graph as plain tuples, which are equal if operations, numbers and leaves are."""
    nodes = topological(roots)
    indices = {id(node): k for k, node in enumerate(nodes)}
    tuples = tuple((node.op, tuple(indices[id(a)] for a in node.args), node.value) for node in nodes)
    return tuples, tuple(indices[id(root)] for root in roots)


def about(motion: Motion, axis: Axis) -> Motion:
    """Return the motion about another axis; unchanged if it has no field `axis`."""
    return cast(Motion, replace(cast(Any, motion), axis=axis)) if _has_any_axis(motion) else motion


def _has_any_axis(motion: Motion) -> bool:
    return motion.axis is not None and any(f.name == "axis" and f.init for f in fields(cast(Any, motion)))


def value_of(motion: Motion) -> Hashable:
    """Return a key of a motion's class, structure and fields without its axis. Raises MotionError if a field cannot be
    hashed."""
    try:
        values = dict(vars(motion), axis=None) if _has_any_axis(motion) else vars(motion)
        key = type(motion), motion.structure, tuple((name, _value(values[name])) for name in sorted(values))
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
