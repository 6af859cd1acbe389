"""The balance of momenta of one link, for models with closed loops, reactions or accelerations.

In such models the outboard pass computes velocities only. A further inboard pass carries the momentum mu and the wrench
F^ of the branch, and evaluates p = Aᵀ mu and (P4) at each joint; mu includes the impulses of the loops (L2).
"""

from __future__ import annotations

from ..model.motions import link_load
from ..record.layout import Local
from ..symbolic.columns import Column, advanced, along, convective, momentum_along
from ..symbolic.expressions import ZERO, Expression
from ..symbolic.spatial import FrameTwist, FrameWrench
from ..symbolic.vectors import Matrix, Vector, scaled
from .coupled_joints import RowCoupling
from .steps import Assignment, LinkStep, link_loads, link_twist, link_wrench

NAMES = [f"{part}{a}" for part in ("f", "n", "e", "t") for a in range(3)]  #: mu, then F^


def balance(step: LinkStep) -> list[Assignment]:
    """mu and F^ of the branch; Aᵀ mu is added to `momentum`, and (P4) to p_dot."""
    twist = link_twist()
    mu = step.summed(own_momentum(step, twist))
    force = step.summed(own_wrench(step), "et")
    code: list[Assignment] = []
    if step.wants.balance:
        entries = [*mu.entries, *force.entries]
        code += [(step.address("balance", k), x) for k, x in enumerate(entries)]
    inner: list[Column] = []  #: columns of the current frame, outboard ones first
    for stage in reversed(step.stages):
        if isinstance(stage, Column):
            code += _along(step, stage, mu, force, twist)
            inner.append(stage)
        else:
            for column in inner:
                twist = advanced(twist, column, -step.speed(column))
            inner, twist = [], stage.inward_twist(twist)
            mu, force = stage.inward_wrench(mu), stage.inward_wrench(force)
    if step.cls.root:
        return code
    for motion in reversed(step.placement):
        mu, force = motion.inward_wrench(mu), motion.inward_wrench(force)
    return code + [(Local(n), x) for n, x in zip(NAMES, [*mu.entries, *force.entries], strict=True)]


def _along(step: LinkStep, column: Column, mu: FrameWrench, force: FrameWrench, twist: FrameTwist) -> list[Assignment]:
    """Momentum and (P4) along a column; along a prescribed motion, the terms of (P4) other than the drive's force."""
    speeds = [step.speed(other) for other in step.stages if isinstance(other, Column) and other.k >= 0]
    momentum = momentum_along(column, mu, step.speed(column))
    rate = convective(mu, twist, column, speeds) + along(column, force)
    if column.prescribed is None:
        values = (("momentum", momentum), ("p_dot", rate))
        return [step.along_joint(region, column, value, True) for region, value in values]
    if column.k < 0 or not step.wants.drives:
        return []
    values = (("drive_momenta", momentum), ("drive_rests", rate))
    return [step.along_joint(region, column, value, True) for region, value in values]


def own_momentum(step: LinkStep, twist: FrameTwist) -> FrameWrench:
    """M v - Kᵀ Lambda (L2)."""
    return step.own_inertia().momentum(twist) + link_wrench("impulse")


def own_wrench(step: LinkStep) -> FrameWrench:
    """Gravity, and the wrenches that laws have added to the wrench region."""
    body = step.own_inertia()
    gravity = Vector(link_load("gravity", a) if on else ZERO for a, on in enumerate(step.cls.field))
    rotation = Matrix(link_loads("pose", 3 * i) for i in range(3))
    g = rotation.T @ gravity
    weight = FrameWrench(scaled(body.M[0, 0], g), body.s.cross(g))
    return weight + link_wrench("wrench")


def plain_row(step: LinkStep) -> list[Assignment]:
    """One open row without inertia: its entries of the Jacobian, and again those of the free coordinates alone; the
    contribution of prescribed motions to the rate of its residual, and the sum of its magnitudes."""
    y, row = step.row(), RowCoupling(step)
    code: list[Assignment] = []
    prescribed: list[Expression] = []

    def free(k: int, B: Expression) -> list[Assignment]:
        return [(step.address("row_b", k), B), (step.address("row_d", k), link_load("mask", k) * B)]

    for column in (column for column in step.cls.closing if not column.has_joint):
        code += free(*row.close(column))
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
        elif stage.ratio is not None:
            code += [x for group in row.add_joint(stage, y) for x in free(*row.close(group))]
        elif stage.prescribed is None:
            code += free(stage.k, along(stage, y) + step.row_rate(stage.k))
        else:
            prescribed.append(along(stage, y) * stage.prescribed)
    if prescribed:
        code.append((step.address("right", 0), sum(prescribed, start=step.right())))
        code.append((step.address("terms", 0), sum(map(abs, prescribed), start=link_load("terms"))))
    return code + step.row_to_parent(y, row.Z.items())
