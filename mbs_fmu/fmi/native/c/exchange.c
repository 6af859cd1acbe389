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

/* As `start_watch` of the kernels: an indicator that is zero at the start crosses when it leaves zero, but not at once. */
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

/* -- samples and event resets: the importer stops at both ----------------------------------------------------- */

#if N_SAMPLE_STATE

bool core_next_sample(const Instance *I, double *time) {
    *time = I->R[SAMPLE_STATE_NEXT_SAMPLE];
    return isfinite(*time);
}

static void copy_from_trial(Instance *I, size_t start, size_t count) {
    memcpy(I->R + start, I->trial + start, count * sizeof(double));
}

/* Apply the samples and resets that are due at the current time. */
static Status apply_samples(Instance *I, bool *states_changed) {
    char text[1000];
    memcpy(I->trial, I->R, N_R * sizeof(double));
    int64_t status = I->kernels->jump_now(I->trial, I->U);
    if (status != STATUS_OK) {
        write_failed_step(text, sizeof text, I->trial, status);
        return core_report(I, FAILED, "%s: %s", NAME, text);
    }
    if (I->trial[SAMPLE_STATE_COUNT] == I->R[SAMPLE_STATE_COUNT]) { /* keep the new values of the event functions */
        copy_from_trial(I, R_END_VALUES, N_END_VALUES), copy_from_trial(I, R_RESETS, N_RESETS);
        copy_from_trial(I, R_TIES, N_TIES);
        return OK;
    }
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(I->trial[X0 + k]))
            return core_report(I, FAILED, "%s: %s is not finite behind a sample or reset at t = %.9g s", NAME,
                                 OWNERS[k], core_time(I));
    copy_from_trial(I, 0, N_R);
    I->R[HEAD_FRESH] = FRESH_STALE;
    core_log(I, LOG_EVENTS, "signals sampled or values reset at t = %.9g s", core_time(I));
    *states_changed = true;
    return core_check_step(I);
}

#else

bool core_next_sample(const Instance *I, double *time) { return (void)I, *time = 0.0, false; }
static Status apply_samples(Instance *I, bool *states_changed) { return (void)I, (void)states_changed, OK; }

#endif

/* -- completed steps and events ------------------------------------------------------------------------------- */

#if N_LOOPS

/* Copy of the record that restarts here with constraint rows chosen anew among all. */
static const double *restarted(Instance *I, int64_t *status) {
    call_rates(I);
    memcpy(I->trial, I->R, N_R * sizeof(double));
    memcpy(I->trial + R_U_OLD, I->R + R_U, N_U * sizeof(double)); /* a row that returns must change these little */
    I->trial[HEAD_FRESH] = FRESH_STALE;
    if (N_MODES) I->trial[LOOP_STATE_LOGGED] = 0.0;
    *status = I->kernels->begin(I->trial, I->U, 0.0);
    return I->trial;
}

/* True if constraint modes have changed in the restarted record. */
static bool modes_changed(const double *next) { return N_MODES && next[LOOP_STATE_LOGGED] > 0.0; }

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
    *event = I->rows_due = loops_chosen(next) > loops_chosen(R) || modes_changed(next);
    return OK;
}

Status core_update(Instance *I, bool *states_changed) {
    int64_t status;
    if (!I->exchange) return events_apply(I);
    if (core_check_step(I) != OK) return FAILED; /* forces that jump here start the next step's mean values */
    if (apply_samples(I, states_changed) != OK) return FAILED;
    if (!I->rows_due && !N_MODES) return OK;
    bool due = I->rows_due;
    I->rows_due = false;
    const double *next = restarted(I, &status);
    if (!due && !modes_changed(next) && status == STATUS_OK) return OK;
    if (status == STATUS_NOT_FOLLOWED) return report_not_followed(I, next);
    if (status == STATUS_OPEN_LOOP) return report_open_loop(I);
    if (status == STATUS_GIMBAL_LOCK || status == STATUS_UNSETTLED) return core_fault(I, status);
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(next[X0 + k])) return OK; /* the states were not finite before; getters report it */
    memcpy(I->R, next, N_R * sizeof(double));
    if (core_check_step(I) != OK) return FAILED; /* for the new rows */
    core_log(I, LOG_EVENTS, "rows chosen at t = %.9g s", I->R[HEAD_TIME]);
    loops_note_modes(I);
    /* re-basing leaves velocities unchanged but for last bits, which change outputs */
    I->R[HEAD_FRESH] = FRESH_STALE;
    *states_changed = true;
    return OK;
}

#else

Status core_completed_step(Instance *I, bool *event) {
    (void)event;
    return core_check_step(I);
}
Status core_update(Instance *I, bool *states_changed) {
    return I->exchange ? apply_samples(I, states_changed) : events_apply(I);
}

#endif
