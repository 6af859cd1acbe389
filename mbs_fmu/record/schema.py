"""The record and the other arrays of kernels: every number, in its order, with shape, unit, meaning and range.

A record `R` is one array of doubles with everything that a model needs at run time: time, state, rates, inputs,
parameters, constants, outputs and the workspace of the passes. To save a state, it is copied.

Only this package knows what a number of the record is. Layout (regions.py), ranges of whole numbers (ranges.py), the
page docs/record.md and constants of modules are computed from these declarations. Kernels use the names: `R.time`,
`R.q[k]`, `R.reduced_rows[k, h]`, `R.resets[j].last`, `ROOTED[z].rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import counts
from .blocks import *
from .codes import MODE_NUMBERS, MOST_LOGGED
from .dimensions import *
from .fields import (
    DeclaredTable,
    Dimension,
    Role,
    Struct,
    Vector,
    Whole,
    block_within,
    mark,
    matrix,
    members,
    number,
    repetition,
    struct,
    structs,
    vector,
    within,
)
from .tables import *

UNITS = "rad, m"  #: of coordinates
OWN_ROWS = Whole(0.0, counts.own_rows, is_bound_by_others=True)
ROWS_OF_LOOP = Whole(0.0, counts.last_own_rows, is_bound_by_others=True)


class Record(HeadNumbers, LoopNumbers):
    """The record, region by region.

    The numbers of `head` and `loop_state` are attributes of the record themselves.
    """

    is_array = True

    head = struct(HeadNumbers, "time, proposed step size, freshness, counters, data of the last failure")
    driven_q = vector(N_DRIVEN_Q, "prescribed coordinates, and those of followers", UNITS, index="g")
    q = vector(NQ, "coordinates", UNITS, index="q")
    p = vector(NV, "momenta", index="j")
    z = vector(N_SIGNALS, "signal states, contact parameters")
    drive_impulses = vector(N_DRIVES, "impulses along measured drives", index="d")
    q_dot = vector(NQ, "rates of the coordinates", index="q")
    p_dot = vector(NV, "rates of the momenta", index="j")
    z_dot = vector(N_SIGNALS, "rates of the signal states; Newton steps of contact parameters")
    drive_rests = vector(N_DRIVES, "forces along measured drives other than theirs", index="d")
    driven_u = vector(N_DRIVEN, "prescribed joint velocities", index="d")
    drive_momenta = vector(N_DRIVES, "momenta along measured drives", index="d")
    drive_starts = vector(N_DRIVES, "momenta along measured drives at the start of the mean")
    drive_means = vector(N_DRIVES, "mean forces of drives")
    u = vector(NV, "joint velocities", index="j")
    tau = vector(NV, "generalized forces along joint velocities", index="j")
    inputs = vector(N_INPUTS, "inputs")
    outputs = vector(N_OUTPUTS, "outputs")
    indicators = vector(N_EVENTS, "expressions of events")
    parameters = vector(N_PARAMETERS, "parameters", role=Role.CONSTANT)
    gravity = vector(3, "gravity", "m/s²", role=Role.CONSTANT)
    gimbal_locks = structs(
        N_LOCKS,
        Lock,
        "for each joint, the position of gimbal lock, and the side on which the joint was last",
        region="locks",
    )
    modes = vector(N_MODES, "constraint modes: 0 engaged, else released")
    released = vector(N_MODES, "1: a released latch whose engaging condition has since then been zero up to rounding")
    farthest_distance = vector(N_MODES, "largest distance from its mode end while released", region="reach")
    sampled = vector(N_SAMPLED, "sampled signals")
    calculated = vector(
        N_CALCULATED, "1: the next start computes the value from parameters; 0: keeps it", role=Role.CONSTANT
    )
    ticks = vector(N_CLOCKS, "number of each clock's next sample")
    resets = structs(N_RESETS, Reset, "events with resets")
    coincident_events = structs(
        N_EVENTS, CoincidentEvent, "events on the surfaces of contacts", when=has_modes, region="ties"
    )
    sample_state = struct(SampleState, "samples and resets", when=has_new_values)
    end_values = vector(N_ENDINGS, "distance from each mode end or crossing at the beginning of the step, positive")
    due = vector(
        N_ENDINGS,
        "not 0: mode end or event to be handled at the beginning of the next step; `OVERRUN`: mode end in the past",
    )

    loop_state = struct(LoopNumbers, "settings and state of stabilization", only=has_loops)
    residuals = vector(N_ROWS, "g: residuals of rows", UNITS, only=has_loops)
    residual_rates = vector(N_ROWS, "gamma: explicit rates of the residuals", only=has_loops)
    reference_pivots = vector(
        N_ROWS,
        "pivot of each row with its end bodies alone, with which its pivot is compared",
        only=has_loops,
        region="scales",
    )
    multipliers = vector(N_ROWS, "Lambda: impulses of rows since the last re-basing", only=has_loops)
    means = vector(N_ROWS, "mean multipliers over the last step", only=has_loops)
    pivots = vector(
        N_ROWS, "for each loop, the indices of its rows in the order of elimination", only=has_loops, whole=ROWS_OF_LOOP
    )
    ranks = vector(N_LOOPS, "active rows of each loop now", only=has_loops, whole=OWN_ROWS)
    selected_ranks = vector(
        N_LOOPS,
        "number of rows selected for this step, the first of `pivots`",
        only=has_loops,
        whole=OWN_ROWS,
        region="chosen",
    )
    free = vector(NV, "1: the assembly may change the start value of the coordinate", only=has_loops)
    free_rates = vector(NV, "whether the assembly may change a start velocity: a value of `StartRate`", only=has_loops)
    momentum = vector(NV, "p of velocities and impulses (L2); without impulses, the new p", only=has_loops, index="j")
    residual_offsets = vector(
        N_ROWS,
        "residuals at engagement, which count as zero from then on",
        only=has_loops,
        when=has_modes,
        region="zeros",
    )
    impact_impulses = vector(N_ROWS, "impulses of the last impact", only=has_loops, when=has_modes)
    lacks_capacity = vector(
        N_MODES, "1: the friction had no capacity when modes were last checked", only=has_loops, region="idle"
    )
    rotated_axes = matrix(
        N_ROTATED_AXES, 9, "change of the axes of rotated places, by columns", only=has_loops, region="turned"
    )
    row_forces = vector(N_ROWS, "lambda now", only=has_loops)
    last_row_forces = vector(N_ROWS, "lambda at the end of an importer's last step", only=has_loops)
    balance = matrix(N_LINKS, 12, "momenta and wrenches of branches", only=has_balances, index="m")

    exchange_rates = vector(N_EXCHANGED, "the derivatives of the state for an importer's solver (L9)")
    bodies = structs(N_LINKS, LinkConstants, "constants of every link", role=Role.CONSTANT)
    energy = vector(1, "energy", "J")
    totals = struct(Totals, "momentum and mass of all links", only=has_totals)
    pose = matrix(N_LINKS, 12, "rotation to the world, row by row, and origin", only=has_poses, index="b")
    twist = matrix(N_LINKS, 6, "velocity and angular velocity, link axes", index="t")
    wrench = matrix(N_LINKS, 6, "force and torque of laws", only=has_wrenches, index="t")
    impulse = matrix(N_LINKS, 6, "impulses of rows at links", only=has_loops, index="t")
    row_y = vector(N_Y, "Y of open rows, six numbers each", only=has_loops, index="y")
    row_z = vector(N_Z, "Z of open rows, for coupled joints: a number for each channel", only=has_loops, index="z")
    row_w = vector(N_PROJECTIONS, "W of open rows", only=has_loops, index="o")
    shapes = vector(
        N_SHAPES,
        "J1, J2, C1, Me, K, D and nodes of elastic bodies; equal bodies share",
        only=has_elastic_bodies,
        whole=UNCHANGED,
        role=Role.CONSTANT,
    )
    driven_rotors = vector(N_DRIVEN_ROTORS, "inertia that moves with one prescribed velocity alone", index="d")
    rotors = vector(N_ROTORS, "inertia that moves with one joint velocity alone", index="j")
    switches = vector(N_SWITCHES, "times at which conditions on time switch", "s", role=Role.CONSTANT)
    clocks = structs(N_CLOCKS, Clock, "clocks of sampled signals", role=Role.CONSTANT)
    values = vector(N_VALUES, "numbers and tables of laws", role=Role.CONSTANT)
    driven_offsets = vector(
        N_DRIVEN_ANGLES, "constants added to prescribed angles", "rad", index="g", role=Role.CONSTANT
    )
    offsets = vector(N_ANGLES, "constants added to angles", "rad", index="q", role=Role.CONSTANT)

    scratch = mark("a saved state can omit everything from here on")
    errors = vector(
        NV, "errors of the momenta, which `error_velocities` replaces by errors of the joint velocities", index="j"
    )
    joint_impulses = vector(NV, "D Bᵀ Lambda", only=has_loops, index="j", region="push")
    free_mask = vector(
        NV, "1: the coordinate may change in an elimination without inertia", only=has_loops, index="j", region="mask"
    )
    row_bias = vector(
        N_ROWS,
        "b = gamma + alpha g, then less the terms of eliminated rows",
        only=has_loops,
        index="row",
        region="right",
    )
    term_sizes = vector(
        N_ROWS, "magnitudes of the terms of each row's velocity residual", only=has_loops, index="row", region="terms"
    )
    row_b = vector(N_PROJECTIONS, "B of open rows", only=has_loops, index="o")
    row_d = vector(N_PROJECTIONS, "D B of open rows", only=has_loops, index="o")
    driven_sines = vector(N_DRIVEN_ANGLES, "sines of prescribed angles", index="g")
    sines = vector(N_ANGLES, "sines of angles", index="q")
    driven_cosines = vector(N_DRIVEN_ANGLES, "cosines of prescribed angles", index="g")
    cosines = vector(N_ANGLES, "cosines of angles", index="q")
    constants = matrix(
        N_LINKS, N_PACKED_OF_LINK, "the entries of `bodies` that a link's class uses, contiguous", index="c"
    )
    saved = matrix(N_LINKS, N_SAVED, "data passed from the inboard pass to the outboard pass", index="s")
    branch = matrix(N_BRANCH_SLOTS, N_CARRIED, "data passed between a branching link and its children")
    reduced_bias = vector(N_ROWS, "x: right sides, eliminated", only=has_loops, region="solved")
    reduced_rows = matrix(N_ROWS, 6, "V: rows of Y, eliminated", only=has_loops, region="row_v")
    delassus = vector(N_DELASSUS, "S, block by block", only=has_loops, region="blocks")
    delassus_factors = vector(N_FACTORS, "L of each loop", only=has_loops, region="factors")
    substituted = vector(N_COLUMN, "workspace: a column of L⁻¹", only=has_loops, region="column")
    frontal = vector(N_FRONT, "frontal matrices of redundant rows", only=has_loops, flat="front")
    elimination_factors = vector(N_ELIMINATION_FACTORS, "a row of elimination factors", only=has_loops)
    multiplier_additions = vector(
        N_ROWS,
        "additions to multipliers so that redundant rows share loads",
        only=has_loops,
        when=shares_loads,
        region="shares",
    )
    eliminated_inertia = vector(
        N_CARRIED, "VᵀV and Vᵀx of the rows rooted at a link (`Articulated`)", only=has_loops, region="added"
    )
    stored_pivots = vector(
        N_ROWS, "value of `pivots` to return to, while other rows are active", only=has_loops, region="kept_choice"
    )
    stored_ranks = vector(N_LOOPS, "value of `selected_ranks` to return to", only=has_loops, region="kept_choice")
    row_rates = vector(N_ROWS, "rates of the residuals, K v + W u + gamma", only=has_loops, when=has_modes)
    rates_before = vector(N_ROWS, "`row_rates` before the impact", only=has_loops, when=has_modes)
    rebounds = vector(N_ROWS, "rates of the residuals after a rebound", only=has_loops, when=has_modes)
    multiplier_rates = vector(N_ROWS, "lambda: forces of rows", only=has_loops, when=has_modes)
    multiplier_rates_before = vector(
        N_ROWS, "`multiplier_rates` before the change of modes", only=has_loops, when=has_modes
    )
    row_accelerations = vector(N_ROWS, "rates of `row_rates`", only=has_loops, when=has_modes)
    impulses_before = vector(
        N_ROWS, "`impact_impulses` of earlier impacts at this instant", only=has_loops, when=has_modes
    )
    rate_thresholds = vector(N_ROWS, "rates that count as zero", only=has_loops, when=has_modes, region="slow")
    engaged_links = vector(
        N_ENGAGED_LINKS,
        "1: an engaged closure with modes has rows at the link; then for the world, then for any link",
        only=has_loops,
        region="held",
    )
    mode_numbers = matrix(N_MODES, MODE_NUMBERS, "conditions or capacities of closures with modes", only=has_loops)
    aligned_axes = matrix(
        N_ROTATED_AXES,
        9,
        "value of `rotated_axes` after an engagement at the present position",
        only=has_loops,
        region="aligned",
    )
    mode_old = vector(N_MODES, "modes before the present change", only=has_loops)
    candidate = vector(
        N_MODES,
        "1: the closure takes part in the choice of modes; `GIVEN_UP`: it did, and keeps its mode now",
        only=has_loops,
        region="trial",
    )
    energy_losses = vector(N_MODES, "energy lost in the impact", "J", only=has_loops, region="losses")
    elastic = vector(
        N_ELASTIC_NUMBERS, "a block for each elastic body and its nodes", only=has_elastic_bodies, index="x"
    )
    mode_couplings = vector(N_COUPLINGS, "B of each elastic body (W1)", only=has_elastic_bodies)
    static_slopes = matrix(
        N_STATIC,
        N_STATIC,
        "minus the slopes of generalized forces along modes over modal coordinates, then eliminated",
        only=has_elastic_bodies,
        region="settling",
    )
    static_forces = matrix(
        2,
        N_STATIC,
        "generalized forces along modes, then Newton's step; in the second row, forces with one mode displaced",
        only=has_elastic_bodies,
        region="settling",
    )

    step_start = vector(NX, "state at the beginning of the step", region="x0")
    rollback = vector(NX, "state to which a failed call returns")
    stages = matrix(N_STAGES, NX, "rates of the stages")
    work = matrix(2, NX, "errors; or state and rates at the end of the step")
    u_old = vector(NV, "joint velocities at the beginning of the step")
    u_new = vector(NV, "joint velocities at the end of the step")
    start_rates = vector(NV, "joint velocities during the search for least kinetic energy", only=has_loops)
    start_missing = vector(
        NV, "errors of `start_rates` in held velocities, or in momenta along free motions", only=has_loops
    )
    search_direction = vector(
        NV, "direction of the present step of conjugate gradients", only=has_loops, region="start_way"
    )
    history = struct(
        History,
        "what a method remembers from step to step, and when it is valid",
        when=has_history,
        role=Role.REMEMBERED,
    )
    known_x = vector(NX, "state for which the history is valid", when=has_history, region="history")
    known_inputs = vector(N_INPUTS, "inputs for which the history is valid", when=has_history, region="history")
    known_parameters = vector(
        N_PARAMETERS, "parameters for which the history is valid", when=has_history, region="history"
    )
    past = matrix(N_HISTORY_VECTORS, NX, "vectors of earlier steps", when=has_history, region="history")
    end_now = vector(N_ENDINGS, "distance from each mode end or crossing at the present state")
    end_middle = vector(N_ENDINGS, "distance from each mode end or crossing in the middle of the step")
    end_last = vector(N_ENDINGS, "distance from each mode end or crossing at the end of the step")
    ending = vector(N_ENDINGS, "1: mode end or event that ends the step; before, its time in the step")
    ending_before = vector(N_ENDINGS, "`ending` of the step before its repetition")
    new_values = vector(N_NEW, "values that samples and resets would assign now")
    coincidence_values = vector(
        N_EVENTS, "indicators at the state at which coincident events are searched", when=has_modes, region="tie_values"
    )
    coincidence_residuals = vector(
        N_MODES, "residuals of contacts at that state", when=has_events, region="tie_residuals"
    )
    coincidence_ratios = matrix(
        N_MODES, N_EVENTS, "changes of indicators over changes of residuals", region="tie_ratios"
    )
    event_search = struct(
        EventSearch, "the search for events of a run", when=has_events, region="watch", role=Role.REMEMBERED
    )
    event_values = matrix(3, N_EVENTS, "indicators at the start, in the middle, at the end of the step", region="watch")
    crossings = matrix(N_EVENTS, 2, "times of crossings in both halves of the step; NaN: none", "s", region="watch")
    met = vector(N_EVENTS, "number of crossings at the beginning of the step", region="watch")
    failed_trial = struct(FailedTrial, "a fixed step that has failed as a whole and is made in parts", when=has_ends)
    jacobian = matrix(NX, NX, "derivatives of the rates by the state, a row for each rate", only=has_jacobian)
    factored = matrix(NX, NX, "LU factors of I / (gamma h) - `jacobian`", only=has_jacobian)
    swaps = vector(
        NX,
        "for each pivot, the row with which its row is exchanged",
        only=has_jacobian,
        whole=Whole(0.0, counts.last_state),
    )

    tail = repetition(
        "a second record, as long as the first up to here: tangents, or other modal masses", only=has_second_record
    )
    mode_log = structs(MOST_LOGGED, LogEntry, "changes of modes in the last call", only=has_loops, when=has_modes)

    # -- other names of the same numbers ---------------------------------------------------------------------
    x = within("q", NX, "the state: q, p, z, drive_impulses")
    x_dot = within("q_dot", NX, "the derivatives of the state: q_dot, p_dot, z_dot, drive_rests")
    eliminated_blocks = block_within("eliminated_inertia", Articulated, "the numbers of `eliminated_inertia`")
    counters = within(
        "largest_residual_of_run",
        LoopNumbers.size - LoopNumbers.largest_residual_of_run,
        "the numbers from `largest_residual_of_run` on, which a start resets",
    )

    if TYPE_CHECKING:

        @property
        def second(self) -> Record:
            """The second record, behind the first."""
            ...

        def at(self, address: int) -> Vector:
            """Return the numbers of the record from an address on, for tables of addresses."""
            ...

        def like(self, view: Vector) -> Vector:
            """Return the same part of this record as `view` is of another."""
            ...

        def elastic_block(self, at: int) -> ElasticBlock:
            """Return the block of an elastic body at an index of `elastic`."""
            ...

        def node_block(self, at: int) -> NodeBlock:
            """Return the block of a node at an index of `elastic`."""
            ...

        def __getitem__(self, address: int) -> float: ...
        def __setitem__(self, address: int, value: float) -> None: ...


# -- other arrays --------------------------------------------------------------------------------------------


class Inputs:
    """U: the tables of inputs over time, and the times of results."""

    is_array = True

    tables = structs(N_INPUTS, InputTable, "the table of each input")
    start = number("time of the first result", "s")
    interval = number("interval of the results", "s")
    rows = number("number of results; 0 in calls of importers")
    stop = number("time of the last result", "s")

    if TYPE_CHECKING:

        def __getitem__(self, index: int) -> float: ...


#: Numbers of U in front of the inputs' tables: start, interval, rows and stop of the results.
CLOCK_SIZE = sum(d.shape == () for d in members(Inputs).values())


class Description:
    """G of integrate/functions/values.py: what the numbers of X are."""

    is_array = True

    count = number("length of X")
    states = number("number of states")
    prepares = number("1: constants follow from the parameters in X")
    of_velocities = number("1: the states contain joint velocities, 0: momenta")
    places = vector(0, "addresses of the numbers in X, the states after the time")


class ClosedDescription:
    """G of integrate/functions/closed.py: what the numbers of X are."""

    is_array = True

    count = number("length of X")
    length = number("length of the record")
    positions = number("number of positions among the states")
    velocities = number("number of joint velocities among the states, behind the positions")
    states = number("number of states")
    prepares = number("1: constants follow from the parameters in X")
    places = vector(0, "addresses of the numbers in X; then the joint velocities that belong to the positions")

    if TYPE_CHECKING:

        def __getitem__(self, index: int) -> float: ...


DIMENSIONS = {name: value for name, value in globals().items() if isinstance(value, Dimension)}
TABLES = {name: value for name, value in globals().items() if isinstance(value, DeclaredTable)}
#: Classes of blocks, by their names.
BLOCKS: dict[str, type[Struct]] = {
    name: value for name, value in globals().items() if isinstance(value, type) and Struct in value.__bases__
}
