/* A run of course.h in fmi4c, by FMI 3.0. */
#include <fmi4c.h>

#include "course.h"

static fmuHandle *fmu;
static fmi3InstanceHandle *instance;

static void note(const char *message) { fprintf(stderr, "%s\n", message); }

static void told(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment;
    fprintf(stderr, "FMU, status %d, %s: %s\n", (int)status, category, message);
}

static void load(const char *path, const char *folder) {
    (void)folder;
    fmi4c_setMessageFunction(note);
    fmu = fmi4c_loadFmu(path, "one");
    require(fmu && fmi4c_getFmiVersion(fmu) == fmiVersion3, "description");
}

static void start_exchange(void) {
    fmi3Boolean again, terminate, nominals, values, defined;
    double next_time;
    require(!fmi3_updateDiscreteStates(instance, &again, &terminate, &nominals, &values, &defined, &next_time),
            "update discrete states");
    require(!fmi3_enterContinuousTimeMode(instance), "continuous-time mode");
}

static void start(bool exchange) {
    instance = exchange ? fmi3_instantiateModelExchange(fmu, false, false, NULL, told)
                        : fmi3_instantiateCoSimulation(fmu, false, false, false, false, NULL, 0, NULL, told, NULL);
    require(instance != NULL, "instance");
    require(!fmi3_enterInitializationMode(instance, false, 0.0, 0.0, false, 0.0), "enter initialization mode");
    require(!fmi3_exitInitializationMode(instance), "exit initialization mode");
    if (exchange) start_exchange();
}

static void make_step(double time, double size) {
    fmi3Boolean event, terminate, early;
    double reached;
    require(!fmi3_doStep(instance, time, size, true, &event, &terminate, &early, &reached), "step");
}

static void get_states(double *x, size_t count) { require(!fmi3_getContinuousStates(instance, x, count), "states"); }

static void get_rates(double *rates, size_t count) {
    require(!fmi3_getContinuousStateDerivatives(instance, rates, count), "rates");
}

static void set_point(double time, const double *x, size_t count) {
    fmi3Boolean enter, terminate;
    require(!fmi3_setTime(instance, time), "time");
    require(!fmi3_setContinuousStates(instance, x, count), "set states");
    require(!fmi3_completedIntegratorStep(instance, true, &enter, &terminate), "completed step");
}

static void get_values(const unsigned *references, size_t count, double *values) {
    require(!fmi3_getFloat64(instance, references, count, values, count), "values");
}

static void finish(void) {
    require(!fmi3_terminate(instance), "terminate");
    fmi3_freeInstance(instance);
    fmi4c_freeFmu(fmu);
}
