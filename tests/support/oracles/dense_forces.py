"""Generalized forces and stored energy of forces, from their definitions, for the dense oracle (dense.py)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad

from mbs_fmu.model.forces import (
    AlongPlace,
    BodyForce,
    Bushing,
    Drag,
    ElasticMesh,
    Friction,
    Motor,
    PointGravity,
    PointSpring,
    Pull,
    Rope,
    RotationalSpring,
    Spring,
    SpringLaw,
)
from mbs_fmu.model.forces.characteristics import EXTENSION, SPEED, Shaft
from mbs_fmu.model.items import WORLD
from mbs_fmu.model.model import Model
from mbs_fmu.model.references.leaves import JointNumber
from mbs_fmu.symbolic.expressions import ZERO
from mbs_fmu.symbolic.graph import leaves, topological
from support.oracles.jets import (
    Array,
    Jet,
    apply,
    atan2,
    dot,
    evaluate,
    point,
    quotient,
    twists,
)

STORES_NOTHING = (BodyForce, Drag, Friction, Motor, Pull)  #: forces without stored energy


@dataclass
class Scene:
    """The mechanism in motion.

    along: directions of all gradients, in terms of joint velocities. mean: mean frames of elastic bodies.
    """

    q: Array
    u: Array
    t: float
    along: Array
    coordinates: Jet
    frames: dict[str, Jet]
    mean: dict[str, Jet] = field(default_factory=dict)
    bending: Array | None = None  #: rates of the joint velocities that the frames' second rates contain


class Forces:
    """The part of `Dense` that evaluates forces."""

    model: Model
    n: int
    slots: dict[str, tuple[slice, slice]]
    _leaf: Callable[..., Jet]
    _numbers: Callable[..., Array]
    _meshing: Callable[..., Jet]
    _moving_leaf: Callable[..., Jet]

    def _force(self, force: Any, scene: Scene) -> Array:
        """Generalized force of a force element along the gradients of the scene."""
        if isinstance(force, Spring):
            row = self._number(force, scene)
            return self._pushed(force, scene, row)[0] * row.gradient
        if isinstance(force, AlongPlace):
            return self._along_place(force, scene)
        if isinstance(force, BodyForce):
            T = scene.frames[force.body]
            R = np.eye(3) if force.in_world else T.value[:3, :3]
            f = point(T, self._numbers(force.at)).gradient @ R @ self._numbers(force.force, scene)
            return f + twists(T).gradient[:, 3:] @ R @ self._numbers(force.torque, scene)
        if isinstance(force, Drag):
            p = point(scene.frames[force.body], self._numbers(force.at))
            v = p.first - self._numbers(force.fluid, scene)
            linear, quadratic = self._numbers([force.linear, force.quadratic], scene)
            return -p.gradient @ v * (linear + quadratic * math.sqrt(v @ v))
        if isinstance(force, Bushing):
            return self._bushing(force, scene)[0]
        if isinstance(force, ElasticMesh):
            row = self._meshing(force.mesh, scene)
            return self._stopped(force.ends, scene, row)[0] * row.gradient
        if isinstance(force, Pull):
            assert force.ends is None
            x, (law, viscous) = self._extent(scene, force), self._numbers([force.law, force.viscous], scene)
            return -(law + viscous * x.first) * x.gradient
        if isinstance(force, Rope):
            x, (stiffness, damping, paid) = self._rope(force, scene)
            damper = damping * (x.first - paid) * min(x.value / 1e-3, 1.0)
            return -max(stiffness * x.value + damper, 0.0) * x.gradient * (x.value > 0.0)
        if not hasattr(force, "elastic"):
            raise self._unknown(force)
        x = self._extension(scene, force)
        return -self._resisted(force.elastic, scene, float(x.value), float(x.first)) * x.gradient

    @staticmethod
    def _unknown(force: Any) -> NotImplementedError:
        name = type(force).__name__
        return NotImplementedError(f"the dense oracle has no formula for {name}: add it to dense_forces.py")

    def _along_place(self, force: Any, scene: Scene) -> Array:
        """Generalized force of a motor or friction: along joint velocities, or along the gradient of an equation."""
        rate, number = force.place.rate, force.place.coordinate
        if number is None or all(isinstance(x, JointNumber) for x in leaves([rate])):
            row = evaluate(rate, lambda reference: self._moving_leaf(reference, scene))
            u, column = float(row.value), row.gradient
        else:
            row = self._number(force, scene)
            u, column = float(row.first), row.gradient
        if isinstance(force, Motor):
            return self._numbers([force.law], scene)[0] * column
        if not isinstance(force, Friction):
            raise self._unknown(force)
        laws = [force.coulomb, force.static, force.viscous, force.speed]
        coulomb, static, viscous, v = self._numbers(laws, scene)
        peak = math.exp(0.5 - 0.5 * (u / v) ** 2) * u / v
        return -((static - coulomb) * peak + coulomb * math.tanh(10 * u / v) + viscous * u) * column

    def _number(self, force: Any, scene: Scene) -> Jet:
        """The number along which a force acts."""
        return evaluate(force.place.number, lambda reference: self._leaf(reference, scene))

    def _pushed(self, spring: Spring, scene: Scene, row: Jet) -> tuple[float, float]:
        """Force of a spring, a stop or a coupling along its number, and its energy without that of a formula."""
        law = spring.law
        if isinstance(law, SpringLaw):
            x = float(row.value) - self._numbers([law.length], scene)[0]
            return -self._resisted(law, scene, x, float(row.first)), self._formula(law, scene, x)
        return self._stopped(law, scene, row)

    def _stopped(self, ends: Any, scene: Scene, row: Jet) -> tuple[float, float]:
        """Force of stops along a number, and their energy."""
        stiffness, damping = self._numbers([ends.stiffness, ends.damping], scene)
        x = self._beyond(ends, scene, float(row.value))
        most = np.inf if isinstance(ends, Shaft) else stiffness * abs(x)
        return -(stiffness * x + np.clip(damping * row.first, -most, most)), 0.5 * stiffness * x * x

    def penetration(self, gear: ElasticMesh | Spring, scene: Scene) -> float:
        """Penetration of the teeth of an elastic gear."""
        is_mesh = isinstance(gear, ElasticMesh)
        row = self._meshing(gear.mesh, scene) if is_mesh else self._number(gear, scene)
        return self._beyond(gear.ends if is_mesh else gear.law, scene, float(row.value))

    def _beyond(self, ends: Any, scene: Scene, x: float) -> float:
        """Part of a number beyond the stops."""
        return x if isinstance(ends, Shaft) else x - self._within(ends, scene, x)

    def _within(self, ends: Any, scene: Scene, x: float) -> float:
        """The nearest number between two stops, one of which may be missing."""
        low, high = (None if b is None else self._numbers([b], scene)[0] for b in (ends.lower, ends.upper))
        return float(np.clip(x, -np.inf if low is None else low, np.inf if high is None else high))

    def _resisted(self, elastic: SpringLaw, scene: Scene, x: float, v: float) -> float:
        """Force or torque of a spring."""
        stiffness, damping = self._numbers([elastic.stiffness, elastic.damping], scene)
        law = 0.0
        if elastic.law is not None:
            stretch = {EXTENSION: Jet(x), SPEED: Jet(v)}
            law = evaluate(elastic.law, lambda r: stretch[r] if r in stretch else self._leaf(r, scene)).value
        return stiffness * x + damping * v + law

    def _stored(self, force: Any, scene: Scene) -> float:
        """Energy of a spring: the integral of its static force from extension zero."""
        if isinstance(force, Spring):
            return self._pushed(force, scene, self._number(force, scene))[1]
        if isinstance(force, Bushing):
            return self._bushing(force, scene)[1]
        if isinstance(force, ElasticMesh):
            return self._stopped(force.ends, scene, self._meshing(force.mesh, scene))[1]
        if isinstance(force, Rope):
            x, (stiffness, *_) = self._rope(force, scene)
            return 0.5 * stiffness * max(float(x.value), 0.0) ** 2
        if isinstance(force, STORES_NOTHING):
            return 0.0
        if not hasattr(force, "elastic"):
            raise self._unknown(force)
        return self._formula(force.elastic, scene, float(self._extension(scene, force).value))

    def _formula(self, elastic: SpringLaw, scene: Scene, x: float) -> float:
        """Energy of a spring at an extension."""
        tables = [e.value[0] for e in topological([ZERO if elastic.law is None else elastic.law]) if e.op == "table"]
        kinks = [at for points in tables for at in points if min(0.0, x) < at < max(0.0, x)]
        accuracy: dict[str, Any] = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 200, "points": kinks or None}
        return quad(lambda s: self._resisted(elastic, scene, s, 0.0), 0.0, x, **accuracy)[0]

    def _extension(self, scene: Scene, spring: Any) -> Jet:
        """Extension of a spring beyond its free length or rest angle."""
        x = self._angle(scene, spring) if isinstance(spring, RotationalSpring) else self._extent(scene, spring)
        rest = self._numbers([spring.elastic.length], scene)[0]
        if isinstance(spring, RotationalSpring):
            return replace(x, value=math.remainder(x.value - rest, 2 * math.pi))
        return x - Jet(rest)

    def _rope(self, rope: Rope, scene: Scene) -> tuple[Jet, Array]:
        """Extension of a rope; its stiffness, damping and the rate of its length."""
        places = [point(scene.frames[eye.body], self._numbers(eye.at)) for eye in rope.eyes]
        spans = [apply("sqrt", dot(b - a, b - a)) for a, b in pairwise(places)]
        length, *law = self._numbers([rope.length, rope.stiffness, rope.damping, rope.length_rate], scene)
        return sum(spans[1:], start=spans[0]) - Jet(length), law

    def _extent(self, scene: Scene, spring: PointSpring | Pull) -> Jet:
        """The distance of two points."""
        ends = ((spring.a, spring.at_a), (spring.b, spring.at_b))
        a, b = (point(scene.frames[name], self._numbers(at)) for name, at in ends)
        square = dot(b - a, b - a)
        return apply("sqrt", square) if square.value else square

    def _axes(self, scene: Scene, body: str, rotation: Array) -> list[Jet]:
        return [scene.frames[body].map(lambda x, n=column: x[..., :3, :3] @ n) for column in rotation.T]

    def _angle(self, scene: Scene, spring: RotationalSpring) -> Jet:
        """Twice the angle of (w, z), the scalar part and the axial part of b's quaternion in a."""
        A = self._axes(scene, spring.a, spring.rotation_a)
        B = self._axes(scene, spring.b, spring.rotation_b)
        sine, cosine = dot(A[1], B[0]) - dot(A[0], B[1]), dot(A[0], B[0]) + dot(A[1], B[1])
        return atan2(sine, cosine)

    def _bushing(self, bushing: Bushing, scene: Scene) -> tuple[Array, float]:
        """Generalized force and energy of a bushing: 2 sum kappa_i v_i², v the vector part of a quaternion."""
        A = self._axes(scene, bushing.a, bushing.rotation_a)
        B = self._axes(scene, bushing.b, bushing.rotation_b)
        laws = (bushing.stiffness, bushing.damping, bushing.rotational_stiffness, bushing.rotational_damping)
        c, d, kappa, gamma = (self._numbers(law, scene) for law in laws)
        a, b = scene.frames[bushing.a], scene.frames[bushing.b]
        apart = point(b, self._numbers(bushing.at_b)) - point(a, self._numbers(bushing.at_a))
        spin = twists(b) - twists(a)
        f, energy = np.zeros(len(scene.along)), 0.0
        for i in range(3):
            x = dot(A[i], apart)
            f -= (c[i] * x.value + d[i] * x.first) * x.gradient
            f -= gamma[i] * (A[i].value @ spin.first[3:]) * (spin.gradient[:, 3:] @ A[i].value)
            diagonal = [dot(a, b) for a, b in zip(A, B, strict=True)]
            square = diagonal[i] - diagonal[i - 1] - diagonal[i - 2]  # 4 v_i² - 1
            f -= 0.5 * kappa[i] * square.gradient
            energy += 0.5 * c[i] * x.value**2 + 0.5 * kappa[i] * (1.0 + square.value)
        return f, float(energy)

    def _potentials(self, scene: Scene) -> list[Jet]:
        """Energies of all bodies in point gravity."""
        gravity, potentials = self.model.gravity, []
        if isinstance(gravity, PointGravity):
            mu, center = self._numbers([gravity.mu])[0], self._numbers(gravity.center)
            for name, T in scene.frames.items():
                if name != WORLD and np.any(T.gradient):
                    body = self.model.bodies[name]
                    r = point(T, self._numbers(body.com)) - Jet(center)
                    weight = Jet(-mu * self._numbers([body.mass])[0])
                    potentials.append(quotient(weight, apply("sqrt", dot(r, r))))
        return potentials
