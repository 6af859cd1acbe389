"""A model at a start: its contact points, and what impulses on them change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...model.forces.contacts import Contact, ContactPoint
from ...model.items import WORLD
from ...model.model import Model
from ...model.references.leaves import Signal
from ...record.blocks import HeadNumbers
from ...record.codes import Fresh
from ...symbolic.arrays import values_along
from ...symbolic.expressions import Expression
from ...view.poses import Rows, poses
from ...view.touches import touches
from ...view.twists import twists
from ..runtime import Runtime
from .near import near_at
from .trees import Trees


class Start:
    """A model with compliant contacts at a start. R: its record, with the rates. has_near: some are near pairs, which
    differ from start to start."""

    def __init__(self, model: Model, runtime: Runtime, R: np.ndarray):
        self.model, self.runtime, self.R = model, runtime, R
        program = runtime.program
        self.slots = {v.name: v.slot for v in program.variables}
        self.parameters = {v.name: float(R[v.slot]) for v in program.of_role("parameter")}
        self.columns = {v.name: v.slot for v in program.of_role("coordinate", "driven", "rate")}
        self.states = {v.name: float(R[v.slot]) for v in program.of_role("state")}
        self.rows = self._rows(R[None, list(self.columns.values())])
        self.frames = poses(model, self.rows)
        near = near_at(model, self.frames)
        self.has_near = bool(near)
        self.touches = touches(model, self.rows, self.frames, near)
        self.points: list[ContactPoint] = [contact.points[k] for contact, k in self.touches.points]
        self.depth = self.touches.depth[0]
        self.normal = self.touches.normal[0]
        names = (surface.body for point in self.points for surface in (point.a, point.b))
        self.number = {body: k for k, body in enumerate(dict.fromkeys(names))}
        self.ends = np.array([[self.number[p.a.body], self.number[p.b.body]] for p in self.points]).reshape(-1, 2)

    def contact(self, place: int) -> Contact:
        """Return the contact of a point, by its place in `points`."""
        return self.touches.points[place][0]

    # -- numbers ---------------------------------------------------------------------------------------------
    def _rows(self, values: np.ndarray) -> Rows:
        """Return rows at the time of the start with values of `columns`, (rows, columns)."""
        constants = {"time": self.R[HeadNumbers.time], **self.states}
        fixed = {name: np.full(len(values), x) for name, x in constants.items()}
        return Rows({**fixed, **dict(zip(self.columns, values.T, strict=True))}, self.parameters)

    def value(self, expression: Expression) -> float:
        """Return the value of an expression of signals; zero if it depends on more."""
        try:
            return float(values_along([expression], 1, self._signal)[0, 0])
        except KeyError:
            return 0.0

    def _signal(self, reference: Any) -> float:
        """Return the value of a signal. Raises KeyError for other references."""
        if not isinstance(reference, Signal):
            raise KeyError(reference)
        return float(self.R[HeadNumbers.time if reference.role == "time" else self.slots[reference.name]])

    @cached_property
    def gravity(self) -> np.ndarray:
        """Uniform gravity, m/s²."""
        return np.array([self.value(x) for x in self.model.uniform_gravity])

    @cached_property
    def bases(self) -> dict[str, str]:
        """For each body the first body of the tree on the world that contains it; none for the world."""
        bases: dict[str, str] = {}
        for name, body in self.model.bodies.items():  # parents come before their children
            bases[name] = bases.get(body.parent, name)
        return bases

    @cached_property
    def weights(self) -> dict[str, float]:
        """For each body the weight of the tree on the world that contains it, N; infinite for the world."""
        masses: dict[str, float] = {}
        for name, base in self.bases.items():
            masses[base] = masses.get(base, 0.0) + self.value(self.model.bodies[name].mass)
        size = float(np.linalg.norm(self.gravity))
        return {name: size * masses[base] for name, base in self.bases.items()} | {WORLD: np.inf}

    # -- impulses --------------------------------------------------------------------------------------------
    @cached_property
    def arms(self) -> np.ndarray:
        """Vectors to the contact points from the origins of a and b, m, world axes, (points, 2, 3).

        While a and b are apart they lead to the nearest point of each.
        """
        x, R = (np.array([getattr(self.frames[p.b.body], name)[0] for p in self.points]) for name in ("x", "R"))
        from_a = x - np.array([self.frames[p.a.body].x[0] for p in self.points])
        origins = self.rows.values([number for p in self.points for number in p.b.origin])[0].reshape(-1, 3)
        on_b = np.einsum("pij,pj->pi", R, origins) + self.touches.arm[0]
        apart = np.where(np.isfinite(self.depth), np.minimum(self.depth, 0.0), 0.0)
        return np.asarray(np.stack([on_b + from_a + self.normal * apart[:, None], on_b], axis=1))

    def wrenches(self, places: Sequence[int] | slice, directions: np.ndarray) -> np.ndarray:
        """Return the wrenches of unit forces along directions (points, 3) at some points, on a and b, (points, 2, 6).

        They are about the origins of the bodies, in world axes.
        """
        forces = np.stack([-directions, directions], axis=1)
        return np.asarray(np.concatenate([forces, np.cross(self.arms[places], forces)], axis=2))

    @cached_property
    def trees(self) -> Trees:
        """Joint velocities and bodies in `number` of all trees that move independently."""
        return Trees(self.model, self.slots, self.runtime.program.region("u"), self.number)

    @cached_property
    def roots(self) -> list[np.ndarray]:
        """For each tree the root L of the twists of its bodies in `number` by unit wrench impulses on them, L Lᵀ;
        (bodies, 6, columns).

        A unit impulse along each joint velocity gives velocities W e (the inverse mass matrix W) and twists V e of all
        bodies, so that a wrench impulse on a body gives the twists V W⁺ Vᵀ.
        """
        roots = []
        for W, V in self._pushed():
            inertias, modes = np.linalg.eigh(W)
            kept = inertias > 1e-12 * np.max(np.abs(inertias), initial=0.0)
            size = V.shape[1]
            L = V.reshape(len(V), 6 * size).T @ (modes[:, kept] / np.sqrt(inertias[kept]))
            roots.append(np.asarray(L.reshape(size, 6, -1)))
        return roots

    def mobility_roots(self, places: Sequence[int] | slice, wrenches: np.ndarray) -> np.ndarray:
        """Return the root J L of the mobility of some points along wrenches on a and b, (points, columns).

        wrenches: (points, 2, 6), as `wrenches` returns them. The columns are those of the trees on which they act.
        """
        ends = self.ends[places]
        columns = [np.zeros((len(ends), 0))]
        for tree in np.unique(self.trees.of_body[ends]):
            if tree != Trees.WORLD:
                inside = self.trees.of_body[ends] == tree
                local = np.where(inside, self.trees.place[ends], 0)
                own = np.where(inside[..., None], wrenches, 0.0)
                columns.append(np.einsum("psi,psic->pc", own, self.roots[tree][local]))
        return np.concatenate(columns, axis=1)

    @cached_property
    def mobilities(self) -> np.ndarray:
        """Inverse of the effective mass at each contact point along the normal, 1/kg; zero where nothing can move."""
        along = self.wrenches(slice(None), self.normal)
        found = np.zeros(len(self.points))
        between: dict[tuple[int, ...], list[int]] = {}
        for place, pair in enumerate(self.trees.of_body[self.ends].tolist()):
            between.setdefault(tuple(pair), []).append(place)
        for places in between.values():
            found[places] = np.sum(self.mobility_roots(places, along[places]) ** 2, axis=1)
        return found

    @cached_property
    def speeds(self) -> np.ndarray:
        """Speed at which each contact point would meet the other surface, m/s: its own at the start, and of the fall.

        Zero for points that separate and do not fall.
        """
        rate = self._rates_of_gaps()
        falls = self.normal @ self.gravity
        moving = np.array([[name != WORLD for name in (p.a.body, p.b.body)] for p in self.points]).reshape(-1, 2)
        pull = np.maximum(np.where(moving[:, 1], -falls, 0.0), np.where(moving[:, 0], falls, 0.0))
        height = np.maximum(-self.depth, 0.0)
        fallen = np.where(np.isfinite(height), 2.0 * np.maximum(pull, 0.0) * height, 0.0)
        meets = (rate < 0.0) | (fallen > 0.0)
        return np.asarray(np.where(meets, np.sqrt(rate * rate + fallen), 0.0))

    def _rates_of_gaps(self) -> np.ndarray:
        """Return the rates of the gaps, m/s; those of a model at rest without a look at its bodies."""
        program = self.runtime.program
        if not any(self.R[v.slot] for v in program.of_role("rate")) and not program.of_role("driven"):
            return np.zeros(len(self.points))
        at = twists(self.model, self.rows)
        twist = np.array([np.concatenate([at[body].v[0], at[body].w[0]]) for body in self.number])
        return np.asarray(np.einsum("psi,psi->p", self.wrenches(slice(None), self.normal), twist[self.ends]))

    def _pushed(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield for each tree the changes of its joint velocities, (u, u), and of the twists of its bodies in `number`,
        (u, bodies, 6), by unit impulses along each joint velocity.

        Each evaluation makes one impulse on every tree, since none moves another tree.
        """
        program, trees = self.runtime.program, self.trees
        p, u, driven = (program.region(name) for name in ("p", "u", "driven_u"))
        slots = np.array(list(self.columns.values()))
        rates = np.isin(slots, np.r_[u, driven])
        kept = np.r_[u, slots]
        found = [pushed(self.runtime, self.R, p.start + own)[kept] for own in trees.impulses()]
        changes = np.split(np.array(found).reshape(-1, len(kept)) - self.R[kept], [u.stop - u.start], axis=1)
        inverse, velocities = changes[0], changes[1] * rates
        owners = trees.of_columns(self.columns)
        scales = np.full((len(velocities), len(trees.velocities)), 1e-300)  # differences of poses then err little
        np.maximum.at(scales.T, owners, np.abs(velocities.T))
        still = np.where(rates, 0.0, self.R[slots])  # a row at rest, from whose twists those of the others are counted
        at = twists(self.model, self._rows(np.vstack([still, still + velocities / scales[:, owners]])))
        V = np.stack([np.concatenate([at[body].v, at[body].w], axis=1) for body in self.number], axis=1)
        for tree, (own, bodies) in enumerate(zip(trees.velocities, trees.bodies, strict=True)):
            W = inverse[: len(own), own]
            moved = V[1 : 1 + len(own), bodies] - V[:1, bodies]
            yield 0.5 * (W + W.T), moved * scales[: len(own), tree, None, None]


def pushed(
    runtime: Runtime, R: np.ndarray, momenta: int | np.ndarray, impulses: float | np.ndarray = 1.0
) -> np.ndarray:
    """Return the record after impulses along joint velocities, with the rates; momenta: their slots."""
    R = R.copy()
    R[momenta] += impulses
    R[HeadNumbers.fresh] = Fresh.stale
    runtime.refresh(R)
    return R
