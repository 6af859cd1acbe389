"""Twist columns of a joint, and the stages of a link: changes of frame and the columns of the frame behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..expressions import ZERO, Expression
from .spatial import PLANE, FrameChange, Twist, Wrench, add, cross, dot, scale


@dataclass(frozen=True, eq=False)
class Column:
    """A twist column of the frame it stands in, for the link's k-th joint velocity: a unit vector, angular or linear
    along `axis`, unless `twist` gives all of it.

    rate: from the velocities of its joint how `twist` changes in time, where it does. given: the velocity along it,
    where it is none of the unknown ones; then k counts the link's driven rates (-1: it is none of them either).
    """

    angular: bool
    axis: int
    k: int
    twist: Twist | None = None
    rate: Callable[[Sequence[Expression]], Twist] | None = None
    given: Expression | None = None


Stage = FrameChange | Column


def free_columns(stages: Sequence[Stage]) -> list[Column]:
    """The columns of unknown velocities."""
    return [stage for stage in stages if isinstance(stage, Column) and stage.given is None]


def component(twist: Twist, column: Column) -> Expression:
    """The twist's entry at a unit column."""
    return (twist.w if column.angular else twist.v)[column.axis]


def with_velocity(twist: Twist, column: Column, value: Expression) -> Twist:
    """The twist with its entry at a unit column replaced."""
    v, w = list(twist.v), list(twist.w)
    (w if column.angular else v)[column.axis] = value
    return Twist(v, w, twist.g)


def advanced(twist: Twist, column: Column, rate: Expression) -> Twist:
    """The twist and `rate` times the column."""
    if column.twist is None:
        return with_velocity(twist, column, component(twist, column) + rate)
    a = column.twist
    return Twist(add(twist.v, scale(rate, a.v)), add(twist.w, scale(rate, a.w)), twist.g)


def along(column: Column, wrench: Wrench) -> Expression:
    """Aᵀ of a wrench."""
    if column.twist is None:
        return (wrench.n if column.angular else wrench.f)[column.axis]
    return pairing(column.twist, wrench)


def pairing(a: Twist, wrench: Wrench) -> Expression:
    """Power of a wrench on a twist."""
    return dot(a.v, wrench.f) + dot(a.w, wrench.n)


def unit(column: Column) -> Twist:
    """The column as a twist."""
    zero = Twist([ZERO] * 3, [ZERO] * 3, [ZERO] * 3)
    return column.twist or with_velocity(zero, column, ZERO + 1.0)


def convective(mu: Wrench, twist: Twist, column: Column, speeds: Sequence[Expression]) -> Expression:
    """(Ȧᵀ - Aᵀ Omega) mu of (P4): -(w x f) for a linear column, -(v x f + w x n) for an angular one.

    speeds: the velocities along the columns of the same frame.
    """
    if column.twist is not None:
        omega_mu = Wrench(cross(twist.w, mu.f), add(cross(twist.v, mu.f), cross(twist.w, mu.n)))
        part = -pairing(column.twist, omega_mu)
        return part if column.rate is None else part + pairing(column.rate(speeds), mu)
    b, d = PLANE[column.axis]
    part = twist.w[d] * mu.f[b] - twist.w[b] * mu.f[d]
    if column.angular:
        part = twist.v[d] * mu.f[b] - twist.v[b] * mu.f[d] + (twist.w[d] * mu.n[b] - twist.w[b] * mu.n[d])
    return part
