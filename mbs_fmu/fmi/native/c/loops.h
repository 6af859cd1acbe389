/* Closed loops of an instance. In models without loops these functions do nothing. */
#ifndef LOOPS_H
#define LOOPS_H

#include "instance.h"

LOCAL void loops_configure(const Instance *, double *R); /* before a start: stabilization in model exchange */
LOCAL void loops_started(Instance *);                    /* after a start: settings of error control */
LOCAL double loops_chosen(const double *R);              /* number of chosen rows, including inactive ones */
LOCAL void loops_exchange_rates(Instance *, double *R);  /* rates for the importer's solver; expects the other rates */
LOCAL void loops_exchange_tangent(Instance *);           /* write their tangents into D */
LOCAL void loops_note_start(Instance *);                 /* log the result of the assembly */
LOCAL double *loops_mode_ends(Instance *, double *R);    /* update the distances to mode ends; expects rates */
LOCAL void loops_note_modes(Instance *);                 /* log the mode changes */
LOCAL double loops_mass(const double *R);                /* mass of the mechanism, kg; 1 without loops */

#endif
