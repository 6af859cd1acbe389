"""The stage of compilation that computes the sizes of the record's regions, between traced steps and layout."""

from __future__ import annotations

from collections.abc import Sequence

from ..infrastructure.errors import ModelError
from ..integrate.methods.method import Method
from ..integrate.methods.table import method
from ..mechanics.passes import Steps
from ..model.model import Model
from ..record.sizes import LoopSizes, Sizes
from .closures.loops import loop_sizes
from .gather import Gathered
from .tree.classes import Classified
from .tree.elastic_bodies import elastic_addresses
from .tree.gimbal_locks import locks_of


def sizes_of(model: Model, classified: Classified, gathered: Gathered, steps: Steps, methods: Sequence[str]) -> Sizes:
    """Return the sizes of all regions. Raises ModelError for a method that does not support so many states."""
    used_methods = [method(name) for name in methods]
    tree, links, requested = classified.tree, classified.tree.links, gathered.requested
    _check_methods(model, sum(link.coordinates + link.rates for link in links) + len(model.states), used_methods)
    closures, elastic = gathered.closures, elastic_addresses(tree)
    wrenches = closures is not None or bool(
        gathered.laws.wrenches or gathered.laws.near_wrenches or gathered.laws.gated_wrenches
    )
    return Sizes(
        links=len(links),
        coordinates=tree.count("q"),
        rates=tree.count("u"),
        locks=len(locks_of(tree)),
        driven_coordinates=tree.count("driven_q"),
        driven_rates=tree.count("driven_u"),
        rotors=bool(model.rotors),
        drives_measured=requested.drives,
        signals=len(model.states),
        inputs=len(model.inputs),
        parameters=len(model.parameters),
        outputs=sum(len(o.expressions) for o in model.outputs.values()),
        values=gathered.values.size,
        part_numbers=len(gathered.part_numbers),
        measures=gathered.measures,
        bounds=len(gathered.laws.bounds),
        centers=len(gathered.laws.centers),
        packed=steps.packed,
        saved=steps.saved,
        branch_slots=sum(link.children > 1 for link in links),
        carried=steps.carried,
        stages=max(m.slots for m in used_methods),
        history=max(m.history for m in used_methods),
        jacobian=any(m.needs_jacobian for m in used_methods),
        second_record=any(m.implicit_modes for m in used_methods),
        events=len(model.events),
        turns=any(m.motion.sines for link in links for m in link.motions),
        poses=wrenches or gathered.needs.pose,
        wrenches=wrenches,
        totals=gathered.needs.totals,
        switches=len(gathered.laws.switches),
        beats=len(gathered.laws.beats),
        calculated=len(gathered.laws.starts),
        sampled=sum(len(s.update) for s in model.sampled_signals.values()),
        clocks=len(gathered.samples.clocks),
        new_values=len(gathered.samples.values),
        shapes=len(elastic.numbers),
        elastic=elastic.size,
        mode_couplings=elastic.couplings,
        static_starts=sum(links[tree.mean[name]].modes for name in model.static_starts),
        near=gathered.near.sizes,
        loops=_loop_sizes(gathered, len(tree.group_at)),
    )


def _loop_sizes(gathered: Gathered, channels: int) -> LoopSizes | None:
    if gathered.closures is None or gathered.modes is None:
        return None
    modes = len(gathered.modes.switched)
    return loop_sizes(gathered.closures, gathered.requested.instantaneous, modes, channels)


def _check_methods(model: Model, states: int, methods: Sequence[Method]) -> None:
    for used in methods:
        if used.most_states is not None and states > used.most_states:
            raise ModelError(
                f"method {used.name!r} solves dense equations of at most {used.most_states} states, model "
                f"{model.name!r} has {states}: use an explicit method"
            )
