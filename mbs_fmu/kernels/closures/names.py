"""Constants in the kernels of models with closed loops, reactions or accelerations, in addition to ../names.py."""

from ...record.layout import MODE_NUMBERS as NUMBERS_OF_A_MODE
from ...record.layout import MOST_LOGGED, Choice, FreeRate, LoopState, ModeRole, Status
from ..declarations import size, start, supplied, table

# -- stabilization of loops, and its results -------------------------------------------------------------------

ALPHA = start("loop_state", LoopState.alpha)
DRIFT = start("loop_state", LoopState.drift)
CHOICE = start("loop_state", LoopState.choice)
TOLERANCE = start("loop_state", LoopState.tolerance)
MOST_ALPHA = start("loop_state", LoopState.most_alpha)
ALPHA_STEP = start("loop_state", LoopState.alpha_step)
PROJECT = start("loop_state", LoopState.project)
REBASE = start("loop_state", LoopState.rebase)
BOUND = start("loop_state", LoopState.bound)
LENGTH = start("loop_state", LoopState.length)
RESIDUAL = start("loop_state", LoopState.residual)
WORST = start("loop_state", LoopState.worst)
IMPULSE_MOST = start("loop_state", LoopState.impulse)
RANK = start("loop_state", LoopState.rank)
REBASINGS = start("loop_state", LoopState.rebasings)
PROJECTIONS = start("loop_state", LoopState.projections)
REBASED = start("loop_state", LoopState.rebased)
ITERATIONS = start("loop_state", LoopState.iterations)
MOVED = start("loop_state", LoopState.moved)
SINGULAR = start("loop_state", LoopState.singular)
LAST_GOOD = start("loop_state", LoopState.last_good)
CONTROLLED = start("loop_state", LoopState.controlled)
LEAST = start("loop_state", LoopState.least)
MARKED = start("loop_state", LoopState.marked)
MEASURED = start("loop_state", LoopState.measured)
BLAMED = start("loop_state", LoopState.blamed)
EXCHANGE_FRESH = start("loop_state", LoopState.exchange_fresh)
POSITIONS = start("loop_state", LoopState.positions)
POSITION_RANK = start("loop_state", LoopState.position_rank)
N_COUNTERS = LoopState.size - LoopState.worst  #: size of the counters from R[WORST] on

FROZEN_CHOICE = Choice.frozen
FREE_CHOICE = Choice.free
NO_CHOICE = Choice.none
MOST_SCALE = 1e4  #: largest ratio of a row's scale to its pivot in the tree
FOLDED = 1e-8  #: ratio of pivot to scale near which the direction of a row depends on the residual
ROUNDED = 1e-26  #: a square smaller than this share of other squares is rounding
AGREES = 1e-3  #: prescribed motions agree if they differ by less than this share of their terms
AT_REST = 1e-12  #: a velocity below this share of the mechanism's size per second is rounding of a state at rest

# -- constraint rows -----------------------------------------------------------------------------------------

N_ROWS = size("residuals")
N_LOOPS = size("ranks")
RESIDUALS = start("residuals")
RESIDUAL_RATES = start("residual_rates")
SCALES = start("scales")
MULTIPLIERS = start("multipliers")
MEANS = start("means")
PIVOTS = start("pivots")
RANKS = start("ranks")  #: for each loop the number of active rows now
CHOSEN = start("chosen")  #: for each loop the number of rows chosen for this step: the first of its pivots
ROW_FORCES = start("row_forces")
LAST_ROW_FORCES = start("last_row_forces")
ROW_Y = start("row_y")
N_Y = size("row_y")
ROW_Z = start("row_z")
N_Z = size("row_z")
ROW_W = start("row_w")
ROW_B = start("row_b")
ROW_D = start("row_d")
ROW_V = start("row_v")
RIGHT = start("right")
TERMS = start("terms")
SOLVED = start("solved")
BLOCKS = start("blocks")
N_BLOCKS = size("blocks")
FACTORS = start("factors")
COLUMN = start("column")
FRONT = start("frontal")
N_FRONT = size("frontal")
GAINS = start("elimination_factors")
SHARES = start("shares")
ADDED = start("added")
N_ADDED = supplied()
ROW_LOOP = table()
ROW_ANGULAR = table()
ROW_BINDS = table()  #: for each row: 1, or 0 for a rate constraint
N_UNBOUND = supplied()  #: number of rate constraints
CONTACT = table()  #: for each contact parameter its number among the signal states
N_CONTACTS = supplied()
CONTACTS = start("z")
CONTACT_STEPS = start("z_dot")
ROW_MODE = table()  #: for each row the number of its closure's mode from 1, or 0 if the closure has none
LOOP_MODE = table()  #: for each loop the number of its closure's mode from 1, or 0
ROW_RATES = start("row_rates")
RATES_BEFORE = start("rates_before")
REBOUNDS = start("rebounds")
#: For each link, then the world: 1 if a closure with modes that has rows there holds. The last entry: 1 if any holds.
HELD = start("held")
KEPT_CHOICE = start("kept_choice")  #: stored pivots and ranks while others are in use

# -- constraint modes ----------------------------------------------------------------------------------------

MODES = start("modes")
#: 1 for a released latch whose engaging condition has since then been zero up to rounding.
RELEASED = start("released")
REACH = start("reach")
ON_END = 1.0e-9  #: share of REACH: below it the sign of the distance from an end may be rounding
ZEROS = start("zeros")
IDLE = start("idle")
TURNED = start("turned")
N_TURNED = size("turned")
ALIGNED = start("aligned")
IMPACT_IMPULSES = start("impact_impulses")
IMPULSES_BEFORE = start("impulses_before")
MODE_NUMBERS = start("mode_numbers")
PER_MODE = NUMBERS_OF_A_MODE  #: numbers of each mode in `mode_numbers`
MODE_OLD = start("mode_old")
TRIAL = start("trial")
LOSSES = start("losses")
MULTIPLIER_RATES = start("multiplier_rates")
MULTIPLIER_RATES_BEFORE = start("multiplier_rates_before")
ROW_ACCELERATIONS = start("row_accelerations")
SLOW = start("slow")
MODE_LOG = start("mode_log")
CHANGES = start("loop_state", LoopState.changes)
LOGGED = start("loop_state", LoopState.logged)
ALL_ROWS = start("loop_state", LoopState.all_rows)
STRUCK = start("loop_state", LoopState.struck)
COUNTED_FROM = start("loop_state", LoopState.counted_from)
MODE_ROLE = table()
MODE_RATED = table()  #: for each mode: 1 for a one-sided row that is open while its rate, not its residual, is positive
MODE_FIRST = table()  #: for each mode the first row of its closure
MODE_ROWS = table()
MODE_TURNED = table()  #: for each mode the number, from 1, of the place that is rotated when it engages, or 0
MODE_HELD = table()  #: for each mode: 1 if the closure holds at every start
MODE_HERE = table()  #: for each mode: 1 if the closure engages at the start position
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

# -- links and joint velocities ------------------------------------------------------------------------------

FREE = start("free")
FREE_RATES = start("free_rates")  #: for each joint velocity at the start, see `record.layout.FreeRate`
GUESSED = FreeRate.guessed
MASK = start("mask")
START_RATES = start("start_rates")  #: joint velocities during the search for least kinetic energy
START_MISSING = start("start_missing")  #: error of START_RATES in held velocities, or in momenta along the free motions
START_WAY = start("start_way")  #: search direction
PUSH = start("push")
MOMENTUM = start("momentum")
EXCHANGE_RATES = start("exchange_rates")
POSE = start("pose")
DRIVEN_U = start("driven_u")
N_DRIVEN = size("driven_u")
LAGGED = supplied()  #: 1 if motion or modes depend on means of the last step
PRESCRIBED_MOTION = supplied()  #: 1 if the loops contain prescribed motion
ANGULAR = table()  #: for each joint velocity: 1 if it is angular, 0 if it is linear
RATES_OF = table()
RATE_INDEX = table()

# -- where rows are open and eliminated: tables of compile/closures/cuts.py ------------------------------------

ENDS = table()  #: for each end of a row: link, index in Y, row
N_ENDS = supplied()
OPEN_FIRST = table()
OPEN_SURE = table()  #: for each link the end of the rows that always hold
OPEN = table()  #: for each row open at a link: Y there, Y at the parent, projections, row
PAIR_FIRST = table()
PAIR_SURE = table()  #: for each link the end of the pairs that always hold
PAIRS = table()  #: for each pair of loops open at a link: both projections, block, rows, columns, joint velocities
PAIR_LOOPS = table()  #: for each of these pairs the numbers of both loops
ROOTED_FIRST = table()
ROOTED_SURE = table()  #: for each link the end of the loops that always hold
ROOTED = table()  #: for each loop rooted at a link: number, rows, first row, block, factor, Y
LATER_FIRST = table()
LATER_SURE = table()  #: end of the later loops that always hold
LATER = table()  #: for each loop that is eliminated later: first row, rows, block, Y
UPDATE_FIRST = table()
UPDATE_SURE = table()  #: end of the pairs of loops that always hold
UPDATES = table()  #: for each pair of later loops: blocks of both with the loop, block of the pair, rows, columns
UPDATE_LOOPS = table()  #: for each of these pairs the numbers of both loops
SWITCHED = table()  #: for each loop with modes, in the order of modes: begin and end of its SWITCHED_LINKS
SWITCHED_LINKS = table()  #: links at which each of these loops has rows, the world last
SWITCHED_ROWS = table()  #: for each row of loops with modes: row, number of its mode, number of its loop
N_SWITCHED = supplied()  #: number of these rows
#: For each loop in the order of elimination: index in ROOTED, frontal matrix, number of its rows, next loop in this
#: order or -1, index of its rows in FRONT_ROWS.
FRONTAL = table()
FRONT_ROWS = table()  #: for each row of a frontal matrix the row of the model
FRONT_MAP = table()  #: for each row of a frontal matrix its index in the next one, 0 for the loop's own rows

# -- status codes --------------------------------------------------------------------------------------------

NOT_ASSEMBLED = Status.not_assembled
NOT_MOVABLE = Status.not_movable
OPEN_LOOP = Status.open_loop
NOT_FOLLOWED = Status.not_followed
PENETRATES = Status.penetrates
UNSETTLED = Status.unsettled
MOST_CHANGES = MOST_LOGGED
