"""Poisson impulses of a mechanism in motion, and the matrices of the equations in which they are the unknowns.

docs/impulses.md and docs/equations.md explain them. I16 stands for V. N. Ivanov, I. E. Poloskov, V. A. Shimanovskiy
(2016).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..compile.followers import by_outermost_leaders
from ..infrastructure.arguments import ParameterValues
from ..infrastructure.errors import ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ..model.geometry.poses import rotation_matrix
from ..model.items import WORLD, Body
from ..model.measures.measures import angular_momentum, angular_velocity, momentum, orientation, position, velocity
from ..model.model import Model
from ..record.blocks import HeadNumbers
from ..run.simulate import require_model
from ..symbolic.expressions import Expression, as_expression
from ..symbolic.graph import evaluate_all
from .mechanism import Mechanism, Numbers, probe

PLACED = "impulses_placed"  #: prefix of the names of outputs that are added to a copy of the model
Pose = tuple[np.ndarray, np.ndarray]  #: rotation, body to world, and origin


@add_clear_errors
class PoissonImpulses(NamedTuple):
    """The impulses of one body's joint.

    p: Poisson impulses, (n,), along the body's unknown joint velocities (N.s, N.m.s), then those of the vibration modes
    of an elastic body (N.s).
    mu: momentum of the branch, (6,), in body axes: linear momentum (N.s), then angular momentum about the body's origin
    (N.m.s).
    """

    p: np.ndarray
    mu: np.ndarray


@add_clear_errors
@dataclass(frozen=True)
class ExtendedSystem:
    """The equations (12) of I16 at one instant, for N bodies with n unknown joint velocities.

        M v - Sᵀ mu = 0,    -S v + A u = -v_star,    Aᵀ mu + rotors u = p
        p_dot = (A_dotᵀ - Aᵀ Omega) mu + Q

    Each body has a block of six numbers, in the order of `bodies`: velocity of the body's origin or force there, then
    angular velocity or torque, in body axes. Units are SI.

    bodies: names of the bodies, parents before children.
    velocities: names of u, in the order of u and p.
    S, T: kinematic structure and its inverse, (6N, 6N).
    A, A_dot: twists of the joints per unit of u, (6N, n), and their rates.
    M: inertia about the bodies' origins, (6N, 6N).
    Omega: (6N, 6N), with diagonal blocks [[w~, 0], [v~, w~]].
    rotors: inertia that moves with one joint velocity, (n, n), which the paper does not have.
    v, v_star: twists of the bodies, and the part of prescribed motions in the twists of the joints, (6N,).
    mu: momenta of the branches, (6N,), the multipliers of the paper.
    u, p, p_dot, Q: joint velocities, Poisson impulses, their rates, and generalized forces, (n,).
    """

    bodies: list[str]
    velocities: list[str]
    S: np.ndarray
    T: np.ndarray
    A: np.ndarray
    A_dot: np.ndarray
    M: np.ndarray
    Omega: np.ndarray
    rotors: np.ndarray
    v: np.ndarray
    v_star: np.ndarray
    mu: np.ndarray
    u: np.ndarray
    p: np.ndarray
    p_dot: np.ndarray
    Q: np.ndarray

    @property
    def matrix(self) -> np.ndarray:
        """Matrix of the linear system of (v, u, mu), symmetric, (12N + n, 12N + n)."""
        six, n = len(self.v), len(self.u)
        return np.block([
            [self.M, np.zeros((six, n)), -self.S.T],
            [np.zeros((n, six)), self.rotors, self.A.T],
            [-self.S, self.A, np.zeros((six, six))],
        ])  # fmt: skip

    @property
    def right(self) -> np.ndarray:
        """Right side of the linear system, (12N + n,)."""
        return np.concatenate([np.zeros_like(self.v), self.p, -self.v_star])


@with_clear_errors
def poisson_impulses(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, time: float = 0.0,
) -> dict[str, PoissonImpulses]:  # fmt: skip
    """Return Poisson impulses p and branch momenta mu of every body at a start, by the bodies' names: (P2), (P3).

    start, inputs, parameters, time: as in `simulate`. Omitted ones have their defaults; inputs without one are 0.

    Loops are closed first. p and mu are the momenta of the velocities and contain no impulse of a closure. A joint with
    prescribed motion, or one that follows another joint, has no p but has mu.

    Raises ModelError if the start fails and for unknown names.
    """
    require_model(model)
    moving = _Moving(model, start or {}, inputs or {}, parameters or {}, time)
    momenta = moving.branch_momenta(moving.R)
    return {name: PoissonImpulses(moving.own_impulses(name), momenta[name]) for name in moving.bodies}


@with_clear_errors
def extended_system(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, time: float = 0.0,
) -> ExtendedSystem:  # fmt: skip
    """Return the matrices of the equations of motion in Poisson impulses, (12) of I16, at a start: dense numpy arrays.

    start, inputs, parameters, time: as in `simulate`.

    Loops are closed first and then treated as open: Q contains no forces of closures. The function is for readers of
    the equations; simulations form none of these matrices.

    Raises ModelError if the start fails, for unknown names, and for elastic bodies, which (12) does not cover.
    """
    require_model(model)
    for body in model.bodies.values():
        if body.elastic is not None:
            raise ArgumentError(
                f"body {body.name!r} is elastic, but the equations (12) are for rigid bodies: use "
                "mbs.poisson_impulses, with the momenta of vibration modes, or leave elastic= out"
            )
    return _system(_Moving(model, start or {}, inputs or {}, parameters or {}, time))


def _system(at: _Moving) -> ExtendedSystem:
    m, R = at.mechanism, at.R
    poses, v = at.poses(R), at.twists(R)
    C = {name: _carrying(poses, at.parent(name), name) for name in at.bodies}
    S, T = at.structure(C), at.paths(C)
    M = _diagonal([at.inertia(name) for name in at.bodies])
    Omega = _diagonal([_omega(v[at.six(name)]) for name in at.bodies])
    still = R.copy()
    still[m.u] = 0.0
    resting, resting_rate = at.twists_and_rates(still)
    moved = [at.twists_and_rates(_with(R, m.u, unit)) for unit in np.eye(m.nv)]
    J = np.array([twists - resting for twists, _ in moved]).reshape(m.nv, -1).T
    J_dot = np.array([rates - resting_rate for _, rates in moved]).reshape(m.nv, -1).T
    S_dot = Omega.T @ S - S @ Omega.T  # (6)
    A = np.where(at.belonging(), S @ J, 0.0)
    A_dot = np.where(at.belonging(), S_dot @ J + S @ J_dot, 0.0)
    mu = T.T @ (M @ v)
    p, p_dot = R[m.p].copy(), R[m.f][m.nq : m.nq + m.nv].copy()
    return ExtendedSystem(
        at.bodies, m.rate_names, S, T, A, A_dot, M, Omega, at.rotors(), v, S @ resting, mu, R[m.u].copy(), p, p_dot,
        p_dot - (A_dot.T - A.T @ Omega) @ mu,
    )  # fmt: skip


class _Moving:
    """A mechanism at its start, with the bodies' poses, and with their twists at any joint velocities."""

    def __init__(self, model: Model, start: Numbers, inputs: Numbers, parameters: ParameterValues, time: float):
        self.model = model
        self.mechanism = m = Mechanism(probe(model, "impulses", _measured))
        self.R = m.record(start, inputs, parameters, time)
        m.begin(self.R)
        m.call("momenta", self.R)  # without impulses of closures
        self.bodies = _parents_first(model)
        followers = by_outermost_leaders(model.followers).values()
        #: by body, the body whose joint velocity moves its joint, and the ratio to that velocity
        self.leaders = {name: (name, as_expression(1.0)) for name in self.bodies}
        self.leaders |= {follower.body: (follower.leader, follower.ratio) for follower in followers}
        self.outputs = {v.name: v.slot for v in m.program.of_role("output")}
        self.values = {v.name: float(self.R[v.slot]) for v in m.program.of_role("parameter")}

    # -- numbers of bodies --------------------------------------------------------------------------------
    def parent(self, name: str) -> str:
        return self.model.bodies[name].parent

    def six(self, name: str) -> slice:
        """Return the slice of the body's six numbers."""
        k = 6 * self.bodies.index(name)
        return slice(k, k + 6)

    def own_impulses(self, name: str) -> np.ndarray:
        slots = [v.slot for v in self.mechanism.program.of_role("momentum") if v.name.rsplit(".", 1)[0] == name]
        return np.asarray(self.R[np.array(slots, dtype=int)])

    def inertia(self, name: str) -> np.ndarray:
        """Return M of a rigid body about its origin, (6, 6)."""
        body = self.model.bodies[name]
        mass, *com = self._numbers([body.mass, *body.com])
        c = _skew(np.array(com))
        J = self._numbers([x for row in body.inertia for x in row]).reshape(3, 3) - mass * c @ c
        return np.block([[mass * np.eye(3), -mass * c], [mass * c, J]])

    def rotors(self) -> np.ndarray:
        """Return the inertia of rotors along the unknown joint velocities, (n, n)."""
        names = self.mechanism.rate_names
        matrix = np.zeros((len(names), len(names)))
        for rotor in self.model.rotors.values():
            leader, ratio = self.leaders[rotor.body]
            inertia, turned = self._numbers([rotor.inertia, ratio])
            name = f"{leader}.{self.model.bodies[leader].rates[rotor.k][0]}"
            if name in names:
                matrix[names.index(name), names.index(name)] += turned**2 * inertia
        return matrix

    def _numbers(self, expressions: list[Expression]) -> np.ndarray:
        return np.array(evaluate_all(expressions, lambda signal: self.values[signal.name]))

    # -- structure ----------------------------------------------------------------------------------------
    def structure(self, C: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return S, (2) of I16."""
        S = np.eye(6 * len(self.bodies))
        for name in self.bodies:
            if self.parent(name) != WORLD:
                S[self.six(name), self.six(self.parent(name))] = -C[name]
        return S

    def paths(self, C: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return T, the inverse of S, (5) of I16."""
        T = np.eye(6 * len(self.bodies))
        for name in self.bodies:
            if self.parent(name) != WORLD:
                T[self.six(name)] += C[name] @ T[self.six(self.parent(name))]
        return T

    def belonging(self) -> np.ndarray:
        """Return the pattern of A: entries of a body's own joint, and of joints that follow it, may be nonzero."""
        names = self.mechanism.rate_names
        leaders = [leader for leader, _ in self.leaders.values()]
        own = np.array([[name.rsplit(".", 1)[0] == leader for name in names] for leader in leaders], dtype=bool)
        return np.repeat(own.reshape(len(leaders), len(names)), 6, axis=0)

    # -- motion -------------------------------------------------------------------------------------------
    def poses(self, R: np.ndarray) -> dict[str, Pose]:
        """Return the poses of all bodies and the world."""
        R = R.copy()
        self.mechanism.call("outputs", R)
        by_body = {WORLD: (np.eye(3), np.zeros(3))}
        for k, name in enumerate(self.bodies):
            x, turned = (self._of(R, k, first, count) for first, count in ((0, 3), (3, 4)))
            by_body[name] = rotation_matrix(turned, "orientation"), x
        return by_body

    def twists(self, R: np.ndarray) -> np.ndarray:
        """Return the twists of all bodies in body axes, (6N,)."""
        return self.twists_and_rates(R)[0]

    def twists_and_rates(self, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return twists for a record's joint velocities, and their rates along the motion at constant velocities."""
        m, R = self.mechanism, R.copy()
        m.call("momenta", R)
        m.call("outputs", R)
        D = np.zeros_like(R)
        D[m.x], D[HeadNumbers.time] = self.R[m.f], 1.0
        m.call("momenta_d", R, D)
        if m.program.module.defines("pose_d"):  # with forces on bodies, `derive_d` computes it, not `outputs_d`
            m.call("pose_d", R, D)
        m.call("outputs_d", R, D)
        poses = self.poses(R)
        v, v_dot = np.zeros(6 * len(self.bodies)), np.zeros(6 * len(self.bodies))
        for k, name in enumerate(self.bodies):
            A = poses[name][0]
            spin = A.T @ self._of(self.R, k, 10, 3)  # angular velocity of the body axes in the actual motion
            for first in (0, 3):
                own, rate = (A.T @ self._of(X, k, 7 + first, 3) for X in (R, D))
                place = slice(6 * k + first, 6 * k + first + 3)
                v[place], v_dot[place] = own, rate - np.cross(spin, own)
        return v, v_dot

    def branch_momenta(self, R: np.ndarray) -> dict[str, np.ndarray]:
        """Return mu of every body."""
        R = R.copy()
        self.mechanism.call("outputs", R)
        poses, v = self.poses(R), self.twists(R)
        carried = {name: np.zeros(6) for name in (WORLD, *self.bodies)}
        for k, name in reversed(list(enumerate(self.bodies))):
            A, x = poses[name]
            if self.model.bodies[name].elastic is None:
                carried[name] += self.inertia(name) @ v[self.six(name)]
            else:
                f, n = (self._of(R, k, first, 3) for first in (13, 16))
                carried[name] += np.concatenate([A.T @ f, A.T @ (n - np.cross(x, f))])
            carried[self.parent(name)] += _carrying(poses, self.parent(name), name).T @ carried[name]
        return carried

    def _of(self, R: np.ndarray, k: int, first: int, count: int) -> np.ndarray:
        slot = self.outputs[f"{PLACED}{k}[1]"] + first
        return R[slot : slot + count]


def _measured(model: Model) -> Model:
    """Return a copy of the model with outputs of the poses and twists of its bodies."""
    m = copy.deepcopy(model)
    m.outputs.clear()
    m.events.clear()
    for k, name in enumerate(_parents_first(model)):
        measured = [*position(name), *orientation(name), *velocity(name), *angular_velocity(name)]
        if model.bodies[name].elastic is not None:
            measured += [*momentum(name), *angular_momentum(name)]
        m.output(f"{PLACED}{k}", measured)
    return m


def _parents_first(model: Model) -> list[str]:
    names: list[str] = []
    waiting: list[Body] = list(model.bodies.values())
    while waiting:
        ready = [body for body in waiting if body.parent in (WORLD, *names)]
        names += [body.name for body in ready]
        waiting = [body for body in waiting if body not in ready]
    return names


def _with(R: np.ndarray, where: slice, values: np.ndarray) -> np.ndarray:
    changed = R.copy()
    changed[where] = values
    return changed


def _carrying(poses: Mapping[str, Pose], parent: str, name: str) -> np.ndarray:
    """Return C, which carries a twist from the parent to the body."""
    (A_k, x_k), (A, x) = poses[parent], poses[name]
    G = A.T @ A_k
    return np.block([[G, -G @ _skew(A_k.T @ (x - x_k))], [np.zeros((3, 3)), G]])


def _omega(v: np.ndarray) -> np.ndarray:
    """Return [[w~, 0], [v~, w~]] of a twist (v; w)."""
    w = _skew(v[3:])
    return np.block([[w, np.zeros((3, 3))], [_skew(v[:3]), w]])


def _skew(x: np.ndarray) -> np.ndarray:
    """Return x~, with x~ y = x × y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def _diagonal(blocks: list[np.ndarray]) -> np.ndarray:
    matrix = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, block in enumerate(blocks):
        matrix[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    return matrix
