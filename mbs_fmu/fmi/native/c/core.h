/* Values, start and steps of an instance. */
#ifndef CORE_H
#define CORE_H

#include "instance.h"

/* -- rates and outputs: each returns the record, or a copy of it, with these numbers up to date ------------------- */

double *call_rates(Instance *);    /* rates, with the constraint rows that were chosen last */
double *call_exchange(Instance *); /* rates, and the rates for the importer's solver (L9) */
double *call_refresh(Instance *);
Status core_fault(Instance *, int64_t status); /* log the message of a kernel's failure status; FAILED */
Status core_check_step(Instance *); /* after a step of the importer: update mean values, check gimbal lock */

/* -- values: one number for each element of the variables --------------------------------------------------------- */

size_t core_length(uint32_t reference); /* 0 if the variable does not exist */
Status unknown_reference(Instance *, uint32_t reference);
Status core_get(Instance *, uint32_t reference, double *values); /* writes all elements, or none */
Status core_set(Instance *, const uint32_t *references, size_t count, const double *values); /* sets all, or none */
Status core_set_slopes(Instance *, const uint32_t *references, size_t count, const double *slopes);

/* -- start and steps ----------------------------------------------------------------------------------------------- */

/* Called after each internal step; returns true to end the communication step there. */
typedef bool (*Pause)(Instance *, double time);

void core_set_time(Instance *, double time);
double core_time(const Instance *);
void core_set_tolerance(Instance *, double relative);
Status core_start(Instance *);
void core_note_start(Instance *); /* log the start and the assembly */
Status core_step(Instance *, double time, double size, Pause); /* may end early at an event in event mode */

#endif
