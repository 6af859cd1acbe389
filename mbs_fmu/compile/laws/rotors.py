"""Rotors: addresses, checks and energy of inertias that move with one joint velocity alone (R1)."""

from __future__ import annotations

from ...model.effects import Check
from ...model.model import Model
from ...record.layout import Load
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf, where
from ..tree.links import StateAddress, Tree
from .law import Law
from .resolve import Resolver


def inertias(model: Model, tree: Tree) -> dict[Load, Expression]:
    """Return J of every joint velocity with rotors, by address."""
    of_rates: dict[Load, Expression] = {}
    for rotor in model.rotors.values():
        load = _rotor_load(tree.u[rotor.body][rotor.k])
        of_rates[load] = of_rates.get(load, ZERO) + rotor.inertia
    return of_rates


def _rotor_load(rate: StateAddress) -> Load:
    return Load("R", "driven_rotors" if rate.driven else "rotors", rate.offset)


def kinetic_energy(resolve: Resolver, target: Load) -> list[Law]:
    """Return laws for ½ J u² of every rotor, for models whose energy is not computed by (P6)."""
    rates = {rotor.name: resolve.tree.u[rotor.body][rotor.k] for rotor in resolve.model.rotors.values()}
    terms = {rate: 0.5 * leaf(_rotor_load(rate)) * leaf(rate.load) ** 2 for rate in rates.values()}
    return [Law([(target, term)], "kinetic energy of rotors", accumulate=True) for term in terms.values()]


def rotor_checks(resolve: Resolver) -> list[Check]:
    """Return numbers that must be positive for all parameters, with messages; `Model` has checked literals already."""
    checks: list[Check] = []
    for rotor in resolve.model.rotors.values():
        if not is_literal(rotor.inertia):
            J = resolve.parameters_only([rotor.inertia], f"inertia of {rotor.thing}")[0]
            checks.append((where(J >= 0.0, 1.0, 0.0), f"inertia of {rotor.thing} must not be negative"))
    return checks
