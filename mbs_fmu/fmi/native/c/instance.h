/* One instance of a model, for both versions of FMI: its life cycle and its log messages.
 *
 * Calls go in one direction only: each file uses the headers above its own in this list.
 *     tables.h                       kernels and tables of the model
 *     processor.h                    features of the processor
 *     instance.h                     an instance
 *     loops.h                        closed loops
 *     events.h                       events of co-simulation
 *     core.h                         values, start, steps
 *     exchange.h saved.h tangents.h  states and events of model exchange; saved states; derivatives
 *     calls.h                        functions of both FMI versions
 *     fmi2.c fmi3.c                  these functions with the types of one FMI version
 *     wasm.c wasm_methods.h          those of fmi3.c as a WebAssembly component
 * All global objects are constant, except in wasm.c. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linkage of all functions but those of FMI: `static inline` where all sources are one file (sources.py). */
#ifndef LOCAL
#define LOCAL
#endif

typedef enum { OK, WARNING, DISCARD, FAILED } Status; /* the first four statuses of both FMI versions */
typedef enum { LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_EVENTS, CATEGORIES } Category;
typedef enum { INSTANTIATED = 1, INITIALIZING = 2, EVENT = 4, CONTINUOUS = 8, STEPPING = 16, TERMINATED = 32 } Phase;

/* Kinds of variables, and sets of them: numbers of source.py. Records hold all values as doubles. */
enum { KIND_REAL = 1, KIND_BOOLEAN = 2, KIND_INTEGER = 4, KIND_ENUMERATION = 8 };

typedef struct Instance Instance;

struct Instance {
    const struct Kernels *kernels;
    Phase phase;
    bool exchange;                   /* model exchange; otherwise co-simulation */
    bool ready;                      /* R is initialized from the current start values */
    bool inputs_have_slopes;         /* an input has a derivative for the next step */
    bool read_copy_valid;            /* read_copy belongs to the current record */
    bool rows_due;                   /* model exchange: constraint rows must be chosen anew */
    bool run_ended;                  /* model exchange: an event has ended the run */
    bool event_mode, early_return;   /* FMI 3: the importer uses event mode; it allows early returns */
    bool paused, left_early;         /* inside the importer's intermediate update; the update ended the step */
    double tolerance;                /* of error control */
    bool logging[CATEGORIES];
    void (*log)(Instance *, Status, Category, const char *text);
    void *environment;               /* of the importer, as are the functions */
    void *functions[2];              /* logger and intermediate update */
    char *name;
    double *R;                       /* record */
    double *start_record;            /* record with the values set before the start */
    double *D, *U;                   /* tangents; input tables */
    double *read_copy, *scratch;     /* copies of the record: for reading, and for exchange rates and tangents */
    double *slopes;                  /* derivatives of the inputs */
    double *indicators;              /* event indicators at their last evaluation, in model exchange */
    double *step_start;              /* what a communication step changes of the record, at its start */
    double *failed_from;             /* numbers from which a step failed: time, state, inputs, parameters */
    double refused_size;             /* size of that step, s; 0 if none failed */
    double *trial;                   /* two records for trial states */
    double *motion, *motion_tangents; /* rates of change of the whole record, and their tangents */
};

LOCAL const char *model_token(void);
LOCAL const char *model_name(void);
LOCAL size_t model_states(void);
LOCAL size_t model_indicators(void);
LOCAL const char *category_name(Category);

LOCAL Instance *core_new(const char *name); /* NULL if memory is exhausted */
LOCAL void core_free(Instance *);
LOCAL void core_reset(Instance *);
LOCAL Status core_report(Instance *, Status, const char *format, ...);
LOCAL void core_log(Instance *, Category, const char *format, ...);
LOCAL bool core_set_logging(Instance *, bool on, size_t count, const char *const names[]);
LOCAL const char *phase_name(Phase);

static inline bool before_start(const Instance *I) { return I->phase == INSTANTIATED || I->phase == INITIALIZING; }

#endif
