"""Poses and twists of the links of a tree as formulas of coordinates, joint velocities, parameters and time.

The formulas are those of the elementary motions (`Motion.frame`, `Motion.columns`) and of the changes of frame, from
which the kernels' passes are traced too. Leaves are numbers of the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...compile.laws.resolve import Resolver
from ...compile.tree.links import Link, StateAddress
from ...infrastructure.lazy_dataclasses import dataclass
from ...mechanics.links import LinkMotion
from ...model.motions import MotionContext
from ...record.blocks import LinkConstants
from ...record.layout import SIDE, STILL, Load
from ...symbolic.columns import unit
from ...symbolic.expressions import ONE, ZERO, Expression, cos, is_literal, leaf, sin
from ...symbolic.graph import derivative, rebuild
from ...symbolic.spatial import FrameChange, FrameTwist, Rotation, Translation
from ...symbolic.vectors import ORIGIN, UNIT, Matrix, Vector


@dataclass(frozen=True)
class Moving:
    """A link in motion: its pose in the world, and its twist in its own axes, A u + drift.

    rotation: link to world axes. columns: A, by the numbers of the joint velocities on which the twist depends. drift:
    the twist of prescribed motions.
    """

    rotation: Matrix
    origin: Vector
    columns: Mapping[int, FrameTwist]
    drift: FrameTwist

    def through(self, change: FrameChange) -> Moving:
        """Return the motion of a frame that is fixed in this one."""
        columns = {k: change.outward(column) for k, column in self.columns.items()}
        return Moving(*change.pose(self.rotation, self.origin), columns, change.outward(self.drift))

    def at(self, point: Vector) -> Moving:
        """Return the motion of a point of the link, in the link's axes."""
        return self.through(Translation(point))

    def with_velocity(self, column: FrameTwist, velocity: Linear) -> Moving:
        """Return the motion with a further velocity along a column."""
        columns = dict(self.columns)
        for k, slope in velocity.slopes.items():
            columns[k] = columns.get(k, FrameTwist()) + column * slope
        return Moving(self.rotation, self.origin, columns, self.drift + column * velocity.rest)

    def twist(self, u: Sequence[Expression]) -> FrameTwist:
        """Return the twist."""
        total = self.drift
        for k, column in self.columns.items():
            total = total + column * u[k]
        return total


@dataclass(frozen=True)
class Linear:
    """A linear function of the joint velocities: its slopes by their numbers, and its value at rest."""

    slopes: Mapping[int, Expression]
    rest: Expression

    @classmethod
    def of(cls, x: Expression, count: int) -> Linear:
        """Return an expression that is linear in the `count` joint velocities."""
        slopes = {k: derivative([x], _only(Load("R", "u", k)))[0] for k in range(count)}
        still = rebuild([x], lambda node: ZERO if node.op == "leaf" and _is_velocity(node.value) else None)
        return cls({k: slope for k, slope in slopes.items() if not is_literal(slope, 0.0)}, still[0])


def _only(reference: object) -> Callable[[object], Expression]:
    return lambda x: ONE if x == reference else ZERO


def _is_velocity(reference: object) -> bool:
    return isinstance(reference, Load) and reference.region == "u"


WORLD_AT_REST = Moving(UNIT, ORIGIN, {}, FrameTwist())


class Kinematics:
    """The moving links of a tree, and formulas in which these replace numbers that passes compute.

    u: the joint velocities. rates: of the coordinates, q_dot = E u, as a linear function of u for each.
    """

    def __init__(self, resolve: Resolver):
        self.resolve, tree = resolve, resolve.tree
        self.u = [leaf(Load("R", "u", k)) for k in range(tree.count("u"))]
        self._known: dict[Load, Expression] = {STILL: ZERO, SIDE: ZERO}  #: formulas of numbers of the record
        self._know_prescribed()
        self.rates = self._coordinate_rates()
        self.links: list[Moving] = []
        addresses = self._addresses()
        for link in tree.links:
            self.links.append(self._moved(link, addresses))

    def __call__(self, expressions: Sequence[Expression]) -> list[Expression]:
        """Return formulas of coordinates, joint velocities, signals and time only, for numbers of the record."""
        return rebuild(expressions, self._number)

    def link(self, number: int) -> Moving:
        """Return a link, or the world for -1."""
        return WORLD_AT_REST if number < 0 else self.links[number]

    def linear(self, x: Expression) -> Linear:
        """Return a number of the record that is linear in the joint velocities."""
        return Linear.of(self([x])[0], len(self.u))

    # -- numbers of the record ----------------------------------------------------------------------------
    def _number(self, node: Expression) -> Expression | None:
        if node.op != "leaf" or not isinstance(node.value, Load):
            return None
        x = node.value
        if x.region == "pose":
            moving, entry = self.links[x.offset // 12], x.offset % 12
            return moving.rotation[divmod(entry, 3)] if entry < 9 else moving.origin[entry - 9]
        if x.region == "twist":
            return self.links[x.offset // 6].twist(self.u).entries[x.offset % 6]
        return self._known.get(x)

    def _know_prescribed(self) -> None:
        """Let formulas replace coordinates and velocities that drives and leaders prescribe."""
        model, tree = self.resolve.model, self.resolve.tree
        for drive in model.drives.values():
            places = [tree.q[drive.body][k].load for k in drive.coordinates]
            places += [tree.u[drive.body][k].load for k in drive.rates]
            values = self.resolve([*drive.position, *drive.rate], f"drive {drive.name!r}")
            self._known |= dict(zip(places, values, strict=True))
        for follower in model.followers.values():
            ratio, offset = self.resolve.parameters_only([follower.ratio, follower.offset], follower.thing)
            lead = self.resolve.coordinate(follower.leader, 0), self.resolve.rate(follower.leader, 0)
            self._known[tree.q[follower.body][0].load] = ratio * lead[0] + offset
            self._known[tree.u[follower.body][0].load] = ratio * lead[1]

    def _addresses(self) -> Iterator[tuple[list[StateAddress], list[StateAddress]]]:
        """Yield the addresses of the coordinates and velocities of all motions, in the order of the links."""
        tree = self.resolve.tree
        for body in tree.order:
            q, u = (iter(places.get(body.name, [])) for places in (tree.q, tree.u))
            for motion in body.joint.motions:
                yield [next(q) for _ in motion.units], [next(u) for _ in motion.rate_units]

    def _coordinate_rates(self) -> dict[Load, Linear]:
        """Return the rates of all coordinates that are states, in their order."""
        rates: dict[Load, Linear] = {}
        motions = [motion for body in self.resolve.tree.order for motion in body.joint.motions]
        for motion, (q, u) in zip(motions, self._addresses(), strict=True):
            if q[0].region == "q":
                own = motion.coordinate_rates(Vector(leaf(x.load) for x in q), Vector(leaf(x.load) for x in u))
                rates |= {x.load: self.linear(rate) for x, rate in zip(q, own, strict=True)}
        return rates

    def along(self, expressions: Sequence[Expression], k: int) -> list[Expression]:
        """Return the derivatives of formulas of coordinates along a motion with joint velocity k alone, of size 1."""

        def seed(reference: object) -> Expression:
            rate = self.rates.get(reference) if isinstance(reference, Load) else None
            return ZERO if rate is None else rate.slopes.get(k, ZERO)

        return derivative(expressions, seed)

    # -- links --------------------------------------------------------------------------------------------
    def _moved(self, link: Link, addresses: Iterator[tuple[list[StateAddress], list[StateAddress]]]) -> Moving:
        """Return the motion of a link."""
        moving, resolve = self.link(link.parent), self.resolve
        rotation = resolve.turned(link.rotation, link.name)
        position = Vector(resolve.parameters_only(link.position, f"position of {link.name!r}"))
        own = resolve.parameters_only(link.own, f"constants of {link.name!r}")
        moving = moving.through(Translation(position)).through(Rotation(Matrix(rotation.tolist())))
        offset = link.offset  # of the first angle
        for motion in link.motions:
            moving = self._behind(moving, motion, own, offset, *next(addresses))
            offset = 0.0
        return Moving(
            Matrix(self([*row]) for row in moving.rotation.rows),
            Vector(self([*moving.origin])),
            {k: self._twist(column) for k, column in moving.columns.items()},
            self._twist(moving.drift),
        )

    def _twist(self, twist: FrameTwist) -> FrameTwist:
        entries = self(twist.entries)
        return FrameTwist(Vector(entries[:3]), Vector(entries[3:]))

    def _behind(
        self, moving: Moving, link_motion: LinkMotion, own: Sequence[Expression], offset: float,
        q: list[StateAddress], u: list[StateAddress],
    ) -> Moving:  # fmt: skip
        """Return the motion of the frame behind an elementary motion."""
        motion, numbers = link_motion.motion, LinkConstants.indices("own")
        if motion.expressions:
            motion = motion.with_expressions(self.resolve.joint_formulas(motion.expressions))
        context = MotionContext(
            motion, link_motion.axis, link_motion.driven, q[0].offset, u[0].offset, lambda k: own[k - numbers[0]]
        )
        angle = leaf(q[0].load) + offset
        prefix = "driven_" * link_motion.driven
        trigonometric = {f"{prefix}sines": sin(angle), f"{prefix}cosines": cos(angle)} if motion.sines else {}

        def in_record(x: Expression) -> Expression | None:
            """Return a number of the whole record for one of the link's."""
            if x.op != "leaf" or not isinstance(x.value, Load) or not x.value.base:
                return None
            known = trigonometric.get(x.value.region)
            return leaf(Load("R", x.value.region, x.value.offset)) if known is None else known

        for change in motion.frame(context):
            moving = moving.through(change)
        for column in motion.columns(context):
            is_own = column.k >= 0
            velocity = leaf(u[column.k - u[0].offset].load) if is_own else column.prescribed
            assert velocity is not None
            moving = moving.with_velocity(unit(column), self.linear(velocity))
        return _rebuilt(moving, in_record)


def _rebuilt(moving: Moving, replace: Callable[[Expression], Expression | None]) -> Moving:
    """Return the motion with replaced numbers."""

    def changed(twist: FrameTwist) -> FrameTwist:
        entries = rebuild(twist.entries, replace)
        return FrameTwist(Vector(entries[:3]), Vector(entries[3:]))

    return Moving(
        Matrix(rebuild(row, replace) for row in moving.rotation.rows),
        Vector(rebuild(moving.origin, replace)),
        {k: changed(column) for k, column in moving.columns.items()},
        changed(moving.drift),
    )
