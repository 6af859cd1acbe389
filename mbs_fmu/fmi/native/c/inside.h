/* What core.c, events.c, loops.c, states.c and tangents.c share: the kernels, the model's tables, and each other's functions. */
#ifndef INSIDE_H
#define INSIDE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "model.h"

/* Entries of the kernels, in numba's calling convention: the result goes to *out, the status is always 0. */
typedef int32_t OnRecord(int64_t *out, void **error, double *R);
typedef int32_t OnTwo(int64_t *out, void **error, double *R, double *other);
typedef int32_t Begin(int64_t *out, void **error, double *R, double *U, double size);
typedef int32_t Follow(int64_t *out, void **error, double *R, double time, double size);
typedef int32_t Advance(int64_t *out, void **error, double *R, double *U, double stop, double setting, int64_t budget);

struct Kernels {
    OnRecord *initialise;
    OnTwo *rates, *refresh, *tangent, *start_tangent, *completed;
    Follow *follow;
    Advance *advance;
#if N_LOOPS
    Begin *begin;
#endif
};

static inline bool before_start(const Instance *I) { return I->phase == INSTANTIATED || I->phase == INITIALIZING; }

static inline int64_t call_initialise(const Instance *I, double *R) {
    int64_t status;
    void *error;
    I->kernels->initialise(&status, &error, R);
    return status;
}

/* core.c */
const char *phase_name(Phase);
Status unknown_reference(Instance *, uint32_t reference);
double *call_rates(Instance *); /* the record, or a copy, with its rates, by the rows of loops that were chosen last */
double *call_refresh(Instance *);
Status core_fault(Instance *, int64_t status); /* says what a kernel's status means */
Status core_look_after(Instance *);            /* a step that the importer has made: means, angles that lock */

/* loops.c */
void loops_settings(const Instance *, double *R); /* before a start: how loops are kept closed in model exchange */
void loops_started(Instance *);                   /* after it: the limit of projection, the rows chosen */
void loops_keep_choice(const Instance *, double *R); /* rows that count, before an evaluation */
bool loops_say(char *text, size_t size, const double *R, int64_t status); /* why a start or step failed, if by a loop */
double loops_mass(const double *R);

#endif
