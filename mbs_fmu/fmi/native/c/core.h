/* One instance of a model, whatever the version of FMI: its values, start, steps, states and derivatives.
 *
 * core.c (values, start, steps), events.c, loops.c, states.c and tangents.c implement this over the kernels of the
 * model (kernels' object file) and its tables (model.h, generated).
 * calls.c has the calls of an importer, fmi2.c and fmi3.c translate them. Nothing here is global but constants. */
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { OK, WARNING, DISCARD, FAILED } Status; /* the first four statuses of both FMI versions */
typedef enum { INFO, ODD, WRONG, EVENTS, CATEGORIES } Category;
typedef enum { INSTANTIATED = 1, INITIALIZING = 2, EVENT = 4, CONTINUOUS = 8, STEPPING = 16, TERMINATED = 32 } Phase;

typedef struct Instance Instance;

/* Told after each internal step; true ends the communication step there. */
typedef bool (*Pause)(Instance *, double time);

struct Instance {
    const struct Kernels *kernels;
    Phase phase;
    bool exchange;                   /* model exchange; else co-simulation */
    bool ready;                      /* R belongs to the values given */
    bool inputs_move;                /* an input has a derivative for the next step */
    bool looked;                     /* `look` is a copy of the record as it stands */
    bool due;                        /* model exchange: closed loops want their rows chosen anew */
    bool over;                       /* model exchange: an event has ended the run */
    bool event_mode, early_return;   /* FMI 3: the importer uses event mode; it allows early returns */
    bool paused, left_early;         /* inside the importer's intermediate update; it ended the step */
    double tolerance;                /* of error control */
    bool logging[CATEGORIES];
    void (*log)(Instance *, Status, Category, const char *text);
    void *environment;               /* the importer's, and its functions */
    void *functions[2];
    char *name;
    double *R, *given, *D, *U;       /* the record, what was set before the start, tangents, input tables */
    double *look, *aside;            /* copies of the record: to read from, and for its tangents */
    double *slopes;                  /* derivatives of the inputs */
    double *indicators;              /* of events, in model exchange: when they were looked at last */
    double *before;                  /* the record at the beginning of a communication step, but what is made from it */
    double *ranks;                   /* of closed loops: how many rows count */
    double *failed, refused;         /* the record from which a step failed, and the step's size; 0: none did */
    double *spare;                   /* two records to try states in */
    double *motion, *mixed;          /* the same: rates of change of everything, and their tangents */
};

extern const char MODEL_TOKEN[], MODEL_NAME[];
extern const char *const CATEGORY_NAMES[CATEGORIES];
extern const size_t MODEL_STATES, MODEL_INDICATORS;

Instance *core_new(const char *name);
void core_free(Instance *);
void core_reset(Instance *);
Status core_complain(Instance *, Status, const char *format, ...);
void core_note(Instance *, Category, const char *format, ...);
bool core_set_logging(Instance *, bool on, size_t count, const char *const names[]);

/* Values: as many numbers as the variables' lengths. */
size_t core_length(uint32_t reference);
Status core_get(Instance *, uint32_t reference, double *values);
Status core_set(Instance *, const uint32_t *references, size_t count, const double *values); /* all or nothing */
Status core_set_slopes(Instance *, const uint32_t *references, size_t count, const double *slopes);
Status core_output_slope(Instance *, uint32_t reference, double *slopes); /* for each element */

void core_set_time(Instance *, double time);
double core_time(const Instance *);
void core_set_tolerance(Instance *, double relative);
Status core_start(Instance *);
void core_note_start(Instance *); /* what there is to say of it */
Status core_step(Instance *, double time, double size, Pause);
/* After a step of an importer's solver, and at an event; each makes its flag true where that is called for. */
Status core_completed_step(Instance *, bool *event);
Status core_update(Instance *, bool *states_changed);
void core_watch(Instance *, bool *over); /* at each of them and at the start: whether an event has ended the run */

Status core_set_states(Instance *, const double *x, size_t count);
Status core_get_states(Instance *, double *x, size_t count);
Status core_derivatives(Instance *, double *dx, size_t count);
Status core_indicators(Instance *, double *values, size_t count); /* of events */
void core_nominals(double *x);

/* D unknowns = J D knowns; seeds and results follow the variables, element by element. */
Status core_directional(Instance *, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns,
                        size_t n_knowns, const double *seeds, double *results);
Status core_adjoint(Instance *, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                    const double *seeds, double *results);

size_t core_state_size(void);
void core_save(const Instance *, void *state);
Status core_restore(Instance *, const void *state);
Status core_deserialize(Instance *, const void *bytes, size_t size, void **state); /* with memory for it where none is */

#endif
