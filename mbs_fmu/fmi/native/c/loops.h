/* Closed loops of an instance. In models without loops these functions do nothing. */
#ifndef LOOPS_H
#define LOOPS_H

#include "instance.h"

void loops_configure(const Instance *, double *R);   /* before a start: stabilization in model exchange */
void loops_started(Instance *);                      /* after a start: settings of error control */
double loops_chosen(const double *R);                /* number of chosen rows, including rows that are inactive now */
void loops_exchange_rates(Instance *, double *R);    /* rates for the importer's solver; expects the other rates */
void loops_exchange_tangent(Instance *);             /* write their tangents into D */
void loops_note_start(Instance *);                   /* log the result of the assembly */
double *loops_mode_ends(Instance *, double *R);      /* update the distances to mode ends; expects rates */
void loops_note_modes(Instance *);                   /* log the mode changes */
double loops_mass(const double *R);                  /* mass of the mechanism, kg; 1 without loops */

#endif
