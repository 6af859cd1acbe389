/* Events that end a run. In model exchange the importer finds them by their indicators; at the event it is told. */
#include "inside.h"

void core_watch(Instance *I, bool *over) {
    for (size_t k = 0; k < N_EVENTS && I->exchange; k++) {
        double now;
        if (!STOPS[k] || core_get(I, EVENT_OUTPUTS[k], &now) != OK) continue;
        if (!I->over && I->kernels->crosses(I->indicators[k], now, EVENT_DIRECTIONS[k])) {
            I->over = true;
            core_note(I, EVENTS, "event '%s' ends the run at t = %.9g s", NAMES[EVENT_OUTPUTS[k]], core_time(I));
        }
        I->indicators[k] = now;
    }
    *over = I->over;
}
