/* Functions that FMI 2.0 and 3.0 have in common: in which phases each is allowed, its argument checks, its effect.
 *
 * fmi2.c and fmi3.c wrap them in the types of their version and contain the functions that only one version has.
 * `function` is the name of the FMI function, for log messages. */
#ifndef CALLS_H
#define CALLS_H

#include "instance.h"

/* Sets of phases. */
enum {
    RUNNING = EVENT | CONTINUOUS | STEPPING,
    STARTED = RUNNING | TERMINATED,
    ANY = 63,
    WITH_STATES = INITIALIZING | EVENT | CONTINUOUS | TERMINATED,
    PAUSED = 64 /* inside the importer's intermediate update callback, in any phase */
};

/* True if the phase, the interface and the arguments permit the call; logs an error otherwise. */
LOCAL bool allowed(Instance *, const char *function, int phases);
LOCAL bool of_interface(Instance *, const char *function, bool exchange); /* model exchange, or co-simulation */
LOCAL bool has_values(Instance *, const char *function, const void *pointer, size_t count);
/* The variables must be of one of the kinds, or the function does not `verb` them; their total length is `numbers`. */
LOCAL bool lengths_match(Instance *, const char *function, int kinds, const char *verb, const uint32_t references[],
                         size_t count, const void *values, size_t numbers);

/* Buffer for results that the importer receives completely if the status is OK, and not at all otherwise. */
LOCAL double *call_buffer(Instance *, size_t count); /* NULL if memory is exhausted; logs an error */
LOCAL Status call_deliver(Status, double *buffer, double values[], size_t count); /* frees the buffer */

/* -- life cycle -------------------------------------------------------------------------------------------- */

typedef void Log(Instance *, Status, Category, const char *text);

/* Create an instance that logs through `log` to the importer's function `logger`. If `problem` is not NULL, log it and
 * return NULL. */
LOCAL Instance *call_instantiate(const char *name, bool exchange, bool logging, Log *log, void *logger,
                                 void *environment, const char *problem);
LOCAL Status call_set_logging(Instance *, const char *function, bool on, size_t count, const char *const names[]);
LOCAL Status call_set_experiment(Instance *, const char *function, bool has_tolerance, double tolerance, double start,
                                 bool has_stop, double stop);
LOCAL Status call_enter(Instance *, const char *function, int from, Phase to); /* from any of the phases `from` */
LOCAL Status call_start(Instance *, const char *function);                     /* the end of initialization */
LOCAL Status call_reset(Instance *, const char *function);

/* -- values: n_values is the total length of the variables ---------------------------------------------------- */

/* A type of FMI: the kinds of variables that have it, and how its values become numbers of a record and the reverse. */
typedef struct {
    int kinds;
    double (*number)(const void *values, size_t place);
    void (*store)(void *values, size_t place, double number);
} Type;

/* Define type_NAME for values of a type of C; `convert` stands in front of a value that becomes a number. */
#define TYPE(NAME, ctype, kinds, convert)                                                                            \
    static double number_##NAME(const void *values, size_t k) { return (double)(convert((const ctype *)values)[k]); } \
    static void store_##NAME(void *values, size_t k, double x) { ((ctype *)values)[k] = (ctype)x; }                  \
    static const Type type_##NAME = {kinds, number_##NAME, store_##NAME};

LOCAL Status call_get(Instance *, const char *function, const Type *, const uint32_t references[], size_t count,
                      void *values, size_t n_values);
LOCAL Status call_set(Instance *, const char *function, const Type *, const uint32_t references[], size_t count,
                      const void *values, size_t n_values);
/* For types that no variable has. */
LOCAL Status call_no_such_type(Instance *, const char *function, const char *verb, const uint32_t references[],
                               size_t count);

/* -- states ---------------------------------------------------------------------------------------------------- */

LOCAL Status call_save(Instance *, const char *function, void **state);
LOCAL Status call_restore(Instance *, const char *function, void *state);
LOCAL Status call_free_state(Instance *, const char *function, void **state);
LOCAL Status call_state_size(Instance *, const char *function, void *state, size_t *size);
LOCAL Status call_serialize(Instance *, const char *function, void *state, void *bytes, size_t size);
LOCAL Status call_deserialize(Instance *, const char *function, const void *bytes, size_t size, void **state);

/* -- derivatives ------------------------------------------------------------------------------------------------ */

LOCAL Status call_directional(Instance *, const char *function, const uint32_t unknowns[], size_t n_unknowns,
                              const uint32_t knowns[], size_t n_knowns, const double seeds[], size_t n_seeds,
                              double results[], size_t n_results);
LOCAL Status call_output_slopes(Instance *, const char *function, const uint32_t references[], size_t count,
                                const int32_t orders[], double values[], size_t n_values);
LOCAL Status call_first_order(Instance *, const int32_t orders[], size_t count); /* fails for other orders than 1 */

/* -- model exchange --------------------------------------------------------------------------------------------- */

LOCAL Status call_completed_step(Instance *, bool *event); /* sets `event` if event mode is needed */
LOCAL Status call_set_time(Instance *, const char *function, double time);
LOCAL Status call_set_states(Instance *, const char *function, const double x[], size_t count);
LOCAL Status call_get_states(Instance *, const char *function, double x[], size_t count);
LOCAL Status call_derivatives(Instance *, const char *function, double derivatives[], size_t count);
LOCAL Status call_indicators(Instance *, const char *function, double indicators[], size_t count);
LOCAL Status call_nominals(Instance *, const char *function, int phases, double x[], size_t count);

#endif
