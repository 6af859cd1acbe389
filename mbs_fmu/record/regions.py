"""The layout of a record: its regions, computed from the sizes of a model."""

from __future__ import annotations

from collections.abc import Mapping

from ..infrastructure.lazy_dataclasses import dataclass
from .layout import (
    LANES,
    MODE_NUMBERS,
    MOST_LOGGED,
    FailedTrial,
    Head,
    History,
    Layout,
    LinkConstants,
    LoopState,
    Region,
    Reset,
    SampleState,
    Tie,
    Totals,
    Watch,
)


@dataclass(frozen=True)
class Sizes:
    """Sizes of a model that determine its record's layout."""

    links: int
    coordinates: int
    rates: int
    signals: int  #: signal states
    inputs: int
    parameters: int
    outputs: int
    values: int  #: numbers and tables of laws
    packed: int  #: constants of a link, for the class with the most of them
    saved: int  #: numbers that a link stores between the inboard and the outboard pass
    branch_slots: int  #: links with more than one child
    carried: int  #: numbers that the passes transfer from link to link
    stages: int  #: number of state vectors that a step stores
    history: int  #: number of state vectors kept from step to step; 0: one-step methods only
    jacobian: bool  #: a Jacobian is needed, by a linearly implicit method
    second_record: bool  #: a method solves equations with other modal masses, in a copy of the record
    events: int
    turns: bool  #: some motions need sine and cosine of a coordinate
    poses: bool  #: poses of links are stored
    wrenches: bool  #: laws apply wrenches to links
    locks: int = 0  #: joints with three angles that can be in gimbal lock
    driven_coordinates: int = 0  #: coordinates with prescribed motion
    driven_rates: int = 0  #: joint velocities with prescribed motion
    rotors: bool = False  #: some joint velocities have rotors
    drives_measured: bool = False  #: forces of drives are requested
    totals: bool = False  #: sums over all links are requested
    calculated: int = 0  #: start values that follow from parameters
    switches: int = 0  #: times at which conditions on time switch
    sampled: int = 0  #: numbers of sampled signals
    clocks: int = 0  #: clocks of sampled signals
    resets: int = 0  #: events with resets
    stops: int = 0  #: events that end a run
    new_values: int = 0  #: numbers that samples and resets assign
    shapes: int = 0  #: data of elastic bodies
    elastic: int = 0  #: workspace of elastic bodies
    mode_couplings: int = 0  #: total size of the matrices B of elastic bodies
    static_starts: int = 0  #: vibration modes that start in static equilibrium
    loops: LoopSizes | None = None  #: None: a tree without closures, reactions or accelerations

    @property
    def endings(self) -> int:
        """Number of conditions that may end a step early: constraint modes, and events with resets."""
        return self.modes + self.resets

    @property
    def modes(self) -> int:
        """Number of closures with constraint modes."""
        return 0 if self.loops is None else self.loops.modes

    @property
    def measured(self) -> int:
        """Number of driven rates whose forces are requested."""
        return self.driven_rates * self.drives_measured

    @property
    def states(self) -> int:
        return self.coordinates + self.rates + self.signals + self.measured

    @property
    def driven_angles(self) -> int:
        """Number of driven coordinates with sine and cosine: either all or none have them."""
        return self.driven_coordinates if self.turns else 0

    @property
    def angles(self) -> int:
        """Number of other coordinates with sine and cosine, including the padding of the last lanes."""
        whole = -(-(self.driven_coordinates + self.coordinates) // LANES) * LANES
        return whole - self.driven_coordinates if self.turns else 0


@dataclass(frozen=True)
class LoopSizes:
    """Sizes for closed loops, reactions and accelerations (see compile/closures/closures.py)."""

    rows: int = 0
    closures: int = 0
    entries: int = 0  #: number of entries of rows at links
    channels: int = 0  #: number of channels of coupled joints
    projections: int = 0  #: sum over the entries of the number of joint velocities there
    blocks: int = 0  #: total size of the stored blocks of S
    factors: int = 0
    column: int = 0  #: largest number of rows of a loop
    modes: int = 0  #: closures with constraint modes
    turned: int = 0  #: closures that may engage while their directions differ
    frontal: int = 0  #: total size of the frontal matrices, if redundant rows share loads; else 0
    elimination_factors: int = 0  #: size of a row of the largest frontal matrix
    tail: bool = False  #: reactions or accelerations are requested: a record of tangents follows the first record


class _Places:
    """Regions, each of which begins where the one before it ends."""

    def __init__(self) -> None:
        self.regions: dict[str, Region] = {}
        self.size = 0

    def add(self, size: int, *names: str, stride: int = 0) -> None:
        """Append regions of equal size."""
        for name in names:
            self.regions[name] = Region(name, self.size, size, stride)
            self.size += size


def regions(sizes: Sizes) -> dict[str, Region]:
    """Return the layout of a record. A saved state can omit everything from `scratch` on."""
    places = _Places()
    _states(places, sizes)
    _signals(places, sizes)
    if sizes.loops is not None:
        _loop_state(places, sizes, sizes.loops)
    _links(places, sizes)
    places.add(0, "scratch")
    _passes(places, sizes)
    _methods(places, sizes)
    if sizes.jacobian or sizes.second_record or (sizes.loops is not None and (sizes.loops.tail or sizes.loops.modes)):
        places.add(places.size, "tail")
    if sizes.loops is not None:  # last: the tail has none, and C for firmware cuts it off
        places.add(5 * MOST_LOGGED if sizes.loops.modes else 0, "mode_log")  # time, closure, old and new mode, energy
    places.add(0, "end")
    return places.regions


def _states(places: _Places, sizes: Sizes) -> None:
    """Add time and counters, the state and its derivatives, prescribed motions, joint velocities and forces."""
    places.add(Head.size, "head")
    places.add(sizes.driven_coordinates, "driven_q")
    for q, p, z, w in (("q", "p", "z", "drive_impulses"), ("q_dot", "p_dot", "z_dot", "drive_rests")):
        places.add(sizes.coordinates, q)
        places.add(sizes.rates, p)
        places.add(sizes.signals, z)
        places.add(sizes.measured, w)
    places.add(sizes.driven_rates, "driven_u")
    places.add(sizes.measured, "drive_momenta", "drive_starts", "drive_means")
    places.add(sizes.rates, "u", "tau")


def _signals(places: _Places, sizes: Sizes) -> None:
    places.add(sizes.inputs, "inputs")
    places.add(sizes.outputs, "outputs")
    places.add(sizes.events, "indicators")
    places.add(sizes.parameters, "parameters")
    places.add(3, "gravity")
    places.add(2 * sizes.locks, "locks")
    places.add(sizes.modes, "modes", "released", "reach")  # reach: largest distance from its mode end while released
    places.add(sizes.sampled, "sampled")
    places.add(sizes.calculated, "calculated")  # 1: the next start computes it from parameters; 0: keeps it
    places.add(sizes.clocks, "ticks")
    places.add(Reset.size * sizes.resets, "resets")
    places.add(Tie.size * sizes.events if sizes.modes else 0, "ties")
    places.add(SampleState.size if sizes.new_values else 0, "sample_state")
    places.add(sizes.endings, "end_values", "due")  # distance from each mode end; 1: that end is due


def _loop_state(places: _Places, sizes: Sizes, loops: LoopSizes) -> None:
    """Add the state of closed loops in addition to coordinates and momenta."""
    places.add(LoopState.size, "loop_state")
    places.add(loops.rows, "residuals", "residual_rates", "scales", "multipliers", "means", "pivots")
    places.add(loops.closures, "ranks", "chosen")  # number of rows selected now; number selected for this step
    places.add(sizes.rates, "free", "free_rates")
    places.add(sizes.rates, "momentum")  # p of velocities and impulses (L2); without impulses, the new p
    places.add(
        loops.rows if loops.modes else 0, "zeros", "impact_impulses"
    )  # residuals that count as zero; last impacts
    places.add(loops.modes, "idle")  # 1: the friction had no capacity when modes were last checked
    places.add(9 * loops.turned, "turned")  # change of the axes of rotated places, by columns
    places.add(loops.rows, "row_forces", "last_row_forces")  # lambda now, and at the end of an importer's last step
    if loops.tail:
        places.add(12 * sizes.links, "balance", stride=12)


def _links(places: _Places, sizes: Sizes) -> None:
    """Add constants of links and laws, and results of the passes that laws and outputs use."""
    n, loops = sizes.links, sizes.loops
    places.add(sizes.states if loops is not None and loops.rows else 0, "exchange_rates")
    places.add(n * LinkConstants.size, "bodies", stride=LinkConstants.size)
    places.add(1, "energy")
    if sizes.totals:
        places.add(Totals.size, "totals")
    if sizes.poses:
        places.add(12 * n, "pose", stride=12)
    places.add(6 * n, "twist", stride=6)
    if sizes.wrenches:
        places.add(6 * n, "wrench", stride=6)
    if loops is not None:
        places.add(6 * n, "impulse", stride=6)
        places.add(6 * loops.entries, "row_y")
        places.add(loops.channels * loops.entries, "row_z")
        places.add(loops.projections, "row_w")
    if sizes.elastic:
        places.add(sizes.shapes, "shapes")
    places.add(sizes.driven_rates if sizes.rotors else 0, "driven_rotors")
    places.add(sizes.rates if sizes.rotors else 0, "rotors")
    places.add(sizes.switches, "switches")
    places.add(2 * sizes.clocks, "clocks")
    places.add(sizes.values, "values")
    places.add(sizes.driven_angles, "driven_offsets")
    places.add(sizes.angles, "offsets")


def _passes(places: _Places, sizes: Sizes) -> None:
    """Add workspace of the passes over links and rows."""
    n, loops = sizes.links, sizes.loops
    places.add(sizes.rates, "errors")
    if loops is not None:
        places.add(sizes.rates, "push", "mask")
        places.add(loops.rows, "right", "terms")
        places.add(loops.projections, "row_b", "row_d")
    for name in ("sines", "cosines"):
        places.add(sizes.driven_angles, f"driven_{name}")
        places.add(sizes.angles, name)
    places.add(sizes.packed * n, "constants", stride=sizes.packed)
    places.add(sizes.saved * n, "saved", stride=sizes.saved)
    places.add(sizes.branch_slots * sizes.carried, "branch")
    if loops is not None:
        places.add(loops.rows, "solved")
        places.add(6 * loops.rows, "row_v")
        places.add(loops.blocks, "blocks")
        places.add(loops.factors, "factors")
        places.add(loops.column, "column")
        places.add(loops.frontal, "frontal")
        places.add(loops.elimination_factors, "elimination_factors")
        places.add(loops.rows if loops.frontal else 0, "shares")
        places.add(sizes.carried, "added")
        places.add(loops.rows + loops.closures, "kept_choice")
        _modes(places, loops, n)
    if sizes.elastic:
        places.add(sizes.elastic, "elastic")
        places.add(sizes.mode_couplings if sizes.second_record else 0, "mode_couplings")
        places.add(sizes.static_starts * (sizes.static_starts + 2), "settling")


def _modes(places: _Places, loops: LoopSizes, links: int) -> None:
    """Add workspace for the choice of constraint modes."""
    rows = loops.rows if loops.modes else 0
    places.add(
        rows,
        "row_rates",
        "rates_before",
        "rebounds",
        "multiplier_rates",
        "multiplier_rates_before",
        "row_accelerations",
        "impulses_before",
        "slow",
    )
    places.add(links + 2 if loops.modes else 0, "held")
    places.add(MODE_NUMBERS * loops.modes, "mode_numbers")
    places.add(9 * loops.turned, "aligned")  # value of `turned` after an engagement at the present position
    places.add(loops.modes, "mode_old", "trial", "losses")


def _methods(places: _Places, sizes: Sizes) -> None:
    """Add workspace of the integration methods."""
    nx = sizes.states
    places.add(nx, "x0", "rollback")
    places.add(sizes.stages * nx, "stages")
    places.add(2 * nx, "work")
    places.add(sizes.rates, "u_old", "u_new")
    if sizes.loops is not None:
        places.add(sizes.rates, "start_rates", "start_missing", "start_way")
    known = History.size + nx + sizes.inputs + sizes.parameters
    places.add(known + sizes.history * nx if sizes.history else 0, "history")
    places.add(sizes.endings, "end_now", "end_middle", "end_last", "ending", "ending_before")
    places.add(sizes.new_values, "new_values")
    places.add(sizes.events if sizes.modes else 0, "tie_values")
    places.add(sizes.modes if sizes.events else 0, "tie_residuals")
    places.add(sizes.events * sizes.modes, "tie_ratios")
    places.add(Watch.size + 6 * sizes.events if sizes.events else 0, "watch")
    places.add(FailedTrial.size if sizes.endings or sizes.stops else 0, "failed_trial")
    if sizes.jacobian:
        places.add(nx * nx, "jacobian", "factored")
        places.add(nx, "swaps")


#: Regions before the workspace that no step changes: parameters, and constants computed from them.
CONSTANT = (
    "parameters", "gravity", "calculated", "bodies", "shapes", "switches", "clocks", "values", "driven_offsets",
    "offsets",
)  # fmt: skip
REMEMBERED = ("history", "watch")  #: regions of the workspace that steps take over from earlier steps


def changing(regions: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts of a record that steps change and later steps read: start and size of each, in their order.

    `regions` contains start and size of each region. With these parts restored, a failed step has had no effect.
    """
    scratch, parts = regions["scratch"][0], [(0, 0)]
    for name, (start, size) in sorted(regions.items(), key=lambda region: region[1]):
        if not size or (name in CONSTANT if start < scratch else name not in REMEMBERED):
            continue
        first, length = parts[-1]
        if first + length == start:
            parts[-1] = (first, length + size)
        else:
            parts.append((start, size))
    return parts


def state_region(layout: Layout) -> Region:
    """Return q, p, signal states and impulses of drives as one region: the state that methods integrate."""
    start = layout["q"].start
    return Region("x", start, layout["drive_impulses"].stop - start)


def rate_region(layout: Layout) -> Region:
    """Return the derivatives of `state_region`, in the same order."""
    start = layout["q_dot"].start
    return Region("f", start, layout["drive_rests"].stop - start)


def exchange_region(layout: Layout) -> Region:
    """Return the derivatives for an importer's solver, in the order of `state_region`.

    With closed loops they have a region of their own, because the solver integrates momenta without impulses Lambda
    (docs/equations_loops.md, L9).
    """
    own = layout["exchange_rates"]
    return own if own.size else rate_region(layout)
