/* Events of co-simulation: internal steps that end where something is due, and what is done there in event mode. */
#include "events.h"

#include "inside.h"
#include "loops.h"

static double setting(const Instance *I) { return FIXED ? SETTING : I->tolerance; }

#if N_MODES || N_SAMPLE_STATE

/* Without leave to return early the importer is told of what falls on the end of its step only. */
enum { TOLD_NOTHING, TOLD_AT_THE_END, TOLD_ALL };

int64_t events_advance(Instance *I, double stop, int64_t most_steps) {
    int told = !I->event_mode ? TOLD_NOTHING : I->early_return ? TOLD_ALL : TOLD_AT_THE_END;
    return I->kernels->advance_to_event(I->R, I->U, stop, setting(I), most_steps, told);
}

bool events_due(const Instance *I) { return I->event_mode && I->kernels->is_due(I->R); }

/* Modes that changed or were struck, and times at which something was sampled or reset. */
static double changes(const double *R) {
    return (N_MODES ? R[LOOP_STATE_LOGGED] : 0.0) + (N_SAMPLE_STATE ? R[SAMPLE_STATE_COUNT] : 0.0);
}

/* Where nothing changes the record stays as it is, to the last bit. */
Status events_make(Instance *I) {
    char text[1000];
    double *next = memcpy(I->spare, I->R, sizeof(double[N_R]));
    int64_t status = I->kernels->make_due(next, I->U, !FIXED);
    if (status != STATUS_OK) {
        say_failed_step(text, sizeof text, next, status);
        return core_complain(I, FAILED, "%s: %s", NAME, text);
    }
    if (!events_due(I) && changes(next) == changes(I->R)) return OK;
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(next[X0 + k]))
            return core_complain(I, FAILED, "%s: %s is not finite behind an event at t = %.9g s", NAME, OWNERS[k],
                                 next[HEAD_TIME]);
    if (N_SAMPLE_STATE && next[SAMPLE_STATE_COUNT] != I->R[SAMPLE_STATE_COUNT])
        core_note(I, EVENTS, "signals sampled or values reset at t = %.9g s", next[HEAD_TIME]);
    memcpy(I->R, next, sizeof(double[N_R]));
    I->looked = false;
    loops_note_modes(I);
    return OK;
}

#else

int64_t events_advance(Instance *I, double stop, int64_t most_steps) {
    return I->kernels->advance(I->R, I->U, stop, setting(I), most_steps);
}
bool events_due(const Instance *I) { return (void)I, false; }
Status events_make(Instance *I) { return (void)I, OK; }

#endif
