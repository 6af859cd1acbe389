"""Layout of the record, the flat array of a model's numbers, by named regions.

The record `R` is one array of doubles with everything that a model needs at run time: time, state, rates, inputs,
parameters, constants, outputs and the workspace of the passes. To save a state, it is copied. A second record `D` of
the same layout contains tangents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..infrastructure.lazy_dataclasses import dataclass

#: Upper triangle of a symmetric 3x3 matrix, in storage order xx, xy, xz, yy, yz, zz.
INERTIA = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Load:
    """A symbolic address of a number: its array (such as R or D), its region, and its offset there.

    `base` is the index variable of a generated loop: it locates the block of a link or row in the region. If it is "",
    `offset` counts from the region's start. In a loop over a table of addresses, `base` is the whole address and
    `region` is "". The function `bound` returns the index in the record.
    """

    array: str
    region: str
    offset: int
    base: str = ""

    def __str__(self) -> str:
        return f"{self.region}[{self.base}+{self.offset}]" if self.base else f"{self.region}[{self.offset}]"


@dataclass(frozen=True)
class Local:
    """A local variable that generated code carries from one link to the next."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Direction:
    """A direction along which tangents are taken.

    `arrays` gives for each array the one with its tangents; `prefix` begins the names of tangents of local variables.
    """

    arrays: Mapping[str, str]
    prefix: str

    def of(self, target: Load | Local) -> Load | Local:
        """Return the address of the tangent of a number."""
        if isinstance(target, Local):
            return Local(self.prefix + target.name)
        return replace(target, array=self.arrays[target.array])


Directions = Sequence[Direction]
#: Kernels exist without tangents, with tangents along one direction (..._d), and along two at once (..._dd). For two, E
#: contains the tangents of R along the second direction, and F those of D.
DIRECTIONS: Directions = (Direction({"R": "D"}, "d_"), Direction({"R": "E", "D": "F"}, "e_"))


def arrays(along: Directions) -> list[str]:
    """Return the names of the arrays of a kernel with tangents along these directions."""
    return ["R", *(array for direction in along for array in direction.arrays.values())]


@dataclass(frozen=True)
class Region:
    """A section of the record: `size` doubles from `start`; blocks of `stride` doubles if each link has a block."""

    name: str
    start: int
    size: int
    stride: int = 0

    @property
    def stop(self) -> int:
        return self.start + self.size


Layout = Mapping[str, Region]


def bound(load: Load, layout: Layout) -> int:
    """Return the index of a number in its record, to be added to `load.base` if that is not empty.

    Raises IndexError for an offset outside the region, or outside a link's block if all blocks have the same size.
    """
    region = layout[load.region]
    size = region.stride if load.base and region.stride else region.size
    of_row = load.base in (
        *ROW_INDICES,
        *CHANNEL_INDICES,
    )  # code for open rows exists for every class, also if no row is open at its links
    if not 0 <= load.offset < size and not of_row:
        raise IndexError(f"{load} lies outside of its region, which has {region.size} numbers, {region.stride} a link")
    return region.start + load.offset


class Head:
    """The first numbers of every record."""

    time = 0
    step = 1  #: step size that an adaptive method proposes for its next step, s; 0 before the first
    fresh = 2  #: which results are up to date, see `Fresh`
    steps = 3
    rejected = 4
    evaluations = 5
    fault = 6  #: index of the state component, quaternion or check that caused a failure
    failed_step = 7  #: size of the step that failed, s
    done = 8  #: result rows written when a run failed
    fault_time = 9  #: time of the failure, s
    absolute = 10  #: ratio of absolute to relative tolerance of error control
    jacobians = 11  #: number of Jacobians evaluated by linearly implicit methods
    still = 12  #: 1 while the rates of prescribed motions are set to zero
    last_error = 13  #: scaled error of the last step with error control
    most_step = 14  #: maximum step size, s; 0: unbounded
    at_steps = 15  #: 1: mode ends and events with resets are checked at the beginning of steps only
    ahead = 16  #: time by which the state is ahead of an importer's due to rounding, s
    side = 17  #: time from the present one to that at which jumps in time are read: > 0 right, < 0 left limits, s
    size = 18


class Fresh:
    """Values of `Head.fresh`: which results of a record belong to its present state and inputs."""

    stale = 0  #: none
    everything = 1  #: rates and outputs
    derivatives = 2  #: the derivatives of the state only
    rates = 3  #: everything but the outputs
    rows_chosen = 4  #: rates with constraint rows chosen; the momenta are not re-based yet


#: Addresses of time, of the flag `Head.still` and of `Head.side`.
TIME = Load("R", "head", Head.time)
SIDE = Load("R", "head", Head.side)
STILL = Load("R", "head", Head.still)


class LinkConstants:
    """Constants of a link, by their index in its block of region `bodies`.

    The passes read them from region `constants`, which contains for each link only those that its class uses.
    """

    mass = 0
    mc = (1, 2, 3)  #: mass times position of the centre of mass, link axes
    inertia = (4, 5, 6, 7, 8, 9)  #: about the link's origin
    r = (10, 11, 12)  #: position of the link's joint on the parent link, parent axes
    moment = (13, 14, 15)  #: r times the mass of the branch
    branch_mass = 16
    turns = 17  #: sine, cosine, sine², sine cosine of each constant rotation
    matrix = (
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
    )  #: instead of `turns`, a rotation that depends on parameters, row by row
    own = (29, 30, 31, 32)  #: constants of the link's motion, such as a screw's pitch
    ratio = 33  #: for a follower, ratio of its joint velocity to the leader's
    size = 34

    @classmethod
    def name(cls, which: int) -> str:
        """Return the name of a constant in the generated text."""
        groups = {"mc": cls.mc, "J": cls.inertia, "r": cls.r, "moment": cls.moment, "own": cls.own}
        for name, places in groups.items():
            if which in places:
                return f"{name}{places.index(which)}_own" if name == "J" else f"{name}{places.index(which)}"
        alone = {cls.mass: "mass", cls.branch_mass: "branch_mass", cls.ratio: "ratio"}
        return alone.get(which, f"turn{(which - cls.turns) // 4}")

    @classmethod
    def turn(cls, number: int) -> tuple[int, int, int, int]:
        first = cls.turns + 4 * number
        return first, first + 1, first + 2, first + 3


class Totals:
    """Region `totals`: sums over all links, about the world's origin and in world axes."""

    momentum = 0
    angular = 3
    moment = 6
    mass = 9
    size = 10


class LoopState:
    """The first numbers of region `loop_state`: settings of stabilization, and its results."""

    alpha = 0  #: current decay rate of residuals, 1/s
    drift = 1  #: 1, or 0 to omit the conditions' explicit dependence on time
    choice = 2  #: how rows are chosen: a value of `Choice`
    tolerance = 3  #: least ratio of a pivot to its row's scale
    most_alpha = 4  #: largest decay rate, 1/s
    alpha_step = 5  #: alpha times the step size is at most this
    project = 6  #: residual above which a state is projected; negative: never
    rebase = 7  #: 1: impulses are transferred to the momenta at every accepted step
    bound = 8  #: residual above which a step fails
    length = 9  #: size of the mechanism, m
    residual = 10  #: largest present residual (m, rad)
    worst = 11  #: largest residual of the run
    impulse = 12  #: largest accumulated impulse of the run (N s, N m s)
    rank = 13  #: number of independent rows
    rebasings = 14
    projections = 15
    rebased = 16  #: time of the last re-basing, s
    iterations = 17  #: iterations of the assembly
    moved = 18  #: held start values that had to change: 1 coordinates, 2 velocities, 3 both
    singular = 19  #: 1: the assembly ended in a singular configuration
    last_good = 20  #: residual at the end of an assembly that failed
    controlled = 21  #: 1: the steps have error control
    least = 22  #: tolerance at which the rows of this step were chosen; the stages use at least this one
    marked = 23  #: start of the interval of the mean drive forces, s
    measured = 24  #: end of that interval, s
    blamed = 25  #: number, from 1, of the driven rate that cannot be followed; 0: another prescribed motion
    exchange_fresh = 26  #: 1 while the rates for an importer's solver belong to the present state
    positions = 27  #: 1 while positions are corrected, without rate constraints
    position_rank = 28  #: number of independent rows at the start, without rate constraints
    changes = 29  #: number of mode changes in the current call
    logged = 30  #: number of mode changes in `mode_log`
    counted_from = 31  #: beginning of the call or output interval in which changes are counted
    all_rows = 32  #: 1 while rows of released closures are evaluated too
    struck = 33  #: 1 while impact impulses are computed: momenta change at constant positions
    size = 34


class History:
    """The first numbers of region `history`, for multistep methods.

    The state, inputs and parameters at the end of the last call follow, then the vectors of earlier steps. These are
    valid only if state, inputs and parameters have not changed.
    """

    count = 0  #: number of stored steps; 0: the method restarts
    step = 1  #: size of these steps, s
    time = 2  #: end of the last step, s
    newest = 3  #: index of the newest vector; vectors are written cyclically
    size = 4


class Watch:
    """The first numbers of region `watch`: events of a run.

    For each event there follow: its indicator at the start, in the middle and at the end of the step (NaN: at a zero
    that was counted); the times of crossings in the first and second half of the step (NaN: none); the number of
    crossings at the beginning of the step.
    """

    crossed = 0  #: number of crossings in the last step
    stopped = 1  #: time at which an event ends the run; infinity: none does
    steps = 2  #: number of fixed steps in the current interval; 0: no fixed steps
    done = 3  #: number of these steps that are done
    start = 4  #: beginning of that interval, s
    jumped = 5  #: 1: modes or values have changed since the last step was searched
    began = 6  #: beginning of the last step, s
    size = 7


class FailedTrial:
    """Region `failed_trial`, of models in which something may end a step or run: a fixed step that fails as a whole."""

    status = 0  #: its status; 0 (OK) if only its end is not finite
    fault = 1  #: its `Head.fault`
    time = 2  #: its `Head.fault_time`, s
    step = 3  #: its `Head.failed_step`, s
    at = 4  #: end of its last part, s
    part = 5  #: size of its last part, s; 0: no step is made in parts
    parts = 6  #: number of its parts
    size = 7


class SampleState:
    """Region `sample_state`, of models with samples and resets."""

    count = 0  #: number of instants at which values have changed
    next_sample = 1  #: time of the next sample, s
    size = 2


class Reset:
    """Region `resets`: numbers of each event with a reset."""

    side = 0  #: sign of its indicator, for events in both directions
    last = 1  #: time of its last crossing, s; initially the start
    gap = 2  #: interval before the last crossing, s
    first_gap = 3  #: first of a sequence of shrinking intervals, s
    stands = 4  #: 1: at a zero that was not counted; leaving the zero is the crossing
    chatters = 5  #: number of consecutive crossings in almost no time
    zero = 6  #: time when it was last at its zero, s; initially the start
    off = 7  #: distance from the zero at the last crossing, if by motion; 0: by a jump
    reach = 8  #: largest distance from its zero up to now
    shrunk = 9  #: number of consecutive intervals that were shorter than their predecessor
    size = 10


class Tie:
    """Region `ties`: numbers of each event in models with constraint modes (see integrate/stepping/ties.py)."""

    mode = 0  #: 1 + number of the contact with the same surface; 0: none
    side = 1  #: sign of its indicator outside of the contact
    since = 2  #: time at which it was last on that surface, s
    found = 3  #: 1 + number of a contact on whose surface it was located, with the sign of `side`; 0: none
    size = 4


CLOCK_SIZE = 4  #: numbers of U in front of the inputs' tables: start, interval, rows and stop of the results


class Choice:
    """Ways to choose independent constraint rows: values of `LoopState.choice`."""

    frozen = 0  #: keep the rows chosen before, as far as they are still independent
    free = 1  #: choose again, largest pivots first
    none = 2


class FreeRate:
    """Values of region `free_rates`: whether the start of closed loops may change a joint velocity."""

    held = 0
    guessed = 1
    unspecified = 2  #: no start value: it may change if conditions of loops contain it; else it is zero


class ModeRole:
    """Kinds of closures with constraint modes. The kind determines the closure's numbers in `mode_numbers`.

    In mode 0 a closure is engaged. In other modes it is released, or exerts a force with the sign of the mode.
    """

    armed = 0  #: a latch; numbers: the values of its conditions for engaging and releasing
    one_sided = 1  #: a contact: engaged with multiplier >= 0, or released (-1) with residual > 0; number: restitution
    #: A friction: engaged while the multiplier is within bounds. Numbers: bound and force when slipping upwards, the
    #: same downwards.
    sticking = 2
    overrunning = 3  #: a freewheel: one-sided, but released with row rate > 0; number: restitution


MODE_NUMBERS = 4  #: numbers of a closure with constraint modes in `mode_numbers`

LANES = 8  #: number of sines and cosines that are computed at once


TINY = 1.0e-300  #: subtracted from a number at a bound that must be exceeded, not only reached
MOST_LOGGED = 1000  #: largest number of mode changes in a call; more count as endless


class Status:
    """Status codes that kernels return.

    "start" and "step" state where a status can occur.
    """

    ok = 0
    non_finite = 1
    step_too_small = 2
    budget = 3  #: the call has used its step budget; call again to continue
    no_direction = 4  #: start: a quaternion is zero
    failed_check = 5  #: start: a check of `prepare` failed
    failed_start_check = 6
    no_inertia = 7  #: start: a motion moves no inertia
    not_assembled = 8  #: start: a loop does not close
    not_movable = 9  #: start: no velocities agree with a loop
    open_loop = 10  #: step: a residual exceeds its bound
    not_converged = 11  #: step: the stages of an implicit method do not converge
    gimbal_lock = 12  #: start or step: the outer axes of three angles have become parallel
    not_followed = 13  #: start or step: prescribed motions contradict each other in a loop
    other_time = 14  #: step: it was requested from another time than the present one
    penetrates = 15  #: start: bodies in contact penetrate each other
    unsettled = 16  #: start or step: no consistent modes were found, or they change endlessly
    unending = 17  #: step: resets follow each other endlessly
    too_large = 18  #: start or step: the deformation of an elastic body is not small
    step_not_felt = 19  #: step: it is shorter than the rounding of the present time
    period_not_felt = 20  #: step: a sampling period is hardly longer than the rounding of the time


#: The index variable that locates a link's numbers in each region.
BASES = {
    "driven_q": "g", "q": "q", "p": "j", "drive_impulses": "d", "q_dot": "q", "p_dot": "j", "drive_rests": "d",
    "driven_u": "d", "drive_momenta": "d", "u": "j", "tau": "j", "momentum": "j", "balance": "m", "pose": "b",
    "twist": "t", "wrench": "t", "impulse": "t", "row_y": "y", "row_z": "z", "row_w": "o", "errors": "j",
    "push": "j", "mask": "j", "right": "row", "terms": "row", "row_b": "o", "row_d": "o",
    "driven_sines": "g", "driven_cosines": "g", "sines": "q",
    "cosines": "q", "driven_offsets": "g", "offsets": "q", "constants": "c", "saved": "s",
    "elastic": "x", "rotors": "j", "driven_rotors": "d",
}  # fmt: skip
ROW_INDICES = ("y", "up", "o", "row")  #: index variables of an open row: Y here and at the parent, projections, row
CHANNEL_INDICES = ("z", "z_up")  #: index variables of an open row for coupled joints: Z here and at the parent
