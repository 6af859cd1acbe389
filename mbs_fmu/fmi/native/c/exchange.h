/* Model exchange: continuous states, their derivatives, event indicators, completed steps and events. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "instance.h"

LOCAL Status core_set_states(Instance *, const double *x, size_t count);
LOCAL Status core_get_states(Instance *, double *x, size_t count);
LOCAL Status core_derivatives(Instance *, double *dx, size_t count);
LOCAL Status core_indicators(Instance *, double *values, size_t count);
LOCAL void core_nominals(double *x);

/* After a step of the importer's solver, and at an event (also in co-simulation). `event` becomes true if event mode is
 * needed, `states_changed` if the continuous states of model exchange have changed. */
LOCAL Status core_completed_step(Instance *, bool *event);
LOCAL Status core_update(Instance *, bool *states_changed);
LOCAL bool core_next_sample(const Instance *, double *time); /* false if there is none; the importer must stop there */
/* Terminal events: call at the start, then after each step and at each event. */
LOCAL void core_start_watch(Instance *);
LOCAL void core_watch(Instance *, bool *run_ended);

#endif
