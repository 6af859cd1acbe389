"""Forces and constraints of an MJCF: springs, losses and rotors of joints, equalities, actuators; notes on the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.joints import Spherical
from ..model.measures.measures import coordinate, rate
from ..model.model import Model
from ..symbolic.expressions import Expression, as_expression, clip
from .imported import Names

CONNECT, WELD, JOINT = range(3)  #: MuJoCo's mjtEq
ON_JOINT, NO_DYNAMICS, FIXED_GAIN, NO_BIAS, AFFINE_BIAS = 0, 0, 0, 0, 1  #: MuJoCo's types of actuators


@dataclass(frozen=True)
class ModelJoint:
    """A joint of MuJoCo in the model: the body that has its coordinates, and the number of the first, from 1."""

    name: str
    kind: str
    body: str
    coordinate: int


class Laws:
    """Builder of the model's forces and constraints. mounted: MuJoCo's joints in the model. notes: existing notes."""

    def __init__(self, mj: Any, model: Model, mounted: Mapping[int, ModelJoint], notes: list[str]):
        self.mj, self.model, self.mounted = mj, model, mounted
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
        """Add springs, damping, friction and armature."""
        for joint in self.mounted:
            dof = int(self.mj.jnt_dofadr[joint])
            if self._single(joint):
                self._along_one(joint, dof)
            else:
                self._along_several(joint, dof)

    def _along_one(self, joint: int, dof: int) -> None:
        mj, model, name = self.mj, self.model, self.mounted[joint].name
        stiffness, damping, friction, armature = (
            float(x) for x in (mj.jnt_stiffness[joint], mj.dof_damping[dof], mj.dof_frictionloss[dof],
                               mj.dof_armature[dof])
        )  # fmt: skip
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
        for k, damping in enumerate(mj.dof_damping[rows].tolist()):
            if damping:
                law: dict[str, Any] = {self._along(joint, k): 0.0, "viscous": damping}
                self.model.friction(self.forces.new(f"{mounted.name}_damping"), mounted.body, coordinate=k + 1, **law)
        omitted = {
            "stiffness": mj.jnt_stiffness[joint], "armature": mj.dof_armature[rows],
            "frictionloss": mj.dof_frictionloss[rows],
        }  # fmt: skip
        for quantity, values in omitted.items():
            if np.any(values):
                self.note(f"{quantity} of {mounted.kind} joint {mounted.name!r} is left out")

    # -- equalities --------------------------------------------------------------------------------------
    def equalities(self, bodies: Mapping[int, str]) -> None:
        """Add the equalities `connect` (between bodies) and `joint` as rigid constraints."""
        mj, added = self.mj, 0
        for number in range(mj.neq):
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
        mj, inputs = self.mj, dict[int, str]()
        for number in range(mj.nu):
            name = mj.actuator(number).name or f"actuator{number}"
            joint, reason = int(mj.actuator_trnid[number][0]), self._why_not(number)
            if reason:
                self.note(f"actuator {name!r} is left out: {reason}")
                continue
            low, high = mj.actuator_ctrlrange[number] if mj.actuator_ctrllimited[number] else (None, None)
            signal = self.inputs.new(name)
            control = self.model.input(signal, start=0.0, min=low, max=high)
            inputs.setdefault(joint, signal)
            law: dict[str, Any] = {
                self._along(joint): float(mj.actuator_gear[number][0]) * self._force(number, joint, control)
            }
            self.model.motor(self.forces.new(name), **self._place(joint), **law)
        return inputs

    def _why_not(self, number: int) -> str:
        """Reason why an actuator is not supported; empty if it is."""
        mj = self.mj
        if mj.actuator_trntype[number] != ON_JOINT or not self._single(int(mj.actuator_trnid[number][0])):
            return "it acts on no hinge or slide"
        plain = mj.actuator_dyntype[number] == NO_DYNAMICS and mj.actuator_gaintype[number] == FIXED_GAIN
        if not plain or mj.actuator_biastype[number] not in (NO_BIAS, AFFINE_BIAS):
            return "it is not a motor, position or velocity"
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
        mj = self.mj
        touching = mj.ngeom > 1 and np.any((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))
        polynomials = [getattr(mj, x, np.zeros(1)) for x in ("jnt_stiffnesspoly", "dof_dampingpoly")]
        omissions = {
            "contacts between geometries; m.ground takes those of robot.collisions()": touching,
            f"{mj.ntendon} tendons": mj.ntendon,
            f"{mj.nflex} flexes": mj.nflex,
            "the drag of a fluid (density, viscosity, wind)": mj.opt.density or mj.opt.viscosity or mj.opt.wind.any(),
            "compensation of gravity": mj.body_gravcomp.any(),
            "springs and dampers by polynomials": any(x.any() for x in polynomials),
            "armature and damping of actuators": any(
                np.any(getattr(mj, f"actuator_{x}", 0)) for x in ("armature", "damping")
            ),
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


def _polynomial(coefficients: np.ndarray, x: Expression) -> Expression:
    """Polynomial, the sum of c_i x^i."""
    terms = [float(c) * x**i if i else as_expression(float(c)) for i, c in enumerate(coefficients) if c]
    return sum(terms, start=as_expression(0.0))
