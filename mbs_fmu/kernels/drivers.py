"""The time loops, as text: this file's functions are copied into every generated module.

Upper-case names are constants of the module (see compile/module.py); `derive`, `outputs`, `METHOD_...`
are its generated functions, with METHOD replaced by a method's name. The functions here allocate
nothing, raise nothing and return a `layout.Status`.
"""


def evaluate(R, U):
    """Inputs from their tables (U; none of them in an FMU), then all rates at the present state."""
    for k in range(N_INPUTS):
        points = int(common(U[2 * k + 1]))
        if points > 0:
            R[INPUTS + k] = interpolate(U, int(common(U[2 * k])), points, R[TIME])
    derive(R)
    R[EVALUATIONS] += 1.0


def ready(R, U, h, controlled):
    """An accepted state made ready for a step of size h; a status."""
    if R[FRESH] == 0.0:
        evaluate(R, U)
        R[FRESH] = 3.0
    return OK


def evaluate_between(R, U):
    """All rates at a state interpolated in a step."""
    evaluate(R, U)


def error_velocities(R, U):
    """Joint velocities that belong to errors of the momenta, which stand in the place of the momenta."""
    R[STILL] = 1.0
    evaluate(R, U)
    R[STILL] = 0.0


def rates(R, U):
    """Derivatives of the state, unless they are there already."""
    if R[FRESH] == 0.0:
        evaluate(R, U)
        copy(R, RATES, U_OLD, NV)
        R[FRESH] = 2.0


def tangent(R, D):
    """Rates and outputs with their tangents; D holds those of state, time, inputs and parameters."""
    derive_d(R, D)
    outputs_d(R, D)


def start_tangent(R, D):
    """The same before the start, where D holds tangents of q and u instead of those of q and p."""
    momenta_d(R, D)
    tangent(R, D)


def refresh(R, U):
    """Rates and outputs of the present state, unless they are there already.

    R[FRESH] is 0 when nothing is, 1 when all is, 2 when only the derivatives of the state are there, 3 when all
    but the outputs is.
    """
    if R[FRESH] != 1.0:
        if R[FRESH] != 3.0:
            evaluate(R, U)
        outputs(R)
        R[FRESH] = 1.0


def normalise(R):
    """Unit quaternions, after every accepted step."""
    for k in range(N_QUATERNIONS):
        a = QUATERNIONS[k]
        norm = np.sqrt(R[a] * R[a] + R[a + 1] * R[a + 1] + R[a + 2] * R[a + 2] + R[a + 3] * R[a + 3])
        for j in range(4):
            R[a + j] /= norm


def initialise(R):
    """Everything from the parameters and start values, in the record already; R[FAULT] says what is wrong with them."""
    R[FRESH] = R[STEP] = R[STEPS] = R[REJECTED] = R[EVALUATIONS] = 0.0
    for k in range(N_QUATERNIONS):
        a = QUATERNIONS[k]
        if not R[a] * R[a] + R[a + 1] * R[a + 1] + R[a + 2] * R[a + 2] + R[a + 3] * R[a + 3] > 1.0e-12:
            R[FAULT] = k
            return NO_DIRECTION
    R[FAULT] = prepare(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_CHECK
    normalise(R)
    momenta(R)
    R[FAULT] = check_start(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_START_CHECK
    R[FAULT] = lost_motion(R)
    return NO_INERTIA if R[FAULT] >= 0.0 else OK


def lost_motion(R):
    """Index of the state component whose motion moves no inertia, or -1.

    Velocities of order one must come back from their momenta to three digits. Where they don't, the motion
    with the smallest diagonal entry of the mass matrix is named.
    """
    copy(R, RATES, U_OLD, NV)
    copy(R, P0, WORK, NV)
    for k in range(NV):
        R[RATES + k] = np.cos(k)
    momenta(R)
    derive(R)
    lost = False
    for k in range(NV):
        lost = lost or not abs(R[RATES + k] - np.cos(k)) < 1.0e-3
    found = -1
    if lost:
        smallest = np.inf
        for k in range(NV):
            for j in range(NV):
                R[RATES + j] = 1.0 if j == k else 0.0
            momenta(R)
            if R[P0 + k] < smallest:
                found = FIRST_P + k
                smallest = R[P0 + k]
    copy(R, U_OLD, RATES, NV)
    copy(R, WORK, P0, NV)
    return found


def finite(R, start, size):
    """Index of the first number that is not finite, or -1."""
    total = 0.0
    for k in range(size):
        total += 0.0 * R[start + k]
    if total == 0.0:
        return -1
    for k in range(size):
        if 0.0 * R[start + k] != 0.0:
            return k
    return -1


def copy(R, source, target, size):
    for k in range(size):
        R[target + k] = R[source + k]


def fail(R, fault, step, status):
    """Note what went wrong, and when."""
    R[FAULT] = fault
    R[FAULT_TIME] = R[TIME]
    R[FAILED_STEP] = step
    R[FRESH] = 0.0
    return status


def take_back(R, time, status):
    """The state and time from before the call, after a failure in it."""
    copy(R, ROLLBACK, X0, NX)
    R[TIME] = time
    R[FRESH] = 0.0
    return status


def settle(R, U, beginning, h, controlled):
    """Rates and outputs at the end of a call; a failure where an output is not finite."""
    status = ready(R, U, h, controlled)
    if status != OK:
        return take_back(R, beginning, status)
    refresh(R, U)
    fault = finite(R, OUTPUTS, N_OUTPUTS)
    if fault >= 0:
        return take_back(R, beginning, fail(R, NX + fault, h, NON_FINITE))
    return OK


def equal_steps(span, step):
    """Into how many equal steps of at most `step` an interval goes."""
    return max(1, int(np.ceil(span / step * (1.0 - 1.0e-12))))


def METHOD_fixed(R, U, stop, step, budget):
    """Equal steps of METHOD to time `stop`: the interval in ceil(interval / step) parts.

    After a failure all of them are taken back. With a budget > 0 at most so many steps are made; then the
    status says to call again.
    """
    start = R[TIME]
    n = equal_steps(stop - start, step)
    h = (stop - start) / n
    copy(R, X0, ROLLBACK, NX)
    for k in range(n):
        if 0 < budget <= k:
            return BUDGET
        status = ready(R, U, h, False)
        if status != OK:
            return take_back(R, start, status)
        fault = finite(R, F0, NX)
        if fault >= 0:
            return take_back(R, start, fail(R, fault, h, NON_FINITE))
        copy(R, X0, BASE, NX)
        copy(R, F0, STAGES, NX)
        METHOD_stages(R, U, start + k * h, h)
        fault = finite(R, X0, NX)
        if fault >= 0:
            R[TIME] = start + k * h
            return take_back(R, start, fail(R, fault, h, NON_FINITE))
        normalise(R)
        R[TIME] = stop if k == n - 1 else start + (k + 1) * h
        R[STEPS] += 1.0
        R[FRESH] = 0.0
    return settle(R, U, start, h, False)


def METHOD_errors(R, U, h):
    """Estimated errors of q, u and z over a step of size h, into WORK; those of u are M(q)^-1 times those of p.

    Expects that the last stage is at the new state; leaves u and the derivatives there as they were.
    """
    for k in range(NX):
        R[WORK + k] = h * METHOD_error(R, k)
    if NV > 0:
        copy(R, RATES, U_NEW, NV)
        copy(R, P0, WORK + NX, NV)
        copy(R, WORK + FIRST_P, P0, NV)
        error_velocities(R, U)
        copy(R, RATES, WORK + FIRST_P, NV)
        copy(R, WORK + NX, P0, NV)
        copy(R, U_NEW, RATES, NV)
        copy(R, STAGES + METHOD_LAST * NX, F0, NX)


def scaled_error(R, k, tolerance):
    """Error k in WORK over what is allowed; for a momentum both are those of its joint velocity."""
    if FIRST_P <= k < FIRST_P + NV:
        a = abs(R[U_OLD + k - FIRST_P])
        b = abs(R[U_NEW + k - FIRST_P])
    else:
        a = abs(R[BASE + k])
        b = abs(R[X0 + k])
    return R[WORK + k] / (tolerance * (R[ABSOLUTE] + (a if a > b else b)))


def METHOD_try(R, U, h, tolerance):
    """One step of METHOD of size h from BASE; the scaled error, or -1 where something is not finite."""
    METHOD_stages(R, U, R[TIME], h)
    METHOD_errors(R, U, h)
    total = 0.0
    for k in range(NX):
        total += scaled_error(R, k, tolerance) ** 2
    error = np.sqrt(total / NX) if NX > 0 else 0.0
    return error if error < 1.0e300 else -1.0


def worst(R, tolerance):
    """Index of the state component with the largest scaled error."""
    found = 0
    largest = -1.0
    for k in range(NX):
        e = abs(scaled_error(R, k, tolerance))
        if e > largest:
            found = k
            largest = e
    return found


def METHOD_first_step(R, U, span, tolerance):
    """A first step size, from the sizes of q, z and their first and second derivatives (Hairer, Norsett, Wanner II.4).

    Expects fresh rates; leaves them spoiled, with the state in BASE.
    """
    size = 0.0
    rate = 0.0
    for k in range(NX):
        if not FIRST_P <= k < FIRST_P + NV:
            allowed = tolerance * (R[ABSOLUTE] + abs(R[X0 + k]))
            size += (R[X0 + k] / allowed) ** 2
            rate += (R[F0 + k] / allowed) ** 2
    h = 1.0e-6 if size < 1.0e-10 * (NX - NV) or rate < 1.0e-10 * (NX - NV) else 0.01 * np.sqrt(size / rate)
    h = min(h, span)
    copy(R, X0, BASE, NX)
    copy(R, F0, WORK, NX)
    for k in range(NX):
        R[X0 + k] = R[BASE + k] + h * R[WORK + k]
    time = R[TIME]
    R[TIME] = time + h
    evaluate(R, U)
    R[TIME] = time
    change = 0.0
    for k in range(NX):
        if not FIRST_P <= k < FIRST_P + NV:
            change += ((R[F0 + k] - R[WORK + k]) / (tolerance * (R[ABSOLUTE] + abs(R[BASE + k])))) ** 2
    copy(R, BASE, X0, NX)
    copy(R, WORK, F0, NX)
    largest = np.sqrt(max(rate, change / h**2) / max(1, NX - NV))
    second = max(1.0e-6, 1.0e-3 * h) if largest <= 1.0e-15 else (0.01 / largest) ** (1.0 / METHOD_ORDER)
    h = min(100.0 * h, second, span)
    return h if h > 0.0 else 1.0e-6 * span


def METHOD_step(R, U, limit, tolerance):
    """One accepted step of METHOD of at most `limit`; its stages stay for dense output.

    Returns a status; on success the time has moved, R[STEP] is the proposal for the next step.
    """
    status = ready(R, U, R[STEP], True)
    if status != OK:
        return status
    fault = finite(R, F0, NX)
    if fault >= 0:
        return fail(R, fault, R[STEP], NON_FINITE)
    if R[FRESH] != 2.0:
        copy(R, RATES, U_OLD, NV)
    if R[STEP] <= 0.0:
        R[STEP] = METHOD_first_step(R, U, limit, tolerance)
    copy(R, X0, BASE, NX)
    copy(R, F0, STAGES, NX)
    time = R[TIME]
    while True:
        h = min(R[STEP], limit)
        error = METHOD_try(R, U, h, tolerance)
        R[TIME] = time
        if 0.0 <= error <= 1.0:
            grown = 5.0 if error < 1.0e-10 else 0.9 * error ** (-1.0 / METHOD_ORDER)
            if h == R[STEP] or h * grown < R[STEP]:
                R[STEP] = h * min(5.0, max(0.2, grown))
            R[TIME] = time + h
            R[STEPS] += 1.0
            R[FRESH] = FRESH_AT_END
            copy(R, U_NEW, U_OLD, NV)
            return OK
        R[REJECTED] += 1.0
        R[STEP] = h * (0.1 if error < 0.0 else max(0.2, 0.9 * error ** (-1.0 / METHOD_ORDER)))
        fault = finite(R, X0, NX)
        if fault < 0:
            fault = worst(R, tolerance)
        copy(R, BASE, X0, NX)
        if R[STEP] < 1.0e-14 * max(abs(time), limit):
            return fail(R, fault, h, STEP_TOO_SMALL)


def METHOD_adaptive(R, U, stop, tolerance, budget):
    """Steps of METHOD that end exactly at time `stop`; after a failure all of them are taken back."""
    done = 0
    beginning = R[TIME]
    copy(R, X0, ROLLBACK, NX)
    while R[TIME] < stop:
        if 0 < budget <= done:
            return BUDGET
        start = R[TIME]
        status = METHOD_step(R, U, stop - start, tolerance)
        if status != OK:
            return take_back(R, beginning, status)
        if stop - R[TIME] < 1.0e-13 * (stop - start):
            R[TIME] = stop
        normalise(R)
        done += 1
    return settle(R, U, beginning, R[STEP], True)


def record(R, Y, row):
    """Copy the result columns of the present state into row `row` of Y."""
    Y[row * N_COLUMNS] = R[TIME]
    for k in range(1, N_COLUMNS):
        Y[row * N_COLUMNS + k] = R[int(COLUMNS[k])]


def output_time(U, row):
    """Time of result row `row`: start, interval, number of rows and stop lie behind the input tables."""
    return U[CLOCK + 3] if row >= U[CLOCK + 2] - 1.0 else U[CLOCK] + row * U[CLOCK + 1]


def METHOD_run_fixed(R, U, Y, row, step, budget):
    """METHOD with fixed steps through the output times from row `row` on; rows written, or -1 - status."""
    rows = int(U[CLOCK + 2])
    done = 0
    while row < rows:
        if 0 < budget <= done:
            return row
        refresh(R, U)
        before = R[STEPS]
        stop = output_time(U, row)
        if stop > R[TIME]:
            status = METHOD_fixed(R, U, stop, step, 0)
            if status != OK:
                R[DONE] = row
                return -1 - status
        record(R, Y, row)
        row += 1
        done += int(R[STEPS] - before) + 1
    return row


def METHOD_run_adaptive(R, U, Y, row, tolerance, budget):
    """METHOD with error control and dense output at the output times; rows written, or -1 - status."""
    rows = int(U[CLOCK + 2])
    stop = U[CLOCK + 3]
    done = 0
    if row == 0:
        refresh(R, U)
        record(R, Y, 0)
        row = 1
    while row < rows:
        if 0 < budget <= done:
            return row
        start = R[TIME]
        status = METHOD_step(R, U, stop - start, tolerance)
        if status != OK:
            R[DONE] = row
            return -1 - status
        end = R[TIME]
        if stop - end < 1.0e-13 * (stop - start):
            end = stop
        if end < output_time(U, row):
            R[TIME] = end
            normalise(R)
            done += 1
            continue
        copy(R, X0, WORK, NX)
        copy(R, F0, WORK + NX, NX)
        inside = output_time(U, row) < end
        while row < rows and output_time(U, row) < end:
            R[TIME] = output_time(U, row)
            METHOD_dense(R, (R[TIME] - start) / (end - start), end - start)
            normalise(R)
            evaluate_between(R, U)
            outputs(R)
            record(R, Y, row)
            row += 1
        copy(R, WORK, X0, NX)
        R[TIME] = end
        normalise(R)
        if inside:
            copy(R, WORK + NX, F0, NX)
            R[FRESH] = FRESH_AT_END
        if row < rows and output_time(U, row) == end:
            status = ready(R, U, R[STEP], True)
            if status != OK:
                R[DONE] = row
                return -1 - status
            refresh(R, U)
            record(R, Y, row)
            row += 1
        done += 1
    return row
