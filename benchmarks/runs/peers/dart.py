"""DART, by its steps of semi-implicit Euler. Loops are closed by constraints of its solver."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import Any

import dartpy as dart
import numpy as np

from ..data import FREE, PRISMATIC, UNIVERSAL, Link, Setting, System, Unsupported, ladder


def version() -> str:
    return version_of("dartpy")


def settings(system: System) -> list[Setting]:
    if system.elastic:
        raise Unsupported("no beams")
    if system.ground:
        raise Unsupported("contact is not in this adapter")
    if system.torques:
        raise Unsupported("torques are not in this adapter")
    if system.point_springs:
        raise Unsupported("no springs between points")
    return ladder("Euler", (1e-2, 1e-3, 1e-4))


def build(system: System, setting: Setting) -> Run:
    return Run(system)


def _placed(link: Link) -> Any:
    place = dart.math.Isometry3()
    place.set_rotation(np.array(link.rotation))
    place.set_translation(np.array(link.position))
    return place


class Run:
    def __init__(self, system: System) -> None:
        self.system = system
        self.world = dart.simulation.World()
        self.world.setGravity(system.gravity)
        self.skeleton = dart.dynamics.Skeleton(system.name)
        self.bodies: list[Any] = []
        for i, link in enumerate(system.links):
            self._link(i, link)
        self.world.addSkeleton(self.skeleton)
        self.start()
        for c in system.closures:
            a, b = self.bodies[c.a], self.bodies[c.b]
            anchor = b.getWorldTransform().multiply(np.array(c.at_b))
            self.world.getConstraintSolver().addConstraint(dart.constraint.BallJointConstraint(a, b, anchor))

    def _link(self, i: int, link: Link) -> None:
        if link.joint == FREE:
            raise Unsupported("no free joints in this adapter")
        if link.joint == UNIVERSAL:
            properties = dart.dynamics.UniversalJointProperties()
            for k, axis in enumerate(link.axes):
                properties.mAxis[k] = np.array(axis)
            create = self.skeleton.createUniversalJointAndBodyNodePair
        elif link.joint == PRISMATIC:
            properties = dart.dynamics.PrismaticJointProperties()
            properties.mAxis = np.array(link.axis)
            create = self.skeleton.createPrismaticJointAndBodyNodePair
        else:
            properties = dart.dynamics.RevoluteJointProperties()
            properties.mAxis = np.array(link.axis)
            create = self.skeleton.createRevoluteJointAndBodyNodePair
        properties.mName = f"j{i}"
        properties.mT_ParentBodyToJoint = _placed(link)
        named = dart.dynamics.BodyNodeProperties(dart.dynamics.BodyNodeAspectProperties(f"b{i}"))
        joint, body = create(self.bodies[link.parent] if link.parent >= 0 else None, properties, named)
        body.setInertia(dart.dynamics.Inertia(link.mass, np.array(link.com), np.array(link.inertia)))
        for n in range(len(link.q)):
            spring = self.system.spring(i, n)
            joint.setSpringStiffness(n, spring.k)
            joint.setDampingCoefficient(n, spring.d)
            joint.setRestPosition(n, spring.rest)
        self.bodies.append(body)

    def start(self) -> None:
        self.skeleton.setPositions(np.concatenate([link.q for link in self.system.links]))
        self.skeleton.setVelocities(np.concatenate([link.u for link in self.system.links]))

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        steps = self.system.steps(setting.value, stop)
        self.world.setTimeStep(self.system.stop / self.system.steps(setting.value, self.system.stop))
        self.world.reset()
        self.start()
        for _ in range(steps):
            self.world.step(True)
        places = [self.bodies[i].getWorldTransform().multiply(np.array(point)) for i, point in self.system.markers]
        return np.concatenate(places).tolist(), f"{steps} steps"

    def energy(self) -> float:
        self.start()
        return float(self.skeleton.computeKineticEnergy() + self.skeleton.computePotentialEnergy())
