"""MuJoCo, by steps in C (`mj_step` with `nstep`).

Loops are soft constraints: `solref` is made as stiff as the step allows, with the guard against that switched off. With
a contact the model is MuJoCo's default one, a critically damped spring of 20 ms, with elliptic cones.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from ..data import FREE, PRISMATIC, Setting, System, Unsupported, ladder

CONTACT = "soft constraints"
SHORTEST = 2e-5  #: s, step of the run that others are compared with, in contact


def version() -> str:
    return str(mujoco.__version__)


def settings(system: System) -> list[Setting]:
    if system.elastic:
        raise Unsupported("bodies that bend by much are cables of rigid pieces")
    if system.ground:
        steps = (2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
        found = [
            *ladder("Euler", steps, CONTACT), *ladder("implicitfast", steps, CONTACT),
            *ladder("RK4", (*steps, 5e-5, SHORTEST), CONTACT, reference=True),
        ]  # fmt: skip
    else:
        fixed = (1e-2, 1e-3, 1e-4)
        found = ladder("implicitfast", fixed)
        if not system.stiff:
            found += ladder("RK4", (1e-2, 3e-3, 1e-3, 3e-4, 1e-4), reference=True)
    for setting in found:
        setting.build = {"method": setting.method, "h": setting.value}
    return found


def build(system: System, setting: Setting) -> Run:
    return Run(system, **setting.build)


def _quaternion(rotation: list[list[float]]) -> np.ndarray:
    out = np.zeros(4)
    mujoco.mju_mat2Quat(out, np.array(rotation).ravel())
    return out


def _first(value: float, old: object) -> object:
    """A coefficient in place of an old one; in new versions the first of a polynomial."""
    return np.eye(1, np.size(old))[0] * value if np.size(old) > 1 else value


class Run:
    def __init__(self, system: System, method: str, h: float) -> None:
        self.system, self.h = system, h
        spec = self.spec = mujoco.MjSpec()
        step = system.stop / system.steps(h, system.stop)
        spec.compiler.degree = False
        option = spec.option
        option.gravity, option.timestep = system.gravity, step
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{method.upper()}")
        if system.ground:
            option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        else:
            option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
        if system.closures:
            option.iterations, option.tolerance = 100, 1e-14
            option.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
        self._links()
        self._closures(step)
        self._forces()
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        identity = [1.0, 0.0, 0.0, 0.0]
        self.q = np.concatenate([[*link.q, *(identity if link.joint == FREE else ())] for link in system.links])
        self.u = np.concatenate([link.u for link in system.links])
        columns = [[t.value, t.frequency, t.phase] for t in system.torques]
        self.torques, self.frequencies, self.phases = np.reshape(columns, (-1, 3)).T
        joints = [self.model.body(t.link + 1).dofadr[0] for t in system.torques]
        self.driven = np.array(joints, int)

    def _links(self) -> None:
        self.bodies = [self.spec.worldbody]
        for i, link in enumerate(self.system.links):
            J = np.array(link.inertia)
            body = self.bodies[link.parent + 1].add_body(
                name=f"b{i}", pos=link.position, quat=_quaternion(link.rotation), mass=link.mass, ipos=link.com,
                fullinertia=[J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]], explicitinertial=True,
            )  # fmt: skip
            if link.joint == FREE:
                body.add_freejoint()
            if link.joint == PRISMATIC:
                body.add_joint(name=f"j{i}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=link.axis)
            for j, axis in enumerate(link.axes):
                spring = self.system.spring(i, j)
                joint = body.add_joint(
                    name=f"j{i}_{j}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, springref=spring.rest
                )
                joint.stiffness, joint.damping = _first(spring.k, joint.stiffness), _first(spring.d, joint.damping)
            self.bodies.append(body)

    def _closures(self, step: float) -> None:
        for k, c in enumerate(self.system.closures):
            for name, body, place in ((f"a{k}", c.a, c.at_a), (f"b{k}", c.b, c.at_b)):
                self.bodies[body + 1].add_site(name=f"site_{name}", pos=place)
            pin = self.spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE)
            pin.name1, pin.name2 = f"site_a{k}", f"site_b{k}"
            pin.solref, pin.solimp = [2.0 * step, 1.0], [0.9999, 0.9999, 0.001, 0.5, 2.0]

    def _forces(self) -> None:
        system, world = self.system, self.spec.worldbody
        for k, p in enumerate(system.point_springs):
            self.bodies[p.link + 1].add_site(name=f"end{k}", pos=p.point)
            world.add_site(name=f"anchor{k}", pos=p.anchor)
            tendon = self.spec.add_tendon(name=f"line{k}", springlength=[p.length, p.length])
            tendon.stiffness = _first(p.k, tendon.stiffness)
            tendon.wrap_site(f"end{k}")
            tendon.wrap_site(f"anchor{k}")
        if system.ground:
            friction = [system.ground.friction, 0.0, 0.0]
            kind = mujoco.mjtGeom
            world.add_geom(type=kind.mjGEOM_PLANE, size=[5.0, 5.0, 1.0], friction=friction, condim=3)
            for s in system.spheres:
                self.bodies[s.link + 1].add_geom(
                    type=kind.mjGEOM_SPHERE, size=[s.radius, 0.0, 0.0], pos=s.centre, friction=friction, condim=3
                )

    def start(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.q, self.u
        self.drive(self.model, self.data)

    def drive(self, model: object, data: Any) -> None:
        """Apply the torques of a time, also as MuJoCo's callback in each stage of a step."""
        angles = 2.0 * np.pi * self.frequencies * data.time + self.phases
        data.qfrc_applied[self.driven] = self.torques * np.cos(angles)

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        steps = self.system.steps(self.h, stop)
        self.start()
        mujoco.set_mjcb_control(self.drive if self.system.moved else None)
        mujoco.mj_step(self.model, self.data, nstep=steps)
        mujoco.set_mjcb_control(None)
        mujoco.mj_kinematics(self.model, self.data)
        if self.data.time < 0.5 * steps * self.model.opt.timestep:  # MuJoCo starts again when numbers are not finite
            raise FloatingPointError("unstable")
        x, R = self.data.xpos, self.data.xmat.reshape(-1, 3, 3)
        places = [x[i + 1] + R[i + 1] @ point for i, point in self.system.markers]
        return np.concatenate(places).tolist(), f"{steps} steps"

    def energy(self) -> float:
        self.start()
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())
