"""Twist columns of a joint, and the stages of a link: changes of frame, each followed by the columns of its frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..infrastructure.lazy_dataclasses import dataclass
from .expressions import ZERO, Expression
from .spatial import PLANE, FrameChange, FrameTwist, FrameWrench, on_axis
from .vectors import Vector


@dataclass(frozen=True, eq=False)
class Column:
    """A twist column of a joint, in the axes of its frame, for the link's k-th joint velocity.

    It is a unit vector, angular or linear along `axis`, unless `twist` specifies it. rate: time derivative of `twist`
    as a function of the joint's velocities, or None if it is constant. prescribed: the velocity along the column if
    time determines it; then k counts the link's prescribed rates (-1: not one of them). rotor: inertia that moves with
    this velocity alone; such a column has a `twist`, since elimination does not reduce its row to zero. ratio: the
    velocity along the column is `ratio` times the common velocity of coupled joints.
    """

    angular: bool
    axis: int
    k: int
    twist: FrameTwist | None = None
    rate: Callable[[Sequence[Expression]], FrameTwist] | None = None
    prescribed: Expression | None = None
    rotor: Expression | None = None
    ratio: Expression | None = None


Stage = FrameChange | Column


def free_columns(stages: Sequence[Stage]) -> list[Column]:
    """Columns whose velocities are unknown."""
    return [x for x in stages if isinstance(x, Column) and x.prescribed is None and x.ratio is None]


def component(twist: FrameTwist, column: Column) -> Expression:
    """Component of a twist along a unit column."""
    return (twist.w if column.angular else twist.v)[column.axis]


def at_unit(column: Column, wrench: FrameWrench, value: Expression) -> FrameWrench:
    """Return the wrench with its component along a unit column replaced."""
    if column.angular:
        return replace(wrench, n=_at(wrench.n, column.axis, value))
    return replace(wrench, f=_at(wrench.f, column.axis, value))


def with_velocity(twist: FrameTwist, column: Column, value: Expression) -> FrameTwist:
    """Return the twist with its component along a unit column replaced."""
    if column.angular:
        return replace(twist, w=_at(twist.w, column.axis, value))
    return replace(twist, v=_at(twist.v, column.axis, value))


def _at(vector: Vector, axis: int, value: Expression) -> Vector:
    return Vector(value if k == axis else x for k, x in enumerate(vector))


def advanced(twist: FrameTwist, column: Column, rate: Expression) -> FrameTwist:
    """Return the twist plus `rate` times the column (P1)."""
    if column.twist is None:
        return with_velocity(twist, column, component(twist, column) + rate)
    return twist + column.twist * rate


def with_rotor(column: Column, inertia: Expression) -> Column:
    """Return the column with the inertia of a rotor, which moves with the column's velocity alone."""
    return replace(column, twist=unit(column), rotor=inertia)


def momentum_along(column: Column, mu: FrameWrench, rate: Expression) -> Expression:
    """Generalized momentum of a column (P3): Aᵀ mu, plus J u of a rotor."""
    own = along(column, mu)
    return own if column.rotor is None else own + column.rotor * rate


def along(column: Column, wrench: FrameWrench) -> Expression:
    """Product Aᵀ of a column with a wrench."""
    if column.twist is None:
        return (wrench.n if column.angular else wrench.f)[column.axis]
    return column.twist.power(wrench)


def unit(column: Column) -> FrameTwist:
    """The column as a twist."""
    if column.twist is not None:
        return column.twist
    axis = on_axis(column.axis, ZERO + 1.0)
    return FrameTwist(w=axis) if column.angular else FrameTwist(v=axis)


def convective(mu: FrameWrench, twist: FrameTwist, column: Column, speeds: Sequence[Expression]) -> Expression:
    """Convective term (Ȧᵀ - Aᵀ Omega) mu of (P4): -(w x f) for a linear column, -(v x f + w x n) for an angular one.

    speeds: velocities along the columns of the same frame.
    """
    if column.twist is not None:
        part = -column.twist.power(twist.omega(mu))
        return part if column.rate is None else part + column.rate(speeds).power(mu)
    b, d = PLANE[column.axis]
    part = twist.w[d] * mu.f[b] - twist.w[b] * mu.f[d]
    if column.angular:
        part = twist.v[d] * mu.f[b] - twist.v[b] * mu.f[d] + (twist.w[d] * mu.n[b] - twist.w[b] * mu.n[d])
    return part
