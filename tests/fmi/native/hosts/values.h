/* What can be read and set, through arrays of exactly the size that the library is told.
 *
 * Included by values2.c (FMI 2.0) and values3.c (FMI 3.0) after their Api and functions: created, started, get, set.
 *
 * LIBRARY TOKEN, then for each variable REFERENCE:LENGTH:KIND:START,...:OTHER,... with as many numbers as it has
 * elements. Kinds: a can be set at any time, e before the start, r is a velocity, which is read but for round-off, m is
 * changed by the start, c is computed and has no numbers. Laws: at first each has its start values. Pairs of them are
 * set between START and OTHER, all are read: those named are what was given, the others what they were. A refused call
 * (a number too few or too many, what is computed, what is not there) has a message; nothing is changed, and nothing
 * written. Prints how many sets, reads and refusals there were. */
#ifndef VALUES_H
#define VALUES_H

#include <math.h>

enum { MOST = 4096, LONGEST = 64, S_OK = 0, S_ERROR = 3, ABSENT = 1000000 };
static const double GUARD = -7.25e77, ROUNDED = 1e-10;

typedef struct {
    Reference reference;
    size_t length;
    char kind;
    double start[LONGEST], other[LONGEST], values[LONGEST];
} Variable;

static Api api;
static void *instance;
static Variable variables[MOST];
static size_t n_variables, sets, reads, refusals, messages;
static unsigned chance = 1;
static int running; /* from the start on momenta stay, and velocities follow parameters and inputs */

static void demand(int held, const char *what, size_t variable) {
    if (held) return;
    fprintf(stderr, "%s: value reference %u\n", what, (unsigned)variables[variable].reference);
    exit(1);
}

static double share(void) {
    chance = chance * 1664525u + 1013904223u;
    return (chance >> 8) / 16777216.0;
}

/* An array on the heap with a guard behind it: what is read or written beyond is found by valgrind, too. */
static double *room(size_t count, double filled) {
    double *out = malloc((count + 1) * sizeof *out);
    for (size_t k = 0; k < count; k++) out[k] = filled;
    out[count] = GUARD;
    return out;
}

static int as_given(char kind, double wanted, double found) {
    if (kind == 'a' || kind == 'e') return !memcmp(&found, &wanted, sizeof wanted);
    return isfinite(found) && (kind != 'r' || running || fabs(found - wanted) <= ROUNDED * (1.0 + fabs(wanted)));
}

static void compare(size_t i, const double *found) {
    const Variable *v = variables + i;
    for (size_t k = 0; k < v->length; k++)
        if (!as_given(v->kind, v->values[k], found[k])) {
            fprintf(stderr, "%.17g, not %.17g, after %zu sets and %zu refusals: ", found[k], v->values[k], sets, refusals);
            demand(0, "another value than was set", i);
        }
}

/* All, or those that have start values. */
static void read_all(int computed) {
    for (size_t i = 0; i < n_variables; i++) {
        Variable *v = variables + i;
        if (v->kind == 'c' && !computed) continue;
        double *out = room(v->length, GUARD);
        demand(get(&v->reference, 1, out, v->length) == S_OK, "get", i);
        demand(out[v->length] == GUARD, "written behind the array", i);
        compare(i, out);
        free(out), reads++;
    }
}

static void refused(size_t i, int status, const char *what) {
    demand(status == S_ERROR, what, i);
    demand(messages > 0, "refused without a message", i);
    messages = 0, refusals++;
}

static void get_refused(size_t i, const Reference *references, size_t count, size_t numbers) {
    double *out = room(numbers, GUARD);
    refused(i, get(references, count, out, numbers), "a get that is wrong");
    for (size_t k = 0; k <= numbers; k++) demand(out[k] == GUARD, "written in spite of an error", i);
    free(out);
}

static void set_refused(size_t i, const Reference *references, size_t count, size_t numbers) {
    double *values = room(numbers, 1.5);
    refused(i, set(references, count, values, numbers), "a set that is wrong");
    free(values);
}

static void wrong_calls(size_t i) {
    const Reference pair[] = {variables[i].reference, ABSENT};
    size_t length = variables[i].length;
    get_refused(i, pair, 2, length + 1), set_refused(i, pair, 2, length + 1);
    if (variables[i].kind == 'c') set_refused(i, pair, 1, length);
    for (size_t wrong = length - 1; COUNTED && wrong <= length + 1; wrong += 2)
        get_refused(i, pair, 1, wrong), set_refused(i, pair, 1, wrong);
}

/* The next variable of one of these kinds; there is one. */
static size_t next_of(size_t i, const char *kinds) {
    do i = (i + 1) % n_variables;
    while (!strchr(kinds, variables[i].kind));
    return i;
}

static void set_pair(size_t i, size_t j) {
    Variable *pair[] = {variables + i, variables + j};
    Reference references[] = {pair[0]->reference, pair[1]->reference};
    size_t both = i == j ? 1 : 2, count = pair[0]->length + (both - 1) * pair[1]->length, k = 0;
    double *values = room(count, GUARD);
    for (size_t p = 0; p < both; p++)
        for (size_t n = 0; n < pair[p]->length; n++, k++)
            pair[p]->values[n] = values[k] = pair[p]->start[n] + share() * (pair[p]->other[n] - pair[p]->start[n]);
    demand(set(references, both, values, count) == S_OK, "set", i);
    free(values), sets++;
}

static void set_all(const char *kinds) {
    for (size_t i = 0; i < n_variables; i++) {
        if (!strchr(kinds, variables[i].kind)) continue;
        set_pair(i, next_of(i, kinds));
        read_all(i % 16 == 0);
    }
    read_all(1);
}

static char *numbers(char *text, size_t count, double *out) {
    for (size_t k = 0; k < count; k++) out[k] = strtod(text + 1, &text);
    return text;
}

static void parse(char *text) {
    Variable *v = variables + n_variables++;
    v->reference = (Reference)strtoul(text, &text, 10);
    v->length = strtoul(text + 1, &text, 10);
    v->kind = text[1];
    if (v->length > LONGEST || !strchr("aermc", v->kind)) exit(2);
    if (v->kind == 'c') return;
    numbers(numbers(text + 2, v->length, v->start), v->length, v->other);
    memcpy(v->values, v->start, sizeof v->start);
}

int main(int count, char **arguments) {
    if (count < 4 || count > MOST) return 2;
    load(&api, arguments[1]);
    for (int a = 3; a < count; a++) parse(arguments[a]);
    instance = created(arguments[2]);
    if (!instance) return 2;
    read_all(1);
    set_all("aerm");
    for (size_t i = 0; i < n_variables; i++) wrong_calls(i);
    read_all(1);
    demand(started() == S_OK, "start", 0);
    running = 1;
    for (size_t i = 0; i < n_variables; i++) {
        wrong_calls(i);
        if (strchr("erm", variables[i].kind)) set_refused(i, &variables[i].reference, 1, variables[i].length);
    }
    set_all("a");
    demand(messages == 0, "a message about what is right", 0);
    api.FreeInstance(instance);
    printf("%zu %zu %zu\n", sets, reads, refusals);
    return 0;
}

#endif
