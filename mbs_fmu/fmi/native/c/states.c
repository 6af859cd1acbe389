/* Continuous states and their derivatives; saved states. */
#include "inside.h"

/* -- continuous states --------------------------------------------------------------------------------------- */

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
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    call_exchange(I);
    memcpy(dx, I->R + EXCHANGE, NX * sizeof(double));
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(dx[k]))
            return core_complain(I, DISCARD, "the derivative of %s is not finite at t = %.9g s", OWNERS[k], I->R[TIME]);
    return OK;
}

Status core_indicators(Instance *I, double *values, size_t count) {
    if (count != N_EVENTS)
        return core_complain(I, FAILED, "%zu event indicators: the model has %d", count, N_EVENTS);
    for (size_t k = 0; k < N_EVENTS; k++) { /* outputs, by their value references */
        Status status = core_get(I, EVENT_OUTPUTS[k], values + k);
        if (status != OK) return status;
    }
    return OK;
}

void core_nominals(double *x) {
    for (size_t k = 0; k < NX; k++) x[k] = 1.0;
}

/* -- saved states ------------------------------------------------------------------------------------------- */

typedef struct {
    char token[sizeof TOKEN];
    int32_t phase, exchange, ready, inputs_move, changed, due;
    double tolerance, slopes[N_INPUTS + 1], ranks[N_LOOPS + 1], numbers[2 * N_R];
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
    saved->changed = I->changed, saved->due = I->due;
    saved->tolerance = I->tolerance;
    memcpy(saved->slopes, I->slopes, N_INPUTS * sizeof(double));
    memcpy(saved->ranks, I->ranks, N_LOOPS * sizeof(double));
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
    I->changed = saved->changed, I->due = saved->due;
    I->tolerance = saved->tolerance;
    memcpy(I->slopes, saved->slopes, N_INPUTS * sizeof(double));
    memcpy(I->ranks, saved->ranks, N_LOOPS * sizeof(double));
    memcpy(I->R, saved->numbers, 2 * N_R * sizeof(double));
    core_note(I, EVENTS, "state restored at t = %.9g s", core_time(I));
    return OK;
}
