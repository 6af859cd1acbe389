"""Drivers of models with closed loops, as text: start, stabilisation, re-basing, projection.

Copied into such modules beside drivers.py, whose `ready`, `initialise` and `error_velocities` they replace.
`solve`, `forces`, `conditions` and `plain_inboard` are generated.
"""


def largest_residual(R):
    """Largest residual of all rows; R[FAULT] is its row."""
    residual(R)
    return R[RESIDUAL]


def set_tolerance(R):
    """The pivots that count as zero, from the residual.

    A row whose pivot is d² amplifies residuals by 1/d². Error control finds out where that goes wrong; steps without
    it keep away, also in their stages, whose residuals are larger.
    """
    g = R[RESIDUAL] / R[LENGTH]
    if R[CHOICE] == FREE_CHOICE:
        wanted = 1.0e3 * g**2 if R[CONTROLLED] > 0.0 else 1.0e2 * g
        R[TOLERANCE] = min(1.0e-6, max(1.0e-12, wanted, R[LEAST]))
    elif R[CHOICE] == FROZEN_CHOICE and R[CONTROLLED] == 0.0:
        R[TOLERANCE] = max(R[TOLERANCE], min(1.0e-2, 10.0 * g))


def rebase(R):
    """Take the impulses into the momenta: p = pi + Jᵀ Lambda, Lambda = 0; nothing physical changes."""
    span = R[TIME] - R[REBASED]
    for k in range(N_ROWS):
        if span > 0.0:
            R[MEANS + k] = R[MULTIPLIERS + k] / span
        R[MULTIPLIERS + k] = 0.0
    for k in range(N_DRIVES):
        R[DRIVE_STARTS + k] = R[DRIVE_MOMENTA + k] - R[DRIVE_STARTS + k] - R[DRIVE_IMPULSES + k]  # given since then
        R[DRIVE_IMPULSES + k] = 0.0
    forces(R)
    copy(R, MOMENTUM, P0, NV)
    for k in range(N_DRIVES):
        R[DRIVE_STARTS + k] = R[DRIVE_MOMENTA + k] - R[DRIVE_STARTS + k]
    R[REBASED] = R[TIME]
    R[REBASINGS] += 1.0


def drive_means(R):
    """What the drives gave since the mark, over the time since then: the change of momentum along them that nothing
    else explains.

    Where a motion that follows inputs jumps, its impulse is given at that instant: it is kept for the next mean.
    """
    begin = min(R[MARKED], R[MEASURED])
    if R[TIME] > R[MEASURED]:
        for k in range(N_DRIVES):
            given = R[DRIVE_MOMENTA + k] - R[DRIVE_STARTS + k] - R[DRIVE_IMPULSES + k]
            R[DRIVE_MEANS + k] = (R[DRIVE_MEANS + k] * (R[MEASURED] - begin) + given) / (R[TIME] - begin)
        start_drives(R)


def start_drives(R):
    """Count what drives give from the present state on."""
    for k in range(N_DRIVES):
        R[DRIVE_STARTS + k] = R[DRIVE_MOMENTA + k] - R[DRIVE_IMPULSES + k]
    R[MEASURED] = R[TIME]


def mark(R):
    """Note that means are to be taken from now on."""
    R[MARKED] = R[TIME]


def move_marks(R, before):
    """Noted times that were the present one stay so: no mean is one over the rounding of time."""
    if R[MARKED] == before:
        R[MARKED] = R[TIME]
    if R[MEASURED] == before:
        R[MEASURED] = R[TIME]
    if R[REBASED] == before:
        R[REBASED] = R[TIME]


def project(R):
    """Coordinates back onto g = 0, by the step that is shortest in the metric of the inertia."""
    copy(R, P0, MOMENTUM, NV)
    alpha = R[ALPHA]
    for k in range(NV):
        R[P0 + k] = 0.0
    R[ALPHA] = 1.0
    R[DRIFT] = 0.0
    R[STILL] = 1.0
    solve(R)
    for k in range(NQ):
        R[X0 + k] += R[F0 + k]
    normalise(R)
    R[ALPHA] = alpha
    R[DRIFT] = 1.0
    R[STILL] = 0.0
    copy(R, MOMENTUM, P0, NV)


def ready(R, U, h, controlled):
    """An accepted state made ready for a step of size h: rows chosen, residual projected, momenta re-based."""
    R[CONTROLLED] = 1.0 if controlled else 0.0
    alpha = R[MOST_ALPHA]
    if h > 0.0:
        alpha = min(alpha, R[ALPHA_STEP] / h)
    if R[FRESH] != 0.0 and R[ALPHA] == alpha:
        return OK
    R[ALPHA] = alpha
    choose_rows(R, U, controlled)
    drive_means(R)
    for k in range(N_ROWS):
        R[IMPULSE_MOST] = max(R[IMPULSE_MOST], abs(R[MULTIPLIERS + k]))
    if R[REBASE] > 0.0:
        rebase(R)
    if 0.0 <= R[PROJECT] < R[RESIDUAL]:
        project(R)
        R[PROJECTIONS] += 1.0
        evaluate(R, U)
        start_drives(R)  # none of them has made this correction
        if R[REBASE] > 0.0:
            rebase(R)
    R[CHOICE] = FROZEN_CHOICE
    count_rank(R)
    R[FRESH] = 3.0
    R[WORST] = max(R[WORST], R[RESIDUAL])
    broken = R[RESIDUAL] > R[BOUND]
    if GIVEN_MOTION > 0 and (broken or in_doubt(R)):
        left = contradiction(R, 1.0e-5 if broken else AGREES)
        if left > 0.0:
            R[LAST_GOOD] = left
            return fail(R, ROW_LOOP[int(R[FAULT])], h, NOT_FOLLOWED)
    if broken:
        R[LAST_GOOD] = largest_residual(R)
        return fail(R, ROW_LOOP[int(R[FAULT])], h, OPEN_LOOP)
    return unlocked(R, h)


def evaluate_between(R, U):
    """All rates at a state interpolated in a step, projected like the step's ends."""
    evaluate(R, U)
    if 0.0 <= R[PROJECT] < R[RESIDUAL]:
        project(R)
        evaluate(R, U)


def choose_rows(R, U, controlled):
    """Evaluate with the rows that are independent now.

    A row that was left out in a singular position comes back when that no longer changes velocities by more than error
    control allows: its correction is the drift of the meantime over the distance from that position.
    """
    count_rank(R)
    before = R[RANK]
    allowed = 1.0e5 * R[PROJECT] if R[PROJECT] > 0.0 else 1.0e-5
    R[LEAST] = 0.0
    R[CHOICE] = FREE_CHOICE
    evaluate(R, U)
    count_rank(R)
    while controlled and 0.0 < before < R[RANK] and R[TOLERANCE] < 1.0e-6:
        change = 0.0
        size = 0.0
        for k in range(NV):
            change = max(change, abs(R[RATES + k] - R[U_OLD + k]))
            size = max(size, abs(R[U_OLD + k]))
        if change <= allowed * size:
            break
        R[LEAST] = 10.0 * R[TOLERANCE]
        evaluate(R, U)
        count_rank(R)


def exchanged(R, D):
    """The rates for an importer's solver, unless they are there already; expects `rates`, D is room for tangents."""
    if R[EXCHANGE_FRESH] == 0.0:
        exchange_rates(R, D)


def begin(R, U, h):
    """`ready`, for an importer that makes the steps itself, under error control of its own."""
    mark(R)
    return ready(R, U, h, True)


def completed(R, U):
    """What is to be looked after at the end of a step that an importer has made: means; a status.

    Such a step accumulates no impulses: means are those of the step's two ends. Expects `exchanged`.
    """
    for k in range(N_ROWS):
        if R[TIME] > R[REBASED]:
            R[MEANS + k] = 0.5 * (R[LAST_ROW_FORCES + k] + R[ROW_FORCES + k])
        R[LAST_ROW_FORCES + k] = R[ROW_FORCES + k]
    R[REBASED] = R[TIME]
    mark(R)
    drive_means(R)
    return unlocked(R, 0.0)


def count_rank(R):
    R[RANK] = 0.0
    for k in range(N_LOOPS):
        R[RANK] += R[RANKS + k]


def error_velocities(R):
    """Errors of the momenta become those of the joint velocities: the loops' conditions hold for them too."""
    copy(R, P0, MOMENTUM, NV)
    copy(R, ERRORS, P0, NV)
    alpha = R[ALPHA]
    R[ALPHA] = 0.0
    R[DRIFT] = 0.0
    R[STILL] = 1.0
    solve(R)
    R[ALPHA] = alpha
    R[DRIFT] = 1.0
    R[STILL] = 0.0
    copy(R, RATES, ERRORS, NV)
    copy(R, MOMENTUM, P0, NV)
    copy(R, U_NEW, RATES, NV)
    R[EVALUATIONS] += 1.0


# -- start ---------------------------------------------------------------------------------------------------


def initialise(R):
    """Everything from the parameters and start values, in the record already; R[FAULT] says what is wrong with them."""
    R[FRESH] = R[STEP] = R[STEPS] = R[REJECTED] = R[EVALUATIONS] = R[JACOBIANS] = R[FAILED_STEP] = 0.0
    R[LAST_ERROR] = 1.0e-4
    forget_history(R)
    for k in range(N_COUNTERS):
        R[WORST + k] = 0.0
    R[REBASED] = R[MARKED] = R[TIME]
    R[ALPHA] = R[MOST_ALPHA]
    R[DRIFT] = 1.0
    for k in range(N_QUATERNIONS):
        a = QUATERNIONS[k]
        if not R[a] * R[a] + R[a + 1] * R[a + 1] + R[a + 2] * R[a + 2] + R[a + 3] * R[a + 3] > 1.0e-12:
            R[FAULT] = k
            return NO_DIRECTION
    R[FAULT] = prepare(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_CHECK
    normalise(R)
    status = assemble(R)
    if status != OK:
        return status
    momenta(R)
    R[FAULT] = check_start(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_START_CHECK
    for k in range(N_LOCKS):
        R[LOCKS + 2 * k + 1] = 0.0
    if unlocked(R, 0.0) != OK:
        return GIMBAL_LOCK
    R[CHOICE] = NO_CHOICE
    R[FAULT] = lost_motion(R)
    if R[FAULT] >= 0.0:
        return NO_INERTIA
    set_scales(R)
    R[CHOICE] = FREE_CHOICE
    solve(R)
    R[CHOICE] = FROZEN_CHOICE
    count_rank(R)
    forces(R)
    for k in range(N_DRIVES):
        R[DRIVE_IMPULSES + k] = R[DRIVE_MEANS + k] = 0.0
    start_drives(R)
    return OK


def set_length(R):
    """Size of the mechanism: of its arms, offsets and extent in space."""
    largest = 0.0
    for i in range(N_LINKS):
        for k in range(3):
            c = BODIES + BODY_SIZE * i
            largest = max(largest, abs(R[c + ARM + k]))
            if R[c] > 0.0:
                largest = max(largest, abs(R[c + 1 + k]) / R[c])
            largest = max(largest, abs(R[POSE + 12 * i + 9 + k] - R[POSE + 9 + k]))
    R[LENGTH] = largest if largest > 0.0 else 1.0
    R[BOUND] = min(R[BOUND], 1.0e-2 * R[LENGTH])


def set_scales(R):
    """For each row what its pivot would be with its end bodies alone; massless ones are left out."""
    conditions(R)
    mass = 0.0
    for i in range(N_LINKS):
        mass += R[BODIES + BODY_SIZE * i]
    for k in range(N_ROWS):
        R[SCALES + k] = 0.0
    for end in range(N_ENDS):
        c = BODIES + BODY_SIZE * ENDS[3 * end]
        y = ROW_Y + ENDS[3 * end + 1]
        m = R[c]
        square = R[y] ** 2 + R[y + 1] ** 2 + R[y + 2] ** 2
        if m > 0.0:
            x0 = R[c + 1] / m
            x1 = R[c + 2] / m
            x2 = R[c + 3] / m
            half = 0.5 * (R[c + 4] + R[c + 7] + R[c + 9]) - m * (x0 * x0 + x1 * x1 + x2 * x2)
            R[SCALES + ENDS[3 * end + 2]] += square / m
            if half > 0.0:
                t0 = R[y + 3] - (x1 * R[y + 2] - x2 * R[y + 1])
                t1 = R[y + 4] - (x2 * R[y] - x0 * R[y + 2])
                t2 = R[y + 5] - (x0 * R[y + 1] - x1 * R[y])
                R[SCALES + ENDS[3 * end + 2]] += (t0 * t0 + t1 * t1 + t2 * t2) / half
    for k in range(N_ROWS):
        if R[SCALES + k] == 0.0:
            R[SCALES + k] = row_size(R, k) / mass if mass > 0.0 else 1.0


def row_size(R, row):
    """Square of a row at its ends: forces, torques and rates of coordinates; expects `conditions`."""
    total = 0.0
    for end in range(N_ENDS):
        if ENDS[3 * end + 2] == row:
            for h in range(6):
                total += R[ROW_Y + ENDS[3 * end + 1] + h] ** 2
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            if OPEN[4 * e + 3] == row:
                for k in range(RATES_OF[i]):
                    total += R[ROW_W + OPEN[4 * e + 2] + k] ** 2
    return total
