/* Reads and sets of FMI 3.0, by the laws of values.h. */
#include "api3.h"

typedef fmi3ValueReference Reference;
enum { COUNTED = 1 }; /* a call says how many numbers there are */

static void *created(const char *token);
static int started(void);
static int get(const Reference *references, size_t count, double *values, size_t numbers);
static int set(const Reference *references, size_t count, const double *values, size_t numbers);

#include "values.h"

static void told(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String text) {
    (void)e, (void)category;
    messages += status == fmi3Error && text && *text;
}

static void *created(const char *token) {
    return api.InstantiateCoSimulation("values", token, "", fmi3False, fmi3True, fmi3False, fmi3False, NULL, 0, NULL,
                                       told, NULL);
}

static int started(void) {
    fmi3Status status = api.EnterInitializationMode(instance, fmi3False, 0.0, 0.0, fmi3False, 0.0);
    return (int)(status == fmi3OK ? api.ExitInitializationMode(instance) : status);
}

static int get(const Reference *references, size_t count, double *values, size_t numbers) {
    return (int)api.GetFloat64(instance, references, count, values, numbers);
}

static int set(const Reference *references, size_t count, const double *values, size_t numbers) {
    return (int)api.SetFloat64(instance, references, count, values, numbers);
}
