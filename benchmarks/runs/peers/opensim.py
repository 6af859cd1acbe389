"""OpenSim, that is Simbody with its integrators.

Managers write nothing and have no limit of internal steps that a run could reach. OpenSim gives no numbers of steps.
"""

from __future__ import annotations

import math

import numpy as np
import opensim as osim

from ..data import FREE, PRISMATIC, UNIVERSAL, Closure, Ground, Setting, System, Unsupported, Vector, ladder

osim.Logger.setLevelString("Off")
RANGE = 1e6  #: rad, of coordinates
STEPS = 10_000_000
CONTACT = "smoothed Hertz"
DEPTH = 1e-3  #: m, at which contacts are as strong as the system's, which grow with the depth
UPRIGHT = 1.0 - 1e-14  #: sine from which an angle is a right one
TIGHTER, LOOSEST = 0.1, 1e-4  #: tolerance of constraints, as a share of the accuracy, and at most


def version() -> str:
    return str(osim.GetVersion())


def settings(system: System) -> list[Setting]:
    if system.elastic:
        raise Unsupported("no elastic bodies")
    if system.moved:
        raise Unsupported("torques that vary with time are not in this adapter")
    accuracies = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
    if system.ground:
        return [
            *ladder("CPodes", accuracies, CONTACT, method="CPodes", reference=True),
            *ladder("Merson", accuracies[:3], CONTACT, method="RungeKuttaMerson"),
        ]
    found = ladder("CPodes", accuracies, method="CPodes", reference=True)
    if not system.stiff:
        found += ladder("Merson", accuracies, method="RungeKuttaMerson", reference=True)
        found += ladder("Feldberg", accuracies[1:], method="RungeKuttaFeldberg")
    return found


def build(system: System, setting: Setting) -> Run:
    return Run(system)


def vector(numbers: Vector) -> osim.Vec3:
    return osim.Vec3(*map(float, numbers))


def angles(rotation: np.ndarray) -> osim.Vec3:
    """Angles about x, y and z in turn, fixed in the body; the last one is zero where the second is a right angle."""
    R = rotation
    y = math.asin(max(-1.0, min(1.0, R[0, 2])))
    if abs(R[0, 2]) > UPRIGHT:
        return osim.Vec3(math.atan2(R[2, 1], R[1, 1]), y, 0.0)
    return osim.Vec3(math.atan2(-R[1, 2], R[2, 2]), y, math.atan2(-R[0, 1], R[0, 0]))


def towards(axis: Vector) -> np.ndarray:
    """A rotation whose z column is the axis."""
    z = np.array(axis)
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T


class Run:
    def __init__(self, system: System) -> None:
        self.system = system
        m = self.model = osim.Model()
        m.setName(system.name)
        m.setGravity(vector(system.gravity))
        m.setUseVisualizer(False)
        self._links()
        for k, c in enumerate(system.closures):
            loop = self._pin(c) if system.normal else self._ball(c)
            loop.setName(f"loop{k}")
            m.addConstraint(loop)
        self._forces()
        if system.ground:
            self._contacts(system.ground)
        m.finalizeConnections()
        self.start = osim.State(m.initSystem())

    def _pin(self, c: Closure) -> osim.Constraint:
        pin = osim.PointOnLineConstraint()
        pin.connectSocket_line_body(self.bodies[c.a + 1])
        pin.connectSocket_follower_body(self.bodies[c.b + 1])
        pin.set_line_direction_vec(osim.Vec3(0, 1, 0) if self.system.normal == "y" else osim.Vec3(0, 0, 1))
        pin.set_point_on_line(vector(c.at_a))
        pin.set_point_on_follower(vector(c.at_b))
        return pin

    def _ball(self, c: Closure) -> osim.Constraint:
        return osim.PointConstraint(self.bodies[c.a + 1], vector(c.at_a), self.bodies[c.b + 1], vector(c.at_b))

    def _links(self) -> None:
        self.bodies, origin = [self.model.getGround()], osim.Vec3(0, 0, 0)
        for i, link in enumerate(self.system.links):
            J, R = np.array(link.inertia), np.array(link.rotation)
            moments = osim.Inertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            body = osim.Body(f"b{i}", link.mass, vector(link.com), moments)
            parent, place = self.bodies[link.parent + 1], vector(link.position)
            q, u = link.q, link.u
            if link.joint == FREE:
                joint = osim.FreeJoint(f"j{i}", parent, place, angles(R), body, origin, origin)
                q, u = [0.0, 0.0, 0.0, *q], [*u[3:], *u[:3]]
            elif link.joint == UNIVERSAL:
                joint = osim.UniversalJoint(f"j{i}", parent, place, angles(R), body, origin, origin)
            elif link.joint == PRISMATIC:
                A = towards(link.axis)[:, [2, 0, 1]]  # it slides along x
                joint = osim.SliderJoint(f"j{i}", parent, place, angles(R @ A), body, origin, angles(A))
            else:
                A = towards(link.axis)
                joint = osim.PinJoint(f"j{i}", parent, place, angles(R @ A), body, origin, angles(A))
            self.model.addBody(body)
            self.model.addJoint(joint)
            for k, (value, speed) in enumerate(zip(q, u, strict=True)):
                coordinate = joint.upd_coordinates(k)
                coordinate.setName(f"q{i}_{k}")
                coordinate.setRangeMin(-RANGE)
                coordinate.setRangeMax(RANGE)
                coordinate.setDefaultValue(value)
                coordinate.setDefaultSpeedValue(speed)
            self.bodies.append(body)

    def _forces(self) -> None:
        forces, ground = [], self.model.getGround()
        for s in self.system.joint_springs:
            force = osim.SpringGeneralizedForce(f"q{s.link}_{s.coordinate}")
            force.setStiffness(s.k)
            force.setRestLength(s.rest)
            force.setViscosity(s.d)
            forces.append(force)
        for p in self.system.point_springs:
            body = self.bodies[p.link + 1]
            forces.append(osim.PointToPointSpring(body, vector(p.point), ground, vector(p.anchor), p.k, p.length))
        forces += [osim.ExpressionBasedCoordinateForce(f"q{t.link}_0", repr(t.value)) for t in self.system.torques]
        for k, force in enumerate(forces):
            force.setName(f"force{k}")
            self.model.addForce(force)

    def _contacts(self, ground: Ground) -> None:
        """Forces 4/3 sqrt(R) (E^(2/3) / 2)^(3/2) depth^(3/2) between spheres and the plane z = 0."""
        origin, down = osim.Vec3(0, 0, 0), osim.Vec3(0, 0.5 * math.pi, 0)  # the half-space is where x is positive
        floor = osim.ContactHalfSpace(origin, down, self.model.getGround(), "floor")
        self.model.addContactGeometry(floor)
        for k, s in enumerate(self.system.spheres):
            ball = osim.ContactSphere(s.radius, vector(s.centre), self.bodies[s.link + 1], f"sphere{k}")
            self.model.addContactGeometry(ball)
            force = osim.SmoothSphereHalfSpaceForce(f"contact{k}", ball, floor)
            force.set_stiffness(ground.k / (4 / 3 * math.sqrt(s.radius * DEPTH) * 0.5**1.5))
            force.set_dissipation(ground.dissipation)
            force.set_static_friction(ground.friction)
            force.set_dynamic_friction(ground.friction)
            force.set_viscous_friction(0.0)
            force.set_transition_velocity(ground.creep)
            self.model.addForce(force)

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        accuracy = setting.value
        manager = osim.Manager(self.model)
        manager.setWriteToStorage(False)
        manager.setPerformAnalyses(False)
        manager.setRecordStatesTrajectory(False)
        manager.setIntegratorMethod(getattr(osim.Manager, f"IntegratorMethod_{setting.options['method']}"))
        manager.setIntegratorAccuracy(accuracy)
        if self.system.closures:
            manager.setIntegratorConstraintTolerance(min(LOOSEST, TIGHTER * accuracy))
        manager.setIntegratorInternalStepLimit(STEPS)
        manager.initialize(osim.State(self.start))
        end = manager.integrate(stop)
        self.model.realizePosition(end)
        out = []
        for i, point in self.system.markers:
            place = self.bodies[i + 1].findStationLocationInGround(end, vector(point))
            out += [place[k] for k in range(3)]
        return out, ""

    def energy(self) -> float:
        """Energy, to which OpenSim adds that of springs between points, but not that of springs of coordinates."""
        state = osim.State(self.start)
        self.model.realizeDynamics(state)
        return float(
            self.model.calcKineticEnergy(state) + self.model.calcPotentialEnergy(state) + self.system.spring_energy()
        )
