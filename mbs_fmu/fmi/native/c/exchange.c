/* Model exchange: continuous states, their derivatives, event indicators, completed steps and events. */
#include "exchange.h"

#include "core.h"
#include "events.h"
#include "tables.h"
#include "loops.h"

/* Copy numbers to or from an importer, whose pointer may be NULL if there are none: memcpy does not allow that. */
static void copy_numbers(double *to, const double *from, size_t count) {
    if (count) memcpy(to, from, count * sizeof *to);
}

/* -- continuous states --------------------------------------------------------------------------------------- */

static Status wrong_count(Instance *I, size_t count) {
    return core_report(I, FAILED, "%zu continuous states: the model has %d", count, NX);
}

Status core_set_states(Instance *I, const double *x, size_t count) {
    if (count != NX) return wrong_count(I, count);
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(x[k])) return core_report(I, DISCARD, "%s is not finite", OWNERS[k]);
    if (count && memcmp(I->R + X0, x, NX * sizeof(double))) I->R[HEAD_FRESH] = FRESH_STALE;
    copy_numbers(I->R + X0, x, NX);
    return OK;
}

Status core_get_states(Instance *I, double *x, size_t count) {
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(I->R[X0 + k]))
            return core_report(I, DISCARD, "%s is not finite at t = %.9g s", OWNERS[k], I->R[HEAD_TIME]);
    copy_numbers(x, I->R + X0, NX);
    return OK;
}

Status core_derivatives(Instance *I, double *dx, size_t count) {
    if (count != NX) return wrong_count(I, count);
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    const double *R = call_exchange(I);
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(R[EXCHANGE + k]))
            return core_report(I, DISCARD, "the derivative of %s is not finite at t = %.9g s", OWNERS[k],
                                 I->R[HEAD_TIME]);
    copy_numbers(dx, R + EXCHANGE, NX);
    return OK;
}

Status core_indicators(Instance *I, double *values, size_t count) {
    if (count != N_EVENTS)
        return core_report(I, FAILED, "%zu event indicators: the model has %d", count, N_EVENTS);
    double indicators[N_EVENTS + 1] = {0.0};
    for (size_t k = 0; k != N_EVENTS; k++) { /* indicators are outputs */
        Status status = core_get(I, EVENT_OUTPUTS[k], indicators + k);
        if (status != OK) return status;
    }
    copy_numbers(values, indicators, N_EVENTS);
    return OK;
}

void core_nominals(double *x) {
    for (size_t k = 0; k != NX; k++) x[k] = NOMINALS[k];
}

/* -- terminal events: the importer locates them by their indicators and then enters event mode ------------------ */

/* An indicator that is zero at the start crosses when it leaves zero, but not if it does so at once. */
void core_start_watch(Instance *I) {
    bool zero_at_start = false;
    double ahead, h = 2.5e-7;
    for (size_t k = 0; k != N_EVENTS && I->exchange; k++)
        if (STOPS[k] && core_get(I, EVENT_OUTPUTS[k], I->indicators + k) == OK)
            zero_at_start = zero_at_start || I->indicators[k] == 0.0;
    if (!zero_at_start) return;
    memcpy(I->trial, I->R, N_R * sizeof(double));
    for (int step = 0; step < 4; step++) { /* repeated, since a coordinate with zero velocity moves later */
        const double *R = call_exchange(I);
        for (size_t k = 0; k != NX; k++) I->R[X0 + k] += h * R[EXCHANGE + k];
        core_set_time(I, I->R[HEAD_TIME] + h);
        I->R[HEAD_FRESH] = FRESH_STALE, I->read_copy_valid = false;
    }
    for (size_t k = 0; k != N_EVENTS; k++)
        if (STOPS[k] && I->indicators[k] == 0.0 && core_get(I, EVENT_OUTPUTS[k], &ahead) == OK && ahead != 0.0)
            I->indicators[k] = NAN;
    memcpy(I->R, I->trial, N_R * sizeof(double));
    I->read_copy_valid = false;
}

void core_watch(Instance *I, bool *run_ended) {
    for (size_t k = 0; k != N_EVENTS && I->exchange; k++) {
        double now;
        if (!STOPS[k] || core_get(I, EVENT_OUTPUTS[k], &now) != OK) continue;
        if (!I->run_ended && I->kernels->crosses(I->indicators[k], now, EVENT_DIRECTIONS[k])) {
            I->run_ended = true;
            core_log(I, LOG_EVENTS, "event '%s' ends the run at t = %.9g s", NAMES[EVENT_OUTPUTS[k]], core_time(I));
        }
        if (now != 0.0 || !isnan(I->indicators[k])) I->indicators[k] = now;
    }
    *run_ended = I->run_ended;
}

/* -- samples, resets and changes of modes: the importer stops there ------------------------------------------- */

bool core_next_sample(const Instance *I, double *time) {
    *time = ACTS ? I->R[INSTANTS_NEXT_SAMPLE] : HUGE_VAL;
    return isfinite(*time);
}

/* Do what is due at the current time: samples, resets and changes of modes, in all rounds of the instant. */
static Status apply_due(Instance *I, bool *states_changed) {
    char text[1000];
    bool changed;
    int64_t status = events_act(I, &changed);
    if (status != STATUS_OK) {
        write_failed_step(text, sizeof text, I->trial, status);
        return core_report(I, FAILED, "%s: %s", NAME, text);
    }
    if (!changed) return OK;
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(I->trial[X0 + k]))
            return core_report(I, FAILED, "%s: %s is not finite behind an event at t = %.9g s", NAME, OWNERS[k],
                                 core_time(I));
    memcpy(I->R, I->trial, N_R * sizeof(double));
    I->R[HEAD_FRESH] = FRESH_STALE;
    events_note(I);
    *states_changed = true;
    return core_check_step(I);
}

/* -- completed steps and events ------------------------------------------------------------------------------- */

/* Set `event` if something is due at the end of a step, or cannot be done: event mode then reports the failure. */
static void note_due(Instance *I, bool *event) {
    bool changed;
    int64_t status = events_act(I, &changed);
    *event = *event || changed || status != STATUS_OK;
}

#if N_LOOPS

/* Copy of the record that restarts here with constraint rows chosen anew among all. */
static const double *restarted(Instance *I, int64_t *status) {
    call_rates(I);
    memcpy(I->trial, I->R, N_R * sizeof(double));
    memcpy(I->trial + R_U_OLD, I->R + R_U, N_U * sizeof(double)); /* a row that returns must change these little */
    I->trial[HEAD_FRESH] = FRESH_STALE;
    *status = I->kernels->begin(I->trial, I->U, 0.0);
    return I->trial;
}

static Status report_open_loop(Instance *I) {
    return core_fault(I, I->kernels->open_loop_status(I->R, 0.0));
}

static Status report_not_followed(Instance *I, const double *next) {
    char text[1000];
    write_failed_step(text, sizeof text, next, STATUS_NOT_FOLLOWED);
    return core_report(I, FAILED, "%s: %s", NAME, text);
}

Status core_completed_step(Instance *I, bool *event) {
    int64_t status;
    const double *R = I->R;
    if (core_check_step(I) != OK) return FAILED;
    const double *next = restarted(I, &status);
    if (status == STATUS_NOT_FOLLOWED) return report_not_followed(I, next);
    if (R[LOOP_STATE_RESIDUAL] > R[LOOP_STATE_RESIDUAL_BOUND]) return report_open_loop(I);
    *event = I->rows_due = loops_chosen(next) > loops_chosen(R);
    note_due(I, event);
    return OK;
}

Status core_update(Instance *I, bool *states_changed) {
    int64_t status;
    if (!I->exchange) return events_apply(I);
    if (I->run_ended) return OK; /* nothing acts behind the end */
    if (core_check_step(I) != OK) return FAILED; /* forces that jump here start the next step's mean values */
    if (apply_due(I, states_changed) != OK) return FAILED;
    if (!I->rows_due) return OK;
    I->rows_due = false;
    const double *next = restarted(I, &status);
    if (status == STATUS_NOT_FOLLOWED) return report_not_followed(I, next);
    if (status == STATUS_OPEN_LOOP) return report_open_loop(I);
    if (status == STATUS_GIMBAL_LOCK) return core_fault(I, status);
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(next[X0 + k])) return OK; /* the states were not finite before; getters report it */
    memcpy(I->R, next, N_R * sizeof(double));
    if (core_check_step(I) != OK) return FAILED; /* for the new rows */
    core_log(I, LOG_EVENTS, "rows chosen at t = %.9g s", I->R[HEAD_TIME]);
    /* re-basing leaves velocities unchanged but for last bits, which change outputs */
    I->R[HEAD_FRESH] = FRESH_STALE;
    *states_changed = true;
    return OK;
}

#else

Status core_completed_step(Instance *I, bool *event) {
    if (core_check_step(I) != OK) return FAILED;
    note_due(I, event);
    return OK;
}
Status core_update(Instance *I, bool *states_changed) {
    if (!I->exchange) return events_apply(I);
    return I->run_ended ? OK : apply_due(I, states_changed);
}

#endif
