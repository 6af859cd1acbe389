/* Life cycle and log messages of an instance, and the choice of its machine code. */
#include "instance.h"

#include <stdarg.h>
#include <stdio.h>

#include "processor.h"
#include "tables.h"

#define DECLARED(name, arguments) int64_t kernel_##name arguments;
#define ADDRESS(name, arguments) kernel_##name,
#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif
KERNELS(DECLARED)
static const struct Kernels kernels = {KERNELS(ADDRESS)};
#ifdef HAVE_V3
#define DECLARED_V3(name, arguments) int64_t kernel_##name##_v3 arguments;
#define ADDRESS_V3(name, arguments) kernel_##name##_v3,
HOT_KERNELS(DECLARED_V3)
static const struct Kernels kernels_v3 = {HOT_KERNELS(ADDRESS_V3) COLD_KERNELS(ADDRESS)};
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* Kernels in the fastest machine code that this processor runs; results are the same, bit for bit. */
static const struct Kernels *best_kernels(void) {
#ifdef HAVE_V3
    if (runs_v3()) return &kernels_v3;
#endif
    return &kernels;
}

const char *model_token(void) { return TOKEN; }

const char *model_name(void) { return NAME; }

size_t model_states(void) { return NX; }

size_t model_indicators(void) { return N_EVENTS; }

const char *category_name(Category category) {
    static const char *const names[CATEGORIES] = {"info", "warning", "error", "events"};
    return names[category];
}

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

/* -- life cycle ------------------------------------------------------------------------------------------- */

Instance *core_new(const char *name) {
    size_t name_size = strlen(name) + 1;
    Instance *I = calloc(1, sizeof *I);
    size_t others = (size_t)N_TABLES + N_INPUTS + N_EVENTS + N_CHANGING + R_BODIES;
    double *numbers = calloc((N_LOOPS ? 9 : 7) * (size_t)N_R + others, sizeof(double));
    char *copy = malloc(name_size);
    if (!I || !numbers || !copy) {
        free(I), free(numbers), free(copy);
        return NULL;
    }
    memcpy(copy, name, name_size);
    I->name = copy;
    I->kernels = best_kernels();
    I->R = numbers, I->start_record = I->R + N_R, I->D = I->start_record + N_R;
    I->read_copy = I->D + N_R, I->scratch = I->read_copy + N_R;
    I->U = I->scratch + N_R, I->slopes = I->U + N_TABLES, I->indicators = I->slopes + N_INPUTS;
    I->step_start = I->indicators + N_EVENTS, I->failed_from = I->step_start + N_CHANGING;
    I->trial = I->failed_from + R_BODIES;
    if (N_LOOPS) I->motion = I->trial + 2 * (size_t)N_R, I->motion_tangents = I->motion + N_R;
    core_reset(I);
    return I;
}

void core_free(Instance *I) {
    if (!I) return;
    free(I->R), free(I->name), free(I);
}

void core_reset(Instance *I) {
    memcpy(I->start_record, FIRST, sizeof FIRST);
    memset(I->start_record + sizeof FIRST / sizeof *FIRST, 0, N_R * sizeof(double) - sizeof FIRST);
    for (double *const *record = (double *[]){I->R, I->read_copy, I->scratch, NULL}; *record; record++)
        memcpy(*record, I->start_record, N_R * sizeof(double));
    memset(I->slopes, 0, N_INPUTS * sizeof(double));
    I->phase = INSTANTIATED;
    for (size_t k = 0; k != N_EVENTS; k++) I->indicators[k] = NAN;
    I->ready = I->inputs_have_slopes = I->read_copy_valid = I->rows_due = I->run_ended = false;
    I->tolerance = RTOL, I->refused_size = 0.0;
}

/* -- messages --------------------------------------------------------------------------------------------- */

/* Errors are logged whatever the importer has enabled, as FMI 3.0.3 requires; discarded steps are not, since an importer
 * that tries shorter steps would get very many. */
static void log_message(Instance *I, Status status, Category category, const char *format, va_list arguments) {
    char text[1500];
    if (!I->log || !(I->logging[category] || status == FAILED)) return;
    vsnprintf(text, sizeof text, format, arguments);
    I->log(I, status, category, text);
}

Status core_report(Instance *I, Status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_message(I, status, status == WARNING ? LOG_WARNING : LOG_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

void core_log(Instance *I, Category category, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_message(I, OK, category, format, arguments);
    va_end(arguments);
}

bool core_set_logging(Instance *I, bool on, size_t count, const char *const names[]) {
    bool known = true;
    for (int k = 0; k < CATEGORIES && count == 0; k++) I->logging[k] = on;
    for (size_t i = 0; i < count; i++) {
        bool matches = false;
        for (int k = 0; k < CATEGORIES; k++)
            if (names[i] && !strcmp(names[i], category_name((Category)k))) I->logging[k] = on, matches = true;
        known = known && matches;
    }
    return known;
}
