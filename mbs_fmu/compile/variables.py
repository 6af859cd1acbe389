"""The named variables of a program: the numbers of the record that users, results and FMUs can access."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..infrastructure.errors import ModelError
from ..model.items import Body
from ..model.model import Model
from ..model.references.leaves import Signal
from ..record.kinds import ENUMERATION, MODE_ITEMS
from ..record.layout import TIME, Layout, Load, bound
from ..record.program import Variable
from ..record.regions import exchange_region, rate_region, state_region
from ..symbolic.expressions import Expression
from ..symbolic.graph import leaves
from ..symbolic.rotations import entries_of
from ..symbolic.units import rate_unit
from .constancy import require_constant_outputs
from .gather import Gathered, Laws
from .laws.law import Law, indices
from .tree.classes import Classified

INTEGRATED = ("coordinate", "momentum", "state")  #: roles of variables that make up the state


def program_variables(
    model: Model, classified: Classified, layout: Layout, gathered: Gathered, replaced: Mapping[str, Expression]
) -> tuple[list[Variable], dict[str, list[str]]]:
    """Return the variables, and the names of the components of each vector output.

    Parameters come first, then inputs, then the others in the order of the result columns. `with_values` adds start
    values later.

    Raises ModelError for names that are there twice, and outputs that are no real numbers and not constant between
    events.
    """
    require_constant_outputs(model, replaced)
    variables: list[Variable] = []
    fixed = _fixed_parameters(model, gathered)
    for k, p in enumerate(model.parameters.values()):
        slot = layout["parameters"].start + k
        variables.append(
            Variable(p.name, "parameter", slot, p.unit, 0.0, p.description, p.name in fixed, **vars(p.range))
        )
    for k, i in enumerate(model.inputs.values()):
        if i.name not in replaced:
            slot = layout["inputs"].start + k
            variables.append(Variable(i.name, "input", slot, i.unit, 0.0, i.description, **vars(i.range)))
    laws, in_motions = gathered.laws, read_by_motions(gathered, layout)
    reads = _reads(classified, laws, layout, in_motions) | _read_by_followers(model, classified, layout)
    following = {x.body: f"follows {x.leader}" for x in model.followers.values()}
    driven = driven_forces(laws, layout)
    for body in classified.tree.order:
        variables += _joint_variables(classified, layout, body, driven, reads, following)
    for k, s in enumerate(model.states.values()):
        variables.append(Variable(s.name, "state", layout["z"].start + k, s.unit, 0.0, s.description))
    sampled = [(name, s) for s in model.sampled_signals.values() for name in s.names]
    for slot, (name, signal) in enumerate(sampled, start=layout["sampled"].start):
        variables.append(Variable(name, "sampled", slot, signal.unit, 0.0, signal.description))
    vectors = model.elements | {s.name: s.names for s in model.sampled_signals.values() if s.vector}
    slot = layout["outputs"].start
    for o in model.outputs.values():
        if o.vector:
            vectors[o.name] = o.names
        for name in o.names:
            known = reads.get(slot, ())
            variables.append(Variable(name, "output", slot, o.unit, 0.0, o.description, False, known, **vars(o.range)))
            slot += 1
    variables += _momentum_variables(model, classified, layout)
    variables += _derivative_variables(classified, variables, layout, reads, in_motions)
    variables += _mode_variables(gathered, layout)
    _no_duplicates(variables)
    return variables, vectors


def _joint_variables(
    classified: Classified,
    layout: Layout,
    body: Body,
    driven: set[int],
    reads: Mapping[int, tuple[int, ...] | None],
    following: Mapping[str, str],
) -> list[Variable]:
    texts = {"coordinate": "{} of {} against {}", "rate": "joint velocity of {1} against {2}"}
    frequencies = [] if body.elastic is None else body.elastic.modes.frequencies.tolist()
    variables = []
    for role, named, addresses in (
        ("coordinate", body.coordinates, classified.tree.q[body.name]),
        ("rate", body.rates, classified.tree.u[body.name]),
    ):
        for k, ((suffix, unit), address) in enumerate(zip(named, addresses, strict=True)):
            text, slot = texts[role].format(_quantity(unit), body.name, body.parent), address.slot(layout)
            name = f"{body.name}.{suffix}"
            if k >= len(named) - len(frequencies):
                text = _of_mode(body, frequencies, k - len(named))
            if address.driven:
                description = f"{text}, {following.get(body.name, 'driven')}"
                variables.append(Variable(name, "driven", slot, unit, 0.0, description, reads=reads.get(slot, ())))
            else:
                variables.append(Variable(name, role, slot, unit, 0.0, text))
    for (suffix, unit), address in zip(body.joint.forces, classified.tree.u[body.name]):
        slot = layout["tau"].start + address.offset
        if not address.driven and slot in driven:
            text = f"force along the joint of {body.name}"
            variables.append(
                Variable(f"{body.name}.{suffix}", "force", slot, unit, 0.0, text, False, reads.get(slot, ()))
            )
    return variables


def _of_mode(body: Body, frequencies: list[float], k: int) -> str:
    """Return the description of a vibration mode of an elastic body; k counts backwards from the last mode."""
    return f"mode {len(frequencies) + k + 1} of {body.name}, {frequencies[k]:.4g} Hz"


def _quantity(unit: str) -> str:
    return {"rad": "angle", "m": "displacement"}.get(unit, "quaternion component")


def _momentum_variables(model: Model, classified: Classified, layout: Layout) -> list[Variable]:
    """Return all momenta; for drives whose force is requested, the impulses of all other forces along them."""
    variables, tree = [], classified.tree
    for body in tree.order:
        named = zip(body.momenta, body.rates, tree.u[body.name], strict=True)
        for (suffix, unit), (rate, _), address in named:
            if not address.driven:
                slot, text = layout["p"].start + address.offset, f"momentum along {body.name}.{rate}"
                variables.append(Variable(f"{body.name}.{suffix}", "momentum", slot, unit, 0.0, text, reads=None))
    for drive in model.drives.values() if layout["drive_impulses"].size else ():
        for number, k in enumerate(drive.rates, start=1):
            slot = layout["drive_impulses"].start + tree.u[drive.body][k].offset
            unit = model.bodies[drive.body].joint.momenta[k][1]
            text = f"impulse along drive {drive.name} of all but the drive, since momenta were last re-based"
            name = f"{drive.name}.impulse" + (f"[{number}]" if len(drive.rates) > 1 else "")
            variables.append(Variable(name, "momentum", slot, unit, 0.0, text, reads=None))
    for follower in model.followers.values() if layout["drive_impulses"].size else ():
        slot = layout["drive_impulses"].start + tree.u[follower.body][0].offset
        unit, text = model.bodies[follower.body].joint.momenta[0][1], f"zero: nothing drives {follower.body}"
        variables.append(Variable(f"{follower.name}.impulse", "momentum", slot, unit, 0.0, text, reads=None))
    return variables


def _derivative_variables(
    classified: Classified,
    variables: Sequence[Variable],
    layout: Layout,
    reads: Mapping[int, tuple[int, ...] | None],
    in_motions: set[int],
) -> list[Variable]:
    """Return the derivatives of all coordinates, momenta and signal states, in the order of the state."""
    known: dict[int, tuple[int, ...] | None] = dict(reads)
    for body in classified.tree.order:
        addresses = [*classified.tree.q[body.name], *classified.tree.u[body.name]]
        own = tuple(address.slot(layout) for address in addresses if not address.driven)
        known |= dict.fromkeys(own, tuple(sorted({*own, *in_motions})))
    known |= dict.fromkeys([*_slots(layout, "p"), *_slots(layout, "drive_impulses")], None)
    first, rates, derivatives = (r(layout).start for r in (state_region, rate_region, exchange_region))
    derived = []
    for v in sorted((v for v in variables if v.role in INTEGRATED), key=lambda v: v.slot):
        made_from = known.get(v.slot - first + rates if v.role == "state" else v.slot, ())
        text = f"time derivative of {v.name}"
        name, slot = f"der({v.name})", v.slot - first + derivatives
        derived.append(Variable(name, "derivative", slot, rate_unit(v.unit), 0.0, text, reads=made_from))
    return derived


def _mode_variables(gathered: Gathered, layout: Layout) -> list[Variable]:
    """Return the mode of each closure with constraint modes, and the distance from the mode's end."""
    switched = gathered.modes.switched if gathered.modes else []
    modes, ends = layout["modes"].start, layout["now"].start
    return [
        *(_mode(x.name, modes + k, MODE_ITEMS[x.mode.role]) for k, x in enumerate(switched)),
        *(
            Variable(f"{x.name}.end", "end", ends + k, None, 0.0, f"positive while {x.name} keeps its mode", reads=None)
            for k, x in enumerate(switched)
        ),
    ]


def _mode(name: str, slot: int, items: tuple[str, ...]) -> Variable:
    low, high = -1.0, len(items) - 2.0
    return Variable(
        f"{name}.mode", "mode", slot, None, 0.0, f"mode of {name}: 0 while it holds", reads=None, low=low, high=high,
        kind=ENUMERATION, items=items,
    )  # fmt: skip


def _reads(
    classified: Classified, laws: Laws, layout: Layout, in_motions: set[int]
) -> dict[int, tuple[int, ...] | None]:
    """Return the dependencies of each slot that a law sets: slots of variables and of time.

    The variables are parameters, inputs, coordinates, rates, states and samples. None means all of them; this is so for
    reactions, accelerations and residuals.
    """
    external = _external(layout)
    joints = {*_slots(layout, "q"), *_slots(layout, "u")}
    bodies = {*_slots(layout, "pose"), *_slots(layout, "twist"), *_slots(layout, "totals")}
    everything = {*joints, *_slots(layout, "parameters"), *_slots(layout, "z"), *in_motions}
    energy, rates = set(_slots(layout, "energy")), set(_slots(layout, "u"))
    measures = set(_slots(layout, "measures"))
    direct, indirect = external | joints, bodies | energy | measures
    in_energy, in_measures = (_read_by(x, layout) & direct for x in (laws.energy + laws.near_energies, laws.measures))
    of_loops = {*_slots(layout, "loop_state"), *_slots(layout, "means"), *_slots(layout, "drive_means")}
    quaternions = _quaternions(classified, layout)  # normalised at the start: each component depends on all four
    reads: dict[int, tuple[int, ...] | None] = {
        bound(t, layout): None for law in laws.instantaneous for t, _ in law.assignments
    }
    driven: dict[int, set[int]] = {}  #: for each driven coordinate or rate, the slots on which it depends
    for number, law in enumerate([*laws.drives, *laws.joints, *laws.signals, *laws.outputs]):
        for target, expression in law.assignments:
            offsets, address = _addresses([expression], layout), bound(target, layout)
            read = offsets & direct
            for slot in offsets & driven.keys():
                read |= driven[slot]
            if number < len(laws.drives):
                driven[address] = read
            read |= {slot for known in read & quaternions.keys() for slot in quaternions[known]}
            if offsets & rates:
                read |= in_motions
            if offsets & indirect:
                read |= everything
            if offsets & energy:
                read |= in_energy
            if offsets & measures:
                read |= in_measures
            reads[address] = None if offsets & of_loops else tuple(sorted(read))
    return reads | dict.fromkeys(_rates_of_forces(laws, layout))


def _rates_of_forces(laws: Laws, layout: Layout) -> list[int]:
    """Return the slots of rates of states that belong to forces, which depend on the motion of all bodies."""
    return [
        bound(law.move(target), layout)
        for law in laws.wrenches
        for target in law.pattern.targets
        if target.region == "z_dot"
    ]


def _read_by_followers(model: Model, classified: Classified, layout: Layout) -> dict[int, tuple[int, ...]]:
    """Return the slots on which the rates of followers depend."""
    reads = {}
    parameters = {name: k for k, name in enumerate(model.parameters)}
    for follower in model.followers.values():
        read = {layout["parameters"].start + parameters[signal.name] for signal in leaves([follower.ratio])}
        leader = classified.tree.u[follower.leader][0].slot(layout)
        reads[classified.tree.u[follower.body][0].slot(layout)] = tuple(sorted({leader, *read}))
    return reads


def read_by_motions(gathered: Gathered, layout: Layout) -> set[int]:
    """Return the slots on which joint velocities depend in addition to coordinates and momenta.

    These are the parameters, inputs, states, samples and time in drives, in formulas of joints and in conditions of
    loops.
    """
    formulas = [x for link_class in gathered.classes for m in link_class.motions for x in m.motion.expressions]
    laws = [*gathered.laws.drives, *gathered.laws.all_rows]
    return (_read_by(laws, layout) | _addresses(formulas, layout)) & _external(layout)


def _quaternions(classified: Classified, layout: Layout) -> dict[int, range]:
    """Return, by slot, the four slots of every quaternion that no drive prescribes."""
    tree = classified.tree
    firsts = [tree.q[body.name][k] for body in tree.order for k in body.joint.quaternions]
    starts = [address.slot(layout) for address in firsts if not address.driven]
    return {slot: range(start, start + 4) for start in starts for slot in range(start, start + 4)}


def _external(layout: Layout) -> set[int]:
    """Return the slots of time, parameters, inputs, states and sampled signals."""
    regions = ("parameters", "inputs", "z", "sampled")
    return {bound(TIME, layout), *(slot for region in regions for slot in _slots(layout, region))}


def _read_by(laws: Sequence[Law], layout: Layout) -> set[int]:
    moved: dict[int, list[Law]] = {}
    for law in laws:
        if law.pattern is not law:
            moved.setdefault(id(law.pattern), []).append(law)
    tables = (indices(members, layout)[:, members[0].pattern.form.read] for members in moved.values())
    own = {bound(x, layout) for law in laws if law.pattern is law for x in law.reads if not x.base}
    return own.union(*(table.ravel().tolist() for table in tables))


def _addresses(expressions: Sequence[Expression], layout: Layout) -> set[int]:
    """Return the addresses that expressions read, except a joint's own coordinates in formulas of link classes."""
    return {bound(x, layout) for x in leaves(expressions) if isinstance(x, Load) and not x.base}


def _slots(layout: Layout, name: str) -> range:
    region = layout.get(name)
    return range(region.start, region.stop) if region else range(0)


def driven_forces(laws: Laws, layout: Layout) -> set[int]:
    """Return the slots of the joint forces that a law sets."""
    return {bound(t, layout) for law in laws.joints for t, _ in law.assignments if t.region == "tau"}


def _fixed_parameters(model: Model, gathered: Gathered) -> set[str]:
    """Return the parameters on which masses, geometry, gravity or start values depend, and whole arrays of these."""
    expressions: list[Expression] = [*model.uniform_gravity, *gathered.points]
    for body in model.bodies.values():
        expressions += [body.mass, *body.com, *body.position, *(x for row in body.inertia for x in row)]
        expressions += [*entries_of(body.rotation)]
    expressions += [rotor.inertia for rotor in model.rotors.values()]
    expressions += model.start_laws.values()
    expressions += [x for follower in model.followers.values() for x in (follower.ratio, follower.offset)]
    for motion in (m for body in model.bodies.values() for m in body.joint.motions):
        expressions += [*motion.constants, *motion.expressions]
    fixed = {r.name for r in leaves(expressions) if isinstance(r, Signal)}
    arrays = (array.names for array in model.arrays.values())
    return fixed.union(*(names for names in arrays if fixed.intersection(names)))


def quaternion_names(slots: Collection[int], variables: Sequence[Variable]) -> dict[str, int]:
    """Return the name of the first variable of each quaternion, with its slot."""
    return {v.name: v.slot for v in variables if v.role == "coordinate" and v.slot in slots}


def _no_duplicates(variables: Sequence[Variable]) -> None:
    seen: dict[str, str] = {}
    for v in variables:
        if v.name in seen:
            raise ModelError(f"{v.role} {v.name!r} has the name of a {seen[v.name]}: rename one of them")
        seen[v.name] = v.role


def owners(model: Model, classified: Classified, layout: Layout) -> list[str]:
    """Return descriptions of all state components, then of all outputs, for messages."""
    q, tree = [], classified.tree
    for body in tree.order:
        for (suffix, _), address in zip(body.coordinates, tree.q[body.name], strict=True):
            q += [] if address.driven else [f"body {body.name!r}, coordinate {body.name}.{suffix}"]
    outputs = [f"output {name!r}" for name, o in model.outputs.items() for _ in o.expressions]
    impulses = [""] * layout["drive_impulses"].size
    for drive in model.drives.values() if impulses else ():
        for k in drive.rates:
            impulses[tree.u[drive.body][k].offset] = f"drive {drive.name!r}, impulse of all other forces along it"
    for follower in model.followers.values() if impulses else ():
        impulses[tree.u[follower.body][0].offset] = follower.thing
    return [*q, *momentum_owners(classified), *(f"state {name!r}" for name in model.states), *impulses, *outputs]


def momentum_owners(classified: Classified) -> list[str]:
    """Return a description of each momentum, by body and joint velocity, for messages."""
    by_offset = {
        address.offset: f"body {body.name!r}, momentum along {body.name}.{suffix}"
        for body in classified.tree.order
        for (suffix, _), address in zip(body.rates, classified.tree.u[body.name], strict=True)
        if not address.driven
    }
    return [by_offset[k] for k in sorted(by_offset)]
