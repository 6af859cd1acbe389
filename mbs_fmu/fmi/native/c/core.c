#include "inside.h"

#include <stdarg.h>
#ifdef HAVE_V3
#include <cpuid.h>
#endif

#define DECLARED(name, arguments) int64_t kernel_##name arguments;
#define ADDRESS(name, arguments) kernel_##name,
#pragma GCC visibility push(hidden)
KERNELS(DECLARED)
static const struct Kernels kernels = {KERNELS(ADDRESS)};
#ifdef HAVE_V3
#define DECLARED_V3(name, arguments) int64_t kernel_##name##_v3 arguments;
#define ADDRESS_V3(name, arguments) kernel_##name##_v3,
KERNELS(DECLARED_V3)
static const struct Kernels kernels_v3 = {KERNELS(ADDRESS_V3)};
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

const size_t MODEL_STATES = NX, MODEL_INDICATORS = N_EVENTS;
const char MODEL_TOKEN[] = TOKEN, MODEL_NAME[] = NAME;
const char *const CATEGORY_NAMES[CATEGORIES] = {"info", "warning", "error", "events"};

const char *phase_name(Phase phase) {
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
    size_t few = (size_t)N_TABLES + N_INPUTS + N_LOOPS + N_EVENTS + 2 * N_RESTORED;
    double *numbers = calloc((N_LOOPS ? 9 : 7) * (size_t)N_R + few, sizeof(double));
    char *copy = malloc(text);
    if (!I || !numbers || !copy) {
        free(I), free(numbers), free(copy);
        return NULL;
    }
    memcpy(copy, name, text);
    I->name = copy;
    I->kernels = best_kernels();
    I->R = numbers, I->given = I->R + N_R, I->D = I->given + N_R, I->look = I->D + N_R, I->aside = I->look + N_R;
    I->U = I->aside + N_R, I->slopes = I->U + N_TABLES, I->ranks = I->slopes + N_INPUTS;
    I->indicators = I->ranks + N_LOOPS;
    I->before = I->indicators + N_EVENTS, I->failed = I->before + N_RESTORED, I->spare = I->failed + N_RESTORED;
    if (N_LOOPS) I->motion = I->spare + 2 * (size_t)N_R, I->mixed = I->motion + N_R;
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
    memset(I->ranks, 0, N_LOOPS * sizeof(double));
    for (size_t k = 0; k < N_EVENTS; k++) I->indicators[k] = NAN;
    I->ready = I->inputs_move = I->looked = I->due = I->over = false;
    I->tolerance = RTOL, I->refused = 0.0;
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

Status unknown_reference(Instance *I, uint32_t reference) {
    return core_complain(I, FAILED, "value reference %u does not exist: there are 0 to %d", (unsigned)reference,
                         N_VARS - 1);
}

/* What is read from. Between steps of co-simulation a record that is not up to date is worked out on a copy: reading
 * changes no step. */
static double *shown(Instance *I) {
    bool itself = I->exchange || before_start(I) || I->R[HEAD_FRESH] == 1.0;
    if (itself && I->R[HEAD_FRESH] == 0.0) loops_keep_choice(I, I->R);
    if (itself) return I->R;
    if (!I->looked) memcpy(I->look, I->R, sizeof(double[N_R]));
    I->looked = true;
    return I->look;
}

double *call_rates(Instance *I) {
    double *R = shown(I);
    I->kernels->rates(R, I->U);
    return R;
}

double *call_refresh(Instance *I) {
    double *R = shown(I);
    I->kernels->refresh(R, I->U);
    return R;
}

size_t core_length(uint32_t reference) { return reference < N_VARS ? LENGTHS[reference] : 0; }

static bool settable(const Instance *I, uint32_t reference) {
    switch (ROLES[reference]) {
    case TUNABLE: case INPUT: return true;
    case PARAMETER: case STATE: case COORDINATE: case RATE: return before_start(I);
    default: return false;
    }
}

static Status check_value(Instance *I, uint32_t reference, double value) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    const char *name = NAMES[reference];
    char role = ROLES[reference];
    if (!settable(I, reference))
        return core_complain(I, FAILED, "'%s' can't be set in %s: %s", name, phase_name(I->phase),
                             role == PARAMETER || role == STATE || role == COORDINATE || role == RATE
                                 ? "it takes effect at initialization only"
                                 : "it is computed");
    const char *what = role == INPUT ? "input" : role == PARAMETER || role == TUNABLE ? "parameter" : "start value";
    if (!isfinite(value)) {
        char text[1000];
        say_not_finite(text, sizeof text, name, value, what);
        return core_complain(I, FAILED, "%s", text);
    }
    if ((role == PARAMETER || role == TUNABLE) && !(LOW[reference] <= value && value <= HIGH[reference])) {
        char text[1000];
        say_out_of_range(text, sizeof text, HIGH[reference], LOW[reference], name, value, what);
        return core_complain(I, FAILED, "%s", text);
    }
    return OK;
}

Status core_set(Instance *I, const uint32_t *references, size_t count, const double *values) {
    double *record = before_start(I) ? I->given : I->R;
    for (size_t i = 0; i < count; i++) /* what can be set has one element */
        if (check_value(I, references[i], values[i]) != OK) return FAILED;
    for (size_t i = 0; i < count; i++) {
        double *place = record + SLOTS[references[i]];
        if (*place == values[i]) continue;
        *place = values[i];
        if (before_start(I)) I->ready = false;
        else I->R[HEAD_FRESH] = 0.0, I->looked = false;
    }
    return OK;
}

Status core_get(Instance *I, uint32_t reference, double *values) {
    size_t length = core_length(reference);
    if (!length) return unknown_reference(I, reference);
    char role = ROLES[reference];
    bool calculated = role == FORCE || role == OUTPUT || role == MOMENTUM || role == DERIVATIVE;
    if (before_start(I) && (role == PARAMETER || role == TUNABLE || role == INPUT || role == CLOCK)) {
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
    const double *R = I->R;
    if (role == OUTPUT || role == FORCE) R = call_refresh(I);
    if (role == RATE) R = call_rates(I);
    if (role == DERIVATIVE) R = call_exchange(I);
    for (size_t k = 0; k < length; k++) {
        values[k] = R[SLOTS[reference] + k];
        if (!isfinite(values[k]))
            return core_complain(I, DISCARD, "'%s' is not finite at t = %.9g s", NAMES[reference + k], I->R[HEAD_TIME]);
    }
    return OK;
}

static Status require_input(Instance *I, uint32_t reference) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (ROLES[reference] != INPUT) return core_complain(I, FAILED, "'%s' is not an input", NAMES[reference]);
    return OK;
}

Status core_set_slopes(Instance *I, const uint32_t *references, size_t count, const double *slopes) {
    for (size_t i = 0; i < count; i++) {
        if (require_input(I, references[i]) != OK) return FAILED;
        if (!isfinite(slopes[i]))
            return core_complain(I, FAILED, "derivative of input '%s' is %.9g: give a finite number",
                                 NAMES[references[i]], slopes[i]);
    }
    for (size_t i = 0; i < count; i++) I->slopes[SLOTS[references[i]] - R_INPUTS] = slopes[i], I->inputs_move = true;
    return OK;
}

/* -- start and steps -------------------------------------------------------------------------------------- */

void core_set_time(Instance *I, double time) {
    double *record = before_start(I) ? I->given : I->R;
    if (record[HEAD_TIME] != time) record[HEAD_FRESH] = 0.0, I->ready = I->ready && !before_start(I);
    record[HEAD_TIME] = time;
    I->looked = false;
}

double core_time(const Instance *I) { return (before_start(I) ? I->given : I->R)[HEAD_TIME]; }

void core_set_tolerance(Instance *I, double relative) {
    if (FIXED || !isfinite(relative) || !(relative > 0.0)) return;
    I->ready = I->ready && relative == I->tolerance; /* a start knows how far loops may stand open */
    I->tolerance = relative;
}

static Status failed_output(Instance *I) {
    for (size_t k = 0; k < N_OUTPUTS; k++)
        if (!isfinite(I->R[R_OUTPUTS + k])) {
            char text[1000];
            say_non_finite(text, sizeof text, 0.0, OWNERS[NX + k], I->R[HEAD_TIME]);
            return core_complain(I, FAILED, "%s: %s", NAME, text);
        }
    return OK;
}

Status core_start(Instance *I) {
    char text[1000];
    memcpy(I->R, I->given, N_R * sizeof(double));
    loops_settings(I, I->R);
    int64_t status = call_initialise(I, I->R);
    if (status != STATUS_OK) {
        say_failed_start(text, sizeof text, I->R, status);
        return core_complain(I, FAILED, "%s: %s", NAME, text);
    }
    I->R[HEAD_ABSOLUTE] = ATOL / RTOL;
    loops_started(I);
    call_refresh(I);
    if (failed_output(I) != OK) return FAILED;
    I->ready = true;
    return OK;
}

static void inputs_along(Instance *I, double size) {
    for (size_t k = 0; k < N_INPUTS; k++) {
        size_t table = N_TABLES - 4 * (N_INPUTS - k);
        double *entry = I->U + table, time = I->R[HEAD_TIME], value = I->R[R_INPUTS + k];
        entry[0] = time, entry[1] = time + size, entry[2] = value, entry[3] = value + size * I->slopes[k];
        I->U[2 * k] = (double)table;
        I->U[2 * k + 1] = I->inputs_move && I->slopes[k] != 0.0 ? 2.0 : 0.0;
    }
    if (I->inputs_move) I->R[HEAD_FRESH] = 0.0;
}

static void inputs_stand(Instance *I) {
    for (size_t k = 0; k < N_INPUTS; k++) I->U[2 * k + 1] = I->slopes[k] = 0.0;
    I->inputs_move = false;
}

Status core_fault(Instance *I, int64_t status) {
    char text[1000];
    say_failed_step(text, sizeof text, I->R, status);
    return core_complain(I, FAILED, "%s: %s", NAME, text);
}

Status core_look_after(Instance *I) {
    call_exchange(I);
    int64_t status = I->kernels->completed(I->R, I->U);
    if (I->R[HEAD_FRESH] == 1.0) I->R[HEAD_FRESH] = 3.0; /* outputs are to be made again, of means */
    return status == STATUS_OK ? OK : core_fault(I, status);
}

/* A step that fails is discarded, so that the importer may try a shorter one, or with other inputs. From the same record
 * it would fail again: then it is an error, since an importer that only tries again would never end. */
static Status refusal(const Instance *I, double size) {
    bool again = I->refused == size && !I->inputs_move && !memcmp(I->R, I->failed, sizeof(double[N_RESTORED]));
    return again ? FAILED : DISCARD;
}

static Status refuse(Instance *I, Status status, double size, const char *text) {
    memcpy(I->failed, I->R, sizeof(double[N_RESTORED]));
    I->refused = size;
    return core_complain(I, status, "%s: %s; the step is taken back, the FMU stands at t = %.9g s", NAME, text,
                         I->R[HEAD_TIME]);
}

/* Whether a step of this size can begin at the importer's time, which then is the record's. */
static Status follow(Instance *I, double time, double size) {
    char text[1000];
    if (!(size > 0.0) || !isfinite(size))
        return core_complain(I, FAILED, "communication step %.9g s: give a positive number", size);
    if (size < 1e-300 || (isfinite(time) && !(time + size > time)))
        return core_complain(I, FAILED, "communication step %.9g s at t = %.9g s is too small for that time", size,
                             time);
    if (I->kernels->follow(I->R, time, size) == STATUS_OK) return OK;
    say_other_time(text, sizeof text, fabs(time - I->R[HEAD_TIME]), time, I->R[HEAD_TIME]);
    return core_complain(I, FAILED, "%s: %s", NAME, text);
}

Status core_step(Instance *I, double time, double size, Pause pause) {
    int64_t status, calls = 0;
    char text[1000];
    double *R = I->R;
    Status refused = refusal(I, size);
    double repeated = I->inputs_move ? 0.0 : size; /* derivatives of inputs hold for one step: the next is another */
    memcpy(I->before, R, sizeof(double[N_RESTORED]));
    Status able = follow(I, time, size);
    if (able != OK) return able;
    double stop = R[HEAD_TIME] + size;
    inputs_along(I, size);
    bool too_many = FIXED && size / SETTING > 1.0 + MOST_STEPS; /* then none of them is begun */
    if (too_many) status = STATUS_BUDGET, calls = MOST_STEPS;
    else do {
        status = I->kernels->advance(R, I->U, stop, FIXED ? SETTING : I->tolerance, pause ? 1 : MOST_STEPS);
        I->looked = false;
    } while (status == STATUS_BUDGET && pause && ++calls < MOST_STEPS && !pause(I, R[HEAD_TIME]));
    inputs_stand(I);
    if (status == STATUS_OK || (status == STATUS_BUDGET && pause && calls < MOST_STEPS)) return OK;
    if (status == STATUS_BUDGET) say_too_many_steps(text, sizeof text, size, (double)MOST_STEPS);
    else say_failed_step(text, sizeof text, R, status);
    memcpy(R, I->before, sizeof(double[N_RESTORED]));
    if (R[HEAD_FRESH] != 1.0) R[HEAD_FRESH] = 0.0; /* what the outputs were made from is gone */
    return refuse(I, refused, repeated, text);
}
