"""Layout of the record, the flat array of a model's numbers, by named regions.

The record `R` is one array of doubles with everything that a model needs at run time: time, state, rates, inputs,
parameters, constants, outputs and the workspace of the passes. Saving a state copies it. A second record `D` of the
same layout holds tangents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..lazy_dataclasses import dataclass

#: Upper triangle of a symmetric 3x3 matrix, in storage order xx, xy, xz, yy, yz, zz.
INERTIA = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Load:
    """A symbolic address of a number: array R or D, region, offset in it. `bound` gives the index in the record.

    base: the index variable of a generated loop that locates the block of a link or row in the region; if it is "",
    `offset` counts from the region's beginning. In a loop over a table of addresses, base is the whole address and
    region is "".
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

    arrays: for each array, the one that holds its tangents. prefix: of the names of locals' tangents.
    """

    arrays: Mapping[str, str]
    prefix: str

    def of(self, target: Load | Local) -> Load | Local:
        """The address of the tangent of an address."""
        if isinstance(target, Local):
            return Local(self.prefix + target.name)
        return replace(target, array=self.arrays[target.array])


Directions = Sequence[Direction]
#: Kernels are written without tangents, with those along one direction (..._d), and along two at once (..._dd): E holds
#: the second tangents of R, F those of D.
DIRECTIONS: Directions = (Direction({"R": "D"}, "d_"), Direction({"R": "E", "D": "F"}, "e_"))


def arrays(along: Directions) -> list[str]:
    """Names of the arrays of a kernel with tangents along these directions."""
    return ["R", *(array for direction in along for array in direction.arrays.values())]


@dataclass(frozen=True)
class Region:
    """A section of the record: `size` doubles from `start`, in blocks of `stride` doubles if each link has one."""

    name: str
    start: int
    size: int
    stride: int = 0

    @property
    def stop(self) -> int:
        return self.start + self.size


Layout = Mapping[str, Region]


def bound(load: Load, layout: Layout) -> int:
    """Index of a number in its record, to be added to `load.base` if that is not empty.

    Raises IndexError for an offset outside the region, or outside a link's block if all blocks have the same size.
    """
    region = layout[load.region]
    size = region.stride if load.base and region.stride else region.size
    of_row = load.base in (
        *ROW_INDICES,
        *CHANNEL_INDICES,
    )  # code for open rows exists for every class, even if no row is open at its links
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
    fault = 6  #: index of the state component, quaternion or check that failed
    failed_step = 7  #: size of the step that failed, s
    done = 8  #: result rows written when a run failed
    fault_time = 9  #: s
    absolute = 10  #: of error control: absolute over relative tolerance
    jacobians = 11  #: of linearly implicit methods
    still = 12  #: 1 while prescribed motions are at rest
    last_error = 13  #: scaled error of the last step with error control
    most_step = 14  #: maximum step size, s; 0: unbounded
    at_steps = 15  #: 1: mode ends and events with resets are checked at the beginning of steps only
    ahead = 16  #: lead of the state over an importer's time due to rounding, s
    size = 17


class Fresh:
    """Results in a record that are up to date with its state and inputs: values of `Head.fresh`."""

    stale = 0  #: none
    everything = 1  #: rates and outputs
    derivatives = 2  #: the derivatives of the state only
    rates = 3  #: everything but the outputs
    rows_chosen = 4  #: rates with constraint rows chosen; the momenta are not re-based yet


#: Time, and the flag of prescribed motions at rest.
TIME = Load("R", "head", Head.time)
STILL = Load("R", "head", Head.still)


class LinkConstants:
    """Constants of a link, by their place in its block of region `bodies`.

    The passes read them from region `constants`, where each link has only those that its class uses.
    """

    mass = 0
    mc = (1, 2, 3)  #: mass times centre of mass, link frame
    inertia = (4, 5, 6, 7, 8, 9)  #: about the link's origin
    r = (10, 11, 12)  #: the link's joint on the parent link, parent axes
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
    )  #: instead of turns, for a rotation that depends on parameters: row by row
    own = (29, 30, 31, 32)  #: constants of its motion, such as a screw's pitch
    ratio = 33  #: of its joint velocity to the leader's, for a follower
    size = 34

    @classmethod
    def name(cls, which: int) -> str:
        """Name of a constant in the generated text."""
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
    choice = 2  #: see `Choice`
    tolerance = 3  #: of a pivot over its row's scale
    most_alpha = 4  #: 1/s
    alpha_step = 5  #: alpha times the step size is at most this
    project = 6  #: residual above which a state is projected; negative: never
    rebase = 7  #: 1: impulses are transferred to the momenta at every accepted step
    bound = 8  #: residual above which a step fails
    length = 9  #: size of the mechanism, m
    residual = 10  #: present maximum (m, rad)
    worst = 11  #: largest residual of the run
    impulse = 12  #: largest accumulated impulse of the run (N s, N m s)
    rank = 13  #: independent conditions
    rebasings = 14
    projections = 15
    rebased = 16  #: time of the last re-basing, s
    iterations = 17  #: of the assembly
    moved = 18  #: start values that were held but had to change: 1 coordinates, 2 velocities, 3 both
    singular = 19  #: 1: the assembly ended in a singular configuration
    last_good = 20  #: the residual when an assembly failed
    controlled = 21  #: 1: the steps have error control
    least = 22  #: tolerance with which the rows of this step were chosen, a lower bound for its stages
    marked = 23  #: start of the interval of the drives' means, s
    measured = 24  #: end of that interval, s
    blamed = 25  #: number from 1 of the driven rate that can't be followed; 0: another prescribed motion
    exchange_fresh = 26  #: 1 while the rates for an importer's solver belong to the present state
    positions = 27  #: 1 while positions are corrected: conditions in rates are ignored
    position_rank = 28  #: independent conditions among those that bind positions, at the start
    changes = 29  #: of modes in the current call
    logged = 30  #: changes of modes in `mode_log`
    counted_from = 31  #: beginning of the call or output interval in which they are counted
    all_rows = 32  #: 1 while rows of released closures are evaluated too
    struck = 33  #: 1 while impact impulses are computed: momenta change at constant positions
    size = 34


class History:
    """The first numbers of region `history`, for multistep methods.

    State, inputs and parameters at the end of the last call follow, then vectors of earlier steps, which are used only
    if none of those has changed.
    """

    count = 0  #: number of stored steps; 0: start again
    step = 1  #: their size, s
    time = 2  #: end of the last one, s
    newest = 3  #: index of the newest vector, as they are written cyclically
    size = 4


class Watch:
    """The first numbers of region `watch`: events of a run.

    For each event these follow: its expression at the start, in the middle and at the end of the step (NaN: at a zero
    that was counted); times of crossings in the first and second half of the step (NaN: none); number of crossings at
    the beginning of the step.
    """

    crossed = 0  #: number of crossings in the last step
    stopped = 1  #: time at which an event ends the run; infinite: none does
    steps = 2  #: of the current interval with fixed steps; 0: none
    done = 3  #: number of these that are done
    start = 4  #: beginning of that interval, s
    jumped = 5  #: 1: modes or values have changed since the last step was searched
    began = 6  #: beginning of the last step, s
    size = 7


class SampleState:
    """Region `sample_state`, of models with samples and resets."""

    count = 0  #: number of times at which values have jumped
    next_sample = 1  #: time of the next sample, s
    size = 2


class Reset:
    """Region `resets`: numbers of each event with a reset."""

    side = 0  #: sign of its expression, for events that count in both directions
    last = 1  #: time of its last crossing, s; initially the start
    gap = 2  #: interval before that, s
    first_gap = 3  #: the first of a series of ever shorter intervals
    stands = 4  #: 1: it is at a zero that is not counted: leaving it is its crossing
    chatters = 5  #: number of consecutive crossings in almost no time
    zero = 6  #: time when it was last at its zero, s; initially the start
    off = 7  #: distance from its zero at a crossing by motion; 0: by a jump
    reach = 8  #: largest distance from its zero so far
    shrunk = 9  #: number of consecutive intervals that were shorter than the one before
    size = 10


class Tie:
    """Region `ties`: numbers of each event in models with constraint modes (see integrate/stepping/ties.py)."""

    mode = 0  #: 1 + number of the contact with the same surface; 0: none
    side = 1  #: sign of its expression outside of the contact
    since = 2  #: time when it was last on that surface, s
    found = 3  #: 1 + number of a contact on whose surface it was located, with the sign of `side`; 0: none
    size = 4


CLOCK_SIZE = 4  #: numbers of U in front of the inputs' tables: start, interval, rows and stop of the results


class Choice:
    """Selection of independent constraint rows."""

    frozen = 0  #: the rows chosen before, as far as they are still independent
    free = 1  #: a new choice: largest pivots first
    none = 2


class FreeRate:
    """Freedom of the start of closed loops to change a joint velocity: values of region `free_rates`."""

    held = 0
    guessed = 1
    unspecified = 2  #: without start value: it may change if it appears in conditions of loops; else it is zero


class ModeRole:
    """Kind of a closure with constraint modes, which defines its two numbers in `mode_numbers`.

    It is engaged in mode 0; otherwise it is released, or exerts a force with the sign of the mode.
    """

    armed = 0  #: engaged and released by conditions: the values of these
    one_sided = 1  #: multiplier >= 0 while the residual is 0, released (-1) while it is positive: restitution
    sticking = 2  #: engaged while the multiplier is within bounds, else a force acts: the bound, and that force


LANES = 8  #: number of sines and cosines that are computed at a time


TINY = 1.0e-300  #: subtracted from a number at its bound where reaching the bound is not enough
MOST_LOGGED = 1000  #: mode changes in a call: more are taken as endless


class Status:
    """Values that kernels return."""

    ok = 0
    non_finite = 1
    step_too_small = 2
    budget = 3  #: the call's step budget is spent; call again to go on
    no_direction = 4  #: of a start: a quaternion without direction
    failed_check = 5  #: of a start: a check of `prepare`
    failed_start_check = 6
    no_inertia = 7  #: of a start: a motion that moves no inertia
    not_assembled = 8  #: of a start: a loop that does not close
    not_movable = 9  #: of a start: no velocities agree with a loop
    open_loop = 10  #: of a step: a residual above its bound
    not_converged = 11  #: of a step: the stages of an implicit method
    gimbal_lock = 12  #: of a start or step: three angles whose outer axes have become parallel
    not_followed = 13  #: of a start or step: prescribed motions that contradict each other in a loop
    other_time = 14  #: of a step: it was requested from another time than the present one
    penetrates = 15  #: of a start: bodies in contact penetrate
    unsettled = 16  #: of a start or step: no consistent modes exist, or they change endlessly
    unending = 17  #: of a step: resets follow each other endlessly
    too_large = 18  #: of a start or step: the deformation of an elastic body is not small
    step_not_felt = 19  #: of a step: it is shorter than the rounding of the present time


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
CHANNEL_INDICES = ("z", "z_up")  #: the same for coupled joints: Z here and at the parent
