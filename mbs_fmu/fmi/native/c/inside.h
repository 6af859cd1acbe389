/* The kernels and tables of the model, for those who look into its record. */
#ifndef INSIDE_H
#define INSIDE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* What the kernels return is a status, a truth, or nothing of use. */
#define FIELD(name, arguments) int64_t(*name) arguments;
struct Kernels {
    KERNELS(FIELD)
};

#endif
