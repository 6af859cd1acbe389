"""Constants of kernels: status codes, choices, kinds of modes, thresholds."""

from ..record.codes import MODE_NUMBERS, MOST_LOGGED, TINY, Choice, FreeRate, Fresh, ModeRole, Status
from ..record.schema import LoopState
from .declarations import Supplied, supplied, supplied_number

OF_EVENTS = 0  #: search for crossings of the events' indicators
STANDS = TINY  #: value of an indicator at a zero that was counted already
OF_ENDS = 1  #: search for zeros of the distances from step ends
BARELY = 1.0e-9  #: share of its size at the end of a step: at the start of a flight, a mode quantity may be rounding
ON_START = 5.0e-7  #: share of its size a millionth of a step later: an indicator below it at the start is rounding
SAME_END = 1.0e-9  #: share of a step: ends at most this far apart coincide
SAME_SAMPLE = 1.0e-6  #: share of a period: samples this close to a time coincide with it
MOST_PARTS = 10_000  #: largest number of parts of a step that are made without asking for the budget
LEAST_PART = 1.0e-9  #: smallest part of a step that fails, as a share of it
MOST_TRIED = 200  #: largest number of parts of a step that fails
MOST_REPEATED = 100  #: largest number of times that a step is repeated because something ends it earlier
MOST_JUMPS = 100  #: largest number of successive samples and resets at one time
ZENO = 1.0e-5  #: intervals between resets that shrink below this share of their first one accumulate without end
LEAST_SHRUNK = 3  #: number of consecutive shrinking intervals of such a sequence
CHATTER = 1.0e-6  #: share of a step: MOST_CHATTERS consecutive intervals this short are chatter
MOST_CHATTERS = 1000
READY_STEPS = supplied()  #: 1 if `prepare_step` does more than computing the rates
MOST_SWEEPS = 100
FRESH_AT_END = supplied_number()  #: `R.fresh` after a step whose last stage is the first of the next step
REGROWTH = supplied_number()  #: factor by which a step may grow after a rejected one
SETTLED = 1e-9
STALE = float(Fresh.stale)
ALL_FRESH = float(Fresh.everything)
DERIVATIVES_FRESH = float(Fresh.derivatives)
RATES_FRESH = float(Fresh.rates)
ROWS_CHOSEN = float(Fresh.rows_chosen)
OK = Status.ok
NON_FINITE = Status.non_finite
STEP_TOO_SMALL = Status.step_too_small
STEP_NOT_FELT = Status.step_not_felt
PERIOD_NOT_FELT = Status.period_not_felt
BUDGET = Status.budget
NO_DIRECTION = Status.no_direction
FAILED_CHECK = Status.failed_check
FAILED_START_CHECK = Status.failed_start_check
NO_INERTIA = Status.no_inertia
NOT_CONVERGED = Status.not_converged
GIMBAL_LOCK = Status.gimbal_lock
OTHER_TIME = Status.other_time
TOO_LARGE = Status.too_large
UNENDING = Status.unending
N_COUNTERS = LoopState.size - LoopState.worst  #: size of `R.counters`
FROZEN_CHOICE = Choice.frozen
FREE_CHOICE = Choice.free
NO_CHOICE = Choice.none
MOST_SCALE = 1e4  #: largest ratio of a row's scale to its pivot in the tree
FOLDED = 1e-8  #: ratio of pivot to scale near which the direction of a row depends on the residual
ROUNDED = 1e-26  #: a square smaller than this share of other squares is rounding
AGREES = 1e-3  #: prescribed motions agree if they differ by less than this share of their terms
AT_REST = 1e-12  #: a velocity below this share of the mechanism's size per second is rounding of a state at rest
ON_END = 1.0e-9  #: share of REACH: below it the sign of the distance from an end may be rounding
PER_MODE = MODE_NUMBERS  #: numbers of each mode in `mode_numbers`
ARMED = ModeRole.armed
ONE_SIDED = ModeRole.one_sided
STICKING = ModeRole.sticking
MOST_TRIALS = 200
PASSED = 2.0  #: value of DUE if a mode's end was passed: in a jump, or in a step that detects ends at its end only
BEYOND = -1.0  #: value of TRIAL for a participating contact that the solution cannot change
TOUCHING = 1.0e-9  #: share of the mechanism's size: contacts with smaller residuals touch
SLUGGISH = 1.0e-3  #: share of the largest velocity above which rates exceed rounding
SLIGHT = 1.0e-10  #: share of the largest number of its kind below which a number is zero in the choice of modes
ROUNDED_LOSS = 1.0e-13  #: share of the kinetic energy below which a loss without impacts is rounding
GUESSED = FreeRate.guessed
LAGGED = supplied()  #: 1 if motion or modes depend on means of the last step
PRESCRIBED_MOTION = supplied()  #: 1 if the loops contain prescribed motion
NOT_ASSEMBLED = Status.not_assembled
NOT_MOVABLE = Status.not_movable
OPEN_LOOP = Status.open_loop
NOT_FOLLOWED = Status.not_followed
PENETRATES = Status.penetrates
UNSETTLED = Status.unsettled
MOST_CHANGES = MOST_LOGGED
MOST_TURN = 1.0  #: rad: rotation of a node in the mean frame
SETTLING_STEPS = 20
SETTLING_SHIFT = 1.0e-6  #: m: shift of a mode, for slopes by differences


def fixed() -> dict[str, float]:
    """Return the constants that are the same for all models."""
    return {name: value for name, value in globals().items() if name.isupper() and not isinstance(value, Supplied)}


def of_model() -> set[str]:
    """Return the names of the constants that the writer of a module supplies."""
    return {name for name, value in globals().items() if isinstance(value, Supplied)}
