"""Totals of a mechanism: energy, momentum, angular momentum, mass and its centre, as sums over the links."""

from __future__ import annotations

from collections.abc import Iterator

from ...infrastructure.errors import ModelError
from ...model.effects import NONE
from ...model.elastic_parts import ElasticPart
from ...model.geometry.vectors import Vector
from ...model.items import Force
from ...model.measures.measures import momenta_of, position
from ...model.references.leaves import BodyTotal, MechanicalEnergy, Total
from ...record.blocks import ElasticBlock, LinkConstants, LoopNumbers, Totals
from ...record.elastic_layout import form_numbers
from ...record.layout import INERTIA, Load
from ...symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf
from ..tree.elastic_slopes import mode_offsets
from ..tree.links import StateAddress
from . import rotors
from .forces import Forces, LinkEffect
from .law import Law
from .resolve import Handler, Resolver, load


def handlers_of_totals() -> dict[type, Handler]:
    """Handlers of references to totals."""
    return {Total: _total, BodyTotal: _body_total, MechanicalEnergy: _energy}


def _total(ref: Total, resolve: Resolver, thing: str) -> Expression:
    if not resolve.tree.links:
        raise ModelError(f"{thing}: model {resolve.model.name!r} has no body that can move, so no {ref.quantity}")
    return load("totals", getattr(Totals, ref.quantity) + ref.k)


def _body_total(ref: BodyTotal, resolve: Resolver, thing: str) -> Expression:
    resolve.model.known_reference(ref, thing)
    body = resolve.model.bodies[ref.body]
    if body.elastic is not None:
        return _elastic_total(ref, resolve, body.elastic)
    if ref.quantity == "center":
        return resolve.one(position(body, body.com)[ref.k], thing)
    momentum, angular = momenta_of(body)
    return resolve.one((momentum if ref.quantity == "momentum" else angular)[ref.k], thing)


def _elastic_total(ref: BodyTotal, resolve: Resolver, elastic: ElasticPart) -> Expression:
    """Return a total of an elastic body; its centre of mass is fixed in its mean frame."""
    link = resolve.tree.mean[ref.body]
    momentum, angular = (resolve.to_world(link, x) for x in _momenta(resolve, link))
    if ref.quantity == "center":
        return resolve.world_point(link, Vector(elastic.modes.inertia.center.tolist()))[ref.k]
    return (momentum if ref.quantity == "momentum" else resolve.world_point(link, NONE).cross(momentum) + angular)[
        ref.k
    ]


def _energy(ref: MechanicalEnergy, resolve: Resolver, thing: str) -> Expression:
    return load("energy", 0)


def energy_terms(resolve: Resolver, forces: Forces, rows: int) -> list[Law]:
    """Return laws for kinetic energy, -m g.x of every link and stored energy; `rows`: number of constraint rows."""
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
    laws += _strain_energy(resolve, target)

    def stored(force: Force, effect: LinkEffect) -> Law | None:
        energy = effect.stored
        if energy is None or is_literal(energy, 0.0):
            return None
        return Law([(target, energy)], f"energy in {force.name}", accumulate=True)

    laws += forces.laws(model.forces.values(), stored)
    for state in model.states.values():
        if state.energy is not None:
            value = resolve.one(state.energy, f"energy of state {state.name!r}")
            laws.append(Law([(target, value)], f"energy in state {state.name}", accumulate=True))
    for name, pull in forces.pulls:
        assert pull.stored is not None
        laws.append(Law([(target, pull.stored)], f"energy of {name} in gravity", accumulate=True))
    return [law for law in laws if not is_literal(law.pattern.assignments[0][1], 0.0)]


def _kinetic_energy(resolve: Resolver, target: Load, rows: int) -> list[Law]:
    """Return laws for the kinetic energy: ½ pᵀu (P6) or, with prescribed motions, the sum of ½ vᵀMv of all links."""
    laws = []
    if resolve.moves_by_itself:
        for i in range(len(resolve.tree.links)):
            v, w = resolve.link_twist(i)
            momentum, angular = _momenta(resolve, i)
            laws.append(Law([(target, 0.5 * (v.dot(momentum) + w.dot(angular)))], "kinetic energy", accumulate=True))
        return laws + rotors.kinetic_energy(resolve, target) + _modal_energy(resolve, target)
    for k in range(resolve.tree.count("u")):
        p, u = load("p", k), load("u", k)
        laws.append(Law([(target, 0.5 * p * u)], "kinetic energy", accumulate=True))
    return laws + _impulse_energy(rows, target)


def _momenta(resolve: Resolver, link: int) -> tuple[Vector, Vector]:
    """Return M v of a link: its momentum, and its angular momentum about its origin, in link axes."""
    mass, moment, J = _mass_of(link)
    v, w = resolve.link_twist(link)
    turning = Vector(sum((J[min(a, b), max(a, b)] * w[b] for b in range(3)), start=ZERO) for a in range(3))
    angular = turning + moment.cross(v)
    if resolve.tree.links[link].elastic is not None:
        block = resolve.elastic.elastic_index[link]
        more = {entry: load("elastic", block + ElasticBlock.inertia + k) for k, entry in enumerate(INERTIA)}
        turning = Vector(sum((more[min(a, b), max(a, b)] * w[b] for b in range(3)), start=ZERO) for a in range(3))
        angular = angular + turning + Vector(load("elastic", block + ElasticBlock.spin + k) for k in range(3))
    return v * mass + w.cross(moment), angular


def _strain_energy(resolve: Resolver, target: Load) -> list[Law]:
    """Return laws for the strain energy ½ xiᵀ K xi of every elastic body, mode by mode."""
    laws = []
    for n, factor, mass, xi, _ in _modes(resolve):
        term = 0.5 * factor * load("shapes", mass + n) * leaf(xi.load) ** 2
        laws.append(Law([(target, term)], "energy in modes", accumulate=True))
    return laws


def _modal_energy(resolve: Resolver, target: Load) -> list[Law]:
    """Return laws for the kinetic energy of the modes' rates: ½ omega·Cr xi_dot + ½ xi_dotᵀ Me xi_dot."""
    laws = []
    for link in resolve.elastic.links:
        block, (_, w) = resolve.elastic.elastic_index[link], resolve.link_twist(link)
        spin = Vector(load("elastic", block + ElasticBlock.spin + k) for k in range(3))
        laws.append(Law([(target, 0.5 * w.dot(spin))], "kinetic energy", accumulate=True))
    for _, _, mass, _, rate in _modes(resolve):
        term = 0.5 * load("shapes", mass) * leaf(rate.load) ** 2
        laws.append(Law([(target, term)], "kinetic energy of modes", accumulate=True))
    return laws


def _modes(resolve: Resolver) -> Iterator[tuple[int, Expression, int, StateAddress, StateAddress]]:
    """Yield for each mode: the body's number n of modes, stiffness factor, offset of mass, coordinate and rate.

    The offset of the modal mass is that in region `shapes`; the modal stiffness is n entries behind it.
    """
    for name, link in resolve.tree.mean.items():
        n = resolve.tree.links[link].modes
        elastic = resolve.tree.links[link].elastic
        assert elastic is not None
        first = resolve.elastic.shapes_index[link] + form_numbers(n, len(elastic.modes.nodes))
        factor = resolve.one(elastic.stiffness, f"stiffness of body {name!r}")
        addresses = mode_offsets(elastic), resolve.tree.q[name][-n:], resolve.tree.u[name][-n:]
        for k, coordinate, rate in zip(*addresses, strict=True):
            yield n, factor, first + k, coordinate, rate


def _mass_of(link: int) -> tuple[Expression, Vector, dict[tuple[int, int], Expression]]:
    """Return mass, moment of mass and inertia about the origin (upper triangle) of a link."""
    first = link * LinkConstants.size
    constants = [load("bodies", first + k) for k in range(LinkConstants.indices("inertia").stop)]
    J = dict(zip(INERTIA, (constants[k] for k in LinkConstants.indices("inertia")), strict=True))
    return constants[LinkConstants.mass], Vector(constants[k] for k in LinkConstants.indices("mc")), J


def _impulse_energy(rows: int, target: Load) -> list[Law]:
    """Return laws for the part of the impulses Lambda in ½ pᵀu = ½ (piᵀu - (gamma + alpha g)ᵀ Lambda), by (L2)."""
    laws = []
    for k in range(rows):
        drift, residual, impulse = (load(name, k) for name in ("residual_rates", "residuals", "multipliers"))
        alpha = load("loop_state", LoopNumbers.alpha)
        term = -0.5 * impulse * (drift + alpha * residual)
        laws.append(Law([(target, term)], "kinetic energy of the loops' impulses", accumulate=True))
    return laws


def total_terms(resolve: Resolver) -> list[Law]:
    """Return laws for the sums of momentum, angular momentum, moment of mass (about the world's origin) and mass."""
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
