"""Names in the kernels of models with closed loops, reactions or accelerations, beside those of names.py."""

from ...record.layout import MOST_LOGGED, Choice, FreeRate, LoopState, ModeRole, Status
from ..declarations import given, size, start, table

# -- how loops are kept closed, and what became of it ----------------------------------------------------------

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
N_COUNTERS = LoopState.size - LoopState.worst  #: numbers from R[WORST] on

FROZEN_CHOICE = Choice.frozen
FREE_CHOICE = Choice.free
NO_CHOICE = Choice.none
MOST_SCALE = 1e4  #: of what moves a row in the tree: scales of pivots are no larger
FOLDED = 1e-8  #: pivots over their rows' scales near which rows hang on the residual
ROUNDED = 1e-26  #: squares below that share of others are those of rounding
AGREES = 1e-3  #: given motions agree where they part by less than this share of their terms

# -- rows of conditions --------------------------------------------------------------------------------------

N_ROWS = size("residuals")
N_LOOPS = size("ranks")
RESIDUALS = start("residuals")
RESIDUAL_RATES = start("residual_rates")
SCALES = start("scales")
MULTIPLIERS = start("multipliers")
MEANS = start("means")
PIVOTS = start("pivots")
RANKS = start("ranks")  #: how many rows of each loop count now
CHOSEN = start("chosen")  #: how many were chosen for this step: the first of its pivots
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
N_ADDED = given()
ROW_LOOP = table()
ROW_ANGULAR = table()
ROW_BINDS = table()  #: of each row: 1, or 0 for one in rates that binds no position
N_UNBOUND = given()  #: how many of those
CONTACT = table()  #: of each contact parameter its number among the signal states
N_CONTACTS = given()
CONTACTS = start("z")
CONTACT_STEPS = start("z_dot")
ROW_MODE = table()  #: of each row: the number of its closure's mode from 1, or 0 for one that holds always
LOOP_MODE = table()  #: the same of each loop
ROW_RATES = start("row_rates")
RATES_BEFORE = start("rates_before")
REBOUNDS = start("rebounds")
HELD = start("held")  #: for each link, then the world: 1 where a closure has rows that holds and might not; then any
KEPT_CHOICE = start("kept_choice")  #: pivots and how many, while others are chosen

# -- modes of closures ---------------------------------------------------------------------------------------

MODES = start("modes")
RELEASED = start(
    "released"
)  #: 1: it has, and its condition for holding has been neither met nor missed for certain since
REACH = start("reach")
ON_END = 1.0e-9  #: of its reach: closer to its end of which sign a number is may be rounding
ZEROS = start("zeros")
IDLE = start("idle")
TURNED = start("turned")
N_TURNED = size("turned")
ALIGNED = start("aligned")
IMPACT_IMPULSES = start("impact_impulses")
IMPULSES_BEFORE = start("impulses_before")
MODE_NUMBERS = start("mode_numbers")
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
MODE_FIRST = table()  #: first row
MODE_ROWS = table()
MODE_TURNED = table()  #: number from 1 of the place that turns where it takes hold, or 0
MODE_HELD = table()  #: 1: it holds at any start
MODE_HERE = table()  #: 1: it holds where it is at the start
ARMED = ModeRole.armed
ONE_SIDED = ModeRole.one_sided
STICKING = ModeRole.sticking
MOST_TRIALS = 200
PASSED = 2.0  #: due is a mode whose end a jump has passed, or a step where ends are looked at between steps only
BEYOND = -1.0  #: of a contact's trial: it takes part, and nothing that is found can change it
TOUCHING = 1.0e-9  #: of the mechanism's size: residuals below that touch
SLUGGISH = 1.0e-3  #: of the largest velocity: rounding of rates is less than that
SLIGHT = 1.0e-10  #: of the largest number of the same sort: what counts as zero where modes are chosen

# -- links and joint velocities ------------------------------------------------------------------------------

FREE = start("free")
FREE_RATES = start("free_rates")  #: of joint velocities at the start: 0: held; GUESSED; 2: no value is given
GUESSED = FreeRate.guessed
MASK = start("mask")
START_RATES = start("start_rates")  #: joint velocities while those with the least energy are looked for
START_MISSING = start("start_missing")  #: what they lack: held velocities, or momenta along the freedoms
START_WAY = start("start_way")  #: where they are moved
PUSH = start("push")
MOMENTUM = start("momentum")
EXCHANGE_RATES = start("exchange_rates")
POSE = start("pose")
DRIVEN_U = start("driven_u")
N_DRIVEN = size("driven_u")
LAGGED = given()  #: 1 where motion or modes depend on means of the last step
PRESCRIBED_MOTION = given()  #: 1 where anything in the loops moves by itself
ANGULAR = table()  #: of each joint velocity: 1, or 0 for one along an axis
RATES_OF = table()
RATE_INDEX = table()

# -- where rows are open and eliminated: tables of compile/closures/cuts.py ----------------------------------------

ENDS = table()  #: link, place in Y, row
N_ENDS = given()
OPEN_FIRST = table()
OPEN_SURE = table()  #: where those begin that may not hold
OPEN = table()  #: of the rows open at a link: Y there, Y at the parent, projections, row
PAIR_FIRST = table()
PAIR_SURE = table()  #: where those begin that may not hold
PAIRS = table()  #: of the pairs of loops open at a link: both projections, block, rows, columns, joint velocities
PAIR_LOOPS = table()  #: their numbers
ROOTED_FIRST = table()
ROOTED_SURE = table()  #: where those begin that may not hold
ROOTED = table()  #: of the loops rooted at a link: number, rows, first row, block, factor, Y
LATER_FIRST = table()
LATER_SURE = table()  #: where those begin that may not hold
LATER = table()  #: of the loops that are eliminated later: first row, rows, block, Y
UPDATE_FIRST = table()
UPDATE_SURE = table()  #: where those begin of which one may not hold
UPDATES = table()  #: of their pairs: blocks of both with the loop, block of the pair, rows, columns
UPDATE_LOOPS = table()  #: the numbers of both
SWITCHED = table()  #: of the loops that may not hold, in the order of modes: begin and end of its SWITCHED_LINKS
SWITCHED_LINKS = table()  #: where each has rows, the world last
SWITCHED_ROWS = table()  #: of the rows of all these: row, number of its mode, of its loop
N_SWITCHED = given()  #: how many of those rows
FRONTAL = (
    table()
)  #: of the loops in the order of elimination: place in ROOTED, front, its rows, next front, their numbers
FRONT_ROWS = table()  #: of each row of a front: the row
FRONT_MAP = table()  #: and its place in the next front, 0 of the loop's own

# -- what kernels return -------------------------------------------------------------------------------------

NOT_ASSEMBLED = Status.not_assembled
NOT_MOVABLE = Status.not_movable
OPEN_LOOP = Status.open_loop
NOT_FOLLOWED = Status.not_followed
PENETRATES = Status.penetrates
UNSETTLED = Status.unsettled
MOST_CHANGES = MOST_LOGGED
