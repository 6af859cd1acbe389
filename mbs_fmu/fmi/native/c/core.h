/* Values, start and steps of an instance. */
#ifndef CORE_H
#define CORE_H

#include "instance.h"

/* -- rates and outputs: each returns the record, or a copy of it, with these numbers up to date ------------------- */

LOCAL double *call_rates(Instance *);    /* rates, with the constraint rows that were chosen last */
LOCAL double *call_exchange(Instance *); /* rates, and the rates for the importer's solver (L9) */
LOCAL double *call_refresh(Instance *);
LOCAL Status core_fault(Instance *, int64_t status); /* log the message of a kernel's failure status; FAILED */
LOCAL Status core_check_step(Instance *); /* after a step of the importer: update mean values, check gimbal lock */

/* -- values: one number for each element of the variables --------------------------------------------------------- */

LOCAL size_t core_length(uint32_t reference); /* 0 if the variable does not exist */
/* Require that all variables are of one of the kinds; the message says that `function` does not `verb` others. */
LOCAL Status core_require_kinds(Instance *, int kinds, const char *function, const char *verb,
                                const uint32_t *references, size_t count);
/* Require one number for each element of existing variables. */
LOCAL Status core_require_length(Instance *, const char *function, const uint32_t *references, size_t count,
                                 size_t numbers);
LOCAL Status unknown_reference(Instance *, uint32_t reference);
LOCAL Status core_get(Instance *, uint32_t reference, double *values); /* writes all elements, or none */
/* Set all, or none. */
LOCAL Status core_set(Instance *, const uint32_t *references, size_t count, const double *values);
LOCAL Status core_set_slopes(Instance *, const uint32_t *references, size_t count, const double *slopes);

/* -- start and steps ----------------------------------------------------------------------------------------------- */

/* Called after each internal step; returns true to end the communication step there. */
typedef bool (*Pause)(Instance *, double time);

LOCAL void core_set_time(Instance *, double time);
LOCAL double core_time(const Instance *);
LOCAL void core_set_tolerance(Instance *, double relative);
LOCAL Status core_start(Instance *);
LOCAL void core_note_start(Instance *); /* log the start and the assembly */
LOCAL Status core_step(Instance *, double time, double size, Pause); /* may end early at an event in event mode */

#endif
