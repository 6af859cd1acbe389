"""Where each number lies: the flat record of a model, by named regions.

All a model needs at run time is one array of doubles, the record `R`: time, state, rates, inputs,
parameters, constants, outputs and the scratch space of the passes. Saving a state copies it. A second
record `D` of the same layout holds tangents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..lazy_dataclasses import dataclass

#: Upper triangle of a symmetric 3x3 matrix, in storage order xx, xy, xz, yy, yz, zz.
INERTIA = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Load:
    """A number of a record, by name: array R or D, region, place in it; where it lies, only `bound` knows.

    base: the index variable of the generated loop that finds a link's or row's own block of the region; "" for none,
    then `offset` counts from the region's beginning. In a loop over a table of addresses the base is all of it, and
    region "".
    """

    array: str
    region: str
    offset: int
    base: str = ""

    def __str__(self) -> str:
        return f"{self.region}[{self.base}+{self.offset}]" if self.base else f"{self.region}[{self.offset}]"


@dataclass(frozen=True)
class Local:
    """A local variable that generated code carries from one body to the next."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Direction:
    """A direction along which tangents are taken: for each array the one that holds its tangents, and the prefix that
    a local's tangent has."""

    arrays: Mapping[str, str]
    prefix: str

    def of(self, target: Load | Local) -> Load | Local:
        """The place of the tangent of a place."""
        if isinstance(target, Local):
            return Local(self.prefix + target.name)
        return replace(target, array=self.arrays[target.array])


Directions = Sequence[Direction]
#: Kernels are written without tangents, with those along one direction (..._d), and along two at once (..._dd): E holds
#: the second tangents of R, F those of D.
DIRECTIONS: Directions = (Direction({"R": "D"}, "d_"), Direction({"R": "E", "D": "F"}, "e_"))


def arrays(along: Directions) -> list[str]:
    """The records of a kernel that takes tangents along these directions."""
    return ["R", *(array for direction in along for array in direction.arrays.values())]


@dataclass(frozen=True)
class Region:
    """A run of the record: `size` doubles from `start`, in blocks of `stride` doubles where links have one each."""

    name: str
    start: int
    size: int
    stride: int = 0

    @property
    def stop(self) -> int:
        return self.start + self.size


Layout = Mapping[str, Region]


def bound(load: Load, layout: Layout) -> int:
    """Where a number lies in its record; behind `load.base`, where that is not empty.

    Raises IndexError for a place outside its region, or outside a link's block where all blocks have one size: that
    would be another's number.
    """
    region = layout[load.region]
    size = region.stride if load.base and region.stride else region.size
    of_row = load.base in (
        *ROW_INDICES,
        *CHANNEL_INDICES,
    )  # a class's code for open rows stands there even if none is open at its links
    if not 0 <= load.offset < size and not of_row:
        raise IndexError(f"{load} lies outside of its region, which has {region.size} numbers, {region.stride} a link")
    return region.start + load.offset


class Head:
    """The first numbers of every record."""

    time = 0
    step = 1  #: step size that an adaptive method proposes for its next step, s; 0 before the first
    fresh = 2  #: results that belong to the present state and inputs, see `Fresh`
    steps = 3
    rejected = 4
    evaluations = 5
    fault = 6  #: index of the state component, quaternion or check that went wrong
    failed_step = 7  #: size of the step that went wrong, s
    done = 8  #: result rows written when a run failed
    fault_time = 9  #: s
    absolute = 10  #: of error control: absolute over relative tolerance
    jacobians = 11  #: of linearly implicit methods
    still = 12  #: 1 while given motions count as none
    last_error = 13  #: scaled error of the last step with error control
    most_step = 14  #: the longest step that it may make, s; 0: any
    at_steps = 15  #: 1: what ends modes, and events with resets, are looked at where steps begin only
    ahead = 16  #: how far the state is ahead of an importer's time, by the rounding of both, s
    size = 17


class Fresh:
    """Results in a record that belong to its present state and inputs: values of `Head.fresh`."""

    stale = 0  #: none
    everything = 1  #: rates and outputs
    derivatives = 2  #: the derivatives of the state only
    rates = 3  #: everything but the outputs
    rows_chosen = 4  #: rates with constraint rows chosen; the momenta are not re-based yet


#: Where time stands, and whether given motions count as none.
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
    matrix = (17, 18, 19, 20, 21, 22, 23, 24, 25)  #: in their place, of a rotation by parameters: row by row
    own = (29, 30, 31, 32)  #: of its motion, such as a screw's pitch
    ratio = 33  #: of its joint velocity to the leader's, of one that follows
    size = 34

    @classmethod
    def name(cls, which: int) -> str:
        """What a constant is called in the generated text."""
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
    """Region `totals`: of all links, about the world's origin and in world axes."""

    momentum = 0
    angular = 3
    moment = 6
    mass = 9
    size = 10


class LoopState:
    """The first numbers of region `loop_state`: how loops are kept closed, and what became of it."""

    alpha = 0  #: rate at which residuals decay now, 1/s
    drift = 1  #: 1, or 0 where the conditions' own motion in time is left out
    choice = 2  #: see `Choice`
    tolerance = 3  #: of a pivot over its row's scale
    most_alpha = 4  #: 1/s
    alpha_step = 5  #: alpha times the step size is at most this
    project = 6  #: residual above which a state is projected; negative: never
    rebase = 7  #: 1: impulses are taken into the momenta at every accepted step
    bound = 8  #: residual at which a step fails
    length = 9  #: size of the mechanism, m
    residual = 10  #: largest now (m, rad)
    worst = 11  #: largest residual of the run
    impulse = 12  #: largest accumulated impulse of the run (N s, N m s)
    rank = 13  #: independent conditions
    rebasings = 14
    projections = 15
    rebased = 16  #: time of the last re-basing, s
    iterations = 17  #: of the assembly
    moved = 18  #: what was held and moved all the same: 1 coordinates, 2 velocities, 3 both
    singular = 19  #: 1: the assembly ended in a singular configuration
    last_good = 20  #: the residual when an assembly gave up
    controlled = 21  #: 1: the steps have error control
    least = 22  #: the tolerance with which the rows of this step were chosen: its stages have at least that
    marked = 23  #: time from which the drives' means are taken, s
    measured = 24  #: time up to which they are, s
    blamed = 25  #: the driven rate that can't be followed, from 1; 0: what else is given
    exchange_fresh = 26  #: 1 while the rates for an importer's solver belong to the present state
    positions = 27  #: 1 while positions are moved: conditions in rates take no part
    position_rank = 28  #: independent conditions among those that bind positions, at the start
    changes = 29  #: of modes in the call that is under way
    logged = 30  #: changes of modes in `mode_log`
    counted_from = 31  #: beginning of the call or output interval in which they are counted
    all_rows = 32  #: 1 while rows are asked for of closures that conditions hold and that don't hold
    struck = 33  #: 1 while impulses of blows are found: momenta change where bodies are
    size = 34


class History:
    """The first numbers of region `history`, for methods that go on from earlier steps.

    State, inputs and parameters at the end of the last call follow, then vectors, which are used only where all of
    that is still so.
    """

    count = 0  #: steps that are remembered; 0: begin anew
    step = 1  #: their size, s
    time = 2  #: end of the last one, s
    newest = 3  #: which of the vectors, where they are written in turn
    size = 4


class Watch:
    """The first numbers of region `watch`: events of a run.

    Behind them, for each event: its expression at the start, in the middle and at the end of the step (NaN: on a zero
    that was counted); times of crossings in the step's first and second half (NaN: none); how often it was met where
    the step began.
    """

    crossed = 0  #: number of crossings in the last step
    stopped = 1  #: time at which an event ends the run; infinite: none does
    steps = 2  #: of the interval that is under way with fixed steps; 0: none is
    done = 3  #: steps done of these
    start = 4  #: beginning of that interval, s
    jumped = 5  #: 1: modes or values have changed since the last step was looked through
    began = 6  #: beginning of the last step, s
    size = 7


class SampleState:
    """Region `sample_state`, of models with samples and resets."""

    count = 0  #: of times at which something has jumped
    next_sample = 1  #: time of the next sample, s
    size = 2


class Reset:
    """Region `resets`: of each event that resets."""

    side = 0  #: sign of its expression, for one that is met from either side
    last = 1  #: when it was met last, s; at first the start
    gap = 2  #: s since it was met before that
    first_gap = 3  #: the first of ever shorter ones
    stands = 4  #: 1: it stands on a zero that is not counted: leaving it is its crossing
    chatters = 5  #: how often in a row it was met next to at once
    zero = 6  #: when it was found on its zero last, s; at first the start
    off = 7  #: how far beside its zero it was met by a motion; 0: a jump made it so
    reach = 8  #: the farthest that it has been from its zero
    shrunk = 9  #: how many of its last intervals each were shorter than the one before
    size = 10


class Tie:
    """Region `ties`: of each event, where closures have modes (see integrate/stepping/ties.py)."""

    mode = 0  #: 1 + the number of the contact whose surface it has; 0: none
    side = 1  #: sign of its expression outside of the contact
    since = 2  #: when it was on that surface last, s
    found = 3  #: 1 + the number of a contact on whose surface it was found, with the sign of `side`; 0: none
    size = 4


CLOCK_SIZE = 4  #: numbers of U in front of the inputs' tables: start, interval, rows and stop of the results


class Choice:
    """Which rows of the loops' conditions count."""

    frozen = 0  #: those chosen before, as far as they are still independent
    free = 1  #: chosen anew: largest pivots first
    none = 2


class FreeRate:
    """How the start of closed loops may change a joint velocity, in region `free_rates`."""

    held = 0
    guessed = 1
    not_told = 2  #: it may if the loops' conditions have it in them; else it rests


class ModeRole:
    """How a closure with modes is treated, and what its two numbers in `mode_numbers` are.

    It holds in mode 0; else it is free, or pushes with the sign of the mode.
    """

    armed = 0  #: held or free by conditions: by how much that for holding is met, and that for the end of holding
    one_sided = 1  #: a multiplier >= 0 while its residual is 0, free (-1) while that is positive: restitution
    sticking = 2  #: held while the multiplier is within bounds, else it pushes: the bound, and the force then


LANES = 8  #: sines and cosines are made so many at a time


TINY = 1.0e-300  #: by which a number that lies on its bound falls short of it, where reaching that is not enough
MOST_LOGGED = 1000  #: changes of modes in a call: more have no end


class Status:
    """What a kernel returns."""

    ok = 0
    non_finite = 1
    step_too_small = 2
    budget = 3  #: the call's step budget is spent; call again to go on
    no_direction = 4  #: of a start: a quaternion without direction
    failed_check = 5  #: of a start: a check of `prepare`
    failed_start_check = 6
    no_inertia = 7  #: of a start: a motion that moves nothing
    not_assembled = 8  #: of a start: a loop that does not close
    not_movable = 9  #: of a start: no velocities agree with a loop
    open_loop = 10  #: of a step: a residual beyond its bound
    not_converged = 11  #: of a step: the stages of an implicit method
    gimbal_lock = 12  #: of a start or step: three angles whose outer axes have become one
    not_followed = 13  #: of a start or step: given motions that contradict each other in a loop
    other_time = 14  #: of a step: it is to begin at another time than the present one
    penetrates = 15  #: of a start: what may only touch lies inside
    unsettled = 16  #: of a start or step: no modes suit each other, or they change without an end
    unending = 17  #: of a step: resets follow each other without an end
    too_large = 18  #: of a start or step: an elastic body is bent beyond small deformations
    step_not_felt = 19  #: of a step: it is shorter than what rounding leaves of the present time


#: The index variable by which a link's step finds its numbers of a region.
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
