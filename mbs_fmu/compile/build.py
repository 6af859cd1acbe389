"""`compile_model`: from a Model to a Program, stage by stage."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Mapping, Sequence

import numpy as np

from ..codegen.collection import collection_paused
from ..errors import ModelError
from ..integrate.methods.table import STANDARD, method
from ..lazy_dataclasses import dataclass
from ..mechanics.links import Wants
from ..mechanics.passes import Steps, traced_steps
from ..mechanics.reduction import NothingMoves
from ..mechanics.steps import Solver
from ..messages.failures import message
from ..model.checks import broken_triangle, principal_moments
from ..model.model import Model
from ..record.layout import Layout, LinkConstants, Load, bound
from ..record.program import Program, Variable, plain_regions
from ..record.regions import regions
from ..symbolic.expressions import Expression, is_literal
from .closures.hints import better_cuts
from .closures.loops import prescribed_motions
from .gather import Gathered, gather
from .laws.rotors import inertias
from .requests import requested_outputs
from .sizes import sizes_of
from .text.link_loops import Order
from .text.module import module_text, second_text
from .text.writer import Structure
from .tree.classes import Classified, classify
from .tree.coupled_joints import eliminated
from .tree.elastic_bodies import elastic_addresses, elastic_bodies, static_modes
from .tree.gimbal_locks import locks_of
from .tree.links import Link
from .tree.tree import leader_velocities
from .values import with_values
from .variables import momentum_owners, owners, program_variables, quaternion_names

#: Roles of variables that results show.
SHOWN = ("coordinate", "rate", "driven", "force", "state", "sampled", "output", "mode")


Key = tuple[int, Solver, tuple[str, ...]]  #: the model's version, and how it was compiled


@collection_paused()
def compile_model(
    model: Model,
    solver: Solver = "cholesky",
    replaced: Mapping[str, Expression] | None = None,
    methods: tuple[str, ...] = STANDARD,
) -> Program:
    """Compile a model. `replaced` gives inputs as expressions of time; `methods` are those that it can be run with.

    Each stage is made from those before it, and changed by none behind it; addresses are known from the layout on.
    Raises ModelError for anything in the model that has no meaning.
    """
    replaced = dict(replaced or {})
    told, model = model, copy.copy(eliminated(model))
    made = _stages(model, solver, replaced, methods)
    found, gathered, layout, structure = made.found, made.gathered, made.layout, made.structure
    variables, vectors = made.variables, made.vectors
    text = module_text(structure, gathered, made.steps, layout)
    quaternions = {bound(x, layout) for x in structure.quaternions}
    program = Program(
        name=model.name,
        description=model.description,
        solver=solver,
        text=text,
        regions=plain_regions(layout),
        variables=variables,
        vectors=vectors,
        columns=["time", *(v.name for v in variables if v.role in SHOWN)],
        owners=owners(model, found, layout),
        checks=[said for _, said in gathered.checks],
        start_checks=[said for _, said in gathered.start_checks],
        quaternions=quaternion_names(quaternions, variables),
        events=[{"name": e.name, "direction": e.direction, "stop": e.stop} for e in model.events.values()],
        notes=_notes(model),
        loops=gathered.closures.described() if gathered.closures else [],
        modes=gathered.modes.described() if gathered.modes else [],
        elastic=elastic_bodies(model),
        calculated=list(model.start_laws),
        hints=better_cuts(model) if gathered.closures else [],
        given=prescribed_motions(model, found) if gathered.closures else [],
        record=_first_record(model, found, layout, gathered.numbers).tolist(),
    )
    _left.clear()
    if not replaced:
        _left[told] = (told.version, solver, methods), made
    return with_values(program, told)


@collection_paused()
def text_of_second_tangents(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> str:
    """The second tangents of all rates, which the text of `compile_model`'s program lacks.

    It stands behind that text, where something asks for it: linear models, sensitivities of reactions, FMUs.
    """
    key, made = _left.pop(model, (None, None))
    if made is None or replaced or key != (model.version, solver, methods):
        made = _stages(eliminated(model), solver, dict(replaced), methods)
    return second_text(made.structure, made.gathered, made.steps, made.layout)


@collection_paused()
def text_with_parameter_tangents(
    model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]
) -> str:
    """The text of `compile_model`'s program whose tangents have parts by mass and geometry, for the same layout.

    Its `prepare_d` gives the tangents of what follows from parameters. What needs none runs with the usual text.
    """
    made = _stages(model, solver, dict(replaced), methods)
    return module_text(made.structure, made.gathered, made.steps, made.layout, varying=True)


@dataclass(frozen=True)
class _Stages:
    """What the stages make of a model, up to the text."""

    found: Classified
    gathered: Gathered
    steps: Steps
    layout: Layout
    structure: Structure
    variables: list[Variable]
    vectors: dict[str, list[str]]


#: What `compile_model` leaves of the last model for its second tangents: made from a copy, so that the model can end.
_left: weakref.WeakKeyDictionary[Model, tuple[Key, _Stages]] = weakref.WeakKeyDictionary()


def _stages(model: Model, solver: Solver, replaced: Mapping[str, Expression], methods: tuple[str, ...]) -> _Stages:
    requested = requested_outputs(model)
    found = classify(model, requested.loops)
    gathered = gather(model, requested, found, replaced)
    steps = _traced(found, gathered, solver, methods)
    layout = regions(sizes_of(model, found, gathered, steps, methods))
    variables, vectors = program_variables(model, found, layout, gathered, replaced)
    structure = _structure(model, found, gathered, variables, solver, methods)
    return _Stages(found, gathered, steps, layout, structure, variables, vectors)


def _notes(model: Model) -> list[str]:
    """What is unusual about the model, and was wanted."""
    notes = []
    for body in model.bodies.values():
        broken = broken_triangle(body)
        if broken:
            notes.append(f"{broken}; taken as it is (physical=False)")
        elif not body.physical and principal_moments(body) is None:
            notes.append(f"inertia of body {body.name!r} may break the triangle inequality (physical=False)")
    return notes


def _traced(found: Classified, gathered: Gathered, solver: Solver, methods: Sequence[str]) -> Steps:
    """The traced steps. ModelError for a motion that moves nothing, whatever the numbers are."""
    wants = Wants(
        twist=gathered.needs.twist or gathered.closures is not None,
        balance=gathered.requested.instantaneous,
        drives=gathered.requested.drives,
    )
    try:
        return traced_steps(gathered.classes, wants, solver, _solves_again(gathered, methods))
    except NothingMoves as lost:
        link = found.of_link.index(lost.number)
        owner = momentum_owners(found)[_firsts(found.tree.links, "rates")[link] + lost.k]
        raise ModelError(message("no_inertia", thing=owner)) from None


def _solves_again(gathered: Gathered, methods: Sequence[str]) -> bool:
    """Whether errors of the momenta become those of the joint velocities by the factors of an evaluation."""
    return gathered.closures is None and any(method(name).adaptive for name in methods)


def _structure(
    model: Model,
    found: Classified,
    gathered: Gathered,
    variables: Sequence[Variable],
    solver: Solver,
    methods: tuple[str, ...],
) -> Structure:
    links, tree, closures = found.tree.links, found.tree, gathered.closures
    order = Order(
        names=[link.name for link in links],
        of_link=found.of_link,
        parent=[link.parent for link in links],
        children=[link.children for link in links],
        loops=closures is not None and bool(closures.resolved),
        modes=bool(gathered.modes and gathered.modes.switched),
        leaders=leader_velocities(tree),
        leaves_marked=all(found.classes[k].leaf == (link.children == 0) for k, link in zip(found.of_link, links)),
    )
    first_quaternions = [tree.q[body.name][k] for body in tree.order for k in body.joint.quaternions]
    return Structure(
        order=order,
        first={name: _firsts(links, name) for name in ("coordinates", "rates", "driven_coordinates", "driven_rates")},
        quaternions=[place.load for place in first_quaternions if not place.driven],
        locked=[lock.place.load for lock in locks_of(tree)],
        columns=[v.slot for v in variables if v.role in SHOWN],
        solver=solver,
        methods=methods,
        again=_solves_again(gathered, methods),
        events=[(e.direction, e.stop) for e in model.events.values()],
        modes=bool(gathered.modes and gathered.modes.switched),
        elastic=elastic_addresses(tree),
        static_modes=static_modes(model, tree, 0 if closures is None else closures.places.rows),
    )


def _firsts(links: Sequence[Link], count: str) -> list[int]:
    """The first of each link's coordinates or rates of one sort."""
    return [int(k) for k in np.cumsum([0, *(getattr(link, count) for link in links)])[:-1]]


def _first_record(model: Model, found: Classified, layout: Layout, numbers: Sequence[float]) -> np.ndarray:
    """The record with every literal constant; `with_values` adds defaults and start values, `prepare` the rest."""
    R = np.zeros(layout["end"].start)

    def put(region: str, offset: int, value: float) -> None:
        R[bound(Load("R", region, offset), layout)] = value

    for i, constants in enumerate(found.constants):
        for k, expression in constants.items():
            if is_literal(expression):
                put("bodies", i * LinkConstants.size + k, expression.value)
    for place, inertia in inertias(model, found.tree).items():
        if is_literal(inertia):
            put(place.region, place.offset, inertia.value)
    for k, g in enumerate(model.uniform_gravity):
        if is_literal(g):
            put("gravity", k, g.value)
    for k, lock in enumerate(locks_of(found.tree)):
        put("locks", 2 * k, lock.angle)
    links = found.tree.links
    for name, count in (("offsets", "coordinates"), ("driven_offsets", "driven_coordinates")):
        for link, first, offset in zip(links, _firsts(links, count), found.offsets, strict=True):
            if offset and link.motions[0].driven == name.startswith("driven"):
                put(name, first, offset)
    for region, found_numbers in (("values", numbers), ("shapes", elastic_addresses(found.tree).numbers)):
        for k, value in enumerate(found_numbers):
            put(region, k, value)
    return R
