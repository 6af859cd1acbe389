/* FMI 3.0, model exchange and co-simulation: the importer's functions, by calls.h and the headers below it. */
#include <string.h>

#include "calls.h"
#include "core.h"
#include "events.h"
#include "exchange.h"
#include "fmi3Functions.h"
#include "tangents.h"

static fmi3Status status_of(Status status) { return (fmi3Status)status; } /* equal values */

static void report(Instance *I, Status status, Category category, const char *text) {
    fmi3LogMessageCallback log;
    memcpy(&log, &I->functions[0], sizeof log);
    if (log) log(I->environment, status_of(status), category_name(category), text);
}

#define FAIL(...) status_of(core_report(I, FAILED, __VA_ARGS__))
#define REQUIRE(phases) \
    if (!allowed(I, __func__, phases)) return fmi3Error
#define KIND(exchange) \
    if (!of_interface(c, __func__, exchange)) return fmi3Error
#define REQUIRE_KIND(exchange, phases) \
    KIND(exchange);                    \
    REQUIRE(phases)
#define NEED(pointer, count) \
    if (!has_values(I, __func__, pointer, count)) return fmi3Error

/* -- life cycle ---------------------------------------------------------------------------------------------- */

const char *fmi3GetVersion(void) { return fmi3Version; }

static Instance *instantiate(fmi3String name, fmi3String token, bool exchange, bool logging,
                             fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    void *logger;
    memcpy(&logger, &log, sizeof log);
    const char *problem = NULL;
    if (!token || strcmp(token, model_token()))
        problem = "the token is not that of this FMU: its modelDescription.xml is of another one";
    else if (!name || !*name) problem = "an instance needs a name";
    return call_instantiate(name, exchange, logging, report, logger, environment, problem);
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
    (void)resources, (void)visible;
    return instantiate(name, token, true, logging, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t n_intermediate,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)resources, (void)visible;
    (void)intermediate, (void)n_intermediate; /* every variable is readable at every update */
    Instance *I = instantiate(name, token, false, logging, environment, log);
    if (!I) return NULL;
    I->event_mode = event_mode;
    I->early_return = early_return;
    memcpy(&I->functions[1], &update, sizeof update);
    return I;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
    if (log)
        log(environment, fmi3Error, category_name(LOG_ERROR),
            "the FMU has no scheduled execution: instantiate it for model exchange or co-simulation");
    return NULL;
}

void fmi3FreeInstance(fmi3Instance c) {
    if (c && allowed(c, __func__, ANY)) core_free(c);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String names[]) {
    return status_of(call_set_logging(c, __func__, on, count, names));
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
    Status status = call_set_experiment(c, __func__, has_tolerance, tolerance, start, has_stop, stop);
    return status_of(status != OK ? status : call_enter(c, __func__, INSTANTIATED, INITIALIZING));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return status_of(call_start(c, __func__)); }

fmi3Status fmi3Terminate(fmi3Instance c) { return status_of(call_enter(c, __func__, RUNNING, TERMINATED)); }

fmi3Status fmi3Reset(fmi3Instance c) { return status_of(call_reset(c, __func__)); }

/* -- values ------------------------------------------------------------------------------------------------- */

#define GET(Name, call)                                                                                           \
    fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference references[], size_t count,                 \
                             fmi3##Name values[], size_t n) {                                                     \
        return status_of(call);                                                                                   \
    }
#define SET(Name, call)                                                                                           \
    fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference references[], size_t count,                 \
                             const fmi3##Name values[], size_t n) {                                               \
        return status_of(call);                                                                                   \
    }
#define VALUES(Name, kinds, convert)                                               \
    TYPE(Name, fmi3##Name, kinds, convert)                                         \
    GET(Name, call_get(c, __func__, &type_##Name, references, count, values, n))   \
    SET(Name, call_set(c, __func__, &type_##Name, references, count, values, n))
VALUES(Float64, KIND_REAL, )
VALUES(Int32, KIND_INTEGER, )
VALUES(Int64, KIND_ENUMERATION, )
VALUES(Boolean, KIND_BOOLEAN, !!)

#define NO_SUCH_TYPE(Name)                                                                          \
    GET(Name, ((void)values, (void)n, call_no_such_type(c, __func__, "read", references, count)))   \
    SET(Name, ((void)values, (void)n, call_no_such_type(c, __func__, "set", references, count)))
NO_SUCH_TYPE(Float32)
NO_SUCH_TYPE(Int8)
NO_SUCH_TYPE(UInt8)
NO_SUCH_TYPE(Int16)
NO_SUCH_TYPE(UInt16)
NO_SUCH_TYPE(UInt32)
NO_SUCH_TYPE(UInt64)
NO_SUCH_TYPE(String)

#define NO_VALUES(Function, verb, unused, ...)                                                            \
    fmi3Status fmi3##Function(fmi3Instance c, const fmi3ValueReference r[], size_t count, __VA_ARGS__) {  \
        unused;                                                                                           \
        return status_of(call_no_such_type(c, __func__, verb, r, count));                                 \
    }
NO_VALUES(GetBinary, "read", ((void)sizes, (void)values, (void)n), size_t sizes[], fmi3Binary values[], size_t n)
NO_VALUES(SetBinary, "set", ((void)sizes, (void)values, (void)n), const size_t sizes[], const fmi3Binary values[],
          size_t n)
NO_VALUES(GetClock, "read", (void)values, fmi3Clock values[])
NO_VALUES(SetClock, "set", (void)values, const fmi3Clock values[])

/* -- saved states ------------------------------------------------------------------------------------------- */

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) { return status_of(call_save(c, __func__, state)); }

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return status_of(call_restore(c, __func__, state)); }

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
    return status_of(call_free_state(c, __func__, state));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
    return status_of(call_state_size(c, __func__, state, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    return status_of(call_serialize(c, __func__, state, bytes, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
    return status_of(call_deserialize(c, __func__, bytes, size, state));
}

/* -- derivatives -------------------------------------------------------------------------------------------- */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seeds[],
                                        size_t n_seeds, fmi3Float64 results[], size_t n_results) {
    return status_of(call_directional(c, __func__, unknowns, n_unknowns, knowns, n_knowns, seeds, n_seeds, results,
                                      n_results));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                    const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seeds[],
                                    size_t n_seeds, fmi3Float64 results[], size_t n_results) {
    Instance *I = c;
    REQUIRE(INITIALIZING | STARTED);
    if (!lengths_match(I, __func__, KIND_REAL, "take", unknowns, n_unknowns, seeds, n_seeds)) return fmi3Error;
    if (!lengths_match(I, __func__, KIND_REAL, "take", knowns, n_knowns, results, n_results)) return fmi3Error;
    double *buffer = call_buffer(I, n_results);
    if (!buffer) return fmi3Error;
    Status status = core_adjoint(I, unknowns, n_unknowns, knowns, n_knowns, seeds, buffer);
    return status_of(call_deliver(status, buffer, results, n_results));
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values) {
    KIND(false);
    return status_of(call_output_slopes(c, __func__, references, count, orders, values, n_values));
}

/* -- events ------------------------------------------------------------------------------------------------- */

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    Instance *I = c;
    REQUIRE(RUNNING);
    if (!I->exchange && !I->event_mode) return FAIL("the instance was made without event mode");
    I->phase = EVENT;
    return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
    Instance *I = c;
    REQUIRE(INITIALIZING | EVENT);
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *has_next_time, fmi3Float64 *next_time) {
    Instance *I = c;
    fmi3Boolean *flags[] = {again, terminate, nominals_changed, values_changed, has_next_time};
    REQUIRE(EVENT);
    NEED(next_time, 1);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        NEED(flags[k], 1);
        *flags[k] = fmi3False; /* nothing else ever changes */
    }
    core_watch(I, terminate);
    Status status = core_update(I, values_changed);
    double time = 0.0;
    *has_next_time = I->exchange && core_next_sample(I, &time);
    *next_time = *has_next_time ? time : 0.0;
    return status_of(status);
}

/* -- model exchange ----------------------------------------------------------------------------------------- */

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
    KIND(true);
    return status_of(call_enter(c, __func__, EVENT, CONTINUOUS));
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state, fmi3Boolean *enter_event_mode,
                                       fmi3Boolean *terminate) {
    Instance *I = c;
    (void)no_set_state;
    REQUIRE_KIND(true, CONTINUOUS);
    NEED(enter_event_mode, 1);
    NEED(terminate, 1);
    *enter_event_mode = *terminate = fmi3False;
    return status_of(call_completed_step(I, enter_event_mode));
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
    KIND(true);
    return status_of(call_set_time(c, __func__, time));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t count) {
    KIND(true);
    return status_of(call_set_states(c, __func__, x, count));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t count) {
    KIND(true);
    return status_of(call_derivatives(c, __func__, derivatives, count));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[], size_t count) {
    KIND(true);
    return status_of(call_indicators(c, __func__, indicators, count));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t count) {
    KIND(true);
    return status_of(call_get_states(c, __func__, x, count));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t count) {
    KIND(true);
    return status_of(call_nominals(c, __func__, WITH_STATES, x, count));
}

#define COUNT(Function, number)                                  \
    fmi3Status fmi3##Function(fmi3Instance c, size_t *count) {   \
        Instance *I = c;                                         \
        REQUIRE_KIND(true, ANY);                                 \
        NEED(count, 1);                                          \
        *count = number;                                         \
        return fmi3OK;                                           \
    }
COUNT(GetNumberOfContinuousStates, model_states())
COUNT(GetNumberOfEventIndicators, model_indicators())

/* -- co-simulation ------------------------------------------------------------------------------------------ */

fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    KIND(false);
    return status_of(call_enter(c, __func__, EVENT, STEPPING));
}

/* Call the importer's intermediate update; true if the importer may and wants to end the communication step here. */
static bool importer_leaves(Instance *I, double time, bool may_leave) {
    fmi3IntermediateUpdateCallback update;
    fmi3Boolean wanted = fmi3False;
    fmi3Float64 until = time; /* an early return at a later time is answered at this one, as the standard allows */
    memcpy(&update, &I->functions[1], sizeof update);
    I->paused = true;
    update(I->environment, time, fmi3False, fmi3True, fmi3True, may_leave, &wanted, &until);
    I->paused = false;
    return wanted && may_leave;
}

static bool pause_step(Instance *I, double time) {
    return I->left_early = importer_leaves(I, time, I->early_return);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 size, fmi3Boolean no_set_state,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last_time) {
    Instance *I = c;
    (void)no_set_state;
    REQUIRE_KIND(false, STEPPING);
    NEED(event_needed, 1);
    NEED(terminate, 1);
    NEED(early, 1);
    NEED(last_time, 1);
    I->left_early = false;
    bool updates = I->functions[1] != NULL; /* without updates one kernel call makes all internal steps */
    Status status = core_step(I, time, size, updates ? pause_step : NULL);
    if (updates && status == OK && !I->left_early) importer_leaves(I, core_time(I), false);
    *event_needed = status == OK && events_due(I);
    *terminate = fmi3False;
    *early = status == OK && core_time(I) < time + size;
    *last_time = core_time(I);
    return status_of(status);
}

/* -- features that the model lacks -------------------------------------------------------------------------- */

#define REFUSE(Function, reason, unused, ...)  \
    fmi3Status fmi3##Function(__VA_ARGS__) {   \
        Instance *I = c;                       \
        unused;                                \
        REQUIRE(ANY);                          \
        return FAIL(reason);               \
    }
#define NO_CLOCK(Function, unused, ...)                                    \
    REFUSE(Function, "the model has no clocks", ((void)r, (void)n, unused), \
           fmi3Instance c, const fmi3ValueReference r[], size_t n, __VA_ARGS__)
NO_CLOCK(GetIntervalDecimal, ((void)t, (void)q), fmi3Float64 t[], fmi3IntervalQualifier q[])
NO_CLOCK(GetIntervalFraction, ((void)t, (void)u, (void)q), fmi3UInt64 t[], fmi3UInt64 u[], fmi3IntervalQualifier q[])
NO_CLOCK(GetShiftDecimal, (void)t, fmi3Float64 t[])
NO_CLOCK(GetShiftFraction, ((void)t, (void)u), fmi3UInt64 t[], fmi3UInt64 u[])
NO_CLOCK(SetIntervalDecimal, (void)t, const fmi3Float64 t[])
NO_CLOCK(SetIntervalFraction, ((void)t, (void)u), const fmi3UInt64 t[], const fmi3UInt64 u[])
NO_CLOCK(SetShiftDecimal, (void)t, const fmi3Float64 t[])
NO_CLOCK(SetShiftFraction, ((void)t, (void)u), const fmi3UInt64 t[], const fmi3UInt64 u[])
REFUSE(ActivateModelPartition, "the model has no clocks", ((void)r, (void)t), fmi3Instance c, fmi3ValueReference r,
       fmi3Float64 t)
REFUSE(EnterConfigurationMode, "the model has no structural parameters", (void)0, fmi3Instance c)
REFUSE(ExitConfigurationMode, "the model has no structural parameters", (void)0, fmi3Instance c)

#define ELEMENTS "the model has no dependencies of single elements: see those of variables in modelDescription.xml"
REFUSE(GetNumberOfVariableDependencies, ELEMENTS, ((void)r, (void)n), fmi3Instance c, fmi3ValueReference r, size_t *n)
REFUSE(GetVariableDependencies, ELEMENTS, ((void)r, (void)i, (void)s, (void)j, (void)d, (void)n), fmi3Instance c,
       fmi3ValueReference r, size_t i[], fmi3ValueReference s[], size_t j[], fmi3DependencyKind d[], size_t n)
