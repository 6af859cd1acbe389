/* Events of co-simulation: internal steps up to the next event, and its handling in event mode. */
#ifndef EVENTS_H
#define EVENTS_H

#include "instance.h"

/* Make internal steps up to a time, or up to the next event if the importer uses event mode; the kernel's status. */
LOCAL int64_t events_advance(Instance *, double stop, int64_t most_steps);
LOCAL bool events_due(const Instance *); /* true if the importer must enter event mode here */
/* Handle events that are due or that changed inputs cause, as the next step would. */
LOCAL Status events_apply(Instance *);
/* Model exchange: do in I->trial, a copy of the record, what is due now. Returns the kernel's status; `changed` becomes
 * true if something has acted. Otherwise the record only receives on which side of their zeros the functions are. */
LOCAL int64_t events_act(Instance *, bool *changed);
LOCAL void events_note(Instance *); /* log what has acted in the record, and empty its log */

#endif
