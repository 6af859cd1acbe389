#include "core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_V3
#include <cpuid.h>
#endif

#include "model.h"

/* Entries of the kernels, in numba's calling convention: the result goes to *out, the status is always 0. */
typedef int32_t OnRecord(int64_t *out, void **error, double *R);
typedef int32_t OnTwo(int64_t *out, void **error, double *R, double *other);
typedef int32_t Advance(int64_t *out, void **error, double *R, double *U, double stop, double setting, int64_t budget);

struct Kernels {
    OnRecord *initialise;
    OnTwo *rates, *refresh, *tangent, *start_tangent;
    Advance *advance;
};

#pragma GCC visibility push(hidden)
#define KERNELS(suffix)                                                                                              \
    OnRecord kernel_initialise##suffix;                                                                              \
    OnTwo kernel_rates##suffix, kernel_refresh##suffix, kernel_tangent##suffix, kernel_start_tangent##suffix;        \
    Advance kernel_advance##suffix;                                                                                  \
    static const struct Kernels kernels##suffix = {kernel_initialise##suffix, kernel_rates##suffix,                  \
                                                   kernel_refresh##suffix,    kernel_tangent##suffix,                \
                                                   kernel_start_tangent##suffix, kernel_advance##suffix};
KERNELS()
#ifdef HAVE_V3
KERNELS(_v3)
#endif
#pragma GCC visibility pop

/* The same kernels, bit for bit, in the machine code that suits this processor best. */
static const struct Kernels *best_kernels(void) {
#ifdef HAVE_V3
    unsigned a, b, c, d, low, high;
    const unsigned wanted = bit_AVX | bit_FMA | bit_OSXSAVE | bit_MOVBE | bit_F16C;
    bool avx = __get_cpuid(1, &a, &b, &c, &d) && (c & wanted) == wanted;
    if (avx && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2 && b & bit_BMI && b & bit_BMI2) {
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        if ((low & 6) == 6 && __get_cpuid(0x80000001, &a, &b, &c, &d) && c & bit_LZCNT) return &kernels_v3;
    }
#endif
    return &kernels;
}

#define MOST_STEPS 10000000 /* in one communication step */

const size_t N_STATES = NX, N_VARIABLES = N_VARS;
const bool FIXED_STEP = FIXED;
const char MODEL_TOKEN[] = TOKEN, MODEL_NAME[] = NAME;
const char *const CATEGORY_NAMES[CATEGORIES] = {"info", "warning", "error", "events"};

static const char *phase_name(Phase phase) {
    switch (phase) {
    case INSTANTIATED: return "instantiated";
    case INITIALIZING: return "initialization mode";
    case EVENT: return "event mode";
    case CONTINUOUS: return "continuous-time mode";
    case STEPPING: return "step mode";
    default: return "terminated";
    }
}

/* -- life ------------------------------------------------------------------------------------------------- */

Instance *core_new(const char *name) {
    size_t text = strlen(name) + 1;
    Instance *I = calloc(1, sizeof *I);
    double *numbers = calloc(3 * (size_t)N_R + N_U + N_INPUTS + NX + 1, sizeof(double));
    char *copy = malloc(text);
    if (!I || !numbers || !copy) {
        free(I), free(numbers), free(copy);
        return NULL;
    }
    memcpy(copy, name, text);
    I->name = copy;
    I->kernels = best_kernels();
    I->R = numbers, I->given = I->R + N_R, I->D = I->given + N_R, I->U = I->D + N_R, I->slopes = I->U + N_U;
    I->before = I->slopes + N_INPUTS;
    core_reset(I);
    return I;
}

void core_free(Instance *I) {
    if (!I) return;
    free(I->R), free(I->name), free(I);
}

void core_reset(Instance *I) {
    memcpy(I->given, FIRST, sizeof FIRST);
    memset(I->given + sizeof FIRST / sizeof *FIRST, 0, N_R * sizeof(double) - sizeof FIRST);
    memcpy(I->R, I->given, N_R * sizeof(double));
    memset(I->slopes, 0, N_INPUTS * sizeof(double));
    I->phase = INSTANTIATED;
    I->ready = I->inputs_move = false;
    I->tolerance = RTOL;
}

/* -- words ------------------------------------------------------------------------------------------------ */

static void say(Instance *I, Status status, Category category, const char *format, va_list arguments) {
    char text[1500];
    if (!I->log || !I->logging[category]) return;
    vsnprintf(text, sizeof text, format, arguments);
    I->log(I, status, category, text);
}

Status core_complain(Instance *I, Status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(I, status, status == WARNING ? ODD : WRONG, format, arguments);
    va_end(arguments);
    return status;
}

void core_note(Instance *I, Category category, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(I, OK, category, format, arguments);
    va_end(arguments);
}

bool core_set_logging(Instance *I, bool on, size_t count, const char *const names[]) {
    bool known = true;
    for (int k = 0; k < CATEGORIES && count == 0; k++) I->logging[k] = on;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (int k = 0; k < CATEGORIES; k++)
            if (names[i] && !strcmp(names[i], CATEGORY_NAMES[k])) I->logging[k] = on, found = true;
        known = known && found;
    }
    return known;
}

/* -- values ----------------------------------------------------------------------------------------------- */

static bool before_start(const Instance *I) { return I->phase == INSTANTIATED || I->phase == INITIALIZING; }

static Status unknown_reference(Instance *I, uint32_t reference) {
    return core_complain(I, FAILED, "value reference %u does not exist: there are 0 to %d", (unsigned)reference,
                         N_VARS - 1);
}

size_t core_length(uint32_t reference) { return reference < N_VARS ? LENGTHS[reference] : 0; }

static bool settable(const Instance *I, uint32_t reference) {
    switch (KINDS[reference]) {
    case TUNABLE: case INPUT: return true;
    case PARAMETER: case STATE: case COORDINATE: case RATE: return before_start(I);
    default: return false;
    }
}

Status core_set(Instance *I, uint32_t reference, const double *values) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    const char *name = NAMES[reference];
    double value = values[0]; /* what can be set has one element */
    char kind = KINDS[reference];
    if (!settable(I, reference))
        return core_complain(I, FAILED, "'%s' can't be set in %s: %s", name, phase_name(I->phase),
                             kind == PARAMETER || kind == STATE || kind == COORDINATE || kind == RATE
                                 ? "it takes effect at initialization only"
                                 : "it is computed");
    const char *what = kind == INPUT ? "input" : kind == PARAMETER || kind == TUNABLE ? "parameter" : "start value";
    if (!isfinite(value)) {
        char text[1000];
        say_not_finite(text, sizeof text, name, value, what);
        return core_complain(I, FAILED, "%s", text);
    }
    if ((kind == PARAMETER || kind == TUNABLE) && !(LOW[reference] <= value && value <= HIGH[reference])) {
        char text[1000];
        say_out_of_range(text, sizeof text, HIGH[reference], LOW[reference], name, value, what);
        return core_complain(I, FAILED, "%s", text);
    }
    double *place = (before_start(I) ? I->given : I->R) + SLOTS[reference];
    if (*place == value) return OK;
    *place = value;
    if (before_start(I)) I->ready = false;
    else I->R[FRESH] = 0.0;
    return OK;
}

Status core_get(Instance *I, uint32_t reference, double *values) {
    int64_t none;
    void *error;
    size_t length = core_length(reference);
    if (!length) return unknown_reference(I, reference);
    char kind = KINDS[reference];
    bool calculated = kind == FORCE || kind == OUTPUT || kind == MOMENTUM || kind == DERIVATIVE;
    if (before_start(I) && (kind == PARAMETER || kind == TUNABLE || kind == INPUT || kind == CLOCK)) {
        *values = I->given[SLOTS[reference]];
        return OK;
    }
    if (before_start(I) && !I->ready) {
        Status status = core_start(I);
        if (status != OK && calculated) return status;
        if (status != OK) {
            *values = I->given[SLOTS[reference]];
            return OK;
        }
    }
    if (kind == OUTPUT || kind == FORCE) I->kernels->refresh(&none, &error, I->R, I->U);
    if (kind == RATE || kind == DERIVATIVE) I->kernels->rates(&none, &error, I->R, I->U);
    for (size_t k = 0; k < length; k++) {
        values[k] = I->R[SLOTS[reference] + k];
        if (!isfinite(values[k]))
            return core_complain(I, DISCARD, "'%s' is not finite at t = %.9g s", NAMES[reference + k], I->R[TIME]);
    }
    return OK;
}

static Status input_number(Instance *I, uint32_t reference, size_t *number) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (KINDS[reference] != INPUT) return core_complain(I, FAILED, "'%s' is not an input", NAMES[reference]);
    *number = SLOTS[reference] - INPUTS;
    return OK;
}

Status core_set_slope(Instance *I, uint32_t reference, double slope) {
    size_t k;
    if (input_number(I, reference, &k) != OK) return FAILED;
    if (!isfinite(slope))
        return core_complain(I, FAILED, "derivative of input '%s' is %.9g: give a finite number", NAMES[reference], slope);
    I->slopes[k] = slope;
    I->inputs_move = true;
    return OK;
}

/* -- start and steps -------------------------------------------------------------------------------------- */

void core_set_time(Instance *I, double time) {
    double *record = before_start(I) ? I->given : I->R;
    if (record[TIME] != time) record[FRESH] = 0.0, I->ready = I->ready && !before_start(I);
    record[TIME] = time;
}

double core_time(const Instance *I) { return (before_start(I) ? I->given : I->R)[TIME]; }

void core_set_tolerance(Instance *I, double relative) {
    if (!FIXED && isfinite(relative) && relative > 0.0) I->tolerance = relative;
}

static Status failed_output(Instance *I) {
    for (size_t k = 0; k < N_OUTPUTS; k++)
        if (!isfinite(I->R[OUTPUTS + k])) {
            char text[1000];
            say_non_finite(text, sizeof text, 0.0, OWNERS[NX + k], I->R[TIME]);
            return core_complain(I, FAILED, "%s: %s", NAME, text);
        }
    return OK;
}

Status core_start(Instance *I) {
    int64_t status, none;
    void *error;
    char text[1000];
    memcpy(I->R, I->given, N_R * sizeof(double));
    I->kernels->initialise(&status, &error, I->R);
    int fault = (int)I->R[FAULT]; /* -1 where all is well */
    switch (status) {
    case START_OK: break;
    case START_NO_DIRECTION: say_no_direction(text, sizeof text, QUATERNIONS[fault]); break;
    case START_FAILED_CHECK: snprintf(text, sizeof text, "%s", CHECKS[fault]); break;
    case START_FAILED_START_CHECK: snprintf(text, sizeof text, "%s", START_CHECKS[fault]); break;
    default: say_no_inertia(text, sizeof text, OWNERS[fault]);
    }
    if (status != START_OK) return core_complain(I, FAILED, "%s: %s", NAME, text);
    I->R[ABSOLUTE] = ATOL / RTOL;
    I->kernels->refresh(&none, &error, I->R, I->U);
    if (failed_output(I) != OK) return FAILED;
    I->ready = true;
    return OK;
}

static void inputs_along(Instance *I, double size) {
    for (size_t k = 0; k < N_INPUTS; k++) {
        size_t table = N_U - 4 * (N_INPUTS - k);
        double *entry = I->U + table, value = I->R[INPUTS + k];
        entry[0] = I->R[TIME], entry[1] = I->R[TIME] + size, entry[2] = value, entry[3] = value + size * I->slopes[k];
        I->U[2 * k] = (double)table;
        I->U[2 * k + 1] = I->inputs_move && I->slopes[k] != 0.0 ? 2.0 : 0.0;
    }
    if (I->inputs_move) I->R[FRESH] = 0.0;
}

static void inputs_stand(Instance *I) {
    for (size_t k = 0; k < N_INPUTS; k++) I->U[2 * k + 1] = I->slopes[k] = 0.0;
    I->inputs_move = false;
}

static void say_fault(char *text, size_t size, const double *R, int64_t status) {
    const char *owner = OWNERS[(size_t)R[FAULT]];
    if (status == STEP_TOO_SMALL) say_step_too_small(text, size, R[FAILED_STEP], owner, R[FAULT_TIME]);
    else say_non_finite(text, size, R[FAILED_STEP], owner, R[FAULT_TIME]);
}

Status core_step(Instance *I, double time, double size, Pause pause) {
    int64_t status;
    void *error;
    char text[1000];
    double *R = I->R, began = R[TIME], stop = began + size;
    if (!(size > 0.0) || !isfinite(size))
        return core_complain(I, FAILED, "communication step %.9g s: give a positive number", size);
    if (!(fabs(time - began) <= 1e-6 * size + 1e-9 * fabs(began)))
        return core_complain(I, FAILED, "a step from t = %.17g s is asked for, but the FMU stands at t = %.17g s", time,
                             began);
    if (!(stop > began) || (FIXED ? size / SETTING > MOST_STEPS : size < 1e-300))
        return core_complain(I, FAILED, "communication step %.9g s at t = %.9g s is out of proportion to the FMU's own",
                             size, began);
    double inputs[N_INPUTS + 1];
    memcpy(inputs, R + INPUTS, N_INPUTS * sizeof(double));
    memcpy(I->before, R + X0, NX * sizeof(double));
    I->before[NX] = R[STEP];
    inputs_along(I, size);
    int64_t calls = 0;
    do I->kernels->advance(&status, &error, R, I->U, stop, FIXED ? SETTING : I->tolerance, pause ? 1 : MOST_STEPS);
    while (status == BUDGET && pause && ++calls < MOST_STEPS && !pause(I, R[TIME]));
    inputs_stand(I);
    if (status == START_OK || (status == BUDGET && pause && calls < MOST_STEPS)) return OK;
    if (status == BUDGET)
        snprintf(text, sizeof text, "over %d internal steps in one communication step", MOST_STEPS);
    else say_fault(text, sizeof text, R, status);
    memcpy(R + INPUTS, inputs, N_INPUTS * sizeof(double));
    memcpy(R + X0, I->before, NX * sizeof(double));
    R[TIME] = began, R[STEP] = I->before[NX], R[FRESH] = 0.0;
    return core_complain(I, DISCARD, "%s: %s; the step is taken back, the FMU stands at t = %.9g s", NAME, text, began);
}

/* -- the state, its derivatives, all derivatives ------------------------------------------------------------ */

static Status wrong_count(Instance *I, size_t count) {
    return core_complain(I, FAILED, "%zu continuous states: the model has %d", count, NX);
}

Status core_set_states(Instance *I, const double *x, size_t count) {
    if (count != NX) return wrong_count(I, count);
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(x[k])) return core_complain(I, DISCARD, "%s is not finite", OWNERS[k]);
    if (memcmp(I->R + X0, x, NX * sizeof(double))) I->R[FRESH] = 0.0;
    memcpy(I->R + X0, x, NX * sizeof(double));
    return OK;
}

Status core_get_states(Instance *I, double *x, size_t count) {
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    memcpy(x, I->R + X0, NX * sizeof(double));
    return OK;
}

Status core_derivatives(Instance *I, double *dx, size_t count) {
    int64_t none;
    void *error;
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    I->kernels->rates(&none, &error, I->R, I->U);
    memcpy(dx, I->R + F0, NX * sizeof(double));
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(dx[k]))
            return core_complain(I, DISCARD, "the derivative of %s is not finite at t = %.9g s", OWNERS[k], I->R[TIME]);
    return OK;
}

void core_nominals(double *x) {
    for (size_t k = 0; k < NX; k++) x[k] = 1.0;
}

static Status seed(Instance *I, uint32_t reference, double value) {
    char kind = KINDS[reference];
    bool start = before_start(I);
    bool known = kind == TUNABLE || kind == INPUT || kind == CLOCK || kind == STATE || kind == COORDINATE;
    if (!known && kind != (start ? RATE : MOMENTUM))
        return core_complain(I, FAILED, "no derivative by '%s' in %s: %s", NAMES[reference], phase_name(I->phase),
                             kind == PARAMETER ? "mass and geometry are fixed" : "it is not independent");
    I->D[SLOTS[reference]] += value;
    return OK;
}

static Status prepare_tangent(Instance *I) {
    int64_t none;
    void *error;
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    I->kernels->refresh(&none, &error, I->R, I->U);
    memset(I->D, 0, N_R * sizeof(double));
    return OK;
}

static void tangent(Instance *I) {
    int64_t none;
    void *error;
    if (before_start(I)) I->kernels->start_tangent(&none, &error, I->R, I->D);
    else I->kernels->tangent(&none, &error, I->R, I->D);
}

static Status check_references(Instance *I, const uint32_t *references, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!core_length(references[i])) return unknown_reference(I, references[i]);
    return OK;
}

Status core_directional(Instance *I, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns,
                        size_t n_knowns, const double *seeds, double *results) {
    if (check_references(I, unknowns, n_unknowns) != OK || check_references(I, knowns, n_knowns) != OK) return FAILED;
    if (prepare_tangent(I) != OK) return FAILED;
    for (size_t i = 0; i < n_knowns; i++) {
        if (seed(I, knowns[i], seeds[0]) != OK) return FAILED;
        seeds += core_length(knowns[i]);
    }
    tangent(I);
    for (size_t i = 0; i < n_unknowns; i++)
        for (size_t k = 0; k < core_length(unknowns[i]); k++)
            if (!isfinite(*results++ = I->D[SLOTS[unknowns[i]] + k]))
                return core_complain(I, DISCARD, "the derivative of '%s' is not finite", NAMES[unknowns[i] + k]);
    return OK;
}

Status core_adjoint(Instance *I, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                    const double *seeds, double *results) {
    if (check_references(I, unknowns, n_unknowns) != OK || check_references(I, knowns, n_knowns) != OK) return FAILED;
    for (size_t j = 0; j < n_knowns; j++) {
        if (prepare_tangent(I) != OK || seed(I, knowns[j], 1.0) != OK) return FAILED;
        tangent(I);
        const double *weight = seeds;
        double total = 0.0;
        for (size_t i = 0; i < n_unknowns; i++)
            for (size_t k = 0; k < core_length(unknowns[i]); k++) total += *weight++ * I->D[SLOTS[unknowns[i]] + k];
        if (!isfinite(total))
            return core_complain(I, DISCARD, "the derivative by '%s' is not finite", NAMES[knowns[j]]);
        results[j] = total;
    }
    return OK;
}

Status core_output_slope(Instance *I, uint32_t reference, double *slopes) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (KINDS[reference] != OUTPUT) return core_complain(I, FAILED, "'%s' is not an output", NAMES[reference]);
    if (prepare_tangent(I) != OK) return FAILED;
    memcpy(I->D + X0, I->R + F0, NX * sizeof(double));
    I->D[TIME] = 1.0;
    int64_t none;
    void *error;
    I->kernels->tangent(&none, &error, I->R, I->D);
    for (size_t k = 0; k < core_length(reference); k++)
        if (!isfinite(slopes[k] = I->D[SLOTS[reference] + k]))
            return core_complain(I, DISCARD, "the derivative of '%s' is not finite", NAMES[reference + k]);
    return OK;
}

/* -- saved states ------------------------------------------------------------------------------------------- */

typedef struct {
    char token[sizeof TOKEN];
    int32_t phase, exchange, ready, inputs_move;
    double tolerance, slopes[N_INPUTS + 1], numbers[2 * N_R];
    uint64_t sum;
} Saved;

size_t core_state_size(void) { return sizeof(Saved); }

/* A sum over all words but itself, so that a damaged state is not taken for a good one. */
static uint64_t sum_of(const void *state) {
    uint64_t word, sum = 0;
    for (size_t at = 0; at < offsetof(Saved, sum); at += sizeof word) {
        memcpy(&word, (const char *)state + at, sizeof word);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 29;
    }
    return sum;
}

void core_save(const Instance *I, void *state) {
    Saved *saved = state;
    memset(saved, 0, sizeof *saved);
    memcpy(saved->token, TOKEN, sizeof TOKEN);
    saved->phase = I->phase, saved->exchange = I->exchange;
    saved->ready = I->ready, saved->inputs_move = I->inputs_move;
    saved->tolerance = I->tolerance;
    memcpy(saved->slopes, I->slopes, N_INPUTS * sizeof(double));
    memcpy(saved->numbers, I->R, 2 * N_R * sizeof(double));
    saved->sum = sum_of(saved);
}

Status core_check_state(Instance *I, const void *state, size_t size) {
    uint64_t sum;
    if (size != sizeof(Saved) || memcmp(state, TOKEN, sizeof TOKEN))
        return core_complain(I, FAILED, "the saved state is not one of %s (%zu bytes, not %zu, or of another FMU)", NAME,
                             size, sizeof(Saved));
    memcpy(&sum, (const char *)state + offsetof(Saved, sum), sizeof sum);
    return sum == sum_of(state) ? OK : core_complain(I, FAILED, "the saved state of %s is damaged", NAME);
}

Status core_restore(Instance *I, const void *state, size_t size) {
    const Saved *saved = state;
    if (core_check_state(I, state, size) != OK) return FAILED;
    if (saved->exchange != I->exchange)
        return core_complain(I, FAILED, "the saved state is one of %s",
                             saved->exchange ? "model exchange" : "co-simulation");
    I->phase = (Phase)saved->phase, I->ready = saved->ready, I->inputs_move = saved->inputs_move;
    I->tolerance = saved->tolerance;
    memcpy(I->slopes, saved->slopes, N_INPUTS * sizeof(double));
    memcpy(I->R, saved->numbers, 2 * N_R * sizeof(double));
    core_note(I, EVENTS, "state restored at t = %.9g s", core_time(I));
    return OK;
}
