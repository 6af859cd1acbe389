"""Exudyn: trees in minimal coordinates (`ObjectKinematicTree`), planar loops as rigid bodies in the plane with joints.

Explicit methods refuse joints. `numberOfSteps` is given with automatic steps too, since the first step depends on it.
Singular positions need `adaptiveStep`. The strip is made of `ObjectANCFCable2D`. The environment variable EXUDYN_MODULE
selects code without checks of ranges.
"""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.beams import GenerateStraightLineANCFCable2D
from exudyn.itemInterface import (
    LoadMassProportional,
    LoadTorqueVector,
    MarkerBodyMass,
    MarkerBodyRigid,
    MarkerNodePosition,
    NodeGenericODE2,
    NodeRigidBody2D,
    ObjectANCFCable2D,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectJointPrismatic2D,
    ObjectJointRevolute2D,
    ObjectKinematicTree,
    ObjectRigidBody2D,
    SensorBody,
    SensorKinematicTree,
    SensorNode,
)

from .. import data
from ..data import PRISMATIC, Link, Setting, System, Unsupported, ladder

IMPLICIT = "GeneralizedAlpha", "TrapezoidalIndex2"
FIRST = 200  #: steps, of which the first automatic one is one
ANCF = "ANCF"
FINEST = 24  #: elements of the strip or the rod that others are compared with
FEW = 12  #: bodies of which the matrices are dense
DENSE = 8  #: elements of which the matrices are dense
NEWTON = 1e-10, 1e-12  #: relative and absolute tolerance
NEWTON_ELASTIC = 1e-8, 1e-10  #: since smaller residuals are out of reach, and steps are reduced in vain
DAMPED, DAMPED_ELASTIC = 0.9, 0.7  #: spectral radii of the generalised alpha method at infinity


def version() -> str:
    return version_of("exudyn")


def settings(system: System) -> list[Setting]:
    if system.moved:
        raise Unsupported("torques that vary with time are not in this adapter")
    if system.ground:
        raise Unsupported("contact is not in this adapter")
    if system.rod:
        return [
            Setting(f"{IMPLICIT[0]}, {n} elements", h, {"method": IMPLICIT[0]}, {"elements": n}, ANCF, n == FINEST)
            for n, steps in ((2, (2e-3, 5e-4)), (4, (1e-3, 2e-4)), (8, (5e-4, 1e-4)), (FINEST, (2e-5,)))
            for h in steps
        ]
    if system.strip:
        return [
            Setting(f"{method}, {n} elements", h, {"method": method}, {"elements": n}, ANCF, n == FINEST)
            for method, n, steps in (
                (IMPLICIT[0], 4, (5e-3, 1e-3)), (IMPLICIT[0], 8, (2e-3, 1e-3)), (IMPLICIT[0], 12, (1e-3, 5e-4)),
                (IMPLICIT[0], 16, (1e-3, 4e-4)), (IMPLICIT[0], FINEST, (2e-4,)), (IMPLICIT[1], 8, (2e-3, 1e-3)),
            )
            for h in steps
        ]  # fmt: skip
    if system.closures and not system.normal:
        raise Unsupported("spatial loops are not in this adapter")
    fixed = (1e-2, 1e-3, 1e-4)
    if system.closures:
        return [s for method in IMPLICIT for s in ladder(method, fixed, method=method)]
    found = ladder(IMPLICIT[0], fixed, method=IMPLICIT[0])
    if system.stiff:
        return [*found, *ladder(IMPLICIT[1], fixed, method=IMPLICIT[1])]
    return [
        *found, *ladder("RK67", (1e-2, 3e-3, 1e-3), method="RK67", reference=True),
        *ladder("DOPRI5", (1e-4, 1e-6, 1e-8, 1e-10), method="DOPRI5"),
    ]  # fmt: skip


def build(system: System, setting: Setting) -> Run:
    if system.strip:
        return Strip(system, **setting.build)
    if system.rod:
        return Rod(system, **setting.build)
    return Loops(system) if system.closures else Tree(system)


class Run:
    """A run of an assembled system, with sensors of its markers."""

    radius, newton = DAMPED, NEWTON

    def __init__(self, system: System) -> None:
        self.system = system
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.sensors: list[Any] = []

    @property
    def dense(self) -> bool:
        return len(self.system.links) < FEW

    def simulation(self, setting: Setting, stop: float) -> Any:
        """Settings of Exudyn."""
        made = exu.SimulationSettings()
        integration, solution = made.timeIntegration, made.solutionSettings
        solution.writeSolutionToFile = solution.sensorsStoreAndWriteFiles = False
        solution.sensorsWritePeriod = stop
        made.displayStatistics = False
        integration.verboseMode = 0
        integration.endTime = stop
        automatic = setting.options["method"] == "DOPRI5"
        integration.automaticStepSize = automatic
        integration.adaptiveStep = automatic or self.system.branches or self.system.elastic
        if automatic:
            integration.numberOfSteps = FIRST
            integration.absoluteTolerance, integration.relativeTolerance = setting.value / 10, setting.value
            integration.minimumStepSize = 1e-12
        else:
            integration.numberOfSteps = self.system.steps(setting.value, stop)
        integration.generalizedAlpha.spectralRadius = self.radius
        made.linearSolverType = exu.LinearSolverType.EXUdense if self.dense else exu.LinearSolverType.EigenSparse
        integration.newton.useModifiedNewton = True
        integration.newton.relativeTolerance, integration.newton.absoluteTolerance = self.newton
        return made

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        method = getattr(exu.DynamicSolverType, setting.options["method"])
        made = self.simulation(setting, stop)
        self.mbs.SolveDynamic(made, solverType=method, showHints=False, storeSolver=True, updateInitialValues=False)
        places = [self.place(np.array(self.mbs.GetSensorValues(sensor))) for sensor in self.sensors]
        return np.concatenate(places).tolist(), f"{self.mbs.sys['dynamicSolver'].it.currentStepIndex} steps"

    def place(self, seen: np.ndarray) -> np.ndarray:
        """A marker's place in the world from what its sensor gives."""
        return seen

    def energy(self) -> float | None:
        return None


class Tree(Run):
    def __init__(self, system: System) -> None:
        super().__init__(system)
        kinds = exu.JointType.RevoluteX, exu.JointType.RevoluteY, exu.JointType.RevoluteZ
        columns: dict[str, list[Any]] = {
            name: []
            for name in ("kind", "parent", "rotation", "place", "inertia", "com", "mass", "k", "d", "rest", "q", "u")
        }
        last: list[int] = []  # of each link, the number of its last joint
        for i, link in enumerate(system.links):
            parent = last[link.parent] if link.parent >= 0 else -1
            for n, axis in enumerate(link.axes):
                ends, begins, spring = n == len(link.axes) - 1, n == 0, system.spring(i, n)
                row = (
                    kinds[int(np.argmax(axis))], parent, np.array(link.rotation) if begins else np.eye(3),
                    link.position if begins else np.zeros(3), np.array(link.inertia) * ends, np.array(link.com) * ends,
                    link.mass * ends, spring.k, spring.d, spring.rest, link.q[n], link.u[n],
                )  # fmt: skip
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
                parent = len(columns["kind"]) - 1
            last.append(parent)
        self._add(columns, last)

    def _add(self, c: dict[str, list[Any]], last: list[int]) -> None:
        n, mbs = len(c["q"]), self.mbs
        node = mbs.AddNode(
            NodeGenericODE2(referenceCoordinates=[0.0] * n, initialCoordinates=c["q"], initialCoordinates_t=c["u"],
                               numberOfODE2Coordinates=n)
        )  # fmt: skip
        control = {
            "jointPControlVector": c["k"], "jointDControlVector": c["d"], "jointPositionOffsetVector": c["rest"],
            "jointVelocityOffsetVector": [0.0] * n,
        } if any(c["k"]) else {}  # fmt: skip
        tree = mbs.AddObject(
            ObjectKinematicTree(
                nodeNumber=node, jointTypes=c["kind"], linkParents=c["parent"], gravity=self.system.gravity,
                jointTransformations=exu.Matrix3DList(c["rotation"]), jointOffsets=exu.Vector3DList(c["place"]),
                linkInertiasCOM=exu.Matrix3DList(c["inertia"]), linkCOMs=exu.Vector3DList(c["com"]),
                linkMasses=c["mass"], **control,
            )
        )  # fmt: skip
        self.sensors = [
            mbs.AddSensor(
                SensorKinematicTree(objectNumber=tree, linkNumber=last[i], localPosition=point, storeInternal=False,
                                       writeToFile=False, outputVariableType=exu.OutputVariableType.Position)
            )
            for i, point in self.system.markers
        ]  # fmt: skip
        mbs.Assemble()


class Loops(Run):
    """Bodies in the plane with the coordinates of their centres of mass."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        flat = system.normal == "z"
        self.plane = np.eye(3)[[0, 1] if flat else [0, 2]]  # rows: the plane's axes in the world
        self.sign = 1.0 if flat else -1.0  # a turn about y goes from z to x
        self.axis = 2 if flat else 1
        self.ground = self.mbs.AddObject(ObjectGround())
        self.bodies: list[Any] = []
        self.frames: list[tuple[float, float, np.ndarray, np.ndarray]] = []  # angle, its rate, origin, its velocity
        for link in system.links:
            self._link(link)
        self._connect()
        for t in system.torques:
            marker = self.mbs.AddMarker(MarkerBodyRigid(bodyNumber=self.bodies[t.link]))
            turned = self.sign * system.links[t.link].axis[self.axis]
            self.mbs.AddLoad(LoadTorqueVector(markerNumber=marker, loadVector=[0.0, 0.0, turned * t.value]))
        self.sensors = [
            self.mbs.AddSensor(
                SensorBody(bodyNumber=self.bodies[i], localPosition=[*self._local(i, point), 0.0], writeToFile=False,
                              outputVariableType=exu.OutputVariableType.Position)
            )
            for i, point in system.markers
        ]  # fmt: skip
        self.mbs.Assemble()

    def _connect(self) -> None:
        """Add what connects the bodies, apart from their joints."""
        system = self.system
        for c in system.closures:
            self._pin(self._marker(c.a, c.at_a), self._marker(c.b, c.at_b))
        for p in system.point_springs:
            anchor = self._at(self.ground, self.plane @ p.anchor)
            self.mbs.AddObject(
                ObjectConnectorSpringDamper(markerNumbers=[anchor, self._marker(p.link, p.point)], stiffness=p.k,
                                               damping=0.0, referenceLength=p.length)
            )  # fmt: skip

    def _local(self, body: int, point: list[float]) -> np.ndarray:
        """A point of a link from its centre of mass, in the plane."""
        return self.plane @ (np.array(point) - self.system.links[body].com)

    def _at(self, body: Any, place: np.ndarray) -> Any:
        return self.mbs.AddMarker(MarkerBodyRigid(bodyNumber=body, localPosition=[*place, 0.0]))

    def _marker(self, body: int, point: list[float]) -> Any:
        return self._at(self.bodies[body], self._local(body, point))

    def _pin(self, *markers: Any) -> None:
        self.mbs.AddObject(ObjectJointRevolute2D(markerNumbers=list(markers)))

    def _link(self, link: Link) -> None:
        slides = link.joint == PRISMATIC
        turned = 0.0 if slides else self.sign * link.axis[self.axis]
        angle, rate, origin, velocity = self.frames[link.parent] if link.parent >= 0 else (0.0, 0.0, *np.zeros((2, 2)))
        slide = _turned(angle, self.plane @ (float(slides) * np.array(link.axis)))
        place = _turned(angle, self.plane @ link.position) + link.q[0] * slide
        origin, velocity = origin + place, velocity + rate * _across(place) + link.u[0] * slide
        angle, rate = angle + turned * link.q[0], rate + turned * link.u[0]
        self.frames.append((angle, rate, origin, velocity))
        com = _turned(angle, self.plane @ link.com)
        node = self.mbs.AddNode(
            NodeRigidBody2D(referenceCoordinates=[*(origin + com), angle],
                               initialVelocities=[*(velocity + rate * _across(com)), rate])
        )  # fmt: skip
        moment = link.inertia[self.axis][self.axis]
        body = self.mbs.AddObject(ObjectRigidBody2D(mass=link.mass, inertia=moment, nodeNumber=node))
        self.bodies.append(body)
        weight = self.mbs.AddMarker(MarkerBodyMass(bodyNumber=body))
        gravity = [*(self.plane @ self.system.gravity), 0.0]
        self.mbs.AddLoad(LoadMassProportional(markerNumber=weight, loadVector=gravity))
        on = self._marker(link.parent, link.position) if link.parent >= 0 else self._at(self.ground, origin)
        own = self._marker(len(self.bodies) - 1, [0.0, 0.0, 0.0])
        if not slides:
            self._pin(on, own)
            return
        along = self.plane @ link.axis
        axis, normal = [*along, 0.0], [*_across(along), 0.0]
        self.mbs.AddObject(ObjectJointPrismatic2D(markerNumbers=[on, own], axisMarker0=axis, normalMarker1=normal))

    def place(self, seen: np.ndarray) -> np.ndarray:
        return seen[:2] @ self.plane


def _turned(angle: float, v: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def _across(v: np.ndarray) -> np.ndarray:
    return np.array([-v[1], v[0]])


class Rod(Loops):
    """Links in the plane, and a rod of cables of absolute nodal coordinates."""

    radius, newton = DAMPED_ELASTIC, NEWTON_ELASTIC

    def __init__(self, system: System, elements: int) -> None:
        self.elements = elements
        super().__init__(system)

    def _connect(self) -> None:
        r = self.system.rod
        assert r is not None
        ends = [self._world(i, point) for i, point in ((r.a, r.at_a), (r.b, r.at_b))]
        load = [*(self.plane @ self.system.gravity), 0.0]
        nodes = GenerateStraightLineANCFCable2D(
            self.mbs, *([*end, 0.0] for end in ends), self.elements, _cable(r, self.elements),
            massProportionalLoad=load,
        )[0]  # fmt: skip
        for node, link, point in ((nodes[0], r.a, r.at_a), (nodes[-1], r.b, r.at_b)):
            self._pin(self.mbs.AddMarker(MarkerNodePosition(nodeNumber=node)), self._marker(link, point))

    def _world(self, link: int, point: list[float]) -> np.ndarray:
        """A point of a link at the start, in the plane."""
        angle, _, origin, _ = self.frames[link]
        return origin + _turned(angle, self.plane @ point)

    @property
    def dense(self) -> bool:
        return self.elements <= DENSE


def _cable(s: data.Strip, elements: int) -> ObjectANCFCable2D:
    """One element of a strip or a rod."""
    area = s.width * s.height
    return ObjectANCFCable2D(
        length=s.length / elements, massPerLength=s.density * area, axialStiffness=s.modulus * area,
        bendingStiffness=s.modulus * s.width * s.height**3 / 12,
    )  # fmt: skip


class Strip(Run):
    """Cables of absolute nodal coordinates, in the plane."""

    radius, newton = DAMPED_ELASTIC, NEWTON_ELASTIC

    def __init__(self, system: System, elements: int) -> None:
        super().__init__(system)
        self.elements = elements
        s = system.strip
        assert s is not None
        made = GenerateStraightLineANCFCable2D(
            self.mbs, [0, 0, 0], [s.length, 0, 0], elements, _cable(s, elements),
            massProportionalLoad=[0.0, system.gravity[2], 0.0], fixedConstraintsNode0=[1, 1, 0, 0],
        )  # fmt: skip
        kind = exu.OutputVariableType.Position
        self.sensors = [
            self.mbs.AddSensor(SensorNode(nodeNumber=made[0][-1], writeToFile=False, outputVariableType=kind))
        ]
        self.mbs.Assemble()

    @property
    def dense(self) -> bool:
        return self.elements <= DENSE

    def place(self, seen: np.ndarray) -> np.ndarray:
        return np.array([seen[0], 0.0, seen[1]])
