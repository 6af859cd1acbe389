/* A run of an FMI 2.0 co-simulation, as the command line says it. */
#ifndef HOST_H
#define HOST_H

#include <stdarg.h>
#include <stdint.h>

#include "api2.h"

enum { MOST = 64 };

/* LIBRARY GUID STEP COUNT, then in any order REFERENCE=VALUE to set before the start and REFERENCE to read. */
typedef struct {
    Api api;
    const char *guid;
    double size;
    int count;
    size_t n_set, n_read;
    fmi2ValueReference set[MOST], read[MOST];
    double values[MOST];
} Run;

static void print_message(void *environment, const char *name, fmi2Status status, const char *category,
                          const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)environment;
    fprintf(stderr, "%s, %s, status %d: ", name, category, (int)status);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static const fmi2CallbackFunctions CALLBACKS = {print_message, calloc, free, NULL, NULL};

static void require(fmi2Status status, const char *what) {
    if (status == fmi2OK) return;
    fprintf(stderr, "%s: status %d\n", what, (int)status);
    exit(1);
}

static void parse(Run *run, int count, char **arguments) {
    if (count < 6 || count > 5 + MOST) {
        fprintf(stderr, "arguments: LIBRARY GUID STEP COUNT REFERENCE=VALUE... REFERENCE...\n");
        exit(2);
    }
    load(&run->api, arguments[1]);
    run->guid = arguments[2];
    run->size = strtod(arguments[3], NULL);
    run->count = atoi(arguments[4]);
    for (int i = 5; i < count; i++) {
        char *end;
        fmi2ValueReference reference = (fmi2ValueReference)strtoul(arguments[i], &end, 10);
        if (*end == '=') run->values[run->n_set] = strtod(end + 1, NULL), run->set[run->n_set++] = reference;
        else run->read[run->n_read++] = reference;
    }
}

/* An instance ready for its first step; `shift` is added to what is set. */
static fmi2Component started(const Run *run, const char *name, double shift) {
    const Api *api = &run->api;
    double values[MOST];
    for (size_t i = 0; i < run->n_set; i++) values[i] = run->values[i] + shift;
    fmi2Component c = api->Instantiate(name, fmi2CoSimulation, run->guid, "", &CALLBACKS, fmi2False, fmi2False);
    require(c ? fmi2OK : fmi2Error, "instantiate");
    require(api->SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0), "set up");
    require(api->EnterInitializationMode(c), "enter initialization mode");
    require(api->SetReal(c, run->set, run->n_set, values), "set");
    require(api->ExitInitializationMode(c), "exit initialization mode");
    return c;
}

/* Step `number` of the run, and what is read after it. */
static void step(const Run *run, fmi2Component c, int number, double *out) {
    require(run->api.DoStep(c, number * run->size, run->size, fmi2True), "step");
    require(run->api.GetReal(c, run->read, run->n_read, out), "get");
}

#endif
