/* FMI 3.0 as a WebAssembly component (draft of FMI-LS-WASM): the draft's functions, by those of fmi3.c.
 *
 * The component's canonical ABI decides names, arguments and results. An argument that is a list or a text is in memory
 * that the importer got from cabi_realloc and that belongs to the function: it frees it. Results of more than one
 * number lie in a static structure, which a function fills last, since the importer may call others in a callback; the
 * importer frees lists by cabi_post_NAME. Without memory a function traps, as the canonical ABI wants.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "fmi3Functions.h"

#define IMPORT(module, name) __attribute__((import_module(module), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

typedef struct {
    fmi3Instance instance;
    char *name;
} Held; /* what a handle of the importer stands for */

typedef struct {
    char *bytes; /* without a zero at the end */
    size_t size;
} Text; /* or bytes */

typedef struct {
    uint32_t reference, order;
} Request; /* of a derivative */

IMPORT("fmi:fmi3/callbacks@3.0.0", "log-message")
void import_log(const char *name, size_t name_size, int status, const char *category, size_t category_size,
                const char *text, size_t text_size);

/* -- memory --------------------------------------------------------------------------------------------------- */

static void *room(size_t count, size_t size) {
    void *place = calloc(count + 1, size);
    if (!place) __builtin_trap();
    return place;
}

EXPORT("cabi_realloc") void *cabi_realloc(void *old, size_t old_size, size_t alignment, size_t size) {
    (void)old_size;
    if (!size) return (void *)alignment; /* any aligned address */
    void *place = realloc(old, size);
    if (!place) __builtin_trap();
    return place;
}

/* In place of the C library's: that of older ziglang guards its stack with a random number, for which it would import
 * WASI. The answer is that there is none. */
uint16_t __wasi_random_get(uint8_t *bytes, size_t size) {
    (void)bytes, (void)size;
    return 1;
}

/* Free a list that came as an argument. */
static void drop(void *items, size_t count) {
    if (count) free(items);
}

/* Return a text with a zero at its end; frees the argument. */
static char *closed(char *text, size_t size) {
    char *copy = room(size, 1);
    if (size) memcpy(copy, text, size);
    drop(text, size);
    return copy;
}

/* Total length of variables; unknown ones count nothing, fmi3.c refuses them. */
static size_t total(const uint32_t references[], size_t count) {
    size_t sum = 0;
    for (size_t k = 0; k < count; k++) sum += core_length(references[k]);
    return sum;
}

/* -- results -------------------------------------------------------------------------------------------------- */

/* Each begins with a number that is nonzero for an error, whose status follows. */
typedef struct {
    uint32_t failed;
    union {
        struct {
            void *items;
            size_t count;
        } list;
        uint8_t status;
    } as;
} Listed;

typedef struct {
    uint64_t failed;
    union {
        uint64_t number;
        uint8_t status;
    } as;
} Counted;

typedef struct {
    uint64_t failed;
    union {
        struct {
            bool again, terminate, nominals_changed, values_changed, has_next_time;
            double next_time;
        } info;
        uint8_t status;
    } as;
} Updated;

static bool is_error(fmi3Status status) { return status > fmi3Warning; }

/* Return a list with its items, or an error without them. */
static Listed *listed(fmi3Status status, void *items, size_t count) {
    static Listed result;
    result.failed = is_error(status);
    if (!is_error(status) && count) {
        result.as.list.items = items, result.as.list.count = count;
        return &result;
    }
    free(items);
    result.as.list.items = NULL, result.as.list.count = 0;
    if (is_error(status)) result.as.status = (uint8_t)status;
    return &result;
}

static void free_list(Listed *result) {
    if (!result->failed) free(result->as.list.items);
}

static Counted *counted(fmi3Status status, size_t number) {
    static Counted result;
    result.failed = is_error(status);
    result.as.number = is_error(status) ? (uint64_t)status : number;
    return &result;
}

/* -- messages ------------------------------------------------------------------------------------------------- */

/* Messages and names of variables are ASCII, hence UTF-8 also where a long message is cut. */
static void log_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String text) {
    Held *h = environment;
    import_log(h->name, strlen(h->name), status, category, strlen(category), text, strlen(text));
}

/* -- instances ------------------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t exists;
    int handle;
} Made;

static Held *held(char *name, size_t name_size, char *resources, size_t resources_size) {
    Held *h = room(0, sizeof *h);
    h->name = closed(name, name_size);
    drop(resources, resources_size);
    return h;
}

static void release(Held *h) {
    fmi3FreeInstance(h->instance);
    free(h->name), free(h);
}

static Made *made(Held *h, int (*handle)(Held *)) {
    static Made result;
    result.exists = h->instance != NULL;
    if (result.exists) result.handle = handle(h);
    else release(h);
    return &result;
}

EXPORT("fmi:fmi3/common@3.0.0#get-version") Text *get_version(void) {
    static Text result;
    result.bytes = (char *)(uintptr_t)fmi3GetVersion(), result.size = strlen(result.bytes);
    return &result;
}

/* -- co-simulation -------------------------------------------------------------------------------------------- */

#define INTERFACE "fmi:fmi3/co-simulation@3.0.0"
#define RESOURCE "co-simulation-instance"
#define OF(function) steps_##function
#include "wasm_methods.h"

typedef struct {
    bool wanted;
    double until;
} Leave; /* whether, and when, the importer ends the communication step */

IMPORT("fmi:fmi3/intermediate-update-callbacks@3.0.0", "intermediate-update")
void import_update(double time, bool set_requested, bool get_allowed, bool step_finished, bool may_leave, Leave *);

static void intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
                                fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean may_leave,
                                fmi3Boolean *wanted, fmi3Float64 *until) {
    Leave leave;
    (void)environment;
    import_update(time, set_requested, get_allowed, step_finished, may_leave, &leave);
    *wanted = leave.wanted, *until = leave.until;
}

/* An importer without early return need not have the intermediate update. */
EXPORT(INTERFACE "#[static]" RESOURCE ".instantiate-co-simulation")
Made *instantiate_steps(char *name, size_t name_size, char *token, size_t token_size, char *resources,
                        size_t resources_size, bool visible, bool logging, bool event_mode, bool early_return,
                        uint32_t *intermediate, size_t n_intermediate) {
    Held *h = held(name, name_size, resources, resources_size);
    char *closed_token = closed(token, token_size);
    h->instance = fmi3InstantiateCoSimulation(h->name, closed_token, NULL, visible, logging, event_mode, early_return,
                                              intermediate, n_intermediate, h, log_message,
                                              early_return ? intermediate_update : NULL);
    free(closed_token), drop(intermediate, n_intermediate);
    return made(h, OF(handle));
}

typedef struct {
    uint64_t failed;
    union {
        struct {
            double last_time;
            bool event_needed, terminate, early;
        } step;
        uint8_t status;
    } as;
} Stepped;

METHOD("do-step") Stepped *do_step(Held *h, double time, double size, bool no_set_state) {
    static Stepped result;
    bool event_needed, terminate, early;
    double last_time;
    fmi3Status status =
        fmi3DoStep(h->instance, time, size, no_set_state, &event_needed, &terminate, &early, &last_time);
    result.failed = is_error(status);
    if (is_error(status)) result.as.status = (uint8_t)status;
    else
        result.as.step.last_time = last_time, result.as.step.event_needed = event_needed,
        result.as.step.terminate = terminate, result.as.step.early = early;
    return &result;
}

METHOD("set-input-derivatives") int set_input_derivatives(Held *h, Request *requests, size_t count, double *values,
                                                          size_t n_values) {
    drop(requests, count), drop(values, n_values);
    return (int)core_report(h->instance, FAILED, "inputs have no derivatives in FMI 3.0");
}

#undef INTERFACE
#undef RESOURCE
#undef OF

/* -- model exchange ------------------------------------------------------------------------------------------- */

#define INTERFACE "fmi:fmi3/model-exchange@3.0.0"
#define RESOURCE "model-exchange-instance"
#define OF(function) exchange_##function
#include "wasm_methods.h"

EXPORT(INTERFACE "#[static]" RESOURCE ".instantiate-model-exchange")
Made *instantiate_exchange(char *name, size_t name_size, char *token, size_t token_size, char *resources,
                           size_t resources_size, bool visible, bool logging) {
    Held *h = held(name, name_size, resources, resources_size);
    char *closed_token = closed(token, token_size);
    h->instance = fmi3InstantiateModelExchange(h->name, closed_token, NULL, visible, logging, h, log_message);
    free(closed_token);
    return made(h, OF(handle));
}

TO_MODE("enter-continuous-time-mode", EnterContinuousTimeMode)

METHOD("set-time") int set_time(Held *h, double time) { return fmi3SetTime(h->instance, time); }

METHOD("set-continuous-states") int set_states(Held *h, double *x, size_t count) {
    fmi3Status status = fmi3SetContinuousStates(h->instance, x, count);
    drop(x, count);
    return status;
}

#define NUMBERS_OF(what, Function, Number)                                 \
    LISTING("get-" what, Function)(Held *h) {                              \
        size_t count = 0;                                                  \
        fmi3Status status = fmi3GetNumberOf##Number(h->instance, &count);  \
        double *x = room(count, sizeof *x);                                \
        if (!is_error(status)) status = fmi3##Function(h->instance, x, count); \
        return listed(status, x, count);                                   \
    }
NUMBERS_OF("continuous-states", GetContinuousStates, ContinuousStates)
NUMBERS_OF("continuous-state-derivatives", GetContinuousStateDerivatives, ContinuousStates)
NUMBERS_OF("nominals-of-continuous-states", GetNominalsOfContinuousStates, ContinuousStates)
NUMBERS_OF("event-indicators", GetEventIndicators, EventIndicators)

#define NUMBER_OF(what, Function)                                 \
    METHOD("get-number-of-" what) Counted *Function(Held *h) {    \
        size_t count = 0;                                         \
        fmi3Status status = fmi3##Function(h->instance, &count);  \
        return counted(status, count);                            \
    }
NUMBER_OF("continuous-states", GetNumberOfContinuousStates)
NUMBER_OF("event-indicators", GetNumberOfEventIndicators)

typedef struct {
    bool failed;
    union {
        struct {
            bool enter_event_mode, terminate;
        } next;
        uint8_t status;
    } as;
} Completed;

METHOD("completed-integrator-step") Completed *completed_step(Held *h, bool no_set_state) {
    static Completed result;
    bool enter_event_mode, terminate;
    fmi3Status status = fmi3CompletedIntegratorStep(h->instance, no_set_state, &enter_event_mode, &terminate);
    result.failed = is_error(status);
    if (is_error(status)) result.as.status = (uint8_t)status;
    else result.as.next.enter_event_mode = enter_event_mode, result.as.next.terminate = terminate;
    return &result;
}
