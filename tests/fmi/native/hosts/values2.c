/* Reads and sets of FMI 2.0, by the laws of values.h. */
#include "api2.h"

typedef fmi2ValueReference Reference;
enum { COUNTED = 0 }; /* as many numbers as variables */

static void *created(const char *token);
static int started(void);
static int get(const Reference *references, size_t count, double *values, size_t numbers);
static int set(const Reference *references, size_t count, const double *values, size_t numbers);

#include "values.h"

static void told(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category, fmi2String format,
                 ...) {
    (void)e, (void)name, (void)category;
    messages += status == fmi2Error && format && *format;
}

static const fmi2CallbackFunctions CALLBACKS = {told, calloc, free, NULL, NULL};

static void *created(const char *token) {
    return api.Instantiate("values", fmi2CoSimulation, token, "", &CALLBACKS, fmi2False, fmi2True);
}

static int started(void) {
    fmi2Status status = api.SetupExperiment(instance, fmi2False, 0.0, 0.0, fmi2False, 0.0);
    if (status == fmi2OK) status = api.EnterInitializationMode(instance);
    return (int)(status == fmi2OK ? api.ExitInitializationMode(instance) : status);
}

static int get(const Reference *references, size_t count, double *values, size_t numbers) {
    (void)numbers;
    return (int)api.GetReal(instance, references, count, values);
}

static int set(const Reference *references, size_t count, const double *values, size_t numbers) {
    (void)numbers;
    return (int)api.SetReal(instance, references, count, values);
}
