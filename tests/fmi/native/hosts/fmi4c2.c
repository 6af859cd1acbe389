/* A run of course.h in fmi4c, by FMI 2.0. */
#include <stdarg.h>

#include <fmi4c.h>

#include "course.h"

static fmuHandle *fmu;
static fmi2InstanceHandle *instance;

static void note(const char *message) { fprintf(stderr, "%s\n", message); }

static void told(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                 fmi2String message, ...) {
    (void)environment, (void)name;
    fprintf(stderr, "FMU, status %d, %s: %s\n", (int)status, category, message);
}

static void load(const char *path, const char *folder) {
    (void)folder;
    fmi4c_setMessageFunction(note);
    fmu = fmi4c_loadFmu(path, "one");
    require(fmu && fmi4c_getFmiVersion(fmu) == fmiVersion2, "description");
}

static void start(bool exchange) {
    fmi2Type type = exchange ? fmi2ModelExchange : fmi2CoSimulation;
    instance = fmi2_instantiate(fmu, type, told, calloc, free, NULL, NULL, fmi2False, fmi2False);
    require(instance != NULL, "instance");
    require(!fmi2_setupExperiment(instance, fmi2False, 0.0, 0.0, fmi2False, 0.0), "experiment");
    require(!fmi2_enterInitializationMode(instance), "enter initialization mode");
    require(!fmi2_exitInitializationMode(instance), "exit initialization mode");
    if (!exchange) return;
    fmi2EventInfo info;
    require(!fmi2_newDiscreteStates(instance, &info), "new discrete states");
    require(!fmi2_enterContinuousTimeMode(instance), "continuous-time mode");
}

static void make_step(double time, double size) { require(!fmi2_doStep(instance, time, size, fmi2True), "step"); }

static void get_states(double *x, size_t count) { require(!fmi2_getContinuousStates(instance, x, count), "states"); }

static void get_rates(double *rates, size_t count) { require(!fmi2_getDerivatives(instance, rates, count), "rates"); }

static void set_point(double time, const double *x, size_t count) {
    fmi2Boolean enter, terminate;
    require(!fmi2_setTime(instance, time), "time");
    require(!fmi2_setContinuousStates(instance, x, count), "set states");
    require(!fmi2_completedIntegratorStep(instance, fmi2True, &enter, &terminate), "completed step");
}

static void get_values(const unsigned *references, size_t count, double *values) {
    require(!fmi2_getReal(instance, references, count, values), "values");
}

static void finish(void) {
    require(!fmi2_terminate(instance), "terminate");
    fmi2_freeInstance(instance);
    fmi4c_freeFmu(fmu);
}
