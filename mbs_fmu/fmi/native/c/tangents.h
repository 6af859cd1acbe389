/* Derivatives of what is computed, along directions. */
#ifndef TANGENTS_H
#define TANGENTS_H

#include "instance.h"

/* D unknowns = J D knowns; seeds and results follow the variables, element by element. */
Status core_directional(Instance *, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns,
                        size_t n_knowns, const double *seeds, double *results);
Status core_adjoint(Instance *, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                    const double *seeds, double *results);
Status core_output_slope(Instance *, uint32_t reference, double *slopes); /* for each element */

#endif
