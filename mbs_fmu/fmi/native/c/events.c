/* Events that end a run. In model exchange the importer finds them by their indicators; at the event it is told. */
#include "inside.h"

/* A zero from which a step starts is no crossing, and one on which it ends is one, as in runs of our own. */
static bool crossed(double before, double now, int direction) {
    return (before < 0.0 && now >= 0.0 && direction >= 0) || (before > 0.0 && now <= 0.0 && direction <= 0);
}

void core_watch(Instance *I, bool *over) {
    for (size_t k = 0; k < N_EVENTS && I->exchange; k++) {
        double now;
        if (!STOPS[k] || core_get(I, EVENT_OUTPUTS[k], &now) != OK) continue;
        if (!I->over && crossed(I->indicators[k], now, EVENT_DIRECTIONS[k])) {
            I->over = true;
            core_note(I, EVENTS, "event '%s' ends the run at t = %.9g s", NAMES[EVENT_OUTPUTS[k]], core_time(I));
        }
        I->indicators[k] = now;
    }
    *over = I->over;
}
