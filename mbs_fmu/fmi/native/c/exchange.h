/* Model exchange: continuous states and what follows from them, steps that an importer has made, events. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "instance.h"

Status core_set_states(Instance *, const double *x, size_t count);
Status core_get_states(Instance *, double *x, size_t count);
Status core_derivatives(Instance *, double *dx, size_t count);
Status core_indicators(Instance *, double *values, size_t count); /* of events */
void core_nominals(double *x);

/* After a step of an importer's solver, and at an event, also in co-simulation; each makes its flag true where that is
 * called for: states are those of model exchange. */
Status core_completed_step(Instance *, bool *event);
Status core_update(Instance *, bool *states_changed);
bool core_next_sample(const Instance *, double *time); /* whether there is one, which an importer has to stop at */
void core_start_watch(Instance *);
void core_watch(Instance *, bool *over); /* at each of them and at the start: whether an event has ended the run */

#endif
