"""What a whole mechanism has: energy, momentum, angular momentum, mass and its centre, as sums over the links."""

from __future__ import annotations

from ..model.effects import NONE
from ..model.vectors import Vector
from ..record.layout import INERTIA, LinkConstants, Load, LoopState
from ..symbolic.expressions import ZERO, Expression, as_expression, is_literal
from .forces import Forces
from .law import Law
from .resolve import Resolver, load


def energy_terms(resolve: Resolver, forces: Forces, rows: int) -> list[Law]:
    """Kinetic energy, -m g.x of every link, what every force stores; `rows` of loops have impulses."""
    tree, model = resolve.tree, resolve.model
    target = Load("R", "energy", 0)
    laws = _kinetic_energy(resolve, target, rows)
    gravity = Vector(
        as_expression(0.0) if is_literal(g, 0.0) else load("gravity", k) for k, g in enumerate(model.uniform_gravity)
    )
    for i in range(len(tree.links)):
        mass, moment, _ = _mass_of(i)
        origin = resolve.world_point(i, Vector((0.0, 0.0, 0.0)))
        arm = Vector(row.dot(moment) for row in resolve.link_rotation(i))
        laws.append(Law([(target, -gravity.dot(origin * mass + arm))], "energy in gravity", accumulate=True))
    for force in model.forces.values():
        stored = forces.effect(force.name).stored
        if stored is not None:
            laws.append(Law([(target, stored)], f"energy in {force.name}", accumulate=True))
    for name, pull in forces.pulls:
        assert pull.stored is not None
        laws.append(Law([(target, pull.stored)], f"energy of {name} in gravity", accumulate=True))
    return [law for law in laws if not is_literal(law.assignments[0][1], 0.0)]


def _kinetic_energy(resolve: Resolver, target: Load, rows: int) -> list[Law]:
    """½ pᵀu (P6); where motions are given, ½ vᵀMv of every link instead."""
    laws = []
    if resolve.moves_by_itself:
        for i in range(len(resolve.tree.links)):
            v, w = resolve.link_twist(i)
            momentum, angular = _momenta(resolve, i)
            laws.append(Law([(target, 0.5 * (v.dot(momentum) + w.dot(angular)))], "kinetic energy", accumulate=True))
        return laws
    for k in range(resolve.tree.count("u")):
        p, u = load("p", k), load("u", k)
        laws.append(Law([(target, 0.5 * p * u)], "kinetic energy", accumulate=True))
    return laws + _impulse_energy(rows, target)


def _momenta(resolve: Resolver, link: int) -> tuple[Vector, Vector]:
    """M v of a link: momentum, and angular momentum about its origin, in its axes."""
    mass, moment, J = _mass_of(link)
    v, w = resolve.link_twist(link)
    turning = Vector(sum((J[min(a, b), max(a, b)] * w[b] for b in range(3)), start=ZERO) for a in range(3))
    return v * mass + w.cross(moment), turning + moment.cross(v)


def _mass_of(link: int) -> tuple[Expression, Vector, dict[tuple[int, int], Expression]]:
    """Mass, moment of mass and inertia about the origin (upper triangle) of a link."""
    first = link * LinkConstants.size
    constants = [load("bodies", first + k) for k in range(LinkConstants.inertia[-1] + 1)]
    J = dict(zip(INERTIA, (constants[k] for k in LinkConstants.inertia), strict=True))
    return constants[LinkConstants.mass], Vector(constants[k] for k in LinkConstants.mc), J


def _impulse_energy(rows: int, target: Load) -> list[Law]:
    """½ pᵀu is ½ (piᵀu - (gamma + alpha g)ᵀ Lambda): the momenta themselves are pi + Jᵀ Lambda (L2)."""
    laws = []
    for k in range(rows):
        drift, residual, impulse = (load(name, k) for name in ("residual_rates", "residuals", "multipliers"))
        alpha = load("loop_state", LoopState.alpha)
        term = -0.5 * impulse * (drift + alpha * residual)
        laws.append(Law([(target, term)], "kinetic energy of the loops' impulses", accumulate=True))
    return laws


def total_terms(resolve: Resolver) -> list[Law]:
    """Momentum, angular momentum, moment of mass (all about the world's origin) and mass of every link."""
    laws = []
    for i in range(len(resolve.tree.links)):
        mass, moment, _ = _mass_of(i)
        momentum, angular = (resolve.to_world(i, x) for x in _momenta(resolve, i))
        origin = resolve.world_point(i, NONE)
        angular = origin.cross(momentum) + angular
        shifted = origin * mass + resolve.to_world(i, moment)
        values = [*momentum, *angular, *shifted, mass]
        laws.append(
            Law([(Load("R", "totals", k), x) for k, x in enumerate(values)], "momentum and mass", accumulate=True)
        )
    return laws
