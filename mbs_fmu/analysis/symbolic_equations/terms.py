"""The terms of the equations of motion as formulas of coordinates, joint velocities, signals and time.

Numbers in parentheses are those of docs/equations.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...compile.closures.closures import Closures
from ...compile.closures.kinematics import ClosureKinematics
from ...compile.gather import References
from ...compile.laws.forces import LinkEffect
from ...compile.tree.links import Link
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.motions import Motion
from ...record.layout import Load
from ...symbolic.expressions import ZERO, Expression, leaf
from ...symbolic.graph import derivative
from ...symbolic.spatial import Articulated
from ...symbolic.vectors import UNIT, Matrix, Vector
from .kinematics import Kinematics, Linear, Moving

Numbers = list[Expression]


@dataclass(frozen=True)
class Bracket:
    """The commutator (D3) of joint velocities i and j of one motion: numbers c_k for the velocities from `first` on."""

    i: int
    j: int
    first: int
    numbers: Numbers


class Terms:
    """The terms of the equations of motion of a model, from its links, forces and closures."""

    def __init__(self, references: References):
        self.references = references
        self.kinematics = Kinematics(references.resolve)
        self.count = len(self.kinematics.u)

    # -- kinetic energy -------------------------------------------------------------------------------------
    def kinetic_energy(self) -> tuple[list[Numbers], Numbers, Expression]:
        """Return M, b and T0 of the kinetic energy ½ uᵀM u + bᵀu + T0; prescribed motions have b and T0."""
        n = self.count
        M, b, rest = [[ZERO] * n for _ in range(n)], [ZERO] * n, ZERO
        for inertia, moving in self._inertias():
            momenta = {k: inertia @ column for k, column in moving.columns.items()}
            for i, column in moving.columns.items():
                for j in (j for j in momenta if j >= i):
                    M[i][j] = M[j][i] = M[i][j] + column.power(momenta[j])
                b[i] = b[i] + moving.drift.power(momenta[i])
            rest = rest + 0.5 * moving.drift.power(inertia @ moving.drift)
        for J, rate in self._rotors():
            for i, slope in rate.slopes.items():
                for j, other in rate.slopes.items():
                    M[i][j] = M[i][j] + J * slope * other
                b[i] = b[i] + J * slope * rate.rest
            rest = rest + 0.5 * J * rate.rest * rate.rest
        return M, b, rest

    def _inertias(self) -> Iterator[tuple[Articulated, Moving]]:
        """Yield the inertia of each link about its origin, in its axes, with its motion."""
        for link, moving in zip(self.references.resolve.tree.links, self.kinematics.links, strict=True):
            mass, moment, rows = self._mass_of(link)
            yield Articulated(Matrix(UNIT.rows[i] * mass for i in range(3)), _skew(moment), rows), moving

    def _mass_of(self, link: Link) -> tuple[Expression, Vector, Matrix]:
        """Return mass, first moment of mass and inertia of a link."""
        numbers = [link.mass, *link.moment, *(x for row in link.inertia for x in row)]
        mass, *rest = self.references.resolve.parameters_only(numbers, f"mass or geometry of body {link.name!r}")
        return mass, Vector(rest[:3]), Matrix([rest[3:6], rest[6:9], rest[9:]])

    def _rotors(self) -> Iterator[tuple[Expression, Linear]]:
        """Yield the inertia of each rotor, with the joint velocity that moves it."""
        resolve = self.references.resolve
        for rotor in resolve.model.rotors.values():
            J = resolve.parameters_only([rotor.inertia], f"inertia of {rotor.thing}")[0]
            yield J, self.kinematics.linear(resolve.rate(rotor.body, rotor.k))

    # -- forces ---------------------------------------------------------------------------------------------
    def potential_energy(self) -> Expression:
        """Return the potential energy of gravity."""
        resolve, total = self.references.resolve, ZERO
        gravity = Vector(resolve.parameters_only(resolve.model.uniform_gravity, "gravity"))
        for link, moving in zip(resolve.tree.links, self.kinematics.links, strict=True):
            mass, moment, _ = self._mass_of(link)
            total = total - gravity.dot(moving.origin * mass + moving.rotation @ moment)
        for _, pull in self.references.forces.pulls:
            assert pull.stored is not None
            total = total + self.kinematics([pull.stored])[0]
        return total

    def generalized_forces(self) -> Iterator[tuple[str, Numbers]]:
        """Yield the generalized forces of each force along all joint velocities, with the force's name in messages."""
        forces = self.references.forces
        for force in self.references.resolve.model.forces.values():
            yield force.thing, self._of_effect(forces.effect(force.name))

    def _of_effect(self, effect: LinkEffect) -> Numbers:
        """Return the power of an effect along each joint velocity: virtual power of its forces and torques."""
        Q = [ZERO] * self.count
        for along in effect.all_along:
            rate = self.kinematics.linear(self.references.resolve.rate(along.body, along.k))
            (number,) = self.kinematics([along.number])
            for k, slope in rate.slopes.items():
                Q[k] = Q[k] + number * slope
        for push in effect.all_pushes:
            moving = self.kinematics.link(push.link).at(push.point)
            force, torque = (Vector(self.kinematics(x)) for x in (push.force, push.torque))
            for k, column in moving.columns.items():
                v, w = column.v, column.w
                if push.in_world:
                    v, w = Vector(self.kinematics.along(moving.origin, k)), moving.rotation @ w
                Q[k] = Q[k] + (force.dot(v) + torque.dot(w))
        return Q

    # -- coordinates ----------------------------------------------------------------------------------------
    def brackets(self) -> Iterator[Bracket]:
        """Yield the commutators of joint velocities that are no rates of coordinates."""
        for body in self.references.resolve.tree.order:
            first_q, first_u = 0, 0
            places = self.references.resolve.tree.q[body.name], self.references.resolve.tree.u[body.name]
            for motion in body.joint.motions:
                q, u = places[0][first_q : first_q + len(motion.units)], places[1][first_u:]
                if q[0].region == "q" and type(motion).coordinate_rates is not Motion.coordinate_rates:
                    yield from _brackets(motion, [x.load for x in q], u[0].offset)
                first_q, first_u = first_q + len(motion.units), first_u + len(motion.rate_units)

    # -- closures -------------------------------------------------------------------------------------------
    def rows(self) -> Iterator[tuple[str, str, Expression, Linear]]:
        """Yield the rows of closures: the closure's name, the row's label, its condition, and its rate G u + gamma.

        The condition is that on positions, or that on rates if it constrains rates only.
        """
        closures = self.references.closures
        for closure in closures.resolved if isinstance(closures, Closures) else ():
            kinematics = ClosureKinematics(self.references.resolve, closure)
            for row in closure.rows:
                rate = row.condition if row.in_rates else kinematics.rate(row.condition)
                values = self.kinematics([kinematics.world(row.condition), kinematics.world(rate)])
                yield closure.name, row.label, values[0], Linear.of(values[1], self.count)


def _skew(moment: Vector) -> Matrix:
    """Return the matrix H of the inertia of a link: H v = moment x v."""
    return Matrix.columns([moment.cross(row) for row in UNIT.rows])


def _brackets(motion: Motion, q: Sequence[Load], first: int) -> Iterator[Bracket]:
    """Yield the commutators (D3) of the velocities of a motion: with q_dot = E u, [E_i, E_j] = sum of c_k E_k."""
    coordinates, count = Vector(map(leaf, q)), len(motion.rate_units)
    units = [Vector(float(i == k) for k in range(count)) for i in range(count)]
    fields = [motion.coordinate_rates(coordinates, Vector(u)) for u in units]

    def slope(i: int, j: int) -> Vector:
        """Return the derivative of field j along field i."""
        rates = dict(zip(q, fields[i], strict=True))
        return Vector(derivative(fields[j], lambda reference: rates.get(reference, ZERO)))

    for i in range(count):
        for j in range(i + 1, count):
            numbers = list(motion.velocities(coordinates, slope(i, j) - slope(j, i)))
            yield Bracket(first + i, first + j, first, numbers)
