"""Start values: where they lie, and those that follow from parameters."""

from __future__ import annotations

from ...errors import ModelError
from ...model.model import Model
from ...record.layout import Load
from ...symbolic.expressions import leaf, where
from ..tree.links import Tree
from .law import Law
from .resolve import Resolver


def start_places(model: Model, tree: Tree) -> dict[str, Load]:
    """Where all that starts with a value lies in the record, by name; of driven coordinates too."""
    out: dict[str, Load] = {}
    for name, body in model.bodies.items():
        for named, places in ((body.coordinates, tree.q[name]), (body.rates, tree.u[name])):
            out |= {f"{name}.{suffix}": place.load for (suffix, _), place in zip(named, places, strict=True)}
    out |= {name: Load("R", "z", k) for k, name in enumerate(model.states)}
    sampled = [name for signal in model.sampled_signals.values() for name in signal.names]
    return out | {name: Load("R", "sampled", k) for k, name in enumerate(sampled)}


def start_laws(resolve: Resolver) -> list[Law]:
    """Start values by parameters: each is made where its number in region `calculated` is not zero.

    Where a run is told another start value that number is zero, and no start makes it anew. ModelError for one that a
    drive gives.
    """
    laws, places = [], start_places(resolve.model, resolve.tree)
    for k, (name, told) in enumerate(resolve.model.start_laws.items()):
        place, thing = places[name], f"start value {name!r}"
        if place.region.startswith("driven"):
            raise ModelError(f"{thing} would be ignored, a drive gives it: leave it out")
        value = resolve.parameters_only([told], thing)[0]
        wanted = leaf(Load("R", "calculated", k)) > 0.0
        laws.append(Law([(place, where(wanted, value, leaf(place)))], thing))
    return laws
