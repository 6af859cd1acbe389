/* Saved states, and the checks before one is restored. */
#include "saved.h"

#include "core.h"
#include "tables.h"

#define LAYOUT 3 /* version of Saved: increase it with every change of its members or of their meaning */

typedef struct {
    char magic[8], token[sizeof TOKEN];
    int32_t layout, phase, exchange, ready, inputs_have_slopes, rows_due, run_ended;
    double tolerance, slopes[N_INPUTS + 1], indicators[N_EVENTS + 1], numbers[2 * N_R];
    uint64_t sum;
} Saved;

static const char MAGIC[8] = "mbs_fmu";

size_t core_state_size(void) { return sizeof(Saved); }

/* Checksum over all words before it; detects damaged states. */
static uint64_t sum_of(const Saved *state) {
    uint64_t word, sum = 0;
    for (size_t at = 0; at < offsetof(Saved, sum); at += sizeof word) {
        memcpy(&word, (const char *)state + at, sizeof word);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 29;
    }
    return sum;
}

static void save(const Instance *I, Saved *saved) {
    memset(saved, 0, sizeof *saved);
    memcpy(saved->magic, MAGIC, sizeof MAGIC);
    memcpy(saved->token, TOKEN, sizeof TOKEN);
    saved->layout = LAYOUT;
    saved->phase = I->phase, saved->exchange = I->exchange;
    saved->ready = I->ready, saved->inputs_have_slopes = I->inputs_have_slopes;
    saved->rows_due = I->rows_due, saved->run_ended = I->run_ended;
    saved->tolerance = I->tolerance;
    memcpy(saved->slopes, I->slopes, N_INPUTS * sizeof(double));
    memcpy(saved->indicators, I->indicators, N_EVENTS * sizeof(double));
    memcpy(saved->numbers, I->R, 2 * N_R * sizeof(double));
    saved->sum = sum_of(saved);
}

/* -- checks of a state --------------------------------------------------------------------------------------- */

static bool flags_fit(const Saved *s) {
    const int32_t flags[] = {s->exchange, s->ready, s->inputs_have_slopes, s->rows_due, s->run_ended};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (flags[k] != 0 && flags[k] != 1) return false;
    switch (s->phase) {
    case INSTANTIATED: case INITIALIZING: case EVENT: case TERMINATED: return true;
    case CONTINUOUS: return s->exchange;
    case STEPPING: return !s->exchange;
    default: return false;
    }
}

/* True if the record's indices, counts and choices are in range for the kernels; checked on an aligned copy. */
static bool record_fits(Instance *I, const double *record) {
    memcpy(I->trial, record, N_R * sizeof(double));
    return I->kernels->fits(I->trial, (double *)RULES);
}

static bool fits(Instance *I, const Saved *s) {
    for (size_t k = 0; k != N_INPUTS; k++)
        if (!isfinite(s->slopes[k])) return false;
    return flags_fit(s) && isfinite(s->tolerance) && s->tolerance > 0.0 && record_fits(I, s->numbers) &&
           record_fits(I, s->numbers + N_R);
}

/* Fail unless the state belongs to this FMU. */
static Status require_own(Instance *I, const void *state, size_t size) {
    const Saved *saved = state;
    if (size == sizeof(Saved) && !memcmp(saved->magic, MAGIC, sizeof MAGIC) &&
        !memcmp(saved->token, TOKEN, sizeof TOKEN) && saved->layout == LAYOUT)
        return OK;
    return core_report(I, FAILED, "the saved state is not one of %s (%zu bytes, not %zu, or of another FMU)", NAME,
                         size, sizeof(Saved));
}

static Status check_state(Instance *I, const void *state, size_t size) {
    const Saved *saved = state;
    if (require_own(I, state, size) != OK) return FAILED;
    if (saved->sum == sum_of(saved) && fits(I, saved)) return OK;
    return core_report(I, FAILED, "the saved state of %s is damaged: save it anew", NAME);
}

Status core_serialize(Instance *I, const void *state, void *bytes) {
    if (require_own(I, state, sizeof(Saved)) != OK) return FAILED;
    memcpy(bytes, state, sizeof(Saved));
    return OK;
}

Status core_deserialize(Instance *I, const void *bytes, size_t size, void **state) {
    if (*state && require_own(I, *state, sizeof(Saved)) != OK) return FAILED;
    Saved *copy = malloc(sizeof *copy); /* `bytes` may be unaligned */
    if (!copy) return core_report(I, FAILED, "no memory for a saved state");
    memset(copy, 0, sizeof *copy);
    memcpy(copy, bytes, size < sizeof *copy ? size : sizeof *copy);
    Status status = check_state(I, copy, size);
    if (status != OK) return free(copy), status;
    if (!*state) return *state = copy, OK;
    memcpy(*state, copy, sizeof *copy);
    return free(copy), OK;
}

Status core_save(Instance *I, void **state) {
    if (*state && require_own(I, *state, sizeof(Saved)) != OK) return FAILED;
    if (!*state && !(*state = malloc(sizeof(Saved)))) return core_report(I, FAILED, "no memory for a saved state");
    save(I, *state);
    return OK;
}

Status core_restore(Instance *I, const void *state) {
    const Saved *saved = state;
    if (check_state(I, state, sizeof *saved) != OK) return FAILED;
    if (saved->exchange != I->exchange)
        return core_report(I, FAILED, "the saved state is one of %s",
                             saved->exchange ? "model exchange" : "co-simulation");
    I->phase = (Phase)saved->phase, I->ready = saved->ready, I->inputs_have_slopes = saved->inputs_have_slopes;
    I->rows_due = saved->rows_due, I->run_ended = saved->run_ended, I->read_copy_valid = false;
    I->tolerance = saved->tolerance;
    memcpy(I->slopes, saved->slopes, N_INPUTS * sizeof(double));
    memcpy(I->indicators, saved->indicators, N_EVENTS * sizeof(double));
    memcpy(I->R, saved->numbers, 2 * N_R * sizeof(double));
    core_log(I, LOG_EVENTS, "state restored at t = %.9g s", core_time(I));
    return OK;
}
