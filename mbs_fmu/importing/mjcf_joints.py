"""Forces along the joints of an MJCF: springs, losses, rotors and stops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.forces.frictions import SPEED, smooth
from ..model.joints import Weld
from ..model.measures.measures import velocity
from ..symbolic.expressions import as_expression
from .imported import Limits, bound
from .mjcf_reading import ModelJoint, Reading

FRICTIONS = ("smooth", "sticks")
SMOOTH = "friction of {0} is smooth near rest, where it differs from MuJoCo's and makes the model stiff: use rodas5p"
STOPPED = "springs and dampers, soft constraints in MuJoCo"
STICKS = "friction of joints sticks at rest; MuJoCo's creeps"


class JointLaws:
    """Builder of the forces along joints.

    stops: stiffness and damping at limits, or None. friction: the law of `frictionloss`.
    """

    def __init__(self, reading: Reading, stops: tuple[float, float] | None, friction: str):
        self.reading, self.stops, self.sticks = reading, stops, friction == "sticks"

    def add(self) -> None:
        """Add springs, damping, friction, armature and stops, unless the file disables them."""
        for joint in self.reading.mounted:
            dof = int(self.reading.mj.jnt_dofadr[joint])
            if self.reading.is_single(joint):
                self._along_one(joint, dof)
            else:
                self._along_several(joint, dof)
        self._compensate_gravity()
        self._note_limits()

    def _along_one(self, joint: int, dof: int) -> None:
        reading, mj, model = self.reading, self.reading.mj, self.reading.model
        name, start = reading.mounted[joint].name, reading.start_of(joint)
        stiffness, damping, friction = (float(x[0]) for x in self._acting(joint, slice(dof, dof + 1)).values())
        armature = float(mj.dof_armature[dof])
        if start:
            reading.note(f"joint {name!r} is at {start:g} in the reference pose, where it is 0 here")
        if stiffness or damping:
            rest = float(mj.qpos_spring[mj.jnt_qposadr[joint]]) - start
            law: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "length": rest}
            model.spring(reading.forces.new(f"{name}_spring"), **reading.place(joint), **law)
        if friction:
            law = {reading.along(joint): friction, "stick": self.sticks}
            model.friction(self._friction_name(name), **reading.place(joint), **law)
            reading.note(STICKS if self.sticks else SMOOTH.format("joints"))
        if armature:
            model.rotor(reading.forces.new(f"{name}_armature"), **reading.place(joint), inertia=armature)
        limits = limits_of(reading, joint)
        if self.stops is not None and limits.lower < limits.upper and np.isfinite([limits.lower, limits.upper]).any():
            law = {"stiffness": self.stops[0], "damping": self.stops[1]}
            law |= {"lower": bound(limits.lower), "upper": bound(limits.upper)}
            model.limit(reading.forces.new(f"{name}_stops"), **reading.place(joint), **law)

    def _friction_name(self, joint: str) -> str:
        """Return a name that is new among forces, and among closures if the friction sticks."""
        name = self.reading.forces.new(f"{joint}_friction")
        while self.sticks and name in self.reading.closures.taken:
            name = self.reading.forces.new(f"{name}_")
        self.reading.closures.taken.add(name)
        return name

    def _along_several(self, joint: int, dof: int) -> None:
        """Add viscous damping and friction along each velocity of a ball or free joint, and armature that moves in
        the world; note other forces, which are omitted."""
        reading, mounted = self.reading, self.reading.mounted[joint]
        rows = slice(dof, dof + (6 if mounted.kind == "free" else 3))
        acting = self._acting(joint, rows)
        for k, damping in enumerate(acting.pop("damping").tolist()):
            if damping:
                law: dict[str, Any] = {reading.along(joint, k): 0.0, "viscous": damping}
                name = reading.forces.new(f"{mounted.name}_damping")
                reading.model.friction(name, mounted.body, coordinate=k + 1, **law)
        self._rub(joint, acting.pop("frictionloss").tolist())
        limited = reading.mj.jnt_limited[joint : joint + 1] * ("limit" in reading.enabled)
        armature = float(reading.mj.dof_armature[dof])
        if armature and not reading.moves(int(reading.mj.body_parentid[reading.mj.jnt_bodyid[joint]])):
            self._add_inertia(mounted, armature)
            armature = 0.0
        left_out = {**acting, "armature": armature, "limit": limited}
        for quantity, values in left_out.items():
            if np.any(values):
                reading.note(f"{quantity} of {mounted.kind} joint {mounted.name!r} is left out")

    def _rub(self, joint: int, losses: list[float]) -> None:
        """Add friction, smooth near rest, along the velocities of a ball or free joint: angular velocities along body
        axes, and the velocity of a free body along world axes, as MuJoCo has it."""
        reading, mounted = self.reading, self.reading.mounted[joint]
        sliding = losses[:-3]
        for k, loss in enumerate(losses):
            if loss and k >= len(sliding):
                law: dict[str, Any] = {"torque": loss, "coordinate": k + 1}
                reading.model.friction(reading.forces.new(f"{mounted.name}_friction"), mounted.body, **law)
        if any(sliding):
            v = velocity(mounted.body)
            push = [-smooth(as_expression(loss), u, as_expression(SPEED)) for loss, u in zip(sliding, v, strict=True)]
            reading.model.force(reading.forces.new(f"{mounted.name}_friction"), mounted.body, force=push)
        if any(losses):
            reading.note(SMOOTH.format("joints"))

    def _add_inertia(self, joint: ModelJoint, armature: float) -> None:
        """Add the armature of a ball or free joint on the world: equal moments of inertia about all axes, kg m², and of
        a free joint the same number as a mass, kg, at the origin of the body, on which gravity does not act.

        MuJoCo adds the number to the diagonal of the mass matrix. Equal moments of inertia add the same, since they
        have no gyroscopic torque.
        """
        model, name = self.reading.model, self.reading.closures.new(f"{joint.name}_armature")
        mass = armature if joint.kind == "free" else 0.0
        model.body(name, joint.body, Weld(), mass=mass, inertia=(armature,) * 3)
        lift = [-mass * g for g in self.reading.gravity]
        if any(lift):
            model.force(self.reading.forces.new(f"{joint.name}_weightless"), name, (0.0, 0.0, 0.0), lift)

    def _compensate_gravity(self) -> None:
        """Add the forces against gravity of bodies with `gravcomp`, at their centres of mass; note where MuJoCo clamps
        them as forces of actuators."""
        reading, mj = self.reading, self.reading.mj
        if not any(reading.gravity) or not reading.enabled.passive:
            return
        for body in np.flatnonzero(mj.body_gravcomp * mj.body_mass).tolist():
            lift = [-float(mj.body_gravcomp[body] * mj.body_mass[body]) * g for g in reading.gravity]
            name = reading.forces.new(f"{reading.bodies[body]}_gravcomp")
            reading.model.force(name, reading.bodies[body], mj.body_ipos[body].tolist(), lift)
        if np.any(mj.jnt_actgravcomp & mj.jnt_actfrclimited) and mj.body_gravcomp.any():
            reading.note("actuatorfrcrange of joints does not limit the compensation of gravity")

    def _acting(self, joint: int, rows: slice) -> dict[str, np.ndarray]:
        """Return stiffness, damping and friction of a joint with these velocities: zero if the file disables them."""
        mj, enabled = self.reading.mj, self.reading.enabled
        return {
            "stiffness": mj.jnt_stiffness[joint : joint + 1] * ("spring" in enabled),
            "damping": mj.dof_damping[rows] * ("damper" in enabled),
            "frictionloss": mj.dof_frictionloss[rows] * ("frictionloss" in enabled),
        }

    def _note_limits(self) -> None:
        """Note what becomes of the limits of hinges and slides."""
        reading = self.reading
        limited = [limits_of(reading, joint) for joint in reading.mounted if reading.is_single(joint)]
        count = sum(bool(np.isfinite([x.lower, x.upper]).any()) for x in limited)
        if count and self.stops is None:
            reading.note(f"limits of {count} joints are ranges only: give stops=")
        elif count:
            reading.note(f"limits of {count} joints are {STOPPED}")


def limits_of(reading: Reading, joint: int) -> Limits:
    """Return the limits of a joint relative to the reference pose; infinite if the file disables them."""
    mj, single = reading.mj, reading.is_single(joint)
    limited = mj.jnt_limited[joint] and single and "limit" in reading.enabled
    lower, upper = mj.jnt_range[joint] if limited else (-np.inf, np.inf)
    effort = mj.jnt_actfrcrange[joint][1] if mj.jnt_actfrclimited[joint] else np.inf
    start = reading.start_of(joint) if single else 0.0
    return Limits(float(lower - start), float(upper - start), float(effort))
