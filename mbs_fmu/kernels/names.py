"""Constants in the kernels of every model: addresses in the record, sizes, tables and status codes.

Each upper-case name is a constant of every generated module (see declarations.py).
"""

from ..record.layout import (
    TINY,
    FailedTrial,
    Fresh,
    Head,
    History,
    LinkConstants,
    Reset,
    SampleState,
    Status,
    Tie,
    Watch,
)
from ..record.regions import rate_region, state_region
from .declarations import from_layout, size, start, start_or_end, supplied, supplied_number, table

# -- the head ------------------------------------------------------------------------------------------------

TIME = Head.time
STEP = Head.step
FRESH = Head.fresh
STEPS = Head.steps
REJECTED = Head.rejected
EVALUATIONS = Head.evaluations
FAULT = Head.fault
FAILED_STEP = Head.failed_step
DONE = Head.done
FAULT_TIME = Head.fault_time
ABSOLUTE = Head.absolute
JACOBIANS = Head.jacobians
STILL = Head.still
LAST_ERROR = Head.last_error
MOST_STEP = Head.most_step
AHEAD = Head.ahead
AT_STEPS = Head.at_steps
SIDE = Head.side

# -- state, rates, inputs, parameters and outputs ------------------------------------------------------------

X0 = from_layout(lambda layout: state_region(layout).start)
NX = from_layout(lambda layout: state_region(layout).size)
F0 = from_layout(lambda layout: rate_region(layout).start)
P0 = start("p")
FIRST_P = from_layout(lambda layout: layout["p"].start - state_region(layout).start)  #: index in the state
NQ = size("q")
NV = size("p")
RATES = start("u")
TWIST = start("twist")
ERRORS = start("errors")
U_OLD = start("u_old")
U_NEW = start("u_new")
BASE = start("x0")
ROLLBACK = start("rollback")
STAGES = start("stages")
WORK = start("work")
INPUTS = start("inputs")
N_INPUTS = size("inputs")
PARAMETERS = start("parameters")
N_PARAMETERS = size("parameters")
OUTPUTS = start("outputs")
N_OUTPUTS = size("outputs")
CLOCK = from_layout(lambda layout: 2 * layout["inputs"].size)  #: index in U of start, interval, rows, stop of results
COLUMNS = table()  #: addresses of a result's columns
N_COLUMNS = supplied()
TAIL = start_or_end("tail")  #: address of the second record, or the end of the first

# -- links and their joints ----------------------------------------------------------------------------------

BODIES = start("bodies")
BODY_SIZE = LinkConstants.size
ARM = LinkConstants.r[0]
LINK_MASS = LinkConstants.mass
BRANCH_MASS = LinkConstants.branch_mass
MOMENT = LinkConstants.moment[0]
N_LINKS = supplied()
CLASS = table()
PARENT = table()
CHILDREN = table()
SLOT = table()
Q_INDEX = table()
U_INDEX = table()
DRIVEN_Q_INDEX = table()
DRIVEN_U_INDEX = table()
PACKED = table()  #: addresses of the constants that the links' classes use
UNPACKED = table()  #: for each of these constants the address of its source
N_PACKED = supplied()
N_SINES = from_layout(lambda layout: layout["driven_sines"].size + layout["sines"].size)
QUATERNIONS = table()  #: address of the first component of each quaternion
N_QUATERNIONS = supplied()
LOCKED = table()  #: addresses of the middle one of three angles, which determines gimbal lock
N_LOCKS = supplied()
LOCKS = start("locks")
N_DRIVES = size("drive_means")
DRIVE_MOMENTA = start("drive_momenta")
DRIVE_IMPULSES = start("drive_impulses")
DRIVE_STARTS = start("drive_starts")
DRIVE_MEANS = start("drive_means")

# -- times at which steps with error control end, and events --------------------------------------------------

SWITCHES = start("switches")
N_SWITCHES = size("switches")
KNOTS = table()  #: first address and number of points of each table over time
N_KNOTS = supplied()
INDICATORS = start("indicators")
N_EVENTS = size("indicators")
EVENT_DIRECTIONS = table()
STOPS = table()
OF_EVENTS = 0  #: search for crossings of the events' indicators
STANDS = TINY  #: value of an indicator at a zero that was counted already
OF_ENDS = 1  #: search for zeros of the distances from step ends
CROSSED = start("watch", Watch.crossed)
STOPPED = start("watch", Watch.stopped)
WATCHED_STEPS = start("watch", Watch.steps)
WATCHED_DONE = start("watch", Watch.done)
WATCHED_START = start("watch", Watch.start)
JUMPED = start("watch", Watch.jumped)
BEGAN = start("watch", Watch.began)
VALUES = start("watch", Watch.size)
CROSSINGS = from_layout(lambda layout: layout["watch"].start + Watch.size + 3 * layout["indicators"].size)
MET = from_layout(lambda layout: layout["watch"].start + Watch.size + 5 * layout["indicators"].size)

# -- ends of steps: constraint modes, then events with resets; sampled signals --------------------------------

N_ENDINGS = size("ending")
ENDING = start("ending")  #: 1 for a mode or event that ends the step
ENDING_BEFORE = start("ending_before")
END_VALUES = start("end_values")  #: distances from the ends at the beginning of the step, positive
END_NOW = start("end_now")
END_MIDDLE = start("end_middle")
END_LAST = start("end_last")
DUE = start("due")  #: 1 for a mode or event to be handled at the beginning of the next step
BARELY = 1.0e-9  #: share of its size at the end of a step: at the start of a flight, a mode quantity may be rounding
ON_START = 5.0e-7  #: share of its size a millionth of a step later: an indicator below it at the start is rounding
SAME_END = 1.0e-9  #: share of a step: ends at most this far apart coincide
N_MODES = size("modes")
N_CLOCKS = size("ticks")
CLOCKS = start("clocks")  #: for each clock its period and the time of its first sample
TICKS = start("ticks")  #: number of each clock's next sample
SAME_SAMPLE = 1.0e-6  #: share of a period: samples this close to a time coincide with it
JUMPS = start("sample_state", SampleState.count)
NEXT_SAMPLE = start("sample_state", SampleState.next_sample)
RESETS = start("resets")
RESET_SIZE = Reset.size
RESET_SIDE = Reset.side
RESET_LAST = Reset.last
RESET_GAP = Reset.gap
RESET_FIRST = Reset.first_gap
RESET_STANDS = Reset.stands
RESET_ZERO = Reset.zero
RESET_OFF = Reset.off
RESET_REACH = Reset.reach
RESET_SHRUNK = Reset.shrunk
RESET_CHATTERS = Reset.chatters
TIES = start("ties")
TIE_SIZE = Tie.size
TIE_MODE = Tie.mode
TIE_SIDE = Tie.side
TIE_SINCE = Tie.since
TIE_FOUND = Tie.found
TIE_VALUES = start("tie_values")
TIE_RESIDUALS = start("tie_residuals")
TIE_RATIOS = start("tie_ratios")  #: changes of indicators over changes of residuals
N_RESETS = from_layout(lambda layout: layout["resets"].size // Reset.size)
RESET_EVENT = table()  #: for each event with resets its number among the events
NEW = start("new_values")
N_NEW = size("new_values")
NEW_OWNER = table()  #: for each new value the index of its clock, or of its event with resets plus the clocks
NEW_TARGET = table()  #: for each new value the address that it is assigned to
NEW_MOVES = table()  #: for each new value: 1 if it is a coordinate or a joint velocity
MOST_PARTS = 10_000  #: largest number of parts of a step that are made without asking for the budget
LEAST_PART = 1.0e-9  #: smallest part of a step that fails, as a share of it
MOST_TRIED = 200  #: largest number of parts of a step that fails
TRIED_STATUS = start("failed_trial", FailedTrial.status)
TRIED_FAULT = start("failed_trial", FailedTrial.fault)
TRIED_TIME = start("failed_trial", FailedTrial.time)
TRIED_STEP = start("failed_trial", FailedTrial.step)
TRIED_AT = start("failed_trial", FailedTrial.at)
TRIED_SIZE = start("failed_trial", FailedTrial.part)
TRIED_PARTS = start("failed_trial", FailedTrial.parts)
MOST_REPEATED = 100  #: largest number of times that a step is repeated because something ends it earlier
MOST_JUMPS = 100  #: largest number of successive samples and resets at one time
ZENO = 1.0e-5  #: intervals between resets that shrink below this share of their first one accumulate without end
LEAST_SHRUNK = 3  #: number of consecutive shrinking intervals of such a sequence
CHATTER = 1.0e-6  #: share of a step: MOST_CHATTERS consecutive intervals this short are chatter
MOST_CHATTERS = 1000

# -- methods -------------------------------------------------------------------------------------------------

HISTORY = start("history", History.count)
N_HISTORY = size("history")  #: 0 for methods without history
HISTORY_STEP = start("history", History.step)
HISTORY_TIME = start("history", History.time)
NEWEST = start("history", History.newest)
HISTORY_SIZE = History.size
PAST = from_layout(  #: vectors from earlier steps; before them: state, inputs, parameters for which they are valid
    lambda layout: (
        layout["history"].start
        + History.size
        + state_region(layout).size
        + layout["inputs"].size
        + layout["parameters"].size
    )
)
JACOBIAN = start_or_end("jacobian")
FACTORED = start_or_end("factored")
SWAPS = start_or_end("swaps")
READY_STEPS = supplied()  #: 1 if `prepare_step` does more than computing the rates
MOST_SWEEPS = 100
FRESH_AT_END = supplied_number()  #: R[FRESH] after a step whose last stage is the first of the next step
REGROWTH = supplied_number()  #: factor by which a step may grow after a rejected one
SETTLED = 1e-9
STALE = float(Fresh.stale)
ALL_FRESH = float(Fresh.everything)
DERIVATIVES_FRESH = float(Fresh.derivatives)
RATES_FRESH = float(Fresh.rates)
ROWS_CHOSEN = float(Fresh.rows_chosen)

# -- status codes --------------------------------------------------------------------------------------------

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
