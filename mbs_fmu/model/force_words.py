"""The words of a model that add forces."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from .forces import BodyForce, CoordinateSpring, Force, Motor, PointSpring
from .names import Names
from .parts import Body
from .vectors import number, numbers


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
    ) -> None:
        """A linear spring and damper, between two points or on a joint coordinate.

        Between points `at_a` of body `a` and `at_b` of body `b` (m, body axes): a pull of
        stiffness (distance - length) + damping d(distance)/dt along the line.
        On a joint coordinate (`on`, and `coordinate` from 1 where the joint has several): a force or torque of
        -stiffness (q - length) - damping u. stiffness: N/m or N.m/rad; damping: N.s/m or N.m.s/rad;
        length: m or rad. All may be expressions.
        """
        self._new_name(name, "force")
        thing = f"spring {name!r}"
        law = {
            "stiffness": number(stiffness, f"stiffness of {thing}"),
            "damping": number(damping, f"damping of {thing}"),
            "length": number(length, f"length of {thing}"),
        }
        if on is not None:
            if a is not None or b is not None:
                raise ModelError(f"{thing}: give either two bodies or on=, not both")
            body, k = self._joint_force(on, coordinate, thing)
            if not self.bodies[body].joint.scalar:
                raise ModelError(f"{thing}: body {body!r} has a ball or free joint, whose coordinates bear no spring")
            force: Force = CoordinateSpring(name, body, k, **law)
        else:
            if a is None or b is None:
                raise ModelError(f"{thing}: give two bodies, or on= with a joint coordinate")
            force = PointSpring(
                name,
                self._place(a, thing),
                numbers(at_a, 3, f"at_a of {thing}"),
                self._place(b, thing),
                numbers(at_b, 3, f"at_b of {thing}"),
                **law,
            )
        self._add_force(force)

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
        if (torque is None) == (force is None):
            raise ModelError(f"{thing}: give either torque= or force=")
        body, k = self._joint_force(on, coordinate, thing)
        unit = self.bodies[body].joint.forces[k][1]
        given = "N.m" if force is None else "N"
        if unit != given:
            kind, other = ("turns", "torque") if unit == "N.m" else ("slides", "force")
            raise ModelError(f"{thing}: this freedom of body {body!r} {kind}: give {other}=")
        law = number(torque if force is None else force, f"law of {thing}")
        self._add_force(Motor(name, body, k, law))

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
        if resolve_in not in ("world", "body"):
            raise ModelError(f'{thing}: resolve_in is {resolve_in!r}; use "world" or "body"')
        zero = (0.0, 0.0, 0.0)
        self._add_force(
            BodyForce(
                name,
                self._known_body(on, thing),
                numbers(at, 3, f"at of {thing}"),
                numbers(zero if force is None else force, 3, f"force of {thing}"),
                numbers(zero if torque is None else torque, 3, f"torque of {thing}"),
                resolve_in == "world",
            )
        )

    # -- helpers ------------------------------------------------------------------------------
    def _joint_force(self, body: str | Body, coordinate: int | None, thing: str) -> tuple[str, int]:
        name = self._known_body(body, thing)
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
            raise ModelError(f"{thing}: coordinate {coordinate!r} of body {name!r} does not exist: use 1 to {count}")
        return name, coordinate - 1

    def _add_force(self, force: Force) -> None:
        self.forces[force.name] = force
        self.version += 1
