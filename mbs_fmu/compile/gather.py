"""The stage of compilation that collects all laws of a model, between link classes and traced steps.

Its laws refer to numbers of the record by region and offset, since addresses are not yet known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, replace

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..mechanics.links import LinkClass
from ..model.effects import Check
from ..model.model import Model
from ..record.blocks import Beat, LinkConstants
from ..record.layout import TIME, Load
from ..symbolic.expressions import Expression, is_literal
from ..symbolic.graph import leaves
from .closures.closures import Closures
from .closures.instantaneous import Instantaneous
from .closures.modes import ConstraintModes, relative_residuals
from .closures.prescribed import measures_of_known_frictions
from .closures.samples import Samples
from .laws.beats import beats
from .laws.checks import body_checks, closure_checks, start_checks
from .laws.feet import feet_of, guesses_of, steps_of
from .laws.forces import Forces
from .laws.law import Law, Values
from .laws.laws import (
    body_wrenches,
    drive_laws,
    event_laws,
    follower_laws,
    gated_wrenches,
    joint_forces,
    modal_factors,
    output_laws,
    signal_rates,
)
from .laws.near import NearPairs, near_pairs
from .laws.needs import Needs, needs_of
from .laws.resolve import Resolver
from .laws.rotors import inertias, rotor_checks
from .laws.starts import start_laws
from .laws.switches import knots, switch_times
from .laws.totals import energy_terms, handlers_of_totals, total_terms
from .requests import RequestedOutputs
from .tree.classes import Classified
from .tree.links import Tree


@dataclass(frozen=True)
class Laws:
    """All laws of a model, grouped by the function of the module that evaluates them."""

    constants: list[Law] = field(default_factory=list)
    drives: list[Law] = field(default_factory=list)
    bodies: list[Law] = field(default_factory=list)  #: stiffness and damping factors of elastic bodies
    joints: list[Law] = field(default_factory=list)
    centers: list[Law] = field(default_factory=list)  #: of balls that `bounds` compare
    bounds: list[Law] = field(default_factory=list)  #: of contacts; they only save time in `wrenches`
    wrenches: list[Law] = field(default_factory=list)
    near_wrenches: list[Law] = field(default_factory=list)  #: of near pairs, relative to two shapes (near.py)
    near_energies: list[Law] = field(default_factory=list)  #: as `near_wrenches`; what they add to the energy
    gated_wrenches: list[Law] = field(default_factory=list)  #: as `wrenches`; they vanish while all gates are zero
    signals: list[Law] = field(default_factory=list)
    energy: list[Law] = field(default_factory=list)
    totals: list[Law] = field(default_factory=list)
    measures: list[Law] = field(default_factory=list)  #: of contact points, which outputs and events read
    outputs: list[Law] = field(default_factory=list)
    events: list[Law] = field(default_factory=list)
    rows: list[Law] = field(default_factory=list)  #: of loops: g, gamma, K, W
    resting_rows: list[Law] = field(
        default_factory=list
    )  #: as `rows`, for closures whose rows are not evaluated while they are released
    modes: list[Law] = field(
        default_factory=list
    )  #: of closures with constraint modes: the numbers that determine the modes
    aligned: list[Law] = field(default_factory=list)  #: of such closures: rotation of their frames if they engage now
    samples: list[Law] = field(default_factory=list)  #: new values of sampled signals and resets
    impulses: list[Law] = field(default_factory=list)  #: of loops: contributions of Lambda to mu, F^ and p_dot
    switched_impulses: list[Law] = field(default_factory=list)  #: as `impulses`, for closures with constraint modes
    turned_rows: list[Law] = field(default_factory=list)  #: of joints in loops: rotation vectors instead of directions
    contact_steps: list[Law] = field(default_factory=list)  #: of contact parameters: Newton steps
    contact_guesses: list[Law] = field(default_factory=list)  #: of contact parameters: approximate values
    starts: list[Law] = field(default_factory=list)  #: start values that follow from parameters
    switches: list[Law] = field(default_factory=list)  #: times at which conditions on time switch
    beats: list[Law] = field(default_factory=list)  #: periodic times at which laws over time bend or jump
    instantaneous: list[Law] = field(default_factory=list)  #: reactions and accelerations, from rates of change in D

    @property
    def all(self) -> list[Law]:
        """All laws."""
        return [law for entry in fields(self) for law in getattr(self, entry.name)]

    @property
    def all_rows(self) -> list[Law]:
        """The laws of the rows of all loops."""
        return self.rows + self.resting_rows

    @property
    def of_motion(self) -> list[Expression]:
        """All formulas on which the rates depend."""
        parts = (
            self.drives,
            self.bodies,
            self.joints,
            self.wrenches,
            self.near_wrenches,
            self.gated_wrenches,
            self.signals,
            self.all_rows,
            self.impulses,
        )
        return [x for part in (*parts, self.switched_impulses) for law in part for x in law.formulas]

    def lifted(self, values: Values) -> Laws:
        """Return the laws with their literal numbers moved to region `values`."""
        return Laws(**{entry.name: values.lift(getattr(self, entry.name)) for entry in fields(self)})


@dataclass(frozen=True)
class Gathered:
    """The laws of a model, the checks of parameters and of the start, and the results of passes that they need.

    `classes` are the link classes, with their formulas in numbers of the record. `values` and `part_numbers` are the
    contents of the regions of these names, and `measures` is the size of region `measures`. `near` are
    the contacts with a list of near pairs. `in_rates` are the results of passes that the rates need; `needs` are those
    that rates, outputs and events need. A gated force is a multiple of one of the signals `gates`, and is skipped while
    they are all zero. `knots` are the tables over time, and `points` the points of forces as expressions of the model.
    """

    requested: RequestedOutputs
    laws: Laws
    checks: list[Check]
    start_checks: list[Check]
    classes: list[LinkClass]
    values: Values
    part_numbers: list[float]
    measures: int
    near: NearPairs
    in_rates: Needs
    needs: Needs
    gates: list[Load]
    knots: list[tuple[Load, int]]
    points: list[Expression]
    closures: Closures | None  #: None for a model without loops, reactions and accelerations
    modes: ConstraintModes | None  #: None for the same models
    row_tables: dict[str, list[int]]  #: tables of rows and constraint modes for the kernels; empty for the same models
    samples: Samples
    contacts: list[int]  #: numbers of all contact parameters among the signal states
    feet: list[str]  #: names of those that belong to forces


@dataclass(frozen=True)
class References:
    """The resolver of the references of a model, and the tables of forces and closures that it needs.

    closures, modes: None for a model without loops, reactions and accelerations.
    """

    resolve: Resolver
    forces: Forces
    closures: Closures | None
    modes: ConstraintModes | None


def references_of(
    model: Model, requested: RequestedOutputs, tree: Tree, replaced: Mapping[str, Expression]
) -> References:
    """Return the resolver of all references of a model; for `replaced` see `gather`."""
    handlers = handlers_of_totals()
    resolve = Resolver(model, tree, replaced, handlers)
    forces = Forces(resolve)
    handlers |= forces.handlers
    closures = Closures(resolve, requested.drives) if requested.loops else None
    modes = ConstraintModes(resolve, closures) if closures is not None else None
    if closures is not None and modes is not None:
        handlers |= closures.handlers | Instantaneous(resolve, closures).handlers | modes.handlers
    handlers |= measures_of_known_frictions(resolve)
    return References(resolve, forces, closures, modes)


def gather(
    model: Model, requested: RequestedOutputs, classified: Classified, replaced: Mapping[str, Expression]
) -> Gathered:
    """Return the laws of a model; `replaced` contains inputs that are given as expressions of time.

    Raises ModelError for an invalid model.
    """
    references = references_of(model, requested, classified.tree, replaced)
    resolve, forces, closures, modes = references.resolve, references.forces, references.closures, references.modes
    facing = closures.facing() if closures is not None else []
    near = near_pairs(resolve)
    laws = _laws_of_motion(resolve, forces, classified, requested.drives)
    laws = replace(laws, near_wrenches=near.wrenches)
    if closures is not None and modes is not None:
        laws = _with_loops(laws, closures, modes)
    feet = feet_of(model)
    laws = replace(
        laws,
        contact_steps=laws.contact_steps + steps_of(resolve, feet),
        contact_guesses=laws.contact_guesses + guesses_of(resolve, feet),
    )
    checks = [c for body in model.bodies.values() for c in body_checks(resolve, body)]
    checks += rotor_checks(resolve) + closure_checks(resolve)
    starts = start_checks(resolve) + facing
    in_rates = _of_rates(laws, [*checks, *starts])  # without those of gated forces, which are computed on demand
    gates, gated = gated_wrenches(resolve, forces)
    samples = Samples(resolve, closures)
    checks += samples.checks()
    laws = replace(laws, gated_wrenches=gated, samples=samples.laws)
    laws = _with_outputs(laws, resolve.with_handlers(forces.handlers_of_outputs), modes)
    laws = replace(laws, measures=forces.measure_laws())
    laws, needs = _with_totals(laws, in_rates | needs_of(laws.all), resolve, forces, near, closures)
    times = switch_times(laws.of_motion)
    laws = replace(laws, switches=[Law([(Load("R", "switches", k), x)], "a switch") for k, x in enumerate(times)])
    laws = replace(laws, beats=_beat_laws(laws.of_motion))
    laws = replace(laws, constants=laws.constants + samples.clock_laws())
    values = Values()
    laws = laws.lifted(values)
    return Gathered(
        requested=requested,
        laws=laws,
        checks=_with_tables(checks, values),
        start_checks=_with_tables(starts, values),
        classes=[_in_numbers(link_class, resolve, values) for link_class in classified.classes],
        values=values,
        part_numbers=forces.blocks.numbers,
        measures=forces.table.size,
        near=near,
        in_rates=in_rates,
        gates=gates,
        needs=needs,
        knots=knots(laws.of_motion),
        points=forces.points(),
        closures=closures,
        modes=modes,
        row_tables=closures.tables() | modes.tables() if closures is not None and modes is not None else {},
        samples=samples,
        contacts=[*([] if closures is None else closures.contacts), *feet],
        feet=[foot.state for foot in feet.values()],
    )


def _beat_laws(expressions: Sequence[Expression]) -> list[Law]:
    return [
        Law([(Load("R", "beats", Beat.size * k + n), x) for n, x in enumerate(beat)], "a periodic time")
        for k, beat in enumerate(beats(expressions))
    ]


def _laws_of_motion(resolve: Resolver, forces: Forces, classified: Classified, drives: bool) -> Laws:
    wrenches = body_wrenches(resolve, forces)
    centers, bounds = forces.bound_laws()
    return Laws(
        drives=drive_laws(resolve) + follower_laws(resolve),
        bodies=modal_factors(resolve),
        joints=joint_forces(resolve, forces, drives),
        wrenches=wrenches,
        centers=centers,
        bounds=bounds,
        signals=signal_rates(resolve),
        constants=_constant_laws(resolve, classified),
        starts=start_laws(resolve),
    )


def _with_loops(laws: Laws, closures: Closures, modes: ConstraintModes) -> Laws:
    """Return the laws with those of closures."""
    return replace(
        laws,
        rows=closures.rows(at_rest=False),
        resting_rows=relative_residuals(closures.rows(at_rest=True), modes.switched),
        aligned=closures.aligned(),
        impulses=closures.impulses(has_modes=False),
        switched_impulses=closures.impulses(has_modes=True),
        turned_rows=closures.turned_rows(),
        contact_steps=closures.contact_steps(),
        contact_guesses=closures.contact_guesses(),
    )


def _with_tables(checks: Sequence[Check], values: Values) -> list[Check]:
    """Return the checks with the data of their tables in the record."""
    return list(zip(values.lift_tables([x for x, _ in checks]), [text for _, text in checks], strict=True))


def _of_rates(laws: Laws, checks: Iterable[Check]) -> Needs:
    """Return the results of passes that the laws of rates and checks need. Raises ModelError for those of outputs."""
    needs = needs_of(laws.all, [x for x, _ in checks])
    if needs.energy:
        raise ModelError("mbs.energy() is for outputs only: a force or a rate can't depend on it")
    if needs.instantaneous:
        raise ModelError(
            "reactions, multipliers and accelerations are for outputs only: no force or rate can depend on them; on "
            "means over the last step (mean=True) they can"
        )
    return needs


def _with_outputs(laws: Laws, resolve: Resolver, modes: ConstraintModes | None) -> Laws:
    all_outputs = output_laws(resolve)
    of_instant = [any(r.array == "D" for r in leaves([e for _, e in law.assignments])) for law in all_outputs]
    events = event_laws(resolve)
    return replace(
        laws,
        outputs=[law for law, instantaneous in zip(all_outputs, of_instant, strict=True) if not instantaneous],
        instantaneous=[law for law, instantaneous in zip(all_outputs, of_instant, strict=True) if instantaneous],
        events=events,
        modes=[] if modes is None else modes.laws(),
    )


def _with_totals(
    laws: Laws, needs: Needs, resolve: Resolver, forces: Forces, near: NearPairs, closures: Closures | None
) -> tuple[Laws, Needs]:
    """Return the laws with those of the energy and of totals, if they are needed; and the needs of all laws."""
    rows = closures.row_addresses.rows if closures is not None else 0
    energy = energy_terms(resolve, forces, rows) if needs.energy else []
    energies = near.energies if needs.energy else []
    needs |= needs_of([*energy, *energies])
    totals = total_terms(resolve) if needs.totals else []
    return replace(laws, energy=energy, near_energies=energies, totals=totals), needs | needs_of(totals)


def _constant_laws(resolve: Resolver, classified: Classified) -> list[Law]:
    """Return laws of constants and gravity that depend on parameters; literals are part of the first record."""
    laws = []
    for i, constants in enumerate(classified.constants):
        name = classified.tree.links[i].name
        assignments = _of_parameters(
            resolve,
            ((Load("R", "bodies", i * LinkConstants.size + k), x) for k, x in constants.items()),
            f"mass or geometry of body {name!r}",
        )
        if assignments:
            laws.append(Law(assignments, f"mass and geometry of {name}"))
    rotors = _of_parameters(resolve, inertias(resolve.model, classified.tree).items(), "inertia of a rotor")
    laws += [Law([pair], "inertia of a rotor") for pair in rotors]
    gravity = ((Load("R", "gravity", k), g) for k, g in enumerate(resolve.model.uniform_gravity))
    return laws + [Law([pair], "gravity") for pair in _of_parameters(resolve, gravity, "gravity")]


def _of_parameters(
    resolve: Resolver, assignments: Iterable[tuple[Load, Expression]], thing: str
) -> list[tuple[Load, Expression]]:
    """Return the assignments whose values are not literals, in numbers of the record."""
    return [(target, resolve.parameters_only([x], thing)[0]) for target, x in assignments if not is_literal(x)]


def _in_numbers(link_class: LinkClass, resolve: Resolver, values: Values) -> LinkClass:
    """Return a class with its motions' formulas in numbers of the record."""
    motions = []
    for m in link_class.motions:
        if m.motion.expressions:
            entries = resolve.joint_formulas(m.motion.expressions)
            lifted = values.lift([Law([(TIME, x) for x in entries], "joint")])[0].assignments
            m = replace(m, motion=m.motion.with_expressions([x for _, x in lifted]))
        motions.append(m)
    return replace(link_class, motions=tuple(motions))
