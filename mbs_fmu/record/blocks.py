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
    fresh = number(
        "which results in the record are up to date: a value of `Fresh`", whole=Whole(Fresh.stale, Fresh.rows_chosen)
    )
    steps = number("accepted steps", whole=COUNT)
    rejected = number("rejected steps", whole=COUNT)
    evaluations = number("evaluations of the rates", whole=COUNT)
    fault = number(
        "index of the state component, quaternion or check that caused a failure; -1: none",
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
    at_steps = number("1: mode ends and events with resets are checked at the beginning of steps only", whole=UNCHANGED)
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
    singular = number("1: the assembly ended in a singular configuration", whole=FLAG)
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

    They are valid while state, inputs and parameters are those at the end of the last call, which `known_x`,
    `known_inputs` and `known_parameters` contain.
    """

    count = number("stored steps; 0: the method restarts", whole=COUNT)
    step = number("size of the stored steps", "s")
    time = number("end of the last step", "s")
    newest = number("index of the newest vector; vectors are written cyclically", whole=Whole(0.0, last_vector))


class EventSearch(Struct):
    """The search for events of a run."""

    crossed = number("number of crossings in the last step")
    stopped = number("time at which an event ends the run; infinity: none does", "s")
    steps = number("number of fixed steps in the current interval; 0: no fixed steps")
    done = number("number of fixed steps completed in the current interval")
    start = number("beginning of the current interval", "s")
    jumped = number("1: modes or values have jumped since the last step was searched for events")
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

    count = number("number of instants at which samples or resets have changed values")
    next_sample = number("time of the next sample", "s")


class Reset(Struct):
    """An event with a reset."""

    side = number("sign of the indicator, for events in both directions")
    last = number("time of the last crossing; initially the start", "s")
    interval = number("interval before the last crossing", "s")
    first_interval = number("first interval of a sequence of shrinking ones", "s")
    is_on_zero = number("1: the indicator is at a zero that was not counted; leaving the zero is the crossing")
    chatters = number("number of consecutive crossings in almost no time")
    zero = number("time when the indicator was last zero; initially the start", "s")
    crossing_distance = number("size of the indicator at the last crossing, if the motion caused it; 0: a jump did")
    farthest_distance = number("largest magnitude of the indicator up to now")
    shrunk = number("number of consecutive intervals that were each shorter than the one before")


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
    """Gimbal lock of a joint of three angles."""

    offset = number(
        "angle added to the middle one; the joint is at gimbal lock where the sine of the sum is zero", "rad"
    )
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
    loss = number("energy dissipated at the change", "J")


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
