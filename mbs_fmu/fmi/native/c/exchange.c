/* Model exchange: continuous states and what follows from them, steps that an importer has made, events. */
#include "exchange.h"

#include "core.h"
#include "events.h"
#include "inside.h"
#include "loops.h"

/* -- continuous states --------------------------------------------------------------------------------------- */

static Status wrong_count(Instance *I, size_t count) {
    return core_complain(I, FAILED, "%zu continuous states: the model has %d", count, NX);
}

Status core_set_states(Instance *I, const double *x, size_t count) {
    if (count != NX) return wrong_count(I, count);
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(x[k])) return core_complain(I, DISCARD, "%s is not finite", OWNERS[k]);
    if (memcmp(I->R + X0, x, NX * sizeof(double))) I->R[HEAD_FRESH] = FRESH_STALE;
    memcpy(I->R + X0, x, NX * sizeof(double));
    return OK;
}

Status core_get_states(Instance *I, double *x, size_t count) {
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(I->R[X0 + k]))
            return core_complain(I, DISCARD, "%s is not finite at t = %.9g s", OWNERS[k], I->R[HEAD_TIME]);
    memcpy(x, I->R + X0, NX * sizeof(double));
    return OK;
}

Status core_derivatives(Instance *I, double *dx, size_t count) {
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    const double *R = call_exchange(I);
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(R[EXCHANGE + k]))
            return core_complain(I, DISCARD, "the derivative of %s is not finite at t = %.9g s", OWNERS[k],
                                 I->R[HEAD_TIME]);
    memcpy(dx, R + EXCHANGE, NX * sizeof(double));
    return OK;
}

Status core_indicators(Instance *I, double *values, size_t count) {
    if (count != N_EVENTS)
        return core_complain(I, FAILED, "%zu event indicators: the model has %d", count, N_EVENTS);
    double found[N_EVENTS + 1];
    for (size_t k = 0; k < N_EVENTS; k++) { /* outputs, by their value references */
        Status status = core_get(I, EVENT_OUTPUTS[k], found + k);
        if (status != OK) return status;
    }
    memcpy(values, found, N_EVENTS * sizeof(double));
    return OK;
}

void core_nominals(double *x) {
    for (size_t k = 0; k < NX; k++) x[k] = NOMINALS[k];
}

/* -- events that end a run: the importer finds them by their indicators; at the event it is told -------------- */

/* As `start_watch` of the kernels: a zero that lasts counts where it is left, one that is left at once does not. */
void core_start_watch(Instance *I) {
    bool begins = false;
    double ahead, h = 2.5e-7;
    for (size_t k = 0; k < N_EVENTS && I->exchange; k++)
        if (STOPS[k] && core_get(I, EVENT_OUTPUTS[k], I->indicators + k) == OK)
            begins = begins || I->indicators[k] == 0.0;
    if (!begins) return;
    memcpy(I->spare, I->R, N_R * sizeof(double));
    for (int step = 0; step < 4; step++) { /* each carries further what stands still */
        const double *R = call_exchange(I);
        for (size_t k = 0; k < NX; k++) I->R[X0 + k] += h * R[EXCHANGE + k];
        core_set_time(I, I->R[HEAD_TIME] + h);
        I->R[HEAD_FRESH] = FRESH_STALE, I->looked = false;
    }
    for (size_t k = 0; k < N_EVENTS; k++)
        if (STOPS[k] && I->indicators[k] == 0.0 && core_get(I, EVENT_OUTPUTS[k], &ahead) == OK && ahead != 0.0)
            I->indicators[k] = NAN;
    memcpy(I->R, I->spare, N_R * sizeof(double));
    I->looked = false;
}

void core_watch(Instance *I, bool *over) {
    for (size_t k = 0; k < N_EVENTS && I->exchange; k++) {
        double now;
        if (!STOPS[k] || core_get(I, EVENT_OUTPUTS[k], &now) != OK) continue;
        if (!I->over && I->kernels->crosses(I->indicators[k], now, EVENT_DIRECTIONS[k])) {
            I->over = true;
            core_note(I, EVENTS, "event '%s' ends the run at t = %.9g s", NAMES[EVENT_OUTPUTS[k]], core_time(I));
        }
        if (now != 0.0 || !isnan(I->indicators[k])) I->indicators[k] = now;
    }
    *over = I->over;
}

/* -- samples, and events that reset something: the importer stops at both ------------------------------------- */

#if N_SAMPLE_STATE

bool core_next_sample(const Instance *I, double *time) {
    *time = I->R[SAMPLE_STATE_NEXT_SAMPLE];
    return isfinite(*time);
}

static void take(Instance *I, size_t start, size_t count) {
    memcpy(I->R + start, I->spare + start, count * sizeof(double));
}

/* What is due at the present time. */
static Status jump(Instance *I, bool *states_changed) {
    char text[1000];
    memcpy(I->spare, I->R, N_R * sizeof(double));
    int64_t status = I->kernels->jump_now(I->spare, I->U);
    if (status != STATUS_OK) {
        say_failed_step(text, sizeof text, I->spare, status);
        return core_complain(I, FAILED, "%s: %s", NAME, text);
    }
    if (I->spare[SAMPLE_STATE_COUNT] == I->R[SAMPLE_STATE_COUNT]) { /* how far it is to each event counts all the same */
        take(I, R_END_VALUES, N_END_VALUES), take(I, R_RESETS, N_RESETS), take(I, R_TIES, N_TIES);
        return OK;
    }
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(I->spare[X0 + k]))
            return core_complain(I, FAILED, "%s: %s is not finite behind a sample or reset at t = %.9g s", NAME,
                                 OWNERS[k], core_time(I));
    take(I, 0, N_R);
    I->R[HEAD_FRESH] = FRESH_STALE;
    core_note(I, EVENTS, "signals sampled or values reset at t = %.9g s", core_time(I));
    *states_changed = true;
    return core_look_after(I);
}

#else

bool core_next_sample(const Instance *I, double *time) { return (void)I, *time = 0.0, false; }
static Status jump(Instance *I, bool *states_changed) { return (void)I, (void)states_changed, OK; }

#endif

/* -- steps and events of an importer -------------------------------------------------------------------------- */

#if N_LOOPS

/* What beginning anew with rows chosen among all would be like, in a record of its own. */
static const double *begun(Instance *I, int64_t *status) {
    call_rates(I);
    memcpy(I->spare, I->R, N_R * sizeof(double));
    memcpy(I->spare + R_U_OLD, I->R + R_U, N_U * sizeof(double)); /* what a row that comes back may not change much */
    I->spare[HEAD_FRESH] = FRESH_STALE;
    if (N_MODES) I->spare[LOOP_STATE_LOGGED] = 0.0;
    *status = I->kernels->begin(I->spare, I->U, 0.0);
    return I->spare;
}

/* Whether modes change where it begins anew. */
static bool switched(const double *next) { return N_MODES && next[LOOP_STATE_LOGGED] > 0.0; }

static Status too_open(Instance *I) {
    return core_fault(I, I->kernels->stands_open(I->R, 0.0));
}

static Status not_followed(Instance *I, const double *next) {
    char text[1000];
    say_failed_step(text, sizeof text, next, STATUS_NOT_FOLLOWED);
    return core_complain(I, FAILED, "%s: %s", NAME, text);
}

Status core_completed_step(Instance *I, bool *event) {
    int64_t status;
    const double *R = I->R;
    if (core_look_after(I) != OK) return FAILED;
    const double *next = begun(I, &status);
    if (status == STATUS_NOT_FOLLOWED) return not_followed(I, next);
    if (R[LOOP_STATE_RESIDUAL] > R[LOOP_STATE_BOUND]) return too_open(I);
    *event = I->due = loops_chosen(next) > loops_chosen(R) || switched(next);
    return OK;
}

Status core_update(Instance *I, bool *states_changed) {
    int64_t status;
    if (!I->exchange) return events_make(I);
    if (core_look_after(I) != OK) return FAILED; /* forces that jump here begin the next step's means */
    if (jump(I, states_changed) != OK) return FAILED;
    if (!I->due && !N_MODES) return OK;
    bool due = I->due;
    I->due = false;
    const double *next = begun(I, &status);
    if (!due && !switched(next) && status == STATUS_OK) return OK;
    if (status == STATUS_NOT_FOLLOWED) return not_followed(I, next);
    if (status == STATUS_OPEN_LOOP) return too_open(I);
    if (status == STATUS_GIMBAL_LOCK || status == STATUS_UNSETTLED) return core_fault(I, status);
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(next[X0 + k])) return OK; /* the states are bad already, and the importer will find that out */
    memcpy(I->R, next, N_R * sizeof(double));
    if (core_look_after(I) != OK) return FAILED; /* of these rows */
    core_note(I, EVENTS, "rows chosen at t = %.9g s", I->R[HEAD_TIME]);
    loops_note_modes(I);
    /* velocities are those before momenta were re-based, up to last bits that outputs change */
    I->R[HEAD_FRESH] = FRESH_STALE;
    *states_changed = true;
    return OK;
}

#else

Status core_completed_step(Instance *I, bool *event) {
    (void)event;
    return core_look_after(I);
}
Status core_update(Instance *I, bool *states_changed) {
    return I->exchange ? jump(I, states_changed) : events_make(I);
}

#endif
