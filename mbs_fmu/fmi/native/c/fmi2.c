/* FMI 2.0, model exchange and co-simulation: the importer's calls to core.h. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "fmi2Functions.h"

enum { RUNNING = EVENT | CONTINUOUS | STEPPING, STARTED = RUNNING | TERMINATED, ANY = 63 };

static fmi2Status status_of(Status status) { return (fmi2Status)status; } /* the first four have the same numbers */

/* The text goes where the standard has a format: many importers print it as it is, some format it. */
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
    logger(I->environment, I->name, status_of(status), CATEGORY_NAMES[category], format);
}

/* Whether a call is allowed now; says so where it isn't. */
static bool allowed(Instance *I, const char *function, int phases) {
    if (!I) return false;
    if (I->phase & phases) return true;
    core_complain(I, FAILED, "%s is not allowed now: see the standard's order of calls", function);
    return false;
}

static bool given(Instance *I, const char *function, const void *pointer, size_t count) {
    if (pointer || !count) return true;
    core_complain(I, FAILED, "%s: a null pointer where values should be", function);
    return false;
}

#define COMPLAIN(...) status_of(core_complain(I, FAILED, __VA_ARGS__))
#define REQUIRE(phases) \
    if (!allowed(I, __func__, phases)) return fmi2Error
#define NEED(pointer, count) \
    if (!given(I, __func__, pointer, count)) return fmi2Error

/* -- creation ------------------------------------------------------------------------------------------------ */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)resources, (void)visible;
    Instance *I = core_new(name ? name : "");
    if (!I) return NULL;
    I->exchange = type == fmi2ModelExchange;
    I->log = report;
    if (functions) {
        I->environment = functions->componentEnvironment;
        memcpy(&I->functions[0], &functions->logger, sizeof functions->logger);
    }
    core_set_logging(I, true, 1, &CATEGORY_NAMES[WRONG]); /* why there is no instance is always said */
    const char *problem = NULL;
    if (!name || !*name) problem = "an instance needs a name";
    else if (!guid || strcmp(guid, MODEL_TOKEN)) problem = "the guid is not that of this FMU";
    if (problem) {
        core_complain(I, FAILED, "%s: %s", MODEL_NAME, problem);
        core_free(I);
        return NULL;
    }
    core_set_logging(I, false, 0, NULL);
    core_set_logging(I, logging, 0, NULL);
    return I;
}

void fmi2FreeInstance(fmi2Component c) { core_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String names[]) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(names, count);
    if (core_set_logging(I, on, count, names)) return fmi2OK;
    return COMPLAIN("unknown log category: there are info, warning, error, events");
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
    Instance *I = c;
    REQUIRE(INSTANTIATED);
    if (!(start - start == 0.0) || (has_stop && !(stop >= start)))
        return COMPLAIN("start time %.9g s, stop time %.9g s: give numbers in this order", start, stop);
    if (has_tolerance) core_set_tolerance(I, tolerance);
    core_set_time(I, start);
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *I = c;
    REQUIRE(INSTANTIATED);
    I->phase = INITIALIZING;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Instance *I = c;
    REQUIRE(INITIALIZING);
    if (!I->ready && core_start(I) != OK) return fmi2Error;
    I->phase = I->exchange ? EVENT : STEPPING;
    core_watch(I, &(bool){false});
    core_note_start(I);
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *I = c;
    REQUIRE(RUNNING);
    I->phase = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    Instance *I = c;
    REQUIRE(ANY);
    core_reset(I);
    core_note(I, EVENTS, "%s is reset", MODEL_NAME);
    return fmi2OK;
}

/* -- values -------------------------------------------------------------------------------------------------- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(references, count);
    NEED(values, count);
    for (size_t i = 0; i < count; i++) {
        Status status = core_get(I, references[i], values + i);
        if (status != OK) return status_of(status);
    }
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[]) {
    Instance *I = c;
    REQUIRE(INSTANTIATED | INITIALIZING | RUNNING);
    NEED(references, count);
    NEED(values, count);
    return status_of(core_set(I, references, count, values));
}

#define NO_SUCH_TYPE(Type)                                                                                            \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference references[], size_t count,                    \
                             fmi2##Type values[]) {                                                                   \
        Instance *I = c;                                                                                              \
        REQUIRE(ANY);                                                                                                 \
        (void)references, (void)values;                                                                               \
        return count ? COMPLAIN("no variable has type " #Type ": all are Real") : fmi2OK;                             \
    }                                                                                                                 \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference references[], size_t count,                    \
                             const fmi2##Type values[]) {                                                             \
        Instance *I = c;                                                                                              \
        REQUIRE(ANY);                                                                                                 \
        (void)references, (void)values;                                                                               \
        return count ? COMPLAIN("no variable has type " #Type ": all are Real") : fmi2OK;                             \
    }
NO_SUCH_TYPE(Integer)
NO_SUCH_TYPE(Boolean)
NO_SUCH_TYPE(String)

/* -- states saved and restored --------------------------------------------------------------------------------- */

static fmi2Status out_of_memory(Instance *I) { return COMPLAIN("no memory for a saved state"); }

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(state, 1);
    if (!*state && !(*state = malloc(core_state_size()))) return out_of_memory(I);
    core_save(I, *state);
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(state, 1);
    return status_of(core_restore(I, state));
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *I = c;
    REQUIRE(ANY);
    if (!state) return fmi2OK;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(state, 1);
    NEED(size, 1);
    *size = core_state_size();
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(state, 1);
    NEED(bytes, 1);
    if (size < core_state_size())
        return COMPLAIN("%zu bytes for a state of %zu", size, core_state_size());
    memcpy(bytes, state, core_state_size());
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    Instance *I = c;
    REQUIRE(ANY);
    NEED(bytes, 1);
    NEED(state, 1);
    return status_of(core_deserialize(I, bytes, size, state));
}

/* -- derivatives ------------------------------------------------------------------------------------------------ */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seeds[],
                                        fmi2Real results[]) {
    Instance *I = c;
    REQUIRE(INITIALIZING | STARTED);
    NEED(unknowns, n_unknowns);
    NEED(knowns, n_knowns);
    NEED(seeds, n_knowns);
    NEED(results, n_unknowns);
    return status_of(core_directional(I, unknowns, n_unknowns, knowns, n_knowns, seeds, results));
}

static fmi2Status first_order(Instance *I, const fmi2Integer orders[], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (orders[i] != 1) return COMPLAIN("derivative of order %d: only order 1 is there", (int)orders[i]);
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
    Instance *I = c;
    REQUIRE(INSTANTIATED | INITIALIZING | STEPPING);
    NEED(references, count);
    NEED(orders, count);
    NEED(values, count);
    if (first_order(I, orders, count) != fmi2OK) return fmi2Error;
    return status_of(core_set_slopes(I, references, count, values));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[]) {
    Instance *I = c;
    REQUIRE(STEPPING | TERMINATED);
    NEED(references, count);
    NEED(orders, count);
    NEED(values, count);
    if (first_order(I, orders, count) != fmi2OK) return fmi2Error;
    for (size_t i = 0; i < count; i++) {
        Status status = core_output_slope(I, references[i], values + i);
        if (status != OK) return status_of(status);
    }
    return fmi2OK;
}

/* -- model exchange ----------------------------------------------------------------------------------------------- */

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Instance *I = c;
    REQUIRE(CONTINUOUS | EVENT);
    I->phase = EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Instance *I = c;
    REQUIRE(EVENT);
    NEED(info, 1);
    bool changed = false, over = false;
    core_watch(I, &over);
    Status status = core_update(I, &changed);
    memset(info, 0, sizeof *info); /* nothing else is needed, changed or planned */
    info->valuesOfContinuousStatesChanged = changed;
    info->terminateSimulation = over;
    return status_of(status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Instance *I = c;
    REQUIRE(EVENT);
    I->phase = CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state, fmi2Boolean *enter_event_mode,
                                       fmi2Boolean *terminate) {
    Instance *I = c;
    (void)no_set_state;
    REQUIRE(CONTINUOUS);
    NEED(enter_event_mode, 1);
    NEED(terminate, 1);
    bool event = false, over = false;
    Status status = core_completed_step(I, &event);
    core_watch(I, &over);
    *enter_event_mode = event || over; /* there the importer is told */
    *terminate = fmi2False;
    return status_of(status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    Instance *I = c;
    REQUIRE(EVENT | CONTINUOUS);
    if (!(time - time == 0.0)) return COMPLAIN("time is %.9g: give a finite number", time);
    core_set_time(I, time);
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t count) {
    Instance *I = c;
    REQUIRE(CONTINUOUS);
    NEED(x, count);
    return status_of(core_set_states(I, x, count));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
    Instance *I = c;
    REQUIRE(INITIALIZING | EVENT | CONTINUOUS | TERMINATED);
    NEED(derivatives, count);
    return status_of(core_derivatives(I, derivatives, count));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count) {
    Instance *I = c;
    REQUIRE(INITIALIZING | EVENT | CONTINUOUS | TERMINATED);
    NEED(indicators, count);
    return status_of(core_indicators(I, indicators, count));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t count) {
    Instance *I = c;
    REQUIRE(INITIALIZING | EVENT | CONTINUOUS | TERMINATED);
    NEED(x, count);
    return status_of(core_get_states(I, x, count));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t count) {
    Instance *I = c;
    REQUIRE(INITIALIZING | EVENT | CONTINUOUS | TERMINATED);
    NEED(x, count);
    if (count != N_STATES) return COMPLAIN("%zu nominal values: the model has %zu states", count, N_STATES);
    core_nominals(x);
    return fmi2OK;
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
    return COMPLAIN("no step to cancel: fmi2DoStep returns when it is done");
}

static fmi2Status no_such_status(Instance *I) {
    return status_of(core_complain(I, DISCARD, "no such status: only a step that is still running would have it"));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    Instance *I = c;
    REQUIRE(STEPPING | TERMINATED);
    NEED(value, 1);
    if (kind != fmi2LastSuccessfulTime) return no_such_status(I);
    *value = core_time(I);
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    Instance *I = c;
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
        REQUIRE(STEPPING | TERMINATED);                                                                               \
        return no_such_status(I);                                                                                     \
    }
NO_SUCH_STATUS(Status, fmi2Status)
NO_SUCH_STATUS(IntegerStatus, fmi2Integer)
NO_SUCH_STATUS(StringStatus, fmi2String)
