/* One instance of a model, whatever the version of FMI: its life, and what it says to the importer.
 *
 * Files call each other in one direction only, each what the headers above its own here offer:
 *     inside.h                       kernels and tables of the model
 *     instance.h                     an instance
 *     loops.h                        closed loops
 *     events.h                       events of co-simulation
 *     core.h                         values, start, steps
 *     exchange.h saved.h tangents.h  states and events of model exchange; saved states; derivatives
 *     calls.h                        the calls of an importer
 *     fmi2.c fmi3.c                  these calls with the types of a version of FMI
 * Nothing here is global but constants. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { OK, WARNING, DISCARD, FAILED } Status; /* the first four statuses of both FMI versions */
typedef enum { INFO, ODD, WRONG, EVENTS, CATEGORIES } Category;
typedef enum { INSTANTIATED = 1, INITIALIZING = 2, EVENT = 4, CONTINUOUS = 8, STEPPING = 16, TERMINATED = 32 } Phase;

typedef struct Instance Instance;

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
    double *failed, refused;         /* the record from which a step failed, and the step's size; 0: none did */
    double *spare;                   /* two records to try states in */
    double *motion, *mixed;          /* the same: rates of change of everything, and their tangents */
};

extern const char MODEL_TOKEN[], MODEL_NAME[];
extern const char *const CATEGORY_NAMES[CATEGORIES];
extern const size_t MODEL_STATES, MODEL_INDICATORS;

Instance *core_new(const char *name); /* NULL without memory for it */
void core_free(Instance *);
void core_reset(Instance *);
Status core_complain(Instance *, Status, const char *format, ...);
void core_note(Instance *, Category, const char *format, ...);
bool core_set_logging(Instance *, bool on, size_t count, const char *const names[]);
const char *phase_name(Phase);

static inline bool before_start(const Instance *I) { return I->phase == INSTANTIATED || I->phase == INITIALIZING; }

#endif
