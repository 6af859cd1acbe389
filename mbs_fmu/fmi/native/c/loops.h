/* Closed loops, in the record of an instance. In models without them nothing is done. */
#ifndef LOOPS_H
#define LOOPS_H

#include "instance.h"

void loops_settings(const Instance *, double *R);    /* before a start: how loops are kept closed in model exchange */
void loops_started(Instance *);                      /* after it */
double loops_chosen(const double *R);                /* how many rows were chosen; some of them may not count now */
void loops_exchanged(Instance *, double *R);         /* rates for an importer's solver; expects the other rates */
void loops_exchange_tangent(Instance *);             /* their tangents, into D */
void loops_note_start(Instance *);                   /* what there is to say of their assembly */
double *loops_mode_ends(Instance *, double *R);      /* how far modes are from their ends; expects the rates */
void loops_note_modes(Instance *);                   /* those that have changed, into the log */
double loops_mass(const double *R);                  /* of the mechanism; 1 without loops */

#endif
