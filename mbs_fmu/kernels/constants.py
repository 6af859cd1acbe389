"""Constants of kernels: status codes, codes of states and choices, bounds of counts. tolerances.py has tolerances.

record/codes.py explains the codes. The names are constants of generated modules, and the texts of kernels use them.
"""

from ..record.codes import MODE_NUMBERS, MOST_LOGGED, TINY, Fresh, LogKind, ModeRole, RowSelection, StartRate, Status
from ..record.schema import LoopNumbers
from .declarations import supplied, supplied_number

# -- status of a call ------------------------------------------------------------------------------------------

OK = Status.ok
NON_FINITE = Status.non_finite
STEP_TOO_SMALL = Status.step_too_small
SINGULAR_POSITION = Status.singular_position
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
NEAR_LIST_FULL = Status.near_list_full
UNENDING = Status.unending
NOT_ASSEMBLED = Status.not_assembled
NOT_MOVABLE = Status.not_movable
OPEN_LOOP = Status.open_loop
NOT_FOLLOWED = Status.not_followed
PENETRATES = Status.penetrates
UNSETTLED = Status.unsettled

# -- values of numbers of the record ---------------------------------------------------------------------------

STALE = float(Fresh.stale)  #: values of `R.fresh`
ALL_FRESH = float(Fresh.everything)
DERIVATIVES_FRESH = float(Fresh.derivatives)
RATES_FRESH = float(Fresh.rates)
ROWS_CHOSEN = float(Fresh.rows_chosen)
FROZEN_SELECTION = RowSelection.frozen  #: values of `R.row_selection`
FREE_SELECTION = RowSelection.free
NO_SELECTION = RowSelection.none
LATCH = ModeRole.latch  #: values of `MODE[g].role`
UNILATERAL = ModeRole.contact
FRICTION = ModeRole.friction
GUESSED = StartRate.guessed  #: value of `R.free_rates[k]` for a joint velocity whose start value is a guess
OVERRUN = 2.0  #: value of `R.due[g]` if the end of mode g was passed without being located, for example in a jump
GIVEN_UP = -1.0  #: value of `R.candidate[g]`: the closure took part in the choice of modes, and keeps its mode now
COUNTED_ZERO = TINY  #: magnitude that replaces zero in watched functions whose zero was counted already
OF_EVENT = LogKind.event  #: values of `LogEntry.kind`
OF_STOP = LogKind.stop
OF_RESET = LogKind.reset
OF_MODE = LogKind.mode
OF_SAMPLE = LogKind.sample

# -- counts and their bounds -----------------------------------------------------------------------------------

N_COUNTERS = LoopNumbers.size - LoopNumbers.largest_residual_of_run  #: size of `R.counters`
PER_MODE = MODE_NUMBERS  #: numbers of each mode in `R.mode_numbers`
FULL_LOG = MOST_LOGGED  #: number of entries of the log at which it should be emptied
MOST_TRIALS = 200  #: largest number of sets of modes that are tried for one change
MOST_PARTS = 10_000  #: largest number of parts of a step that are made before the budget of the call is checked
MOST_TRIED = 200  #: largest number of parts into which a step that has failed as a whole is divided
MOST_REPEATED = 100  #: largest number of times that a step is repeated because something ends it earlier
MOST_ROUNDS = 200  #: largest number of rounds at one instant
LEAST_SHRUNK = 3  #: resets accumulate without end after at least this number of consecutive shrinking intervals
MOST_TINY = 1000  #: largest number of successive instants after parts of a step of almost no length
MOST_STARTS = 24  #: largest number of starts from which the assembly tries to close loops
MOST_SWEEPS = 100  #: largest number of iterations of an implicit method's stages
MOST_CELLS = 2**21  #: cells along each axis by which near pairs are found; the outermost cells have no end
MOST_STATIC_STEPS = 20  #: largest number of Newton steps to static equilibrium

# -- supplied by the writer of a module ------------------------------------------------------------------------

READY_STEPS = supplied()  #: 1 if `prepare_step` does more than computing the rates
FRESH_AT_END = supplied_number()  #: `R.fresh` after a step whose last stage is the first of the next step
REGROWTH = supplied_number()  #: factor by which a step may grow after a rejected one
LAGGED = supplied()  #: 1 if motion or modes depend on means of the last step
PRESCRIBED_MOTION = supplied()  #: 1 if the loops contain prescribed motion
