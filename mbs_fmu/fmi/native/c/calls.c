/* Functions that FMI 2.0 and 3.0 have in common. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "exchange.h"
#include "saved.h"
#include "tangents.h"

#define FAIL(...) core_report(I, FAILED, __VA_ARGS__)
#define REQUIRE(phases) \
    if (!allowed(I, function, phases)) return FAILED
#define NEED(pointer, count) \
    if (!has_values(I, function, pointer, count)) return FAILED

#define NEED_NUMBERS(kinds, verb, references, count, values, numbers) \
    if (!lengths_match(I, function, kinds, verb, references, count, values, numbers)) return FAILED

bool allowed(Instance *I, const char *function, int phases) {
    if (!I) return false;
    if ((I->paused ? PAUSED : (int)I->phase) & phases) return true;
    FAIL("%s is not allowed now: see the standard's order of calls", function);
    return false;
}

bool of_interface(Instance *I, const char *function, bool exchange) {
    if (!I) return false;
    if (I->exchange == exchange) return true;
    FAIL("%s is not a function of %s", function, I->exchange ? "model exchange" : "co-simulation");
    return false;
}

bool has_values(Instance *I, const char *function, const void *pointer, size_t count) {
    if (pointer || !count) return true;
    FAIL("%s: a null pointer where values should be", function);
    return false;
}

bool lengths_match(Instance *I, const char *function, int kinds, const char *verb, const uint32_t references[],
                   size_t count, const void *values, size_t numbers) {
    if (!has_values(I, function, references, count) || !has_values(I, function, values, numbers)) return false;
    return core_require_kinds(I, kinds, function, verb, references, count) == OK &&
           core_require_length(I, function, references, count, numbers) == OK;
}

double *call_buffer(Instance *I, size_t count) {
    double *buffer = malloc((count + 1) * sizeof *buffer);
    if (!buffer) FAIL("no memory for %zu numbers", count);
    return buffer;
}

Status call_deliver(Status status, double *buffer, double values[], size_t count) {
    if (status == OK && count) memcpy(values, buffer, count * sizeof *values);
    free(buffer);
    return status;
}

/* -- life cycle -------------------------------------------------------------------------------------------- */

Instance *call_instantiate(const char *name, bool exchange, bool logging, Log *log, void *logger, void *environment,
                           const char *problem) {
    Instance *I = core_new(name ? name : "");
    if (!I) return NULL;
    I->exchange = exchange;
    I->log = log;
    I->environment = environment;
    I->functions[0] = logger;
    if (problem) {
        const char *errors = category_name(LOG_ERROR);
        core_set_logging(I, true, 1, &errors); /* regardless of the importer's logging settings */
        FAIL("%s: %s", model_name(), problem);
        core_free(I);
        return NULL;
    }
    core_set_logging(I, logging, 0, NULL);
    return I;
}

Status call_set_logging(Instance *I, const char *function, bool on, size_t count, const char *const names[]) {
    REQUIRE(ANY | PAUSED);
    NEED(names, count);
    if (core_set_logging(I, on, count, names)) return OK;
    return FAIL("unknown log category: there are info, warning, error, events");
}

Status call_set_experiment(Instance *I, const char *function, bool has_tolerance, double tolerance, double start,
                           bool has_stop, double stop) {
    REQUIRE(INSTANTIATED);
    if (!(start - start == 0.0)) return FAIL("start time %.9g s: give a finite number", start);
    if (has_stop && !(stop >= start)) /* some importers give -1 or a large negative number for none */
        core_report(I, WARNING, "stop time %.9g s lies before the start time %.9g s: ignored", stop, start);
    if (has_tolerance) core_set_tolerance(I, tolerance);
    core_set_time(I, start);
    return OK;
}

Status call_enter(Instance *I, const char *function, int from, Phase to) {
    REQUIRE(from);
    I->phase = to;
    return OK;
}

Status call_start(Instance *I, const char *function) {
    REQUIRE(INITIALIZING);
    if (!I->ready && core_start(I) != OK) return FAILED;
    I->phase = I->exchange || I->event_mode ? EVENT : STEPPING;
    core_start_watch(I);
    core_note_start(I);
    return OK;
}

Status call_reset(Instance *I, const char *function) {
    REQUIRE(ANY);
    core_reset(I);
    core_log(I, LOG_EVENTS, "%s is reset", model_name());
    return OK;
}

/* -- values ------------------------------------------------------------------------------------------------- */

Status call_get(Instance *I, const char *function, const Type *type, const uint32_t references[], size_t count,
                void *values, size_t n_values) {
    REQUIRE(ANY | PAUSED);
    NEED_NUMBERS(type->kinds, "read", references, count, values, n_values);
    double *buffer = call_buffer(I, n_values);
    Status status = buffer ? OK : FAILED;
    for (size_t i = 0, at = 0; i < count && status == OK; at += core_length(references[i++]))
        status = core_get(I, references[i], buffer + at);
    for (size_t k = 0; k < n_values && status == OK; k++) type->store(values, k, buffer[k]);
    free(buffer);
    return status;
}

Status call_set(Instance *I, const char *function, const Type *type, const uint32_t references[], size_t count,
                const void *values, size_t n_values) {
    REQUIRE(INSTANTIATED | INITIALIZING | RUNNING);
    NEED_NUMBERS(type->kinds, "set", references, count, values, n_values);
    double *buffer = call_buffer(I, n_values);
    if (!buffer) return FAILED;
    for (size_t k = 0; k < n_values; k++) buffer[k] = type->number(values, k);
    Status status = core_set(I, references, count, buffer);
    free(buffer);
    return status;
}

Status call_no_such_type(Instance *I, const char *function, const char *verb, const uint32_t references[],
                         size_t count) {
    REQUIRE(ANY);
    NEED(references, count);
    return core_require_kinds(I, 0, function, verb, references, count);
}

/* -- states ------------------------------------------------------------------------------------------------- */

Status call_save(Instance *I, const char *function, void **state) {
    REQUIRE(ANY);
    NEED(state, 1);
    return core_save(I, state);
}

Status call_restore(Instance *I, const char *function, void *state) {
    REQUIRE(ANY);
    NEED(state, 1);
    return core_restore(I, state);
}

Status call_free_state(Instance *I, const char *function, void **state) {
    REQUIRE(ANY);
    if (!state) return OK;
    free(*state);
    *state = NULL;
    return OK;
}

Status call_state_size(Instance *I, const char *function, void *state, size_t *size) {
    REQUIRE(ANY);
    NEED(state, 1);
    NEED(size, 1);
    *size = core_state_size();
    return OK;
}

Status call_serialize(Instance *I, const char *function, void *state, void *bytes, size_t size) {
    REQUIRE(ANY);
    NEED(state, 1);
    NEED(bytes, 1);
    if (size < core_state_size()) return FAIL("%zu bytes for a state of %zu", size, core_state_size());
    return core_serialize(I, state, bytes);
}

Status call_deserialize(Instance *I, const char *function, const void *bytes, size_t size, void **state) {
    REQUIRE(ANY);
    NEED(bytes, 1);
    NEED(state, 1);
    return core_deserialize(I, bytes, size, state);
}

/* -- derivatives -------------------------------------------------------------------------------------------- */

Status call_directional(Instance *I, const char *function, const uint32_t unknowns[], size_t n_unknowns,
                        const uint32_t knowns[], size_t n_knowns, const double seeds[], size_t n_seeds,
                        double results[], size_t n_results) {
    REQUIRE(INITIALIZING | STARTED);
    NEED_NUMBERS(KIND_REAL, "take", knowns, n_knowns, seeds, n_seeds);
    NEED_NUMBERS(KIND_REAL, "take", unknowns, n_unknowns, results, n_results);
    return core_directional(I, unknowns, n_unknowns, knowns, n_knowns, seeds, results);
}

Status call_first_order(Instance *I, const int32_t orders[], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (orders[i] != 1) return FAIL("derivative of order %d: only order 1 is there", (int)orders[i]);
    return OK;
}

Status call_output_slopes(Instance *I, const char *function, const uint32_t references[], size_t count,
                          const int32_t orders[], double values[], size_t n_values) {
    REQUIRE(STEPPING | TERMINATED | PAUSED);
    NEED(orders, count);
    NEED_NUMBERS(KIND_REAL, "take", references, count, values, n_values);
    if (call_first_order(I, orders, count) != OK) return FAILED;
    double *buffer = call_buffer(I, n_values);
    Status status = buffer ? OK : FAILED;
    for (size_t i = 0, at = 0; i < count && status == OK; at += core_length(references[i++]))
        status = core_output_slope(I, references[i], buffer + at);
    return call_deliver(status, buffer, values, n_values);
}

/* -- model exchange ----------------------------------------------------------------------------------------- */

Status call_completed_step(Instance *I, bool *event) {
    bool run_ended = false;
    Status status = core_completed_step(I, event);
    core_watch(I, &run_ended);
    *event = *event || run_ended; /* in event mode the importer learns of it */
    return status;
}

Status call_set_time(Instance *I, const char *function, double time) {
    REQUIRE(EVENT | CONTINUOUS);
    if (!(time - time == 0.0)) return FAIL("time is %.9g: give a finite number", time);
    core_set_time(I, time);
    return OK;
}

Status call_set_states(Instance *I, const char *function, const double x[], size_t count) {
    REQUIRE(CONTINUOUS);
    NEED(x, count);
    return core_set_states(I, x, count);
}

Status call_get_states(Instance *I, const char *function, double x[], size_t count) {
    REQUIRE(WITH_STATES);
    NEED(x, count);
    return core_get_states(I, x, count);
}

Status call_derivatives(Instance *I, const char *function, double derivatives[], size_t count) {
    REQUIRE(WITH_STATES);
    NEED(derivatives, count);
    return core_derivatives(I, derivatives, count);
}

Status call_indicators(Instance *I, const char *function, double indicators[], size_t count) {
    REQUIRE(WITH_STATES);
    NEED(indicators, count);
    return core_indicators(I, indicators, count);
}

Status call_nominals(Instance *I, const char *function, int phases, double x[], size_t count) {
    REQUIRE(phases);
    NEED(x, count);
    if (count != model_states()) return FAIL("%zu nominal values: the model has %zu states", count, model_states());
    core_nominals(x);
    return OK;
}

/* fmi2.c and fmi3.c define their own. */
#undef FAIL
#undef REQUIRE
#undef NEED
#undef NEED_NUMBERS
