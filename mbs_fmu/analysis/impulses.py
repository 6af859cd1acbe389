"""Poisson impulses of a mechanism in motion, and the matrices of the equations in which they are the unknowns.

I16 is V. N. Ivanov, I. E. Poloskov, V. A. Shimanovskiy (2016); see docs/impulses.md and docs/equations.md.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..messages.calls import with_clear_errors
from ..model.builders.followers import led
from ..model.geometry.poses import rotation_matrix
from ..model.items import WORLD, Body
from ..model.measures.measures import angular_momentum, angular_velocity, momentum, orientation, position, velocity
from ..model.model import Model
from ..record.layout import Head
from ..run.simulate import require_model
from ..symbolic.expressions import Expression
from ..symbolic.graph import evaluate_all
from .mechanism import Mechanism, Numbers, probe

PLACED = "impulses_placed"  #: what the names of the probe's outputs begin with
Pose = tuple[np.ndarray, np.ndarray]  #: rotation, body to world, and origin


class Impulses(NamedTuple):
    """The impulses of one body's joint.

    p: Poisson impulses, (n,), along those joint velocities that are the body's own unknowns (N.s, N.m.s); of an elastic
    body those of its modes behind them (N.s). mu: the momentum of all that the joint carries, (6,): linear momentum
    (N.s), then angular momentum about the body's origin (N.m.s), in body axes.
    """

    p: np.ndarray
    mu: np.ndarray


@dataclass(frozen=True)
class ExtendedSystem:
    """The equations (12) of I16 at one instant, of N bodies with n joint velocities that are not given.

        M v - Sᵀ mu = 0,    -S v + A u = -v_star,    Aᵀ mu + rotors u = p
        p_dot = (A_dotᵀ - Aᵀ Omega) mu + Q

    Blocks of six numbers belong to one body each, in the order of `bodies`: velocity or force, then angular velocity or
    torque, of the body's origin, in body axes. SI units.

    bodies: names, parents before children. velocities: names of u, in the order of u and p. S, T = S⁻¹: kinematic
    structure, (6N, 6N). A, A_dot: twists of the joints per unit of u, (6N, n), and their rates. M: inertia about the
    bodies' origins, (6N, 6N). Omega: (6N, 6N), diagonal blocks [[w~, 0], [v~, w~]]. rotors: what turns with one joint
    velocity alone, (n, n), which the paper has not. v, v_star: twists, and what given motions add to those of the
    joints, (6N,). mu: momenta of the branches, (6N,), the multipliers of the paper. u, p, p_dot, Q: joint velocities,
    Poisson impulses, their rates, and generalized forces, (n,).
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
        """Of the linear system of (v, u, mu), symmetric, (12N + n, 12N + n)."""
        six, n = len(self.v), len(self.u)
        return np.block([
            [self.M, np.zeros((six, n)), -self.S.T],
            [np.zeros((n, six)), self.rotors, self.A.T],
            [-self.S, self.A, np.zeros((six, six))],
        ])  # fmt: skip

    @property
    def right(self) -> np.ndarray:
        """The right side of that system, (12N + n,)."""
        return np.concatenate([np.zeros_like(self.v), self.p, -self.v_star])


@with_clear_errors
def impulses(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None, time: float = 0.0,
) -> dict[str, Impulses]:  # fmt: skip
    """The Poisson impulses p and the branch momenta mu of every body at a start, by the bodies' names: (P2), (P3).

    start, inputs, parameters, time: as `simulate` takes them; what is left out has its default, inputs without one
    are 0. Loops are closed first. No impulse of a closure is in p and mu: they are the momenta of the velocities. A
    joint whose motion is given, or follows another one, has no p of its own; mu is there all the same.

    Raises ModelError for what can't be started and for unknown names.
    """
    require_model(model)
    found = _Moving(model, start or {}, inputs or {}, parameters or {}, time)
    momenta = found.branch_momenta(found.R)
    return {name: Impulses(found.own_impulses(name), momenta[name]) for name in found.bodies}


@with_clear_errors
def extended_system(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None, time: float = 0.0,
) -> ExtendedSystem:  # fmt: skip
    """The matrices of the equations of motion in Poisson impulses, (12) of I16, at a start: dense numpy arrays.

    start, inputs, parameters, time: as `simulate` takes them. Loops are closed first, and then left open: Q has no
    forces of closures. This is for readers of the equations: simulation forms none of these matrices.

    Raises ModelError for what can't be started, for unknown names, and for elastic bodies, of which (12) has none.
    """
    require_model(model)
    for body in model.bodies.values():
        if body.elastic is not None:
            raise ArgumentError(
                f"body {body.name!r} is elastic, and the equations (12) are those of rigid bodies, without momenta of "
                "modes: use mbs.impulses, which has these, or leave elastic= out"
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
    """A started mechanism with its bodies' poses, and their twists at any joint velocities."""

    def __init__(self, model: Model, start: Numbers, inputs: Numbers, parameters: Numbers, time: float):
        self.model = model
        self.mechanism = m = Mechanism(probe(model, "impulses", _measured))
        self.R = m.record(start, inputs, parameters, time)
        m.begin(self.R)
        m.call("momenta", self.R)  # of the velocities alone
        self.bodies = _parents_first(model)
        self.outputs = {v.name: v.slot for v in m.program.of_role("output")}
        self.values = {v.name: float(self.R[v.slot]) for v in m.program.of_role("parameter")}

    # -- numbers of bodies --------------------------------------------------------------------------------
    def parent(self, name: str) -> str:
        return self.model.bodies[name].parent

    def six(self, name: str) -> slice:
        """Where the body's six numbers lie."""
        k = 6 * self.bodies.index(name)
        return slice(k, k + 6)

    def own_impulses(self, name: str) -> np.ndarray:
        slots = [v.slot for v in self.mechanism.program.of_role("momentum") if v.name.rsplit(".", 1)[0] == name]
        return np.asarray(self.R[np.array(slots, dtype=int)])

    def inertia(self, name: str) -> np.ndarray:
        """M of a rigid body about its origin."""
        body = self.model.bodies[name]
        mass, *com = self._numbers([body.mass, *body.com])
        c = _skew(np.array(com))
        J = self._numbers([x for row in body.inertia for x in row]).reshape(3, 3) - mass * c @ c
        return np.block([[mass * np.eye(3), -mass * c], [mass * c, J]])

    def rotors(self) -> np.ndarray:
        """Inertia that moves with one joint velocity alone, along the velocities that are not given."""
        names = self.mechanism.rate_names
        out = np.zeros((len(names), len(names)))
        for rotor in self.model.rotors.values():
            leader, ratio, _ = led(self.model.followers, rotor.body)
            inertia, turned = self._numbers([rotor.inertia, ratio])
            name = f"{leader}.{self.model.bodies[leader].rates[rotor.k][0]}"
            if name in names:
                out[names.index(name), names.index(name)] += turned**2 * inertia
        return out

    def _numbers(self, expressions: list[Expression]) -> np.ndarray:
        return np.array(evaluate_all(expressions, lambda signal: self.values[signal.name]))

    # -- structure ----------------------------------------------------------------------------------------
    def structure(self, C: Mapping[str, np.ndarray]) -> np.ndarray:
        """S: (2) of I16."""
        S = np.eye(6 * len(self.bodies))
        for name in self.bodies:
            if self.parent(name) != WORLD:
                S[self.six(name), self.six(self.parent(name))] = -C[name]
        return S

    def paths(self, C: Mapping[str, np.ndarray]) -> np.ndarray:
        """T, the inverse of S: (5) of I16."""
        T = np.eye(6 * len(self.bodies))
        for name in self.bodies:
            if self.parent(name) != WORLD:
                T[self.six(name)] += C[name] @ T[self.six(self.parent(name))]
        return T

    def belonging(self) -> np.ndarray:
        """Which numbers of A may differ from zero: those of a body's own joint, and of those that follow it."""
        names = self.mechanism.rate_names
        leaders = [led(self.model.followers, name).leader for name in self.bodies]
        own = np.array([[name.rsplit(".", 1)[0] == leader for name in names] for leader in leaders], dtype=bool)
        return np.repeat(own.reshape(len(leaders), len(names)), 6, axis=0)

    # -- motion -------------------------------------------------------------------------------------------
    def poses(self, R: np.ndarray) -> dict[str, Pose]:
        """Of all bodies and the world."""
        R = R.copy()
        self.mechanism.call("outputs", R)
        out = {WORLD: (np.eye(3), np.zeros(3))}
        for k, name in enumerate(self.bodies):
            x, turned = (self._of(R, k, first, count) for first, count in ((0, 3), (3, 4)))
            out[name] = rotation_matrix(turned, "orientation"), x
        return out

    def twists(self, R: np.ndarray) -> np.ndarray:
        """Of all bodies, in body axes: (6N,)."""
        return self.twists_and_rates(R)[0]

    def twists_and_rates(self, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Twists for the joint velocities of a record, and how they change along the motion with these held."""
        m, R = self.mechanism, R.copy()
        m.call("momenta", R)
        m.call("outputs", R)
        D = np.zeros_like(R)
        D[m.x], D[Head.time] = self.R[m.f], 1.0
        m.call("momenta_d", R, D)
        if "def pose_d(" in m.program.text:  # in models with forces on bodies `outputs_d` leaves it to `derive_d`
            m.call("pose_d", R, D)
        m.call("outputs_d", R, D)
        poses = self.poses(R)
        v, v_dot = np.zeros(6 * len(self.bodies)), np.zeros(6 * len(self.bodies))
        for k, name in enumerate(self.bodies):
            A = poses[name][0]
            spin = A.T @ self._of(self.R, k, 10, 3)  # of the motion itself, in which body axes turn
            for first in (0, 3):
                own, rate = (A.T @ self._of(X, k, 7 + first, 3) for X in (R, D))
                place = slice(6 * k + first, 6 * k + first + 3)
                v[place], v_dot[place] = own, rate - np.cross(spin, own)
        return v, v_dot

    def branch_momenta(self, R: np.ndarray) -> dict[str, np.ndarray]:
        """mu of every body."""
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
    """A copy of the model that measures where its bodies are and how they move."""
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
    out: list[str] = []
    waiting: list[Body] = list(model.bodies.values())
    while waiting:
        ready = [body for body in waiting if body.parent in (WORLD, *out)]
        out += [body.name for body in ready]
        waiting = [body for body in waiting if body not in ready]
    return out


def _with(R: np.ndarray, where: slice, values: np.ndarray) -> np.ndarray:
    out = R.copy()
    out[where] = values
    return out


def _carrying(poses: Mapping[str, Pose], parent: str, name: str) -> np.ndarray:
    """C: it carries a twist from the parent to the body."""
    (A_k, x_k), (A, x) = poses[parent], poses[name]
    G = A.T @ A_k
    return np.block([[G, -G @ _skew(A_k.T @ (x - x_k))], [np.zeros((3, 3)), G]])


def _omega(v: np.ndarray) -> np.ndarray:
    """[[w~, 0], [v~, w~]] of a twist (v; w)."""
    w = _skew(v[3:])
    return np.block([[w, np.zeros((3, 3))], [_skew(v[:3]), w]])


def _skew(x: np.ndarray) -> np.ndarray:
    """x~, with x~ y = x × y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def _diagonal(blocks: list[np.ndarray]) -> np.ndarray:
    out = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, block in enumerate(blocks):
        out[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    return out
