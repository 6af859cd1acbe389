"""Forces and constraints of an MJCF: springs, losses and rotors of joints, equalities, actuators; notes on the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.joints import Spherical
from ..model.measures.measures import coordinate, rate
from ..model.model import Model
from ..symbolic.expressions import Expression, as_expression, clip
from .imported import Names
from .mjcf_switches import Switches

CONNECT, WELD, JOINT = range(3)  #: MuJoCo's mjtEq
ON_JOINT, ON_JOINT_IN_PARENT = 0, 1  #: MuJoCo's mjtTrn; they differ for ball and free joints only
NO_DYNAMICS, FIXED_GAIN, NO_BIAS, AFFINE_BIAS = 0, 0, 0, 1  #: MuJoCo's types of actuators


@dataclass(frozen=True)
class ModelJoint:
    """A joint of MuJoCo in the model: the body that has its coordinates, and the number of the first, from 1."""

    name: str
    kind: str
    body: str
    coordinate: int


class Laws:
    """Builder of the model's forces and constraints.

    enabled: the switches of the file. mounted: MuJoCo's joints in the model. notes: existing notes.
    """

    def __init__(
        self, mj: Any, enabled: Switches, model: Model, mounted: Mapping[int, ModelJoint], notes: list[str]
    ):  # fmt: skip
        self.mj, self.enabled, self.model, self.mounted = mj, enabled, model, mounted
        self.forces, self.closures, self.inputs = Names(), Names(), Names()
        self.closures.taken |= set(model.bodies)
        self.notes = notes

    def _place(self, joint: int) -> dict[str, Any]:
        """Arguments that select the coordinate of a hinge or slide."""
        return {"on": self.mounted[joint].body, "coordinate": self.mounted[joint].coordinate}

    def _single(self, joint: int) -> bool:
        return self.mounted[joint].kind in ("hinge", "slide")

    def _along(self, joint: int, k: int = 0) -> str:
        """Name of the argument for the generalized force along a joint's k-th velocity: "force" or "torque"."""
        slides = self.mounted[joint].kind == "slide" or self.mounted[joint].kind == "free" and k < 3
        return "force" if slides else "torque"

    # -- along joints ------------------------------------------------------------------------------------
    def along_joints(self) -> None:
        """Add springs, damping, friction and armature, unless the file disables them."""
        for joint in self.mounted:
            dof = int(self.mj.jnt_dofadr[joint])
            if self._single(joint):
                self._along_one(joint, dof)
            else:
                self._along_several(joint, dof)

    def _along_one(self, joint: int, dof: int) -> None:
        mj, model, name = self.mj, self.model, self.mounted[joint].name
        stiffness, damping, friction = (float(x[0]) for x in self._acting(joint, slice(dof, dof + 1)).values())
        armature = float(mj.dof_armature[dof])
        reference = mj.jnt_qposadr[joint]
        rest = float(mj.qpos_spring[reference] - mj.qpos0[reference])
        if mj.qpos0[reference]:
            self.note(f"joint {name!r} is at {mj.qpos0[reference]:g} in the reference pose, where it is 0 here")
        if stiffness or damping:
            law: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "length": rest}
            model.spring(self.forces.new(f"{name}_spring"), **self._place(joint), **law)
        if friction:
            law = {self._along(joint): friction}
            model.friction(self.forces.new(f"{name}_friction"), **self._place(joint), **law)
            self.note("friction of joints follows a law that differs from MuJoCo's near rest")
        if armature:
            model.rotor(self.forces.new(f"{name}_armature"), **self._place(joint), inertia=armature)

    def _along_several(self, joint: int, dof: int) -> None:
        """Add viscous damping along each velocity of a ball or free joint; note other forces, which are omitted."""
        mj, mounted = self.mj, self.mounted[joint]
        count = 6 if mounted.kind == "free" else 3
        rows = slice(dof, dof + count)
        acting = self._acting(joint, rows)
        for k, damping in enumerate(acting.pop("damping").tolist()):
            if damping:
                law: dict[str, Any] = {self._along(joint, k): 0.0, "viscous": damping}
                self.model.friction(self.forces.new(f"{mounted.name}_damping"), mounted.body, coordinate=k + 1, **law)
        for quantity, values in {**acting, "armature": mj.dof_armature[rows]}.items():
            if np.any(values):
                self.note(f"{quantity} of {mounted.kind} joint {mounted.name!r} is left out")

    def _acting(self, joint: int, rows: slice) -> dict[str, np.ndarray]:
        """Return stiffness, damping and friction of a joint with these velocities: zero if the file disables them."""
        mj, enabled = self.mj, self.enabled
        return {
            "stiffness": mj.jnt_stiffness[joint : joint + 1] * ("spring" in enabled),
            "damping": mj.dof_damping[rows] * ("damper" in enabled),
            "frictionloss": mj.dof_frictionloss[rows] * ("frictionloss" in enabled),
        }

    # -- equalities --------------------------------------------------------------------------------------
    def equalities(self, bodies: Mapping[int, str]) -> None:
        """Add the equalities `connect` (between bodies) and `joint` as rigid constraints."""
        mj, added = self.mj, 0
        for number in range(mj.neq if "equality" in self.enabled else 0):
            kind, data = int(mj.eq_type[number]), mj.eq_data[number]
            a, b = int(mj.eq_obj1id[number]), int(mj.eq_obj2id[number])
            name = mj.equality(number).name or f"equality{number}"
            on_bodies = int(mj.eq_objtype[number]) == 1  # mjOBJ_BODY
            if not mj.eq_active0[number]:
                self.note(f"equality {name!r} is not active and left out")
            elif kind == JOINT:
                other = coordinate(self.mounted[b].body, self.mounted[b].coordinate) if b >= 0 else as_expression(0.0)
                follows = coordinate(self.mounted[a].body, self.mounted[a].coordinate) - _polynomial(data[:5], other)
                self.model.constrain(self.closures.new(name), follows)
                added += 1
            elif kind == CONNECT and on_bodies:
                places = {"at_a": data[:3].tolist(), "at_b": data[3:6].tolist()}
                self.model.close(self.closures.new(name), bodies[a], bodies[b], Spherical(), **places)
                added += 1
            else:
                self.note(f"equality {name!r} is left out: only connect (of bodies) and joint are supported")
        if added:
            self.note("equalities are rigid here, soft in MuJoCo")

    # -- actuators ---------------------------------------------------------------------------------------
    def actuators(self) -> dict[int, str]:
        """Add motors and servos on one hinge or slide, each with an input; return the inputs by joint."""
        mj, inputs, acting = self.mj, dict[int, str](), dict[int, dict[str, Expression]]()
        for number in range(getattr(mj, "nactuator", mj.nu)):  # since MuJoCo 4 an actuator may have several controls
            name = mj.actuator(number).name or f"actuator{number}"
            joint, reason = int(mj.actuator_trnid[number][0]), self._why_not(number)
            if reason:
                self.note(f"actuator {name!r} is left out: {reason}")
                continue
            signal, limited = self.inputs.new(name), bool(mj.actuator_ctrllimited[number])
            low, high = (float(x) for x in mj.actuator_ctrlrange[number])
            control = self.model.input(signal, start=0.0, min=low if limited else None, max=high if limited else None)
            if limited and "clampctrl" in self.enabled:
                control = clip(control, low, high)
            inputs.setdefault(joint, signal)
            force = float(mj.actuator_gear[number][0]) * self._force(number, joint, control)
            acting.setdefault(joint, {})[name] = force
        for joint, forces in acting.items():
            self._add_motors(joint, forces)
        return inputs

    def _add_motors(self, joint: int, forces: Mapping[str, Expression]) -> None:
        """Add the forces of actuators along a joint, by name; if the joint limits their sum, one motor of the joint."""
        mj, along = self.mj, self._along(joint)
        if mj.jnt_actfrclimited[joint]:
            low, high = (float(x) for x in mj.jnt_actfrcrange[joint])
            total = clip(sum(forces.values(), start=as_expression(0.0)), low, high)
            name = next(iter(forces)) if len(forces) == 1 else f"{self.mounted[joint].name}_actuators"
            forces = {name: total}
        for name, force in forces.items():
            law: dict[str, Any] = {along: force}
            self.model.motor(self.forces.new(name), **self._place(joint), **law)

    def _why_not(self, number: int) -> str:
        """Reason why an actuator is not supported, or does not act; empty if it does."""
        mj = self.mj
        if "actuation" not in self.enabled:
            return "the file disables actuation"
        if not self.enabled.has_actuator(int(mj.actuator_group[number])):
            return f"the file disables its group {int(mj.actuator_group[number])}"
        on_joint = mj.actuator_trntype[number] in (ON_JOINT, ON_JOINT_IN_PARENT)
        if not on_joint or not self._single(int(mj.actuator_trnid[number][0])):
            return "it acts on no hinge or slide"
        plain = mj.actuator_dyntype[number] == NO_DYNAMICS and mj.actuator_gaintype[number] == FIXED_GAIN
        controls = getattr(mj, "actuator_ctrlnum", None)
        if not plain or mj.actuator_biastype[number] not in (NO_BIAS, AFFINE_BIAS) or mj.actuator_plugin[number] >= 0:
            return "it is not a motor, position or velocity"
        if controls is not None and controls[number] != 1:
            return f"it has {int(controls[number])} controls"
        if getattr(mj, "actuator_delay", np.zeros(number + 1))[number]:
            return "its control is delayed"
        return ""

    def _force(self, number: int, joint: int, signal: Expression) -> Expression:
        """Force of an actuator: gain times signal plus the bias of its length and speed, within its force limits."""
        mj = self.mj
        gear, start = float(mj.actuator_gear[number][0]), float(mj.qpos0[mj.jnt_qposadr[joint]])
        force = float(mj.actuator_gainprm[number][0]) * signal
        if mj.actuator_biastype[number] == AFFINE_BIAS:
            place = (self.mounted[joint].body, self.mounted[joint].coordinate)
            constant, by_length, by_speed = (float(x) for x in mj.actuator_biasprm[number][:3])
            force = force + constant + by_length * gear * (coordinate(*place) + start) + by_speed * gear * rate(*place)
        if mj.actuator_forcelimited[number]:
            low, high = (float(x) for x in mj.actuator_forcerange[number])
            force = clip(force, low, high)
        return force

    # -- omissions ---------------------------------------------------------------------------------------
    def note_omissions(self) -> None:
        """Note the other elements of the file that the model does not contain."""
        mj, passive = self.mj, self.enabled.passive
        masks = np.any((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))
        touching = mj.ngeom > 1 and masks and "contact" in self.enabled
        drag = mj.opt.density or mj.opt.viscosity or mj.opt.wind.any()
        polynomials = [getattr(mj, x, np.zeros(1)) for x in ("jnt_stiffnesspoly", "dof_dampingpoly")]
        omissions = {
            "contacts between geometries; m.ground takes those of robot.collisions()": touching,
            f"{mj.ntendon} tendons": mj.ntendon,
            f"{mj.nflex} flexes": mj.nflex,
            "the drag of a fluid (density, viscosity, wind)": drag and passive,
            "compensation of gravity": mj.body_gravcomp.any() and passive and "gravity" in self.enabled,
            "springs and dampers by polynomials": any(x.any() for x in polynomials),
            "armature and damping of actuators": any(
                np.any(getattr(mj, f"actuator_{x}", 0)) for x in ("armature", "damping")
            ),
            f"{mj.nkey} keyframes ({names_of(mj.key, mj.nkey)})": mj.nkey,
            f"{mj.nplugin} plugins": mj.nplugin,
            "springs that yield": getattr(mj, "nplastic", 0),
        }
        for element, present in omissions.items():
            if present:
                self.note(f"left out: {element}")
        if mj.nmocap:
            self.note(f"{mj.nmocap} mocap bodies are fixed")

    def note(self, text: str) -> None:
        """Add a note unless it is present already."""
        if text not in self.notes:
            self.notes.append(text)


def names_of(element: Callable[[int], Any], count: int) -> str:
    """Names of the elements of one kind, or their numbers from 0."""
    return ", ".join(element(number).name or str(number) for number in range(count))


def _polynomial(coefficients: np.ndarray, x: Expression) -> Expression:
    """Polynomial, the sum of c_i x^i."""
    terms = [float(c) * x**i if i else as_expression(float(c)) for i, c in enumerate(coefficients) if c]
    return sum(terms, start=as_expression(0.0))
