/* Events of co-simulation: internal steps up to the next event, and its handling in event mode. */
#include "events.h"

#include "tables.h"
#include "loops.h"

static double step_bound(const Instance *I) { return FIXED ? STEP : I->tolerance; }

#if ACTS

/* Events at which internal steps return; without early return, only those at the end of the communication step. */
enum { RETURN_NEVER, RETURN_AT_END, RETURN_ANYWHERE };

int64_t events_advance(Instance *I, double stop, int64_t most_steps) {
    int returns = !I->event_mode ? RETURN_NEVER : I->early_return ? RETURN_ANYWHERE : RETURN_AT_END;
    return I->kernels->advance_to_event(I->R, I->U, stop, step_bound(I), most_steps, returns);
}

bool events_due(const Instance *I) { return I->event_mode && I->kernels->is_due(I->R, I->U); }

/* True if the log contains a sample or reset. */
static bool has_assigned(const double *R) {
    const double *entry = R + R_LOG;
    for (size_t count = place_in(N_LOG / ENTRY_SIZE + 1, R[INSTANTS_LOGGED]); count > 0; count--, entry += ENTRY_SIZE)
        if (entry[ENTRY_KIND] == OF_SAMPLE || entry[ENTRY_KIND] == OF_RESET) return true;
    return false;
}

void events_note(Instance *I) {
    if (has_assigned(I->R))
        core_log(I, LOG_EVENTS, "signals sampled or values reset at t = %.9g s", I->R[HEAD_TIME]);
    loops_note_modes(I);
    I->R[INSTANTS_LOGGED] = 0.0;
}

int64_t events_act(Instance *I, bool *changed) {
    memcpy(I->trial, I->R, N_R * sizeof(double));
    int64_t status = I->kernels->act(I->trial, I->U);
    *changed = I->trial[INSTANTS_LOGGED] > 0.0;
    if (status != STATUS_OK || *changed) return status;
    memcpy(I->R + R_WATCHED, I->trial + R_WATCHED, N_WATCHED * sizeof(double));
    memcpy(I->R + R_DUE, I->trial + R_DUE, N_DUE * sizeof(double));
    memcpy(I->R + R_INSTANTS, I->trial + R_INSTANTS, N_INSTANTS * sizeof(double));
    return status;
}

/* If nothing changes, the record stays as it is, to the last bit. */
Status events_apply(Instance *I) {
    char text[1000];
    double *next = memcpy(I->trial, I->R, sizeof(double[N_R]));
    next[INSTANTS_LOGGED] = 0.0;
    int64_t status = I->kernels->apply_due(next, I->U, !FIXED);
    if (status != STATUS_OK) {
        write_failed_step(text, sizeof text, next, status);
        return core_report(I, FAILED, "%s: %s", NAME, text);
    }
    if (!events_due(I) && next[INSTANTS_LOGGED] == 0.0) return OK;
    for (size_t k = 0; k != NX; k++)
        if (!isfinite(next[X0 + k]))
            return core_report(I, FAILED, "%s: %s is not finite behind an event at t = %.9g s", NAME, OWNERS[k],
                                 next[HEAD_TIME]);
    memcpy(I->R, next, sizeof(double[N_R]));
    I->read_copy_valid = false;
    events_note(I);
    return OK;
}

#else

int64_t events_advance(Instance *I, double stop, int64_t most_steps) {
    return I->kernels->advance(I->R, I->U, stop, step_bound(I), most_steps);
}
bool events_due(const Instance *I) { return (void)I, false; }
Status events_apply(Instance *I) { return (void)I, OK; }
int64_t events_act(Instance *I, bool *changed) { return (void)I, *changed = false, STATUS_OK; }
void events_note(Instance *I) { (void)I; }

#endif
