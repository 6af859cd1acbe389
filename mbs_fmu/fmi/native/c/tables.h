/* The kernels and tables of the model, for sources that access its record. */
#ifndef TABLES_H
#define TABLES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops over tables end with `k != N`: a table may be empty, and compilers warn of unsigned numbers below zero. */
#include "model.h"

/* Kernels return a status, a truth value, or a number without meaning. */
#define FIELD(name, arguments) int64_t(*name) arguments;
struct Kernels {
    KERNELS(FIELD)
};

#endif
