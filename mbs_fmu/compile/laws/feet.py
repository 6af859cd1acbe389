"""Laws of the contact parameters of forces: Newton's steps to foot points, and approximate values (L18)."""

from __future__ import annotations

from ...model.effects import Foot
from ...model.model import Model
from ...record.layout import Load
from .law import Law
from .resolve import Resolver

Feet = dict[int, Foot]  #: contact parameters by their numbers among the signal states


def feet_of(model: Model) -> Feet:
    """Return the contact parameters of all forces."""
    numbers = {name: k for k, name in enumerate(model.states)}
    return {numbers[foot.state]: foot for force in model.forces.values() for foot in force.feet()}


def steps_of(resolve: Resolver, feet: Feet) -> list[Law]:
    """Return laws that write Newton's steps to z_dot."""
    return [Law([(Load("R", "z_dot", k), resolve.one(x.step, x.state))], f"foot {x.state}") for k, x in feet.items()]


def guesses_of(resolve: Resolver, feet: Feet) -> list[Law]:
    """Return laws that write approximate values."""
    return [Law([(Load("R", "z", k), resolve.one(x.guess, x.state))], f"foot {x.state}") for k, x in feet.items()]
