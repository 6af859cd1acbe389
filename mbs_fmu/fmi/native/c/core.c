/* Values, start and steps of an instance. */
#include "core.h"

#include "events.h"
#include "tables.h"
#include "loops.h"

/* -- rates and outputs --------------------------------------------------------------------------------------- */

/* Copy a record but for the numbers and tables of laws, which all records have: a road may have millions of them. */
static double *copy_record(double *to, const double *from) {
    memcpy(to, from, sizeof(double[FIRST_VALUE]));
    memcpy(to + END_OF_VALUES, from + END_OF_VALUES, sizeof(double[N_R - END_OF_VALUES]));
    return to;
}

/* Record from which values are read. In co-simulation a record that is not up to date is refreshed in a copy, so that
 * reading changes no step. */
static double *readable_record(Instance *I) {
    bool current = I->exchange || before_start(I) || I->R[HEAD_FRESH] == FRESH_EVERYTHING;
    if (current) return I->R;
    if (!I->read_copy_valid) {
        copy_record(I->read_copy, I->R);
        I->kernels->refresh(I->read_copy, I->U); /* at once: outputs may recompute velocities with other last bits */
    }
    I->read_copy_valid = true;
    return I->read_copy;
}

double *call_rates(Instance *I) {
    double *R = readable_record(I);
    I->kernels->rates(R, I->U);
    return R;
}

double *call_refresh(Instance *I) {
    double *R = readable_record(I);
    I->kernels->refresh(R, I->U);
    return R;
}

double *call_exchange(Instance *I) {
    double *R = call_rates(I);
    if (!N_LOOPS) return R;
    if (!I->exchange) R = copy_record(I->scratch, R); /* as above */
    loops_exchange_rates(I, R);
    return R;
}

Status core_fault(Instance *I, int64_t status) {
    char text[1000];
    write_failed_step(text, sizeof text, I->R, status);
    return core_report(I, FAILED, "%s: %s", NAME, text);
}

Status core_check_step(Instance *I) {
    call_exchange(I);
    int64_t status = I->kernels->completed(I->R, I->U);
    if (I->R[HEAD_FRESH] == FRESH_EVERYTHING) I->R[HEAD_FRESH] = FRESH_RATES; /* outputs read the new means */
    return status == STATUS_OK ? OK : core_fault(I, status);
}

/* -- values ----------------------------------------------------------------------------------------------- */

/* Length of a variable's name; NAMES has that of an array's first element. */
static int name_length(uint32_t reference) {
    const char *name = NAMES[reference], *bracket = LENGTHS[reference] > 1 ? strrchr(name, '[') : NULL;
    return (int)(bracket ? (size_t)(bracket - name) : strlen(name));
}

Status unknown_reference(Instance *I, uint32_t reference) {
    if (reference < N_VARS) {
        uint32_t first = reference;
        while (!LENGTHS[first]) first--;
        return core_report(I, FAILED, "value reference %u is that of '%s': give %u, that of the array '%.*s'",
                             (unsigned)reference, NAMES[reference], (unsigned)first, name_length(first), NAMES[first]);
    }
    return core_report(I, FAILED, "value reference %u does not exist: there are 0 to %d", (unsigned)reference,
                         N_VARS - 1);
}

size_t core_length(uint32_t reference) { return reference < N_VARS ? LENGTHS[reference] : 0; }

Status core_require_length(Instance *I, const char *function, const uint32_t *references, size_t count,
                           size_t numbers) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += core_length(references[i]);
    if (total == numbers) return OK;
    if (count == 1)
        return core_report(I, FAILED, "%s: %zu numbers for '%.*s', which has %zu", function, numbers,
                             name_length(references[0]), NAMES[references[0]], total);
    return core_report(I, FAILED, "%s: %zu numbers for variables of %zu", function, numbers, total);
}

Status core_require_kinds(Instance *I, int kinds, const char *function, const char *verb, const uint32_t *references,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!core_length(references[i])) return unknown_reference(I, references[i]);
        if (!(KINDS[references[i]] & kinds))
            return core_report(I, FAILED, "'%s' is %s: %s does not %s it", NAMES[references[i]], TYPES[references[i]],
                               function, verb);
    }
    return OK;
}

/* Check the value of one element. */
static Status check_value(Instance *I, uint32_t element, double value) {
    const char *name = NAMES[element];
    char role = ROLES[element];
    const char *what = role == INPUT ? "input" : role == PARAMETER || role == TUNABLE ? "parameter" : "start value";
    char text[1000];
    if (!isfinite(value)) {
        write_not_finite(text, sizeof text, name, value, what);
        return core_report(I, FAILED, "%s", text);
    }
    bool bounded = role == PARAMETER || role == TUNABLE || KINDS[element] == KIND_ENUMERATION;
    if (bounded && !(LOW[element] <= value && value <= HIGH[element])) {
        write_out_of_range(text, sizeof text, HIGH[element], LOW[element], name, value, what);
        return core_report(I, FAILED, "%s", text);
    }
    return OK;
}

/* True if the value can be set now. In model exchange, importers may also set states one by one, as FMI 3.0.2 allows. */
static bool is_settable(Instance *I, uint32_t reference) {
    if (SETTABLE[reference] == ALWAYS) return true;
    if (before_start(I)) return SETTABLE[reference] == START;
    return I->exchange && SLOTS[reference] >= X0 && SLOTS[reference] < X0 + NX;
}

/* `values` has one number for each element; it is not read if the variable does not exist. */
static Status check_values(Instance *I, uint32_t reference, const double *values) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (!is_settable(I, reference))
        return core_report(I, FAILED, "'%s' can't be set in %s: %s", NAMES[reference], phase_name(I->phase),
                             SETTABLE[reference] == START ? "it takes effect at initialization only"
                                                          : "it is computed");
    for (uint32_t k = 0; k < core_length(reference); k++)
        if (check_value(I, reference + k, values[k]) != OK) return FAILED;
    return OK;
}

static void set_element(Instance *I, uint32_t element, double value) {
    double *place = (before_start(I) ? I->start_record : I->R) + SLOTS[element];
    if (*place == value) return;
    *place = value;
    if (before_start(I)) I->ready = false;
    else I->R[HEAD_FRESH] = FRESH_STALE, I->read_copy_valid = false;
}

Status core_set(Instance *I, const uint32_t *references, size_t count, const double *values) {
    const double *next = values;
    for (size_t i = 0; i < count; next += core_length(references[i++]))
        if (check_values(I, references[i], next) != OK) return FAILED;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < core_length(references[i]); k++) set_element(I, references[i] + k, *values++);
    return OK;
}

/* Record from which a variable is read. If the start fails: the start values for variables that have them, NULL for
 * computed ones. */
static const double *read_from(Instance *I, uint32_t reference) {
    switch (before_start(I) ? ROLES[reference] : -1) {
    case PARAMETER: case TUNABLE: case INPUT: case CLOCK: return I->start_record;
    default: break;
    }
    if (before_start(I) && !I->ready && core_start(I) != OK)
        return SETTABLE[reference] == NEVER ? NULL : I->start_record;
    switch (ROLES[reference]) {
    case OUTPUT: case FORCE: return call_refresh(I);
    case RATE: return call_rates(I);
    case DERIVATIVE: return call_exchange(I);
    case END: return loops_mode_ends(I, call_rates(I));
    default: return I->R;
    }
}

/* What the value of an element must be if its type cannot hold it; NULL if it can. */
static const char *unfit(uint32_t element, double value) {
    if (KINDS[element] == KIND_REAL) return NULL;
    bool is_integer = KINDS[element] == KIND_INTEGER;
    double least = is_integer ? -2147483648.0 : LOW[element], most = is_integer ? 2147483647.0 : HIGH[element];
    if (value == floor(value) && least <= value && value <= most) return NULL;
    return is_integer                         ? "a whole number of 32 bits"
           : KINDS[element] == KIND_BOOLEAN ? "0 or 1 (False, True)"
                                              : "the number of one of its values";
}

/* Check that an importer can read the value of one element. */
static Status check_readable(Instance *I, uint32_t element, double value) {
    if (!isfinite(value))
        return core_report(I, DISCARD, "'%s' is not finite at t = %.9g s", NAMES[element], I->R[HEAD_TIME]);
    const char *wanted = unfit(element, value);
    if (!wanted) return OK;
    return core_report(I, DISCARD, "'%s' is %.9g at t = %.9g s: %s must be %s", NAMES[element], value, I->R[HEAD_TIME],
                       TYPES[element], wanted);
}

Status core_get(Instance *I, uint32_t reference, double *values) {
    size_t length = core_length(reference);
    if (!length) return unknown_reference(I, reference);
    const double *R = read_from(I, reference);
    if (!R) return FAILED;
    R += SLOTS[reference];
    for (uint32_t k = 0; k < length; k++)
        if (check_readable(I, reference + k, R[k]) != OK) return DISCARD;
    memcpy(values, R, length * sizeof(double));
    return OK;
}

static Status require_input(Instance *I, uint32_t reference) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (ROLES[reference] != INPUT) return core_report(I, FAILED, "'%s' is not an input", NAMES[reference]);
    return OK;
}

Status core_set_slopes(Instance *I, const uint32_t *references, size_t count, const double *slopes) {
    for (size_t i = 0; i < count; i++) {
        if (require_input(I, references[i]) != OK) return FAILED;
        if (!isfinite(slopes[i]))
            return core_report(I, FAILED, "derivative of input '%s' is %.9g: give a finite number",
                                 NAMES[references[i]], slopes[i]);
    }
    for (size_t i = 0; i < count; i++) I->slopes[SLOTS[references[i]] - R_INPUTS] = slopes[i];
    I->inputs_have_slopes = I->inputs_have_slopes || count;
    return OK;
}

/* -- start and steps -------------------------------------------------------------------------------------- */

void core_set_time(Instance *I, double time) {
    double *record = before_start(I) ? I->start_record : I->R;
    if (record[HEAD_TIME] != time) record[HEAD_FRESH] = FRESH_STALE, I->ready = I->ready && !before_start(I);
    record[HEAD_TIME] = time;
    I->read_copy_valid = false;
}

double core_time(const Instance *I) { return (before_start(I) ? I->start_record : I->R)[HEAD_TIME]; }

void core_set_tolerance(Instance *I, double relative) {
    if (FIXED || !isfinite(relative) || !(relative > 0.0)) return;
    I->ready = I->ready && relative == I->tolerance; /* the bound on loop residuals is set at the start */
    I->tolerance = relative;
}

static Status failed_output(Instance *I) {
    for (size_t k = 0; k != N_OUTPUTS; k++)
        if (!isfinite(I->R[R_OUTPUTS + k])) {
            char text[1000];
            write_non_finite(text, sizeof text, 0.0, OWNERS[NX + k], I->R[HEAD_TIME]);
            return core_report(I, FAILED, "%s: %s", NAME, text);
        }
    return OK;
}

Status core_start(Instance *I) {
    char text[1000];
    memcpy(I->R, I->start_record, N_R * sizeof(double));
    loops_configure(I, I->R);
    int64_t status = I->kernels->initialise(I->R);
    if (status != STATUS_OK) {
        write_failed_start(text, sizeof text, I->R, status);
        return core_report(I, FAILED, "%s: %s", NAME, text);
    }
    I->kernels->set_tolerances(I->R, N_LOOP_STATE ? LOOP_STATE_PROJECTION_RESIDUAL : -1, I->tolerance, RTOL, ATOL);
    loops_started(I);
    if (N_LOOPS && I->exchange) core_check_step(I); /* initial point of the first step's mean values */
    call_refresh(I);
    if (failed_output(I) != OK) return FAILED;
    I->ready = true;
    return OK;
}

void core_note_start(Instance *I) {
    core_log(I, LOG_INFO, "%s starts at t = %.9g s", NAME, core_time(I));
    loops_note_start(I);
}

static void set_input_tables(Instance *I, double size) {
    for (size_t k = 0; k != N_INPUTS; k++) {
        size_t table = TABLES + 4 * k;
        double *entry = I->U + table, time = I->R[HEAD_TIME], value = I->R[R_INPUTS + k];
        entry[0] = time, entry[1] = time + size, entry[2] = value, entry[3] = value + size * I->slopes[k];
        I->U[2 * k] = (double)table;
        I->U[2 * k + 1] = I->inputs_have_slopes && I->slopes[k] != 0.0 ? 2.0 : 0.0;
    }
    if (I->inputs_have_slopes) I->R[HEAD_FRESH] = FRESH_STALE;
}

static void clear_input_slopes(Instance *I) {
    for (size_t k = 0; k != N_INPUTS; k++) I->U[2 * k + 1] = I->slopes[k] = 0.0;
    I->inputs_have_slopes = false;
}

/* Status of a step that fails: DISCARD, so that the importer can try a shorter step or other inputs; FAILED if the same
 * step from the same record has failed before, since an importer that only repeats it would never end. */
static Status failure_status(const Instance *I, double size) {
    bool again = I->refused_size == size && !I->inputs_have_slopes &&
                 !memcmp(I->R, I->failed_from, sizeof(double[R_BODIES]));
    return again ? FAILED : DISCARD;
}

static Status discard_step(Instance *I, Status status, double size, const char *text) {
    memcpy(I->failed_from, I->R, sizeof(double[R_BODIES]));
    I->refused_size = size;
    return core_report(I, status, "%s: %s; the step is taken back, the FMU stands at t = %.9g s", NAME, text,
                         I->R[HEAD_TIME]);
}

/* Set the record's time to the importer's, if a step of this size can begin there. */
static Status follow(Instance *I, double time, double size) {
    char text[1000];
    if (!(size > 0.0) || !isfinite(size))
        return core_report(I, FAILED, "communication step %.9g s: give a positive number", size);
    if (size < 1e-300 || (isfinite(time) && !(time + size > time)))
        return core_report(I, FAILED, "communication step %.9g s at t = %.9g s is too small for that time", size,
                             time);
    if (I->kernels->follow(I->R, time, size) == STATUS_OK) return OK;
    write_other_time(text, sizeof text, fabs(time - I->R[HEAD_TIME]), time, I->R[HEAD_TIME]);
    return core_report(I, FAILED, "%s: %s", NAME, text);
}

/* Copy all that a step changes of the record, for `restore_changing`. */
static void keep_changing(Instance *I) {
    double *kept = I->step_start;
    for (size_t k = 0; k != N_CHANGING_PARTS; kept += CHANGING_SIZES[k++])
        memcpy(kept, I->R + CHANGING_STARTS[k], CHANGING_SIZES[k] * sizeof(double));
}

static void restore_changing(Instance *I) {
    const double *kept = I->step_start;
    for (size_t k = 0; k != N_CHANGING_PARTS; kept += CHANGING_SIZES[k++])
        memcpy(I->R + CHANGING_STARTS[k], kept, CHANGING_SIZES[k] * sizeof(double));
    /* the workspace has changed, from which outputs would be computed */
    if (I->R[HEAD_FRESH] != FRESH_EVERYTHING) I->R[HEAD_FRESH] = FRESH_STALE;
}

Status core_step(Instance *I, double time, double size, Pause pause) {
    int64_t status, calls = 0;
    char text[1000];
    double *R = I->R;
    Status refused = failure_status(I, size);
    double repeated = I->inputs_have_slopes ? 0.0 : size; /* input derivatives hold for one step */
    keep_changing(I);
    Status followed = follow(I, time, size);
    if (followed != OK) return followed;
    double begin = R[HEAD_TIME], stop = begin + size;
    set_input_tables(I, size);
    bool too_many = FIXED && size / STEP > 1.0 + MOST_STEPS; /* do not begin a step that cannot finish */
    if (too_many) status = STATUS_BUDGET, calls = MOST_STEPS;
    else do {
        status = events_advance(I, stop, pause ? 1 : MOST_STEPS);
        I->read_copy_valid = false;
    } while (status == STATUS_BUDGET && pause && ++calls < MOST_STEPS &&
             !(R[HEAD_TIME] > begin && pause(I, R[HEAD_TIME]))); /* trials at the beginning are no steps */
    clear_input_slopes(I);
    loops_note_modes(I);
    if (status == STATUS_OK || (status == STATUS_BUDGET && pause && calls < MOST_STEPS)) return OK;
    if (status == STATUS_BUDGET) write_too_many_steps(text, sizeof text, size, (double)MOST_STEPS);
    else write_failed_step(text, sizeof text, R, status);
    restore_changing(I);
    return discard_step(I, refused, repeated, text);
}
