/* Saved states, and what is taken for one. */
#include "saved.h"

#include "core.h"
#include "inside.h"

#define LAYOUT 3 /* of Saved: counts up with every change of it, or of what its numbers mean */

typedef struct {
    char magic[8], token[sizeof TOKEN];
    int32_t layout, phase, exchange, ready, inputs_move, due, over;
    double tolerance, slopes[N_INPUTS + 1], indicators[N_EVENTS + 1], numbers[2 * N_R];
    uint64_t sum;
} Saved;

static const char MAGIC[8] = "mbs_fmu";

size_t core_state_size(void) { return sizeof(Saved); }

/* A sum over all words but itself, so that a damaged state is not taken for a good one. */
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
    saved->ready = I->ready, saved->inputs_move = I->inputs_move;
    saved->due = I->due, saved->over = I->over;
    saved->tolerance = I->tolerance;
    memcpy(saved->slopes, I->slopes, N_INPUTS * sizeof(double));
    memcpy(saved->indicators, I->indicators, N_EVENTS * sizeof(double));
    memcpy(saved->numbers, I->R, 2 * N_R * sizeof(double));
    saved->sum = sum_of(saved);
}

/* -- what is taken for a state ------------------------------------------------------------------------------- */

static bool flags_fit(const Saved *s) {
    const int32_t flags[] = {s->exchange, s->ready, s->inputs_move, s->due, s->over};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (flags[k] != 0 && flags[k] != 1) return false;
    switch (s->phase) {
    case INSTANTIATED: case INITIALIZING: case EVENT: case TERMINATED: return true;
    case CONTINUOUS: return s->exchange;
    case STEPPING: return !s->exchange;
    default: return false;
    }
}

/* Whether kernels may be given a record, looked at in one of its own. */
static bool record_fits(Instance *I, const double *record) {
    memcpy(I->spare, record, N_R * sizeof(double));
    return I->kernels->fits(I->spare, (double *)RULES);
}

static bool fits(Instance *I, const Saved *s) {
    for (size_t k = 0; k < N_INPUTS; k++)
        if (!isfinite(s->slopes[k])) return false;
    return flags_fit(s) && isfinite(s->tolerance) && s->tolerance > 0.0 && record_fits(I, s->numbers) &&
           record_fits(I, s->numbers + N_R);
}

/* Whether a state is one of this FMU: only then it has the size of one. */
static Status require_own(Instance *I, const void *state, size_t size) {
    const Saved *saved = state;
    if (size == sizeof(Saved) && !memcmp(saved->magic, MAGIC, sizeof MAGIC) &&
        !memcmp(saved->token, TOKEN, sizeof TOKEN) && saved->layout == LAYOUT)
        return OK;
    return core_complain(I, FAILED, "the saved state is not one of %s (%zu bytes, not %zu, or of another FMU)", NAME,
                         size, sizeof(Saved));
}

static Status check_state(Instance *I, const void *state, size_t size) {
    const Saved *saved = state;
    if (require_own(I, state, size) != OK) return FAILED;
    if (saved->sum == sum_of(saved) && fits(I, saved)) return OK;
    return core_complain(I, FAILED, "the saved state of %s is damaged: save it anew", NAME);
}

Status core_serialize(Instance *I, const void *state, void *bytes) {
    if (require_own(I, state, sizeof(Saved)) != OK) return FAILED;
    memcpy(bytes, state, sizeof(Saved));
    return OK;
}

Status core_deserialize(Instance *I, const void *bytes, size_t size, void **state) {
    if (*state && require_own(I, *state, sizeof(Saved)) != OK) return FAILED;
    Saved *copy = malloc(sizeof *copy); /* bytes may lie anywhere, a state's numbers not */
    if (!copy) return core_complain(I, FAILED, "no memory for a saved state");
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
    if (!*state && !(*state = malloc(sizeof(Saved)))) return core_complain(I, FAILED, "no memory for a saved state");
    save(I, *state);
    return OK;
}

Status core_restore(Instance *I, const void *state) {
    const Saved *saved = state;
    if (check_state(I, state, sizeof *saved) != OK) return FAILED;
    if (saved->exchange != I->exchange)
        return core_complain(I, FAILED, "the saved state is one of %s",
                             saved->exchange ? "model exchange" : "co-simulation");
    I->phase = (Phase)saved->phase, I->ready = saved->ready, I->inputs_move = saved->inputs_move;
    I->due = saved->due, I->over = saved->over, I->looked = false;
    I->tolerance = saved->tolerance;
    memcpy(I->slopes, saved->slopes, N_INPUTS * sizeof(double));
    memcpy(I->indicators, saved->indicators, N_EVENTS * sizeof(double));
    memcpy(I->R, saved->numbers, 2 * N_R * sizeof(double));
    core_note(I, EVENTS, "state restored at t = %.9g s", core_time(I));
    return OK;
}
