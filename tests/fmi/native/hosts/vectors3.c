/* What can be set before the start, through arrays of exactly the size that the library is told.
 *
 * LIBRARY TOKEN, then for each variable REFERENCE:LENGTH. Sets pairs of them, reads all again: those named are what was
 * given, the others what they were. A number too few or too many is an error after which all are what they were, and
 * nothing is written behind an array. Prints how many sets, reads and refusals there were. */
#include "api3.h"

enum { MOST = 256, LONGEST = 64 };
static const double GUARD = -7.25e77;

typedef struct {
    fmi3ValueReference reference;
    size_t length;
    double values[LONGEST];
} Variable;

static Api api;
static fmi3Instance instance;
static Variable variables[MOST];
static size_t n_variables, sets, reads, refusals;

static void demand(int held, const char *what, size_t variable) {
    if (held) return;
    fprintf(stderr, "%s: value reference %u\n", what, (unsigned)variables[variable].reference);
    exit(1);
}

static void silent(fmi3InstanceEnvironment e, fmi3Status s, fmi3String c, fmi3String text) {
    (void)e, (void)s, (void)c, (void)text;
}

/* An array on the heap with a guard behind it: what is read or written beyond is found by valgrind, too. */
static double *room(size_t count) {
    double *out = malloc((count + 1) * sizeof *out);
    for (size_t k = 0; k <= count; k++) out[k] = GUARD;
    return out;
}

static void read_all(int check) {
    for (size_t i = 0; i < n_variables; i++) {
        Variable *v = variables + i;
        double *out = room(v->length);
        demand(api.GetFloat64(instance, &v->reference, 1, out, v->length) == fmi3OK, "get", i);
        demand(out[v->length] == GUARD, "written behind the array", i);
        demand(!check || !memcmp(out, v->values, v->length * sizeof *out), "another value than was set", i);
        memcpy(v->values, out, v->length * sizeof *out);
        free(out), reads++;
    }
}

static void refused(size_t i, size_t count) {
    Variable *v = variables + i;
    double *out = room(count);
    demand(api.GetFloat64(instance, &v->reference, 1, out, count) == fmi3Error, "get with a wrong count", i);
    for (size_t k = 0; k <= count; k++) demand(out[k] == GUARD, "written in spite of an error", i);
    for (size_t k = 0; k < count; k++) out[k] = 1.5;
    demand(api.SetFloat64(instance, &v->reference, 1, out, count) == fmi3Error, "set with a wrong count", i);
    free(out), refusals += 2;
}

static void set_pair(size_t i, size_t j, unsigned *seed) {
    Variable *pair[] = {variables + i, variables + j};
    fmi3ValueReference references[] = {pair[0]->reference, pair[1]->reference};
    size_t count = pair[0]->length + pair[1]->length, k = 0;
    double *values = room(count);
    for (size_t p = 0; p < 2; p++)
        for (size_t n = 0; n < pair[p]->length; n++, k++) {
            *seed = *seed * 1664525u + 1013904223u;
            values[k] = pair[p]->values[n] * (1.0 + 1e-3 * (*seed >> 8) / 16777216.0);
            pair[p]->values[n] = values[k];
        }
    demand(api.SetFloat64(instance, references, 2, values, count) == fmi3OK, "set", i);
    free(values), sets++;
}

int main(int count, char **arguments) {
    unsigned seed = 1;
    if (count < 5 || count > MOST) return 2;
    load(&api, arguments[1]);
    for (int a = 3; a < count; a++) {
        char *colon;
        Variable *v = variables + n_variables++;
        v->reference = (fmi3ValueReference)strtoul(arguments[a], &colon, 10);
        v->length = strtoul(colon + 1, NULL, 10);
        if (v->length > LONGEST) return 2;
    }
    instance = api.InstantiateCoSimulation("vectors", arguments[2], "", fmi3False, fmi3False, fmi3False, fmi3False, NULL, 0,
                                           NULL, silent, NULL);
    if (!instance) return 2;
    read_all(0);
    for (size_t i = 0; i < n_variables; i++) {
        size_t j = (i + 1) % n_variables;
        set_pair(i, j, &seed);
        read_all(1);
        refused(i, variables[i].length - 1);
        refused(i, variables[i].length + 1);
        read_all(1);
    }
    api.FreeInstance(instance);
    printf("%zu %zu %zu\n", sets, reads, refusals);
    return 0;
}
