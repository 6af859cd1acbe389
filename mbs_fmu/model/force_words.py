"""The words of a model that add forces."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from ..expressions import Expression, is_literal
from ..messages import shown
from .characteristics import DAMPING, STIFFNESS, elastic
from .checks import no_less_than_zero
from .forces import (
    BodyForce,
    Bushing,
    CoordinateSpring,
    Drag,
    Elastic,
    Force,
    Friction,
    Limit,
    Motor,
    PointSpring,
    RotationalSpring,
    expressions,
)
from .joints import Axis, third_axis, unit_axis
from .names import Names
from .parts import Body, said
from .poses import placed
from .vectors import Vector, number, numbers


class ForceWords(Names):
    """Springs, motors and all else that acts on bodies and joints."""

    def spring(
        self,
        name: str,
        a: str | Body | None = None,
        b: str | Body | None = None,
        *,
        on: str | Body | None = None,
        coordinate: int | None = None,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        length: Any = 0.0,
        force: Any = None,
        energy: Any = None,
    ) -> None:
        """A spring and damper, between two points or on a joint coordinate.

        Between points `at_a` of body `a` and `at_b` of body `b` (m, body axes): a pull of
        stiffness x + damping dx/dt along the line, with the extension x = distance - length.
        On a joint coordinate (`on`, and `coordinate` from 1 where the joint has several): a force or torque of
        -stiffness x - damping u, with x = q - length. stiffness: N/m or N.m/rad; damping: N.s/m or N.m.s/rad;
        length: m or rad. All may be expressions.

        force adds to that: a table (extensions, forces), interpolated linearly and constant beyond its ends, or a
        function of x, or of x and dx/dt, that returns an expression. energy, instead: a function of x, whose
        derivative is the force.
        """
        self._new_name(name, "force")
        thing = f"spring {name!r}"
        if on is None:
            law = elastic(stiffness, damping, length, force, energy, "m", thing)
            ends = self._two_bodies(a, b, thing, "two bodies, or on= with a joint coordinate")
            places = numbers(at_a, 3, f"at_a of {thing}", "m"), numbers(at_b, 3, f"at_b of {thing}", "m")
            _require_law(law, thing)
            self._add_force(PointSpring(name, ends[0], places[0], ends[1], places[1], law), thing)
            return
        if a is not None or b is not None:
            raise ModelError(f"{thing}: give either two bodies or on=, not both")
        body, k = self._scalar_joint(on, coordinate, thing, "spring")
        law = elastic(stiffness, damping, length, force, energy, self._unit(body, k), thing)
        _require_law(law, thing)
        self._add_force(CoordinateSpring(name, body, k, law), thing)

    def rotational_spring(
        self,
        name: str,
        a: str | Body,
        b: str | Body,
        *,
        axis: Axis = "z",
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        angle: Any = 0.0,
        force: Any = None,
        energy: Any = None,
    ) -> None:
        """A spring and damper against the rotation of b about an axis of a.

        at_a, at_b: `Pose`s of the frames that coincide at angle zero, if they are not the bodies' own; axis: in these
        frames. The torque stiffness x + damping dx/dt turns b back, and a the other way; x is the angle beyond the
        rest angle `angle` (rad), between -pi and pi. stiffness: N.m/rad, damping: N.m.s/rad. force and energy: as
        those of `spring`.

        The angle is that of the twist about the axis, however far the axes of a and b lie apart; the torque is its
        gradient. It jumps where b has turned by half a turn, and has no meaning where the axes are opposite.
        """
        self._new_name(name, "force")
        thing = f"spring {name!r}"
        ends = self._two_bodies(a, b, thing, "two bodies")
        upright = third_axis(unit_axis(axis))
        rotation_a, rotation_b = (
            placed(at, f"{end} of {thing}")[1] @ upright for at, end in ((at_a, "at_a"), (at_b, "at_b"))
        )
        law = elastic(stiffness, damping, angle, force, energy, "rad", thing, "angle")
        _require_law(law, thing)
        self._add_force(RotationalSpring(name, ends[0], rotation_a, ends[1], rotation_b, law), thing)

    def bushing(
        self,
        name: str,
        a: str | Body,
        b: str | Body,
        *,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        stiffness: Any = (0.0, 0.0, 0.0),
        damping: Any = (0.0, 0.0, 0.0),
        rotational_stiffness: Any = (0.0, 0.0, 0.0),
        rotational_damping: Any = (0.0, 0.0, 0.0),
    ) -> None:
        """Springs and dampers along and about three axes, between two frames that coincide at rest.

        at_a, at_b: positions (m, body axes) or `Pose`s. All in the axes of frame a: stiffness (N/m) and damping (N.s/m)
        along them, rotational_stiffness (N.m/rad) and rotational_damping (N.m.s/rad) about them; three numbers each, or
        one for all three. They may be expressions.

        A turn by phi about one axis is resisted by stiffness sin(phi): linear for small angles, and with an energy
        that is smooth for all rotations. A stiffness of zero about one axis leaves it free for any number of turns.
        """
        self._new_name(name, "force")
        thing = f"bushing {name!r}"
        ends = self._two_bodies(a, b, thing, "two bodies")
        (position_a, rotation_a), (position_b, rotation_b) = (
            placed(at, f"{end} of {thing}") for at, end in ((at_a, "at_a"), (at_b, "at_b"))
        )
        laws = [
            _three(value, f"{what} of {thing}", unit)
            for value, what, unit in (
                (stiffness, "stiffness", "N/m"),
                (damping, "damping", "N.s/m"),
                (rotational_stiffness, "rotational_stiffness", "N.m/rad"),
                (rotational_damping, "rotational_damping", "N.m.s/rad"),
            )
        ]
        if all(is_literal(x, 0.0) for law in laws for x in law):
            raise ModelError(f"{thing} does nothing: give a stiffness or damping along or about its axes")
        self._add_force(Bushing(name, ends[0], position_a, rotation_a, ends[1], position_b, rotation_b, *laws), thing)

    def motor(
        self,
        name: str,
        on: str | Body,
        torque: Any = None,
        force: Any = None,
        coordinate: int | None = None,
    ) -> None:
        """A torque (N.m) or force (N) along a joint velocity; the parent takes the reaction.

        `coordinate` from 1 says which joint velocity, where the joint has several.
        """
        self._new_name(name, "force")
        thing = f"motor {name!r}"
        body, k, law = self._driven(on, coordinate, torque, force, thing)
        self._add_force(Motor(name, body, k, law), thing)

    def friction(
        self,
        name: str,
        on: str | Body,
        torque: Any = None,
        force: Any = None,
        coordinate: int | None = None,
        *,
        static: Any = None,
        viscous: Any = 0.0,
        speed: Any = 0.01,
    ) -> None:
        """Dry friction along a joint velocity u: Coulomb's torque (N.m) or force (N), and what goes with it.

        static: the largest friction (N.m or N), at the velocity `speed` (rad/s or m/s; Stribeck's curve); the same as
        Coulomb's if it is left out. viscous: N.m.s/rad or N.s/m, adds viscous u. All may be expressions.

        The law is smooth: near rest friction is proportional to u, so that a loaded joint creeps instead of sticking,
        below a tenth of `speed` for up to three quarters of Coulomb's friction.
        """
        self._new_name(name, "force")
        thing = f"friction {name!r}"
        body, k, coulomb = self._driven(on, coordinate, torque, force, thing)
        no_less_than_zero(coulomb, f"Coulomb's friction of {thing}")
        unit, rate = (named[k][1] for named in (self.bodies[body].joint.forces, self.bodies[body].joint.rates))
        peak = coulomb if static is None else no_less_than_zero(static, f"static of {thing}", unit)
        v = no_less_than_zero(speed, f"speed of {thing}", rate, positive=True)
        if is_literal(peak) and is_literal(coulomb) and peak.value < coulomb.value:
            raise ModelError(f"static of {thing} is {peak.value!r}: at least Coulomb's friction {coulomb.value!r}")
        damper = no_less_than_zero(viscous, f"viscous of {thing}", DAMPING[self._unit(body, k)])
        self._add_force(Friction(name, body, k, coulomb, peak, damper, v), thing)

    def limit(
        self,
        name: str,
        on: str | Body,
        lower: Any = None,
        upper: Any = None,
        coordinate: int | None = None,
        *,
        stiffness: Any,
        damping: Any = 0.0,
    ) -> None:
        """Stops of a joint coordinate: springs below `lower` and above `upper` (rad or m; at least one of them).

        stiffness: N.m/rad or N/m; damping: N.m.s/rad or N.s/m. A stop pushes only, and its force begins at zero: the
        damper's part is never larger than the spring's. All may be expressions.
        """
        self._new_name(name, "force")
        thing = f"limit {name!r}"
        body, k = self._scalar_joint(on, coordinate, thing, "limit")
        unit = self._unit(body, k)
        if lower is None and upper is None:
            raise ModelError(f"{thing}: give lower=, upper= or both")
        low, high = (
            None if value is None else number(value, f"{what} of {thing}", unit)
            for value, what in ((lower, "lower"), (upper, "upper"))
        )
        if low is not None and high is not None and is_literal(low) and is_literal(high) and low.value > high.value:
            raise ModelError(f"{thing}: lower {low.value!r} lies above upper {high.value!r}")
        spring = no_less_than_zero(stiffness, f"stiffness of {thing}", STIFFNESS[unit], positive=True)
        damper = no_less_than_zero(damping, f"damping of {thing}", DAMPING[unit])
        self._add_force(Limit(name, body, k, low, high, spring, damper), thing)

    def force(
        self,
        name: str,
        on: str | Body,
        at: Any = (0.0, 0.0, 0.0),
        force: Any = None,
        torque: Any = None,
        resolve_in: str = "world",
    ) -> None:
        """A force (N) at a point (m, body axes) and a torque (N.m) on a body, in "world" or "body" axes."""
        self._new_name(name, "force")
        thing = f"force {name!r}"
        if force is None and torque is None:
            raise ModelError(f"{thing}: give force=, torque= or both")
        if not isinstance(resolve_in, str) or resolve_in not in ("world", "body"):
            raise ModelError(f'{thing}: resolve_in is {shown(resolve_in)}; use "world" or "body"')
        zero = (0.0, 0.0, 0.0)
        self._add_force(
            BodyForce(
                name,
                self.known_body(on, thing),
                numbers(at, 3, f"at of {thing}", "m"),
                numbers(zero if force is None else force, 3, f"force of {thing}", "N"),
                numbers(zero if torque is None else torque, 3, f"torque of {thing}", "N.m"),
                resolve_in == "world",
            ),
            thing,
        )

    def drag(
        self,
        name: str,
        on: str | Body,
        at: Any = (0.0, 0.0, 0.0),
        *,
        linear: Any = 0.0,
        quadratic: Any = 0.0,
        velocity: Any = (0.0, 0.0, 0.0),
    ) -> None:
        """The resistance of a fluid at a point (m, body axes): -(linear + quadratic |v|) v.

        v is the point's velocity against the fluid's `velocity` (m/s, world axes). linear: N.s/m; quadratic: N.s²/m²,
        half of density, drag coefficient and area. All but the point may be expressions.
        """
        self._new_name(name, "force")
        thing = f"drag {name!r}"
        body, point = self.known_body(on, thing), numbers(at, 3, f"at of {thing}", "m")
        c = no_less_than_zero(linear, f"linear of {thing}", "N.s/m")
        d = no_less_than_zero(quadratic, f"quadratic of {thing}", "N.s2/m2")
        if is_literal(c, 0.0) and is_literal(d, 0.0):
            raise ModelError(f"{thing} does nothing: give linear=, quadratic= or both")
        self._add_force(Drag(name, body, point, c, d, numbers(velocity, 3, f"velocity of {thing}", "m/s")), thing)

    # -- helpers ------------------------------------------------------------------------------
    def _joint_force(self, body: str | Body, coordinate: int | None, thing: str) -> tuple[str, int]:
        name = self.known_body(body, thing)
        count = len(self.bodies[name].joint.rates)
        if count == 0:
            raise ModelError(f"{thing}: body {name!r} is welded, nothing can drive its joint")
        if coordinate is None:
            if count > 1:
                raise ModelError(
                    f"{thing}: the joint of body {name!r} has {count} freedoms: give coordinate=1..{count}"
                )
            return name, 0
        if not isinstance(coordinate, int) or not 1 <= coordinate <= count:
            raise ModelError(
                f"{thing}: coordinate {shown(coordinate)} of body {name!r} does not exist: use 1 to {count}"
            )
        return name, coordinate - 1

    def _unit(self, body: str, k: int) -> str:
        """Of the motion along a body's k-th joint velocity, "m" or "rad"."""
        return self.bodies[body].joint.rates[k][1].removesuffix("/s")

    def _add_force(self, force: Force, thing: str) -> None:
        self._known_in(expressions(force), thing)
        self.forces[force.name] = force
        self.version += 1

    def _driven(
        self, on: str | Body, coordinate: int | None, torque: Any, force: Any, thing: str
    ) -> tuple[str, int, Expression]:
        """Body, joint velocity and law, given as torque or as force, whichever suits the freedom."""
        if (torque is None) == (force is None):
            raise ModelError(f"{thing}: give either torque= or force=")
        body, k = self._joint_force(on, coordinate, thing)
        unit = self.bodies[body].joint.forces[k][1]
        given = "N.m" if force is None else "N"
        if unit != given:
            kind, other = ("turns", "torque") if unit == "N.m" else ("slides", "force")
            raise ModelError(f"{thing}: this freedom of body {body!r} {kind}: give {other}=")
        return body, k, number(torque if force is None else force, f"law of {thing}", unit)

    def _scalar_joint(self, on: str | Body, coordinate: int | None, thing: str, kind: str) -> tuple[str, int]:
        body = self.known_body(on, thing)
        if not self.bodies[body].joint.scalar:
            raise ModelError(f"{thing}: body {body!r} has a ball or free joint, whose coordinates bear no {kind}")
        return self._joint_force(on, coordinate, thing)

    def _two_bodies(self, a: str | Body | None, b: str | Body | None, thing: str, wanted: str) -> tuple[str, str]:
        if a is None or b is None:
            raise ModelError(f"{thing}: give {wanted}")
        ends = self._place(a, thing), self._place(b, thing)
        if ends[0] == ends[1]:
            raise ModelError(f"{thing} joins {said(ends[0])} with itself: give two bodies")
        return ends


def _require_law(law: Elastic, thing: str) -> None:
    if law.law is None and is_literal(law.stiffness, 0.0) and is_literal(law.damping, 0.0):
        raise ModelError(f"{thing} does nothing: give stiffness=, damping=, force= or energy=")


def _three(value: Any, thing: str, unit: str) -> Vector:
    """Three numbers, or one that counts three times."""
    if isinstance(value, (int, float, str, Expression)):
        value = (value, value, value)
    return numbers(value, 3, thing, unit)
