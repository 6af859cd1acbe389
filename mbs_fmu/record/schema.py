"""The record and the other arrays of kernels: every number, in its order, with shape, unit, meaning and range.

A record `R` is one array of doubles with everything that a model needs at run time: time, state, rates, inputs,
parameters, constants, outputs and the workspace of the passes. To save a state, it is copied.

Only this package knows what a number of the record is. Layout (regions.py), ranges of whole numbers (ranges.py), the
page docs/record.md and constants of modules are computed from these declarations. Kernels use the names: `R.time`,
`R.q[k]`, `R.reduced_rows[k, h]`, `R.watched[w].side`, `ROOTED[z].rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import counts
from .arrays import *
from .blocks import *
from .codes import MODE_NUMBERS
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
    drive_impulses = vector(N_DRIVES, "integrals of `drive_rests` since the last re-basing", index="d")
    q_dot = vector(NQ, "rates of the coordinates", index="q")
    p_dot = vector(NV, "rates of the momenta", index="j")
    z_dot = vector(N_SIGNALS, "rates of the signal states; Newton steps of contact parameters")
    drive_rests = vector(N_DRIVES, "(Ȧᵀ - AᵀΩ) μ + AᵀF^ along these velocities, the bracket of (J3)", index="d")
    driven_u = vector(N_DRIVEN, "prescribed joint velocities", index="d")
    drive_momenta = vector(N_DRIVES, "Aᵀμ along prescribed velocities whose forces are requested (J3)", index="d")
    drive_starts = vector(N_DRIVES, "`drive_momenta` at the start of the mean")
    drive_means = vector(N_DRIVES, "mean forces of drives")
    u = vector(NV, "joint velocities", index="j")
    tau = vector(NV, "generalized forces along joint velocities", index="j")
    inputs = vector(N_INPUTS, "inputs")
    outputs = vector(N_OUTPUTS, "outputs")
    indicators = vector(N_EVENTS, "event indicators: expressions whose zeros are the events")
    parameters = vector(N_PARAMETERS, "parameters", role=Role.CONSTANT)
    gravity = vector(3, "gravity", "m/s²", role=Role.CONSTANT)
    gimbal_locks = structs(
        N_LOCKS,
        Lock,
        "positions of gimbal lock, and the side of it on which each joint was last",
        region="locks",
    )
    modes = vector(N_MODES, "constraint modes: 0 engaged, else released")
    sampled = vector(N_SAMPLED, "sampled signals")
    calculated = vector(
        N_CALCULATED, "1: the next start computes the value from parameters; 0: keeps it", role=Role.CONSTANT
    )
    ticks = vector(N_CLOCKS, "number of each clock's next sample")
    instants = struct(Instants, "the present instant and the last part of a step", when=has_crossings)
    output_interval = struct(OutputInterval, "the present interval between results", when=has_crossings)
    watched = structs(
        N_WATCHED, Watched, "functions whose zeros are crossings: distances of modes from their ends, then events"
    )
    due = vector(N_WATCHED, "not 0: the function's crossing is part of this instant; `OVERRUN`: it was passed")

    loop_state = struct(LoopNumbers, "settings and results of closed loops", only=has_loops)
    residuals = vector(N_ROWS, "g: constraint residuals (L1)", UNITS, only=has_loops)
    residual_rates = vector(N_ROWS, "γ: rates of the residuals at zero velocities (L1)", only=has_loops)
    reference_pivots = vector(
        N_ROWS,
        "reference pivot of each row: its pivot with its end bodies alone",
        only=has_loops,
        region="scales",
    )
    multipliers = vector(N_ROWS, "Λ: impulses of rows since the last re-basing (L2)", only=has_loops)
    means = vector(N_ROWS, "mean multipliers over the last step", only=has_loops)
    pivots = vector(
        N_ROWS, "for each loop, the indices of its rows in the order of elimination", only=has_loops, whole=ROWS_OF_LOOP
    )
    ranks = vector(N_LOOPS, "number of active rows of each loop at present", only=has_loops, whole=OWN_ROWS)
    selected_ranks = vector(
        N_LOOPS,
        "number of rows of each loop selected for this step: the first of its `pivots`",
        only=has_loops,
        whole=OWN_ROWS,
        region="chosen",
    )
    free = vector(NV, "1: the assembly may change the start value of the coordinate", only=has_loops)
    free_rates = vector(NV, "whether the assembly may change a start velocity: a value of `StartRate`", only=has_loops)
    momentum = vector(
        NV, "π of (L2) for given velocities and impulses; with Λ = 0, the re-based momenta", only=has_loops, index="j"
    )
    residual_offsets = vector(
        N_ROWS,
        "residuals at engagement, which are subtracted from then on",
        only=has_loops,
        when=has_modes,
        region="zeros",
    )
    impact_impulses = vector(N_ROWS, "impulses of the last impact", only=has_loops, when=has_modes)
    lacks_capacity = vector(
        N_MODES, "1: the capacity of the friction was zero when modes were last checked", only=has_loops, region="idle"
    )
    rotated_axes = matrix(
        N_ROTATED_AXES,
        9,
        "change of the axes of frames that engagements rotate, column by column",
        only=has_loops,
        region="turned",
    )
    row_forces = vector(N_ROWS, "λ at the present state", only=has_loops)
    last_row_forces = vector(N_ROWS, "λ at the end of an importer's last step", only=has_loops)
    balance = matrix(
        N_LINKS, 12, "μ and F^ of the branch of each link (P2), (P5)", only=has_balances, index="m", role=Role.EVALUATED
    )

    exchange_rates = vector(N_EXCHANGED, "the derivatives of the state for an importer's solver (L9)")
    bodies = structs(N_LINKS, LinkConstants, "constants of every link", role=Role.CONSTANT)
    energy = vector(1, "energy", "J")
    totals = struct(Totals, "momentum and mass of all links", only=has_totals)
    pose = matrix(
        N_LINKS, 12, "rotation to the world, row by row, and origin", only=has_poses, index="b", role=Role.EVALUATED
    )
    twist = matrix(N_LINKS, 6, "velocity and angular velocity, link axes", index="t", role=Role.EVALUATED)
    wrench = matrix(
        N_LINKS,
        6,
        "F: force and torque of laws, link axes; with loops less (K̇ᵀ + Ω Kᵀ) Λ (L3)",
        only=has_wrenches,
        index="t",
        role=Role.EVALUATED,
    )
    impulse = matrix(
        N_LINKS, 6, "-KᵀΛ: impulses of rows at links, link axes", only=has_loops, index="t", role=Role.EVALUATED
    )
    row_y = vector(N_Y, "Y of open rows, six numbers each", only=has_loops, index="y", role=Role.EVALUATED)
    row_z = vector(
        N_Z,
        "Z of open rows (T5): a number for each open group of coupled joints",
        only=has_loops,
        index="z",
        role=Role.EVALUATED,
    )
    row_w = vector(N_PROJECTIONS, "W of open rows", only=has_loops, index="o", role=Role.EVALUATED)
    shapes = vector(
        N_SHAPES,
        "J1, J2, C1, Me, K, D and nodes of elastic bodies (F1), (F4); equal bodies have one copy",
        only=has_elastic_bodies,
        whole=UNCHANGED,
        role=Role.CONSTANT,
    )
    driven_rotors = vector(N_DRIVEN_ROTORS, "J of rotors on joints with prescribed motion (R1)", index="d")
    rotors = vector(N_ROTORS, "J of rotors (R1)", index="j")
    switches = vector(N_SWITCHES, "times at which conditions on time switch", "s", role=Role.CONSTANT)
    beats = structs(N_BEATS, Beat, "periodic times at which laws over time bend or jump", role=Role.CONSTANT)
    clocks = structs(N_CLOCKS, Clock, "clocks of sampled signals", role=Role.CONSTANT)
    values = vector(N_VALUES, "numbers and tables of laws", role=Role.CONSTANT)
    part_numbers = vector(
        N_PART_NUMBERS, "numbers in which parts of forces of one kind differ, part by part", role=Role.CONSTANT
    )
    near_cell = vector(
        1, "edge of the cells by which near pairs are found", "m", only=has_near_pairs, role=Role.CONSTANT
    )
    near_shapes = structs(
        N_NEAR, NearShape, "balls around shapes that have a list of near pairs", only=has_near_pairs, role=Role.CONSTANT
    )
    near_numbers = vector(
        N_NEAR_NUMBERS, "numbers of shapes in formulas of near pairs", only=has_near_pairs, role=Role.CONSTANT
    )
    driven_offsets = vector(
        N_DRIVEN_ANGLES, "constants added to prescribed angles", "rad", index="g", role=Role.CONSTANT
    )
    offsets = vector(N_ANGLES, "constants added to angles", "rad", index="q", role=Role.CONSTANT)

    scratch = mark("the regions behind it are workspace")
    centers = vector(N_CENTERS, "centres of balls around shapes of contacts, world axes", "m")
    bounds = vector(N_BOUNDS, "positive if the points of a contact may touch")
    near_list = struct(NearList, "the list of near pairs, which changes no result", only=has_near_pairs)
    near_pairs = matrix(
        N_NEAR_PAIRS, 2, "near pairs of shapes, in order", only=has_near_pairs, whole=Whole(0.0, counts.last_near_shape)
    )
    near_centers = matrix(N_NEAR, 3, "centres of the balls, world axes", "m", only=has_near_pairs)
    near_places = matrix(N_NEAR, 3, "`near_centers` when the list was made", "m", only=has_near_pairs)
    near_cells = matrix(N_NEAR, 3, "cells of the balls", only=has_near_pairs, whole=Whole(0.0, counts.MOST))
    near_first = vector(
        N_NEAR_BUCKETS,
        "1 + last shape of each chain; 0: none",
        only=has_near_pairs,
        whole=Whole(0.0, counts.near_shapes),
    )
    near_next = vector(
        N_NEAR,
        "1 + next shape of the chain, which has a smaller index; 0: none",
        only=has_near_pairs,
        whole=Whole(0.0, counts.near_shapes),
    )
    near_found = vector(
        N_NEAR, "shapes near the present one, in order", only=has_near_pairs, whole=Whole(0.0, counts.last_near_shape)
    )
    measures = vector(N_MEASURES, "measures of contact points, for outputs and events with many of them")
    errors = vector(
        NV, "errors of the momenta, which `error_velocities` replaces by errors of the joint velocities", index="j"
    )
    joint_impulses = vector(NV, "D BᵀΛ (L7)", only=has_loops, index="j", region="push")
    free_mask = vector(
        NV,
        "1: the joint velocity may change in an elimination without inertia (assembly, start)",
        only=has_loops,
        index="j",
        region="mask",
    )
    row_bias = vector(
        N_ROWS,
        "b = γ + α g, reduced by the eliminated rows (L7)",
        only=has_loops,
        index="row",
        region="right",
    )
    term_sizes = vector(
        N_ROWS, "sums of the magnitudes of the terms of each row of (L1)", only=has_loops, index="row", region="terms"
    )
    row_b = vector(N_PROJECTIONS, "B of open rows (L7)", only=has_loops, index="o")
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
    reduced_bias = vector(N_ROWS, "x = L⁻¹ b (L7)", only=has_loops, region="solved")
    reduced_rows = matrix(N_ROWS, 6, "V = L⁻¹ Y (L7)", only=has_loops, region="row_v")
    delassus = vector(N_DELASSUS, "S, block by block (L7)", only=has_loops, region="blocks")
    delassus_factors = vector(
        N_FACTORS, "L of each loop (L7), rows and columns in the order of the pivots", only=has_loops, region="factors"
    )
    row_factors = vector(
        N_FACTORS,
        "L of all rows of each loop, if rows were selected last; rows in the order of the loop",
        only=has_loops,
    )
    remaining_pivots = vector(N_COLUMN, "workspace: pivots that the rows of a loop would have next", only=has_loops)
    substituted = vector(N_COLUMN, "workspace: a column of L⁻¹", only=has_loops, region="column")
    frontal = vector(N_FRONT, "frontal matrices: quadratic forms in ν of (L16)", only=has_loops, flat="front")
    elimination_factors = vector(
        N_FRONT, "g of the rows of frontal matrices, in the order of their elimination (L16)", only=has_loops
    )
    elimination_order = vector(
        N_ROWS, "rows of each loop in the order of their elimination (L16)", only=has_loops, when=shares_loads
    )
    frontal_row = vector(N_FRONT_ROW, "workspace: a row of a frontal matrix", only=has_loops)
    multiplier_additions = vector(
        N_ROWS,
        "ν: additions to multipliers, by which redundant rows share loads (L16)",
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
    row_rates = vector(N_ROWS, "r = K v + W u + γ: rates of the residuals", only=has_loops, when=has_modes)
    rates_before = vector(N_ROWS, "`row_rates` before the impact", only=has_loops, when=has_modes)
    rebounds = vector(N_ROWS, "e r: restitution times the rates before the impact", only=has_loops, when=has_modes)
    multiplier_rates = vector(N_ROWS, "λ: multipliers of rows, time derivatives of Λ", only=has_loops, when=has_modes)
    multiplier_rates_before = vector(
        N_ROWS, "`multiplier_rates` before the change of modes", only=has_loops, when=has_modes
    )
    row_accelerations = vector(N_ROWS, "rates of `row_rates`", only=has_loops, when=has_modes)
    impulses_before = vector(
        N_ROWS, "`impact_impulses` before the present change of modes", only=has_loops, when=has_modes
    )
    rate_thresholds = vector(
        N_ROWS, "rates of the residuals below which they count as zero", only=has_loops, when=has_modes, region="slow"
    )
    engaged_links = vector(
        N_ENGAGED_LINKS,
        "1: an engaged closure with modes has rows at the link; the last two numbers: at the world, anywhere",
        only=has_loops,
        region="held",
    )
    mode_numbers = matrix(
        N_MODES,
        MODE_NUMBERS,
        "numbers of closures with modes, by `ModeRole`: values of conditions, restitution, capacities",
        only=has_loops,
    )
    aligned_axes = matrix(
        N_ROTATED_AXES,
        9,
        "value of `rotated_axes` after an engagement at the present position",
        only=has_loops,
        region="aligned",
    )
    mode_old = vector(N_MODES, "`modes` before the present change", only=has_loops)
    candidate = vector(
        N_MODES,
        "1: the closure takes part in the choice of modes; `GIVEN_UP`: it did, and keeps its mode now",
        only=has_loops,
        region="trial",
    )
    strikes = vector(N_MODES, "1: the contact strikes in the present impact", only=has_loops)
    modes_before_islands = vector(N_MODES, "`modes` before the search for islands", only=has_loops)
    islands = vector(
        N_LOOPS,
        "number of the island of each loop in an impact",
        only=has_loops,
        when=has_modes,
        whole=Whole(0.0, counts.last_loop),
    )
    island_restitutions = vector(N_LOOPS, "restitution of each island", only=has_loops, when=has_modes)
    energy_losses = vector(N_MODES, "energy dissipated by the impact (L14)", "J", only=has_loops, region="losses")
    elastic = vector(
        N_ELASTIC_NUMBERS, "a block for each elastic body and its nodes", only=has_elastic_bodies, index="x"
    )
    mode_couplings = vector(N_COUPLINGS, "B of each elastic body (W1)", only=has_elastic_bodies)
    static_slopes = matrix(
        N_STATIC,
        N_STATIC,
        "minus the derivatives of the generalized forces of modes by modal coordinates; then eliminated",
        only=has_elastic_bodies,
        region="settling",
    )
    static_forces = matrix(
        2,
        N_STATIC,
        "generalized forces of modes, then Newton's step; in the second row, the forces with one mode displaced",
        only=has_elastic_bodies,
        region="settling",
    )

    step_start = vector(NX, "state at the beginning of the step", region="x0")
    rollback = vector(NX, "state to which a failed call returns")
    stages = matrix(N_STAGES, NX, "rates of the stages")
    work = matrix(2, NX, "errors; or state and rates at the end of the step")
    u_old = vector(NV, "joint velocities at the beginning of the step")
    u_new = vector(NV, "joint velocities at the end of the step")
    start_rates = vector(NV, "joint velocities during the solution of (L20)", only=has_loops)
    start_missing = vector(
        NV,
        "remaining errors of `start_rates`: r of held velocities, or M (û - u) along free motions (L20)",
        only=has_loops,
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
    now = vector(N_WATCHED, "the watched functions at the present state")
    looked = structs(N_WATCHED, Looked, "what the search of the present part has found")
    new_values = vector(N_NEW, "values that samples and resets would assign now")
    surface_values = vector(N_EVENTS, "indicators at the state at which surfaces are searched", when=has_modes)
    surface_residuals = vector(N_MODES, "residuals of contacts at that state", when=has_events)
    surface_ratios = matrix(N_MODES, N_EVENTS, "changes of indicators divided by changes of residuals")
    failed_trial = struct(
        FailedTrial, "a fixed step that has failed as a whole and is made in parts", when=has_crossings
    )

    tail = repetition(
        N_SECOND,
        "a second record, as long as the first up to here: tangents, or other modal masses; with a Jacobian, tangents "
        "along several directions",
        only=has_second_record,
    )
    jacobian = matrix(
        NX, NX, "derivatives of the rates by the state, a row for each component of the state", only=has_jacobian
    )
    factored = matrix(NX, NX, "factors of I/(γ h) - `jacobian`, as its transpose", only=has_jacobian)
    swaps = vector(
        NX,
        "for each pivot, the row with which its row is exchanged",
        only=has_jacobian,
        whole=Whole(0.0, counts.last_state),
    )
    log = structs(N_LOGGED, LogEntry, "events, changes of modes and samples, in their order, of the last call")

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

        @property
        def tangents(self) -> Record:
            """The second record with a row of `abreast()` numbers for each number of the first, in methods with a
            Jacobian."""
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


DIMENSIONS = {name: value for name, value in globals().items() if isinstance(value, Dimension)}
TABLES = {name: value for name, value in globals().items() if isinstance(value, DeclaredTable)}
#: Classes of blocks, by their names.
BLOCKS: dict[str, type[Struct]] = {
    name: value for name, value in globals().items() if isinstance(value, type) and Struct in value.__bases__
}
