"""Start values: their addresses, and laws for those that follow from parameters."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ...model.model import Model
from ...record.layout import Load
from ...symbolic.expressions import leaf, where
from ..tree.links import Tree
from .law import Law
from .resolve import Resolver


def start_addresses(model: Model, tree: Tree) -> dict[str, Load]:
    """Return the addresses of everything that has a start value, by name, including driven coordinates."""
    loads: dict[str, Load] = {}
    for name, body in model.bodies.items():
        for named, addresses in ((body.coordinates, tree.q[name]), (body.rates, tree.u[name])):
            loads |= {f"{name}.{suffix}": address.load for (suffix, _), address in zip(named, addresses, strict=True)}
    loads |= {name: Load("R", "z", k) for k, name in enumerate(model.states)}
    sampled = [name for signal in model.sampled_signals.values() for name in signal.names]
    return loads | {name: Load("R", "sampled", k) for k, name in enumerate(sampled)}


def start_laws(resolve: Resolver) -> list[Law]:
    """Return laws for start values that follow from parameters; each applies if its flag in `calculated` is not zero.

    A run that specifies another start value sets the flag to zero. Raises ModelError for a driven coordinate.
    """
    laws, addresses = [], start_addresses(resolve.model, resolve.tree)
    for k, (name, formula) in enumerate(resolve.model.start_laws.items()):
        address, thing = addresses[name], f"start value {name!r}"
        if address.region.startswith("driven"):
            raise ModelError(f"{thing} would be ignored, a drive gives it: leave it out")
        value = resolve.parameters_only([formula], thing)[0]
        computed = leaf(Load("R", "calculated", k)) > 0.0
        laws.append(Law([(address, where(computed, value, leaf(address)))], thing))
    return laws
