"""Drake: continuous plants under integrators with error control; discrete ones where loops close or bodies touch.

Continuous plants have no constraints. A plant under the integrator "cenic" is named "plant" and shares a diagram with a
scene graph, which that integrator asks for.
"""

from __future__ import annotations

from importlib.metadata import version as version_of

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties
from pydrake.geometry import Sphere as Ball
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    LinearSpringDamper,
    PrismaticJoint,
    RevoluteJoint,
    RevoluteSpring,
    SpatialInertia,
    UnitInertia,
    UniversalJoint,
)
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import Sine

from ..data import FREE, PRISMATIC, UNIVERSAL, Link, Setting, System, Unsupported, ladder

LONGEST = 0.25  #: share of the run's time, longest step under error control
CONTINUOUS = "Hunt and Crossley"
DISCRETE = {"kSap": "SAP", "kTamsi": "TAMSI"}


def version() -> str:
    return version_of("drake")


def settings(system: System) -> list[Setting]:
    if system.elastic:
        raise Unsupported("no beams")
    if system.ground:
        steps = (2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
        found = [s for kind, law in DISCRETE.items() for s in ladder(law, steps, law, approximation=kind)]
        if not system.moved:  # with four feet that stand, the explicit integrator takes minutes
            rk3 = (1e-3, 1e-5, 1e-7) if len(system.spheres) == 1 else (1e-3, 1e-5)
            found += ladder("rk3", rk3, CONTINUOUS, integrator="runge_kutta3", reference=True)
        found += ladder("cenic", (1e-2, 1e-3, 1e-4, 1e-5), CONTINUOUS, integrator="cenic")
    elif system.closures or system.stiff:
        found = ladder("SAP", (1e-2, 1e-3, 1e-4), approximation="kSap")
        if not system.closures:
            found += ladder("cenic", (1e-2, 1e-4, 1e-6), integrator="cenic")
    else:
        found = [
            *ladder("rk3", (1e-3, 1e-5, 1e-7), integrator="runge_kutta3"),
            *ladder("rk5", (1e-3, 1e-5, 1e-7, 1e-9, 1e-11), integrator="runge_kutta5", reference=True),
            *ladder("cenic", (1e-2, 1e-4, 1e-6), integrator="cenic"),
        ]
    for setting in found:
        setting.build = {**setting.options}
        if "integrator" in setting.options:
            setting.build.pop("value")
    return found


def build(system: System, setting: Setting) -> Run:
    return Run(system, **setting.build)


def _spatial(link: Link) -> SpatialInertia:
    J, com, m = np.array(link.inertia), np.array(link.com), link.mass
    about_origin = (J + m * (com @ com * np.eye(3) - np.outer(com, com))) / m
    moments = (about_origin[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return SpatialInertia(m, com, UnitInertia(*moments), skip_validity_check=True)


class Run:
    def __init__(self, system: System, approximation: str = "", value: float = 0.0, integrator: str = "") -> None:
        self.system, self.integrator = system, integrator
        step = system.stop / system.steps(value, system.stop) if approximation else 0.0
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, step)
        p = self.plant
        if approximation:
            p.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, approximation))
        p.mutable_gravity_field().set_gravity_vector(np.array(system.gravity))
        self._links()
        for c in system.closures:
            p.AddBallConstraint(self.bodies[c.a + 1], c.at_a, self.bodies[c.b + 1], c.at_b)
        for s in system.point_springs:
            body, world = self.bodies[s.link + 1], p.world_body()
            p.AddForceElement(LinearSpringDamper(body, s.point, world, s.anchor, s.length, s.k, 0.0))
        for k, t in enumerate(system.torques):
            p.AddJointActuator(f"torque{k}", self.joints[t.link])
        if system.ground:
            self._contacts()
        p.Finalize()
        if system.torques:
            values, frequencies, phases = np.array([[t.value, t.frequency, t.phase] for t in system.torques]).T
            source = builder.AddSystem(Sine(values, 2.0 * np.pi * frequencies, phases + 0.5 * np.pi, True))
            builder.Connect(source.get_output_port(0), p.get_actuation_input_port())
        self.simulator = Simulator(builder.Build())
        if integrator:
            ResetIntegratorFromFlags(self.simulator, integrator, LONGEST * system.stop)
        self.builder = builder  # which keeps the elements alive

    def _links(self) -> None:
        p = self.plant
        self.bodies, self.joints = [p.world_body()], []
        for i, link in enumerate(self.system.links):
            body = p.AddRigidBody(f"b{i}", _spatial(link))
            self.bodies.append(body)
            if link.joint == FREE:
                self.joints.append(None)
                continue
            place = RigidTransform(RotationMatrix(np.array(link.rotation)), link.position)
            frame = p.AddFrame(FixedOffsetFrame(f"f{i}", self.bodies[link.parent + 1].body_frame(), place))
            if link.joint == UNIVERSAL:
                joint = p.AddJoint(UniversalJoint(f"j{i}", frame, body.body_frame(), 0.0))
            elif link.joint == PRISMATIC:
                joint = p.AddJoint(PrismaticJoint(f"j{i}", frame, body.body_frame(), link.axis))
            else:
                spring = self.system.spring(i, 0)
                joint = p.AddJoint(RevoluteJoint(f"j{i}", frame, body.body_frame(), link.axis, spring.d))
                if spring.k:
                    p.AddForceElement(RevoluteSpring(joint, spring.rest, spring.k))
            self.joints.append(joint)

    def _contacts(self) -> None:
        ground = self.system.ground
        assert ground is not None
        self.plant.set_contact_model(ContactModel.kPoint)
        self.plant.set_stiction_tolerance(ground.creep)

        def properties() -> ProximityProperties:
            made = ProximityProperties()
            friction = CoulombFriction(ground.friction, ground.friction)
            # springs of both surfaces in series have half of their stiffness
            AddContactMaterial(dissipation=ground.dissipation, point_stiffness=2.0 * ground.k, friction=friction,
                               properties=made)  # fmt: skip
            return made

        p = self.plant
        p.RegisterCollisionGeometry(p.world_body(), RigidTransform(), HalfSpace(), "ground", properties())
        for k, s in enumerate(self.system.spheres):
            p.RegisterCollisionGeometry(
                self.bodies[s.link + 1], RigidTransform(s.centre), Ball(s.radius), f"sphere{k}", properties()
            )

    def start(self) -> None:
        root = self.simulator.get_mutable_context()
        root.SetTime(0.0)
        context = self.context = self.plant.GetMyMutableContextFromRoot(root)
        for i, (joint, link) in enumerate(zip(self.joints, self.system.links, strict=True)):
            if link.joint == FREE:
                body = self.bodies[i + 1]
                self.plant.SetFreeBodyPose(context, body, RigidTransform(link.q))
                self.plant.SetFreeBodySpatialVelocity(body, SpatialVelocity(link.u[3:], link.u[:3]), context)
            elif link.joint == UNIVERSAL:
                joint.set_angles(context, link.q)
                joint.set_angular_rates(context, link.u)
            elif link.joint == PRISMATIC:
                joint.set_translation(context, link.q[0])
                joint.set_translation_rate(context, link.u[0])
            else:
                joint.set_angle(context, link.q[0])
                joint.set_angular_rate(context, link.u[0])

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        self.start()
        if self.integrator:
            integrator = self.simulator.get_mutable_integrator()
            integrator.Reset()
            integrator.set_maximum_step_size(LONGEST * self.system.stop)
            integrator.set_target_accuracy(setting.value)
        self.simulator.Initialize()
        self.simulator.AdvanceTo(stop)
        world = self.plant.world_frame()
        places = [
            self.plant.CalcPointsPositions(
                self.context, self.bodies[i + 1].body_frame(), np.array(point), world
            ).ravel()
            for i, point in self.system.markers
        ]
        if self.integrator:
            steps = self.simulator.get_integrator().get_num_steps_taken()
        else:
            steps = self.system.steps(setting.value, stop)
        return np.concatenate(places).tolist(), f"{steps} steps"

    def energy(self) -> float:
        self.start()
        return float(self.plant.CalcPotentialEnergy(self.context) + self.plant.CalcKineticEnergy(self.context))
