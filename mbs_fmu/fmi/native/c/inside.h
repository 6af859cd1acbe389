/* What core.c, events.c, loops.c, states.c and tangents.c share: the kernels, the model's tables, and each other's functions. */
#ifndef INSIDE_H
#define INSIDE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "model.h"

/* The kernels: what they return is a status, or nothing of use. */
typedef int64_t OnRecord(double *R);
typedef int64_t OnTwo(double *R, double *other);
typedef int64_t OnFour(double *R, double *D, double *E, double *F);
typedef int64_t Begin(double *R, double *U, double size);
typedef int64_t Follow(double *R, double time, double size);
typedef int64_t Advance(double *R, double *U, double stop, double setting, int64_t budget);

struct Kernels {
    OnRecord *initialise, *prepare;
    OnTwo *rates, *refresh, *tangent, *start_tangent, *completed;
    Follow *follow;
    Advance *advance;
#if N_LOOPS
    Begin *begin;
    OnTwo *exchanged;
    OnFour *exchange_rates_d;
#endif
};

static inline bool before_start(const Instance *I) { return I->phase == INSTANTIATED || I->phase == INITIALIZING; }

static inline int64_t call_initialise(const Instance *I, double *R) { return I->kernels->initialise(R); }

/* core.c */
const char *phase_name(Phase);
Status unknown_reference(Instance *, uint32_t reference);
double *call_rates(Instance *); /* the record, or a copy, with its rates, by the rows of loops that were chosen last */
double *call_refresh(Instance *);
Status core_fault(Instance *, int64_t status); /* says what a kernel's status means */
Status core_look_after(Instance *);            /* a step that the importer has made: means, angles that lock */

/* loops.c */
double *call_exchange(Instance *); /* `call_rates`, and with them those for the importer's solver */
void loops_exchanged(Instance *, double *R); /* these alone; expects the rates */
void loops_exchange_tangent(Instance *);     /* their tangents, into D */
void loops_settings(const Instance *, double *R); /* before a start: how loops are kept closed in model exchange */
void loops_started(Instance *);                   /* after it: the limit of projection, the rows chosen */
void loops_keep_choice(const Instance *, double *R); /* rows that count, before an evaluation */
bool loops_say(char *text, size_t size, const double *R, int64_t status); /* why a start or step failed, if by a loop */
double loops_mass(const double *R); /* of the mechanism; 1 without loops */

#endif
