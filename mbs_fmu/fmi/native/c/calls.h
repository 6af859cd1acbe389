/* The calls that FMI 2.0 and 3.0 have in common: when each is allowed, what it asks of its arguments, what it does.
 *
 * fmi2.c and fmi3.c give them the types of their version; `function` is the name by which the importer has called. What
 * only one version has lies there. */
#ifndef CALLS_H
#define CALLS_H

#include "instance.h"

/* Sets of phases. */
enum {
    RUNNING = EVENT | CONTINUOUS | STEPPING,
    STARTED = RUNNING | TERMINATED,
    ANY = 63,
    WITH_STATES = INITIALIZING | EVENT | CONTINUOUS | TERMINATED,
    PAUSED = 64 /* inside the importer's intermediate update, whatever the phase */
};

/* Whether a call may be made now, with these arguments; says so where not. */
bool allowed(Instance *, const char *function, int phases);
bool given(Instance *, const char *function, const void *pointer, size_t count);
bool given_numbers(Instance *, const char *function, const uint32_t references[], size_t count, const double values[],
                   size_t numbers); /* as many as the variables have */

/* Room for numbers that the importer gets as a whole, or not at all where the status is not OK. */
double *call_room(Instance *, size_t count); /* NULL without memory, and says so */
Status call_whole(Status, double *found, double values[], size_t count); /* frees `found` */

/* -- life -------------------------------------------------------------------------------------------------- */

typedef void Log(Instance *, Status, Category, const char *text);

/* A new instance that logs with `log`, to the importer's function `logger`; NULL, and a word, if there is a problem. */
Instance *call_instantiate(const char *name, bool exchange, bool logging, Log *log, void *logger, void *environment,
                           const char *problem);
Status call_set_logging(Instance *, const char *function, bool on, size_t count, const char *const names[]);
Status call_set_experiment(Instance *, const char *function, bool has_tolerance, double tolerance, double start,
                           bool has_stop, double stop);
Status call_enter(Instance *, const char *function, int from, Phase to); /* from one of some phases to another */
Status call_start(Instance *, const char *function);                     /* the end of initialization */
Status call_reset(Instance *, const char *function);

/* -- values: as many numbers as the variables' lengths ------------------------------------------------------- */

Status call_get(Instance *, const char *function, const uint32_t references[], size_t count, double values[],
                size_t n_values);
Status call_set(Instance *, const char *function, const uint32_t references[], size_t count, const double values[],
                size_t n_values);
Status call_no_such_type(Instance *, const char *function, size_t count, const char *type, const char *real);

/* -- states ---------------------------------------------------------------------------------------------------- */

Status call_save(Instance *, const char *function, void **state);
Status call_restore(Instance *, const char *function, void *state);
Status call_free_state(Instance *, const char *function, void **state);
Status call_state_size(Instance *, const char *function, void *state, size_t *size);
Status call_serialize(Instance *, const char *function, void *state, void *bytes, size_t size);
Status call_deserialize(Instance *, const char *function, const void *bytes, size_t size, void **state);

/* -- derivatives ------------------------------------------------------------------------------------------------ */

Status call_directional(Instance *, const char *function, const uint32_t unknowns[], size_t n_unknowns,
                        const uint32_t knowns[], size_t n_knowns, const double seeds[], size_t n_seeds,
                        double results[], size_t n_results);
Status call_output_slopes(Instance *, const char *function, const uint32_t references[], size_t count,
                          const int32_t orders[], double values[], size_t n_values);
Status call_first_order(Instance *, const int32_t orders[], size_t count); /* no others are there */

/* -- model exchange --------------------------------------------------------------------------------------------- */

Status call_completed_step(Instance *, bool *event); /* where it is allowed: whether event mode is called for */
Status call_set_time(Instance *, const char *function, double time);
Status call_set_states(Instance *, const char *function, const double x[], size_t count);
Status call_get_states(Instance *, const char *function, double x[], size_t count);
Status call_derivatives(Instance *, const char *function, double derivatives[], size_t count);
Status call_indicators(Instance *, const char *function, double indicators[], size_t count);
Status call_nominals(Instance *, const char *function, double x[], size_t count);

#endif
