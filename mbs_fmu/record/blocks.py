"""Blocks of named numbers, of which regions of the record consist.

On the class, a number is its index in the block: `HeadNumbers.time` is 0, `Reset.last` is 1. `Reset.size` is 10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import counts
from .codes import LAST_STATUS, MOST_LOGGED, Fresh, RowSelection, Status
from .fields import Struct, Unchanged, Whole, also, number, numbers, symmetric, table_of

if TYPE_CHECKING:
    from .program import Program

COUNT = Whole(0.0, counts.MOST)
FLAG = Whole(0.0, 1.0)
UNCHANGED = Unchanged()


class HeadNumbers(Struct):
    """The first numbers of every record."""

    time = number("time", "s")
    step = number("step size that an adaptive method proposes for its next step; 0 before the first", "s")
    fresh = number("which results are up to date: a value of `Fresh`", whole=Whole(Fresh.stale, Fresh.rows_chosen))
    steps = number("accepted steps", whole=COUNT)
    rejected = number("rejected steps", whole=COUNT)
    evaluations = number("evaluations of the rates", whole=COUNT)
    fault = number(
        "index of the state component, quaternion or check that caused a failure", whole=Whole(-1.0, counts.last_fault)
    )
    failed_step = number("size of the step that failed", "s")
    done = number("result rows written when a run failed", whole=COUNT)
    fault_time = number("time of the failure", "s")
    absolute = number("ratio of absolute to relative tolerance of error control")
    jacobians = number("Jacobians evaluated by linearly implicit methods", whole=COUNT)
    still = number("1 while the rates of prescribed motions are set to zero", whole=FLAG)
    last_error = number("scaled error of the last step with error control")
    most_step = number("maximum step size; 0: unbounded", "s")
    at_steps = number("1: mode ends and events with resets are checked at the beginning of steps only", whole=UNCHANGED)
    ahead = number("time by which the state is ahead of an importer's due to rounding", "s")
    side = number("time from the present one to that at which jumps in time are read: > 0 right, < 0 left limits", "s")


class LoopNumbers(Struct):
    """Settings and results of the stabilization of closed loops."""

    alpha = number("current decay rate of residuals", "1/s")
    drift = number("1, or 0 to omit the conditions' explicit dependence on time")
    row_selection = number(
        "how rows are chosen: a value of `RowSelection`", whole=Whole(RowSelection.frozen, RowSelection.none)
    )
    tolerance = number("least ratio of a pivot to its row's reference pivot")
    most_alpha = number("largest decay rate", "1/s")
    alpha_step = number("alpha times the step size is at most this")
    projection_residual = number("residual above which a state is projected; negative: never", "m, rad")
    transfer_each_step = number("1: impulses are transferred to the momenta at every accepted step")
    residual_bound = number("residual above which a step fails", "m, rad")
    characteristic_length = number("size of the mechanism, with which residuals are compared", "m")
    residual = number("largest present residual", "m, rad")
    largest_residual_of_run = number("largest residual of the run", "m, rad")
    largest_impulse = number("largest accumulated impulse of the run", "N s, N m s")
    rank = number("independent rows", whole=Whole(0.0, counts.rows))
    rebasings = number("re-basings", whole=COUNT)
    projections = number("projections", whole=COUNT)
    transfer_time = number("time of the last re-basing", "s")
    iterations = number("iterations of the assembly", whole=COUNT)
    changed_starts = number(
        "held start values that had to change: 1 coordinates, 2 velocities, 3 both", whole=Whole(0.0, 3.0)
    )
    singular = number("1: the assembly ended in a singular configuration", whole=FLAG)
    last_good = number("residual at the end of an assembly that failed", "m, rad")
    controlled = number("1: the steps have error control", whole=FLAG)
    selection_tolerance = number(
        "tolerance at which the rows of this step were chosen; the stages use at least this one"
    )
    means_from = number("start of the interval of the mean drive forces", "s")
    means_to = number("end of the interval of the mean drive forces", "s")
    contradicting_drive = number(
        "number, from 1, of the driven rate that cannot be followed; 0: another prescribed motion",
        whole=Whole(0.0, counts.last_prescribed),
    )
    exchange_fresh = number("1 while the rates for an importer's solver belong to the present state", whole=FLAG)
    positions = number("1 while positions are corrected, without rate constraints")
    position_rank = number("independent rows at the start, without rate constraints")
    changes = number("mode changes in the current call")
    logged = number("mode changes in `mode_log`", whole=Whole(0.0, MOST_LOGGED))
    counted_from = number("beginning of the call or output interval in which changes are counted", "s")
    all_rows = number("1 while rows of released closures are evaluated too")
    in_impact = number("1 while impact impulses are computed: momenta change at constant positions")


def last_vector(program: Program) -> float:
    """Return the last index of a vector in region `history`."""
    return counts.last_vector(program, History.size)


class History(Struct):
    """Numbers that multistep methods keep from step to step.

    They are valid while state, inputs and parameters equal those at the end of the last call, which the region contains
    behind them.
    """

    count = number("stored steps; 0: the method restarts", whole=COUNT)
    step = number("size of the stored steps", "s")
    time = number("end of the last step", "s")
    newest = number("index of the newest vector; vectors are written cyclically", whole=Whole(0.0, last_vector))


class EventSearch(Struct):
    """The search for events of a run."""

    crossed = number("crossings in the last step")
    stopped = number("time at which an event ends the run; infinity: none does", "s")
    steps = number("fixed steps in the current interval; 0: no fixed steps")
    done = number("fixed steps that are done in the current interval")
    start = number("beginning of the current interval", "s")
    jumped = number("1: modes or values have changed since the last step was searched")
    began = number("beginning of the last step", "s")


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


class SampleState(Struct):
    """Samples and resets."""

    count = number("instants at which values have changed")
    next_sample = number("time of the next sample", "s")


class Reset(Struct):
    """An event with a reset."""

    side = number("sign of the indicator, for events in both directions")
    last = number("time of the last crossing; initially the start", "s")
    interval = number("interval before the last crossing", "s")
    first_interval = number("first of a sequence of shrinking intervals", "s")
    is_on_zero = number("1: the indicator is at a zero that was not counted; leaving the zero is the crossing")
    chatters = number("consecutive crossings in almost no time")
    zero = number("time when the indicator was last zero; initially the start", "s")
    crossing_distance = number("distance from the zero at the last crossing, if by motion; 0: by a jump")
    farthest_distance = number("largest distance from the zero up to now")
    shrunk = number("consecutive intervals that were shorter than their predecessor")


class CoincidentEvent(Struct):
    """An event that may be bound to a contact: on the contact's surface its indicator vanishes (stepping/ties.py)."""

    mode = number("1 + number of the contact to which the event is bound; 0: none", whole=Whole(0.0, counts.modes))
    side = number("sign of the indicator outside of the contact")
    since = number("time at which the event was last on the surface", "s")
    found = number(
        "1 + number of a contact on whose surface the event was located, with the sign of `side`; 0: none",
        whole=Whole(None, counts.modes),
    )


class Lock(Struct):
    """A joint of three angles."""

    offset = number("angle added to the middle one; gimbal lock is where the sum has the sine zero", "rad")
    side = number("side of gimbal lock on which the joint was last; 0: not known", whole=Whole(-1.0, 1.0))


class Clock(Struct):
    """A clock of sampled signals."""

    period = number("interval of the samples", "s")
    first = number("time of the first sample", "s")


class LogEntry(Struct):
    """A change of a constraint mode."""

    time = number("time", "s")
    closure = number("number of the closure")
    before = number("mode before")
    after = number("mode after")
    loss = number("energy lost at the change", "J")


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
    inertia = symmetric("about the link's origin", "kg m²")
    r = numbers(3, "position of the link's joint on the parent link, parent axes", "m")
    moment = numbers(3, "r times the mass of the branch", "kg m")
    branch_mass = number("mass of the branch", "kg")
    turns = numbers(12, "sine, cosine, sine², sine cosine of each constant rotation")
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
    """Inertia and bias of a branch, which the passes carry from link to link."""

    M = symmetric("mass block")
    H = table_of(3, 3, "coupling block")
    J = symmetric("inertia block")
    f = numbers(3, "bias of the momentum")
    n = numbers(3, "bias of the angular momentum")


class ElasticBlock(Struct):
    """The first numbers of an elastic body's block; its other parts follow, with sizes by n (elastic_layout.py)."""

    inertia = numbers(6, "contribution of xi to J", "kg m²")
    spin = numbers(3, "Cr xi_dot")
    branch = table_of(6, 8, "rows of P and Phi of body and children; without the modes after their elimination")
    twist = numbers(6, "of the root's support, at the mean frame's origin and in its axes")
    row = numbers(6, "Y of the current open row; bias and twist where errors of momenta become those of velocities")
    factors = numbers(2, "of stiffness and damping")
    moment = numbers(3, "of the mass of body and children, at the mean frame's origin", "kg m")

    if TYPE_CHECKING:

        def node_block(self, at: int) -> NodeBlock:
            """Return the block of a node, from index `at` on."""
            ...


class NodeBlock(Struct):
    """The first numbers of a node's block; its other parts follow, with sizes by n (elastic_layout.py)."""

    place = numbers(3, "of the node in the mean frame", "m")
    turn = numbers(3, "Cayley vector of its rotation")
    node_twist = numbers(6, "G xi_dot: its twist due to the modes' rates, at the mean frame's origin and in its axes")
    rotation = numbers(9, "R (F4), row by row")
    spreading = numbers(9, "T, row by row")
    spreading_rate = numbers(9, "the rate of T")
    pull = numbers(6, "Aᵀ(F^ - Omega mu) + Ȧᵀmu")
    momentum = numbers(6, "Aᵀmu")
    row = numbers(6, "Y of the current open row; bias and twist where errors of momenta become those of velocities")
    moment = numbers(3, "of the mass of its children, at the mean frame's origin", "kg m")


class InputTable(Struct):
    """Where the table of an input is, in U."""

    first = number("index of its first time")
    points = number("points; 0: the record has the input")
