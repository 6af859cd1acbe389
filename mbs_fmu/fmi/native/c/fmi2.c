/* FMI 2.0, model exchange and co-simulation: the importer's functions, by calls.h and the headers below it. */
#include <string.h>

#include "calls.h"
#include "core.h"
#include "exchange.h"
#include "fmi2Functions.h"

static fmi2Status status_of(Status status) { return (fmi2Status)status; } /* equal values */

/* Pass the text as the format, with each % doubled: some importers format the message, many print it unchanged. */
static void report(Instance *I, Status status, Category category, const char *text) {
    fmi2CallbackLogger logger;
    char format[2000];
    size_t end = 0;
    memcpy(&logger, &I->functions[0], sizeof logger);
    if (!logger) return;
    for (; *text && end < sizeof format - 2; text++) {
        if (*text == '%') format[end++] = '%';
        format[end++] = *text;
    }
    format[end] = '\0';
    logger(I->environment, I->name, status_of(status), category_name(category), format);
}

#define FAIL(...) status_of(core_report(I, FAILED, __VA_ARGS__))
#define REQUIRE(phases) \
    if (!allowed(I, __func__, phases)) return fmi2Error
#define KIND(exchange) \
    if (!of_interface(c, __func__, exchange)) return fmi2Error
#define NEED(pointer, count) \
    if (!has_values(I, __func__, pointer, count)) return fmi2Error

/* -- life cycle ----------------------------------------------------------------------------------------------- */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)resources, (void)visible;
    void *logger = NULL;
    if (functions) memcpy(&logger, &functions->logger, sizeof functions->logger);
    const char *problem = NULL;
    if (!name || !*name) problem = "an instance needs a name";
    else if (!guid || strcmp(guid, model_token())) problem = "the guid is not that of this FMU";
    return call_instantiate(name, type == fmi2ModelExchange, logging, report, logger,
                            functions ? functions->componentEnvironment : NULL, problem);
}

void fmi2FreeInstance(fmi2Component c) { core_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String names[]) {
    return status_of(call_set_logging(c, __func__, on, count, names));
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
    return status_of(call_set_experiment(c, __func__, has_tolerance, tolerance, start, has_stop, stop));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return status_of(call_enter(c, __func__, INSTANTIATED, INITIALIZING));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return status_of(call_start(c, __func__)); }

fmi2Status fmi2Terminate(fmi2Component c) { return status_of(call_enter(c, __func__, RUNNING, TERMINATED)); }

fmi2Status fmi2Reset(fmi2Component c) { return status_of(call_reset(c, __func__)); }

/* -- values -------------------------------------------------------------------------------------------------- */

#define GET(Name, call)                                                                                               \
    fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference references[], size_t count,                    \
                             fmi2##Name values[]) {                                                                   \
        return status_of(call);                                                                                       \
    }
#define SET(Name, call)                                                                                               \
    fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference references[], size_t count,                    \
                             const fmi2##Name values[]) {                                                             \
        return status_of(call);                                                                                       \
    }
#define VALUES(Name, kinds, convert)                                               \
    TYPE(Name, fmi2##Name, kinds, convert)                                         \
    GET(Name, call_get(c, __func__, &type_##Name, references, count, values, count)) \
    SET(Name, call_set(c, __func__, &type_##Name, references, count, values, count))
VALUES(Real, KIND_REAL, )
VALUES(Integer, KIND_INTEGER | KIND_ENUMERATION, )
VALUES(Boolean, KIND_BOOLEAN, !!)
GET(String, ((void)values, call_no_such_type(c, __func__, "read", references, count)))
SET(String, ((void)values, call_no_such_type(c, __func__, "set", references, count)))

/* -- saved states ---------------------------------------------------------------------------------------------- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) { return status_of(call_save(c, __func__, state)); }

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return status_of(call_restore(c, __func__, state)); }

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    return status_of(call_free_state(c, __func__, state));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    return status_of(call_state_size(c, __func__, state, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    return status_of(call_serialize(c, __func__, state, bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    return status_of(call_deserialize(c, __func__, bytes, size, state));
}

/* -- derivatives ------------------------------------------------------------------------------------------------ */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seeds[],
                                        fmi2Real results[]) {
    return status_of(call_directional(c, __func__, unknowns, n_unknowns, knowns, n_knowns, seeds, n_knowns, results,
                                      n_unknowns));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
    Instance *I = c;
    KIND(false);
    REQUIRE(INSTANTIATED | INITIALIZING | STEPPING);
    NEED(orders, count);
    if (!lengths_match(I, __func__, KIND_REAL, "take", references, count, values, count)) return fmi2Error;
    if (call_first_order(I, orders, count) != OK) return fmi2Error;
    return status_of(core_set_slopes(I, references, count, values));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[]) {
    Instance *I = c;
    KIND(false);
    REQUIRE(STEPPING | TERMINATED);
    NEED(references, count);
    NEED(orders, count);
    NEED(values, count);
    if (call_first_order(I, orders, count) != OK) return fmi2Error; /* before any of them is computed */
    return status_of(call_output_slopes(c, __func__, references, count, orders, values, count));
}

/* -- model exchange ----------------------------------------------------------------------------------------------- */

fmi2Status fmi2EnterEventMode(fmi2Component c) { return status_of(call_enter(c, __func__, CONTINUOUS | EVENT, EVENT)); }

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Instance *I = c;
    REQUIRE(EVENT);
    NEED(info, 1);
    bool changed = false, run_ended = false;
    core_watch(I, &run_ended);
    Status status = core_update(I, &changed);
    memset(info, 0, sizeof *info); /* nothing else ever changes */
    info->nextEventTimeDefined = I->exchange && core_next_sample(I, &info->nextEventTime);
    info->valuesOfContinuousStatesChanged = changed;
    info->terminateSimulation = run_ended;
    return status_of(status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    return status_of(call_enter(c, __func__, EVENT, CONTINUOUS));
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state, fmi2Boolean *enter_event_mode,
                                       fmi2Boolean *terminate) {
    Instance *I = c;
    (void)no_set_state;
    REQUIRE(CONTINUOUS);
    NEED(enter_event_mode, 1);
    NEED(terminate, 1);
    bool event = false;
    Status status = call_completed_step(I, &event);
    *enter_event_mode = event;
    *terminate = fmi2False;
    return status_of(status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { return status_of(call_set_time(c, __func__, time)); }

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t count) {
    return status_of(call_set_states(c, __func__, x, count));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
    KIND(true);
    return status_of(call_derivatives(c, __func__, derivatives, count));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count) {
    KIND(true);
    return status_of(call_indicators(c, __func__, indicators, count));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t count) {
    KIND(true);
    return status_of(call_get_states(c, __func__, x, count));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t count) {
    KIND(true);
    return status_of(call_nominals(c, __func__, INSTANTIATED | WITH_STATES, x, count));
}

/* -- co-simulation --------------------------------------------------------------------------------------------- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real size, fmi2Boolean no_set_state) {
    Instance *I = c;
    (void)no_set_state;
    REQUIRE(STEPPING);
    return status_of(core_step(I, time, size, NULL));
}

fmi2Status fmi2CancelStep(fmi2Component c) {
    Instance *I = c;
    REQUIRE(STEPPING);
    return FAIL("no step to cancel: fmi2DoStep returns when it is done");
}

static fmi2Status no_such_status(Instance *I) {
    return status_of(core_report(I, DISCARD, "no such status: only a step that is still running would have it"));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    Instance *I = c;
    KIND(false);
    REQUIRE(STEPPING | TERMINATED);
    NEED(value, 1);
    if (kind != fmi2LastSuccessfulTime) return no_such_status(I);
    *value = core_time(I);
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    Instance *I = c;
    KIND(false);
    REQUIRE(STEPPING | TERMINATED);
    NEED(value, 1);
    if (kind != fmi2Terminated) return no_such_status(I);
    *value = fmi2False;
    return fmi2OK;
}

#define NO_SUCH_STATUS(Suffix, Type)                                                                                  \
    fmi2Status fmi2Get##Suffix(fmi2Component c, const fmi2StatusKind kind, Type *value) {                             \
        Instance *I = c;                                                                                              \
        (void)kind, (void)value;                                                                                      \
        KIND(false);                                                                                                  \
        REQUIRE(STEPPING | TERMINATED);                                                                               \
        return no_such_status(I);                                                                                     \
    }
NO_SUCH_STATUS(Status, fmi2Status)
NO_SUCH_STATUS(IntegerStatus, fmi2Integer)
NO_SUCH_STATUS(StringStatus, fmi2String)
