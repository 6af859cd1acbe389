"""Laws of joints from a robot file: springs, losses, stops, inputs and followers along their coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

from ..infrastructure.errors import ModelError
from ..model.geometry.vectors import no_less_than_zero
from ..model.measures.measures import coordinate
from ..model.model import Model
from .document import Document
from .imported import ImportedJoint, Names, bound
from .parts import AxisData, JointData


class LawOptions(Protocol):
    """The options of a reader that concern laws of joints."""

    @property
    def efforts(self) -> bool: ...
    @property
    def stops(self) -> tuple[float, float] | None: ...
    @property
    def dynamics(self) -> bool: ...


class JointLaws:
    """Adds the laws of joints to a model. bodies: names in the model, by link, complete when laws are added."""

    def __init__(
        self,
        document: Document,
        model: Model,
        joints: Mapping[str, JointData],
        bodies: Mapping[str, str],
        names: Names,
        options: LawOptions,
    ):
        self.document, self.model, self.options = document, model, options
        self.joints, self.bodies, self.names = joints, bodies, names
        self.forces, self.inputs = Names(), Names()
        self.axes = {axis.name: (joint, axis) for joint in joints.values() for axis in joint.axes}
        self.chains = {name: self._chain(name) for name in self.axes}  #: of leaders, by axis

    # -- joints that mimic others -------------------------------------------------------------------------
    def is_held(self, joint: JointData) -> bool:
        """Return whether a joint with one axis mimics one that does not move."""
        if len(joint.axes) != 1:
            return False
        chain, _ = self.chains[joint.axes[0].name]
        return len(chain) > 1 and chain[-1] in self.axes and not self.axes[chain[-1]][0].joint.motions

    def led(self) -> dict[str, tuple[str, float]]:
        """Return for the child link of each mimic joint that of the leader at the end of its chain, and the ratio.

        Invalid chains, and leaders without one degree of freedom, are left out: `_add_follower` treats them.
        """
        led = {}
        for joint in self.joints.values():
            if joint.degrees_of_freedom != 1 or len(joint.axes) != 1:
                continue
            chain, ratio = self.chains[joint.axes[0].name]
            if len(chain) == 1 or chain[-1] not in self.axes:
                continue
            leading, axis = self.axes[chain[-1]]
            if axis.mimic is None and leading.degrees_of_freedom == 1:
                led[joint.child] = leading.child, ratio
        return led

    def _chain(self, name: str) -> tuple[list[str], float]:
        """Return an axis, its leader, the leader's leader and so on, and the ratio to the last; the last is unknown, or
        occurs twice, if the chain is invalid."""
        chain, ratio = [name], 1.0
        while chain[-1] in self.axes and chain[-1] not in chain[:-1]:
            mimic = self.axes[chain[-1]][1].mimic
            if mimic is None:
                break
            chain, ratio = [*chain, mimic.leader], ratio * mimic.multiplier
        return chain, ratio

    # -- laws ---------------------------------------------------------------------------------------------
    def imported(self, joint: JointData, welded: bool) -> dict[str, ImportedJoint]:
        """Add the laws along a joint to the model; return the data of its axes by name, none for auxiliary joints."""
        body = self.bodies[joint.child]
        found: dict[str, ImportedJoint] = {}
        moves = bool(self.model.bodies[body].joint.motions)
        for axis in joint.axes:
            effort = None
            if not welded and len(joint.axes) == joint.degrees_of_freedom:
                with self.document.at(joint.element, f"joint {axis.name!r}"):
                    effort = self._add_laws(joint, axis, body)
            elif not welded:
                self._add_losses(joint, axis, body)
            number = axis.coordinate if moves else None
            found[axis.name] = ImportedJoint(axis.name, joint.kind, body, number, axis.limits, axis.mimic, effort)
        if not joint.axes and not joint.is_auxiliary:
            found[joint.name] = ImportedJoint(joint.name, joint.kind, body, 1 if moves else None)
        return found

    def _add_laws(self, joint: JointData, axis: AxisData, body: str) -> str | None:
        """Add the laws along one coordinate; return the name of its input, or None."""
        model, options, name = self.model, self.options, axis.name
        along = "force" if joint.is_along(axis) else "torque"
        where: dict[str, Any] = {"on": body, "coordinate": axis.coordinate}
        if (axis.damping or axis.stiffness) and options.dynamics:
            spring = where | {"damping": no_less_than_zero(axis.damping, "damping")}
            spring |= {"stiffness": no_less_than_zero(axis.stiffness, "stiffness"), "length": axis.reference}
            model.spring(self.forces.new(f"{name}_{'spring' if axis.stiffness else 'damping'}"), **spring)
        if axis.friction and options.dynamics:
            model.friction(self.forces.new(f"{name}_friction"), **where | {along: axis.friction})
        low, high = axis.limits.lower, axis.limits.upper
        if options.stops is not None and not (math.isinf(low) and math.isinf(high)) and low < high:
            stiffness, damping = options.stops
            ends = where | {"lower": bound(low), "upper": bound(high)}
            model.limit(self.forces.new(f"{name}_stops"), **ends, stiffness=stiffness, damping=damping)
        if axis.mimic is not None:
            self._add_follower(joint, axis, body)
            return None
        if not options.efforts or not joint.has_motor:
            return None
        most = axis.limits.effort if 0.0 < axis.limits.effort < math.inf else None
        signal = self.inputs.new(f"{name}_effort")
        unit = "N" if joint.is_along(axis) else "N.m"
        effort = model.input(signal, unit=unit, start=0.0, min=most and -most, max=most)
        model.motor(self.forces.new(f"{name}_motor"), **where | {along: effort})
        return signal

    def _add_losses(self, joint: JointData, axis: AxisData, body: str) -> None:
        """Add damping and friction along each velocity of a joint with several degrees of freedom."""
        if not self.options.dynamics or not (axis.damping or axis.friction):
            return
        for k, (_, unit) in enumerate(joint.joint.forces, start=1):
            law: dict[str, Any] = {"force" if unit == "N" else "torque": axis.friction, "viscous": axis.damping}
            with self.document.at(joint.element, f"joint {joint.name!r}"):
                self.model.friction(self.forces.new(f"{joint.name}_losses"), on=body, coordinate=k, **law)
        if joint.joint.motions:
            self.document.note(f"damping and friction of {joint.kind} joint {joint.name!r} act along each velocity")

    def _add_follower(self, joint: JointData, axis: AxisData, body: str) -> None:
        """Make a mimic joint follow its leader. If the leader is fixed, its coordinate counts as zero."""
        mimic = axis.mimic
        assert mimic is not None
        *chain, last = self.chains[axis.name][0]
        if last not in self.axes:
            raise ModelError(f"it mimics {last!r}, which is not a joint")
        if last in chain:
            raise ModelError(f"it mimics itself, through {' and '.join(map(repr, chain[1:]))}")
        leading, leading_axis = self.axes[mimic.leader]
        count = leading.degrees_of_freedom
        if count > len(leading.axes):
            raise ModelError(f"it mimics {leading.name!r}, which has {count} degrees of freedom: it must have one")
        leader, name = self.bodies[leading.child], self.names.new(f"{axis.name}_mimic")
        if not self.model.bodies[self.bodies[self.axes[last][0].child]].joint.motions:
            position = self._held_position(chain)
            self.model.drive(name, body, position=position, rate=0.0, coordinate=axis.coordinate)
        elif count == joint.degrees_of_freedom == 1:
            self.model.follow(name, body, leader, mimic.multiplier, mimic.offset)
        else:
            leads = mimic.multiplier * coordinate(leader, leading_axis.coordinate) + mimic.offset
            self.model.constrain(name, coordinate(body, axis.coordinate) - leads)

    def _held_position(self, chain: list[str]) -> float:
        """Return the coordinate of the first of a chain of followers whose last leader does not move."""
        position = 0.0
        for name in reversed(chain):
            following = self.axes[name][1].mimic
            assert following is not None
            position = following.multiplier * position + following.offset
        return position
