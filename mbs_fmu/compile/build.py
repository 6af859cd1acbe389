"""The stages of compilation, from a `Model` to a `Program`: `compile_model`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np

from ..infrastructure.collection import collection_paused
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import message
from ..infrastructure.messages.names import listed
from ..integrate.methods.table import STANDARD, method
from ..mechanics.links import Wants
from ..mechanics.passes import Steps, traced_steps
from ..mechanics.reduction import NothingMoves
from ..mechanics.steps import Solver
from ..model.checks import broken_triangle, principal_moments
from ..model.model import Model
from ..record.blocks import LinkConstants
from ..record.kernel_module import KernelModule
from ..record.layout import Layout, Load, RecordLayout, bound
from ..record.program import Program, Variable, plain_regions
from ..record.regions import layout_of
from ..symbolic.expressions import Expression, is_literal
from .closures.hints import better_cuts
from .closures.loops import prescribed_motions
from .closures.prescribed import with_known_frictions
from .followers import with_resolved_followers
from .gather import Gathered, gather
from .laws.rotors import inertias
from .requests import requested_outputs
from .sizes import sizes_of
from .text.link_loops import Order
from .text.module import later_part, written_module
from .text.writer import Structure
from .tree.classes import Classified, classify
from .tree.elastic_bodies import elastic_addresses, elastic_bodies, static_modes
from .tree.gimbal_locks import locks_of
from .tree.links import Link
from .tree.tree import leader_velocities
from .values import with_values
from .variables import momentum_owners, owners, program_variables, quaternion_names

#: Roles of the variables that become columns of results.
SHOWN = ("coordinate", "rate", "driven", "force", "state", "sampled", "output", "mode")


@dataclass(frozen=True)
class Stages:
    """Results of the stages of compilation of a model, up to the text. They do not refer to the user's model."""

    classified: Classified
    gathered: Gathered
    steps: Steps
    layout: RecordLayout
    structure: Structure
    variables: list[Variable]
    vectors: dict[str, list[str]]


def compile_model(
    model: Model,
    solver: Solver = "cholesky",
    replaced: Mapping[str, Expression] | None = None,
    methods: tuple[str, ...] = STANDARD,
) -> Program:
    """Compile a model.

    `replaced` contains inputs that are given as expressions of time, `methods` the names of the integration methods
    that the program can use. Raises ModelError for an invalid model.
    """
    return compile_with_stages(model, solver, dict(replaced or {}), methods)[0]


@collection_paused()
def compile_with_stages(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> tuple[Program, Stages]:
    """Compile a model as `compile_model` does; return the stages too, from which second tangents can be written.

    Each stage uses the results of earlier stages and changes none of them. Addresses are known once the layout exists.
    """
    original, model = model, copy.copy(prepared(model))
    made = _stages(model, solver, replaced, methods)
    classified, gathered, layout, structure = made.classified, made.gathered, made.layout, made.structure
    variables, vectors = made.variables, made.vectors
    module = written_module(structure, gathered, made.steps, layout)
    quaternions = {bound(x, layout) for x in structure.quaternions}
    program = Program(
        name=model.name,
        description=model.description,
        solver=solver,
        module=module,
        regions=plain_regions(layout),
        variables=variables,
        vectors=vectors,
        columns=["time", *(v.name for v in variables if v.role in SHOWN)],
        owners=owners(model, classified, layout),
        checks=[text for _, text in gathered.checks],
        start_checks=[text for _, text in gathered.start_checks],
        quaternions=quaternion_names(quaternions, variables),
        events=[{"name": e.name, "direction": e.direction, "stop": e.stop} for e in model.events.values()],
        sampled=gathered.samples.sampled,
        notes=_notes(model),
        loops=gathered.closures.described() if gathered.closures else [],
        modes=gathered.modes.described() if gathered.modes else [],
        elastic=elastic_bodies(model),
        calculated=list(model.start_laws),
        feet=gathered.feet,
        hints=better_cuts(model) if gathered.closures else [],
        given=prescribed_motions(model, classified) if gathered.closures else [],
    )
    return with_values(program, original, _first_record(model, classified, layout, gathered)), made


@collection_paused()
def second_tangents(
    model: Model,
    solver: Solver,
    replaced: Mapping[str, Expression],
    methods: tuple[str, ...],
    stages: Stages | None = None,
) -> KernelModule:
    """Return the second tangents of all rates, the later part of the module of `compile_model`'s program.

    They are added to that module when linear models, sensitivities of reactions or FMUs need them. `stages`: those of
    the same compilation, which are made anew by default.
    """
    made = stages or _stages(prepared(model), solver, replaced, methods)
    return later_part(made.structure, made.gathered, made.steps, made.layout)


@collection_paused()
def module_with_parameter_tangents(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...], second: bool = False
) -> KernelModule:
    """Return the module of `compile_model`'s program, also with tangents for parameters of mass and geometry.

    The layout is the same. `prepare_d` computes the tangents of constants that follow from parameters. Only derivatives
    by such parameters need this module. `second`: it contains second tangents of the rates, also of a tree.
    """
    made = _stages(prepared(model), solver, replaced, methods)
    return written_module(made.structure, made.gathered, made.steps, made.layout, varying=True, second=second)


def prepared(model: Model) -> Model:
    """Return the model that the stages compile: the same one, unless followers or dry friction take another form.

    Everything but runs beside FMUs compiles the model as a whole, so a model with FMUs is refused here.
    """
    if model.fmus:
        raise ModelError(
            f"model {model.name!r} has FMUs of others beside it ({listed(model.fmus)}), which only mbs.simulate runs, "
            "one run at a time: couple them by mbs.System, or leave them out"
        )
    return with_known_frictions(with_resolved_followers(model))


def _stages(model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]) -> Stages:
    requested = requested_outputs(model)
    classified = classify(model, requested.loops)
    gathered = gather(model, requested, classified, replaced)
    steps = _traced(classified, gathered, solver, methods)
    layout = layout_of(sizes_of(model, classified, gathered, steps, methods))
    variables, vectors = program_variables(model, classified, layout, gathered, replaced)
    structure = _structure(model, classified, gathered, variables, solver, methods)
    return Stages(classified, gathered, steps, layout, structure, variables, vectors)


def _notes(model: Model) -> list[str]:
    """Return unusual properties of the model that the user has explicitly allowed."""
    notes = []
    for body in model.bodies.values():
        broken = broken_triangle(body)
        if broken:
            notes.append(f"{broken}; taken as it is (physical=False)")
        elif not body.physical and principal_moments(body) is None:
            notes.append(f"inertia of body {body.name!r} may break the triangle inequality (physical=False)")
    return notes


def _traced(classified: Classified, gathered: Gathered, solver: Solver, methods: Sequence[str]) -> Steps:
    """Return the traced steps. Raises ModelError for a motion that cannot move any inertia, for whatever values."""
    wants = Wants(
        twist=gathered.needs.twist or gathered.closures is not None,
        balance=gathered.requested.instantaneous,
        drives=gathered.requested.drives,
    )
    try:
        return traced_steps(gathered.classes, wants, solver, _solves_again(gathered, methods))
    except NothingMoves as error:
        link = classified.of_link.index(error.number)
        owner = momentum_owners(classified)[_firsts(classified.tree.links, "rates")[link] + error.k]
        raise ModelError(message("no_inertia", thing=owner)) from None


def _solves_again(gathered: Gathered, methods: Sequence[str]) -> bool:
    """True if stored elimination factors convert errors of the momenta to errors of the joint velocities."""
    return gathered.closures is None and any(method(name).adaptive for name in methods)


def _structure(
    model: Model,
    classified: Classified,
    gathered: Gathered,
    variables: Sequence[Variable],
    solver: Solver,
    methods: tuple[str, ...],
) -> Structure:
    links, tree, closures = classified.tree.links, classified.tree, gathered.closures
    order = Order(
        names=[link.name for link in links],
        of_link=classified.of_link,
        parent=[link.parent for link in links],
        children=[link.children for link in links],
        loops=closures is not None and bool(closures.resolved),
        modes=bool(gathered.modes and gathered.modes.switched),
        leaders=leader_velocities(tree),
        leaves_marked=all(
            classified.classes[k].leaf == (link.children == 0) for k, link in zip(classified.of_link, links)
        ),
    )
    first_quaternions = [tree.q[body.name][k] for body in tree.order for k in body.joint.quaternions]
    return Structure(
        order=order,
        first={name: _firsts(links, name) for name in ("coordinates", "rates", "driven_coordinates", "driven_rates")},
        quaternions=[address.load for address in first_quaternions if not address.driven],
        locked=[lock.address.load for lock in locks_of(tree)],
        columns=[v.slot for v in variables if v.role in SHOWN],
        solver=solver,
        methods=methods,
        again=_solves_again(gathered, methods),
        events=[(e.direction, e.stop) for e in model.events.values()],
        modes=bool(gathered.modes and gathered.modes.switched),
        elastic=elastic_addresses(tree),
        static_modes=static_modes(model, tree, 0 if closures is None else closures.row_addresses.rows),
    )


def _firsts(links: Sequence[Link], count: str) -> list[int]:
    """Return the index of each link's first coordinate or rate; `count` names the attribute that counts them."""
    return [int(k) for k in np.cumsum([0, *(getattr(link, count) for link in links)])[:-1]]


def _first_record(model: Model, classified: Classified, layout: Layout, gathered: Gathered) -> np.ndarray:
    """Return the record with all literal constants; `with_values` and `prepare` compute the rest."""
    R = np.zeros(layout["end"].start)

    def put(region: str, offset: int, value: float) -> None:
        R[bound(Load("R", region, offset), layout)] = value

    for i, constants in enumerate(classified.constants):
        for k, expression in constants.items():
            if is_literal(expression):
                put("bodies", i * LinkConstants.size + k, expression.value)
    for load, inertia in inertias(model, classified.tree).items():
        if is_literal(inertia):
            put(load.region, load.offset, inertia.value)
    for k, g in enumerate(model.uniform_gravity):
        if is_literal(g):
            put("gravity", k, g.value)
    for k, lock in enumerate(locks_of(classified.tree)):
        put("locks", 2 * k, lock.angle)
    links = classified.tree.links
    for name, count in (("offsets", "coordinates"), ("driven_offsets", "driven_coordinates")):
        for link, first, offset in zip(links, _firsts(links, count), classified.offsets, strict=True):
            if offset and link.motions[0].driven == name.startswith("driven"):
                put(name, first, offset)
    gathered.values.write(R[layout["values"].start : layout["values"].stop])
    numbers = {"part_numbers": gathered.part_numbers}
    if gathered.near.sizes is not None:
        numbers |= {"near_shapes": gathered.near.shapes, "near_numbers": gathered.near.numbers}
        put("near_cell", 0, gathered.near.cell)
    for region, initial in (numbers | {"shapes": elastic_addresses(classified.tree).numbers}).items():
        if initial:  # tables may have millions of numbers
            R[layout[region].start : layout[region].stop] = initial
    return R
