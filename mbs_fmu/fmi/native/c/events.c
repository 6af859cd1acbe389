/* Events of co-simulation: internal steps up to the next event, and its handling in event mode. */
#include "events.h"

#include "tables.h"
#include "loops.h"

static double step_bound(const Instance *I) { return FIXED ? STEP : I->tolerance; }

#if N_MODES || N_SAMPLE_STATE

/* Events at which internal steps return; without early return, only those at the end of the communication step. */
enum { RETURN_NEVER, RETURN_AT_END, RETURN_ANYWHERE };

int64_t events_advance(Instance *I, double stop, int64_t most_steps) {
    int returns = !I->event_mode ? RETURN_NEVER : I->early_return ? RETURN_ANYWHERE : RETURN_AT_END;
    return I->kernels->advance_to_event(I->R, I->U, stop, step_bound(I), most_steps, returns);
}

bool events_due(const Instance *I) { return I->event_mode && I->kernels->is_due(I->R); }

/* Number of mode changes, impacts, samples and resets so far. */
static double changes(const double *R) {
    return (N_MODES ? R[LOOP_STATE_LOGGED] : 0.0) + (N_SAMPLE_STATE ? R[SAMPLE_STATE_COUNT] : 0.0);
}

/* If nothing changes, the record stays as it is, to the last bit. */
Status events_apply(Instance *I) {
    char text[1000];
    double *next = memcpy(I->trial, I->R, sizeof(double[N_R]));
    int64_t status = I->kernels->apply_due(next, I->U, !FIXED);
    if (status != STATUS_OK) {
        write_failed_step(text, sizeof text, next, status);
        return core_report(I, FAILED, "%s: %s", NAME, text);
    }
    if (!events_due(I) && changes(next) == changes(I->R)) return OK;
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(next[X0 + k]))
            return core_report(I, FAILED, "%s: %s is not finite behind an event at t = %.9g s", NAME, OWNERS[k],
                                 next[HEAD_TIME]);
    if (N_SAMPLE_STATE && next[SAMPLE_STATE_COUNT] != I->R[SAMPLE_STATE_COUNT])
        core_log(I, LOG_EVENTS, "signals sampled or values reset at t = %.9g s", next[HEAD_TIME]);
    memcpy(I->R, next, sizeof(double[N_R]));
    I->read_copy_valid = false;
    loops_note_modes(I);
    return OK;
}

#else

int64_t events_advance(Instance *I, double stop, int64_t most_steps) {
    return I->kernels->advance(I->R, I->U, stop, step_bound(I), most_steps);
}
bool events_due(const Instance *I) { return (void)I, false; }
Status events_apply(Instance *I) { return (void)I, OK; }

#endif
