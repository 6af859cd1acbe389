/* Directional and adjoint derivatives. */
#ifndef TANGENTS_H
#define TANGENTS_H

#include "instance.h"

/* results = J seeds, and for the adjoint results = Jᵀ seeds; both hold the variables' elements in order. */
LOCAL Status core_directional(Instance *, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns,
                              size_t n_knowns, const double *seeds, double *results);
LOCAL Status core_adjoint(Instance *, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns,
                          size_t n_knowns, const double *seeds, double *results);
LOCAL Status core_output_slope(Instance *, uint32_t reference, double *slopes); /* one slope for each element */

#endif
