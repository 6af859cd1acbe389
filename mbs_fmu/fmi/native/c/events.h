/* Events of co-simulation: internal steps up to the next event, and its handling in event mode. */
#ifndef EVENTS_H
#define EVENTS_H

#include "instance.h"

/* Make internal steps up to a time, or up to the next event if the importer uses event mode; the kernel's status. */
LOCAL int64_t events_advance(Instance *, double stop, int64_t most_steps);
LOCAL bool events_due(const Instance *); /* true if the importer must enter event mode here */
/* Handle events that are due or that changed inputs cause, as the next step would. */
LOCAL Status events_apply(Instance *);

#endif
