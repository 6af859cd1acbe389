/* Events of co-simulation: internal steps that end where something is due, and what is done there in event mode. */
#ifndef EVENTS_H
#define EVENTS_H

#include "instance.h"

/* Internal steps up to a time, or where the importer uses event mode to what is due; the status of the kernel. */
int64_t events_advance(Instance *, double stop, int64_t most_steps);
bool events_due(const Instance *); /* whether the importer is to enter event mode here */
Status events_make(Instance *);    /* what is due, and what inputs have made so: as the next step would begin */

#endif
