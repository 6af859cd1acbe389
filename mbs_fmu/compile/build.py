"""`compile_model`: from a Model to a Program, step by step."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from ..errors import ModelError
from ..expressions import Expression, is_literal, where
from ..graph import leaves
from ..integrate.table import STANDARD, method
from ..kernels.loops import Order
from ..layout import INERTIA, TIME, Load, Region, Sizes, regions
from ..model.checks import ROUNDING, SLACK, broken_triangle, principal_moments
from ..model.forces import OnBodies, PointGravity
from ..model.model import Model
from ..model.parts import Body
from ..model.references import BodyTotal, DriveForce, ForceNumber, FrameNumber, MechanicalEnergy, Signal, Total
from ..trace.steps import LinkClass, Solver
from .classes import Classified, classify
from .hints import better_cuts
from .laws import (
    Law,
    Values,
    at_center,
    body_wrenches,
    coincident_ends,
    drive_directions,
    drive_laws,
    event_laws,
    joint_forces,
    output_laws,
    signal_rates,
)
from .locks import locks_of
from .loops import add_loop_laws, closed_sizes, closures_of, given_motions, is_closed, references, rod_lengths
from .module import Laws, ModuleWriter, Structure
from .program import Program, plain_regions
from .resolve import Needs, Resolver
from .switches import knots, switch_times
from .totals import energy_terms, total_terms
from .tree import Link
from .values import with_values
from .variables import momentum_owners, owners, program_variables, quaternion_names


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection for a while: walking over hundreds of thousands of live nodes finds none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@collection_paused()
def compile_model(
    model: Model,
    solver: Solver = "cholesky",
    replaced: Mapping[str, Expression] | None = None,
    methods: tuple[str, ...] = STANDARD,
) -> Program:
    """Compile a model. `replaced` gives inputs as expressions of time; `methods` are those that it can be run with.

    Raises ModelError for anything in the model that has no meaning.
    """
    replaced = dict(replaced or {})
    closed = is_closed(model)
    found = classify(model, closed)
    sizes = _sizes(model, found, methods)
    if closed:
        sizes = replace(sizes, closed=closed_sizes(model, found, sizes))
    layout = regions(sizes)
    resolve = Resolver(model, found.tree, layout, replaced)
    closures = closures_of(resolve) if closed else None
    laws, checks, start_checks = _laws(resolve, found, closures.facing() if closures else [])
    needs_in_derive, needs = _needs(resolve, laws)
    if closures:
        add_loop_laws(closures, laws)
    times = switch_times(_of_motion(laws), layout)
    sizes = replace(sizes, switches=len(times))
    layout = regions(sizes)
    first = layout["switches"].start
    laws.switches = [Law([(Load("R", "", first + k), x)], "a switch") for k, x in enumerate(times)]
    values = Values(layout["values"].start)
    _lift(laws, values)
    found.classes = [_with_addresses(kind, resolve, values) for kind in found.classes]
    variables, vectors = program_variables(model, found, layout, laws, replaced)
    structure = _structure(found, layout, laws, needs_in_derive, needs, solver)
    structure.methods = methods
    structure.knots = knots(_of_motion(laws))
    structure.events = [(e.direction, e.stop) for e in model.events.values()]
    structure.places = closures.places if closures else None
    sizes = Sizes(**{**sizes.__dict__, "values": len(values.numbers)})
    structure.columns = [v.slot for v in variables if v.kind in SHOWN]
    writer = ModuleWriter(structure, sizes)
    program = Program(
        name=model.name,
        description=model.description,
        solver=solver,
        text=writer.text(),
        regions=plain_regions(writer.layout),
        variables=variables,
        vectors=vectors,
        columns=["time", *(v.name for v in variables if v.kind in SHOWN)],
        owners=owners(model, found, writer.layout),
        checks=checks,
        start_checks=start_checks,
        quaternions=quaternion_names(structure.quaternions, variables),
        events=[{"name": e.name, "direction": e.direction, "stop": e.stop} for e in model.events.values()],
        notes=_notes(model),
    )
    program.record = _first_record(model, found, writer.layout, values).tolist()
    if closures:
        program.loops, program.hints = closures.described(), better_cuts(model)
        program.given = given_motions(model, found)
    return with_values(program, model)


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


POSES = (FrameNumber, MechanicalEnergy, Total, BodyTotal, ForceNumber)  #: references that need the links' poses
SHOWN = ("coordinate", "rate", "driven", "force", "state", "output")  #: kinds of variables that results show


def _sizes(model: Model, found: Classified, methods: tuple[str, ...]) -> Sizes:
    used_methods = [method(name) for name in methods]
    states = sum(link.coordinates + link.rates for link in found.tree.links) + len(model.states)
    for used_method in used_methods:
        most = used_method.most_states
        if most is not None and states > most:
            raise ModelError(
                f"method {used_method.name!r} solves dense equations of at most {most} states, model {model.name!r} "
                f"has {states}: use an explicit method"
            )
    links = found.tree.links
    used = references(model)
    closed = is_closed(model)
    wrenches = closed or any(isinstance(f, (OnBodies, PointGravity)) for f in (*model.forces.values(), model.gravity))
    return Sizes(
        links=len(links),
        coordinates=found.tree.count("q"),
        rates=found.tree.count("u"),
        locks=len(locks_of(found.tree)),
        driven_coordinates=found.tree.count("driven_q"),
        driven_rates=found.tree.count("driven_u"),
        drives_measured=any(isinstance(r, DriveForce) for r in used),
        signals=len(model.states),
        inputs=len(model.inputs),
        parameters=len(model.parameters),
        outputs=sum(len(o.expressions) for o in model.outputs.values()),
        values=0,
        packed=0,
        saved=0,
        branch_slots=0,
        carried=0,
        stages=max(m.slots for m in used_methods),
        history=max(m.history for m in used_methods),
        jacobian=any(m.needs_jacobian for m in used_methods),
        events=len(model.events),
        turns=any(e.kind in ("turn", "screw") for link in links for e in link.elements),
        poses=wrenches or any(isinstance(r, POSES) for r in used),
        wrenches=wrenches,
        totals=any(isinstance(r, Total) for r in used),
    )


def _laws(
    resolve: Resolver, found: Classified, facing: list[tuple[Expression, str]]
) -> tuple[Laws, list[str], list[str]]:
    """All laws, and the messages of the checks."""
    laws = Laws(
        drives=drive_laws(resolve),
        joints=joint_forces(resolve),
        wrenches=body_wrenches(resolve),
        signals=signal_rates(resolve),
        constants=_constant_laws(resolve, found),
    )
    body_checks = [pair for body in resolve.model.bodies.values() for pair in _body_checks(resolve, body)]
    body_checks += rod_lengths(resolve)
    laws.checks = [expression for expression, _ in body_checks]
    start_checks = coincident_ends(resolve) + drive_directions(resolve) + at_center(resolve) + facing
    laws.start_checks = [expression for expression, _ in start_checks]
    return laws, [m for _, m in body_checks], [m for _, m in start_checks]


def _needs(resolve: Resolver, laws: Laws) -> tuple[Needs, Needs]:
    """What the passes must provide for the rates, and what for the outputs too; adds the outputs' laws."""
    if resolve.needs.energy:
        raise ModelError("mbs.energy() is for outputs only: a force or a rate can't depend on it")
    in_derive = Needs(resolve.needs.pose, resolve.needs.twist, totals=resolve.needs.totals)
    if resolve.needs.instant:
        raise ModelError(
            "reactions, multipliers and accelerations are for outputs only: no force or rate can depend on them"
        )
    laws.outputs = output_laws(resolve)
    laws.instant = [law for law in laws.outputs if any(r.array == "D" for r in leaves([e for _, e in law.assignments]))]
    laws.outputs = [law for law in laws.outputs if law not in laws.instant]
    laws.events = event_laws(resolve)
    if resolve.needs.energy:
        laws.energy = energy_terms(resolve)
    if resolve.needs.totals:
        laws.totals = total_terms(resolve)
    return in_derive, resolve.needs


def _of_motion(laws: Laws) -> list[Expression]:
    """All formulas that the rates are made from."""
    parts = (laws.drives, laws.joints, laws.wrenches, laws.signals, laws.rows, laws.impulses)
    return [x for part in parts for law in part for _, x in law.assignments]


def _lift(laws: Laws, values: Values) -> None:
    """Move the laws' numbers into the record."""
    for entry in fields(laws):
        if not entry.name.endswith("checks"):
            setattr(laws, entry.name, values.lift(getattr(laws, entry.name)))


def _constant_laws(resolve: Resolver, found: Classified) -> list[Law]:
    """Constants and gravity that depend on parameters; literal ones go straight into the record."""
    block, gravity = resolve.layout["bodies"], resolve.layout["gravity"]
    laws = []
    for i, constants in enumerate(found.constants):
        name = found.tree.links[i].name
        assignments = []
        for k, expression in constants.items():
            if not is_literal(expression):
                value = resolve.parameters_only([expression], f"mass or geometry of body {name!r}")[0]
                assignments.append((Load("R", "", block.start + i * block.stride + k), value))
        if assignments:
            laws.append(Law(assignments, f"mass and geometry of {name}"))
    for k, g in enumerate(resolve.model.gravity):
        if not is_literal(g):
            value = resolve.parameters_only([g], "gravity")[0]
            laws.append(Law([(Load("R", "", gravity.start + k), value)], "gravity"))
    return laws


def _body_checks(resolve: Resolver, body: Body) -> list[tuple[Expression, str]]:
    """Numbers that must be positive for any parameters, with messages (literals are checked when given)."""
    checks = []
    thing = f"body {body.name!r}"
    if not is_literal(body.mass):
        mass = resolve.parameters_only([body.mass], f"mass of {thing}")[0]
        checks.append((_not_negative(mass), f"mass of {thing} must not be negative: change {_named(body.mass)}"))
    entries = [body.inertia[a][b] for a, b in INERTIA]
    if not all(is_literal(x) for x in entries):
        xx, xy, xz, yy, yz, zz = resolve.parameters_only(entries, f"inertia of {thing}")
        half = 0.5 * (xx + yy + zz)
        size = half + ROUNDING
        slack = SLACK * half + ROUNDING
        if body.physical:  # the second moments of mass, in the place of the inertia's: positive semidefinite too
            xx, yy, zz, xy, xz, yz = half - xx, half - yy, half - zz, -xy, -xz, -yz
        law = "negative, or against the triangle inequality" if body.physical else "a principal moment is negative"
        message = (
            f"inertia of {thing} is not that of a real body ({law}): "
            f"change {', '.join(sorted({_named(x) for x in entries if not is_literal(x)}))}"
        )
        minors = [x + slack for x in (xx, yy, zz)]
        minors += [x + slack * size for x in (xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz)]
        determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
        minors.append(determinant + slack * size * size)
        checks += [(_not_negative(minor), message) for minor in minors if not is_literal(minor)]
    return checks


def _not_negative(value: Expression) -> Expression:
    return where(value >= 0.0, 1.0, 0.0)


def _named(expression: Expression) -> str:
    names = [r.name for r in leaves([expression]) if isinstance(r, Signal)]
    return "parameter " + " or ".join(repr(name) for name in names)


def _structure(
    found: Classified, layout: Mapping[str, Region], laws: Laws, derive: Needs, needs: Needs, solver: Solver
) -> Structure:
    links = found.tree.links
    order = Order(
        of_link=found.of_link,
        parent=[link.parent for link in links],
        children=[link.children for link in links],
        loops="ranks" in layout and layout["ranks"].size > 0,
        leaves_marked=all(found.classes[k].leaf == (link.children == 0) for k, link in zip(found.of_link, links)),
    )
    tree = found.tree
    first_quaternions = [tree.q[body.name][k] for body in tree.order for k in body.joint.quaternions]
    return Structure(
        classes=found.classes,
        order=order,
        names=[link.name for link in links],
        momenta=momentum_owners(found),
        first={name: _firsts(links, name) for name in ("coordinates", "rates", "driven_coordinates", "driven_rates")},
        locked=[lock.place.slot(layout) for lock in locks_of(tree)],
        quaternions=[place.slot(layout) for place in first_quaternions if not place.driven],
        columns=[],
        laws=laws,
        pose_in_derive=derive.pose,
        pose_in_outputs=needs.pose and not derive.pose,
        twist=needs.twist,
        totals_in_derive=derive.totals,
        solver=solver,
        methods=(),
        events=[],
    )


def _firsts(links: Sequence[Link], count: str) -> list[int]:
    """The first of each link's coordinates or rates of one sort."""
    return [int(k) for k in np.cumsum([0, *(getattr(link, count) for link in links)])[:-1]]


def _with_addresses(kind: LinkClass, resolve: Resolver, values: Values) -> LinkClass:
    """The class with its joint's formulas in addresses, their numbers moved into the record."""
    elements = []
    for e in kind.elements:
        if e.formula is not None:
            entries = resolve.joint_formulas(e.formula.expressions)
            entries = [x for _, x in values.lift([Law([(TIME, x) for x in entries], "joint")])[0].assignments]
            e = e._replace(formula=replace(e.formula, position=entries[:3], rotation=entries[3:]))
        elements.append(e)
    return replace(kind, elements=tuple(elements))


def _first_record(model: Model, found: Classified, layout: Mapping[str, Region], values: Values) -> np.ndarray:
    """The record with every literal constant; `with_values` adds defaults and start values, `prepare` the rest."""
    R = np.zeros(layout["end"].start)
    block = layout["bodies"]
    for i, constants in enumerate(found.constants):
        for k, expression in constants.items():
            if is_literal(expression):
                R[block.start + i * block.stride + k] = expression.value
    for k, g in enumerate(model.gravity):
        if is_literal(g):
            R[layout["gravity"].start + k] = g.value
    for k, lock in enumerate(locks_of(found.tree)):
        R[layout["locks"].start + 2 * k] = lock.angle
    links = found.tree.links
    for name, count in (("offsets", "coordinates"), ("driven_offsets", "driven_coordinates")):
        for link, first, offset in zip(links, _firsts(links, count), found.offsets, strict=True):
            if offset and link.elements[0].driven == name.startswith("driven"):
                R[layout[name].start + first] = offset
    first = layout["values"].start
    R[first : first + len(values.numbers)] = values.numbers
    return R
