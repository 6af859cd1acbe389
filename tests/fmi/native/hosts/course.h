/* A run of an FMU in an importer that others wrote: the importer's file includes this header and defines the functions
 * declared below.
 *
 * Arguments: FMU, a folder to unpack it in, "exchange" or "cosimulation", the size and number of steps, how many
 * continuous states there are, and the references of scalar variables. In model exchange the steps are those of the
 * explicit Euler method. Prints the variables after the last step; messages go to standard error. */
#ifndef COURSE_H
#define COURSE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 256 };

static void load(const char *fmu, const char *folder);
static void start(bool exchange); /* up to the first step */
static void make_step(double time, double size);
static void get_states(double *x, size_t count);
static void get_rates(double *rates, size_t count);
static void set_point(double time, const double *x, size_t count); /* time and states of a completed step */
static void get_values(const unsigned *references, size_t count, double *values);
static void finish(void);

static void require(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void euler_step(double time, double size, size_t count) {
    double x[MOST_NUMBERS], rates[MOST_NUMBERS];
    get_states(x, count);
    get_rates(rates, count);
    for (size_t k = 0; k < count; k++) x[k] += size * rates[k];
    set_point(time, x, count);
}

int main(int argc, char **argv) {
    unsigned references[MOST_NUMBERS];
    double values[MOST_NUMBERS], size;
    size_t n_read = 0, n_states;
    require(argc > 7 && argc - 7 < MOST_NUMBERS, "arguments");
    bool exchange = !strcmp(argv[3], "exchange");
    size = strtod(argv[4], NULL);
    n_states = strtoul(argv[6], NULL, 10);
    for (int k = 7; k < argc; k++) references[n_read++] = (unsigned)strtoul(argv[k], NULL, 10);
    load(argv[1], argv[2]);
    start(exchange);
    for (int k = 0; k < atoi(argv[5]); k++) {
        if (exchange) euler_step((k + 1) * size, size, n_states);
        else make_step(k * size, size);
    }
    get_values(references, n_read, values);
    for (size_t k = 0; k < n_read; k++) printf("%.17g\n", values[k]);
    finish();
    return 0;
}

#endif
