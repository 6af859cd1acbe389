"""Blocks of named numbers, of which regions of the record consist.

On the class, a number is its index in the block: `HeadNumbers.time` is 0, `Clock.first` is 1. `Clock.size` is 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import counts
from .codes import LAST_STATUS, Fresh, LogKind, RowSelection, Status
from .fields import Struct, Unchanged, Whole, also, number, numbers, symmetric, table_of

COUNT = Whole(0.0, counts.MOST)
FLAG = Whole(0.0, 1.0)
UNCHANGED = Unchanged()


class HeadNumbers(Struct):
    """The first numbers of every record."""

    time = number("time", "s")
    step = number("step size that an adaptive method proposes for its next step; 0 before the first", "s")
    fresh = number(
        "which results in the record are up to date: a value of `Fresh`", whole=Whole(Fresh.stale, Fresh.rows_chosen)
    )
    steps = number("accepted steps", whole=COUNT)
    rejected = number("rejected steps", whole=COUNT)
    evaluations = number("evaluations of the rates", whole=COUNT)
    fault = number(
        "index of the state component, quaternion, check, loop or crossing that caused a failure; -1: none",
        whole=Whole(-1.0, counts.last_fault),
    )
    failed_step = number("size of the step that failed", "s")
    done = number("result rows written when a run failed", whole=COUNT)
    fault_time = number("time of the failure", "s")
    absolute = number("ratio of absolute to relative tolerance of error control")
    jacobians = number("Jacobians evaluated by linearly implicit methods", whole=COUNT)
    still = number("1 while the rates of prescribed motions are set to zero", whole=FLAG)
    last_error = number("scaled error of the last step with error control")
    most_step = number("maximum step size; 0: unbounded", "s")
    at_steps = number("1: crossings are not located; they take effect at the ends of steps", whole=UNCHANGED)
    ahead = number("time by which the state is ahead of the importer's clock, due to rounding", "s")
    side = number(
        "offset of the time at which functions that jump are read: > 0 right, < 0 left limits",
        "s",
    )


class LoopNumbers(Struct):
    """Settings and results of closed loops: stabilization, choice of rows, assembly, mode changes."""

    alpha = number("α: present decay rate of residuals", "1/s")
    drift = number("factor of γ in b: 1, or 0 to hold time in the constraints")
    row_selection = number(
        "how rows are chosen: a value of `RowSelection`", whole=Whole(RowSelection.frozen, RowSelection.none)
    )
    tolerance = number("least ratio of the pivot of an active row to its reference pivot")
    most_alpha = number("bound of α", "1/s")
    alpha_step = number("bound of α times the step size")
    projection_residual = number("residual above which a state is projected; negative: never", "m, rad")
    transfer_each_step = number("1: impulses are transferred to the momenta at every accepted step")
    residual_bound = number("residual above which a step fails", "m, rad")
    characteristic_length = number("ℓ: size of the mechanism, with which residuals are compared", "m")
    residual = number("largest present residual", "m, rad")
    largest_residual_of_run = number("largest residual of the run", "m, rad")
    largest_impulse = number("largest impulse Λ of the run", "N s, N m s")
    rank = number("number of active rows", whole=Whole(0.0, counts.rows))
    rebasings = number("number of re-basings", whole=COUNT)
    projections = number("number of projections", whole=COUNT)
    transfer_time = number("time of the last re-basing", "s")
    iterations = number("iterations of the assembly", whole=COUNT)
    changed_starts = number(
        "held start values that had to change: 1 coordinates, 2 velocities, 3 both", whole=Whole(0.0, 3.0)
    )
    last_good = number("largest residual at the end of an assembly that failed", "m, rad")
    controlled = number("1: the steps have error control", whole=FLAG)
    selection_tolerance = number(
        "tolerance at which the rows of this step were chosen; the stages use at least this one"
    )
    means_from = number("start of the interval of the mean drive forces", "s")
    means_to = number("end of the interval of the mean drive forces", "s")
    contradicting_drive = number(
        "number, from 1, of the prescribed joint velocity that contradicts others; 0: another prescribed motion",
        whole=Whole(0.0, counts.last_prescribed),
    )
    exchange_fresh = number("1 while the rates for an importer's solver belong to the present state", whole=FLAG)
    positions = number("1 while positions are corrected: rate constraints are left out")
    position_rank = number("number of independent rows at the start, without rate constraints")
    all_rows = number("1 while rows of released closures are evaluated too")
    in_impact = number("1 while impact impulses are computed: momenta change at constant positions")
    by_rotations = number("1 while loops close by rotation vectors, not by conditions on directions", whole=FLAG)
    other_branch = number("1: held start values close the loops half a turn away from what joints allow", whole=FLAG)
    starts_tried = number("starts from which the assembly has tried to close the loops", whole=COUNT)
    open_length = number("largest residual of the loop that an assembly leaves open, without angles", "m")
    open_angle = number("largest residual of that loop among angles", "rad")
    singular_start = number("1 + the loop that starts in a singular position; 0: none", whole=COUNT)


def last_vector(program: counts.Counted) -> float:
    """Return the last index of a vector in region `history`."""
    return counts.last_vector(program, History.size)


class History(Struct):
    """Numbers that multistep methods keep from step to step.

    They are valid while state, inputs and parameters are those at the end of the last call, which `known_x`,
    `known_inputs` and `known_parameters` contain.
    """

    count = number("stored steps; 0: the method restarts", whole=COUNT)
    step = number("size of the stored steps", "s")
    time = number("end of the last step", "s")
    newest = number("index of the newest vector; vectors are written cyclically", whole=Whole(0.0, last_vector))


class Instants(Struct):
    """The present instant (t, 0), (t, 1), ..., and the last part of a step, which ended there."""

    begun = number("1 once the watched functions have been evaluated at the start", whole=FLAG)
    round = number("n of the present round at this instant; 0 in motion", whole=COUNT)
    jumps = number("1: inputs or conditions on time may have jumped at this instant", whole=FLAG)
    stopped = number("1: an event has ended the run", whole=FLAG)
    last_part = number("size of the last part of a step", "s")
    tiny = number("number of successive instants after parts of almost no length", whole=COUNT)
    crossed = number("1 + number of a function that has acted at this instant; 0: none", whole=COUNT)
    spent = number("parts of steps, repetitions and rounds in this call of an importer", whole=COUNT)
    interval = number("interval of results or of communication: a small share of it counts as one instant", "s")
    call_start = number("start of the call of an importer, who may have rounded it; -infinity in runs", "s")
    call_end = number("end of the call of an importer; -infinity in runs", "s")
    jump = number("time of the next jump of an input or condition on time", "s")
    next_sample = number("time of the next sample", "s")
    logged = number("entries in `log`", whole=COUNT)


class OutputInterval(Struct):
    """The interval between two results, which equal steps fill."""

    start = number("its beginning", "s")
    steps = number("number of steps; 0: the interval has not begun", whole=COUNT)
    done = number("number of completed steps", whole=COUNT)


class Watched(Struct):
    """A function whose zeros are crossings: a constraint mode's distance from its end, or an event's expression."""

    side = number("sign of the function; 0: it is at zero", whole=Whole(-1.0, 1.0))
    open = number("1: the function is at a zero that was not counted: leaving it may be the event", whole=FLAG)
    value = number("the function at the beginning of the part")
    reach = number("largest magnitude of the function up to now")
    zone = number("magnitude up to which the sign of the function is rounding, at a crossing just located")
    quiet = number("time until which its sign is rounding, because it has just crossed zero", "s")
    last = number("time of the last crossing that acted; initially the start", "s")
    gap = number("time between the last two crossings that acted", "s")
    first_gap = number("first of a sequence of shrinking gaps", "s")
    shrunk = number("number of successive gaps that were each shorter than the one before", whole=COUNT)
    contact = number(
        "1 + number of the contact on whose surface an event's expression is zero; 0: none",
        whole=Whole(0.0, counts.modes),
    )
    outside = number("sign of the expression outside of that contact", whole=Whole(-1.0, 1.0))


class Looked(Struct):
    """What the search of the present part has found of a watched function."""

    side = number("`Watched.side` at the place of the search", whole=Whole(-1.0, 1.0))
    open = number("`Watched.open` at the place of the search", whole=FLAG)
    first = number("time of its first crossing in the part; infinity: none", "s")
    again = number("time of its second crossing in the part; infinity: none", "s")
    slope = number("magnitude of its slope at the first crossing")
    before = number("its side before the first crossing", whole=Whole(-1.0, 1.0))
    middle = number("the function in the middle of the part")
    last = number("the function at the end of the part")
    near = number("1: it crosses zero together with the crossing that ends the part", whole=FLAG)
    motion = number("direction in which the function moves from a zero; in a search, its value with the old offsets")
    acted = number("1: it was due in the present round", whole=FLAG)
    offset = number("offset of its first row at the beginning of the part, for modes")


class FailedTrial(Struct):
    """A fixed step that has failed as a whole and is made in parts."""

    status = number(
        "status of the whole step; 0 (OK) if only its end is not finite", whole=Whole(Status.ok, LAST_STATUS)
    )
    fault = number("`HeadNumbers.fault` of the whole step", whole=Whole(-1.0, counts.last_fault))
    time = number("`HeadNumbers.fault_time` of the whole step", "s")
    step = number("`HeadNumbers.failed_step` of the whole step", "s")
    end = number("end of the last part", "s")
    part_size = number("size of the last part; 0: no step is made in parts", "s")
    parts = number("number of parts")


class Lock(Struct):
    """Gimbal lock of a joint of three angles."""

    offset = number(
        "angle added to the middle one; the joint is at gimbal lock where the sine of the sum is zero", "rad"
    )
    side = number("side of gimbal lock on which the joint was last; 0: not known", whole=Whole(-1.0, 1.0))


class Clock(Struct):
    """A clock of sampled signals."""

    period = number("interval of the samples", "s")
    first = number("time of the first sample", "s")


class Beat(Struct):
    """Times at which a law over time bends or jumps, one period apart."""

    period = number("interval", "s")
    first = number("one of the times", "s")
    jumps = number("1: the law jumps; 0: it bends", whole=FLAG)


class LogEntry(Struct):
    """An entry of the log of events, changes of modes, and samples."""

    time = number("time", "s")
    round = number("n of the instant (t, n)")
    kind = number("a value of `LogKind`", whole=Whole(LogKind.event, LogKind.sample))
    owner = number("number of the event, closure, or value of a sampled signal")
    before = number("side, mode or sampled value before")
    after = number("side, mode or sampled value after")
    lost = number("energy before the change less that after it", "J")


class NearShape(Struct):
    """A ball around a shape in contacts with a list of near pairs, and how far it may move before a new list."""

    place = numbers(3, "its centre, axes of its link or of the world", "m")
    radius = number("its radius", "m")
    slack = number("half the margin of the list", "m")


class NearList(Struct):
    """The list of near pairs: those whose balls were within the margin when it was made."""

    made = number("1: there is a list", whole=FLAG)
    count = number("pairs in the list", whole=Whole(0.0, counts.near_pairs))
    share = number("share of the margin with which it was made: less than 1 where the list would have been too short")
    overflows = number("1: more pairs overlap than it has places", whole=FLAG)
    overflowed = number("1: this was so at some time", whole=FLAG)
    overflow_time = number("the last such time", "s")
    lists = number("lists made", whole=COUNT)


class Totals(Struct):
    """Sums over all links, about the world's origin and in world axes."""

    momentum = numbers(3, "momentum", "N s")
    angular = numbers(3, "angular momentum", "N m s")
    moment = numbers(3, "mass times position", "kg m")
    mass = number("mass", "kg")


class LinkConstants(Struct):
    """Constants of a link; region `constants` has those that its class uses."""

    mass = number("mass", "kg")
    mc = numbers(3, "mass times position of the centre of mass, link axes", "kg m")
    inertia = symmetric("moments and products of inertia about the link's origin", "kg m²")
    r = numbers(3, "position of the link's joint on the parent link, parent axes", "m")
    moment = numbers(3, "r times the mass of the branch", "kg m")
    branch_mass = number("mass of the branch", "kg")
    turns = numbers(12, "sine, cosine, sine², sine times cosine of each of three constant rotations")
    matrix_of_turn = also("turns", 9, "instead of `turns`, a rotation that depends on parameters, row by row")
    own = numbers(4, "constants of the link's motion, such as a screw's pitch")
    ratio = number("for a follower, ratio of its joint velocity to the leader's")

    @classmethod
    def name(cls, index: int) -> str:
        """Return the name of a constant in the generated text."""
        for member, own in {"mc": "mc", "inertia": "J", "r": "r", "moment": "moment", "own": "own"}.items():
            places = cls.indices(member)
            if index in places:
                return f"{own}{places.index(index)}" + "_own" * (member == "inertia")
        alone = {cls.mass: "mass", cls.branch_mass: "branch_mass", cls.ratio: "ratio"}
        return alone.get(index, f"turn{(index - cls.turns) // 4}")

    @classmethod
    def turn(cls, number: int) -> range:
        """Return the indices of sine, cosine, sine² and sine cosine of a constant rotation."""
        first = cls.turns + 4 * number
        return range(first, first + 4)


class Articulated(Struct):
    """Articulated inertia M* and momentum bias Φ* of a branch (S1), which the passes carry from link to link."""

    M = symmetric("M of M*")
    H = table_of(3, 3, "H of M*")
    J = symmetric("J of M*")
    f = numbers(3, "f of Φ*")
    n = numbers(3, "n of Φ*")


class ElasticBlock(Struct):
    """The first numbers of an elastic body's block; its other parts follow, with sizes by n (elastic_layout.py)."""

    inertia = numbers(6, "contribution of ξ to J", "kg m²")
    spin = numbers(3, "Cr ξ̇")
    branch = table_of(
        6, 8, "rows of P and Φ of the body and its children; after their elimination, those without the modes"
    )
    twist = numbers(6, "v' (F5): twist of the root, at the mean frame's origin and in its axes")
    row = numbers(6, "Y of the present open row; while errors of momenta are converted, bias and twist of the errors")
    factors = numbers(2, "κ and δ: factors of stiffness and damping")
    moment = numbers(3, "first moment of the masses of the body and its children about the mean frame's origin", "kg m")

    if TYPE_CHECKING:

        def node_block(self, at: int) -> NodeBlock:
            """Return the block of a node, from index `at` on."""
            ...


class NodeBlock(Struct):
    """The first numbers of a node's block; its other parts follow, with sizes by n (elastic_layout.py)."""

    place = numbers(3, "position of the node in the mean frame", "m")
    turn = numbers(3, "Cayley vector of its rotation")
    node_twist = numbers(
        6, "G ξ̇ (F4): twist of the node relative to the mean frame, at the mean frame's origin and in its axes"
    )
    rotation = numbers(9, "R (F4), row by row")
    spreading = numbers(9, "T (F4), row by row")
    spreading_rate = numbers(9, "the rate of T")
    pull = numbers(6, "Aᵀ(F^ - Ωμ) + Ȧᵀμ (F9)")
    momentum = numbers(6, "Aᵀμ")
    row = numbers(6, "Y of the present open row; while errors of momenta are converted, bias and twist of the errors")
    moment = numbers(3, "first moment of the masses of its children about the mean frame's origin", "kg m")


class InputTable(Struct):
    """Place of the table of an input in the array U of inputs."""

    first = number("index of its first time")
    points = number("number of points; 0: no table, the input is constant and in the record")
