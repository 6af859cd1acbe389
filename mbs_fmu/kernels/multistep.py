"""Steps of Adams-Bashforth-Moulton methods, as text (see tableaus.Multistep): predict, evaluate, correct.

The rates of the last steps stand in region `history`, written in turn. They are those at the predicted states: one
evaluation a step. In models with closed loops (or whose drives' forces are asked for) rates are made anew at each
corrected state, where rows are chosen and impulses counted.
"""


def METHOD_enter(R, U, stop, h):
    """Before the first step of a call: what is remembered, where it still holds."""
    if not history_holds(R, U) or other_step(R, stop, h) or moving_inputs(R, U):
        R[HISTORY] = 0.0
    R[HISTORY_TIME] = np.nan  # until the call has ended well


def METHOD_leave(R, U, h):
    """After the last step of a call."""
    note_history(R, h)


def moving_inputs(R, U):
    """Whether an importer gives inputs along a line, which has a corner at each of its points."""
    is_moving = False
    for k in range(N_INPUTS):
        is_moving = is_moving or (U[2 * k + 1] == 2.0 and U[CLOCK + 2] == 0.0)
    return is_moving


def METHOD_one(R, U, time, h, end):
    """One step of METHOD from `time` to `end`, of size h; a status. After a failure the state is spoiled."""
    if READY_STEPS > 0 or R[HISTORY] == 0.0:
        status = METHOD_ready(R, U, h)
        if status != OK:
            return status
        METHOD_note(R, R[HISTORY] == 0.0)
    elif unlocked(R, h) != OK:
        return GIMBAL_LOCK
    fault = finite(R, PAST + int(R[NEWEST]) * NX, NX)
    if fault >= 0:
        return fail(R, fault, h, NON_FINITE)
    copy(R, X0, BASE, NX)
    copy(R, F0, STAGES, NX)
    if R[HISTORY] < METHOD_PAST:
        METHOD_start(R, U, time, h)
    else:
        METHOD_predict(R, h)
        R[TIME] = end
        evaluate(R, U)
        METHOD_correct(R, h)
    fault = finite(R, X0, NX)
    if fault >= 0:
        R[TIME] = time
        copy(R, BASE, X0, NX)
        return fail_from(R, U, fault, h, 0.1 * h, NON_FINITE)
    normalise(R)
    R[TIME] = end
    if R[HISTORY] < METHOD_PAST:
        evaluate(R, U)
    METHOD_note(R, True)
    R[STEPS] += 1.0
    R[FRESH] = 0.0
    return OK


def METHOD_note(R, is_new):
    """The present rates as the newest ones; those of another time, or better ones of the same."""
    if is_new:
        R[NEWEST] = R[NEWEST] + 1.0 if R[NEWEST] < METHOD_PAST - 1 else 0.0
        R[HISTORY] += 1.0
    copy(R, F0, PAST + int(R[NEWEST]) * NX, NX)


def METHOD_ready(R, U, h):
    """An accepted state made ready for the next step."""
    return ready(R, U, h, False)


def METHOD_ready_closed(R, U, h):
    """An accepted state made ready for the next step: momenta are re-based where the impulses have grown large.

    Then, and where other rows are independent, the rates of past steps belong to another state: the method begins
    anew. Means are those since then. Without loops re-basing changes no momenta.
    """
    if N_ROWS == 0:
        return ready(R, U, h, False)
    wanted = R[REBASE]
    count = R[REBASINGS]
    rank = R[RANK]
    R[REBASE] = 1.0 if wanted > 0.0 and impulses_large(R) else 0.0
    status = ready(R, U, h, False)
    R[REBASE] = wanted
    if R[REBASINGS] != count or R[RANK] != rank:
        R[HISTORY] = 0.0
    span = R[TIME] - R[REBASED]
    if span > 0.0:
        for k in range(N_ROWS):
            R[MEANS + k] = R[MULTIPLIERS + k] / span
    return status


def impulses_large(R):
    """Whether an impulse would give its ends more than ten of the mechanism's lengths in a second."""
    largest = 0.0
    for k in range(N_ROWS):
        largest = max(largest, abs(R[MULTIPLIERS + k]) * np.sqrt(R[SCALES + k]))
    mass = 0.0
    for i in range(N_LINKS):
        mass += R[BODIES + BODY_SIZE * i]
    return largest > 10.0 * np.sqrt(mass) * R[LENGTH]
