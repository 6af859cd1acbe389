"""Accelerations against Pinocchio's articulated-body algorithm on random trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.items import Body
from mbs_fmu.model.model import Model
from support.cases import Case, each
from support.generators.mechanisms import COMPANIONS, JOINTS, Plain
from support.generators.trees import joint_order, moving_tree

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is not installed")


def peer_joint(joint: mbs.Joint) -> Any:
    """The same joint in Pinocchio."""
    parts = []
    for m in joint.motions:
        axis = np.zeros(3) if m.axis is None else np.array(m.axis)
        parts.append(
            {
                "turn": lambda: pin.JointModelRevoluteUnaligned(axis),
                "slide": lambda: pin.JointModelPrismaticUnaligned(axis),
                "screw": lambda: pin.JointModelHelicalUnaligned(axis, m.pitch.value),
                "ball": pin.JointModelSpherical,
                "free": pin.JointModelFreeFlyer,
            }[m.name]()
        )
    if len(parts) == 1:
        return parts[0]
    composite = pin.JointModelComposite()
    for part in parts:
        composite.addJoint(part)
    return composite


def peer_coordinates(body: Body, q: np.ndarray) -> np.ndarray:
    """Coordinates in Pinocchio's order, with the scalar part of a quaternion last."""
    coordinates = q.copy()
    for k in body.joint.quaternions:
        coordinates[k : k + 4] = np.roll(q[k : k + 4] / np.linalg.norm(q[k : k + 4]), -1)
    return coordinates


def peer(model: Model, order: list[str]) -> Any:
    """The same tree in Pinocchio, with its welded bodies as fixed inertias."""
    robot = pin.Model()
    robot.gravity.linear = np.array([g.value for g in model.gravity])
    where = {"world": (0, pin.SE3.Identity())}
    names = [*order, *(b for b in model.bodies if b not in order)]
    while names:
        for name in list(names):
            body = model.bodies[name]
            if body.parent not in where:
                continue
            joint, pose = where[body.parent]
            pose = pose * pin.SE3(body.rotation, np.array([x.value for x in body.position]))
            if body.joint.motions:
                joint = robot.addJoint(joint, peer_joint(body.joint), pose, name)
                pose = pin.SE3.Identity()
            inertia = np.array([[x.value for x in row] for row in body.inertia])
            com = np.array([x.value for x in body.com])
            robot.appendBodyToJoint(joint, pin.Inertia(body.mass.value, com, inertia), pose)
            where[name] = (joint, pose)
            names.remove(name)
    return robot


#: Pinocchio has no joints by formulas and no constant-velocity joints.
PEERS = tuple(kind for kind in JOINTS if kind not in ("custom", "constant_velocity"))
COMMON = tuple(kind for kind in COMPANIONS if kind in PEERS)


@each(PEERS, rounds=3, usual=3)
def test_accelerations_equal_pinocchios(case: Case) -> None:
    """du/dt, as the tangent of u(q, p) along the motion, equals Pinocchio's aba."""
    model = moving_tree(case, 11, COMMON)
    plain = Plain(model)
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice] = plain.rates()
    plain.real.derive_d(plain.R, D)
    order = joint_order(plain.program, model)
    theirs = peer(model, order)
    q, u, a, columns = np.zeros(theirs.nq), np.zeros(theirs.nv), np.zeros(theirs.nv), {}
    for v in plain.program.variables:
        columns.setdefault((v.name.split(".")[0], v.role), []).append(v.slot)
    for name in order:
        joint = theirs.joints[theirs.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = peer_coordinates(
            model.bodies[name], plain.R[columns[name, "coordinate"]]
        )
        span = slice(joint.idx_v, joint.idx_v + joint.nv)
        u[span], a[span] = plain.R[columns[name, "rate"]], D[columns[name, "rate"]]
    expected = pin.aba(theirs, theirs.createData(), q, u, np.zeros(theirs.nv), pin.Convention.LOCAL)
    M = pin.crba(theirs, theirs.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    bound = 100 * np.finfo(float).eps * np.linalg.cond(M)
    assert np.linalg.norm(a - expected) <= bound * np.linalg.norm(expected)


@each(PEERS, rounds=1, usual=1)
def test_jacobians_equal_pinocchios(case: Case, in_plain_python: None) -> None:
    """Jacobians of the last body, in world and body axes, and the rates with forces, equal Pinocchio's."""
    model = moving_tree(case, 5, COMMON)
    plain = Plain(model)
    order = joint_order(plain.program, model)
    theirs = peer(model, order)
    data, q, u, tau = theirs.createData(), np.zeros(theirs.nq), np.zeros(theirs.nv), np.zeros(theirs.nv)
    start, columns = mbs.assemble(model), np.zeros(theirs.nv, dtype=object)
    for name in order:
        joint, body = theirs.joints[theirs.getJointId(name)], model.bodies[name]
        numbers = np.array([start[f"{name}.{suffix}"] for suffix, _ in body.coordinates])
        q[joint.idx_q : joint.idx_q + joint.nq] = peer_coordinates(body, numbers)
        columns[joint.idx_v : joint.idx_v + joint.nv] = [f"{name}.{suffix}" for suffix, _ in body.rates]
    u[:] = [start[name] for name in columns]
    tau[:] = np.random.default_rng(case.seed).normal(size=theirs.nv)
    for axes, frame in (("world", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
        J, names = mbs.jacobian(model, order[-1], start, axes=axes)
        pin.computeJointJacobians(theirs, data, q)
        expected = pin.getJointJacobian(theirs, data, theirs.getJointId(order[-1]), frame).reshape(6, -1)
        assert np.allclose(
            J[:, [names.index(name) for name in columns]], expected, rtol=0, atol=1e-13 * np.abs(expected).max()
        )
    actual = mbs.forward_dynamics(model, start, dict(zip(columns, tau, strict=True)))
    expected = pin.aba(theirs, theirs.createData(), q, u, tau, pin.Convention.LOCAL)
    M = pin.crba(theirs, theirs.createData(), q)
    bound = 100 * np.finfo(float).eps * np.linalg.cond(np.triu(M) + np.triu(M, 1).T)
    assert np.linalg.norm(np.array([actual[name] for name in columns]) - expected) <= bound * np.linalg.norm(expected)
