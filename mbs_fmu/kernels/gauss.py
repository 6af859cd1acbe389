"""Steps of Gauss-Legendre methods, as text (see tableaus.Gauss).

The stages' equations are solved by repeated substitution, each stage with the newest rates of the others, from rates
extrapolated from the last steps, until a sweep changes no digit or two bring no progress. The sum x + h sum b_i k_i
carries along what its rounding loses (E. Hairer, R. McLachlan, A. Razakarivony, BIT 48 (2008) 231-243).
"""


def METHOD_enter(R, U, stop, h):
    """Before the first step of a call: what is remembered, where it still holds."""
    if not history_holds(R, U):
        R[HISTORY] = 0.0
        for k in range(NX):
            R[PAST + k] = 0.0
    elif other_step(R, stop, h):
        R[HISTORY] = 0.0
    R[HISTORY_TIME] = np.nan  # until the call has ended well


def METHOD_leave(R, U, h):
    """After the last step of a call."""
    note_history(R, h)


def METHOD_one(R, U, time, h, end):
    """One step of METHOD from `time` to `end`, of size h; a status. After a failure the state is spoiled."""
    if READY_STEPS > 0 or R[HISTORY] == 0.0:
        status = ready(R, U, h, False)
        if status != OK:
            return status
        fault = finite(R, F0, NX)
        if fault >= 0:
            return fail(R, fault, h, NON_FINITE)
    elif unlocked(R, h) != OK:
        return GIMBAL_LOCK
    copy(R, X0, BASE, NX)
    copy(R, F0, STAGES, NX)
    if R[HISTORY] < METHOD_PAST:
        for i in range(METHOD_STAGES):
            copy(R, F0, STAGES + (i + 1) * NX, NX)
    else:
        METHOD_predict(R)
    status = METHOD_solve(R, U, time, h)
    if status != OK:
        fault = int(R[FAULT])
        R[TIME] = time
        copy(R, BASE, X0, NX)
        return fail_from(R, U, fault, h, 0.1 * h, status)
    METHOD_sum(R, h)
    for i in range(1, METHOD_PAST):
        copy(R, PAST + (1 + i * METHOD_STAGES) * NX, PAST + (1 + (i - 1) * METHOD_STAGES) * NX, METHOD_STAGES * NX)
    copy(R, STAGES + NX, PAST + (1 + (METHOD_PAST - 1) * METHOD_STAGES) * NX, METHOD_STAGES * NX)
    R[HISTORY] += 1.0
    normalise(R)
    R[TIME] = end
    R[STEPS] += 1.0
    R[FRESH] = 0.0
    return OK


def METHOD_solve(R, U, time, h):
    """The stages' rates, to round-off; a status, with the component in R[FAULT].

    Nothing depends on the impulses along drives: they need not settle.
    """
    before = np.inf
    earlier = np.inf
    for iteration in range(MOST_SWEEPS):
        largest = 0.0
        for i in range(METHOD_STAGES):
            METHOD_stage(R, i, time, h)
            evaluate(R, U)
            R[FAULT] = finite(R, F0, NX)
            if R[FAULT] >= 0.0:
                return NON_FINITE if iteration == 0 else NOT_CONVERGED
            largest = max(
                largest,
                change(R, STAGES + (i + 1) * NX, 0, FIRST_P, h),
                change(R, STAGES + (i + 1) * NX, FIRST_P, FIRST_P + NV, h),
                change(R, STAGES + (i + 1) * NX, FIRST_P + NV, NX - N_DRIVES, h),
            )
            copy(R, F0, STAGES + (i + 1) * NX, NX)
        if largest <= 1.1e-16 or (earlier <= largest < SETTLED):
            return OK
        earlier = before
        before = largest
    METHOD_stage(R, METHOD_STAGES - 1, time, h)
    evaluate(R, U)
    R[FAULT] = most_changed(R, STAGES + METHOD_STAGES * NX)
    return NOT_CONVERGED


def change(R, old, first, last, h):
    """Largest change of rates k in first .. last against `old`, over the step, against the components' own sizes.

    A component that is much smaller than others of its kind is judged by a thousandth of those.
    """
    size = 0.0
    for k in range(first, last):
        size = max(size, abs(R[BASE + k]), h * abs(R[F0 + k]))
    largest = 0.0
    for k in range(first, last):
        difference = abs(R[F0 + k] - R[old + k])
        if difference > 0.0:
            own = max(abs(R[BASE + k]), h * abs(R[F0 + k]))
            largest = max(largest, h * difference / max(own, 1.0e-3 * size))
    return largest


def most_changed(R, old):
    """Index of the component whose rate differs most from the one at `old`, against its size."""
    found = 0
    largest = -1.0
    for k in range(NX - N_DRIVES):
        share = abs(R[F0 + k] - R[old + k]) / (abs(R[F0 + k]) + abs(R[old + k]) + 1.0e-300)
        if share > largest:
            found = k
            largest = share
    return found


def METHOD_sum(R, h):
    """The new state, and what rounding lost of it."""
    for k in range(NX):
        increment = h * (METHOD_WEIGHTED) + R[PAST + k]
        R[X0 + k] = R[BASE + k] + increment
        R[PAST + k] = (R[BASE + k] - R[X0 + k]) + increment
