/* An FMU written by hand, for co-simulation and model exchange: a ball of unit mass that bounces and gets a kick.

   h' = v, v' = push - g; at h = 0 the speed turns to e |v|; at `kick_at` it rises by `kick`. In co-simulation the
   flight with a constant push is exact. The input `brake` may change at events only; `braked` repeats it. `fault` (enum Fault) lets it go wrong from the time `fault_at` on.

   Compile with FMI (2 or 3) and LEDGER, the path of a file to which every allocation and release appends a word. */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if FMI == 2
#include "fmi2FunctionTypes.h"
#define F(name) fmi2##name
typedef fmi2Status Status;
typedef fmi2Boolean Truth;
#else
#include "fmi3FunctionTypes.h"
#define F(name) fmi3##name
typedef fmi3Status Status;
typedef bool Truth;
#endif
#define OK F(OK)
#define DISCARD F(Discard)
#define ERROR F(Error)
#define FATAL F(Fatal)

enum Fault { NONE, RATES_FAIL, RATES_NAN, STEP_DISCARDED, ROUNDS_ENDLESS, EVENTS_ENDLESS, RATES_FATAL, START_FAILS, ENDS };
enum { H, V, DH, DV, PUSH, G, E, KICK, KICK_AT, FAULT_AT, BRAKE, BRAKED, REALS };
enum { BOUNCES = REALS, FAULT };

typedef struct {
    double r[REALS], time;
    int bounces, fault, is_kicked, is_resting, has_ended, is_continuous;
} Ball;

static void note(const char *word) {
    FILE *file = fopen(LEDGER, "a");
    if (file) {
        fprintf(file, "%s\n", word);
        fclose(file);
    }
}

static Ball *created(void) {
    Ball *b = calloc(1, sizeof(Ball));
    const double start[REALS] = {1.0, 0.0, 0.0, 0.0, 0.0, 9.81, 0.7, 0.0, 1e300, 1e300, 0.0, 0.0};
    memcpy(b->r, start, sizeof(start));
    note("+instance");
    return b;
}

static int fails(const Ball *b, int fault) { return b->fault == fault && b->time >= b->r[FAULT_AT]; }

static double acceleration(const Ball *b) { return b->is_resting ? 0.0 : b->r[PUSH] - b->r[G]; }

static void bounce(Ball *b) {
    b->r[H] = 0.0;
    b->r[V] *= -b->r[E];
    b->bounces++;
    if (b->r[V] < 1e-3) {
        b->r[V] = 0.0;
        b->is_resting = 1;
    }
}

static void kick(Ball *b) {
    b->r[V] += b->r[KICK];
    b->is_kicked = 1;
    b->is_resting = 0;
}

/* -- co-simulation ---------------------------------------------------------------------------------- */

static Status advance(Ball *b, double end) {
    while (b->time < end) {
        double t = end - b->time, a = acceleration(b), root = b->r[V] * b->r[V] - 2.0 * a * b->r[H];
        int falls = 0, kicks = 0;
        if (a < 0.0 && root >= 0.0 && (-b->r[V] - sqrt(root)) / a <= t) {
            t = (-b->r[V] - sqrt(root)) / a;
            falls = 1;
        }
        if (!b->is_kicked && b->r[KICK_AT] - b->time <= t) {
            t = fmax(b->r[KICK_AT] - b->time, 0.0);
            falls = 0;
            kicks = 1;
        }
        b->time = falls || kicks ? b->time + t : end;
        if (fails(b, STEP_DISCARDED)) return DISCARD;
        if (fails(b, ENDS)) {
            b->has_ended = 1;
            return FMI == 2 ? DISCARD : OK;
        }
        b->r[H] += t * (b->r[V] + 0.5 * a * t);
        b->r[V] += t * a;
        if (falls) bounce(b);
        if (kicks) kick(b);
    }
    return OK;
}

/* -- model exchange --------------------------------------------------------------------------------- */

static Status rates(Ball *b, double dx[]) {
    if (fails(b, RATES_FAIL)) return ERROR;
    if (fails(b, RATES_FATAL)) return FATAL;
    dx[0] = b->r[V];
    dx[1] = fails(b, RATES_NAN) ? NAN : acceleration(b);
    return OK;
}

static int update(Ball *b, Truth *ends, Truth *is_timed, double *next) {
    if (b->r[H] <= 0.0 && b->r[V] < 0.0) bounce(b);
    if (!b->is_kicked && b->time >= b->r[KICK_AT]) kick(b);
    *ends = fails(b, ENDS);
    *is_timed = !b->is_kicked && b->r[KICK_AT] < 1e300;
    *next = b->r[KICK_AT];
    if (b->fault == EVENTS_ENDLESS) {
        *is_timed = 1;
        *next = fmax(b->time, b->r[FAULT_AT]);
    }
    return fails(b, ROUNDS_ENDLESS);
}

Status F(SetTime)(void *instance, double time) {
    ((Ball *)instance)->time = time;
    return OK;
}

Status F(SetContinuousStates)(void *instance, const double x[], size_t n) {
    memcpy(((Ball *)instance)->r, x, n * sizeof(double));
    return OK;
}

Status F(GetContinuousStates)(void *instance, double x[], size_t n) {
    memcpy(x, ((Ball *)instance)->r, n * sizeof(double));
    return OK;
}

Status F(GetNominalsOfContinuousStates)(void *instance, double x[], size_t n) {
    (void)instance;
    for (size_t k = 0; k < n; k++) x[k] = 1.0;
    return OK;
}

Status F(GetEventIndicators)(void *instance, double z[], size_t n) {
    const Ball *b = instance;
    for (size_t k = 0; k < n; k++) z[k] = b->is_resting ? 1.0 : b->r[H] + (b->r[H] == 0.0 && b->r[V] > 0.0);
    return OK;
}

Status F(CompletedIntegratorStep)(void *instance, Truth no_return, Truth *event, Truth *ends) {
    (void)instance;
    (void)no_return;
    *event = *ends = 0;
    return OK;
}

Status F(EnterEventMode)(void *instance) {
    ((Ball *)instance)->is_continuous = 0;
    return OK;
}

Status F(EnterContinuousTimeMode)(void *instance) {
    ((Ball *)instance)->is_continuous = 1;
    return OK;
}

/* -- life, values and states of both versions -------------------------------------------------------- */

void F(FreeInstance)(void *instance) {
    free(instance);
    note("-instance");
}

Status F(ExitInitializationMode)(void *instance) { return ((Ball *)instance)->fault == START_FAILS ? ERROR : OK; }

Status F(Terminate)(void *instance) {
    (void)instance;
    return OK;
}

static Status saved(Ball *b, void **state) {
    if (!*state) {
        *state = malloc(sizeof(Ball));
        note("+state");
    }
    memcpy(*state, b, sizeof(Ball));
    return OK;
}

static Status forgotten(void **state) {
    free(*state);
    *state = NULL;
    note("-state");
    return OK;
}

static Status get_reals(Ball *b, const unsigned references[], size_t n, double values[]) {
    b->r[DH] = b->r[V];
    b->r[DV] = acceleration(b);
    b->r[BRAKED] = b->r[BRAKE];
    for (size_t k = 0; k < n; k++) values[k] = b->r[references[k]];
    return OK;
}

static Status set_reals(Ball *b, const unsigned references[], size_t n, const double values[]) {
    for (size_t k = 0; k < n; k++) {
        if (references[k] == BRAKE && b->is_continuous) return ERROR;
        b->r[references[k]] = values[k];
    }
    return OK;
}

static Status get_integers(Ball *b, const unsigned references[], size_t n, int values[]) {
    for (size_t k = 0; k < n; k++) values[k] = references[k] == FAULT ? b->fault : b->bounces;
    return OK;
}

static Status set_integers(Ball *b, const unsigned references[], size_t n, const int values[]) {
    for (size_t k = 0; k < n; k++) {
        if (references[k] != FAULT) return ERROR;
        b->fault = values[k];
    }
    return OK;
}

#if FMI == 2
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *calls, fmi2Boolean visible, fmi2Boolean logs) {
    (void)name, (void)type, (void)guid, (void)resources, (void)calls, (void)visible, (void)logs;
    return created();
}

Status fmi2SetupExperiment(void *instance, fmi2Boolean has_tolerance, double tolerance, double start,
                           fmi2Boolean has_stop, double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Ball *)instance)->time = start;
    return OK;
}

Status fmi2EnterInitializationMode(void *instance) {
    (void)instance;
    return OK;
}

Status fmi2DoStep(void *instance, double time, double size, fmi2Boolean no_return) {
    (void)no_return;
    return advance(instance, time + size);
}

Status fmi2GetBooleanStatus(void *instance, const fmi2StatusKind kind, fmi2Boolean *value) {
    (void)kind;
    *value = ((Ball *)instance)->has_ended;
    return OK;
}

Status fmi2GetDerivatives(void *instance, double dx[], size_t n) {
    (void)n;
    return rates(instance, dx);
}

Status fmi2NewDiscreteStates(void *instance, fmi2EventInfo *info) {
    memset(info, 0, sizeof(*info));
    info->newDiscreteStatesNeeded =
        update(instance, &info->terminateSimulation, &info->nextEventTimeDefined, &info->nextEventTime);
    info->valuesOfContinuousStatesChanged = 1;
    return OK;
}

Status fmi2GetReal(void *i, const fmi2ValueReference r[], size_t n, double x[]) { return get_reals(i, r, n, x); }
Status fmi2SetReal(void *i, const fmi2ValueReference r[], size_t n, const double x[]) { return set_reals(i, r, n, x); }
Status fmi2GetInteger(void *i, const fmi2ValueReference r[], size_t n, int x[]) { return get_integers(i, r, n, x); }
Status fmi2SetInteger(void *i, const fmi2ValueReference r[], size_t n, const int x[]) {
    return set_integers(i, r, n, x);
}
Status fmi2GetFMUstate(void *instance, fmi2FMUstate *state) { return saved(instance, state); }
Status fmi2SetFMUstate(void *instance, fmi2FMUstate state) {
    memcpy(instance, state, sizeof(Ball));
    return OK;
}
Status fmi2FreeFMUstate(void *instance, fmi2FMUstate *state) {
    (void)instance;
    return forgotten(state);
}
#else
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, bool visible,
                                          bool logs, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)environment, (void)log;
    return created();
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, bool visible,
                                         bool logs, bool has_events, bool returns_early,
                                         const fmi3ValueReference references[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback intermediate) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)environment, (void)log;
    (void)has_events, (void)returns_early, (void)references, (void)n, (void)intermediate;
    return created();
}

Status fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance, double start, bool has_stop,
                                   double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Ball *)instance)->time = start;
    return OK;
}

Status fmi3DoStep(void *instance, double time, double size, bool no_return, bool *event, bool *ends, bool *early,
                  double *last) {
    (void)no_return;
    Status status = advance(instance, time + size);
    *event = *early = false;
    *ends = ((Ball *)instance)->has_ended;
    *last = ((Ball *)instance)->time;
    return status;
}

Status fmi3GetContinuousStateDerivatives(void *instance, double dx[], size_t n) {
    (void)n;
    return rates(instance, dx);
}

Status fmi3UpdateDiscreteStates(void *instance, bool *needed, bool *ends, bool *nominals, bool *values, bool *is_timed,
                                double *next) {
    *needed = update(instance, ends, is_timed, next);
    *nominals = false;
    *values = true;
    return OK;
}

Status fmi3GetFloat64(void *i, const fmi3ValueReference r[], size_t n, double x[], size_t count) {
    (void)count;
    return get_reals(i, r, n, x);
}
Status fmi3SetFloat64(void *i, const fmi3ValueReference r[], size_t n, const double x[], size_t count) {
    (void)count;
    return set_reals(i, r, n, x);
}
Status fmi3GetInt32(void *i, const fmi3ValueReference r[], size_t n, fmi3Int32 x[], size_t count) {
    (void)count;
    return get_integers(i, r, n, x);
}
Status fmi3SetInt32(void *i, const fmi3ValueReference r[], size_t n, const fmi3Int32 x[], size_t count) {
    (void)count;
    return set_integers(i, r, n, x);
}
Status fmi3GetFMUState(void *instance, fmi3FMUState *state) { return saved(instance, state); }
Status fmi3SetFMUState(void *instance, fmi3FMUState state) {
    memcpy(instance, state, sizeof(Ball));
    return OK;
}
Status fmi3FreeFMUState(void *instance, fmi3FMUState *state) {
    (void)instance;
    return forgotten(state);
}
#endif

/* What the standard demands of every library, and these FMUs do not have. */
#define STUB(name) \
    Status F(name)(void) { return ERROR; }
#if FMI == 2
STUB(CancelStep) STUB(DeSerializeFMUstate) STUB(GetBoolean) STUB(GetDirectionalDerivative) STUB(GetIntegerStatus)
STUB(GetRealOutputDerivatives) STUB(GetRealStatus) STUB(GetStatus) STUB(GetString) STUB(GetStringStatus)
STUB(GetTypesPlatform) STUB(GetVersion) STUB(Reset) STUB(SerializeFMUstate) STUB(SerializedFMUstateSize)
STUB(SetBoolean) STUB(SetDebugLogging) STUB(SetRealInputDerivatives) STUB(SetString)
#else
STUB(ActivateModelPartition) STUB(DeserializeFMUState) STUB(EnterConfigurationMode) STUB(EnterStepMode)
STUB(EvaluateDiscreteStates) STUB(ExitConfigurationMode) STUB(GetAdjointDerivative) STUB(GetBinary) STUB(GetBoolean)
STUB(GetClock) STUB(GetDirectionalDerivative) STUB(GetFloat32) STUB(GetInt16) STUB(GetInt64) STUB(GetInt8)
STUB(GetIntervalDecimal) STUB(GetIntervalFraction) STUB(GetNumberOfContinuousStates)
STUB(GetNumberOfEventIndicators) STUB(GetNumberOfVariableDependencies) STUB(GetOutputDerivatives)
STUB(GetShiftDecimal) STUB(GetShiftFraction) STUB(GetString) STUB(GetUInt16) STUB(GetUInt32) STUB(GetUInt64)
STUB(GetUInt8) STUB(GetVariableDependencies) STUB(GetVersion) STUB(InstantiateScheduledExecution) STUB(Reset)
STUB(SerializeFMUState) STUB(SerializedFMUStateSize) STUB(SetBinary) STUB(SetBoolean) STUB(SetClock)
STUB(SetDebugLogging) STUB(SetFloat32) STUB(SetInt16) STUB(SetInt64) STUB(SetInt8) STUB(SetIntervalDecimal)
STUB(SetIntervalFraction) STUB(SetShiftDecimal) STUB(SetShiftFraction) STUB(SetString) STUB(SetUInt16)
STUB(SetUInt32) STUB(SetUInt64) STUB(SetUInt8)
#endif
