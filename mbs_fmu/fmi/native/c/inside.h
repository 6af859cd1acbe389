/* What core.c, events.c, loops.c, states.c and tangents.c share: the kernels, the model's tables, and each other's functions. */
#ifndef INSIDE_H
#define INSIDE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "model.h"

/* What the kernels return is a status, or nothing of use. */
#define FIELD(name, arguments) int64_t(*name) arguments;
struct Kernels {
    KERNELS(FIELD)
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
void loops_started(Instance *);                   /* after it: the rows chosen */
void loops_keep_choice(const Instance *, double *R); /* rows that count, before an evaluation */
double loops_mass(const double *R); /* of the mechanism; 1 without loops */

#endif
