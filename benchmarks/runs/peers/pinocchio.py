"""Pinocchio's `aba`, or `constraintDynamics` where loops close, under scipy's methods."""

from __future__ import annotations

from importlib.metadata import version as version_of

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from ..data import FREE, PRISMATIC, UNIVERSAL, Link, Setting, System, Unsupported, ladder

STABILISATION = 100.0, 20.0  #: 1/s2 and 1/s, gains after Baumgarte
PROXIMAL = 1e-12, 1e-12, 10  #: accuracy, regularisation and iterations of the constraints
SMALLEST = 3e-14  #: relative tolerance of scipy


def version() -> str:
    return f"{pin.__version__} with scipy {version_of('scipy')}"


def settings(system: System) -> list[Setting]:
    if system.elastic:
        raise Unsupported("no elastic bodies")
    if system.ground:
        raise Unsupported("no contact in time integration")
    if system.stiff:
        return ladder("Radau", (1e-3, 1e-5, 1e-7, 1e-9), method="Radau", reference=True)
    return ladder("DOP853", (1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13), method="DOP853", reference=True)


def build(system: System, setting: Setting) -> Run:
    return Run(system)


def _joint(link: Link) -> object:
    aligned = {(1.0, 0.0, 0.0): pin.JointModelRX, (0.0, 1.0, 0.0): pin.JointModelRY, (0.0, 0.0, 1.0): pin.JointModelRZ}
    if link.joint == FREE:
        raise Unsupported("no free joints in this adapter")
    if link.joint == UNIVERSAL:
        return pin.JointModelUniversal(*map(np.array, link.axes))
    if link.joint == PRISMATIC:
        return pin.JointModelPrismaticUnaligned(np.array(link.axis))
    if tuple(link.axis) in aligned:
        return aligned[tuple(link.axis)]()
    return pin.JointModelRevoluteUnaligned(np.array(link.axis))


class Run:
    def __init__(self, system: System) -> None:
        self.system = system
        m = self.model = pin.Model()
        m.gravity.linear = np.array(system.gravity)
        for i, link in enumerate(system.links):
            place = pin.SE3(np.array(link.rotation), np.array(link.position))
            k = m.addJoint(link.parent + 1, _joint(link), place, f"j{i}")
            inertia = pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia))
            m.appendBodyToJoint(k, inertia, pin.SE3.Identity())
        self.data = m.createData()
        self.q, self.u = (np.concatenate([getattr(link, name) for link in system.links]) for name in "qu")
        first = np.cumsum([0, *(len(link.q) for link in system.links)])
        self.k, self.d, self.rest, self.torques, self.frequencies, self.phases = np.zeros((6, m.nv))
        for s in system.joint_springs:
            at = first[s.link] + s.coordinate
            self.k[at], self.d[at], self.rest[at] = s.k, s.d, s.rest
        for t in system.torques:
            at = first[t.link]
            self.torques[at], self.frequencies[at], self.phases[at] = t.value, t.frequency, t.phase
        self._closures()

    def _closures(self) -> None:
        m = self.model
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for c in self.system.closures:
            a, b = (pin.SE3(np.eye(3), np.array(place)) for place in (c.at_a, c.at_b))
            kind, frame = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
            loop = pin.RigidConstraintModel(kind, m, c.a + 1, a, c.b + 1, b, frame)
            gains = loop.m_baumgarte_parameters
            gains.Kp, gains.Kd = STABILISATION
            loop.setBaumgarteCorrectorParameters(gains)
            self.loops.append(loop)
            self.loop_data.append(loop.createData())
        if self.system.closures:
            pin.initConstraintDynamics(m, self.data, self.loops, self.loop_data)
            self.proximal = pin.ProximalSettings(*PROXIMAL)

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        m, data, n = self.model, self.data, self.model.nv
        q, u = x[:n], x[n:]
        tau = self.torques
        if self.system.moved:
            tau = tau * np.cos(2.0 * np.pi * self.frequencies * t + self.phases)
        if self.system.joint_springs:
            tau = tau + self.k * (self.rest - q) - self.d * u
        for p in self.system.point_springs:
            pin.computeJointJacobians(m, data, q)
            place = data.oMi[p.link + 1]
            end = place.act(np.array(p.point))
            to_anchor = np.array(p.anchor) - end
            length = np.linalg.norm(to_anchor)
            force = p.k * (1.0 - p.length / length) * to_anchor
            J = pin.getJointJacobian(m, data, p.link + 1, pin.LOCAL_WORLD_ALIGNED)
            tau = tau + J[:3].T @ force + J[3:].T @ np.cross(end - place.translation, force)
        if len(self.loops):
            a = pin.constraintDynamics(m, data, q, u, tau, self.loops, self.loop_data, self.proximal)
        else:
            a = pin.aba(m, data, q, u, tau)
        return np.concatenate([u, a])

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        rtol = setting.value
        start = np.concatenate([self.q, self.u])
        method = setting.options["method"]
        r = solve_ivp(self.rates, (0.0, stop), start, method=method, rtol=max(rtol, SMALLEST), atol=rtol / 100)
        if not r.success:
            raise RuntimeError(r.message)
        pin.forwardKinematics(self.model, self.data, r.y[: self.model.nv, -1])
        places = [self.data.oMi[i + 1].act(np.array(point)) for i, point in self.system.markers]
        return np.concatenate(places).tolist(), f"{r.nfev} evaluations"

    def energy(self) -> float:
        m, data = self.model, self.data
        kinetic, potential = (
            pin.computeKineticEnergy(m, data, self.q, self.u),
            pin.computePotentialEnergy(m, data, self.q),
        )
        springs = 0.5 * float((self.k * (self.q - self.rest) ** 2).sum())
        for p in self.system.point_springs:
            pin.forwardKinematics(m, data, self.q)
            length = np.linalg.norm(data.oMi[p.link + 1].act(np.array(p.point)) - np.array(p.anchor))
            springs += 0.5 * p.k * (length - p.length) ** 2
        return float(kinetic + potential + springs)
