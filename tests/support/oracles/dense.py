"""Mechanisms by dense linear algebra: an oracle at the level of accelerations, written from the definitions.

It reads the definition of a `Model` and shares no formula with the kernels: no momenta, no elimination by bodies, no
twists in body axes. Frames are 4x4 matrices T with derivatives (jets.py). With J = the integral of p pᵀ dm over the
points p = (x; 1) of a body, T_k = dT/du_k and gravity Γ = [[0, g], [0, 0]], d'Alembert's principle states

    M u_dot = f + Gᵀ lambda,    M_kl = sum tr(T_k J T_lᵀ),    f_k = forces - sum tr(T_k J (T_second - Γ)ᵀ)     (D2)
    G u_dot + drift = 0                                                                          (D3)

where g_dot = G u + g_t for the loops' conditions g = 0. To find a joint's reaction, cut the joint and translate and
rotate the branch behind it as a whole: the reaction is the wrench that balances (D2) with the true T_second.

A joint that closes a loop has coordinates of its own. They bring its frame on a as near to b as possible, and the
remaining mismatch is the residual. Its six rows are those of the motion of b relative to the frame that the joint
reaches, in world axes, orthogonal to the joint's own velocities, so lambda is the wrench of a on b. Derivatives of
these rows are exact where the loop is closed, in position and velocity.

A rate condition is a sum of a dx. Its jet holds the gradient and, as first and second rates, those of this sum. It
binds no position: its value is zero, and projection of positions ignores it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.integrate import DOP853

from mbs_fmu.model.closures import Equations, Mesh, PairClosure
from mbs_fmu.model.items import WORLD
from mbs_fmu.model.joints import Joint
from mbs_fmu.model.model import Model
from mbs_fmu.model.references.leaves import FrameNumber, JointNumber, Signal
from mbs_fmu.symbolic.expressions import Expression, leaf
from mbs_fmu.symbolic.graph import leaves
from support.oracles.dense_constraints import IN_RATES, PAIRS, slips
from support.oracles.dense_forces import Forces, Scene
from support.oracles.jets import (
    SHIFTS,
    TURNS,
    ZERO,
    Array,
    Jet,
    Motion,
    axis_of,
    carried,
    evaluate,
    form,
    frame,
    generator,
    mismatch,
    motions,
    normalised,
    point,
    stacked,
    twists,
)

RANK = 1e-8  # singular values below this fraction of the largest one count as zero


def in_rates(expression: Expression) -> bool:
    """True if an expression contains velocities."""
    return any(getattr(reference, "quantity", "") in ("rate", "twist") for reference in leaves([expression]))


def split(G: Array) -> tuple[Array, Array, Array, int]:
    """U, the nonzero singular values, V, and the rank."""
    U, sizes, Vt = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
    return U, sizes[:rank], Vt.T, rank


def shortest(G: Array, g: Array, damping: float = 0.0) -> Array:
    """The shortest x with G x = g, damped."""
    U, sizes, V, rank = split(G)
    return V[:, :rank] @ (sizes / (sizes**2 + damping**2) * (U[:, :rank].T @ g))


@dataclass
class Part:
    """A body: its parent, the joint's place on it, the joint's motions, J of (D2)."""

    parent: str
    place: Array
    motions: list[Motion]
    J: Array


class Dense(Forces):
    """The dynamics of a model, with its own parameters and inputs or others (inputs: numbers or functions of time).

    bodies: names, parents first. slots: slices of a body's coordinates and joint velocities in q and u. coordinates,
    rates: their names in results. rows: slice of a closure's conditions: 6 for a joint, see `PAIRS` for other pairs,
    one for each equation, one for a gear. binding: mask of the conditions on positions. q0, u0: start values.
    """

    def __init__(
        self, model: Model, parameters: Mapping[str, float] | None = None, inputs: Mapping[str, Any] | None = None
    ):
        self.model = model
        self.signals: dict[str, Any] = {p.name: p.value for p in model.parameters.values()}
        self.signals |= {i.name: i.start for i in model.inputs.values()} | dict(parameters or {}) | dict(inputs or {})
        self.gravity = generator(self._numbers(model.uniform_gravity), ZERO)
        self.bodies: list[str] = []
        while len(self.bodies) < len(model.bodies):
            known = (WORLD, *self.bodies)
            self.bodies += [b.name for b in model.bodies.values() if b.parent in known and b.name not in known]
        self.parts: dict[str, Part] = {}
        self.slots: dict[str, tuple[slice, slice]] = {}
        q, u, self.coordinates, self.rates = [], [], [], []
        for name in self.bodies:
            body, start, nq, nu = model.bodies[name], model.starts.get(name), len(q), len(u)
            place, chain = frame(body.rotation, self._numbers(body.position)), motions(body.joint.motions, nq, nu)
            self.parts[name] = Part(body.parent, place, chain, self._inertia(name))
            q += body.joint.rest if start is None or start.q is None else start.q
            u += [0.0] * len(body.joint.rates) if start is None or start.u is None else start.u
            modes = len(body.coordinates) - len(body.joint.coordinates)
            q += (start and start.xi) or [0.0] * modes
            u += (start and start.xi_dot) or [0.0] * modes
            self.slots[name] = slice(nq, len(q)), slice(nu, len(u))
            self.coordinates += [f"{name}.{suffix}" for suffix, _ in body.coordinates]
            self.rates += [f"{name}.{suffix}" for suffix, _ in body.rates]
        self.q0, self.u0, self.n = np.array(q), np.array(u), len(u)
        self.chain = [motion for part in self.parts.values() for motion in part.motions]
        self.rows: dict[str, slice] = {}
        binding: list[bool] = []
        for name, loop in model.loops.items():
            begin = len(binding)
            if isinstance(loop, Equations):
                binding += [not in_rates(e) for e in loop.expressions]
            elif isinstance(loop, Mesh):
                binding.append(True)
            else:
                count, free = PAIRS.get(type(loop.pair), (6,))[0], IN_RATES.get(type(loop.pair), 0)
                binding += [True] * (count - free) + [False] * free
            self.rows[name] = slice(begin, len(binding))
        self.binding = np.array(binding, dtype=bool)
        self._fitted: dict[str, Array] = {}

    # -- names --------------------------------------------------------------------------------------
    def read(self, values: Any) -> tuple[Array, Array]:
        """(q, u) from values by name; from a `Result` with one column for each of its rows."""
        return np.array([values[k] for k in self.coordinates]), np.array([values[k] for k in self.rates])

    def named(self, q: Array, u: Array) -> dict[str, float]:
        """Coordinates and joint velocities by their names in results."""
        return dict(zip(self.coordinates + self.rates, [*q, *u], strict=True))

    # -- position and velocity ----------------------------------------------------------------------
    def poses(self, q: Array) -> dict[str, tuple[Array, Array]]:
        """R (body to world) and origin of every body."""
        frames = self.scene(q).frames
        return {name: (frames[name].value[:3, :3], frames[name].value[:3, 3]) for name in self.bodies}

    def residual(self, q: Array, t: float = 0.0) -> Array:
        """g, zero where all loops are closed: m, rad, or the unit of an equation; zero for rate conditions."""
        return self._conditions(self.scene(q, None, t)).value

    def jacobian(self, q: Array, t: float = 0.0) -> Array:
        """G of g_dot = G u + g_t."""
        return self._conditions(self.scene(q, None, t)).gradient.T

    def time_rate(self, q: Array, t: float = 0.0) -> Array:
        """g_t."""
        return self._conditions(self.scene(q, None, t)).first

    def drift(self, q: Array, u: Array, t: float = 0.0) -> Array:
        """G_dot u + d/dt g_t."""
        return self._conditions(self.scene(q, u, t)).second

    def degrees_of_freedom(self, q: Array, t: float = 0.0) -> int:
        """Number of joint velocities that the loops leave free."""
        return self.n - split(self.jacobian(q, t))[3]

    def consistent(self, q: Array, u: Array, t: float = 0.0, held: Iterable[str] = ()) -> tuple[Array, Array]:
        """(q, u) near the given ones with all loops closed, in position and velocity; ValueError without convergence.

        held: bodies whose coordinates and velocities do not change, or names of single ones, such as "arm.q[2]". Steps
        are damped by the residual, so that they converge at singular positions too.
        """
        free = np.ones(self.n, dtype=bool)
        for name in held:
            free[self.slots[name][1] if name in self.slots else self._column(name)] = False
        q, u, best = normalised(q, self.chain), np.array(u, dtype=float), math.inf
        for _ in range(200):
            scene = self.scene(q, None, t)
            rows = self._conditions(scene)
            size = float(np.linalg.norm(rows.value))
            if size < 1e-15 or (size < 1e-10 and size > 0.5 * best):
                break
            step = shortest(rows.gradient.T[np.ix_(self.binding, free)], rows.value[self.binding], size)
            step /= max(1.0, 2.0 * float(np.linalg.norm(step)))
            q, best = normalised(q - step @ scene.coordinates.gradient[free], self.chain), size
        G = rows.gradient.T
        u[free] -= shortest(G[:, free], G @ u + rows.first)
        rate = np.abs(G @ u + rows.first).max(initial=0.0)
        if size > 1e-10 or rate > 1e-10 * (1.0 + np.abs(u).max(initial=0.0)):
            raise ValueError(f"loops of {self.model.name!r} stay open by {size:.3g}, their rates by {rate:.3g}")
        return q, u

    # -- dynamics -----------------------------------------------------------------------------------
    def mass_matrix(self, q: Array) -> Array:
        """M of (D2), over u."""
        return self._mass(self.scene(q))

    def bias(self, q: Array, u: Array, t: float = 0.0) -> Array:
        """f of (D2), along u: Coriolis and centrifugal forces, gravity, applied forces."""
        return self._impressed(self.scene(q, u, t))

    def accelerations(self, q: Array, u: Array, t: float = 0.0) -> tuple[Array, Array]:
        """(u_dot, lambda), with the shortest lambda for dependent conditions."""
        return self._solution(self.scene(q, u, t))

    def reactions(self, q: Array, u: Array, t: float = 0.0, multipliers: Array | None = None) -> dict[str, Array]:
        """Wrenches (force; torque) that joints transmit, in world axes.

        Key of a body: wrench of its parent on it, about its origin, including motors, springs and equations along the
        joint's coordinates. Key of a closure other than equations: wrench of a on b, about b's point; of a gear: of
        the first wheel on the second, about the second's origin. multipliers: replace the shortest ones.
        """
        scene = self.scene(q, u, t)
        u_dot, shortest_multipliers = self._solution(scene)
        multipliers = shortest_multipliers if multipliers is None else multipliers
        scene.bending = u_dot
        for T in {id(T): T for T in (*scene.frames.values(), *scene.mean.values())}.values():
            T.second = T.second + np.tensordot(u_dot, T.gradient, 1)
        wrenches = {}
        for name in self.bodies:
            branch = [name]
            for other in self.bodies:
                branch += [other] * (self.parts[other].parent in branch)
            shaken = self._shaken(scene, branch, scene.frames[name].value[:3, 3])
            wrenches[name] = -self._impressed(shaken) - self._conditions(shaken).gradient @ multipliers
        for name, loop in self.model.loops.items():
            if not isinstance(loop, Equations):
                moved = loop.b.body if isinstance(loop, PairClosure) else loop.wheels[1].body
                place = self._places(loop, scene)[1] if isinstance(loop, PairClosure) else scene.frames[moved]
                shaken = self._shaken(scene, [moved], place.value[:3, 3])
                wrenches[name] = self._rows(name, shaken).gradient @ multipliers[self.rows[name]]
        return wrenches

    def undetermined(self, q: Array, u: Array, t: float = 0.0) -> dict[str, Array]:
        """Directions (orthonormal columns) of each reaction that dependent conditions leave undetermined."""
        U, _, _, rank = split(self.jacobian(q, t))
        multipliers, base = self.accelerations(q, u, t)[1], self.reactions(q, u, t)
        others = [self.reactions(q, u, t, multipliers + column) for column in U[:, rank:].T]
        open_directions = {}
        for name, wrench in base.items():
            moved = np.array([other[name] - wrench for other in others]).reshape(-1, 6).T
            directions, sizes, _ = np.linalg.svd(moved)
            rank = int(np.sum(sizes > RANK * (1.0 + np.linalg.norm(wrench))))
            open_directions[name] = directions[:, :rank]
        return open_directions

    def energy(self, q: Array, u: Array, t: float = 0.0) -> float:
        """Kinetic energy, spring energy, and energy in gravity (zero at the world's origin) of movable bodies, J."""
        scene = self.scene(q, u, t)
        total = 0.5 * scene.u @ self._mass(scene) @ scene.u
        for name, part in self.parts.items():
            if np.any(scene.frames[name].gradient):
                total -= (scene.frames[name].value @ part.J[:, 3]) @ self.gravity[:, 3]
        total += sum(self._stored(force, scene) for force in self.model.forces.values())
        total += sum(float(pull.value) for pull in self._potentials(scene))
        return float(total)

    def simulate(
        self, times: Any, q: Array | None = None, u: Array | None = None, rtol: float = 1e-12, project: bool = True
    ) -> tuple[Array, Array]:
        """(q, u) at the times, one row each; the first row is (q, u), or the start values.

        Order 8 with errors of rtol (relative and absolute) per step, with projection onto the loops after each step.
        """
        size = self.q0.size

        def rates(t: float, y: Array) -> Array:
            scene = self.scene(y[:size], y[size:], t)
            return np.concatenate([scene.coordinates.first, self._solution(scene)[0]])

        y = np.concatenate([self.q0 if q is None else q, self.u0 if u is None else u])
        rows, step = [y], None
        for begin, end in itertools.pairwise(float(t) for t in times):
            first = None if step is None else min(step, end - begin)
            solver = DOP853(rates, begin, y, end, rtol=rtol, atol=rtol, first_step=first)
            while solver.status == "running":
                message = solver.step()
                if solver.status == "failed":
                    raise RuntimeError(message)
                q, u, step = normalised(solver.y[:size], self.chain), solver.y[size:], solver.h_abs
                y = np.concatenate(self.consistent(q, u, solver.t) if project else (q, u))
                solver.y, solver.f = y, rates(solver.t, y)
            rows.append(y)
        return np.array(rows)[:, :size], np.array(rows)[:, size:]

    # -- parts of the equations ------------------------------------------------------------------------
    def _inertia(self, name: str) -> Array:
        """J of (D2) from mass, centre of mass, and inertia about it."""
        body = self.model.bodies[name]
        c, mass = np.append(self._numbers(body.com), 1.0), self._numbers([body.mass])[0]
        central = np.array([self._numbers(row) for row in body.inertia])
        J = mass * np.outer(c, c)
        J[:3, :3] += 0.5 * np.trace(central) * np.eye(3) - central
        return J

    def _column(self, name: str) -> int:
        """Column of a joint velocity, or of the velocity of a scalar coordinate, by its name."""
        if name in self.rates:
            return self.rates.index(name)
        k = self.coordinates.index(name)
        return next(m.u.start for m in self.chain if m.q == slice(k, k + 1))

    def scene(self, q: Array, u: Array | None = None, t: float = 0.0) -> Scene:
        """Coordinates and frames in motion."""
        q, u = normalised(q, self.chain), np.zeros(self.n) if u is None else np.asarray(u, dtype=float)
        coordinates = Jet(q, np.zeros((self.n, q.size)), np.zeros(q.size), np.zeros(q.size))
        for m in self.chain:
            own = m.coordinates(q[m.q], u[m.u])
            coordinates.gradient[m.u, m.q] = own.gradient
            coordinates.first[m.q], coordinates.second[m.q] = own.first, own.second
        frames = {WORLD: Jet(np.eye(4), np.zeros((self.n, 4, 4)), np.zeros((4, 4)), np.zeros((4, 4)))}
        for name, part in self.parts.items():
            frames[name] = carried(frames[part.parent].map(lambda x: x @ part.place), part.motions, q, u)
        return Scene(q, u, t, np.eye(self.n), coordinates, frames)

    def _shaken(self, scene: Scene, bodies: Iterable[str], origin: Array) -> Scene:
        """Scene whose gradients are translations and rotations of bodies as a whole about a point."""
        frames = {name: replace(T, gradient=np.zeros((6, 4, 4))) for name, T in scene.frames.items()}
        back, there = frame(np.eye(3), -origin), frame(np.eye(3), origin)
        for name in bodies:
            frames[name].gradient = there @ np.array(SHIFTS + TURNS) @ back @ frames[name].value
        coordinates = replace(scene.coordinates, gradient=np.zeros((6, scene.q.size)))
        return replace(scene, along=np.zeros((6, self.n)), coordinates=coordinates, frames=frames)

    def _leaf(self, reference: Any, scene: Scene | None = None) -> Jet:
        """Jet of a leaf of an expression; without a scene, only parameters are known."""
        if isinstance(reference, Signal) and reference.role in ("parameter", "input"):
            value = self.signals[reference.name]
            return Jet(value(scene.t) if callable(value) and scene else value)
        if scene is not None and reference == Signal("time", "time"):
            return Jet(scene.t, 0.0, 1.0, 0.0)
        if scene is None or not isinstance(reference, (JointNumber, FrameNumber)):
            raise TypeError(f"{reference} is not known here")
        if isinstance(reference, JointNumber):
            i, j = (s.start + max(reference.k, 0) for s in self.slots[reference.body])
            return scene.coordinates.map(lambda x: x[..., i]) if reference.quantity == "coordinate" else Jet(scene.u[j])
        T, k = scene.frames[reference.body], reference.k
        if reference.quantity == "twist":
            return Jet((twists(T).first.reshape(2, 3) @ T.value[:3, :3])[divmod(k, 3)])
        i, j = (k, 3) if reference.quantity == "origin" else divmod(k, 3)
        return T.map(lambda x: x[..., i, j])

    def _moving_leaf(self, reference: Any, scene: Scene) -> Jet:
        """Jet of a leaf of a rate condition: its gradient is taken over the velocities in it, at fixed positions."""
        if not in_rates(leaf(reference)):
            return replace(self._leaf(reference, scene), gradient=0.0, second=0.0)
        if isinstance(reference, JointNumber):
            j = self.slots[reference.body][1].start + max(reference.k, 0)
            return Jet(scene.u[j], scene.along[:, j])
        T = scene.frames[reference.body]
        part, k = divmod(reference.k, 3)
        twist = twists(T).map(lambda x: x[..., 3 * part : 3 * part + 3])
        component = form(axis_of(T, np.eye(3)[k]), twist)
        return Jet(component.first, component.gradient, component.second)

    def _numbers(self, expressions: Iterable[Expression], scene: Scene | None = None) -> Array:
        return np.array([evaluate(e, lambda reference: self._leaf(reference, scene)).value for e in expressions])

    # -- forces -------------------------------------------------------------------------------------
    def _mass(self, scene: Scene) -> Array:
        """M of (D2)."""
        M = np.zeros((self.n, self.n))
        for name, part in self.parts.items():
            gradient = scene.frames[name].gradient
            M += (gradient @ part.J).reshape(-1, 16) @ gradient.reshape(-1, 16).T
        for rotor in self.model.rotors.values():
            k = self.slots[rotor.body][1].start + rotor.k
            M[k, k] += self._numbers([rotor.inertia])[0]
        return M

    def _impressed(self, scene: Scene) -> Array:
        """f of (D2), along the gradients of the scene."""
        f = np.zeros(len(scene.along))
        for name, part in self.parts.items():
            T = scene.frames[name]
            f -= (T.gradient @ part.J).reshape(-1, 16) @ (T.second - self.gravity).ravel()
        for pull in self._potentials(scene):
            f -= pull.gradient
        for force in self.model.forces.values():
            f += self._force(force, scene)
        return f

    def _solution(self, scene: Scene) -> tuple[Array, Array]:
        """u_dot = forced + Z y: (D3) gives the forced part, (D2) along Z (the free motions) gives y."""
        M, f, rows = self._mass(scene), self._impressed(scene), self._conditions(scene)
        _, _, V, rank = split(rows.gradient.T)
        Z, forced = V[:, rank:], -shortest(rows.gradient.T, rows.second)
        u_dot = forced + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (f - M @ forced))
        return u_dot, shortest(rows.gradient, M @ u_dot - f)

    # -- loops --------------------------------------------------------------------------------------
    def _conditions(self, scene: Scene) -> Jet:
        """Conditions of all closures."""
        none = Jet(np.zeros(0), np.zeros((len(scene.along), 0)), np.zeros(0), np.zeros(0))
        return stacked([none, *(self._rows(name, scene) for name in self.rows)])

    def _rows(self, name: str, scene: Scene) -> Jet:
        """Conditions of one closure."""
        loop = self.model.loops[name]
        if isinstance(loop, Equations):
            rows = [self._equation(e, scene) for e in loop.expressions]
        elif isinstance(loop, Mesh):
            rows = [self._meshing(loop, scene)]
        else:
            A, B = self._places(loop, scene)
            if isinstance(loop.pair, Joint):
                return self._joint_rows(name, loop.pair, A, B)
            rows = PAIRS[type(loop.pair)][1](loop.pair, A, B, lambda e: evaluate(e, lambda x: self._leaf(x, scene)))
        still = Jet(0.0, np.zeros(len(scene.along)))
        return stacked([(row + still).map(lambda x: np.asarray(x)[..., None]) for row in rows])

    def _equation(self, equation: Expression, scene: Scene) -> Jet:
        if not in_rates(equation):
            return evaluate(equation, lambda x: self._leaf(x, scene))
        rate = evaluate(equation, lambda x: self._moving_leaf(x, scene))
        return Jet(0.0, rate.gradient, rate.value, rate.first)

    def _meshing(self, gear: Mesh, scene: Scene) -> Jet:
        """Condition of equal velocities of both wheels along the tooth force, at a point of the carrier; residual."""
        carrier, *wheels = (scene.frames[name] for name in (gear.carrier, *(wheel.body for wheel in gear.wheels)))
        pitch, along = point(carrier, self._numbers(gear.at)), axis_of(carrier, self._numbers(gear.along))
        rest = self._at_rest
        teeth, speeds = 0.0, []
        for wheel, T in zip(gear.wheels, wheels, strict=True):
            name, n = wheel.body, carrier.value[:3, :3] @ wheel.axis
            seen = np.linalg.solve(carrier.value, T.value) @ np.linalg.solve(rest[name], rest[gear.carrier])
            turned = mismatch(seen, np.eye(4))[3:] @ wheel.axis
            teeth += wheel.teeth * turned
            centre = carrier.value[:3, :3] @ self._numbers(wheel.centre) + carrier.value[:3, 3]
            speeds.append(along.value @ np.cross(n, pitch.value - centre) / wheel.teeth)
        row = slips(wheels[0], wheels[1], pitch, along)
        return replace(row, value=speeds[1] * math.remainder(teeth, 2.0 * math.pi))

    @cached_property
    def _at_rest(self) -> dict[str, Array]:
        """Frames with all joints at zero."""
        rest = np.concatenate([self.model.bodies[name].joint.rest for name in self.bodies])
        return {name: T.value for name, T in self.scene(rest).frames.items()}

    def _places(self, loop: PairClosure, scene: Scene) -> tuple[Jet, Jet]:
        """Frames of the joint on a and on b."""
        at_a, at_b = (frame(side.rotation, self._numbers(side.at)) for side in loop.sides)
        return scene.frames[loop.a.body].map(lambda x: x @ at_a), scene.frames[loop.b.body].map(lambda x: x @ at_b)

    def _joint_rows(self, name: str, joint: Joint, A: Jet, B: Jet) -> Jet:
        """Motion of b relative to the frame C that the joint reaches, orthogonal to the joint's own velocities."""
        chain, m, n = motions(joint.motions), len(joint.rates), len(A.gradient)
        s = self._fit(name, joint, np.linalg.solve(A.value, B.value))
        wide = replace(A, gradient=np.concatenate([A.gradient, np.zeros((m, 4, 4))]))
        C = carried(wide, chain, s, np.zeros(m), n)
        b, c = twists(B), twists(C)
        own = c.gradient[n:].T
        inverse = np.linalg.pinv(own, rcond=RANK)
        left = np.eye(6) - own @ inverse
        moving = twists(carried(wide, chain, s, inverse @ (b.first - c.first), n))
        first, second = left @ (b.first - c.first), left @ (b.second - moving.second)
        return Jet(mismatch(B.value, C.value), (b.gradient - c.gradient[:n]) @ left, first, second)

    def _fit(self, name: str, joint: Joint, goal: Array) -> Array:
        """Coordinates of the joint that bring it nearest to a pose, started from the last ones or from many angles."""
        chain, rest, nu = motions(joint.motions), np.array(joint.rest), len(joint.rates)
        root = Jet(np.eye(4), np.zeros((nu, 4, 4)), np.zeros((4, 4)), np.zeros((4, 4)))

        def nearest(s: Array) -> tuple[float, Array]:
            for _ in range(30):
                T = carried(root, chain, s, np.zeros(nu))
                error = mismatch(goal, T.value)
                step = np.linalg.pinv(twists(T).gradient.T, rcond=RANK) @ error
                if np.linalg.norm(step) < 1e-14:
                    break
                moved = [m.coordinates(s[m.q], step[m.u]).first for m in chain]
                s = normalised(s + np.concatenate(moved), chain)
            return float(np.linalg.norm(error)), s

        best = nearest(self._fitted.get(name, rest))
        turns = [m.q.start for m in chain if m.kind == "turn"]
        if best[0] > 1e-6:
            for angles in itertools.product(np.arange(4) * 0.5 * math.pi, repeat=len(turns)):
                s = rest.copy()
                s[turns] = angles
                best = min(best, nearest(s), key=lambda pair: pair[0])
        self._fitted[name] = best[1]
        return best[1]
