/* Values, start and steps of an instance. */
#ifndef CORE_H
#define CORE_H

#include "instance.h"

/* -- rates and outputs: the record, or a copy, with them up to date ---------------------------------------------- */

double *call_rates(Instance *);    /* by the rows of loops that were chosen last */
double *call_exchange(Instance *); /* these, and with them those for the importer's solver */
double *call_refresh(Instance *);
Status core_fault(Instance *, int64_t status); /* says what a kernel's status means */
Status core_look_after(Instance *);            /* a step that the importer has made: means, angles that lock */

/* -- values: as many numbers as the variables' lengths ------------------------------------------------------------ */

size_t core_length(uint32_t reference); /* 0: there is no such variable */
Status unknown_reference(Instance *, uint32_t reference);
Status core_get(Instance *, uint32_t reference, double *values); /* all elements, or none of them */
Status core_set(Instance *, const uint32_t *references, size_t count, const double *values); /* all or nothing */
Status core_set_slopes(Instance *, const uint32_t *references, size_t count, const double *slopes);

/* -- start and steps ----------------------------------------------------------------------------------------------- */

/* ModelData after each internal step; true ends the communication step there. */
typedef bool (*Pause)(Instance *, double time);

void core_set_time(Instance *, double time);
double core_time(const Instance *);
void core_set_tolerance(Instance *, double relative);
Status core_start(Instance *);
void core_note_start(Instance *); /* what there is to say of it */
Status core_step(Instance *, double time, double size, Pause); /* in event mode it may end where something is due */

#endif
